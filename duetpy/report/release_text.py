"""A release as text: the result, how far it may be off, and whom it protects by how much.

53.81   ± 0.6 (95 %)
Privacy: one row of people.csv (1,000 rows, public) is protected with ε = 0.5 (pure; replace one row).
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from duetpy.accounting.figures import bound, figure
from duetpy.diagnostics.display import SPELLING, json_text, visible
from duetpy.ledger.show import short
from duetpy.report.check_text import RELATIONS, numbers_text
from duetpy.report.layout import Lay, in_parts
from duetpy.report.result_csv import csv_text
from duetpy.report.warnings import is_certified, warnings_text
from duetpy.runtime.release.result_table import cell_text
from duetpy.runtime.sources.cells import shown_end
from duetpy.typecheck.neighbours import MIXED, OF_PERSONS, PERSONS, REPLACE_PERSON
from duetpy.typecheck.notions import BY_WORD, Notion
from duetpy.typecheck.unverified import TRUSTED

if TYPE_CHECKING:
    from duetpy.runtime.release.release import Release

INSECURE = "INSECURE: this noise was reproducible or left out. The result protects nobody and must not be shown."


def result_text(
    release: Release,
    *,
    as_csv: bool,
    errors: bool,
    on_terminal: bool,
    lay: Lay | None = None,
) -> str:
    """The result, each line ended: as CSV, or for people.

    Parameters
    ----------
    release
        The run.
    as_csv
        Whether the text is CSV. For people, one value stands alone and any other result is a table with its columns aligned.
    errors
        Whether the numbers of a table have their errors next to them.
    on_terminal
        Whether the text goes to a terminal.
    lay
        How a table for people is laid out; None for a file.
    """
    table = release.table()
    shown = table.with_errors() if errors else table
    if as_csv:
        return csv_text(shown, on_terminal=on_terminal)
    if table.is_one_value:
        return value_text(table.rows[0][0], table.columns[0].error95)
    rows = [[visible(cell_text(cell)) for cell in row] for row in shown.rows]
    return (lay or in_parts())([visible(column.name) for column in shown.columns], rows)


def value_text(result: Any, error95: float | None = None) -> str:
    """One value, its line ended: a number with its error if that is known, else JSON."""
    match result:
        case bool() | str():
            return f"{json_text(result)}\n"
        case None:
            return "none\n"
        case int() | float() if error95:
            within = SPELLING.get()(f"± {bound(error95, 2)}")
            return f"{known_text(result, error95)}   {within} (95 %)\n"
        case int() | float():
            return f"{cell_text(result)}\n"
        case _:
            return f"{json_text(result)}\n"


def privacy_text(release: Release) -> str:
    """Whom a release protects and by how much, each line ended; where the noise is insecure, that it protects nobody.

    The certified bound leads, and what the program's own notion says comes after it, unless the two are the same.
    """
    if release.noise != "secure":
        return f"{INSECURE}\n"
    if not release.privacy["parameters"]:
        return f"Privacy: the result {_unpaid(release)}, so nobody needs protection.\n{_trusted(release)}"
    parameters: Sequence[Mapping[str, Any]] = release.privacy["parameters"]
    lines = [f"Privacy: {release.privacy['unit']}{_rows(release)} {_protection(release)}.\n"]
    if len({json.dumps([parameter["value"], parameter["tight"]]) for parameter in parameters}) > 1:
        lines += [f"  {each['name']}: {_alone(each['value'], each['tight'])}\n" for each in parameters]
    return "".join(lines) + _trusted(release) + warnings_text(release)


def _unpaid(release: Release) -> str:
    """What the result of a run that costs nothing may depend on."""
    if shows_sizes(release):
        return "depends on no cell of the data, at most on its public sizes"
    return "does not depend on data"


def shows_sizes(release: Release) -> bool:
    """Whether a program was given a table, also in a pair, whose number of columns is public, and that of its rows if it is fixed:
    it may return them for nothing."""
    return any(facts["columns"] is not None or "has_public_sizes" in facts for facts in release.data.values())


def _protection(release: Release) -> str:
    total = release.privacy["total"]
    own = {name: value for name, value in total.items() if name != "notion"}
    relation = relation_text(release.privacy)
    known = BY_WORD.get(total["notion"])
    notion = _called(known) if known is not None else total["notion"]
    # A ledger may hand out a release that was stored before this was certified.
    certified = _certified(total, release.privacy.get("tight"))
    if certified:
        return f"is protected with {certified} (certified; {relation}); the program's own cost is {numbers_text(own)} ({notion})"
    protects = known is None or known.info.is_guarantee
    verb = "is protected with" if protects else "changes the distribution of the result by"
    return f"{verb} {numbers_text(own)} ({notion}; {relation})"


def _alone(value: Mapping[str, Any], tight: Mapping[str, float | None]) -> str:
    """What one parameter costs."""
    certified = _certified(value, tight)
    return f"{certified} (certified); cost {numbers_text(value)}" if certified else numbers_text(value)


def relation_text(privacy: Mapping[str, Any]) -> str:
    """How neighbours differ: in each parameter, if not alike in all of them."""
    parameters: Sequence[Mapping[str, Any]] = privacy["parameters"]
    if privacy["neighbours"] != MIXED or len(parameters) < 2:
        return RELATIONS[privacy["neighbours"]]
    return ", ".join(f"{visible(each['name'])}: {RELATIONS[each['neighbours']]}" for each in parameters)


def _called(notion: Notion) -> str:
    """A notion as people call it; by its letters where it has no other name."""
    if not notion.info.is_guarantee:
        return "a length, not a guarantee by itself"
    return " and ".join(notion.letters) if notion.info.short == f"({', '.join(notion.letters)})" else notion.info.short


def trusted_in(release: Release) -> Iterator[tuple[str, str]]:
    """What the protection depends on in addition to the proof, and what is said of it."""
    # A ledger may hand out a release that was stored before reports listed foreign code.
    for target in release.privacy.get("foreign", ()):
        yield f"the code of {visible(target)}", "only its type is known"
    for entry in release.releases:
        if entry["mechanism"] == TRUSTED:
            yield f"the release by given at {_place(entry)}", "only the program itself claims that it is private"


def _trusted(release: Release) -> str:
    """The same, each line ended."""
    return "".join(f"Trusted: {what}; {why}.\n" for what, why in trusted_in(release))


def _certified(value: Mapping[str, Any], tight: Mapping[str, float | None] | None) -> str:
    """What the accountant certifies, where that says more than the cost in the program's own notion."""
    return numbers_text(tight) if tight and is_certified(value, tight) else ""


