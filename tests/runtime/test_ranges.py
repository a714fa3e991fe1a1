"""``age : 𝔻 in [18, 120]``: a cell outside of the range is refused, counts as the nearest end or leaves its row out, whatever it is
read from."""

import datetime
import sys
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

import duetpy
from duetpy.diagnostics.error import DuetError
from duetpy.runtime.sources import registry
from tests.soundness.broken.cells_in_ranges import OF_RANGES
from tests.soundness.broken.mutant import Mutant
from tests.soundness.mutants import planted

SUM = "pλ . xs : {type} ⇒ laplace[auto, 1.0] <xs> {{ mfold-row 0.0, xs {{ sum, row ⇒ sum + conv {cell} }} }}"
AGES = SUM.format(type="𝔻𝔽[age : 𝔻 in [18, 120] else 40]", cell="row.age")
OPTIONAL = SUM.format(type="𝔻𝔽[age : 𝔻? in [18, 120]]", cell="(row.age or-else 50)")

GIVEN, REFUSED, COUNTED, DROPPED = [17.0, 20.0, 130.0], ["D0604"], 18 + 20 + 120, 20


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(registry, "_REGISTERED", {})


def result_of(program: str, rule: str = "refuse", **words: Any) -> Any:
    checked = duetpy.parse(program, notion="eps").check()
    return checked.run(_on_bad_row=rule, _insecure_noise="none", **words).result


def outcome(program: str, rule: str, **words: Any) -> Any:
    """What a program releases, or the codes of what is refused."""
    try:
        return result_of(program, rule, **words)
    except DuetError as refused:
        return sorted({each.code for each in refused.diagnostics})


def outcomes(program: str, xs: Any, **words: Any) -> list[Any]:
    return [outcome(program, rule, xs=xs, **words) for rule in ("refuse", "default", "drop")]


# ---------------------------------------------------------------------------------------------------------------------
# Where tables come from


def in_lines(ages: list[float]) -> str:
    Path("xs.csv").write_text("age\n" + "".join(f"{age:g}\n" for age in ages), encoding="utf-8")
    return "xs.csv"


def in_quotes(ages: list[float]) -> str:
    Path("xs.tsv").write_text("no\tage\n" + "".join(f'"a\t""b"\t"{age:g}"\n' for age in ages), encoding="utf-8")
    return "xs.tsv"


def frame_of(ages: list[float]) -> pa.Table:
    return pa.table({"age": pa.array(ages)})


def in_parquet(ages: list[float]) -> str:
    pa.parquet.write_table(frame_of(ages), "xs.parquet")
    return "xs.parquet"


def in_arrow(ages: list[float]) -> str:
    pyarrow.feather.write_feather(frame_of(ages), "xs.arrow", compression="uncompressed")
    return "xs.arrow"


def in_numpy(ages: list[float]) -> str:
    np.savez("xs.npz", age=np.array(ages))
    return "xs.npz"


def in_duckdb(ages: list[float]) -> str:
    Path("xs.duckdb").unlink(missing_ok=True)
    with import_module("duckdb").connect("xs.duckdb") as made:
        made.register("given", frame_of(ages))
        made.execute("CREATE TABLE t AS SELECT * FROM given")
    return "duckdb:xs.duckdb?table=t"


def as_query(ages: list[float]) -> str:
    in_parquet([2 * age for age in ages])
    return "sql:SELECT age / 2 AS age FROM read_parquet('xs.parquet')"


class People:
    """A source of somebody's own."""

    schema: ClassVar[dict[str, str]] = {"age": "number"}
    rows = None
    identity = "people"

    def __init__(self, ages: list[float]) -> None:
        self.ages = ages

    def blocks(self, columns: Any) -> Any:
        yield self

    def read(self) -> dict[str, list[float]]:
        return {"age": self.ages}


SOURCES: list[Callable[[list[float]], Any]] = [
    in_lines,
    in_quotes,
    in_parquet,
    in_arrow,
    in_numpy,
    in_duckdb,
    as_query,
    People,
    frame_of,
    lambda ages: [[age] for age in ages],
    lambda ages: {"age": ages},
    lambda ages: np.array(ages),
    lambda ages: np.array(ages, dtype=np.float32),
    lambda ages: np.array(ages, dtype=np.int64),
    lambda ages: np.array([Fraction(age) for age in ages], dtype=object),
    lambda ages: np.ma.MaskedArray(ages, mask=[False] * len(ages)),
    lambda ages: {"age": [Decimal(age) for age in ages]},
    lambda ages: pd.DataFrame({"age": ages}),
    lambda ages: pd.DataFrame({"age": ages}).convert_dtypes(),
    lambda ages: pytest.importorskip("polars").DataFrame({"age": ages}),
]


