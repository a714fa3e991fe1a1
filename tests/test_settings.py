from fractions import Fraction
from itertools import cycle
from pathlib import Path

import pytest

from duetpy.settings import (
    DataFile,
    NoValue,
    SettingError,
    exact_delta,
    folded,
    parse_assignment,
    parse_number,
    parse_value,
    resolve,
    resolve_all,
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.1", Fraction(1, 10)),
        ("1", Fraction(1)),
        ("-0.5", Fraction(-1, 2)),
        (".5", Fraction(1, 2)),
        ("-.25e1", Fraction(-5, 2)),
        ("+2", Fraction(2)),
        ("1e-6", Fraction(1, 10**6)),
        ("-12.5e-3", Fraction(-1, 80)),
        ("1/3", Fraction(1, 3)),
        ("true", True),
        ("false", False),
        ('"text"', "text"),
        ("@bounds.csv", DataFile(Path("bounds.csv"))),
    ],
)
def test_values_are_exact(text: str, value: object) -> None:
    parsed = parse_value(text)
    assert parsed == value
    assert type(parsed) is type(value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        ".",
        ".e1",
        "-.",
        "..5",
        "1.",
        "0,5",
        "1_000",
        "nan",
        "inf",
        "1e",
        "0x10",
        "１",
        "1/0",
        "1e10000000",
        "9" * 500,
        "a",
        "@",
        "1 2",
    ],
)
def test_what_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(SettingError):
        parse_number(text)


@pytest.mark.parametrize("text", ["", "forty", "Ann", '"', "1,5", "9" * 500, "8675309.25x", "@", "True"])
def test_what_is_no_value_is_not_kept(text: str) -> None:
    """It may be somebody's."""
    for found in (parse_value(text), parse_assignment(f"x={text}")[1]):
        assert found == NoValue()
        assert not text or text not in repr(found)


def test_a_huge_exponent_is_refused_before_it_is_computed() -> None:
    with pytest.raises(SettingError):
        parse_number("1e9999")


class TwoFaced(Fraction):
    """A fraction that says another number each time."""

    @property
    def numerator(self) -> int:
        return 1 if next(self.turns) else 1000

    turns = cycle((True, False))


def test_a_delta_is_one_number() -> None:
    """An object of the caller's is read once: a charge at one δ is not the report of another."""
    delta = exact_delta(TwoFaced(1, 1001))
    assert type(delta) is Fraction
    assert delta == Fraction(1, 1001)


def test_a_refusal_shows_no_controls() -> None:
    with pytest.raises(SettingError) as caught:
        parse_number("\x1b[31m")
    assert "\x1b" not in str(caught.value)


@pytest.mark.parametrize("text", ["ε", "=1", "", "  = ", "8675309.25", "x 8675309.25"])
def test_an_assignment_needs_a_name(text: str) -> None:
    with pytest.raises(SettingError, match=r"^a setting must have the form NAME=VALUE$"):
        parse_assignment(text)


def test_an_assignment_keeps_later_equals_signs_in_its_value() -> None:
    assert parse_assignment('s="a=b"') == ("s", "a=b")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ε", "eps"),
        ("δ", "delta"),
        ("ρ", "rho"),
        ("α", "alpha"),
        ("ω", "omega"),
        ("μ", "mu"),
        ("µ", "mu"),
        ("θ", "theta"),
        ("η", "eta"),
        ("σ", "sigma"),
        ("ϵ", "ε"),
        ("δ′", "delta'"),
        ("ε₁", "eps1"),
    ],
)
def test_greek_and_spelled_names_are_one(one: str, other: str) -> None:
    assert folded(one) == folded(other)
    assert resolve(other, [one]) == one
    assert resolve(one, [other]) == other


def test_the_exact_spelling_wins_where_both_are_declared() -> None:
    assert resolve("eps", ["ε", "eps"]) == "eps"
    assert resolve("ε", ["ε", "eps"]) == "ε"


def test_two_possible_meanings_are_refused() -> None:
    with pytest.raises(SettingError, match="could be"):
        resolve("eps1", ["ε₁", "ε1"])


def test_unknown_names_are_told_and_one_name_is_given_once() -> None:
    assert resolve_all({"eps": 1, "k": 2}, ["ε"]) == ({"ε": 1}, ["k"])
    with pytest.raises(SettingError, match="twice"):
        resolve_all({"eps": 1, "ε": 2}, ["ε"])
