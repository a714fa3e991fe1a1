"""Programs for every rule of the sensitivity judgement, with the sensitivities that are claimed for them.

One table drives the unit tests of the inferred sensitivities (tests/typecheck), the falsifier, the tightness tests and the
mutants: a rule that is wrong has a program here that shows it.
"""

from __future__ import annotations

from collections.abc import Iterator

from attrs import frozen


@frozen
class Case:
    """A program and what is claimed of it.

    Parameters
    ----------
    rule
        The rule it is about, as its page is named.
    text
        The program: a curried sensitivity function.
    claims
        The sensitivity in each parameter, as printed.
    tight
        Whether inputs are known at which every finite sensitivity is attained, or nearly.
    loose
        The parameters whose sensitivities are upper bounds only, or attained at inputs that are constructed elsewhere.
    """

    rule: str
    text: str
    claims: tuple[str, ...]
    tight: bool = True
    loose: tuple[int, ...] = ()

    @property
    def attained(self) -> tuple[int, ...]:
        """The parameters whose sensitivities are as small as they can be, but for 0 and ∞."""
        if not self.tight:
            return ()
        return tuple(i for i, s in enumerate(self.claims) if s not in ("0", "∞") and i not in self.loose)


BINDING = (
    Case("let", "sλ . x : ℝ ⇒ let y = x + x in y + y", ("4",)),
    Case("let", "sλ . x : ℝ ⇒ let y = 2.0 ⋅ x in let x = 3.0 in x + y", ("2",)),
    Case("let", "sλ . x : ℝ ⇒ let y = ℝ⁺[0.001] ⋅ x in disc y", ("∞",)),
    Case("let-pair", "sλ . x : ℝ, y : ℝ ⇒ let ⟨a, b⟩ = ⟨x, y⟩ in a + 2.0 ⋅ b", ("1", "2")),
    Case("let-pair", "sλ . p : ℝ × ℝ ⇒ let ⟨a, b⟩ = p in a + 2.0 ⋅ b", ("2",)),
    Case("let-pair", "sλ . p : ℝ × ℝ ⇒ let ⟨a, b⟩ = p in 3.0 ⋅ a - b", ("3",)),
    Case("let-pair", "sλ . p : 𝔻 × ℝ ⇒ let ⟨a, b⟩ = p in clip[0.0, 5.0] a + b", ("5",)),
    Case("let-pair", "sλ . p : ℝ & ℝ ⇒ let ⟨a, b⟩ = p in a + 2.0 ⋅ b", ("3",)),
    Case("pair", "sλ . x : ℝ ⇒ ⟨x, 2.0 ⋅ x⟩", ("3",)),
    Case("pair", "sλ . x : ℝ, y : ℝ ⇒ ⟨x & 2.0 ⋅ y⟩", ("1", "2")),
    Case("pair", "sλ . x : ℝ ⇒ ⟨x & 2.0 ⋅ x⟩", ("2",)),
    Case("fst", "sλ . p : ℝ & ℝ ⇒ fst p + 2.0 ⋅ snd p", ("3",)),
    Case("fst", "sλ . p : ℝ × ℝ ⇒ fst p", ("1",)),
    Case("snd", "sλ . p : ℝ × ℝ ⇒ snd p", ("1",)),
    Case("snd", "sλ . x : ℝ ⇒ snd ⟨x, 3.0 ⋅ x⟩", ("4",), tight=False),
    Case("inl", "sλ . x : ℝ ⇒ inl[ℝ] (3.0 ⋅ x)", ("3",)),
    Case("inr", "sλ . x : ℝ ⇒ inr[ℝ] (3.0 ⋅ x)", ("3",)),
    Case("case", "sλ . z : ℝ + ℝ ⇒ case z { inl a ⇒ 2.0 ⋅ a ; inr b ⇒ b + 1.0 }", ("2",)),
    Case("case", "sλ . z : ℝ + ℝ, x : ℝ ⇒ case z { inl a ⇒ 2.0 ⋅ x ; inr b ⇒ 3.0 ⋅ x }", ("1", "3"), loose=(0,)),
    Case("case", "sλ . z : ℝ + ℝ ⇒ case z { inl a ⇒ 0.0 ; inr b ⇒ 100.0 }", ("1",), tight=False),
    Case(
        "case",
        "sλ . x : ℝ ⇒ case (if x < 1.0 then inl[ℝ] x else inr[ℝ] x) { inl a ⇒ 0.0 ; inr b ⇒ 100.0 }",
        ("∞",),
    ),
    Case(
        "case",
        "sλ . x : ℝ ⇒ let f = sλ . z : ℝ + ℝ ⇒ case z { inl a ⇒ 0.0 ; inr b ⇒ 9.0 } in "
        "f (if x < 1.0 then inl[ℝ] x else inr[ℝ] x)",
        ("∞",),
    ),
    Case("if", "sλ . d : 𝔻 ⇒ if d < 3.0 then 1.0 else 4.0", ("3",)),
    Case("if", "sλ . d : 𝔻 ⇒ if d < 3.0 then ℝ[-1.5] else 4.0", ("5.5",)),
    Case("if", "sλ . x : ℝ ⇒ if x < 0.0 then 0.0 else 1.0", ("∞",)),
    Case("if", "sλ . b : 𝔹, x : ℝ ⇒ if b then 2.0 ⋅ x else x + 1.0", ("∞", "2")),
    Case("if", "sλ . b : 𝔹 ⇒ if b then 5.0 else 7.5", ("2.5",)),
    Case("if", "sλ . b : 𝔹, x : ℝ ⇒ (if b then 1.0 else 5.0) ⋅ x", ("∞", "∞")),
    Case(
        "if",
        "sλ . xs : 𝕄 [L∞, U | 1, 2⋅𝔻] ⇒ mconv (if 2 < 1 then mclip[L1, 1.0] xs else mclip[L1, 3.0] xs)",
        ("6",),
    ),
    Case("diameter", "sλ . n : ℕ ⇒ (loop ℕ[3] on n { i, a ⇒ a + a }) < 5", ("1",)),
    Case("diameter", "sλ . a : 𝔻, b : 𝔻 ⇒ ⟨a < b, b < 1.0⟩", ("1", "2")),
    Case("diameter", "sλ . d : 𝔻 ⇒ clip[0.0, 2.0] (d ⋅ d)", ("2",)),
    Case("diameter", "sλ . x : ℝ ⇒ clip[-1.0, 2.0] (x ⋅ x)", ("∞",)),
    Case("loop", "sλ . x : ℝ ⇒ loop ℕ[3] on x { i, a ⇒ a / 2.0 }", ("0.125",)),
    Case("loop", "sλ . x : ℝ, y : ℝ ⇒ loop ℕ[4] on x { i, a ⇒ a + y }", ("1", "4")),
    Case("loop", "sλ . x : ℝ, y : ℝ ⇒ loop ℕ[3] on x { i, a ⇒ 2.0 ⋅ a + y }", ("8", "7")),
    Case("loop", "sλ . x : ℝ, y : ℝ ⇒ loop ℕ[3] on x { i, a ⇒ 0.5 ⋅ a + y }", ("0.125", "1.75")),
    Case("loop", "sλ . x : ℝ ⇒ loop ℕ[10] on x { i, a ⇒ a + a }", ("1024",)),
    Case("loop", "sλ . x : ℝ, y : ℝ ⇒ loop ℕ[5] on x { i, a ⇒ y }", ("0", "1")),
    Case("loop", "sλ . k : ℕ, x : ℝ ⇒ loop k on x { i, a ⇒ a - 1.0 }", ("∞", "1")),
    Case("loop", "sλ . k : ℕ, x : ℝ, y : ℝ ⇒ loop k on x { i, a ⇒ a + y }", ("∞", "1", "∞")),
    Case("loop", "sλ . k : ℕ, x : ℝ ⇒ loop k on x { i, a ⇒ a + a }", ("∞", "∞")),
    Case("loop", "sλ . k : ℕ ⇒ loop k on 1.0 { i, a ⇒ a + 5.0 }", ("∞",)),
    Case("loop", "sλ k : ℕ . k : ℕ[k], x : ℝ, y : ℝ ⇒ loop k on x { i, a ⇒ a + y }", ("0", "1", "k")),
    Case(
        "loop",
        "sλ k : ℕ . k : ℕ[k], x : ℝ, y : ℝ ⇒ loop k on x { i, a ⇒ 0.5 ⋅ a + y }",
        ("0", "1", "2 ⊓ k"),
        tight=False,
    ),
    Case("loop", "sλ . k : ℕ, x : ℝ, y : ℝ ⇒ loop k on x { i, a ⇒ 0.5 ⋅ a + y }", ("∞", "1", "2"), tight=False),
    Case("loop", "sλ k : ℕ . k : ℕ[k], x : ℝ ⇒ loop k on x { i, a ⇒ a + a }", ("0", "∞")),
    Case("loop", "sλ . x : ℝ ⇒ real (loop ℕ[3] on ℕ[1] { i, a ⇒ a + a }) ⋅ x", ("∞",)),
    Case(
        "loop",
        "sλ . x : ℝ ⇒ (loop ℕ[3] on (sλ . z : ℝ ⇒ z) { i, f ⇒ sλ . z : ℝ ⇒ f z + x }) 1.0",
        ("3",),
    ),
    Case("loop", "sλ . p : ℝ × ℝ ⇒ loop ℕ[2] on p { i, q ⇒ let ⟨a, b⟩ = q in ⟨b, a + b⟩ }", ("4",), tight=False),
    Case("application", "sλ . y : ℝ ⇒ let f = sλ . x : ℝ ⇒ x + y in f (f 1.0)", ("2",)),
    Case("application", "sλ . y : ℝ, x : ℝ ⇒ let f = sλ . z : ℝ ⇒ 3.0 ⋅ z + y in f (f x)", ("4", "9")),
    Case("application", "sλ . f : ℝ ⊸[2] ℝ, x : ℝ ⇒ f (f x)", ("3", "4")),
    Case("application", "sλ . f : ℝ ⊸[0] ℝ, x : ℝ ⇒ f x", ("1", "0")),
    Case("application", "sλ . x : ℝ ⇒ (sλ . a : ℝ, b : ℝ ⇒ a + 2.0 ⋅ b) x x", ("3",)),
    Case("function", "sλ . y : ℝ ⇒ let f = (sλ . a : ℝ, b : ℝ ⇒ a + 2.0 ⋅ b) y in f 1.0 + f 2.0", ("2",)),
    Case("function", "let f = sλ n : ℕ . k : ℕ[n], x : ℝ ⇒ real k ⋅ x in sλ . x : ℝ ⇒ f ℕ[5] x", ("5",)),
    Case(
        "function",
        "let f = sλ n : ℕ . k : ℕ[n], x : ℝ ⇒ real k ⋅ x in sλ n : ℕ . k : ℕ[n], x : ℝ ⇒ f (k + 1) x",
        ("0", "n + 1"),
    ),
    Case("function", "sλ . y : ℝ ⇒ sλ m : ℕ . xs : 𝕄 [L1, U | m, 1⋅ℝ] ⇒ mmap xs { x ⇒ y + x }", ("∞", "1")),
    Case("box", "sλ . x : ℝ ⇒ let b = box (2.0 ⋅ x) in unbox b + unbox b", ("4",)),
    Case("box", "sλ . x : ℝ ⇒ let b = box x in let x = 3.0 in unbox b", ("1",)),
    Case("unbox", "sλ . x : ℝ ⇒ let f = sλ . b : box[x@1] ℝ ⇒ unbox b in f (box x)", ("1",)),
    Case("unbox", "sλ . x : ℝ ⇒ let ⟨a, c⟩ = ⟨x, 1.0⟩ in unbox (box a)", ("1",)),
    Case("set", "sλ . n : ℕ ⇒ ℘{n, 3}", ("1",)),
    Case("set", "sλ . x : ℝ ⇒ ℘{0.0, x}", ("∞",)),
    Case("set", "sλ . n : ℕ, d : ℕ ⇒ ℘{n, d, n + d}", ("1", "1")),
)

