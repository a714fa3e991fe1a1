"""Types as they were written: pieces that may become types, sizes, costs, kinds or columns, and what tells them apart."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partialmethod

from duetpy.grammar.ast import Kind
from duetpy.grammar.pieces import Piece
from duetpy.grammar.words import Words

KINDS = {"ℕ": Kind.NAT, "ℝ⁺": Kind.POS, "☆K": Kind.TYPE}

LEVELS = {"⊔": 1, "⊓": 2, "+": 3, "×": 4, "&": 4, "⋅": 5, "/": 6}
"""How tightly signs bind where a size and a type are read as one."""

OF_SIZES = frozenset("⊔⊓+⋅/")
OF_TYPES = frozenset("+×&")


def raw(name: str, pieces: Sequence[Piece], deeper: bool = False) -> Piece:
    """A piece of a type, with its measures; `deeper` where brackets stand around its parts."""
    height = nesting = 0
    for piece in pieces:
        height = max(height, piece.height)
        nesting = max(nesting, piece.nesting)
    return Piece(name, pieces, pieces[0].start, pieces[-1].end, height + 1, nesting + deeper)


def _kept(_: TypePieces, rule: str, c: list[Piece], *, deeper: bool = False) -> Piece:
    return raw(rule, c, deeper)


class TypePieces:
    """Makes the pieces of types; a method is called when its rule has been read.

    Rules of which all is kept as it was written, until it is known what it is, are listed below.
    """

    words: Words
    grouped: set[tuple[int, int]]

    def tvar(self, c: list[Piece]) -> Piece:
        return Piece("tvar", c[0].value, c[0].start, c[0].end)

    def tnumber(self, c: list[Piece]) -> Piece:
        return Piece("tnumber", c[0], c[0].start, c[0].end)

    def tinfinity(self, c: list[Piece]) -> Piece:
        return Piece("tinfinity", None, c[0].start, c[0].end)

    def tbase(self, c: list[Piece]) -> Piece:
        return Piece("tbase", c[0].type, c[0].start, c[0].end)

    def tgroup(self, c: list[Piece]) -> Piece:
        self.grouped.add((c[1].start, c[1].end))
        return Piece("tgroup", c[1], c[0].start, c[-1].end, c[1].height, c[1].nesting + 1)

    def star(self, c: list[Piece]) -> Piece:
        return Piece("star", None, c[0].start, c[0].end)

    def kind(self, c: list[Piece]) -> Piece:
        """``m : ℕ``: the name is bound in the types that follow."""
        if c[0].value is not None:
            self.words.bind_kind(c[0].value)
        return Piece("kind", (c[0].value or "", KINDS[c[2].type]), c[0].start, c[-1].end)

    def quantifier(self, c: list[Piece]) -> Piece:
        """``∀ κs .``, with the scope around it."""
        return Piece("quantifier", (c[1:-1:2], c[0].value), c[0].start, c[-1].end)

    def forall(self, c: list[Piece]) -> Piece:
        self.words.restore(c[0].value[1])
        return raw("forall", c, deeper=True)

    def pforall(self, c: list[Piece]) -> Piece:
        self.words.restore(c[0].value[1])
        return raw("pforall", c, deeper=True)

    def empty(self, c: list[Piece]) -> Piece:
        return Piece("empty", None, c[0].start, c[-1].end)

    def cons(self, c: list[Piece]) -> Piece:
        made = raw("cons", c, deeper=True)
        made.height = max(c[-3].height + 1, c[-1].height)
        made.nesting = max(c[-3].nesting + 1, c[-1].nesting)
        return made


for _rule in (
    "tinfix",
    "tprefix",
    "tmissing",
    "within",
    "clip_bound",
    "box",
    "entry",
    "view",
    "views",
    "types",
    "append",
    "defaulted",
    "roster",
):
    setattr(TypePieces, _rule, partialmethod(_kept, _rule))
for _rule in (
    "tcall",
    "tstatic",
    "tindex",
    "tset",
    "matrix",
    "record",
    "persons",
    "member",
    "function",
    "pfunction",
    "costs",
):
    setattr(TypePieces, _rule, partialmethod(_kept, _rule, deeper=True))


def is_type(piece: Piece) -> bool:
    """Whether an argument of ``f@[…]`` must be a type: a word or sign in it cannot occur in a type-level real."""
    pending = [piece]
    while pending:
        part = pending.pop()
        match part.type:
            case "tgroup":
                pending.append(part.value)
            case "tinfix":
                if part.value[1].type not in OF_SIZES:
                    return True
                pending += [part.value[0], part.value[2]]
            case "tprefix" if part.value[0].type in ("√", "㏒"):
                pending.append(part.value[1])
            case "tvar" | "tnumber" | "tinfinity" | "tcall":
                pass
            case _:
                return True
    return False


def uniform(piece: Piece) -> tuple[Piece, Piece] | None:
    """``n⋅τ`` as the number and the type of the columns: the last ⋅ that only sizes come before parts them, since τ may be
    a variable like n. An arrow behind it belongs to τ."""
    if piece.type in ("function", "pfunction"):
        parts = uniform(piece.value[0])
        if parts is None:
            return None
        count, element = parts
        return count, raw(piece.type, [element, *piece.value[1:]])
    sequence = _in_order(piece)
    last = -1
    for index, part in enumerate(sequence):
        if index % 2 == 0:
            if not _is_size(part):
                break
        elif part.type == "⋅":
            last = index
        elif part.type not in OF_SIZES:
            break
    if last < 0:
        return None
    return _grouped(sequence[:last]), _grouped(sequence[last + 1 :])


def _is_size(part: Piece) -> bool:
    """Whether an operand of ``⋅`` can be a size; parentheses may hold one."""
    while part.type == "tprefix" and part.value[0].type in ("√", "㏒"):
        part = part.value[1]
    return part.type in ("tvar", "tnumber", "tinfinity", "tcall", "tgroup")


def _in_order(piece: Piece) -> list[Piece]:
    """The operands and operators of a formula, as written."""
    found: list[Piece] = []
    pending = [piece]
    while pending:
        part = pending.pop()
        if part.type == "tinfix":
            pending += reversed(part.value)
        else:
            found.append(part)
    return found


def _grouped(sequence: list[Piece]) -> Piece:
    """Operands and operators → the formula that they make by themselves."""
    operands = [sequence[0]]
    pending: list[Piece] = []
    for op, operand in zip(sequence[1::2], sequence[2::2], strict=True):
        while pending and LEVELS[pending[-1].type] >= LEVELS[op.type]:
            _apply(operands, pending)
        pending.append(op)
        operands.append(operand)
    while pending:
        _apply(operands, pending)
    return operands[0]


def _apply(operands: list[Piece], pending: list[Piece]) -> None:
    right = operands.pop()
    operands.append(raw("tinfix", [operands.pop(), pending.pop(), right]))
