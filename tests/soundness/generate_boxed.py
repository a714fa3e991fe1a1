"""Random privacy programs that hand on private values in boxes, far from 0, and open them where noise is added.

What is in a box is as private when it is opened as it was when it was put in, whichever forms handed it on. A form that rounds
it on its way to a double moves it by more than any noise covers, as no double has a place for it next to what was added to it.
"""

from __future__ import annotations

import random
from itertools import count

from attrs import define, field

from duetpy.grammar import ast
from duetpy.grammar.parser import parse_file
from duetpy.source import Source

FAR = ("1180591620717411434496.0", "1152921504606847104.0", "0.0")
"""Halfway between two doubles, so that of values a little more and a little less one is rounded up and the other down."""
FACTORS = ("1.0", "2.0", "0.5")
INPUTS = "x : ℝ, n : ℕ, xs : 𝕄 [L∞, U | 2, 1⋅𝔻]"
VALUES = (
    "x",
    "real n",
    "x + real n",
    "0.25 ⋅ x",
    "clip[0.0, 2.0] (xs#[0, 0])",
    "mfold-row 0.0, xs { a, r ⇒ a + clip[0.0, 1.0] (r#[0, 0]) }",
)


@define(eq=False)
class Boxes:
    """Makes the steps of a program, each with the name of a box that the next one opens."""

    random: random.Random
    fresh: count[int] = field(factory=count)

    def name(self) -> str:
        return f"v{next(self.fresh)}"

    def handed_on(self, box: str) -> tuple[str, str]:
        """A step that hands a box on, and what it is called then."""
        after, other, third = self.name(), self.name(), self.name()
        noise = f"{other} ← laplace[auto, 1.0] <x> {{ x }} ;"
        forms = (
            f"let {after} = {box} in",
            f"{after} ← return {box} ;",
            f"{after} ← (loop ℕ[2] on {box} {{ {third}, {after} ⇒ {noise} return {after} }}) ;",
            f"{after} ← (loop ℕ[1] on {box} {{ {third}, {after} ⇒ return {after} }}) ;",
            f"{noise} {after} ← (if {other} < 0.5 then {{ return {box} }} else {{ return {box} }}) ;",
            f"{other} ← return ⟨{box}, 1.0⟩ ; let ⟨{after}, {third}⟩ = {other} in",
            f"{other} ← return ⟨{box} & 1.0⟩ ; let {after} = fst {other} in",
            f"{other} ← return (mcreate[L∞ | ℕ[2], ℕ[1]] {{ {third}, j ⇒ {box} }}) ; let {after} = {other}#[1, 0] in",
            f"{after} ← (case (inl[ℝ] {box}) {{ inl {other} ⇒ return {other} ; inr {third} ⇒ return {box} }}) ;",
            f"let {other} = box {box} in {third} ← return {other} ; let {after} = unbox {third} in",
            f"let {other} = {self.opened(box)} in {after} ← return (box (2.0 ⋅ {other} - {other})) ;",
            f"let {other} = sλ . {third} : ℝ ⇒ {box} in {after} ← return ({other} 1.0) ;",
        )
        return self.random.choice(forms), after

    def opened(self, box: str) -> str:
        return f"unbox {box}"


def random_boxed_program(seed: int) -> ast.File:
    """A program over a real number, a natural one and a table."""
    source = random.Random(seed)
    made = Boxes(source)
    far, value = source.choice(FAR), source.choice(VALUES)
    box = made.name()
    steps = [f"let {box} = box (({value}) + {far}) in"]
    if source.random() < 0.5:
        steps = [f"{box} ← return (box (({value}) + {far})) ;"]
    for _ in range(source.randint(0, 3)):
        step, box = made.handed_on(box)
        steps.append(step)
    back = f"{source.choice(FACTORS)} ⋅ (unbox {box} - {far})"
    last = f"laplace[auto, {source.choice(('0.5', '1.0'))}] {{ {back} }}"
    if source.random() < 0.3:
        last = f"u ← {last} ; laplace[auto, 1.0] {{ {back} + x }}"
    file, problems = parse_file(Source("boxed.duet", f"pλ . {INPUTS} ⇒ {' '.join(steps)} {last}"))
    assert not problems
    return file
