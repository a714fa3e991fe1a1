"""The names of other libraries on docs/from-libraries.md are names that these libraries have."""

import importlib
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[1] / "docs" / "from-libraries.md"
LIBRARIES = {"OpenDP": "opendp", "Tumult Analytics": "tmlt.analytics", "diffprivlib": "diffprivlib"}
TOP = {"opendp": "opendp.prelude"}
"""Where a library has its short names."""


def named(part: str) -> list[str]:
    """The names in the first column of the table of a library."""
    text = PAGE.read_text(encoding="utf-8").split(f"\n## {part}\n")[1].split("\n## ")[0]
    cells = re.findall(r"^\| (`.*?) \|", text, re.MULTILINE)
    return [name for cell in cells for name in re.findall(r"`([\w.]+)", cell)]


@pytest.mark.parametrize("part", LIBRARIES)
def test_every_row_has_a_name(part: str) -> None:
    assert len(named(part)) >= 12


@pytest.mark.parametrize("part", LIBRARIES)
def test_a_library_has_the_names_that_the_page_gives_it(part: str) -> None:
    library = LIBRARIES[part]
    pytest.importorskip(library.partition(".")[0], reason=f"{library} is not installed")
    for name in named(part):
        first, _, rest = name.partition(".")
        if rest:
            found = importlib.import_module(f"{library}.{first}")
        else:
            found, rest = importlib.import_module(TOP[library]), first
        for word in rest.split("."):
            assert hasattr(found, word), name
            found = getattr(found, word)
