"""What is done about a token that no rule can go on with: it is reported once, and reading goes on.

The mistakes that people make often have words of their own (`duetpy.grammar.mistakes`). Of every other the parser's
table says what could stand there, and the best change is made (`duetpy.grammar.changes`).
"""

from __future__ import annotations

from duetpy.grammar.brackets import starts_definition
from duetpy.grammar.changes import AHEAD, HOLES, Change
from duetpy.grammar.mistakes import Mistakes
from duetpy.grammar.spelling import CLOSERS, OPENERS
from duetpy.grammar.tables import END

PATIENCE = 100
"""After so many mistakes, told or not, the rest of a text is not read."""


class Mender(Mistakes):
    """Mends one text."""

    def mend(self, index: int) -> int:
        """Report a token that cannot be read, and change something; the token to go on with."""
        accepts = self.automaton.accepts
        if self.kinds[index] == "bad":
            return self.unreadable(index)
        if self.kinds[index] == "stray":
            return self.stray(index)
        self.count += 1
        if self.close_supposed(index):
            return index
        if accepts("≡") or accepts("#") or accepts("FIELD"):
            after = self.foreign(index)
            if after is not None:
                return after
        if self.kinds[index] == "[" and (after := self.no_table(index)) is not None:
            return after
        if accepts("VAR") and (accepts("let") or not accepts("≡")):
            return self.missing_operand(index)
        if accepts("TYPEVAR"):
            return self.missing_type(index)
        if accepts("NAME") or accepts("LABEL"):
            after = self.missing_name(index)
            return self.missing_sign(index) if after is None else after
        return self.missing_sign(index)

    def close_supposed(self, index: int) -> bool:
        """Close a parenthesis that was supposed further up."""
        while self.supposed and len(self.automaton.states) <= self.supposed[-1]:
            self.supposed.pop()
        if not self.supposed or not self.automaton.accepts(")"):
            return False
        self.supposed.pop()
        self.reader.put(")", index)
        return True

    def missing_sign(self, index: int) -> int:
        """A word or sign should stand here that goes on with what has been read."""
        if self.kinds[index] == "in" and (after := self.unbracketed_range(index)) is not None:
            return after
        missing = self.missing_here()
        if (self.automaton.accepts(END) or self.automaton.accepts("LINE")) and self.kinds[index] != "end":
            return self.left_over(index)
        best = self.best_change(index, missing)
        told = missing[0] if missing else ""
        if best is not None and best.terminals and best.reach >= 2:
            told = best.terminals[0]
        if self.bare_lets and told == "in":
            # The missing `let` has been reported: then a missing `in` is the same mistake.
            self.bare_lets -= 1
            self.reader.hurt(index)
        else:
            self.tell_missing(index, told, missing)
        return self.go_on(index, told, best)

    def go_on(self, index: int, told: str, best: Change | None) -> int:
        """Make the best change, skip to what was missing, or give up what is being read."""
        self.quiet = index
        if self.count > PATIENCE:
            return self.panic(len(self.tokens) - 1)
        if told in ("inl", "inr", "none"):
            return self.panic(index)
        if told == ")" and self.kinds[index] == ",":
            closing = self.skip_to(index, told)
            if closing is not None:
                self.cut(self.depth_of(CLOSERS[told]) + 1, index, closing)
                self.quiet = closing
                return closing
        hyphen = told == "=" and self.kinds[index] == "-"
        good = best is not None and best.reach >= 2 and not hyphen
        closes = told in CLOSERS
        there = self.skip_to(index, told) if not closes or not good or (best and best.skipped) else None
        if there is not None and (
            not good or (best is not None and (closes or best.reach < min(AHEAD, 1 + self.reached(there))))
        ):
            self.quiet = there
            return there
        if best is not None and best.reach >= (2 if told in OPENERS else 1):
            for terminal in best.terminals:
                if terminal in CLOSERS:
                    self.reader.missing_openers[terminal].append(self.tokens[index].start)
                self.reader.put(terminal, index, hole=terminal in HOLES)
            self.quiet = index + best.skipped
            return index + best.skipped
        return self.panic(index)

    def left_over(self, index: int) -> int:
        """Something follows a whole program or definition."""
        if not self.left:
            self.reader.tell_left_over(index)
        self.left = self.reader.definition_before() is None
        while self.kinds[index] != "end" and not self.begins_afresh(index):
            index += 1
        self.quiet = index
        return index

    def begins_afresh(self, index: int) -> bool:
        """Whether a definition or a declaration begins here."""
        if self.reader.start == "prelude":
            return self.tokens[index].text == "prim"
        return starts_definition(self.tokens, index)
