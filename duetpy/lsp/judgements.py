"""What was proved about each expression of a text: its type, by how much each input moves it, what it costs each input.

In a program that is refused, expressions are proved only as far as the checker came. If the only errors are sensitivities larger
than claimed, all conclusions hold, as in ``why``; with any other error only types are shown, and no number.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from attrs import define, evolve, frozen

from duetpy.accounting.price import Refusal, price
from duetpy.cached import cached_property
from duetpy.diagnostics.text import OF_SENSITIVITY
from duetpy.grammar import ast
from duetpy.grammar.compare import children
from duetpy.lsp.documents import Document
from duetpy.lsp.names import Binder
from duetpy.report.check_text import cost_text
from duetpy.report.premises import Premises
from duetpy.report.pricing import Pricing
from duetpy.typecheck import types as t
from duetpy.typecheck.annotations import ReleaseSite
from duetpy.typecheck.check import parameter_names
from duetpy.typecheck.conditions import Condition, Obligation, Promise
from duetpy.typecheck.cost import Cost, is_free
from duetpy.typecheck.derivation import Frame
from duetpy.typecheck.judgement import Judged
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.persons import persons_of
from duetpy.valuation import Valuation


@frozen
class Moved:
    """An input and its sensitivity, or its privacy cost."""

    name: str
    amount: str


@define(slots=False)
class Judgements:
    """The conclusions about one document."""

    document: Document

    @cached_property
    def nodes(self) -> list[ast.Node]:
        """The nodes that stand in this text; a node comes before those inside it."""
        typed = self.document.typed
        found: list[ast.Node] = []
        pending: list[ast.Node] = [] if typed.body is None else [typed.body]
        while pending:
            here = pending.pop()
            if here.span.source is self.document.source:
                found.append(here)
            pending.extend(reversed(children(here)))
        return found

    @cached_property
    def frames(self) -> dict[ast.Node, Frame]:
        recorder = self.document.typed.recorder
        assert recorder is not None
        return {frame.node: frame for frame in recorder.recorded.every}

    @property
    def has_numbers(self) -> bool:
        """Whether sensitivities and costs are shown."""
        errors = [each for each in self.document.diagnostics if each.is_error]
        return all(each.code in OF_SENSITIVITY for each in errors)

    def innermost(self, start: int, end: int) -> ast.Node | None:
        """The smallest expression with a judgement that holds a place."""
        holds = [
            node
            for node in self.nodes
            if node.span.start <= start and end <= node.span.end and (self.judged(node) or node in self.frames)
        ]
        return min(holds, key=lambda node: node.span.end - node.span.start, default=None)

    def judged(self, node: ast.Node) -> Judged | None:
        recorder = self.document.typed.recorder
        assert recorder is not None
        return recorder.concluded.get(node)

    def type_of(self, node: ast.Node) -> t.Type | None:
        """The type of an expression; None if it was refused."""
        judged = self.judged(node)
        frame = self.frames.get(node)
        type_ = judged.type if judged is not None else None
        if frame is not None and frame.charged is not None:
            type_ = frame.charged.type
        # What was judged to have several types has as many judgements, of which none alone is to be shown.
        is_one = len(self.document.typed.annotations.types.get(node, ())) <= 1
        return None if type_ is None or t.is_poisoned(type_) or not is_one else type_

    def type_of_binder(self, binder: Binder) -> t.Type | None:
        """The type of a variable where it is bound: what its binder says, or that of its first use."""
        for node in self.nodes:
            match node:
                case ast.Let(name=name, bound=bound) | ast.PLet(name=name, bound=bound) if (
                    name.span.start == binder.start
                ):
                    return self.type_of(bound)
                case ast.Bind(name=name, first=first) if name.span.start == binder.start:
                    return self.type_of(first)
                case ast.Lam(params=params) | ast.PLam(params=params):
                    views = [each.params if isinstance(each, ast.Aligned) else (each,) for each in params]
                    flat = [each.name.span.start for view in views for each in view]
                    domains = self.document.typed.annotations.domains.get(node, ())
                    if binder.start in flat and len(domains) == len(flat):
                        found = domains[flat.index(binder.start)]
                        return None if t.is_poisoned(found) else found
                case _:
                    pass
        uses = [each.node for each in self.document.uses(binder) if isinstance(each.node, ast.Var)]
        return next((type_ for node in uses if (type_ := self.type_of(node)) is not None), None)

    def sensitivities(self, node: ast.Node) -> Iterator[Moved]:
        """By how much a step of each input moves an expression."""
        judged = self.judged(node)
        if judged is not None and self.has_numbers and self.type_of(node) is not None:
            for root, number in judged.context.entries.items():
                yield Moved(root.name.replace("+", ", "), number.show())

    def costs(self, node: ast.Node) -> Iterator[Moved]:
        """What a privacy expression costs each input."""
        frame = self.frames.get(node)
        if frame is not None and self.has_numbers and self.type_of(node) is not None:
            for root in frame.roots:
                cost = frame.cost(root)
                if not is_free(cost):
                    yield Moved(root.name.replace("+", ", "), priced(cost, frame.notion))

    def premises(self, node: ast.Node) -> Premises | None:
        """What the numbers of an expression rest on: what those of the program do, what is demanded by the functions that it is
        in, and what its own costs do."""
        statement, frame = self.document.statement, self.frames.get(node)
        if statement is None:
            return None
        around = [each for function, demanded in self._demanding if _is_in(node, function) for each in demanded]
        prices = [] if frame is None else [price(frame.cost(root), frame.notion) for root in frame.roots]
        rests = [premise for found in prices for premise in found.premises]
        if not around and not rests:
            return statement.premises
        pricing = Pricing(self.document.typed, statement.notion, Valuation(), None, [])
        for each in (*statement.obligations, *around):
            if isinstance(each, Obligation):
                pricing.demand(each)
        pricing.rest(rests)
        promises = [each for each in around if isinstance(each, Promise)]
        return evolve(statement.premises, requires=pricing.required([*statement.promises, *promises]))

    @cached_property
    def _demanding(self) -> list[tuple[ast.Node, tuple[Condition, ...]]]:
        """The functions with side conditions; those of the program are the program's own."""
        program, found = self.function(), list[tuple[ast.Node, tuple[Condition, ...]]]()
        for node in self.nodes:
            judged = self.judged(node) if isinstance(node, ast.Lam | ast.PLam) and node is not program else None
            if judged is not None and isinstance(judged.type, t.Fun | t.PFun) and judged.type.conditions:
                found.append((node, judged.type.conditions))
        return found

    def release(self, node: ast.Node) -> ReleaseSite | None:
        return self.document.typed.annotations.releases.get(node) if self.has_numbers else None

    def function(self) -> ast.Lam | ast.PLam | None:
        """The function that the program is, if it is written in this text."""
        names = [] if self.document.statement is None else [each.name for each in self.document.statement.parameters]
        alike = [node for node in self.nodes if isinstance(node, ast.Lam | ast.PLam) and parameter_names(node) == names]
        return alike[-1] if alike and names else None


