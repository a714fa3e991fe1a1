"""The syntax of what holds no expression: names, literals, parameters, and what could not be read."""

from __future__ import annotations

from datetime import date
from fractions import Fraction

from attrs import frozen

from duetpy.grammar.ast_types import Node, RExp, Type


@frozen(eq=False, repr=False)
class Name(Node):
    """A binding occurrence of a variable, with the place where it was written."""

    text: str


@frozen(eq=False, repr=False)
class Var(Node):
    name: str


@frozen(eq=False, repr=False)
class NatLit(Node):
    """``3``; negative integers are allowed and are dynamic reals-in-waiting: their type is ℝ."""

    value: int


@frozen(eq=False, repr=False)
class RealLit(Node):
    value: Fraction


@frozen(eq=False, repr=False)
class StrLit(Node):
    value: str


@frozen(eq=False, repr=False)
class DateLit(Node):
    """``date "2024-02-29"``."""

    value: date


@frozen(eq=False, repr=False)
class BoolLit(Node):
    value: bool


@frozen(eq=False, repr=False)
class Nothing(Node):
    """``none[τ]``."""

    type: Type


@frozen(eq=False, repr=False)
class StaticNat(Node):
    """``ℕ[3]``."""

    value: RExp


@frozen(eq=False, repr=False)
class StaticReal(Node):
    """``ℝ⁺[2.0]``, ``ℝ[-0.5]``."""

    value: RExp
    signed: bool
    negative: bool


@frozen(eq=False, repr=False)
class Param(Node):
    """``x : τ``; the type may be left out where the use determines it."""

    name: Name
    type: Type | None


@frozen(eq=False, repr=False)
class Aligned(Node):
    """``⟨xs : τ₁, ys : τ₂⟩``: views of the same rows, one privacy unit."""

    params: tuple[Param, ...]


@frozen(eq=False, repr=False)
class Guarantee(Node):
    """One conjunct of ``ensures``: ``ε ≤ 1``."""

    letter: str
    bound: RExp


@frozen(eq=False, repr=False)
class Opaque(Node):
    """``opaque "module:function" : τ``."""

    target: str
    type: Type


class Hole(Node):
    """Stands where a syntax error was; the parser has reported it already and no later pass may report it again."""


class PHole(Node):
    """A privacy expression that could not be read; already reported."""
