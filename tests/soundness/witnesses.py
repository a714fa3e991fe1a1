"""Two neighbours for every rule of privacy, in the notions that price it, with the price that is claimed.

The laws of what is released on the two are computed exactly, and held against the price: no rule may claim less than they
differ by, and a rule that is called tight differs by all of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from attrs import frozen

from duetpy.accounting.price import Refusal, numbers, price
from duetpy.typecheck import types as t
from duetpy.typecheck.check import Typed
from duetpy.typecheck.cost import Cost
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import KindVar
from tests.soundness.definition import read_kinds
from tests.soundness.distributions import Laws, spent
from tests.soundness.falsify import Refused, about, check, holds
from tests.soundness.plain import Table


@frozen
class Witness:
    """A program, its price for one input, and two values of its inputs that differ by one step.

    Parameters
    ----------
    rule
        The rule that it is about.
    notion
        The notion of the program.
    text
        The program.
    before, after
        The neighbours: the values of all parameters.
    claims
        The price of what moves, as printed.
    tight
        Whether the neighbours use up all of the price, but for the rounding of noise to a grid.
    """

    rule: str
    notion: Notion
    text: str
    before: tuple[Any, ...]
    after: tuple[Any, ...]
    claims: tuple[str, ...]
    tight: bool = True


def column(*entries: Any) -> Table:
    return Table(tuple((Fraction(entry) if isinstance(entry, float | int) else entry,) for entry in entries), 1)


def table(*rows: Sequence[Any]) -> Table:
    return Table(tuple(tuple(Fraction(entry) for entry in row) for row in rows), len(rows[0]))


@frozen(eq=False)
class Claim:
    """What the checker says of a witness's program."""

    typed: Typed
    function: t.PFun
    cost: Cost
    kinds: dict[KindVar, Fraction]


def claimed(witness: Witness) -> Claim:
    """The claim at the witness's neighbours; raises `Refused` where the program was refused."""
    typed = check(witness.text, witness.notion)
    if not typed.ok or not isinstance(typed.type, t.PFun):
        raise Refused(*(f"{d.code} {d.message}" for d in typed.diagnostics))
    kinds: dict[KindVar, Fraction] = {}
    moved: dict[int, Cost] = {}
    for parameter, x, y in zip(typed.type.parameters, witness.before, witness.after, strict=True):
        read_kinds(parameter.type, x, kinds)
        if x != y:
            moved[parameter.unit] = parameter.cost
    (cost,) = moved.values()
    if not all(holds(obligation, kinds) for obligation in about(typed.obligations, kinds)):
        raise Refused("the obligations fail")
    return Claim(typed, typed.type, cost, kinds)


def shown(witness: Witness) -> tuple[str, ...]:
    """The price as printed."""
    found = price(claimed(witness).cost, witness.notion)
    assert not isinstance(found, Refusal), found.reason
    return tuple(found.show().values())


def used(witness: Witness) -> float:
    """The part of the claimed price that the neighbours use up: above 1 the rule is refuted."""
    claim = claimed(witness)
    found = numbers(claim.cost, witness.notion, claim.kinds)
    if isinstance(found, Refusal):
        raise Refused(found.reason)
    parts = [float("inf") if number is None else number for number in found.values()]
    laws = Laws(claim.typed.annotations)
    assert claim.typed.body is not None
    function = laws.of(claim.typed.body, {}, {})
    return spent(witness.notion, parts, (laws.called(function, witness.before), laws.called(function, witness.after)))


PURE, APPROX, RENYI, ZCDP, TCDP, GDP = (
    Notion.PURE,
    Notion.APPROX,
    Notion.RENYI,
    Notion.ZCDP,
    Notion.TCDP,
    Notion.GDP,
)

