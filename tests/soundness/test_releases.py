"""The costs of privacy programs: neighbours lose no more than is claimed, and somewhere all of it."""

from __future__ import annotations

import pytest

from tests.soundness.falsify import Refused
from tests.soundness.releases import REFUSED, RELEASES, Release
from tests.soundness.replay import exposed, private_program, steps

ALL = 0.9


def identity(release: Release) -> str:
    return f"{release.rule}: {release.text}"


@pytest.mark.parametrize("release", RELEASES, ids=identity)
def test_neighbours_lose_no_more_than_is_claimed(release: Release) -> None:
    claim = private_program(release.text)
    assert tuple(epsilon.show() for _, epsilon in claim.units) == release.claims
    spent: dict[tuple[str, ...], float] = {}
    for step in steps(claim, 60):
        assert not step.is_exposed, step
        spent[step.unit] = max(spent.get(step.unit, 0.0), step.spent)
    protected = [unit for unit, claimed in zip(spent, release.claims, strict=False) if claimed not in ("0", "∞")]
    assert all(spent[unit] >= ALL for unit in protected) == (release.attained or not protected)


@pytest.mark.parametrize("text", REFUSED)
def test_a_program_without_enough_noise_is_refused(text: str) -> None:
    with pytest.raises(Refused):
        private_program(text)


@pytest.mark.slow
@pytest.mark.parametrize("release", RELEASES, ids=identity)
def test_a_longer_search_finds_no_exposure(release: Release) -> None:
    claim = private_program(release.text)
    assert exposed(claim, 1500, seed=1) is None
