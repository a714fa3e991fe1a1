"""Bits that are given instead of drawn, and the real numbers that they name."""

import builtins

import mpmath
import numpy as np
from numpy.typing import NDArray

from duetpy.runtime.noise.random_bits import InsecureBits

EDGES = [0, 1, 2, 3, 2**10, 2**32 - 1, 2**53, 2**53 + 1, 2**62, 2**63 - 1, 2**63, 2**64 - 2, 2**64 - 1]


EXTENSION = 0xA5C3_5A3C_0F1E_2D4B


class ReplayBits:
    """Hands out given words in order; every later extension of a string is the same 64 bits."""

    secure = False

    def __init__(self, words: list[int]) -> None:
        self.words = list(words)
        self.extensions = 0

    def uint64(self, count: int) -> NDArray[np.uint64]:
        taken, self.words = self.words[:count], self.words[count:]
        assert len(taken) == count
        return np.array(taken, dtype=np.uint64)

    def bytes(self, count: int) -> builtins.bytes:
        self.extensions += 1
        return EXTENSION.to_bytes(8, "little")[:count]


def cell(word: int, length: int, extensions: int = 6) -> tuple[int, int]:
    """The string of bits after some extensions, and its length."""
    for _ in range(extensions):
        word, length = (word << 64) | EXTENSION, length + 64
    return word, length


def some_words(count: int, seed: int = 0) -> list[int]:
    """Words that are drawn, words near powers of two, and words near both ends."""
    powers = [2**at + offset for at in range(64) for offset in (-1, 0, 1)]
    drawn = InsecureBits(seed).uint64(count).tolist()
    return [word for word in [*EDGES, *powers, *drawn] if 0 <= word < 2**64]


def exact_exponential(word: int, length: int) -> mpmath.mpf:
    return -mpmath.log(mpmath.mpf(word) / mpmath.mpf(2) ** length)
