"""Cells without a value: which they are in lines, columns and arrays, and that nothing else is one of them."""

import csv
import math
from collections.abc import Callable
from decimal import Decimal
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

import duetpy
from duetpy.diagnostics.error import DuetError
from duetpy.runtime.release.noiseless import checked, evaluate
from duetpy.runtime.sources import records
from duetpy.runtime.sources.reading import markers_of
from tests.soundness.broken.missing import OF_CELLS
from tests.soundness.broken.mutant import Mutant
from tests.soundness.mutants import planted

EXAMPLES = Path(__file__).parents[2] / "examples"

AGES = "sλ xs : 𝕄 [L∞, U | ★, age : 𝔻? ∷ []] ⇒ xs"
TOWNS = "sλ xs : 𝕄 [L∞, U | ★, town : 𝕊? ∷ []] ⇒ xs"
BOTH = "pλ ε : ℝ⁺ . xs : 𝔻𝔽[age : 𝔻?, town : 𝕊?], ε : ℝ⁺[ε] ⇒ {}"
COUNTED = """pλ ε : ℝ⁺ . xs : 𝔻𝔽[age : 𝔻?, town : 𝕊?], ε : ℝ⁺[ε] ⇒
  ages ← laplace[1, ε] <xs> {{ real (rows (mfilter xs {{ r ⇒ {age} }})) }} ;
  towns ← laplace[1, ε] <xs> {{ real (rows (mfilter xs {{ r ⇒ {town} }})) }} ;
  all ← laplace[1, ε] <xs> {{ real (rows xs) }} ;
  return ⟨ages, ⟨towns, all⟩⟩"""
MISSING = COUNTED.format(age="is-missing r.age", town="is-missing r.town")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def cells(program: str, value: Any) -> list[Any]:
    return [row[0] for row in evaluate(program, xs=value)]


def counted(text: str, content: str, **options: Any) -> tuple[float, float, float]:
    """How many ages and towns a program counts, and how many rows there are."""
    Path("xs.csv").write_text(content, encoding="utf-8")
    found = duetpy.parse(text, notion="eps").check().run(xs="xs.csv", ε=1, _insecure_noise="none", **options)
    ages, (towns, rows) = found.result
    return ages, towns, rows


def refusal(text: str, content: str, **options: Any) -> list[str]:
    with pytest.raises(DuetError) as caught:
        counted(text, content, **options)
    return [each.code for each in caught.value.diagnostics]


# ---------------------------------------------------------------------------------------------------------------------
# Lines


def test_an_unquoted_empty_cell_is_missing_and_the_empty_text_is_none() -> None:
    assert counted(MISSING, 'age,town\n1,Rome\n,Oslo\n3,\n4,""\n  ,Rome\n') == (2, 1, 5)
    empty = COUNTED.format(age="r.age ≡ 0", town='r.town ≡ ""')
    assert counted(empty, 'age,town\n0,Rome\n,Oslo\n3,\n4,""\n  , \n') == (1, 1, 5)


def test_other_words_are_missing_if_they_are_named() -> None:
    content = 'age,town\nNA,NA\n.,"NA"\n 7,x\n NA ,NA \n'
    assert refusal(MISSING, content) == ["D0604"]
    with pytest.raises(DuetError, match=r"column 'age': 3 bad cells \(lines 2, 3, 5\): not a number"):
        counted(MISSING, content)
    # Spaces count in a text, and quotation marks say that it is one.
    assert counted(MISSING, content, _missing=["NA", "."]) == (3, 1, 4)


def test_a_number_may_say_that_a_value_is_missing() -> None:
    content = "age,town\n-99,x\n5,y\n-99.0,z\n"
    assert counted(MISSING, content) == (0, 0, 3)
    assert counted(MISSING, content, _missing=["-99"]) == (1, 0, 3)
    ages = BOTH.format("laplace[200, ε] <xs> { mfold-row 0.0, xs { s, r ⇒ s + clip[-100, 100] (r.age or-else 50) } }")
    Path("xs.csv").write_text("age,town\n-99,x\n5,y\n", encoding="utf-8")
    total = (
        duetpy.parse(ages, notion="eps").check().run(xs="xs.csv", ε=1, _insecure_noise="none", _missing=("-99",)).result
    )
    assert total == 55


