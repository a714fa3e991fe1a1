"""Random programs on persons: what is computed from the rows of each, in one file or in two, and then of all of them."""

from __future__ import annotations

import random
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

from attrs import evolve, frozen

from duetpy.grammar import ast
from duetpy.grammar.ast import Norm
from duetpy.grammar.several_rows import of_persons
from tests.soundness.shapes import DN, MD, SPAN, B, D, N, R, Scope, Shape, prim, written

if TYPE_CHECKING:
    from tests.soundness.generate import Maker
    from tests.soundness.generate_private import PrivateMaker

WHO = "who"
FILES: dict[str, Scope] = {
    "visits": (("no", DN), ("cost", D)),
    "bills": (("no", DN), ("paid", MD)),
}
"""The columns of each file."""
ROSTER = "roster"
OTHERS = "others"
OTHER: Scope = (("no", DN), ("age", D))
"""A table of rows, and its columns other than the identifier."""


@frozen
class People:
    """An expression for a table of persons.

    Parameters
    ----------
    files
        The columns of each file that it still has.
    more
        What else it holds of a person.
    """

    node: ast.SExp
    files: Mapping[str, Scope]
    more: Scope = ()


def variable(name: str) -> ast.Var:
    return ast.Var(SPAN, name)


def named(name: str) -> ast.Name:
    return ast.Name(SPAN, name)


