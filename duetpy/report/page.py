"""One self-contained page of HTML: it loads nothing, runs nothing, reads well on a telephone and on paper."""

from __future__ import annotations

from collections.abc import Iterable

from duetpy.diagnostics.markup import escaped

_STYLE = """\
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; border-bottom: 1px solid; }
table { border-collapse: collapse; display: block; overflow-x: auto; margin: 0.75rem 0; }
caption { text-align: left; font-weight: 600; padding-bottom: 0.25rem; }
th, td { border: 1px solid; padding: 0.25rem 0.6rem; text-align: left; vertical-align: top; }
pre { overflow-x: auto; border: 1px solid; padding: 0.6rem; font-size: 0.85rem; }
h1, caption, pre, p { overflow-wrap: anywhere; }
strong.alarm { display: block; border: 3px double; padding: 0.6rem; }
@media (max-width: 30rem) { body { padding: 0.6rem; } table { font-size: 0.8rem; } th, td { padding: 0.2rem 0.35rem; } }
@media print {
  body { max-width: none; padding: 0; font-size: 10pt; } table { display: table; } td { overflow-wrap: anywhere; }
  pre { white-space: pre-wrap; }
  h2 { break-after: avoid; } tr, pre { break-inside: avoid; }
}
"""


def page(title: str, parts: Iterable[str]) -> str:
    """A whole page; the parts are HTML."""
    name = escaped(title)
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>{name}</title><style>\n{_STYLE}</style>"
    )
    body = "\n".join(part for part in parts if part)
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>{head}</head>\n<body>\n<h1>{name}</h1>\n{body}\n</body>\n</html>\n'
    )


def section(title: str, *parts: str) -> str:
    """A part of a page under a heading; nothing if there is nothing in it."""
    body = "\n".join(part for part in parts if part)
    return f"<h2>{escaped(title)}</h2>\n{body}" if body else ""


def alarm(text: str) -> str:
    """What nobody may miss; it stands in a frame and says so in words."""
    return f'<strong class="alarm">{escaped(text)}</strong>'
