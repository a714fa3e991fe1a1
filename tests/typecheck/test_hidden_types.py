"""A function for all types allows nothing that the same body does not allow at the type that a call puts in: what is refused there
is refused of the call, and nothing moves less far."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from duetpy.grammar.declared import INFIX
from duetpy.typecheck import types as t
from duetpy.typecheck.check import Typed
from duetpy.typecheck.prelude import declared, names
from duetpy.typecheck.quantity import Quantity
from tests.typecheck.judging import judged

TYPES = {
    "a real": "ℝ",
    "a cell": "𝔻",
    "a text": "𝐝 𝕊",
    "a range": "𝔻 in [0, 9]",
    "a missing cell": "𝔻?",
    "a set": "℘(𝔻)",
    "a data frame": "𝔻𝔽[a : 𝔻]",
    "a record": "record[a : 𝔻, b : 𝕊]",
    "reals": "𝕄 [L1, U | 2, 2⋅ℝ]",
    "a function": "(𝔻 ⊸[1] 𝔻)",
    "a pair": "ℝ × 𝔻",
    "a sum": "ℕ + 𝔻",
    "a box": "box[] 𝔻",
    "a discrete data frame": "𝐝 𝔻𝔽[a : 𝔻]",
}
PLACES = {
    "itself": "{}",
    "discrete": "𝐝 {}",
    "missing": "(𝐝 {})?",
    "a bag": "bag {}",
    "a bag of discrete": "bag (𝐝 {})",
    "rows": "𝕄 [L1, U | 4, 2⋅{}]",
    "clipped rows": "𝕄 [L2, L2 | 4, 2⋅{}]",
    "columns": "𝔻𝔽[a : {}, b : 𝔻]",
    "a pair": "{} × 𝔻",
    "a set": "℘({})",
    "a function": "(𝔻 ⊸[1] {})",
}
FORMS = (
    "x#[0, 0]",
    "x#[0, 0 ↦ y#[0, 0]]",
    "x.a",
    "x.[a]",
    "℘{x, y}",
    "unbox (box ⟨x, y⟩)",
    "if x ≡ y then x else y",
    "case x { some a ⇒ a ; none ⇒ y }",
    "loop 2 on x { i, s ⇒ y }",
    "mmap x, y { a, b ⇒ ⟨a, b⟩ }",
    "mmap-row x { r ⇒ r }",
    "mmap-row x { r ⇒ y }",
    "mmap-col x { c ⇒ c }",
    "bmap x { r ⇒ y }",
    "bmap x { r ⇒ ⟨r, r⟩ }",
    "mapDF x { r ⇒ addColDF⧼c⧽ ⟨r, y⟩ }",
    "mfilter x { r ⇒ r ∈ ℘{r} }",
    "mfold-row x, y { s, r ⇒ s }",
    "mfold-row ⟨x, 1⟩, y { s, r ⇒ s }",
    "flat[2] x { p ⇒ y }",
    "joinDF[2]⧼a⧽[x, y]",
    "join₁[x, 0, y, 0]",
    "partitionDF[x, a, elements y.[a]]",
    "chunks[ℕ[2], x]",
    "zip[x, y]",
    "mcreate[L1 | ℕ[2], ℕ[2]] { i, j ⇒ ⟨x, y⟩ }",
    "∇[LR | x ; y, y]",
    "row∇[LR | x ; y, y]",
)


def uses() -> Iterator[str]:
    """Every form, and every primitive on x, or on x and y."""
    for name in names():
        for signature in declared(name):
            norm = "" if signature.norm is None else f"[{signature.norm.value}]"
            operands = "x y" if len(signature.arguments) > 1 else "x"
            yield f"x {name} y" if name in INFIX else f"{name}{norm} {operands}"
    yield from FORMS


BODIES = tuple(dict.fromkeys(uses()))


def moved(typed: Typed) -> list[Quantity]:
    here, found = typed.type, []
    while isinstance(here, t.Fun) and len(found) < 2:
        found.append(here.sensitivity)
        here = here.codomain
    return found


@pytest.mark.sparse(8)
@pytest.mark.parametrize("body", BODIES)
def test_a_type_variable_hides_nothing(body: str) -> None:
    for place in PLACES.values():
        hidden = place.format("τ")
        function = f"(sλ τ : ☆K . x : {hidden}, y : {hidden} ⇒ {body})"
        if not judged(function).ok:
            continue
        for type_ in TYPES.values():
            shown = place.format(type_)
            plain = judged(f"sλ x : {shown}, y : {shown} ⇒ {body}")
            call = judged(f"sλ x : {shown}, y : {shown} ⇒ {function}@[{type_}] x y")
            if call.ok:
                assert plain.ok, (shown, [each.message for each in plain.diagnostics])
                assert all(one.leq(other) for one, other in zip(moved(plain), moved(call), strict=True)), shown
