"""The command: its words, its JSON, its exit codes."""

import json
import re
from typing import Any

import pytest

from tests.cli.harness import ROOT, Duetpy, Write
from tests.cli.programs import GAUSS, MEAN

LIE = """\
pλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒
  given[ℝ⁺[0.1]] <xs> { mfold-row 0.0, xs { sum, row ⇒ sum + clip[0.0, 1.0] (row#[0, 0]) } }
"""


PARTS = """\
pλ ε : ℝ⁺ . xs : 𝕄 [L∞, U | ★, age : 𝔻 ∷ []], ε : ℝ⁺[ε] ⇒
  parallel[xs, ℘{0.0, 1.0}] { row ⇒ row.age } { age, part ⇒ laplace[auto, ε] <part> { real (rows part) } }
"""


def audited(duetpy: Duetpy, *arguments: str, code: int = 0) -> dict[str, Any]:
    outcome = duetpy("audit", *arguments, "--format", "json")
    assert (outcome.code, outcome.err) == (code, "")
    value: dict[str, Any] = json.loads(outcome.out)
    return value


def test_a_sound_program_is_never_called_verified(duetpy: Duetpy, write: Write) -> None:
    write("mean.eps.duet", MEAN)
    outcome = duetpy("audit", "mean.eps.duet", "--trials", "20")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.startswith("mean.eps.duet: no violation found\n")
    assert outcome.out.count("could have detected: ") == 4
    assert not re.search("verified|proven|is private|safe", outcome.out)


def test_a_false_promise_is_refuted_with_its_pair(duetpy: Duetpy, write: Write) -> None:
    write("lie.eps.duet", LIE)
    outcome = duetpy("audit", "lie.eps.duet", "--trials", "60", "--set", "m=3")
    assert outcome.code == 1
    assert "error[D0801]: the released result distinguishes neighbours" in outcome.err
    assert " and [[" in outcome.err
    assert outcome.out.startswith("lie.eps.duet: a violation was found\n")
    found = audited(duetpy, "lie.eps.duet", "--trials", "60", "--set", "m=3", code=1)
    assert found["violations"] == 1
    (violation,) = next(layer for layer in found["layers"] if layer["name"] == "end to end")["violations"]
    assert violation["code"] == "D0801"


def test_what_an_audit_says_is_rounded_to_the_side_that_claims_less(duetpy: Duetpy, write: Write) -> None:
    """A proved ε is rounded up; of what was shown, or could have been, the text claims no more than the numbers do."""
    for epsilon in (1.00004, 0.100004):
        write("n.eps.duet", f"pλ . xs : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ laplace[1, {epsilon}] <xs> {{ real (rows xs) }}")
        text = duetpy("audit", "n.eps.duet", "--trials", "50").out
        layers = audited(duetpy, "n.eps.duet", "--trials", "50")["layers"]
        facts = next(layer["facts"] for layer in layers if layer["name"] == "end to end")
        assert float(re.findall(r"ε ≥ (\S+) at δ", text)[0]) <= facts["epsilon"]
        assert float(re.findall(r"(\S+) is proved", text)[0]) >= facts["claimed"] == epsilon
        if facts["ceiling"] <= epsilon:
            assert float(re.findall(r"only an ε above (\S+),", text)[0]) >= facts["ceiling"]
        else:
            assert float(re.findall(r"would have shown as (\S+)\n", text)[0]) <= facts["ceiling"]


