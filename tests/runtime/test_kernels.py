"""The kernels of the prelude: there is one for each name, they are total, and one lane of many is one value alone."""

import ast
import inspect
import itertools
import math
import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duetpy.grammar.ast import Norm
from duetpy.runtime.evaluation.hyperbolic import tanh_values
from duetpy.runtime.evaluation.kernels import KERNELS, ROUNDING, clamped, zipped
from duetpy.runtime.exact.rationals import LARGEST, Numbers, plain, rounded, to_double
from duetpy.runtime.exact.whole_numbers import GREATEST_NATURAL
from duetpy.runtime.values.batching import lane, set_of, spread, stack
from duetpy.runtime.values.values import MatrixValue, SetLanes, Texts, Truths, Value
from duetpy.typecheck.facts import facts_of
from duetpy.typecheck.prelude import names

REALS = [0.0, 1.0, -1.0, 0.1, -2.5, 5e-324, -5e-324, 2.0**-1022, LARGEST, -LARGEST, 2.0**53 + 2, 1e16]
NATURALS = [0, 1, 2, 3, 7, 2**52, 2**53 - 1]

BINARY = ["+", "-", "⋅", "/", "⊔", "⊓"]
COMPARISONS = ["≡", "<", "≤"]
UNARY = ["√", "㏒", "sign", "dyn", "disc", "conv", "floor", "ceil", "round", "exp", "abs", "tanh"]


def test_there_is_a_kernel_for_every_name_of_the_prelude_and_no_other() -> None:
    assert set(KERNELS) == set(names())


def columns(pairs: list[tuple[float, float]]) -> tuple[Numbers, Numbers]:
    left, right = np.array(pairs).T
    return plain(left.copy()), plain(right.copy())


@pytest.mark.parametrize("name", BINARY)
def test_arithmetic_is_exact_and_total_and_a_lane_is_a_number(name: str) -> None:
    pairs = list(itertools.product(REALS, REALS))
    found = KERNELS[name](*columns(pairs))
    assert isinstance(found, Numbers)
    assert np.isfinite(rounded(found)).all()
    for at, (left, right) in enumerate(pairs):
        assert lane(found, at) == KERNELS[name](Fraction(left), Fraction(right)), (name, left, right)


@pytest.mark.parametrize("name", [name for name in ROUNDING if name in BINARY])
def test_where_nothing_rests_on_it_arithmetic_rounds_once_with_lanes_and_without(name: str) -> None:
    pairs = list(itertools.product(REALS, REALS))
    found = ROUNDING[name](*columns(pairs))
    assert isinstance(found, Numbers)
    assert found.doubles is not None
    for at, (left, right) in enumerate(pairs):
        once = to_double(KERNELS[name](Fraction(left), Fraction(right)))
        alone = ROUNDING[name](Fraction(left), Fraction(right))
        assert isinstance(alone, Fraction)
        assert lane(found, at) == alone == Fraction(once), (name, left, right)


@pytest.mark.parametrize("name", [name for name in ROUNDING if name in BINARY])
def test_naturals_round_to_naturals(name: str) -> None:
    naturals = plain(np.array([3.0, 2.0**60]), natural=True)
    for left, right in itertools.product([3, 1 << 60], repeat=2):
        found = ROUNDING[name](naturals, right)
        assert lane(found, 0 if left == 3 else 1) == ROUNDING[name](left, right)
    assert ROUNDING["-"](3, 5) == 0


@pytest.mark.parametrize("factor", [Fraction(1, 3), Fraction(-7, 10), Fraction(0), Fraction(10) ** 30])
def test_a_static_factor_is_exact(factor: Fraction) -> None:
    x = plain(np.array([0.1, 3.0, -1e300, 5e-324]))
    for at in range(4):
        exactly = Fraction(float(rounded(x)[at]))
        assert lane(KERNELS["⋅"](x, factor), at) == exactly * factor == lane(KERNELS["⋅"](factor, x), at)
        assert lane(KERNELS["/"](x, factor), at) == (exactly / factor if factor else 0)


