"""Folds that add: bodies of the shape ``acc + g(row)``, and of its likes over matrices.

Such a fold is a sum over rows. It is all that a table of unknown size can be folded with, and all that the engine can take
apart into blocks; so the checker and the plan use the one definition here.
"""

from __future__ import annotations

from attrs import evolve

from duetpy.depth import DEEPER
from duetpy.grammar import ast
from duetpy.grammar.binders import name_of, references
from duetpy.typecheck.facts import facts_of


def mentions(node: ast.Node, name: str) -> bool:
    """Whether an expression uses a variable of that name that it does not bind itself."""
    return any(name_of(reference) == name for reference in references(node))


def sum_addend(node: ast.Fold, zero: ast.SExp) -> ast.SExp | None:
    """The g of a fold whose body is ``state + g``; None where it has no such shape.

    Where the row has the name of the state, the body sees the row only.
    """
    return None if node.state.text == node.row.text else addend(node.body, node.state.text, zero)


def addend(body: ast.SExp, state: str, zero: ast.SExp) -> ast.SExp | None:
    """The g of a body ``state + g``, with g free of the state; None where the body has no such shape.

    ``state`` alone adds `zero`; a choice between two such bodies adds the choice between their addends; a ``let`` around
    one is a ``let`` around its addend.
    """
    with DEEPER:
        match body:
            case ast.Var(name=name) if name == state:
                return zero
            case ast.Prim(args=(ast.Var(name=name), g)) if name == state and _adds(body) and not mentions(g, state):
                return g
            case ast.Prim(args=(g, ast.Var(name=name))) if name == state and _adds(body) and not mentions(g, state):
                return g
            case ast.Prim(args=(left, g)) if _adds(body) and not mentions(g, state):
                inner = addend(left, state, zero)
                return None if inner is None else evolve(body, args=(inner, g))
            case ast.If(guard=guard, then=then, otherwise=otherwise) if not mentions(guard, state):
                first, second = addend(then, state, zero), addend(otherwise, state, zero)
                return None if first is None or second is None else evolve(body, then=first, otherwise=second)
            case ast.Let() | ast.LetPair() if _passes_over(body, state):
                rest = addend(body.body, state, zero)
                return None if rest is None else evolve(body, body=rest)
            case _:
                return None


def _adds(node: ast.Prim) -> bool:
    return facts_of(node.name).adds


def _passes_over(node: ast.Let | ast.LetPair, state: str) -> bool:
    """Whether a ``let`` neither uses the state nor hides it, so that it may as well stand around the addend."""
    names = (node.name,) if isinstance(node, ast.Let) else (node.left, node.right)
    return all(name.text != state for name in names) and not mentions(node.bound, state)


def _below_lets(node: ast.Fold) -> tuple[ast.SExp, tuple[ast.Let | ast.LetPair, ...]]:
    """The body of a fold without the lets around it that pass over the state, and these, from the inside out."""
    around: list[ast.Let | ast.LetPair] = []
    body = node.body
    while isinstance(body, ast.Let | ast.LetPair) and _passes_over(body, node.state.text):
        around.append(body)
        body = body.body
    return body, tuple(reversed(around))


def _within(around: tuple[ast.Let | ast.LetPair, ...], term: ast.SExp) -> ast.SExp:
    for let in around:
        term = evolve(let, body=term)
    return term


def matrix_addend(node: ast.Fold) -> ast.SExp | None:
    """The g of a body ``mmap state, g { x, y ⇒ x + y }``, in any order, with g free of the state; or lets around one."""
    state = node.state.text
    if state == node.row.text:
        return None  # the body sees the row only
    body, around = _below_lets(node)
    match body:
        case ast.Map(form="mmap", args=(first, second), names=(x, y), body=ast.Prim(args=(one, other)) as sum_) if (
            _adds(sum_)
        ):
            operands = (one.name if isinstance(one, ast.Var) else "", other.name if isinstance(other, ast.Var) else "")
            if x.text == y.text or sorted(operands) != sorted((x.text, y.text)):
                return None
            for kept, term in ((first, second), (second, first)):
                if isinstance(kept, ast.Var) and kept.name == state and not mentions(term, state):
                    return _within(around, term)
    return None


def picked_operand(node: ast.Fold) -> tuple[str, ast.SExp] | None:
    """The operation and the g of a body ``acc ⊔ g`` and its kin, in any order, with g free of the state; or lets around one."""
    state = node.state.text
    if node.row.text == state:
        return None
    body, around = _below_lets(node)
    match body:
        case ast.Prim(name=sign, args=(first, second)) if facts_of(sign).picks:
            for kept, term in ((first, second), (second, first)):
                if isinstance(kept, ast.Var) and kept.name == state and not mentions(term, state):
                    return sign, _within(around, term)
    return None


def vanishes(node: ast.SExp, zeros: frozenset[str]) -> bool:
    """Whether an expression is plainly 0 where the names in `zeros` stand for 0, or for rows of zeros."""
    with DEEPER:
        match node:
            case ast.Var(name=name):
                return name in zeros
            case ast.RealLit(value=value) | ast.NatLit(value=value):
                return value == 0
            case ast.Index(matrix=inner) | ast.FieldOf(record=inner) | ast.Select(table=inner):
                return vanishes(inner, zeros)
            case ast.Prim(args=args) if zero := facts_of(node.name).zero:
                found = [vanishes(argument, zeros) for argument in (args[:1] if zero == "first" else args)]
                return any(found) if zero == "any" else all(found)
            case ast.Prim(name="clip", args=(left,), bounds=()):
                return vanishes(left, zeros)
            case ast.Prim(
                name="clip",
                args=(left,),
                bounds=(
                    ast.RealLit(value=low) | ast.NatLit(value=low),
                    ast.RealLit(value=high) | ast.NatLit(value=high),
                ),
            ):
                return low <= 0 <= high and vanishes(left, zeros)
            case (
                ast.If(then=left, otherwise=right)
                | ast.FrameOp(form="addColDF", args=(ast.Pair(left=left, right=right),))
            ):
                return vanishes(left, zeros) and vanishes(right, zeros)
            case ast.FrameOp(form="addColDF", args=(left,)):
                return vanishes(left, zeros)
            case ast.Record(values=values):
                fields = [vanishes(value, zeros) for value in values]
                return all(fields)
            case ast.Let(name=name, bound=bound, body=body):
                inside = {name.text} if vanishes(bound, zeros) else set()
                return vanishes(body, (zeros - {name.text}) | inside)
            case ast.Map(form="mmap", args=args, names=names, body=body):
                # Of two binders of one name the last is the one that the body sees.
                bound_last = {n.text: arg for n, arg in zip(names, args, strict=True)}
                inside = {name for name, arg in bound_last.items() if vanishes(arg, zeros)}
                return vanishes(body, (zeros - bound_last.keys()) | inside)
            case _:
                return False
