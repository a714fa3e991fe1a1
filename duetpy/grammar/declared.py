"""How the primitives of ``prelude.duet`` are written: the part of the prelude that reading a program needs.

The prelude is cut here into one block per name, and of a block only the facts are looked at that say how the name is
spelled. Its signatures, and all other facts, are parsed when they are first needed (`duetpy.typecheck.facts`), so that a
small program loads what it uses and nothing else.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from duetpy.grammar.definition import HERE, text_of

PRELUDE = f"{HERE}/prelude.duet"

SPELLING_FACTS = frozenset({"ascii", "reserved", "infix", "form", "bracketed", "greedy", "two"})
"""The facts that are looked at here."""

_DECLARATION = re.compile(r"^prim (?:\((?P<sign>[^)]+)\)|(?P<name>[^\s\[:]+))")
_FACT = re.compile(r'^  (?P<fact>\w+)(?: "(?P<text>[^"]*)")?')


class Declared(NamedTuple):
    """One primitive as it is written.

    Parameters
    ----------
    text
        Its block of the prelude: documentation, signatures, facts.
    ascii
        Its ASCII twin, empty where it has none.
    facts
        Those of `SPELLING_FACTS` that the block states.
    """

    text: str
    ascii: str
    facts: frozenset[str]


def cut(prelude: str) -> dict[str, Declared]:
    """The blocks of a prelude by name, in the order of the text."""
    blocks: dict[str, list[str]] = {}
    pending: list[str] = []
    block: list[str] = []
    for line in prelude.splitlines():
        found = _DECLARATION.match(line)
        if found is not None:
            block = blocks.setdefault(found["sign"] or found["name"], [])
            block += [*pending, line]
            pending = []
        elif line.startswith("  "):
            block.append(line)
        else:
            pending = [*pending, line] if line.startswith(("-- |", "-- >")) else []
    return {name: _declared(lines) for name, lines in blocks.items()}


def _declared(lines: list[str]) -> Declared:
    stated = {found["fact"]: found["text"] or "" for line in lines if (found := _FACT.match(line))}
    return Declared("\n".join(lines) + "\n", stated.get("ascii", ""), frozenset(stated) & SPELLING_FACTS)


def signature_lines(block: str) -> tuple[str, ...]:
    """A block, cut so that each signature stands alone with the documentation above it, the first one with all the facts."""
    found: list[str] = []
    above = facts = ""
    for line in block.splitlines(keepends=True):
        if line.startswith("  "):
            facts += line
        elif _DECLARATION.match(line):
            found.append(above + line)
            above = ""
        else:
            above += line
    return (found[0] + facts, *found[1:])


DECLARED: dict[str, Declared] = cut(text_of(PRELUDE))
"""Every primitive by its Unicode name."""


def _with(fact: str) -> frozenset[str]:
    return frozenset(name for name, declared in DECLARED.items() if fact in declared.facts)


DECLARED_TWINS: dict[str, str] = {name: declared.ascii for name, declared in DECLARED.items() if declared.ascii}
"""Unicode name ↦ ASCII twin, where a primitive has one."""

INFIX = _with("infix")
"""Primitives that stand between their operands, at the level that the grammar gives them."""

FORMS = _with("form")
"""Primitives that the grammar has a rule of their own for."""

BRACKETED = _with("bracketed")
"""Primitives whose word is a name unless a bracket follows."""

GREEDY = _with("greedy")
"""Primitives that take in all that follows them."""

BEFORE_TWO = _with("two")
"""Primitives that stand before two operands."""

PREFIXES = frozenset(DECLARED) - INFIX - FORMS - BEFORE_TWO
"""All others: they stand before their one operand."""

RESERVED_PRIMITIVES = _with("reserved")
"""Primitives whose word no program may bind. A primitive that is added later must not be one of them."""
