"""Rows of which some can be computed together and others not: what is found for one is the same together with any others."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from duetpy.runtime.evaluation.kernels import KERNELS, ROUNDING
from duetpy.runtime.release.noiseless import checked, evaluate
from duetpy.runtime.values.batching import lanes_in
from duetpy.runtime.values.values import Value

TABLE = "sλ xs : 𝕄 [L∞, U | ★, k : 𝔻 ∷ b : 𝔻 ∷ []] ⇒ "
PARTED = "mmap-row xs { r ⇒ ⟨mfilter r { q ⇒ q.k < disc 5.0 }, r⟩ }"
"""Each row with a table of it, where k is below 5, or with one of none."""
BY_ITSELF = (
    "disc (mfold-row 0.0, t { a, u ⇒ a + clip[0.0, 0.0] (disc (real (rows (mfilter u { v ⇒ v.b < disc 0.0 })))) })"
)
"""0; a filter inside a row body is computed for one row alone, so only rows without a table are computed together."""
NUMBER = f"((r.b + disc 0.1) + disc 0.2) + {BY_ITSELF}"
BACK = "(y - disc 0.1) - disc 0.2"


def chain(first: str, then: str) -> str:
    made = f"mmap-row ({PARTED}) {{ w ⇒ let ⟨t, r⟩ = w#[0, 0] in ⟨{first}, r⟩ }}"
    return f"{TABLE}mmap-row ({made}) {{ w ⇒ let ⟨x, r⟩ = w#[0, 0] in {then} }}"


IS_BACK = f"if {BACK} ≡ r.b then disc 1.0 else disc 0.0"
PROGRAMS = {
    "numbers": chain(NUMBER, f"let y = x in {IS_BACK}"),
    "pairs": chain(f"⟨1, {NUMBER}⟩", f"let y = snd x in {IS_BACK}"),
    "sides": chain(f"inl[ℕ] ({NUMBER})", f"case x {{ inl y ⇒ {IS_BACK} ; inr n ⇒ disc 2.0 }}"),
    "either side": chain(
        f"if r.b < 0.4 then inr[𝔻] 3 else inl[ℕ] ({NUMBER})", f"case x {{ inl y ⇒ {IS_BACK} ; inr n ⇒ disc 2.0 }}"
    ),
    "a number of one side": chain(
        f"if r.b < 0.4 then inl[ℕ] ({BY_ITSELF}) else inr[𝔻] 3",
        "let z = (case x { inl y ⇒ disc 0.1 ; inr n ⇒ r.b }) in "
        "if (z + disc 0.2) + r.b ≡ disc 0.6 then disc 1.0 else disc 0.0",
    ),
    "functions": chain(f"sλ z : 𝔻 ⇒ z + ({NUMBER})", f"let y = x (disc 0.0) in {IS_BACK}"),
    "rows": chain(f"mcreate[L∞ | ℕ[1], ℕ[2]] {{ i, j ⇒ {NUMBER} }}", f"let y = (mclip[L∞, 9.0] x)#[0, 1] in {IS_BACK}"),
    "maps": chain(f"mmap r {{ z ⇒ ((z + disc 0.1) + disc 0.2) + {BY_ITSELF} }}", f"let y = x#[0, 1] in {IS_BACK}"),
}
TOGETHER = [(9.0, 0.5), (9.0, 0.3), (9.0, 0.123)]
ALONE = [(1.0, number) for number in (0.3, 0.7, 1 / 3, 0.9, 0.123, 0.11)]


def found(program: str, rows: Sequence[tuple[float, float]], block: int = 100) -> list[object]:
    columns = dict(zip("kb", map(list, zip(*rows, strict=True)), strict=True))
    made = evaluate(checked(program), xs=columns, _block_rows=block)
    assert isinstance(made, list)
    return [cell for row in made for cell in row]


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
@pytest.mark.sparse(3)
def test_what_is_found_for_a_row_does_not_hang_on_how_others_are_computed(program: str) -> None:
    by_itself = [found(program, [row]) for row in (*ALONE, *TOGETHER)]
    assert found(program, [*ALONE, *TOGETHER]) == [cell for each in by_itself for cell in each]
    assert found(program, ALONE) == [cell for each in by_itself[: len(ALONE)] for cell in each]
    assert found(program, TOGETHER) == [cell for each in by_itself[len(ALONE) :] for cell in each]


ONE_SIDE = (
    f"{TABLE}mmap-row (mmap-row xs {{ r ⇒ ⟨if 3 < 0 then inr[𝔻] 3 else inl[ℕ] r.b, r⟩ }}) {{ w ⇒ "
    f"let ⟨x, r⟩ = w#[0, 0] in case x {{ inl z ⇒ let y = (z + disc 0.1) + disc 0.2 in {IS_BACK} ; inr n ⇒ disc 2.0 }} }}"
)


@pytest.mark.parametrize("block", [1, 2, 3, 5])
@pytest.mark.parametrize("program", [*PROGRAMS.values(), ONE_SIDE], ids=[*PROGRAMS.keys(), "one side"])
@pytest.mark.sparse(5)
def test_nor_on_the_block_that_it_stands_in(program: str, block: int) -> None:
    rows = [*ALONE, *TOGETHER]
    assert found(program, rows, block) == found(program, rows)


@pytest.mark.parametrize("name", ["numbers", "pairs", "rows"])
def test_arithmetic_that_rounds_in_lanes_alone_is_seen(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: where one number by itself is exact, the rows next to it decide whether it is rounded."""
    for sign in "+-":
        rounds = ROUNDING[sign]

        def mixed(left: Value, right: Value, sign: str = sign, rounds: Callable[..., Value] = rounds) -> Value:
            return (KERNELS[sign] if lanes_in(left, right) is None else rounds)(left, right)

        monkeypatch.setitem(ROUNDING, sign, mixed)
    program = PROGRAMS[name]
    assert found(program, [*ALONE, *TOGETHER])[len(ALONE) :] != found(program, TOGETHER)
