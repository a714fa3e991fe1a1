"""D02xx: types that do not fit."""

from __future__ import annotations

from collections.abc import Sequence

from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.source import Span
from duetpy.typecheck.cost import NonPrivate
from duetpy.typecheck.errors.obligations import condition_lost
from duetpy.typecheck.facts import Facts
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import ONE
from duetpy.typecheck.show import show_type
from duetpy.typecheck.signatures import Signature
from duetpy.typecheck.subtype import lost_conditions
from duetpy.typecheck.types import DATA, Disc, Fun, Matrix, Nat, PFun, Real, StaticNat, StaticReal, Type


def _expected(span: Span, wanted: str, found: Type, help_: str, rule: str | None = None) -> Diagnostic:
    return Diagnostic("D0201", f"{wanted} is needed here", span, f"has type {show_type(found)}", help=help_, rule=rule)


def wrong_argument(span: Span, wanted: Type, found: Type, reasons: tuple[str, ...] = ()) -> Diagnostic:
    if lost := lost_conditions(found, wanted):
        return condition_lost(span, lost)
    if isinstance(wanted, Fun) and isinstance(found, Fun) and not found.sensitivity.leq(wanted.sensitivity):
        return Diagnostic(
            "D0201",
            f"a function of sensitivity {wanted.sensitivity.show()} is needed, but this one has "
            f"{found.sensitivity.show()}",
            span,
            f"has type {show_type(found)}",
            notes=reasons,
            help=f"write {found.sensitivity.show()} in the expected type of the function",
        )
    help_ = "give a value of that type"
    if isinstance(wanted, PFun) and isinstance(found, PFun) and len(wanted.parameters) == len(found.parameters):
        reasons = (*_released(wanted, found), *reasons)
        if not found.notion.info.is_guarantee:
            reasons = (*reasons, "lengths θ of mechanisms are not compared with those stated in types")
        help_ = "spend less inside it, or write its cost in the expected type"
    elif isinstance(wanted, Real) and isinstance(found, Nat | StaticNat):
        help_ = f"write {_as_real(span)}"
    elif isinstance(wanted, Real) and found == DATA:
        help_ = "give the discrete value a range: clip[lo, hi] …"
    elif isinstance(wanted, Matrix) and isinstance(found, Matrix):
        help_ = _matrix_help(wanted, found)
    return Diagnostic(
        "D0201",
        f"an argument of type {show_type(wanted)} is needed",
        span,
        f"has type {show_type(found)}",
        notes=reasons,
        help=help_,
    )


def _released(wanted: PFun, found: PFun) -> tuple[str, ...]:
    """The inputs that a privacy function gives away where it should protect them."""
    pairs = zip(wanted.parameters, found.parameters, strict=True)
    return tuple(
        f"{theirs.name} {theirs.cost.reason or 'is released in the clear'}"
        for ours, theirs in pairs
        if isinstance(theirs.cost, NonPrivate) and not isinstance(ours.cost, NonPrivate)
    )


def _matrix_help(wanted: Matrix, found: Matrix) -> str:
    if wanted.rows != found.rows:
        return "make the numbers of rows agree; a function that takes any number of rows binds it: m : ℕ"
    if wanted.clip is not None and found.clip is None:
        return f"bound the rows first: mclip[{wanted.clip.norm.value}] …"
    if wanted.clip is not None and wanted.clip != found.clip:
        bound = "" if wanted.clip.bound == ONE else f", {wanted.clip.bound.show()}"
        return f"the rows have a different bound; use the expected one: mclip[{wanted.clip.norm.value}{bound}] …"
    if wanted.norm is not found.norm:
        return f"measure it in {wanted.norm.value} first: renorm[{wanted.norm.value}] …"
    return "make the columns agree in number and type"


