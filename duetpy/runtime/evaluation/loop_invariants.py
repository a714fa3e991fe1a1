"""Folds that run row after row: what of their body does not look at the state is computed for a whole block at once.

    mfold-row z, xs { a, r ⇒ 0.5⋅a + clip (r.x) }     runs     0.5⋅a + t     over the rows, with t = clip (r.x) of every row

Nothing has an effect, and what data chooses cannot fail, so an expression may be computed although its branch is not taken. Of a
branch that sizes choose that is not so: nobody has shown that what it computes has a value, or fits, where it is not reached.
"""

from __future__ import annotations

from datetime import date
from fractions import Fraction

from attrs import define, evolve, field

from duetpy.runtime.exact.rationals import Numbers
from duetpy.runtime.values.batching import lane
from duetpy.runtime.values.values import Dates, Texts, Truths, Value
from duetpy.typecheck import core
from duetpy.typecheck.captures import Captures
from duetpy.typecheck.direction import MAXIMAL_NESTING

MARK = "⁺"
"""No name of a program or of its core holds this sign."""


@define
class Hoisting:
    """A body taken apart.

    Parameters
    ----------
    state, row
        The names that the fold binds.
    captures
        Tells which names an expression mentions.
    whole
        The body as it is written.
    terms
        The expressions that mention the row and not the state, by the names that stand for them in the body.
    body
        The body with these names.
    """

    state: str
    row: str
    captures: Captures
    whole: core.Expression
    terms: dict[str, core.Expression] = field(factory=dict, init=False)
    body: core.Expression = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.body = self.without_terms(self.whole)

    def without_terms(
        self, node: core.Expression, bound: frozenset[str] = frozenset(), nesting: int = 0
    ) -> core.Expression:
        """The body with a name in the place of each of its largest such expressions."""
        names = self.captures.of(node)
        if nesting > MAXIMAL_NESTING or isinstance(node, core.Var) or self.row not in names:
            return node
        if names.isdisjoint((self.state, *bound)):
            name = f"{self.row}{MARK}{len(self.terms)}"
            self.terms[name] = node
            return core.Var(node.span, node.types, node.static, name)

        def inner(part: core.Expression) -> core.Expression:
            return self.without_terms(part, bound, nesting + 1)

        match node:
            case _ if node.static is not None:
                return node  # its type says which number it is
            case core.Prim():
                return evolve(node, args=tuple([inner(arg) for arg in node.args]))
            case core.If(test=None):
                return evolve(node, guard=inner(node.guard), then=inner(node.then), otherwise=inner(node.otherwise))
            case core.If():
                return node  # one branch of it may not be computed
            case core.Pair():
                return evolve(node, left=inner(node.left), right=inner(node.right))
            case core.Let():
                body = self.without_terms(node.body, bound | {node.name}, nesting + 1)
                return evolve(node, bound=inner(node.bound), body=body)
            case _:
                return node


def each_lane(value: Value, lanes: int) -> list[Value]:
    """The lanes of a value, one by one."""
    match value:
        case Numbers() if value.doubles is not None:
            doubles = value.doubles.tolist()
            return [int(v) for v in doubles] if value.is_natural else [Fraction(v) for v in doubles]
        case Truths(truths):
            return list(truths.tolist())
        case Texts(texts):
            return list(texts.tolist())
        case Dates(days):
            return [date.fromordinal(day) for day in days.tolist()]
        case _:
            return [lane(value, at) for at in range(lanes)]
