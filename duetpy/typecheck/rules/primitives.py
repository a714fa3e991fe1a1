"""Primitives: what is declared in ``prelude.duet`` is looked up and instantiated; the few forms that no signature can say
have their rule here."""

from __future__ import annotations

from attrs import evolve

from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.grammar import ast
from duetpy.grammar.ast import Norm
from duetpy.grammar.declared import INFIX
from duetpy.typecheck import constant_folding, rewriting
from duetpy.typecheck import types as t
from duetpy.typecheck.cells import GREATEST_CELL, discrete_columns, discrete_of
from duetpy.typecheck.checker import Checker
from duetpy.typecheck.context import EMPTY, Context
from duetpy.typecheck.degrees import degree_after, rounded_or_in_range
from duetpy.typecheck.errors import missing, sensitivity, shapes
from duetpy.typecheck.facts import Facts, facts_of
from duetpy.typecheck.judgement import Judged, Range, degree_of, range_in_type, range_of, rows_moved
from duetpy.typecheck.literals import is_literal, is_real, judge_alike, judge_as
from duetpy.typecheck.parts import static_size
from duetpy.typecheck.prelude import signatures
from duetpy.typecheck.quantity import INFINITY, ONE, ZERO, KindVar, Quantity, Signed, admits
from duetpy.typecheck.ranges import clear_of, range_after, slopes_in_ranges
from duetpy.typecheck.rows import is_plain
from duetpy.typecheck.signatures import Signature
from duetpy.typecheck.solve import collect, fits_kind
from duetpy.typecheck.subtype import coerce, is_comparable


def judge_primitive(checker: Checker, node: ast.Prim) -> Judged:
    """Γ ⊢ prim e₁ … : τ ; s₁⊙Σ₁ ⊞ …"""
    spine, here = [node], node
    while node.name in INFIX and isinstance(here.args[0], ast.Prim) and len(here.args) == 2:
        here = here.args[0]
        spine.append(here)
    result: Judged | None = None
    for prim in reversed(spine):
        args = operands(checker, prim, result)
        bounds = judge_alike(checker, prim.bounds)
        result = checker.settled(prim, conclude(checker, prim, args, bounds))
    assert result is not None
    return result


def operands(checker: Checker, node: ast.Prim, first: Judged | None) -> list[Judged]:
    """The judgements of what a primitive is applied to; the first may be known already.

    An integer literal is a real number next to one, if the two must be numbers of one sort, and where no natural can stand.
    """
    known = [] if first is None else [first]
    is_one_sort = facts_of(node.name).is_one_sort
    demands_real = is_one_sort and any(is_real(judged.type) for judged in known)
    demands_real = demands_real or (any(map(is_literal, node.args)) and takes_reals(node))
    rest = node.args[len(known) :]
    if not demands_real and is_one_sort:
        return [*known, *judge_alike(checker, rest)]
    # A list at once: who asks a generator for the next one calls it from C, which takes C stack at every level.
    return known + [judge_as(checker, argument, demands_real) for argument in rest]


def takes_reals(node: ast.Prim) -> bool:
    """Whether a primitive takes real numbers and no others: ``/``, ``√``, ``exp``."""
    takes_any = False
    for signature in signatures(node.name, node.norm, len(node.bounds)):
        if not all(map(is_real, signature.arguments)):
            return False
        takes_any = True
    return takes_any


def conclude(checker: Checker, node: ast.Prim, args: list[Judged], bounds: list[Judged]) -> Judged:
    """The judgement of a primitive from those of its arguments."""
    together = everything(args)
    if any(isinstance(arg.type, t.Poison) for arg in args + bounds):
        return Judged(t.POISON, together)
    folded = constant_folding.fold(facts_of(node.name).static, tuple(arg.type for arg in args))
    if folded is not None:
        return Judged(folded, together, degree=degree_after(facts_of(node.name), args))
    judged = checker.rules.primitive(checker, node, args, bounds)
    if not _is_rounded(node, args):
        return judged
    checker.rounds = True
    return evolve(judged, context=judged.context.rounded())


def everything(args: list[Judged]) -> Context:
    """What all the arguments mention."""
    together = EMPTY
    for arg in args:
        together = together + arg.context
    return together


