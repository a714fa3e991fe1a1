"""Random programs on numbers in ranges: parameters that may be missing, cells that are changed in one column or another, and
columns whose ranges differ.
"""

from __future__ import annotations

import random
from itertools import count

from attrs import evolve, field, frozen

from duetpy.grammar import ast
from duetpy.grammar.parser import parse_file
from duetpy.source import Source

# The doubles next to 0.3 and to 0.1 lie outside of ranges that end there.
RANGES = ("[0.0, 1.0]", "[-2.0, 5.0]", "[3.0, 3.0]", "[0.3, 1.0]", "[0.0, 0.1]", "[2.0, 9.0]")
NUMBERS = ("0.0", "1.0", "-4.0", "0.1", "7.5")
LOST = 0.15
"""How often something is done to a number of which no range is known after it."""
CLIPS = ("[0.0, 1.0]", "[-3.0, 12.0]", "[2.0, 4.0]")


@frozen
class Cells:
    """A table of numbers in ranges, or a row of one, as it is written.

    Parameters
    ----------
    may_miss
        By column: whether cells may be missing.
    rows
        None for ★.
    """

    text: str
    may_miss: tuple[bool, ...]
    rows: int | None
    named: bool

    def cell(self, source: random.Random, index: str) -> tuple[str, bool]:
        """A cell, and whether it may be missing."""
        column = source.randrange(len(self.may_miss))
        if self.named and self.rows == 1 and source.random() < 0.5:
            return f"{self.text}.{'abc'[column]}", self.may_miss[column]
        row = source.randrange(self.rows or 1)
        if source.random() < 0.3 and len(set(self.may_miss)) == 1:
            return f"{self.text}#[{row}, {index}]", self.may_miss[column]
        return f"{self.text}#[{row}, {column}]", self.may_miss[column]


