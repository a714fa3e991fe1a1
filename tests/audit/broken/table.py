"""Planted faults and the layers that find them, as a table: ``python -m tests.audit.broken.table``."""

from __future__ import annotations

from contextlib import nullcontext

import pytest

from duetpy.audit.attack import attack
from duetpy.audit.findings import Audit
from duetpy.program import parse
from tests.audit.broken.planted import PLANTED, Broken
from tests.audit.broken.surroundings import SURROUNDINGS
from tests.soundness.mutants import planted


def audited(broken: Broken, seed: int = 0) -> Audit:
    """The audit of a program with the fault in the package."""
    with pytest.MonkeyPatch.context() as patch, planted(broken.mutant) if broken.mutant else nullcontext():
        program = parse(broken.program, broken.notion)
        assert program.typed is not None
        broken.plant(patch)
        return attack(program.typed, broken.settings, broken.trials, seed)


def found_by(audit: Audit) -> frozenset[str]:
    """The layers that found something."""
    return frozenset(layer.name for layer in audit.layers if layer.violations)


def main() -> None:
    caught = 0
    for broken in (*PLANTED, *SURROUNDINGS):
        layers = found_by(audited(broken))
        caught += bool(layers)
        print(f"{broken.name:<58} {', '.join(sorted(layers)) or 'NOT FOUND'}", flush=True)
    print(f"{caught} of {len(PLANTED) + len(SURROUNDINGS)} found")


if __name__ == "__main__":
    main()
