"""From written types to types: names become kind variables with identities, numerals become exact quantities."""

from __future__ import annotations

from fractions import Fraction
from typing import assert_never

from attrs import evolve

from duetpy.grammar import ast
from duetpy.grammar.ast import Kind, Norm
from duetpy.typecheck import persons, rewriting
from duetpy.typecheck import types as t
from duetpy.typecheck.cells import GREATEST_CELL, counted_together, may_be_missing
from duetpy.typecheck.context import Context
from duetpy.typecheck.cost import ZERO_COST, Cost, Given, NonPrivate
from duetpy.typecheck.errors import missing, names, privacy, sensitivity, shapes
from duetpy.typecheck.quantity import (
    INFINITY,
    ONE,
    KindVar,
    Quantity,
    QuantityTooLarge,
    Signed,
    exp,
    expm1,
    log,
    log1p,
    maximum,
    minimum,
    tanh,
)
from duetpy.typecheck.surroundings import Surroundings

_BASE: dict[str, t.Type] = {"ℕ": t.NAT, "ℝ": t.REAL, "𝔹": t.BOOL, "𝕊": t.STR, "Date": t.DATE, "𝔻": t.DATA}
NATURAL_CELLS = 2**53
"""Natural numbers in cells are below this."""

_FUNCTIONS = {"㏒": log, "exp": exp, "expm1": expm1, "log1p": log1p, "tanh": tanh}


def kind_binders(
    checker: Surroundings, bindings: tuple[ast.KindBinding, ...], *, is_given: bool = False
) -> dict[KindVar, str]:
    """Fresh identities for the kind variables of a binder, which has each name once, and the names as written; a run may be given
    the numbers."""
    seen: set[str] = set()
    for binding in bindings:
        if binding.name in seen:
            checker.report(names.kind_twice(binding.span, binding.name))
        seen.add(binding.name)
    binders = {
        KindVar.fresh(checker.scope.free_name(each.name), each.kind, is_given=is_given): each.name for each in bindings
    }
    for variable, name in binders.items():
        checker.hiding.pop(name, None)
        if variable.name != name:
            checker.hiding[variable.name] = name
    return binders


def quantity(checker: Surroundings, rexp: ast.RExp) -> Quantity:
    """The quantity that a type-level real stands for; an unbound name is reported and stands for ∞."""
    try:
        return _quantity(checker, rexp)
    except QuantityTooLarge:
        checker.report(names.quantity_too_large(rexp.span))
        return INFINITY


def _quantity(checker: Surroundings, rexp: ast.RExp) -> Quantity:
    match rexp:
        case ast.RVar(name=name):
            variable = checker.scope.lookup_kind(name)
            if variable is None:
                checker.report(names.unbound_kind(rexp.span, name, checker.scope))
                return INFINITY
            if variable.kind is Kind.TYPE:
                checker.report(names.wrong_kind(rexp.span, name, "a number", "a type"))
                return INFINITY
            return Quantity.var(variable)
        case ast.RNum(value=value):
            return Quantity.of(value)
        case ast.RInf():
            return INFINITY
        case ast.RBin(op=op, left=left, right=right):
            a, b = _quantity(checker, left), _quantity(checker, right)
            match op:
                case "⊔":
                    return maximum(a, b)
                case "⊓":
                    return minimum(a, b)
                case "+":
                    return a + b
                case "⋅":
                    return a * b
                case _:
                    return a / b
        case ast.RFun(op="√", arg=arg):
            return _quantity(checker, arg).sqrt()
        case ast.RFun(op=op, arg=arg):
            return _FUNCTIONS[op](_quantity(checker, arg))
        case _:
            assert_never(rexp)


def size(checker: Surroundings, rexp: ast.RExp) -> Quantity:
    """A type-level real where a whole number is wanted: the number of rows or columns, the value of an ℕ[·]."""
    if not _is_whole(checker, rexp):
        checker.report(names.wrong_kind(rexp.span, rexp.span.text, "a whole number (ℕ)", "a real number"))
        return INFINITY
    return quantity(checker, rexp)


def _is_whole(checker: Surroundings, rexp: ast.RExp) -> bool:
    match rexp:
        case ast.RVar(name=name):
            variable = checker.scope.lookup_kind(name)
            return variable is None or variable.kind is not Kind.POS
        case ast.RNum(value=value):
            return value.denominator == 1
        case ast.RBin(op=op, left=left, right=right):
            return op != "/" and _is_whole(checker, left) and _is_whole(checker, right)
        case _:
            return False


