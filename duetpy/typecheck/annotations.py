"""What the checker notes of a program for those who come after it: types, static numbers, instantiations, calibrated mechanisms.

Only the checker writes and reads these tables, which are keyed by node of the syntax tree; `duetpy.typecheck.lowering` puts what
they say into the core. All quantities are over the kind variables of the program.
"""

from __future__ import annotations

from typing import TypeAlias

from attrs import define, field, frozen

from duetpy.by_value import ByValue, Shown
from duetpy.grammar import ast
from duetpy.source import Span
from duetpy.trees import Piece
from duetpy.typecheck.conditions import Limit
from duetpy.typecheck.cost import Atom
from duetpy.typecheck.quantity import ONE, Comparison, KindVar, Quantity, Signed
from duetpy.typecheck.types import Clip, Type


@frozen(eq=False, repr=False)
class ReleaseSite(ByValue):
    """One mechanism in the program, with what its noise was calibrated for.

    Parameters
    ----------
    mechanism
        ``laplace``, ``mgauss`` …
    span
        Where.
    sensitivity
        The sensitivity that the noise is calibrated for: the declared one, or the inferred one under ``auto``.
    inferred
        The largest sensitivity that was inferred for the listed inputs.
    atom
        The atom of the cost term, with the mechanism's parameters.
    shape
        Rows and columns of the released matrix; empty for a number.
    repeats
        How often the place runs in one run of the function around it; of the releases of a whole program, in a run of that,
        and ∞ where a function that is handed on as a value holds it: nothing says how often that is called.
    candidates
        Of how many values the mechanism chooses one; None where it chooses none.
    """

    mechanism: str
    span: Span
    sensitivity: Quantity
    inferred: Quantity
    atom: Atom
    shape: tuple[Quantity, ...]
    repeats: Quantity
    candidates: Quantity | None = None

    @property
    def place(self) -> tuple[int, str | None]:
        """The line, and the file if it is imported, as a release reports them."""
        source = self.span.source
        return self.span.begin[0], source.name if source.is_imported else None


@frozen(eq=False, repr=False)
class Foreign(ByValue):
    """A function whose code is in Python: where, and what goes in and out.

    Parameters
    ----------
    target
        ``module:function``.
    kinds
        The kind variables of its type.
    domains, result
        The types of its arguments and of what it returns, over these.
    """

    target: str
    kinds: tuple[KindVar, ...]
    domains: tuple[Type, ...]
    result: Type


@frozen(eq=False, repr=False)
class Element(ByValue):
    """How a map takes a table apart and puts one together: what it is by its type, since a value of a type variable may turn out
    to be a row and is a cell all the same.

    Parameters
    ----------
    is_cell
        Whether the body of a ``bmap`` sees the one cell of each row instead of the row.
    gives_rows
        Whether the body returns a row, or of ``mmap-col`` a column; else what it returns is a cell.
    """

    is_cell: bool
    gives_rows: bool


@frozen(eq=False, repr=False)
class Instance(Shown, Piece):
    """What a call puts in for the kind variables of its function that are open, in their order.

    Parameters
    ----------
    values
        The number of each; None for a type, and for what is left open until the function has its other arguments.
    cells
        The same for types: how many cells a value of the type takes, where that is known.
    repeats
        How often a call of a privacy function is made in one run of the function around it.
    """

    values: tuple[Quantity | None, ...]
    cells: tuple[Quantity | None, ...]
    repeats: Quantity = ONE


NO_INSTANCE = Instance((), ())

KindArgument: TypeAlias = Quantity | Type
"""What a program writes for a kind variable of a function."""


@define(eq=False, repr=False)
class Annotations(Shown):
    """Tables over the syntax tree."""

    types: dict[ast.Node, tuple[Type, ...]] = field(factory=dict)
    """The type of an expression of either language: each that it was judged to have."""
    rounding: dict[ast.Node, bool] = field(factory=dict)
    """Whether sums, products and quotients may be rounded, because no finite sensitivity rests on them in any judgement."""
    numbers: dict[ast.Node, Signed] = field(factory=dict)
    """The value of a static number as written, ℕ[·], ℝ⁺[·], ℝ[·]."""
    boxed: set[ast.Node] = field(factory=set)
    """The forms that release a value which may hold boxes."""
    tests: dict[ast.Node, Comparison] = field(factory=dict)
    """The choices by a test on static numbers, with that test."""
    binders: dict[ast.Node, tuple[KindVar, ...]] = field(factory=dict)
    """The kind variables that a λ binds."""
    domains: dict[ast.Node, tuple[Type, ...]] = field(factory=dict)
    """The parameter types of a λ, in order."""
    instances: dict[ast.Node, Instance] = field(factory=dict)
    """What a call or a type application puts in."""
    arguments: dict[ast.Node, tuple[KindArgument, ...]] = field(factory=dict)
    """The kind arguments that are written at a call or a type application."""
    full_calls: dict[ast.Node, tuple[ast.SExp, ...]] = field(factory=dict)
    """All arguments of a call that leaves out what the type of a column says."""
    limits: dict[ast.Node, tuple[Limit, ...]] = field(factory=dict)
    """What a privacy function promises of its cost."""
    addends: dict[ast.Node, ast.SExp] = field(factory=dict)
    """The g of a fold whose body is ``acc + g``."""
    foreign: dict[ast.Node, Foreign] = field(factory=dict)
    """The foreign functions."""
    elements: dict[ast.Node, Element] = field(factory=dict)
    """What a map of rows, columns or elements goes over and what its body returns."""
    places: dict[ast.Node, tuple[int, ...]] = field(factory=dict)
    """Where the columns are that a form names. A type may leave the names of a value's columns out and give them to others."""
    missing: dict[ast.Node, Type] = field(factory=dict)
    """The type of the value that ``none`` stands in for."""
    lengths: dict[ast.Node, tuple[Clip, ...]] = field(factory=dict)
    """How long the rows of the features of a gradient are, by their type, each time it was judged."""
    folded: dict[ast.Node, tuple[Quantity | None, ...]] = field(factory=dict)
    """The number of rows that a fold goes over, each that it was judged to be; None where that is data."""
    releases: dict[ast.Node, ReleaseSite] = field(factory=dict)
    """The mechanisms, in the order in which the checker met them."""

    def note(self, node: ast.Node, type_: Type) -> None:
        """One more judgement of a node."""
        known = self.types.get(node, ())
        if type_ not in known:
            self.types[node] = (*known, type_)
