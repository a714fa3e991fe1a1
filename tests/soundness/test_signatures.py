"""Every signature line of the prelude is true of the kernel of its name."""

from __future__ import annotations

import pytest

from duetpy.typecheck.signatures import Signature
from tests.effort import often
from tests.soundness.evaluated import by_evaluator
from tests.soundness.falsify import explained, searched
from tests.soundness.signatures import instances, lines, title

LINES = lines()


@pytest.mark.parametrize("signature", LINES, ids=title)
def test_a_line_is_not_refuted(signature: Signature) -> None:
    for made in instances(signature, most=often(6, 2)):
        found = searched(made.program, by_evaluator(made.program), often(15, 6))
        assert found.refutation is None, explained(made.program, found.refutation)


@pytest.mark.slow
@pytest.mark.parametrize("signature", LINES, ids=title)
def test_a_line_stands_a_longer_search(signature: Signature) -> None:
    for made in instances(signature, most=60):
        found = searched(made.program, by_evaluator(made.program), 200)
        assert found.refutation is None, explained(made.program, found.refutation)
