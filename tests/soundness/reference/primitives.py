"""The second checker's rules for primitives."""

from __future__ import annotations

from attrs import evolve

from duetpy.grammar import ast
from duetpy.grammar.ast import Norm
from tests.soundness.reference.checker import Between, Fact, Kinds, Reference, Scope, longest, stopped
from tests.soundness.reference.metrics import (
    BOOL,
    DATA,
    DATE,
    NAT,
    REAL,
    STR,
    And,
    Arrow,
    Ball,
    Box,
    Disc,
    Index,
    Maybe,
    SetOf,
    Static,
    Table,
    Times,
    Type,
    Within,
    doubles_in,
    exchange,
    is_apart,
    is_cell,
    is_two_valued,
    join,
    sum_of,
    times,
    unbounded,
    widened,
)
from tests.soundness.reference.numbers import INF, ONE, TWO, ZERO, Num, larger, outwards, smaller


def of(check: Reference, node: ast.Prim, scope: Scope, kinds: Kinds) -> Fact:
    from tests.soundness.reference import table_primitives

    args = [check.of(arg, scope, kinds) for arg in node.args]
    bounds = [static(check.of(bound, scope, kinds)) for bound in node.bounds]
    known = constant(node.name, args)
    if known is not None:
        check.rule("idx" if node.name == "idx" else "static arithmetic")
        return evolve(known, moves=sum_of(*(arg.moves for arg in args)))
    match node.name:
        case "box":
            check.rule("box")
            return Fact(Box(args[0].moves, args[0].type))
        case "unbox":
            check.rule("unbox")
            box = args[0].type
            assert isinstance(box, Box)
            return Fact(box.inner, sum_of(args[0].moves, box.debt))
        case "discf":
            return discretised(check, args[0])
        case "clip":
            return clipped(check, args[0], bounds)
        case "fst" | "snd":
            pair, written = args[0].type, check.written_part(args[0], ("fst", "snd").index(node.name))
            assert isinstance(pair, Times | And)
            if written is not None:
                check.rule(f"{node.name}: of a written pair")
                return written
            check.rule(f"{node.name}: {'×' if isinstance(pair, Times) else '&'}")
            return Fact(pair.left if node.name == "fst" else pair.right, args[0].moves, factors=args[0].factors)
        case (
            "+"
            | "-"
            | "⋅"
            | "/"
            | "%"
            | "⊔"
            | "⊓"
            | "√"
            | "㏒"
            | "sign"
            | "floor"
            | "ceil"
            | "round"
            | "exp"
            | "abs"
            | "tanh"
        ):
            return unrounded(check, node.name, args, arithmetic(check, node.name, args))
        case "≡" | "<" | "≤" | "∧" | "∨" | "∈":
            return comparison(check, node.name, args)
        case name if name in ASKED:
            check.rule(name)
            return Fact(ASKED[name], sum_of(*(into_discrete(arg).moves for arg in args)))
        case "or-else":
            return replaced(check, *args)
        case "is-missing":
            check.rule("is-missing")
            return Fact(BOOL, args[0].moves)
        case "unionAll":
            check.rule("unionAll")
            sets = args[0].type
            assert isinstance(sets, SetOf)
            return Fact(sets.element, args[0].moves)
        case "real":
            check.rule("real: 𝐝 ℕ" if isinstance(args[0].type, Disc) else "real: ℕ")
            made = DATA if isinstance(args[0].type, Disc) else REAL
            return Fact(made, args[0].moves, args[0].range, factors=longest(args[0]))
        case "dyn" | "idx":
            check.rule(node.name)
            return Fact(widened(args[0].type), args[0].moves, factors=longest(args[0]))
        case "disc":
            apart = is_apart(args[0].type)
            check.rule("disc: values 1 apart" if apart else "disc: from ℝ")
            bare = widened(args[0].type)
            return Fact(
                bare if isinstance(bare, Disc) else Disc(bare), args[0].moves if apart else unbounded(args[0].moves)
            )
        case "conv":
            check.rule("conv")
            held = args[0].type.inner if isinstance(args[0].type, Disc) else args[0].type
            if isinstance(held, Within):
                check.rule("conv: in a range")
                return Fact(REAL, unbounded(args[0].moves), doubles_in(held), factors=1)
            return Fact(widened(held), unbounded(args[0].moves))
        case _:
            return table_primitives.primitive(check, node, args, bounds)


