"""What ``cost`` says of one program: every privacy unit in every notion, as a value; the text and the JSON print it.

gd.zcdp.duet   zero-concentrated differential privacy ρ (file name), replace one row
  xs, ys (aligned, one row)
    zCDP       ρ = 1                exact   sum of ρ
    (ε, δ)     ε = 7.2861           exact   Gaussian   ← what your program is worth at δ = 1e-6
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from attrs import evolve, field, frozen

from duetpy.accounting.certify import DEFAULT_DELTA
from duetpy.accounting.figures import bound
from duetpy.accounting.gathering import gathered
from duetpy.accounting.notion_comparison import Row, certified, compare
from duetpy.accounting.price import Refusal, numbers
from duetpy.accounting.rounding import written_up
from duetpy.diagnostics import markup
from duetpy.diagnostics.as_json import diagnostic_value
from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.diagnostics.display import given_with_set, visible
from duetpy.diagnostics.markup import block, paragraph
from duetpy.diagnostics.text import PLAIN, Palette, render
from duetpy.report.check_text import RELATIONS, cost_text, numbers_text, unit_title
from duetpy.report.counted_rows import counted_rows
from duetpy.report.layout import Lay
from duetpy.report.premises import Premises, in_several, premises_value
from duetpy.report.pricing import Pricing
from duetpy.typecheck.check import Typed
from duetpy.typecheck.cost import Cost, is_free, is_unbounded, variables
from duetpy.typecheck.neighbours import REPLACE, is_in_parts, neighbours, relation, shows_rows
from duetpy.typecheck.notions import LETTERS, Notion
from duetpy.typecheck.types import PFun
from duetpy.typecheck.units import units_of
from duetpy.typecheck.unverified import trusted
from duetpy.valuation import Valuation, functions

if TYPE_CHECKING:
    from duetpy.runtime.release.release import Paid

KINDS = {"exact": "exact", "upper": "upper", "estimate": "heuristic", "none": "none"}


@frozen
class Unit:
    """A privacy unit that a program protects.

    Parameters
    ----------
    name
        The names of its parameters, joined by ``+``.
    parameters
        These names.
    neighbours
        ``replace-one``, ``add-remove`` or ``step``.
    cost
        The cost term.
    delta
        The δ of its certified (ε, δ).
    missing
        Variables that have no number yet.
    rows
        What each notion makes of it.
    premises
        What its numbers rest on.
    notes
        What only some of the rows rest on.
    """

    name: str
    parameters: tuple[str, ...]
    neighbours: str
    cost: Cost
    delta: Fraction
    missing: tuple[str, ...]
    rows: tuple[Row, ...]
    premises: Premises = field(factory=Premises)
    notes: tuple[str, ...] = ()

    @property
    def worth(self) -> Row | None:
        """The row of the least certified (ε, δ)."""
        return certified(self.rows)

    def __repr__(self) -> str:
        given = "" if self.worth is None or self.worth.value is None else f", worth {numbers_text(self.worth.value)}"
        return f"<Unit {', '.join(map(visible, self.parameters))}: {len(self.rows)} rows{given}{self.premises.line}>"

    def _repr_html_(self) -> str:
        notes = "".join(map(paragraph, [*self.notes, *self.premises]))
        return markup.table(("notion", "cost", "kind", "method"), _cells(self), ", ".join(self.parameters)) + notes


@frozen
class Comparison:
    """A program's privacy units, each in every notion; `units` is empty where it was refused or protects nothing.

    `premises` are what its numbers rest on.
    """

    file: str
    notion: Notion
    notion_origin: str
    neighbours: str
    units: tuple[Unit, ...]
    diagnostics: tuple[Diagnostic, ...]
    values: Valuation
    premises: Premises = field(factory=Premises)

    @property
    def ok(self) -> bool:
        return not any(diagnostic.is_error for diagnostic in self.diagnostics)

    def __repr__(self) -> str:
        units = ", ".join(visible(unit.name) for unit in self.units) or "no parameter is protected"
        return f"<Comparison {visible(self.file)}: {units if self.ok else 'refused'}>"

    def _repr_html_(self) -> str:
        refused = "".join(block(render(diagnostic)) for diagnostic in self.diagnostics)
        return refused + "".join(unit._repr_html_() for unit in self.units)


def protected(typed: Typed) -> Iterator[tuple[str, tuple[str, ...], str, Cost]]:
    """The privacy units that a program protects: name, parameters, neighbouring relation, cost."""
    for function in functions(typed.type):
        if isinstance(function, PFun):
            for unit in units_of(function.parameters):
                cost = gathered(unit.cost)
                if not is_free(cost) and not is_unbounded(cost):
                    yield unit.name, unit.names, neighbours(unit.parameters[0].type), cost


def _in_several(typed: Typed, units: Mapping[str, str]) -> tuple[str, ...]:
    """What holds of a person in several of the inputs of a program."""
    parameters = [
        parameter
        for function in functions(typed.type)
        if isinstance(function, PFun)
        for parameter in function.parameters
        if not is_unbounded(parameter.cost)
    ]
    pairs = [each.name for each in parameters if not is_free(each.cost) and is_in_parts(each.type)]
    sizes = [each.name for each in parameters if is_free(each.cost) and shows_rows(each.type)]
    return tuple(in_several(units, pairs, sizes))


def comparison(
    typed: Typed, values: Valuation, delta: Fraction | None = None, paid: Sequence[Paid] | None = None
) -> Comparison:
    """A program's cost in every notion, or what one of its runs cost the people in its data.

    Parameters
    ----------
    typed
        The checked program.
    values
        Numbers for some or all of its kind variables; the certified (ε, δ) needs all of a unit's.
    delta
        The δ of that (ε, δ); the program's own, else 1e-6, where None.
    paid
        What a change of one person costs, who may have rows in several of the program's units.
    """
    pricing = Pricing.of(typed, typed.notion, values, delta)
    promised = pricing.promised()
    costs = list(protected(typed) if paid is None else _of_run(paid))
    for _, _, _, cost in costs:
        own = None if variables(cost) - set(values.kinds) else numbers(cost, typed.notion, values.kinds)
        if own is not None and not isinstance(own, Refusal):
            pricing.hold(own)
    costs = [] if pricing.is_refused else costs
    units = [_unit(typed, values, delta, *found) for found in costs]
    for unit in units:
        # What the formula of its own notion rests on is required of the whole program.
        if unit.missing:
            pricing.rest(unit.rows[0].open)
    premises = Premises(
        pricing.required(promised),
        trusted(typed.releases, typed.foreign),
        () if pricing.is_refused else tuple(counted_rows(typed)),
        _in_several(typed, {name: near for name, _, near, _ in costs}) if paid is None else (),
    )
    return Comparison(
        typed.name,
        typed.notion,
        typed.notion_origin,
        relation([unit.neighbours for unit in units]) if units else REPLACE,
        tuple(evolve(unit, premises=premises, notes=tuple(_notes(unit, pricing))) for unit in units),
        tuple(pricing.diagnostics),
        values,
        premises,
    )


def _notes(unit: Unit, pricing: Pricing) -> Iterator[str]:
    """What only some rows of a unit rest on, and no number settles yet: nothing that follows from what the program requires."""
    required = pricing.pending
    every = evolve(pricing, open=dict(pricing.open), diagnostics=[])
    for row in unit.rows:
        every.rest(row.open)
    yield from (f"requires {each.show()} ({each.reason})" for each in every.pending if each not in required)


def _of_run(paid: Sequence[Paid]) -> Iterator[tuple[str, tuple[str, ...], str, Cost]]:
    for each in paid:
        if not is_free(cost := gathered(each.cost)):
            yield "+".join(each.parameters), each.parameters, each.neighbours, cost


def _unit(
    typed: Typed,
    values: Valuation,
    delta: Fraction | None,
    name: str,
    parameters: tuple[str, ...],
    near: str,
    cost: Cost,
) -> Unit:
    missing = tuple(sorted(var.name for var in variables(cost) - set(values.kinds)))
    asked = delta if delta is not None else DEFAULT_DELTA if missing else _own_delta(cost, typed.notion, values)
    rows = compare(cost, typed.notion, values.kinds, asked)
    return Unit(name, parameters, near, cost, asked, missing, rows)


def _own_delta(cost: Cost, notion: Notion, values: Valuation) -> Fraction:
    """The δ that a program states itself, else the usual one."""
    found = numbers(cost, notion, values.kinds)
    own = None if isinstance(found, Refusal) else found.get("delta")
    return Fraction(repr(own)) if own and own < 1.0 else DEFAULT_DELTA


# ---------------------------------------------------------------------------------------------------------------------
# Text


HEADER = ("notion", "cost", "kind", "how it is found")
INDENT = 4


def comparison_text(found: Comparison, lay: Lay, palette: Palette = PLAIN) -> str:
    """A comparison for people, each line ended; what the program is worth stands out. `lay` lays out the rows of each unit."""
    said = f"{found.notion.info.headline} ({found.notion_origin}), {RELATIONS[found.neighbours]}"
    lines = [f"{palette.strong(visible(found.file))}   {said}\n"]
    if not found.units:
        lines.append("  no parameter is protected: there is no cost to compare\n")
    for unit in found.units:
        relation = f", {RELATIONS[unit.neighbours]}" if unit.neighbours != found.neighbours else ""
        lines.append(f"  {unit_title(unit.parameters, unit.neighbours)}{relation}\n")
        worth = next((at for at, row in enumerate(unit.rows) if row is unit.worth), None)
        lines.append(lay(HEADER, [*_cells(unit)], worth))
        lines += [f"    {note}\n" for note in unit.notes]
        if unit.missing:
            lines.append(f"    for numbers: {given_with_set(unit.missing)}\n")
    lines += [f"  {said}\n" for said in found.premises]
    return "".join(lines)


def _cells(unit: Unit) -> Iterator[tuple[str, ...]]:
    last: Notion | None = None
    for row in unit.rows:
        title = "" if row.notion is last else row.notion.info.short
        last = row.notion
        if row.refused is not None:
            part, why = row.refused
            yield title, "∞" if row.notion.letters == ("ε",) else "–", "none", f"{part}: {why}"
            continue
        said = _said(row)
        arrow = f"   ← what your program is worth at δ = {bound(written_up(unit.delta))}" if row is unit.worth else ""
        yield title, said, KINDS[row.kind], row.method + arrow


def _said(row: Row) -> str:
    if row.value is not None:
        return numbers_text(row.value)
    formula = row.formula or {}
    if len(formula) == 1:
        return f"{LETTERS[next(iter(formula))]} = {cost_text(formula)}"
    return cost_text(formula)


# ---------------------------------------------------------------------------------------------------------------------
# JSON


def comparison_value(found: Comparison) -> dict[str, Any]:
    """A comparison as a value that ``json`` can write; an infinite number is None."""
    return {
        "file": found.file,
        "ok": found.ok,
        "notion": found.notion.value,
        "neighbours": found.neighbours,
        **premises_value(found.premises),
        "units": [unit_value(unit) for unit in found.units],
        "diagnostics": [diagnostic_value(diagnostic) for diagnostic in found.diagnostics],
    }


def unit_value(unit: Unit) -> dict[str, Any]:
    """One unit with its rows and, where every number is known, the certified (ε, δ)."""
    worth = unit.worth
    return {
        "unit": unit.name,
        "parameters": list(unit.parameters),
        "neighbours": unit.neighbours,
        "delta": written_up(unit.delta),
        "missing": list(unit.missing),
        "rows": [row_value(row) for row in unit.rows],
        "tight": None if worth is None or worth.value is None else dict(worth.value),
    }


def row_value(row: Row) -> dict[str, Any]:
    """One row; ``curve`` only if it has a curve."""
    found: dict[str, Any] = {
        "notion": row.notion.value,
        "kind": row.kind,
        "method": row.method,
        "cost": None if row.formula is None else dict(row.formula),
        "value": None if row.value is None else dict(row.value),
        "conditions": [{"text": text, "holds": holds} for text, holds in row.conditions],
        "refused": None if row.refused is None else {"node": row.refused[0], "reason": row.refused[1]},
    }
    if row.curve:
        found["curve"] = [{"alpha": alpha, "epsilon": eps} for alpha, eps in row.curve]
    return found
