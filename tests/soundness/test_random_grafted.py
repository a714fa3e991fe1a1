"""Programs made of parts of others are refused with a reason, or keep what is claimed of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pytest

from duetpy.diagnostics.text import render
from duetpy.grammar import ast
from duetpy.grammar.ast import Kind
from duetpy.grammar.pretty import show_file
from duetpy.typecheck import types as t
from duetpy.typecheck.check import Typed
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import KindVar
from tests.effort import often
from tests.soundness.broken.mutant import Mutant
from tests.soundness.broken.table import BROKEN
from tests.soundness.evaluated import can_be_given, meant_by
from tests.soundness.falsify import check_tree, claims, explained, nodes, searched
from tests.soundness.generate_grafted import grafted
from tests.soundness.mutants import planted
from tests.soundness.whole_private import examined_file

QUICK, MANY = range(often(400, 150)), range(1000, 12_000)
NOTIONS = (Notion.PURE, Notion.ZCDP, Notion.GDP, Notion.APPROX, Notion.RENYI, Notion.TCDP, Notion.RAO)
COUNTED = (Notion.PURE, Notion.ZCDP, Notion.GDP)
"""Notions in which losses under frozen outputs are added up."""
PAIRS = 8


def told_of(seeds: Iterable[int]) -> Counter[str]:
    told: Counter[str] = Counter()
    for seed in seeds:
        file = grafted(seed)
        if file is None:
            continue
        notion = NOTIONS[seed % len(NOTIONS)]
        typed = check_tree(file, notion)
        told["accepted" if typed.ok else "refused"] += 1
        # Every reason can be shown, whatever types its help looks at.
        shown = [render(each).startswith("error") for each in typed.diagnostics]
        assert any(shown) != typed.ok
        if typed.ok and is_plain(typed):
            told["held to its claim"] += 1
            wrong = refuted(seed, file, typed, notion)
            assert wrong is None, f"seed {seed}, {notion}: {wrong}\n{show_file(file)}"
    return told


def is_plain(typed: Typed) -> bool:
    """Whether arguments can be drawn, and results compared: there are numbers for the kinds, and no functions are returned."""
    assert typed.type is not None
    kinds: tuple[KindVar, ...] = ()
    given: list[t.Type] = []
    here: t.Type = typed.type
    while isinstance(here, t.Fun):
        kinds, given, here = (*kinds, *here.kinds), [*given, here.domain], here.codomain
    if isinstance(here, t.PFun):
        kinds, given, here = (*kinds, *here.kinds), [*given, *(each.type for each in here.parameters)], here.codomain
    strange = t.Fun | t.PFun | t.Box | t.TypeVar | t.StaticReal
    return (
        all(kind.kind in (Kind.NAT, Kind.POS) for kind in kinds)
        and all(map(can_be_given, given))
        and not any(isinstance(part, strange) for type_ in (*given, here) for part in t.parts_of(type_))
    )


def refuted(seed: int, file: ast.File, typed: Typed, notion: Notion) -> str | None:
    """What is wrong with the claim of an accepted program."""
    body = file.body
    if isinstance(body, ast.PLam):
        if notion not in COUNTED or any(map(has_no_replay, nodes(body))):
            return None
        return next(iter(examined_file(seed, file, PAIRS, notion).failures), None)
    claim = claims(typed, show_file(file))
    if isinstance(claim.result, t.PFun):
        return None
    found = searched(claim, meant_by(claim), PAIRS, seed).refutation
    return None if found is None else explained(claim, found)


def has_no_replay(node: ast.Node) -> bool:
    """Whether a form draws rows, reckons in another notion, or hides what it adds noise to."""
    return isinstance(node, ast.Convert | ast.Sample) or (
        isinstance(node, ast.Mechanism) and node.name == "noisy-descent"
    )


def test_grafted_programs_are_refused_with_a_reason_or_keep_what_is_claimed() -> None:
    told = told_of(QUICK)
    assert told["refused"] > told["accepted"] > 0.1 * len(QUICK)
    assert told["held to its claim"] > 0.3 * told["accepted"]


@pytest.mark.slow
def test_many_grafted_programs_do_too() -> None:
    told_of(MANY)


FOUND = {
    "a row of n ones has the L1 length √n": 2000,
    "a clipped discrete value moves by its largest absolute value": 2000,
}
"""Broken rules that so many programs find."""


@pytest.mark.slow
@pytest.mark.parametrize("mutant", [each for each in BROKEN if each.name in FOUND], ids=lambda each: each.name)
def test_grafted_programs_find_what_is_wrong(mutant: Mutant) -> None:
    with planted(mutant), pytest.raises(AssertionError, match="seed"):
        told_of(range(FOUND[mutant.name]))
