"""`run --explain-plan`: what is going to be done, from what is public alone."""

import json
from pathlib import Path

import pytest

import duetpy as api
from duetpy.report.run_plan import plan_lines
from tests.cli.harness import Duetpy, Write
from tests.cli.programs import MEAN, RHO

PARTS = """\
pλ ε : ℝ⁺ . xs : 𝕄 [L∞, U | ★, age : 𝔻 ∷ []], ε : ℝ⁺[ε] ⇒
  parallel[xs, ℘{1.0, 2.0}] { row ⇒ row.age } { key, part ⇒
    n ← laplace[auto, ε] <part> { real (rows (mfilter part { row ⇒ row.age < 50.0 })) } ;
    return ⟨key, n⟩ }
"""


def plan(duetpy: Duetpy, *words: str) -> list[str]:
    outcome = duetpy("run", *words, "--explain-plan", "--quiet")
    assert outcome.code == 0, outcome.err
    return outcome.err.splitlines()


def test_a_plan_has_every_pass_below_what_repeats_it(duetpy: Duetpy, write: Write) -> None:
    write("rho.zcdp.duet", RHO)
    write("people.csv", "1\n0.5\n")
    given = ("rho.zcdp.duet", "--data", "people.csv", "--set", "k=5", "--set", "ρ=0.1")
    assert plan(duetpy, *given) == [
        "Plan (engine: threads)",
        "  read xs from people.csv, block by block: 6 times at most, if it does not fit into memory",
        "  repeat 5 times (2:3)",
        "    gauss, sensitivity 1 (3:5)",
        "      fold the rows of xs (3:27)",
    ]


def test_rows_that_are_read_again_are_said_to_be(duetpy: Duetpy, write: Write) -> None:
    write("rho.zcdp.duet", RHO)
    write("people.csv", "1\n0.5\n")
    given = ("rho.zcdp.duet", "--data", "people.csv", "--set", "k=5", "--set", "ρ=0.1", "--stream")
    assert plan(duetpy, *given)[1] == "  read xs from people.csv, block by block: 6 times at most"
    exact = ("run", *given, "--insecure-noise", "none")
    assert duetpy(*exact).out == duetpy(*exact[:-3], *exact[-2:]).out == "value\n1.5\n"


def test_the_result_is_released_as_well(duetpy: Duetpy, write: Write) -> None:
    write("mean.eps.duet", MEAN)
    write("people.csv", "age\n20\n43\n")
    outcome = duetpy("run", "mean.eps.duet", "--data", "people.csv", "--set", "ε=0.5", "--explain-plan")
    assert outcome.out.startswith("value\n")
    assert outcome.err.startswith(
        "Plan (engine: threads)\n"
        "  read table from people.csv, block by block: 2 times at most, if it does not fit into memory\n"
        "  laplace, sensitivity 100/m (2:3)\n"
    )
    assert "is protected with" in outcome.err


CALLED = """\
def total = pλ xs : 𝔻𝔽[age : 𝔻], static s : ℝ⁺, static ε : ℝ⁺ ⇒
  laplace[auto, ε] <xs> { mfold-row 0.0, xs { t, row ⇒ t + clip[0.0, s] row.age } }
def twice = sλ x : ℝ ⇒ x + x
pλ xs : 𝔻𝔽[age : 𝔻], static ε : ℝ⁺ ⇒
  a ← total@[ . xs, 3, ε] ; loop ℕ[2] on 0.0 <xs> { i, t ⇒ total@[ . xs, 4, ε] }
"""


def test_a_plan_says_where_functions_are_called(duetpy: Duetpy, write: Write) -> None:
    write("called.eps.duet", CALLED)
    write("people.csv", "age\n1\n")
    assert plan(duetpy, "called.eps.duet", "--data", "people.csv", "--set", "ε=0.5")[2:] == [
        "  when total is called (1:13)",
        "    laplace, sensitivity s (2:3)",
        "      fold the rows of xs (2:27)",
        "  call total (5:7)",
        "  repeat 2 times (5:29)",
        "    call total (5:60)",
    ]


def test_a_plan_does_not_depend_on_rows(duetpy: Duetpy, write: Write) -> None:
    write("parts.eps.duet", PARTS)
    plans = []
    for rows in ("1\n2\n", "2\n" * 50):
        write("people.csv", f"age\n{rows}")
        plans.append(plan(duetpy, "parts.eps.duet", "--data", "people.csv", "--set", "ε=0.5"))
    assert plans[0] == plans[1]
    assert plans[0][2:] == [
        "  divide the rows of xs by a key of ℘{1.0, 2.0}; for each part (2:3)",
        "    laplace, sensitivity 1 (3:9)",
        "      filter the rows of part (3:47)",
    ]


def test_a_plan_is_printed_before_anything_is_read(duetpy: Duetpy, write: Write) -> None:
    write("mean.eps.duet", MEAN)
    outcome = duetpy("run", "mean.eps.duet", "--data", "none.csv", "--set", "ε=0.5", "--explain-plan")
    assert outcome.code == 1
    assert outcome.err.index("Plan") < outcome.err.index("D0601")


def test_a_plan_of_json_is_a_line_of_json(duetpy: Duetpy, write: Write) -> None:
    write("mean.eps.duet", MEAN)
    write("people.csv", "age\n20\n43\n")
    given = ("run", "mean.eps.duet", "--data", "people.csv", "--set", "ε=0.5", "--explain-plan", "--format", "json")
    outcome = duetpy(*given)
    told = json.loads(outcome.err)
    assert told["program"] == "mean.eps.duet"
    assert told["plan"][0] == "Plan (engine: threads)"
    assert json.loads(outcome.out)["noise"] == "secure"


@pytest.mark.parametrize(
    "path", sorted((Path(__file__).parents[2] / "examples").glob("*.duet")), ids=lambda path: path.name
)
def test_every_example_has_a_plan_with_every_release(path: Path) -> None:
    typed = api.load(path).typed
    assert typed is not None
    lines = plan_lines(typed, {}, "threads", {})
    own = {site.span.begin for site in typed.releases if not site.span.source.is_imported}
    for line, column in own:
        assert any(f"({line}:{column})" in each for each in lines), (line, column)
    assert all(len(each) < 200 for each in lines)


def test_what_nests_deeply_has_a_plan() -> None:
    text = "sλ x : ℝ ⇒ " + "(x + " * 20_000 + "x" + ")" * 20_000
    typed = api.parse(text).typed
    assert typed is not None
    assert plan_lines(typed, {}, "threads", {}) == ["Plan (engine: threads)"]


def test_a_function_that_is_not_used_is_not_in_a_plan(duetpy: Duetpy, write: Write) -> None:
    write("people.csv", "age\n20\n43\n")
    given = ("p.eps.duet", "--data", "people.csv", "--set", "ε=1")
    write("p.eps.duet", CALLED)
    expected = plan(duetpy, *given)
    unused = "def unused = pλ xs : 𝔻𝔽[age : 𝔻] ⇒ loop ℕ[9] on 0.0 <xs> { i, t ⇒ total@[ . xs, 5, 1.0] }\npλ xs"
    write("p.eps.duet", CALLED.replace("pλ xs", unused, 2).replace(unused, "pλ xs", 1))
    assert [line.partition("(")[0] for line in plan(duetpy, *given)] == [line.partition("(")[0] for line in expected]
