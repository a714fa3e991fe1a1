"""Folds, blocks and totals as bytes, to be computed with in another process.

Contract. What is unpacked computes the same as what was packed, to the last bit. What draws noise, what releases and what keeps
account of a budget is not packed: `packed` raises `NotSent` where a fold holds any of it. Neither are things that mean something
in one process only (locks, files, functions without a name), nor what nests deeper than the stack allows.

What is packed prints as a fixed word.
"""

from __future__ import annotations

import io
import pickle
from typing import Any

import numpy as np
from attrs import frozen

from duetpy.typecheck import core

STAYS = (
    "duetpy.accounting",
    "duetpy.audit",
    "duetpy.ledger",
    "duetpy.report",
    "duetpy.runtime.noise",
    "duetpy.runtime.release",
    "numpy.random",
    "random",
    "secrets",
)
"""Modules of which nothing is sent."""

APPROXIMATE = frozenset(("exp", "㏒", "tanh"))
"""The primitives that a library approximates, whose last bits are others on other processors. IEEE 754 defines all else."""


class NotSent(Exception):
    """Something that stays in this process."""


@frozen(eq=False, repr=False)
class Sent:
    """Bytes that travel between processes.

    Parameters
    ----------
    content
        The bytes.
    is_approximate
        Whether what is packed computes one of `APPROXIMATE`.
    """

    content: bytes
    is_approximate: bool = False

    def __repr__(self) -> str:
        return "<private bytes>"


class Packer(pickle._Pickler):
    """The pickler that is written in Python: the one in C overflows the stack of a thread on what nests deep."""

    is_approximate = False

    def reducer_override(self, value: object) -> Any:
        module = getattr(value, "__module__", None)
        if isinstance(module, str) and any(module == room or module.startswith(f"{room}.") for room in STAYS):
            raise NotSent
        if type(value) is np.ndarray:
            # Its entries are numbers and texts, which are flat, and many.
            return pickle.loads, (pickle.dumps(value, protocol=5),)
        if isinstance(value, core.Prim) and value.name in APPROXIMATE:
            self.is_approximate = True
        return NotImplemented


def packed(value: object) -> Sent:
    """A value as bytes; raises `NotSent`."""
    written = io.BytesIO()
    packer = Packer(written, protocol=5)
    try:
        packer.dump(value)
    except (pickle.PicklingError, RecursionError, TypeError, AttributeError):
        raise NotSent from None
    return Sent(written.getvalue(), packer.is_approximate)


def unpacked(sent: Sent) -> Any:
    """The value that was packed."""
    return pickle.loads(sent.content)
