"""Every form of the sensitivity language on values small enough to check by eye."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from duetpy.diagnostics.error import DuetError
from duetpy.grammar import ast
from duetpy.runtime.release import noiseless
from duetpy.runtime.release.noiseless import checked, evaluate
from duetpy.typecheck.check import Typed, check_file
from tests.effort import often

REAL_ROWS = "sλ m : ℕ, n : ℕ . xs : 𝕄 [L2, U | m, n⋅ℝ] ⇒ "
DATA_ROWS = "sλ m : ℕ, n : ℕ . xs : 𝕄 [L∞, U | m, n⋅𝔻] ⇒ "
STAR_ROWS = "sλ n : ℕ . xs : 𝕄 [L∞, U | ★, n⋅𝔻] ⇒ "
PEOPLE = "sλ m : ℕ . xs : 𝕄 [L∞, U | m, age : 𝔻 ∷ sex : 𝐝 𝕊 ∷ kids : 𝐝 ℕ ∷ []] ⇒ "

X = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
TOWN = {"age": [20.0, 40.0, 10.0], "sex": ["f", "f", "m"], "kids": [0, 2, 0]}


def refused(code: str, text: str, **values: object) -> DuetError:
    with pytest.raises(DuetError) as caught:
        evaluate(text, **values)
    assert next(diagnostic.code for diagnostic in caught.value.diagnostics if diagnostic.is_error) == code
    return caught.value


def test_a_text_is_judged_once_unless_it_imports_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    judged: list[str] = []

    def counted(file: ast.File, **named: Any) -> Typed:
        judged.append(named["name"])
        return check_file(file, **named)

    monkeypatch.setattr(noiseless, "check_file", counted)
    alone = "sλ x : ℝ ⇒ x + 12.75"
    assert [evaluate(alone, x=x) for x in (1, 2)] == [13.75, 14.75]
    assert len(judged) == 1

    monkeypatch.chdir(tmp_path)
    for number in (1.5, 2.5):
        (tmp_path / "a.duet").write_text(f"def a = {number}\n", encoding="utf-8")
        assert evaluate('import "a.duet";\na + 1.0') == number + 1
    assert len(judged) == 3


# ---------------------------------------------------------------------------------------------------------------------
# Scalars and names


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1.5 + 2.0", 3.5),
        ("0.1 + 0.2", 0.3),
        # Static numbers, and what was proved is of them: computed in doubles the first is 2.2.
        ("㏒ 1.00000000000000012 ⋅ 10000000000000000.0", 1.2),
        ("√ (0.0000000001 ⋅ 0.0000000001)", 1e-10),
        ("3 - 5", 0),
        ("3.0 - 5.0", -2.0),
        ("7 % 3", 1),
        ("real 3", 3.0),
        ("1.0 / 0.0", 0.0),
        ("√ (0.0 - 4.0)", 0.0),
        ("sign (0.0 - 4.0)", -1.0),
        ("true ∧ false", False),
        ("true ∨ false", True),
        ('"a" ≡ "a"', True),
        ("1.0 < 2.0", True),
        ("2 ≤ 2", True),
        ('⟨1, "a"⟩', (1, "a")),
        ("let ⟨a, b⟩ = ⟨1, 2⟩ in b", 2),
        ("fst ⟨1 & 2⟩", 1),
        ("℘{3, 1, 3}", frozenset({1, 3})),
        ("unionAll ℘{℘{1}, ℘{1, 2}}", frozenset({1, 2})),
        ("2 ∈ ℘{1, 2}", True),
        ('℘{⟨1, "a"⟩}', frozenset({(1, "a")})),
        ("if 1 ≡ 1 then 2.5 else 3.5", 2.5),
        ("loop ℕ[5] on 1.0 { i, x ⇒ 2.0 ⋅ x }", 32.0),
        ("loop ℕ[5] on 0 { i, x ⇒ x + i }", 10),
        ("loop 0 on 7 { i, x ⇒ x + i }", 7),
        ("let x = 1.0 in let x = x + 1.0 in x", 2.0),
        ("let x = 1.0 in (let x = 5.0 in x) + x", 6.0),
        ("let f = sλ x : ℝ, y : ℝ ⇒ x - y in f 5.0 3.0", 2.0),
        ("let y = 1.0 in let f = sλ x : ℝ ⇒ x + y in let y = 100.0 in f 1.0", 2.0),
        ("let f = sλ x : ℝ ⇒ (sλ y : ℝ ⇒ x - y) in let g = f 5.0 in let h = f 100.0 in g 1.0", 4.0),
        ("let f = sλ n : ℕ . k : ℕ[n] ⇒ ℕ[n] in f 3", 3),
        ("let f = sλ n : ℕ . x : ℕ[n] ⇒ ℕ[n] in f@[7] ℕ[7]", 7),
        ("let f = sλ r : ℝ⁺ . x : ℝ⁺[r] ⇒ dyn ℝ⁺[r] in f 0.5", 0.5),
        ("unbox (box 1.5)", 1.5),
        ("conv (disc 3.5)", 3.5),
        ("clip (3.0 + 0.0)", 1.0),
        ("clip[-0.5, 0.5] (0.0 - 3.0)", -0.5),
    ],
)
def test_expressions_without_arguments(text: str, value: Any) -> None:
    found = evaluate(text)
    assert found == value
    assert type(found) is type(value)


def test_a_sensitivity_function_is_exact() -> None:
    assert evaluate("sλ x : ℝ ⇒ (x + 1e16) - 1e16", x=0.75) == 0.75
    assert evaluate("sλ x : ℝ ⇒ 2.0 ⋅ x / 3.0", x=3.0) == 2.0
    assert evaluate("sλ x : ℝ ⇒ loop ℕ[60] on x { i, y ⇒ 0.1 ⋅ y }", x=1.0) == pytest.approx(1e-60, rel=1e-15)


def test_a_number_next_to_a_discrete_one_is_the_nearest_double() -> None:
    text = "sλ z : ℝ, x : 𝔻 in [0, 3] ⇒ z + (conv (if 2 < x then x else 0.1) - 0.1)"
    assert evaluate(text, z=0.0, x=1.0) == float(Fraction(0.1) - Fraction(1, 10))


def test_sums_are_taken_apart() -> None:
    text = "sλ x : ℝ + 𝔹 ⇒ case x { inl a ⇒ a + 1.0 ; inr b ⇒ if b then 10.0 else 20.0 }"
    assert evaluate(text, x=("inl", 3.5)) == 4.5
    assert evaluate(text, x=("inr", False)) == 20.0
    made = "sλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒ mmap xs { x ⇒ case (if x < 2.0 then inl[𝔹] x else inr[𝔻] true) { "
    assert evaluate(made + "inl a ⇒ a ⋅ 10.0 ; inr b ⇒ disc (0.0 - 1.0) } }", xs=[[1.0], [3.0]]) == [[10.0], [-1.0]]


# ---------------------------------------------------------------------------------------------------------------------
# Matrices


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (REAL_ROWS + "xs", X),
        (REAL_ROWS + "rows xs", 2),
        (REAL_ROWS + "cols xs", 3),
        (REAL_ROWS + "tr xs", [[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]]),
        (REAL_ROWS + "mmap xs { x ⇒ x ⊔ 2.5 }", [[2.5, 2.5, 3.0], [4.0, 5.0, 6.0]]),
        (REAL_ROWS + "mmap xs { x ⇒ x ≡ 2.0 ∨ x ≡ 6.0 }", [[False, True, False], [False, False, True]]),
        (REAL_ROWS + 'mmap xs { x ⇒ if x < 3.5 then "a" else "b" }', [["a"] * 3, ["b"] * 3]),
        (REAL_ROWS + "mmap xs, xs { x, y ⇒ x + 2.0 ⋅ y }", [[3.0, 6.0, 9.0], [12.0, 15.0, 18.0]]),
        (REAL_ROWS + "mmap-row xs { r ⇒ mmap r { x ⇒ 0.1 ⋅ x } }", [[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]]),
        (REAL_ROWS + "mmap-row xs { r ⇒ r#[0, 2] }", [[3.0], [6.0]]),
        (REAL_ROWS + "mmap-row xs { r ⇒ mcreate[L2 | ℕ[1], ℕ[2]] { i, j ⇒ r#[i, j] } }", [[1.0, 2.0], [4.0, 5.0]]),
        (REAL_ROWS + "mmap-col xs { c ⇒ c#[1, 0] }", [[4.0, 5.0, 6.0]]),
        (REAL_ROWS + "mmap-col xs { c ⇒ c }", X),
        (REAL_ROWS + "mmap-col xs, xs { c, d ⇒ (c#[0, 0]) + (d#[1, 0]) }", [[5.0, 7.0, 9.0]]),
        (REAL_ROWS + "xs#[1, 0]", 4.0),
        (REAL_ROWS + "xs#[1]", [[4.0, 5.0, 6.0]]),
        (REAL_ROWS + "xs#[0, 1 ↦ 9.0]", [[1.0, 9.0, 3.0], [4.0, 5.0, 6.0]]),
        (REAL_ROWS + "mmap-row xs { r ⇒ r#[0, 1 ↦ r#[0, 0]] }", [[1.0, 1.0, 3.0], [4.0, 4.0, 6.0]]),
        (REAL_ROWS + "mfold-row 0.0, xs { a, r ⇒ a + (r#[0, 1]) }", 7.0),
        (REAL_ROWS + "mfold-row 1.0, xs { a, r ⇒ (r#[0, 1]) + a }", 8.0),
        (REAL_ROWS + "mfold-row 1.0, xs { a, r ⇒ if true then a + 1.0 else a }", 3.0),
        (REAL_ROWS + "mfold-row 0.0, xs { a, r ⇒ a ⊔ (r#[0, 1]) }", 5.0),
        (REAL_ROWS + "mfold-row 9.0, xs { a, r ⇒ (r#[0, 1]) ⊓ a }", 2.0),
        (REAL_ROWS + "mfold-row 8.0, xs { a, r ⇒ 0.5 ⋅ a + (r#[0, 0]) }", 6.5),
        (REAL_ROWS + "mfold-row (xs#[0]), xs { a, r ⇒ mmap a, r { x, y ⇒ y + x } }", [[6.0, 9.0, 12.0]]),
        (REAL_ROWS + "zip[xs, xs]", [[([[1.0, 2.0, 3.0]],) * 2], [([[4.0, 5.0, 6.0]],) * 2]]),
        (
            REAL_ROWS + "mmap-row zip[xs, xs] { r ⇒ let ⟨a, b⟩ = r#[ℕ[0], ℕ[0]] in (a#[0, 0]) + (b#[0, 2]) }",
            [[4.0], [10.0]],
        ),
        (DATA_ROWS + "mclip[L∞, 2.5] xs", [[1.0, 2.0, 2.5], [2.5, 2.5, 2.5]]),
        (DATA_ROWS + "mmap xs { x ⇒ x / 10.0 }", [[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]]),
        (DATA_ROWS + "rows (mfilter xs { r ⇒ (r#[0, 0]) < 2.0 })", 1),
        (DATA_ROWS + "mfilter xs { r ⇒ (r#[0, 0]) < 0.0 }", []),
        (DATA_ROWS + "mfold-row true, xs { a, r ⇒ a ∧ (r#[0, 0]) < 2.0 }", False),
        (DATA_ROWS + "mfold-row false, xs { a, r ⇒ a ∨ (r#[0, 0]) < 2.0 }", True),
        (DATA_ROWS + "mfold-row 0, xs { a, r ⇒ a + (if (r#[0, 0]) < 2.0 then 1 else 0) }", 1),
        (
            DATA_ROWS + "mmap-row xs { r ⇒ mfold-row 0.0, (tr r) { a, e ⇒ a + clip[0.0, 4.5] (e#[0, 0]) } }",
            [[6.0], [13.0]],
        ),
        (DATA_ROWS + "mmap-row xs { r ⇒ loop ℕ[3] on 0.0 { i, x ⇒ x + clip[0.0, 9.0] (r#[0, i]) } }", [[6.0], [15.0]]),
        (
            "mcreate[L1 | ℕ[2], ℕ[3]] { i, j ⇒ real (dyn i) ⋅ 10.0 + real (dyn j) }",
            [[0.0, 1.0, 2.0], [10.0, 11.0, 12.0]],
        ),
        ('mcreate[L1 | ℕ[1], ℕ[2]] { i, j ⇒ if (dyn j) ≡ 0 then "a" else "b" }', [["a", "b"]]),
    ],
)
def test_matrices(text: str, value: Any) -> None:
    assert evaluate(text, xs=X) == value if "xs" in text else evaluate(text) == value


def test_batches() -> None:
    text = (
        DATA_ROWS
        + "mmap-row chunks[ℕ[2], xs] { b ⇒ mfold-row 0.0, (b#[ℕ[0], ℕ[0]]) { a, r ⇒ a + clip[0.0, 9.0] (r#[0, 0]) } }"
    )
    assert evaluate(text, xs=[[1.0], [2.0], [3.0], [4.0]]) == [[3.0], [7.0]]


def test_joins() -> None:
    text = (
        "sλ r : ℕ . xs : 𝕄 [L∞, U | ★, id : 𝐝 ℕ ∷ v : 𝔻 ∷ []] ⇒ "
        "sλ ys : 𝕄 [L∞, U | r, id : 𝐝 ℕ ∷ w : 𝐝 𝕊 ∷ []] ⇒ join₁[xs, ℕ[0], ys, ℕ[0]]"
    )
    found = evaluate(text, xs=[[1, 0.5], [2, 0.25], [1, 0.75], [9, 0.0]], ys=[[2, "b"], [1, "a"], [1, "late"]])
    assert found == [[1, 0.5, 1, "a"], [2, 0.25, 2, "b"], [1, 0.75, 1, "a"]]


def test_named_columns() -> None:
    assert evaluate(PEOPLE + 'rows (mfilter xs { r ⇒ r.sex ≡ "f" ∧ r.age < 30.0 })', xs=TOWN) == 1
    assert evaluate(PEOPLE + "mmap-row xs { r ⇒ r.age }", xs=TOWN) == [[20.0], [40.0], [10.0]]
    assert evaluate(PEOPLE + "xs.[sex, age]", xs=TOWN) == [["f", 20.0], ["f", 40.0], ["m", 10.0]]
    assert evaluate(PEOPLE + 'mmap-row xs { r ⇒ r.sex ∈ ℘{"m", "x"} }', xs=TOWN) == [[False], [False], [True]]
    assert evaluate(PEOPLE + "mfold-row 0, xs { a, r ⇒ a + (if r.kids ≡ disc 0 then 1 else 0) }", xs=TOWN) == 2


@pytest.mark.parametrize("factor", [1, 2**62 + 1])
@pytest.mark.parametrize(("sign", "first", "wanted"), [("⊔", 0, 2), ("⊓", 9, 1)])
def test_of_natural_numbers_one_is_found_that_is_equal_to_itself(
    sign: str, first: int, wanted: int, factor: int
) -> None:
    kids = "sλ m : ℕ . xs : 𝕄 [L∞, U | m, kids : ℕ ∷ []] ⇒ "
    fold = f"mfold-row {first * factor}, xs {{ a, r ⇒ a {sign} (r.kids ⋅ {factor}) }}"
    found = evaluate(kids + fold, xs=[[1], [2], [1]])
    assert (found, type(found)) == (wanted * factor, int)
    assert evaluate(f"{kids}({fold}) ≡ {wanted * factor}", xs=[[1], [2], [1]]) is True


def test_arrays_in_arrays_out_and_lists_in_lists_out() -> None:
    found = evaluate(REAL_ROWS + "tr xs", xs=np.array(X))
    assert isinstance(found, np.ndarray)
    assert found.tolist() == [[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]]
    assert evaluate(REAL_ROWS + "tr xs", xs=[(1, 2)]) == [[1.0], [2.0]]


@pytest.mark.parametrize("table", [[], np.empty((0, 2))])
def test_tables_without_rows(table: object) -> None:
    fold = "mfold-row 0.5, {} {{ a, r ⇒ a + clip[0.0, 1.0] (r#[0, 0]) }}"
    assert evaluate(STAR_ROWS + fold.format("xs"), xs=table, n=2) == 0.5
    assert evaluate(STAR_ROWS + fold.format("(mfilter xs { r ⇒ true })"), xs=table, n=2) == 0.5
    assert evaluate(STAR_ROWS + "rows (mmap xs { x ⇒ x + 1.0 })", xs=table, n=2) == 0
    assert evaluate(STAR_ROWS + "rows (mclip[L2] xs)", xs=table, n=2) == 0
    assert evaluate(STAR_ROWS + "rows (mmap-row xs { r ⇒ mmap r { x ⇒ x } })", xs=table, n=2) == 0


def test_one_by_one() -> None:
    assert evaluate(REAL_ROWS + "mmap-row (tr xs) { r ⇒ r#[0] }", xs=[[2.5]]) == [[2.5]]
    assert evaluate(DATA_ROWS + "mclip[L2] xs", xs=[[-2.5]]) == [[pytest.approx(-1.0)]]


def test_an_index_out_of_range_is_the_nearest_inside() -> None:
    text = "sλ m : ℕ, n : ℕ . xs : 𝕄 [L2, U | m, n⋅ℝ] ⇒ sλ i : ℕ ⇒ xs#[i, i]"
    assert evaluate(text, xs=X, i=0) == 1.0
    assert evaluate(text, xs=X, i=10**30) == 6.0
    by_row = "sλ m : ℕ . xs : 𝕄 [L∞, U | m, k : ℕ ∷ []] ⇒ mmap-row xs { r ⇒ xs#[r.k, 0] }"
    assert evaluate(by_row, xs=[[1], [0], [2**53 - 1]]) == [[0], [1], [2**53 - 1]]
    both = "sλ m : ℕ, n : ℕ . xs : 𝕄 [L∞, U | m, n⋅ℕ] ⇒ mmap-row xs { r ⇒ xs#[(r#[0, 0]), (r#[0, 0])] }"
    assert evaluate(both, xs=[[0, 7], [1, 8]]) == [[0], [8]]


def test_lanes_that_differ_in_shape_are_evaluated_row_by_row() -> None:
    text = STAR_ROWS + "mmap-row xs { r ⇒ real (rows (mfilter (tr r) { e ⇒ (e#[0, 0]) < 2.5 })) }"
    assert evaluate(DATA_ROWS + text.partition("⇒ ")[2], xs=X) == [[2.0], [0.0]]
    chosen = DATA_ROWS + ("mmap xs { x ⇒ (if x < 2.5 then (sλ y : 𝔻 ⇒ y ⋅ 10.0) else (sλ y : 𝔻 ⇒ y ⋅ 100.0)) x }")
    assert evaluate(chosen, xs=X) == [[10.0, 20.0, 300.0], [400.0, 500.0, 600.0]]
    turns = "sλ m : ℕ, n : ℕ . xs : 𝕄 [L∞, U | m, n⋅ℕ] ⇒ mmap xs { x ⇒ loop x on 1 { i, y ⇒ y + y } }"
    assert evaluate(turns, xs=[[0, 3], [5, 1]]) == [[1, 8], [32, 2]]


def test_functions_in_row_bodies() -> None:
    text = (
        DATA_ROWS
        + "let f = sλ x : 𝔻 ⇒ (sλ y : 𝔻 ⇒ x - y) in mmap-row xs { r ⇒ let g = f (r#[0, 0]) in mmap r { x ⇒ g x } }"
    )
    assert evaluate(text, xs=X) == [[0.0, -1.0, -2.0], [0.0, -1.0, -2.0]]
    nested = DATA_ROWS + "mmap-row xs { r ⇒ mmap r { x ⇒ mfold-row (disc 0.0), xs { a, q ⇒ a + x ⋅ (q#[0, 0]) } } }"
    assert evaluate(nested, xs=X) == [[5.0, 10.0, 15.0], [20.0, 25.0, 30.0]]


# ---------------------------------------------------------------------------------------------------------------------
# Numbers of every size


def test_extreme_numbers_make_no_infinity() -> None:
    huge = [[1e308, -1e308], [1e308, 1e308], [5e-324, 0.0]]
    for body in ("(x + x) ⋅ x / x", "√ (x ⋅ x) + ㏒ x", "x / (x - x) + sign x", "(x ⊔ (x + x)) - (x ⊓ (x - x))"):
        assert np.isfinite(evaluate(DATA_ROWS + f"mmap xs {{ x ⇒ {body} }}", xs=np.array(huge))).all()
    assert evaluate(
        DATA_ROWS + "mfold-row 0.0, xs { a, r ⇒ a + clip[-1e308, 1e308] (r#[0, 0]) }", xs=huge
    ) == pytest.approx(1.7976931348623157e308)
    assert np.isfinite(evaluate(DATA_ROWS + "mclip[L2] xs", xs=np.array(huge))).all()


def test_sums_do_not_depend_on_the_order_of_rows() -> None:
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.normal(size=(999, 1)) * 10.0 ** rng.integers(-10, 17, (999, 1)), [[1e17]]])
    text = REAL_ROWS + "mfold-row 0.0, xs { a, r ⇒ a + (r#[0, 0]) }"
    assert evaluate(text, xs=x) == evaluate(text, xs=x[::-1]) == evaluate(text, xs=rng.permutation(x))


# ---------------------------------------------------------------------------------------------------------------------
# Size of programs


def test_deep_programs() -> None:
    depth = often(10_000, 1_200)
    lets = "".join(f"let a{at} = {'x' if at == 0 else f'a{at - 1}'} + 1.0 in " for at in range(depth))
    assert evaluate(f"sλ x : ℝ ⇒ {lets}a{depth - 1}", x=0.5) == depth + 0.5
    assert evaluate("sλ x : ℝ ⇒ " + " + ".join(["x"] * depth), x=0.5) == depth / 2
    body = "".join(f"let a{at} = {'clip (r#[0, 0])' if at == 0 else f'a{at - 1} + 1.0'} in " for at in range(500))
    assert evaluate(DATA_ROWS + f"mfold-row 0.0, xs {{ a, r ⇒ a + ({body}a499) }}", xs=[[0.5], [1.0]]) == 999.5


# ---------------------------------------------------------------------------------------------------------------------
# Refusals


def test_refusals() -> None:
    refused("D0609", "pλ ε : ℝ⁺ . x : ℝ, ε : ℝ⁺[ε] ⇒ laplace[1.0, ε] <x> { x }", x=1.0)
    refused("D0609", "sλ x : ℝ ⇒ box (sλ y : ℝ ⇒ y)", x=1.0)
    refused("D0608", "sλ x : ℝ ⇒ x")
    refused("D0610", "sλ x : ℝ ⇒ x", x=1.0, z=2.0)
    refused("D0610", "1.0", z=2.0)
    refused("D0612", "sλ m : ℕ . xs : 𝕄 [L2, U | m, 1⋅ℝ] ⇒ sλ ys : 𝕄 [L2, U | m, 1⋅ℝ] ⇒ xs", xs=[[1]], ys=[[1], [2]])
    refused("D0613", "sλ m : ℕ . xs : 𝕄 [L2, L2≤1.0 | m, 2⋅ℝ] ⇒ xs", xs=[[0.6, 0.8], [3.0, 4.0]])
    refused("D0604", REAL_ROWS + "xs", xs=[[1.0, float("nan")]])
    refused("D0602", REAL_ROWS + "xs", xs=[])
    refused(
        "D0501",
        "let f = sλ n : ℕ . k : ℕ[n] ⇒ mcreate[L1 | k, ℕ[1]] { i, j ⇒ 1.0 } in sλ m : ℕ . k : ℕ[m] ⇒ "
        "(f k)#[ℕ[5], ℕ[0]]",
        k=3,
    )


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        ("ℝ", "8675309"),
        ("ℝ", True),
        ("ℝ", float("inf")),
        ("ℕ", 8675309.5),
        ("ℕ", -8675309),
        ("𝔹", 8675309),
        ("𝕊", 8675309),
        ("ℝ × ℝ", [8675309.0]),
        ("℘(ℕ)", 8675309),
        ("𝕀[3]", 8675309),
        ("ℕ[3]", 8675309),
        ("𝕄 [L2, L2≤1.0 | 1, 1⋅ℝ]", [[8675309.0]]),
        ("𝕄 [L2, U | 1, 1⋅ℕ]", [[8675309.5]]),
        ("𝕄 [L2, U | 2, 1⋅ℕ]", [[8675309]]),
    ],
)
def test_a_refusal_does_not_tell_the_value(type_: str, value: object) -> None:
    with pytest.raises(DuetError) as caught:
        evaluate(f"sλ x : {type_} ⇒ x", x=value)
    if type_ != "ℕ[3]":  # a static number is public
        assert "8675309" not in "".join(map(repr, caught.value.diagnostics))


def test_a_checked_program_is_checked_once() -> None:
    typed = checked("sλ x : ℝ ⇒ x + 1.0")
    assert [evaluate(typed, x=float(at)) for at in range(3)] == [1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    ("body", "values"),
    [
        ("let x = 2.0 ⋅ x in x + low", [[2.0], [4.0]]),
        ("let ⟨x, y⟩ = ⟨2.0 ⋅ x, x⟩ in x + y + low", [[3.0], [6.0]]),
        ("loop 2 on x { i, x ⇒ let x = 2.0 ⋅ x in x + low }", [[4.0], [8.0]]),
    ],
)
def test_a_name_bound_twice_in_a_row_body_without_lanes_means_the_inner_one_once(body: str, values: object) -> None:
    """The filter has no lanes, so the body breaks off there, inside the inner binding, and is evaluated again."""
    low = "real (rows (mfilter xs { r ⇒ r#[0, 0] < 0.0 }))"
    text = f"sλ xs : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ mmap xs {{ x ⇒ {body.replace('low', low)} }}"
    assert evaluate(text, xs=[[1.0], [2.0]]) == values
