"""What the run needs to know beyond the syntax tree: static numbers, instantiations and calibrated mechanisms.

The typed core of a program is its syntax tree together with these tables, keyed by node. All quantities are over the kind
variables of the program; a run binds those to numbers and evaluates.
"""

from __future__ import annotations

from attrs import define, field, frozen

from duetpy.grammar import ast
from duetpy.source import Span
from duetpy.typecheck.cost import Atom
from duetpy.typecheck.quantity import Comparison, KindVar, Quantity, Signed
from duetpy.typecheck.types import Clip, StaticNat, StaticReal, Type


@frozen
class ReleaseSite:
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
        How often the place runs.
    """

    mechanism: str
    span: Span
    sensitivity: Quantity
    inferred: Quantity
    atom: Atom
    shape: tuple[Quantity, ...]
    repeats: Quantity


@frozen
class Foreign:
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


@frozen
class Element:
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


@define
class Annotations:
    """Tables over the syntax tree."""

    numbers: dict[ast.Node, Signed] = field(factory=dict)
    """The value of a static number as written, ℕ[·], ℝ⁺[·], ℝ[·]."""
    statics: dict[ast.Node, StaticNat | StaticReal] = field(factory=dict)
    """The expressions whose type says which number they are. What was proved is of that number, which a computation might miss:
    √3 ⋅ √3 is 3, and of two roots that are known to so many digits it is not."""
    rounding: set[ast.Node] = field(factory=set)
    """The sums, products and quotients that may be rounded, because no finite sensitivity rests on them. All others are exact:
    what is far too small for a double now may be scaled up later."""
    boxed: set[ast.Node] = field(factory=set)
    """The forms that release a value which may hold boxes: what is in these stays private, so nothing of it may be rounded."""
    tests: dict[ast.Node, Comparison] = field(factory=dict)
    """The choices by a test on static numbers, with that test. A branch that is not taken may hold what breaks its side
    conditions, or what nobody has paid for, so a run takes the branch that the test says (`duetpy.runtime.values.statics`)."""
    binders: dict[ast.Node, tuple[KindVar, ...]] = field(factory=dict)
    """The kind variables that a λ binds."""
    domains: dict[ast.Node, tuple[Type, ...]] = field(factory=dict)
    """The parameter types of a λ, in order."""
    instances: dict[ast.Node, tuple[Quantity | None, ...]] = field(factory=dict)
    """What a call or a type application puts in for the kind variables that are open, in order; None for types, and for
    what is left open until the function has its other arguments."""
    addends: dict[ast.Node, ast.SExp] = field(factory=dict)
    """The g of a fold whose body is ``acc + g``."""
    foreign: dict[ast.Node, Foreign] = field(factory=dict)
    """The foreign functions."""
    elements: dict[ast.Node, Element] = field(factory=dict)
    """What a map of rows, columns or elements goes over and what its body returns."""
    bodies: dict[ast.Node, tuple[Type, ...]] = field(factory=dict)
    """The type of the body of a map or of a created matrix, and of a case or a table with a changed cell itself: each that it
    was judged to have."""
    places: dict[ast.Node, tuple[int, ...]] = field(factory=dict)
    """Where the columns are that a form names. A type may leave the names of a value's columns out and give them to others."""
    lengths: dict[ast.Node, tuple[Clip, ...]] = field(factory=dict)
    """How long the rows of the features of a gradient are, by their type, each time it was judged. Which of two bounds a row was
    clipped to may be data."""
    cells: dict[ast.Node, tuple[Quantity, ...]] = field(factory=dict)
    """How many cells the value of an expression has, where it is or holds a table: each number that it was judged to have."""
    functional: set[ast.Node] = field(factory=set)
    """The expressions of either language whose value may hold functions."""
    folded: dict[ast.Node, tuple[Quantity | None, ...]] = field(factory=dict)
    """The number of rows that a fold goes over, each that it was judged to be; None where that is data."""
    type_cells: dict[ast.Node, tuple[Quantity | None, ...]] = field(factory=dict)
    """As `instances`, for types: how many cells a value has of the type that is put in."""
    releases: dict[ast.Node, ReleaseSite] = field(factory=dict)
    """The mechanisms, in the order in which the checker met them."""
