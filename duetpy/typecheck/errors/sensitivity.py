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
        reasons = (f"two numbers of different functions have the same name {claimed.show()}", *reasons)
    subject = "the gradient" if _is_gradient(node.body) else "this"
    return Diagnostic(
        "D0311",
        f"{subject} is more sensitive than claimed" if proved else "cannot verify the claimed sensitivity",
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
        f"no amount of noise suffices: {name} can change this without bound",
        at.span,
        f"{name} has ∞ here",
        labels=() if inside else (Label(node.body.span, f"{node.name} would have to cover it"),),
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
        notes=("one row of length 10⁶ changes the mean gradient by 10⁶/m",),
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
            "adding or removing a row changes the result by the size of its image, which the length of the row bounds "
            "only if a row of zeros provably has the image 0",
        ),
        help="build the body from the row with +, -, ⋅, /, mmap and mclip only, or apply it to discrete rows (𝔻) "
        "and convert afterwards, or fix the number of rows",
        rule=form,
    )


def unbounded_rows(span: Span, form: str) -> Diagnostic:
    return Diagnostic(
        "D0303",
        f"nothing bounds what one more row adds in this {form}",
        span,
        "no bound known",
        notes=("with ★ rows a row may be added or removed, which changes the result by what the row contributes",),
        help="clip the contribution of a row: clip[lo, hi] …, mclip[L2] …",
        rule=form,
    )


def counted_by_data(count: ast.SExp, names: Sequence[str]) -> Diagnostic:
    moved = " and ".join(names)
    public = (
        "loop up to a public number and let the remaining iterations do nothing: "
        "loop ℕ[100] on … { i, x ⇒ if i < … then … else x }"
    )
    if isinstance(count, ast.Var):
        public = f"declare {moved} as {moved} : ℕ[{moved}] if it is public; else {public}"
    return Diagnostic(
        "D0308",
        f"the number of iterations of this loop depends on {moved}",
        count.span,
        "not a public number",
        notes=("the time that a run takes, and whether it ends, would then reveal what the noise should hide",),
        help=public,
        rule="loop",
    )


def too_faint(span: Span, form: str, names: Sequence[str]) -> Diagnostic:
    moved = " and ".join(names)
    return Diagnostic(
        "D0309",
        f"{moved} is scaled down too far for {form}",
        span,
        "changes by less than 2⁻¹⁰⁰⁰ per unit",
        notes=(
            f"{form} keeps a limited number of binary places of a real; scaled up again, its rounding error could "
            f"become visible",
        ),
        help=f"scale {moved} after {form}, or by a factor closer to 1",
        rule=form,
    )


def fold_of_unknown_rows(span: Span, state: str) -> Diagnostic:
    return Diagnostic(
        "D0304",
        "a fold over an unknown number of rows must be a sum",
        span,
        f"the body is not of the form {state} + …",
        notes=("with any other body, one more row can cause an unbounded change",),
        help=f"write the body as {state} + g(row) with g clipped",
        rule="mfold-row",
    )


_WITHOUT_ONE_ROW = {
    "#[…]": "if an early row is removed, every later row gets a different number",
    "#[… ↦ …]": "if an early row is removed, every later row gets a different number",
    "chunks": "if an early row is removed, every later row moves by one place, and some into another batch",
}


def aligns_unknown_rows(span: Span, form: str) -> Diagnostic:
    return Diagnostic(
        "D0305",
        f"{form} needs a fixed number of rows",
        span,
        "★ rows",
        notes=(_WITHOUT_ONE_ROW.get(form, "if an early row is removed, every later row gets a different partner"),),
        help="declare the number of rows: 𝕄 [… | m, …] with m : ℕ",
    )


def bags_do_not_align(span: Span) -> Diagnostic:
    return Diagnostic(
        "D0305",
        "bmap of two bags has no meaning: their elements have no common order",
        span,
        "two bags",
        notes=("the same bag in a different order would give a different result",),
        help="map two tables with a fixed number of rows (mmap, or zip and mmap-row), or join them by a key (joinDF₁)",
        rule="bmap",
    )


def not_comparable(span: Span, name: str, *found: Type) -> Diagnostic:
    if any(isinstance(part, Matrix) and part.rows is None for type_ in found for part in parts_of(type_)):
        return Diagnostic(
            "D0306",
            "tables of unknown size and bags cannot be compared",
            span,
            "contains rows in no particular order",
            notes=("the same rows in a different order are the same table, but a comparison would distinguish them",),
            help="compare something that does not depend on the order, such as the number of rows",
            rule=name,
        )
    return Diagnostic(
        "D0306",
        "boxes and functions cannot be compared",
        span,
        "compares the contents of boxes or functions",
        notes=("the result would depend on the contents, but no input would be charged for it",),
        help="unbox the values first",
        rule=name,
    )


def set_of_reals(span: Span) -> Diagnostic:
    return Diagnostic(
        "D0307",
        "a set cannot contain reals: membership can change however close two reals are",
        span,
        "ℝ inside ℘",
        help="use 𝔻, ℕ or 𝕊 elements",
    )
