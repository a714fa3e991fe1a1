"""Types and quantities of the checker as a program writes them, for `duetpy.typecheck.writing`.

Where the language has no spelling for one, `Unwritable` says so: the costs of a function that were found and not stated, side
conditions, an input that has no name here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from typing import assert_never, cast

from attrs import define, evolve, field

from duetpy.by_value import Shown
from duetpy.grammar import ast
from duetpy.grammar.lexer import MAX_DIGITS
from duetpy.grammar.parser import parse_rexp_text
from duetpy.grammar.pretty_types import number_text
from duetpy.grammar.spelling import WORDS
from duetpy.source import Source, Span
from duetpy.trees import map_children
from duetpy.typecheck import cost as costs
from duetpy.typecheck import types as t
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.persons import persons_of, roster_of
from duetpy.typecheck.quantity import ONE, Kind, KindVar, Quantity
from duetpy.typecheck.quantity.rational import multiplicity


class Unwritable(Exception):
    """Something that no program can write: what it is, and where it stands."""

    def __init__(self, span: Span, what: str) -> None:
        super().__init__(what)
        self.span = span
        self.what = what


@define(eq=False, repr=False)
class Names(Shown):
    """Names that are given once: the one that is wanted, or one with a number behind it."""

    taken: set[str] = field(factory=set)

    def give(self, wanted: str) -> str:
        name, count = wanted, 1
        while name in self.taken:
            count += 1
            name = f"{wanted}_{count}"
        self.taken.add(name)
        return name


@define(eq=False, repr=False)
class TypeWriter(Shown):
    """Writes types at one place after another.

    Parameters
    ----------
    notion
        In which the costs of a function are stated here.
    kinds
        What the kind variables in scope are called.
    inputs
        What the parameters in scope are called in the program that is printed, by the names that were written.
    kind_names
        All names of kind variables.
    """

    notion: Notion
    kinds: dict[KindVar, str] = field(factory=dict)
    inputs: dict[str, str] = field(factory=dict)
    kind_names: Names = field(factory=Names)

    @contextmanager
    def binding_kinds(self, variables: Mapping[KindVar, str]) -> Iterator[None]:
        outer = self.kinds
        self.kinds = {**outer, **variables}
        yield
        self.kinds = outer

    def bindings(self, variables: Mapping[KindVar, str], span: Span) -> tuple[ast.KindBinding, ...]:
        return tuple(
            # The number of the persons on a roster is bound by the type of their table.
            [
                ast.KindBinding(span, name, variable.kind)
                for variable, name in variables.items()
                if variable.kind is not Kind.NAT or roster_of(Quantity.var(variable)) is None
            ]
        )

    # -----------------------------------------------------------------------------------------------------------------
    # Quantities

    def quantity(self, quantity: Quantity, span: Span) -> ast.RExp:
        """A number; it is read back from its text, which is that of the language."""
        strangers = [variable.name for variable in quantity.variables() if variable not in self.kinds]
        if strangers:
            raise Unwritable(span, f"a number that depends on {', '.join(sorted(strangers))}, which has no name here")
        # A word of the language is a name only where the program binds it, which the text of a number alone does not show.
        names = {variable: self.kinds[variable] for variable in quantity.variables()}
        plain = {variable: f"{name}_" if name in WORDS else name for variable, name in names.items()}
        if len(set(plain.values())) < len(plain):
            raise Unwritable(span, "a number that depends on sizes with names that are words of the language")
        mapping = {variable: Quantity.var(KindVar.fresh(name, variable.kind)) for variable, name in plain.items()}
        text = _decimal(quantity) or quantity.substitute(mapping).show()
        read, problems = parse_rexp_text(Source("number", text))
        if read is None or problems:
            raise Unwritable(span, "a number that cannot be written in the language")
        return _called(read, {plain[variable]: name for variable, name in names.items()})

    def size(self, quantity: Quantity, span: Span) -> ast.RExp:
        """A number of things, which is written without a quotient and without a root."""
        written = self.quantity(quantity, span)
        pending = [written]
        while pending:
            here = pending.pop()
            if isinstance(here, ast.RBin) and here.op != "/":
                pending += [here.left, here.right]
            elif not isinstance(here, ast.RVar) and not (isinstance(here, ast.RNum) and here.value.denominator == 1):
                raise Unwritable(span, f"the size {quantity.show()}")
        return written

    # -----------------------------------------------------------------------------------------------------------------
    # Types

    def type(self, type_: t.Type, span: Span) -> ast.Type:
        match type_:
            case t.Nat() | t.Real() | t.Bool() | t.Str() | t.Date():
                return ast.TBase(span, _BASE[type(type_)])
            case t.StaticNat(value):
                return ast.TStaticNat(span, self.size(value, span))
            case t.StaticReal(value):
                return ast.TStaticReal(span, self.quantity(value.magnitude, span), value.negative, value.negative)
            case t.Idx(size):
                return ast.TIdx(span, self.size(size, span))
            case t.Disc(t.Bounded(low, high)) | t.Maybe(t.Disc(t.Bounded(low, high))):
                return ast.TWithin(span, self.type(t.unbounded(type_), span), self.end(low, span), self.end(high, span))
            case t.Bounded():
                raise Unwritable(span, "real numbers in a range")
            case t.Disc(inner):
                return ast.TDisc(span, self.type(inner, span))
            case t.Maybe(inner):
                return ast.TMissing(span, self.type(inner, span))
            case t.Matrix() if (persons := persons_of(type_)) is not None and persons.roster is not None:
                files = [ast.FieldType(span, name, self.type(file, span)) for name, file in persons.files]
                identifier = ast.FieldType(span, str(persons.identifier.name), self.type(persons.identifier.type, span))
                return ast.TPersons(span, identifier, tuple(files), ast.Roster(span, self.inputs[persons.roster]))
            case t.Matrix(norm, clip, rows, schema):
                length = None if rows is None else self.size(rows, span)
                return ast.TMatrix(span, norm, self.clip(clip, span), length, self.schema(schema, span))
            case t.SetOf(element):
                return ast.TSet(span, self.type(element, span))
            case t.Sum(left, right):
                return ast.TBinary(span, "+", self.type(left, span), self.type(right, span))
            case t.Product(left, right):
                return ast.TBinary(span, "×", self.type(left, span), self.type(right, span))
            case t.With(left, right):
                return ast.TBinary(span, "&", self.type(left, span), self.type(right, span))
            case t.Box():
                return self.box(type_, span)
            case t.Fun():
                return self.function(type_, span)
            case t.PFun():
                return self.private_function(type_, span)
            case t.TypeVar(var):
                return ast.TVar(span, self.variable(var, span))
            case t.Poison():
                raise AssertionError("a program with errors has no core")
            case _:
                assert_never(type_)

    def end(self, number: Fraction, span: Span) -> ast.End:
        return ast.End(span, number < 0, self.quantity(Quantity.of(abs(number)), span))

    def variable(self, variable: KindVar, span: Span) -> str:
        if variable not in self.kinds:
            raise Unwritable(span, f"the type {variable.name}, which has no name here")
        return self.kinds[variable]

    def clip(self, clip: t.Clip | None, span: Span) -> ast.ClipBound:
        if clip is None:
            return ast.ClipBound(span, None, None)
        return ast.ClipBound(span, clip.norm, None if clip.bound == ONE else self.quantity(clip.bound, span))

    def schema(self, schema: t.Schema, span: Span) -> ast.Schema:
        match schema:
            case t.Uniform(count, element):
                default = _default(schema.default, span)
                return ast.SUniform(span, self.size(count, span), self.type(element, span), default)
            case t.Columns(columns):
                written: ast.Schema = ast.SEmpty(span)
                for column in reversed(columns):
                    default = _default(column.default, span)
                    written = ast.SCons(span, column.name, self.type(column.type, span), written, default)
                return written
            case t.SchemaVar(var, is_discrete):
                return ast.SVar(span, self.variable(var, span), is_discrete)
            case _:
                assert_never(schema)

    def box(self, box: t.Box, span: Span) -> ast.TBox:
        entries: list[ast.BoxEntry] = []
        for root, factor in box.debt.entries.items():
            # Aligned parameters are one input, which any of them names.
            name = self.inputs.get(root.name.partition("+")[0])
            if name is None:
                raise Unwritable(span, f"a cost of {root.name}, which is not a parameter here")
            entries.append(ast.BoxEntry(span, name, self.quantity(factor, span)))
        return ast.TBox(span, tuple(entries), self.type(box.inner, span))

    def function(self, function: t.Fun, span: Span) -> ast.TFun:
        if function.conditions or (function.is_held and function.kinds):
            raise Unwritable(span, "a function that has side conditions, or sizes that are not given yet")
        bound = {variable: self.kind_names.give(variable.name) for variable in function.kinds}
        with self.binding_kinds(bound):
            domain, codomain = self.type(function.domain, span), self.type(function.codomain, span)
            slope = self.quantity(function.sensitivity, span)
        return ast.TFun(span, self.bindings(bound, span), domain, slope, codomain)

    def private_function(self, function: t.PFun, span: Span) -> ast.TPFun:
        units = [parameter.unit for parameter in function.parameters]
        if function.conditions or function.notion is not self.notion or len(set(units)) < len(units):
            raise Unwritable(span, "a privacy function with side conditions, with aligned tables or in another notion")
        bound = {variable: self.kind_names.give(variable.name) for variable in function.kinds}
        with self.binding_kinds(bound):
            params = tuple(
                [
                    ast.PrivateParam(span, self.type(parameter.type, span), self.cost(parameter.cost, span))
                    for parameter in function.parameters
                ]
            )
            codomain = self.type(function.codomain, span)
        return ast.TPFun(span, self.bindings(bound, span), params, codomain)

    def cost(self, cost: costs.Cost, span: Span) -> ast.CostExp:
        match cost:
            case costs.Zero():
                return ast.CostExp(span, (ast.RNum(span, Fraction(0), False),))
            case costs.NonPrivate():
                return ast.CostExp(span, (ast.RInf(span),))
            case costs.Given(notion, params) if notion in (self.notion, self.notion.info.alone):
                return ast.CostExp(span, tuple([self.quantity(param, span) for param in params]))
            case _:
                raise Unwritable(span, "an inferred cost that no type can state")


def _called(written: ast.RExp, names: Mapping[str, str]) -> ast.RExp:
    """A number with its variables called by other names."""
    if isinstance(written, ast.RVar):
        return evolve(written, name=names[written.name])
    return map_children(written, ast.Node, lambda inner: _called(cast(ast.RExp, inner), names))


def _default(value: Fraction | bool | None, span: Span) -> ast.Default | None:
    if value is None:
        return None
    is_whole = isinstance(value, Fraction) and value.denominator == 1
    return ast.Default(span, int(value) if is_whole else value)


def _decimal(quantity: Quantity) -> str | None:
    """A number in decimals of any length, which has an exponent where it is far from 1."""
    number = quantity.constant
    if number is None:
        return None
    twos, fives = (multiplicity(number.denominator, factor) for factor in (2, 5))
    if number.denominator != 2**twos * 5**fives:
        return None
    return number_text(Fraction(number), number.denominator != 1 or number >= 10**MAX_DIGITS)


_BASE: dict[type[t.Type], str] = {t.Nat: "ℕ", t.Real: "ℝ", t.Bool: "𝔹", t.Str: "𝕊", t.Date: "Date"}
