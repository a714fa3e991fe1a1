"""A statement as text: what is proved about each input, in which notion, on what conditions, with how much noise.

    mean.eps.duet: ok                                       ε-differential privacy (file name), replace one row
      table   costs ε
      release laplace at line 4: sensitivity 100/m, scale 100/(m⋅ε), ±299.6/(m⋅ε) (95 %)

A bound that is printed as a number is rounded up.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import compress

from duetpy.accounting.figures import bound, part
from duetpy.accounting.guarantees import Pending
from duetpy.diagnostics.display import visible
from duetpy.diagnostics.text import PLAIN, Palette
from duetpy.report.layout import padded, table
from duetpy.report.noise import Noise, Shares, noise
from duetpy.report.pricing import Numbers
from duetpy.report.verdict import Parameter, Statement
from duetpy.typecheck.conditions import Obligation
from duetpy.typecheck.neighbours import ADD_REMOVE, MIXED, OF_PERSONS, PERSONS, REPLACE, REPLACE_PERSON, STEP
from duetpy.typecheck.notions import LETTERS, ORDERS
from duetpy.typecheck.unverified import TRUSTED, UNKNOWN, UNVERIFIED

RELATIONS = {
    REPLACE: "replace one row",
    ADD_REMOVE: "add or remove one row",
    PERSONS: "add or remove one person",
    REPLACE_PERSON: "replace all rows of one person",
    STEP: "steps of distance 1",
    MIXED: "mixed neighbours",
}
TITLE_COLUMN = 56
MOST_RELEASES = 20
LONGEST = 400
"""A longer formula is cut: nobody reads it, and the JSON report has all of it."""


def statement_text(statement: Statement, verbose: bool = False, palette: Palette = PLAIN) -> str:
    """What is proved about an accepted program, each line ended; with `verbose`, the public parameters and types too."""
    lines = [_title(statement, palette)]
    if verbose or not statement.parameters:
        lines.append(f"  type {statement.type or '(none)'}\n")
    lines.append(table(_rows(statement.parameters, statement.neighbours, verbose)))
    premises = statement.premises
    lines += [f"  {said}\n" for said in (*premises.counted, *premises.together)]
    required: list[Obligation | Pending] = [*statement.obligations, *statement.promises]
    for obligation in required:
        reason = f" because {obligation.reason}" if verbose else ""
        lines.append(f"  requires {obligation.show()}  {reason} ({visible(obligation.span.place)})\n")
    # However many releases there are, no cost that is trusted is left out.
    listed = [site.mechanism == TRUSTED or at < MOST_RELEASES for at, site in enumerate(statement.releases)]
    sites = statement.releases if verbose else list(compress(statement.releases, listed))
    lines += [_release(noise(site, statement.values)) for site in sites]
    if len(sites) < len(statement.releases):
        lines.append(f"  and {len(statement.releases) - len(sites):,} more releases (-v shows all)\n")
    lines += [f"  runs    {target}: {UNKNOWN}\n" for target in statement.foreign]
    return "".join(lines)


def _title(statement: Statement, palette: Palette) -> str:
    plain = padded(f"{visible(statement.file)}: ok", TITLE_COLUMN - 1)
    said = plain.rstrip()
    name = palette.strong(said.removesuffix("ok")) + palette.good("ok") + plain.removeprefix(said)
    if not any(parameter.cost is not None for parameter in statement.parameters):
        return f"{name.rstrip()}\n"
    origin = f"by {statement.notion_origin}" if statement.notion_origin == "default" else statement.notion_origin
    return f"{name} {statement.notion.info.headline} ({origin}), {RELATIONS[statement.neighbours]}\n"


def _rows(parameters: Sequence[Parameter], neighbours: str, verbose: bool) -> Iterable[Sequence[str]]:
    """One row for each parameter that says something: sensitivities, costs, and what the program does not protect."""
    told: set[str] = set()
    for parameter in parameters:
        relation = f" ({RELATIONS[parameter.neighbours]})" if neighbours == MIXED and parameter.private else ""
        if parameter.cost is None:
            yield (
                parameter.name + relation,
                f"sensitivity {formula(parameter.sensitivity or '')}{_evaluated(parameter)}",
            )
        elif parameter.private and parameter.unit not in told:
            told.add(parameter.unit)
            unit = unit_title(parameter.unit.split("+"), parameter.neighbours)
            yield unit + relation, "costs " + cost_text(parameter.cost)
            if parameter.value is not None and not _is_written(parameter.cost, parameter.value):
                yield "", "which is " + numbers_text(parameter.value)
            if parameter.tight is not None:
                yield (
                    "",
                    f"tight    {numbers_text(parameter.tight)}"
                    + (f"   {parameter.method}" if parameter.method else ""),
                )
        elif is_exposed(parameter):
            yield parameter.name, "public: not protected by this program"
        elif verbose and not parameter.private:
            yield parameter.name, "public"


def unit_title(names: Sequence[str], near: str) -> str:
    """The parameters of a privacy unit, and why they are one if there are several."""
    if len(names) < 2:
        return names[0]
    return f"{', '.join(names)} ({'the same persons' if near in OF_PERSONS else 'aligned, one row'})"


def _is_written(cost: Mapping[str, str], value: Numbers) -> bool:
    """Whether the formulas of a cost are themselves the numbers."""
    return all(text == part(name, value[name]) for name, text in cost.items())


def is_exposed(parameter: Parameter) -> bool:
    """Whether a privacy function releases a parameter in the clear."""
    # An order of ∞ (α, ω) belongs to what costs nothing: there the loss itself is 0.
    return parameter.cost is not None and any(
        part == "∞" for name, part in parameter.cost.items() if name not in ORDERS
    )


def cost_text(cost: Mapping[str, str]) -> str:
    """A symbolic cost in the notion's own order: ``ε`` alone, or ``⟨ε, δ⟩``."""
    parts = [formula(part) for part in cost.values()]
    return parts[0] if len(parts) == 1 else f"⟨{', '.join(parts)}⟩"


