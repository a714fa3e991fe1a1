"""Small programs, one for each kind of mechanism that is broken."""

SUM = """\
pλ m : ℕ, ε : ℝ⁺ . xs : 𝕄 [L∞, U | m, 1⋅𝔻], ε : ℝ⁺[ε] ⇒
  laplace[auto, ε] <xs> { mfold-row 0.0, xs { total, row ⇒ total + clip[0.0, 1.0] (row#[0, 0]) } }
"""

TWICE = """\
pλ m : ℕ, ε : ℝ⁺ . xs : 𝕄 [L∞, U | m, 1⋅𝔻], ε : ℝ⁺[ε] ⇒
  one ← laplace[auto, ε] <xs> { mfold-row 0.0, xs { total, row ⇒ total + clip[0.0, 1.0] (row#[0, 0]) } } ;
  two ← laplace[auto, ε] <xs> { mfold-row 0.0, xs { total, row ⇒ total + clip[0.0, 1.0] (row#[0, 0]) } } ;
  return ⟨one, two⟩
"""

GAUSS = """\
pλ m : ℕ, δ : ℝ⁺ . xs : 𝕄 [L∞, U | m, 1⋅𝔻], δ : ℝ⁺[δ] ⇒
  gauss[auto, ℝ⁺[0.5], δ] <xs> { mfold-row 0.0, xs { a, r ⇒ a + clip[0.0, 1.0] (r#[0, 0]) } }
"""

CLIPPED = """\
pλ m : ℕ, n : ℕ, ρ : ℝ⁺ . xs : 𝕄 [L1, U | m, n⋅ℝ], ρ : ℝ⁺[ρ] ⇒
  mlaplace[auto, ρ] <xs> { mclip[L1, 1.0] xs }
"""

PARTS = """\
pλ ε : ℝ⁺ . xs : 𝕄 [L∞, U | ★, age : 𝔻 ∷ []], ε : ℝ⁺[ε] ⇒
  parallel[xs, ℘{0.0, 1.0, 2.0}] { row ⇒ row.age } { age, part ⇒
    laplace[auto, ε] <part> { real (rows part) }
  }
"""

SAMPLE = """\
pλ m : ℕ, ε : ℝ⁺ . xs : 𝕄 [L∞, U | m, 1⋅𝔻], ε : ℝ⁺[ε] ⇒
  sample[ℕ[3]] xs { part ⇒
    laplace[auto, ε] <part> { mfold-row 0.0, part { a, r ⇒ a + clip[0.0, 1.0] (r#[0, 0]) } } }
"""

ABOVE = """\
pλ m : ℕ, ε : ℝ⁺ . xs : 𝕄 [L∞, U | m, 1⋅𝔻], ε : ℝ⁺[ε] ⇒
  let bounds = mcreate[L∞ | ℕ[1], ℕ[5]] { i, j ⇒ real (dyn j) } in
  let queries = mmap bounds { bound ⇒
    sλ table : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒ 0.0 - real (rows (mfilter table { row ⇒ disc bound < row#[0, 0] }))
  } in
  AboveThreshold[ε, queries, -1.0] <xs> { xs }
"""

CANONICAL = """\
pλ . xs : 𝕄 [L∞, U | ★, age : 𝔻 ∷ []] ⇒ canonical[auto, ℝ⁺[0.5], ℝ⁺[0.01]] <xs> { real (rows xs) }
"""

GENERALIZED = """\
pλ θ : ℝ⁺ . xs : 𝕄 [L∞, U | ★, age : 𝔻 ∷ []], θ : ℝ⁺[θ] ⇒ ggauss[auto, 4.0, θ] <xs> { real (rows xs) }
"""

