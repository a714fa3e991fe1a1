"""Writes docs/python.md, the reference of the Python interface, from its docstrings: ``python tools/python_reference.py``.

A test compares the page with what this writes.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any

import duetpy

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "python.md"

INTRODUCTION = """\
# Python

Everything that `import duetpy` offers. The [README](../README.md#in-python) has a first session, and [data](data.md) says what
a table may be. Names that begin with an underscore in a signature (`_ledger=`, `_delta=`) are options: no parameter of a program
can have such a name. `python tools/python_reference.py` writes this page from the docstrings.
"""

INTERNAL = {
    "Program": {"file", "library", "syntax", "judged", "typed", "state"},
    "Release": {"shape", "display", "errors", "table"},
}
"""What is public for other modules of the package only."""

_SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)
_LITERAL = re.compile(r"``(.+?)``")


def page() -> str:
    """The page."""
    return INTRODUCTION + "".join(part for name in names() for part in _entry(name, getattr(duetpy, name)))


def names() -> list[str]:
    """The public names: what begins a session first, then the rest in order."""
    first = ["load", "parse", "Program", "Checked", "Release", "DuetError", "Diagnostic"]
    return [*first, *(name for name in duetpy.__all__ if name not in (*first, "__version__"))]


def members(owner: type) -> Iterator[tuple[str, Any]]:
    """The public methods and properties of a class and of the package's classes that it is made of, in the order of the text."""
    seen = INTERNAL.get(owner.__name__, set()) | set(re.findall(r"^(\w+)$", inspect.getdoc(owner) or "", re.MULTILINE))
    for base in reversed([each for each in owner.__mro__ if each.__module__.partition(".")[0] == "duetpy"]):
        for name in vars(base):
            found = inspect.getattr_static(owner, name)
            is_shown = inspect.isfunction(found) or isinstance(found, property | cached_property)
            if not name.startswith("_") and name not in seen and is_shown:
                seen.add(name)
                yield name, found


def _entry(name: str, found: Any) -> Iterator[str]:
    if isinstance(found, ModuleType):
        yield f"\n## duetpy.{name}\n\n{_text(found)}"
        for inside in found.__all__:
            called, function = f"duetpy.{name}.{inside}", getattr(found, inside)
            yield f"\n### {called}\n\n{_signature(called, function)}{_text(function)}"
        return
    yield f"\n## duetpy.{name}\n\n"
    if not inspect.isclass(found):
        yield _signature(f"duetpy.{name}", found)
    yield _text(found).replace("**Parameters**", "**Attributes**") if inspect.isclass(found) else _text(found)
    for inside, member in members(found) if inspect.isclass(found) else ():
        is_property = isinstance(member, property | cached_property)
        yield f"\n### {name}.{inside}\n\n"
        yield "" if is_property else _signature(f"{name}.{inside}", member)
        yield _text(member)


def _signature(called: str, function: Any) -> str:
    given = inspect.signature(function)
    shown = [each.replace(annotation=each.empty) for each in given.parameters.values() if each.name != "self"]
    return f"    {called}{inspect.Signature(shown)}\n\n"


def _text(found: Any) -> str:
    """A docstring as Markdown: each section as a list of what is in it."""
    summary, *parts = _SECTION.split(inspect.getdoc(found) or "")
    lines = [_prose(summary)]
    internal = INTERNAL.get(getattr(found, "__name__", ""), set())
    for heading, text in zip(parts[::2], parts[1::2], strict=True):
        lines.append(f"**{heading}**\n")
        lines.extend(_items(text, internal))
        lines.append("")
    return "\n".join(lines).rstrip("\n") + "\n"


def _items(text: str, without: set[str]) -> Iterator[str]:
    """What a section has: names, each with the indented text below it."""
    for name, meaning in re.findall(r"^(\S[^\n]*)\n((?:[ \t]+[^\n]*\n?|\n)*)", text.strip("\n") + "\n", re.MULTILINE):
        if name in without:
            continue
        said = _literal(" ".join(textwrap.dedent(meaning).split()))
        shown = ", ".join(f"`{each}`" for each in name.replace("**", "").split(", "))
        yield f"- {shown}: {said}" if said else f"- {_literal(name)}"


def _prose(text: str) -> str:
    return _literal(text.strip("\n")) + "\n"


def _literal(text: str) -> str:
    return _LITERAL.sub(r"`\1`", text)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