def test_numbers_alone_are_compared_with_what_says_that_one_is_missing() -> None:
    """Lines of plain numbers are read many at a time, whatever they say."""
    program = "pλ ε : ℝ⁺ . xs : 𝔻𝔽[age : 𝔻?], ε : ℝ⁺[ε] ⇒ laplace[1, ε] <xs> { real (rows (mfilter xs { r ⇒ is-missing r.age })) }"
    Path("xs.csv").write_text("age\n" + "1\n-99\n" * 50, encoding="utf-8")
    run = duetpy.parse(program, notion="eps").check().run
    assert run(xs="xs.csv", ε=1, _insecure_noise="none").result == 0
    assert run(xs="xs.csv", ε=1, _insecure_noise="none", _missing=["-99"]).result == 50


def test_a_bad_cell_is_no_missing_one() -> None:
    for cell in ("x", '""', "1_000", "nan", "inf", "1e400"):
        assert refusal(MISSING, f"age,town\n1,Rome\n{cell},Rome\n") == ["D0604"], cell
        assert counted(MISSING, f"age,town\n1,Rome\n{cell},Rome\n", _on_bad_row="default") == (1, 0, 2)
        assert counted(MISSING, f"age,town\n1,Rome\n{cell},Rome\n,Oslo\n", _on_bad_row="drop") == (1, 0, 2)


def test_what_a_line_lacks_is_missing_under_default() -> None:
    assert counted(MISSING, "age,town\n1\n\n2,x,y\n", _on_bad_row="default") == (1, 2, 3)
    assert refusal(MISSING, "age,town\n1\n2,x\n") == ["D0605"]


def test_columns_that_are_always_there_take_no_missing_cell() -> None:
    program = MISSING.replace("age : 𝔻?", "age : 𝔻").replace("is-missing r.age", "r.age ≡ 0")
    assert refusal(program, "age,town\n1,x\n,y\n") == ["D0604"]
    assert refusal(program, "age,town\n1,x\nNA,y\n", _missing=["NA"]) == ["D0604"]
    always = program.replace("town : 𝕊?", "town : 𝕊").replace("is-missing r.town", 'r.town ≡ "NA"')
    assert counted(always, "age,town\n1,NA\n", _missing=["NA"])[1] == 1


def test_a_marker_does_not_speak_for_a_header() -> None:
    program = "pλ ε : ℝ⁺ . xs : 𝕄 [L∞, U | ★, 2⋅𝔻?], ε : ℝ⁺[ε] ⇒ laplace[1, ε] <xs> { real (rows xs) }"
    Path("xs.csv").write_text("NV,1\n2,3\n", encoding="utf-8")
    run = duetpy.parse(program, notion="eps").check().run
    assert run(xs="xs.csv", ε=1, _insecure_noise="none", _missing=["NV"]).result == 2
    Path("xs.csv").write_text("a,b\n2,3\n", encoding="utf-8")
    assert run(xs="xs.csv", ε=1, _insecure_noise="none", _missing=["NV"]).result == 1


@pytest.mark.parametrize("given", ["NA", ["NA", 3], [""], ["a,b"], [' "'], ["NA "], 7])
def test_what_cannot_stand_for_a_missing_cell(given: object) -> None:
    with pytest.raises(ValueError, match="missing"):
        markers_of(given)


def test_a_row_without_a_key_is_in_no_part() -> None:
    program = BOTH.format(
        'parallel[xs, ℘{"", "Rome"}] { r ⇒ r.town } { k, part ⇒ n ← laplace[1, ε] <part> { real (rows part) } ; return ⟨k, n⟩ }'
    )
    Path("xs.csv").write_text('age,town\n1,Rome\n2,\n3,""\n4,Oslo\n5,\n', encoding="utf-8")
    found = duetpy.parse(program, notion="eps").check().run(xs="xs.csv", ε=1, _insecure_noise="none")
    assert found.result == [("", 1.0), ("Rome", 1.0)]


