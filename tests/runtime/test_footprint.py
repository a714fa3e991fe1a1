"""What a program may hold at once is counted before a row is read, so that no row decides whether it fits in memory."""

from __future__ import annotations

import math
import tracemalloc
from functools import cache

import pytest

import duetpy
from duetpy.diagnostics.error import DuetError
from duetpy.runtime.exact import cell_sums
from duetpy.runtime.release import footprint
from duetpy.runtime.values import batch_size
from duetpy.source import Span

TABLE = "(mcreate[L∞ | ℕ[20000], ℕ[1]] { i, j ⇒ disc 1.0 })"
ID = "(sλ x : 𝔻 ⇒ x)"
FUNCTION = "(𝔻 ⊸[1] 𝔻)"
MAKER = f"sλ f : {FUNCTION}, x : 𝔻 ⇒ let t = {TABLE} in f x + t#[0, 0]"
KEEPER = f"sλ f : {FUNCTION} ⇒ let t = {TABLE} in sλ x : 𝔻 ⇒ f x + t#[0, 0]"
HOLDERS = {
    "the state of a loop": (
        f"(loop ℕ[100] on {ID} {{ i, f ⇒ let t = {TABLE} in sλ x : 𝔻 ⇒ f x + t#[0, 0] }}) (disc 0.0)"
    ),
    "a choice in a loop": (
        f"(loop ℕ[100] on {ID} {{ i, f ⇒ let t = {TABLE} in if z < 7.0 then f else (sλ x : 𝔻 ⇒ f x + t#[0, 0]) }}) (disc 0.0)"
    ),
    "a pair in the state of a loop": (
        f"(fst (loop ℕ[100] on ⟨{ID}, 1.0⟩ {{ i, p ⇒ let t = {TABLE} in ⟨sλ x : 𝔻 ⇒ (fst p) x + t#[0, 0], 1.0⟩ }})) (disc 0.0)"
    ),
    "calls that wait for one another": (
        f"(loop ℕ[100] on {ID} {{ i, f ⇒ sλ x : 𝔻 ⇒ let t = {TABLE} in f x + t#[0, 0] }}) (disc 0.0)"
    ),
    "a function that a loop calls": f"let k = {KEEPER} in (loop ℕ[100] on {ID} {{ i, f ⇒ k f }}) (disc 0.0)",
    "first arguments": f"let k = {MAKER} in (loop ℕ[100] on {ID} {{ i, f ⇒ k f }}) (disc 0.0)",
    "first arguments in their order": (
        f"let k = sλ f : {FUNCTION}, g : {FUNCTION}, x : 𝔻 ⇒ let t = {TABLE} in f x + t#[0, 0] in "
        f"(loop ℕ[100] on {ID} {{ i, f ⇒ k f {ID} }}) (disc 0.0)"
    ),
    "functions alone": f"((mcreate[L∞ | ℕ[45000], ℕ[1]] {{ i, j ⇒ {ID} }})#[0, 0]) (disc 0.0)",
    "functions with a first argument": (
        f"let e = {ID} in let k = sλ f : {FUNCTION}, x : 𝔻 ⇒ f x in "
        "((mcreate[L∞ | ℕ[45000], ℕ[1]] { i, j ⇒ k e })#[0, 0]) (disc 0.0)"
    ),
    "a function over sizes": (
        f"let k = sλ n : ℕ . c : ℕ[n], f : {FUNCTION} ⇒ "
        "let t = mcreate[L∞ | ℕ[n], ℕ[1]] { i, j ⇒ disc 1.0 } in sλ x : 𝔻 ⇒ f x + t#[0, 0] in "
        f"(loop ℕ[100] on {ID} {{ i, f ⇒ k ℕ[20000] f }}) (disc 0.0)"
    ),
    "a fold": (
        f"(mfold-row {ID}, (mcreate[L∞ | ℕ[100], ℕ[1]] {{ i, j ⇒ disc 1.0 }}) "
        f"{{ f, r ⇒ let t = {TABLE} in sλ x : 𝔻 ⇒ f x + t#[0, 0] }}) (disc 0.0)"
    ),
    "the cells of a table": (
        f"((mcreate[L∞ | ℕ[100], ℕ[1]] {{ i, j ⇒ let t = {TABLE} in sλ x : 𝔻 ⇒ x + t#[0, 0] }})#[0, 0]) (disc 0.0)"
    ),
    "a map": (
        f"((mmap (mcreate[L∞ | ℕ[100], ℕ[1]] {{ i, j ⇒ disc 1.0 }}) "
        f"{{ c ⇒ let t = {TABLE} in sλ x : 𝔻 ⇒ x + t#[0, 0] }})#[0, 0]) (disc 0.0)"
    ),
    "a function over types": (
        "let k = sλ τ : ☆K . x : τ ⇒ "
        + "".join(f"let t{at} = mcreate[L∞ | ℕ[10], ℕ[1]] {{ i, j ⇒ x }} in " for at in range(10))
        + " + ".join(f"rows t{at}" for at in range(10))
        + f" in disc (real (k {TABLE}))"
    ),
    "functions of functions": (
        f"let a = {KEEPER} in "
        + "".join(
            f"let {after} = sλ v : {FUNCTION} ⇒ {before} ({before} v) in "
            for before, after in zip("abcdefg", "bcdefgh", strict=True)
        )
        + f"h {ID} (disc 0.0)"
    ),
    "tables side by side": "".join(f"let t{at} = {TABLE} in " for at in range(100))
    + " + ".join(f"t{at}#[0, 0]" for at in range(100)),
}
"""Each holds a hundred tables of 20,000 cells at once, or as much in functions."""