def no_signature(
    span: Span,
    name: str,
    stated: Facts,
    found: Sequence[Type],
    candidates: Sequence[Signature],
    operands: Sequence[Span],
) -> Diagnostic:
    """No signature fits. A natural number among real ones is the one at fault; what else there is to say is in the help."""
    shown = [show_type(type_) for type_ in found]
    natural = [operand for operand, type_ in zip(operands, found, strict=True) if isinstance(type_, Nat | StaticNat)]
    mixed = any(isinstance(type_, Real | StaticReal | Disc) for type_ in found)
    is_negated = stated.is_one_sort and len(found) == 1
    label = "no rule fits"
    if natural and (is_negated or (mixed and not stated.wholes)):
        span, label, help_ = natural[0], "a natural number", f"write {_as_real(natural[0])}"
    elif natural and stated.naturals:
        written = list(map(_as_real, operands))
        help_ = f"{stated.naturals}: write {f' {name} '.join(written) if len(written) == 2 else f'{name} {written[0]}'}"
    elif stated.reals and isinstance(found[0], Real | StaticReal):
        help_ = stated.reals
    elif stated.is_cellwise and any(isinstance(type_, Matrix) for type_ in found):
        help_ = f"apply it cell by cell: {_cell_by_cell(name, found, operands)}"
    else:
        lines = list(dict.fromkeys(" , ".join(show_type(type_) for type_ in s.arguments) for s in candidates))
        help_ = f"{name} takes " + "; or ".join(lines[:4]) + ("; and more" if len(lines) > 4 else "")
    message = f"{name} does not take {' and '.join(shown)}"
    return Diagnostic("D0203", message, span, label, help=help_, rule=_SAME_AS.get(name, name))


_SAME_AS = {">": "<", "≥": "≤", "≠": "≡"}
"""A comparison ↦ the one that it is read as."""


def _as_real(operand: Span) -> str:
    """A natural number as the real number that it is."""
    written = _quoted(operand)
    return f"real {written}" if written.replace("_", "").isalnum() else f"real ({written})"


def _cell_by_cell(name: str, found: Sequence[Type], operands: Sequence[Span]) -> str:
    tables = [_quoted(operand) for operand, type_ in zip(operands, found, strict=True) if isinstance(type_, Matrix)]
    if len(operands) == 1:
        return f"mmap {tables[0]} {{ a ⇒ {name}a }}"
    names = iter("ab")
    cells = [
        next(names) if isinstance(type_, Matrix) else _quoted(at) for type_, at in zip(found, operands, strict=True)
    ]
    return f"mmap {', '.join(tables)} {{ {', '.join('ab'[: len(tables)])} ⇒ {f' {name} '.join(cells)} }}"


def _quoted(operand: Span) -> str:
    """An operand as the program writes it, where it is short enough to be repeated."""
    return operand.text if len(operand.text) <= 40 and "\n" not in operand.text else "…"


def branches_differ(span: Span, left: Type, right: Type) -> Diagnostic:
    if lost := lost_conditions(left, right) or lost_conditions(right, left):
        return condition_lost(span, lost)
    help_ = "give both branches the same type"
    if any(
        isinstance(one, Disc) and isinstance(other, Real | StaticReal) for one, other in ((left, right), (right, left))
    ):
        help_ = "make the other branch discrete too: disc 0.0 instead of 0.0"
    return Diagnostic(
        "D0204",
        "the branches have incompatible types",
        span,
        f"{show_type(left)} and {show_type(right)}",
        help=help_,
    )


def state_changes(span: Span, name: str, state: Type, body: Type) -> Diagnostic:
    if lost := lost_conditions(body, state):
        return condition_lost(span, lost)
    help_ = "return a value of the type with which the state starts"
    if isinstance(state, Nat) and isinstance(body, Real | StaticReal):
        help_ = "start from a real number: 0.0 instead of 0"
    elif isinstance(state, Real) and isinstance(body, Disc):
        help_ = "limit the range of the data before you use it: clip[lo, hi] …"
    elif _has_real_cells(state) and isinstance(body, Matrix) and not _has_real_cells(body):
        help_ = "convert the discrete rows to real rows before you use them: mconv (mclip[L2] …)"
    return Diagnostic(
        "D0205",
        f"the state {name} starts with type {show_type(state)}, but the body returns {show_type(body)}",
        span,
        f"has type {show_type(body)}",
        notes=("a state that changes its type could be mistaken for a different number",),
        help=help_,
    )


def _has_real_cells(type_: Type) -> bool:
    return isinstance(type_, Matrix) and all(isinstance(cell, Real) for cell in type_.column_types())


def not_a_function(span: Span, found: Type) -> Diagnostic:
    return _expected(span, "a function", found, "apply a function made by sλ or discf")


def not_a_pair(span: Span, found: Type) -> Diagnostic:
    return _expected(span, "a pair", found, "give a pair: ⟨e₁, e₂⟩")


def not_a_sum(span: Span, found: Type) -> Diagnostic:
    return _expected(span, "a sum", found, "give a value made by inl or inr")


def not_a_box(span: Span, found: Type) -> Diagnostic:
    return _expected(span, "a box", found, "give a value made by box")


