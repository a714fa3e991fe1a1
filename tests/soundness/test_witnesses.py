"""The prices of privacy: no two laws that a cost allows are further apart, and tight ones are that far apart."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest
from attrs import evolve

from duetpy.typecheck.cost import Converted
from duetpy.typecheck.notions import Notion
from tests.effort import often
from tests.soundness import distributions
from tests.soundness.distributions import TOLERANCE
from tests.soundness.falsify import check
from tests.soundness.meaningless import MEANINGLESS, Meaningless, accepts
from tests.soundness.orders import out_of_order
from tests.soundness.prices import PRICES, Priced, used_up
from tests.soundness.witness import Witness, shown, used
from tests.soundness.witnesses import WITNESSES

TIGHT = 0.9


def of_witness(witness: Witness) -> str:
    return f"{witness.rule}, {witness.notion.value}: {witness.text}"


def of_price(priced: Priced) -> str:
    return f"{priced.rule}, {priced.notion.value}: {type(priced.cost).__name__}"


def of_program(program: Meaningless) -> str:
    return f"{program.rule}: {program.text}"


@pytest.mark.parametrize("witness", WITNESSES, ids=of_witness)
@pytest.mark.sparse(2)
def test_neighbours_are_as_far_apart_as_the_price_says(witness: Witness) -> None:
    assert shown(witness) == witness.claims
    share = used(witness)
    assert share <= 1 + TOLERANCE
    assert (share >= TIGHT) == witness.tight


@pytest.mark.parametrize("priced", PRICES, ids=of_price)
def test_what_a_cost_allows_is_as_far_apart_as_its_price_says(priced: Priced) -> None:
    share = used_up(priced)
    assert share <= 1 + TOLERANCE
    assert (share >= TIGHT) == priced.tight


@pytest.mark.parametrize("program", MEANINGLESS, ids=of_program)
def test_a_program_without_meaning_is_refused(program: Meaningless) -> None:
    assert [d.code for d in check(program.text, program.notion).diagnostics] == ([program.code] if program.code else [])
    assert not accepts(program)


def test_quantities_are_in_the_order_that_is_proved() -> None:
    assert out_of_order(often(40, 12)) is None


@pytest.mark.slow
def test_many_quantities_are_in_the_order_that_is_proved() -> None:
    assert out_of_order(3000, seed=1) is None


@pytest.mark.parametrize(("queries", "least"), [(3, 0.4), (10, 0.98), (100, 1 - 1e-9)])
def test_above_threshold_loses_all_of_its_price_as_the_queries_grow(queries: int, least: float) -> None:
    (witness,) = (
        witness for witness in WITNESSES if witness.rule == "above-threshold" and "else 0.0 - z" in witness.text
    )
    text = witness.text.replace("ℕ[100]", f"ℕ[{queries}]").replace("98.0", f"{queries - 2}.0")
    assert least <= used(evolve(witness, text=text)) <= 1 + TOLERANCE


def test_rows_in_the_order_of_the_table_would_show_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a row left out all that follow stand in other places: a body that tells these apart sees more than one row change."""

    def in_order(scheme: str, size: Any, rows: int) -> list[tuple[float, tuple[int, ...]]]:
        chosen = list(combinations(range(rows), int(size)))
        return [(1 / len(chosen), numbers) for numbers in chosen]

    by_place = [witness for witness in WITNESSES if witness.rule == "sample" and "mmapp" in witness.text]
    assert max(map(used, by_place)) <= 1 + TOLERANCE
    monkeypatch.setattr(distributions, "samples", in_order)
    assert max(map(used, by_place)) > 1.1


def test_two_points_use_up_what_one_order_allows() -> None:
    (priced,) = (
        priced
        for priced in PRICES
        if isinstance(priced.cost, Converted) and priced.cost.inner is Notion.RENYI and priced.tight
    )
    assert 0.99 <= used_up(priced) <= 1
