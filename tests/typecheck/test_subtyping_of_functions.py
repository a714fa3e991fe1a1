"""Where functions, boxes and tables of unknown size may stand for others: each comparison on the way is needed."""

from __future__ import annotations

import pytest
from attrs import evolve

from duetpy.grammar.ast import Norm
from duetpy.source import Source, Span
from duetpy.typecheck import types as t
from duetpy.typecheck.conditions import Obligation
from duetpy.typecheck.context import EMPTY, Context, Root
from duetpy.typecheck.cost import Given
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import INFINITY, ONE, Kind, KindVar, Quantity, Signed
from duetpy.typecheck.subtype import coerce, is_subtype, join_types
from tests.typecheck.judging import errors, sensitivities

COST = Given(Notion.PURE, (ONE,))


def released(*units: int, notion: Notion = Notion.PURE) -> t.PFun:
    """A privacy function whose parameters belong to the units that are numbered."""
    return t.PFun((), tuple(t.PrivateParameter("x", t.REAL, COST, unit) for unit in units), t.REAL, notion)


def test_parameters_that_move_together_are_not_parameters_that_move_alone() -> None:
    assert is_subtype(released(0, 0), released(0, 0))
    assert not is_subtype(released(0, 1), released(0, 0))
    assert not is_subtype(released(0, 0), released(0, 1))


def test_each_parameter_takes_what_is_given_and_costs_no_more() -> None:
    """That one of them does says nothing about the others."""
    both = released(0, 1)
    more = Given(Notion.PURE, (Quantity.of(2),))
    first, second = both.parameters
    for change in ({"cost": more}, {"type": t.StaticReal(Signed.of(3))}):
        for parameters in ((evolve(first, **change), second), (first, evolve(second, **change))):
            other = evolve(both, parameters=parameters)
            assert is_subtype(both, other)
            assert not is_subtype(other, both)


def test_a_function_is_of_one_notion() -> None:
    assert not is_subtype(released(0), released(0, notion=Notion.ZCDP))
    assert join_types(released(0), released(0, notion=Notion.APPROX)) is None


def test_a_function_that_releases_less_is_none_that_releases_more() -> None:
    """What the type says about the result must be true of it."""
    real, three = released(0), evolve(released(0), codomain=t.StaticReal(Signed.of(3)))
    assert is_subtype(three, real)
    assert not is_subtype(real, three)
    x = Context.of(Root.fresh("x", separated=False))
    boxed, free = (evolve(real, codomain=t.Box(debt, t.REAL)) for debt in (x, EMPTY))
    assert is_subtype(free, boxed)
    assert not is_subtype(boxed, free)


def test_what_is_not_compared_does_not_become_discrete() -> None:
    """A box has a debt that no context covers; rows of unknown number are the same in any order."""
    box = t.Box(Context.of(Root.fresh("x", separated=False)), t.REAL)
    rows = t.Matrix(Norm.LINF, None, None, t.Uniform(ONE, t.DATA))
    for type_ in (box, rows, t.TypeVar(KindVar.fresh("τ", Kind.TYPE))):
        assert coerce(type_, t.Disc(type_)) is None
        assert not is_subtype(t.SetOf(type_), t.SetOf(t.Disc(type_)))
    assert coerce(t.REAL, t.Disc(t.REAL)) == INFINITY
    assert is_subtype(t.SetOf(t.NAT), t.SetOf(t.Disc(t.NAT)))


@pytest.mark.parametrize("other", [t.REAL, t.TypeVar(KindVar.fresh("τ", Kind.TYPE))])
def test_a_row_that_moves_a_little_is_no_row_that_leaves_and_enters(other: t.Type) -> None:
    """Two rows that differ in a real cell may be at any distance, and are two steps apart where rows are counted."""
    fixed = t.Matrix(Norm.LINF, None, ONE, t.Columns((t.Column(None, t.DATA), t.Column(None, other))))
    assert coerce(fixed, evolve(fixed, rows=None)) is None
    discrete = evolve(fixed, schema=t.Uniform(ONE, t.DATA))
    assert coerce(discrete, evolve(discrete, rows=None)) == Quantity.of(2)


