"""Pages as a terminal shows them: the Markdown of the explain pages, without its signs.

A heading is underlined, a table has its columns aligned, a program is set in, and a paragraph is as wide as the terminal.
Nothing is said by colour alone, and nothing of a page is left out but the addresses of links.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest

from duetpy.diagnostics.display import visible, width

_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_STRONG = re.compile(r"\*\*(.+?)\*\*")
_ITALIC = re.compile(r"(?<![\w*`])\*([^*\s`][^*`]*)\*(?![\w*`])")
_ITEM = re.compile(r"(\s*)([-*]|\d+\.) ")
_BAR = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"[ |:-]+")
_HEADING = re.compile(r"#{1,6} ")

MARGIN = "    "


def page_text(markdown: str, columns: int, strong: Callable[[str], str] = str) -> str:
    """A page for a terminal of a width, each line ended; `strong` makes a heading stand out."""
    return "\n".join("".join(f"{line}\n" for line in block) for block in _blocks(markdown, columns, strong))


def _blocks(markdown: str, columns: int, strong: Callable[[str], str]) -> Iterator[list[str]]:
    """Headings, paragraphs, tables and programs, as lines."""
    lines = markdown.split("\n")
    at = 0
    while at < len(lines):
        line = lines[at]
        if not line.strip():
            at += 1
        elif line.startswith("```"):
            end = _until(lines, at + 1, lambda each: each.startswith("```"))
            yield [*(["corrected:", ""] if "fixed" in line.split() else []), *_set_in(lines[at + 1 : end])]
            at = end + 1
        elif line.startswith(MARGIN):
            end = _until(lines, at, lambda each: bool(each.strip()) and not each.startswith(MARGIN))
            yield _set_in([each.removeprefix(MARGIN) for each in lines[at:end]])
            at = end
        elif _HEADING.match(line):
            yield [strong(said) for said in _heading(line)]
            at += 1
        elif line.startswith("|"):
            end = _until(lines, at, lambda each: not each.startswith("|"))
            yield _table(lines[at:end], columns)
            at = end
        else:
            end = _until(lines, at + 1, _begins_another)
            yield _paragraph(lines[at:end], columns)
            at = end


def _until(lines: Sequence[str], at: int, is_end: Callable[[str], bool]) -> int:
    while at < len(lines) and not is_end(lines[at]):
        at += 1
    return at


def _begins_another(line: str) -> bool:
    return not line.strip() or bool(_HEADING.match(line) or _ITEM.match(line)) or line.startswith(("|", "```"))


def _set_in(lines: Sequence[str]) -> list[str]:
    kept = [f"{MARGIN}{visible(line)}".rstrip() for line in lines]
    while kept and not kept[-1]:
        kept.pop()
    return kept


def _heading(line: str) -> list[str]:
    signs, _, words = line.partition(" ")
    text = _inline(words)
    return [text, ("=" if len(signs) == 1 else "-") * width(text)]


def _table(lines: Sequence[str], columns: int) -> list[str]:
    """Cells below each other; in a narrow terminal they go on below themselves, between words."""
    rows = [[_inline(cell.strip()) for cell in _BAR.split(line.strip())[1:-1]] for line in lines]
    rules = [place for place, line in enumerate(lines) if _RULE.fullmatch(line)]
    kept = [row for place, row in enumerate(rows) if place not in rules]
    widths = _widths([*zip_longest(*kept, fillvalue="")], columns)
    shown = [[*_aligned(row, widths)] for row in kept]
    if rules and any(kept[0]):
        shown.insert(1, ["  ".join("-" * each for each in widths)])
    return [line for row in shown for line in row if line.strip()]


def _widths(cells: Sequence[Sequence[str]], columns: int) -> list[int]:
    """How wide each column is: as wide as its cells if there is room, and never less than its longest word."""
    widths = [max(map(width, column)) for column in cells]
    least = [max((width(word) for cell in column for word in cell.split()), default=0) for column in cells]
    room = columns - 2 * (len(widths) - 1)
    while sum(widths) > room and widths != least:
        place = max(range(len(widths)), key=lambda at: (widths[at] > least[at], widths[at]))
        widths[place] -= 1
    return widths


def _aligned(row: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    parts = [_filled(cell.split(" "), widths[at]) for at, cell in enumerate(row)]
    for cells in zip_longest(*parts, fillvalue=""):
        yield "  ".join(cell + " " * (widths[at] - width(cell)) for at, cell in enumerate(cells)).rstrip()


def _filled(words: Sequence[str], columns: int, begin: str = "", hang: str = "") -> list[str]:
    """Words in lines of a width: the first begins with one text, those that continue it with another."""
    shown, line = [], begin
    for word in words:
        if line.strip() and width(line) + 1 + width(word) > columns:
            shown.append(line.rstrip())
            line = hang + word
        else:
            line = f"{line} {word}" if line.strip() else line + word
    return [*shown, line.rstrip()]


def _paragraph(lines: Sequence[str], columns: int) -> list[str]:
    """Words, filled up to the width; what follows the sign of an item is set in below it."""
    found = _ITEM.match(lines[0])
    hang = " " * (len(found[0]) if found else 0)
    text = _inline(" ".join(line.strip() for line in lines))
    return _filled(text.split(" "), columns, found[1] if found else "", hang)


def _inline(text: str) -> str:
    """Words without the signs of Markdown; a name in its backquotes stays as it is."""
    pieces = re.split(r"(`[^`]*`)", _LINK.sub(r"\1", text.replace("\\|", "|")))
    return "".join(
        visible(piece if at % 2 else _ITALIC.sub(r"\1", _STRONG.sub(r"\1", piece))) for at, piece in enumerate(pieces)
    )
