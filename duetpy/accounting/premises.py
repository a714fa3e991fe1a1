"""The premises of every node of a cost term, in whatever notion it is priced: its parameters are in their range.

The further premises of a rule of one notion are stated at the rule. Nothing here answers "none" for "unknown": a mechanism or
a calibration that this file does not name has no price.
"""

from __future__ import annotations

from typing import assert_never

from duetpy.accounting.mechanisms.base import probability, stated_in
from duetpy.accounting.mechanisms.table import mechanism_of
from duetpy.accounting.notions.interpretation import Premise
from duetpy.typecheck import cost as costs
from duetpy.typecheck.quantity import ONE

Premises = tuple[Premise, ...]

_NONE: Premises = ()


def own(cost: costs.Cost) -> Premises:
    """The premises of a node by itself, proved or not.

    Raises
    ------
    CannotPrice
        Nobody has written down what this mechanism rests on.
    """
    match cost:
        case costs.Atom():
            return mechanism_of(cost).premises(cost)
        case costs.Given(notion, params):
            return stated_in(notion, params)
        case costs.Advanced(slack=slack):
            return (probability(slack, "δ′ of aloop is a probability"),)
        case costs.Converted(slack=slack):
            return _NONE if slack is None else (probability(slack, "δ of a conversion is a probability"),)
        case costs.Sampled(rate=rate):
            return (Premise(rate, "≤", ONE, "at most all rows are sampled"),)
        case (
            costs.Zero()
            | costs.NonPrivate()
            | costs.Seq()
            | costs.Repeat()
            | costs.Choice()
            | costs.Together()
            | costs.Group()
            | costs.Shuffled()
        ):
            return _NONE
        case _:
            assert_never(cost)
