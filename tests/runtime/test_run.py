"""Runs: what a release says, by which law it is drawn, and that its noise covers what neighbours differ by."""

import json
import math
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from duetpy.runtime.engines.threads import ThreadsEngine
from duetpy.runtime.noise.exponential_choice import permute_and_flip
from duetpy.runtime.noise.random_bits import InsecureBits
from duetpy.runtime.release import mechanisms
from duetpy.runtime.release.selecting import each_with_probability, without_replacement
from duetpy.runtime.sources.column_selection import parse_data_argument
from tests.runtime.runs import COUNTS, DESCENT, SUM, X, codes, go, refused


def test_a_sum() -> None:
    exact = float(np.clip(X, 0, 1).sum())
    bare = go(SUM, {"xs": X}, how={"insecure_noise": "none"}, ε=0.5)
    assert bare.result == pytest.approx(exact, abs=1e-8)
    assert bare.noise == "INSECURE"
    release = go(SUM, {"xs": X}, ε=Fraction(1, 2))
    assert abs(release.result - exact) < 2 * 60
    assert release.noise == "secure"
    assert release.data == {"xs": {"rows": 201, "columns": 1, "bad_rows": "refused"}}
    (entry,) = release.releases
    assert entry["mechanism"] == "laplace"
    assert (entry["line"], entry["count"], entry["sensitivity"]) == (2, 1, 1.0)
    assert 2.0 <= entry["scale"] < 2.0001
    assert entry["error95"] == pytest.approx(entry["scale"] * math.log(20), rel=1e-9)
    assert release.privacy["unit"] == "one row of xs"
    assert release.privacy["neighbours"] == "replace-one"
    assert release.privacy["total"] == {"notion": "eps", "epsilon": 0.5}
    (cost,) = release.privacy["parameters"]
    assert cost["name"] == "xs"
    assert cost["value"] == {"epsilon": 0.5}
    assert cost["tight"]["epsilon"] <= 0.5


def test_json() -> None:
    shown = json.loads(go(SUM, {"xs": X}, ε=0.5).to_json())
    assert set(shown) == {"program", "result", "privacy", "releases", "data", "noise", "seconds"}
    counts = json.loads(go(COUNTS, {"xs": {"age": [1.0], "state": ["VT"]}}, ε=0.5).to_json())
    assert [key for key, _ in counts["result"]] == ["ME", "NY", "VT"]
    descent = go(DESCENT, {"xs": X, "ys": X}, None, k=1, ε=1, δ=1e-6, η=1)
    assert np.shape(json.loads(descent.to_json())["result"]) == (1, 1)