@pytest.mark.parametrize("source", SOURCES)
def test_cells_are_held_to_their_range_whatever_they_are_read_from(source: Callable[[list[float]], Any]) -> None:
    for program in (AGES, OPTIONAL):
        assert outcomes(program, source(GIVEN)) == [REFUSED, COUNTED, DROPPED]
        assert outcomes(program, source([18.0, 20.0, 120.0])) == [COUNTED] * 3


@pytest.mark.parametrize("source", [in_lines, in_quotes, in_parquet, in_arrow])
def test_cells_that_are_read_in_passes_are_held_to_their_range(source: Callable[[list[float]], Any]) -> None:
    assert outcomes(AGES, source(GIVEN), _stream=True) == [REFUSED, COUNTED, DROPPED]
    assert outcomes(OPTIONAL, source(GIVEN), _stream=True) == [REFUSED, COUNTED, DROPPED]


def test_cells_of_a_regular_block_are_those_of_its_lines() -> None:
    """Many lines take the quick way, and one irregular line makes all of its block take the other."""
    ages = [17.0, 20.0, 130.0, 18.0, 119.5] * 400
    for program in (AGES, OPTIONAL):
        quick = outcomes(program, in_lines(ages))
        with Path("xs.csv").open("a", encoding="utf-8") as lines:
            lines.write('"1""9"\n')
        odd = outcomes(program, "xs.csv")
        assert quick == [REFUSED, 400 * (18 + 20 + 120 + 18 + 119.5), 400 * (20 + 18 + 119.5)]
        assert odd == [REFUSED, quick[1] + (40 if program is AGES else 50), quick[2]]


def test_a_bad_cell_counts_as_the_default_and_a_number_outside_as_the_nearest_end() -> None:
    Path("xs.csv").write_text("age,s\n" + "".join(f"{cell},x\n" for cell in ["?", "", "-5", "1e300", "nan", "30"]))
    typed = SUM.format(type="𝔻𝔽[age : 𝔻 in [18, 120] else 40, s : 𝕊]", cell="row.age")
    assert outcomes(typed, "xs.csv") == [REFUSED, 40 + 40 + 18 + 120 + 40 + 30, 30]
    optional = SUM.format(type="𝔻𝔽[age : 𝔻? in [18, 120], s : 𝕊]", cell="(row.age or-else 50)")
    assert outcomes(optional, "xs.csv") == [REFUSED, 50 + 50 + 18 + 120 + 50 + 30, 50 + 30]


def test_what_is_refused_names_the_place_and_not_the_cell() -> None:
    with pytest.raises(DuetError) as refused:
        result_of(AGES, xs=in_lines([17.0, 20.0, 130.0]))
    (said,) = refused.value.diagnostics
    assert said.message == "2 bad cells (lines 2, 4): not a number in [18, 120]"
    assert "17" not in str(refused.value)
    assert "130" not in str(refused.value)
    assert said.help is not None
    assert "counts as its nearest end" in said.help


def test_an_end_that_is_no_double_holds_the_cell_that_says_it() -> None:
    program = SUM.format(type="𝔻𝔽[rate : 𝔻 in [0.1, 0.3] else 0.2]", cell="row.rate")
    Path("xs.csv").write_text("rate\n0.1\n0.3\n0.30000000000000004\n0.09999999999999999\n", encoding="utf-8")
    assert outcomes(program, "xs.csv")[0] == REFUSED
    assert duetpy.evaluate("sλ xs : 𝔻𝔽[rate : 𝔻 in [0.1, 0.3]] ⇒ xs", xs=[[0.1], [0.3]]) == [[0.1], [0.3]]


def test_columns_without_a_name_and_cells_with_parts_have_ranges_too() -> None:
    wide = SUM.format(type="𝕄 [L∞, U | ★, 2⋅𝔻 in [0, 10] else 5]", cell="row#[0, 1]")
    assert outcomes(wide, [[1, 11], [-1, 3], [2, 4]]) == [REFUSED, 10 + 3 + 4, 4]
    fixed = SUM.format(type="𝕄 [L∞, U | m, 2⋅𝔻 in [0, 10] else 5]", cell="row#[0, 1]")
    assert outcomes(fixed, [[1, 11], [-1, 3], [2, 4]])[:2] == [REFUSED, 17]
    pairs = "sλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅(𝔻 in [0, 1] × 𝔻)] ⇒ xs"
    assert duetpy.evaluate(pairs, xs=[[0.5, 7]]) == [[(0.5, 7)]]
    with pytest.raises(DuetError):
        duetpy.evaluate(pairs, xs=[[1.5, 7]])