@frozen(eq=False)
class Maker:
    """Makes texts of expressions."""

    random: random.Random
    numbers: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    tables: tuple[Cells, ...] = ()
    fresh: count[int] = field(factory=count)

    def name(self, stem: str) -> str:
        return f"{stem}{next(self.fresh)}"

    def given(self, *, number: str = "", may_miss: str = "", table: Cells | None = None) -> Maker:
        """The same with one name more."""
        return evolve(
            self,
            numbers=(*self.numbers, number) if number else self.numbers,
            optional=(*self.optional, may_miss) if may_miss else self.optional,
            tables=self.tables if table is None else (*self.tables, table),
        )

    def index(self) -> str:
        """A column that is computed."""
        return self.random.choice(("k", "(if q then 0 else 1)", "(k ⊓ 1)"))

    def test(self, depth: int) -> str:
        choice = self.random.random()
        if choice < 0.4 or depth <= 0:
            return "q"
        if choice < 0.6:
            return f"is-missing {self.missing(depth - 1)}"
        return f"{self.number(depth - 1)} {self.random.choice('<≤≡')} {self.number(depth - 1)}"

    def number(self, depth: int) -> str:
        """A 𝔻, in some range or in none."""
        choice = self.random.randrange(14)
        if depth <= 0 or choice < 2:
            return self.leaf()

        def sub() -> str:
            return self.number(depth - 1)

        match choice:
            case 2 | 3:
                default = self.random.choice((sub(), self.random.choice(NUMBERS)))
                return f"({self.missing(depth - 1)} or-else {default})"
            case 4 | 5:
                return f"(if {self.test(depth - 1)} then {sub()} else {sub()})"
            case 6:
                name = self.name("v")
                return f"(let {name} = {sub()} in {self.given(number=name).number(depth - 1)})"
            case 7:
                name = self.name("v")
                there = self.given(number=name).number(depth - 1)
                return f"(case {self.missing(depth - 1)} {{ some {name} ⇒ {there} ; none ⇒ {sub()} }})"
            case 8:
                if self.random.random() < LOST:
                    return f"({sub()} + {sub()})"
                return self.random.choice((f"(fst ⟨{sub()}, {sub()}⟩)", f"(unbox (box {sub()}))", f"(disc {sub()})"))
            case 9:
                name, within = self.name("v"), self.random.choice((*RANGES, "[-9.0, 9.0]", "[-9.0, 9.0]"))
                body = self.given(number=name).number(depth - 1)
                return f"((sλ {name} : 𝔻 in {within} ⇒ {body}) {sub()})"
            case 10 if self.random.random() < LOST:
                name, state = self.name("i"), self.name("s")
                return f"(loop 2 on {sub()} {{ {name}, {state} ⇒ {self.given(number=state).number(depth - 1)} }})"
            case 11:
                fields = f"{{ a = {sub()}, b = {self.missing(depth - 1)} }}"
                record = Cells(self.name("w"), (False, True), 1, True)
                inside = self.given(table=record)
                return f"(let {record.text} = {fields} in {inside.number(depth - 1)})"
            case _:
                return self.cell(depth, wanted=False)

    def missing(self, depth: int) -> str:
        """A 𝔻 that may be missing."""
        choice = self.random.randrange(9)
        if depth <= 0 or choice < 2:
            return self.random.choice(self.optional) if self.optional else "none[𝔻]"
        match choice:
            case 2 | 3:
                first, second = self.missing(depth - 1), self.random.choice((self.missing, self.number))(depth - 1)
                return f"(if {self.test(depth - 1)} then {first} else {second})"
            case 4:
                return f"({self.missing(depth - 1)} or-else {self.missing(depth - 1)})"
            case 5 | 6:
                form = self.random.choice(("(fst ⟨{}, 1.0⟩)", "(conv {})", "(conv {})", "(conv {})", "none[𝔻]"))
                return form.format(self.missing(depth - 1))
            case _:
                return self.cell(depth, wanted=True)

    def leaf(self) -> str:
        return self.random.choice(self.numbers) if self.numbers and self.random.random() > LOST / 4 else "(disc 0.5)"

    def cell(self, depth: int, wanted: bool) -> str:
        """A cell of a table of so many rows, made into what is wanted."""
        known = [table for table in self.tables if table.rows is not None]
        if not known:
            return self.random.choice(self.optional) if wanted and self.optional else self.leaf()
        found, may_miss = self.table(self.random.choice(known), depth - 1).cell(self.random, self.index())
        return f"({found} or-else {self.leaf()})" if may_miss and not wanted else found

    def table(self, source: Cells, depth: int) -> Cells:
        """A table that is made of another one."""
        if depth <= 0 or self.random.random() < 0.3:
            return source
        before = self.table(source, depth - 1)
        text = before.text
        match self.random.randrange(8):
            case 0 | 1 | 2 if before.rows is not None:
                column = self.random.randrange(len(before.may_miss))
                place = str(column)
                if len(set(before.may_miss)) == 1 and self.random.random() < 0.6:
                    place = self.index()
                value = (self.missing if before.may_miss[column] else self.number)(depth - 1)
                return evolve(before, text=f"({text}#[{self.random.randrange(before.rows)}, {place} ↦ {value}])")
            case 3:
                alike = [each for each in self.tables if evolve(each, text="") == evolve(source, text="")]
                other = self.random.choice(alike).text if alike else source.text
                return evolve(before, text=f"(if {self.test(depth - 1)} then {text} else {other})")
            case 4 if len(set(before.may_miss)) == 1 and not before.named and self.random.random() < LOST:
                entry = self.name("e")
                inside = self.given(**{"may_miss" if before.may_miss[0] else "number": entry})
                value = (inside.missing if before.may_miss[0] else inside.number)(depth - 1)
                return evolve(before, text=f"(mmap {text} {{ {entry} ⇒ {value} }})")
            case 5:
                row = self.name("r")
                return evolve(before, text=f"(mmap-row {text} {{ {row} ⇒ {row} }})")
            case 6 if before.rows is None:
                row = self.name("r")
                inside = self.given(table=Cells(row, before.may_miss, 1, before.named))
                return evolve(before, text=f"(mfilter {text} {{ {row} ⇒ {inside.test(depth - 1)} }})")
            case 7 if before.named:
                # All columns, in their order: the names stay.
                return evolve(before, text=f"({text}.[{', '.join('abc'[: len(before.may_miss)])}])")
            case _:
                return before

    def real(self, depth: int) -> str:
        """A real number that is made of numbers in ranges."""
        choice = self.random.randrange(10)
        if self.tables and depth > 1 and choice > 4:
            return self.folded(depth) if choice > 6 else f"(conv {self.cell(depth, wanted=False)})"
        if depth <= 0 or choice < 3:
            return f"(conv {self.number(max(depth, 1))})"
        match choice:
            case 3:
                return f"(clip{self.random.choice(CLIPS)} {self.number(depth - 1)})"
            case 4:
                return f"({self.real(depth - 1)} {self.random.choice('+-⊔⊓⋅')} {self.real(depth - 1)})"
            case 5:
                return f"({self.random.choice(('2.0', '-0.5'))} ⋅ {self.real(depth - 1)})"
            case 6:
                name = self.name("v")
                there = self.given(number=name).real(depth - 1)
                return f"(case {self.missing(depth - 1)} {{ some {name} ⇒ {there} ; none ⇒ {self.real(depth - 1)} }})"
            case _:
                return f"(if {self.test(depth - 1)} then {self.real(depth - 1)} else {self.random.choice(NUMBERS)})"

    def folded(self, depth: int) -> str:
        source = self.table(self.random.choice(self.tables), depth - 1)
        row, state = Cells(self.name("r"), source.may_miss, 1, source.named), self.name("s")
        term = self.given(table=row).real(depth - 1)
        sign = self.random.choice("+++⊔⊓")
        return f"(mfold-row {self.random.choice(NUMBERS)}, {source.text} {{ {state}, {row.text} ⇒ {state} {sign} {term} }})"


