"""The table of broken rules: what the falsifier must be able to see."""

from __future__ import annotations

from tests.soundness.broken.accounting import ACCOUNTING
from tests.soundness.broken.binding import BINDING
from tests.soundness.broken.choices import CHOICES
from tests.soundness.broken.costs import COSTS
from tests.soundness.broken.days import DAYS
from tests.soundness.broken.divergences import DIVERGENCES
from tests.soundness.broken.folds import FOLDS
from tests.soundness.broken.frames import FRAMES
from tests.soundness.broken.gradients import GRADIENTS
from tests.soundness.broken.key_sets import KEY_SETS
from tests.soundness.broken.maps import MAPS
from tests.soundness.broken.missing import MISSING
from tests.soundness.broken.mixtures import MIXTURES
from tests.soundness.broken.obligations import OBLIGATIONS
from tests.soundness.broken.persons import PERSONS
from tests.soundness.broken.premises import PREMISES
from tests.soundness.broken.privacy import PRIVACY
from tests.soundness.broken.products import COUNTS, PRODUCTS, TRUSTED
from tests.soundness.broken.quantities import QUANTITIES
from tests.soundness.broken.ranges import RANGES
from tests.soundness.broken.rounding import ROUNDING
from tests.soundness.broken.signatures import SIGNATURES
from tests.soundness.broken.steps import STEPS
from tests.soundness.broken.subtyping import SUBTYPING
from tests.soundness.broken.tables import TABLES

BROKEN = (
    *BINDING,
    *RANGES,
    *MAPS,
    *TABLES,
    *FRAMES,
    *MISSING,
    *PERSONS,
    *DAYS,
    *FOLDS,
    *GRADIENTS,
    *STEPS,
    *SIGNATURES,
    *COUNTS,
    *PRODUCTS,
    *TRUSTED,
    *SUBTYPING,
    *QUANTITIES,
    *COSTS,
    *PRIVACY,
    *OBLIGATIONS,
    *ROUNDING,
    *ACCOUNTING,
    *DIVERGENCES,
    *PREMISES,
    *CHOICES,
    *MIXTURES,
    *KEY_SETS,
)
