"""The Python interface: load, parse, check, price."""

import copy
import json
import pickle
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest

import duetpy
from duetpy import DuetError
from duetpy.accounting.budget import parse_budget
from duetpy.cli.main import main
from tests.cli.programs import ALIGNED, CLEAR, CURRIED, GAUSS, LYING, MEAN, RHO


def test_the_public_names_are_there() -> None:
    assert dir(duetpy) == sorted(duetpy.__all__)
    for name in duetpy.__all__:
        assert getattr(duetpy, name) is not None
    with pytest.raises(AttributeError, match="nonsense"):
        _ = duetpy.nonsense


def test_what_there_is_can_be_copied_and_pickled() -> None:
    """A worker of a pool hands its results and its refusals to another process by pickling them."""
    checked = duetpy.parse(MEAN, notion="eps").check()
    with pytest.raises(DuetError) as caught:
        checked.run()
    for again in (copy.copy, copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))):
        told = again(caught.value)
        assert type(told) is DuetError
        assert told.diagnostics == caught.value.diagnostics
        assert str(told) == str(caught.value)
        other = again(checked)
        assert other.cost(ε=0.5) == checked.cost(ε=0.5)
        release = other.run(table=[[30.0], [50.0]], ε=0.5, _insecure_noise="none")
        assert again(release).to_json() == release.to_json()


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
        ({"k": 3}, "unknown name k"),
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


def test_a_cost_without_its_numbers_says_which_formula_it_is() -> None:
    """Where the program has a name of its own that is an option of `cost`, the option is not the program's number."""
    checked = duetpy.parse(
        "plam xs : DF[a : Disc], static e : Real+, static delta : Real+ => gauss[1, e, delta] <xs> { real (rows xs) }"
    ).check()
    with pytest.raises(ValueError, match=r"each name in ε = e, δ = delta; give delta as δ=…"):
        checked.cost(e=1, delta=1e-6)
    assert checked.cost(e=1, δ=1e-6)["xs"] == {"epsilon": 1.0, "delta": 1e-6}


def test_a_name_of_the_program_may_be_one_that_python_gives_to_objects() -> None:
    checked = duetpy.parse(
        "plam xs : DF[a : Disc], static self : Real+ => laplace[1, self] <xs> { real (rows xs) }", "eps"
    ).check()
    assert checked.cost(self=1)["xs"] == {"epsilon": 1.0}
    assert checked.compare(self=1)["xs"].worth is not None
    assert str(checked.why("xs", self=1))
    named = duetpy.parse(
        "plam xs : DF[a : Disc], static name : Real+ => laplace[1, name] <xs> { real (rows xs) }", "eps"
    )
    assert "ε = 2" in str(named.check().why("xs", name=2))
    assert checked.calibrate("epsilon=1", "self").value == 1
    assert checked.run(xs=[{"a": 1}], self=1).privacy["total"]["epsilon"] == 1.0


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


# ---------------------------------------------------------------------------------------------------------------------
# Runs


PEOPLE = "age\n10\n20\n30\n40\n"


def people(folder: Path) -> Path:
    path = folder / "people.csv"
    path.write_text(PEOPLE, encoding="utf-8")
    return path


def test_run_reads_a_path(tmp_path: Path) -> None:
    path = people(tmp_path)
    checked = duetpy.parse(MEAN, notion="eps", name="mean.eps.duet").check()
    for given in (path, str(path)):
        release = checked.run(table=given, ε=0.5, _insecure_noise="none")
        assert release.result == 25.0
        assert release.noise == "INSECURE"
    assert release.data == {"table": {"rows": 4, "columns": 1, "bad_rows": "refused"}}
    assert release.privacy == {"protected": False, "unit": f"one row of {path}", "neighbours": "replace-one"}
    assert checked.run(table=path, ε=0.5).privacy["total"] == {"notion": "eps", "epsilon": 0.5}
    assert release.releases[0]["count"] == 1
    assert json.loads(release.to_json())["result"] == 25.0


