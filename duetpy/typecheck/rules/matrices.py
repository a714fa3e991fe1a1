"""The sensitivity judgement for matrices: creation, maps, folds, filters, entries.

Write M = 𝕄[ℓ, c | m, n⋅τ]. For fixed m the distance of two matrices is the sum over rows of the ℓ-norm of the entries'
distances; for ★ rows it is the size of the symmetric difference of the rows as multisets (discrete columns) or the
cheapest matching (real columns). 'Captured' is the part of a body's context that is not its own binder's.
"""

from __future__ import annotations

from attrs import evolve

from duetpy.grammar import ast
from duetpy.grammar.ast import Norm
from duetpy.typecheck import cells, persons
from duetpy.typecheck import types as t
from duetpy.typecheck.annotations import Element
from duetpy.typecheck.bins import bins_of, moves_of_counts
from duetpy.typecheck.checker import Checker
from duetpy.typecheck.context import EMPTY, Context, Root
from duetpy.typecheck.direction import goes_one_way
from duetpy.typecheck.errors import missing, names, sensitivity, shapes
from duetpy.typecheck.judgement import Judged, degree_of, range_of
from duetpy.typecheck.literals import is_real, judge_as
from duetpy.typecheck.quantity import INFINITY, ONE, Quantity
from duetpy.typecheck.rows import expect_matrix, judge_with_parts, no_escape, row_type, rows_kept, unknown_rows
from duetpy.typecheck.subtype import coerce, is_finer, join_types, widen


def entry_type(checker: Checker, node: ast.SExp, matrix: t.Matrix, form: str) -> t.Type:
    if matrix.element is None:
        checker.report(shapes.mixed_columns(node.span, form, matrix))
        return t.POISON
    return matrix.element


def static_size(checker: Checker, node: ast.SExp, judged: Judged) -> Quantity:
    match judged.type:
        case t.StaticNat(value):
            checker.obligate(ONE, "≤", value, "a matrix has at least one row and column", node.span)
            return value
        case t.Poison():
            return ONE
        case other:
            checker.report(shapes.needs_static_size(node.span, other))
            return ONE


#   Γ ⊢ e₁ : ℕ[m] ; Σ₁      Γ ⊢ e₂ : ℕ[n] ; Σ₂      Γ, i : 𝕀[m], j : 𝕀[n] ⊢ e : τ ; C
#   ─────────────────────────────────────────────────────────────────────────────────
#   Γ ⊢ mcreate[ℓ | e₁, e₂] { i, j ⇒ e } : 𝕄[ℓ, U | m, n⋅τ] ; Σ₁ ⊞ Σ₂ ⊞ (m⋅‖1ⁿ‖_ℓ)⊙C
#
# All m⋅n entries may move by C at once: a row by ‖1ⁿ‖_ℓ⋅C, that is n, √n or 1 times. Counts of rows in disjoint
# bins: adding or removing a row moves one of them, replacing it moves two; in each row of the matrix, or in all.
def create(checker: Checker, node: ast.MCreate) -> Judged:
    rows = checker.judge(node.rows)
    cols = checker.judge(node.cols)
    m, n = static_size(checker, node.rows, rows), static_size(checker, node.cols, cols)
    indices = ((node.row.text, Judged(t.Idx(m))), (node.col.text, Judged(t.Idx(n))))
    with checker.scope.binding(*indices):
        body = checker.judge(node.body)
    element = dynamic(body.type)
    bins = bins_of(node)
    source = None if bins is None else checker.concluded.get(bins.table)
    moves = body.context.scaled(t.row_factor(node.norm, n)).scaled(m)
    if bins is not None and source is not None and isinstance(source.type, t.Matrix):
        moves = moves_of_counts(node.norm, m, n, bins, source, body)
    context = rows.context + cols.context + moves
    result = t.Matrix(node.norm, None, m, t.Uniform(n, element))
    return Judged(result, context, one_way=goes_one_way(node.body), degree=degree_of(body))


def dynamic(type_: t.Type) -> t.Type:
    """The entry type for entries that differ from row to row: a static number is one only for itself."""
    return widen(type_)


