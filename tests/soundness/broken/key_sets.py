"""Sets of keys: what a row counts for, how likely a key is shown, and what is charged for it."""

from __future__ import annotations

from tests.soundness.broken.mutant import Mutant

KEY_SETS = (
    Mutant(
        "all keys of a row cost as much as one",
        "rules.key_sets",
        "costs.group(size, costs.repeat(moved, atom))",
        "costs.group(size, atom)",
        ("keys",),
    ),
    Mutant(
        "a replaced row moves the keys that it has and not those that it had",
        "rules.key_sets",
        "moved = most if matrix.rows is None else 2 * most",
        "moved = most",
        ("keys",),
    ),
    Mutant(
        "a move by several rows is charged as one",
        "rules.key_sets",
        "root: costs.group(size, costs.repeat(moved, atom)) for",
        "root: costs.repeat(moved, atom) for",
        ("keys",),
    ),
    Mutant(
        "what finds the keys of a row is free",
        "rules.key_sets",
        "in_the_clear(found.context.without(row), ",
        "in_the_clear(Context(), ",
        ("keys",),
    ),
    Mutant(
        "a table that is not listed is free",
        "rules.key_sets",
        "in_the_clear(tossed, ",
        "in_the_clear(Context(), ",
        ("keys",),
    ),
    Mutant(
        "a row of one key may be charged for more than one",
        "rules.key_sets",
        '        checker.obligate(most, "≤", ONE, "the body gives one key of a row, not a set of several", node.span)\n',
        "        pass\n",
        ("keys",),
    ),
    Mutant(
        "a row may have no key to count",
        "rules.key_sets",
        '        checker.obligate(ONE, "≤", most, f"k of {node.name} is at least 1", written.span)\n',
        "        pass\n",
        ("keys",),
    ),
    Mutant(
        "rows of reals have keys",
        "rules.key_sets",
        "    if not (t.counts_rows(matrix) if matrix.rows is None else t.replaces_rows(matrix)):\n",
        "    if False:\n",
        ("keys",),
    ),
    Mutant(
        "keys are shown in every notion",
        "rules.key_sets",
        "    if checker.notion in priced:\n",
        "    if True:\n",
        ("keys",),
    ),
    Mutant(
        "reals in a pair are keys",
        "rules.key_sets",
        "    if not t.is_separated(key):\n",
        "    if False:\n",
        ("keys",),
    ),
    Mutant(
        "every key of a row counts",
        "runtime.release.key_counts",
        "key=place)[:most]",
        "key=place)",
        ("keys",),
    ),
    Mutant(
        "a key counts as often as a row has it",
        "runtime.release.key_counts",
        "pairs = np.unique(owners * max(1, len(keys)) + codes)",
        "pairs = np.sort(owners * max(1, len(keys)) + codes)",
        ("keys",),
    ),
    Mutant(
        "a key of one row is shown with twice the probability",
        "accounting.kept_keys",
        "    found = [0]\n",
        "    found = [0, 2 * leak]\n",
        ("keys",),
    ),
    Mutant(
        "every key is shown as if one more row had it",
        "accounting.kept_keys",
        "    return tuple(found)\n",
        "    return tuple([0, *found[2:], ONE])\n",
        ("keys",),
    ),
    Mutant(
        "a key of two rows is shown a hundredth more often",
        "accounting.kept_keys",
        "    return tuple(found)\n",
        "    return tuple([*found[:2], found[2] * 101 // 100, *found[3:]])\n",
        ("keys",),
    ),
    Mutant(
        "keys are never left out once half of them are shown",
        "accounting.kept_keys",
        "        found.append(min(rising, falling, ONE))\n",
        "        found.append(min(rising, ONE))\n",
        ("keys",),
    ),
    Mutant(
        "the coins of a key are of all of ε and δ, whatever k is",
        "runtime.release.selecting",
        "    epsilon, delta = (kinds.below(param, site.span) for param in site.atom.params)\n",
        "    epsilon, delta = (kinds.below(site.sensitivity * param, site.span) for param in site.atom.params)\n",
        ("keys",),
    ),
)