@pytest.mark.parametrize("name", COMPARISONS)
def test_comparisons_look_at_the_nearest_doubles(name: str) -> None:
    pairs = list(itertools.product(REALS, REALS))
    found = KERNELS[name](*columns(pairs))
    assert isinstance(found, Truths)
    meant = {"≡": lambda a, b: a == b, "<": lambda a, b: a < b, "≤": lambda a, b: a <= b}[name]
    for at, (left, right) in enumerate(pairs):
        assert KERNELS[name](Fraction(left), Fraction(right)) is meant(left, right)
        assert bool(found.values[at]) is meant(left, right)
    # 3/10 in a program is 0.3 in the data.
    cell, written = Fraction(0.3), Fraction(3, 10)
    for one, other in ((cell, written), (written, cell)):
        assert KERNELS[name](one, other) is meant(0.3, 0.3)
        for left, right in ((plain(np.array([0.3])), other), (one, plain(np.array([0.3])))):
            assert KERNELS[name](left, right).values.tolist() == [meant(0.3, 0.3)]


@pytest.mark.parametrize("name", UNARY)
def test_functions_of_one_number(name: str) -> None:
    found = KERNELS[name](plain(np.array(REALS)))
    assert np.isfinite(rounded(found)).all()
    for at, number in enumerate(REALS):
        alone = KERNELS[name](Fraction(number))
        assert math.isclose(rounded(found)[at], to_double(alone), rel_tol=1e-15, abs_tol=0)


WHOLE: dict[str, Callable[[Fraction], int]] = {"floor": math.floor, "ceil": math.ceil, "round": round}


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.parametrize("shift", [Fraction(0), Fraction(1, 3), Fraction(1, 2), Fraction(-1, 2**70), Fraction(2**60)])
@pytest.mark.parametrize("large", [[], [1e15 + 0.5, 2.0**52 + 1, 1e300]], ids=["small", "large"])
def test_whole_numbers_are_found_exactly(name: str, shift: Fraction, large: list[float]) -> None:
    """Of linear forms too, which no double need be: 0.1 + 0.2 is above 3/10, and 3 - 2^-70 is below 3. If some numbers are
    large, all are found in another way.
    """
    numbers = [0.0, 0.5, 1.5, 2.5, -0.5, -1.5, 3.0, -3.0, 0.1, -5e-324, 1 / 6, 2 / 3, *large]
    found = KERNELS[name](KERNELS["+"](plain(np.array(numbers)), shift))
    for at, number in enumerate(numbers):
        exactly = Fraction(number) + shift
        assert lane(found, at) == WHOLE[name](exactly) == KERNELS[name](exactly)


@pytest.mark.parametrize("shift", [Fraction(0), Fraction(1, 3), Fraction(-1, 2**70), Fraction(-(10**30))])
def test_a_magnitude_is_found_exactly(shift: Fraction) -> None:
    numbers = [0.0, -0.0, 0.1, -0.1, 1e300, -1e300, 5e-324, -5e-324, 2.0**-70, -(1 / 3)]
    found = KERNELS["abs"](KERNELS["+"](plain(np.array(numbers)), shift))
    for at, number in enumerate(numbers):
        exactly = Fraction(number) + shift
        assert lane(found, at) == abs(exactly) == KERNELS["abs"](exactly)


NEAR = st.floats(-20.0, 20.0) | st.integers(-(20 << 16), 20 << 16).map(lambda node: node / 65536)
"""Numbers between the nodes of tanh, and the nodes themselves."""