def test_a_row_without_a_key_has_no_partner() -> None:
    joined = "sλ xs : 𝔻𝔽[k : 𝔻?, a : ℕ else 0], ys : 𝔻𝔽[k : 𝔻?, b : ℕ else 0] ⇒ rows (joinDF₁⧼k⧽[xs, ys])"
    rows = [[1.0, 1], [None, 2], [2.0, 3]]
    assert evaluate(joined, xs=rows, ys=[[None, 7], [2.0, 9]]) == 1
    parts = "sλ xs : 𝔻𝔽[k : 𝔻?, a : ℕ else 0] ⇒ bmap (partitionDF[xs, k, ℘{disc 1.0, disc 2.0}]) { p ⇒ rows p }"
    assert evaluate(parts, xs=[*rows, [None, 4]]) == [[1], [1]]


# ---------------------------------------------------------------------------------------------------------------------
# Arrays, lists and frames


class NAType:
    """Stands for the type of `pandas.NA`, which is known by its name and its module."""

    def __bool__(self) -> bool:
        raise TypeError("boolean value of NA is ambiguous")

    def __ne__(self, other: object) -> Any:
        return self

    __hash__ = None


NAType.__module__ = "pandas._libs.missing"
NONES = (None, math.nan, np.nan, np.float32("nan"), Decimal("NaN"), np.ma.masked, np.datetime64("NaT"), NAType())


@pytest.mark.parametrize("none", NONES, ids=lambda none: type(none).__name__)
def test_what_libraries_have_in_the_place_of_a_value_is_missing(none: object) -> None:
    assert cells(AGES, [[1.0], [none], [3]]) == [1.0, None, 3.0]
    assert cells(TOWNS, {"town": ["Rome", none, ""]}) == ["Rome", None, ""]


@pytest.mark.parametrize(
    "bad",
    [math.inf, "x", "", b"1", 1j, [], object(), Decimal("sNaN"), np.datetime64("2024-01-01")],
    ids=lambda bad: type(bad).__name__,
)
def test_what_is_no_value_is_not_missing(bad: object) -> None:
    with pytest.raises(DuetError):
        cells(AGES, [[1.0], [bad]])


def test_columns_of_numbers_with_nan_or_a_mask() -> None:
    assert cells(AGES, np.array([[1.0], [np.nan]])) == [1.0, None]
    assert cells(AGES, np.ma.masked_array([[1.0], [2.0]], mask=[[False], [True]])) == [1.0, None]
    codes = "sλ xs : 𝕄 [L∞, U | ★, code : 𝐝 ℕ? ∷ []] ⇒ xs"
    # A library that has no missing whole numbers makes doubles of them.
    assert cells(codes, np.array([[1.0], [np.nan], [3.0]])) == [1, None, 3]
    with pytest.raises(DuetError):
        cells(codes, np.array([[1.5], [np.nan]]))
    truths = "sλ xs : 𝕄 [L∞, U | ★, b : 𝔹? ∷ []] ⇒ xs"
    assert cells(truths, np.array([[True], [None]], dtype=object)) == [True, None]


def in_parquet(table: pa.Table) -> str:
    pa.parquet.write_table(table, "xs.parquet")
    return "xs.parquet"


def in_arrow(table: pa.Table) -> str:
    pyarrow.feather.write_feather(table, "xs.arrow", compression="uncompressed")
    return "xs.arrow"


def in_duckdb(table: pa.Table) -> str:
    Path("xs.duckdb").unlink(missing_ok=True)
    with import_module("duckdb").connect("xs.duckdb") as made:
        made.register("given", table)
        made.execute("CREATE TABLE t AS SELECT * FROM given")
    return "duckdb:xs.duckdb?table=t"


def as_query(table: pa.Table) -> str:
    in_parquet(table)
    return "sql:SELECT age, town FROM read_parquet('xs.parquet')"


TABLE = pa.table(
    {
        "age": pa.array([1.0, None, math.nan, 4.0], from_pandas=False),
        "town": pa.array(["Rome", "", None, None]).dictionary_encode(),
    }
)


@pytest.mark.parametrize("write", [in_parquet, in_arrow, in_duckdb, as_query, lambda table: table])
def test_the_nulls_of_files_and_tables_are_missing_cells(write: Callable[[pa.Table], Any]) -> None:
    plain = TABLE.set_column(1, "town", TABLE["town"].cast("string"))
    for table in (TABLE, plain) if write in (in_parquet, in_arrow) else (plain,):
        found = duetpy.parse(MISSING, notion="eps").check().run(xs=write(table), ε=1, _insecure_noise="none").result
        assert found == (2.0, (2.0, 4.0))


