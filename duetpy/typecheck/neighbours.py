"""How neighbouring inputs differ: the relation that a guarantee is about.

A guarantee is about a step of 1 in the distance of a type. If no replaced row, or no added or
removed row, can be further away, reports say so; if a row can be, as an unclipped real row can, they may only mention the step.
"""

from __future__ import annotations

from collections.abc import Iterable

from attrs import evolve

from duetpy.grammar.ast import Norm
from duetpy.typecheck import types as t
from duetpy.typecheck.persons import persons_of
from duetpy.typecheck.quantity import ONE
from duetpy.typecheck.show import show_type

REPLACE, ADD_REMOVE, STEP, MIXED = "replace-one", "add-remove", "step", "mixed"
PERSONS = "add-remove-person"
"""A person is added or removed, with all their rows in all files."""
REPLACE_PERSON = "replace-person"
"""All rows in all files that a person on a public roster has become any others."""
OF_PERSONS = (PERSONS, REPLACE_PERSON)
EACH = "each"


def neighbours(type_: t.Type) -> str:
    """How two neighbouring values of a type differ."""
    found = set()
    for here in t.parts_of(type_, lambda part: isinstance(part, t.Product | t.With)):
        match here:
            case t.Matrix():
                found.add(_of_rows(here))
            case t.Disc() | t.Maybe() | t.SetOf() | t.Bool() | t.Str() | t.Date():
                found.add(REPLACE)
            case t.StaticNat() | t.StaticReal() | t.Product() | t.With():
                pass  # one value, or several inputs
            case _:
                # A number, an index or a function may be replaced by one that is further away; the parts of a sum are
                # infinitely far from each other.
                found.add(STEP)
    return relation(found)


def replaced(type_: t.Type) -> str:
    """What a neighbour replaces, in words. A single value, a set and a table in 𝐝 change as a whole."""
    parts = _parts(type_)
    tables = {isinstance(part, t.Matrix) for part in parts}
    if tables == {False}:
        return "its value" if len(parts) == 1 else "one value in it"
    return "one row of it" if tables == {True} else "one row or one value in it"


def _of_rows(table: t.Matrix) -> str:
    if table.rows is not None and persons_of(table) is not None:
        return REPLACE_PERSON
    if table.rows is not None:
        return REPLACE if t.diameter(evolve(table, rows=ONE)).leq(ONE) else STEP
    if t.counts_rows(table):
        return ADD_REMOVE if persons_of(table) is None else PERSONS
    # An added real row is as far away as it is long.
    clip = table.clip
    short = clip is not None and (t.norm_factor(clip.norm, table.norm, table.width) * clip.bound).leq(ONE)
    return ADD_REMOVE if short else STEP


def is_in_parts(type_: t.Type) -> bool:
    """Whether one change of a person in all parts of a pair may be several steps of it: the distances of two parts add, or one
    part cannot be added to, so that in a table of unknown size a row is replaced, too."""
    match type_:
        case t.Sum() | t.Box():
            return any(map(is_in_parts, t.children(type_)))
        case _:
            return _most_steps(type_, is_replaced=not all(map(_is_of_any_size, _parts(type_)))) > 1


def _most_steps(type_: t.Type, *, is_replaced: bool) -> int:
    match type_:
        case t.Product(left, right):
            return sum(_most_steps(part, is_replaced=is_replaced) for part in (left, right))
        case t.With() | t.Sum() | t.Box():
            return max(_most_steps(part, is_replaced=is_replaced) for part in t.children(type_))
        case t.StaticNat() | t.StaticReal():
            return 0
        case _:
            return 2 if is_replaced and _is_of_any_size(type_) else 1


def _is_of_any_size(type_: t.Type) -> bool:
    return isinstance(type_, t.Matrix) and type_.rows is None


def shows_rows(type_: t.Type) -> bool:
    """Whether an input that costs nothing may show a number of rows that is fixed, so that a row can only be replaced. The number
    of persons on a roster is the roster's; on which side of a private sum a table is, nobody sees."""
    shown = t.parts_of(type_, lambda part: not (isinstance(part, t.Disc) and holds_sides(part)))
    return any(isinstance(part, t.Matrix) and part.rows is not None for part in shown) and persons_of(type_) is None