HOLDERS["a call with another function than before"] = (
    f"let a = sλ f : {FUNCTION} ⇒ f (disc 0.0) in let h = sλ x : 𝔻 ⇒ x + {HOLDERS['tables side by side']} in a {ID} + a h"
)


def tables(name: str) -> tuple[str, str]:
    """Fifty tables with names, and the sum of a cell of each."""
    return (
        "".join(f"let {name}{at} = {TABLE} in " for at in range(50)),
        " + ".join(f"{name}{at}#[0, 0]" for at in range(50)),
    )


def choices(last: str) -> str:
    """Tables of which each but the last is in a branch, and those after it in the other branch."""
    for at in range(99):
        last = f"(if c < {at}.0 then {TABLE} else {last})"
    return last


(OUTSIDE, SUM_OUTSIDE), (INSIDE, SUM_INSIDE) = tables("s"), tables("t")
CALLED = f"sλ x : 𝔻 ⇒ {HOLDERS['tables side by side']} + x"
HOLDERS |= {
    "a function over two sizes that come one after another": (
        "let k = sλ n : ℕ, l : ℕ . c : ℕ[n], d : ℕ[l], x : 𝔻 ⇒ "
        f"{HOLDERS['tables side by side'].replace('20000', 'l')} + x in let f = k ℕ[3] in f ℕ[20000] (disc 0.0)"
    ),
    "functions that a map calls": (
        f"(mmap (mcreate[L∞ | ℕ[2], ℕ[1]] {{ i, j ⇒ {CALLED} }}) {{ f ⇒ f (disc 0.0) }})#[0, 0]"
    ),
    "a function that a case calls": f"case (inl[ℕ] ({CALLED})) {{ inl f ⇒ f (disc 0.0) ; inr n ⇒ disc 0.0 }}",
    "functions that a fold calls": (
        f"mfold-row (disc 0.0), (mcreate[L∞ | ℕ[2], ℕ[1]] {{ i, j ⇒ {CALLED} }}) {{ a, r ⇒ (r#[0, 0]) a }}"
    ),
    "functions that a sum calls": (
        f"mfold-row (disc 0.0), (mcreate[L∞ | ℕ[2], ℕ[1]] {{ i, j ⇒ {CALLED} }}) {{ a, r ⇒ a + (r#[0, 0]) (disc 0.0) }}"
    ),
    "what the cells of a table are made of": (
        f"{OUTSIDE}((mcreate[L∞ | ℕ[1], ℕ[1]] {{ i, j ⇒ let y = ({INSIDE}{SUM_INSIDE}) in sλ x : 𝔻 ⇒ x + y }})#[0, 0]) "
        f"(disc 0.0) + {SUM_OUTSIDE}"
    ),
    "both branches of a choice in a row": (
        f"(mmap (mcreate[L∞ | ℕ[1], ℕ[1]] {{ i, j ⇒ z }}) {{ c ⇒ {choices(TABLE)}#[0, 0] }})#[0, 0]"
    ),
    "tables of one function": (
        f"let t = (mcreate[L∞ | ℕ[10000], ℕ[1]] {{ i, j ⇒ {ID} }}) in "
        + "".join(f"let t{at} = tr t in " for at in range(30))
        + "(t0#[0, 0]) (disc 0.0)"
    ),
    "cells that a loop changes": (
        f"((loop ℕ[100] on (mcreate[L∞ | ℕ[100], ℕ[1]] {{ i, j ⇒ {ID} }}) "
        f"{{ i, m ⇒ m#[i, 0 ↦ let t = {TABLE} in sλ x : 𝔻 ⇒ x + t#[0, 0]] }})#[0, 0]) (disc 0.0)"
    ),
    "the last turn of a loop": (
        f"((loop ℕ[30] on (mcreate[L∞ | ℕ[100], ℕ[1]] {{ i, j ⇒ {ID} }}) {{ i, m ⇒ m#[i, 0 ↦ "
        f"let y = ({INSIDE}{SUM_INSIDE}) in let t = {TABLE} in sλ x : 𝔻 ⇒ x + t#[0, 0] + y] }})#[0, 0]) (disc 0.0)"
    ),
}

