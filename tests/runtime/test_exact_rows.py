"""Random expressions over the numbers of a row, with names that are used again and again, against plain fractions.

Rows are computed together, as sums of multiples of arrays of doubles, and names share these arrays. What each row gives is the
same as by itself in fractions, rounded once.
"""

import random
from collections.abc import Callable, Mapping
from fractions import Fraction

import numpy as np
import pytest

import duetpy
from duetpy.accounting.rounding import LARGEST
from tests.effort import often

Meaning = Callable[[Mapping[str, Fraction]], Fraction]
"""What an expression is for the values of its names."""

LITERALS = ("0.0", "1.0", "2.0", "0.5", "0.1", "3.7", "100.0", "0.000001")
NUMBERS = (0.0, -0.0, 1.0, -1.0, 0.1, 7.25, 1e16, 5e-324, 2.0**-300, 2.0**-537, 2.0**511, 1e200, 2.0**46 + 0.5, 1 / 3)
RANGES = {"a": (Fraction(-5), Fraction(7)), "b": (Fraction(-1), Fraction(1_000_000))}
OPERATIONS: dict[str, Callable[[Fraction, Fraction], Fraction]] = {
    "+": lambda x, y: x + y,
    "-": lambda x, y: x - y,
    "⋅": lambda x, y: x * y,
    "⊔": max,
    "⊓": min,
}


MOST_FACTORS = 16
"""A product of more numbers has no finite sensitivity, and is not exact."""


def expression(rng: random.Random, depth: int, names: Mapping[str, int]) -> tuple[str, Meaning, int]:
    """An expression, what it means, and how many numbers it multiplies, as of each of the names."""
    kind = rng.choice(("let", "+", "+", "-", "⋅", "⋅", "clip", "⊔", "⊓", "abs")) if depth else "name"
    if kind == "name" and rng.random() < 0.4:
        literal = rng.choice(LITERALS)
        return literal, lambda _: Fraction(literal), 0
    if kind == "name":
        name = rng.choice(list(names))
        return name, lambda values: values[name], names[name]
    text, first, degree = expression(rng, depth - 1, names)
    if kind == "clip":
        return f"(clip[-2.5, 3.0] {text})", lambda values: min(max(first(values), Fraction(-5, 2)), Fraction(3)), degree
    if kind == "abs":
        return f"(abs {text})", lambda values: abs(first(values)), degree
    if kind == "let":
        new = f"v{len(names)}"
        body, of_body, degree = expression(rng, depth - 1, {**names, new: degree})
        return f"(let {new} = {text} in {body})", lambda values: of_body({**values, new: first(values)}), degree
    other, second, its_degree = expression(rng, depth - 1, names)
    sign = "+" if kind == "⋅" and degree + its_degree > MOST_FACTORS else kind
    together = degree + its_degree if sign == "⋅" else max(degree, its_degree)
    return f"({text} {sign} {other})", lambda values: OPERATIONS[sign](first(values), second(values)), together


def rounded(exact: Fraction) -> float:
    try:
        return float(exact)
    except OverflowError:
        return LARGEST if exact > 0 else -LARGEST


@pytest.mark.parametrize("seed", range(often(240, 48)))
def test_a_row_gives_what_it_gives_in_fractions(seed: int) -> None:
    rng = random.Random(seed)
    made = [expression(rng, rng.randint(3, 5), rng.choice(({"a": 1}, {"a": 1, "b": 1}))) for _ in range(8)]
    cells = ", ".join(f"clip[ℝ[{low}.0], {high}.0] (r#[0, {at}])" for at, (low, high) in enumerate(RANGES.values()))
    fields = ", ".join(f"f{at} = {text}" for at, (text, *_) in enumerate(made))
    program = f"sλ m : ℕ . xs : 𝕄 [L∞, U | m, 2⋅ℝ] ⇒ mmap-row xs {{ r ⇒ let ⟨a, b⟩ = ⟨{cells}⟩ in {{ {fields} }} }}"
    rows = [
        [rng.choice(NUMBERS) if rng.random() < 0.7 else rng.uniform(-5, 5) for _ in RANGES]
        for _ in range(rng.choice((1, 2, 20)))
    ]
    found = duetpy.evaluate(program, xs=np.array(rows))
    for row, numbers in zip(rows, found, strict=True):
        limits = zip(RANGES.items(), row, strict=True)
        values = {name: min(max(Fraction(cell), low), high) for (name, (low, high)), cell in limits}
        for number, (text, meaning, _) in zip(numbers, made, strict=True):
            assert number == rounded(meaning(values)), (text, row)
