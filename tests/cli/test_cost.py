import builtins
import json
import sys
from fractions import Fraction
from importlib.util import find_spec
from typing import Any

import pytest

import duetpy
from duetpy.accounting.gaussian_profile import gaussian_delta
from duetpy.diagnostics.error import DuetError
from duetpy.report.plot import trade_off
from tests.cli.harness import Duetpy, Write
from tests.cli.programs import ALIGNED, CLEAR, CURRIED, GAUSS, HIDDEN, MEAN, RHO

GIVEN = ("--set", "k=50", "--set", "ρ=0.02", "--delta", "1e-6")

SAMPLED = """\
pλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒
  loop ℕ[100] on 0.0 <xs> { i, last ⇒
    sample[ℕ[10]] xs { part ⇒
      gauss[auto, ℝ⁺[0.5], ℝ⁺[1e-6]] <part> { mfold-row 0.0, part { a, r ⇒ a + clip[0.0, 1.0] (r#[0, 0]) } } } }
"""


def compared(duetpy: Duetpy, *arguments: str) -> dict[str, Any]:
    outcome = duetpy("cost", *arguments, "--format", "json")
    assert (outcome.code, outcome.err) == (0, "")
    value: dict[str, Any] = json.loads(outcome.out)
    return value


def rows(found: dict[str, Any], notion: str) -> list[dict[str, Any]]:
    return [row for row in found["units"][0]["rows"] if row["notion"] == notion]


def test_every_notion_has_a_row_and_its_own_comes_first(duetpy: Duetpy, write: Write) -> None:
    write("sum.zcdp.duet", RHO)
    found = compared(duetpy, "sum.zcdp.duet", *GIVEN)
    assert (found["file"], found["ok"], found["notion"], found["neighbours"]) == (
        "sum.zcdp.duet",
        True,
        "zcdp",
        "replace-one",
    )
    unit = found["units"][0]
    assert (unit["unit"], unit["parameters"], unit["delta"], unit["missing"]) == ("xs", ["xs"], 1e-6, [])
    assert unit["rows"][0]["notion"] == "zcdp"
    assert {row["notion"] for row in unit["rows"]} == {"eps", "approx", "renyi", "zcdp", "tcdp", "gdp", "rao"}
    assert set(unit["rows"][0]) == {"notion", "kind", "method", "cost", "value", "conditions", "refused"}


def test_the_numbers_of_a_gaussian_program(duetpy: Duetpy, write: Write) -> None:
    write("sum.zcdp.duet", RHO)
    found = compared(duetpy, "sum.zcdp.duet", *GIVEN)
    (zcdp,) = rows(found, "zcdp")
    assert (zcdp["value"], zcdp["kind"], zcdp["cost"]) == ({"rho": 1.0}, "exact", {"rho": "k⋅ρ"})
    (gdp,) = rows(found, "gdp")
    assert gdp["value"]["mu"] == pytest.approx(2**0.5)
    assert gdp["kind"] == "exact"
    (rao,) = rows(found, "rao")
    assert rao["kind"] == "estimate"
    (pure,) = rows(found, "eps")
    assert pure["value"] is None
    assert pure["refused"]["node"] == "gauss"
    curve = rows(found, "renyi")[-1]
    assert curve["kind"] == "exact"
    assert all(point["epsilon"] == pytest.approx(point["alpha"]) for point in curve["curve"])
    last = rows(found, "approx")[-1]
    assert (last["kind"], last["method"]) == ("exact", "Gaussian")
    assert last["value"]["epsilon"] == pytest.approx(7.28605, abs=1e-4)
    assert found["units"][0]["tight"] == last["value"]


def test_better_bounds_come_later_and_the_last_is_the_tight_one_of_check(duetpy: Duetpy, write: Write) -> None:
    write("sampled.ed.duet", SAMPLED)
    found = compared(duetpy, "sampled.ed.duet", "--set", "m=1000", "--delta", "1e-5")
    certified = [row["value"]["epsilon"] for row in rows(found, "approx")[1:]]
    assert certified == sorted(certified, reverse=True)
    outcome = duetpy("check", "sampled.ed.duet", "--set", "m=1000", "--delta", "1e-5", "--format", "json")
    assert json.loads(outcome.out)["parameters"][0]["tight"] == found["units"][0]["tight"]


