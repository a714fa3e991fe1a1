"""The syntax tree: frozen nodes with spans, one closed union for each syntactic class.

The tree holds names as written; who binds what is decided by the checker. Nodes compare by identity, so that a node can
key a table; `duetpy.grammar.compare.same` compares two trees up to spans.

Ordinary primitives (``rows``, ``+``, ``mclip[L2]`` …), which bind nothing and take their arguments by value, are all
`Prim` nodes: their meaning is declared in ``prelude.duet``. Every form that binds a name has a node of its own.
"""

from __future__ import annotations

from attrs import frozen

from duetpy.grammar.ast_expressions import (
    App,
    Bind,
    Case,
    CaseMissing,
    Convert,
    FieldOf,
    Filter,
    Flat,
    Fold,
    FrameOp,
    If,
    Index,
    Inject,
    Lam,
    Let,
    LetPair,
    Loop,
    Map,
    MCreate,
    Mechanism,
    Pair,
    PApp,
    Parallel,
    PCase,
    PCaseMissing,
    PExp,
    PFoldRows,
    PIf,
    PLam,
    PLet,
    PLetPair,
    PLoop,
    PMap,
    Prim,
    RandNat,
    Record,
    Return,
    Sample,
    Select,
    SetLit,
    SExp,
    TypeApp,
    Update,
)
from duetpy.grammar.ast_leaves import (
    Aligned,
    BoolLit,
    DateLit,
    Guarantee,
    Hole,
    Name,
    NatLit,
    Nothing,
    Opaque,
    Param,
    PHole,
    RealLit,
    StaticNat,
    StaticReal,
    StrLit,
    Var,
)
from duetpy.grammar.ast_types import (
    BoxEntry,
    ClipBound,
    CostExp,
    Default,
    FieldType,
    Kind,
    KindBinding,
    Node,
    Norm,
    PrivateParam,
    RBin,
    RExp,
    RFun,
    RInf,
    RNum,
    RVar,
    SAppend,
    Schema,
    SCons,
    SEmpty,
    SUniform,
    SVar,
    TBag,
    TBase,
    TBinary,
    TBox,
    TDisc,
    TFrame,
    TFun,
    TIdx,
    TMatrix,
    TMissing,
    TPersons,
    TPFun,
    TRecord,
    TSet,
    TStaticNat,
    TStaticReal,
    TVar,
    Type,
)


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
class End(Node):
    """One end of a range: a size, or what is as far below 0."""

    negative: bool
    size: RExp


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


__all__ = [
    "Aligned",
    "App",
    "Bind",
    "BoolLit",
    "BoxEntry",
    "Case",
    "CaseMissing",
    "ClipBound",
    "Convert",
    "CostExp",
    "DateLit",
    "Def",
    "Default",
    "End",
    "FieldOf",
    "FieldType",
    "File",
    "Filter",
    "Flat",
    "Fold",
    "FrameOp",
    "Guarantee",
    "Hole",
    "If",
    "Import",
    "Index",
    "Inject",
    "Kind",
    "KindBinding",
    "Lam",
    "Let",
    "LetPair",
    "Loop",
    "MCreate",
    "Map",
    "Mechanism",
    "Name",
    "NatLit",
    "Node",
    "Norm",
    "Nothing",
    "Opaque",
    "PApp",
    "PCase",
    "PCaseMissing",
    "PExp",
    "PFoldRows",
    "PHole",
    "PIf",
    "PLam",
    "PLet",
    "PLetPair",
    "PLoop",
    "PMap",
    "Pair",
    "Parallel",
    "Param",
    "Prim",
    "PrimitiveDecl",
    "PrimitiveFact",
    "PrivateParam",
    "RBin",
    "RExp",
    "RFun",
    "RInf",
    "RNum",
    "RVar",
    "RandNat",
    "RealLit",
    "Record",
    "Return",
    "SAppend",
    "SCons",
    "SEmpty",
    "SExp",
    "SUniform",
    "SVar",
    "Sample",
    "Schema",
    "Select",
    "SetLit",
    "StaticNat",
    "StaticReal",
    "StrLit",
    "TBag",
    "TBase",
    "TBinary",
    "TBox",
    "TDisc",
    "TFrame",
    "TFun",
    "TIdx",
    "TMatrix",
    "TMissing",
    "TPFun",
    "TPersons",
    "TRecord",
    "TSet",
    "TStaticNat",
    "TStaticReal",
    "TVar",
    "Type",
    "TypeApp",
    "Update",
    "Var",
]
