"""What the values of the Python interface look like: one line, and tables in a notebook.

Contract. What a run with insecure noise found stands in no line, and a notebook shows it with the words that it protects nobody.
All else that is shown is public: formulas, sizes and numbers of the program, and what was released.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from duetpy.accounting.figures import bound, figure
from duetpy.diagnostics.markup import block, paragraph, shortened, table
from duetpy.diagnostics.text import render
from duetpy.report.check_text import RELATIONS, cost_text, is_exposed, numbers_text
from duetpy.report.release_text import (
    data_text,
    known_text,
    ledger_text,
    privacy_text,
    shows_sizes,
    trusted_in,
    value_text,
)
from duetpy.runtime.release.result_table import cell_text
from duetpy.typecheck.notions import BY_WORD

if TYPE_CHECKING:
    from duetpy.report.picture import Picture
    from duetpy.report.verdict import Parameter, Statement
    from duetpy.runtime.release.release import Release
    from duetpy.runtime.release.result_table import Column, Table

MOST_NAMED = 3
"""So many parameters or columns stand in one line."""

LARGE = 1e15
"""A number from here on is written with its power of ten."""

MOST_ROWS = 60
"""So many rows of a result are shown; as in pandas."""


# ---------------------------------------------------------------------------------------------------------------------
# What is proved


def statement_line(statement: Statement) -> str:
    """What is proved, in one line."""
    told = [each for each in statement.parameters if each.private or each.cost is None]
    name = shortened(statement.file)
    if not told:
        return f"{name}: protects nothing; type {shortened(statement.type or 'none')}"
    headline = f"{statement.notion.info.headline}; " if any(each.private for each in told) else ""
    return f"{name}: {headline}{_some([shortened(f'{each.name} {_proved(each)}') for each in told])}{statement.premises.line}"


def statement_html(statement: Statement) -> str:
    """What is proved, as tables."""
    title = statement.file
    if any(each.private for each in statement.parameters):
        title = f"{title}: {statement.notion.info.headline}, {RELATIONS[statement.neighbours]}"
    rows = [(each.name, each.type, _proved(each) + _certified(each)) for each in statement.parameters]
    shown = [table(("parameter", "type", "what is proved"), rows, title)]
    if statement.releases:
        shown.append(table(("release", "line", "sensitivity", "scale", "± (95 %)"), _noise(statement.released())))
    shown += map(paragraph, statement.premises)
    shown += [block(render(diagnostic)) for diagnostic in statement.diagnostics]
    return "".join(shown)


def _proved(parameter: Parameter) -> str:
    if parameter.cost is None:
        return f"sensitivity {parameter.sensitivity}"
    if is_exposed(parameter):
        return "public: not protected by this program"
    return f"costs {cost_text(parameter.cost)}" if parameter.private else "public"


def _certified(parameter: Parameter) -> str:
    return f", tight {numbers_text(parameter.tight)}" if parameter.private and parameter.tight is not None else ""


def _noise(releases: Sequence[Mapping[str, object]]) -> Iterator[tuple[str, ...]]:
    for each in releases:
        found = (each[key] for key in ("mechanism", "line", "sensitivity", "scale", "error95"))
        yield tuple(["" if cell is None else str(cell) for cell in found])


def _some(said: Sequence[str]) -> str:
    more = [f"and {len(said) - MOST_NAMED} more"] if len(said) > MOST_NAMED else []
    return ", ".join([*said[:MOST_NAMED], *more])


# ---------------------------------------------------------------------------------------------------------------------
# Releases


class ReleaseDisplay:
    """How a release is shown."""

    def line(self, release: Release) -> str:
        """What was released and how it is protected, in one line."""
        name = shortened(release.program)
        if release.noise != "secure":
            return f"{name}: INSECURE, protects nobody"
        return f"{name}: {_found(release)}; {_protection(release)}"

    def html(self, release: Release) -> str:
        """The result as a table, and below it what ``run`` says on standard error."""
        return result_html(release, MOST_ROWS) + paragraph(said_of(release))

    def plot(self, release: Release) -> Picture:
        """The numbers of the result with their errors."""
        from duetpy.report.pictures import released

        return released(release)


def said_of(release: Release) -> str:
    """What ``run`` says on standard error, each line ended."""
    return data_text(release) + privacy_text(release) + ledger_text(release)


def result_html(release: Release, most: int | None = None) -> str:
    """The result as a table, of so many rows at most."""
    if release.shape is None:
        return block(release.to_json(indent=2))
    result = release.table()
    header = [_heading(column) for column in result.columns]
    shown = table(header, _rows(result, most), release.program)
    left = len(result.rows) - len(result.rows[:most])
    return shown + (paragraph(f"{left:,} more rows") if left else "")


def _found(release: Release) -> str:
    if release.shape is None:
        return "a result"
    result = release.table()
    if result.is_one_value:
        return shortened(value_text(result.rows[0][0], result.columns[0].error95).strip())
    if len(result.rows) == 1 and len(result.columns) > 1:
        return _some(
            [
                shortened(f"{column.name} = {_short(cell, column.error95)}")
                for column, cell in zip(result.columns, result.rows[0], strict=True)
            ]
        )
    columns = _some([shortened(column.name) for column in result.columns])
    return f"{len(result.rows):,} {'row' if len(result.rows) == 1 else 'rows'} of {columns}"


def _short(cell: Any, error95: float | None = None) -> str:
    """A cell: a number as far as its error lets it be known; else with six digits, those before its point all the same."""
    match cell:
        case bool() | str():
            return cell_text(cell)
        case int() | float() if error95:
            return known_text(cell, error95)
        case float() if 1e6 <= abs(cell) < LARGE:
            return f"{cell:.0f}"
        case float():
            return figure(cell)
        case _:
            return cell_text(cell)


def _protection(release: Release) -> str:
    trusted = _some([what for what, _ in trusted_in(release)])
    rests = f"; trusted: {trusted}" if trusted else ""
    if not release.privacy["parameters"]:
        return ("depends on no cell of the data" if shows_sizes(release) else "depends on no data") + rests
    total: Mapping[str, Any] = release.privacy["total"]
    notion = BY_WORD.get(total["notion"])
    called = total["notion"] if notion is None else notion.info.short
    numbers = numbers_text({name: value for name, value in total.items() if name != "notion"})
    return f"{numbers} ({called}){rests}"


def _heading(column: Column) -> str:
    return column.name if column.error95 is None else f"{column.name} (± {bound(column.error95)}, 95 %)"


def _rows(result: Table, most: int | None) -> Iterator[Sequence[str]]:
    for row in result.rows[:most]:
        yield [_short(cell, column.error95) for column, cell in zip(result.columns, row, strict=True)]