@pytest.mark.parametrize("notion", ["zcdp", "gdp", "rao"])
def test_a_notion_that_cannot_price_a_part_names_it(duetpy: Duetpy, write: Write, notion: str) -> None:
    write("sampled.ed.duet", SAMPLED)
    found = compared(duetpy, "sampled.ed.duet", "--set", "m=1000")
    (row,) = rows(found, notion)
    assert (row["kind"], row["value"], row["refused"]["node"]) == ("none", None, "sample")


def test_without_numbers_there_are_formulas(duetpy: Duetpy, write: Write) -> None:
    write("sum.zcdp.duet", RHO)
    found = compared(duetpy, "sum.zcdp.duet")
    assert found["units"][0]["missing"] == ["k", "ρ"]
    assert found["units"][0]["tight"] is None
    assert all(row["value"] is None for row in found["units"][0]["rows"])
    assert rows(found, "gdp")[0]["cost"] == {"mu": "√(2⋅k⋅ρ)"}
    assert rows(found, "renyi")[0]["cost"] == {"alpha": "α", "epsilon": "α⋅(k⋅ρ)"}
    outcome = duetpy("cost", "sum.zcdp.duet")
    assert "for numbers: --set k=… --set ρ=…" in outcome.out


def test_a_condition_is_told_once(duetpy: Duetpy, write: Write) -> None:
    """The weaker of two is not told: it holds where the other one does."""
    noise = "gauss[auto, 1.0, δ] <xs> { real (rows xs) }"
    branches = f"if 2 ≤ rows ys then {{ {noise} }} else {{ if 3 ≤ rows ys then {{ {noise} }} else {{ {noise} }} }}"
    head = "pλ m : ℕ . xs : 𝔻𝔽[age : 𝔻], ys : 𝕄 [L∞, U | m, 1⋅𝔻], static δ : ℝ⁺ ⇒"
    write("few.ed.duet", f"{head} {branches}")
    write("one.ed.duet", f"{head} first ← {branches} ; {noise}")
    for name in ("few.ed.duet", "one.ed.duet"):
        assert json.loads(duetpy("check", name, "--format", "json").out)["requires"] == ["δ < 1"]
    assert [line for line in duetpy("cost", "one.ed.duet").out.splitlines() if "requires" in line] == [
        "  requires δ < 1"
    ]


def test_the_rows_that_count_are_told_as_check_tells_them(duetpy: Duetpy, write: Write) -> None:
    write("rows.eps.duet", "pλ xs : 𝔻𝔽[age : 𝔻], static ε : ℝ⁺ ⇒ laplace[auto, ε] <xs> { real (rows xs) }\n")
    given = ("rows.eps.duet", "--persons", "xs=id,3", "--set", "ε=1")
    told = "of each id, at most 3 rows of xs count"
    assert f"\n  {told}\n" in duetpy("check", *given).out
    assert f"\n  {told}\n" in duetpy("cost", *given).out
    assert compared(duetpy, *given)["counted"] == [told]


@pytest.mark.parametrize("delta", ["1/3", "1e-400", "0.10000000000000000001"])
def test_no_delta_is_printed_too_small(duetpy: Duetpy, write: Write, delta: str) -> None:
    write("gauss.ed.duet", GAUSS)
    given = ("gauss.ed.duet", "--set", "m=10", "--set", "δ=1e-6", "--delta", delta, "--estimates")
    found = compared(duetpy, *given)
    (unit,) = found["units"]
    printed = [unit["delta"], unit["tight"]["delta"], found["estimates"]["xs"]["delta"]]
    assert all(Fraction(repr(each)) >= Fraction(delta) for each in printed)
    lines = [line for line in duetpy("cost", *given).out.splitlines() if "at δ = " in line]
    assert len(lines) == 3
    assert all(Fraction(line.split("at δ = ")[1].split(";")[0]) >= Fraction(delta) for line in lines)


def test_conditions_are_told_with_whether_they_hold(duetpy: Duetpy, write: Write) -> None:
    write("gauss.ed.duet", GAUSS)
    symbolic = compared(duetpy, "gauss.ed.duet", "--set", "m=10")
    assert rows(symbolic, "approx")[0]["conditions"] == [{"text": "δ < 1 (δ is a probability)", "holds": None}]
    known = compared(duetpy, "gauss.ed.duet", "--set", "m=10", "--set", "δ=1e-6")
    assert rows(known, "approx")[0]["conditions"] == [{"text": "δ < 1 (δ is a probability)", "holds": True}]
    assert known["units"][0]["delta"] == 1e-6


