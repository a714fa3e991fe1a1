r"""What can be written at a place: signs by their names (``\eps``), names in scope, primitives, mechanisms and other words.

The names in scope are those of the text with a name written at the place, which the parser reads as far as it can; so a program may
be half written.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from enum import Enum
from functools import cache

from attrs import frozen

from duetpy.grammar import ast
from duetpy.grammar.declared import DECLARED, INFIX
from duetpy.grammar.labels import label_text
from duetpy.grammar.lexer import spells_ascii
from duetpy.grammar.spelling import GREEK, TWINS
from duetpy.highlight.classes import Shown, classes
from duetpy.lsp.documents import Document
from duetpy.lsp.judgements import Judgements
from duetpy.lsp.names import Binder, inside
from duetpy.lsp.pages import summary
from duetpy.typecheck import types as t
from duetpy.typecheck.mechanism_rows import FORMS, ROWS
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.prelude import declared
from duetpy.typecheck.show import show_type


class Kind(Enum):
    """What is offered."""

    SIGN = "sign"
    NAME = "name"
    PRIMITIVE = "primitive"
    MECHANISM = "mechanism"
    WORD = "word"


@frozen
class Completion:
    """Something that can be written from `start` on to the place."""

    text: str
    kind: Kind
    start: int
    detail: str = ""
    doc: str = ""
    label: str = ""


_TYPED = re.compile(r"\\([^\s\\]*)\Z")
_POINT = re.compile(r"(?:[^\W\d][\w'′-]*|[\])])\.([\w'′-]*)\Z")
_IN_A_NUMBER = re.compile(r"\d\.\w*\Z")
_WORD = re.compile(r"[^\W\d_][\w'′\u0300-\u036f]*(?:-[^\W\d_][\w'′\u0300-\u036f]*)*\Z")

_LATEX = """
    to => Rightarrow => leftarrow <- gets <- mapsto |-> langle <| rangle |> times ** cdot * star ? infty inf nabla grad in in_set
    le <= leq <= ge >= geq >= ne != neq != equiv == land and wedge and lor or vee or lnot not neg not sqcup max sqcap min
    multimap -o lollipop -o R Real N Nat
