"""Subtyping and coercion, against the independent metric: a value may only stand where it belongs, at a distance that is charged.

τ ≤ σ must mean that every value of τ is one of σ, and that σ's distance is nowhere larger; a coercion at c may stretch
distances by c, no more.
"""

from __future__ import annotations

import random
from datetime import date
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import pytest

from duetpy.grammar.ast import Norm
from duetpy.typecheck import types as t
from duetpy.typecheck.show import show_type
from duetpy.typecheck.subtype import coerce, is_subtype, join_types, widen
from tests.effort import often
from tests.soundness.drawing import Drawer
from tests.soundness.metrics import columns_of, distance
from tests.soundness.plain import Left, Table
from tests.typecheck.judging import accepted, errors

SCALARS = [
    "ℕ",
    "ℝ",
    "𝔻",
    "𝔹",
    "𝕊",
    "𝐝 ℕ",
    "𝐝 𝔹",
    "𝐝 𝕊",
    "Date",
    "𝐝 Date",
    "ℕ[2]",
    "ℕ[3]",
    "ℝ⁺[2]",
    "ℝ[-2.0]",
    "𝕀[2]",
    "𝕀[5]",
]
MISSING = ["ℝ?", "𝔻?", "ℕ?", "𝐝 ℕ?", "𝔹?", "𝕊?", "Date?", "record[a : 𝔻]?", "record[a : ℝ, b : ℕ]?"]
SETS = ["℘(ℕ)", "℘(𝔻)", "℘(𝕀[2])", "℘(𝐝 ℕ)"]
PAIRS = ["ℕ × ℝ", "ℕ[2] × ℝ", "ℝ × ℝ", "𝔻 × ℕ", "ℝ & ℝ", "ℝ⁺[2] & ℝ", "ℝ + ℝ", "ℝ + ℝ⁺[2]", "𝐝 (ℕ × ℕ)"]
TABLES = [
    f"𝕄 [{norm}, {clip} | {rows}, 2⋅{element}]"
    for norm, clip, rows, element in product(("L1", "L2", "L∞"), ("U", "L2", "L2≤3", "L∞"), ("2", "★"), ("𝔻", "ℝ"))
]
OTHERS = [
    "𝕄 [L∞, U | 3, 2⋅𝔻]",
    "𝕄 [L∞, U | 2, 3⋅𝔻]",
    "𝕄 [L∞, U | 2, 𝔻 ∷ 𝔻 ∷ []]",
    "𝕄 [L∞, U | 2, a : 𝔻 ∷ b : 𝔻 ∷ []]",
    "𝕄 [L∞, U | 2, a : 𝔻 ∷ b : ℝ ∷ []]",
    "𝕄 [L∞, U | ★, a : 𝔻 ∷ b : 𝐝 𝕊 ∷ []]",
    "𝕄 [L1, U | ★, 2⋅ℕ]",
    "𝕄 [L1, U | 2, 2⋅ℕ]",
    "𝕄 [L1, U | 2, 2⋅ℝ⁺[2]]",
    "record[a : ℝ, b : ℕ]",
    "record[b : ℕ, a : ℝ]",
    "record[a : ℝ⁺[2], b : ℕ]",
]


def elaborated(text: str) -> t.Type:
    type_ = accepted(f"sλ . x : {text} ⇒ 1.0")
    assert isinstance(type_, t.Fun)
    return type_.domain


TYPES = [elaborated(text) for text in (*SCALARS, *MISSING, *SETS, *PAIRS, *TABLES, *OTHERS)]


@cache
def ordered() -> list[tuple[t.Type, t.Type]]:
    return [(left, right) for left, right in product(TYPES, TYPES) if is_subtype(left, right)]


@cache
def priced() -> list[tuple[t.Type, t.Type]]:
    return [(left, right) for left, right in product(TYPES, TYPES) if coerce(left, right) is not None]


def shown(value: object) -> str | None:
    return show_type(value) if not isinstance(value, Fraction) else None


