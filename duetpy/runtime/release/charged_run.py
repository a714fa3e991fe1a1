"""Runs that are charged to a ledger.

Contract. Where bad rows are refused, the data is read and held to its types first, so that a refusal spends nothing; then the
charge is written, and only then does a mechanism run. Where bad cells count as defaults, what no row decides is settled first
(`duetpy.runtime.release.outline`), and the charge is written before any row is read, so that nothing that is seen afterwards
depends on what the rows say. A run of the same program, with the same public arguments, on the same data as one that was
finished returns what that one released, at no cost.

The same data means the same bytes: files are digested under a key that lies in the ledger, before and after they are read.
What cannot be digested (a data frame, a running source) is never taken for the same.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from fractions import Fraction
from math import isfinite
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from attrs import define, evolve, field, frozen

from duetpy.accounting.budget import Charge
from duetpy.cached import cached_property
from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.diagnostics.display import given_with_set, visible
from duetpy.diagnostics.error import DuetError
from duetpy.grammar.compare import fingerprint, nodes
from duetpy.ledger.chain import Completion, Entry, Reservation, canonical, completion, reservation
from duetpy.ledger.places import Grouped, place_text
from duetpy.ledger.pricing import charge
from duetpy.ledger.show import charged, remaining
from duetpy.ledger.state import State
from duetpy.ledger.store import Ledger, MaybeWritten
from duetpy.runtime.release.arguments import Arguments
from duetpy.runtime.release.endings import Spending, Spent
from duetpy.runtime.release.release import Release
from duetpy.runtime.release.result_table import Shape
from duetpy.runtime.release.run_costs import Unit, by_people, joint, only_replaced, paid_by, paying, people, whom
from duetpy.runtime.release.whose_rows import sources_by_file
from duetpy.runtime.sources.column_selection import DataArgument
from duetpy.runtime.sources.files import opened
from duetpy.runtime.sources.given import pair_in, side_in
from duetpy.runtime.sources.looks import path_of
from duetpy.runtime.sources.opening import open_file
from duetpy.runtime.sources.persons import PersonsData
from duetpy.runtime.sources.problems import UNREADABLE
from duetpy.runtime.sources.reading import Reading, refuse
from duetpy.settings import DataFile, NoValue
from duetpy.typecheck import types as t
from duetpy.typecheck.annotations import ReleaseSite
from duetpy.typecheck.check import Typed
from duetpy.typecheck.cost import Cost, choice, is_free, variables
from duetpy.typecheck.neighbours import relation_in_full
from duetpy.typecheck.persons import persons_of
from duetpy.typecheck.quantity import KindVar
from duetpy.typecheck.unverified import trusted
from duetpy.version import VERSION

INSECURE = "D0725"
SIZE_NEEDED = "D0726"

_PIECE = 1 << 20


@frozen
class Owed:
    """What a run costs the person whom it costs most, for which relation of neighbours, and the numbers in it that are known;
    whether it costs nothing only because numbers of rows are public; and the files, those of the same people together."""

    cost: Cost
    neighbours: str
    numbers: Mapping[KindVar, Fraction]
    shows_rows: bool
    files: Grouped


def owed(arguments: Arguments, numbers: Mapping[KindVar, Fraction]) -> Owed:
    """What a run with these arguments owes. Objects of the caller's are asked whose rows they are."""
    everything = arguments.units()
    units = paying(everything)
    cost = choice(joint(group) for group in people(units))
    # A table that costs nothing shows its number of rows if that is fixed.
    related = [unit for unit in everything if unit in units or only_replaced([unit])]
    relation = relation_in_full(parameter.type for unit in related for parameter in unit.parameters)
    known = {variable: numbers[variable] for variable in variables(cost) if variable in numbers}
    in_full = "; ".join([relation, *sorted(_other_columns(arguments))])
    return Owed(cost, in_full, known, shows_rows=is_free(cost) and bool(related), files=by_people(everything))


@frozen
class Booked:
    """A charge that was written, and what it was computed for."""

    entry: Entry
    charge: Charge
    owed: Owed


