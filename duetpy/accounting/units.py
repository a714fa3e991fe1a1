"""One person behind several inputs: two parameters bound to one file move together when the person's row changes.

The joint cost is the one of a change that moves each input by one step: pure ε adds; (ε, δ) takes δ₁ + e^{ε₁} δ₂ in the better
order; zCDP takes (√ρ₁ + √ρ₂)²; Gaussian μ adds; Rényi and tCDP refuse, and ask for aligned parameters.
"""

from __future__ import annotations

from collections.abc import Iterable

from duetpy.accounting.price import Price, Refusal, price
from duetpy.typecheck.cost import Cost, together
from duetpy.typecheck.notions import Notion


def combined_cost(costs: Iterable[Cost]) -> Cost:
    """The cost to a person whose change moves every one of these inputs."""
    return together(costs)


def combine_units(costs: Iterable[Cost], notion: Notion) -> Price | Refusal:
    """The price of that cost."""
    return price(combined_cost(costs), notion)
