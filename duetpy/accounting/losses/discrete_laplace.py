"""The discrete Laplace on one whole number that moves by a known whole number of steps: its own privacy loss.

P(x) ∝ e^{−a|x|} on the integers, a = ε/s, against its shift by s steps. The loss is ε at x ≤ 0, −ε at x ≥ s, and a(s − 2x) between;
P(x ≤ 0) = 1/(1+q) with q = e^{−a}. For s = 1 that is randomized response at ε, for s → ∞ the Laplace mechanism, and in between
it lies between the two. The law is log-concave, so the best sets are half-lines, and a shift by fewer steps is no easier to
distinguish. Nor is a shift under a larger scale, to which a run rounds: with q′ ≥ q its noise is that of the smaller scale plus
independent noise, since the quotient of their characteristic functions,

    const ⋅ (1 + q² − 2q cos t)/(1 + q′² − 2q′ cos t) = const ⋅ (q/q′ + (q′−q)(1−qq′)/q′ ⋅ 1/(1 + q′² − 2q′ cos t)),

is that of a mixture of 0 and of the discrete Laplace of q′.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from attrs import frozen

from duetpy.accounting.arrays import Array, np
from duetpy.accounting.losses.losses import Loss, PureLoss, laplace_rho, mirrored
from duetpy.accounting.named_functions import at_order, function_of, pure_rho
from duetpy.accounting.rounding import UNIT_ROUNDOFF, multiple, raised
from duetpy.typecheck.cost import Atom
from duetpy.typecheck.mechanism_rows import row_of

LARGEST_SHIFT = 2**50
"""Shifts by more steps are priced by ε alone: doubles hold no fraction of them."""

_FEW = 512
"""Losses of so many steps are put on a grid that holds them all."""


def shift_of(atom: Atom) -> int | None:
    """By how many steps the whole number of `dlaplace` moves, where that says more than ε does."""
    row = row_of(atom.mechanism)
    if not (row.is_whole and row.has_epsilon) or atom.steps is None or not 1 < atom.steps <= LARGEST_SHIFT:
        return None
    return atom.steps


@frozen(eq=False, repr=False)
class DiscreteLaplaceLoss(PureLoss):
    """The discrete Laplace of scale steps/ε against its shift by `steps`."""

    steps: int

    @property
    def scale(self) -> float:
        """The loss of one step."""
        return self.eps / self.steps

    @property
    def anchor(self) -> float | None:
        return self.scale if self.atomic and 0.0 < self.eps < math.inf else super().anchor

    @property
    def atomic(self) -> bool:
        return self.steps <= _FEW

    def renyi(self, alpha: float) -> float:
        return discrete_laplace_renyi_at(self.eps, alpha, self.steps)

    #   δ(t) = Σ_{x ≤ m} P(x)(1 − e^{t − loss(x)}) with m + 1 = ⌈(ε − t)/2a⌉ of the losses a(s − 2x) above t
    #        = (1 − e^{t−ε} + (1 − q^m) q (1 − e^{t−ε+(m+1)a}))/(1+q)
    #
    # Two positive numbers. An m that is off by one, where (ε − t)/2a is next to a whole number, loses a share of next to nothing.
    def profile(self, eps: Array, reverse: bool = False) -> Array:
        a = self.scale
        if a == 0.0:  # less than any double
            return mirrored(eps, np.full_like(eps, -math.expm1(-self.eps)))
        rest = np.maximum(self.eps - np.abs(eps), 0.0)
        m = np.maximum(np.ceil(rest / (2.0 * a)) - 1.0, 0.0)
        inner = -np.expm1(np.minimum((m + 1.0) * a - rest, 0.0))
        upper = (-np.expm1(-rest) - np.expm1(-m * a) * math.exp(-a) * inner) / (1.0 + math.exp(-a))
        return mirrored(eps, upper)

    def grouped(self, size: int) -> Loss:
        """A shift by `size` times as many steps."""
        return DiscreteLaplaceLoss(multiple(size, self.eps), size * self.steps)


def shared_steps(parts: Sequence[Loss]) -> int | None:
    """By how many steps several inputs of one discrete Laplace move it together; None where their losses are of other noise.

    The trade-off of a shift is piecewise linear with its corners at the tails of the law, and a shift maps corners to corners:
    one shift after the other is no easier to distinguish than both at once.
    """
    if not parts or not isinstance(parts[0], DiscreteLaplaceLoss):
        return None
    scale, steps = parts[0].scale, 0
    for part in parts:
        if not isinstance(part, DiscreteLaplaceLoss) or part.scale != scale:
            return None
        steps += part.steps
    return steps


def discrete_laplace_rho_at(eps: float, steps: float) -> float:
    """The least ρ for which the discrete Laplace is ρ-zCDP: D₁ = ε − (1 − e^{−ε}) a/sinh a, a = ε/s, rounded up.

    That D_α ≤ α D₁ is shown in docs/notions/zcdp.md. Computed as ε + e^{−ε} − 1 and what is more, both positive.
    """
    if eps == math.inf or steps < 1.0:
        return math.inf
    return raised(laplace_rho(eps) - math.expm1(-eps) * _more(eps / steps), 1e-13)


def _more(a: float) -> float:
    """1 − a/sinh a."""
    if a > 1.0:
        return 1.0 + 2.0 * a * math.exp(-a) / math.expm1(-2.0 * a)
    # (sinh a − a)/sinh a by the series of sinh a − a, all of whose terms are positive.
    term, total = a, 0.0
    for n in range(1, 12):
        term *= a * a / ((2 * n) * (2 * n + 1))
        total += term
    return total / math.sinh(a) if a > 0.0 else 0.0


#   e^{(α−1)D_α} = e^{(α−1)ε} (1 + (1−q)(r + … + r^{s−1}) + r^s)/(1+q),      r = e^{−(2α−1)a}
def discrete_laplace_renyi_at(eps: float, alpha: float, steps: float) -> float:
    """D_α of the discrete Laplace of scale s/ε against its shift by s steps, rounded up."""
    if eps == math.inf or steps < 1.0:
        return math.inf
    a, order = eps / steps, alpha - 1.0
    line = raised(discrete_laplace_rho_at(eps, steps) * alpha, 1e-15)
    if a == 0.0:  # less than any double, or nothing
        return min(eps, line)

    def fallen(loss: float) -> float:
        """−(2α−1) times a loss; twice α may be no double."""
        return loss - 2.0 * (alpha * loss)

    last = math.exp(fallen(eps))
    between = math.expm1(-a) / math.expm1(fallen(a)) * math.exp(fallen(a)) * -math.expm1(fallen(eps - a))
    inside = (between + last - math.exp(-a)) / (1.0 + math.exp(-a))  # what the sum is above 1
    value = eps + math.log1p(inside) / order
    return min(eps, line, raised(value, 1e-13) + 32 * UNIT_ROUNDOFF / order)


discrete_laplace_rho = function_of(
    "discrete-laplace-rho",
    "{0} - (1 - exp(-{0}))⋅{0}/({1}⋅sinh({0}/{1}))",
    2,
    4,
    (1, -1),
    discrete_laplace_rho_at,
    lambda eps, _: pure_rho(eps),
)
"""The ρ of discrete Laplace noise, as a function of ε and of s, in which it falls."""

discrete_laplace_renyi = function_of(
    "discrete-laplace-renyi", "dlaplace({1}, {0}, {2})", 5, 0, (1, 1, -1), at_order(discrete_laplace_renyi_at)
)
"""D_α of discrete Laplace noise, as a function of ε, α and s."""
