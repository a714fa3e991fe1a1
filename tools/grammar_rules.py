"""Puts the rules of the grammar file where docs/language.md quotes them: ``python tools/grammar_rules.py``.

A block that begins with ```` ```lark NAME NAME … ```` holds the rules of these names, as they stand in the file.
"""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
GRAMMAR = ROOT / "duetpy" / "grammar" / "duet.lark"
PAGE = ROOT / "docs" / "language.md"

_BLOCK = re.compile(r"^```lark ([^\n]+)\n.*?^```$", re.MULTILINE | re.DOTALL)


def rules(grammar: str) -> dict[str, str]:
    """Each rule of a grammar by its name, with the lines that it goes on in."""
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in grammar.splitlines():
        head = re.match(r"\??(\w+):", line)
        if head is not None:
            lines = found.setdefault(head[1], [])
        if head is None and not line.startswith((" ", "\t")):
            lines = []
        lines.append(line)
    return {name: "\n".join(text) for name, text in found.items()}


def quoted(page: str, grammar: str) -> str:
    """A page with the rules of a grammar in its blocks."""
    known = rules(grammar)

    def block(found: re.Match[str]) -> str:
        text = "\n".join(known[name] for name in found[1].split())
        return f"```lark {found[1]}\n{text}\n```"

    return _BLOCK.sub(block, page)


if __name__ == "__main__":
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(quoted(page, GRAMMAR.read_text(encoding="utf-8")), encoding="utf-8")