ASKED: dict[str, Type] = {
    **dict.fromkeys(("year", "month", "day", "weekday", "length"), Disc(NAT)),
    **dict.fromkeys(("month-start", "add-days"), DATE),
    **dict.fromkeys(("prefix", "suffix", "lower", "upper", "trim", "text"), STR),
    **dict.fromkeys(("contains", "starts"), BOOL),
    "days": DATA,
    "dates": SetOf(DATE),
    "number": Maybe(DATA),
}
"""The types of what is asked of days and texts: each of them moves by 1 at most, with each operand that does."""


def replaced(check: Reference, value: Fact, default: Fact) -> Fact:
    """What is missing is replaced by a value of the same sort, measured as 0 or 1 from then on."""
    inner = value.type.inner if isinstance(value.type, Maybe) else value.type
    held = inner.inner if isinstance(inner, Disc) else inner
    may_miss = isinstance(default.type, Maybe)
    check.rule("or-else: may be missing still" if may_miss else "or-else")
    moves = default.moves if is_apart(default.type) else unbounded(default.moves)
    made = held if held in (BOOL, STR, DATE) else Disc(held)
    if isinstance(held, Within):
        made = in_either(check, held, default.type)
    first = value.moves if is_apart(value.type) else unbounded(value.moves)
    return Fact(Maybe(made) if may_miss else made, sum_of(first, moves))


def in_either(check: Reference, known: Within, default: Type) -> Type:
    """A number in a range or another one: in the least range of both, if the other is known or in a range too."""
    inner = default.inner if isinstance(default, Maybe) else default
    other = inner.inner if isinstance(inner, Disc) else inner
    if isinstance(other, Static) and other.value.is_numeral and is_cell(other.value.floor):
        other = Within(other.value.floor, other.value.floor)
    if not isinstance(other, Within):
        return DATA
    check.rule("or-else: in a range")
    return Disc(Within(min(known.low, other.low), max(known.high, other.high)))


def static(fact: Fact) -> Num:
    assert isinstance(fact.type, Static)
    return fact.type.value


def zero(fact: Fact) -> bool:
    return isinstance(fact.type, Static) and fact.type.value.is_zero


def constant(name: str, args: list[Fact]) -> Fact | None:
    """Arithmetic on numbers that are known gives a number that is known."""
    if name == "⋅" and any(map(zero, args)) and all(is_number(arg.type) for arg in args):
        natural = all(is_natural(arg.type) for arg in args)
        return Fact(Static(ZERO, natural))
    if not all(isinstance(arg.type, Static) for arg in args) or not args:
        return None
    values = [static(arg) for arg in args]
    naturals = [isinstance(arg.type, Static) and arg.type.is_natural for arg in args]
    if any(naturals) != all(naturals):
        return None
    natural = all(naturals)
    match name, values:
        case "dyn", [_]:
            return Fact(NAT if natural else REAL, factors=0)
        case "real", [a] if natural:
            return Fact(Static(a, False))
        case "idx", [a] if natural:
            return Fact(Index(a + ONE))
        case "√", [a] if not natural and a.floor >= 0:
            return Fact(Static(a.root(), False))
        case "㏒", [a] if not natural:
            return Fact(Static(a.logarithm(), False)) if a.floor > 0 else Fact(REAL)
        case "+", [a, b]:
            return Fact(Static(a + b, natural))
        case "-", [a, b] if natural:
            return Fact(Static(larger(ZERO, a - b), True))
        case "-", [a, b]:
            return Fact(Static(a - b, False))
        case "abs", [a] if not natural:
            return Fact(Static(a.magnitude(), False))
        case "⋅", [a, b]:
            return Fact(Static(a * b, natural))
        case "/", [a, b] if not natural:
            return Fact(REAL, factors=0) if b.is_zero else Fact(Static(a / b, False))
        case "⊔", [a, b]:
            return Fact(Static(larger(a, b), natural))
        case "⊓", [a, b]:
            return Fact(Static(smaller(a, b), natural))
        case "%", [a, b] if natural and a.is_numeral and b.is_numeral and not b.is_zero:
            return Fact(Static(Num.exactly(a.floor % b.floor), True))
        case _:
            return None


def is_natural(type_: Type) -> bool:
    return type_ == NAT or isinstance(type_, Index) or (isinstance(type_, Static) and type_.is_natural)


