"""Prices of terms that can be enumerated, of random ones, and of equal ways to write one."""

import math
from fractions import Fraction
from itertools import pairwise
from random import Random

import pytest

from duetpy.accounting.notions.approx import Approx
from duetpy.accounting.notions.interpretation import Parts
from duetpy.accounting.price import Price, Refusal, numbers, price
from duetpy.typecheck.cost import (
    Advanced,
    Atom,
    Choice,
    Cost,
    Group,
    Repeat,
    Sampled,
    Seq,
    Together,
)
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import ONE, ZERO, Quantity, log
from tests.accounting.terms import (
    exponential,
    gauss,
    given,
    holds,
    laplace,
    of,
    pairs,
    random_response,
    random_term,
    repeated,
    response,
    valued,
)
from tests.effort import often

# ---------------------------------------------------------------------------------------------------------------------
# Soundness on terms that can be enumerated


@pytest.mark.parametrize("notion", [Notion.PURE, Notion.APPROX, Notion.ZCDP, Notion.TCDP, Notion.GDP, Notion.RENYI])
def test_prices_are_true_of_random_terms(notion: Notion) -> None:
    draw = Random(notion.value)
    checked = 0
    while checked < often(25, 10):
        term = random_term(draw, 2)
        found = numbers(term, notion, {})
        if isinstance(found, Refusal):
            assert any(isinstance(part, Sampled) for part in _within(term))
            term = random_response(draw)
            found = numbers(term, notion, {})
            assert not isinstance(found, Refusal)
        parts = [math.inf if number is None else number for number in found.values()]
        for pair in pairs(term):
            if len(pair[0]) <= 400:
                assert holds(notion, parts, pair), (term, parts)
                checked += 1


def _within(cost: Cost) -> list[Cost]:
    from duetpy.typecheck.cost import children

    found, pending = [], [cost]
    while pending:
        here = pending.pop()
        found.append(here)
        pending.extend(children(here))
    return found


@pytest.mark.parametrize("count", [1, 2, 5, 9])
@pytest.mark.parametrize("delta", ["1e-5", "1e-2", "0.3"])
def test_advanced_composition_is_true_of_randomized_responses(count: int, delta: str) -> None:
    for ratio in (Fraction(11, 10), Fraction(2), Fraction(6)):
        atom = Atom("rand-resp", (of(2), log(of(ratio))))
        found = valued(Advanced(of(count), of(delta), atom), Notion.APPROX)
        (pair,) = pairs(Repeat(of(count), atom))
        assert holds(Notion.APPROX, found, pair)


class OldAdvanced(Approx):
    """The rule of the original: 2ε√(2k log 1/δ′)."""

    def advanced(self, count: Quantity, slack: Quantity, body: Parts) -> Parts:
        eps, delta = body
        assert isinstance(eps, Quantity)
        return (2 * eps * (2 * count * log(ONE / slack)).sqrt(), delta + slack)


def test_the_old_advanced_composition_is_caught() -> None:
    """At ε = 2, k = 100, δ′ = 1e-5 it claims 191.9, where the true δ is 6.0e-5."""
    from tests.accounting.terms import binomial_delta

    eps, _ = OldAdvanced().advanced(of(100), of("1e-5"), (of(2), ZERO))
    claimed = eps.evaluate_float({})
    assert claimed == pytest.approx(191.9, abs=0.1)
    truth = float(binomial_delta(2.0, 100, claimed))
    assert truth == pytest.approx(6.0e-5, rel=0.01)
    assert truth > 1e-5
    ours = valued(Advanced(of(100), of("1e-5"), response(2)), Notion.APPROX)[0]
    assert float(binomial_delta(2.0, 100, ours)) <= 1e-5


class WrongPure(Approx):
    """Group privacy that forgets how δ grows."""

    def group(self, size: object, body: Parts) -> Parts:
        assert isinstance(size, Quantity)
        assert isinstance(body[0], Quantity)
        assert isinstance(body[1], Quantity)
        return (size * body[0], size * body[1])


def test_a_group_rule_that_forgets_how_delta_grows_is_caught() -> None:
    """N(0, 1) against N(3μ, 1) has more δ at 3ε than three times δ(ε; μ)."""
    from duetpy.accounting.gaussian_profile import calibrate_mu, gaussian_delta

    mu = calibrate_mu(1.0, 1e-3)
    wrong = WrongPure().group(of(3), (of(1), of("1e-3")))
    right = Approx().group(of(3), (of(1), of("1e-3")))
    truth = gaussian_delta(3.0, 3 * mu)
    assert wrong[1].evaluate_float({}) < truth <= right[1].evaluate_float({})


