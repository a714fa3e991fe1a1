"""Privacy programs in pure ε, with the ε that is claimed for each of their units."""

from __future__ import annotations

from attrs import frozen


@frozen
class Release:
    """A program and its claim.

    Parameters
    ----------
    rule
        The rule that it is about, as its page is named.
    text
        The program.
    claims
        The ε of each unit, as printed.
    attained
        Whether neighbours are found that spend all of a finite claim.
    """

    rule: str
    text: str
    claims: tuple[str, ...]
    attained: bool = True


TABLE = "xs : 𝕄 [L∞, U | ★, age : 𝔻 ∷ state : 𝐝 𝕊 ∷ []]"
FIXED = "xs : 𝕄 [L∞, U | m, age : 𝔻 ∷ state : 𝐝 𝕊 ∷ []]"
PAIR = "⟨xs : 𝕄 [L∞, U | m, 1⋅𝔻], ys : 𝕄 [L∞, U | m, 1⋅𝔻]⟩"

OF_VIEWS = (
    "let f = pλ . ⟨a : 𝕄 [L∞, U | 3, 1⋅𝔻], b : 𝕄 [L∞, U | 3, 1⋅𝔻]⟩ ⇒ laplace[4.0, 1.0] <a, b> { mfold-row 0.0, zip[a, b] "
    "{ s, r ⇒ s + (let ⟨u, v⟩ = r#[0, 0] in clip[-1.0, 1.0] u#[0, 0] + clip[-1.0, 1.0] v#[0, 0]) } } in"
)

