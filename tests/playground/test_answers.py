"""What the playground's page asks of Python: the same as the language server says, in the units of JavaScript."""

import importlib.util
import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from duetpy.lsp.documents import Document
from duetpy.lsp.hints import hints
from duetpy.lsp.problems import problems
from tests.effort import often

ROOT = Path(__file__).parents[2]
PROGRAMS = sorted((ROOT / "examples").rglob("*.duet"))
WIDE = "pλ . z : 𝔻, y : 𝔻 ⇒ return wrong\n"


@cache
def answers() -> Any:
    spec = importlib.util.spec_from_file_location("answers", ROOT / "playground" / "answers.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def cut(text: str, start: int, end: int) -> str:
    """What JavaScript takes for a stretch of a text."""
    return text.encode("utf-16-le")[2 * start : 2 * end].decode("utf-16-le")


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.name)
def test_a_program_is_answered_as_an_editor_shows_it(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    document = Document.of(path.name, text)
    found = json.loads(answers().check(path.name, text))
    assert found["ok"] == (not any(each.is_error for each in problems(document)))
    assert found["text"].startswith(f"{path.name}: ok") == found["ok"]
    assert [(each["code"], each["message"]) for each in found["problems"]] == [
        (each.code, each.message) for each in problems(document)
    ]
    for shown, each in zip(found["problems"], problems(document), strict=True):
        assert cut(text, shown["from"], shown["to"]) == text[each.start : each.end]
    known = hints(document, 0, len(text))
    assert [each["text"] for each in found["hints"]] == [each.text for each in known]
    assert [cut(text, 0, each["at"]) for each in found["hints"]] == [text[: each.offset] for each in known]


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.name)
def test_each_place_has_one_colour(path: Path) -> None:
    text, at = path.read_text(encoding="utf-8"), 0
    for start, end, shown in json.loads(answers().colours(text)):
        assert at <= start < end
        if shown in ("comment", "long-comment"):
            assert cut(text, start, end).startswith(("--", "{-"))
        at = end
    assert 2 * at <= len(text.encode("utf-16-le"))


def test_places_behind_a_sign_outside_of_the_basic_plane() -> None:
    (found,) = json.loads(answers().check("x.eps.duet", WIDE))["problems"]
    assert cut(WIDE, found["from"], found["to"]) == "wrong"
    assert found["place"] == f"1:{WIDE.index('wrong') + 1}"
    for name in ("z", "y"):
        units = len(WIDE[: WIDE.index(f"{name} :")].encode("utf-16-le")) // 2
        told = json.loads(answers().about(units))
        assert cut(WIDE, told["from"], told["to"]) == name


def test_nothing_is_known_of_a_comment() -> None:
    answers().check("x.eps.duet", f"-- a comment\n{WIDE}")
    assert json.loads(answers().about(5)) is None


def test_a_fix_is_an_edit_that_helps() -> None:
    text = "pλ ε : ℝ⁺ . z : 𝔻, ε : ℝ⁺[ε] ⇒ laplace[0.5, ε] <z> { clip[0.0, 1.0] z }\n"
    (found,) = json.loads(answers().check("x.eps.duet", text))["problems"]
    assert found["fixes"]
    for fix in found["fixes"]:
        fixed = cut(text, 0, fix["from"]) + fix["text"] + cut(text, fix["to"], 2 * len(text))
        assert json.loads(answers().check("x.eps.duet", fixed))["ok"], fix


def test_a_sign_is_completed_from_its_name() -> None:
    text = "sλ x : 𝔻 ⇒ \\eps"
    offered = json.loads(answers().complete("x.eps.duet", text, len(text.encode("utf-16-le")) // 2))
    assert offered[0]["text"] == "ε"
    assert cut(text, offered[0]["from"], 2 * len(text)) == "\\eps"


def test_a_page_is_that_of_the_code() -> None:
    assert "D0301" in json.loads(answers().explain("D0301"))
    assert json.loads(answers().explain("D9999")) == ""


def test_no_library_is_needed_but_lark_and_attrs() -> None:
    """Python in the browser has no other one."""
    lines = [
        "import sys",
        "for name in ('numpy', 'scipy', 'pygls', 'lsprotocol', 'pygments'): sys.modules[name] = None",
        f"sys.path.insert(0, {str(ROOT / 'playground')!r})",
        "import answers, json",
        "from pathlib import Path",
        f"for path in sorted(Path({str(ROOT / 'examples')!r}).rglob('*.duet')):",
        "    text = path.read_text(encoding='utf-8')",
        "    answers.check(path.name, text)",
        f"    for at in range(0, len(text), {290 // often(10, 1)}): answers.about(at)",
        "    answers.colours(text)",
        "answers.explain('D0301'), answers.complete('x.eps.duet', 'z', 1)",
    ]
    subprocess.run([sys.executable, "-X", "utf8", "-c", "\n".join(lines)], cwd=ROOT, check=True)