SUM = "mfold-row 0.0, {} {{ a, r ⇒ a + clip[{}] r#[0, 0] }}"
NOISY_SUM = "laplace[1.0, 1.0] <t> { " + SUM.format("t", "0.0, 1.0") + " }"
SCORES = "mcreate[L∞ | ℕ[1], ℕ[{}]] {{ i, j ⇒ real j }}"
FOUR = "xs : 𝕄 [L∞, U | 4, 1⋅𝔻]"
STAR = "xs : 𝕄 [L∞, U | ★, 1⋅𝔻]"
PARTS = "xs : 𝕄 [L∞, U | {}, age : 𝔻 ∷ state : 𝐝 𝕊 ∷ []]"
COUNTS = (
    'parallel[xs, ℘{"NY", "VT"}] { r ⇒ r.state } { k, t ⇒ c ← laplace[1.0, 1.0] <t> { real (rows t) } ; return ⟨k, c⟩ }'
)
ANSWER = "b ← rand-resp[2, {}] {{ x }} ; return a + b"
NOTHING, ONE_ROW = Table((), 1), column(1)
NAMES = ("age", "state")


def people(*rows: tuple[int, str]) -> Table:
    return Table(tuple((Fraction(age), state) for age, state in rows), 2, NAMES)


def one(number: float) -> tuple[Fraction]:
    return (Fraction(number),)