def is_number(type_: Type) -> bool:
    return is_natural(type_) or type_ == REAL or isinstance(type_, Static)


def into_discrete(fact: Fact) -> Fact:
    """Where a discrete operand is wanted: at once from what is 1 apart, at ∞ from ℝ."""
    return fact if is_apart(fact.type) else evolve(fact, moves=unbounded(fact.moves))


def unrounded(check: Reference, name: str, args: list[Fact], made: Fact) -> Fact:
    """What arithmetic may round, as only its range bounds how far it moves: it lies in a range of doubles, or in none."""
    if made.type not in (REAL, NAT):
        return made
    lengths = [arg.length for arg in args]
    factors: int | None = None
    if name in ("+", "-", "⊔", "⊓", "abs"):
        factors = longest(*args)
    elif name in ("⋅", "/") and None not in lengths:
        factors = sum(length for length in lengths if length is not None)
        factors = factors if factors <= MOST_FACTORS else None
    made = evolve(made, factors=factors)
    if name not in ("+", "-", "⋅", "/"):
        return made
    is_unmeasured = all(s.is_infinite for s in made.moves.values())
    known = made.between if factors is None and is_unmeasured else None
    if known is not None and not (known[1] - known[0]).is_zero:
        is_held = any(not s.is_infinite for s in check.capped(made).moves.values())
        return evolve(made, between=by_doubles(name, args, known) if is_held else None, factors=1)
    if made.range is None and all(s.is_infinite for s in check.capped(made).moves.values()):
        made = evolve(made, factors=1)
    return made


def by_doubles(name: str, args: list[Fact], exact: Between) -> Between | None:
    """Doubles around what exact operands give and around what the doubles next to them give; of numerals only."""
    around = [None if arg.range is None else outwards(arg.range) for arg in args]
    if None in around:
        return None
    rounded = between(name, [evolve(arg, between=bounds) for arg, bounds in zip(args, around, strict=True)])
    return None if rounded is None else outwards((smaller(exact[0], rounded[0]), larger(exact[1], rounded[1])))


MOST_FACTORS = 16


def arithmetic(check: Reference, name: str, args: list[Fact]) -> Fact:
    types = [arg.type for arg in args]
    # Of two numbers the larger one moves by no more than the one that moves further.
    together = (lambda *moves: join(*moves)) if name in "⊔⊓" else sum_of
    discrete = [type_ for type_ in types if isinstance(type_, Disc)]
    if discrete:
        check.rule(f"{name}: discrete")
        inner = widened(discrete[0].inner)
        args = [into_discrete(arg) for arg in args]
        # Discrete values that differ are 1 apart, however close they lie as numbers.
        return Fact(Disc(inner), together(*(arg.moves for arg in args)))
    natural = all(map(is_natural, types))
    made: Type = NAT if natural else REAL
    match name, types:
        case (("abs" | "tanh"), _):
            check.rule(f"{name}: ℝ")
            return Fact(REAL, args[0].moves, between(name, args))
        case (("+" | "-" | "⊔" | "⊓"), _):
            check.rule(f"{name}: {'ℕ' if natural else 'ℝ'}")
            return Fact(made, together(*(arg.moves for arg in args)), between(name, args))
        case "⋅", [Static(value, _), _]:
            check.rule("⋅: static factor")
            return Fact(made, times(args[1].moves, value.magnitude()), between(name, args))
        case "⋅", [_, Static(value, _)]:
            check.rule("⋅: static factor")
            return Fact(made, times(args[0].moves, value.magnitude()), between(name, args))
        case "/", [_, Static(value, _)] if not value.is_zero:
            check.rule("/: static divisor")
            return Fact(REAL, times(args[0].moves, ONE / value.magnitude()), between(name, args))
        case "⋅", _ if not natural and are_short(args) and any(arg.range is not None for arg in args):
            check.rule("⋅: factors in ranges")
            one, other = (INF if arg.range is None else extent(arg.range) for arg in args)
            return Fact(REAL, sum_of(times(args[0].moves, other), times(args[1].moves, one)), between(name, args))
        case "/", _ if (
            are_short(args) and not args[1].moves and args[1].range is not None and apart_from_0(args[1].range)
        ):
            check.rule("/: a public divisor in a range")
            least = smaller(*(end.magnitude() for end in args[1].range))
            return Fact(REAL, times(args[0].moves, ONE / least), between(name, args))
        case "%", [_, Static(value, _)] if not value.is_zero:
            check.rule("%: static divisor")
            # x mod c jumps by at most c − 1 per step; c is what is charged.
            return Fact(NAT, times(args[0].moves, value))
        case (("⋅" | "%"), _) if natural:
            # Naturals are 1 apart, so they may be read as discrete: then any function of them is 1-sensitive.
            check.rule(f"{name}: ℕ, read as discrete")
            return Fact(Disc(NAT), sum_of(*(arg.moves for arg in args)), between(name, args))
        case _:
            check.rule(f"{name}: no Lipschitz constant")
            return Fact(made, sum_of(*(unbounded(arg.moves) for arg in args)), between(name, args))


