"""``duetpy check --core``: the program as the checker understood it, alone on standard output."""

import json
from pathlib import Path

import pytest

from duetpy.diagnostics.catalogue import examples
from tests.cli.harness import Duetpy, Write
from tests.cli.programs import MEAN

NO_NUMERAL = "sλ . x : ℝ ⇒ ℝ⁺[1e-50 / 3] ⋅ x"


def test_the_program_alone_is_printed_and_checks_to_the_same(duetpy: Duetpy, write: Write) -> None:
    write("mean.eps.duet", MEAN)
    outcome = duetpy("check", "--core", "mean.eps.duet")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.startswith("notion eps;\n")
    write("core.duet", outcome.out)
    assert duetpy("check", "--core", "core.duet") == outcome
    told = [json.loads(duetpy("check", name, "--format", "json").out) for name in ("mean.eps.duet", "core.duet")]
    assert told[0].pop("notion_origin") == "file name"
    assert told[1].pop("notion_origin") == "notion line"
    assert told[0].pop("file") != told[1].pop("file")
    assert [release.pop("line") for value in told for release in value["releases"]] == [2, 4]
    assert told[0] == told[1]


def test_the_page_on_the_language_shows_what_is_printed(duetpy: Duetpy, write: Write) -> None:
    page = (Path(__file__).parents[2] / "docs" / "language.md").read_text(encoding="utf-8")
    blocks = {block.name: block.text for block in examples(page)}
    write("mean-of-ages.eps.duet", blocks["mean-of-ages.eps.duet"])
    assert duetpy("check", "--core", "mean-of-ages.eps.duet").out == blocks["core-of-mean-of-ages.eps.duet"]


def test_of_several_files_a_comment_names_each(duetpy: Duetpy, write: Write) -> None:
    write("a.eps.duet", "sλ x : ℝ ⇒ x")
    write("b.zcdp.duet", "sλ y : ℝ ⇒ y")
    outcome = duetpy("check", "--core", "a.eps.duet", "b.zcdp.duet")
    assert outcome.code == 0
    assert outcome.out == (
        "-- a.eps.duet\nnotion eps;\n\nsλ . x : ℝ ⇒ x\n-- b.zcdp.duet\nnotion zcdp;\n\nsλ . y : ℝ ⇒ y\n"
    )


def test_the_notion_of_the_command_line_is_written(duetpy: Duetpy, write: Write) -> None:
    write("a.eps.duet", "sλ x : ℝ ⇒ x")
    assert duetpy("check", "--core", "a.eps.duet", "--notion", "gdp").out.startswith("notion gdp;\n")


def test_warnings_go_to_standard_error(duetpy: Duetpy, write: Write) -> None:
    write("a.eps.duet", "pλ x : ℝ ⇒ return x")
    outcome = duetpy("check", "--core", "a.eps.duet")
    assert outcome.code == 0
    assert outcome.out == "notion eps;\n\npλ . x : ℝ ⇒ return x\n"
    assert "warning[D0416]" in outcome.err


@pytest.mark.parametrize(("text", "code"), [("sλ x : ℝ ⇒ x + true", "D0"), ("sλ x : ℝ ⇒", "D0"), (NO_NUMERAL, "D0092")])
def test_a_refused_program_has_no_core(duetpy: Duetpy, write: Write, text: str, code: str) -> None:
    write("a.eps.duet", text)
    outcome = duetpy("check", "--core", "a.eps.duet")
    assert (outcome.code, outcome.out) == (1, "")
    assert f"error[{code}" in outcome.err
    assert outcome.err.endswith("1 error\n")


def test_one_refused_program_of_several(duetpy: Duetpy, write: Write) -> None:
    write("a.eps.duet", "sλ x : ℝ ⇒ x + true")
    write("b.eps.duet", "sλ y : ℝ ⇒ y")
    outcome = duetpy("check", "--core", "a.eps.duet", "b.eps.duet")
    assert outcome.code == 1
    assert outcome.out == "-- b.eps.duet\nnotion eps;\n\nsλ . y : ℝ ⇒ y\n"


def test_a_number_that_breaks_a_side_condition_leaves_no_core(duetpy: Duetpy, write: Write) -> None:
    write("mean.eps.duet", MEAN)
    outcome = duetpy("check", "--core", "mean.eps.duet", "--set", "ε=0")
    assert outcome.code != 0
    assert outcome.out == ""


def test_json_has_a_key(duetpy: Duetpy, write: Write) -> None:
    write("a.eps.duet", "sλ x : ℝ ⇒ x")
    write("b.eps.duet", NO_NUMERAL)
    plain = json.loads(duetpy("check", "a.eps.duet", "--format", "json").out)
    assert "core" not in plain
    outcome = duetpy("check", "--core", "a.eps.duet", "b.eps.duet", "--format", "json")
    first, second = (json.loads(line) for line in outcome.out.splitlines())
    assert first == {**plain, "core": "notion eps;\n\nsλ . x : ℝ ⇒ x\n"}
    assert (second["ok"], second["core"]) == (False, None)
    assert [found["code"] for found in second["diagnostics"]] == ["D0092"]
    assert outcome.code == 1


def test_there_is_no_core_in_a_log(duetpy: Duetpy, write: Write) -> None:
    write("a.eps.duet", "sλ x : ℝ ⇒ x")
    outcome = duetpy("check", "--core", "a.eps.duet", "--format", "sarif")
    assert (outcome.code, outcome.out) == (2, "")
    assert "argument --core" in outcome.err
