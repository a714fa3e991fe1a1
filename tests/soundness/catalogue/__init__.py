"""Programs for every rule of the sensitivity judgement, with the sensitivities that are claimed for them.

One table drives the unit tests of the inferred sensitivities (tests/typecheck), the falsifier, the tightness tests and the
mutants: a rule that is wrong has a program here that shows it.
"""

from __future__ import annotations

from collections.abc import Iterator

from tests.soundness.catalogue.arithmetic import ARITHMETIC
from tests.soundness.catalogue.binding import BINDING
from tests.soundness.catalogue.case import Case
from tests.soundness.catalogue.days import DAYS
from tests.soundness.catalogue.entries import ENTRIES
from tests.soundness.catalogue.folds import FOLDS
from tests.soundness.catalogue.frames import FRAMES
from tests.soundness.catalogue.gradients import GRADIENTS
from tests.soundness.catalogue.maps import MAPS
from tests.soundness.catalogue.missing import MISSING
from tests.soundness.catalogue.norms import NORMS
from tests.soundness.catalogue.persons import FLAT, PERSONS, REFUSED_OF_PERSONS
from tests.soundness.catalogue.products import PRODUCTS
from tests.soundness.catalogue.ranges import RANGES
from tests.soundness.catalogue.refused import REFUSED as REFUSED_OF_TABLES
from tests.soundness.catalogue.steps import STEPS

__all__ = ["REFUSED", "Case", "everything"]

REFUSED = (*REFUSED_OF_TABLES, *REFUSED_OF_PERSONS)
"""Programs that are refused."""


def everything() -> Iterator[Case]:
    for group in (
        BINDING,
        ARITHMETIC,
        MAPS,
        FOLDS,
        ENTRIES,
        PRODUCTS,
        NORMS,
        GRADIENTS,
        STEPS,
        FRAMES,
        MISSING,
        RANGES,
        PERSONS,
        FLAT,
        DAYS,
    ):
        yield from group
