import json
from fractions import Fraction
from typing import Any

import pytest

import duetpy
from duetpy.diagnostics.error import DuetError
from tests.cli.harness import Duetpy, Write
from tests.cli.programs import ALIGNED, GAUSS, MEAN, RHO

BATCHES = """\
pλ m : ℕ, b : ℕ, k : ℕ, ε : ℝ⁺ .
  xs : 𝕄 [L∞, U | m, 1⋅𝔻], b : ℕ[b], k : ℕ[k], ε : ℝ⁺[ε] ⇒
  loop k on 0.0 <xs> { i, last ⇒
    sample[b] xs { part ⇒
      laplace[auto, ε] <part> { mfold-row 0.0, part { a, r ⇒ a + clip[0.0, 1.0] (r#[0, 0]) } } } }
"""
BY_EPSILON = (
    GAUSS.replace("δ : ℝ⁺ .", "ε : ℝ⁺ .").replace("δ : ℝ⁺[δ]", "ε : ℝ⁺[ε]").replace("ℝ⁺[0.5], δ", "ε, ℝ⁺[1e-7]")
)


def calibrated(duetpy: Duetpy, *arguments: str) -> dict[str, Any]:
    outcome = duetpy("calibrate", *arguments, "--format", "json")
    assert (outcome.code, outcome.err) == (0, "")
    value: dict[str, Any] = json.loads(outcome.out)
    return value


def test_pure_epsilon_is_met_exactly(duetpy: Duetpy, write: Write) -> None:
    write("mean.eps.duet", MEAN)
    found = calibrated(duetpy, "mean.eps.duet", "--budget", "epsilon=0.1", "--vary", "eps")
    assert (found["vary"], found["value"], found["cost"]) == ("ε", 0.1, {"epsilon": 0.1})
    assert found["tight"] == {"epsilon": 0.1, "delta": 0.0}


@pytest.mark.parametrize(
    ("budget", "check"),
    [
        ("epsilon=1,delta=1e-6", lambda found: found["tight"]["epsilon"]),
        ("epsilon=1e-9,delta=1e-12", lambda found: found["tight"]["epsilon"] * 1e9),
        ("epsilon=300,delta=1e-6", lambda found: found["tight"]["epsilon"] / 300),
        ("rho=0.25", lambda found: found["cost"]["rho"] * 4),
        ("mu=2", lambda found: (2 * found["cost"]["rho"]) ** 0.5 / 2),
    ],
)
def test_a_budget_in_any_notion_is_spent_and_never_exceeded(
    duetpy: Duetpy, write: Write, budget: str, check: Any
) -> None:
    write("sum.zcdp.duet", RHO)
    found = calibrated(duetpy, "sum.zcdp.duet", "--budget", budget, "--vary", "rho", "--set", "k=10")
    assert 1 - 1e-6 < check(found) <= 1.0


def test_a_number_of_turns_is_whole_and_one_more_is_too_many(duetpy: Duetpy, write: Write) -> None:
    path = write("sum.zcdp.duet", RHO)
    found = calibrated(duetpy, "sum.zcdp.duet", "--budget", "epsilon=2,delta=1e-6", "--vary", "k", "--set", "rho=1e-3")
    checked = duetpy_load(path)
    turns = found["value"]
    assert isinstance(turns, int)
    assert checked.cost(delta="1e-6", notion="approx", k=turns, ρ=Fraction("0.001"))["xs"]["epsilon"] <= 2.0
    assert checked.cost(delta="1e-6", notion="approx", k=turns + 1, ρ=Fraction("0.001"))["xs"]["epsilon"] > 2.0


def duetpy_load(path: Any) -> duetpy.Checked:
    return duetpy.load(path).check()


def test_the_cost_may_fall_with_the_number(duetpy: Duetpy, write: Write) -> None:
    write("batch.eps.duet", BATCHES)
    rows = calibrated(
        duetpy,
        "batch.eps.duet",
        "--budget",
        "epsilon=1",
        "--vary",
        "m",
        *["--set", "b=10", "--set", "k=10", "--set", "eps=0.5"],
    )
    assert isinstance(rows["value"], int)
    assert rows["cost"]["epsilon"] <= 1.0
    assert rows["value"] == 62  # 10·log(1 + (10/m)(e^½ − 1)) ≤ 1 from m = 61.68 on


