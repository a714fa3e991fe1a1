"""What is wrong with ranges where a run reads cells; what they name is a check of `tests/runtime/test_ranges.py`."""

from __future__ import annotations

from tests.soundness.broken.mutant import Mutant

OF_RANGES = (
    Mutant(
        "a cell of a line outside of its range is good",
        "runtime.sources.cells",
        "return real if real is not None and column.holds_real(real) else None",
        "return real",
        ("lines",),
    ),
    Mutant(
        "plain cells are not held to their range",
        "runtime.sources.whole_columns",
        "np.clip(values, low, high), outside if outside.any() else None",
        "values, None",
        ("blocks",),
    ),
    Mutant(
        "plain cells outside of their range are brought into it and not refused",
        "runtime.sources.whole_columns",
        "np.clip(values, low, high), outside if outside.any() else None",
        "np.clip(values, low, high), None",
        ("blocks",),
    ),
    Mutant(
        "finite cells of an array are in every range",
        "runtime.sources.array_cells",
        "return column.within is None or bool(column.within[0] <= values.min() and values.max() <= column.within[1])",
        "return True",
        ("arrays",),
    ),
    Mutant(
        "cells of objects are brought into their range and not refused",
        "runtime.sources.array_cells",
        "        bad |= (values < low) | (values > high)\n",
        "",
        ("objects",),
    ),
    Mutant(
        "cells of objects stay outside of their range",
        "runtime.sources.array_cells",
        "        values = np.clip(values, low, high)\n",
        "",
        ("objects",),
    ),
    Mutant(
        "what takes the place of a cell is in no range",
        "runtime.sources.table",
        "return value if self.within is None else min(max(value, self.within[0]), self.within[1])",
        "return value",
        ("lines",),
    ),
    Mutant(
        "a number outside of its range counts as the default",
        "runtime.sources.cells",
        "value = None if outside is None else column.nearest(outside)",
        "value = None",
        ("lines",),
    ),
    Mutant(
        "a first line with a number outside of its range is a header",
        "runtime.sources.csv",
        "(cells[at], evolve(column, within=None))",
        "(cells[at], column)",
        ("headers",),
    ),
    Mutant(
        "a single number outside of its range is not refused",
        "runtime.sources.binding",
        'if number != counted and reading.on_bad_row == "refuse":',
        'if number is None and reading.on_bad_row == "refuse":',
        ("values",),
    ),
    Mutant(
        "a single number stays outside of its range",
        "runtime.sources.binding",
        "    return counted\n",
        "    return Fraction(0) if number is None else number\n",
        ("values",),
    ),
    Mutant(
        "what takes the place of a single number is in no range",
        "runtime.sources.binding",
        "return nearest_in(type_, Fraction(0))",
        "return Fraction(0)",
        ("foreign",),
    ),
    Mutant(
        "a single number that may be missing is missing if it is outside of its range",
        "runtime.sources.binding",
        'if isinstance(cell, t.Bounded) and reading.on_bad_row != "refuse" and',
        "if False and",
        ("values",),
    ),
    Mutant(
        "a column with a range needs no default",
        "runtime.release.defaults",
        "isinstance(inner, t.Real | t.Bounded | t.Nat | t.Idx | t.Bool | t.Date)",
        "isinstance(inner, t.Real | t.Nat | t.Idx | t.Bool | t.Date)",
        ("declared",),
    ),
    Mutant(
        "a row is brought within its length and out of its ranges",
        "runtime.sources.verification",
        "return isinstance(element, t.Bounded) and not element.low <= 0 <= element.high",
        "return False",
        ("lengths",),
    ),
    Mutant(
        "a default may lie outside of the range of its column",
        "elaborate",
        "case t.Bounded(low, high) if not isinstance(value, bool) and low <= value <= high:",
        "case t.Bounded() if not isinstance(value, bool):",
        ("declared",),
    ),
)
