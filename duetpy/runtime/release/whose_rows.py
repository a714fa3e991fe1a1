"""Whose rows an argument holds: its parts, where each of them comes from, and how many steps one change of one person is in it.

Rows of one file are one person each. Nothing shows whose data a table or a value in memory is, or what comes through a pipe.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from attrs import evolve, field, frozen

from duetpy.diagnostics.display import visible
from duetpy.ledger.places import OF_SOURCES, Place, connected, may_share
from duetpy.runtime.sources.column_selection import DataArgument
from duetpy.runtime.sources.files import Mark, Opened, opened, passed
from duetpy.runtime.sources.given import halves_of, side_of
from duetpy.runtime.sources.looks import end_of, path_of
from duetpy.runtime.sources.persons import PersonsData
from duetpy.runtime.sources.problems import STANDARD_INPUT, shown_origin
from duetpy.runtime.sources.registry import is_source
from duetpy.settings import DataFile
from duetpy.typecheck import types as t
from duetpy.typecheck.neighbours import (
    ADD_REMOVE,
    PERSONS,
    REPLACE,
    REPLACE_PERSON,
    has_rows,
    holds_sides,
    neighbours,
    relation,
)

REPLACED = {ADD_REMOVE: REPLACE, PERSONS: REPLACE_PERSON}
"""How neighbours differ in a table of unknown size where one row, or one person, goes and another one comes."""


@frozen(eq=False, repr=False)
class Source:
    """Where the rows of a parameter come from.

    Parameters
    ----------
    name
        What readers call it.
    marks
        Those of a file, or of a source with an identity; `OF_ANYBODY` of what is in memory or comes through a pipe.
    memory
        The object that the caller gave, or one of its own if that may be another caller's too; None of a file.
    places
        For each mark, what it is called in every run.
    aligned
        The marks of the sources that hold rows of the same people, as other inputs of the run show.
    """

    name: str
    marks: tuple[Mark, ...]
    memory: object = None
    places: tuple[Place, ...] = field(default=((),), kw_only=True)
    aligned: tuple[Mark, ...] = field(default=(), kw_only=True)

    @property
    def is_known(self) -> bool:
        """Whether something shows whose rows it holds."""
        return self.marks != OF_ANYBODY

    def may_share(self, other: Source) -> bool:
        """Whether two sources may hold rows of the same people."""
        return may_share(self.marks + self.aligned, other.marks + other.aligned)

    @property
    def may_be_of_anybody(self) -> bool:
        """Whether nothing shows whose rows it has."""
        return () in self.marks + self.aligned

    def is_one(self, other: Source) -> bool:
        """Whether two sources are certainly one: the same file, or the same object."""
        if not self.is_known or not other.is_known:
            return self.marks == other.marks and self.memory is other.memory
        return may_share(self.marks, other.marks)


OF_ANYBODY: tuple[Mark, ...] = ((),)
"""The marks of a source that may hold rows of the people of any other: what each mark begins with."""


def known(sources: Iterable[Source]) -> list[Source]:
    """Those of which something shows whose rows they hold."""
    return [source for source in sources if source.is_known]


def may_join_others(sources: Sequence[Source]) -> bool:
    """Whether sources of the same people may be those of two files that hold none of them: each of two objects in memory may be a
    copy of one of the files."""
    return len({id(source.memory) for source in sources if not source.is_known}) > 1


@frozen(eq=False, repr=False)
class Part:
    """What a change can move by itself: a parameter, or a part of a pair.

    Parameters
    ----------
    type, sources
        Its type, and where it comes from.
    sides
        What moves in one step: of a pair of which the larger distance counts, the parts of each side; of what is a single value,
        its parts.
    """

    type: t.Type
    sources: tuple[Source, ...]
    sides: tuple[tuple[Part, ...], ...] = ()

    def shares(self, other: Part) -> bool:
        return any(one.may_share(another) for one in self.sources for another in other.sources)

    def aligned(self, groups: Sequence[Sequence[Source]]) -> Part:
        """The part in a run in which the sources of each group are of the same people."""

        def together(source: Source) -> Source:
            of_same = (each for each in groups if any(map(source.may_share, known(each))) or may_join_others(each))
            own = chain.from_iterable(of_same)
            return evolve(source, aligned=tuple([mark for other in own for mark in other.marks]))

        sources = tuple([together(source) if source.is_known else source for source in self.sources])
        sides = tuple([tuple([part.aligned(groups) for part in side]) for side in self.sides])
        return Part(self.type, sources, sides)

    def of_fixed_size(self) -> Iterator[Part]:
        """The tables in it with a fixed number of rows: of those who are in one a row is replaced. If it may be on either side of a
        private sum, none: which one it is on is not shown."""
        if isinstance(self.type, t.Matrix) and self.type.rows is not None:
            yield self
        elif not (isinstance(self.type, t.Disc) and holds_sides(self.type)):
            for part in chain(*self.sides):
                yield from part.of_fixed_size()

    def single(self) -> Iterator[Part]:
        """What moves by itself in it."""
        if isinstance(self.type, t.With):
            for part in chain(*self.sides):
                yield from part.single()
        else:
            yield self

    @property
    def only_replaced(self) -> bool:
        """Whether nothing can be added to what moves by itself, or removed from it."""
        return not isinstance(self.type, t.StaticNat | t.StaticReal) and not self._is_of_any_size

    @property
    def _is_of_any_size(self) -> bool:
        return isinstance(self.type, t.Matrix) and self.type.rows is None

    def is_replaced(self, fixed: Sequence[Part]) -> bool:
        """Whether a change replaces a row of a table of unknown size, as it does in what is `fixed`."""
        return any(part._is_of_any_size and any(map(part.shares, fixed)) for part in self.single())

    def relation(self, fixed: Sequence[Part]) -> str:
        """How neighbours differ in it."""
        return relation(
            REPLACED.get(own, own) if single.is_replaced(fixed) else own
            for single in self.single()
            for own in ([] if isinstance(single.type, t.StaticNat | t.StaticReal) else [neighbours(single.type)])
        )

    def steps(self, fixed: Sequence[Part]) -> int:
        """How many steps one change of one person is: a row that is replaced leaves a table of unknown size and enters it."""
        match self.type:
            case t.StaticNat() | t.StaticReal():
                return 0
            case t.With():
                return max(most_steps(side, fixed) for side in self.sides)
            case _:
                return 2 if self.is_replaced(fixed) else 1

    def moves_at_once(self) -> bool:
        """Whether its steps are those of a change of everything in it."""
        return not isinstance(self.type, t.With) or all(map(move_at_once, self.sides))


def most_steps(parts: Sequence[Part], fixed: Sequence[Part]) -> int:
    """The steps of a change in all parts that belong to the same people: no fewer than 1."""
    return max(1, *(sum(part.steps(fixed) for part in same) for same in connected(parts, Part.shares)))


def move_at_once(parts: Sequence[Part]) -> bool:
    """Whether `most_steps` are those of a change of all parts: none of them belongs to other people."""
    moving = [part for part in parts if not isinstance(part.type, t.StaticNat | t.StaticReal)]
    return len(connected(moving, Part.shares)) <= 1 and all(part.moves_at_once() for part in moving)


def parts_of(name: str, value: object, type_: t.Type) -> Iterator[Part]:
    """The parts of a parameter: one, or those of a pair of which the distances add."""
    match type_:
        case t.Product(left, right):
            first, second = halves_of(value)
            yield from parts_of(name, first, left)
            yield from parts_of(name, second, right)
        case t.With(left, right):
            first, second = halves_of(value)
            sides = tuple(parts_of(name, first, left)), tuple(parts_of(name, second, right))
            yield Part(type_, tuple(all_sources(part for side in sides for part in side)), sides)
        case t.Sum(left, right):
            side, held = side_of(value)
            yield from parts_of(name, held, left if side == "inl" else right)
        case t.Box(_, inner):
            yield from parts_of(name, value, inner)
        case t.Disc(inner):
            own = tuple(parts_of(name, value, inner))
            yield Part(type_, tuple(all_sources(own)), (own,))
        case _:
            yield Part(type_, tuple(_sources(name, value, type_)))


def all_sources(parts: Iterable[Part]) -> Iterator[Source]:
    return (source for part in parts for source in part.sources)


def sources_of(name: str, value: object, type_: t.Type) -> Iterator[Source]:
    """The sources of a parameter: of all its parts."""
    return all_sources(parts_of(name, value, type_))


def _sources(name: str, value: object, type_: t.Type) -> Iterator[Source]:
    """The sources of a part.

    A text names a file where a table is wanted. Elsewhere it is somebody's, and is neither looked for nor shown.
    """
    match type_, value:
        case (_, PersonsData()):
            for file, own in value.files.items():
                yield from _sources(file, own, type_)
        case (_, DataArgument() | DataFile()):
            yield from _named(path_of(value.path))
        case (t.Matrix(), str() | os.PathLike()):
            yield from _named(path_of(value))
        case (t.Matrix() | t.SetOf(), _) if is_source(value):
            source = passed(value, visible(name))
            yield _marked(name, source, source.marks)
        case _:
            # Of small numbers, short texts and empty tuples Python may keep one object, whoever gives it.
            is_known = (
                has_rows(type_)
                and not isinstance(value, str)
                and not (isinstance(value, tuple | frozenset) and not value)
            )
            yield Source(name, OF_ANYBODY, value if is_known else object())


def sources_by_file(value: object, type_: t.Type) -> Iterator[tuple[str, Source, str]]:
    """Of a table of persons, each file with its sources and the column of identifiers in it."""
    if isinstance(value, PersonsData):
        for file, own in value.files.items():
            for source in _sources(file, own, type_):
                yield file, source, value.columns[file]


def _named(name: str) -> Iterator[Source]:
    """Whose people the rows of a source with a name are: nothing shows it of a pipe. What cannot be looked at is refused when it is
    read."""
    source = opened(name)
    try:
        marks = source.marks
    except (OSError, ValueError):
        marks = ()
    if marks:
        yield _marked(shown_origin(source.name), source, marks)
    else:
        yield Source(shown_origin(name), OF_ANYBODY, STANDARD_INPUT if name == STANDARD_INPUT else name)


def _marked(name: str, source: Opened, marks: tuple[Mark, ...]) -> Source:
    return Source(name, marks, places=tuple([_place(source, mark) for mark in marks]))


def _place(source: Opened, mark: Mark) -> Place:
    """What a mark of a source is called in every run, wherever that begins: of a file its whole path, without links, since the
    number with which its mark begins changes when the file is written again. Other marks stay the same."""
    if not isinstance(mark[0], int):
        return (OF_SOURCES, *map(repr, mark[1:]))
    file = source.files[0]
    return (end_of("/dev/stdin" if file == STANDARD_INPUT else file), *map(repr, mark[2:]))