def belongs(type_: t.Type, value: Any) -> bool:
    """Whether a plain value is one of a type."""
    match type_:
        case t.Nat():
            return isinstance(value, int) and not isinstance(value, bool) and value >= 0
        case t.Real():
            return isinstance(value, Fraction | float)
        case t.Bool():
            return isinstance(value, bool)
        case t.Date():
            return isinstance(value, date)
        case t.Str():
            return isinstance(value, str)
        case t.StaticNat(number):
            return belongs(t.NAT, value) and value == number.constant
        case t.StaticReal(number):
            return value == (-number.magnitude.constant if number.negative else number.magnitude.constant)
        case t.Idx(size):
            return belongs(t.NAT, value) and value < size.constant
        case t.Maybe(inner):
            return value is None or belongs(inner, value)
        case t.Disc(inner):
            return belongs(inner, value)
        case t.SetOf(element):
            return all(belongs(element, item) for item in value)
        case t.Product(left, right) | t.With(left, right):
            return belongs(left, value[0]) and belongs(right, value[1])
        case t.Sum(left, right):
            return belongs(left if isinstance(value, Left) else right, value.value)
        case t.Matrix():
            return fits_table(type_, value)
        case _:
            raise AssertionError(type_)


def fits_table(type_: t.Matrix, value: Table) -> bool:
    if value.width != type_.width.constant or (type_.rows is not None and len(value.rows) != type_.rows.constant):
        return False
    if isinstance(type_.schema, t.Columns) and any(column.name is not None for column in type_.schema.columns):
        wanted = [column.name for column in type_.schema.columns]
        if any(name not in (None, has) for name, has in zip(wanted, value.names or [None] * value.width, strict=True)):
            return False
    columns = columns_of(type_, value.width)
    return all(
        all(belongs(column, entry) for column, entry in zip(columns, row, strict=True)) and in_ball(type_.clip, row)
        for row in value.rows
    )


def in_ball(clip: t.Clip | None, row: tuple[Any, ...]) -> bool:
    if clip is None:
        return True
    bound = clip.bound.constant
    assert bound is not None
    match clip.norm:
        case Norm.L1:
            return sum(abs(entry) for entry in row) <= bound
        case Norm.L2:
            return sum(entry**2 for entry in row) <= bound**2
        case Norm.LINF:
            return all(abs(entry) <= bound for entry in row)


def moves(type_: t.Type, count: int) -> list[tuple[Any, Any]]:
    drawer = Drawer(random.Random(3))
    pairs = []
    for _ in range(count):
        value = drawer.draw(type_)
        pairs.append((value, drawer.move(type_, value)))
    return pairs


@pytest.mark.parametrize("type_", TYPES, ids=shown)
def test_drawn_values_belong(type_: t.Type) -> None:
    assert all(belongs(type_, value) for pair in moves(type_, 25) for value in pair)


def test_subtyping_is_reflexive() -> None:
    assert all(is_subtype(type_, type_) for type_ in TYPES)


def test_subtyping_is_transitive() -> None:
    above: dict[t.Type, list[t.Type]] = {}
    for left, right in ordered():
        above.setdefault(left, []).append(right)
    for left, rights in above.items():
        for middle in rights:
            assert all(is_subtype(left, right) for right in above[middle])


def test_the_order_is_not_trivial() -> None:
    assert len(ordered()) > 2 * len(TYPES)
    assert len(priced()) > len(ordered())


def test_what_is_below_belongs_and_is_no_further_apart() -> None:
    for left, right in ordered():
        for first, second in moves(left, often(6, 3)):
            assert belongs(right, first), (show_type(left), show_type(right), first)
            assert float(distance(right, first, second)) <= float(distance(left, first, second)) * (1 + 1e-12)


