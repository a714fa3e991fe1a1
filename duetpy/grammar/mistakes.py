"""Mistakes that people make often, each with words of its own and with what is read in its place."""

from __future__ import annotations

from duetpy.diagnostics.closest import closest
from duetpy.grammar.advice import ALIGNED, NAMED, SIZED
from duetpy.grammar.brackets import starts_definition
from duetpy.grammar.changes import HOLES, STOPS, Changer
from duetpy.grammar.declared import INFIX
from duetpy.grammar.foreign import FOREIGN_OPERATORS, FOREIGN_TYPES
from duetpy.grammar.levels import INFIX_LEVELS
from duetpy.grammar.pieces import Piece
from duetpy.grammar.spelling import OPENERS, RESERVED
from duetpy.grammar.words import MECHANISMS, PRIVATE_FORMS, VOCABULARY
from duetpy.source import Span

_AROUND = STOPS | INFIX_LEVELS.keys() | {"&", "#", "ensures", ":", "=", "∷", "⧺", "←", "@", "↦", "⊸", "★"}
"""What goes on with an operand, and stands for none."""

_NO_NAMES = frozenset({"in", "let", "then", "else", "on", "return"})
"""Words that go on with something where a name is missing."""

_LISTS = {
    "{": "write a set as `℘{…}` (or `Set{…}`)",
    "[": "write a set as `℘{…}` (or `Set{…}`), a pair as `⟨a, b⟩` (or `<|a, b|>`), a table as `mcreate[L∞ | 1, n] { i, j ⇒ … }`",
}
"""What begins a list in other languages ↦ what to write instead."""


