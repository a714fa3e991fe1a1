"""How a judgement was derived, recorded while it is: for `why`.

A `Recorder` is a checker whose contexts are traced (`duetpy.typecheck.tracing`), and which keeps what each privacy expression was
charged. `reason_of` reads what it recorded of one input as a tree: each node is a rule at a place, with the number or the cost
that it concluded and the parts that this was made of.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from attrs import define, evolve, field, frozen

from duetpy.by_value import Shown
from duetpy.depth import DEEPER
from duetpy.grammar import ast
from duetpy.grammar.compare import children
from duetpy.typecheck import cost as costs
from duetpy.typecheck.checker import Checker, Rules
from duetpy.typecheck.context import Root
from duetpy.typecheck.cost import Cost
from duetpy.typecheck.judgement import Charged, Judged, add_costs
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import ONE, Quantity
from duetpy.typecheck.tracing import (
    Capped,
    Captured,
    Changed,
    Concluded,
    Largest,
    Sum,
    Term,
    Times,
    Traced,
    Unbounded,
    Use,
    of_variable,
)
from duetpy.typecheck.types import Fun, PFun, Type
from duetpy.typecheck.units import units_of

# ---------------------------------------------------------------------------------------------------------------------
# Recording


@define(eq=False, repr=False)
class Frame(Shown):
    """What one privacy expression was charged, and the privacy expressions that were judged for it.

    `node` is the expression, or the function whose body is the only one in `inside`.
    """

    node: ast.PExp | ast.PLam
    notion: Notion
    charged: Charged | None = None
    inside: list[Frame] = field(factory=list)

    def cost(self, root: Root) -> Cost:
        return costs.ZERO_COST if self.charged is None else self.charged.cost(root)

    @property
    def roots(self) -> tuple[Root, ...]:
        return () if self.charged is None else tuple(self.charged.costs)


@define(eq=False, repr=False)
class RecordedRules(Shown):
    """The rules of both judgements, with a note of each privacy expression that they judge."""

    rules: Rules
    frames: list[Frame] = field(factory=list)
    """Those that are being judged, the innermost last."""
    every: list[Frame] = field(factory=list)
    """All of them, in the order in which they were begun."""
    functions: dict[int, tuple[Type, Frame]] = field(factory=dict)
    """The privacy functions, by the identity of their types, which are kept so that no other has it."""

    def expression(self, checker: Checker, node: ast.SExp) -> Judged:
        if not isinstance(node, ast.PLam):
            return self.rules.expression(checker, node)
        with DEEPER:
            frame = Frame(node, checker.notion)
            self.frames.append(frame)
            try:
                judged = self.rules.expression(checker, node)
            finally:
                self.frames.pop()
            self.functions[id(judged.type)] = judged.type, frame
            return judged

    def private(self, checker: Checker, node: ast.PExp) -> Charged:
        with DEEPER:
            frame = Frame(node, checker.notion)
            self.every.append(frame)
            if self.frames:
                self.frames[-1].inside.append(frame)
            self.frames.append(frame)
            try:
                charged = self.rules.private(checker, node)
            finally:
                self.frames.pop()
            frame.charged = Charged(charged.type, add_costs([charged.costs]))
            return charged

    def primitive(self, checker: Checker, node: ast.Prim, args: list[Judged], bounds: list[Judged]) -> Judged:
        return self.rules.primitive(checker, node, args, bounds)


@define(eq=False, repr=False)
class Recorder(Checker):
    """A checker that remembers."""

    recorded: RecordedRules = field(kw_only=True)
    lambdas: dict[int, tuple[Fun, ast.Lam]] = field(factory=dict)
    """The functions, each with those that its further parameters make of it, by the identity of their types."""

    @staticmethod
    def of(notion: Notion, rules: Rules, allowed: Quantity) -> Recorder:
        recorded = RecordedRules(rules)
        return Recorder(notion, rules=recorded, recorded=recorded, allowed=allowed)

    def settled(self, node: ast.SExp, judged: Judged) -> Judged:
        if isinstance(node, ast.Var):
            judged = evolve(judged, context=of_variable(judged.context, node))
        if isinstance(node, ast.PLam):
            captured = {root: Captured(number) for root, number in judged.context.entries.items()}
            judged = evolve(judged, context=Traced(judged.context.entries, judged.context.rounding, captured))
        found = super().settled(node, judged)
        if isinstance(found.context, Traced) and not isinstance(node, ast.Var):
            found = evolve(found, context=found.context.concluded(node))
        self.concluded[node] = found
        if isinstance(node, ast.Lam):
            here: Type = found.type
            for _ in node.params:
                if isinstance(here, Fun):
                    self.lambdas[id(here)] = here, node
                    here = here.codomain
        return found


# ---------------------------------------------------------------------------------------------------------------------
# Reading


class How(Enum):
    """What a rule makes of its parts."""

    USE = "use"
    CAPTURED = "captured"
    SAME = "same"
    SUM = "sum"
    LARGEST = "largest"
    CAPPED = "capped"
    UNBOUNDED = "unbounded"
    CHANGED = "changed"
    NOISE = "noise"
    SEQUENCE = "sequence"
    REPEATED = "repeated"
    ADVANCED = "advanced"
    CHOICE = "choice"
    TOGETHER = "together"
    GROUP = "group"
    SAMPLED = "sampled"
    SHUFFLED = "shuffled"
    CONVERTED = "converted"
    CALLED = "called"
    CLEAR = "clear"
    FREE = "free"


class Role(Enum):
    """What a part is to the whole."""

    PART = "part"
    """The number of the whole is made of it."""
    MOVES = "moves"
    """It moves what the whole sees, and its number is what the noise or the group is chosen for."""
    INSIDE = "inside"
    """It is what the factor of a part is made of: what a body or a function does with a name that the rule binds."""


@frozen(eq=False, repr=False)
class Part(Shown):
    """A reason of a reason: `name` is the input that it is about, if the whole is about another one."""

    reason: Reason
    times: Quantity = ONE
    role: Role = Role.PART
    name: str = ""


@frozen(eq=False, repr=False)
class Reason(Shown):
    """One step of a derivation.

    Parameters
    ----------
    node
        Where the rule was applied; None for an operation inside a rule.
    number
        By how much the input moves it; None for what is charged.
    cost, notion
        What the input was charged there, and the notion in which that is priced; None for what is moved.
    how
        What the rule made of the parts.
    parts
        Of what it was made.
    detail
        The diameter of a cap, the sensitivity that noise was chosen for.
    """

    node: ast.Node | None
    how: How
    number: Quantity | None = None
    cost: Cost | None = None
    notion: Notion | None = None
    parts: tuple[Part, ...] = ()
    detail: Quantity | None = None


_COMPOSED: dict[type, How] = {
    costs.Zero: How.FREE,
    costs.NonPrivate: How.CLEAR,
    costs.Atom: How.NOISE,
    costs.Given: How.NOISE,
    costs.Seq: How.SEQUENCE,
    costs.Repeat: How.REPEATED,
    costs.Advanced: How.ADVANCED,
    costs.Choice: How.CHOICE,
    costs.Together: How.TOGETHER,
    costs.Group: How.GROUP,
    costs.Sampled: How.SAMPLED,
    costs.Shuffled: How.SHUFFLED,
    costs.Converted: How.CONVERTED,
}


_OF_THE_CALL = costs.Group | costs.Together | costs.NonPrivate | costs.Zero
"""What a call makes of the costs of a function; other costs are the function's own."""


