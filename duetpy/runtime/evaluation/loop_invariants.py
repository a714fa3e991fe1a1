"""Folds that run row after row: what of their body does not look at the state is computed for a whole block at once.

    mfold-row z, xs { a, r ⇒ 0.5⋅a + clip (r.x) }     runs     0.5⋅a + t     over the rows, with t = clip (r.x) of every row

Nothing has an effect, and what data chooses cannot fail, so an expression may be computed although its branch is not taken. Of a
branch that sizes choose that is not so: nobody has shown that what it computes has a value, or fits, where it is not reached.
"""

from __future__ import annotations

from fractions import Fraction

from attrs import define, evolve, field

from duetpy.grammar import ast
from duetpy.runtime.exact.rationals import Numbers
from duetpy.runtime.values.batching import lane
from duetpy.runtime.values.values import Texts, Truths, Value
from duetpy.typecheck.core import Annotations
from duetpy.typecheck.fold_patterns import MAXIMAL_NESTING, mentions

MARK = "·"
"""No identifier holds this sign, so no name of the program is taken."""


@define
class Hoisting:
    """A body taken apart.

    Parameters
    ----------
    state, row
        The names that the fold binds.
    annotations
        What is known of the body, and for as long as the fold runs of its copy.
    terms
        The expressions that mention the row and not the state, by the names that stand for them in the body.
    """

    state: str
    row: str
    annotations: Annotations
    terms: dict[str, ast.SExp] = field(factory=dict)
    copies: list[ast.Node] = field(factory=list)

    def without_terms(self, node: ast.SExp, bound: frozenset[str] = frozenset(), nesting: int = 0) -> ast.SExp:
        """The body with a name in the place of each of its largest such expressions."""
        if nesting > MAXIMAL_NESTING or isinstance(node, ast.Var) or not mentions(node, self.row):
            return node
        if not any(mentions(node, name) for name in (self.state, *bound)):
            name = f"{self.row}{MARK}{len(self.terms)}"
            self.terms[name] = node
            return ast.Var(node.span, name)

        def inner(part: ast.SExp) -> ast.SExp:
            return self.without_terms(part, bound, nesting + 1)

        match node:
            case _ if node in self.annotations.statics:
                return node  # its type says which number it is
            case ast.Prim():
                return self._alike(node, evolve(node, args=tuple(inner(arg) for arg in node.args)))
            case ast.If() if node in self.annotations.tests:
                return node  # what is known of it is known of this node, and one branch of it may not be computed
            case ast.If():
                return evolve(node, guard=inner(node.guard), then=inner(node.then), otherwise=inner(node.otherwise))
            case ast.Pair():
                return evolve(node, left=inner(node.left), right=inner(node.right))
            case ast.Let() if node.name.text not in (self.state, self.row):
                body = self.without_terms(node.body, bound | {node.name.text}, nesting + 1)
                return evolve(node, bound=inner(node.bound), body=body)
            case _:
                return node

    def _alike(self, node: ast.Prim, changed: ast.Prim) -> ast.Prim:
        """A primitive with other operands, of which is known what is known of the one that was written: whether it may be
        rounded, and how long the rows of a gradient are."""
        if node in self.annotations.rounding:
            self.annotations.rounding.add(changed)
        if node in self.annotations.lengths:
            self.annotations.lengths[changed] = self.annotations.lengths[node]
        self.copies.append(changed)
        return changed

    def end(self) -> None:
        """Forget what was said of the copies."""
        self.annotations.rounding.difference_update(self.copies)
        for copy in self.copies:
            self.annotations.lengths.pop(copy, None)


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
        case _:
            return [lane(value, at) for at in range(lanes)]
