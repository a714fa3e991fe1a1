"""A price and what it rests on go together: no command gives a number of which a premise fails, or is not certain."""

import json

import pytest

from tests.cli.harness import Duetpy, Write
from tests.cli.programs import HIDDEN

MOVED = """\
pλ m : ℕ, b : ℕ, c : ℝ⁺ . xs : 𝕄 [L∞, U | m, 1⋅𝔻], b : ℕ[b], c : ℝ⁺[c] ⇒
  sample[b] xs { s ⇒ let y = c ⋅ clip[0.0, 1.0] s#[0, 0] in given[0.005, 1.5] <y> { 0.0 } }
"""
"""Two steps of what is promised at orders below 1.5: nothing is."""

ROWS = "".join(f"{row % 2}\n" for row in range(1000))
AT_P = ("--set", "m=1000", "--set", "b=50", "--set", "p=9")
AT_C = ("--set", "m=1000", "--set", "b=50", "--set", "c=1.5")
AMPLIFIED = "as the amplification of tCDP requires"


def program(text: str, omega: str) -> str:
    return text.replace("1.5]", f"{omega}]").replace("p ⊓ 1.28", f"{omega} + (p ⊓ 1.28)")


@pytest.fixture(autouse=True)
def rows(write: Write) -> None:
    write("x.csv", ROWS)


@pytest.mark.parametrize("omega", ["1.5", "400.0"])
@pytest.mark.parametrize(
    ("name", "text", "numbers"), [("hidden.approx.duet", HIDDEN, AT_P), ("moved.tcdp.duet", MOVED, AT_C)]
)
@pytest.mark.sparse(3)
def test_check_gives_no_number_of_which_a_premise_fails(
    duetpy: Duetpy, write: Write, name: str, text: str, numbers: tuple[str, ...], omega: str
) -> None:
    write(name, program(text, omega) if omega != "1.5" else text)
    checked = duetpy("check", name, *numbers)
    compared = json.loads(duetpy("cost", name, *numbers, "--format", "json").out)
    (unit,) = compared["units"]
    own = unit["rows"][0]
    if omega == "1.5":
        assert (checked.code, checked.out) == (1, "")
        assert "error[D0501]" in checked.err
        assert AMPLIFIED in checked.err
        assert own["value"] is None
        assert "does not hold" in own["refused"]["reason"]
        assert False in [condition["holds"] for condition in own["conditions"]]
    else:
        assert checked.code == 0
        assert own["value"] is not None


def test_a_promise_is_not_kept_by_a_price_of_which_a_premise_fails(duetpy: Duetpy, write: Write) -> None:
    write("promised.tcdp.duet", MOVED.rstrip() + " ensures ρ ≤ 0.001\n")
    refused = duetpy("check", "promised.tcdp.duet", *AT_C)
    assert refused.code == 1
    assert "error[D0511]: the promise ρ ≤ 0.001 is broken" in refused.err
    write("kept.tcdp.duet", program(MOVED, "400.0").rstrip() + " ensures ρ ≤ 0.001\n")
    assert duetpy("check", "kept.tcdp.duet", *AT_C).code == 0


def test_a_promise_that_rests_on_a_premise_requires_it(duetpy: Duetpy, write: Write) -> None:
    """13q²ρ is 0.00016, whatever ω is: but it is a ρ only where ω is large enough to be amplified."""
    alone = """\
pλ ω : ℝ⁺ . ys : 𝕄 [L∞, U | 1000, 1⋅𝔻], ω : ℝ⁺[ω] ⇒
  sample[ℕ[50]] ys { s ⇒ given[0.005, ω] <s> { 0.0 } } ensures ρ ≤ 0.001
"""
    write("alone.tcdp.duet", alone)
    required = json.loads(duetpy("check", "alone.tcdp.duet", "--format", "json").out)["requires"]
    assert required == ["1 < ω", "100⋅㏒20 ≤ ω"]
    assert duetpy("check", "alone.tcdp.duet", "--set", "ω=300").code == 0
    assert "D0511" in duetpy("check", "alone.tcdp.duet", "--set", "ω=200").err


