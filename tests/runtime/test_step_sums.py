"""Sums of what rows contribute by how a cell compares with numbers: the same as those of one row after another."""

import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import duetpy
from duetpy.runtime.evaluation import row_folds, tables
from duetpy.runtime.evaluation.rows import rows_of
from duetpy.runtime.evaluation.step_sums import Kinds, kinds_of_rows, number_kept
from duetpy.runtime.exact.rationals import plain
from duetpy.runtime.release.noiseless import evaluate
from duetpy.runtime.values.values import MatrixValue
from tests.effort import often

TYPES = {
    "𝕄 [L∞, U | m, x : 𝔻 ∷ y : 𝔻 ∷ []]": ("row.x", "row.y"),
    "𝕄 [L∞, U | m, n : 𝐝 ℕ ∷ x : 𝔻 ∷ s : 𝐝 𝕊 ∷ []]": ("row.x", "row.n"),
    "𝕄 [L∞, U | m, 2⋅𝔻]": ("row#[0, 0]", "row#[0, 1]"),
}
BY_KINDS = (
    "clip[-1.0, 1.0] (sign (CELL - c))",
    "clip[-1.0, 1.0] (sign (c - CELL)) ⋅ 0.3",
    "if CELL < c then 1.0 else 0.0 - 0.7",
    "if c ≤ CELL then 1.5 else if CELL ≤ c + 2.0 then 0.1 else 1e300",
    "if CELL ≡ c then 1.0 else 0.0",
    "let cell = CELL in (if cell < c then 1.0 else 0.0) + (if c ⋅ 0.1 < cell then 3.0 else 0.25)",
    "let low = (if CELL < c then 1.0 else 2.0) in low ⋅ low - clip[-1.0, 1.0] (sign (CELL - c))",
    "(if (CELL < c) ∧ not (CELL ≡ 0.0) then 1.0 else 0.0) + √ (if c < CELL then 2.0 else 3.0)",
    "clip[-1.0, 1.0] (sign (CELL - c)) - clip[-1.0, 1.0] (sign CELL)",
)
OTHERWISE = (
    "clip[-1.0, 1.0] (CELL - c)",
    "(if CELL < c then 1.0 else 0.0) + clip[0.0, 1.0] (OTHER)",
    "(if CELL < c then 1.0 else 0.0) + (if OTHER < c then 1.0 else 0.0)",
    "if CELL < c ⋅ OTHER then 1.0 else 0.0",
    "let other = OTHER in if CELL < other + c then 1.0 else 0.0",
    "if (CELL < c) ∧ (CELL + c < c) then 1.0 else 0.0",
)
ODD = (0.0, -0.0, 0.1, 0.3, -0.1, 1.0, 2.0, 5e-324, -5e-324, 1e308, -1e308, 1.7976931348623157e308, 2.0**53, 1e16)
CANDIDATES = ("0.0", "0.1", "0.3", "1.0", "2.0", "2.5", "(0.0 - 0.1)", "1e308", "9007199254740993.0", "1e-400", "1e400")


def rows(draw: random.Random, count: int) -> list[tuple[float, float, int, str]]:
    def number() -> float:
        return draw.choice(ODD) if draw.random() < 0.5 else draw.uniform(-3, 3)

    wholes = (0, 1, 2, 3, 2**53 - 1)
    return [(number(), number(), draw.choice(wholes), draw.choice("ab")) for _ in range(count)]


def table(type_: str, found: list[tuple[float, float, int, str]]) -> Any:
    xs, ys, ns, ss = ([row[at] for row in found] for at in range(4))
    if "⋅" in type_:
        return np.array([xs, ys]).T.reshape(-1, 2)
    return {"x": xs, "y": ys} if "y :" in type_ else {"n": np.array(ns, dtype=np.int64), "x": xs, "s": ss}


def flat(value: Any) -> list[Any]:
    return [value[0], *flat(value[1])] if isinstance(value, tuple) else [value]


def sums(type_: str, term: str, candidates: list[str], data: Any) -> list[Any]:
    """The sums for candidates, one after another in one run."""
    calls = " ".join(f"⟨f {each}," for each in candidates[:-1]) + f" f {candidates[-1]}" + "⟩" * (len(candidates) - 1)
    fold = f"mfold-row 0.0, xs {{ total, row ⇒ total + ({term}) }}"
    return flat(evaluate(f"sλ m : ℕ . xs : {type_} ⇒ let f = sλ c : ℝ ⇒ {fold} in {calls}", xs=data))


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[Kinds | None]:
    """How often rows were counted by kinds."""
    found: list[Kinds | None] = []

    def counting(source: MatrixValue, place: int, limits: list[Fraction]) -> Kinds | None:
        found.append(kinds_of_rows(source, place, limits))
        return found[-1]

    monkeypatch.setattr(row_folds, "kinds_of_rows", counting)
    return found


