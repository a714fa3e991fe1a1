"""A privacy function may stand where a type states its cost: what a mechanism's parameters say is compared with that."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from random import Random

import pytest

from duetpy.accounting.price import Price, price, settled, value
from duetpy.typecheck import types as t
from duetpy.typecheck.cost import Atom, Choice, Cost, Given, repeat, sequence
from duetpy.typecheck.mechanism_rows import ROWS
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import Quantity
from duetpy.typecheck.show import show_type
from duetpy.typecheck.stated import is_within, pure_epsilon_of, stated
from tests.typecheck.judging import accepted, judged

PURE_MECHANISMS = {row.name for row in ROWS.values() if row.has_epsilon}
GAUSSIAN_PARAMETERS = ROWS["gauss"].parameters

SCORES = "(mcreate[L∞ | ℕ[1], ℕ[3]] { i, j ⇒ real j })"
FORMS = {
    "laplace": ("ℝ", "laplace[auto, ε] <z> { z }"),
    "dlaplace": ("ℕ", "dlaplace[auto, ε] <z> { z }"),
    "exponential": ("ℝ", f"exponential[auto, ε] {SCORES} <z> {{ c ⇒ z - c }}"),
    "noisy-max": ("ℝ", f"noisy-max[auto, ε] {SCORES} <z> {{ c ⇒ z - c }}"),
    "gibbs": ("ℝ", f"gibbs[ε / 2.0] {SCORES} <z> {{ c ⇒ z - c }}"),
    "above-threshold": (
        "ℝ",
        "AboveThreshold[ε, mcreate[L1 | ℕ[1], ℕ[3]] { i, j ⇒ sλ . y : ℝ ⇒ y - real j }, 5.0] <z> { z }",
    ),
    "rand-resp": ("𝕀[2]", "rand-resp[ℕ[2], ε] <z> { z }"),
}
"""By the atom's name: what the mechanism looks at, and a use of it that costs ε."""


def argument(parameter: str, body: str, letters: tuple[str, ...], cost: str, notion: Notion) -> str:
    """A program that gives a function of some cost where one of a stated cost is wanted."""
    kinds = ", ".join(f"{letter} : ℝ⁺" for letter in letters)
    statics = ", ".join(f"{letter} : ℝ⁺[{letter}]" for letter in letters)
    alone = accepted(f"pλ {kinds} . z : {parameter}, {statics} ⇒ {body}", notion)
    assert isinstance(alone, t.PFun)
    result = show_type(alone.codomain)
    names = ", ".join(letters)
    return (
        f"let use = pλ {kinds} . f : ({parameter}@{cost} ⊸⋆ {result}), x : {parameter}, {statics} ⇒ f@[ . x] in\n"
        f"pλ {kinds} . x : {parameter}, {statics} ⇒ use@[{names} . (pλ z : {parameter} ⇒ {body}), x, {names}]"
    )


def test_there_is_a_program_for_every_pure_mechanism() -> None:
    assert FORMS.keys() == PURE_MECHANISMS


@pytest.mark.parametrize("notion", [Notion.PURE, Notion.APPROX])
@pytest.mark.parametrize("mechanism", sorted(PURE_MECHANISMS))
def test_every_pure_mechanism_may_be_an_argument(mechanism: str, notion: Notion) -> None:
    parameter, body = FORMS[mechanism]
    for cost in ("ε", "2.0⋅ε", *(["⟨ε, 0⟩", "⟨ε, 1e-9⟩"] if notion is Notion.APPROX else [])):
        accepted(argument(parameter, body, ("ε",), cost, notion), notion)
    for cost in ("ε/2.0", *(["⟨ε/2.0, 0.5⟩"] if notion is Notion.APPROX else [])):
        typed = judged(argument(parameter, body, ("ε",), cost, notion), notion)
        (problem,) = typed.diagnostics
        assert problem.code == "D0201"
        # What is wanted and what is found do not read the same.
        assert problem.label.removeprefix("has type ") not in problem.message


CALIBRATED = [
    (notion, letters, form)
    for notion, letters in GAUSSIAN_PARAMETERS.items()
    for form in ("gauss", "dgauss")
    if notion is not Notion.RAO and (form == "gauss" or notion is not Notion.GDP)
]


@pytest.mark.parametrize(("notion", "letters", "form"), CALIBRATED)
def test_gaussian_noise_may_be_an_argument_in_the_notion_it_is_calibrated_in(
    notion: Notion, letters: tuple[str, ...], form: str
) -> None:
    parameter = "ℝ" if form == "gauss" else "ℕ"
    body = f"{form}[auto, {', '.join(letters)}] <z> {{ z }}"
    cost = ", ".join(letters)
    stated_ = cost if len(letters) == 1 else f"⟨{cost}⟩"
    accepted(argument(parameter, body, letters, stated_, notion), notion)
    for letter in letters:
        # A larger order is a stronger guarantee, a larger anything else a weaker one.
        weaker = f"{letter}/2.0" if letter in ("α", "ω") else f"2.0⋅{letter}"
        stronger = f"2.0⋅{letter}" if letter in ("α", "ω") else f"{letter}/2.0"
        accepted(argument(parameter, body, letters, stated_.replace(letter, weaker), notion), notion)
        refused = judged(argument(parameter, body, letters, stated_.replace(letter, stronger), notion), notion)
        assert [problem.code for problem in refused.diagnostics] == ["D0201"]


