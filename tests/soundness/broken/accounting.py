"""The prices in ε and in ε with δ, and what composes what: terms that are dropped, a minimum for a maximum."""

from __future__ import annotations

from tests.soundness.broken.mutant import ADDED, CHOSEN, LARGEST, mispriced, shared

SMALLEST = "smallest(*(price[at] for price in prices))"

ACCOUNTING = (
    # Pure ε
    shared("pure ε takes the largest", "PURE", ADDED, LARGEST, "bind"),
    shared(
        "pure ε counts a repeated mechanism once", "PURE", ADDED, "total([price[at] for price, _ in prices])", "bind"
    ),
    shared("a choice in pure ε costs its first branch", "PURE", CHOSEN, "prices[0][at]", "privacy-if"),
    mispriced(
        "several inputs at once cost the first in pure ε",
        "notions.pure",
        "return (total([eps for (eps,) in prices]),)",
        "return prices[0]",
        "together",
    ),
    mispriced(
        "a group costs one step in pure ε", "notions.pure", "return (product(size, body[0]),)", "return body", "group"
    ),
    mispriced(
        "a sampled ε is qε", "notions.pure", "return log1p(rate * expm1(eps))", "return rate * eps", "sample", "poisson"
    ),
    mispriced(
        "a sampled ε is squared in q",
        "notions.pure",
        "return log1p(rate * expm1(eps))",
        "return log1p(rate * rate * expm1(eps))",
        "sample",
        "poisson",
    ),
    # (ε, δ)
    shared("the δs of a sequence are not added", "APPROX", ADDED, f"({LARGEST} if at == 1 else {ADDED})", "bind"),
    shared(
        "the δ of a repeated mechanism is charged once",
        "APPROX",
        ADDED,
        f"(total([price[at] for price, _ in prices]) if at == 1 else {ADDED})",
        "bind",
    ),
    shared("the εs of a sequence are not added", "APPROX", ADDED, f"({LARGEST} if at == 0 else {ADDED})", "bind"),
    mispriced(
        "advanced composition forgets its slack",
        "notions.approx",
        "total([product(count, delta), slack])",
        "product(count, delta)",
        "aloop",
    ),
    mispriced(
        "advanced composition forgets the δ of the turns",
        "notions.approx",
        "total([product(count, delta), slack])",
        "slack",
        "aloop",
    ),
    mispriced(
        "advanced composition without its square root",
        "notions.approx",
        "moments = count * eps * tanh(eps / 2) + eps * (2 * count * log(ONE / slack)).sqrt()",
        "moments = count * eps * tanh(eps / 2)",
        "aloop",
    ),
    mispriced(
        "advanced composition without its drift",
        "notions.approx",
        "moments = count * eps * tanh(eps / 2) + eps * (2 * count * log(ONE / slack)).sqrt()",
        "moments = eps * (2 * log(ONE / slack)).sqrt()",
        "aloop",
    ),
    shared("a choice takes the smaller δ", "APPROX", CHOSEN, f"({SMALLEST} if at == 1 else {CHOSEN})", "privacy-if"),
    shared("a choice takes the smaller ε", "APPROX", CHOSEN, f"({SMALLEST} if at == 0 else {CHOSEN})", "privacy-if"),
    mispriced(
        "δ₂ does not grow by e^ε₁",
        "notions.approx",
        "terms.append(product(exp(before), delta))",
        "terms.append(delta)",
        "together",
    ),
    mispriced(
        "the δ of a group is kδ",
        "notions.approx",
        "factor = size if eps.is_zero else expm1(size * eps) / expm1(eps)",
        "factor = size",
        "group",
    ),
    mispriced(
        "the ε of a group is one step's",
        "notions.approx",
        "return (product(size, whole), product(delta, factor))",
        "return (whole, product(delta, factor))",
        "group",
    ),
    mispriced(
        "a sampled δ is q²δ",
        "notions.approx",
        "return (amplified(rate, body[0]), product(rate, body[1]))",
        "return (amplified(rate, body[0]), product(rate, rate, body[1]))",
        "sample",
        "poisson",
    ),
    mispriced(
        "ρ is ε",
        "notions.zcdp",
        "return conversions.concentrated_epsilon(parts[0], slack)",
        "return parts[0]",
        "convert",
    ),
    mispriced(
        "ρ converts as if it were ρ/2",
        "notions.zcdp",
        "return conversions.concentrated_epsilon(parts[0], slack)",
        "return conversions.concentrated_epsilon(product(Quantity.of(1) / 2, parts[0]), slack)",
        "convert",
    ),
    mispriced(
        "Rényi's ε is an ε",
        "notions.renyi",
        "return eps if alpha.is_infinite else named_functions.renyi_epsilon(alpha, eps, slack)",
        "return eps",
        "convert",
    ),
    mispriced(
        "tCDP converts as if it had no ω",
        "notions.tcdp",
        "return concentrated_epsilon(rho, slack) if omega.is_infinite else truncated_epsilon(rho, omega, slack)",
        "return concentrated_epsilon(rho, slack)",
        "convert",
    ),
    mispriced(
        "μ converts at half its size",
        "notions.gdp",
        "return gaussian_epsilon(parts[0], slack)",
        "return gaussian_epsilon(parts[0] * Quantity.of('0.5'), slack)",
        "convert",
    ),
    # What composes what
    mispriced(
        "equal mechanisms of a sequence are counted once",
        "price",
        "((leaf, Quantity.of(times), ()) for leaf, times in leaves.items())",
        "((leaf, ONE, ()) for leaf in leaves)",
        "bind",
    ),
    mispriced(
        "a repeated cost is priced once",
        "price",
        "return reading.sequence([(bodies[0], count)])",
        "return reading.sequence([(bodies[0], ONE)])",
        "bind",
        "privacy-loop",
    ),
)
