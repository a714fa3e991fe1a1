"""What columns and fields are called: words as they are, other texts in quotation marks."""

from __future__ import annotations

from functools import lru_cache

from duetpy.diagnostics.display import visible
from duetpy.grammar.lexer import tokenize
from duetpy.source import Source

LONGEST = 200
"""A text that names a column has so many signs at most."""

_ESCAPES = {"\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


def quoted(text: str) -> str:
    """A text as the lexer reads it."""
    return '"' + "".join(_ESCAPES.get(c) or (c if c.isprintable() else f"\\u{{{ord(c):X}}}") for c in text) + '"'


@lru_cache(maxsize=4096)
def label_text(name: str) -> str:
    """The name of a column as a program writes it."""
    tokens, problems = tokenize(Source("", name))
    is_word = not problems and [token.text for token in tokens] == [name, ""] and name[:1].isalpha()
    return name if is_word and name != "Real+" and tokens[0].kind != "string" else quoted(name)


def fault_of(text: str) -> str | None:
    """What keeps a text from being the name of a column; None if it can be one."""
    if not text:
        return "is empty"
    if text != text.strip():
        return "begins or ends with a space"
    if visible(text) != text:
        return "contains an invisible character"
    return f"has more than {LONGEST} characters" if len(text) > LONGEST else None
