"""No claim is false of any small program on any input of a small domain."""

from collections import Counter

import pytest

from tests.effort import often
from tests.soundness import bounded_languages as languages
from tests.soundness.bounded import Language, tried, tried_privately
from tests.soundness.mutants import BROKEN, planted

SENSITIVITY = {
    "scalars": (languages.SCALARS, often(4, 2)),
    "shapes": (languages.SHAPES, often(5, 2)),
    "frames": (languages.FRAMES, often(4, 2)),
    "fixed": (languages.FIXED, often(4, 2)),
    "sums": (languages.SUMS, often(3, 2)),
    "sums of reals": (languages.REAL_SUMS, often(3, 2)),
}


def counted(language: Language, most: int) -> Counter[str]:
    told: Counter[str] = Counter()
    for size in range(1, most + 1):
        for text in language.programs(size):
            found = (tried_privately if language is languages.PRIVATE else tried)(language, text)
            assert found.refuted is None, found.refuted
            told.update(programs=1, claimed=found.claimed, tight=found.ratio > 0.999)
    return told


@pytest.mark.parametrize("name", SENSITIVITY)
def test_no_small_program_moves_by_more_than_is_claimed(name: str) -> None:
    told = counted(*SENSITIVITY[name])
    assert told["tight"] > 0 or told["programs"] < 50


def test_no_small_program_loses_more_than_is_claimed() -> None:
    told = counted(languages.PRIVATE, often(4, 3))
    assert told["tight"] > 0


PLANTED = {
    "a name forgets what it stands for": languages.SCALARS,
    "a loop's body is applied once to the initial state": languages.SCALARS,
    "a lazy pair forgets its second part": languages.SHAPES,
    "a row more changes a part in one way only": languages.FRAMES,
    "a sum over ★ rows costs 1 a row": languages.SUMS,
    "real rows of unknown number are added whatever 0 adds": languages.REAL_SUMS,
    "later rows do not amplify a row's move": languages.FIXED,
    "a bind forgets what comes first": languages.PRIVATE,
    "what is returned is free": languages.PRIVATE,
    "a loop is charged for one turn": languages.PRIVATE,
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_fault_is_found(name: str) -> None:
    (mutant,) = (one for one in BROKEN if one.name == name)
    with planted(mutant), pytest.raises(AssertionError, match="claimed"):
        counted(PLANTED[name], 4)
