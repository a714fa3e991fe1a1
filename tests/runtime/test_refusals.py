"""Runs that are refused: by which code, and before what."""

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from duetpy.report.release_text import privacy_text
from duetpy.runtime.sources.column_selection import parse_data_argument
from tests.runtime.runs import DESCENT, SUM, X, codes, go, refused


def test_arguments_are_named() -> None:
    missing = refused(SUM, {})
    assert codes(missing) == ["D0608", "D0608"]
    assert "--data xs=FILE" in missing[0].help
    assert "--set ε=" in missing[1].help
    assert codes(refused(SUM, {"zs": X}, ε=1)) == ["D0610"]
    assert codes(refused(SUM, {"xs": X}, ε=1, z=1)) == ["D0610"]
    assert codes(refused(SUM, {"xs": X}, ε="much")) == ["D0611"]
    assert codes(refused(SUM, {"xs": X}, ε=-1)) == ["D0611"]
    assert codes(refused(SUM, {"xs": X}, ε=1, m=5)) == ["D0612"]
    assert codes(refused(SUM, {"xs": X, None: X}, ε=1)) == ["D0611"]
    assert codes(refused(DESCENT, {None: X}, None, k=1, ε=1, δ=1e-6, η=1)) == ["D0608"]
    assert codes(refused("sλ x : ℝ ⇒ x", {})) == ["D0609"]
    assert all(diagnostic.is_error for diagnostic in refused("1.0 + true", {}))


def test_nothing_is_given_twice() -> None:
    (found,) = refused(SUM, {"xs": X}, ε=1, xs=X)
    assert (found.code, found.message) == ("D0611", "xs is given both as data and as a public value")
    visits = {"id": ["a"], "cost": [1.0]}
    text = "pλ . people : persons[id : 𝕊 | visits : 𝔻𝔽[cost : 𝔻]] ⇒ dlaplace[1, 1.0] <people> { rows people }"
    (found,) = refused(text, {"people": {"visits": visits}, "visits": visits})
    assert (found.code, found.message) == ("D0611", "people is given twice")


def test_public_values_are_held_to_their_types_where_bad_cells_count_as_defaults() -> None:
    text = SUM.replace("⇒", ", bs : 𝕄 [L∞, L2≤1.0 | 1, 1⋅𝔻 else 0] ⇒", 1)
    how = {"on_bad_row": "default", "insecure_noise": "none"}
    assert go(text, {"xs": X}, how=how, ε=1, bs=[[1.0]]).result > 0
    assert codes(refused(text, {"xs": X}, how=how, ε=1, bs=[[2.0]])) == ["D0613"]


def test_data_and_types() -> None:
    assert codes(refused(DESCENT, {"xs": X, "ys": X[:-1]}, None, k=1, ε=1, δ=1e-6, η=1)) == ["D0612"]
    assert codes(refused(SUM, {"xs": np.empty((0, 1))}, ε=1)) == ["D0602"]
    assert codes(refused(SUM, {"xs": np.empty((0, 1))}, how={"on_bad_row": "default"}, ε=1)) == ["D0602"]
    assert codes(refused(SUM, {"xs": [[1.0, 2.0]]}, ε=1)) == ["D0603"]
    assert codes(refused(SUM, {"xs": [["a"]]}, ε=1)) == ["D0604"]
    bounded = SUM.replace("U |", "L2≤1.0 |")
    assert codes(refused(bounded, {"xs": [[0.5], [1.5]]}, ε=1)) == ["D0613"]
    total = go(bounded, {"xs": [[0.5], [1.5]]}, how={"on_bad_row": "default", "insecure_noise": "none"}, ε=1)
    assert total.result == pytest.approx(1.5, abs=1e-6)
    assert total.data["xs"]["bad_rows"] == "default"


def test_side_conditions_are_checked_before_data_is_read() -> None:
    assert codes(refused(DESCENT, {"xs": "nowhere.csv", "ys": "nowhere.csv"}, None, k=1, ε=1, δ=2, η=1)) == ["D0501"]
    assert codes(refused(DESCENT, {"xs": "nowhere.csv", "ys": X}, None, k=1, ε=1, δ=0.5, η=1)) == ["D0601"]
    sampled = """pλ m : ℕ, b : ℕ, ε : ℝ⁺ . xs : 𝕄 [L∞, U | m, 1⋅𝔻 else 0], b : ℕ[b], ε : ℝ⁺[ε] ⇒
      sample[b] xs { s ⇒ laplace[auto, ε] <s> { mfold-row 0.0, s { a, r ⇒ a + clip (r#[ℕ[0], ℕ[0]]) } } }"""
    assert go(sampled, {"xs": X}, b=10, ε=1).releases[0]["count"] == 1
    assert codes(refused(sampled, {"xs": X}, b=1000, ε=1)) == ["D0501"]


def test_data_is_not_released_in_the_clear() -> None:
    clear = "pλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻 else 0] ⇒ return (xs#[ℕ[0], ℕ[0]])"
    (diagnostic,) = refused(clear, {"xs": "nowhere.csv"})
    assert diagnostic.code == "D0701"
    assert "in the clear" in diagnostic.message
    public = go(clear, {}, xs=[[2.5]])
    assert public.result == 2.5
    assert public.privacy["parameters"] == []
    assert public.data == {}


