"""The planted faults are found, each by the layer that must see it; the sound runtime raises no alarm."""

import pytest

from duetpy.audit.attack import attack
from duetpy.audit.findings import Audit
from duetpy.program import parse
from tests.audit.broken import programs
from tests.audit.broken.planted import PLANTED, QUICK, Broken
from tests.audit.broken.surroundings import QUICK_SURROUNDINGS, SURROUNDINGS
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
    (programs.STEPS, "zcdp"),
    (programs.WHOLE, "approx"),
    (programs.ANSWER, "eps"),
    (programs.POISSON, "eps"),
    (programs.SHUFFLED, "approx"),
    (programs.KEYS, "approx"),
    (programs.KEY_COUNTS, "approx"),
    (programs.KEY_GAUSS, "approx"),
)


ALL = (*PLANTED, *SURROUNDINGS)
FAST = (*QUICK, *QUICK_SURROUNDINGS)


def assert_found(broken: Broken, audit: Audit) -> None:
    assert broken.layers <= found_by(audit)
    assert any(broken.says in violation.message for layer in audit.layers for violation in layer.violations)


def test_names_are_told_apart() -> None:
    names = [broken.name for broken in ALL]
    assert len(set(names)) == len(names) >= 12
    assert set(FAST) <= set(names)


@pytest.mark.parametrize("broken", [each for each in ALL if each.name in FAST], ids=lambda broken: broken.name)
@pytest.mark.sparse(5)
def test_a_planted_fault_is_found(broken: Broken) -> None:
    assert_found(broken, audited(broken))


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("broken", ALL, ids=lambda broken: broken.name)
def test_every_planted_fault_is_found_with_any_seed(broken: Broken, seed: int) -> None:
    assert_found(broken, audited(broken, seed))


@pytest.mark.parametrize(("text", "notion"), SOUND)
@pytest.mark.sparse(6)
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
