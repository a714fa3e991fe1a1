"""What is proved of a type with variables in it holds of each type that is put in for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import product

import pytest

from duetpy.grammar.ast import Norm
from duetpy.typecheck import types as t
from duetpy.typecheck.moves import has_steps
from duetpy.typecheck.neighbours import holds_tables, moves_one_way
from duetpy.typecheck.quantity import ONE, Kind, KindVar, Quantity, Signed
from duetpy.typecheck.rewriting import Replacement, substitute
from duetpy.typecheck.show import show_type
from duetpy.typecheck.subtype import coerce, is_comparable, is_subtype, join_types
from tests import effort

TYPE, SIZE, BOUND = (KindVar.fresh(name, kind) for name, kind in (("τ", Kind.TYPE), ("n", Kind.NAT), ("b", Kind.POS)))
ANY, TWO = t.TypeVar(TYPE), Quantity.of(2)
STATIC = t.StaticReal(Signed(False, Quantity.var(BOUND)))


EVERY = 1 if effort.IS_THOROUGH else 3
"""Of the instances so many are looked at."""


def tables(element: t.Type) -> Iterator[t.Type]:
    for norm, rows in product(Norm, (None, TWO, Quantity.var(SIZE))):
        for clip in (None, t.Clip(Norm.L2, Quantity.var(BOUND))):
            yield t.Matrix(norm, clip, rows, t.Uniform(TWO, element))


def columns(*elements: t.Type) -> t.Schema:
    return t.Columns(tuple(t.Column(None, element) for element in elements))


@cache
def types() -> tuple[t.Type, ...]:
    simple: list[t.Type] = [
        ANY,
        t.REAL,
        t.DATA,
        t.NAT,
        t.StaticNat(Quantity.var(SIZE)),
        t.Idx(Quantity.var(SIZE)),
        STATIC,
    ]
    found: list[t.Type] = [*simple, *(table for element in (ANY, t.REAL, t.DATA, STATIC) for table in tables(element))]
    mixed: list[tuple[t.Type, t.Type]] = [(ANY, t.REAL), (ANY, ANY), (t.REAL, t.REAL), (ANY, t.DATA), (t.REAL, t.DATA)]
    found += [t.Matrix(Norm.LINF, None, rows, columns(*pair)) for pair in mixed for rows in (None, TWO)]
    some: list[t.Type] = [
        ANY,
        t.REAL,
        t.NAT,
        *(t.Matrix(Norm.L1, None, None, t.Uniform(ONE, part)) for part in (ANY, t.REAL, t.DATA)),
    ]
    found += [of(left, right) for left, right in product(some, some) for of in (t.Product, t.With, t.Sum)]
    for part in some:
        found += [
            t.Disc(part),
            t.SetOf(part),
            *(t.Matrix(Norm.L1, None, rows, t.Uniform(ONE, part)) for rows in (None, TWO)),
        ]
        found += [t.Fun((), "x", part, ONE, ANY), t.Fun((), "x", ANY, Quantity.var(BOUND), part)]
    return tuple(dict.fromkeys(found))


@cache
def instances() -> tuple[Mapping[KindVar, Replacement], ...]:
    put_in: list[t.Type] = [
        t.REAL,
        t.DATA,
        t.NAT,
        t.BOOL,
        t.StaticReal(Signed.of(1)),
        t.Product(t.REAL, t.NAT),
        t.SetOf(t.NAT),
    ]
    put_in += [t.Matrix(Norm.LINF, None, rows, t.Uniform(TWO, t.REAL)) for rows in (None, TWO)]
    put_in += [t.Sum(t.REAL, t.REAL), t.Fun((), "x", t.REAL, ONE, t.REAL)]
    found: list[Mapping[KindVar, Replacement]] = [
        {TYPE: type_, SIZE: TWO, BOUND: Quantity.of("0.5")} for type_ in put_in
    ]
    return (*found, {TYPE: t.REAL, SIZE: ONE, BOUND: Quantity.of(5)})


def of_tables(fact: Callable[[t.Matrix], bool]) -> Callable[[t.Type], bool]:
    return lambda type_: isinstance(type_, t.Matrix) and fact(type_)


FACTS: Mapping[str, Callable[[t.Type], bool]] = {
    "separated": lambda type_: t.is_separated(type_),
    "discrete": t.is_discrete,
    "comparable": is_comparable,
    "in steps": has_steps,
    "one way": moves_one_way,
    "without tables": lambda type_: not holds_tables(type_),
    "without functions": lambda type_: not t.holds_functions(type_),
    "discrete rows": t.has_discrete_rows,
    "counts rows": of_tables(lambda table: t.counts_rows(table)),
    "matches rows": of_tables(t.matches_rows),
    "replaces rows": of_tables(t.replaces_rows),
}


def lost(fact: str) -> list[tuple[str, str]]:
    """The types of which a fact is claimed, with instances of which it is not."""
    pairs = ((type_, substitute(type_, each)) for type_ in types() if FACTS[fact](type_) for each in instances())
    return [(show_type(type_), show_type(instance)) for type_, instance in pairs if not FACTS[fact](instance)]


def _counts_unknown_rows(table: t.Matrix) -> bool:
    return not all(isinstance(column, t.Real) for column in table.column_types())


def test_unknown_columns_may_move_both_ways() -> None:
    bag = t.Matrix(Norm.L1, None, None, t.Uniform(ONE, t.DATA))
    unknown = KindVar.fresh("ς", Kind.TYPE)
    row = t.Matrix(Norm.LINF, None, ONE, t.SchemaVar(unknown, False))
    assert not moves_one_way(substitute(row, {unknown: columns(bag, bag)}))
    assert not moves_one_way(row)


@pytest.mark.parametrize("fact", FACTS)
def test_a_fact_about_a_type_is_one_about_its_instances(fact: str) -> None:
    assert any(map(FACTS[fact], types()))
    assert lost(fact) == []


def test_a_fact_that_a_variable_takes_for_granted_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: a column of an unknown type is not known to be discrete."""
    monkeypatch.setattr(t, "counts_rows", _counts_unknown_rows)
    assert lost("counts rows")


def test_a_diameter_is_no_smaller_than_that_of_an_instance() -> None:
    for type_, each in product(types(), instances()):
        sizes = {variable: value for variable, value in each.items() if isinstance(value, Quantity)}
        assert t.diameter(substitute(type_, each)).leq(t.diameter(type_).substitute(sizes)), show_type(type_)


def test_what_stands_for_another_type_does_so_at_every_instance() -> None:
    compared = 0
    for left, right in product(types()[::EVERY], types()):
        factor, joined = coerce(left, right), join_types(left, right)
        if factor is None and joined is None:
            continue
        for each in instances()[::EVERY]:
            one, other = substitute(left, each), substitute(right, each)
            compared += 1
            if factor is not None:
                found = coerce(one, other)
                assert found is not None, (show_type(left), show_type(right))
                assert found.leq(factor), (show_type(left), show_type(right))
            if joined is not None:
                both = substitute(joined, each)
                assert is_subtype(one, both), (show_type(left), show_type(right))
                assert is_subtype(other, both), (show_type(left), show_type(right))
    assert compared > 500
