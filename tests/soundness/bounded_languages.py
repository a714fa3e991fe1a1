"""The small languages whose programs are all tried (`tests.soundness.bounded`)."""

from fractions import Fraction

from tests.soundness.bounded import Language
from tests.soundness.plain import Table


def table(*rows: float | tuple[float, ...], width: int = 1) -> Table:
    cells = (tuple(map(Fraction, row if isinstance(row, tuple) else (row,))) for row in rows)
    return Table(tuple(cells), width)


REALS = tuple(map(Fraction, (-1, 0, 0.5, 1, 3)))
DATA = tuple(map(Fraction, (-1, 0, 2)))
FEW = tuple(map(Fraction, (0, 1)))
BAGS = (
    *map(table, (0, 1, -2)),
    table(),
    *(table(*rows) for rows in ((0, 0), (1, 1), (1, -2), (-2, 1), (0, 1), (1, 0))),
)

SCALARS = Language(
    "sλ x : ℝ, d : 𝔻 ⇒ BODY",
    (("x", "R"), ("d", "D")),
    """
R = 1.0
R = (<R> + <R>)
R = (<R> - <R>)
R = (2.0 ⋅ <R>)
R = (<R> ⋅ <R>)
R = (<R> ⊔ <R>)
R = (clip[0.0, 1.0] <R>)
R = (clip[0.0, 1.0] <D>)
R = (conv <D>)
R = (if <B> then <R> else <R>)
R = (let $ = <R> in <R|R>)
R = (loop 2 on <R> { i, $ ⇒ <R|R> })
D = (disc <R>)
D = (<D> ⋅ <D>)
D = (if <B> then <D> else <D>)
B = (<R> < <R>)
B = (<D> ≤ <D>)
""",
    {"x": REALS, "d": DATA},
)

SHAPES = Language(
    "let id = sλ τ : ☆K . z : τ ⇒ z in let ap = sλ τ : ☆K, σ : ☆K . f : (τ ⊸[1] σ), z : τ ⇒ f z in sλ x : ℝ, d : 𝔻 ⇒ BODY",
    (("x", "R"), ("d", "D")),
    """
R = (<R> + <R>)
R = (2.0 ⋅ <R>)
R = (clip[0.0, 1.0] <D>)
R = (fst <P>)
R = (snd <P>)
R = (fst <W>)
R = (snd <W>)
R = (unbox <X>)
R = (id <R>)
R = (ap (sλ $ : ℝ ⇒ <R|R>) <R>)
R = (let $ = <P> in <R|P>)
R = (let $ = <X> in <R|X>)
R = (let ⟨$, w$⟩ = <P> in <R|R>)
R = (let ⟨w$, $⟩ = <W> in <R|R>)
R = (case <S> { inl $ ⇒ <R|R> ; inr w$ ⇒ 1.0 })
R = (case <S> { inl w$ ⇒ 0.0 ; inr $ ⇒ <R|D> })
D = (disc <R>)
P = ⟨<R>, <R>⟩
P = (id <P>)
W = ⟨<R> & <R>⟩
W = (id <W>)
X = (box <R>)
X = (id <X>)
S = (inl[𝔻] <R>)
S = (inr[ℝ] <D>)
S = (id <S>)
""",
    {"x": REALS, "d": DATA},
)

FRAMES = Language(
    "sλ xs : 𝔻𝔽[a : 𝔻], d : 𝔻 ⇒ BODY",
    (("xs", "T"), ("d", "D")),
    """
T = (mfilter <T> { $ ⇒ <B|W> })
T = (mapDF <T> { $ ⇒ <W|W> })
T = (distinct <T>)
T = (joinDF₁⧼a⧽[<T>, <T>]).[a]
T = (joinDF[2]⧼a⧽[<T>, <T>]).[a]
W = { a = <D> }
D = (<W>.a)
D = (disc 1.0)
D = (disc <R>)
N = (rows <T>)
N = (rows <Q>)
N = (rows <V>)
Q = (partitionDF[<T>, a, <S>])
Q = (bmap <Q> { $ ⇒ <T|T> })
T = (bmap <Q> { $ ⇒ <W|T> })
R = (real <N>)
R = (clip[0.0, 1.0] <D>)
R = (mfold-row 0.0, <T> { s, $ ⇒ s + <R|W> })
R = (mfold-row 0.0, <T> { s, $ ⇒ s ⊔ <R|W> })
R = (mfold-row 0.0, <V> { s, r ⇒ s + r#[0, 0] })
V = (bmap <T> { $ ⇒ <R|W> })
V = (bmap <V> { $ ⇒ <R|R> })
R = (case first <T> { some $ ⇒ <R|W> ; none ⇒ 0.0 })
R = (2.0 ⋅ <R>)
B = (<D> ≤ <D>)
B = (<D> ∈ <S>)
B = (<R> ≤ 1.0)
S = ℘{<D>}
S = (elements <T>)
""",
    {"xs": BAGS, "d": FEW},
)