def quiet_text(release: Release) -> str:
    """What nobody may miss, each line ended: that a result protects nobody, or that its protection is weak."""
    return f"{INSECURE}\n" if release.noise != "secure" else warnings_text(release)


def warnings_value(release: Release) -> list[str]:
    """The warnings, as JSON has them; that noise is insecure is said in the release itself."""
    told = warnings_text(release) if release.noise == "secure" else ""
    return [line.removeprefix("Warning: ") for line in told.splitlines()]


def releases_text(release: Release) -> str:
    """Every mechanism that ran, each line ended."""
    return "".join(_mechanism(entry) for entry in release.releases)


def data_text(release: Release) -> str:
    """What only the header of a file says about its cells, and what numbers outside of their range count as, each line ended."""
    told: list[str] = []
    for name, facts in release.data.items():
        own = {name: facts["separator"]} if "separator" in facts else {}
        for file, separator in {**own, **facts.get("separators", {})}.items():
            told.append(f"the cells of {visible(file)} are separated by {_SEPARATORS[separator]}")
        if "ranges" in facts:
            ranges = [f"{visible(column)} in {_range(ends)}" for column, ends in facts["ranges"].items()]
            told.append(
                f"numbers of {visible(name)} outside of their range count as its nearest end: {', '.join(ranges)}"
            )
    return "".join(f"Data: {each}.\n" for each in told)


def _range(ends: Sequence[float]) -> str:
    return f"[{', '.join(map(shown_end, ends))}]"


_SEPARATORS = {";": "semicolons", "\t": "tabs"}


def ledger_text(release: Release) -> str:
    """What a ledger was charged, as a line; nothing without a ledger."""
    facts = release.ledger
    if facts is None:
        return ""
    left = short(facts["remaining"], up=False) or "nothing"
    charged = "nothing" if facts["replayed"] else short(facts["charged"], up=True)
    why = " (this run was already charged before)" if facts["replayed"] else ""
    path, receipt = visible(facts["path"]), facts["receipt"]
    return f"Ledger: {charged} charged to {path}{why}, {left} left; receipt {receipt}.\n"


def _place(entry: Mapping[str, Any]) -> str:
    """The line of a mechanism, and the file where that is not the program; a ledger may hold releases that name no file."""
    file = entry.get("file")
    return f"line {entry['line']}" if file is None else f"line {entry['line']} of {visible(file)}"


def word_of(entry: Mapping[str, Any]) -> str:
    """A mechanism that ran, as the program writes it; a ledger may hand out a release from before reports had the word."""
    return str(entry.get("word", entry["mechanism"]))


def _mechanism(entry: Mapping[str, Any]) -> str:
    often = f", {entry['count']:,} times" if entry["count"] > 1 else ""
    parts = [f"sensitivity {bound(entry['sensitivity'])}"]
    if entry["scale"] is not None:
        parts.append(f"scale {figure(entry['scale'])}")
    if entry["error95"] is not None:
        parts.append(f"±{bound(entry['error95'])} per number (95 %)")
    if entry.get("score95") is not None:
        parts.append(f"a score at most {bound(entry['score95'])} below the best (95 %)")
    if entry.get("furthest") is not None:
        parts.append(f"a number of rows is off by {entry['furthest']:,} at most")
    return f"Release: {word_of(entry)} at {_place(entry)}{often}: {', '.join(parts)}.\n"


def _rows(release: Release) -> str:
    """How many rows there are, where that is public and the same for all data; nothing of values that are not tables."""
    data = release.data
    if release.privacy["neighbours"] == PERSONS:
        return " (the number of persons is private)"
    if any(facts["columns"] is None for facts in data.values()):
        return ""
    counts = {facts["rows"] for facts in data.values()}
    if len(counts) != 1:
        return ""
    rows = counts.pop()
    if release.privacy["neighbours"] == MIXED and any(
        each["neighbours"] in OF_PERSONS for each in release.privacy["parameters"]
    ):
        # Next to persons, whose rows nobody counts, are the rows of other tables.
        return " (the numbers of rows and persons are private)" if rows is None else ""
    if rows is None:
        return " (the number of rows is private)"
    unit = "person" if release.privacy["neighbours"] == REPLACE_PERSON else "row"
    return f" ({rows:,} {unit if rows == 1 else f'{unit}s'}, public)"


def known_text(value: float, error: float) -> str:
    """A number to a tenth of its error: further digits are noise. A count has no further digits."""
    if math.isfinite(value) and value == math.floor(value) and error == math.floor(error):
        return cell_text(value + 0.0)  # 0 has no sign
    places = max(0, 1 - math.floor(math.log10(error)))
    return f"{value:z.{places}f}" if places <= 17 else cell_text(round(value, places) + 0.0)
