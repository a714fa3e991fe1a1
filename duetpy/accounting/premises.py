"""What every node of a cost term rests on by itself, in whatever notion it is priced: its parameters are in their range.

What a rule of one notion rests on besides stands at the rule. Nothing here answers "nothing" for "do not know": a mechanism or
a calibration that this page does not name has no price.
"""

from __future__ import annotations

from typing import assert_never

from duetpy.accounting.interpretation import AS_GAUSSIAN, CannotPrice, Premise
from duetpy.typecheck.cost import (
    Advanced,
    Atom,
    Choice,
    Converted,
    Cost,
    Given,
    Group,
    NonPrivate,
    Notion,
    Repeat,
    Sampled,
    Seq,
    Shuffled,
    Together,
    Zero,
)
from duetpy.typecheck.quantity import ONE, Quantity
from duetpy.typecheck.stated import GAUSSIAN, PURE_MECHANISMS

Premises = tuple[Premise, ...]

_NONE: Premises = ()


def own(cost: Cost) -> Premises:
    """The premises of a node by itself, proved or not.

    Raises
    ------
    CannotPrice
        Nobody has written down what this mechanism rests on.
    """
    match cost:
        case Atom():
            return _of_mechanism(cost)
        case Given(notion, params):
            return _of_parameters(notion, params)
        case Advanced(slack=slack):
            return (_probability(slack, "δ′ of aloop is a probability"),)
        case Converted(slack=slack):
            return _NONE if slack is None else (_probability(slack, "δ of a conversion is a probability"),)
        case Sampled(rate=rate):
            return (Premise(rate, "≤", ONE, "no more rows are sampled than there are"),)
        case Zero() | NonPrivate() | Seq() | Repeat() | Choice() | Together() | Group() | Shuffled():
            return _NONE
        case _:
            assert_never(cost)


def _of_mechanism(atom: Atom) -> Premises:
    match atom.mechanism, atom.params:
        case "rand-resp", (size, _):
            return (Premise(Quantity.of(2), "≤", size, "randomized response has at least two answers"),)
        case "ggauss", (power, _):
            return (Premise(ONE, "≤", power, "the power of a generalized Gaussian is at least 1"),)
        case "canonical", (_, delta):
            return (_probability(delta, "δ is a probability"),)
        case mechanism, params if mechanism in GAUSSIAN | AS_GAUSSIAN and atom.calibration is not None:
            return _of_parameters(atom.calibration, params)
        case "above-threshold", (_, _):
            return _NONE
        case mechanism, (_,) if mechanism in PURE_MECHANISMS:
            return _NONE
        case "above-threshold", (_, _):
            return _NONE
        case _:
            raise CannotPrice(f"what a price of {atom.mechanism} rests on is written nowhere")


def _of_parameters(notion: Notion, params: tuple[Quantity, ...]) -> Premises:
    """What a cost stated in a notion rests on: δ below 1, an order above 1."""
    match notion, params:
        case Notion.PURE | Notion.ZCDP | Notion.GDP | Notion.RAO, (_,):
            return _NONE
        case Notion.APPROX, (_, delta):
            return (_probability(delta, "δ is a probability"),)
        case Notion.RENYI, (alpha, _):
            return (Premise(ONE, "<", alpha, "the order α is above 1"),)
        case Notion.TCDP, (_, omega):
            return (Premise(ONE, "<", omega, "the order ω is above 1"),)
        case _:
            raise CannotPrice(f"a cost of {len(params)} parts in {notion.value} has no meaning")


def _probability(number: Quantity, why: str) -> Premise:
    return Premise(number, "<", ONE, why)
