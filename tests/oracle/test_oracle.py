"""What is compared with other libraries is what duetpy runs, whether or not these libraries are there."""

from fractions import Fraction
from importlib import import_module

import pytest

from tests.oracle.samplers import comparisons


@pytest.mark.parametrize("name", ["__main__", "frames", "samplers"])
def test_a_comparison_can_begin(name: str) -> None:
    assert callable(import_module(f"tests.oracle.{name}").main)


def test_every_sampler_that_is_compared_draws() -> None:
    for each in comparisons(4):
        assert len(each.draw(4, Fraction(1))) == 4, each.name
