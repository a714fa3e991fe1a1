"""Closed forms: quantities, and expressions over them that quantities cannot hold.

A quantity has no subtraction and no Φ⁻¹, but the tight price of a mechanism often needs one: ε + e^{−ε} − 1, 2Φ⁻¹(…),
1/(α − 1). A `Closed` is such an expression, and a `Part`, either kind, is what a price is made of. Sums, products, maxima and
roots of parts stay quantities for as long as they can be; one that would be too large for a quantity becomes an expression.

A part can be shown, substituted into, and evaluated to a float that is at least the truth.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from fractions import Fraction
from typing import TypeAlias

from attrs import field, frozen

from duetpy.accounting.arrays import as_by_default
from duetpy.accounting.rounding import raised
from duetpy.by_value import ByValue
from duetpy.grammar.spelling import TWINS
from duetpy.typecheck.quantity import (
    ONE,
    ZERO,
    Kind,
    KindVar,
    Quantity,
    QuantityTooLarge,
    maximum,
    minimum,
)

Values: TypeAlias = Mapping[KindVar, Fraction]

DEPTH_LIMIT = 50
"""Expressions nest at most this deep, as quantities do."""

_LOWER = 1.0 - 1e-8
"""An evaluation is above the truth by less than a share 1e-9; this much less of it is below the truth."""


class Operation(Enum):
    """The operations that an expression is built with."""

    SUM = "+"
    PRODUCT = "⋅"
    MAXIMUM = "⊔"
    MINIMUM = "⊓"
    ROOT = "√"
    SQUARE = "²"


_LEVEL = {Operation.MAXIMUM: 0, Operation.MINIMUM: 1, Operation.SUM: 2, Operation.PRODUCT: 3}
_UNARY, ATOM = 4, 5
"""How tightly an expression binds: an operation's level, a prefix or a power, a name or a call."""


@frozen(eq=False, repr=False)
class Named(ByValue):
    """A real function with a formula.

    Parameters
    ----------
    name
        Its name.
    template
        How it is shown; ``{0}``, ``{1}``, … are the arguments.
    level
        How tightly what is shown binds.
    inside
        How tightly an argument must bind to stand without parentheses.
    signs
        For each argument, +1 where the function increases in it and −1 where it decreases; an upper bound is found at the
        upper ends of the former and the lower ends of the latter.
    function
        Floats to a float that is at least the truth at them.
    bound
        Quantities to a quantity that is at least the truth at them, where one is known.
    """

    name: str
    template: str
    level: int
    inside: int
    signs: tuple[int, ...]
    function: Callable[..., float]
    bound: Callable[..., Quantity | None] | None = None


