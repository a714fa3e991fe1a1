"""Public numbers beyond all doubles, and numbers in other scripts: they are refused in words, whatever is computed from them."""

import re
import sys
from collections.abc import Iterator

import pytest

from tests.cli.harness import Duetpy, Write
from tests.cli.programs import MEAN

SIZED = """\
pλ m : ℕ, ε : ℝ⁺ . table : 𝕄 [L∞, U | {rows}, age : 𝔻 else 0 ∷ []], ε : ℝ⁺[ε] ⇒
  laplace[auto, ε] <table> {{ mfold-row 0.0, table {{ total, row ⇒ total + clip[0.0, 100.0] row.age }} }}
"""

FEWEST_DIGITS = 640


@pytest.fixture
def few_digits() -> Iterator[None]:
    """Python writes no whole number of more digits than it has to, which is a setting of the process."""
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(FEWEST_DIGITS)
    try:
        yield
    finally:
        sys.set_int_max_str_digits(limit)


@pytest.mark.parametrize("mode", ["refuse", "default"])
def test_a_size_beyond_all_numbers_is_no_size_of_any_table(duetpy: Duetpy, write: Write, mode: str) -> None:
    """One row passed for 10^6000 rows, since nothing was compared with what could not be computed."""
    write("sized.eps.duet", SIZED.format(rows="⋅".join(["m"] * 20)))
    write("x.csv", "age\n37\n")
    words = ("--data", "x.csv", "--set", "ε=1", "--set", "m=1e300", "--on-bad-row", mode)
    outcome = duetpy("run", "sized.eps.duet", *words)
    assert (outcome.code, outcome.out) == (1, "")
    assert "error[D0501]: power(m, 20) is not a finite number for these settings" in outcome.err


@pytest.mark.parametrize("mode", ["refuse", "default"])
@pytest.mark.usefixtures("few_digits")
def test_a_size_of_many_digits_is_told(duetpy: Duetpy, write: Write, mode: str) -> None:
    write("sized.eps.duet", SIZED.format(rows="m⋅m⋅m"))
    write("x.csv", "age\n37\n")
    words = ("--data", "x.csv", "--set", "ε=1", "--set", "m=1e300", "--on-bad-row", mode)
    outcome = duetpy("run", "sized.eps.duet", *words)
    assert (outcome.code, outcome.out) == (1, "")
    assert "error[D0612]: table has 1 row, but" in outcome.err
    assert "has more than any double in this run" in outcome.err


@pytest.mark.parametrize(("size", "told"), [("1e300", "1e+300"), ("2000000", "2000000")])
def test_an_audit_of_absurd_tables_is_refused(duetpy: Duetpy, write: Write, size: str, told: str) -> None:
    write("mean.eps.duet", MEAN)
    outcome = duetpy("audit", "mean.eps.duet", "--set", f"m={size}")
    assert (outcome.code, outcome.out) == (1, "")
    assert (
        f"error[D0706]: the audit generates tables of at most 1000000 cells, but table would have {told}\n"
        in outcome.err
    )


@pytest.mark.parametrize("size", ["٣GB", "9" * 5000 + "GB", "1." + "9" * 5000 + "GB", "²GB"])
@pytest.mark.usefixtures("few_digits")
def test_an_amount_of_memory_has_a_few_digits_of_ascii(duetpy: Duetpy, write: Write, size: str) -> None:
    write("mean.eps.duet", MEAN)
    outcome = duetpy("run", "mean.eps.duet", "--data", "x.csv", "--set", "ε=1", "--memory", size)
    assert outcome.code == 2
    assert f"argument --memory: {size!r} is not an amount of memory; write 500MB or 64GiB" in outcome.err.replace(
        "\n", ""
    )


