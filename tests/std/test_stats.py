"""The statistics of std:stats cost what they say, in every notion, and are as exact as docs/statistics.md says."""

from __future__ import annotations

import csv
import math
import re
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import duetpy
from duetpy.loading import read_source
from duetpy.program import Checked
from duetpy.source import Source
from tests.effort import often

EXAMPLES = Path(__file__).parents[2] / "examples"
STATS = Path(duetpy.__file__).parent / "std" / "stats.duet"

CALLS = {
    "noisy-count": "noisy-count@[ . xs, ε]",
    "noisy-sum": "noisy-sum@[ . xs, 10, ε]",
    "noisy-mean": "noisy-mean@[ . xs, -5.0, 10, ε]",
    "noisy-mean-within": "noisy-mean-within@[ . xs, -5.0, 10, ε]",
    "noisy-variance": "noisy-variance@[ . xs, -5.0, 10, ε]",
    "noisy-quantile": "noisy-quantile@[ . xs, 9, 1, -5.0, 0.5, 20, ε]",
    "noisy-median": "noisy-median@[ . xs, -5.0, 0.5, 20, ε]",
    "noisy-quantiles": "noisy-quantiles@[ . xs, 3, -5.0, 0.5, 20, ε]",
    "noisy-histogram": 'noisy-histogram@[ . ws, ℘{"a", "b", "c"}, ε]',
    "noisy-table": 'noisy-table@[ . ts, ℘{⟨"a", "x"⟩, ⟨"a", "y"⟩, ⟨"b", "x"⟩}, ε]',
    "noisy-top": "noisy-top@[ . ws, keys, 2, ε]",
    "noisy-regression": "noisy-regression@[ . xs, 2, 1, ε]",
}

SHORT = {
    "noisy-sum": ("noisy-sum[ε] xs", "[-10, 7]"),
    "noisy-mean": ("noisy-mean[ε] xs", "[-5, 5]"),
    "noisy-mean-within": ("noisy-mean-within[ε] xs", "[-5, 5]"),
    "noisy-variance": ("noisy-variance[ε] xs", "[-5, 5]"),
    "noisy-quantile": ("noisy-quantile[9, 1, 20, ε] xs", "[-5, 5]"),
    "noisy-median": ("noisy-median[20, ε] xs", "[-5, 5]"),
    "noisy-quantiles": ("noisy-quantiles[3, 20, ε] xs", "[-5, 5]"),
}
"""Calls that leave out what the range of the column says, and ranges for which they are the calls above."""

COLUMNS = {
    "xs": "xs : 𝕄 [L∞, U | ★, 1⋅𝔻 else 0]",
    "ws": "ws : bag 𝕊",
    "ts": "ts : 𝕄 [L∞, U | ★, 2⋅𝕊]",
}
KEYS_TYPE = "keys : 𝕄 [L∞, U | n, key : 𝕊 ∷ []]"
TEXTS = {"noisy-histogram": "ws", "noisy-top": "ws", "noisy-table": "ts"}
KEYS = [["d"], ["a"], ["b"], ["c"]]


def checked(call: str, notion: str = "eps") -> Checked:
    column = next(column for name, column in COLUMNS.items() if f". {name}" in call)
    if ", keys" in call:
        column = f"{column}, {KEYS_TYPE}"
    return duetpy.parse(f'import "std:stats"; pλ {column}, static ε : ℝ⁺ ⇒ {call}', name=f"p.{notion}.duet").check()


def test_every_statistic_is_here() -> None:
    defined = re.findall(r"^def (\S+) =", STATS.read_text(encoding="utf-8"), re.MULTILINE)
    assert defined == list(CALLS)
    page = (Path(__file__).parents[2] / "docs" / "statistics.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `(noisy-[\w-]+)\[", page, re.MULTILINE) == defined


@pytest.mark.parametrize("name", CALLS)
def test_it_costs_epsilon(name: str) -> None:
    (parameter, *_) = checked(CALLS[name]).parameters.values()
    assert parameter.cost == {"epsilon": "ε"}
    assert parameter.neighbours == "add-remove"


def test_each_promises_what_it_costs() -> None:
    """In pure ε, whatever the notion of the program is. `noisy-median` is a call of `noisy-quantile`."""
    text = STATS.read_text(encoding="utf-8")
    functions = re.findall(r"^def (\S+) =(.*?)(?=^def |\Z)", text, re.MULTILINE | re.DOTALL)
    assert [name for name, body in functions if "ensures ε ≤ ε" not in body] == ["noisy-median"]
    assert text.count("EPSDP {") == text.count("ensures ε ≤ ε") == len(functions) - 1