def _is_rounded(node: ast.Prim, args: list[Judged]) -> bool:
    """Whether a form keeps a fixed number of places of a real argument that an input moves; see the pages step, mclip, product."""
    if node.name == "×":
        return any(arg.context for arg in args) and all(map(_is_real_table, args))
    if not args or not args[0].context:
        return False
    if node.name == "step∇":
        return True
    if node.norm not in facts_of(node.name).rounds or not isinstance(args[0].type, t.Matrix):
        return False
    return any(isinstance(element, t.Real) for element in args[0].type.column_types())


def _is_real_table(judged: Judged) -> bool:
    return isinstance(judged.type, t.Matrix) and isinstance(judged.type.element, t.Real | t.StaticReal)


def index(checker: Checker, node: ast.Prim, arg: Judged) -> Judged:
    """``idx`` of a static number."""
    if isinstance(arg.type, t.StaticNat):
        return Judged(t.Idx(arg.type.value + 1), arg.context)
    return checker.refuse(shapes.index_not_static(node.args[0].span, arg.type), arg.context)


#   Γ ⊢ e : τ ; Σ                          Γ ⊢ e : box[Σ₀] τ ; Σ
#   ─────────────────────────              ───────────────────────────
#   Γ ⊢ box e : box[Σ] τ ; ∅               Γ ⊢ unbox e : τ ; Σ ⊞ Σ₀
def box(arg: Judged) -> Judged:
    return Judged(t.Box(arg.context, arg.type))


def unbox(checker: Checker, node: ast.Prim, arg: Judged) -> Judged:
    if not isinstance(arg.type, t.Box):
        return checker.refuse(shapes.not_a_box(node.args[0].span, arg.type), arg.context)
    return Judged(arg.type.inner, arg.context + arg.type.debt)


#   Γ ⊢ e : ∀ κs . τ ⊸[s] ℝ ; Σ      sep(τ) ≥ 1
#   ─────────────────────────────────────────────      whatever s is; from sep(τ) = 0 the result is ∞-sensitive
#   Γ ⊢ discf e : ∀ κs . τ ⊸[1] 𝔻 ; ∞⊙Σ
def discretised_function(checker: Checker, node: ast.Prim, arg: Judged) -> Judged:
    if not isinstance(arg.type, t.Fun):
        return checker.refuse(shapes.not_a_function(node.args[0].span, arg.type), arg.context)
    fun = arg.type
    if not is_comparable(fun.codomain):
        return checker.refuse(sensitivity.not_comparable(node.span, "discf", fun.codomain), arg.context.unbounded())
    factor = ONE if t.is_separated(fun.domain) else INFINITY
    slope = fun.sensitivity if fun.sensitivity.is_zero else factor
    codomain = discrete_of(fun.codomain)
    return Judged(evolve(fun, sensitivity=slope, codomain=codomain), arg.context.unbounded())


#   Γ ⊢ e : ℝ ; Σ      lo ≤ hi static          Γ ⊢ e : 𝔻 ; Σ
#   ────────────────────────────────────       ────────────────────────────────────────────
#   Γ ⊢ clip[lo, hi] e : ℝ ; Σ                 Γ ⊢ clip[lo, hi] e : ℝ ; (hi − lo)⊙Σ
#
# Clamping never stretches; and any two clamped values are at most hi − lo apart, one discrete step. Bare clip is [−1, 1].
# What lies between a ≥ lo and b ≤ hi is left as it is, and is at most b − a apart.
def clip(checker: Checker, node: ast.Prim, arg: Judged, bounds: list[Judged]) -> Judged:
    if bounds:
        ends = [judged.type.value for judged in bounds if isinstance(judged.type, t.StaticReal)]
        naturals = [Signed(False, judged.type.value) for judged in bounds if isinstance(judged.type, t.StaticNat)]
        ends = ends if len(ends) == 2 else naturals
        if len(ends) != 2:
            return checker.refuse(shapes.clip_bounds_not_static(node.span), arg.context)
        low, high = ends
        if not low.leq(high):
            if high.leq(low):
                return checker.refuse(shapes.clip_bounds_reversed(node.span, low.show(), high.show()), arg.context)
            difference = high - low
            if difference is None or difference.negative:
                return checker.refuse(shapes.clip_bounds_unordered(node.span, low.show(), high.show()), arg.context)
    else:
        low, high = Signed(True, ONE), Signed(False, ONE)
    bounded = Range(low, high, is_written=True)
    known = range_in_type(arg.type) or range_of(arg)
    if known is not None and low.leq(known.low) and known.high.leq(high):
        bounded = known
    # A run, which may know the bounds to so many digits only, clips a number to the lower one that it finds, and to the upper one.
    least, most = -clear_of(-bounded.low, -high), clear_of(bounded.high, low)
    if (least, most) != (bounded.low, bounded.high):
        bounded = Range(least, most)
    match arg.type:
        case t.Real() | t.StaticReal():
            return Judged(t.REAL, arg.context, range=bounded, degree=degree_of(arg))
        case t.Disc(t.Real() | t.StaticReal() | t.Bounded()):
            return Judged(t.REAL, arg.context.scaled(bounded.width), range=bounded, degree=1)
        case other:
            return checker.refuse(_missing(node, [arg]) or shapes.not_clipped(node.args[0].span, other), arg.context)


