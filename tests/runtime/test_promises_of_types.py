"""What a type says of a value is verified wherever the type stands: in a pair, in a sum, in a set, in a cell."""

import math
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import duetpy
from duetpy import DuetError
from duetpy.runtime.release import run as run_module
from tests.runtime.runs import go, refused

CLIPPED = "𝕄 [L2, L2 | m, n⋅𝔻 else 0]"
TOTAL = """pλ m : ℕ, n : ℕ . p : {1} ⇒ mgauss[auto, 1.0, 1e-6] <p> {{
    mfold-row (mcreate[L2 | ℕ[1], cols ({0})] {{ i, j ⇒ 0.0 }}), (mconv ({0})) {{ s, r ⇒ mmap s, r {{ a, b ⇒ a + b }} }} }}"""
LONG = np.array([[3.0, 4.0], [0.3, 0.4]])
SIZES = {"m": 2, "n": 2}


def released(text: str, notion: str = "approx", **given: Any) -> Any:
    return duetpy.parse(text, notion).check().run(_insecure_noise="none", **given).result


def refusal(text: str, notion: str = "approx", **given: Any) -> list[str]:
    with pytest.raises(DuetError) as caught:
        released(text, notion, **given)
    return sorted({diagnostic.code for diagnostic in caught.value.diagnostics})


@pytest.mark.parametrize("pair", ["×", "&"])
def test_rows_of_a_table_in_a_pair_are_within_their_bound(pair: str) -> None:
    text = TOTAL.format("fst p", f"{CLIPPED} {pair} ℝ")
    assert refusal(text, p=(LONG, 1.0), **SIZES) == ["D0613"]
    assert released(text, p=(LONG, 1.0), _on_bad_row="default", **SIZES) == [[pytest.approx(0.9), pytest.approx(1.2)]]
    assert released(text, p=(LONG / 10, 1.0), **SIZES) == [[pytest.approx(0.33), pytest.approx(0.44)]]


def test_rows_that_nothing_holds_to_their_bound_move_a_total_without_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """The control of the test above: the total of two rows of which each is promised to be at most 1 long."""
    monkeypatch.setattr(run_module, "verify", lambda value, *_: value)
    assert released(TOTAL.format("fst p", f"{CLIPPED} × ℝ"), p=(LONG * 1e6, 1.0), **SIZES) == [[3.3e6, 4.4e6]]


def test_a_table_in_a_sum_has_the_size_of_its_type() -> None:
    text = """pλ m : ℕ . p : 𝕄 [L∞, U | m, 2⋅𝔻 else 0] + ℝ ⇒
        laplace[auto, 1.0] <p> { case p { inl x ⇒ real (rows x) ; inr y ⇒ 0.0 } }"""
    assert refusal(text, "eps", p=("inl", LONG), m=100) == ["D0612"]
    assert released(text, "eps", p=("inl", LONG), m=2) == 2.0


def test_two_tables_of_one_size_in_a_pair_have_one_size() -> None:
    table = "𝕄 [L∞, U | m, 2⋅𝔻 else 0]"
    text = f"pλ m : ℕ . p : {table} × {table} ⇒ laplace[auto, 1.0] <p> {{ clip (snd p)#[0, 0] }}"
    assert refusal(text, "eps", p=(LONG, np.ones((5, 2))), m=2) == ["D0612"]
    assert released(text, "eps", p=(LONG, np.ones((2, 2))), m=2) == 1.0


def test_indices_in_a_table_in_a_pair_lie_below_a_size_that_another_table_says() -> None:
    text = """pλ n : ℕ . p : 𝕄 [L∞, U | 1, 1⋅𝕀[n] else 0] × ℝ, xs : 𝕄 [L∞, U | n, 1⋅𝔻 else 0] ⇒
        laplace[auto, 1.0] <p> { real ((fst p)#[0, 0]) }"""
    table = np.ones((3, 1))
    assert refusal(text, "eps", p=([[7]], 1.0), xs=table) == ["D0604"]
    assert released(text, "eps", p=([[2]], 1.0), xs=table) == 2.0
    assert released(text, "eps", p=([[7]], 1.0), xs=table, _on_bad_row="default") == 0.0


