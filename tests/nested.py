"""Programs in which one form nests in itself, form by form; and what they come to on very little stack.

    python -m tests.nested LEVELS KILOBYTES [--control | --every STEP]

A level that takes C stack takes hundreds of bytes of it, so that a few hundred levels end the process.
"""

from __future__ import annotations

import sys
import threading
from itertools import islice

from duetpy.grammar.pretty import show_expression, show_file
from duetpy.program import parse
from duetpy.runtime.release.noiseless import evaluate

SENSITIVE = "sλ x : ℝ, xs : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ "
PRIVATE = "pλ x : ℝ, xs : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ "
NOISE = "laplace[1.0, 1.0] <x> { x }"

EXPRESSIONS = {
    "let": ("let z = ", "x", " in z"),
    "let of a pair": ("let ⟨a, b⟩ = ", "⟨x, x⟩", " in ⟨a, b⟩"),
    "body of a let of a pair": ("let ⟨a, b⟩ = ⟨x, x⟩ in ", "a", ""),
    "function": ("sλ y : ℝ ⇒ ", "x", ""),
    "argument": ("(sλ y : ℝ ⇒ y) (", "x", ")"),
    "called function": ("(sλ y : ℝ ⇒ ", "y", ") x"),
    "chain of arguments": ("", "f", " x"),
    "pair": ("⟨x, ", "x", "⟩"),
    "injection": ("inl[ℝ] (", "x", ")"),
    "scrutinee": ("case inl[ℝ] (", "x", ") { inl a ⇒ a ; inr b ⇒ b }"),
    "case": ("case inl[ℝ] x { inl a ⇒ a ; inr b ⇒ ", "x", " }"),
    "set": ("℘{", "1.0", "}"),
    "guard": ("if (", "true", ") then true else false"),
    "if": ("if true then { ", "x", " } else { x }"),
    "else": ("if true then x else ", "x", ""),
    "count": ("loop (", "1", ") on 1 { i, s ⇒ s }"),
    "start of a loop": ("loop 1 on ", "x", " { i, s ⇒ s }"),
    "loop": ("loop 1 on x { i, s ⇒ ", "s", " }"),
    "mcreate": ("(mcreate[L∞ | 1, 1] { i, j ⇒ ", "x", " })#[0, 0]"),
    "mapped table": ("mmap (", "xs", ") { r ⇒ r }"),
    "filtered table": ("mfilter (", "xs", ") { r ⇒ true }"),
    "filter in a filter": ("mfilter xs { r ⇒ rows (", "xs", ") < 3 }"),
    "fold": ("mfold-row (", "x", "), xs { a, r ⇒ a }"),
    "map in a map": ("mmap xs { x ⇒ x + (", "x", ")#[0, 0] }"),
    "entry": ("xs#[", "0", ", 0]"),
    "update": ("xs#[0, 0 ↦ ", "x", "]"),
    "sum": ("", "x", " + x"),
    "sum in brackets": ("x + (", "x", ")"),
    "primitive": ("clip[0.0, 1.0] (", "x", ")"),
    "box": ("unbox (box (", "x", "))"),
    "root": ("√ (", "x", ")"),
}
"""What stands before, in the middle of, and behind n levels of a form."""

PRIVACY = {
    "bind": ("y ← ", "return 1.0", "; return y"),
    "chain of binds": (f"y ← {NOISE} ; ", "return 1.0", ""),
    "private let": ("let z = 1.0 in ", "return z", ""),
    "private let of a pair": ("let ⟨a, b⟩ = ⟨1.0, 2.0⟩ in ", "return a", ""),
    "private if": ("if true then { ", "return 1.0", " } else { return 2.0 }"),
    "private else": ("if true then { return 1.0 } else { ", NOISE, " }"),
    "private case": ("case inl[ℝ] 1.0 { inl a ⇒ ", "return a", " ; inr b ⇒ return b }"),
    "private loop": ("loop 1 on 1.0 <x> { i, s ⇒ ", NOISE, " }"),
    "advanced loop": ("aloop[0.1] 1 on 1.0 <x> { i, s ⇒ ", NOISE, " }"),
    "called privacy function": ("(pλ y : ℝ ⇒ ", "return 1.0", ")@[ . x]"),
    "parallel": ("parallel[xs, ℘{1.0}] { r ⇒ r#[0, 0] } { k, xs ⇒ ", "return 1.0", " }"),
    "map of runs": ("pmap-col xs { xs ⇒ ", "return 1.0", " }"),
    "sample": ("poisson[0.5] xs { xs ⇒ ", "laplace[1.0, 1.0] <xs> { real (rows xs) }", " }"),
    "conversion": ("EPSDP { ", NOISE, " }"),
}