#   prim : ∀ κs . σ₁ ⊸[s₁] … ⊸[sₖ] σ      Γ ⊢ eᵢ : τᵢ ; Σᵢ      τᵢ fits σᵢ[ηs/κs] at the price cᵢ
#   ──────────────────────────────────────────────────────────────────────────────────────────
#   Γ ⊢ prim e₁ … eₖ : σ[ηs/κs] ; (s₁c₁)⊙Σ₁ ⊞ … ⊞ (sₖcₖ)⊙Σₖ           ⊔ in place of ⊞ where the operands are one &-pair
#
# Of the signatures of one name, the first that all arguments fit without a change of metric; else the first that they fit. A
# part of a pair that is written, or of a name of one, is what is written there.
def by_signature(checker: Checker, node: ast.Prim, args: list[Judged], bounds: list[Judged]) -> Judged:
    together = everything(args)
    stated = facts_of(node.name)
    if stated.is_comparable and not all(is_comparable(arg.type) for arg in args):
        return checker.refuse(sensitivity.not_comparable(node.span, node.name, *(arg.type for arg in args)), together)
    if stated.is_of_rows and isinstance(table := args[0].type, t.Matrix):
        if not has_plain_rows(table):
            return checker.refuse(sensitivity.rows_not_ordered(node.args[0].span, node.name, table), together)
        # As many rows are added, removed and replaced, whatever the distance between two cells is.
        args = [evolve(args[0], type=evolve(table, norm=Norm.LINF, schema=discrete_columns(table.schema)))]
    if any(isinstance(bound.type, t.StaticReal) and bound.type.value.magnitude.is_zero for bound in bounds):
        checker.obligate(ZERO, "<", ZERO, "a bound on a norm is positive", node.bounds[0].span)
        return Judged(t.POISON, together)
    best: tuple[Signature, dict[KindVar, rewriting.Replacement], list[Quantity]] | None = None
    for signature in signatures(node.name, node.norm, len(bounds)):
        fitted = fit(checker, node, signature, args, bounds)
        if fitted is None:
            continue
        solved, factors = fitted
        if best is None:
            best = (signature, solved, factors)
        if all(factor == ONE for factor in factors):
            best = (signature, solved, factors)
            break
    if best is None:
        candidates = tuple(signatures(node.name, node.norm, len(bounds)))
        return checker.refuse(
            _missing(node, args, candidates) or _no_signature(node, stated, args, candidates), together
        )
    if stated.part and args[0].parts:
        return args[0].parts[("first", "second").index(stated.part)]
    signature, solved, factors = best
    if (warning := sensitivity.doubt(node, signature.result, args, checker.concluded)) is not None:
        checker.report(warning)
    sizes = {variable: value for variable, value in solved.items() if isinstance(value, Quantity)}
    context = EMPTY
    degree = degree_after(stated, args)
    if stated.part or stated.remeasures or (stated.is_same and range_in_type(args[0].type) is not None):
        degree = degree_of(args[0])
    if stated.counts:
        degree = 1
    slopes = signature.sensitivities
    if isinstance(signature.result, t.Real) and degree is not None and all(slope.is_infinite for slope in slopes):
        slopes = slopes_in_ranges(stated, args) or slopes
    for arg, slope, factor in zip(args, slopes, factors, strict=True):
        stretch = ONE if stated.remeasures and counts_rows(arg.type) else slope.substitute(sizes)
        moved_by = arg.context.scaled(stretch * factor)
        context = context.join(moved_by) if signature.joined else context + moved_by
        if stated.counts and has_unknown_rows(arg.type):
            # Rows that are not discrete may be added and removed at distance 0, so only a count of them bounds their
            # number. A row that is replaced moves a count by what one row can hold.
            moved = rows_moved(arg)
            context = arg.context.unbounded() if moved is None else moved.scaled(per_row(stated.counts, slope, sizes))
    result = kept(stated, args[0].type, rewriting.substitute(signature.result, solved))
    rows_of = args[0].rows_of if stated.is_row_wise and isinstance(result, t.Matrix) else None
    count = rows_moved(args[0]) if stated.is_row_wise else None
    if stated.keeps:
        # Of a row that is replaced, one is left out and one comes in at most.
        count = args[0].count if has_unknown_rows(args[0].type) else args[0].context
    known = range_after(stated, result, args)
    if stated.range == "either":
        result = in_hull(result, args)
    ordered = stated.keeps and args[0].ordered
    judged = Judged(result, context, rows_of=rows_of, range=known, count=count, degree=degree, ordered=ordered)
    return rounded_or_in_range(stated, args, judged)


