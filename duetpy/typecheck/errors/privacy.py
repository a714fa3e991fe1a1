"""D04xx: privacy expressions and notions."""

from __future__ import annotations

from collections.abc import Sequence

from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.grammar.ast import Norm, SExp, Var
from duetpy.source import Span
from duetpy.typecheck.errors.texts import Text, text_of
from duetpy.typecheck.mechanism_rows import FORMS, ROWS
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.types import Bool, Date, Disc, Matrix, Maybe, Nat, PrivateParameter, StaticNat, Str, Type


def wrong_notion(span: Span, form: str, notion: Notion, offered: Sequence[Notion]) -> Diagnostic:
    why = ROWS[FORMS[form].noise].refusals.get(notion) if form in FORMS else None
    notes = () if why is None else (why,)
    return text_of(__name__, "wrong_notion")(span, form, notion, [each.value for each in offered], notes=notes)


def body_not_real(span: Span, form: str, found: Type) -> Diagnostic:
    columns: tuple[Type, ...] = found.column_types() if isinstance(found, Matrix) else (found,)
    if any(isinstance(column, Disc) for column in columns):
        note = "the discrete metric says only that something changed, not by how much"
        help_ = "convert it: clip[lo, hi] for a number, mconv (mclip[L2] …) for rows"
    elif any(isinstance(column, Nat | StaticNat) for column in columns):
        has_twin = not isinstance(found, Matrix) and f"d{form}" in ROWS
        whole = f", or use d{form}, whose noise is whole" if has_twin else ""
        note, help_ = "noise is a real number", f"convert it to a real number: real …{whole}"
    elif isinstance(found, Matrix) and f"m{form}" in FORMS:
        note, help_ = f"{form} adds noise to a single number", f"use m{form} for a matrix"
    else:
        wanted = "a matrix of numbers" if FORMS[form].norms else "a number"
        note, help_ = "noise is added to numbers", f"return {wanted}"
    return text_of(__name__, "body_not_real")(span, form, found, note, help_)


def body_not_natural(span: Span, form: str, real: str, found: Type) -> Diagnostic:
    """Whole noise on a body that is not a natural number."""
    note = "its noise is a whole number: added to a fraction, it would reveal the fractional part"
    help_ = f"give it a count, or use {real} for real numbers"
    if isinstance(found, Maybe | Str | Bool | Date):
        note = "noise is added to numbers"
        help_ = "give it a count; to choose one of several values, use noisy-max"
    return text_of(__name__, "body_not_natural")(span, form, found, note, help_)


def wrong_norm(span: Span, form: str, found: Matrix, wanted: Sequence[Norm]) -> Diagnostic:
    norms = " or ".join(norm.value for norm in wanted)
    return text_of(__name__, "wrong_norm")(span, form, norms, found.norm, wanted[-1])


def notion_of_function(span: Span, function: Notion, here: Notion) -> Diagnostic:
    block = function.info.block
    or_else = f", or convert the call: {block}[δ] {{ … }}" if block and not function.info.bounds_ratio else ""
    return text_of(__name__, "notion_of_function")(span, function, here, or_else)


def wrong_count(span: Span, function: SExp, parameters: Sequence[PrivateParameter], found: int) -> Diagnostic:
    name = function.name if isinstance(function, Var) else "f"
    calls = f"{name}@[ . {', '.join([parameter.name for parameter in parameters])}]"
    needed = [parameter.name for parameter in parameters if parameter.taken is None]
    if len(needed) < len(parameters):
        calls = f"{name}@[ . {', '.join(needed)}] for a column with a range in its type, else {calls}"
    return text_of(__name__, "argument_count")(span, len(parameters), found, calls)


def __getattr__(name: str) -> Text:
    return text_of(__name__, name)