ARITHMETIC = (
    Case("plus", "sλ . x : ℝ, y : ℝ ⇒ x + y + x", ("2", "1")),
    Case("plus", "sλ . n : ℕ, k : ℕ ⇒ n + k + 3", ("1", "1")),
    Case("plus", "sλ . a : 𝔻, b : 𝔻 ⇒ a + b", ("1", "1")),
    Case("minus", "sλ . x : ℝ ⇒ 10.0 - x", ("1",)),
    Case("minus", "sλ . n : ℕ, k : ℕ ⇒ n - k", ("1", "1")),
    Case("minus", "sλ . x : ℝ ⇒ x - x", ("2",), tight=False),
    Case("times", "sλ . x : ℝ ⇒ 2.5 ⋅ x", ("2.5",)),
    Case("times", "sλ . x : ℝ ⇒ x ⋅ ℝ[-2.5]", ("2.5",)),
    Case("times", "sλ . n : ℕ ⇒ 3 ⋅ n", ("3",)),
    Case("times", "sλ . x : ℝ ⇒ 0.0 ⋅ x", ("0",)),
    Case("times", "sλ . x : ℝ ⇒ x ⋅ x", ("∞",)),
    Case("times", "sλ . x : ℝ, y : ℝ ⇒ x ⋅ y", ("∞", "∞")),
    Case("times", "sλ . n : ℕ, k : ℕ ⇒ n ⋅ k", ("1", "1")),
    Case("times", "sλ . d : 𝔻 ⇒ 0.5 ⋅ d", ("1",)),
    Case("times", "sλ . x : ℝ ⇒ (2.0 + 3.0) ⋅ x", ("5",)),
    Case("times", "sλ . x : ℝ ⇒ (ℝ⁺[1.0] ⊔ ℝ⁺[100.0]) ⋅ x", ("100",)),
    Case("times", "sλ . x : ℝ ⇒ (ℝ⁺[1.0] ⊓ ℝ⁺[100.0]) ⋅ x", ("1",)),
    Case("times", "sλ . x : ℝ ⇒ (6.0 / 2.0) ⋅ x", ("3",)),
    Case("times", "sλ . x : ℝ ⇒ √ 16.0 ⋅ x", ("4",)),
    Case("times", "sλ . x : ℝ ⇒ real (ℕ[5] - ℕ[2]) ⋅ x", ("3",)),
    Case("times", "sλ . x : ℝ ⇒ ℝ⁺[1000.0] ⋅ (㏒ ℝ⁺[0.1] ⋅ x)", ("1000⋅㏒10",)),
    Case("times", "sλ . d : 𝔻 ⇒ clip[-2.0, 3.0] d ⋅ clip[1.0, 5.0] d", ("30",), tight=False),
    Case(
        "times",
        "sλ a : ℝ⁺, b : ℝ⁺ . a : ℝ⁺[a], b : ℝ⁺[b], x : ℝ ⇒ (a + b) ⋅ ((a + b) ⋅ x)",
        ("0", "0", "a⋅a + 2⋅a⋅b + b⋅b"),
    ),
    Case("divide", "sλ . x : ℝ ⇒ x / 4.0", ("0.25",)),
    Case("divide", "sλ . x : ℝ ⇒ x / ℝ[-0.5]", ("2",)),
    Case("divide", "sλ . x : ℝ ⇒ x / 0.1", ("10",)),
    Case("divide", "sλ . x : ℝ ⇒ 1.0 / x", ("∞",)),
    Case("divide", "sλ . d : 𝔻, e : 𝔻 ⇒ d / e", ("1", "1")),
    Case("remainder", "sλ . n : ℕ ⇒ n % 7", ("7",), tight=False),
    Case("remainder", "sλ . n : ℕ, k : ℕ ⇒ n % k", ("1", "1")),
    Case("remainder", "sλ . n : 𝐝 ℕ ⇒ n % (disc 7)", ("1",)),
    Case("max", "sλ . x : ℝ, y : ℝ ⇒ x ⊔ y", ("1", "1")),
    Case("max", "sλ . n : ℕ ⇒ n ⊔ 3", ("1",)),
    Case("max", "sλ . x : ℝ ⇒ x ⊔ (0.0 - x)", ("1",)),
    Case("max", "sλ . x : ℝ, y : ℝ ⇒ (2.0 ⋅ x + y) ⊓ (3.0 ⋅ y)", ("2", "3")),
    Case("max", "sλ . x : ℝ ⇒ (3.0 ⋅ x) ⊔ (x + x)", ("3",)),
    Case("min", "sλ . x : ℝ ⇒ x ⊓ 3.0", ("1",)),
    Case("min", "sλ . d : 𝔻 ⇒ d ⊓ 3.0", ("1",)),
    Case("root", "sλ . d : 𝔻 ⇒ √ d", ("1",)),
    Case("root", "sλ . x : ℝ ⇒ √ x", ("∞",)),
    Case("log", "sλ . d : 𝔻 ⇒ ㏒ d", ("1",)),
    Case("log", "sλ . x : ℝ ⇒ ㏒ x", ("∞",)),
    Case("equal", "sλ . n : ℕ ⇒ n ≡ 5", ("1",)),
    Case("equal", "sλ . x : ℝ ⇒ x ≡ 5.0", ("∞",)),
    Case("equal", "sλ . d : 𝔻 ⇒ d ≡ 5.0", ("1",)),
    Case("equal", "sλ . a : 𝔹, b : 𝔹 ⇒ a ≡ b", ("1", "1")),
    Case("equal", 'sλ . s : 𝕊 ⇒ s ≡ "NY"', ("1",)),
    Case("equal", "sλ . n : ℕ, k : ℕ ⇒ ⟨n, k⟩ ≡ ⟨3, 3⟩", ("1", "1")),
    Case("equal", "sλ . a : ℘(ℕ) ⇒ a ≡ ℘{1, 2}", ("1",)),
    Case("less", "sλ . n : ℕ ⇒ n < 5", ("1",)),
    Case("less", "sλ . x : ℝ ⇒ x < 5.0", ("∞",)),
    Case("less", "sλ . d : 𝔻 ⇒ d < 5.0", ("1",)),
    Case("less", "sλ . n : 𝐝 ℕ ⇒ n < (disc 5)", ("1",)),
    Case("at-most", "sλ . n : ℕ ⇒ n ≤ 5", ("1",)),
    Case("at-most", "sλ . x : ℝ ⇒ x ≤ 5.0", ("∞",)),
    Case("at-most", "sλ . d : 𝔻 ⇒ d ≤ 5.0", ("1",)),
    Case("and", "sλ . a : 𝔹, b : 𝔹 ⇒ a ∧ b", ("1", "1")),
    Case("or", "sλ . a : 𝔹, b : 𝔹 ⇒ a ∨ b", ("1", "1")),
    Case("element", 'sλ . s : 𝕊 ⇒ s ∈ ℘{"NY", "VT"}', ("1",)),
    Case("element", "sλ . x : ℝ ⇒ x ∈ ℘{1.0}", ("∞",)),
    Case("element", "sλ . n : ℕ, a : ℘(ℕ) ⇒ n ∈ a", ("1", "1")),
    Case("element", "sλ . d : 𝔻 ⇒ d ∈ ℘{d, disc 5.0}", ("1",), tight=False),
    Case("unionAll", "sλ . a : ℘(ℕ) ⇒ unionAll ℘{a, ℘{1, 2}}", ("1",)),
    Case("real", "sλ . n : ℕ ⇒ real n ⋅ 3.0", ("3",)),
    Case("real", "sλ . n : 𝐝 ℕ ⇒ real n", ("1",)),
    Case("dyn", "sλ . x : ℝ ⇒ dyn x", ("1",)),
    Case("dyn", "sλ . x : ℝ ⇒ dyn 2.0 ⋅ x", ("∞",)),
    Case("sign", "sλ . d : 𝔻 ⇒ sign d", ("1",)),
    Case("sign", "sλ . x : ℝ ⇒ sign x", ("∞",)),
    *(Case("whole", f"sλ . d : 𝔻 ⇒ {name} d", ("1",)) for name in ("floor", "ceil", "round")),
    *(Case("whole", f"sλ . x : ℝ ⇒ {name} x", ("∞",)) for name in ("floor", "ceil", "round")),
    *(
        Case("whole", f"sλ . d : 𝔻 ⇒ {name} (clip[0.5, 1.5] d)", ("2",), tight=False)
        for name in ("floor", "ceil", "round")
    ),
    Case("exp", "sλ . d : 𝔻 ⇒ exp d", ("1",)),
    Case("exp", "sλ . x : ℝ ⇒ exp x", ("∞",)),
    Case("exp", "sλ . d : 𝔻 ⇒ clip[0.0, 3.0] (exp (clip[-9.0, 5.0] d))", ("3",)),
    Case("disc", "sλ . x : ℝ ⇒ disc x", ("∞",)),
    Case("disc", "sλ . n : ℕ ⇒ disc n", ("1",)),
    Case("disc", "sλ . n : ℕ ⇒ disc (3 ⋅ n)", ("1",)),
    Case("disc", "sλ . n : ℕ, k : ℕ ⇒ disc ⟨n, k⟩", ("1", "1")),
    Case("disc", "sλ m : ℕ . xs : 𝕄 [L1, U | m, 1⋅ℕ] ⇒ disc xs", ("1",)),
    Case("discf", "sλ . d : 𝔻 ⇒ (discf (sλ . n : 𝔻 ⇒ conv n ⋅ 5.0)) d", ("1",)),
    Case("discf", "sλ . x : ℝ ⇒ (discf (sλ . y : ℝ ⇒ 0.001 ⋅ y)) x", ("∞",)),
    Case("discf", "sλ . y : ℝ, n : ℕ ⇒ (discf (sλ . k : ℕ ⇒ real k + y)) n", ("∞", "1")),
    Case("conv", "sλ . d : 𝔻 ⇒ conv d", ("∞",)),
    Case("conv", "sλ . n : 𝐝 ℕ ⇒ conv n", ("∞",)),
    Case("clip", "sλ . x : ℝ ⇒ clip[0.0, 5.0] x", ("1",)),
    Case("clip", "sλ . d : 𝔻 ⇒ clip[0.0, 5.0] d", ("5",)),
    Case("clip", "sλ . d : 𝔻 ⇒ clip[-5.0, 5.0] d", ("10",)),
    Case("clip", "sλ . d : 𝔻 ⇒ clip[-5.0, -2.0] d", ("3",)),
    Case("clip", "sλ . d : 𝔻 ⇒ clip d", ("2",)),
    Case("clip", "sλ . x : ℝ ⇒ clip x", ("1",)),
    Case("clip", "sλ b : ℝ⁺ . b : ℝ⁺[b], d : 𝔻 ⇒ clip[0.0, b] d", ("0", "b")),
    Case("clip", "sλ . n : ℕ ⇒ clip[0.0, 5.0] (real n ⋅ 100.0)", ("5",)),
    Case("pair", "sλ . n : ℕ ⇒ ⟨n ≡ 1, n ≡ 2⟩", ("2",)),
    Case("mcreate", "sλ . n : ℕ ⇒ mcreate[L∞ | ℕ[3], ℕ[1]] { i, j ⇒ disc (3 ⋅ n) }", ("3",)),
)
"""The last three are the diameter lemma: natural numbers are at least 1 apart."""


