"""The commands there are, each a file of this folder that is imported when it is given."""

from __future__ import annotations

import argparse
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from duetpy.cli.console import Console

COMMANDS = {
    "check": "prove what programs cost, without reading data",
    "run": "check a program and release its result on data",
    "why": "explain how a sensitivity or a cost arose, use by use and rule by rule",
    "cost": "compare the costs of one program in every notion of privacy",
    "calibrate": "find the value of a public number that meets a budget",
    "schema": "draft a program on CSV files that checks and runs on them (reads private data)",
    "ledger": "keep the privacy budget of a data set, and record what was spent",
    "audit": "try to refute what check proves, on generated data",
    "fmt": "format programs in one layout, with their comments",
    "explain": "explain a diagnostic code, a rule, a mechanism, a primitive, a notion or a term",
    "repl": "check expressions and definitions as they are typed",
    "lsp": "serve an editor: diagnostics while typing, types and costs, renaming, completion",
    "completion": "print a script that completes commands and options in a shell",
}


class Command(Protocol):
    """What the file of a command offers."""

    def configure(self, parser: argparse.ArgumentParser) -> None: ...

    def run(self, arguments: argparse.Namespace, console: Console) -> int: ...


def command_of(name: str) -> Command:
    """The file of a command."""
    return cast(Command, import_module(f"duetpy.cli.{name}"))
