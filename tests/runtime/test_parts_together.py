"""Random bodies over the parts of a table: what one part gives does not depend on what stands in the others.

Parts of one size are computed together and others one by one, so another row in the third part decides how the first is computed.
"""

import random
import re
from typing import Any

import pytest

from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.runtime.exact import whole_numbers
from duetpy.runtime.exact.rationals import Numbers, rounded
from duetpy.runtime.release.noiseless import checked, evaluate
from duetpy.runtime.values import comparing
from tests.effort import often

LEAVES = {
    "N": [
        "n",
        "n",
        "(9007199254740992 + n)",
        "0",
        "1",
        "7",
        "9007199254740995",
        "9007199254740997",
        "36893488147419103233",
    ],
    "R": ["x", "x", "x", "0.0", "0.1", "1.0", "-2.5", "1e300", "5e-324", "9007199254740993.0", "-1e16", "1e-17"],
    "D": ["d", "d", "d", "disc 0.1", "disc (-2.5)", "disc 1e300", "disc 1e-17"],
    "B": ["n < 4", "x ≤ 0.1", "d ≡ disc 0.1", "true"],
}
"""Numbers by sort: natural, real, discrete, truth values. n, x and d are of the part."""

FORMS = {
    "N": [
        *("({N} + {N})", "({N} - {N})", "({N} % {N})", "({N} ⊔ {N})", "({N} ⊓ {N})", "(fst ⟨{N}, {R}⟩)"),
        *("({N} ⋅ 3)", "({N} ⋅ 36893488147419103233)", "(if {B} then {N} else {N})", "((sλ q : ℕ ⇒ q + {N}) {N})"),
        *("(loop ℕ[40] on {N} { i, a ⇒ a + a })", "(loop ℕ[2] on {N} { i, a ⇒ a % {N} })"),
        "(case (if {B} then inl[ℝ] {N} else inr[ℕ] {R}) { inl u ⇒ u ; inr v ⇒ {N} })",
    ],
    "R": [
        *("({R} + {R})", "({R} - {R})", "(0.1 ⋅ {R})", "({R} / 3.0)", "({R} ⋅ {R})", "({R} / {R})", "({R} ⊔ {R})"),
        *("({R} ⊓ {R})", "(abs {R})", "(sign {R})", "(floor {R})", "(round {R})", "(tanh {R})", "(√ {R})", "(㏒ {R})"),
        *("(clip[-0.3, 0.7] {R})", "(conv {D})", "(real {N})", "(if {B} then {R} else {R})"),
        *("((mcreate[L∞ | ℕ[2], ℕ[2]] { i, j ⇒ {R} })#[{N}, 1])", "(loop ℕ[9] on {R} { i, b ⇒ 0.1 ⋅ b + b })"),
        "(mfold-row {R}, (mcreate[L∞ | ℕ[3], ℕ[1]] { i, j ⇒ {R} }) { b, r ⇒ 0.1 ⋅ b + r#[0, 0] })",
        "((mclip[L2, 1.5] (mcreate[L2 | ℕ[1], ℕ[2]] { i, j ⇒ {R} }))#[0, 1])",
    ],
    "D": [
        *(
            "({D} + {D})",
            "({D} - {D})",
            "({D} ⋅ {D})",
            "({D} / {D})",
            "(disc {R})",
            "({D} ⊔ {D})",
            "(abs {D})",
            "(√ {D})",
        ),
        *("(if {B} then {D} else {D})", "(loop ℕ[9] on {D} { i, c ⇒ c + c })"),
        "((mclip[L1, 1.5] (mcreate[L∞ | ℕ[1], ℕ[2]] { i, j ⇒ {D} }))#[0, 1])",
    ],
    "B": [
        *("({N} < {N})", "({N} ≤ {N})", "({N} ≡ {N})", "({R} < {R})", "({D} ≡ {D})", "({B} ∧ {B})", "({B} ∨ {B})"),
        *("({N} ∈ ℘{{N}, {N}})", "(⟨{N}, {D}⟩ ≡ ⟨{N}, {D}⟩)"),
    ],
}

MISSING = {
    "N": ["(case {M} { some u ⇒ {N} ; none ⇒ {N} })"],
    "R": ["(case ((sλ q : ℝ? ⇒ q) ({R})) { some u ⇒ 0.1 ⋅ u + {R} ; none ⇒ {R} })"],
    "D": ["({M} or-else {D})", "({M} or-else {R})", "(case {M} { some u ⇒ u + {D} ; none ⇒ {D} })"],
    "B": ["(is-missing ({M}))", "({M} ≡ {M})"],
    "M": [
        *(
            "(if {B} then {M} else {M})",
            "(if {B} then {D} else none[𝔻])",
            "({M} or-else {M})",
            "((sλ q : 𝔻? ⇒ q) ({D}))",
        ),
        "(case {M} { some u ⇒ (if {B} then none[𝔻] else u) ; none ⇒ {M} })",
        "(loop ℕ[3] on {M} { i, c ⇒ c or-else {M} })",
        "((mcreate[L∞ | ℕ[1], ℕ[2]] { i, j ⇒ {M} })#[0, 1])",
    ],
}
"""Forms of numbers that may be missing, which every other body has as well. m is of the part."""

