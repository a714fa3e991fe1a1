"""How tightly operators bind, as ``duet.lark`` says, for whoever writes expressions: a larger number binds more tightly."""

from __future__ import annotations

from duetpy.grammar.ast import BoolLit, DateLit, NatLit, RealLit, StaticNat, StaticReal, StrLit
from duetpy.grammar.declared import PREFIXES

INFIX_LEVELS: dict[str, int] = {
    "∧": 1,
    "∨": 1,
    "≡": 2,
    "≠": 2,
    "∈": 2,
    "<": 2,
    "≤": 2,
    ">": 2,
    "≥": 2,
    "≟": 2,
    "⊔": 3,
    "or-else": 3,
    "⊓": 4,
    "+": 5,
    "-": 5,
    "⋅": 6,
    "×": 6,
    "/": 7,
    "%": 7,
}
"""Between expressions; all of them associate to the left."""

GROUPED_OTHERWISE = frozenset({("∨", "∧"), ("⋅", "%")})
"""Operators as they follow each other where most languages group the other way: ``a ∨ b ∧ c`` is ``(a ∨ b) ∧ c`` here, and
``a ⋅ b % c`` is ``a ⋅ (b % c)``."""

ROOT_LEVEL = 8
WORD_LEVEL = 10


def is_root(name: str) -> bool:
    """Whether a primitive is a sign before its operand, as roots are, and no word."""
    return name in PREFIXES and not name[0].isalpha()


REXP_LEVELS = {"⊔": 2, "⊓": 3, "+": 4, "⋅": 5, "/": 6}
"""Between type-level reals."""

TYPE_LEVELS = {"+": 3, "×": 4, "&": 4}
"""Between types."""

LITERALS = (NatLit, RealLit, StrLit, BoolLit, DateLit, StaticNat, StaticReal)
"""What cannot be applied: an operand after one of these belongs to something else."""