def test_a_side_condition_ends_the_range(duetpy: Duetpy, write: Write) -> None:
    write("batch.eps.duet", BATCHES)
    found = calibrated(
        duetpy,
        "batch.eps.duet",
        "--budget",
        "epsilon=9",
        "--vary",
        "b",
        *["--set", "m=64", "--set", "k=10", "--set", "eps=0.5"],
    )
    assert found["value"] == 64  # all rows; more cannot be sampled


def test_the_worst_unit_decides(duetpy: Duetpy, write: Write) -> None:
    write(
        "two.eps.duet",
        "pλ m : ℕ, ε : ℝ⁺ . xs : 𝕄 [L∞, U | m, 1⋅𝔻], ys : 𝕄 [L∞, U | m, 1⋅𝔻], ε : ℝ⁺[ε] ⇒\n"
        "  x ← laplace[auto, ε] <xs> { mfold-row 0.0, xs { a, r ⇒ a + clip[0.0, 1.0] (r#[0, 0]) } } ;\n"
        "  laplace[auto, ℝ⁺[3.0] ⋅ ε] <ys> { mfold-row 0.0, ys { a, r ⇒ a + clip[0.0, 1.0] (r#[0, 0]) } }\n",
    )
    found = calibrated(duetpy, "two.eps.duet", "--budget", "epsilon=1.5", "--vary", "ε")
    assert (found["unit"], found["value"]) == ("ys", 0.5)
    assert found["units"]["xs"]["cost"] == {"epsilon": 0.5}


def test_a_budget_is_printed_rounded_down(duetpy: Duetpy, write: Write) -> None:
    write("mean.eps.duet", MEAN)
    outcome = duetpy("calibrate", "mean.eps.duet", "--budget", "epsilon=0.0490999999", "--vary", "ε")
    assert "  budget   ε = 0.049099\n" in outcome.out


def test_the_text_says_what_was_found(duetpy: Duetpy, write: Write) -> None:
    write("mean.eps.duet", MEAN)
    outcome = duetpy("calibrate", "mean.eps.duet", "--budget", "epsilon=0.25", "--vary", "ε")
    assert outcome.out.splitlines() == [
        "ε = 0.25",
        "  budget   ε = 0.25",
        "  cost     ε = 0.25   of table, in the program's notion",
        "  tight    ε = 0.25, δ = 0",
        "  spends   100 % of the budget",
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--budget", "epsilon=1", "--vary", "m", "--set", "ε=1"), "the cost does not depend on m"),
        (("--budget", "epsilon=1e-30", "--vary", "ε"), "no value of ε meets the budget"),
        (("--budget", "epsilon=1e30", "--vary", "ε"), "every value of ε that was tried is within the budget"),
    ],
)
def test_no_value_is_a_refusal_with_the_reason(
    duetpy: Duetpy, write: Write, arguments: tuple[str, ...], message: str
) -> None:
    write("mean.eps.duet", MEAN)
    outcome = duetpy("calibrate", "mean.eps.duet", *arguments)
    assert (outcome.code, outcome.out) == (1, "")
    assert "error[D0591]" in outcome.err
    assert message in outcome.err


def test_what_is_missing_is_named(duetpy: Duetpy, write: Write) -> None:
    write("sum.zcdp.duet", RHO)
    outcome = duetpy("calibrate", "sum.zcdp.duet", "--budget", "rho=1", "--vary", "k")
    assert outcome.code == 1
    assert "--set ρ=…" in outcome.err


def test_a_notion_without_a_price_is_a_refusal(duetpy: Duetpy, write: Write) -> None:
    write("gauss.ed.duet", ALIGNED)
    write("delta.ed.duet", GAUSS)
    outcome = duetpy("calibrate", "delta.ed.duet", "--budget", "epsilon=1", "--vary", "δ", "--format", "json")
    value = json.loads(outcome.out)
    assert outcome.code == 1
    assert (value["value"], value["diagnostics"][0]["code"]) == (None, "D0591")
    assert "Gaussian noise has no pure ε" in value["diagnostics"][0]["notes"][0]


@pytest.mark.parametrize(
    "arguments",
    [
        ("--budget", "epsilon=1"),
        ("--vary", "ε"),
        ("--budget", "delta=1e-6", "--vary", "ε"),
        ("--budget", "epsilon=1,epsilon=2", "--vary", "ε"),
        ("--budget", "epsilon=-1", "--vary", "ε"),
        ("--budget", "epsilon=1,delta=1", "--vary", "ε"),
        ("--budget", "epsilon=1,rho=1", "--vary", "ε"),
        ("--budget", "kappa=1", "--vary", "ε"),
        ("--budget", "epsilon=1", "--vary", "nothing"),
        ("--budget", "epsilon=1", "--vary", "ε", "--set", "eps=1"),
    ],
)
def test_a_malformed_command_line(duetpy: Duetpy, write: Write, arguments: tuple[str, ...]) -> None:
    write("mean.eps.duet", MEAN)
    outcome = duetpy("calibrate", "mean.eps.duet", *arguments)
    assert (outcome.code, outcome.out) == (2, "")


