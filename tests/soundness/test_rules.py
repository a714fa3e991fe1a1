"""Every rule of the sensitivity judgement is true of the code that runs, and as sharp as it is said to be."""

from __future__ import annotations

import pytest

from tests.soundness.catalogue import Case, everything
from tests.soundness.evaluated import meant_by
from tests.soundness.falsify import explained, program, searched

TIGHT = 0.9


def identity(case: Case) -> str:
    return f"{case.rule}: {case.text}"


@pytest.mark.parametrize("case", list(everything()), ids=identity)
def test_a_rule_is_not_refuted_and_is_attained(case: Case) -> None:
    claim = program(case.text)
    bounded = any(claimed not in ("0", "∞") for claimed in case.claims)
    enough = TIGHT if case.tight and bounded else 0.0
    found = searched(claim, meant_by(claim), 45, enough=enough)
    assert found.refutation is None, explained(claim, found.refutation)
    assert found.worst >= enough, f"no pair comes near the bound: {found.worst}"


@pytest.mark.slow
@pytest.mark.parametrize("case", list(everything()), ids=identity)
def test_a_rule_stands_a_longer_search(case: Case) -> None:
    claim = program(case.text)
    for seed in range(1, 4):
        found = searched(claim, meant_by(claim), 400, seed)
        assert found.refutation is None, explained(claim, found.refutation)
