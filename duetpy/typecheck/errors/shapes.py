"""D02xx: types that do not fit."""

from __future__ import annotations

from collections.abc import Sequence

from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.grammar.ast import Prim
from duetpy.grammar.labels import label_text
from duetpy.source import Span
from duetpy.typecheck.cells import has_real_cells
from duetpy.typecheck.cost import NonPrivate
from duetpy.typecheck.errors.choosing import chosen
from duetpy.typecheck.errors.missing import as_argument, as_operand, known_numbers, quoted, some_value
from duetpy.typecheck.errors.obligations import condition_lost, condition_of_given
from duetpy.typecheck.errors.texts import Text, are_namesakes, text_of
from duetpy.typecheck.facts import Facts, facts_of
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import ONE
from duetpy.typecheck.show import show_type
from duetpy.typecheck.signatures import Signature
from duetpy.typecheck.subtype import lost_conditions
from duetpy.typecheck.types import (
    DATA,
    Bool,
    Bounded,
    Column,
    Columns,
    Date,
    Disc,
    Fun,
    Matrix,
    Maybe,
    Nat,
    PFun,
    Product,
    Real,
    SchemaVar,
    SetOf,
    StaticNat,
    StaticReal,
    Str,
    Type,
    With,
    unbounded,
)


def mixed_columns(span: Span, form: str, table: Matrix) -> Diagnostic:
    row_by_row = "" if isinstance(table.schema, SchemaVar) else ", or work row by row with mmap-row"
    return text_of(__name__, "mixed_columns")(span, form, table, _of_one_type(table) + row_by_row)


def product_of_others(span: Span, table: Matrix) -> Diagnostic:
    return text_of(__name__, "product_of_others")(span, table, _of_one_type(table))


def _of_one_type(table: Matrix) -> str:
    if isinstance(table.schema, SchemaVar):
        return f"declare columns, such as n⋅𝔻, in place of {table.schema.var.name}"
    return f"select columns of one type first: {chosen(table)} in place of the table xs"


def wrong_argument(span: Span, wanted: Type, found: Type, reasons: tuple[str, ...] = ()) -> Diagnostic:
    if lost := lost_conditions(found, wanted):
        return condition_lost(span, lost)
    if lost := lost_conditions(found, wanted, of_given=True):
        return condition_of_given(span, lost)
    if isinstance(wanted, Fun) and isinstance(found, Fun) and not found.sensitivity.leq(wanted.sensitivity):
        return text_of(__name__, "too_sensitive")(span, wanted, found, notes=reasons)
    help_ = "give a value of that type"
    if isinstance(wanted, PFun) and isinstance(found, PFun) and len(wanted.parameters) == len(found.parameters):
        reasons = (*_released(wanted, found), *reasons)
        if not found.notion.info.is_guarantee:
            reasons = (*reasons, "lengths θ of mechanisms are not compared with those stated in types")
        help_ = "spend less inside it, or write its cost in the expected type"
        if [each.unit for each in wanted.parameters] != [each.unit for each in found.parameters]:
            help_ = "declare its parameters one by one, without ⟨ ⟩: a written type is about parameters that are not aligned"
    elif isinstance(wanted, Real) and isinstance(found, Nat | StaticNat):
        help_ = f"write {_as_real(span)}"
    elif isinstance(wanted, Real) and found == DATA:
        help_ = "give the discrete value a range: clip[lo, hi] …"
    elif isinstance(wanted, StaticNat | StaticReal) and isinstance(found, Nat | StaticNat | Real | StaticReal):
        declared = "ℕ" if isinstance(wanted, StaticNat) else "ℝ"
        help_ = f"give that number, or declare the parameter as {declared}: one without a type has that of the first argument"
    elif isinstance(wanted, Matrix) and isinstance(found, Matrix):
        help_ = _matrix_help(span, wanted, found)
    return text_of(__name__, "wrong_argument")(span, wanted, found, help_, notes=reasons)


def wrong_key(span: Span, form: str, keys: Type, found: Type) -> Diagnostic:
    """The key computed from a row does not have the type of the keys that are listed."""
    help_ = "give both the same type"
    if form == "parallel" and isinstance(found, SetOf) and not isinstance(keys, SetOf):
        help_ = "say how many keys of a row count: parallel[2, xs, keys] …"
    if form == "parallel" and isinstance(keys, SetOf) and not isinstance(found, SetOf):
        help_ = "give a set of keys, ℘{…}; or leave out the number in the brackets if a row has one key"
    if isinstance(keys, Nat | StaticNat) and isinstance(found, Disc | Real):
        help_ = "a cell is a real number, so write the keys as real numbers, with a decimal point: 30.0"
    return text_of(__name__, "wrong_key")(span, form, keys, found, help_)