# Without tables; a search for the least memory would run it too often.
CALLS = {"calls alone": f"(loop ℕ[5000] on {ID} {{ i, f ⇒ sλ x : 𝔻 ⇒ f x + disc 1.0 }}) (disc 0.0)"}

MEMORY = "20MB"


def program(chosen: str) -> str:
    """A program in which data chooses whether something is evaluated."""
    return (
        "pλ ε : ℝ⁺ . z : 𝔻, ε : ℝ⁺[ε] ⇒ laplace[auto, ε] <z> { clip[0.0, 1.0] "
        f"(if z < 1.0 then disc 0.0 else ({chosen})) }}"
    )


@cache
def checked(text: str) -> duetpy.Checked:
    return duetpy.parse(text, name="text").check()


def outcome(text: str, z: float, memory: str) -> str:
    """How a run ends: with a release, or the codes that refuse it."""
    try:
        checked(text).run(z=z, ε=1.0, _memory=memory)
    except DuetError as error:
        return " ".join(diagnostic.code for diagnostic in error.diagnostics)
    return "released"


@pytest.mark.parametrize("chosen", [*HOLDERS.values(), *CALLS.values()], ids=[*HOLDERS, *CALLS])
def test_no_row_decides_whether_what_functions_keep_fits(chosen: str) -> None:
    assert [outcome(program(chosen), z, MEMORY) for z in (0.0, 5.0)] == ["D0706", "D0706"]


def test_each_call_that_waits_for_another_is_counted() -> None:
    text = program(CALLS["calls alone"].replace("5000", "50"))
    least = 50 * footprint.CALL
    assert [outcome(text, 0.0, str(memory)) for memory in (least, 2 * least)] == ["D0706", "released"]


def test_no_more_steps_are_taken_than_can_be_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    text = program(HOLDERS["functions alone"])
    found = []
    for most in (10, 100_000):
        monkeypatch.setattr(footprint, "MOST_STEPS", most)
        found.append(outcome(text, 0.0, "64GiB"))
    assert found == ["D0706", "released"]


@pytest.mark.parametrize("chosen", HOLDERS.values(), ids=HOLDERS)
@pytest.mark.sparse(8)
def test_what_fits_runs_and_holds_no_more_than_was_counted(chosen: str) -> None:
    text = program(chosen)
    low, high = 1 << 20, 1 << 30
    while high > low * 1.1:
        middle = math.isqrt(low * high)
        low, high = (low, middle) if outcome(text, 0.0, str(middle)) == "released" else (middle, high)
    tracemalloc.start()
    checked(text).run(z=5.0, ε=1.0, _memory=high)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # What a run takes whatever its program is.
    assert peak <= high + (4 << 20)


LARGE = "(mcreate[L∞ | ℕ[800000], ℕ[1]] { i, j ⇒ disc 1.0 })"
"""A table that takes 13 MB, and 26 MB while it is made."""
ROWS_OF_LARGE = "𝕄 [L∞, U | 800000, 1⋅𝔻]"
ROOM_FOR_TWO = "40MB"
NOISY = "laplace[auto, ε] <{0}> {{ clip[0.0, 1.0] ({0} + {1}) }}"


