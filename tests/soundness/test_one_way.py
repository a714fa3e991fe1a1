"""Every view of a table of unknown size is monotone: a table that gains a row loses none in any view at a factor of 1.

On that rests that samples by coins are composed one way only, all rows going or all coming (docs/rules/sample-poisson.md).
"""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from duetpy.typecheck import types as t
from duetpy.typecheck.quantity import ONE
from tests.effort import often
from tests.soundness.catalogue import everything
from tests.soundness.drawing import Drawer
from tests.soundness.falsify import (
    Program,
    Refused,
    arguments_for,
    by_definition,
    check_tree,
    claims,
    program,
    valuations,
)
from tests.soundness.generate import random_program
from tests.soundness.metrics import identity
from tests.soundness.plain import Table

DRAWS = often(60, 30)


def is_counted(type_: t.Type) -> bool:
    return isinstance(type_, t.Matrix) and type_.rows is None and t.counts_rows(type_)


def views(claim: Program) -> list[int]:
    """The arguments of a program that are tables of unknown size, of which its result is a view."""
    if not is_counted(claim.result):
        return []
    return [
        at
        for at, parameter in enumerate(claim.parameters)
        if is_counted(parameter.type) and not parameter.sensitivity.is_zero and parameter.sensitivity.leq(ONE)
    ]


def loses_a_row(claim: Program, at: int, draws: int, seed: int = 0) -> object | None:
    """Inputs of which the view has a row that it loses if a row is added to the table; None if there are no such inputs."""
    source = Random(seed)
    drawer, meant = Drawer(source, claim.landmarks), by_definition(claim)
    for _, kinds in zip(range(draws), (each for _ in range(draws) for each in valuations(claim, source)), strict=False):
        here = claim.at(kinds)
        arguments = arguments_for(here, drawer)
        table = arguments[at]
        assert isinstance(table, Table)
        if not table.rows:
            continue
        dropped = source.randrange(len(table.rows))
        fewer = table.with_rows(table.rows[:dropped] + table.rows[dropped + 1 :])
        more, less = (meant(kinds, [*arguments[:at], each, *arguments[at + 1 :]]) for each in (table, fewer))
        assert isinstance(here.result, t.Matrix)
        if Counter(identity(here.result, less)) - Counter(identity(here.result, more)):
            return kinds, arguments, dropped
    return None


def test_every_view_of_the_catalogue_is_monotone() -> None:
    seen: Counter[str] = Counter()
    for case in everything():
        try:
            claim = program(case.text)
        except Refused:
            continue
        for at in views(claim):
            assert loses_a_row(claim, at, DRAWS) is None, case.text
            seen[case.rule] += 1
    assert {"mfilter", "bmap", "mmap-row", "joinDF₁", "select", "mclip", "renorm", "product", "addColDF"} <= set(seen)


COMPOSED = (
    "sλ . xs : 𝕄 [L∞, U | ★, 2⋅𝔻] ⇒ mclip[L2, 1.0] (mfilter (mfilter xs { r ⇒ r#[0, 0] < 1.0 }) { r ⇒ 0.0 < r#[0, 1] })",
    "sλ . xs : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ loop ℕ[3] on xs { i, t ⇒ mfilter t { r ⇒ 1.0 < r#[0, 0] } }",
    "sλ . xs : 𝕄 [L∞, U | ★, 1⋅𝔻], k : ℝ⁺[3.0] ⇒ if k < 2.0 then xs else mfilter xs { r ⇒ r#[0, 0] < k }",
    "sλ . xs : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ (sλ f : (𝕄 [L∞, U | ★, 1⋅𝔻] ⊸[1] 𝕄 [L∞, U | ★, 1⋅𝔻]) ⇒ f (f xs)) "
    "(sλ ys : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ mmap-row ys { r ⇒ r#[0, 0] + 1.0 })",
)


@pytest.mark.parametrize("text", COMPOSED)
def test_views_of_views_are_monotone(text: str) -> None:
    claim = program(text)
    (at,) = views(claim)
    assert loses_a_row(claim, at, 200) is None


BOTH_WAYS = (
    # A row comes and another goes: 2, a group of two steps.
    'sλ . xs : 𝔻𝔽[age : ℕ, state : 𝕊] ⇒ partitionDF[xs, state, ℘{"NY", "VT"}]',
    # What all rows together decide about each: ∞.
    "sλ . xs : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ mfilter xs { r ⇒ rows xs < 3 }",
    "sλ . xs : 𝕄 [L∞, U | ★, 1⋅𝔻], ys : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ mfilter ys { r ⇒ rows xs < 3 }",
    "sλ . xs : 𝕄 [L∞, U | ★, 1⋅𝔻], ys : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ if rows xs < 3 then ys else mfilter ys { r ⇒ false }",
)


@pytest.mark.parametrize("text", BOTH_WAYS)
def test_a_view_that_is_not_monotone_costs_more_than_one_step(text: str) -> None:
    """Each loses a row somewhere where its table gains one, and none is at a factor of 1 in that table."""
    claim = program(text)
    losing = [at for at, p in enumerate(claim.parameters) if is_counted(p.type) and loses_a_row(claim, at, 400)]
    assert losing
    assert not set(losing) & set(views(claim))


@pytest.mark.slow
def test_views_in_random_programs_are_monotone() -> None:
    found = 0
    for seed in range(4000):
        file = random_program(seed)
        typed = check_tree(file)
        if not typed.ok or typed.type is None:
            continue
        claim = claims(typed, "")
        for at in views(claim):
            assert loses_a_row(claim, at, 20, seed) is None, seed
            found += 1
    assert found > 20
