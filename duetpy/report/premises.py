"""What the numbers of a program rest on in addition to its proof; it is shown with each of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from attrs import frozen

from duetpy.by_value import ByValue
from duetpy.diagnostics.display import visible
from duetpy.typecheck.neighbours import ADD_REMOVE, PERSONS, STEP
from duetpy.typecheck.unverified import in_one_line


@frozen(eq=False, repr=False)
class Premises(ByValue):
    """What holds only together with the numbers.

    Parameters
    ----------
    requires
        The side conditions and promises that the public numbers given do not settle.
    trusted
        What nobody verified: foreign code, and costs that a program states itself.
    counted
        How many rows of a person count, if not all of them do.
    together
        What holds of a person whom several units of the program concern.
    """

    requires: tuple[str, ...] = ()
    trusted: tuple[str, ...] = ()
    counted: tuple[str, ...] = ()
    together: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[str]:
        """All of it in sentences."""
        yield from (*self.counted, *self.together, *(f"requires {each}" for each in self.requires), *self.trusted)

    @property
    def line(self) -> str:
        """What the numbers of a line rest on, to be written after them."""
        told = [*(f"requires {each}" for each in self.requires), *self.trusted]
        return "".join(f"; {each}" for each in in_one_line(told))


def premises_value(found: Premises) -> dict[str, list[str]]:
    """The same as a value that ``json`` can write; what only some programs have stands in these only."""
    some = {"trusted": found.trusted, "counted": found.counted, "together": found.together}
    return {"requires": list(found.requires), **{name: list(each) for name, each in some.items() if each}}


def in_several(units: Mapping[str, str], pairs: Iterable[str] = (), sizes: Sequence[str] = ()) -> Iterator[str]:
    """What holds of a person with rows in several tables that are not declared to be aligned, in every notion.

    Parameters
    ----------
    units
        How neighbours differ, by the privacy units that are protected.
    pairs
        Those of which one person may be in several parts (`duetpy.typecheck.neighbours.is_in_parts`).
    sizes
        The parameters that cost nothing and show a number of rows: a row of them can only be replaced.
    """
    for name in pairs:
        yield f"a person in several parts of {name} is protected less than its cost says"
    told = {unit.replace("+", ", "): near for unit, near in units.items()}
    # Nothing is said of a row where every cost is for a step, of which one row may be many.
    if len(told) > 1 and any(near != STEP for near in told.values()):
        *names, last = told
        both = "both " if len(names) == 1 else "all of "
        yield f"a person with rows in {both}{', '.join(names)} and {last} is protected less than each of these costs says"
    for name, near in told.items() if sizes else ():
        if near in (ADD_REMOVE, PERSONS):
            shown = " or ".join(map(visible, sizes))
            yield f"a person with rows in {name} who has one in {shown} too is protected less than the cost of {name} says"
