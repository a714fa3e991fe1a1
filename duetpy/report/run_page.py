"""A run as one page for whoever answers for the data: what was released, whom it protects, by how much, and what that rests on.

The questions are those that an evaluation of a guarantee has to answer (NIST SP 800-226, 2025): the unit and its neighbours, the
parameters, the mechanisms and their noise, the error, what has to be trusted, and what is not covered. Every answer is what was
proved or what ran. Of a run with insecure noise the page says that it protects nobody, and no numbers.
"""

from __future__ import annotations

import math
import platform
from collections.abc import Iterator, Mapping
from fractions import Fraction
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from duetpy.accounting.figures import bound, figure
from duetpy.accounting.rounding import raised
from duetpy.diagnostics.display import visible
from duetpy.diagnostics.markup import block, paragraph, table
from duetpy.report.check_text import numbers_text
from duetpy.report.comparison import Comparison, comparison
from duetpy.report.core_text import core_text
from duetpy.report.counted_rows import counted_rows
from duetpy.report.displays import result_html, said_of
from duetpy.report.page import alarm, page, section
from duetpy.report.release_text import INSECURE, relation_text, trusted_in, word_of
from duetpy.settings import SettingError
from duetpy.typecheck.neighbours import OF_PERSONS
from duetpy.typecheck.notions import BY_WORD
from duetpy.typecheck.quantity import Quantity
from duetpy.typecheck.types import Matrix, PFun, Uniform
from duetpy.valuation import valuation

if TYPE_CHECKING:
    from duetpy.library import Library
    from duetpy.runtime.release.release import Release
    from duetpy.typecheck.check import Typed


def result_page(release: Release) -> str:
    """What was released and how it is protected."""
    said = paragraph(said_of(release)) if release.noise == "secure" else ""
    return page(f"Result of {release.program}", (_state_of_noise(release), result_html(release), said))


def run_page(
    release: Release, typed: Typed, library: Library | None, settings: Mapping[str, object], version: str
) -> str:
    """Everything about a run of a version of duetpy."""
    is_secure = release.noise == "secure"
    return page(
        f"Report on a run of {release.program}",
        (
            _state_of_noise(release),
            section("Result", result_html(release)),
            section("Who is protected, and by how much", *_protection(release, typed)) if is_secure else "",
            section("The same guarantee in other terms", *_worth(release, typed, settings)) if is_secure else "",
            section("Mechanisms and errors", _mechanisms(release)),
            section("Data", _data(release)),
            section("What the guarantee rests on", *_trust(release)) if is_secure else "",
            section("What the guarantee does not cover", *map(paragraph, _limits(release))) if is_secure else "",
            section("The program", *_program(typed)),
            section("Versions and hashes", _versions(release, library, version)),
        ),
    )


def _state_of_noise(release: Release) -> str:
    return "" if release.noise == "secure" else alarm(INSECURE)


# ---------------------------------------------------------------------------------------------------------------------
# The guarantee


def _protection(release: Release, typed: Typed) -> Iterator[str]:
    yield paragraph(said_of(release))
    if not release.privacy["parameters"]:
        return
    relation = relation_text(release.privacy)
    yield table(
        ("question", "answer"),
        (
            ("unit of privacy", release.privacy["unit"]),
            ("neighbours", f"two inputs are neighbours if they differ by this: {relation}"),
            ("notion", BY_WORD[release.privacy["total"]["notion"]].info.headline),
        ),
    )
    yield from (paragraph(f"{said[0].upper()}{said[1:]}.") for said in counted_rows(typed))
    yield table(("parameter", "cost", "certified"), [_parameter(each) for each in release.privacy["parameters"]])
    guess = best_guess(release.privacy.get("tight", {}))
    if guess is not None:
        yield paragraph(
            "An attacker who knows everything except which of two neighbours the input is, and considers both equally likely, "
            "guesses right with probability 50 % before seeing the result, and "
            f"with at most {bound(100 * guess)} % after seeing it."
        )