BOTH = "let ⟨a, b⟩ = r#[0, 0] in clip[0.0, 1.0] a#[0, 0] + clip[-1.0, 2.0] b#[0, 1]"
"""A body that reads both rows of a pair."""


def row_sum(table: str, norm: str, argument: str, body: str) -> str:
    """A program that adds the rows of a table of two columns, in a norm."""
    zeros = f"(mcreate[{norm} | ℕ[1], ℕ[2]] {{ i, j ⇒ 0.0 }})"
    return f"sλ . xs : {table} ⇒ mfold-row {zeros}, ({argument}) {{ a, r ⇒ {body} }}"


FIXED, TABLE = "sλ m : ℕ, n : ℕ . xs : 𝕄 [{}, U | m, n⋅{}]", "sλ . xs : 𝕄 [L∞, U | ★, {}]"


def fixed(norm: str, element: str, body: str) -> str:
    return f"{FIXED.format(norm, element)} ⇒ {body}"


def table(columns: str, body: str) -> str:
    return f"{TABLE.format(columns)} ⇒ {body}"


MAPS = (
    Case("mcreate", "sλ . y : ℝ ⇒ mcreate[L1 | ℕ[2], ℕ[3]] { i, j ⇒ y }", ("6",)),
    Case("mcreate", "sλ . y : ℝ ⇒ mcreate[L2 | ℕ[2], ℕ[3]] { i, j ⇒ y }", ("2⋅√3",)),
    Case("mcreate", "sλ . y : ℝ ⇒ mcreate[L∞ | ℕ[2], ℕ[3]] { i, j ⇒ y }", ("2",)),
    Case("mcreate", "sλ . y : 𝔻 ⇒ mcreate[L1 | ℕ[2], ℕ[3]] { i, j ⇒ y }", ("6",)),
    Case("mmap", fixed("L1", "ℝ", "mmap xs { x ⇒ 2.0 ⋅ x }"), ("2",)),
    Case("mmap", "sλ m : ℕ, n : ℕ . xs : 𝕄 [L1, U | m, n⋅ℝ], y : ℝ ⇒ mmap xs { x ⇒ x + y }", ("1", "m⋅n")),
    Case("mmap", "sλ m : ℕ, n : ℕ . xs : 𝕄 [L2, U | m, n⋅ℝ], y : ℝ ⇒ mmap xs { x ⇒ x + y }", ("1", "m⋅√n")),
    Case("mmap", "sλ m : ℕ, n : ℕ . xs : 𝕄 [L∞, U | m, n⋅ℝ], y : ℝ ⇒ mmap xs { x ⇒ x + y }", ("1", "m")),
    Case("mmap", fixed("L∞", "𝔻", "mmap xs { x ⇒ clip[0.0, 5.0] x }"), ("5",)),
    Case("mmap", fixed("L2", "𝔻", "mmap xs { x ⇒ clip[-1.0, 5.0] x }"), ("6",)),
    Case("mmap", fixed("L∞", "𝔻", "mmap xs { x ⇒ x ⋅ x }"), ("1",)),
    Case("mmap", fixed("L∞", "ℝ", "mmap xs { x ⇒ x ⋅ x }"), ("∞",)),
    Case(
        "mmap",
        "sλ m : ℕ, n : ℕ . xs : 𝕄 [L1, U | m, n⋅ℝ], ys : 𝕄 [L1, U | m, n⋅ℝ] ⇒ mmap xs, ys { x, y ⇒ x + 2.0 ⋅ y }",
        ("1", "2"),
    ),
    Case(
        "mmap",
        "sλ m : ℕ, n : ℕ . xs : 𝕄 [L1, U | m, n⋅ℝ], ys : 𝕄 [L∞, U | m, n⋅ℝ] ⇒ mmap xs, ys { x, y ⇒ x + y }",
        ("1", "1"),
    ),
    Case("mmap", "sλ m : ℕ, n : ℕ . xs : 𝕄 [L1, U | m, n⋅ℝ], y : ℝ ⇒ mmap xs, xs { a, b ⇒ a + b + y }", ("2", "m⋅n")),
    Case("mmap", table("2⋅𝔻", "mmap xs { x ⇒ x + 1.0 }"), ("1",)),
    Case("mmap", table("2⋅𝔻", "mmap xs { x ⇒ clip[0.0, 5.0] x }"), ("5",)),
    Case("mmap", "sλ . xs : 𝕄 [L1, U | ★, 2⋅𝔻] ⇒ mmap xs { x ⇒ clip[0.0, 5.0] x }", ("10",)),
    Case("mmap-row", "sλ m : ℕ, n : ℕ . xs : 𝕄 [L∞, U | m, n⋅ℝ], y : ℝ ⇒ mmap-row xs { r ⇒ r#[0, 0] + y }", ("1", "m")),
    Case(
        "mmap-row",
        "sλ m : ℕ . xs : 𝕄 [L1, U | m, 2⋅ℝ] ⇒ mmap-row xs { r ⇒ 2.0 ⋅ r#[0, 0] + r#[0, 1] }",
        ("3",),
        tight=False,
    ),
    Case("mmap-row", fixed("L∞", "𝔻", "mmap-row xs { r ⇒ mconv (mclip[L2, 3.0] r) }"), ("6",)),
    Case(
        "mmap-row",
        "sλ m : ℕ, n : ℕ . xs : 𝕄 [L∞, U | m, n⋅𝔻], y : ℝ ⇒ mmap-row xs { r ⇒ mcreate[L1 | ℕ[1], ℕ[3]] { i, j ⇒ y } }",
        ("0", "3⋅m"),
    ),
    Case(
        "mmap-row",
        "sλ m : ℕ . xs : 𝕄 [L1, U | m, 2⋅ℝ], ys : 𝕄 [L∞, U | m, 1⋅ℝ], z : ℝ ⇒ "
        "mmap-row xs, ys { x, y ⇒ x#[0, 0] + 3.0 ⋅ y#[0, 0] + z }",
        ("1", "3", "m"),
    ),
    Case(
        "mmap-row",
        "sλ m : ℕ . xs : 𝕄 [L∞, U | m, 2⋅𝔻], ys : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒ mmap-row xs, ys { x, y ⇒ mconv (mclip[L2] x) }",
        ("2", "0"),
    ),
    Case(
        "mmap-row",
        "sλ m : ℕ . xs : 𝕄 [L∞, U | m, a : 𝔻 ∷ b : 𝔻 ∷ []] ⇒ "
        "count (mmap-row xs.[a], xs.[b] { x, y ⇒ x#[0, 0] < y#[0, 0] })",
        ("1",),
    ),
    Case(
        "mmap-row",
        "sλ m : ℕ . xs : 𝕄 [L∞, U | m, a : 𝔻 ∷ b : 𝔻 ∷ []] ⇒ "
        "mmap-row xs.[a], xs.[b] { x, y ⇒ clip[0.0, 3.0] x#[0, 0] + clip[0.0, 5.0] y#[0, 0] }",
        ("8",),
    ),
    Case(
        "mmap-row",
        "sλ m : ℕ . xs : 𝕄 [L∞, U | m, a : 𝔻 ∷ b : 𝔻 ∷ []], z : 𝔻 ⇒ "
        "mmap-row xs.[a], xs.[b] { x, y ⇒ x#[0, 0] + y#[0, 0] < z }",
        ("1", "m"),
    ),
    Case(
        "mmap-row",
        "sλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒ "
        "mmap-row xs, (mcreate[L∞ | rows xs, ℕ[1]] { i, j ⇒ xs#[0, 0] }) { x, y ⇒ x#[0, 0] < y#[0, 0] }",
        ("m",),
        tight=False,
    ),
    Case("mmap-row", table("1⋅𝔻", "rows (mmap-row xs { r ⇒ 1.0 })"), ("1",)),
    Case("mmap-row", table("2⋅𝔻", "mmap-row xs { r ⇒ r#[0, 0] + r#[0, 1] }"), ("1",)),
    Case("mmap-row", table("2⋅𝔻", "mmap-row xs { r ⇒ clip[-2.0, 5.0] r#[0, 1] }"), ("5",)),
    Case("mmap-row", table("2⋅𝔻", "mmap-row xs { r ⇒ mconv (mclip[L1, 3.0] r) }"), ("3",)),
    Case("mmap-row", "sλ . xs : 𝕄 [L∞, U | ★, 1⋅𝔻], y : 𝔻 ⇒ mmap-row xs { r ⇒ y }", ("1", "∞")),
    Case("mmap-row", "sλ . xs : 𝕄 [L2, U | ★, 2⋅ℝ] ⇒ mmap-row xs { r ⇒ mmap r { x ⇒ 3.0 ⋅ x } }", ("3",)),
    Case("mmap-row", "sλ . xs : 𝕄 [L1, U | ★, 2⋅ℝ] ⇒ mmap-row xs { r ⇒ r#[0, 0] - r#[0, 1] }", ("2",), tight=False),
    Case("mmap", "sλ . xs : 𝕄 [L1, U | ★, 2⋅ℝ] ⇒ mmap xs { x ⇒ (2.0 ⋅ x) ⊔ (x / 4.0) }", ("2",)),
    Case("mmap", "sλ . xs : 𝕄 [L1, U | ★, 1⋅ℝ] ⇒ rows (mmap xs { x ⇒ 0.0 ⋅ x })", ("∞",)),
    Case("mmap", "sλ . xs : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ mmap xs { x ⇒ clip[0.0, 0.0] x }", ("1",), tight=False),
    Case(
        "mmap-row",
        "sλ . xs : 𝕄 [L∞, U | ★, 1⋅𝔻], y : 𝔻 ⇒ rows (mfilter (mmap-row xs { r ⇒ y }) { r ⇒ r#[0, 0] < 5.0 })",
        ("1", "∞"),
    ),
    Case("mmap-col", fixed("L∞", "ℝ", "mmap-col xs { c ⇒ mfold-row 0.0, c { a, r ⇒ a + r#[0, 0] } }"), ("1",)),
    Case("mmap-col", fixed("L1", "ℝ", "mmap-col xs { c ⇒ c }"), ("1",)),
    Case("mmap-col", fixed("L∞", "ℝ", "mmap-col xs { c ⇒ c }"), ("n",)),
    Case("mmap-col", fixed("L2", "ℝ", "mmap-col xs { c ⇒ renorm[L1] c }"), ("√n",)),
    Case("mmap-col", fixed("L∞", "ℝ", "mmap-col xs { c ⇒ renorm[L1] c }"), ("n",)),
    Case("mmap-col", "sλ m : ℕ, n : ℕ . xs : 𝕄 [L∞, U | m, n⋅ℝ], y : ℝ ⇒ mmap-col xs { c ⇒ y }", ("0", "1")),
    Case("mmap-col", "sλ n : ℕ . xs : 𝕄 [L∞, U | 1, n⋅𝔻] ⇒ mconv (mmap-col xs { c ⇒ mclip[L2] c })", ("2",)),
    Case(
        "mmap-col",
        "sλ m : ℕ, n : ℕ . xs : 𝕄 [L1, U | m, n⋅ℝ], y : ℝ ⇒ mmap-col xs { c ⇒ mcreate[L1 | ℕ[1], ℕ[1]] { i, j ⇒ y } }",
        ("0", "n"),
    ),
    Case(
        "mmap-col",
        "sλ . xs : 𝕄 [L1, U | ★, 3⋅𝔻] ⇒ mmap-col xs { c ⇒ mcreate[L1 | ℕ[1], ℕ[1]] { i, j ⇒ real (rows c) } }",
        ("3",),
    ),
    Case("mmap-col", "sλ . xs : 𝕄 [L∞, U | ★, 3⋅𝔻] ⇒ mmap-col xs { c ⇒ real (rows c) }", ("1",)),
    Case(
        "mmap-col",
        "sλ m : ℕ, n : ℕ . xs : 𝕄 [L∞, U | m, n⋅ℝ], ys : 𝕄 [L1, U | m, n⋅ℝ] ⇒ mmap-col xs, ys { c, d ⇒ "
        "(mfold-row 0.0, c { a, r ⇒ a + r#[0, 0] }) - 2.0 ⋅ (mfold-row 0.0, d { a, r ⇒ a + r#[0, 0] }) }",
        ("1", "2"),
    ),
)

