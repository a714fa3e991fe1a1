import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duetpy.accounting.figures import bound, figure, part
from duetpy.report.layout import padded, table
from tests.effort import often


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.0, "0"),
        (1.0, "1"),
        (0.5, "0.5"),
        (0.3, "0.3"),
        (0.1 + 0.2, "0.30001"),
        (0.5000000000004, "0.50001"),
        (1.23456789, "1.2346"),
        (4.886554, "4.8866"),
        (1e-6, "1e-6"),
        (1.00001e-5, "1.0001e-5"),
        (0.0001, "0.0001"),
        (100000.0, "100000"),
        (123456789.0, "1.2346e8"),
        (1e22, "1e22"),
        (math.inf, "∞"),
        (None, "∞"),
    ],
)
def test_a_bound_is_rounded_up(value: float | None, shown: str) -> None:
    assert bound(value) == shown


@given(st.floats(min_value=1e-300, max_value=1e300))
@settings(max_examples=often(500, 100), deadline=None, derandomize=True)
def test_a_printed_bound_is_not_below_the_bound(value: float) -> None:
    printed = float(bound(value))
    assert printed >= value
    assert printed <= value * (1 + 2e-4)


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("alpha", 1.9999996, "1.9999"),
        ("omega", 10.0001, "10"),
        ("omega", 2.9999999999999996, "2.9999"),
        ("omega", None, "∞"),
        ("epsilon", 10.0001, "10.001"),
        ("rho", 0.3, "0.3"),
    ],
)
def test_an_order_is_rounded_down_and_every_other_part_up(name: str, value: float | None, shown: str) -> None:
    assert part(name, value) == shown


@pytest.mark.parametrize(
    ("value", "shown"), [(8.449357, "8.44936"), (0.2, "0.2"), (10.0, "10"), (-0.5, "-0.5"), (1e-9, "1e-9"), (0.0, "0")]
)
def test_a_figure_is_rounded_to_the_nearest(value: float, shown: str) -> None:
    assert figure(value) == shown


def test_columns_line_up_by_width() -> None:
    assert table([("年齢", "a"), ("x", "b"), ("", "c", "d")]) == "  年齢   a\n  x      b\n         c   d\n"
    assert table([]) == ""
    assert padded("年", 3) == "年 "
    assert padded("abcd", 3) == "abcd"
