"""What a price rests on, forgotten on the way: by the node, by the rule, by who asks for a number."""

from __future__ import annotations

from tests.soundness.broken.mutant import Mutant


def forgotten(name: str, place: str, right: str, wrong: str, *rules: str) -> Mutant:
    """A premise that is lost in a module of the accountant or of the reports."""
    return Mutant(name, place, right, wrong, rules)


ASKED = "if test is not None"

PREMISES = (
    # By the node
    forgotten(
        "a δ is any number",
        "accounting.mechanisms.base",
        'found.append(probability(number, "δ is a probability"))',
        "continue",
        "gauss",
        "given",
    ),
    forgotten(
        "an order α is any number",
        "accounting.mechanisms.base",
        "if part.is_order:",
        'if part.is_order and part.letter != "α":',
        "gauss",
        "given",
    ),
    forgotten(
        "an order ω is any number",
        "accounting.mechanisms.base",
        "if part.is_order:",
        'if part.is_order and part.letter != "ω":',
        "given",
    ),
    forgotten(
        "randomized response has one answer, and a price",
        "accounting.mechanisms.base",
        ASKED,
        f'{ASKED} and self.names != ("rand-resp",)',
        "rand-resp",
    ),
    forgotten(
        "the power of ggauss is any number",
        "accounting.mechanisms.base",
        ASKED,
        f'{ASKED} and self.names != ("ggauss",)',
        "ggauss",
    ),
    forgotten(
        "the δ of canonical noise is any number",
        "accounting.mechanisms.base",
        ASKED,
        f'{ASKED} and self.names != ("canonical",)',
        "canonical",
    ),
    forgotten(
        "the δ′ of aloop is any number",
        "accounting.premises",
        'return (probability(slack, "δ′ of aloop is a probability"),)',
        "return _NONE",
        "aloop",
    ),
    forgotten(
        "the δ of a conversion is any number",
        "accounting.premises",
        'return _NONE if slack is None else (probability(slack, "δ of a conversion is a probability"),)',
        "return _NONE",
        "convert",
    ),
    forgotten(
        "more rows are sampled than there are, at a price",
        "accounting.premises",
        'return (Premise(rate, "≤", ONE, "at most all rows are sampled"),)',
        "return _NONE",
        "sample",
        "poisson",
    ),
    # By the rule
    forgotten(
        "tCDP is amplified whatever the rate",
        "accounting.notions.tcdp",
        'Premise(rate, "≤", _LIMIT,',
        'Premise(rate, "≤", ONE,',
        "sample",
    ),
    forgotten(
        "tCDP is amplified whatever ρ is",
        "accounting.notions.tcdp",
        'Premise(rho, "≤", _LIMIT,',
        'Premise(rho, "≤", ONE,',
        "sample",
    ),
    forgotten(
        "tCDP is amplified whatever ω is",
        "accounting.notions.tcdp",
        'Premise(wanted / (2 * rho), "≤", omega,',
        'Premise(wanted / (2 * rho), "≤", INFINITY,',
        "sample",
    ),
    forgotten(
        "tCDP is amplified where ω is not a plain quantity",
        "accounting.notions.tcdp",
        "        if rho is None or omega is None:\n            unknown",
        "        if omega is None:\n            omega = INFINITY\n        if rho is None:\n            unknown",
        "sample",
    ),
    forgotten(
        "a group of tCDP is left orders whatever its size",
        "accounting.notions.tcdp",
        "return Conditional((product(size, size, rho), omega / size), (left,))",
        "return (product(size, size, rho), omega / size)",
        "group",
    ),
    # By the walk over the term
    forgotten(
        "what a node rests on by itself is left out",
        "accounting.price",
        "return found if isinstance(found, Refusal) else under(found, below, own)",
        "return found if isinstance(found, Refusal) else under(found, below)",
        "given",
    ),
    forgotten(
        "what the parts of a sequence rest on is left out",
        "accounting.price",
        "return found if isinstance(found, Refusal) else under(found, below, own)",
        "return found if isinstance(found, Refusal) else under(found, (), own)",
        "bind",
        "privacy-loop",
    ),
    forgotten(
        "what a rule rests on is left out",
        "accounting.notions.interpretation",
        "return Conditional(found.parts, (*own, *found.premises, *below))",
        "return Conditional(found.parts, (*own, *below))",
        "sample",
        "group",
    ),
    forgotten(
        "what is moved, sampled or converted rests on nothing",
        "accounting.notions.interpretation",
        "under(rule(body.parts), body.premises)",
        "under(rule(body.parts), ())",
        "sample",
        "convert",
    ),
    forgotten(
        "what is sampled at an order rests on nothing",
        "accounting.notions.renyi",
        "rests += whole.premises\n        return Conditional((self.order, smallest(*prices)), tuple(rests))",
        "rests += whole.premises\n        return Conditional((self.order, smallest(*prices)))",
        "poisson",
    ),
    forgotten(
        "a group of pure ε rests on nothing at an order",
        "accounting.notions.renyi",
        "self._pure(product(size, pure.parts[0])))\n            rests += pure.premises",
        "self._pure(product(size, pure.parts[0])))",
        "group",
    ),
    # By who asks for a number
    forgotten(
        "a number is given though a premise fails",
        "accounting.price",
        "    if isinstance(found, Refusal) or not found.premises:\n        return found\n",
        "    if isinstance(found, Refusal):\n        return found\n    return Price(notion, found.parts)\n",
        "sample",
        "group",
    ),
    forgotten(
        "a premise that cannot be decided is true",
        "accounting.price",
        "    if isinstance(found, Refusal) or not found.premises:\n        return found\n",
        "    if isinstance(found, Refusal) or all(premise.holds is None for premise in found.premises):\n"
        "        return Price(notion, found.parts) if isinstance(found, Price) else found\n",
        "group",
    ),
    forgotten(
        "a number rests on what its formula rests on, and on nothing if it has no formula",
        "accounting.price",
        "    if isinstance(found, Refusal) or not found.premises:\n        return found\n",
        "    if isinstance(found, Price) and (isinstance(price(cost, notion), Refusal) or not found.premises):\n"
        "        return Price(notion, found.parts)\n    if isinstance(found, Refusal):\n        return found\n",
        "group",
        "sample",
    ),
    forgotten(
        "a promise is kept by a price of which a premise fails",
        "accounting.guarantees",
        "        if not left and not rests:\n",
        "        if not left:\n",
        "ensures",
        "group",
    ),
    forgotten(
        "a report passes over a premise that is not certain",
        "report.pricing",
        "        self.refuse(obligation, is_false=holds is False)\n",
        "        if holds is False:\n            self.refuse(obligation, is_false=True)\n",
        "group",
    ),
    forgotten(
        "a report passes over the premises of a price",
        "report.pricing",
        "            self.rest(at_numbers.premises)\n            if not",
        "            if not",
        "sample",
        "group",
    ),
)