FOLDS = (
    Case("mfold-row", fixed("L∞", "ℝ", "mfold-row 0.0, xs { a, r ⇒ a + r#[0, 0] }"), ("1",)),
    Case(
        "mfold-row",
        "sλ m : ℕ . z : ℝ, xs : 𝕄 [L∞, U | m, 1⋅ℝ], y : ℝ ⇒ mfold-row z, xs { a, r ⇒ a + 2.0 ⋅ r#[0, 0] + y }",
        ("1", "2", "m"),
    ),
    Case("mfold-row", fixed("L∞", "𝔻", "mfold-row 0.0, xs { a, r ⇒ a + clip[-1.0, 10.0] r#[0, 0] }"), ("11",)),
    Case("mfold-row", fixed("L∞", "𝔻", "mfold-row 0.0, xs { a, r ⇒ if r#[0, 0] < 3.0 then a + 7.0 else a }"), ("7",)),
    Case(
        "mfold-row",
        fixed("L∞", "𝔻", "mfold-row 0.0, xs { a, r ⇒ let v = clip[0.0, 4.0] r#[0, 0] in a + v + v }"),
        ("8",),
    ),
    Case("mfold-row", fixed("L∞", "𝔻", "mfold-row 0, xs { a, r ⇒ if r#[0, 0] ≡ 1.0 then a + 1 else a }"), ("1",)),
    Case("mfold-row", table("1⋅𝔻", "mfold-row 0.0, xs { a, r ⇒ a + clip[-1.0, 10.0] r#[0, 0] }"), ("10",)),
    Case("mfold-row", table("1⋅𝔻", "mfold-row 0.0, xs { a, r ⇒ a + 1000.0 }"), ("1000",)),
    Case(
        "mfold-row",
        table("1⋅𝔻", "mfold-row 0.0, xs { a, r ⇒ if r#[0, 0] < 3.0 then a + 7.0 else a + ℝ[-2.0] }"),
        ("7",),
    ),
    Case(
        "mfold-row",
        table(
            "1⋅𝔻",
            "mfold-row 0.0, xs { a, r ⇒ a + real (((if r#[0, 0] < 1.0 then 3 else 5) - (if r#[0, 0] < 2.0 then 7 else 9)) + 10) }",
        ),
        ("10",),
    ),
    Case("mfold-row", "sλ . xs : 𝕄 [L1, U | ★, 2⋅ℝ] ⇒ mfold-row 0.0, xs { a, r ⇒ a + 3.0 ⋅ r#[0, 1] }", ("3",)),
    Case("mfold-row", row_sum("𝕄 [L2, U | ★, 2⋅ℝ]", "L2", "xs", "mmap a, r { x, y ⇒ x + y }"), ("1",)),
    Case("mfold-row", row_sum("𝕄 [L2, U | ★, 2⋅ℝ]", "L1", "xs", "mmap r, a { x, y ⇒ y + x }"), ("√2",)),
    Case("mfold-row", row_sum("𝕄 [L2, U | 3, 2⋅ℝ]", "L1", "xs", "mmap a, r { x, y ⇒ x + y }"), ("√2",)),
    Case(
        "mfold-row",
        row_sum("𝕄 [L∞, U | ★, 2⋅𝔻]", "L2", "mclip[L2, 3.0] xs", "mmap a, mconv r { x, y ⇒ x + y }"),
        ("3",),
    ),
    Case(
        "mfold-row",
        row_sum("𝕄 [L∞, U | ★, 2⋅𝔻]", "L2", "mconv (mclip[L2, 3.0] xs)", "mmap a, r { x, y ⇒ x + y }"),
        ("3",),
    ),
    Case(
        "mfold-row",
        "sλ . xs : 𝕄 [L∞, U | ★, 1⋅𝔻], y : ℝ ⇒ mfold-row 0.0, xs { a, r ⇒ a + clip[0.0, 1.0] y }",
        ("1", "∞"),
    ),
    Case(
        "mfold-row",
        "sλ . z : ℝ, xs : 𝕄 [L∞, U | 3, 1⋅ℝ], y : ℝ ⇒ mfold-row z, xs { a, r ⇒ (a + a) + (r#[0, 0] + y) }",
        ("8", "4", "7"),
    ),
    Case(
        "mfold-row",
        "sλ . z : ℝ, xs : 𝕄 [L∞, U | 3, 1⋅ℝ], y : ℝ ⇒ mfold-row z, xs { a, r ⇒ a / 2.0 + (r#[0, 0] + y) }",
        ("0.125", "1", "1.75"),
    ),
    Case("mfold-row", fixed("L∞", "ℝ", "mfold-row 0.0, xs { a, r ⇒ a ⊔ r#[0, 0] }"), ("1",)),
    Case("mfold-row", fixed("L∞", "ℝ", "mfold-row 0.0, xs { a, r ⇒ (a + a) + r#[0, 0] }"), ("∞",)),
    Case(
        "mfold-row",
        fixed("L∞", "ℝ", "mfold-row ⟨0.0, 0.0⟩, xs { a, r ⇒ let ⟨s, c⟩ = a in ⟨s + r#[0, 0], c + 1.0⟩ }"),
        ("1",),
    ),
    Case(
        "mfold-row",
        "sλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅ℝ], y : ℝ ⇒ mfold-row 0.0, xs { a, r ⇒ y }",
        ("0", "1"),
    ),
    Case("mfilter", fixed("L∞", "𝔻", "rows (mfilter xs { r ⇒ r#[0, 0] < 5.0 })"), ("1",)),
    Case("mfilter", fixed("L∞", "𝔻", "mfilter xs { r ⇒ r#[0, 0] < 5.0 }"), ("2",)),
    Case("mfilter", fixed("L∞", "𝔻", "mfilter xs { r ⇒ true }"), ("2",)),
    Case("mfilter", fixed("L∞", "𝔻", "mfilter (mfilter xs { r ⇒ r#[0, 0] < 5.0 }) { r ⇒ 1.0 < r#[0, 0] }"), ("2",)),
    Case(
        "mfilter",
        fixed("L∞", "𝔻", "rows (mfilter (mclip[L∞, 3.0] (mfilter xs { r ⇒ r#[0, 0] < 5.0 })) { r ⇒ 1.0 < r#[0, 0] })"),
        ("1",),
    ),
    Case(
        "mfilter",
        fixed(
            "L∞", "𝔻", "mfold-row 0.0, (mfilter xs { r ⇒ r#[0, 0] < 5.0 }) { a, r ⇒ a + clip[-10.0, 10.0] r#[0, 0] }"
        ),
        ("20",),
        tight=False,
    ),
    Case(
        "mfilter",
        fixed(
            "L∞", "𝔻", "mfold-row 0.0, (mfilter xs { r ⇒ r#[0, 0] < 500.0 }) { a, r ⇒ a + clip[-10.0, 10.0] r#[0, 0] }"
        ),
        ("20",),
    ),
    Case("mfilter", fixed("L∞", "𝔻", "mfold-row 0.0, (mfilter xs { r ⇒ r#[0, 0] < 5.0 }) { a, r ⇒ a + 3.0 }"), ("3",)),
    Case("mfilter", table("1⋅𝔻", "mfilter xs { r ⇒ r#[0, 0] < 5.0 }"), ("1",)),
    Case("mfilter", table("1⋅𝔻", "rows (mfilter xs { r ⇒ r#[0, 0] < 5.0 })"), ("1",)),
    Case("mfilter", "sλ . xs : 𝕄 [L∞, U | ★, 1⋅𝔻], y : 𝔻 ⇒ rows (mfilter xs { r ⇒ r#[0, 0] < y })", ("1", "∞")),
    Case("mfilter", fixed("L1", "ℝ", "mfilter xs { r ⇒ r#[0, 0] < 5.0 }"), ("∞",)),
    Case("mfilter", fixed("L1", "𝔻", "mfilter xs { r ⇒ r#[0, 0] < 5.0 }"), ("2",)),
)

