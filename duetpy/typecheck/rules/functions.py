"""Functions of both languages: abstraction and application."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve

from duetpy.grammar import ast
from duetpy.typecheck import cost as costs
from duetpy.typecheck import elaborate, guarantees, let_inference, rewriting
from duetpy.typecheck import types as t
from duetpy.typecheck.boxes import owes
from duetpy.typecheck.checker import Checker
from duetpy.typecheck.context import EMPTY, Context, Root
from duetpy.typecheck.cost import IS_ROSTER, Cost
from duetpy.typecheck.errors import names, obligations, privacy, selection, shapes
from duetpy.typecheck.errors.stretching import function_causes
from duetpy.typecheck.instances import at_kinds, instantiated
from duetpy.typecheck.judgement import Judged, add_costs, in_the_clear
from duetpy.typecheck.let_inference import expect
from duetpy.typecheck.literals import is_real, judge_as
from duetpy.typecheck.neighbours import moves_one_way
from duetpy.typecheck.open_ranges import OpenRanges, opened
from duetpy.typecheck.persons import holds_blocks, is_roster_of, persons_of
from duetpy.typecheck.quantity import INFINITY, ONE, ZERO, KindVar, Quantity
from duetpy.typecheck.solve import collect, fits_kind
from duetpy.typecheck.subtype import coerce, unrounded


def parameter_type(checker: Checker, param: ast.Param) -> t.Type:
    if param.type is None and param in checker.expected:
        return checker.expected[param]
    if param.type is None:
        checker.report(names.parameter_needs_type(param.span, param.name.text))
        return t.POISON
    return elaborate.type_(checker, param.type)


def parameter(type_: t.Type, root: Root, *, is_read: bool, aligned: bool = False) -> Judged:
    """A parameter in its own body: itself, once; a static number never moves and so is no input at all.

    A table of unknown size is the rows of its input where it is `aligned` with others: then there is something for its rows
    to be paired with. What `is_read` is short: a double, or a number that the command line gives.
    """
    if isinstance(type_, t.StaticNat | t.StaticReal):
        return Judged(type_)
    is_rows = isinstance(type_, t.Matrix) and (type_.rows is not None or aligned)
    return Judged(type_, Context.of(root), rows_of=root if is_rows else None, degree=1 if is_read else None)


MAXIMAL_CONDITIONS = 1_000
"""A function with more side conditions than this is refused, so that calls of calls of calls end."""


#   Γ, κs, x : τ ⊢ e : τ′ ; Σ demanding Φ      x in no box of τ′
#   ────────────────────────────────────────────────────────────      captured inputs are charged where the function is
#   Γ ⊢ sλ κs . x : τ ⇒ e : (∀ κs | Φ . τ ⊸[Σ(x)] τ′) ; Σ∖x           used; at ∞ if the charge depends on κs, which are gone
#
# What the body rounds, every call rounds: it goes into the type, and with it wherever the function goes.
def sensitivity_function(checker: Checker, node: ast.Lam) -> Judged:
    binders = elaborate.kind_binders(checker, node.kinds, is_given=node is checker.program)
    checker.annotations.binders[node] = kinds = tuple(binders)
    with checker.scope.binding_kinds(binders), checker.abstracting(kinds) as conditions:
        types = [parameter_type(checker, param) for param in node.params]
        checker.annotations.domains[node] = tuple(types)
        roots = [
            Root.fresh(param.name.text, separated=t.is_separated(type_))
            for param, type_ in zip(node.params, types, strict=True)
        ]
        bindings = [
            (param.name.text, parameter(type_, root, is_read=node is checker.program))
            for param, type_, root in zip(node.params, types, roots, strict=True)
        ]
        with checker.scope.binding(*bindings):
            body = checker.judge(node.body)
        listed = _rosters(checker, node.params, types)
    if isinstance(body.type, t.Poison):
        return Judged(t.POISON, body.context.without(*roots))
    if owes(body.type, *roots):
        return checker.refuse(names.box_escapes(node.span, [root.name for root in roots]), EMPTY)
    type_, context = body.type, body.context + Context({roots[at]: INFINITY for at in listed.values()})
    for position in range(len(types) - 1, -1, -1):
        root = roots[position]
        is_held = position + 1 < len(types)
        rounding = ZERO if is_held else context.rounding
        type_ = t.Fun((), root.name, types[position], context[root], type_, is_held=is_held, rounding=rounding)
        context = context.without(root)
    if len(conditions) > MAXIMAL_CONDITIONS:
        return checker.refuse(obligations.too_many_conditions(node.span, len(conditions)), context)
    if isinstance(type_, t.Fun):
        type_ = evolve(type_, kinds=kinds, conditions=tuple(conditions))
    return Judged(type_, _without_latent(evolve(context, rounding=ZERO), kinds))


def _without_latent(context: Context, kinds: tuple[KindVar, ...]) -> Context:
    """A captured input's sensitivity that mentions the function's own sizes is unbounded outside of it."""
    own = frozenset(kinds)
    return context.map(lambda s: s if own.isdisjoint(s.variables()) else INFINITY)


#   Γ, κs, xᵢ : τᵢ ⊢ p : τ ; Π demanding Φ      xᵢ in no box of τ
#   ────────────────────────────────────────────────────────────────      captured inputs would be spent at every
#   Γ ⊢ pλ κs . xᵢ : τᵢ ⇒ p : (∀ κs | Φ . (τᵢ@Π(xᵢ))ᵢ ⊸⋆ τ) ; ∞⊙(Π∖xᵢ)    call, so they are charged ∞
def privacy_function(checker: Checker, node: ast.PLam) -> Judged:
    binders = elaborate.kind_binders(checker, node.kinds, is_given=node is checker.program)
    checker.annotations.binders[node] = kinds = tuple(binders)
    # A run gives the program all of its parameters.
    ranges = OpenRanges(node.params) if node is checker.program else opened(node.params)
    with checker.scope.binding_kinds(binders), checker.abstracting(kinds) as conditions:
        units: list[tuple[Root, list[tuple[ast.Param, t.Type]]]] = []
        for group in ranges.params:
            members = group.params if isinstance(group, ast.Aligned) else (group,)
            typed = [(param, parameter_type(checker, param)) for param in members]
            if isinstance(group, ast.Aligned):
                _check_aligned(checker, group, [type_ for _, type_ in typed])
            name = "+".join(param.name.text for param, _ in typed)
            units.append((Root.fresh(name, separated=all(t.is_separated(type_) for _, type_ in typed)), typed))
        checker.annotations.domains[node] = tuple(type_ for _, typed in units for _, type_ in typed)
        bindings = [
            (param.name.text, parameter(type_, root, is_read=node is checker.program, aligned=len(typed) > 1))
            for root, typed in units
            for param, type_ in typed
        ]
        outer_repeats, checker.repeats = checker.repeats, ONE
        with checker.scope.binding(*bindings):
            body = checker.judge_private(node.body)
        checker.repeats = outer_repeats
        everything = [each for _, typed in units for each in typed]
        listed = _rosters(checker, [param for param, _ in everything], [type_ for _, type_ in everything])
        rosters = Context({root: INFINITY for root, ((param, _), *_) in units if param.name.text in listed})
        body = evolve(body, costs=add_costs([body.costs, in_the_clear(rosters, IS_ROSTER)]))
        parameters = tuple(
            t.PrivateParameter(param.name.text, type_, body.cost(root), number, ranges.taken.get(number))
            for number, (root, typed) in enumerate(units)
            for param, type_ in typed
        )
        checker.annotations.limits[node] = limits = guarantees.written(checker, node)
        guarantees.demanded(checker, limits, parameters)
    roots = [root for root, _ in units]
    if owes(body.type, *roots):
        return checker.refuse(names.box_escapes(node.span, [root.name for root in roots]), EMPTY)
    for root, typed in units:
        _check_ways(checker, body.cost(root), typed)
    captured = Context({root: INFINITY for root in body.costs if root not in roots})
    if len(conditions) > MAXIMAL_CONDITIONS:
        return checker.refuse(obligations.too_many_conditions(node.span, len(conditions)), captured)
    return Judged(t.PFun(kinds, parameters, body.type, checker.notion, tuple(conditions)), captured)


#   Γ, κs, m, xᵢ : τᵢ ⊢ e      xⱼ : ℘ κ      x : persons[a : κ in xⱼ | …], of which m is the number of rows, j before x
#   ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
#   xⱼ costs ∞, in either language: with another roster the rows of x are those of others
def _rosters(checker: Checker, params: Sequence[ast.Param], types: Sequence[t.Type]) -> dict[str, int]:
    """The parameters that are rosters of others, with their places."""
    found: dict[str, int] = {}
    for at, (param, type_) in enumerate(zip(params, types, strict=True)):
        persons = persons_of(type_)
        if persons is None or persons.roster is None:
            continue
        place = next((j for j, earlier in enumerate(params[:at]) if earlier.name.text == persons.roster), None)
        if place is None:
            checker.report(names.no_roster(param.span, persons.roster))
        elif not is_roster_of(types[place], persons):
            checker.report(shapes.not_a_roster(params[place].span, persons.identifier.type, types[place]))
        else:
            found[persons.roster] = place
    return found


def _check_ways(checker: Checker, cost: Cost, members: list[tuple[ast.Param, t.Type]]) -> None:
    """Rows are drawn by coins only from what gains rows in all its tables by one step, or loses rows in all."""
    for param, type_ in members:
        if not moves_one_way(type_) and costs.samples_one_way(cost):
            checker.report(selection.poisson_both_ways(param.span, param.name.text, type_))


def _check_aligned(checker: Checker, group: ast.Aligned, types: list[t.Type]) -> None:
    """Aligned parameters are tables with the same number of rows, fixed or unknown, measured by rows."""
    rows: dict[Quantity | None, None] = {}
    for param, type_ in zip(group.params, types, strict=True):
        if t.is_poisoned(type_):
            return
        if holds_blocks(type_):
            checker.report(privacy.persons_aligned(param.span, param.name.text))
            return
        if not t.has_discrete_rows(type_) or not isinstance(type_, t.Matrix):
            checker.report(privacy.cannot_align(param.span, param.name.text, type_))
            return
        rows[type_.rows] = None
    if len(rows) > 1:
        checker.report(privacy.misaligned(group.span, ["★" if size is None else size.show() for size in rows]))


#   Γ ⊢ f : (∀ κs | Φ . τ₁ ⊸[s] τ₂) ; Σ₁      Γ ⊢ e : τ₁[ηs/κs] ; Σ₂      Φ[ηs/κs]
#   ──────────────────────────────────────────────────────────────────────────────
#   Γ ⊢ f e : τ₂[ηs/κs] ; Σ₁ ⊞ s[ηs/κs]⊙Σ₂
#
# All the arguments of a chain f e₁ e₂ … together determine what κs stand for. What is left of the function binds those that stay
# open (`Fun.is_held`). If e has inputs, s may mention none of them: each call of what is left may give them other values.
def application(checker: Checker, node: ast.App) -> Judged:
    chain: list[ast.App] = []
    here: ast.SExp = node
    while isinstance(here, ast.App):
        chain.append(here)
        here = here.function
    chain.reverse()
    waits = let_inference.waiting(checker, here)
    is_expecting = isinstance(here, ast.Lam) and any(param.type is None for param in here.params)
    function = None if is_expecting or waits is not None else checker.judge(here)
    wanted = [] if function is None else _domains(function.type, len(chain))
    arguments = [
        judge_as(checker, app.argument, at < len(wanted) and is_real(wanted[at])) for at, app in enumerate(chain)
    ]
    if isinstance(here, ast.Lam) and is_expecting:
        expect(checker, here.params, arguments)
    elif waits is not None and let_inference.waiting(checker, here) is waits:
        let_inference.settle(checker, waits, arguments)
    result = function if function is not None else checker.judge(here)
    for at, app in enumerate(chain):
        result = checker.settled(app, apply(checker, app, result, arguments[at:]))
    return result


def _domains(function: t.Type, most: int) -> list[t.Type]:
    """What a function takes, one argument after another."""
    found: list[t.Type] = []
    while isinstance(function, t.Fun) and len(found) < most:
        found.append(function.domain)
        function = function.codomain
    return found


def apply(checker: Checker, node: ast.App, function: Judged, arguments: list[Judged]) -> Judged:
    """A function on the first of its arguments; those that follow help to tell what its kind variables stand for."""
    argument = arguments[0]
    both = function.context + argument.context
    match function.type:
        case t.Poison():
            return Judged(t.POISON, both)
        case t.Fun():
            pass
        case t.PFun():
            return checker.refuse(privacy.privacy_function_applied(node.span), both)
        case other:
            return checker.refuse(shapes.not_a_function(node.function.span, other), both)
    instance = _instance_of_chain(checker, node, function.type, arguments)
    if instance is None:
        return Judged(t.POISON, both)
    factor = coerce(argument.type, instance.domain)
    if factor is None:
        reasons: tuple[str, ...] = ()
        if coerce(unrounded(argument.type), instance.domain) is not None:
            reasons = (
                "it rounds real numbers, and multiplies the error by more than 2⁵⁰⁰, which no written type allows",
            )
        elif isinstance(argument.type, t.Fun):
            finite = argument.type.sensitivity.finite()
            reasons = function_causes(node.argument, finite, checker.concluded, checker.annotations.addends)
        return checker.refuse(shapes.wrong_argument(node.argument.span, instance.domain, argument.type, reasons), both)
    open_kinds = instance.codomain.kinds if isinstance(instance.codomain, t.Fun) else ()
    leaked = [variable.name for variable in open_kinds if variable in instance.sensitivity.variables()]
    if leaked and argument.context:
        return checker.refuse(names.moves_by_what_is_open(node.span, leaked), both)
    context = function.context + argument.context.scaled(instance.sensitivity * factor)
    return Judged(instance.codomain, context.rounded(instance.rounding))


def _instance_of_chain(checker: Checker, node: ast.App, function: t.Fun, arguments: list[Judged]) -> t.Fun | None:
    """A function type without kind variables of its own; None, once refused, where the arguments do not say what they are.

    Kinds may stay open as long as the function still waits for arguments (`Fun.is_held`): they are bound by what is left of it.
    """
    if not function.kinds:
        return function
    unknown = frozenset(function.kinds)
    solved: dict[KindVar, rewriting.Replacement] = {}
    here: t.Type = function
    is_held = True
    for argument in arguments:
        if not isinstance(here, t.Fun):
            break
        collect(here.domain, argument.type, unknown, solved)
        is_held, here = is_held and here.is_held, here.codomain
    solved = {variable: value for variable, value in solved.items() if fits_kind(variable, value)}
    left = tuple(variable for variable in function.kinds if variable not in solved)
    if left and not is_held:
        if all(variable.name for variable in left) and not any(isinstance(each.type, t.Poison) for each in arguments):
            checker.report(names.cannot_infer(node.span, [variable.name for variable in left]))
        return None
    instance = instantiated(checker, node, function, solved)
    if instance is None or not left:
        return instance
    codomain = instance.codomain
    assert isinstance(codomain, t.Fun)
    return evolve(
        instance, kinds=(), conditions=(), codomain=evolve(codomain, kinds=left, conditions=instance.conditions)
    )


#   Γ ⊢ f : (∀ κs | Φ . τ) ; Σ      ⊢ ηs : κs      Φ[ηs/κs]
#   ─────────────────────────────────────────────────────────      all at once, without capture
#   Γ ⊢ f@[ηs] : τ[ηs/κs] ; Σ
def type_application(checker: Checker, node: ast.TypeApp) -> Judged:
    function = checker.judge(node.function)
    if not isinstance(function.type, t.Fun):
        if isinstance(function.type, t.Poison):
            return function
        return checker.refuse(shapes.not_a_function(node.function.span, function.type), function.context)
    instance = at_kinds(checker, node, function.type, node.arguments)
    return Judged(t.POISON if instance is None else instance, function.context)
