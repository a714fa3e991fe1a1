"""Subtyping and coercion.

τ ≤ σ holds when every value of τ is a value of σ and σ's distance is nowhere larger than τ's; then a value of type τ may
stand where σ is wanted, at no cost. `coerce` offers more: a change of metric at a price, as a factor on the context.
"""

from __future__ import annotations

from typing import TypeGuard
from typing import TypeVar as TypeVariable

from attrs import evolve

from duetpy.grammar.ast import Norm
from duetpy.typecheck import cost as costs
from duetpy.typecheck import types as t
from duetpy.typecheck.capacity import is_no_larger
from duetpy.typecheck.conditions import CELLS, Condition, Obligation, follows
from duetpy.typecheck.context import Context
from duetpy.typecheck.quantity import INFINITY, ONE, ZERO, KindVar, Quantity, Signed, maximum
from duetpy.typecheck.rewriting import rebuilt, with_binders
from duetpy.typecheck.stated import is_within

_COARSENESS = {Norm.L1: 0, Norm.L2: 1, Norm.LINF: 2}


def is_finer(left: Norm, right: Norm) -> bool:
    """Whether ‖·‖_left ≥ ‖·‖_right always: L1 is finer than L2, and L2 finer than L∞."""
    return _COARSENESS[left] <= _COARSENESS[right]


def clip_implies(known: t.Clip | None, wanted: t.Clip | None) -> bool:
    """Whether rows bounded as `known` are bounded as `wanted`: ‖·‖_∞ ≤ ‖·‖₂ ≤ ‖·‖₁."""
    if wanted is None:
        return True
    return known is not None and is_finer(known.norm, wanted.norm) and known.bound.leq(wanted.bound)


def is_subtype(left: t.Type, right: t.Type) -> bool:
    """Whether `left` ≤ `right` is proved."""
    if left is right or left == right:
        return True
    match left, right:
        case (t.Poison(), _) | (_, t.Poison()):
            return True
        case (t.StaticNat(), t.Nat()) | (t.Idx(), t.Nat()) | (t.StaticReal(), t.Real()):
            return True
        case (
            (t.Disc(t.Str()), t.Str())
            | (t.Disc(t.Bool()), t.Bool())
            | (t.Str(), t.Disc(t.Str()))
            | (t.Bool(), t.Disc(t.Bool()))
            | (t.Disc(t.Date()), t.Date())
            | (t.Date(), t.Disc(t.Date()))
        ):
            return True  # the same values and the same metric
        case t.Bounded(), t.Real():
            return True
        case t.Bounded(a, b), t.Bounded(c, d):
            return c <= a and b <= d
        case t.StaticReal(Signed(is_negative, magnitude)), t.Bounded(low, high):
            number = magnitude.constant
            return number is not None and low <= (-number if is_negative else number) <= high
        case t.StaticNat(value), t.Idx(size):
            return (value + 1).leq(size)
        case t.Idx(size), t.Idx(wanted):
            return size.leq(wanted)
        case t.Disc(inner), t.Disc(wanted_inner):
            return is_subtype(inner, wanted_inner)
        case t.Maybe(inner), t.Maybe(wanted_inner):
            return _has_values_of(inner, wanted_inner)  # both are discrete, whatever the distance of their values is
        case _, t.Maybe(wanted_inner):
            return t.is_separated(left) and _has_values_of(left, wanted_inner)
        case t.SetOf(inner), t.SetOf(wanted_inner) if is_subtype(inner, wanted_inner):
            return True
        case t.SetOf(inner), t.SetOf(t.Disc(wanted_inner)) if is_comparable(inner) and is_subtype(inner, wanted_inner):
            return True  # a set is discrete as a whole, so the distance of its elements does not matter
        case t.Matrix(), t.Matrix():
            return (
                is_finer(left.norm, right.norm)
                and clip_implies(left.clip, right.clip)
                and left.rows == right.rows
                and is_schema_subtype(left.schema, right.schema)
                # A table that counts rows is not one that matches them: an added row is 1 there, and its length here.
                and (left.rows is not None or t.counts_rows(left) == t.counts_rows(right))
            )
        case (t.Product(a, b), t.Product(c, d)) | (t.Sum(a, b), t.Sum(c, d)) | (t.With(a, b), t.With(c, d)):
            return is_subtype(a, c) and is_subtype(b, d)
        case t.Box(debt, boxed), t.Box(wanted_debt, wanted_boxed):
            return context_leq(debt, wanted_debt) and is_subtype(boxed, wanted_boxed)
        case t.Fun(), t.Fun():
            return _fun_subtype(left, right)
        case t.PFun(), t.PFun():
            return _pfun_subtype(left, right)
        case _:
            return False


