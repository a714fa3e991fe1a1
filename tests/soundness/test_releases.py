"""The costs of privacy programs: neighbours lose no more than is claimed, and somewhere all of it."""

from __future__ import annotations

import pytest

from duetpy.typecheck.quantity import Quantity
from tests.effort import often
from tests.soundness.falsify import Refused
from tests.soundness.releases import REFUSED, RELEASES, Release
from tests.soundness.replay import Private, exposed, private_program, steps

ALL = 0.9


def identity(release: Release) -> str:
    return f"{release.rule}: {release.text}"


@pytest.mark.parametrize("release", RELEASES, ids=identity)
def test_neighbours_lose_no_more_than_is_claimed(release: Release) -> None:
    claim = private_program(release.text)
    assert tuple(epsilon.show() for _, epsilon in claim.units) == release.claims
    wanted = {
        names: 0.0
        for (names, _), claimed in zip(named(claim), release.claims, strict=True)
        if claimed not in ("0", "∞")
    }
    for number, step in enumerate(steps(claim, often(1000, 400))):
        assert not step.is_exposed, step
        if step.unit in wanted:
            wanted[step.unit] = max(wanted[step.unit], step.spent)
        if number > often(60, 20) and min(wanted.values(), default=1.0) >= ALL:
            break
    assert (min(wanted.values(), default=1.0) >= ALL) == release.attained


def named(claim: Private) -> list[tuple[tuple[str, ...], Quantity]]:
    """The units by the names of their parameters."""
    return [(tuple(claim.function.parameters[i].name for i in members), epsilon) for members, epsilon in claim.units]


@pytest.mark.parametrize("text", REFUSED)
def test_a_program_without_enough_noise_is_refused(text: str) -> None:
    with pytest.raises(Refused):
        private_program(text)


@pytest.mark.slow
@pytest.mark.parametrize("release", RELEASES, ids=identity)
def test_a_longer_search_finds_no_exposure(release: Release) -> None:
    claim = private_program(release.text)
    assert exposed(claim, 1500, seed=1) is None