def programs(levels: int) -> dict[str, str]:
    """A program for each form, so many levels deep."""

    def nested(forms: dict[str, tuple[str, str, str]], head: str) -> dict[str, str]:
        return {
            name: head + before * levels + middle + behind * levels for name, (before, middle, behind) in forms.items()
        }

    several = "".join(f"let f{at} = sλ y : ℝ ⇒ f{at - 1} y in " for at in range(1, levels))
    waiting = "".join(f"let f{at} = sλ y ⇒ f{at - 1} y in " for at in range(1, levels))
    choices = "".join(f"if b < 1.0 then {{ laplace[1.0, {at}.0] <x> {{ x }} }} else {{ " for at in range(1, levels))
    return {
        **nested(EXPRESSIONS, SENSITIVE),
        **nested(PRIVACY, PRIVATE),
        "functions that call each other": f"{SENSITIVE}let f0 = sλ y : ℝ ⇒ y in {several}f{levels - 1} x",
        "functions that wait for each other": f"{SENSITIVE}let f0 = sλ y ⇒ y in {waiting}f{levels - 1} x",
        "functions that a loop makes": f"{SENSITIVE}(loop {levels} on (sλ y : ℝ ⇒ y) {{ i, f ⇒ sλ y : ℝ ⇒ f y }}) x",
        "cost of choices": f"{PRIVATE}b ← {NOISE} ; {choices}return 1.0{' }' * (levels - 1)}",
    }


def work(text: str) -> str:
    """Check a program, print it, and run it where it is accepted."""
    program = parse(text, notion="eps")
    assert program.file is not None
    assert not program.syntax, program.syntax[0]
    state = program.state()
    assert program.file.body is not None
    show_file(program.file)
    show_expression(program.file.body, ascii=True)
    if not state.ok:
        return "refused: " + ", ".join(dict.fromkeys(diagnostic.code for diagnostic in state.diagnostics))
    if text.startswith(PRIVATE):
        program.check().run(x=1.0, xs=[[1.0], [2.0]], _insecure_noise="none")
    else:
        assert program.typed is not None
        evaluate(program.typed, x=1.0, xs=[[1.0], [2.0]])
    return "ran"


def recursing_through_c(levels: int) -> int:
    """The control: one level calls the next one out of C."""
    return sum(recursing_through_c(levels - 1) for _ in range(1)) if levels else 0


def main() -> None:
    levels, kilobytes = int(sys.argv[1]), int(sys.argv[2])
    limit = sys.getrecursionlimit()
    # To import takes C stack too, and is done once: here, and not in the thread.
    for text in programs(2).values():
        work(text)

    def all_of_them() -> None:
        if "--control" in sys.argv:
            sys.setrecursionlimit(1_000_000)
            recursing_through_c(levels)
        else:
            step = int(sys.argv[sys.argv.index("--every") + 1]) if "--every" in sys.argv else 1
            for name, text in islice(programs(levels).items(), 0, None, step):
                print(f"{name}: {work(text)}", flush=True)
                assert sys.getrecursionlimit() == limit
        print("done", flush=True)

    threading.stack_size(kilobytes << 10)
    thread = threading.Thread(target=all_of_them)
    thread.start()
    thread.join()


if __name__ == "__main__":
    main()
