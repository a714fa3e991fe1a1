"""What can be seen of a run, apart from the released numbers, is the same on neighbouring data."""

import math
import random
from pathlib import Path

import pytest

from tests.attacks.neighbouring import (
    PROGRAMS,
    Program,
    compared,
    outline,
    random_pairs,
    seen_in_run,
    two_files,
    visible_of,
)
from tests.effort import often


def test_a_changed_line_does_not_show_at_the_command_line(tmp_path: Path) -> None:
    codes = set()
    for seed in range(often(4, 2) * len(PROGRAMS)):
        before, after = compared(tmp_path, seed)
        assert before == after, seed
        codes.add(before[0])
    assert 0 in codes


def test_a_changed_line_does_not_show_in_python(tmp_path: Path) -> None:
    for seed in range(100, 100 + often(12, 2) * len(PROGRAMS)):
        before, after = compared(tmp_path, seed, seen_in_run)
        assert before == after, seed


@pytest.mark.slow
def test_many_changed_lines_do_not_show(tmp_path: Path) -> None:
    for seed in range(1000, 3500):
        before, after = compared(tmp_path, seed, seen_in_run)
        assert before == after, seed


def test_neighbours_of_random_programs_look_alike() -> None:
    pairs = 0
    for seed in range(30)[-(seeds := often(30, 12)) :]:
        for before, after in random_pairs(seed, 2):
            assert before == after, seed
            # What is refused before its rows are looked at looks alike for nothing.
            pairs += not isinstance(before[0], str)
    assert pairs > seeds


@pytest.mark.slow
def test_neighbours_of_many_random_programs_look_alike() -> None:
    for seed in range(60, 600):
        for before, after in random_pairs(seed, 3):
            assert before == after, seed


def test_every_program_releases(tmp_path: Path) -> None:
    """Programs that are refused would look alike for nothing."""
    for program in PROGRAMS:
        outcome = visible_of(tmp_path, program, b"a,b,k\n0.5,0,x\n1,2,y\n", 1)
        assert outcome[0] == 0, (program.name, outcome)


def test_where_bad_rows_are_refused_they_show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: the comparison sees the end code and the message of a refusal."""
    from tests.attacks import neighbouring

    monkeypatch.setattr(
        neighbouring, "main", lambda words: neighbouring_main([w.replace("default", "refuse") for w in words])
    )
    differing = [before != after for before, after in (compared(tmp_path, seed) for seed in range(len(PROGRAMS)))]
    assert any(differing)


def neighbouring_main(words: list[str]) -> int:
    from duetpy.cli.main import main

    return main(words)


def naive_mean(cells: list[float]) -> str:
    """The control: what an interpreter in plain Python shows of a mean of quotients."""
    try:
        total = sum(min(max(1.0 / math.log(cell), -1.0), 1.0) for cell in cells)
        return f"done {type(total / len(cells)).__name__}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def test_exceptions_tell_neighbours_apart_in_plain_python() -> None:
    seen = {naive_mean([2.0, 3.0, cell]) for cell in (5.0, 1.0, 0.0, -1.0)}
    assert len(seen) > 1


ROWS = [b"0,0,x", b"-1,0,x", b"1e308,5e-324,x", b"nan,inf,x", b"-1e308,-0.0,x", b"9007199254740993,1e-400,x"]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
@pytest.mark.sparse(3)
def test_arithmetic_is_total(tmp_path: Path, program: Program) -> None:
    """Every row alone, and no row at all: division by zero, roots and logarithms of what has none, overflow."""
    alone = [visible_of(tmp_path, program, b"a,b,k\n" + row + b"\n", 2) for row in ROWS]
    assert all(outcome == alone[0] for outcome in alone)
    assert alone[0][0] == 0
    if "★" in program.text:
        empty = visible_of(tmp_path, program, b"a,b,k\n", 2)
        assert empty == alone[0]


def test_a_result_with_a_number_for_every_row_shows_how_many_there_are() -> None:
    """The control: each number is noisy, and the shape tells the one thing that is to be hidden."""
    source = random.Random(1)
    shapes = set()
    for rows in two_files(source, by_addition=True):
        shapes.add(repr(outline([source.gauss(0, 1) for _ in rows.splitlines()])))
    assert len(shapes) == 2
