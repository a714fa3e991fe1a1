"""What forms that call functions hold, and what their bodies do, is counted before a row is read."""

from __future__ import annotations

import numpy as np
import pytest

import duetpy
from duetpy.diagnostics.error import DuetError
from duetpy.runtime.release import footprint
from duetpy.runtime.release.amounts import Counted
from duetpy.typecheck import core
from tests.runtime.test_footprint import (
    CALLED,
    FUNCTION,
    HOLDERS,
    ID,
    LARGE,
    MEMORY,
    ROWS_OF_LARGE,
    TABLE,
    outcome,
    private,
    program,
)

ROWS_OF_TWO = "𝕄 [L∞, U | 2, 1⋅𝔻]"
TWO_TABLES = f"pλ ε : ℝ⁺ . xs : {ROWS_OF_LARGE.replace('800000', '6')}, ys : 𝕄 [L∞, U | 6, 1⋅𝔻], ε : ℝ⁺[ε] ⇒ "
SIDE_BY_SIDE = HOLDERS["tables side by side"]
CALLED_BY_FORMS = {
    "the queries of a mechanism": private(
        f"AboveThreshold[ε, mcreate[L1 | ℕ[1], ℕ[2]] {{ i, j ⇒ sλ x : 𝔻 ⇒ clip[0.0, 1.0] (x + {SIDE_BY_SIDE}) }}, 5.0] <z> {{ z }}"
    ),
    "a function that a query is given": private(
        f"AboveThreshold[ε, mcreate[L1 | ℕ[1], ℕ[2]] {{ i, j ⇒ sλ p : (𝔻 × {FUNCTION}) ⇒ "
        f"clip[0.0, 1.0] ((snd p) (disc 0.0)) }}, 5.0] <z> {{ ⟨z, {CALLED}⟩ }}"
    ),
    "the function of a fold over batches": TWO_TABLES
    + f"pfld-rows[ℕ[2], 0.0, xs, ys, pλ . a : {ROWS_OF_TWO}, b : {ROWS_OF_TWO}, z : ℝ ⇒ "
    f"laplace[auto, ε] <a> {{ clip[0.0, 1.0] (a#[0, 0] + {SIDE_BY_SIDE}) }}]",
    "the state of a fold over batches": TWO_TABLES
    + f"f ← pfld-rows[ℕ[2], {CALLED}, xs, ys, pλ . a : {ROWS_OF_TWO}, b : {ROWS_OF_TWO}, f : {FUNCTION} ⇒ "
    "c ← laplace[auto, ε] <a> { clip[0.0, 1.0] (f (a#[0, 0])) } ; return f] ; return 0.0",
    "a function of the first branch": program(f"(if z < 1.0 then ({CALLED}) else {ID}) z"),
    "a function of the second branch": program(f"(if z < 1.0 then {ID} else ({CALLED})) z"),
    "a function that is returned after a release": private(
        f"f ← (c ← laplace[auto, ε] <z> {{ clip z }} ; return ({CALLED})) ; return (f (disc 0.0))"
    ),
    "a loop after a release": private(
        f"c ← laplace[auto, ε] <z> {{ clip z }} ; f ← (d ← return c ; loop ℕ[100] on {ID} <z> "
        f"{{ i, f ⇒ return (let t = {TABLE} in sλ x : 𝔻 ⇒ f x + t#[0, 0]) }}) ; return (f (disc 0.0))"
    ),
}
"""What these call holds a hundred tables of 20,000 cells at once."""

CALLED_BY_FORMS["tables that loops make"] = program(
    "".join(f"let t{at} = loop ℕ[2] on {TABLE} {{ i, t ⇒ mmap t {{ x ⇒ x + disc 1.0 }} }} in " for at in range(100))
    + " + ".join(f"t{at}#[0, 0]" for at in range(100))
)

HANDED_ON = program(f"(let t = {TABLE} in (sλ u : 𝕄 [L∞, U | 20000, 1⋅𝔻] ⇒ u) t)#[0, 0] + {SIDE_BY_SIDE}")


def given(text: str) -> dict[str, object]:
    return {"xs": [[1.0]] * 6, "ys": [[1.0]] * 6} if "ys :" in text else {"z": 0.0}


@pytest.mark.parametrize("text", CALLED_BY_FORMS.values(), ids=CALLED_BY_FORMS)
def test_what_is_called_is_counted_whatever_calls_it(text: str) -> None:
    checked = duetpy.parse(text, name="text").check()
    checked.run(**given(text), ε=1.0, _memory="200MB")
    with pytest.raises(DuetError) as caught:
        checked.run(**given(text), ε=1.0, _memory=MEMORY)
    assert [diagnostic.code for diagnostic in caught.value.diagnostics] == ["D0706"]


