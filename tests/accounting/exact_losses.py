"""Privacy losses computed the slow way: fractions, fifty digits, and nothing shared with the accountant."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import combinations, pairwise

import mpmath as mp

Law = Mapping[object, Fraction]
"""A law on outcomes, exactly."""


def normal_cdf(z: mp.mpf) -> mp.mpf:
    return mp.erfc(-z / mp.sqrt(2)) / 2


def gaussian_delta(eps: float, mu: float) -> mp.mpf:
    """δ(ε) of N(0, 1) against N(μ, 1), to fifty digits."""
    e, m = mp.mpf(eps), mp.mpf(mu)
    return normal_cdf(-e / m + m / 2) - mp.exp(e) * normal_cdf(-e / m - m / 2)


def response(grown: Fraction, size: int = 2) -> tuple[Law, Law]:
    """k-ary randomized response at e^ε = `grown` on the answers 0 and 1."""
    rest = 1 / (grown + size - 1)
    base = dict.fromkeys(range(size), rest)
    return {**base, 0: grown * rest}, {**base, 1: grown * rest}


def two_point(grown: Fraction, upper: Fraction) -> tuple[Law, Law]:
    """Two outcomes with P/Q = `upper` and `upper`/`grown`: a pair of range log `grown`."""
    q = (grown - upper) / (grown * upper - upper) if upper != 0 else Fraction(0)
    first_p = upper * q
    return {0: first_p, 1: 1 - first_p}, {0: q, 1: 1 - q}


def product(left: tuple[Law, Law], right: tuple[Law, Law]) -> tuple[Law, Law]:
    """Independent composition, with outcomes of equal likelihood ratio merged, which loses nothing."""
    p: defaultdict[object, Fraction] = defaultdict(Fraction)
    q: defaultdict[object, Fraction] = defaultdict(Fraction)
    for a in set(left[0]) | set(left[1]):
        for b in set(right[0]) | set(right[1]):
            pa = left[0].get(a, Fraction(0)) * right[0].get(b, Fraction(0))
            qa = left[1].get(a, Fraction(0)) * right[1].get(b, Fraction(0))
            if pa or qa:
                ratio: object = pa / qa if qa else "∞"
                p[ratio] += pa
                q[ratio] += qa
    return dict(p), dict(q)


def power(pair: tuple[Law, Law], count: int) -> tuple[Law, Law]:
    one: tuple[Law, Law] = ({0: Fraction(1)}, {0: Fraction(1)})
    result = one
    for _ in range(count):
        result = product(result, pair)
    return result


def delta(pair: tuple[Law, Law], grown: Fraction) -> Fraction:
    """δ at e^ε = `grown`, exactly: Σ (P − e^ε Q)₊."""
    p, q = pair
    return sum(
        (max(Fraction(0), p.get(x, Fraction(0)) - grown * q.get(x, Fraction(0))) for x in set(p) | set(q)), Fraction(0)
    )


@mp.workdps(25)
@mp.workdps(20)
def continuous_delta(
    p: Callable[[mp.mpf], mp.mpf], q: Callable[[mp.mpf], mp.mpf], eps: float, places: list[float]
) -> mp.mpf:
    """∫ (P − e^ε Q)₊ to twenty digits by quadrature between the given places, cut where the integrand changes sign."""
    grown = mp.exp(mp.mpf(eps))

    def excess(x: mp.mpf) -> mp.mpf:
        return p(x) - grown * q(x)

    total = mp.mpf(0)
    for a, b in pairwise(places):
        steps = [mp.mpf(a) + (mp.mpf(b) - a) * i / 24 for i in range(25)]
        for low, high in pairwise(steps):
            first, last = excess(low), excess(high)
            if first > 0 and last > 0:
                total += mp.quad(excess, [low, high])
            elif first > 0 or last > 0:
                cross = mp.findroot(excess, (low, high), solver="anderson", tol=1e-30, verify=False)
                cross = min(max(cross, low), high)
                total += mp.quad(excess, [low, cross] if first > 0 else [cross, high])
    return total


def renyi(pair: tuple[Law, Law], alpha: float) -> mp.mpf:
    """D_α(P‖Q) of a finite pair, to fifty digits."""
    a = mp.mpf(alpha)

    def number(x: Fraction) -> mp.mpf:
        return mp.mpf(x.numerator) / x.denominator

    total = sum((number(pair[0][x]) ** a * number(pair[1][x]) ** (1 - a) for x in pair[0]), mp.mpf(0))
    return mp.log(total) / (a - 1)


def sampled_response(grown: Fraction, rows: int, drawn: int) -> tuple[Law, Law]:
    """Randomized response on the sum (parity) of `drawn` of `rows` rows without replacement: all zeros against one 1."""
    chance = Fraction(1, len(list(combinations(range(rows), drawn))))
    hit = sum(chance for chosen in combinations(range(rows), drawn) if 0 in chosen)
    p, q = response(grown)
    mixed = {x: (1 - hit) * p[x] + hit * q[x] for x in p}
    return mixed, p
