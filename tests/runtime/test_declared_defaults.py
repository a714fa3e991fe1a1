"""``age : 𝔻 else 40``: what a bad cell counts as is declared, or the run is refused before anything is opened."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import duetpy
from duetpy.accounting.budget import parse_budget
from duetpy.diagnostics.error import DuetError
from duetpy.ledger.store import Ledger, create
from duetpy.settings import DataFile
from tests.soundness.broken.defaults import OF_COLUMNS
from tests.soundness.broken.mutant import Mutant
from tests.soundness.mutants import planted

SUM = "pλ . xs : {type} ⇒ laplace[auto, 1.0] <xs> {{ mfold-row 0, xs {{ sum, row ⇒ sum + clip[-100, 100] {cell} }} }}"


def result_of(program: str, xs: Any, rule: str = "default", **words: Any) -> Any:
    checked = duetpy.parse(program, notion="eps").check()
    return checked.run(xs=xs, _on_bad_row=rule, _insecure_noise="none", **words).result


def total(type_: str, cell: str, xs: Any, **words: Any) -> Any:
    return result_of(SUM.format(type=type_, cell=cell), xs, **words)


def codes_of(program: str, xs: Any, rule: str = "default", **words: Any) -> list[str]:
    with pytest.raises(DuetError) as refused:
        result_of(program, xs, rule, **words)
    return [found.code for found in refused.value.diagnostics]


# ---------------------------------------------------------------------------------------------------------------------
# What a bad cell counts as

COLUMNS = [
    ("𝔻 else 40", "row.a", "7", 47),
    ("𝔻 else -2.5", "row.a", "7", 4.5),
    ("ℝ else 40", "disc row.a", "7", 47),
    ("𝐝 ℕ else 3", "(disc (real row.a))", "7", 10),
    ("ℕ else 3", "(disc (real row.a))", "7", 10),
    ("𝕀[9] else 3", "(disc (real (dyn row.a)))", "7", 10),
    ("𝔹 else true", "(if row.a then 2.0 else 1.0)", "false", 3),
    ("𝔹 else false", "(if row.a then 2.0 else 1.0)", "true", 3),
]


@pytest.mark.parametrize("bad", ["?", "", '""', "1e999", "1_0", "nan"])
@pytest.mark.parametrize(("type_", "cell", "good", "wanted"), COLUMNS)
def test_a_bad_cell_of_a_file_counts_as_its_default(
    tmp_path: Path, type_: str, cell: str, good: str, wanted: float, bad: str
) -> None:
    path = tmp_path / "x.csv"
    path.write_text(f"a,s\n{good},x\n{bad},x\n", encoding="utf-8")
    assert total(f"𝔻𝔽[a : {type_}, s : 𝕊]", cell, str(path)) == wanted


@pytest.mark.parametrize("bad", [None, float("nan"), "?", -1j, 10**400])
@pytest.mark.parametrize(("type_", "cell", "good", "wanted"), COLUMNS)
def test_a_bad_cell_of_a_list_counts_as_its_default(
    type_: str, cell: str, good: str, wanted: float, bad: object
) -> None:
    value = {"7": 7, "true": True, "false": False}[good]
    assert total(f"𝔻𝔽[a : {type_}, s : 𝕊]", cell, [[value, "x"], [bad, "x"]]) == wanted


def test_an_index_beyond_its_size_counts_as_the_default() -> None:
    type_, cell = "𝔻𝔽[a : 𝕀[9] else 3, s : 𝕊]", "(disc (real (dyn row.a)))"
    assert total(type_, cell, [[7, "x"], [9, "x"], [8, "x"]]) == 18


def test_an_index_beyond_a_size_that_the_data_says_counts_as_the_default() -> None:
    program = (
        "pλ m : ℕ . xs : 𝕄 [L∞, U | m, a : 𝕀[m] else 1 ∷ b : 𝔻 else 0 ∷ []] ⇒ laplace[auto, 1.0] <xs> "
        "{ mfold-row 0, xs { sum, row ⇒ sum + clip[-100, 100] (disc (real (dyn row.a))) } }"
    )
    assert result_of(program, [[0, 0], [2, 0], [3, 0], [7, 0]], m=4) == 0 + 2 + 3 + 1


def test_columns_without_names_have_a_default_behind_their_type(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a,b\n1,?\n,4\n8\n", encoding="utf-8")
    assert total("𝕄 [L∞, U | ★, 2⋅𝔻 else 16]", "(row#[0, 0] + row#[0, 1])", str(path)) == 17 + 20 + 24


def test_columns_that_are_opened_keep_their_defaults() -> None:
    type_ = "𝕄 [L∞, U | ★, (a : 𝔻 else 1 ∷ []) ⧺ (2⋅𝔻 else 5)]"
    assert total(type_, "(row.a + row#[0, 1] + row#[0, 2])", [[None, None, 10], [2, 3, 4]]) == 16 + 9


def test_columns_that_are_counted_together_have_the_default_that_all_of_them_have() -> None:
    cell = "(row#[0, 0] + row#[0, 1] + row#[0, 2])"
    assert total("𝕄 [L∞, U | ★, (1⋅𝔻 else 5) ⧺ (2⋅𝔻 else 5)]", cell, [[None, 1, None]]) == 11
    program = SUM.format(type="𝕄 [L∞, U | ★, (1⋅𝔻 else 1) ⧺ (2⋅𝔻 else 5)]", cell=cell)
    assert codes_of(program, [[None, 1, None]]) == ["D0614"]


def test_texts_and_missing_cells_need_no_default(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(b"a,s,d\n?,\xff,1\n5,x,2\n")
    type_ = "𝔻𝔽[a : 𝔻?, s : 𝕊, d : 𝐝 𝕊]"
    assert total(type_, "(row.a or-else 20)", str(path)) == 25


def test_lines_of_persons_have_defaults_and_their_identifiers_need_none(tmp_path: Path) -> None:
    path = tmp_path / "visits.csv"
    path.write_text("id,cost\n1,5\n1,?\nx,70\n2,\n", encoding="utf-8")
    type_ = "persons[id : 𝐝 ℕ | visits : 𝔻𝔽[cost : 𝔻 else 20]]"
    paid = "clip[0, 1000] (mfold-row 0.0, p.visits { t, v ⇒ t + conv v.cost })"
    program = f"pλ . xs : {type_} ⇒ laplace[auto, 1.0] <xs> {{ mfold-row 0.0, xs {{ s, p ⇒ s + {paid} }} }}"
    assert result_of(program, str(path)) == 5 + 20 + 20
    with pytest.raises(DuetError) as refused:
        result_of(program.replace(" else 20", ""), str(path))
    assert "xs.visits.cost" in refused.value.diagnostics[0].message


@pytest.mark.parametrize(
    "cell", ["𝔻 else 1e400", "ℝ else -1e309", "𝐝 ℕ else 9007199254740992", "𝕀[9007199254740999] else 9007199254740993"]
)
def test_a_default_that_no_cell_can_have_is_refused_before_a_run(cell: str) -> None:
    program = f"pλ . xs : 𝔻𝔽[a : {cell}, s : 𝕊] ⇒ laplace[1.0, 1.0] <xs> {{ real (rows xs) }}"
    assert codes_of(program, [["?", "x"]]) == ["D0229"]


@pytest.mark.parametrize("number", ["1e308", "-1.7976931348623157e308"])
def test_the_greatest_numbers_of_cells_may_be_defaults(number: str) -> None:
    assert total(f"𝔻𝔽[a : 𝔻 else {number}, s : 𝕊]", "row.a", [["?", "x"]]) == (100 if float(number) > 0 else -100)
    assert total("𝔻𝔽[a : 𝐝 ℕ else 9007199254740991, s : 𝕊]", "(disc (real row.a))", [["?", "x"]]) == 100


@pytest.mark.parametrize(
    "type_", ["persons[id : 𝐝 ℕ else 3 | v : 𝔻𝔽[a : 𝔻]]", "persons[id : 𝕊 | v : 𝔻𝔽[a : 𝔻] else 3]"]
)
def test_an_identifier_and_a_file_have_no_default(type_: str) -> None:
    with pytest.raises(DuetError) as refused:
        duetpy.parse(f"pλ . xs : {type_} ⇒ laplace[1.0, 1.0] <xs> {{ real (rows xs) }}", notion="eps").check()
    assert [found.code for found in refused.value.diagnostics] == ["D0229"]


def test_a_record_that_may_be_missing_is_missing_where_it_is_bad() -> None:
    program = (
        "pλ . xs : record[a : 𝔻, s : 𝕊]? ⇒ laplace[auto, 1.0] <xs> "
        "{ case xs { some r ⇒ clip[0, 100] r.a ; none ⇒ 50 } }"
    )
    assert result_of(program, [["?", "x"]]) == 50
    assert result_of(program, [[7, "x"]]) == 7


def test_records_in_cells_have_the_defaults_of_their_fields() -> None:
    type_ = "𝕄 [L∞, U | ★, r : record[a : 𝔻 else 8, s : 𝕊] ∷ b : 𝔻 else 1 ∷ []]"
    assert total(type_, "(row.r.a + row.b)", [[None, "x", 4], [2, "x", None]]) == 12 + 3


def test_a_default_is_for_this_rule_alone(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a\n1\n?\n", encoding="utf-8")
    program = SUM.format(type="𝔻𝔽[a : 𝔻 else 40]", cell="row.a")
    assert codes_of(program, str(path), "refuse") == ["D0604"]
    assert result_of(program, str(path), "drop") == 1


def test_one_line_changes_one_record(tmp_path: Path) -> None:
    """Whatever a line holds, it is one record: its own cells, or the defaults."""
    type_, path = "𝔻𝔽[a : 𝔻 else 40, s : 𝕊]", tmp_path / "x.csv"
    for line in ("?", "", '"', "1,2,3,4", ",", "é,é", '"7,x', "\t"):
        path.write_bytes(b"a,s\n1,x\n" + line.encode() + b"\n2,x\n")
        found = total(type_, "row.a", str(path))
        assert found in (1 + 40 + 2, 1 + 1 + 2), line


# ---------------------------------------------------------------------------------------------------------------------
# Refusals

UNDECLARED = [
    "𝔻𝔽[a : 𝔻, s : 𝕊]",
    "𝔻𝔽[a : 𝔻?, b : 𝐝 ℕ]",
    "𝔻𝔽[a : 𝔻 else 0, b : 𝔹]",
    "𝔻𝔽[a : 𝔻 else 0, b : ℝ]",
    "𝔻𝔽[a : 𝔻 else 0, b : ℕ]",
    "𝔻𝔽[a : 𝔻 else 0, b : 𝐝 𝕀[3]]",
    "𝕄 [L∞, U | ★, 2⋅𝔻]",
    "𝕄 [L∞, U | 3, 2⋅𝔻]",
    "bag 𝔻",
    "bag (𝔻 × 𝕊)",
    "bag record[a : 𝔻, b : 𝕊]",
    "persons[id : 𝐝 ℕ | visits : 𝔻𝔽[s : 𝕊, cost : 𝔻]]",
    "℘(𝐝 ℕ)",
    "℘(𝕊 × ℕ)",
    "𝕄 [L∞, U | ★, 1⋅𝔻 else 0] × 𝕄 [L∞, U | ★, 1⋅𝔻]",
]

SEEN = {
    "𝕄 [L∞, U | 3, 2⋅𝔻]": "xs#[0, 1]",
    "℘(𝐝 ℕ)": "if disc 3 ∈ xs then 1.0 else 0.0",
    "℘(𝕊 × ℕ)": 'if ⟨"x", 3⟩ ∈ xs then 1.0 else 0.0',
    "𝕄 [L∞, U | ★, 1⋅𝔻 else 0] × 𝕄 [L∞, U | ★, 1⋅𝔻]": "real (rows (fst xs))",
}
"""What a program looks at, where that is not the number of rows."""


@pytest.mark.parametrize("type_", UNDECLARED)
def test_a_column_that_declares_nothing_is_refused_before_its_file_is_opened(tmp_path: Path, type_: str) -> None:
    program = (
        f"pλ . xs : {type_} ⇒ laplace[1.0, 1.0] <xs> {{ clip[0, 1] (disc ({SEEN.get(type_, 'real (rows xs)')})) }}"
    )
    nowhere = str(tmp_path / "nowhere.csv")
    is_pair = type_ in SEEN and "fst" in SEEN[type_]
    data = (nowhere, nowhere) if is_pair else DataFile(nowhere) if "℘" in type_ else nowhere
    assert set(codes_of(program, data)) == {"D0614"}


def test_every_column_that_declares_nothing_is_named() -> None:
    program = SUM.format(type="𝔻𝔽[a : 𝔻, b : 𝔹, c : 𝔻 else 1, d : 𝕊]", cell="row.a")
    with pytest.raises(DuetError) as refused:
        result_of(program, [[1, True, 2, "x"]])
    messages = [f"{found.message} {found.help}" for found in refused.value.diagnostics]
    assert ["xs.a" in messages[0], "a : 𝔻 else 0" in messages[0], "b : 𝔹 else false" in messages[1]] == [True] * 3
    assert len(messages) == 2


def test_no_ledger_is_touched(tmp_path: Path) -> None:
    program, rows = SUM.format(type="𝔻𝔽[a : 𝔻]", cell="row.a"), [[1.0], [2.0]]
    checked = duetpy.parse(program, notion="eps").check()
    path = tmp_path / "l.sqlite"
    create(path, parse_budget("epsilon=9"), "people")
    before = path.read_bytes()
    for ledger in (path, tmp_path / "nowhere.sqlite"):
        with pytest.raises(DuetError) as refused:
            checked.run(xs=rows, _on_bad_row="default", _ledger=ledger)
        assert [found.code for found in refused.value.diagnostics] == ["D0614"]
    assert path.read_bytes() == before
    assert Ledger(path).state().entries == ()


def test_a_default_is_part_of_what_a_ledger_charges(tmp_path: Path) -> None:
    """A program with another default releases another number, and is another program."""
    path, rows = tmp_path / "l.sqlite", [[1.0], [None]]
    create(path, parse_budget("epsilon=9"), "people")
    spent = []
    for default in ("40", "40", "0", "40"):
        program = SUM.format(type=f"𝔻𝔽[a : 𝔻 else {default}]", cell="row.a")
        release = duetpy.parse(program, notion="eps").check().run(xs=rows, _on_bad_row="default", _ledger=path)
        assert release.ledger is not None
        spent.append(release.ledger["replayed"])
    assert spent == [False, True, False, True]


def test_public_tables_need_no_default() -> None:
    """What they hold is known to everyone, and a bad cell of theirs stops the run under every rule."""
    program = (
        "pλ . xs : 𝔻𝔽[a : 𝔻 else 1], bounds : 𝕄 [L∞, U | 1, 2⋅ℝ] ⇒ total ← laplace[auto, 1.0] <xs> "
        "{ mfold-row 0, xs { sum, row ⇒ sum + clip[0, 9] row.a } } ; return total + bounds#[0, 1]"
    )
    assert result_of(program, [[None], [2]], bounds=duetpy.public([[0.5, 0.25]])) == 3.25


# ---------------------------------------------------------------------------------------------------------------------
# What is wrong is found


def takes_defaults() -> None:
    assert total("𝔻𝔽[a : 𝔻 else 40, b : 𝔹 else true]", "row.a", [[1, True], [None, True]]) == 41
    assert total("𝔻𝔽[a : 𝔻 else 0, b : 𝔹 else true]", "(if row.b then 2.0 else 1.0)", [[1, None]]) == 2


@contextmanager
def suppress_refusal(codes: list[str]) -> Iterator[None]:
    """Put the codes of a refusal in the list."""
    try:
        yield
    except DuetError as error:
        codes[:] = [found.code for found in error.diagnostics]


def names_columns() -> None:
    for type_ in ("𝔻𝔽[a : 𝔻 else 0, b : 𝔹]", "𝕄 [L∞, U | ★, (1⋅𝔻 else 1) ⧺ (2⋅𝔻 else 5)]"):
        program = f"pλ . xs : {type_} ⇒ laplace[1.0, 1.0] <xs> {{ real (rows xs) }}"
        checked = duetpy.parse(program, notion="eps").check()
        codes = ["none"]
        with suppress_refusal(codes):
            checked.run(xs=[], _on_bad_row="default", _insecure_noise="none")
        assert codes == ["D0614"], type_


CHECKS: dict[str, Callable[[], None]] = {
    "taken": takes_defaults,
    "declared": names_columns,
}


@pytest.mark.parametrize("check", CHECKS)
def test_a_check_holds(check: str) -> None:
    CHECKS[check]()


@pytest.mark.parametrize("mutant", OF_COLUMNS, ids=lambda mutant: mutant.name)
def test_what_is_wrong_with_defaults_is_found(mutant: Mutant) -> None:
    (check,) = mutant.rules
    with planted(mutant), pytest.raises(AssertionError):
        CHECKS[check]()


# ---------------------------------------------------------------------------------------------------------------------
# What a default is not


def test_a_default_is_no_part_of_a_type() -> None:
    program = (
        "let f = sλ t : 𝔻𝔽[a : 𝔻] ⇒ mfold-row 0, t { sum, row ⇒ sum + clip[0, 100] row.a } in "
        "let g = sλ t : 𝔻𝔽[a : 𝔻 else 99] ⇒ f t in "
        "pλ . xs : 𝔻𝔽[a : 𝔻 else 40] ⇒ laplace[auto, 1.0] <xs> { if true then f xs else g xs }"
    )
    assert result_of(program, [[1.0], [None]]) == 41


@pytest.mark.parametrize(
    ("type_", "code"),
    [
        ("𝔻 else true", "D0229"),
        ("𝔹 else 1", "D0229"),
        ("𝐝 ℕ else 1.5", "D0229"),
        ("𝐝 ℕ else -1", "D0229"),
        ("𝕊 else 1", "D0229"),
        ("𝔻? else 1", "D0229"),
        ("ℝ⁺[0.5] else 1", "D0229"),
        ("𝕀[3] else 3", "D0501"),
    ],
)
def test_a_default_is_a_value_of_its_column(type_: str, code: str) -> None:
    program = f"pλ . xs : 𝔻𝔽[a : {type_}, s : 𝕊] ⇒ laplace[1.0, 1.0] <xs> {{ real (rows xs) }}"
    with pytest.raises(DuetError) as refused:
        duetpy.parse(program, notion="eps").check()
    assert [found.code for found in refused.value.diagnostics] == [code]
