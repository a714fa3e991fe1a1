"""Numbers in what is said of a broken promise: six digits, and never less than is spent."""

import pytest

import duetpy
from duetpy.diagnostics.error import DuetError


@pytest.mark.parametrize(
    ("spent", "shown"),
    [
        ("0.3", "0.3"),
        ("1/3", "0.333334"),
        ("100", "100"),
        ("123456.7", "123457"),
        ("1e300", "1e300"),
        ("1e-300", "1e-300"),
    ],
)
def test_a_cost_is_shown_to_six_digits_and_rounded_up(spent: str, shown: str) -> None:
    text = f"pλ . x : ℝ ⇒ laplace[1.0, {spent}] <x> {{ x }} ensures ε ≤ {spent} / 2"
    with pytest.raises(DuetError, match=rf"x costs ε = {shown}\n"):
        duetpy.parse(text, notion="eps").check()


def test_an_order_is_rounded_down() -> None:
    text = "pλ . x : ℝ ⇒ given[7/3, 0.5] <x> { x } ensures α ≤ 3, ε ≤ 9"
    with pytest.raises(DuetError, match=r"α = 2\.33333, "):
        duetpy.parse(text, notion="renyi").check()
