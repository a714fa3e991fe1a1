"""Random programs on days and texts: functions of a few days, texts and numbers, or of a table of days and names."""

from __future__ import annotations

import random
from datetime import date

from attrs import field, frozen

from duetpy.grammar import ast
from duetpy.grammar.ast import Norm
from tests.soundness.shapes import SPAN, prim

TYPES: dict[str, ast.Type] = {
    "day": ast.TBase(SPAN, "Date"),
    "text": ast.TBase(SPAN, "𝕊"),
    "maybe": ast.TMissing(SPAN, ast.TBase(SPAN, "Date")),
    "natural": ast.TDisc(SPAN, ast.TBase(SPAN, "ℕ")),
    "number": ast.TDisc(SPAN, ast.TBase(SPAN, "ℝ")),
    "truth": ast.TBase(SPAN, "𝔹"),
    "table": ast.TMatrix(
        SPAN,
        Norm.LINF,
        ast.ClipBound(SPAN, None, None),
        None,
        ast.SCons(
            SPAN,
            "hired",
            ast.TBase(SPAN, "Date"),
            ast.SCons(
                SPAN,
                "name",
                ast.TBase(SPAN, "𝕊"),
                ast.SCons(SPAN, "left", ast.TMissing(SPAN, ast.TBase(SPAN, "Date")), ast.SEmpty(SPAN)),
            ),
        ),
    ),
}
DAYS = (date(1, 1, 1), date(2023, 12, 31), date(2024, 2, 29), date(9999, 12, 31))
WORDS = ("NY", "a", "", "12")


@frozen(eq=False)
class Days:
    """Makes expressions by the sort of their values; `scope` has the names of each sort."""

    random: random.Random
    scope: dict[str, list[ast.SExp]] = field(factory=dict)

    def leaf(self, sort: str) -> ast.SExp:
        known = self.scope.get(sort, ())
        if known and self.random.random() < 0.8:
            return self.random.choice(known)
        match sort:
            case "day":
                return ast.DateLit(SPAN, self.random.choice(DAYS))
            case "text":
                return ast.StrLit(SPAN, self.random.choice(WORDS))
            case "natural":
                return prim("disc", ast.NatLit(SPAN, self.random.randint(0, 3)))
            case "number":
                return prim("disc", ast.RealLit(SPAN, self.random.randint(-3, 40)))
            case "maybe":
                return ast.Nothing(SPAN, TYPES["day"])
            case _:
                return ast.BoolLit(SPAN, self.random.random() < 0.5)

    def of(self, sort: str, depth: int) -> ast.SExp:
        if depth <= 0 or self.random.random() < 0.15:
            return self.leaf(sort)
        if self.random.random() < 0.1:
            return ast.If(SPAN, *(self.of(part, depth - 1) for part in ("truth", sort, sort)))
        name, parts = self.random.choice(FORMS[sort])
        if name == "dates":
            # Few days: `add-days` bounds how many there are.
            first = self.of("day", depth - 1)
            last = prim("add-days", first, ast.NatLit(SPAN, self.random.randint(0, 3)))
            return prim("∈", self.of("day", depth - 1), prim("dates", first, last))
        return prim(name, *(self.of(part, depth - 1) for part in parts))


FORMS: dict[str, tuple[tuple[str, tuple[str, ...]], ...]] = {
    "day": (
        ("month-start", ("day",)),
        ("add-days", ("day", "natural")),
        ("add-days", ("day", "number")),
        ("or-else", ("maybe", "day")),
    ),
    "text": (
        ("prefix", ("natural", "text")),
        ("suffix", ("natural", "text")),
        ("lower", ("text",)),
        ("upper", ("text",)),
        ("trim", ("text",)),
        ("text", ("natural",)),
        ("text", ("truth",)),
        ("text", ("day",)),
    ),
    "natural": (
        ("year", ("day",)),
        ("month", ("day",)),
        ("day", ("day",)),
        ("weekday", ("day",)),
        ("length", ("text",)),
    ),
    "number": (("days", ("day", "day")), ("or-else", ("spelled", "number")), ("+", ("number", "number"))),
    "spelled": (("number", ("text",)),),
    "maybe": (("or-else", ("maybe", "maybe")),),
    "truth": (
        ("contains", ("text", "text")),
        ("starts", ("text", "text")),
        ("<", ("day", "day")),
        ("≤", ("day", "day")),
        ("≡", ("day", "day")),
        ("≡", ("text", "text")),
        ("∧", ("truth", "truth")),
        ("dates", ()),
        ("is-missing", ("maybe",)),
    ),
}
"""The forms by the sort of their values, with the sorts of their operands."""


def program(seed: int, depth: int = 4) -> ast.File:
    """A sensitivity function."""
    source = random.Random(seed)
    maker = Days(source)
    sorts = [
        source.choice(("day", "text", "day", "text", "maybe", "natural", "number")) for _ in range(source.randint(1, 3))
    ]
    if source.random() < 0.4:
        sorts.append("table")
    params: list[ast.Param] = []
    for name, sort in zip("xyzt", sorts, strict=False):
        params.append(ast.Param(SPAN, ast.Name(SPAN, name), TYPES[sort]))
        if sort != "table":
            maker.scope.setdefault(sort, []).append(ast.Var(SPAN, name))
    if sorts[-1] == "table":
        row = ast.Var(SPAN, "row")
        for column, sort in (("hired", "day"), ("name", "text"), ("left", "maybe")):
            maker.scope.setdefault(sort, []).append(ast.FieldOf(SPAN, row, ast.Name(SPAN, column)))
        kept = ast.Filter(SPAN, ast.Var(SPAN, params[-1].name.text), ast.Name(SPAN, "row"), maker.of("truth", depth))
        body: ast.SExp = prim("rows", kept)
    else:
        body = maker.of(source.choice(("day", "text", "natural", "number", "truth")), depth)
    return ast.File(SPAN, None, (), (), ast.Lam(SPAN, (), tuple(params), body))
