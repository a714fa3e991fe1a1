"""The cost term: what a program does to a private input, before any notion prices it.

A cost term says which mechanisms touched an input and how they were combined. The checker only builds terms; each notion
of privacy is an interpretation of them (`duetpy.accounting`). Every parameter is a `Quantity` over the kind variables of
the program, so that one check serves every size and every budget.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import TypeAlias

from attrs import frozen

from duetpy.typecheck.quantity import KindVar, Quantity


class Notion(Enum):
    """The notions of privacy, under the names that programs and file names use."""

    PURE = "eps"
    APPROX = "approx"
    RENYI = "renyi"
    ZCDP = "zcdp"
    TCDP = "tcdp"
    GDP = "gdp"
    RAO = "rao"


@frozen
class Zero:
    """Nothing was spent."""


@frozen
class NonPrivate:
    """The input is released in the clear; `reason` says how, with the input as its subject: ``is returned without noise``."""

    reason: str = ""


@frozen
class Atom:
    """One run of one mechanism whose sensitivity to this input is at most the one it was calibrated for.

    `params` are the mechanism's own, by name:

    ===============  =====================================================================================
    laplace          ε: Laplace noise of scale s/ε (also mlaplace, in L1)
    gauss            calibrated in the notion `calibration`: approx ε δ, zcdp ρ, renyi α ε, tcdp ρ ω, gdp μ, rao θ
    exponential      ε: weights exp(ε u / 2s)
    noisy-max        ε
    above-threshold  ε: Lap(2/ε) on the threshold, Lap(4/ε) on each query
    rand-resp        k, ε: k-ary randomized response
    dlaplace         ε: discrete Laplace on integers
    dgauss           as gauss, discrete
    ggauss           N, ratio: generalized Gaussian, density ∝ exp(−(|x|/s)^N), ratio = sensitivity/s
    gibbs            ε: entropic regularisation, bounded range ε
    ===============  =====================================================================================
    """

    mechanism: str
    params: tuple[Quantity, ...]
    calibration: Notion | None = None


@frozen
class Given:
    """A trusted cost stated in a notion: ε; ε δ; α ε; ρ; ρ ω; μ; θ."""

    notion: Notion
    params: tuple[Quantity, ...]


@frozen
class Seq:
    """Adaptive sequential composition."""

    parts: tuple[Cost, ...]


@frozen
class Repeat:
    """`count`-fold adaptive sequential composition of one cost."""

    count: Quantity
    body: Cost


@frozen
class Advanced:
    """`count`-fold composition, to be rendered by advanced composition with slack δ′."""

    count: Quantity
    slack: Quantity
    body: Cost


@frozen
class Choice:
    """One of the branches runs; which one is public."""

    branches: tuple[Cost, ...]


@frozen
class Together:
    """One person's change moves several inputs of one mechanism at once, by one step each; `parts` are the costs by input.

    Not sequential composition: pure ε adds, but (ε, δ) takes δ₁ + e^{ε₁} δ₂ and zCDP takes (√ρ₁ + √ρ₂)².
    """

    parts: tuple[Cost, ...]


@frozen
class Group:
    """The input moves by up to `size` steps: group privacy."""

    size: Quantity
    body: Cost


@frozen
class Sampled:
    """The body saw only a random part of the rows.

    `scheme` is ``sample`` (b rows of m without replacement, replace-one; `rate` = b/m) or ``poisson`` (each row with
    probability `rate`, add/remove).
    """

    scheme: str
    rate: Quantity
    body: Cost


@frozen
class Shuffled:
    """`count` local reports, each of cost `body`, shuffled."""

    count: Quantity
    body: Cost


@frozen
class Converted:
    """The body was priced in `inner` and its price converted, with slack δ where the conversion needs one."""

    inner: Notion
    slack: Quantity | None
    body: Cost


Cost: TypeAlias = (
    Zero
    | NonPrivate
    | Atom
    | Given
    | Seq
    | Repeat
    | Advanced
    | Choice
    | Together
    | Group
    | Sampled
    | Shuffled
    | Converted
)

ZERO_COST = Zero()


def is_free(cost: Cost) -> bool:
    return isinstance(cost, Zero)


def is_unbounded(cost: Cost) -> bool:
    return isinstance(cost, NonPrivate)


def _merged(costs: Iterable[Cost]) -> list[Cost] | NonPrivate:
    kept: list[Cost] = []
    for cost in costs:
        if isinstance(cost, NonPrivate):
            return cost
        if not isinstance(cost, Zero):
            kept.append(cost)
    return kept


def sequence(costs: Iterable[Cost]) -> Cost:
    """Sequential composition: flat, without zeros; one unbounded part makes the whole unbounded."""
    flat: list[Cost] = []
    for cost in costs:
        if isinstance(cost, Seq):
            flat.extend(cost.parts)
        else:
            flat.append(cost)
    kept = _merged(flat)
    if isinstance(kept, NonPrivate):
        return kept
    if len(kept) < 2:
        return kept[0] if kept else ZERO_COST
    return Seq(tuple(kept))


def together(costs: Iterable[Cost]) -> Cost:
    """The cost of a change that moves several inputs at once."""
    kept = _merged(costs)
    if isinstance(kept, NonPrivate):
        return kept
    if len(kept) < 2:
        return kept[0] if kept else ZERO_COST
    return Together(tuple(kept))


def choice(costs: Iterable[Cost]) -> Cost:
    """The cost of a public choice among branches."""
    kept = _merged(costs)
    if isinstance(kept, NonPrivate):
        return kept
    distinct = tuple(dict.fromkeys(kept))
    if len(distinct) < 2:
        return distinct[0] if distinct else ZERO_COST
    return Choice(distinct)


def repeat(count: Quantity, body: Cost) -> Cost:
    """`count`-fold sequential composition."""
    if count.is_zero:
        return ZERO_COST
    if isinstance(body, Zero | NonPrivate) or count.constant == 1:
        return body
    return Repeat(count, body)


def group(size: Quantity, body: Cost) -> Cost:
    """The cost when the input moves by `size` steps instead of one.

    A size of zero costs nothing. A size proved to be at most one costs the body: one step is what the body was priced
    for, and a fractional step is no smaller than a whole one where distances are discrete.
    """
    if isinstance(body, Zero | NonPrivate):
        return body
    if size.is_zero:
        return ZERO_COST
    if size.is_infinite:
        return NonPrivate("is moved by an unbounded number of steps")
    if size.leq(Quantity.of(1)):
        return body
    return Group(size, body)


def substitute(cost: Cost, mapping: Mapping[KindVar, Quantity]) -> Cost:
    """Replace kind variables, all at once."""
    if not mapping:
        return cost

    def each(parts: tuple[Cost, ...]) -> list[Cost]:
        return [substitute(part, mapping) for part in parts]

    match cost:
        case Zero() | NonPrivate():
            return cost
        case Atom(mechanism, params, calibration):
            return Atom(mechanism, tuple(p.substitute(mapping) for p in params), calibration)
        case Given(notion, params):
            return Given(notion, tuple(p.substitute(mapping) for p in params))
        case Seq(parts):
            return sequence(each(parts))
        case Repeat(count, body):
            return repeat(count.substitute(mapping), substitute(body, mapping))
        case Advanced(count, slack, body):
            return Advanced(count.substitute(mapping), slack.substitute(mapping), substitute(body, mapping))
        case Choice(branches):
            return choice(each(branches))
        case Together(parts):
            return together(each(parts))
        case Group(size, body):
            return group(size.substitute(mapping), substitute(body, mapping))
        case Sampled(scheme, rate, body):
            return Sampled(scheme, rate.substitute(mapping), substitute(body, mapping))
        case Shuffled(count, body):
            return Shuffled(count.substitute(mapping), substitute(body, mapping))
        case Converted(inner, slack, body):
            return Converted(inner, slack and slack.substitute(mapping), substitute(body, mapping))


def children(cost: Cost) -> tuple[Cost, ...]:
    """The costs directly inside a cost."""
    match cost:
        case Seq(parts) | Together(parts) | Choice(parts):
            return parts
        case Repeat(body=body) | Advanced(body=body) | Group(body=body):
            return (body,)
        case Sampled(body=body) | Shuffled(body=body) | Converted(body=body):
            return (body,)
        case Zero() | NonPrivate() | Atom() | Given():
            return ()


def own_quantities(cost: Cost) -> tuple[Quantity, ...]:
    """The quantities written directly on a cost, not those of the costs inside it."""
    match cost:
        case Atom(params=params) | Given(params=params):
            return params
        case Repeat(count=count) | Shuffled(count=count):
            return (count,)
        case Advanced(count, slack, _):
            return (count, slack)
        case Group(size=size):
            return (size,)
        case Sampled(rate=rate):
            return (rate,)
        case Converted(slack=slack):
            return () if slack is None else (slack,)
        case Zero() | NonPrivate() | Seq() | Choice() | Together():
            return ()


def variables(cost: Cost) -> frozenset[KindVar]:
    """The kind variables that a cost mentions."""
    found: set[KindVar] = set()
    pending: list[Cost] = [cost]
    while pending:
        here = pending.pop()
        for quantity in own_quantities(here):
            found |= quantity.variables()
        pending.extend(children(here))
    return frozenset(found)
