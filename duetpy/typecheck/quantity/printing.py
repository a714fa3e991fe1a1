"""Quantities as text, in the grammar of type-level arithmetic.

From the loosest to the tightest: ``⊔  ⊓  +  ⋅  /`` (left-associative, and ``/`` binds tighter than ``⋅``), the prefixes
``√ ㏒``, then names, numbers, parentheses and the calls ``exp(…) expm1(…) log1p(…) tanh(…)`` and ``power(x, p/q)``. The
last one is used where a power is neither a short product nor reached by square roots. Reading the text back gives the
same quantity.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import floor, prod

from attrs import field, frozen

from duetpy.by_value import ByValue
from duetpy.grammar.spelling import TWINS
from duetpy.typecheck.quantity import form
from duetpy.typecheck.quantity.arithmetic import settled
from duetpy.typecheck.quantity.extrema import maximum, minimum
from duetpy.typecheck.quantity.kinds import KindVar
from duetpy.typecheck.quantity.rational import Number, QuantityTooLarge, multiplicity

# Levels of binding, loosest first.
MAX, MIN, SUM, PRODUCT, QUOTIENT, PREFIX, ATOM = range(7)

#: What a number is written with.
NUMERAL = frozenset("0123456789.e-/")
#: A whole power up to this is written as a product.
PRODUCT_POWER = 8
#: Roots of degree 2, 4 and 8 are written with square roots.
ROOT_CHAIN = 3
#: A decimal of more digits and more places is written as a fraction.
DECIMAL_DIGITS = 40


@frozen(eq=False, repr=False)
class Text(ByValue):
    """A piece of text and how tightly its loosest operator binds."""

    text: str
    level: int

    def at(self, level: int) -> str:
        """The text where something of at least this level is needed."""
        return self.text if self.level >= level else f"({self.text})"


def show(value: form.Quantity, *, ascii: bool = False) -> str:
    """The text of a quantity; with ``ascii`` the operators are spelled in ASCII, the names stay."""
    return Printer(ascii).quantity(value).text


def decimal_text(value: Number) -> str | None:
    """The decimal literal of a number, or None when it is no finite decimal, or a long one."""
    twos, fives = multiplicity(value.denominator, 2), multiplicity(value.denominator, 5)
    places = max(twos, fives)
    if value.denominator != 2**twos * 5**fives:
        return None
    whole = value.numerator * 10**places // value.denominator
    if places > DECIMAL_DIGITS and whole >= 10**DECIMAL_DIGITS:
        return None
    digits = str(whole)
    point = len(digits) - places
    significant = digits.rstrip("0") or "0"
    if point < -3 or (point > 21 and len(significant) < point - 9):
        mantissa = significant[0] + ("." + significant[1:] if len(significant) > 1 else "")
        return f"{mantissa}e{point - 1}"
    if places == 0:
        return digits
    return f"{digits[:point]}.{digits[point:]}" if point > 0 else f"0.{'0' * -point}{digits}"


@frozen(eq=False, repr=False)
class Printer(ByValue):
    """Prints in Unicode or in ASCII. The recursion is as deep as the quantity, which ``DEPTH_LIMIT`` bounds."""

    ascii: bool
    #: The texts of atoms already met.
    known: dict[form.Atom, Text] = field(factory=dict)

    def symbol(self, name: str) -> str:
        return TWINS[name] if self.ascii else name

    def quantity(self, value: form.Quantity) -> Text:
        if value.is_infinite:
            return Text(self.symbol("∞"), ATOM)
        if not value.terms:
            return Text("0", ATOM)
        texts = [self.group(terms) for terms in self.by_denominator(value.terms)]
        texts.sort(key=self.place)
        return texts[0] if len(texts) == 1 else Text(" + ".join(text.at(PRODUCT) for text in texts), SUM)

    def place(self, text: Text) -> tuple[bool, str, str]:
        """The place of a term in its sum: numbers last, others by what follows the coefficient."""
        head, dot, tail = text.text.partition(self.symbol("⋅"))
        if set(head) <= NUMERAL:
            return not dot, tail, head
        return False, text.text, ""

    def by_denominator(self, terms: form.Terms) -> list[form.Terms]:
        """The terms of a sum, those over the same compounds together."""
        groups: dict[frozenset[tuple[form.Atom, Number]], form.Terms] = {}
        alone: list[form.Terms] = []
        for monomial, coefficient in terms.items():
            below = frozenset(denominators(monomial).items())
            if below:
                groups.setdefault(below, {})[monomial] = coefficient
            else:
                alone.append({monomial: coefficient})
        return alone + list(groups.values())

    def group(self, terms: form.Terms) -> Text:
        """One term, or several over one denominator."""
        first, *_ = terms
        if len(terms) == 1:
            return self.term(first, terms[first])
        below = denominators(first)
        numerator = {
            form.Monomial(
                {atom: exponent for atom, exponent in monomial.factors.items() if atom not in below}
            ): coefficient
            for monomial, coefficient in terms.items()
        }
        return self.fraction([self.quantity(settled(numerator))], [], self.chain(below))

    def term(self, monomial: form.Monomial, coefficient: Number) -> Text:
        extrema = [atom for atom in monomial.factors if isinstance(atom, form.Extremum)]
        if len(extrema) == 1 and monomial.factors[extrema[0]] == 1:
            spread = self.spread(extrema[0], monomial, coefficient)
            if spread is not None:
                return spread
        chained = denominators(monomial)
        above = {atom: e for atom, e in monomial.factors.items() if e > 0 and atom not in chained}
        below = {atom: -e for atom, e in monomial.factors.items() if e < 0 and atom not in chained}
        first, last = self.coefficient(coefficient, alone=not above)
        return self.fraction(first + self.factors(above), last + self.factors(below), self.chain(chained))

    def spread(self, atom: form.Extremum, monomial: form.Monomial, coefficient: Number) -> Text | None:
        """c⋅μ⋅max(a, b) as c⋅μ⋅a ⊔ c⋅μ⋅b, where reading that back takes the common factor out again."""
        rest = settled(
            {form.Monomial({other: e for other, e in monomial.factors.items() if other != atom}): coefficient}
        )
        try:
            members = [rest * member for member in atom.listed]
            again = maximum(*members) if atom.lattice is form.Lattice.MAX else minimum(*members)
        except QuantityTooLarge:
            return None
        return self.joined(atom.lattice, members) if again.terms == {monomial: coefficient} else None

    def joined(self, lattice: form.Lattice, members: Iterable[form.Quantity]) -> Text:
        level = MAX if lattice is form.Lattice.MAX else MIN
        texts = sorted(self.quantity(member).at(level + 1) for member in members)
        return Text(f" {self.symbol(lattice.value)} ".join(texts), level)

    def coefficient(self, value: Number, *, alone: bool) -> tuple[list[Text], list[Text]]:
        """A coefficient as factors above and below the bar: ε/2, 0.02⋅k, 2⋅ε/3."""
        if value == 1:
            return [], []
        whole = Text(str(value.numerator), ATOM)
        literal = decimal_text(value)
        if literal is not None and (alone or value.numerator != 1 or value.denominator > 9):
            return [Text(literal, ATOM)], []
        above = [] if value.numerator == 1 else [whole]
        return above, [] if value.denominator == 1 else [Text(str(value.denominator), ATOM)]

    def factors(self, exponents: Mapping[form.Atom, Number]) -> list[Text]:
        """The factors of a product of powers with positive exponents."""
        names: list[tuple[str, int]] = []
        others: list[Text] = []
        roots: dict[int, list[form.Atom]] = {}
        exponent = form.ZERO
        for atom, times in exponents.items():
            if isinstance(atom, form.Applied) and atom.function is form.Function.EXP:
                if atom.argument.divided:
                    # In one exponent these would be brought to a common denominator.
                    others.append(self.exponential(atom.argument * times))
                else:
                    exponent = exponent + atom.argument * times
            elif not expressible(times):
                others += self.repeated(self.base(atom), times)
            else:
                if isinstance(atom, KindVar):
                    names += [(atom.name, atom.uid)] * floor(times)
                else:
                    others += self.repeated(self.base(atom), floor(times))
                for depth in range(1, ROOT_CHAIN + 1):
                    if floor(times * 2**depth) % 2:
                        roots.setdefault(depth, []).append(atom)
        if exponent.terms:
            others.append(self.exponential(exponent))
        rooted = [text for depth, atoms in sorted(roots.items()) for text in self.roots(depth, atoms)]
        others.sort(key=lambda text: text.text)
        return [Text(name, ATOM) for name, _ in sorted(names)] + rooted + others

    def exponential(self, exponent: form.Quantity) -> Text:
        return Text(f"exp({self.quantity(exponent).text})", ATOM)

    def roots(self, depth: int, atoms: Sequence[form.Atom]) -> list[Text]:
        """Nested square roots of a product: one for each sum, since a product of sums would be multiplied out."""
        sums = [self.base(atom) for atom in atoms if isinstance(atom, form.Compound)]
        numbers = sorted(atom.base for atom in atoms if isinstance(atom, form.Root))
        rest: dict[form.Atom, Number] = {atom: 1 for atom in atoms if not isinstance(atom, form.Compound | form.Root)}
        product = prod(numbers)
        single = ([Text(str(product), ATOM)] if product > 1 else []) + self.factors(rest)
        texts = ([self.fraction(single, [], [])] if single else []) + sorted(sums, key=lambda text: text.text)
        for _ in range(depth):
            texts = [self.prefixed("√", text) for text in texts]
        return texts

    def prefixed(self, name: str, operand: Text) -> Text:
        text = operand.at(PREFIX)
        gap = " " if self.ascii and not text.startswith("(") else ""
        return Text(f"{self.symbol(name)}{gap}{text}", PREFIX)

    def base(self, atom: form.Atom) -> Text:
        """An atom with exponent 1."""
        text = self.known.get(atom)
        if text is None:
            text = self.known[atom] = self.new_base(atom)
        return text

    def new_base(self, atom: form.Atom) -> Text:
        match atom:
            case KindVar(name=name):
                return Text(name, ATOM)
            case form.Root(base=number):
                return Text(str(number), ATOM)
            case form.Compound(base=value) | form.Applied(function=form.Function.WHOLE, argument=value):
                return self.quantity(value)
            case form.Extremum(lattice=lattice, listed=members):
                return self.joined(lattice, members)
            case form.Applied(function=form.Function.LOG, argument=value):
                return self.prefixed("㏒", self.quantity(value))
            case form.Applied(function=form.Function.RECIPROCAL, argument=value):
                return Text(f"1/{self.quantity(value).at(PREFIX)}", QUOTIENT)
            case form.Applied(function=function, argument=value):
                return Text(f"{function.value}({self.quantity(value).text})", ATOM)

    def chain(self, exponents: Mapping[form.Atom, Number]) -> list[Text]:
        """What is divided by one after the other."""
        found: list[Text] = []
        for atom, times in exponents.items():
            if isinstance(atom, form.Applied):
                found += self.repeated(self.quantity(atom.argument), times)
            else:
                found += self.factors({atom: times})
        return sorted(found, key=lambda text: text.text)

    def repeated(self, base: Text, times: Number) -> list[Text]:
        """A power as repeated factors, or as a call."""
        if expressible(times):
            roots = [base]
            texts = [base] * floor(times)
            for depth in range(1, ROOT_CHAIN + 1):
                roots.append(self.prefixed("√", roots[-1]))
                texts += [roots[depth]] * (floor(times * 2**depth) % 2)
            return texts
        return [Text(f"power({base.text}, {times})", ATOM)]

    def fraction(self, above: Sequence[Text], below: Sequence[Text], chain: Sequence[Text]) -> Text:
        """A product, divided by a product, and then by one divisor after the other."""
        *others, last = above or [Text("1", ATOM)]
        divisors = [self.product(below), *chain] if below else chain
        if divisors:
            bar = "/".join([last.at(PREFIX), *(text.at(PREFIX) for text in divisors)])
            last = Text(bar, QUOTIENT)
        return self.product([*others, last])

    def product(self, factors: Sequence[Text]) -> Text:
        if len(factors) == 1:
            return factors[0]
        return Text(self.symbol("⋅").join(text.at(QUOTIENT) for text in factors), PRODUCT)


def expressible(times: Number) -> bool:
    """Whether a power is written with products and square roots."""
    return times < PRODUCT_POWER + 1 and 2**ROOT_CHAIN % times.denominator == 0


def denominators(monomial: form.Monomial) -> dict[form.Atom, Number]:
    """What a term is divided by that must not be multiplied together: sums, and quantities that can be 0 or ∞."""
    return {
        atom: exponent if exponent > 0 else -exponent
        for atom, exponent in monomial.factors.items()
        if (isinstance(atom, form.Compound) and exponent < 0)
        or (isinstance(atom, form.Applied) and atom.function is form.Function.RECIPROCAL)
    }
