"""Large CSV files by compiled code, if Numba is installed (the extra ``fast``).

Contract. A :class:`CompiledBlock` has the cells and the numbers of the `RegularBlock` of the same lines, bit for bit. Blocks
with quotes, and those that are not regular, are not compiled. How large a file is decides how long reading it takes, and nothing
else.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from duetpy.runtime.sources.cells import parse_real
from duetpy.runtime.sources.plain import PlainColumn
from duetpy.runtime.sources.regular import RegularBlock

LARGE = 1 << 26
"""Bytes from which on compiled code is quicker, or about as quick, with the half second that it takes to begin."""


@cache
def is_there() -> bool:
    """Whether there is compiled code."""
    from duetpy.runtime.sources import csv_kernels

    return csv_kernels.IS_COMPILED


@frozen(eq=False)
class CompiledBlock(RegularBlock):
    """Cells of some columns alone.

    Parameters
    ----------
    places
        The column of `starts` and `ends` for each position in a line.
    """

    places: dict[int, int] = field(kw_only=True)

    def spans(self, position: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        place = self.places[position]
        return self.starts[:, place], self.ends[:, place]

    def plain(self, position: int) -> PlainColumn | None:
        from duetpy.runtime.sources.csv_kernels import numbers

        starts, ends = self.spans(position)
        values, rest = np.empty(len(self)), np.empty(len(self), dtype=np.int64)
        left, digits_only = numbers(self.octets, starts, ends, *_powers(), values, values.view(np.uint64), rest)
        for cell in rest[:left].tolist():
            value = parse_real(self.octets[starts[cell] : ends[cell]].tobytes())
            if value is None:
                return None
            values[cell] = value
        return PlainColumn(values, ends - starts, digits_only and not left)


@cache
def _powers() -> tuple[NDArray[np.float64], NDArray[np.uint64]]:
    from duetpy.runtime.sources.csv_kernels import MOST_DIGITS, powers_of_five

    return np.array([10.0**power for power in range(MOST_DIGITS + 1)]), powers_of_five()


def cut(block: bytes, width: int, separator: bytes, positions: Sequence[int]) -> CompiledBlock | None:
    """The cells of a block of whole lines of ``width`` cells each, at some positions; None if they are to be found otherwise."""
    from duetpy.runtime.sources import csv_kernels

    octets = np.frombuffer(block, dtype=np.uint8)
    places = {position: place for place, position in enumerate(dict.fromkeys(positions))}
    wanted = np.full(width, -1, dtype=np.int64)
    for position, place in places.items():
        wanted[position] = place
    shape = (block.count(b"\n"), len(places))
    starts, ends = np.empty(shape, dtype=np.int64), np.empty(shape, dtype=np.int64)
    if csv_kernels.cut(octets, width, separator[0], wanted, starts, ends) < 0:
        return None
    return CompiledBlock(octets, starts, ends, None, places=places)
