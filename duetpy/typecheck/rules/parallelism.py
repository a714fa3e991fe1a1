"""The privacy judgement for forms that run one mechanism on many parts: mmapp, pmap-col, pfld-rows."""

from __future__ import annotations

from attrs import evolve

from duetpy.grammar import ast
from duetpy.grammar.ast import Norm
from duetpy.typecheck import cost as costs
from duetpy.typecheck import types as t
from duetpy.typecheck.boxes import owes
from duetpy.typecheck.checker import Checker
from duetpy.typecheck.context import Context, Root
from duetpy.typecheck.cost import Cost
from duetpy.typecheck.errors import names, privacy, selection, sensitivity, shapes
from duetpy.typecheck.instances import told_by
from duetpy.typecheck.judgement import Charged, Judged, add_costs, add_moved, in_the_clear
from duetpy.typecheck.moves import moved
from duetpy.typecheck.quantity import ONE, Quantity, maximum
from duetpy.typecheck.releasing import covered
from duetpy.typecheck.rows import column_type, expect_matrix
from duetpy.typecheck.subtype import coerce, is_subtype, widen


#   Γ ⊢ e : 𝕄[ℓ, c | m, n⋅τ] ; Σ      Γ, x : τ ⊢ p : τ₂ ; Π                        k = n if the distance counts rows,
#   ─────────────────────────────────────────────────────────────────────────      k = m⋅n otherwise
#   Γ ⊢ mmapp e { x ⇒ p } : 𝕄[ℓ, U | m, n⋅τ₂] ; (m⋅n)⋅(Π∖x) together with k runs of Π(x), for a move of Σ
#
# Each entry is a run of its own. Where the distance counts rows, a move by s rows changes at most s⋅n entries, each by one
# step, and each run makes its own choices; otherwise every entry may move, by at most s.
#
#   Γ ⊢ e : 𝕄[L∞, c | m, n⋅𝐝 τ] ; Σ      Γ, x : 𝕄[L∞, c | m, 1⋅𝐝 τ] ⊢ p : τ₂ ; Π
#   ─────────────────────────────────────────────────────────────────────────────────────
#   Γ ⊢ pmap-col e { x ⇒ p } : 𝕄[L∞, U | 1, n⋅τ₂] ; n⋅(Π∖x) together with n runs of Π(x), each for a move of Σ rows
def map_runs(checker: Checker, node: ast.PMap) -> Charged:
    source = checker.judge(node.arg)
    covered(checker, source.context, node.arg.span)
    matrix = _fixed_matrix(checker, node, source)
    by_column = node.form == "pmap-col"
    if matrix is None:
        seen: t.Type = t.POISON
    else:
        seen = column_type(matrix) if by_column else (matrix.element or t.POISON)
    root = Root.fresh(node.name.text, separated=t.is_separated(seen))
    outer = checker.repeats
    if matrix is not None and matrix.rows is not None:
        checker.repeats = outer * (matrix.width if by_column else matrix.rows * matrix.width)
    with checker.scope.binding((node.name.text, Judged(seen, Context.of(root)))):
        body = checker.judge_private(node.body)
    checker.repeats = outer
    if owes(body.type, root):
        checker.report(names.box_escapes(node.span, [root.name]))
        return Charged(t.POISON, {})
    if matrix is None or matrix.rows is None:
        return Charged(t.POISON, {})
    runs = matrix.width if by_column else matrix.rows * matrix.width
    spent: dict[Root, Cost] = {other: costs.repeat(runs, cost) for other, cost in body.costs.items() if other != root}
    moved: dict[Root, Cost] = {}
    for origin, size in source.context.entries.items():
        moved[origin] = _run_cost(matrix, body.cost(root), size, by_column)
    element = widen(body.type)
    if by_column:
        result = t.Matrix(Norm.LINF, None, ONE, t.Uniform(matrix.width, element))
    else:
        result = t.Matrix(matrix.norm, None, matrix.rows, t.Uniform(matrix.width, element))
    return Charged(result, add_moved(spent, moved))


def _run_cost(matrix: t.Matrix, cost: Cost, size: Quantity, by_column: bool) -> Cost:
    assert matrix.rows is not None
    if by_column:
        return costs.repeat(matrix.width, costs.group(size, cost))
    if t.has_discrete_rows(matrix):
        if size.is_infinite and not costs.is_free(cost):
            return costs.NonPrivate("can change by an unbounded number of rows")
        return costs.repeat(matrix.width * maximum(size, ONE), costs.scattered(cost))
    assert matrix.element is not None
    return costs.repeat(matrix.rows * matrix.width, moved(size, matrix.element, cost))


def _fixed_matrix(checker: Checker, node: ast.PMap, source: Judged) -> t.Matrix | None:
    matrix = expect_matrix(checker, node.arg, source, node.form)
    if matrix is None:
        return None
    if matrix.rows is None:
        checker.report(sensitivity.aligns_unknown_rows(node.arg.span, node.form))
        return None
    if matrix.element is None:
        checker.report(shapes.mixed_columns(node.arg.span, node.form, matrix))
        return None
    if node.form == "pmap-col" and not t.has_discrete_rows(matrix):
        checker.report(privacy.parts_of_real_rows(node.arg.span, matrix))
        return None
    return matrix


