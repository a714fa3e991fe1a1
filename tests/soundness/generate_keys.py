"""Random programs that find the keys of tables, and go on with what they found: in parts, in loops, in functions."""

from __future__ import annotations

import random
from itertools import count

from attrs import define, field

from duetpy.grammar import ast
from duetpy.grammar.parser import parse_file
from duetpy.source import Source

TABLES = ("xs : 𝕄 [L∞, U | ★, 2⋅𝔻]", "xs : 𝕄 [L∞, U | m, 2⋅𝔻]", "xs : 𝕄 [L∞, U | 3, 2⋅𝔻]")
EPSILONS = ("0.5", "1.0", "2.0")
DELTAS = ("0.01", "1e-5")
ONE_KEY = (
    "{r}#[0, 0]",
    "{r}#[0, 1]",
    "{r}#[0, 0] + {r}#[0, 1]",
    "if {r}#[0, 0] < {c} then disc 0.0 else {r}#[0, 1]",
    "if y < {c} then {r}#[0, 0] else {r}#[0, 1]",
)
SEVERAL = (
    "℘{{{r}#[0, 0], {r}#[0, 1]}}",
    "℘{{{r}#[0, 0], disc 1.0, {r}#[0, 1]}}",
    "if {r}#[0, 0] < {c} then ℘{{disc 3.0}} else ℘{{{r}#[0, 0], {r}#[0, 1]}}",
)


@define(eq=False)
class Finding:
    """Makes the parts of a program."""

    random: random.Random
    is_sized: bool = False
    fresh: count[int] = field(factory=count)

    def name(self) -> str:
        return f"v{next(self.fresh)}"

    def constant(self) -> str:
        return f"{self.random.choice((0, 1, 2, 5))}.0"

    def table(self, known: str) -> str:
        """A table, or what is left of it."""
        r = self.name()
        forms = (
            *(known, known),
            f"(mfilter {known} {{ {r} ⇒ {r}#[0, 1] < {self.constant()} }})",
            f"(mmap {known} {{ {r} ⇒ {r} + disc 1.0 }})",
        )
        return self.random.choice(forms)

    def found(self, known: str, form: str = "keys") -> str:
        r, several = self.name(), self.random.random() < 0.5
        most = self.random.randint(1, 3) if several else 1
        # Now and then a private value other than the table finds the keys.
        choices = SEVERAL if several else ONE_KEY if self.random.random() < 0.2 else ONE_KEY[:-1]
        body = self.random.choice(choices).format(r=r, c=self.constant())
        table = self.table(known)
        if not several and not self.is_sized and self.random.random() < 0.3:
            # Rows that hold a private value in a box, which may say what their key is.
            boxed = self.random.choice(("y", "y + 1.0", f"real (rows {known})"))
            table = f"(bmap {table} {{ {r} ⇒ addColDF⧼b⧽ ⟨addColDF⧼a⧽ ({r}#[0, 0]), box ({boxed})⟩ }})"
            opened = f"if unbox {r}.b < {self.constant()} then {r}.a else disc 0.0"
            body = self.random.choice((f"{r}.a", f"{r}.a", opened))
        epsilon, delta = self.random.choice(EPSILONS), self.random.choice(DELTAS)
        listed = self.random.choice(("", "", "", f" <{known}>", " <y>"))
        return f"{form}[ℕ[{most}], {epsilon}, {delta}] {table}{listed} {{ {r} ⇒ {body} }}"

    def program(self, known: str, depth: int) -> str:
        """A privacy expression that releases a number."""
        keys, part, r, other, index = (self.name() for _ in range(5))
        noise = f"laplace[auto, {self.random.choice(EPSILONS)}]"
        if depth <= 0:
            return self.random.choice((f"{noise} <{known}> {{ real (rows {self.table(known)}) + y }}", "return 1.0"))
        first = f"{keys} ← {self.found(known)} ;"
        rest = self.program(known, depth - 1)
        forms = (
            f"{first} {rest}",
            f"{first} {other} ← parallel[{self.table(known)}, {keys}] {{ {r} ⇒ {r}#[0, 0] }} {{ {index}, {part} ⇒ "
            f"{self.program(part, depth - 1)} }} ; {rest}",
            f"{keys} ← {self.found(known, ('key-counts', 'key-gauss')[len(rest) % 2])} ; {rest}",
            f"{first} if disc 1.0 ∈ {keys} then {{ {rest} }} else {{ {self.program(known, depth - 1)} }}",
            f"loop ℕ[{self.random.randint(1, 3)}] on 0.0 {{ {index}, {other} ⇒ {first} {rest} }}",
            f"{other} ← parallel[{self.table(known)}, ℘{{disc 0.0, disc 3.0}}] {{ {r} ⇒ {r}#[0, 1] }} "
            f"{{ {index}, {part} ⇒ {self.program(part, depth - 1)} }} ; {rest}",
            f"(pλ . {part} : 𝕄 [L∞, U | ★, 2⋅𝔻], y : ℝ ⇒ {self.program(part, depth - 1)})"
            f"@[ . mfilter {known} {{ {r} ⇒ {r}#[0, 0] < 9.0 }}, {self.random.choice(('y', '0.5'))}]",
        )
        return self.random.choice(forms)


def random_keys_program(seed: int) -> ast.File:
    """A privacy function of a table and a number."""
    source = random.Random(seed)
    table = source.choice(TABLES)
    kinds = "m : ℕ . " if "m, " in table else ". "
    text = f"pλ {kinds}{table}, y : ℝ ⇒ {Finding(source, table != TABLES[0]).program('xs', source.randint(1, 2))}"
    file, problems = parse_file(Source("keys.duet", text))
    assert not problems, text
    return file
