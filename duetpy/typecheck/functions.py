"""Functions of both languages: abstraction, application, and what kind variables stand for at a call."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import evolve

from duetpy.grammar import ast
from duetpy.grammar.ast import Kind
from duetpy.trampoline import Task, call
from duetpy.typecheck import deferred, elaborate, errors, promises
from duetpy.typecheck import types as t
from duetpy.typecheck.checker import Checker
from duetpy.typecheck.context import EMPTY, Context, Root
from duetpy.typecheck.debts import owes
from duetpy.typecheck.errors.stretching import function_causes
from duetpy.typecheck.judged import Judged
from duetpy.typecheck.quantity import INFINITY, ONE, ZERO, KindVar, Quantity, admits
from duetpy.typecheck.solve import collect, fits_kind
from duetpy.typecheck.subtype import coerce


def parameter_type(checker: Checker, param: ast.Param) -> t.Type:
    if param.type is None and param in checker.expected:
        return checker.expected[param]
    if param.type is None:
        checker.report(errors.parameter_needs_type(param.span, param.name.text))
        return t.POISON
    return elaborate.type_(checker, param.type)


def parameter(type_: t.Type, root: Root, aligned: bool = False) -> Judged:
    """A parameter in its own body: itself, once; a static number never moves and so is no input at all.

    A table of unknown size is the rows of its input where it is `aligned` with others: then there is something for its rows
    to be paired with.
    """
    if isinstance(type_, t.StaticNat | t.StaticReal):
        return Judged(type_)
    is_rows = isinstance(type_, t.Matrix) and (type_.rows is not None or aligned)
    return Judged(type_, Context.of(root), rows_of=root if is_rows else None)


#   Γ, κs, x : τ ⊢ e : τ′ ; Σ      x in no box of τ′
#   ───────────────────────────────────────────────────────      captured inputs are charged where the function is
#   Γ ⊢ sλ κs . x : τ ⇒ e : (∀ κs . τ ⊸[Σ(x)] τ′) ; Σ∖x          used; at ∞ if the charge depends on κs, which are gone
def sensitivity_function(checker: Checker, node: ast.Lam) -> Task[Judged]:
    kinds = elaborate.kind_binders(checker, node.kinds)
    checker.annotations.binders[node] = kinds
    with checker.scope.binding_kinds(kinds):
        types = [parameter_type(checker, param) for param in node.params]
        checker.annotations.domains[node] = tuple(types)
        roots = [
            Root.fresh(param.name.text, separated=t.is_separated(type_))
            for param, type_ in zip(node.params, types, strict=True)
        ]
        bindings = [
            (param.name.text, parameter(type_, root))
            for param, type_, root in zip(node.params, types, roots, strict=True)
        ]
        with checker.scope.binding(*bindings):
            body = yield from call(checker.judge(node.body))
    if isinstance(body.type, t.Poison):
        return Judged(t.POISON, body.context.without(*roots))
    if owes(body.type, *roots):
        return checker.refuse(errors.box_escapes(node.span, [root.name for root in roots]), EMPTY)
    type_, context = body.type, body.context
    for position in range(len(types) - 1, -1, -1):
        root = roots[position]
        type_ = t.Fun((), root.name, types[position], context[root], type_)
        context = context.without(root)
    if isinstance(type_, t.Fun):
        type_ = evolve(type_, kinds=kinds)
    return Judged(type_, _without_latent(context, kinds))


def _without_latent(context: Context, kinds: tuple[KindVar, ...]) -> Context:
    """A captured input's sensitivity that mentions the function's own sizes is unbounded outside of it."""
    own = frozenset(kinds)
    return Context({root: s if own.isdisjoint(s.variables()) else INFINITY for root, s in context.entries.items()})


#   Γ, κs, xᵢ : τᵢ ⊢ p : τ ; Π      xᵢ in no box of τ
#   ────────────────────────────────────────────────────────────      captured inputs would be spent at every
#   Γ ⊢ pλ κs . xᵢ : τᵢ ⇒ p : (∀ κs . (τᵢ@Π(xᵢ))ᵢ ⊸⋆ τ) ; ∞⊙(Π∖xᵢ)    call, so they are charged ∞
def privacy_function(checker: Checker, node: ast.PLam) -> Task[Judged]:
    kinds = elaborate.kind_binders(checker, node.kinds)
    checker.annotations.binders[node] = kinds
    with checker.scope.binding_kinds(kinds):
        units: list[tuple[Root, list[tuple[ast.Param, t.Type]]]] = []
        for group in node.params:
            members = group.params if isinstance(group, ast.Aligned) else (group,)
            typed = [(param, parameter_type(checker, param)) for param in members]
            if isinstance(group, ast.Aligned):
                _check_aligned(checker, group, [type_ for _, type_ in typed])
            name = "+".join(param.name.text for param, _ in typed)
            units.append((Root.fresh(name, separated=all(t.is_separated(type_) for _, type_ in typed)), typed))
        checker.annotations.domains[node] = tuple(type_ for _, typed in units for _, type_ in typed)
        bindings = [
            (param.name.text, parameter(type_, root, len(typed) > 1)) for root, typed in units for param, type_ in typed
        ]
        outer_repeats, checker.repeats = checker.repeats, ONE
        with checker.scope.binding(*bindings):
            body = yield from call(checker.judge_private(node.body))
        checker.repeats = outer_repeats
        limits = promises.written(checker, node)
    roots = [root for root, _ in units]
    if owes(body.type, *roots):
        return checker.refuse(errors.box_escapes(node.span, [root.name for root in roots]), EMPTY)
    parameters = tuple(
        t.PrivateParameter(param.name.text, type_, body.cost(root), number)
        for number, (root, typed) in enumerate(units)
        for param, type_ in typed
    )
    captured = Context({root: INFINITY for root in body.costs if root not in roots})
    promises.promise(checker, limits, kinds, parameters)
    return Judged(t.PFun(kinds, parameters, body.type, checker.notion), captured)


def _check_aligned(checker: Checker, group: ast.Aligned, types: list[t.Type]) -> None:
    """Aligned parameters are tables with the same number of rows, fixed or unknown, measured by rows."""
    rows = set()
    for param, type_ in zip(group.params, types, strict=True):
        if isinstance(type_, t.Poison):
            return
        if not t.has_discrete_rows(type_) or not isinstance(type_, t.Matrix):
            checker.report(errors.cannot_align(param.span, param.name.text, type_))
            return
        rows.add(type_.rows)
    if len(rows) > 1:
        checker.report(errors.misaligned(group.span, ["★" if size is None else size.show() for size in rows]))


#   Γ ⊢ f : (∀ κs . τ₁ ⊸[s] τ₂) ; Σ₁      Γ ⊢ e : τ₁[ηs/κs] ; Σ₂
#   ─────────────────────────────────────────────────────────────
#   Γ ⊢ f e : τ₂[ηs/κs] ; Σ₁ ⊞ s[ηs/κs]⊙Σ₂
def application(checker: Checker, node: ast.App) -> Task[Judged]:
    arguments: list[ast.App] = []
    here: ast.SExp = node
    while isinstance(here, ast.App):
        arguments.append(here)
        here = here.function
    arguments.reverse()
    judged: list[Judged] = []
    if isinstance(here, ast.Lam) and any(param.type is None for param in here.params):
        for app in arguments:
            judged.append((yield from call(checker.judge(app.argument))))
        expect(checker, here.params, judged)
    elif deferred.waiting(checker, here) is not None:
        for app in arguments:
            judged.append((yield from call(checker.judge(app.argument))))
        waits = deferred.waiting(checker, here)
        if waits is not None:
            yield from call(deferred.settle(checker, waits, judged))
    result = yield from call(checker.judge(here))
    for at, app in enumerate(arguments):
        argument = judged[at] if judged else (yield from call(checker.judge(app.argument)))
        result = checker.settled(app, apply(checker, app, result, argument))
    return result


def expect(checker: Checker, params: tuple[ast.Param, ...], arguments: list[Judged]) -> None:
    """A function that is applied where it stands takes what it is given: types that were left out are the arguments'."""
    for param, argument in zip(params, arguments, strict=False):
        if param.type is None:
            checker.expected[param] = argument.type