EVERY = {sort: [*FORMS.get(sort, []), *2 * MISSING[sort]] for sort in MISSING}
LEAVES["M"] = ["none[𝔻]", "m", "m"]

RESULTS = ["{D}", "disc {R}", "disc {N}", "if {B} then disc 1.0 else disc 0.0"]
PARTS = """sλ xs : 𝕄 [L∞, U | ★, k : 𝐝 ℕ ∷ v : 𝔻? ∷ []] ⇒ bmap (partitionDF[xs, k, ℘{disc 1, disc 2, disc 3}]) { p ⇒
  let x = mfold-row 0.0, p { a, r ⇒ a + clip[-50.0, 50.0] (r.v or-else 0.3) } in
  let n = if x < 3.0 then 3 else 5 in
  let d = disc x in
  let m = if x < 0.7 then none[𝔻] else d in
  BODY }"""


def grown(form: str, depth: int, dice: random.Random, forms: dict[str, list[str]] = FORMS) -> str:
    """A form with others in its places."""

    def inner(found: re.Match[str]) -> str:
        sort = found[1]
        return grown(dice.choice(forms[sort] if depth else LEAVES[sort]), max(0, depth - 1), dice, forms)

    return re.sub(r"\{([NRDBM])\}", inner, form)


def differences(seeds: range) -> tuple[list[str], int]:
    """The bodies of which one part gives something else together with others, and how many were compared."""
    found, compared = [], 0
    for seed in seeds:
        dice, may_miss = random.Random(seed // 2), seed % 2 == 1
        results, forms = ([*RESULTS, "{M}", "{M}"], EVERY) if may_miss else (RESULTS, FORMS)
        body = grown(dice.choice(results), dice.choice([1, 2, 3, 3]), dice, forms)
        typed = checked(PARTS.replace("BODY", body))
        errors: list[Diagnostic] = [each for each in typed.diagnostics if each.is_error]
        if errors:
            continue
        cells = [1.0, 2.0, 0.1, 0.3, -7.5, 1e-300, 40.0, *([None, None] if may_miss else [])]
        rows = [(at, dice.choice(cells)) for at in (1, 2, 3)]
        even, third, two = (
            evaluate(typed, xs=table) for table in (rows, [*rows, (3, 4.0)], [*rows, (2, 1.0), (3, 1.0)])
        )
        compared += 1
        if not (same(even[:2], third[:2]) and same(even[:1], two[:1])):
            found.append(body)
    return found, compared


def same(left: Any, right: Any) -> bool:
    return repr(left) == repr(right)


def test_a_part_gives_the_same_beside_others() -> None:
    found, compared = differences(range(often(600, 120)))
    assert found == []
    assert compared > often(350, 70)


def test_numbers_that_are_rounded_where_parts_are_computed_together_would_be_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def rounding(left: Numbers, right: Numbers) -> Any:
        return rounded(left), rounded(right)

    monkeypatch.setattr(whole_numbers, "compared", rounding)
    monkeypatch.setattr(comparing, "compared", rounding)
    assert any(differences(range(seed, seed + 1))[0] for seed in range(1200))


SHORTENED = {
    "×": "(mcreate[L∞ | ℕ[1], ℕ[1]] { i, j ⇒ x }) × m",
    "mclip[L1]": "mclip[L1, 1.0] (mcreate[L∞ | ℕ[1], ℕ[2]] { i, j ⇒ 5.0 ⋅ real j + TINY x })",
    "mclip[L2]": "mclip[L2, 1.0] (mcreate[L∞ | ℕ[1], ℕ[2]] { i, j ⇒ 5.0 ⋅ real j + TINY x })",
}
"""Forms that keep so many places of numbers."""

KEPT = """sλ xs : 𝕄 [L∞, U | ★, k : 𝐝 ℕ ∷ v : 𝔻 ∷ []] ⇒
  let m = mclip[L1, 1.0] (mcreate[L1 | ℕ[1], ℕ[1]] { i, j ⇒ TINY 1.0 }) in
  bmap (partitionDF[xs, k, ℘{disc 1, disc 2, disc 3}]) { p ⇒
  let x = mfold-row 0.0, p { a, r ⇒ a + clip[-9.0, 9.0] r.v } in
  if 1e-9 < 1e300 ⋅ (1e300 ⋅ (1e300 ⋅ (FORM)#[0, 0])) then disc 1.0 else disc 0.0 }"""


@pytest.mark.parametrize("form", SHORTENED)
def test_so_many_places_are_kept_of_a_part_beside_any_others(form: str) -> None:
    typed = checked(KEPT.replace("FORM", SHORTENED[form]).replace("TINY", "1e-300 ⋅ 1e-300 ⋅ 1e-300 ⋅"))
    rows = [(1, 1.1), (1, 0.7), (2, 1.0), (2, 2.1), (3, 1.0)]
    one_by_one, together = evaluate(typed, xs=rows), evaluate(typed, xs=[*rows, (3, 1.0)])
    assert one_by_one == together
