"""What is computed from the rows of many persons at once is what is computed from each by itself, to the last bit."""

import pickle
import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from duetpy.runtime.evaluation import laned_blocks
from duetpy.runtime.exact.rationals import Numbers, of_fractions, plain, rounded, to_double
from duetpy.runtime.release.noiseless import evaluate
from duetpy.runtime.values.batching import join, lane, slice_rows, take
from duetpy.runtime.values.matrix_ops import matrix
from duetpy.runtime.values.row_order import together
from duetpy.runtime.values.slices import Slices
from duetpy.runtime.values.values import Apart, MatrixValue, Value
from tests.effort import often

TYPE = "persons[who : 𝕊 | a : 𝔻𝔽[n : 𝐝 ℕ, x : 𝔻, y : 𝔻?], b : 𝔻𝔽[z : 𝔻]]"
BODIES = (
    "disc (rows p.a)",
    "disc (rows (mfilter p.a { v ⇒ v.x < 0.5 ∧ 1 < rows p.b }))",
    "disc (mfold-row 0.0, p.a { t, v ⇒ t + conv v.x })",
    "disc (mfold-row 0.1, mfilter p.a { v ⇒ not (is-missing v.y) } { t, v ⇒ t + (conv (v.y or-else 0) - conv v.x / 3.0) })",
    "disc (mfold-row real (rows p.b), p.a { t, v ⇒ t + conv v.x ⋅ 0.1 })",
    "disc (mfold-row 0, p.a { t, v ⇒ t + conv v.n })",
    "disc (mfold-row 0.0, p.a { t, v ⇒ t + (mfold-row 0.0, p.b { s, w ⇒ s + conv (w.z ⋅ v.x) }) })",
    "disc (mfold-row 0.0, bmap p.a { v ⇒ v.x ⋅ v.x } { t, v ⇒ t + conv v#[0, 0] })",
    "disc (mfold-row 0.0, p.a { t, v ⇒ conv v.x - t })",
    "mfold-row (disc 0.0), p.a { t, v ⇒ t + v.x }",
    "mfold-row (disc 0.1), mfilter p.a { v ⇒ v.x < 0.5 } { t, v ⇒ t ⋅ v.x + disc (real (rows p.b)) }",
    "mfold-row (disc 7.0), p.a { t, v ⇒ v.x }",
    "mfold-row (disc 1.5), p.a { t, v ⇒ t ⊔ v.x }",
    "mfold-row (disc 1.5), p.b { t, w ⇒ if t < w.z then w.z else t - 1 }",
    "disc (mfold-row true, p.a { t, v ⇒ t ∧ v.x < 9.0 })",
    "mfold-row none[𝔻], p.a { t, v ⇒ if is-missing t then v.y else t } or-else 3.5",
    "(mfold-row { most = disc 0.0, n = disc 1.0 }, p.a { t, v ⇒ { most = t.most ⊔ v.x, n = t.n + 1 } }).most",
    "disc (let ⟨one, other⟩ = mfold-row ⟨disc 0.0, 3⟩, p.a { t, v ⇒ let ⟨c, d⟩ = t in ⟨v.x - c, d + 1⟩ } in one)",
    "mfold-row (disc 0.0), p.a { t, v ⇒ t + (mfold-row v.x, p.b { s, w ⇒ s - w.z }) }",
    "if 2 < rows p.a then mfold-row (disc 0.0), p.b { t, w ⇒ w.z - t } else disc 7.5",
    "disc (if 2.0 ∈ (mfold-row ℘{2.0}, p.a { seen, v ⇒ unionAll ℘{seen, ℘{v.x}} }) then 1.0 else 0.0)",
    "disc (if 2 < rows p.a then mfold-row 0.0, p.b { t, w ⇒ t + conv w.z } else 7.5)",
    "case first p.a.[x, n] { some v ⇒ v.x ⋅ 2 ; none ⇒ disc 7.5 }",
    "case last p.a { some v ⇒ v.y or-else 0 ; none ⇒ disc 7.5 }",
    "case first (mfilter p.a.[y, x] { v ⇒ not (is-missing v.y) }) { some v ⇒ v.x ; none ⇒ disc 7.5 }",
    "(mode p.a.[y]) or-else 7.5",
    "(mode (bmap p.a { v ⇒ floor v.x })) or-else 7.5",
    "disc (rows (distinct p.a.[y]))",
    "disc (if 0.3 ∈ elements p.a.[x] ∨ 0.1 ∈ elements p.a.[y] then 1.0 else 0.0)",
    "disc (mfold-row 0.0, distinct (bmap p.a { v ⇒ floor v.x }) { t, v ⇒ conv v#[0, 0] - t / 2.0 })",
    "disc (mfold-row 0.0, joinDF[99]⧼k⧽[bmap p.a { v ⇒ { k = floor v.x, x = v.x } }, bmap p.b { w ⇒ { z = w.z, k = floor w.z } }] "
    "{ t, both ⇒ conv both.z - t / 2.0 + conv both.x })",
    "disc (mfold-row 0.0, joinDF₁⧼k⧽[bmap p.a { v ⇒ { k = floor v.x } }, bmap p.b { w ⇒ { z = w.z, k = floor w.z } }] "
    "{ t, both ⇒ conv both.z - t / 2.0 })",
    "disc (rows (joinDF[2]⧼y⧽[p.a, distinct p.a.[y]]))",
    "disc (mfold-row 0.0, joinDF[2]⧼k⧽[bmap p.a { v ⇒ { k = floor (v.x / 9.0) } }, "
    "bmap p.b { w ⇒ { z = w.z, k = floor (w.z / 9.0) } }] "
    "{ t, both ⇒ conv both.z - t / 2.0 })",
    "disc (let few = mfilter p.b { w ⇒ 0.0 < w.z } in mfold-row 0.0, mfilter few { w ⇒ w.z < 9.0 } { t, w ⇒ t + conv w.z })",
)
ODD = (0.1, 0.3, -0.1, 1e16, -1e16, 1e-300, 5e-324, 1.7e308, -1.7e308, 0.0, 2.0**53, 1.0)


