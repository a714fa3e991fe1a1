"""Folds, blocks and totals as bytes, to be computed with in another process.

Contract. What is read back computes the same as what was sent, to the last bit. Whatever draws noise, releases or keeps account
of a budget is never sent: `packed` raises `NotSent` if a fold holds any of it. Neither are things that mean something in one
process only (locks, files, functions without a name), nor what nests deeper than the stack allows.

The bytes print as a fixed word.
"""

from __future__ import annotations

import io
import pickle
from typing import Any

import numpy as np
from attrs import frozen

from duetpy.typecheck import core
from duetpy.typecheck.facts import facts_of

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
        Whether the content computes a primitive that a library approximates, whose last bits may differ on other
        processors.
    """

    content: bytes
    is_approximate: bool = False

    def __repr__(self) -> str:
        return "<private bytes>"


class Packer(pickle._Pickler):
    """The pickler that is written in Python: the one in C overflows the stack of a thread on what nests deep.

    Parameters
    ----------
    written
        Where the bytes go.
    shared
        What is there already, wherever they are read.
    """

    def __init__(self, written: io.BytesIO, shared: object) -> None:
        super().__init__(written, protocol=5)
        self.shared = shared
        self.is_approximate = False

    def persistent_id(self, value: object) -> str | None:
        return "shared" if value is self.shared and value is not None else None

    def reducer_override(self, value: object) -> Any:
        module = getattr(value, "__module__", None)
        if isinstance(module, str) and any(module == room or module.startswith(f"{room}.") for room in STAYS):
            raise NotSent
        if type(value) is np.ndarray:
            # Its entries are numbers and texts, which are flat, and many.
            return pickle.loads, (pickle.dumps(value, protocol=5),)
        if isinstance(value, core.Prim) and facts_of(value.name).is_approximate:
            self.is_approximate = True
        return NotImplemented


class Unpacker(pickle.Unpickler):
    """Reads what `Packer` wrote."""

    def __init__(self, content: bytes, shared: object) -> None:
        super().__init__(io.BytesIO(content))
        self.shared = shared

    def persistent_load(self, name: str) -> object:
        return self.shared


def packed(value: object, shared: object = None) -> Sent:
    """A value as bytes, without what is `shared`; raises `NotSent`."""
    written = io.BytesIO()
    packer = Packer(written, shared)
    try:
        packer.dump(value)
    except (pickle.PicklingError, RecursionError, TypeError, AttributeError):
        raise NotSent from None
    return Sent(written.getvalue(), packer.is_approximate)


def unpacked(sent: Sent, shared: object = None) -> Any:
    """The value that was packed."""
    return Unpacker(sent.content, shared).load()
