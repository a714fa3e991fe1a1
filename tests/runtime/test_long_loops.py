"""What a run remembers grows neither with the number of its iterations, of which there may be a million, nor with its rows."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from fractions import Fraction
from types import FunctionType, ModuleType
from typing import Any

import pytest

from duetpy.runtime.evaluation.evaluate import expression
from duetpy.runtime.evaluation.loop_invariants import Hoisting
from duetpy.runtime.evaluation.machine import Frame, Machine
from duetpy.runtime.noise.random_bits import InsecureBits
from duetpy.runtime.release.driver import Driver, run_function
from duetpy.runtime.release.mechanisms import Randomness
from duetpy.runtime.values.statics import KindScope
from duetpy.runtime.values.values import PrivacyClosure
from duetpy.typecheck import core
from duetpy.typecheck.notions import Notion
from tests.soundness.evaluated import bound
from tests.soundness.falsify import check
from tests.soundness.plain import Table
from tests.soundness.whole_private import claim_of
from tests.soundness.whole_repeated import read_again

TABLE = "pλ xs : 𝕄 [L∞, U | ★, a : 𝔻 ∷ b : 𝔻 ∷ []] ⇒ "
SIZED = TABLE.replace("★", "3")
STATE = "laplace[auto, 1.0] <xs> {{ clip[0.0, 1.0] (loop ℕ[{n}] on (disc 0.0) {{ i, s ⇒ {body} }}) }}"
RELEASES = "loop ℕ[{n}] on 0.0 <xs> {{ i, s ⇒ {body} }}"

LOOPS = {
    "fold": (SIZED, STATE, "mfold-row s, xs { t, r ⇒ t ⋅ disc 0.5 + r.a ⋅ disc 2.0 }"),
    "fold of clipped rows": (
        SIZED,
        STATE,
        "mfold-row s, xs { t, r ⇒ (mclip[L2, 2.0] (mmap r { c ⇒ c + t }))#[0, 1] ⋅ (if r.a < s then r.b else r.a) }",
    ),
    "filter": (TABLE, RELEASES, "laplace[1, 1.0] <xs> { real (rows (mfilter xs { r ⇒ r.a < disc s })) }"),
    "function": (
        "let f = sλ k : ℝ⁺ . b : ℝ⁺[k] ⇒ sλ t : 𝕄 [L∞, U | ★, a : 𝔻 ∷ b : 𝔻 ∷ []] ⇒ "
        "mfold-row 0.0, t { s, r ⇒ s + clip[0.0, b] r.a } in " + TABLE,
        RELEASES,
        "laplace[2, 1.0] <xs> { (f 2.0) (mmap-row xs { r ⇒ { a = r.a + disc s, b = r.b } }) }",
    ),
    "parts": (
        TABLE,
        RELEASES,
        "u ← parallel[xs, ℘{disc 1.0, disc 2.0}] { r ⇒ r.a } { k, part ⇒ "
        "laplace[auto, 1.0] <part> { mfold-row 0.0, part { t, r ⇒ t + clip[0.0, 1.0] (r.b - disc s) } } } ; "
        "laplace[1, 1.0] <xs> { real (rows xs) }",
    ),
    "sample": (
        SIZED,
        RELEASES,
        "sample[ℕ[2]] xs { x ⇒ laplace[1, 1.0] <x> { mfold-row 0.0, (mclip[L2] x) { t, r ⇒ t + clip[0.0, 1.0] r#[0, 0] } } }",
    ),
    "gradient": (
        SIZED,
        RELEASES,
        "laplace[auto, 1.0] <xs> { (∇[LR | mcreate[L∞ | ℕ[1], ℕ[1]] { i, j ⇒ s } ; mclip[L2, 2.0] xs.[a], xs.[b]])#[0, 0] }",
    ),
}


ROWS = tuple(tuple(map(Fraction, row)) for row in ((1, 2), (2, -1), (0, 5)))

ONE_BY_ONE = (
    TABLE + "laplace[1, 1.0] <xs> { mfold-row 0.0, xs { t, r ⇒ t + clip[0.0, 1.0] ("
    "let s = (if r.a < 1.5 then ℘{r.a} else ℘{r.a, disc 9.0}) in if r.a ∈ s then "
    "mfold-row (disc 0.0), (mcreate[L∞ | ℕ[2], ℕ[1]] { i, j ⇒ r.b }) { u, q ⇒ u ⋅ disc 0.5 + q#[0, 0] ⋅ disc 2.0 } else r.b) } }"
)
"""Each row has a set of its own size, so that rows are computed one by one, each with a fold."""


def remembered(name: str, iterations: int, *, streams: bool) -> int:
    """How many objects a run holds after so many iterations."""
    head, loop, body = LOOPS[name]
    return held_after(head + loop.format(n=iterations, body=body), ROWS, streams=streams)


def held_after(text: str, rows: Sequence[tuple[Fraction, ...]], *, streams: bool) -> int:
    """How many objects a run over some rows holds in the end."""
    claim = claim_of(check(text, Notion.PURE), text)
    assert claim is not None, text
    parameters = [(each.name, each.type) for each in claim.function.parameters]
    machine = Machine(expression=expression, block_rows=2, captures=claim.typed.captures.copy())
    (table,) = bound(parameters, [Table(tuple(rows), 2)], KindScope())
    function = expression(machine, claim.typed.core, Frame({}, KindScope()))
    assert isinstance(function, PrivacyClosure)
    driver = Driver(machine, Randomness(InsecureBits(1)))
    run_function(driver, function, [read_again(table) if streams else table], {}, function.node)
    return reached(driver)


def reached(start: object) -> int:
    # A tuple of numbers counts as tracked until the collector has seen it.
    gc.collect()
    found: dict[int, Any] = {}
    pending: list[Any] = [start]
    while pending:
        one = pending.pop()
        if id(one) not in found and not isinstance(one, type | FunctionType | ModuleType):
            found[id(one)] = one
            pending += [each for each in gc.get_referents(one) if gc.is_tracked(each)]
    return len(found)


@pytest.mark.parametrize("streams", [False, True], ids=["kept", "read again"])
@pytest.mark.parametrize("name", LOOPS)
def test_a_run_remembers_as_much_after_many_iterations_as_after_few(name: str, streams: bool) -> None:
    assert remembered(name, 24, streams=streams) <= remembered(name, 6, streams=streams)


@pytest.mark.parametrize("streams", [False, True], ids=["kept", "read again"])
def test_a_run_remembers_as_much_of_many_rows_as_of_few(streams: bool) -> None:
    assert held_after(ONE_BY_ONE, 8 * ROWS, streams=streams) <= held_after(ONE_BY_ONE, 2 * ROWS, streams=streams)


def test_expressions_that_are_made_anew_each_time_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def anew(self: Machine, node: core.Fold) -> Hoisting:
        return Hoisting(node.state, node.row, self.captures, node.body)

    monkeypatch.setattr(Machine, "hoisting", anew)
    assert remembered("fold", 24, streams=False) > remembered("fold", 6, streams=False) + 17
    assert held_after(ONE_BY_ONE, 8 * ROWS, streams=True) > held_after(ONE_BY_ONE, 2 * ROWS, streams=True) + 17
