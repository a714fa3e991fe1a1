"""The words of ``duet.lark``, read off its text: the lexer needs them before there is a parser."""

from __future__ import annotations

import re
from functools import cache
from os import PathLike
from os.path import dirname

HERE = dirname(__file__)
GRAMMAR = f"{HERE}/duet.lark"

_COMMENT = re.compile(r"^//.*$", re.MULTILINE)
_RULE = re.compile(r"^\??(\w+):((?:.*\n)(?:[ \t]+.*\n)*)", re.MULTILINE)
_QUOTED = re.compile(r'"([^"]+)"')

OF_THE_PRELUDE = "declaration"
"""The rule of declarations, whose words do not occur in programs."""


def text_of(file: str | PathLike[str]) -> str:
    """The text of a file that comes with the package."""
    with open(file, encoding="utf-8") as opened:
        return opened.read()


@cache
def rules() -> dict[str, frozenset[str]]:
    """What each rule spells, by its name."""
    text = _COMMENT.sub("", text_of(GRAMMAR))
    return {found[1]: frozenset(_QUOTED.findall(found[2])) for found in _RULE.finditer(text)}


def spelled() -> frozenset[str]:
    """Every word and sign that a program may be written with."""
    return frozenset().union(*(words for name, words in rules().items() if name != OF_THE_PRELUDE))
