"""Random privacy programs in every notion whose releases have few outcomes, so that their laws on two neighbours can be computed.

A program releases by every mechanism: of rows, of persons and of those on a roster, of tables that are aligned or not, and of
numbers; in parts, samples, shuffles, loops, calls, choices by what was released, and blocks in another notion. All that it
releases is part of its result, so that nothing that tells neighbours apart is lost.

Programs are texts.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import count

from attrs import define, evolve, field, frozen

from duetpy.typecheck.notions import Notion

COLUMNS = ("c : 𝐝 ℕ", "g : 𝔻 in [0, 2]")
FRAME = f"𝕄 [L∞, U | {{}}, {' ∷ '.join((*COLUMNS, '[]'))}]"
OF_PERSONS = f"persons[id : 𝕊{{}} | v : 𝔻𝔽[{', '.join(COLUMNS)}]]"
KEYS = "℘{0, 1, 3}"
FORMS = {Notion.APPROX: "{}, 0.02", Notion.RENYI: "4, {}", Notion.TCDP: "{}, 20"}
"""The parameters of Gaussian noise, and of what is trusted, where they are not one number."""
BLOCKS = {
    Notion.APPROX: ("ZCDP[0.02]", "RENYI[0.02]", "GDP[0.02]", "TCDP[0.02]", "EPSDP"),
    Notion.ZCDP: ("EPSDP", "GDP"),
    Notion.RENYI: ("EPSDP", "GDP", "ZCDP"),
    Notion.TCDP: ("EPSDP", "GDP", "ZCDP"),
    Notion.GDP: ("EPSDP",),
    Notion.PURE: (),
}
"""The blocks that convert to a notion."""
INNER = {"ZCDP": Notion.ZCDP, "RENYI": Notion.RENYI, "GDP": Notion.GDP, "TCDP": Notion.TCDP, "EPSDP": Notion.PURE}


@frozen
class Known:
    """A table that a program knows.

    Parameters
    ----------
    name
        What it is called, or how it is written.
    type
        How its type is written; None where no program can write it.
    rows
        How many rows it has, or at least, where that is a variable; None if one is added or removed.
    is_of_persons
        Whether a row of it is a person.
    """

    name: str
    type: str | None
    rows: int | None = None
    is_of_persons: bool = False


@define(eq=False)
class Maker:
    """Makes privacy expressions.

    Parameters
    ----------
    random
        The source of choices.
    notion
        What mechanisms are priced in.
    others
        Other tables, with as many rows.
    is_aligned
        Whether the rows of all tables belong together.
    parameters
        The static numbers of the program.
    released
        The numbers that were released.
    """

    random: random.Random
    notion: Notion
    others: tuple[Known, ...] = ()
    is_aligned: bool = False
    parameters: tuple[str, ...] = ()
    released: tuple[str, ...] = ()
    fresh: count[int] = field(factory=count)

    def name(self, stem: str) -> str:
        return f"{stem}{next(self.fresh)}"

    def one(self, *options: str) -> str:
        return self.random.choice(options)

    def whether(self, chance: float) -> bool:
        return self.random.random() < chance

    # What is known of a row, and of a table

    all_columns = "c, g"

    def frame(self, rows: object) -> str:
        """How the type of a table with so many rows is written."""
        return FRAME.format(rows)

    def key(self, row: str, table: Known) -> str:
        if table.is_of_persons:
            return f"((mode {row}.v.[c]) or-else 0)"
        return f"{row}.c"

    def test(self, row: str, table: Known) -> str:
        if table.is_of_persons:
            of_one = self.one(f"0 < rows {row}.v", f"rows {row}.v < 2", f"1 ∈ elements {row}.v.[c]")
            return self.one(of_one, f"{self.key(row, table)} ≡ {self.one('0', '1')}")
        return self.one(f"{row}.c ≡ {self.one('0', '1')}", f"{row}.g < 1.0", f"{row}.c < 1 ∨ 1.0 < {row}.g", "true")

    def number(self, row: str, table: Known) -> str:
        """A real number in a range."""
        if table.is_of_persons:
            made = f"clip[0.0, 2.0] (mfold-row 0.0, {row}.v {{ t, w ⇒ t + conv w.g }})"
            return self.one(made, f"clip[0.0, 2.0] (disc (real (rows {row}.v)))")
        return self.one(
            f"conv {row}.g",
            f"clip[0.0, 1.0] {row}.g",
            f"(if {self.test(row, table)} then 1.0 else {self.one('0.0', '-1.0')})",
            f"(conv {row}.g - 1.0)",
        )

    def view(self, table: Known) -> Known:
        """A table that is made of another one."""
        row, name = self.name("r"), table.name
        counted = self.frame("★")
        options = [table, table, table]
        filtered = f"(mfilter {name} {{ {row} ⇒ {self.test(row, table)} }})"
        if table.is_of_persons:
            k, kept = self.one("1", "2"), self.one("", f"mfilter {row}.v {{ w ⇒ w.c ≡ 1 }}")
            options += [Known(filtered, table.type if table.rows is None else None, None, True)]
            options += [
                Known(f"(flat[{k}] {name} {{ {row} ⇒ {kept or f'{row}.v'} }}).[{self.all_columns}]", counted)
            ] * 2
        else:
            options += [Known(made, counted) for made in (filtered, f"(distinct {name})")]
            if table.rows is not None:
                options.append(evolve(table, name=f"(mmap-row {name} {{ {row} ⇒ {row} }})"))
            else:
                options.append(Known(f"(bmap {name} {{ {row} ⇒ {row} }})", counted))
        if self.released and table.type is not None:
            guard = f"{self.random.choice(self.released)} < 1.0"
            other = self.random.choice(options)
            if (other.type, other.rows) == (table.type, table.rows):
                options.append(evolve(table, name=f"(if {guard} then {name} else {other.name})"))
        return self.random.choice(options)

    def seen(self, table: Known) -> Known:
        """A view of the table, or now and then of another one."""
        return self.view(self.random.choice(self.others) if self.others and self.whether(0.3) else table)

    def alone(self) -> Maker:
        """Whoever makes what sees nothing but what it is given: now and then it sees more, and protects nothing of that."""
        return self if self.whether(0.05) else evolve(self, released=(), others=())

    def count(self, table: Known) -> str:
        made, row = self.seen(table), self.name("r")
        return f"rows (mfilter {made.name} {{ {row} ⇒ {self.test(row, made)} }})"

    def statistic(self, table: Known) -> str:
        made, row, state = self.seen(table), self.name("r"), self.name("s")
        summed = f"(mfold-row 0.0, {made.name} {{ {state}, {row} ⇒ {state} + {self.number(row, made)} }})"
        least = f"(mfold-row 0.0, {made.name} {{ {state}, {row} ⇒ {state} ⊔ {self.number(row, made)} }})"
        counted = f"real ({self.count(table)})"
        difference = f"(real ({self.count(table)}) - real ({self.count(table)}))"
        return self.one(summed, summed, counted, counted, least, difference, f"(2.0 ⋅ {counted})")

    # What is released

    def spent(self) -> str:
        return self.one("0.5", "1.0", "2.0", *self.parameters * 2)

    def scale(self) -> str:
        return self.one(*["auto"] * 5, "16.0")

    def response(self, table: Known) -> str:
        k = self.one("2", "3")
        test = f"{self.count(table)} < {self.one('1', '2')}"
        return f"rand-resp[ℕ[{k}], {self.spent()}] {{ if {test} then idx 0 else idx 1 }}"

    def leaf(self, table: Known) -> tuple[str, bool]:
        """A release, and whether it is a real number."""
        is_gaussian = self.notion is not Notion.PURE and self.whether(0.5)
        form = FORMS.get(self.notion, "{}") if is_gaussian else "{}"
        spent, c = form.format(self.spent()), self.name("c")
        candidates = "(mcreate[L∞ | ℕ[1], ℕ[3]] { i, j ⇒ real j })"
        score = f"if {c} < {self.one('1.0', '2.0')} then {self.statistic(table)} else {self.statistic(table)}"
        choice = self.random.randrange(20)
        if choice < 8:
            word = "gauss" if is_gaussian else "laplace"
            return f"{word}[{self.scale()}, {spent}] {{ {self.statistic(table)} }}", True
        if choice < 10:
            return self.response(table), False
        if choice < 12:
            word = self.one("exponential", "noisy-max")
            return f"{word}[{self.scale()}, {self.spent()}] {candidates} {{ {c} ⇒ {score} }}", False
        if choice == 12:
            return f"gibbs[{self.one('0.5', '0.25')}] {candidates} {{ {c} ⇒ {score} }}", False
        if choice < 15:
            whole = is_gaussian and self.notion is not Notion.GDP
            word, spent = ("dgauss", spent) if whole else ("dlaplace", self.spent())
            return f"{word}[{self.one('auto', 'auto', '4')}, {spent}] {{ {self.count(table)} }}", False
        if choice == 15 and self.notion is not Notion.GDP:
            delta = f", {self.one('0.02', '0.02', '0.0')}" if self.notion is Notion.APPROX else ""
            return f"canonical[{self.scale()}, {self.spent()}{delta}] {{ {self.statistic(table)} }}", True
        if choice == 16:
            form = FORMS.get(self.notion, "{}")
            u = self.name("u")
            made = f"given[{form.format(self.spent())}] <{u}> {{ {u} }}"
            return f"(let {u} = {self.statistic(table)} in {made})", True
        if choice == 17:
            power = "1" if self.notion is Notion.PURE else self.one("1", "2", "3")
            return f"ggauss[{self.scale()}, {power}, {self.one('1.0', '4.0')}] {{ {self.statistic(table)} }}", True
        if choice == 18 and self.notion is Notion.APPROX:
            form, row, made = self.one("keys", "key-counts", "key-gauss"), self.name("r"), self.view(table)
            two = f"℘{{{self.key(row, made)}, disc 1}}"
            k, keys = self.one(f"1 {self.key(row, made)}", f"2 {two}").split(" ", 1)
            return f"{form}[{k}, {self.spent()}, 0.02] {made.name} {{ {row} ⇒ {keys} }}", False
        return self.threshold(table), False

    def threshold(self, table: Known) -> str:
        made, z, r = self.view(table), self.name("z"), self.name("r")
        if made.type is None:
            return self.response(table)
        one_way = f"real (rows (mfilter {z} {{ {r} ⇒ {self.test(r, made)} }})) - real j"
        other = f"real (rows (mfilter {z} {{ {r} ⇒ {self.test(r, made)} }}))"
        both = f"(if real j < 1.0 then {other} else 0.0 - {other})"
        query = f"sλ {z} : {made.type} ⇒ {self.one(one_way, both)}"
        queries = f"mcreate[L1 | ℕ[1], ℕ[3]] {{ i, j ⇒ {query} }}"
        return f"AboveThreshold[{self.spent()}, {queries}, {self.one('0.0', '1.0')}] {{ {made.name} }}"

    def real(self, table: Known) -> str:
        """A release of one real number."""
        for _ in range(20):
            made, is_real = self.leaf(table)
            if is_real:
                return made
        return f"laplace[auto, 1.0] {{ {self.statistic(table)} }}"

    # How releases are put together

    def of(self, table: Known, depth: int) -> str:
        if depth <= 0:
            return self.leaf(table)[0]
        options: list[Callable[[Known, int], str | None]] = [
            *(lambda table, depth: self.leaf(table)[0],) * 2,
            *(self.pair,) * 4,
            *(self.loop, self.called, self.called, self.parallel, self.parallel, self.drawn, self.drawn, self.drawn),
            *(self.shuffled, self.block, self.block, self.chosen, self.chosen, self.named, self.each, self.passed),
            *((self.drawn_together, self.drawn_together, self.folded, self.folded) if self.others else ()),
        ]
        for _ in range(6):
            made = self.random.choice(options)(table, depth)
            if made is not None:
                return made
        return self.leaf(table)[0]

    def pair(self, table: Known, depth: int) -> str:
        x, y = self.name("x"), self.name("y")
        if self.whether(0.5):
            first, rest = self.real(table), evolve(self, released=(*self.released, x))
        else:
            first, rest = self.of(table, depth - 1), self
        return f"({x} ← {first} ; {y} ← {rest.of(table, depth - 1)} ; return ⟨{x}, {y}⟩)"

    def chosen(self, table: Known, depth: int) -> str:
        """A choice by what was released."""
        x, y = self.name("x"), self.name("y")
        inner = evolve(self, released=(*self.released, x))
        branches = [inner.real(table) if self.whether(0.8) else "return 0.0" for _ in range(2)]
        made = f"if {x} < 1.0 then {{ {branches[0]} }} else {{ {branches[1]} }}"
        return f"({x} ← {self.real(table)} ; {y} ← ({made}) ; return ⟨{x}, {y}⟩)"

    def loop(self, table: Known, depth: int) -> str:
        i, z, x = self.name("i"), self.name("z"), self.name("x")
        inner = evolve(self, released=(*self.released, z))
        word = "aloop[0.02]" if self.notion is Notion.APPROX and self.whether(0.4) else "loop"
        body = f"{x} ← {inner.real(table)} ; return 1009.0 ⋅ {z} + {x}"
        return f"({word} ℕ[2] on 0.0 {{ {i}, {z} ⇒ {body} }})"

    def called(self, table: Known, depth: int) -> str | None:
        """A call: of a function that is bound before, written here, or handed to another one."""
        made, t, f, g = self.view(table), self.name("t"), self.name("f"), self.name("g")
        if made.type is None:
            return None
        function = f"(pλ . {t} : {made.type} ⇒ {self.alone().of(evolve(made, name=t), depth - 1)})"
        match self.random.randrange(4):
            case 0:
                return f"{function}@[ . {made.name}]"
            case 1:
                other = self.view(table)
                again = other if (other.type, other.rows) == (made.type, made.rows) else made
                x, y = self.name("x"), self.name("y")
                calls = f"{x} ← {f}@[ . {made.name}] ; {y} ← {f}@[ . {again.name}] ; return ⟨{x}, {y}⟩"
                return f"(let {f} = {function} in {calls})"
            case 2:
                u = self.name("u")
                given = f"(pλ . {t} : {made.type}, {u} : {made.type} ⇒ {self.two(made, t, u)})"
                return f"{given}@[ . {made.name}, {made.name}]"
            case _:
                return f"(let {f} = {function} in let {g} = fst ⟨{f}, 1.0⟩ in {g}@[ . {made.name}])"

    def two(self, made: Known, *names: str) -> str:
        """A release about two tables."""
        alone = evolve(self, released=(), others=())
        counts = [alone.statistic(evolve(made, name=name)) for name in names]
        return f"laplace[auto, {self.spent()}] {{ {counts[0]} + {counts[1]} }}"

    def parallel(self, table: Known, depth: int) -> str | None:
        made, r, k, t, x = self.view(table), *map(self.name, "rktx")
        inner = self.alone()
        part = evolve(made, name=t, rows=None, type=self.frame("★") if not made.is_of_persons else None)
        body = inner.of(part, depth - 1) if self.whether(0.4) else inner.leaf(part)[0]
        if self.whether(0.3):
            body = f"if {k} < 1 then {{ {inner.real(part)} }} else {{ {inner.real(part)} }}"
        several = self.one("", "", "1, ", "2, ")
        of_row = f"elements {r}.v.[c]" if made.is_of_persons else f"℘{{{r}.c, {self.one('disc 0', 'disc 1')}}}"
        keys = of_row if several else self.key(r, made)
        each = f"{x} ← ({body}) ; return ⟨{k}, {x}⟩"
        return f"parallel[{several}{made.name}, {KEYS}] {{ {r} ⇒ {keys} }} {{ {k}, {t} ⇒ {each} }}"

    def drawn(self, table: Known, depth: int) -> str | None:
        """A sample: of so many rows, or by coins."""
        made, s = self.view(table), self.name("s")
        inner = self if self.whether(0.2) else evolve(self, others=())
        if made.rows is None:
            part = evolve(made, name=s)
            body = inner.of(part, depth - 1)
            return f"poisson[{self.one('0.5', '0.25', '1.0')}] {made.name} {{ {s} ⇒ {body} }}"
        size = self.random.randint(1, made.rows)
        part = Known(s, None if made.is_of_persons else self.frame(size), size, made.is_of_persons)
        return f"sample[ℕ[{size}]] {made.name} {{ {s} ⇒ {inner.of(part, depth - 1)} }}"

    def drawn_together(self, table: Known, depth: int) -> str | None:
        """A sample of two tables: of so many rows, by coins, or all of them in a random order."""
        other = self.others[0]
        if table.rows != other.rows or table.is_of_persons:
            return None
        s, t = self.name("s"), self.name("t")
        given = f"{table.name}, {other.name}"
        if table.rows is None:
            parts = [evolve(each, name=name) for each, name in ((table, s), (other, t))]
            inner = evolve(self, others=(parts[1],))
            rate = self.one("0.5", "0.25", "1.0")
            return f"poisson[{rate}] {given} {{ {s}, {t} ⇒ {inner.of(parts[0], depth - 1)} }}"
        if self.whether(0.3):
            test = self.one(f"{s}.c ≡ {t}.c", f"{s}.c ≡ 1", f"{t}.g < 1.0")
            k = self.one("2", "3")
            report = f"rand-resp[ℕ[{k}], {self.spent()}] {{ if {test} then idx 0 else idx 1 }}"
            return f"shuffle[rows {table.name}] {given} {{ {s}, {t} ⇒ {report} }}"
        size = self.random.randint(1, table.rows)
        parts = [Known(name, self.frame(size), size) for name in (s, t)]
        inner = evolve(self, others=(parts[1],))
        return f"sample[ℕ[{size}]] {given} {{ {s}, {t} ⇒ {inner.of(parts[0], depth - 1)} }}"

    def folded(self, table: Known, depth: int) -> str | None:
        """A fold over batches of two tables."""
        other = self.others[0]
        if table.rows is None or table.rows != other.rows or table.is_of_persons:
            return None
        s, t, z, x = map(self.name, "stzx")
        size = self.random.choice([size for size in (1, 2, 3) if table.rows % size == 0])
        parts = [Known(name, self.frame(size), size) for name in (s, t)]
        inner = evolve(self, others=(parts[1],), released=(z,))
        params = f"{s} : {parts[0].type}, {t} : {parts[1].type}"
        if self.is_aligned or self.whether(0.2):
            params = f"⟨{params}⟩"
        body = f"{x} ← {inner.real(parts[0])} ; return 1009.0 ⋅ {z} + {x}"
        return f"pfld-rows[ℕ[{size}], 0.0, {table.name}, {other.name}, (pλ . {params}, {z} : ℝ ⇒ {body})]"

    def passed(self, table: Known, depth: int) -> str | None:
        """A function that is handed to another one, under a type that says what it may cost."""
        made, f, t, x, y = self.view(table), *map(self.name, "ftxy")
        if made.type is None:
            return None
        word = "laplace" if self.notion is Notion.PURE else "gauss"
        most, least = self.one("1.0 2.0", "1.0 1.0", "2.0 1.0").split()
        form = FORMS.get(self.notion, "{}")
        stated = f"⟨{form.format(least)}⟩" if self.notion in FORMS else least
        release = f"{word}[auto, {form.format(most)}] {{ {evolve(self, released=(), others=()).statistic(evolve(made, name=t))} }}"
        uses = f"{x} ← {f}@[ . {t}] ; {y} ← {f}@[ . {t}] ; return ⟨{x}, {y}⟩"
        taker = f"(sλ {f} : (∀ . {made.type}@{stated} ⊸⋆ ℝ) ⇒ pλ . {t} : {made.type} ⇒ {uses})"
        return f"({taker} (pλ . {t} : {made.type} ⇒ {release}))@[ . {made.name}]"

    def shuffled(self, table: Known, depth: int) -> str | None:
        if table.rows is None or table.is_of_persons:
            return None
        row = self.name("r")
        k, test = self.one("2", "3"), self.one(f"{row}.c ≡ 1", f"{row}.g < 1.0")
        body = f"rand-resp[ℕ[{k}], {self.spent()}] {{ if {test} then idx 0 else idx 1 }}"
        return f"shuffle[rows {table.name}] {table.name} {{ {row} ⇒ {body} }}"

    def block(self, table: Known, depth: int) -> str | None:
        """A block in another notion."""
        blocks = BLOCKS[self.notion]
        if not blocks:
            return None
        word = self.one(*blocks)
        inner = evolve(self, notion=INNER[word.partition("[")[0]])
        return f"{word} {{ {inner.of(table, depth - 1)} }}"

    def named(self, table: Known, depth: int) -> str:
        made, v = self.view(table), self.name("v")
        return f"(let {v} = {made.name} in {self.of(evolve(made, name=v), depth - 1)})"

    def each(self, table: Known, depth: int) -> str | None:
        """A release of each cell, or each column."""
        if table.rows is None or table.is_of_persons:
            return None
        e, form = self.name("e"), self.one("mmapp", "pmap-col")
        number = f"clip[0.0, 1.0] {e}"
        if form == "pmap-col":
            number = f"(mfold-row 0.0, {e} {{ s, r ⇒ s + clip[0.0, 1.0] r#[0, 0] }})"
        return f"{form} ({table.name}.[g]) {{ {e} ⇒ laplace[auto, {self.spent()}] {{ {number} }} }}"


def random_program_with_a_law(seed: int, notion: Notion, *, parameters: tuple[str, ...] = ()) -> str:
    """A program of one table or two, and of the static numbers that are named."""
    source = random.Random(f"law {seed}")
    maker, depth = Maker(source, notion, parameters=parameters), source.choice((1, 2, 2, 3))
    rows, of = source.choice((1, 2, 2, 3)), OF_PERSONS.format("")
    kinds, sized = [f"{name} : ℝ⁺" for name in parameters], FRAME.format(rows)
    if source.random() < 0.3:
        kinds, sized, rows = [*kinds, "m : ℕ"], FRAME.format("m"), 1
    match source.randrange(12):
        case 0 | 1 | 2:
            table = Known("xs", FRAME.format("★"))
        case 3 | 4:
            table = Known("xs", sized, rows)
        case 5 | 6:
            table = Known("xs", of, None, True)
        case 7:
            table, of = Known("xs", None, 2, True), f"{OF_PERSONS.format(' in roster')}"
        case 8 | 9:
            table, maker.is_aligned = Known("xs", FRAME.format("★")), True
        case choice:
            table, maker.is_aligned = Known("xs", sized, rows), choice == 10
    tables = f"xs : {table.type or of}"
    if table.type is None:
        tables = f"roster : ℘(𝕊), {tables}"
    elif maker.is_aligned or (table.rows is not None and source.random() < 0.4):
        maker.others = (evolve(table, name="ys"),)
        tables = f"{tables}, ys : {table.type}"
        tables = f"⟨{tables}⟩" if maker.is_aligned else tables
    given = "".join(f", {name} : ℝ⁺[{name}]" for name in parameters)
    if "| m, " not in tables:
        kinds = kinds[: len(parameters)]
    return f"pλ {', '.join(kinds)} . {tables}{given} ⇒ {maker.of(table, depth)}"
