"""``duetpy explain [CODE | RULE]``: the page of a diagnostic, the proof of a rule, or the signatures of a primitive."""

from __future__ import annotations

import argparse

from duetpy.cli.console import Console
from duetpy.diagnostics.display import visible


def configure(parser: argparse.ArgumentParser) -> None:
    help = "a code such as D0203, or a rule or primitive such as mclip; without it, a list of all of them"
    parser.add_argument("name", metavar="CODE|RULE", nargs="?", help=help)
    parser.epilog = "example: duetpy explain D0311"


def run(arguments: argparse.Namespace, console: Console) -> int:
    from duetpy.diagnostics.catalogue import page, rule_page

    if arguments.name is None:
        console.out(_list())
        return 0
    name: str = arguments.name
    proof, declared = rule_page(name) or rule_page(_sign(name)), _primitive_page(name)
    text = page(name.upper()) or "\n".join(part for part in (declared, proof) if part is not None) or None
    if text is None:
        parser: argparse.ArgumentParser = arguments.parser
        parser.error(_unknown(name))
    console.out(text)
    return 0


def _list() -> str:
    """Everything that has a page, each with what it is about."""
    from duetpy.diagnostics.catalogue import codes, rules, title
    from duetpy.typecheck.prelude import names

    listed = [
        ("Diagnostics", [f"  {code}   {title(code)}" for code in codes()]),
        ("Rules", [f"  {name}" for name in sorted(rules())]),
        ("Primitives", [f"  {name}" for name in sorted(names())]),
    ]
    return "\n\n".join("\n".join([heading, *lines]) for heading, lines in listed) + "\n"


def _sign(name: str) -> str:
    """The Unicode sign that a name is the ASCII twin of, or the name itself."""
    from duetpy.grammar.spelling import TWINS

    return next((sign for sign, twin in TWINS.items() if twin == name), name)


def _primitive_page(name: str) -> str | None:
    """What the prelude declares about a primitive, under its Unicode name or its ASCII twin."""
    from duetpy.typecheck.prelude import declared

    signatures = [*declared(name)] or [*declared(_sign(name))]
    if not signatures:
        return None
    docs = dict.fromkeys(signature.doc for signature in signatures if signature.doc)
    examples = dict.fromkeys(signature.example for signature in signatures if signature.example)
    paragraphs = [f"# {signatures[0].name}", *docs, "\n".join(f"    {signature.text}" for signature in signatures)]
    paragraphs += [f"For example: `{example}`" for example in examples]
    return "\n\n".join(paragraphs) + "\n"


def _unknown(name: str) -> str:
    from difflib import get_close_matches

    from duetpy.diagnostics.catalogue import codes, rules
    from duetpy.typecheck.prelude import names

    known = sorted({*codes(), *rules(), *names()})
    close = get_close_matches(name, known, n=3) or get_close_matches(name.upper(), known, n=3)
    hint = f"; did you mean {' or '.join(close)}?" if close else ""
    return f"there is no diagnostic, rule or primitive called '{visible(name)}'{hint}"
