"""Texts and files that nobody meant: mutated programs, words in any order, bytes, mutated data."""

import random
from pathlib import Path

from duetpy.diagnostics.error import DuetError
from duetpy.grammar.parser import parse_file
from duetpy.grammar.spelling import SIGNS, WORDS
from duetpy.program import parse
from duetpy.runtime.sources.csv import CsvFile
from duetpy.runtime.sources.survey import survey
from duetpy.runtime.sources.table import ColumnSpec, Kind
from duetpy.source import Source

ROOT = Path(__file__).parents[2]
SPECIMENS = [
    path.read_text(encoding="utf-8")
    for folder in ("examples", "tests/grammar/programs")
    for path in sorted((ROOT / folder).rglob("*.duet"))
]
PIECES = [
    *sorted(WORDS),
    *sorted(SIGNS),
    "x",
    "xs",
    "m",
    "ε",
    "0",
    "1",
    "2.5",
    "1e-6",
    "1e999",
    "1e99999999",
    "9" * 60,
    '"s"',
    "\n",
    "-- c\n",
    "𝕄",
    "★",
]
COMMON = [
    *[
        "x",
        "ε",
        "0",
        "2.5",
        "←",
        "⇒",
        "=",
        ":",
        "(",
        ")",
        "{",
        "}",
        "⟨",
        "⟩",
        "[",
        "]",
        "<",
        ">",
        ",",
        ".",
        ";",
        "+",
        "-",
        "⋅",
        "/",
        "≤",
        "sλ",
        "pλ",
    ],
    "let",
    "in",
    "if",
    "then",
    "else",
    "row.age",
]
SHARP = "([{⟨)]}⟩;:,.-<>|\"'\u202e\u0000ℝ𝟙\ud7ff\ufeff\n"


def a_text(dice: random.Random) -> str:
    """A program or a piece of one with a few mistakes, words in any order, or no text at all."""
    kind = dice.random()
    if kind < 0.65:
        text = dice.choice(SPECIMENS)
        if kind < 0.64:
            text = _excerpt(text, dice)
        for _ in range(dice.randint(1, 5)):
            at, width = dice.randrange(len(text) + 1), dice.randint(0, 12)
            new = dice.choice(["", dice.choice(PIECES), dice.choice(SHARP), text[at : at + width] * 2])
            text = text[:at] + new + text[at + width :]
        return text
    if kind < 0.85:
        return " ".join(dice.choice(PIECES) for _ in range(dice.randint(0, 40 if kind < 0.84 else 200)))
    if kind < 0.93:
        deep = 3000 if kind < 0.8502 else 40
        return dice.choice("([{") * dice.randint(1, deep) + dice.choice(["", "x", ")" * 50])
    return dice.randbytes(dice.randint(0, 100)).decode(dice.choice(["latin-1", "utf-8"]), errors="replace")


def _excerpt(text: str, dice: random.Random) -> str:
    """A few lines: in a small text more of the mistakes fall on each other."""
    lines = text.splitlines(keepends=True)
    start = dice.randrange(len(lines))
    return "".join(lines[start : start + dice.randint(1, 3)])[: dice.randint(20, 200)]


def a_few_words(dice: random.Random) -> str:
    """Words in any order, half of them those that most mistakes are about."""
    return " ".join(dice.choice(PIECES if dice.random() < 0.5 else COMMON) for _ in range(dice.randint(2, 9)))


def parsed(text: str) -> None:
    """No exception but a fault of the parser leaves here."""
    parse_file(Source("<fuzz>", text))


def checked(text: str) -> None:
    """The same through the checker and the prices."""
    parse(text, name="fuzz.ed.duet").state()


def a_data_file(dice: random.Random) -> bytes:
    """A file of any bytes, or one that was once a table."""
    if dice.random() < 0.3:
        return dice.randbytes(dice.randint(0, 300))
    pieces = [
        b"1",
        b"-2.5",
        b"1e5",
        b"x",
        b'"',
        b",",
        b",",
        b",",
        b"\n",
        b"\n",
        b"\r\n",
        b"\x00",
        b"\xff",
        b"\xef\xbb\xbf",
        b"age",
        b"nan",
    ]
    return b"".join(dice.choice(pieces) for _ in range(dice.randint(0, 80)))


COLUMNS = (
    ColumnSpec("age", Kind.REAL),
    ColumnSpec("count", Kind.NAT, below=7),
    ColumnSpec("name", Kind.TEXT),
    ColumnSpec("vip", Kind.BOOL),
)


def loaded(path: Path, content: bytes, dice: random.Random) -> bool:
    """Whether the file was taken; refused is the only other end."""
    path.write_bytes(content)
    columns = dice.choice([COLUMNS, COLUMNS[:2], ColumnSpec(None, Kind.REAL)])
    try:
        survey(path, dice.choice(["auto", "yes", "no"]))
        CsvFile(str(path), columns, dice.choice(["auto", "yes", "no"]), None, dice.choice(["refuse", "default"])).read()
    except DuetError:
        return False
    return True