def are_short(args: list[Fact]) -> bool:
    lengths = [arg.length for arg in args]
    return None not in lengths and sum(length for length in lengths if length is not None) <= MOST_FACTORS


def extent(bounds: Between) -> Num:
    return larger(bounds[0].magnitude(), bounds[1].magnitude())


def apart_from_0(bounds: Between) -> bool:
    low, high = bounds
    return (low >= ZERO and not low.is_zero) or (not high >= ZERO)


def corners(ends: list[Num]) -> Between:
    low, high = ends[0], ends[0]
    for end in ends[1:]:
        low, high = smaller(low, end), larger(high, end)
    return low, high


def between(name: str, args: list[Fact]) -> Between | None:
    """Bounds on the result from bounds on the operands."""
    found = _between(name, args)
    return stopped(found) if found is not None and is_natural(args[0].type) else found


def _between(name: str, args: list[Fact]) -> Between | None:
    ranges = [arg.range for arg in args]
    match name, ranges:
        case "+", [(a, b), (c, d)]:
            return a + c, b + d
        case "-", [(a, b), (c, d)]:
            if is_natural(args[0].type):
                return larger(ZERO, a - d), larger(ZERO, b - c)
            return a - d, b - c
        case "⋅", [(a, b), (c, d)]:
            return corners([a * c, a * d, b * c, b * d])
        case "/", [(a, b), (c, d)] if not args[1].moves and apart_from_0((c, d)):
            return corners([a / c, a / d, b / c, b / d])
        case "⊔", [(a, b), (c, d)]:
            return larger(a, c), larger(b, d)
        case "⊓", [(a, b), (c, d)]:
            return smaller(a, c), smaller(b, d)
        case "tanh", _:
            return ONE.negated(), ONE
        case "abs", [(a, b)]:
            return ZERO, larger(a.magnitude(), b.magnitude())
        case "floor", [(a, b)]:
            return a - ONE, b
        case "ceil", [(a, b)]:
            return a, b + ONE
        case "round", [(a, b)]:
            return a - ONE / TWO, b + ONE / TWO
        case _:
            return None


def comparison(check: Reference, name: str, args: list[Fact]) -> Fact:
    types = [arg.type for arg in args]
    moves = sum_of(*(arg.moves for arg in args))
    is_of_naturals = all(map(is_natural, types))
    if name in ("∧", "∨", "∈") or is_of_naturals:
        check.rule(f"{name}: ℕ" if is_of_naturals else name)
        return Fact(BOOL, moves)
    if any(type_ == REAL for type_ in types) and not any(isinstance(type_, Disc) for type_ in types):
        check.rule(f"{name}: ℝ")
        return Fact(BOOL, unbounded(moves))
    # Values of any other type are compared as those of 𝐝 τ are.
    check.rule(f"{name}: discrete")
    return Fact(BOOL, sum_of(*(into_discrete(arg).moves for arg in args)))


def clipped(check: Reference, arg: Fact, bounds: list[Num]) -> Fact:
    low, high = bounds if bounds else (ONE.negated(), ONE)
    known = low, high
    if isinstance(arg.type, Disc) and isinstance(arg.type.inner, Within):
        least, greatest = doubles_in(arg.type.inner)
        if low <= least and greatest <= high:
            check.rule("clip: 𝔻 in a narrower range")
            return Fact(REAL, times(arg.moves, greatest - least), (least, greatest), factors=1)
    if arg.range is not None and low <= arg.range[0] and arg.range[1] <= high:
        known = arg.range
    if isinstance(arg.type, Disc):
        check.rule("clip: 𝔻")
        return Fact(REAL, times(arg.moves, high - low), known, factors=1)
    check.rule("clip: ℝ")
    return Fact(REAL, arg.moves, known, factors=arg.length)


