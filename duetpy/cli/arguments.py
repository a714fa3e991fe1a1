"""The command line's grammar. Only the command that is given is imported: starting up is most of a short run."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from duetpy.cli.commands import COMMANDS, command_of
from duetpy.diagnostics.closest import or_else
from duetpy.diagnostics.display import visible
from duetpy.options import OnceParser

if TYPE_CHECKING:
    from duetpy.cli.console import Console

UNBUILT = {
    "policy": "reserved for a later version",
}
"""Commands that one may look for here."""

_DESCRIPTION = "A language, type checker and runtime for differentially private programs."
_EPILOG = """\
exit codes: 0 done; 1 the program, the data or the budget was refused; 2 the command line was malformed;
70 an internal error, too little memory, or output that could not be written; 130 interrupted"""


def parse_arguments(argv: Sequence[str], console: Console) -> argparse.Namespace:
    """The arguments of the command that `argv` names, with the command itself under ``command``.

    Raises
    ------
    SystemExit
        With 0 after ``--help`` and ``--version`` and where nothing is given, with 2 where the command line is malformed.
    """

    class Parser(OnceParser):
        """Prints through the console, which knows what to do where a stream is closed."""

        def print_help(self, file: object = None) -> None:
            console.out_as_laid_out(self.format_help())

        def _check_value(self, action: argparse.Action, value: Any) -> None:
            if action.choices is not None and value not in action.choices:
                known = [str(each) for each in action.choices]
                hint = or_else(str(value), known)
                listed = ", ".join(map(repr, known))
                message = f"invalid choice: '{visible(str(value)[:40])}'{hint} (choose from {listed})"
                raise argparse.ArgumentError(action, message)

        def error(self, message: str) -> NoReturn:
            console.err(f"{self.prog}: error: {message}\n{self.prog} --help shows how it is used\n")
            self.exit(2)

    parser = Parser(
        "duetpy",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_Version, nargs=0, console=console, help="print the version and exit")
    parsers = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    chosen = next((word for word in argv if not word.startswith("-")), None)
    comes_first = chosen in COMMANDS and argv[0] == chosen
    for name, summary in COMMANDS.items():
        if comes_first and name != chosen:
            continue  # only the help and the errors of the first word name the other commands
        added = parsers.add_parser(
            name,
            help=summary,
            description=summary[0].upper() + summary[1:] + ".",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        if name == chosen:
            command = command_of(name)
            command.configure(added)
            _add_color(added, "auto")
            for each in _subcommands(added):
                # What stands before the subcommand is not forgotten.
                _add_color(each, argparse.SUPPRESS)
            added.set_defaults(command=command.run, parser=added)
    if chosen in UNBUILT and argv[0] == chosen:
        parser.error(f"unknown command '{chosen}': {UNBUILT[chosen]}")
    if argv and argv[0] == chosen and chosen not in COMMANDS:
        hint = or_else(chosen, COMMANDS)
        parser.error(f"invalid choice: '{visible(chosen[:40])}'{hint} (choose from {', '.join(map(repr, COMMANDS))})")
    if not argv:
        parser.print_help()
        parser.exit()
    arguments, left = parser.parse_known_args(argv)
    if left:
        called = getattr(arguments, "parser", parser)
        called.error(_unknown(left, called))
    console.color = arguments.color
    return arguments


def _add_color(parser: argparse.ArgumentParser, default: str) -> None:
    parser.add_argument(
        "--color",
        choices=("auto", "always", "never"),
        default=default,
        help="print in colour: auto (the default) on a terminal only, and not if NO_COLOR is set or TERM is dumb",
    )


def _subcommands(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            yield from action.choices.values()


def _unknown(words: Sequence[str], parser: argparse.ArgumentParser) -> str:
    """Options that do not exist, by name. Any other word may be part of a private value that stood in no quotation marks."""
    known = [name for action in parser._actions for name in action.option_strings if name.startswith("--")]
    options = [word.partition("=")[0] for word in words if _OPTION.match(word)]
    if options:
        name = options[0].lstrip("-")
        meant = or_else(name, [each[2:] for each in known], "--")
        if not meant and "--set" in known:
            meant = f"; a number of the program is given with --set, such as --set {name}=0.5"
        return f"unrecognized arguments: {', '.join(options)}{meant}"
    counted = "one argument" if len(words) == 1 else f"{len(words)} arguments"
    where = ": data is given with --data, numbers with --set" if "--data" in known else ""
    return f"{counted} too many{where}"


_OPTION = re.compile(r"--?[A-Za-z]")


class _Version(argparse.Action):
    """Prints the version; through the console, which knows what to do when nobody reads it."""

    def __init__(self, console: Console, **options: Any) -> None:
        super().__init__(**options)
        self.console = console

    def __call__(self, parser: argparse.ArgumentParser, *_: Any, **__: Any) -> None:
        from duetpy import __version__

        self.console.out(f"duetpy {__version__}\n")
        parser.exit()
