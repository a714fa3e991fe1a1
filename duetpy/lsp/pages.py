"""What a rule does, in a sentence or two: from the prelude, or from the page of its proof."""

from __future__ import annotations

from functools import cache

from duetpy.diagnostics.catalogue import rule_page
from duetpy.grammar.declared import DECLARED
from duetpy.typecheck.prelude import declared


@cache
def summary(rule: str) -> str:
    """What a rule, mechanism or primitive does; empty if nothing says it."""
    doc = next((each.doc for each in declared(rule) if each.doc), "") if rule in DECLARED else ""
    if not doc:
        page = rule_page(rule)
        paragraphs = [] if page is None else page.split("\n\n")
        doc = paragraphs[1] if len(paragraphs) > 1 else ""
    return " ".join(doc.split())