DESCENT = """\
pλ m : ℕ, E : ℕ, σ : ℝ⁺ . ⟨xs : 𝕄 [L∞, U | m, 2⋅𝔻], ys : 𝕄 [L∞, U | m, 1⋅𝔻]⟩, E : ℕ[E], σ : ℝ⁺[σ] ⇒
  let start = mcreate[L2 | ℕ[1], ℕ[2]] { i, j ⇒ 0.0 } in
  noisy-descent[E, ℕ[1], σ] <xs, ys> { step∇[LR, 1.0, 0.25 | start ; mclip[L2] xs, ys] }
"""

BEST = """\
pλ . x : ℝ ⇒ noisy-max[auto, ℝ⁺[1.0]] mcreate[L∞ | ℕ[1], ℕ[4]] { i, j ⇒ real (dyn j) } <x> { c ⇒
  if c < 2.0 then x - c else c - x }
"""

STEPS = """\
pλ m : ℕ, n : ℕ, k : ℕ, ρ : ℝ⁺ . ⟨xs : 𝕄 [L∞, U | m, n⋅𝔻], ys : 𝕄 [L∞, U | m, 1⋅𝔻]⟩, k : ℕ[k], ρ : ℝ⁺[ρ] ⇒
  let start = mcreate[L∞ | ℕ[1], cols xs] { i, j ⇒ 0.0 } in
  loop k on start <xs, ys> { step, θ ⇒
    gradient ← mgauss[auto, ρ / real k] <xs, ys> { ∇[LR | θ ; mclip[L2] xs, ys] } ;
    return mmap θ, gradient { weight, slope ⇒ weight - slope } }
"""

WHOLE = """\
pλ . xs : 𝕄 [L∞, U | ★, age : 𝔻 ∷ []] ⇒ dgauss[auto, ℝ⁺[1.0], ℝ⁺[0.00001]] <xs> { rows xs }
"""

CHOSEN = """\
pλ . x : ℝ ⇒ exponential[auto, ℝ⁺[1.0]] mcreate[L∞ | ℕ[1], ℕ[4]] { i, j ⇒ real (dyn j) } <x> { c ⇒
  if c < 2.0 then x - c else c - x }
"""

ANSWER = """\
pλ ε : ℝ⁺ . x : 𝕀[3], ε : ℝ⁺[ε] ⇒ rand-resp[ℕ[3], ε] <x> { x }
"""

POISSON = """\
pλ ε : ℝ⁺ . xs : 𝕄 [L∞, U | ★, age : 𝔻 ∷ []], ε : ℝ⁺[ε] ⇒
  poisson[0.25] xs { part ⇒ laplace[auto, ε] <part> { real (rows part) } }
"""

SHUFFLED = """\
pλ m : ℕ, ε : ℝ⁺ . xs : 𝕄 [L∞, U | m, age : 𝔻 ∷ []], ε : ℝ⁺[ε] ⇒
  shuffle[rows xs] xs { x ⇒ rand-resp[2, ε] <x> { if x#[0, 0] < 65.0 then idx ℕ[0] else idx ℕ[1] } }
"""

KEYS = """\
pλ . xs : 𝕄 [L∞, U | ★, home : 𝔻 ∷ work : 𝔻 ∷ seen : 𝔻 ∷ []] ⇒
  keys[ℕ[2], ℝ⁺[1.0], ℝ⁺[0.001]] xs { row ⇒ ℘{row.home, row.work, row.seen} }
"""

KEY_GAUSS = """\
pλ . xs : 𝕄 [L∞, U | ★, home : 𝔻 ∷ work : 𝔻 ∷ seen : 𝔻 ∷ []] ⇒
  key-gauss[ℕ[2], ℝ⁺[1.0], ℝ⁺[0.001]] xs { row ⇒ ℘{row.home, row.work, row.seen} }
"""

KEY_COUNTS = """\
pλ . xs : 𝕄 [L∞, U | ★, home : 𝔻 ∷ work : 𝔻 ∷ seen : 𝔻 ∷ []] ⇒
  key-counts[ℕ[2], ℝ⁺[1.0], ℝ⁺[0.001]] xs { row ⇒ ℘{row.home, row.work, row.seen} }
"""
