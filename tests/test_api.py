"""The Python interface: load, parse, check, price."""

from fractions import Fraction
from pathlib import Path

import pytest

import duetpy
from duetpy import DuetError
from tests.cli.programs import ALIGNED, CLEAR, CURRIED, GAUSS, LYING, MEAN, RHO


def test_the_public_names_are_there() -> None:
    assert set(duetpy.__all__) <= set(dir(duetpy))
    for name in duetpy.__all__:
        assert getattr(duetpy, name) is not None
    with pytest.raises(AttributeError, match="nonsense"):
        _ = duetpy.nonsense


def test_load_takes_the_notion_of_the_name(tmp_path: Path) -> None:
    path = tmp_path / "rho.zcdp.duet"
    path.write_text(RHO, encoding="utf-8")
    for given in (path, str(path)):
        checked = duetpy.load(given).check()
        assert checked.notion == "zcdp"
        assert checked.program.notion_origin == "file name"
    assert duetpy.load(path, notion="gdp").notion.value == "gdp"
    with pytest.raises(ValueError, match="unknown notion"):
        duetpy.load(path, notion="nonsense")


@pytest.mark.parametrize("content", [None, b"\xff"])
def test_load_refuses_what_it_cannot_read(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "x.duet"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(DuetError) as caught:
        duetpy.load(path)
    assert caught.value.diagnostics[0].code.startswith("D009")


def test_parse_takes_a_text() -> None:
    checked = duetpy.parse(MEAN, notion="eps").check()
    assert checked.notion == "eps"
    assert duetpy.parse(MEAN).check().notion == "approx"
    assert duetpy.parse(MEAN, name="x.eps.duet").check().notion == "eps"
    assert duetpy.parse("notion zcdp;\n" + MEAN).check().notion == "zcdp"


def test_what_is_proved() -> None:
    checked = duetpy.parse(MEAN, notion="eps").check()
    assert list(checked.parameters) == ["table", "ε"]
    table = checked.parameters["table"]
    assert table.cost == {"epsilon": "ε"}
    assert table.sensitivity is None
    assert table.private
    assert table.unit == "table"
    assert table.neighbours == checked.neighbours == "replace-one"
    assert table.value is None
    assert not checked.parameters["ε"].private
    assert checked.type.endswith("⊸⋆ ℝ")
    assert checked.result == "ℝ"
    assert checked.requires == ()
    assert checked.diagnostics == ()


def test_a_sensitivity_function() -> None:
    checked = duetpy.parse(CURRIED).check()
    assert {name: parameter.sensitivity for name, parameter in checked.parameters.items()} == {"x": "1", "y": "2"}
    assert checked.cost() == {"x": {"sensitivity": 1.0}, "y": {"sensitivity": 2.0}}


def test_requirements_and_warnings() -> None:
    assert duetpy.parse(GAUSS).check().requires == ("δ < 1",)
    assert [diagnostic.code for diagnostic in duetpy.parse(CLEAR).check().diagnostics] == ["D0416"]


def test_a_refused_program() -> None:
    program = duetpy.parse(LYING, notion="eps")
    with pytest.raises(DuetError, match="D0311") as caught:
        program.check()
    checked, diagnostics = program.try_check()
    assert checked is None
    assert [d.code for d in diagnostics] == [d.code for d in caught.value.diagnostics] == ["D0311"]


def test_every_mistake_is_told_at_once() -> None:
    _, diagnostics = duetpy.parse("def a = (1.0]\ndef b = nothing\nb\n").try_check()
    assert [diagnostic.code for diagnostic in diagnostics] == ["D0006", "D0101"]


def test_an_accepted_program_gives_its_warnings() -> None:
    checked, diagnostics = duetpy.parse(CLEAR).try_check()
    assert checked is not None
    assert [diagnostic.code for diagnostic in diagnostics] == ["D0416"]


# ---------------------------------------------------------------------------------------------------------------------
# Costs as numbers


@pytest.mark.parametrize("epsilon", [0.5, Fraction(1, 2)])
def test_cost_in_the_own_notion(epsilon: object) -> None:
    checked = duetpy.parse(MEAN, notion="eps").check()
    assert checked.cost(ε=epsilon)["table"] == {"epsilon": 0.5}
    assert checked.cost(eps=epsilon)["table"] == {"epsilon": 0.5}
    assert checked.cost(eps=epsilon)["ε"] == {"epsilon": 0.0}


def test_cost_in_another_notion() -> None:
    checked = duetpy.parse(RHO, notion="zcdp").check()
    assert checked.cost(k=100, ρ=0.005)["xs"] == {"rho": pytest.approx(0.5)}
    # 0.5-zCDP from Gaussian noise is 1-GDP (Dong, Roth & Su 2022), and 4.886554 is its ε at δ = 1e-6.
    found = checked.cost(notion="approx", delta=1e-6, k=100, ρ=0.005)["xs"]
    assert found == {"epsilon": pytest.approx(4.886554, abs=1e-5), "delta": 1e-6}
    assert checked.cost(notion="gdp", k=100, ρ=0.005)["xs"] == {"mu": pytest.approx(1.0)}


def test_cost_in_approx_is_the_tight_one_at_the_asked_delta() -> None:
    checked = duetpy.parse(GAUSS).check()
    own = checked.cost(δ=1e-5)["xs"]
    looser = checked.cost(delta="1e-3", δ=1e-5)["xs"]
    assert own["delta"] == 1e-5
    assert looser["delta"] == 1e-3
    assert looser["epsilon"] is not None
    assert own["epsilon"] is not None
    assert looser["epsilon"] < own["epsilon"] <= 0.5


def test_an_unbounded_cost_is_none() -> None:
    assert duetpy.parse(CLEAR).check().cost()["x"]["epsilon"] is None


@pytest.mark.parametrize(
    ("values", "match"),
    [
        ({}, "needs a number"),
        ({"k": 3}, "nothing is called k"),
        ({"ε": -1}, "must be a positive number"),
        ({"ε": "a"}, "must be a number"),
        ({"ε": float("nan")}, "must be a number"),
        ({"ε": 1, "eps": 2}, "twice"),
    ],
)
def test_numbers_that_cannot_be(values: dict[str, object], match: str) -> None:
    checked = duetpy.parse(MEAN, notion="eps").check()
    with pytest.raises(ValueError, match=match):
        checked.cost(None, None, **values)


@pytest.mark.parametrize("delta", [0, 1, -1e-6, "nan"])
def test_a_delta_that_cannot_be(delta: object) -> None:
    with pytest.raises(ValueError, match=r"δ|number"):
        duetpy.parse(MEAN, notion="eps").check().cost(delta=delta, ε=1)


def test_a_side_condition_that_fails() -> None:
    with pytest.raises(DuetError, match="D0501"):
        duetpy.parse(GAUSS).check().cost(δ=1)


def test_a_notion_that_cannot_price() -> None:
    with pytest.raises(DuetError, match="D0490"):
        duetpy.parse(RHO, notion="zcdp").check().cost(notion="eps", k=1, ρ=0.5)


def test_aligned_parameters_cost_once() -> None:
    checked = duetpy.parse(ALIGNED).check()
    assert checked.parameters["xs"].unit == "xs+ys"
    assert checked.cost()["xs"] == checked.cost()["ys"]
