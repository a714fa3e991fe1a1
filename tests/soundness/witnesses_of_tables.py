"""Witnesses of the rules of privacy that take a table apart or draw a sample of it."""

from __future__ import annotations

from fractions import Fraction

from tests.soundness.plain import Table
from tests.soundness.witness import APPROX, PURE, RENYI, TCDP, Witness, column, table

SUM = "mfold-row 0.0, {} {{ a, r ⇒ a + clip[{}] r#[0, 0] }}"
NOISY_SUM = "laplace[1.0, 1.0] <t> { " + SUM.format("t", "0.0, 1.0") + " }"
FOUR = "xs : 𝕄 [L∞, U | 4, 1⋅𝔻]"
STAR = "xs : 𝕄 [L∞, U | ★, 1⋅𝔻]"
PARTS = "xs : 𝕄 [L∞, U | {}, age : 𝔻 ∷ state : 𝐝 𝕊 ∷ []]"
COUNTS = (
    'parallel[xs, ℘{"NY", "VT"}] { r ⇒ r.state } { k, t ⇒ c ← laplace[1.0, 1.0] <t> { real (rows t) } ; return ⟨k, c⟩ }'
)
TEXTS = "xs : 𝕄 [L∞, U | ★, a : 𝐝 𝕊 ∷ []]"
KEYS = "keys[ℕ[1], 1.0, 0.01] xs { r ⇒ r.a }"
NOTHING, ONE_ROW = Table((), 1), column(1)
NAMES = ("age", "state")


def people(*rows: tuple[int, str]) -> Table:
    return Table(tuple((Fraction(age), state) for age, state in rows), 2, NAMES)


def texts(*entries: str) -> Table:
    return Table(tuple((entry,) for entry in entries), 1, ("a",))


OF_TABLES = (
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
    # Keys
    Witness("keys", APPROX, f"pλ . {TEXTS} ⇒ {KEYS}", (texts("a"),), (texts("a", "b"),), ("1", "0.01")),
    Witness("keys", APPROX, f"pλ . {TEXTS} ⇒ {KEYS}", (texts(*"a" * 7),), (texts(*"a" * 8),), ("1", "0.01")),
    Witness(
        "keys",
        APPROX,
        f'pλ . {TEXTS} ⇒ keys[ℕ[2], 1.0, 0.01] xs {{ r ⇒ ℘{{r.a, disc "z"}} }}',
        (texts(),),
        (texts("a"),),
        ("1", "0.01"),
    ),
    Witness(
        "keys",
        APPROX,
        f"pλ m : ℕ . {TEXTS.replace('★', 'm')} ⇒ keys[ℕ[1], 3.0, 0.0454] xs {{ r ⇒ r.a }}",
        (texts("a", "b", "b"),),
        (texts("b", "b", "b"),),
        ("6", "0.0908"),
    ),
    Witness(
        "keys",
        APPROX,
        f"pλ m : ℕ . {TEXTS.replace('★', 'm')} ⇒ keys[ℕ[1], 1.0, 0.01] (mfilter xs {{ r ⇒ true }}) {{ r ⇒ r.a }}",
        (texts("a", *"b" * 7),),
        (texts("b", *"b" * 7),),
        ("2", "0.01⋅expm1(2)/expm1(1)"),
        tight=False,
    ),
    Witness(
        "key-counts",
        APPROX,
        f"pλ . {TEXTS} ⇒ key-counts[ℕ[1], 1.0, 0.0675] xs {{ r ⇒ r.a }}",
        (texts(*"a" * 3),),
        (texts(*"a" * 4),),
        ("1", "0.0675"),
    ),
    Witness(
        "key-gauss",
        APPROX,
        f"pλ . {TEXTS} ⇒ key-gauss[ℕ[1], 1.0, 0.0675] xs {{ r ⇒ r.a }}",
        (texts(*"a" * 3),),
        (texts(*"a" * 4),),
        ("1", "0.0675"),
        tight=False,
    ),
    Witness(
        "keys",
        APPROX,
        f"pλ . {TEXTS}, x : ℝ ⇒ keys[ℕ[1], 1.0, 0.01] xs {{ r ⇒ x < 1.0 }}",
        (texts("a"), 0.0),
        (texts("a"), 1.0),
        ("∞", "∞"),
        tight=False,
    ),
    Witness(
        "keys",
        APPROX,
        f"pλ . {TEXTS}, x : ℝ ⇒ keys[ℕ[1], 1.0, 0.01] xs <x> {{ r ⇒ r.a }}",
        (texts("a"), 0.0),
        (texts("a", "b"), 0.0),
        ("∞", "∞"),
        tight=False,
    ),
)