def test_rows_of_persons_have_ranges_too() -> None:
    program = (
        "pλ . people : persons[who : 𝕊 | visits : 𝔻𝔽[cost : 𝔻 in [0, 100] else 50]] ⇒ laplace[auto, 1.0] <people> { "
        "mfold-row 0.0, people { s, p ⇒ s + clip[0, 1000] (mfold-row (disc 0.0), p.visits { t, v ⇒ t + v.cost }) } }"
    )
    lines = {"visits": [{"who": "a", "cost": 101}, {"who": "a", "cost": 7}, {"who": "b", "cost": -1}]}
    found = [outcome(program, rule, people=lines) for rule in ("refuse", "default", "drop")]
    assert found == [REFUSED, 107, 7]


@pytest.mark.parametrize("norm", ["L1", "L2", "L∞"])
def test_a_row_that_is_brought_within_its_length_stays_in_its_ranges(norm: str) -> None:
    """It moves closer to 0, so that a range that leaves out 0 is refused."""
    long = "pλ . xs : 𝕄 [L∞, {norm}≤1 | m, 2⋅𝔻 in {ends} else {cell}] ⇒ laplace[auto, 1.0] <xs> {{ conv xs#[0, 0] }}"
    for ends, cell, given, kept in [("[0, 5]", 0, 3, 1), ("[-5, 0]", 0, -3, -1), ("[-0.5, 0.5]", 0, 3, 0.5)]:
        found = outcome(long.format(norm=norm, ends=ends, cell=cell), "default", xs=[[given, 0]])
        assert found == kept
    for ends in ("[2, 5]", "[-5, -2]", "[0.5, 0.75]"):
        low = float(ends[1:-1].split(",")[0])
        program = long.format(norm=norm, ends=ends, cell=low)
        for rule in ("refuse", "default"):
            assert outcome(program, rule, xs=[[low, low]]) == ["D0611"]


# ---------------------------------------------------------------------------------------------------------------------
# Values that are not cells

SINGLE = "pλ . x : {type} ⇒ laplace[auto, 1.0] <x> {{ conv {cell} }}"


@pytest.mark.parametrize(
    ("given", "wanted"),
    [(17, 18), (20, 20), (130, 120), (18.0, 18), (Fraction(241, 2), 120), (float("inf"), 18), ("x", 18), (None, 18)],
)
def test_a_single_number_is_held_to_its_range(given: Any, wanted: float) -> None:
    program = SINGLE.format(type="𝔻 in [18, 120]", cell="x")
    is_good = given in (20, 18.0)
    assert outcome(program, "default", x=given) == wanted
    assert outcome(program, "refuse", x=given) == (wanted if is_good else ["D0611"])


def test_a_single_number_that_may_be_missing_is_held_to_its_range() -> None:
    program = SINGLE.format(type="𝔻? in [18, 120]", cell="(x or-else 50)")
    found = [outcome(program, "default", x=given) for given in (17, 130, 30, None, "x")]
    assert found == [18, 120, 30, 50, 50]
    assert [outcome(program, "refuse", x=given) for given in (17, 130, None)] == [["D0611"], ["D0611"], 50]


def test_pairs_sides_and_sets_hold_numbers_in_ranges() -> None:
    pair = "sλ x : 𝔻 in [0, 1] × 𝔻 ⇒ let ⟨a, b⟩ = x in conv a"
    assert duetpy.evaluate(pair, x=(1, 5)) == 1
    side = "sλ x : 𝔻 in [0, 1] + 𝔹 ⇒ case x { inl a ⇒ conv a ; inr b ⇒ 0.5 }"
    assert duetpy.evaluate(side, x=("inl", 0.25)) == 0.25
    element = "sλ x : ℘(𝔻 in [0, 1]) ⇒ 0.5 ∈ x"
    assert duetpy.evaluate(element, x=[0.5, 1]) is True
    for text, bad in ((pair, (2, 5)), (side, ("inl", 2)), (element, [0.5, 2])):
        with pytest.raises(DuetError) as refused:
            duetpy.evaluate(text, x=bad)
        assert [each.code for each in refused.value.diagnostics] == ["D0611"]


