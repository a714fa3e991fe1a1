"""The (ε, δ) of a price in ρ as a function of it and of δ: the best Rényi order, in a formula.

D_α ≤ ρα at the orders 1 < α ≤ ω gives, at each of them, ε = ρα + log(1 − 1/α) − log(δα)/(α−1) (Canonne, Kamath & Steinke 2020,
Proposition 12), so the least of these is an ε. Its numbers come from a search that rounds up, whose answer holds at whatever order
it ends: see `duetpy.accounting.convert`. As a formula it is bounded by ρ + 2√(ρ log(1/δ)), the least value of what is left where
log(1 − 1/α) and −log(α)/(α−1) are dropped, neither of which is positive (Bun & Steinke 2016, Proposition 1.3).
"""

from __future__ import annotations

import math

from duetpy.accounting import convert
from duetpy.accounting.named_functions import function_of
from duetpy.accounting.rounding import raised
from duetpy.typecheck.quantity import ONE, Quantity, log


def _straight(rho: Quantity, delta: Quantity) -> Quantity:
    return rho + 2 * (rho * log(ONE / delta)).sqrt()


def _straight_below(rho: Quantity, omega: Quantity, delta: Quantity) -> Quantity | None:
    return _straight(rho, delta) if omega.is_infinite else None


def concentrated_epsilon_at(rho: float, delta: float) -> float:
    """The least ε that is found, and no more than the formula that bounds it; ∞ at δ = 0."""
    return truncated_epsilon_at(rho, math.inf, delta)


def truncated_epsilon_at(rho: float, omega: float, delta: float) -> float:
    """The same of what is bounded at the orders up to ω only."""
    if rho == math.inf or not delta > 0.0:
        return 0.0 if rho == 0.0 and omega > 1.0 else math.inf
    if delta >= 1.0:
        return 0.0
    found = convert.tcdp_epsilon(rho, omega, delta)
    wanted = -math.log(delta)
    # The order at which the formula that bounds it has its least value; beyond ω it is not known.
    is_known = 1.0 + math.sqrt(wanted / rho) < omega * (1.0 - 1e-12) if rho > 0.0 else omega > 1.0
    return min(found, raised(rho + 2.0 * math.sqrt(rho * wanted), 1e-14)) if is_known else found


concentrated_epsilon = function_of(
    "concentrated-epsilon",
    "min[α] ({0}⋅α + ㏒(1 - 1/α) - ㏒({1}⋅α)/(α - 1))",
    5,
    3,
    (1, -1),
    concentrated_epsilon_at,
    _straight,
)
"""The ε of ρ-zCDP at δ, as a function of ρ and δ."""

truncated_epsilon = function_of(
    "truncated-epsilon",
    "min[α ≤ {1}] ({0}⋅α + ㏒(1 - 1/α) - ㏒({2}⋅α)/(α - 1))",
    5,
    3,
    (1, -1, -1),
    truncated_epsilon_at,
    _straight_below,
)
"""The ε of (ρ, ω)-tCDP at δ, as a function of ρ, ω and δ."""
