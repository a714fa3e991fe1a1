"""Terms over one number, of which the price is a theorem at one number and rests on what fails at another."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from attrs import frozen

from duetpy.accounting.guarantees import settle
from duetpy.accounting.price import Price, Refusal, numbers, price
from duetpy.source import Source, Span
from duetpy.typecheck.conditions import Limit, Promise
from duetpy.typecheck.cost import (
    Advanced,
    Atom,
    Choice,
    Converted,
    Cost,
    Given,
    Group,
    Repeat,
    Sampled,
    Seq,
    Shuffled,
    Together,
)
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import Kind, KindVar, Quantity, minimum
from tests.accounting.terms import gauss, given, laplace, of
from tests.soundness.witness import APPROX, GDP, PURE, RENYI, TCDP, ZCDP

SPAN = Span(Source("a promise", ""), 0, 0)
REAL = KindVar("v", Kind.POS, 7001)
WHOLE = KindVar("n", Kind.NAT, 7002)


@frozen
class Resting:
    """A term over one number, and two numbers: at the first its price is proved, at the second it is not.

    Parameters
    ----------
    rule
        The rule that it is about.
    name
        What is held.
    notion
        The notion that prices it.
    term
        The term, over the number.
    good, bad
        The numbers.
    variable
        The variable that stands for the number.
    has_formula
        Whether the price can be written over the variable.
    """

    rule: str
    name: str
    notion: Notion
    term: Callable[[Quantity], Cost]
    good: str
    bad: str
    variable: KindVar = REAL
    has_formula: bool = True

    @property
    def cost(self) -> Cost:
        return self.term(Quantity.var(self.variable))

    def at(self, number: str) -> dict[KindVar, Fraction]:
        return {self.variable: Fraction(number)}


def loose(notion: Notion, *params: Quantity) -> Given:
    return Given(notion, params)


def loose_noise(alpha: Quantity) -> Cost:
    return Atom("gauss", (alpha, of(1)), RENYI)


def pinned_to(cost: Cost) -> Cost:
    return Seq((cost, gauss(RENYI, 4, "0.1")))


def least(number: Quantity) -> Quantity:
    """A sum of eight minima: 255 hundredths of the number at most, and the least of it and another cannot be written."""
    total = minimum(number, of("0.01"))
    for power in range(1, 8):
        total = total + minimum(number, of(Fraction(2**power, 100)))
    return total


TRUSTED = Seq((given(TCDP, "0.005", 400), given(TCDP, "0.005", 500)))

RESTING = (
    # Every node by itself
    Resting("gauss", "δ of gauss", APPROX, lambda v: Atom("gauss", (of(1), v), APPROX), "1e-6", "1"),
    Resting("dlaplace-dgauss", "δ of dgauss", APPROX, lambda v: Atom("dgauss", (of(1), v), APPROX), "1e-6", "1.5"),
    Resting("canonical", "δ of canonical", APPROX, lambda v: Atom("canonical", (of(1), v)), "1e-6", "1"),
    Resting("given", "δ of given", APPROX, lambda v: loose(APPROX, of(1), v), "1e-6", "1"),
    Resting("gauss", "α of gauss", RENYI, lambda v: Atom("gauss", (v, of(1)), RENYI), "1.5", "1"),
    Resting("step", "α of noisy-descent", RENYI, lambda v: Atom("noisy-descent", (v, of(1)), RENYI), "1.5", "1"),
    Resting("given", "α of given", RENYI, lambda v: loose(RENYI, v, of(1)), "1.5", "0.5"),
    Resting("gauss", "ω of gauss", TCDP, lambda v: Atom("gauss", (of("0.1"), v), TCDP), "1.5", "1"),
    Resting("given", "ω of given", TCDP, lambda v: loose(TCDP, of("0.1"), v), "1.5", "1"),
    Resting(
        "convert",
        "ω of given, converted",
        APPROX,
        lambda v: Converted(TCDP, of("1e-6"), loose(TCDP, of(1), v)),
        "2",
        "1",
    ),
    Resting("rand-resp", "k of rand-resp", PURE, lambda n: Atom("rand-resp", (n, of(1))), "2", "1", WHOLE),
    Resting(
        "ggauss", "N of ggauss, a length", Notion.RAO, lambda v: Atom("ggauss", (v, of(1)), Notion.RAO), "1.5", "0.5"
    ),
    Resting("ggauss", "N of ggauss", APPROX, lambda v: Atom("ggauss", (v, of(1))), "1.5", "0.5"),
    Resting("aloop", "δ′ of aloop", APPROX, lambda v: Advanced(of(5), v, laplace("0.1")), "1e-6", "1"),
    Resting("convert", "δ of ZCDP", APPROX, lambda v: Converted(ZCDP, v, gauss(ZCDP, "0.1")), "1e-6", "1"),
    Resting("convert", "δ of RENYI", APPROX, lambda v: Converted(RENYI, v, gauss(RENYI, 4, "0.1")), "1e-6", "1"),
    Resting("convert", "δ of TCDP", APPROX, lambda v: Converted(TCDP, v, given(TCDP, "0.1", 9)), "1e-6", "1"),
    Resting("convert", "δ of GDP", APPROX, lambda v: Converted(GDP, v, gauss(GDP, 1)), "1e-6", "1"),
    # Samples
    Resting("sample", "the rate of sample", PURE, lambda v: Sampled("sample", v, laplace(1)), "1", "1.5"),
    Resting("poisson", "the rate of poisson", PURE, lambda v: Sampled("poisson", v, laplace(1)), "1", "1.5"),
    Resting(
        "poisson", "the rate in (ε, δ)", APPROX, lambda v: Sampled("poisson", v, given(APPROX, 1, "1e-6")), "1", "1.5"
    ),
    Resting("sample", "the rate at an order", RENYI, lambda v: Sampled("sample", v, gauss(RENYI, 4, 1)), "1", "1.5"),
    Resting(
        "sample", "the rate of tCDP", TCDP, lambda v: Sampled("sample", v, given(TCDP, "0.01", 400)), "0.1", "0.11"
    ),
    Resting(
        "sample", "ρ of tCDP", TCDP, lambda v: Sampled("sample", of("0.01"), loose(TCDP, v, of(400))), "0.1", "0.11"
    ),
    Resting(
        "sample", "ω of tCDP", TCDP, lambda v: Sampled("sample", of("0.01"), loose(TCDP, of("0.1"), v)), "24", "23"
    ),
    Resting(
        "sample",
        "the least ω of a sample, which cannot be written",
        TCDP,
        lambda v: Sampled(
            "sample", of("0.01"), Seq((loose(TCDP, of("0.05"), 100 * least(v)), given(TCDP, "0.05", 99)))
        ),
        "9",
        "0.01",
        has_formula=False,
    ),
    Resting(
        "convert",
        "the same inside a conversion",
        APPROX,
        lambda v: Converted(
            TCDP,
            of("1e-6"),
            Sampled("sample", of("0.01"), Seq((loose(TCDP, of("0.05"), 100 * least(v)), given(TCDP, "0.05", 99)))),
        ),
        "9",
        "0.01",
        has_formula=False,
    ),
    # What a sampled body rests on, though other notions than the program's price it
    Resting(
        "poisson",
        "a sampled body at an order",
        RENYI,
        lambda n: Seq((Sampled("poisson", of("0.1"), Atom("rand-resp", (n, of(1)))), gauss(RENYI, 4, "0.1"))),
        "2",
        "1",
        WHOLE,
    ),
    Resting(
        "poisson",
        "an order inside a sample",
        RENYI,
        lambda v: Sampled("poisson", of("0.1"), loose_noise(v)),
        "1.5",
        "1",
    ),
    # Groups
    Resting("group", "a group of tCDP", TCDP, lambda n: Group(n, given(TCDP, "0.01", 3)), "2", "3", WHOLE),
    Resting(
        "group",
        "a group of part of a step",
        TCDP,
        lambda v: Group(v, given(TCDP, "0.01", "1.5")),
        "1",
        "1.25",
        has_formula=False,
    ),
    Resting(
        "sample",
        "a sampled group",
        TCDP,
        lambda v: Sampled("sample", of("0.05"), Group(v, given(TCDP, "0.005", 700))),
        "2",
        "5",
        has_formula=False,
    ),
    Resting(
        "group",
        "a group of a sample",
        TCDP,
        lambda n: Group(n, Sampled("sample", of("0.05"), TRUSTED)),
        "74",
        "75",
        WHOLE,
    ),
    Resting(
        "group",
        "a group, converted",
        APPROX,
        lambda n: Converted(TCDP, of("0.1"), Group(n, given(TCDP, 1, 3))),
        "2",
        "3",
        WHOLE,
    ),
    Resting(
        "group",
        "a group, converted at an order",
        RENYI,
        lambda n: pinned_to(Converted(TCDP, None, Group(n, given(TCDP, "0.1", 9)))),
        "2",
        "9",
        WHOLE,
    ),
    Resting(
        "group",
        "a group of a sample of pure ε",
        RENYI,
        lambda v: Group(of(2), Sampled("sample", v, laplace(1))),
        "1",
        "1.5",
    ),
    Resting(
        "group", "a group at an order", RENYI, lambda v: Group(of(2), Atom("gauss", (v, of(1)), RENYI)), "1.5", "1"
    ),
    # Where the parts of a term stand
    Resting(
        "bind",
        "one part of a sequence",
        APPROX,
        lambda v: Seq((laplace(1), Atom("gauss", (of(1), v), APPROX))),
        "0.1",
        "1",
    ),
    Resting("privacy-loop", "a loop", APPROX, lambda v: Repeat(of(2), loose(APPROX, of(1), v)), "0.1", "1"),
    Resting("privacy-if", "one branch", APPROX, lambda v: Choice((laplace(2), loose(APPROX, of(1), v))), "0.1", "1"),
    Resting(
        "together", "one of two inputs", APPROX, lambda v: Together((laplace(1), loose(APPROX, of(1), v))), "0.1", "1"
    ),
    Resting("shuffle", "a shuffled report", APPROX, lambda v: Shuffled(of(9), loose(APPROX, of(1), v)), "0.1", "1"),
    Resting(
        "aloop", "a turn of aloop", APPROX, lambda v: Advanced(of(2), of("0.1"), loose(APPROX, of(1), v)), "0.1", "1"
    ),
)


LAWFUL = frozenset(
    {
        # Gaussian noise has its law at any α and ω, and answers of one kind tell nothing.
        *("α of gauss", "α of noisy-descent", "ω of gauss", "an order inside a sample", "a group at an order"),
        *("k of rand-resp", "a sampled body at an order"),
        # The δ of a proof step is not one of the mechanism.
        *("δ′ of aloop", "δ of ZCDP", "δ of RENYI", "δ of TCDP", "δ of GDP"),
        # Sampled rows are amplified by other theorems than that of tCDP, or by none.
        *("the rate of tCDP", "ρ of tCDP", "ω of tCDP", "a sampled group", "a group of a sample"),
        *("the least ω of a sample, which cannot be written", "the same inside a conversion"),
    }
)
"""Whose price rests on what fails, and which have a certified bound all the same."""


def enough(case: Resting) -> Promise:
    """A promise of so much that every price keeps it."""
    bounds = {"δ": of("0.9999"), "ω": of("1.0001"), "α": of("1.0001")}
    limits = tuple(Limit(letter, bounds.get(letter, of(10**6)), SPAN) for letter in case.notion.letters)
    return Promise(case.notion, limits, (("xs", case.cost),))


def refuted(case: Resting) -> bool:
    """Whether a price is given where its premise fails: as a number, as a formula, or as a promise that is kept.

    A promise in (ε, δ), in ε or at an order may be kept by the accountant's own bound, which rests on nothing. One of a length
    never is.
    """
    bad = case.at(case.bad)
    formula = price(case.cost, case.notion)
    if isinstance(formula, Price) and not formula.unproved(bad):
        return True
    if not isinstance(numbers(case.cost, case.notion, bad), Refusal):
        return True
    return case.notion in (ZCDP, TCDP) and settle(enough(case), bad) == ([], [])


def said(case: Resting) -> tuple[object, ...]:
    """What the accountant says of a term: its formula, its prices at the two numbers, and whether a promise is kept there."""
    prices = [numbers(case.cost, case.notion, case.at(number)) for number in (case.good, case.bad)]
    formula = price(case.cost, case.notion)
    shown = [] if isinstance(formula, Refusal) else [premise.show() for premise in formula.premises]
    kept = case.notion in (ZCDP, TCDP) and settle(enough(case), case.at(case.bad)) == ([], [])
    return (
        isinstance(formula, Price),
        *shown,
        *(repr(found) if isinstance(found, dict) else None for found in prices),
        kept,
    )
