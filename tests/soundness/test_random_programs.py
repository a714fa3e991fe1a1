"""Random whole programs: what the checker claims of them is true of the evaluator, which computes what is meant.

The default suite runs a few hundred; ``DUETPY_RANDOM_PROGRAMS=100000 pytest -m slow tests/soundness`` runs as many as it is told,
20,000 if it is told nothing, and prints how often each form was run.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import pytest

from duetpy.grammar import ast
from duetpy.grammar.pretty import show_expression
from tests.soundness.drawing import Drawer
from tests.soundness.evaluated import by_evaluator
from tests.soundness.falsify import (
    Program,
    Refused,
    by_definition,
    check_tree,
    claims,
    explained,
    nodes,
    searched,
    valuations,
)
from tests.soundness.generate import random_program
from tests.soundness.plain import Table

QUICK = range(250)
SLOW = range(len(QUICK), len(QUICK) + int(os.environ.get("DUETPY_RANDOM_PROGRAMS", "20000")))

JUMPING = frozenset({"≡", "<", "≤", "∈", "sign", "disc", "discf", "%"})


def accepted(seed: int) -> Program | None:
    file = random_program(seed)
    assert file.body is not None
    try:
        return claims(check_tree(file), show_expression(file.body))
    except Refused:
        return None


def survives(claim: Program, seed: int, count: int) -> None:
    found = searched(claim, by_evaluator(claim), count, seed)
    assert found.refutation is None, f"seed {seed}\n{explained(claim, found.refutation)}"


def forms(claim: Program) -> Counter[str]:
    """The forms that a program is made of; primitives under their names, maps and the norms of mclip and renorm too."""
    assert claim.typed.body is not None
    found: Counter[str] = Counter()
    for node in nodes(claim.typed.body):
        match node:
            case ast.Prim(name=name, norm=None):
                found[name] += 1
            case ast.Prim(name=name, norm=norm):
                found[f"{name}/{norm.value}"] += 1
            case ast.Map(form=form, args=args):
                found[f"{form}/{len(args)}"] += 1
            case ast.Pair(lazy=True):
                found["LazyPair"] += 1
            case ast.KindBinding() | ast.Param() | ast.Name():
                pass
            case _:
                found[type(node).__name__] += 1
    return found


FORMS = """
    Let LetPair Lam App Pair LazyPair Inject Case SetLit If Loop MCreate Fold Filter Index Update mmap/1 mmap/2 mmap-row/1
    mmap-col/1 + - ⋅ / % ⊔ ⊓ √ ㏒ ≡ < ≤ ∧ ∨ ∈ unionAll real dyn sign disc discf conv fst snd rows box unbox mconv clip zip ∇
    mclip/L1 mclip/L2 mclip/L∞ renorm/L1 renorm/L2 renorm/L∞
"""
EXPECTED = frozenset(FORMS.split())


def test_random_programs_keep_their_claims() -> None:
    seen: Counter[str] = Counter()
    typed = finite = 0
    for seed in QUICK:
        claim = accepted(seed)
        if claim is None:
            continue
        typed += 1
        finite += any(parameter.sensitivity.finite() for parameter in claim.parameters)
        seen += forms(claim)
        survives(claim, seed, 8)
    assert typed > 0.95 * len(QUICK)
    assert finite > 0.9 * typed, "a claim of ∞ cannot be refuted"
    assert not [form for form in EXPECTED if not seen[form]], "forms that no program has"


def test_the_evaluator_computes_what_is_meant() -> None:
    for seed in QUICK:
        claim = accepted(seed)
        if claim is not None:
            agrees(claim, seed)


def agrees(claim: Program, seed: int) -> None:
    """The evaluator and the definition on random inputs: exactly, or closely where roots are taken."""
    names = {node.name for node in nodes(claim.typed.body or claim.typed.file) if isinstance(node, ast.Prim)}
    if not claim.is_exact and names & JUMPING:
        return
    evaluated, meant, source = by_evaluator(claim), by_definition(claim), random.Random(seed)
    for kinds in list(valuations(claim, source))[:2]:
        drawer = Drawer(source, claim.landmarks)
        for _ in range(2):
            arguments = [drawer.draw(parameter.type) for parameter in claim.at(kinds).parameters]
            left, right = evaluated(kinds, arguments), meant(kinds, arguments)
            assert is_close(left, right, claim.is_exact), (seed, claim.text, arguments, left, right)


def is_close(left: Any, right: Any, exact: bool) -> bool:
    match left, right:
        case Table(), Table():
            same_width = left.width == right.width or not left.rows
            return same_width and all_close(zip(left.rows, right.rows, strict=True), exact)
        case bool(), _:
            return left is right
        case tuple(), tuple():
            return all_close(zip(left, right, strict=True), exact)
        case ((int() | Fraction() | float()), (int() | Fraction() | float())):
            # 𝔻 rounds to doubles.
            bound = Fraction(1, 10**12) if exact else Fraction(1, 10**6)
            return bool(left == right or abs(Fraction(left) - Fraction(right)) <= bound * (1 + abs(Fraction(left))))
        case _:
            return bool(left == right)


def all_close(pairs: Iterable[tuple[Any, Any]], exact: bool) -> bool:
    return all(is_close(left, right, exact) for left, right in pairs)


@pytest.mark.slow
def test_many_random_programs_keep_their_claims(capsys: pytest.CaptureFixture[str]) -> None:
    seen: Counter[str] = Counter()
    for seed in SLOW:
        claim = accepted(seed)
        if claim is not None:
            seen += forms(claim)
            survives(claim, seed, 10)
            agrees(claim, seed)
    with capsys.disabled():
        for form, times in sorted(seen.items(), key=lambda item: -item[1]):
            print(f"{times:8} {form}")
    assert min(seen[form] for form in EXPECTED) * 100 >= len(SLOW), "every form in one program of a hundred"
