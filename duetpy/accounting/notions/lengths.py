"""What is as far apart as the shift of one density: μ of Gaussian privacy, θ of Fisher–Rao; a price is one number."""

from __future__ import annotations

from collections.abc import Sequence

from duetpy.accounting.expressions import Part, product, root, square, total
from duetpy.accounting.notions.interpretation import Interpretation, Parts
from duetpy.typecheck.quantity import Quantity


class Length(Interpretation):
    """A notion whose prices are lengths: those of steps in sequence are at right angles, those of one path add."""

    #   √(Σ nᵢ μᵢ²), of μ exact (Dong, Roth & Su 2022, Corollary 3.3)
    def sequence(self, prices: Sequence[tuple[Parts, Quantity]]) -> Parts:
        if len(prices) == 1 and prices[0][1].constant == 1:
            return prices[0][0]
        return (root(total([product(count, square(mu)) for (mu,), count in prices])),)

    #   G_μ₁ then G_μ₂ along the path: the shifts add (Dong, Roth & Su 2022, Theorem 2.14); of θ the triangle inequality
    def together(self, prices: Sequence[Parts]) -> Parts:
        return (total([mu for (mu,) in prices]),)

    def group(self, size: Part, body: Parts) -> Parts:
        return (product(size, body[0]),)

    #   σ = s/μ (Dong, Roth & Su 2022, Theorem 2.7), σ = s/θ
    @classmethod
    def gaussian_rho(cls, params: tuple[Quantity, ...]) -> Part:
        return params[0] * params[0] / 2