@pytest.mark.parametrize("cell", ["{} × 𝔻", "𝔻 × {}", "{}"])
def test_records_in_cells_whose_length_is_promised_are_refused(cell: str) -> None:
    held = cell.format("𝕄 [L2, L2 | 1, a : 𝔻 else 0 ∷ b : 𝔻 else 0 ∷ []]")
    text = f"""pλ m : ℕ . xs : 𝕄 [L∞, U | m, q : ({held}) ∷ []] ⇒
        laplace[auto, 1.0] <xs> {{ real (rows (mfilter xs {{ row ⇒ true }})) }}"""
    assert refusal(text, "eps", xs=np.ones((2, 3 if "×" in cell else 2))) == ["D0611"]
    free = text.replace("L2, L2 |", "L2, U |")
    assert released(free, "eps", xs=np.ones((2, 3 if "×" in cell else 2))) == 2.0


def test_elements_of_a_set_from_a_file_are_of_its_type(tmp_path: Path) -> None:
    file = tmp_path / "set.csv"
    file.write_text("7\n1\n", encoding="utf-8")
    xs = np.ones((2, 3))
    body = "laplace[auto, 1.0] <xs> { clip xs#[0, 0] }"
    indices = f"pλ m : ℕ, n : ℕ . s : ℘(𝕀[n]), xs : 𝕄 [L∞, U | m, n⋅𝔻 else 0] ⇒ {body}"
    numbers = f"pλ m : ℕ, n : ℕ . s : ℘(ℕ[3]), xs : 𝕄 [L∞, U | m, n⋅𝔻 else 0] ⇒ {body}"
    assert refusal(indices, "eps", s=f"@{file}", xs=xs) == ["D0611"]
    assert refusal(numbers, "eps", s=f"@{file}", xs=xs) == ["D0611"]
    file.write_text("3\n1\n", encoding="utf-8")
    assert refusal(indices, "eps", s=f"@{file}", xs=xs) == ["D0611"]
    file.write_text("2\n1\n", encoding="utf-8")
    assert released(indices, "eps", s=f"@{file}", xs=xs) == 1.0
    file.write_text("3\n3\n", encoding="utf-8")
    assert released(numbers, "eps", s=f"@{file}", xs=xs) == 1.0


def test_a_public_table_is_held_to_its_type_whatever_becomes_of_bad_rows() -> None:
    text = """pλ n : ℕ . bs : 𝕄 [L2, L2 | 1, n⋅ℝ else 0], xs : 𝕄 [L∞, U | n, 1⋅𝔻 else 0] ⇒
        laplace[auto, 1.0] <xs> { clip xs#[0, 0] }"""
    given = {"bs": duetpy.public([[3.0, 4.0]]), "xs": np.ones((2, 1))}
    assert refusal(text, "eps", **given) == ["D0613"]
    assert refusal(text, "eps", **given, _on_bad_row="default") == ["D0613"]


def test_cells_of_a_static_type_are_its_number_and_not_the_double_next_to_it() -> None:
    """A tenth is no double: ten tenths are 1, and ten times the double next to a tenth is more."""
    # Where the type still says the number, nobody looks at the cell: a function of reals does.
    text = """let f = sλ r : 𝕄 [L∞, U | 1, 1⋅ℝ else 0] ⇒ 10.0 ⋅ r#[0, 0] - 1.0 in
        sλ t : 𝕄 [L∞, U | 1, 1⋅ℝ⁺[0.1]] ⇒ f t"""
    assert duetpy.evaluate(text, t=[[0.1]]) == 0.0
    assert duetpy.evaluate(text.replace("ℝ⁺[0.1]", "ℝ"), t=[[0.1]]) > 0.0


