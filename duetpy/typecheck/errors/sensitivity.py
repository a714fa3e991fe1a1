"""D03xx: sensitivities that are not what was claimed, or not finite."""

from __future__ import annotations

from collections.abc import Sequence

from duetpy.diagnostics.diagnostic import Diagnostic, Label
from duetpy.grammar import ast
from duetpy.source import Span
from duetpy.typecheck.errors.causes import Cause
from duetpy.typecheck.quantity import Quantity
from duetpy.typecheck.show import show_type
from duetpy.typecheck.types import Matrix, Type, parts_of


def sensitivity_too_small(
    node: ast.Mechanism,
    claim: Span,
    name: str,
    found: Quantity,
    claimed: Quantity,
    proved: bool,
    reasons: tuple[str, ...],
) -> Diagnostic:
    """The noise was asked for less than the body can move by."""
    alike = found.show() == claimed.show()
    if alike:
        reasons = (f"two numbers of different functions are called {claimed.show()}", *reasons)
    subject = "the gradient" if _is_gradient(node.body) else "this"
    verb = "is more sensitive than claimed" if proved else "is not shown to be as insensitive as claimed"
    return Diagnostic(
        "D0311",
        f"{subject} {verb}",
        node.body.span,
        f"{name} has {found.show()} here",
        labels=(Label(claim, f"claims {claimed.show()}"),),
        notes=reasons,
        help="rename one of them" if alike else f"write a sensitivity of {found.show()}, or {node.name}[auto, …]",
        rule=node.name,
    )


def _is_gradient(body: ast.SExp) -> bool:
    while isinstance(body, ast.Let):
        body = body.body
    return isinstance(body, ast.Prim) and body.loss is not None


def unbounded_sensitivity(node: ast.Mechanism, at: ast.SExp, name: str, cause: Cause, implicit: bool) -> Diagnostic:
    """The noise was asked to cover a value that an input moves without bound; `at` is where it starts to."""
    help_ = cause.help
    if implicit:
        help_ += f"; or, if {name} is public, list only the private inputs: {node.name}[…] <xs> {{ … }}"
    inside = node.body.span.contains(at.span)
    return Diagnostic(
        "D0301",
        f"no noise covers this: {name} can move it without bound",
        at.span,
        f"{name} has ∞ here",
        labels=() if inside else (Label(node.body.span, f"{node.name} is asked to cover it"),),
        notes=cause.notes,
        help=help_,
        rule=node.name,
    )


def gradient_unclipped(span: Span, features: Matrix) -> Diagnostic:
    return Diagnostic(
        "D0302",
        "the gradient of rows without a bound has no finite sensitivity",
        span,
        f"has type {show_type(features)}",
        notes=("one row of length 10⁶ moves the mean gradient by 10⁶/m",),
        help="bound the rows first: ∇[LR | θ; mclip[L2] xs, ys]",
        rule="∇",
    )


def real_rows_of_unknown_number(span: Span, form: str) -> Diagnostic:
    return Diagnostic(
        "D0303",
        f"{form} over an unknown number of real rows has no finite sensitivity",
        span,
        "★ rows of reals",
        notes=(
            "a row more or less costs what its image weighs, which is bounded by its length only where a row of zeros "
            "plainly has 0 for its image",
        ),
        help="build the body from the row by +, -, ⋅, /, mmap and mclip alone, or apply it to discrete rows (𝔻) and convert "
        "afterwards, or fix the number of rows",
        rule=form,
    )


def unbounded_rows(span: Span, form: str) -> Diagnostic:
    return Diagnostic(
        "D0303",
        f"nothing bounds what one row more adds in this {form}",
        span,
        "no bound known",
        notes=("with ★ rows a row may come or go, so the result moves by the size of what a row contributes",),
        help="clip what a row contributes: clip[lo, hi] …, mclip[L2] …",
        rule=form,
    )


def counted_by_data(count: ast.SExp, names: Sequence[str]) -> Diagnostic:
    moved = " and ".join(names)
    public = (
        "loop to a public number and let the body do nothing beyond: loop ℕ[100] on … { i, x ⇒ if i < … then … else x }"
    )
    if isinstance(count, ast.Var):
        public = f"declare {moved} as {moved} : ℕ[{moved}] if it is public; else {public}"
    return Diagnostic(
        "D0308",
        f"how often this loop turns depends on {moved}",
        count.span,
        "not a public number",
        notes=("how long a run takes, and whether it ends, would then tell what noise was to hide",),
        help=public,
        rule="loop",
    )


def too_faint(span: Span, form: str, names: Sequence[str]) -> Diagnostic:
    moved = " and ".join(names)
    return Diagnostic(
        "D0309",
        f"{moved} is scaled down too far for {form}",
        span,
        "moves by less than 2⁻¹⁰⁰⁰ a unit",
        notes=(f"{form} keeps so many binary places of a real; scaled up again, what it rounds off could be seen",),
        help=f"scale {moved} after {form}, or not so far",
        rule=form,
    )


def fold_of_unknown_rows(span: Span, state: str) -> Diagnostic:
    return Diagnostic(
        "D0304",
        "a fold over an unknown number of rows must be a sum",
        span,
        f"the body is not of the form {state} + …",
        notes=("any other body turns one row more into an unbounded change",),
        help=f"write the body as {state} + g(row) with g clipped",
        rule="mfold-row",
    )


_WITHOUT_ONE_ROW = {
    "#[…]": "without one early row every later row has another number",
    "#[… ↦ …]": "without one early row every later row has another number",
    "chunks": "without one early row every later row would fall into another place, most of them into another batch",
}


def aligns_unknown_rows(span: Span, form: str) -> Diagnostic:
    return Diagnostic(
        "D0305",
        f"{form} needs a fixed number of rows",
        span,
        "★ rows",
        notes=(_WITHOUT_ONE_ROW.get(form, "without one early row every later row would meet another partner"),),
        help="declare the number of rows: 𝕄 [… | m, …] with m : ℕ",
    )


def bags_do_not_align(span: Span) -> Diagnostic:
    return Diagnostic(
        "D0305",
        "bmap of two bags has no meaning: their elements have no order in which they could meet",
        span,
        "two bags",
        notes=("the same bag in another order would give another result",),
        help="map two tables with a fixed number of rows (mmap, or zip and mmap-row), or join them by a key (joinDF₁)",
        rule="bmap",
    )


def not_comparable(span: Span, name: str, *found: Type) -> Diagnostic:
    if any(isinstance(part, Matrix) and part.rows is None for type_ in found for part in parts_of(type_)):
        return Diagnostic(
            "D0306",
            "tables of unknown size and bags cannot be compared",
            span,
            "holds rows in no order",
            notes=("the same rows in another order are the same table, and a comparison would tell them apart",),
            help="compare what is the same in every order, such as the number of rows",
            rule=name,
        )
    return Diagnostic(
        "D0306",
        "boxes and functions cannot be compared",
        span,
        "compares what is in a box or a function",
        notes=("the result would depend on the contents, and nobody would be charged for it",),
        help="unbox the values first",
        rule=name,
    )


def set_of_reals(span: Span) -> Diagnostic:
    return Diagnostic(
        "D0307",
        "a set cannot hold reals: membership jumps however close two reals are",
        span,
        "ℝ inside ℘",
        help="use 𝔻, ℕ or 𝕊 elements",
    )
