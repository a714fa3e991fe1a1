"""HTML of what duetpy prints, for notebooks and pages. It loads nothing, runs nothing, and says nothing by colour alone.

Every text is escaped, and what a terminal or a browser might obey is shown by its number, as everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from duetpy.diagnostics.display import visible


def escaped(text: str) -> str:
    """A text on one line, as HTML, in quotation marks too."""
    from html import escape

    return escape(visible(text))


def block(text: str) -> str:
    """Lines as they are, in letters of one width."""
    return f"<pre>{_lines(text)}</pre>"


def paragraph(text: str) -> str:
    """A sentence, or several lines of them."""
    return f"<p>{_lines(text).replace(chr(10), '<br>')}</p>" if text.strip() else ""


def table(header: Sequence[str], rows: Iterable[Sequence[str]], caption: str = "") -> str:
    """A table with a header."""
    title = f"<caption>{escaped(caption)}</caption>" if caption else ""
    head = "".join(f'<th scope="col">{escaped(cell)}</th>' for cell in header)
    body = "".join(f"<tr>{''.join(f'<td>{escaped(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def shortened(text: str, longest: int = 60) -> str:
    """A text on one line, cut where it is too long."""
    seen = visible(text[: longest + 1])
    return seen if len(text) <= longest and len(seen) <= 2 * longest else f"{seen[: longest - 1]}…"


def _lines(text: str) -> str:
    return "\n".join(escaped(line) for line in text.strip("\n").split("\n"))