def best_guess(tight: Mapping[str, float | None]) -> float | None:
    """The probability of a right guess between two neighbours at even odds that a certified (ε, δ) leaves possible, rounded up.

    (e^ε + δ)/(e^ε + 1): half of 1 plus the total variation, which is at most (e^ε − 1 + 2δ)/(e^ε + 1) (Kairouz, Oh and
    Viswanath 2015).
    """
    epsilon, delta = tight.get("epsilon"), tight.get("delta")
    if epsilon is None or delta is None or epsilon == math.inf:
        return None
    odds = math.exp(-epsilon)
    return min(1.0, raised((1.0 + delta * odds) / (1.0 + odds), 1e-12))


def _parameter(each: Mapping[str, Any]) -> tuple[str, str, str]:
    return each["name"], numbers_text(each["value"]), numbers_text(each["tight"])


def _worth(release: Release, typed: Typed, settings: Mapping[str, object]) -> Iterator[str]:
    """Each unit in every notion at the numbers of the run, where they are all public."""
    found = _compared(release, typed, settings)
    if found is None or not found.ok or any(unit.missing for unit in found.units):
        return
    for unit in found.units:
        yield unit._repr_html_()
    yield paragraph(
        "Kinds. Exact: no smaller number holds if the sensitivities of the mechanisms are attained. Upper: an upper bound. "
        "Heuristic: shown for information, never a guarantee. None: the notion has no sound cost for a part of the program."
    )


def _compared(release: Release, typed: Typed, settings: Mapping[str, object]) -> Comparison | None:
    """What the people in the data paid, in every notion, at the δ of what is certified."""
    certified = release.privacy.get("tight", {}).get("delta")
    delta = Fraction(repr(certified)) if certified else None
    try:
        return comparison(typed, valuation(typed.type, {**_sizes(release, typed), **settings}), delta, release.paid)
    except SettingError:
        return None


def _sizes(release: Release, typed: Typed) -> dict[str, object]:
    """The public sizes of the data, under the names that the program gives them."""
    found: dict[str, object] = {}
    if not isinstance(typed.type, PFun):
        return found
    for parameter in typed.type.parameters:
        facts = release.data.get(parameter.name)
        if facts is None or not isinstance(parameter.type, Matrix):
            continue
        if facts["rows"]:
            found.update(_named(parameter.type.rows, facts["rows"]))
        if facts["columns"] and isinstance(parameter.type.schema, Uniform):
            found.update(_named(parameter.type.width, facts["columns"]))
    return found


def _named(size: object, count: int) -> dict[str, object]:
    """A size that is a variable, with its number."""
    variables = tuple(size.variables()) if isinstance(size, Quantity) else ()
    return {variables[0].name: count} if len(variables) == 1 and size == Quantity.var(variables[0]) else {}


# ---------------------------------------------------------------------------------------------------------------------
# The run


def _mechanisms(release: Release) -> str:
    header = ("mechanism", "line", "times", "sensitivity", "scale of the noise", "± per number (95 %)")
    rows = [
        (
            word_of(each),
            str(each["line"]) if each.get("file") is None else f"{each['line']} of {each['file']}",
            f"{each['count']:,}",
            bound(each["sensitivity"]),
            _scale(each),
            _error(each),
        )
        for each in release.releases
    ]
    return table(header, rows) if rows else paragraph("no mechanism ran")


def _scale(each: Mapping[str, Any]) -> str:
    """What is trusted to be private has no noise here; keys and answers are shown or not, by coins of several laws."""
    if each["scale"] is not None:
        return figure(each["scale"])
    return "no noise" if word_of(each) == "given" else "not of one scale"


def _error(each: Mapping[str, Any]) -> str:
    if each.get("furthest") is not None:
        return f"off by {each['furthest']:,} at most"
    if each.get("score95") is not None:
        return f"a score at most {bound(each['score95'])} below the best"
    return "" if each["error95"] is None else bound(each["error95"])


