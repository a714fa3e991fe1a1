"""A bound on the rows of a table changes nothing of what its columns are: real ones are exact, natural ones whole."""

from __future__ import annotations

import pytest

import duetpy
from duetpy import DuetError
from duetpy.runtime.evaluation.kernels import KERNELS, ROUNDING
from duetpy.runtime.release.noiseless import checked, evaluate

REAL = """sλ xs : 𝕄 [L1, L1≤5.0 | 1, a : 𝔻 else 0 ∷ b : ℝ else 0 ∷ []] ⇒
  mfold-row 0.0, xs { t, r ⇒ t + ((r.b + 1e16) - 1e16) }"""


def of(b: float) -> object:
    return evaluate(checked(REAL), xs={"a": [1.0], "b": [b]})


def test_a_real_column_beside_a_discrete_one_is_exact() -> None:
    assert duetpy.parse(REAL).check().type.endswith("⊸[1] ℝ")
    assert [of(0.99), of(1.01), of(0.3)] == [0.99, 1.01, 0.3]


def test_a_column_that_takes_its_neighbours_metric_moves_too_far(monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: arithmetic on all columns as on discrete numbers. A step of 0.02 then moves the sum by 2."""
    for name in "+-":
        monkeypatch.setitem(KERNELS, name, ROUNDING[name])
    assert [of(0.99), of(1.01)] == [0.0, 2.0]


def test_a_natural_column_beside_a_real_one_stops_at_0() -> None:
    text = (
        """sλ xs : 𝕄 [L1, L1≤50.0 | 1, a : ℕ else 0 ∷ b : ℝ else 0 ∷ []] ⇒ mfold-row 0, xs { t, r ⇒ t + (r.a - 7) }"""
    )
    assert evaluate(checked(text), xs={"a": [1], "b": [3.5]}) == 0


ROWS = "pλ . xs : 𝕄 [L1, L1≤5.0 | 2, {}] ⇒ laplace[auto, 1.0] <xs> {{ {} }}"


def released(columns: str, body: str, rule: str = "default") -> object:
    run = duetpy.parse(ROWS.format(columns, body), "eps").check().run
    return run(xs=[[4, 6], [1, 2]], _insecure_noise="none", _on_bad_row=rule).result


def test_what_takes_the_place_of_a_row_that_is_too_long_is_of_its_type() -> None:
    """4 and 6 become 2 and 3 as whole numbers, below what they are scaled to."""
    number = "disc (real (conv r#[0, AT]))"
    total = "mfold-row 0.0, xs { t, r ⇒ t + clip[0.0, 50.0] (" + number + ") }"
    for at, wanted in (("0", 1 + 1), ("1", 2 + 2)):
        assert released("2⋅(𝐝 ℕ) else 0", total.replace("AT", at)) == wanted
    picked = "mfold-row 0.0, xs { t, r ⇒ t + clip[0.0, 50.0] (r#[0, 0] + (tr r)#[0, 0]) }"
    assert released("2⋅𝔻 else 0", picked) == pytest.approx(2 * (2.0 + 1.0))


def test_a_number_that_the_type_says_stays_in_a_row_that_is_too_long() -> None:
    total = "mfold-row 0.0, xs { t, r ⇒ t + (r.a + r.b) }"
    run = duetpy.parse(ROWS.format("a : ℝ⁺[0.1] ∷ b : ℝ else 0 ∷ []", total), "eps").check().run
    table = {"a": [0.1, 0.1], "b": [7.0, 1.0]}
    with pytest.raises(DuetError):
        run(xs=table, _insecure_noise="none")
    assert run(xs=table, _insecure_noise="none", _on_bad_row="default").result == pytest.approx(1.2)


@pytest.mark.parametrize(
    ("columns", "table"),
    [
        ("a : ℝ⁺[6.0] ∷ b : ℝ else 0 ∷ []", {"a": [6.0] * 2, "b": [0.0] * 2}),
        ("a : 𝐝 𝕊 ∷ b : ℝ else 0 ∷ []", {"a": ["u"] * 2, "b": [0.0] * 2}),
    ],
)
@pytest.mark.parametrize("rule", ["refuse", "default"])
def test_rows_that_have_no_length_or_are_all_too_long_are_refused(columns: str, table: object, rule: str) -> None:
    program = duetpy.parse(ROWS.format(columns, "mfold-row 0.0, xs { t, r ⇒ t + r.b }"), "eps").check()
    with pytest.raises(DuetError) as caught:
        program.run(xs=table, _insecure_noise="none", _on_bad_row=rule)
    assert [diagnostic.code for diagnostic in caught.value.diagnostics] == ["D0611"]
