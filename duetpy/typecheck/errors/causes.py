"""Why a value moves without bound when its input does, told of the smallest expression that makes it so.

A line that begins "for example" names two values, their distance before and their distance after. The values are worked out
from the rule, with the numbers of the program filled in, and the tests evaluate every one of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from attrs import frozen

from duetpy.grammar import ast
from duetpy.typecheck import types as t
from duetpy.typecheck.judgement import Judged
from duetpy.typecheck.quantity import ONE, Quantity


@frozen
class Cause:
    """What an expression does with its input: the reason, an example or "", and an action."""

    reason: str
    example: str
    help: str

    @property
    def notes(self) -> tuple[str, ...]:
        return tuple(line for line in (self.reason, self.example) if line)


Concluded = Mapping[ast.Node, Judged]

GENERIC = Cause(
    "one change of the input may change the value by any amount: through a product of two data values, a comparison or "
    "rounding of reals, a division by data, or a value that was never clipped",
    "",
    "bound it first: clip a number (clip[lo, hi]), clip rows (mclip[L2], mconv)",
)

_RELEASED = "release its parts and compute with what was released"


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
        return f"every {step} adds what it captures, and nothing bounds how many {step}s there are"
    if not factor.finite():
        return f"one {step} can move {state} without bound when {state} moves"
    return (
        f"each {step} moves {state} {factor.show()} times as far as it moved before, and nothing bounds how many {step}s "
        "there are"
    )


def unbounded_cause(node: ast.SExp, concluded: Concluded) -> Cause:
    """Why the smallest expression at fault moves without bound."""
    match node:
        case ast.Prim():
            return _unbounded_primitive(node, [concluded.get(argument) for argument in node.args])
        case ast.If():
            return Cause(
                "the condition looks at data, so that a small move may swap the branches, however far apart they are",
                "",
                "choose by what was released, or make both branches discrete: 𝔻, 𝔹, 𝐝 τ",
            )
        case ast.Index() | ast.Update():
            return Cause(
                "which entry is meant depends on data, and neighbouring entries are unrelated",
                "",
                "use a public index, or one that exponential chose",
            )
        case ast.Loop():
            return Cause(
                _stretched(concluded.get(node.body), node.state.text, "turn"),
                "",
                "keep the state from being stretched, or give a number of turns that is known: ℕ[3]",
            )
        case ast.Fold():
            return Cause(
                _stretched(concluded.get(node.body), node.state.text, "row"),
                "",
                f"write the body as {node.state.text} + g({node.row.text})",
            )
        case ast.Filter():
            return Cause(
                "which rows stay depends on data by more than the row itself: on rows of reals, or on what is captured",
                "",
                "declare the columns discrete (𝔻, 𝐝 τ), and compare with what is public or released",
            )
        case ast.App():
            return Cause(
                "the function moves its result without bound when its argument moves",
                "",
                "apply a function whose type has a finite sensitivity",
            )
        case ast.Map() | ast.MCreate():
            return Cause(
                "what is captured is in every entry, and nothing bounds the number of entries",
                "",
                "give the number of rows, m, or capture what is public or released",
            )
        case _:
            return GENERIC


def _unbounded_primitive(node: ast.Prim, args: list[Judged | None]) -> Cause:
    match node.name:
        case "⋅":
            return Cause(
                "a product moves by its one factor times the move of the other, and nothing bounds the factors",
                example("1", "2", "1", "times 1000", "1000"),
                f"make one factor a static number, or {_RELEASED}",
            )
        case "/":
            by_data = len(args) == 2 and args[1] is not None and bool(args[1].context)
            return Cause(
                "a divisor near 0 turns a small move into a large one, and nothing keeps it away from 0",
                example("0.001", "0.002", "0.001", "1 divided by them", "500")
                if by_data
                else example("1", "2", "1", "divided by 0.001", "1000"),
                f"divide by a static number, or {_RELEASED}",
            )
        case "√":
            return Cause(
                "the slope of a root at 0 has no bound",
                example("0", "0.0001", "0.0001", "by their roots", "0.01"),
                f"take the root of a discrete value (𝔻), or {_RELEASED}",
            )
        case "㏒":
            return Cause(
                "the slope of a logarithm at 0 has no bound",
                example("0.001", "1", "0.999", "by their logarithms", "more than 6.9"),
                f"take the logarithm of a discrete value (𝔻), or {_RELEASED}",
            )
        case "≡" | "<" | "≤" | "∈":
            return Cause(
                "a comparison of reals jumps, however close they are",
                _comparison(node.name, args),
                "compare discrete values (𝔻, 𝐝 τ), or compare what was released",
            )
        case "floor" | "ceil" | "round":
            left, right = {"floor": ("0.999", "1"), "ceil": ("1", "1.001")}.get(node.name, ("0.499", "0.501"))
            return Cause(
                "a rounded real jumps, however close two reals are",
                example(left, right, "0.002" if node.name == "round" else "0.001", "rounded", "1"),
                "round a discrete value (𝔻), or round what was released",
            )
        case "exp":
            return Cause(
                "the slope of an exponential grows without bound",
                example("10", "11", "1", "by their exponentials", "more than 37000"),
                "clip its argument to a range and give the result one, or compute it of what was released",
            )
        case "sign":
            return Cause(
                "the sign of a real jumps at 0",
                example("-0.001", "0.001", "0.002", "by their signs", "2"),
                "take the sign of a discrete value (𝔻), or of what was released",
            )
        case "disc":
            return Cause(
                "two reals may be arbitrarily close, and any two discrete values that differ are 1 apart",
                example("0.1", "0.2", "0.1", "as discrete values", "1"),
                "declare the input discrete (𝔻), or leave it real and clip it",
            )
        case "conv":
            return Cause(
                "a discrete value that changes may change to any other, and nothing bounds the number that it stands for",
                example("0", "1000000", "1", "as numbers", "1000000") if _isshown(args) else "",
                "give it a range: clip[lo, hi] …",
            )
        case "mconv":
            return Cause(
                "a discrete row that changes may change to any other, and nothing bounds how long it is",
                _unclipped_rows(args),
                "bound the rows first: mconv (mclip[L2] …)",
            )
        case "rows":
            return Cause(
                "rows of reals near 0 come and go at hardly any distance, and each counts",
                "",
                "declare the columns discrete (𝔻, 𝐝 τ)",
            )
        case "join₁":
            return Cause(
                "one row of the right table may serve every row of the left one",
                "",
                "join with a public table on the right, or list only the left one as protected",
            )
        case _:
            return GENERIC


def _isshown(args: list[Judged | None]) -> bool:
    return args[0] is not None and isinstance(args[0].type, t.Disc) and isinstance(args[0].type.inner, t.Real | t.Nat)


def _unclipped_rows(args: list[Judged | None]) -> str:
    if args[0] is None or not isinstance(args[0].type, t.Matrix):
        return ""
    zeros = "" if args[0].type.width == ONE else ", 0"
    return example(f"[0{zeros}]", f"[1000000{zeros}]", "1", "as real rows", "1000000")


def _comparison(name: str, args: list[Judged | None]) -> str:
    """Two numbers on either side of the static one that is compared with."""
    fixed = [arg.type.value for arg in args if arg is not None and isinstance(arg.type, t.StaticReal)]
    if name == "∈" or len(fixed) != 1 or fixed[0].magnitude.constant is None:
        return ""
    value = fixed[0].magnitude.constant * (-1 if fixed[0].negative else 1)
    step = Fraction(1, 1000)
    on_the_left = args[0] is not None and isinstance(args[0].type, t.StaticReal)
    above = name == "≡" or (name == "<") == on_the_left
    other = value + step if above else value - step
    return example(shown(value), shown(other), "0.001", f"compared with {shown(value)}", "1")
