"""From a cost term and numbers to the multiset of privacy losses that it composes.

Sequential composition of dominating pairs is order-free, and adaptive: every mechanism is a post-processing of its pair, and
pairs with fixed parameters may be drawn in advance. So a term becomes a multiset of losses; a loss of which only a Rényi
curve is known may stand between the others, since given their outputs it is composed with its like by its curve.

Proof steps leave no trace here: a `Converted` body or an `Advanced` loop is the mechanism that it is.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import assert_never

from duetpy.accounting.expressions import Values
from duetpy.accounting.losses.composed import Composition, composed, merged
from duetpy.accounting.losses.derived import ChoiceLoss, grouped, shared
from duetpy.accounting.losses.losses import GaussianLoss, Loss, ResponseLoss
from duetpy.accounting.losses.mixtures import LARGEST_GROUP, OneWayLoss
from duetpy.accounting.losses.sampled import FixedLoss, PoissonLoss
from duetpy.accounting.losses.shuffle import ShuffleLoss
from duetpy.accounting.mechanisms.base import BEYOND, EVERYTHING
from duetpy.accounting.mechanisms.table import MECHANISMS
from duetpy.accounting.notions.interpretation import reading_of
from duetpy.accounting.rounding import raised
from duetpy.depth import DEEPER
from duetpy.typecheck import cost as costs
from duetpy.typecheck.quantity import Quantity

SUMMED = 8
"""So many samples, each drawn from another one, have Rényi curves; what is drawn from these is amplified by ε and δ alone."""

NOTHING_KNOWN = "of so many runs or steps, or of numbers out of range, no more is known than of a release in the clear"
"""Where `EVERYTHING` stands for a part of a term."""


def composition(cost: costs.Cost, values: Values) -> Composition:
    """The losses of a term at a valuation, with their numbers of copies.

    Raises
    ------
    KeyError
        A variable has no value.
    """
    return merged(_losses(cost, values))


def is_exact(cost: costs.Cost) -> bool:
    """Whether the losses are those of the mechanisms themselves: an exact composition of them is then the true curve."""
    return all(_is_own(here) for here in costs.costs_in(cost))


def _is_own(cost: costs.Cost) -> bool:
    match cost:
        case costs.Atom(mechanism):
            return MECHANISMS[mechanism].is_exact
        case costs.Given(notion):
            return reading_of(notion).loss_is_exact
        case _:
            through = costs.Zero | costs.NonPrivate | costs.Seq | costs.Repeat | costs.Advanced | costs.Converted
            return isinstance(cost, through)


def _losses(cost: costs.Cost, values: Values, steps: int = 1) -> list[tuple[Loss, int]]:
    """The losses of a term for one step, with so many copies that those of groups of up to `steps` steps are as many."""
    with DEEPER:
        return _by_constructor(cost, values, steps)


def _by_constructor(cost: costs.Cost, values: Values, steps: int) -> list[tuple[Loss, int]]:
    match cost:
        case costs.Zero():
            return []
        case costs.NonPrivate():
            return [(EVERYTHING, 1)]
        case costs.Atom():
            return [(atom_loss(cost, values), 1)]
        case costs.Given():
            return [(reading_of(cost.notion).loss(cost, values), 1)]
        case costs.Seq(parts):
            found: list[tuple[Loss, int]] = []
            for part in parts:
                found += _losses(part, values, steps)
            return found
        case costs.Repeat(count, body) | costs.Advanced(count=count, body=body):
            inner = _losses(body, values, steps)
            times = _whole(count, values)
            if times is None:
                return [(EVERYTHING, 1)]
            apart = runs_in_a_group(times, steps) if isinstance(cost, costs.Repeat) and cost.apart else times
            # Of Gaussian noise √Σ(aᵢμ)² counts, which is √runs⋅steps⋅μ at most.
            runs = [
                (loss, (times if isinstance(loss, GaussianLoss) else apart) * copies) for loss, copies in merged(inner)
            ]
            return _within_use(runs)
        case costs.Converted(body=body):
            return _losses(body, values, steps)
        case costs.Choice(branches, apart):
            options = _each(branches, values, steps)
            return [(ChoiceLoss(options, apart), 1)]
        case costs.Together(parts):
            moved = _each(parts, values, steps)
            return [(shared(moved), 1)]
        case costs.Group(size, body):
            own = _whole(size, values)
            if own is None or own * steps >= BEYOND:
                return [(EVERYTHING, 1)]
            return _within_use([(grouped(own, loss), n) for loss, n in _losses(body, values, own * steps)])
        case costs.Sampled(scheme, rate, body):
            base = composed(_losses(body, values))
            return [(_sampled(scheme, rate.evaluate_float(values, up=True), base, _has_layers(body, SUMMED)), 1)]
        case costs.Shuffled(count, body):
            report = composed(_losses(body, values))
            return [(_shuffled(count, report, values), 1)]
        case _:
            assert_never(cost)


def each_way(cost: costs.Cost, values: Values) -> tuple[Composition, ...]:
    """The losses of a term where all that coins draw gains as many rows, and loses as many: one composition for each way.

    Empty where rows may go in one mechanism and come in another. Of a group of k steps that are alike, a rows go and b come in
    all of its samples, a + b ≤ k. What holds of (a, b) holds of (b, a) in the other direction, so b ≤ a is enough: b = 0, which
    is the worst as far as anybody has seen, and the others together.

    Raises
    ------
    KeyError
        A variable has no value.
    """
    parts = cost.parts if isinstance(cost, costs.Seq) else (cost,)
    groups = [part for part in parts if isinstance(part, costs.Group) and part.alike]
    if len(groups) != 1:
        return ()
    size = _whole(groups[0].size, values)
    if size is None or not 2 <= size <= LARGEST_GROUP:
        return ()
    rest = [loss for part in parts if part is not groups[0] for loss in _losses(part, values)]
    if size > 2 and any(isinstance(here, costs.Repeat) and here.apart for here in costs.costs_in(groups[0].body)):
        return ()  # two parts may be seen by other rows of the group
    moved = merged(_losses(groups[0].body, values))
    # A single sample has no other one from which it could differ; and the rest of the cost may move in the other direction.
    if sum(count for loss, count in moved if _drawn(loss)) < 2 or not all(loss.symmetric for loss, _ in rest):
        return ()
    ways = ((0, 0), (1, size // 2))
    return tuple(merged([*((_one_way(loss, size, way), n) for loss, n in moved), *rest]) for way in ways)


def _drawn(loss: Loss) -> bool:
    return isinstance(loss, PoissonLoss) and isinstance(loss.base, GaussianLoss)


def _one_way(loss: Loss, size: int, way: tuple[int, int]) -> Loss:
    match loss:
        case PoissonLoss(rate, GaussianLoss(mu)):
            return OneWayLoss(size, *way, rate, mu)
        case _:
            return grouped(size, loss)


def _each(parts: Iterable[costs.Cost], values: Values, steps: int) -> tuple[Loss, ...]:
    return tuple([composed(_losses(cost, values, steps)) for cost in parts])


def runs_in_a_group(runs: int, steps: int) -> int:
    """How many runs suffice, each of a group of so many steps, where a step moves so many `runs`, and another one others.

    Let aᵢ steps move run i: aᵢ ≤ steps, and Σ aᵢ ≤ runs⋅steps. Runs of which the aᵢ sum to `steps` or less are one mechanism that
    steps move by so many. They are put into bins of that size, the largest first, each into the first bin that has room. If the
    last bin is opened by an a > steps/2, each bin holds one of more than half; by an a ≤ steps/2, all other bins have less than a
    left.
    """
    total, half = runs * steps, steps // 2
    # Of a ≤ steps/2 the largest is the worst: with two runs or more (total − a)/(steps − a + 1) rises with a.
    return max(total // (half + 1), 1 + (total - half) // (steps - half + 1)) if runs > 1 and half else runs


def _whole(count: Quantity, values: Values) -> int | None:
    """⌈count⌉; None where that is beyond all use."""
    number = count.evaluate(values, up=True)
    return math.ceil(number) if number < BEYOND else None


def _within_use(parts: list[tuple[Loss, int]]) -> list[tuple[Loss, int]]:
    """The same losses, with no guarantee in the place of too many copies, or of Gaussian noise of too large a μ."""
    return [
        (EVERYTHING, 1) if n >= BEYOND or (isinstance(loss, GaussianLoss) and loss.mu >= BEYOND) else (loss, n)
        for loss, n in parts
    ]


def _has_layers(cost: costs.Cost, count: int) -> bool:
    """Whether a term has so many samples, each of which is drawn from the rows of the next."""
    layer = [cost]
    for _ in range(count):
        outermost = (here for each in layer for here in costs.costs_in(each, _is_no_sample))
        layer = [here.body for here in outermost if isinstance(here, costs.Sampled)]
    return bool(layer)


def _is_no_sample(cost: costs.Cost) -> bool:
    return not isinstance(cost, costs.Sampled)


def _sampled(scheme: str, rate: float, base: Loss, is_deep: bool) -> Loss:
    if rate >= 1.0:
        return base if rate == 1.0 else EVERYTHING  # more rows than there are: the condition that forbids it is broken
    if rate == 0.0:
        return ResponseLoss(0.0)
    return FixedLoss(rate, base, is_deep) if scheme == "sample" else PoissonLoss(rate, base, is_deep)


def _shuffled(count: Quantity, report: Loss, values: Values) -> Loss:
    number = count.evaluate(values, up=False)
    if report.pure == math.inf or number == math.inf or number < 2:
        return report
    return ShuffleLoss(math.floor(number), report.pure, report)


def atom_loss(atom: costs.Atom, values: Values) -> Loss:
    """The loss of one run of a mechanism."""
    known = MECHANISMS.get(atom.mechanism)
    return EVERYTHING if known is None else known.loss(atom, values)


def total_leak(parts: Composition) -> float:
    """1 − Π(1 − δᵢ), rounded up."""
    kept = math.fsum(count * math.log1p(-min(loss.leak, 1.0 - 2.0**-53)) for loss, count in parts)
    return raised(-math.expm1(kept), 1e-13) if kept < 0.0 else 0.0