def discretised(check: Reference, function: Fact) -> Fact:
    arrow = function.type
    assert isinstance(arrow, Arrow)
    apart = is_apart(arrow.domain)
    check.rule("discf: values 1 apart" if apart else "discf: from ℝ")
    s = arrow.sensitivity if arrow.sensitivity.is_zero else (ONE if apart else INF)
    keeps = is_two_valued(arrow.codomain) and not isinstance(arrow.codomain, Static)
    made = arrow.codomain if keeps else Disc(arrow.codomain)
    return Fact(Arrow(arrow.domain, s, made), unbounded(function.moves))


# ---------------------------------------------------------------------------------------------------------------------
# Row by row: mclip, mconv, renorm


def clip_rows(check: Reference, node: ast.Prim, arg: Fact, bounds: list[Num]) -> Fact:
    table, norm = arg.type, node.norm
    assert isinstance(table, Table)
    assert norm is not None
    bound = bounds[0] if bounds else ONE
    rows = "★" if table.rows is None else "m"
    if all(map(is_two_valued, table.types)):
        # Where the distance counts rows, whatever is done to a row is one row.
        metric = table.norm if norm is Norm.LINF else Norm.LINF
        factor = exchange(table.norm, metric, table.width)
        check.rule(f"mclip[{norm.value}]: 𝔻 in {metric.value}, {rows} rows")
        data = tuple((name, DATA) for name, _ in table.columns)
        made = evolve(table, norm=metric, ball=Ball(norm, bound), columns=data)
        return row_by_row(arg, made, times(arg.moves, factor))
    check.rule(f"mclip[{norm.value}]: ℝ in {table.norm.value}, {rows} rows")
    half = (ONE + table.width.root()) / TWO
    radial = {
        (Norm.L1, Norm.L1): TWO,
        (Norm.L1, Norm.L2): table.width.root(),
        (Norm.L1, Norm.LINF): table.width,
        (Norm.L2, Norm.L1): half,
        (Norm.L2, Norm.L2): ONE,
        (Norm.L2, Norm.LINF): half,
    }
    factor = radial.get((norm, table.norm), ONE)
    return row_by_row(arg, evolve(table, ball=Ball(norm, bound)), times(arg.moves, factor))


def convert_rows(check: Reference, arg: Fact) -> Fact:
    table = arg.type
    assert isinstance(table, Table)
    rows = "★" if table.rows is None else "m"
    real = tuple((name, REAL) for name, _ in table.columns)
    if table.ball is None:
        check.rule(f"mconv: unclipped, {rows} rows")
        made = evolve(table, norm=Norm.L1, columns=real)
        return row_by_row(arg, made, unbounded(arg.moves))
    step = table.ball.bound if table.rows is None else TWO * table.ball.bound
    norm = table.ball.norm
    if table.ball.norm is Norm.LINF and table.rows is not None:
        # k entries that differ are at most 2b apart each: 2b·‖1ᵏ‖ in the norm in which they count ‖1ᵏ‖.
        norm = table.norm
    check.rule(f"mconv: {table.ball.norm.value} ball in {norm.value}, {rows} rows")
    return row_by_row(arg, evolve(table, norm=norm, columns=real), times(arg.moves, step))


def measured(check: Reference, node: ast.Prim, arg: Fact) -> Fact:
    table = arg.type
    assert isinstance(table, Table)
    assert node.norm is not None
    rows = "★" if table.rows is None else "m"
    check.rule(f"renorm: {table.norm.value} to {node.norm.value}, {rows} rows")
    # ★ rows of two-valued columns are counted, in whatever norm.
    counted = table.rows is None and all(map(is_two_valued, table.types))
    factor = ONE if counted else exchange(table.norm, node.norm, table.width)
    return evolve(row_by_row(arg, evolve(table, norm=node.norm), times(arg.moves, factor)), factors=arg.factors)


def row_by_row(arg: Fact, made: Type, moves: dict[int, Num]) -> Fact:
    return Fact(made, moves, row_by_row=arg.row_by_row, replaced=rows_moved(arg))


def rows_moved(fact: Fact) -> dict[int, Num] | None:
    """How far the number of rows moves; None where nothing bounds it."""
    if fact.replaced is not None:
        return dict(fact.replaced)
    table = fact.type
    if isinstance(table, Table) and table.rows is None and is_apart(table):
        return dict(fact.moves)
    return None
