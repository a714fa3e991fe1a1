"""The second checker's judgement: what an expression's type is, and by how much it multiplies each input's move.

A second checker, slow and made to be read, that shares only the syntax tree with the first. It judges a program at *numbers* for
its kind variables, so it has no algebra: a sensitivity is an enclosure of a real number. Written from the rules of the language,
form by form. Programs are taken to be well typed: what is refused is the first checker's business, what it claims is this one's.

Some rules may be sharpened by a lemma. Each is an option with a name, and without it a bound is as large or larger:

* ``diameter``: a value that cannot move by more than D moves by no more than D times the distance of an input whose distinct
  values are 1 apart;
* ``count``: the number of rows that were filtered out of a table moves by the rows replaced, not by those come and gone;
* ``aligned``: features and labels that are row by row of one table change together, in one contribution to a gradient;
* ``parts``: a pair or a record that is written out is known part by part, also under a name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import count
from typing import TypeAlias

from attrs import define, evolve, field, frozen

from duetpy.grammar import ast
from tests.soundness.reference.literals import alike
from tests.soundness.reference.metrics import (
    BOOL,
    DATA,
    DATE,
    NAT,
    REAL,
    STR,
    And,
    Arrow,
    Box,
    Disc,
    Index,
    Maybe,
    Moves,
    Plus,
    Scheme,
    SetOf,
    Static,
    Table,
    Times,
    Type,
    fits,
    forgotten,
    is_apart,
    join,
    joined,
    sum_of,
    times,
    unbounded,
    widened,
    widest,
    without,
)
from tests.soundness.reference.names import RULES
from tests.soundness.reference.numbers import INF, ONE, ZERO, Num, larger, smaller

LEMMAS = frozenset({"diameter", "count", "aligned", "parts"})
Between: TypeAlias = tuple[Num, Num]


@frozen
class Fact:
    """What is known of an expression.

    Parameters
    ----------
    type, moves
        τ and Σ.
    between
        Static bounds of a number.
    row_by_row
        An input of which row i of this table sees row i only.
    replaced
        How many rows of a table of unknown size were replaced, where that is better than how many came and went.
    factors
        Of how many numbers that were read this number is a product at most, where that is known.
    parts
        What is known of the parts of a pair or of a record that is written out.
    ordered
        Whether the rows of a table of unknown size are in one order, which what moves it at ∞ decides.
    """

    type: Type
    moves: Moves = field(factory=dict)
    between: Between | None = None
    row_by_row: int | None = None
    replaced: Moves | None = None
    ordered: bool = False
    factors: int | None = None
    parts: tuple[Fact, ...] = ()

    @property
    def length(self) -> int | None:
        """`factors`, where the type tells it too: naturals and discrete numbers are short, and known ones are in the program."""
        if isinstance(self.type, Static) or self.type in (BOOL, STR, DATE):
            return 0
        return 1 if self.type == NAT or isinstance(self.type, Disc | Index) else self.factors

    @property
    def range(self) -> Between | None:
        if self.between is None and isinstance(self.type, Static):
            return self.type.value, self.type.value
        return self.between


Scope: TypeAlias = Mapping[str, Fact]
Kinds: TypeAlias = Mapping[str, object]
"""Kind variables: numbers, or types."""


@define(eq=False)
class Reference:
    """One run over one program.

    Parameters
    ----------
    lemmas
        Those that are used.
    fired
        How often each rule was used.
    """

    lemmas: frozenset[str] = LEMMAS
    fired: Counter[str] = field(factory=Counter)
    separated: dict[int, bool] = field(factory=dict)
    numbers: count[int] = field(factory=lambda: count(1))

    def rule(self, name: str) -> None:
        assert name in RULES, name
        self.fired[name] += 1

    def input(self, type_: Type) -> int:
        root = next(self.numbers)
        self.separated[root] = is_apart(type_)
        return root

    def bound(self, type_: Type) -> tuple[int, Fact]:
        """A name that stands for itself."""
        root = self.input(type_)
        if isinstance(type_, Static):
            return root, Fact(type_)
        return root, Fact(type_, {root: ONE})

    # Judgement

    def of(self, node: ast.SExp, scope: Scope, kinds: Kinds) -> Fact:
        return self.capped(self.form(node, scope, kinds))

    def capped(self, fact: Fact) -> Fact:
        if "diameter" not in self.lemmas or not fact.moves:
            return fact
        most = widest(fact.type) if fact.between is None else fact.between[1] - fact.between[0]
        if most.is_infinite:
            return fact
        if most.is_zero:
            self.rule("diameter: one value")
            return evolve(fact, moves={})
        moves = {root: smaller(s, most) if self.separated[root] else s for root, s in fact.moves.items()}
        if moves != fact.moves:
            self.rule("diameter: at most as far as values lie apart")
        return evolve(fact, moves=moves)

    def form(self, node: ast.SExp, scope: Scope, kinds: Kinds) -> Fact:
        from tests.soundness.reference import primitives, tables

        match node:
            case ast.Var(name=name):
                self.rule("variable")
                return scope[name]
            case (
                ast.NatLit()
                | ast.RealLit()
                | ast.StrLit()
                | ast.BoolLit()
                | ast.DateLit()
                | ast.StaticNat()
                | ast.StaticReal()
            ):
                return self.literal(node, kinds)
            case ast.Prim():
                return primitives.of(self, node, scope, kinds)
            case ast.Let(name=name, bound=bound, body=body):
                self.rule("let")
                return self.of(body, {**scope, name.text: self.of(bound, scope, kinds)}, kinds)
            case ast.LetPair():
                return self.let_pair(node, scope, kinds)
            case ast.Lam():
                return self.function(node, scope, kinds)
            case ast.App() | ast.TypeApp():
                return self.application(node, scope, kinds)
            case ast.Pair(left=left, right=right, lazy=lazy):
                self.rule("pair: &" if lazy else "pair: ×")
                parts = first, second = self.of(left, scope, kinds), self.of(right, scope, kinds)
                if lazy:
                    return Fact(And(first.type, second.type), join(first.moves, second.moves), parts=parts)
                return Fact(Times(first.type, second.type), sum_of(first.moves, second.moves), parts=parts)
            case ast.Inject(side=side, other=other, arg=arg):
                assert other is not None
                self.rule("inl" if side == "inl" else "inr")
                inner, beside = self.of(arg, scope, kinds), self.written(other, kinds)
                made = Plus(inner.type, beside) if side == "inl" else Plus(beside, inner.type)
                return Fact(made, inner.moves, factors=inner.length)
            case ast.Case():
                return self.case(node, scope, kinds)
            case ast.Nothing(type=type_):
                self.rule("none")
                return Fact(Maybe(self.written(type_, kinds)))
            case ast.CaseMissing():
                return self.case_missing(node, scope, kinds)
            case ast.SetLit(elements=elements):
                return self.set_of([self.of(element, scope, kinds) for element in elements])
            case ast.If(guard=guard, then=then, otherwise=otherwise):
                self.rule("if")
                on = self.of(guard, scope, kinds)
                sides = self.of(then, scope, kinds), self.of(otherwise, scope, kinds)
                return self.either(on.moves, *alike((then, otherwise), sides))
            case ast.Loop():
                return self.loop(node, scope, kinds)
            case _:
                return tables.of(self, node, scope, kinds)

    def literal(self, node: ast.SExp, kinds: Kinds) -> Fact:
        self.rule("literal")
        match node:
            case ast.NatLit(value=value):
                return Fact(Static(Num.exactly(value), value >= 0))
            case ast.RealLit(value=value):
                return Fact(Static(Num.exactly(value), False))
            case ast.StaticNat(value=number):
                return Fact(Static(self.number(number, kinds), True))
            case ast.StaticReal(value=number, negative=negative):
                known = self.number(number, kinds)
                return Fact(Static(known.negated() if negative else known, False))
            case ast.StrLit():
                return Fact(STR)
            case ast.DateLit():
                return Fact(DATE)
            case _:
                return Fact(BOOL)

    def let_pair(self, node: ast.LetPair, scope: Scope, kinds: Kinds) -> Fact:
        pair = self.of(node.bound, scope, kinds)
        if (x := self.written_part(pair, 0)) is not None and (y := self.written_part(pair, 1)) is not None:
            self.rule("let ⟨x, y⟩: of a written pair")
            return self.of(node.body, {**scope, node.left.text: x, node.right.text: y}, kinds)
        self.rule("let ⟨x, y⟩")
        assert isinstance(pair.type, Times | And)
        x, left = self.bound_part(pair.type.left, pair)
        y, right = self.bound_part(pair.type.right, pair)
        body = self.of(node.body, {**scope, node.left.text: left, node.right.text: right}, kinds)
        # d(p, p′) = d₁ + d₂, and the body moves by at most s₁d₁ + s₂d₂ ≤ max(s₁, s₂)(d₁ + d₂).
        on_left, on_right = body.moves.get(x, ZERO), body.moves.get(y, ZERO)
        # Of an & each part moves by as much as the pair.
        s = on_left + on_right if isinstance(pair.type, And) else larger(on_left, on_right)
        moves = sum_of(without(body.moves, x, y), times(pair.moves, s))
        return Fact(settle(body.type, {x: pair.moves, y: pair.moves}), moves, body.between, factors=body.length)

    def written_part(self, whole: Fact, place: int) -> Fact | None:
        """What is known of one part of what is written out, by the lemma of that name."""
        return whole.parts[place] if "parts" in self.lemmas and whole.parts else None

    def bound_part(self, type_: Type, whole: Fact | None = None) -> tuple[int, Fact]:
        """A part of something, as an input of its own, as long as what that holds."""
        root = self.input(type_)
        return root, Fact(type_, {root: ONE}, factors=None if whole is None else whole.factors)

    def case(self, node: ast.Case, scope: Scope, kinds: Kinds) -> Fact:
        self.rule("case")
        chosen = self.of(node.scrutinee, scope, kinds)
        assert isinstance(chosen.type, Plus)
        x = Fact(chosen.type.left, chosen.moves, factors=chosen.factors)
        y = Fact(chosen.type.right, chosen.moves, factors=chosen.factors)
        left = self.of(node.left_body, {**scope, node.left.text: x}, kinds)
        right = self.of(node.right_body, {**scope, node.right.text: y}, kinds)
        result = self.either({}, left, right)
        # Across the sides the distance is ∞, and so was the move that led there.
        return evolve(result, moves=join(result.moves, chosen.moves))

    def case_missing(self, node: ast.CaseMissing, scope: Scope, kinds: Kinds) -> Fact:
        self.rule("case: some, none")
        chosen = self.of(node.scrutinee, scope, kinds)
        assert isinstance(chosen.type, Maybe)
        # Any step may lead from a value to none, or to any other value.
        value = Fact(chosen.type.inner, unbounded(chosen.moves))
        there = self.of(node.there, {**scope, node.name.text: value}, kinds)
        absent = self.of(node.absent, scope, kinds)
        return self.either(chosen.moves, *alike((node.there, node.absent), (there, absent)))

    def either(self, guard: Moves, left: Fact, right: Fact) -> Fact:
        """The guard at ∞ and the larger of two branches."""
        moves = sum_of(unbounded(guard), join(left.moves, right.moves))
        between = None
        if left.range is not None and right.range is not None:
            (a, b), (c, d) = left.range, right.range
            between = larger(a.negated(), c.negated()).negated(), larger(b, d)
        return Fact(joined(left.type, right.type), moves, between, factors=longest(left, right))

    def set_of(self, elements: list[Fact]) -> Fact:
        self.rule("℘")
        element = elements[0].type
        for fact in elements[1:]:
            element = joined(element, fact.type)
        moves = sum_of(*(fact.moves if is_apart(fact.type) else unbounded(fact.moves) for fact in elements))
        element = widened(element)
        return Fact(SetOf(DATA if element == REAL else element), moves)

    # Loops

    def loop(self, node: ast.Loop, scope: Scope, kinds: Kinds) -> Fact:
        turns, init = self.of(node.count, scope, kinds), self.of(node.init, scope, kinds)
        state_type = widened(init.type)
        state = self.input(state_type)
        inside = {**scope, node.index.text: Fact(NAT), node.state.text: Fact(state_type, {state: ONE})}
        body = self.of(node.body, inside, kinds)
        rest = without(body.moves, state)
        k = turns.type.value if isinstance(turns.type, Static) else None
        self.rule("loop: k turns" if k is not None else "loop: unknown turns")
        on_init, on_rest = repeated(body.moves.get(state, ZERO), k)
        moves = sum_of(unbounded(turns.moves), times(init.moves, on_init), times(rest, on_rest))
        return Fact(settle(state_type, {state: sum_of(rest, init.moves)}), moves)

    # Functions

    def function(self, node: ast.Lam, scope: Scope, kinds: Kinds) -> Fact:
        if node.kinds:
            self.rule("function: with kinds")
            return Fact(Scheme(node, scope, kinds))
        self.rule("function")
        return self.abstraction(node, scope, kinds)

    def abstraction(self, node: ast.Lam, scope: Scope, kinds: Kinds, factors: int | None = None) -> Fact:
        inside, roots, types = dict(scope), [], []
        for param in node.params:
            assert param.type is not None
            type_ = self.written(param.type, kinds)
            root, fact = self.bound(type_)
            fact = evolve(fact, factors=factors)
            inside[param.name.text] = evolve(fact, row_by_row=root) if is_rows(type_) else fact
            roots.append(root)
            types.append(type_)
        body = self.of(node.body, inside, kinds)
        here = body.type
        rosters = {
            param.type.roster.name
            for param in node.params
            if isinstance(param.type, ast.TPersons) and param.type.roster is not None
        }
        for _ in rosters:
            self.rule("persons: on a roster")
        for param, root, type_ in zip(reversed(node.params), reversed(roots), reversed(types), strict=True):
            # With another roster the persons are others.
            move = INF if param.name.text in rosters else body.moves.get(root, ZERO)
            here = Arrow(type_, move, here)
        return Fact(here, without(body.moves, *roots))

    def application(self, node: ast.SExp, scope: Scope, kinds: Kinds) -> Fact:
        arguments: list[ast.SExp] = []
        while isinstance(node, ast.App):
            arguments.append(node.argument)
            node = node.function
        explicit: tuple[ast.RExp | ast.Type, ...] = ()
        if isinstance(node, ast.TypeApp):
            explicit, node = node.arguments, node.function
        function = self.of(node, scope, kinds)
        given = [self.of(argument, scope, kinds) for argument in arguments]
        given.reverse()
        if isinstance(function.type, Scheme):
            self.rule("application: kinds written" if explicit else "application: kinds inferred")
            function = self.instance(function, explicit, given, kinds)
        for argument in given:
            arrow = function.type
            assert isinstance(arrow, Arrow)
            price = fits(argument.type, arrow.domain)
            assert price is not None, (argument.type, arrow.domain)
            self.rule("application" if price.is_one else "application: at the price of another metric")
            moves = sum_of(function.moves, times(argument.moves, arrow.sensitivity * price))
            function = self.capped(Fact(arrow.codomain, moves))
        return function

    def instance(
        self, function: Fact, explicit: tuple[ast.RExp | ast.Type, ...], given: list[Fact], kinds: Kinds
    ) -> Fact:
        scheme = function.type
        assert isinstance(scheme, Scheme)
        inside = dict(scheme.kinds)
        if explicit:
            for binding, argument in zip(scheme.node.kinds, explicit, strict=True):
                inside[binding.name] = self.kind_argument(binding, argument, kinds)
        else:
            wanted = {binding.name for binding in scheme.node.kinds}
            found: dict[str, object] = {}
            for param, argument_fact in zip(scheme.node.params, given, strict=False):
                assert param.type is not None
                read_off(param.type, argument_fact.type, wanted, found)
            inside.update(found)
        own = set()
        for binding in scheme.node.kinds:
            value = inside[binding.name]
            if isinstance(value, Num):
                mark = f"{binding.name}/{next(self.numbers)}"
                own.add(mark)
                inside[binding.name] = evolve(value, of=value.of | {mark})
        scope = {name: fact for name, fact in scheme.scope.items() if isinstance(fact, Fact)}
        made = self.abstraction(scheme.node, scope, inside)
        # A charge that depends on the function's own sizes was made where they are not known: it is ∞ outside.
        captured = {root: INF if s.of & own else s for root, s in made.moves.items()}
        return Fact(forgotten(made.type, own), sum_of(function.moves, captured))

    def kind_argument(self, binding: ast.KindBinding, argument: ast.RExp | ast.Type, kinds: Kinds) -> object:
        if binding.kind is not ast.Kind.TYPE:
            assert isinstance(argument, ast.RVar | ast.RNum | ast.RInf | ast.RBin | ast.RFun)
            return self.number(argument, kinds)
        if isinstance(argument, ast.RVar):
            return kinds[argument.name]
        assert not isinstance(argument, ast.RNum | ast.RInf | ast.RBin | ast.RFun)
        return self.written(argument, kinds)

    # What is written

    def number(self, node: ast.RExp, kinds: Kinds) -> Num:
        from tests.soundness.reference.written import number

        return number(node, kinds)

    def written(self, node: ast.Type, kinds: Kinds) -> Type:
        from tests.soundness.reference.written import type_of

        return type_of(node, kinds)


GREATEST = Num.exactly(1 << 1024)
"""Natural numbers stop here in a run, unless they are static."""


def stopped(bounds: Between) -> Between:
    """Bounds on natural numbers that stop where those of a run do."""
    return bounds if bounds[1] <= GREATEST else (ZERO, bounds[1])


def longest(*facts: Fact) -> int | None:
    """The factors of what is as long as the longest of these."""
    lengths = [fact.length for fact in facts]
    return None if None in lengths else max(length for length in lengths if length is not None)


def read_off(node: ast.Type, actual: Type, wanted: set[str], found: dict[str, object]) -> None:
    from tests.soundness.reference.written import read_off as go

    go(node, actual, wanted, found)


def is_rows(type_: Type) -> bool:
    return isinstance(type_, Table) and type_.rows is not None


def repeated(s: Num, turns: Num | None) -> tuple[Num, Num]:
    """s^k, and 1 + s + … + s^(k−1): what k turns make of a move of the state and of one of the rest.

    For s ≤ 1 they are at most 1 and k. For s > 1 they are finite for a numeral k only. For 0 < s < 1 all powers of s add up to
    1/(1 − s).
    """
    everything = INF if s.is_infinite or s.is_zero or not s < ONE else ONE / (ONE - s)
    if turns is None:
        return (ONE if s <= ONE else INF), everything
    if not turns.is_numeral:
        return (ONE, ONE if s.is_zero else smaller(turns, everything)) if s <= ONE else (INF, INF)
    k = int(turns.floor)
    if s.is_infinite:
        return (INF if k else ONE), (ZERO if k == 0 else ONE if k == 1 else INF)
    total = ZERO
    for turn in range(k):
        total = total + s**turn
    return s**k, total


def settle(type_: Type, payments: Mapping[int, Moves]) -> Type:
    """A type whose boxes owe to inputs that close: they owe to what these stood for."""
    match type_:
        case Box(debt, inner):
            paid = [times(payment, debt.get(root, ZERO)) for root, payment in payments.items()]
            return Box(sum_of(without(debt, *payments), *paid), settle(inner, payments))
        case Times(left, right):
            return Times(settle(left, payments), settle(right, payments))
        case And(left, right):
            return And(settle(left, payments), settle(right, payments))
        case Plus(left, right):
            return Plus(settle(left, payments), settle(right, payments))
        case Arrow(domain, s, codomain):
            return Arrow(settle(domain, payments), s, settle(codomain, payments))
        case Table():
            columns = tuple((name, settle(column, payments)) for name, column in type_.columns)
            return evolve(type_, columns=columns)
        case _:
            return type_
