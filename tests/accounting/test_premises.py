"""A price has what it rests on with it: of each rule, one number at which its premise holds and one at which it fails."""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random

import pytest

import duetpy
from duetpy.accounting import premises
from duetpy.accounting.certify import renyi_at, settled_term, tight
from duetpy.accounting.guarantees import settle
from duetpy.accounting.losses.sampled_lines import orders_below
from duetpy.accounting.notion_comparison import compare
from duetpy.accounting.notions.interpretation import CannotPrice, Conditional, Interpretation, Premise
from duetpy.accounting.notions.renyi import Renyi
from duetpy.accounting.price import Price, Refusal, numbers, price, settled, value
from duetpy.typecheck.cost import (
    Advanced,
    Atom,
    Choice,
    Converted,
    Cost,
    Given,
    Group,
    NonPrivate,
    Repeat,
    Sampled,
    Seq,
    Shuffled,
    Together,
    Zero,
    substitute,
)
from duetpy.typecheck.guarantees import Limit, Promise
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import INFINITY, Kind, KindVar, Quantity, log
from tests.accounting.terms import given, laplace, of, repeated
from tests.effort import often
from tests.soundness.distributions import both_ways, renyi, spent
from tests.soundness.prices import heavy, kept, many
from tests.soundness.unfounded import LAWFUL, REAL, RESTING, SPAN, WHOLE, Resting, enough, least
from tests.soundness.witness import APPROX, PURE, TCDP, ZCDP


def identity(case: Resting) -> str:
    return f"{case.name}, {case.notion.value}"


every = pytest.mark.parametrize("case", RESTING, ids=identity)


@every
def test_a_number_is_given_only_where_the_premises_are_proved(case: Resting) -> None:
    assert isinstance(numbers(case.cost, case.notion, case.at(case.good)), dict)
    refused = numbers(case.cost, case.notion, case.at(case.bad))
    assert isinstance(refused, Refusal)
    assert refused.premises
    assert all(premise.at(case.at(case.bad)) is False for premise in refused.premises)
    # The same as of the term with the number in it.
    there = substitute(case.cost, {case.variable: of(case.bad)})
    again = settled(there, case.notion, {})
    assert isinstance(again, Refusal)
    assert {premise.why for premise in again.premises} == {premise.why for premise in refused.premises}


@every
def test_a_formula_has_the_premise_that_fails(case: Resting) -> None:
    found = price(case.cost, case.notion)
    assert isinstance(found, Price) == case.has_formula
    if isinstance(found, Price):
        assert found.unproved(case.at(case.good)) == ()
        assert found.unproved(case.at(case.bad))
        with pytest.raises(ValueError, match="unproved premises"):
            value(found)


@every
@pytest.mark.sparse(5)
def test_no_row_has_a_number_of_which_a_premise_fails(case: Resting) -> None:
    good = compare(case.cost, case.notion, case.at(case.good), Fraction("1e-6"))[0]
    assert good.value is not None
    bad = compare(case.cost, case.notion, case.at(case.bad), Fraction("1e-6"))[0]
    assert (bad.notion, bad.kind, bad.value) == (case.notion, "none", None)
    assert bad.refused is not None
    assert [holds for _, holds in bad.conditions if holds is not True]


@every
def test_no_promise_is_kept_by_a_price_of_which_a_premise_fails(case: Resting) -> None:
    """Promised is so much that every price keeps it; the accountant's own bound, which rests on none, may keep it too."""
    if case.notion is Notion.RAO:
        return  # a length promises nothing
    assert settle(enough(case), case.at(case.good)) == ([], [])
    pending, broken = settle(enough(case), case.at(case.bad))
    bound = math.inf
    if case.notion is Notion.RENYI:
        bound = renyi_at(settled_term(case.cost, case.at(case.bad)), 1.0001)
    elif case.notion in (PURE, APPROX):
        bound = tight(case.cost, case.at(case.bad), 0.9).epsilon
    assert pending == []
    assert bool(broken) == (bound > 10**6)
    assert all("depends on a side condition" in breach.notes[0] for breach in broken)


