"""Pure ε: D_∞(P‖Q) ≤ ε. Everything adds; every mechanism of pure loss has its own ε."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import ClassVar

from duetpy.accounting import convert
from duetpy.accounting.expressions import Part, Values, product, total
from duetpy.accounting.losses.losses import Loss, ResponseLoss
from duetpy.accounting.mechanisms.base import below
from duetpy.accounting.mechanisms.table import mechanism_of
from duetpy.accounting.named_functions import pure_mu, pure_rho
from duetpy.accounting.notions.interpretation import Added, CannotPrice, Parts, no_slack
from duetpy.accounting.quantity_bounds import plain
from duetpy.typecheck.cost import Atom, Given
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import Quantity, expm1, log1p


class Pure(Added):
    """The notion ``eps``; a price is ε. Σ nᵢ εᵢ is optimal as a pure guarantee (Dwork, McSherry, Nissim & Smith 2006)."""

    notion: ClassVar[Notion] = Notion.PURE
    loss_is_exact = True
    has_pair = True

    def atom(self, atom: Atom) -> Parts:
        return (mechanism_of(atom).epsilon(atom),)

    def given(self, given: Given) -> Parts:
        if given.notion is Notion.PURE or (given.notion is Notion.APPROX and given.params[1].is_zero):
            return (given.params[0],)
        raise CannotPrice(f"a cost in {given.notion.info.name} implies no pure ε")

    #   log P₀/P₂ = log P₀/P₁ + log P₁/P₂
    def together(self, prices: Sequence[Parts]) -> Parts:
        return (total([eps for (eps,) in prices]),)

    def group(self, size: Part, body: Parts) -> Parts:
        return (product(size, body[0]),)

    def sampled(self, scheme: str, rate: Quantity, body: Parts) -> Parts:
        return (amplified(rate, body[0]),)

    def converted(self, inner: Notion, slack: Quantity | None, body: Parts) -> Parts:
        raise no_slack(inner, "pure ε")

    @classmethod
    def implied_rho(cls, parts: Parts) -> Part | None:
        return pure_rho(parts[0]) if isinstance(parts[0], Quantity) else None

    @classmethod
    def implied_mu(cls, parts: Parts) -> Part:
        return pure_mu(parts[0])

    @classmethod
    def epsilon_at(cls, price: Parts, numbers: Sequence[float], delta: float, asked: Fraction) -> float:
        return convert.pure_epsilon(numbers[0], delta)

    @classmethod
    def loss(cls, given: Given, values: Values) -> Loss:
        return below(ResponseLoss, given.params[0].evaluate_float(values, up=True))

    @classmethod
    def gaussian_scale(cls, params: tuple[Quantity, ...], values: Values) -> Fraction:
        raise ValueError("pure ε has no Gaussian noise")


#   ε′ = log(1 + q(e^ε − 1)), for b of m rows drawn without replacement with q = b/m (replace one row) and for Poisson
#   sampling at rate q (add or remove one row) alike (Balle, Barthe & Gaboardi 2018, Theorems 8 and 9)
def amplified(rate: Quantity, whole: Part) -> Part:
    """Pure ε after subsampling."""
    eps = plain(whole)
    if eps is None:
        raise CannotPrice("the ε to amplify is not a plain quantity")
    return log1p(rate * expm1(eps))