#   e₁ : (𝔻 in [a, b])?      e₂ : 𝔻 in [c, d]
#   ─────────────────────────────────────────────      it is one of the two
#   e₁ or-else e₂ : 𝔻 in [a ⊓ c, b ⊔ d]
def in_hull(result: t.Type, args: list[Judged]) -> t.Type:
    """The type of what is one of several numbers."""
    first, second = [_bounded(arg.type) for arg in args]
    if first is None or second is None:
        return result
    hull = t.Disc(t.Bounded(min(first.low, second.low), max(first.high, second.high)))
    return t.Maybe(hull) if isinstance(result, t.Maybe) else hull


def _bounded(type_: t.Type) -> t.Bounded | None:
    """The range of the numbers of a type, and that of a static number which a cell can be."""
    match type_:
        case t.Maybe(inner) | t.Disc(inner):
            return _bounded(inner)
        case t.Bounded():
            return type_
        case t.StaticReal(Signed(is_negative, magnitude)) if (
            magnitude.constant is not None and magnitude.constant <= GREATEST_CELL
        ):
            number = -magnitude.constant if is_negative else magnitude.constant
            return t.Bounded(number, number)
        case _:
            return None


def has_plain_rows(matrix: t.Matrix) -> bool:
    """Whether the cells of a table are single values that are at least 1 apart, so that its rows have an order."""
    return all(is_plain(column) and t.is_separated(column) for column in matrix.column_types())


def has_unknown_rows(type_: t.Type) -> bool:
    return isinstance(type_, t.Matrix) and type_.rows is None


def counts_rows(type_: t.Type) -> bool:
    """Whether a table's distance is the number of rows added and removed, in whatever norm its rows are measured."""
    return isinstance(type_, t.Matrix) and type_.rows is None and all(map(t.is_discrete, type_.column_types()))


def per_row(counted: str, sensitivity: Quantity, sizes: dict[KindVar, Quantity]) -> Quantity:
    """What adding, removing or replacing a row counts: 1 among rows, up to the signature's factor among entries."""
    return ONE if counted == "row" else sensitivity.substitute(sizes)


def kept(stated: Facts, source: t.Type, result: t.Type) -> t.Type:
    """What a row-wise primitive leaves alone: the names of the columns, and all but the norm where the values stay."""
    if not stated.is_row_wise or not isinstance(source, t.Matrix) or not isinstance(result, t.Matrix):
        return result
    if stated.remeasures:
        return evolve(source, norm=result.norm)
    if isinstance(source.schema, t.Columns) and result.element is not None:
        element = result.element
        return evolve(result, schema=t.Columns(tuple(t.Column(c.name, element) for c in source.schema.columns)))
    return result