@pytest.mark.parametrize("term", BY_KINDS)
@pytest.mark.parametrize("type_", TYPES)
def test_the_second_pass_counts_rows_by_kinds_and_gives_the_same_sum(
    type_: str, term: str, counted: list[Kinds | None]
) -> None:
    draw = random.Random(type_ + term)
    for _ in range(often(6, 2)):
        cell = draw.choice(TYPES[type_])
        term_ = term.replace("CELL", f"real {cell}" if cell == "row.n" else cell)
        candidates = draw.sample(CANDIDATES, 4)
        data = table(type_, rows(draw, draw.choice((1, 2, 60))))
        del counted[:]
        found = sums(type_, term_, candidates, data)
        assert len([kinds for kinds in counted if kinds is not None]) == 3
        del counted[:]
        assert found == [sums(type_, term_, [each], data)[0] for each in candidates]
        assert not counted


@pytest.mark.parametrize("term", OTHERWISE)
def test_what_looks_at_more_of_a_row_goes_over_the_rows(term: str, counted: list[Kinds | None]) -> None:
    draw, type_ = random.Random(term), "𝕄 [L∞, U | m, x : 𝔻 ∷ y : 𝔻 ∷ []]"
    term = term.replace("CELL", "row.x").replace("OTHER", "row.y")
    data = table(type_, rows(draw, 40))
    candidates = draw.sample(CANDIDATES, 3)
    assert sums(type_, term, candidates, data) == [sums(type_, term, [each], data)[0] for each in candidates]
    assert not counted


@pytest.mark.parametrize(("most", "sums"), [("1.0", [1.5, 2.25, 3.0]), ("0.0 - 1.0", [0.0, 0.0, 0.0])])
def test_the_rows_that_a_filter_keeps_which_may_be_none(most: str, sums: list[float]) -> None:
    text = f"""sλ m : ℕ . xs : 𝕄 [L∞, U | m, x : 𝔻 ∷ y : 𝔻 ∷ []] ⇒
      let few = mfilter xs {{ row ⇒ row.y < {most} }} in
      let f = sλ c : ℝ ⇒ mfold-row 0.0, few {{ total, row ⇒ total + clip (if row.x < c then 1.0 else 0.25) }} in
      ⟨f 1.0, ⟨f 2.0, f 3.0⟩⟩"""
    assert flat(evaluate(text, xs={"x": [0.5, 1.5, 2.5, 0.5], "y": [0.0, 0.0, 0.0, 1.0]})) == sums


def test_cells_that_may_be_missing_are_looked_at_row_by_row(counted: list[Kinds | None]) -> None:
    type_, term = "𝕄 [L∞, U | m, x : 𝔻? ∷ []]", "if (row.x or-else 1.0) < c then 1.0 else 0.25"
    assert sums(type_, term, ["0.5", "1.5"], {"x": [0.0, None, 3.0]}) == [1.5, 2.25]
    assert not counted


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> list[Fraction]:
    """The sums that were counted by kinds, each the same as over all rows."""
    found: list[Fraction] = []
    by_kinds = row_folds.Sweep.total_by_kinds

    def both(sweep: row_folds.Sweep, captured: dict[str, Any]) -> Fraction | None:
        known = by_kinds(sweep, captured)
        if known is not None:
            assert known == sweep.machine.engine.fold(rows_of((sweep.source,), 7), row_folds.Sum(sweep.body(captured)))
            found.append(known)
        return known

    monkeypatch.setattr(row_folds.Sweep, "total_by_kinds", both)
    return found


@pytest.mark.parametrize("seed", range(often(8, 3)))
def test_all_scores_of_quantiles_but_the_first_are_counted(seed: int, compared: list[Fraction]) -> None:
    draw = random.Random(seed)
    cells = [[draw.choice([*ODD, draw.uniform(-3, 3)])] for _ in range(draw.randrange(1, 60))]
    for call, scores in (
        ("noisy-quantile@[ . xs, 9, 1, -1.0, 0.1, 39, ε]", 2 * 39),
        ("noisy-quantile@[ . xs, 0.1, 0.7, 0.0, 1e307, 11, ε]", 2 * 11),
        ("noisy-quantile@[ . xs, 1, 3, 0.0, 1e-323, 11, ε]", 2 * 11),
        ("noisy-quantiles@[ . xs, 6, -1.0, 0.1, 39, ε]", 2 * (6 * 40 - 1)),
    ):
        text = f'import "std:stats"; pλ xs : bag 𝔻, static ε : ℝ⁺ ⇒ {call}'
        duetpy.parse(text, name="p.eps.duet").check().run(xs=cells, ε=1.0, _insecure_noise=1)
        assert len(compared) == scores, call
        compared.clear()


