"""Gradients in whole steps that are not whole, too long, or not summed exactly; each names the check that sees it."""

from __future__ import annotations

from tests.soundness.broken.mutant import Mutant

GRID = (
    Mutant(
        "the chances of classes are rounded to nearest",
        "runtime.evaluation.loss_functions",
        "np.floor(odds * ONE / odds.sum(axis=1)[:, None])",
        "np.rint(odds * ONE / odds.sum(axis=1)[:, None])",
        ("chances",),
    ),
    Mutant(
        "the class of the label has a chance of its own",
        "runtime.evaluation.loss_functions",
        "own.astype(np.intp)] -= ONE",
        "own.astype(np.intp)] = -ONE",
        ("weights",),
    ),
    Mutant(
        "light and heavy are rounded apart",
        "runtime.evaluation.loss_functions",
        "np.where(labels > 0.0, ONE, 0.0)",
        "np.where(labels > 0.0, ONE + 1.0, 0.0)",
        ("weights",),
    ),
    Mutant(
        "a residual beyond the threshold is as it is",
        "runtime.evaluation.loss_functions",
        "np.clip(share, -1.0, 1.0)",
        "share",
        ("weights",),
    ),
    Mutant(
        "the steps of a model follow from its largest entry",
        "runtime.evaluation.gradient",
        "if all(_has_room([abs(int(step)) for step in one], norm) for one in steps.tolist()):",
        "if True:",
        ("margins",),
    ),
    Mutant(
        "a model is measured in the norm of the rows",
        "runtime.evaluation.gradient",
        "            return max(sizes, default=0) <= 1 << MODEL_BITS\n        case Norm.L2:\n"
        "            return sum(size * size for size in sizes) <= 1 << 2 * MODEL_BITS\n        case Norm.LINF:\n"
        "            return sum(sizes) <= 1 << MODEL_BITS\n",
        "            return sum(sizes) <= 1 << MODEL_BITS\n        case Norm.L2:\n"
        "            return sum(size * size for size in sizes) <= 1 << 2 * MODEL_BITS\n        case Norm.LINF:\n"
        "            return max(sizes, default=0) <= 1 << MODEL_BITS\n",
        ("margins",),
    ),
    Mutant(
        "rows are rounded to nearest, however long they become",
        "runtime.evaluation.gradient",
        "near[too_long] = np.trunc(exact[too_long])",
        "near[too_long] += 0.0",
        ("rows",),
    ),
    Mutant(
        "rows in whole steps are remembered without their bound",
        "runtime.evaluation.gradient",
        "known = table.memo.get(step)",
        "known = next((made for of, made in table.memo.items() if type(of) is type(step)), None)",
        ("two bounds",),
    ),
    Mutant(
        "sums are kept in 64 bits",
        "runtime.evaluation.gradient",
        "np.asarray(left + right.astype(np.object_), dtype=np.object_)",
        "np.asarray(left.astype(np.int64) + right.astype(np.int64)).astype(np.object_)",
        ("sums",),
    ),
    Mutant(
        "norms are summed as they are",
        "runtime.values.clipping",
        "unit = times_two_to(rows, -exponent)",
        "unit = rows",
        ("norms",),
    ),
)
