"""``duetpy ledger create|show|verify|export PATH``: budgets, and what has been spent of them."""

from __future__ import annotations

import argparse
import os
import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from duetpy.cli.console import Console
from duetpy.cli.options import add_format, budget
from duetpy.cli.pictures import add_plot, plotted

if TYPE_CHECKING:
    from duetpy.ledger.state import State

DONE, REFUSED, UNWRITTEN = 0, 1, 70

FORMATS = ("csv", "json", "html")

_RECEIPT = re.compile(r"([0-9]{1,15}):([0-9a-f]{64})")


def configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="create|show|verify|export", required=True)
    create = actions.add_parser("create", help="create a ledger")
    create.add_argument(
        "--budget",
        required=True,
        type=budget,
        metavar="epsilon=E,delta=D",
        help="the total privacy budget of the data set: epsilon=1,delta=1e-6, epsilon=1 (pure), rho=0.5 or mu=1",
    )
    create.add_argument("--dataset", metavar="NAME", help="the name of the data (default: the name of the ledger file)")
    show = actions.add_parser("show", help="show what was spent, and on what")
    add_format(show)
    add_plot(show, "how much of the budget each run spent")
    verify = actions.add_parser("verify", help="check that every entry is unchanged")
    verify.add_argument(
        "--receipt",
        metavar="N:HASH",
        type=_receipt,
        help="also check that the entry of this receipt, printed by a run, is still there",
    )
    export = actions.add_parser("export", help="write all charges as a table, as JSON or as a page")
    export.add_argument(
        "--format", choices=FORMATS, help="what to write (default: csv, or what the ending of --out says)"
    )
    export.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        help="write to this file, which ends in .csv, .json or .html, not to standard output",
    )
    for action in (create, show, verify, export):
        action.add_argument("path", metavar="PATH", type=Path, help="the ledger's file")
    parser.epilog = "example: duetpy ledger create people.ledger --budget epsilon=1,delta=1e-6"


def _receipt(text: str) -> tuple[int, str]:
    found = _RECEIPT.fullmatch(text)
    if found is None:
        raise argparse.ArgumentTypeError(f"not a valid receipt: '{text}'; a run prints one, such as 3:9f86d0…")
    return int(found[1]), found[2]


def run(arguments: argparse.Namespace, console: Console) -> int:
    from duetpy.diagnostics.error import DuetError

    if arguments.action == "create" and not console.can_show():
        # A ledger that was begun but not reported would be in the way of the next attempt.
        console.failed = True
        return UNWRITTEN
    try:
        match arguments.action:
            case "create":
                _create(arguments, console)
            case "show":
                return _show(arguments, console)
            case "export":
                return _export(arguments, console)
            case _:
                _verify(arguments, console)
    except DuetError as refusal:
        console.refuse(refusal.diagnostics)
        return REFUSED
    return DONE


def _create(arguments: argparse.Namespace, console: Console) -> None:
    from duetpy.diagnostics.display import visible
    from duetpy.ledger.show import amounts, limit
    from duetpy.ledger.store import create

    path: Path = arguments.path
    dataset = arguments.dataset or path.stem
    create(path, arguments.budget, dataset)
    console.out(f"{visible(str(path))}: {amounts(limit(arguments.budget))} for {visible(dataset)}\n")


def _show(arguments: argparse.Namespace, console: Console) -> int:
    """Show a ledger; the exit code."""
    from duetpy.ledger.show import text, value
    from duetpy.ledger.store import Ledger

    state = Ledger(arguments.path).state()
    if arguments.plot is not None and (code := _plotted(state, arguments, console)):
        return code
    if arguments.format == "json":
        console.json(value(state))
    elif console.is_drawn:
        from duetpy.cli.drawn import ledger

        console.out(ledger(state, console.width or console.columns))
    else:
        console.out(text(state))
    return DONE


def _plotted(state: State, arguments: argparse.Namespace, console: Console) -> int:
    from duetpy.report.pictures import spending

    _refuse_ledger("--plot", arguments.plot, arguments)
    return plotted(lambda: spending(state), arguments.plot, console)


def _export(arguments: argparse.Namespace, console: Console) -> int:
    """Write a ledger; the exit code."""
    from duetpy.diagnostics.display import json_text
    from duetpy.ledger.show import value
    from duetpy.ledger.store import Ledger
    from duetpy.report.ledger_export import ledger_csv, ledger_html

    shown, target = _chosen(arguments), arguments.out
    state = Ledger(arguments.path).state()
    match shown:
        case "csv":
            text = ledger_csv(state, on_terminal=target is None and console.is_terminal)
        case "html":
            text = ledger_html(state)
        case _:
            text = json_text(value(state), ascii_only=target is None and console.ascii) + "\n"
    if target is None:
        console.out_as_laid_out(text)
        return DONE
    is_written = console.file(target, partial(Path.write_text, data=text, encoding="utf-8", errors="backslashreplace"))
    return DONE if is_written else UNWRITTEN


def _chosen(arguments: argparse.Namespace) -> str:
    """What to write; ends with 2 where the command line contradicts itself, or would write over the ledger."""
    parser: argparse.ArgumentParser = arguments.parser
    target: Path | None = arguments.out
    asked: str | None = arguments.format
    if target is None:
        return asked or "csv"
    written = target.suffix.lower().removeprefix(".")
    if written not in FORMATS:
        parser.error(f"argument --out: the name of the file must end in .csv, .json or .html: {target}")
    if asked is not None and asked != written:
        parser.error(f"argument --out: {target} contradicts --format {asked}; leave --format out")
    _refuse_ledger("--out", target, arguments)
    return written


def _refuse_ledger(option: str, target: Path, arguments: argparse.Namespace) -> None:
    """End with 2 if a file to write is the ledger, under whatever name, or can be no file."""
    parser: argparse.ArgumentParser = arguments.parser
    ledger: Path = arguments.path
    try:
        is_same = os.path.realpath(target) == os.path.realpath(ledger) or (
            os.path.exists(ledger) and target.exists() and target.samefile(ledger)
        )
    except (OSError, ValueError) as error:
        parser.error(f"argument {option}: {target} cannot be written: {getattr(error, 'strerror', None) or error}")
    if is_same:
        parser.error(f"argument {option}: {target} is the ledger")


def _verify(arguments: argparse.Namespace, console: Console) -> None:
    from duetpy.ledger.store import Ledger, verified

    state = Ledger(arguments.path).state()
    if arguments.receipt is not None:
        verified(arguments.path, state, *arguments.receipt)
    count = len(state.entries)
    console.out(f"intact: {count} {'entry' if count == 1 else 'entries'}, receipt {count}:{state.head}\n")
