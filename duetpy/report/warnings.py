"""Warnings of numbers that are proved, and so weak that nobody would call the result private."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from math import ceil
from typing import TYPE_CHECKING, Any

from duetpy.accounting.figures import bound
from duetpy.typecheck.neighbours import ADD_REMOVE, OF_PERSONS, REPLACE, REPLACE_PERSON, STEP
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
    privacy = release.privacy
    stated = _protecting(privacy["total"], privacy.get("tight", {}))
    return _of_epsilon(stated.get("epsilon"), stated.get("delta"), _moved(release)) + _of_delta(release)


def _protecting(value: Mapping[str, Any], tight: Mapping[str, float | None]) -> Mapping[str, float | None]:
    """The ε and δ that protect: those that are certified, or the cost if that is a ratio of two chances. In other notions an ε is
    not one: that of Rényi is the mean of one, at an order."""
    if is_certified(value, tight):
        return tight
    notion = BY_WORD.get(value["notion"])
    return value if notion is not None and notion.info.bounds_ratio else {}


def _moved(release: Release) -> str:
    """What differs between two neighbours, in words."""
    near = release.privacy["neighbours"]
    if near in OF_PERSONS:
        return "one person"
    if near == STEP:
        return "one step of distance 1"
    tables = [release.data.get(each["name"], {}).get("columns") is not None for each in release.privacy["parameters"]]
    return "one row" if near in (REPLACE, ADD_REMOVE) and all(tables) else "one change"


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


def _of_epsilon(epsilon: float | None, delta: float | None, moved: str) -> str:
    if epsilon is None or epsilon <= WEAK_EPSILON:
        return ""
    more = f", and by δ = {bound(delta)} likelier still" if delta else ""
    return (
        f"Warning: with ε = {bound(epsilon)} {moved} can make a result e^{bound(epsilon)} times as likely{more}. "
        f"This is weak protection; choose an ε of at most {WEAK_EPSILON}.\n"
    )


def _of_delta(release: Release) -> str:
    """Of two mechanisms that nobody would call private (Dwork and Roth 2014, section 2.3).

    Whoever publishes one of n rows, chosen at random, as it is, keeps to (0, 1/n) where a row is replaced. Whoever publishes all
    data as they are once in 1/δ times, and nothing else, keeps to (0, δ). Each input is judged by itself.
    """
    inputs = list(_inputs(release))
    delta = max((delta for delta, rows, _ in inputs if rows is None), default=0.0)
    if delta > WEAK_DELTA:
        runs = ceil(1 / Decimal(repr(delta)))
        return (
            f"Warning: δ = {bound(delta)} also allows publishing all the data in the clear once in {runs:,} "
            f"runs. Choose a δ of at most {bound(WEAK_DELTA)}.\n"
        )
    counted = [(delta * rows, delta, rows, unit) for delta, rows, unit in inputs if rows]
    share, delta, rows, unit = max(counted, default=(0.0, 0.0, 0, ""))
    if share < 1:
        return ""
    return (
        f"Warning: δ = {bound(delta)} is not below 1/{rows:,}; it also allows publishing one of {rows:,} {unit}s, "
        f"picked at random, in the clear. Choose a much smaller δ.\n"
    )


def _inputs(release: Release) -> Iterator[tuple[float, int | None, str]]:
    """Of each input that is protected its δ and, where one of so many rows or persons is replaced, how many there are."""
    privacy = release.privacy
    total = _delta(privacy["total"], privacy.get("tight", {}))
    # What the people of several inputs lose is stated for all of them together.
    apart = {each.parameters for each in release.paid} if len(release.paid) > 1 else ()
    for each in privacy["parameters"]:
        facts = release.data.get(each["name"])
        if facts is None:
            continue
        own = {"notion": privacy["total"]["notion"], **each["value"]}
        delta = _delta(own, each["tight"]) if (each["name"],) in apart else total
        near = each.get("neighbours", privacy["neighbours"])
        rows = facts["rows"] if near in (REPLACE, REPLACE_PERSON) else None
        yield delta, rows, "person" if near in OF_PERSONS else "row"


def _delta(value: Mapping[str, Any], tight: Mapping[str, float | None]) -> float:
    """The larger δ of the cost and of what protects; 0 without one."""
    return max(each.get("delta") or 0.0 for each in (_protecting(value, tight), value))
