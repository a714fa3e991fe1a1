"""``duetpy why``: text, JSON, options and exit codes."""

import json
import shlex

import pytest

from tests.cli.harness import Duetpy, Write

MEAN = """pλ m : ℕ, ε : ℝ⁺ . xs : 𝕄 [L∞, U | m, age : 𝔻 ∷ []], ε : ℝ⁺[ε] ⇒
  laplace[auto, ε] <xs> { mfold-row 0.0, xs { sum, row ⇒ sum + clip[0.0, 100.0] row.age } }
"""

CLAIM = MEAN.replace("auto", "10.0")


def test_the_text_of_one_parameter_and_of_all(duetpy: Duetpy, write: Write) -> None:
    write("mean.eps.duet", MEAN)
    one, every = duetpy("why", "mean.eps.duet", "xs"), duetpy("why", "mean.eps.duet")
    assert (one.code, one.err) == (0, "")
    assert one.out == every.out
    assert one.out.startswith("xs costs ε\n└ ε  noise for a sensitivity of 100  laplace at 2:3   laplace[auto, ε]")
    assert "inside, row: 100" in one.out


def test_the_number_of_steps_is_limited(duetpy: Duetpy, write: Write) -> None:
    write("mean.eps.duet", MEAN)
    outcome = duetpy("why", "mean.eps.duet", "xs", "--depth", "2")
    lines = outcome.out.splitlines()
    assert len(lines) == 3
    assert lines[-1].endswith("  …")
    value = json.loads(duetpy("why", "mean.eps.duet", "--depth", "1", "--format", "json").out)
    assert (value["parameters"][0]["why"]["cut"], value["parameters"][0]["why"]["parts"]) == (True, [])


def test_json_has_the_documented_keys(duetpy: Duetpy, write: Write) -> None:
    write("mean.eps.duet", MEAN)
    outcome = duetpy("why", "mean.eps.duet", "xs", "--set", "m=10", "--set", "eps=0.5", "--format", "json")
    assert (outcome.code, outcome.err) == (0, "")
    value = json.loads(outcome.out)
    assert value.keys() == {"file", "ok", "notion", "requires", "parameters", "diagnostics"}
    (told,) = value["parameters"]
    assert told.keys() == {"name", "title", "unit", "sensitivity", "cost", "value", "why"}
    step = told["why"]
    assert step.keys() == {"rule", "span", "text", "how", "words", "notion", "cost", "value", "parts"}
    assert (step["rule"], step["cost"], step["value"]) == ("laplace", {"epsilon": "ε"}, {"epsilon": 0.5})
    assert (step["span"]["line"], step["span"]["column"]) == (2, 3)
    (part,) = step["parts"]
    assert part.keys() == {"role", "times", "step"}


@pytest.mark.parametrize("name", ["my mean.eps.duet", "$(touch pwned).eps.duet", "-mean.eps.duet"])
def test_the_command_in_a_refusal_can_be_copied_whatever_the_file_is_called(
    duetpy: Duetpy, write: Write, name: str
) -> None:
    write(name, CLAIM)
    more = duetpy("check", "--", name).err.partition("more: ")[2].splitlines()[0]
    _, *words = shlex.split(more.partition(", ")[2])
    assert duetpy(*words).out == duetpy("why", f"./{name}").out


def test_a_refused_claim_is_explained(duetpy: Duetpy, write: Write) -> None:
    write("claim.eps.duet", CLAIM)
    outcome = duetpy("why", "claim.eps.duet", "xs")
    assert outcome.code == 1
    assert "error[D0311]" in outcome.err
    assert "more: duetpy explain D0311, duetpy why claim.eps.duet\n" in outcome.err
    assert outcome.out.startswith("xs changes the body of laplace (line 2) by up to 100\n└ 100  mfold-row at 2:27")
    value = json.loads(duetpy("why", "claim.eps.duet", "--format", "json").out)
    assert (value["ok"], value["diagnostics"][0]["code"]) == (False, "D0311")
    assert value["parameters"][0]["why"]["sensitivity"] == "100"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("mean.eps.duet", "ages"), "unknown parameter ages; the program has xs, ε"),
        (("mean.eps.duet", "xs", "--depth", "0"), "argument --depth: '0' is not a number of steps"),
        (("mean.eps.duet", "xs", "--set", "q=1"), "argument --set: unknown name q"),
        ((), "the following arguments are required: FILE"),
    ],
)
def test_a_malformed_command_line(duetpy: Duetpy, write: Write, arguments: tuple[str, ...], message: str) -> None:
    write("mean.eps.duet", MEAN)
    outcome = duetpy("why", *arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert message in outcome.err


def test_what_cannot_be_read(duetpy: Duetpy) -> None:
    outcome = duetpy("why", "nowhere.duet")
    assert (outcome.code, outcome.out) == (1, "")
    assert "error[D0090]" in outcome.err
    value = json.loads(duetpy("why", "nowhere.duet", "--format", "json").out)
    assert (value["ok"], [d["code"] for d in value["diagnostics"]]) == (False, ["D0090"])


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_long_derivation_is_cut(duetpy: Duetpy, write: Write, form: str) -> None:
    lets = "".join(f"  let x{n} = x{n - 1} + 1.0 in\n" for n in range(1, 2000))
    write("long.duet", f"sλ . x0 : ℝ ⇒\n{lets}  x1999\n")
    outcome = duetpy("why", "long.duet", "--format", form, "--depth", "5000")
    assert (outcome.code, outcome.err) == (0, "")
    assert len(outcome.out) < 200_000
    assert ('"cut": true' if form == "json" else "  …\n") in outcome.out
