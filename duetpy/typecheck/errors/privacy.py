"""D04xx: privacy expressions and notions."""

from __future__ import annotations

from collections.abc import Sequence

from duetpy.diagnostics.diagnostic import Diagnostic, Severity
from duetpy.grammar.ast import Norm
from duetpy.source import Span
from duetpy.typecheck.mechanism_rows import FORMS, ROWS
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.show import show_type
from duetpy.typecheck.types import Disc, Matrix, Nat, StaticNat, Type


def wrong_notion(span: Span, form: str, notion: Notion, offered: Sequence[Notion]) -> Diagnostic:
    names = ", ".join(n.value for n in offered)
    why = ROWS[FORMS[form].noise].refusals.get(notion) if form in FORMS else None
    return Diagnostic(
        "D0401",
        f"{form} has no cost in {notion.info.title}",
        span,
        f"the notion here is {notion.value}",
        notes=() if why is None else (why,),
        help=f"choose another mechanism, or another notion: {names} (the file's name, a first line 'notion …;' or --notion)",
        rule=form,
    )


def mechanism_arity(span: Span, form: str, notion: Notion, names: Sequence[str], found: int) -> Diagnostic:
    wanted = ", ".join(["s", *names])
    return Diagnostic(
        "D0402",
        f"in {notion.info.title}, {form} is written {form}[{wanted}], but {found} parameters are given",
        span,
        f"{found} parameters",
        help=f"write {form}[{wanted}] or {form}[auto, {', '.join(names)}]",
        rule=form,
    )


def auto_misplaced(span: Span, form: str, name: str) -> Diagnostic:
    return Diagnostic(
        "D0402",
        f"auto can replace the sensitivity, not {name}",
        span,
        f"auto instead of {name}",
        notes=(f"{name} is for you to choose: it says how much privacy to spend",),
        help=f"give {name} as a static number",
        rule=form,
    )


def wrong_cost_parts(span: Span, notion: Notion, wanted: int, found: int) -> Diagnostic:
    return Diagnostic(
        "D0402",
        f"a cost in {notion.info.title} has {wanted} parts, but {found} are written",
        span,
        f"{found} parts",
        help="write ⟨ε, δ⟩ in (ε, δ), and ε, ρ or μ alone in the other notions",
    )


def body_not_real(span: Span, form: str, found: Type) -> Diagnostic:
    columns: tuple[Type, ...] = found.column_types() if isinstance(found, Matrix) else (found,)
    if any(isinstance(column, Disc) for column in columns):
        note = "the discrete metric says only that something changed, not by how much"
        help_ = "convert it: clip[lo, hi] for a number, mconv (mclip[L2] …) for rows"
    elif any(isinstance(column, Nat | StaticNat) for column in columns):
        note, help_ = "noise is a real number", "convert it to a real number: real …"
    elif isinstance(found, Matrix):
        note, help_ = f"{form} adds noise to a single number", f"use m{form} for a matrix"
    else:
        note, help_ = "noise is added to numbers", "return a number"
    return Diagnostic(
        "D0403",
        f"{form} adds noise to real numbers only",
        span,
        f"has type {show_type(found)}",
        notes=(note,),
        help=help_,
        rule=form,
    )


def body_not_matrix(span: Span, form: str, found: Type) -> Diagnostic:
    return Diagnostic(
        "D0403",
        f"{form} adds noise to a matrix",
        span,
        f"has type {show_type(found)}",
        help=f"use {form.lstrip('mb')} for one number",
        rule=form,
    )


def body_not_natural(span: Span, form: str, found: Type) -> Diagnostic:
    return Diagnostic(
        "D0403",
        f"{form} adds noise to natural numbers only",
        span,
        f"has type {show_type(found)}",
        notes=("its noise is a whole number: added to a fraction, it would reveal the fractional part",),
        help=f"give it a count, or use {form.removeprefix('d')} for real numbers",
        rule=form,
    )


def body_not_a_column(span: Span, form: str, found: Matrix) -> Diagnostic:
    return Diagnostic(
        "D0403",
        f"{form} adds noise to a single column",
        span,
        f"has type {show_type(found)}",
        help="use mgauss for a matrix measured in L2",
        rule=form,
    )


def noise_of_unknown_size(span: Span, form: str) -> Diagnostic:
    return Diagnostic(
        "D0404",
        "noise on an unknown number of rows would reveal the number of rows",
        span,
        "★ rows",
        notes=("the size of the released value is the exact number of people",),
        help="release a sum or a count, or a matrix of a fixed size",
        rule=form,
    )