@frozen(eq=False, repr=False)
class Closed(ByValue):
    """An operation or a function applied to parts."""

    operation: Operation | Named
    arguments: tuple[Part, ...]
    depth: int = field(init=False, eq=False, repr=False)

    @depth.default
    def _measured(self) -> int:
        depth = 1 + max(argument.depth if isinstance(argument, Closed) else 0 for argument in self.arguments)
        if depth > DEPTH_LIMIT:
            raise QuantityTooLarge("an expression that is nested too deep")
        return depth

    @property
    def is_infinite(self) -> bool:
        return False

    @property
    def is_zero(self) -> bool:
        return False

    @property
    def constant(self) -> Fraction | None:
        return None

    def variables(self) -> frozenset[KindVar]:
        """The variables that it mentions."""
        return frozenset().union(*(argument.variables() for argument in self.arguments))

    def substitute(self, mapping: Mapping[KindVar, Quantity]) -> Part:
        """The expression with variables replaced, all at once."""
        if self.variables().isdisjoint(mapping):
            return self
        return applied(self.operation, tuple(argument.substitute(mapping) for argument in self.arguments))

    @as_by_default
    def evaluate_float(self, values: Values, *, up: bool = True) -> float:
        """The value at a valuation, not below the truth when ``up`` and not above it when not, within 1e-8 of it."""
        value = self._upper(values)
        return value if up or value == math.inf else value * _LOWER

    def _upper(self, values: Values) -> float:
        operation = self.operation
        if isinstance(operation, Named):
            ends = [
                argument.evaluate_float(values, up=sign > 0)
                for argument, sign in zip(self.arguments, operation.signs, strict=True)
            ]
            return operation.function(*ends)
        numbers = [argument.evaluate_float(values, up=True) for argument in self.arguments]
        match operation:
            case Operation.SUM:
                return raised(sum(numbers), 2e-16 * len(numbers))
            case Operation.PRODUCT:
                # The largest first, so that nothing is lost below the doubles that a later factor would bring back.
                largest_first = sorted(numbers, reverse=True)
                return 0.0 if 0.0 in numbers else raised(math.prod(largest_first), 2e-16 * len(numbers))
            case Operation.MAXIMUM:
                return max(numbers)
            case Operation.MINIMUM:
                return min(numbers)
            case Operation.ROOT:
                return raised(math.sqrt(numbers[0]), 2e-16)
            case Operation.SQUARE:
                return raised(numbers[0] * numbers[0], 2e-16)

    def show(self, ascii: bool = False) -> str:
        """The expression as text, in the notation of type-level arithmetic extended by − and Φ⁻¹."""
        return self._text(ascii)[0]

    def _text(self, ascii: bool) -> tuple[str, int]:
        operation = self.operation
        if isinstance(operation, Named):
            shown = [_at(argument, operation.inside, ascii) for argument in self.arguments]
            text = operation.template.format(*shown)
            return (_plain(text) if ascii else text), operation.level
        if operation is Operation.ROOT:
            return f"{'sqrt ' if ascii else '√'}{_at(self.arguments[0], ATOM, ascii)}", _UNARY
        if operation is Operation.SQUARE:
            return f"{_at(self.arguments[0], ATOM, ascii)}{'^2' if ascii else '²'}", _UNARY
        level = _LEVEL[operation]
        sign = TWINS.get(operation.value, operation.value) if ascii else operation.value
        joint = sign if operation is Operation.PRODUCT else f" {sign} "
        return joint.join(_at(argument, level + 1, ascii) for argument in self.arguments), level


Part: TypeAlias = Quantity | Closed
"""One number of a price."""


def _plain(text: str) -> str:
    for sign, word in {
        "⋅": "*",
        "㏒": "log",
        "√": "sqrt ",
        "Φ⁻¹": "Phi^-1",
        "⌈": "ceil(",
        "⌉": ")",
        "Γ": "gamma",
        "μ(": "mu(",
        "ε(": "eps(",
        "ρ(": "rho(",
        "α": "alpha",
        "≤": "<=",
    }.items():
        text = text.replace(sign, word)
    return text


def _at(part: Part, level: int, ascii: bool) -> str:
    """A part where something of at least this level of binding is needed."""
    if isinstance(part, Closed):
        text, own = part._text(ascii)
    else:
        text = part.show(ascii)
        own = ATOM if not any(sign in text for sign in " ⋅/*") else _LEVEL[Operation.PRODUCT] if " " not in text else 0
    return text if own >= level else f"({text})"


def applied(operation: Operation | Named, arguments: tuple[Part, ...]) -> Part:
    """An operation on parts, carried out on quantities where they are all quantities and the result is one."""
    if isinstance(operation, Named):
        return Closed(operation, arguments)
    match operation:
        case Operation.SUM:
            return total(arguments)
        case Operation.PRODUCT:
            return product(*arguments)
        case Operation.MAXIMUM:
            return largest(*arguments)
        case Operation.MINIMUM:
            return smallest(*arguments)
        case Operation.ROOT:
            return root(arguments[0])
        case Operation.SQUARE:
            return square(arguments[0])


def _operands(operation: Operation, parts: Sequence[Part]) -> tuple[list[Quantity], list[Part]]:
    """The quantities and the expressions among the operands, with nested uses of the same operation opened."""
    exact: list[Quantity] = []
    others: list[Part] = []
    for part in parts:
        if isinstance(part, Quantity):
            exact.append(part)
        elif part.operation is operation:
            inner_exact, inner_others = _operands(operation, part.arguments)
            exact += inner_exact
            others += inner_others
        else:
            others.append(part)
    return exact, others


