"""Broken rules for bags, records and data frames."""

from __future__ import annotations

from tests.soundness.broken.mutant import Mutant, line

KINDS = (("", "𝔹"), ("", "𝕊"), ("", "Date"), ("∀ τ : ☆K . ", "𝐝 τ"))
"""The cells of a column, with what stands before them in the prelude."""

FRAMES = (
    line(
        "the first row is public",
        "prim first : ∀ ς : ☆K . 𝕄 [L∞, U | ★, 𝐝 ς] ⊸[1]",
        "prim first : ∀ ς : ☆K . 𝕄 [L∞, U | ★, 𝐝 ς] ⊸[0]",
        "first",
    ),
    line(
        "the last row is public",
        "prim last : ∀ ς : ☆K . 𝕄 [L∞, U | ★, 𝐝 ς] ⊸[1]",
        "prim last : ∀ ς : ☆K . 𝕄 [L∞, U | ★, 𝐝 ς] ⊸[0]",
        "last",
    ),
    *(
        line(
            f"the most frequent {kind} is public",
            f"prim mode : {kinds}𝕄 [L∞, U | ★, 1⋅{kind}?] ⊸[1] {kind}?",
            f"prim mode : {kinds}𝕄 [L∞, U | ★, 1⋅{kind}?] ⊸[0] {kind}?",
            "mode",
        )
        for kinds, kind in KINDS
    ),
    *(
        line(
            f"the set of a column of {kind} is public",
            f"prim elements : {kinds}𝕄 [L∞, U | ★, 1⋅{kind}?] ⊸[1]",
            f"prim elements : {kinds}𝕄 [L∞, U | ★, 1⋅{kind}?] ⊸[0]",
            "elements",
        )
        for kinds, kind in KINDS
    ),
    line(
        "the different rows are public",
        "prim distinct : ∀ ς : ☆K . 𝕄 [L∞, U | ★, 𝐝 ς] ⊸[1]",
        "prim distinct : ∀ ς : ☆K . 𝕄 [L∞, U | ★, 𝐝 ς] ⊸[0]",
        "distinct",
    ),
    Mutant(
        "different rows are in order",
        "rules.primitives",
        "ordered = stated.keeps and args[0].ordered",
        "ordered = stated.keeps",
        ("distinct",),
    ),
    Mutant(
        "how many rows are different, no row that is replaced changes",
        "rules.primitives",
        "count = args[0].count if has_unknown_rows(args[0].type) else args[0].context",
        "count = args[0].count if has_unknown_rows(args[0].type) else EMPTY",
        ("distinct",),
    ),
    Mutant(
        "rows of any cells have an order",
        "rules.primitives",
        "        if not has_plain_rows(table):\n",
        "        if False:\n",
        ("refused", "first"),
    ),
    Mutant(
        "real rows have an order",
        "rules.primitives",
        "all(is_plain(column) and t.is_separated(column) for column in",
        "all(is_plain(column) for column in",
        ("refused", "distinct"),
    ),
    Mutant(
        "a row that is joined with k others moves the join by one row",
        "rules.joins",
        "table.context.scaled(most if",
        "table.context.scaled(ONE if",
        ("joinDF",),
    ),
    Mutant(
        "a join has as many rows more as the table on its left",
        "rules.joins",
        "count.scaled(most) + clear",
        "count + clear",
        ("joinDF",),
    ),
    Mutant(
        "a table is joined with any number of rows",
        "rules.joins",
        'static_whole(checker, bound[0], counted[0], "the number of rows that a row is joined with")',
        "ONE",
        ("refused", "joinDF"),
    ),
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
        "a column more moves a row by the larger move in every norm",
        "rules.frames",
        "widest = isinstance(left.type, t.Matrix) and left.type.norm is Norm.LINF",
        "widest = True",
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
        "return all(fields)",
        "return any(fields)",
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
        "{name.text} if vanishes(bound, zeros) else set()",
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
