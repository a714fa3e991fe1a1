"""One cost term in every notion, side by side: its price in each, how far to trust the number, and what the notion refuses.

term ─price→ one row per notion ; ─bounds→ one row for each better (ε, δ) ; ─curve→ Rényi at its best order
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Literal, TypeAlias, assert_never

from attrs import field, frozen

from duetpy.accounting.arrays import as_by_default
from duetpy.accounting.certify import bounds, deep, renyi_of, settled_term
from duetpy.accounting.convert import renyi_epsilon
from duetpy.accounting.expressions import Values
from duetpy.accounting.figures import bound as figure_of
from duetpy.accounting.losses.composed import Composition
from duetpy.accounting.losses.losses import GaussianLoss, KaryLoss, LaplaceLoss, Loss, ResponseLoss
from duetpy.accounting.losses_of_cost import NOTHING_KNOWN, composition, is_exact, total_leak
from duetpy.accounting.mechanisms.table import MECHANISMS
from duetpy.accounting.notions.interpretation import Premise
from duetpy.accounting.notions.renyi import only_gaussian
from duetpy.accounting.price import Price, Refusal, price, settled, value
from duetpy.accounting.rounding import written_up
from duetpy.by_value import ByValue
from duetpy.typecheck import cost as costs
from duetpy.typecheck.notions import LETTERS, Notion
from duetpy.typecheck.quantity import ONE, Quantity

Kind: TypeAlias = Literal["exact", "upper", "estimate", "none"]
"""``exact``: no smaller number is true. ``upper``: a bound. ``estimate``: shown, and no guarantee. ``none``: no number."""

ORDERS = (1.25, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0, 48.0, 64.0, 96.0, 128.0, 256.0, 512.0, 1024.0)
"""The orders at which a Rényi curve is tabulated."""

ORDER = sorted(Notion, key=lambda notion: ("sum", "squares", None).index(notion.info.composes))
"""Notions in the order of the rows, after the program's own: those first whose costs add up part by part."""


Needed: TypeAlias = tuple[tuple[Premise, bool | None], ...]
"""Premises, and whether they hold: None where the numbers do not decide it."""


@frozen(eq=False, repr=False)
class Row(ByValue):
    """What one notion makes of a cost.

    Parameters
    ----------
    notion
        The notion.
    kind, method
        How far the numbers can be trusted, and how they were found.
    formula
        The parts of the price as text; None if the notion has no price.
    value
        The parts as numbers, None as a number is ∞; None where something is left symbolic or the notion refuses.
    conditions
        What the price rests on: each side condition in words, and whether it holds of the numbers (None: not known yet).
    open
        The side conditions of a price that no number settles yet.
    refused
        The smallest part of the term that the notion cannot price, by name, and why; None where it can.
    curve
        Of a Rényi row, ε by order.
    """

    notion: Notion
    kind: Kind
    method: str
    formula: Mapping[str, str] | None = None
    value: Mapping[str, float | None] | None = None
    conditions: tuple[tuple[str, bool | None], ...] = ()
    open: tuple[Premise, ...] = ()
    refused: tuple[str, str] | None = None
    curve: tuple[tuple[float, float], ...] = field(default=())

    def __repr__(self) -> str:
        parts = self.formula or {} if self.value is None else self.value
        said = ", ".join(f"{LETTERS[name]} = {'∞' if part is None else part}" for name, part in parts.items())
        return f"<Row {self.notion.info.short}: {f'{said}, {self.kind}' if said else 'no cost'}>"


@as_by_default
def compare(cost: costs.Cost, own: Notion, values: Values, delta: Fraction) -> tuple[Row, ...]:
    """The rows of a cost: the program's own notion first.

    Parameters
    ----------
    cost
        What a program does to one input, finite and not zero.
    own
        The notion that the program is written in.
    values
        Numbers for its variables; where one is missing the rows are formulas.
    delta
        The δ of the numeric (ε, δ) rows.
    """
    is_known = costs.variables(cost) <= set(values)
    rows: list[Row] = []
    for notion in (own, *(each for each in ORDER if each is not own)):
        row = _priced(cost, notion, values, is_known=is_known)
        if notion is Notion.RENYI and is_known:
            curve = _curve(cost, values, written_up(delta))
            at_an_order = row.value is not None and row.value["alpha"] is not None and curve.refused is None
            is_stated = at_an_order or (notion is own and row.value is not None)
            rows += [row, curve] if is_stated or not all(holds for _, holds in row.conditions) else [curve]
        else:
            rows.append(row)
        if notion is Notion.APPROX and is_known:
            rows += _certified(cost, values, delta)
    return tuple(rows)


