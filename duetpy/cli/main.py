"""The command line: one file a command, chosen here.

Exit codes: 0 done; 1 the program, the data or the budget was refused; 2 the command line was malformed; 70 an internal
fault, too little memory, a library that cannot be loaded, or output that could not be written; 130 interrupted. A fault prints one
fixed line, never what was being worked on: a traceback could show data.
"""

from __future__ import annotations

import gc
import sys

# Nothing else is imported here, not even `typing`: Python reports an interruption during an import of this file as a traceback.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from duetpy.cli.console import Console

DONE, REFUSED, MALFORMED, FAULT, INTERRUPTED = 0, 1, 2, 70, 130

INTERRUPTED_LINE = "\ninterrupted\n"
UNWRITTEN_LINE = "duetpy: the output could not be written\n"
NO_MEMORY_LINE = "duetpy: there is too little memory for this command\n"
NO_LIBRARY_LINE = (
    "duetpy: a library could not be loaded; its installation is broken, or there is too little memory (ulimit -v)\n"
)


def entry() -> None:
    """The ``duetpy`` script."""
    # What starting up makes lives until the end: the collector of cycles need not walk through it a hundred times.
    gc.set_threshold(250_000, 20, 50)
    try:
        from duetpy.cli.console import occupy_streams

        occupy_streams()
        code = main()
    except KeyboardInterrupt:
        # It fell before or after the command, which reports its own interruptions.
        _last_words(INTERRUPTED_LINE)
        code = INTERRUPTED
    # The command has imported it, unless it was interrupted before that: above, the name would be missing then.
    import signal

    # Everything is done and reported: what the interpreter still has to do is not worth a traceback.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if "duckdb" not in sys.modules:
        # Nor need it look for cycles in what the end of the process gives back anyway. DuckDB lists all that is left of it then,
        # on standard error, as a leak.
        gc.freeze()
    sys.exit(code)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; no exception of the command leaves."""
    from duetpy.cli.console import Console
    from duetpy.cli.interrupts import noted_interruptions

    words = sys.argv[1:] if argv is None else argv
    console = Console(words)
    try:
        with noted_interruptions(console):
            code = _run(words, console)
            console.close()
    except KeyboardInterrupt:
        _last_words(INTERRUPTED_LINE)
        return INTERRUPTED
    except Exception as error:
        _last_words(INTERRUPTED_LINE if console.interrupted else _fault_line(error))
        return INTERRUPTED if console.interrupted else FAULT
    if console.failed:
        _last_words("" if console.is_told else UNWRITTEN_LINE)
        _last_words(_if_lost(console))
        return code or FAULT
    return code


def _run(argv: Sequence[str], console: Console) -> int:
    from duetpy.cli.arguments import parse_arguments

    try:
        arguments = parse_arguments(argv, console)
        code: int = arguments.command(arguments, console)
    except SystemExit as stop:
        # argparse leaves this way: 0 after --help and --version, 2 after a malformed command line.
        return stop.code if isinstance(stop.code, int) else MALFORMED
    return code


def _fault_line(error: Exception) -> str:
    """What is said of a fault, which is nothing of what the exception says; what a computer lacks is no error in duetpy."""
    from duetpy.cli.console import FAULT_LINE

    match error:
        case MemoryError():
            return NO_MEMORY_LINE
        case ImportError():
            return NO_LIBRARY_LINE
        case _:
            return FAULT_LINE


def _if_lost(console: Console) -> str:
    """What a command has to say of output that was lost; it says it if it can."""
    try:
        return "" if console.if_lost is None else console.if_lost()
    except (Exception, KeyboardInterrupt):
        return ""


def _last_words(line: str) -> None:
    try:
        sys.stderr.write(line)
        sys.stderr.flush()
    except (OSError, ValueError, AttributeError):
        # Nobody can read a message; the exit code still reports it.
        return
