"""``duetpy lsp``: the language server, which an editor starts and speaks with over standard input and output."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from duetpy.cli.console import Console

DONE, REFUSED = 0, 1

LIBRARIES = ("pygls", "lsprotocol")

NOT_INSTALLED = "error: the language server needs {name}, which is not installed\nhelp: pip install 'duetpy[lsp]'\n"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--stdio", action="store_true", help="use standard input and output, as it always does")
    parser.epilog = "An editor starts this command; docs/editors.md says how. It checks programs, and never reads data."


def run(arguments: argparse.Namespace, console: Console) -> int:
    try:
        from duetpy.lsp.server import server
    except ImportError as missing:
        name = (missing.name or "").partition(".")[0]
        if name not in LIBRARIES:
            raise
        console.err(NOT_INSTALLED.format(name=name))
        return REFUSED
    # The server closes the streams that it is given.
    server.start_io(os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb"))
    return DONE