@given(NEAR, st.integers(-1074, 4), st.integers(-3, 3))
def test_the_tangent_is_one_function_of_the_exact_number_and_moves_no_further(x: float, exponent: int, k: int) -> None:
    """Numbers as close as doubles below the normal ones count; alone, in a batch and as a linear form it is one number."""
    tangent = KERNELS["tanh"]
    near = Fraction(x) + k * Fraction(2) ** exponent
    moved = tangent(near) - tangent(Fraction(x))
    assert 0 <= moved * (1 if near >= x else -1) <= abs(near - Fraction(x))
    batch = tangent(plain(np.array([x, -x, 0.0])))
    assert [lane(batch, at) for at in range(3)] == [tangent(Fraction(x)), -tangent(Fraction(x)), 0]
    form = KERNELS["+"](plain(np.array([x])), near - Fraction(x))
    assert lane(tangent(form), 0) == tangent(near)


def test_the_tangent_of_doubles_with_all_their_digits_is_exact() -> None:
    numbers = np.random.default_rng(3).uniform(-15.0, 15.0, 100)
    batch = KERNELS["tanh"](plain(numbers))
    assert [lane(batch, at) for at in range(100)] == [KERNELS["tanh"](Fraction(x)) for x in numbers.tolist()]


def test_the_line_through_the_nodes_of_the_tangent_is_no_steeper_than_1() -> None:
    values = tanh_values()
    assert values[0] == 0
    assert values[-1] <= 1 << 40
    rises = np.diff(values)
    assert rises.min() >= 0
    assert rises.max() == 1 << 24


def test_the_line_is_no_steeper_whatever_the_library_computes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(np, "tanh", lambda nodes: np.sin(1e6 * nodes) * 3.0)
    values = tanh_values.__wrapped__()
    assert 0 <= np.diff(values).min() <= np.diff(values).max() <= 1 << 24
    assert 0 == values[0] <= values[-1] <= 1 << 40


@pytest.mark.parametrize(
    "x", [0.0, 5e-324, 1e-300, 1e-9, 1e-5, 0.01, 0.3, 0.5493, 1.0, 2.0, 7.5, 14.99, 15.0, 16.0, 1e308]
)
def test_the_tangent_is_close_to_the_true_one(x: float) -> None:
    assert abs(KERNELS["tanh"](Fraction(x)) - Fraction(math.tanh(x))) <= Fraction(25, 10**12)
    assert KERNELS["tanh"](Fraction(-x)) == -KERNELS["tanh"](Fraction(x))


def test_the_exponential_stays_finite() -> None:
    assert KERNELS["exp"](Fraction(0)) == 1
    assert KERNELS["exp"](Fraction(10**6)) == Fraction(LARGEST)
    assert KERNELS["exp"](Fraction(-(10**6))) == 0


def test_entries_that_are_true_or_not_zero_are_counted() -> None:
    count = KERNELS["count"]
    assert count(grid([[0.0, 1.0], [-2.0, 5e-324]])) == 3
    assert count(grid([[]])) == 0
    truths = MatrixValue(3, (Truths(np.array([True, False, True])),))
    assert count(truths) == 2
    laned = MatrixValue(3, plain(np.array([[0.0], [1.0], [0.0], [2.0], [3.0], [4.0]])), lanes=2)
    assert [lane(count(laned), at) for at in range(2)] == [1, 3]
    # A difference that is 0 only when rounded is not 0.
    third = Fraction(1, 3)
    near = KERNELS["-"](plain(np.array([float(third)])), third)
    assert count(MatrixValue(1, near.each(lambda array: array.reshape(1, 1), (1, 1)))) == 1


def test_what_has_no_value_is_zero() -> None:
    zero = Fraction(0)
    assert KERNELS["/"](Fraction(1), zero) == 0
    assert KERNELS["%"](7, 0) == 0
    assert KERNELS["√"](Fraction(-1)) == 0
    assert KERNELS["㏒"](zero) == 0
    assert KERNELS["㏒"](Fraction(-3)) == 0
    assert KERNELS["-"](2, 5) == 0
    nothing = plain(np.zeros(2))
    ones = plain(np.array([1.0, -3.0]))
    for found in (KERNELS["/"](ones, nothing), KERNELS["%"](ones, nothing), KERNELS["㏒"](nothing)):
        assert rounded(found).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("name", ["+", "-", "⋅", "%", "⊔", "⊓"])