@pytest.mark.parametrize("notion", ["eps", "approx", "zcdp"])
def test_a_promise_that_is_not_kept_is_found(notion: str) -> None:
    text = STATS.read_text(encoding="utf-8")
    program = "\npλ xs : bag 𝔻 in [0, 9] ⇒ noisy-mean[0.5] xs"
    for wrong in ("laplace[auto, ε / 2]", "laplace[auto, ε]"):
        changed = text.replace("laplace[auto, ε / 2]", wrong)
        _, diagnostics = duetpy.parse(changed + program, name=f"p.{notion}.duet").try_check()
        assert [found.code for found in diagnostics] == ([] if wrong == "laplace[auto, ε / 2]" else ["D0511"])


@pytest.mark.parametrize("name", SHORT)
def test_a_column_says_its_range(name: str) -> None:
    rows = [[-4.5], [-1.0], [0.25], [0.25], [3.0], [4.0]]
    call, range_ = SHORT[name]
    text = f'import "std:stats"; pλ xs : bag 𝔻 in {range_}, static ε : ℝ⁺ ⇒ {call}'
    short, written = duetpy.parse(text, name="p.eps.duet").check(), checked(CALLS[name])
    assert short.parameters["xs"].cost == {"epsilon": "ε"}
    for seed in range(3):
        found, expected = (one.run(xs=rows, ε=0.5, _insecure_noise=seed).result for one in (short, written))
        assert found == expected


def test_ranges_are_left_out_where_a_column_has_one() -> None:
    taken = set(re.findall(r"^def (\S+) = pλ\s+xs : bag 𝔻 in \[", STATS.read_text(encoding="utf-8"), re.MULTILINE))
    assert taken == set(SHORT)


@pytest.mark.parametrize("notion", ["approx", "zcdp", "renyi", "tcdp", "gdp"])
def test_it_has_a_cost_in_every_notion(notion: str) -> None:
    """All in one program: each column costs ε as often as a statistic of it is released."""
    columns = ", ".join([*COLUMNS.values(), KEYS_TYPE])
    releases = " ; ".join(f"r{at} ← {call}" for at, call in enumerate(CALLS.values()))
    text = f'import "std:stats"; pλ n : ℕ . {columns}, static ε : ℝ⁺ ⇒ {releases} ; return r0'
    costs = duetpy.parse(text, name=f"p.{notion}.duet").check().cost(notion="eps", ε=0.5)
    often = Counter(name for call in CALLS.values() for name in COLUMNS if f". {name}" in call)
    assert sum(often.values()) == len(CALLS)
    assert {name: costs[name]["epsilon"] for name in COLUMNS} == {name: 0.5 * count for name, count in often.items()}


def drawn(name: str, rows: list[Any], epsilon: float, count: int) -> list[Any]:
    program = checked(CALLS[name])
    given = {TEXTS.get(name, "xs"): [row if isinstance(row, list) else [row] for row in rows]}
    if name == "noisy-top":
        given["keys"] = duetpy.public(np.array(KEYS))
    return [program.run(**given, ε=epsilon, _insecure_noise=seed).result for seed in range(count)]


def middle(rows: list[float]) -> list[float]:
    return [min(max(row, -5.0), 5.0) for row in rows]


BOUNDS: dict[str, Callable[[list[float], float, Any], tuple[float, float]]] = {
    # What a result is off by, and how far that is at most in 95 of 100 runs.
    "noisy-count": lambda rows, ε, got: (abs(got - len(rows)), math.log(20) / ε + 1),
    "noisy-sum": lambda rows, ε, got: (
        abs(got - sum(min(max(row, -10.0), 10.0) for row in rows)),
        10 * math.log(20) / ε,
    ),
    "noisy-mean": lambda rows, ε, got: (
        abs(got - float(np.mean(middle(rows)))),
        (47.439 / ε + 2.5) / (len(rows) - 12 / ε),
    ),
    "noisy-mean-within": lambda rows, ε, got: (abs(got["mean"] - float(np.mean(middle(rows)))), got["error95"]),
    "noisy-variance": lambda rows, ε, got: (
        abs(got - float(np.var(middle(rows)))),
        (989.1 / ε + 37.5) / (len(rows) - 18 / ε),
    ),
    "noisy-median": lambda rows, ε, got: (
        score(rows, got, 1, 1) - min(score(rows, -5 + at / 2, 1, 1) for at in range(21)),
        2 * math.log(10 * 21) / ε,
    ),
    "noisy-quantile": lambda rows, ε, got: (
        score(rows, got, 9, 1) - min(score(rows, -5 + at / 2, 9, 1) for at in range(21)),
        18 * math.log(10 * 21) / ε,
    ),
}


