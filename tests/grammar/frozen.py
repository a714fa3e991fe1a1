"""The trees of the programs of this repository with the span of every node, each as one short hash.

They were taken from the parser that came before the grammar file. A program that has changed since is not among them.
"""

from __future__ import annotations

import json
import re
from hashlib import sha256
from pathlib import Path

from attrs import fields

from duetpy.grammar import ast

ROOT = Path(__file__).parents[2]
GOLDEN = Path(__file__).with_name("frozen.json")

_BLOCK = re.compile(r"^```duet[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)


def programs() -> list[str]:
    """The texts of all programs in files and on pages."""
    folders = [ROOT / name for name in ("examples", "tests", "docs", "duetpy", "benchmarks")]
    files = [path for folder in folders for path in sorted(folder.rglob("*.duet")) if path.name != "prelude.duet"]
    pages = [ROOT / "README.md", *(page for folder in folders for page in sorted(folder.rglob("*.md")))]
    texts = [path.read_text(encoding="utf-8") for path in files]
    return texts + [block for page in pages for block in _BLOCK.findall(page.read_text(encoding="utf-8"))]


def short(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:16]


def dumped(root: ast.Node) -> str:
    """A tree as text: the class and span of each node, and its leaves."""
    lines: list[str] = []
    pending: list[tuple[object, int]] = [(root, 0)]
    while pending:
        part, depth = pending.pop()
        if isinstance(part, ast.Node):
            lines.append(f"{depth} {type(part).__name__} {part.span.start}-{part.span.end}")
            names = [field.name for field in fields(type(part)) if field.name != "span"]
            # The trees of then had no defaults of columns, `parallel` no number of parts, and `ς` no 𝐝.
            names = [name for name in names if name not in ("default", "most") or getattr(part, name) is not None]
            names = [name for name in names if name != "is_discrete" or getattr(part, name)]
            pending += [(getattr(part, name), depth + 1) for name in reversed(names)]
        elif isinstance(part, tuple):
            lines.append(f"{depth} ({len(part)}")
            pending += [(item, depth + 1) for item in reversed(part)]
        else:
            lines.append(f"{depth} {part} {type(part).__name__}")
    return "\n".join(lines)


def golden() -> dict[str, str]:
    """The hash of a program ↦ that of its tree."""
    found: dict[str, str] = json.loads(GOLDEN.read_text(encoding="utf-8"))
    return found
