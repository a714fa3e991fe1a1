"""Programs in one layout, with their comments: the printer's pieces of the tree, and between them the comments and blank lines.

A comment stays between the same two tokens, at the end of a line or on lines of its own. The text that results is parsed
again: unless it has the same tree and the same comments, it is not returned.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from attrs import evolve, frozen

from duetpy.by_value import ByValue
from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.grammar.compare import same
from duetpy.grammar.layout import Comment, Mark, Piece, flat, lay_out, on_one_line
from duetpy.grammar.lexer import Token, in_ascii, tokenize
from duetpy.grammar.parser import parse_written
from duetpy.grammar.pretty import Printer
from duetpy.source import Source, Span

LINE_WIDTH = 120
"""Lines of a formatted program are so wide at most, where they can be broken."""

_FARTHEST = 40
"""So many tokens are looked at to find where two texts go on alike."""

_TRIVIA = re.compile(r"--[^\n]*|\{-|\n")
_MARKS_OF_BLOCK = re.compile(r"\{-|-\}")
_CLOSERS = frozenset({")", "]", "}", "⟩", "in", "else", "ensures"})
_FREE = frozenset(("", Mark.GROUP, Mark.SOFT, Mark.FORCE))


@frozen(eq=False, repr=False)
class Remark(ByValue):
    """What stands between two tokens except for spaces.

    Parameters
    ----------
    before
        The index of the token that follows.
    comment
        The comment; None for an empty line.
    ends_line
        Whether a line break follows the comment.
    """

    before: int
    comment: Comment | None
    ends_line: bool


def formatted(
    source: Source, names: frozenset[str] = frozenset(), notions: Sequence[str] = (), ascii: bool | None = None
) -> str | tuple[Diagnostic, ...]:
    """A program in the layout that every program has, or why it cannot be given one.

    Parameters
    ----------
    source
        The text.
    names, notions
        As of `parse_file`.
    ascii
        Whether to write the ASCII twin of each sign, or the sign; by default the way in which the text is written.
    """
    file, diagnostics, written = parse_written(source, names, notions)
    if any(diagnostic.is_error for diagnostic in diagnostics):
        return diagnostics
    remarks = list(remarks_of(source.text, written.tokens))
    spelling = in_ascii(written.tokens, source.text) if ascii is None else ascii
    printer = Printer(spelling, written)
    for name in names:
        printer.terms.bind(name)
    pieces = _with_remarks(flat(printer.file(file)), written.tokens, remarks)
    text = lay_out(pieces, LINE_WIDTH).strip("\n") + "\n"
    again, problems, anew = parse_written(Source(source.name, text), names, notions)
    found = remarks_of(text, anew.tokens)
    if any(d.is_error for d in problems) or not same(file, again) or _comments(remarks) != _comments(found):
        return (_not_formatted(file.span),)
    return text


def remarks_of(text: str, tokens: Sequence[Token]) -> Iterator[Remark]:
    """The comments and empty lines of a text, in its order."""
    end = 0
    for index, token in enumerate(tokens):
        start = len(text) if token.kind == "end" else token.start
        if "\n" in (gap := text[end:start]) or "-" in gap:
            yield from _remarks_of_gap(gap, index)
        end = token.end


def _remarks_of_gap(gap: str, before: int) -> Iterator[Remark]:
    found: list[tuple[str, int]] = []
    at = lines = 0
    while (mark := _TRIVIA.search(gap, at)) is not None:
        if mark.group() == "\n":
            lines, at = lines + 1, mark.end()
            continue
        at = _end_of_block(gap, mark.end()) if mark.group() == "{-" else mark.end()
        found.append((gap[mark.start() : at], lines))
        lines = 0
    if not found:
        yield from [Remark(before, None, True)] * (lines > 1)
        return
    found = _by_line(found, lines)
    after = [above for _, above in found[1:]] + [lines]
    for (text, above), below in zip(found, after, strict=True):
        is_first = before == 0 and text is found[0][0]
        ends_line = below > 0 or text.startswith("--")
        yield Remark(before, Comment(text, above > 0 or is_first, above > 1, below > 1), ends_line)


def _by_line(found: list[tuple[str, int]], below: int) -> list[tuple[str, int]]:
    """The comments of a gap, those at the end of a line as one: apart, the last of them would stand before the others."""
    joined: list[tuple[str, int]] = []
    ends_line = False
    for text, above in reversed(found):
        if not joined or below:
            ends_line = below > 0 or text.startswith("--")
        elif ends_line:
            text = f"{text} {joined.pop()[0]}"
        joined.append((text, above))
        below = above
    return joined[::-1]


def _end_of_block(text: str, at: int) -> int:
    depth = 1
    while depth and (mark := _MARKS_OF_BLOCK.search(text, at)) is not None:
        depth += 1 if mark.group() == "{-" else -1
        at = mark.end()
    return at


def _comments(remarks: Iterable[Remark]) -> list[str]:
    """The comments alone, without what stands invisibly at the ends of their lines. Two may come to stand on one line."""
    told = " ".join(remark.comment.text for remark in remarks if remark.comment is not None)
    return [line.rstrip() for line in told.split("\n")]


def _with_remarks(pieces: list[Piece], tokens: Sequence[Token], remarks: Sequence[Remark]) -> list[Piece]:
    """The pieces of a tree with the comments and empty lines of its text between them."""
    if not remarks:
        return pieces
    line = on_one_line(pieces)
    printed, _ = tokenize(Source("", line))
    places = _Places(pieces, printed)
    twins = _aligned([_key(token) for token in tokens], [_key(token) for token in printed])
    added: dict[tuple[int, int], list[Piece]] = {}
    begin = (0, 0)
    for remark in remarks:
        comment = remark.comment
        twin = next((twin for twin in twins[remark.before :] if twin is not None), len(printed) - 1)
        if comment is None:
            place = places.above(twin)
            if place[0] and not place[1] and pieces[place[0] - 1] is Mark.BREAK:
                added.setdefault(place, []).append(Mark.BLANK)
            continue
        first: list[Piece] = []
        shown: Piece = comment
        if comment.is_alone and remark.ends_line:
            place, first = places.above(twin), [Mark.BREAK] if twin == len(printed) - 1 else []
        elif remark.ends_line:
            last = next((twin for twin in reversed(twins[: remark.before]) if twin is not None), 0)
            place = places.behind(last)
        else:
            place, shown = places.of(twin), f"{comment.text} "
        # Where tokens between two comments are not printed, the second one would come before the first.
        begin = max(begin, place)
        here = added.setdefault(begin, first)
        if isinstance(shown, Comment) and here and isinstance(before := here[-1], str):
            here[-1] = evolve(shown, text=f"{before}{shown.text}")
        else:
            here.append(shown)
    return places.filled(added)


def _key(token: Token) -> tuple[str, str]:
    # The twin of an arrow is read as several tokens, of which the first stands for it.
    kind = "-" if token.kind in ("⊸", "⊸⋆") else token.kind
    return kind, token.text if kind in ("name", "nat", "decimal", "string") else ""


def _aligned(written: list[tuple[str, str]], printed: list[tuple[str, str]]) -> list[int | None]:
    """For each token of a text the one that it is printed as. They differ in parentheses, signs and ends that say nothing."""
    twins: list[int | None] = [None] * len(written)
    one = other = 0
    while one < len(written) and other < len(printed):
        if written[one] == printed[other]:
            twins[one] = other
            one, other = one + 1, other + 1
            continue
        for skipped in range(1, _FARTHEST):
            ways = (
                (one + step, other + skipped - step)
                for step in range(skipped + 1)
                if written[one + step : one + step + 2] == printed[other + skipped - step : other + skipped - step + 2]
            )
            if (way := next(ways, None)) is not None:
                one, other = way
                break
        else:
            one += 1
    return twins


class _Places:
    """Where the tokens of a line stand among its pieces: a piece, and a place in it."""

    def __init__(self, pieces: list[Piece], tokens: Sequence[Token]) -> None:
        self.pieces = pieces
        self.tokens = tokens
        self.starts: list[tuple[int, int]] = []
        self.ends: list[tuple[int, int]] = []
        at, index, offset = 0, 0, 0
        lengths = [len(on_one_line(piece)) for piece in pieces]
        for token in tokens:
            while index < len(pieces) and offset + lengths[index] <= token.start:
                offset += lengths[index]
                index += 1
            self.starts.append((index, token.start - offset))
            at, passed = index, offset
            while at < len(pieces) and passed + lengths[at] < token.end:
                passed += lengths[at]
                at += 1
            self.ends.append((at, token.end - passed))

    def of(self, token: int) -> tuple[int, int]:
        return self.starts[token]

    def above(self, token: int) -> tuple[int, int]:
        """Where a comment on lines of its own stands before a token: before the groups that begin with it, and of what closes a
        body, still in that body."""
        index, offset = self.starts[token]
        if offset:
            return index, offset
        while index and self.pieces[index - 1] in _FREE:
            index -= 1
        if self.tokens[token].kind in _CLOSERS and index > 1 and self.pieces[index - 1] in (Mark.LINE, Mark.CUT):
            index -= 2 if self.pieces[index - 2] is Mark.OUT else 0
        return index, 0

    def behind(self, token: int) -> tuple[int, int]:
        """The place of a comment after a token at the end of a line: after the groups that end with the token."""
        index, offset = self.ends[token]
        if index >= len(self.pieces) or offset < len(on_one_line(self.pieces[index])):
            return index, offset
        index += 1
        while index < len(self.pieces) and self.pieces[index] in (Mark.OUT, Mark.END, Mark.HUG, ""):
            index += 1
        return index, 0

    def filled(self, added: dict[tuple[int, int], list[Piece]]) -> list[Piece]:
        found: list[Piece] = []
        by_piece: dict[int, list[tuple[int, list[Piece]]]] = {}
        for (index, offset), extra in sorted(added.items(), key=lambda item: item[0]):
            by_piece.setdefault(index, []).append((offset, extra))
        for index, piece in enumerate([*self.pieces, ""]):
            begin = 0
            for offset, extra in by_piece.get(index, ()):
                if isinstance(piece, str) and offset > begin:
                    found.append(piece[begin:offset])
                    begin = offset
                found += extra
            found.append(piece[begin:] if isinstance(piece, str) else piece)
        return found


def _not_formatted(span: Span) -> Diagnostic:
    return Diagnostic(
        "D0902",
        "the program cannot be formatted without changing it",
        Span(span.source, span.start, span.start),
        "the file is left as it is",
        notes=("the formatted text would not be read as the same program with the same comments",),
        help="move comments that stand inside an expression to lines of their own, and format it again",
    )