def test_a_group_of_what_only_leaks_leaks_as_often() -> None:
    """(e^{kε} − 1)/(e^ε − 1) is k at ε = 0."""
    assert valued(Group(of(3), given(Notion.APPROX, 0, "0.1")), Notion.APPROX) == [0.0, 0.3]


# ---------------------------------------------------------------------------------------------------------------------
# Equal ways to write a term, and order

ATOMS: list[Cost] = [
    laplace("0.3"),
    exponential("0.3"),
    response("0.3", 4),
    Atom("noisy-max", (of("0.3"),)),
    Atom("above-threshold", (of("0.3"),)),
    Atom("dlaplace", (of("0.3"),)),
    Atom("gibbs", (of("0.3"),)),
    gauss(Notion.APPROX, "0.3", "1e-6"),
    gauss(Notion.ZCDP, "0.03"),
    gauss(Notion.RENYI, 5, "0.2"),
    gauss(Notion.TCDP, "0.03", 20),
    gauss(Notion.GDP, "0.4"),
    gauss(Notion.RAO, "0.4"),
    Atom("dgauss", (of("0.03"),), Notion.ZCDP),
    Atom("dgauss", (of("0.3"), of("1e-6")), Notion.APPROX),
    Atom("ggauss", (of(2), of("0.4"))),
    Atom("ggauss", (of(1), of("0.4"))),
    Atom("ggauss", (of(3), of("0.4"))),
    Atom("canonical", (of("0.3"), of(0))),
    Atom("canonical", (of("0.3"), of("1e-6"))),
    given(Notion.PURE, "0.3"),
    given(Notion.APPROX, "0.3", "1e-6"),
    given(Notion.ZCDP, "0.03"),
    given(Notion.RENYI, 5, "0.2"),
    given(Notion.TCDP, "0.03", 20),
    given(Notion.GDP, "0.4"),
    given(Notion.RAO, "0.4"),
    Sampled("sample", of("0.1"), laplace("0.3")),
    Sampled("poisson", of("0.1"), gauss(Notion.RENYI, 5, "0.2")),
    Choice((laplace("0.3"), gauss(Notion.APPROX, "0.2", "1e-6"))),
    Group(of(3), gauss(Notion.ZCDP, "0.03")),
    Together((gauss(Notion.GDP, "0.2"), laplace("0.1"))),
]


@pytest.mark.parametrize("atom", ATOMS, ids=repr)
@pytest.mark.parametrize("notion", Notion)
@pytest.mark.sparse(3)
def test_repeating_is_writing_again(atom: Cost, notion: Notion) -> None:
    again, counted = numbers(Seq((atom,) * 7), notion, {}), numbers(repeated(7, atom), notion, {})
    once = numbers(atom, notion, {})
    if isinstance(once, Refusal):
        assert isinstance(again, Refusal)
        assert isinstance(counted, Refusal)
        return
    assert not isinstance(again, Refusal)
    assert not isinstance(counted, Refusal)
    assert [number or 0 for number in again.values()] == pytest.approx([number or 0 for number in counted.values()])
    assert [number is None for number in again.values()] == [number is None for number in counted.values()]
    for key, number in once.items():
        if number is not None and key not in ("alpha", "omega"):
            assert counted[key] is not None
            assert counted[key] >= number


@pytest.mark.parametrize("atom", ATOMS, ids=repr)
def test_some_notion_prices_every_mechanism(atom: Cost) -> None:
    prices = [price(atom, notion) for notion in Notion]
    if isinstance(atom, Atom) and atom.mechanism == "ggauss" and atom.params[0] == of(3):
        assert sum(isinstance(found, Price) for found in prices) == 2  # a length, and an ε at a δ
    else:
        assert any(isinstance(found, Price) for found in prices)


@pytest.mark.parametrize("notion", [Notion.PURE, Notion.APPROX, Notion.ZCDP, Notion.TCDP, Notion.GDP, Notion.RAO])
def test_a_larger_parameter_costs_no_less(notion: Notion) -> None:
    for make in (laplace, exponential, response, lambda e: Sampled("sample", of("0.1"), laplace(e))):
        costs = [numbers(make(Fraction(i, 10)), notion, {}) for i in range(1, 30)]
        known = [next(iter(found.values())) for found in costs if not isinstance(found, Refusal)]
        assert all(a is not None and b is not None and a <= b for a, b in pairwise(known))
