"""What each word and sign of the language is shown as, read off the grammar and the prelude.

A rule of ``duet.lark`` says what the words in it are: those of ``mechanism_word`` are mechanisms, those of ``tatom`` types. So a
word that is added to the grammar or to the prelude has its colour in every editor.
"""

from __future__ import annotations

from enum import Enum
from functools import cache

from duetpy.grammar.declared import DECLARED
from duetpy.grammar.definition import rules
from duetpy.grammar.spelling import CLOSERS, OPENERS, SIGNS, WORDS


class Shown(Enum):
    """The classes of words and signs, and of what else a program consists of."""

    MECHANISM = "mechanism"
    CONSTANT = "constant"
    PRIMITIVE = "primitive"
    TYPE = "type"
    DECLARATION = "declaration"
    KEYWORD = "keyword"
    OPERATOR = "operator"
    PUNCTUATION = "punctuation"
    NAME = "name"
    COLUMN = "column"
    NATURAL = "natural"
    DECIMAL = "decimal"
    STRING = "string"
    WRONG = "wrong"
    COMMENT = "comment"
    LONG_COMMENT = "long-comment"
    SPACE = "space"


_BY_RULE: dict[Shown, tuple[str, ...]] = {
    Shown.CONSTANT: ("literal", "absent", "setting"),
    Shown.PRIMITIVE: ("map_word", "bracketed_word", "gradient_word", "operand", "prefix_word"),
    Shown.TYPE: (
        "number_word",
        "tatom",
        "tprefixed",
        "record_word",
        "norm",
        "clip_bound",
        "length",
        "kind",
        "quantifier",
    ),
    Shown.KEYWORD: ("greedy", "atom"),
    Shown.MECHANISM: ("mechanism_word", "selection_word", "sample_word", "pmap_word", "notion_word", "private"),
    Shown.DECLARATION: ("notion", "import_", "defined", "bound", "lambda_", "plambda", "param", "ensures"),
}
"""The rules whose words belong to each class; of a word in several, the first class counts."""

_LIKE_WORDS = frozenset("∇℘∀★∞√㏒")
"""Signs that stand where words do; all others are operators or punctuation."""

_CONSTANTS = frozenset({"∞"})
_PUNCTUATION = frozenset({",", ";", ":", ".", "#", "@", "|"}) | OPENERS.keys() | CLOSERS.keys()


@cache
def classes() -> dict[str, Shown]:
    """Each kind of token (the Unicode spelling of a word or sign) with its class."""
    return {kind: _class(kind) for kind in sorted({*WORDS.values(), *SIGNS.values()})}


def _class(kind: str) -> Shown:
    if kind in _CONSTANTS:
        return Shown.CONSTANT
    if kind in _PUNCTUATION:
        return Shown.PUNCTUATION
    if kind not in _LIKE_WORDS and not any(letter.isalpha() for letter in kind):
        return Shown.OPERATOR
    if kind in DECLARED:
        return Shown.PRIMITIVE
    spelled = rules()
    return next(
        (shown for shown, names in _BY_RULE.items() if any(kind in spelled[name] for name in names)), Shown.KEYWORD
    )


@cache
def spellings() -> dict[str, Shown]:
    """Each word and sign as programs write it, in both spellings, with its class."""
    known = classes()
    return {written: known[kind] for written, kind in (WORDS | SIGNS | {"Real+": "ℝ⁺"}).items()}
