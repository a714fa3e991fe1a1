"""Changes to a text that cannot be read: each is tried on the parse table, and costs the parser nothing.

A word or sign is put in, put in place of what stands there, or what stands there is left out; the change after which
most of the text can be read is the best. Where none helps, a hole takes the place of what is being read (`panic`).
"""

from __future__ import annotations

from typing import NamedTuple

from duetpy.grammar.automaton import Trial
from duetpy.grammar.brackets import starts_definition
from duetpy.grammar.build_terms import Header
from duetpy.grammar.pieces import Piece
from duetpy.grammar.spelling import CLOSERS, MISTAKEN_SIGNS, OPENERS, SIGNS
from duetpy.grammar.tables import END
from duetpy.grammar.telling import Teller

AHEAD = 10
"""So many tokens after a change are tried."""

STRUCTURE = (
    *("in", "then", "else", "on", ";", "⇒", "|", "=", "{", "[", ":", "≤", ",", "]", ")", "}", "⟩", "⧽", ">", "⧼", "∷"),
    *("←", "⊸⋆", "⊸", "@", ".", "inl", "inr", "none", "L1", "U", "STRING", "LABEL", "NAME", "PRIMITIVE", "prim", END),
)
"""What may be missing, the likeliest first."""

HOLES = ("VAR", "TYPEVAR", "NAME", "LABEL", "STRING")
"""Terminals whose piece may be a hole."""

STOPS = frozenset(CLOSERS) | {"end", ";", ",", "in", "then", "else", "on", "⇒", "|", "{", "def", ">"}
"""What belongs to the surroundings of what is being read."""

FAR = 60
"""So many places further out are tried for a hole: a text in which nothing closes could have any number of them."""

_AFTER = {"end": ("LINE", END), "def": ("LINE", "def")}
"""How a text goes on where a definition begins or the text ends."""

_OF_CHAINS = frozenset({"≤", ">", "@", "⧼", "STRING", "LABEL", "NAME"})
"""What an operand may go on with, though nothing waits for it."""

_SECOND = ("VAR", "TYPEVAR", "NAME", ";")
"""What may be put in after another sign."""

_ENDS = frozenset(CLOSERS) | {"end", ";"}


class Change(NamedTuple):
    """A repair.

    Parameters
    ----------
    terminals
        What is put in.
    skipped
        How many tokens are left out after that.
    reach
        How far the text can be read then.
    ease
        How small the change is.
    """

    terminals: tuple[str, ...]
    skipped: int
    reach: int
    ease: int = 0


