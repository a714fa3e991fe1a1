"""Random bits for noise: the only place where randomness enters a release.

Contract. :class:`SecureBits` asks the operating system again for every request. Nothing is kept between two requests, so
a forked child, another thread or a restored copy of the process never repeats what its parent drew; a buffered
generator would (a process-wide buffer survives ``fork`` unchanged). :class:`InsecureBits` repeats itself on purpose. It
exists for tests and for releases that are openly marked as insecure, and it protects nobody.

Both hand out independent uniform bits and nothing else. What a distribution makes of them is the business of
``noise.py`` and ``exact_sampler.py``, which therefore run the same code under either.
"""

from __future__ import annotations

import builtins
import hashlib
import itertools
import os
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


class Bits(Protocol):
    """A source of independent uniform random bits."""

    @property
    def secure(self) -> bool:
        """Whether the bits are fit to protect people."""

    def uint64(self, count: int) -> NDArray[np.uint64]:
        """``count`` independent words of 64 bits; the array may be read-only."""

    def bytes(self, count: int) -> builtins.bytes:
        """``count`` independent bytes."""


class SecureBits:
    """Entropy from the operating system (``getrandom``, ``BCryptGenRandom``), fresh for every request."""

    __slots__ = ()

    @property
    def secure(self) -> bool:
        return True

    def uint64(self, count: int) -> NDArray[np.uint64]:
        return np.frombuffer(os.urandom(8 * count), dtype=np.uint64)

    def bytes(self, count: int) -> builtins.bytes:
        return os.urandom(count)


class Watched:
    """A source of bits that remembers whether anybody asked for some: a run that ends then has drawn noise.

    Parameters
    ----------
    bits
        The source.
    """

    __slots__ = ("_bits", "was_asked")

    def __init__(self, bits: Bits) -> None:
        self._bits = bits
        self.was_asked = False

    @property
    def secure(self) -> bool:
        return self._bits.secure

    def uint64(self, count: int) -> NDArray[np.uint64]:
        self.was_asked = True
        return self._bits.uint64(count)

    def bytes(self, count: int) -> builtins.bytes:
        self.was_asked = True
        return self._bits.bytes(count)


class InsecureBits:
    """Reproducible bits from a seed: SHAKE-256 of the seed and of the number of the request.

    The stream is the same on every platform and for every version of numpy. Two objects of one seed, and an object and
    its copy in a forked child, give the same bits.

    Parameters
    ----------
    seed
        Any integer.
    """

    __slots__ = ("_requests", "_seed")

    def __init__(self, seed: int) -> None:
        self._seed = f"duetpy insecure bits {seed} ".encode()
        self._requests = itertools.count()

    @property
    def secure(self) -> bool:
        return False

    def uint64(self, count: int) -> NDArray[np.uint64]:
        return np.frombuffer(self.bytes(8 * count), dtype="<u8").astype(np.uint64)

    def bytes(self, count: int) -> builtins.bytes:
        request = next(self._requests)
        return hashlib.shake_256(self._seed + str(request).encode()).digest(count)