@define(eq=False, slots=False)
class Booking:
    """One run and the ledger that it is charged to.

    Parameters
    ----------
    ledger
        The file.
    typed, arguments, reading, delta
        The run.
    spending
        What it has spent.
    """

    ledger: Ledger
    typed: Typed
    arguments: Arguments
    reading: Reading
    delta: Fraction | None
    spending: Spending
    began: State = field(init=False, repr=False)
    before: str | None = field(default=None, init=False)

    def __attrs_post_init__(self) -> None:
        self.began = self.ledger.state()

    @cached_property
    def identity(self) -> str | None:
        """What `identified` is when the run begins."""
        return self.identified()

    @cached_property
    def sites(self) -> tuple[ReleaseSite, ...]:
        """The mechanisms of the program in the order of its tree, which is the same one wherever its lines break."""
        assert self.typed.body is not None
        known = self.typed.annotations.releases
        return tuple([known[node] for node in nodes(self.typed.body) if node in known])

    def identified(self) -> str | None:
        """A digest of the program, the public arguments, how data is read and whose it is; None where these cannot be compared.

        What a run costs hangs on which inputs are of the same people: two copies of a file are not one file twice. It hangs on the
        rules, too: another version may have stated less than what this one proves of the same program, or drawn less noise.
        """
        if self.typed.foreign or self.typed.body is None:
            return None
        public = {name: self._digest(name, value, b"") for name, value in self.arguments.values.items()}
        columns = {name: _selected(value) for name, value in self.arguments.data.items()}
        if None in public.values():
            return None
        numbers = {variable.name: str(number) for variable, number in self.arguments.kinds.items()}
        parts = {
            "version": VERSION,
            "program": fingerprint(self.typed.body),
            "notion": self.typed.notion.value,
            "numbers": numbers,
            "public": public,
            "columns": columns,
            "people": [sorted(_moved(group)) for group in people(self.arguments.units())],
            "reading": [self.reading.on_bad_row, self.reading.header, *sorted(self.reading.missing)],
            "delta": str(self.delta),
        }
        return hashlib.sha256(canonical(parts).encode("ascii")).hexdigest()

    def data_digest(self) -> str | None:
        """A keyed digest of all data; None where some cannot be digested."""
        key = self.began.key
        parts = {name: self._digest(name, value, key) for name, value in self.arguments.data.items()}
        if None in parts.values():
            return None
        return hmac.new(key, canonical(parts).encode("ascii"), "sha256").hexdigest()

    def _digest(self, name: str, value: object, key: bytes) -> str | None:
        types = {parameter.name: parameter.type for parameter in self.arguments.function.parameters}
        return digest(value, types[name], key)

    def stored(self) -> tuple[Entry, Mapping[str, Any]] | None:
        """The charge and the output of the same run, where one was finished."""
        if self.identity is None:
            return None
        same: dict[int, Entry] = {}
        finished: list[tuple[Entry, Completion]] = []
        for entry in self.began.entries:
            match entry.said:
                case Reservation(identity=identity) if identity == self.identity:
                    same[entry.number] = entry
                case Completion(charged, found) as said if charged in same and found is not None:
                    finished.append((entry, said))
        data = self.data_digest() if finished else None
        for entry, said in finished:
            if data is not None and hmac.compare_digest(said.data or "", data):
                return same[said.entry], entry.output
        return None

    def refuse_unknown(self, values: Mapping[KindVar, Fraction]) -> Owed:
        """What the run owes; raises `DuetError` where its price depends on a number that is not known yet."""
        found = owed(self.arguments, values)
        missing = sorted(variable.name for variable in variables(found.cost) if variable not in values)
        if missing:
            raise DuetError((_size_needed(missing),))
        return found

    def reserve(self, values: Mapping[KindVar, Fraction]) -> Booked:
        """Write the charge; raises `DuetError` where it cannot be priced or covered."""
        found = self.refuse_unknown(values)
        asked = charge(found.cost, self.began.budget, values, self.delta)
        units = " or ".join(_unit_names(group) for group in people(paying(self.arguments.units())))
        unverified = trusted(self.typed.releases, self.typed.foreign)
        name, identity = self.typed.name, self.identity or ""
        body = reservation(
            asked,
            name,
            identity,
            units,
            found.neighbours,
            VERSION,
            unverified,
            shows_rows=found.shows_rows,
            files=found.files,
        )
        self.spending.is_charged = True
        try:
            return Booked(self.ledger.reserve(asked, body, self.began), asked, found)
        except MaybeWritten as error:
            raise Spent(error.diagnostics) from None
        except DuetError:
            self.spending.is_charged = False
            raise

    def complete(self, booked: Booked, release: Release, sites: Sequence[ReleaseSite]) -> Release:
        """Store what was released, with where in the program each mechanism stands that ran, and say so on the release."""
        after = self.data_digest()
        # A public table that has changed since is one that this output does not belong to.
        is_same = after == self.before and self.identified() == self.identity
        body = completion(
            booked.entry.number,
            after if is_same else None,
            _stored(release, [self.sites.index(site) for site in sites]),
        )
        entry, state = self.ledger.complete(body, booked.entry.hash)
        return evolve(
            release, ledger=_facts(self.ledger.path, state, booked.entry, booked.charge, f"{entry.number}:{entry.hash}")
        )


