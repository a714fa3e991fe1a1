"""What ``why`` prints at the root is what ``check`` prints, and every rule that it names can be explained."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import duetpy
from duetpy.diagnostics.catalogue import rule_page
from duetpy.program import open_program
from duetpy.settings import SettingError
from duetpy.typecheck.prelude import names

ROOT = Path(__file__).parents[2]
PROGRAMS = sorted(path for folder in ("examples", "tests/cases/good") for path in (ROOT / folder).rglob("*.duet"))
ACCEPTED = [path for path in PROGRAMS if "mistakes" not in path.parts]


def steps(step: dict[str, Any]) -> Iterator[dict[str, Any]]:
    pending = [step]
    while pending:
        here = pending.pop()
        yield here
        pending += [part["step"] for part in here["parts"]]


@pytest.mark.sparse(4)
@pytest.mark.parametrize("path", ACCEPTED, ids=lambda path: "/".join(path.relative_to(ROOT).parts[-3:]))
def test_the_root_is_what_check_prints(path: Path) -> None:
    program = open_program(str(path))
    proved = {parameter.name: parameter for parameter in program.state().parameters}
    for name, parameter in proved.items():
        (told,) = program.why(name).to_json()["parameters"]
        cost = None if parameter.cost is None else dict(parameter.cost)
        assert (told["name"], told["sensitivity"], told["cost"]) == (name, parameter.sensitivity, cost)
        root = told["why"]
        assert root is not None
        if cost is None:
            assert root["sensitivity"] == parameter.sensitivity
        else:
            # The inner notion of a block that the whole program is may have another price.
            assert root["cost"] == cost or root["notion"] != program.notion.value
        for step in steps(root):
            assert step["rule"] is None or rule_page(step["rule"]) is not None or step["rule"] in names()
            assert step["span"] is None or step["text"]


@pytest.mark.parametrize("path", ACCEPTED[::25], ids=lambda path: path.stem)
def test_without_a_name_it_tells_of_all_that_is_protected(path: Path) -> None:
    program = open_program(str(path))
    private = {parameter.unit for parameter in program.state().parameters if parameter.private}
    told = program.why().to_json()["parameters"]
    assert not private or {each["unit"] for each in told} == private
    assert len(told) == len({each["unit"] for each in told})


SUM = "sλ . x : ℝ, y : ℝ ⇒\n  let z = x + x in\n  z + y + clip[0.0, 5.0] z\n"


def test_uses_factors_and_where_they_join() -> None:
    text = str(duetpy.parse(SUM).check().why("x"))
    assert text == (
        "x: sensitivity 4\n"
        "└ 4  the sum of  + at 3:3   z + y + clip[0.0, 5.0] z\n"
        "  ├ 2  + at 3:3   z + y\n"
        "  │ └ 2  named at 3:3   z\n"
        "  │   └ 2  the sum of  + at 2:11   x + x\n"
        "  │     ├ 1  used at 2:11   x\n"
        "  │     └ 1  used at 2:15   x\n"
        "  └ 2  clip at 3:11   clip[0.0, 5.0] z\n"
        "    └ 2  named at 3:26   z\n"
        "      └ 2  the sum of  + at 2:11   x + x  (as above)\n"
    )
    assert str(duetpy.parse(SUM).check().why("y")).startswith("y: sensitivity 1\n")


def test_a_program_in_ascii_is_explained_in_ascii_where_nothing_else_can_be_shown() -> None:
    found = duetpy.parse("slam . x : Real, y : Real => 2.0 * x + y + clip[0.0, 5.0] x").why("x", depth=4)
    assert found.text(ascii=True) == (
        "x: sensitivity 3\n"
        "`- 3  the sum of  + at 1:30   2.0 * x + y + clip[0.0, 5.0] x\n"
        "  |- 2  + at 1:30   2.0 * x + y\n"
        "  | `- 2  * at 1:30   2.0 * x\n"
        "  |   `- 2 * 1  used at 1:36   x\n"
        "  `- 1  clip at 1:44   clip[0.0, 5.0] x\n"
        "    `- 1  used at 1:59   x\n"
    )
    assert "x + y  ...\n" in duetpy.parse("slam . x : Real, y : Real => x + y").why("x", depth=1).text(ascii=True)


def test_a_factor_stands_at_what_it_multiplies_and_a_body_below_its_rule() -> None:
    program = duetpy.load(ROOT / "examples/first-number/mean.eps.duet").check()
    text = str(program.why("table", m=50))
    assert "└ 1/m ⋅ 100  mfold-row at 4:6" in text
    assert "inside, row: 100  clip at 4:50" in text
    root = program.why("table", m=50).to_json()["parameters"][0]["why"]
    (moves,) = root["parts"]
    assert (root["rule"], root["how"], moves["role"]) == ("laplace", "noise", "moves")
    assert moves["step"]["value"] == {"sensitivity": 2.0}
    (fold,) = moves["step"]["parts"]
    assert (fold["role"], fold["times"], fold["step"]["rule"]) == ("part", "1/m", "mfold-row")
    assert [part["role"] for part in fold["step"]["parts"]] == ["part", "inside"]


def test_a_factor_that_is_a_sum_stands_in_parentheses() -> None:
    text = str(duetpy.parse("sλ m : ℕ, n : ℕ . x : ℝ, y : ℝ ⇒ ℝ⁺[m + n] ⋅ (x + ℝ⁺[m ⊔ n] ⋅ y)").why())
    assert "└ (m + n) ⋅ 1  + at" in text
    assert "└ (m + n) ⋅ (m ⊔ n)  + at" in text
    assert "└ (m ⊔ n) ⋅ 1  used at" in text


def test_numbers_are_those_of_check() -> None:
    program = duetpy.load(ROOT / "examples/logistic.ed.duet")
    numbers: dict[str, object] = {"m": 569, "n": 30, "k": 50, "η": 1.0, "ε": 0.1, "δ": 1e-7, "δ′": 1e-6}
    told = program.why("xs", numbers).to_json()["parameters"][0]
    proved = next(each for each in program.state(numbers).parameters if each.name == "xs")
    assert told["value"] == told["why"]["value"] == proved.value


def test_a_name_that_the_program_has_not() -> None:
    checked = duetpy.parse(SUM).check()
    with pytest.raises(SettingError, match="unknown parameter w; the program has x, y"):
        checked.why("w")
    with pytest.raises(ValueError, match="unknown name q"):
        checked.why("x", q=1)


def test_what_is_released_in_the_clear_is_told_where_nothing_is_protected() -> None:
    text = str(duetpy.parse("pλ . x : ℝ ⇒ return x + x").why())
    assert "is returned without noise" in text
    assert "changes by up to 2" in text


def test_a_call_leads_to_the_function() -> None:
    text = "def f = pλ . a : ℝ ⇒ gauss[1.0, 1.0] <a> { a } ;\npλ . x : ℝ ⇒ f@[ . x + x]\n"
    told = str(duetpy.parse(text, notion="zcdp").why("x"))
    assert "a move of 2 steps, each of  call at 2:14" in told
    assert "a: 1  noise for a sensitivity of 1  gauss at 1:22" in told


def test_an_import_is_named(tmp_path: Path) -> None:
    (tmp_path / "lib.duet").write_text("def twice = sλ . a : ℝ ⇒ a + a\n", encoding="utf-8")
    path = tmp_path / "x.duet"
    path.write_text('import "lib.duet";\nsλ . x : ℝ ⇒ twice x\n', encoding="utf-8")
    found = duetpy.load(path).why("x")
    assert "inside, a: 2  the sum of  + at" in str(found)
    assert "lib.duet:1:26" in str(found)
    inside = [s for s in steps(found.to_json()["parameters"][0]["why"]) if s["rule"] == "+"]
    assert [s["file"] for s in inside] == [str(tmp_path / "lib.duet")]