@define(eq=False, repr=False)
class Reader(Shown):
    """Reads derivations; what was read of a term is read once, since a name may stand for a long one many times."""

    checker: Recorder
    read: dict[int, tuple[Term, Part]] = field(factory=dict)

    def of_parameter(self, function: Fun | PFun, name: str) -> Reason | None:
        """Why a parameter of a function has its number or its cost; None where the function was made of another by giving it
        sizes, so that nothing was derived of it."""
        if isinstance(function, Fun):
            return self.of_lambda(function)
        unit = next(each for each in units_of(function.parameters) if name in each.names)
        parts = {each.unit: each.name for each in unit.parameters}
        if len(parts) < 2:
            return self.of_private(function, name)
        found = [Part(reason, name=each) for each in parts.values() if (reason := self.of_private(function, each))]
        return Reason(None, How.TOGETHER, cost=unit.cost, notion=function.notion, parts=tuple(found)) if found else None

    def of_lambda(self, function: Fun) -> Reason | None:
        found = self.checker.lambdas.get(id(function))
        if found is None:
            return None
        body = self.checker.concluded[found[1].body].context
        roots = [root for root in body.entries if root.name == function.name and body[root] == function.sensitivity]
        if function.sensitivity.is_zero or not isinstance(body, Traced) or not roots:
            return Reason(found[1], How.FREE, function.sensitivity)
        return self.whole(body.terms[max(roots, key=lambda root: root.identity)])

    def of_private(self, function: PFun, name: str) -> Reason | None:
        found = self.checker.recorded.functions.get(id(function))
        parameter = next(each for each in function.parameters if each.name == name)
        if found is None or not found[1].inside:
            return None
        body = found[1].inside[-1]
        names = "+".join(each.name for each in function.parameters if each.unit == parameter.unit)
        roots = [root for root in body.roots if root.name == names and body.cost(root) == parameter.cost]
        if not roots:
            return Reason(found[1].node, How.FREE, cost=parameter.cost, notion=body.notion)
        return self.charged(body, max(roots, key=lambda root: root.identity))

    # ------------------------------------------------------------------------------------------------- sensitivities

    def part(self, term: Term) -> Part:
        known = self.read.get(id(term))
        if known is None:
            with DEEPER:
                known = self.read[id(term)] = term, self._part(term)
        return known[1]

    def whole(self, term: Term) -> Reason:
        """A term as one reason, its factor included."""
        part = self.part(term)
        return part.reason if part.times == ONE else Reason(None, How.SAME, term.number, parts=(part,))

    def _part(self, term: Term) -> Part:
        match term:
            case Use(number):
                return Part(Reason(None, How.USE, number))
            case Captured(number):
                return Part(Reason(None, How.CAPTURED, number))
            case Times(_, factor, inner):
                part = self.part(inner)
                return evolve(part, times=factor * part.times)
            case Sum(number, parts):
                return Part(Reason(None, How.SUM, number, parts=self.flattened(parts, Sum)))
            case Largest(number, parts):
                return Part(Reason(None, How.LARGEST, number, parts=self.flattened(parts, Largest)))
            case Capped(number, diameter, inner):
                return Part(Reason(None, How.CAPPED, number, parts=(self.part(inner),), detail=diameter))
            case Unbounded(number, inner):
                return Part(Reason(None, How.UNBOUNDED, number, parts=(self.part(inner),)))
            case Changed(number, _, inner):
                part = self.part(inner)
                # A change that leaves the number as it is says nothing.
                is_same = part.times == ONE and part.reason.number == number
                return part if is_same else Part(Reason(None, How.CHANGED, number, parts=(part,)))
            case Concluded(number, node, inner):
                return self.concluded(number, node, self.part(inner))

    def flattened(self, terms: tuple[Term, ...], made: type[Sum | Largest]) -> tuple[Part, ...]:
        """The parts of an operation, those of its own kind taken apart."""
        found: list[Part] = []
        pending = [*reversed(terms)]
        while pending:
            term = pending.pop()
            if isinstance(term, made):
                pending += reversed(term.parts)
            else:
                found.append(self.part(term))
        return tuple(found)

    def concluded(self, number: Quantity, node: ast.SExp, inner: Part) -> Part:
        """The step of an expression; those that only name things are left out."""
        is_passed = inner.times == ONE and inner.reason.number == number
        if isinstance(node, ast.Let | ast.LetPair) and is_passed and inner.reason.node is not None:
            return inner
        inside = tuple(self.inside(node))
        if inner.times == ONE and inner.reason.node is None:
            return Part(evolve(inner.reason, node=node, number=number, parts=(*inner.reason.parts, *inside)))
        return Part(Reason(node, How.SAME, number, parts=(inner, *inside)))

    def inside(self, node: ast.SExp) -> Iterator[Part]:
        """What the bodies and functions of a form do with the names that it binds for them."""
        if isinstance(node, ast.App):
            function = self.checker.concluded.get(node.function)
            if function is not None and isinstance(function.type, Fun):
                reason = self.of_lambda(function.type)
                if reason is not None and reason.how is not How.FREE:
                    yield Part(reason, role=Role.INSIDE, name=function.type.name)
            return
        if isinstance(node, ast.Let):
            return
        bound = {each.text for each in children(node) if isinstance(each, ast.Name)}
        pending = children(node) if bound else []
        while pending:
            child = pending.pop(0)
            judged = self.checker.concluded.get(child)
            if judged is None:
                # A rule may have judged the parts of a body in its place.
                pending += children(child)
            elif isinstance(judged.context, Traced):
                for root, term in judged.context.terms.items():
                    if root.name in bound:
                        yield Part(self.whole(term), role=Role.INSIDE, name=root.name)

    # ------------------------------------------------------------------------------------------------- costs

    def charged(self, frame: Frame, root: Root) -> Reason:
        """Why an input was charged what it was by a privacy expression."""
        with DEEPER:
            cost = frame.cost(root)
            moves = list(self.moves(frame.node, root))
            spent = list(self.spent(frame, root, bool(moves)))
            same = [part for part in spent if part.reason.cost == cost]
            if isinstance(frame.node, ast.Bind | ast.PLet) and len(spent) == 1 and same:
                return spent[0].reason
            how, detail = _COMPOSED[type(cost)], None
            is_called = isinstance(frame.node, ast.PApp | ast.PFoldRows) and not isinstance(cost, _OF_THE_CALL)
            if is_called and not spent:
                how = How.CALLED
            elif len(spent) == 1 and (same or is_called):
                how = How.SAME
            if isinstance(frame.node, ast.Mechanism) and (site := self.checker.annotations.releases.get(frame.node)):
                detail = site.sensitivity
            if isinstance(cost, costs.Group):
                detail = cost.size
            return Reason(frame.node, how, None, cost, frame.notion, tuple(moves + spent), detail)

    def moves(self, node: ast.Node, root: Root) -> Iterator[Part]:
        """The expressions of a privacy expression that an input moves."""
        if isinstance(node, ast.Bind | ast.PLet):
            return
        for child in children(node):
            judged = self.checker.concluded.get(child)
            if judged is not None and isinstance(judged.context, Traced) and root in judged.context.terms:
                yield Part(self.whole(judged.context.terms[root]), role=Role.MOVES)

    def spent(self, frame: Frame, root: Root, moves: bool) -> Iterator[Part]:
        """What the privacy expressions inside one were charged, for the input and for what it moves."""
        for inner in frame.inside:
            for each in inner.roots:
                is_local = moves and each not in frame.roots
                if each == root or is_local:
                    yield Part(self.charged(inner, each), name="" if each == root else each.name)
        if isinstance(frame.node, ast.PApp | ast.PFoldRows) and moves:
            judged = self.checker.concluded.get(frame.node.function)
            called = None if judged is None else self.checker.recorded.functions.get(id(judged.type))
            body = called[1].inside[-1] if called is not None and called[1].inside else None
            if called is not None and body is not None and isinstance(called[0], PFun):
                names = {each.name for each in called[0].parameters}
                for each in body.roots:
                    if not costs.is_free(body.cost(each)) and set(each.name.split("+")) <= names:
                        yield Part(self.charged(body, each), name=each.name)