def _released(wanted: PFun, found: PFun) -> tuple[str, ...]:
    """The inputs that a privacy function gives away where it should protect them."""
    pairs = zip(wanted.parameters, found.parameters, strict=True)
    return tuple(
        f"{theirs.name} {theirs.cost.reason or 'is released in the clear'}"
        for ours, theirs in pairs
        if isinstance(theirs.cost, NonPrivate) and not isinstance(ours.cost, NonPrivate)
    )


def _matrix_help(span: Span, wanted: Matrix, found: Matrix) -> str:
    if wanted.rows != found.rows:
        return "make the numbers of rows agree; a function that takes any number of rows binds it: m : ℕ"
    if wanted.clip is not None and found.clip is None:
        return f"bound the rows first: mclip[{wanted.clip.norm.value}] …"
    if wanted.clip is not None and wanted.clip != found.clip:
        bound = "" if wanted.clip.bound == ONE else f", {wanted.clip.bound.show()}"
        return f"the rows have a different bound; use the expected one: mclip[{wanted.clip.norm.value}{bound}] …"
    if wanted.norm is not found.norm:
        return f"measure it in {wanted.norm.value} first: renorm[{wanted.norm.value}] …"
    if wanted.width == ONE and wanted.element == DATA and (kept := known_numbers(quoted(span), found)):
        return f"leave out the rows without a value: let known = {kept} in …"
    if wanted.width == ONE and wanted.element == DATA and isinstance(found.schema, Columns):
        return _column_help(quoted(span), found.schema.columns)
    return "make the columns agree in number and type"


def _column_help(written: str, columns: Sequence[Column]) -> str:
    """What to give where one column of numbers is wanted."""
    numbers = [column.name for column in columns if column.name is not None and unbounded(column.type) == DATA]
    if len(columns) > 1 and numbers:
        return f"choose one column: {written}.[{label_text(numbers[0])}]"
    match columns:
        case [Column(name=name, type=Str())]:
            count = f"dlaplace[1, …] <…> {{ rows {written} }}"
            return f"{name or 'the column'} holds texts: give a column of numbers; rows can be counted with {count}"
        case _:
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
    natural = [operand for operand, type_ in zip(operands, found, strict=True) if _is_natural(type_)]
    mixed = any(isinstance(type_, Real | StaticReal | Disc) and not _is_natural(type_) for type_ in found)
    is_negated = stated.is_one_sort and len(found) == 1
    label = "no rule fits"
    if natural and (is_negated or (mixed and not stated.wholes)):
        span, label, help_ = natural[0], "a natural number", f"write {_as_real(natural[0])}"
    elif natural and stated.naturals:
        written = list(map(_as_real, operands))
        help_ = f"{stated.naturals}: write {f' {name} '.join(written) if len(written) == 2 else f'{name} {written[0]}'}"
    elif natural and len(found) == 1 and any(isinstance(s.arguments[0], Real) for s in candidates):
        help_ = f"write {name} ({_as_real(natural[0])})"
    elif any(isinstance(type_, Date) for type_ in found) and (day := _text_for_day(found, operands)):
        help_ = f"write a day as date {day}"
    elif name in ("+", "-") and any(isinstance(type_, Date) for type_ in found):
        help_ = "write days a b for the days from a to b, and add-days d n for the day n days after d"
    elif stated.reals and isinstance(found[0], Real | StaticReal):
        help_ = stated.reals
    elif stated.tables and isinstance(found[0], Matrix):
        help_ = f"{stated.tables} {quoted(operands[0])}"
    elif isinstance(found[0], Maybe) and len(found) == 2:
        help_ = f"write a value of the same type in its place: {quoted(operands[0])} {name} {some_value(found[0])}"
    elif stated.is_cellwise and (cell := _cell_of_a_row(found, operands)):
        help_ = f"read one cell of the row: {cell}"
    elif stated.is_cellwise and any(isinstance(type_, Matrix) for type_ in found):
        help_ = f"apply it cell by cell: {_cell_by_cell(name, found, operands)}"
    else:
        lines = list(dict.fromkeys(" and ".join(show_type(type_) for type_ in s.arguments) for s in candidates))
        help_ = f"{name} takes " + "; or ".join(lines[:4]) + ("; and more" if len(lines) > 4 else "")
    message = f"{name} does not take {' and '.join(shown)}"
    return Diagnostic("D0203", message, span, label, help=help_, rule=_SAME_AS.get(name, name))