#   Γ ⊢ e₁ : M ; Σ₁      Γ, x : τ ⊢ e₂ : τ₂ ; s⋅x ⊞ C
#   ───────────────────────────────────────────────────────────────────────────
#   Γ ⊢ mmap e₁ { x ⇒ e₂ } : 𝕄[ℓ, U | m, n⋅τ₂] ; s⊙Σ₁ ⊞ (m⋅‖1ⁿ‖_ℓ)⊙C
#
# On ★ the row rule below applies, entry by entry.
def map_entries(checker: Checker, node: ast.Map) -> Judged:
    source = checker.judge(node.args[0])
    matrix = expect_matrix(checker, node.args[0], source, node.form)
    element = t.POISON if matrix is None else entry_type(checker, node.args[0], matrix, node.form)
    body, (entry,) = judge_with_parts(checker, node.body, node.names, [element], [source])
    body = no_escape(checker, node.body, body, entry)
    captured = body.context.without(entry)
    if matrix is None:
        return Judged(t.POISON, source.context + captured)
    result = t.Matrix(matrix.norm, None, matrix.rows, t.Uniform(matrix.width, dynamic(body.type)))
    if matrix.rows is None:
        bounds = range_of(body)
        bound = INFINITY if bounds is None else bounds.magnitude * t.row_factor(matrix.norm, matrix.width)
        return unknown_rows(checker, node, source, matrix, result, bound, body, entry)
    spread = matrix.rows * t.row_factor(matrix.norm, matrix.width)
    context = source.context.scaled(body.context[entry]) + captured.scaled(spread)
    kept = rows_kept(source, captured)
    return Judged(result, context, rows_of=kept, one_way=goes_one_way(node.body), degree=degree_of(body))


#   Γ ⊢ e₁ : 𝕄[ℓ, c₁ | m, n⋅τ₁] ; Σ₁      Γ ⊢ e₂ : 𝕄[ℓ, c₂ | m, n⋅τ₂] ; Σ₂      Γ, x : τ₁, y : τ₂ ⊢ e₃ : τ₃ ; s⋅x ⊞ t⋅y ⊞ C
#   ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
#   Γ ⊢ mmap e₁, e₂ { x, y ⇒ e₃ } : 𝕄[ℓ, U | m, n⋅τ₃] ; s⊙Σ₁ ⊞ t⊙Σ₂ ⊞ (m⋅‖1ⁿ‖_ℓ)⊙C                        fixed m only
def map_two(checker: Checker, node: ast.Map) -> Judged:
    sources = []
    matrices = []
    for argument in node.args:
        source = checker.judge(argument)
        sources.append(source)
        matrices.append(expect_matrix(checker, argument, source, node.form))
    left, right = matrices
    elements = [
        t.POISON if matrix is None else entry_type(checker, argument, matrix, node.form)
        for matrix, argument in zip(matrices, node.args, strict=True)
    ]
    body, roots = judge_with_parts(checker, node.body, node.names, elements, sources)
    body = no_escape(checker, node.body, body, *roots)
    captured = body.context.without(*roots)
    if left is None or right is None:
        return Judged(t.POISON, sources[0].context + sources[1].context + captured)
    everything = sources[0].context + sources[1].context + captured
    if left.rows is None or right.rows is None:
        return checker.refuse(sensitivity.aligns_unknown_rows(node.span, "mmap of two matrices"), everything)
    if left.rows != right.rows or left.width != right.width:
        return checker.refuse(shapes.shapes_differ(node.span, left, right), everything)
    norm = left.norm if is_finer(right.norm, left.norm) else right.norm
    spread = left.rows * t.row_factor(norm, left.width)
    context = (
        sources[0].context.scaled(body.context[roots[0]])
        + sources[1].context.scaled(body.context[roots[1]])
        + captured.scaled(spread)
    )
    kept = rows_kept(sources[0], captured)
    rows_of = kept if kept is not None and sources[1].rows_of in (kept, None) and _rowwise(sources[1], kept) else None
    result = t.Matrix(norm, None, left.rows, t.Uniform(left.width, dynamic(body.type)))
    return Judged(result, context, rows_of=rows_of, degree=degree_of(body))


def _rowwise(source: Judged, root: Root) -> bool:
    """Whether row i of a matrix depends on an input through its row i only, or not at all."""
    return source.rows_of == root or not source.context.mentions(root)


