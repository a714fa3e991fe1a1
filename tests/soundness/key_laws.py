"""The laws of sets of keys, of the code that runs: the keys of every small table, and the probability of every coin.

A program is run on tables of one row, which says what counts of each row; and a coin is heads for the 256 bits that are a number
below some limit, which is searched for. So the law of what is shown is known exactly on every table of few rows, and is compared on
all neighbours with the price that the checker claims.
"""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product
from typing import Any, TypeAlias
from unittest import mock

import numpy as np
from attrs import define, field, frozen
from numpy.typing import NDArray

from duetpy.accounting.kept_counts import threshold
from duetpy.accounting.price import Refusal, numbers
from duetpy.runtime.engines import SerialEngine
from duetpy.runtime.evaluation.foreign import Library
from duetpy.runtime.noise import key_coins
from duetpy.runtime.noise.random_bits import InsecureBits
from duetpy.runtime.release.mechanisms import Randomness
from duetpy.runtime.release.observer import Inputs, KeyCounts
from duetpy.runtime.release.run import prepare
from duetpy.runtime.release.selecting import shown
from duetpy.runtime.sources.reading import Reading
from duetpy.runtime.values.statics import KindScope
from duetpy.runtime.values.values import SetValue, Value
from duetpy.typecheck import types as t
from duetpy.typecheck.annotations import ReleaseSite
from duetpy.typecheck.check import Typed
from duetpy.typecheck.cost import Cost
from duetpy.typecheck.notions import Notion
from tests.soundness.falsify import Refused, check

Row: TypeAlias = tuple[str, ...]
Law: TypeAlias = Mapping[Any, Fraction]


@frozen
class Keyed:
    """A program that shows the keys of a table with columns of texts.

    Parameters
    ----------
    rule
        The rule that it is about.
    text
        The program; its one parameter is the table.
    words
        What the cells may be.
    width
        The number of columns.
    rows
        The largest table has so many rows.
    replaced
        Whether neighbours have as many rows, one of them another.
    """

    rule: str
    text: str
    words: str
    width: int
    rows: int
    replaced: bool = False


ONE = "xs : 𝕄 [L∞, U | ★, a : 𝐝 𝕊 ∷ []]"
FIXED = "pλ m : ℕ . xs : 𝕄 [L∞, U | m, a : 𝐝 𝕊 ∷ []]"
THREE = "xs : 𝕄 [L∞, U | ★, a : 𝐝 𝕊 ∷ b : 𝐝 𝕊 ∷ c : 𝐝 𝕊 ∷ []]"
SET = "℘{r.a, r.b, r.c}"

KEYED = (
    Keyed("keys", f"pλ . {ONE} ⇒ keys[ℕ[1], 1.0, 0.01] xs {{ r ⇒ r.a }}", "ab", 1, 9),
    Keyed("keys", f"pλ . {ONE} ⇒ keys[ℕ[1], 3.0, 0.1] xs {{ r ⇒ r.a }}", "abc", 1, 4),
    Keyed("keys", f"pλ . {THREE} ⇒ keys[ℕ[1], 1.0, 0.1] xs {{ r ⇒ {SET} }}", "abc", 3, 2),
    Keyed("keys", f"pλ . {THREE} ⇒ keys[ℕ[2], 1.0, 0.01] xs {{ r ⇒ {SET} }}", "abc", 3, 3),
    Keyed("keys", f"pλ . {THREE} ⇒ keys[ℕ[3], 2.0, 0.2] xs {{ r ⇒ {SET} }}", "abc", 3, 3),
    Keyed("keys", f"{FIXED} ⇒ keys[ℕ[1], 1.0, 0.01] xs {{ r ⇒ r.a }}", "ab", 1, 9, replaced=True),
    Keyed("keys", f"{FIXED} ⇒ keys[ℕ[1], 3.0, 0.0454] xs {{ r ⇒ r.a }}", "ab", 1, 4, replaced=True),
    Keyed(
        "keys",
        f'{FIXED} ⇒ keys[ℕ[1], 1.0, 0.05] (mfilter xs {{ r ⇒ ¬ r.a ≡ disc "c" }}) {{ r ⇒ r.a }}',
        "abc",
        1,
        5,
        replaced=True,
    ),
    Keyed(
        "keys",
        f"pλ . {ONE} ⇒ found ← keys[ℕ[1], 1.0, 0.05] xs {{ r ⇒ r.a }} ; keys[ℕ[1], 1.0, 0.02] xs {{ r ⇒ r.a }}",
        "ab",
        1,
        7,
    ),
)


