"""What is done about a token that no rule can go on with: it is told of once, and the text is read on.

The mistakes that people make often have words of their own (`Mender.foreign`). Of every other the parser's table says
what could stand there, and the table is tried: a word or sign put in, put in place of what stands there, or what stands
there left out; the change after which most of the text can be read is made. Where none helps, what is being read
becomes a hole, and the text is read on where something begins that its surroundings wait for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from duetpy.diagnostics.diagnostic import Label
from duetpy.grammar.advice import NAMED, NORMED, SIZED, Wording, place_of
from duetpy.grammar.automaton import Trial
from duetpy.grammar.brackets import starts_definition
from duetpy.grammar.build_terms import Header
from duetpy.grammar.foreign import FOREIGN_OPERATORS
from duetpy.grammar.pieces import Piece
from duetpy.grammar.spelling import CLOSERS, MISTAKEN_SIGNS, OPENERS, RESERVED, SIGNS, TWINS
from duetpy.grammar.tables import END
from duetpy.grammar.words import PRIVATE_FORMS
from duetpy.source import Span

if TYPE_CHECKING:
    from duetpy.grammar.parser import Reader

AHEAD = 10
"""So many tokens after a change are tried."""

PATIENCE = 300
"""After so many mistakes, told or not, the rest of a text is not read."""

STRUCTURE = (
    *("in", "then", "else", "on", ";", "⇒", "|", "=", "{", "[", ":", "≤", ",", "]", ")", "}", "⟩", "⧽", ">", "⧼", "∷"),
    *("←", "⊸⋆", "⊸", "@", ".", "inl", "inr", "L1", "U", "STRING", "LABEL", "NAME", "PRIMITIVE", "prim", END),
)
"""What can be told to be missing, that first which is likelier to be."""

INFIX = frozenset("∧ ∨ ≡ ∈ < ≤ ≟ ⊔ ⊓ + - ⋅ × / %".split())

_AFTER = {"end": ("LINE", END), "def": ("LINE", "def")}
"""How a text goes on where a definition begins or the text ends."""

_OF_CHAINS = frozenset({"≤", "@", "⧼", "STRING", "LABEL", "NAME"})
"""What an operand may go on with, though nothing waits for it."""

_SECOND = ("VAR", "TYPEVAR", "NAME", ";")
"""What may be put in after another sign."""

_HOLES = ("VAR", "TYPEVAR", "NAME", "LABEL", "STRING")
_ENDS = frozenset(CLOSERS) | {"end", ";"}
_STOPS = frozenset(CLOSERS) | {"end", ";", ",", "in", "then", "else", "on", "⇒", "|", "{", "def", ">"}
_STARTERS = PRIVATE_FORMS | {"let", "sλ", "if", "pλ", "loop", "case"}


class Change(NamedTuple):
    """A repair: terminals that are put in, tokens that are left out after that, how far the text can be read then, and how
    small the change is."""

    terminals: tuple[str, ...]
    skipped: int
    reach: int
    ease: int = 0


class Mender:
    """Mends one text.

    Parameters
    ----------
    reader
        Who reads it.
    """

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.words = reader.words
        self.tokens = reader.tokens
        self.kinds = reader.words.kinds
        self.automaton = reader.automaton
        self.wording = Wording(reader.automaton)
        self.quiet = -1
        """No mistake is told at this token: it would repeat an earlier one."""
        self.count = 0
        self.supposed: list[int] = []
        """Depths of the stack at which a parenthesis was supposed."""
        self.bare_lets = 0
        """How many bindings without ``let`` wait for their ``in``."""
        self.left = False
        """Whether something followed a whole program."""
        self.index_at: dict[int, int] = {}

    # ------------------------------------------------------------------------------------------------- telling

    def tell(
        self,
        index: int,
        message: str,
        advice: str,
        label: str = "",
        code: str = "D0005",
        span: Span | None = None,
        labels: tuple[Label, ...] = (),
    ) -> None:
        """Tell of a mistake at a token, once."""
        repeated = self.quiet == index or self.kinds[index] == "bad" or (index > 0 and self.kinds[index - 1] == "bad")
        self.quiet = index
        self.reader.hurt(index)
        if not repeated:
            self.reader.complain(
                message, advice, code=code, span=span or self.span(index), label=label, labels=labels, syntax=True
            )

    def span(self, index: int) -> Span:
        token = self.tokens[index]
        return Span(self.reader.source, token.start, token.end)

    def found(self, index: int) -> str:
        """A token, in words."""
        token = self.tokens[index]
        match token.kind:
            case "end":
                return "the end of the text"
            case "nat" | "decimal":
                return f"the number `{token.text}`"
            case "string":
                return "a text"
            case "name":
                return f"the name `{token.text}`"
            case _:
                return f"`{token.text}`"

    # ------------------------------------------------------------------------------------------------- before reading

    def notice(self, index: int) -> int | None:
        """A mistake that must be seen before its first token is read; where the text goes on."""
        kinds, words = self.kinds, self.words
        if not words.is_word(index):
            return None
        follows = kinds[index + 1]
        if follows == "←" and kinds[index + 2] in ("nat", "decimal") and words.touches(index + 2):
            if self.tokens[index + 1].text == "<-":
                return self.arrow_for_less(index)
        if follows == "=" and kinds[index] not in ("let", "def") and self.automaton.accepts("let"):
            return self.bare_binding(index)
        if (
            kinds[index] == "def"
            and self.automaton.accepts("let")
            and not self.automaton.accepts("def")
            and starts_definition(self.tokens, index)
            and not words.heads_line(index)
        ):
            advice = "inside an expression write `let x = … in`"
            self.tell(index, "a definition stands at the top of a file only", advice, "expected `let`")
            self.reader.put("let", index)
            return index + 1
        return None

    def arrow_for_less(self, index: int) -> int | None:
        """``x <-1``, which is written like a binding."""
        if not self.automaton.accepts("VAR"):
            return None
        advice = "bind in a privacy expression; in a comparison put a space: `x < -1`"
        self.tell(index + 1, "`←` cannot stand in a sensitivity expression", advice, "not here")
        token = self.tokens[index]
        self.automaton.feed(Piece("VAR", token.text, token.start, token.end))
        self.reader.put("<", index + 1)
        self.reader.put("NEGATIVE", index + 1)
        return index + 2

    def bare_binding(self, index: int) -> int:
        """``x =``, with its ``let`` forgotten."""
        token = self.tokens[index]
        if self.kinds[index + 2] in PRIVATE_FORMS and self.automaton.accepts("BOUND"):
            advice = f"write `{token.text} ← …`; `let x = … in` is for what releases nothing"
            self.tell(index, "a release is bound by `←`, not by `=`", advice, "expected `←` after this")
            self.automaton.feed(Piece("BOUND", token.text, token.start, token.end))
            self.reader.put("←", index + 1)
            return index + 2
        advice = "begin a binding with `let`, or at the top of a file with `def`; a comparison is `≡`"
        self.tell(index, f"expected `let` before {self.found(index)}", advice, "expected `let`")
        self.reader.put("let", index)
        self.automaton.feed(Piece("NAME", token.text, token.start, token.end))
        self.bare_lets += 1
        return index + 1

    # ------------------------------------------------------------------------------------------------- mending

    def mend(self, index: int) -> int:
        """Tell of a token that cannot be read, and change something; the token to go on with."""
        self.count += 1
        accepts = self.automaton.accepts
        if self.kinds[index] == "bad":
            return self.unreadable(index)
        if self.kinds[index] == "stray":
            return self.stray(index)
        if self.close_supposed(index):
            return index
        if accepts("≡") or accepts("#") or accepts("FIELD"):
            after = self.foreign(index)
            if after is not None:
                return after
        if accepts("VAR") and accepts("let"):
            return self.missing_operand(index)
        if accepts("TYPEVAR"):
            return self.missing_type(index)
        if accepts("NAME") or accepts("LABEL"):
            return self.missing_name(index)
        return self.missing_sign(index)

    def unreadable(self, index: int) -> int:
        """What was no token stands for whatever is wanted, and has been told."""
        self.reader.hurt(index)
        for terminal in _HOLES:
            if self.automaton.accepts(terminal):
                self.reader.put(terminal, index, hole=True)
                break
        self.quiet = index + 1
        return index + 1

    def stray(self, index: int) -> int:
        """A closing bracket without partner is that of an opening one that was missing, or nothing."""
        wanted = self.closer(index)
        if self.automaton.accepts(wanted):
            token = self.tokens[index]
            self.automaton.feed(Piece(wanted, token.text, token.start, token.end))
        if self.quiet == index:
            self.quiet = index + 1
        return index + 1

    def closer(self, index: int) -> str:
        """The kind of a closing bracket without partner."""
        text = self.tokens[index].text
        return SIGNS[MISTAKEN_SIGNS.get(text, text)]

    def close_supposed(self, index: int) -> bool:
        """Close a parenthesis that was supposed further up."""
        while self.supposed and len(self.automaton.states) <= self.supposed[-1]:
            self.supposed.pop()
        if not self.supposed or not self.automaton.accepts(")"):
            return False
        self.supposed.pop()
        self.reader.put(")", index)
        return True

    # ------------------------------------------------------------------------------------------------- known mistakes

    def foreign(self, index: int) -> int | None:
        """What other languages write after an operand; where the text goes on."""
        kinds, words, accepts = self.kinds, self.words, self.automaton.accepts
        kind = kinds[index]
        if accepts("≡"):
            for sign in FOREIGN_OPERATORS:
                last = index + len(sign.kinds) - 1
                if last + 1 >= len(self.tokens) or tuple(kinds[index : last + 1]) != sign.kinds:
                    continue
                if all(map(words.touches, range(index + 1, last + 1))) and self.reader.begins(last + 1):
                    self.tell(index, f"there is no operator `{sign.written}`", sign.advice, "no operator")
                    self.reader.put(sign.meant, index)
                    return last + 1
        if kind in PRIVATE_FORMS and self.release(index):
            return index
        if kind == "[" and words.touches(index) and accepts("#"):
            advice = "write `xs#[i, j]` for a cell, `xs#[i]` for a row, `row.age` for a column"
            self.tell(index, "brackets alone pick nothing", advice, "not an index")
            closing = words.partner.get(index)
            if closing is not None:
                self.quiet = closing + 1
                return closing + 1
        if kind == "." and accepts("FIELD"):
            return self.stray_point(index)
        if kind == "←":
            advice = "bind in a privacy expression; in a comparison put a space: `x < -1`"
            self.tell(index, "`←` cannot stand in a sensitivity expression", advice, "not here")
            return self.panic(index)
        if accepts("VAR") and not words.newline_before(index) and (kind == "sλ" or kind in self.reader.prefixes):
            advice = "write `( … )` around the argument"
            self.tell(index, f"{self.found(index)} needs parentheses as an argument", advice, "not an argument by itself")
            self.reader.put("(", index)
            self.supposed.append(len(self.automaton.states))
            return index
        return None

    def release(self, index: int) -> bool:
        """``x laplace[…]``, with its arrow forgotten."""
        states, values = self.automaton.states, self.automaton.values
        name = values[-1]
        if not isinstance(name, Piece) or name.type != "VAR" or name.value is None:
            return False
        if index > 1 and self.kinds[index - 2] not in (";", "{", "⇒", "in"):
            return False
        state = states.pop()
        values.pop()
        if not self.automaton.accepts("BOUND"):
            states.append(state)
            values.append(name)
            return False
        self.automaton.feed(Piece("BOUND", name.value, name.start, name.end))
        self.tell(index, f"expected `←` after `{name.value}`", "write `←` (or `<-`)", f"expected `←` before {self.found(index)}")
        self.reader.put("←", index)
        return True

    def stray_point(self, index: int) -> int:
        """A point that no field name follows."""
        before = self.kinds[index - 1]
        if before in ("nat", "decimal"):
            real = before == "decimal"
            message = "a number has one point" if real else "a number needs a digit after its point"
            self.tell(index, message, "write `1.0` for `1.`", "expected a digit")
            self.quiet = index + (2 if self.kinds[index + 1] in ("nat", "decimal") else 1)
            return self.quiet
        self.tell(index, "no space may stand around the point of a field", "write `row.age`", "a space")
        self.quiet = index + 1
        if self.words.is_word(index + 1):
            token = self.tokens[index + 1]
            self.reader.put("FIELD", index)
            self.automaton.feed(Piece("LABEL", token.text, token.start, token.end))
            return index + 2
        return index + 1

    # ------------------------------------------------------------------------------------------------- operands

    def missing_operand(self, index: int) -> int:
        """An expression should stand here."""
        kind, text = self.kinds[index], self.tokens[index].text
        if index and self.quiet == index - 1 and self.kinds[index - 1] in INFIX:
            # An operator that lacks both its operands is one mistake.
            self.quiet = index
        if kind == "←":
            self.tell(index, f"expected the name of a variable, found {self.found(index)}", "write a name", "expected a name")
            self.reader.put("BOUND", index, hole=True)
            return index
        if kind == "-":
            self.tell(index, "there is no unary minus", "write `0.0 - x`, or a number such as `-1.0`", "unary minus")
            self.quiet = index + 1
            return index + 1
        if kind == "." and self.words.is_word(index + 1) and self.kinds[index + 2] == ":":
            self.tell(index, "expected `sλ` or `pλ` before `.`", "write `sλ` (or `slam`)", "expected `sλ` before this")
            self.reader.put("sλ", index)
            return index
        if kind == ".":
            advice = "write `0.5` for `.5`"
            self.tell(index, "a number needs a digit before its point", advice, "expected a number")
            self.reader.put("VAR", index, hole=True)
            return index + (2 if self.kinds[index + 1] in ("nat", "decimal") else 1)
        if kind in ("⊔", "⊓", "∧", "∨", "∈") and text.isalpha():
            message, advice = f"`{text}` stands between its two arguments", f"write `a {text} b`"
            self.tell(index, message, advice, "expected an expression before this")
            self.reader.put("VAR", index, hole=True)
            closing = self.words.partner.get(index + 1)
            self.quiet = index + 1 if closing is None else closing + 1
            return self.quiet
        if self.words.is_word(index) and self.kinds[index + 1] == "←":
            message = f"`{text}` is a reserved word and cannot be the name of a variable"
            self.tell(index, message, "choose another name", "reserved", "D0013")
            self.quiet = -1
            token = self.tokens[index]
            self.automaton.feed(Piece("BOUND", token.text, token.start, token.end))
            return index + 1
        if text in RESERVED and kind not in ("in", "then", "else", "on"):
            message = f"expected an expression, found the reserved word `{text}`"
            advice = "write an expression; a reserved word cannot be a name"
            self.tell(index, message, advice, "expected an expression")
        else:
            before = self.tokens[index - 1] if index else None
            place = f" after `{before.text}`" if before and before.kind in INFIX else ""
            message = f"expected an expression{place}, found {self.found(index)}"
            self.tell(index, message, "write an expression here", "expected an expression")
        if not self.goes_on(index) and kind not in OPENERS:
            self.reader.put("VAR", index, hole=True)
            self.quiet = index + 1
            return index + 1
        if kind in OPENERS:
            return self.panic(index)
        self.reader.put("VAR", index, hole=True)
        return index

    def goes_on(self, index: int) -> bool:
        """Whether a token belongs to what is around an operand, and does not stand for one."""
        kind = self.kinds[index]
        return kind in _STOPS or kind in INFIX or kind in ("&", "#", "ensures", ":", "=", "∷", "⧺", "←", "@", "↦", "⊸", "★")

    def missing_type(self, index: int) -> int:
        """A type or a size should stand here."""
        name, position = self.wording.context("TYPEVAR")
        found = self.found(index)
        if (name, position) in SIZED or name == "guarantee":
            message, advice = f"expected a size or a number, found {found}", "write a type-level variable, a number or a formula of them"
            label = "expected a type-level expression"
        elif name == "matrix" and position == 8:
            message, advice = f"expected the columns of `𝕄`, found {found}", "columns are `n⋅τ`, `τ₁ ∷ τ₂ ∷ []`, or `name : τ ∷ …`"
            label = "expected columns"
        else:
            message, advice, label = f"expected a type, found {found}", "write a type", "expected a type"
        self.tell(index, message, advice, label)
        self.reader.put("TYPEVAR", index, hole=True)
        if self.goes_on(index):
            return index
        closing = self.words.partner.get(index)
        self.quiet = index + 1 if closing is None else closing + 1
        return self.quiet

    def missing_name(self, index: int) -> int:
        """A name should stand here; a reserved word in its place is told of and taken for one."""
        terminal = "NAME" if self.automaton.accepts("NAME") else "LABEL"
        token = self.tokens[index]
        name = self.wording.named(terminal)
        what = NAMED.get(name, "a name")
        follows = self.kinds[index + 1]
        if terminal == "NAME" and self.words.is_word(index) and token.text in RESERVED:
            if token.kind not in ("in", "let", "then", "else", "on", "return") or follows in ("=", "←", ":", "⇒"):
                message = f"`{token.text}` is a reserved word and cannot be {what}"
                self.tell(index, message, "choose another name", "reserved", "D0013")
                self.quiet = -1
                self.automaton.feed(Piece("NAME", token.text, token.start, token.end))
                return index + 1
        best = self.best_change(index, [each for each in self.missing_here() if each not in _HOLES])
        if best and best.terminals and best.reach > max(1, self.tried((terminal,), index).reach):
            return self.missing_sign(index)
        code = "D0010" if name == "gradient" else "D0005"
        advice = "write a name" if code == "D0005" else "write the name of a loss, such as `LR`"
        self.tell(index, f"expected {what}, found {self.found(index)}", advice, "expected a name", code)
        self.reader.put(terminal, index, hole=True)
        if self.goes_on(index) or self.automaton.accepts(self.kinds[index]):
            return index
        self.quiet = index + 1
        return index + 1

    # ------------------------------------------------------------------------------------------------- signs

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

    def missing_sign(self, index: int) -> int:
        """A word or sign should stand here that goes on with what has been read."""
        missing = self.missing_here()
        if (self.automaton.accepts(END) or self.automaton.accepts("LINE")) and self.kinds[index] != "end":
            return self.left_over(index)
        best = self.best_change(index, missing)
        told = missing[0] if missing else ""
        if best is not None and best.terminals and best.reach >= 2:
            told = best.terminals[0]
        if self.bare_lets and told == "in":
            # The `let` was missing and has been told of: then a missing `in` is the same mistake.
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
        if told in ("inl", "inr"):
            return self.panic(index)
        hyphen = told == "=" and self.kinds[index] == "-"
        good = best is not None and best.reach >= 2 and not hyphen
        there = self.skip_to(index, told) if told not in CLOSERS or not good else None
        if there is not None and (not good or (best is not None and best.reach < min(AHEAD, 1 + self.reached(there)))):
            self.quiet = there
            return there
        if best is not None and best.reach >= (2 if told in OPENERS else 1):
            for terminal in best.terminals:
                if terminal in CLOSERS:
                    self.reader.missing_openers[terminal].append(self.tokens[index].start)
                self.reader.put(terminal, index, hole=terminal in _HOLES)
            self.quiet = index + best.skipped
            return index + best.skipped
        return self.panic(index)

    def tell_missing(self, index: int, told: str, missing: list[str]) -> None:
        """Tell that a word or sign is missing, or that a bracket is not closed."""
        if told == ",":
            told = next((terminal for terminal in missing if terminal in CLOSERS), told)
        if told in CLOSERS:
            return self.tell_open(index, told, missing)
        before = self.tokens[index - 1].text if index else ""
        if told in ("L1", "U"):
            return self.tell_norm(index, told)
        if told == "STRING":
            return self.tell_text(index)
        name, position = self.wording.context(told) if told else ("", 0)
        if name == "cons" and told == "∷":
            return self.tell_columns(index)
        if told == "," and name == "names":
            told = "⇒"
            where = self.wording.where(",", before)
        else:
            where = self.wording.where(told, before) if told else ""
        if told == "⊸" or (told == "@" and name in ("view", "")):
            message = f"expected `⊸[…]` or `@` after the argument type of `∀`, found {self.found(index)}"
            advice = "a function type is written `∀ κs . τ ⊸[s] τ` or `∀ κs . τ@ε ⊸⋆ τ`"
            return self.tell(index, message, advice, "expected `⊸` (or `-o`)")
        if told == "[" and name == "clip_norm":
            return self.tell(index, f"expected `[` {where}", f"write `{before}[L2]`", "expected `[`")
        if told == "=" and self.kinds[index] == "-" and self.words.touches(index):
            message = f"expected `=` {where}, found `-`"
            advice = "a hyphen is part of a name only before a letter: write `x1` or `x_1`"
            return self.tell(index, message, advice, "a subtraction")
        code = "D0008" if name in ("notion", "import_") else "D0005"
        if told in ("", "NAME", "LABEL", "PRIMITIVE", "prim"):
            advice = "take this away" if told != "prim" else "write `prim name : τ`"
            message = f"{self.found(index)} cannot stand here" if told != "prim" else f"expected `prim`, found {self.found(index)}"
            return self.tell(index, message, advice, "not here")
        twin = TWINS.get(told)
        advice = f"write `{told}`" + (f" (or `{twin}`)" if twin else "")
        if told in OPENERS:
            self.reader.missed_opener(told, index)
        opened = self.opened(told) if self.kinds[index] == "end" else None
        if opened is not None:
            label = Label(self.span(index), f"expected `{told}` before the end")
            span = self.span(opened)
            return self.tell(index, f"expected `{told}` {where}", advice, f"has no `{told}`", code, span, (label,))
        return self.tell(index, f"expected `{told}` {where}", advice, f"expected `{told}` before {self.found(index)}", code)

    def tell_norm(self, index: int, told: str) -> None:
        name, position = self.wording.context(told)
        if told == "U" or (name, position) == ("matrix", 4):
            message = f"expected the clip of `𝕄`, found {self.found(index)}"
            advice = "a clip is `U` (unclipped), a norm, or a norm with a bound such as `L2≤b`"
            return self.tell(index, message, advice, "not a clip", "D0010")
        place = place_of(self.automaton, told)
        what = NORMED.get(name, "a norm")
        if place is not None:
            what = what.format(word=self.wording.word(place))
        advice = "the norms are `L1`, `L2` and `L∞` (Linf)"
        return self.tell(index, f"expected {what}, found {self.found(index)}", advice, "not a norm", "D0010")

    def tell_text(self, index: int) -> None:
        if self.tokens[index - 1].kind == "import":
            message, advice = f"expected a path after `import`, found {self.found(index)}", 'write `import "path.duet";`'
            return self.tell(index, message, advice, code="D0008")
        message = f"expected the place of a function, found {self.found(index)}"
        return self.tell(index, message, 'write `"module:function"`')

    def tell_columns(self, index: int) -> None:
        """A column without ``∷`` after it."""
        column = next((k for k in range(index - 1, 0, -1) if self.kinds[k] == ":"), 0)
        name = self.tokens[column - 1].text
        message, advice = "a list of columns ends in `∷ []`", f"write `{name} : τ ∷ []`"
        self.tell(index, message, advice, "a column is not followed by `∷`")

    def tell_open(self, index: int, wanted: str, missing: list[str]) -> None:
        """What stands in brackets has ended, and the bracket is not closed."""
        opened = self.opener(wanted)
        before = self.tokens[index - 1].text if index else ""
        place = self.wording.where(wanted, before)
        if self.kinds[index] == "," and place == "after the expression in parentheses":
            advice = "write a pair as `⟨a, b⟩` (or `<|a, b|>`), and a call with two arguments as `f a b`"
            return self.tell(index, "parentheses hold one expression", advice, "not a list")
        labels = () if opened is None else (Label(self.span(opened), "opened here"),)
        closed = opened is not None and self.words.partner.get(opened, -1) >= index
        if closed and self.kinds[index] not in ("in", ";", "then", "else", "end"):
            either = f"`,` or `{wanted}`" if "," in missing else f"`{wanted}`"
            label = f"expected {either} before {self.found(index)}"
            return self.tell(index, f"expected {either} {place}", f"write {either}, or take this away", label, labels=labels)
        opening = self.tokens[opened].text if opened is not None else CLOSERS[wanted]
        advice = f"close it with `{wanted}`"
        if self.kinds[index] == "end" and opened is not None:
            label = Label(self.span(index), f"expected `{wanted}` before the end")
            message = f"`{opening}` is never closed"
            return self.tell(index, message, advice, "opened here", "D0006", self.span(opened), (label,))
        message = f"`{opening}` is not closed: expected `{wanted}` {place}"
        return self.tell(index, message, advice, f"expected `{wanted}` before {self.found(index)}", "D0006", labels=labels)

    def opener(self, wanted: str) -> int | None:
        """The token that opened the innermost bracket that `wanted` closes."""
        for piece in reversed(self.automaton.values):
            if isinstance(piece, Piece) and piece.type == CLOSERS[wanted] and piece.end > piece.start:
                return self.index_of(piece.start)
        return None

    def opened(self, told: str) -> int | None:
        """The token that began what `told` goes on with."""
        place = place_of(self.automaton, told)
        if place is None or not place.bases:
            return None
        pieces = self.wording.pieces(place)
        return self.index_of(pieces[0].start) if pieces else None

    def index_of(self, start: int) -> int | None:
        if not self.index_at:
            self.index_at = {token.start: index for index, token in enumerate(self.tokens)}
        return self.index_at.get(start)

    def left_over(self, index: int) -> int:
        """Something follows a whole program or definition."""
        if not self.left:
            self.reader.tell_left_over(index)
        self.left = self.reader.definition_before() is None
        while self.kinds[index] != "end" and not starts_definition(self.tokens, index):
            index += 1
        self.quiet = index
        return index

    # ------------------------------------------------------------------------------------------------- giving up

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
        at = index
        while True:
            kind = kinds[at]
            if kind in _STOPS and (kind != "def" or starts_definition(self.tokens, at)):
                depth = self.depth_for(at)
                if depth is not None:
                    self.cut(depth, index, at)
                    self.quiet = at
                    return at
            if kind == "end":
                self.cut(1, index, at)
                self.reader.ended = True
                return at
            if kind in OPENERS:
                at = self.words.partner.get(at, at)
            at += 1

    def depth_for(self, at: int) -> int | None:
        """The greatest depth of the stack at which a hole can stand before a token."""
        rows, states = self.automaton.rows, self.automaton.states
        kind = self.kinds[at]
        for depth in range(len(states), 0, -1):
            if depth < len(states) and kind not in ("end", "def") and self.encloses(depth - 1, at):
                return None
            row = rows[states[depth - 1]]
            for hole in ("VAR", "TYPEVAR"):
                if hole not in row:
                    continue
                trial = Trial(self.automaton, depth)
                if trial.shift(hole) and any(
                    trial.copy().settle(each) is not None for each in _AFTER.get(kind, (kind,))
                ):
                    return depth
        return None

    def encloses(self, index: int, at: int) -> bool:
        """Whether a piece of the stack opens a bracket that is closed after a token."""
        piece = self.automaton.values[index]
        if not isinstance(piece, Piece) or piece.type not in OPENERS or piece.start == piece.end:
            return False
        opened = self.index_of(piece.start)
        return opened is not None and self.words.partner.get(opened, -1) > at

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
