"""One random program at a time, whose laws on neighbours are computed: they are as close as each number that is stated of it says.

A cost is stated in the notion of the program, in the other notions, as the certified ε at several δ, and as a Rényi curve; each of
these numbers is held against the laws.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from attrs import define, frozen

from duetpy.accounting.certify import renyi_of, settled_term, tight
from duetpy.accounting.guarantees import settle
from duetpy.accounting.losses_of_cost import composition, total_leak
from duetpy.accounting.price import Refusal, numbers
from duetpy.grammar import ast
from duetpy.grammar.pretty import show_file
from duetpy.typecheck import types as t
from duetpy.typecheck.check import Typed
from duetpy.typecheck.cost import Atom, Cost
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.persons import Persons, columns_of, persons_of
from duetpy.typecheck.quantity import KindVar
from duetpy.typecheck.units import PrivacyUnit, units_of
from tests.soundness.definition import number_at, read_kinds
from tests.soundness.distributions import (
    TOLERANCE,
    Law,
    Laws,
    Pair,
    TooManyOutcomes,
    both_ways,
    canonical,
    exponential,
    gauss,
    hockey_stick,
    laplace,
    mixture,
    renyi,
    rounded,
    shift_of,
    spent,
)
from tests.soundness.drawing import in_order
from tests.soundness.falsify import Kinds, about, check_tree, holds
from tests.soundness.generate_laws import random_program_with_a_law
from tests.soundness.generate_wider import wider_program
from tests.soundness.generate_written import parsed
from tests.soundness.plain import Table

NOTIONS = (Notion.PURE, Notion.APPROX, Notion.ZCDP, Notion.GDP, Notion.RENYI, Notion.TCDP)
PAIRS = 8
OUTCOMES = 1000
"""Of more outcomes no law is computed."""
DELTAS = (0.0, 1e-6, 1e-3, 0.03, 0.2)
ORDERS = (1.25, 2.0, 5.0)


@define(eq=False)
class Coarse(Laws):
    """Laws in which noise falls into a few cells."""

    def law(self, node: ast.PExp, names: Mapping[str, Any], kinds: Kinds) -> Law:
        found = Laws.law(self, node, names, kinds)
        if len(found) > OUTCOMES:
            raise TooManyOutcomes
        return found

    def mechanism(self, node: ast.Mechanism, names: Mapping[str, Any], kinds: Kinds) -> Law:
        site = self.annotations.releases[node]
        scale = float(number_at(site.sensitivity, kinds))
        params = [float(number_at(param, kinds)) for param in site.atom.params]

        def value() -> float:
            return float(self.of(node.body, names, kinds))

        match node.name, node.params:
            case "laplace", _:
                return in_cells(laplace, value(), scale / params[-1])
            case "gauss", _:
                return in_cells(gauss, value(), scale / shift_of(site.atom, params))
            case "canonical", _:
                return canonical(value(), scale, *params, parts=2, reach=3)
            case "given", _:
                return promised(site.atom, params, value())
            case "dlaplace", _:
                return on_integers(int(value()), scale / params[-1], 1)
            case "dgauss", _:
                through_rho = site.atom.calibration is Notion.APPROX
                shift = rho_shift(*params) if through_rho else shift_of(site.atom, params)
                return on_integers(int(value()), math.sqrt(2) * scale / shift, 2)
            case "ggauss", (_, _, ast.Node() as written):
                return generalized(value(), float(self.of(written, names, kinds)), params[0])
            case "gibbs", (ast.Node() as written,):
                assert node.candidates is not None
                assert node.binder is not None
                (row,) = self.of(node.candidates, names, kinds).rows
                risks = [float(self.of(node.body, {**names, node.binder.text: choice}, kinds)) for choice in row]
                return exponential([-risk for risk in risks], 2 * float(self.of(written, names, kinds)), 1.0)
            case _:
                return Laws.mechanism(self, node, names, kinds)


def in_cells(noise: Callable[..., Law], value: float, wide: float) -> Law:
    return noise(value, wide, reach=3, cell=1.0)


def promised(atom: Atom, params: Sequence[float], value: float) -> Law:
    """What keeps a promise: noise, and for (ε, δ) with probability δ the value itself."""
    match atom.calibration:
        case Notion.PURE:
            return in_cells(laplace, value, 1 / params[0])
        case Notion.APPROX:
            eps, delta = params
            return mixture([(1 - delta, in_cells(laplace, value, 1 / eps)), (delta, told(value))])
        case _:
            return in_cells(gauss, value, 1 / shift_of(atom, params))


def told(value: float) -> Law:
    """The value as it is, which is not a number that noise makes."""
    return {Fraction(value) + Fraction(1, 1009): 1.0}


def rho_shift(eps: float, delta: float) -> float:
    """√2ρ for the largest ρ of which ρ-zCDP implies (ε, δ) (Canonne, Kamath and Steinke 2020), at the orders that are tried."""
    orders = [1 + 10 ** (step / 50) for step in range(-200, 200)]
    rests = [(order, math.log1p(-1 / order) - math.log(delta * order) / (order - 1)) for order in orders]
    return math.sqrt(2 * max((eps - rest) / order for order, rest in rests))


def on_integers(centre: int, wide: float, power: int, reach: int = 3) -> Law:
    """Noise with probabilities ∝ exp(−(|z|/wide)^power) on whole numbers, with what is far away in one outcome on each side."""
    far = centre + math.ceil(40 * wide) + 2 * reach
    weights = {z: math.exp(-((abs(z) / wide) ** power)) for z in range(-far, far + 1)}
    whole, law = math.fsum(weights.values()), dict.fromkeys(range(-reach, reach + 1), 0.0)
    for z, weight in weights.items():
        law[min(max(centre + z, -reach), reach)] += weight / whole
    return law


def generalized(centre: float, wide: float, power: float) -> Law:
    """Noise of density ∝ exp(−(|x|/wide)^power), in cells."""
    from scipy.special import gammaincc

    def below(x: float) -> float:
        tail = float(gammaincc(1 / power, (abs(x) / wide) ** power)) / 2
        return tail if x < 0 else 1 - tail

    return rounded(centre, [wide * i / 2 for i in range(-3, 4)], below)


# ---------------------------------------------------------------------------------------------------------------------
# Neighbours

CELLS = {
    "id": ("a", "b"),
    "c": (0, 1),
    "g": (Fraction(0), Fraction(2)),
    "h": (None, Fraction(0)),
    "z": (Fraction(0), Fraction(2)),
}
"""What is in a column."""
ROWS_OF_M = 2
"""How many rows a table has whose size is a variable."""
TURNS = 2
"""Every other number that a run gives."""


def lines(columns: Sequence[t.Column], rows: Sequence[tuple[Any, ...]]) -> Table:
    names = tuple(each.name for each in columns)
    return Table(tuple(rows), len(names), names, tuple(CELLS[str(name)][0] for name in names))


def some_lines(source: random.Random, columns: Sequence[t.Column], count: int) -> Table:
    choices = list(product(*(CELLS[str(each.name)] for each in columns)))
    return lines(columns, source.choices(choices, k=count))


def blocks(source: random.Random, persons: Persons, least: int) -> list[Table]:
    """The rows of a person, of which one is in the first file at least where the person would not be there else."""
    files = [columns_of(file) for _, file in persons.files]
    return [in_order(some_lines(source, file, source.randint(0 if at else least, 2))) for at, file in enumerate(files)]


def neighbours(source: random.Random, function: t.PFun) -> tuple[list[Any], list[Any], PrivacyUnit]:
    """The arguments of a program, others in which one row or person came, went or, where their number is fixed, changed; and
    the unit that moved."""
    parameters = function.parameters
    before, after = [drawn(source, function)] * 2
    unit = source.choice([each for each in units_of(parameters) if isinstance(each.parameters[0].type, t.Matrix)])
    place = source.random()
    for at, parameter in enumerate(parameters):
        if parameter in unit.parameters:
            after = [*after[:at], stepped(source, parameter.type, before[at], place), *after[at + 1 :]]
    return (before, after, unit) if source.random() < 0.5 else (after, before, unit)


def drawn(source: random.Random, function: t.PFun) -> list[Any]:
    """Arguments of a program; all tables whose size is not a number have as many rows."""
    found: list[Any] = []
    has_sizes = any(kind.name != "n" for kind in function.kinds)
    most = ROWS_OF_M if has_sizes else source.randint(1, 3)
    for parameter in function.parameters:
        persons = persons_of(parameter.type)
        match parameter.type:
            case t.Matrix(rows=rows) if persons is not None:
                who, least = CELLS[str(persons.identifier.name)], 0 if rows else 1
                width, names = 1 + len(persons.files), (persons.identifier.name, *persons.names)
                people = tuple((each, *blocks(source, persons, least)) for each in who)
                found.append(Table(people, width, names, (who[0], *blocks(source, persons, 0))))
            case t.Matrix(rows=rows, schema=t.Columns(columns)):
                count = most if rows is None or rows.constant is None else int(rows.constant)
                found.append(some_lines(source, columns, count))
            case t.StaticNat():
                found.append(TURNS)
            case _:
                found.append(frozenset(CELLS["id"]))
    return found


def stepped(source: random.Random, type_: t.Type, table: Table, place: float) -> Table:
    """The table after one step, which is in the same place of all tables of a unit."""
    assert isinstance(type_, t.Matrix)
    rows, at, persons = list(table.rows), int(place * len(table.rows)), persons_of(type_)
    if type_.rows is None:
        return table.with_rows((*rows[:at], *rows[at + 1 :]))
    if persons is not None:
        rows[at] = (rows[at][0], *blocks(source, persons, 0))
    else:
        assert isinstance(type_.schema, t.Columns)
        choices = product(*(CELLS[str(each.name)] for each in type_.schema.columns))
        rows[at] = source.choice([row for row in choices if row != rows[at]])
    return table.with_rows(tuple(rows))


# ---------------------------------------------------------------------------------------------------------------------
# Claims


@frozen
class Stated:
    """All numbers that are stated of a cost: by notion, by δ, by order."""

    prices: Mapping[Notion, tuple[float, ...]]
    certified: Mapping[float, float]
    curve: Mapping[float, float]


def stated_of(cost: Cost, kinds: Kinds, deltas: Sequence[float]) -> Stated:
    prices: dict[Notion, tuple[float, ...]] = {}
    for notion in NOTIONS:
        found = numbers(cost, notion, kinds)
        if not isinstance(found, Refusal):
            prices[notion] = tuple(math.inf if part is None else part for part in found.values())
    certified = {delta: tight(cost, kinds, delta).epsilon for delta in deltas}
    parts = composition(settled_term(cost, kinds), {})
    has_curve = parts is not None and total_leak(parts) == 0
    curve = {order: renyi_of(parts, order) for order in ORDERS} if has_curve else {}
    return Stated(prices, certified, curve)


def numbered(pair: Pair) -> Pair:
    """The same laws with numbers for outcomes, which are looked up fast."""
    numbers = {outcome: at for at, outcome in enumerate({**pair[0], **pair[1]})}
    one, other = ({numbers[outcome]: chance for outcome, chance in law.items() if chance > 0} for law in pair)
    return one, other


def refuted(stated: Stated, pair: Pair) -> Iterator[str]:
    """What two laws refute."""
    for notion, parts in stated.prices.items():
        part = spent(notion, parts, pair)
        if part > 1 + TOLERANCE:
            yield f"{part} of its cost {parts} in {notion} is spent"
    for delta, eps in stated.certified.items():
        lost = both_ways(lambda both, eps=eps: hockey_stick(both, eps), pair) if eps < 700 else 0.0
        if lost > delta * (1 + TOLERANCE) + 1e-12:
            yield f"its δ at ε = {eps} is {lost}, and {delta} is certified"
    for order, eps in stated.curve.items():
        lost = both_ways(lambda both, order=order: renyi(both, order), pair)
        if lost > eps * (1 + TOLERANCE) + 1e-12:
            yield f"its divergence of order {order} is {lost}, and {eps} is stated"


def kept_promise(typed: Typed, kinds: Kinds) -> tuple[float, ...] | None:
    """What the program promises of its cost; None if it is not kept, or nothing is promised."""
    assert isinstance(typed.file.body, ast.PLam)
    own = {each.span for each in typed.file.body.ensures}
    (promise,) = [each for each in typed.promises if each.limits[0].span in own] or [None]
    if promise is None or any(breaches for _, breaches in (settle(each, kinds) for each in typed.promises)):
        return None
    limits = {each.letter: number_at(each.bound, kinds) for each in promise.limits}
    return tuple(float(limits[letter]) for letter in typed.notion.letters)


def examined_law(seed: int, counts: Counter[str], pairs: int = PAIRS) -> str | None:
    """What is wrong with what is stated of a random program; None where nothing is."""
    notion = NOTIONS[seed % len(NOTIONS)]
    return examined(seed, parsed(random_program_with_a_law(seed, notion)), notion, counts, pairs)


def examined_wider(seed: int, counts: Counter[str], pairs: int = PAIRS) -> str | None:
    """The same of a program of further forms."""
    notion = NOTIONS[seed % len(NOTIONS)]
    return examined(seed, wider_program(seed, notion), notion, counts, pairs)


def examined(seed: int, file: ast.File, notion: Notion, counts: Counter[str], pairs: int) -> str | None:
    """What is wrong with what is stated of a program; None where nothing is."""
    typed = check_tree(file, notion)
    if not typed.ok or not isinstance(typed.type, t.PFun):
        counts["refused"] += 1
        counts.update(f"refused: {each.code}" for each in typed.diagnostics[:1])
        return None
    counts["accepted"] += 1
    source = random.Random(f"neighbours {seed}")
    kinds: dict[KindVar, Fraction] = {}
    for parameter, value in zip(typed.type.parameters, drawn(source, typed.type), strict=True):
        read_kinds(parameter.type, value, kinds)
    if not all(holds(condition, kinds) for condition in about(typed.obligations, kinds)):
        counts["without a guarantee"] += 1
        return None
    units = [each for each in units_of(typed.type.parameters) if isinstance(each.parameters[0].type, t.Matrix)]
    claims = {unit: stated_of(unit.cost, kinds, source.sample(DELTAS, 2)) for unit in units}
    promise = kept_promise(typed, kinds)
    counts["promised"] += promise is not None
    counts["finite"] += any(math.inf not in parts for claim in claims.values() for parts in claim.prices.values())
    laws = Coarse(typed.annotations)
    assert typed.body is not None
    function = laws.of(typed.body, {}, {})
    for _ in range(pairs):
        before, after, unit = neighbours(source, typed.type)
        try:
            pair = numbered((laws.called(function, before), laws.called(function, after)))
        except TooManyOutcomes:
            counts["too large"] += 1
            return None
        counts["pairs"] += 1
        own = claims[unit].prices.get(notion)
        counts["close"] += own is not None and spent(notion, own, pair) > 0.5
        found = list(refuted(claims[unit], pair))
        if promise is not None and spent(notion, promise, pair) > 1 + TOLERANCE:
            found.append(f"{promise} is promised")
        for wrong in found:
            return f"{notion}: {wrong}\n{show_file(file)}\n{unit.names} {unit.cost}\n{before}\n{after}"
    return None
