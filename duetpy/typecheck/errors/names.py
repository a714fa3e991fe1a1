"""D01xx: names, kinds and scopes."""

from __future__ import annotations

from collections.abc import Sequence

from duetpy.diagnostics.closest import closest
from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.grammar.ast import Kind
from duetpy.grammar.declared import DECLARED
from duetpy.grammar.foreign import FOREIGN_NAMES, FOREIGN_TYPES
from duetpy.grammar.labels import label_text
from duetpy.grammar.spelling import GREEK, LETTER_OF, LETTERS
from duetpy.grammar.words import VOCABULARY
from duetpy.source import Span
from duetpy.typecheck.errors.missing import as_operand
from duetpy.typecheck.errors.standard import standard_names
from duetpy.typecheck.errors.texts import Text, text_of
from duetpy.typecheck.quantity import ONE, KindVar, Quantity, Signed
from duetpy.typecheck.scope import Scope
from duetpy.typecheck.types import Columns, Disc, Matrix, Poison, StaticNat, StaticReal, Type, Uniform


def unbound(span: Span, name: str, scope: Scope) -> Diagnostic:
    """An unbound name; ``x-y`` is one name, which surprises people."""
    pieces = name.split("-")
    if len(pieces) > 1 and all(scope.lookup(piece) is not None for piece in pieces):
        return text_of(__name__, "difference")(span, name, pieces, " - ".join(pieces))
    variable = scope.lookup_kind(name)
    if variable is not None:
        return _only_in_types(span, name, variable, scope)
    standard = standard_names()
    close = scope.suggestion(name)
    if not close and name not in FOREIGN_NAMES:
        close = next(iter(closest(name, {*VOCABULARY, *standard})), None)
    if name in standard:
        help_ = f'write import "{standard[name]}"; at the beginning of the file'
    elif (twin := TWIN_LETTERS.get(name)) and scope.lookup(twin):
        help_ = f"write {twin}: a Greek letter and its name are different names"
    elif row := _row_with(name, scope):
        help_ = f"{name} is a column: read it from a row, {row}.{label_text(name)}"
    elif name in PARAMETERS and not (close and scope.lookup(close)):
        help_ = f"declare it as a number that is set for each run: static {name} : ℝ⁺"
    elif close:
        imported = (
            f' Then write import "{standard[close]}"; too' if close in standard and not scope.lookup(close) else ""
        )
        help_ = f"did you mean {close}?{imported}"
    else:
        help_ = FOREIGN_NAMES.get(name, "bind it with let, as a parameter, or with ←")
    return Diagnostic("D0101", f"unknown name `{name}`", span, "not in scope here", help=help_)


def _row_with(name: str, scope: Scope) -> str | None:
    """The innermost row in scope that has a column of some name."""
    known = [(term, judged.type) for term, judged in scope.terms()]
    return next((term for term, type_ in reversed(known) if _has_column(type_, name)), None)


def _has_column(type_: Type, name: str) -> bool:
    match type_:
        case Matrix(schema=Columns(columns)) if type_.rows == ONE:
            return any(column.name == name for column in columns)
        case _:
            return False


PARAMETERS = frozenset({*LETTERS, *LETTER_OF, "epsilon"})
"""What the number of a guarantee is often called."""

TWIN_LETTERS = GREEK | {name: letter for letter, name in GREEK.items()}
"""A Greek letter ↦ its name, and the other way round."""


def _only_in_types(span: Span, name: str, variable: KindVar, scope: Scope) -> Diagnostic:
    """A size, a parameter of types or a type, where a value is wanted: which value is that number."""
    values = [] if variable.kind is Kind.TYPE else _with_value(Quantity.var(variable), scope)
    what = {Kind.NAT: "a size", Kind.POS: "a number"}.get(variable.kind, "a type")
    if values:
        help_ = f"write {values[0]}, which has that value"
    elif variable.kind is Kind.TYPE:
        help_ = "use it in types only"
    else:
        set_ = "ℕ" if variable.kind is Kind.NAT else "ℝ⁺"
        help_ = f"add a parameter with that value: {name} : {set_}[{name}]"
    return text_of(__name__, "only_in_types")(span, name, what, help_)


def _with_value(number: Quantity, scope: Scope) -> list[str]:
    """What a program writes for a number, from the names in scope."""
    known = [(term, judged.type) for term, judged in scope.terms()]
    tables = [(term, type_) for term, type_ in known if isinstance(type_, Matrix)]
    return [
        *(term for term, type_ in known if _is_number(type_, number)),
        *(f"rows {term}" for term, type_ in tables if type_.rows == number),
        *(f"cols {term}" for term, type_ in tables if isinstance(type_.schema, Uniform) and type_.width == number),
    ]


def _is_number(type_: Type, number: Quantity) -> bool:
    match type_:
        case StaticNat(value):
            return value == number
        case StaticReal(Signed(False, magnitude)):
            return magnitude == number
        case _:
            return False


