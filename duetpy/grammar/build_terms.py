"""What expressions of both languages share: which of the two was written, names in scope, lists of the right length.

One rule of the grammar covers both languages, and the nodes tell which was written: a `let` around a privacy expression
is a `PLet`. A privacy expression where a sensitivity expression must stand is reported here (D0011), and the other way round
(D0012), as are lists of the wrong length (D0014).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from attrs import frozen

from duetpy.by_value import Shown
from duetpy.grammar import ast
from duetpy.grammar.build_types import Complain, TypeBuilder
from duetpy.grammar.pieces import Piece
from duetpy.grammar.words import Mark, Words
from duetpy.source import Source, Span

Either: TypeAlias = ast.SExp | ast.PExp


@frozen(eq=False, repr=False)
class Header(Shown):
    """``let x = e``, ``x ← p``, ``inl x``: names, what they are bound to, and the scope around them."""

    names: tuple[ast.Name, ...]
    value: Either | None
    mark: Mark


@frozen(eq=False, repr=False)
class Parameters(Shown):
    """What stands between ``sλ`` and ``⇒``; None where it could not be read."""

    kinds: tuple[ast.KindBinding, ...]
    params: tuple[ast.Param | ast.Aligned, ...]


@frozen(eq=False, repr=False)
class Body(Shown):
    """``{ x, y ⇒ e }``."""

    names: tuple[ast.Name, ...]
    listed: Span
    value: Piece


class TermBuilder(TypeBuilder):
    """Makes the nodes of a text; a method is called when its rule has been read.

    Parameters
    ----------
    source
        The text.
    words
        Which words are names where the parser stands; what binds a name says so to it.
    complain
        Takes a diagnostic, and where another mistake could lead to it.
    is_whole
        Whether all that stands in a span could be read.
    """

    def __init__(self, source: Source, words: Words, complain: Complain, is_whole: Callable[[Span], bool]) -> None:
        self.source = source
        self.words = words
        self.complain = complain
        self.is_whole = is_whole
        self.grouped: set[tuple[int, int]] = set()
        """What stands directly between parentheses: where it starts and ends."""
        self.between_braces: set[tuple[int, int]] = set()
        """The branches that stand between braces."""

    # ------------------------------------------------------------------------------------------------- both languages

    def over(self, c: Sequence[Piece]) -> Span:
        """From the first piece to the last."""
        return Span(self.source, c[0].start, c[-1].end)

    def made(self, node: Either, c: Sequence[Piece]) -> Piece:
        return Piece("expr", node, c[0].start, c[-1].end)

    def sexp(self, piece: Piece, around: Span | None = None) -> ast.SExp:
        """The sensitivity expression that a piece is; `around` is where a mistake could make another of it."""
        node: Either = piece.value
        if not isinstance(node, ast.PExp):
            return node
        if not isinstance(node, ast.PHole):
            self.tell("release_not_allowed", node.span, around=around)
        return ast.Hole(node.span)

    def pexp(self, piece: Piece) -> ast.PExp:
        """The privacy expression that a piece is."""
        return self.as_private(piece.value)

    def as_private(self, node: Either) -> ast.PExp:
        """The privacy expression that a node is, its branches and bodies included."""
        order: list[Either] = []
        pending = [node]
        while pending:
            order.append(pending.pop())
            pending += _results(order[-1])
        done: dict[Either, ast.PExp] = {}
        for each in reversed(order):
            done[each] = self._private(each, done)
        return done[node]

    def _private(self, node: Either, done: dict[Either, ast.PExp]) -> ast.PExp:
        match node:
            case ast.Let(span, name, bound, body):
                return ast.PLet(span, name, bound, done[body])
            case ast.LetPair(span, left, right, bound, body):
                return ast.PLetPair(span, left, right, bound, done[body])
            case ast.If(span, guard, then, otherwise):
                return ast.PIf(span, guard, done[then], done[otherwise])
            case ast.Case(span, scrutinee, left, first, right, second):
                return ast.PCase(span, scrutinee, left, done[first], right, done[second])
            case ast.CaseMissing(span, scrutinee, name, there, absent):
                return ast.PCaseMissing(span, scrutinee, name, done[there], done[absent])
            case ast.Loop(span, count, init, index, state, body):
                return ast.PLoop(span, None, count, init, None, index, state, done[body])
            case ast.Hole():
                return ast.PHole(node.span)
            case ast.TypeApp():
                values = ", ".join(argument.span.text for argument in node.arguments)
                self.tell("call_without_point", node.span, node.function.span.text, values)
                return ast.PHole(node.span)
            case _ if isinstance(node, ast.PExp):
                return node
            case _:
                self.tell("releases_nothing", node.span)
                return ast.PHole(node.span)

    def header(self, names: tuple[ast.Name, ...], value: Either | None, c: Sequence[Piece]) -> Piece:
        """Bind names from here on."""
        mark = self.words.mark()
        for name in names:
            self.words.bind(name.text)
        return Piece("header", Header(names, value, mark), c[0].start, c[-1].end)

    def name(self, piece: Piece) -> ast.Name:
        return ast.Name(self.span(piece), piece.value or "")

    def called(self, piece: Piece) -> ast.Name:
        """The name of a column."""
        return ast.Name(self.span(piece), self.label_of(piece))

    def sexps(self, piece: Piece) -> tuple[ast.SExp, ...]:
        """The expressions of a list."""
        return tuple(self.sexp(each) for each in piece.value)

    def counted(self, c: Sequence[Piece], least: int, most: int) -> tuple[ast.SExp, ...]:
        """The expressions of a list in brackets, holes where there are too many or too few."""
        items = self.sexps(c[1])
        if least <= len(items) <= most:
            return items
        wanted = "one expression" if most == 1 else f"{least if least == most else f'{least} or {most}'} expressions"
        self.tell("expressions_in_brackets", self.over(c), wanted, len(items))
        return tuple(ast.Hole(self.over(c)) for _ in range(least))

    def bodied(self, piece: Piece, count: int, word: str) -> Body | None:
        """A body that binds so many names; None, with a diagnostic, if it does not."""
        body: Body = piece.value
        if not all(name.text for name in body.names):
            return None
        if len(body.names) == count:
            return body
        wanted = "one name" if count == 1 else f"{count} names"
        advice = "write `{ x ⇒ … }`" if count == 1 else "write `{ x, y ⇒ … }`"
        self.tell("names_of_body", body.listed, word, wanted, len(body.names), advice)
        return None


def _results(node: Either) -> list[Either]:
    """The expressions whose value is that of a node, where its class does not say which language it belongs to."""
    match node:
        case ast.Let() | ast.LetPair() | ast.Loop():
            return [node.body]
        case ast.If():
            return [node.then, node.otherwise]
        case ast.Case():
            return [node.left_body, node.right_body]
        case ast.CaseMissing():
            return [node.there, node.absent]
        case _:
            return []
