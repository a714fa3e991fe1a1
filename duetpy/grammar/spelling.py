"""The words and signs of the language: one table of the Unicode spellings and their ASCII twins.

The lexer reads both spellings of a sign as one *kind* of token, named by the Unicode spelling; the printer writes
either. Words fall in two groups. A *reserved* word can never be a name. A *soft* word is one that the language gained
later: where a program binds it as a name it is that name, throughout the scope of the binding, so that no older program
breaks.
"""

from __future__ import annotations

from duetpy.grammar.declared import DECLARED, DECLARED_TWINS, RESERVED_PRIMITIVES
from duetpy.grammar.definition import spelled

TWINS: dict[str, str] = {
    "sλ": "slam",
    "pλ": "plam",
    "ℕ": "Nat",
    "ℝ": "Real",
    "ℝ⁺": "Real+",
    "𝔻": "Disc",
    "𝐝": "disc_t",
    "𝔹": "Bool",
    "𝕊": "Str",
    "𝕀": "Idx",
    "𝕄": "Matrix",
    "𝔻𝔽": "DF",
    "℘": "Set",
    "☆K": "Type",
    "L∞": "Linf",
    "∇": "grad",
    "U∇": "ugrad",
    "row∇": "rowgrad",
    "step∇": "stepgrad",
    "join₁": "join1",
    "joinDF₁": "joinDF1",
    "¬": "not",
    "∀": "forall",
    "∞": "inf",
    "⇒": "=>",
    "→": "->",
    "←": "<-",
    "↦": "|->",
    "★": "?",
    "∷": "::",
    "⧺": "++",
    "×": "**",
    "⟨": "<|",
    "⟩": "|>",
    "⧼": "<.",
    "⧽": ".>",
    "≠": "!=",
    "≥": ">=",
    "⊸": "-o",
    "⊸⋆": "-o*",
}
TWINS |= DECLARED_TWINS
"""Unicode spelling ↦ ASCII twin, those of the primitives included. ``-o`` and ``-o*`` are put together by the type parser,
all others by the lexer."""

_NAMES = [
    "α",
    "alpha",
    "β",
    "beta",
    "γ",
    "gamma",
    "δ",
    "delta",
    "ε",
    "eps",
    "ζ",
    "zeta",
    "η",
    "eta",
    "θ",
    "theta",
    "ι",
    "iota",
    "κ",
    "kappa",
    "λ",
    "lambda",
    "μ",
    "mu",
    "ν",
    "nu",
    "ξ",
    "xi",
    "π",
    "pi",
    "ρ",
    "rho",
    "σ",
    "sigma",
    "τ",
    "tau",
    "υ",
    "upsilon",
    "φ",
    "phi",
    "χ",
    "chi",
    "ψ",
    "psi",
    "ω",
    "omega",
]

GREEK: dict[str, str] = dict(zip(_NAMES[::2], _NAMES[1::2], strict=True))
GREEK |= {letter.upper(): name.capitalize() for letter, name in GREEK.items()}
"""A Greek letter ↦ its name. They are two names in a program; on the command line either may be given for the other."""

LETTERS: dict[str, str] = {letter: GREEK[letter] for letter in "εδραωμθ"}
"""The letters of a guarantee after ``ensures``, where the two spellings are one."""

LETTER_OF: dict[str, str] = {ascii_name: letter for letter, ascii_name in LETTERS.items()}

_RESERVED = """
    let in sλ pλ return on if then else box unbox boxed loop aloop parallel
    ℕ ℝ ℝ⁺ 𝔻 𝕀 𝕄 𝔻𝔽 𝔹 𝕊 ☆K bag set record 𝐝 L1 L2 L∞ U LR
    mcreate mmap mmap-col mmap-row mfold-row mfilter zip chunks U∇ row∇ idx join₁ matrix
    bmap partitionDF addColDF mapDF joinDF₁ clip discf
    gauss mgauss bgauss laplace mlaplace exponential AboveThreshold rand-resp rand-nat sample mmapp pmap-col pfld-rows
    ZCDP RENYI EPSDP true false CSVtoMatrix
"""

