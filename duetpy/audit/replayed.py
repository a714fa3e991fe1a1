"""What the replay of a program on pairs of neighbours found, and what it says of it."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from attrs import define, field, frozen

from duetpy.accounting.figures import at_most, bound
from duetpy.audit.cases import Case
from duetpy.audit.findings import Layer
from duetpy.audit.inputs import Inputs
from duetpy.audit.recording import Call, Draw
from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.runtime.release.mechanisms import Randomness
from duetpy.typecheck import core
from duetpy.typecheck.annotations import ReleaseSite
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import KindVar
from duetpy.typecheck.units import PrivacyUnit

VIOLATION = "D0801"
DANGER = "do not run this program on anyone's data"


@frozen(eq=False)
class Ended:
    """How a run ended: with a result, refused, or in a fault; what it reports of the data and of its sizes; and what it said
    on the way, which should be nothing."""

    result: Any
    refused: tuple[Diagnostic, ...] = ()
    fault: str = ""
    wrong_kind: bool = False
    facts: str = ""
    said: str = ""
    draws: tuple[Draw, ...] = ()

    @property
    def told(self) -> str:
        refused = "; ".join(": ".join((each.code, each.message, *each.notes)) for each in self.refused)
        return refused or self.fault or "a result"


@frozen(eq=False)
class Pair:
    """Two neighbours, by which the worst pair is identified."""

    case: Case
    unit: PrivacyUnit
    left: Inputs
    right: Inputs

    @property
    def moves_several(self) -> bool:
        """Whether inputs moved that are charged apart, as tables of the same persons are: a mechanism may see all their moves."""
        moved = {each.unit for each in self.unit.parameters if self.left[each.name] != self.right[each.name]}
        return len(moved) > 1


@define(eq=False)
class Replayed:
    """What came of all pairs."""

    pairs: int = 0
    refused: int = 0
    stopped: int = 0
    settings: int = 0
    violations: dict[str, Diagnostic] = field(factory=dict)
    furthest: dict[str, float] = field(factory=dict)
    share: float = 0.0
    quiet: Randomness = field(factory=lambda: Randomness(None))
    """What calibrations were, each made once; nothing is drawn of it."""
    priced: set[str] = field(factory=set)
    claims: dict[tuple[int, tuple[str, ...], Notion], dict[str, float | None] | None] = field(factory=dict)
    sites: dict[ReleaseSite, Call] = field(factory=dict)
    others: dict[tuple[ReleaseSite, frozenset[tuple[KindVar, Fraction]]], Call] = field(factory=dict)
    """Every place under every set of numbers."""
    draws: dict[core.Sample, Draw] = field(factory=dict)
    worst: Pair | None = None
    worst_score: tuple[float, float] = (-1.0, 0.0)

    def claim(self, pair: Pair, notion: Notion) -> dict[str, float | None] | None:
        """The price of a pair's unit in a notion; None where it has none."""
        key = (id(pair.case), pair.unit.names, notion)
        if key not in self.claims:
            self.claims[key] = pair.case.claim(pair.unit, notion)
        return self.claims[key]

    def violate(self, key: str, message: str, site: ReleaseSite | None, notes: tuple[str, ...]) -> None:
        if key not in self.violations:
            self.violations[key] = Diagnostic(
                VIOLATION,
                message,
                None if site is None else site.span,
                notes=notes,
                help=DANGER,
            )


# ---------------------------------------------------------------------------------------------------------------------
# The report


def described(pair: Pair) -> tuple[str, ...]:
    """The pair, which is made up, in a form that can be tried again."""
    numbers = ", ".join(f"{variable.name}={number}" for variable, number in pair.case.kinds.numbers.items())
    changed = [name for name in pair.unit.names if repr(pair.left[name]) != repr(pair.right[name])]
    told = [f"{name}: {cut(pair.left[name])} and {cut(pair.right[name])}" for name in changed]
    return (*((f"with {numbers}",) if numbers else ()), *told)


def cut(value: object) -> str:
    text = str(float(value)) if isinstance(value, Fraction) else repr(value)
    return text if len(text) <= 160 else f"{text[:160]}…"


def layer(found: Replayed) -> Layer:
    calls = ", ".join(f"{place} up to {bound(moved)} times its sensitivity" for place, moved in found.furthest.items())
    price = f"; the privacy loss is at most {bound(100 * found.share)} % of the cost" if found.share else ""
    return Layer(
        "replay",
        f"{found.pairs} pairs of neighbours in {found.settings} settings: {calls or 'no mechanism that can be observed'}{price}",
        could_see(found),
        {
            "pairs": found.pairs,
            "settings": found.settings,
            "refused": found.refused,
            "furthest": {place: finite(moved) for place, moved in found.furthest.items()},
            "share": finite(found.share),
        },
        tuple(found.violations.values()),
    )


def could_see(found: Replayed) -> str:
    """What would have been found on these pairs, and no more: of a mechanism whose input came near its sensitivity only by
    half, nothing but a sensitivity below that half."""
    seen = ["any other call, result, message or outcome"]
    seen += [
        f"a sensitivity of {place} below {at_most(100 * min(1.0, moved))} % of the proved one"
        for place, moved in found.furthest.items()
        if moved
    ]
    if found.share:
        seen.append(f"a cost below {at_most(100 * min(1.0, found.share))} % of the proved one")
    return f"on these pairs: {', '.join(seen)}"


def finite(number: float) -> float | None:
    return number if math.isfinite(number) else None
