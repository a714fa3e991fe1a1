"""A choice in a body that runs once is the same on every input; in one that runs on many rows, each run makes its own."""

import pytest

from duetpy.typecheck.cost import (
    Atom,
    Converted,
    Cost,
    Given,
    Group,
    Repeat,
    Sampled,
    Seq,
    Shuffled,
    Together,
    choice,
    costs_in,
    scattered,
)
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import Quantity
from duetpy.typecheck.types import PFun
from tests.soundness.falsify import check
from tests.soundness.scattered import APART, AS_ONE, chosen
from tests.soundness.witness import APPROX


@pytest.mark.parametrize(("rule", "text"), APART)
def test_runs_on_rows_of_their_own_make_choices_of_their_own(rule: str, text: str) -> None:
    found = chosen(text)
    assert found
    assert all(found), rule


@pytest.mark.parametrize(("rule", "text"), AS_ONE)
def test_one_run_makes_one_choice(rule: str, text: str) -> None:
    found = chosen(text)
    assert found
    assert not any(found), rule


def test_every_choice_of_a_body_is_scattered_and_nothing_else_changes() -> None:
    of = Quantity.of
    one, two = Atom("laplace", (of(1),)), Given(Notion.ZCDP, (of(1),))
    inner = choice([one, two])

    def around(cost: Cost) -> Cost:
        return Seq(
            (
                Repeat(of(2), Group(of(3), cost)),
                Together((Converted(Notion.ZCDP, of("1e-6"), cost), Sampled("sample", of("0.1"), cost))),
                Shuffled(of(9), Seq((cost, one))),
            )
        )

    assert scattered(around(inner)) == around(choice([one, two], scattered=True)) != around(inner)
    assert hash(choice([one, two])) != hash(choice([one, two], scattered=True))
    assert scattered(around(one)) == around(one)


TABLE = "xs : 𝔻𝔽[home : 𝕊, work : 𝕊]"


@pytest.mark.parametrize(
    "release",
    [
        'parallel[2, xs, ℘{"a", "b"}] { r ⇒ ℘{r.home, r.work} } { k, t ⇒ laplace[auto, 1.0] <t> { real (rows t) } }',
        "keys[2, 1.0, 1e-6] xs <xs> { r ⇒ ℘{r.home, r.work} }",
        "key-counts[2, 1.0, 1e-6] xs <xs> { r ⇒ ℘{r.home, r.work} }",
    ],
)
@pytest.mark.parametrize("rows", [1, 3])
def test_the_runs_that_one_row_moves_are_others_than_those_of_another_row(release: str, rows: int) -> None:
    called = f"(pλ . {TABLE} ⇒ {release})@[ . (flat[{rows}] people {{ p ⇒ p.xs }}).[home, work]]"
    found = check(f"pλ . people : persons[id : 𝕊 | {TABLE}] ⇒ {called}", APPROX).type
    assert isinstance(found, PFun)
    repeats = [each for each in costs_in(found.parameters[0].cost) if isinstance(each, Repeat)]
    assert [(each.count, each.apart) for each in repeats] == [(Quantity.of(2), True)]