def test_a_refused_program_is_refused(duetpy: Duetpy, write: Write) -> None:
    write("bad.eps.duet", "pλ . x : 𝔻 ⇒ retrun x\n")
    outcome = duetpy("calibrate", "bad.eps.duet", "--budget", "epsilon=1", "--vary", "x")
    assert outcome.code == 1
    assert "error[D0" in outcome.err


def test_from_python() -> None:
    checked = duetpy.parse(RHO, notion="zcdp").check()
    found = checked.calibrate({"epsilon": 1, "delta": 1e-6}, vary="rho", k=10)
    assert found.value == pytest.approx(0.00280144819, rel=1e-8)
    assert found.tight["epsilon"] is not None
    assert found.tight["epsilon"] <= 1.0
    assert checked.calibrate("rho=0.5", "ρ", k=10).value == 0.05
    with pytest.raises(ValueError, match="not a valid budget"):
        checked.calibrate("theta=1", "ρ", k=10)
    with pytest.raises(DuetError, match="D0591"):
        checked.calibrate("rho=1e-30", "ρ", k=10)


SAMPLED = """\
pλ b : ℕ, ρ : ℝ⁺ . xs : 𝕄 [L∞, U | 100, 1⋅𝔻], b : ℕ[b], ρ : ℝ⁺[ρ] ⇒
  sample[b] xs { part ⇒ gauss[1.0, ρ, 50.0] <part> { clip[0.0, 1.0] part#[0, 0] } }
"""


@pytest.mark.thorough("cli/test_premises.py::test_no_value_is_chosen_at_which_a_premise_fails")
def test_a_value_is_only_chosen_where_the_programs_own_price_is_proved(duetpy: Duetpy, write: Write) -> None:
    """One row in five is too many for the amplification of tCDP: `check` says so, and no (ρ, ω) is shown for it."""
    write("part.tcdp.duet", SAMPLED)
    budget = ("calibrate", "part.tcdp.duet", "--vary", "rho", "--budget", "epsilon=0.1,delta=1e-6")
    refused = duetpy(*budget, "--set", "b=20")
    assert refused.code == 1
    assert "at most one row in ten is sampled" in refused.err
    assert duetpy("check", "part.tcdp.duet", "--set", "b=20", "--set", "rho=0.05").code == 1
    found = calibrated(duetpy, *budget[1:], "--set", "b=5")
    assert 0.03 < found["value"] < 0.1
    assert duetpy("check", "part.tcdp.duet", "--set", "b=5", "--set", f"rho={found['value']!r}").code == 0


@pytest.mark.parametrize(
    ("name", "text", "vary"),
    [("mean.eps.duet", MEAN, "ε"), ("gauss.ed.duet", BY_EPSILON, "ε"), ("rho.zcdp.duet", RHO, "ρ")],
)
@pytest.mark.parametrize("budget", ["epsilon=0.7,delta=3.3e-6", "rho=0.31", "mu=0.77"])
@pytest.mark.sparse(4)
def test_what_is_left_of_a_ledger_is_granted_to_the_run_that_is_told(
    duetpy: Duetpy, write: Write, name: str, text: str, vary: str, budget: str
) -> None:
    write(name, text)
    write("mean2.eps.duet", MEAN)
    write("x.csv", "".join(f"{n}\n" for n in range(8)))
    fixed = ["--set", "k=3"] if name == "rho.zcdp.duet" else []
    charged = ["--data", "x.csv", "--ledger", "x.ledger"]
    assert duetpy("ledger", "create", "x.ledger", "--budget", budget).code == 0
    assert duetpy("run", "mean2.eps.duet", *charged, "--set", "ε=0.0333", "--delta", "1.7e-7").code == 0
    lines = duetpy("calibrate", name, "--ledger", "x.ledger", "--vary", vary, *fixed).out.splitlines()
    has_delta = lines[-1].startswith("  run ")
    assert has_delta is budget.startswith("epsilon")
    told = ["--delta", lines[-1].split()[3].removesuffix(",")] if has_delta else []
    value = lines[0].partition(" = ")[2]
    outcome = duetpy("run", name, *charged, "--set", f"{vary}={value}", *fixed, *told)
    assert outcome.code == 0, outcome.err


