from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import duetpy
from duetpy.cli.main import main
from duetpy.settings import SettingError
from duetpy.typecheck.types import Type
from duetpy.valuation import declared, functions, number, valuation


def type_of(text: str) -> Type:
    typed = duetpy.parse(text).typed
    assert typed is not None
    assert typed.type is not None, typed.diagnostics
    return typed.type


PRIVATE = "pλ m : ℕ, ε : ℝ⁺ . xs : 𝕄 [L∞, U | m, 1⋅𝔻], b : ℝ⁺[ε], s : 𝕊 ⇒ return 1.0"


def numbers(text: str, **settings: object) -> dict[str, Fraction]:
    return {var.name: value for var, value in valuation(type_of(text), settings).kinds.items()}


def test_what_a_program_may_be_told() -> None:
    assert declared(type_of(PRIVATE)).names == ("m", "ε", "xs", "b", "s")
    assert declared(type_of("sλ m : ℕ . x : ℝ ⇒ sλ k : ℕ . y : ℕ[k] ⇒ x")).names == ("m", "k", "x", "y")
    assert declared(type_of("1.0")).names == ()
    assert declared(None).names == ()


def test_curried_functions_are_walked() -> None:
    assert len(list(functions(type_of("sλ . x : ℝ, y : ℝ, z : ℝ ⇒ x")))) == 3
    assert len(list(functions(type_of(PRIVATE)))) == 1


def test_numbers_are_exact() -> None:
    assert numbers(PRIVATE, m=3, ε=0.1) == {"m": 3, "ε": Fraction(1, 10)}
    assert numbers(PRIVATE, eps=Fraction(1, 3)) == {"ε": Fraction(1, 3)}


def test_a_static_argument_sets_its_variable() -> None:
    assert numbers(PRIVATE, b=2) == {"ε": 2}
    assert numbers("sλ k : ℕ . k : ℕ[k] ⇒ k", k=5) == {"k": 5}


def test_a_negative_static_argument() -> None:
    text = "sλ c : ℝ⁺ . low : ℝ[-c] ⇒ low"
    assert numbers(text, low=-5) == {"c": 5}
    with pytest.raises(SettingError, match="positive"):
        numbers(text, low=5)


def test_arguments_with_a_formula_are_compared() -> None:
    text = "sλ c : ℝ⁺ . twice : ℝ⁺[2 ⋅ c] ⇒ twice"
    assert numbers(text, c=2, twice=4) == {"c": 2}
    assert numbers(text, twice=4) == {}
    with pytest.raises(SettingError, match="its type says 2⋅c, which is 4"):
        numbers(text, c=2, twice=5)


def test_contradictions_are_refused() -> None:
    with pytest.raises(SettingError, match="contradicts"):
        numbers(PRIVATE, ε=1, b=2)


def test_unknown_names_and_other_arguments_are_kept() -> None:
    found = valuation(type_of(PRIVATE), {"s": "text", "nonsense": 1})
    assert found.kinds == {}
    assert found.given == {"s": "text"}
    assert found.unknown == ("nonsense",)


@pytest.mark.parametrize("value", [0, -1, 1.5, True, "1", None, float("inf"), float("nan")])
def test_what_a_size_cannot_be(value: object) -> None:
    with pytest.raises(SettingError):
        numbers(PRIVATE, m=value)


@pytest.mark.parametrize(("value", "exact"), [(0.1, Fraction(1, 10)), (1e-6, Fraction(1, 10**6)), (3, Fraction(3))])
def test_a_float_counts_as_its_decimal(value: float, exact: Fraction) -> None:
    assert number("x", value) == exact


def test_a_duration_of_numpy_is_no_number() -> None:
    """numpy registers it as a whole number of Python's."""
    for value in (np.timedelta64(1), np.timedelta64(3, "D"), np.timedelta64("NaT")):
        with pytest.raises(SettingError, match="must be a number"):
            number("x", value)


def test_numpy_numbers_are_numbers() -> None:
    import numpy as np

    assert number("x", np.float64(0.1)) == Fraction(1, 10)
    assert number("x", np.float32(0.5)) == Fraction(1, 2)
    assert number("x", np.int64(3)) == 3


@pytest.mark.parametrize("value", [Fraction(1, 10**301), 10**301, 5e-324, "1e-400"])
@pytest.mark.parametrize("name", ["m", "ε", "b"])
def test_a_number_that_no_run_takes_has_no_price(name: str, value: object) -> None:
    """A run refuses it (D0501), and formulas of such numbers leave the range of doubles."""
    given = Fraction(value) if isinstance(value, str) else value
    with pytest.raises(SettingError):
        numbers(PRIVATE, **{name: given})


@pytest.mark.parametrize("value", [Fraction(1, 10**300), 10**300])
def test_the_least_and_the_greatest_number_of_a_run_have_one(value: object) -> None:
    assert numbers(PRIVATE, ε=value) == {"ε": value}


@pytest.mark.parametrize("command", ["check", "cost", "why"])
@pytest.mark.parametrize("value", ["1e-301", "5e-324", "1e-400", "1e301"])
def test_every_command_says_between_what_numbers_settings_lie(
    command: str, value: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "pure.zcdp.duet"
    path.write_text("pλ ε : ℝ⁺ . x : ℝ, ε : ℝ⁺[ε] ⇒ laplace[1.0, ε] <x> { x }", encoding="utf-8")
    assert main([command, str(path), "--set", f"ε={value}"]) == 2
    assert "ε must lie between 1e-300 and 1e300" in capsys.readouterr().err


@pytest.mark.parametrize("given", ["0.73", "7", "nan"])
def test_no_private_value_is_a_number_in_types_as_well(
    given: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A price would state it, and a message that no size is 0.73."""
    for kind in ("ε : ℝ⁺", "ε : ℕ"):
        noise = "ε" if kind.endswith("⁺") else "1.0"
        program = tmp_path / "secret.eps.duet"
        program.write_text(
            f"pλ {kind} . ε : 𝔻 ⇒ laplace[1.0, ℝ⁺[{noise}]] <ε> {{ if ε ≡ 1.0 then 1.0 else 0.0 }}\n", "utf-8"
        )
        for rule in ("refuse", "default"):
            assert main(["run", str(program), "--set", f"eps={given}", "--on-bad-row", rule]) == 2
            shown = "".join(capsys.readouterr())
            assert "ε is a parameter that the program protects, and a number in its types as well" in shown
            assert given not in shown