def wrong_norm(span: Span, form: str, found: Matrix, wanted: Sequence[Norm]) -> Diagnostic:
    norms = " or ".join(norm.value for norm in wanted)
    return Diagnostic(
        "D0405",
        f"{form} needs the sensitivity in {norms}",
        span,
        f"measured in {found.norm.value}",
        notes=("the noise is calibrated to one norm; a bound in another norm does not suffice",),
        help=f"measure the rows in {wanted[-1].value} first: renorm[{wanted[-1].value}] … (the checker accounts for "
        f"the difference)",
        rule=form,
    )


def listed_is_public(span: Span, name: str) -> Diagnostic:
    return Diagnostic(
        "D0406",
        f"{name} is public here and needs no protection",
        span,
        "already released, or not an input",
        help=f"leave {name} out of the list",
        severity=Severity.WARNING,
    )


def nothing_to_protect(span: Span, form: str) -> Diagnostic:
    return Diagnostic(
        "D0407",
        "auto has nothing to protect: the body depends on none of the listed inputs",
        span,
        "sensitivity 0",
        help="return the value as it is, or list the inputs to protect",
        rule=form,
    )


def protects_nothing(span: Span, form: str) -> Diagnostic:
    return Diagnostic(
        "D0408",
        "this noise protects nothing: the body depends on none of the listed inputs",
        span,
        "depends on none of the listed inputs",
        help="return the value as it is, or list the inputs to protect",
        rule=form,
        severity=Severity.WARNING,
    )


def no_conversion(span: Span, form: str, inner: Notion, outer: Notion) -> Diagnostic:
    return Diagnostic(
        "D0409",
        f"no rule converts {inner.info.title} to {outer.info.title}",
        span,
        f"{form} inside {outer.value}",
        help="choose a notion of the file to which a conversion exists, for example (ε, δ)",
        rule=form,
    )


def conversion_needs_slack(span: Span, form: str) -> Diagnostic:
    return Diagnostic("D0409", f"{form} needs its δ here", span, "no δ", help=f"write {form}[δ] {{ … }}", rule=form)


def notion_of_function(span: Span, function: Notion, here: Notion) -> Diagnostic:
    block = function.info.block
    return Diagnostic(
        "D0410",
        f"the cost of the function is in {function.info.title}, but here it must be in {here.info.title}",
        span,
        f"{function.value} in {here.value}",
        help="define it inside the conversion"
        + (f", or convert the call: {block}[δ] {{ … }}" if block and not function.info.bounds_ratio else ""),
    )


def not_a_privacy_function(span: Span, found: Type) -> Diagnostic:
    return Diagnostic(
        "D0411",
        "f@[… . …] calls a privacy function",
        span,
        f"has type {show_type(found)}",
        help="define it with pλ; or apply a sensitivity function as f x, inside return or a mechanism",
    )


def privacy_function_applied(span: Span) -> Diagnostic:
    return Diagnostic(
        "D0411",
        "a privacy function cannot be applied inside a sensitivity expression",
        span,
        "spends privacy here",
        help="call it as f@[… . …] in a privacy expression: x ← f@[… . …] ; …",
    )


def argument_count(span: Span, wanted: int, found: int) -> Diagnostic:
    return Diagnostic(
        "D0412",
        f"the privacy function takes {wanted} arguments, but {found} are given",
        span,
        f"{found} arguments",
        help=f"give all {wanted} after the dot: f@[… . a, b]",
    )


def keys_not_a_set(span: Span, found: Type, form: str = "parallel") -> Diagnostic:
    return Diagnostic(
        "D0413",
        f"the keys of {form} must be a set",
        span,
        f"has type {show_type(found)}",
        help='list them: ℘{"NY", "VT"}',
        rule=form,
    )


def parts_of_real_rows(span: Span, found: Matrix) -> Diagnostic:
    return Diagnostic(
        "D0414",
        "rows of reals cannot be partitioned",
        span,
        f"has type {show_type(found)}",
        notes=("a distance of 1 may be spread over all rows, and each row could move to another part",),
        help="declare the columns discrete: 𝔻 or 𝐝 τ",
        rule="parallel",
    )


def cannot_align(span: Span, name: str, found: Type) -> Diagnostic:
    return Diagnostic(
        "D0415",
        f"{name} cannot be one of several views of the same rows",
        span,
        f"has type {show_type(found)}",
        notes=("aligned tables must have the same number of rows and be measured by rows: L∞ over discrete columns",),
        help="declare it 𝕄 [L∞, U | m, n⋅𝔻]",
    )


def misaligned(span: Span, rows: list[str]) -> Diagnostic:
    return Diagnostic(
        "D0415",
        f"aligned tables must have the same number of rows, not {' and '.join(rows)}",
        span,
        "different numbers of rows",
        help="use one size m for all of them",
    )