class Mistakes(Changer):
    """Knows mistakes by what stands where."""

    def notice(self, index: int) -> int | None:
        """A mistake that must be seen before its first token is read; where the text goes on."""
        kinds, words = self.kinds, self.words
        if not words.is_word(index):
            return None
        follows = kinds[index + 1]
        if self.is_less_than_negative(index):
            return self.arrow_for_less(index)
        if follows == "=" and kinds[index] not in ("let", "def") and self.automaton.accepts("let"):
            return self.bare_binding(index)
        if follows == "←" and self.needless_let(index):
            return index
        if kinds[index] == "notion" and index and kinds[index + 2 : index + 3] == [";"] and words.heads_line(index):
            advice = "move it to the first line of the file, or remove it"
            self.tell(index, "only the first line of a file can say its notion", advice, "not the first line")
            return index + 3
        if (
            kinds[index] == "def"
            and self.automaton.accepts("let")
            and not self.automaton.accepts("def")
            and starts_definition(self.tokens, index)
            and not words.heads_line(index)
        ):
            advice = "inside an expression write `let x = … in`"
            self.tell(index, "a definition is allowed only at the top level of a file", advice, "expected `let`")
            self.reader.put("let", index)
            return index + 1
        return None

    def is_less_than_negative(self, index: int) -> bool:
        """Whether ``x <-1`` stands here, which is written like a binding."""
        number = index + 2
        return (
            self.kinds[index + 1] == "←"
            and self.tokens[index + 1].text == "<-"
            and self.kinds[number] in ("nat", "decimal")
            and self.words.touches(number)
        )

    def arrow_for_less(self, index: int) -> int | None:
        """``x <-1``, which is written like a binding."""
        if not self.automaton.accepts("VAR"):
            return None
        advice = "use `←` only in privacy expressions; for a comparison, write a space: `x < -1`"
        self.tell(index + 1, "`←` is not allowed in a sensitivity expression", advice, "not here")
        token = self.tokens[index]
        self.automaton.feed(Piece("VAR", token.text, token.start, token.end))
        self.reader.put("<", index + 1)
        self.reader.put("NEGATIVE", index + 1)
        return index + 2

    def bare_binding(self, index: int) -> int:
        """``x =``, with its ``let`` forgotten."""
        token = self.tokens[index]
        if self.kinds[index + 2] in PRIVATE_FORMS and self.automaton.accepts("BOUND"):
            advice = f"write `{token.text} ← …`; `let x = … in` is for values that are not releases"
            self.tell(index, "bind a release with `←`, not with `=`", advice, "expected `←` after this")
            self.automaton.feed(Piece("BOUND", token.text, token.start, token.end))
            self.reader.put("←", index + 1)
            return index + 2
        opened = self.opener("]")
        if self.kinds[index - 1] in ("[", ",") and opened and self.kinds[opened - 1] in MECHANISMS:
            advice = "write the value alone, in its place: `laplace[1, 0.5]`"
            self.tell(index, "the parameters of a mechanism have no names", advice, "a name")
            return index + 2
        advice = "begin a binding with `let`, or with `def` at the top level of a file; for a comparison, write `≡`"
        self.tell(index, f"expected `let` before {self.found(index)}", advice, "expected `let`")
        self.reader.put("let", index)
        self.automaton.feed(Piece("NAME", token.text, token.start, token.end))
        self.bare_lets += 1
        return index + 1

    def needless_let(self, index: int) -> bool:
        """``let x ←``, which binds a release; the ``let`` is taken back."""
        states, values = self.automaton.states, self.automaton.values
        before = values[-1] if values else None
        if not isinstance(before, Piece) or before.type != "let":
            return False
        state = states.pop()
        values.pop()
        if not self.automaton.accepts("BOUND"):
            states.append(state)
            values.append(before)
            return False
        advice = f"write `{self.tokens[index].text} ← …`; `let x = … in` is for values that are not releases"
        self.tell(index - 1, "a release is bound without `let`", advice, "not before `←`")
        return True

    def unreadable(self, index: int) -> int:
        """Text that is not a token stands for whatever is expected; it has been reported."""
        self.reader.hurt(index)
        for terminal in HOLES:
            if self.automaton.accepts(terminal):
                self.reader.put(terminal, index, hole=True)
                break
        self.quiet = index + 1
        return index + 1

    def misspelt(self, index: int) -> str | None:
        """The word of the language that a name before a bracket is spelt like, unless the name may be an imported one or stands
        in the text before."""
        name = self.tokens[index].text
        if "import" in self.kinds or any(token.text == name for token in self.tokens[:index]):
            return None
        return next(iter(closest(name, VOCABULARY)), None)

    def stray(self, index: int) -> int:
        """A closing bracket without partner is that of an opening one that was missing, or nothing."""
        wanted = self.closer(index)
        if self.automaton.accepts(wanted):
            token = self.tokens[index]
            self.automaton.feed(Piece(wanted, token.text, token.start, token.end))
        if self.quiet == index:
            self.quiet = index + 1
        return index + 1

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
        if kind == "in" and accepts("≡") and kinds[index + 1] in ("{", "℘"):
            self.tell(index, "`in` is no operator", "write `∈ ℘{…}` (or `in_set Set{…}`)", "no operator")
            self.reader.put("∈", index)
            closing = words.partner.get(index + 1)
            if kinds[index + 1] != "{" or closing is None:
                return index + 1
            self.reader.put("VAR", index + 1, hole=True)
            self.quiet = closing + 1
            return closing + 1
        if kind == "[" and words.touches(index) and accepts("#"):
            advice = (
                "cells are `xs#[i, j]`, rows `xs#[i]`, columns `row.age`; a privacy function is called as `f[ε] xs`"
            )
            span = self.span(index)
            if meant := self.misspelt(index - 1):
                advice = f"did you mean {meant}?"
                span = Span(span.source, self.tokens[index - 1].start, span.end)
            self.tell(index, "brackets alone do not select anything", advice, "not an index", span=span)
            closing = words.partner.get(index)
            if closing is not None:
                if accepts("VAR"):
                    self.automaton.feed(Piece("VAR", None, self.tokens[index].start, self.tokens[closing].end))
                self.quiet = closing + 1
                return closing + 1
        if kind == "." and accepts("FIELD"):
            return self.stray_point(index)
        if kind == "←":
            advice = "use `←` only in privacy expressions; for a comparison, write a space: `x < -1`"
            self.tell(index, "`←` is not allowed in a sensitivity expression", advice, "not here")
            return self.panic(index)
        if accepts("VAR") and not words.newline_before(index) and (kind == "sλ" or kind in self.reader.prefixes):
            advice = "put the argument in parentheses: `( … )`"
            self.tell(
                index, f"{self.found(index)} needs parentheses as an argument", advice, "not an argument by itself"
            )
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
        self.tell(
            index,
            f"expected `←` after `{name.value}`",
            "write `←` (or `<-`)",
            f"expected `←` before {self.found(index)}",
        )
        self.reader.put("←", index)
        return True

    def no_table(self, index: int) -> int | None:
        """``DataFrame[…]``, where a type stands: no type that a program names has brackets; where the text goes on."""
        name = self.automaton.values[-1] if self.automaton.values else None
        if not isinstance(name, Piece) or name.type != "TYPEVAR" or name.value is None:
            return None
        advice = "write `𝔻𝔽[age : 𝔻, …]` for a data frame, `𝕄 [L∞, U | m, n⋅𝔻]` for a matrix"
        span = Span(self.span(index).source, name.start, name.end)
        self.tell(index, f"nothing is written `{name.value}[…]` in a type", advice, "no table has this name", span=span)
        self.automaton.states.pop()
        self.automaton.values.pop()
        self.reader.put("TYPEVAR", index, hole=True)
        closing = self.words.partner.get(index)
        self.quiet = index + 1 if closing is None else closing + 1
        return self.quiet

    def unbracketed_range(self, index: int) -> int | None:
        """``𝔻 in (0, 120)``, as a range is written elsewhere; where the text goes on."""
        opening = self.kinds[index + 1]
        closing = self.words.partner.get(index + 1)
        if opening not in ("(", "{") or closing is None or self.wording.context("else")[0] != "defaulted":
            return None
        texts = "; of other cells, keep those that you want with mfilter"
        advice = f"write `in [0, 120]` after a number{texts if opening == '{' else ''}"
        self.tell(index + 1, "a range stands in brackets", advice, "expected `[`")
        self.quiet = closing + 1
        return closing + 1

    def stray_point(self, index: int) -> int:
        """A point that no field name follows."""
        before = self.kinds[index - 1]
        if before in ("nat", "decimal"):
            real = before == "decimal"
            message = (
                "a number can have only one decimal point" if real else "a number needs a digit after its decimal point"
            )
            self.tell(index, message, "write `1.0` for `1.`", "expected a digit")
            self.quiet = index + (2 if self.kinds[index + 1] in ("nat", "decimal") else 1)
            return self.quiet
        self.tell(index, "there must be no space around the dot of a field", "write `row.age`", "a space")
        self.quiet = index + 1
        if self.words.is_word(index + 1):
            token = self.tokens[index + 1]
            self.reader.put("FIELD", index)
            self.automaton.feed(Piece("LABEL", token.text, token.start, token.end))
            return index + 2
        return index + 1

    def missing_operand(self, index: int) -> int:
        """An expression should stand here."""
        kind, text = self.kinds[index], self.tokens[index].text
        if index and self.quiet == index - 1 and self.kinds[index - 1] in INFIX_LEVELS:
            # An operator that lacks both its operands is one mistake.
            self.quiet = index
        if kind == "←" and self.automaton.accepts("BOUND"):
            self.tell(
                index, f"expected the name of a variable, found {self.found(index)}", "write a name", "expected a name"
            )
            self.reader.put("BOUND", index, hole=True)
            return index
        if kind == "." and self.words.is_word(index + 1) and self.kinds[index + 2] == ":":
            self.tell(index, "expected `sλ` or `pλ` before `.`", "write `sλ` (or `slam`)", "expected `sλ` before this")
            self.reader.put("sλ", index)
            return index
        if kind == ".":
            advice = "write `0.5` for `.5`"
            self.tell(index, "a number needs a digit before its decimal point", advice, "expected a number")
            self.reader.put("VAR", index, hole=True)
            return index + (2 if self.kinds[index + 1] in ("nat", "decimal") else 1)
        if kind in INFIX and self.words.is_word(index):
            message, advice = f"write `{text}` between its two arguments", f"write `a {text} b`"
            self.tell(index, message, advice, "expected an expression before this")
            self.reader.put("VAR", index, hole=True)
            closing = self.words.partner.get(index + 1)
            self.quiet = index + 1 if closing is None else closing + 1
            return self.quiet
        if self.words.is_word(index) and self.kinds[index + 1] == "←" and self.automaton.accepts("BOUND"):
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
            place = f" after `{before.text}`" if before and before.kind in INFIX_LEVELS else ""
            message = f"expected an expression{place}, found {self.found(index)}"
            advice = _LISTS.get(kind, "write an expression here")
            if kind == "{" and self.words.is_word(index + 1) and self.kinds[index + 2] == ":":
                advice = f"write a record as `{{ {self.tokens[index + 1].text} = … }}`"
            self.tell(index, message, advice, "expected an expression")
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
        return self.kinds[index] in _AROUND

    def missing_type(self, index: int) -> int:
        """A type or a size should stand here."""
        name, position = self.wording.context("TYPEVAR")
        found = self.found(index)
        if (name, position) in SIZED or name == "guarantee":
            message, advice = (
                f"expected a size or a number, found {found}",
                "write a type-level variable, a number or a formula",
            )
            label = "expected a type-level expression"
        elif name == "matrix" and position == 8:
            message, advice = (
                f"expected the columns of `𝕄`, found {found}",
                "columns are `n⋅τ`, `τ₁ ∷ τ₂ ∷ []`, or `name : τ ∷ …`",
            )
            label = "expected columns"
        else:
            message, label = f"expected a type, found {found}", "expected a type"
            advice = "write `⇒` (or `=>`)" if self.kinds[index] == "→" else "write a type"
            if meant := FOREIGN_TYPES.get(self.tokens[index].text.lower()):
                advice = f"write {meant}"
        self.tell(index, message, advice, label)
        self.reader.put("TYPEVAR", index, hole=True)
        if self.goes_on(index):
            return index
        closing = self.words.partner.get(index)
        self.quiet = index + 1 if closing is None else closing + 1
        return self.quiet

    def missing_name(self, index: int) -> int | None:
        """A name should stand here; a reserved word in its place is reported and taken for one. None if it is likelier that a
        sign is missing."""
        terminal = "NAME" if self.automaton.accepts("NAME") else "LABEL"
        token = self.tokens[index]
        name = self.wording.named(terminal)
        what = NAMED.get(name, "a name")
        follows = self.kinds[index + 1]
        is_reserved = terminal == "NAME" and self.words.is_word(index) and token.text in RESERVED
        if is_reserved and (token.kind not in _NO_NAMES or follows in ("=", "←", ":", "⇒")):
            message = f"`{token.text}` is a reserved word and cannot be {what}"
            self.tell(index, message, "choose another name", "reserved", "D0013")
            self.quiet = -1
            self.automaton.feed(Piece("NAME", token.text, token.start, token.end))
            return index + 1
        best = self.best_change(index, [each for each in self.missing_here() if each not in HOLES])
        if best and best.terminals and best.reach > max(1, self.tried((terminal,), index).reach):
            return None
        code = "D0010" if name == "gradient" else "D0005"
        advice = "write a name" if code == "D0005" else "write the name of a loss, such as `LR`"
        if token.kind == "<" and name == "plain":
            advice = ALIGNED
        elif token.kind == "(" and name == "plain":
            advice = "write parameters without parentheses: `pλ xs : τ, ys : τ ⇒ …`"
        self.tell(index, f"expected {what}, found {self.found(index)}", advice, "expected a name", code)
        self.reader.put(terminal, index, hole=True)
        if self.goes_on(index) or self.automaton.accepts(self.kinds[index]):
            return index
        self.quiet = index + 1
        return index + 1