def _priced(cost: costs.Cost, notion: Notion, values: Values, *, is_known: bool) -> Row:
    found = price(cost, notion)
    if isinstance(found, Refusal) and values and not is_known:
        # If there is no formula over all variables, there may be one with the known numbers.
        found = price(costs.substitute(cost, {var: Quantity.of(number) for var, number in values.items()}), notion)
    formula: Mapping[str, str] | None = None
    needed: Needed = ()
    if isinstance(found, Price):
        formula, needed = found.show(), _told(found.premises, values)
    if is_known:
        at_numbers = settled(cost, notion, values)
        if isinstance(at_numbers, Refusal):
            unproved = _told(at_numbers.premises, values)
            return _none(notion, _broken(cost, unproved) or at_numbers, formula, unproved)
        if isinstance(found, Price) and not found.explains(at_numbers, values):
            # Numbers may decide a public test, or allow a better rule.
            formula, needed = at_numbers.show(), ()
        return _row(notion, _kind(cost, notion), notion.info.method, formula, needed, value(at_numbers))
    line = _line(cost, values) if notion is Notion.RENYI and isinstance(found, Refusal) else None
    if line is not None:
        return line
    refusal = found if isinstance(found, Refusal) else _broken(cost, needed)
    if refusal is not None:
        return _none(notion, refusal, formula, needed)
    return _row(notion, _kind(cost, notion), notion.info.method, formula, needed)


def _row(
    notion: Notion,
    kind: Kind,
    method: str,
    formula: Mapping[str, str] | None,
    needed: Needed,
    found: Mapping[str, float | None] | None = None,
) -> Row:
    left = tuple(premise for premise, holds in needed if holds is None)
    return Row(notion, kind, method, formula, found, _in_words(needed), left)


def _kind(cost: costs.Cost, notion: Notion) -> Kind:
    return "estimate" if not notion.info.is_guarantee else "exact" if is_least(cost, notion) else "upper"


def _none(notion: Notion, refusal: Refusal, formula: Mapping[str, str] | None, needed: Needed) -> Row:
    refused = describe(refusal.node), refusal.reason
    return Row(notion, "none", "", formula, None, _in_words(needed), refused=refused)


def _told(premises: Iterable[Premise], values: Values) -> Needed:
    """Premises, and whether they hold of the numbers."""
    return tuple((premise, premise.at(values)) for premise in premises)


def _in_words(needed: Needed) -> tuple[tuple[str, bool | None], ...]:
    return tuple((premise.in_words, holds) for premise, holds in needed)


def _broken(cost: costs.Cost, needed: Needed) -> Refusal | None:
    """The refusal of a price of which a premise fails."""
    for premise, holds in needed:
        if holds is False:
            return Refusal(cost, f"{premise.in_words} does not hold")
    return None


def _line(cost: costs.Cost, values: Values) -> Row | None:
    """The Rényi curve of what has a ρ, a line at every order, with what that ρ rests on."""
    found = price(cost, Notion.ZCDP)
    if isinstance(found, Refusal):
        return None
    needed = _told(found.premises, values)
    if _broken(cost, needed) is not None:
        return None
    formula = {"alpha": "α", "epsilon": f"α⋅({found.show()['rho']})"}
    kind: Kind = "exact" if only_gaussian(cost) else "upper"
    return _row(Notion.RENYI, kind, "ρ-zCDP at every order α", formula, needed)


def _certified(cost: costs.Cost, values: Values, delta: Fraction) -> Iterator[Row]:
    """What the numeric accountant says at δ: each method that improves on the ones before it."""
    found = bounds(cost, values, delta)
    for index, bound in enumerate(found):
        if index + 1 < len(found) and found[index + 1].epsilon >= bound.epsilon * (1.0 - 1e-9):
            continue  # the next one says the same
        numbers = {"epsilon": None if math.isinf(bound.epsilon) else bound.epsilon, "delta": bound.delta}
        needed = tuple((text, False) for text in bound.conditions)
        yield Row(Notion.APPROX, bound.kind, bound.method, None, numbers, needed)


# ---------------------------------------------------------------------------------------------------------------------
# The Rényi curve


