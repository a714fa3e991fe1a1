"""The normal form of a quantity: a sum of monomials over atoms, or ∞.

A quantity stands for a function from valuations (each ``ℕ`` variable an integer ≥ 1, each ``ℝ⁺`` variable a finite
real > 0) to [0, ∞], with 0·∞ = 0, 1/0 = ∞ and 1/∞ = 0. It is kept as Σ cᵢ·μᵢ with rational cᵢ > 0 and monomials
μᵢ = Π atom^exponent, so that quantities that are written differently are the same value: 2.0·(1/m) is 2/m, (m/n)·n is
m, (a+b)² is a² + 2ab + b².

Invariants, which every module of this package relies on and keeps:

* No coefficient and no exponent is zero; whole ones are ``int``.
* An atom that can be 0 or ∞ somewhere ('not a unit') never has a negative exponent, because x·x⁻¹ is then not 1; its
  inverse is the atom ``Applied(RECIPROCAL, …)``.
* The exponent of a ``Root`` lies in (0, 1); that of a ``Compound`` is below 1 (its positive whole part is multiplied
  out).
* A ``Compound`` holds a sum of two or more terms that have no common factor; the sum is not a perfect power.
* The argument of ``Applied(EXP, …)`` is one monomial with coefficient 1: exp(2a + b) is exp(a)²·exp(b).

Equality is equality of normal forms: equal quantities have equal values everywhere. The converse holds for polynomials
and for quotients of them by coprime sums, not for every expression.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from fractions import Fraction
from typing import Protocol

from attrs import field, frozen

from duetpy.by_value import ByValue, Shown
from duetpy.typecheck.quantity.kinds import Kind, KindVar
from duetpy.typecheck.quantity.rational import (
    Number,
    OutsideDomain,
    QuantityTooLarge,
    parse_decimal,
    tidy,
    tidy_exponent,
)

#: Atoms nest at most this deep, and an atom written out has at most this many nodes.
DEPTH_LIMIT = 32
WEIGHT_LIMIT = 10_000
#: A sum has at most this many terms.
TERM_LIMIT = 20_000


class Function(Enum):
    """The functions kept as symbols. All but ``RECIPROCAL`` are increasing."""

    LOG = "㏒"  # of the larger of its argument and 1, so never negative
    EXP = "exp"
    EXPM1 = "expm1"
    LOG1P = "log1p"
    TANH = "tanh"
    RECIPROCAL = "1/"  # of an argument that can be 0 or ∞
    WHOLE = ""  # the argument itself, when multiplying it out would be too large


class Lattice(Enum):
    """The two lattice operations."""

    MAX = "⊔"
    MIN = "⊓"


@frozen(eq=False, repr=False)
class Facts(ByValue):
    """What is known of an atom, a monomial or a quantity without looking inside again."""

    depth: int
    weight: int
    variables: frozenset[KindVar]
    positive: bool  # above 0 at every valuation
    finite: bool  # below ∞ at every valuation

    @property
    def unit(self) -> bool:
        return self.positive and self.finite


NUMBER_FACTS = Facts(0, 1, frozenset(), True, True)


@frozen(eq=False, repr=False)
class Root(ByValue):
    """The number ``base`` (prime, or without small factors) under a fractional exponent."""

    base: int


@frozen(cache_hash=True, repr=False)
class Compound(Shown):
    """A sum of several terms under an exponent that is not a positive integer."""

    base: Quantity
    facts: Facts = field(eq=False, repr=False)


@frozen(cache_hash=True, repr=False)
class Applied(Shown):
    """A function of a quantity."""

    function: Function
    argument: Quantity
    facts: Facts = field(eq=False, repr=False)


@frozen(cache_hash=True, repr=False)
class Extremum(Shown):
    """The largest or the smallest of two or more quantities without common term or factor."""

    lattice: Lattice
    members: frozenset[Quantity]
    #: The members in the order they were met, which does not change from run to run.
    listed: tuple[Quantity, ...] = field(eq=False, repr=False)
    facts: Facts = field(eq=False, repr=False)


Atom = KindVar | Root | Compound | Applied | Extremum


def atom_facts(atom: Atom) -> Facts:
    if isinstance(atom, KindVar):
        return Facts(0, 1, frozenset((atom,)), True, True)
    if isinstance(atom, Root):
        return NUMBER_FACTS
    return atom.facts


def _wrapped(parts: list[Facts], positive: bool, finite: bool) -> Facts:
    """The facts of an atom around the parts; raises :class:`QuantityTooLarge` past the limits of nesting and size."""
    depth = 1 + max(part.depth for part in parts)
    weight = 1 + sum(part.weight for part in parts)
    if depth > DEPTH_LIMIT or weight > WEIGHT_LIMIT:
        raise QuantityTooLarge("a quantity that is nested too deep or written too long")
    return Facts(depth, weight, frozenset().union(*(part.variables for part in parts)), positive, finite)


def compound(base: Quantity) -> Compound:
    facts = base.facts()
    return Compound(base, _wrapped([facts], facts.positive, facts.finite))


def applied(function: Function, argument: Quantity) -> Applied:
    """The function as an atom; what simplifies it is the business of the caller."""
    facts = argument.facts()
    match function:
        case Function.LOG:
            positive, finite = ONE.lt(argument), facts.finite
        case Function.EXP:
            positive, finite = True, facts.finite
        case Function.EXPM1 | Function.LOG1P | Function.WHOLE:
            positive, finite = facts.positive, facts.finite
        case Function.TANH:
            positive, finite = facts.positive, True
        case Function.RECIPROCAL:
            positive, finite = facts.finite, facts.positive
    return Applied(function, argument, _wrapped([facts], positive, finite))


def extremum(lattice: Lattice, members: Sequence[Quantity]) -> Extremum:
    parts = [member.facts() for member in members]
    if lattice is Lattice.MAX:
        positive, finite = any(part.positive for part in parts), all(part.finite for part in parts)
    else:
        positive, finite = all(part.positive for part in parts), any(part.finite for part in parts)
    return Extremum(lattice, frozenset(members), tuple(members), _wrapped(parts, positive, finite))


@frozen(eq=False, repr=False)
class Monomial(Shown):
    """A product of atoms under exponents."""

    factors: Mapping[Atom, Number]
    #: No root and no compound: a product with another such monomial only adds exponents.
    plain: bool = field(init=False, repr=False)
    #: Some compound has a negative exponent: a sum with this term may have to be brought to one denominator.
    divided: bool = field(init=False, repr=False)
    _hash: int = field(init=False, repr=False)
    _facts: Facts | None = field(default=None, init=False, repr=False)

    @plain.default
    def _is_plain(self) -> bool:
        return not any(isinstance(atom, Root | Compound) for atom in self.factors)

    @divided.default
    def _is_divided(self) -> bool:
        return not self.plain and any(
            exponent < 0 and isinstance(atom, Compound) for atom, exponent in self.factors.items()
        )

    @_hash.default
    def _structural_hash(self) -> int:
        return hash(frozenset(self.factors.items()))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, Monomial) and self._hash == other._hash and self.factors == other.factors

    def __reduce__(self) -> tuple[type[Monomial], tuple[Mapping[Atom, Number]]]:
        # A hash is another one in another process, so it is not pickled.
        return Monomial, (self.factors,)

    def facts(self) -> Facts:
        known = self._facts
        if known is None:
            known = self._gathered_facts()
            object.__setattr__(self, "_facts", known)
        return known

    def _gathered_facts(self) -> Facts:
        parts = [atom_facts(atom) for atom in self.factors]
        return Facts(
            max((part.depth for part in parts), default=0),
            1 + sum(part.weight for part in parts),
            frozenset().union(*(part.variables for part in parts)),
            all(part.positive for part in parts),
            all(part.finite for part in parts),
        )


Terms = dict[Monomial, Number]
Valuation = Mapping[KindVar, Fraction | int]
UNIT = Monomial({})


class Operations(Protocol):
    """What the methods of a quantity do. Each builds on the normal form in a file of its own, and makes quantities again; the
    package hands them in (`duetpy.typecheck.quantity.operations`), so that nothing here imports what is built on it."""

    def total(self, left: Quantity, right: Quantity) -> Quantity: ...
    def product(self, left: Quantity, right: Quantity) -> Quantity: ...
    def power(self, value: Quantity, exponent: Number) -> Quantity: ...
    def substitute(self, value: Quantity, mapping: Mapping[KindVar, Quantity]) -> Quantity: ...
    def proved(self, left: Quantity, right: Quantity, *, strict: bool, effort: int | None = None) -> bool: ...
    def limits(self, value: Quantity) -> tuple[Fraction, Fraction | None]: ...
    def evaluate(self, value: Quantity, values: Valuation, *, up: bool) -> Fraction | float: ...
    def evaluate_float(self, value: Quantity, values: Valuation, *, up: bool = True) -> float: ...
    def show(self, value: Quantity, *, ascii: bool = False) -> str: ...


_operations: Operations


def hand_in(operations: Operations) -> None:
    """Say what the methods of quantities do; the package does so before anybody else can import this."""
    global _operations
    _operations = operations


@frozen(eq=False, repr=False)
class Quantity:
    """An exact symbolic non-negative real, 0 and ∞ included. Immutable and hashable.

    Build one with :meth:`of`, :meth:`var`, the operators ``+ * / **`` and the functions of this package; a quantity
    has no subtraction. An operation whose exact result would be too large raises :class:`QuantityTooLarge`.
    """

    terms: Terms
    is_infinite: bool = False
    #: Some term has a compound in its denominator.
    divided: bool = False
    _hash: int | None = field(default=None, init=False)
    _facts: Facts | None = field(default=None, init=False)

    @staticmethod
    def of(value: int | Fraction | str) -> Quantity:
        """The quantity of a non-negative number; a text is a decimal literal, read exactly.

        Raises
        ------
        OutsideDomain
            The number is negative, or the text no number.
        TypeError
            The value is a float or of another type.
        """
        if isinstance(value, str):
            value = parse_decimal(value)
        if not isinstance(value, int | Fraction):
            raise TypeError(f"an exact number is needed, not {type(value).__name__}")
        if value < 0:
            raise OutsideDomain(f"{value} is negative")
        return rational(tidy(int(value) if isinstance(value, int) else value))

    @staticmethod
    def var(variable: KindVar) -> Quantity:
        """The quantity of a variable of kind ``ℕ`` or ``ℝ⁺``."""
        if variable.kind is Kind.TYPE:
            raise OutsideDomain(f"{variable.name} is a type, not a number")
        return Quantity({Monomial({variable: 1}): 1})

    @property
    def is_zero(self) -> bool:
        return not self.terms and not self.is_infinite

    @property
    def constant(self) -> Fraction | None:
        """The rational number that this quantity is, or None: ∞, irrational, or dependent on variables."""
        value = self.number
        return None if value is None else Fraction(value)

    @property
    def number(self) -> Number | None:
        """The same as :attr:`constant`, an ``int`` when whole."""
        if not self.terms:
            return None if self.is_infinite else 0
        return self.terms.get(UNIT) if len(self.terms) == 1 else None

    def is_rational(self, *, given: bool = False) -> bool:
        """Whether it is a rational function of whole numbers and, if `given`, of a run's fractions; or an extremum of some."""
        pairs = [pair for monomial in self.terms for pair in monomial.factors.items()]
        return not self.is_infinite and all(_is_rational(atom, exponent, given) for atom, exponent in pairs)

    def facts(self) -> Facts:
        known = self._facts
        if known is None:
            known = self._gathered_facts()
            object.__setattr__(self, "_facts", known)
        return known

    def _gathered_facts(self) -> Facts:
        if not self.terms:
            return Facts(0, 1, frozenset(), self.is_infinite, not self.is_infinite)
        parts = [monomial.facts() for monomial in self.terms]
        return Facts(
            max(part.depth for part in parts),
            sum(part.weight for part in parts),
            frozenset().union(*(part.variables for part in parts)),
            any(part.positive for part in parts),
            all(part.finite for part in parts),
        )

    def variables(self) -> frozenset[KindVar]:
        """The variables that it mentions."""
        return self.facts().variables

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Quantity):
            return NotImplemented
        return self.is_infinite == other.is_infinite and hash(self) == hash(other) and self.terms == other.terms

    def __hash__(self) -> int:
        known = self._hash
        if known is None:
            known = hash((self.is_infinite, frozenset(self.terms.items())))
            object.__setattr__(self, "_hash", known)
        return known

    def __reduce__(self) -> tuple[type[Quantity], tuple[Terms, bool, bool]]:
        return Quantity, (self.terms, self.is_infinite, self.divided)

    def __repr__(self) -> str:
        return f"Quantity({self.show()})"

    # A method that does little is written out; what others do stands in the files that build on this one.

    def __add__(self, other: Quantity | int | Fraction) -> Quantity:
        if not isinstance(other, Quantity):
            if not isinstance(other, int | Fraction):
                return NotImplemented
            other = Quantity.of(other)
        if not other.terms:
            return other if other.is_infinite else self
        if not self.terms:
            return self if self.is_infinite else other
        left, right = self.number, other.number
        if left is not None and right is not None:
            return rational(tidy(left + right))
        return _operations.total(self, other)

    def __mul__(self, other: Quantity | int | Fraction) -> Quantity:
        if other is ONE:
            return self
        if not isinstance(other, Quantity):
            if not isinstance(other, int | Fraction):
                return NotImplemented
            other = Quantity.of(other)
        if self is ONE:
            return other
        if not self.terms or not other.terms:
            # 0·∞ = 0. A symbolic factor of ∞ that could be 0 somewhere is taken to be positive: an upper bound.
            return ZERO if self.is_zero or other.is_zero else INFINITY
        left, right = self.number, other.number
        if left is not None and right is not None:
            return rational(tidy(left * right))
        return _operations.product(self, other)

    def __truediv__(self, other: Quantity | int | Fraction) -> Quantity:
        """``self · (1/other)``; so x/0 = ∞ for x > 0, and both 0/0 and ∞/∞ are 0."""
        if other is ONE:
            return self
        if not isinstance(other, Quantity):
            if not isinstance(other, int | Fraction):
                return NotImplemented
            other = Quantity.of(other)
        return self * other**-1

    def __pow__(self, exponent: int | Fraction) -> Quantity:
        """The power with a rational exponent of either sign; x⁰ is 1 for every x."""
        if not isinstance(exponent, int | Fraction):
            return NotImplemented
        return _operations.power(self, tidy_exponent(exponent))

    __radd__ = __add__
    __rmul__ = __mul__

    def __rtruediv__(self, other: int | Fraction) -> Quantity:
        if not isinstance(other, int | Fraction):
            return NotImplemented
        return Quantity.of(other) / self

    def sqrt(self) -> Quantity:
        """The square root."""
        return self ** Fraction(1, 2)

    def substitute(self, mapping: Mapping[KindVar, Quantity]) -> Quantity:
        """The quantity with variables replaced, all at once.

        Raises :class:`OutsideDomain` for an image that its variable can never take: 0 or ∞; for ``ℕ`` also a constant
        that is not a positive integer. An image that only *may* lie outside (``㏒(1/δ)`` may be 0) is let through: the
        result is then right wherever the images lie inside, and :func:`admits` tells whether that is proved.
        """
        return _operations.substitute(self, mapping)

    def leq(self, other: Quantity, effort: int | None = None) -> bool:
        """Whether ``self ≤ other`` is proved for every valuation. False means 'not proved', never 'disproved'.

        `effort` is how far to look for a proof, in the units of ``order.EFFORT``, which is the default.
        """
        if self is other or self.is_zero or other.is_infinite:
            return True
        left, right = self.number, other.number
        if left is not None and right is not None:
            return left <= right
        return _operations.proved(self, other, strict=False, effort=effort)

    def lt(self, other: Quantity) -> bool:
        """Whether ``self < other`` is proved for every valuation."""
        left, right = self.number, other.number
        if left is not None and right is not None:
            return left < right
        return _operations.proved(self, other, strict=True)

    def positive(self) -> bool:
        """Whether ``self > 0`` is proved for every valuation."""
        if self.facts().positive:
            return True
        return _operations.limits(self)[0] > 0

    def finite(self) -> bool:
        """Whether ``self < ∞`` is proved for every valuation."""
        if self.facts().finite:
            return True
        return _operations.limits(self)[1] is not None

    def evaluate(self, values: Valuation, *, up: bool) -> Fraction | float:
        """The value at a valuation, rounded in the given direction; see :func:`evaluation.evaluate`."""
        return _operations.evaluate(self, values, up=up)

    def evaluate_float(self, values: Valuation, *, up: bool = True) -> float:
        """The value at a valuation as a float, rounded in the given direction; exact when it is a float."""
        return _operations.evaluate_float(self, values, up=up)

    def show(self, ascii: bool = False) -> str:
        """The quantity in the grammar of type-level arithmetic, so that reading it back gives the same quantity."""
        return _operations.show(self, ascii=ascii)


def rational(value: Number) -> Quantity:
    """The quantity of a non-negative number that is tidy."""
    if value == 1:
        return ONE
    return Quantity({UNIT: value}) if value else ZERO


ZERO = Quantity({})
ONE = Quantity({UNIT: 1})
INFINITY = Quantity({}, True)


def _is_rational(atom: Atom, exponent: Number, given: bool) -> bool:
    if not isinstance(exponent, int):
        return False
    match atom:
        case KindVar(kind=kind, is_given=is_given):
            return kind is Kind.NAT or (given and is_given)
        case Compound(base=base):
            return base.is_rational(given=given)
        case Extremum(listed=members):
            return all(member.is_rational(given=given) for member in members)
        case _:
            return False