def score(rows: list[float], candidate: float, below: float, above: float) -> float:
    """Each row counts as the number that it is nearest to of -5, -4.5, …, 5."""
    under = sum(row < candidate - 0.25 for row in rows) if candidate > -5 else 0
    over = sum(candidate + 0.25 < row for row in rows) if candidate < 5 else 0
    return max(above * under - below * (len(rows) - under), below * over - above * (len(rows) - over))


@pytest.mark.parametrize("name", BOUNDS)
def test_it_is_as_exact_as_is_said(name: str) -> None:
    random, ε = Random(name), 0.5
    rows = [round(random.gauss(0.0, 2.0), 1) for _ in range(400)] + [1.0] * 100
    results = drawn(name, rows, ε, count := often(80, 20))
    within = [off <= bound for off, bound in (BOUNDS[name](rows, ε, result) for result in results)]
    # One in 20 is further off; of 80 runs more than 11, of 20 more than 5, less than once in a thousand such tests.
    assert within.count(False) <= (11 if count == 80 else 5)


@pytest.mark.parametrize("name", BOUNDS)
def test_without_noise_it_is_the_statistic(name: str) -> None:
    rows = [0.0, 0.5, 1.0, 2.0, 2.0, 3.0, 4.0, 4.5, 4.5, -4.0]
    off, _ = BOUNDS[name](rows, 1e9, drawn(name, rows, 1e9, 1)[0])
    assert off < 1e-6


@pytest.mark.parametrize(("rows", "epsilon"), [(400, 0.5), (2, 0.1)])
def test_a_mean_says_how_far_off_it_is(rows: int, epsilon: float) -> None:
    """The bound of the page, for the number of rows that was released; no mean is further off than the range is wide."""
    for got in drawn("noisy-mean-within", [1.0] * rows, epsilon, 20):
        number = (47.439 / epsilon + 2.5) / got["error95"]
        assert got["error95"] == 10 or number == pytest.approx(round(number), rel=1e-4)
        assert abs(number - rows) < 25 * 2 / epsilon
        assert -5 <= got["mean"] <= 5


def most_off(rows: list[float], got: Any, m: int) -> float:
    """Of m quantiles the one that is furthest off: its score and that of the best, in rows that stand at the wrong side."""
    candidates = [-5 + at / 2 for at in range(21)]
    off = []
    for at, number in enumerate(np.ravel(got)):
        scores = {
            each: score(rows, each, at + 1, m - at) / max(at + 1, m - at) for each in {*candidates, float(number)}
        }
        off.append(scores[float(number)] - min(scores[each] for each in candidates))
    return max(off)


def test_several_quantiles_are_as_exact_as_is_said() -> None:
    random, ε, m = Random("quantiles"), 0.5, 3
    rows = [round(random.gauss(0.0, 2.0), 1) for _ in range(400)] + [1.0] * 100
    results = drawn("noisy-quantiles", rows, ε, count := often(80, 20))
    beyond = sum(most_off(rows, result, m) > 2 * m * math.log(10 * m * 21) / ε for result in results)
    assert beyond <= (11 if count == 80 else 5)


@pytest.mark.parametrize(
    ("equal", "others", "below", "above"), [(60, 40, 1, 1), (95, 5, 9, 1), (19, 1, 3, 1), (9, 0, 9, 1)]
)
def test_a_quantile_of_equal_rows_is_their_number(equal: int, others: int, below: int, above: int) -> None:
    """Every candidate between -1 and 4 had a better score than -1, although more than `below` parts of the rows are -1."""
    rows = [[-1.0]] * equal + [[4.0]] * others
    call = f"noisy-quantile@[ . xs, {below}, {above}, -5.0, 0.5, 20, ε]"
    assert checked(call).run(xs=rows, ε=1e9).result == -1.0


