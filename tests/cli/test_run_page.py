"""A run as a page: `run --report` and `run --out x.html`."""

import math
import os
from pathlib import Path

import pytest

from duetpy.report.run_page import best_guess
from tests.cli.harness import Duetpy, Write
from tests.cli.programs import ALIGNED, MEAN
from tests.html import text_of_page

TWO = """\
pλ ε : ℝ⁺ . xs : 𝕄 [L∞, U | ★, age : 𝔻 ∷ []], ε : ℝ⁺[ε] ⇒
  n ← laplace[auto, ε] <xs> { real (rows xs) } ;
  t ← laplace[auto, ε] <xs> { mfold-row 0.0, xs { t, r ⇒ t + clip[0.0, 10.0] r.age } } ;
  return ⟨"<script>alert(1)</script>", ⟨n, t⟩⟩
"""
TRUSTED = """\
pλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒
  given[0.5] <xs> { mfold-row 0.0, xs { sum, row ⇒ sum + clip[0.0, 1.0] ((opaque "math:tanh" : 𝔻 ⊸ 𝔻) (row#[0, 0])) } }
"""
CANARY = "8675309.25"
SECURE = (
    "Result",
    "Who is protected, and by how much",
    "Mechanisms and errors",
    "Data",
    "What the guarantee rests on",
    "What the guarantee does not cover",
    "The program",
    "Versions and hashes",
)


@pytest.fixture(autouse=True)
def files(write: Write) -> None:
    write("two.eps.duet", TWO)
    write("mean.eps.duet", MEAN)
    write("people.csv", f"age\n20\n43\n{CANARY}\n")


def reported(duetpy: Duetpy, *words: str) -> str:
    """The text of the page about a run."""
    outcome = duetpy("run", *words, "--report", "r.html")
    assert outcome.code == 0, outcome.err
    return text_of_page(Path("r.html").read_text(encoding="utf-8"))


def test_a_report_answers_what_a_steward_asks(duetpy: Duetpy) -> None:
    text = reported(duetpy, "mean.eps.duet", "--data", "people.csv", "--set", "ε=0.5")
    for heading in (*SECURE, "The same guarantee in other terms"):
        assert f"\n{heading}\n" in text
    assert "one row of people.csv" in text
    assert "replace one row" in text
    assert "at most 62.246 % after seeing it" in text
    assert "laplace: sensitivity 100/m" in text
    assert "3 (public)" in text
    assert "This run charged no ledger" in text
    assert CANARY not in text


def test_a_report_has_the_error_of_every_release_and_the_hash_of_the_program(duetpy: Duetpy) -> None:
    from hashlib import sha256

    text = reported(duetpy, "two.eps.duet", "--data", "people.csv", "--set", "ε=0.5")
    assert "5.9915" in text
    assert "59.915" in text
    assert sha256(TWO.encode()).hexdigest() in text
    assert "rows" in text
    assert "private" in text
    assert "<script>alert(1)</script>" in text


PERSONS = "pλ . p : persons[id : 𝕊 | visits : 𝔻𝔽[cost : 𝔻]] ⇒ laplace[1.0, 1.0] <p> { real (rows p) }\n"


def test_numbers_of_rows_have_noise_that_is_not_of_one_scale(duetpy: Duetpy, write: Write) -> None:
    """The page said of them that there is no noise on a number."""
    write("keys.ed.duet", "pλ . xs : 𝔻𝔽[age : 𝐝 ℕ] ⇒ key-counts[1, 1.0, 1e-5] xs { r ⇒ r.age }\n")
    write("ages.csv", "age\n20\n43\n")
    told = "a number of rows is off by 11 at most"
    assert told in duetpy("check", "keys.ed.duet").out
    assert (
        f"key-counts at line 1: sensitivity 1, {told}.\n"
        in duetpy("run", "keys.ed.duet", "--data", "ages.csv", "-v").err
    )
    text = reported(duetpy, "keys.ed.duet", "--data", "ages.csv")
    assert "not of one scale" in text
    assert "off by 11 at most" in text
    write("trusted.eps.duet", TRUSTED)
    text = reported(duetpy, "trusted.eps.duet", "--data", "people.csv", "--trust", "math")
    assert "no noise" in text
    assert "not of one scale" not in text


def test_a_person_is_protected_with_all_their_rows(duetpy: Duetpy, write: Write) -> None:
    """So several rows of one person are no limit of the guarantee, as they are of a table of rows."""
    write("persons.eps.duet", PERSONS)
    write("visits.csv", "id,cost\na,1\na,2\nb,3\n")
    text = reported(duetpy, "persons.eps.duet", "--data", "visits=visits.csv")
    assert "Persons who depend on each other" in text
    assert "Several rows of one person" not in text
    write("weak.eps.duet", PERSONS.replace("1.0]", "9.0]"))
    assert (
        "one person can make a result e^9 times as likely"
        in duetpy("run", "weak.eps.duet", "--data", "visits=visits.csv").err
    )
    assert "Several rows of one person" in reported(duetpy, "mean.eps.duet", "--data", "people.csv", "--set", "ε=0.5")