def _cell_of_a_row(found: Sequence[Type], operands: Sequence[Span]) -> str:
    """A cell of the operand that is a row with named columns, if there is one and the other is a single value; else nothing."""
    cells = []
    for type_, operand in zip(found, operands, strict=True):
        if isinstance(type_, Matrix) and isinstance(type_.schema, Columns) and type_.rows == ONE:
            names = [column.name for column in type_.schema.columns if column.name is not None]
            # Who calls a row by the name of a column means that column.
            cells += [
                f"{as_operand(operand)}.{label_text(name)}" for name in sorted(names, key=operand.text.__ne__)[:1]
            ]
    return cells[0] if cells and not all(isinstance(type_, Matrix) for type_ in found) else ""


def chained_comparison(node: Prim, sign: str, operands: Sequence[Span], found: Sequence[Type]) -> Diagnostic | None:
    """That ``a < b < c`` compares a truth value with c, if the left side is a comparison and the right one no truth value."""
    left = next((each for each in node.args if each.span == operands[0]), None)
    while isinstance(left, Prim) and isinstance(left.args[0], Prim) and left.args[0].span == left.span:
        # a ≠ b is (a ≡ b) ≡ false, at the same place.
        left = left.args[0]
    is_comparison = (
        isinstance(left, Prim) and facts_of(left.name).compares and left.args[-1].span.text not in ("not", "¬")
    )
    if not is_comparison or isinstance(found[1], Bool):
        return None
    assert isinstance(left, Prim)
    middle = max((each.span for each in left.args), key=lambda span: span.start)
    first, shared, last = (quoted(span) for span in (left.span, middle, operands[1]))
    return text_of(__name__, "compares_comparison")(left.span, sign, first, shared, last)


def _text_for_day(found: Sequence[Type], operands: Sequence[Span]) -> str | None:
    """The text in quotation marks that stands where a day is wanted."""
    texts = [operand.text for operand, type_ in zip(operands, found, strict=True) if isinstance(type_, Str)]
    return next((text for text in texts if text.startswith('"') and len(text) <= 40), None)


_SAME_AS = {">": "<", "≥": "≤", "≠": "≡"}
"""A comparison ↦ the one that it is read as."""


def not_clipped(span: Span, found: Type) -> Diagnostic:
    """A value that is not of type ℝ or 𝔻; a natural number can be converted."""
    if _is_natural(found):
        return text_of(__name__, "cannot_clip_natural")(span, found, _as_real(span))
    return text_of(__name__, "cannot_clip")(span, found)


def _is_natural(type_: Type) -> bool:
    return isinstance(type_.inner if isinstance(type_, Disc) else type_, Nat | StaticNat)


def _as_real(operand: Span) -> str:
    """A natural number as the real number that it is."""
    return f"real {as_argument(quoted(operand))}"


def _cell_by_cell(name: str, found: Sequence[Type], operands: Sequence[Span]) -> str:
    tables = [quoted(operand) for operand, type_ in zip(operands, found, strict=True) if isinstance(type_, Matrix)]
    if len(operands) == 1:
        return f"mmap {tables[0]} {{ a ⇒ {name}a }}"
    names = iter("ab")
    cells = [
        next(names) if isinstance(type_, Matrix) else quoted(at) for type_, at in zip(found, operands, strict=True)
    ]
    return f"mmap {', '.join(tables)} {{ {', '.join('ab'[: len(tables)])} ⇒ {f' {name} '.join(cells)} }}"


def _discrete(number: Type, discrete: Type) -> str | None:
    """A zero that fits where a discrete number is wanted and another number stands, in whichever part of the two types that is."""
    match number, discrete:
        case (Product(first, second), Product(left, right)) | (With(first, second), With(left, right)):
            return _discrete(first, left) or _discrete(second, right)
        case (Matrix(schema=Columns(columns)), Matrix(schema=Columns(others))):
            found = (_discrete(one.type, other.type) for one, other in zip(columns, others, strict=False))
            return next(filter(None, found), None)
        case (Real() | StaticReal() | Nat() | StaticNat(), Disc()) if unbounded(discrete) == DATA:
            return "disc 0.0"
        case (Nat() | StaticNat(), Disc(inner=Nat())):
            return "disc 0"
        case _:
            return None


