"""D03xx: sensitivities that are not what was claimed, or not finite."""

from __future__ import annotations

from collections.abc import Sequence

from duetpy.diagnostics.diagnostic import Diagnostic, Label
from duetpy.grammar import ast
from duetpy.grammar.compare import same
from duetpy.grammar.labels import label_text
from duetpy.source import Span
from duetpy.typecheck.cells import has_real_cells
from duetpy.typecheck.errors.causes import Cause, Concluded
from duetpy.typecheck.errors.choosing import by_row, chosen
from duetpy.typecheck.errors.missing import as_argument, quoted
from duetpy.typecheck.errors.texts import Text, text_of
from duetpy.typecheck.facts import facts_of
from duetpy.typecheck.fold_patterns import matrix_addend, sum_addend
from duetpy.typecheck.judgement import Judged
from duetpy.typecheck.quantity import Quantity
from duetpy.typecheck.types import (
    Bounded,
    Columns,
    Date,
    Disc,
    Matrix,
    Maybe,
    Nat,
    Real,
    Type,
    parts_of,
)


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
    subject = "the gradient" if _is_gradient(node.body) else "this"
    message = f"{subject} is more sensitive than claimed" if proved else "cannot verify the claimed sensitivity"
    help_ = f"write a sensitivity of {found.show()}, or {node.name}[auto, …]"
    labels = (Label(claim, f"claims {claimed.show()}"),)
    text = text_of(__name__, "sensitivity_too_small")
    return text(node.body.span, node.name, message, name, found, help_, labels=labels, notes=reasons)


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
    labels = () if inside else (Label(node.body.span, f"{node.name} would have to cover it"),)
    text = text_of(__name__, "unbounded_sensitivity")
    return text(at.span, node.name, name, help_, labels=labels, notes=cause.notes)


def adds_other_matrices(node: ast.Fold, state: Type) -> bool:
    """Whether a fold is a sum of matrices of which not all cells are real."""
    is_sum = isinstance(state, Matrix) and state.rows is not None and matrix_addend(node) is not None
    return is_sum and not has_real_cells(state)


def fold_of_unknown_rows(node: ast.Fold, state: Type) -> Diagnostic:
    """A fold over ★ rows whose body is no sum, or a sum of numbers that are not real."""
    if adds_other_matrices(node, state):
        return text_of(__name__, "sum_of_other_matrices")(node.span, node.state.text, state)
    is_sum = sum_addend(node, node.init) is not None
    match state:
        case Disc(Real() | Bounded()) if is_sum:
            return text_of(__name__, "sum_of_cells")(node.span, node.state.text)
        case Disc(Nat()) if is_sum:
            return text_of(__name__, "sum_of_discrete_naturals")(node.span, node.state.text)
        case _:
            return text_of(__name__, "fold_of_unknown_rows")(node.span, node.state.text)


def counted_by_data(count: ast.SExp, names: Sequence[str]) -> Diagnostic:
    moved = " and ".join(names)
    public = (
        "loop up to a public number and let the remaining iterations do nothing: "
        "loop ℕ[100] on … { i, x ⇒ if i < … then … else x }"
    )
    if isinstance(count, ast.Var):
        public = f"declare {moved} as {moved} : ℕ[{moved}] if it is public; else {public}"
    return text_of(__name__, "counted_by_data")(count.span, moved, public)


_WITHOUT_ONE_ROW = {
    "#[…]": "if an early row is removed, every later row gets a different number",
    "#[… ↦ …]": "if an early row is removed, every later row gets a different number",
    "chunks": "if an early row is removed, every later row moves by one place, and some into another batch",
}


def aligns_unknown_rows(span: Span, form: str) -> Diagnostic:
    reason = _WITHOUT_ONE_ROW.get(form, "if an early row is removed, every later row gets a different partner")
    return text_of(__name__, "aligns_unknown_rows")(span, form, reason)


def not_comparable(span: Span, name: str, *found: Type) -> Diagnostic:
    if any(isinstance(part, Matrix) and part.rows is None for type_ in found for part in parts_of(type_)):
        return text_of(__name__, "rows_not_comparable")(span, name)
    return text_of(__name__, "contents_not_comparable")(span, name)


