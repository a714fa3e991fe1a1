"""The probabilities with which keys are shown: exactly (ε, δ)-private, and no larger ones are."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise

import pytest

from duetpy.accounting.certify import tight
from duetpy.accounting.kept_keys import ONE, keep_table, sizes_kept
from duetpy.accounting.price import Refusal, price
from duetpy.audit.laws import kept
from duetpy.typecheck.cost import Atom
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import Quantity
from tests.accounting.terms import of, repeated

PAIRS = [
    ("0.001", "1e-40"),
    ("0.01", "1e-6"),
    ("0.1", "1e-5"),
    ("0.1", "0.4"),
    ("0.5", "1e-3"),
    ("1", "1e-5"),
    ("1", "0.1"),
    ("2.5", "1e-9"),
    ("5", "1e-12"),
    ("50", "1e-40"),
    ("1000", "1e-6"),
]


def exp(epsilon: Fraction) -> tuple[Fraction, Fraction]:
    """e^ε from below and from above, to 90 digits."""
    with localcontext(prec=100):
        near = Fraction((Decimal(epsilon.numerator) / Decimal(epsilon.denominator)).exp())
    return near * (1 - Fraction(1, 10**90)), near * (1 + Fraction(1, 10**90))


@pytest.mark.parametrize(("eps", "del_"), PAIRS)
def test_two_coins_that_one_row_apart_are_indistinguishable(eps: str, del_: str) -> None:
    epsilon, delta = Fraction(eps), Fraction(del_)
    below, _ = exp(epsilon)
    table = keep_table(epsilon, delta)
    assert table[0] == 0
    assert table[-1] == ONE
    for first, second in pairwise(table):
        p, q = Fraction(first, ONE), Fraction(second, ONE)
        assert p <= q <= below * p + delta
        assert 1 - p <= below * (1 - q) + delta


@pytest.mark.parametrize(("eps", "del_"), PAIRS)
def test_no_larger_probabilities_would_do(eps: str, del_: str) -> None:
    """A little more in any of them breaks an inequality with the one before it."""
    epsilon, delta = Fraction(eps), Fraction(del_)
    _, above = exp(min(epsilon, Fraction(300)))
    for first, second in pairwise(keep_table(epsilon, delta)):
        p, q = Fraction(first, ONE), Fraction(second, ONE) + Fraction(1, 2**150)
        assert second == ONE or q > above * p + delta or 1 - p > above * (1 - q) + delta


@pytest.mark.parametrize(("eps", "del_"), PAIRS)
def test_they_are_the_closed_form(eps: str, del_: str) -> None:
    table = keep_table(Fraction(eps), Fraction(del_))
    if float(eps) < 100:
        for rows in range(1, len(table), max(1, len(table) // 500)):
            assert table[rows] / ONE == pytest.approx(kept(rows, float(eps), float(del_)), abs=1e-12)


@pytest.mark.parametrize(("eps", "del_"), [("0", "1e-6"), ("-1", "1e-6"), ("1", "0"), ("1", "1e-61")])
def test_nothing_is_computed_for_less_than_can_be_held(eps: str, del_: str) -> None:
    with pytest.raises(ValueError, match="no smaller"):
        keep_table(Fraction(eps), Fraction(del_))


def test_reports_say_from_how_many_rows_on_keys_are_shown() -> None:
    found = sizes_kept(Fraction(1), Fraction(1, 10**5))
    assert [rows for rows, _ in found] == [1, 8, 10, 12, 13, 16]
    assert float(found[0][1]) == pytest.approx(1e-5)
    assert all(
        share <= probability for share, (_, probability) in zip((0.01, 0.1, 0.5, 0.9, 0.99), found[1:], strict=True)
    )
    assert sizes_kept(Fraction(9), Fraction(999, 1000)) == [
        (1, Fraction(keep_table(Fraction(9), Fraction(999, 1000))[1], ONE))
    ]


def keys(epsilon: str, delta: str) -> Atom:
    return Atom("keys", (of(epsilon), of(delta)))


def test_a_price_is_what_is_stated_and_only_where_a_delta_is() -> None:
    cost = repeated(4, keys("0.25", "1e-7"))
    for notion in Notion:
        found = price(cost, notion)
        if notion is Notion.APPROX:
            assert not isinstance(found, Refusal)
            assert found.parts == (Quantity.of(1), of("4e-7"))
        else:
            assert isinstance(found, Refusal)


def test_many_keys_are_certified_together() -> None:
    """At a larger δ, 64 keys of a row are worth less than the sum of their ε."""
    bound = tight(repeated(64, keys("0.1", "1e-9")), {}, Fraction(1, 10**5))
    assert 2.5 < bound.epsilon < 3.9
    assert bound.kind == "upper"
