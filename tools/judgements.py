"""Writes docs/judgements.md, all rules and the whole grammar on one page: ``python tools/judgements.py``.

The rules are those parts of the pages in docs/rules that state them, the grammar is the file. A test compares the page with what
this writes.
"""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "judgements.md"
RULES = ROOT / "docs" / "rules"
GRAMMAR = ROOT / "duetpy" / "grammar" / "duet.lark"

INTRODUCTION = """\
# All judgements

Every rule of the checker as its page states it, and the grammar of the language. Each heading leads to the page with the
distances, the proof and where the bound is attained; [the language](language.md) explains the forms and the notation.
`python tools/judgements.py` writes this page from those pages and from `duetpy/grammar/duet.lark`.
"""

_RULE = re.compile(
    r"^## Rules?\n+(?P<section>.*?)(?=^## )|^\*\*Rules?\.\*\* ?(?P<paragraph>.*?)(?=^\*\*\w[^*\n]*\.\*\*|^## )",
    re.MULTILINE | re.DOTALL,
)
_LINK = re.compile(r"\]\((?!https?:|#)([^)]+)\)")


def stated(text: str) -> str:
    """The part of a page of a rule that states it; its links as they lead from docs/."""
    found = _RULE.search(text)
    assert found is not None, "a page of a rule states it"
    rule = (found["section"] or found["paragraph"]).strip("\n")
    # Of headings inside the part, one level less.
    return re.sub(r"^(#+ )", r"#\1", _LINK.sub(r"](rules/\1)", rule).replace("](rules/../", "]("), flags=re.MULTILINE)


def page() -> str:
    parts = [INTRODUCTION]
    for path in sorted(RULES.glob("*.md")):
        if path.name != "README.md":
            text = path.read_text(encoding="utf-8")
            title = text.partition("\n")[0].removeprefix("# ")
            parts.append(f"## [{title}](rules/{path.name})\n\n{stated(text)}\n")
    grammar = GRAMMAR.read_text(encoding="utf-8").strip()
    parts.append(
        "## The grammar\n\nIn the notation of [Lark](https://lark-parser.readthedocs.io/en/stable/grammar.html): "
        "`?`, `*`, `+` and `|` as in\nEBNF, `[x]` for an optional x, `->` for the name of a node.\n\n"
        f"```lark\n{grammar}\n```\n"
    )
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
