"""μ-Gaussian privacy: T(P, Q) ≥ G_μ, no easier to tell than N(0, 1) from N(μ, 1) (Dong, Roth & Su 2022)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from duetpy.accounting.closed import Part, gaussian_mu, laplace_mu, largest, product, pure_mu, root, square, total
from duetpy.accounting.interpretation import (
    AS_GAUSSIAN,
    AS_LAPLACE,
    BOUNDED_RANGE,
    CannotPrice,
    Interpretation,
    Parts,
    no_bound,
    shift_in_scale,
)
from duetpy.typecheck.cost import Atom, Given, Notion
from duetpy.typecheck.quantity import INFINITY, ZERO, Quantity
from duetpy.typecheck.stated import pure_epsilon_of


class Gdp(Interpretation):
    """The notion ``gdp``; a price is μ."""

    notion: ClassVar[Notion] = Notion.GDP

    def nothing(self) -> Parts:
        return (ZERO,)

    def everything(self) -> Parts:
        return (INFINITY,)

    def atom(self, atom: Atom) -> Parts:
        if atom.mechanism in AS_GAUSSIAN:
            return (shift_in_noise(atom),)
        if atom.mechanism == "ggauss" and atom.params[0].constant == 2:
            return (product(Quantity.of(2).sqrt(), shift_in_scale(atom)),)
        eps = pure_epsilon_of(atom)
        if eps is None:
            why = (
                "the discrete Gaussian is no Gaussian mechanism: it costs slightly more"
                if atom.mechanism == "dgauss"
                else ""
            )
            raise CannotPrice(why) if why else no_bound(atom, "μ")
        if atom.mechanism in AS_LAPLACE or atom.mechanism == "ggauss":
            return (laplace_mu(eps),)
        # A range of length ε is at most as telling as randomized response at ε/2: see docs/notions/gdp.md.
        return (pure_mu(eps / 2 if atom.mechanism in BOUNDED_RANGE else eps),)

    def given(self, given: Given) -> Parts:
        match given.notion:
            case Notion.GDP:
                return given.params
            case Notion.PURE:
                return (pure_mu(given.params[0]),)
            case Notion.APPROX if given.params[1].is_zero:
                return (pure_mu(given.params[0]),)
            case notion:
                raise CannotPrice(f"a cost in {notion.info.name} implies no Gaussian privacy")

    #   √(Σ nᵢ μᵢ²), exact (Dong, Roth & Su 2022, Corollary 3.3)
    def sequence(self, prices: Sequence[tuple[Parts, Quantity]]) -> Parts:
        if len(prices) == 1 and prices[0][1].constant == 1:
            return prices[0][0]
        return (root(total([product(count, square(mu)) for (mu,), count in prices])),)

    def choice(self, prices: Sequence[Parts]) -> Parts:
        return (largest(*(mu for (mu,) in prices)),)

    #   G_μ₁ then G_μ₂ along the path: the shifts add (Dong, Roth & Su 2022, Theorem 2.14)
    def together(self, prices: Sequence[Parts]) -> Parts:
        return (total([mu for (mu,) in prices]),)

    def group(self, size: Part, body: Parts) -> Parts:
        return (product(size, body[0]),)

    def sampled(self, scheme: str, rate: Quantity, body: Parts) -> Parts:
        raise CannotPrice("a sampled Gaussian mechanism is not Gaussian; its numeric (ε, δ) is the tight one")

    def converted(self, inner: Notion, slack: Quantity | None, body: Parts) -> Parts:
        match inner:
            case Notion.GDP:
                return body
            case Notion.PURE:
                return (pure_mu(body[0]),)
            case _:
                raise CannotPrice(f"a price in {inner.info.name} implies no Gaussian privacy")


def shift_in_noise(atom: Atom) -> Part:
    """μ = s/σ of Gaussian noise, in each calibration: √(2ρ), √(2ε/α), μ, θ, and the analytic one."""
    match atom.calibration:
        case Notion.GDP | Notion.RAO:
            return atom.params[0]
        case Notion.ZCDP | Notion.TCDP:
            return (2 * atom.params[0]).sqrt()
        case Notion.RENYI:
            alpha, eps = atom.params
            return (2 * eps / alpha).sqrt()
        case Notion.APPROX:
            return gaussian_mu(*atom.params)
        case _:
            raise CannotPrice(f"{atom.mechanism} is calibrated in no notion that has noise for it")
