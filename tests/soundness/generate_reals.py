"""Random programs on tables of unknown size of which all cells are reals: their rows are matched, and a row without a partner
counts as far as it is long. So what a row adds to a sum must be 0 where the row is, which is read off the shape of the expression.
"""

from __future__ import annotations

import random
from itertools import count

from attrs import field, frozen

from duetpy.grammar import ast
from duetpy.grammar.parser import parse_file
from duetpy.source import Source

NORMS = ("L1", "L2", "L∞")
FACTORS = ("2.0", "0.5", "3.0", "-1.0", "-2.5")
NUMBERS = ("0.0", "1.0", "2.5", "-3.0")
AROUND = ("", "[-2.0, 3.0]", "[0.0, 1.0]", "[-1.0, 0.0]")
"""Clips that leave 0 where it is."""
BESIDE = ("[1.0, 2.0]", "[-3.0, -1.0]")
"""Clips that do not."""
WRONG = 0.02
"""How often something is not 0 where the row is; most of these programs are refused."""


@frozen
class Row:
    """A name for a row of reals, or for a single one."""

    name: str
    width: int
    named: bool = False

    def cells(self) -> list[str]:
        if not self.width:
            return [self.name]
        letters = [f"{self.name}.{letter}" for letter in "abc"[: self.width]] if self.named else []
        return [*(f"{self.name}#[0, {place}]" for place in range(self.width)), *letters]


@frozen
class Reals:
    """A table of real rows as it is written."""

    text: str
    norm: str
    width: int
    named: bool = False


