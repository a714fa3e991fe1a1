"""What the comparison of statistics measures: errors of releases near the truth, and nothing of a library that is not there."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks import statistics
from benchmarks.statistics import (
    DEPARTMENTS,
    MEASURES,
    SITES,
    STATISTICS,
    Statistic,
    compared,
    ours,
    pairs,
    places_off,
    reached,
    rows_off,
    salaries,
    sites,
    table,
)

PEERS = Path(statistics.__file__).with_name("statistics_peers.py")
ZEROS = {
    "histogram": dict.fromkeys(SITES, 0),
    "contingency table": {f"{one}/{other}": 0 for one in DEPARTMENTS for other in SITES},
    "the 3 most frequent": [*SITES[:3]],
    "regression": [0.0] * len(MEASURES),
    "quartiles": [0.0] * 3,
}


@pytest.mark.parametrize("statistic", STATISTICS, ids=[statistic.name for statistic in STATISTICS])
def test_a_release_with_little_noise_is_the_truth(statistic: Statistic) -> None:
    """So the error is that of the noise, and of the candidates that a quantile is chosen from."""
    column = salaries()
    (released,) = ours(statistic, 1e6, 1)
    if statistic.name == "regression":
        # Rows that count less make it another estimate of the same line.
        assert statistic.error(released, column) < 0.01
        return
    scale = {"variance": float(column.var()), "sum": float(column.sum()), "mean": float(column.mean())}
    # No candidate stands just where a quantile is.
    is_of_candidates = any(word in statistic.name for word in ("median", "quantile", "quartiles"))
    allowed = 1e-3 * scale.get(statistic.name, 0.0) + (3 if is_of_candidates else 0)
    assert statistic.error(released, column) <= allowed


def test_an_error_of_a_quantile_is_counted_in_rows() -> None:
    column = np.array([1.0, 2.0, 2.0, 3.0])
    assert [rows_off(0.5)(number, column) for number in (0.0, 1.0, 1.5, 2.0, 2.5, 9.0)] == [2, 1, 1, 0, 1, 2]


def test_what_most_errors_stay_within() -> None:
    assert reached(range(100)) == 94
    assert reached([5.0]) == 5.0


def test_the_sites_are_all_there() -> None:
    assert sum(sites().values()) == len(salaries()) == 1500
    assert set(pairs()) <= set(ZEROS["contingency table"])


def test_a_key_that_is_not_among_the_most_frequent_is_as_much_rarer() -> None:
    column = salaries()
    best = sorted(sites(), key=lambda site: -sites()[site])
    assert places_off(best[:3], column) == 0
    assert places_off([best[0], best[2], best[1]], column) == sites()[best[1]] - sites()[best[2]]
    assert places_off([best[0], best[1], best[-1]], column) == sites()[best[2]] - sites()[best[-1]]


def test_a_library_that_is_not_installed_is_said_to_be_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The test above releases them.
    monkeypatch.setattr(statistics, "ours", lambda statistic, epsilon, runs: [ZEROS.get(statistic.name, 0.0)] * runs)
    lines = compared(1.0, 1, tmp_path / "python")
    assert [line["statistic"] for line in lines] == [statistic.name for statistic in STATISTICS]
    assert lines[0]["duetpy"] == len(salaries())
    assert all(line["diffprivlib"] is None and line["opendp"] is None for line in lines)
    assert "not installed" in table(lines, [])
    # An interpreter without the libraries says the same.
    wanted = json.dumps(
        {"library": "diffprivlib", "statistics": ["count"], "column": [1.0], "texts": ["a"], "keys": ["a"]}
    )
    blocked = f"import sys; sys.modules['diffprivlib'] = None; sys.argv = ['']; exec(open({str(PEERS)!r}).read())"
    done = subprocess.run([sys.executable, "-c", blocked], input=wanted, capture_output=True, text=True, check=True)
    assert done.stdout == "null"


def test_one_statistic_can_be_chosen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(statistics, "ours", lambda statistic, epsilon, runs: [ZEROS.get(statistic.name, 0.0)] * runs)
    assert statistics.main(["--only", "histogram", "--json", "--python", str(tmp_path / "python")]) == 0
    (line,) = json.loads(capsys.readouterr().out)
    assert line["statistic"] == "histogram"
    with pytest.raises(SystemExit):
        statistics.main(["--only", "no such statistic"])
    assert "quartiles" in capsys.readouterr().err


def test_the_table_has_ratios() -> None:
    lines = [{"statistic": "count", "duetpy": 2.0, "diffprivlib": 4.0, "opendp": None}]
    assert table(lines, ["diffprivlib", "opendp"]).splitlines()[1].split() == [
        "count",
        "2",
        "4",
        "(0.50)",
        "has",
        "none",
    ]