def clip(checker: Surroundings, bound: ast.ClipBound) -> t.Clip | None:
    if bound.norm is None:
        return None
    return t.Clip(bound.norm, ONE if bound.bound is None else quantity(checker, bound.bound))


def schema(checker: Surroundings, written: ast.Schema) -> t.Schema:
    """The columns of a matrix; a chain of ∷ is walked in a loop."""
    columns: list[t.Column] = []
    here = written
    while isinstance(here, ast.SCons):
        cell = type_(checker, here.element)
        columns.append(t.Column(here.name, cell, _default(checker, here.default, cell)))
        here = here.rest
    match here:
        case ast.SEmpty():
            tail: t.Schema = t.Columns(())
        case ast.SUniform(count=count, element=element):
            elements = type_(checker, element)
            tail = t.Uniform(size(checker, count), elements, _default(checker, here.default, elements))
        case ast.SVar(name=name, is_discrete=is_discrete):
            variable = checker.scope.lookup_kind(name)
            if variable is None or variable.kind is not Kind.TYPE:
                checker.report(names.unbound_kind(here.span, name, checker.scope))
                tail = t.Columns(())
            else:
                tail = t.SchemaVar(variable, is_discrete)
        case ast.SAppend(left=left, right=right):
            tail = _append(checker, schema(checker, left), schema(checker, right), here)
    whole = _append(checker, t.Columns(tuple(columns)), tail, written) if columns else tail
    if isinstance(whole, t.Columns):
        _names_differ(checker, whole, written)
    return whole


def _names_differ(checker: Surroundings, columns: t.Columns, node: ast.Node) -> None:
    """Each name is of one column, so that whatever looks for it finds the same one."""
    taken: set[str] = set()
    for column in columns.columns:
        if column.name in taken:
            checker.report(names.field_twice(node.span, column.name))
            return
        if column.name is not None:
            taken.add(column.name)


def _append(checker: Surroundings, left: t.Schema, right: t.Schema, node: ast.Node) -> t.Schema:
    """Columns side by side: n⋅τ is opened where n is a numeral, and equal uniform parts add up."""
    match left, right:
        case t.Columns(()), other:
            return other
        case other, t.Columns(()):
            return other
    counted = counted_together(left, right)
    if counted is not None:
        return counted
    opened: list[t.Column] = []
    for part in (left, right):
        match part:
            case t.Columns(columns):
                opened.extend(columns)
            case t.Uniform(count, element) if count.constant is not None and count.constant <= 1000:
                opened.extend(t.Column(None, element, part.default) for _ in range(int(count.constant)))
            case t.Uniform(count):
                checker.report(shapes.columns_without_number(node.span, "⧺", f"{count.show()} columns"))
                break
            case t.SchemaVar(variable):
                checker.report(shapes.columns_without_number(node.span, "⧺", f"the columns {variable.name}"))
            case _:
                assert_never(part)
    return t.Columns(tuple(opened))


