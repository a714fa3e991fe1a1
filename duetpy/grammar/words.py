"""What a word or a sign can be read as where it stands.

A token has one or more *readings*, terminals of the grammar; the parser takes the first that its state accepts. A word
that the language gained later is a name where the program has bound it: from the place where the binding takes effect
to the end of what it is in effect for. Names of types have a scope of their own.
"""

from __future__ import annotations

from collections.abc import Container
from typing import TypeAlias

from duetpy.grammar.brackets import Paired
from duetpy.grammar.declared import BEFORE_TWO, BRACKETED, DECLARED, INFIX, PREFIXES
from duetpy.grammar.definition import rules
from duetpy.grammar.spelling import OPENERS, RESERVED, SOFT, WORDS
from duetpy.source import Source

Mark: TypeAlias = tuple[int, int]
"""A place to which the scopes can be brought back."""

Reading: TypeAlias = tuple[str, int]
"""A terminal, and how many tokens it is written with."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_RULES = rules()
MECHANISMS = _RULES["mechanism_word"] | _RULES["selection_word"]
CONVERSIONS = _RULES["notion_word"]
SAMPLERS = _RULES["sample_word"]
PRIVATE_FORMS = MECHANISMS | CONVERSIONS | SAMPLERS | _words("return aloop parallel mmapp pmap-col pfld-rows rand-nat")
"""Words that begin a privacy expression."""

VOCABULARY = frozenset(word for word in PRIVATE_FORMS | DECLARED.keys() if len(word) > 2 and word.isascii())
"""What somebody may have meant who misspelt a name."""

_BRACKETED: dict[str, Container[str]] = {
    **dict.fromkeys(MECHANISMS | SAMPLERS | BRACKETED | _words("∇ U∇ row∇ step∇ join₁ ℕ ℝ ℝ⁺"), "["),
    **dict.fromkeys(CONVERSIONS, "[{"),
    "auto": ",]",
    "none": "[",
    "persons": "[",
    "flat": "[",
    "date": ("string",),
    "℘": "{",
    "joinDF₁": "⧼",
    "joinDF": "[⧼",
}
"""Words that mean what they mean in the language only where one of these signs follows; elsewhere they are names."""

_STANDS_BEFORE: dict[str, str] = dict.fromkeys(PREFIXES, "BEFORE_ONE") | dict.fromkeys(BEFORE_TWO, "BEFORE_TWO")
"""The terminals of primitives that the grammar knows by where they stand."""

_NEVER_NAMES = INFIX | _words("def ensures ¬ opaque case sλ pλ")
"""Words that are names in an expression only where the program has bound them."""

_GOES_ON = INFIX | _words("in then else on ensures def")
"""Words that go on with an operand and begin none."""

_NEVER_TYPES = _words("∀ def ensures")
"""The same for types."""

_FUNCTIONS = _words("exp expm1 log1p tanh")

_PLAIN: tuple[Reading, ...] = (("VAR", 1), ("TYPEVAR", 1), ("NAME", 1), ("LABEL", 1))
_LITERALS: dict[str, tuple[Reading, ...]] = {
    "nat": (("NAT", 1),),
    "decimal": (("DECIMAL", 1),),
    "string": (("STRING", 1),),
    "end": (("$END", 1),),
    "bad": (),
}


class Scope:
    """The words of the language that are names here, because the program has bound them."""

    def __init__(self) -> None:
        self.bound: dict[str, int] = {}
        self.trail: list[str] = []

    def bind(self, name: str) -> None:
        if name in WORDS:
            self.trail.append(name)
            self.bound[name] = self.bound.get(name, 0) + 1

    def restore(self, mark: int) -> None:
        while len(self.trail) > mark:
            name = self.trail.pop()
            self.bound[name] -= 1
            if not self.bound[name]:
                del self.bound[name]


class Words:
    """The tokens of a text and what they can be read as.

    Parameters
    ----------
    source, paired
        The text and its tokens, brackets matched.
    names
        Names bound outside of the text, by the files that it imports.
    spelled
        The words and signs of the grammar.
    declares
        Whether the text declares primitives, of which any word or sign may be the name.
    """

    def __init__(
        self, source: Source, paired: Paired, names: frozenset[str], declares: bool, spelled: frozenset[str]
    ) -> None:
        self.source = source
        self.tokens = paired.tokens
        self.partner = paired.partner
        self.kinds = [token.kind for token in paired.tokens] + ["end"] * 3
        self.terms = Scope()
        self.types = Scope()
        self.declares = declares
        self.spelled = spelled
        for name in names:
            self.terms.bind(name)
        self.nowhere = self.mark()
        """The scopes outside of every expression."""
        self.at = 0
        """The token that is being read."""

    # ------------------------------------------------------------------------------------------------- scopes

    def mark(self) -> Mark:
        return len(self.terms.trail), len(self.types.trail)

    def restore(self, mark: Mark) -> None:
        self.terms.restore(mark[0])
        self.types.restore(mark[1])

    def bind(self, name: str) -> None:
        self.terms.bind(name)

    def bind_kind(self, name: str) -> None:
        self.types.bind(name)

    def bind_kind_parameter(self, name: str) -> None:
        """A parameter of ``sλ`` or ``pλ`` that could be a kind variable is one if a point comes before the parameters."""
        if self.before_point():
            self.types.bind(name)

    def keep(self) -> None:
        """What is bound now stays bound to the end of the text."""
        self.nowhere = self.mark()

    def before_point(self) -> bool:
        """Whether a point comes before the parameters here: the types of parameters have one only after ∀."""
        index = self.at
        while True:
            kind = self.kinds[index]
            if kind == ".":
                return True
            # `forall` and its like may be names here: `sλ forall : ℕ . …`.
            if kind in ("⇒", "let", "in", ";", "=", "end", ")", "]", "}", "⟩") or (
                kind in ("∀", "sλ", "pλ") and self.kinds[index + 1] != ":"
            ):
                return False
            if kind in OPENERS:
                closing = self.partner.get(index)
                if closing is None:
                    return False
                index = closing
            index += 1

    # ------------------------------------------------------------------------------------------------- looking

    def touches(self, index: int) -> bool:
        """Whether no space stands between the token and the one before it."""
        return 0 < index < len(self.tokens) and self.tokens[index - 1].end == self.tokens[index].start

    def is_word(self, index: int) -> bool:
        """Whether the token is a name or any word of the language, soft or reserved."""
        if index >= len(self.tokens):
            return False
        text = self.tokens[index].text
        return self.kinds[index] != "string" and text[:1].isalpha() and text != "Real+"

    def is_label(self, index: int) -> bool:
        """Whether the token can name a column: a word, or a text."""
        return self.kinds[index] == "string" or self.is_word(index)

    def heads_line(self, index: int) -> bool:
        """Whether the token stands in the first column."""
        start = self.tokens[index].start
        return start == 0 or self.source.text[start - 1] == "\n"

    def newline_before(self, index: int) -> bool:
        """Whether the token stands on a later line than the one before it."""
        return index > 0 and "\n" in self.source.text[self.tokens[index - 1].end : self.tokens[index].start]

    # ------------------------------------------------------------------------------------------------- readings

    def readings(self, index: int) -> tuple[Reading, ...]:
        """What a token can be read as, the likeliest first."""
        kind = self.kinds[index]
        if self.declares and (found := self._declared(index)):
            return found
        if kind == "name":
            return self._name(index)
        if (literal := _LITERALS.get(kind)) is not None:
            return literal
        if kind in _BY_NEIGHBOURS:
            return self._sign(index, kind)
        if self.is_word(index):
            return self._word(index, kind)
        return ((_STANDS_BEFORE[kind], 1), (kind, 1)) if kind in _STANDS_BEFORE else ((kind, 1),)

    def _declared(self, index: int) -> tuple[Reading, ...]:
        """``prim`` and the name after it, and what begins a line further in."""
        if self.newline_before(index) and not self.heads_line(index) and self.is_word(index):
            return (("FACT", 1),)
        before = self.tokens[index - 1].text if index else ""
        if before == "prim" or (before == "(" and self.tokens[index - 2].text == "prim"):
            return (("(", 1),) if self.kinds[index] == "(" and before != "(" else (("PRIMITIVE", 1),)
        return (("prim", 1),) if self.tokens[index].text == "prim" else ()

    def _name(self, index: int) -> tuple[Reading, ...]:
        follows = self.kinds[index + 1]
        if follows == "←":
            return (("BOUND", 1), *_PLAIN)
        if follows in (":", "="):
            return (("LABEL", 1), *_PLAIN)
        text = self.tokens[index].text
        if follows == "(" and text in _FUNCTIONS:
            return (("FUNCTION", 1), *_PLAIN)
        if text in self.spelled and not self.declares:
            return ((text, 1), *_PLAIN)
        return _PLAIN

    def _word(self, index: int, kind: str) -> tuple[Reading, ...]:
        text, follows = self.tokens[index].text, self.kinds[index + 1]
        soft = text in SOFT
        found: list[str] = []
        if follows == "←" and (soft or text in self.terms.bound):
            found.append("BOUND")
        if follows in (":", "="):
            found.append("LABEL")
        if text in self.terms.bound:
            found.append("VAR")
        if text in self.types.bound:
            found.append("TYPEVAR")
        elif follows == "(" and text in _FUNCTIONS:
            found.append("FUNCTION")
        if soft and kind in _BRACKETED and follows not in _BRACKETED[kind]:
            found.append("VAR")
        if self._can_be_itself(kind, index):
            # Roots and logarithms are also written in types, where the grammar spells them.
            found += [_STANDS_BEFORE[kind], kind] if kind in _STANDS_BEFORE else [kind]
        if soft:
            if kind not in _NEVER_NAMES and kind not in PRIVATE_FORMS:
                found.append("VAR")
            if kind not in _NEVER_TYPES:
                found.append("TYPEVAR")
        if text not in RESERVED or text in self.terms.bound:
            found.append("NAME")
        found.append("LABEL")
        return tuple((terminal, 1) for terminal in found)

    def _can_be_itself(self, kind: str, index: int) -> bool:
        """Whether what follows does not show that the word is a name."""
        match kind:
            case "notion":
                return index == 0 and self.is_word(1) and self.kinds[1] != "in"
            case "import":
                return self.kinds[index + 1] not in ("=", "←")
            case "static":
                return self.is_word(index + 1)
            case _:
                return True

    def _sign(self, index: int, kind: str) -> tuple[Reading, ...]:
        """A sign that is read by what stands next to it."""
        follows = self.kinds[index + 1]
        plain = (kind, 1)
        match kind:
            case "." if (
                self.touches(index) and self.touches(index + 1) and (follows == "[" or self.is_label(index + 1))
            ):
                return (("FIELD", 1), plain)
            case "★" if self.tokens[index].text == "?":
                # Where a number of rows begins no type has been read, so only one of the two can be meant.
                return (("?", 1), plain)
            case "-" if self.touches(index + 1):
                if follows in ("nat", "decimal"):
                    return (("NEGATIVE", 1), plain)
                if self.tokens[index + 1].text == "o":
                    star = self.tokens[index + 2].text == "*" and self.touches(index + 2)
                    return (("⊸⋆", 3) if star else ("⊸", 2), plain)
            case "<":
                return self._less(index)
            case "," if self.is_word(index + 1) and self.kinds[index + 2] == "≤":
                return (("ALSO", 1), plain)
            case "in":
                # No expression begins with a bracket, so that before one it is no `in` of a `let`.
                return ((("WITHIN", 1),) if follows == "[" else ()) + self._word(index, kind)
            case "[" if self._is_called(index):
                return (("CALLED", 1), plain)
            case "{" if self.is_label(index + 1) and self.kinds[index + 2] == "=" and follows != "let":
                # A release has no place in a record: `then { x = laplace…` lacks an arrow.
                is_release = self.kinds[index + 3] in PRIVATE_FORMS
                return (plain, ("FIELDS", 1)) if is_release else (("FIELDS", 1), plain)
            case "ℝ":
                if follows == "+" and self.touches(index + 1) and self.kinds[index + 2] in ".,⇒":
                    return (("ℝ⁺", 2), *self._word(index, kind))
                return self._word(index, kind)
            case _:
                pass
        return (plain,)

    def _is_called(self, index: int) -> bool:
        """Whether a bracket may be that of ``f[a, b] e``: a name is before it, and behind it something that is applied to."""
        closing = self.partner.get(index)
        if closing is None or index == 0 or not (self.touches(index) and self.is_word(index - 1)):
            return False
        return self.kinds[closing + 1] == "(" or (self.is_word(closing + 1) and self.kinds[closing + 1] not in _GOES_ON)

    def _less(self, index: int) -> tuple[Reading, ...]:
        """``<``, which opens the list of private names, ``<xs, ys>``, where names and ``>`` follow."""
        last = index + 1
        while self.is_word(last) and self.kinds[last + 1] == ",":
            last += 2
        last += self.is_word(last)
        if self.kinds[last] != ">":
            return ("<", 1), ("LISTED", 1)
        return (("LISTED", 1),) if self.kinds[last + 1] == "{" else (("LISTED", 1), ("<", 1))


_BY_NEIGHBOURS = frozenset((*".-<,{[ℝ★", "in"))
