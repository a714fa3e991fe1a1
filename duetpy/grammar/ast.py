"""The syntax tree: frozen nodes with spans, one closed union for each syntactic class.

The tree holds names as written; who binds what is decided by the checker. Nodes compare by identity, so that a node can
key a table; `duetpy.grammar.compare.same` compares two trees up to spans.

Ordinary primitives (``rows``, ``+``, ``mclip[L2]`` …), which bind nothing and take their arguments by value, are all
`Prim` nodes: their meaning is declared in ``prelude.duet``. Every form that binds a name has a node of its own.
"""

from __future__ import annotations

from attrs import frozen

from duetpy.grammar.ast_expressions import *
from duetpy.grammar.ast_expressions import SExp
from duetpy.grammar.ast_leaves import *
from duetpy.grammar.ast_leaves import Name
from duetpy.grammar.ast_types import *
from duetpy.grammar.ast_types import End, Node, Norm, Type


@frozen(eq=False, repr=False)
class Import(Node):
    path: str


@frozen(eq=False, repr=False)
class Def(Node):
    name: Name
    value: SExp


@frozen(eq=False, repr=False)
class File(Node):
    """``[notion N;] { import "path"; } { def name = e } [ e ]``."""

    notion: str | None
    imports: tuple[Import, ...]
    definitions: tuple[Def, ...]
    body: SExp | None


@frozen(eq=False, repr=False)
class PrimitiveFact(Node):
    """``because "the slope of a root at 0 has no bound"``, a fact of ``prelude.duet`` below a signature."""

    name: str
    texts: tuple[str, ...]
    ends: tuple[End, ...]


@frozen(eq=False, repr=False)
class PrimitiveDecl(Node):
    """``prim mclip[L2, b] : τ``, a line of ``prelude.duet``.

    Parameters
    ----------
    name
        The Unicode spelling, as in `Prim`.
    brackets
        What stands in brackets after the name, as written: a norm, the name of a loss, names of static arguments.
    type
        The signature.
    doc, example
        The ``-- |`` lines above it, joined, and the ``-- >`` line; empty if there are no such lines.
    facts
        What is stated below it.
    """

    name: str
    brackets: tuple[str | Norm, ...]
    type: Type
    doc: str
    example: str
    facts: tuple[PrimitiveFact, ...] = ()