COUNTED = (
    Keyed("key-counts", f"pλ . {ONE} ⇒ key-counts[ℕ[1], 1.0, 0.0675] xs {{ r ⇒ r.a }}", "a", 1, 8),
    Keyed("key-counts", f"pλ . {ONE} ⇒ key-counts[ℕ[1], 2.0, 0.01] xs {{ r ⇒ r.a }}", "ab", 1, 5),
    Keyed("key-counts", f"pλ . {THREE} ⇒ key-counts[ℕ[2], 4.0, 0.05] xs {{ r ⇒ {SET} }}", "abc", 3, 2),
    Keyed("key-counts", f"{FIXED} ⇒ key-counts[ℕ[1], 2.0, 0.05] xs {{ r ⇒ r.a }}", "ab", 1, 6, replaced=True),
)

ALL = '℘{"p", "q", "u"}'

GAUSSIAN = (
    Keyed("key-gauss", f"pλ . {ONE} ⇒ key-gauss[ℕ[1], 1.0, 0.3] xs {{ r ⇒ r.a }}", "ab", 1, 4),
    Keyed("key-gauss", f"pλ . {ONE} ⇒ key-gauss[ℕ[3], 2.0, 0.3] xs {{ r ⇒ {ALL} }}", "a", 1, 3),
    Keyed("key-gauss", f"pλ . {ONE} ⇒ key-gauss[ℕ[3], 2.0, 0.14] xs {{ r ⇒ {ALL} }}", "a", 1, 1),
)


@define(eq=False)
class Counting:
    """Sees the counts that a run tosses coins for, and shows every key."""

    seen: list[tuple[ReleaseSite, KindScope, KeyCounts]] = field(factory=list)

    def mechanism(self, site: ReleaseSite, kinds: KindScope, inputs: Inputs, draw: Callable[[], Value]) -> Value:
        assert isinstance(inputs, KeyCounts)
        self.seen.append((site, kinds, inputs))
        return SetValue(tuple(key for key, _ in inputs.counts) if site.mechanism == "keys" else inputs.counts)


Counts: TypeAlias = tuple[tuple[tuple[str, int], ...], ...]
"""For every mechanism that runs, the keys that it counts with their numbers of rows."""


Site: TypeAlias = tuple[ReleaseSite, KindScope]


def counts_of(typed: Typed, rows: Sequence[Row]) -> tuple[Counts, list[Site]]:
    """What each mechanism counts in a table, and where it stands."""
    watch = Counting()
    columns = {name: [row[at] for row in rows] for at, name in enumerate("abc"[: len(rows[0])])}
    prepared = prepare(typed, {"xs": columns}, {}, Reading(), None, Library())
    prepared.entered(SerialEngine(), Randomness(InsecureBits(0)), watch)()
    counts = tuple(tuple((str(key), number) for key, number in inputs.counts) for _, _, inputs in watch.seen)
    return counts, [(site, kinds) for site, kinds, _ in watch.seen]


def added(several: Sequence[Counts]) -> list[dict[str, int]]:
    """The counts of a table from those of its rows."""
    found: list[dict[str, int]] = [{} for _ in several[0]]
    for counts in several:
        for of_one, keys in zip(found, counts, strict=True):
            for key, number in keys:
                of_one[key] = of_one.get(key, 0) + number
    return found


