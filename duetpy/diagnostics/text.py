"""Diagnostics as text: where, the lines concerned with what is wrong under them, why, and what to do.

    error[D0311]: the gradient is more sensitive than claimed
      --> gd.ed.duet:9:32
       |
     9 |     g ← mgauss[s, ε, δ] <xs> { … } ;
       |                                ^ xs has 2/m here
       |
       = each row contributes a gradient of length at most 1
    help: write mgauss[auto, ε, δ]
    more: duetpy explain D0311, duetpy why gd.ed.duet

Nothing of the source reaches the terminal unescaped (`duetpy.diagnostics.display`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from attrs import frozen

from duetpy.by_value import ByValue
from duetpy.diagnostics.diagnostic import Diagnostic, Label, Severity
from duetpy.diagnostics.display import SPELLING, as_word, cells, visible
from duetpy.diagnostics.wrapping import ROOM, printed_width, uncoloured, wrapped, wrapped_text
from duetpy.source import Source, Span

LINE_WIDTH = 140
"""A source line wider than this is cut around the place that matters."""

CONTEXT = 40
"""How much of a cut line stays to the left of the place that matters, in code points; a third of the line in a narrow terminal."""

_UNDERLINE = re.compile(r"[ |^-]*")


@frozen(eq=False, repr=False)
class Palette(ByValue):
    """The colours of a report; without `enabled`, none."""

    enabled: bool = False

    def paint(self, style: str, text: str) -> str:
        return f"\x1b[{style}m{text}\x1b[0m" if self.enabled and text else text

    def strong(self, text: str) -> str:
        return self.paint("1", text)

    def good(self, text: str) -> str:
        return self.paint("1;32", text)

    def margin(self, text: str) -> str:
        return self.paint("1;34", text)

    def help(self, text: str) -> str:
        return self.paint("1;36", text)

    def severity(self, severity: Severity, text: str) -> str:
        return self.paint("1;31" if severity is Severity.ERROR else "1;33", text)


PLAIN = Palette()


def render(diagnostic: Diagnostic, palette: Palette = PLAIN, columns: int | None = None) -> str:
    """One diagnostic as text, each line ended; for a terminal of a width, if one is given."""
    title = palette.severity(diagnostic.severity, f"{diagnostic.severity.value}[{diagnostic.code}]")
    place = f"{visible(diagnostic.where)}: " if diagnostic.where else ""
    spell = SPELLING.get()  # what is spelt later would not be as wide
    lines = [title + palette.strong(f": {place}{spell(visible(diagnostic.message))}")]
    margin = 2
    if diagnostic.span is not None:
        excerpts = _excerpts(diagnostic, diagnostic.span)
        margin = max(2, *(len(str(number)) for _, marks in excerpts for number in marks))
        for index, (source, marks) in enumerate(excerpts):
            lines += _excerpt(source, marks, index == 0, margin, diagnostic.span, palette, diagnostic.severity, columns)
    lines[0] = wrapped_text(lines[0], columns)
    for note in diagnostic.notes:
        said = f"{' ' * margin} {palette.margin('=')} {spell(visible(note))}"
        lines += [said] if columns is None else wrapped(said, columns, " " * (margin + 3))
    if diagnostic.help:
        lines.append(wrapped_text(f"{palette.help('help')}: {spell(visible(diagnostic.help))}", columns))
    lines.append(wrapped_text(palette.margin(f"more: {', '.join(_commands(diagnostic))}"), columns))
    return "".join(f"{line}\n" for line in lines)


OF_SENSITIVITY = frozenset({"D0301", "D0311"})
"""What is refused because an input moves a value too much: `why` shows how it comes to."""


def _commands(diagnostic: Diagnostic) -> Iterator[str]:
    """The commands that tell more."""
    yield f"duetpy explain {diagnostic.code}"
    source = None if diagnostic.span is None else diagnostic.span.source
    is_program = source is not None and not source.is_imported and source.name.endswith(".duet")
    if diagnostic.code in OF_SENSITIVITY and source is not None and is_program:
        yield f"duetpy why {as_word(source.name)}"


# ---------------------------------------------------------------------------------------------------------------------
# Excerpts


@frozen(eq=False, repr=False)
class _Mark(ByValue):
    """What is underlined on one line, in code points from zero, and what is said about it."""

    start: int
    end: int
    message: str
    primary: bool


def _excerpts(diagnostic: Diagnostic, primary: Span) -> list[tuple[Source, dict[int, list[_Mark]]]]:
    """The marks by source and line; the source of the primary span comes first."""
    excerpts: list[tuple[Source, dict[int, list[_Mark]]]] = []
    places = [(Label(primary, diagnostic.label), True), *((label, False) for label in diagnostic.labels)]
    for label, is_primary in places:
        source = label.span.source
        marks = next((marks for known, marks in excerpts if known is source), None)
        if marks is None:
            marks = {}
            excerpts.append((source, marks))
        number, mark = _mark(label, is_primary)
        marks.setdefault(number, []).append(mark)
    return excerpts


def _mark(label: Label, primary: bool) -> tuple[int, _Mark]:
    """The line that a label stands on and its mark there; of a span of several lines, the first is marked."""
    source, message = label.span.source, SPELLING.get()(visible(label.message))
    line, column = source.line_column(label.span.start)
    # The last code point tells the last line: a span may end with a line end.
    last, _ = source.line_column(max(label.span.start, label.span.end - 1))
    text = source.line(line)
    end = min(column - 1 + label.span.end - label.span.start, len(text))
    if last > line:
        end = len(text.rstrip())
        message = f"{message} (to line {last})" if message else f"to line {last}"
    return line, _Mark(column - 1, max(end, column), message, primary)


def _excerpt(
    source: Source,
    marks: dict[int, list[_Mark]],
    first: bool,
    margin: int,
    primary: Span,
    palette: Palette,
    severity: Severity,
    columns: int | None,
) -> list[str]:
    """The lines of one source that carry marks, under its name."""
    most = LINE_WIDTH if columns is None else max(ROOM, min(LINE_WIDTH, columns - margin - 5))
    numbers = sorted(marks)
    line, column = source.line_column(primary.start) if first else (numbers[0], marks[numbers[0]][0].start + 1)
    arrow = palette.margin("-->" if first else ":::")
    bar = palette.margin("|")
    empty = f"{' ' * margin} {bar}"
    rows = [f"{' ' * margin}{arrow} {visible(source.name)}:{line}:{column}", empty]
    previous = numbers[0] - 1
    for number in numbers:
        if number == previous + 2:
            rows += _row(margin, previous + 1, _window(source.line(previous + 1), (), most)[0], palette)
        elif number > previous + 2:
            rows.append(palette.margin("..."))
        text, shifted = _window(source.line(number), marks[number], most)
        rows += _row(margin, number, text, palette)
        for under in _underlines(shifted, palette, severity):
            rows += _fitted(empty, under, columns)
        previous = number
    return [*rows, empty]


def _row(margin: int, number: int, text: str, palette: Palette) -> list[str]:
    return [f"{palette.margin(f'{number:>{margin}} |')} {text}".rstrip()]


def _fitted(margin: str, under: str, columns: int | None) -> Iterator[str]:
    """What stands under a source line; a message that is too wide goes on below itself."""
    row = f"{margin} {under}".rstrip()
    if columns is None:
        yield row
        return
    found = _UNDERLINE.match(uncoloured(under))
    start = len(found[0]) if found is not None else 0
    yield from wrapped(
        row, columns, f"{margin} " + " " * min(start, max(1, columns - printed_width(margin) - 1 - ROOM))
    )


def _window(line: str, marks: Sequence[_Mark], most: int) -> tuple[str, list[_Mark]]:
    """A source line as it may be printed, cut where it is too long, and its marks in columns."""
    start = min((mark.start for mark in marks), default=0)
    left = max(0, start - min(CONTEXT, most // 3)) if len(line) > most else 0
    spell = SPELLING.get()
    text, columns = cells(line[left : left + most], spell)
    cut = next((index for index, column in enumerate(columns) if column > most), len(columns)) - 1
    before, after = spell("…") if left else "", spell("…") if left + cut < len(line) else ""
    if cut < len(columns) - 1:
        text, columns = cells(line[left : left + cut], spell)

    def at(position: int) -> int:
        inside = min(max(position - left, 0), cut)
        # A mark at the end of the input stands past the last character.
        past = 0 if after else max(0, position - max(len(line), left))
        return columns[inside] + past + len(before)

    return before + text + after, [
        _Mark(at(mark.start), max(at(mark.end), at(mark.start) + 1), mark.message, mark.primary) for mark in marks
    ]


def _underlines(marks: list[_Mark], palette: Palette, severity: Severity) -> list[str]:
    """The rows under a source line: the underlines, and the messages next to or below them.

    let s = 1 in f s t
            -    ^ ^ the last message stands next to its underline
            |    |
            |    the others hang below theirs
            the first
    """
    signs: list[tuple[str, bool]] = [(" ", False)] * max(mark.end for mark in marks)
    for mark in sorted(marks, key=lambda mark: mark.primary):
        for column in range(mark.start, mark.end):
            signs[column] = ("^" if mark.primary else "-", mark.primary)
    row = "".join(_painted(sign, primary, palette, severity) for sign, primary in signs)
    speaking = sorted((mark for mark in marks if mark.message), key=lambda mark: -mark.start)
    if speaking and speaking[0].end == len(signs):
        beside = speaking.pop(0)
        row += " " + _painted(beside.message, beside.primary, palette, severity)
    rows = [row]
    if speaking:
        rows.append(_hanging(speaking, None, palette, severity))
    for index, mark in enumerate(speaking):
        rows.append(_hanging(speaking[index + 1 :], mark, palette, severity))
    return rows


def _hanging(waiting: Sequence[_Mark], said: _Mark | None, palette: Palette, severity: Severity) -> str:
    """Bars under the marks whose message is still to come, then the message of one mark."""
    parts: list[str] = []
    at = 0
    for mark in sorted(waiting, key=lambda mark: mark.start):
        if mark.start >= at and (said is None or mark.start < said.start):
            parts.append(" " * (mark.start - at) + _painted("|", mark.primary, palette, severity))
            at = mark.start + 1
    if said is not None:
        parts.append(" " * (said.start - at) + _painted(said.message, said.primary, palette, severity))
    return "".join(parts)


def _painted(text: str, primary: bool, palette: Palette, severity: Severity) -> str:
    if text == " ":
        return text
    return palette.severity(severity, text) if primary else palette.margin(text)
