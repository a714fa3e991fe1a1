"""Every rule of the sensitivity judgement is true of the code that runs, and as sharp as it is said to be."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.effort import IS_THOROUGH, often
from tests.soundness.catalogue import Case, everything
from tests.soundness.evaluated import meant_by
from tests.soundness.falsify import explained, program, searched

TIGHT = 0.9

SELDOM_NEAR = {"step-ls", "step-huber", "grad-huber", "grad-hinge", "grad-ls"}
"""Hundreds of draws are needed to come near these bounds, so a run in brief looks for what is beyond them only."""


def identity(case: Case) -> str:
    return f"{case.rule}: {case.text}"


def in_brief() -> set[int]:
    """The first case of every rule and each fourth of the others, by their places in the catalogue."""
    met: Counter[str] = Counter()
    chosen = set()
    for place, case in enumerate(everything()):
        if met[case.rule] % 4 == 0:
            chosen.add(place)
        met[case.rule] += 1
    return chosen


IN_BRIEF = in_brief()


def test_every_rule_is_searched_in_brief() -> None:
    assert {case.rule for place, case in enumerate(everything()) if place in IN_BRIEF} == {
        case.rule for case in everything()
    }


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, marks=[pytest.mark.thorough] * (place not in IN_BRIEF))
        for place, case in enumerate(everything())
    ],
    ids=identity,
)
def test_a_rule_is_not_refuted_and_is_attained(case: Case) -> None:
    claim = program(case.text)
    attained = case.attained if IS_THOROUGH or case.rule not in SELDOM_NEAR else ()
    found = searched(claim, meant_by(claim), often(45, 6), enough=TIGHT, wanted=attained, most=900)
    assert found.refutation is None, explained(claim, found.refutation)
    for position in attained:
        name = claim.parameters[position].name
        assert found.alone[position] >= TIGHT, f"no move of {name} comes near its bound: {found.alone[position]}"


@pytest.mark.slow
@pytest.mark.parametrize("case", list(everything()), ids=identity)
def test_a_rule_stands_a_longer_search(case: Case) -> None:
    claim = program(case.text)
    for seed in range(1, 4):
        found = searched(claim, meant_by(claim), 400, seed)
        assert found.refutation is None, explained(claim, found.refutation)
