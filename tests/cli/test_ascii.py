"""Streams that have ASCII only: the language's own spelling, never an escape; a result as it is."""

import re
from pathlib import Path
from unicodedata import normalize

import pytest

from duetpy.cli.main import main
from duetpy.diagnostics.catalogue import codes, notion_page, page, rule_page, rules, terms
from duetpy.grammar.ascii import signs_spelt, spelt
from tests.cli.harness import ROOT, Duetpy, Write, spawn
from tests.cli.programs import MEAN
from tests.runs import NAMES, run_of
from tests.test_examples import BAD, EXAMPLES, name_of

ASCII = {"PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
OTHER_SCRIPTS = {"D0003"}
"""What is about letters that look like others."""
ESCAPE = re.compile(rb"\\(x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8})")


@pytest.mark.parametrize(
    ("text", "ascii"),
    [
        ("ε = 0.5, ±3", "eps = 0.5, +/-3"),
        ("𝕄 [L∞, U | ★, 1⋅𝔻]", "Matrix [Linf, U | ?, 1*Disc]"),
        ("ℝ⁺ ⊸⋆ ℝ", "Real+ -o* Real"),
        ("Rényi 10⁻⁶ x₁", "Renyi 10^-6 x1"),
        ("├ └ …", "|- `- ..."),
        ("√ρ⋅√(2⋅k) + √m′", "sqrt(rho)*sqrt(2*k) + sqrt(m')"),
        ("plain", "plain"),
    ],
)
def test_signs_are_spelt(text: str, ascii: str) -> None:
    assert spelt(text) == ascii


def test_what_has_no_spelling_is_shown_by_its_number() -> None:
    assert spelt("中") == "\\u4e2d"


def test_no_command_prints_an_escape(tmp_path: Path) -> None:
    (tmp_path / "mean.eps.duet").write_text(MEAN, encoding="utf-8")
    (tmp_path / "bad.eps.duet").write_text(MEAN.replace("clip[0.0, 100.0] ", ""), encoding="utf-8")
    (tmp_path / "people.csv").write_text("age\n1\n2\n", encoding="utf-8")
    for words in (
        ("check", "mean.eps.duet", "-v"),
        ("check", "bad.eps.duet"),
        ("cost", "mean.eps.duet", "--set", "eps=0.5", "--set", "m=9"),
        ("why", "mean.eps.duet"),
        ("calibrate", "mean.eps.duet", "--budget", "epsilon=1", "--vary", "eps"),
        ("run", "mean.eps.duet", "--data", "people.csv", "--set", "eps=0.5", "-v"),
        ("schema", "people.csv"),
        ("run", "--help"),
    ):
        done = spawn(tmp_path, *words, **ASCII)
        assert not ESCAPE.search(done.stdout + done.stderr), (words, done.stdout, done.stderr)


def test_what_is_spelt_for_a_stream_stays_aligned(tmp_path: Path) -> None:
    """Marks stand below what they mean, and columns of a table below each other, though signs are longer in ASCII."""
    tail = "xs : 𝕄 [L∞, U | ★, 1⋅𝔻], ρ : ℝ⁺[ρ] ⇒ gauss[ℝ⁺[{}], ρ] <xs> {{ real (rows xs) }}\n"
    for name, claimed in {"low": "0.5", "x": "1.0"}.items():
        (tmp_path / f"{name}.zcdp.duet").write_text(f"pλ ρ : ℝ⁺ . {tail.format(claimed)}", encoding="utf-8")
    refused = spawn(tmp_path, "check", "low.zcdp.duet", **ASCII).stderr.decode("ascii").splitlines()
    row = next(at for at, line in enumerate(refused) if "^" in line)
    assert refused[row - 1][refused[row].index("^") : refused[row].rindex("^") + 1] == "real (rows xs)", refused
    priced = spawn(tmp_path, "cost", "x.zcdp.duet", "--set", "rho=0.5", **ASCII).stdout.decode("ascii").splitlines()
    starts = {line.index(kind) for line in priced for kind in (" exact ", " upper ", " none ") if kind in line}
    assert len(starts) == 1, priced


def test_every_page_can_be_spelt() -> None:
    pages = {code: page(code) for code in codes()} | {name: rule_page(name) for name in rules()} | terms()
    pages |= {name: notion_page(name) for name in ("eps", "approx", "renyi", "zcdp", "tcdp", "gdp", "rao", "tight")}
    assert len(pages) > 250
    for name, text in pages.items():
        assert text is not None
        shown = spelt(text)
        assert shown.isascii()
        assert bool(ESCAPE.search(shown.encode())) == (name in OTHER_SCRIPTS), name


def in_ascii(path: Path, folder: Path) -> Path:
    """An example with its signs and its names in ASCII."""
    changed = folder / path.name
    changed.write_text(respelt(path.read_text(encoding="utf-8")), encoding="utf-8")
    return changed


def respelt(text: str) -> str:
    return signs_spelt(text.replace("′", "_"))


def beyond_ascii(text: str) -> set[str]:
    """The signs of a text that are neither in ASCII nor letters of names, such as that of Rényi."""
    return {sign for sign in text if not sign.isascii() and not normalize("NFKD", sign)[0].isascii()}


@pytest.mark.sparse(2)
@pytest.mark.parametrize("path", NAMES, ids=NAMES.get)
def test_a_program_in_ascii_is_answered_in_ascii(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    program = str(in_ascii(path, tmp_path))
    words = [respelt(word) for word in run_of(path)]
    numbers = [word for at, word in enumerate(words) if "--set" in (word, words[at - 1])]
    for command in (
        ["check", "-v", program],
        ["why", program, *numbers],
        ["run", "-v", "--explain-plan", program, *words],
    ):
        code = main(command)
        captured = capsys.readouterr()
        assert code == 0, captured.err
        assert beyond_ascii(captured.out + captured.err) == set(), command


@pytest.mark.parametrize("path", BAD, ids=name_of)
def test_a_refused_program_in_ascii_is_answered_in_ascii(path: Path, tmp_path: Path, duetpy: Duetpy) -> None:
    done = duetpy("check", in_ascii(path, tmp_path).name)
    assert "D0" in done.err
    assert beyond_ascii(done.out + done.err) == set()


PRICED = {
    "count.eps.duet": ["m=442", "eps=1"],
    "logistic.zcdp.duet": ["m=427", "n=30", "k=10", "eta=4", "rho=0.05"],
    "squares.ed.duet": ["eps=1", "delta=1e-6"],
}


@pytest.mark.parametrize("name", PRICED)
def test_costs_and_budgets_of_a_program_in_ascii_are_in_ascii(name: str, tmp_path: Path, duetpy: Duetpy) -> None:
    program = in_ascii(EXAMPLES / name, tmp_path).name
    numbers = [word for number in PRICED[name] for word in ("--set", number)]
    vary = "rho" if "zcdp" in name else "eps"
    others = [word for number in PRICED[name] if not number.startswith(vary) for word in ("--set", number)]
    for command in (
        ["cost", program, *numbers],
        ["check", program, *numbers, "--delta", "1e-7"],
        ["calibrate", program, "--budget", "epsilon=1,delta=1e-5", "--vary", vary, *others],
    ):
        done = duetpy(*command)
        assert done.code == 0, done.err
        assert beyond_ascii(done.out + done.err) == set()


def test_signs_of_the_question_decide(write: Write, duetpy: Duetpy) -> None:
    """A program in other signs is answered in them; so is one in ASCII where the command line is not."""
    write("greek.eps.duet", MEAN)
    write("mean.eps.duet", signs_spelt(MEAN))
    assert "±" in duetpy("check", "greek.eps.duet").out
    assert duetpy("check", "mean.eps.duet").out.isascii()
    assert "±" in duetpy("check", "mean.eps.duet", "--set", "ε=0.5").out


def test_what_was_released_is_not_respelt(tmp_path: Path) -> None:
    (tmp_path / "x.eps.duet").write_text(
        'pλ . x : ℝ ⇒ y ← laplace[1.0, 1.0] <x> { x } ; return ⟨"ε", y⟩\n', encoding="utf-8"
    )
    done = spawn(tmp_path, "run", "x.eps.duet", "--set", "x=1", "--format", "csv", **ASCII)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[1].startswith(b"\\u03b5,")


def test_a_sign_is_not_told_twice_in_one_spelling(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("x.duet").write_text("plam xs : DF[a : Disc] => return (1, 2)\n", encoding="utf-8")
    assert main(["check", "x.duet"]) == 1
    assert "help: write a pair as `<|a, b|>`, a call with" in capsys.readouterr().err
    Path("x.duet").write_text("pλ xs : 𝔻𝔽[a : 𝔻] ⇒ return (1, 2)\n", encoding="utf-8")
    assert main(["check", "x.duet"]) == 1
    assert "help: write a pair as `⟨a, b⟩` (or `<|a, b|>`), a call with" in capsys.readouterr().err