class Number:
    """Bits that are the same number of 256 bits again and again."""

    secure = False

    def __init__(self, number: int) -> None:
        self.number = number

    def bytes(self, count: int) -> builtins.bytes:
        return self.number.to_bytes(32, "big") * (count // 32)

    def uint64(self, count: int) -> NDArray[np.uint64]:
        raise AssertionError("coins are made of bytes")


class Again(Exception):
    """The noise was not taken, and is drawn again."""


def of_counts(rows: int, site: ReleaseSite, kinds: KindScope) -> dict[int | None, Fraction]:
    """The law of the number that is shown of a key of so many rows, None if it is not: every noise of the discrete Laplace law is
    put in, as far as it makes a difference, and what is not drawn again is kept."""
    asked: list[Fraction] = []
    kept: dict[int | None, Fraction] = {}
    largest = threshold(kinds.below(site.atom.params[0], None), kinds.below(site.atom.params[1], None)) + 3
    for noise in range(-largest, largest + 1):
        drawn = iter([noise])

        def draw(scale: Fraction, bits: object, drawn: Iterator[int] = drawn) -> int:
            asked.append(scale)
            for each in drawn:
                return each
            raise Again

        with mock.patch.object(key_coins, "discrete_laplace", draw):
            try:
                told = shown([("key", rows)], site, kinds, Randomness(Number(0))).elements
            except Again:
                continue
        number = told[0][1] if told else None
        kept[number] = kept.get(number, Fraction(0)) + power(1 / asked[-1]) ** -abs(noise)
    return {number: weight / sum(kept.values()) for number, weight in kept.items()}


def of_gaussian(rows: int, site: ReleaseSite, kinds: KindScope) -> dict[int | None, Fraction]:
    """As `of_counts`, of a key with Gaussian noise, for the σ² that is asked for; what lies beyond 11σ has less than 1e-26."""
    asked: list[Fraction] = []

    def told(noise: int) -> int | None:
        def draw(variance: Fraction, bits: object) -> int:
            asked.append(variance)
            return noise

        with mock.patch.object(key_coins, "discrete_gaussian", draw):
            found = shown([("key", rows)], site, kinds, Randomness(Number(0))).elements
        return found[0][1] if found else None

    told(0)
    variance = asked[0]
    reach = 11 * math.isqrt(math.ceil(variance)) + 1
    weights = {noise: power(Fraction(-(noise**2)) / (2 * variance)) for noise in range(-reach, reach + 1)}
    kept: dict[int | None, Fraction] = {}
    for noise, weight in weights.items():
        number = told(noise)
        kept[number] = kept.get(number, Fraction(0)) + weight / sum(weights.values())
    return kept


def power(epsilon: Fraction) -> Fraction:
    """e^ε to 60 digits, from below."""
    with localcontext(prec=70):
        return Fraction((Decimal(epsilon.numerator) / Decimal(epsilon.denominator)).exp()) * (1 - Fraction(1, 10**60))


def probability(rows: int, site: ReleaseSite, kinds: KindScope) -> Fraction:
    """The share of the numbers of 256 bits for which a key of so many rows is shown: those below some number."""
    low, high = 0, 1 << 256
    while low < high:
        middle = (low + high) // 2
        is_shown = shown([("key", rows)], site, kinds, Randomness(Number(middle))).elements
        low, high = (middle + 1, high) if is_shown else (low, middle)
    return Fraction(low, 1 << 256)


@define(eq=False)
class Coins:
    """The probabilities of coins, each looked for once."""

    sites: Sequence[Site]
    known: dict[tuple[int, int], dict[Any, Fraction]] = field(factory=dict)

    def of(self, at: int, rows: int) -> dict[Any, Fraction]:
        """What is shown of a key of so many rows, None if nothing is."""
        if (at, rows) not in self.known:
            site, kinds = self.sites[at]
            if site.mechanism != "keys":
                law = of_counts if site.mechanism == "key-counts" else of_gaussian
                self.known[at, rows] = law(rows, site, kinds)
            else:
                heads = probability(rows, site, kinds)
                self.known[at, rows] = {"shown": heads, None: 1 - heads}
        return self.known[at, rows]

    def law(self, counts: Sequence[Mapping[str, int]]) -> Law:
        """The law of the sets that are shown."""
        found: dict[Any, Fraction] = {(): Fraction(1)}
        for at, keys in enumerate(counts):
            for key, rows in sorted(keys.items()):
                found = {
                    (before if told is None else (*before, (at, key, told))): chance * share
                    for before, chance in found.items()
                    for told, share in self.of(at, rows).items()
                    if share
                }
        return found


def lost(one: Law, other: Law, growth: Fraction) -> Fraction:
    """Σ (P − e^ε Q)₊ for a rational that is below e^ε."""
    return sum((max(Fraction(0), chance - growth * other.get(keys, 0)) for keys, chance in one.items()), Fraction(0))


def neighbours(keyed: Keyed, rows: Sequence[Counts]) -> Iterator[tuple[tuple[Counts, ...], tuple[Counts, ...]]]:
    """Every two small tables that are one row apart, by what is counted of their rows."""
    for size in range(keyed.rows + 1):
        for table in combinations_with_replacement(rows, size):
            for one, other in combinations(rows, 2) if keyed.replaced else ():
                yield (*table, one), (*table, other)
            for one in () if keyed.replaced else rows:
                yield (*table, one), table


def price_of(keyed: Keyed) -> tuple[float, float]:
    """The claimed ε and δ; raises `Refused` if nothing is claimed."""
    found = numbers(_cost(keyed), Notion.APPROX, {})
    if isinstance(found, Refusal):
        raise Refused(found.reason)
    epsilon, delta = (math.inf if number is None else number for number in found.values())
    return epsilon, delta


def _cost(keyed: Keyed) -> Cost:
    typed = check(keyed.text, Notion.APPROX)
    if not typed.ok or not isinstance(typed.type, t.PFun):
        raise Refused(*(f"{d.code} {d.message}" for d in typed.diagnostics))
    return typed.type.parameters[0].cost


def used(keyed: Keyed) -> float:
    """The largest part of the claimed δ that two neighbours use up, at the claimed ε: above 1 the rule is refuted."""
    epsilon, delta = price_of(keyed)
    if math.inf in (epsilon, delta):
        return 0.0
    typed = check(keyed.text, Notion.APPROX)
    every = list(product(keyed.words, repeat=keyed.width))
    found = [counts_of(typed, [row]) for row in every]
    coins = Coins(found[0][1])
    growth = power(Fraction(epsilon))
    worst = Fraction(0)
    for one, other in neighbours(keyed, list(dict.fromkeys(counts for counts, _ in found))):
        laws = [coins.law(added(table)) if table else coins.law([]) for table in (one, other)]
        worst = max(worst, lost(laws[0], laws[1], growth), lost(laws[1], laws[0], growth))
    return float(worst / Fraction(delta))
