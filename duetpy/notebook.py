"""``%%duet`` for IPython and Jupyter: a cell that is a program, checked, or run on tables of the notebook.

    %load_ext duetpy

    %%duet mean --set ε=0.5
    pλ xs : 𝕄 [L∞, U | m, age : 𝔻 ∷ []], static ε : ℝ⁺ ⇒ …

    %%duet released --set ε=0.5 --data xs=people
    …

A cell is checked, and its value is a `Checked`, unless ``--data`` or ``--run`` asks for a run; then it is a `Release`. Noise is
always secure: there is no seed to give. What is refused is shown as ``duetpy check`` shows it, and the cell fails.
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable, Mapping
from keyword import iskeyword
from typing import TYPE_CHECKING, Any, NoReturn
from unicodedata import normalize

from IPython.core.error import UsageError

from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.diagnostics.display import as_word, visible
from duetpy.diagnostics.error import DuetError
from duetpy.diagnostics.text import Palette, render
from duetpy.loading import source_of
from duetpy.options import OnceParser
from duetpy.program import Checked, program_of
from duetpy.run_arguments import declared_values
from duetpy.settings import (
    WANTED,
    Data,
    DataFile,
    NoValue,
    Public,
    SettingError,
    exact_delta,
    parse_assignment,
    resolve,
)
from duetpy.typecheck.notions import BY_WORD
from duetpy.typecheck.persons import files_by_name
from duetpy.valuation import declared, without_paths

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from duetpy.program import Program
    from duetpy.runtime.release.release import Release

MAGIC = "duet"


class Refused(DuetError):
    """A refusal that a notebook shows as text with its excerpts, and not as a traceback."""

    def __init__(self, diagnostics: tuple[Diagnostic, ...] | list[Diagnostic], is_colourful: bool = False) -> None:
        super().__init__(diagnostics)
        self.palette = Palette(enabled=is_colourful)

    def _render_traceback_(self) -> list[str]:
        """What IPython shows in place of a traceback."""
        return [line for each in self.diagnostics for line in render(each, self.palette).splitlines()]


class _Parser(OnceParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(f"%%{MAGIC}: {message}")

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        raise UsageError(message or "")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(f"%%{MAGIC}", add_help=False, allow_abbrev=False)
    parser.add_argument("name", nargs="?", metavar="NAME")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", dest="settings")
    parser.add_argument("--data", action="append", default=[], metavar="[NAME=]TABLE")
    parser.add_argument("--id", action="append", default=[], metavar="FILE=COLUMN")
    parser.add_argument("--run", action="store_true")
    parser.add_argument("--notion", choices=tuple(BY_WORD), metavar="N")
    parser.add_argument("--delta", metavar="D")
    parser.add_argument("--ledger", metavar="PATH")
    parser.add_argument("--on-bad-row", choices=("refuse", "default", "drop"), default="refuse")
    return parser


USAGE = (
    "%%duet [NAME] [--set NAME=VALUE]… [--notion N] [--delta D] [--run] [--data [NAME=]TABLE]… [--id FILE=COLUMN]… [--ledger PATH] "
    "[--on-bad-row …]"
)


def load_ipython_extension(shell: InteractiveShell) -> None:
    """Called by ``%load_ext duetpy`` and ``%load_ext duetpy.notebook``."""

    def duet(line: str, cell: str) -> Checked | Release:
        return run_cell(shell, line, cell)

    duet.__doc__ = f"{USAGE}\n\n{__doc__}"
    register: Callable[..., None] = shell.register_magic_function
    register(duet, magic_kind="cell", magic_name=MAGIC)


def variable(text: str) -> str | None:
    """A word as the name of a variable, as Python keeps it (PEP 3131: a µ of a keyboard is a μ); None if none has that name."""
    return normalize("NFKC", text) if text.isidentifier() and not iskeyword(text) else None


def run_cell(shell: InteractiveShell, line: str, cell: str) -> Checked | Release:
    """Check the program in a cell, or run it.

    Parameters
    ----------
    shell
        The notebook, in whose namespace tables are found and the result is bound.
    line
        The rest of the line after ``%%duet``.
    cell
        The program.

    Raises
    ------
    Refused
        If the program, the data or the budget is refused.
    UsageError
        If the line cannot be read.
    """
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise UsageError(f"%%{MAGIC}: {error}") from None
    given, left = _parser().parse_known_args(words)
    if left:
        raise UsageError(f"%%{MAGIC}: cannot read {left[0].partition('=')[0]}\nusage: {USAGE}")
    name = None if given.name is None else variable(given.name)
    if given.name is not None and name is None:
        raise UsageError(f"%%{MAGIC}: {given.name} cannot be the name of a variable")
    program = program_of(source_of(f"<{name or 'cell'}>", cell), given.notion)
    try:
        found = _found(shell, program, given)
    except SettingError as error:
        raise UsageError(f"%%{MAGIC}: {error}") from None
    except DuetError as refusal:
        raise Refused(refusal.diagnostics, _is_colourful(shell)) from None
    if name is not None:
        shell.user_ns[name] = found
    return found


def _found(shell: InteractiveShell, program: Program, given: argparse.Namespace) -> Checked | Release:
    checked = program.check()
    settings = dict(declared_values(program.typed, _settings(given.settings)))
    delta = None if given.delta is None else _delta(given.delta)
    if not given.run and not given.data:
        runs = {"--ledger": given.ledger, "--id": given.id, "--on-bad-row": given.on_bad_row != "refuse"}
        for option, value in runs.items():
            if value:
                raise UsageError(f"%%{MAGIC}: {option} needs a run: add --data or --run")
        statement = program.state(settings, delta)
        if not statement.ok:
            raise DuetError(statement.diagnostics)
        return Checked(program, statement)
    told = without_paths(None if program.typed is None else program.typed.type, settings)
    values = {name: f"@{value.path}" if isinstance(value, DataFile) else value for name, value in told.items()}
    tables = _tables(shell, checked, given.data)
    # Every name is one of the program, so that none is taken for an option of the run: there is no way to a seed.
    files = files_by_name(declared(None if program.typed is None else program.typed.type).arguments)
    of_persons = {name: table for name, table in tables.items() if resolve(name, files) is not None}
    others = {name: table for name, table in tables.items() if name not in of_persons}
    rows = declared_values(program.typed, others)
    for name in values.keys() & rows.keys():
        raise SettingError(f"{visible(name)} is given both as data and as a public value")
    called = {name: value if isinstance(value, Public) else Data(value) for name, value in rows.items()}
    arguments: dict[str, Any] = {**values, **of_persons, **called}
    return checked.run(
        _on_bad_row=given.on_bad_row, _delta=delta, _ledger=given.ledger, _id=_columns(given.id), **arguments
    )


def _settings(texts: list[str]) -> dict[str, object]:
    found: dict[str, object] = {}
    for text in texts:
        name, value = parse_assignment(text)
        if name in found:
            raise SettingError(f"{visible(name)} is given twice")
        if isinstance(value, NoValue):
            raise SettingError(f"the value of {visible(name)} cannot be read: {WANTED}")
        found[name] = value
    return found


def _columns(texts: list[str]) -> dict[str, str]:
    """The columns of identifiers, by file of persons."""
    found: dict[str, str] = {}
    for text in texts:
        name, equals, column = text.partition("=")
        if not equals or not name or not column:
            raise SettingError(f"--id takes FILE=COLUMN, and not {text}")
        if name in found:
            raise SettingError(f"--id {name} is given twice")
        found[name] = column
    return found


def _delta(text: str) -> Any:
    try:
        return exact_delta(text)
    except ValueError as error:
        raise SettingError(str(error)) from None


def _tables(shell: InteractiveShell, checked: Checked, texts: list[str]) -> Mapping[str, object]:
    """The tables of a run by parameter: values of the notebook by their names, and files by their paths."""
    found: dict[str, object] = {}
    for text in texts:
        parameter, equals, source = text.partition("=")
        if not equals:
            parameter, source = _only_private(checked), text
        if parameter in found:
            raise SettingError(f"{parameter} is given twice")
        if (own := variable(source)) is not None:
            if own not in shell.user_ns:
                raise SettingError(f"the notebook has no variable {source}")
            found[parameter] = shell.user_ns[own]
        else:
            found[parameter] = source
    return found


def _only_private(checked: Checked) -> str:
    private = [each.name for each in checked.parameters.values() if each.private]
    if len(private) != 1:
        names = " or ".join(f"--data {as_word(name)}=…" for name in private) or "it protects nothing"
        raise SettingError(f"the program has {len(private)} private parameters; write {names}" if private else names)
    return private[0]


def _is_colourful(shell: InteractiveShell) -> bool:
    return str(getattr(shell, "colors", "nocolor")).lower() != "nocolor"