def __getattr__(name: str) -> Text:
    return text_of(__name__, name)


def rows_not_ordered(span: Span, form: str, table: Matrix) -> Diagnostic:
    some = f"select columns of such cells first, {form} {chosen(table)}"
    help_ = (
        some
        if isinstance(table.schema, Columns)
        else f"compute such cells first, {form} ({by_row(table)} xs {{ row ⇒ … }})"
    )
    return text_of(__name__, "rows_not_ordered")(span, form, table, help_)


def doubt(node: ast.Prim, result: Type, args: Sequence[Judged], concluded: Concluded) -> Diagnostic | None:
    """The warning about an application that is sound, and may still compute something else than is meant."""
    return _row_by_another_column(node, result, args[0].type) or _difference_that_stops(node, result, args, concluded)


def _difference_that_stops(
    node: ast.Prim, result: Type, args: Sequence[Judged], concluded: Concluded
) -> Diagnostic | None:
    """What is said of a difference of two natural numbers that inputs move, if its form does not say which one is the larger."""
    is_natural = isinstance(result.inner if isinstance(result, Disc) else result, Nat)
    if not is_natural or facts_of(node.name).static != "difference":
        return None
    if not all(arg.context for arg in args):
        return None
    left, right = node.args
    if _is_picked(left, "largest", right) or _is_picked(right, "smallest", left) or _are_fewer(right, left, concluded):
        return None
    written = [quoted(each.span) for each in node.args]
    # Of operands that are too long to be shown, only letters say which one stands where.
    first, second = ("a", "b") if "…" in written else map(as_argument, written)
    return text_of(__name__, "difference_that_stops")(node.span, first, second)


def _is_picked(node: ast.SExp, which: str, other: ast.SExp) -> bool:
    """Whether an expression is the largest, or the smallest, of another one and something else."""
    if not isinstance(node, ast.Prim) or facts_of(node.name).picks != which:
        return False
    return any(same(each, other) for each in node.args)


def _are_fewer(node: ast.SExp, other: ast.SExp, concluded: Concluded) -> bool:
    """Whether an expression counts the rows of a table that are in a selection, and another one all of them."""
    if not isinstance(node, ast.Prim) or not isinstance(other, ast.Prim) or node.name != other.name:
        return False
    if facts_of(node.name).counts != "row":
        return False
    some, everything = _named(node.args[0], concluded), _named(other.args[0], concluded)
    while isinstance(some, ast.Filter):
        some = _named(some.arg, concluded)
        if same(some, everything):
            return True
    return False


def _named(node: ast.SExp, concluded: Concluded) -> ast.SExp:
    """What a let calls by this name."""
    while isinstance(node, ast.Var) and (judged := concluded.get(node)) is not None and judged.origin is not None:
        node = judged.origin
    return node


def _row_by_another_column(node: ast.Prim, result: Type, table: Type) -> Diagnostic | None:
    """What is said of a row that is chosen by a column other than one of days, if nobody has chosen the columns."""
    is_row = isinstance(result, Maybe) and isinstance(result.inner, Matrix)
    if not is_row or isinstance(node.args[0], ast.Select) or not isinstance(table, Matrix):
        return None
    columns = table.schema.columns if isinstance(table.schema, Columns) else ()
    days = [column for column in columns if any(isinstance(part, Date) for part in parts_of(column.type))]
    if not days or columns[0] in days or columns[0].name is None or days[0].name is None:
        return None
    first, day, at = label_text(columns[0].name), label_text(days[0].name), node.args[0].span
    return text_of(__name__, "row_by_another_column")(at, node.name, first, day, quoted(at))


def rows_not_readable(span: Span, form: str, table: Matrix, column: Type) -> Diagnostic:
    some = f"leave that column out, with {chosen(table)} in place of the table xs"
    other = f"compute something else first that decides: {by_row(table)} xs {{ row ⇒ … }} in place of the table xs"
    return text_of(__name__, "rows_not_readable")(
        span, form, column, some if isinstance(table.schema, Columns) else other
    )
