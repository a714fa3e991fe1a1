"""Random privacy programs that call the same functions again and again, over other bounds, other tables and other released numbers.

Each is written in two ways that mean the same: once with functions, and once with what they compute in the place of every call.
An evaluator that remembers something of one call, and gives it to another, tells the two apart.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import TypeAlias

from attrs import Factory, define, frozen

CELLS = "a : 𝔻{0} ∷ b : 𝔻{0}"
BOUNDS = ("1.0", "2.5", "4.0", "0.25", "100.0")
PRICES = ("1.0", "0.5", "2.0")
KEYS = ("p", "q", "s")

SUMS = (
    "mfold-row 0.0, (mconv (mclip[L2, {b}] {t})) {{ s, r ⇒ s + r#[0, 0] }}",
    "mfold-row 0.0, (mconv (mclip[L1, {b}] {t})) {{ s, r ⇒ s + r#[0, 1] }}",
    "mfold-row 0.0, (mconv (mclip[L∞, {b}] {t})) {{ s, r ⇒ s + r#[0, 0] }}",
    "mfold-row 0.0, (mconv (mclip[L2, {b}] {t}.[b])) {{ s, r ⇒ s + r#[0, 0] }}",
    "mfold-row 0.0, (mconv (mclip[L2, {b}] (mclip[L1, 2.0] {t}))) {{ s, r ⇒ s + r#[0, 0] }}",
    "mfold-row 0.0, (mconv (mclip[L2, 2.0] (mmap {t} {{ x ⇒ x / disc {b} }}))) {{ s, r ⇒ s + r#[0, 0] }}",
    "mfold-row 0.0, (mmap-row {t} {{ r ⇒ clip[0.0, {b}] r.a }}) {{ s, r ⇒ s + r#[0, 0] }}",
    "mfold-row 0.0, {t} {{ s, r ⇒ s + clip[0.0, {b}] r.b }}",
    "mfold-row 0.0, {t} {{ s, r ⇒ s + clip (sign (r.a - disc {b})) }}",
    "mfold-row 0.0, {t} {{ s, r ⇒ s + clip[0.0, {b}] (if r.a < disc {b} then r.b else disc 0.5) }}",
    "mfold-row 0.0, {t} {{ s, r ⇒ s ⊔ clip[0.0, {b}] r.a }}",
    "real (rows (mfilter {t} {{ r ⇒ r.a < disc {b} }}))",
    "(mfold-row (mcreate[L1 | ℕ[1], ℕ[2]] {{ i, j ⇒ 0.0 }}), (mconv (mclip[L1, {b}] {t})) "
    "{{ s, r ⇒ mmap s, r {{ x, y ⇒ x + y }} }})#[0, 1]",
    "(mfold-row (mcreate[L1 | ℕ[1], ℕ[2]] {{ i, j ⇒ 0.0 }}), {t} "
    "{{ s, r ⇒ let each = mconv (mclip[L1, {b}] r) in mmap s, each {{ x, y ⇒ x + y }} }})#[0, 1]",
    "clip[0.0, {b}] (case first {t} {{ some r ⇒ r.a ; none ⇒ disc 0.0 }})",
)
OF_NUMBERED = (
    *SUMS,
    "clip[0.0, {b}] (mfold-row (disc 0.0), {t} {{ s, r ⇒ s ⋅ disc 0.5 + r.a }})",
    "(∇[LR | mcreate[L∞ | ℕ[1], ℕ[1]] {{ i, j ⇒ {b} }} ; mclip[L2, {b}] {t}.[a], {t}.[b]])#[0, 0]",
    "mfold-row 0.0, (mconv (mclip[L2, {b}] (row∇[LR | mcreate[L∞ | ℕ[1], ℕ[1]] {{ i, j ⇒ {b} }} ; {t}.[a], {t}.[b]]))) "
    "{{ s, r ⇒ s + r#[0, 0] }}",
)
"""What is computed from a table t with a bound b."""

TABLES = (
    "mfilter {t} {{ r ⇒ r.a < disc {b} }}",
    "mmap-row {t} {{ r ⇒ {{ a = r.a / disc {b}, b = r.b }} }}",
    "mclip[L2, {b}] {t}",
    "mclip[L∞, {b}] {t}",
    "mmap-row {t} {{ r ⇒ {{ a = disc (clip[0.0, {b}] r.b), b = r.a }} }}",
)
"""What is made of a table t with a bound b."""


@frozen
class Twice:
    """A text in both ways: with calls, and with what the calls stand for; of a program, the number of rows if it is stated."""

    called: str
    inlined: str
    rows: int | None = None


Call: TypeAlias = Callable[[Twice, Twice], Twice]
"""A call of a function with a table and a bound."""


def same(text: str) -> Twice:
    return Twice(text, text)


def put(pattern: str, **parts: Twice) -> Twice:
    """A pattern with texts in the place of names."""
    return Twice(
        pattern.format(**{name: part.called for name, part in parts.items()}),
        pattern.format(**{name: part.inlined for name, part in parts.items()}),
    )


@define(eq=False)
class Repeating:
    """Writes one program.

    Parameters
    ----------
    random
        The source of choices.
    rows
        How many rows the tables have, as it is written.
    """

    random: random.Random
    rows: str
    definitions: list[str] = Factory(list)
    sums: list[Call] = Factory(list)
    tables: list[Call] = Factory(list)
    mechanisms: list[Call] = Factory(list)
    names: int = 0
    is_in_part: bool = False

    @property
    def type(self) -> str:
        return f"𝕄 [L∞, U | {self.rows}, {CELLS.format('')} ∷ []]"

    def name(self, stem: str) -> str:
        self.names += 1
        return f"{stem}{self.names}"

    def some(self, texts: Sequence[str]) -> Twice:
        return same(self.random.choice(texts))

    # Functions

    def define(self, pattern: str) -> Call:
        """A function of a table t and a bound b, which comes after the table, or alone before it. Its body names the bound, or the
        kind of the bound, whose number only the scope of the call knows."""
        name, kind = self.name("f"), self.name("k")
        bound = Twice(self.random.choice(("b", f"ℝ⁺[{kind}]")), "BOUND")
        return self.defined_as(name, kind, put(pattern, t=same("t"), b=bound))

    def defined_as(self, name: str, kind: str, body: Twice) -> Call:
        param = f"b : ℝ⁺[{kind}]"
        if self.random.random() < 0.4:
            self.definitions.append(f"let {name} = sλ {kind} : ℝ⁺ . {param} ⇒ sλ t : {self.type} ⇒ {body.called} in")
            call = "(({f} {b}) {t})"
        else:
            self.definitions.append(f"let {name} = sλ {kind} : ℝ⁺ . t : {self.type}, {param} ⇒ {body.called} in")
            call = "({f} {t} {b})"

        def called(table: Twice, given: Twice) -> Twice:
            inlined = f"(let t = {table.inlined} in {body.inlined.replace('BOUND', given.inlined)})"
            return Twice(put(call, f=same(name), t=table, b=given).called, inlined)

        return called

    def applying(self) -> Call:
        """What a function that is given to a function makes of each cell."""
        name, scaled, kind = self.name("g"), self.name("h"), self.name("k")
        of_each = "mmap-row {t} {{ r ⇒ {{ a = {a}, b = r.b }} }}"
        made = put(of_each, t=same("t"), a=Twice("h (r.a)", "r.a / disc BOUND"))
        self.definitions += [
            f"let {scaled} = sλ {kind} : ℝ⁺ . b : ℝ⁺[{kind}] ⇒ sλ x : 𝔻 ⇒ x / disc b in",
            f"let {name} = sλ t : {self.type}, h : 𝔻 ⊸[1] 𝔻 ⇒ {made.called} in",
        ]

        def called(table: Twice, given: Twice) -> Twice:
            inlined = f"(let t = {table.inlined} in {made.inlined.replace('BOUND', given.inlined)})"
            return Twice(f"({name} {table.called} ({scaled} {given.called}))", inlined)

        return called

    def releasing(self) -> Call:
        """A privacy function, which releases a sum with a bound."""
        name, kind = self.name("m"), self.name("k")
        body = put("laplace[auto, 1.0] {{ {x} }}", x=self.random.choice(self.sums)(same("t"), Twice("b", "BOUND")))
        self.definitions.append(f"let {name} = pλ {kind} : ℝ⁺ . t : {self.type}, b : ℝ⁺[{kind}] ⇒ {body.called} in")

        def called(table: Twice, given: Twice) -> Twice:
            inlined = f"let t = {table.inlined} in {body.inlined.replace('BOUND', given.inlined)}"
            return Twice(f"{name}@[ . {table.called}, {given.called}]", inlined)

        return called

    def defined(self) -> None:
        """Functions that a program may call, of which later ones call earlier ones."""
        is_numbered = self.rows != "★"
        self.sums += [self.define(pattern) for pattern in self.random.sample(OF_NUMBERED if is_numbered else SUMS, 2)]
        self.tables += [self.define(pattern) for pattern in self.random.sample(TABLES[is_numbered:], 2)]
        self.tables.append(self.applying())
        table, bound, twice = same("t"), Twice("b", "BOUND"), Twice("(2.0 ⋅ b)", "(2.0 ⋅ BOUND)")
        inner, outer, made = (self.random.choice(each) for each in (self.sums, self.sums, self.tables))
        both = self.random.choice(
            (
                put("{x} + {y}", x=inner(table, bound), y=outer(table, twice)),
                put("{x} + {y}", x=inner(table, twice), y=inner(made(table, bound), bound)),
                put(
                    "let w = {w} in {x} + {y}",
                    w=made(table, bound),
                    x=inner(same("w"), bound),
                    y=outer(same("w"), twice),
                ),
            )
        )
        self.sums.append(self.defined_as(self.name("f"), self.name("k"), both))
        self.mechanisms.append(self.releasing())

    # Expressions

    def table(self, seen: Sequence[str], depth: int = 2) -> Twice:
        if depth and self.random.random() < 0.5:
            return self.random.choice(self.tables)(self.table(seen, depth - 1), self.some(BOUNDS))
        return same(seen[-1]) if self.random.random() < 0.4 else self.some(seen)

    def number(self, seen: Sequence[str]) -> Twice:
        """Sums, of which each differs from the one before in the function, in its bound or in its table."""
        function, bound, table = self.random.choice(self.sums), self.some(BOUNDS), self.table(seen)
        total = function(table, bound)
        made = self.random.choice(self.tables)
        for _ in range(self.random.randrange(3)):
            match self.random.randrange(4):
                case 0:
                    function = self.random.choice(self.sums)
                case 1:
                    bound = self.some(BOUNDS)
                case 2:
                    table = self.table(seen)
                case _:
                    table = made(self.some(seen), self.some(BOUNDS))
            total = put("{x} + {y}", x=total, y=function(table, bound))
        return total

    # Releases

    def release(self, seen: Sequence[str]) -> Twice:
        price = self.some(PRICES)
        if self.random.random() < 0.3:
            table, other = self.table(seen), self.table(seen)
            called = self.random.choice(self.mechanisms)
            first = called(table, self.some(BOUNDS))
            second = called(self.random.choice((table, other)), self.some(BOUNDS))
            return put("{n} ← {x} ; {y}", n=same(self.name("w")), x=first, y=second)
        if self.random.random() < 0.15:
            word = self.some(("exponential", "noisy-max"))
            candidates = same("mcreate[L∞ | ℕ[1], ℕ[3]] { i, j ⇒ real j }")
            chosen = put("{w}[auto, {e}] {m} {{ c ⇒ {x} - c }}", w=word, e=price, m=candidates, x=self.number(seen))
            then = put("laplace[auto, {e}] {{ {x} }}", e=price, x=self.number(seen))
            return put("{n} ← {c} ; {then}", n=same(self.name("w")), c=chosen, then=then)
        return put("laplace[auto, {e}] {{ {x} }}", e=price, x=self.number(seen))

    def private(self, seen: Sequence[str], depth: int = 2) -> Twice:
        """Some releases, one after another, of which the last is a number."""
        choice = self.random.random()
        if not depth or choice < 0.25:
            return self.release(seen)
        if choice < 0.5:
            name = self.name("t")
            table = self.table(seen)
            return put("let {n} = {t} in {rest}", n=same(name), t=table, rest=self.private([*seen, name], depth))
        if choice < 0.6:
            name = self.name("x")
            rest = put("laplace[auto, {e}] {{ {n} + {x} }}", e=self.some(PRICES), n=same(name), x=self.number(seen))
            return put("let {n} = {x} in {rest}", n=same(name), x=self.number(seen), rest=rest)
        name = self.name("u")
        return put(
            "{n} ← {first} ; {rest}",
            n=same(name),
            first=self.several(seen, depth - 1),
            rest=self.private(self.also_of(name, seen), depth - 1),
        )

    def also_of(self, released: str, seen: Sequence[str]) -> list[str]:
        """Tables that depend on what was released."""
        return [*seen, f"(mmap-row {seen[-1]} {{ r ⇒ {{ a = r.a - disc {released}, b = r.b }} }})"]

    def several(self, seen: Sequence[str], depth: int) -> Twice:
        """A loop, a choice, parts by a key, or releases: a number in the end."""
        match self.random.randrange(6):
            case 0:
                state = self.name("z")
                body = self.private(self.also_of(state, seen), depth)
                return put("loop ℕ[3] on 0.0 {{ i, {z} ⇒ {body} }}", z=same(state), body=body)
            case 1:
                name = self.name("v")
                return put(
                    "{n} ← {first} ; if {n} < 0.0 then {{ {x} }} else {{ {y} }}",
                    n=same(name),
                    first=self.release(seen),
                    x=self.private(seen, depth),
                    y=self.private(seen, depth),
                )
            case 2 | 3 if self.rows == "★" and not self.is_in_part:
                part, one = self.name("p"), self.name("u")
                self.is_in_part = True
                body = self.private([f"{part}.[a, b]"], depth)
                self.is_in_part = False
                return put(
                    "{c} ← parallel[ks, ℘{{{keys}}}] {{ r ⇒ r.k }} {{ k, {p} ⇒ {u} ← {body} ; return ⟨k, {u}⟩ }} ; {rest}",
                    c=same(self.name("c")),
                    keys=same(", ".join(f'"{key}"' for key in KEYS)),
                    p=same(part),
                    u=same(one),
                    body=body,
                    rest=self.release(seen),
                )
            case _:
                return self.private(seen, depth)


def random_repeating_program(seed: int) -> Twice:
    """A program with functions, and the same one without."""
    source = random.Random(seed)
    here = Repeating(source, "★" if source.random() < 0.75 else "4")
    here.defined()
    body = here.private(["xs", "ys"], 3)
    cells = CELLS.format(" else 0")
    plain = f"𝕄 [L∞, U | {here.rows}, {cells} ∷ []]"
    keyed = f"𝕄 [L∞, U | {here.rows}, {cells} ∷ k : 𝐝 𝕊 ∷ []]"
    head = f"pλ xs : {plain}, ys : {plain}, ks : {keyed} ⇒\n"
    return Twice(
        head + "\n".join([*here.definitions, body.called]),
        head + body.inlined,
        None if here.rows == "★" else int(here.rows),
    )