def refuse_others(booked: Booked, arguments: Arguments, numbers: Mapping[KindVar, Fraction]) -> None:
    """Raises `DuetError` D0601 where the run that was prepared owes something else than was charged: objects of the caller's, which
    are asked again when they are read, may say something else of whose rows they are, or of how many."""
    if owed(arguments, numbers) != booked.owed:
        message = "the arguments have changed since the run was charged"
        raise refuse(UNREADABLE, message, "give data and public values that stay the same during a run")


def replayed(booking: Booking, entry: Entry, output: Mapping[str, Any], shape: Shape) -> Release:
    """A release out of the ledger."""
    state = booking.began
    facts = _facts(booking.ledger.path, state, entry, None, f"{len(state.entries)}:{state.head}")
    return Release(
        booking.typed.name,
        shape.named(_unpacked(output["result"])),
        {**output["privacy"], **whom(booking.arguments.units())},
        _placed(output, booking.sites),
        output["data"],
        output["noise"],
        output["seconds"],
        facts,
        shape,
        # Earlier versions did not keep them.
        tuple(output.get("errors", ())),
        paid_by(booking.arguments.units()),
    )


def _facts(path: Path, state: State, entry: Entry, spent: Charge | None, receipt: str) -> dict[str, Any]:
    """What is reported about the ledger after a run; nothing was spent if the run had been charged before."""
    return {
        "path": str(path),
        "dataset": state.dataset,
        "entry": entry.number,
        "charged": {} if spent is None else charged(state.budget, spent),
        "remaining": remaining(state),
        "replayed": spent is None,
        "receipt": receipt,
    }


def refuse_insecure() -> DuetError:
    """Noise that is not drawn from the system is no release, and a ledger holds releases only."""
    message = "a ledger cannot be charged for insecure noise"
    help = "leave out --ledger, or --insecure-noise"
    return DuetError((Diagnostic(INSECURE, message, help=help),))


def _size_needed(names: Iterable[str]) -> Diagnostic:
    listed = ", ".join(visible(name) for name in names)
    return Diagnostic(
        SIZE_NEEDED,
        f"the cost depends on {listed}, which the data would determine",
        notes=("with --on-bad-row default the ledger is charged before any row is read, and only a row would say",),
        help=f"give it beforehand if it is public: {given_with_set(names)}; "
        "or say whether the first line is a row: --header yes or no",
    )


def _other_columns(arguments: Arguments) -> set[str]:
    """The files in which the identifier of persons is another column than the program says: a sum of costs is about persons that
    are identified by the same column of a file in every run, from whatever folder and by whatever spelling it is named."""
    return {
        f"by {column} in {place_text(place) or source.name}"
        for parameter in arguments.function.parameters
        if (persons := persons_of(parameter.type)) is not None
        for _, source, column in sources_by_file(arguments.data.get(parameter.name), parameter.type)
        for place in source.places
        if column != persons.identifier.name
    }


def _moved(group: Sequence[Unit]) -> Iterator[str]:
    """The units of the same people by name, each with the steps that a change of one person makes in it, if more than one."""
    return (unit.names if unit.steps == 1 else f"{unit.steps} steps of {unit.names}" for unit in group)


def _unit_names(group: Iterable[Unit]) -> str:
    return " and ".join(unit.names for unit in group)


# ---------------------------------------------------------------------------------------------------------------------
# Digests


PLAIN = (bool, int, float, Fraction, str, date, type(None))
"""Types whose values are known by how Python writes them; of a type made from one of these that is not certain."""


def digest(value: object, type_: t.Type, key: bytes) -> str | None:
    """A digest of an argument, or of the bytes of the file that it names; None for what has no fixed form.

    A text is the name of a file where a table is wanted, and nowhere else: no file is looked for by what a cell says.
    """
    match type_, value:
        case (_, PersonsData()):
            return _joined([digest(value.files[file], type_, key) for file in sorted(value.files)], key)
        case (_, DataArgument() | DataFile()):
            return file_digest(path_of(value.path), key)
        case (t.Disc(inner) | t.Box(_, inner), _):
            return digest(value, inner, key)
        case (t.Product(left, right) | t.With(left, right), _) if (pair := pair_in(value)) is not None:
            return _joined([digest(pair[0], left, key), digest(pair[1], right, key)], key)
        case (t.Sum(left, right), _) if (held := side_in(value)) is not None:
            return _joined([cells_digest(held[0], key), digest(held[1], left if held[0] == "inl" else right, key)], key)
        case (t.Matrix(), str() | PathLike()):
            return file_digest(path_of(value), key)
        case (t.StaticNat() | t.StaticReal(), int()) if type(value) is int:
            return cells_digest(Fraction(value), key)
        case (t.StaticReal(), float()) if type(value) is float and isfinite(value):
            # As the number that it is on the command line: 0.1 is 1/10 there.
            return cells_digest(Fraction(repr(value)), key)
        case _:
            return cells_digest(value, key)