TRUNCATED = """\
pλ m : ℕ, ω : ℝ⁺ . xs : 𝕄 [L∞, U | m, 1⋅𝔻], ω : ℝ⁺[ω] ⇒ sample[ℕ[50]] xs { s ⇒ given[0.005, ω] <s> { 0.0 } }
"""
GUARDED = """\
pλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒
  if rows xs ≤ 9 then { laplace[auto, 1.0] <xs> { count (mmap-row xs { r ⇒ r#[0, 0] > 1 }) } }
  else { sample[ℕ[20]] xs { s ⇒ laplace[auto, 1.0] <s> { count (mmap-row s { r ⇒ r#[0, 0] > 1 }) } } }
"""


@pytest.mark.parametrize(("name", "text"), [("truncated.tcdp.duet", TRUNCATED), ("guarded.eps.duet", GUARDED)])
def test_what_a_formula_rests_on_is_required_as_check_requires_it_and_once(
    duetpy: Duetpy, write: Write, name: str, text: str
) -> None:
    """``50/m ≤ 1`` says no more than ``50 ≤ m``."""
    write(name, text)
    required = json.loads(duetpy("check", name, "--format", "json").out)["requires"]
    assert len(required) in (1, 5)
    assert compared(duetpy, name)["requires"] == required
    lines = duetpy("cost", name).out.splitlines()
    # What only some rows rest on stands with these, further in.
    assert [line for line in lines if line.startswith("  requires")] == [f"  requires {each}" for each in required]


def test_a_formula_that_there_is_with_some_numbers_is_that_of_check(duetpy: Duetpy, write: Write) -> None:
    """Over p it has too many members to be written."""
    write("hidden.ed.duet", HIDDEN.replace("1.5]", "400.0]").replace("p ⊓ 1.28", "400.0 + (p ⊓ 1.28)"))
    checked = json.loads(duetpy("check", "hidden.ed.duet", "--set", "p=9", "--format", "json").out)
    found = compared(duetpy, "hidden.ed.duet", "--set", "p=9")
    assert rows(found, "approx")[0]["cost"] == checked["parameters"][0]["cost"]
    assert found["requires"] == checked["requires"]


def test_a_computed_number_of_a_premise_is_written_to_twelve_digits(duetpy: Duetpy, write: Write) -> None:
    write("guarded.eps.duet", GUARDED)
    assert "0.367879441172 ≤ 0.1 if 9 < m (ρ is at most 0.1" in duetpy("cost", "guarded.eps.duet").out
    checked = json.loads(duetpy("check", "guarded.eps.duet", "--notion", "tcdp", "--format", "json").out)
    assert "0.367879441172 ≤ 0.1 if 9 < m" in checked["requires"]
    assert checked["parameters"][0]["cost"]["rho"].endswith("⊔ 1912.9730940944/(m⋅m)")


def test_text(duetpy: Duetpy, write: Write) -> None:
    write("mean.eps.duet", MEAN)
    outcome = duetpy("cost", "mean.eps.duet", "--set", "eps=0.5", "--delta", "1e-3")
    assert outcome.code == 0
    lines = [" ".join(line.split()) for line in outcome.out.splitlines()]
    assert lines[:3] == [
        "mean.eps.duet ε-differential privacy (file name), replace one row",
        "table",
        "pure ε = 0.5 exact sum of ε",
    ]
    assert "ε = 0.498, δ = 0.001 exact Laplace ← what your program is worth at δ = 0.001" in lines
    assert any(line.startswith("Rao θ = 0.5 heuristic") for line in lines)


def test_estimates_stand_apart_from_what_is_certified(duetpy: Duetpy, write: Write) -> None:
    write("sampled.ed.duet", SAMPLED)
    words = ("sampled.ed.duet", "--set", "m=1000", "--delta", "1e-5")
    plain, found = compared(duetpy, *words), compared(duetpy, *words, "--estimates")
    guessed = found.pop("estimates")["xs"]
    assert found == plain
    assert (guessed["delta"], guessed["guarantee"], guessed["reason"]) == (1e-5, False, None)
    assert set(guessed["found"][0]) == {"method", "source", "epsilon"}
    tight = plain["units"][0]["tight"]["epsilon"]
    assert guessed["found"][0]["epsilon"] < tight < guessed["found"][1]["epsilon"]
    without, text = duetpy("cost", *words).out, duetpy("cost", *words, "--estimates").out
    assert text.startswith(without)
    title, limit, *_ = text.removeprefix(without).splitlines()
    assert title == ("  xs: estimates of ε at δ = 1e-5; they guarantee nothing, and nothing accepts them as a cost")
    assert "central limit" in limit
    assert "ε ≈ 0.0366" in limit
    assert "% below what is certified" in limit