@frozen(eq=False)
class Persons:
    """Makes expressions about persons.

    Parameters
    ----------
    maker
        Makes what is computed from cells.
    by_text
        Whether the identifier is a text, or a natural number.
    outer
        What else a body may capture.
    """

    maker: Maker
    by_text: bool
    outer: Scope = ()

    @property
    def random(self) -> random.Random:
        return self.maker.random

    def name(self, stem: str) -> str:
        return f"{stem}{next(self.maker.fresh)}"

    def captured(self) -> Scope:
        return self.outer if self.random.random() < 0.12 else ()

    @property
    def identifier(self) -> ast.Type:
        return ast.TBase(SPAN, "𝕊") if self.by_text else written(DN)

    # Persons

    def people(self, depth: int, start: People) -> People:
        if depth <= 0 or self.random.random() < 0.3:
            return start
        of = self.people(depth - 1, start)
        p = self.name("p")
        match self.random.randrange(6):
            case 0 | 1:
                return evolve(of, node=ast.Filter(SPAN, of.node, named(p), self.of_person(B, depth, p, of)))
            case 2:
                added = self.name("more")
                row = ast.FrameOp(
                    SPAN,
                    "addColDF",
                    named(added),
                    (ast.Pair(SPAN, variable(p), self.of_person(D, depth, p, of)),),
                )
                return evolve(of, node=ast.Map(SPAN, "bmap", (of.node,), (named(p),), row), more=(*of.more, (added, D)))
            case 3:
                return self.fewer(of)
            case 4:
                chosen = self.fewer(evolve(of, node=variable(p)))
                return evolve(chosen, node=ast.Map(SPAN, "bmap", (of.node,), (named(p),), chosen.node))
            case _:
                if (OTHERS, N) not in self.outer or any(name == "age" for name, _ in of.more):
                    return of
                node = ast.FrameOp(SPAN, "joinDF₁", named(WHO), (of.node, variable(OTHERS)))
                return evolve(of, node=node, more=(*of.more, *OTHER))

    def fewer(self, of: People) -> People:
        """Some of the files, and maybe nothing else."""
        files = self.random.sample(sorted(of.files), self.random.randint(1, len(of.files)))
        more = of.more if self.random.random() < 0.5 else ()
        names = (WHO, *files, *(name for name, _ in more))
        return People(
            ast.Select(SPAN, of.node, tuple(map(named, names))), {file: of.files[file] for file in files}, more
        )

    # One person

    def of_person(self, shape: Shape, depth: int, person: str, people: People) -> ast.SExp:
        """Something computed from the cells and the rows of one person."""
        lets: list[tuple[str, Shape, ast.SExp]] = []
        who = ast.FieldOf(SPAN, variable(person), named(WHO))
        lets.append((self.name("who"), DN, prim("length", who) if self.by_text else who))
        for column, kind in people.more:
            lets.append((self.name("m"), kind, ast.FieldOf(SPAN, variable(person), named(column))))
        for _ in range(self.random.randint(1, 2)):
            kind = self.random.choice((R, R, D, DN, N, B, MD))
            lets.append((self.name("f"), kind, self.of_rows(kind, depth - 1, person, people)))
        scope = (*self.captured(), *((name, kind) for name, kind, _ in lets))
        body = self.maker.of(shape, depth, tuple(each for each in scope if each != (OTHERS, N)))
        for name, _, value in reversed(lets):
            body = ast.Let(SPAN, named(name), value, body)
        return body

    def of_rows(self, shape: Shape, depth: int, person: str, people: People) -> ast.SExp:
        """Something of a person's rows: how many there are, or a fold over them in any way."""
        node, columns = self.block(depth, person, people)
        if shape == N and self.random.random() < 0.5:
            return prim("rows", node)
        if self.random.random() < 0.2:
            return self.picked(shape, depth, node, columns)
        state, row = self.name("acc"), self.name("v")
        body = self.of_row(shape, depth + 1, row, columns, ((state, shape),))
        if shape in (R, N, D) and self.random.random() < 0.4:
            body = prim("+", variable(state), body)
        return ast.Fold(SPAN, self.maker.leaf(shape, ()), node, named(state), named(row), body)

    def picked(self, shape: Shape, depth: int, node: ast.SExp, columns: Scope) -> ast.SExp:
        """Something of the first or the last row, or the most frequent number."""
        row = self.name("v")
        if shape == MD and self.random.random() < 0.7:
            name, _ = self.random.choice([each for each in columns if each[1] in (D, MD)] or columns)
            if dict(columns)[name] in (D, MD):
                return prim("mode", ast.Select(SPAN, node, (named(name),)))
        numbered = [name for name, kind in columns if kind == DN]
        if shape == B and numbered and self.random.random() < 0.7:
            number = prim("disc", ast.NatLit(SPAN, self.random.randint(0, 2)))
            values = prim("elements", ast.Select(SPAN, node, (named(self.random.choice(numbered)),)))
            return prim("∈", number, values)
        there = self.of_row(shape, depth + 1, row, columns, ())
        found = prim(self.random.choice(("first", "last")), node)
        return ast.CaseMissing(SPAN, found, named(row), there, self.maker.leaf(shape, ()))

    def of_row(self, shape: Shape, depth: int, row: str, columns: Scope, beside: Scope) -> ast.SExp:
        cells = [(self.name(name[0]), kind, ast.FieldOf(SPAN, variable(row), named(name))) for name, kind in columns]
        captured = tuple(each for each in self.captured() if each != (OTHERS, N))
        body = self.maker.of(shape, depth, (*captured, *beside, *((name, kind) for name, kind, _ in cells)))
        for name, _, value in cells:
            body = ast.Let(SPAN, named(name), value, body)
        return body

    def block(self, depth: int, person: str, people: People, as_given: bool = False) -> tuple[ast.SExp, Scope]:
        """The rows that a file has of a person: all of them, some, parts of them, with partners; or others made of them, unless
        cells are to be `as_given`."""
        file = self.random.choice(sorted(people.files))
        if depth <= 0 or self.random.random() < 0.3:
            return ast.FieldOf(SPAN, variable(person), named(file)), people.files[file]
        node, columns = self.block(depth - 1, person, people, as_given)
        v = self.name("v")
        if (OTHERS, N) in self.outer and self.random.random() < 0.12:
            return self.of_others(depth, person, node, columns)
        match self.random.randrange(6):
            case 0 | 1:
                return ast.Filter(SPAN, node, named(v), self.of_row(B, depth, v, columns, ())), columns
            case 2:
                chosen = tuple(self.random.sample(columns, self.random.randint(1, len(columns))))
                return ast.Select(SPAN, node, tuple(named(name) for name, _ in chosen)), chosen
            case 3 if not as_given:
                made = (("no", DN), ("x", D))
                values = tuple(self.of_row(kind, depth, v, columns, ()) for _, kind in made)
                record = ast.Record(SPAN, tuple(named(name) for name, _ in made), values)
                return ast.Map(SPAN, "bmap", (node,), (named(v),), record), made
            case 4:
                return prim("distinct", node), columns
            case _:
                other, more = self.block(depth - 1, person, people, as_given)
                if ("no", DN) not in columns or ("no", DN) not in more:
                    return node, columns
                taken = {name for name, _ in columns}
                both = (*columns, *(each for each in more if each[0] not in taken))
                most = self.random.randint(0, 3)
                bound = (ast.NatLit(SPAN, most),) if most else ()
                return ast.FrameOp(SPAN, "joinDF" if most else "joinDF₁", named("no"), (*bound, node, other)), both

    def of_others(self, depth: int, person: str, node: ast.SExp, columns: Scope) -> tuple[ast.SExp, Scope]:
        """Rows of the other table that have to do with a person: it is in no order."""
        v, no = self.name("v"), named("no")
        if ("no", DN) in columns and self.random.random() < 0.5:
            taken = {name for name, _ in columns}
            both = (*columns, *(each for each in OTHER if each[0] not in taken))
            most = self.random.randint(0, 2)
            bound = (ast.NatLit(SPAN, most),) if most else ()
            return ast.FrameOp(SPAN, "joinDF" if most else "joinDF₁", no, (*bound, node, variable(OTHERS))), both
        kept = prim("≤", prim("real", ast.FieldOf(SPAN, variable(v), no)), prim("real", prim("rows", node)))
        own = prim("≡", ast.FieldOf(SPAN, variable(v), named(WHO)), ast.FieldOf(SPAN, variable(person), named(WHO)))
        return ast.Filter(SPAN, variable(OTHERS), named(v), self.random.choice((kept, own))), OTHER

    # All persons

    def flat(self, depth: int, people: People) -> tuple[ast.SExp, Scope]:
        """The rows of all persons, so many of each at most; of cells as they are given: those that are rounded decide which."""
        p = self.name("p")
        node, columns = self.block(depth, p, people, as_given=True)
        return ast.Flat(SPAN, ast.NatLit(SPAN, self.random.randint(1, 3)), people.node, named(p), node), columns

    def total_of_rows(self, depth: int, people: People) -> ast.SExp:
        """A sum over the rows of all persons, or how many they are."""
        return self.sum_of(*self.flat(depth, people))

    def sum_of(self, node: ast.SExp, columns: Scope) -> ast.SExp:
        """A sum over rows, or how many they are, maybe of some of them."""
        v, state = self.name("v"), self.name("s")
        if self.random.random() < 0.4:
            node = ast.Filter(SPAN, node, named(v), self.of_row(B, 1, v, columns, ()))
        if self.random.random() < 0.4:
            return prim("real", prim("rows", node))
        term = self.maker.clipped(self.of_row(R, 1, v, columns, ()))
        added = prim("+", variable(state), term)
        return ast.Fold(SPAN, ast.RealLit(SPAN, Fraction(0)), node, named(state), named(v), added)

    def total(self, depth: int, people: People) -> ast.SExp:
        """A sum over persons, or how many they are."""
        if self.random.random() < 0.2:
            return prim("real", prim("rows", people.node))
        if not people.more and self.random.random() < 0.3:
            return self.total_of_rows(depth, people)
        state, p = self.name("s"), self.name("p")
        if self.random.random() < 0.3:
            amounts = [ast.NatLit(SPAN, self.random.randint(0, 3)) for _ in range(2)]
            chosen = ast.If(SPAN, self.of_person(B, depth, p, people), *amounts)
            counted = prim("+", variable(state), chosen)
            return prim("real", ast.Fold(SPAN, ast.NatLit(SPAN, 0), people.node, named(state), named(p), counted))
        term = self.maker.clipped(self.of_person(R if self.random.random() < 0.5 else D, depth, p, people))
        added = prim("+", variable(state), term)
        return ast.Fold(SPAN, ast.RealLit(SPAN, Fraction(0)), people.node, named(state), named(p), added)

    def parts(self, depth: int, people: People) -> ast.SExp:
        """A sum over the parts that persons are in by a number of theirs."""
        state, part, p, column = self.name("s"), self.name("t"), self.name("p"), self.name("more")
        cell = self.of_person(DN, depth, p, people)
        row = ast.FrameOp(SPAN, "addColDF", named(column), (ast.Pair(SPAN, variable(p), cell),))
        keyed = ast.Map(SPAN, "bmap", (people.node,), (named(p),), row)
        keys = ast.SetLit(SPAN, tuple(prim("disc", ast.NatLit(SPAN, number)) for number in (0, 1, 3)))
        parts = ast.FrameOp(SPAN, "partitionDF", named(column), (keyed, keys))
        within = ast.Index(SPAN, variable(part), ast.NatLit(SPAN, 0), ast.NatLit(SPAN, 0))
        term = self.maker.clipped(self.total(depth - 1, evolve(people, node=within, more=(*people.more, (column, DN)))))
        return ast.Fold(
            SPAN,
            ast.RealLit(SPAN, Fraction(0)),
            parts,
            named(state),
            named(part),
            prim("+", variable(state), term),
        )