def test_all_quantiles_of_equal_rows_are_their_number() -> None:
    assert np.all(np.ravel(drawn("noisy-quantiles", [1.5] * 9, 1e9, 1)[0]) == 1.5)


@pytest.mark.parametrize(
    ("lo", "step"), [("0", "0.1"), ("ℝ[-0.3]", "0.1"), ("18.5", "0.05"), ("0.1", "0.7"), ("0", "1000"), ("0", "0.125")]
)
def test_candidates_are_the_doubles_of_their_decimals(lo: str, step: str) -> None:
    """3 times 0.1 was 0.30000000000000004: rows of 0.3 were not equal to it, and it was what a run showed."""
    first, each = (Fraction(text.strip("ℝ[]")) for text in (lo, step))
    expected = [[float(first + each * at) for at in range(60)]]
    assert duetpy.evaluate(f'import "std:linear"; linear-steps {lo} {step} ℕ[60]') == expected
    function = 'import "std:linear"; sλ lo : ℝ, step : ℝ ⇒ linear-steps lo step ℕ[60]'
    assert duetpy.evaluate(function, lo=float(first), step=float(each)) == expected


def test_a_median_of_rows_that_are_equal_to_a_decimal() -> None:
    for row in (0.3, 0.7, 1.2):
        call = "noisy-median@[ . xs, 0, 0.1, 21, ε]"
        assert checked(call).run(xs=[[row]] * 6 + [[0.0]] * 2 + [[2.0]] * 2, ε=1e9).result == row


def test_both_ends_of_a_range_are_candidates() -> None:
    """With 4 steps from 1 to 5, the median of grades that are all 5 was 4."""
    program = duetpy.parse(
        'import "std:stats"; pλ xs : 𝔻𝔽[grade : 𝔻 in [1, 5]], static ε : ℝ⁺ ⇒ noisy-median[4, ε] xs', name="p.eps.duet"
    ).check()
    assert [program.run(xs=[[float(grade)]] * 9, ε=1e9).result for grade in range(1, 6)] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(("cell", "wanted"), [(1.3, 1.5), (-77.0, -5.0), (6.5, 5.0)])
def test_the_median_of_equal_rows_is_the_candidate_next_to_them(cell: float, wanted: float) -> None:
    """All candidates were as many rows off, so that one of them was drawn by chance alone, however large ε was."""
    assert drawn("noisy-median", [cell] * 50, 1.0, 3) == [wanted] * 3
    (several,) = drawn("noisy-quantiles", [cell] * 300, 1.0, 1)
    assert np.ravel(several).tolist() == [wanted] * 3


def test_a_quantile_is_that_of_the_rows_rounded_to_the_candidates() -> None:
    random = Random(8)
    rows = [random.gauss(0, 3) for _ in range(101)]
    nearest = sorted(min(max(round(2 * row) / 2, -5.0), 5.0) for row in rows)
    assert drawn("noisy-median", rows, 1e9, 1) == [nearest[50]]
    assert drawn("noisy-quantile", rows, 1e9, 1) == [nearest[90]]


def test_a_median_is_as_many_rows_from_the_middle_as_is_said() -> None:
    """Counted as the page says, in rows that lie on the wrong side of it."""
    ε, rows = 0.5, [0.0] * 600 + [4.0] * 400
    off = [
        max(sum(row < got for row in rows), sum(row > got for row in rows)) - 500
        for got in drawn("noisy-median", rows, ε, 20)
    ]
    assert sum(each > math.log(10 * 21) / ε for each in off) <= 5


def test_quantiles_come_in_order_however_much_noise_there_is() -> None:
    results = drawn("noisy-quantiles", [0.0], 0.01, 10)
    assert all(np.all(np.diff(np.ravel(result)) >= 0) for result in results)
    assert len({tuple(np.ravel(result)) for result in results}) > 5


def test_without_noise_quantiles_are_those_of_noisy_quantile() -> None:
    random = Random(3)
    rows = [random.uniform(-5, 5) for _ in range(101)] + [2.5] * 40
    (several,) = drawn("noisy-quantiles", rows, 1e9, 1)
    for at, (below, above) in enumerate(((1, 3), (2, 2), (3, 1))):
        call = f"noisy-quantile@[ . xs, {below}, {above}, -5.0, 0.5, 20, ε]"
        alone = checked(call).run(xs=[[row] for row in rows], ε=1e9).result
        assert np.ravel(several)[at] == alone


