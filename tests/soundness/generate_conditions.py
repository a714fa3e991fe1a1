"""Random programs about side conditions: functions over kind variables that demand something of them, carried from where they are
made to where they are called in every way that a value can go, and called where data may choose.

Programs are texts. Most conditions hold for some sizes and fail for others, so that a condition that gets lost on its way lets
through programs that break it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from itertools import count

from attrs import field, frozen

DISCRETE = "𝔻"


def table(rows: str, bound: str = "U") -> str:
    return f"𝕄 [L∞, {bound} | {rows}, 1⋅𝔻]"


@frozen
class Family:
    """Functions of one type, as they are written.

    Parameters
    ----------
    name
        Tells it from the others.
    asked
        The type without conditions, which another function may ask for.
    result
        What a call gives.
    """

    name: str
    asked: str
    result: str


TABLES = Family("tables", f"(∀ m : ℕ . {table('m')} ⊸[1] 𝔻)", DISCRETE)
NUMBERS = Family("numbers", "(∀ η : ℝ⁺ . ℝ⁺[η] ⊸[0] 𝔻)", DISCRETE)
STEPS = Family(
    "steps",
    f"(∀ b : ℝ⁺, m : ℕ . {table('m', 'L2≤b')} ⊸[2⋅b/m] ({table('m')} ⊸[b/m] 𝕄 [L2, U | 1, 1⋅ℝ]))",
    "𝕄 [L2, U | 1, 1⋅ℝ]",
)
HELD = Family("held", f"(∀ m : ℕ, k : ℕ . {table('m')} ⊸[1] (ℕ[k] ⊸[0] 𝔻))", DISCRETE)
"""Two arguments determine their kinds, of which the second may come later."""
RELEASES = Family("releases", f"(∀ m : ℕ . {table('m')}@1.0 ⊸⋆ ℝ)", "ℝ")
SPENDING = Family("spending", f"(∀ m : ℕ, e : ℝ⁺ . {table('m')}@e, ℝ⁺[e]@0 ⊸⋆ ℝ)", "ℝ")
"""They spend what they are given, and may promise to spend no more than something."""
FAMILIES = (TABLES, TABLES, TABLES, NUMBERS, NUMBERS, HELD, STEPS)


@frozen(eq=False)
class Maker:
    """Makes texts.

    Parameters
    ----------
    random
        The source of choices.
    sized
        Whether there is a table ``t`` of ``m`` rows.
    inside
        The names of the rows that the bodies around a place go over.
    """

    random: random.Random
    sized: bool
    fresh: count[int] = field(factory=count)
    inside: list[str] = field(factory=list)

    def name(self, stem: str) -> str:
        return f"{stem}{next(self.fresh)}"

    def one_of(self, makers: Sequence[Callable[[], str]]) -> str:
        return self.random.choice(makers)()

    def whether(self, chance: float) -> bool:
        return self.random.random() < chance

    # What is called

    def written(self, family: Family) -> str:
        """A function as it is written where it is made, in parentheses; half of them demand something."""
        match family.name:
            case "tables":
                return f"(sλ m : ℕ . u : {table('m')} ⇒ {self.of_table()})"
            case "numbers":
                return f"(sλ η : ℝ⁺ . e : ℝ⁺[η] ⇒ {self.of_number()})"
            case "steps":
                inner = self.of_step()
                return f"(sλ b : ℝ⁺, m : ℕ . us : {table('m', 'L2≤b')}, vs : {table('m')} ⇒ {inner})"
            case "held":
                return f"(sλ m : ℕ, k : ℕ . u : {table('m')}, k : ℕ[k] ⇒ {self.of_two()})"
            case "spending":
                promised = self.random.choice(("", "", " ensures ε ≤ 0.5", " ensures ε ≤ 1", " ensures ε ≤ 2"))
                place = self.random.choice((0, 0, 2))
                noise = f"laplace[1.0, e] <u> {{ clip[0.0, 1.0] u#[{place}, 0] }}"
                return f"(pλ m : ℕ, e : ℝ⁺ . u : {table('m')}, e : ℝ⁺[e] ⇒ {noise}{promised})"
            case "releases":
                return f"(pλ m : ℕ . u : {table('m')} ⇒ {self.of_release()})"
            case other:
                raise ValueError(other)

    def of_table(self) -> str:
        place = self.random.choice((0, 0, 1, 2, 4, 6))
        entry = f"u#[{place}, 0]"
        return self.one_of(
            (
                lambda: entry,
                lambda: entry,
                lambda: "u#[0, 0]",
                lambda: f"u#[0, 0 ↦ disc 1.0]#[{place}, 0]",
                lambda: f"if rows u ≤ {place} then disc 0.0 else {entry}",
                lambda: f"if rows u < {place} then disc 0.0 else {entry}",
                lambda: f"if {place} < rows u then {entry} else disc 1.0",
                lambda: f"if u#[0, 0] < 1.0 then {entry} else u#[0, 0]",
                lambda: f"let z = chunks[{self.random.choice((1, 2, 3))}, u] in u#[0, 0]",
                lambda: (
                    f"(mcreate[L∞ | rows u ⋅ ℕ[{self.random.choice((2, 20000, 90000))}], ℕ[1]] "
                    "{ i, j ⇒ disc 0.0 })#[0, 0]"
                ),
                lambda: (
                    f"(mcreate[L∞ | ℕ[{self.random.choice((1, 3, 7))}], ℕ[1]] {{ i, j ⇒ u#[0, 0] }})#[{place}, 0]"
                    if place < 1
                    else entry
                ),
                self.of_copies,
                lambda: f"((sλ τ : ☆K . a : τ ⇒ {self.copies('a')}) {self.many()})#[0, 0]",
                lambda: f"let k = (sλ n : ℕ . v : {table('n')} ⇒ v#[{place}, 0]) in k u",
                lambda: (
                    f"let k = (sλ n : ℕ . v : {table('n')} ⇒ v#[{place}, 0]) in "
                    "k (mcreate[L∞ | rows u + ℕ[2], ℕ[1]] { i, j ⇒ u#[0, 0] })"
                ),
            )
        )

    def of_copies(self) -> str:
        """An entry of a table that is in each cell of another one."""
        table = self.many()
        return self.one_of(
            (
                lambda: f"(unbox {self.copies(f'box {table}')})#[0, 0]",
                lambda: f"(fst {self.copies(f'⟨{table}, 1⟩')})#[0, 0]",
                lambda: f"(if {self.copies(f'℘{{{table}}}')} ≡ ℘{{{table}}} then u else u)#[0, 0]",
                lambda: f"({self.copies(table)})#[0, 0]",
            )
        )

    def copies(self, cell: str) -> str:
        return f"(mcreate[L∞ | ℕ[{self.random.choice((2, 700))}], ℕ[1]] {{ i, j ⇒ {cell} }})#[0, 0]"

    def many(self) -> str:
        return f"(mcreate[L∞ | ℕ[{self.random.choice((3, 300))}], ℕ[1]] {{ k, l ⇒ u#[0, 0] }})"

    def of_number(self) -> str:
        return self.one_of(
            (
                lambda: "disc ℝ⁺[η]",
                lambda: "disc ℝ⁺[η⋅η]",
                lambda: "disc ℝ⁺[exp(exp(η))]",
                lambda: "if e < 2.0 then disc ℝ⁺[exp(η)] else disc ℝ⁺[∞]" if self.whether(0.3) else "disc e",
                lambda: "let g = (pλ . y : ℝ ⇒ gauss[1.0, 0.5, e] <y> { y }) in disc 0.0",
                lambda: (
                    f"let g = (pλ . y : {table('★')} ⇒ poisson[e] y "
                    "{ s ⇒ laplace[1.0, 1.0] <s> { real (rows s) } }) in disc 0.0"
                ),
                lambda: "disc ℝ⁺[exp(exp(exp(exp(η))))]",
                lambda: "if e < 2.0 then disc ℝ⁺[exp(exp(exp(exp(η))))] else disc 0.0",
            )
        )

    def of_two(self) -> str:
        return self.random.choice(
            (
                "u#[k, 0]",
                "u#[0, 0]",
                "if k < rows u then u#[k, 0] else disc 0.0",
                "if rows u < k then disc 0.0 else u#[k, 0]",
                "if u#[0, 0] < 1.0 then u#[k, 0] else u#[0, 0]",
                "let z = chunks[k, u] in u#[0, 0]",
                "(mcreate[L∞ | k, ℕ[1]] { i, j ⇒ u#[0, 0] })#[2, 0]",
            )
        )

    def of_step(self) -> str:
        length = self.random.choice(("1.0", "1.0", "0.5"))
        return f"step∇[LR, {length}, 0.0 | mcreate[L2 | ℕ[1], ℕ[1]] {{ i, j ⇒ 0.0 }} ; us, vs]"

    def of_release(self) -> str:
        place = self.random.choice((0, 1, 2, 4, 6))
        noise = "laplace[1.0, 1.0] <u> { clip[0.0, 1.0] u#[0, 0] }"
        return self.one_of(
            (
                lambda: noise,
                lambda: f"laplace[1.0, 1.0] <u> {{ clip[0.0, 1.0] u#[{place}, 0] }}",
                lambda: f"let z = chunks[{self.random.choice((1, 2, 3))}, u] in {noise}",
                lambda: (
                    f"if rows u ≤ {place} then {{ return 0.0 }} else "
                    f"{{ laplace[1.0, 1.0] <u> {{ clip[0.0, 1.0] u#[{place}, 0] }} }}"
                ),
                lambda: (
                    f"if rows u < {place} then {{ return 0.0 }} else "
                    f"{{ laplace[1.0, 1.0] <u> {{ clip[0.0, 1.0] u#[{place}, 0] }} }}"
                ),
                lambda: (
                    f"if {place} < rows u then {{ laplace[1.0, 1.0] <u> {{ clip[0.0, 1.0] u#[{place}, 0] }} }} else "
                    "{ return 0.0 }"
                ),
                lambda: f"sample[{max(1, place)}] u {{ s ⇒ laplace[1.0, 1.0] <s> {{ clip[0.0, 1.0] s#[0, 0] }} }}",
            )
        )

    # How it goes to where it is called

    def carried(self, family: Family, depth: int) -> str:
        """An expression for a function, which may be any of several."""
        if depth <= 0:
            return self.written(family)

        def sub() -> str:
            return self.carried(family, depth - 1)

        f, g = self.name("f"), self.name("g")
        place, other = (self.random.randrange(2) for _ in "xy")
        turns = self.random.randint(0, 2)
        state = self.random.choice((sub(), g, f"(if i < 1 then {sub()} else {g})"))
        cells = f"mcreate[L∞ | ℕ[1], ℕ[2]] {{ i, j ⇒ {sub()} }}"
        options: list[Callable[[], str]] = [
            sub,
            lambda: f"(let {f} = {sub()} in {f})",
            lambda: f"(if {self.test()} then {sub()} else {sub()})",
            lambda: f"(if {self.test()} then {sub()} else {sub()})",
            lambda: (
                f"(case (if {self.test()} then inl[ℝ] 0.0 else inr[ℝ] 1.0) {{ inl a ⇒ {sub()} ; inr a ⇒ {sub()} }})"
            ),
            lambda: f"(let ⟨{f}, {g}⟩ = (if {self.test()} then ⟨{sub()}, {sub()}⟩ else ⟨{sub()}, {sub()}⟩) in {f})",
            lambda: f"(let ⟨{f}, {g}⟩ = ⟨{sub()}, 1.0⟩ in {f})",
            lambda: f"(snd ⟨1, {sub()}⟩)",
            lambda: f"(unbox (box {sub()}))",
            lambda: f"(unbox (if {self.test()} then box {sub()} else box {sub()}))",
            lambda: f"(unbox ({cells.replace('⇒', '⇒ box', 1)})#[0, {place}])",
            lambda: f"(unbox (loop ℕ[{turns}] on (box {sub()}) {{ i, {g} ⇒ {g} }}))",
            lambda: f"(({cells})#[0, {place}])",
            lambda: f"((({cells})#[0, {other} ↦ {sub()}])#[0, {place}])",
            lambda: f"(loop ℕ[{turns}] on {sub()} {{ i, {g} ⇒ {state} }})",
            lambda: f"((sλ τ : ☆K . a : τ, b : τ ⇒ b) {sub()} {sub()})",
            lambda: f"((sλ τ : ☆K . a : τ ⇒ a) {sub()})",
            lambda: f"((sλ y : 𝔻 ⇒ {sub()}) x)",
            lambda: f"((sλ k : 𝔻 ⊸[0] {family.asked} ⇒ k x) (sλ y : 𝔻 ⇒ {sub()}))",
            lambda: f"((sλ k : {family.asked} ⇒ k) {sub()})",
            lambda: f"((sλ q : {family.asked} × ℝ ⇒ fst q) ⟨{sub()}, 1.0⟩)",
            lambda: (
                f"(case (if {self.test()} then inl[{family.asked}] {sub()} else inr[{family.asked}] {sub()}) "
                f"{{ inl {f} ⇒ {f} ; inr {g} ⇒ {g} }})"
            ),
            lambda: f"(let {f} = sλ a, b ⇒ if {self.test()} then a else b in {f} {sub()} {sub()})",
            lambda: f"(let {f} = sλ a ⇒ a in let {g} = {f} {sub()} in {f} {sub()})",
        ]
        if self.sized:
            options.append(lambda: f"(mfold-row {sub()}, t {{ {g}, r ⇒ {state.replace('i < 1', 'r#[0, 0] < 1.0')} }})")
        if family in (TABLES, NUMBERS):
            options.append(lambda: f"(discf {sub()})")
        if family is TABLES:
            options += [
                lambda: f"(sλ m : ℕ . w : {table('m')} ⇒ {sub()} w)",
                lambda: f"(sλ m : ℕ . w : {table('m')} ⇒ if {self.test()} then {sub()} w else {sub()} w)",
                lambda: (
                    f"(sλ m : ℕ . w : {table('m')} ⇒ "
                    f"{sub()} (mcreate[L∞ | rows w + ℕ[{self.random.choice((1, 4))}], ℕ[1]] {{ i, j ⇒ w#[0, 0] }}))"
                ),
                lambda: (
                    f"(sλ m : ℕ . w : {table('m')} ⇒ if rows w ≤ {self.random.choice((0, 2, 6))} then disc 0.0 else {sub()} w)"
                ),
            ]
        if family is RELEASES:
            options.append(lambda: f"(pλ m : ℕ . w : {table('m')} ⇒ {sub()}@[ . w])")
        return self.one_of(options)

    def test(self) -> str:
        """What chooses: public or private, of sizes or not."""
        tests = ["c", "x < 1.0", "1 ≡ 1", "1 ≡ 2", "x ≡ disc 0.0"]
        if self.sized:
            tests += ["t#[0, 0] < 1.0", "rows t < 3", "2 ≤ rows t"]
        tests += [f"{row}#[0, 0] < 1.0" for row in self.inside]
        return self.random.choice(tests)

    # How it is called

    def rows(self, most: int = 9) -> str:
        """A table, often too short for somebody."""
        size = self.random.choice((1, 2, 3, 5, 7, 9))
        options = [f"(mcreate[L∞ | ℕ[{min(size, most)}], ℕ[1]] {{ i, j ⇒ disc 1.0 }})"]
        if self.sized:
            options += ["t", f"(mcreate[L∞ | rows t + ℕ[{size}], ℕ[1]] {{ i, j ⇒ x }})"]
        for row in self.inside:
            options += [row, f"(mcreate[L∞ | rows {row} + ℕ[{size}], ℕ[1]] {{ i, j ⇒ {row}#[0, 0] }})"]
        return self.random.choice(options)

    def call(self, family: Family, function: str) -> str:
        """A discrete number, or a real one, from a call."""
        match family.name:
            case "tables":
                return f"({function} {self.rows()})"
            case "numbers":
                return f"({function} {self.random.choice(('0.5', '1.0', '2.0', '9.0'))})"
            case "held":
                size, given = self.random.choice((1, 2, 3, 4)), self.name("p")
                if self.whether(0.5):
                    return f"(let {given} = {function} {self.rows()} in {given} {size})"
                return f"({function} {self.rows()} {size})"
            case "releases":
                return f"{function}@[ . {self.rows()}]"
            case "spending":
                return f"{function}@[ . {self.rows()}, {self.random.choice(('0.5', '1.0', '2.0'))}]"
            case other:
                raise ValueError(other)

    def related(self) -> str:
        """A call, at the edge, of what a loop puts in the place of a function with nearly the same condition."""
        place = self.random.choice((1, 2, 4))

        def entry() -> str:
            index = place + self.random.choice((-1, 0, 0, 1))
            return f"(sλ m : ℕ . u : {table('m')} ⇒ u#[{index}, 0])"

        def share() -> str:
            noise = f"pλ . y : {table('★')} ⇒ poisson[e] y {{ s ⇒ laplace[1.0, 1.0] <s> {{ real (rows s) }} }}"
            probability = self.random.choice((noise, "pλ . y : ℝ ⇒ gauss[1.0, 0.5, e] <y> { y }"))
            return f"(sλ η : ℝ⁺ . e : ℝ⁺[η] ⇒ let g = ({probability}) in disc 0.0)"

        if self.whether(0.5):
            given = f"(mcreate[L∞ | ℕ[{place + self.random.choice((0, 1))}], ℕ[1]] {{ i, j ⇒ disc 1.0 }})"
            return f"((loop ℕ[1] on {entry()} {{ i, h ⇒ {entry()} }}) {given})"
        return f"((loop ℕ[1] on {share()} {{ i, h ⇒ {share()} }}) {self.random.choice(('0.5', '1.0'))})"

    def in_a_body(self, depth: int) -> str:
        """A number that is made for each row, or for each cell, of a table, or in each iteration of a loop."""
        source = "t" if self.sized else f"(mcreate[L∞ | ℕ[{self.random.choice((1, 3))}], ℕ[1]] {{ i, j ⇒ x }})"
        row = self.name("r")

        def made() -> str:
            return self.number(depth)

        def of_cell(form: str) -> str:
            return f"{form} {{ {row} ⇒ {made()} }}"

        def of_row(body: Callable[[], str]) -> str:
            self.inside.append(row)
            text = body()
            self.inside.pop()
            return text

        def chosen() -> str:
            if self.sized and self.whether(0.5):
                place = self.random.choice((1, 2))
                read = f"((sλ m : ℕ . u : {table('m')} ⇒ u#[{place}, 0]) t) ⋅ {row}#[0, 0]"
                return f"if {place} < rows t then disc 0.5 ⋅ s + {read} else {row}#[0, 0]"
            return f"if {self.test()} then disc 0.5 ⋅ s + {made()} else {made()}"

        def hiding() -> str:
            other = "(mcreate[L∞ | ℕ[2], ℕ[1]] { i, j ⇒ x })"
            return f"(let {row} = {other} in {self.call(TABLES, self.carried(TABLES, 1))}) + {row}#[0, 0]"

        return self.one_of(
            (
                lambda: f"((mmap-row {source} {{ {row} ⇒ {of_row(hiding)} }})#[0, 0])",
                lambda: f"((mmap-row {source} {{ {row} ⇒ {of_row(made)} }})#[0, 0])",
                lambda: f"((mmap-row {source}, {source} {{ {row}, s ⇒ {of_row(made)} }})#[0, 0])",
                lambda: f"((mmap-row {source} {{ {row} ⇒ {of_row(made)} + {row}#[0, 0] }})#[0, 0])",
                lambda: f"(mfold-row x, {source} {{ s, {row} ⇒ {of_row(made)} }})",
                lambda: f"(mfold-row x, {source} {{ s, {row} ⇒ disc 0.5 ⋅ s + {of_row(made)} }})",
                lambda: f"(mfold-row x, {source} {{ s, {row} ⇒ {of_row(chosen)} }})",
                lambda: f"(mfold-row 0.0, {source} {{ s, {row} ⇒ s + clip[0.0, 1.0] {of_row(made)} }})",
                lambda: f"(if rows (mfilter {source} {{ {row} ⇒ {of_row(made)} < 1.0 }}) < 1 then x else disc 1.0)",
                lambda: (
                    f"(if rows (mfilter (bmap (mfilter {source} {{ q ⇒ q#[0, 0] < 2.0 }}) {{ {row} ⇒ {made()} }}) "
                    "{ q ⇒ q#[0, 0] < 1.0 }) < 1 then x else disc 1.0)"
                ),
                lambda: f"(({of_cell(f'mmap {source}')})#[0, 0])",
                lambda: f"((mcreate[L∞ | ℕ[2], ℕ[1]] {{ k, l ⇒ {made()} }})#[0, 0])",
                lambda: f"(loop ℕ[2] on x {{ k, s ⇒ {made()} }})",
            )
        )

    def number(self, depth: int) -> str:
        """A number in whose making a function is called, once or several times."""
        if self.whether(0.15):
            return self.related()
        if len(self.inside) < 2 and self.whether(0.2):
            return self.in_a_body(depth)
        family = self.random.choice(FAMILIES)
        function = self.carried(family, depth)

        def once() -> str:
            return self.call(family, function)

        # A name may hide that of a row, which is asked for again later.
        name = self.random.choice(self.inside) if self.inside and self.whether(0.3) else self.name("h")
        if family is STEPS:
            # Both tables of a call have the same rows.
            rows = self.rows()
            bound = self.random.choice(("0.5", "1.0", "2.0", "4.0", "8.0"))

            def called(step: str) -> str:
                return f"(({step} (mclip[L2, {bound}] {rows}) {rows})#[0, 0])"

            return self.one_of(
                (
                    lambda: called(function),
                    lambda: f"((sλ {name} : {family.asked} ⇒ {called(name)}) {function})",
                )
            )
        return self.one_of(
            (
                once,
                once,
                lambda: f"(let {name} = {function} in {self.call(family, name)})",
                lambda: (
                    f"(let {name} = {function} in "
                    f"if {self.test()} then {self.call(family, name)} else {self.call(family, name)})"
                ),
                lambda: f"((sλ {name} : {family.asked} ⇒ {self.call(family, name)}) {function})",
                lambda: (
                    f"((sλ {name} : {family.asked} ⇒ "
                    f"if {self.test()} then {self.call(family, name)} else x) {function})"
                ),
                lambda: (
                    f"(let u = sλ {name} ⇒ {self.call(family, name)} in "
                    f"let v = u {self.carried(family, 0)} in u {function})"
                ),
                lambda: f"(if {self.test()} then {once()} else {once()})",
            )
        )


def sizes(source: random.Random) -> tuple[Maker, str, str]:
    """A maker, the kind variables of the program and its parameters."""
    sized = source.random() < 0.6
    kinds = "m : ℕ . " if sized else ""
    return Maker(source, sized), kinds, f"t : {table('m')}, x : 𝔻" if sized else "x : 𝔻"


def random_conditions(seed: int) -> str:
    """A sensitivity function."""
    source = random.Random(seed)
    maker, kinds, parameters = sizes(source)
    return f"sλ {kinds}{parameters}, c : 𝔹 ⇒ {maker.number(source.randint(0, 2))}"


def random_released_conditions(seed: int) -> str:
    """A privacy function, in pure ε."""
    source = random.Random(seed)
    maker, kinds, parameters = sizes(source)
    names = "t, x" if maker.sized else "x"
    depth = source.randint(0, 2)

    def noise(number: str) -> str:
        return f"laplace[auto, 1.0] <{names}, c> {{ clip[0.0, 1.0] {number} }}"

    def of() -> str:
        return maker.carried(TABLES, depth)

    h = maker.name("h")
    public = source.choice(("1 ≡ 1", "1 ≡ 2", "rows t < 3" if maker.sized else "1 < 2"))
    call = noise(f"(if {maker.test()} then {maker.call(TABLES, h)} else x)")
    states = (of(), h)
    batches = (
        f"pfld-rows[ℕ[2], {of()}, mcreate[L∞ | ℕ[4], ℕ[1]] {{ i, j ⇒ disc 0.0 }}, mcreate[L∞ | ℕ[4], ℕ[1]] {{ i, j ⇒ disc 0.0 }}, "
        f"pλ . a : {table('2')}, b : {table('2')}, z : {TABLES.asked} ⇒ return {source.choice(('z', maker.written(TABLES)))}]"
    )
    family = source.choice((RELEASES, SPENDING))

    def function() -> str:
        return maker.carried(family, depth)

    def called(name: str) -> str:
        return maker.call(family, name)

    forms: list[Callable[[], str]] = [
        lambda: noise(maker.number(depth)),
        lambda: f"{h} ← return {of()} ; {call}",
        lambda: f"let {h} = {of()} in {call}",
        lambda: f"{h} ← if {public} then {{ return {of()} }} else {{ return {of()} }} ; {call}",
        lambda: f"{h} ← loop ℕ[2] on {of()} <x> {{ i, {h} ⇒ return {source.choice(states)} }} ; {call}",
        lambda: f"{h} ← {batches} ; {call}",
        lambda: called(function()),
        lambda: called(function()),
        lambda: f"let {h} = {function()} in if {public} then {{ {called(h)} }} else {{ {called(h)} }}",
        lambda: f"v ← {noise('x')} ; let {h} = (if v < 0.5 then {function()} else {function()}) in {called(h)}",
        lambda: (
            f"let p = (sλ {h} : {family.asked} ⇒ pλ m : ℕ . t : {table('m')} ⇒ {called(h)}) {function()} in p@[ . {maker.rows()}]"
        ),
    ]
    return f"pλ {kinds}{parameters}, c : 𝔹 ⇒ {source.choice(forms)()}"
