"""``duetpy why FILE [NAME]``: how a parameter's sensitivity or cost arose, use by use and rule by rule."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from duetpy.cli.check import opened
from duetpy.cli.console import Console
from duetpy.cli.options import add_format, add_settings

if TYPE_CHECKING:
    from duetpy.report.why import Why

DONE, REFUSED = 0, 1


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a program; - is standard input")
    parser.add_argument(
        "name", metavar="NAME", nargs="?", help="a parameter of the program (default: all that the program protects)"
    )
    add_settings(parser, delta=False)
    parser.add_argument(
        "--depth", type=_depth, metavar="N", help="show at most N steps, one inside another (at most 200)"
    )
    add_format(parser)
    parser.epilog = (
        "If a program is refused, the bodies of the refused mechanisms are explained, and the exit code is 1.\n"
        "example: duetpy why gd.ed.duet xs --set m=569"
    )


def _depth(text: str) -> int:
    if not text.isdecimal() or not text.isascii() or len(text) > 9 or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of steps: give a whole number from 1")
    return int(text)


def run(arguments: argparse.Namespace, console: Console) -> int:
    from duetpy.diagnostics.as_json import diagnostic_value
    from duetpy.diagnostics.error import DuetError
    from duetpy.settings import SettingError

    parser: argparse.ArgumentParser = arguments.parser
    program = opened(arguments, console)
    try:
        found = program.why(arguments.name, arguments.settings, arguments.depth)
    except SettingError as error:
        parser.error(str(error))
    except DuetError as refusal:
        if arguments.format == "json":
            told = [diagnostic_value(diagnostic) for diagnostic in refusal.diagnostics]
            notion = program.notion.value
            console.json({"file": program.name, "ok": False, "notion": notion, "parameters": [], "diagnostics": told})
        else:
            console.refuse(refusal.diagnostics)
        return REFUSED
    _tell(found, arguments.format, console)
    return DONE if found.ok else REFUSED


def _tell(found: Why, form: str, console: Console) -> None:
    if form == "json":
        console.json(found.to_json())
        return
    console.refuse(found.statement.diagnostics)
    console.out(found.text(console.ascii))