def not_a_boolean(span: Span, found: Type) -> Diagnostic:
    return _expected(span, "a truth value (𝔹)", found, "compare with ≡, ≠, <, ≤, >, ≥ or ∈")


def not_a_matrix(span: Span, form: str, found: Type) -> Diagnostic:
    return _expected(span, f"a matrix (for {form})", found, "give a table or a matrix", rule=form)


def not_an_index(span: Span, found: Type) -> Diagnostic:
    return _expected(span, "an index", found, "use a natural number")


def not_a_count(span: Span, found: Type) -> Diagnostic:
    return _expected(span, "a number of iterations (ℕ)", found, "use a natural number")


_WHY_STATIC = {
    "the number of iterations": (
        "each iteration spends privacy, so the cost is the number of iterations times the cost of one"
    ),
    "the number of sampled rows": "the sampling rate depends on it, and the cost depends on the rate",
    "the number of reports": "the cost depends on the number of reports",
    "the number of answers": "the probability of the true answer depends on their number, a natural number",
}


def needs_static_count(span: Span, found: Type, what: str) -> Diagnostic:
    note = _WHY_STATIC.get(what)
    return Diagnostic(
        "D0206",
        f"{what} must be known statically",
        span,
        f"has type {show_type(found)}",
        notes=() if note is None else (note,),
        help="use ℕ[k] or a parameter k : ℕ[k] with k : ℕ bound by the function",
    )


def needs_static_size(span: Span, found: Type) -> Diagnostic:
    return Diagnostic(
        "D0206",
        "the size of a matrix must be known statically",
        span,
        f"has type {show_type(found)}",
        help="use ℕ[n], cols xs, rows xs, or a parameter of type ℕ[n]",
    )


def mixed_columns(span: Span, form: str, matrix: Matrix) -> Diagnostic:
    return Diagnostic(
        "D0207",
        f"{form} needs columns of a single type",
        span,
        f"has type {show_type(matrix)}",
        help="select columns of one type first: .[a, b], or work row by row with mmap-row",
    )


def shapes_differ(span: Span, left: Matrix, right: Matrix) -> Diagnostic:
    return Diagnostic(
        "D0208",
        "the two matrices do not have the same shape",
        span,
        f"{show_type(left)} and {show_type(right)}",
        help="give both the same number of rows (and, for forms that work entry by entry, of columns)",
    )


def product_shapes(span: Span, left: Matrix, right: Matrix) -> Diagnostic:
    return Diagnostic(
        "D0208",
        "the left side of × has a different number of columns than the right side has rows",
        span,
        f"{show_type(left)} times {show_type(right)}",
        help="swap the sides, or transpose one with tr",
        rule="×",
    )


def product_of_others(span: Span, found: Matrix) -> Diagnostic:
    return Diagnostic(
        "D0203",
        "× takes matrices of numbers",
        span,
        f"has type {show_type(found)}",
        help="select columns of one type, ℝ or 𝔻: .[a, b]",
        rule="×",
    )


def row_body_not_a_row(span: Span, found: Type) -> Diagnostic:
    return Diagnostic(
        "D0208",
        "the body of mmap-row must return one row or one number",
        span,
        f"has type {show_type(found)}",
        help="return a 1-row matrix",
    )


def type_too_large(span: Span) -> Diagnostic:
    return Diagnostic(
        "D0213", "the type of this expression is too large", span, "too large", help="build it from smaller parts"
    )


def empty_set(span: Span) -> Diagnostic:
    return Diagnostic(
        "D0214", "the type of an empty set cannot be inferred", span, "no elements", help="add an element"
    )


def injection_needs_type(span: Span, side: str) -> Diagnostic:
    return Diagnostic(
        "D0214",
        f"the type of the other side of {side} cannot be inferred",
        span,
        "one side only",
        help=f"write {side}[τ] with the type of the other side",
    )


def cannot_clip(span: Span, found: Type) -> Diagnostic:
    return _expected(
        span, "a number (ℝ or 𝔻)", found, "clip bounds one number; mclip[L2] bounds the rows of a matrix", rule="clip"
    )


def clip_bounds_not_static(span: Span) -> Diagnostic:
    return Diagnostic(
        "D0215",
        "the bounds of clip must be static numbers of the same kind",
        span,
        "not static",
        notes=("bounds computed from the data would themselves reveal it",),
        help="write clip[0.0, 100.0] …, or use parameters of type ℝ⁺[b]",
        rule="clip",
    )