def test_what_is_no_number_is_in_no_range() -> None:
    for given in (float("nan"), None, "x", True + 0j, datetime.date(2024, 1, 1)):
        with pytest.raises(DuetError):
            duetpy.evaluate("sλ x : 𝔻 in [0, 1] ⇒ conv x", x=given)


@pytest.mark.parametrize("rule", ["refuse", "default", "drop"])
def test_public_numbers_outside_of_their_range_are_refused_whatever_becomes_of_bad_rows(rule: str) -> None:
    """The range bounds a factor, though the number costs nothing."""
    number = "pλ xs : 𝔻𝔽[a : 𝔻 else 0], y : 𝔻 in [1, 2] ⇒ laplace[2, 1.0] <xs> { real (rows xs) ⋅ conv y }"
    cell = (
        "pλ xs : 𝔻𝔽[a : 𝔻 else 0], ys : 𝕄 [L∞, U | k, b : 𝔻 in [1, 2] ∷ []] ⇒ "
        "laplace[2, 1.0] <xs> { real (rows xs) ⋅ conv ys#[0, 0] }"
    )
    xs = [[1.0], [2.0]]
    assert outcome(number, rule, xs=xs, y=duetpy.public(1.5)) == 3
    assert outcome(number, rule, xs=xs, y=duetpy.public(100)) == ["D0611"]
    assert outcome(cell, rule, xs=xs, ys=duetpy.public([[1.5], [2]])) == 3
    assert outcome(cell, rule, xs=xs, ys=duetpy.public([[100], [2]])) == ["D0604"]


@pytest.fixture
def foreign() -> Any:
    made = ModuleType("foreign_in_ranges")
    sys.modules[made.__name__] = made
    yield made
    del sys.modules[made.__name__]


def test_foreign_code_is_held_to_the_range_of_its_result(foreign: ModuleType) -> None:
    program = (
        "pλ . xs : 𝔻𝔽[a : 𝔻 else 0] ⇒ laplace[auto, 1.0] <xs> { mfold-row 0.0, xs { s, r ⇒ "
        's + conv ((opaque "foreign_in_ranges:f" : 𝔻 ⊸ 𝔻 in [18, 120]) r.a) } }'
    )
    vars(foreign)["f"] = lambda a: a
    trust: dict[str, Any] = {"_trust": ("foreign_in_ranges",)}
    assert outcome(program, "refuse", xs=[[20.0], [30.0]], **trust) == 50
    assert outcome(program, "refuse", xs=[[20.0], [17.0]], **trust) == ["D0712"]
    assert outcome(program, "default", xs=[[20.0], [300.0]], **trust) == 38
    table = 'sλ xs : 𝔻𝔽[a : 𝔻] ⇒ (opaque "foreign_in_ranges:f" : 𝔻𝔽[a : 𝔻] ⊸ 𝕄 [L∞, U | 1, a : 𝔻 in [18, 120] ∷ []]) xs'
    vars(foreign)["f"] = lambda rows: [[len(rows)]]
    with pytest.raises(DuetError) as refused:
        duetpy.evaluate(table, xs=[[1.0]], **trust)
    assert [each.code for each in refused.value.diagnostics] == ["D0712"]
    assert duetpy.evaluate(table, xs=[[1.0]] * 20, **trust) == [[20.0]]


# ---------------------------------------------------------------------------------------------------------------------
# What is declared


@pytest.mark.parametrize(
    ("type_", "code"),
    [
        ("𝔻 in [18, 120] else 12", "D0229"),
        ("𝔻 in [18, 120] else true", "D0229"),
        ("𝔻? in [18, 120] else 20", "D0229"),
        ("𝔻 in [120, 18]", "D0222"),
        ("𝔻 in [0, ∞]", "D0222"),
        ("𝔻 in [0, m]", "D0222"),
        ("𝔻 in [0, 1 / 3]", "D0222"),
        ("𝔻 in [0, 1e309]", "D0222"),
        ("𝐝 ℕ in [0, 1]", "D0222"),
        ("ℝ in [0, 1]", "D0222"),
        ("𝕊 in [0, 1]", "D0222"),
        ("(𝔻 in [0, 3]) in [0, 1]", "D0222"),
    ],
)
def test_a_range_is_of_numbers_and_holds_the_default(type_: str, code: str) -> None:
    program = f"sλ m : ℕ . xs : 𝕄 [L∞, U | m, a : {type_} ∷ []] ⇒ rows xs"
    with pytest.raises(DuetError) as refused:
        duetpy.parse(program, notion="eps").check()
    assert [each.code for each in refused.value.diagnostics] == [code]