def test_a_table_counts_the_pairs_that_are_asked_for() -> None:
    rows = [["a", "x"]] * 5 + [["a", "y"]] * 3 + [["b", "y"]] * 9
    (result,) = drawn("noisy-table", rows, 1e9, 1)
    found = {(row["first"], row["second"]): row["number"] for row in result}
    assert found == {("a", "x"): 5, ("a", "y"): 3, ("b", "x"): 0}


def test_the_most_frequent_keys_come_in_order() -> None:
    (result,) = drawn("noisy-top", ["a"] * 5 + ["b"] * 9 + ["d"] * 3 + ["e"] * 20, 1e9, 1)
    assert [key for key, _ in result] == ["b", "a"]
    assert [number for _, number in result] == pytest.approx([9, 5])


@pytest.mark.parametrize(
    ("keys", "places"), [("aab", "ab"), ("abb", "ab"), ("bbab", "ab"), ("caca", "ac"), ("aa", "aa")]
)
def test_a_key_that_is_listed_twice_is_one_of_the_most_frequent_keys_once(keys: str, places: str) -> None:
    counts = {"a": 9, "b": 5, "c": 2}
    rows = [[key] for key, number in counts.items() for _ in range(number)]
    listed = duetpy.public(np.array([[key] for key in keys]))
    result: Any = checked("noisy-top@[ . ws, keys, 2, ε]").run(ws=rows, keys=listed, ε=1e9).result
    assert [key for key, _ in result] == list(places)
    assert [number for _, number in result] == pytest.approx([counts[key] for key in places])


def test_the_most_frequent_keys_are_as_exact_as_is_said() -> None:
    """Each number is at most ln(20⋅K)/ε off, all at once, and a key at most twice that rarer than the true one of its place."""
    rows, ε = ["a"] * 30 + ["b"] * 34 + ["c"] * 28 + ["d"] * 31, 0.5
    results, most = drawn("noisy-top", rows, ε, count := often(80, 20)), math.log(20 * 4) / ε
    in_order = sorted((rows.count(key) for key in "abcd"), reverse=True)
    beyond = 0
    for result in results:
        off = [abs(number - rows.count(key)) > most for key, number in result]
        rarer = [in_order[at] - rows.count(key) > 2 * most for at, (key, _) in enumerate(result)]
        beyond += any(off + rarer)
    assert beyond <= (11 if count == 80 else 5)


def test_more_keys_than_there_are_are_refused() -> None:
    program = checked("noisy-top@[ . ws, keys, 5, ε]")
    with pytest.raises(duetpy.DuetError, match="5 ≤"):
        program.run(ws=[["a"]], keys=duetpy.public(np.array(KEYS)), ε=1.0)


def test_a_histogram_counts_the_keys_that_are_asked_for() -> None:
    (result,) = drawn("noisy-histogram", ["a"] * 5 + ["b"] * 3 + ["d"] * 9, 1e9, 1)
    assert dict(result) == pytest.approx({"a": 5, "b": 3, "c": 0})


@pytest.mark.parametrize("name", CALLS)
def test_no_rows_are_no_fault(name: str) -> None:
    given: dict[str, Any] = {TEXTS.get(name, "xs"): np.zeros((0, 2 if name == "noisy-table" else 1))}
    if name == "noisy-top":
        given["keys"] = duetpy.public(np.array(KEYS))
    assert checked(CALLS[name]).run(**given, ε=1.0, _on_bad_row="default").result is not None


def test_the_example_is_close_to_the_truth() -> None:
    with (EXAMPLES / "data" / "breast_cancer.csv").open(encoding="utf-8", newline="") as lines:
        patients = [(row["diagnosis"], float(row["radius_mean"])) for row in csv.DictReader(lines)]
    checked = duetpy.load(EXAMPLES / "groups.eps.duet").check()
    release = checked.run(patients=patients, ε=60)
    for row in release.result:
        group = [radius for its, radius in patients if its == row["diagnosis"]]
        assert abs(row["number"] - len(group)) < 25 / 20
        assert abs(row["mean"] - np.mean(group)) < 1
        assert abs(row["median"] - np.median(group)) < 1


def test_only_the_folder_of_the_package_is_read() -> None:
    assert isinstance(read_source("std:stats.duet"), Source)
    for name in ("std:", "std:nothing.duet", "std:../program.py", "std:../std/stats.duet", f"std:{STATS}"):
        assert not isinstance(read_source(name), Source)