#   Γ ⊢ e₁ : M ; Σ₁      Γ, x : 𝕄[ℓ, c | 1, n⋅τ] ⊢ e₂ : 𝕄[ℓ₂, c₂ | 1, k⋅τ₂] ; s⋅x ⊞ C
#   ─────────────────────────────────────────────────────────────────────────────────────
#   Γ ⊢ mmap-row e₁ { x ⇒ e₂ } : 𝕄[ℓ₂, c₂ | m, k⋅τ₂] ; s⊙Σ₁ ⊞ m⊙C
#
# A scalar body makes a column, 𝕄[L∞, U | m, 1⋅τ₂]. Row distances add up over rows, so s carries over and the captured
# part moves all m rows. On ★ see `unknown_rows`.
def map_rows(checker: Checker, node: ast.Map) -> Judged:
    source = checker.judge(node.args[0])
    matrix = expect_matrix(checker, node.args[0], source, node.form)
    type_: t.Type = t.POISON if matrix is None else row_type(matrix)
    body, (row,) = judge_with_parts(checker, node.body, node.names, [type_], [source])
    body = no_escape(checker, node.body, body, row)
    captured = body.context.without(row)
    if matrix is None or isinstance(body.type, t.Poison):
        return Judged(t.POISON, source.context + captured)
    checker.annotations.elements[node] = Element(is_cell=False, gives_rows=isinstance(body.type, t.Matrix))
    match body.type:
        case t.Matrix(norm, clip, rows, schema) if rows == ONE:
            result = t.Matrix(norm, clip, matrix.rows, schema)
            bound = INFINITY if clip is None else t.norm_factor(clip.norm, norm, body.type.width) * clip.bound
        case t.Matrix():
            return checker.refuse(shapes.row_body_not_a_row(node.body.span, body.type), source.context + captured)
        case _:
            column = dynamic(body.type)
            result = t.Matrix(Norm.LINF, None, matrix.rows, t.Uniform(ONE, column))
            bounds = range_of(body)
            bound = INFINITY if bounds is None else bounds.magnitude
    if matrix.rows is None:
        return unknown_rows(checker, node, source, matrix, result, bound, body, row)
    context = source.context.scaled(body.context[row]) + captured.scaled(matrix.rows)
    return Judged(result, context, rows_of=rows_kept(source, captured), degree=degree_of(body))


#   Γ ⊢ e₁ : M ; Σ₁      Γ, r : one row ⊢ e₂ : 𝔹 ; C
#   ────────────────────────────────────────────────────────────      discrete columns only: rows close to each other
#   Γ ⊢ mfilter e₁ { r ⇒ e₂ } : 𝕄[ℓ, c | ★, …] ; 2⊙Σ₁ ⊞ ∞⊙C          could differ in the predicate
#
# Each row is kept or dropped by itself. On ★ adding a row adds at most one: factor 1. From fixed m a replaced row can leave
# and enter: factor 2 in ★'s distance, but the number of rows kept moves by at most 1.
def filter_rows(checker: Checker, node: ast.Filter) -> Judged:
    source = checker.judge(node.arg)
    matrix = expect_matrix(checker, node.arg, source, "mfilter")
    type_: t.Type = t.POISON if matrix is None else row_type(matrix)
    row = Root.fresh(node.row.text, separated=t.is_separated(type_))
    with checker.scope.binding((node.row.text, Judged(type_, Context.of(row), degree=source.degree))):
        body = checker.judge(node.body)
    if coerce(body.type, t.BOOL) is None:
        checker.report(shapes.not_a_boolean(node.body.span, body.type))
    captured = body.context.without(row)
    if matrix is None:
        return Judged(t.POISON, source.context + captured)
    result = evolve(matrix, rows=None)
    if not (t.counts_rows(matrix) if matrix.rows is None else t.replaces_rows(matrix)):
        return Judged(result, source.context.unbounded() + captured.unbounded())
    rows_moved = source.context.scaled(rows_per_step(matrix))
    entering = rows_moved if matrix.rows is None else rows_moved.scaled(Quantity.of(2))
    count = source.count if source.count is not None and matrix.rows is None else rows_moved
    everything = entering + captured.unbounded()
    count = count + captured.unbounded()
    return Judged(result, everything, count=count, degree=source.degree, ordered=source.ordered)


def rows_per_step(matrix: t.Matrix) -> Quantity:
    """How many rows differ in matrices of discrete columns at distance 1: one, since a differing row is ≥ 1 away."""
    return ONE


