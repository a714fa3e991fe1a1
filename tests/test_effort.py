"""A run in brief leaves out what it says, and CI leaves out nothing that `make test` ever ran."""

import ast
import tomllib
from functools import cache
from pathlib import Path

import pytest

from tests import conftest, effort

ROOT = Path(__file__).parents[1]


class Case:
    """Stands for a collected test."""

    def __init__(self, nodeid: str, *marks: pytest.Mark) -> None:
        self.nodeid, self.marks = nodeid, list(marks)

    def get_closest_marker(self, name: str) -> pytest.Mark | None:
        return next((mark for mark in self.marks if mark.name == name), None)

    def add_marker(self, mark: pytest.MarkDecorator) -> None:
        self.marks.append(mark.mark)


def test_one_of_k_cases_of_a_sparse_test_is_left() -> None:
    sparse = pytest.mark.sparse(3).mark
    cases = [Case(f"file.py::{name}[{at}]", sparse) for at in range(9) for name in ("one", "other")]
    plain = Case("file.py::plain[0]")
    conftest.pytest_collection_modifyitems([*cases, plain])
    left = [case.nodeid for case in [*cases, plain] if not case.get_closest_marker("thorough")]
    assert left == [f"file.py::{name}[{at}]" for at in (0, 4, 6) for name in ("one", "other")] + ["file.py::plain[0]"]


@pytest.mark.parametrize("k", range(2, 8))
@pytest.mark.parametrize("first", range(2, 8))
def test_a_sparse_test_keeps_every_value_of_its_parameters(first: int, k: int) -> None:
    """Also of the first one, where it has as many as `k`, one more or one less."""
    sparse = pytest.mark.sparse(k).mark
    cases = [Case(f"file.py::one[{one}-{other}]", sparse) for other in range(8 * k) for one in range(first)]
    conftest.pytest_collection_modifyitems(list(cases))
    left = [case.nodeid.removesuffix("]").partition("[")[2] for case in cases if len(case.marks) == 1]
    assert {name.partition("-")[0] for name in left} == {str(one) for one in range(first)}


def test_a_guard_is_never_late(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else what is left out in its name would be left out by itself."""
    late = ("tests/a.py::one", "tests/b.py::two[0]", "tests/b.py::three")
    monkeypatch.setattr(effort, "late", lambda: frozenset(late))
    cases = [Case(name) for name in late]
    whole = Case("tests/a.py::whole", pytest.mark.thorough("one", "b.py::two").mark)
    conftest.pytest_collection_modifyitems([whole, *cases])
    assert [case.nodeid for case in cases if case.get_closest_marker("thorough")] == ["tests/b.py::three"]


def test_of_a_sparse_test_a_quick_case_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    def left(*late: int) -> list[int]:
        monkeypatch.setattr(effort, "late", lambda: frozenset(f"file.py::one[{at}]" for at in late))
        cases = [Case(f"file.py::one[{at}]", pytest.mark.sparse(3).mark) for at in range(6)]
        conftest.pytest_collection_modifyitems(list(cases))
        return [at for at, case in enumerate(cases) if not case.get_closest_marker("thorough")]

    assert left() == left(1, 2) == [0, 4]
    assert left(0) == [4]
    assert left(0, 4) == [1]
    assert left(0, 1, 4) == [2]
    assert left(*range(6)) == []


@pytest.mark.sparse(2)
@pytest.mark.parametrize("at", range(4))
def test_this_run_is_what_it_says(at: int, request: pytest.FixtureRequest) -> None:
    assert ("not thorough" not in request.config.option.markexpr) == effort.IS_THOROUGH
    assert bool(request.node.get_closest_marker("thorough")) == (at in (1, 2))


@pytest.mark.parametrize(("is_thorough", "expected"), [(True, 200), (False, 50)])
def test_examples_are_fewer_in_brief_only(monkeypatch: pytest.MonkeyPatch, is_thorough: bool, expected: int) -> None:
    monkeypatch.setattr(effort, "IS_THOROUGH", is_thorough)
    assert effort.often(200, 50) == expected


def test_a_test_takes_no_more_examples_in_brief() -> None:
    with pytest.raises(ValueError, match="fewer"):
        effort.often(50, 200)


def decorators(function: ast.FunctionDef) -> dict[str, list[str]]:
    """The marks of a test, each with the texts that it is given."""
    found = {}
    for each in function.decorator_list:
        call = each if isinstance(each, ast.Call) else ast.Call(each, [], [])
        if isinstance(call.func, ast.Attribute):
            found[call.func.attr] = [text.value for text in call.args if isinstance(text, ast.Constant)]
    return found


@cache
def marked(file: str) -> dict[str, dict[str, list[str]]]:
    """The marks of every test of a file."""
    body = ast.parse((ROOT / "tests" / file).read_text(encoding="utf-8")).body
    return {node.name: decorators(node) for node in body if isinstance(node, ast.FunctionDef)}


def is_in_brief(file: str, name: str) -> bool:
    """Whether there is such a test, and a run in brief takes it."""
    return name.startswith("test_") and {"thorough", "slow"}.isdisjoint(marked(file).get(name, {"slow"}))


def test_of_a_whole_test_that_is_left_out_another_guards_the_rule() -> None:
    """``thorough("file.py::test_other")`` names it, by its name alone if it stands in the same file."""
    found = {}
    for path in (ROOT / "tests").rglob("test_*.py"):
        if "mark.thorough" in path.read_text(encoding="utf-8"):
            file = path.relative_to(ROOT / "tests").as_posix()
            for name, marks in marked(file).items():
                if "thorough" in marks:
                    guards = [each.rpartition("::") for each in marks["thorough"]]
                    found[name] = [is_in_brief(of or file, guard) for of, _, guard in guards]
    assert {name: guards for name, guards in found.items() if not guards or not all(guards)} == {}
    assert len(found) > 5


def test_what_is_listed_as_late_exists() -> None:
    named = [line.partition("[")[0].removeprefix("tests/").split("::") for line in effort.late()]
    assert named
    assert [
        (file, name) for file, *_, name in named if not (ROOT / "tests" / file).exists() or name not in marked(file)
    ] == []


def test_what_takes_long_is_late(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(effort, "LATE", tmp_path / "late.txt")
    taken = {"b.py::long[1]": 9.0, "b.py::short": 0.01, "a.py::long": 0.3}
    monkeypatch.setattr(effort, "TAKEN", taken)
    effort.write_late()
    assert (tmp_path / "late.txt").read_text() == "a.py::long\nb.py::long[1]\n"
    monkeypatch.setattr(effort, "MEASURES", False)
    case, other = Case("a.py::long"), Case("b.py::long[2]")
    conftest.pytest_collection_modifyitems([case, other])
    assert [bool(each.get_closest_marker("thorough")) for each in (case, other)] == [True, False]


def test_ci_runs_make_test_and_then_everything_but_the_slow_suites() -> None:
    """`make test` leaves out what is slow or thorough, so what CI runs last must leave out what is slow and nothing else."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pytest"]["ini_options"]
    assert settings["addopts"][-2:] == ["-m", "not slow and not thorough"]
    lines = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    assert 'make --jobs=2 VENV="$venv" test' in lines
    assert lines[-1].startswith("exec ")
    assert '-m "not slow"' in lines[-1]
    assert (
        '-m "not slow"'
        in (ROOT / "Makefile").read_text(encoding="utf-8").partition("test-whole: lint")[2].split("\n")[1]
    )