def test_what_only_further_numbers_decide_is_pending() -> None:
    v = Quantity.var(REAL)
    cost = Sampled("sample", of("0.05"), Given(TCDP, (of("0.005"), v)))
    promise = Promise(TCDP, (Limit("ρ", of(1), SPAN),), (("xs", cost),))
    pending, broken = settle(promise, {})
    assert [each.show() for each in pending] == ["100⋅㏒20 ≤ v", "1 < v"]
    assert broken == []


@every
def test_the_certified_bound_rests_on_no_premise(case: Resting) -> None:
    """Where a parameter is out of range and there is no law, or nothing is promised, nothing is certified."""
    bound = tight(case.cost, case.at(case.bad), 0.25)
    assert (bound.epsilon < math.inf) == (case.name in LAWFUL)


def test_a_price_at_numbers_may_rest_on_less_than_its_formula() -> None:
    """One step is the body itself, whatever is asked of groups."""
    n = Quantity.var(WHOLE)
    cost = Group(n, given(TCDP, "0.01", "1.5"))
    formula = price(cost, TCDP)
    assert isinstance(formula, Price)
    assert [premise.show() for premise in formula.premises] == ["n < 1.5"]
    assert numbers(cost, TCDP, {WHOLE: Fraction(1)}) == {"rho": 0.01, "omega": 1.5}
    assert isinstance(numbers(cost, TCDP, {WHOLE: Fraction(2)}), Refusal)


def test_what_cannot_be_decided_does_not_count_as_true() -> None:
    """log 4 is 2 log 2: two steps of what is promised below ω = 2, written so, are promised nothing."""
    two = log(of(4)) / log(of(2))
    cost = Group(of(2), Given(TCDP, (of("0.01"), two)))
    refused = numbers(cost, TCDP, {})
    assert isinstance(refused, Refusal)
    assert [premise.holds for premise in refused.premises] == [None]
    row = compare(cost, TCDP, {}, Fraction("1e-6"))[0]
    assert row.value is None
    assert row.refused is not None
    assert "not certain" in row.refused[1]


@pytest.mark.parametrize("notion", Notion)
def test_a_mechanism_of_which_nothing_is_written_down_has_no_price(notion: Notion) -> None:
    strange: list[Cost] = [
        Atom("unheard-of", (of(1),)),
        Atom("laplace", (of(1), of(1))),
        Atom("gauss", (of(1),), APPROX),
        Atom("gauss", (of(1),)),
        Given(TCDP, (of(1),)),
    ]
    for cost in strange:
        with pytest.raises(CannotPrice):
            premises.own(cost)
        for around in (cost, Seq((cost, laplace(1))), Repeat(of(2), cost)):
            try:
                assert isinstance(price(around, notion), Refusal)
            except ValueError:
                assert not isinstance(cost, Atom) or cost.mechanism == "gauss"  # a tuple of another length


def test_every_constructor_says_what_it_rests_on() -> None:
    body = laplace(1)
    nodes: list[Cost] = [
        Zero(),
        NonPrivate(),
        body,
        given(PURE, 1),
        Seq((body,)),
        Repeat(of(2), body),
        Advanced(of(2), of(2), body),
        Choice((body,)),
        Together((body,)),
        Group(of(2), body),
        Sampled("sample", of(2), body),
        Shuffled(of(2), body),
        Converted(ZCDP, of(2), body),
    ]
    assert [bool(premises.own(node)) for node in nodes] == [False] * 6 + [True] + [False] * 3 + [True, False, True]


def test_the_closed_form_of_shuffling_is_used_within_its_premise_only() -> None:
    """ε₀ ≤ log(n/(8 log(2/δ)) − 1): of ε₀ = 2 that is from n = 974 on; below, a shuffled report costs what a report does."""
    n = Quantity.var(WHOLE)
    cost = Shuffled(n, given(PURE, 2))
    found = {count: numbers(cost, APPROX, {WHOLE: Fraction(count)}) for count in (973, 974)}
    assert found[973] == {"epsilon": 2.0, "delta": 1e-6}
    closed = found[974]
    assert not isinstance(closed, Refusal)
    assert closed["epsilon"] == pytest.approx(0.9497859747)