#   Γ ⊢ e₁ : M ; Σ₁      Γ ⊢ e₂ : 𝕀[m] ; Σ₂      Γ ⊢ e₃ : 𝕀[n] ; Σ₃
#   ──────────────────────────────────────────────────────────────────      an entry moves by no more than its row;
#   Γ ⊢ e₁#[e₂, e₃] : τ ; Σ₁ ⊞ ∞⊙Σ₂ ⊞ ∞⊙Σ₃                                   neighbouring entries are unrelated
#
# With ★ rows removing a row shifts all that follow, and the same rows in another order are the same table: refused. Of a table
# that is public there may be no rows, and then 0 stands for a number, which may lie in no range of its column.
def index(checker: Checker, node: ast.Index) -> Judged:
    source = checker.judge(node.matrix)
    matrix = expect_matrix(checker, node.matrix, source, "#[…]")
    row = checker.judge(node.row)
    col = None if node.col is None else checker.judge(node.col)
    indices = row.context.unbounded() + (EMPTY if col is None else col.context.unbounded())
    if matrix is None:
        return Judged(t.POISON, source.context + indices)
    check_index(checker, node.row, row, matrix.rows)
    if matrix.rows is None and source.context:
        return checker.refuse(sensitivity.aligns_unknown_rows(node.span, "#[…]"), source.context + indices)
    found: t.Type = row_type(matrix) if node.col is None or col is None else column_at(checker, node.col, col, matrix)
    found = cells.without_ranges(found) if matrix.rows is None else found
    return Judged(found, source.context + indices, degree=source.degree)


def check_index(checker: Checker, node: ast.SExp, judged: Judged, size: Quantity | None) -> None:
    """An index is a natural number; a static one must be shown to lie inside."""
    match judged.type:
        case t.StaticNat(value):
            if size is not None:
                checker.obligate(value + 1, "≤", size, "the index lies inside the matrix", node.span)
        case t.Idx(bound):
            if size is not None:
                checker.obligate(bound, "≤", size, "the index lies inside the matrix", node.span)
        case t.Nat() | t.Poison():
            pass
        case other:
            checker.report(shapes.not_an_index(node.span, other))


def column_at(checker: Checker, node: ast.SExp, judged: Judged, matrix: t.Matrix) -> t.Type:
    """The type of a column chosen by an index: by its number where columns differ."""
    check_index(checker, node, judged, matrix.width)
    match matrix.schema:
        case t.Uniform(_, element):
            return element
        case t.Columns(columns):
            position = known_place(judged)
            if position is not None:
                return columns[position].type if position < len(columns) else t.POISON
            if matrix.element is not None:
                return matrix.element
            checker.report(shapes.mixed_columns(node.span, "a computed column index", matrix))
            return t.POISON
        case t.SchemaVar():
            checker.report(shapes.mixed_columns(node.span, "a column index", matrix))
            return t.POISON


def known_place(judged: Judged) -> int | None:
    """The number that an index is, where its type says it."""
    if isinstance(judged.type, t.StaticNat) and judged.type.value.constant is not None:
        return int(judged.type.value.constant)
    return None


#   Γ ⊢ e₁ : M ; Σ₁      indices public      Γ ⊢ e₄ : τ ; Σ₄
#   ─────────────────────────────────────────────────────────────      one entry, so one unit of the row's norm;
#   Γ ⊢ e₁#[i, j ↦ e₄] : 𝕄[ℓ, U | m, n⋅τ] ; Σ₁ ⊞ Σ₄ ⊞ ∞⊙Σ_i,j         the bound on the row is lost
#
# Where the column is not known, any of them may be the one that has the new cell, so that all are of the one type that
# holds the cells of each.
def update(checker: Checker, node: ast.Update) -> Judged:
    source = checker.judge(node.matrix)
    matrix = expect_matrix(checker, node.matrix, source, "#[… ↦ …]")
    row = checker.judge(node.row)
    col = checker.judge(node.col)
    indices = row.context.unbounded() + col.context.unbounded()
    if matrix is None:
        return Judged(t.POISON, source.context + indices + checker.judge(node.value).context)
    check_index(checker, node.row, row, matrix.rows)
    wanted = column_at(checker, node.col, col, matrix)
    if isinstance(matrix.schema, t.Columns) and known_place(col) is None:
        columns = tuple([evolve(column, type=wanted) for column in matrix.schema.columns])
        matrix = evolve(matrix, schema=t.Columns(columns))
    value = judge_as(checker, node.value, is_real(wanted))
    factor = coerce(value.type, wanted)
    if factor is None:
        joined = join_types(value.type, wanted) if isinstance(matrix.schema, t.Uniform) else None
        if joined is None:
            return checker.refuse(shapes.wrong_argument(node.value.span, wanted, value.type), source.context + indices)
        matrix, factor = evolve(matrix, schema=t.Uniform(matrix.width, joined)), ONE
    if matrix.rows is None and source.context:
        return checker.refuse(sensitivity.aligns_unknown_rows(node.span, "#[… ↦ …]"), source.context + indices)
    moved = value.context.scaled(factor * rows_exchanged(matrix))
    return Judged(evolve(matrix, clip=None), source.context + indices + moved)