"""
"""Names of signs in LaTeX and in other editors, each before its ASCII spelling."""


@cache
def signs() -> dict[str, str]:
    """What may stand after a backslash, and the sign that it becomes: ASCII spellings, names of Greek letters, names of LaTeX."""
    spelled = {twin: sign for sign, twin in TWINS.items()}
    latex = _LATEX.split()
    named = {name: spelled[twin] for name, twin in zip(latex[::2], latex[1::2], strict=True)}
    return {name: letter for letter, name in GREEK.items()} | {"epsilon": "ε", "prime": "′"} | spelled | named


def completions(document: Document, offset: int) -> list[Completion]:
    """What can be written at a place."""
    before = document.text[:offset]
    line = before[before.rfind("\n") + 1 :]
    typed = _TYPED.search(line)
    if typed is not None:
        start = offset - len(typed.group())
        return [
            Completion(sign, Kind.SIGN, start, detail=sign, label=f"\\{name}")
            for name, sign in sorted(signs().items())
            if name.startswith(typed[1])
        ]
    if _is_quiet(document, offset):
        return []
    point = _POINT.search(before)
    if point is not None:
        return list(_columns(document, offset - len(point[1]), offset))
    if _IN_A_NUMBER.search(before):
        return []
    word = _WORD.search(line)
    start = offset - (len(word.group()) if word else 0)
    return [*_names(document, start, offset), *_words(document, start, spells_ascii(document.tokens, document.text))]


def _is_quiet(document: Document, offset: int) -> bool:
    """Whether a place is in a comment, a text or a number."""
    before = document.text[:offset]
    if "--" in before[before.rfind("\n") + 1 :] and not any(
        token.start <= before.rfind("--") < token.end for token in document.tokens if token.kind == "string"
    ):
        return True
    token = document.token_at(offset)
    if token is None or token.start >= offset:
        return False
    return token.kind in ("string", "nat", "decimal") or (token.kind == "bad" and document.text[token.start] == '"')


# ---------------------------------------------------------------------------------------------------------------------
# Names

_HERE = "duetCompletionPlace"


def _names(document: Document, start: int, offset: int) -> Iterator[Completion]:
    judgements = Judgements(document)
    for name, binder in reversed(in_scope(document, start, offset).items()):
        type_ = None if binder is None or binder.file != document.name else judgements.type_of_binder(binder)
        yield Completion(name, Kind.NAME, start, "" if type_ is None else show_type(type_))


def _columns(document: Document, start: int, offset: int) -> Iterator[Completion]:
    """The columns of the row, or of the table, before a point."""
    asked = document.with_text(f"{document.text[:start]}{_HERE}{document.text[offset:]}")
    judgements = Judgements(asked)
    for node in judgements.nodes:
        if isinstance(node, ast.FieldOf) and node.name.text == _HERE:
            type_ = judgements.type_of(node.record)
            columns = (
                type_.schema.columns if isinstance(type_, t.Matrix) and isinstance(type_.schema, t.Columns) else ()
            )
            for column in columns:
                if column.name is not None:
                    yield Completion(label_text(column.name), Kind.NAME, start, show_type(column.type))


def in_scope(document: Document, start: int, offset: int) -> dict[str, Binder | None]:
    """The names that can be used at a place, the innermost last: those of sizes in a type, else those of values."""
    text = f"{document.text[:start]} {_HERE} {document.text[offset:]}"
    asked = document.with_text(text)
    at = start + 1
    values: dict[str, Binder | None] = {
        name: meant[0] if len(meant) == 1 else None for name, meant in asked.seen.items()
    }
    sizes: dict[str, Binder | None] = {}
    for definition in asked.file.definitions:
        if definition.span.end < at:
            _add(values, definition.name, document.name)
    here: ast.Node | None = next((root for root in _roots(asked.file) if _holds(root, at)), None)
    is_type = False
    while here is not None:
        is_type = isinstance(here, ast.TVar | ast.RVar | ast.SVar)
        for kind in here.kinds if isinstance(here, ast.Lam | ast.PLam | ast.TFun | ast.TPFun) else ():
            sizes[kind.name] = None
        inner = [(child, names) for child, names in inside(here) if _holds(child, at)]
        for _, names in inner[-1:]:
            for name in names:
                _add(values, name, document.name)
        here = inner[-1][0] if inner else None
    return sizes if is_type else values


def _add(values: dict[str, Binder | None], name: ast.Name, file: str) -> None:
    values.pop(name.text, None)
    values[name.text] = Binder(file, name.span.start, name.span.end, name.text)


def _roots(file: ast.File) -> Iterator[ast.Node]:
    yield from (definition.value for definition in file.definitions)
    if file.body is not None:
        yield file.body


def _holds(node: ast.Node, at: int) -> bool:
    return node.span.start <= at <= node.span.end


# ---------------------------------------------------------------------------------------------------------------------
# Words


def _words(document: Document, start: int, ascii: bool) -> Iterator[Completion]:
    """The words of the language, in the spelling of the text."""
    notion = document.program.notion
    for kind, shown in classes().items():
        written = TWINS.get(kind, kind) if ascii else kind
        if kind in DECLARED:
            signatures = list(declared(kind))
            if kind not in INFIX or written[0].isalpha():
                more = f" (and {len(signatures) - 1} more)" if len(signatures) > 1 else ""
                text = signatures[0].text.partition(" : ")[2] + more
                yield Completion(written, Kind.PRIMITIVE, start, text, summary(kind))
        elif shown is Shown.MECHANISM:
            if notion not in _refusals(kind):
                yield Completion(written, Kind.MECHANISM, start, _form(kind, notion), summary(kind))
        elif any(letter.isalpha() for letter in written):
            yield Completion(written, Kind.WORD, start)


def _refusals(word: str) -> Collection[Notion]:
    """The notions in which a mechanism has no price."""
    row = ROWS.get(FORMS[word].noise) if word in FORMS else None
    return () if row is None else row.refusals


def _form(word: str, notion: Notion) -> str:
    """How a mechanism that adds noise is written in a notion."""
    if word not in FORMS:
        return ""
    row = ROWS[FORMS[word].noise]
    return f"{word}[{', '.join(('sensitivity', *row.parameters[notion]))}] <inputs> {{ … }}"
