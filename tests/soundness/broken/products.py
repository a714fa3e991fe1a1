"""Products of matrices, counts, and what is taken on trust."""

from __future__ import annotations

from tests.soundness.broken.mutant import Mutant, line

PRODUCTS = (
    Mutant(
        "a product of zeros is a constant, however many rows it has",
        "rules.products",
        "            on_left = never_zero(on_left)\n",
        "            on_left = 1 * on_left\n",
        ("product",),
    ),
    Mutant(
        "counted rows of one number are measured as real rows",
        "rules.products",
        "        case t.StaticReal(value) if matrix.rows is not None:\n",
        "        case t.StaticReal(value):\n",
        ("refused",),
    ),
    Mutant(
        "a product moves by the bound, however many columns the left side has",
        "rules.products",
        "on_left = t.norm_factor(norm, Norm.L1, left.matrix.width) * longest",
        "on_left = longest",
        ("product",),
    ),
    Mutant(
        "a product takes the bound of the right side in its own norm",
        "rules.products",
        "longest = t.norm_factor(right.bound.norm, norm, width) * right.bound.bound",
        "longest = right.bound.bound",
        ("product",),
    ),
    Mutant(
        "a row of the right side of a product is used once",
        "rules.products",
        "on_right = left.matrix.rows * left.bound.bound * ",
        "on_right = left.bound.bound * ",
        ("product",),
    ),
    Mutant(
        "a discrete row of the right side of a product is used once",
        "rules.products",
        "spread = INFINITY if left.matrix.rows is None else left.matrix.rows",
        "spread = Quantity.of(1)",
        ("product",),
    ),
    Mutant(
        "a side without a bound is bounded by 1",
        "rules.products",
        "    on_left = on_right = INFINITY\n",
        "    on_left = on_right = Quantity.of(1)\n",
        ("product",),
    ),
    Mutant(
        "a real factor of a discrete product moves it by 1",
        "rules.products",
        "first = args[0].context if left.is_discrete else args[0].context.unbounded()",
        "first = args[0].context",
        ("product",),
    ),
)

COUNTS = (
    line(
        "a count of rows counts rows",
        "prim count : ∀ m : ℕ, n : ℕ . 𝕄 [L∞, U | m, n⋅𝔻] ⊸[n] ℝ",
        "prim count : ∀ m : ℕ, n : ℕ . 𝕄 [L∞, U | m, n⋅𝔻] ⊸[1] ℝ",
        "count",
    ),
    line(
        "a count by L2 counts rows",
        "prim count : ∀ m : ℕ, n : ℕ . 𝕄 [L2, U | m, n⋅𝔻] ⊸[√n] ℝ",
        "prim count : ∀ m : ℕ, n : ℕ . 𝕄 [L2, U | m, n⋅𝔻] ⊸[1] ℝ",
        "count",
    ),
    line(
        "a count of real rows moves as they do",
        "prim count : ∀ m : ℕ, n : ℕ . 𝕄 [L∞, U | m, n⋅ℝ] ⊸[∞] ℝ",
        "prim count : ∀ m : ℕ, n : ℕ . 𝕄 [L∞, U | m, n⋅ℝ] ⊸[n] ℝ",
        "count",
    ),
    line("a number is rounded for 1", "prim round : ℝ ⊸[∞] ℝ", "prim round : ℝ ⊸[1] ℝ", "whole"),
    line("the exponential of a discrete number is free", "prim exp : 𝔻 ⊸[1] 𝔻", "prim exp : 𝔻 ⊸[0] 𝔻", "exp"),
)

TRUSTED = (
    Mutant(
        "foreign code is as sensitive as it says",
        "rules.trusted",
        "        if not known.leq(function.sensitivity):\n",
        "        if known is None:\n",
        ("opaque",),
    ),
    Mutant(
        "boxes cross to foreign code",
        "rules.trusted",
        "isinstance(part, t.Box | t.Fun | t.PFun | t.TypeVar | t.With)",
        "isinstance(part, t.Fun | t.PFun | t.TypeVar | t.With)",
        ("opaque",),
    ),
    Mutant(
        "what given does not list is free",
        "rules.trusted",
        'outside = in_the_clear(body.context.without(*roots), "is used in given but not listed between < and >")',
        "outside: dict[Root, Cost] = {}",
        ("given",),
    ),
    Mutant(
        "a promise holds for a move of any size",
        "rules.trusted",
        "costs.together(costs.group(size, cost) for size in sizes)",
        "costs.together(cost for size in sizes)",
        ("given",),
    ),
    Mutant(
        "a promise for one input holds for two that move",
        "rules.trusted",
        "spent[root] = costs.together(costs.group(size, cost) for size in sizes)",
        "spent[root] = costs.choice(costs.group(size, cost) for size in sizes)",
        ("given",),
    ),
    Mutant(
        "a promise of 0",
        "rules.trusted",
        '        checker.obligate(low, "<", value, reason, written.span)\n',
        "",
        ("given",),
    ),
    Mutant(
        "the upper bound of a random number is free",
        "rules.selection",
        'in_the_clear(low.context + high.context, "bounds a random number")',
        'in_the_clear(low.context, "bounds a random number")',
        ("rand-nat",),
    ),
    Mutant(
        "the lower bound of a random number is free",
        "rules.selection",
        'in_the_clear(low.context + high.context, "bounds a random number")',
        'in_the_clear(high.context, "bounds a random number")',
        ("rand-nat",),
    ),
)
