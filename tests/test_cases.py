"""Golden cases: what ``duetpy check`` prints for good programs, and what it refuses bad ones with.

``cases/good/<topic>/x.duet`` stands next to ``x.out`` (output, then warnings; exit code 0), ``cases/bad/<topic>/x.duet`` next to
``x.err`` (standard error; exit code 1). A first line ``-- options: --set ε=1`` adds to the command line. A file
``x.part.duet`` is imported by a case and is not one itself. ``pytest tests/test_cases.py --update`` rewrites the golden
files; a golden file without a program, or a program without one, fails.
"""

import re
import shlex
from pathlib import Path

import pytest

from duetpy.cli.main import main

CASES = Path(__file__).parent / "cases"
GOLDEN = {"good": ".out", "bad": ".err"}
IMPORTED = ".part.duet"

_OPTIONS = re.compile(r"--\s*options:(.*)")


def programs(kind: str) -> list[Path]:
    return sorted(path for path in (CASES / kind).rglob("*.duet") if not path.name.endswith(IMPORTED))


def golden(program: Path, kind: str) -> Path:
    return program.with_name(program.name.removesuffix(".duet") + GOLDEN[kind])


def options(program: Path) -> list[str]:
    match = _OPTIONS.match(program.read_text(encoding="utf-8"))
    return shlex.split(match[1]) if match else []


def check(program: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> tuple[int, str, str]:
    monkeypatch.chdir(program.parent)
    code = main(["check", *options(program), program.name])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def compare(path: Path, printed: str, update: bool) -> None:
    if update:
        path.write_text(printed, encoding="utf-8")
    assert path.exists(), f"{path} is missing: pytest tests/test_cases.py --update writes it"
    assert printed == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("program", programs("good"), ids=lambda path: str(path.relative_to(CASES / "good")))
def test_a_good_program(
    program: Path, update: bool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, out, err = check(program, capsys, monkeypatch)
    assert code == 0, err
    assert "error[" not in err
    compare(golden(program, "good"), out + err, update)


@pytest.mark.parametrize("program", programs("bad"), ids=lambda path: str(path.relative_to(CASES / "bad")))
def test_a_bad_program(
    program: Path, update: bool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, out, err = check(program, capsys, monkeypatch)
    assert code == 1, out
    assert out == ""
    assert "error[D" in err
    compare(golden(program, "bad"), err, update)


def test_there_are_cases_of_both_kinds() -> None:
    assert programs("good")
    assert programs("bad")


def test_every_golden_file_has_its_program() -> None:
    for kind, suffix in GOLDEN.items():
        expected = {golden(program, kind) for program in programs(kind)}
        files = {path for path in (CASES / kind).rglob("*") if path.is_file()}
        known = expected | set((CASES / kind).rglob("*.duet"))
        assert not files - known, "golden files without a program, or files of another kind"
        assert all(path.suffix == suffix for path in expected)


def test_every_case_lies_under_a_topic() -> None:
    for kind in GOLDEN:
        assert all(len(path.relative_to(CASES / kind).parts) == 2 for path in programs(kind))


def test_every_imported_part_is_imported() -> None:
    for part in CASES.rglob("*" + IMPORTED):
        users = [path for path in part.parent.glob("*.duet") if f'"{part.name}"' in path.read_text(encoding="utf-8")]
        assert users, f"{part} is imported by no case"
