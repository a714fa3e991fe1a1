"""Pictures: what stands in them is what was released, spent or computed. They are drawn where matplotlib is installed."""

import math
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import duetpy
from duetpy.accounting.budget import parse_budget
from duetpy.accounting.gaussian_profile import cdf, gaussian_delta, quantile
from duetpy.ledger.store import Ledger, create
from duetpy.report.picture import Picture, Unplottable
from duetpy.report.pictures import errors, released, spending

pytest.importorskip("matplotlib")

GROUPS = """\
plam staff : DF[department : Str], static eps : Real+ =>
  parallel[staff, Set{"Legal", "R$D", "Sales"}] { row => row.department } { department, part =>
    people <- dlaplace[1, eps] <part> { rows part } ;
    return { department = department, people = people }
  }
"""
MEAN = """\
plam m : Nat . table : Matrix [Linf, U | m, age : Disc :: []], static eps : Real+ =>
  laplace[auto, eps] <table> { (mfold-row 0.0, table { total, row => total + clip[0.0, 100.0] row.age }) / real (rows table) }
"""
STAFF: dict[str, Any] = {"staff": {"department": ["Legal"] * 3 + ["R$D"] * 5}}
TABLE = {"table": [[30.0], [40.0]]}


def run(text: str, data: dict[str, Any], **more: Any) -> Any:
    return duetpy.parse(text, notion="eps", name="p.duet").check().run(**data, eps=0.5, **more)


def bars(axes: Any) -> list[float]:
    from matplotlib.container import BarContainer

    return [bar.get_height() for each in axes.containers if isinstance(each, BarContainer) for bar in each]


def test_each_row_is_a_bar_with_its_error() -> None:
    release = run(GROUPS, STAFF)
    (axes,) = released(release).figure.axes
    assert bars(axes) == [row["people"] for row in release.result]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["Legal", r"R\$D", "Sales"]
    (lines,) = next(each.errorbar for each in axes.containers if hasattr(each, "errorbar")).lines[2]
    error = release.table().columns[1].error95
    spans = [segment[:, 1] for segment in lines.get_segments()]
    assert [(high - low) / 2 for low, high in spans] == pytest.approx([error] * 3)
    assert axes.get_ylabel() == "people (± 6, 95 %)"


def test_a_single_number_is_a_bar() -> None:
    release = run(MEAN, TABLE)
    assert bars(released(release).figure.axes[0]) == [release.result]


def test_an_insecure_release_says_so() -> None:
    assert "INSECURE" in released(run(MEAN, TABLE, _insecure_noise=1)).figure.get_suptitle()
    assert "INSECURE" not in released(run(MEAN, TABLE)).figure.get_suptitle()


def test_a_result_without_rows_is_drawn_as_such() -> None:
    text = GROUPS.replace("plam staff", "plam keys : Set(Str), staff").replace('Set{"Legal", "R$D", "Sales"}', "keys")
    found = run(text, STAFF, keys=set())
    assert found.result == []
    assert [text.get_text() for text in released(found).figure.texts] == ["no rows", "p.duet"]


@pytest.mark.filterwarnings("error")
def test_a_letter_that_the_font_lacks_is_no_warning(tmp_path: Path) -> None:
    released(run(GROUPS.replace("Legal", "二番"), STAFF)).save(tmp_path / "x.png")


def test_a_result_without_numbers_has_no_picture() -> None:
    release = run('plam xs : DF[age : Disc], static eps : Real+ => return "young"', {"xs": TABLE["table"]})
    with pytest.raises(Unplottable, match="the result has no column of numbers"):
        released(release)
    with pytest.raises(Unplottable, match="the program adds noise to no number"):
        errors("eps", 1.0, {}, None)


def test_python_has_the_same_pictures() -> None:
    checked = duetpy.parse(MEAN, notion="eps").check()
    found = checked.calibrate("epsilon=1", "eps", m=10)
    for picture in (checked.plot(eps=1), run(MEAN, TABLE).plot(), found.plot()):
        assert isinstance(picture, Picture)
        assert picture._repr_svg_().lstrip().startswith("<?xml")
        assert "\n" not in repr(picture)
    with pytest.raises(ValueError, match="--set eps=…"):
        checked.plot()
    with pytest.raises(ValueError, match="--set m=…"):
        checked.calibrate("epsilon=1", "eps").plot()


@pytest.mark.parametrize("ending", ["svg", "png"])
def test_the_same_picture_is_the_same_file(tmp_path: Path, ending: str) -> None:
    release = run(GROUPS, STAFF)
    first, second = tmp_path / f"a.{ending}", tmp_path / f"b.{ending}"
    released(release).save(first)
    released(release).save(second)
    assert first.read_bytes() == second.read_bytes()
    assert first.read_bytes().startswith(b"<?xml" if ending == "svg" else b"\x89PNG")


def test_the_errors_are_those_of_check() -> None:
    """Against ε, the error goes through the goal at the value that was found, in the middle of the curve."""
    checked = duetpy.parse(MEAN, notion="eps").check()
    found = checked.calibrate(_error=0.5, vary="eps", m=1000)
    (axes,) = found.plot().figure.axes
    curve, value, goal = axes.lines
    points = list(zip(curve.get_xdata(), curve.get_ydata(), strict=True))
    assert len(points) == 25
    for eps, error in points:
        said = checked.program.state({"eps": Fraction(repr(float(eps))), "m": 1000}).released()[0]["value"]
        assert isinstance(said, dict)
        assert said["error95"] == pytest.approx(error)
    assert points[12] == pytest.approx((found.value, 0.5), rel=1e-6)
    assert list(value.get_xdata()) == [found.value] * 2
    assert list(goal.get_ydata()) == [0.5] * 2