def test_what_is_aligned_is_one_unit(duetpy: Duetpy, write: Write) -> None:
    write("grad.ed.duet", ALIGNED)
    write("x.csv", "a,b\n1,1\n0,-1\n")
    write("theta.csv", "0\n")
    words = ("--data", "xs=x.csv:0", "--data", "ys=x.csv:1", "--set", "θ=@theta.csv")
    text = reported(duetpy, "grad.ed.duet", *words)
    assert "xs, ys" in text
    assert "certified" in text


TWICE = """\
pλ xs : 𝕄 [L∞, U | ★, a : 𝔻 ∷ []], ys : 𝕄 [L∞, U | ★, b : 𝔻 ∷ []] ⇒
  n ← dlaplace[1, 1] <xs> { rows xs } ;
  m ← dlaplace[1, 1] <ys> { rows ys } ;
  return ⟨n, m⟩
"""


def test_other_terms_are_those_of_a_person_who_has_rows_in_several_tables(duetpy: Duetpy, write: Write) -> None:
    """Two parameters that are read from one file are of the same people, who are charged for both: in every notion, at the δ
    asked for."""
    write("twice.eps.duet", TWICE)
    write("x.csv", "a,b\n1,1\n0,-1\n")
    write("y.csv", "a,b\n1,1\n0,-1\n")
    assert duetpy("ledger", "create", "l", "--budget", "epsilon=9").code == 0
    words = ("twice.eps.duet", "--data", "xs=x.csv", "--delta", "1e-9")
    for more in ((), ("--ledger", "l"), ("--ledger", "l")):  # the last answer is the stored one
        text = reported(duetpy, *words, "--data", "ys=x.csv", *more).partition("The same guarantee")[2]
        assert "pureε = 2upper" in text
        assert "worth at δ = 1e-9" in text
        assert "ε = 1upper" not in text
    apart = reported(duetpy, *words, "--data", "ys=y.csv").partition("The same guarantee")[2]
    assert apart.count("pureε = 1upper") == 2


def test_what_nobody_verified_is_said(duetpy: Duetpy, write: Write) -> None:
    write("trusted.eps.duet", TRUSTED)
    text = reported(duetpy, "trusted.eps.duet", "--data", "people.csv", "--trust", "math")
    assert "depends on claims that nobody verified: the code of math:tanh, the release by given at line 2." in text


def test_a_claim_of_an_imported_file_is_found_there(duetpy: Duetpy, write: Write) -> None:
    write("lib.eps.duet", "def claimed =\n  pλ . xs : 𝕄 [L∞, U | ★, age : 𝔻 ∷ []] ⇒ given[1] <xs> { real (rows xs) }\n")
    write("p.eps.duet", 'import "lib.eps.duet";\npλ . xs : 𝕄 [L∞, U | ★, age : 𝔻 ∷ []] ⇒ claimed@[ . xs]\n')
    text = reported(duetpy, "p.eps.duet", "--data", "people.csv")
    assert "claims that nobody verified: the release by given at line 2 of lib.eps.duet." in text


def test_a_ledger_is_named_with_its_receipt(duetpy: Duetpy) -> None:
    assert duetpy("ledger", "create", "l", "--budget", "epsilon=1").code == 0
    words = ("mean.eps.duet", "--data", "people.csv", "--set", "ε=0.5", "--ledger", "l")
    for is_stored in (False, True):
        text = reported(duetpy, *words)
        assert ("Python, which read the stored result" in text) == is_stored
        assert "ε = 0.5 left" in text
        assert "receipt of the ledger" in text
        assert "The ledger adds up what was charged to it." in text


def test_the_page_of_an_insecure_run_says_that_nobody_is_protected(duetpy: Duetpy) -> None:
    words = ("run", "mean.eps.duet", "--data", "people.csv", "--set", "ε=0.5", "--insecure-noise", "1")
    assert duetpy(*words, "--report", "r.html", "--out", "o.html").code == 0
    for name in ("r.html", "o.html"):
        text = text_of_page(Path(name).read_text(encoding="utf-8"))
        assert "INSECURE" in text
        for said in ("Who is protected", "is protected with", "The same guarantee", "rests on", "guesses right"):
            assert said not in text


@pytest.mark.parametrize(("rule", "is_told"), [("refuse", True), ("default", False)])
def test_what_a_stop_reveals_is_said_of_runs_that_bad_rows_stop(duetpy: Duetpy, rule: str, is_told: bool) -> None:
    text = reported(duetpy, "mean.eps.duet", "--data", "people.csv", "--set", "ε=0.5", "--on-bad-row", rule)
    assert ("reveals whether all cells could be read" in text) is is_told


