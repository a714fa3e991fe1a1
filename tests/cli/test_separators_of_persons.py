"""What separates the cells of the files of persons is said, as it is for a table of rows."""

from __future__ import annotations

import json

from tests.cli.harness import Duetpy, Write

PERSONS = """
pλ people : persons[who : 𝐝 ℕ | visits : 𝔻𝔽[cost : 𝔻], bills : 𝔻𝔽[amount : 𝔻]], static ε : ℝ⁺ ⇒
  laplace[1.0, ε] <people> { real (rows people) }
"""


def test_what_separates_cells_is_said_of_each_file_of_persons(duetpy: Duetpy, write: Write) -> None:
    write("x.eps.duet", PERSONS)
    write("v.csv", "who;cost\n1;10\n")
    write("b.csv", "who,amount\n1,10\n")
    words = ("run", "x.eps.duet", "--data", "visits=v.csv", "--data", "bills=b.csv", "--set", "eps=1")
    assert duetpy(*words).err.startswith("Data: the cells of visits are separated by semicolons.\nPrivacy:")
    facts = json.loads(duetpy(*words, "--format", "json").out)["data"]["people"]
    assert facts["separators"] == {"visits": ";"}
    assert "separator" not in facts


def test_what_separates_cells_is_said_if_persons_are_named_on_the_command_line(duetpy: Duetpy, write: Write) -> None:
    write("x.eps.duet", "pλ visits : 𝔻𝔽[cost : 𝔻] ⇒ laplace[1.0, 1.0] <visits> { real (rows visits) }")
    write("v.csv", "who;cost\n1;10\n")
    words = ("run", "x.eps.duet", "--data", "v.csv", "--persons", "visits=who,2")
    assert "Data: the cells of visits are separated by semicolons.\n" in duetpy(*words).err
    assert json.loads(duetpy(*words, "--format", "json").out)["data"]["visits"]["separator"] == ";"
