"""What an editor shows for the expression under the pointer: its type and metric, by how much each input moves it or what it costs
each input, the noise, and the rule; for a parameter of the program, how its number came about, as ``why`` explains it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from attrs import frozen

from duetpy.diagnostics.display import visible
from duetpy.grammar import ast
from duetpy.grammar.declared import DECLARED
from duetpy.grammar.lexer import Token
from duetpy.highlight.classes import Shown, classes
from duetpy.lsp.documents import Document
from duetpy.lsp.judgements import Judgements, Moved, metric
from duetpy.lsp.names import Binder, Occurrence
from duetpy.lsp.pages import summary
from duetpy.report.check_text import noise_text, often
from duetpy.report.noise import noise
from duetpy.report.rule_names import rule_of
from duetpy.report.why import why
from duetpy.source import Span
from duetpy.typecheck import types as t
from duetpy.typecheck.prelude import declared
from duetpy.typecheck.show import show_type
from duetpy.typecheck.unverified import TRUSTED
from duetpy.valuation import Valuation

LEVELS = 8
"""So many steps of a derivation are shown, one inside another."""

MOST = 12
"""So many inputs are listed."""

UNPROVED = "The program has errors, so no sensitivity and no cost is proved yet."


@frozen
class Hover:
    """What is shown, as Markdown, and of what."""

    span: Span
    text: str


def hover(document: Document, offset: int) -> Hover | None:
    """What is to be shown at a place; None if there is nothing to show."""
    judgements = Judgements(document)
    occurrence = document.occurrence_at(offset)
    if occurrence is not None:
        found = list(_of_name(document, judgements, occurrence))
        if found:
            return Hover(occurrence.span, "\n\n".join(found))
    token = document.token_at(offset)
    if token is None:
        return None
    node = judgements.innermost(token.start, token.end)
    if node is not None and not _is_shown_at(document, node, token):
        return None
    parts = [] if node is None else list(_of_node(judgements, node))
    if token.kind in DECLARED and (node is None or rule_of(node) != token.kind or judgements.type_of(node) is None):
        parts += _of_primitive(token.kind)
    span = Span(document.source, token.start, token.end) if node is None else node.span
    return Hover(span, "\n\n".join(parts)) if parts else None


def _is_shown_at(document: Document, node: ast.Node, token: Token) -> bool:
    """Whether a sign or word stands for the expression that it is in. Brackets and separators do not; a function is shown at its
    first word, not at the types of its parameters; and what follows a definition does not belong to it."""
    if classes().get(token.kind) is Shown.PUNCTUATION:
        return False
    if isinstance(node, ast.Lam | ast.PLam):
        return token.start == node.span.start
    return not (isinstance(node, ast.Let) and any(each.span == node.span for each in document.file.definitions))


# ---------------------------------------------------------------------------------------------------------------------
# Names


def _of_name(document: Document, judgements: Judgements, occurrence: Occurrence) -> Iterator[str]:
    binder = occurrence.binder
    name = occurrence.span.text
    if binder is None:
        return
    if isinstance(occurrence.node, ast.Var) and (type_ := judgements.type_of(occurrence.node)) is not None:
        yield from _typed(name, type_)
        yield from _with_premises(judgements, occurrence.node, _moved(judgements, occurrence.node))
    elif (bound := judgements.type_of_binder(binder)) is not None:
        yield from _typed(name, bound)
    elif (kind := _kind_of(document, binder)) is not None:
        yield _code(f"{name} : {kind}")
    if binder.file != document.name:
        yield f"defined in {_quoted(binder.file)}"
    elif (told := _why(document, judgements, binder)) is not None:
        yield told


def _kind_of(document: Document, binder: Binder) -> str | None:
    """The kind of a size or parameter in types."""
    nodes = [each.node for each in document.uses(binder) if isinstance(each.node, ast.KindBinding)]
    return next((node.kind.value for node in nodes if isinstance(node, ast.KindBinding)), None)


def _why(document: Document, judgements: Judgements, binder: Binder) -> str | None:
    """How the number of a parameter of the program came about."""
    function = judgements.function()
    statement = document.statement
    if function is None or statement is None or not statement.ok:
        return None
    views = [each.params if isinstance(each, ast.Aligned) else (each,) for each in function.params]
    if binder.start not in [each.name.span.start for view in views for each in view]:
        return None
    parameter = next((each for each in statement.parameters if each.name == binder.name), None)
    if parameter is None or (parameter.cost is not None and not parameter.private):
        return None
    told = why(document.typed, Valuation(), binder.name, LEVELS).text()
    return f"```text\n{told.rstrip()}\n```"


# ---------------------------------------------------------------------------------------------------------------------
# Expressions


def _of_node(judgements: Judgements, node: ast.Node) -> Iterator[str]:
    type_ = judgements.type_of(node)
    if type_ is not None:
        yield from _typed("", type_)
    yield from _with_premises(judgements, node, _numbers(judgements, node))
    rule = rule_of(node)
    if rule:
        does = summary(rule)
        yield f"rule `{rule}`: {does}" if does else f"rule `{rule}`"


def _numbers(judgements: Judgements, node: ast.Node) -> Iterator[str]:
    if judgements.type_of(node) is not None:
        yield from _moved(judgements, node)
        yield from _charged(judgements, node)
    site = judgements.release(node)
    if site is not None:
        found = noise(site, Valuation())
        yield f"{'release' if found.mechanism == TRUSTED else 'noise'}{often(found)}: {noise_text(found)}"


def _with_premises(judgements: Judgements, node: ast.Node, numbers: Iterator[str]) -> Iterator[str]:
    """The numbers of an expression, and what they rest on."""
    shown = [*numbers]
    yield from shown
    premises = judgements.premises(node) if shown and judgements.has_numbers else None
    if premises is not None and (told := [*premises]):
        yield "\n".join(["these numbers hold together with\n", *(f"- {each}" for each in told)])


def _typed(name: str, type_: t.Type) -> Iterator[str]:
    shown = show_type(type_)
    yield _code(f"{name} : {shown}" if name else shown)
    distance = metric(type_)
    if distance is not None:
        yield f"distance: {distance}"


def _moved(judgements: Judgements, node: ast.Node) -> Iterator[str]:
    if not judgements.has_numbers:
        yield UNPROVED
        return
    moved = list(judgements.sensitivities(node))
    if moved:
        yield "a step of distance 1 moves it by at most\n" + _listed(moved)


def _charged(judgements: Judgements, node: ast.Node) -> Iterator[str]:
    costs = list(judgements.costs(node))
    if costs:
        notion = judgements.frames[node].notion
        yield f"privacy cost in {notion.info.name}\n" + _listed(costs)


def _listed(moved: Sequence[Moved]) -> str:
    lines = [f"- `{each.name}`: {each.amount}" for each in moved[:MOST]]
    more = [f"- and {len(moved) - MOST} more"] if len(moved) > MOST else []
    return "\n".join(["", *lines, *more])


def _quoted(text: str) -> str:
    """A text as it is, whatever signs of Markdown it holds (CommonMark 0.31, 6.1)."""
    ticks = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{ticks} {visible(text)} {ticks}"


def _code(text: str) -> str:
    return f"```duet\n{text}\n```"


def _of_primitive(name: str) -> Iterator[str]:
    """What the prelude says of a primitive."""
    signatures = list(declared(name))
    yield _code("\n".join(each.text for each in signatures))
    yield from dict.fromkeys(each.doc for each in signatures if each.doc)