WITNESSES = (
    # Noise
    Witness("laplace", PURE, "pλ . x : ℝ ⇒ laplace[2.0, 1.0] <x> { 2.0 ⋅ x }", one(0), one(1), ("1",)),
    Witness("laplace", RENYI, "pλ . x : ℝ ⇒ laplace[1.0, 1.0] <x> { x }", one(0), one(1), ("∞", "1")),
    Witness("laplace", ZCDP, "pλ . x : ℝ ⇒ laplace[1.0, 1.0] <x> { x }", one(0), one(1), ("1 + exp(-1) - 1",)),
    Witness("laplace", GDP, "pλ . x : ℝ ⇒ laplace[1.0, 1.0] <x> { x }", one(0), one(1), ("2⋅Φ⁻¹(1 - exp(-1/2)/2)",)),
    Witness("canonical", PURE, "pλ . x : ℝ ⇒ canonical[2.0, 1.0] <x> { 2.0 ⋅ x }", one(0), one(1), ("1",)),
    Witness(
        "canonical", APPROX, "pλ . x : ℝ ⇒ canonical[auto, 1.0, 0.01] <x> { 2.0 ⋅ x }", one(0), one(1), ("1", "0.01")
    ),
    Witness("canonical", ZCDP, "pλ . x : ℝ ⇒ canonical[1.0, 1.0] <x> { x }", one(0), one(1), ("tanh(0.5)",)),
    Witness(
        "mlaplace",
        PURE,
        "pλ . xs : 𝕄 [L1, U | 1, 2⋅ℝ] ⇒ mlaplace[auto, 1.0] <xs> { mmap xs { x ⇒ 3.0 ⋅ x } }",
        (table([0, 0]),),
        (table([Fraction(1, 2), Fraction(1, 2)]),),
        ("1",),
    ),
    Witness("gauss", APPROX, "pλ . x : ℝ ⇒ gauss[1.0, 1.0, 0.01] <x> { x }", one(0), one(1), ("1", "0.01")),
    Witness("gauss", ZCDP, "pλ . x : ℝ ⇒ gauss[2.0, 0.5] <x> { 2.0 ⋅ x }", one(0), one(1), ("0.5",)),
    Witness("gauss", RENYI, "pλ . x : ℝ ⇒ gauss[1.0, 4.0, 1.0] <x> { x }", one(0), one(1), ("4", "1")),
    Witness("gauss", TCDP, "pλ . x : ℝ ⇒ gauss[1.0, 0.25, 8.0] <x> { x }", one(0), one(1), ("0.25", "8")),
    Witness("gauss", GDP, "pλ . x : ℝ ⇒ gauss[1.0, 0.7] <x> { x }", one(0), one(1), ("0.7",)),
    Witness(
        "mgauss",
        ZCDP,
        "pλ . xs : 𝕄 [L2, U | 1, 2⋅ℝ] ⇒ mgauss[1.0, 0.5] <xs> { xs }",
        (table([0, 0]),),
        (table([Fraction(3, 5), Fraction(4, 5)]),),
        ("0.5",),
    ),
    # Mechanisms that choose
    Witness("rand-resp", PURE, "pλ . i : 𝕀[3] ⇒ rand-resp[3, 1.0] <i> { i }", (0,), (1,), ("1",)),
    Witness("rand-resp", ZCDP, "pλ . i : 𝕀[2] ⇒ rand-resp[2, 1.0] <i> { i }", (0,), (1,), ("tanh(0.5)",)),
    Witness(
        "exponential",
        PURE,
        f"pλ . x : ℝ ⇒ exponential[1.0, 1.0] {SCORES.format(4)} <x> {{ c ⇒ if c < 1.0 then x else 0.0 - x }}",
        one(-50),
        one(-49),
        ("1",),
    ),
    Witness(
        "noisy-max",
        PURE,
        f"pλ . x : ℝ ⇒ noisy-max[1.0, 1.0] {SCORES.format(4)} <x> {{ c ⇒ if c < 1.0 then x else 0.0 - x }}",
        one(-50),
        one(-49),
        ("1",),
    ),
    Witness(
        "exponential",
        ZCDP,
        f"pλ . x : ℝ ⇒ exponential[1.0, 1.0] {SCORES.format(2)} <x> {{ c ⇒ if c < 1.0 then x else 0.0 - x }}",
        one(-0.5),
        one(0.5),
        ("0.125",),
    ),
    Witness(
        "noisy-max",
        ZCDP,
        f"pλ . x : ℝ ⇒ noisy-max[1.0, 1.0] {SCORES.format(2)} <x> {{ c ⇒ if c < 1.0 then x else 0.0 - x }}",
        one(-0.5),
        one(0.5),
        ("1 + exp(-1) - 1",),
        tight=False,
    ),
    Witness(
        "noisy-max",
        GDP,
        f"pλ . x : ℝ ⇒ noisy-max[1.0, 1.0] {SCORES.format(2)} <x> {{ c ⇒ if c < 1.0 then x else 0.0 - x }}",
        one(-0.5),
        one(0.5),
        ("2⋅Φ⁻¹(1 - exp(-1/2)/2)",),
    ),
    Witness(
        "above-threshold",
        PURE,
        "pλ . x : ℝ ⇒ AboveThreshold[1.0, mcreate[L1 | ℕ[1], ℕ[100]] { i, j ⇒ "
        "sλ . z : ℝ ⇒ if real j < 98.0 then z else 0.0 - z }, 0.0] <x> { x }",
        one(0),
        one(1),
        ("1",),
    ),
    Witness(
        "above-threshold",
        PURE,
        "pλ . x : ℝ ⇒ AboveThreshold[1.0, mcreate[L1 | ℕ[1], ℕ[98]] { i, j ⇒ "
        "sλ . z : ℝ ⇒ if real j < 96.0 then z else -9.0 }, -5.0] <x> { x }",
        one(0),
        one(1),
        ("0.75",),
    ),
    Witness(
        "above-threshold",
        PURE,
        f"pλ . {STAR} ⇒ let counts = mcreate[L1 | ℕ[1], ℕ[98]] {{ i, j ⇒ sλ . t : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ "
        "if real j < 96.0 then real (rows (mfilter t { r ⇒ r#[0, 0] < 5.0 })) else -9.0 } in "
        "AboveThreshold[1.0, counts, -5.0] <xs> { xs }",
        (column(7),),
        (column(7, 3),),
        ("0.75",),
    ),
    Witness(
        "above-threshold",
        PURE,
        f"pλ . {FOUR} ⇒ AboveThreshold[1.0, mcreate[L1 | ℕ[1], ℕ[100]] {{ i, j ⇒ sλ . t : 𝕄 [L∞, U | 4, 1⋅𝔻] ⇒ "
        "if real j < 98.0 then real (rows (mfilter t { r ⇒ r#[0, 0] < 5.0 })) "
        "else real (rows (mfilter t { r ⇒ 5.0 ≤ r#[0, 0] })) }, 2.0] <xs> { xs }",
        (column(7, 7, 3, 3),),
        (column(7, 3, 3, 3),),
        ("1",),
    ),
    # Composition
    Witness("return", PURE, "pλ . x : ℝ ⇒ return 3.0", one(0), one(1), ("0",), tight=False),
    Witness(
        "bind",
        PURE,
        "pλ . x : ℝ ⇒ a ← laplace[1.0, 1.0] <x> { x } ; b ← laplace[1.0, 2.0] <x> { x + a } ; return ⟨a, b⟩",
        one(0),
        one(1),
        ("3",),
    ),
    Witness(
        "bind",
        ZCDP,
        "pλ . x : ℝ ⇒ a ← gauss[1.0, 0.5] <x> { x } ; b ← gauss[1.0, 0.125] <x> { x } ; return ⟨a, b⟩",
        one(0),
        one(1),
        ("0.625",),
    ),
    Witness(
        "bind",
        GDP,
        "pλ . x : ℝ ⇒ a ← gauss[1.0, 0.6] <x> { x } ; b ← gauss[1.0, 0.8] <x> { x } ; return ⟨a, b⟩",
        one(0),
        one(1),
        ("1",),
    ),
    Witness(
        "privacy-if",
        PURE,
        "pλ . x : ℝ ⇒ if false then { laplace[1.0, 1.0] <x> { x } } else { laplace[1.0, 2.0] <x> { x } }",
        one(0),
        one(1),
        ("2",),
    ),
    Witness(
        "privacy-loop",
        PURE,
        f"pλ . x : 𝕀[2] ⇒ loop ℕ[4] on 0 {{ i, a ⇒ {ANSWER.format(0.5)} }}",
        (0,),
        (1,),
        ("2",),
    ),
    Witness(
        "aloop",
        APPROX,
        f"pλ . x : 𝕀[2] ⇒ aloop[0.1] ℕ[30] on 0 {{ i, a ⇒ {ANSWER.format(0.5)} }}",
        (0,),
        (1,),
        ("15⋅tanh(0.25) + √(15⋅㏒10)", "0.1"),
        tight=False,
    ),
    Witness(
        "privacy-application",
        PURE,
        "let f = pλ . a : ℝ, b : ℝ ⇒ laplace[1.0, 1.0] { a + b } in pλ . x : ℝ ⇒ f@[ . x, 2.0 ⋅ x]",
        one(0),
        one(1),
        ("3",),
    ),
    Witness(
        "privacy-application",
        ZCDP,
        "let f = pλ . a : ℝ ⇒ gauss[1.0, 0.125] <a> { a } in pλ . x : ℝ ⇒ f@[ . 3.0 ⋅ x]",
        one(0),
        one(1),
        ("1.125",),
    ),
    Witness(
        "privacy-application",
        ZCDP,
        "let f = pλ . a : ℝ, b : ℝ ⇒ gauss[1.0, 0.125] { a + b } in pλ . x : ℝ ⇒ f@[ . x, x]",
        one(0),
        one(1),
        ("0.5",),
    ),
    Witness(
        "privacy-application",
        GDP,
        "let f = pλ . a : ℝ, b : ℝ ⇒ gauss[1.0, 0.5] { a + b } in pλ . x : ℝ ⇒ f@[ . x, x]",
        one(0),
        one(1),
        ("1",),
    ),
    Witness(
        "privacy-application",
        APPROX,
        "let f = pλ . a : ℝ ⇒ gauss[1.0, 0.5, 0.01] <a> { a } in pλ . x : ℝ ⇒ f@[ . 2.0 ⋅ x]",
        one(0),
        one(1),
        ("1", "0.01⋅expm1(1)/expm1(0.5)"),
    ),
    Witness(
        "mmapp",
        GDP,
        "pλ . xs : 𝕄 [L∞, U | 1, 1⋅𝔻] ⇒ mmapp xs { x ⇒ gauss[1.0, 0.5] { clip[0.0, 1.0] x + clip[0.0, 1.0] xs#[0, 0] } }",
        (column(0),),
        (column(1),),
        ("1",),
    ),
    Witness(
        "bind",
        PURE,
        "pλ . x : ℝ ⇒ a ← laplace[1.0, 1.0] <x> { x } ; b ← laplace[1.0, 1.0] <x> { x } ; return ⟨a, b⟩",
        one(0),
        one(1),
        ("2",),
    ),
    Witness(
        "privacy-case",
        PURE,
        "pλ . x : ℝ ⇒ case inr[ℝ] 1 { inl u ⇒ laplace[1.0, 1.0] <x> { x } ; inr v ⇒ laplace[1.0, 2.0] <x> { x } }",
        one(0),
        one(1),
        ("2",),
    ),
    Witness("rand-nat", PURE, "pλ . n : ℕ ⇒ rand-nat[1, n]", (1,), (2,), ("∞",), tight=False),
    Witness("given", PURE, "pλ . x : ℝ ⇒ given[1.0] <x> { x }", one(0), one(1), ("1",)),
    Witness("given", PURE, "pλ . x : ℝ ⇒ let y = 3.0 ⋅ x in given[1.0] <y> { y }", one(0), one(1), ("3",)),
    Witness(
        "given",
        GDP,
        "pλ . x : ℝ, y : ℝ ⇒ given[0.5] <x> { x + y }",
        (Fraction(0), Fraction(0)),
        (Fraction(0), Fraction(1)),
        ("∞",),
        tight=False,
    ),
    Witness("given", GDP, "pλ . x : ℝ ⇒ let y = 2.0 ⋅ x in given[0.5] <x, y> { x + y }", one(0), one(1), ("1.5",)),
    # Parts
    Witness(
        "parallel",
        PURE,
        f"pλ . {PARTS.format('★')} ⇒ {COUNTS}",
        (people((1, "NY")),),
        (people((1, "NY"), (2, "NY")),),
        ("1",),
    ),
    Witness(
        "parallel",
        PURE,
        f"pλ m : ℕ . {PARTS.format('m')} ⇒ {COUNTS}",
        (people((1, "NY"), (2, "NY")),),
        (people((1, "NY"), (2, "VT")),),
        ("2",),
    ),
    Witness(
        "mmapp",
        PURE,
        "pλ m : ℕ . xs : 𝕄 [L∞, U | m, 2⋅𝔻] ⇒ mmapp xs { x ⇒ laplace[5.0, 1.0] <x> { clip[0.0, 5.0] x } }",
        (table([0, 0]),),
        (table([5, 5]),),
        ("2",),
    ),
    Witness(
        "pmap-col",
        PURE,
        "pλ m : ℕ . xs : 𝕄 [L∞, U | m, 2⋅𝔻] ⇒ pmap-col xs { c ⇒ "
        f"laplace[5.0, 1.0] <c> {{ {SUM.format('c', '0.0, 5.0')} }} }}",
        (table([0, 0]),),
        (table([5, 5]),),
        ("2",),
    ),
    Witness(
        "pfld-rows",
        PURE,
        f"pλ . {FOUR}, ys : 𝕄 [L∞, U | 4, 1⋅𝔻] ⇒ pfld-rows[ℕ[2], 0.0, xs, ys, pλ . t : 𝕄 [L∞, U | 2, 1⋅𝔻], "
        f"u : 𝕄 [L∞, U | 2, 1⋅𝔻], z : ℝ ⇒ {NOISY_SUM}]",
        (column(0, 0, 0, 0), column(0, 0, 0, 0)),
        (column(0, 0, 0, 1), column(0, 0, 0, 0)),
        ("1",),
    ),
    # Samples
    Witness(
        "sample",
        PURE,
        f"pλ . {FOUR} ⇒ sample[ℕ[2]] xs {{ t ⇒ {NOISY_SUM} }}",
        (column(0, 0, 0, 0),),
        (column(0, 0, 0, 1),),
        ("log1p(expm1(1)/2)",),
    ),
    Witness(
        "sample",
        PURE,
        f"pλ . {FOUR} ⇒ sample[ℕ[2]] xs {{ t ⇒ mmapp t {{ x ⇒ laplace[1.0, 1.0] <x> {{ clip[0.0, 1.0] x }} }} }}",
        (column(0, 0, 0, 0),),
        (column(1, 0, 0, 0),),
        ("log1p(expm1(1)/2)",),
    ),
    Witness(
        "sample",
        PURE,
        f"pλ . {FOUR} ⇒ sample[ℕ[2]] xs {{ t ⇒ mmapp t {{ x ⇒ laplace[1.0, 1.0] <x> {{ clip[0.0, 1.0] x }} }} }}",
        (column(0, 0, 0, 1),),
        (column(1, 0, 0, 1),),
        ("log1p(expm1(1)/2)",),
        tight=False,
    ),
    Witness(
        "sample",
        APPROX,
        f"pλ . {FOUR} ⇒ sample[ℕ[1]] xs {{ t ⇒ gauss[1.0, 1.0, 0.01] <t> {{ {SUM.format('t', '0.0, 1.0')} }} }}",
        (column(0, 0, 0, 0),),
        (column(0, 0, 0, 1),),
        ("log1p(expm1(1)/4)", "0.0025"),
    ),
    Witness(
        "sample",
        PURE,
        f"pλ . xs : 𝕄 [L∞, U | 4, p : 𝔻 ∷ q : 𝔻 ∷ []] ⇒ sample[ℕ[2]] xs.[p], xs.[q] {{ t, u ⇒ {NOISY_SUM} }}",
        (Table(((Fraction(0), Fraction(0)),) * 4, 2, ("p", "q")),),
        (Table(((Fraction(0), Fraction(0)),) * 3 + ((Fraction(1), Fraction(0)),), 2, ("p", "q")),),
        ("log1p(expm1(1)/2)",),
    ),
    # The second table says which row was drawn, so that no other row hides it.
    Witness(
        "sample",
        PURE,
        f"pλ . {FOUR}, ys : 𝕄 [L∞, U | 4, 1⋅𝔻] ⇒ sample[ℕ[1]] xs, ys {{ t, u ⇒ "
        "a ← laplace[1.0, 1.0] <t> { clip[0.0, 1.0] t#[0, 0] } ; return ⟨u#[0, 0], a⟩ }",
        (column(0, 0, 0, 0), column(0, 1, 2, 3)),
        (column(0, 0, 0, 1), column(0, 1, 2, 3)),
        ("1",),
    ),
    # It nearly says so, through noise of its own.
    Witness(
        "sample",
        PURE,
        f"pλ . {FOUR}, ys : 𝕄 [L∞, U | 4, 1⋅𝔻] ⇒ sample[ℕ[1]] xs, ys {{ t, u ⇒ "
        "a ← rand-resp[ℕ[2], 0.5] <t> { if t#[0, 0] < 0.5 then idx 0 else idx 1 } ; "
        "b ← rand-resp[ℕ[2], 3.0] <u> { if u#[0, 0] < 0.5 then idx 0 else idx 1 } ; return ⟨a, b⟩ }",
        (column(0, 0, 0, 0), column(0, 0, 0, 1)),
        (column(0, 0, 0, 1), column(0, 0, 0, 1)),
        ("log1p(expm1(3.5)/4)",),
        tight=False,
    ),
    Witness(
        "sample",
        RENYI,
        f"pλ . {FOUR}, ys : 𝕄 [L∞, U | 4, 1⋅𝔻] ⇒ sample[ℕ[1]] xs, ys {{ t, u ⇒ "
        "a ← rand-resp[ℕ[2], 3.0] <u> { if u#[0, 0] < 0.5 then idx 0 else idx 1 } ; "
        "gauss[2.0, 2.0, 1.0] <t> { clip[-1.0, 1.0] t#[0, 0] } }",
        (column(0, 0, 0, -1), column(0, 0, 0, 1)),
        (column(0, 0, 0, 1), column(0, 0, 0, 1)),
        ("2", "1"),
        tight=False,
    ),
    Witness(
        "sample",
        RENYI,
        f"pλ . {FOUR} ⇒ sample[ℕ[1]] xs {{ t ⇒ gauss[2.0, 2.0, 1.0] <t> {{ {SUM.format('t', '-1.0, 1.0')} }} }}",
        (column(0, 0, 0, -1),),
        (column(0, 0, 0, 1),),
        ("2", "sampled(2, 0.25, 0.5)"),
        tight=False,
    ),
    Witness(
        "sample",
        TCDP,
        "pλ . xs : 𝕄 [L∞, U | 20, 1⋅𝔻] ⇒ sample[ℕ[1]] xs { t ⇒ gauss[2.0, 0.1, 100.0] <t> "
        f"{{ {SUM.format('t', '-1.0, 1.0')} }} }}",
        (column(*[0] * 19, -1),),
        (column(*[0] * 19, 1),),
        ("0.00325", "30"),
        tight=False,
    ),
    Witness(
        "poisson",
        PURE,
        f"pλ . {STAR} ⇒ poisson[0.5] xs {{ t ⇒ {NOISY_SUM} }}",
        (NOTHING,),
        (ONE_ROW,),
        ("log1p(expm1(1)/2)",),
    ),
    Witness(
        "poisson",
        APPROX,
        f"pλ . {STAR} ⇒ poisson[0.25] xs {{ t ⇒ gauss[1.0, 1.0, 0.01] <t> {{ {SUM.format('t', '0.0, 1.0')} }} }}",
        (NOTHING,),
        (ONE_ROW,),
        ("log1p(expm1(1)/4)", "0.0025"),
    ),
    Witness(
        "poisson",
        RENYI,
        f"pλ . {STAR} ⇒ poisson[0.25] xs {{ t ⇒ gauss[1.0, 2.0, 1.0] <t> {{ {SUM.format('t', '0.0, 1.0')} }} }}",
        (NOTHING,),
        (ONE_ROW,),
        ("2", "poisson-gauss(2, 0.25, 0.5)"),
    ),
    # Conversions
    Witness("convert", APPROX, "pλ . x : ℝ ⇒ EPSDP { laplace[1.0, 1.0] <x> { x } }", one(0), one(1), ("1", "0")),
    Witness(
        "convert",
        APPROX,
        "pλ . x : ℝ ⇒ GDP[0.01] { gauss[1.0, 1.0] <x> { x } }",
        one(0),
        one(1),
        ("ε(1, 0.01)", "0.01"),
    ),
    Witness(
        "convert",
        APPROX,
        "pλ . x : ℝ ⇒ ZCDP[0.01] { gauss[1.0, 0.5] <x> { x } }",
        one(0),
        one(1),
        ("min[α] (0.5⋅α + ㏒(1 - 1/α) - ㏒(0.01⋅α)/(α - 1))", "0.01"),
        tight=False,
    ),
    Witness(
        "convert",
        APPROX,
        "pλ . x : ℝ ⇒ RENYI[0.01] { gauss[1.0, 4.0, 2.0] <x> { x } }",
        one(0),
        one(1),
        ("2 + ㏒(1 - 1/4) - ㏒(0.01⋅4)/(4 - 1)", "0.01"),
        tight=False,
    ),
    Witness(
        "convert",
        APPROX,
        "pλ . x : ℝ ⇒ TCDP[0.01] { gauss[1.0, 0.5, 2.0] <x> { x } }",
        one(0),
        one(1),
        ("min[α ≤ 2] (0.5⋅α + ㏒(1 - 1/α) - ㏒(0.01⋅α)/(α - 1))", "0.01"),
        tight=False,
    ),
    Witness("convert", ZCDP, "pλ . x : ℝ ⇒ GDP { gauss[1.0, 1.0] <x> { x } }", one(0), one(1), ("0.5",)),
    Witness("convert", ZCDP, "pλ . i : 𝕀[2] ⇒ EPSDP { rand-resp[2, 1.0] <i> { i } }", (0,), (1,), ("tanh(0.5)",)),
    Witness(
        "convert",
        RENYI,
        "pλ . x : ℝ ⇒ a ← ZCDP { gauss[1.0, 0.5] <x> { x } } ; b ← gauss[1.0, 4.0, 1.0] <x> { x } ; return ⟨a, b⟩",
        one(0),
        one(1),
        ("4", "3"),
    ),
    Witness("convert", TCDP, "pλ . x : ℝ ⇒ GDP { gauss[1.0, 1.0] <x> { x } }", one(0), one(1), ("0.5", "∞")),
    Witness("convert", TCDP, "pλ . x : ℝ ⇒ ZCDP { gauss[1.0, 0.5] <x> { x } }", one(0), one(1), ("0.5", "∞")),
)
