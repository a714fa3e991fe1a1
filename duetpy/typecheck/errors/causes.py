"""Why a value moves without bound when its input does, stated for the smallest expression that causes it.

A line that begins "for example" names two values, their distance before and their distance after. The values are worked out
from the rule, with the numbers of the program filled in, and the tests evaluate every one of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from attrs import frozen

from duetpy.by_value import ByValue
from duetpy.grammar import ast
from duetpy.typecheck import types as t
from duetpy.typecheck.facts import Facts, facts_of
from duetpy.typecheck.judgement import Judged
from duetpy.typecheck.quantity import ONE, Quantity


@frozen(eq=False, repr=False)
class Cause(ByValue):
    """What an expression does with its input: the reason, an action, and an example or ""."""

    reason: str
    help: str
    example: str = ""

    @property
    def notes(self) -> tuple[str, ...]:
        return tuple(line for line in (self.reason, self.example) if line)


JOINED = Cause(
    "one row of the right table can match every row of the left one",
    "join with a public table on the right, or list only the left one as protected; if both are about the same persons, make "
    "them files of one table: persons[id : 𝕊 | visits : 𝔻𝔽[…], bills : 𝔻𝔽[…]]",
)

Concluded = Mapping[ast.Node, Judged]

GENERIC = Cause(
    "one change of the input can change the value by any amount, for example through a product of two data values, "
    "a comparison or "
    "rounding of reals, a division by data, or a value that was never clipped",
    "bound it first: clip a number (clip[lo, hi]) or clip rows (mclip[L2], mconv)",
)


def example(left: str, right: str, before: str, how: str, after: str) -> str:
    return f"for example, {left} and {right} are {before} apart; {how}, they are {after} apart"


def shown(value: Fraction) -> str:
    shown = Quantity.of(abs(value)).show()
    return f"-{shown}" if value < 0 else shown


def moved_inside(body: Judged | None, name: str) -> Quantity | None:
    """How far a body moves with the input of that name."""
    if body is None:
        return None
    return next((s for root, s in body.context.entries.items() if root.name == name), None)


def _stretched(body: Judged | None, state: str, step: str) -> str:
    factor = moved_inside(body, state)
    if factor is None or factor.leq(ONE):
        return f"every {step} adds what it captures, and nothing bounds the number of {step}s"
    if not factor.finite():
        return f"one {step} can change {state} without bound when {state} changes"
    return f"each {step} multiplies a change of {state} by {factor.show()}, and nothing bounds the number of {step}s"


def unbounded_cause(node: ast.SExp, concluded: Concluded) -> Cause:
    """Why the smallest expression at fault moves without bound."""
    match node:
        case ast.Prim():
            return _unbounded_primitive(node, [concluded.get(argument) for argument in node.args])
        case ast.If():
            return Cause(
                "the condition depends on data, so a small change can swap the branches, however far apart they are",
                "let a released value decide, or make both branches discrete: 𝔻, 𝔹, 𝐝 τ",
            )
        case ast.Index() | ast.Update():
            return Cause(
                "the choice of the entry depends on data, and the entries next to each other are unrelated",
                "use a public index, or one chosen by exponential",
            )
        case ast.Loop():
            return Cause(
                _stretched(concluded.get(node.body), node.state.text, "iteration"),
                "change the body so that it does not multiply a change of the state, or fix the number of "
                "iterations: ℕ[3]",
            )
        case ast.Fold():
            return Cause(
                _stretched(concluded.get(node.body), node.state.text, "row"),
                f"write the body as {node.state.text} + g({node.row.text})",
            )
        case ast.Filter():
            return Cause(
                "whether a row stays depends on more than a discrete row: on a row of reals, or on a captured variable",
                "declare the columns discrete (𝔻, 𝐝 τ), and compare with public or released values",
            )
        case ast.Flat():
            return Cause(
                "which rows are put into the table depends on a captured variable, for all persons at once",
                "capture only public or released values",
            )
        case ast.FrameOp(form="joinDF" | "joinDF₁"):
            return JOINED
        case ast.App():
            return Cause(
                "a change of the argument changes the result of the function without bound",
                "apply a function whose type has a finite sensitivity",
            )
        case ast.Map() | ast.MCreate():
            return Cause(
                "the captured value affects every entry, and nothing bounds the number of entries",
                "fix the number of rows, m, or capture only public or released values",
            )
        case _:
            return GENERIC


def _unbounded_primitive(node: ast.Prim, args: list[Judged | None]) -> Cause:
    """What the prelude says of a primitive; a join is a form that it does not declare."""
    if node.name == "join₁":
        return JOINED
    stated = facts_of(node.name)
    if not stated.because:
        return GENERIC
    return Cause(stated.because, stated.help, _example(stated, args) or _compared(stated, args))


def _example(stated: Facts, args: list[Judged | None]) -> str:
    """The example for the last operand that moves, where it is of the kind that the example is about: numbers, or rows."""
    moving = [position for position, arg in enumerate(args) if arg is not None and arg.context]
    if not stated.examples:
        return ""
    chosen = stated.examples[min(moving[-1] if moving else 0, len(stated.examples) - 1)]
    if not any("…" in text for text in chosen):
        return example(*chosen) if all(arg is None or _is_number(arg.type) for arg in args) else ""
    if args[0] is None or not isinstance(args[0].type, t.Matrix):
        return ""
    zeros = "" if args[0].type.width == ONE else ", 0"
    return example(*(text.replace("…", zeros) for text in chosen))


def _is_number(type_: t.Type) -> bool:
    return isinstance(type_.inner if isinstance(type_, t.Disc) else type_, _NUMBERS)


_NUMBERS = (t.Real, t.Nat, t.StaticReal, t.StaticNat, t.Idx)


def _compared(stated: Facts, args: list[Judged | None]) -> str:
    """Two numbers on either side of the static one that is compared with."""
    fixed = [arg.type.value for arg in args if arg is not None and isinstance(arg.type, t.StaticReal)]
    if not stated.compares or len(fixed) != 1 or fixed[0].magnitude.constant is None:
        return ""
    value = fixed[0].magnitude.constant * (-1 if fixed[0].negative else 1)
    step = Fraction(1, 1000)
    on_the_left = args[0] is not None and isinstance(args[0].type, t.StaticReal)
    above = stated.compares == "equal" or (stated.compares == "below") == on_the_left
    other = value + step if above else value - step
    return example(shown(value), shown(other), "0.001", f"compared with {shown(value)}", "1")
