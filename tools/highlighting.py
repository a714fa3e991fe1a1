"""Writes the colours of the editors from the grammar: ``python tools/highlighting.py``.

``editors/vscode/syntaxes/duet.tmLanguage.json`` is a TextMate grammar, ``editors/vim/syntax/duet.vim`` a syntax file. Both say what
`duetpy.highlight.classes` says; a word that is added to ``duet.lark`` or ``prelude.duet`` comes in by running this again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path

from duetpy.grammar.lexer import SIGNED_WORDS
from duetpy.highlight.classes import Shown, spellings

ROOT = Path(__file__).parents[1]
TEXTMATE = ROOT / "editors" / "vscode" / "syntaxes" / "duet.tmLanguage.json"
VIM = ROOT / "editors" / "vim" / "syntax" / "duet.vim"


_IS_PLAIN = re.compile(r"(?![sp]λ)[\w-]+")
"""Words that no pattern reads as anything else."""


def words() -> dict[Shown, list[str]]:
    """The words of each class that are words where no name goes on behind them, the longest first."""
    found: dict[Shown, list[str]] = {}
    for word, shown in sorted(spellings().items(), key=lambda item: (-len(item[0]), item[0])):
        if is_word(word) and _IS_PLAIN.fullmatch(word):
            found.setdefault(shown, []).append(word)
    return found


def signs() -> Iterator[tuple[Shown, list[str]]]:
    """The signs, the longest first, in runs of one class."""
    longest = sorted(
        (item for item in spellings().items() if not is_word(item[0])),
        key=lambda item: (-len(item[0]), item[1].value, item[0]),
    )
    for shown, run in groupby(longest, key=lambda item: item[1]):
        yield shown, [sign for sign, _ in run]


def is_word(text: str) -> bool:
    return text[0].isalpha() or text in SIGNED_WORDS


# ---------------------------------------------------------------------------------------------------------------------
# TextMate

LETTER = r"\p{L}"
TAIL = r"[\p{L}\p{N}\p{M}_'′]"
NAME = rf"{LETTER}{TAIL}*(?:-(?!o\s*\[){LETTER}{TAIL}*)*"
_ENDS = rf"(?!{TAIL}|-(?!o\s*\[){LETTER})"

_SCOPES: dict[Shown, str] = {
    Shown.MECHANISM: "support.function.mechanism.duet",
    Shown.CONSTANT: "constant.language.duet",
    Shown.PRIMITIVE: "support.function.duet",
    Shown.TYPE: "support.type.duet",
    Shown.DECLARATION: "storage.type.duet",
    Shown.KEYWORD: "keyword.control.duet",
    Shown.OPERATOR: "keyword.operator.duet",
    Shown.PUNCTUATION: "punctuation.duet",
}


def textmate() -> str:
    """The TextMate grammar, as JSON."""
    block = {"name": "comment.block.duet", "begin": r"\{-", "end": r"-\}", "patterns": [{"include": "#block"}]}
    patterns: list[Mapping[str, object]] = [
        {"include": "#block"},
        {"name": "comment.line.double-dash.duet", "match": "--.*$"},
        {"name": "string.quoted.double.duet", "match": r'"(?:[^"\\]|\\.)*"'},
        {"name": "constant.numeric.duet", "match": r"[0-9]+(?:_[0-9]+)*(?:\.[0-9]+(?:_[0-9]+)*)?(?:[eE][+-]?[0-9]+)?"},
        {
            "match": rf"(?<=[^\s])(\.)({NAME})",
            "captures": {"1": {"name": _SCOPES[Shown.PUNCTUATION]}, "2": {"name": "variable.other.member.duet"}},
        },
        *({"name": _SCOPES[spellings()[word]], "match": _signed(word)} for word in SIGNED_WORDS),
        *({"name": _SCOPES[shown], "match": f"(?:{'|'.join(each)}){_ENDS}"} for shown, each in words().items()),
        {"name": "variable.other.duet", "match": NAME},
        {"name": _SCOPES[Shown.OPERATOR], "match": rf"-o\*?(?!{TAIL})"},
        *({"name": _SCOPES[shown], "match": "|".join(map(re.escape, each))} for shown, each in signs()),
    ]
    grammar = {
        "$schema": "https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json",
        "name": "Duet",
        "scopeName": "source.duet",
        "fileTypes": ["duet"],
        "patterns": patterns,
        "repository": {"block": block},
    }
    return json.dumps(grammar, ensure_ascii=False, indent=2) + "\n"


def _signed(word: str) -> str:
    return re.escape(word) + SIGNED_WORDS[word]


# ---------------------------------------------------------------------------------------------------------------------
# Vim

_VIM_LETTER = "[A-Za-zÀ-ÖØ-öø-ɏͰ-ϿЀ-ӿḀ-ỿ]"
_VIM_TAIL = "[A-Za-z0-9_'′₀-₉À-ÖØ-öø-ɏͰ-ϿЀ-ӿḀ-ỿ]"
_VIM_NAME = rf"{_VIM_LETTER}{_VIM_TAIL}*\%(-\%(o\s*\[\)\@!{_VIM_LETTER}{_VIM_TAIL}*\)*"
_VIM_ENDS = rf"\%({_VIM_TAIL}\|-\%(o\s*\[\)\@!{_VIM_LETTER}\)\@!"
_VIM_FOLLOWS = {"𝐝": r"\ze[ℕℝ𝔻𝔹𝕊𝕀𝕄]", "Real+": r"\ze\s*\%([[,.⇒]\|=>\|--\|{-\)"}

_GROUPS: dict[Shown, tuple[str, str]] = {
    Shown.MECHANISM: ("duetMechanism", "Special"),
    Shown.CONSTANT: ("duetConstant", "Constant"),
    Shown.PRIMITIVE: ("duetPrimitive", "Function"),
    Shown.TYPE: ("duetType", "Type"),
    Shown.DECLARATION: ("duetDeclaration", "StorageClass"),
    Shown.KEYWORD: ("duetKeyword", "Keyword"),
    Shown.OPERATOR: ("duetOperator", "Operator"),
    Shown.PUNCTUATION: ("duetPunctuation", "Delimiter"),
}

_VIM_HEAD = """\
" Vim syntax file. Language: Duet, the programs of duetpy. Written by tools/highlighting.py from the grammar.
if exists("b:current_syntax")
  finish
