"""The sensitivity judgement for bags, records and data frames: bmap, mapDF, addColDF, partitionDF.

A record is one row of a table, a data frame is a table of such rows, and a bag is a ★ table: of its elements as rows, or of
one column of them. So they have the distances of tables, and everything that takes a table takes them. Write B for
𝕄[ℓ, c | ★, σ], with x : τ for its one nameless cell where σ is one nameless column of τ, and for one row otherwise.
"""

from __future__ import annotations

from attrs import evolve

from duetpy.grammar import ast
from duetpy.grammar.ast import Norm
from duetpy.typecheck import types as t
from duetpy.typecheck.annotations import Element
from duetpy.typecheck.checker import Checker
from duetpy.typecheck.context import EMPTY
from duetpy.typecheck.degrees import largest_degree
from duetpy.typecheck.errors import names, privacy, sensitivity, shapes
from duetpy.typecheck.judgement import Judged, degree_of, range_of
from duetpy.typecheck.quantity import INFINITY, ONE, Quantity
from duetpy.typecheck.rows import (
    expect_matrix,
    judge_with_parts,
    key_column,
    no_escape,
    row_type,
    rows_kept,
    unknown_rows,
)
from duetpy.typecheck.subtype import as_column, coerce, is_comparable, widen


def holds_cells(matrix: t.Matrix) -> bool:
    """Whether the elements of a bag are single cells: one column without a name."""
    match matrix.schema:
        case t.Uniform(count, _):
            return count == ONE
        case t.Columns((t.Column(None, _),)):
            return True
        case _:
            return False


#   Γ ⊢ e₁ : B ; Σ      Γ, x : τ ⊢ e₂ : τ₂ ; s⋅x ⊞ C            B counts rows, and so does the result: f = 1
#   ────────────────────────────────────────────────────      B counts rows, the result is real rows of norm ≤ b: f = b
#   Γ ⊢ bmap e₁ { x ⇒ e₂ } : bag τ₂ ; f⊙Σ ⊞ ∞⊙C                 both are real rows, and e₂ is 0 where x is: f = s; else refused
#
# One element in, one element out, in no order. With m rows, as mmap-row: s⊙Σ ⊞ m⊙C. `mapDF` maps the rows of any table.
def map_bag(checker: Checker, node: ast.Map) -> Judged:
    source = checker.judge(node.args[0])
    matrix = expect_matrix(checker, node.args[0], source, node.form)
    by_cell = matrix is not None and holds_cells(matrix)
    element: t.Type = t.POISON
    if matrix is not None:
        element = (matrix.element or t.POISON) if by_cell else row_type(matrix)
    body, (root,) = judge_with_parts(checker, node.body, node.names, [element], [source])
    body = no_escape(checker, node.body, body, root)
    captured = body.context.without(root)
    if matrix is None or isinstance(body.type, t.Poison):
        return Judged(t.POISON, source.context + captured)
    gives_rows = isinstance(body.type, t.Matrix) and body.type.rows == ONE
    checker.annotations.elements[node] = Element(by_cell, gives_rows)
    result, bound = _mapped(matrix, body)
    if matrix.rows is None:
        return unknown_rows(checker, node, source, matrix, result, bound, body, root)
    context = source.context.scaled(body.context[root]) + captured.scaled(matrix.rows)
    return Judged(result, context, rows_of=rows_kept(source, captured), degree=degree_of(body))


def _mapped(matrix: t.Matrix, body: Judged) -> tuple[t.Matrix, Quantity]:
    """The bag of what the body returns, and a bound on the norm of one such row."""
    if isinstance(body.type, t.Matrix) and body.type.rows == ONE:
        clip = body.type.clip
        bound = INFINITY if clip is None else t.norm_factor(clip.norm, body.type.norm, body.type.width) * clip.bound
        return evolve(body.type, rows=matrix.rows), bound
    bounds = range_of(body)
    result = t.Matrix(Norm.LINF, None, matrix.rows, t.Uniform(ONE, as_column(body.type)))
    return result, INFINITY if bounds is None else bounds.magnitude


#   Two bags have no order in which their elements could meet: with the elements of one in another order, it is the same
#   bag, and `bmap e₁, e₂` would not be the same result. There is no rule.
def map_two_bags(checker: Checker, node: ast.Map) -> Judged:
    context = EMPTY
    for argument in node.args:
        judged = checker.judge(argument)
        context = context + judged.context
    return checker.refuse(sensitivity.bags_do_not_align(node.span), context)


