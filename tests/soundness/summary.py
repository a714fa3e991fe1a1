"""The table of docs/soundness.md: each page of rules with its broken rules and its claims.

``python -m tests.soundness.summary`` writes the counts there again; the reasons stay, and one that is missing is to be written.
"""

from __future__ import annotations

from pathlib import Path

from attrs import frozen

from tests.soundness.broken.table import BROKEN
from tests.soundness.mutants import by_page
from tests.soundness.pages import OFF_PAGE, pages
from tests.soundness.tightness import tally

PAGE = Path(__file__).parents[2] / "docs" / "soundness.md"
HEAD = "| page | broken rules | caught | attained | claims | where not, why |"
RULE = "|---|--:|--:|--:|--:|---|"


@frozen
class Line:
    """A line of the table.

    Parameters
    ----------
    page
        The page of rules.
    broken, caught
        How many broken rules there are, and how many of them something catches.
    attained, claims
        How many claims are attained, and how many there are.
    reason
        Why the others are not; empty if all are.
    """

    page: str
    broken: int
    caught: int
    attained: int
    claims: int
    reason: str = ""

    @property
    def wants_a_reason(self) -> bool:
        return self.attained < self.claims or not self.claims

    def shown(self) -> str:
        """As it stands in the table."""
        name = self.page if self.page == OFF_PAGE else f"[{self.page}](rules/{self.page}.md)"
        counts = f"{self.broken} | {self.caught} | {self.attained} | {self.claims}"
        return f"| {name} | {counts} | {self.reason} |" if self.reason else f"| {name} | {counts} | |"


def counted() -> list[Line]:
    """As the code has it; every broken rule is caught, or ``make mutants`` fails."""
    broken = by_page(BROKEN)
    claims, tight = tally()
    return [Line(page, broken[page], broken[page], tight[page], claims[page]) for page in (*pages(), OFF_PAGE)]


def written() -> list[Line]:
    """As the page has it."""
    found = []
    for line in PAGE.read_text("utf-8").splitlines():
        cells = [cell.strip() for cell in line.removeprefix("|").removesuffix("|").split("|")]
        if len(cells) == 6 and cells[1].isdigit():
            page = cells[0].removeprefix("[").partition("]")[0]
            broken, caught, attained, claims = map(int, cells[1:5])
            found.append(Line(page, broken, caught, attained, claims, cells[5]))
    return found


def main() -> None:
    """Write the table again."""
    reasons = {line.page: line.reason for line in written()}
    lines = []
    for line in counted():
        reason = reasons.get(line.page, "") if line.wants_a_reason else ""
        lines.append(Line(line.page, line.broken, line.caught, line.attained, line.claims, reason))
        if line.wants_a_reason and not reason:
            print(f"{line.page}: say why {line.claims - line.attained} claims are not attained")
    before, _, _ = PAGE.read_text("utf-8").partition(HEAD)
    PAGE.write_text(before + "\n".join([HEAD, RULE, *(line.shown() for line in lines)]) + "\n", "utf-8")


if __name__ == "__main__":
    main()
