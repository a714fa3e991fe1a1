"""An audit gives a program cells outside of their range, and finds it if the run lets them through."""

import pytest

from duetpy.program import parse
from tests.soundness.broken.cells_in_ranges import OF_RANGES
from tests.soundness.broken.mutant import Mutant
from tests.soundness.mutants import planted

SUM = (
    "pλ . xs : 𝔻𝔽[a : 𝔻 in [0, 2] else 1, b : 𝔻? in [-1, 1]] ⇒ laplace[auto, 1.0] <xs> { "
    "mfold-row 0, xs { s, r ⇒ s + conv r.a + conv (r.b or-else 0.5) } }"
)
SEEN = ("cells of objects stay outside of their range",)


@pytest.mark.parametrize("mutant", [mutant for mutant in OF_RANGES if mutant.name in SEEN], ids=lambda each: each.name)
def test_the_audit_finds_what_is_wrong_with_ranges(mutant: Mutant) -> None:
    assert not parse(SUM, "eps").audit(trials=60).violations
    with planted(mutant):
        assert parse(SUM, "eps").audit(trials=60).violations
