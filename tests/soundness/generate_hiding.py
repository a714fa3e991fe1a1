"""Random privacy programs in which drawing and shuffling hide rows that other things may give away: filters, samples of samples,
promises of given costs, and boxes that carry rows out of one form into the next.

As in `generate_drawn`, all that is released has a finite law that is computed exactly.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import define, field

from duetpy.typecheck.notions import Notion
from tests.soundness.generate_drawn import NUMBERS, PRICES, Drawn, Known, Maker, random_drawn_program

PROMISES = {
    Notion.PURE: "{0}",
    Notion.APPROX: "{0}, 0.01",
    Notion.ZCDP: "{0}",
    Notion.GDP: "{0}",
    Notion.RENYI: "2.0, {0}",
}
"""What a mechanism from outside may promise."""


@define(eq=False)
class Hiding(Maker):
    """Makes privacy expressions, some of which draw, shuffle, filter, trust or box."""

    notion: Notion = field(kw_only=True)

    def test(self, tables: Sequence[Known], answers: Sequence[str], depth: int = 2) -> str:
        """Also how many rows a filter keeps."""
        if self.random.random() > 0.2:
            return Maker.test(self, tables, answers, depth)
        table, rows = self.random.choice(tables)
        row = self.name("r")
        kept = self.random.choice((f"{row}#[0, 0] < 0.5", f"0.5 ≤ {row}#[0, 0]"))
        return f"(rows (mfilter {table} {{ {row} ⇒ {kept} }}) < {self.random.randint(1, rows)})"

    def promised(self, tables: Sequence[Known]) -> str:
        """A cell that moves by 1 at most, and what is released of it at a cost that is taken on trust."""
        table, rows = self.random.choice([table for table in tables if table[0] != NUMBERS])
        cost, noisy = PROMISES[self.notion].format(self.random.choice(PRICES)), self.name("g")
        body = f"clip[0.0, 1.0] ({table}#[{self.random.randrange(rows)}, 0])"
        return f"{noisy} ← given[{cost}] <{table}> {{ {body} }} ; return (if {noisy} < 0.5 then idx 0 else idx 1)"

    def shuffle(self, tables: Sequence[Known], answers: Sequence[str], depth: int) -> str:
        shuffled = self.alike(tables, 2)
        names = [(self.name("x"), 1) for _ in shuffled]
        seen = names + ([self.random.choice(tables)] if self.random.random() < 0.2 else [])
        body = self.pair(seen, answers, depth - 1) if self.random.random() < 0.3 else self.answer(seen, answers)
        if len(names) == 2 and self.random.random() < 0.4:
            told, asked = self.random.sample(names, 2)
            answer = self.name("a")
            body = f"{answer} ← ({self.answer([asked], ())}) ; return ⟨{told[0]}#[0, 0], {answer}⟩"
        given = ", ".join(self.view(table) if self.random.random() < 0.3 else table[0] for table in shuffled)
        return f"shuffle[ℕ[{shuffled[0][1]}]] {given} {{ {', '.join(name for name, _ in names)} ⇒ {body} }}"

    def poisson(self, tables: Sequence[Known]) -> str:
        """Coins for the rows that a filter keeps; whether there are any of those is asked."""
        table, _ = self.random.choice(tables)
        row, part = self.name("r"), self.name("p")
        rate = self.random.choice(("0.25", "0.5", "1.0"))
        answer = f"rand-resp[ℕ[2], {self.random.choice(PRICES)}] {{ if rows {part} < 1 then idx 0 else idx 1 }}"
        return f"poisson[{rate}] (mfilter {table} {{ {row} ⇒ {row}#[0, 0] < 0.5 }}) {{ {part} ⇒ {answer} }}"

    def boxed(self, tables: Sequence[Known], answers: Sequence[str], depth: int) -> str:
        """A view in a box that is handed on, and opened again."""
        table = self.random.choice(tables)
        box, other, opened = self.name("k"), self.name("k"), self.name("v")
        view = f"box ({self.view(table)})"
        ways = (
            f"{box} ← return ({view}) ;",
            f"{box} ← (loop ℕ[2] on ({view}) {{ {other}i, {other} ⇒ return {other} }}) ;",
            f"let {box} = {view} in",
        )
        rest = self.of([*tables, (opened, table[1])], answers, depth - 1)
        return f"{self.random.choice(ways)} let {opened} = unbox {box} in {rest}"

    def of(self, tables: Sequence[Known], answers: Sequence[str], depth: int) -> str:
        kind = self.random.random()
        if depth > 0 and kind < 0.2:
            return self.shuffle(tables, answers, depth)
        if kind < 0.26 and any(table[0] != NUMBERS for table in tables):
            return self.promised(tables)
        if kind < 0.34:
            return self.poisson(tables)
        if depth > 0 and kind < 0.48:
            return self.boxed(tables, answers, depth)
        return Maker.of(self, tables, answers, depth)


def random_hiding_program(seed: int, pairs: int, notion: Notion) -> Drawn:
    """A program, and neighbours that differ in one row of one table, or of both where they are aligned."""
    return random_drawn_program(seed, pairs, lambda source: Hiding(source, notion=notion))
