"""The pages that explain diagnostics and rules: finding them, and the examples inside them.

A page is Markdown. Its first line is ``# CODE: title``. A fenced block ``duet`` is a program that triggers the code and
``duet fixed`` one that does not. A name after the language (``csv people.csv``) or a first line ``-- file: x.eps.duet``
says what the file is called, since the name chooses the notion. A ``console`` block holds the command to give, where
checking the program is not enough.
"""

from __future__ import annotations

import re
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from attrs import frozen

from duetpy.by_value import ByValue

_CODE = re.compile(r"D\d{4}")
_HINT = re.compile(r"--\s*file:\s*(\S+)\s*\n")


@frozen(eq=False, repr=False)
class Example(ByValue):
    """A fenced block of a page."""

    language: str
    name: str
    text: str
    is_fixed: bool = False


def codes() -> tuple[str, ...]:
    """Every code that has a page, in order."""
    names = (entry.name for entry in _pages().iterdir())
    return tuple(sorted(name[:-3] for name in names if name.endswith(".md") and _CODE.fullmatch(name[:-3])))


def page(code: str) -> str | None:
    """The page of a code, or None if it has no page."""
    if not _CODE.fullmatch(code):
        return None
    entry = _pages() / f"{code}.md"
    return entry.read_text(encoding="utf-8") if entry.is_file() else None


def title(code: str) -> str | None:
    """The words after the code on the first line of its page."""
    text = page(code)
    if text is None:
        return None
    first = text.partition("\n")[0]
    return first.removeprefix("#").strip().removeprefix(f"{code}:").strip()


def rules() -> dict[str, Traversable | Path]:
    """The proof pages by the names on their first line."""
    found: dict[str, Traversable | Path] = {}
    for entry in _documents("rules"):
        if entry.name.endswith(".md") and entry.name != "README.md":
            heading = entry.read_text(encoding="utf-8").partition("\n")[0].removeprefix("#")
            found.update({name.strip(): entry for name in heading.split(",")})
    return found


def rule_page(name: str) -> str | None:
    """The proof page of a rule, or None if it has no page."""
    entry = rules().get(name)
    return None if entry is None else entry.read_text(encoding="utf-8")


def notion_page(name: str) -> str | None:
    """The page of a notion by its name, such as ``zcdp``, or of ``tight``; None if there is no such page."""
    entry = next((entry for entry in _documents("notions") if entry.name == f"{name}.md" and name != "README"), None)
    return None if entry is None else entry.read_text(encoding="utf-8")


def terms() -> dict[str, str]:
    """The explanation of each term, a section of the page of terms, by each of its names in small letters."""
    sections = (_pages() / "terms.md").read_text(encoding="utf-8").split("\n## ")[1:]
    found: dict[str, str] = {}
    for section in sections:
        heading, _, text = section.partition("\n")
        names = [name.strip() for name in heading.split(",")]
        found.update({name.lower(): f"# {names[0]}\n\n{text.strip()}\n" for name in names})
    return found


def _documents(folder: str) -> list[Traversable | Path]:
    """The pages of a folder of the documents: of the installed package, or of the checkout it is run from."""
    installed: Traversable = resources.files("duetpy") / folder
    places: tuple[Traversable | Path, ...] = (installed, Path(__file__).parents[2] / "docs" / folder)
    place = next((place for place in places if place.is_dir()), None)
    return [] if place is None else list(place.iterdir())


def examples(text: str) -> tuple[Example, ...]:
    """The fenced blocks of a page, in order."""
    found: list[Example] = []
    opened: list[str] | None = None
    kept: list[str] = []
    for line in text.splitlines():
        if opened is None and line.startswith("```"):
            opened, kept = line[3:].split(), []
        elif opened is not None and line == "```":
            found.append(_example(opened, "".join(f"{line}\n" for line in kept)))
            opened = None
        elif opened is not None:
            kept.append(line)
    return tuple(found)


def _example(words: list[str], text: str) -> Example:
    language, names = (words[0] if words else ""), [word for word in words[1:] if word != "fixed"]
    hint = _HINT.match(text)
    name = names[0] if names else hint[1] if hint else "example.duet"
    return Example(language, name, text, is_fixed="fixed" in words[1:])


def _pages() -> Traversable:
    return resources.files("duetpy.diagnostics") / "explain"