def test_run_takes_arrays_and_rows() -> None:
    import numpy as np

    checked = duetpy.parse(MEAN, notion="eps").check()
    for table in (np.array([[10.0], [40.0]]), [[10.0], [40.0]]):
        assert checked.run(table=table, eps=0.5, _insecure_noise="none").result == 25.0


def test_run_is_noisy_unless_told_otherwise() -> None:
    checked = duetpy.parse(MEAN, notion="eps").check()
    first = checked.run(table=[[10.0], [40.0]], ε=0.5)
    second = checked.run(table=[[10.0], [40.0]], ε=0.5)
    assert first.noise == "secure"
    assert first.result != second.result


def test_run_and_the_delta_of_tight() -> None:
    checked = duetpy.parse(MEAN, notion="eps").check()
    release = checked.run(table=[[1.0]], ε=0.5, _delta="1e-3")
    assert release.privacy["parameters"][0]["tight"]["delta"] == 1e-3


def test_an_unprotected_table_is_refused_unless_it_is_called_public(tmp_path: Path) -> None:
    checked = duetpy.parse(ALIGNED).check()
    xs, ys, theta = [[0.5, 0.5], [0.1, 0.2]], [[1.0], [-1.0]], [[0.0, 0.0]]
    assert len(checked.run(xs=xs, ys=ys, θ=duetpy.public(theta)).result[0]) == 2
    assert "0.0" not in repr(duetpy.public(theta))
    path = tmp_path / "theta.csv"
    path.write_text("0,0\n", encoding="utf-8")
    assert len(checked.run(xs=xs, ys=ys, θ=f"@{path}").result[0]) == 2
    for given in (path, str(path), theta):
        with pytest.raises(DuetError, match="D0701"):
            checked.run(xs=xs, ys=ys, θ=given)


@pytest.mark.parametrize(
    ("type_", "first", "wrapped"),
    [
        ("{} × ℝ", "(fst p)#[0, 0]", lambda table: (table, 1.0)),
        ("ℝ & {}", "(snd p)#[0, 0]", lambda table: (1.0, table)),
        ("{} + 𝔻", "case p { inl t ⇒ t#[0, 0] ; inr y ⇒ y }", lambda table: ("inl", table)),
        ("box[] ({})", "(unbox p)#[0, 0]", lambda table: table),
        ("𝐝 ({})", "p", lambda table: table),
        ("℘({})", "p", lambda table: [table]),
    ],
)
def test_so_is_one_in_a_pair_a_sum_or_a_box(type_: str, first: str, wrapped: Any, tmp_path: Path) -> None:
    """And one for which a path is given, which may be somebody's table as well as a public one."""
    checked = duetpy.parse(f"pλ . p : {type_.format('𝕄 [L∞, U | 1, 1⋅𝔻]')} ⇒ return {first}", notion="eps").check()
    (tmp_path / "x.csv").write_text("7\n", encoding="utf-8")
    for table in (str(tmp_path / "x.csv"), [[7.0]]):
        with pytest.raises(DuetError, match="D0701"):
            checked.run(p=wrapped(table), _header="no")
    assert "7" in str(checked.run(p=duetpy.public(wrapped([[7.0]]))).result)


class People:
    """A source with one row."""

    schema: ClassVar = {"age": "number"}
    rows = 1
    identity = "people"

    def blocks(self, columns: object) -> list[Any]:
        return [SimpleNamespace(read=lambda: {"age": [7.0]})]


