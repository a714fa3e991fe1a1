"""Quicker ways of computing that compute something else; each names the check of `tests.runtime.test_quick_ways_wrong`."""

from __future__ import annotations

from tests.soundness.broken.mutant import Mutant

QUICK_WAYS = (
    Mutant(
        "a limit that is no double stands at one of the two next to it",
        "runtime.evaluation.step_sums",
        "for bound in (float_down, float_up)]",
        "for bound in (float_down, float_down)]",
        ("kinds",),
    ),
    Mutant(
        "rows at a limit are counted with those above it",
        "runtime.evaluation.step_sums",
        'np.searchsorted(ordered, borders, "right")',
        'np.searchsorted(ordered, borders, "left")',
        ("kinds",),
    ),
    Mutant(
        "each kind of row counts once",
        "runtime.evaluation.step_sums",
        "count * terms.exactly((at,))",
        "terms.exactly((at,))",
        ("kinds",),
    ),
    Mutant(
        "the row that stands for those between two limits is at one of them",
        "runtime.evaluation.step_sums",
        "np.nextafter(borders[0], -math.inf), np.nextafter(borders, math.inf)",
        "np.nextafter(borders[0], -math.inf), borders",
        ("kinds",),
    ),
    Mutant(
        "the row that stands for natural cells is on the other side of the limit",
        "runtime.evaluation.step_sums",
        "np.maximum(np.floor(cells), 0.0), np.ceil(cells)",
        "np.ceil(cells), np.floor(cells)",
        ("naturals",),
    ),
    Mutant(
        "a term may look at two columns as if they were one",
        "runtime.evaluation.step_sums",
        "if cell is None or self.column not in (None, cell):",
        "if cell is None:",
        ("columns",),
    ),
    Mutant(
        "the first column that is sorted stands for all",
        "runtime.evaluation.step_sums",
        'key = ("in order", place)',
        'key = ("in order", 0)',
        ("columns",),
    ),
    Mutant(
        "a term may look at more than how a cell compares",
        "runtime.evaluation.step_sums",
        "                return False\n            case core.Prim(name=name, args=args) if facts_of(name).compares:\n"
        "                return self._is_with_number(*args) or inner(*args)\n",
        "                return False\n            case core.Prim(name=name, args=args) if facts_of(name).compares:\n"
        "                return self._is_with_number(*args) or True\n",
        ("columns",),
    ),
    Mutant(
        "of the rows that a filter keeps each kind counts once",
        "runtime.evaluation.step_sums",
        "sum(kinds.counts[at] for at in places.of(kinds.one_of_each).tolist())",
        "len(places.of(kinds.one_of_each))",
        ("kept",),
    ),
    Mutant(
        "a filter may look at more than how a cell compares",
        "runtime.evaluation.step_sums",
        "if not compared.are_all_of(body) or compared.column is None:",
        "if compared.are_all_of(body) and compared.column is None:",
        ("kept",),
    ),
    Mutant(
        "a number between two keys is one of them",
        "runtime.values.matrix_ops",
        '        codes[doubles.take(at, mode="clip") != part] = -1\n',
        "",
        ("codes",),
    ),
    Mutant(
        "entries made one after another change rows and columns",
        "runtime.evaluation.entry_by_entry",
        "row, column = divmod(at, width)",
        "column, row = divmod(at, width)",
        ("entries",),
    ),
    Mutant(
        "all entries are computed for the first place",
        "runtime.evaluation.entry_by_entry",
        "for i in range(rows) for j in range(width)]",
        "for i in range(rows) for _ in range(width) for j in [0]]",
        ("entries",),
    ),
    Mutant(
        "all rows of a shared table are the first",
        "runtime.evaluation.entry_by_entry",
        "else row_of(table, at)",
        "else row_of(table, 0)",
        ("maps",),
    ),
    Mutant(
        "counts may be longer than int64",
        "runtime.exact.exact_sum",
        "room = max(1, values.size.bit_length() - 10)",
        "room = max(1, values.size.bit_length() - 12)",
        ("sums",),
    ),
    Mutant(
        "what carries out of int64 is lost",
        "runtime.exact.exact_sum",
        "(counts + (1 << 63)) % (1 << 64) - (1 << 63)",
        "counts",
        ("sums",),
    ),
    Mutant(
        "what rounding takes away is not summed",
        "runtime.exact.exact_sum",
        "if not steps.any():",
        "if steps.size:",
        ("sums",),
    ),
    Mutant(
        "of two numbers bits of both are taken",
        "runtime.exact.rationals",
        "    every ^= other\n",
        "    every |= other\n",
        ("chosen",),
    ),
    Mutant(
        "what is divided by 0 is left as it is",
        "runtime.evaluation.kernels",
        "return top / bottom if bottom else np.zeros(top.shape)",
        "return top / bottom if bottom else top",
        ("divided",),
    ),
    Mutant(
        "one finite cell makes all of a column good",
        "runtime.sources.array_cells",
        "return bool(np.isfinite(held).all())",
        "return bool(np.isfinite(held).any())",
        ("cells",),
    ),
    Mutant(
        "whole numbers may be as large as they like",
        "runtime.sources.array_cells",
        "return bool(cells.min() >= 0 and cells.max() <= _greatest(column))",
        "return bool(cells.min() >= 0)",
        ("cells",),
    ),
    Mutant(
        "an equal byte keeps a row",
        "runtime.release.selecting",
        "kept.append(numbers[~is_equal])",
        "kept.append(numbers)",
        ("rows",),
    ),
)
