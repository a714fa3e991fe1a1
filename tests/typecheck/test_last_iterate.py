"""The last model of noisy descent: its μ is the closed form of the literature, shifts exist that account for it, and no linear
descent costs more."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import pytest

from benchmarks.literature import last_iterate_mu
from duetpy import parse
from duetpy.typecheck.quantity import Kind, KindVar, Quantity
from duetpy.typecheck.rules.last_iterate import forgetting

GRID = list(product((Fraction(1, 100), Fraction(1, 4), Fraction(9, 10)), (1, 2, 5), (1, 2, 3, 8)))
"""η⋅λ, batches a pass, passes."""


def mu(weakening: Fraction, batches: int, epochs: int) -> float:
    return forgetting(Quantity.of(weakening), Quantity.of(batches), Quantity.of(epochs)).evaluate_float({})


@pytest.mark.parametrize(("weakening", "batches", "epochs"), GRID)
def test_it_is_the_closed_form(weakening: Fraction, batches: int, epochs: int) -> None:
    expected = last_iterate_mu(1.0, float(1 - weakening), batches, epochs)
    assert math.isclose(mu(weakening, batches, epochs), expected, rel_tol=1e-9)


@pytest.mark.parametrize(("weakening", "batches", "epochs"), GRID)
def test_variables_give_an_upper_bound(weakening: Fraction, batches: int, epochs: int) -> None:
    names = [KindVar.fresh("u", Kind.POS), KindVar.fresh("l", Kind.NAT), KindVar.fresh("E", Kind.NAT)]
    symbolic = forgetting(*(Quantity.var(name) for name in names))
    values = dict(zip(names, (weakening, batches, epochs), strict=True))
    assert symbolic.evaluate_float(values) >= mu(weakening, batches, epochs) * (1 - 1e-12)
    looser = last_iterate_mu(1.0, 1 / float(1 + weakening), batches, epochs + 1)
    assert math.isclose(symbolic.evaluate_float(values), looser, rel_tol=1e-9)


def shifts(c: Fraction, batches: int, epochs: int, place: int) -> list[Fraction]:
    """The shifts of the proof, for a row in the batch at a place of the pass, counted from 0."""
    turns, last = batches * epochs, batches * (epochs - 1) + place
    a = [Fraction(0)] * turns
    a[last] = Fraction(1)
    before = range(place, last)
    due = sum((c ** (last - 1 - (place + j * batches)) for j in range(epochs - 1)), Fraction(0))
    weight = sum((c ** (2 * (last - 1 - t)) for t in before), Fraction(0))
    for t in before:
        a[t] = due / weight * c ** (last - 1 - t)
    return a


@pytest.mark.parametrize(("weakening", "batches", "epochs"), GRID)
def test_shifts_exist_that_pay_for_any_row(weakening: Fraction, batches: int, epochs: int) -> None:
    c = 1 - weakening
    for place in range(batches):
        z = Fraction(0)
        a = shifts(c, batches, epochs, place)
        for t, paid in enumerate(a):
            z = c * z + (t % batches == place) - paid
            assert paid >= 0
            assert z >= 0
        assert z == 0
        assert math.sqrt(sum(paid**2 for paid in a)) <= mu(weakening, batches, epochs) * (1 + 1e-12)


@pytest.mark.parametrize(("weakening", "batches", "epochs"), GRID)
def test_no_linear_descent_costs_more(weakening: Fraction, batches: int, epochs: int) -> None:
    # X ↦ c⋅X + s_t + Z in one dimension: the last X is Gaussian, and its μ is the shift of its mean over its deviation.
    c, turns = float(1 - weakening), batches * epochs
    deviation = math.sqrt(sum(c ** (2 * t) for t in range(turns)))
    for place in range(batches):
        mean = sum(c ** (turns - 1 - t) for t in range(place, turns, batches))
        assert mean / deviation <= mu(weakening, batches, epochs) * (1 + 1e-12)


def test_a_descent_that_forgets_everything_costs_one_step() -> None:
    assert mu(Fraction(1), 3, 50) == 1.0


TABLES = "xs : 𝕄 [L∞, L2≤3 | 8, 2⋅𝔻], ys : 𝕄 [L∞, U | 8, 1⋅𝔻]"
START = "mcreate[L2 | ℕ[1], ℕ[2]] { i, j ⇒ 0.0 }"
ONE_PASS = "noisy-descent[ℕ[1], ℕ[4], 0.5] <xs, ys> {{ step∇[LR, 0.5, 0.25 | {}; xs, ys] }}"


def costs(parameters: str, body: str) -> dict[str, object]:
    checked = parse(f"pλ . {parameters} ⇒ {body}", notion="gdp").check()
    return {name: parameter.cost for name, parameter in checked.parameters.items()}


def test_a_row_costs_twice_a_label_and_both_together_cost_a_row() -> None:
    # 2⋅3/4 over 0.5 for a row, half of it for a label.
    assert costs(TABLES, ONE_PASS.format(START)) == {"xs": {"mu": "3"}, "ys": {"mu": "1.5"}}
    found = costs(f"⟨{TABLES}⟩", ONE_PASS.format(START))
    assert set(map(str, found.values())) == {str({"mu": "3"})}


def test_a_model_of_the_data_is_in_the_clear() -> None:
    found = costs(f"{TABLES}, θ : 𝕄 [L2, U | 1, 2⋅ℝ]", ONE_PASS.format("θ"))
    assert found["θ"] == {"mu": "∞"}
    assert found["xs"] == {"mu": "3"}


def priced(notion: str, order: str = "") -> dict[str, object]:
    body = ONE_PASS.format(START).replace("0.5]", f"0.5{order}]", 1)
    checked = parse(f"pλ . ⟨{TABLES}⟩ ⇒ {body}", notion=notion).check()
    return dict(next(iter(checked.parameters.values())).cost)


def test_the_gaussian_pair_prices_it_in_every_notion_but_the_pure_one() -> None:
    # μ = 3, so ρ = 4.5, and 4.5⋅α at order α.
    assert priced("zcdp") == {"rho": "4.5"}
    assert priced("tcdp") == {"rho": "4.5", "omega": "∞"}
    assert priced("renyi", ", 8") == {"alpha": "8", "epsilon": "36"}
    for notion, said in (("eps", "no pure ε"), ("renyi", "names an order"), ("approx", "without a δ")):
        checked, diagnostics = parse(f"pλ . ⟨{TABLES}⟩ ⇒ {ONE_PASS.format(START)}", notion=notion).try_check()
        assert checked is None
        assert [found.code for found in diagnostics] == ["D0490"]
        assert said in " ".join(diagnostics[0].notes)


def test_an_order_is_for_renyi_and_above_one() -> None:
    text = f"pλ . ⟨{TABLES}⟩ ⇒ {ONE_PASS.format(START)}".replace("0.5]", "0.5, {}]", 1)
    for notion, order, code in (("gdp", "8", "D0216"), ("renyi", "1", "D0501")):
        checked, diagnostics = parse(text.replace("{}", order), notion=notion).try_check()
        assert checked is None
        assert [found.code for found in diagnostics] == [code]


def test_its_cost_is_a_bound_and_is_called_one() -> None:
    checked = parse(f"pλ . ⟨{TABLES}⟩ ⇒ {ONE_PASS.format(START)}", notion="gdp").check()
    (rows,) = checked.compare().values()
    kinds = {(row.notion.value, row.kind) for row in rows.rows}
    assert {("gdp", "upper"), ("zcdp", "upper"), ("tcdp", "upper"), ("rao", "none")} <= kinds
    assert "exact" not in {kind for _, kind in kinds}


def test_it_has_no_rao_length() -> None:
    checked, diagnostics = parse(f"pλ . {TABLES} ⇒ {ONE_PASS.format(START)}", notion="rao").try_check()
    assert checked is None
    assert [found.code for found in diagnostics] == ["D0401"]


def test_batches_are_of_one_size() -> None:
    text = f"pλ . {TABLES} ⇒ {ONE_PASS.format(START)}".replace("ℕ[4]", "ℕ[3]")
    checked, diagnostics = parse(text, notion="gdp").try_check()
    assert checked is None
    assert [found.code for found in diagnostics] == ["D0501"]


def test_tables_of_different_length_are_refused() -> None:
    text = f"pλ . {TABLES} ⇒ {ONE_PASS.format(START)}".replace("U | 8", "U | 4")
    checked, diagnostics = parse(text, notion="gdp").try_check()
    assert checked is None
    assert [found.code for found in diagnostics] == ["D0208"]
