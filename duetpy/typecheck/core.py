"""The typed core: what a checked program is to everything that comes after the checker.

A core tree says all that a run has to know, on the node that it is about: which number an expression is, what a call puts in for
kind variables, which branch a test on static numbers takes, where the columns are that a form names, what noise a mechanism is
calibrated for. Names are unique in a program, and columns, fields and foreign functions are resolved. A fold that adds, or picks,
is a form of its own, `RowFold`, because it may be taken apart into blocks of rows.

`duetpy.typecheck.lowering` makes it of the syntax tree and of what the checker has found. All quantities are over the kind
variables of the program; a run binds those to numbers and evaluates.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from attrs import field, frozen

from duetpy import trees
from duetpy.trees import REFERENCES, bound_in
from duetpy.typecheck.annotations import Instance, KindArgument, ReleaseSite
from duetpy.typecheck.core_expressions import *
from duetpy.typecheck.core_expressions import Expression, Let, Node, Param, Private
from duetpy.typecheck.quantity import Comparison

# ---------------------------------------------------------------------------------------------------------------------
# Privacy expressions


@frozen(eq=False, repr=False)
class Return(Private):
    """``return e``. Where the value `may_hold_boxes`, what is in these stays private, so nothing of it may be rounded."""

    value: Expression
    may_hold_boxes: bool


@frozen(eq=False, repr=False)
class Bind(Private):
    name: str = field(metadata=bound_in("then"))
    first: Private
    then: Private


@frozen(eq=False, repr=False)
class PLet(Private):
    name: str = field(metadata=bound_in("body"))
    bound: Expression
    body: Private


@frozen(eq=False, repr=False)
class PLetPair(Private):
    left: str = field(metadata=bound_in("body"))
    right: str = field(metadata=bound_in("body"))
    bound: Expression
    body: Private


@frozen(eq=False, repr=False)
class PIf(Private):
    """As `If`."""

    guard: Expression
    then: Private
    otherwise: Private
    test: Comparison | None


@frozen(eq=False, repr=False)
class PCase(Private):
    scrutinee: Expression
    left: str = field(metadata=bound_in("left_body"))
    left_body: Private
    right: str = field(metadata=bound_in("right_body"))
    right_body: Private


@frozen(eq=False, repr=False)
class PCaseMissing(Private):
    scrutinee: Expression
    name: str = field(metadata=bound_in("there"))
    there: Private
    absent: Private


@frozen(eq=False, repr=False)
class PApp(Private):
    """``f@[ηs . es]``; `kinds` is empty where the arguments say what ηs are."""

    function: Expression
    kinds: tuple[KindArgument, ...]
    args: tuple[Expression, ...]
    instance: Instance


@frozen(eq=False, repr=False)
class PLoop(Private):
    """A loop whose turns release something; its state is released before the first turn, as `Return` says.

    With `slack` (δ′) its turns are composed by the advanced theorem. `private` is as of a `Mechanism`.
    """

    slack: Expression | None
    count: Expression
    init: Expression
    private: tuple[str, ...] | None = field(metadata=REFERENCES)
    index: str = field(metadata=bound_in("body"))
    state: str = field(metadata=bound_in("body"))
    body: Private
    may_hold_boxes: bool


@frozen(eq=False, repr=False)
class Mechanism(Private):
    """A mechanism.

    Parameters
    ----------
    name
        Its name in the language.
    params
        The expressions in brackets in the order written; None stands for ``auto``.
    candidates
        The candidates of a mechanism that chooses one, else None.
    private
        The names of the inputs that are charged, if the program lists them.
    binder
        The name of a candidate in the body, if the body binds one.
    body
        What is released with noise.
    site
        What the noise is calibrated for.
    instance
        What is put in for the kind variables of the queries of a mechanism that calls functions.
    """

    name: str
    params: tuple[Expression | None, ...]
    candidates: Expression | None
    private: tuple[str, ...] | None = field(metadata=REFERENCES)
    binder: str | None = field(metadata=bound_in("body"))
    body: Expression
    site: ReleaseSite
    instance: Instance


@frozen(eq=False, repr=False)
class Parallel(Private):
    """With `most`, a row is in the parts of so many of its keys."""

    most: Expression | None
    table: Expression
    keys: Expression
    row: str = field(metadata=bound_in("key_of"))
    key_of: Expression
    key: str = field(metadata=bound_in("body"))
    part: str = field(metadata=bound_in("body"))
    body: Private


@frozen(eq=False, repr=False)
class PMap(Private):
    """A run for every entry, or `by_column` for every column."""

    arg: Expression
    name: str = field(metadata=bound_in("body"))
    body: Private
    by_column: bool


@frozen(eq=False, repr=False)
class PFoldRows(Private):
    """A privacy function on batch after batch; its state is released first, as `Return` says."""

    batch: Expression
    init: Expression
    features: Expression
    labels: Expression
    function: Expression
    instance: Instance
    may_hold_boxes: bool


@frozen(eq=False, repr=False)
class Sample(Private):
    """A random part of the rows (``sample``, ``poisson``), or a report of each in a random order (``shuffle``)."""

    scheme: str
    size: Expression
    tables: tuple[Expression, ...]
    names: tuple[str, ...] = field(metadata=bound_in("body"))
    body: Private


@frozen(eq=False, repr=False)
class Convert(Private):
    """A body that is priced in another notion: the one whose word is `form`, at a δ where the change costs one."""

    form: str
    slack: Expression | None
    body: Private


@frozen(eq=False, repr=False)
class RandNat(Private):
    low: Expression
    high: Expression


# ---------------------------------------------------------------------------------------------------------------------
# Trees


Form: TypeAlias = Expression | Private
_FORMS = (Expression, Private)


def children(node: Node) -> list[Node]:
    """The forms directly below one, in the order written."""
    return trees.children(node, Node)


def nodes(root: Node) -> Iterator[Node]:
    """Every form of a tree, in the order written."""
    return trees.walk(root, children)


def height(root: Node) -> int:
    """The number of forms on the longest way down; a chain of lets or binds, which is walked in a loop, counts as one."""
    return max(level for _, level in trees.levels(root, children, _next_link))


def _next_link(node: Node) -> Node | None:
    return node.body if isinstance(node, Let | PLet) else node.then if isinstance(node, Bind) else None


def scopes(node: Node) -> list[tuple[Form, tuple[str, ...]]]:
    """The forms directly below one in the order written, each with the names that are bound in it."""
    return [(inner, bound) for inner, bound in trees.scoped(node, _names) if isinstance(inner, _FORMS)]


def _names(binder: str | tuple[str | Param, ...] | None) -> list[str]:
    """The names in a field that binds them."""
    if binder is None:
        return []
    names = (binder,) if isinstance(binder, str) else binder
    return [name if isinstance(name, str) else name.name for name in names]