def holds_sides(type_: t.Type) -> bool:
    """Whether there is a sum in a type: of a discrete value, neighbours may be on different sides of it."""
    return any(isinstance(part, t.Sum) for part in t.parts_of(type_))


def moves_one_way(type_: t.Type) -> bool:
    """Whether every step of a type adds rows in all tables of unknown size that it holds, or removes rows in all of them.

    A step of a table adds or removes one row; a step of a pair whose distances add is a step of one part. Where the larger
    distance counts, as in τ & σ and in a row in L∞, one part may gain a row while another loses one.
    """
    match type_:
        case t.Matrix(rows=None):
            return t.counts_rows(type_)
        case t.Matrix() if holds_tables(type_):
            return (type_.norm is not Norm.LINF or _has_one(type_)) and all(map(moves_one_way, t.children(type_)))
        case t.Product() | t.Sum() | t.Box():
            return all(map(moves_one_way, t.children(type_)))
        case t.With(left, right):
            return not (holds_tables(left) and holds_tables(right)) and moves_one_way(left) and moves_one_way(right)
        case _:
            return not holds_tables(type_)


def _has_one(table: t.Matrix) -> bool:
    """Whether one cell of a row at most holds tables of unknown size."""
    if isinstance(table.schema, t.Uniform):
        return table.width == ONE
    return sum(map(holds_tables, table.column_types())) <= 1


def holds_tables(type_: t.Type) -> bool:
    """Whether a type is, or holds, or may turn out to hold, a table of unknown size."""
    return any(
        isinstance(part, t.TypeVar) or (isinstance(part, t.Matrix) and part.rows is None) for part in t.parts_of(type_)
    )


def relation_in_full(types: Iterable[t.Type]) -> str:
    """The one relation of several inputs as a ledger keeps it, where two prices are added up only if they are for the same.

    Of steps it says in which distance: another program may have another one. Where tables differ among themselves, or single
    values do, it says `MIXED`: the next run may swap their data, and then nothing adds up.
    """
    found: dict[str, set[str]] = {}
    for type_ in types:
        for part in _parts(type_):
            own = neighbours(part)
            kind = "rows" if has_rows(part) else "values"
            persons = persons_of(part)
            if persons is not None:
                by = f"{persons.identifier.name} : {show_type(persons.identifier.type)}"
                own = f"persons by {by}, {'add-remove' if persons.roster is None else 'a roster'}"
            found.setdefault(kind, set()).add(f"{own} in {_distance(part)}" if own == STEP else own)
    everything = set().union(*found.values())
    if len(everything) <= 1:
        return relation(everything)
    told = "; ".join(f"{kind}: {', '.join(sorted(relations))}" for kind, relations in sorted(found.items()))
    return f"{MIXED if max(map(len, found.values())) > 1 else EACH}: {told}"


def keeps_rows(relation: str) -> bool:
    """Whether neighbours have the same numbers of rows in a relation as a ledger keeps it."""
    return ADD_REMOVE not in relation and "★" not in relation


def has_rows(type_: t.Type) -> bool:
    """Whether a file may be given for it."""
    return any(isinstance(part, t.Matrix | t.SetOf) for part in t.parts_of(type_))


def _parts(type_: t.Type) -> list[t.Type]:
    """The inputs that a pair holds; what is one number in all inputs is not an input."""
    match type_:
        case t.Product() | t.With():
            return [part for child in t.children(type_) for part in _parts(child)]
        case t.StaticNat() | t.StaticReal():
            return []
        case _:
            return [type_]


def _distance(type_: t.Type) -> str:
    """The distance of a type, without its sizes, which are the data's, and without a bound on its rows."""
    match type_:
        case t.Matrix():
            rows = "★" if type_.rows is None else "m"
            columns = sorted({_distance(part) for part in t.children(type_)})
            return f"𝕄 [{type_.norm.value}, U | {rows}, {' ∷ '.join(columns)}]"
        case _:
            return show_type(type_)


def relation(relations: Iterable[str]) -> str:
    """The one relation of several inputs, or that they are mixed."""
    found = set(relations)
    return MIXED if len(found) > 1 else found.pop() if found else REPLACE
