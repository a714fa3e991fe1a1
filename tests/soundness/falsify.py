"""The search for counterexamples: programs are run on pairs of inputs, and what comes out is held against what was claimed.

A claim ``τ₁ ⊸[s₁] … ⊸[sₖ] σ`` says d(f x, f y) ≤ s₁⋅d(x₁, y₁) + … + sₖ⋅d(xₖ, yₖ) for all x and y, whichever of the arguments
move, at every value of the kind variables for which the program's obligations hold.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from attrs import Factory, evolve, frozen

from duetpy.grammar import ast
from duetpy.grammar.ast import Kind
from duetpy.grammar.compare import children
from duetpy.grammar.parser import parse_file
from duetpy.source import Source
from duetpy.typecheck import rewriting
from duetpy.typecheck import types as t
from duetpy.typecheck.check import Typed, check_file
from duetpy.typecheck.conditions import Obligation
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import KindVar, Quantity
from tests.soundness.definition import Meaning
from tests.soundness.drawing import Drawer, on_rosters, rosters_of
from tests.soundness.metrics import distance
from tests.soundness.plain import Left, Number, Right, Table

Kinds = Mapping[KindVar, Fraction]
Meant = Callable[[Kinds, Sequence[Any]], Any]

SIZES = (Fraction(1), Fraction(2), Fraction(3))
REALS = (Fraction(1, 2), Fraction(1), Fraction(3))


class Refused(Exception):
    """The checker refused the program; the codes of its diagnostics."""


class IllScoped(Exception):
    """A claim mentions a kind variable that nothing around it binds: whoever reads it takes it for another one."""


@frozen
class Parameter:
    name: str
    type: t.Type
    sensitivity: Quantity


@frozen(eq=False)
class Program:
    """A sensitivity function with what the checker claims of it.

    Parameters
    ----------
    text
        As written, for messages.
    typed
        What the checker concluded.
    kinds, parameters, result
        ∀ kinds . parameters ⊸ result, the curried arrows laid flat.
    rosters
        The places of tables of persons, each with that of its roster.
    """

    text: str
    typed: Typed
    kinds: tuple[KindVar, ...]
    parameters: tuple[Parameter, ...]
    result: t.Type
    rosters: Mapping[int, int] = Factory(dict)

    @property
    def landmarks(self) -> tuple[Fraction, ...]:
        assert self.typed.body is not None
        return numbers_in(self.typed.body)

    @property
    def is_exact(self) -> bool:
        """Whether the program computes with rational numbers only."""
        assert self.typed.body is not None
        return not any(isinstance(node, ast.Prim) and node.name in ROUNDING for node in nodes(self.typed.body))

    def at(self, kinds: Kinds) -> Program:
        """The claim at numbers for its kind variables."""
        mapping: dict[KindVar, rewriting.Replacement] = {
            variable: Quantity.of(value) for variable, value in kinds.items()
        }
        sizes = {variable: Quantity.of(value) for variable, value in kinds.items()}
        return evolve(
            self,
            parameters=tuple(
                Parameter(p.name, rewriting.substitute(p.type, mapping), p.sensitivity.substitute(sizes))
                for p in self.parameters
            ),
            result=rewriting.substitute(self.result, mapping),
        )


@frozen
class Trial:
    """One pair of inputs: how far apart the results are, and how far apart they may be."""

    moved: Number
    allowed: Number
    before: tuple[Any, ...]
    after: tuple[Any, ...]
    results: tuple[Any, Any]
    kinds: tuple[tuple[str, Fraction], ...]
    exact: bool

    @property
    def ratio(self) -> float:
        """1 where the claim is met exactly, above 1 where it is refuted."""
        if not self.moved:
            return 0.0
        if self.allowed == math.inf:
            return 0.0
        try:
            return float(self.moved / self.allowed) if self.allowed else math.inf
        except OverflowError:
            return math.inf

    @property
    def refutes(self) -> bool:
        if self.allowed == math.inf or self.moved <= self.allowed:
            return False
        exact = self.exact and isinstance(self.moved, int | Fraction) and isinstance(self.allowed, int | Fraction)
        # Where roots and logarithms came in, both sides carry rounding errors of the size of the results.
        return exact or self.moved > self.allowed * (1 + 1e-9) + 1e-9 * (1 + max(map(magnitude, self.results)))


def magnitude(value: Any) -> float:
    match value:
        case bool():
            return 0.0
        case int() | Fraction() | float():
            return abs(float(value))
        case Table(rows):
            return max((magnitude(entry) for row in rows for entry in row), default=0.0)
        case tuple():
            return max(map(magnitude, value), default=0.0)
        case Left(inner) | Right(inner):
            return magnitude(inner)
        case _:
            return 0.0


def check(text: str, notion: Notion = Notion.APPROX) -> Typed:
    """What the checker concludes about a text."""
    source = Source("program.duet", text)
    file, diagnostics = parse_file(source)
    return check_tree(file, notion, diagnostics)


def check_tree(file: ast.File, notion: Notion = Notion.APPROX, syntax: Sequence[Any] = ()) -> Typed:
    return check_file(
        file, name="program.duet", notion=notion, notion_origin="default", load=lambda _, __: None, syntax=tuple(syntax)
    )


def program(text: str) -> Program:
    return claims(check(text), text)


def claims(typed: Typed, text: str) -> Program:
    """What is claimed about a program; raises `Refused` where it was refused."""
    if not typed.ok or typed.type is None:
        raise Refused(*(f"{d.code} {d.message}" for d in typed.diagnostics))
    kinds: list[KindVar] = []
    parameters: list[Parameter] = []
    here = typed.type
    while isinstance(here, t.Fun):
        kinds.extend(here.kinds)
        foreign = here.sensitivity.variables() - set(kinds)
        if foreign:
            raise IllScoped(f"{here.name}: {here.sensitivity.show()} mentions {', '.join(v.name for v in foreign)}")
        parameters.append(Parameter(here.name, here.domain, here.sensitivity))
        here = here.codomain
    rosters = rosters_of([parameter.name for parameter in parameters], [parameter.type for parameter in parameters])
    return Program(text, typed, tuple(kinds), tuple(parameters), here, rosters)


ROUNDING = frozenset({"√", "㏒", "exp", "tanh", "mclip", "∇", "U∇", "row∇", "step∇"})
"""Primitives with irrational values."""


def nodes(node: ast.Node) -> Iterator[ast.Node]:
    pending = [node]
    while pending:
        here = pending.pop()
        yield here
        pending.extend(children(here))


def numbers_in(node: ast.Node) -> tuple[Fraction, ...]:
    """The numerals of a program."""
    literals = (here for here in nodes(node) if isinstance(here, ast.NatLit | ast.RealLit | ast.RNum))
    return tuple(sorted({Fraction(literal.value) for literal in literals}))


def by_definition(claim: Program) -> Meant:
    """The program as the reference reads it."""
    meaning = Meaning(claim.typed.annotations)

    def run(kinds: Kinds, arguments: Sequence[Any]) -> Any:
        assert claim.typed.body is not None
        value = meaning.of(claim.typed.body, {}, kinds)
        for argument in arguments:
            value = value(argument)
        return value

    return run


def holds(obligation: Obligation, kinds: Kinds) -> bool:
    for test in obligation.under:
        low, high = (side.evaluate(kinds, up=True) for side in test.sides())
        if not (low < high or (not test.strict and low == high)):
            return True
    left, right = obligation.left.evaluate(kinds, up=True), obligation.right.evaluate(kinds, up=False)
    match obligation.relation:
        case "<":
            return bool(left < right)
        case "≤":
            return bool(left <= right)
        case "∣":
            return Fraction(right) % Fraction(left) == 0
        case other:
            raise TypeError(other)


def valuations(claim: Program, source: random.Random) -> Iterator[Kinds]:
    """Numbers for the kind variables that meet the program's obligations, in random order."""
    choices = [SIZES if variable.kind is Kind.NAT else REALS for variable in claim.kinds]
    everything = (
        list(product(*choices)) if len(choices) <= 5 else [tuple(map(source.choice, choices)) for _ in range(50)]
    )
    source.shuffle(everything)
    for numbers in everything:
        kinds = dict(zip(claim.kinds, numbers, strict=True))
        if all(holds(obligation, kinds) for obligation in about(claim.typed.obligations, kinds)):
            yield kinds