def _folded(
    combine: Callable[[Quantity, Quantity], Quantity], exact: list[Quantity], others: list[Part]
) -> Quantity | None:
    """The quantities as one, where that is not too large; what is left over joins the expressions."""
    if not exact:
        return None
    folded = exact[0]
    for part in exact[1:]:
        try:
            folded = combine(folded, part)
        except QuantityTooLarge:
            others.append(folded)
            folded = part
    return folded


def _chosen(choose: Callable[..., Quantity], exact: list[Quantity], others: list[Part]) -> Quantity | None:
    """The largest or the smallest of the quantities, chosen among all at once; those that are too many for it by halves."""
    if not exact:
        return None
    try:
        return choose(*exact)
    except QuantityTooLarge:
        half = len(exact) // 2
        if not half:
            raise
        parts = [_chosen(choose, exact[:half], others), _chosen(choose, exact[half:], others)]
        return _folded(choose, [part for part in parts if part is not None], others)


def _joined(operation: Operation, parts: list[Part]) -> Part:
    return parts[0] if len(parts) == 1 else Closed(operation, tuple(parts))


def total(parts: Sequence[Part]) -> Part:
    """The sum."""
    exact, others = _operands(Operation.SUM, parts)
    folded = _folded(operator.add, exact, others)
    if folded is None or (folded.is_zero and others):
        return _joined(Operation.SUM, others) if others else ZERO
    return folded if folded.is_infinite or not others else Closed(Operation.SUM, (*others, folded))


def product(*parts: Part) -> Part:
    """The product; 0·∞ is 0."""
    exact, others = _operands(Operation.PRODUCT, parts)
    folded = _folded(operator.mul, exact, others)
    if folded is None or (folded.constant == 1 and others):
        return _joined(Operation.PRODUCT, others) if others else ONE
    return (
        folded if folded.is_zero or folded.is_infinite or not others else Closed(Operation.PRODUCT, (folded, *others))
    )


def largest(*parts: Part) -> Part:
    """The maximum."""
    exact, others = _operands(Operation.MAXIMUM, list(dict.fromkeys(parts)))
    folded = _chosen(maximum, exact, others)
    if folded is None or (folded.is_zero and others):
        return _joined(Operation.MAXIMUM, others)
    return folded if folded.is_infinite or not others else Closed(Operation.MAXIMUM, (*others, folded))


def smallest(*parts: Part) -> Part:
    """The minimum."""
    exact, others = _operands(Operation.MINIMUM, list(dict.fromkeys(parts)))
    folded = _chosen(minimum, exact, others)
    if folded is None or (folded.is_infinite and others):
        return _joined(Operation.MINIMUM, others)
    return folded if folded.is_zero or not others else Closed(Operation.MINIMUM, (*others, folded))


def square(part: Part) -> Part:
    """The square; of a root, what is under it."""
    if isinstance(part, Closed):
        return part.arguments[0] if part.operation is Operation.ROOT else Closed(Operation.SQUARE, (part,))
    try:
        return part * part
    except QuantityTooLarge:
        return Closed(Operation.SQUARE, (part,))


def root(part: Part) -> Part:
    """The square root; of a square, what was squared."""
    if isinstance(part, Closed):
        return part.arguments[0] if part.operation is Operation.SQUARE else Closed(Operation.ROOT, (part,))
    try:
        return part.sqrt()
    except QuantityTooLarge:
        return Closed(Operation.ROOT, (part,))


def whole(part: Quantity) -> Part:
    """⌈x⌉: itself where its form proves it whole, else a number or an expression."""
    if part.constant is not None:
        return Quantity.of(math.ceil(part.constant))
    return part if is_whole(part) or part.is_infinite else Closed(CEILING, (part,))


def is_whole(part: Quantity) -> bool:
    """Whether a quantity is a polynomial in ℕ variables with whole coefficients."""
    return not part.is_infinite and all(
        coefficient.denominator == 1
        and all(
            isinstance(atom, KindVar) and atom.kind is Kind.NAT and exponent.denominator == 1 and exponent > 0
            for atom, exponent in monomial.factors.items()
        )
        for monomial, coefficient in part.terms.items()
    )


def _ceiling(x: float) -> float:
    return float(math.ceil(x)) if x < 2.0**53 else x


CEILING = Named("ceiling", "⌈{0}⌉", ATOM, 0, (1,), _ceiling)
