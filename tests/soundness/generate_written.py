"""Random privacy programs in every notion, as people write them: tables whose columns have ranges and may miss cells, histograms,
choices of rows, parts, and functions that go from hand to hand before they are called: over columns whose ends a call may leave
out, and over kind variables.

Programs are texts.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import count

from attrs import define, evolve, field

from duetpy.grammar import ast
from duetpy.grammar.parser import parse_file
from duetpy.source import Source
from duetpy.typecheck.notions import Notion

RANGES = ("[0, 1]", "[-2, 5]", "[0.5, 3]", "[-4, -1]", "[3, 3]")
SPENT = {Notion.APPROX: "{}, 1e-6", Notion.RENYI: "4, {}", Notion.TCDP: "{}, 20"}
"""The parameters of Gaussian noise where they are not one number."""
PARAMETERS = ("a", "b")
"""The static numbers of a program that has some."""


@define(eq=False)
class Writer:
    """Writes expressions.

    Parameters
    ----------
    random
        The source of choices.
    notion
        What mechanisms are priced in.
    within
        The ranges of the columns g and h.
    parameters
        The static numbers of the program.
    released
        The names of what was released.
    """

    random: random.Random
    notion: Notion
    within: tuple[str, str]
    parameters: tuple[str, ...] = ()
    released: tuple[str, ...] = ()
    fresh: count[int] = field(factory=count)

    def name(self, stem: str) -> str:
        return f"{stem}{next(self.fresh)}"

    def one(self, *options: str) -> str:
        return self.random.choice(options)

    def one_of(self, *makers: Callable[[], str]) -> str:
        return self.random.choice(makers)()

    def whether(self, chance: float) -> bool:
        return self.random.random() < chance

    def frame(self, rows: str = "★") -> str:
        columns = f"c : 𝐝 ℕ ∷ g : 𝔻 in {self.within[0]} ∷ h : 𝔻? in {self.within[1]} ∷ s : 𝕊 ∷ []"
        return f"𝕄 [L∞, U | {rows}, {columns}]"

    # What is known of a row

    def spent(self) -> str:
        if self.parameters and self.whether(0.6):
            number = self.one(*self.parameters)
            return self.one(number, number, f"{number} / 2", f"2.0 ⋅ {number}")
        return self.one("1.0", "0.5", "0.25")

    def public(self) -> str:
        return self.one(*(self.released or ("1.0",)), "0.5", "-1.0", "2.0")

    def test(self, row: str, depth: int = 1) -> str:
        if depth and self.whether(0.15):
            return f"({self.test(row, depth - 1)} {self.one('∧', '∨')} {self.test(row, depth - 1)})"
        return self.one(
            f"{row}.g < 1.0",
            f"{row}.c ≡ {self.one('0', '1', '3')}",
            f"is-missing {row}.h",
            f'{row}.s ≡ "a"',
            f"({row}.h or-else {row}.g) ≤ 2.0",
            f"{row}.c < 2",
            f"conv {row}.g ≤ 1.0",
        )

    def number(self, row: str, depth: int = 2) -> str:
        """A real number in a range."""
        if depth <= 0:
            return self.one(f"conv {row}.g", f"conv {row}.g", f"clip[0.0, 2.0] {row}.g")

        def sub() -> str:
            return self.number(row, depth - 1)

        v = self.name("v")
        return self.one_of(
            sub,
            lambda: f"conv ({row}.h or-else {self.one(f'{row}.g', '0.0', '2.0', '9.0')})",
            lambda: f"(if {self.test(row)} then {sub()} else {sub()})",
            lambda: f"(case {row}.h {{ some {v} ⇒ {self.one(f'conv {v}', f'clip[0.0, 1.0] {v}')} ; none ⇒ {sub()} }})",
            lambda: f"({sub()} {self.one(*'+-⊔⊓⋅')} {sub()})",
            lambda: f"(let {v} = {sub()} in {self.one(v, f'{v} + {v}', f'{v} ⋅ {v}')})",
            lambda: f"clip[-1.0, 4.0] ({row}.g + {row}.g)",
            lambda: f"({self.one('0.5', '-2.0')} ⋅ {sub()})",
            lambda: f"((sλ {v} ⇒ {self.one(v, f'{v} - {v}')}) ({sub()}))",
        )

    # What is known of a table

    def table(self, source: str, depth: int = 2) -> str:
        """A table with the same columns."""
        if depth <= 0 or self.whether(0.3):
            return source
        before, row, name = self.table(source, depth - 1), self.name("r"), self.name("t")
        made = [
            f"(mfilter {before} {{ {row} ⇒ {self.test(row)} }})",
            f"(mfilter {before} {{ {row} ⇒ {self.test(row)} }})",
            f"(distinct {before})",
            f"(let {name} = {before} in {name})",
            f"(bmap {before} {{ {row} ⇒ {row} }})",
        ]
        if self.released:
            made.append(f"(if {self.one(*self.released)} < 1.0 then {before} else {self.table(source, depth - 1)})")
        return self.one(*made)

    def statistic(self, source: str, depth: int = 2) -> str:
        """A real number about a table."""
        row, state, v = self.name("r"), self.name("s"), self.name("v")

        def table() -> str:
            return self.table(source, depth)

        options = [
            lambda: f"real (rows {table()})",
            lambda: (
                f"(mfold-row {self.one('0.0', '1.0')}, {table()} {{ {state}, {row} ⇒ {state} + {self.number(row)} }})"
            ),
            lambda: f"(mfold-row 0.0, {table()} {{ {state}, {row} ⇒ {self.number(row)} + {state} }})",
            lambda: f"(mfold-row 0.0, {table()} {{ {state}, {row} ⇒ {state} {self.one(*'⊔⊓')} {self.number(row)} }})",
            lambda: f"real (rows (distinct {table()}.[{self.one('c', 's', 'g', 'h', 'c, s')}]))",
            lambda: (
                f"(case mode {table()}.[c] {{ some {v} ⇒ if {v} ≡ 1 then {self.public()} else 0.0 ; none ⇒ {self.public()} }})"
            ),
            lambda: f"(case {self.one('first', 'last')} {table()} {{ some {v} ⇒ {self.number(v)} ; none ⇒ 0.5 }})",
            lambda: f"(if {self.one('1', '3')} ∈ elements {table()}.[c] then {self.public()} else 0.0)",
        ]
        if depth:
            options.append(
                lambda: f"({self.statistic(source, depth - 1)} {self.one(*'+-⊔')} {self.statistic(source, depth - 1)})"
            )
            options.append(
                lambda: f"(let {v} = {self.statistic(source, depth - 1)} in {self.one(v, f'{v} + {v}', f'0.5 ⋅ {v}')})"
            )
        return self.one_of(*options)

    def histogram(self, source: str) -> str:
        """Numbers of rows by bins, of which each has its rows for itself, or shares them."""
        i, j, row = self.name("i"), self.name("j"), self.name("r")
        norm = "L1" if self.notion is Notion.PURE else self.one("L1", "L2")
        key = self.one(*[f"{row}.c"] * 3, f"({row}.c % 3)", f"(if {self.test(row)} then {row}.c else disc 1)")
        column = self.one(
            j, j, f"(let z = {j} in z)", f"disc {j}", f"(let z = {j} ⊓ 1 in z)", f"(let {row} = {j} in {row})"
        )
        equal = self.one(f"{key} ≡ {column}", f"{column} ≡ {key}")
        test = self.one(
            *[equal] * 3,
            f"{equal} ∧ {self.test(row)}",
            f"{self.test(row)} ∧ {equal}",
            f"(let q = {equal} in q)",
            f"{key} ≤ {column}",
            f"{equal} ∨ {self.test(row)}",
            f"{key} ≡ ({column} % 2)",
            f"({j} ⊓ 1) ≡ {key}",
            f"{j} ≡ ({j} ⊓ 1)",
            f"{j} ≡ (let z = {j} ⊓ 1 in z)",
            f"{key} ≡ {i}",
            *[f"{equal} ∧ {self.one(f'{row}.c % 2', f'{row}.c + {j}', f'{j} ⊓ {row}.c')} ≡ {i}"] * 3,
        )
        table = self.table(source)
        kept = self.one(
            f"(mfilter {table} {{ {row} ⇒ {test} }})",
            f"(let w = {table} in mfilter w {{ {row} ⇒ {test} }})",
            f"(let {row} = {j} in mfilter {table} {{ {row} ⇒ {test} }})",
            f"(let {j} = {j} ⊓ 1 in mfilter {table} {{ {row} ⇒ {test} }})",
            f"(mfilter (mfilter {table} {{ {row} ⇒ {test} }}) {{ {row} ⇒ {self.test(row)} }})",
            f"(distinct (mfilter {table} {{ {row} ⇒ {test} }}))",
            f"(mfilter (mfilter {table} {{ {row} ⇒ {self.test(row)} }}) {{ {row} ⇒ {test} }})",
        )
        counted = f"real (rows {kept})"
        body = self.one(counted, counted, f"(let n = {counted} in n)", f"({counted} + {counted})", f"(2.0 ⋅ {counted})")
        sizes = self.one("1", "1", "2"), self.one("1", "2", "3", "4")
        return f"(mcreate[{norm} | ℕ[{sizes[0]}], ℕ[{sizes[1]}]] {{ {i}, {j} ⇒ {body} }})"

    # What is released

    def mechanism(self, chance: float = 0.75) -> tuple[bool, str]:
        """Whether noise is Gaussian, and how its parameters are written."""
        is_gaussian = self.notion is not Notion.PURE and self.whether(chance)
        return is_gaussian, SPENT.get(self.notion, "{}") if is_gaussian else "{}"

    def noise(self, source: str) -> str:
        is_gaussian, form = self.mechanism()
        params, scale = form.format(self.spent()), self.one(*["auto"] * 5, "64.0")
        word, x = "gauss" if is_gaussian else "laplace", self.name("x")
        choice = self.random.randrange(8)
        if choice < 3:
            return f"({x} ← m{word}[{scale}, {params}] {{ {self.histogram(source)} }} ; return 0.0)"
        if choice == 3:
            whole = self.one(f"rows {self.table(source)}", f"rows (distinct {self.table(source)}.[c])")
            is_whole_gaussian = is_gaussian and self.notion is not Notion.GDP
            word, params = ("dgauss", params) if is_whole_gaussian else ("dlaplace", self.spent())
            return f"{word}[{scale}, {params}] {{ {whole} }}"
        if choice == 4:
            form, c = self.one("exponential", "noisy-max"), self.name("c")
            row = "(mcreate[L∞ | ℕ[1], ℕ[3]] { i, j ⇒ real j })"
            score = f"{self.statistic(source)} ⊔ {c}"
            return f"({x} ← {form}[auto, {self.spent()}] {row} {{ {c} ⇒ {score} }} ; return 0.0)"
        return f"{word}[{scale}, {params}] {{ {self.statistic(source)} }}"

    def carried(self, function: str, depth: int = 2) -> str:
        """A function that is handed on."""
        if depth <= 0:
            return function
        f, sub = self.name("f"), self.carried(function, depth - 1)
        made = [
            f"(let {f} = {sub} in {f})",
            f"(fst ⟨{sub}, 1.0⟩)",
            f"(snd ⟨1.0 & {sub}⟩)",
            f"(unbox (box {sub}))",
            f"((sλ {f} ⇒ {f}) {sub})",
            f"(loop ℕ[2] on {sub} {{ i, {f} ⇒ {f} }})",
            f"((sλ τ : ☆K . y : τ ⇒ y) {sub})",
            f"(case inl[ℝ] 0.0 {{ inl y ⇒ {sub} ; inr y ⇒ {sub} }})",
            f"(let ⟨{f}, y⟩ = ⟨{sub}, 1.0⟩ in {f})",
            f"((mcreate[L∞ | ℕ[1], ℕ[2]] {{ i, j ⇒ {sub} }})#[0, 1])",
        ]
        if self.released:
            made.append(f"(if {self.one(*self.released)} < 1.0 then {sub} else {sub})")
        return self.one(sub, *made)

    def called(self, function: str, call: Callable[[str], str]) -> str:
        f = self.name("f")
        calls = call(f) if self.whether(0.6) else f"{self.name('u')} ← {call(f)} ; {call(f)}"
        return f"(let {f} = {self.carried(function)} in {calls})"

    def of_a_column(self, source: str) -> str:
        """Calls of a function that names parameters in the range of its column, which the calls give or leave out."""
        p, low, size = self.name("p"), self.name("lo"), self.name("w")
        is_gaussian, form = self.mechanism()
        cell, given = "r#[0, 0]", ""
        match self.random.randrange(3):
            case 0:
                within, params, left_out = f"[{low}, {low} + {size}]", f"{low} : ℝ, static {size} : ℝ⁺", "0.5, 2.0"
                term = f"clip[0.0, {size}] ({cell} - disc {low})"
            case 1:
                number = self.name("k")
                within = f"[{low}, {low} + {number} ⋅ {size}]"
                params, left_out, given = f"{low} : ℝ, {size} : ℝ, static {number} : ℕ", "0.5, 2.0", ", 3"
                term = f"clip[0.0, real {number}] ({cell} - disc {low} + disc {size})"
            case _:
                within, params, left_out = f"[-{size}, {size}]", f"static {size} : ℝ⁺", "2.0"
                term = f"clip[0.0, {size}] {cell}"
        more = self.whether(0.3)
        word = "gauss" if is_gaussian else "laplace"
        noise = f"{word}[auto, {form.format('0.5')}] <{p}> {{ mfold-row 0.0, {p} {{ s, r ⇒ s + {term} }} }}"
        function = f"(pλ {p} : bag 𝔻 in {within}, {params}{', z : ℝ' if more else ''} ⇒ {noise})"

        def call(f: str) -> str:
            column = f"{self.table(source)}.[{self.one(*'ggggggggch')}]"
            ends = "" if self.whether(0.7) else f", {left_out}"
            return f"{f}@[ . {column}{ends}{given}{', 0.0' if more else ''}]"

        return self.called(function, call)

    def of_kinds(self, source: str, rows: str) -> str:
        """Calls of a function of sizes and of what it spends."""
        is_gaussian, form = self.mechanism()
        word, params = "gauss" if is_gaussian else "laplace", form.format("e")
        norm = "L2" if is_gaussian else "L1"
        equal = self.one("r.c ≡ j", "r.c ≡ j", "r.c ≤ j", "r.c ≡ (j % 2)")
        counts = f"mcreate[{norm} | ℕ[1], n] {{ i, j ⇒ real (rows (mfilter u {{ r ⇒ {equal} }})) }}"
        copies = f"mcreate[{norm} | n, ℕ[2]] {{ i, j ⇒ {self.statistic('u', 1)} }}"
        keys = f"℘{{r.c, {self.one('disc 0', 'disc 1')}}}"
        body = self.one(
            f"(x ← m{word}[auto, {params}] {{ {counts} }} ; return 0.0)",
            f"(x ← m{word}[auto, {params}] {{ {copies} }} ; return 0.0)",
            f"{word}[auto, {params}] {{ mfold-row 0.0, u {{ s, r ⇒ s + clip[0.0, real n] r.g }} }}",
            f"loop n on 0.0 {{ i, z ⇒ {word}[auto, {params}] {{ {self.statistic('u', 1)} }} }}",
            f"(x ← parallel[n, u, ℘{{0, 1, 3}}] {{ r ⇒ {keys} }} {{ k, t ⇒ {word}[auto, {params}] {{ "
            f"{self.statistic('t', 1)} }} }} ; return 0.0)",
        )
        is_sized = rows in ("3", "m") and self.whether(0.6)
        kinds = "m : ℕ, n : ℕ, e : ℝ⁺" if is_sized else "n : ℕ, e : ℝ⁺"
        function = f"(pλ {kinds} . u : {self.frame('m' if is_sized else '★')}, n : ℕ[n], e : ℝ⁺[e] ⇒ {body})"

        def call(f: str) -> str:
            table = source if is_sized else self.table(source)
            return f"{f}@[ . {table}, {self.one('1', '2', '3')}, {self.spent()}]"

        return self.called(function, call)

    def private(self, source: str, rows: str, depth: int = 3) -> str:
        """A privacy expression that releases a number."""
        choice = self.random.randrange(15)
        if depth <= 0 or choice < 3:
            return self.noise(source)

        def sub() -> str:
            return self.private(source, rows, depth - 1)

        def after(name: str) -> str:
            return evolve(self, released=(*self.released, name)).private(source, rows, depth - 1)

        match choice:
            case 3 | 4 | 5:
                u = self.name("u")
                return f"({u} ← {sub()} ; {after(u)})"
            case 6 if self.released:
                return f"(if {self.one(*self.released)} < 1.0 then {{ {sub()} }} else {{ {sub()} }})"
            case 7:
                i, z = self.name("i"), self.name("z")
                return f"(loop ℕ[{self.one('1', '2', '3')}] on 0.0 {{ {i}, {z} ⇒ {after(z)} }})"
            case 8:
                row, key, part, x = (self.name(stem) for stem in ("r", "k", "p", "x"))
                most = self.one("", "", "1, ", "2, ", "3, ")
                of_row = f"℘{{{row}.c, {self.one('disc 0', 'disc 1', f'{row}.c')}}}" if most else f"{row}.c"
                parts = f"parallel[{most}{self.table(source)}, ℘{{0, 1, 3}}] {{ {row} ⇒ {of_row} }}"
                return f"({x} ← {parts} {{ {key}, {part} ⇒ {self.private(part, '★', depth - 1)} }} ; return 0.0)"
            case 9 | 10:
                return self.of_a_column(source)
            case 11 | 12:
                return self.of_kinds(source, rows)
            case 13:
                name = self.name("t")
                return f"(let {name} = {self.table(source)} in {self.private(name, '?', depth - 1)})"
            case 14 if self.notion is Notion.ZCDP:
                return f"EPSDP {{ {evolve(self, notion=Notion.PURE).private(source, rows, depth - 1)} }}"
            case _:
                return sub()


def text_as_written(seed: int, notion: Notion, *, has_parameters: bool = False, depth: int = 3) -> str:
    """A privacy function of a table of so many rows, or of any number, and of two static numbers where it has some."""
    source = random.Random(f"written {seed}")
    writer = Writer(source, notion, (source.choice(RANGES), source.choice(RANGES)), PARAMETERS * has_parameters)
    rows = source.choice(("★", "★", "★", "m", "3"))
    body = writer.private("xs", rows, depth)
    kinds = [*(["m : ℕ"] if rows == "m" else []), *(f"{name} : ℝ⁺" for name in writer.parameters)]
    params = [f"xs : {writer.frame(rows)}", *(f"{name} : ℝ⁺[{name}]" for name in writer.parameters)]
    return f"pλ {', '.join(kinds)} . {', '.join(params)} ⇒ {body}".replace("pλ  .", "pλ .")


def random_histogram(seed: int, notion: Notion) -> ast.File:
    """Noise on numbers of rows by bins, and on nothing else."""
    source = random.Random(f"histogram {seed}")
    writer = Writer(source, notion, (source.choice(RANGES), source.choice(RANGES)))
    rows = source.choice(("★", "★", "3"))
    noise = "mlaplace[auto, 1.0]" if notion is Notion.PURE else "mgauss[auto, 1.0]"
    text = f"pλ . xs : {writer.frame(rows)} ⇒ x ← {noise} {{ {writer.histogram('xs')} }} ; return 0.0"
    return parsed(text)


def parsed(text: str) -> ast.File:
    file, problems = parse_file(Source("written.duet", text))
    assert not problems, (text, [problem.message for problem in problems])
    return file


def random_program_as_written(seed: int, notion: Notion, *, has_parameters: bool = False, depth: int = 3) -> ast.File:
    """The program of a seed."""
    return parsed(text_as_written(seed, notion, has_parameters=has_parameters, depth=depth))