def rows_exchanged(matrix: t.Matrix) -> Quantity:
    """By how much an entry's move can be multiplied in the matrix: with ★ discrete rows one row goes and one comes."""
    if matrix.rows is not None or all(isinstance(column, t.Real) for column in matrix.column_types()):
        return ONE
    return Quantity.of(2) if all(t.is_discrete(column) for column in matrix.column_types()) else INFINITY


#   Γ ⊢ e : 𝕄[ℓ, c | 1, … ∷ a : τ ∷ …] ; Σ              Γ ⊢ e : 𝕄[ℓ, c | 1, … ∷ b : 𝐝 𝕄[ℓ′, c′ | ★, σ] ∷ …] ; Σ
#   ──────────────────────────────────────────              ──────────────────────────────────────────────────────────
#   Γ ⊢ e.a : τ ; Σ                                         Γ ⊢ e.b : 𝕄[ℓ′, c′ | ★, σ] ; ∞⊙Σ, in order
#
# The rows that a file has of a person are one discrete value there, and a table here, at any distance. Where e is written as a
# record, or is a name of one, e.a is what is written there.
def field_of(checker: Checker, node: ast.FieldOf) -> Judged:
    source = checker.judge(node.record)
    name = node.name.text
    if not name:
        return source.poisoned()
    match source.type:
        case t.Poison():
            return source
        case t.Matrix(_, _, rows, t.Columns(columns)) if rows == ONE:
            found = [column.type for column in columns if column.name == name]
            checker.annotations.places[node] = tuple(at for at, column in enumerate(columns) if column.name == name)[
                -1:
            ]
        case t.Matrix() if source.type.rows != ONE:
            return checker.refuse(
                names.column_of_table(node.record.span, node.span, name, source.type, source.ordered), source.context
            )
        case t.Maybe(t.Matrix()):
            return checker.refuse(missing.missing_row(node.record.span, name, source.type), source.context)
        case _:
            found = []
    if not found:
        refused = names.no_such_column(node.name.span, name, source.type, node.record.span)
        return checker.refuse(refused, source.context)
    if source.parts:
        return source.parts[checker.annotations.places[node][0]]
    block = persons.block_in(found[-1])
    if block is not None:
        return Judged(block, source.context.unbounded(), degree=source.degree, ordered=True)
    return Judged(found[-1], source.context, degree=source.degree)


#   Γ ⊢ e : 𝕄[ℓ, c | m, … ∷ a : τ ∷ …] ; Σ
#   ──────────────────────────────────────────────────────────      fewer entries: no norm grows, and on ★ a row stays
#   Γ ⊢ e.[a, b] : 𝕄[ℓ, c | m, a : τ ∷ b : τ′ ∷ []] ; Σ             a row
def select(checker: Checker, node: ast.Select) -> Judged:
    source = checker.judge(node.table)
    matrix = expect_matrix(checker, node.table, source, ".[…]")
    if matrix is None or not all(name.text for name in node.names):
        return source.poisoned()
    chosen: list[t.Column] = []
    known = matrix.schema.columns if isinstance(matrix.schema, t.Columns) else ()
    for name in node.names:
        column = next((column for column in known if column.name == name.text), None)
        if column is None:
            return checker.refuse(names.no_such_column(name.span, name.text, source.type), source.context)
        if column in chosen:
            return checker.refuse(names.column_twice(name.span, name.text), source.context)
        chosen.append(column)
    checker.annotations.places[node] = tuple(known.index(column) for column in chosen)
    result = evolve(matrix, schema=t.Columns(tuple(chosen)))
    # Where ★ rows are counted, adding a row adds one to the part; but a real part is as far from no row as it is long.
    context = source.context if matrix.rows is not None or same_metric(matrix, result) else source.context.unbounded()
    return Judged(
        result, context, rows_of=source.rows_of, count=source.count, degree=source.degree, ordered=source.ordered
    )


def same_metric(matrix: t.Matrix, part: t.Matrix) -> bool:
    """Whether two ★ tables are both measured by counting rows, or both by matching them."""
    return (t.counts_rows(matrix) and t.counts_rows(part)) or (t.matches_rows(matrix) and t.matches_rows(part))