def apply(checker: Checker, node: ast.App, function: Judged, argument: Judged) -> Judged:
    both = function.context + argument.context
    match function.type:
        case t.Poison():
            return Judged(t.POISON, both)
        case t.Fun():
            pass
        case t.PFun():
            return checker.refuse(errors.privacy_function_applied(node.span), both)
        case other:
            return checker.refuse(errors.not_a_function(node.function.span, other), both)
    solved: dict[KindVar, t.Replacement] = {}
    collect(function.type.domain, argument.type, frozenset(function.type.kinds), solved)
    record_instance(checker, node, function.type.kinds, solved)
    instance = instantiated(checker, node, function.type, solved)
    factor = coerce(argument.type, instance.domain)
    if factor is None:
        reasons: tuple[str, ...] = ()
        if isinstance(argument.type, t.Fun):
            finite = argument.type.sensitivity.finite()
            reasons = function_causes(node.argument, finite, checker.concluded, checker.annotations.addends)
        return checker.refuse(errors.wrong_argument(node.argument.span, instance.domain, argument.type, reasons), both)
    context = function.context + argument.context.scaled(instance.sensitivity * factor)
    return Judged(instance.codomain, context)


def instantiated(checker: Checker, node: ast.Node, function: t.Fun, solved: dict[KindVar, t.Replacement]) -> t.Fun:
    """The function type at the solved kinds; kinds that the argument says nothing of stay open in the codomain."""
    usable = {variable: value for variable, value in solved.items() if fits_kind(variable, value)}
    for variable, value in usable.items():
        if isinstance(value, Quantity) and not in_range(checker, variable, value, node):
            return evolve(function, kinds=(), sensitivity=INFINITY, codomain=t.POISON)
    left = tuple(variable for variable in function.kinds if variable not in usable)
    if usable and left:
        # What is still open is this call's own, so that its side conditions are not mixed up with those of another call.
        fresh = {variable: variable.copy() for variable in left}
        left = tuple(fresh.values())
        usable |= {old: t.TypeVar(new) if new.kind is Kind.TYPE else Quantity.var(new) for old, new in fresh.items()}
    promises.called(checker, usable)
    instance = t.substitute(evolve(function, kinds=()), usable)
    assert isinstance(instance, t.Fun)
    if left and isinstance(instance.codomain, t.Fun | t.PFun):
        codomain = evolve(instance.codomain, kinds=left + instance.codomain.kinds)
        instance = evolve(instance, codomain=codomain)
    open_kinds = (t.free_variables(instance.codomain) | instance.sensitivity.variables()) & frozenset(left)
    if open_kinds:
        checker.report(errors.cannot_infer(node.span, sorted(variable.name for variable in open_kinds)))
        return evolve(instance, sensitivity=INFINITY, codomain=t.POISON)
    return instance