def _has_values_of(left: t.Type, right: t.Type) -> bool:
    """Whether every value of one type is a value of another, and both can be compared; of their distances nothing is said."""
    if not is_comparable(left):
        return False
    return is_subtype(left, right) or (isinstance(right, t.Disc) and is_subtype(left, right.inner))


def context_leq(left: Context, right: Context) -> bool:
    return left.rounding.leq(right.rounding) and all(
        quantity.leq(right[root]) for root, quantity in left.entries.items()
    )


def is_schema_subtype(left: t.Schema, right: t.Schema) -> bool:
    match left, right:
        case t.Uniform(n, a), t.Uniform(m, b):
            return n == m and is_subtype(a, b)
        case t.Columns(columns), t.Uniform(m, b):
            return m == Quantity.of(len(columns)) and all(is_subtype(column.type, b) for column in columns)
        case t.Uniform(n, a), t.Columns(columns):
            return n == Quantity.of(len(columns)) and all(c.name is None and is_subtype(a, c.type) for c in columns)
        case t.Columns(columns), t.Columns(wanted):
            return len(columns) == len(wanted) and all(
                w.name in (None, c.name) and is_subtype(c.type, w.type) for c, w in zip(columns, wanted, strict=True)
            )
        case t.SchemaVar(), t.SchemaVar():
            return left == right
        case _:
            return False


F = TypeVariable("F", bound=t.Fun | t.PFun)


def _opened(left: F, right: F) -> tuple[tuple[KindVar, ...], F, F] | None:
    """The same binders for both functions, which occur nowhere else, and both with these; None where their kinds differ.

    The binders of one of the two would not do: the other may mention them, from outside.
    """
    if [var.kind for var in left.kinds] != [var.kind for var in right.kinds]:
        return None
    fresh = tuple(KindVar.fresh(var.name, var.kind) for var in left.kinds)
    return fresh, with_binders(left, fresh), with_binders(right, fresh)


#   Φ′ ⊢ Φ      τ₁′ ≤ τ₁      s ≤ s′      τ₂ ≤ τ₂′
#   ─────────────────────────────────────────────────────────────      whoever calls the function as what it is asked for
#   (∀ κs | Φ . τ₁ ⊸[s] τ₂) ≤ (∀ κs | Φ′ . τ₁′ ⊸[s′] τ₂′)               demands Φ′, and Φ must hold then; nor does it round more
def _fun_subtype(left: t.Fun, right: t.Fun) -> bool:
    opened = _opened(left, right)
    if opened is None:
        return False
    _, ours, wanted = opened
    return (
        is_subtype(wanted.domain, ours.domain)
        and ours.sensitivity.leq(wanted.sensitivity)
        and ours.rounding.leq(wanted.rounding)
        and is_subtype(ours.codomain, wanted.codomain)
        and (not left.kinds or _waits_as_long(ours, wanted))
        and not unmet(ours, wanted)
    )


def _waits_as_long(ours: t.Type, wanted: t.Type) -> bool:
    """Whether nothing of a function is computed before what is asked for would be: kinds may be left open until then."""
    while isinstance(wanted, t.Fun) and wanted.is_held:
        if not isinstance(ours, t.Fun) or not ours.is_held:
            return False
        ours, wanted = ours.codomain, wanted.codomain
    return True


def _pfun_subtype(left: t.PFun, right: t.PFun) -> bool:
    opened = _opened(left, right)
    if opened is None or left.notion is not right.notion or len(left.parameters) != len(right.parameters):
        return False
    _, known, wanted = opened
    pairs = list(zip(known.parameters, wanted.parameters, strict=True))
    return (
        all(is_subtype(theirs.type, ours.type) and cost_leq(ours.cost, theirs.cost) for ours, theirs in pairs)
        and [p.unit for p in known.parameters] == [p.unit for p in wanted.parameters]
        and is_subtype(known.codomain, wanted.codomain)
        and not unmet(known, wanted)
    )


def unmet(ours: t.Fun | t.PFun, wanted: t.Fun | t.PFun) -> list[Condition]:
    """The side conditions of a function that do not follow from those of what is asked for, which has the same binders."""
    return [
        condition
        for condition in ours.conditions
        if not follows(condition, wanted.conditions)
        and not (_is_of_size(condition) and is_no_larger(condition.left, _arguments(wanted)))
    ]


def _is_of_size(condition: Condition) -> TypeGuard[Obligation]:
    return isinstance(condition, Obligation) and CELLS in condition.right.variables()