#   Γ ⊢ e₁ : record[…] ; Σ₁      Γ ⊢ e₂ : τ ; Σ₂      a new           Γ ⊢ e : 𝕄[ℓ, c | r, 1⋅τ] ; Σ
#   ───────────────────────────────────────────────────────           ───────────────────────────────────────────────
#   Γ ⊢ addColDF⧼a⧽ ⟨e₁, e₂⟩ : record[…, a : τ] ; Σ₁ ⊔ Σ₂             Γ ⊢ addColDF⧼a⧽ e : 𝕄[ℓ, c | r, a : τ ∷ []] ; Σ
#
# The row's norm L∞ takes the larger of two moves; in L1 and L2, and of a pair that comes from elsewhere, they add. A name
# alone changes no distance; a number, truth value or text becomes a record of one field.
def add_column(checker: Checker, node: ast.FrameOp) -> Judged:
    name, written = node.column.text, node.args[0]
    if isinstance(written, ast.Pair) and not written.lazy:
        left = checker.judge(written.left)
        right = checker.judge(written.right)
        widest = isinstance(left.type, t.Matrix) and left.type.norm is Norm.LINF
        context = left.context.join(right.context) if widest else left.context + right.context
        poisoned = isinstance(left.type, t.Poison) or isinstance(right.type, t.Poison)
        type_ = t.POISON if poisoned else t.Product(left.type, right.type)
        source = Judged(type_, context, degree=largest_degree(left, right))
        checker.annotations.note(written, source.type)
    else:
        source = checker.judge(written)
    match source.type:
        case t.Poison():
            return source
        case _ if not name:
            return source.poisoned()
        case t.Product(t.Matrix(schema=t.Columns(known)) as record, added) if record.rows == ONE:
            if any(column.name == name for column in known):
                return checker.refuse(names.field_twice(node.column.span, name), source.context)
            if not isinstance(added, t.Matrix):
                schema = t.Columns((*known, t.Column(name, as_column(added))))
                return Judged(t.Matrix(record.norm, None, ONE, schema), source.context, degree=source.degree)
        case t.Matrix() as table if holds_cells(table):
            named = t.Columns((t.Column(name, table.column_types()[0]),))
            return evolve(source, type=evolve(table, schema=named))
        case cell if is_cell(cell):
            row = t.Matrix(Norm.LINF, None, ONE, t.Columns((t.Column(name, as_column(cell)),)))
            return Judged(row, source.context, degree=degree_of(source))
        case _:
            pass
    return checker.refuse(names.cannot_add_column(node.span, name, source.type), source.context)


#   Γ ⊢ eᵢ : τᵢ ; Σᵢ      τᵢ a number, truth value or text, or one that may be missing      a, b, … distinct
#   ──────────────────────────────────────────────────────────────────────────────────────────────────
#   Γ ⊢ { a = e₁, b = e₂, … } : record[a : τ₁, b : τ₂, …] ; Σ₁ ⊔ Σ₂ ⊔ …
#
# A record is a row in L∞, whose distance is the largest of those of its fields.
def record(checker: Checker, node: ast.Record) -> Judged:
    context = EMPTY
    columns: list[t.Column] = []
    fields: list[Judged] = []
    taken: set[str] = set()
    is_known = True
    for name, written in zip(node.names, node.values, strict=True):
        field = checker.judge(written)
        context = context.join(field.context)
        if name.text in taken:
            checker.report(names.field_twice(name.span, name.text))
            is_known = False
        elif isinstance(field.type, t.Poison):
            is_known = False
        elif not is_cell(field.type.inner if isinstance(field.type, t.Maybe) else field.type):
            checker.report(names.not_a_field(written.span, name.text, field.type))
            is_known = False
        taken.add(name.text)
        columns.append(t.Column(name.text, widen(field.type)))
        fields.append(evolve(field, type=widen(field.type), range=range_of(field), degree=degree_of(field)))
    if not is_known:
        return Judged(t.POISON, context)
    row = t.Matrix(Norm.LINF, None, ONE, t.Columns(tuple(columns)))
    return Judged(row, context, degree=largest_degree(*fields), parts=tuple(fields))


def is_cell(type_: t.Type) -> bool:
    inner = type_.inner if isinstance(type_, t.Disc) else type_
    return isinstance(inner, t.Real | t.Bounded | t.StaticReal | t.Nat | t.StaticNat | t.Idx | t.Bool | t.Str | t.Date)


#   Γ ⊢ e₁ : 𝕄[ℓ, c | r, … ∷ a : κ ∷ …] ; Σ₁      Γ ⊢ e₂ : ℘ κ ; Σ₂      distinct rows ≥ 1 apart, or r = ★ counting rows
#   ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────
#   Γ ⊢ partitionDF[e₁, a, e₂] : bag 𝕄[ℓ, c | ★, …] ; 2⊙Σ₁ ⊞ ∞⊙Σ₂         from fixed r: 4⊙Σ₁
#
# A row lies in the part of its key, or in none. Adding or removing a row changes one part: this removes one element of the
# bag and adds one. A replaced row changes two parts. Adding a key may bring any number of rows into a part.
def partition(checker: Checker, node: ast.FrameOp) -> Judged:
    source = checker.judge(node.args[0])
    keys = checker.judge(node.args[1])
    context = source.context + keys.context
    matrix = expect_matrix(checker, node.args[0], source, "partitionDF")
    if matrix is None or isinstance(keys.type, t.Poison):
        return Judged(t.POISON, context)
    if not isinstance(keys.type, t.SetOf):
        return checker.refuse(privacy.keys_not_a_set(node.args[1].span, keys.type, "partitionDF"), context)
    key = key_column(checker, node, matrix)
    if key is None:
        return Judged(t.POISON, context)
    wanted = keys.type.element
    if not is_comparable(key) or not is_comparable(wanted):
        return checker.refuse(sensitivity.not_comparable(node.span, "partitionDF", key, wanted), context)
    if coerce(key, wanted) is None and coerce(wanted, key) is None:
        return checker.refuse(shapes.wrong_argument(node.column.span, wanted, key), context)
    result = t.Matrix(Norm.LINF, None, None, t.Uniform(ONE, evolve(matrix, rows=None)))
    if not (t.counts_rows(matrix) if matrix.rows is None else t.replaces_rows(matrix)):
        return Judged(result, context.unbounded())
    parts_touched = source.context if matrix.rows is None else source.context.scaled(Quantity.of(2))
    moved = parts_touched.scaled(Quantity.of(2)) + keys.context.unbounded()
    return Judged(result, moved, count=parts_touched + keys.context.unbounded(), degree=source.degree)