def test_each_kind_of_row_is_counted() -> None:
    limits = [Fraction(1, 10), Fraction(2), Fraction(10) ** 400]
    cells = np.array([[0.1], [np.nextafter(0.1, 0)], [2.0], [2.0], [1.0], [-5.0], [7.0]])
    kinds = kinds_of_rows(MatrixValue(len(cells), plain(cells)), 0, limits)
    assert kinds is not None
    # The doubles next to 0.1, then 2, then the largest double: below, at and above each.
    assert kinds.counts == [1, 1, 0, 1, 1, 2, 1, 0, 0]


TWO_MECHANISMS = """pλ m : ℕ, ε : ℝ⁺ . xs : 𝕄 [L∞, U | m, x : 𝔻 ∷ y : 𝔻 ∷ []], ε : ℝ⁺[ε] ⇒
  let candidates = mcreate[L∞ | ℕ[1], ℕ[4]] { i, j ⇒ real j } in
  first ← exponential[auto, ε] candidates <xs> { c ⇒ mfold-row 0.0, xs { total, row ⇒ total + clip (sign (row.x - c)) } } ;
  second ← exponential[auto, ε] candidates <xs> { c ⇒ mfold-row 0.0, xs { total, row ⇒ total + clip (sign (c - row.x)) } } ;
  third ← exponential[auto, ε] candidates <xs> { c ⇒ mfold-row 0.0, xs { total, row ⇒ total + clip (sign (c - row.y)) } } ;
  return ⟨first, ⟨second, third⟩⟩"""


def test_a_column_sorted_for_one_mechanism_serves_the_next(compared: list[Fraction]) -> None:
    """The first score of each mechanism on a column that is not in order yet goes over the rows."""
    draw = random.Random(5)
    xs = {"x": [draw.choice(ODD) for _ in range(40)], "y": [draw.choice(ODD) for _ in range(40)]}
    duetpy.parse(TWO_MECHANISMS, notion="eps").check().run(xs=xs, ε=1.0, _insecure_noise=1)
    assert len(compared) == 3 + 4 + 3


CONDITIONS = {
    "CELL < c": lambda cell, c: cell < c,
    "c ≤ CELL": lambda cell, c: c <= cell,
    "not (CELL ≡ c)": lambda cell, c: cell != c,
    "(CELL < c) ∧ (c - 1.0 ≤ CELL)": lambda cell, c: c - 1.0 <= cell < c,
    "let cell = CELL in (cell < 0.0) ∨ (c < cell)": lambda cell, c: cell < 0.0 or c < cell,
    "clip (sign (CELL - c)) < 0.5": lambda cell, c: cell <= c,
}


@pytest.mark.parametrize("condition", CONDITIONS)
def test_the_rows_that_a_filter_keeps_are_counted_from_the_second_time_on(
    condition: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[int | None] = []

    def counting(*given: Any) -> int | None:
        found.append(number_kept(*given))
        return found[-1]

    monkeypatch.setattr(tables, "number_kept", counting)
    draw, holds = random.Random(condition), CONDITIONS[condition]
    few = f"mfilter xs {{ row ⇒ {condition.replace('CELL', 'row.x')} }}"
    candidates = (0.0, 0.1, 1.0, 2.0, 2.5)
    calls = "".join(f"⟨f {each}, " for each in candidates[:-1]) + f"f {candidates[-1]}" + "⟩" * (len(candidates) - 1)
    for rows_ in (1, 2, 50):
        cells = [draw.choice(ODD) if draw.random() < 0.7 else draw.uniform(-3, 3) for _ in range(rows_)]
        for use in (
            f"real (rows ({few}))",
            f"let few = {few} in mfold-row (real (rows few)), few {{ total, row ⇒ total + clip[0.0, 0.0] row.y }}",
        ):
            text = f"sλ . xs : 𝕄 [L∞, U | ★, x : 𝔻 ∷ y : 𝔻 ∷ []] ⇒ let f = sλ c : ℝ ⇒ {use} in {calls}"
            got = flat(evaluate(text, xs={"x": cells, "y": cells}))
            assert got == [sum(holds(cell, c) for cell in cells) for c in candidates]
    assert len([number for number in found if number is not None]) >= 2 * 2 * 4


def test_a_filter_that_looks_at_more_goes_over_the_rows() -> None:
    text = """sλ . xs : 𝕄 [L∞, U | ★, x : 𝔻 ∷ y : 𝔻 ∷ []] ⇒
      let f = sλ c : ℝ ⇒ real (rows (mfilter xs { row ⇒ (row.x < c) ∧ (row.y < c) })) in ⟨f 1.0, ⟨f 2.0, f 3.0⟩⟩"""
    assert flat(evaluate(text, xs={"x": [0.0, 1.0, 2.0], "y": [2.0, 1.0, 0.0]})) == [0, 1, 3]