def _arguments(function: t.Fun | t.PFun) -> list[t.Type]:
    """The types of all that a function is given before it computes anything that its sizes decide."""
    found: list[t.Type] = []
    here: t.Type = function
    while isinstance(here, t.Fun):
        found.append(here.domain)
        here = here.codomain
    if isinstance(here, t.PFun):
        found += [parameter.type for parameter in here.parameters]
    return found


def lost_conditions(left: t.Type, right: t.Type, *, of_given: bool = False) -> list[Condition]:
    """The side conditions for which `left` ≤ `right` fails, where it is proved of all else: those of the functions that a value of
    `left` holds and returns or, `of_given` ones, of those that it takes."""
    if not is_subtype(unconditional(left), unconditional(right)):
        return []
    found: list[Condition] = []
    pending = [(left, right, False)]
    while pending:
        ours, wanted, is_given = pending.pop()
        match (wanted, ours) if is_given else (ours, wanted):
            case t.Fun() as one, t.Fun() as other if is_given is of_given:
                found += _lost(one, other)
            case t.PFun() as one, t.PFun() as other if is_given is of_given:
                found += _lost(one, other)
        inside = list(zip(t.children(ours), t.children(wanted), strict=False))
        taken = len(inside) - 1 if isinstance(ours, t.Fun | t.PFun) else 0
        pending += [(one, other, is_given is not (at < taken)) for at, (one, other) in enumerate(inside)]
    return found


def _lost(left: F, right: F) -> list[Condition]:
    opened = _opened(left, right)
    return [] if opened is None else unmet(opened[1], opened[2])


def unconditional(type_: t.Type) -> t.Type:
    """The type with no side condition on any function in it."""
    return rebuilt(type_, lambda part: evolve(part, conditions=()) if isinstance(part, t.Fun | t.PFun) else part)


def unrounded(type_: t.Type) -> t.Type:
    """The type without what functions and debts in it count of rounding."""

    def exact(part: t.Type) -> t.Type:
        match part:
            case t.Fun():
                return evolve(part, rounding=ZERO)
            case t.Box(debt, inner):
                return t.Box(evolve(debt, rounding=ZERO), inner)
        return part

    return rebuilt(type_, exact)


def cost_leq(left: costs.Cost, right: costs.Cost) -> bool:
    """Whether one cost is plainly no larger than another: by structure, or given costs part by part."""
    match left, right:
        case costs.Zero(), _:
            return True
        case _, costs.NonPrivate():
            return True
        case _, costs.Given(notion, bounds):
            return is_within(left, notion, bounds)
        case _:
            return left == right


def coerce(left: t.Type, right: t.Type) -> Quantity | None:
    """The factor at which a value of `left` may stand for one of `right`; None where it may not.

    * τ ≤ σ: 1.
    * τ → 𝐝 τ: 1/sep(τ): 1 where distinct values are at least 1 apart, else ∞, which a value that depends on no input
      is not charged for. Not for boxes: their debts are not in the context that is charged.
    * τ → τ?: the same, 1/sep(τ).
    * fixed rows → ★: 2 over separated rows, because a replaced row leaves and enters; 1 over real rows, because the
      aligned rows are one matching among those that ★'s distance minimises over.
    """
    if is_subtype(left, right):
        return ONE
    match left, right:
        case _, t.Disc(inner) if not isinstance(left, t.Disc) and is_comparable(left) and is_subtype(left, inner):
            return ONE if t.is_separated(left) else INFINITY
        case _, t.Maybe(inner) if not isinstance(left, t.Maybe) and _has_values_of(left, inner):
            return ONE if t.is_separated(left) else INFINITY
        case t.Matrix(rows=rows), t.Matrix(rows=None) if rows is not None:
            if not is_subtype(evolve(left, rows=None), right):
                return None
            if t.replaces_rows(left):
                return Quantity.of(2)
            return ONE if t.matches_rows(left) else None
        case _:
            return None


def widen(type_: t.Type, allowed: Quantity = ZERO) -> t.Type:
    """The type without what is known of single values, which is what a loop may assume of its state after any number of iterations;
    functions may round as much as is `allowed`."""
    match type_:
        case t.StaticNat() | t.Idx():
            return t.NAT
        case t.StaticReal():
            return t.REAL
        case t.Disc() | t.Maybe():
            return t.unbounded(type_)
        case t.Product(left, right):
            return t.Product(widen(left, allowed), widen(right, allowed))
        case t.Sum(left, right):
            return t.Sum(widen(left, allowed), widen(right, allowed))
        case t.Fun(codomain=codomain, rounding=rounding) if rounding.leq(allowed):
            returned = widen(codomain, allowed) if isinstance(codomain, t.Fun) else codomain
            return evolve(type_, codomain=returned, rounding=allowed)
        case _:
            return type_