COLUMNS = "age : 𝔻 ∷ state : 𝐝 𝕊 ∷ income : 𝔻 ∷ []"

ENTRIES = (
    Case("index", fixed("L1", "ℝ", "xs#[0, 0] + 2.0 ⋅ xs#[0, 0]"), ("3",)),
    Case("index", fixed("L∞", "𝔻", "xs#[0, 0]"), ("1",)),
    Case("index", fixed("L2", "ℝ", "xs#[0]"), ("1",)),
    Case("index", "sλ . xs : 𝕄 [L1, U | 3, 2⋅ℝ], i : 𝕀[3] ⇒ xs#[i, 0]", ("1", "∞")),
    Case("index", "sλ . xs : 𝕄 [L1, U | 3, 2⋅ℝ], i : 𝕀[2] ⇒ xs#[0, i]", ("1", "∞")),
    Case("index", "sλ . xs : 𝕄 [L1, U | 3, 2⋅ℝ], i : 𝕀[3] ⇒ xs#[i]", ("1", "∞")),
    Case("update", "sλ . xs : 𝕄 [L1, U | 3, 2⋅ℝ], y : ℝ ⇒ xs#[0, 1 ↦ 2.0 ⋅ y]", ("1", "2")),
    Case("update", "sλ . xs : 𝕄 [L∞, U | 3, 2⋅𝔻], y : 𝔻 ⇒ xs#[0, 1 ↦ y]", ("1", "1")),
    Case("update", "sλ . xs : 𝕄 [L2, U | 3, 2⋅ℝ], y : ℝ, i : 𝕀[3] ⇒ xs#[i, 1 ↦ y]", ("1", "1", "∞")),
    Case(
        "update",
        "sλ . y : 𝔻 ⇒ (mfilter (mcreate[L∞ | ℕ[3], ℕ[1]] { i, j ⇒ disc 1.0 }) { r ⇒ true })#[0, 0 ↦ y]",
        ("2",),
    ),
    Case(
        "field",
        f"sλ m : ℕ . xs : 𝕄 [L∞, U | m, {COLUMNS}] ⇒ mfold-row 0.0, xs {{ a, r ⇒ a + clip[0.0, 9.0] r.age }}",
        ("9",),
    ),
    Case("field", f'sλ . xs : 𝕄 [L∞, U | ★, {COLUMNS}] ⇒ rows (mfilter xs {{ r ⇒ r.state ≡ "NY" }})', ("1",)),
    Case("field", "sλ . r : record[age : ℝ, income : ℝ] ⇒ r.age + r.income", ("2",)),
    Case("select", f"sλ m : ℕ . xs : 𝕄 [L∞, U | m, {COLUMNS}] ⇒ xs.[age, income]", ("1",)),
    Case("select", f"sλ . xs : 𝕄 [L∞, U | ★, {COLUMNS}] ⇒ xs.[age, income]", ("1",)),
    Case("select", f"sλ m : ℕ . xs : 𝕄 [L1, U | m, {COLUMNS}] ⇒ xs.[income]", ("1",)),
    Case("select", "sλ . xs : 𝕄 [L∞, U | ★, age : 𝔻 ∷ height : ℝ ∷ []] ⇒ xs.[age]", ("1",)),
    Case("select", "sλ . xs : 𝕄 [L∞, U | ★, age : 𝔻 ∷ height : ℝ ∷ []] ⇒ xs.[height]", ("∞",)),
    Case("zip", "sλ . xs : 𝕄 [L∞, U | 3, 2⋅𝔻] ⇒ zip[xs, mclip[L2] xs]", ("1",)),
    Case("zip", f"sλ . xs : 𝕄 [L∞, U | 3, 2⋅𝔻] ⇒ mmap-row zip[xs, xs] {{ r ⇒ {BOTH} }}", ("4",)),
    Case(
        "zip",
        f"sλ . xs : 𝕄 [L∞, U | 3, 2⋅𝔻], ys : 𝕄 [L∞, U | 3, 2⋅𝔻] ⇒ mmap-row zip[xs, ys] {{ r ⇒ {BOTH} }}",
        ("3", "3"),
        loose=(0,),
    ),
    Case("zip", "sλ . xs : 𝕄 [L2, U | 3, 1⋅ℝ] ⇒ zip[mmap xs { x ⇒ 3.0 ⋅ x }, xs]", ("3",)),
    Case("zip", "sλ m : ℕ . xs : 𝕄 [L∞, U | m, 2⋅ℝ], ys : 𝕄 [L1, U | m, 2⋅ℝ] ⇒ zip[xs, ys]", ("1", "1")),
    Case("zip", fixed("L∞", "𝔻", "zip[xs, xs]"), ("1",)),
    Case(
        "zip",
        "sλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅ℝ], ys : 𝕄 [L1, U | m, 1⋅ℝ] ⇒ "
        "mmap-row zip[xs, ys] { r ⇒ let ⟨a, b⟩ = r#[0, 0] in a#[0, 0] + 3.0 ⋅ b#[0, 0] }",
        ("3", "3"),
        loose=(0,),
    ),
    Case("chunks", "sλ . xs : 𝕄 [L∞, U | 6, 1⋅ℝ] ⇒ chunks[ℕ[2], xs]", ("1",)),
    Case("chunks", "sλ . xs : 𝕄 [L∞, U | 6, 1⋅ℝ], ys : 𝕄 [L1, U | 6, 2⋅𝔻] ⇒ chunks[ℕ[3], xs, ys]", ("1", "1")),
    Case(
        "chunks",
        "sλ . xs : 𝕄 [L∞, U | 6, 1⋅ℝ] ⇒ mmap-row chunks[ℕ[2], xs] { c ⇒ mfold-row 0.0, c#[0, 0] { a, r ⇒ a + r#[0, 0] } }",
        ("1",),
    ),
    Case("join", "sλ . xs : 𝕄 [L∞, U | ★, 2⋅𝔻], ys : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ join₁[xs, ℕ[0], ys, ℕ[0]]", ("1", "∞")),
    Case(
        "join",
        "sλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻], ys : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ rows join₁[xs, ℕ[0], ys, ℕ[0]]",
        ("1", "∞"),
    ),
    Case(
        "join",
        "sλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻], ys : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ join₁[xs, ℕ[0], ys, ℕ[0]]",
        ("2", "∞"),
        tight=False,
    ),
    Case(
        "join",
        "sλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒ join₁[xs, ℕ[0], mcreate[L∞ | ℕ[2], ℕ[1]] { i, j ⇒ disc (real i) }, ℕ[0]]",
        ("2",),
    ),
    Case(
        "join",
        "sλ . xs : 𝕄 [L∞, U | ★, 1⋅𝔻], ys : 𝕄 [L∞, U | 2, k : 𝔻 ∷ v : ℝ ∷ []] ⇒ join₁[xs, ℕ[0], ys, ℕ[0]]",
        ("1", "∞"),
    ),
    Case(
        "join",
        "sλ . xs : 𝕄 [L∞, U | 2, k : 𝔻 ∷ v : ℝ ∷ []], ys : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ "
        "rows (mfilter join₁[xs, ℕ[0], ys, ℕ[0]] { r ⇒ r.v < 1.0 })",
        ("∞", "∞"),
    ),
    Case("cols", "sλ . xs : 𝕄 [L∞, U | ★, 3⋅𝔻], x : ℝ ⇒ real (cols xs) ⋅ x", ("0", "3")),
    Case("rows", fixed("L1", "ℝ", "rows xs"), ("0",)),
    Case("rows", table("2⋅𝔻", "rows xs"), ("1",)),
    Case("rows", table("1⋅ℝ", "rows xs"), ("∞",)),
    Case("rows", table("1⋅ℕ", "rows xs"), ("1",)),
    Case("rows", table("1⋅𝔻", "rows (mconv (mclip[L2, 0.001] xs))"), ("1",)),
    Case("count", fixed("L1", "𝔻", "count xs"), ("1",)),
    Case("count", fixed("L2", "𝔻", "count xs"), ("√n",)),
    Case("count", fixed("L∞", "𝔻", "count xs"), ("n",)),
    Case("count", fixed("L∞", "ℝ", "count xs"), ("∞",)),
    Case("count", table("2⋅𝔻", "count xs"), ("2",)),
    Case("count", table("2⋅ℝ", "count xs"), ("∞",)),
    Case("count", fixed("L∞", "𝔻", "count (mmap-row xs { r ⇒ r#[0, 0] < 5.0 })"), ("1",)),
    Case("count", table("2⋅𝔻", "count (mmap-row xs { r ⇒ r#[0, 0] < 5.0 })"), ("1",)),
    Case("count", fixed("L1", "𝔻", "count (mmap xs { x ⇒ x < 5.0 })"), ("1",)),
    Case("count", fixed("L∞", "𝔻", "count (mfilter xs { r ⇒ r#[0, 0] < 500.0 })"), ("n",)),
    Case(
        "count",
        "sλ . xs : 𝕄 [L∞, U | ★, 1⋅𝔻], y : 𝔻 ⇒ count (mmap-row xs { r ⇒ r#[0, 0] < y })",
        ("1", "∞"),
    ),
    Case("cols", fixed("L1", "ℝ", "cols xs"), ("0",)),
    Case("cols", table("2⋅𝔻", "cols xs"), ("0",)),
    Case("tr", fixed("L1", "ℝ", "tr xs"), ("1",)),
    Case("tr", fixed("L2", "ℝ", "tr xs"), ("√n",)),
    Case("tr", fixed("L∞", "𝔻", "tr xs"), ("n",)),
)

