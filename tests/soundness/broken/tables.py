"""Filters, entries, columns and joins; what a table may stand for."""

from __future__ import annotations

from tests.soundness.broken.mutant import Mutant

TABLES = (
    Mutant(
        "a filter of a fixed number of rows costs 1",
        "matrices",
        "rows_moved.scaled(Quantity.of(2))",
        "rows_moved",
        ("mfilter",),
    ),
    Mutant(
        "what a filter's predicate captures does not count in the number of rows",
        "matrices",
        "count=count + captured.unbounded())",
        "count=count)",
        ("mfilter",),
    ),
    Mutant(
        "a filter of real rows costs 1",
        "matrices",
        "return Judged(result, source.context.unbounded() + captured.unbounded())",
        "return Judged(result, source.context + captured.unbounded())",
        ("mfilter",),
    ),
    Mutant(
        "a private index costs 1",
        "matrices",
        "indices = row.context.unbounded() + (EMPTY if col is None else col.context.unbounded())",
        "indices = row.context + (EMPTY if col is None else col.context)",
        ("index",),
    ),
    Mutant(
        "a private place of an update costs 1",
        "matrices",
        "indices = row.context.unbounded() + col.context.unbounded()",
        "indices = row.context + col.context",
        ("update",),
    ),
    Mutant(
        "an update forgets what it puts in",
        "matrices",
        "return Judged(evolve(matrix, clip=None), source.context + indices + moved)",
        "return Judged(evolve(matrix, clip=None), source.context + indices)",
        ("update",),
    ),
    Mutant(
        "an update of a ★ table moves one row",
        "matrices",
        "return Quantity.of(2) if all(t.is_discrete(column) for column in matrix.column_types()) else INFINITY",
        "return ONE",
        ("update",),
    ),
    Mutant(
        "columns of a mixed ★ table are measured like the table",
        "matrices",
        "context = source.context if matrix.rows is not None or has_one_metric(matrix) else source.context.unbounded()",
        "context = source.context",
        ("select",),
    ),
    Mutant(
        "zip charges its first table only",
        "primitives",
        "    together = args[0].context + args[1].context\n    matrices",
        "    together = args[0].context\n    matrices",
        ("zip",),
    ),
    Mutant(
        "the number of real ★ rows moves as the rows do",
        "primitives",
        "context = arg.context.unbounded() if moved is None else moved",
        "context = arg.context if moved is None else moved",
        ("rows",),
    ),
    Mutant(
        "join charges its right table 1",
        "columns",
        "total = moved + right.context.unbounded()",
        "total = moved + right.context",
        ("join",),
    ),
    Mutant(
        "join of a fixed number of rows costs 1",
        "columns",
        "moved = left.context if left.type.rows is None else left.context.scaled(Quantity.of(2))",
        "moved = left.context",
        ("join",),
    ),
    Mutant(
        "a fixed number of rows becomes ★ for free",
        "subtype",
        "            return Quantity.of(2)\n",
        "            return ONE\n",
        ("coerce",),
    ),
    Mutant(
        "reals become discrete for free",
        "subtype",
        "return ONE if is_separated(left) else INFINITY",
        "return ONE",
        ("disc", "equal"),
    ),
    Mutant(
        "any norm stands for any other",
        "subtype",
        "return _COARSENESS[left] <= _COARSENESS[right]",
        "return True",
        ("renorm", "tr"),
    ),
    Mutant(
        "a bound stands for a smaller one",
        "subtype",
        "is_finer(known.norm, wanted.norm) and known.bound.leq(wanted.bound)",
        "is_finer(known.norm, wanted.norm)",
        ("mconv",),
    ),
    Mutant(
        "a bound in one norm stands for any norm",
        "subtype",
        "is_finer(known.norm, wanted.norm) and known.bound.leq(wanted.bound)",
        "known.bound.leq(wanted.bound)",
        ("mconv",),
    ),
    Mutant(
        "a more sensitive function stands for a less sensitive one",
        "subtype",
        "        and left.sensitivity.leq(wanted.sensitivity)\n",
        "",
        ("application",),
    ),
)
