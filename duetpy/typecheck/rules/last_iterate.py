"""The privacy judgement for noisy descent of which only the last model is released."""

from __future__ import annotations

from attrs import evolve

from duetpy.grammar import ast
from duetpy.typecheck import cost as costs
from duetpy.typecheck import types as t
from duetpy.typecheck.annotations import ReleaseSite
from duetpy.typecheck.checker import Checker
from duetpy.typecheck.context import Context, Root
from duetpy.typecheck.cost import Atom, Cost
from duetpy.typecheck.errors import privacy, shapes
from duetpy.typecheck.judgement import Charged, Judged, add_costs, in_the_clear
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.parts import static_size
from duetpy.typecheck.quantity import ONE, ZERO, Quantity, Signed, expm1, log1p, maximum, tanh
from duetpy.typecheck.releasing import listing, static_value, static_whole
from duetpy.typecheck.repetition import contraction


#   Γ ⊢ step∇[loss, η, λ | θ; xs′, ys′] : 𝕄[L2, U | 1, n⋅ℝ] ; s⊙x ⊞ s′⊙y for batches xs′, ys′ of b rows      ∅ ⊢ θ
#   Γ ⊢ xs : 𝕄[_, L2≤B | m, n⋅𝔻] ; Σ_x      Γ ⊢ ys : 𝕄[_, _ | m, 1⋅𝔻] ; Σ_y      b ∣ m      0 < σ, η⋅λ
#   ─────────────────────────────────────────────────────────────────────────────────────────────────────────────
#   Γ ⊢ noisy-descent[E, b, σ] <zs> { step∇[loss, η, λ | θ; xs, ys] } : 𝕄[L∞, U | 1, n⋅ℝ] ;
#       Σ_x|zs times a Gaussian of μ(s/ησ) together with Σ_y|zs times one of μ(s′/ησ) ⊞ ∞⊙((Σ_x ⊞ Σ_y)∖zs)
#
# E passes over the l = m/b batches in their order, each step with noise of standard deviation η⋅σ on every entry. A step on
# another row moves the model by s once a pass, and every step brings models closer by c = 1/(1 + u): with x = log(1 + u),
# μ(r) = r⋅√(1 + (2u + u²)/(e^(l⋅x) − 1)²⋅tanh(l⋅(E − 1)⋅x/2)). In Rényi noisy-descent[E, b, σ, α] names the order at which
# the bound holds: ⟨α, α⋅μ²/2⟩, the divergence of a Gaussian pair at least as easy to distinguish as the last models.
def judge_last_iterate(checker: Checker, node: ast.Mechanism) -> Charged:
    if not checker.notion.info.is_guarantee:
        # A bound on the trade-off of the last models is not the length of a path of densities.
        others = tuple(notion for notion in Notion if notion.info.is_guarantee and notion.info.has_gaussian)
        checker.report(privacy.wrong_notion(node.span, node.name, checker.notion, others))
        return Charged(t.POISON, {})
    judged: list[Judged] = []
    for param in node.params:
        if param is None:
            checker.report(privacy.auto_misplaced(node.span, node.name, "a parameter"))
            return Charged(t.POISON, {})
        judged.append(checker.judge(param))
    step = node.body
    named = "α" in checker.notion.letters and len(judged) == 4
    if not (len(judged) == 3 or named) or not isinstance(step, ast.Prim) or step.name != "step∇":
        checker.report(shapes.not_a_descent(node.span, checker.notion))
        return Charged(t.POISON, {})
    args: list[Judged] = [checker.judge(argument) for argument in step.args]
    bounds: list[Judged] = [checker.judge(bound) for bound in step.bounds]
    named_counts = zip(node.params[:2], judged[:2], ("the number of passes", "the batch size"), strict=True)
    counts = [static_whole(checker, param, each, what) for param, each, what in named_counts if param is not None]
    assert node.params[2] is not None
    noise = static_value(checker, node.params[2], judged[2], node.name, "σ")
    order: Quantity | None = None
    if named:
        assert node.params[3] is not None
        order = static_value(checker, node.params[3], judged[3], node.name, "α")
    if (
        None in counts
        or noise is None
        or (named and order is None)
        or any(isinstance(each.type, t.Poison) for each in (*args, *bounds))
    ):
        return Charged(t.POISON, {})
    epochs, batch = (count or ONE for count in counts)
    return descent(checker, node, step, args, bounds, epochs, batch, noise, order)


