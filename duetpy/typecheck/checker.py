"""The checker's state and its two judgements' entry points.

    Γ ⊢ e : τ ; Σ        `Checker.judge`
    Γ ⊢ p : τ ; Π        `Checker.judge_private`

The rules, by the form of the expression, are those of `duetpy.typecheck.dispatch`.

Every expression is judged exactly once, so each diagnostic is reported once and each annotation is written once. An
expression that was refused has the poisoned type, which fits everywhere.
"""

from __future__ import annotations

from typing import Protocol

from attrs import define, field, frozen

from duetpy.by_value import Shown
from duetpy.depth import DEEPER
from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.grammar import ast
from duetpy.typecheck import capacity
from duetpy.typecheck.annotations import Annotations
from duetpy.typecheck.boxes import may_hold_boxes
from duetpy.typecheck.context import EMPTY, Context
from duetpy.typecheck.degrees import computes, may_round
from duetpy.typecheck.errors import names, shapes
from duetpy.typecheck.judgement import Charged, Judged, add_costs
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import ONE, Comparison, Quantity, QuantityTooLarge
from duetpy.typecheck.surroundings import Surroundings
from duetpy.typecheck.types import (
    POISON,
    Poison,
    Type,
    is_unwieldy,
)

"""What makes longer and longer fractions."""


class Rules(Protocol):
    """The rules of both judgements (`duetpy.typecheck.dispatch`). They are handed in, so that a rule asks for the judgement of a
    part of its form and imports the rule of no other."""

    def expression(self, checker: Checker, node: ast.SExp) -> Judged: ...
    def private(self, checker: Checker, node: ast.PExp) -> Charged: ...
    def primitive(self, checker: Checker, node: ast.Prim, args: list[Judged], bounds: list[Judged]) -> Judged: ...


@frozen(eq=False, repr=False)
class Deferred(Shown):
    """A function that waits for its first use.

    Parameters
    ----------
    name
        What it is bound to.
    function
        What was written.
    placeholder
        What the name stands for until then.
    height
        That of the scope of its definition.
    notion, tests
        The notion of its definition, and the tests under which that is reached.
    """

    name: str
    function: ast.Lam | ast.PLam
    placeholder: Judged
    height: int
    notion: Notion
    tests: tuple[Comparison, ...]


@define(eq=False, repr=False)
class Checker(Surroundings):
    """One run of the checker over one program."""

    rules: Rules = field(kw_only=True)
    annotations: Annotations = field(factory=Annotations)
    rounds: bool = False
    """Whether a form that was judged rounds what an input moves."""
    repeats: Quantity = ONE
    """How often the place that is being judged runs, for the report of releases."""
    program: ast.Node | None = None
    """The function that is the program: its parameters stand for what a run reads."""
    expected: dict[ast.Param, Type] = field(factory=dict)
    """The types of parameters that were left out and that the arguments of the function say."""
    deferred: dict[int, Deferred] = field(factory=dict)
    """Functions bound by let that wait for their first use to say the types of their parameters, by the identity of what their
    names stand for."""
    concluded: dict[ast.Node, Judged] = field(factory=dict)
    """What was concluded of each expression, for messages that look for a cause."""
    counted: dict[ast.SExp, tuple[str, ...]] = field(factory=dict)
    """The numbers of turns that move with an input, and the names of those inputs."""
    refused: list[ast.Node] = field(factory=list)
    """The expressions of either language that have the poisoned type: if there is one, there is a reason why."""

    def refuse(self, diagnostic: Diagnostic, context: Context) -> Judged:
        """Report, and go on with the poisoned type."""
        self.report(diagnostic)
        return Judged(POISON, context)

    def judge(self, node: ast.SExp) -> Judged:
        """Γ ⊢ e : τ ; Σ, with the diameter lemma applied to what the rule found."""
        try:
            with DEEPER:
                judged = self.rules.expression(self, node)
            return self.settled(node, judged)
        except QuantityTooLarge:
            return self.refuse(names.quantity_too_large(node.span), EMPTY)

    def settled(self, node: ast.SExp, judged: Judged) -> Judged:
        if is_unwieldy(judged.type):
            return self.refuse(shapes.type_too_large(node.span), judged.context)
        if isinstance(judged.type, Poison):
            self.refused.append(node)
        if not isinstance(node, ast.Var):
            for condition in capacity.demanded(judged.type, node.span):
                self.demand(condition)
        self.concluded[node] = settled = judged.capped()
        self.note(node, settled)
        return settled

    def note(self, node: ast.SExp, judged: Judged) -> None:
        """Tell the run of what type a value is, and which arithmetic may be rounded.

        What stands in the text once may be judged several times, and is run as one: it may be rounded if every judgement allows it.
        """
        self.annotations.note(node, judged.type)
        if isinstance(node, ast.Prim) and computes(node.name):
            self.annotations.rounding[node] = self.annotations.rounding.get(node, True) and may_round(judged)

    def hand_on(self, node: ast.PExp, type_: Type) -> None:
        """Tell the run of a form that releases a value as it is, where that may hold what is private still."""
        if may_hold_boxes(type_):
            self.annotations.boxed.add(node)

    def judge_private(self, node: ast.PExp) -> Charged:
        """Γ ⊢ p : τ ; Π."""
        try:
            with DEEPER:
                charged = self.rules.private(self, node)
        except QuantityTooLarge:
            self.report(names.quantity_too_large(node.span))
            return Charged(POISON, {})
        if is_unwieldy(charged.type):
            self.report(shapes.type_too_large(node.span))
            return Charged(POISON, {})
        if isinstance(charged.type, Poison):
            self.refused.append(node)
        self.annotations.note(node, charged.type)
        return Charged(charged.type, add_costs([charged.costs]))
