"""What the checker tells the run about an expression that it judges several times."""

from itertools import permutations

import pytest

from duetpy.grammar import ast
from duetpy.grammar.parser import parse_file
from duetpy.source import Source
from duetpy.typecheck import core, dispatch
from duetpy.typecheck.checker import Checker
from duetpy.typecheck.context import Context, Root
from duetpy.typecheck.judgement import Judged
from duetpy.typecheck.lowering import lowered
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import Signed
from duetpy.typecheck.types import NAT, REAL, Disc, StaticReal

X = Root.fresh("x", separated=False)
EXACT = Judged(REAL, Context.of(X))
ROUNDED = Judged(Disc(REAL), Context.of(X))
TWO = Judged(StaticReal(Signed.of(2)))
THREE = Judged(StaticReal(Signed.of(3)))


def told(*conclusions: Judged) -> tuple[object, bool]:
    file, _ = parse_file(Source("x", "1 + 2"))
    node = file.body
    assert isinstance(node, ast.Prim)
    checker = Checker(Notion.PURE, rules=dispatch)
    for judged in conclusions:
        checker.settled(node, judged)
    told = lowered(node, checker.annotations)
    assert isinstance(told, core.Prim)
    return told.static, told.may_round


@pytest.mark.parametrize(
    ("judged", "number", "may_round"),
    [(EXACT, None, False), (ROUNDED, None, True), (TWO, TWO.type, False), (Judged(NAT), None, True)],
)
def test_what_is_concluded_once_or_alike_is_told(judged: Judged, number: object, may_round: bool) -> None:
    assert told(judged) == (number, may_round)
    assert told(judged, judged) == (number, may_round)


@pytest.mark.parametrize("conclusions", [*permutations((EXACT, ROUNDED, TWO, THREE), 2), (ROUNDED, EXACT, ROUNDED)])
def test_of_what_is_concluded_differently_nothing_is_told(conclusions: tuple[Judged, ...]) -> None:
    """A sum that one judgement lets round is exact where another has a finite sensitivity rest on it."""
    assert told(*conclusions) == (None, False)