# ---------------------------------------------------------------------------------------------------------------------
# Random terms of truncated concentration, against what is promised of them, computed apart


def random_trusted(draw: Random, depth: int, count: list[KindVar]) -> Cost:
    """A term of trusted costs in tCDP over variables."""

    def fresh(kind: Kind = Kind.POS) -> Quantity:
        count.append(KindVar(f"v{len(count)}", kind, 8000 + len(count)))
        return Quantity.var(count[-1])

    if depth == 0:
        omega = draw.choice([fresh, lambda: least(fresh()) * 100, lambda: of(draw.choice([2, 30, 3000]))])()
        return Given(TCDP, (fresh() / 1000, omega))
    body = random_trusted(draw, depth - 1, count)
    match draw.randrange(6):
        case 0:
            return Seq((body, random_trusted(draw, depth - 1, count)))
        case 1:
            return Choice((body, random_trusted(draw, depth - 1, count)))
        case 2:
            return Repeat(of(draw.choice([2, 5])), body)
        case 3:
            return Group(draw.choice([fresh(Kind.NAT), fresh(), of("1.5")]), body)
        case _:
            return Sampled("sample", draw.choice([of("0.05"), fresh() / 100, fresh() / 10]), body)


def promised(cost: Cost) -> tuple[Fraction | float, float] | None:
    """ρ and ω of a term of numbers; None where nothing is promised, or a theorem does not apply."""
    match cost:
        case Given(_, (rho, omega)):
            pair = rho.evaluate_float({}), omega.evaluate_float({}, up=False)
            return pair if pair[1] > 1 else None
        case Seq(parts) | Choice(parts):
            found = [promised(part) for part in parts]
            if None in found:
                return None
            known = [pair for pair in found if pair is not None]
            joined = sum if isinstance(cost, Seq) else max
            return joined(rho for rho, _ in known), min(omega for _, omega in known)
        case Repeat(times, body):
            inner = promised(body)
            return None if inner is None else (inner[0] * times.evaluate_float({}), inner[1])
        case Group(size, body):
            inner, steps = promised(body), math.ceil(size.evaluate_float({}))
            return None if inner is None or inner[1] <= steps else (inner[0] * steps**2, inner[1] / steps)
        case Sampled(_, rate, body):
            inner, q = promised(body), rate.evaluate_float({})
            if inner is None or q > 0.1 or inner[0] > 0.1:
                return None
            (rho, omega), line = inner, 13 * q * q * inner[0]
            reached = max(math.log(1 / q) / (4 * rho), orders_below(q, rho, omega, line))
            return (line, reached) if omega >= math.log(1 / q) / (2 * rho) else None
        case _:
            raise AssertionError(cost)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.sparse(4)
def test_random_terms_are_priced_where_something_is_promised_and_nowhere_else(seed: int) -> None:
    draw = Random(f"premises {seed}")
    refused = priced = 0
    for _ in range(often(60, 30)):
        variables: list[KindVar] = []
        cost = random_trusted(draw, draw.choice([1, 2, 3]), variables)
        values = {
            each: Fraction(draw.randint(1, 4))
            if each.kind is Kind.NAT
            else Fraction(draw.choice(["0.3", "2", "40", "900"]))
            for each in variables
        }
        term = substitute(cost, {each: of(number) for each, number in values.items()})
        truth, found = promised(term), numbers(cost, TCDP, values)
        if truth is None:
            assert isinstance(found, Refusal), cost
            refused += 1
            continue
        assert not isinstance(found, Refusal), (cost, values)
        assert found["rho"] == pytest.approx(truth[0], rel=1e-9)
        assert found["omega"] == pytest.approx(truth[1], rel=1e-9)
        priced += 1
    assert min(refused, priced) > often(5, 3)


def test_what_is_bounded_at_every_order_rests_on_none() -> None:
    cost = Group(of(3), Seq((laplace(1), Given(TCDP, (of("0.1"), INFINITY)))))
    found = price(cost, TCDP)
    assert isinstance(found, Price)
    assert found.premises == ()