def formula(text: str) -> str:
    """A formula as it is printed: cut where it is too long to be read."""
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}… ({len(text):,} characters)"


def numbers_text(numbers: Numbers) -> str:
    """Figures with their letters, rounded to the side that claims less: ``ε = 0.5, δ = 1e-6``."""
    # A ledger keeps figures in the order of their names.
    return ", ".join(f"{letter} = {part(name, numbers[name])}" for name, letter in LETTERS.items() if name in numbers)


def _evaluated(parameter: Parameter) -> str:
    """The number after a symbolic sensitivity, where it says more."""
    if parameter.value is None:
        return ""
    number = bound(parameter.value["sensitivity"])
    return "" if number in (parameter.sensitivity, "∞") else f" = {number}"


def _release(site: Noise) -> str:
    return f"  release {site.mechanism} at {visible(site.place)}{often(site)}: {noise_text(site)}\n"


def often(site: Noise) -> str:
    """How many times a mechanism runs, after its name; empty for once."""
    called = f", each time its function is called{site.letters and f', for the {site.letters} that it has there'}"
    return {"1": "", "": called}.get(site.repeats, f", {site.repeats} times")


def noise_text(site: Noise) -> str:
    """What a mechanism adds and how far that reaches, or that it adds nothing which anybody verified."""
    if site.mechanism == TRUSTED:
        return UNVERIFIED
    parts = [f"sensitivity {site.sensitivity}", site.scale]
    if site.error95:
        extent = f" {site.extent}" if site.extent else ""
        parts.append(f"±{site.error95}{extent} (95 %)")
    if site.score95:
        parts.append(f"a score at most {site.score95} below the best (95 %)")
    parts += _shares(site.shares)
    if site.furthest is not None:
        parts.append(f"a number of rows is off by {site.furthest:,} at most")
    return ", ".join(filter(None, parts))


def _shares(shares: Shares) -> list[str]:
    """How likely a key of some sizes is to be shown: of one row in full, of more in per cent, rounded down."""
    if not shares:
        return []
    (_, single), *larger = shares
    told = [f"of {rows:,} rows with {int(100 * share)} %" for rows, share in larger]
    return [f"shows a key of 1 row with probability {bound(single)}", *told]