ABSENT = [
    ("ℝ", "x", float("nan"), 0.0),
    ("ℝ", "x", None, 0.0),
    ("ℝ", "x", "12", 0.0),
    ("ℝ", "x", True, 0.0),
    ("ℕ", "real x", -1, 0.0),
    ("ℕ", "real x", 1.5, 0.0),
    ("𝕀[5]", "real x", 7, 0.0),
    ("ℝ × ℕ", "fst x", (2.0, "?"), 2.0),
    ("ℝ × ℕ", "fst x", (2.0,), 0.0),
    ("ℝ + ℕ", "case x { inl a ⇒ a ; inr b ⇒ real b }", ("inr", -1), 0.0),
    ("ℝ + ℕ", "case x { inl a ⇒ a + 1.0 ; inr b ⇒ real b }", ("in", 3.0), 1.0),
    ("𝔹", "if x then 1.0 else 0.0", "true", 0.0),
    ("𝐝 𝕊", 'if x ≡ "" then 1.0 else 0.0', 3, 1.0),
    ("℘(𝔻)", "if 1.0 ∈ x then 1.0 else 0.0", [1.0, float("nan")], 1.0),
    ("℘(𝔻)", "if 1.0 ∈ x then 1.0 else 0.0", 1.0, 0.0),
]


@pytest.mark.parametrize(("type_", "body", "given", "expected"), ABSENT)
def test_a_private_value_that_is_none_of_its_type_shows_only_where_bad_rows_are_refused(
    type_: str, body: str, given: Any, expected: float
) -> None:
    text = f"pλ . x : {type_} ⇒ laplace[1.0, 1.0] <x> {{ {body} }}"
    assert released(text, "eps", x=given, _on_bad_row="default") == expected
    assert refusal(text, "eps", x=given) == ["D0611"]


@pytest.mark.parametrize("given", [Decimal("2.5"), np.array(2.5), np.float32(2.5), Fraction(5, 2), 2.5])
def test_a_number_of_any_kind_is_that_number(given: Any) -> None:
    text = "pλ . x : ℝ ⇒ laplace[1.0, 1.0] <x> { x }"
    for rule in ("refuse", "default"):
        assert released(text, "eps", x=given, _on_bad_row=rule) == 2.5


def test_a_public_number_that_is_none_is_refused_whatever_becomes_of_bad_rows() -> None:
    text = "pλ . k : ℕ, x : ℝ ⇒ laplace[1.0, 1.0] <x> { x + real k }"
    for rule in ("refuse", "default"):
        assert refusal(text, "eps", k=duetpy.public(-1), x=2.0, _on_bad_row=rule) == ["D0611"]


@pytest.mark.parametrize("written", ["\u00e9", "e\u0301"])
@pytest.mark.parametrize("given", ["\u00e9", "e\u0301"])
def test_texts_are_compared_sign_by_sign(written: str, given: str, tmp_path: Path) -> None:
    file = tmp_path / "words.csv"
    file.write_text(f"{given}\n", encoding="utf-8")
    text = f'pλ . xs : bag 𝕊 ⇒ laplace[1.0, 1.0] <xs> {{ real (rows (mfilter xs {{ r ⇒ r#[0, 0] ≡ "{written}" }})) }}'
    assert released(text, "eps", xs=file, _header="no") == float(written == given)


RECORDS = [
    ({"a": 1.0, "b": "x"}, 1.0),
    ({"a": 1.0}, 1.0),
    ({"b": "x"}, 0.0),
    ({"a": 1.0, "b": "x", "c": 3}, 1.0),
    ({}, 0.0),
    ({"a": [5.0], "b": "x"}, 0.0),
    ([1.0], 1.0),
    ([1.0, "x", 3], 1.0),
    ([[5.0], "x"], 0.0),
    ((), 0.0),
    (None, 0.0),
]


@pytest.mark.parametrize(("given", "expected"), RECORDS)
def test_which_fields_a_private_record_has_shows_only_where_bad_rows_are_refused(given: Any, expected: float) -> None:
    text = "pλ . x : record[a : 𝔻 else 0, b : 𝐝 𝕊] ⇒ laplace[auto, 1.0] <x> { clip[0.0, 5.0] x.a }"
    assert released(text, "eps", x=given, _on_bad_row="default") == expected
    if isinstance(given, dict) and given.keys() >= {"a", "b"} and given["a"] == expected:
        # Fields that nobody declares are not read.
        assert released(text, "eps", x=given) == expected
    else:
        with pytest.raises(DuetError):
            released(text, "eps", x=given)


def test_a_record_may_be_a_table_of_one_row() -> None:
    text = "pλ . x : record[a : 𝔻 else 0, b : 𝐝 𝕊] ⇒ laplace[auto, 1.0] <x> { clip[0.0, 5.0] x.a }"
    for given in ({"a": [1.0], "b": ["x"]}, [[1.0, "x"]], [{"a": 1.0, "b": "x"}]):
        for rule in ("refuse", "default"):
            assert released(text, "eps", x=given, _on_bad_row=rule) == 1.0