@pytest.mark.parametrize("made", [People, lambda: np.array([7.0]), lambda: pd.Series([7.0])])
@pytest.mark.parametrize(
    ("type_", "wrapped"),
    [
        ("℘(𝔻)", lambda rows: rows),
        ("𝐝 (℘(𝔻) × 𝔻)", lambda rows: (rows, 1.0)),
        ("𝔻 & ℘(𝔻)", lambda rows: [1.0, rows]),
        ("𝔻 + ℘(𝔻)", lambda rows: ("inr", rows)),
    ],
)
def test_so_are_rows_that_are_given_for_a_set(type_: str, wrapped: Any, made: Any) -> None:
    """A source was refused by its name, and a table of the same rows too. What Python's own lists and sets hold is written down."""
    checked = duetpy.parse(f"pλ . p : {type_} ⇒ return p", notion="eps").check()
    with pytest.raises(DuetError, match="D0701"):
        checked.run(p=wrapped(made()))
    assert "7" in str(checked.run(p=duetpy.public(wrapped(made()))).result)
    for known in ([7.0], {7.0}, {7.0: "x"}.keys(), (age for age in [7.0])):
        assert "7" in str(checked.run(p=wrapped(known)).result)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({}, "D0608"),
        ({"table": "none.csv"}, "D0608"),
        ({"table": "none.csv", "ε": 1}, "D0601"),
        ({"table": [["x"]], "ε": 1}, "D0604"),
        ({"table": [[1.0]], "ε": 1, "nonsense": 2}, "D0610"),
        ({"table": [[1.0]], "ε": 1, "m": 2}, "D0612"),
        ({"table": [[1.0]], "ε": -1}, "D0611"),
    ],
)
def test_refused_runs(arguments: dict[str, object], code: str) -> None:
    with pytest.raises(DuetError) as caught:
        duetpy.parse(MEAN, notion="eps").check().run(**arguments)
    assert code in {diagnostic.code for diagnostic in caught.value.diagnostics}


def test_one_argument_under_two_names_is_refused() -> None:
    checked = duetpy.parse("pλ m : ℕ . θ : 𝕄 [L∞, U | m, 1⋅𝔻 else 0] ⇒ laplace[ℝ⁺[1.0], ℝ⁺[1.0]] <θ> { 1.0 }").check()
    with pytest.raises(ValueError, match="twice"):
        checked.run(θ=[[1.0]], theta=[[2.0]])


def test_an_option_without_its_underscore_is_named() -> None:
    checked = duetpy.parse(MEAN, notion="eps").check()
    with pytest.raises(ValueError, match="no on_bad_row, and the option of a run is written _on_bad_row"):
        checked.run(table=[[10.0]], ε=1, on_bad_row="default")


def test_a_parameter_may_be_named_like_an_option() -> None:
    checked = duetpy.parse(
        "pλ header : 𝔻, static ε : ℝ⁺ ⇒ laplace[auto, ε] <header> { clip[0.0, 9.0] header }", notion="eps"
    ).check()
    assert checked.run(header=7.0, ε=1, _insecure_noise="none").result == 7.0


def test_bad_rows_by_default() -> None:
    checked = duetpy.parse(MEAN, notion="eps").check()
    release = checked.run(table=[[10.0], [float("nan")]], ε=1, _on_bad_row="default", _insecure_noise="none")
    assert release.result == 5.0


def test_a_program_is_calibrated_for_a_budget_in_each_spelling() -> None:
    """A text was an AttributeError: only `Checked.calibrate` read it."""
    program = duetpy.parse(MEAN, notion="eps")
    for budget in ("epsilon=0.5", {"epsilon": 0.5}, parse_budget("epsilon=0.5")):
        assert program.calibrate(budget, "ε").value == pytest.approx(0.5)
    with pytest.raises(ValueError, match="not a valid budget"):
        program.calibrate("much", "ε")


# ---------------------------------------------------------------------------------------------------------------------
# Exact values


def test_evaluate() -> None:
    assert duetpy.evaluate(CURRIED, x=1.5, y=2) == 5.5
    assert duetpy.evaluate(duetpy.parse(CURRIED).check(), x=1.5, y=2) == 5.5
    assert duetpy.evaluate("1.0 + 2.0") == 3.0
    rows = duetpy.evaluate("sλ m : ℕ . xs : 𝕄 [L1, U | m, 2⋅ℝ else 0] ⇒ mmap xs { x ⇒ x + 1.0 }", xs=[[1, 2], [3, 4]])
    assert rows == [[2.0, 3.0], [4.0, 5.0]]