def test_a_coercion_costs_what_it_stretches() -> None:
    for left, right in priced():
        price = coerce(left, right)
        assert price is not None
        for first, second in moves(left, often(6, 3)):
            assert belongs(right, first), (show_type(left), show_type(right), first)
            if price.is_infinite:
                continue
            factor = float(price.evaluate({}, up=True))
            stretched, before = distance(right, first, second), distance(left, first, second)
            assert float(stretched) <= factor * float(before) * (1 + 1e-12), (show_type(left), show_type(right))


def test_a_join_is_above_both() -> None:
    joined = 0
    for left, right in product(TYPES, TYPES):
        found = join_types(left, right)
        if found is not None:
            joined += 1
            assert is_subtype(left, found)
            assert is_subtype(right, found)
    assert joined > len(ordered())


def test_a_widened_type_is_above() -> None:
    assert all(is_subtype(type_, widen(type_)) for type_ in TYPES)


FUNCTIONS = [
    ("ℝ ⊸[1] ℝ", "ℝ ⊸[2] ℝ", True),
    ("ℝ ⊸[2] ℝ", "ℝ ⊸[1] ℝ", False),
    ("ℝ ⊸[1] ℝ", "ℝ⁺[2] ⊸[1] ℝ", True),
    ("ℝ⁺[2] ⊸[1] ℝ", "ℝ ⊸[1] ℝ", False),
    ("ℝ ⊸[1] ℕ[2]", "ℝ ⊸[1] ℕ", True),
    ("ℝ ⊸[1] ℕ", "ℝ ⊸[1] ℕ[2]", False),
    ("ℝ ⊸[1] ℝ", "ℝ ⊸[∞] ℝ", True),
    ("ℝ ⊸[0] ℝ", "ℝ ⊸[1] ℝ", True),
    ("∀ n : ℕ . ℕ[n] ⊸[n] ℝ", "∀ m : ℕ . ℕ[m] ⊸[m] ℝ", True),
    ("∀ n : ℕ . ℕ[n] ⊸[n] ℝ", "∀ m : ℕ . ℕ[m] ⊸[2⋅m] ℝ", True),
    ("∀ n : ℕ . ℕ[n] ⊸[n] ℝ", "∀ m : ℕ . ℕ[m] ⊸[1] ℝ", False),
    ("∀ n : ℕ . ℕ[n] ⊸[n] ℝ", "∀ n : ℝ⁺ . ℝ⁺[n] ⊸[n] ℝ", False),
    ("∀ n : ℕ . 𝕄 [L1, U | n, 1⋅ℝ] ⊸[1] ℝ", "∀ n : ℕ . 𝕄 [L1, L2 | n, 1⋅ℝ] ⊸[1] ℝ", True),
    ("∀ n : ℕ . 𝕄 [L∞, U | n, 1⋅ℝ] ⊸[1] ℝ", "∀ n : ℕ . 𝕄 [L1, U | n, 1⋅ℝ] ⊸[1] ℝ", True),
    ("∀ n : ℕ . 𝕄 [L1, U | n, 1⋅ℝ] ⊸[1] ℝ", "∀ n : ℕ . 𝕄 [L∞, U | n, 1⋅ℝ] ⊸[1] ℝ", False),
]


@pytest.mark.parametrize(("left", "right", "wanted"), FUNCTIONS)
def test_functions(left: str, right: str, wanted: bool) -> None:
    assert is_subtype(elaborated(left), elaborated(right)) == wanted


@pytest.mark.parametrize(
    ("left", "right"),
    [("box[x@1] ℝ", "box[x@2] ℝ"), ("box[x@1] ℝ⁺[2]", "box[x@1] ℝ"), ("box[ ] ℝ", "box[x@1] ℝ")],
)
def test_boxes_may_owe_less_than_they_say(left: str, right: str) -> None:
    passed = "sλ . x : ℝ ⇒ let f = sλ . b : {} ⇒ unbox b in let g = sλ . b : {} ⇒ f b in 1.0"
    accepted(passed.format(right, left))
    assert not_accepted(passed.format(left, right))


def not_accepted(text: str) -> bool:
    return bool(errors(text))
