"""``--on-bad-row drop``: a row with a bad cell is not there, and neither another row nor the outcome of the run depends on it."""

import random
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest

import duetpy
from duetpy.accounting.budget import parse_budget
from duetpy.diagnostics.error import DuetError
from duetpy.ledger.store import Ledger, create
from duetpy.runtime.sources import binding
from duetpy.runtime.sources.arrays import from_arrays
from duetpy.runtime.sources.table import ColumnSpec, Kind
from tests.effort import often
from tests.runtime.people import AGE, INCOME, NAME, REAL, Reader, rows_of
from tests.runtime.test_csv_containment import LAYOUTS, SEPARATED, STRANGE, a_file, mutate

COUNT = "pλ . xs : 𝕄 [L∞, U | ★, {columns} ∷ []] ⇒ laplace[auto, ℝ⁺[1.0]] <xs> {{ real (rows xs) }}"


def parts_that_differ(before: list[tuple], after: list[tuple]) -> tuple[int, int]:
    """How many rows are left of each when what both begin and end with is taken away."""
    start = 0
    while start < min(len(before), len(after)) and before[start] == after[start]:
        start += 1
    end = 0
    while end < min(len(before), len(after)) - start and before[-1 - end] == after[-1 - end]:
        end += 1
    return len(before) - start - end, len(after) - start - end


