"""The falsifier has teeth: it catches every broken rule of the table."""

from __future__ import annotations

import importlib
import inspect

import pytest

from duetpy.typecheck import prelude
from tests.soundness.broken.mutant import PRELUDE, Mutant
from tests.soundness.broken.running import RUNNING, WRONG
from tests.soundness.broken.table import BROKEN
from tests.soundness.mutants import caught

QUICK = BROKEN[::7]


def identity(mutant: Mutant) -> str:
    return mutant.name


@pytest.mark.parametrize("mutant", [*BROKEN, *RUNNING, *WRONG], ids=identity)
def test_a_mutant_has_its_place(mutant: Mutant) -> None:
    """The text that a mutant changes stands once where it is looked for: else the rule has moved and its mutant must too."""
    if mutant.place == PRELUDE:
        source = "\n".join(prelude._blocks().values())
    else:
        source = inspect.getsource(importlib.import_module(mutant.module))
    assert source.count(mutant.right) == 1


def test_mutants_have_names_of_their_own() -> None:
    assert len({mutant.name for mutant in BROKEN}) == len(BROKEN) >= 40


@pytest.mark.sparse(4)
@pytest.mark.parametrize("mutant", QUICK, ids=identity)
def test_a_broken_rule_is_caught(mutant: Mutant) -> None:
    assert caught(mutant) is not None


@pytest.mark.slow
@pytest.mark.parametrize("mutant", [mutant for mutant in BROKEN if mutant not in QUICK], ids=identity)
def test_every_broken_rule_is_caught(mutant: Mutant) -> None:
    assert caught(mutant) is not None