def text_in_ranges(seed: int) -> str:
    """A sensitivity function of numbers in ranges, of tables of such, a column and a truth value."""
    source = random.Random(f"in ranges {seed}")
    params: list[str] = []
    maker = Maker(source)
    for name in "xy"[: source.randint(1, 2)]:
        may_miss = source.random() < 0.6
        params.append(f"{name} : {'𝔻?' if may_miss else '𝔻'} in {source.choice(RANGES)}")
        maker = maker.given(may_miss=name) if may_miss else maker.given(number=name)
    may: tuple[bool, ...] = ()
    rows, named = None, False
    for name in ("ts", "us")[: source.choice((0, 1, 2, 2))]:
        if not may or source.random() < 0.4:
            width, named, rows = source.randint(1, 3), source.random() < 0.5, source.choice((None, 1, 2, 3))
            is_mixed, one = source.random() < 0.2, source.random() < 0.3
            may = tuple(source.random() < 0.3 if is_mixed else one for _ in range(width))
        within = source.choice(RANGES) if source.random() < 0.4 else ""
        cells = [f"{'𝔻?' if each else '𝔻'} in {within or source.choice(RANGES)}" for each in may]
        labels = [f"{letter} : " if named else "" for letter in "abc"]
        columns = " ∷ ".join([*(label + cell for label, cell in zip(labels, cells, strict=False)), "[]"])
        if within and not named and len(set(may)) == 1:
            columns = f"{len(may)}⋅{cells[0]}"
        params.append(f"{name} : 𝕄 [L∞, U | {'★' if rows is None else rows}, {columns}]")
        maker = maker.given(table=Cells(name, may, rows, named))
    depth = source.randint(2, 4)
    what = source.random()
    body = maker.real(depth)
    if what < 0.15:
        body = maker.number(depth)
    elif what < 0.25 and maker.tables:
        body = maker.table(source.choice(maker.tables), depth).text
    return f"sλ . {', '.join((*params, 'k : ℕ', 'q : 𝔹'))} ⇒ {body}"


def random_program_in_ranges(seed: int) -> ast.File:
    """The program of a seed."""
    file, problems = parse_file(Source("ranges.duet", text_in_ranges(seed)))
    assert not problems, (text_in_ranges(seed), problems)
    return file