def test_the_one_private_table_needs_no_name(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("v\n0.25\n0.5\n", encoding="utf-8")
    release = go(SUM, {None: str(path)}, how={"insecure_noise": "none"}, eps=0.5)
    assert release.result == pytest.approx(0.75, abs=1e-8)
    assert release.privacy["unit"] == f"one row of {path}"
    again = go(SUM, {"xs": parse_data_argument(f"xs={path}:0")}, how={"insecure_noise": "none"}, eps=0.5)
    assert again.result == release.result


def test_a_seed_repeats_and_its_absence_does_not() -> None:
    one, two = (go(SUM, {"xs": X}, how={"insecure_noise": 7}, ε=0.5) for _ in range(2))
    assert one.result == two.result
    assert one.noise == "INSECURE"
    three = go(SUM, {"xs": X}, how={"insecure_noise": 8}, ε=0.5)
    assert three.result != one.result
    assert go(SUM, {"xs": X}, ε=0.5).result != go(SUM, {"xs": X}, ε=0.5).result


def test_gradient_descent_counts_its_rounds_and_learns() -> None:
    rng = np.random.default_rng(0)
    xs = rng.normal(size=(5000, 3))
    ys = np.where(xs @ np.array([1.0, -2.0, 0.5]) > 0, 1.0, -1.0).reshape(-1, 1)
    release = go(DESCENT, {"xs": xs, "ys": ys}, None, k=30, ε=1, δ=1e-6, η=2)
    (entry,) = release.releases
    assert (entry["mechanism"], entry["word"]) == ("gaussian", "mgauss")
    assert entry["count"] == 30
    assert entry["sensitivity"] == pytest.approx(2 / 5000)
    theta = np.array(release.result[0])
    right = np.mean(np.sign(xs @ theta) == ys[:, 0])
    assert right > 0.9
    first, second = release.privacy["parameters"]
    assert first["value"] == second["value"] == {"epsilon": 30.0, "delta": pytest.approx(3e-5)}
    assert release.privacy["total"]["epsilon"] == 30.0


def test_blocks_threads_and_storage_change_no_bit_of_a_release() -> None:
    rng = np.random.default_rng(1)
    xs, ys = rng.normal(size=(20_000, 4)), rng.normal(size=(20_000, 1))
    engine = ThreadsEngine(workers=3, blocks_a_batch=1)
    results = [
        go(DESCENT, data, None, {"insecure_noise": 5, "engine": engine}, k=3, ε=1, δ=1e-6, η=1).result
        for data in ({"xs": xs, "ys": ys}, {"xs": np.asfortranarray(xs), "ys": ys.tolist()})
    ]
    engine.close()
    results.append(go(DESCENT, {"xs": xs, "ys": ys}, None, {"insecure_noise": 5}, k=3, ε=1, δ=1e-6, η=1).result)
    assert results[0] == results[1] == results[2]


def test_parts_that_hold_no_row_run_too() -> None:
    people = {"age": [1.0, 2.0, 3.0], "state": ["VT", "CA", "VT"]}
    release = go(COUNTS, {"xs": people}, how={"insecure_noise": "none"}, ε=1)
    assert release.result == [("ME", 0.0), ("NY", 0.0), ("VT", 2.0)]
    assert release.releases[0]["count"] == 3
    assert release.privacy["neighbours"] == "add-remove"
    assert release.data["xs"]["rows"] is None  # an added or a removed row is what is hidden


def test_real_rows_of_unknown_number_do_not_tell_how_many_they_are() -> None:
    text = """pλ ε : ℝ⁺ . xs : bag ℝ, ε : ℝ⁺[ε] ⇒
      laplace[1.0, ε] <xs> { mfold-row 0.0, xs { a, r ⇒ a + r#[0, 0] } }"""
    release = go(text, {"xs": [[1.0], [30.0]]}, how={"insecure_noise": "none"}, ε=1)
    assert release.privacy["neighbours"] == "step"  # a row of 30 is 30 steps from no row
    assert release.data["xs"]["rows"] is None


@pytest.mark.parametrize("count", [0, 1, 4])
def test_loops_run_as_often_as_they_say(count: int) -> None:
    text = """pλ m : ℕ, ε : ℝ⁺ . xs : 𝕄 [L∞, U | m, 1⋅𝔻], ε : ℝ⁺[ε] ⇒
      loop ℕ[%d] on 1.5 <xs> { i, x ⇒
        y ← laplace[auto, ε] <xs> { mfold-row 0.0, xs { a, r ⇒ a + clip (r#[ℕ[0], ℕ[0]]) } } ;
        return (x + real i + 0.0 ⋅ y) }"""
    release = go(text % count, {"xs": X}, ε=1)
    assert release.result == 1.5 + sum(range(count))
    assert sum(entry["count"] for entry in release.releases) == count


def test_matrices_get_noise_on_every_entry() -> None:
    text = """pλ m : ℕ, ε : ℝ⁺ . xs : 𝕄 [L∞, U | m, 3⋅𝔻], ε : ℝ⁺[ε] ⇒
      mlaplace[auto, ε] <xs> { mfold-row (mcreate[L1 | ℕ[1], ℕ[3]] { i, j ⇒ 0.0 }), (mconv (mclip[L1] xs)) {
        a, r ⇒ mmap a, r { x, y ⇒ x + y } } }"""
    table = np.full((10, 3), 0.25)
    bare = go(text, {"xs": table}, how={"insecure_noise": "none"}, ε=1)
    assert bare.result == [pytest.approx([2.5, 2.5, 2.5], abs=1e-6)]
    noisy = go(text, {"xs": table}, ε=1)
    assert len({value - 2.5 for value in noisy.result[0]}) == 3
    assert noisy.releases[0]["sensitivity"] == 2.0


def test_functions_get_their_sizes_from_their_arguments() -> None:
    text = """let total = pλ m : ℕ, ε : ℝ⁺ . xs : 𝕄 [L∞, U | m, 1⋅𝔻], ε : ℝ⁺[ε] ⇒
        s ← laplace[auto, ε] <xs> { mfold-row 0.0, xs { a, r ⇒ a + clip (r#[ℕ[0], ℕ[0]]) } } ;
        return ⟨s, real (rows xs)⟩ in
      pλ m : ℕ, ε : ℝ⁺ . xs : 𝕄 [L∞, U | m, 1⋅𝔻], ε : ℝ⁺[ε] ⇒
        one ← total@[ . xs, ε] ; two ← total@[m, ε . xs, ε] ; return ⟨snd one, snd two⟩"""
    assert go(text, {"xs": X}, ε=1).result == (201.0, 201.0)
    assert go(text, {"xs": X}, ε=1).privacy["total"]["epsilon"] == 2.0


def test_conversions_samples_columns_and_batches() -> None:
    table = np.random.default_rng(2).random((100, 3))
    sum_of = "mfold-row 0.0, {} {{ a, r ⇒ a + clip[0.0, 1.0] (r#[ℕ[0], ℕ[0]]) }}"
    three = "xs : 𝕄 [L∞, U | m, 3⋅𝔻]"
    bare = {"insecure_noise": "none"}
    converted = (
        f"pλ m : ℕ, δ : ℝ⁺ . {three}, δ : ℝ⁺[δ] ⇒ ZCDP[δ] {{ gauss[auto, ℝ⁺[0.5]] <xs> {{ {sum_of.format('xs')} }} }}"
    )
    release = go(converted, {"xs": table}, None, bare, δ=1e-6)
    assert release.result == pytest.approx(table[:, 0].sum(), abs=1e-6)
    columns = f"pλ m : ℕ . {three} ⇒ pmap-col xs {{ c ⇒ gauss[auto, ℝ⁺[0.5]] <c> {{ {sum_of.format('c')} }} }}"
    assert go(columns, {"xs": table}, "zcdp", bare).result == [pytest.approx(table.sum(axis=0), abs=1e-6)]
    sampled = f"""pλ m : ℕ, ε : ℝ⁺, δ : ℝ⁺ . {three}, ε : ℝ⁺[ε], δ : ℝ⁺[δ] ⇒
      sample[ℕ[10]] xs {{ s ⇒ gauss[auto, ε, δ] <s> {{ {sum_of.format("s")} }} }}"""
    assert go(sampled, {"xs": np.ones((100, 3))}, None, {"insecure_noise": 1}, ε=100, δ=1e-2).result == pytest.approx(
        10, abs=2
    )
    batches = f"""let step = pλ b : ℕ . ⟨xs : 𝕄 [L∞, U | b, 3⋅𝔻], ys : 𝕄 [L∞, U | b, 3⋅𝔻]⟩, z : ℝ ⇒
        g ← gauss[auto, ℝ⁺[0.5]] <xs, ys> {{ {sum_of.format("xs")} }} ; return (z + g) in
      pλ m : ℕ . ⟨{three}, ys : 𝕄 [L∞, U | m, 3⋅𝔻]⟩ ⇒ pfld-rows[ℕ[50], 0.0, xs, ys, step]"""
    release = go(batches, {"xs": table, "ys": table}, "zcdp", bare)
    assert release.result == pytest.approx(table[:, 0].sum(), abs=1e-6)
    assert release.releases[0]["count"] == 2
    assert "D0501" in [d.code for d in refused(batches.replace("ℕ[50]", "ℕ[7]"), {"xs": table, "ys": table}, "zcdp")]


def test_mechanisms_that_choose() -> None:
    table = np.linspace(0, 1, 100).reshape(-1, 1)
    choose = """pλ m : ℕ, ε : ℝ⁺ . xs : 𝕄 [L∞, U | m, 1⋅𝔻], ε : ℝ⁺[ε] ⇒
      let cuts = mcreate[L∞ | ℕ[1], ℕ[5]] {{ i, j ⇒ real (dyn j) / 4.0 }} in
      {}[auto, ε] cuts <xs> {{ c ⇒
        mfold-row 0.0, xs {{ a, r ⇒ a + (if (r#[ℕ[0], ℕ[0]]) < disc c then 1.0 else 0.0) }} }}"""
    for name in ("exponential", "noisy-max"):
        assert go(choose.format(name), {"xs": table}, ε=50).result == 4
        assert go(choose.format(name), {"xs": table}, how={"insecure_noise": "none"}, ε=1).result == 4
        entry = go(choose.format(name), {"xs": table}, ε=Fraction(1, 2)).releases[0]
        assert (entry["mechanism"], entry["sensitivity"], entry["error95"]) == (name, 1.0, None)
        assert entry["scale"] == pytest.approx(4.0)
        assert entry["score95"] == pytest.approx(4.0 * math.log({"exponential": 20, "noisy-max": 10}[name] * 5))
    threshold = """pλ m : ℕ, ε : ℝ⁺ . xs : 𝕄 [L∞, U | m, 1⋅𝔻], ε : ℝ⁺[ε] ⇒
      let qs = mcreate[L∞ | ℕ[1], ℕ[5]] { i, j ⇒ (sλ t : ℝ ⇒ t + 100.0 ⋅ real (dyn j)) } in
      AboveThreshold[ε, qs, 230.0] <xs> { mfold-row 0.0, xs { a, r ⇒ a + clip[0.0, 1.0] (r#[ℕ[0], ℕ[0]]) } }"""
    assert go(threshold, {"xs": table}, ε=50).result == 2
    assert go(threshold.replace("230.0", "2500.0"), {"xs": table}, ε=50).result == 4  # never above: the last
    answer = "pλ ε : ℝ⁺ . x : 𝕀[3], ε : ℝ⁺[ε] ⇒ rand-resp[ℕ[3], ε] <x> { x }"
    assert go(answer, {"x": 2}, ε=60).result == 2


def test_files_with_headers_bind_columns_by_name(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text('state,age\nVT,20\n"NY",30\nVT,5\n', encoding="utf-8")
    release = go(COUNTS, {"xs": str(path)}, how={"insecure_noise": "none"}, ε=1)
    assert release.result == [("ME", 0.0), ("NY", 1.0), ("VT", 2.0)]
    (diagnostic,) = refused(COUNTS.replace("age", "years"), {"xs": str(path)}, ε=1)[:1]
    assert diagnostic.code == "D0603"


def test_public_tables_and_sets_come_with_settings(tmp_path: Path) -> None:
    text = """pλ m : ℕ, ε : ℝ⁺ . xs : 𝕄 [L∞, U | m, 1⋅𝔻], keys : ℘(𝐝 ℕ), w : 𝕄 [L∞, U | 1, 2⋅ℝ], ε : ℝ⁺[ε] ⇒
      s ← laplace[auto, ε] <xs> { mfold-row 0.0, xs { a, r ⇒ a + clip (r#[ℕ[0], ℕ[0]]) } } ;
      return ⟨keys, w#[ℕ[0], ℕ[1]]⟩"""
    from duetpy.settings import DataFile

    keys, weights = tmp_path / "keys.csv", tmp_path / "w.csv"
    keys.write_text("3\n1\n3\n", encoding="utf-8")
    weights.write_text("0.5,2.5\n", encoding="utf-8")
    assert go(text, {"xs": X}, ε=1, keys=DataFile(keys), w=DataFile(weights)).result == ([1, 3], 2.5)
    assert go(text, {"xs": X}, ε=1, keys={3, 1}, w=np.array([[0.5, 2.5]])).result == ([1, 3], 2.5)
    assert codes(refused(text, {"xs": X}, ε=1, keys={3, 1}, w=[[1.0, 2.0, 3.0]])) == ["D0603"]


def test_the_engine_can_be_named() -> None:
    bare = {"insecure_noise": "none"}
    named = go(SUM, {"xs": X}, how=bare | {"engine": "threads"}, ε=0.5)
    assert named.result == go(SUM, {"xs": X}, how=bare, ε=0.5).result
    with pytest.raises(ValueError, match="engine is neither 'threads' nor"):
        go(SUM, {"xs": X}, how={"engine": "abacus"}, ε=0.5)


# ---------------------------------------------------------------------------------------------------------------------
# The laws of samples and choices


def test_answers_are_drawn_by_their_law() -> None:
    text = """pλ ε : ℝ⁺ . x : 𝕀[3], ε : ℝ⁺[ε] ⇒
      loop ℕ[3000] on ⟨0.0, 0.0⟩ <x> { i, counts ⇒
        a ← rand-resp[ℕ[3], ε] <x> { x } ;
        return ⟨fst counts + (if a ≡ 1 then 1.0 else 0.0), snd counts + (if a ≡ 0 then 1.0 else 0.0)⟩ }"""
    true, false = go(text, {"x": 1}, how={"insecure_noise": 1}, ε=1.0).result
    share = math.e / (math.e + 2)
    assert true / 3000 == pytest.approx(share, abs=0.04)
    assert false / 3000 == pytest.approx((1 - share) / 2, abs=0.04)


def test_permute_and_flip_has_the_law_of_report_noisy_max_with_exponential_noise() -> None:
    scores, rate = [Fraction(0), Fraction(1), Fraction(2)], Fraction(1, 2)
    rng = np.random.default_rng(3)
    noisy = np.array([0.0, 1.0, 2.0]) * 0.5 + rng.exponential(size=(200_000, 3))
    wanted = np.bincount(noisy.argmax(axis=1), minlength=3) / 200_000
    bits = InsecureBits(4)
    found = np.bincount([permute_and_flip(scores, rate, bits) for _ in range(20_000)], minlength=3) / 20_000
    assert np.abs(found - wanted).max() < 0.02


def test_samples() -> None:
    bits = InsecureBits(5)
    drawn = [without_replacement(5, 2, bits).tolist() for _ in range(5000)]
    assert all(len(set(pair)) == 2 for pair in drawn)
    shares = Counter(map(tuple, drawn))
    assert len(shares) == 20  # in every order
    assert max(abs(count / 5000 - 0.05) for count in shares.values()) < 0.02
    kept = each_with_probability(100_000, Fraction(1, 3), bits)
    assert len(kept) / 100_000 == pytest.approx(1 / 3, abs=0.01)
    assert len(each_with_probability(100, Fraction(1), bits)) == 100
    assert not len(each_with_probability(1000, Fraction(1, 1 << 80), bits))


@pytest.mark.parametrize("name", ["laplace", "gauss"])
@pytest.mark.sparse(2)
def test_noise_has_the_scale_that_is_reported(name: str) -> None:
    parameter, notion, norm = ("ε", "eps", "L1") if name == "laplace" else ("ρ", "zcdp", "L2")
    text = f"""pλ {parameter} : ℝ⁺ . x : ℝ, {parameter} : ℝ⁺[{parameter}] ⇒
      m{name}[ℝ⁺[20000.0], {parameter}] <x> {{ mcreate[{norm} | ℕ[1], ℕ[20000]] {{ i, j ⇒ x }} }}"""
    release = go(text, {"x": 1e6}, notion, {"insecure_noise": 2}, **{parameter: 0.5})
    (entry,) = release.releases
    errors = np.abs(np.array(release.result[0]) - 1e6)
    assert entry["scale"] == pytest.approx(40_000 if name == "laplace" else 20_000, rel=1e-3)
    assert errors.mean() == pytest.approx(
        entry["scale"] * (1 if name == "laplace" else math.sqrt(2 / math.pi)), rel=0.03
    )
    assert np.mean(errors <= entry["error95"]) == pytest.approx(0.95, abs=0.01)


# ---------------------------------------------------------------------------------------------------------------------
# The runtime is in the theorem


class Watched:
    """What mechanisms are handed, exactly."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.steps: list[list[int]] = []
        self.exponents: list[int] = []
        inner = mechanisms._drawn

        def noted(steps: Any, drawn: Any, *rest: Any) -> Any:
            self.steps.append([int(step) for step in steps])
            self.exponents.append(drawn.exponent)
            return inner(steps, drawn, *rest)

        monkeypatch.setattr(mechanisms, "_drawn", noted)


@pytest.mark.parametrize("seed", range(20))
def test_neighbours_on_the_lattice_are_within_the_charged_sensitivity(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the noise is added to moves by at most what the noise is calibrated for, as integers."""
    watched = Watched(monkeypatch)
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(2, 50))
    table = rng.normal(size=(rows, 1)) * 10.0 ** rng.integers(-5, 300)
    other = table.copy()
    other[rng.integers(rows)] = rng.choice([0.0, -1e308, 1e308, 0.3, 5e-324])
    text = SUM.replace("clip[0.0, 1.0] (r#[ℕ[0], ℕ[0]])", "0.1 ⋅ clip[-0.3, 0.7] (r#[ℕ[0], ℕ[0]]) + 1e9")
    for one in (table, other):
        scale = go(text, {"xs": one}, ε=1).releases[0]["scale"]
    first, second = (
        Fraction(steps[0]) * Fraction(2) ** at for steps, at in zip(watched.steps, watched.exponents, strict=True)
    )
    assert abs(first - second) <= Fraction(scale)
    assert scale < 0.1 * (1 + 1e-8)


def test_a_number_far_from_zero_is_not_rounded_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """At 1e300 doubles are 1e284 apart; the lattice is not."""
    watched = Watched(monkeypatch)
    text = "pλ ε : ℝ⁺ . x : ℝ, ε : ℝ⁺[ε] ⇒ laplace[ℝ⁺[1.0], ε] <x> { x + 1e300 }"
    for x in (0.0, 1.0):
        go(text, {"x": x}, ε=1)
    assert watched.steps[1][0] - watched.steps[0][0] == 1 << -watched.exponents[0]