#   Γ ⊢ b : ℕ[b]      Γ ⊢ X : 𝕄[L∞, c | m, σ] ; Σ_X      Γ ⊢ Y : 𝕄[L∞, c′ | m, σ′] ; Σ_Y      b ∣ m
#   Γ ⊢ z : τ ; Σ_z      Γ ⊢ f : (𝕄[L∞, c | b, σ]@p₁, 𝕄[L∞, c′ | b, σ′]@p₂, τ@p₃) ⊸⋆ τ ; Σ_f
#   ────────────────────────────────────────────────────────────────────────────────────────────────
#   Γ ⊢ pfld-rows[b, z, X, Y, f] : τ ; ∞⊙(Σ_z ⊞ Σ_f) ⊞ (p₁ for a move of Σ_X rows, together with p₂ for Σ_Y)
#
# A replaced row lies in one batch; the batches before it are untouched, and those after it see only what was released:
# parallel composition, adaptively. Moves by several rows may hit one batch each or all the same: group privacy covers both,
# where the turns that they hit may have made other choices.
def fold_batches(checker: Checker, node: ast.PFoldRows) -> Charged:
    batch = checker.judge(node.batch)
    init = checker.judge(node.init)
    features = checker.judge(node.features)
    labels = checker.judge(node.labels)
    function = checker.judge(node.function)
    clear = in_the_clear(init.context + function.context, "starts pfld-rows, or is used by its function")
    if any(isinstance(judged.type, t.Poison) for judged in (batch, init, features, labels, function)):
        return Charged(t.POISON, clear)
    state = widen(init.type, checker.allowed)
    checker.hand_on(node, state)
    shaped = _batched(checker, node, batch, features, labels)
    if shaped is None:
        return Charged(t.POISON, clear)
    if not isinstance(function.type, t.PFun) or len(function.type.parameters) != 3:
        checker.report(selection.batch_function(node.function.span, function.type))
        return Charged(t.POISON, clear)
    outer, checker.repeats = checker.repeats, checker.repeats * shaped[2]
    instance = _instance(checker, node, function.type, [shaped[0], shaped[1], state])
    checker.repeats = outer
    if instance is None:
        return Charged(t.POISON, clear)
    if not is_subtype(instance.codomain, state):
        checker.report(shapes.state_changes(node.function.span, "the fold's state", state, instance.codomain))
        return Charged(t.POISON, clear)
    return Charged(state, add_costs([clear, _batch_costs(instance, features, labels)]))


def _batch_costs(instance: t.PFun, features: Judged, labels: Judged) -> dict[Root, Cost]:
    first, second, _ = instance.parameters
    of_first, of_second = costs.scattered(first.cost), costs.scattered(second.cost)
    unit = features.rows_of
    as_one = first.unit == second.unit and unit is not None and unit == labels.rows_of
    spent: dict[Root, Cost] = {}
    for root in dict.fromkeys([*features.context.entries, *labels.context.entries]):
        sizes = features.context[root], labels.context[root]
        if as_one and root == unit:
            spent[root] = costs.group(maximum(*sizes), of_first)
        else:
            spent[root] = costs.together([costs.group(sizes[0], of_first), costs.group(sizes[1], of_second)])
    return spent


def _batched(
    checker: Checker, node: ast.PFoldRows, batch: Judged, features: Judged, labels: Judged
) -> tuple[t.Matrix, t.Matrix, Quantity] | None:
    """The types of a batch of both tables, and how many batches they have."""
    if not isinstance(batch.type, t.StaticNat):
        checker.report(shapes.needs_static_count(node.batch.span, batch.type, "the number of rows of a batch"))
        return None
    size = batch.type.value
    found: list[t.Matrix] = []
    for written, judged in ((node.features, features), (node.labels, labels)):
        matrix = expect_matrix(checker, written, judged, "pfld-rows")
        if matrix is None:
            return None
        if matrix.rows is None:
            checker.report(sensitivity.aligns_unknown_rows(written.span, "pfld-rows"))
            return None
        if not t.has_discrete_rows(matrix):
            checker.report(privacy.parts_of_real_rows(written.span, matrix))
            return None
        found.append(matrix)
    if found[0].rows != found[1].rows:
        checker.report(shapes.shapes_differ(node.span, found[0], found[1]))
        return None
    assert found[0].rows is not None
    checker.obligate(ONE, "≤", size, "a batch has at least one row", node.batch.span)
    checker.obligate(size, "∣", found[0].rows, "every batch is full", node.batch.span)
    return evolve(found[0], rows=size), evolve(found[1], rows=size), found[0].rows / size


def _instance(checker: Checker, node: ast.PFoldRows, function: t.PFun, actual: list[t.Type]) -> t.PFun | None:
    if function.notion is not checker.notion:
        checker.report(privacy.notion_of_function(node.function.span, function.notion, checker.notion))
        return None
    pairs = [(parameter.type, type_) for parameter, type_ in zip(function.parameters, actual, strict=True)]
    instance = told_by(checker, node, function, pairs, node.function.span)
    if instance is None:
        return None
    for parameter, type_ in zip(instance.parameters, actual, strict=True):
        if coerce(type_, parameter.type) != ONE:
            checker.report(shapes.wrong_argument(node.function.span, parameter.type, type_))
            return None
    return instance
