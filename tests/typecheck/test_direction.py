"""Which way a function goes: what is called rising never falls, at any values of the names around it."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from duetpy.accounting.price import Price, price
from duetpy.grammar import ast
from duetpy.grammar.parser import parse_file
from duetpy.grammar.pretty import show_expression
from duetpy.source import Source
from duetpy.typecheck.cost import Atom
from duetpy.typecheck.direction import Direction, Known, direction, same_way
from duetpy.typecheck.notions import Notion
from tests.effort import often
from tests.soundness.definition import Meaning
from tests.soundness.plain import Table
from tests.typecheck.judging import costs, judged

UP, DOWN, STILL = Direction.UP, Direction.DOWN, Direction.STILL


def body(text: str) -> ast.SExp:
    """The body of `sλ x ⇒ text`."""
    file, diagnostics = parse_file(Source("program.duet", f"sλ x : ℝ ⇒ {text}"))
    assert not diagnostics
    assert isinstance(file.body, ast.Lam)
    return file.body.body


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3.0 - y", STILL),
        ("x", UP),
        ("0.0 - x", DOWN),
        ("3.0 - (x - y)", DOWN),
        ("x - (0.0 - x)", UP),
        ("x + (0.0 - x)", None),
        ("x - x", None),
        ("2.0 ⋅ x", UP),
        ("x ⋅ 2.0", UP),
        ("-2.0 ⋅ x", None),
        ("0.0 ⋅ x", None),
        ("y ⋅ x", None),
        ("x ⋅ x", None),
        ("x / 2.0", UP),
        ("2.0 / x", None),
        ("x / y", None),
        ("(x ⊔ y) ⊓ (0.0 - y)", UP),
        ("x ⊔ (0.0 - x)", None),
        ("clip[0.0, 1.0] (0.0 - x)", DOWN),
        ("if y < 1.0 then x else 2.0 ⋅ x", UP),
        ("if y < 1.0 then x else 2.0", UP),
        ("if y < 1.0 then x else 0.0 - x", None),
        ("if x < 1.0 then 0.0 else 1.0", None),
        ("let z = y + 1.0 in x + z", UP),
        ("let z = x in y + z", UP),
        ("let z = 0.0 - x in y - 2.0 ⋅ z", UP),
        ("let z = 0.0 - x in x + z", None),
        ("let z = 0.0 - x in let w = z in w - x", DOWN),
        ("let z = x ⋅ x in y + z", None),
        ("let z = x ⋅ x in y + x", UP),
        ("let z = 2.0 in z ⋅ x", UP),
        ("let z = x in z ⋅ x", None),
        ("let z = 2.0 in let z = y in z ⋅ x", None),
        ("let x = 0.0 - x in x", DOWN),
        ("let z = x in if z < 1.0 then 0.0 else 1.0", None),
        ("let z = x in clip[z, 9.0] y", None),
        ("let y = x in real (rows (mfilter x { r ⇒ r#[0, 0] < y }))", None),
        ("let t = mfilter x { r ⇒ r#[0, 0] < y } in real (rows t)", UP),
        ("let x = y in x", STILL),
        ("tanh x", UP),
        ("y - tanh (2.0 ⋅ x)", DOWN),
        ("2.0 ⋅ tanh x - x", None),
        ("dyn x", UP),
        ("real (dyn x)", UP),
        ("exp x", None),
        ("real (rows x)", UP),
        ("0.0 - real (rows (mfilter x { r ⇒ r#[0, 0] < y }))", DOWN),
        ("real (rows (mfilter x { r ⇒ real (rows x) < y }))", None),
        ("real (rows (mfilter x { x ⇒ x#[0, 0] < y }))", None),
        ("x#[0, 0]", None),
        ("mfold-row 0.0, x { a, r ⇒ a + clip[0.0, 1.0] r#[0, 0] }", None),
        ("f x", None),
    ],
)
def test_the_direction_of_an_expression(text: str, expected: Direction | None) -> None:
    assert direction(body(text), {"x": Known(UP)}) is expected


def test_only_what_goes_the_same_way_stays_on_it() -> None:
    ways = (None, STILL, UP, DOWN)
    assert [[same_way(one, other) for other in ways] for one in ways] == [
        [None, None, None, None],
        [None, STILL, UP, DOWN],
        [None, UP, UP, None],
        [None, DOWN, None, DOWN],
    ]


class Maker:
    """Random bodies over numbers x and y, or over a table x and a number y; many of which go no way."""

    def __init__(self, seed: int, *, table: bool) -> None:
        self.random, self.table = random.Random(seed), table

    def counted(self, depth: int) -> str:
        source = "x"
        for _ in range(self.random.randrange(3)):
            bound = self.random.choice(("y", "2.0", "4.0", "5.0 + y", "real (rows x)"))
            sign = self.random.choice(("<", "≤"))
            sides = (f"{bound} {sign} r#[0, 0]", f"r#[0, 0] {sign} {bound}")
            source = f"(mfilter {source} {{ r ⇒ {self.random.choice(sides)} }})"
        return f"real (rows {source})"

    def number(self, depth: int) -> str:
        if depth == 0 or self.random.random() < 0.15:
            moving = self.counted(depth) if self.table else "x"
            return self.random.choice((moving, moving, "y", "1.5", "0.0", "-2.0"))
        one, two = self.number(depth - 1), self.number(depth - 1)
        match self.random.randrange(8):
            case 0 | 1:
                return f"({one} {self.random.choice('+-⊔⊓')} {two})"
            case 2:
                return f"({self.random.choice(('2.0', '0.5', '-1.0', 'y', two))} ⋅ {one})"
            case 3:
                return f"({one} / {self.random.choice(('2.0', '-4.0', 'y'))})"
            case 4:
                return f"clip[-1.0, 3.0] ({one})"
            case 5:
                return f"(tanh ({one}))"
            case 6:
                name = self.random.choice("zyw")
                bound = self.random.choice(("y", "2.0", one, one))
                again = self.random.choice((f"({name} ⋅ {two})", f"(let {name} = {two} in {name} - {one})", two))
                return f"(let {name} = {bound} in {again} {self.random.choice('+-⊔')} {name})"
            case _:
                return f"(if {self.random.choice(('y < 1.0', 'y < 1.0', f'{one} < 1.0'))} then {one} else {two})"


def refuted(seed: int, *, table: bool) -> tuple[bool, str | None]:
    """Whether a random body is said to go a way, and the text where it does not."""
    maker = Maker(seed, table=table)
    source = f"sλ x : {'𝕄 [L∞, U | ★, 1⋅𝔻]' if table else 'ℝ'}, y : {'𝔻' if table else 'ℝ'} ⇒ {maker.number(4)}"
    if table:
        source = source.replace("⋅ y", "⋅ 3.0")
    typed = judged(source)
    assert typed.body is not None
    assert isinstance(typed.body, ast.Lam)
    way = direction(typed.body.body, {"x": Known(UP)})
    if way is None:
        return False, None
    meaning = Meaning(typed.annotations)
    draw = maker.random
    for _ in range(30):
        y = Fraction(draw.randint(-8, 8), 2)
        if table:
            rows = [(Fraction(draw.randint(0, 8)),) for _ in range(draw.randrange(4))]
            more = [*rows]
            more.insert(draw.randrange(len(rows) + 1), (Fraction(draw.randint(0, 8)),))
            small, large = Table(tuple(rows), 1), Table(tuple(more), 1)
        else:
            small, large = sorted((Fraction(draw.randint(-12, 12), 2), Fraction(draw.randint(-12, 12), 2)))
        low, high = (meaning.of(typed.body.body, {"x": x, "y": y}, {}) for x in (small, large))
        held = {STILL: low == high, UP: low <= high, DOWN: low >= high}[way]
        if not held:
            return True, f"{show_expression(typed.body.body)} at {small}, {large}, {y} is {low}, {high} and not {way}"
    return True, None


@pytest.mark.parametrize("table", [False, True], ids=["numbers", "tables"])
def test_a_body_goes_the_way_that_is_said_of_it(table: bool) -> None:
    count = often(400, 60)
    found = [refuted(seed, table=table) for seed in range(count)]
    assert [text for _, text in found if text is not None] == []
    assert sum(said for said, _ in found) >= 0.15 * count


QUERIES = "mcreate[L1 | ℕ[1], ℕ[3]] { i, j ⇒ sλ . z : ℝ ⇒ z - real j }"
TABLE = "𝕄 [L∞, U | ★, 1⋅𝔻]"
COUNTS = f"mcreate[L1 | ℕ[1], ℕ[3]] {{ i, j ⇒ sλ . t : {TABLE} ⇒ real (rows (mfilter t {{ r ⇒ r#[0, 0] < disc (real j) }})) }}"


@pytest.mark.parametrize(
    ("text", "charged"),
    [
        (f"x : ℝ ⇒ AboveThreshold[1.0, {QUERIES}, 5.0] <x> {{ x }}", "0.75"),
        (f"x : ℝ ⇒ let qs = {QUERIES} in AboveThreshold[1.0, qs, 5.0] <x> {{ 0.0 - x }}", "0.75"),
        (f"x : ℝ ⇒ AboveThreshold[1.0, let k = 2.0 in {QUERIES}, 5.0] <x> {{ x }}", "0.75"),
        (f"x : ℝ ⇒ AboveThreshold[1.0, {QUERIES.replace('z -', 'let v = z in v -')}, 5.0] <x> {{ x }}", "0.75"),
        (
            f"x : ℝ ⇒ AboveThreshold[1.0, {QUERIES.replace('z -', 'let v = 0.5 ⋅ z in v - 0.5 ⋅ z -')}, 5.0] <x> {{ x }}",
            "1",
        ),
        (f"x : ℝ ⇒ AboveThreshold[1.0, mmap {QUERIES} {{ q ⇒ q }}, 5.0] <x> {{ x }}", "1"),
        (f"x : ℝ ⇒ AboveThreshold[1.0, {QUERIES}#[0, 1 ↦ sλ . z : ℝ ⇒ 0.0 - z], 5.0] <x> {{ x }}", "1"),
        (f"x : ℝ ⇒ AboveThreshold[1.0, tr (tr {QUERIES}), 5.0] <x> {{ x }}", "1"),
        (f"x : {TABLE} ⇒ AboveThreshold[1.0, {QUERIES}, 5.0] <x> {{ real (rows x) }}", "0.75"),
        (f"x : {TABLE} ⇒ AboveThreshold[1.0, {COUNTS}, 5.0] <x> {{ x }}", "0.75"),
        (
            "x : ℝ ⇒ AboveThreshold[1.0, mmap (mcreate[L1 | ℕ[1], ℕ[3]] { i, j ⇒ real j }) { c ⇒ sλ . z : ℝ ⇒ c - z }, 5.0] "
            "<x> { x }",
            "0.75",
        ),
        (
            "x : ℝ ⇒ AboveThreshold[1.0, mcreate[L1 | ℕ[1], ℕ[3]] { i, j ⇒ "
            "sλ . z : ℝ ⇒ if i < j then z else 0.0 - z }, 5.0] <x> { x }",
            "1",
        ),
        (
            "x : 𝕄 [L∞, U | 4, 1⋅𝔻] ⇒ AboveThreshold[1.0, mcreate[L1 | ℕ[1], ℕ[3]] { i, j ⇒ sλ . t : 𝕄 [L∞, U | 4, 1⋅𝔻] ⇒ "
            "real (rows (mfilter t { r ⇒ r#[0, 0] < disc (real j) })) }, 5.0] <x> { x }",
            "1",
        ),
    ],
)
def test_queries_that_go_one_way_cost_three_quarters(text: str, charged: str) -> None:
    (cost,) = costs(f"pλ . {text}", Notion.PURE)
    assert isinstance(cost, Atom)
    assert cost.params[0].show() == "1"  # the noise is the same
    found = price(cost, Notion.PURE)
    assert isinstance(found, Price)
    assert found.show() == {"epsilon": charged}
