"""Random privacy programs that call functions of any column: calls leave out what the range of the column says, or give it, and
functions count the rows of tables with whatever columns."""

from __future__ import annotations

import random
from fractions import Fraction

from duetpy.grammar import ast
from duetpy.grammar.ast import Norm
from duetpy.typecheck.notions import Notion
from tests.soundness.generate import Maker
from tests.soundness.generate_functions import name, real, static, var
from tests.soundness.generate_private import PRICES, PrivateMaker
from tests.soundness.shapes import SPAN, D, R, prim, within, written

RANGES = (
    (Fraction(-3), Fraction(2)),
    (Fraction(0), Fraction(1)),
    (Fraction(1, 2), Fraction(5)),
    (Fraction(-4), Fraction(-1)),
)


def end(size: ast.RExp, *, negative: bool = False) -> ast.End:
    return ast.End(SPAN, negative, size)


def add(left: ast.RExp, right: ast.RExp, sign: str = "+") -> ast.RExp:
    return ast.RBin(SPAN, sign, left, right)


def noise(private: PrivateMaker, data: str, body: ast.SExp) -> ast.PExp:
    price = real(private.random.choice(PRICES))
    mechanism = "laplace" if private.notion is Notion.PURE else "gauss"
    return ast.Mechanism(SPAN, mechanism, (None, price), None, (name(data),), None, body)


def for_a_range(private: PrivateMaker) -> tuple[ast.PLam, tuple[ast.SExp, ...], tuple[ast.SExp, ...]]:
    """A sum of clipped numbers, the arguments that every call gives, and those that it may leave out."""
    data, low, size, count = (private.name(stem) for stem in ("t", "lo", "w", "k"))
    of_low = ast.Param(SPAN, name(low), written(R))
    kind = private.name("e")
    of_size = ast.Param(SPAN, name(size), static(kind))
    kinds = [ast.KindBinding(SPAN, kind, ast.Kind.POS)]
    kind_of_count = private.name("n")
    lo, w, step, k = (ast.RVar(SPAN, text) for text in (low, kind, size, kind_of_count))
    zero, five = ast.RealLit(SPAN, Fraction(0)), ast.NatLit(SPAN, 5)
    cell: ast.SExp = ast.Index(SPAN, var("r"), ast.NatLit(SPAN, 0), ast.NatLit(SPAN, 0))
    bounds: tuple[ast.SExp, ...] = (zero, var(size))
    given: tuple[ast.SExp, ...] = ()
    match private.random.randrange(3):
        case 0:
            ends, params = (end(w, negative=True), end(w)), [of_size]
            bounds = (prim("-", zero, var(size)), var(size))
            left_out: tuple[ast.SExp, ...] = (real(Fraction(2)),)
        case 1:
            ends, params = (end(lo), end(add(lo, w))), [of_low, of_size]
            cell = prim("-", cell, prim("disc", var(low)))
            left_out = (real(Fraction(-1)), real(Fraction(2)))
        case _:
            ends = (end(lo), end(add(lo, add(k, step, "⋅"))))
            of_count = ast.Param(SPAN, name(count), ast.TStaticNat(SPAN, k))
            params = [of_low, ast.Param(SPAN, name(size), written(R)), of_count]
            kinds = [ast.KindBinding(SPAN, kind_of_count, ast.Kind.NAT)]
            bounds = (zero, prim("real", var(count)))
            cell = prim("-", prim("-", cell, prim("disc", var(low))), prim("disc", var(size)))
            given, left_out = (five,), (real(Fraction(-1)), real(Fraction(1, 2)))
    column = ast.TBag(SPAN, ast.TWithin(SPAN, written(D), *ends))
    term = ast.Prim(SPAN, "clip", (cell,), None, bounds)
    total = ast.Fold(SPAN, zero, var(data), name("a"), name("r"), prim("+", var("a"), term))
    everything = (ast.Param(SPAN, name(data), column), *params)
    return ast.PLam(SPAN, tuple(kinds), everything, noise(private, data, total)), given, left_out


def for_any_columns(private: PrivateMaker) -> ast.PLam:
    """The number of rows of a table with whatever columns, or of a choice of them by what was given."""
    data, columns = private.name("t"), private.name("c")
    schema = ast.SVar(SPAN, columns, private.random.random() < 0.9)
    table = ast.TMatrix(SPAN, Norm.LINF, ast.ClipBound(SPAN, None, None), None, schema)
    counted: ast.SExp = var(data)
    if private.random.random() < 0.4:
        counted = ast.Map(SPAN, "bmap", (counted,), (name("r"),), private.random.choice((var("r"), real(Fraction(1)))))
    body = prim("real", prim("rows", counted))
    kinds = (ast.KindBinding(SPAN, columns, ast.Kind.TYPE),)
    return ast.PLam(SPAN, kinds, (ast.Param(SPAN, name(data), table),), noise(private, data, body))


def random_call_program(seed: int, notion: Notion) -> ast.File:
    """A privacy function of a table with a column in a range, which calls one or two functions of columns."""
    source = random.Random(seed)
    private = PrivateMaker(Maker(source), notion)
    cell = within(D, source.choice(RANGES))
    schema = ast.SCons(SPAN, "a", cell, ast.SEmpty(SPAN))
    whole = ast.SCons(
        SPAN, "a", cell, ast.SCons(SPAN, "b", written(D if source.random() < 0.8 else R), ast.SEmpty(SPAN))
    )
    is_wide = source.random() < 0.5
    rows = ast.RVar(SPAN, "m") if source.random() < 0.3 else None
    table = ast.TMatrix(SPAN, Norm.LINF, ast.ClipBound(SPAN, None, None), rows, whole if is_wide else schema)
    column: ast.SExp = ast.Select(SPAN, var("x"), (name("a"),)) if is_wide else var("x")
    body = called(private, column)
    if source.random() < 0.6:
        body = ast.Bind(SPAN, name(private.name("u")), body, called(private, column))
    kinds = () if rows is None else (ast.KindBinding(SPAN, "m", ast.Kind.NAT),)
    return ast.File(SPAN, None, (), (), ast.PLam(SPAN, kinds, (ast.Param(SPAN, name("x"), table),), body))


def called(private: PrivateMaker, column: ast.SExp) -> ast.PExp:
    """A call, of a name or of the function itself."""
    random_ = private.random
    if random_.random() < 0.3:
        function: ast.SExp = for_any_columns(private)
        args: tuple[ast.SExp, ...] = (var("x") if random_.random() < 0.7 else column,)
    else:
        function, given, left_out = for_a_range(private)
        if random_.random() < 0.3:
            row = ast.Index(SPAN, var("r"), ast.NatLit(SPAN, 0), ast.NatLit(SPAN, 0))
            guard = prim("<", row, prim("disc", real(Fraction(1))))
            column = ast.Filter(SPAN, column, name("r"), guard)
        args = (column, *(left_out if random_.random() < 0.2 else ()), *given)
    if random_.random() < 0.5:
        bound = private.name("f")
        return ast.PLet(SPAN, name(bound), function, ast.PApp(SPAN, var(bound), (), args))
    return ast.PApp(SPAN, function, (), args)
