"""Makes the site of this repository's pages: the hooks of mkdocs.yml.

A page stands in the site where it stands in the repository, without the folder ``docs``; README.md is the front page. A file
that is not a page but to which a page links becomes a page that shows it, or is copied if it is data. Links are rewritten to
follow. The navigation names files of the repository; a folder stands for all its pages.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
ALONE = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "KNOWN_LIMITS.md", "SECURITY.md", "THREAT_MODEL.md")
FOLDERS = ("docs", "examples")
COPIED = {".csv", ".svg", ".png", ".ipynb"}
HIGHLIGHTED = {".py": "python", ".toml": "toml"}

LINK = re.compile(r"(?<=\]\()([^)\s#]*)(#[^)\s]*)?(?=\))")
FENCE = re.compile(r"^```(\w+) (.*)$", re.MULTILINE)
BAR = re.compile(r"(?<=`)[^`\n]*\\\|[^`\n]*(?=`)")
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)


def pages() -> list[str]:
    """The pages, as paths in the repository."""
    found = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.md")]
    return [*ALONE, *sorted(path.relative_to(ROOT).as_posix() for path in found)]


def place(path: str) -> str:
    """Where a file of the repository stands in the site."""
    if path == "README.md":
        return "index.md"
    if path.endswith(".md") or Path(path).suffix in COPIED:
        return path.removeprefix("docs/")
    return f"source/{path}.md"


def target(page: str, link: str) -> str:
    """The file of the repository to which a page links; the page of a folder is its README.md."""
    path = posixpath.normpath(posixpath.join(posixpath.dirname(page), link))
    return f"{path}/README.md" if (ROOT / path).is_dir() else path


def links(text: str) -> Iterator[re.Match[str]]:
    """The links of a page to files, outside of code."""
    blank = CODE.sub(lambda code: re.sub(r"[^\n]", " ", code[0]), text)
    return (found for found in LINK.finditer(blank) if found[1] and "://" not in found[1])


def rewritten(page: str, text: str) -> str:
    """The text of a page with its links as they are in the site."""
    pieces, end = [], 0
    folder = posixpath.dirname(place(page))
    for found in links(text):
        leads = posixpath.relpath(place(target(page, found[1])), folder or ".")
        pieces += [text[end : found.start()], leads + (found[2] or "")]
        end = found.end()
    return "".join([*pieces, text[end:]])


def opened(fence: re.Match[str]) -> str:
    """The head of a block: a program has its name above it; what else stands there is for the tests."""
    name = fence[2].split()[0]
    return f'```{fence[1]} title="{name}"' if fence[1] == "duet" else f"```{fence[1]}"


def shown(path: str) -> str:
    """The page that shows a file."""
    text = (ROOT / path).read_text(encoding="utf-8")
    return f"# {Path(path).name}\n\n````{HIGHLIGHTED.get(Path(path).suffix, 'text')}\n{text.rstrip()}\n````\n"


def on_config(config: Any) -> Any:
    config["nav"] = [_entry(each) for each in config["nav"]]
    return config


def _entry(entry: Any) -> Any:
    """An entry of the navigation: a file of the repository, a folder, or a part with entries."""
    if isinstance(entry, str):
        return place(entry)
    [(title, inside)] = entry.items()
    if isinstance(inside, list):
        return {title: [_entry(each) for each in inside]}
    if (ROOT / inside).is_dir():
        within = sorted(path for path in pages() if posixpath.dirname(path) == inside)
        return {title: [place(path) for path in sorted(within, key=lambda path: not path.endswith("README.md"))]}
    return {title: place(inside)}


def on_files(files: Files, config: Any) -> Files:
    known = pages()
    linked = {
        target(page, found[1]) for page in known for found in links((ROOT / page).read_text(encoding="utf-8"))
    } - set(known)
    for path in [*(page for page in known if not page.startswith("docs/")), *sorted(linked)]:
        if not (ROOT / path).is_file():
            continue  # The link to it is then one that leads nowhere, which stops the build.
        is_shown = Path(path).suffix not in {".md", *COPIED}
        text = shown(path) if is_shown else (ROOT / path).read_text(encoding="utf-8")
        files.append(File.generated(config, place(path), content=text))
    for file in files:
        if file.src_uri.startswith("source/"):
            file.inclusion = file.inclusion.NOT_IN_NAV
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    if page.file.src_uri.startswith("source/"):
        return markdown
    path = next(path for path in pages() if place(path) == page.file.src_uri)
    # A bar in code needs no backslash in the tables of a site; it would be shown.
    return FENCE.sub(opened, BAR.sub(lambda code: code[0].replace(r"\|", "|"), rewritten(path, markdown)))
