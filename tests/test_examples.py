"""The examples do what they say: good ones check, run on the data next to them and come out near the truth; mistakes are
refused with the diagnostic that they name.

Runs draw real noise. What they are compared with leaves room for 25 scales of it: noise leaves that room once in 10^10 runs.
"""

import csv
import importlib.util
import json
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from duetpy import load
from duetpy.cli.main import main

EXAMPLES = Path(__file__).parents[1] / "examples"
DATA = EXAMPLES / "data"
MISTAKES = EXAMPLES / "mistakes"

GOOD = sorted(path for path in EXAMPLES.rglob("*.duet") if MISTAKES not in path.parents)
BAD = sorted(MISTAKES.glob("*.duet"))

_EXPECTED = re.compile(r"-- expect: (D\d{4})( \(a warning; `run` refuses the program\))?\n")


def name_of(path: Path) -> str:
    return str(path.relative_to(EXAMPLES))


def script(path: Path) -> ModuleType:
    """A script of the examples, imported."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def table(name: str) -> dict[str, list[str]]:
    """The columns of a table by their names."""
    with (DATA / name).open(encoding="utf-8", newline="") as lines:
        header, *rows = csv.reader(lines)
    return dict(zip(header, map(list, zip(*rows, strict=True)), strict=True))


def numbers(name: str, column: str) -> NDArray[np.float64]:
    return np.array([float(cell) for cell in table(name)[column]])


# ---------------------------------------------------------------------------------------------------------------------
# Checking


PUBLIC_TABLES = {"cholera.eps.duet": {"pumps"}}
"""What an example says it does not protect."""


@pytest.mark.parametrize("path", GOOD, ids=name_of)
def test_a_good_example_protects_a_parameter_without_a_warning(path: Path) -> None:
    checked, diagnostics = load(path).try_check()
    assert checked is not None, [found.message for found in diagnostics]
    assert not diagnostics
    costs = {parameter.name: parameter.cost or {} for parameter in checked.parameters.values()}
    assert any(parameter.private for parameter in checked.parameters.values())
    prices = {
        name: [price for key, price in cost.items() if key not in ("alpha", "omega")] for name, cost in costs.items()
    }
    assert {name for name, price in prices.items() if "∞" in price} == PUBLIC_TABLES.get(path.name, set())


@pytest.mark.parametrize("path", GOOD, ids=name_of)
def test_a_good_example_says_what_one_person_is(path: Path) -> None:
    comment = path.read_text(encoding="utf-8").partition("pλ")[0].lower()
    assert comment.startswith("-- ")
    assert "one person" in comment
    assert path.parent != EXAMPLES or "-- released" in comment


COSTS = {
    "adaptive-clipping.eps.duet": {"epsilon": "ε"},
    "ages.eps.duet": {"epsilon": "ε"},
    "batches.ed.duet": {"epsilon": "ε", "delta": "δ"},
    "cholera.eps.duet": {"epsilon": "ε"},
    "count.eps.duet": {"epsilon": "ε"},
    "dp-sgd.ed.duet": {"epsilon": "k⋅log1p(q⋅expm1(ε))", "delta": "k⋅q⋅δ"},
    "groups.eps.duet": {"epsilon": "ε"},
    "histogram.eps.duet": {"epsilon": "2⋅ε"},
    "hires.eps.duet": {"epsilon": "ε"},
    "k-means.zcdp.duet": {"rho": "ρ"},
    "logistic.eps.duet": {"epsilon": "ε"},
    "logistic.gdp.duet": {"mu": "μ"},
    "logistic.rao.duet": {"theta": "bearing"},
    "logistic.renyi.duet": {"alpha": "α", "epsilon": "ε"},
    "logistic.tcdp.duet": {"rho": "ρ", "omega": "ω"},
    "logistic.zcdp.duet": {"rho": "ρ"},
    "median.eps.duet": {"epsilon": "ε"},
    "minibatch.ed.duet": {"epsilon": "k⋅log1p(b⋅expm1(ε)/m)", "delta": "b⋅k⋅δ/m"},
    "mwem.eps.duet": {"epsilon": "ε"},
    "normalize.zcdp.duet": {"rho": "ρ"},
    "output-perturbation.zcdp.duet": {"rho": "ρ"},
    "payroll.eps.duet": {"epsilon": "ε"},
    "regression.eps.duet": {"epsilon": "ε"},
    "spread.eps.duet": {"epsilon": "2⋅ε"},
    "squares.ed.duet": {"epsilon": "2⋅ε", "delta": "δ"},
    "visits.eps.duet": {"epsilon": "4⋅ε"},
}


@pytest.mark.parametrize("name", COSTS)
def test_an_example_costs_what_its_comment_says(name: str) -> None:
    parameters = load(EXAMPLES / name).check().parameters.values()
    assert next(parameter.cost for parameter in parameters if parameter.private) == COSTS[name]


def test_poisson_batches_cost_what_the_comment_of_the_example_says(capsys: pytest.CaptureFixture[str]) -> None:
    numbers = [word for each in MODELS["dp-sgd.ed.duet"] for word in ("--set", each)]
    assert main(["check", str(EXAMPLES / "dp-sgd.ed.duet"), *numbers, "--format", "json"]) == 0
    cost = json.loads(capsys.readouterr().out)["parameters"][0]
    assert [cost["value"]["delta"], cost["tight"]["delta"]] == pytest.approx([1e-6, 1e-6])
    assert cost["value"]["epsilon"] == pytest.approx(50 * np.log1p(0.1 * np.expm1(2)))
    assert round(cost["tight"]["epsilon"], 2) == 1.51


def test_features_and_labels_are_one_person() -> None:
    for name in MODELS:
        parameters = load(EXAMPLES / name).check().parameters
        assert parameters["xs"].unit == parameters["ys"].unit == "xs+ys"


@pytest.mark.parametrize("path", BAD, ids=name_of)
def test_a_mistake_is_refused_with_the_diagnostic_that_it_names(path: Path) -> None:
    expected = _EXPECTED.match(path.read_text(encoding="utf-8"))
    assert expected, "the first line says what to expect"
    checked, diagnostics = load(path).try_check()
    assert [found.code for found in diagnostics] == [expected[1]]
    is_warning = expected[2] is not None
    assert (checked is not None) == is_warning
    assert diagnostics[0].is_error != is_warning


@pytest.mark.parametrize("path", BAD, ids=name_of)
def test_a_mistake_tells_its_story(path: Path) -> None:
    comment = [line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("--")]
    assert len(comment) >= 5


@pytest.mark.parametrize("path", BAD, ids=name_of)
def test_the_command_of_a_mistake_shows_the_diagnostic(
    path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    commands = re.findall(r"^--     duetpy (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    assert commands == [f"check examples/mistakes/{path.name}"]
    monkeypatch.chdir(EXAMPLES.parent)
    code = main(commands[0].split())
    expected = _EXPECTED.match(path.read_text(encoding="utf-8"))
    assert expected
    assert code == (0 if expected[2] else 1)
    assert f"{'warning' if expected[2] else 'error'}[{expected[1]}]" in capsys.readouterr().err


def test_the_index_of_the_mistakes_lists_each_with_its_diagnostic() -> None:
    index = (MISTAKES / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \[(\S+)\]\(\1\) \|[^|]+\|[^|]+\| (D\d{4}) \|$", index, re.MULTILINE)
    expected = {path.name: _EXPECTED.match(path.read_text(encoding="utf-8")) for path in BAD}
    assert rows == [(name, found[1]) for name, found in expected.items() if found]


def test_there_are_examples_of_both_kinds() -> None:
    assert len(GOOD) >= 8
    assert len(BAD) >= 10


# ---------------------------------------------------------------------------------------------------------------------
# Running


def run(capsys: pytest.CaptureFixture[str], name: str, *arguments: str) -> dict[str, Any]:
    """The report of one run."""
    code = main(["run", str(EXAMPLES / name), *arguments, "--format", "json"])
    captured = capsys.readouterr()
    assert code == 0, captured.err
    report: dict[str, Any] = json.loads(captured.out)
    assert report["noise"] == "secure"
    return report


def data(name: str, columns: str, parameter: str = "") -> str:
    return f"{parameter}{DATA / name}:{columns}"


def test_a_first_number(capsys: pytest.CaptureFixture[str]) -> None:
    people = EXAMPLES / "first-number" / "people.csv"
    ages = np.loadtxt(people, skiprows=1)
    report = run(capsys, "first-number/mean.eps.duet", "--data", str(people), "--set", "ε=0.5")
    assert abs(report["result"] - np.clip(ages, 0, 100).mean()) < 25 * 100 / (len(ages) * 0.5)
    assert report["privacy"]["total"]["epsilon"] == 0.5


def test_a_spread(capsys: pytest.CaptureFixture[str]) -> None:
    report = run(capsys, "spread.eps.duet", "--data", data("diabetes.csv", "bmi"), "--set", "ε=50")
    bmi = np.clip(numbers("diabetes.csv", "bmi"), 15, 45)
    mean, deviation = (report["result"][name] for name in ("mean", "deviation"))
    scale = 225 / (len(bmi) * 50)
    assert abs(mean - bmi.mean()) < 25 * scale
    assert abs(deviation**2 - bmi.var()) < 25 * scale * (1 + 2 * 15)
    assert report["privacy"]["total"]["epsilon"] == 100


def test_a_count(capsys: pytest.CaptureFixture[str]) -> None:
    report = run(capsys, "count.eps.duet", "--data", data("diabetes.csv", "age,bmi"), "--set", "ε=10")
    count = np.sum((numbers("diabetes.csv", "age") > 50) & (numbers("diabetes.csv", "bmi") >= 30))
    assert count > 30
    assert abs(report["result"] - count) < 25 / 10


def test_a_median(capsys: pytest.CaptureFixture[str]) -> None:
    report = run(capsys, "median.eps.duet", "--data", data("diabetes.csv", "bmi"), "--set", "ε=1000")
    assert abs(report["result"] - np.median(numbers("diabetes.csv", "bmi"))) <= 0.5


def test_a_histogram_with_keys_from_a_column(capsys: pytest.CaptureFixture[str]) -> None:
    columns = data("breast_cancer.csv", "diagnosis,radius_mean")
    report = run(capsys, "histogram.eps.duet", "--data", columns, "--set", "ε=20")
    diagnoses = np.array(table("breast_cancer.csv")["diagnosis"])
    radius = np.clip(numbers("breast_cancer.csv", "radius_mean"), 0, 30)
    assert [row["diagnosis"] for row in report["result"]] == ["B", "M"]
    for row in report["result"]:
        group = radius[diagnoses == row["diagnosis"]]
        assert abs(row["number"] - len(group)) < 25 / 20
        assert abs(row["mean"] - group.mean()) < 1
    assert report["privacy"]["neighbours"] == "add-remove"


def test_a_histogram_with_computed_keys(capsys: pytest.CaptureFixture[str]) -> None:
    report = run(capsys, "ages.eps.duet", "--data", data("diabetes.csv", "age"), "--set", "ε=20")
    ages = numbers("diabetes.csv", "age")
    edges = {
        "under 30": (0, 30),
        "30 to 39": (30, 40),
        "40 to 49": (40, 50),
        "50 to 59": (50, 60),
        "60 and over": (60, 200),
    }
    released = dict(report["result"])
    assert set(released) == set(edges)
    for name, (low, high) in edges.items():
        assert abs(released[name] - np.sum((low <= ages) & (ages < high))) < 25 / 20


def test_the_squares_that_many_share_are_found(capsys: pytest.CaptureFixture[str]) -> None:
    """At ε = 1 a square of 18 deaths or more is left out about once in a hundred runs, so not all of five are, in 10^10 runs."""
    report = run(capsys, "squares.ed.duet", "--data", data("cholera.csv", "x,y"), "--set", "ε=1", "--set", "δ=1e-6")
    x, y = (np.floor(numbers("cholera.csv", column)) for column in "xy")
    counts = {(a, b): int(np.sum((x == a) & (y == b))) for a, b in set(zip(x.tolist(), y.tolist(), strict=True))}
    released = {tuple(square): number for square, number in report["result"]}
    assert list(released) == sorted(released)
    assert released.keys() <= counts.keys()
    assert {square for square, number in counts.items() if number >= 26} & released.keys()
    assert all(abs(number - counts[square]) < 25 for square, number in released.items())
    assert len(released) < len(counts) / 2
    assert report["privacy"]["total"] == {"notion": "approx", "epsilon": 2.0, "delta": 1e-6}


MODELS = {
    "logistic.zcdp.duet": ["k=10", "η=4", "ρ=0.5"],
    "logistic.eps.duet": ["k=10", "η=4", "ε=100"],
    "logistic.ed.duet": ["k=10", "η=4", "ε=2", "δ=1e-8", "δ′=9e-7"],
    "logistic.renyi.duet": ["k=10", "η=4", "α=10", "ε=5"],
    "logistic.tcdp.duet": ["k=10", "η=4", "ρ=0.5", "ω=10"],
    "logistic.gdp.duet": ["k=10", "η=4", "μ=1"],
    "logistic.rao.duet": ["k=10", "η=4", "bearing=1"],
    "last-iterate.gdp.duet": ["E=20", "b=61", "η=4", "λ=0.01", "σ=0.02"],
    "output-perturbation.zcdp.duet": ["k=10", "η=4", "ρ=0.5"],
    "dp-sgd.ed.duet": ["k=50", "q=0.1", "η=0.2", "ε=2", "δ=2e-7"],
    "minibatch.ed.duet": ["k=10", "η=4", "b=213", "ε=3", "δ=1e-6"],
    "batches.ed.duet": ["b=61", "η=4", "ε=5", "δ=1e-6"],
    "frank-wolfe.ed.duet": ["k=15", "r=20", "ε=5", "δ=1e-6"],
    "normalize.zcdp.duet": ["k=10", "η=1", "ρ=2"],
    "tune.ed.duet": ["k=10", "ε=2", "ρ=0.5"],
}


QUIETER = {
    "logistic.zcdp.duet": ["k=10", "η=4", "ρ=50"],
    "logistic.eps.duet": ["k=10", "η=4", "ε=1000"],
    "logistic.ed.duet": ["k=10", "η=4", "ε=80", "δ=1e-8", "δ′=9e-7"],
    "logistic.renyi.duet": ["k=10", "η=4", "α=10", "ε=500"],
    "logistic.tcdp.duet": ["k=10", "η=4", "ρ=50", "ω=10"],
    "logistic.gdp.duet": ["k=10", "η=4", "μ=10"],
    "logistic.rao.duet": ["k=10", "η=4", "bearing=10"],
    "last-iterate.gdp.duet": ["E=20", "b=61", "η=4", "λ=0.01", "σ=0.002"],
    "output-perturbation.zcdp.duet": ["k=10", "η=4", "ρ=50"],
    "dp-sgd.ed.duet": ["k=50", "q=0.1", "η=0.2", "ε=80", "δ=2e-7"],
    "minibatch.ed.duet": ["k=10", "η=4", "b=213", "ε=100", "δ=1e-6"],
    "batches.ed.duet": ["b=61", "η=4", "ε=200", "δ=1e-6"],
    "frank-wolfe.ed.duet": ["k=15", "r=20", "ε=50", "δ=1e-6"],
    "normalize.zcdp.duet": ["k=10", "η=1", "ρ=200"],
    "tune.ed.duet": ["k=10", "ε=20", "ρ=50"],
}
"""The models with about ten times less noise (batches and the rest being as there), so that chance fails none of them.

