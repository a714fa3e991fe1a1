"""Public numbers: those of numpy are numbers, and one whose type says which it is is compared with it."""

import io
import tempfile
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import duetpy
from duetpy.cli.main import main
from duetpy.diagnostics.error import DuetError
from duetpy.settings import SettingError, exact
from tests.runtime.runs import go, refused

LOOP = """pλ m : ℕ, k : ℕ, ε : ℝ⁺ . xs : 𝕄 [L∞, U | m, 1⋅𝔻 else 0], k : ℕ[k], ε : ℝ⁺[ε], b : ℝ, j : ℕ, t : 𝔹 ⇒
  loop k on 0.0 <xs> { i, a ⇒ laplace[auto, ε] <xs> { mfold-row 0.0, xs { a, r ⇒ a + clip[0.0, 1.0] (r#[0, 0]) } } }"""
PLAIN: dict[str, Any] = {"k": 3, "ε": 0.5, "b": 1.5, "j": 2, "t": True}
ROWS = np.ones((3, 1))


@pytest.mark.parametrize(
    "given",
    [
        {"k": np.int64(3)},
        {"k": np.int8(3)},
        {"k": np.uint64(3)},
        {"k": np.float32(3.0)},
        {"m": np.int16(3)},
        {"ε": np.float64(0.5)},
        {"ε": np.float16(0.5)},
        {"ε": np.longdouble("0.5")},
        {"b": np.float32(1.5)},
        {"j": np.uint8(2)},
        {"j": np.array(2)},
        {"t": np.bool_(True)},
    ],
)
@pytest.mark.sparse(3)
def test_numbers_of_numpy_are_numbers(given: dict[str, Any]) -> None:
    checked = duetpy.parse(LOOP, notion="eps").check()
    release = checked.run(xs=ROWS, **PLAIN | given)
    assert release.privacy["total"] == {"notion": "eps", "epsilon": 1.5}
    told = {name: value for name, value in (PLAIN | given).items() if name in ("k", "ε")}
    assert checked.cost(**told)["xs"] == {"epsilon": 1.5}
    assert checked.compare(**told)["xs"].rows
    assert checked.calibrate("epsilon=1.5", vary="ε", k=told["k"]).value == 0.5


def test_whole_numbers_of_numpy_do_not_wrap() -> None:
    """10^18 times 10^18 is no 64-bit integer."""
    checked = duetpy.parse(LOOP, notion="eps").check()
    assert checked.cost(k=np.int64(10**18), ε=np.int64(10**18))["xs"] == {"epsilon": 1e36}
    assert type(exact(np.int64(3)).numerator) is int
    with np.errstate(all="ignore"):
        assert np.int64(10**18) * np.int64(10**18) != 10**36  # they would


@pytest.mark.parametrize("number", [10**700, Fraction(1, 10**700), -(10**5000)], ids=["large", "small", "negative"])
def test_a_number_beyond_all_length_is_refused(number: Any) -> None:
    checked = duetpy.parse(LOOP, notion="eps").check()
    with pytest.raises(DuetError, match=r"D0611\]: ε has too many digits"):
        checked.run(xs=ROWS, **PLAIN | {"ε": number})
    with pytest.raises(SettingError, match="ε has too many digits"):
        checked.cost(k=3, ε=number)


# ---------------------------------------------------------------------------------------------------------------------
# Arguments whose types say which number they are

NEXT = """pλ m : ℕ, c : ℝ⁺ . xs : 𝕄 [L∞, U | m, 1⋅𝔻 else 0], c : ℝ⁺[c], k : ℕ[m + 1], s : ℝ⁺[√m], d : ℝ⁺[2 ⋅ c] ⇒
  a ← laplace[auto, 1.0] <xs> { mfold-row 0.0, xs { a, r ⇒ a + clip[0.0, 1.0] (r#[0, 0]) } } ;
  return ⟨k, ⟨s, d⟩⟩
"""


@pytest.mark.parametrize("rule", ["refuse", "default"])
@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("k", 7, "k = 7, but its type says m + 1, which is 4"),
        ("k", Fraction(7, 2), "k = 7/2, but its type says m + 1, which is 4"),
        ("k", -4, "k = -4, but its type says m + 1, which is 4"),
        ("s", 2, "s = 2, but its type says √m, which is 1.73205"),
        ("d", 0.3, "d = 3/10, but its type says 2⋅c, which is 1/5"),
    ],
)
def test_an_argument_is_the_number_that_its_type_says(name: str, value: Any, said: str, rule: str) -> None:
    (diagnostic,) = refused(NEXT, {"xs": ROWS}, how={"on_bad_row": rule}, c=0.1, **{name: value})
    assert (diagnostic.code, diagnostic.message) == ("D0611", said)


@pytest.mark.parametrize("rule", ["refuse", "default"])
@pytest.mark.parametrize("given", [{}, {"k": 4}, {"k": 4.0}, {"k": np.int64(4)}, {"d": 0.2}, {"d": Fraction(1, 5)}])
def test_one_that_is_that_number_is_taken(given: dict[str, Any], rule: str) -> None:
    k, (s, d) = go(NEXT, {"xs": ROWS}, how={"on_bad_row": rule}, c=0.1, **given).result
    assert (k, s, d) == (4, pytest.approx(3**0.5, abs=1e-12), 0.2)


def test_without_data_it_is_compared_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "next.eps.duet"
    path.write_text(NEXT, encoding="utf-8")
    for command in ("check", "cost"):
        known = (command, str(path), "--set", "m=2", "--set", "c=1", "--set")
        assert main([*known, "k=3"]) == 0
        for wrong in ("k=7", "s=1.5", "d=3"):
            capsys.readouterr()
            assert main([*known, wrong]) == 2
            assert "but its type says" in capsys.readouterr().err


# ---------------------------------------------------------------------------------------------------------------------
# Open files

SUM = (
    LOOP.replace("k : ℕ[k], ", "")
    .replace(", b : ℝ, j : ℕ, t : 𝔹", "")
    .replace("loop k", "loop 1")
    .replace(", k : ℕ", "")
)
TEXTS = """pλ . xs : 𝕄 [L∞, U | ★, 1⋅𝐝 𝕊] ⇒ laplace[auto, 1.0] <xs> { real (rows xs) }"""
SET = "pλ . xs : ℘(𝐝 𝕊) ⇒ laplace[1.0, 1.0] <xs> { 1.0 }"


@pytest.mark.parametrize("rule", ["refuse", "default"])
@pytest.mark.parametrize("program", [SUM, TEXTS, SET])
def test_an_open_file_is_refused(tmp_path: Path, program: str, rule: str) -> None:
    """It would count as other people than its path."""
    path = tmp_path / "people.csv"
    path.write_text("1\n2\n", encoding="utf-8")
    numbers = {"ε": 1} if "ε" in program else {}
    with (
        path.open(encoding="utf-8") as text,
        path.open("rb") as binary,
        tempfile.NamedTemporaryFile("w+") as wrapped,
        tempfile.SpooledTemporaryFile() as spooled,
    ):
        for file in (text, binary, wrapped, spooled, io.StringIO("1\n"), io.BytesIO(b"1\n")):
            (diagnostic,) = refused(program, {"xs": file}, how={"on_bad_row": rule}, **numbers)
            assert diagnostic.code == "D0611"
            assert diagnostic.help == "give its path"