def column_of_table(table: Span, span: Span, name: str, type_: Type, of_one_person: bool) -> Diagnostic:
    """A column of a table where a cell of one row is meant; the rows of one person are such a table, and have an order."""
    help_ = f"select it with .[{name}], or read it inside mmap-row, mfold-row or mfilter"
    if _is_file(type_, name):
        each = f"{{ p ⇒ p.{label_text(name)} }}"
        help_ = f"these are the rows of all persons: take at most three of each with flat[3] {as_operand(table)} {each}"
    elif of_one_person:
        last = f"mfold-row …, {as_operand(table)} {{ last, row ⇒ row.{name} }}"
        most = f"mode {as_operand(table)}.[{name}] is the most frequent one"
        help_ = f"these are the rows of one person: compute one value from them; {most}, {last} that of the last row"
    return text_of(__name__, "column_of_table")(span, name, help_)


def unbound_kind(span: Span, name: str, scope: Scope) -> Diagnostic:
    kind = "ℝ⁺" if name in PARAMETERS else "ℕ"
    help_ = f"declare it: sλ {name} : {kind} . … or pλ {name} : {kind} . …"
    if close := closest(name, list(scope.kinds())):
        help_ = f"did you mean {close[0]}?"
    elif meant := FOREIGN_TYPES.get(name.lower()):
        help_ = f"write {meant}"
    if scope.lookup(name) is not None:
        help_ = f"{name} is a value, but types contain only static numbers: give it the type ℕ[k] or ℝ⁺[k] and write k"
    return Diagnostic(
        "D0102", f"unknown size or parameter `{name}`", span, "not a size or parameter in scope", help=help_
    )


def cannot_infer(span: Span, missing: list[str], pairs: Sequence[tuple[Type, Type]] = ()) -> Diagnostic:
    """Kind variables whose value no argument determines, often because an argument that should be a table is something else."""
    for wanted, actual in pairs:
        if isinstance(wanted, Matrix) and not isinstance(actual, Matrix | Poison):
            return text_of(__name__, "no_table_to_infer_from")(span, missing, wanted, actual)
    return text_of(__name__, "cannot_infer")(span, missing)


def type_of_later(span: Span, name: str, found: Type, later: list[str]) -> Diagnostic:
    """The first use gives a type that could not be written where the function stands."""
    reason = f"it mentions {', '.join(later)}, bound after the function" if later else "the type of a box names inputs"
    return text_of(__name__, "type_of_later")(span, name, found, reason)


def no_such_column(span: Span, name: str, type_: Type, of: Span | None = None) -> Diagnostic:
    """A column that a value does not have; `of` is where the value stands, if that is before a point."""
    match type_:
        case Matrix(schema=Columns(columns)):
            known = [column.name for column in columns if column.name is not None]
        case _:
            known = []
    files = _files_with(name, type_)
    if files:
        rows = f"p.{label_text(files[0])}"
        folded = f"mfold-row …, {rows} {{ last, row ⇒ row.{label_text(name)} }}"
        help_ = f"{name} is a column of {files[0]}, which has several rows per person: compute one value from them; "
        help_ += f"bmap … {{ p ⇒ {folded} }} takes that of the last row; "
        help_ += f"or take at most k rows of each person: flat[k] … {{ p ⇒ {rows} }}"
        return Diagnostic("D0104", f"there is no column {name}", span, "not a column", help=help_)
    if known:
        close = closest(name, known)
        meant = f"did you mean {label_text(close[0])}? " if close else ""
        help_ = f"{meant}the columns are {', '.join(map(label_text, known))}"
        return Diagnostic("D0104", f"there is no column {name}", span, "not a column", help=help_)
    if of and name in DECLARED and not isinstance(type_, Matrix):
        return text_of(__name__, "function_as_column")(span, name, type_, as_operand(of))
    return text_of(__name__, "no_named_columns")(span, name, type_)


def _files_with(name: str, type_: Type) -> list[str]:
    """The files of a table of persons that have a column of some name."""
    if not isinstance(type_, Matrix) or not isinstance(type_.schema, Columns):
        return []
    blocks = [(column.name, column.type.inner) for column in type_.schema.columns if isinstance(column.type, Disc)]
    return [
        file
        for file, block in blocks
        if file is not None and isinstance(block, Matrix) and isinstance(block.schema, Columns)
        if any(column.name == name for column in block.schema.columns)
    ]


def _is_file(type_: Type, name: str) -> bool:
    """Whether a table of persons has a file of some name."""
    columns = type_.schema.columns if isinstance(type_, Matrix) and isinstance(type_.schema, Columns) else ()
    inside = [column.type.inner for column in columns if column.name == name and isinstance(column.type, Disc)]
    return any(isinstance(type_, Matrix) for type_ in inside)


def unknown_loss(span: Span, name: str, known: Sequence[str]) -> Diagnostic:
    """A gradient of an unknown loss; another loss has to be proved before a gradient of it has a bound."""
    close = closest(name, known)
    help_ = f"did you mean {close[0]}?" if close else f"use one of them: ∇[{known[0]} | …]"
    return text_of(__name__, "unknown_loss")(span, name, tuple(known), help_)


def __getattr__(name: str) -> Text:
    return text_of(__name__, name)