def test_a_result_is_written_as_a_page(duetpy: Duetpy) -> None:
    words = ("run", "two.eps.duet", "--data", "people.csv", "--set", "ε=0.5", "--out", "o.html")
    outcome = duetpy(*words)
    assert (outcome.code, outcome.out) == (0, "")
    assert "is protected with" in outcome.err
    text = text_of_page(Path("o.html").read_text(encoding="utf-8"))
    assert text.count("Result of two.eps.duet") == 2
    assert "n (± 5.9915, 95 %)" in text
    assert "is protected with ε = 1 (pure" in text


def test_the_result_goes_where_it_always_goes(duetpy: Duetpy) -> None:
    outcome = duetpy("run", "mean.eps.duet", "--data", "people.csv", "--set", "ε=0.5", "--report", "r.html", "--quiet")
    assert outcome.out.startswith("value\n")
    assert outcome.err == ""


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--report", "r.pdf"), "must end in .html"),
        (("--report", "no/r.html"), "cannot be written"),
        (("--report", "r.html", "--out", "r.html"), "is the file of --out"),
        (("--report", "two.html", "--out", "one.csv"), "two.html is the file of --out"),
        (("--report", "p.html"), "is the program, its data or the ledger"),
        (("--out", "x.html", "--format", "json"), "contradicts --format json"),
        (("--out", "null.csv"), "null.csv cannot be written: not a regular file"),
        (("--report", "pipe.html"), "pipe.html cannot be written: not a regular file"),
    ],
)
def test_what_cannot_be_written_is_refused_before_anything_is_charged(
    duetpy: Duetpy, words: tuple[str, ...], said: str
) -> None:
    Path("p.html").symlink_to("people.csv")
    Path("null.csv").symlink_to(os.devnull)
    os.mkfifo("pipe.html")
    Path("one.csv").touch()
    os.link("one.csv", "two.html")
    assert duetpy("ledger", "create", "l", "--budget", "epsilon=1").code == 0
    run = ("run", "mean.eps.duet", "--data", "people.csv", "--set", "ε=0.5", "--ledger", "l")
    outcome = duetpy(*run, *words)
    assert outcome.code == 2
    assert said in outcome.err
    assert "ε = 1 left" in duetpy("ledger", "show", "l").out


def test_a_run_that_is_refused_leaves_no_report(duetpy: Duetpy) -> None:
    assert duetpy("run", "mean.eps.duet", "--data", "none.csv", "--set", "ε=0.5", "--report", "r.html").code == 1
    assert not Path("r.html").exists()


@pytest.mark.parametrize(
    ("epsilon", "delta", "guess"),
    [(0.0, 0.0, 0.5), (math.log(3), 0.0, 0.75), (0.0, 1.0, 1.0), (1.0, 1e-6, 0.7310588474), (800.0, 1e-6, 1.0)],
)
def test_the_best_guess_is_that_of_randomized_response(epsilon: float, delta: float, guess: float) -> None:
    found = best_guess({"epsilon": epsilon, "delta": delta})
    assert found is not None
    assert guess <= found + 1e-10
    assert found == pytest.approx(guess, abs=1e-9)


def test_the_best_guess_is_no_less_than_that_of_the_mechanism_itself() -> None:
    """The pair of which (ε, δ) is true: a leak of δ, else randomized response."""
    for epsilon in (0.01, 0.5, 3.0, 20.0):
        for delta in (0.0, 1e-9, 0.01, 0.3):
            first = [
                delta,
                0.0,
                (1 - delta) * math.exp(epsilon) / (1 + math.exp(epsilon)),
                (1 - delta) / (1 + math.exp(epsilon)),
            ]
            second = [0.0, delta, first[3], first[2]]
            right = sum(max(pair) for pair in zip(first, second, strict=True)) / 2
            found = best_guess({"epsilon": epsilon, "delta": delta})
            assert found is not None
            assert right <= found
            assert found == pytest.approx(right)


def test_a_guess_is_between_neighbours(duetpy: Duetpy) -> None:
    """Of two different rows that may be added, one is removed and another added: two steps."""
    Path("count.eps.duet").write_text(
        "pλ . xs : 𝔻𝔽[age : 𝔻] ⇒ laplace[1.0, 1.0] <xs> { real (rows xs) }", encoding="utf-8"
    )
    assert duetpy("run", "count.eps.duet", "--data", "people.csv", "--report", "r.html").code == 0
    text = text_of_page(Path("r.html").read_text(encoding="utf-8"))
    assert "except which of two neighbours the input is, and considers both equally likely, guesses right" in text


def test_nothing_is_guessed_of_what_has_no_bound() -> None:
    assert best_guess({"epsilon": None, "delta": 1e-6}) is None
    assert best_guess({}) is None
