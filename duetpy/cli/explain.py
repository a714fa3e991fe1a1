"""``duetpy explain [WORD]``: the page of a diagnostic, a rule, a mechanism, a primitive, a notion or a term.

A page says what its subject does, when to use it and how it is written, before any proof. On a terminal it is laid out for
reading; elsewhere it is Markdown.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from duetpy.cli.console import Console
from duetpy.diagnostics.display import visible


def configure(parser: argparse.ArgumentParser) -> None:
    help = (
        "a code such as D0203, a rule, mechanism or primitive such as mclip, a notion such as zcdp, or a term such as tight; "
        "without it, a list of all of them"
    )
    parser.add_argument("words", metavar="CODE|RULE|WORD", nargs="*", help=help)
    parser.epilog = "examples: duetpy explain D0311, duetpy explain laplace, duetpy explain zcdp, duetpy explain tight"


def run(arguments: argparse.Namespace, console: Console) -> int:
    name = " ".join(arguments.words)
    text = _page(name) if arguments.words else _list()
    if text is None:
        parser: argparse.ArgumentParser = arguments.parser
        parser.error(_unknown(name))
    if console.is_drawn and arguments.words:
        from duetpy.cli.drawn import page

        text = page(text, console.columns)
    elif console.is_terminal and arguments.words:
        from duetpy.diagnostics.terminal import page_text

        text = page_text(text, console.columns, console.out_palette.strong)
    console.out_as_laid_out(text)
    return 0


def _page(name: str) -> str | None:
    """All that there is on a name; None if that is nothing."""
    from duetpy.diagnostics.catalogue import page

    return page(name.upper()) or "\n".join(_parts(name)) or None


def _parts(name: str) -> Iterator[str]:
    """The pages on a name that is no code: the term, the notion, the primitive, the rule."""
    from duetpy.diagnostics.catalogue import notion_page, rule_page, terms

    term = terms().get(name.lower().replace("-", " ")) or terms().get(name.lower())
    notion = notion_page(_notion(name))
    declared = _primitive_page(name)
    proof = rule_page(name) or rule_page(_sign(name))
    yield from (part for part in (term, notion, declared, proof) if part is not None)


def _notion(name: str) -> str:
    """The name of the page of a notion, by any of its words."""
    from duetpy.typecheck.notions import BY_WORD, Notion

    word = name.lower()
    called = {notion.info.short.lower(): notion for notion in Notion}
    notion = BY_WORD.get(word) or called.get(word)
    return "tight" if word == "tight" else "" if notion is None else notion.value


def _list() -> str:
    """Everything that has a page, each with what it is about."""
    from duetpy.diagnostics.catalogue import codes, rules, terms, title
    from duetpy.typecheck.notions import Notion
    from duetpy.typecheck.prelude import names

    listed = [
        ("Diagnostics", [f"  {code}   {title(code)}" for code in codes()]),
        ("Notions of privacy", [f"  {notion.value:<7} {notion.info.headline}" for notion in Notion]),
        (
            "Terms",
            [f"  {name}" for name in sorted({page.split("\n")[0].removeprefix("# ") for page in terms().values()})],
        ),
        ("Rules and mechanisms", [f"  {name}" for name in sorted({*rules()} - {*names()})]),
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
    paragraphs = [f"# {signatures[0].name}", *docs, *(f"    {example}" for example in examples)]
    paragraphs += ["Its signatures:", "\n".join(f"    {signature.text}" for signature in signatures)]
    return "\n\n".join(paragraphs) + "\n"


def subjects() -> list[str]:
    """Every word that has a page."""
    from duetpy.diagnostics.catalogue import codes, rules, terms
    from duetpy.typecheck.notions import BY_WORD
    from duetpy.typecheck.prelude import names

    return sorted({*codes(), *rules(), *names(), *BY_WORD, *terms()})


def _unknown(name: str) -> str:
    from duetpy.diagnostics.closest import or_else

    return f"there is no page on '{visible(name)}'{or_else(name, subjects())}"