def documented() -> dict[str, set[str]]:
    """The keys that the page names, by object."""
    found: dict[str, set[str]] = {}
    for line in (ROOT / "docs" / "audit.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if match := re.fullmatch(r"`layers\[\].facts`, (.*)", cells[0]):
            found[match[1]] = set(re.findall(r"`(\w+)`", cells[1]))
        elif match := re.fullmatch(r"`(\w+)(\[\])?`", cells[0]):
            found.setdefault("", set()).add(match[1])
    return found


@pytest.mark.parametrize("text", [MEAN, GAUSS])
def test_json_has_the_keys_that_the_page_names(duetpy: Duetpy, write: Write, text: str) -> None:
    write("mean.approx.duet", text)
    found = audited(duetpy, "mean.approx.duet", "--trials", "20")
    pages = documented()
    assert set(found) == pages.pop("")
    assert [layer["name"] for layer in found["layers"]] == list(pages)
    for layer in found["layers"]:
        assert set(layer) == {"name", "did", "could_see", "facts", "violations"}
        assert set(layer["facts"]) == pages[layer["name"]]


def test_the_same_command_gives_the_same_audit(duetpy: Duetpy, write: Write) -> None:
    write("mean.eps.duet", MEAN)
    assert audited(duetpy, "mean.eps.duet", "--trials", "20") == audited(duetpy, "mean.eps.duet", "--trials", "20")


def test_a_refused_program_is_not_audited(duetpy: Duetpy, write: Write) -> None:
    write("clear.eps.duet", "pλ . x : ℝ ⇒ return x")
    outcome = duetpy("audit", "clear.eps.duet")
    assert outcome.code == 1
    assert outcome.out == ""
    assert "error[D" in outcome.err
    write("bad.eps.duet", "pλ . x : ℝ ⇒ return y")
    found = audited(duetpy, "bad.eps.duet", code=1)
    assert found["layers"] == []
    assert [each["code"] for each in found["diagnostics"]] == ["D0101"]


def test_data_is_made_up_and_cannot_be_given(duetpy: Duetpy, write: Write) -> None:
    write("mean.eps.duet", MEAN)
    outcome = duetpy("audit", "mean.eps.duet", "--set", "table=1")
    assert outcome.code == 2
    assert "the audit generates its data" in outcome.err


@pytest.mark.parametrize("trials", ["0", "9", "1e3", "x", "1000000"])
def test_trials_are_a_number(duetpy: Duetpy, write: Write, trials: str) -> None:
    write("mean.eps.duet", MEAN)
    assert duetpy("audit", "mean.eps.duet", "--trials", trials).code == 2


@pytest.mark.parametrize("setting", ["δ=0.99999999", "δ=1e-12", "ε=1e300", "ε=1e-300"])
@pytest.mark.sparse(4)
def test_numbers_at_the_edge_raise_no_alarm(duetpy: Duetpy, write: Write, setting: str) -> None:
    write("gauss.ed.duet", "pλ ε : ℝ⁺, δ : ℝ⁺ . x : ℝ, ε : ℝ⁺[ε], δ : ℝ⁺[δ] ⇒ gauss[auto, ε, δ] <x> { x }")
    assert audited(duetpy, "gauss.ed.duet", "--trials", "20", "--set", setting)["violations"] == 0


def test_of_a_mechanism_no_more_is_claimed_than_its_pairs_show(duetpy: Duetpy, write: Write) -> None:
    text = "pλ ε : ℝ⁺ . x : ℝ, ε : ℝ⁺[ε] ⇒ laplace[4.0, ε] <x> { x }"
    write("wide.eps.duet", text)
    layer = audited(duetpy, "wide.eps.duet", "--trials", "20")["layers"][0]
    assert "a sensitivity of laplace at line 1 below 25 % of the proved one, a cost below 25 %" in layer["could_see"]
    write("parts.ed.duet", PARTS)
    layer = audited(duetpy, "parts.ed.duet", "--trials", "20")["layers"][0]
    assert "a sensitivity of" not in layer["could_see"]


def test_two_mechanisms_of_one_line_are_not_taken_for_one(duetpy: Duetpy, write: Write) -> None:
    """The second moves by a quarter of what its noise is made for: what was seen of the first claims nothing about it."""
    text = (
        "pλ ε : ℝ⁺ . x : ℝ, ε : ℝ⁺[ε] ⇒ a ← laplace[1.0, ε] <x> { x } ; b ← laplace[4.0, ε] <x> { x } ; return ⟨a, b⟩"
    )
    write("two.eps.duet", text)
    first, second = (text.index(f"laplace[{s}") + 1 for s in ("1", "4"))
    layer = audited(duetpy, "two.eps.duet", "--trials", "20")["layers"][0]
    assert set(layer["facts"]["furthest"]) == {f"laplace at line 1, column {at}" for at in (first, second)}
    assert f"a sensitivity of laplace at line 1, column {second} below 25 % of the proved one" in layer["could_see"]


@pytest.mark.parametrize("trials", ["9", "100001", "x", "", "9" * 5000])
def test_another_number_of_trials_is_malformed(duetpy: Duetpy, trials: str) -> None:
    outcome = duetpy("audit", "mean.eps.duet", "--trials", trials)
    assert outcome.code == 2
    assert outcome.err.startswith("duetpy audit: error: argument --trials: expected a number from 10 to 100000\n")
