"""The falsifier has teeth: it catches every broken rule of the table."""

from __future__ import annotations

import importlib
import inspect
import json
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest
from attrs import evolve

from duetpy.grammar.declared import DECLARED
from tests.soundness.broken.cells_in_ranges import OF_RANGES
from tests.soundness.broken.defaults import OF_COLUMNS
from tests.soundness.broken.digits import CONTRACTION, DIGITS
from tests.soundness.broken.grid import GRID
from tests.soundness.broken.hiding import HIDING
from tests.soundness.broken.missing import OF_CELLS
from tests.soundness.broken.mutant import PRELUDE, Mutant
from tests.soundness.broken.persons import OF_FLAT, OF_PARTS, OF_PERSONS, OF_ROSTERS
from tests.soundness.broken.quick import QUICK_WAYS
from tests.soundness.broken.ranges import APPROXIMATE, ROUNDED, ROUNDED_RANGES, STOPPED
from tests.soundness.broken.remembered import REMEMBERED
from tests.soundness.broken.running import HANDED_ON, RUNNING
from tests.soundness.broken.table import BROKEN
from tests.soundness.broken.together import TOGETHER
from tests.soundness.broken.unkept import UNKEPT
from tests.soundness.mutants import caught

QUICK = BROKEN[::7]

LATE = {
    "the debts of boxes in a table are not paid where an input closes",
    "join counts the rows of a table whose rows move a little as if they were replaced",
    "real rows of unknown number are added whatever 0 adds",
    "what lies in one range lies in every other one",
    "real rows are flattened",
    "a more sensitive function stands for a less sensitive one",
}
"""Caught after many draws."""


def identity(mutant: Mutant) -> str:
    return mutant.name


@cache
def source_of(module: str) -> str:
    return inspect.getsource(importlib.import_module(module))


def test_a_mutant_has_its_place() -> None:
    """The text that a mutant changes stands once where it is looked for: else the rule has moved and its mutant must too."""
    primitives = "\n".join(declared.text for declared in DECLARED.values())
    lost = [
        mutant.name
        for mutant in (
            *BROKEN,
            *RUNNING,
            HANDED_ON,
            *HIDING,
            *GRID,
            *QUICK_WAYS,
            *TOGETHER,
            *OF_CELLS,
            *OF_PERSONS,
            *OF_ROSTERS,
            *OF_FLAT,
            *OF_PARTS,
            *OF_COLUMNS,
            *OF_RANGES,
            *ROUNDED,
            *APPROXIMATE,
            DIGITS,
            CONTRACTION,
            *ROUNDED_RANGES,
            *STOPPED,
            *UNKEPT,
            *REMEMBERED,
        )
        if (primitives if mutant.place == PRELUDE else source_of(mutant.module)).count(mutant.right) != 1
    ]
    assert lost == []


def with_unknown_names(folder: Path, mutants: Sequence[Mutant]) -> dict[str, str]:
    """What is said of each of the mutants whose source has a name that nothing defines, by the mutant's name."""
    for at, mutant in enumerate(mutants):
        (folder / f"{at}.py").write_text(source_of(mutant.module).replace(mutant.right, mutant.wrong), encoding="utf-8")
    ruff = [
        sys.executable,
        "-m",
        "ruff",
        "check",
        "--isolated",
        "--no-cache",
        "--select",
        "F821",
        "--output-format",
        "json",
    ]
    done = subprocess.run([*ruff, str(folder)], capture_output=True, text=True, encoding="utf-8", check=False)
    return {mutants[int(Path(one["filename"]).stem)].name: one["message"] for one in json.loads(done.stdout)}


def test_a_mutant_knows_its_names(tmp_path: Path) -> None:
    """A mutant that ends in a NameError has broken Python, not a rule: nothing is learnt where it is caught."""
    mutants = [
        mutant
        for mutant in (
            *BROKEN,
            *RUNNING,
            HANDED_ON,
            *HIDING,
            *GRID,
            *QUICK_WAYS,
            *TOGETHER,
            *OF_CELLS,
            *OF_PERSONS,
            *OF_ROSTERS,
            *OF_FLAT,
            *OF_PARTS,
            *OF_COLUMNS,
            *OF_RANGES,
            *ROUNDED,
            *APPROXIMATE,
            DIGITS,
            CONTRACTION,
            *ROUNDED_RANGES,
            *STOPPED,
            *UNKEPT,
            *REMEMBERED,
        )
        if mutant.place != PRELUDE
    ]
    assert with_unknown_names(tmp_path, mutants) == {}


def test_a_mutant_with_an_unknown_name_is_found(tmp_path: Path) -> None:
    right = next(mutant for mutant in BROKEN if mutant.place != PRELUDE)
    wrong = evolve(right, name="no Python", wrong="none_has_this_name")
    assert list(with_unknown_names(tmp_path, [right, wrong])) == ["no Python"]


def test_mutants_have_names_of_their_own() -> None:
    assert len({mutant.name for mutant in BROKEN}) == len(BROKEN) >= 40


@pytest.mark.sparse(4)
@pytest.mark.parametrize(
    "mutant",
    [pytest.param(mutant, marks=[pytest.mark.thorough] * (mutant.name in LATE)) for mutant in QUICK],
    ids=identity,
)
def test_a_broken_rule_is_caught(mutant: Mutant) -> None:
    assert caught(mutant) is not None


@pytest.mark.slow
@pytest.mark.parametrize("mutant", [mutant for mutant in BROKEN if mutant not in QUICK], ids=identity)
def test_every_broken_rule_is_caught(mutant: Mutant) -> None:
    assert caught(mutant) is not None