def test_a_text_that_cannot_be_read_is_a_bad_cell() -> None:
    ends = np.array([0, 1, 2, 3], dtype=np.int32)
    column = pa.Array.from_buffers(pa.string(), 3, [None, pa.py_buffer(ends.tobytes()), pa.py_buffer(b"xy\xff")])
    encoded = pa.DictionaryArray.from_arrays(pa.array([0, None, 2]), column)
    nowhere = pa.DictionaryArray.from_arrays(pa.array([0, None, 7]), pa.array(["x"]), safe=False)
    for table in (pa.table({"town": column}), pa.table({"town": encoded}), pa.table({"town": nowhere})):
        with pytest.raises(DuetError) as caught:
            cells(TOWNS, table)
        assert [each.code for each in caught.value.diagnostics] == ["D0604"]
    assert cells(TOWNS, pa.table({"town": encoded.take(pa.array([0, 1]))})) == ["x", None]


def test_single_values() -> None:
    program = checked("sλ x : 𝔻?, s : 𝕊? ⇒ ⟨x, s⟩")
    assert evaluate(program, x=None, s=None) == (None, None)
    assert evaluate(program, x=math.nan, s="") == (None, "")
    with pytest.raises(DuetError):
        evaluate(program, x="", s="a")
    with pytest.raises(DuetError):
        evaluate(program, x=math.inf, s="a")


def test_a_bound_on_rows_says_nothing_where_a_cell_may_be_missing() -> None:
    with pytest.raises(DuetError) as caught:
        evaluate("sλ m : ℕ . xs : 𝕄 [L∞, L2≤1 | m, 2⋅𝔻?] ⇒ rows xs", xs=[[0.1, None]])
    assert [each.code for each in caught.value.diagnostics] == ["D0611"]


def test_a_missing_key_is_no_key() -> None:
    program = "pλ . xs : 𝔻𝔽[age : 𝔻?, town : 𝕊?] ⇒ keys[{k}, 1.0, 0.01] xs {{ r ⇒ {body} }}"
    Path("xs.csv").write_text("age,town\n1,Rome\n,Rome\n3,\n,\n1,Oslo\n", encoding="utf-8")

    def keys(body: str, k: int) -> set[Any]:
        checked = duetpy.parse(program.format(k=f"ℕ[{k}]", body=body), notion="approx").check()
        return set(checked.run(xs="xs.csv", _insecure_noise="none").result)

    assert keys("r.town", 1) == {"Rome", "Oslo"}
    assert keys("r.age", 1) == {1.0, 3.0}
    # The hash that chooses among several keys of a row is of the whole row, missing cells included.
    assert keys('℘{r.town, disc "a", disc "b"}', 1) <= {"Rome", "Oslo", "a", "b"}
    assert keys("℘{r.town}", 1) == {"Rome", "Oslo"}


def test_the_mean_of_the_known_ages_of_the_example() -> None:
    with (EXAMPLES / "data" / "titanic.csv").open(encoding="utf-8") as lines:
        cells = [row["age"] for row in csv.DictReader(lines)]
    known = [float(cell) for cell in cells if cell]
    checked = duetpy.load(EXAMPLES / "known-ages.eps.duet").check()
    found = checked.run(passengers=str(EXAMPLES / "data" / "titanic.csv"), ε=10)
    mean, share = found.result["mean-age"], found.result["share-unknown"]
    assert (len(cells), len(known)) == (1309, 1046)
    # Noise of scale 8 on the total and 1/10 on the counts is beyond 25 scales with probability e^-25.
    assert abs(mean - sum(known) / len(known)) < 25 * (8 + 80 / 10) / len(known)
    assert abs(share - (1 - len(known) / len(cells))) < 25 * 2 / (len(cells) * 10)
    # With 0 in the place of what is missing it would be 23.9.
    assert mean > 29
    assert found.privacy["total"]["epsilon"] == 30


