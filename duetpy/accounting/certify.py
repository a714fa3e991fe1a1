"""The certified (ε, δ) of a cost term at a valuation: the least over every method that is an upper bound.

Each method is sound by itself, so the least of their answers is. Closed forms come first and need neither numpy nor scipy; a
privacy loss distribution is computed where it can beat them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Literal

from attrs import frozen

from duetpy.accounting import convert
from duetpy.accounting.arrays import as_by_default
from duetpy.accounting.expressions import Part, Values
from duetpy.accounting.gathering import gathered
from duetpy.accounting.gaussian_profile import gaussian_epsilon
from duetpy.accounting.losses.composed import Composition, CurveProfile, composed, root_sum_square
from duetpy.accounting.losses.derived import ChoiceLoss
from duetpy.accounting.losses.discrete_laplace import DiscreteLaplaceLoss
from duetpy.accounting.losses.generalized_gaussian import GeneralizedGaussianLoss, generalized_epsilon
from duetpy.accounting.losses.inversion import profile_epsilon
from duetpy.accounting.losses.losses import (
    BoundedRangeLoss,
    CurveLoss,
    GaussianLoss,
    KaryLoss,
    LaplaceLoss,
    LeakyLoss,
    Loss,
    PureLoss,
    ResponseLoss,
)
from duetpy.accounting.losses.shuffle import ShuffleLoss, least_epsilon
from duetpy.accounting.losses_of_cost import composition, each_way, is_exact, total_leak
from duetpy.accounting.notions.interpretation import Refusal, reading_of
from duetpy.accounting.price import Price, number, price
from duetpy.accounting.rounding import float_down, raised, written_up
from duetpy.by_value import ByValue
from duetpy.trees import levels
from duetpy.typecheck.cost import Cost, children, substitute
from duetpy.typecheck.notions import ORDERS, Notion
from duetpy.typecheck.quantity import Quantity

DEFAULT_DELTA = Fraction(1, 10**6)
"""The δ at which a tight ε is asked for where nothing names another."""

_WORTH = 1e-6
"""A distribution is computed where it may lower ε by more than this share."""

Kind = Literal["exact", "upper"]


@frozen(eq=False, repr=False)
class Bound(ByValue):
    """A certified guarantee.

    Parameters
    ----------
    epsilon
        An ε for which the term is (ε, δ)-private; ∞ where none is known.
    delta
        The δ that was asked for, rounded up.
    kind
        ``exact``: the least ε, but for rounding upwards. ``upper``: an upper bound on it.
    method
        How ε was found, in words.
    conditions
        What the program's own (ε, δ) rests on and is not certain at this valuation. No method here rests on it.
    grid_error
        An estimate of how much of ε is due to the grid of a numeric method.
    """

    epsilon: float
    delta: float
    kind: Kind
    method: str
    conditions: tuple[str, ...] = ()
    grid_error: float = 0.0


def tight(cost: Cost, values: Values, delta: Fraction | float = DEFAULT_DELTA) -> Bound:
    """The best certified ε of a term at δ.

    Parameters
    ----------
    cost
        What a program does to one input.
    values
        A number for every variable of the term.
    delta
        0 ≤ δ; at 0 the answer is the pure ε. A double stands for the decimal that it prints as, which is how a δ that was
        printed is asked for again; a fraction for itself, also where it is a double.

    Returns
    -------
    Bound
        Never below the truth, and never above what the price in any notion implies at the same δ.

    Raises
    ------
    KeyError
        A variable has no value.
    """
    return bounds(cost, values, delta, last=True)[-1]


@as_by_default
def bounds(
    cost: Cost,
    values: Values,
    delta: Fraction | float = DEFAULT_DELTA,
    *,
    quick: bool = False,
    last: bool = False,
) -> tuple[Bound, ...]:
    """What each method certifies at δ, every one smaller than those before it; the last one is `tight`.

    The `quick` ones leave out the distribution of the privacy loss, which takes tens of milliseconds and more. If only the
    `last` one is asked for, others are left out where a formula is known to give the least ε.
    """
    asked = Fraction(repr(float(delta))) if isinstance(delta, float) else Fraction(delta)
    shown, target = written_up(asked), float_down(asked)
    settled = settled_term(gathered(cost), values)
    parts = None if deep(settled) else composition(settled, {})
    exact = parts is not None and is_exact(settled)
    own = price(settled, Notion.APPROX)
    broken = tuple(dict.fromkeys(premise.why for premise in own.premises)) if isinstance(own, Price) else ()
    if target >= 1.0:
        return (Bound(0.0, shown, "exact", "every program is (0, 1)-private", broken),)
    found = [Bound(math.inf, shown, "upper", "no guarantee", broken)]
    for eps, kind, method, grid_error in _methods(settled, parts, target, asked, exact, quick=quick, last=last):
        best = found[-1].epsilon
        if kind == "exact" or eps == 0.0:  # the least ε; another method can only have been rounded to less
            found.append(Bound(min(eps, best), shown, "exact", method, broken, grid_error))
            break
        if eps < best:
            found.append(Bound(eps, shown, kind, method, broken, grid_error))
    return tuple(found[1:] or found)


Answer = tuple[float, Kind, str, float]

_DEEPEST = 100
"""Of terms that nest deeper only the prices are used: losses inside losses are walked by recursion."""


def settled_term(cost: Cost, values: Values) -> Cost:
    """A term with the numbers in place of its variables."""
    return substitute(cost, {variable: Quantity.of(number) for variable, number in values.items()})


def deep(cost: Cost) -> bool:
    """Whether a term nests deeper than losses inside losses can be walked."""
    return any(depth > _DEEPEST for _, depth in levels(cost, children))


def _methods(
    cost: Cost,
    parts: Composition | None,
    delta: float,
    asked: Fraction,
    exact: bool,
    *,
    quick: bool,
    last: bool,
) -> Iterator[Answer]:
    """Answers by every method, from the cheapest on; one that is exact ends the search."""
    if parts is None:
        yield from _prices(cost, delta, asked)
        return
    if not parts:
        yield 0.0, "exact", "nothing is spent", 0.0
        return
    pure = composed(parts).pure
    yield pure, "upper", "sum of the pure ε", 0.0
    closed = closed_form(parts, delta)
    # What other notions say is found by searches, and is no less.
    is_known = last and exact and closed is not None
    yield from _prices(cost, delta, asked, (Notion.PURE, Notion.APPROX, Notion.GDP) if is_known else Notion)
    if closed is not None:
        yield closed[0], "exact" if exact else "upper", closed[1], 0.0
    leak = total_leak(parts)
    best = pure
    if leak < delta:
        rest = (delta - leak) / (1.0 - leak) * (1.0 - 1e-12)
        best = min(pure, convert.curve_epsilon(lambda alpha: renyi_of(parts, alpha), rest))
        yield best, "upper", "Rényi curve, best order (Canonne, Kamath & Steinke 2020)", 0.0
    if closed is not None or leak >= delta:
        return
    if len(parts) == 1 and parts[0][1] == 1 and not parts[0][0].atomic:
        yield profile_epsilon(parts[0][0], delta), "upper", "profile of one mechanism", 0.0
    elif not quick and _worth(parts, best, delta):
        yield from _distribution(each_way(cost, {}) or (parts,), delta, exact)


def renyi_of(parts: Composition, alpha: float) -> float:
    """D_α of a composition: the sum of those of its parts, rounded up."""
    return raised(math.fsum(count * loss.renyi(alpha) for loss, count in parts), 1e-15)


@as_by_default
def renyi_at(cost: Cost, alpha: float) -> float:
    """An upper bound on D_α of a term without variables; ∞ where none is known."""
    parts = None if deep(cost) else composition(cost, {})
    return math.inf if parts is None or total_leak(parts) > 0.0 else renyi_of(parts, alpha)


def closed_form(parts: Composition, delta: float) -> tuple[float, str] | None:
    """The exact ε at δ of a composition that has a formula."""
    if len(parts) != 1:
        return None
    loss, count = parts[0]
    if count != 1:
        return None
    match loss:
        case GaussianLoss(mu):
            return gaussian_epsilon(delta, mu), "Gaussian"
        case LaplaceLoss(eps):
            return convert.laplace_epsilon(eps, delta), "Laplace"
        case KaryLoss(eps, size):
            return convert.kary_epsilon(eps, size, delta), "randomized response"
        case ResponseLoss(eps):
            return convert.pure_epsilon(eps, delta), "randomized response as the worst case"
        case BoundedRangeLoss(eps):
            return convert.bounded_range_epsilon(eps, delta), "bounded range"
        case DiscreteLaplaceLoss():
            return profile_epsilon(loss, delta), "discrete Laplace"
        case GeneralizedGaussianLoss(power, ratio):
            return generalized_epsilon(power, ratio, delta), "generalized Gaussian"
        case ShuffleLoss(reports, local):
            return least_epsilon(reports, local, delta), "shuffled reports"
        case ChoiceLoss(branches):
            found = [closed_form(((branch, 1),), delta) for branch in branches]
            known = [each for each in found if each is not None]
            return max(known) if len(known) == len(found) else None
        case LeakyLoss(leak, ResponseLoss(eps)) if leak <= delta:
            rest = (delta - leak) / (1.0 - leak) * (1.0 - 1e-15)
            return convert.pure_epsilon(eps, rest), "randomized response with a leak as the worst case"
        case _:
            return None


def _prices(cost: Cost, delta: float, asked: Fraction, notions: Iterable[Notion] = Notion) -> Iterator[Answer]:
    """What the price in each notion implies at δ, where its premises hold."""
    for notion in notions:
        found = price(cost, notion)
        if not notion.info.is_guarantee or isinstance(found, Refusal) or found.premises:
            continue
        parts = [_number(key, part) for key, part in zip(notion.keys, found.parts, strict=True)]
        eps = reading_of(notion).epsilon_at(found.parts, parts, delta, asked)
        if eps < math.inf:
            yield eps, "upper", f"cost in {notion.value}", 0.0


def _number(key: str, part: Part) -> float:
    """A part as a double that claims no more: one that prints so, and of an order, next to 1, one that is itself no larger."""
    found = part.evaluate_float({}, up=False) if key in ORDERS else number(part)
    return math.inf if found is None else found


def _top_mass(loss: Loss) -> float:
    """P-mass of the largest loss of a pure mechanism, 0 where it has none there."""
    match loss:
        case LaplaceLoss():
            return 0.5
        case ResponseLoss(eps):
            return 1.0 / (1.0 + math.exp(-eps))
        case DiscreteLaplaceLoss():
            return 1.0 / (1.0 + math.exp(-loss.scale))
        case KaryLoss(eps, size):
            return 1.0 / (1.0 + (size - 1) * math.exp(-eps))
        case _:
            return 0.0


def _worth(parts: Composition, best: float, delta: float) -> bool:
    """Whether a distribution may answer less than the best so far.

    Where every loss is at its largest with P-mass m together, δ(ε) ≥ m(1 − e^{ε − Σε}): no ε is below Σε + log(1 − δ/m).
    """
    if delta <= 0.0 or best == 0.0 or all(isinstance(loss, CurveLoss) for loss, _ in parts):
        return False
    logs = 0.0
    for loss, count in parts:
        mass = _top_mass(loss)
        if mass == 0.0:
            return True
        logs += count * math.log(mass)
    share = math.exp(math.log(delta) - logs) if logs > -700.0 else math.inf
    if share >= 1.0:
        return True
    largest = math.fsum(count * loss.pure for loss, count in parts)
    return best - (largest + math.log1p(-share)) > _WORTH * best


_MANY = 128
"""More different losses than this are put into buckets before they are put on a grid."""

_FINE, _COARSE = 5e-6, 2e-4
"""The share of ε that a grid may add, and one that may be added to what buckets add."""


def _bucketed(parts: list[tuple[Loss, int]]) -> list[tuple[Loss, int]]:
    """Losses of one parameter with it raised to the next of 128 steps an octave, so that few different ones are left."""

    def up(eps: float) -> float:
        if eps == 0.0:
            return 0.0
        # The logarithm of a small ε would lose the digits that tell on which side of a step it is.
        share, octave = math.frexp(eps)
        return raised(math.ldexp(2.0 ** (math.ceil(128.0 * math.log2(share)) / 128.0), octave), 1e-14)

    counts: Counter[Loss] = Counter()
    for loss, count in parts:
        match loss:
            case PureLoss(eps):
                counts[loss.stronger(up(eps))] += count
            case LeakyLoss(delta, ResponseLoss(eps)):
                counts[LeakyLoss(min(up(delta), 1.0), ResponseLoss(up(eps)))] += count
            case _:
                counts[loss] += count
    return list(counts.items())


def _distribution(ways: Sequence[Composition], delta: float, exact: bool) -> Iterator[Answer]:
    """The largest of what privacy loss distributions answer: nobody knows which of the compositions is the true one."""
    from duetpy.accounting.pld import pld

    answers: list[tuple[pld.Answer, float]] = []
    for parts in ways:
        rest, mu, tolerance = _gridded(parts)
        found = pld.certify(rest, mu, delta, tolerance) if rest else None
        if found is None:
            return
        answers.append((found, mu))
    worst, mu = max(answers, key=lambda each: each[0].epsilon)
    kind: Kind = "exact" if exact and worst.exact and mu == 0.0 else "upper"
    yield worst.epsilon, kind, "privacy loss distribution", worst.grid_error


def _gridded(parts: Composition) -> tuple[list[tuple[Loss, int]], float, float]:
    """The losses of a composition that are put on a grid, the parameter of the others, which are Gaussian, and the share of ε
    that the grid may add: of losses that were raised to a bucket, by up to a percent, a coarser grid says as much."""
    mu = root_sum_square([(loss.mu, count) for loss, count in parts if isinstance(loss, GaussianLoss)])
    rest: list[tuple[Loss, int]] = [
        (loss, count) for loss, count in parts if not isinstance(loss, GaussianLoss | CurveLoss)
    ]
    is_many = len(rest) > _MANY
    if is_many:
        rest = _bucketed(rest)
    curves = tuple((loss, count) for loss, count in parts if isinstance(loss, CurveLoss))
    if curves:
        rest.append((CurveProfile(curves), 1))
    return rest, mu, _COARSE if is_many else _FINE