endif
scriptencoding utf-8
syntax case match
"""

_VIM_TAIL_OF_FILE = """\
syntax match duetNumber "\\d\\+\\%(_\\d\\+\\)*\\%(\\.\\d\\+\\%(_\\d\\+\\)*\\)\\?\\%([eE][+-]\\?\\d\\+\\)\\?"
syntax match duetString "\\"\\%([^\\"\\\\]\\|\\\\.\\)*\\""
syntax match duetComment "--.*$"
syntax region duetComment start="{-" end="-}" contains=duetComment
syntax sync fromstart
"""

_VIM_LINKS = {"duetName": "Identifier", "duetField": "Identifier", "duetNumber": "Number", "duetString": "String"}


def vim() -> str:
    """The syntax file. Of matches that begin at one place Vim takes the one that is defined last."""
    lines = [_match(_GROUPS[shown][0], r"\|".join(map(_vim_escaped, each))) for shown, each in reversed(list(signs()))]
    lines.append(_match("duetOperator", rf"-o\*\?{_VIM_TAIL}\@!"))
    lines.append(_match("duetName", _VIM_NAME))
    for shown, each in words().items():
        either = r"\|".join(each)
        lines.append(_match(_GROUPS[shown][0], rf"\%({either}\){_VIM_ENDS}"))
    for word in SIGNED_WORDS:
        lines.append(_match(_GROUPS[spellings()[word]][0], _vim_escaped(word) + _VIM_FOLLOWS.get(word, "")))
    lines.append(_match("duetField", rf"\S\@1<=\.{_VIM_NAME}"))
    links = {**dict(_GROUPS.values()), **_VIM_LINKS, "duetComment": "Comment"}
    linked = [f"highlight default link {group} {shown}" for group, shown in links.items()]
    end = 'let b:current_syntax = "duet"\n'
    return (
        _VIM_HEAD
        + "".join(f"{line}\n" for line in lines)
        + _VIM_TAIL_OF_FILE
        + "".join(f"{line}\n" for line in linked)
        + end
    )


def _match(group: str, pattern: str) -> str:
    return f'syntax match {group} "{pattern}"'


def _vim_escaped(text: str) -> str:
    return re.sub(r'([\\*.\[\]~^$"/])', r"\\\1", text)


if __name__ == "__main__":
    TEXTMATE.write_text(textmate(), encoding="utf-8")
    VIM.write_text(vim(), encoding="utf-8")