_PRIMITIVES = frozenset(name for name in DECLARED if name[0].isalpha())

RESERVED: frozenset[str] = RESERVED_PRIMITIVES | frozenset(_RESERVED.split())
"""Words that no program may bind. Every other word of the grammar is soft, and so is each that is added to it."""

_WORDS = RESERVED | _PRIMITIVES | {word for word in spelled() if word[0].isalpha()}

WORDS: dict[str, str] = {word: word for word in _WORDS} | {
    twin: sign for sign, twin in TWINS.items() if twin[0].isalpha() and twin != "Real+"
}
"""Every word of the language ↦ the kind of its token."""

SOFT: frozenset[str] = frozenset(WORDS) - RESERVED

_PLAIN_SIGNS = "= : @ . # [ ] ( ) { } < > , ; | + / - % & ≟"

SIGNS: dict[str, str] = (
    {sign: sign for sign in _PLAIN_SIGNS.split()}
    | {sign: sign for sign in TWINS if sign not in WORDS and not sign[0].isalpha()}
    | {twin: sign for sign, twin in TWINS.items() if not twin[0].isalpha() and not twin.startswith("-o")}
)
"""Every sign that is not a word ↦ the kind of its token."""

OPENERS: dict[str, str] = {"(": ")", "[": "]", "{": "}", "⟨": "⟩", "⧼": "⧽"}
CLOSERS: dict[str, str] = {closer: opener for opener, closer in OPENERS.items()}

MISTAKEN_SIGNS: dict[str, str] = {
    "·": "⋅",  # U+00B7 middle dot
    "∙": "⋅",  # U+2219 bullet operator
    "•": "⋅",  # U+2022 bullet
    "\N{GREEK ANO TELEIA}": "⋅",
    "∗": "⋅",  # U+2217 asterisk operator
    "−": "-",  # U+2212 minus sign
    "–": "-",  # U+2013 en dash
    "—": "-",  # U+2014 em dash
    "‐": "-",  # U+2010 hyphen
    "⨯": "×",  # U+2A2F vector product
    "✕": "×",
    "⟹": "⇒",
    "⟸": "←",
    "⟵": "←",
    "⟶": "→",
    "↤": "←",
    "〈": "⟨",
    "〉": "⟩",
    "\N{LEFT-POINTING ANGLE BRACKET}": "⟨",
    "\N{RIGHT-POINTING ANGLE BRACKET}": "⟩",
    "∶": ":",  # U+2236 ratio
    "⩽": "≤",
    "⩾": "≥",
    "☆": "★",
    "∕": "/",  # U+2215 division slash
    "÷": "/",
    "，": ",",
    "；": ";",
    "\N{GREEK QUESTION MARK}": ";",
    "（": "(",
    "）": ")",
}
"""A character that a person may type or paste for a sign of the language ↦ that sign."""

FOLDED_LETTERS: dict[int, str] = {ord("µ"): "μ", ord("ϵ"): "ε"}
"""Letters that are one letter in names: the micro sign is a mu, the lunate epsilon an epsilon."""

_LOOKALIKES = {
    # Cyrillic
    "аеорсухіјѕһԁԛԝ": "aeopcyxijshdqw",
    "АВЕКМНОРСТУХІЈЅ": "ABEKMHOPCTYXIJS",
    # Greek
    "ο": "o",
    "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ": "ABEZHIKMNOPTYX",
    # Latin
    "ɡıƖ": "gil",
}

LOOKALIKE_LETTERS: dict[int, str] = {
    ord(letter): twin for letters, twins in _LOOKALIKES.items() for letter, twin in zip(letters, twins, strict=True)
} | {0xFF21 + 32 * low + i: chr((0x61 if low else 0x41) + i) for low in (0, 1) for i in range(26)}
"""A letter that looks like an ASCII letter ↦ that letter (full-width forms included)."""
