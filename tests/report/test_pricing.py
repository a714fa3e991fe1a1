import pytest

import duetpy
from duetpy.accounting.gathering import gathered
from duetpy.accounting.price import Price, price
from duetpy.typecheck.cost import Atom, Cost, NonPrivate, Repeat, Seq, Zero, choice, sequence
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import Quantity


def laplace(epsilon: str) -> Atom:
    return Atom("laplace", (Quantity.of(epsilon),))


MIXED = sequence(
    [laplace("0.1"), laplace("0.2"), laplace("0.1"), choice([laplace("0.3"), laplace("0.5")]), laplace("0.1")]
)


def test_equal_mechanisms_are_counted() -> None:
    found = gathered(MIXED)
    assert isinstance(found, Seq)
    assert Repeat(Quantity.of(3), laplace("0.1")) in found.parts
    assert len(found.parts) == 3


def test_what_is_gathered_stays() -> None:
    assert gathered(gathered(MIXED)) == gathered(MIXED)


SPREAD = """\
pλ . x : ℝ ⇒
  a ← laplace[1.0, 0.2] <x> { x } ; b ← loop 3 on 0.0 <x> { i, z ⇒ laplace[1.0, 0.3] <x> { x } } ;
  c ← gauss[1.0, 0.3, 1e-7] <x> { x } ; d ← loop 2 on 0.0 <x> { i, z ⇒ gauss[1.0, 0.15, 1e-7] <x> { x } } ;
  e ← loop 2 on 0.0 <x> { i, z ⇒ gauss[1.0, 0.15, 1e-7] <x> { x } } ; f ← laplace[1.0, 0.05] <x> { x } ;
  g ← loop 3 on 0.0 <x> { i, z ⇒ laplace[1.0, 0.05] <x> { x } } ; h ← gauss[1.0, 0.15, 1e-7] <x> { x } ;
  return a
"""


def test_a_run_reports_the_tight_epsilon_of_the_check_to_the_last_bit() -> None:
    """Both compose the same term, in the same order."""
    program = duetpy.parse(SPREAD, "approx")
    (parameter,) = program.state().parameters
    assert program.check().run(x=0.0).privacy["tight"] == parameter.tight


@pytest.mark.parametrize("cost", [Zero(), NonPrivate("x"), laplace("1"), Repeat(Quantity.of(2), laplace("1"))])
def test_what_is_no_sequence_stays(cost: Cost) -> None:
    assert gathered(cost) is cost


@pytest.mark.parametrize("notion", [Notion.PURE, Notion.APPROX, Notion.ZCDP, Notion.GDP])
def test_counting_changes_no_price(notion: Notion) -> None:
    one, other = price(MIXED, notion), price(gathered(MIXED), notion)
    assert isinstance(one, Price)
    assert isinstance(other, Price)
    assert [part.evaluate_float({}) for part in one.parts] == pytest.approx(
        [part.evaluate_float({}) for part in other.parts], rel=1e-12
    )


def test_a_hundred_binds_cost_a_hundred_times() -> None:
    binds = "".join(f"  y{i} ← laplace[ℝ⁺[1.0], ℝ⁺[0.01]] <x> {{ x }} ;\n" for i in range(100))
    checked = duetpy.parse(f"pλ . x : ℝ ⇒\n{binds}  return y0\n", notion="eps").check()
    assert checked.parameters["x"].cost == {"epsilon": "1"}
    assert checked.parameters["x"].value == {"epsilon": 1.0}


def test_tight_is_never_above_what_the_program_states() -> None:
    for epsilon in ("0.1", "0.5", "1", "3", "10"):
        text = f"pλ . x : ℝ ⇒ gauss[ℝ⁺[1.0], ℝ⁺[{epsilon}], ℝ⁺[1e-6]] <x> {{ x }}"
        x = duetpy.parse(text).check().parameters["x"]
        assert x.value is not None
        assert x.tight is not None
        assert x.tight["delta"] == x.value["delta"]
        assert x.tight["epsilon"] is not None
        assert x.value["epsilon"] is not None
        assert x.tight["epsilon"] <= x.value["epsilon"]