def _is_in(node: ast.Node, around: ast.Node) -> bool:
    return around.span.start <= node.span.start and node.span.end <= around.span.end


def priced(cost: Cost, notion: Notion) -> str:
    """A cost as a formula in the letters of its notion."""
    found = price(cost, notion)
    return f"no cost in {notion.info.name}" if isinstance(found, Refusal) else cost_text(found.show())


def metric(type_: t.Type) -> str | None:
    """What the distance of two values of a type is; None if it takes more than a line to say."""
    match type_:
        case t.Nat() | t.Real() | t.Idx():
            return "|x − y|"
        case t.Disc() | t.Maybe() | t.Bool() | t.Str() | t.Date() | t.SetOf():
            return "0 if equal, otherwise 1"
        case t.StaticNat() | t.StaticReal():
            return "0, since it is one number"
        case t.Product():
            return "the sum of the distances of the parts"
        case t.With():
            return "the larger of the distances of the parts"
        case t.Sum():
            return "∞ from one side to the other, otherwise that of the values"
        case t.Fun():
            return "the largest distance of their results, over all arguments"
        case t.Matrix():
            return _of_matrix(type_)
        case t.Bounded() | t.Box() | t.PFun() | t.TypeVar() | t.Poison():
            return None
        case _:
            assert_never(type_)


def _of_matrix(type_: t.Matrix) -> str | None:
    persons = persons_of(type_)
    if persons is not None and persons.roster is not None:
        return "the number of persons whose rows differ"
    if type_.rows is not None:
        is_count = t.has_discrete_rows(type_)
        norm = f"the sum over the rows of the {type_.norm.value}-norm of the cells' distances"
        return "the number of rows that differ" if is_count else norm
    if persons is not None:
        return "the number of persons who must be added and removed"
    if t.counts_rows(type_):
        return "the number of rows that must be added and removed"
    return "the cheapest matching of the rows" if t.matches_rows(type_) else None