def some_file(seed: int) -> tuple[Any, bytes | None, dict[str, Any], str, list[bytes], random.Random]:
    dice = random.Random(seed)
    columns, header, options = LAYOUTS[seed % len(LAYOUTS)]
    separator, name = SEPARATED[seed // len(LAYOUTS) % len(SEPARATED)]
    lines = [line.replace(b",", separator) for line in a_file(dice)]
    for _ in range(dice.randint(0, 3)):
        lines[dice.randrange(len(lines))] = dice.choice([*STRANGE, b"\t\t", b"\t", b";;;"])
    return columns, header and header.replace(b",", separator), options, name, lines, dice


def test_one_changed_line_adds_removes_or_changes_one_record(read: Reader) -> None:
    changes = set()
    for seed in range(often(1600, 300)):
        columns, header, options, name, lines, dice = some_file(seed)
        at = dice.randrange(len(lines))
        tables = []
        for changed in (lines, [*lines[:at], mutate(lines[at], dice), *lines[at + 1 :]]):
            content = b"\n".join([*([] if header is None else [header]), *changed]) + b"\n"
            tables.append(rows_of(read(content, columns, name=name, on_bad_row="drop", **options)))
        found = parts_that_differ(*tables)
        assert max(found) <= 1, (seed, lines[at])
        changes.add(tuple(sorted(found)))
    assert changes == {(0, 0), (0, 1), (1, 1)}


def test_a_line_is_dropped_if_it_would_be_refused_alone(read: Reader) -> None:
    """What separates cells and how many there are, a header says, so each line can be read without the others."""
    dropped = 0
    for seed in range(often(800, 200)):
        columns, header, options, name, lines, _ = some_file(seed)
        if header is None or not (options or isinstance(columns, tuple)):
            continue  # nothing but the look of the first line would say that it is a header
        expected = []
        for line in lines:
            try:
                expected += rows_of(read(header + b"\n" + line + b"\n", columns, name=name, **options))
            except DuetError:
                dropped += 1
        content = b"\n".join([header, *lines]) + b"\n"
        assert rows_of(read(content, columns, name=name, on_bad_row="drop", **options)) == expected, seed
    assert dropped > 50


def test_without_a_header_a_line_may_have_further_cells_and_no_fewer(read: Reader) -> None:
    content = b'1,2\n?,2\n3\n4,5,6\n"7",8\n'
    found = read(content, (ColumnSpec(None, Kind.REAL),) * 2, on_bad_row="drop", header="no")
    assert rows_of(found) == [(1, 2), (4, 5), (7, 8)]


def test_blocks_and_the_quick_way_drop_the_same_lines(read: Reader) -> None:
    good = [f"{number},{number / 8}".encode() for number in range(5000)]
    lines = [b"x,1" if at % 1000 == 7 else line for at, line in enumerate(good)]
    found = read(b"age,income\n" + b"\n".join(lines) + b"\n", (AGE, INCOME), on_bad_row="drop")
    assert rows_of(found) == [(at, at / 8) for at in range(5000) if at % 1000 != 7]


@pytest.mark.parametrize(
    "value",
    [
        [[1.0, 2.0], [float("nan"), 3.0], [4.0, None], [5.0, 6.0], ["x", 1.0], [7.0]],
        np.array([[1.0, 2.0], [np.nan, 3.0], [4.0, np.inf], [5.0, 6.0]]),
        {"a": [1.0, np.nan, 4.0, 5.0], "b": [2.0, 3.0, np.inf, 6.0]},
        pyarrow.table({"a": [1.0, None, 4.0, 5.0], "b": [2.0, 3.0, None, 6.0]}),
    ],
)
def test_rows_of_arrays_and_frames_are_dropped(value: object) -> None:
    found = from_arrays(value, (REAL, REAL), on_bad_row="drop")
    assert found.numbers.tolist() == [[1.0, 2.0], [5.0, 6.0]]


def test_all_rows_may_go() -> None:
    assert from_arrays([[None], ["x"]], (REAL,), on_bad_row="drop").numbers.shape == (0, 1)
    columns = (ColumnSpec("a", Kind.NAT, below=3), NAME)
    found = from_arrays([[1, "x"], [3, "y"], [2.5, "z"], [2, None], [0, "w"]], columns, on_bad_row="drop")
    assert rows_of(found) == [(1, "x"), (0, "w")]


def count(columns: str, **given: Any) -> float:
    program = duetpy.parse(COUNT.format(columns=columns), notion="eps")
    return program.check().run(_insecure_noise="none", _on_bad_row="drop", **given).result


def test_what_a_type_promises_of_a_row_counts() -> None:
    assert count("k : 𝐝 𝕀[3]", xs=[[0], [2], [3], [-1], [1.5]]) == 2.0
    assert count("a : ℝ⁺[0.5] ∷ b : 𝔻 else 0", xs=[[0.5, 1.0], [0.7, 1.0], [0.5, 2.0]]) == 2.0
    bounded = "pλ . xs : 𝕄 [L∞, L2≤1.0 | ★, 2⋅𝔻 else 0] ⇒ laplace[auto, ℝ⁺[1.0]] <xs> { real (rows xs) }"
    program = duetpy.parse(bounded, notion="eps").check()
    rows = [[0.6, 0.7], [1.0, 0.1], [0.0, 0.0], [-3.0, 0.0], [0.5, None]]
    assert program.run(xs=rows, _insecure_noise="none", _on_bad_row="drop").result == 2.0


def test_files_of_all_kinds(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a,b\n1,u\n?,v\n,w\n4,\n5,x,6\n7,z\n", encoding="utf-8")
    pyarrow.parquet.write_table(pyarrow.table({"a": [1.0, None, 3.0], "b": ["u", "v", None]}), tmp_path / "x.parquet")
    np.save(tmp_path / "x.npy", np.array([[1.0], [np.nan], [2.0]]))
    assert count("a : 𝔻 else 0 ∷ b : 𝐝 𝕊", xs=str(tmp_path / "x.csv")) == 3.0
    assert count("a : 𝔻 else 0 ∷ b : 𝐝 𝕊", xs=str(tmp_path / "x.parquet")) == 1.0
    assert count("a : 𝔻", xs=str(tmp_path / "x.npy")) == 2.0


PUBLIC = "pλ m : ℕ . xs : 𝕄 [L∞, U | m, a : 𝔻 else 0 ∷ []] ⇒ laplace[ℝ⁺[1.0], ℝ⁺[1.0]] <xs> { real (rows xs) }"
ALIGNED = (
    "pλ . ⟨xs : 𝕄 [L∞, U | ★, a : 𝔻 else 0 ∷ []], ys : 𝕄 [L∞, U | ★, b : 𝔻 else 0 ∷ []]⟩ ⇒ "
    "laplace[ℝ⁺[1.0], ℝ⁺[1.0]] <xs> { real (rows xs) }"
)
ALONE = "pλ . xs : 𝔻 ⇒ laplace[ℝ⁺[1.0], ℝ⁺[1.0]] <xs> { clip[0.0, 1.0] xs }"


@pytest.mark.parametrize(
    ("text", "given"),
    [
        (PUBLIC, {"xs": "absent.csv"}),
        (ALIGNED, {"xs": "absent.csv", "ys": "absent.csv"}),
        (ALONE, {"xs": 0.5}),
    ],
)
@pytest.mark.parametrize("is_charged", [False, True])
def test_a_program_that_would_show_a_dropped_row_is_refused_before_a_file_is_opened(
    text: str, given: dict[str, Any], is_charged: bool, tmp_path: Path
) -> None:
    own: dict[str, Any] = {}
    if is_charged:
        create(tmp_path / "l", parse_budget("epsilon=10"), "people")
        own = {"_ledger": tmp_path / "l", "m": 3} if "m" in text else {"_ledger": tmp_path / "l"}
    with pytest.raises(DuetError) as refused:
        duetpy.parse(text, notion="eps").check().run(_on_bad_row="drop", **given, **own)
    (found,) = refused.value.diagnostics
    assert found.code == "D0620"
    assert "xs" in found.message
    assert "default" in found.help


def test_the_ledger_is_charged_before_a_row_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    create(tmp_path / "l", parse_budget("epsilon=10"), "people")
    program = duetpy.parse(COUNT.format(columns="a : 𝔻"), notion="eps").check()
    charged = []
    inner = binding.from_arrays

    def watched(*args: Any, **options: Any) -> Any:
        charged.append(len(Ledger(tmp_path / "l").state().entries))
        return inner(*args, **options)

    monkeypatch.setattr(binding, "from_arrays", watched)
    release = program.run(xs=[[None], [1.0]], _ledger=tmp_path / "l", _on_bad_row="drop")
    assert charged == [1]
    assert release.data["xs"]["bad_rows"] == "dropped"
    assert release.data["xs"]["rows"] is None