@pytest.mark.parametrize(
    "options", [{"_engine": "threads"}, {"_engine": 3}, {"_block_rows": 0}, {"_block_rows": "9"}, {"_trust": 3}]
)
def test_evaluate_refuses_options_that_are_not_valid(options: dict[str, Any]) -> None:
    """An engine by its name ended in an AttributeError where rows were added up."""
    with pytest.raises(ValueError, match=f"^{next(iter(options)).removeprefix('_')} is "):
        duetpy.evaluate(
            "sλ . xs : bag 𝔻 ⇒ mfold-row 0.0, xs { t, x ⇒ t + clip[0.0, 1.0] x#[0, 0] }", xs=[[1.0]], **options
        )


def test_evaluate_refuses_privacy_functions_and_bad_arguments() -> None:
    for text, arguments, code in (
        (MEAN, {"table": [[1.0]], "ε": 1}, "D0609"),
        (CURRIED, {"x": 1}, "D0608"),
        (CURRIED, {"x": 1, "y": 2, "z": 3}, "D0610"),
        (CURRIED, {"x": "a", "y": 2}, "D0611"),
        ("sλ . x : ℝ ⇒ y", {"x": 1}, "D0101"),
    ):
        with pytest.raises(DuetError) as caught:
            duetpy.evaluate(text, **arguments)
        assert caught.value.diagnostics[0].code == code


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: duetpy.parse(3), "the text of a program must be a str, not int"),
        (lambda: duetpy.parse(MEAN, "eps", 3), "the name of a program must be a str, not int"),
        (lambda: duetpy.evaluate(duetpy.parse("1.0")), r"what check\(\) returns, not Program"),
        (lambda: duetpy.evaluate(None, x=1), r"a program must be a str or what check\(\) returns, not NoneType"),
    ],
)
def test_what_is_no_text_is_no_program(call, match: str) -> None:
    with pytest.raises(TypeError, match=match):
        call()


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda checked: duetpy.parse(MEAN, ["eps"]), "unknown notion"),
        (lambda checked: checked.cost(notion=3), "unknown notion"),
        (lambda checked: checked.run(table=[[1.0]], ε=1, _ledger=3), "ledger is not a path"),
        (lambda checked: checked.run(table=[[1.0]], ε=1, _trust=3), "trust is not a list of modules"),
        (lambda checked: checked.run(table="x.csv:1-0", ε=1), "not a range of columns"),
        (lambda checked: checked.calibrate(3, "ε"), "a budget is a string"),
        (lambda checked: checked.calibrate("epsilon=1", 3), "needs the name of what to find"),
        (lambda checked: checked.program.audit({"ε": 1}, 0), "trials must be a whole number of at least 10"),
        (lambda checked: checked.program.audit({"ε": 1}, "many"), "trials must be a whole number of at least 10"),
        (lambda checked: checked.program.audit({"ε": 1}, 10, 0.5), "seed a whole number"),
    ],
)
def test_what_cannot_be_meant_is_a_value_error(call, match: str) -> None:
    checked = duetpy.parse(MEAN, "eps").check()
    with pytest.raises(ValueError, match=match):
        call(checked)


def test_a_path_may_pick_columns(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    path.write_text("height,age\n170,10\n180,40\n", encoding="utf-8")
    checked = duetpy.parse(MEAN, "eps").check()
    for picked in (f"{path}:age", f"{path}:1"):
        assert checked.run(table=picked, ε=0.5, _insecure_noise="none").result == 25.0
    with pytest.raises(DuetError, match="D0603"):
        checked.run(table=f"{path}:income", ε=0.5, _insecure_noise="none")
    named = tmp_path / "rows:2024"
    named.write_text("age\n30\n", encoding="utf-8")
    assert checked.run(table=str(named), ε=0.5, _insecure_noise="none").result == 30.0


def test_the_text_of_an_error_is_what_the_command_line_prints(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "wrong.eps.duet"
    path.write_text("sλ x : 𝔻 ⇒ y + z\n", encoding="utf-8")
    with pytest.raises(DuetError) as refused:
        duetpy.load(path).check()
    main(["check", str(path)])
    assert str(refused.value) in capsys.readouterr().err
    assert str(refused.value).count("error[D0101]") == 2
    assert str(pickle.loads(pickle.dumps(refused.value))) == str(refused.value)
