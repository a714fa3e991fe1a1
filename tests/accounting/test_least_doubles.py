"""Costs next to the least double: what is true of a small number is true of a smaller one, times that."""

from fractions import Fraction

import pytest

from duetpy.accounting.certify import tight
from duetpy.typecheck.cost import Cost, Seq
from duetpy.typecheck.notions import Notion
from tests.accounting.terms import exponential, given, laplace, repeated


def terms(size: str) -> list[Cost]:
    """Several releases of an ε or μ of this size."""
    gaussian, pure = given(Notion.GDP, size), given(Notion.PURE, size)
    return [
        repeated(4, gaussian),
        repeated(2, exponential(size)),
        repeated(2, laplace(size)),
        repeated(3, pure),
        Seq((laplace(size), gaussian)),
        Seq((exponential(size), repeated(2, gaussian))),
    ]


@pytest.mark.parametrize("at", range(len(terms("1"))))
def test_a_small_epsilon_is_that_of_a_larger_number_times_its_share(at: int) -> None:
    """At δ = s/100, the ε of small numbers s is s times a constant: squares of s, and tilts by more than 1/s, are no doubles."""
    share = tight(terms("1e-8")[at], {}, Fraction("1e-10")).epsilon / 1e-8
    for digits in (149, 165, 200, 250):
        found = tight(terms(f"1e-{digits}")[at], {}, Fraction(f"1e-{digits + 2}")).epsilon
        assert share * (1.0 - 1e-4) <= found / float(f"1e-{digits}") <= 3.0 * share
