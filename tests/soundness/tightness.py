"""How near each rule comes to its bound: ``python -m tests.soundness.tightness`` prints the table.

A row is a program, or a cost, with what is claimed of it and the largest part of the claim that a search or two constructed
laws use up. 1 means that the claim is exact; above 1 it would be false. Where a claim has several arguments the least of
their parts counts, each moved alone.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from functools import cache, partial
from multiprocessing import get_context

from attrs import fields, frozen, has

from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import Quantity
from tests.soundness.catalogue import Case, everything
from tests.soundness.evaluated import meant_by
from tests.soundness.falsify import program, searched
from tests.soundness.pages import OFF_PAGE, page_of
from tests.soundness.prices import PRICES, used_up
from tests.soundness.releases import RELEASES, Release
from tests.soundness.replay import private_program, steps
from tests.soundness.witness import used
from tests.soundness.witnesses import WITNESSES

ENOUGH = 0.999
"""A search for more of a claim ends here."""
TIGHT = 0.9
"""What is called attained uses up so much of its claim, or the table says WRONG."""


@frozen
class Row:
    """A claim, and how much of it is used up.

    Parameters
    ----------
    page
        The page of its rule.
    measure
        What is claimed: ``sensitivity``, or the notion of a price.
    text
        The program, or the cost.
    claim
        As printed.
    is_tight
        Whether the claim is said to be attained.
    attained
        The largest part of it that is seen.
    """

    page: str
    measure: str
    text: str
    claim: str
    is_tight: bool
    attained: Callable[[], float]


@cache
def rows() -> tuple[Row, ...]:
    """All claims, by page."""
    found = [
        Row(
            page_of(case.rule) or OFF_PAGE,
            "sensitivity",
            case.text,
            ", ".join(case.claims),
            bool(case.attained),
            partial(of_case, case),
        )
        for case in everything()
        if any(claim not in ("0", "∞") for claim in case.claims)
    ]
    found += [
        Row(
            page_of(release.rule) or OFF_PAGE,
            "eps",
            release.text,
            ", ".join(release.claims),
            release.attained,
            partial(of_release, release),
        )
        for release in RELEASES
        if any(claim not in ("0", "∞") for claim in release.claims)
    ]
    found += [
        Row(
            page_of(witness.rule) or OFF_PAGE,
            witness.notion.value,
            witness.text,
            ", ".join(witness.claims),
            witness.tight,
            partial(used, witness),
        )
        for witness in WITNESSES
        if witness.claims[0] not in ("0", "∞") or len(witness.claims) > 1
    ]
    found += [
        Row(
            page_of(priced.rule) or OFF_PAGE,
            priced.notion.value,
            described(priced.cost),
            "",
            priced.tight,
            partial(used_up, priced),
        )
        for priced in PRICES
    ]
    return tuple(sorted(found, key=lambda row: row.page))


def of_case(case: Case) -> float:
    """The part of its claims that a search uses up."""
    claim = program(case.text)
    wanted = case.attained or [i for i, s in enumerate(case.claims) if s not in ("0", "∞")]
    found = searched(claim, meant_by(claim), 45, enough=ENOUGH, wanted=wanted)
    return min(found.alone[position] for position in wanted)


def of_release(release: Release) -> float:
    """The part of its claims that frozen outputs use up."""
    claim = private_program(release.text)
    finite = [
        tuple(claim.function.parameters[i].name for i in members)
        for (members, _), shown in zip(claim.units, release.claims, strict=True)
        if shown not in ("0", "∞")
    ]
    spent = dict.fromkeys(finite, 0.0)
    for number, step in enumerate(steps(claim, 1000)):
        if step.unit in spent:
            spent[step.unit] = max(spent[step.unit], step.spent)
        if number > 60 and min(spent.values()) >= ENOUGH:
            break
    return min(spent.values())


def described(cost: object) -> str:
    """A cost in few words."""
    match cost:
        case Quantity():
            return cost.show()
        case Notion():
            return cost.value
        case tuple():
            return ", ".join(described(part) for part in cost)
        case _ if has(type(cost)):
            parts = [getattr(cost, part.name) for part in fields(type(cost))]
            return f"{type(cost).__name__}({', '.join(described(part) for part in parts if part is not None)})"
        case _:
            return str(cost)


def main() -> int:
    """Print the table; the exit code says whether a claim is refuted or a tight one is not attained."""
    wrong = 0
    with get_context("fork").Pool() as pool:
        shares = pool.imap(share_of, range(len(rows())))
        for row, share in zip(rows(), shares, strict=True):
            wrong += told(row, share)
    claims, tight = tally()
    print()
    for page, count in sorted(claims.items()):
        print(f"{page:26} {tight[page]:3} of {count:3} attained")
    print(f"{len(rows())} claims, {sum(tight.values())} of them tight, {wrong} wrong")
    return 1 if wrong else 0


def share_of(number: int) -> float:
    return rows()[number].attained()


def told(row: Row, share: float) -> bool:
    """Whether a row is wrong, which is printed with what was found of it."""
    fails = share > 1 + 1e-6 or (row.is_tight and share < TIGHT)
    word = "WRONG" if fails else "tight" if row.is_tight else "bound"
    print(f"{row.page:22} {row.measure:11} {word:5} {share:6.3f}  {row.claim:24} {row.text}", flush=True)
    return fails


def tally() -> tuple[Counter[str], Counter[str]]:
    """How many claims there are of the rules of each page, and how many of them are said to be attained."""
    return Counter(row.page for row in rows()), Counter(row.page for row in rows() if row.is_tight)


if __name__ == "__main__":
    sys.exit(main())