def descent(
    checker: Checker,
    node: ast.Mechanism,
    step: ast.Prim,
    args: list[Judged],
    bounds: list[Judged],
    epochs: Quantity,
    batch: Quantity,
    noise: Quantity,
    order: Quantity | None,
) -> Charged:
    model, features, labels = args
    xs, ys = features.type, labels.type
    if (
        isinstance(xs, t.Matrix)
        and isinstance(ys, t.Matrix)
        and isinstance(model.type, t.Matrix)
        and xs.rows != ys.rows
    ):
        checker.report(shapes.gradient_shapes(step.span, model.type, xs, ys))
        return Charged(t.POISON, {})
    # The rule of a step, for one batch: how far one row of the features, of the labels, or of both moves a step.
    together = features.rows_of is not None and features.rows_of == labels.rows_of
    row = Root.fresh("a row", separated=True)
    label = row if together else Root.fresh("a label", separated=True)
    probes = [
        Judged(model.type),
        Judged(_batch(xs, batch), Context.of(row), rows_of=row if together else None),
        Judged(_batch(ys, batch), Context.of(label), rows_of=row if together else None),
    ]
    moved = checker.rules.primitive(checker, step, probes, bounds)
    if isinstance(moved.type, t.Poison) or not isinstance(xs, t.Matrix) or xs.rows is None:
        return Charged(t.POISON, {})
    checker.annotations.note(step, moved.type)
    length, weakening = (static_size(bound.type) for bound in bounds[-2:])
    assert length is not None
    assert weakening is not None
    checker.obligate(ONE, "≤", batch, "a batch has a row", node.span)
    checker.obligate(batch, "∣", xs.rows, "all batches have the same number of rows", node.span)
    checker.obligate(ZERO, "<", noise, f"σ of {node.name} is positive", node.span)
    checker.obligate(ZERO, "<", length * weakening, "a step forgets a part of the model", node.span)
    if (length * weakening).is_zero or noise.is_zero:
        return Charged(t.POISON, {})
    growth = forgetting(length * weakening, xs.rows / batch, epochs)
    by_row, by_label = (moved.context[root] / (length * noise) for root in (row, label))
    atoms = [_forgotten(node.name, by * growth, order) for by in (by_row, by_label)]
    site = ReleaseSite(
        node.name,
        node.span,
        by_row * noise,
        by_row * noise,
        Atom(node.name, (by_row,)),
        (ONE, xs.width),
        checker.repeats * epochs * (xs.rows / batch),
    )
    checker.annotations.releases[node] = site
    listed, tossed = listing(checker, node, Judged(moved.type, features.context + labels.context))
    spent: dict[Root, Cost] = {}
    for root in listed.entries:
        rows, others = features.context[root], labels.context[root]
        if together and root == features.rows_of:
            spent[root] = costs.group(maximum(rows, others), atoms[0])
        else:
            spent[root] = costs.together([costs.group(rows, atoms[0]), costs.group(others, atoms[1])])
    clear = in_the_clear(model.context, "starts the descent")
    unlisted = in_the_clear(tossed, f"is used in {node.name} but not listed between < and >")
    released = t.Matrix(ast.Norm.LINF, None, ONE, t.Uniform(xs.width, t.REAL))
    return Charged(released, add_costs([clear, unlisted, spent]))


def _forgotten(name: str, mu: Quantity, order: Quantity | None) -> Atom:
    """The cost of the last model: its μ, or what that is at the order that is named."""
    return Atom(name, (mu,), Notion.GDP) if order is None else Atom(name, (order, order * mu * mu / 2), Notion.RENYI)


def forgetting(weakening: Quantity, batches: Quantity, epochs: Quantity) -> Quantity:
    """μ of the last model over that of one step on the row, for c = 1 − η⋅λ or a bound on it."""
    kept = contraction(ONE, weakening)
    if kept.is_zero:
        return ONE
    gain = Signed(False, ONE / kept) - Signed(False, ONE)
    u = weakening if gain is None or gain.negative else gain.magnitude
    rest = Signed(False, epochs) - Signed(False, ONE)
    before = epochs if rest is None or rest.negative else rest.magnitude
    rate = log1p(u) * batches
    return (ONE + (u * 2 + u * u) / expm1(rate) ** 2 * tanh(rate * before / 2)).sqrt()


def _batch(type_: t.Type, batch: Quantity) -> t.Type:
    return evolve(type_, rows=batch) if isinstance(type_, t.Matrix) and type_.rows is not None else type_
