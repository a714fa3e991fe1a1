"""How neighbouring inputs differ: the relation that a guarantee is about.

A guarantee is about a step of 1 in the distance of a type. Where that is as much as any row can make by being replaced, or by
coming or going, it is said so; where a row can make more, as an unclipped real row can, nothing but the step itself may be said.
"""

from __future__ import annotations

from collections.abc import Iterable

from attrs import evolve

from duetpy.grammar.ast import Norm
from duetpy.typecheck.quantity import ONE
from duetpy.typecheck.show import show_type
from duetpy.typecheck.types import (
    Bool,
    Box,
    Disc,
    Matrix,
    Product,
    SchemaVar,
    SetOf,
    StaticNat,
    StaticReal,
    Str,
    Sum,
    Type,
    TypeVar,
    Uniform,
    With,
    children,
    counts_rows,
    diameter,
    norm_factor,
    parts_of,
)

REPLACE, ADD_REMOVE, STEP, MIXED = "replace-one", "add-remove", "step", "mixed"
EACH = "each"


def neighbours(type_: Type) -> str:
    """How two neighbouring values of a type differ."""
    found = set()
    for here in parts_of(type_, lambda part: isinstance(part, Product | With)):
        match here:
            case Matrix():
                found.add(_of_rows(here))
            case Disc() | SetOf() | Bool() | Str():
                found.add(REPLACE)
            case StaticNat() | StaticReal() | Product() | With():
                pass  # one value, or several inputs
            case _:
                # A number, an index or a function may be replaced by one that is further away; the parts of a sum are
                # infinitely far from each other.
                found.add(STEP)
    return relation(found)


def _of_rows(table: Matrix) -> str:
    if table.rows is not None:
        return REPLACE if diameter(evolve(table, rows=ONE)).leq(ONE) else STEP
    if counts_rows(table):
        return ADD_REMOVE
    # A real row more is as far as it is long.
    clip = table.clip
    short = clip is not None and (norm_factor(clip.norm, table.norm, table.width) * clip.bound).leq(ONE)
    return ADD_REMOVE if short else STEP


def moves_one_way(type_: Type) -> bool:
    """Whether every step of a type adds rows in all tables of unknown size that it holds, or removes rows in all of them.

    A step of a table is one row more or less, and of a pair of which distances add, a step of one part. Where the larger
    distance counts, as in τ & σ and in a row in L∞, one part may gain a row while another loses one.
    """
    match type_:
        case Matrix(rows=None):
            return counts_rows(type_)
        case Matrix(schema=SchemaVar()):
            return False
        case Matrix() if holds_tables(type_):
            return (type_.norm is not Norm.LINF or _has_one(type_)) and all(map(moves_one_way, children(type_)))
        case Product() | Sum() | Box():
            return all(map(moves_one_way, children(type_)))
        case With(left, right):
            return not (holds_tables(left) and holds_tables(right)) and moves_one_way(left) and moves_one_way(right)
        case _:
            return not holds_tables(type_)


def _has_one(table: Matrix) -> bool:
    """Whether one cell of a row at most holds tables of unknown size."""
    if isinstance(table.schema, Uniform):
        return table.width == ONE
    return sum(map(holds_tables, table.column_types())) <= 1


def holds_tables(type_: Type) -> bool:
    """Whether a type is, or holds, or may turn out to hold, a table of unknown size."""
    return any(
        isinstance(part, TypeVar) or (isinstance(part, Matrix) and part.rows is None) for part in parts_of(type_)
    )


def relation_in_full(types: Iterable[Type]) -> str:
    """The one relation of several inputs as a ledger keeps it, where two prices are added up only if they are for the same.

    Of steps it says in which distance: another program may have another one. Where tables differ among themselves, or single
    values do, it says `MIXED`: the next run may swap their data, and then nothing adds up.
    """
    found: dict[str, set[str]] = {}
    for type_ in types:
        for part in _parts(type_):
            own = neighbours(part)
            kind = "rows" if has_rows(part) else "values"
            found.setdefault(kind, set()).add(f"{own} in {_distance(part)}" if own == STEP else own)
    everything = set().union(*found.values())
    if len(everything) <= 1:
        return relation(everything)
    told = "; ".join(f"{kind}: {', '.join(sorted(relations))}" for kind, relations in sorted(found.items()))
    return f"{MIXED if max(map(len, found.values())) > 1 else EACH}: {told}"


def has_rows(type_: Type) -> bool:
    """Whether a file may be given for it."""
    return any(isinstance(part, Matrix | SetOf) for part in parts_of(type_))


def _parts(type_: Type) -> list[Type]:
    """The inputs that a pair holds; what is one number in all inputs is not an input."""
    match type_:
        case Product() | With():
            return [part for child in children(type_) for part in _parts(child)]
        case StaticNat() | StaticReal():
            return []
        case _:
            return [type_]


def _distance(type_: Type) -> str:
    """The distance of a type, without its sizes, which are the data's, and without a bound on its rows."""
    match type_:
        case Matrix():
            rows = "★" if type_.rows is None else "m"
            columns = sorted({_distance(part) for part in children(type_)})
            return f"𝕄 [{type_.norm.value}, U | {rows}, {' ∷ '.join(columns)}]"
        case _:
            return show_type(type_)


def relation(relations: Iterable[str]) -> str:
    """The one relation of several inputs, or that they are mixed."""
    found = set(relations)
    return MIXED if len(found) > 1 else found.pop() if found else REPLACE