def clip_bounds_reversed(span: Span, low: str, high: str) -> Diagnostic:
    return Diagnostic(
        "D0215", f"clip[{low}, {high}] has its bounds reversed", span, "low above high", help="swap them", rule="clip"
    )


def clip_bounds_unordered(span: Span, low: str, high: str) -> Diagnostic:
    return Diagnostic(
        "D0215",
        f"cannot verify that {low} is at most {high}",
        span,
        "order unknown",
        help="use bounds whose order is obvious, such as −b and b",
        rule="clip",
    )


def bound_not_static(span: Span, form: str) -> Diagnostic:
    return Diagnostic(
        "D0215",
        f"the bound of {form} must be a positive static number",
        span,
        "not static",
        help="write a literal, ℝ⁺[…] or a parameter of type ℝ⁺[b]",
        rule=form,
    )


def gradient_model(span: Span, found: Matrix) -> Diagnostic:
    return _expected(span, "a model: one row of reals, 𝕄 [_, _ | 1, n⋅ℝ]", found, "make it with mcreate", rule="∇")


def gradient_data(span: Span, features: Matrix, labels: Matrix) -> Diagnostic:
    return Diagnostic(
        "D0216",
        "a gradient needs features and labels of discrete numbers, with one label per row",
        span,
        f"features {show_type(features)}, labels {show_type(labels)}",
        help="declare them 𝕄 [L∞, U | m, n⋅𝔻] and 𝕄 [L∞, U | m, 1⋅𝔻]",
        rule="∇",
    )


def loss_number(span: Span, loss: str, wanted: str) -> Diagnostic:
    return Diagnostic(
        "D0216",
        f"the loss {loss} takes {wanted}",
        span,
        "a wrong number here, or none",
        help="write ∇[LR | …], ∇[HUBER, 0.5 | …] or ∇[SOFTMAX, ℕ[3] | …]",
        rule="∇",
    )


def loss_not_smooth(span: Span, loss: str) -> Diagnostic:
    return Diagnostic(
        "D0216",
        f"step∇ does not take the loss {loss}",
        span,
        "its gradient may jump, or it has several margins",
        notes=("only for a smooth loss does a step never move two models further apart",),
        help="write step∇[LR, η, λ | …], step∇[LS, η, λ | …] or step∇[HUBER, c, η, λ | …]",
        rule="step∇",
    )


def step_not_static(span: Span) -> Diagnostic:
    return Diagnostic(
        "D0215",
        "the step size and the regularisation must be static numbers of at least 0",
        span,
        "not static, or negative",
        help="write a literal, ℝ⁺[…] or a parameter of type ℝ⁺[η]",
        rule="step∇",
    )


def not_a_descent(span: Span, notion: Notion) -> Diagnostic:
    order = ", α" if "α" in notion.letters else ""
    return Diagnostic(
        "D0216",
        "noisy-descent takes a number of passes, a batch size, a noise scale"
        + (", an order α" if order else "")
        + ", and one step of gradient descent",
        span,
        "something else here",
        help=f"write noisy-descent[ℕ[10], b, σ{order}] <xs, ys> {{ step∇[LR, η, λ | θ; xs, ys] }}",
        rule="noisy-descent",
    )


def gradient_shapes(span: Span, model: Matrix, features: Matrix, labels: Matrix) -> Diagnostic:
    return Diagnostic(
        "D0208",
        "the model, the features and the labels do not have matching shapes",
        span,
        f"{show_type(model)}; {show_type(features)}, {show_type(labels)}",
        help="give the model one entry per column of the features (per class for SOFTMAX), and features and labels "
        "the same rows",
        rule="∇",
    )


def index_not_static(span: Span, found: Type) -> Diagnostic:
    return Diagnostic(
        "D0218",
        "idx needs a number that is known when the program is checked",
        span,
        f"this is {show_type(found)}",
        notes=("the type of an index contains its bound, 𝕀[n], and a number computed from data has none",),
        help="give it a static number, idx ℕ[3]; or take the index from mcreate or from a mechanism that chooses one",
        rule="idx",
    )


def columns_without_number(span: Span, form: str, what: str) -> Diagnostic:
    return Diagnostic(
        "D0217",
        f"{form} combines {what} with columns of another type or with names",
        span,
        f"{what} cannot be listed here",
        notes=(
            "columns of one type without names are counted, n⋅τ; others are listed one by one, so their number must "
            "be a literal, 1000 at most",
        ),
        help="write the number of columns as a literal, or give both sides the same element type and no names",
        rule=form,
    )
