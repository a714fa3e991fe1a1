"""The order of quantities: whether ``f ≤ g`` holds at every valuation, as far as it can be proved.

Every step below is a theorem about [0, ∞], so that 'proved' is never wrong; a search that ends without a proof shows
nothing. In turn:

* *cover*: what f and g share is taken away, and every other term of f is covered by terms of g, at the price of the
  largest value that the quotient of the two monomials takes;
* *relaxing* the left, every tanh x and log x to x and every max(a, b) to a + b at once;
* *cases*: max(a, b) on the left, and min(a, b) on the right, are replaced by each of their members;
* *choices*: max on the right and min on the left by one of theirs, a function by a simpler bound (tanh x ≤ x,
  log x ≤ x, exp x ≥ 1 + x, √(a+b) ≤ √a + √b), both sides by a power, and ``ℕ`` variables by 1 + n.

Before the search, floating-point samples look for a valuation where f > g; they can only end it early.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from fractions import Fraction
from functools import lru_cache
from math import floor, lcm
from typing import ParamSpec

from attrs import define, field

from duetpy.by_value import Shown
from duetpy.typecheck.quantity import form, refutation
from duetpy.typecheck.quantity.arithmetic import atomic, power, replace_atom, settled, times_power
from duetpy.typecheck.quantity.enclosure import Precision
from duetpy.typecheck.quantity.evaluation import Evaluation
from duetpy.typecheck.quantity.extrema import maximum
from duetpy.typecheck.quantity.kinds import Kind, KindVar
from duetpy.typecheck.quantity.limits import of_power
from duetpy.typecheck.quantity.rational import Number, QuantityTooLarge
from duetpy.typecheck.quantity.sums import expandable, merged

#: How much one question may cost, in comparisons of two monomials.
EFFORT = 4_000
#: To set up one goal takes as long as to compare two monomials for each so many nodes of it.
NODES = 8
#: Goals that lie inside one another.
NESTING = 24
#: Denominators are cleared at most so often: clearing one may bring up another.
ROUNDS = 4
#: Both sides are raised to a power of at most this degree.
DEGREE_LIMIT = 4

Inputs = ParamSpec("Inputs")


class Exhausted(Exception):
    """A question has used up its effort."""


@define(eq=False, repr=False)
class Effort(Shown):
    """What is left of the effort of one question, and the goals already decided."""

    left: int = EFFORT
    decided: dict[tuple[form.Quantity, form.Quantity, bool], bool] = field(factory=dict)

    def spend(self, amount: int) -> None:
        self.left -= amount
        if self.left < 0:
            raise Exhausted


@lru_cache(maxsize=16_384)
def proved(left: form.Quantity, right: form.Quantity, *, strict: bool, effort: int | None = None) -> bool:
    """Whether ``left ≤ right`` (``left < right`` when strict) is proved for every valuation."""
    try:
        return goal(left, right, strict, Effort(EFFORT if effort is None else effort), 0)
    except Exhausted:
        return False


def goal(left: form.Quantity, right: form.Quantity, strict: bool, effort: Effort, nesting: int) -> bool:
    """One goal of a search."""
    if strict and (left.is_infinite or not left.facts().finite):
        return False
    if right.is_infinite or left.is_infinite:
        return right.is_infinite
    if left == right:
        return not strict
    if left.is_zero:
        return not strict or right.positive()
    if right.is_zero or nesting > NESTING:
        return False
    key = (left, right, strict)
    known = effort.decided.get(key)
    if known is None:
        effort.decided[key] = known = False  # a goal is no premise of itself
        with suppress(QuantityTooLarge):
            known = effort.decided[key] = searched(left, right, strict, effort, nesting)
    return known


def searched(left: form.Quantity, right: form.Quantity, strict: bool, effort: Effort, nesting: int) -> bool:
    """The steps of the module's description, in turn."""
    effort.spend(1 + (left.facts().weight + right.facts().weight) // NODES)
    if not left.variables() and not right.variables():
        known = numbers_in_order(left, right, strict)
        if known is not None:
            return known
    left, right = without_common_terms(*without_denominators(left, right))
    if left.is_zero:
        return not strict or right.positive()
    if covered(left.terms, right.terms, strict, effort, nesting):
        return True
    if refutation.refuted(left, right):
        return False
    for simpler in if_small(relaxed, left):
        if simpler != left and goal(simpler, right, strict, effort, nesting + 1):
            return True
    options = list(choices(left, right))
    if any(seen(first, second, strict, effort, nesting) for first, second in options):
        return True
    split = cases(left, right)
    if split is not None:
        return all(goal(first, second, strict, effort, nesting + 1) for first, second in split)
    if any(goal(first, second, strict, effort, nesting + 1) for first, second in options):
        return True
    return not strict and shifted_covered(left, right, effort, nesting)


def seen(left: form.Quantity, right: form.Quantity, strict: bool, effort: Effort, nesting: int) -> bool:
    """Whether the cover alone proves a goal."""
    if left.is_infinite or right.is_infinite or (strict and not left.facts().finite):
        return False
    return covered(left.terms, right.terms, strict, effort, nesting)


def numbers_in_order(left: form.Quantity, right: form.Quantity, strict: bool) -> bool | None:
    """The order of two numbers, by bounds of growing precision; None when they are equal or too large for it."""
    for digits in (40, 160):
        precision = Precision(digits)
        first, second = Evaluation({}, precision).quantity(left), Evaluation({}, precision).quantity(right)
        if isinstance(first, Fraction) and isinstance(second, Fraction):
            return first < second or (not strict and first == second)
        low, high = precision.enclosed(first), precision.enclosed(second)
        if low.upper < high.lower:
            return True
        if high.upper < low.lower:
            return False
    return None


def without_denominators(left: form.Quantity, right: form.Quantity) -> tuple[form.Quantity, form.Quantity]:
    """Both sides times the compounds in denominators (units), where all powers of one are no more work than one may be."""
    for _ in range(ROUNDS):
        lowest = least_exponents_of_compounds(left.terms, least_exponents_of_compounds(right.terms, {}))
        if not lowest:
            break
        for atom, exponent in lowest.items():
            powers = (max(floor(term.factors.get(atom, 0) - exponent), 0) for term in (*left.terms, *right.terms))
            if expandable(atom.base.terms, *powers):
                left, right = times_power(left, atom, -exponent), times_power(right, atom, -exponent)
    return left, right


def without_common_terms(left: form.Quantity, right: form.Quantity) -> tuple[form.Quantity, form.Quantity]:
    """Both sides without what they have in common: f + c ≤ g + c when f ≤ g."""
    debts, funds = difference(left.terms, right.terms)
    return settled(debts), settled(funds)


def least_exponents_of_compounds(terms: form.Terms, known: dict[form.Compound, Number]) -> dict[form.Compound, Number]:
    for monomial in terms:
        for atom, exponent in monomial.factors.items():
            if isinstance(atom, form.Compound) and exponent < 0:
                known[atom] = min(exponent, known.get(atom, 0))
    return known


# Cover


def covered(left: form.Terms, right: form.Terms, strict: bool, effort: Effort, nesting: int) -> bool:
    """Whether every term of the left is covered by terms of the right, none of which is spent twice.

    c·t ≤ d·u where t/u ≤ ρ and c·ρ ≤ d; a term may be covered in parts. When strict, something positive must be left.
    """
    debts, funds = difference(left, right)
    # A real variable has no limits, so that only terms with equal powers of all of them can be compared.
    payers: dict[frozenset[tuple[form.Atom, Number]], list[form.Monomial]] = {}
    for fund in funds:
        payers.setdefault(powers_of_reals(fund), []).append(fund)
    prices: dict[form.Monomial, dict[form.Monomial, Number]] = {}
    wanted = dict.fromkeys(funds, 0)
    for debt in debts:
        prices[debt] = {}
        for fund in payers.get(powers_of_reals(debt), ()):
            price = largest_quotient(debt, fund, effort, nesting)
            if price is not None:
                prices[debt][fund] = price
                wanted[fund] += 1
        if not prices[debt]:
            return False
    # First the debt that the fewest terms can cover, out of the funds that the fewest other debts want.
    for debt in sorted(debts, key=lambda debt: len(prices[debt])):
        due: Number = debts[debt]
        for fund in sorted(prices[debt], key=wanted.__getitem__):
            price = prices[debt][fund]
            paid = payment(due, funds[fund], price)
            funds[fund] -= paid * price
            due -= paid
            if not due:
                break
        if due:
            return False
    return not strict or any(amount and fund.facts().positive for fund, amount in funds.items())


def powers_of_reals(monomial: form.Monomial) -> frozenset[tuple[form.Atom, Number]]:
    return frozenset(
        (atom, exponent)
        for atom, exponent in monomial.factors.items()
        if isinstance(atom, KindVar) and atom.kind is Kind.POS
    )


def payment(due: Number, amount: Number, price: Number) -> Number:
    """How much of what is due an amount of another term covers."""
    return min(due, Fraction(amount) / price) if price else due


def difference(left: form.Terms, right: form.Terms) -> tuple[form.Terms, form.Terms]:
    """Both sides without what they have in common."""
    debts: form.Terms = {}
    funds = dict(right)
    for monomial, coefficient in left.items():
        available = funds.pop(monomial, 0)
        if available > coefficient:
            funds[monomial] = available - coefficient
        elif coefficient > available:
            debts[monomial] = coefficient - available
    return debts, funds


def largest_quotient(top: form.Monomial, bottom: form.Monomial, effort: Effort, nesting: int) -> Number | None:
    """A number ρ with ``top ≤ ρ·bottom`` everywhere, or None.

    With x = top/bottom atom by atom: an atom above the line is at most its upper limit, one below at least its lower
    limit; and two atoms of the same increasing function cancel when their arguments are in order. All of it holds for
    atoms that reach 0 and ∞ too, whose exponents on both sides are positive: x^a ≤ U^(a−b)·x^b for x ≤ U, a > b > 0.
    """
    effort.spend(1)
    quotients = merged(top.factors, bottom.factors, -1)
    if not quotients:
        return 1
    above = {atom: exponent for atom, exponent in quotients.items() if exponent > 0}
    below = {atom: -exponent for atom, exponent in quotients.items() if exponent < 0}
    cancel_exponentials(above, below, effort, nesting)
    cancel_increasing(above, below, effort, nesting)
    result: Number = 1
    for atom, exponent in [*above.items(), *((atom, -exponent) for atom, exponent in below.items())]:
        limit = of_power(atom, exponent)[1]
        if limit is None:
            return None
        result = limit * result
    return result


def cancel_exponentials(
    above: dict[form.Atom, Number], below: dict[form.Atom, Number], effort: Effort, nesting: int
) -> None:
    """exp(a)·exp(b) ≤ exp(c)·exp(d) when a + b ≤ c + d, in place."""
    tops = exponent_of(above)
    if tops.is_zero:
        return
    bottoms = exponent_of(below)
    if goal(tops, bottoms, False, effort, nesting + 1):
        for exponents in (above, below):
            for atom in [atom for atom in exponents if is_exponential(atom)]:
                del exponents[atom]


def is_exponential(atom: form.Atom) -> bool:
    return isinstance(atom, form.Applied) and atom.function is form.Function.EXP


def exponent_of(exponents: dict[form.Atom, Number]) -> form.Quantity:
    result = form.ZERO
    for atom, exponent in exponents.items():
        if isinstance(atom, form.Applied) and atom.function is form.Function.EXP:
            result = result + atom.argument * exponent
    return result


def cancel_increasing(
    above: dict[form.Atom, Number], below: dict[form.Atom, Number], effort: Effort, nesting: int
) -> None:
    """F(a)^e ≤ F(b)^e when F is increasing and a ≤ b, in place."""
    for top in [atom for atom in above if not isinstance(atom, KindVar)]:
        for bottom in list(below):
            if top in above and in_order(top, bottom, effort, nesting):
                share = min(above[top], below[bottom])
                for exponents, atom in ((above, top), (below, bottom)):
                    exponents[atom] -= share
                    if not exponents[atom]:
                        del exponents[atom]


def in_order(top: form.Atom, bottom: form.Atom, effort: Effort, nesting: int) -> bool:
    """Whether ``top ≤ bottom`` follows from the order of what they are made of."""
    match top, bottom:
        case form.Compound(base=first), form.Compound(base=second):
            return goal(first, second, False, effort, nesting + 1)
        case form.Applied(function=form.Function.RECIPROCAL, argument=first), form.Applied(
            function=form.Function.RECIPROCAL, argument=second
        ):
            return goal(second, first, False, effort, nesting + 1)
        case form.Applied(function=function, argument=first), form.Applied(function=other, argument=second):
            return function is other and goal(first, second, False, effort, nesting + 1)
        case form.Extremum(), form.Extremum():
            return goal(atomic(top), atomic(bottom), False, effort, nesting + 1)
        case _:
            return False


# Cases and choices

Goal = tuple[form.Quantity, form.Quantity]


def signs(value: form.Quantity) -> dict[form.Atom, int]:
    """The atoms of the terms that can be replaced by a bound: 1 where all exponents are positive, −1 where none is."""
    result: dict[form.Atom, int] = {}
    for monomial in value.terms:
        for atom, exponent in monomial.factors.items():
            if not isinstance(atom, KindVar):
                sign = 1 if exponent > 0 else -1
                result[atom] = sign if result.get(atom, sign) == sign else 0
    return result


def cases(left: form.Quantity, right: form.Quantity) -> list[Goal] | None:
    """Goals that all have to hold, and whose holding is enough.

    The left is increasing in a maximum with positive exponents, so that it is largest at one of the members; the same
    for a minimum in a denominator, and the other way round on the right.
    """
    for atom, sign in signs(left).items():
        if isinstance(atom, form.Extremum) and sign == (1 if atom.lattice is form.Lattice.MAX else -1):
            return [(replace_atom(left, atom, member), right) for member in ordered(atom)]
    for atom, sign in signs(right).items():
        if isinstance(atom, form.Extremum) and sign == (1 if atom.lattice is form.Lattice.MIN else -1):
            return [(left, replace_atom(right, atom, member)) for member in ordered(atom)]
    return None


def ordered(atom: form.Extremum) -> list[form.Quantity]:
    """The members in an order that does not change from run to run."""
    return sorted(atom.listed, key=lambda member: member.show())


def if_small(
    make: Callable[Inputs, form.Quantity], *inputs: Inputs.args, **named: Inputs.kwargs
) -> Iterator[form.Quantity]:
    """What is made, or nothing when it would be too large."""
    with suppress(QuantityTooLarge):
        yield make(*inputs, **named)


def relaxed(value: form.Quantity) -> form.Quantity:
    """A simpler quantity that is at least the given one: the last upper bound of every atom in turn."""
    for atom in signs(value):
        bounds = upper_bounds(atom)
        # The bound of one atom may bring another one into a denominator, so that the signs are those of now.
        rising = signs(value).get(atom) == 1
        if rising and bounds and not (isinstance(atom, form.Extremum) and atom.lattice is form.Lattice.MIN):
            value = with_bound(value, atom, bounds[-1])
    return value


def with_bound(value: form.Quantity, atom: form.Atom, bound: form.Quantity) -> form.Quantity:
    """The sum with a bound in the place of an atom, if all powers of the bound together are no more work than one may be."""
    powers = [max(floor(monomial.factors.get(atom, 0)), 0) for monomial in value.terms]
    if len(bound.terms) > 1 and not expandable(bound.terms, *powers):
        raise QuantityTooLarge("a bound with too many terms")
    return replace_atom(value, atom, bound)


def choices(left: form.Quantity, right: form.Quantity) -> Iterator[Goal]:
    """Goals of which each is enough."""
    for atom, sign in signs(left).items():
        for bound in upper_bounds(atom) if sign > 0 else lower_bounds(atom) if sign < 0 else ():
            for simpler in if_small(with_bound, left, atom, bound):
                yield simpler, right
        if sign > 0 and isinstance(atom, form.Compound):
            for simpler in if_small(replace_by_sum_of_powers, left, atom):
                yield simpler, right
    for atom, sign in signs(right).items():
        for bound in lower_bounds(atom) if sign > 0 else upper_bounds(atom) if sign < 0 else ():
            for simpler in if_small(with_bound, right, atom, bound):
                yield left, simpler
    for simpler in if_small(logarithms_with_constants, left):
        if simpler != left:
            yield simpler, right
    if (degree := shared_degree(left, right)) > 1:
        for first in if_small(power, left, degree):
            for second in if_small(power, right, degree):
                yield first, second


def upper_bounds(atom: form.Atom) -> list[form.Quantity]:
    """Simpler quantities that are at least the atom."""
    match atom:
        case form.Extremum(lattice=form.Lattice.MIN):
            return ordered(atom)
        case form.Extremum(listed=members):
            return [sum(members, form.ZERO)]
        case form.Applied(function=form.Function.TANH, argument=argument):
            return [form.ONE, argument]
        case form.Applied(function=form.Function.LOG | form.Function.LOG1P | form.Function.WHOLE, argument=argument):
            return [argument]
        case _:
            return []


def lower_bounds(atom: form.Atom) -> list[form.Quantity]:
    """Simpler quantities that are at most the atom, and are positive where it is."""
    match atom:
        case form.Extremum(lattice=form.Lattice.MAX):
            return ordered(atom)
        case form.Applied(function=form.Function.EXP, argument=argument):
            return [form.ONE + argument]
        case form.Applied(function=form.Function.EXPM1 | form.Function.WHOLE, argument=argument):
            return [argument]
        case form.Compound(base=base):
            return [form.Quantity({monomial: coefficient}) for monomial, coefficient in base.terms.items()]
        case _:
            return []


def replace_by_sum_of_powers(value: form.Quantity, atom: form.Compound) -> form.Quantity:
    """(a + b)^e ≤ a^e + b^e for 0 < e < 1, in every term."""
    result = form.ZERO
    for monomial, coefficient in value.terms.items():
        exponent = monomial.factors.get(atom)
        term = settled({monomial: coefficient})
        if exponent is not None:
            bound = form.ZERO
            for part, share in atom.base.terms.items():
                bound = bound + power(form.Quantity({part: share}), exponent)
            rest = {other: times for other, times in monomial.factors.items() if other != atom}
            term = settled({form.Monomial(rest): coefficient}) * bound
        result = result + term
    return result


def logarithms_with_constants(value: form.Quantity) -> form.Quantity:
    """A quantity that is at least the given one, by 1 + log(x) ≤ max(x, 1) in the first terms μ and μ·log(x)."""
    for monomial, coefficient in value.terms.items():
        for atom, exponent in monomial.factors.items():
            if isinstance(atom, form.Applied) and atom.function is form.Function.LOG and exponent == 1:
                rest = form.Monomial({other: times for other, times in monomial.factors.items() if other != atom})
                share = min(coefficient, value.terms.get(rest, 0))
                if share:
                    _, others = difference({monomial: share, rest: share}, value.terms)
                    return settled(others) + settled({rest: share}) * maximum(atom.argument, form.ONE)
    return value


def shared_degree(left: form.Quantity, right: form.Quantity) -> int:
    """A power k with which f ≤ g is asked as f^k ≤ g^k, to clear the roots of a single term; 1 for none."""
    for side in (left, right):
        if len(side.terms) == 1:
            ((monomial, _),) = side.terms.items()
            degree = lcm(*(exponent.denominator for exponent in monomial.factors.values()))
            if 1 < degree <= DEGREE_LIMIT:
                return degree
    return 1


def shifted_covered(left: form.Quantity, right: form.Quantity, effort: Effort, nesting: int) -> bool:
    """Cover, with every ``ℕ`` variable n of the terms written as 1 + n′ for some n′ ≥ 0.

    Both sides are polynomials in n′ with coefficients that are the same atoms as before. The cover compares n′ with
    nothing but itself, so that n′ = 0 is no exception; finiteness keeps 0·∞ away.
    """
    if not (left.facts().finite and right.facts().finite):
        return False
    variables = {
        atom
        for monomial in (*left.terms, *right.terms)
        for atom in monomial.factors
        if isinstance(atom, KindVar) and atom.kind is Kind.NAT
    }
    for variable in sorted(variables, key=lambda variable: variable.uid):
        exponents = [monomial.factors.get(variable, 0) for side in (left, right) for monomial in side.terms]
        if any(exponent.denominator != 1 for exponent in exponents):
            continue
        # A negative exponent is cleared first: both sides are multiplied by a power of the variable.
        factor = power(form.Quantity.var(variable), -min(*exponents, 0))
        shifted = form.ONE + form.Quantity.var(KindVar.fresh(variable.name, Kind.POS))
        left, right = (with_bound(side * factor, variable, shifted) for side in (left, right))
        effort.spend(len(left.terms) + len(right.terms))
    return covered(left.terms, right.terms, False, effort, nesting)
