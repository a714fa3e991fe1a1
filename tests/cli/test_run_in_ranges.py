"""``age : 𝔻 in [18, 120]`` on the command line: what a run says of numbers outside of their range, and what it does with them."""

import json

import pytest

from tests.cli.harness import Duetpy, Write

PROGRAM = """plam staff : DF[salary : Disc in [0, 300000] else 0, rate : Disc? in [-0.5, 1]], static eps : Real+ =>
  laplace[auto, eps] <staff> { mfold-row 0, staff { sum, row => sum + conv row.salary } }
"""
ROWS = "salary,rate\n400000,0.5\n100000,\nx,2\n"


@pytest.fixture(autouse=True)
def files(write: Write) -> None:
    write("sum.eps.duet", PROGRAM)
    write("staff.csv", ROWS)


def run(duetpy: Duetpy, rule: str, *words: str) -> tuple[str, str, int]:
    words = ("--data", "staff.csv", "--set", "eps=1", "--on-bad-row", rule, "--insecure-noise", "none", *words)
    outcome = duetpy("run", "sum.eps.duet", *words)
    return outcome.out, outcome.err, outcome.code


@pytest.mark.parametrize("words", [(), ("--stream",)])
def test_a_run_says_what_numbers_outside_of_their_range_count_as(duetpy: Duetpy, words: tuple[str, ...]) -> None:
    out, err, _ = run(duetpy, "default", *words)
    assert out == "value\n400000\n"
    assert "staff outside of their range count as its nearest end: salary in [0, 300000], rate in [-0.5, 1].\n" in err
    told = json.loads(run(duetpy, "default", "--format", "json", *words)[0])["data"]["staff"]
    assert told["ranges"] == {"salary": [0, 300000], "rate": [-0.5, 1]}


def test_a_run_that_leaves_rows_out_or_refuses_them_brings_no_number_into_a_range(duetpy: Duetpy) -> None:
    out, err, _ = run(duetpy, "drop")
    assert out == "value\n100000\n"
    assert "nearest end" not in err
    assert "ranges" not in json.loads(run(duetpy, "drop", "--format", "json")[0])["data"]["staff"]
    out, err, code = run(duetpy, "refuse")
    assert (out, code) == ("", 1)
    assert "column 'salary': 2 bad cells (lines 2, 4): not a number in [0, 300000]" in err
    assert "line 4, column 'rate': not a number in [-0.5, 1]" in err


def test_the_files_of_persons_have_ranges_of_their_own(duetpy: Duetpy, write: Write) -> None:
    write(
        "visits.eps.duet",
        "plam people : persons[who : Str | visits : DF[cost : Disc in [0, 9] else 1]] =>\n"
        "  laplace[1, 1.0] <people> { real (rows people) }\n",
    )
    write("visits.csv", "who,cost\na,10\n")
    words = ("--data", "visits=visits.csv", "--on-bad-row", "default", "--insecure-noise", "none", "--format", "json")
    outcome = duetpy("run", "visits.eps.duet", *words)
    assert json.loads(outcome.out)["data"]["people"]["ranges"] == {"visits.cost": [0, 9]}
