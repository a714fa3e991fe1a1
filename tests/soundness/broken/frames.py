"""Broken rules for bags, records and data frames."""

from __future__ import annotations

from tests.soundness.broken.mutant import Mutant

FRAMES = (
    Mutant(
        "bmap of a fixed number of rows charges what it captures once",
        "rules.frames",
        "captured.scaled(matrix.rows)",
        "captured",
        ("bmap",),
    ),
    Mutant(
        "bmap bounds a real element by its distance only",
        "rules.frames",
        "INFINITY if bounds is None else bounds.magnitude",
        "ONE if bounds is None else bounds.magnitude",
        ("refused", "bmap"),
    ),
    Mutant(
        "bmap forgets how far the rows of its body reach",
        "rules.frames",
        "        return evolve(body.type, rows=matrix.rows), bound",
        "        return evolve(body.type, rows=matrix.rows), ONE",
        ("bmap",),
    ),
    Mutant(
        "a row more changes a part in one way only",
        "rules.frames",
        "moved = parts_touched.scaled(Quantity.of(2)) + keys.context.unbounded()",
        "moved = parts_touched + keys.context.unbounded()",
        ("partitionDF",),
    ),
    Mutant(
        "a replaced row changes one part",
        "rules.frames",
        "parts_touched = source.context if matrix.rows is None else source.context.scaled(Quantity.of(2))",
        "parts_touched = source.context",
        ("partitionDF",),
    ),
    Mutant(
        "the keys of partitionDF cost 1",
        "rules.frames",
        "parts_touched.scaled(Quantity.of(2)) + keys.context.unbounded()",
        "parts_touched.scaled(Quantity.of(2)) + keys.context",
        ("partitionDF",),
    ),
    Mutant(
        "parts of rows that move a little are parts of rows that are replaced",
        "rules.frames",
        "        return Judged(result, context.unbounded())",
        "        return Judged(result, context.scaled(Quantity.of(4)))",
        ("partitionDF",),
    ),
    Mutant(
        "a column more is free",
        "rules.frames",
        "left.context.join(right.context) if widest else left.context + right.context",
        "left.context",
        ("addColDF",),
    ),
    Mutant(
        "of a record the last field alone is charged",
        "rules.frames",
        "context = context.join(field.context)",
        "context = field.context",
        ("record",),
    ),
    Mutant(
        "a field of a written record moves as its first one does",
        "rules.matrices",
        "source.parts[checker.annotations.places[node][0]]",
        "source.parts[0]",
        ("record",),
    ),
    Mutant(
        "a record of reals vanishes where one of its fields does",
        "fold_patterns",
        "all(vanishes(value, zeros, deeper) for value in values)",
        "any(vanishes(value, zeros, deeper) for value in values)",
        ("refused",),
    ),
    Mutant(
        "a real row map on ★ need not keep zero",
        "fold_patterns",
        "            return value == 0",
        "            return True",
        ("refused", "bmap", "mfold-row"),
    ),
    Mutant(
        "a name that is bound again is still zero",
        "fold_patterns",
        "{name.text} if vanishes(bound, zeros, deeper) else set()",
        "{name.text}",
        ("refused", "bmap"),
    ),
    Mutant(
        "a table that counts rows is one that matches them",
        "subtype",
        "and (left.rows is not None or t.counts_rows(left) == t.counts_rows(right))",
        "",
        ("refused", "bmap"),
    ),
)