def as_column(type_: t.Type) -> t.Type:
    """The type of the cells that rows get from one expression: of static numbers each row may have another one, but what lies in
    a range does so in all rows."""
    return type_ if isinstance(type_, t.Disc | t.Maybe) else widen(type_)


def join_types(left: t.Type, right: t.Type) -> t.Type | None:
    """A type that both fit, or None."""
    if is_subtype(left, right):
        return left if isinstance(right, t.Poison) else right
    if is_subtype(right, left):
        return left
    match left, right:
        case t.Disc(t.Bounded(a, b)), t.Disc(t.Bounded(c, d)):
            return t.Disc(t.Bounded(min(a, c), max(b, d)))
        case t.Maybe(a), t.Maybe(b) if t.unbounded(left) != left and (either := join_types(a, b)) is not None:
            return t.Maybe(either)
        case t.Matrix(), t.Matrix():
            norm = left.norm if is_finer(right.norm, left.norm) else right.norm
            for clip in (left.clip, right.clip, None):
                wanted = evolve(left, norm=norm, clip=clip)
                if is_subtype(left, wanted) and is_subtype(right, wanted):
                    return wanted
                wanted = evolve(right, norm=norm, clip=clip)
                if is_subtype(left, wanted) and is_subtype(right, wanted):
                    return wanted
            plain = _without_ranges(left), _without_ranges(right)
            return None if plain == (left, right) else join_types(*plain)
        case (t.Product(a, b), t.Product(c, d)) | (t.Sum(a, b), t.Sum(c, d)):
            first, second = join_types(a, c), join_types(b, d)
            if first is None or second is None:
                return None
            return t.Product(first, second) if isinstance(left, t.Product) else t.Sum(first, second)
        case t.With(a, b), t.With(c, d):
            first, second = join_types(a, c), join_types(b, d)
            return None if first is None or second is None else t.With(first, second)
        case t.Fun(), t.Fun() if left.rounding != right.rounding:
            most = maximum(left.rounding, right.rounding)
            return join_types(evolve(left, rounding=most), evolve(right, rounding=most))
        case t.Fun(), t.Fun():
            return _joined_functions(left, right)
        case t.PFun(), t.PFun():
            return _joined_functions(left, right)
        case t.Box(debt, a), t.Box(other, b) if debt == other:
            inner = join_types(a, b)
            return None if inner is None else t.Box(debt, inner)
    wide_left, wide_right = widen(left), widen(right)
    if (wide_left, wide_right) != (left, right):
        return join_types(wide_left, wide_right)
    return None


def _without_ranges(matrix: t.Matrix) -> t.Matrix:
    """The same table without the ranges of its columns."""
    match matrix.schema:
        case t.Uniform(_, element):
            return evolve(matrix, schema=evolve(matrix.schema, element=t.unbounded(element)))
        case t.Columns(columns):
            plain = tuple(evolve(column, type=t.unbounded(column.type)) for column in columns)
            return evolve(matrix, schema=t.Columns(plain))
        case t.SchemaVar():
            return matrix


#   (∀ κs | ∅ . σ) ≤ (∀ κs | ∅ . τ)
#   ───────────────────────────────────────────────────────────────      whichever of the two is called, all of its Φ holds
#   (∀ κs | Φ . σ) ⊔ (∀ κs | Φ′ . τ) = (∀ κs | Φ ∪ Φ′ . τ)
def _joined_functions(left: F, right: F) -> F | None:
    if not left.conditions and not right.conditions:
        return None
    if is_subtype(evolve(left, conditions=()), evolve(right, conditions=())):
        return _demanding_both(left, right)
    if is_subtype(evolve(right, conditions=()), evolve(left, conditions=())):
        return _demanding_both(right, left)
    return None


def _demanding_both(one: F, other: F) -> F | None:
    """The second function, with the side conditions of both."""
    opened = _opened(one, other)
    if opened is None:
        return None
    binders, ours, theirs = opened
    return evolve(theirs, kinds=binders, conditions=tuple(dict.fromkeys((*ours.conditions, *theirs.conditions))))


def is_comparable(type_: t.Type) -> bool:
    """Whether ≡ may look at values of a type: not at boxes, whose debts it would hide, nor at functions, nor at tables of
    unknown size, which are the same in any order of their rows."""
    return not any(
        isinstance(part, t.Box | t.Fun | t.PFun | t.TypeVar) or (isinstance(part, t.Matrix) and part.rows is None)
        for part in t.parts_of(type_)
    )