def private(body: str) -> str:
    return f"pλ ε : ℝ⁺ . z : 𝔻, ε : ℝ⁺[ε] ⇒ {body}"


THREE = {
    "a table that is made of two": f"(mmap {LARGE}, {LARGE} {{ x, y ⇒ x + y }})#[0, 0]",
    "a table of the rows of two": (
        f"(mmap (mcreate[L∞ | ℕ[1], ℕ[1]] {{ i, j ⇒ z }}) {{ c ⇒ (if c < 1.0 then {LARGE} else {LARGE})#[0, 0] }})#[0, 0]"
    ),
}


@pytest.mark.parametrize("chosen", THREE.values(), ids=THREE)
def test_a_table_that_is_made_of_two_is_a_third(chosen: str) -> None:
    """Three take 36 MB while the last is made."""
    assert [outcome(program(chosen), z, memory) for z in (0.0, 5.0) for memory in ("30MB", "64GiB")] == [
        "D0706",
        "released",
    ] * 2


CELLS = {
    "truth values": "x < 1.0",
    "texts": '"abc"',
    "pairs": "⟨x, x⟩",
    "sets": "℘{x}",
    "sums": "inl[ℕ] x",
    "functions": ID,
    "tables": "mcreate[L∞ | ℕ[1], ℕ[2]] { k, l ⇒ x }",
}


@pytest.mark.parametrize("cell", CELLS.values(), ids=CELLS)
def test_columns_that_are_kept_one_by_one_are_counted(cell: str) -> None:
    """Twenty tables of 10,000 columns, of which each takes 170 bytes or more."""
    wide = f"tr (mcreate[L∞ | ℕ[10000], ℕ[1]] {{ i, j ⇒ {cell} }})"
    tables_of_cells = " ".join(f"let t{at} = {wide} in" for at in range(20))
    chosen = f"(sλ x : 𝔻 ⇒ {tables_of_cells} x + disc (real (rows t0))) z"
    assert [outcome(program(chosen), z, "30MB") for z in (0.0, 5.0)] == ["D0706", "D0706"]


IN_PRIVATE = {
    "the body of a privacy function that is called": private(
        f"let f = pλ ε : ℝ⁺ . y : 𝔻, ε : ℝ⁺[ε] ⇒ {NOISY.format('y', HOLDERS['tables side by side'])} in "
        f"let t = {LARGE} in f@[ . z + 0.0 ⋅ t#[0, 0], ε]"
    ),
    "the arguments of a privacy function": private(
        f"let f = pλ ε : ℝ⁺ . y : 𝔻, {', '.join(f'{name} : {ROWS_OF_LARGE}' for name in 'abcd')}, ε : ℝ⁺[ε] ⇒ "
        f"{NOISY.format('y', 'disc 0.0')} in f@[ . z, {', '.join([LARGE] * 4)}, ε]"
    ),
    "what is kept outside while the body runs": f"let s = {LARGE} in let t = {LARGE} in "
    + private(NOISY.format("z", f"(let u = {LARGE} in let v = {LARGE} in s#[0, 0] + t#[0, 0] + u#[0, 0] + v#[0, 0])")),
}


@pytest.mark.parametrize("text", IN_PRIVATE.values(), ids=IN_PRIVATE)
def test_what_the_private_language_holds_is_counted(text: str) -> None:
    assert [outcome(text, 0.0, memory) for memory in (ROOM_FOR_TWO, "200MB")] == ["D0706", "released"]


SENSIBLE = {
    "queries about one table": (
        f"let t = {TABLE} in (mcreate[L∞ | ℕ[1], ℕ[1000]] {{ i, j ⇒ sλ x : 𝔻 ⇒ x + t#[0, 0] }})#[0, 0] (disc 0.0)"
    ),
    "a function that is called in every turn": (
        f"let k = sλ x : 𝔻 ⇒ {TABLE}#[0, 0] + x in loop ℕ[100] on (disc 0.0) {{ i, a ⇒ k a }}"
    ),
    "one of two functions": f"(loop ℕ[100] on {ID} {{ i, f ⇒ if z < 7.0 then f else {ID} }}) (disc 0.0)",
    "a branch that no number reaches": (f"if ℕ[3] < ℕ[2] then ({HOLDERS['the state of a loop']}) else disc 0.0"),
    "the other branch": (f"if ℕ[2] < ℕ[3] then disc 0.0 else ({HOLDERS['the state of a loop']})"),
}