def frame(columns: Scope) -> ast.TFrame:
    return ast.TFrame(SPAN, tuple(ast.FieldType(SPAN, name, written(kind)) for name, kind in columns))


def parameters(maker: Persons, name: str, files: Mapping[str, Scope]) -> ast.Param:
    fields = tuple(ast.FieldType(SPAN, file, frame(columns)) for file, columns in files.items())
    return ast.Param(SPAN, named(name), ast.TPersons(SPAN, ast.FieldType(SPAN, WHO, maker.identifier), fields))


def one_person(maker: Persons, people: People) -> ast.Param:
    """A row of a table of persons."""
    assert isinstance(people.node, ast.Var)
    blocks = tuple(ast.FieldType(SPAN, file, ast.TDisc(SPAN, frame(columns))) for file, columns in people.files.items())
    record = ast.TRecord(SPAN, (ast.FieldType(SPAN, WHO, maker.identifier), *blocks))
    return ast.Param(SPAN, named(people.node.name), record)


def drawn_persons(made: Maker, outer: Scope) -> tuple[Persons, People, tuple[ast.Param, ...]]:
    """A maker, a parameter of persons, and how it and the other ones are written."""
    source = made.random
    by_text = source.random() < 0.5
    with_others = source.random() < 0.4
    known = (*outer, (OTHERS, N)) if with_others else outer
    maker = Persons(made, by_text, known)
    files = {name: FILES[name] for name in source.sample(sorted(FILES), source.randint(1, 2))}
    params = [parameters(maker, "people", files)]
    params += [ast.Param(SPAN, named(name), written(shape)) for name, shape in outer]
    if with_others:
        identified = (ast.FieldType(SPAN, WHO, maker.identifier), *frame(OTHER).fields)
        params.append(ast.Param(SPAN, named(OTHERS), ast.TFrame(SPAN, identified)))
    return maker, People(variable("people"), files), tuple(params)