RELEASES = (
    Release("laplace", "pλ . x : ℝ ⇒ laplace[2.0, 1.0] <x> { 2.0 ⋅ x }", ("1",)),
    Release("laplace", "pλ . x : ℝ ⇒ laplace[auto, 1.0] <x> { 2.0 ⋅ x }", ("1",)),
    Release("laplace", "pλ . x : ℝ, y : ℝ ⇒ laplace[1.0, 1.0] <x> { x + y }", ("1", "∞")),
    Release("laplace", "pλ . x : ℝ, y : ℝ ⇒ laplace[3.0, 1.0] { x + 3.0 ⋅ y }", ("1", "1"), attained=False),
    Release("laplace", "pλ . x : ℝ, y : ℝ ⇒ laplace[auto, 1.0] { x + 3.0 ⋅ y }", ("1", "1"), attained=False),
    Release(
        "mlaplace", "pλ m : ℕ . xs : 𝕄 [L1, U | m, 2⋅ℝ] ⇒ mlaplace[auto, 1.0] <xs> { mmap xs { x ⇒ 3.0 ⋅ x } }", ("1",)
    ),
    Release("dlaplace", "pλ . x : ℕ ⇒ dlaplace[2.0, 1.0] <x> { 2 ⋅ x }", ("1",)),
    Release("dlaplace", f"pλ . {TABLE} ⇒ dlaplace[auto, 1.0] {{ rows (mfilter xs {{ r ⇒ r.age < 5.0 }}) }}", ("1",)),
    Release("dlaplace", "pλ . x : ℕ, y : ℕ ⇒ dlaplace[1.0, 1.0] <x> { x + y }", ("1", "∞")),
    Release("ggauss", "pλ . x : ℝ ⇒ ggauss[auto, 1.0, 4.0] <x> { 2.0 ⋅ x }", ("0.5",)),
    Release("ggauss", "pλ . x : ℝ ⇒ ggauss[3.0, 1.0, 4.0] <x> { 3.0 ⋅ x }", ("0.75",)),
    Release("canonical", "pλ . x : ℝ ⇒ canonical[auto, 1.0] <x> { 2.0 ⋅ x }", ("1",)),
    Release("canonical", "pλ . x : ℝ, y : ℝ ⇒ canonical[2.0, 1.0] <x> { 2.0 ⋅ x + y }", ("1", "∞")),
    Release(
        "gibbs",
        "pλ . x : ℝ ⇒ gibbs[0.5] mcreate[L∞ | ℕ[1], ℕ[3]] { i, j ⇒ real j } <x> { c ⇒ 2.0 ⋅ x - c }",
        ("2",),
    ),
    Release(
        "gibbs",
        "pλ . x : ℝ, y : ℝ ⇒ gibbs[0.5] mcreate[L∞ | ℕ[1], ℕ[3]] { i, j ⇒ real j } { c ⇒ 2.0 ⋅ x + y - c }",
        ("2", "1"),
    ),
    Release(
        "gibbs",
        "pλ . x : ℝ, y : ℝ ⇒ gibbs[0.5] mcreate[L∞ | ℕ[1], ℕ[3]] { i, j ⇒ real j + y } <x> { c ⇒ x - c }",
        ("1", "∞"),
    ),
    Release(
        "shuffle",
        "pλ m : ℕ . xs : 𝕄 [L∞, U | m, 2⋅𝔻] ⇒ shuffle[rows xs] xs { x ⇒ laplace[5.0, 1.0] <x> { clip[0.0, 5.0] x#[0, 0] } }",
        ("1",),
    ),
    Release(
        "shuffle",
        "pλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻], y : ℝ ⇒ shuffle[rows xs] xs { x ⇒ "
        "a ← laplace[5.0, 2.0] <x> { clip[0.0, 5.0] x#[0, 0] } ; laplace[1.0, 1.0] <y> { y } }",
        ("2", "m"),
    ),
    Release(
        "shuffle",
        "pλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒ shuffle[rows xs] xs { x ⇒ "
        "laplace[auto, 1.0] { clip[0.0, 5.0] x#[0, 0] + clip[0.0, 5.0] xs#[0, 0] } }",
        ("m + 1",),
    ),
    Release("shuffle", "pλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒ shuffle[rows xs] xs { x ⇒ return 1.0 }", ("0",)),
    Release(
        "shuffle",
        "pλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻], ys : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒ shuffle[rows xs] xs, ys { x, y ⇒ "
        "a ← laplace[5.0, 1.0] <x> { clip[0.0, 5.0] x#[0, 0] } ; laplace[5.0, 2.0] <y> { clip[0.0, 5.0] y#[0, 0] } }",
        ("1", "2"),
    ),
    Release(
        "shuffle",
        "pλ m : ℕ . xs : 𝕄 [L∞, U | m, 2⋅𝔻], ys : 𝕄 [L∞, U | m, 2⋅𝔻] ⇒ shuffle[rows xs] xs, ys { x, y ⇒ "
        "laplace[5.0, 1.0] <x> { clip[0.0, 5.0] (x#[0, 0] + y#[0, 0]) } }",
        ("1", "∞"),
    ),
    Release(
        "shuffle",
        "pλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒ shuffle[rows xs] xs, mclip[L2] xs { x, y ⇒ "
        "a ← laplace[5.0, 1.0] <x> { clip[0.0, 5.0] x#[0, 0] } ; laplace[2.0, 2.0] <y> { clip y#[0, 0] } }",
        ("3",),
    ),
    Release(
        "shuffle",
        "pλ . x : 𝔻 ⇒ let xs = mcreate[L∞ | ℕ[2], ℕ[1]] { i, j ⇒ x } in shuffle[ℕ[2]] xs, mclip[L2] xs { u, v ⇒ "
        "a ← laplace[5.0, 1.0] <u> { clip[0.0, 5.0] u#[0, 0] } ; laplace[2.0, 2.0] <v> { clip v#[0, 0] } }",
        ("6",),
    ),
    Release("return", "pλ . x : ℝ ⇒ return x", ("∞",)),
    Release("return", "pλ . x : ℝ ⇒ return 3.0", ("0",)),
    Release("bind", "pλ . x : ℝ ⇒ a ← laplace[1.0, 1.0] <x> { x } ; laplace[1.0, 2.0] <x> { x + a }", ("3",)),
    Release("bind", "pλ . x : ℝ ⇒ a ← return x ; return 1.0", ("∞",)),
    Release("bind", "pλ . x : ℝ ⇒ let b = box x in a ← laplace[1.0, 1.0] <x> { unbox b } ; return a", ("1",)),
    Release("bind", "pλ . x : ℝ ⇒ b ← return box x ; laplace[1.0, 1.0] { unbox b }", ("1",)),
    Release("privacy-let", "pλ . x : ℝ ⇒ let y = x + x in laplace[2.0, 1.0] <x> { y }", ("1",)),
    Release(
        "privacy-let-pair",
        "pλ . p : ℝ × ℝ ⇒ let ⟨a, b⟩ = p in u ← laplace[1.0, 1.0] { a } ; laplace[1.0, 2.0] { b }",
        ("3",),
        attained=False,
    ),
    Release(
        "privacy-let-pair",
        "pλ . x : ℝ ⇒ let ⟨a, b⟩ = ⟨x, 3.0 ⋅ x⟩ in u ← laplace[1.0, 1.0] { a } ; laplace[3.0, 2.0] { b }",
        ("3",),
    ),
    Release(
        "privacy-if",
        "pλ . x : ℝ ⇒ a ← laplace[1.0, 1.0] <x> { x } ; "
        "if a < 0.0 then { laplace[1.0, 1.0] <x> { x } } else { laplace[1.0, 2.0] <x> { x } }",
        ("3",),
    ),
    Release(
        "privacy-if", "pλ . b : 𝔹, x : ℝ ⇒ if b then { laplace[1.0, 1.0] <x> { x } } else { return 0.0 }", ("∞", "1")
    ),
    Release(
        "privacy-case",
        "pλ . x : ℝ ⇒ a ← laplace[1.0, 1.0] <x> { x } ; case (if a < 0.0 then inl[ℕ] a else inr[ℝ] 3) "
        "{ inl u ⇒ laplace[1.0, 1.0] <x> { x + u } ; inr n ⇒ laplace[1.0, 2.0] <x> { x + real n } }",
        ("3",),
    ),
    Release(
        "privacy-case",
        "pλ . b : 𝔹, x : ℝ ⇒ case (if b then inl[ℝ] (box x) else inr[box[x@1] ℝ] 1.0) "
        "{ inl u ⇒ laplace[1.0, 1.0] { unbox u } ; inr v ⇒ return v }",
        ("∞", "1"),
    ),
    Release("privacy-case", "pλ . x : ℝ ⇒ case inl[ℝ] x { inl u ⇒ return 0.0 ; inr v ⇒ return 1.0 }", ("∞",)),
    Release("private-some", "pλ . x : 𝔻? ⇒ case x { some a ⇒ return 0.0 ; none ⇒ return 1.0 }", ("∞",)),
    Release(
        "private-some",
        "pλ . d : 𝔻?, x : ℝ ⇒ case d { some a ⇒ laplace[1.0, 1.0] <x> { x } ; none ⇒ laplace[1.0, 2.0] <x> { x } }",
        ("∞", "2"),
    ),
    Release(
        "private-some",
        "pλ . x : 𝔻? ⇒ y ← laplace[1.0, 1.0] <x> { clip[0.0, 1.0] (x or-else 0) } ; "
        "case (if y < 0.5 then none[ℝ] else (sλ . z : ℝ? ⇒ z) y) { some a ⇒ return a ; none ⇒ laplace[1.0, 2.0] <x> { "
        "case x { some a ⇒ clip[0.0, 1.0] a ; none ⇒ 1.0 } } }",
        ("3",),
        attained=False,
    ),
    Release("rand-nat", "pλ . x : ℝ ⇒ n ← rand-nat[1, 3] ; laplace[1.0, 1.0] <x> { x + real n }", ("1",)),
    Release("rand-nat", "pλ . n : ℕ ⇒ rand-nat[n, 9]", ("∞",)),
    Release(
        "privacy-loop",
        "pλ . x : ℝ ⇒ loop ℕ[3] on 0.0 <x> { i, a ⇒ laplace[1.0, 1.0] <x> { x + a } }",
        ("3",),
    ),
    Release(
        "privacy-loop",
        "pλ k : ℕ . k : ℕ[k], x : ℝ ⇒ loop k on 0.0 { i, a ⇒ b ← laplace[1.0, 1.0] { x } ; laplace[1.0, 2.0] { x + b } }",
        ("0", "3⋅k"),
    ),
    Release(
        "privacy-loop", "pλ . x : ℝ, y : ℝ ⇒ loop ℕ[3] on y <x> { i, a ⇒ laplace[1.0, 1.0] <x> { x } }", ("3", "∞")
    ),
    Release(
        "privacy-application",
        "let f = pλ . a : ℝ, b : ℝ ⇒ u ← laplace[1.0, 1.0] <a> { a } ; laplace[1.0, 2.0] <b> { b } in "
        "pλ . x : ℝ ⇒ f@[ . x, x]",
        ("3",),
    ),
    Release(
        "privacy-application",
        "let f = pλ . a : ℝ, b : ℝ ⇒ laplace[1.0, 1.0] { a + b } in pλ . x : ℝ ⇒ f@[ . x, x]",
        ("2",),
    ),
    Release(
        "privacy-application",
        "let f = pλ . a : ℝ ⇒ laplace[1.0, 1.0] <a> { a } in pλ . x : ℝ ⇒ f@[ . 3.0 ⋅ x]",
        ("3",),
    ),
    Release(
        "privacy-application",
        "let f = pλ . ys : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ laplace[1.0, 1.0] <ys> { "
        "mfold-row 0.0, ys { a, r ⇒ a + clip[-1.0, 1.0] r#[0, 0] } } in pλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒ f@[ . xs]",
        ("2",),
    ),
    Release(
        "privacy-application",
        "let f = pλ ς : ☆K . t : 𝕄 [L∞, U | ★, 𝐝 ς] ⇒ laplace[1.0, 1.0] <t> { real (rows t) } in "
        f"pλ . {TABLE} ⇒ f@[ . xs]",
        ("1",),
    ),
    Release(
        "privacy-application",
        "let f = pλ ς : ☆K . t : 𝕄 [L∞, U | ★, 𝐝 ς] ⇒ laplace[1.0, 1.0] <t> { real (rows t) } in "
        f"pλ m : ℕ . {FIXED} ⇒ f@[ . mfilter xs {{ r ⇒ r.age < 5.0 }}]",
        ("2",),
        attained=False,
    ),
    # What the type of a column says.
    *(
        Release(
            "privacy-application",
            f"let f = pλ t : bag 𝔻 in {ends}, lo : ℝ, static m : ℝ⁺, step : ℝ, static k : ℕ ⇒ laplace[auto, 1.0] <t> {{ "
            "mfold-row 0.0, t { s, x ⇒ s + clip[-m, m] (x#[0, 0] - disc lo) } } in "
            f"pλ . xs : bag 𝔻 in [-3, 2] ⇒ f@[ . xs, {given}]",
            ("1",),
            attained=attained,
        )
        for ends, given, attained in (
            ("[-m, m]", "0, 1, 7", True),
            ("[lo, lo + m]", "1, 7", True),
            ("[lo, lo + k ⋅ step]", "5, 7", True),
        )
    ),
    # Views of one input and of another one, in either order; and one that holds nothing of it.
    *(
        Release(
            "privacy-application",
            f"{OF_VIEWS} pλ . xs : 𝕄 [L∞, U | 3, 1⋅𝔻], y : 𝔻 ⇒ f@[ . {views}]",
            claims,
            attained=False,
        )
        for views, claims in (
            ("mmap xs { x ⇒ x + y }, xs", ("1", "3")),
            ("xs, mmap xs { x ⇒ x + y }", ("1", "3")),
            ("xs, mmap xs { x ⇒ disc 1.0 }", ("1", "0")),
            ("mmap xs { x ⇒ disc 1.0 }, xs", ("1", "0")),
        )
    ),
    Release(
        "privacy-application",
        "let f = pλ . a : ℝ ⇒ laplace[1.0, 1.0] <a> { a } in pλ . x : ℝ ⇒ f@[ . x ⋅ x]",
        ("∞",),
    ),
    Release(
        "privacy-application",
        "let f = pλ . t : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ laplace[1.0, 1.0] { real (rows t) } in "
        "pλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒ f@[ . mfilter xs { r ⇒ r#[0, 0] < 3.0 }]",
        ("2",),
        attained=False,
    ),
    Release(
        "privacy-application",
        "let f = pλ m : ℕ . ⟨a : 𝕄 [L∞, U | m, 1⋅𝔻], b : 𝕄 [L∞, U | m, 1⋅𝔻]⟩ ⇒ "
        "laplace[auto, 1.0] { mfold-row 0.0, zip[a, b] { s, r ⇒ s + "
        "(let ⟨u, v⟩ = r#[0, 0] in clip[0.0, 5.0] (u#[0, 0] + v#[0, 0])) } } in "
        "pλ m : ℕ . xs : 𝕄 [L∞, U | m, p : 𝔻 ∷ q : 𝔻 ∷ []] ⇒ f@[m . xs.[p], xs.[q]]",
        ("1",),
    ),
    Release(
        "mfold-row",
        f"pλ . {TABLE} ⇒ laplace[auto, 1.0] {{ mfold-row 0.0, xs {{ a, r ⇒ a + clip[0.0, 5.0] r.age }} }}",
        ("1",),
    ),
    Release(
        "parallel",
        f'pλ . {TABLE} ⇒ parallel[xs, ℘{{"NY", "VT"}}] {{ r ⇒ r.state }} '
        "{ k, t ⇒ c ← laplace[1.0, 1.0] <t> { real (rows t) } ; return ⟨k, c⟩ }",
        ("1",),
    ),
    Release(
        "parallel",
        f'pλ m : ℕ . {FIXED} ⇒ parallel[xs, ℘{{"NY", "VT"}}] {{ r ⇒ r.state }} '
        "{ k, t ⇒ c ← laplace[1.0, 1.0] <t> { real (rows t) } ; return ⟨k, c⟩ }",
        ("2",),
    ),
    Release(
        "parallel",
        f'pλ m : ℕ . {FIXED} ⇒ parallel[mfilter xs {{ r ⇒ r.age < 5.0 }}, ℘{{"NY", "VT"}}] {{ r ⇒ r.state }} '
        "{ k, t ⇒ c ← laplace[1.0, 1.0] <t> { real (rows t) } ; return ⟨k, c⟩ }",
        ("2",),
    ),
    # Of three parts a row is in two: those of other keys that it has are not listed.
    Release(
        "parallel",
        f'pλ . {TABLE} ⇒ parallel[2, xs, ℘{{"NY", "VT", "ca"}}] {{ r ⇒ ℘{{r.state, "NY", "VT", "ca", "1"}} }} '
        "{ k, t ⇒ c ← laplace[1.0, 1.0] <t> { real (rows t) } ; return ⟨k, c⟩ }",
        ("2",),
    ),
    Release(
        "parallel",
        f'pλ m : ℕ . {FIXED} ⇒ parallel[2, xs, ℘{{"NY", "VT", "ca", "1"}}] '
        '{ r ⇒ if r.age < 5.0 then ℘{"NY", "VT"} else ℘{"ca", "1"} } '
        "{ k, t ⇒ c ← laplace[1.0, 1.0] <t> { real (rows t) } ; return ⟨k, c⟩ }",
        ("4",),
    ),
    Release(
        "parallel",
        'pλ . people : persons[who : 𝕊 | visits : 𝔻𝔽[dept : 𝕊]] ⇒ parallel[2, people, ℘{"NY", "VT", "ca"}] '
        "{ p ⇒ mfold-row ℘{p.who}, p.visits { seen, v ⇒ unionAll ℘{seen, ℘{v.dept}} } } "
        "{ k, t ⇒ c ← laplace[1.0, 1.0] <t> { real (rows t) } ; return ⟨k, c⟩ }",
        ("2",),
    ),
    Release(
        "parallel",
        "pλ . roster : ℘(𝕊), people : persons[who : 𝕊 in roster | visits : 𝔻𝔽[dept : 𝕊]] ⇒ "
        'parallel[people, ℘{"NY", "VT", "ca"}] { p ⇒ mfold-row "", p.visits { last, v ⇒ v.dept } } '
        "{ k, t ⇒ c ← laplace[1.0, 1.0] <t> { real (rows t) } ; return ⟨k, c⟩ }",
        ("∞", "2"),
    ),
    Release(
        "parallel",
        f'pλ . {TABLE}, x : ℝ ⇒ parallel[xs, ℘{{"NY", "VT"}}] {{ r ⇒ r.state }} '
        "{ k, t ⇒ laplace[1.0, 1.0] <x> { x } }",
        ("0", "∞"),
    ),
    Release(
        "exponential",
        "pλ . x : ℝ ⇒ exponential[2.0, 1.0] mcreate[L∞ | ℕ[1], ℕ[3]] { i, j ⇒ real j } <x> { c ⇒ 2.0 ⋅ x - c }",
        ("1",),
    ),
    Release(
        "noisy-max",
        "pλ . x : ℝ ⇒ noisy-max[auto, 1.0] mcreate[L∞ | ℕ[1], ℕ[3]] { i, j ⇒ real j } <x> { c ⇒ 2.0 ⋅ x - c }",
        ("1",),
    ),
    Release(
        "above-threshold",
        "pλ . x : ℝ ⇒ AboveThreshold[1.0, mcreate[L1 | ℕ[1], ℕ[3]] { i, j ⇒ sλ . z : ℝ ⇒ z - real j }, 5.0] <x> { x }",
        ("0.75",),
    ),
    Release(
        "above-threshold",
        "pλ . x : ℝ ⇒ AboveThreshold[1.0, mcreate[L1 | ℕ[1], ℕ[3]] { i, j ⇒ "
        "sλ . z : ℝ ⇒ if real j < 2.0 then z else 0.0 - z }, 5.0] <x> { x }",
        ("1",),
    ),
    Release("rand-resp", "pλ . i : 𝕀[3] ⇒ rand-resp[3, 1.0] <i> { i }", ("1",)),
    Release(
        "mmapp",
        "pλ m : ℕ . xs : 𝕄 [L∞, U | m, 2⋅𝔻] ⇒ mmapp xs { x ⇒ laplace[5.0, 1.0] <x> { clip[0.0, 5.0] x } }",
        ("2",),
    ),
    Release(
        "mmapp",
        "pλ m : ℕ . xs : 𝕄 [L1, U | m, 2⋅ℝ], y : ℝ ⇒ mmapp xs { x ⇒ laplace[1.0, 1.0] <x, y> { x + y } }",
        ("2⋅m", "2⋅m"),
        attained=False,
    ),
    Release(
        "pmap-col",
        "pλ m : ℕ . xs : 𝕄 [L∞, U | m, 3⋅𝔻] ⇒ pmap-col xs { c ⇒ "
        "laplace[5.0, 1.0] <c> { mfold-row 0.0, c { a, r ⇒ a + clip[0.0, 5.0] r#[0, 0] } } }",
        ("3",),
    ),
    Release(
        "pfld-rows",
        f"pλ . {PAIR.replace('| m', '| 4')} ⇒ pfld-rows[ℕ[2], 0.0, xs, ys, pλ . {PAIR.replace('| m', '| 2')}, z : ℝ ⇒ "
        "laplace[10.0, 1.0] { mfold-row 0.0, zip[xs, ys] { s, r ⇒ s + "
        "(let ⟨u, v⟩ = r#[0, 0] in clip[0.0, 5.0] u#[0, 0] + clip[0.0, 5.0] v#[0, 0]) } }]",
        ("1",),
    ),
    Release(
        "pfld-rows",
        "pλ . xs : 𝕄 [L∞, U | 4, 1⋅𝔻], ys : 𝕄 [L∞, U | 4, 1⋅𝔻] ⇒ pfld-rows[ℕ[2], 0.0, xs, ys, "
        "pλ . a : 𝕄 [L∞, U | 2, 1⋅𝔻], b : 𝕄 [L∞, U | 2, 1⋅𝔻], z : ℝ ⇒ "
        "u ← laplace[5.0, 1.0] <a> { mfold-row 0.0, a { s, r ⇒ s + clip[0.0, 5.0] r#[0, 0] } } ; "
        "laplace[5.0, 2.0] <b> { mfold-row z, b { s, r ⇒ s + clip[0.0, 5.0] r#[0, 0] } }]",
        ("1", "2"),
    ),
    Release(
        "pfld-rows",
        "pλ . y : ℝ, xs : 𝕄 [L∞, U | 4, 1⋅𝔻] ⇒ pfld-rows[ℕ[2], y, xs, xs, "
        "pλ . a : 𝕄 [L∞, U | 2, 1⋅𝔻], b : 𝕄 [L∞, U | 2, 1⋅𝔻], z : ℝ ⇒ laplace[1.0, 1.0] { clip[0.0, 1.0] a#[0, 0] }]",
        ("∞", "1"),
    ),
)