FIXED = Language(
    "sλ xs : 𝕄 [L∞, U | 2, 2⋅𝔻], z : 𝕄 [L1, U | 2, 1⋅ℝ] ⇒ BODY",
    (("xs", "M"), ("z", "Z")),
    """
M = (mmap <M> { $ ⇒ <D|D> })
M = (mmap-row <M> { $ ⇒ <K|K> })
M = (mmap-row <M>, <M> { $, w$ ⇒ <K|K> })
M = (mmap <M>, <M> { $, w$ ⇒ <D|D> })
M = (<M>#[0, 1 ↦ <D>])
M = (tr <M>)
K = (<M>#[1])
K = (<K>#[0, 0 ↦ <D>])
D = (<K>#[0, 1])
D = (<M>#[0, 0])
D = (disc <R>)
R = (clip[0.0, 1.0] <D>)
R = (<Z>#[1, 0])
R = (<R> + <R>)
R = (mfold-row 0.0, <M> { s, $ ⇒ s + <R|K> })
R = (mfold-row 0.0, <Z> { s, $ ⇒ s + <R|Y> })
R = (mfold-row 1.0, <Z> { s, $ ⇒ 2.0 ⋅ s + <R|Y> })
R = (<Y>#[0, 0])
Z = (mmap <Z> { $ ⇒ <R|R> })
Z = (mmap <M> { $ ⇒ <R|D> })
Z = (mmap-row <M> { $ ⇒ <R|K> })
Z = (mmap-row <M>, <Z> { $, w$ ⇒ <R|K> })
Z = (mcreate[L1 | ℕ[2], ℕ[1]] { i, j ⇒ <R> })
Z = (mcreate[L∞ | ℕ[2], ℕ[2]] { i, j ⇒ <R> })
Z = (renorm[L1] <Z>)
Z = (mconv (mclip[L∞, 1.0] <M>))
N = (rows (mfilter <M> { $ ⇒ <B|K> }))
R = (real <N>)
R = (count <M>)
B = (<D> ≤ disc 0.0)
B = (<R> ≤ 0.0)
""",
    {
        "xs": tuple(
            table(*rows, width=2)
            for rows in (((0, 0), (0, 0)), ((0, 0), (1, -2)), ((1, -2), (0, 0)), ((0, 1), (0, 0)), ((1, 1), (0, 1)))
        ),
        "z": tuple(table(*rows) for rows in ((0, 0), (1, 0), (0, 0.5), (-2, 3))),
    },
)

_FOLDED = """
R = s
R = 0.0
R = 1.0
R = (<R> + <R>)
R = (<R> - <R>)
R = (<R> ⊔ <R>)
R = (<R> ⋅ <R>)
R = (2.0 ⋅ <R>)
R = (clip[0.0, 1.0] <R>)
R = (let s = <R> in <R>)
R = (let r = <K> in <R>)
R = (let x = <R> in <R>)
R = (if <B> then <R> else <R>)
R = ((sλ s : ℝ ⇒ <R>) <R>)
R = (loop 2 on <R> { i, s ⇒ <R> })
K = r
B = (<R> ≤ 0.0)
"""
REAL_SUMS = Language(
    "sλ xs : bag ℝ, x : ℝ ⇒ mfold-row 0.0, xs { s, r ⇒ BODY }",
    (("x", "R"),),
    f"{_FOLDED}R = r#[0, 0]\nK = (mmap r {{ s ⇒ <R> }})\nK = (mmap r {{ r ⇒ s }})",
    {"xs": BAGS, "x": FEW},
    "R",
)
SUMS = Language(
    "sλ xs : bag 𝔻, x : ℝ ⇒ mfold-row 0.0, xs { s, r ⇒ BODY }",
    (("x", "R"),),
    f"{_FOLDED}R = (clip[0.0, 1.0] r#[0, 0])\nR = (conv r#[0, 0])\nK = (mmap r {{ s ⇒ disc <R> }})\nK = (mmap r {{ r ⇒ disc s }})",
    {"xs": BAGS, "x": FEW},
    "R",
)