@pytest.mark.parametrize("mu", [0.3, 1.0, 6.0])
def test_curves_claim_nowhere_more_than_the_truth(mu: float) -> None:
    """Of Gaussian noise, as the curves are drawn, δ(ε) is nowhere below the truth, and the misses are nowhere above it."""
    from matplotlib.cbook import STEP_LOOKUP_MAP

    text = "pλ xs : 𝕄 [L∞, U | ★, 1⋅𝔻], static μ : ℝ⁺ ⇒ gauss[auto, μ] <xs> { real (rows xs) }"
    left, right = duetpy.parse(text, notion="gdp").check().plot(μ=mu).figure.axes
    (curve, *_), (trade, *_) = left.lines, right.lines
    eps, delta = STEP_LOOKUP_MAP[curve.get_drawstyle()](curve.get_xdata(), curve.get_ydata())
    assert left.get_yscale() == "log"
    for (low, most), (high, least) in pairwise(sorted(zip(eps, delta, strict=True), key=lambda at: (at[0], -at[1]))):
        for share in (0.01, 0.25, 0.5, 0.75, 0.99):
            shown = math.exp((1 - share) * math.log(most) + share * math.log(least))
            assert shown >= gaussian_delta(low + share * (high - low), mu) * (1 - 1e-9)
    false, missed = trade.get_xdata(), trade.get_ydata()
    for alarms in (10.0 ** (-place / 8) for place in range(1, 80)):
        shown = next(
            most + (alarms - low) / (high - low) * (least - most)
            for (low, most), (high, least) in pairwise(zip(false, missed, strict=True))
            if low <= alarms <= high
        )
        assert shown <= cdf(quantile(1 - alarms) - mu) + 1e-12


def test_a_whole_number_is_varied_in_whole_steps() -> None:
    found = duetpy.parse(MEAN, notion="eps").check().calibrate(_error=0.5, vary="m", eps=1)
    places = list(found.plot().figure.axes[0].lines[0].get_xdata())
    assert isinstance(found.value, int)
    assert places == sorted({round(place) for place in places})
    assert found.value in places


@pytest.mark.parametrize(("budget", "parts"), [("epsilon=2", 1), ("epsilon=2,delta=1e-5", 2), ("mu=1", 1)])
def test_a_ledger_is_a_bar_of_its_runs(tmp_path: Path, budget: str, parts: int) -> None:
    path = tmp_path / "l"
    create(path, parse_budget(budget), "people")
    assert spending(Ledger(path).state()).figure.axes[0].get_title().startswith("people\n")
    data = STAFF
    for _ in range(2):
        run(GROUPS, data, _ledger=path)
        data = {"staff": {"department": ["Sales"]}}
    (axes,) = spending(Ledger(path).state()).figure.axes
    assert len(axes.get_yticks()) == parts
    widths = [path.get_extents().width for path in axes.collections[0].get_paths()]
    state = Ledger(path).state()
    shares = [float(charge.amount / state.budget.amount) for charge in state.charges]
    if "mu" in budget:
        shares = [share**2 for share in shares]
    assert widths[: len(shares)] == pytest.approx([100 * share for share in shares])


def test_an_edge_is_thinner_than_its_bar(tmp_path: Path) -> None:
    path = tmp_path / "l"
    create(path, parse_budget("epsilon=100"), "people")
    for eps in (50, 0.1):
        duetpy.parse(MEAN, notion="eps", name="p.duet").check().run(**TABLE, eps=eps, _ledger=path)
    figure = spending(Ledger(path).state()).figure
    (axes,) = figure.axes
    figure.canvas.draw()
    (drawn,) = axes.collections
    widths = [axes.transData.transform_path(each).get_extents().width * 72 / figure.dpi for each in drawn.get_paths()]
    assert all(edge < width / 2 for edge, width in zip(drawn.get_linewidths(), widths, strict=True))


def test_a_charge_that_rests_on_what_is_trusted_is_hatched(tmp_path: Path) -> None:
    path = tmp_path / "l"
    create(path, parse_budget("epsilon=9"), "people")
    duetpy.parse("pλ x : 𝔻 ⇒ given[1.0] <x> { x }", notion="eps", name="g.duet").check().run(x=1.0, _ledger=path)
    duetpy.parse("pλ x : 𝔻 ⇒ laplace[auto, 2.0] <x> { clip[0.0, 1.0] x }", notion="eps", name="n.duet").check().run(
        x=1.0, _ledger=path
    )
    (axes,) = spending(Ledger(path).state()).figure.axes
    assert [bars.get_hatch() for bars in axes.collections] == ["///", ""]
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert labels == ["g.duet", "n.duet", "trusted, not verified"]


def test_many_programs_share_a_colour(tmp_path: Path) -> None:
    path = tmp_path / "l"
    create(path, parse_budget("epsilon=100"), "people")
    for place in range(12):
        duetpy.parse(MEAN, notion="eps", name=f"{place}.duet").check().run(**TABLE, eps=1 + place / 10, _ledger=path)
    labels = [text.get_text() for text in spending(Ledger(path).state()).figure.axes[0].get_legend().get_texts()]
    assert labels[-1] == "3 other programs"
    assert len(labels) == 10
