"""What runs where the rows were sent to: nothing is raised there, and nothing is printed.

Contract. `absorbed` gives the summary of one block, or `FAILED`, a fixed word, whatever went wrong: an exception may hold a value
of someone's, and whoever runs a worker keeps its log. The driver then computes the block itself, and meets what it would meet
without workers.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any, Literal

import numpy as np
from attrs import frozen

from duetpy.runtime.engines.packing import Sent, packed, unpacked
from duetpy.runtime.evaluation.hyperbolic import tanh_values
from duetpy.runtime.values.batch_size import lanes_within, within_memory
from duetpy.runtime.values.memory import available

FAILED: Literal["failed"] = "failed"


def carried(fold: Sent) -> Sent:
    """A fold, for the tasks that need it: one that can be had again, should the worker that holds it be lost."""
    return fold


def absorbed(fold: Sent, block: Sent, most: int, neighbours: int) -> Sent | Literal["failed"]:
    """The summary of a block.

    Parameters
    ----------
    fold
        The fold and what all blocks share, packed together.
    block
        A block, packed without what is shared.
    most
        How many cells the lanes of a block may take together on the driver (`duetpy.runtime.values.batch_size`).
    neighbours
        How many blocks share this machine's memory.
    """
    try:
        if not is_ieee():
            return FAILED
        with np.errstate(all="ignore"), within_memory(available(), neighbours), lanes_within(most):
            own, shared = unpacked(fold)
            return packed(own.absorb(own.zero(), unpacked(block, shared)))
    except BaseException:
        return FAILED


def is_ieee() -> bool:
    """Whether this thread keeps subnormal numbers and rounds to the nearest: a library may have told the processor otherwise."""
    tiny, unit, small = np.array([5e-324]), np.array([1.0, -1.0]), 2.0**-53
    return bool((tiny * 1.0)[0] > 0.0 and np.array_equal(unit + small * np.sign(unit), unit))


# ---------------------------------------------------------------------------------------------------------------------
# Whether a worker computes as the driver does


@frozen
class Kind:
    """What tells workers apart.

    Parameters
    ----------
    code
        A digest of the files of this package.
    arithmetic
        A digest of what numpy's functions compute that IEEE 754 does not define: they are others on other processors.
    """

    code: str
    arithmetic: str


def own_kind() -> Kind:
    """The kind of this process."""
    return Kind(_digest_of_code(), _digest_of_functions())


def examined(dask_worker: Any) -> tuple[Kind, bool]:
    """The kind of a worker, and whether it keeps what it holds in memory alone: one that spills has no plain dictionary."""
    return own_kind(), type(dask_worker.data) is dict


def _digest_of_code() -> str:
    root = Path(__file__).parents[2]
    made = hashlib.sha256()
    for path in sorted(root.rglob("*.py"), key=lambda each: each.relative_to(root).as_posix()):
        content = path.read_bytes()
        made.update(f"{path.relative_to(root).as_posix()} {len(content)} ".encode())
        made.update(content)
    return made.hexdigest()


def _digest_of_functions() -> str:
    """Of `numpy.exp` some results are others on processors with AVX-512 than on those without."""
    spread = np.linspace(-700.0, 700.0, 20_011)
    found = (np.exp(spread), np.log(np.abs(spread) + 2.0**-40), tanh_values())
    return hashlib.sha256(b"".join(each.tobytes() for each in found)).hexdigest()
