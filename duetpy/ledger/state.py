"""What a ledger says at one moment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import field, frozen

from duetpy.accounting.budget import Budget, Charge, total
from duetpy.diagnostics.display import visible
from duetpy.ledger.chain import Completion, Entry, Reservation, first_hash, seal
from duetpy.ledger.places import Contradiction, Grouped, contradiction


@frozen
class State:
    """What a ledger says at one moment.

    Parameters
    ----------
    terms, budget
        What it was begun with.
    entries
        Every entry, verified.
    key
        The key under which data is digested: without it a digest confirms no guess.
    is_sealed
        Whether a seal holds all of it: not before the first charge of a ledger that an earlier version began.
    """

    terms: Mapping[str, Any]
    budget: Budget
    entries: tuple[Entry, ...]
    key: bytes = field(repr=False)
    is_sealed: bool = True

    def __repr__(self) -> str:
        count = len(self.entries)
        return f"<State of {visible(self.dataset)}: {count} {'entry' if count == 1 else 'entries'}>"

    @property
    def dataset(self) -> str:
        return str(self.terms["dataset"])

    @property
    def charges(self) -> list[Charge]:
        return [entry.said.charge for entry in self.entries if isinstance(entry.said, Reservation)]

    @property
    def neighbours(self) -> str | None:
        """The relation that all charges are prices for; None before the first that spends something."""
        said = (entry.said for entry in self.entries)
        return next((s.neighbours for s in said if isinstance(s, Reservation) and is_spending(s.charge)), None)

    @property
    def rows_shown(self) -> str | None:
        """The relation of a run that spent nothing because numbers of rows are public; None where there is no such run."""
        said = (entry.said for entry in self.entries)
        return next((s.neighbours for s in said if isinstance(s, Reservation) and s.shows_rows), None)

    def contradiction(self, asked: Grouped) -> Contradiction | None:
        """Two places of which runs say in two ways who is who, where what is `asked` for is charged too; None where all agree."""
        said = (entry.said for entry in self.entries)
        return contradiction([asked, *(each.files for each in said if isinstance(each, Reservation))])

    def is_kept(self, number: int) -> bool:
        """Whether the output of a charged run is found again where the same is run: the data and the program have digests."""
        outputs = [entry.said for entry in self.entries if isinstance(entry.said, Completion)]
        charges = [entry.said for entry in self.entries if entry.number == number]
        is_known = any(isinstance(said, Reservation) and said.identity for said in charges)
        return is_known and any(said.entry == number and said.data is not None for said in outputs)

    @property
    def head(self) -> str:
        """The hash of the last entry."""
        return self.entries[-1].hash if self.entries else first_hash(self.terms)

    @property
    def seal(self) -> str:
        """What holds the terms, the key, the number of entries and the last of them."""
        return seal(self.key, self.terms, len(self.entries), self.head)

    @property
    def spent(self) -> Charge:
        """All charges together, exactly; of μ the square root of the sum of squares is left to whoever shows it."""
        return total(self.budget.notion, self.charges)


def is_spending(charge: Charge) -> bool:
    return bool(charge.amount or charge.delta)
