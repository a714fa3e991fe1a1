"""The notions of privacy: what there is to say of each, in one place.

Of a notion everything that is a word, a letter or a yes or no stands here; its arithmetic is one `Interpretation` of the
accountant (`duetpy.accounting.notions`). A new notion is a member, its `NotionInfo`, and a file with its interpretation.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType
from typing import Literal

from attrs import frozen

from duetpy.by_value import ByValue


class Notion(Enum):
    """The notions of privacy, under the names that programs and file names use."""

    PURE = "eps"
    APPROX = "approx"
    RENYI = "renyi"
    ZCDP = "zcdp"
    TCDP = "tcdp"
    GDP = "gdp"
    RAO = "rao"

    @property
    def info(self) -> NotionInfo:
        """What there is to say of the notion."""
        return _NOTIONS[self]

    @property
    def letters(self) -> tuple[str, ...]:
        """The letters of the parts of a cost, in order."""
        return tuple(part.letter for part in self.info.parts)

    @property
    def keys(self) -> tuple[str, ...]:
        """The names of the parts of a cost in reports, in order."""
        return tuple(part.key for part in self.info.parts)

    @property
    def measure(self) -> str:
        """The name of the part that says how much is spent: ε of (α, ε)."""
        return next(part.key for part in self.info.parts if not part.is_order)


@frozen(eq=False, repr=False)
class Part(ByValue):
    """One number of a cost.

    Parameters
    ----------
    letter, key
        Its letter, and its name in reports.
    is_order
        It says up to which order the other part holds, so that a smaller one claims less.
    """

    letter: str
    key: str
    is_order: bool = False


EPSILON = Part("ε", "epsilon")
DELTA = Part("δ", "delta")
ALPHA = Part("α", "alpha", is_order=True)
RHO = Part("ρ", "rho")
OMEGA = Part("ω", "omega", is_order=True)
MU = Part("μ", "mu")
THETA = Part("θ", "theta")

_PARTS = (ALPHA, EPSILON, DELTA, RHO, OMEGA, MU, THETA)

LETTERS: Mapping[str, str] = {part.key: part.letter for part in _PARTS}
"""The letters of parts by their names in reports, in the order in which they are written."""

ORDERS = frozenset(name for part in _PARTS if part.is_order for name in (part.letter, part.key))
"""The letters and the names of parts that bound from below."""


@frozen(eq=False, repr=False)
class NotionInfo(ByValue):
    """What there is to say of a notion.

    Parameters
    ----------
    title, headline
        Its name in full, in messages and above what is proved.
    name, short
        As sentences about costs name it, and as tables do.
    parts
        The numbers of a cost. Gaussian noise takes them after the sensitivity, where `has_gaussian`.
    method
        How a program is priced, in a word or two.
    aliases
        Other words for it in file names and after ``notion``.
    block
        The word of the block that converts from it.
    converts_to
        The notions in which a guarantee of this one implies one; pure ε implies one in each that guarantees anything.
    converts_from
        The other notions of which a guarantee implies one of this one, where theirs does not say so.
    composes
        How costs add up one after the other: by ``sum``, by sum of ``squares``, or not by parts alone.
    has_gaussian
        Whether it has a price for Gaussian noise.
    is_guarantee
        Whether a price promises something by itself.
    bounds_ratio
        Whether its ε bounds how many times as likely a result becomes, but for a δ where it has one. Pure ε is then its price.
    alone
        The notion of a cost of which only the first part is written.
    """

    title: str
    headline: str
    name: str
    short: str
    parts: tuple[Part, ...]
    method: str
    aliases: tuple[str, ...] = ()
    block: str | None = None
    converts_to: frozenset[Notion] = frozenset()
    converts_from: frozenset[Notion] = frozenset()
    composes: Literal["sum", "squares"] | None = None
    has_gaussian: bool = True
    is_guarantee: bool = True
    bounds_ratio: bool = False
    alone: Notion | None = None


_NOTIONS: Mapping[Notion, NotionInfo] = MappingProxyType(
    {
        Notion.PURE: NotionInfo(
            title="ε-differential privacy",
            headline="ε-differential privacy",
            name="pure ε",
            short="pure",
            parts=(EPSILON,),
            method="sum of ε",
            aliases=("pure",),
            block="EPSDP",
            converts_to=frozenset(Notion) - {Notion.RAO},
            composes="sum",
            has_gaussian=False,
            bounds_ratio=True,
        ),
        Notion.APPROX: NotionInfo(
            title="(ε, δ)-differential privacy",
            headline="(ε, δ)-differential privacy",
            name="(ε, δ)",
            short="(ε, δ)",
            parts=(EPSILON, DELTA),
            method="cost of the program as it is written",
            aliases=("ed",),
            converts_to=frozenset({Notion.APPROX}),
            composes="sum",
            bounds_ratio=True,
            alone=Notion.PURE,
        ),
        Notion.RENYI: NotionInfo(
            title="Rényi differential privacy",
            headline="Rényi differential privacy (α, ε)",
            name="Rényi (α, ε)",
            short="Rényi",
            parts=(ALPHA, EPSILON),
            method="sum of ε at one order",
            block="RENYI",
            converts_to=frozenset({Notion.RENYI, Notion.APPROX}),
        ),
        Notion.ZCDP: NotionInfo(
            title="zero-concentrated differential privacy",
            headline="zero-concentrated differential privacy ρ",
            name="zCDP",
            short="zCDP",
            parts=(RHO,),
            method="sum of ρ",
            block="ZCDP",
            converts_to=frozenset({Notion.ZCDP, Notion.APPROX, Notion.RENYI, Notion.TCDP}),
            composes="sum",
        ),
        Notion.TCDP: NotionInfo(
            title="truncated concentrated differential privacy",
            headline="truncated concentrated differential privacy (ρ, ω)",
            name="tCDP",
            short="tCDP",
            parts=(RHO, OMEGA),
            method="sum of ρ, least ω",
            block="TCDP",
            converts_to=frozenset({Notion.TCDP, Notion.APPROX}),
        ),
        Notion.GDP: NotionInfo(
            title="Gaussian differential privacy",
            headline="Gaussian differential privacy μ",
            name="Gaussian μ",
            short="Gaussian",
            parts=(MU,),
            method="root of the sum of μ²",
            block="GDP",
            converts_to=frozenset({Notion.GDP, Notion.APPROX, Notion.RENYI, Notion.ZCDP, Notion.TCDP}),
            composes="squares",
        ),
        Notion.RAO: NotionInfo(
            title="the Rao distance",
            headline="Rao distance θ, which is not a guarantee by itself",
            name="Rao θ",
            short="Rao",
            parts=(THETA,),
            method="Fisher–Rao length: a heuristic, no guarantee by itself",
            is_guarantee=False,
        ),
    }
)

BY_WORD: Mapping[str, Notion] = {word: notion for notion in Notion for word in (notion.value, *notion.info.aliases)}
"""The notions by the words that file names, ``notion`` lines and ``--notion`` may use."""

NOTION_WORDS = tuple(word for notion in Notion for word in sorted((notion.value, *notion.info.aliases), key=len))
"""These words in the order in which messages list them: the shortest word of each notion first."""

BY_BLOCK: Mapping[str, Notion] = {notion.info.block: notion for notion in Notion if notion.info.block is not None}
"""The notions by the words of the blocks that convert from them."""