PROMISED = "pλ x : ℝ, static ε : ℝ⁺ ⇒ laplace[auto, ε] <x> { x } ensures ε ≤ 0.5"
PROMISED_INSIDE = """def half = pλ x : ℝ, static ε : ℝ⁺ ⇒ laplace[auto, ε] <x> { x } ensures ε ≤ 0.5
pλ x : ℝ, static ε : ℝ⁺ ⇒ half@[ . x, 2 ⋅ ε]"""


@pytest.mark.parametrize(("text", "value"), [(PROMISED, 0.5), (PROMISED_INSIDE, 0.25)])
def test_a_promise_of_the_program_ends_the_range(duetpy: Duetpy, write: Write, text: str, value: float) -> None:
    write("p.eps.duet", text)
    outcome = duetpy("calibrate", "p.eps.duet", "--budget", "epsilon=10", "--vary", "ε", "--format", "json")
    assert json.loads(outcome.out)["value"] == pytest.approx(value, rel=1e-8)
    assert duetpy("check", "p.eps.duet", "--set", f"ε={json.loads(outcome.out)['value']}").code == 0


def test_no_value_is_told_that_breaks_a_promise_everywhere(duetpy: Duetpy, write: Write) -> None:
    write("p.eps.duet", "pλ x : ℝ, static ε : ℝ⁺ ⇒ a ← laplace[1, 3] <x> { x } ; laplace[1, ε] <x> { x } ensures ε ≤ 2")
    outcome = duetpy("calibrate", "p.eps.duet", "--budget", "epsilon=10", "--vary", "ε")
    assert outcome.code == 1
    assert "the promise ε ≤ 2 is broken: x costs ε = " in outcome.err


def test_a_value_is_only_chosen_where_check_accepts_the_program(duetpy: Duetpy, write: Write) -> None:
    """The budget is kept at a δ at which this program spends little; what it spends itself guarantees nothing."""
    write(
        "p.ed.duet", "pλ x : ℝ, static ε : ℝ⁺, static k : ℕ ⇒ loop k on 0.0 <x> { i, s ⇒ gauss[1, ε, 0.2] <x> { x } }"
    )
    settings = ("--set", "k=6")
    told = duetpy("calibrate", "p.ed.duet", "--budget", "epsilon=5,delta=0.1", "--vary", "ε", *settings)
    assert (told.code, duetpy("check", "p.ed.duet", "--set", "ε=0.1", *settings).code) == (1, 1)
    assert "D0590" in told.err


def test_nothing_of_a_ledger_is_left_for_other_neighbours(duetpy: Duetpy, write: Write) -> None:
    noisy = "static ε : ℝ⁺ ⇒ dlaplace[1, ε] <xs> { rows (mfilter xs { x ⇒ true }) }"
    write("rows.eps.duet", f"pλ xs : 𝔻𝔽[id : 𝕊], {noisy}")
    write("replaced.eps.duet", f"pλ xs : 𝕄 [L∞, U | m, id : 𝕊 ∷ []], {noisy.replace('dlaplace[1', 'dlaplace[2')}")
    write("persons.eps.duet", f"pλ xs : persons[id : 𝕊 | a : 𝔻𝔽[b : 𝕊]], {noisy}")
    write("a.csv", "id,b,nr\nA,x,1\nB,y,2\n")
    runs = {"rows": ("--data", "xs=a.csv:id"), "persons": ("--data", "a=a.csv", "--id", "a=nr")}
    for charged, data in runs.items():
        ledger = ("--ledger", f"{charged}.ledger")
        duetpy("ledger", "create", ledger[1], "--budget", "epsilon=1")
        assert duetpy("calibrate", "replaced.eps.duet", *ledger, "--vary", "ε").code == 0
        assert duetpy("run", f"{charged}.eps.duet", *data, *ledger, "--set", "ε=0.5").code == 0
        for name in ("rows", "replaced", "persons"):
            outcome = duetpy("calibrate", f"{name}.eps.duet", *ledger, "--vary", "ε")
            assert ("D0727" in outcome.err, outcome.code) == ((False, 0) if name == charged else (True, 1))
    with pytest.raises(DuetError, match="D0727"):
        duetpy_load("replaced.eps.duet").calibrate(vary="ε", _ledger="rows.ledger")