def in_range(checker: Checker, variable: KindVar, value: Quantity, node: ast.Node) -> bool:
    """Demand what kind variables range over: numbers ≥ 1 (ℕ) and > 0 (ℝ⁺), all finite; the order relies on it.

    False where the value is plainly outside, so that nothing may be put in for the variable.
    """
    if variable.kind is Kind.NAT:
        checker.obligate(ONE, "≤", value, f"{variable.name} counts something: at least 1", node.span)
    else:
        checker.obligate(ZERO, "<", value, f"{variable.name} is a positive real", node.span)
    if value.is_infinite:
        checker.report(errors.infinite_argument(node.span, variable.name))
    elif value.constant is not None and not admits(variable, value) and value.constant >= 1:
        checker.report(errors.wrong_kind(node.span, value.show(), "a whole number (ℕ)", "a real number"))
    return not value.is_infinite and (value.constant is None or admits(variable, value))


#   Γ ⊢ f : (∀ κs . τ) ; Σ      ⊢ ηs : κs
#   ─────────────────────────────────────      all at once, without capture
#   Γ ⊢ f@[ηs] : τ[ηs/κs] ; Σ
def type_application(checker: Checker, node: ast.TypeApp) -> Task[Judged]:
    function = yield from call(checker.judge(node.function))
    if not isinstance(function.type, t.Fun):
        if isinstance(function.type, t.Poison):
            return function
        return checker.refuse(errors.not_a_function(node.function.span, function.type), function.context)
    mapping = kind_arguments(checker, node, function.type.kinds, node.arguments)
    if mapping is None:
        return Judged(t.POISON, function.context)
    promises.called(checker, mapping)
    rest = function.type.kinds[len(mapping) :]
    return Judged(t.substitute(evolve(function.type, kinds=rest), mapping), function.context)


def kind_arguments(
    checker: Checker,
    node: ast.TypeApp | ast.PApp,
    kinds: tuple[KindVar, ...],
    written: tuple[ast.RExp | ast.Type, ...],
) -> dict[KindVar, t.Replacement] | None:
    """The written kind arguments by variable; None, told of, where they do not fit the binder."""
    if not written:
        return {}
    if len(written) != len(kinds):
        checker.report(errors.kind_arity(node.span, len(kinds), len(written)))
        return None
    mapping: dict[KindVar, t.Replacement] = {}
    for variable, argument in zip(kinds, written, strict=True):
        value = kind_argument(checker, variable, argument)
        if value is None:
            return None
        mapping[variable] = value
    record_instance(checker, node, kinds, mapping)
    return mapping


def record_instance(
    checker: Checker, node: ast.Node, kinds: tuple[KindVar, ...], solved: Mapping[KindVar, t.Replacement]
) -> None:
    """Tell the run what a call puts in for the kind variables: data does not say all of it, such as bounds of rows."""
    values = [solved.get(variable) for variable in kinds]
    checker.annotations.opened[node] = kinds
    checker.annotations.instances[node] = tuple(value if isinstance(value, Quantity) else None for value in values)


_NUMBERS = (ast.RVar, ast.RNum, ast.RInf, ast.RBin, ast.RFun)


def kind_argument(checker: Checker, variable: KindVar, argument: ast.RExp | ast.Type) -> t.Replacement | None:
    if variable.kind is Kind.TYPE:
        if isinstance(argument, ast.RVar):
            found = checker.scope.lookup_kind(argument.name)
            if found is not None and found.kind is Kind.TYPE:
                return t.TypeVar(found)
        elif not isinstance(argument, _NUMBERS):
            return elaborate.type_(checker, argument)
        checker.report(errors.wrong_kind(argument.span, argument.span.text, "a type", "a number"))
        return None
    if not isinstance(argument, _NUMBERS):
        checker.report(errors.wrong_kind(argument.span, argument.span.text, "a number", "a type"))
        return None
    value = elaborate.size(checker, argument) if variable.kind is Kind.NAT else elaborate.quantity(checker, argument)
    return value if in_range(checker, variable, value, argument) else None
