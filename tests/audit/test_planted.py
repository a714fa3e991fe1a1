"""The planted faults are found, each by the layer that must see it; the sound runtime raises no alarm."""

import pytest

from duetpy.audit.attack import attack
from duetpy.program import parse
from tests.audit.broken import programs
from tests.audit.broken.planted import PLANTED, QUICK, Broken
from tests.audit.broken.table import audited, found_by

SOUND = (
    (programs.SUM, "eps"),
    (programs.TWICE, "zcdp"),
    (programs.GAUSS, "approx"),
    (programs.CLIPPED, "eps"),
    (programs.PARTS, "eps"),
    (programs.SAMPLE, "approx"),
    (programs.ABOVE, "eps"),
    (programs.BEST, "eps"),
    (programs.CANONICAL, "approx"),
    (programs.GENERALIZED, "rao"),
    (programs.DESCENT, "gdp"),
)


def test_names_are_told_apart() -> None:
    names = [broken.name for broken in PLANTED]
    assert len(set(names)) == len(names) >= 12
    assert set(QUICK) <= set(names)


@pytest.mark.parametrize("broken", [each for each in PLANTED if each.name in QUICK], ids=lambda broken: broken.name)
def test_a_planted_fault_is_found(broken: Broken) -> None:
    assert broken.layers <= found_by(audited(broken))


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("broken", PLANTED, ids=lambda broken: broken.name)
def test_every_planted_fault_is_found_with_any_seed(broken: Broken, seed: int) -> None:
    assert broken.layers <= found_by(audited(broken, seed))


@pytest.mark.parametrize(("text", "notion"), SOUND)
def test_the_sound_runtime_raises_no_alarm(text: str, notion: str) -> None:
    typed = parse(text, notion).typed
    assert typed is not None
    audit = attack(typed, {}, 20)
    assert audit.violations == ()
    assert len(audit.layers) == 4


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 13))
@pytest.mark.parametrize(("text", "notion"), SOUND)
def test_no_seed_raises_an_alarm(text: str, notion: str, seed: int) -> None:
    typed = parse(text, notion).typed
    assert typed is not None
    assert attack(typed, {}, 60, seed).violations == ()