@pytest.mark.sparse(2)
@pytest.mark.parametrize(("name", "mechanism"), [("one.eps.duet", "laplace"), ("one.zcdp.duet", "gauss")])
def test_an_audit_of_noise_that_no_double_holds_is_refused_as_its_run_is(
    duetpy: Duetpy, write: Write, name: str, mechanism: str
) -> None:
    write(
        name,
        f"pλ b : ℝ⁺, ε : ℝ⁺ . x : 𝔻, b : ℝ⁺[b], ε : ℝ⁺[ε] ⇒ {mechanism}[auto, ε] <x> {{ b ⋅ clip[0.0, b] x ⋅ b }}\n",
    )
    for size in ("1e300", "1e-300"):
        outcome = duetpy("audit", name, "--set", f"b={size}", "--set", "ε=1", "--trials", "10")
        assert (outcome.code, outcome.out) == (1, "")
        assert f"error[D0703]: cannot draw noise for {mechanism} with these numbers" in outcome.err


HARDLY_TRUSTED = """\
pλ . x : ℝ ⇒
  b ← rand-nat[0, 1] ;
  if b < 1
  then { RENYI[0.01] { a ← laplace[1.0, 1.0] <x> { x } ; given[1.001, 0.2] <x> { 0.0 } } }
  else { laplace[1.0, 0.1] <x> { x } }
"""


@pytest.mark.parametrize("words", [("check",), ("cost",), ("run", "--set", "x=1")], ids=lambda w: w[0])
def test_a_cost_of_which_hardly_anything_is_known_has_a_price(
    duetpy: Duetpy, write: Write, words: tuple[str, ...]
) -> None:
    """An order so near to 1 implies no profile, and together with other mechanisms that was an internal error."""
    write("hardly.ed.duet", HARDLY_TRUSTED)
    command, *settings = words
    outcome = duetpy(command, "hardly.ed.duet", *settings)
    assert outcome.code == 0
    assert "Warning: overflow" not in outcome.err
    shown = "x is protected with ε = 4597.9, δ = 0.01" if command == "run" else "ε = 4597.9, δ = 0.01"
    assert shown in outcome.out + outcome.err


ABSURD = (
    ("eps", "laplace[auto, 1e-400] <xs> { real (rows xs) }"),
    ("eps", "dlaplace[7, 1e-323] <xs> { rows xs }"),
    ("renyi", "dlaplace[7, 1e-323] <xs> { rows xs }"),
    ("zcdp", "canonical[1, 3e-400] <xs> { real (rows xs) }"),
    ("ed", "gauss[1, 1e-322, 1e-323] <xs> { real (rows xs) }"),
    ("ed", "dgauss[1, 1e-130, 1e-300] <xs> { rows xs }"),
    ("ed", "dgauss[1, 1e-310, 1e-300] <xs> { rows xs }"),
    ("renyi", "poisson[4.65e-9] xs { x ⇒ gauss[auto, 1e309, 7e-323] <x> { real (rows x) } }"),
    ("renyi", "poisson[1] xs { x ⇒ laplace[1, 50] <x> { real (rows x) } } ; gauss[1, 4, 0.1] <xs> { real (rows xs) }"),
)
"""Parameters next to the ends of the doubles, by notion."""


@pytest.mark.parametrize(("notion", "body"), ABSURD)
def test_parameters_at_the_ends_of_the_doubles_have_costs_in_words(
    duetpy: Duetpy, write: Write, notion: str, body: str
) -> None:
    """No internal error, no warning of a library, and nothing that costs nothing."""
    name = f"ends.{notion}.duet"
    write(name, "pλ xs : 𝔻𝔽[age : 𝔻] ⇒ " + ("a ← " if " ; " in body else "") + body + "\n")
    for words in (
        ["check", name],
        ["check", name, "--format", "json"],
        ["cost", name],
        ["cost", name, "--delta", "1e-323"],
    ):
        outcome = duetpy(*words)
        assert (outcome.code, outcome.err) == (0, ""), words
        assert "nan" not in outcome.out
        assert not re.search(r"ρ = 0\b(?!\.)", outcome.out)
