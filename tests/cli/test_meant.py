"""What somebody may have meant, wherever a word can be misspelt; and files of keys that begin with a heading."""

import pytest

from tests.cli.harness import Duetpy, Write
from tests.cli.programs import MEAN


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (("chek", "mean.eps.duet"), "check"),
        (("ledger", "shw", "x.ledger"), "show"),
        (("check", "mean.eps.duet", "--format", "jsn"), "json"),
        (("check", "mean.eps.duet", "--notion", "zdcp"), "zcdp"),
        (("run", "mean.eps.duet", "--dta", "x.csv"), "--data or --delta"),
        (("run", "mean.eps.duet", "--data", "x.csv", "--set", "mm=1"), "m"),
        (("run", "mean.eps.duet", "--data", "tabel=x.csv"), "table"),
        (("run", "mean.eps.duet", "--data", "x.csv", "--set", "eps=1", "--out", "x.cvs"), ".csv"),
        (("explain", "zcpd"), "zcdp"),
        (("why", "mean.eps.duet", "tabel"), "table"),
        (("calibrate", "mean.eps.duet", "--budget", "epsilon=1", "--vary", "mm"), "m"),
    ],
)
def test_a_word_of_the_command_line(words: tuple[str, ...], meant: str, duetpy: Duetpy, write: Write) -> None:
    write("mean.eps.duet", MEAN)
    write("x.csv", "age\n1\n")
    done = duetpy(*words)
    assert done.code == 2
    assert f"did you mean {meant}" in done.err


def test_the_name_of_a_program(duetpy: Duetpy, write: Write) -> None:
    write("sub/mean.eps.duet", MEAN)
    write("sub/maen.csv", "age\n1\n")
    assert "help: did you mean sub/mean.eps.duet?\n" in duetpy("check", "sub/maen.eps.duet").err
    assert "help: give the path of a file with a program" in duetpy("check", "sub/other.zcdp.duet").err
    assert "help: give the path of a file with a program" in duetpy("check", "nowhere/mean.eps.duet").err


KEYS = """\
plam visits : DF[ward : Str], wards : Set(Str) =>
  parallel[visits, wards] { row => row.ward } { ward, part =>
    number <- dlaplace[1, 1.0] <part> { rows part } ;
    return { ward = ward, number = number }
  }
"""


def test_the_first_line_of_a_file_of_keys_is_a_key_unless_it_is_called_a_heading(duetpy: Duetpy, write: Write) -> None:
    write("keys.eps.duet", KEYS)
    write("visits.csv", "ward\nA\nB\nA\n")
    write("wards.csv", "name\nA\nB\n")
    run = ("run", "keys.eps.duet", "--data", "visits.csv", "--set", "wards=@wards.csv")
    plain, headed = duetpy(*run), duetpy(*run, "--header", "yes")
    assert [line.partition(",")[0] for line in plain.out.splitlines()] == ["ward", "A", "B", "name"]
    assert "wards.csv is an element of wards, the first one too; if that is a heading, add --header yes" in plain.err
    assert [line.partition(",")[0] for line in headed.out.splitlines()] == ["ward", "A", "B"]
    assert "--header" not in headed.err
    assert "--header" not in duetpy(*run, "--quiet").err


def test_the_first_line_of_any_file_of_nameless_texts_is_said_to_count(duetpy: Duetpy, write: Write) -> None:
    types = "table : 𝕄 [L∞, U | k, 2⋅𝕊], pairs : ℘(𝕊 × 𝕊), some : ℘(𝕊?), known : ℘(record[a : 𝕊]), code : ℘(𝕊 × ℕ)"
    write("all.eps.duet", f"pλ {types} ⇒ return ⟨table, ⟨pairs, ⟨some, ⟨known, code⟩⟩⟩⟩")
    files = {"table": "x,y\nA,B\n", "pairs": "x,y\nA,B\n", "some": "x\nA\n", "known": "a\nA\n", "code": "x,y\nA,1\n"}
    for name, lines in files.items():
        write(f"{name}.csv", lines)
    found = duetpy("run", "all.eps.duet", *(word for name in files for word in ("--set", f"{name}=@{name}.csv")))
    told = [line for line in found.err.splitlines() if line.startswith("Data: ")]
    assert [line.partition(",")[0].removeprefix("Data: each line of ") for line in told] == [
        "table.csv is a row of table",
        "pairs.csv is an element of pairs",
        "some.csv is an element of some",
    ]
