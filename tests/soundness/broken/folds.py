"""Sums and folds over rows."""

from __future__ import annotations

from tests.soundness.broken.mutant import Mutant

FOLDS = (
    Mutant(
        "a row that has the name of the state is taken for the state",
        "fold_patterns",
        "    if state == node.row.text:\n",
        "    if node is None:\n",
        ("mfold-row",),
    ),
    Mutant(
        "real rows of unknown number are added whatever 0 adds",
        "rules.folds",
        "        if not vanishes(added, frozenset({node.row.text})):\n",
        "        if added is None:\n",
        ("mfold-row",),
    ),
    Mutant(
        "a sum over real ★ rows is 1-sensitive",
        "rules.folds",
        "moved = source.context.scaled(term.context[row] * factor)",
        "moved = source.context",
        ("mfold-row",),
    ),
    Mutant(
        "a sum is measured in the norm of its rows",
        "rules.folds",
        "    return measured * t.norm_factor(type_.norm, state_type.norm, type_.width)\n",
        "    return measured\n",
        ("mfold-row",),
    ),
    Mutant(
        "a sum charges what it captures once",
        "rules.folds",
        "moved = source.context.scaled(term.context[row]) + captured.scaled(matrix.rows)",
        "moved = source.context.scaled(term.context[row]) + captured",
        ("mfold-row",),
    ),
    Mutant(
        "a sum is 1-sensitive whatever it adds",
        "rules.folds",
        "moved = source.context.scaled(term.context[row]) + captured.scaled(matrix.rows)",
        "moved = source.context + captured.scaled(matrix.rows)",
        ("mfold-row",),
    ),
    Mutant(
        "a sum over ★ rows costs 1 a row",
        "rules.folds",
        "counted.scaled(bound) + captured.unbounded()",
        "counted + captured.unbounded()",
        ("mfold-row",),
    ),
    Mutant(
        "a sum over ★ rows charges what it captures once",
        "rules.folds",
        "counted.scaled(bound) + captured.unbounded()",
        "counted.scaled(bound) + captured",
        ("mfold-row",),
    ),
    Mutant(
        "the largest of many numbers lies in the range of the first",
        "ranges",
        "return Range(first.low, _larger(first.high, each.high))",
        "return Range(first.low, first.high)",
        ("mfold-row",),
    ),
    Mutant(
        "the largest of many numbers is at least as large as a row can make it",
        "ranges",
        "return Range(first.low, _larger(first.high, each.high))",
        "return Range(_larger(first.low, each.low), _larger(first.high, each.high))",
        ("mfold-row",),
    ),
    Mutant(
        "the smallest of many numbers lies in the range of what a row has",
        "ranges",
        "return Range(-_larger(-first.low, -each.low), first.high)",
        "return Range(each.low, each.high)",
        ("mfold-row",),
    ),
    Mutant(
        "what the largest of many numbers captures moves it as it moves one of them, once for all rows",
        "rules.folds",
        "moved = (source.context + term.context.without(row)).unbounded()",
        "moved = source.context",
        ("mfold-row",),
    ),
    Mutant(
        "a sum of what rows hold counts rows",
        "rules.folds",
        "same_for_all = term.context[row].is_zero",
        "same_for_all = True",
        ("mfilter",),
    ),
    Mutant(
        "later rows do not amplify a row's move",
        "rules.folds",
        "    if s.leq(ONE) or rows == ONE:\n        on_rows = ONE\n",
        "    if per_row.leq(ONE):\n        on_rows = ONE\n",
        ("mfold-row",),
    ),
    Mutant(
        "a fold applies its body once to the initial value",
        "rules.folds",
        "return init.context.scaled(on_state) + source",
        "return init.context + source",
        ("mfold-row",),
    ),
    Mutant(
        "a fold charges what it captures once",
        "rules.folds",
        "+ captured.scaled(on_captured)",
        "+ captured",
        ("mfold-row",),
    ),
)
