"""Diagnostics of what a program takes on trust: foreign code, and mechanisms from outside."""

from __future__ import annotations

from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.source import Span
from duetpy.typecheck.quantity import Quantity
from duetpy.typecheck.show import show_type
from duetpy.typecheck.types import Type


def not_a_target(span: Span, target: str) -> Diagnostic:
    return Diagnostic(
        "D0320",
        f'foreign code must be named "module:function", not "{target}"',
        span,
        help='write opaque "package.module:function" : τ₁ ⊸ τ₂',
        rule="opaque",
    )


def foreign_not_a_function(span: Span, type_: Type) -> Diagnostic:
    return Diagnostic(
        "D0320",
        "foreign code must be a function",
        span,
        f"{show_type(type_)} is not a function type",
        help='write opaque "module:function" : τ₁ ⊸ τ₂',
        rule="opaque",
    )


def cannot_cross(span: Span, type_: Type, returned: bool) -> Diagnostic:
    """A type whose values foreign code cannot be given, or cannot give back."""
    way = "returned by" if returned else "given to"
    note = (
        "the result is checked against its type, and this type says more than can be seen from a value"
        if returned
        else "the contents of a box or function are charged when it is opened or called, which cannot be observed "
        "in foreign code"
    )
    return Diagnostic(
        "D0320",
        f"a value of this type cannot be {way} foreign code",
        span,
        show_type(type_),
        notes=(note,),
        help="pass numbers, texts, truth values, pairs, sums and sets of them, or matrices",
        rule="opaque",
    )


def claims_too_little(span: Span, name: Type, claimed: Quantity, proved: Quantity) -> Diagnostic:
    return Diagnostic(
        "D0321",
        f"foreign code is claimed to be {claimed.show()}-sensitive, but only {proved.show()} can be known",
        span,
        f"in its argument {show_type(name)}",
        notes=(
            "only the types of foreign code are known: from data that differs by at least 1 into a type of diameter "
            "d it is d-sensitive, otherwise ∞",
        ),
        help="leave the sensitivity out (τ₁ ⊸ τ₂), and return one row of 𝔻 or a value of 𝐝 τ, or clip the result",
        rule="opaque",
    )


def given_needs_a_list(span: Span) -> Diagnostic:
    return Diagnostic(
        "D0430",
        "given does not say which inputs the mechanism protects",
        span,
        "no list of inputs",
        notes=("its cost is trusted, for a step of 1 in each input for which it is promised",),
        help="list the inputs of the promise: given[ε] <xs> { … }",
        rule="given",
    )


def given_no_value(span: Span, type_: Type) -> Diagnostic:
    return Diagnostic(
        "D0430",
        "given releases a plain value",
        span,
        f"has type {show_type(type_)}",
        notes=("a function or a box could be used again and again, but one cost was promised",),
        help="release a number, a text, a pair, a set or a matrix",
        rule="given",
    )


def given_arity(span: Span, names: tuple[str, ...], found: int) -> Diagnostic:
    wanted = ", ".join(names)
    return Diagnostic(
        "D0402",
        f"in this notion, given is written given[{wanted}], but it has {found} parameters",
        span,
        f"{found} parameters",
        help=f"write given[{wanted}] <xs> {{ … }}",
        rule="given",
    )
