"""Options that several commands share: ``--set``, ``--delta``, ``--notion``, ``--format``, and what reads a budget."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from duetpy.typecheck.notions import BY_WORD, Notion

if TYPE_CHECKING:
    from fractions import Fraction

    from duetpy.accounting.budget import Budget
    from duetpy.report.error_goal import ErrorGoal
    from duetpy.settings import Value


def add_settings(parser: argparse.ArgumentParser, *, delta: bool = True) -> None:
    """``--set``, ``--notion`` and, unless the command has a δ of its own, ``--delta``."""
    parser.add_argument(
        "--set",
        action=_Set,
        default={},
        type=_assignment,
        metavar="NAME=VALUE",
        dest="settings",
        help="a public number (ε=0.5 or eps=0.5, k=100) or table (bs=@bounds.csv); visible to everyone who can list "
        "processes; may be repeated",
    )
    if delta:
        parser.add_argument(
            "--delta",
            type=_probability,
            metavar="D",
            help="the δ at which the tight (ε, δ) is computed (default: the program's own, else 1e-6)",
        )
    parser.add_argument(
        "--persons",
        action=_Persons,
        default={},
        type=_grouped,
        metavar="NAME=COLUMN,K",
        help="protect persons instead of rows: rows of the data frame NAME with the same value in COLUMN belong to one person, "
        "and at most K of them count; may be repeated",
    )
    names = [notion.value for notion in Notion]
    parser.add_argument(
        "--notion",
        choices=(*names, *sorted(BY_WORD.keys() - set(names))),
        metavar="N",
        help=f"compute the cost in this notion, whatever the file name says: {', '.join(names)}",
    )


def add_format(parser: argparse.ArgumentParser) -> None:
    """``--format``, of a command that prints a text or JSON."""
    parser.add_argument(
        "--format", choices=("text", "json"), default="text", help="text (the default) or one JSON object"
    )


def budget(text: str) -> Budget:
    """A budget, as ``--budget`` takes it."""
    from duetpy.accounting.budget import parse_budget

    with _as_argument():
        return parse_budget(text)


def error(text: str) -> ErrorGoal:
    """An error, as ``--error`` takes it."""
    from duetpy.report.error_goal import parse_error

    with _as_argument():
        return parse_error(text)


class _Set(argparse.Action):
    """Gathers assignments; a name, however spelled, may be given once."""

    def __call__(self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, *_: Any) -> None:
        name, value = values
        settings = dict(getattr(namespace, self.dest))
        if name in settings:
            parser.error(f"argument --set: {name} is given twice")
        setattr(namespace, self.dest, settings | {name: value})


class _Persons(argparse.Action):
    """Gathers tables; each may be given once."""

    def __call__(self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, *_: Any) -> None:
        name, grouped = values
        persons = dict(getattr(namespace, self.dest))
        if name in persons:
            parser.error(f"argument --persons: {name} is given twice")
        setattr(namespace, self.dest, persons | {name: grouped})


_MOST_DIGITS = 15
"""Nobody has more rows than a number of so many digits says; how many digits Python reads is a setting of the process."""


def _grouped(text: str) -> tuple[str, tuple[str, int]]:
    """``visits=patient,3``."""
    from duetpy.diagnostics.display import visible

    name, is_given, rest = text.partition("=")
    column, _, most = rest.rpartition(",")
    is_number = most.isascii() and most.isdecimal() and len(most) <= _MOST_DIGITS
    if not (is_given and name and column and is_number and int(most)):
        raise argparse.ArgumentTypeError(f"{visible(text[:80])} is not NAME=COLUMN,K, such as visits=patient,3")
    return name, (column, int(most))


def _assignment(text: str) -> tuple[str, Value]:
    from duetpy.settings import parse_assignment

    with _as_argument():
        return parse_assignment(text)


def _probability(text: str) -> Fraction:
    from duetpy.settings import parse_number

    with _as_argument():
        number = parse_number(text)
    if not 0 < number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not between 0 and 1")
    return number


@contextmanager
def _as_argument() -> Iterator[None]:
    """A setting that cannot be read is reported as an error of its argument."""
    from duetpy.settings import SettingError

    try:
        yield
    except SettingError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