def test_real_rows_of_unknown_number_are_not_rows_that_are_counted() -> None:
    counted = t.Matrix(Norm.L1, None, None, t.Uniform(ONE, t.StaticReal(Signed.of(2))))
    matched = t.Matrix(Norm.L1, None, None, t.Uniform(ONE, t.REAL))
    assert not is_subtype(counted, matched)
    assert is_subtype(evolve(counted, rows=ONE), evolve(matched, rows=ONE))


def test_boxes_with_other_debts_have_no_join() -> None:
    x, y = (Context.of(Root.fresh(name, separated=False)) for name in "xy")
    assert join_types(t.Box(x, t.StaticNat(ONE)), t.Box(x, t.StaticNat(Quantity.of(2)))) == t.Box(x, t.NAT)
    assert join_types(t.Box(x, t.StaticNat(ONE)), t.Box(y, t.StaticNat(Quantity.of(2)))) is None


def of_columns(body: str) -> str:
    return f"sλ ς : ☆K . xs : 𝕄 [L∞, U | ★, ς] ⇒ {body}"


TABLE = "𝕄 [L∞, U | ★, 2⋅𝔻]"


def test_functions_over_columns_stand_for_one_another() -> None:
    wanted = "∀ ς : ☆K . 𝕄 [L∞, U | ★, ς] ⊸[∞] ℕ"
    given = f"(sλ f : ({wanted}) ⇒ sλ ys : {TABLE} ⇒ f ys) ({of_columns('rows xs')})"
    assert sensitivities(given) == ("∞",)
    either = f"sλ b : 𝔹, ys : {TABLE} ⇒ (if b then {of_columns('xs')} else {of_columns('xs')}) ys"
    assert sensitivities(either) == ("∞", "1")


@pytest.mark.parametrize(
    "call",
    [
        f"({of_columns('rows xs')})@[ℝ]",
        f"sλ . ys : {TABLE} ⇒ (sλ τ : ☆K . xs : 𝕄 [L∞, U | ★, τ], x : τ ⇒ x) ys 1.0",
        f"sλ . ys : {TABLE} ⇒ (sλ τ : ☆K . x : τ, xs : 𝕄 [L∞, U | ★, τ] ⇒ x) 1.0 ys",
        f"sλ . ys : {TABLE} ⇒ (sλ τ : ☆K . xs : 𝕄 [L∞, U | ★, τ] ⇒ sλ x : τ ⇒ x) ys",
    ],
)
def test_columns_are_no_type(call: str) -> None:
    assert errors(call) == ("D0202",)


def sized(least: int | None, *, is_held: bool = True) -> t.Fun:
    """A function of two tables over their number of rows, which is to be at least a number."""
    size = KindVar.fresh("m", Kind.NAT)
    table = t.Matrix(Norm.LINF, None, Quantity.var(size), t.Uniform(ONE, t.DATA))
    place = Span(Source("m.duet", ""), 0, 0)
    conditions = () if least is None else (Obligation(Quantity.of(least), "≤", Quantity.var(size), "because", place),)
    return t.Fun((size,), "f", table, ONE, t.Fun((), "g", table, ONE, t.REAL), conditions, is_held)


def test_a_function_waits_for_all_arguments_that_another_one_waits_for() -> None:
    assert is_subtype(sized(None), sized(None))
    assert is_subtype(sized(None), sized(None, is_held=False))
    assert not is_subtype(sized(None, is_held=False), sized(None))


@pytest.mark.parametrize(("one", "other"), [(2, 5), (5, 2), (None, 3), (3, None)])
def test_functions_that_are_joined_demand_what_either_does(one: int | None, other: int | None) -> None:
    joined = join_types(sized(one), sized(other))
    assert isinstance(joined, t.Fun)
    for number in (one, other):
        assert is_subtype(sized(number), joined)
    most = max(number for number in (one, other) if number is not None)
    assert not is_subtype(joined, sized(most - 1))