def test_a_premise_that_fails_is_no_formality() -> None:
    """Laws that are (0.005, 1.5)-tCDP, sampled at a rate of 1/20: neither (ρ, ω) nor ε is as the theorem would have it."""
    base = heavy(1.5, 0.0075, 1e-3)
    for alpha in (1.01, 1.1, 1.3, 1.5):
        assert both_ways(lambda pair, alpha=alpha: renyi(pair, alpha), base) <= 0.005 * alpha * (1 + 1e-9)
    sampled = kept(0.05, lambda: base)
    assert spent(TCDP, [13 * 0.05**2 * 0.02, 37.446], sampled) > 20
    p, q = kept(0.05, lambda: many(2, lambda: base))
    delta = sum(max(0.0, p[x] - math.exp(0.2543) * q[x]) for x in p)
    assert delta > 7e-5
    for cost, notion in (
        (Sampled("sample", of("0.05"), given(TCDP, "0.005", "1.5")), TCDP),
        (Converted(TCDP, of("1e-6"), Sampled("sample", of("0.05"), repeated(2, given(TCDP, "0.005", "1.5")))), APPROX),
    ):
        assert isinstance(numbers(cost, notion, {}), Refusal)
    assert tight(cost, {}, Fraction(1, 10**6)).epsilon > 0.2543


def test_a_sample_of_a_sample_rests_on_both_rates() -> None:
    """The inner sample has no ρ, so that the price is that of its pure ε, and what that rests on."""
    rate = KindVar.fresh("q", Kind.POS)
    inside = Sampled("sample", Quantity.var(rate), laplace(1))
    cost = Seq((Sampled("sample", of("0.5"), inside), Atom("gauss", (of(4), of("0.001")), Notion.RENYI)))
    found = price(cost, Notion.RENYI)
    assert isinstance(found, Price)
    assert [premise.left for premise in found.premises] == [Quantity.var(rate)]
    assert isinstance(numbers(cost, Notion.RENYI, {rate: Fraction(1, 2)}), dict)
    assert isinstance(numbers(cost, Notion.RENYI, {rate: Fraction(2)}), Refusal)


def test_a_sample_at_an_order_rests_on_all_that_its_prices_rest_on() -> None:
    """The ρ of the body, its pure ε, and its price without being sampled, of which the least is taken."""
    resting = {notion: Premise(of(1), "<", of(2), notion.value) for notion in (Notion.PURE, Notion.ZCDP, Notion.RENYI)}

    def stub(cost: Cost, notion: Interpretation) -> Conditional:
        parts = (of(4), of(1)) if notion.notion is Notion.RENYI else (of(1),)
        return Conditional(parts, (resting[notion.notion],))

    found = Renyi(of(4)).subsampled(Sampled("poisson", of("0.5"), laplace("1")), stub)
    assert isinstance(found, Conditional)
    assert set(found.premises) == set(resting.values())


SAMPLED_IF_LARGE = """\
pλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒
  let total = sλ k : ℕ . t : 𝕄 [L∞, U | k, 1⋅𝔻] ⇒ mfold-row 0.0, t { a, r ⇒ a + clip[0.0, 1.0] r#[0, 0] } in
  if 3 ≤ rows xs
  then { sample[ℕ[3]] xs { part ⇒ gauss[auto, 0.5, 40.0] <part> { total part } } }
  else { gauss[auto, 0.5, 40.0] <xs> { total xs } }
"""


def test_a_premise_that_fails_only_behind_a_test_is_left_to_the_test() -> None:
    """ρ = 0.5 is too large to be amplified, but with two rows nobody samples: `check` and `cost` leave it open until m is known."""
    program = duetpy.parse(SAMPLED_IF_LARGE, "tcdp")
    (parameter,) = program.state().parameters
    row = program.compare().units[0].rows[0]
    assert row.formula == parameter.cost is not None
    assert ("0.5 ≤ 0.1 if 3 ≤ m (ρ is at most 0.1, as the amplification of tCDP requires)", None) in row.conditions
    assert program.compare({"m": 2}).units[0].rows[0].value == {"rho": 0.5, "omega": 40.0}
    assert program.compare({"m": 4}).units[0].rows[0].kind == "none"