@pytest.mark.parametrize("chosen", SENSIBLE.values(), ids=SENSIBLE)
def test_what_is_shared_or_gone_is_counted_once(chosen: str) -> None:
    assert [outcome(program(chosen), z, MEMORY) for z in (0.0, 5.0)] == ["released", "released"]


SELF_CALL = (
    "let a = sλ τ : ☆K . q : (τ × (τ ⊸[∞] 𝔻)) ⇒ (snd q) (fst q) in let h = sλ x : 𝔻 ⇒ x in "
    "let g = sλ q : (𝔻 × (𝔻 ⊸[∞] 𝔻)) ⇒ a q in a ⟨⟨disc 0.0, h⟩, g⟩"
)
"""The functions of a pair are counted together: each of its sides may be g, as far as is known, and so may what g calls."""

UNCOUNTED = {
    "functions that call each other's sums": (
        f"let a = sλ v : (𝔻 ⊸[1] 𝔻), x : 𝔻 ⇒ v (v x) in (loop ℕ[1000000] on {ID} {{ i, v ⇒ a v }}) (disc 0.0)"
    ),
    "a call within itself, as far as can be counted": SELF_CALL,
    "functions without end": (f"(loop ℕ[1000000] on {ID} {{ i, f ⇒ sλ x : 𝔻 ⇒ f x + disc 1.0 }}) (disc 0.0)"),
}


@pytest.mark.sparse(2)
@pytest.mark.parametrize("chosen", UNCOUNTED.values(), ids=UNCOUNTED)
def test_what_cannot_be_counted_is_refused_whatever_the_rows_are(chosen: str) -> None:
    assert {outcome(program(chosen), z, "64GiB") for z in (0.0, 5.0)} == {"D0706"}


def refused(chosen: str, memory: str) -> str:
    """The text at which a refusal points."""
    with pytest.raises(DuetError) as caught:
        duetpy.parse(program(chosen), name="text").check().run(z=0.0, ε=1.0, _memory=memory)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == "D0706"
    assert diagnostic.span is not None
    return diagnostic.span.text


def test_a_refusal_points_at_what_is_too_much() -> None:
    assert refused(SELF_CALL, "64GiB") == "(snd q) (fst q)"
    assert refused(HOLDERS["the cells of a table"], MEMORY).startswith("mcreate")


def test_a_call_within_itself_is_seen_where_it_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not after so many steps as may be taken at most, each within the one before."""
    monkeypatch.setattr(footprint, "MOST_STEPS", 10_000)
    steps: list[str] = []
    step = footprint._Counter.step

    def counted(counter: footprint._Counter, span: Span) -> None:
        steps.append(span.text)
        step(counter, span)

    monkeypatch.setattr(footprint._Counter, "step", counted)
    assert refused(SELF_CALL, "64GiB") == "(snd q) (fst q)"
    assert len(steps) < 1_000


ROWS = (
    "pλ m : ℕ, n : ℕ, ε : ℝ⁺ . xs : 𝕄 [L∞, U | m, 1⋅𝔻], n : ℕ[n], ε : ℝ⁺[ε] ⇒ laplace[auto, ε] <xs> { clip[0.0, 1.0] "
    "(mmap-row xs { r ⇒ (loop ℕ[n] on (sλ x : 𝔻 ⇒ x) { i, f ⇒ "
    "let t = mcreate[L∞ | ℕ[2000], ℕ[1]] { k, l ⇒ r#[0, 0] } in sλ x : 𝔻 ⇒ f x + t#[0, 0] }) (disc 0.0) })#[0, 0] }"
)


@pytest.mark.thorough(
    "test_what_fits_runs_and_holds_no_more_than_was_counted",
    "runtime/test_batch_size.py::test_no_number_of_rows_decides_whether_copies_of_a_table_fit",
)
def test_rows_do_not_hold_more_at_once_than_the_memory_of_the_run() -> None:
    checked = duetpy.parse(ROWS, name="text").check()
    peaks = []
    for rows in (1, 64):
        tracemalloc.start()
        checked.run(xs=[[1.0]] * rows, n=100, ε=1.0, _memory="200MB")
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    # All rows at once hold 100 MB.
    assert peaks[1] <= peaks[0] + (50 << 20)


def test_a_row_does_not_decide_how_much_a_created_table_takes_while_it_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sum with 1 is computed in exact numbers, one with 0 in doubles."""
    monkeypatch.setattr(batch_size, "MOST_AT_ONCE", 1 << 13)
    text = program("(mcreate[L∞ | ℕ[300000], ℕ[1]] { i, j ⇒ x + real (dyn i) })#[5, 0]").replace(
        "if z < 1.0 then disc 0.0 else", ""
    )
    checked = duetpy.parse(text.replace("z", "x"), name="text").check()
    checked.run(x=0.0, ε=1.0)
    peaks = []
    for x in (0.0, 1.0):
        tracemalloc.start()
        checked.run(x=x, ε=1.0)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] <= peaks[0] + (8 << 20)