FACTORS = "sλ m : ℕ, k : ℕ, n : ℕ . a : 𝕄 [{}, {} | m, k⋅{}], b : 𝕄 [{}, {} | k, n⋅{}] ⇒ a × b"

PRODUCTS = (
    Case("product", FACTORS.format("L1", "U", "ℝ", "L1", "L1≤3", "ℝ"), ("3", "∞")),
    Case("product", FACTORS.format("L2", "U", "ℝ", "L2", "L2≤3", "ℝ"), ("3⋅√k", "∞")),
    Case("product", FACTORS.format("L∞", "U", "ℝ", "L1", "L∞≤3", "ℝ"), ("3⋅k", "∞")),
    Case("product", FACTORS.format("L1", "U", "ℝ", "L1", "L∞≤3", "ℝ"), ("3⋅n", "∞")),
    Case("product", FACTORS.format("L2", "U", "ℝ", "L1", "L∞≤3", "ℝ"), ("3⋅√(k⋅n)", "∞")),
    Case("product", FACTORS.format("L1", "L∞≤2", "ℝ", "L1", "U", "ℝ"), ("∞", "2⋅m")),
    Case("product", FACTORS.format("L1", "L2≤2", "ℝ", "L∞", "U", "ℝ"), ("∞", "2⋅m⋅n")),
    Case("product", FACTORS.format("L2", "L1≤2", "ℝ", "L∞", "U", "ℝ"), ("∞", "2⋅m⋅√n")),
    Case("product", FACTORS.format("L1", "L1≤2", "ℝ", "L1", "L1≤3", "ℝ"), ("3", "2⋅m")),
    Case("product", FACTORS.format("L1", "U", "ℝ", "L1", "U", "ℝ"), ("∞", "∞")),
    Case("product", "sλ m : ℕ, n : ℕ . a : 𝕄 [L1, U | m, 2⋅ℝ], b : 𝕄 [L1, U | 2, n⋅ℝ⁺[3]] ⇒ a × b", ("3⋅n", "0")),
    Case("product", FACTORS.format("L∞", "U", "𝔻", "L∞", "U", "𝔻"), ("1", "m")),
    Case("product", FACTORS.format("L1", "U", "𝔻", "L2", "U", "𝔻"), ("1", "m")),
    Case("product", FACTORS.format("L∞", "U", "𝔻", "L1", "U", "ℝ"), ("1", "∞")),
    Case("product", FACTORS.format("L1", "U", "ℝ", "L∞", "U", "𝔻"), ("∞", "m")),
    Case("product", "sλ n : ℕ . a : 𝕄 [L1, U | ★, 2⋅ℝ], b : 𝕄 [L1, L1≤3 | 2, n⋅ℝ] ⇒ a × b", ("3", "∞")),
    Case("product", "sλ n : ℕ . a : 𝕄 [L∞, U | ★, 2⋅𝔻], b : 𝕄 [L∞, U | 2, n⋅𝔻] ⇒ a × b", ("1", "∞")),
    Case("product", "sλ m : ℕ . a : 𝕄 [L1, L∞≤2 | m, 2⋅ℝ] ⇒ tr a × a", ("∞",)),
    Case("product", "sλ . a : 𝕄 [L1, L∞≤2 | 1, 2⋅ℝ] ⇒ mclip[L∞, 2.0] (tr a) × a", ("8",)),
)

NORMS = (
    *(Case("mclip", fixed(norm, "𝔻", "mclip[L∞, 2.0] xs"), ("1",)) for norm in ("L1", "L2", "L∞")),
    Case("mclip", fixed("L1", "𝔻", "mclip[L1] xs"), ("1",)),
    Case("mclip", fixed("L2", "𝔻", "mclip[L2] xs"), ("1",)),
    Case("mclip", fixed("L∞", "𝔻", "mclip[L1, 3.0] xs"), ("1",)),
    Case("mclip", table("2⋅𝔻", "mclip[L2, 3.0] xs"), ("1",)),
    Case("mclip", fixed("L1", "ℝ", "mclip[L1] xs"), ("2",), tight=False),
    Case("mclip", fixed("L2", "ℝ", "mclip[L1] xs"), ("√n",)),
    Case("mclip", fixed("L∞", "ℝ", "mclip[L1] xs"), ("n",)),
    Case("mclip", fixed("L1", "ℝ", "mclip[L2] xs"), ("√n/2 + 0.5",)),
    Case("mclip", fixed("L2", "ℝ", "mclip[L2] xs"), ("1",)),
    Case("mclip", fixed("L∞", "ℝ", "mclip[L2] xs"), ("√n/2 + 0.5",)),
    Case("mclip", fixed("L1", "ℝ", "mclip[L∞] xs"), ("1",)),
    Case("mclip", fixed("L2", "ℝ", "mclip[L∞] xs"), ("1",)),
    Case("mclip", fixed("L∞", "ℝ", "mclip[L∞] xs"), ("1",)),
    Case("mconv", fixed("L∞", "𝔻", "mconv (mclip[L2] xs)"), ("2",)),
    Case("mconv", fixed("L∞", "𝔻", "mconv (mclip[L1] xs)"), ("2",)),
    Case("mconv", fixed("L1", "𝔻", "mconv (mclip[L∞] xs)"), ("2",)),
    Case("mconv", fixed("L2", "𝔻", "mconv (mclip[L∞] xs)"), ("2",)),
    Case("mconv", fixed("L∞", "𝔻", "mconv (mclip[L∞, 3.0] xs)"), ("6",)),
    Case("mconv", fixed("L1", "𝔻", "mconv (mclip[L∞, 3.0] xs)"), ("6",)),
    Case("mconv", fixed("L∞", "𝔻", "mconv xs"), ("∞",)),
    Case("mconv", "sλ m : ℕ, n : ℕ, b : ℝ⁺ . xs : 𝕄 [L∞, L2≤b | m, n⋅𝔻] ⇒ mconv xs", ("2⋅b",)),
    Case("mconv", "sλ n : ℕ . xs : 𝕄 [L∞, U | ★, n⋅𝔻] ⇒ mconv (mclip[L2, 3.0] xs)", ("3",)),
    Case("mconv", "sλ n : ℕ . xs : 𝕄 [L∞, U | ★, n⋅𝔻] ⇒ mconv (mclip[L1, 3.0] xs)", ("3",)),
    Case("mconv", "sλ n : ℕ . xs : 𝕄 [L∞, U | ★, n⋅𝔻] ⇒ mconv (mclip[L∞, 3.0] xs)", ("3",)),
    Case("renorm", fixed("L2", "ℝ", "renorm[L1] xs"), ("√n",)),
    Case("renorm", fixed("L∞", "ℝ", "renorm[L1] xs"), ("n",)),
    Case("renorm", fixed("L∞", "ℝ", "renorm[L2] xs"), ("√n",)),
    Case("renorm", fixed("L1", "ℝ", "renorm[L2] xs"), ("1",)),
    Case("renorm", fixed("L1", "𝔻", "renorm[L∞] xs"), ("1",)),
    Case("renorm", fixed("L∞", "𝔻", "renorm[L1] xs"), ("n",)),
    Case("renorm", "sλ n : ℕ . xs : 𝕄 [L∞, U | ★, n⋅𝔻] ⇒ renorm[L1] (mconv (mclip[L∞] xs))", ("n",)),
    Case("renorm", table("3⋅𝔻", "renorm[L1] xs"), ("1",)),
    Case("renorm", table("3⋅𝔻", "renorm[L2] xs"), ("1",)),
    Case("renorm", table("age : 𝔻 ∷ state : 𝔻 ∷ []", "renorm[L1] xs"), ("1",)),
    Case(
        "coerce", "sλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒ (sλ . t : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ rows t) xs", ("2",), tight=False
    ),
    Case("coerce", "sλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒ (sλ . t : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ t) xs", ("2",)),
    Case("coerce", "sλ m : ℕ . xs : 𝕄 [L1, U | m, 2⋅ℝ] ⇒ (sλ . t : 𝕄 [L1, U | ★, 2⋅ℝ] ⇒ t) xs", ("1",)),
)

LABELLED = "sλ m : ℕ, n : ℕ . xs : 𝕄 [L∞, {} | m, n⋅𝔻], ys : 𝕄 [L∞, U | m, 1⋅𝔻], θ : 𝕄 [L∞, U | 1, n⋅ℝ] ⇒ {}"
CLASSED = "sλ m : ℕ . xs : 𝕄 [L∞, {} | m, 2⋅𝔻], ys : 𝕄 [L∞, U | m, 1⋅𝔻], θ : 𝕄 [L∞, U | 1, 6⋅ℝ] ⇒ {}"
OWN_MODEL = (
    "sλ m : ℕ . xs : 𝕄 [L∞, U | m, a : 𝔻 ∷ b : 𝔻 ∷ y : 𝔻 ∷ []] ⇒ "
    "let THETA = mcreate[L∞ | ℕ[1], ℕ[2]] {{ i, j ⇒ conv xs#[0, 0] }} in {}"
)
OWN_BOUNDED_MODEL = OWN_MODEL.replace("conv xs#[0, 0]", "clip[0.0, 3.0] xs#[0, 0]")
ONE_TABLE = "sλ m : ℕ . xs : 𝕄 [L∞, U | m, a : 𝔻 ∷ b : 𝔻 ∷ y : 𝔻 ∷ []], θ : 𝕄 [L∞, U | 1, 2⋅ℝ] ⇒ {}"