def _joined(parts: list[str | None], key: bytes) -> str | None:
    return None if None in parts else _hashed(b"parts " + canonical(parts).encode(), key)


def cells_digest(value: object, key: bytes) -> str | None:
    """A digest of a value that names no file; None also for lists in lists beyond all depth."""
    try:
        return _cells_digest(value, key)
    except RecursionError:
        return None


def _cells_digest(value: object, key: bytes) -> str | None:
    if isinstance(value, NoValue):
        return _hashed(b"no value", key)
    if type(value) in PLAIN:
        return _hashed(b"value " + _written(value).encode("utf-8", "surrogatepass"), key)
    # Not of arrays of a kind of their own: what a masked one hides is not in its bytes.
    if type(value) is np.ndarray and value.dtype.kind in "biufUM":
        head = f"array {value.dtype.str}{value.shape}".encode()
        return _hashed(head + np.ascontiguousarray(value).tobytes(), key)
    if isinstance(value, np.number | np.bool_) and type(value).__module__ == "numpy":
        return _hashed(f"number {value.dtype.str} ".encode() + value.tobytes(), key)
    if isinstance(value, list | tuple) and type(value) in (list, tuple):
        # A tuple may be a side of a sum; a list cannot be.
        return _joined([type(value).__name__, *(_cells_digest(item, key) for item in value)], key)
    return None


def _written(value: object) -> str:
    """A plain value as a text. How many digits Python writes of a number is a setting of the process; of sixteens it writes any."""
    if type(value) is int and value.bit_length() > _DECIMAL_BITS:
        return hex(value)
    if type(value) is Fraction and max(value.numerator.bit_length(), value.denominator.bit_length()) > _DECIMAL_BITS:
        return f"{value.numerator:#x}/{value.denominator:#x}"
    return repr(value)


_DECIMAL_BITS = 2_000
"""Numbers of this many bits have 603 digits, and the least limit that Python takes is 640."""


def _hashed(content: bytes, key: bytes) -> str:
    return hmac.new(key, content, "sha256").hexdigest()


def file_digest(path: str, key: bytes) -> str | None:
    """A digest of the bytes of a regular file and of how they are read; None of any other, which may have no end."""
    # A word before each kind of content: no file is taken for an array of the same bytes.
    made = hmac.new(key, b"file ", digestmod="sha256")
    try:
        source = opened(path)
        # Somebody may begin to write to it at any moment, so that it is asked once.
        found = source.way
        if found is None:
            return None
        way = found.encode("utf-8", "surrogateescape")
        # With its length, so that no file's first bytes are taken for it.
        made.update(b"%d %b" % (len(way), way))
        with open_file(source.files[0]) as lines:
            while piece := lines.read(_PIECE):
                made.update(piece)
    except (OSError, DuetError):
        return None
    return made.hexdigest()


def _selected(value: object) -> str:
    if isinstance(value, PersonsData):
        # Which file is which, and the columns of identifiers.
        return canonical(dict(value.columns))
    # A path from the command line comes with a selection, if only an empty one; the same path from Python comes alone.
    return repr(value.selection if isinstance(value, DataArgument) else None)


# ---------------------------------------------------------------------------------------------------------------------
# Outputs as they are stored


def _stored(release: Release, places: Sequence[int]) -> dict[str, Any]:
    return {
        "result": _packed(release.result),
        "privacy": release.privacy,
        "releases": release.releases,
        "data": release.data,
        "noise": release.noise,
        "seconds": release.seconds,
        "errors": list(release.errors),
        "places": list(places),
    }


def _placed(output: Mapping[str, Any], sites: Sequence[ReleaseSite]) -> list[dict[str, Any]]:
    """The mechanisms that ran, at the lines where they stand in the program as it is now: its comments and line breaks may be other
    ones than when they ran."""
    releases: list[dict[str, Any]] = output["releases"]
    # Earlier versions did not keep the places.
    places = [sites[at].place for at in output.get("places", ())] or [
        (each["line"], each.get("file")) for each in releases
    ]
    return [{**each, "line": line, "file": file} for each, (line, file) in zip(releases, places, strict=True)]


def _packed(value: Any) -> Any:
    """A result as JSON that distinguishes pairs from lists."""
    match value:
        case tuple():
            return {"pair": [_packed(part) for part in value]}
        case list():
            return [_packed(part) for part in value]
        case dict():
            return {"fields": {name: _packed(part) for name, part in value.items()}}
        case _:
            return value


def _unpacked(value: Any) -> Any:
    match value:
        case {"pair": parts}:
            return tuple(_unpacked(part) for part in parts)
        case {"fields": fields}:
            return {name: _unpacked(part) for name, part in fields.items()}
        case list():
            return [_unpacked(part) for part in value]
        case _:
            return value
