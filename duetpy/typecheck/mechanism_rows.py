"""The mechanisms, one row for each: how programs write it, what it takes in each notion, and of what kind it is.

Its prices and its noise are one class of the accountant (`duetpy.accounting.mechanisms`), under the same name.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from attrs import field, frozen

from duetpy.by_value import ByValue
from duetpy.grammar.ast import Norm
from duetpy.typecheck.notions import Notion


@frozen(eq=False, repr=False)
class Form(ByValue):
    """One of the words under which a mechanism adds its noise.

    Parameters
    ----------
    noise
        The atom's name.
    takes
        What the noise is added to: a ``number``, a ``natural`` number, a ``matrix`` or one ``column``.
    norms
        The norms in which a matrix may be measured.
    """

    noise: str
    takes: Literal["number", "natural", "matrix", "column"] = "number"
    norms: tuple[Norm, ...] = ()


Rule = Literal["choice", "risk", "queries", "response", "descent", "claim", "found", "counted"]
"""The rules that read a body in a way of their own: for the ``choice`` of the largest score or of the least ``risk``, for the first
of several ``queries``, for a ``response``, for a ``descent``, for what is released by a ``claim``, and for what is ``found`` in the
rows of a table, or ``counted`` there."""


@frozen(eq=False, repr=False)
class Row(ByValue):
    """What there is to say of a mechanism.

    Parameters
    ----------
    name
        That of its atom of cost.
    forms
        By word, how programs write it where it adds noise to a value.
    rules
        By word, the rule of its own that reads it.
    parameters
        By notion, what it takes after the sensitivity; it has no price in the others.
    refusals
        Why it has none there.
    has_epsilon
        Its last parameter is its pure ε.
    is_gaussian
        Its noise is Gaussian: calibrated in a notion, its parameters are its cost there.
    is_whole
        Its noise lives on the integers, as the value does: nothing is rounded, and its error is a whole number.
    states_cost
        In the notion that it was calibrated in, its parameters are its cost.
    cost_places
        By notion, which of its parameters are its cost there; of a length θ, if it was calibrated in lengths.
    epsilon_place
        Three numbers i, n, j: where its i-th parameter is n, the j-th is its pure ε.
    power_place
        Which parameter is the power N of its density; None if it has no power. Except for a length θ, the last one is then the
        scale of its noise, of which its cost knows what part the sensitivity is.
    optional
        The parameters that may be 0, or be left out where the notion has none of that name.
    shape
        The parameters that its law depends on, in addition to the scale of its noise.
    is_measured_in_l1
        Its noise on several numbers is that of the sum of their moves.
    covers_all_keys
        Its cost is that of all keys of a row; of others that show keys it is that of one of them.
    """

    name: str
    forms: Mapping[str, Form] = field(factory=dict)
    parameters: Mapping[Notion, tuple[str, ...]] = field(factory=dict)
    refusals: Mapping[Notion, str] = field(factory=dict)
    has_epsilon: bool = False
    is_gaussian: bool = False
    is_whole: bool = False
    states_cost: bool = False
    cost_places: Mapping[Notion, tuple[int, ...]] = field(factory=dict)
    epsilon_place: tuple[int, int, int] | None = None
    power_place: int | None = None
    optional: tuple[str, ...] = ()
    shape: tuple[int, ...] = ()
    is_measured_in_l1: bool = False
    covers_all_keys: bool = False
    rules: Mapping[str, Rule] = field(factory=dict)


_EPSILON = {notion: ("ε",) if notion.info.is_guarantee else notion.letters for notion in Notion}
_COST = {notion: notion.letters for notion in Notion if notion.info.has_gaussian}

_NO_LENGTH = "a distribution on integers is not a shift of one density, so it has no length θ"
_NOT_PURE = "Gaussian noise is not ε-private for any ε"


def _but(parameters: Mapping[Notion, tuple[str, ...]], *notions: Notion) -> dict[Notion, tuple[str, ...]]:
    return {notion: names for notion, names in parameters.items() if notion not in notions}


_ROWS = (
    Row(
        "laplace",
        {"laplace": Form("laplace"), "mlaplace": Form("laplace", "matrix", (Norm.L1,))},
        _EPSILON,
        has_epsilon=True,
        states_cost=True,
        is_measured_in_l1=True,
    ),
    Row(
        "gauss",
        {
            "gauss": Form("gauss"),
            "mgauss": Form("gauss", "matrix", (Norm.L1, Norm.L2)),
            # In one column the three norms of a row are the same number.
            "bgauss": Form("gauss", "column", (Norm.L1, Norm.L2, Norm.LINF)),
        },
        _COST,
        {Notion.PURE: _NOT_PURE},
        is_gaussian=True,
        states_cost=True,
    ),
    Row(
        "dlaplace",
        {"dlaplace": Form("dlaplace", "natural")},
        _but(_EPSILON, Notion.RAO),
        {Notion.RAO: _NO_LENGTH},
        has_epsilon=True,
        is_whole=True,
    ),
    Row(
        "dgauss",
        {"dgauss": Form("dgauss", "natural")},
        _but(_COST, Notion.GDP, Notion.RAO),
        {
            Notion.PURE: _NOT_PURE,
            Notion.GDP: "on integers it is slightly easier to distinguish than Gaussian noise of the same σ: no μ is proved for it",
            Notion.RAO: _NO_LENGTH,
        },
        is_gaussian=True,
        is_whole=True,
        states_cost=True,
    ),
    Row(
        "ggauss",
        {"ggauss": Form("ggauss")},
        {notion: ("N", *(("scale",) if notion.info.is_guarantee else notion.letters)) for notion in Notion},
        cost_places={Notion.RAO: (1,)},
        epsilon_place=(0, 1, 1),
        power_place=0,
        shape=(0,),
    ),
    Row(
        "canonical",
        {"canonical": Form("canonical")},
        _but({**_EPSILON, Notion.APPROX: ("ε", "δ")}, Notion.RAO),
        {Notion.RAO: "the density of canonical noise has jumps, so a shift of it has no length θ"},
        cost_places={Notion.APPROX: (0, 1)},
        epsilon_place=(1, 0, 0),
        optional=("δ",),
        shape=(0, 1),
    ),
    Row("exponential", rules={"exponential": "choice"}, has_epsilon=True),
    Row("noisy-max", rules={"noisy-max": "choice"}, has_epsilon=True),
    Row("gibbs", rules={"gibbs": "risk"}, has_epsilon=True),
    Row("above-threshold", rules={"AboveThreshold": "queries"}, has_epsilon=True),
    Row("rand-resp", rules={"rand-resp": "response"}, has_epsilon=True),
    Row("noisy-descent", rules={"noisy-descent": "descent"}, states_cost=True),
    Row("keys", rules={"keys": "found"}, cost_places={Notion.APPROX: (0, 1)}),
    Row("key-counts", rules={"key-counts": "counted"}, cost_places={Notion.APPROX: (0, 1)}),
    Row("key-gauss", rules={"key-gauss": "counted"}, cost_places={Notion.APPROX: (0, 1)}, covers_all_keys=True),
)

ROWS: Mapping[str, Row] = MappingProxyType({row.name: row for row in _ROWS})
"""The mechanisms by the names of their atoms."""


def row_of(name: str) -> Row:
    """The row of an atom's mechanism; of trusted code, about which nothing is known, one that states nothing."""
    row = ROWS.get(name)
    return Row(name) if row is None else row


FORMS: Mapping[str, Form] = MappingProxyType({word: form for row in _ROWS for word, form in row.forms.items()})
"""The mechanisms that add noise, by the words of the language."""

RULES: Mapping[str, Rule] = MappingProxyType(
    {"given": "claim", **{word: rule for row in _ROWS for word, rule in row.rules.items()}}
)
"""The mechanisms with a rule of their own, by the words of the language."""
