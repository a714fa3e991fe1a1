"""The second checker's rules for folds over rows."""

from __future__ import annotations

from fractions import Fraction

from attrs import evolve

from duetpy.grammar import ast
from tests.soundness.reference.checker import Fact, Kinds, Reference, Scope, longest, repeated, stopped
from tests.soundness.reference.metrics import (
    NAT,
    REAL,
    Disc,
    Table,
    Type,
    exchange,
    fits,
    sum_of,
    times,
    unbounded,
    widened,
    without,
)
from tests.soundness.reference.numbers import INF, ONE, ZERO, larger, smaller
from tests.soundness.reference.tables import all_discrete, largest, occurs, table_of
from tests.soundness.reference.zeros import is_zero


def folded(check: Reference, node: ast.Fold, scope: Scope, kinds: Kinds) -> Fact:
    init = check.of(node.init, scope, kinds)
    source, table = table_of(check.of(node.arg, scope, kinds))
    state_type = widened(init.type)
    row, row_fact = check.bound_part(table.row)
    row_fact = evolve(row_fact, factors=source.factors)
    inside = {**scope, node.row.text: row_fact}
    hidden = node.state.text == node.row.text  # the body sees the row, which is bound last
    added = None if hidden else summand(node.body, node.state.text, state_type, kinds)
    if added is not None:
        term = check.of(added, inside, kinds)
        price = fits(term.type, state_type)
        assert price is not None
        rest = without(term.moves, row)
        if table.rows is not None:
            check.rule("mfold-row: a sum, m rows")
            moved = sum_of(times(source.moves, term.moves.get(row, ZERO)), times(rest, table.rows))
            bounds = None
            if init.range is not None and term.range is not None:
                (a, b), (c, d) = init.range, term.range
                bounds = a + c * table.rows, b + d * table.rows
                bounds = stopped(bounds) if state_type == NAT else bounds
            return Fact(state_type, sum_of(init.moves, times(moved, price)), bounds, factors=longest(init, term))
        if not all_discrete(table) and source.moves and not source.ordered:
            assert is_zero(added, node.row.text), "rows of numbers: not known to add nothing where they are 0"
            check.rule("mfold-row: a sum, ★ rows of ℝ")
            moved = times(source.moves, term.moves.get(row, ZERO) * price)
            return Fact(state_type, sum_of(init.moves, moved, unbounded(rest)))
        if not all_discrete(table) or term.range is None:
            check.rule("mfold-row: in order")
            everything = sum_of(init.moves, source.moves, rest)
            return Fact(state_type, unbounded(everything))
        check.rule("mfold-row: a sum, ★ rows")
        moved = times(source.moves, largest(term))
        if "count" in check.lemmas and source.replaced is not None:
            # One term for another, or for none, which is 0; where no term reads its row, all are one number.
            low, high = term.range
            apart = larger(high, ZERO) - smaller(low, ZERO) if row in term.moves else largest(term)
            replaced = times(source.replaced, apart)
            if all(replaced[root] <= moved[root] for root in replaced):
                check.rule("count: rows replaced")
                moved = replaced
        return Fact(state_type, sum_of(init.moves, moved, unbounded(rest)))
    if table.rows is None and not all_discrete(table) and not source.ordered and isinstance(state_type, Table):
        return rows_added(check, node, init, state_type, source, inside, kinds, row)
    picked = None if hidden or table.rows is not None else taken(node.body, node.state.text)
    if picked is not None and all_discrete(table):
        check.rule("mfold-row: the largest or smallest, ★ rows")
        name, part = picked
        term = check.of(part, inside, kinds)
        moves = sum_of(init.moves, unbounded(sum_of(source.moves, without(term.moves, row))))
        known = None
        if init.range is not None and term.range is not None and not isinstance(state_type, Disc):
            (a, b), (c, d) = init.range, term.range
            known = (a, larger(b, d)) if name == "⊔" else (smaller(a, c), b)
        return Fact(state_type, moves, known, factors=longest(init, term))
    check.rule("mfold-row: in order" if table.rows is None else "mfold-row: any body")
    state, state_fact = check.bound_part(state_type)
    body = check.of(node.body, {**scope, node.state.text: state_fact, node.row.text: row_fact}, kinds)
    rest = without(body.moves, row, state)
    if table.rows is None:
        return Fact(state_type, unbounded(sum_of(init.moves, source.moves, rest)))
    s, t = body.moves.get(state, ZERO), body.moves.get(row, ZERO)
    on_init, on_rest = repeated(s, table.rows)
    # Row i's move is multiplied by s in each later turn.
    if s <= ONE:
        on_rows = ONE
    elif on_init.is_infinite:
        on_rows = INF if not (table.rows.is_numeral and table.rows.is_one) else ONE
    else:
        on_rows = s ** (int(table.rows.floor) - 1)
    return Fact(state_type, sum_of(times(init.moves, on_init), times(source.moves, t * on_rows), times(rest, on_rest)))


def rows_added(
    check: Reference, node: ast.Fold, init: Fact, state: Table, source: Fact, inside: Scope, kinds: Kinds, row: int
) -> Fact:
    """A sum of rows that are made of the real rows of a table, in the norm of what it starts with."""
    added = (
        next(each for each in node.body.args if occurs(node.row.text, each)) if isinstance(node.body, ast.Map) else None
    )
    assert added is not None
    assert is_zero(added, node.row.text), "rows of numbers: not known to add nothing where they are 0"
    check.rule("mfold-row: a sum of rows, ★ rows of ℝ")
    term, shape = table_of(check.of(added, inside, kinds))
    price = exchange(shape.norm, state.norm, shape.width)
    moved = times(source.moves, term.moves.get(row, ZERO) * price)
    return Fact(evolve(state, ball=None), sum_of(init.moves, moved, unbounded(without(term.moves, row))))


def summand(body: ast.SExp, state: str, state_type: Type, kinds: Kinds) -> ast.SExp | None:
    """The g of ``state + g``; also under a choice and a let that do not look at the state."""
    if state_type not in (REAL, NAT):
        return None
    match body:
        case ast.Var(name=name) if name == state:
            return ast.RealLit(body.span, Fraction(0)) if state_type == REAL else ast.NatLit(body.span, 0)
        case ast.Prim(name="+", args=(ast.Var(name=name), g)) if name == state and not occurs(state, g):
            return g
        case ast.Prim(name="+", args=(g, ast.Var(name=name))) if name == state and not occurs(state, g):
            return g
        case ast.Prim(name="+", args=(left, g)) if not occurs(state, g):
            inner = summand(left, state, state_type, kinds)
            return None if inner is None else evolve(body, args=(inner, g))
        case ast.If(guard=guard, then=then, otherwise=otherwise) if not occurs(state, guard):
            first = summand(then, state, state_type, kinds)
            second = summand(otherwise, state, state_type, kinds)
            return None if first is None or second is None else ast.If(body.span, guard, first, second)
        case ast.Let(name=name, bound=bound, body=under) if name.text != state and not occurs(state, bound):
            inner = summand(under, state, state_type, kinds)
            return None if inner is None else evolve(body, body=inner)
        case _:
            return None


def taken(body: ast.SExp, state: str) -> tuple[str, ast.SExp] | None:
    """The g of ``state ⊔ g`` and its like, in either order."""
    match body:
        case ast.Prim(name="⊔" | "⊓" | "∧" | "∨" as sign, args=(left, right)):
            for kept, part in ((left, right), (right, left)):
                if isinstance(kept, ast.Var) and kept.name == state and not occurs(state, part):
                    return sign, part
    return None