PRIVATE = Language(
    "let id = sλ τ : ☆K . z : τ ⇒ z in pλ . xs : 𝔻𝔽[a : 𝔻], m : 𝕄 [L∞, U | 2, 1⋅𝔻], x : ℝ ⇒ BODY",
    (("xs", "T"), ("m", "M"), ("x", "R")),
    """
P = laplace[auto, 1.0] { <R> }
P = laplace[auto, 1.0] <xs> { <R> }
P = (i ← exponential[auto, 1.0] (mcreate[L∞ | ℕ[1], ℕ[2]] { i, j ⇒ real j }) { c ⇒ <R> ⋅ 2.0 } ; return 1.0)
P = ($ ← <P> ; <P|G>)
P = (let $ = <R> in <P|R>)
P = (let $ = <T> in <P|T>)
P = (let ⟨$, w$⟩ = <U> in <P|R>)
P = (let ⟨w$, $⟩ = <U> in <P|R>)
P = (if <C> then { <P> } else { return 1.0 })
P = (loop 2 on 0.0 <xs, m, x> { i, $ ⇒ <P|G> })
P = (q ← parallel[<T>, ℘{disc 0.0, disc 1.0}] { r ⇒ r.a } { k, $ ⇒ <P|T> } ; return 1.0)
P = (q ← parallel[2, <T>, ℘{disc 0.0, disc 1.0}] { r ⇒ ℘{r.a, disc 1.0} } { k, $ ⇒ <P|T> } ; return 1.0)
P = (q ← mmapp <M> { $ ⇒ <P|D> } ; return 1.0)
P = (q ← pmap-col <M> { $ ⇒ <P|M> } ; return 1.0)
P = (pλ $ : 𝔻𝔽[a : 𝔻] ⇒ <P|T>)@[ . <T>]
P = (pλ $ : ℝ ⇒ <P|R>)@[ . <R>]
P = (pλ τ : ☆K . w : τ, $ : 𝔻𝔽[a : 𝔻] ⇒ <P|T>)@[ . <T>, <T>]
P = (pλ $ : 𝕄 [L∞, U | 2, 1⋅𝔻] ⇒ <P|M>)@[ . <M>]
P = return <R>
P = (case first <T> { some $ ⇒ <P|W> ; none ⇒ return 1.0 })
R = (real (rows <T>))
R = (mfold-row 0.0, <T> { s, $ ⇒ s + <R|W> })
R = (mfold-row 0.0, <M> { s, $ ⇒ s + <R|K> })
R = (clip[0.0, 1.0] <D>)
R = (unbox (box <R>))
R = (id <R>)
R = (<R> + <R>)
R = <G>
G = (id <G>)
U = ⟨<R>, <R>⟩
U = (id ⟨<R>, <R>⟩)
U = ⟨<R> & <R>⟩
U = (id ⟨<R> & <R>⟩)
T = (mfilter <T> { $ ⇒ <B|W> })
T = (distinct <T>)
T = (joinDF[2]⧼a⧽[<T>, <T>]).[a]
T = (mapDF <T> { $ ⇒ <W|W> })
T = (mapDF (mfilter <M> { $ ⇒ <B|K> }) { $ ⇒ { a = $#[0, 0] } })
M = (mmap <M> { $ ⇒ <D|D> })
W = { a = <D> }
D = (<W>.a)
D = (<K>#[0, 0])
D = (<M>#[0, 0])
D = (disc <R>)
B = (<D> ≤ disc 0.0)
C = (<G> ≤ 0.0)
C = (<D> ≤ disc 0.0)
""",
    {
        "xs": tuple(table(*rows) for rows in ((), (0,), (1,), (0, 1))),
        "m": tuple(table(*rows) for rows in ((0, 1), (1, 1), (-2, 1))),
        "x": FEW,
    },
    "P",
)
