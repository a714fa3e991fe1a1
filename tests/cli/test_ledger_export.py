"""A ledger that is handed to somebody else: as a table, as JSON and as a page."""

import csv
import io
import json
from fractions import Fraction
from pathlib import Path

import pytest

from duetpy.ledger.store import Ledger
from tests.cli.harness import Duetpy, Write
from tests.cli.programs import MEAN
from tests.html import text_of_page

SECRET = "41"


@pytest.fixture
def ledger(duetpy: Duetpy, write: Write) -> str:
    write("mean.eps.duet", MEAN)
    write("=mean<b>.eps.duet", MEAN)
    write("people.csv", f"age\n20\n{SECRET}\n")
    assert duetpy("ledger", "create", "l", "--budget", "epsilon=1,delta=1e-6", "--dataset", "<people>").code == 0
    for name, eps in (("mean.eps.duet", "0.25"), ("=mean<b>.eps.duet", "0.5")):
        assert duetpy("run", name, "--data", "people.csv", "--set", f"ε={eps}", "--ledger", "l").code == 0
    return "l"


def test_a_table_has_every_charge_with_its_hash(duetpy: Duetpy, ledger: str) -> None:
    outcome = duetpy("ledger", "export", ledger)
    assert (outcome.code, outcome.err) == (0, "")
    rows = list(csv.DictReader(io.StringIO(outcome.out)))
    assert list(rows[0]) == ["number", "at", "program", "unit", "epsilon", "delta", "trusted", "released", "hash"]
    assert [row["epsilon"] for row in rows] == ["0.25", "0.5"]
    assert [row["program"] for row in rows] == ["mean.eps.duet", "'=mean<b>.eps.duet"]
    entries = {str(entry.number): entry.hash for entry in Ledger(Path(ledger)).state().entries}
    assert all(entries[row["number"]] == row["hash"] for row in rows)
    assert {row["released"] for row in rows} == {"true"}


def test_json_is_that_of_show(duetpy: Duetpy, ledger: str) -> None:
    assert (
        duetpy("ledger", "export", ledger, "--format", "json").out
        == duetpy("ledger", "show", ledger, "--format", "json").out
    )


def test_a_page_says_what_is_left_and_escapes_names(duetpy: Duetpy, ledger: str) -> None:
    outcome = duetpy("ledger", "export", ledger, "--format", "html")
    assert outcome.code == 0
    text = text_of_page(outcome.out)
    for said in (
        "Privacy budget of <people>",
        "ε = 0.75",
        "ε = 0.25, δ = 1e-6",
        "=mean<b>.eps.duet",
        "replace one row",
    ):
        assert said in text, said


@pytest.mark.parametrize("form", ["csv", "json"])
def test_no_name_moves_the_cursor_of_a_terminal(
    duetpy: Duetpy, ledger: str, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    Path("\x1b[2J\x9b.eps.duet").write_text(MEAN, encoding="utf-8")
    assert duetpy("run", "\x1b[2J\x9b.eps.duet", "--data", "people.csv", "--set", "ε=0.2", "--ledger", ledger).code == 0
    assert "\x1b" in duetpy("ledger", "export", ledger).out
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    told = duetpy("ledger", "export", ledger, "--format", form).out
    assert "[2J" in told
    assert not {"\x1b", "\x9b"} & set(told)


def test_no_budget_is_printed_smaller_than_what_may_be_spent_of_it(duetpy: Duetpy, write: Write) -> None:
    """Of a third neither a double nor five digits are exact: what was spent of it may not seem to be more."""
    write("mean.eps.duet", MEAN)
    write("people.csv", "age\n20\n30\n")
    created = duetpy("ledger", "create", "third", "--budget", "epsilon=1/3")
    assert created.out.startswith("third: ε = 0.33333333333333337 for")
    run = ("run", "mean.eps.duet", "--data", "people.csv", "--ledger", "third")
    assert duetpy(*run, "--set", "ε=1/3").code == 0
    assert duetpy("ledger", "show", "third").out.startswith("third: ε = 0.33334 of ε = 0.33334 spent, ε = 0 left")
    found = json.loads(duetpy("ledger", "show", "third", "--format", "json").out)
    assert found["spent"] == found["budget"]
    assert Fraction(repr(found["budget"]["epsilon"])) >= Fraction(1, 3)
    refused = duetpy(*run, "--set", "ε=1/4")
    assert "spent so far   ε = 0.33333333333333337 of ε = 0.33333333333333337" in refused.err


def test_neither_the_key_nor_a_result_is_exported(duetpy: Duetpy, ledger: str) -> None:
    state = Ledger(Path(ledger)).state()
    result = json.loads(
        duetpy(
            "run", "mean.eps.duet", "--data", "people.csv", "--set", "ε=0.25", "--ledger", ledger, "--format", "json"
        ).out
    )
    for form in ("csv", "json", "html"):
        told = duetpy("ledger", "export", ledger, "--format", form).out
        assert state.key.hex() not in told
        assert repr(result["result"]) not in told


@pytest.mark.parametrize("name", ["x.csv", "x.json", "x.html", "x.HTML"])
def test_the_ending_of_the_file_says_what_is_written(duetpy: Duetpy, ledger: str, name: str) -> None:
    outcome = duetpy("ledger", "export", ledger, "--out", name)
    assert (outcome.code, outcome.out, outcome.err) == (0, "", "")
    form = name.rpartition(".")[2].lower()
    assert Path(name).read_text(encoding="utf-8") == duetpy("ledger", "export", ledger, "--format", form).out


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--out", "x.pdf"), 2, "must end in .csv, .json or .html"),
        (("--out", "x.csv", "--format", "json"), 2, "contradicts --format json"),
        (("--out", "no/x.csv"), 70, "could not be written"),
        (("--out", f"{'0' * 300}.csv"), 2, "cannot be written"),
        (("--out", f"{'0' * 300}/x.csv"), 2, "cannot be written"),
        (("--out", "\0.csv"), 2, "cannot be written"),
        (("--format", "pdf"), 2, "invalid choice"),
    ],
)
def test_what_cannot_be_written(duetpy: Duetpy, ledger: str, words: tuple[str, ...], code: int, said: str) -> None:
    outcome = duetpy("ledger", "export", ledger, *words)
    assert outcome.code == code
    assert said in outcome.err


def test_the_ledger_is_never_written_over(duetpy: Duetpy, ledger: str) -> None:
    Path("l.csv").hardlink_to("l")
    Path("m.csv").symlink_to("l")
    before = Path("l").read_bytes()
    for name in ("l.csv", "m.csv"):
        assert duetpy("ledger", "export", ledger, "--out", name).code == 2
    assert Path("l").read_bytes() == before


def test_a_ledger_that_is_missing_is_refused(duetpy: Duetpy) -> None:
    outcome = duetpy("ledger", "export", "none", "--out", "x.csv")
    assert outcome.code == 1
    assert "D07" in outcome.err
    assert not Path("x.csv").exists()