GRADIENTS = (
    Case("grad-lr", LABELLED.format("L2", "∇[LR | θ; xs, ys]"), ("2/m", "1/m", "∞"), loose=(0,)),
    Case("grad-lr", LABELLED.format("U", "∇[LR | θ; mclip[L1, 3.0] xs, ys]"), ("6/m", "3/m", "∞"), loose=(0,)),
    Case("grad-lr", LABELLED.format("U", "∇[LR | θ; mclip[L∞, 3.0] xs, ys]"), ("6/m", "3/m", "∞"), loose=(0,)),
    Case("grad-lr", ONE_TABLE.format("∇[LR | θ; mclip[L2] xs.[a, b], xs.[y]]"), ("2/m", "∞"), tight=False),
    Case("ugrad-lr", LABELLED.format("U", "U∇[LR | θ; xs, ys]"), ("1", "1", "∞")),
    Case("ugrad-lr", ONE_TABLE.format("U∇[LR | θ; xs.[a, b], xs.[y]]"), ("1", "∞")),
    Case("rowgrad-lr", LABELLED.format("L2", "row∇[LR | θ; xs, ys]"), ("1", "1", "∞")),
    Case("rowgrad-lr", ONE_TABLE.format("row∇[LR | θ; xs.[a, b], xs.[y]]"), ("1", "∞")),
    Case("rowgrad-lr", ONE_TABLE.format("mconv (mclip[L2] (row∇[LR | θ; xs.[a, b], xs.[y]]))"), ("2", "∞")),
    Case("grad-hinge", LABELLED.format("L2", "∇[HINGE | θ; xs, ys]"), ("2/m", "2/m", "∞")),
    Case("grad-hinge", LABELLED.format("U", "∇[HINGE | θ; mclip[L1, 3.0] xs, ys]"), ("6/m", "6/m", "∞")),
    Case("grad-ls", LABELLED.format("L∞", "∇[LS | θ; xs, ys]"), ("2/m", "2/m", "∞")),
    Case("grad-ls", LABELLED.format("L2", "∇[LS | θ; xs, ys]"), ("2/m", "2/m", "∞")),
    Case("grad-huber", LABELLED.format("L1", "∇[HUBER, 0.5 | θ; xs, ys]"), ("1/m", "1/m", "∞")),
    Case("grad-huber", LABELLED.format("L2", "∇[HUBER, 5.0 | θ; xs, ys]"), ("10/m", "10/m", "∞")),
    Case("grad-huber", LABELLED.format("L2", "∇[HUBER | θ; xs, ys]"), ("2/m", "2/m", "∞")),
    Case("grad-softmax", CLASSED.format("L1", "∇[SOFTMAX, ℕ[3] | θ; xs, ys]"), ("4/m", "2/m", "∞"), tight=False),
    Case("grad-softmax", CLASSED.format("L2", "∇[SOFTMAX, ℕ[3] | θ; xs, ys]"), ("2⋅√2/m", "√2/m", "∞"), tight=False),
    Case("grad-softmax", CLASSED.format("L∞", "∇[SOFTMAX, ℕ[3] | θ; xs, ys]"), ("2/m", "1/m", "∞"), tight=False),
    *(
        Case(f"grad-{loss.lower()}", ONE_TABLE.format(f"∇[{loss} | θ; mclip[L2] xs.[a, b], xs.[y]]"), ("2/m", "∞"))
        for loss in ("HINGE", "LS")
    ),
    *(
        Case(f"{kind}-{loss.lower()}", LABELLED.format("U", f"{form}[{loss} | θ; xs, ys]"), ("1", "1", "∞"))
        for kind, form in (("ugrad", "U∇"), ("rowgrad", "row∇"))
        for loss in ("HINGE", "LS", "HUBER")
    ),
    Case("ugrad-softmax", CLASSED.format("U", "U∇[SOFTMAX, ℕ[3] | θ; xs, ys]"), ("1", "1", "∞")),
    Case("rowgrad-softmax", CLASSED.format("U", "row∇[SOFTMAX, ℕ[3] | θ; xs, ys]"), ("1", "1", "∞")),
    Case("rowgrad-huber", ONE_TABLE.format("row∇[HUBER, 2.0 | θ; xs.[a, b], xs.[y]]"), ("1", "∞")),
    Case("rowgrad-huber", LABELLED.format("L2", "mconv (row∇[HUBER, 2.0 | θ; xs, ys])"), ("4", "4", "∞")),
    Case(
        "rowgrad-softmax", CLASSED.format("L1", "mconv (row∇[SOFTMAX, ℕ[3] | θ; xs, ys])"), ("4", "4", "∞"), tight=False
    ),
    Case("grad-lr", OWN_MODEL.format("∇[LR | THETA; mclip[L2] xs.[a, b], xs.[y]]"), ("2",), tight=False),
    Case("rowgrad-lr", OWN_MODEL.format("row∇[LR | THETA; xs.[a, b], xs.[y]]"), ("m",)),
)

STEPPED = (
    "sλ m : ℕ, n : ℕ, η : ℝ⁺ . xs : 𝕄 [L∞, {} | m, n⋅𝔻], ys : 𝕄 [L∞, U | m, 1⋅𝔻], θ : 𝕄 [{} | 1, n⋅ℝ], η : ℝ⁺[η] ⇒ {}"
)

STEPS = (
    Case(
        "step-lr",
        STEPPED.format("L2", "L2, U", "step∇[LR, η, 0.0 | θ; xs, ys]"),
        ("2⋅η/m", "η/m", "1", "0"),
        loose=(0,),
    ),
    Case("step-ls", STEPPED.format("L2≤2", "L2, U", "step∇[LS, η, 0.0 | θ; xs, ys]"), ("4⋅η/m", "4⋅η/m", "1", "0")),
    Case(
        "step-huber",
        STEPPED.format("L2", "L2, U", "step∇[HUBER, 5.0, η, 0.0 | θ; xs, ys]"),
        ("10⋅η/m", "10⋅η/m", "1", "0"),
    ),
    Case(
        "step-lr",
        STEPPED.format("L2", "L2, U", "step∇[LR, η, 0.25 | θ; xs, ys]"),
        ("2⋅η/m", "η/m", "4/(η + 4)", "0"),
        tight=False,
    ),
    Case(
        "step-lr",
        STEPPED.format("L1≤2", "L1, U", "step∇[LR, 1.0, 0.25 | θ; xs, ys]"),
        ("4/m", "2/m", "0.75", "0"),
        loose=(0,),
    ),
    Case(
        "step-ls",
        STEPPED.format("L∞", "L∞, U", "step∇[LS, η, 0.0 | θ; xs, ys]"),
        ("2⋅η⋅√n/m", "2⋅η⋅√n/m", "√n", "0"),
        tight=False,
    ),
    Case(
        "step-ls",
        ONE_TABLE.format("step∇[LS, 0.5, 0.5 | θ; mclip[L2] xs.[a, b], xs.[y]]"),
        ("1/m", "0.75⋅√2"),
        tight=False,
    ),
    Case(
        "step-lr",
        OWN_BOUNDED_MODEL.format("step∇[LR, 0.5, 0.0 | THETA; mclip[L2] xs.[a, b], xs.[y]]"),
        ("1/m + 3⋅√2",),
        tight=False,
    ),
    Case(
        "step-ls",
        STEPPED.format("L2", "L2, U", "loop 3 on θ { i, t ⇒ step∇[LS, 0.5, 0.5 | t; xs, ys] }"),
        ("2.3125/m", "2.3125/m", "0.421875", "0"),
        tight=False,
    ),
)


FRAME = "𝔻𝔽[age : ℕ, bmi : ℝ, state : 𝕊]"
PARTED = f'sλ . xs : {FRAME} ⇒ {{}} (partitionDF[xs, state, ℘{{{{"NY", "VT"}}}}]) {{{{ {{}} }}}}'
RECORD = "record[age : ℕ, bmi : ℝ, state : 𝕊]"