class Changer(Teller):
    """Tries changes, and makes the one of last resort."""

    def missing_here(self) -> list[str]:
        """The words and signs that could stand here and are not part of an operand."""
        row = self.automaton.rows[self.automaton.states[-1]]
        after_operand = self.automaton.accepts("≡")
        found = [
            terminal
            for terminal in STRUCTURE
            if terminal in row and not (after_operand and terminal in _OF_CHAINS) and self.automaton.accepts(terminal)
        ]
        needed = [terminal for terminal in found if terminal not in ("⊸", "@", "[")]
        return needed or [terminal for terminal in found if terminal != "["] or found

    def best_change(self, index: int, missing: list[str]) -> Change | None:
        """The change after which most of the text can be read."""
        changes: list[Change] = []
        token_ends = self.kinds[index] == "end"
        for terminal in missing:
            if terminal == END:
                continue
            inserted = self.tried((terminal,), index)
            if inserted.reach == 0:
                inserted = max((self.tried((terminal, each), index) for each in _SECOND), key=_reach)
            changes.append(inserted._replace(ease=2 if len(inserted.terminals) == 1 else 1))
            if not token_ends and self.kinds[index] not in OPENERS:
                replaced = self.tried((terminal,), index + 1)
                changes.append(replaced._replace(skipped=1, ease=1))
        if not token_ends and self.kinds[index] not in OPENERS and self.kinds[index] not in CLOSERS:
            changes.append(self.tried((), index + 1)._replace(skipped=1))
        return max(changes, key=_reach, default=None)

    def reached(self, index: int) -> int:
        """How far the text can be read from a token on."""
        return self.reach(Trial(self.automaton), index)

    def tried(self, terminals: tuple[str, ...], index: int) -> Change:
        """How far the text can be read from a token on, after terminals that are put in."""
        trial = Trial(self.automaton)
        for terminal in terminals:
            if not trial.shift(terminal):
                return Change(terminals, 0, -1)
        return Change(terminals, 0, self.reach(trial, index))

    def reach(self, trial: Trial, index: int, most: int = AHEAD) -> int:
        """How many tokens can be read from a token on."""
        for count in range(most):
            kind = self.kinds[index]
            if kind in ("end", "def") and trial.copy().settle("LINE") is not None:
                return most
            if kind == "end":
                return most if trial.settle(END) is not None else count
            if kind == "stray":
                following = trial.copy()
                trial, index = (following if following.shift(self.closer(index)) else trial), index + 1
                continue
            if kind == "bad":
                index += 1
                continue
            if kind == "def" and self.words.heads_line(index) and trial.copy().settle("def") is not None:
                return most
            for terminal, length in self.words.readings(index):
                following = trial.copy()
                if following.shift(terminal):
                    trial, index = following, index + length
                    break
            else:
                return count
        return most

    def closer(self, index: int) -> str:
        """The kind of a closing bracket without partner."""
        text = self.tokens[index].text
        return SIGNS[MISTAKEN_SIGNS.get(text, text)]

    def skip_to(self, index: int, target: str) -> int | None:
        """The first `target` that belongs to the construct being read. Brackets are skipped whole, and so is every ``let``
        with its ``in``."""
        kinds, lets = self.kinds, 0
        while True:
            kind = kinds[index]
            if kind == target and not (kind == "in" and lets):
                return index
            if kind in _ENDS or (kind == "in" and not lets) or starts_definition(self.tokens, index):
                return None
            if kind == "in":
                lets -= 1
            elif kind == "let":
                lets += 1
            elif kind in OPENERS:
                index = self.words.partner.get(index, index)
            index += 1

    def panic(self, index: int) -> int:
        """Put a hole in place of what is being read, at the first token after which something around it can go on."""
        kinds = self.kinds
        at, top = index, len(self.automaton.states)
        vain: dict[str, int] = {}
        while True:
            kind = kinds[at]
            if kind in STOPS and at >= vain.get(kind, 0) and (kind != "def" or starts_definition(self.tokens, at)):
                depth, vain[kind] = self.depth_for(at, top)
                if depth is not None:
                    self.cut(depth, index, at)
                    self.quiet = at
                    return at
                if kind in CLOSERS:
                    top = self.opened_at(at, top)
            if kind == "end":
                self.cut(1, index, at)
                self.reader.ended = True
                return at
            if kind in OPENERS:
                at = self.words.partner.get(at, at)
            at += 1

    def opened_at(self, at: int, top: int) -> int:
        """The depth of the stack, from `top` down, of the bracket that a token closes: nothing after the token belongs inside
        it. Without such a bracket, `top`."""
        for depth in range(top, 1, -1):
            closing = self.closing(depth - 1)
            if closing == at:
                return depth
            if closing > at:
                break
        return top

    def depth_for(self, at: int, top: int) -> tuple[int | None, int]:
        """The greatest depth of the stack, from `top` down, at which a hole can stand before a token.

        None if there is no such depth; then the first token at which another of the same kind might have one.
        """
        rows, states, outcomes = self.automaton.rows, self.automaton.states, self.automaton.outcomes()
        kind, tried = self.kinds[at], 0
        for depth in range(top, 0, -1):
            closing = self.closing(depth - 1)
            if kind not in ("end", "def") and closing > at:
                return None, closing
            row = rows[states[depth - 1]]
            for hole in ("VAR", "TYPEVAR"):
                if hole not in row:
                    continue
                tried += 1
                if tried > FAR and kind not in ("end", "def"):
                    return None, at + 1
                if Trial(self.automaton, depth).settle(hole, outcomes) is None:
                    continue
                trial = Trial(self.automaton, depth)
                if trial.shift(hole) and any(
                    trial.copy().settle(each, outcomes) is not None for each in _AFTER.get(kind, (kind,))
                ):
                    return depth, at
        return None, len(self.tokens)

    def closing(self, index: int) -> int:
        """The token that closes the bracket which a piece of the stack opens; -1 where it opens none, or none closes it."""
        if index >= len(self.automaton.values):
            return -1
        piece = self.automaton.values[index]
        if not isinstance(piece, Piece) or piece.type not in OPENERS or piece.start == piece.end:
            return -1
        opened = self.index_of(piece.start)
        return -1 if opened is None else self.words.partner.get(opened, -1)

    def cut(self, depth: int, index: int, at: int) -> None:
        """Take what is being read off the stack, with the names that it binds, and put a hole there."""
        values, states = self.automaton.values, self.automaton.states
        start = self.tokens[index].start
        for piece in reversed(values[depth - 1 :]):
            if not isinstance(piece, Piece):
                continue
            start = piece.start
            if isinstance(piece.value, Header):
                self.words.restore(piece.value.mark)
            elif piece.type in ("sλ", "pλ", "∀"):
                self.words.restore(piece.value)
            elif piece.type in ("lambda", "quantifier"):
                self.words.restore(piece.value[1])
        del values[depth - 1 :], states[depth:]
        end = max(start, self.tokens[at - 1].end if at else 0)
        for hole in ("VAR", "TYPEVAR"):
            if self.automaton.accepts(hole):
                self.automaton.feed(Piece(hole, None, start, end))
                return


def _reach(change: Change) -> tuple[int, int]:
    return change.reach, change.ease
