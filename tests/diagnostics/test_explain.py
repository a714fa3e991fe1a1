"""Every code has a page, and every page holds a program, data or a command that triggers its code."""

import json
import re
import shlex
from pathlib import Path

import pytest

from duetpy.cli.main import main
from duetpy.diagnostics.catalogue import Example, codes, examples, page, title
from duetpy.diagnostics.error import DuetError

PACKAGE = Path(__file__).parents[2] / "duetpy"
INTERNAL = {"D0901", "D0902"}
"""What should not be able to happen cannot be shown."""

CODE = re.compile(r"[\"'](D\d{4})[\"']")


def used_codes() -> set[str]:
    """Every code that stands in the package's sources."""
    sources = (*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.toml"))
    return {code for path in sources for code in CODE.findall(path.read_text(encoding="utf-8"))}


def text_of(code: str) -> str:
    text = page(code)
    assert text is not None, f"{code} has no page"
    return text


def write(example: Example, folder: Path) -> None:
    path = folder / example.name
    path.parent.mkdir(parents=True, exist_ok=True)
    if example.language == "hex":
        path.write_bytes(bytes.fromhex(example.text))
    else:
        path.write_text(example.text, encoding="utf-8")


def commands(example: Example) -> list[list[str]]:
    return [shlex.split(line[2:])[1:] for line in example.text.splitlines() if line.startswith("$ duetpy ")]


def raised_codes(example: Example) -> list[str]:
    """The codes that a Python example raises."""
    with pytest.raises(DuetError) as caught:
        exec(example.text, {})
    return [diagnostic.code for diagnostic in caught.value.diagnostics]


def found_codes(name: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, list[str]]:
    """The exit code of a check and the codes of its diagnostics."""
    exit_code = main(["check", name, "--format", "json"])
    value = json.loads(capsys.readouterr().out)
    return exit_code, [diagnostic["code"] for diagnostic in value["diagnostics"]]


def test_there_are_codes() -> None:
    assert len(used_codes()) > 40


def test_every_code_has_a_page_and_every_page_a_code() -> None:
    assert set(codes()) == used_codes()


@pytest.mark.parametrize("code", codes())
def test_a_page_has_a_title_and_an_explanation(code: str) -> None:
    text = text_of(code)
    assert text.startswith(f"# {code}: ")
    assert title(code)
    prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    assert len(prose.split()) > 25, "say why, and what to do"
    assert text.endswith("\n")


@pytest.mark.parametrize("code", [code for code in codes() if code not in INTERNAL])
def test_a_page_triggers_its_code(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    blocks = examples(text_of(code))
    monkeypatch.chdir(tmp_path)
    for block in blocks:
        if block.language in ("duet", "csv", "hex") and not block.is_fixed:
            write(block, tmp_path)
    consoles = [command for block in blocks if block.language == "console" for command in commands(block)]
    triggered: list[str] = []
    for command in consoles:
        assert main(command) in (0, 1)
        captured = capsys.readouterr()
        triggered += re.findall(r"\[(D\d{4})\]", captured.err)
    for block in blocks:
        if block.language == "python":
            triggered += raised_codes(block)
    if not triggered:
        programs = [block for block in blocks if block.language == "duet" and not block.is_fixed]
        assert programs, "a page needs a program, or a command"
        triggered += found_codes(programs[-1].name, capsys)[1]
    assert code in triggered


@pytest.mark.parametrize("code", codes())
def test_what_a_page_calls_fixed_is_accepted(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    blocks = examples(text_of(code))
    monkeypatch.chdir(tmp_path)
    fixed = [block for block in blocks if block.is_fixed]
    shown = {block.language for block in blocks}
    assert fixed or shown & {"console", "python"} or code in INTERNAL
    for block in fixed:
        write(block, tmp_path)
        exit_code, found = found_codes(block.name, capsys)
        assert exit_code == 0, found
        assert code not in found


def test_examples_are_read_as_they_are_written() -> None:
    first, second, third = examples(
        "x\n```duet\n-- file: a.eps.duet\n1.0\n```\n```duet b.duet fixed\n2.0\n```\ny\n```csv people.csv\nage\n1\n```\n"
    )
    assert first == Example("duet", "a.eps.duet", "-- file: a.eps.duet\n1.0\n")
    assert second == Example("duet", "b.duet", "2.0\n", is_fixed=True)
    assert third == Example("csv", "people.csv", "age\n1\n")
