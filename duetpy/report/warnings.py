"""Warnings of numbers that are proved, and so weak that nobody would call the result private."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from math import ceil
from typing import TYPE_CHECKING, Any

from duetpy.accounting.figures import bound
from duetpy.typecheck.neighbours import OF_PERSONS
from duetpy.typecheck.notions import BY_WORD

if TYPE_CHECKING:
    from duetpy.runtime.release.release import Release

WEAK_EPSILON = 5
"""Somebody who had even odds on a row is then up to 99.3 % sure: 1/(1 + e^−5)."""
WEAK_DELTA = 1e-6
"""Where no number of rows is public, the warning follows δ alone: it must not reveal that number."""

HARDLY_LESS = 0.99
"""A certified ε at a δ protects where it is less than this share of a pure one."""


def warnings_text(release: Release) -> str:
    """The warnings on a release, each line ended. They follow what is public alone."""
    total, tight = release.privacy["total"], release.privacy.get("tight", {})
    notion = BY_WORD.get(total["notion"])
    # In other notions an ε is no ratio of two chances: that of Rényi is the mean of one, at an order.
    is_ratio = notion is not None and notion.info.bounds_ratio
    stated = tight if is_certified(total, tight) else total if is_ratio else {}
    unit = "person" if release.privacy["neighbours"] in OF_PERSONS else "row"
    delta = max((each["delta"] for each in (stated, total) if each.get("delta") is not None), default=None)
    return _of_epsilon(stated.get("epsilon"), stated.get("delta"), unit) + _of_delta(delta, release.data, unit)


def is_certified(value: Mapping[str, Any], tight: Mapping[str, float | None]) -> bool:
    """Whether what the accountant certifies is what protects: it says more than the cost as it is written down."""
    epsilon = tight.get("epsilon")
    if epsilon is None:
        return False
    own: float | None = value.get("epsilon") if "alpha" not in value else None
    if own is not None and not value.get("delta"):
        # Pure ε promises more than the same ε at a δ, and more than one that is hardly smaller.
        return epsilon < HARDLY_LESS * own
    return own is None or bound(epsilon) != bound(own)


def _of_epsilon(epsilon: float | None, delta: float | None, unit: str) -> str:
    if epsilon is None or epsilon <= WEAK_EPSILON:
        return ""
    more = f", and by δ = {bound(delta)} likelier still" if delta else ""
    return (
        f"Warning: with ε = {bound(epsilon)} one {unit} can make a result e^{bound(epsilon)} times as likely{more}. "
        f"This is weak protection; choose an ε of at most {WEAK_EPSILON}.\n"
    )


def _of_delta(delta: float | None, data: Mapping[str, Mapping[str, Any]], unit: str) -> str:
    """Of two mechanisms that nobody would call private (Dwork and Roth 2014, section 2.3).

    Whoever publishes one of n rows, chosen at random, as it is, keeps to (0, 1/n). Whoever publishes all data as they are once
    in 1/δ times, and nothing else, keeps to (0, δ).
    """
    if delta is None or not data:
        return ""
    if any(facts["rows"] is None for facts in data.values()):
        if delta <= WEAK_DELTA:
            return ""
        runs = ceil(1 / Decimal(repr(delta)))
        return (
            f"Warning: δ = {bound(delta)} also allows publishing all the data in the clear once in {runs:,} "
            f"runs. Choose a δ of at most {bound(WEAK_DELTA)}.\n"
        )
    rows = min((facts["rows"] for facts in data.values() if facts["rows"]), default=None)
    if rows is None or delta * rows < 1:
        return ""
    return (
        f"Warning: δ = {bound(delta)} is not below 1/{rows:,}; it also allows publishing one of {rows:,} {unit}s, "
        f"picked at random, in the clear. Choose a much smaller δ.\n"
    )