def test_naturals_stay_naturals(name: str) -> None:
    pairs = [pair for pair in itertools.product(NATURALS, NATURALS) if name != "⋅" or pair[0] * pair[1] < 2**53]
    left, right = (plain(np.array(side, dtype=float), natural=True) for side in zip(*pairs, strict=True))
    found = KERNELS[name](left, right)
    assert found.is_natural
    for at, (a, b) in enumerate(pairs):
        alone = KERNELS[name](a, b)
        assert isinstance(alone, int)
        assert alone >= 0
        assert lane(found, at) == alone


def test_huge_naturals_stay_representable_and_reals_exact() -> None:
    assert KERNELS["⋅"](1 << 1000, 1 << 1000) == GREATEST_NATURAL
    assert KERNELS["⋅"](Fraction(LARGEST), Fraction(LARGEST)) == Fraction(LARGEST) ** 2
    assert ROUNDING["⋅"](Fraction(LARGEST), Fraction(LARGEST)) == Fraction(LARGEST)
    assert KERNELS["real"](3) == Fraction(3)
    assert isinstance(KERNELS["real"](3), Fraction)


TRUTHS = [True, False]


@pytest.mark.parametrize("name", ["∧", "∨", "≡"])
def test_truth_values(name: str) -> None:
    pairs = list(itertools.product(TRUTHS, TRUTHS))
    left, right = (Truths(np.array(side)) for side in zip(*pairs, strict=True))
    for at, (a, b) in enumerate(pairs):
        wanted = {"∧": a and b, "∨": a or b, "≡": a == b}[name]
        assert KERNELS[name](a, b) is wanted
        assert lane(KERNELS[name](left, right), at) is wanted
        assert lane(spread(KERNELS[name](a, right), 4), at) is {"∧": a and b, "∨": a or b, "≡": a == b}[name]


def texts(*words: str) -> Value:
    return stack(list(words))


def test_strings_pairs_and_sets_compare_by_value() -> None:
    equal = KERNELS["≡"]
    assert equal("a", "a") is True
    assert lane(equal(texts("a", "b"), "b"), 1) is True
    pair = (texts("a", "b"), plain(np.array([1.0, 2.0])))
    assert equal(pair, ("b", Fraction(2))).values.tolist() == [False, True]
    numbers = set_of([3, 1, 3])
    assert numbers.elements == (1, 3)
    assert KERNELS["∈"](1, numbers) is True
    assert KERNELS["∈"](plain(np.array([1.0, 2.0]), natural=True), numbers).values.tolist() == [True, False]
    assert KERNELS["∈"]("x", set_of([])) is False
    assert equal(set_of([1, 2]), set_of([2, 1, 1])) is True
    laned = SetLanes((plain(np.array([1.0, 2.0]), natural=True), plain(np.array([2.0, 2.0]), natural=True)))
    assert equal(laned, set_of([1, 2])).values.tolist() == [True, False]
    assert KERNELS["unionAll"](set_of([set_of([1, 2]), set_of([2, 5])])).elements == (1, 2, 5)
    assert KERNELS["fst"]((1, 2)) == 1
    assert KERNELS["snd"]((1, 2)) == 2


@pytest.mark.parametrize("low", [Fraction(0), Fraction(-1, 10), Fraction(1, 10)])
@pytest.mark.parametrize("high", [Fraction(1), Fraction(9, 10), Fraction(1, 5)])
def test_clip_is_exact(low: Fraction, high: Fraction) -> None:
    found = clamped(plain(np.array(REALS)), low, high)
    for at, number in enumerate(REALS):
        wanted = min(max(Fraction(number), low), high)
        assert lane(found, at) == wanted == clamped(Fraction(number), low, high)