def program(made: Maker, depth: int = 2) -> ast.File:
    """A sensitivity function of a table of persons."""
    source = made.random
    outer: Scope = tuple((name, source.choice((R, D, N, MD))) for name in "yz"[: source.randint(0, 2)])
    maker, start, params = drawn_persons(made, outer)
    if source.random() < 0.15:
        # Of one person alone, the distance is known to be 1 at most, and what is computed from the rows may move by anything.
        person = params[0].name.text
        written_person = one_person(maker, start)
        of_one = maker.of_person(source.choice((R, D, N, B)), depth, person, start)
        return ast.File(SPAN, None, (), (), ast.Lam(SPAN, (), (written_person, *params[1:]), of_one))
    if source.random() < 0.06:
        return of_so_many_persons(made)
    people = maker.people(depth, start)
    choice = source.random()
    if choice < 0.2:
        body = people.node if people.more or source.random() < 0.6 else maker.flat(depth, people)[0]
    elif choice < 0.3:
        body = maker.parts(depth, people)
    else:
        total = maker.name("total")
        rest = maker.maker.of(source.choice((R, R, N, D)), depth, (*outer, (total, R)))
        summed = prim("+", variable(total), rest) if source.random() < 0.5 and choice < 0.6 else rest
        body = ast.Let(SPAN, named(total), maker.total(depth, people), summed if choice < 0.6 else variable(total))
    return ast.File(SPAN, None, (), (), ast.Lam(SPAN, (), params, body))


