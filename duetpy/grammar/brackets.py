"""Which bracket closes which, found before parsing.

Brackets that cannot be matched are reported and repaired here, so that the parser meets at most an opening bracket without
a partner: a closing bracket that nothing opened is marked as `stray`, and one of the wrong shape (``(a]``) stands for the right
one. A definition at the head of a line starts afresh, so that a bracket left open in one cannot swallow the next.
"""

from __future__ import annotations

from collections import Counter

from attrs import define, field

from duetpy.by_value import Shown
from duetpy.diagnostics.diagnostic import Diagnostic, Label
from duetpy.grammar.lexer import Token
from duetpy.grammar.spelling import CLOSERS, OPENERS
from duetpy.grammar.texts import told
from duetpy.source import Source, Span


@define(eq=False, repr=False)
class Paired(Shown):
    """Tokens with every bracket's partner.

    Parameters
    ----------
    tokens
        The tokens that remain.
    partner
        For the index of an opening bracket the index of its closing one.
    diagnostics
        What was wrong with the brackets.
    """

    tokens: list[Token]
    partner: dict[int, int] = field(factory=dict)
    diagnostics: list[Diagnostic] = field(factory=list)


def pair_brackets(source: Source, tokens: list[Token]) -> Paired:
    """Match the brackets of a text; linear in its length."""
    strays = _strays(source, tokens)
    if not strays:
        return Paired(tokens, _partners(tokens, {}))
    wrong_shape = {index: opener for index, opener in strays.items() if opener is not None}
    diagnostics = [_diagnostic(source, tokens, index, opener) for index, opener in strays.items()]
    kept: list[Token] = []
    for index, token in enumerate(tokens):
        if (opener := wrong_shape.get(index)) is not None:
            kept.append(token._replace(kind=OPENERS[tokens[opener].kind]))
        else:
            kept.append(token._replace(kind="stray") if index in strays else token)
    return Paired(kept, _partners(kept, {}), diagnostics)


def _strays(source: Source, tokens: list[Token]) -> dict[int, int | None]:
    """The closing brackets that match nothing, each with the opening bracket that it must have been meant for."""
    strays: dict[int, int | None] = {}
    inside: dict[int, int] = {}
    partner = _partners(tokens, inside)
    closed = set(partner.values())
    for index, token in enumerate(tokens):
        if token.kind in CLOSERS and index not in closed:
            strays[index] = None
    for stray, opener in inside.items():
        if opener not in partner:
            partner[opener] = stray
            strays[stray] = opener
    return strays


def _partners(tokens: list[Token], inside: dict[int, int]) -> dict[int, int]:
    """The pairs; `inside` receives, for each stray closing bracket, the innermost bracket that was open there."""
    partner: dict[int, int] = {}
    stack: list[int] = []
    waiting: Counter[str] = Counter()
    for index, token in enumerate(tokens):
        kind = token.kind
        if kind in OPENERS:
            stack.append(index)
            waiting[kind] += 1
        elif kind in CLOSERS:
            if waiting[CLOSERS[kind]] == 0:
                if stack:
                    inside[index] = stack[-1]
                continue
            while tokens[stack[-1]].kind != CLOSERS[kind]:
                waiting[tokens[stack.pop()].kind] -= 1
            waiting[CLOSERS[kind]] -= 1
            partner[stack.pop()] = index
        elif kind == "def" and stack and starts_definition(tokens, index):
            stack.clear()
            waiting.clear()
    return partner


def starts_definition(tokens: list[Token], index: int) -> bool:
    """Whether ``def name =`` stands here."""
    return (
        tokens[index].kind == "def"
        and index + 2 < len(tokens)
        and tokens[index + 1].kind not in ("string", "end")
        and tokens[index + 1].text[:1].isalpha()
        and tokens[index + 2].kind == "="
    )


def _diagnostic(source: Source, tokens: list[Token], index: int, opener: int | None) -> Diagnostic:
    token = tokens[index]
    span = Span(source, token.start, token.end)
    if opener is None:
        return told("closes_nothing", span, token.text)
    opened = tokens[opener]
    labels = (Label(Span(source, opened.start, opened.end), "opened here"),)
    return told("closed_by_another", span, opened.text, token.text, OPENERS[opened.kind], labels=labels)