def test_a_range_is_no_default() -> None:
    program = SUM.format(type="𝔻𝔽[age : 𝔻 in [18, 120]]", cell="row.age")
    with pytest.raises(DuetError) as refused:
        result_of(program, "default", xs=GIVEN)
    (said,) = refused.value.diagnostics
    assert said.code == "D0614"
    assert said.help is not None
    assert "`age : 𝔻 in [18, 120] else 18`, or that it is missing, `age : 𝔻? in [18, 120]`" in said.help


def test_a_wider_column_does_not_fit_a_function_of_a_range() -> None:
    asked = "let f = sλ t : 𝔻𝔽[a : 𝔻 in [0, 9]] ⇒ mfold-row 0.0, t { s, r ⇒ s + conv r.a } in "
    for type_, fits in [("𝔻 in [0, 9]", True), ("𝔻 in [1, 9]", True), ("𝔻 in [0, 10]", False), ("𝔻", False)]:
        program = f"{asked}pλ . xs : 𝔻𝔽[a : {type_}] ⇒ laplace[auto, 1.0] <xs> {{ f xs }}"
        checked, _ = duetpy.parse(program, notion="eps").try_check()
        assert (checked is not None) is fits


# ---------------------------------------------------------------------------------------------------------------------
# What is wrong with them


def _blocks() -> None:
    for program in (AGES, OPTIONAL):
        assert outcomes(program, in_lines(GIVEN)) == [REFUSED, COUNTED, DROPPED]


def _headers() -> None:
    Path("xs.csv").write_text("130\n20\n", encoding="utf-8")
    wide = SUM.format(type="𝕄 [L∞, U | ★, 1⋅𝔻 in [18, 120] else 40]", cell="row#[0, 0]")
    assert outcomes(wide, "xs.csv") == [REFUSED, 140, 20]


def _values() -> None:
    test_a_single_number_is_held_to_its_range(17, 18)
    test_a_single_number_that_may_be_missing_is_held_to_its_range()


def _foreign() -> None:
    made = ModuleType("foreign_in_ranges")
    sys.modules[made.__name__] = made
    try:
        test_foreign_code_is_held_to_the_range_of_its_result(made)
    finally:
        del sys.modules[made.__name__]


def _declared() -> None:
    test_a_range_is_no_default()
    found, _ = duetpy.parse(AGES.replace("else 40", "else 12"), notion="eps").try_check()
    assert found is None


def _blanks() -> None:
    Path("xs.csv").write_text("age\n20\n\n30\n", encoding="utf-8")
    typed = "sλ xs : 𝔻𝔽[age : 𝔻? in [18, 120]] ⇒ mfold-row 0.0, xs { s, r ⇒ s + conv (r.age or-else 18) }"
    assert duetpy.evaluate(typed, xs=[[None], [20.0]]) == 38
    assert outcomes(AGES, in_lines([1.0, 500.0]))[1] == 138


CHECKS: dict[str, Callable[[], None]] = {
    "lines": test_a_bad_cell_counts_as_the_default_and_a_number_outside_as_the_nearest_end,
    "blocks": _blocks,
    "arrays": lambda: test_cells_are_held_to_their_range_whatever_they_are_read_from(lambda ages: np.array(ages)),
    "objects": lambda: test_cells_are_held_to_their_range_whatever_they_are_read_from(lambda ages: {"age": ages}),
    "blanks": _blanks,
    "headers": _headers,
    "values": _values,
    "foreign": _foreign,
    "declared": _declared,
    "lengths": lambda: test_a_row_that_is_brought_within_its_length_stays_in_its_ranges("L2"),
}


@pytest.mark.parametrize("check", CHECKS)
def test_a_check_holds(check: str) -> None:
    CHECKS[check]()


@pytest.mark.parametrize("mutant", OF_RANGES, ids=lambda mutant: mutant.name)
def test_what_is_wrong_with_ranges_is_found(mutant: Mutant) -> None:
    (check,) = mutant.rules
    with planted(mutant), pytest.raises((AssertionError, DuetError)):
        CHECKS[check]()
