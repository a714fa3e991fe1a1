"""Random programs that call one function with several bounds and tables, and the same programs without functions.

A run remembers what it computed, so that loops compute once what does not change. What stands in the text once, and is computed
with other numbers at every call, is where it could remember too much: each program is written a second time, with the body of
every function in the place of its calls and names of its own.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from itertools import count

from attrs import define, field, frozen

BAG = "𝕄 [L∞, U | ★, 2⋅𝔻]"
BOUNDS = ("100.0", "1.0", "0.25", "7.5")
PRICES = ("1.0", "0.5", "2.0")

BODIES = (
    "mfold-row 0.0, (mconv (mclip[L2, BOUND] TABLE)) { s§, r§ ⇒ s§ + r§#[0, 0] }",
    "mfold-row 0.0, (mconv (mclip[L1, BOUND] TABLE)) { s§, r§ ⇒ s§ + r§#[0, 1] }",
    "mfold-row 0.0, (mconv (mclip[L∞, BOUND] TABLE)) { s§, r§ ⇒ s§ + r§#[0, 0] }",
    "mfold-row 0.0, (mconv (mclip[L2, BOUND] (mmap TABLE { x§ ⇒ x§ / disc BOUND }))) { s§, r§ ⇒ s§ + r§#[0, 0] }",
    "mfold-row 0.0, (mconv (mclip[L2, BOUND] (mclip[L2, 2.0 ⋅ BOUND] TABLE))) { s§, r§ ⇒ s§ + r§#[0, 0] }",
    "mfold-row 0.0, TABLE { s§, r§ ⇒ s§ + clip[0.0, BOUND] r§#[0, 0] }",
    "mfold-row 0.0, TABLE { s§, r§ ⇒ s§ ⊔ clip[0.0, BOUND] r§#[0, 0] }",
    "mfold-row 0.0, (mmap-row TABLE { r§ ⇒ clip[0.0, BOUND] r§#[0, 1] }) { s§, q§ ⇒ s§ + q§#[0, 0] }",
    "mfold-row 0.0, (bmap TABLE { r§ ⇒ clip[0.0, BOUND] r§#[0, 1] }) { s§, q§ ⇒ s§ + q§#[0, 0] }",
    "mfold-row 0.0, TABLE { s§, r§ ⇒ s§ + clip[0.0, ℝ⁺[BOUND]] r§#[0, 0] }",
    "mfold-row 0.0, TABLE { s§, r§ ⇒ s§ ⊔ clip[0.0, ℝ⁺[BOUND]] r§#[0, 0] }",
    "mfold-row 0.0, (bmap TABLE { r§ ⇒ clip[0.0, ℝ⁺[BOUND]] r§#[0, 1] }) { s§, q§ ⇒ s§ + q§#[0, 0] }",
    "real (rows (mfilter TABLE { r§ ⇒ r§#[0, 0] < disc ℝ⁺[BOUND] }))",
    "real (rows (mfilter TABLE { r§ ⇒ r§#[0, 0] < disc BOUND }))",
    "let k§ = mfilter TABLE { r§ ⇒ r§#[0, 0] < disc BOUND } in "
    "real (rows k§) + mfold-row 0.0, k§ { s§, q§ ⇒ s§ + clip[0.0, BOUND] q§#[0, 1] }",
    "let g§ = sλ z : 𝔻 ⇒ z / disc BOUND in mfold-row 0.0, TABLE { s§, r§ ⇒ s§ + clip[0.0, BOUND] (g§ (r§#[0, 0])) }",
)
"""Numbers made of a table with a bound, which some know by its name and some by the number that its type is. § stands in the names
that a form binds."""

TABLES = (
    "xs",
    "xs",
    "(mfilter xs { r§ ⇒ r§#[0, 0] < disc 3.0 })",
    "(mfilter xs { r§ ⇒ disc 0.0 < r§#[0, 1] })",
    "(mmap xs { x§ ⇒ x§ + x§ })",
    "(bmap xs { r§ ⇒ r§ })",
)


@frozen
class Written:
    """A program in two spellings: with functions, and without."""

    shared: str
    alone: str


@define
class Writer:
    """Writes a program twice.

    Parameters
    ----------
    random
        The source of choices.
    bodies
        Those of its functions f0, f1, …
    """

    random: random.Random
    bodies: Sequence[str]
    fresh: Iterator[int] = field(factory=count, init=False)

    def own(self, text: str) -> str:
        """The text with names of its own."""
        return text.replace("§", str(next(self.fresh)))

    def table(self) -> str:
        return self.own(self.random.choice(TABLES))

    def call(self, table: str) -> tuple[str, str]:
        """A call of a function on a table with a bound, and the body in its place."""
        which, bound = self.random.randrange(len(self.bodies)), self.random.choice(BOUNDS)
        table_alone, name = self.own(table), f"t{next(self.fresh)}"
        body = self.own(self.bodies[which]).replace("TABLE", name).replace("BOUND", bound)
        return f"f{which} {table} {bound}", f"(let {name} = {table_alone} in {body})"

    def number(self, table: str) -> tuple[str, str]:
        """One call, or the sum of two of them."""
        first = self.call(table)
        if self.random.random() < 0.6:
            return first
        second = self.call(table if self.random.random() < 0.5 else self.table())
        return f"{first[0]} + {second[0]}", f"{first[1]} + {second[1]}"

    def noise(self, table: str) -> tuple[str, str]:
        price = self.random.choice(PRICES)
        one, other = self.number(table)
        return f"laplace[auto, {price}] {{ {one} }}", f"laplace[auto, {price}] {{ {other} }}"

    def released(self) -> tuple[str, str]:
        """A release of one of the forms below."""
        forms: tuple[Callable[[], tuple[str, str]], ...] = (
            lambda: self.noise(self.table()),
            lambda: self.noise(self.table()),
            self.turns,
            self.parts,
            self.by_function,
            self.chosen,
        )
        return self.random.choice(forms)()

    def turns(self) -> tuple[str, str]:
        """A loop over tables that are others in every turn."""
        index, state, row = (f"{stem}{next(self.fresh)}" for stem in "isr")
        table = f"(mfilter xs {{ {row} ⇒ {row}#[0, 0] < disc (real {index}) }})"
        one, other = self.noise(table if self.random.random() < 0.6 else self.table())
        head = f"loop ℕ[3] on 0.0 <xs> {{ {index}, {state} ⇒ "
        return f"{head}{one} }}", f"{head}{other} }}"

    def parts(self) -> tuple[str, str]:
        """Two releases of every part."""
        row, key, part, seen = (f"{stem}{next(self.fresh)}" for stem in "rkpu")
        head = f"parallel[{self.table()}, ℘{{disc 0.5, disc 1.0, disc 40.0}}] {{ {row} ⇒ {row}#[0, 0] }} {{ {key}, {part} ⇒ "
        prices = self.random.choices(PRICES, k=2)
        calls = [self.call(part) for _ in prices]
        one, other = (
            f"{head}{seen} ← laplace[auto, {prices[0]}] {{ {calls[0][at]} }} ; laplace[auto, {prices[1]}] {{ {calls[1][at]} }} }}"
            for at in range(2)
        )
        end = f"{seen}a ← ", " ; return 0.0"
        return f"{end[0]}{one}{end[1]}", f"{end[0]}{other}{end[1]}"

    def by_function(self) -> tuple[str, str]:
        """A privacy function that is called with two bounds and two prices."""
        which = self.random.randrange(len(self.bodies))
        name, seen = f"p{next(self.fresh)}", f"u{next(self.fresh)}"
        tables = [self.table(), self.table()] if self.random.random() < 0.5 else [self.table()] * 2
        bounds, prices = self.random.choices(BOUNDS, k=2), self.random.choices(PRICES, k=2)
        calls = [f"{name}@[ . {t}, {b}, {e}]" for t, b, e in zip(tables, bounds, prices, strict=True)]
        shared = (
            f"let {name} = pλ b : ℝ⁺, e : ℝ⁺ . t : {BAG}, b : ℝ⁺[b], e : ℝ⁺[e] ⇒ laplace[auto, e] <t> {{ f{which} t b }} in "
            f"{seen} ← {calls[0]} ; {calls[1]}"
        )
        alone = []
        for table, bound, price in zip(tables, bounds, prices, strict=True):
            own = f"t{next(self.fresh)}"
            body = self.own(self.bodies[which]).replace("BOUND", bound).replace("TABLE", own)
            alone.append(f"laplace[auto, {price}] {{ let {own} = {self.own(table)} in {body} }}")
        return shared, f"{seen} ← {alone[0]} ; {alone[1]}"

    def chosen(self) -> tuple[str, str]:
        """A branch by what was released."""
        seen = f"u{next(self.fresh)}"
        first, then, otherwise = self.noise(self.table()), self.noise(self.table()), self.noise(self.table())
        one, other = (
            f"{seen} ← {first[at]} ; if {seen} < 0.5 then {{ {then[at]} }} else {{ {otherwise[at]} }}"
            for at in range(2)
        )
        return one, other


def random_sharing_program(seed: int) -> Written:
    """A program of a table of ★ rows, with two or three functions, in pure ε."""
    source = random.Random(seed)
    writer = Writer(source, source.choices(BODIES, k=source.randint(1, 2)))
    functions = "".join(
        f"let f{at} = sλ b : ℝ⁺ . t : {BAG}, b : ℝ⁺[b] ⇒ {writer.own(body).replace('TABLE', 't').replace('BOUND', 'b')} in\n"
        for at, body in enumerate(writer.bodies)
    )
    steps = [writer.released() for _ in range(source.randint(2, 4))]
    names = [f"v{at}" for at, _ in enumerate(steps)]
    one, other = (
        "".join(f"{name} ← ({step[at]}) ;\n" for name, step in zip(names, steps, strict=True)) + "return 0.0"
        for at in range(2)
    )
    head = f"pλ xs : {BAG} ⇒\n"
    return Written(f"{head}{functions}{one}", f"{head}{other}")
