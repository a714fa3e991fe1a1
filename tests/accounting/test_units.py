"""One person behind several inputs."""

import math

import pytest

from duetpy.accounting.certify import tight
from duetpy.accounting.price import Price, Refusal, price, value
from duetpy.typecheck.cost import Cost, NonPrivate, Zero, together
from duetpy.typecheck.notions import Notion
from tests.accounting.terms import gauss, laplace, of


def combined(notion: Notion, *costs: Cost) -> list[float | None]:
    found = price(together(costs), notion)
    assert isinstance(found, Price)
    return list(value(found).values())


def test_each_notion_combines_by_its_own_rule() -> None:
    assert combined(Notion.PURE, laplace("0.5"), laplace("0.25")) == [0.75]
    (rho,) = combined(Notion.ZCDP, gauss(Notion.ZCDP, "0.04"), gauss(Notion.ZCDP, "0.09"))
    assert rho == pytest.approx(0.25)
    (mu,) = combined(Notion.GDP, gauss(Notion.GDP, "0.5"), gauss(Notion.GDP, "0.25"))
    assert mu == 0.75
    eps, delta = combined(Notion.APPROX, gauss(Notion.APPROX, 1, "1e-6"), gauss(Notion.APPROX, "0.5", "1e-6"))
    assert eps == 1.5
    assert delta == pytest.approx(1e-6 + math.exp(0.5) * 1e-6)


@pytest.mark.parametrize(
    ("notion", "atom"), [(Notion.RENYI, gauss(Notion.RENYI, 5, 1)), (Notion.TCDP, gauss(Notion.TCDP, "0.1", 5))]
)
def test_renyi_and_tcdp_ask_for_aligned_parameters(notion: Notion, atom: Cost) -> None:
    found = price(together([atom, atom]), notion)
    assert isinstance(found, Refusal)
    assert "aligned" in found.reason


def test_one_input_or_none_is_itself() -> None:
    assert together([laplace("0.5"), Zero()]) == laplace("0.5")
    assert together([]) == Zero()
    assert isinstance(together([laplace(1), NonPrivate("printed")]), NonPrivate)


def test_the_joint_epsilon_is_more_than_either_and_no_more_than_the_rule() -> None:
    one, two = gauss(Notion.APPROX, "0.5", "1e-7"), laplace("0.4")
    joint = tight(together([one, two]), {}, of("1e-6").constant or 0).epsilon
    assert tight(one, {}).epsilon < joint <= 0.9