With the noise of `MODELS` a model tells at most 0.85 of the tumours apart in 4 of 100 runs for `normalize` (11 of 300), and for the
others in none of 150 to 300. What ten times the noise does in 4 of 100 runs takes 10⋅Φ⁻¹(0.96) = 17 scales of it here, which noise
leaves once in 10^60 runs. Of 60 runs each the worst was 0.915, and the mean at least 11 standard deviations above 0.85.
"""


def share_right(model: NDArray[np.float64]) -> float:
    """The share of held-out tumours that a model tells apart."""
    assert model.shape == (1, 30)
    held_out = np.loadtxt(DATA / "breast_cancer_held_out.csv", delimiter=",", skiprows=1)
    return float(np.mean((held_out[:, :-1] @ model.ravel() > 0) == (held_out[:, -1] > 0)))


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.sparse(10)
def test_a_private_model_tells_tumours_apart(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    table = "breast_cancer_train.csv"
    views = ["--data", data(table, "0-29", "xs="), "--data", data(table, "30", "ys=")]
    for settings in (MODELS[name], QUIETER[name]):
        chosen = [word for each in settings for word in ("--set", each)]
        share = share_right(np.array(run(capsys, name, *views, *chosen)["result"]))
    assert share > 0.85


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.sparse(10)
def test_a_model_of_exchanged_labels_tells_them_the_wrong_way_round(name: str) -> None:
    """The control: what learns nothing from the labels is as good on these."""
    train = np.loadtxt(DATA / "breast_cancer_train.csv", delimiter=",", skiprows=1)
    settings = {key: float(value) for key, value in (each.split("=") for each in QUIETER[name])}
    numbers = {key: int(value) if value.is_integer() else value for key, value in settings.items()}
    program = load(EXAMPLES / name).check()
    release = program.run(xs=train[:, :-1], ys=-train[:, -1:], **numbers, _insecure_noise="none")
    assert share_right(np.array(release.result)) < 0.15


def test_a_model_that_says_nothing_is_not_called_good() -> None:
    assert share_right(np.zeros((1, 30))) < 0.7


def test_a_bound_that_few_exceed(capsys: pytest.CaptureFixture[str]) -> None:
    report = run(capsys, "adaptive-clipping.eps.duet", "--data", data("diabetes.csv", "bmi"), "--set", "ε=100")
    bmi = numbers("diabetes.csv", "bmi")
    bound, mean = report["result"]["bound"], report["result"]["mean"]
    assert np.sum(bmi > bound) < 25 <= np.sum(bmi > bound - 2)
    assert abs(mean - np.clip(bmi, 0, bound).mean()) < 25 * bound * 2 / (len(bmi) * 100)


def test_deaths_by_pump(capsys: pytest.CaptureFixture[str]) -> None:
    views = ["--data", f"deaths={DATA / 'cholera.csv'}", "--set", f"pumps=@{DATA / 'pumps.csv'}"]
    report = run(capsys, "cholera.eps.duet", *views, "--set", "ε=20")
    pumps = dict(zip(table("pumps.csv")["name"], table("pumps.csv")["pump"], strict=True))
    nearest = table("cholera.csv")["pump"]
    assert len(report["result"]) == 5
    for name, number in report["result"]:
        assert abs(number - nearest.count(pumps[name])) < 25 / 20


def test_a_regression(capsys: pytest.CaptureFixture[str]) -> None:
    report = run(
        capsys, "regression.eps.duet", "--data", data("diabetes.csv", "bmi,bp,ltg,progress"), "--set", "ε=10000"
    )
    weights = list(report["result"].values())
    names = ("bmi", "bp", "ltg")
    columns = np.column_stack([np.ones(442), *(numbers("diabetes.csv", name) for name in names)])
    progress = numbers("diabetes.csv", "progress")
    best, *_ = np.linalg.lstsq(columns, progress, rcond=None)
    # Rows that count less make it another estimate of the same line: its predictions are not much worse.
    assert np.std(columns @ weights - progress) < 1.01 * np.std(columns @ best - progress)


def test_the_middle_of_an_epidemic(capsys: pytest.CaptureFixture[str]) -> None:
    views = ["--data", data("cholera.csv", "x,y")]
    report = run(capsys, "k-means.zcdp.duet", *views, "--set", "t=8", "--set", "ρ=50")
    places = np.column_stack([numbers("cholera.csv", "x"), numbers("cholera.csv", "y")]) / 10
    start = np.array([[0.9, 0.9], [1.2, 1.2], [1.5, 1.5]])
    assert spread_around(places, np.array(report["result"])) < 0.75 * spread_around(places, start)


def spread_around(places: NDArray[np.float64], centres: NDArray[np.float64]) -> float:
    """The mean squared distance to the nearest centre."""
    return float(((places[:, None] - centres[None]) ** 2).sum(axis=2).min(axis=1).mean())


def test_a_synthetic_histogram_answers_thresholds(capsys: pytest.CaptureFixture[str]) -> None:
    report = run(capsys, "mwem.eps.duet", "--data", data("diabetes.csv", "bmi"), "--set", "t=20", "--set", "ε=200")
    bars, bmi = np.ravel(report["result"]), numbers("diabetes.csv", "bmi")
    assert abs(bars.sum() - len(bmi)) < 1e-6
    even = np.full(25, len(bmi) / 25)

    def worst(histogram: NDArray[np.float64]) -> float:
        middles = 16.5 + np.arange(25)
        return max(abs(histogram[middles < edge].sum() - np.sum(bmi < edge)) for edge in range(17, 41))

    assert worst(bars) < 0.5 * worst(even)


def test_without_noise_the_program_descends_the_gradient(capsys: pytest.CaptureFixture[str]) -> None:
    score = script(EXAMPLES / "score.py")
    features, labels = score.read(score.TRAIN)
    expected = score.descend(score.clipped(features), labels, score.STEPS)
    checked = load(EXAMPLES / "logistic.zcdp.duet").check()
    values = score.PROGRAMS["logistic.zcdp.duet"]
    release = checked.run(xs=features, ys=labels[:, None], **values, _insecure_noise="none")
    # ∇ is computed on a grid: every turn is within 2^-16 of the formula, and most of that cancels.
    assert np.max(np.abs(np.ravel(release.result) - expected)) < 2.0**-16


def test_the_score_is_printed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["score.py"])
    script(EXAMPLES / "score.py").main()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("427 training rows, 142 held-out rows")
    names = (
        "logistic.zcdp.duet",
        "logistic.ed.duet",
        "minibatch.ed.duet",
        "the same steps",
        "5000 steps",
        "always the commoner",
    )
    accuracies = {name: float(line.split()[-1]) for name in names for line in lines if line.startswith(name)}
    assert set(accuracies) == set(names)
    assert accuracies["5000 steps"] > 0.95
    assert accuracies["logistic.zcdp.duet"] > accuracies["always the commoner"]


FREED = {
    "everything.eps.duet": ("patients", "diabetes.csv:age,bmi"),
    "exact-size.eps.duet": ("patients", "diabetes.csv:age"),
    "early-stop.ed.duet": ("xs", "breast_cancer_train.csv:0-29"),
    "sparse-vector-without-noise.eps.duet": ("patients", "diabetes.csv:bmi"),
}


@pytest.mark.parametrize("path", [path for path in BAD if "`run` refuses" in path.read_text("utf-8")], ids=name_of)
def test_a_program_that_releases_its_data_is_not_run(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    parameter, columns = FREED[path.name]
    words = [f"--data={parameter}={DATA / columns}"]
    words += ["--data", data("breast_cancer_train.csv", "30", "ys=")] * (parameter == "xs")
    for name in load(path).check().parameters:
        words += ["--set", f"{name}=0.5"] * (name in ("ε", "δ", "δ′", "η")) + ["--set", "k=2"] * (name == "k")
    code = main(["run", str(path), *words])
    captured = capsys.readouterr()
    assert code == 1
    assert captured.out == ""
    assert "error[D0701]" in captured.err


def test_hires_are_counted_by_the_years_of_their_dates() -> None:
    with (DATA / "staff.csv").open(encoding="utf-8", newline="") as lines:
        people = list(csv.DictReader(lines, delimiter=";"))
    found = load(EXAMPLES / "hires.eps.duet").check().run(staff=DATA / "staff.csv", ε=20)
    assert [year for year, _ in found.result] == list(range(2020, 2026))
    for year, (hired, engineers) in found.result:
        there = [row for row in people if row["hired"].startswith(f"{year}-")]
        assert len(there) > 20
        assert abs(hired - len(there)) <= 3
        assert abs(engineers - sum(row["department"].lower() == "engineering" for row in there)) <= 3


def test_a_payroll_is_near_the_truth() -> None:
    with (DATA / "staff.csv").open(encoding="utf-8", newline="") as lines:
        people = list(csv.DictReader(lines, delimiter=";"))
    for row in load(EXAMPLES / "payroll.eps.duet").check().run(staff=DATA / "staff.csv", ε=10).result:
        truth = sum(float(p["salary"]) + float(p["bonus"]) for p in people if p["department"] == row["department"])
        assert abs(row["paid"] - truth) < 25 * 350_000 / 10
