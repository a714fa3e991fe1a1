"""Writes docs/command-line.md, the reference of the command line, from its grammar: ``python tools/command_line.py``.

A test compares the page with what this writes.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from duetpy.cli.commands import COMMANDS, command_of

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "command-line.md"

INTRODUCTION = """\
# The command line

Every command and every option, as `duetpy COMMAND --help` prints them. Every command also takes `--help`, and
`--color auto|always|never`: *auto* prints in colour on a terminal, unless `NO_COLOR` is set or `TERM` is `dumb`. `duetpy --version`
prints the version. An option is given once, unless it says that it may be repeated. Standard output carries the result
alone, so it can be piped; privacy statements, warnings and diagnostics go to standard error (with
`--format json`, diagnostics and warnings as JSON, one object a line). With `pip install 'duetpy[rich]'`, a terminal
that shows colours also gets tables with rules, the pages of `explain` laid out, a bar in `ledger show`, and a spinner
while a run takes long; pipes and files get the same bytes as without it.

| exit code | what it means |
|---|---|
| 0 | done |
| 1 | a diagnostic says what was refused, or what an audit found; or `fmt --check` or `--diff` found a file to change |
| 2 | the command line is malformed |
| 70 | an internal error, too little memory, or output that could not be written |
| 130 | interrupted |

`python tools/command_line.py` writes this page from the command line's own grammar.
"""


def grammars() -> Iterator[tuple[str, str, argparse.ArgumentParser]]:
    """Every command, and every command of a command: its words, what it is for, and its grammar."""
    for name, summary in COMMANDS.items():
        parser = argparse.ArgumentParser(add_help=False)
        command_of(name).configure(parser)
        yield name, summary, parser
        for action in parser._actions:
            if isinstance(action, argparse._SubParsersAction):
                summaries = {choice.dest: choice.help or "" for choice in action._choices_actions}
                for word, inner in action.choices.items():
                    yield f"{name} {word}", summaries[word], inner


def options(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    """The options of a command, without ``--help``."""
    return [action for action in parser._actions if action.option_strings and action.dest != "help"]


def page() -> str:
    """The text of the page."""
    return INTRODUCTION + "".join(_section(*each) for each in grammars())


def _section(name: str, summary: str, parser: argparse.ArgumentParser) -> str:
    """A command: what it is for, its words in their order, and its options."""
    found = f"\n## duetpy {name}\n\n{summary[:1].upper()}{summary[1:]}.\n"
    words = [action for action in parser._actions if not action.option_strings]
    rows = [
        (_word(action), action.help or "") for action in words if action.help is not argparse.SUPPRESS and action.help
    ]
    rows += [(_option(action), action.help or "") for action in options(parser)]
    if rows:
        found += "\n| argument | what it is |\n|---|---|\n"
        found += "".join(f"| {said} | {_cell(text.replace('%%', '%'))} |\n" for said, text in rows)
    return found


def _word(action: argparse.Action) -> str:
    return f"`{_cell(str(action.metavar or action.dest))}`" + (
        ", any number of them" if action.nargs in ("+", "*") else ""
    )


def _option(action: argparse.Action) -> str:
    """An option with the value that it takes, as it is typed."""
    if action.nargs == 0:
        return ", ".join(f"`{name}`" for name in action.option_strings)
    value = action.metavar or (f"{{{','.join(map(str, action.choices))}}}" if action.choices else action.dest.upper())
    return ", ".join(f"`{name} {_cell(str(value))}`" for name in action.option_strings)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "\\<") if "`" not in text else text


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
