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

from duetpy.accounting import gaussian_profile
from duetpy.accounting.losses import losses, poisson_curves, subsampling
from duetpy.accounting.rounding import raised
from duetpy.grammar.spelling import TWINS
from duetpy.typecheck.quantity import (
    INFINITY,
    ONE,
    ZERO,
    Kind,
    KindVar,
    Quantity,
    QuantityTooLarge,
    maximum,
    minimum,
    tanh,
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
_UNARY, _ATOM = 4, 5
"""How tightly an expression binds: an operation's level, a prefix or a power, a name or a call."""


@frozen
class Named:
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


@frozen
class Closed:
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
                return 0.0 if 0.0 in numbers else raised(math.prod(numbers), 2e-16 * len(numbers))
            case Operation.MAXIMUM:
                return max(numbers)
            case Operation.MINIMUM:
                return min(numbers)
            case Operation.ROOT:
                return raised(math.sqrt(numbers[0]), 2e-16)
            case Operation.SQUARE:
                return raised(numbers[0] * numbers[0], 2e-16)

    def show(self, ascii: bool = False) -> str:
        """The expression as text, in the notation of type-level arithmetic, with − and Φ⁻¹ besides."""
        return self._text(ascii)[0]

    def _text(self, ascii: bool) -> tuple[str, int]:
        operation = self.operation
        if isinstance(operation, Named):
            shown = [_at(argument, operation.inside, ascii) for argument in self.arguments]
            text = operation.template.format(*shown)
            return (_plain(text) if ascii else text), operation.level
        if operation is Operation.ROOT:
            return f"{'sqrt ' if ascii else '√'}{_at(self.arguments[0], _ATOM, ascii)}", _UNARY
        if operation is Operation.SQUARE:
            return f"{_at(self.arguments[0], _ATOM, ascii)}{'^2' if ascii else '²'}", _UNARY
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
        own = _ATOM if not any(sign in text for sign in " ⋅/*") else _LEVEL[Operation.PRODUCT] if " " not in text else 0
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
    folded = _folded(maximum, exact, others)
    if folded is None or (folded.is_zero and others):
        return _joined(Operation.MAXIMUM, others)
    return folded if folded.is_infinite or not others else Closed(Operation.MAXIMUM, (*others, folded))


def smallest(*parts: Part) -> Part:
    """The minimum."""
    exact, others = _operands(Operation.MINIMUM, list(dict.fromkeys(parts)))
    folded = _folded(minimum, exact, others)
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


def applied_to(function: Named) -> Callable[..., Part]:
    """A function of parts: ∞ where an argument is that it increases in, else the expression."""

    def apply(*arguments: Part) -> Part:
        if any(argument.is_infinite for argument, sign in zip(arguments, function.signs, strict=True) if sign > 0):
            return INFINITY
        return Closed(function, arguments)

    return apply


def _ceiling(x: float) -> float:
    return float(math.ceil(x)) if x < 2.0**53 else x


def _gaussian_parameter(eps: float, delta: float) -> float:
    """An upper bound on the μ of Gaussian noise calibrated for (ε, δ); ∞ where δ is no probability."""
    return (
        raised(gaussian_profile.calibrate_mu(eps, delta), 1e-10) if 0.0 < delta < 1.0 and eps < math.inf else math.inf
    )


def _gaussian_epsilon(mu: float, delta: float) -> float:
    return gaussian_profile.gaussian_epsilon(delta, mu)


def _renyi_epsilon(alpha: float, eps: float, delta: float) -> float:
    from duetpy.accounting.convert import renyi_epsilon

    return renyi_epsilon(alpha, eps, delta)


def _discrete_gaussian_rho(eps: float, delta: float) -> float:
    from duetpy.accounting.convert import calibrate_rho

    return raised(calibrate_rho(eps, delta), 1e-9) if 0.0 < delta < 1.0 and eps < math.inf else math.inf


def _at_order(curve: Callable[[float, float], float]) -> Callable[[float, float], float]:
    """A curve in ε and α that is ε at α = ∞ and nothing at α ≤ 1."""

    def at(eps: float, alpha: float) -> float:
        if alpha == math.inf:
            return eps
        return curve(eps, alpha) if alpha > 1.0 else math.inf

    return at


def _fixed_size(alpha: float, rate: float, rho: float) -> float:
    if not alpha > 1.0 or rate > 1.0:
        return math.inf
    sampled = subsampling.fixed_size_renyi(rate, alpha, subsampling.multiples(rho), math.inf)
    return min(
        sampled, raised(rho * alpha, 1e-15)
    )  # a mixture is no further from another than its parts: D_α is quasi-convex


def _poisson(alpha: float, rate: float, rho: float) -> float:
    if not alpha > 1.0 or rate > 1.0:
        return math.inf
    curve = subsampling.multiples(rho)
    sampled = min(subsampling.poisson_renyi(rate, alpha, curve), poisson_curves.any_renyi(rate, alpha, curve))
    return min(sampled, raised(rho * alpha, 1e-15))


def _poisson_gaussian(alpha: float, rate: float, rho: float) -> float:
    return subsampling.poisson_gaussian_renyi(rate, alpha, rho) if alpha > 1.0 and rate <= 1.0 else math.inf


def _poisson_response(alpha: float, rate: float, eps: float) -> float:
    if not alpha > 1.0 or rate > 1.0:
        return math.inf
    amplified = subsampling.amplified_epsilon(rate, eps)
    return amplified if alpha == math.inf else min(amplified, poisson_curves.response_renyi(rate, alpha, eps))


CEILING = Named("ceiling", "⌈{0}⌉", _ATOM, 0, (1,), _ceiling)


def _pure_rho(eps: Quantity) -> Quantity:
    return eps * tanh(eps / 2)


laplace_rho = applied_to(Named("laplace-rho", "{0} + exp(-{0}) - 1", 2, 4, (1,), losses.laplace_rho, _pure_rho))
"""The ρ of Laplace noise."""

laplace_mu = applied_to(Named("laplace-mu", "2⋅Φ⁻¹(1 - exp(-{0}/2)/2)", 3, 4, (1,), gaussian_profile.laplace_mu))
"""The μ of Laplace noise."""

pure_mu = applied_to(Named("pure-mu", "2⋅Φ⁻¹(exp({0})/(1 + exp({0})))", 3, 0, (1,), gaussian_profile.pure_mu))
"""The μ of ε-privacy."""

gaussian_mu = applied_to(Named("gaussian-mu", "μ({0}, {1})", _ATOM, 0, (1, 1), _gaussian_parameter))
"""The μ of Gaussian noise that the analytic calibration gives for (ε, δ)."""

gaussian_epsilon = applied_to(Named("gaussian-epsilon", "ε({0}, {1})", _ATOM, 0, (1, -1), _gaussian_epsilon))
"""The ε of μ-Gaussian privacy at δ."""

discrete_gaussian_rho = applied_to(
    Named("discrete-gaussian-rho", "ρ({0}, {1})", _ATOM, 0, (1, 1), _discrete_gaussian_rho)
)
"""The ρ of discrete Gaussian noise calibrated for (ε, δ) through zCDP."""

renyi_epsilon = applied_to(
    Named("renyi-epsilon", "{1} + ㏒(1 - 1/{0}) - ㏒({2}⋅{0})/({0} - 1)", 2, 4, (-1, 1, -1), _renyi_epsilon)
)
"""The ε of (α, ε)-RDP at δ. A smaller α with the same ε is also true, so α is rounded down."""

laplace_renyi = applied_to(
    Named(
        "laplace-renyi",
        "㏒({1}/(2⋅{1} - 1)⋅exp(({1} - 1)⋅{0}) + ({1} - 1)/(2⋅{1} - 1)⋅exp(-{1}⋅{0}))/({1} - 1)",
        3,
        4,
        (1, 1),
        _at_order(losses.laplace_renyi),
    )
)
"""D_α of Laplace noise, as a function of ε and α."""

response_renyi = applied_to(
    Named(
        "response-renyi",
        "㏒((exp({1}⋅{0}) + exp((1 - {1})⋅{0}))/(1 + exp({0})))/({1} - 1)",
        3,
        4,
        (1, 1),
        _at_order(losses.response_renyi),
    )
)
"""The largest D_α under ε-privacy, as a function of ε and α."""

fixed_size_renyi = applied_to(Named("fixed-size-renyi", "sampled({0}, {1}, {2})", _ATOM, 0, (1, 1, 1), _fixed_size))
"""D_α of ρ-zCDP on b of m rows, as a function of α, b/m and ρ (Wang, Balle & Kasiviswanathan 2019, Theorem 9)."""

poisson_renyi = applied_to(Named("poisson-renyi", "poisson({0}, {1}, {2})", _ATOM, 0, (1, 1, 1), _poisson))
"""D_α of ρ-zCDP on Poisson-sampled rows, as a function of α, q and ρ (Zhu & Wang 2019; `poisson_curves`)."""

poisson_twin_renyi = applied_to(
    Named("poisson-twin-renyi", "poisson-twin({0}, {1}, {2})", _ATOM, 0, (1, 1, 1), _poisson_gaussian)
)
"""D_α on Poisson-sampled rows of what is no easier to tell than a pair with D_α ≤ ρα that can be exchanged: `poisson_curves`."""

poisson_response_renyi = applied_to(
    Named("poisson-response-renyi", "poisson-pure({0}, {1}, {2})", _ATOM, 0, (1, 1, 1), _poisson_response)
)
"""The largest D_α under ε-privacy on Poisson-sampled rows, as a function of α, q and ε."""

poisson_gaussian_renyi = applied_to(
    Named("poisson-gaussian-renyi", "poisson-gauss({0}, {1}, {2})", _ATOM, 0, (1, 1, 1), _poisson_gaussian)
)
"""D_α of a Gaussian mechanism of ρ = μ²/2 on Poisson-sampled rows (Mironov, Talwar & Zhang 2019, §3.3)."""


def fisher(power: float) -> float:
    """√(N Γ(2−1/N)/Γ(1+1/N)): the root of the Fisher information of the density ∝ exp(−|x|^N), for N ≥ 1."""
    if power < 1.0:
        return math.inf
    logs = math.log(power) + math.lgamma(2.0 - 1.0 / power) - math.lgamma(1.0 + 1.0 / power)
    return raised(math.exp(logs / 2), 1e-13)


fisher_factor = applied_to(Named("fisher-factor", "√({0}⋅Γ(2 - 1/{0})/Γ(1 + 1/{0}))", 4, 4, (1,), fisher))
"""The Rao length of a shift by one scale of a generalized Gaussian of power N, increasing for N ≥ 1."""


def _inverse_fisher(power: float) -> float:
    if power < 1.0:
        return math.inf
    logs = math.log(power) + math.lgamma(2.0 - 1.0 / power) - math.lgamma(1.0 + 1.0 / power)
    return raised(math.exp(-logs / 2), 1e-13)


inverse_fisher = applied_to(Named("inverse-fisher", "√(Γ(1 + 1/{0})/({0}⋅Γ(2 - 1/{0})))", 4, 4, (-1,), _inverse_fisher))
"""The shift, in scales, of a Rao length of 1; it decreases in N ≥ 1."""


def _generalized_epsilon(power: float, ratio: float, delta: float) -> float:
    from duetpy.accounting.losses.generalized_gaussian import generalized_epsilon

    return generalized_epsilon(power, ratio, delta)


generalized_gaussian_epsilon = applied_to(
    Named("generalized-gaussian-epsilon", "ε({0}, {1}, {2})", _ATOM, 0, (1, 1, -1), _generalized_epsilon)
)
"""The ε at δ of noise ∝ exp(−|x|^N) against its shift by `ratio`, as a function of N, ratio and δ.

It need not be monotone in N, which is rounded to a double: the profile's own slack covers that."""


def _shuffled(count: float, local: float, delta: float) -> float:
    from duetpy.accounting.losses.shuffle import shuffled_epsilon

    return shuffled_epsilon(count, local, delta)


shuffled_epsilon = applied_to(Named("shuffled-epsilon", "shuffled({0}, {1}, {2})", _ATOM, 0, (-1, 1, -1), _shuffled))
"""The ε at δ of n shuffled reports of ε₀, as a function of n, ε₀ and δ (Feldman, McMillan & Talwar 2023, Theorem 3.2)."""
