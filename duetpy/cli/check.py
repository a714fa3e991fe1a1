"""``duetpy check FILE…``: prove what programs cost, without reading data."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from duetpy.cli.console import Console
from duetpy.cli.options import add_settings
from duetpy.cli.pictures import add_plot, curves_plotted

if TYPE_CHECKING:
    from duetpy.diagnostics.diagnostic import Diagnostic
    from duetpy.program import Program
    from duetpy.report.verdict import Statement

DONE, REFUSED = 0, 1

CAPPED = "; there may be more: at most 100 are shown per program"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", metavar="FILE", help="a program; - is standard input")
    add_settings(parser)
    parser.add_argument(
        "--format",
        choices=("text", "json", "sarif"),
        default="text",
        help="text (the default), json: one object per file, one per line; sarif: one log for all files",
    )
    parser.add_argument(
        "--core",
        action="store_true",
        help="print the program as the checker understood it, instead of what it costs: a program that stands alone and has "
        "the same type and cost, with imports as lets, inferred types and numbers written out",
    )
    parser.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        help="also show types, public parameters, and in numbered sentences what the program does to the data",
    )
    add_plot(parser)
    parser.epilog = "example: duetpy check gd.zcdp.duet --set m=569 --set n=30 --set k=50 --set rho=0.02 --delta 1e-6"


def run(arguments: argparse.Namespace, console: Console) -> int:
    from duetpy.loading import STANDARD_INPUT
    from duetpy.program import open_program
    from duetpy.settings import SettingError

    parser: argparse.ArgumentParser = arguments.parser
    if arguments.files.count(STANDARD_INPUT) > 1:
        parser.error("standard input can be read only once")
    if arguments.core and arguments.format == "sarif":
        parser.error("argument --core: the core is printed as text or JSON, not as sarif")
    if arguments.plot is not None and len(arguments.files) > 1:
        parser.error("argument --plot: a picture is of one program")
    programs = [_grouped(open_program(name, arguments.notion, "command line"), arguments) for name in arguments.files]
    answer_alike(programs, console)
    refuse_unknown_names(programs, arguments)
    _refuse_plot(programs[0], arguments)
    try:
        statements = [program.state(arguments.settings, arguments.delta) for program in programs]
    except SettingError as error:
        parser.error(f"argument --set: {error}")
    if arguments.core:
        statements = _tell_cores(programs, statements, arguments, console)
    else:
        _tell(programs, statements, arguments, console)
    if arguments.plot is not None and statements[0].ok:
        found = programs[0].compare(arguments.settings, arguments.delta)
        if code := curves_plotted(found, arguments.plot, console):
            return code
    return DONE if all(statement.ok for statement in statements) else REFUSED


def opened(arguments: argparse.Namespace, console: Console) -> Program:
    """The one program of a command line, with the names that this sets."""
    from duetpy.program import open_program

    program = _grouped(open_program(arguments.file, arguments.notion, "command line"), arguments)
    answer_alike([program], console)
    refuse_unknown_names([program], arguments)
    _refuse_plot(program, arguments)
    return program


def _refuse_plot(program: Program, arguments: argparse.Namespace) -> None:
    """End with 2 if a picture would take the place of the program or of the ledger, which may have any name."""
    if getattr(arguments, "plot", None) is not None:
        from duetpy.cli.run_files import refuse_needed

        refuse_needed("--plot", arguments.plot, program, arguments, {})


def answer_alike(programs: Sequence[Program], console: Console) -> None:
    """Answer in ASCII where the programs and the command line are in ASCII."""
    if all(map(str.isascii, console.words)) and all(map(_is_in_ascii, programs)):
        console.answer_in_ascii()


def _is_in_ascii(program: Program) -> bool:
    """Whether its text writes signs in ASCII, as far as it writes any."""
    from duetpy.grammar.lexer import spells_ascii, tokenize

    if program.file is None:
        return False
    source = program.file.span.source
    return spells_ascii(tokenize(source)[0], source.text)


def _grouped(program: Program, arguments: argparse.Namespace) -> Program:
    """The program on the persons of the command line."""
    if not arguments.persons:
        return program
    from duetpy.grammar.several_rows import NotRows

    parser: argparse.ArgumentParser = arguments.parser
    try:
        return program.by_persons(arguments.persons)
    except NotRows as error:
        parser.error(f"argument --persons: {error}")


def refuse_unknown_names(programs: Sequence[Program], arguments: argparse.Namespace) -> None:
    """Refuse a command line that sets a name which none of the programs declares.

    Where a program has no type, what it would declare is not known, and its diagnostics come first.
    """
    from duetpy.diagnostics.display import visible
    from duetpy.settings import SettingError, or_else, resolve
    from duetpy.valuation import declared, protected

    if not arguments.settings or any(program.typed is None or program.typed.type is None for program in programs):
        return
    parser: argparse.ArgumentParser = arguments.parser
    names = [declared(program.typed.type).names for program in programs if program.typed is not None]
    try:
        unknown = [name for name in arguments.settings if all(resolve(name, known) is None for known in names)]
    except SettingError as error:
        parser.error(f"argument --set: {error}")
    if unknown:
        known_names = list(dict.fromkeys(name for known in names for name in known))
        tables = {name for program in programs if program.typed is not None for name in protected(program.typed.type)}
        offered = ", ".join(visible(name) for name in known_names if name not in tables)
        private = [visible(name) for name in known_names if name in tables]
        given = f"; {', '.join(private)} {'is' if len(private) == 1 else 'are'} given with --data" if private else ""
        said = f"; you can set {offered}" if offered else f"; the program has no public number{given}"
        hint = f"{or_else(unknown[0], known_names)}{said}"
        parser.error(f"argument --set: unknown name {visible(unknown[0])}{hint}")
    _refuse_unreadable(programs, arguments)


def _refuse_unreadable(programs: Sequence[Program], arguments: argparse.Namespace) -> None:
    """Refuse a command line that gives no value for a public name. A value that the program protects is treated like a bad cell.
    The text that was given is never shown."""
    from duetpy.diagnostics.display import visible
    from duetpy.settings import WANTED, NoValue, resolve
    from duetpy.valuation import protected

    parser: argparse.ArgumentParser = arguments.parser
    private = [name for program in programs if program.typed is not None for name in protected(program.typed.type)]
    for name, value in arguments.settings.items():
        if isinstance(value, NoValue) and resolve(name, private) is None:
            parser.error(f"argument --set: the value of {visible(name)} cannot be read: {WANTED}")


def _tell_cores(
    programs: Sequence[Program], statements: Sequence[Statement], arguments: argparse.Namespace, console: Console
) -> list[Statement]:
    """Print the core of every program that is accepted; the statements, with what was found on the way."""
    from attrs import evolve

    from duetpy.diagnostics.display import visible
    from duetpy.report.check_json import statement_value
    from duetpy.report.core_text import core_text

    told: list[Statement] = []
    for program, statement in zip(programs, statements, strict=True):
        found = core_text(program.typed) if statement.ok and program.typed is not None else None
        text = found if isinstance(found, str) else None
        if found is not None and not isinstance(found, str):
            statement = evolve(statement, diagnostics=(*statement.diagnostics, found))
        told.append(statement)
        if arguments.format == "json":
            console.json({**statement_value(statement), "core": text})
            continue
        console.refuse(statement.diagnostics)
        if text is not None:
            console.out_as_laid_out(f"-- {visible(statement.file)}\n{text}" if len(programs) > 1 else text)
    if arguments.format == "text":
        _tell_count(told, console)
    return told


def _tell(
    programs: Sequence[Program], statements: Sequence[Statement], arguments: argparse.Namespace, console: Console
) -> None:
    if arguments.format == "json":
        from duetpy.report.check_json import statement_value

        for statement in statements:
            console.json(statement_value(statement))
    elif arguments.format == "sarif":
        from duetpy import __version__
        from duetpy.diagnostics.sarif import sarif_log

        found = [(statement.file, diagnostic) for statement in statements for diagnostic in statement.diagnostics]
        console.json(sarif_log(found, __version__))
    else:
        for program, statement in zip(programs, statements, strict=True):
            _tell_text(program, statement, arguments.verbose, console)
        _tell_count(statements, console)


def _tell_count(statements: Sequence[Statement], console: Console) -> None:
    from duetpy.typecheck.surroundings import MAX_DIAGNOSTICS

    is_capped = any(len(statement.diagnostics) >= MAX_DIAGNOSTICS for statement in statements)
    _summarize([diagnostic for statement in statements for diagnostic in statement.diagnostics], is_capped, console)


def _tell_text(program: Program, statement: Statement, verbose: bool, console: Console) -> None:
    console.refuse(statement.diagnostics)
    if statement.ok:
        from duetpy.report.check_text import statement_text

        console.out(statement_text(statement, verbose, console.out_palette))
        if verbose and program.typed is not None:
            from duetpy.report.sentences import sentences_text

            console.out(sentences_text(program.typed.core, statement))


def _summarize(diagnostics: Sequence[Diagnostic], is_capped: bool, console: Console) -> None:
    """How many errors and warnings there were, where there were any errors."""
    errors = sum(diagnostic.is_error for diagnostic in diagnostics)
    warnings = len(diagnostics) - errors
    if errors:
        counts = [f"{errors} error{'s' if errors > 1 else ''}"]
        if warnings:
            counts.append(f"{warnings} warning{'s' if warnings > 1 else ''}")
        console.err(" and ".join(counts) + (CAPPED if is_capped else "") + "\n")