FRAMES = (
    Case("bmap", "sλ . xs : bag 𝔻 ⇒ bmap xs { x ⇒ x ⋅ x }", ("1",)),
    Case("bmap", "sλ . xs : bag ℕ ⇒ bmap xs { x ⇒ x % 2 }", ("1",)),
    Case("bmap", "sλ . xs : bag 𝔻 ⇒ bmap xs { x ⇒ clip[0.0, 5.0] x }", ("5",)),
    Case("bmap", "sλ . xs : bag 𝔻, y : 𝔻 ⇒ bmap xs { x ⇒ x + y }", ("1", "∞")),
    Case("bmap", "sλ . xs : bag ℝ ⇒ bmap xs { x ⇒ 2.0 ⋅ x }", ("2",)),
    Case("bmap", "sλ . xs : bag ℝ ⇒ bmap xs { x ⇒ x ⋅ x }", ("∞",)),
    Case("bmap", "sλ . xs : bag ℝ ⇒ bmap xs { x ⇒ clip[-1.0, 2.0] (let x = x + x in x) }", ("2",)),
    Case("bmap", "sλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅ℝ], y : ℝ ⇒ bmap xs { x ⇒ 3.0 ⋅ x + y }", ("3", "m")),
    Case("bmap", "sλ . xs : bag (𝔻 × 𝕊) ⇒ bmap xs { p ⇒ let ⟨x, s⟩ = p in x }", ("1",)),
    Case("bmap", "sλ . xs : 𝕄 [L∞, U | ★, 2⋅𝔻] ⇒ bmap xs { r ⇒ r#[0, 0] + r#[0, 1] }", ("1",)),
    Case("bmap", "sλ . xs : 𝕄 [L∞, U | ★, 2⋅𝔻] ⇒ bmap xs { r ⇒ mconv (mclip[L2, 3.0] r) }", ("3",)),
    Case("bmap", PARTED.format("bmap", "p ⇒ clip[0.0, 2.0] (real (rows p))"), ("4",), tight=False),
    Case("bmap", PARTED.format("bmap", "p ⇒ mfilter p { r ⇒ r.bmi < 1.0 }"), ("2",)),
    Case("mapDF", f"sλ . xs : {FRAME} ⇒ mapDF xs {{ r ⇒ addColDF⧼old⧽ ⟨r, r.age < 3⟩ }}", ("1",)),
    Case("mapDF", f"sλ . xs : {FRAME} ⇒ mapDF xs {{ r ⇒ mclip[L∞, 9.0] (addColDF⧼bmi⧽ r.bmi) }}", ("9",)),
    Case("mapDF", "sλ . xs : 𝔻𝔽[a : ℝ, b : ℝ] ⇒ mapDF xs { r ⇒ addColDF⧼c⧽ ⟨r, r.a - r.b⟩ }", ("2",)),
    Case("mfold-row", "sλ . xs : bag ℝ ⇒ mfold-row 0.0, xs { a, r ⇒ a + 2.0 ⋅ r#[0, 0] }", ("2",)),
    Case("mfold-row", "sλ . xs : bag ℝ, y : ℝ ⇒ mfold-row y, xs { a, r ⇒ a + clip r#[0, 0] }", ("1", "1")),
    Case("mfold-row", "sλ . xs : bag ℝ, y : ℝ ⇒ mfold-row 0.0, xs { a, r ⇒ a + r#[0, 0] ⋅ y }", ("∞", "∞")),
    Case("bmap", "sλ . xs : bag ℝ ⇒ rows (bmap xs { x ⇒ 0.0 })", ("∞",)),
    Case("bmap", "sλ . xs : bag 𝔻 ⇒ rows (bmap xs { x ⇒ clip[0.0, 0.0] x })", ("1",)),
    Case("mmap", "sλ . xs : 𝕄 [L2, U | ★, 2⋅ℝ] ⇒ mmap xs { x ⇒ x / 4.0 }", ("0.25",)),
    Case("mfilter", f"sλ . xs : {FRAME} ⇒ rows (mfilter xs {{ r ⇒ r.bmi < 1.0 }})", ("1",)),
    Case("mfilter", "sλ . xs : bag (𝔻 × ℝ) ⇒ mfilter xs { r ⇒ let ⟨d, x⟩ = r#[0, 0] in x < 0.0 }", ("1",)),
    Case("addColDF", "sλ . x : ℝ, y : ℝ ⇒ addColDF⧼b⧽ ⟨addColDF⧼a⧽ x, 2.0 ⋅ y⟩", ("1", "2")),
    Case("addColDF", f"sλ . r : {RECORD} ⇒ addColDF⧼twice⧽ ⟨r, r.bmi + r.bmi⟩", ("2",)),
    Case("addColDF", "sλ . xs : bag 𝔻 ⇒ addColDF⧼a⧽ xs", ("1",)),
    Case("partitionDF", f"sλ . xs : {FRAME}, ks : ℘(𝕊) ⇒ partitionDF[xs, state, ks]", ("2", "∞")),
    Case("partitionDF", f"sλ . xs : {FRAME}, ks : ℘(𝕊) ⇒ rows (partitionDF[xs, state, ks])", ("1", "∞"), tight=False),
    Case("partitionDF", f"sλ . xs : {FRAME}, ks : ℘(ℕ) ⇒ partitionDF[xs, age, ks]", ("2", "∞")),
    Case("partitionDF", "sλ m : ℕ . xs : 𝕄 [L∞, U | m, k : 𝔹 ∷ []] ⇒ partitionDF[xs, k, ℘{true, false}]", ("4",)),
    Case("partitionDF", "sλ m : ℕ . xs : 𝕄 [L∞, U | m, k : 𝔹 ∷ v : ℝ ∷ []] ⇒ partitionDF[xs, k, ℘{true}]", ("∞",)),
    Case(
        "partitionDF",
        f'sλ . xs : {FRAME} ⇒ rows (mfilter (partitionDF[xs, state, ℘{{"NY", "VT"}}]) {{ p ⇒ rows p#[0, 0] < 2 }})',
        ("1",),
    ),
    Case("joinDF₁", f"sλ . xs : {FRAME}, ys : 𝔻𝔽[age : ℕ, v : ℝ] ⇒ joinDF₁⧼age⧽[xs, ys]", ("1", "∞")),
    Case(
        "joinDF₁",
        "sλ m : ℕ . xs : 𝕄 [L∞, U | m, age : ℕ ∷ []], ys : 𝔻𝔽[age : ℕ] ⇒ joinDF₁⧼age⧽[xs, ys]",
        ("2", "∞"),
    ),
    Case(
        "∈",
        f"sλ . r : {RECORD}, rs : ℘(record[age : ℕ, state : 𝕊]) ⇒ addColDF⧼state⧽ ⟨addColDF⧼age⧽ r.age, r.state⟩ ∈ rs",
        ("1", "1"),
    ),
)


REFUSED = (
    "sλ . xs : bag ℝ ⇒ bmap xs { x ⇒ x + 1.0 }",
    "sλ . xs : bag ℝ ⇒ bmap xs { x ⇒ disc x }",
    "sλ . xs : bag 𝔻 ⇒ bmap xs { x ⇒ conv x }",
    "sλ . xs : bag ℝ ⇒ bmap xs { x ⇒ let x = 1.0 in x }",
    "sλ . xs : bag 𝔻, ys : bag 𝔻 ⇒ bmap xs, ys { x, y ⇒ x + y }",
    "sλ . xs : bag ℝ ⇒ mfold-row 0.0, xs { a, r ⇒ a + 1.0 }",
    "sλ . xs : bag ℝ ⇒ mfold-row 0.0, (bmap xs { x ⇒ 0.0 }) { a, r ⇒ a + 1.0 }",
    "sλ . xs : bag 𝔻 ⇒ mfold-row 0.0, (bmap xs { x ⇒ clip[0.0, 0.0] x }) { a, r ⇒ a + 1.0 }",
    "sλ . xs : 𝕄 [L1, U | ★, 1⋅ℝ] ⇒ mmap-row xs { r ⇒ mmap r, (mcreate[L1 | ℕ[1], ℕ[1]] { i, j ⇒ 1.0 }) { x, x ⇒ x } }",
    "sλ . xs : bag ℝ⁺[2.0] ⇒ (sλ . t : bag ℝ ⇒ t) xs",
    "sλ . xs : 𝔻𝔽[a : 𝔻, b : ℝ] ⇒ mapDF xs { r ⇒ addColDF⧼b⧽ r.b }",
    "sλ . xs : 𝔻𝔽[b : ℝ], ys : 𝔻𝔽[b : ℝ] ⇒ joinDF₁⧼b⧽[xs, ys]",
    "sλ m : ℕ, n : ℕ . xs : 𝕄 [L∞, U | m, n⋅𝔻] ⇒ "
    "(sλ m : ℕ, n : ℕ . t : 𝕄 [L∞, L2 | m, n⋅𝔻] ⇒ mconv t) (mclip[L2, 5.0] xs)",
    "sλ m : ℕ, n : ℕ . xs : 𝕄 [L∞, U | m, n⋅𝔻] ⇒ "
    "(sλ m : ℕ, n : ℕ . t : 𝕄 [L∞, L1 | m, n⋅𝔻] ⇒ mconv t) (mclip[L∞, 1.0] xs)",
    "sλ m : ℕ . xs : 𝕄 [L2, U | m, 2⋅ℝ] ⇒ (sλ m : ℕ . t : 𝕄 [L1, U | m, 2⋅ℝ] ⇒ t) xs",
    "sλ . x : ℝ ⇒ (sλ . f : ℝ ⊸[1] ℝ ⇒ f x) (sλ . z : ℝ ⇒ 3.0 ⋅ z)",
    "sλ . xs : 𝕄 [L∞, U | 1, 2⋅ℝ] ⇒ (sλ . f : 𝕄 [L∞, U | 1, 2⋅ℝ] ⊸[1] 𝕄 [L1, U | 1, 2⋅ℝ] ⇒ f xs) "
    "(sλ . t : 𝕄 [L1, U | 1, 2⋅ℝ] ⇒ t)",
    "sλ . xs : 𝕄 [L∞, U | 1, 2⋅ℝ] ⇒ (sλ . f : 𝕄 [L∞, U | 1, 2⋅ℝ] ⊸[1] 𝕄 [L1, U | 1, 2⋅ℝ] ⇒ f xs) "
    "(sλ . t : 𝕄 [L∞, U | 1, 2⋅ℝ] ⇒ t)",
    "sλ . d : 𝔻 ⇒ (sλ . x : ℝ ⇒ 100.0 ⋅ x) d",
    "sλ . x : ℝ ⇒ (sλ . b : box[x@1] ℝ ⇒ unbox b) (box (3.0 ⋅ x))",
    "sλ . x : ℝ, y : ℝ ⇒ (sλ . b : box[x@1] ℝ ⇒ unbox b) (box (x + y))",
    "sλ . xs : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ (sλ . t : 𝕄 [L∞, U | 3, 1⋅𝔻] ⇒ real (rows t)) xs",
    "sλ . x : ℝ, y : ℝ ⇒ box x ≡ box y",
    "sλ . x : ℝ ⇒ loop ℕ[3] on box x { i, b ⇒ box (unbox b + unbox b) }",
    "sλ . x : ℝ ⇒ (sλ . f : ℝ⁺[1.0] ⊸[0] ℝ ⇒ f) (sλ . c : ℝ⁺[2.0] ⇒ 1.0) ℝ⁺[1.0]",
    "sλ . k : ℕ, x : ℝ ⇒ (sλ n : ℕ . c : ℕ[n] ⇒ real c ⋅ x) k",
    "sλ . xs : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ mfold-row 0.0, xs { a, r ⇒ (a ⊔ 5.0) + 1.0 }",
    "sλ . xs : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ xs#[0, 0]",
    "sλ . xs : 𝕄 [L∞, U | ★, 1⋅𝔻], ys : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ zip[xs, ys]",
    "sλ . xs : 𝕄 [L∞, U | ★, 1⋅𝔻], ys : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ mmap-row xs, ys { x, y ⇒ x }",
)
"""Programs that must be refused. A mutant that accepts one has to be caught on it."""


def everything() -> Iterator[Case]:
    for group in (BINDING, ARITHMETIC, MAPS, FOLDS, ENTRIES, PRODUCTS, NORMS, GRADIENTS, STEPS, FRAMES):
        yield from group