def counts_cells() -> None:
    assert counted(MISSING, 'age,town\n1,Rome\n,""\n3,\n') == (1, 1, 3)
    # The quotes inside a cell have the lines read one by one.
    assert counted(MISSING, 'age,town\n1,"Ro""me"\n,""\n3,\n') == (1, 1, 3)


def replaces_cells() -> None:
    total = "sλ xs : 𝕄 [L∞, U | 3, 1⋅𝔻?] ⇒ mfold-row 0, xs { s, r ⇒ s + clip[0, 9] (r#[0, 0] or-else 5) }"
    assert evaluate(total, xs=[[1.0], [None], [2.0]]) == 8


def compares_cells() -> None:
    same = "sλ xs : 𝔻𝔽[a : 𝔻?, b : 𝔻?] ⇒ rows (mfilter xs { r ⇒ r.a ≡ r.b })"
    rows = [[1.0, 1.0], [None, None], [None, 0.0], [0.0, None], [2.0, 3.0]]
    assert evaluate(same, xs=rows) == sum(evaluate(same, xs=[row]) for row in rows) == 2


CHECKS: dict[str, Callable[[], None]] = {
    "counted": counts_cells,
    "replaced": replaces_cells,
    "equal": compares_cells,
    "parts": test_a_row_without_a_key_is_in_no_part,
    "spelled": test_numbers_alone_are_compared_with_what_says_that_one_is_missing,
    "keys": test_a_missing_key_is_no_key,
}


@pytest.mark.parametrize("check", CHECKS)
def test_a_check_holds(check: str) -> None:
    CHECKS[check]()


@pytest.mark.parametrize("mutant", OF_CELLS, ids=lambda mutant: mutant.name)
def test_what_is_wrong_with_missing_cells_is_found(mutant: Mutant) -> None:
    (check,) = mutant.rules
    with planted(mutant), pytest.raises(AssertionError):
        CHECKS[check]()


# ---------------------------------------------------------------------------------------------------------------------
# Quotes

ADA = ['"ada,x,1', '"ada"s,y,2', 'ad"a,z,3', '"ada,"z,4']
"""Lines of one person that break the rule of quotes: each was the line of another person."""


@pytest.mark.parametrize("rule", ["default", "drop"])
@pytest.mark.parametrize("stream", [False, True])
def test_nobody_is_known_by_a_cell_whose_quotes_do_not_enclose_it(rule: Any, stream: bool) -> None:
    table = "persons[patient : 𝕊 | visits : 𝔻𝔽[town : 𝕊, cost : 𝔻 else 0]]"
    program = duetpy.parse(f"pλ . people : {table} ⇒ dlaplace[1, 1] <people> {{ rows people }}", notion="eps").check()
    for lines in ([], ADA):
        Path("visits.csv").write_text("\n".join(["patient,town,cost", "bob,x,1", *lines, ""]), encoding="utf-8")
        options: dict[str, Any] = {"_on_bad_row": rule, "_header": "yes", "_stream": stream, "_insecure_noise": "none"}
        assert program.run(visits="visits.csv", **options).result == 1


def test_nobody_is_known_by_a_cell_behind_quotes_that_do_not_end() -> None:
    """Of `"5 inch,"ada,7` it is a guess that the second cell is 7; of `5" pipe,7,1` it is not."""
    table = "persons[patient : 𝐝 ℕ | visits : 𝔻𝔽[what : 𝕊]]"
    program = duetpy.parse(f"pλ . people : {table} ⇒ dlaplace[1, 1] <people> {{ rows people }}", notion="eps").check()
    for line, persons in (('"5 inch,"ada,7', 0), ('5" pipe,7,1', 1), ('"5 pipe",7,"x', 1)):
        Path("visits.csv").write_text(f"what,patient,paid\n{line}\n", encoding="utf-8")
        found = program.run(visits="visits.csv", _on_bad_row="default", _header="yes", _insecure_noise="none")
        assert found.result == persons, line


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("by_persons", [False, True])
def test_nobody_is_known_by_a_cell_in_a_line_of_too_many_cells_or_too_few(stream: bool, by_persons: bool) -> None:
    """Of `3 St Giles, Oxford,ada,7` it is a guess that the second cell is somebody, and of `Smith, Ada,x,7` that the first is."""
    rows = "𝔻𝔽[what : 𝕊, paid : 𝔻 else 0]"
    table = rows if by_persons else f"persons[patient : 𝕊 | xs : {rows}]"
    program = duetpy.parse(f"pλ . xs : {table} ⇒ dlaplace[1, 1] <xs> {{ rows xs }}", notion="eps")
    checked = (program.by_persons({"xs": ("patient", 5)}) if by_persons else program).check()
    options: dict[str, Any] = {"_on_bad_row": "default", "_header": "yes", "_stream": stream, "_insecure_noise": "none"}
    for header, lines, rows_known in (
        ("what,patient,paid", ["x,ada,1"], 1),
        ("what,patient,paid", ["x,bob,1", "3 St Giles, Oxford,ada,7", "ada,7", "x,ada,7,", "x"], 1),
        ("patient,what,paid", ["bob,x,1", "Smith, Ada,x,7", "ada;x;7", "ada;y;8", "ada"], 1),
    ):
        Path("x.csv").write_text("\n".join([header, *lines, ""]), encoding="utf-8")
        assert checked.run(xs="x.csv", **options).result == rows_known, lines