def lines(draw: random.Random, people: int) -> dict[str, list[dict[str, Any]]]:
    def number() -> float:
        return draw.choice(ODD) if draw.random() < 0.4 else draw.uniform(-9, 9)

    return {
        "a": [
            {
                "who": f"{draw.randrange(people)}",
                "n": draw.randrange(2**40),
                "x": number(),
                "y": draw.choice([None, number()]),
            }
            for _ in range(draw.randrange(3 * people))
        ],
        "b": [{"who": f"{draw.randrange(people)}", "z": number()} for _ in range(draw.randrange(2 * people))],
    }


@pytest.mark.parametrize("body", BODIES)
def test_all_persons_together_are_each_by_itself(body: str) -> None:
    draw = random.Random(body)
    text = f"sλ people : {TYPE} ⇒ bmap people {{ p ⇒ addColDF⧼found⧽ ⟨p.[who], {body}⟩ }}"
    for _ in range(often(12, 4)):
        files = lines(draw, draw.choice((1, 3, 12)))
        found_together = evaluate(text, people=files)
        for who, found in found_together:
            alone = {name: [line for line in each if line["who"] == who] for name, each in files.items()}
            assert evaluate(text, people=alone) == [[who, found]]


@pytest.mark.parametrize("body", BODIES)
def test_lanes_together_are_lanes_one_by_one(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    draw = random.Random(body)
    text = f"sλ people : {TYPE} ⇒ bmap people {{ p ⇒ {body} }}"
    given = [lines(draw, 9) for _ in range(often(12, 4))]
    at_once = [evaluate(text, people=files) for files in given]
    monkeypatch.setattr(laned_blocks, "slices_in", lambda value, frame: None)
    assert [evaluate(text, people=files) for files in given] == at_once


def blocks(numbers: list[float], ends: list[int]) -> Slices:
    rows = MatrixValue(len(numbers), plain(np.array(numbers, dtype=np.float64).reshape(-1, 1)))
    stops = np.array(ends, dtype=np.intp)
    return Slices(rows, np.concatenate([[0], stops[:-1]]).astype(np.intp), stops, slice_rows)


@pytest.mark.parametrize("kind", ["doubles", "fractions", "whole"])
def test_sums_are_exact(kind: str) -> None:
    draw = random.Random(kind)
    for _ in range(often(200, 40)):
        count = draw.randrange(12)
        ends = [*sorted(draw.randrange(count + 1) for _ in range(3)), count]
        each: list[Any] = [
            draw.choice(ODD) if kind == "doubles" else float(draw.randrange(2**50)) for _ in range(count)
        ]
        if kind == "fractions":
            each = [Fraction(draw.randrange(99), 7) for _ in range(count)]
        slices = blocks([0.0] * count, ends)
        owners = together(slices)[1]
        terms: Numbers = of_fractions([Fraction(one) for one in each], (count,)) if count else plain(np.empty(0))
        found = laned_blocks.sums(terms, owners, slices)
        starts = [0, *ends[:-1]]
        wanted = [sum(map(Fraction, each[start:end]), Fraction(0)) for start, end in zip(starts, ends, strict=True)]
        assert found.fractions().tolist() == wanted


LARGEST = 1.7976931348623157e308
LONG_SUMS = ([1e300, 1.0, 1e-300], [LARGEST, LARGEST, 5e-324], [-LARGEST, -LARGEST], [5e-324, LARGEST, 0.1, 1e16])


def test_a_sum_of_many_digits_makes_no_fractions_of_the_others() -> None:
    """One person would decide how long a block of all takes."""
    for odd in LONG_SUMS:
        each = [0.1, 0.2, *odd, 0.3]
        slices = blocks(each, [2, 2 + len(odd), 3 + len(odd)])
        found = laned_blocks.sums(plain(np.array(each)), together(slices)[1], slices)
        assert isinstance(found.constant, Fraction)
        wanted = [sum(map(Fraction, lane_), Fraction(0)) for lane_ in ([0.1, 0.2], odd, [0.3])]
        assert found.fractions().tolist() == wanted
        assert rounded(found).tolist() == [to_double(exact) for exact in wanted]


def content(value: Value) -> list[list[Any]]:
    assert isinstance(value, Apart)
    tables = [matrix(lane(value, at)) for at in range(len(value.values))]
    return [[lane(table.column(0), at) for at in range(table.rows)] for table in tables]


def test_lanes_are_taken_joined_and_sent() -> None:
    whole = Apart(blocks([1.0, 2.0, 3.0, 4.0], [2, 2, 3, 4]))
    index = np.array([3, 0, 1, 3], dtype=np.intp)
    assert content(take(whole, index)) == [[4.0], [1.0, 2.0], [], [4.0]]
    assert content(join([whole, take(whole, index)])) == [*content(whole), *content(take(whole, index))]
    middle = take(whole, np.array([2, 3], dtype=np.intp))
    sent = pickle.loads(pickle.dumps(middle))
    assert content(sent) == [[3.0], [4.0]]
    assert sent.values.rows.rows == 2
    assert content(join([middle, sent, whole])) == [*content(middle), *content(sent), *content(whole)]
    taken = take(whole, index)
    assert isinstance(taken, Apart)
    assert isinstance(taken.values, Slices)
    rows, owners = together(taken.values)
    assert rows.rows == 4
    assert owners.tolist() == [0, 1, 1, 3]
