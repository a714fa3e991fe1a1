"""Types in the surface syntax, as diagnostics and reports print them.

A function type claims nothing where its side conditions fail. The language has no syntax for them; they follow a bar, as in
``∀ m : ℕ | 2 ≤ m . τ``.
"""

from __future__ import annotations

from fractions import Fraction
from typing import assert_never

from duetpy.grammar.ast import Norm
from duetpy.grammar.labels import label_text
from duetpy.grammar.spelling import TWINS
from duetpy.typecheck import cost as costs
from duetpy.typecheck import types as t
from duetpy.typecheck.conditions import Condition, Promise
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.persons import Persons, columns_of, persons_of
from duetpy.typecheck.quantity import KindVar, Quantity, Signed
from duetpy.typecheck.rewriting import free_variables, with_binders
from duetpy.typecheck.stated import own


class _Spelling:
    def __init__(self, ascii_only: bool) -> None:
        self.ascii = ascii_only

    def __getitem__(self, sign: str) -> str:
        return TWINS.get(sign, sign) if self.ascii else sign

    def quantity(self, quantity: Quantity) -> str:
        return quantity.show(self.ascii)

    def norm(self, norm: Norm) -> str:
        return self["L∞"] if norm is Norm.LINF else norm.value

    def clip(self, clip: t.Clip | None) -> str:
        if clip is None:
            return "U"
        if clip.bound == Quantity.of(1):
            return self.norm(clip.norm)
        return f"{self.norm(clip.norm)}{self['≤']}{self.quantity(clip.bound)}"

    def schema(self, schema: t.Schema) -> str:
        match schema:
            case t.Uniform(count, element):
                shown = self.quantity(count)
                shown = f"({shown})" if " + " in shown else shown
                return f"{shown}{self['⋅']}{self.atom(element)}"
            case t.Columns(columns):
                return "".join(f"{self.column(column)} {self['∷']} " for column in columns) + "[]"
            case t.SchemaVar(var, is_discrete):
                return f"{self['𝐝']} {var.name}" if is_discrete else var.name
            case _:
                assert_never(schema)

    def column(self, column: t.Column) -> str:
        return (
            self.type(column.type) if column.name is None else f"{label_text(column.name)} : {self.type(column.type)}"
        )

    def kinds(self, kinds: tuple[KindVar, ...], conditions: tuple[Condition, ...]) -> str:
        if not kinds:
            return ""
        bound = ", ".join(f"{var.name} : {self[var.kind.value]}" for var in kinds)
        stated = ", ".join(self.condition(each) for each in conditions if each.is_of_user)
        return f"{self['∀']} {bound}{' | ' if stated else ''}{stated} . "

    def condition(self, condition: Condition) -> str:
        shown = condition.show(self.ascii)
        return f"ensures {shown}" if isinstance(condition, Promise) else shown

    def atom(self, type_: t.Type) -> str:
        shown = self.type(type_)
        return (
            f"({shown})"
            if isinstance(type_, t.Sum | t.Product | t.With | t.Fun | t.PFun | t.Box | t.Disc)
            and t.unbounded(type_) != t.DATA
            else shown
        )

    def type(self, type_: t.Type) -> str:
        match type_:
            case t.Nat():
                return self["ℕ"]
            case t.Real():
                return self["ℝ"]
            case t.Bool():
                return self["𝔹"]
            case t.Str():
                return self["𝕊"]
            case t.Date():
                return "Date"
            case t.StaticNat(value):
                return f"{self['ℕ']}[{self.quantity(value)}]"
            case t.StaticReal(value):
                if value.negative:
                    return f"{self['ℝ']}[{value.show(self.ascii)}]"
                return f"{self['ℝ⁺']}[{value.show(self.ascii)}]"
            case t.Idx(size):
                return f"{self['𝕀']}[{self.quantity(size)}]"
            case t.Disc(t.Real()):
                return self["𝔻"]
            case t.Disc(t.Bounded(low, high)):
                return f"{self['𝔻']} in {self.ends(low, high)}"
            case t.Bounded(low, high):
                return f"{self['ℝ']} in {self.ends(low, high)}"
            case t.Disc(inner):
                shown = self.atom(inner)
                return f"{self['𝐝']} ({shown})" if isinstance(inner, t.Maybe) else f"{self['𝐝']} {shown}"
            case t.Maybe(t.Disc(t.Bounded(low, high))):
                return f"{self['𝔻']}? in {self.ends(low, high)}"
            case t.Maybe(inner):
                # A 𝐝 before it is taken in.
                return f"{self.type(inner) if isinstance(inner, t.Disc) else self.atom(inner)}?"
            case t.Matrix(norm, clip, rows, schema):
                persons = persons_of(type_)
                if persons is not None:
                    return self.persons(persons)
                shown_rows = self["★"] if rows is None else self.quantity(rows)
                return f"{self['𝕄']} [{self.norm(norm)}, {self.clip(clip)} | {shown_rows}, {self.schema(schema)}]"
            case t.SetOf(element):
                return f"{self['℘']}({self.type(element)})"
            case t.Sum(left, right):
                return f"{self.atom(left)} + {self.atom(right)}"
            case t.Product(left, right):
                return f"{self.atom(left)} {self['×']} {self.atom(right)}"
            case t.With(left, right):
                return f"{self.atom(left)} & {self.atom(right)}"
            case t.Box(debt, inner):
                entries = ", ".join(f"{root.name}@{self.quantity(s)}" for root, s in debt.entries.items())
                return f"box[{entries or ' '}] {self.atom(inner)}"
            case t.Fun() | t.PFun() if (named := _named_apart(type_)) is not type_:
                return self.type(named)
            case t.Fun(kinds, _, domain, sensitivity, codomain, conditions):
                arrow = f"{self['⊸']}[{self.quantity(sensitivity)}]"
                return f"{self.kinds(kinds, conditions)}{self.atom(domain)} {arrow} {self.type(codomain)}"
            case t.PFun(kinds, parameters, codomain, notion, conditions):
                units: dict[int, list[t.PrivateParameter]] = {}
                for parameter in parameters:
                    units.setdefault(parameter.unit, []).append(parameter)
                shown = ", ".join(self.unit(members, notion) for members in units.values())
                binders = self.kinds(kinds, conditions) or (f"{self['∀']} . " if len(units) > 1 else "")
                return f"{binders}{shown} {self['⊸⋆']} {self.type(codomain)}"
            case t.TypeVar(var):
                return var.name
            case t.Poison():
                return "?"
            case _:
                assert_never(type_)

    def unit(self, members: list[t.PrivateParameter], notion: Notion) -> str:
        """A parameter and its cost; of aligned ones, for which the language has no type, all and their one cost."""
        types = ", ".join(self.atom(member.type) for member in members)
        shown = types if len(members) == 1 else f"{self['⟨']}{types}{self['⟩']}"
        return f"{shown}@{self.cost(members[0].cost, notion)}"

    def ends(self, low: Fraction, high: Fraction) -> str:
        return f"[{Signed.of(low).show(self.ascii)}, {Signed.of(high).show(self.ascii)}]"

    def persons(self, persons: Persons) -> str:
        """A table of persons as it was written."""
        files = [
            f"{label_text(name)} : {self['𝔻𝔽']}[{', '.join(map(self.column, columns_of(file)))}]"
            for name, file in persons.files
        ]
        roster = "" if persons.roster is None else f" in {persons.roster}"
        return f"persons[{self.column(persons.identifier)}{roster} | {', '.join(files)}]"

    def cost(self, cost: costs.Cost, notion: Notion) -> str:
        """A cost as far as it is plain without a price: 0, ∞, or what one mechanism was asked for."""
        match cost:
            case costs.Zero():
                return "0"
            case costs.NonPrivate():
                return self["∞"]
            case costs.Given(alone, params) if alone is notion.info.alone:
                return self.tuple(params)
            case costs.Given() | costs.Atom():
                known = own(cost, notion)
                return "…" if known is None else self.tuple(known)
            case _:
                return "…"

    def tuple(self, params: tuple[Quantity, ...]) -> str:
        shown = ", ".join(self.quantity(param) for param in params)
        return shown if len(params) == 1 else f"{self['⟨']}{shown}{self['⟩']}"


def _named_apart(function: t.Fun | t.PFun) -> t.Fun | t.PFun:
    """A function type whose binders are called otherwise than what is free in it: its own m is m_2 where another m is mentioned."""
    taken = {variable.name for variable in free_variables(function)} if function.kinds else set()
    if taken.isdisjoint(variable.name for variable in function.kinds):
        return function
    taken |= {variable.name for variable in function.kinds}
    renamed: list[KindVar] = []
    for variable in function.kinds:
        name, count = variable.name, 1
        while name in taken:
            count += 1
            name = f"{variable.name}_{count}"
        taken.add(name)
        renamed.append(KindVar.fresh(name, variable.kind))
    return with_binders(function, tuple(renamed))


def show_type(type_: t.Type, ascii: bool = False) -> str:
    """A type in the surface syntax, in Unicode or in ASCII."""
    return _Spelling(ascii).type(type_)
