"""No text and no file makes the parser, the checker or the readers of data raise, or keeps them for long."""

import random
from fractions import Fraction
from pathlib import Path

import pytest

from duetpy.program import parse
from duetpy.settings import SettingError, parse_number
from tests.attacks.fuzzed import SPECIMENS, a_data_file, a_text, checked, loaded, parsed


def test_the_parser_does_not_raise() -> None:
    assert len(SPECIMENS) > 20
    for seed in range(600):
        parsed(a_text(random.Random(seed)))


def test_the_checker_does_not_raise() -> None:
    for seed in range(120):
        checked(a_text(random.Random(seed)))


def test_the_readers_refuse_or_take(tmp_path: Path) -> None:
    taken = [loaded(tmp_path / "x.csv", a_data_file(random.Random(seed)), random.Random(seed)) for seed in range(1200)]
    assert 0.05 < sum(taken) / len(taken) < 0.95


@pytest.mark.slow
def test_longer(tmp_path: Path) -> None:
    for seed in range(600, 20_000):
        dice = random.Random(seed)
        parsed(a_text(dice))
        loaded(tmp_path / "x.csv", a_data_file(dice), dice)
        if seed % 10 == 0:
            checked(a_text(dice))


@pytest.mark.parametrize(
    "text", ["1e10000000", "1e-10000000", "9" * 200, "1e401", "0." + "1" * 200, "1/3", "nan", "inf", "1_0"]
)
def test_numbers_are_bounded(text: str) -> None:
    """`Fraction("1e10000000")` takes seconds and megabytes, so a number is looked at before it is made."""
    try:
        number = parse_number(text)
    except SettingError:
        return
    assert isinstance(number, Fraction)
    assert len(str(number.numerator)) + len(str(number.denominator)) < 2000


@pytest.mark.parametrize(
    "text",
    [
        "pλ . x : ℝ ⇒ gauss[1e99999999, 1.0, 1e-6] <x> { x }",
        "pλ . x : ℝ ⇒ laplace[1.0, 1e-99999999] <x> { x }",
        "sλ . x : ℝ ⇒ " + "(" * 5_000 + "x" + ")" * 5_000,
        "sλ . x : ℝ ⇒ " + "x + " * 3_000 + "x",
        "(" * 20_000,
        "pλ ε : ℝ⁺ . x : ℝ, ε : ℝ⁺[ε] ⇒ laplace[1.0, ε" + " ⋅ ε" * 400 + "] <x> { x }",
    ],
    ids=["huge", "tiny", "brackets", "sum", "open", "power"],
)
def test_large_programs_end(text: str) -> None:
    parse(text).state()


@pytest.mark.parametrize(
    "body", ["{ o \u202e⇒ return 1.0 }", "{ o \u202e⇒", "{ a, b, c \u202e⇒ return 1.0 }", "{ o ⇒ return 1.0 }"]
)
def test_names_before_an_arrow_that_is_found_later_are_counted(body: str) -> None:
    """A sign that belongs nowhere stands before the arrow: reading goes on behind it, with one name where two are bound."""
    parsed(f"pλ . xs : 𝕄 [L∞, U | ★, age : 𝔻 ∷ []] ⇒ parallel[xs, ℘{{1.0}}] {{ w ⇒ w.age }} {body}")
