"""Runs of integer noise, generalized Gaussians, Gibbs choices, Gaussian columns and shuffled reports."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import duetpy
from duetpy.diagnostics.error import DuetError
from duetpy.runtime.release import selecting
from duetpy.runtime.release.release import Release
from duetpy.runtime.release.run import run
from tests.effort import often

TABLE = "xs : 𝕄 [L∞, U | ★, age : 𝔻 ∷ []]"
COUNT = f"pλ ε : ℝ⁺ . {TABLE}, ε : ℝ⁺[ε] ⇒ dlaplace[auto, ε] <xs> {{ rows (mfilter xs {{ r ⇒ r.age < 5.0 }}) }}"
AGES = np.arange(10.0).reshape(-1, 1)


def go(text: str, data: Any, notion: str, seed: int | str | None = None, **values: object) -> Release:
    found = duetpy.parse(text, notion=notion).typed
    assert found is not None
    assert found.ok, found.diagnostics
    how: dict[str, Any] = {} if seed is None else {"insecure_noise": seed}
    return run(found, data, values, **how)


def test_a_count_with_whole_noise_is_whole() -> None:
    release = go(COUNT, {"xs": AGES}, "eps", ε=Fraction(1, 2))
    assert release.result == int(release.result)
    assert abs(release.result - 5) < 2 * 60
    (entry,) = release.releases
    assert entry["mechanism"] == "discrete-laplace"
    assert 2.0 <= entry["scale"] < 2.0001
    assert entry["error95"] == int(entry["error95"])
    assert go(COUNT, {"xs": AGES}, "eps", "none", ε=0.5).result == 5


def test_the_noise_of_a_count_is_centred_on_it_and_as_wide_as_it_says() -> None:
    count = often(120, 50)
    found = [go(COUNT, {"xs": AGES}, "eps", seed, ε=1.0).result for seed in range(count)]
    ratio = math.exp(-1.0)
    deviation = math.sqrt(2 * ratio) / (1 - ratio)
    assert abs(np.mean(found) - 5) < 6 * deviation / math.sqrt(count)
    assert 0.7 * deviation < np.std(found) < 1.4 * deviation


@pytest.mark.parametrize(
    ("notion", "parameters", "values", "sigma"),
    [
        ("zcdp", ("ρ",), {"ρ": 0.125}, 2.0),
        ("renyi", ("α", "ε"), {"α": 8, "ε": 1}, 2.0),
        ("tcdp", ("ρ", "ω"), {"ρ": 0.125, "ω": 9}, 2.0),
        ("approx", ("ε", "δ"), {"ε": 1, "δ": 1e-6}, 4.5308),
    ],
)
def test_a_discrete_gaussian_in_every_notion_that_has_one(
    notion: str, parameters: tuple[str, ...], values: dict[str, Any], sigma: float
) -> None:
    kinds = ", ".join(f"{name} : ℝ⁺" for name in parameters)
    given = ", ".join(f"{name} : ℝ⁺[{name}]" for name in parameters)
    text = f"pλ {kinds} . n : ℕ, {given} ⇒ dgauss[1.0, {', '.join(parameters)}] <n> {{ n }}"
    found = duetpy.parse(text, notion=notion).typed
    assert found is not None
    assert found.ok, found.diagnostics
    text = text.replace("n : ℕ", TABLE).replace("<n> { n }", "<xs> { rows xs }")
    release = go(text, {"xs": AGES}, notion, **values)
    assert release.result == int(release.result)
    (entry,) = release.releases
    assert entry["mechanism"] == "discrete-gaussian"
    assert entry["scale"] == pytest.approx(sigma, rel=1e-4)
    assert go(text, {"xs": AGES}, notion, "none", **values).result == 10


def test_a_discrete_gaussian_is_as_wide_as_it_says() -> None:
    text = f"pλ ρ : ℝ⁺ . {TABLE}, ρ : ℝ⁺[ρ] ⇒ dgauss[auto, ρ] <xs> {{ rows xs }}"
    count = often(120, 50)
    runs = [go(text, {"xs": AGES}, "zcdp", seed, ρ=Fraction(1, 32)) for seed in range(count)]
    assert [run.releases[0]["scale"] for run in runs] == [pytest.approx(4.0, rel=1e-4)] * count
    found = [run.result for run in runs]
    assert abs(np.mean(found) - 10) < 6 * 4 / math.sqrt(count)
    assert 0.7 * 4 < np.std(found) < 1.4 * 4


@pytest.mark.parametrize(("power", "scale"), [("1.0", 4), ("2.0", 4), ("3.5", 4)])
def test_a_generalized_gaussian(power: str, scale: int) -> None:
    text = f"pλ b : ℝ⁺ . {TABLE}, b : ℝ⁺[b] ⇒ ggauss[auto, {power}, b] <xs> {{ real (rows xs) }}"
    release = go(text, {"xs": AGES}, "approx", b=scale)
    (entry,) = release.releases
    assert entry["mechanism"] == "generalized-gaussian"
    assert 4.0 <= entry["scale"] < 4.0001
    assert abs(release.result - 10) < 4 * 45
    assert go(text, {"xs": AGES}, "approx", "none", b=scale).result == pytest.approx(10, abs=1e-8)


def test_a_power_that_is_no_fraction_draws_no_noise() -> None:
    text = f"pλ . {TABLE} ⇒ ggauss[auto, √ ℝ⁺[3.0], 4.0] <xs> {{ real (rows xs) }}"
    with pytest.raises(DuetError) as caught:
        go(text, {"xs": AGES}, "approx")
    assert [found.code for found in caught.value.diagnostics] == ["D0703"]


def test_a_gibbs_choice_prefers_small_risks() -> None:
    text = (
        f"pλ β : ℝ⁺ . {TABLE}, β : ℝ⁺[β] ⇒ gibbs[β] mcreate[L∞ | ℕ[1], ℕ[4]] {{ i, j ⇒ 10.0 ⋅ real j }} <xs> "
        "{ c ⇒ (real (rows xs) - c) ⊔ (c - real (rows xs)) }"
    )
    assert go(text, {"xs": AGES}, "eps", "none", β=1).result == 1
    count = often(150, 50)
    found = Counter(go(text, {"xs": AGES}, "eps", seed, β=0.05).result for seed in range(count))
    weights = [math.exp(-0.05 * risk) for risk in (10, 0, 10, 20)]
    for index, weight in enumerate(weights):
        share = weight / sum(weights)
        assert abs(found[index] - count * share) < 6 * math.sqrt(count * share * (1 - share))
    (entry,) = go(text, {"xs": AGES}, "eps", β=0.05).releases
    assert (entry["mechanism"], entry["error95"]) == ("gibbs", None)
    assert 20.0 <= entry["scale"] < 20.0001


def test_a_column_of_fixed_size() -> None:
    text = "pλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅ℝ] ⇒ bgauss[1.0, 1.0, 1e-6] <xs> { xs }"
    release = go(text, {"xs": AGES}, "approx")
    assert np.shape(release.result) == (10, 1)
    assert np.allclose(go(text, {"xs": AGES}, "approx", "none").result, AGES)


REPORTS = "pλ n : ℕ, ε : ℝ⁺ . xs : 𝕄 [L∞, U | n, 1⋅𝔻], ε : ℝ⁺[ε] ⇒ shuffle[rows xs] xs { x ⇒ "
POLL = f"{REPORTS} rand-resp[2, ε] <x> {{ if x#[0, 0] < 5.0 then idx ℕ[0] else idx ℕ[1] }} }}"


def test_a_poll_of_shuffled_answers() -> None:
    assert np.ravel(go(POLL, {"xs": AGES}, "eps", "none", ε=1).result).tolist() == [0] * 5 + [1] * 5
    release = go(POLL, {"xs": AGES}, "eps", ε=50)
    assert sorted(np.ravel(release.result).tolist()) == [0] * 5 + [1] * 5
    (entry,) = release.releases
    assert (entry["mechanism"], entry["count"]) == ("rand-resp", 10)


def test_the_place_of_a_report_says_nothing() -> None:
    """Ten rows, one of which answers 1 for sure: it turns up everywhere alike. In the order of the rows it would not."""
    ages = np.zeros((10, 1))
    ages[9] = 9.0
    count = often(100, 50)
    places = Counter(
        int(np.argmax(np.ravel(go(POLL, {"xs": ages}, "eps", seed, ε=60).result))) for seed in range(count)
    )
    assert len(places) == 10
    assert max(places.values()) < count / 10 + 6 * 0.3 * math.sqrt(count)


def test_reports_are_in_the_order_that_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selecting, "permuted", lambda items, bits: [*items][::-1])
    ages = np.zeros((10, 1))
    ages[9] = 9.0
    assert np.ravel(go(POLL, {"xs": ages}, "eps", 1, ε=60).result).tolist() == [1] + [0] * 9


def test_a_poll_of_any_other_number_of_rows_is_refused() -> None:
    text = POLL.replace("shuffle[rows xs]", "shuffle[ℕ[9]]")
    with pytest.raises(DuetError) as caught:
        go(text, {"xs": AGES}, "eps", ε=1)
    assert {found.code for found in caught.value.diagnostics} == {"D0501"}


def test_a_report_of_several_tables_sees_the_same_row_of_each() -> None:
    text = """pλ n : ℕ . ⟨xs : 𝕄 [L∞, U | n, 1⋅𝔻], ys : 𝕄 [L∞, U | n, 2⋅𝔻]⟩ ⇒ shuffle[rows xs] xs, ys { x, y ⇒
      a ← rand-resp[2, 60.0] <x> { if x#[0, 0] < 5.0 then idx ℕ[0] else idx ℕ[1] } ;
      b ← rand-resp[2, 60.0] <y> { if y#[0, 1] < 95.5 then idx ℕ[0] else idx ℕ[1] } ;
      return ⟨a, b⟩ }"""
    data = {"xs": AGES, "ys": np.hstack([AGES, 100 - AGES])}
    in_order = go(text, data, "approx", "none").result
    assert np.reshape(in_order, (10, 2)).tolist() == [[0, 1]] * 5 + [[1, 0]] * 5
    assert sorted(np.reshape(go(text, data, "approx").result, (10, 2)).tolist()) == [[0, 1]] * 5 + [[1, 0]] * 5