def _curve(cost: costs.Cost, values: Values, delta: float) -> Row:
    """The Rényi curve of the whole, and its value at the order that gives the least ε at δ."""
    settled = settled_term(cost, values)
    if deep(settled):
        return _no_curve(cost, "the term nests too deep for its curve to be computed")
    parts = composition(settled, {})
    leaking = next((here for here in costs.costs_in(settled) if _leaks(here)), None)
    if any(loss.leak >= 1.0 for loss, _ in parts):
        return _no_curve(leaking or cost, f"{NOTHING_KNOWN}, whose divergence is infinite")
    if total_leak(parts) > 0.0:
        return _no_curve(leaking or cost, "it may fail with probability δ, and then the divergence is infinite")
    curve = tuple((alpha, at) for alpha in ORDERS if (at := renyi_of(parts, alpha)) < math.inf)
    if not curve:
        return _no_curve(cost, "no Rényi curve of it is known")
    best = best_order(parts, delta)
    is_sum = is_exact(settled) and all(_has_exact_curve(loss) for loss, _ in parts)
    return Row(
        Notion.RENYI,
        "exact" if is_sum else "upper",
        f"curve ε(α), here at the order that is best at δ = {figure_of(delta)}",
        None,
        {"alpha": best, "epsilon": renyi_of(parts, best)},
        curve=curve,
    )


def _no_curve(cost: costs.Cost, why: str) -> Row:
    return Row(Notion.RENYI, "none", "", refused=(describe(cost), why))


def best_order(parts: Composition, delta: float) -> float:
    """An order of four digits close to the one that gives the least ε at δ."""

    def bound(alpha: float) -> float:
        return renyi_epsilon(alpha, renyi_of(parts, alpha), delta)

    places = [1.0 + 10.0 ** (step / 8.0) for step in range(-16, 41)]
    best = min(places, key=bound)
    # Rounded before they are compared: the curve may end between an order and the rounded one.
    near = [float(f"{1.0 + (best - 1.0) * 10.0 ** (step / 128.0):.4g}") for step in range(-16, 17)]
    return min(near, key=bound)


def _has_exact_curve(loss: Loss) -> bool:
    match loss:
        case GaussianLoss() | LaplaceLoss() | ResponseLoss():
            return True
        case KaryLoss(_, size):
            return size == 2
        case _:
            return False


def _leaks(cost: costs.Cost) -> bool:
    return isinstance(cost, costs.NonPrivate) or (
        isinstance(cost, costs.Given) and cost.notion is Notion.APPROX and not cost.params[1].is_zero
    )


# ---------------------------------------------------------------------------------------------------------------------
# Words and verdicts


def describe(cost: costs.Cost) -> str:
    """What to call a part of a term."""
    match cost:
        case costs.Atom(mechanism, _, _):
            return mechanism
        case costs.Given(notion, _):
            return f"a trusted cost in {notion.info.name}"
        case costs.Seq():
            return "steps in sequence"
        case costs.Repeat():
            return "loop"
        case costs.Advanced():
            return "aloop"
        case costs.Choice():
            return "a public choice"
        case costs.Together():
            return "one change that moves several inputs"
        case costs.Group():
            return "a move by several steps"
        case costs.Sampled(scheme, _, _):
            return scheme
        case costs.Shuffled():
            return "shuffle"
        case costs.Converted(inner, _, _):
            return f"a conversion from {inner.info.name}"
        case costs.Zero():
            return "nothing"
        case costs.NonPrivate():
            return "a release in the clear"
        case _:
            assert_never(cost)


def is_least(cost: costs.Cost, notion: Notion) -> bool:
    """Whether no smaller price than the notion's is true of the mechanisms, where their sensitivities are attained.

    Σε is the largest loss of independent mechanisms of which each reaches its own; D₁ and D_α add, and ρ = D₁ for Laplace
    noise and for randomized response of two answers, D_α/α for Gaussian noise; Gaussian noise alone composes to Gaussian.
    """
    leaves: list[costs.Atom] = []
    runs = 0
    for here in costs.costs_in(cost):
        match here:
            case costs.Atom():
                leaves.append(here)
            case costs.Repeat(count, _):
                runs += 2 if count != ONE else 0
            case costs.Seq() | costs.Zero():
                continue
            case _:
                return False
    runs += len(leaves)
    return all(MECHANISMS[atom.mechanism].is_least(atom, notion, runs) for atom in leaves)


def certified(rows: Iterable[Row]) -> Row | None:
    """The row that says what the program is worth: the last (ε, δ), which is the least."""
    found = [row for row in rows if row.notion is Notion.APPROX and row.value is not None and row.formula is None]
    return found[-1] if found else None