def type_(checker: Surroundings, written: ast.Type) -> t.Type:
    """The type that a written type stands for. The parser bounds the nesting of written types."""
    match written:
        case ast.TBase(name=name):
            return _BASE[name]
        case ast.TVar(name=name):
            variable = checker.scope.lookup_kind(name)
            if variable is None:
                checker.report(names.unbound_kind(written.span, name, checker.scope))
                return t.POISON
            if variable.kind is not Kind.TYPE:
                checker.report(names.wrong_kind(written.span, name, "a type", "a number"))
                return t.POISON
            return t.TypeVar(variable)
        case ast.TStaticNat(value=value):
            return t.StaticNat(size(checker, value))
        case ast.TStaticReal(value=value, negative=negative):
            return t.StaticReal(Signed(negative, quantity(checker, value)))
        case ast.TIdx(size=count):
            return t.Idx(size(checker, count))
        case ast.TDisc(inner=inner):
            elaborated = type_(checker, inner)
            return elaborated if isinstance(elaborated, t.Disc) else t.Disc(elaborated)
        case ast.TMissing(inner=inner):
            return _maybe(checker, type_(checker, inner), written)
        case ast.TWithin():
            return _within(checker, type_(checker, written.inner), written)
        case ast.TMatrix():
            return _matrix(checker, written)
        case ast.TBag(element=element):
            return bag_of(type_(checker, element))
        case ast.TSet(element=element):
            inside = type_(checker, element)
            if not t.is_separated(inside) and not t.is_poisoned(inside) and not rewriting.free_variables(inside):
                checker.report(sensitivity.set_of_reals(written.span))
            return t.SetOf(inside)
        case ast.TRecord(fields=fields):
            return t.Matrix(Norm.LINF, None, ONE, _named(checker, fields))
        case ast.TFrame(fields=fields):
            return t.Matrix(Norm.LINF, None, None, _named(checker, fields))
        case ast.TPersons():
            return _persons(checker, written)
        case ast.TBinary(op=op, left=left, right=right):
            first, second = type_(checker, left), type_(checker, right)
            match op:
                case "+":
                    return t.Sum(first, second)
                case "×":
                    return t.Product(first, second)
                case _:
                    return t.With(first, second)
        case ast.TBox(entries=entries, inner=inner):
            return _box(checker, entries, inner)
        case ast.TFun(kinds=kinds, domain=domain, sensitivity=slope, codomain=codomain):
            variables = kind_binders(checker, kinds)
            with checker.scope.binding_kinds(variables):
                return t.Fun(
                    tuple(variables),
                    "argument",
                    type_(checker, domain),
                    quantity(checker, slope),
                    type_(checker, codomain),
                    rounding=checker.allowed,
                )
        case ast.TPFun(kinds=kinds, params=params, codomain=codomain):
            variables = kind_binders(checker, kinds)
            with checker.scope.binding_kinds(variables):
                parameters = tuple(
                    t.PrivateParameter(f"argument {i + 1}", type_(checker, p.type), written_cost(checker, p.cost), i)
                    for i, p in enumerate(params)
                )
                return t.PFun(tuple(variables), parameters, type_(checker, codomain), checker.notion)
        case _:
            assert_never(written)


def _maybe(checker: Surroundings, inner: t.Type, written: ast.TMissing) -> t.Type:
    """τ?, of what a cell or a record may hold."""
    if isinstance(inner, t.Poison) or may_be_missing(inner):
        return t.POISON if isinstance(inner, t.Poison) else t.Maybe(inner)
    checker.report(missing.cannot_be_missing(written.span, inner))
    return t.POISON


def _within(checker: Surroundings, inner: t.Type, written: ast.TWithin) -> t.Type:
    """𝔻 in [a, b], and (𝔻 in [a, b])?: the ends are numbers that stand in the program."""
    cell = inner.inner if isinstance(inner, t.Maybe) else inner
    if cell != t.DATA:
        if not isinstance(cell, t.Poison):
            checker.report(shapes.no_range(written.inner.span, inner))
        return inner
    low, high = _end(written.low), _end(written.high)
    if low is None or high is None:
        wrong = written if low is high else written.low if low is None else written.high
        checker.report(shapes.end_not_a_number(wrong.span))
        return t.POISON
    if low > high:
        checker.report(shapes.range_reversed(written.span, Signed.of(low).show(), Signed.of(high).show()))
    bounded = t.Disc(t.Bounded(min(low, high), max(low, high)))
    return t.Maybe(bounded) if isinstance(inner, t.Maybe) else bounded


def _end(written: ast.End) -> Fraction | None:
    """The number, if a cell can be it; else None."""
    if not isinstance(written.size, ast.RNum) or written.size.value > GREATEST_CELL:
        return None
    return -Fraction(written.size.value) if written.negative else Fraction(written.size.value)


def _persons(checker: Surroundings, written: ast.TPersons) -> t.Type:
    """A row for each person: the identifier, and the rows of each file as one discrete value."""
    identifier = t.Column(written.identifier.name, type_(checker, written.identifier.type))
    files = [t.Column(file.name, type_(checker, file.type)) for file in written.files]
    if any(t.is_poisoned(column.type) for column in (identifier, *files)):
        return t.POISON
    if not persons.identifies(identifier.type):
        checker.report(shapes.not_an_identifier(written.identifier.span, identifier.type))
        return t.POISON
    if written.identifier.default is not None:
        # A line whose identifier is bad is nobody's.
        checker.report(shapes.no_default(written.identifier.default.span, identifier.type))
    for file, column in zip(written.files, files, strict=True):
        _default(checker, file.default, column.type)
        if not persons.is_file(column.type):
            checker.report(shapes.not_a_file(file.span, file.name, column.type))
            return t.POISON
        if isinstance(file.type, ast.TFrame) and any(field.name == identifier.name for field in file.type.fields):
            checker.report(names.field_twice(file.span, written.identifier.name))
    blocks = t.Columns((identifier, *(t.Column(column.name, t.Disc(column.type)) for column in files)))
    _names_differ(checker, blocks, written)
    if written.roster is None:
        return t.Matrix(Norm.LINF, None, None, blocks)
    number = checker.scope.lookup_kind(persons.size_of(written.roster.name))
    if number is None:
        # Only what is bound to data has a roster.
        checker.report(names.no_roster(written.roster.span, written.roster.name))
        return t.POISON
    return t.Matrix(Norm.LINF, None, Quantity.var(number), blocks)


