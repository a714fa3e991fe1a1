"""Broken rules for values that may be missing."""

from __future__ import annotations

from tests.soundness.broken.mutant import Mutant, line

MISSING = (
    Mutant(
        "whether a value is missing is public in case",
        "rules.missing",
        "judge_branch(checker, node.there, absent), absent, moved)",
        "judge_branch(checker, node.there, absent), absent, EMPTY)",
        ("some",),
    ),
    Mutant(
        "the branches of case are as far apart as the values",
        "rules.missing",
        "moved = scrutinee.context.unbounded()",
        "moved = scrutinee.context",
        ("some",),
    ),
    Mutant(
        "of two branches only the one for a value moves",
        "rules.missing",
        "judge_branch(checker, node.there, absent), absent, moved)",
        "judge_branch(checker, node.there, absent), Judged(absent.type, range=absent.range), moved)",
        ("some",),
    ),
    Mutant(
        "which branch of a private case runs is not seen",
        "rules.missing",
        "return either(checker, node, scrutinee, there",
        "return either(checker, node, Judged(scrutinee.type), there",
        ("private-some",),
    ),
    Mutant(
        "a real number stands for one that may be missing at its distance",
        "subtype",
        "return t.is_separated(left) and _has_values_of(left, wanted_inner)",
        "return _has_values_of(left, wanted_inner)",
        ("or-else",),
    ),
    Mutant(
        "a real number becomes one that may be missing at factor 1",
        "subtype",
        "        case _, t.Maybe(inner) if not isinstance(left, t.Maybe) and _has_values_of(left, inner):\n"
        "            return ONE if t.is_separated(left) else INFINITY",
        "        case _, t.Maybe(inner) if not isinstance(left, t.Maybe) and _has_values_of(left, inner):\n"
        "            return ONE",
        ("or-else",),
    ),
    line(
        "what replaces a missing value is public",
        "prim (or-else) : ∀ τ : ☆K . 𝐝 τ? ⊸[1] 𝐝 τ ⊸[1] 𝐝 τ",
        "prim (or-else) : ∀ τ : ☆K . 𝐝 τ? ⊸[1] 𝐝 τ ⊸[0] 𝐝 τ",
        "or-else",
    ),
    line(
        "a replaced value does not depend on whether it was missing",
        "prim (or-else) : ∀ τ : ☆K . 𝐝 τ? ⊸[1] 𝐝 τ ⊸[1] 𝐝 τ",
        "prim (or-else) : ∀ τ : ☆K . 𝐝 τ? ⊸[0] 𝐝 τ ⊸[1] 𝐝 τ",
        "or-else",
    ),
    line(
        "whether a value is missing costs nothing",
        "prim is-missing : ∀ τ : ☆K . 𝐝 τ? ⊸[1] 𝔹",
        "prim is-missing : ∀ τ : ☆K . 𝐝 τ? ⊸[0] 𝔹",
        "is-missing",
    ),
    Mutant(
        "what replaces a missing number is a real number again",
        "prelude.duet",
        "prim (or-else) : ∀ τ : ☆K . 𝐝 τ? ⊸[1] 𝐝 τ ⊸[1] 𝐝 τ",
        "prim (or-else) : ∀ τ : ☆K . 𝐝 τ? ⊸[1] 𝐝 τ ⊸[1] τ",
        ("or-else",),
    ),
)

OF_CELLS = (
    Mutant(
        "a row without a key is in the part of the empty text",
        "runtime.values.matrix_ops",
        "return np.where(is_there, codes_of(held, lanes, elements), -1)",
        "return codes_of(held, lanes, elements)",
        ("parts",),
    ),
    Mutant(
        "a missing number is 0 in a batch",
        "runtime.evaluation.kernels",
        "return select(is_there, held, default)",
        "return held",
        ("replaced",),
    ),
    Mutant(
        "a value that is there is missing in a batch if another one is",
        "runtime.evaluation.kernels",
        "return Truths(~value.is_there)",
        "return not value.is_there.all()",
        ("counted",),
    ),
    Mutant(
        "the empty text is a missing one",
        "runtime.sources.cells",
        "if column.missing is None or is_quoted:",
        "if column.missing is None:",
        ("counted",),
    ),
    Mutant(
        "the empty text is a missing one in a regular block",
        "runtime.sources.whole_columns",
        "missing if is_quoted is None else missing & ~is_quoted",
        "missing",
        ("counted",),
    ),
    Mutant(
        "two missing values differ",
        "runtime.values.comparing",
        " | ~(left.is_there | right.is_there))",
        ")",
        ("equal",),
    ),
    Mutant(
        "a missing value is equal to what stands in its place in a batch",
        "runtime.values.comparing",
        "left.is_there & right.is_there & same.values",
        "same.values",
        ("equal",),
    ),
    Mutant(
        "columns of plain numbers have no missing ones",
        "runtime.sources.whole_columns",
        "        missing = _missing(cells, column, lines.quoted(position))\n        if missing is not None:\n            listed",
        "        missing = None\n        if missing is not None:\n            listed",
        ("spelled",),
    ),
    Mutant(
        "a missing number counts as a key",
        "runtime.release.key_counts",
        "return there, take(held, there)",
        "return np.arange(lanes), held",
        ("keys",),
    ),
)
"""What a run makes of missing cells; what they name is a check of `tests/runtime/test_missing_cells.py`."""