def with_roster(maker: Persons, people: ast.Param) -> tuple[ast.Param, ast.Param]:
    """A public set of identifiers, and the table of the persons in it."""
    assert isinstance(people.type, ast.TPersons)
    listed = ast.Param(SPAN, named(ROSTER), ast.TSet(SPAN, maker.identifier))
    return listed, evolve(people, type=evolve(people.type, roster=ast.Roster(SPAN, ROSTER)))


def of_so_many_persons(made: Maker) -> ast.File:
    """The rows of a table with a fixed number of persons, who can be replaced by others only: of any others, or of those on a
    roster, whose rows become others."""
    maker, start, params = drawn_persons(made, ())
    if made.random.random() < 0.6:
        body = maker.total(1, start) if made.random.random() < 0.5 else maker.flat(1, start)[0]
        if made.random.random() < 0.2:
            body = ast.Pair(SPAN, body, variable(ROSTER))
        return ast.File(SPAN, None, (), (), ast.Lam(SPAN, (), (*with_roster(maker, params[0]), *params[1:]), body))
    rows: ast.Schema = ast.SEmpty(SPAN)
    for file, columns in reversed(start.files.items()):
        rows = ast.SCons(SPAN, file, ast.TDisc(SPAN, frame(columns)), rows)
    schema = ast.SCons(SPAN, WHO, maker.identifier, rows)
    size = ast.RNum(SPAN, Fraction(made.random.randint(1, 3)), False)
    table = ast.TMatrix(SPAN, Norm.LINF, ast.ClipBound(SPAN, None, None), size, schema)
    body = maker.flat(1, start)[0] if made.random.random() < 0.5 else maker.total_of_rows(1, start)
    return ast.File(SPAN, None, (), (), ast.Lam(SPAN, (), (evolve(params[0], type=table), *params[1:]), body))


def grouped_program(noise: PrivateMaker, depth: int = 2) -> ast.File:
    """A privacy function of a table of rows, some rows of each person."""
    maker = Persons(noise.maker, noise.random.random() < 0.5)
    columns = FILES[noise.random.choice(sorted(FILES))]
    own = (ast.FieldType(SPAN, WHO, maker.identifier),) if noise.random.random() < 0.5 else ()
    fields = (*own, *frame(columns).fields)
    totals = [
        (maker.name("total"), maker.sum_of(variable("lines"), columns)) for _ in range(noise.random.randint(1, 2))
    ]
    release = noise.of(depth, tuple((name, R) for name, _ in totals))
    for name, value in totals:
        release = ast.PLet(SPAN, named(name), value, release)
    param = ast.Param(SPAN, named("lines"), ast.TFrame(SPAN, fields))
    file = ast.File(SPAN, None, (), (), ast.PLam(SPAN, (), (param,), release))
    return of_persons(file, {"lines": (WHO, noise.random.randint(1, 3))})


