"""Every rule of the sensitivity judgement is true of the code that runs, and as sharp as it is said to be."""

from __future__ import annotations

import pytest

from tests.effort import often
from tests.soundness.catalogue import Case, everything
from tests.soundness.evaluated import meant_by
from tests.soundness.falsify import explained, program, searched

TIGHT = 0.9


def identity(case: Case) -> str:
    return f"{case.rule}: {case.text}"


@pytest.mark.parametrize("case", list(everything()), ids=identity)
def test_a_rule_is_not_refuted_and_is_attained(case: Case) -> None:
    claim = program(case.text)
    found = searched(claim, meant_by(claim), often(45, 6), enough=TIGHT, wanted=case.attained, most=900)
    assert found.refutation is None, explained(claim, found.refutation)
    for position in case.attained:
        name = claim.parameters[position].name
        assert found.alone[position] >= TIGHT, f"no move of {name} comes near its bound: {found.alone[position]}"


@pytest.mark.slow
@pytest.mark.parametrize("case", list(everything()), ids=identity)
def test_a_rule_stands_a_longer_search(case: Case) -> None:
    claim = program(case.text)
    for seed in range(1, 4):
        found = searched(claim, meant_by(claim), 400, seed)
        assert found.refutation is None, explained(claim, found.refutation)
