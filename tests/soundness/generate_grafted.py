"""Random programs made of written ones: parts of the cases, of the examples and of the pages, each put in the place of another part
of its sort.

Other random programs hold what their makers thought of. These hold what somebody wrote for another purpose, at places for which
nobody wrote it; most of them are refused, and none may be more than that.
"""

from __future__ import annotations

import random
from bisect import bisect
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from operator import attrgetter
from typing import Any, get_args

from attrs import evolve, frozen

from duetpy.grammar import ast
from duetpy.grammar.parser import parse_file
from duetpy.grammar.pretty import show_expression
from duetpy.source import Source
from duetpy.trees import map_parts
from tests.pages import ROOT, blocks
from tests.soundness.falsify import nodes

SORTS: tuple[tuple[type, ...], ...] = tuple(map(get_args, (ast.SExp, ast.PExp, ast.Type, ast.RExp, ast.Schema)))
OFTEN = (6, 3, 2, 1, 1)
"""How often a part of each sort changes."""
NUMBERS = (0, 1, 2, 3, 10)
LARGEST, LARGEST_PART, LARGEST_NUMBER = 200, 35, 100


def parsed(text: str) -> ast.SExp | None:
    """The expression of a text that is a whole program; its definitions are lets."""
    file, problems = parse_file(Source("grafted.duet", text))
    if problems or file.imports or file.body is None:
        return None
    body = file.body
    for each in reversed(file.definitions):
        body = ast.Let(body.span, each.name, each.value, body)
    return body


def texts() -> Iterator[str]:
    for folder in ("tests/cases", "examples"):
        for path in sorted((ROOT / folder).rglob("*.duet")):
            yield path.read_text(encoding="utf-8")
    for path in sorted((ROOT / "docs").rglob("*.md")):
        yield from (block.text for block in blocks(str(path.relative_to(ROOT))) if block.language == "duet")


@frozen
class Written:
    """A written program, its place among all of them, which its text alone decides, and its parts by sort."""

    place: float
    body: ast.SExp
    parts: list[list[ast.Node]]


@cache
def stock() -> list[Written]:
    """The written programs by place."""
    found: list[Written] = []
    for text in set(texts()):
        body = parsed(text)
        if body is None or not is_small(body):
            continue
        place = int.from_bytes(sha256(text.encode()).digest()[:6]) / 2**48
        small = [node for node in nodes(body) if sum(1 for _ in nodes(node)) <= LARGEST_PART]
        found.append(Written(place, body, [[node for node in small if isinstance(node, sort)] for sort in SORTS]))
    return sorted(found, key=attrgetter("place"))


def some(dice: random.Random) -> Written:
    """One of them. A program that is written tomorrow takes the place of few: most seeds make the same as before."""
    written = stock()
    return written[bisect(written, dice.random(), key=attrgetter("place")) % len(written)]


def is_small(body: ast.SExp) -> bool:
    """Whether a program is quickly run, whatever it computes, and runs nobody else's code."""
    found = list(nodes(body))
    large = any(isinstance(node, ast.NatLit | ast.RealLit | ast.RNum) and node.value > LARGEST_NUMBER for node in found)
    return len(found) <= LARGEST and not large and not any(isinstance(node, ast.Opaque) for node in found)


def replaced(node: Any, old: ast.Node, new: ast.Node) -> Any:
    """The tree with one node exchanged."""
    if node is old:
        return new
    return map_parts(node, lambda part: replaced(part, old, new)) if isinstance(node, ast.Node) else node


def grafted(seed: int) -> ast.File | None:
    """The program of a seed, read again from its text; None if it cannot be read."""
    dice = random.Random(seed)
    body = some(dice).body
    names = sorted({node.text for node in nodes(body) if isinstance(node, ast.Name) and node.text}) or ["x"]
    for _ in range(dice.choice((1, 1, 1, 2, 3))):
        body = _changed(dice, body, names)
    again = parsed(show_expression(body))
    return None if again is None or not is_small(again) else ast.File(again.span, None, (), (), again)


def _changed(dice: random.Random, body: Any, names: list[str]) -> Any:
    here = list(nodes(body))[1:]
    match dice.random():
        case chance if chance < 0.2:
            for node in dice.sample(here, len(here)):
                if isinstance(node, ast.Var):
                    return replaced(body, node, evolve(node, name=dice.choice(names)))
        case chance if chance < 0.35:
            for node in dice.sample(here, len(here)):
                if isinstance(node, ast.NatLit | ast.RealLit):
                    return replaced(body, node, evolve(node, value=dice.choice(NUMBERS)))
        case _:
            sort = dice.choices(range(len(SORTS)), OFTEN)[0]
            places = [node for node in here if isinstance(node, SORTS[sort])]
            parts = some(dice).parts[sort]
            if places and parts:
                return replaced(body, dice.choice(places), _named(dice, dice.choice(parts), names))
    return body


def _named(dice: random.Random, part: Any, names: list[str]) -> Any:
    """A part in which most names are names of the program, the same for the same."""
    chosen: dict[str, str] = {}
    for node in list(nodes(part)):
        if isinstance(node, ast.Var) and dice.random() < 0.7:
            part = replaced(part, node, evolve(node, name=chosen.setdefault(node.name, dice.choice(names))))
    return part
