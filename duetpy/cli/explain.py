"""``duetpy explain CODE | RULE``: the page of a diagnostic or of a rule."""

from __future__ import annotations

import argparse

from duetpy.cli.console import Console
from duetpy.diagnostics.display import visible


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="CODE|RULE", help="a code such as D0203, or the name of a rule such as mclip")
    parser.epilog = "example: duetpy explain D0311"


def run(arguments: argparse.Namespace, console: Console) -> int:
    from duetpy.diagnostics.catalogue import page, rule_page

    text = page(arguments.name.upper()) or rule_page(arguments.name)
    if text is not None:
        console.out(text)
        return 0
    arguments.parser.error(_unknown(arguments.name))


def _unknown(name: str) -> str:
    from difflib import get_close_matches

    from duetpy.diagnostics.catalogue import codes, rules

    known = [*codes(), *sorted(rules())]
    close = get_close_matches(name, known, n=3) or get_close_matches(name.upper(), known, n=3)
    hint = f"; did you mean {' or '.join(close)}?" if close else ""
    return f"there is no diagnostic and no rule called '{visible(name)}'{hint}"