def test_an_estimate_is_no_claim(duetpy: Duetpy, write: Write) -> None:
    """What is promised lies between the limit, 0.036615, and what is certified, 0.036673."""
    write("sampled.ed.duet", f"{SAMPLED}  ensures ε ≤ 0.03665, δ ≤ 1e-5\n")
    refused = duetpy("check", "sampled.ed.duet", "--set", "m=1000")
    assert refused.code == 1
    assert "0.03665" in refused.err
    write("sampled.ed.duet", f"{SAMPLED}  ensures ε ≤ 0.03668, δ ≤ 1e-5\n")
    assert duetpy("check", "sampled.ed.duet", "--set", "m=1000").code == 0


def test_a_delta_that_guarantees_nothing_is_refused_as_check_refuses_it(duetpy: Duetpy, write: Write) -> None:
    body = "gauss[auto, 1.0, d] <xs> { real (rows xs) }"
    text = f"pλ xs : 𝔻𝔽[age : 𝔻], static d : ℝ⁺ ⇒ loop ℕ[3] on 0.0 <xs> {{ i, x ⇒ {body} }}"
    path = str(write("steps.ed.duet", text))
    for command in ("check", "cost", "audit"):
        refused = duetpy(command, path, "--set", "d=0.5")
        assert (refused.code, refused.out) == (1, "")
        assert "error[D0590]: no guarantee: δ reaches 1.5" in refused.err


def test_a_broken_promise_is_refused_as_check_refuses_it(duetpy: Duetpy, write: Write) -> None:
    write("sum.zcdp.duet", RHO.rstrip() + " ensures ρ ≤ ρ\n")
    open_promise = compared(duetpy, "sum.zcdp.duet", "--set", "ρ=0.02")
    checked = json.loads(duetpy("check", "sum.zcdp.duet", "--set", "ρ=0.02", "--format", "json").out)
    assert open_promise["requires"] == checked["requires"] != []
    for command in ("check", "cost"):
        refused = duetpy(command, "sum.zcdp.duet", *GIVEN)
        assert (refused.code, refused.out) == (1, "")
        assert "error[D0511]: the promise ρ ≤ 0.02 is broken: xs costs ρ = 1" in refused.err
    assert compared(duetpy, "sum.zcdp.duet", "--set", "k=1", "--set", "ρ=0.02")["requires"] == []


def test_without_estimates_there_is_a_reason(duetpy: Duetpy, write: Write) -> None:
    write("sum.zcdp.duet", RHO)
    assert duetpy("cost", "sum.zcdp.duet", "--estimates").out.endswith("    none: numbers are missing\n")
    write("clear.eps.duet", CLEAR)
    assert "estimates" not in duetpy("cost", "clear.eps.duet", "--estimates").out


def test_of_absurd_numbers_of_runs_the_reason_is_no_leak(duetpy: Duetpy, write: Write) -> None:
    write("often.ed.duet", "pλ n : ℕ . x : ℝ, n : ℕ[n] ⇒ loop n on 0.0 <x> { i, a ⇒ laplace[1.0, 0.1] <x> { x } }")
    curve = rows(compared(duetpy, "often.ed.duet", "--set", "n=1e120"), "renyi")[0]
    assert curve["kind"] == "none"
    assert curve["refused"]["reason"].startswith("of so many runs or steps")


def test_aligned_parameters_are_one_unit(duetpy: Duetpy, write: Write) -> None:
    write("lr.ed.duet", ALIGNED)
    found = compared(duetpy, "lr.ed.duet", "--set", "m=10", "--set", "n=2")
    assert [unit["parameters"] for unit in found["units"]] == [["xs", "ys"]]
    assert "xs, ys (aligned, one row)" in duetpy("cost", "lr.ed.duet").out


@pytest.mark.parametrize("program", [CLEAR, CURRIED])
def test_a_program_that_protects_nothing(duetpy: Duetpy, write: Write, program: str) -> None:
    write("clear.duet", program)
    outcome = duetpy("cost", "clear.duet")
    assert "no parameter is protected" in outcome.out