def worth(tight: Mapping[str, float]) -> float:
    return tight["epsilon"]


def test_rows_of_one_file_are_one_person_each(tmp_path: Path) -> None:
    text = """pλ m : ℕ, ε : ℝ⁺ . xs : 𝕄 [L∞, U | m, 1⋅𝔻 else 0], ys : 𝕄 [L∞, U | m, 1⋅𝔻 else 0], ε : ℝ⁺[ε] ⇒
      a ← laplace[auto, ε] <xs> { mfold-row 0.0, xs { a, r ⇒ a + clip (r#[ℕ[0], ℕ[0]]) } } ;
      b ← laplace[auto, 2.0 ⋅ ε] <ys> { mfold-row 0.0, ys { a, r ⇒ a + clip (r#[ℕ[0], ℕ[0]]) } } ;
      return ⟨a, b⟩"""
    paths = []
    for name in ("x.csv", "y.csv"):
        paths.append(tmp_path / name)
        paths[-1].write_text("1,2\n3,4\n", encoding="utf-8")
    (tmp_path / "link.csv").symlink_to(paths[0])
    apart = go(text, {"xs": parse_data_argument(f"{paths[0]}:0"), "ys": parse_data_argument(f"{paths[1]}:0")}, ε=1)
    assert apart.privacy["total"]["epsilon"] == 2.0
    for other in (paths[0], tmp_path / "link.csv"):
        together = go(text, {"xs": parse_data_argument(f"{paths[0]}:0"), "ys": parse_data_argument(f"{other}:1")}, ε=1)
        assert together.privacy["total"]["epsilon"] == 3.0
        assert "together" in together.privacy["unit"]
        # What a person's two costs are worth together is more than what the dearer one is worth alone.
        alone = [entry["tight"]["epsilon"] for entry in together.privacy["parameters"]]
        assert max(alone) <= 2.0 < together.privacy["tight"]["epsilon"] <= 3.0
    assert apart.privacy["tight"] == max((entry["tight"] for entry in apart.privacy["parameters"]), key=worth)
    assert go(text, {"xs": np.ones((4, 1)), "ys": np.ones((4, 1))}, ε=1).privacy["total"]["epsilon"] == 3.0


def test_notions_without_a_joint_price_ask_for_aligned_parameters(tmp_path: Path) -> None:
    text = """pλ m : ℕ, ε : ℝ⁺ . xs : 𝕄 [L∞, U | m, 1⋅𝔻 else 0], ys : 𝕄 [L∞, U | m, 1⋅𝔻 else 0], ε : ℝ⁺[ε] ⇒
      a ← gauss[auto, ℝ⁺[4.0], ε] <xs> { mfold-row 0.0, xs { a, r ⇒ a + clip (r#[ℕ[0], ℕ[0]]) } } ;
      b ← gauss[auto, ℝ⁺[4.0], ε] <ys> { mfold-row 0.0, ys { a, r ⇒ a + clip (r#[ℕ[0], ℕ[0]]) } } ; return ⟨a, b⟩"""
    path = tmp_path / "x.csv"
    path.write_text("1,2\n3,4\n", encoding="utf-8")
    data = {"xs": parse_data_argument(f"{path}:0"), "ys": parse_data_argument(f"{path}:1")}
    (diagnostic,) = refused(text, data, "renyi", ε=1)
    assert diagnostic.code == "D0704"
    assert "aligned" in diagnostic.help


def test_a_sensitivity_that_doubles_cannot_hold_is_refused() -> None:
    text = "pλ ε : ℝ⁺, s : ℝ⁺ . x : ℝ, ε : ℝ⁺[ε], s : ℝ⁺[s] ⇒ laplace[auto, ε] <x> { s ⋅ x }"
    assert codes(refused(text, {"x": 1.0}, ε=1, s=Fraction(1, 10**300))) == ["D0703"]
    assert codes(refused(text, {"x": 1.0}, ε=1, s=Fraction(10**300))) == ["D0703"]


@pytest.mark.parametrize("how", [{}, {"on_bad_row": "default"}])
@pytest.mark.parametrize("kind", ["ℝ", "𝐝 ℕ", "𝕊", "𝔹"])
def test_a_file_is_no_single_value(kind: str, how: dict[str, Any]) -> None:
    """Nor is it a bad one, which would be counted as 0."""
    text = f"pλ . x : {kind} ⇒ rand-resp[2, 1.0] <x> {{ if x ≡ x then idx ℕ[0] else idx ℕ[1] }}"
    if kind == "ℝ":
        text = "pλ . x : ℝ ⇒ laplace[1.0, 1.0] <x> { x }"
    (diagnostic,) = refused(text, {"x": parse_data_argument("nowhere.csv")}, how=how)
    assert diagnostic.code == "D0611"
    assert "is not a table" in diagnostic.message
    assert "--set x=" in diagnostic.help


def test_a_single_value_has_no_rows() -> None:
    release = go("pλ . x : ℝ ⇒ laplace[1.0, 1.0] <x> { x }", {"x": 3})
    assert release.privacy["unit"] == "x"
    assert privacy_text(release) == "Privacy: x is protected with ε = 1 (pure; steps of distance 1).\n"