@pytest.mark.parametrize(
    ("name", "text", "settings"),
    [("hidden.approx.duet", HIDDEN, ("b=50", "p=9")), ("moved.tcdp.duet", MOVED, ("b=50", "c=1.5"))],
)
def test_a_run_is_refused_where_a_premise_fails(
    duetpy: Duetpy, write: Write, name: str, text: str, settings: tuple[str, ...]
) -> None:
    write(name, text)
    numbers = [part for setting in settings for part in ("--set", setting)]
    refused = duetpy("run", name, "--data", "x.csv", *numbers)
    assert (refused.code, refused.out) == (1, "")
    assert "error[D0501]" in refused.err
    assert "nothing was spent" in refused.err
    write(name, program(text, "400.0"))
    assert duetpy("run", name, "--data", "x.csv", *numbers).code == 0


def test_a_run_is_not_charged_where_a_premise_fails(duetpy: Duetpy, write: Write) -> None:
    """A run whose own price is not proved is refused, and charges nothing, though its certified bound is covered."""
    write("hidden.approx.duet", HIDDEN)
    assert duetpy("ledger", "create", "x.ledger", "--budget", "epsilon=100,delta=1e-5").code == 0
    refused = duetpy(
        "run", "hidden.approx.duet", "--data", "x.csv", "--set", "b=50", "--set", "p=9", "--ledger", "x.ledger"
    )
    assert refused.code == 1
    assert json.loads(duetpy("ledger", "show", "x.ledger", "--format", "json").out)["entries"] == []


def test_no_value_is_chosen_at_which_a_premise_fails(duetpy: Duetpy, write: Write) -> None:
    write(
        "moved.tcdp.duet",
        MOVED.replace("b : ℕ, c : ℝ⁺", "b : ℕ, ρ : ℝ⁺, c : ℝ⁺")
        .replace("c : ℝ⁺[c] ⇒", "ρ : ℝ⁺[ρ], c : ℝ⁺[c] ⇒")
        .replace("[0.005,", "[ρ,"),
    )
    fixed = ("--set", "m=1000", "--set", "b=50", "--set", "c=1.5")
    refused = duetpy("calibrate", "moved.tcdp.duet", *fixed, "--vary", "ρ", "--budget", "epsilon=1,delta=1e-6")
    assert refused.code == 1
    assert "error[D0591]" in refused.err
    assert AMPLIFIED in refused.err


TWO = "log(4) / log(2)"
"""2, which the order of quantities neither proves nor refutes."""

UNDECIDED = f"""\
pλ . x : ℝ, w : ℝ⁺[{TWO}] ⇒ let y = 2.0 ⋅ x in given[0.005, w] <y> {{ 0.0 }}
"""


def test_a_premise_that_no_number_can_decide_is_refused(duetpy: Duetpy, write: Write) -> None:
    """Two steps below ω = 2 are promised nothing. That 2 ‹ ω is neither proved nor refuted: then it does not count as true."""
    write("undecided.tcdp.duet", UNDECIDED)
    refused = duetpy("check", "undecided.tcdp.duet")
    assert (refused.code, refused.out) == (1, "")
    assert "error[D0501]" in refused.err
    assert "condition: 2 < ㏒4/㏒2 (a group keeps some orders" in refused.err
    own = json.loads(duetpy("cost", "undecided.tcdp.duet", "--format", "json").out)["units"][0]["rows"][0]
    assert own["value"] is None
    assert "not certain" in own["refused"]["reason"]


def test_an_obligation_that_no_number_can_decide_is_refused(duetpy: Duetpy, write: Write) -> None:
    text = (
        "pλ . xs : 𝕄 [L∞, U | ★, 1⋅𝔻], q : ℝ⁺[{}] ⇒ poisson[q] xs {{ s ⇒ laplace[1.0, 1.0] <s> {{ real (rows s) }} }}\n"
    )
    write("sure.eps.duet", text.format("log(4) / (2 ⋅ log(2))"))
    refused = duetpy("check", "sure.eps.duet")
    assert refused.code == 1
    assert "≤ 1 (the rate of poisson is a probability)" in refused.err
    write("half.eps.duet", text.format("√3/2"))
    assert duetpy("check", "half.eps.duet").code == 0


def test_an_audit_looks_at_no_numbers_of_which_a_premise_fails(duetpy: Duetpy, write: Write) -> None:
    """Nothing is claimed there, and so nothing could be refuted."""
    write("moved.tcdp.duet", MOVED)
    refused = duetpy("audit", "moved.tcdp.duet", "--set", "m=40", "--set", "b=2", "--set", "c=1.5")
    assert (refused.code, refused.out) == (1, "")
    assert "error[D0501]" in refused.err
    assert AMPLIFIED in refused.err