def test_what_fails_of_the_numbers_is_refused(duetpy: Duetpy, write: Write) -> None:
    write("sampled.ed.duet", SAMPLED)
    outcome = duetpy("cost", "sampled.ed.duet", "--set", "m=5")
    assert (outcome.code, outcome.out) == (1, "")
    assert "error[D05" in outcome.err


@pytest.mark.parametrize("arguments", [("--set", "nothing=1"), ("--plot", "out.gif"), ("--delta", "2")])
def test_a_malformed_command_line(duetpy: Duetpy, write: Write, arguments: tuple[str, ...]) -> None:
    write("mean.eps.duet", MEAN)
    assert duetpy("cost", "mean.eps.duet", *arguments).code == 2


def test_a_formula_where_numbers_decide_a_public_test(duetpy: Duetpy, write: Write) -> None:
    """Of the branches that the test leaves, as `check` shows it."""
    body = "laplace[auto, {}] <xs> {{ mfold-row 0.0, xs {{ a, r ⇒ a + clip[0.0, 1.0] r#[0, 0] }} }}"
    branches = f"if rows xs ≤ 9 then {{ {body.format('2 ⋅ ε')} }} else {{ {body.format('ε / 8')} }}"
    write("test.eps.duet", f"pλ xs : 𝕄 [L∞, U | m, 1⋅𝔻], static ε : ℝ⁺ ⇒ {branches}")
    [row] = rows(compared(duetpy, "test.eps.duet", "--set", "m=10", "--set", "ε=1"), "eps")
    assert (row["cost"], row["value"]) == ({"epsilon": "0.125"}, {"epsilon": 0.125})


def test_from_python() -> None:
    checked = duetpy.parse(RHO, notion="zcdp").check()
    units = checked.compare(delta="1e-6", k=50, ρ=0.02)
    assert units["xs"].worth is not None
    assert units["xs"].worth.value == checked.cost(delta="1e-6", notion="approx", k=50, ρ=0.02)["xs"]
    with pytest.raises(ValueError, match="unknown name"):
        checked.compare(nothing=1)
    with pytest.raises(DuetError):
        duetpy.parse(SAMPLED).check().compare(m=5)


# ---------------------------------------------------------------------------------------------------------------------
# Pictures


def test_a_picture_without_matplotlib_says_what_to_install(
    duetpy: Duetpy, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    genuine = builtins.__import__

    def missing(name: str, *rest: Any) -> Any:
        if name.partition(".")[0] == "matplotlib":
            raise ImportError(name)
        return genuine(name, *rest)

    monkeypatch.setattr(builtins, "__import__", missing)
    write("sum.zcdp.duet", RHO)
    outcome = duetpy("cost", "sum.zcdp.duet", *GIVEN, "--plot", "out.svg")
    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.err == "error: plots need matplotlib: pip install 'duetpy[plot]'\n"


@pytest.mark.parametrize(("program", "reason"), [(RHO, "--set k=… --set ρ=…"), (CLEAR, "no parameter is protected")])
def test_a_picture_of_nothing_is_refused(duetpy: Duetpy, write: Write, program: str, reason: str) -> None:
    write("program.zcdp.duet", program)
    outcome = duetpy("cost", "program.zcdp.duet", "--plot", "out.svg")
    assert outcome.code == 1
    assert reason in outcome.err


def test_a_picture_is_drawn_where_matplotlib_is_there(duetpy: Duetpy, write: Write, tmp_path: Any) -> None:
    write("sum.zcdp.duet", RHO)
    outcome = duetpy("cost", "sum.zcdp.duet", *GIVEN, "--plot", "out.svg")
    drawn = tmp_path / "out.svg"
    assert drawn.exists() == (outcome.code == 0) == (find_spec("matplotlib") is not None)
    assert "duetpy.report.plot" in sys.modules
    if drawn.exists():
        first = drawn.read_bytes()
        assert first.startswith(b"<?xml")
        duetpy("cost", "sum.zcdp.duet", *GIVEN, "--plot", "out.svg")
        assert drawn.read_bytes() == first
        assert duetpy("cost", "sum.zcdp.duet", *GIVEN, "--plot", "nowhere/out.svg").code == 70


def test_the_trade_off_of_certified_points_lies_below_the_true_one() -> None:
    from duetpy.accounting.gaussian_profile import cdf, quantile

    known = [(eps / 10, gaussian_delta(eps / 10, 1.0)) for eps in range(60)]
    for place in range(1, 20):
        error = place / 20
        truth = cdf(quantile(1 - error) - 1.0)
        assert truth - 2e-3 <= trade_off(known, error) <= truth