def branches_differ(span: Span, left: Type, right: Type) -> Diagnostic:
    if lost := lost_conditions(left, right) or lost_conditions(right, left):
        return condition_lost(span, lost)
    written = _discrete(left, right) or _discrete(right, left)
    help_ = "give both branches the same type"
    if written:
        help_ = f"make the other branch discrete too: {written} instead of 0"
    elif {type(left), type(right)} == {Real, StaticNat}:
        help_ = "make the other branch a real number too: 0.0 instead of 0"
    return text_of(__name__, "branches_differ")(span, left, right, help_)


def state_changes(span: Span, name: str, state: Type, body: Type, of_one_person: bool = False) -> Diagnostic:
    if lost := lost_conditions(body, state):
        return condition_lost(span, lost)
    help_ = "return a value of the type with which the state starts"
    if isinstance(state, Nat) and isinstance(body, Real | StaticReal):
        help_ = "start from a real number: 0.0 instead of 0"
    elif isinstance(body, Maybe) and body.inner == state:
        help_ = "say what replaces a missing value: … or-else 0"
    elif isinstance(state, Real) and isinstance(body, Disc):
        help_ = "limit the range of the data before you use it: clip[lo, hi] …"
        if isinstance(body.inner, Bounded):
            help_ = "make what is in a range a real number before you use it: conv …"
        if of_one_person:
            help_ = "start from disc 0.0, and limit the range of what one person adds up to: clip[lo, hi] (mfold-row (disc 0.0), …)"
    elif has_real_cells(state) and isinstance(body, Matrix) and not has_real_cells(body):
        help_ = "convert the discrete rows to real rows before you use them: mconv (mclip[L2] …)"
    elif isinstance(state, With) and isinstance(body, Product):
        help_ = "return a pair of the kind that the state is: ⟨… & …⟩ instead of ⟨…, …⟩"
    elif isinstance(state, Product) and isinstance(body, With):
        help_ = "return a pair of the kind that the state is: ⟨…, …⟩ instead of ⟨… & …⟩"
    elif isinstance(state, With) and _has_static_part(state):
        help_ = "start from numbers that are not static: ⟨dyn 0.0 & …⟩ instead of ⟨0.0 & …⟩"
    elif written := _discrete(state, body):
        help_ = f"start from a discrete number: {written} instead of 0"
    notes: tuple[str, ...] = ()
    if show_type(state) == show_type(body) and not are_namesakes(state, body):
        notes = ("a function of several arguments, sλ a, b ⇒ …, is not one that returns a function, sλ a ⇒ sλ b ⇒ …",)
        help_ = "write both functions in the same way"
    return text_of(__name__, "state_changes")(span, name, state, body, help_, notes=notes)


def flat_of_cells(span: Span, column: Column, columns: Sequence[Column]) -> Diagnostic:
    others = [label_text(each.name) for each in columns if each.name is not None and each != column]
    table = quoted(span)
    kept = f"{table if table.isalnum() else f'({table})'}.[{', '.join(others)}]"
    help_ = f"select the other columns first: {kept}" if others else "leave it out"
    return text_of(__name__, "flat_of_cells")(span, column.name or "a column", column.type, help_)


def _has_static_part(type_: Type) -> bool:
    return isinstance(type_, StaticNat | StaticReal) or (
        isinstance(type_, With) and any(map(_has_static_part, (type_.left, type_.right)))
    )


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
    return text_of(__name__, "needs_static_count")(span, found, what, notes=() if note is None else (note,))


def not_a_descent(span: Span, notion: Notion) -> Diagnostic:
    article, order = (", an order α", ", α") if "α" in notion.letters else ("", "")
    return text_of(__name__, "not_a_descent")(span, article, order)


def not_a_matrix(span: Span, form: str, found: Type) -> Diagnostic:
    """Something else where a table or a matrix is needed; in other languages × is the product of numbers, and ** a power."""
    help_ = "give a table or a matrix"
    if form == "×" and isinstance(found, Real | StaticReal | Nat | StaticNat | Disc):
        help_ = "multiply numbers with ⋅, and write a power as a product, x ⋅ x"
    return text_of(__name__, "not_a_matrix")(span, form, found, help_)


def __getattr__(name: str) -> Text:
    return text_of(__name__, name)
