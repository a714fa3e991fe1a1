"""Random privacy programs whose laws are computed exactly: samples of several tables, calls on views, choices by earlier answers.

Programs are texts over two private tables of binary cells and one public table of row numbers. Every answer is randomized
response, and all of them are part of what is released, so that nothing that tells neighbours apart is lost.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from itertools import count
from typing import TypeAlias

from attrs import define, field

Known: TypeAlias = tuple[str, int]
"""A table with its number of rows."""

PRICES = ("0.1", "0.5", "1.0", "3.0")
NUMBERS = "ids"


@define(eq=False)
class Maker:
    """Makes privacy expressions of some depth."""

    random: random.Random
    fresh: count[int] = field(factory=count)

    def name(self, stem: str) -> str:
        return f"{stem}{next(self.fresh)}"

    def test(self, tables: Sequence[Known], answers: Sequence[str], depth: int = 2) -> str:
        """A truth value that looks at a few cells and earlier answers."""
        kind = self.random.choice(("cell", *("answer" for _ in answers[:1]), *(("if", "∧", "∨") if depth else ())))
        if kind == "cell":
            table, rows = self.random.choice(tables)
            return f"({table}#[{self.random.randrange(rows)}, 0] < 0.5)"
        if kind == "answer":
            return f"(dyn {self.random.choice(answers)} < 1)"
        parts = [self.test(tables, answers, depth - 1) for _ in range(3)]
        return f"(if {parts[0]} then {parts[1]} else {parts[2]})" if kind == "if" else f"({parts[0]} {kind} {parts[1]})"

    def answer(self, tables: Sequence[Known], answers: Sequence[str]) -> str:
        seen = self.random.sample(tables, min(len(tables), self.random.choice((1, 1, 2))))
        return (
            f"rand-resp[ℕ[2], {self.random.choice(PRICES)}] {{ if {self.test(seen, answers)} then idx 0 else idx 1 }}"
        )

    def view(self, table: Known) -> str:
        """The table, or one that is made of it: row by row, or each row of one and the same."""
        name, rows = table
        kind, entry = self.random.random(), self.name("e")
        if kind < 0.5:
            return name
        if kind < 0.7:
            return f"(mmap {name} {{ {entry} ⇒ disc 1.0 - {entry} }})"
        cell = f"{name}#[{self.random.randrange(rows)}, 0]"
        return f"(mcreate[L∞ | ℕ[{rows}], ℕ[1]] {{ {entry}, {self.name('j')} ⇒ {cell} }})"

    def pair(self, tables: Sequence[Known], answers: Sequence[str], depth: int) -> str:
        """Two releases, one of which may be a cell as it is or may know the answer of the other."""
        first, second = self.name("a"), self.name("b")
        kind = self.random.random()
        if kind < 0.25:
            table, rows = self.random.choice(tables)
            cell = f"{table}#[{self.random.randrange(rows)}, 0]"
            return f"{first} ← ({self.of(tables, answers, depth - 1)}) ; return ⟨{cell}, {first}⟩"
        one = self.answer(tables, answers) if kind < 0.6 else self.of(tables, answers, depth - 1)
        other = self.of(tables, (*answers, first) if kind < 0.6 else answers, depth - 1)
        return f"{first} ← ({one}) ; {second} ← ({other}) ; return ⟨{first}, {second}⟩"

    def alike(self, tables: Sequence[Known], most: int) -> list[Known]:
        """Some tables with the same number of rows."""
        rows = self.random.choice(tables)[1]
        same = [table for table in tables if table[1] == rows]
        return self.random.sample(same, min(len(same), self.random.randint(1, most)))

    def sample(self, tables: Sequence[Known], answers: Sequence[str], depth: int) -> str:
        drawn = self.alike(tables, 3)
        size = self.random.randint(1, drawn[0][1])
        names = [(self.name("s"), size) for _ in drawn]
        beside = [self.random.choice(tables)] if self.random.random() < 0.25 else []
        body = self.pair([*names, *beside], answers, depth - 1)
        given = ", ".join(self.view(table) if self.random.random() < 0.3 else table[0] for table in drawn)
        return f"sample[ℕ[{size}]] {given} {{ {', '.join(name for name, _ in names)} ⇒ {body} }}"

    def call(self, tables: Sequence[Known], depth: int) -> str:
        given = self.alike(tables, 2)
        inside = [(self.name("p"), rows) for _, rows in given]
        params = ", ".join(f"{name} : 𝕄 [L∞, U | {rows}, 1⋅𝔻]" for name, rows in inside)
        if len(given) == 2 and self.random.random() < 0.4:
            params = f"⟨{params}⟩"
        return f"(pλ . {params} ⇒ {self.of(inside, (), depth - 1)})@[ . {', '.join(map(self.view, given))}]"

    def of(self, tables: Sequence[Known], answers: Sequence[str], depth: int) -> str:
        kind = self.random.random()
        if depth <= 0 or kind < 0.12:
            return self.answer(tables, answers)
        if kind < 0.45:
            return self.pair(tables, answers, depth)
        if kind < 0.72:
            return self.sample(tables, answers, depth)
        if kind < 0.8 and answers:
            branches = [f"{{ {self.answer(tables, answers)} }}" for _ in range(2)]
            return f"if dyn {self.random.choice(answers)} < 1 then {branches[0]} else {branches[1]}"
        if kind < 0.92:
            return self.call(tables, depth)
        seen, name = self.random.choice(tables), self.name("v")
        return f"let {name} = {self.view(seen)} in {self.of([*tables, (name, seen[1])], answers, depth - 1)}"


@define(eq=False)
class Drawn:
    """A program with neighbours: the cells of both tables before and after."""

    text: str
    before: tuple[list[int], list[int]]
    after: list[tuple[list[int], list[int]]]


def random_drawn_program(seed: int, pairs: int, made: Callable[[random.Random], Maker] = Maker) -> Drawn:
    """A program, and neighbours that differ in one row of one table, or of both where they are aligned."""
    source = random.Random(seed)
    rows = source.choice((2, 2, 3))
    is_aligned = source.random() < 0.3
    tables = ", ".join(f"{name} : 𝕄 [L∞, U | {rows}, 1⋅𝔻]" for name in ("xs", "ys"))
    numbers = f"let {NUMBERS} = mcreate[L∞ | ℕ[{rows}], ℕ[1]] {{ i, j ⇒ disc (real i) }} in"
    body = made(source).of([("xs", rows), ("ys", rows), (NUMBERS, rows)], (), source.choice((1, 2, 3)))
    before = tuple([source.randint(0, 1) for _ in range(rows)] for _ in "xy")
    after: list[tuple[list[int], list[int]]] = []
    for _ in range(pairs):
        at, moved = source.randrange(rows), source.choice((0, 1))
        changed = [list(cells) for cells in before]
        for which in (0, 1) if is_aligned else (moved,):
            changed[which][at] ^= 1
        after.append((changed[0], changed[1]))
    return Drawn(f"pλ . {f'⟨{tables}⟩' if is_aligned else tables} ⇒ {numbers} {body}", (before[0], before[1]), after)
