"""What a run remembers between calls of a function is what the next call would compute: random programs draw the same noise, around
the same numbers, as without functions, and no neighbour loses more than is claimed, by the noise that is really drawn."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import TypeAlias
from unittest.mock import patch

import pytest
from attrs import frozen

import duetpy
from duetpy.accounting.price import Price, price
from duetpy.runtime.release import driver, mechanisms
from duetpy.runtime.release.mechanisms import Randomness
from duetpy.runtime.release.run import run
from duetpy.runtime.values.statics import KindScope
from duetpy.runtime.values.values import Value
from duetpy.typecheck import types as t
from duetpy.typecheck.annotations import ReleaseSite
from duetpy.typecheck.check import Typed
from duetpy.typecheck.quantity import Quantity
from tests.effort import often
from tests.soundness.broken.mutant import Mutant
from tests.soundness.broken.running import UNSHARED
from tests.soundness.generate_sharing import random_sharing_program
from tests.soundness.mutants import planted

CELLS = (0.0, 0.5, 1.0, 2.0, 40.0, -3.0, 0.1, 1e6)
Rows: TypeAlias = tuple[tuple[float, float], ...]


@frozen
class Draw:
    """What noise was added to, and the noise.

    Parameters
    ----------
    centre
        The number, exactly.
    scale
        b of the Laplace noise.
    sensitivity
        What that was made for.
    """

    centre: Fraction
    scale: Fraction
    sensitivity: Fraction


@contextmanager
def intercepted(outputs: int) -> Iterator[list[Draw]]:
    """All draws of noise of a run; what is released in their place depends on `outputs` and on how many there were before."""
    draws: list[Draw] = []
    source = random.Random(outputs)

    def noisy(value: Value, site: ReleaseSite, kinds: KindScope, randomness: Randomness) -> Value:
        assert isinstance(value, int | Fraction)
        mechanisms.noisy(value, site, kinds, randomness)
        made = mechanisms.calibration(site, kinds, 1, randomness)
        draws.append(Draw(Fraction(value), made.scale, made.sensitivity))
        return Fraction(source.randint(-40, 40), 4)

    with patch.object(driver, "noisy", noisy):
        yield draws


def checked(text: str) -> tuple[Typed, Fraction]:
    """A program, and the ε that it is claimed to cost."""
    typed = duetpy.parse(text, notion="eps").typed
    assert typed is not None
    assert typed.ok, (text, [each.message for each in typed.diagnostics])
    assert isinstance(typed.type, t.PFun)
    found = price(typed.type.parameters[0].cost, typed.notion)
    assert isinstance(found, Price)
    (epsilon,) = found.parts
    assert isinstance(epsilon, Quantity)
    return typed, Fraction(epsilon.evaluate({}, up=True))


def draws_of(typed: Typed, rows: Rows, path: Path, *, stream: bool = False) -> list[Draw]:
    path.write_text("a,b\n" + "".join(f"{a!r},{b!r}\n" for a, b in rows), encoding="utf-8")
    with intercepted(7) as draws:
        run(typed, {"xs": path}, {}, insecure_noise="none", stream=stream, header="yes")
    return draws


def fault(seed: int, path: Path) -> str | None:
    """What is wrong with a random program."""
    written, source = random_sharing_program(seed), random.Random(seed)
    (typed, claimed), (alone, other) = checked(written.shared), checked(written.alone)
    if claimed != other:
        return f"{claimed} is claimed with functions, {other} without\n{written.shared}\n{written.alone}"
    rows = tuple((source.choice(CELLS), source.choice(CELLS)) for _ in range(source.randint(2, 6)))
    kept = draws_of(typed, rows, path)
    if kept != draws_of(alone, rows, path):
        return f"other draws than without functions at {rows}\n{written.shared}\n{written.alone}"
    if kept != draws_of(typed, rows, path, stream=True):
        return f"other draws of a table that is read again at {rows}\n{written.shared}"
    for at in range(len(rows)):
        fewer = draws_of(typed, rows[:at] + rows[at + 1 :], path)
        moves = [abs(one.centre - two.centre) for one, two in zip(kept, fewer, strict=True)]
        if [one.scale for one in kept] != [two.scale for two in fewer]:
            return f"a row decides how much noise is drawn\n{written.shared}"
        spent = sum((move / one.scale for move, one in zip(moves, kept, strict=True)), Fraction(0))
        if spent > claimed:
            return f"{float(spent)} is lost, {float(claimed)} claimed, without row {at} of {rows}\n{written.shared}"
    return None


def test_functions_draw_the_noise_that_they_would_draw_without(tmp_path: Path) -> None:
    for seed in range(often(150, 12)):
        found = fault(seed, tmp_path / "xs.csv")
        assert found is None, f"seed {seed}: {found}"


@pytest.mark.parametrize("mutant", UNSHARED, ids=lambda mutant: mutant.name)
def test_what_is_remembered_without_its_numbers_is_seen(mutant: Mutant, tmp_path: Path) -> None:
    with planted(mutant):
        assert any(fault(seed, tmp_path / "xs.csv") for seed in range(60))