def _data(release: Release) -> str:
    rows = [
        (
            name,
            _rows(facts),
            "" if facts["columns"] is None else f"{facts['columns']:,}",
            str(facts.get("bad_rows", "")),
        )
        for name, facts in release.data.items()
    ]
    return table(("parameter", "rows", "columns", "bad rows"), rows) if rows else paragraph("no data was read")


def _rows(facts: Mapping[str, Any]) -> str:
    """How many rows a table has; nothing of a single value or a pair."""
    if facts["columns"] is None:
        return ""
    return "private" if facts["rows"] is None else f"{facts['rows']:,} (public)"


def _trust(release: Release) -> Iterator[str]:
    yield paragraph(
        "The type checker and its accountant proved the cost. The run uses exact sums, and noise from random bits of the operating "
        "system, rounded to a grid that depends on no row. What has to be trusted: duetpy, Python and NumPy, the operating system "
        "and its random numbers, every machine that the rows were sent to, and the person who holds them."
    )
    named = [what for what, _ in trusted_in(release)]
    if named:
        yield paragraph(f"In addition this program depends on claims that nobody verified: {', '.join(named)}.")


def _limits(release: Release) -> Iterator[str]:
    yield (
        "Time and memory: how long a run takes depends on the rows. Do not show the running time to anyone who must not learn "
        "about the rows."
    )
    if release.privacy["neighbours"] in OF_PERSONS:
        yield "Persons who depend on each other, such as a family: the guarantee is about one person, and weaker for several."
    else:
        yield "Several rows of one person, or rows that depend on each other: the guarantee is about one unit, weaker for several."
    yield "Other releases from the same data: costs add up. " + (
        "The ledger adds up what was charged to it."
        if release.ledger is not None
        else "This run charged no ledger, so nothing added them up."
    )
    yield "What is true of everybody: a result may reveal much about a person who is in no table."
    if any(facts["rows"] is not None for facts in release.data.values()):
        yield "The numbers of rows that are marked as public are not protected."
    if any(facts.get("bad_rows") == "refused" for facts in release.data.values()):
        yield (
            "Bad rows stop a run, so whether there was a result reveals whether all cells could be read. "
            "If others see that, use --on-bad-row default."
        )


# ---------------------------------------------------------------------------------------------------------------------
# The program


def _program(typed: Typed) -> Iterator[str]:
    header = ("parameter", "type")
    if isinstance(typed.type, PFun):
        from duetpy.typecheck.show import show_type

        yield table(header, [(each.name, show_type(each.type)) for each in typed.type.parameters])
    yield block(_numbered(typed))
    core = core_text(typed)
    if isinstance(core, str):
        yield paragraph("The same program as the checker understood it, with all types:")
        yield block(core)


def _numbered(typed: Typed) -> str:
    """The text with its lines numbered, and next to a line the mechanisms that it holds."""
    notes: dict[int, list[str]] = {}
    for site in typed.releases:
        if not site.span.source.is_imported:
            notes.setdefault(site.span.begin[0], []).append(f"{site.mechanism}: sensitivity {site.sensitivity.show()}")
    lines = typed.file.span.source.text.rstrip("\n").split("\n")
    return "\n".join(
        f"{number:>4} | {visible(line)}" + "".join(f"\n     ^ {note}" for note in notes.get(number, ()))
        for number, line in enumerate(lines, 1)
    )


def _versions(release: Release, library: Library | None, version: str) -> str:
    import numpy

    # A ledger keeps what was released, and not what computed it.
    is_stored = release.ledger is not None and release.ledger["replayed"]
    read_by = ", which read the stored result" if is_stored else ""
    rows = [
        (f"duetpy{read_by}", version),
        (f"Python{read_by}", platform.python_version()),
        (f"NumPy{read_by}", numpy.__version__),
    ]
    for name, loaded in () if library is None else library.programs.items():
        text = loaded.file.span.source.text
        rows.append((f"SHA-256 of {name}", sha256(text.encode("utf-8", "surrogatepass")).hexdigest()))
    if release.ledger is not None:
        rows.append(("receipt of the ledger", release.ledger["receipt"]))
    return table(("what", "value"), rows)
