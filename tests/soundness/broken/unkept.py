"""Memory of tables that are not kept; `tests.runtime.test_streamed_sources` has the check."""

from __future__ import annotations

from tests.soundness.broken.mutant import Mutant

UNKEPT = (
    Mutant(
        "what a function makes of rows needs no room",
        "runtime.release.fitting",
        "return frozenset(found & inside)",
        "return frozenset(found)",
        ("mclip",),
    ),
    Mutant(
        "a table that fits needs no room",
        "runtime.release.fitting",
        "is_unkept = isinstance(value, MatrixValue) and value.is_streamed",
        "is_unkept = name in reading.streamable",
        ("mclip",),
    ),
)
