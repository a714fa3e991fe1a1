"""The privacy judgement Γ ⊢ p : τ ; Π: what each input is charged for the release of a τ.

Π maps inputs to cost terms. `∞⊙Σ` stands for 'everything that Σ mentions is released in the clear'. Mechanisms have a file
of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from duetpy.grammar import ast
from duetpy.grammar.binders import flat
from duetpy.typecheck import cost as costs
from duetpy.typecheck import let_inference
from duetpy.typecheck import types as t
from duetpy.typecheck.boxes import owes, repaid
from duetpy.typecheck.checker import Checker
from duetpy.typecheck.choices import either
from duetpy.typecheck.context import Context, Root
from duetpy.typecheck.cost import CHOOSES_PART, CHOOSES_PARTS, IN_EVERY_PART, Cost
from duetpy.typecheck.degrees import degree_released
from duetpy.typecheck.errors import missing, names, privacy, selection, sensitivity, shapes
from duetpy.typecheck.instances import at_kinds, told_by
from duetpy.typecheck.judgement import Charged, Judged, add_costs, add_moved, in_the_clear
from duetpy.typecheck.let_inference import expect
from duetpy.typecheck.literals import is_real, judge_as
from duetpy.typecheck.moves import in_steps, joined_views, moved
from duetpy.typecheck.neighbours import moves_one_way
from duetpy.typecheck.notions import BY_BLOCK, Notion
from duetpy.typecheck.open_ranges import range_of_column, said_by
from duetpy.typecheck.parts import judge_guard, opened, pair_parts, sum_parts
from duetpy.typecheck.quantity import ONE, ZERO, Quantity
from duetpy.typecheck.releasing import covered, listed_roots, static_value, static_whole
from duetpy.typecheck.rows import expect_matrix, row_type, unreadable_column
from duetpy.typecheck.subtype import coerce, is_comparable, is_subtype, widen


#   Γ ⊢ p₁ : τ₁ ; Π₁      Γ, x : τ₁ ⊢ p₂ : τ₂ ; Π₂          Γ ⊢ e : τ₁ ; Σ      Γ, x : τ₁ ; Σ ⊢ p : τ ; Π
#   ────────────────────────────────────────────────         ─────────────────────────────────────────────
#   Γ ⊢ x ← p₁ ; p₂ : τ₂ ; Π₁ ⊞ Π₂                           Γ ⊢ let x = e in p : τ ; Π
#
# What was released is public from then on; what was only named is charged where it is used.
def judge_spine(checker: Checker, node: ast.PExp) -> Charged:
    """A chain of binds and lets, walked in a loop."""
    names: list[str] = []
    placeholders: list[Judged] = []
    spent: list[dict[Root, Cost]] = []
    here = node
    try:
        while True:
            match here:
                case ast.Bind():
                    first = checker.judge_private(here.first)
                    spent.append(first.costs)
                    checker.scope.push(
                        here.name.text, Judged(first.type, degree=degree_released(here.first, first.type))
                    )
                    names.append(here.name.text)
                    here = here.then
                case ast.PLet():
                    bound = let_inference.bound(checker, here.name.text, here.bound)
                    checker.scope.push(here.name.text, bound)
                    names.append(here.name.text)
                    placeholders.append(bound)
                    here = here.body
                case _:
                    break
        last = checker.rules.private(checker, here)
        checker.annotations.note(here, last.type)
        let_inference.end(checker, placeholders)
    finally:
        for name in reversed(names):
            checker.scope.pop(name)
    return Charged(last.type, add_costs([*spent, last.costs]))


#   Γ ⊢ e : τ ; Σ
#   ───────────────────────────      what is returned is seen
#   Γ ⊢ return e : τ ; ∞⊙Σ
def judge_return(checker: Checker, node: ast.Return) -> Charged:
    value = checker.judge(node.value)
    checker.hand_on(node, value.type)
    return Charged(value.type, in_the_clear(value.context, "is returned without noise"))


#   Γ ⊢ e : τ₁ × τ₂ ; Σ      Γ, x : τ₁, y : τ₂ ⊢ p : τ ; Π
#   ─────────────────────────────────────────────────────────────────      what p spends of a part, it spends of the pair
#   Γ ⊢ let ⟨x, y⟩ = e in p : τ ; Π∖x,y together with Π(x) and Π(y), for a move of Σ
def let_pair(checker: Checker, node: ast.PLetPair) -> Charged:
    bound = checker.judge(node.bound)
    if bound.parts:
        left, right = bound.parts
        with checker.scope.binding((node.left.text, left), (node.right.text, right)):
            return checker.judge_private(node.body)
    covered(checker, bound.context, node.bound.span)
    x, y, left, right = opened(node.left.text, node.right.text, pair_parts(checker, node.bound, bound), bound.degree)
    if not bound.context:
        left, right = (Judged(part.type, degree=part.degree) for part in (left, right))
    with checker.scope.binding((node.left.text, left), (node.right.text, right)):
        body = checker.judge_private(node.body)
    spent = {root: cost for root, cost in body.costs.items() if root not in (x, y)}
    of_parts: dict[Root, Cost] = {}
    for root, size in bound.context.entries.items():
        moves = [moved(size, judged.type, body.cost(part)) for part, judged in ((x, left), (y, right))]
        of_parts[root] = costs.together(moves)
    return Charged(repaid(body.type, {x: bound.context, y: bound.context}), add_moved(spent, of_parts))


#   Γ ⊢ e : 𝔹 ; Σ      Γ ⊢ p₁ : τ ; Π₁      Γ ⊢ p₂ : τ ; Π₂
#   ──────────────────────────────────────────────────────────────      which branch runs is seen
#   Γ ⊢ if e then { p₁ } else { p₂ } : τ ; ∞⊙Σ ⊞ (Π₁ ⊔ Π₂)
def conditional(checker: Checker, node: ast.PIf) -> Charged:
    guard, test = judge_guard(checker, node)
    with checker.under(test):
        then = checker.judge_private(node.then)
    with checker.under(test and test.opposite()):
        otherwise = checker.judge_private(node.otherwise)
    return either(checker, node, guard, then, otherwise, test)


#   Γ ⊢ e : τ₁ + τ₂ ; Σ      Γ, x : τ₁ ⊢ p : τ ; Π₁      Γ, y : τ₂ ⊢ q : τ ; Π₂
#   ─────────────────────────────────────────────────────────────────────────────
#   Γ ⊢ case e { inl x ⇒ p ; inr y ⇒ q } : τ ; ∞⊙Σ ⊞ (Π₁ ⊔ Π₂)
#
# As for `if`: which branch runs is seen. All of Σ is in the clear, so what the sum holds is public from then on; the debts of
# boxes inside it stay written in the types of x and y.
def case(checker: Checker, node: ast.PCase) -> Charged:
    scrutinee = checker.judge(node.scrutinee)
    left_type, right_type = sum_parts(checker, node.scrutinee, scrutinee)
    with checker.scope.binding((node.left.text, Judged(left_type))):
        left = checker.judge_private(node.left_body)
    with checker.scope.binding((node.right.text, Judged(right_type))):
        right = checker.judge_private(node.right_body)
    return either(checker, node, scrutinee, left, right)


#   Γ ⊢ k : ℕ[k] ; Σ₁      Γ ⊢ e₀ : τ ; Σ₀      Γ, i : ℕ, x : τ ⊢ p : τ ; Π
#   ────────────────────────────────────────────────────────────────────────────      each turn sees only what was
#   Γ ⊢ loop k on e₀ <xs> { i, x ⇒ p } : τ ; ∞⊙(Σ₁ ⊞ Σ₀) ⊞ k⋅Π|xs ⊞ ∞⊙(Π∖xs)             released before it
def loop(checker: Checker, node: ast.PLoop) -> Charged:
    slack = None
    if node.slack is not None:
        slack = _probability(checker, node.slack, "aloop", "δ′")
        if checker.notion is not Notion.APPROX:
            checker.report(privacy.wrong_notion(node.span, "aloop", checker.notion, (Notion.APPROX,)))
    count = checker.judge(node.count)
    init = checker.judge(node.init)
    turns = static_whole(checker, node.count, count, "the number of iterations") or ONE
    state_type = widen(init.type, checker.allowed)
    checker.hand_on(node, state_type)
    names = ((node.index.text, Judged(t.NAT)), (node.state.text, Judged(state_type)))
    outer, checker.repeats = checker.repeats, checker.repeats * turns
    with checker.scope.binding(*names):
        body = checker.judge_private(node.body)
    checker.repeats = outer
    if not is_subtype(body.type, state_type):
        checker.report(shapes.state_changes(node.body.span, node.state.text, state_type, body.type))
    listed = listed_roots(checker, node.private)
    spent: dict[Root, Cost] = {}
    for root, cost in body.costs.items():
        if listed is not None and root not in listed:
            spent[root] = costs.NonPrivate(f"is used in the loop but not listed in <{_names(node.private)}>")
        elif slack is not None and not isinstance(cost, costs.Zero | costs.NonPrivate):
            spent[root] = costs.Advanced(turns, slack, cost)
        else:
            spent[root] = costs.repeat(turns, cost)
    start = in_the_clear(count.context + init.context, "starts the loop")
    return Charged(state_type, add_costs([start, spent]))


def _names(private: tuple[ast.Name, ...] | None) -> str:
    return ", ".join(name.text for name in private or ())


def _probability(checker: Checker, node: ast.SExp, form: str, name: str) -> Quantity | None:
    """The number that is written for a δ that a form spends."""
    value = static_value(checker, node, checker.judge(node), form, name)
    if value is not None:
        checker.obligate(ZERO, "<", value, f"{name} of {form} is positive", node.span)
        checker.obligate(value, "<", ONE, f"{name} of {form} is a probability", node.span)
    return value


CALLED = "the function that is called"
CAPTURED = f"is used by {CALLED}"
"""Why what a privacy function looks at, without being given it, is not protected."""


#   Γ ⊢ f : (∀ κs | Φ . (τᵢ@pᵢ)ᵢ ⊸⋆ τ) ; Σ      Γ ⊢ eᵢ : τᵢ ; Σᵢ      Φ[ηs/κs]
#   ──────────────────────────────────────────────────────────────────────────────────────────────
#   Γ ⊢ f@[ηs . es] : τ ; ∞⊙Σ ⊞ (together over i of the cost pᵢ for a move of Σᵢ steps)
#
# A move by more than one step is priced by group privacy; an input that moves several arguments at once is charged for them
# together. Aligned parameters given row-wise views of one input move by the same rows and are one argument.
def application(checker: Checker, node: ast.PApp) -> Charged:
    args: list[Judged] = []
    if isinstance(node.function, ast.PLam):
        for argument in node.args:
            args.append(checker.judge(argument))
        expect(checker, flat(node.function.params), args)
    elif let_inference.waiting(checker, node.function) is not None:
        for argument in node.args:
            args.append(checker.judge(argument))
        waits = let_inference.waiting(checker, node.function)
        if waits is not None:
            let_inference.settle(checker, waits, args)
    function = checker.judge(node.function)
    wanted = function.type.parameters if isinstance(function.type, t.PFun) else ()
    is_short = leaves_out_taken(wanted, len(node.args))
    given = [parameter for parameter in wanted if not (is_short and parameter.taken)]
    for at, argument in enumerate(node.args[len(args) :], len(args)):
        args.append(judge_as(checker, argument, at < len(given) and is_real(given[at].type)))
    clear = in_the_clear(function.context, CAPTURED)
    for arg in args:
        if isinstance(arg.type, t.Poison):
            return Charged(t.POISON, clear)
    match function.type:
        case t.PFun():
            pass
        case t.Poison():
            return Charged(t.POISON, clear)
        case other:
            checker.report(privacy.not_a_privacy_function(node.function.span, other))
            return Charged(t.POISON, clear)
    written: Sequence[ast.SExp] = node.args
    if is_short:
        full = with_taken(checker, node, wanted, args)
        if full is None:
            return Charged(t.POISON, clear)
        written, args = full
    instance = instantiate(checker, node, function.type, args)
    if instance is None:
        return Charged(t.POISON, clear)
    moves = argument_moves(checker, node, instance, args, written)
    if moves is None:
        return Charged(t.POISON, clear)
    spent: dict[Root, Cost] = {}
    for root in dict.fromkeys(root for context in moves.values() for root in context.entries):
        by_unit = {unit: context[root] for unit, context in moves.items() if context.mentions(root)}
        bare = [p.name for p in instance.parameters if p.unit in by_unit and costs.is_unbounded(p.cost)]
        moved = costs.together(unit_moved(instance, unit, size) for unit, size in by_unit.items())
        spent[root] = (
            costs.NonPrivate(f"goes into {' and '.join(bare)}, which {CALLED} does not protect") if bare else moved
        )
    return Charged(instance.codomain, add_costs([clear, spent]))


#   Γ ⊢ f : (∀ κs | Φ . …, bag 𝔻@p, ℝ@q, ℝ⁺[w]@0, … ⊸⋆ τ)      Γ ⊢ e : bag (𝔻 in [a, b]) ; Σ
#   ──────────────────────────────────────────────────────────────────────────────────────────────      f names its parameters
#   f@[ . e, …]  is  f@[ . e, a, b − a, …]                                                                lo, w in the range of e
def leaves_out_taken(parameters: Sequence[t.PrivateParameter], given: int) -> bool:
    """Whether a call with so many arguments leaves out those that the type of a column says."""
    return given < len(parameters) and given == sum(parameter.taken is None for parameter in parameters)


def with_taken(
    checker: Checker, node: ast.PApp, parameters: Sequence[t.PrivateParameter], given: Sequence[Judged]
) -> tuple[tuple[ast.SExp, ...], list[Judged]] | None:
    """All arguments of a call and their judgements; None, once refused, where the type of a column has no range."""
    places = [at for at, parameter in enumerate(parameters) if parameter.taken is None]
    written: list[ast.SExp | None] = [None] * len(parameters)
    judged = dict(zip(places, given, strict=True))
    for at, argument in zip(places, node.args, strict=True):
        written[at] = argument
    for at, parameter in enumerate(parameters):
        if parameter.taken is not None:
            column = parameter.taken.column
            bounded = range_of_column(judged[column].type)
            if bounded is None:
                left_out = [each.name for each in parameters if each.taken]
                source = written[column]
                span = node.span if source is None else source.span
                type_ = judged[column].type
                report = missing.no_range_to_take(span, left_out, type_)
                if isinstance(type_, t.Matrix) and type_.width != ONE:
                    report = shapes.wrong_argument(span, parameters[column].type, type_)
                checker.report(report or privacy.no_range_to_take(span, left_out, type_))
                return None
            said = said_by(bounded, parameter.taken, node.span, written)
            written[at], judged[at] = said, judge_as(checker, said, True)
    full = tuple([argument for argument in written if argument is not None])
    checker.annotations.full_calls[node] = full
    return full, [judged[at] for at in range(len(parameters))]


def unit_moved(function: t.PFun, unit: int, size: Quantity) -> Cost:
    """What a function spends of parameters with the same rows when these move by `size` steps."""
    members = [parameter for parameter in function.parameters if parameter.unit == unit]
    return costs.group(size, members[0].cost, alike=all(moves_one_way(member.type) for member in members))


def instantiate(checker: Checker, node: ast.PApp, function: t.PFun, args: list[Judged]) -> t.PFun | None:
    """The privacy-function type at the written or inferred kinds."""
    if function.notion is not checker.notion:
        checker.report(privacy.notion_of_function(node.span, function.notion, checker.notion))
        return None
    if len(args) != len(function.parameters):
        checker.report(privacy.wrong_count(node.span, node.function, function.parameters, len(args)))
        return None
    if node.kinds:
        return at_kinds(checker, node, function, node.kinds)
    pairs = [(parameter.type, arg.type) for parameter, arg in zip(function.parameters, args, strict=True)]
    return told_by(checker, node, function, pairs)


def argument_moves(
    checker: Checker, node: ast.PApp, function: t.PFun, args: list[Judged], arguments: Sequence[ast.SExp]
) -> dict[int, Context] | None:
    """By unit of the callee: how many steps each input moves it."""
    if not are_partners(checker, node, function, args):
        return None
    moves: dict[int, Context] = {}
    views: dict[int, list[Judged]] = {}
    for parameter, arg, written in zip(function.parameters, args, arguments, strict=True):
        factor = coerce(arg.type, parameter.type)
        if factor is None:
            checker.report(shapes.wrong_argument(written.span, parameter.type, arg.type))
            return None
        context = arg.context.scaled(factor).map(partial(in_steps, type_=parameter.type))
        if isinstance(parameter.type, t.StaticNat | t.StaticReal):
            continue
        covered(checker, context, written.span)
        seen = views.setdefault(parameter.unit, [])
        moves[parameter.unit] = joined_views(moves.get(parameter.unit, Context()), context, seen, arg)
        seen.append(arg)
    return moves


def are_partners(checker: Checker, node: ast.PApp, function: t.PFun, args: list[Judged]) -> bool:
    """Whether the arguments of aligned parameters of unknown size are tables whose rows belong together, place by place."""
    units: dict[int, list[int]] = {}
    for at, parameter in enumerate(function.parameters):
        if isinstance(parameter.type, t.Matrix) and parameter.type.rows is None:
            units.setdefault(parameter.unit, []).append(at)
    for members in units.values():
        given = [args[at] for at in members]
        rows = {judged.type.rows if isinstance(judged.type, t.Matrix) else None for judged in given}
        fixed = len(rows) == 1 and None not in rows
        one = given[0].rows_of is not None and all(judged.rows_of == given[0].rows_of for judged in given)
        if len(members) > 1 and not fixed and not one:
            names = " and ".join(function.parameters[at].name for at in members)
            checker.report(selection.strangers_as_aligned(node.span, names))
            return False
    return True


#   Γ ⊢ e₀ : 𝕄[ℓ, c | ★, σ] ; Σ₀      Γ ⊢ e₁ : ℘ κ ; Σ₁      Γ, r : one row ⊢ e₂ : κ ; C
#   Γ, k : κ, t : 𝕄[ℓ, c | ★, σ] ⊢ p : τ ; Π
#   ────────────────────────────────────────────────────────────────────────────────────────────────────
#   Γ ⊢ parallel[e₀, e₁] { r ⇒ e₂ } { k, t ⇒ p } : ℘ τ ; ∞⊙(Σ₁ ⊞ C) ⊞ ∞⊙(Π∖k,t) ⊞ (Π(t) for a move of Σ₀ rows)
#
# A row lies in one part, so adding or removing a row moves one part by one row. A table with a fixed number of rows enters as a
# ★ table at factor 2: a replaced row may leave one part and enter another, or be replaced inside a part. Two rows may lie in
# two parts, of which p makes two choices.
#
#   premises as above, but Γ, r : one row ⊢ e₂ : ℘ κ ; C      Γ ⊢ g : ℕ[g]      1 ≤ g
#   ─────────────────────────────────────────────────────────────────────────────────────────────────────────
#   Γ ⊢ parallel[g, e₀, e₁] { r ⇒ e₂ } { k, t ⇒ p } : ℘ τ ; … ⊞ (g runs of Π(t) for a move of Σ₀ rows)
#
# A row lies in the parts of g of its keys at most, which a hash of the row chooses among those in e₁.
def parallel(checker: Checker, node: ast.Parallel) -> Charged:
    counted = None if node.most is None else checker.judge(node.most)
    source = checker.judge(node.table)
    keys = checker.judge(node.keys)
    matrix = expect_matrix(checker, node.table, source, "parallel")
    key_type: t.Type = t.POISON
    if isinstance(keys.type, t.SetOf):
        key_type = keys.type.element
    elif not isinstance(keys.type, t.Poison):
        checker.report(privacy.keys_not_a_set(node.keys.span, keys.type, "parallel"))
    one_row: t.Type = t.POISON if matrix is None else row_type(matrix)
    row = Root.fresh(node.row.text, separated=t.is_separated(one_row))
    with checker.scope.binding((node.row.text, Judged(one_row, Context.of(row)))):
        key = checker.judge(node.key_of)
    most = ONE if node.most is None or counted is None else _most(checker, node.most, counted)
    one_key: t.Type | None = key.type
    if node.most is not None and not isinstance(key.type, t.Poison):
        one_key = key.type.element if isinstance(key.type, t.SetOf) else None
    if one_key is None:
        checker.report(shapes.wrong_key(node.key_of.span, "parallel", t.SetOf(key_type), key.type))
        one_key = t.POISON
    if not is_comparable(key_type) or not is_comparable(one_key):
        checker.report(sensitivity.not_comparable(node.key_of.span, "parallel", key_type, one_key))
    elif coerce(one_key, key_type) is None and coerce(key_type, one_key) is None:
        checker.report(shapes.wrong_key(node.key_of.span, "parallel", key_type, one_key))
    part_type: t.Type = t.POISON
    rows_moved = Context()
    if matrix is not None:
        part_type = t.Matrix(matrix.norm, matrix.clip, None, matrix.schema)
        if t.counts_rows(matrix) if matrix.rows is None else t.replaces_rows(matrix):
            factor = ONE if matrix.rows is None else Quantity.of(2)
            rows_moved = source.context.scaled(factor)
        else:
            checker.report(privacy.parts_of_real_rows(node.table.span, matrix))
        hidden = None if node.most is None else unreadable_column(matrix)
        if hidden is not None:
            checker.report(sensitivity.rows_not_readable(node.table.span, "parallel", matrix, hidden))
    part = Root.fresh(node.part.text, separated=True)
    bindings = ((node.key.text, Judged(key_type)), (node.part.text, Judged(part_type, Context.of(part))))
    with checker.scope.binding(*bindings):
        body = checker.judge_private(node.body)
    if owes(body.type, part):
        checker.report(names.box_escapes(node.span, [part.name]))
        return Charged(t.POISON, {})
    spent: dict[Root, Cost] = {}
    for root, size in rows_moved.entries.items():
        spent[root] = costs.group(size, costs.repeat(most, costs.scattered(body.cost(part)), apart=True))
    others = Context({root: ONE for root in body.costs if root != part})
    exposed = ((keys.context, CHOOSES_PARTS), (key.context.without(row), CHOOSES_PART), (others, IN_EVERY_PART))
    if any(True for _ in t.boxes(body.type)):
        checker.report(sensitivity.not_comparable(node.body.span, "parallel"))
    element = widen(body.type)
    if isinstance(element, t.Poison):
        return Charged(t.POISON, {})
    result = t.SetOf(t.DATA if isinstance(element, t.Real) else element)
    return Charged(result, add_costs([*(in_the_clear(*each) for each in exposed), spent]))


def _most(checker: Checker, written: ast.SExp, judged: Judged) -> Quantity:
    """How many parts a row may lie in."""
    most = static_whole(checker, written, judged, "the number of parts of a row")
    if most is None:
        return ONE
    checker.obligate(ONE, "≤", most, "g of parallel is at least 1", written.span)
    return most


#   Γ ⊢_zcdp p : τ ; Π      0 < δ < 1
#   ────────────────────────────────────────────────      ρ ↦ ⟨ρ + 2√(ρ log 1/δ), δ⟩ and its kin
#   Γ ⊢_approx ZCDP[δ] { p } : τ ; converted Π
def conversion(checker: Checker, node: ast.Convert) -> Charged:
    inner, outer = BY_BLOCK[node.form], checker.notion
    slack = None if node.slack is None else _probability(checker, node.slack, node.form, "δ")
    if outer not in inner.info.converts_to and inner not in outer.info.converts_from:
        checker.report(privacy.no_conversion(node.span, node.form, inner, outer))
    needs_slack = "δ" in outer.letters and not inner.info.bounds_ratio
    if needs_slack and node.slack is None:
        checker.report(privacy.conversion_needs_slack(node.span, node.form))
    checker.notion = inner
    try:
        body = checker.judge_private(node.body)
    finally:
        checker.notion = outer
    spent: dict[Root, Cost] = {}
    for root, cost in body.costs.items():
        bounded = not isinstance(cost, costs.Zero | costs.NonPrivate)
        spent[root] = costs.Converted(inner, slack if needs_slack else None, cost) if bounded else cost
    return Charged(body.type, spent)