def test_cells_are_held_to_types_that_only_the_table_decides() -> None:
    text = """pλ m : ℕ, ε : ℝ⁺ . xs : 𝕄 [L∞, U | m, i : 𝐝 𝕀[m] else 0 ∷ []], ε : ℝ⁺[ε] ⇒
      laplace[auto, ε] <xs> { mfold-row 0.0, xs { a, r ⇒ a + clip[0.0, 9.0] (real r.i) } }"""
    bare = {"insecure_noise": "none"}
    assert go(text, {"xs": [[0], [2], [1]]}, how=bare, ε=1).result == pytest.approx(3.0, abs=1e-6)
    (diagnostic,) = refused(text, {"xs": [[0], [3], [1]]}, how=bare, ε=1)
    assert diagnostic.code == "D0604"
    assert "row 2" in diagnostic.where
    lenient = go(text, {"xs": [[0], [3], [1]]}, how=bare | {"on_bad_row": "default"}, ε=1)
    assert lenient.result == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("row", [[3.0, 4.0], [0.6, 0.9], [math.inf, 0.0]])
def test_rows_are_held_to_the_length_that_their_type_says(row: list[float]) -> None:
    text = """pλ m : ℕ, ε : ℝ⁺ . xs : 𝕄 [L∞, L2≤1 | m, 2⋅𝔻 else 0], ε : ℝ⁺[ε] ⇒
      laplace[auto, ε] <xs> { mfold-row 0.0, xs { a, r ⇒ a + clip[0.0, 1.0] (r#[ℕ[0], ℕ[0]]) } }"""
    (diagnostic,) = refused(text, {"xs": [[0.5, 0.5], row]}, ε=1)
    assert diagnostic.code in ("D0604", "D0613")
    assert go(text, {"xs": [[0.5, 0.5], row]}, how={"on_bad_row": "default"}, ε=1).noise == "secure"


def test_a_type_that_is_trusted_does_not_bound_a_sum() -> None:
    """The control: declared to be of length 1 at most, one row of another length moves a sum by as much as it likes."""

    def trusting(rows: list[list[float]]) -> float:
        return sum(row[0] for row in rows)

    assert abs(trusting([[0.6, 0.8], [3.0, 4.0]]) - trusting([[0.6, 0.8], [0.0, 1.0]])) > 2


STATED = (
    "pλ c : ℝ⁺ . xs : 𝕄 [L∞, U | ★, a : ℝ⁺[c] ∷ []] ⇒ laplace[auto, 1.0] <xs> { mfold-row 0.0, xs { s, r ⇒ s + r.a } }"
)


def test_a_table_whose_type_says_numbers_is_kept_and_held_to_them(tmp_path: Path) -> None:
    """Of a table that is read again for each pass no cell is compared with its type."""
    (tmp_path / "x.csv").write_text("a\n5\n1000\n3\n", encoding="utf-8")
    program = duetpy.parse(STATED, notion="eps").check()
    given = {"xs": str(tmp_path / "x.csv"), "c": 5, "_insecure_noise": "none"}
    for stream in (False, True):
        assert program.run(**given, _on_bad_row="default", _stream=stream).result == 15.0
        assert program.run(**given, _on_bad_row="drop", _stream=stream).result == 5.0
        with pytest.raises(duetpy.DuetError, match="D0604"):
            program.run(**given, _stream=stream)


@pytest.mark.parametrize("part", ["𝕀[3]", "ℕ[3]", "ℝ⁺[3.0]"])
def test_no_part_of_a_cell_has_a_type_that_says_numbers(part: str) -> None:
    text = f"pλ . xs : 𝕄 [L∞, U | ★, 1⋅({part} × 𝔻)] ⇒ laplace[auto, 1.0] <xs> {{ real (rows xs) }}"
    with pytest.raises(duetpy.DuetError, match="promise certain numbers"):
        duetpy.parse(text, notion="eps").check().run(xs=[[1, 2.0], [7, 1.0]], _insecure_noise="none")