def about(obligations: Sequence[Obligation], kinds: Kinds) -> Iterator[Obligation]:
    """The obligations of the program itself; those of a function inside it are seen to where it is called."""
    for obligation in obligations:
        if obligation.variables() <= kinds.keys():
            yield obligation


def allowed(claim: Program, before: Sequence[Any], after: Sequence[Any]) -> Number:
    """s₁⋅d(x₁, y₁) + …; an argument that is the same counts nothing, however sensitive the result is to it."""
    total: Number = Fraction(0)
    for parameter, x, y in zip(claim.parameters, before, after, strict=True):
        if is_same(x, y) or parameter.sensitivity.is_zero:
            continue
        factor = parameter.sensitivity.evaluate({}, up=True)
        apart = distance(parameter.type, x, y, up=True)
        if factor == math.inf or apart == math.inf:
            return math.inf
        total += factor * apart
    return total


def is_same(left: Any, right: Any) -> bool:
    return left is right or (not callable(left) and bool(left == right))


def trials(claim: Program, meant: Meant, source: random.Random, count: int) -> Iterator[Trial]:
    """Random pairs of inputs at random kinds."""
    landmarks, exact = claim.landmarks, claim.is_exact
    everything = list(valuations(claim, source))
    if not everything:
        return
    drawer = Drawer(source, landmarks)
    for number in range(count):
        kinds = everything[number // 3 % len(everything)]
        yield trial(claim.at(kinds), meant, kinds, drawer, exact)


def trial(here: Program, meant: Meant, kinds: Kinds, drawer: Drawer, exact: bool) -> Trial:
    before: list[Any] = []
    for parameter in here.parameters:
        alike = [x for x, other in zip(before, here.parameters, strict=False) if other.type == parameter.type]
        tie = alike and drawer.random.random() < 0.25
        before.append(drawer.random.choice(alike) if tie else drawer.draw(parameter.type))
    before = on_rosters(here.rosters, before)
    after = list(before)
    one = drawer.random.random() < 0.7 and len(before) > 0
    chosen = [drawer.random.randrange(len(before))] if one else range(len(before))
    for i in chosen:
        after[i] = drawer.move(here.parameters[i].type, before[i])
    return outcome(here, meant, kinds, before, on_rosters(here.rosters, after), exact)


def arguments_for(here: Program, drawer: Drawer) -> list[Any]:
    """Arguments of a program."""
    return on_rosters(here.rosters, [drawer.draw(parameter.type) for parameter in here.parameters])


def outcome(
    here: Program, meant: Meant, kinds: Kinds, before: Sequence[Any], after: Sequence[Any], exact: bool = True
) -> Trial:
    """A claim at given kinds, run on a given pair."""
    first, second = meant(kinds, before), meant(kinds, after)
    return Trial(
        distance(here.result, first, second),
        allowed(here, before, after),
        tuple(before),
        tuple(after),
        (first, second),
        tuple((variable.name, value) for variable, value in kinds.items()),
        exact,
    )


@frozen
class Search:
    """What a search found.

    Parameters
    ----------
    refutation
        A pair of inputs that refutes the claim, if any.
    worst
        The largest part of what is allowed that was seen.
    alone
        The same for each argument, where it alone moved.
    """

    refutation: Trial | None
    worst: float
    alone: tuple[float, ...]


PATIENCE = 20
"""How many times more pairs are run, if nothing else is said, for a ratio that was not seen yet."""


def searched(
    claim: Program,
    meant: Meant,
    count: int,
    seed: int = 0,
    enough: float = 0.0,
    wanted: Sequence[int] = (),
    most: int | None = None,
) -> Search:
    """Run `count` pairs, and up to `most` while the ratio `enough` was not seen of the `wanted` arguments.

    A refutation stops.
    """
    seen = 0.0
    alone = [0.0] * len(claim.parameters)
    for number, found in enumerate(trials(claim, meant, random.Random(seed), most or PATIENCE * count)):
        if number >= count and all(alone[position] >= enough for position in wanted):
            break
        seen = max(seen, found.ratio)
        moved = [i for i, (x, y) in enumerate(zip(found.before, found.after, strict=True)) if not is_same(x, y)]
        if len(moved) == 1:
            alone[moved[0]] = max(alone[moved[0]], found.ratio)
        if found.refutes:
            return Search(found, found.ratio, tuple(alone))
    return Search(None, seen, tuple(alone))


def refutation(claim: Program, count: int = 60, seed: int = 0, meant: Meant | None = None) -> Trial | None:
    """A pair of inputs that refutes the claim, if the search finds one."""
    return searched(claim, by_definition(claim) if meant is None else meant, count, seed).refutation


def explained(claim: Program, found: Trial) -> str:
    """A refutation in words."""
    return (
        f"{claim.text}\n  at {dict(found.kinds)}\n  {found.before}\n  {found.after}\n  gives {found.results[0]}\n"
        f"  and   {found.results[1]}\n  which are {found.moved} apart, {found.allowed} allowed"
    )