def private_program(noise: PrivateMaker, depth: int = 2) -> ast.File:
    """A privacy function of a table of persons: releases of sums over them, or over each part that they are in."""
    source = noise.random
    if source.random() < 0.15:
        return grouped_program(noise, depth)
    if source.random() < 0.12:
        return roster_program(noise, depth)
    outer: Scope = tuple((name, source.choice((R, D, N, MD))) for name in "yz"[: source.randint(0, 1)])
    maker, start, params = drawn_persons(noise.maker, outer)
    if source.random() < 0.4:
        people = maker.people(1, start)
        p, key, part = maker.name("p"), maker.name("k"), maker.name("t")
        keys = ast.SetLit(SPAN, tuple(prim("disc", ast.RealLit(SPAN, Fraction(k))) for k in (0, 1, 3)))
        total = maker.name("total")
        inside = evolve(maker, outer=())
        sums = inside.total(depth - 1, inside.people(1, evolve(people, node=variable(part))))
        body: ast.PExp = ast.PLet(SPAN, named(total), sums, noise.of(depth - 1, ((total, R), (key, D))))
        by, most = maker.of_person(D, depth - 1, p, people), None
        if source.random() < 0.5:
            # Of several keys some count; now and then it is one, and another one that nobody asks for.
            others = [prim("disc", ast.RealLit(SPAN, Fraction(k))) for k in source.sample((0, 1, 2, 3), 2)]
            by, most = ast.SetLit(SPAN, (by, *others)), ast.NatLit(SPAN, source.randint(1, 3))
        parallel = ast.Parallel(SPAN, most, people.node, keys, named(p), by, named(key), named(part), body)
        release: ast.PExp = ast.Bind(SPAN, named(maker.name("all")), parallel, noise.returned())
        return ast.File(SPAN, None, (), (), ast.PLam(SPAN, (), params, release))
    totals = [(maker.name("total"), maker.total(depth, maker.people(1, start))) for _ in range(source.randint(1, 2))]
    release = noise.of(depth, (*outer, *((name, R) for name, _ in totals)))
    for name, value in totals:
        release = ast.PLet(SPAN, named(name), value, release)
    return ast.File(SPAN, None, (), (), ast.PLam(SPAN, (), params, release))


def roster_program(noise: PrivateMaker, depth: int = 2) -> ast.File:
    """A privacy function of the persons on a roster: releases of sums over them, or for each of them."""
    source = noise.random
    maker, start, params = drawn_persons(noise.maker, ())
    total = maker.name("total")
    if source.random() < 0.4:
        p, key, part = maker.name("p"), maker.name("k"), maker.name("t")
        inside = evolve(maker, outer=())
        sums = inside.total(depth - 1, evolve(start, node=variable(part)))
        each: ast.PExp = ast.PLet(SPAN, named(total), sums, noise.of(depth - 1, ((total, R),)))
        by = ast.FieldOf(SPAN, variable(p), named(WHO))
        keys = variable(ROSTER)
        parallel = ast.Parallel(SPAN, None, start.node, keys, named(p), by, named(key), named(part), each)
        release: ast.PExp = ast.Bind(SPAN, named(maker.name("all")), parallel, noise.returned())
    else:
        release = ast.PLet(SPAN, named(total), maker.total(depth, start), noise.of(depth, ((total, R),)))
    return ast.File(SPAN, None, (), (), ast.PLam(SPAN, (), (*with_roster(maker, params[0]), *params[1:]), release))


def sampling_program(noise: PrivateMaker) -> ast.File:
    """Laplace noise on sums over persons, each drawn with the same probability."""
    source = noise.random
    maker, start, params = drawn_persons(noise.maker, (("y", R),))
    inside = evolve(maker, outer=())
    total = maker.name("total")
    sums = inside.total(1, inside.people(1, evolve(start, node=variable("s"))))
    body = ast.PLet(SPAN, named(total), sums, noise.scalar_noise(((total, R), ("y", R))))
    size = ast.RealLit(SPAN, source.choice((Fraction(1, 4), Fraction(1, 2), Fraction(1))))
    made = ast.Sample(SPAN, "poisson", size, (start.node,), (named("s"),), body)
    return ast.File(SPAN, None, (), (), ast.PLam(SPAN, (), params, made))