def fit(
    checker: Checker, node: ast.Prim, signature: Signature, args: list[Judged], bounds: list[Judged]
) -> tuple[dict[KindVar, rewriting.Replacement], list[Quantity]] | None:
    """The kinds at which a signature takes the arguments, and the price of each argument's change of metric."""
    if len(signature.arguments) != len(args):
        return None
    unknown = frozenset(signature.kinds)
    solved: dict[KindVar, rewriting.Replacement] = {}
    for position, name in enumerate(signature.statics):
        bound = static_bound(checker, node, bounds[position]) if position < len(bounds) else ONE
        if bound is None:
            return None
        solved[name] = bound
    actuals = [unsigned(arg.type) for arg in args]
    if unknown:
        for wanted, actual in zip(signature.arguments, actuals, strict=True):
            collect(wanted, actual, unknown, solved)
    solved = {variable: value for variable, value in solved.items() if fits_kind(variable, value)}
    for variable in signature.kinds:
        value = solved.get(variable)
        if value is None:
            return None
        if isinstance(value, Quantity) and (
            value.is_infinite or (value.constant is not None and not admits(variable, value))
        ):
            return None
    factors: list[Quantity] = []
    for wanted, actual in zip(signature.arguments, actuals, strict=True):
        factor = coerce(actual, rewriting.substitute(wanted, solved) if solved else wanted)
        if factor is None:
            return None
        factors.append(factor)
    return solved, factors


def _missing(node: ast.Prim, args: list[Judged], candidates: tuple[Signature, ...] = ()) -> Diagnostic | None:
    """That no signature fits because a value may be missing where none of them takes such a value."""
    found, spans = [], []
    for at, (judged, argument) in enumerate(zip(args, node.args, strict=True)):
        if not any(isinstance(signature.arguments[at], t.Maybe) for signature in candidates):
            found.append(judged.type)
            spans.append(argument.span)
    return missing.not_computed_with(_title(node), found, spans)


def _no_signature(node: ast.Prim, stated: Facts, args: list[Judged], candidates: tuple[Signature, ...]) -> Diagnostic:
    """No signature fits, in the words of what was written: of ``b < a`` for ``a > b``, and of ``a ≡ false`` for ``not a``."""
    operands = [(argument.span, judged.type) for argument, judged in zip(node.args, args, strict=True)]
    title = _title(node)
    if len(operands) == 2:
        (first, left), (second, _) = operands
        if second.start < first.start and stated.turned:
            title, operands = stated.turned, operands[::-1]
        elif stated.compares == "equal" and second.text in ("not", "¬"):
            return shapes.not_a_boolean(first, left)
        elif stated.compares == "equal" and any(
            sign in first.source.text[first.end : second.start] for sign in ("≠", "!=")
        ):
            title = "≠"
        elif first.text == node.name:
            del operands[0]
    spans, found = [span for span, _ in operands], [type_ for _, type_ in operands]
    chained = shapes.chained_comparison(node, title, spans, found) if stated.compares else None
    return chained or shapes.no_signature(node.span, title, stated, found, candidates, spans)


def unsigned(type_: t.Type) -> t.Type:
    """A static number for the purpose of sensitivities: its absolute value, |c|, is what scales."""
    if isinstance(type_, t.StaticReal):
        return t.StaticReal(Signed(False, type_.value.magnitude))
    return type_


def static_bound(checker: Checker, node: ast.Prim, bound: Judged) -> Quantity | None:
    """The bound in brackets: a static positive number."""
    magnitude = static_size(bound.type)
    if magnitude is None:
        checker.report(shapes.bound_not_static(node.span, _title(node)))
    else:
        checker.obligate(ZERO, "<", magnitude, "a bound on a norm is positive", node.span)
    return magnitude


def _title(node: ast.Prim) -> str:
    if node.norm is not None:
        return f"{node.name}[{node.norm.value}]"
    if node.loss is not None:
        return f"{node.name}[{node.loss}]"
    return node.name
