"""The checker's state and its two judgements' entry points.

    Γ ⊢ e : τ ; Σ        `Checker.judge`           rules in sensitivity.py, functions.py, matrices.py, primitives.py
    Γ ⊢ p : τ ; Π        `Checker.judge_private`   rules in privacy.py, mechanisms.py

Every expression is judged exactly once, so each diagnostic is told once and each annotation is written once. An
expression that was refused has the poisoned type, which fits everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from attrs import define, evolve, field

from duetpy.depth import DEEPER
from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.grammar import ast
from duetpy.source import Span
from duetpy.typecheck import capacity, errors
from duetpy.typecheck.conditions import Condition, Obligation, strongest
from duetpy.typecheck.context import EMPTY, Context
from duetpy.typecheck.core import Annotations
from duetpy.typecheck.cost import Notion
from duetpy.typecheck.judged import Charged, Judged
from duetpy.typecheck.quantity import ONE, Comparison, KindVar, Quantity, QuantityTooLarge, Relation
from duetpy.typecheck.scope import Scope
from duetpy.typecheck.types import POISON, Poison, StaticNat, StaticReal, Type, is_discrete, is_unwieldy

if TYPE_CHECKING:
    from duetpy.typecheck.deferred import Deferred

ARITHMETIC = frozenset("+-⋅/")
"""What makes longer and longer fractions."""

MAX_DIAGNOSTICS = 100
"""So many are told of one program at most, as of its text."""


@define
class Checker:
    """One run of the checker over one program."""

    notion: Notion
    scope: Scope = field(factory=Scope)
    told: dict[Diagnostic, None] = field(factory=dict)
    """What is wrong, in the order in which it was found."""
    conditions: dict[Condition, None] = field(factory=dict)
    """What is left to be shown of the numbers around the place that is being judged: the sizes and parameters of the functions
    that it stands in."""
    tests: tuple[Comparison, ...] = ()
    """The tests on static numbers under which that place is reached."""
    annotations: Annotations = field(factory=Annotations)
    repeats: Quantity = ONE
    """How often the place that is being judged runs, for the report of releases."""
    expected: dict[ast.Param, Type] = field(factory=dict)
    """The types of parameters that were left out and that the arguments of the function say."""
    deferred: list[Deferred] = field(factory=list)
    """Functions bound by let that wait for their first use to say the types of their parameters."""
    concluded: dict[ast.Node, Judged] = field(factory=dict)
    """What was concluded of each expression, for messages that look for a cause."""
    counted: dict[ast.SExp, tuple[str, ...]] = field(factory=dict)
    """The numbers of turns that move with an input, and the names of those inputs."""
    disputed: set[ast.Node] = field(factory=set)
    """The expressions that were judged several times, not always alike."""
    refused: list[ast.Node] = field(factory=list)
    """The expressions of either language that have the poisoned type: if there is one, there is a reason why."""

    @property
    def diagnostics(self) -> list[Diagnostic]:
        return list(self.told)

    def report(self, diagnostic: Diagnostic) -> None:
        """Tell of something wrong, once; of more than a person reads only that it is more than nothing."""
        if len(self.told) < MAX_DIAGNOSTICS or (diagnostic.is_error and not any(told.is_error for told in self.told)):
            self.told[diagnostic] = None

    def refuse(self, diagnostic: Diagnostic, context: Context) -> Judged:
        """Report, and go on with the poisoned type."""
        self.report(diagnostic)
        return Judged(POISON, context)

    def obligate(self, left: Quantity, relation: Relation, right: Quantity, reason: str, span: Span) -> None:
        """Demand a relation of static numbers: proved now, refused now, or left to be shown of the actual numbers."""
        self.demand(Obligation(left, relation, right, reason, span))

    def demand(self, condition: Condition) -> None:
        """Demand a condition at this place, and so under the tests around it."""
        tests = dict.fromkeys(test for test in (*self.tests, *condition.under) if not test.opposite().fails({}))
        here = evolve(condition, under=tuple(tests))
        holds = here.decided() if isinstance(here, Obligation) else None
        if holds is False:
            assert isinstance(here, Obligation)
            self.report(errors.obligation_fails(here))
        elif holds is None:
            self.conditions.setdefault(here)

    @contextmanager
    def under(self, test: Comparison | None) -> Iterator[None]:
        """A branch that is reached only where a test holds."""
        outer = self.tests
        self.tests = outer if test is None else (*outer, test)
        try:
            yield
        finally:
            self.tests = outer

    @contextmanager
    def abstracting(self, kinds: tuple[KindVar, ...]) -> Iterator[list[Condition]]:
        """The body of a function over kind variables. At the end the list holds what it demands of them; what it demands of
        others is demanded around it."""
        found: list[Condition] = []
        outer, self.conditions = self.conditions, {}
        try:
            yield found
        finally:
            for condition in strongest(self.conditions):
                if condition.variables().isdisjoint(kinds):
                    outer.setdefault(condition)
                else:
                    found.append(condition)
            self.conditions = outer

    def judge(self, node: ast.SExp) -> Judged:
        """Γ ⊢ e : τ ; Σ, with the diameter lemma applied to what the rule found."""
        from duetpy.typecheck.sensitivity import judge_form

        try:
            with DEEPER:
                judged = judge_form(self, node)
            return self.settled(node, judged)
        except QuantityTooLarge:
            return self.refuse(errors.quantity_too_large(node.span), EMPTY)

    def settled(self, node: ast.SExp, judged: Judged) -> Judged:
        if is_unwieldy(judged.type):
            return self.refuse(errors.type_too_large(node.span), judged.context)
        if isinstance(judged.type, Poison):
            self.refused.append(node)
        if not isinstance(node, ast.Var):
            capacity.demanded(self, judged.type, node.span)
        before = self.concluded.get(node)
        self.concluded[node] = settled = judged.capped()
        self.annotate(node, settled, before)
        return settled

    def annotate(self, node: ast.Node, judged: Judged, before: Judged | None = None) -> None:
        """Tell the run which number an expression is, and which arithmetic may be rounded.

        What stands in the text once may be judged several times, and is run as one: where the conclusions differ, the run is
        told nothing, and computes exactly.
        """
        if before is not None and (_number_of(before), _may_round(node, before)) != (
            _number_of(judged),
            _may_round(node, judged),
        ):
            self.disputed.add(node)
            self.annotations.statics.pop(node, None)
            self.annotations.rounding.discard(node)
        if isinstance(node, ast.Map | ast.MCreate | ast.Case | ast.Update):
            body = judged if isinstance(node, ast.Case | ast.Update) else self.concluded.get(node.body)
            known = self.annotations.bodies.get(node, ())
            if body is not None and body.type not in known:
                self.annotations.bodies[node] = (*known, body.type)
        if node in self.disputed:
            return
        if (number := _number_of(judged)) is not None:
            self.annotations.statics[node] = number
        elif _may_round(node, judged):
            self.annotations.rounding.add(node)

    def judge_private(self, node: ast.PExp) -> Charged:
        """Γ ⊢ p : τ ; Π."""
        from duetpy.typecheck.privacy import judge_spine

        try:
            with DEEPER:
                charged = judge_spine(self, node)
        except QuantityTooLarge:
            self.report(errors.quantity_too_large(node.span))
            return Charged(POISON, {})
        if isinstance(charged.type, Poison):
            self.refused.append(node)
        return charged


def _number_of(judged: Judged) -> StaticNat | StaticReal | None:
    return judged.type if isinstance(judged.type, StaticNat | StaticReal) else None


def _may_round(node: ast.Node, judged: Judged) -> bool:
    if not isinstance(node, ast.Prim) or node.name not in ARITHMETIC or _number_of(judged) is not None:
        return False
    return is_discrete(judged.type) or all(quantity.is_infinite for quantity in judged.context.entries.values())