@pytest.mark.parametrize("rule", ["default", "drop"])
@pytest.mark.parametrize("stream", [False, True])
def test_without_a_header_too_many_cells_or_too_few_are_nobodys_as_well(rule: Any, stream: bool) -> None:
    table = "persons[patient : 𝕊 | xs : 𝔻𝔽[what : 𝕊]]"
    program = duetpy.parse(f"pλ . people : {table} ⇒ dlaplace[1, 1] <people> {{ rows people }}", notion="eps").check()
    options: dict[str, Any] = {"_on_bad_row": rule, "_header": "no", "_stream": stream, "_insecure_noise": "none"}
    for lines in (
        ["ada,x", "ada,y"],
        ["ada,x", "Smith, Ada,x", "Smyth,Ada,y", "eve;x", "eva;x"],
        ["Smith, Ada,x", "ada,x"],
    ):
        Path("x.csv").write_text("\n".join([*lines, ""]), encoding="utf-8")
        assert program.run(xs="x.csv", **options).result == 1, lines


@pytest.mark.parametrize("rule", ["default", "drop"])
def test_nobody_is_known_by_a_cell_in_a_row_of_too_many_cells_or_too_few(rule: Any) -> None:
    """Rows from Python are lists of cells, or know the names of theirs: then it is certain which one says whose the row is."""
    table = "persons[patient : 𝕊 | xs : 𝔻𝔽[what : 𝕊]]"
    program = duetpy.parse(f"pλ . people : {table} ⇒ dlaplace[1, 1] <people> {{ rows people }}", notion="eps").check()
    rows: list[Any] = [("Smith", "Ada", "x"), ["Smyth", "Ada", "y"], ["eve;x"], "eva", []]
    named = {"patient": "bob", "what": "x", "paid": 7}
    for known, some in ((0, rows), (1, [["ada", "x"], *rows]), (2, [*rows, ["ada", "x"], named])):
        assert program.run(xs=some, _on_bad_row=rule, _insecure_noise="none").result == known


@pytest.mark.parametrize("rule", ["default", "drop"])
def test_nobody_is_known_by_what_is_left_of_a_line_that_is_cut(rule: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "LONGEST_LINE", 12)
    program = duetpy.parse(
        "pλ . people : persons[patient : 𝕊 | xs : 𝔻𝔽[what : 𝕊]] ⇒ dlaplace[1, 1] <people> { rows people }", notion="eps"
    ).check()
    for line, persons in (("0123456,adam", 1), ("01234567,adam", 0), ("0123456789,adam", 0)):
        Path("x.csv").write_text(f"what,patient\n{line}\n", encoding="utf-8")
        found = program.run(xs="x.csv", _on_bad_row=rule, _header="yes", _insecure_noise="none")
        assert found.result == persons, line


def test_a_text_whose_quotes_do_not_enclose_it_is_missing_where_a_text_may_be() -> None:
    lines = 'age,town\n1,"York\n2,Yo"rk\n3,York\n'
    assert counted(MISSING, lines, _on_bad_row="default") == (0, 2, 3)
    assert refusal(MISSING, lines) == ["D0605"]
