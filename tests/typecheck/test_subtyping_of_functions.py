"""Where functions, boxes and tables of unknown size may stand for others: each comparison on the way is needed."""

from __future__ import annotations

import pytest
from attrs import evolve

from duetpy.grammar.ast import Norm
from duetpy.source import Source, Span
from duetpy.typecheck import types as t
from duetpy.typecheck.conditions import Obligation
from duetpy.typecheck.context import Context, Root
from duetpy.typecheck.cost import Given
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import ONE, Kind, KindVar, Quantity, Signed
from duetpy.typecheck.subtype import is_subtype, join_types

COST = Given(Notion.PURE, (ONE,))


def released(*units: int, notion: Notion = Notion.PURE) -> t.PFun:
    """A privacy function whose parameters belong to the units that are numbered."""
    return t.PFun((), tuple(t.PrivateParameter("x", t.REAL, COST, unit) for unit in units), t.REAL, notion)


def test_parameters_that_move_together_are_not_parameters_that_move_alone() -> None:
    assert is_subtype(released(0, 0), released(0, 0))
    assert not is_subtype(released(0, 1), released(0, 0))
    assert not is_subtype(released(0, 0), released(0, 1))


def test_a_function_is_of_one_notion() -> None:
    assert not is_subtype(released(0), released(0, notion=Notion.ZCDP))
    assert join_types(released(0), released(0, notion=Notion.APPROX)) is None


def test_real_rows_of_unknown_number_are_not_rows_that_are_counted() -> None:
    counted = t.Matrix(Norm.L1, None, None, t.Uniform(ONE, t.StaticReal(Signed.of(2))))
    matched = t.Matrix(Norm.L1, None, None, t.Uniform(ONE, t.REAL))
    assert not is_subtype(counted, matched)
    assert is_subtype(evolve(counted, rows=ONE), evolve(matched, rows=ONE))


def test_boxes_with_other_debts_have_no_join() -> None:
    x, y = (Context.of(Root.fresh(name, separated=False)) for name in "xy")
    assert join_types(t.Box(x, t.StaticNat(ONE)), t.Box(x, t.StaticNat(Quantity.of(2)))) == t.Box(x, t.NAT)
    assert join_types(t.Box(x, t.StaticNat(ONE)), t.Box(y, t.StaticNat(Quantity.of(2)))) is None


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