def grid(rows: list[list[float]]) -> MatrixValue:
    return MatrixValue(len(rows), plain(np.array(rows, order="F")))


def cells(matrix: Any) -> list[list[Any]]:
    return [[lane(matrix.column(j), i) for j in range(matrix.width)] for i in range(matrix.rows)]


def test_matrices() -> None:
    m = grid([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    assert KERNELS["rows"](m) == 2
    assert KERNELS["cols"](m) == 3
    assert cells(KERNELS["tr"](m)) == [[1, 4], [2, 5], [3, 6]]
    words = MatrixValue(2, (texts("a", "b"), texts("c", "d"), texts("e", "f")))
    assert cells(KERNELS["tr"](words)) == [["a", "b"], ["c", "d"], ["e", "f"]]
    assert KERNELS["mconv"](m) is KERNELS["mconv"](m)
    assert cells(KERNELS["mclip"](m, Norm.LINF, Fraction(2))) == [[1, 2, 2], [2, 2, 2]]


def test_transposing_lanes_is_transposing_each() -> None:
    stored = MatrixValue(2, plain(np.arange(12.0).reshape(4, 3)), lanes=2)
    turned = KERNELS["tr"](stored)
    for at in range(2):
        assert cells(lane(turned, at)) == cells(KERNELS["tr"](lane(stored, at)))
    mixed = MatrixValue(2, tuple(texts(*(f"{i}{j}" for i in range(4))) for j in range(3)), lanes=2)
    for at in range(2):
        assert cells(lane(KERNELS["tr"](mixed), at)) == cells(KERNELS["tr"](lane(mixed, at)))


def test_tables_are_put_side_by_side_in_each_lane() -> None:
    laned = MatrixValue(2, plain(np.arange(12.0).reshape(4, 3)), lanes=2)
    alone = grid([[7.0], [8.0]])
    for left, right in ((laned, alone), (alone, laned), (laned, laned)):
        together = zipped(left, right)
        for at in range(2):
            own = [one if one.lanes is None else lane(one, at) for one in (left, right)]
            pairs = lane(together, at)
            assert isinstance(pairs, MatrixValue)
            for row in range(2):
                found = lane(pairs.column(0), row)
                assert [cells(part) for part in found] == [cells(one)[row : row + 1] for one in own]


def test_no_value_shows_what_it_holds() -> None:
    canary = 8675309.25
    held = plain(np.array([canary]))
    shown = [held, grid([[canary]]), Truths(np.array([True])), texts(str(canary)), set_of([Fraction(canary)])]
    assert not any("8675309" in repr(value) + str(value) for value in shown)
    assert isinstance(texts("a"), Texts)


LIBRARY = ("exp", "expm1", "exp2", "log", "log1p", "log2", "log10", "tanh", "sin", "cos", "power", "arctan", "hypot")


def test_the_prelude_says_what_a_library_approximates() -> None:
    """IEEE 754 defines sums, products, quotients and roots; everything that a library computes otherwise must be said."""
    calls = {
        each.name: {f"{node.value.id}.{node.attr}" for node in ast.walk(each) if _is_of_a_module(node)}
        | {node.id for node in ast.walk(each) if isinstance(node, ast.Name)}
        for module in {kernel.__module__ for kernel in KERNELS.values()}
        for each in ast.parse(inspect.getsource(sys.modules[module])).body
        if isinstance(each, ast.FunctionDef)
    }

    def is_approximate(name: str, above: frozenset[str] = frozenset()) -> bool:
        found = calls.get(name, set())
        return bool(found & {f"np.{word}" for word in LIBRARY}) or any(
            is_approximate(inner, above | {name}) for inner in found - above - {name}
        )

    reached = {word for word, kernel in KERNELS.items() if is_approximate(getattr(kernel, "__name__", ""))}
    assert reached == {word for word in names() if facts_of(word).is_approximate}


def _is_of_a_module(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
