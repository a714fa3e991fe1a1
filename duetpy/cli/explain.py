"""``duetpy explain [WORD]``: the page of a diagnostic, a rule, a mechanism, a primitive, a notion or a term.

A page says what its subject does, when to use it and how it is written, before any proof. On a terminal it is laid out for
reading; elsewhere it is Markdown.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator

from duetpy.cli.console import Console
from duetpy.diagnostics.display import visible

_SENTENCE = re.compile(r".+?\.(?= |$)")


def configure(parser: argparse.ArgumentParser) -> None:
    help = (
        "a code such as D0203, a rule, mechanism or primitive such as mclip, a notion such as zcdp, or a term such as tight; "
        "without it, a list of all of them"
    )
    parser.add_argument("words", metavar="CODE|RULE|WORD", nargs="*", help=help)
    parser.epilog = "examples: duetpy explain D0311, duetpy explain laplace, duetpy explain zcdp, duetpy explain tight"


def run(arguments: argparse.Namespace, console: Console) -> int:
    name = " ".join(arguments.words)
    if not arguments.words:
        console.out(_list())
        return 0
    text = _page(name)
    if text is None:
        parser: argparse.ArgumentParser = arguments.parser
        parser.error(_unknown(name))
    if console.is_drawn:
        from duetpy.cli.drawn import page

        text = page(text, console.columns)
    elif console.is_terminal:
        from duetpy.diagnostics.terminal import page_text

        text = page_text(text, console.columns, console.out_palette.strong)
    console.out_as_laid_out(text)
    return 0


def _page(name: str) -> str | None:
    """All pages about a name, as one text; None if there is no page."""
    from duetpy.diagnostics.catalogue import page

    return page(name.upper()) or "\n".join(_parts(name)) or None


def _parts(name: str) -> Iterator[str]:
    """The pages on a name that is not a code: the term, the notion, the primitive, the rule."""
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
    from duetpy.report.layout import table
    from duetpy.typecheck.notions import Notion
    from duetpy.typecheck.prelude import declared, names

    pages = {page.split("\n")[0].removeprefix("# "): page for page in terms().values()}
    texts = {name: entry.read_text(encoding="utf-8") for name, entry in rules().items() if name not in names()}
    primitives = {name: next((each.doc for each in declared(name) if each.doc), "") for name in names()}
    listed = [
        ("Diagnostics", [(code, title(code) or "") for code in codes()]),
        ("Notions of privacy", [(notion.value, notion.info.headline) for notion in Notion]),
        ("Terms", [(name, _first_sentence(page.split("\n\n")[1])) for name, page in sorted(pages.items())]),
        (
            "Rules and mechanisms",
            [(name, _first_sentence(text.split("\n\n")[1])) for name, text in sorted(texts.items())],
        ),
        ("Primitives", [(name, _first_sentence(doc)) for name, doc in sorted(primitives.items())]),
    ]
    return "\n".join(f"{heading}\n{table(rows)}" for heading, rows in listed)


def _first_sentence(text: str) -> str:
    """What a page begins with, on one line."""
    found = _SENTENCE.match(" ".join(text.replace("*", "").split()))
    return found[0] if found is not None else ""


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
