"""Which kinds of sources there are, and what a source is.

Contract. The name of a source says of what kind it is: its scheme (``duckdb:…``), or else the longest registered ending of the
file's name (``.parquet``). Each kind has one opener, whether it is built in, registered with `register_source`, or named by an
installed package as an entry point of the group ``duetpy.sources``; there is no other way from a name to rows. No opener takes the
place of another one. A name without a registered scheme or ending is that of a file of lines.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from inspect import getattr_static
from typing import Any, Protocol, TypeAlias, TypeGuard

from duetpy.runtime.sources.problems import UNREADABLE, refuse

GROUP = "duetpy.sources"
"""The group of entry points."""

NUMBER, TEXT = "number", "text"
"""What the cells of a column can be, in a schema. The cells of any other column are never read."""


class Block(Protocol):
    """A run of rows. A block should be a description that can be pickled, so that another process can read it."""

    def read(self) -> Mapping[str, object]:
        """The cells by column: for each column that was asked for an array, a list or a column of Arrow, all of one length. A
        cell that is missing is None, or nan, or masked."""
        ...


class Source(Protocol):
    """Rows that duetpy can read; each row is one person's.

    Attributes
    ----------
    schema
        The columns in order, and what their cells are: ``"number"`` (also truth values), ``"text"`` or anything else for a column
        that cannot be read. It must not depend on the rows.
    rows
        How many rows there are, or None if only reading them would tell.
    identity
        Whose people the rows are: a text, or a tuple of texts and whole numbers, the same for every source with the same
        people. Of two identities of which one begins with the other, the shorter one holds the people of both.
    is_repeatable
        Optional, False if missing: whether `blocks` gives the same rows each time, also if it is asked for fewer columns. Then
        they need not be kept in memory (``--stream``, or if they do not fit).
    """

    @property
    def schema(self) -> Mapping[str, str]: ...

    @property
    def rows(self) -> int | None: ...

    @property
    def identity(self) -> Hashable: ...

    def blocks(self, columns: Sequence[str]) -> Iterable[Block]:
        """The rows in order, each in one block, with the columns asked for. What a cell is depends on its row alone."""
        ...


Opener: TypeAlias = Callable[[str], Source]

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+-]+")
"""At least two characters: a single letter before a colon is a drive of Windows. A point would make an ending of it."""
_ENDING = re.compile(r"(\.[a-z0-9_+-]+)+")

_LINES = "duetpy.runtime.sources.files:Lines"
_FRAME = "duetpy.runtime.sources.files:Frame"
BUILT_IN = {
    ".csv": _LINES,
    ".tsv": _LINES,
    ".txt": _LINES,
    ".gz": _LINES,
    ".npy": _FRAME,
    ".npz": _FRAME,
    ".parquet": _FRAME,
    ".arrow": _FRAME,
    ".feather": _FRAME,
    "duckdb": "duetpy.runtime.sources.files:Stored",
    "sql": "duetpy.runtime.sources.files:Query",
}
"""The kinds that need no registration, and where their openers are."""

_REGISTERED: dict[str, Callable[[str], Any]] = {}


def register_source(key: str, opener: Opener) -> None:
    """Register a kind of source for ``--data`` and `Checked.run`.

    Parameters
    ----------
    key
        A scheme (``"warehouse:"``) or an ending (``".sas7bdat"``, ``".jsonl.gz"``) in small letters.
    opener
        Is given the whole name (``"warehouse:people"``, the path of a file) and returns a `Source`. What it raises ends the run
        with a fixed message.

    Raises
    ------
    ValueError
        If the key is neither a scheme nor an ending, or is taken.
    """
    name = _name(key)
    if name is None:
        raise ValueError(f"{key!r} is neither a scheme such as 'warehouse:' nor an ending such as '.jsonl'")
    if name in _REGISTERED or name in BUILT_IN:
        raise ValueError(f"{key!r} is registered already")
    _REGISTERED[name] = opener


def _name(key: object) -> str | None:
    if not isinstance(key, str) or key != key.lower():
        return None
    name = key.removesuffix(":")
    return name if _ENDING.fullmatch(key) or _SCHEME.fullmatch(name) else None


def scheme_in(name: str) -> str:
    """The scheme with which the name of a source begins and its colon; the empty text where it begins with no registered one."""
    scheme, colon, _ = name.partition(":")
    return f"{scheme}:" if colon and _SCHEME.fullmatch(scheme) and _is_known(scheme) else ""


def ending_of(name: str) -> str:
    """The longest registered ending of the name of a file; the empty text where it has none."""
    _, *parts = os.path.basename(name).lower().split(".")
    return next((f".{end}" for at in range(len(parts)) if _is_known(f".{(end := '.'.join(parts[at:]))}")), "")


def _is_known(key: str) -> bool:
    return key in BUILT_IN or key in _REGISTERED or key in _installed()


def holds_lines(ending: str) -> bool:
    """Whether files with an ending, as `ending_of` gives it, are files of lines: so are those with none."""
    return not ending or BUILT_IN.get(ending) == _LINES


def opener_of(name: str) -> Callable[[str], Any]:
    """What opens the source of a name.

    Raises
    ------
    DuetError
        D0601 where two installed packages name an opener for it, or the one that is named cannot be imported.
    """
    key = scheme_in(name).removesuffix(":") or ending_of(name)
    if key in _REGISTERED:
        return _REGISTERED[key]
    if key in BUILT_IN or not key:
        module, _, attribute = BUILT_IN.get(key, _LINES).partition(":")
        found: Callable[[str], Any] = getattr(import_module(module), attribute)
        return found
    return _loaded(_installed()[key], name)


def _loaded(named: Sequence[EntryPoint], name: str) -> Callable[[str], Any]:
    packages = sorted({found.dist.name for found in named if found.dist is not None})
    if len(named) > 1:
        refuse(UNREADABLE, f"cannot be read: {' and '.join(packages)} both read such sources", name, help="remove one")
    try:
        opener: Callable[[str], Any] = named[0].load()
    except Exception:
        message = f"cannot be read: what {' and '.join(packages) or 'a package'} reads such sources with fails to start"
        refuse(UNREADABLE, message, name, help="repair or remove that package")
    return opener


@cache
def _installed() -> Mapping[str, Sequence[EntryPoint]]:
    """The openers that installed packages name; those of one name together."""
    found: dict[str, list[EntryPoint]] = {}
    for each in entry_points(group=GROUP):
        name = _name(each.name)
        if name is not None and each.value not in [other.value for other in found.get(name, [])]:
            found.setdefault(name, []).append(each)
    return found


def is_source(value: object) -> TypeGuard[Source]:
    """Whether a value from Python is a `Source`: not a frame of which some columns happen to have such names."""
    absent = object()
    words = [name for name in vars(Source) if not name.startswith("_")]
    return callable(getattr(type(value), "blocks", None)) and all(
        getattr_static(value, word, absent) is not absent for word in words
    )