@frozen(eq=False)
class Maker:
    """Makes texts of expressions; x and y are numbers and q a truth value that a program may use anywhere."""

    random: random.Random
    numbers: count[int] = field(factory=count)

    def name(self, stem: str) -> str:
        # Now and then a name that is in use, so that one hides another.
        return self.random.choice("rxv") if self.random.random() < 0.1 else f"{stem}{next(self.numbers)}"

    def any_number(self, rows: list[Row], depth: int) -> str:
        """Any real number."""
        choice = self.random.random()
        if choice < 0.4 or depth <= 0:
            return self.random.choice((*NUMBERS, "x", "y"))
        return self.zero(rows, depth - 1) if choice < 0.7 else f"({self.zero(rows, depth - 1)} + x)"

    def test(self, rows: list[Row], depth: int) -> str:
        if self.random.random() < 0.6:
            return self.random.choice(("q", "true", "1.0 < 2.0"))
        return f"{self.any_number(rows, depth)} < {self.any_number(rows, depth)}"

    def zero(self, rows: list[Row], depth: int) -> str:
        """A real number that is 0 where all rows are, or nearly so."""
        if self.random.random() < WRONG:
            return self.any_number([], 0)
        if depth <= 0:
            return self.cell(rows)

        def sub() -> str:
            return self.zero(rows, depth - 1)

        choice = self.random.randrange(15)
        match choice:
            case 0 | 1:
                return f"({sub()} {self.random.choice('+-')} {sub()})"
            case 2 | 3:
                return f"({self.random.choice(FACTORS)} ⋅ {sub()})"
            case 4:
                return f"({sub()} / {self.random.choice(FACTORS)})"
            case 5:
                return f"({sub()} {self.random.choice('⊔⊓')} {sub()})"
            case 6:
                return f"(abs {sub()})"
            case 7:
                return f"(clip{self.random.choice(BESIDE if self.random.random() < WRONG else AROUND)} {sub()})"
            case 8:
                return f"(if {self.test(rows, depth - 1)} then {sub()} else {sub()})"
            case 9 | 10:
                return self.let(rows, depth)
            case 11:
                form = self.random.choice(("(tanh {})", "(sign {})", "(floor {})", "(round {})"))
                return form.format(sub())
            case 12:
                other = self.any_number(rows, depth - 1)
                return f"(clip[-1.0, 2.0] {sub()} ⋅ clip[0.0, 3.0] {other})"
            case 13:
                return self.of_record(rows, depth)
            case _:
                return self.of_row(rows, depth)

    def cell(self, rows: list[Row]) -> str:
        return self.random.choice([cell for row in rows for cell in row.cells()]) if rows else "0.0"

    def let(self, rows: list[Row], depth: int) -> str:
        name = self.name("v")
        visible = [row for row in rows if row.name != name]
        if self.random.random() < 0.7:
            bound, inside = self.zero(rows, depth - 1), [*visible, Row(name, 0)]
        else:
            bound, inside = self.any_number(rows, depth - 1), visible
        return f"(let {name} = {bound} in {self.zero(inside, depth - 1)})"

    def of_record(self, rows: list[Row], depth: int) -> str:
        other = self.any_number(rows, depth - 1) if self.random.random() < 0.3 else self.zero(rows, depth - 1)
        if self.random.random() < 0.5:
            return f"({{ a = {self.zero(rows, depth - 1)}, b = {other} }}).{self.random.choice('aab')}"
        name = self.name("v")
        record = f"addColDF⧼b⧽ ⟨addColDF⧼a⧽ {self.zero(rows, depth - 1)}, {other}⟩"
        return f"(let {name} = {record} in {name}.{self.random.choice('aab')})"

    def of_row(self, rows: list[Row], depth: int) -> str:
        """A cell of a row that is made of a row."""
        wide = [row for row in rows if row.width]
        if not wide:
            return self.cell(rows)
        name, width = self.name("w"), self.random.choice(wide).width
        made = self.row([row for row in wide if row.width == width], rows, depth - 1)
        return f"(let {name} = {made} in {self.random.choice(Row(name, width).cells())})"

    def row(self, wide: list[Row], rows: list[Row], depth: int) -> str:
        """A row of as many reals, which are 0 where the rows are."""
        source = self.random.choice(wide)
        if depth <= 0:
            return source.name
        entry = self.name("e")
        choice = self.random.randrange(4)
        inside = [*(row for row in rows if row.name != entry), Row(entry, 0)]
        if choice == 0:
            bound = self.random.choice(("", ", 2.0"))
            return f"(mclip[{self.random.choice(NORMS)}{bound}] {self.row(wide, rows, depth - 1)})"
        if choice == 1 and not source.named:
            other, second = self.random.choice(wide), f"{entry}′"
            inside.append(Row(second, 0))
            if not other.named:
                body = self.zero(inside, depth - 1)
                return f"(mmap {source.name}, {other.name} {{ {entry}, {second} ⇒ {body} }})"
        return f"(mmap {source.name} {{ {entry} ⇒ {self.zero(inside[-1:], depth - 1)} }})"

    # Tables

    def table(self, known: list[Reals], depth: int) -> Reals:
        source = self.random.choice(known)
        if depth <= 0 or self.random.random() < 0.3:
            return source
        source = self.table(known, depth - 1)
        text, norm, width = source.text, source.norm, source.width
        row = Row(self.name("r"), width, source.named)
        match self.random.randrange(8):
            case 0:
                entry = Row(self.name("e"), 0)
                return Reals(f"(mmap {text} {{ {entry.name} ⇒ {self.zero([entry], depth)} }})", norm, width)
            case 1:
                return Reals(f"(mmap-row {text} {{ {row.name} ⇒ {self.zero([row], depth)} }})", "L∞", 1)
            case 2:
                made = self.row([row], [row], depth)
                return Reals(f"(mmap-row {text} {{ {row.name} ⇒ {made} }})", norm, width, source.named)
            case 3:
                element = Row(row.name, 0) if width == 1 and not source.named else row
                form = self.random.choice(("bmap", "mapDF"))
                body = self.zero([element if form == "bmap" else row], depth)
                return Reals(f"({form} {text} {{ {row.name} ⇒ {body} }})", "L∞", 1)
            case 4:
                norm = self.random.choice(NORMS)
                return Reals(f"(renorm[{norm}] {text})", norm, width, source.named)
            case 5 if source.named:
                chosen = self.random.sample("abc"[:width], self.random.randint(1, width))
                # Called by other letters, the columns would not be found.
                is_first = chosen == list("abc"[: len(chosen)])
                return Reals(f"({text}.[{', '.join(chosen)}])", norm, len(chosen), is_first) if is_first else source
            case 6:
                columns = self.random.randint(1, 2)
                matrix = (
                    f"mclip[{self.random.choice(NORMS)}] (mcreate[L2 | ℕ[{width}], ℕ[{columns}]] {{ i, j ⇒ real j }})"
                )
                return Reals(f"({text} × ({matrix}))", norm, columns)
            case _:
                kept = self.random.choice((f"{row.name}#[0, 0] < 1.0", "q", "true"))
                return Reals(f"(mfilter {text} {{ {row.name} ⇒ {kept} }})", norm, width, source.named)

    # What is made of them

    def result(self, known: list[Reals]) -> str:
        depth = self.random.randint(1, 3)
        source = self.table(known, self.random.randint(0, 2))
        row = Row(self.name("r"), source.width, source.named)
        match self.random.randrange(8):
            case 0:
                return f"rows {source.text}"
            case 1:
                return f"count {source.text}"
            case 2:
                return source.text
            case 3 | 4:
                return self.sum_of_rows(source, row, depth)
            case _:
                start = self.random.choice((*NUMBERS, "x"))
                state = f"s{next(self.numbers)}"
                term = self.zero([row], depth)
                body = self.random.choice((f"{state} + {term}", f"{term} + {state}"))
                if self.random.random() < 0.3:
                    body = f"if {self.test([row], 1)} then {body} else {state}"
                elif self.random.random() < 0.3:
                    body = f"{state} + {term} + {self.zero([row], depth - 1)}"
                return f"mfold-row {start}, {source.text} {{ {state}, {row.name} ⇒ {body} }}"

    def sum_of_rows(self, source: Reals, row: Row, depth: int) -> str:
        """A sum of rows, as one row."""
        state, one, other = f"s{next(self.numbers)}", f"e{next(self.numbers)}", f"e{next(self.numbers)}"
        start = (
            f"mcreate[{self.random.choice(NORMS)} | ℕ[1], ℕ[{source.width}]] {{ i, j ⇒ {self.random.choice(NUMBERS)} }}"
        )
        term = self.row([row], [row], depth)
        pair = self.random.choice((f"{state}, {term}", f"{term}, {state}"))
        added = f"mmap {pair} {{ {one}, {other} ⇒ {one} + {other} }}"
        return f"mfold-row {start}, {source.text} {{ {state}, {row.name} ⇒ {added} }}"


def text_on_reals(seed: int) -> str:
    """A sensitivity function of one or two tables of real rows, two numbers and a truth value."""
    source = random.Random(f"on reals {seed}")
    maker = Maker(source)
    tables, params = [], []
    for name in "ab"[: source.randint(1, 2)]:
        norm, width, named = source.choice(NORMS), source.randint(1, 3), source.random() < 0.4
        ball = f"{source.choice(NORMS)}≤{source.choice('13')}.0" if source.random() < 0.4 else "U"
        columns = " ∷ ".join([*(f"{letter} : ℝ" for letter in "abc"[:width]), "[]"]) if named else f"{width}⋅ℝ"
        params.append(f"{name}s : 𝕄 [{norm}, {ball} | ★, {columns}]")
        tables.append(Reals(f"{name}s", norm, width, named))
    used = (*params, "x : ℝ", "y : ℝ", "q : 𝔹")
    return f"sλ . {', '.join(used)} ⇒ {maker.result(tables)}"


def random_program_on_reals(seed: int) -> ast.File:
    """The program of a seed."""
    file, problems = parse_file(Source("reals.duet", text_on_reals(seed)))
    assert not problems, (text_on_reals(seed), problems)
    return file
