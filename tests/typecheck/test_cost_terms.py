"""Cost terms as values: equality, hashing and substitution, however deep they are."""

from collections.abc import Callable

import pytest

from duetpy.typecheck.cost import (
    SIZE_LIMIT,
    Advanced,
    Atom,
    Choice,
    Converted,
    Cost,
    Given,
    Group,
    NonPrivate,
    Repeat,
    Sampled,
    Seq,
    Shuffled,
    Together,
    Zero,
    choice,
    costs_in,
    repeat,
    samples_one_way,
    sequence,
    substitute,
    variables,
)
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import Comparison, Kind, KindVar, Quantity, QuantityTooLarge, Signed
from tests.effort import often

DEPTH = often(10_000, 2_000)


def nested(depth: int, leaf: Cost) -> Cost:
    """A term whose depth is beyond any stack."""
    found = leaf
    for turn in range(depth):
        found = Repeat(Quantity.of(2), found) if turn % 2 else Seq((found, leaf))
    return found


def test_deep_terms_are_substituted_hashed_and_compared() -> None:
    var = KindVar("ε", Kind.POS, 1)
    deep = nested(DEPTH, Atom("laplace", (Quantity.var(var),)))
    same = nested(DEPTH, Atom("laplace", (Quantity.var(var),)))
    other = nested(DEPTH, Atom("laplace", (Quantity.of(2),)))
    assert deep == same
    assert hash(deep) == hash(same)
    assert len({deep, same, other}) == 2
    assert deep != other
    assert substitute(deep, {var: Quantity.of(2)}) == other
    assert variables(deep) == {var}


def test_a_cost_that_doubles_and_doubles_is_refused() -> None:
    leaf = Atom("laplace", (Quantity.of(1),))
    assert sequence([leaf] * 50_000).node_count == 50_001

    def grown(step: Callable[[Cost, int], Cost]) -> Cost:
        found: Cost = leaf
        for turn in range(30):
            found = step(found, turn)
        return found

    with pytest.raises(QuantityTooLarge):
        grown(lambda cost, _: sequence([cost, cost]))
    with pytest.raises(QuantityTooLarge):
        grown(lambda cost, turn: choice([cost, repeat(Quantity.of(turn + 2), cost)]))
    assert grown(lambda cost, _: sequence([cost, leaf])).node_count < SIZE_LIMIT


def test_what_stands_in_many_places_is_changed_once() -> None:
    """Functions that call each other twice double a cost, not the time that it takes to change it."""
    var = KindVar("ε", Kind.POS, 1)
    cost: Cost = Atom("laplace", (Quantity.var(var),))
    for turn in range(8):
        other = Atom("laplace", (Quantity.of(turn + 2),))
        # Two calls give two equal costs.
        again = substitute(cost, {KindVar("m", Kind.NAT, 2): Quantity.of(1)})
        cost = choice([sequence([cost, again]), sequence([cost, other])])
    changed = substitute(cost, {var: Quantity.of(1)})
    assert changed.node_count > 10_000
    assert len({id(node) for node in costs_in(changed)}) < 100


def test_terms_are_told_apart_by_everything_on_them() -> None:
    one = Quantity.of(1)
    leaf = Atom("laplace", (one,))
    different = [
        Zero(),
        NonPrivate("a"),
        NonPrivate("b"),
        leaf,
        Atom("gauss", (one,), Notion.ZCDP),
        Atom("gauss", (one,), Notion.GDP),
        Given(Notion.PURE, (one,)),
        Seq((leaf,)),
        Seq((leaf, leaf)),
        Together((leaf, leaf)),
        Choice((leaf, leaf)),
        Repeat(one, leaf),
        Group(one, leaf),
        Shuffled(one, leaf),
        Advanced(one, one, leaf),
        Sampled("sample", one, leaf),
        Sampled("poisson", one, leaf),
        Converted(Notion.ZCDP, None, leaf),
        Converted(Notion.ZCDP, one, leaf),
        Converted(Notion.GDP, one, leaf),
    ]
    assert len(set(different)) == len(different)
    assert all((one == two) == (i == j) for i, one in enumerate(different) for j, two in enumerate(different))
    assert leaf != "laplace"


def test_several_steps_hold_both_ways_and_one_step_does_not() -> None:
    """A group whose size may be 1 is a step in one direction, as far as anybody knows."""
    drawn = Sampled("poisson", Quantity.of("0.5"), Atom("laplace", (Quantity.of(1),)))
    size = Quantity.var(KindVar.fresh("k", Kind.NAT))
    assert samples_one_way(drawn)
    assert samples_one_way(Seq((Group(size, drawn), Zero())))
    assert samples_one_way(Seq((Group(Quantity.of(2), drawn), drawn)))
    assert not samples_one_way(Group(Quantity.of(2), drawn))
    assert not samples_one_way(Group(size + 1, drawn))
    assert not samples_one_way(Sampled("sample", Quantity.of("0.5"), drawn.body))


def test_a_branch_that_a_test_reaches_costs_nothing_beside_one_that_costs() -> None:
    size = KindVar.fresh("m", Kind.NAT)
    test = Comparison(Signed.of(5), True, Signed(False, Quantity.var(size)))
    spent = Atom("laplace", (Quantity.of(1),))
    chosen = choice([Zero(), spent], test=test)
    assert substitute(chosen, {size: Quantity.of(9)}) == Zero()
    assert substitute(chosen, {size: Quantity.of(2)}) == spent
    assert choice([Zero(), spent]) == spent
