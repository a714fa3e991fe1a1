"""Random privacy programs that have a law, of forms that those of `generate_laws` do not take: cells that may be missing, joins, a
public table, histograms, uniform numbers that nobody's rows decide, loops as long as a number says that a run or a call gives,
functions with side conditions and promises that are kept in loops, pairs and sums before they are called, two files of a person,
two tables of the same persons, and programs on rows of which several may be one person's.

Programs are texts.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from attrs import define, evolve

from duetpy.grammar import ast
from duetpy.grammar.several_rows import of_persons
from duetpy.typecheck.notions import Notion
from tests.soundness.generate_laws import COLUMNS, FORMS, Known, Maker
from tests.soundness.generate_written import parsed

WIDE = (*COLUMNS, "h : 𝔻? in [0, 2]")
FILE = f"𝔻𝔽[{', '.join(WIDE)}]"
OF_PERSONS = f"persons[id : 𝕊{{}} | v : {FILE}, w : 𝔻𝔽[c : 𝐝 ℕ, z : 𝔻 in [0, 2]]]"
PUBLIC = "𝔻𝔽[c : 𝐝 ℕ, z : 𝔻 in [0, 2]]"
TURNS = 2
"""The number `n` that a run gives."""


def with_list(release: str) -> str:
    """A mechanism that reads the public table protects the private ones only."""
    if "pub" not in release or release.startswith(("(", "key")):
        return release
    used, bound = (
        set(re.findall(r"\b(xs|ys|[tsuvwp]\d+)\b", release)),
        set(re.findall(r"\b(\w+)(?:, \w+)? [⇒:=]", release)),
    )
    bound |= set(re.findall(r", (\w+) ⇒", release))
    depth, at = 0, 0
    for place, sign in enumerate(release):
        at = place if sign == "{" and depth == 0 else at
        depth += (sign in "([{⟨") - (sign in ")]}⟩")
    return f"{release[:at]}<{', '.join(sorted(used - bound))}> {release[at:]}"


@define(eq=False)
class Wider(Maker):
    """Makes privacy expressions of more forms. A program knows a public table `pub`, and a number `n`."""

    all_columns = "c, g, h"

    def frame(self, rows: object) -> str:
        return FILE if rows == "★" else f"𝕄 [L∞, U | {rows}, {' ∷ '.join((*WIDE, '[]'))}]"

    def test(self, row: str, table: Known) -> str:
        f = self.name("f")
        if table.is_of_persons:
            joined = f"(joinDF[{self.one('1', '2')}]⧼c⧽[{row}.v, {row}.w])"
            of_one = self.one(
                f"1 < rows {joined}",
                f"0 < rows {row}.w",
                f"(case first {row}.v {{ some {f} ⇒ is-missing {f}.h ; none ⇒ true }})",
                f"(mode {row}.v.[h] or-else 1.0) < 1.0",
                f"rows (distinct {row}.v.[c]) ≡ 1",
            )
            return self.one(Maker.test(self, row, table), of_one)
        of_one = self.one(f"is-missing {row}.h", f"({row}.h or-else {row}.g) < 1.0", f"{row}.h ≡ none[𝔻]")
        return self.one(Maker.test(self, row, table), of_one)

    def number(self, row: str, table: Known) -> str:
        f = self.name("f")
        if table.is_of_persons:
            joined = f"(joinDF[{self.one('1', '2')}]⧼c⧽[{row}.v, {row}.w])"
            summed = f"clip[0.0, 2.0] (mfold-row 0.0, {joined} {{ t, {f} ⇒ t + conv {f}.z }})"
            of_last = f"(case last {row}.v {{ some {f} ⇒ conv ({f}.h or-else {f}.g) ; none ⇒ -1.0 }})"
            return self.one(Maker.number(self, row, table), summed, of_last)
        of_one = self.one(
            f"conv ({row}.h or-else {self.one('0.0', '-1.0', f'{row}.g')})",
            f"(case {row}.h {{ some {f} ⇒ conv {f} ; none ⇒ {self.one('-1.0', '0.5')} }})",
            f"(if {row}.c ≡ 1 ∧ is-missing {row}.h then -1.0 else conv {row}.g)",
        )
        return self.one(Maker.number(self, row, table), of_one)

    def view(self, table: Known) -> Known:
        if not self.whether(0.3):
            return Maker.view(self, table)
        counted, row, k = self.frame("★"), self.name("r"), self.one("1", "2")
        if table.is_of_persons:
            made = f"(joinDF[{self.one('1', '2')}]⧼c⧽[{row}.v, {row}.w])"
            return Known(f"(flat[{k}] {table.name} {{ {row} ⇒ {made} }}).[{self.all_columns}]", counted)
        if table.rows is not None:
            return evolve(table, name=f"(mmap-row {table.name} {{ {row} ⇒ {row} }})")
        joined = f"(joinDF[{k}]⧼c⧽[{table.name}, pub]).[{self.all_columns}]"
        last = f"(bmap {table.name} {{ {row} ⇒ addColDF⧼y⧽ ⟨{row}, {self.test(row, table)}⟩ }}).[{self.all_columns}]"
        return Known(self.one(joined, joined, last), counted)

    def leaf(self, table: Known) -> tuple[str, bool]:
        made, is_real = (self.histogram(table), False) if self.whether(0.15) else Maker.leaf(self, table)
        return with_list(made), is_real

    def histogram(self, table: Known) -> str:
        """Numbers of rows by bins, of which each has its rows for itself, or not."""
        is_gaussian = self.notion is not Notion.PURE and self.whether(0.6)
        word, norm = ("gauss", "L2") if is_gaussian else ("laplace", "L1")
        form = FORMS.get(self.notion, "{}") if is_gaussian else "{}"
        made, r = self.seen(table), self.name("r")
        key = self.key(r, made)
        test = self.one(f"{key} ≡ j", f"{key} ≡ j ∧ {self.test(r, made)}", f"{key} ≤ j", f"{self.test(r, made)}")
        if self.whether(0.3):
            test = f"({test}) ∧ {self.one(f'({key} ⊓ 1) ≡ i', f'i ≡ ({key} ⊓ j)')}"
        body = f"real (rows (mfilter {made.name} {{ {r} ⇒ {test} }}))"
        counts = f"mcreate[{norm} | ℕ[{self.one('1', '2')}], ℕ[2]] {{ i, j ⇒ {body} }}"
        return f"m{word}[{self.scale()}, {form.format(self.spent())}] {{ {counts} }}"

    # How releases are put together

    def of(self, table: Known, depth: int) -> str:
        if depth <= 0 or self.whether(0.5):
            return Maker.of(self, table, depth)
        options: tuple[Callable[[Known, int], str | None], ...] = (
            self.uniform,
            self.as_often_as_said,
            self.as_often_as_said,
            self.promised,
            self.kept,
            self.kept,
            self.by_missing,
            self.of_a_column,
            self.two_views,
            self.coins,
            *(self.on_a_roster,) * (3 if table.is_of_persons and table.rows is not None else 0),
        )
        made = self.random.choice(options)(table, depth)
        return Maker.of(self, table, depth) if made is None else made

    def uniform(self, table: Known, depth: int) -> str:
        """A number that is drawn, and decides what is released."""
        d, x, y = self.name("d"), self.name("x"), self.name("y")
        most = self.one("1", "2", "n")
        inner = evolve(self, released=(*self.released, x))
        draw = f"({d} ← rand-nat[{self.one('0', '1')}, {most}] ; return real {d})"
        return f"({x} ← {draw} ; {y} ← {inner.of(table, depth - 1)} ; return {self.one(y, f'⟨{x}, {y}⟩')})"

    def as_often_as_said(self, table: Known, depth: int) -> str:
        """A loop as long as a number of the program, of a table or of a call says."""
        i, z, x, k = map(self.name, "izxk")
        inner = evolve(self, released=(*self.released, z))
        word = "aloop[0.02]" if self.notion is Notion.APPROX and self.whether(0.4) else "loop"
        turns = "n" if table.rows is None else self.one("n", f"(rows {table.name})")

        def loop(turns: str, body: str) -> str:
            return f"({word} {turns} on 0.0 {{ {i}, {z} ⇒ {x} ← {body} ; return 1009.0 ⋅ {z} + {x} }})"

        if table.type is None or self.whether(0.5):
            return loop(turns, inner.real(table))
        t, made = self.name("t"), evolve(self, released=(z,), others=())
        body = made.real(evolve(table, name=t))
        return (
            f"(pλ {k} : ℕ . {t} : {table.type}, {k} : ℕ[{k}] ⇒ {loop(k, body)})@[ . {table.name}, {self.one('1', '2')}]"
        )

    def limits(self) -> str:
        number = self.one("0.5", "1", "2", "4")
        return {
            Notion.PURE: f"ε ≤ {number}",
            Notion.APPROX: f"ε ≤ {number}, δ ≤ {self.one('0.02', '0.1')}",
            Notion.ZCDP: f"ρ ≤ {number}",
            Notion.RENYI: f"α ≤ {self.one('2', '4')}, ε ≤ {number}",
            Notion.GDP: f"μ ≤ {number}",
            Notion.TCDP: f"ρ ≤ {number}, ω ≤ {self.one('10', '20')}",
        }[self.notion]

    def promised(self, table: Known, depth: int) -> str | None:
        """A call of a function with a promise."""
        made, t, f = self.view(table), self.name("t"), self.name("f")
        if made.type is None:
            return None
        body = self.alone().of(evolve(made, name=t), depth - 1)
        return f"(let {f} = (pλ . {t} : {made.type} ⇒ {body} ensures {self.limits()}) in {f}@[ . {made.name}])"

    def kept(self, table: Known, depth: int) -> str | None:
        """A function with side conditions that goes from hand to hand before it is called."""
        if table.type is None:
            return None
        k, b, t, s, f = map(self.name, "kbtsf")
        size, turns = self.one("1", "2", "3"), self.one("1", "2")
        alone = evolve(self, released=(), others=())
        part = Known(s, self.frame(b), 1)
        if table.rows is None:
            body = f"loop {b} on 0.0 {{ i, z ⇒ {alone.real(evolve(table, name=t))} }}"
            function = f"(pλ {b} : ℕ . {t} : {table.type}, {b} : ℕ[{b}] ⇒ {body})"
        else:
            body = f"sample[{b}] {t} {{ {s} ⇒ {alone.leaf(part)[0]} }}"
            function = f"(pλ {k} : ℕ, {b} : ℕ . {t} : {self.frame(k)}, {b} : ℕ[{b}] ⇒ {body})"
        for _ in range(self.random.randint(0, 2)):
            g = self.name("g")
            hands = [
                f"(loop ℕ[{turns}] on {function} {{ i, {g} ⇒ {g} }})",
                f"(fst ⟨{function}, 1.0⟩)",
                f"(case inr[ℝ] {function} {{ inl y ⇒ {function} ; inr y ⇒ y }})",
                f"((sλ {g} ⇒ {g}) {function})",
                f"(let {g} = {function} in {g})",
                f"((mcreate[L∞ | ℕ[1], ℕ[2]] {{ i, j ⇒ {function} }})#[0, 1])",
            ]
            if self.released:
                hands.append(f"(if {self.one(*self.released)} < 1.0 then {function} else {function})")
            function = self.one(*hands)
        return f"(let {f} = {function} in {f}@[ . {table.name}, {size}])"

    def by_missing(self, table: Known, depth: int) -> str:
        """A choice by whether something released is missing."""
        x, y, v = self.name("x"), self.name("y"), self.name("v")
        inner = evolve(self, released=(*self.released, x))
        scrutinee = f"(if {x} < 1.0 then none[𝔻] else disc {x})"
        branches = f"some {v} ⇒ {inner.real(table)} ; none ⇒ {self.one('return 0.0', inner.real(table))}"
        return f"({x} ← {self.real(table)} ; {y} ← (case {scrutinee} {{ {branches} }}) ; return ⟨{x}, {y}⟩)"

    def of_a_column(self, table: Known, depth: int) -> str | None:
        """A call of a function that names a parameter in the range of its column, which the call leaves out or gives."""
        if table.is_of_persons or table.rows is not None:
            return None
        p, w, f = self.name("p"), self.name("w"), self.name("f")
        is_gaussian = self.notion is not Notion.PURE and self.whether(0.6)
        form = FORMS.get(self.notion, "{}") if is_gaussian else "{}"
        noise = f"{'gauss' if is_gaussian else 'laplace'}[auto, {form.format(self.spent())}]"
        cell = self.one(f"clip[0.0, {w}] r#[0, 0]", f"clip[-1.0, {w}] (0.5 ⋅ r#[0, 0])", "conv r#[0, 0]")
        body = f"{noise} <{p}> {{ mfold-row 0.0, {p} {{ s, r ⇒ s + {cell} }} }}"
        low = self.name("low")
        around = f"[-{w}, {w}]", f"static {w} : ℝ⁺", ", 2.0"
        above = f"[{low}, {low} + {w}]", f"{low} : ℝ, static {w} : ℝ⁺", ", 0.0, 2.0"
        within, ends, given = self.random.choice((around, above))
        function = f"(pλ {p} : bag 𝔻 in {within}, {ends} ⇒ {body})"
        column = self.view(table)
        return f"(let {f} = {function} in {f}@[ . {column.name}.[g]{self.one('', '', given)}])"

    def two_views(self, table: Known, depth: int) -> str | None:
        """A call with two views of one table."""
        one, other = self.view(table), self.view(self.others[0] if self.others else table)
        if None in (one.type, other.type):
            return None
        t, u, x, y = map(self.name, "tuxy")
        alone = evolve(self, released=(), others=())
        parts = [alone.of(evolve(each, name=name), depth - 1) for each, name in ((one, t), (other, u))]
        body = f"{x} ← ({parts[0]}) ; {y} ← ({parts[1]}) ; return ⟨{x}, {y}⟩"
        return f"(pλ . {t} : {one.type}, {u} : {other.type} ⇒ {body})@[ . {one.name}, {other.name}]"

    def on_a_roster(self, table: Known, depth: int) -> str | None:
        """A sample or a shuffle of persons on a roster, from one table or two."""
        if not table.is_of_persons or table.rows is None:
            return None
        given = [table, *(each for each in self.others if each.rows == table.rows)]
        names = [self.name("s") for _ in given]
        tables, bound = ", ".join(each.name for each in given), ", ".join(names)
        parts = [Known(name, None, 1, True) for name in names]
        if self.whether(0.4):
            test = self.test(self.one(*names), parts[0])
            report = f"rand-resp[ℕ[2], {self.spent()}] {{ if {test} then idx 0 else idx 1 }}"
            return f"shuffle[rows {table.name}] {tables} {{ {bound} ⇒ {report} }}"
        inner = evolve(self, others=tuple(parts[1:]))
        return f"sample[ℕ[1]] {tables} {{ {bound} ⇒ {inner.of(parts[0], depth - 1)} }}"

    def coins(self, table: Known, depth: int) -> str | None:
        """A call in which several samples with coins are drawn of one table."""
        made, t, i, z, x = self.view(table), *map(self.name, "tizx")
        if made.type is None or made.rows is not None:
            return None
        alone = evolve(self, released=(), others=())
        bodies = []
        for _ in range(2):
            s = self.name("s")
            seen = alone.view(Known(t, made.type))
            noise = f"gauss[auto, {FORMS.get(self.notion, '{}').format(self.spent())}]"
            noise = f"laplace[auto, {self.spent()}]" if self.notion is Notion.PURE or self.whether(0.2) else noise
            body = with_list(f"{noise} {{ {alone.statistic(Known(s, made.type))} }}")
            bodies.append(f"poisson[{self.one('0.5', '0.25')}] {seen.name} {{ {s} ⇒ {body} }}")
        looped = f"loop n on 0.0 {{ {i}, {z} ⇒ {x} ← {bodies[0]} ; return 1009.0 ⋅ {z} + {x} }}"
        y = self.name("y")
        both = f"({x} ← {bodies[0]} ; {y} ← {bodies[1]} ; return ⟨{x}, {y}⟩)"
        return f"(pλ . {t} : {made.type} ⇒ {self.one(looped, both)})@[ . {made.name}]"


def wider_text(seed: int, notion: Notion) -> tuple[str, dict[str, tuple[str, int]]]:
    """A program, and the tables of which several rows may be one person's: the column that names it, and how many rows count."""
    source = random.Random(f"wider {seed}")
    maker, depth = Wider(source, notion), source.choice((1, 1, 2, 2, 3))
    rows, kinds = source.choice((1, 2, 2, 3)), ["n : ℕ"]
    persons: dict[str, tuple[str, int]] = {}
    before = ""
    match source.randrange(10):
        case 0 | 1:
            table = Known("xs", maker.frame("★"))
        case 2:
            table = Known("xs", maker.frame(rows), rows)
        case 3:
            table, kinds = Known("xs", maker.frame("m"), 1), [*kinds, "m : ℕ"]
        case 4 | 5:
            table = Known("xs", OF_PERSONS.format(""), None, True)
        case 6:
            table, before = Known("xs", OF_PERSONS.format(" in roster"), 2, True), "roster : ℘(𝕊), "
        case _:
            table = Known("xs", maker.frame("★"))
            persons["xs"] = source.choice(("id", "id", "c")), source.choice((1, 2))
    tables = f"xs : {table.type}"
    if source.random() < 0.45:
        maker.others = (evolve(table, name="ys"),)
        tables = f"{tables}, ys : {table.type}"
        if persons:
            persons["ys"] = persons["xs"][0], source.choice((1, 2))
        elif not table.is_of_persons and source.random() < 0.5:
            maker.is_aligned, tables = True, f"⟨{tables}⟩"
    if table.is_of_persons:
        # No program can write the type of what it makes of them.
        table = evolve(table, type=None)
        maker.others = tuple(evolve(each, type=None) for each in maker.others)
    body, promise = maker.of(table, depth), f" ensures {maker.limits()}" * (source.random() < 0.5)
    return f"pλ {', '.join(kinds)} . {before}{tables}, pub : {PUBLIC}, n : ℕ[n] ⇒ {body}{promise}", persons


def wider_program(seed: int, notion: Notion) -> ast.File:
    """The program of a seed."""
    text, persons = wider_text(seed, notion)
    return of_persons(parsed(text), persons)
