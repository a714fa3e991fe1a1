"""The table of docs/soundness.md: each page of rules with its broken rules and its claims."""

from __future__ import annotations

from pathlib import Path

from tests.soundness.broken.table import BROKEN
from tests.soundness.mutants import by_page
from tests.soundness.pages import OFF_PAGE, pages
from tests.soundness.tightness import tally

PAGE = Path(__file__).parents[2] / "docs" / "soundness.md"


def counted() -> list[tuple[str, int, int, int]]:
    """(page, mutants, claims that are attained, claims) as the code has them."""
    mutants = by_page(BROKEN)
    claims, tight = tally()
    return [(page, mutants[page], tight[page], claims[page]) for page in (*pages(), OFF_PAGE)]


def written() -> list[tuple[str, int, int, int, int, str]]:
    """(page, mutants, caught, claims that are attained, claims, why the others are not) as the page has them."""
    found = []
    for line in PAGE.read_text("utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 6 and cells[1].isdigit():
            page = cells[0].removeprefix("[").partition("]")[0]
            mutants, caught, attained, claims = map(int, cells[1:5])
            found.append((page, mutants, caught, attained, claims, cells[5]))
    return found
