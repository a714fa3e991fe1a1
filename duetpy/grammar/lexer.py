"""Source text → tokens, with a diagnostic for everything that is not a token.

Tokens are found by longest match. The result always ends in one token of kind ``end``. A stretch of text that is not a
token becomes one token of kind ``bad`` (and one diagnostic), so that the parser need not report it again.

A name is a letter followed by letters, numbers, ``_``, ``'`` and ``′``; a hyphen continues it when a letter follows, so
``derived-map`` is a name and ``x-1`` a subtraction. Names are compared in Unicode normal form C.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.grammar.foreign import FOREIGN_CHARACTERS, FOREIGN_COMMENTS
from duetpy.grammar.spelling import FOLDED_LETTERS, LOOKALIKE_LETTERS, MISTAKEN_SIGNS, SIGNS, TWINS, WORDS
from duetpy.grammar.texts import told
from duetpy.source import Source, Span

MAX_DIGITS = 40
"""A numeral may have so many digits: far more than any data needs, few enough that arithmetic stays cheap."""

MAX_EXPONENT = 400
"""A numeral's exponent may be so large either way, which covers every finite double."""


class Token(NamedTuple):
    """One token.

    Parameters
    ----------
    kind
        ``name``, ``nat``, ``decimal``, ``string``, ``bad``, ``end``, or the Unicode spelling of a word or sign.
    text
        The text: of a name in normal form, of a number without ``_``, of a string with its escapes resolved.
    start, end
        The half-open interval of code points.
    """

    kind: str
    text: str
    start: int
    end: int


_NAME_TAIL = r"[\w'′\u0300-\u036f]"

SIGNED_WORDS: dict[str, str] = {
    **dict.fromkeys(("ℝ⁺", "L∞", "U∇", "row∇", "step∇", "☆K", "sλ", "pλ"), ""),
    "𝐝": "(?=[ℕℝ𝔻𝔹𝕊𝕀𝕄])",
    "Real+": r"(?=\s*(?:[\[,.⇒]|=>|--|\{-))",
}
"""Words that hold a sign, and words that a following letter does not continue ↦ what must follow."""

_TOKEN = re.compile(
    r"(?P<skip>\s+|--[^\n]*)"
    rf"|(?P<word>{'|'.join(re.escape(word) + follows for word, follows in SIGNED_WORDS.items())})"
    # `Real-o[1]` holds the ASCII spelling of ⊸, so that hyphen continues no name.
    rf"|(?P<name>[^\W\d_]{_NAME_TAIL}*(?:-(?!o\s*\[)(?=[^\W\d_]){_NAME_TAIL}+)*)"
    r"|(?P<number>[0-9]+(?:_[0-9]+)*(?P<fraction>\.[0-9]+(?:_[0-9]+)*)?(?P<exponent>[eE][+-]?[0-9]+)?(?P<junk>\w*))"
    r'|(?P<string>"(?:[^"\\\n]|\\[^\n])*")'
    r"|(?P<comment>\{-)"
    rf"|(?P<sign>{'|'.join(re.escape(sign) for sign in sorted(SIGNS, key=len, reverse=True))})"
    r"|(?P<other>.)",
    re.DOTALL,
)
_QUOTED = re.compile(r"'[^'\"\\\n]*'")
_COMMENT_MARK = re.compile(r"\{-|-\}")
_ESCAPE = re.compile(r"\\(u\{[0-9A-Fa-f]{1,6}\}|.)")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\"}
_TYPEFACE = re.compile("(?![𝐝𝔹𝔻𝔽𝕀𝕄𝕊])[\U0001d400-\U0001d7ff]")
"""Mathematical Alphanumeric Symbols, such as italics, but for those of which the language makes words."""
_KIND = re.compile(r"☆\w*")
"""After a colon, what is meant for the kind of types."""
_REORDERING = re.compile("[\u202a-\u202e\u2066-\u2069]")
_ENDING = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029]")
"""Characters that end a line, or move the cursor, where a text is displayed; in a program they do not."""


def tokenize(source: Source) -> tuple[list[Token], list[Diagnostic]]:
    """The tokens of a text and what is wrong with its spelling."""
    lexer = _Lexer(source)
    lexer.read()
    return lexer.tokens, lexer.diagnostics