def test_lengths_are_not_compared_and_the_message_says_so() -> None:
    for form in ("laplace[auto, θ] <z> { z }", "gauss[auto, θ] <z> { z }", "ggauss[auto, 3.0, θ] <z> { z }"):
        (problem,) = judged(argument("ℝ", form, ("θ",), "θ", Notion.RAO), Notion.RAO).diagnostics
        assert problem.code == "D0201"
        assert "not compared" in problem.notes[-1]


# ---------------------------------------------------------------------------------------------------------------------
# What is stated is what the accountant says


def atoms(random: Random) -> list[Cost]:
    def number(low: float = 0.01, high: float = 2.0) -> Quantity:
        return Quantity.of(Fraction(round(random.uniform(low, high), 3)))

    def parameters(notion: Notion) -> tuple[Quantity, ...]:
        return {
            Notion.APPROX: (number(), number(0.001, 0.1)),
            Notion.RENYI: (number(1.1, 9.0), number()),
            Notion.TCDP: (number(), number(2.0, 9.0)),
        }.get(notion, (number(),))

    pure: list[Cost] = [
        Atom(name, (Quantity.of(3), number()) if name == "rand-resp" else (number(),))
        for name in sorted(PURE_MECHANISMS)
    ]
    calibrated = [Atom(form, parameters(notion), notion) for notion, _, form in CALIBRATED]
    others: list[Cost] = [
        Atom("canonical", (number(), number(0.001, 0.1))),
        Atom("canonical", (number(), Quantity.of(0))),
        Atom("ggauss", (Quantity.of(1), number())),
        Atom("ggauss", (Quantity.of(3), number())),
        Atom("laplace", (number(),), Notion.RAO),
        Atom("ggauss", (Quantity.of(3), number()), Notion.RAO),
        Atom("noisy-descent", (number(),), Notion.GDP),
        Given(Notion.PURE, (number(),)),
        Given(Notion.APPROX, (number(), Quantity.of(0))),
    ]
    return [*pure, *calibrated, *others, *(Given(notion, parameters(notion)) for notion in GAUSSIAN_PARAMETERS)]


def compared(cost: Cost, notion: Notion) -> bool:
    """Whether a cost is stated; what is stated is then no less than the price."""
    known = stated(cost, notion)
    if known is None:
        return False
    priced = settled(cost, notion, {})
    assert isinstance(priced, Price), priced
    numbers = value(priced)
    for (key, found), claimed in zip(numbers.items(), known, strict=True):
        assert found is not None
        exact = claimed.constant
        assert exact is not None
        if key in ("alpha", "omega"):
            assert float(exact) <= found * (1 + 1e-12)
        else:
            assert found <= float(exact) * (1 + 1e-12)
    return True


@pytest.mark.parametrize("notion", list(Notion))
@pytest.mark.parametrize("seed", range(5))
def test_what_a_mechanism_states_is_what_the_accountant_says(notion: Notion, seed: int) -> None:
    found = [atom for atom in atoms(Random(seed)) if compared(atom, notion)]
    assert len(found) >= (1 if notion is Notion.RAO else 2)


@pytest.mark.parametrize("notion", [Notion.PURE, Notion.APPROX, Notion.ZCDP])
@pytest.mark.parametrize("seed", range(10))
def test_what_several_mechanisms_state_is_at_least_what_the_accountant_says(notion: Notion, seed: int) -> None:
    random = Random(seed)
    known = [atom for atom in atoms(random) if stated(atom, notion) is not None]
    one, two, three = random.sample(known, 3)
    for cost in (sequence((one, two)), repeat(Quantity.of(7), one), sequence((Choice((one, two)), three))):
        assert compared(cost, notion)


def test_a_mechanism_has_a_pure_epsilon_where_the_accountant_has_one() -> None:
    for atom in atoms(Random(0)):
        if isinstance(atom, Atom):
            assert (pure_epsilon_of(atom) is None) == (not isinstance(price(atom, Notion.PURE), Price))


NUMBERS = [Quantity.of(number) for number in (2, 3, 5)]


@pytest.mark.parametrize("notion", [Notion.RENYI, Notion.TCDP])
def test_orders_are_compared_the_other_way_round(notion: Notion) -> None:
    """What is within what, by the definitions: bounds at every order up to one."""
    order = 0 if notion is Notion.RENYI else 1
    for ours, theirs in product(product(NUMBERS, NUMBERS), product(NUMBERS, NUMBERS)):
        is_weaker = theirs[order].leq(ours[order]) and ours[1 - order].leq(theirs[1 - order])
        assert is_within(Given(notion, ours), notion, theirs) == is_weaker