def _matrix(checker: Surroundings, written: ast.TMatrix) -> t.Matrix:
    rows = None if written.rows is None else size(checker, written.rows)
    made = t.Matrix(written.norm, clip(checker, written.clip), rows, schema(checker, written.schema))
    counts = [] if rows is None else [rows]
    if isinstance(made.schema, t.Uniform) or isinstance(written.schema, ast.SEmpty):
        counts.append(made.width)
    for count in counts:
        if count.constant == 0:
            checker.obligate(ONE, "≤", count, "a matrix has at least one row and column", written.span)
    return made


def bag_of(element: t.Type) -> t.Type:
    """``bag τ``: the ★ table whose rows are the elements, or whose one column holds them where they are no rows.

    The distance is that of the table, so bags and tables are the same thing under two names.
    """
    if isinstance(element, t.Matrix) and element.rows == ONE:
        return evolve(element, rows=None)
    return t.Matrix(Norm.LINF, None, None, t.Uniform(ONE, element))


def _named(checker: Surroundings, fields: tuple[ast.FieldType, ...]) -> t.Columns:
    """The columns of a record, which is one row of a table, and of a data frame, which is a table of such rows."""
    seen: set[str] = set()
    for field in fields:
        if field.name in seen:
            checker.report(names.field_twice(field.span, field.name))
        seen.add(field.name)
    columns: list[t.Column] = []
    for field in fields:
        element = type_(checker, field.type)
        columns.append(t.Column(field.name, element, _default(checker, field.default, element)))
    return t.Columns(tuple(columns))


def _default(checker: Surroundings, written: ast.Default | None, element: t.Type) -> Fraction | bool | None:
    """What stands in the place of a bad cell: a value of the column, whose type leaves it open."""
    if written is None:
        return None
    value = written.value if isinstance(written.value, bool) else Fraction(written.value)
    cell = element.inner if isinstance(element, t.Disc) else element
    match cell:
        case t.Bool() if isinstance(value, bool):
            return value
        case t.Real() if not isinstance(value, bool) and abs(value) <= GREATEST_CELL:
            return value
        case t.Bounded(low, high) if not isinstance(value, bool) and low <= value <= high:
            return value
        case t.Nat() | t.Idx() if not isinstance(value, bool) and value.denominator == 1 and 0 <= value < NATURAL_CELLS:
            if isinstance(cell, t.Idx):
                what = "the default of a column of indices lies below their number"
                checker.obligate(Quantity.of(value), "<", cell.size, what, written.span)
            return value
        case t.Poison():
            return None
        case _:
            checker.report(shapes.no_default(written.span, element))
            return None


def _box(checker: Surroundings, entries: tuple[ast.BoxEntry, ...], inner: ast.Type) -> t.Type:
    debt = Context()
    for entry in entries:
        known = checker.scope.lookup(entry.name)
        if known is None:
            checker.report(names.unbound(entry.span, entry.name, checker.scope))
            return t.POISON
        debt = debt + known.context.scaled(quantity(checker, entry.factor))
    return t.Box(evolve(debt, rounding=checker.allowed), type_(checker, inner))


def written_cost(checker: Surroundings, written: ast.CostExp) -> Cost:
    """The cost that a privacy-function type states, in the notion of the file."""
    parts = tuple(quantity(checker, part) for part in written.parts)
    if all(part.is_zero for part in parts):
        return ZERO_COST
    if any(part.is_infinite for part in parts):
        return NonPrivate("is stated as ∞ in a type")
    wanted = len(checker.notion.letters)
    if len(parts) == 1 < wanted and checker.notion.info.alone is not None:
        return Given(checker.notion.info.alone, parts)
    if len(parts) != wanted:
        checker.report(privacy.wrong_cost_parts(written.span, checker.notion, wanted, len(parts)))
        return NonPrivate("has a malformed cost")
    return Given(checker.notion, parts)