def in_ascii(tokens: Sequence[Token], text: str) -> bool:
    """Whether a program is written in ASCII: its signs are, whatever its names, strings and comments are."""
    return all(text[token.start : token.end].isascii() for token in tokens if token.kind not in ("name", "string"))


def spells_ascii(tokens: Sequence[Token], text: str) -> bool:
    """Whether a text writes signs, and all of them in ASCII."""
    writes = any(TWINS.get(token.kind) == text[token.start : token.end] for token in tokens)
    return writes and in_ascii(tokens, text)


class _Lexer:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.text = source.text
        self.tokens: list[Token] = []
        self.diagnostics: list[Diagnostic] = []
        self.names: dict[str, tuple[str, str]] = {}
        """A name as written ↦ its kind and its normal form."""
        self.is_misleading = any(sign.search(source.text) for sign in (_REORDERING, _ENDING))

    def read(self) -> None:
        text, names, append, match = self.text, self.names, self.tokens.append, _TOKEN.match
        at = 1 if text.startswith("\ufeff") else 0
        while (found := match(text, at)) is not None:
            start, at = at, found.end()
            match found.lastgroup:
                case "skip":
                    if text.startswith("--", start):
                        self.check_comment(start, at)
                case "name":
                    written = found.group()
                    kind, name = names.get(written) or self.name(written, start)
                    append(Token(kind, name, start, at))
                case "sign":
                    written = found.group()
                    if written in FOREIGN_COMMENTS and FOREIGN_COMMENTS[written].match(text, start):
                        at = self.foreign_comment(written, start)
                        continue
                    append(Token(SIGNS[written], written, start, at))
                case "word":
                    written = found.group()
                    append(Token("ℝ⁺" if written == "Real+" else written, written, start, at))
                case "string":
                    append(self.string(found.group(), start, at))
                case "comment":
                    at = self.block_comment(start)
                case "other":
                    at = self.other(start)
                case _:
                    append(self.number(found, start, at))
        end = self.tokens[-1].end if self.tokens else 0
        append(Token("end", "", end, end))

    # ------------------------------------------------------------------------------------------------- names

    def name(self, written: str, start: int) -> tuple[str, str]:
        """Kind and normal form of a name met for the first time."""
        name = written
        if not name.isascii():
            import unicodedata

            name = unicodedata.normalize("NFC", name).translate(FOLDED_LETTERS)
            # Letters of a typeface are other letters to a program, and the same ones to a reader.
            plain = _TYPEFACE.sub(lambda letter: unicodedata.normalize("NFKC", letter.group()), name)
            self.check_letters(name, plain.translate(FOLDED_LETTERS), written, start)
        result = (WORDS.get(name, "name"), name)
        self.names[written] = result
        return result

    def check_letters(self, name: str, plain: str, written: str, start: int) -> None:
        end = start + len(written)
        if not name[0].isalpha():
            self.report("name_begins_with", start, end, name[0])
            return
        if mark := next((c for c in name if not (c.isalnum() or c in "_-'′")), None):
            self.report("name_contains", start, end, written, f"{ord(mark):04X}")
            return
        looks = plain.translate(LOOKALIKE_LETTERS)
        is_foreign = not any(c.isascii() and c.isalpha() for c in name) and _has_foreign_letter(looks)
        if plain != name or (looks != name and not is_foreign):
            odd = next(c for c in name if ord(c) in LOOKALIKE_LETTERS or _TYPEFACE.match(c))
            self.report("looks_like", start, end, name, looks, odd, f"{ord(odd):04X}")

    # ------------------------------------------------------------------------------------------------- literals

    def number(self, found: re.Match[str], start: int, end: int) -> Token:
        if junk := found.group("junk"):
            written = found.group()[: -len(junk)]
            advice = f"write `{written} ⋅ {junk}` for a product" if junk[0].isalpha() else "write digits only"
            self.report("number_with_letters", start, end, found.group(), advice)
            return Token("bad", "", start, end)
        text = found.group().replace("_", "")
        exponent = found.group("exponent") or ""
        digits = len(text) - len(exponent) - (found.group("fraction") is not None)
        power = exponent[1:].lstrip("+-").lstrip("0")
        if digits > MAX_DIGITS or len(power) > 3 or int(power or 0) > MAX_EXPONENT:
            self.report("number_too_long", start, end, MAX_DIGITS, MAX_EXPONENT)
            return Token("bad", "", start, end)
        return Token("decimal" if exponent or found.group("fraction") else "nat", text, start, end)

    def string(self, written: str, start: int, end: int) -> Token:
        self.check_comment(start, end)
        wrong: list[str] = []

        def resolve(escape: re.Match[str]) -> str:
            code = escape.group(1)
            if code in _ESCAPES:
                return _ESCAPES[code]
            if len(code) > 1 and (point := int(code[2:-1], 16)) < 0x110000 and not 0xD800 <= point < 0xE000:
                return chr(point)
            wrong.append(escape.group())
            return ""

        value = _ESCAPE.sub(resolve, written[1:-1])
        if wrong:
            known = r"the escapes are `\n`, `\t`, `\r`, `\"`, `\\` and `\u{hex}`"
            self.report("no_escape", start, end, wrong[0], known)
        return Token("string", value, start, end)

    # ------------------------------------------------------------------------------------------------- the rest

    def block_comment(self, start: int) -> int:
        """Skip a comment, which may hold others; where the text goes on."""
        depth, at = 1, start + 2
        while depth:
            mark = _COMMENT_MARK.search(self.text, at)
            if mark is None:
                self.report("open_comment", start, start + 2)
                self.tokens.append(Token("bad", "", start, start + 2))
                return len(self.text)
            depth += 1 if mark.group() == "{-" else -1
            at = mark.end()
        self.check_comment(start, at)
        return at

    def foreign_comment(self, written: str, start: int) -> int:
        """Skip a comment as other languages write it, which is reported; where the text goes on."""
        line_end = self.text.find("\n", start)
        end = len(self.text) if line_end == -1 else line_end
        self.report("foreign_comment", start, end, written if written == "#" else "//")
        return end

    def check_comment(self, start: int, end: int) -> None:
        """Warn of characters that make a text read otherwise than it is shown (Boucher, Anderson 2021)."""
        if not self.is_misleading:
            return
        if hidden := _REORDERING.search(self.text, start, end):
            self.report("reordering", hidden.start(), hidden.end(), f"{ord(hidden.group()):04X}")
        if hidden := _ENDING.search(self.text, start, end):
            self.report("ending", hidden.start(), hidden.end(), f"{ord(hidden.group()):04X}")

    def other(self, start: int) -> int:
        """One character that starts no token; where the text goes on."""
        char = self.text[start]
        if char == '"':
            line_end = self.text.find("\n", start)
            end = len(self.text) if line_end == -1 else line_end
            self.report("open_text", start, end)
            self.tokens.append(Token("bad", "", start, end))
            return end
        if (kind := _KIND.match(self.text, start)) and self.tokens and self.tokens[-1].kind == ":":
            self.report("kind_of_types", start, kind.end(), kind.group())
            self.tokens.append(Token("☆K", "☆K", start, kind.end()))
            return kind.end()
        if meant := MISTAKEN_SIGNS.get(char):
            self.report("mistaken_sign", start, start + 1, char, f"{ord(char):04X}", meant, f"{ord(meant[0]):04X}")
            self.tokens.append(Token(meant, meant, start, start + 1))
            return start + 1
        if char == "'" and (quoted := _QUOTED.match(self.text, start)):
            self.report("no_token", start, quoted.end(), "`'`", f"{ord(char):04X}", FOREIGN_CHARACTERS[char])
            self.tokens.append(Token("string", quoted.group()[1:-1], start, quoted.end()))
            return quoted.end()
        end = start + 1
        last = self.tokens[-1] if self.tokens else None
        if last and last.kind == "bad" and last.end == start:
            self.tokens[-1] = Token("bad", "", last.start, end)
            return end
        self.tokens.append(Token("bad", "", start, end))
        shown = f"`{char}`" if char.isprintable() else "an invisible character"
        advice = "a name starts with a letter" if char == "_" else FOREIGN_CHARACTERS.get(char, "remove it")
        self.report("no_token", start, end, shown, f"{ord(char):04X}", advice)
        return end

    def report(self, name: str, start: int, end: int, *values: object) -> None:
        self.diagnostics.append(told(name, Span(self.source, start, end), *values))


def _has_foreign_letter(name: str) -> bool:
    return any(c.isalpha() and not c.isascii() for c in name)