def test_functions_that_batches_make_of_functions_cannot_be_counted() -> None:
    """How many batches there are is not known before the rows are."""
    text = TWO_TABLES + (
        f"f ← pfld-rows[ℕ[2], {ID}, xs, ys, pλ . a : {ROWS_OF_TWO}, b : {ROWS_OF_TWO}, f : {FUNCTION} ⇒ "
        "c ← laplace[auto, ε] <a> { clip[0.0, 1.0] (f (a#[0, 0])) } ; return (sλ x : 𝔻 ⇒ f x + disc 1.0)] ; return 0.0"
    )
    with pytest.raises(DuetError) as caught:
        duetpy.parse(text, name="text").check().run(**given(text), ε=1.0, _memory="64GiB")
    assert [diagnostic.code for diagnostic in caught.value.diagnostics] == ["D0706"]


def test_the_state_of_a_loop_is_counted_with_the_one_that_is_made_of_it() -> None:
    chosen = f"(loop ℕ[3] on {LARGE} {{ i, t ⇒ mmap t {{ x ⇒ x + disc 1.0 }} }})#[0, 0]"
    assert [outcome(program(chosen), z, memory) for z in (0.0, 5.0) for memory in ("30MB", "64MB")] == [
        "D0706",
        "released",
    ] * 2


@pytest.mark.parametrize("text", [HANDED_ON, *CALLED_BY_FORMS.values(), *map(program, HOLDERS.values())])
@pytest.mark.sparse(5)
def test_what_is_left_is_a_part_of_what_was_held(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    count = footprint._Counter.count
    found: list[tuple[int, int]] = []

    def noted(
        counter: footprint._Counter, node: core.Node, names: footprint.Names, numbers: footprint.Numbers
    ) -> Counted:
        counted = count(counter, node, names, numbers)
        found.append((counted.kept.bytes, counted.peak.bytes))
        return counted

    monkeypatch.setattr(footprint._Counter, "count", noted)
    with pytest.raises(DuetError):
        duetpy.parse(text, name="text").check().run(**given(text), ε=1.0, _memory=MEMORY)
    assert found
    assert all(kept <= peak for kept, peak in found)


BODIES = {
    "a map": "mmap-row xs { r ⇒ k ℕ[N] (r#[0, 0]) }",
    "a sum": "mfold-row 0.0, xs { a, r ⇒ a + clip (k ℕ[N] (r#[0, 0])) }",
    "a loop in a map": "mmap-row xs { r ⇒ loop ℕ[2] on disc 0.0 { i, a ⇒ a + k ℕ[N] (r#[0, 0]) } }",
}
MADE = "let k = sλ n : ℕ . c : ℕ[n], x : 𝔻 ⇒ (mcreate[L∞ | ℕ[n], ℕ[1]] { i, j ⇒ x })#[0, 0] in "


def bodies_of(text: str) -> dict[str, int]:
    """How much the bodies of the forms of a function hold, by their forms; called with 20,000, and with 3 before or after."""
    typed = duetpy.parse(f"sλ xs : 𝕄 [L∞, U | 9, 1⋅𝔻] ⇒ {MADE}{text}").typed
    assert typed is not None
    assert typed.ok, typed.diagnostics
    found = footprint.footprint(typed, {}, ())
    return {
        type(node).__name__: max(found.get(body, 0) for body, bound in core.scopes(node) if bound)
        for node in core.nodes(typed.core)
        if isinstance(node, core.Map | core.RowFold | core.Loop)
    }


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_it_is_known_how_much_a_body_holds(body: str) -> None:
    """By this a run decides how many rows it goes over at once."""
    assert all(held >= 16 * 20_000 for held in bodies_of(body.replace("N", "20000")).values())
    assert all(held < 16 * 20_000 for held in bodies_of(body.replace("N", "3")).values())


@pytest.mark.parametrize("sizes", [("20000", "3"), ("3", "20000")])
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_a_body_holds_what_it_holds_in_the_largest_call(body: str, sizes: tuple[str, str]) -> None:
    inner = body.replace("ℕ[N]", "c").replace("xs", "ys")
    calls = " in let v = ".join(f"f ℕ[{size}] xs" for size in sizes)
    text = f"let f = sλ n : ℕ . c : ℕ[n], ys : 𝕄 [L∞, U | 9, 1⋅𝔻] ⇒ {inner} in let u = {calls} in 0.0"
    assert all(held >= 16 * 20_000 for held in bodies_of(text).values())


def test_the_rows_of_a_sample_are_counted() -> None:
    text = (
        "pλ m : ℕ, b : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻], b : ℕ[b] ⇒ sample[b] xs { s ⇒ "
        "laplace[auto, 1.0] <s> { mfold-row 0.0, s { t, row ⇒ t + clip[0.0, 1.0] row#[0, 0] } } }"
    )
    checked = duetpy.parse(text, notion="eps").check()
    rows = np.zeros((100_000, 1))
    assert checked.run(xs=rows, b=50_000, _memory=1 << 20).result is not None
    with pytest.raises(DuetError, match="D0706"):
        checked.run(xs=rows, b=99_000, _memory=1 << 20)
