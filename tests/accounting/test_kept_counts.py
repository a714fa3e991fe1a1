"""Numbers of rows with truncated noise: the limit is the least that is (ε, δ)-private, and what is said of sizes is true."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from duetpy.accounting.kept_counts import chance, sizes_counted, threshold
from duetpy.accounting.price import Refusal, price
from duetpy.typecheck.cost import Atom
from duetpy.typecheck.notions import Notion
from tests.accounting.terms import of
from tests.accounting.test_kept_keys import PAIRS, exp


def weights(growth: Fraction, limit: int) -> list[Fraction]:
    """The law of the noise on −t … t."""
    found = [1 / growth ** abs(z) for z in range(-limit, limit + 1)]
    total = sum(found)
    return [weight / total for weight in found]


@pytest.mark.parametrize(("eps", "del_"), [pair for pair in PAIRS if 0.1 <= float(pair[0]) <= 50])
def test_the_limit_is_the_least_of_which_the_end_is_no_likelier_than_delta(eps: str, del_: str) -> None:
    epsilon, delta = Fraction(eps), Fraction(del_)
    below, above = exp(epsilon)
    limit = threshold(epsilon, delta)
    assert weights(below, limit)[0] <= delta
    assert limit == 1 or weights(above, limit - 1)[0] > delta


@pytest.mark.parametrize(("eps", "del_"), PAIRS)
def test_it_is_the_closed_form(eps: str, del_: str) -> None:
    epsilon, delta = float(eps), float(del_)
    if epsilon < 700:
        formula = math.log((math.expm1(epsilon) + 2 * delta) / (delta * (math.exp(epsilon) + 1))) / epsilon
        assert threshold(Fraction(eps), Fraction(del_)) == max(1, math.ceil(formula))
    else:
        assert threshold(Fraction(eps), Fraction(del_)) == 1


@pytest.mark.parametrize(("eps", "del_"), [("0", "1e-6"), ("1", "0"), ("1", "1"), ("1", "1e-61")])
def test_nothing_is_computed_out_of_range(eps: str, del_: str) -> None:
    with pytest.raises(ValueError, match="no smaller"):
        threshold(Fraction(eps), Fraction(del_))


@pytest.mark.parametrize(("eps", "del_"), [("1", "1e-3"), ("0.5", "0.01"), ("2", "1e-5"), ("0.25", "0.02")])
def test_a_key_is_shown_as_often_as_its_law_says(eps: str, del_: str) -> None:
    epsilon, delta = Fraction(eps), Fraction(del_)
    limit = threshold(epsilon, delta)
    law = weights(exp(epsilon)[0], limit)
    for rows in range(3 * limit):
        right = sum(weight for z, weight in enumerate(law, -limit) if rows + z > limit)
        assert chance(rows, float(eps), limit) == pytest.approx(float(right), abs=1e-12)


def test_reports_say_from_how_many_rows_on_keys_are_shown() -> None:
    found = sizes_counted(Fraction(1), Fraction(1, 10**5))
    limit = threshold(Fraction(1), Fraction(1, 10**5))
    for share in (0.01, 0.1, 0.5, 0.9, 0.99):
        rows, probability = next(each for each in found if each[1] >= share)
        assert probability == chance(rows, 1.0, limit)
        assert rows == 1 or chance(rows - 1, 1.0, limit) < share
    assert found[0] == (1, chance(1, 1.0, limit))
    assert len(sizes_counted(Fraction(1, 1000), Fraction(1, 10**40))) == 6


def test_it_has_the_price_of_keys() -> None:
    for notion in Notion:
        one, other = (price(Atom(name, (of("0.5"), of("1e-6"))), notion) for name in ("keys", "key-counts"))
        assert isinstance(one, Refusal) == isinstance(other, Refusal) == (notion is not Notion.APPROX)
        assert isinstance(one, Refusal) or isinstance(other, Refusal) or one.parts == other.parts