REFUSED = (
    "pλ . x : ℝ ⇒ laplace[1.0, 1.0] <x> { 2.0 ⋅ x }",
    "pλ . x : ℝ ⇒ exponential[1.0, 1.0] mcreate[L∞ | ℕ[1], ℕ[3]] { i, j ⇒ real j } <x> { c ⇒ 2.0 ⋅ x - c }",
    "pλ . x : ℝ ⇒ AboveThreshold[1.0, mcreate[L1 | ℕ[1], ℕ[3]] { i, j ⇒ sλ . z : ℝ ⇒ 1000.0 ⋅ z }, 5.0] <x> { x }",
    "pλ . x : ℝ ⇒ AboveThreshold[1.0, mcreate[L1 | ℕ[1], ℕ[3]] { i, j ⇒ sλ . z : ℝ ⇒ z }, 5.0] <x> { 1000.0 ⋅ x }",
    "pλ m : ℕ . xs : 𝕄 [L∞, U | m, 2⋅𝔻] ⇒ mlaplace[1.0, 1.0] <xs> { mconv (mclip[L1] xs) }",
    "pλ m : ℕ . xs : 𝕄 [L∞, U | m, 2⋅𝔻] ⇒ mlaplace[2.0, 1.0] <xs> { mconv (mclip[L2] xs) }",
    "pλ . x : ℕ ⇒ dlaplace[1.0, 1.0] <x> { 2 ⋅ x }",
    "pλ . x : ℝ ⇒ dlaplace[1.0, 1.0] <x> { x }",
    "pλ . x : 𝐝 ℕ ⇒ gibbs[1.0] mcreate[L∞ | ℕ[1], ℕ[3]] { i, j ⇒ real j } <x> { c ⇒ x }",
    "pλ . x : ℝ ⇒ gibbs[1.0] mcreate[L∞ | ℕ[1], ℕ[3]] { i, j ⇒ real j } <x> { c ⇒ x ⋅ x - c }",
    "pλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅ℝ] ⇒ shuffle[rows xs] xs { x ⇒ laplace[1.0, 1.0] <x> { x#[0, 0] } }",
    "pλ m : ℕ . xs : 𝕄 [L1, U | m, 2⋅𝔻] ⇒ shuffle[rows xs] xs { x ⇒ return 1.0 }",
    "pλ . xs : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ shuffle[ℕ[9]] xs { x ⇒ return 1.0 }",
    "pλ . xs : 𝕄 [L∞, U | 5, 1⋅𝔻] ⇒ shuffle[ℕ[9]] xs { x ⇒ return 1.0 }",
    "pλ . xs : 𝕄 [L∞, U | 5, 1⋅𝔻] ⇒ let f = pλ n : ℕ, k : ℕ . ys : 𝕄 [L∞, U | n, 1⋅𝔻], k : ℕ[k] ⇒ "
    "shuffle[k] ys { y ⇒ return 1.0 } in f@[ . xs, 9]",
    "pλ . xs : 𝕄 [L∞, U | 5, 1⋅𝔻] ⇒ let f = sλ n : ℕ, b : ℕ . ys : 𝕄 [L∞, U | n, 1⋅𝔻], b : ℕ[b] ⇒ "
    "chunks[b, ys] in let zs = f xs 2 in laplace[1.0, 1.0] <xs> { clip[0.0, 1.0] xs#[0, 0] }",
    "pλ . x : 𝐝 ℕ ⇒ exponential[1.0, 1.0] mcreate[L∞ | ℕ[1], ℕ[3]] { i, j ⇒ real j } <x> { c ⇒ x }",
)
"""Programs that must be refused."""