SUMMED = (
    "pλ m : ℕ, ε : ℝ⁺ . xs : 𝕄 [L∞, U | m, 1⋅𝔻], ε : ℝ⁺[ε] ⇒ laplace[auto, ε] <xs> { clip[0.0, 1.0] ("
    "(mfold-row (mcreate[L∞ | ℕ[5000], ℕ[1]] { i, j ⇒ 0.0 }), xs { a, r ⇒ mmap a, "
    "(mcreate[L∞ | ℕ[5000], ℕ[1]] { i, j ⇒ clip[-1.0e300, 1.0e300] (r#[0, 0]) }) { x, y ⇒ x + y } })#[5, 0]) }"
)


def test_a_sum_of_matrices_takes_what_was_counted_whatever_the_rows_are() -> None:
    """Rows of all sizes make the sums as long as any."""
    checked = duetpy.parse(SUMMED, name="text").check()
    low, high = 1 << 18, 1 << 28
    while high > low * 1.05:
        memory = (low + high) // 2
        low, high = (low, memory) if outcome_of_rows(checked, [0.5], memory) == "released" else (memory, high)
    assert outcome_of_rows(checked, [(-1.0) ** at * 10.0 ** (9 * at - 300) / 3 for at in range(60)], low) == "D0706"
    tracemalloc.start()
    checked.run(xs=[[(-1.0) ** at * 10.0 ** (9 * at - 300) / 3] for at in range(60)], ε=1.0, _memory=high)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak <= high


def test_what_is_kept_until_all_matrices_are_added_is_counted() -> None:
    checked = duetpy.parse(SUMMED, name="text").check()
    sums = 5000 * cell_sums.BYTES
    assert [outcome_of_rows(checked, [0.5], memory) for memory in (sums, 2 * sums)] == ["D0706", "released"]


def outcome_of_rows(checked: duetpy.Checked, rows: list[float], memory: int) -> str:
    try:
        checked.run(xs=[[row] for row in rows], ε=1.0, _memory=memory)
    except DuetError as error:
        return " ".join(diagnostic.code for diagnostic in error.diagnostics)
    return "released"


SORTED = {
    "sums": "mfold-row 0.0, TABLE { total, row ⇒ total + (if row#[0, 0] < LIMIT then 1.0 else 0.0) }",
    "numbers of rows": "real (rows (mfilter TABLE { row ⇒ row#[0, 0] < LIMIT }))",
}


@pytest.mark.parametrize("form", SORTED)
def test_a_column_that_is_sorted_is_counted_once_for_all_forms(form: str) -> None:
    """Tables of 30,000 cells in all, of which each counts for 16 bytes, and of each table the column in order, for 8."""
    tables = {
        name: f"(mcreate[L∞ | ℕ[10000], ℕ[1]] {{ i, j ⇒ disc (real {at} + real i) }})" for at, name in enumerate("tuv")
    }
    each = [
        SORTED[form].replace("TABLE", name).replace("LIMIT", limit) for name in tables for limit in ("1.0", "2.0", "z")
    ]
    lets = "".join(f"let {name} = {made} in " for name, made in tables.items())

    def ends(sums: str) -> list[str]:
        text = private(f"laplace[1.0, ε] <z> {{ {lets} clip[0.0, 1.0] (disc ({sums})) }}")
        return [outcome(text, 0.0, f"{size}kB") for size in (600, 750)]

    assert ends(" + ".join(each)) == ["D0706", "released"]
    assert ends(" + ".join(f"{name}#[0, 0]" for name in tables)) == ["released", "released"]
