"""CSV files: one changed line changes one record, and no message holds a cell."""

import csv
import io
import random

import pytest

from duetpy.diagnostics.error import DuetError
from duetpy.runtime.sources import opening, records
from duetpy.runtime.sources.column_selection import parse_selection
from tests.effort import often
from tests.runtime.people import AGE, INCOME, NAME, REAL, VIP, Reader, rows_of

CANARY = "8675309.25"
STRANGE = [
    b"", b" ", b"\r", b'"', b'""', b'"""', b'"a', b",", b",,,,,,,,", b"1", b"nan,inf,-inf,1e400", b"1_000", b"\x00", b"\xff\xfe",
    b"\x0b\x0c\x1c\x85", "１２,½".encode(), "\u2028,\u2029".encode(), b"9" * 5000, b"age,income,name,vip", b"income,age,vip,name",
    b'1,"2,3,4', b"\xef\xbb\xbf1,2,3,4", b"=cmd(),1,2,3", b"1;2;3;4", b"a\rb,c", b"1,2\r,3,4", b'"1"x,2,3,4', b"e,.,+,-",
]  # fmt: skip


def mutate(line: bytes, dice: random.Random) -> bytes:
    """One line made strange, without a line feed."""
    if dice.random() < 0.4:
        return dice.choice(STRANGE)
    result = bytearray(line)
    for _ in range(dice.randint(1, 4)):
        at = dice.randint(0, len(result))
        piece = dice.choice(
            [b'"', b",", b";", b"\t", b"\r", b"\x00", b"e", b".", b"-", b"9", b" ", bytes([dice.randrange(256)])]
        )
        if dice.random() < 0.5 and at < len(result):
            del result[at]
        result[at:at] = piece
    return bytes(result).replace(b"\n", b"")


def a_file(dice: random.Random, rows: int = 12) -> list[bytes]:
    """The lines of a file about people; names and numbers hold the canary."""
    lines = []
    for _ in range(rows):
        name = dice.choice(["x", '"a,b"', f"{CANARY}", '"say ""hi"""', ""])
        lines.append(
            f"{dice.randint(0, 99)},{dice.choice([CANARY, '1.5', '-2e3'])},{name},{dice.choice(['true', '0'])}".encode()
        )
    return lines


def changed_rows(before: list[tuple], after: list[tuple]) -> int:
    """The least number of records that have moved, when at most one line was changed in its place."""
    if len(before) == len(after):
        return sum(a != b for a, b in zip(before, after, strict=True))
    shorter, longer = sorted((before, after), key=len)
    missing = len(longer) - len(shorter)
    return missing if shorter == longer[: len(shorter)] else len(longer)


LAYOUTS = [
    ((AGE, INCOME, NAME, VIP), b"age,income,name,vip", {}),
    ((VIP, AGE), b"age,income,name,vip", {"selection": parse_selection("vip,age")}),
    ((AGE, INCOME, NAME, VIP), None, {"header": "no"}),
    ((AGE, INCOME), None, {"header": "no", "selection": parse_selection("0-1")}),
    (REAL, b"age,income,name,vip", {"header": "yes"}),
    (REAL, b"age,income,name,vip", {}),
    (REAL, None, {"header": "no", "selection": parse_selection("0-3")}),
    ((REAL,) * 4, None, {"header": "no"}),
]


SEPARATED = [(b",", "people.csv"), (b"\t", "people.tsv"), (b";", "people.csv")]
"""What separates cells, and the name of a file in which it does. Only a header makes a semicolon separate."""


def contained(read: Reader, seed: int) -> None:
    dice = random.Random(seed)
    columns, header, options = LAYOUTS[seed % len(LAYOUTS)]
    separator, name = SEPARATED[seed // len(LAYOUTS) % len(SEPARATED)]
    lines = [line.replace(b",", separator) for line in a_file(dice)]
    header = header and header.replace(b",", separator)
    for _ in range(dice.randint(0, 3)):
        lines[dice.randrange(len(lines))] = dice.choice([*STRANGE, b"\t\t", b"\t", b";;;"])
    end = dice.choice([b"", b"\n", b"\n\n"])
    head = [] if header is None else [header]
    tables = []
    at = dice.randrange(len(lines))
    for changed in (lines, [*lines[:at], mutate(lines[at], dice), *lines[at + 1 :]]):
        # A last line that is empty and has no line feed is no line: that would be a line taken away, not changed.
        feed = end or (b"" if changed[-1] else b"\n")
        content = b"\n".join([*head, *changed]) + feed
        tables.append(rows_of(read(content, columns, name=name, on_bad_row="default", **options)))
    assert changed_rows(*tables) <= 1, (seed, lines[at])


def test_one_changed_line_moves_one_record(read: Reader) -> None:
    for seed in range(often(800, 200)):
        contained(read, seed)


@pytest.mark.slow
def test_one_changed_line_moves_one_record_in_many_files(read: Reader) -> None:
    for seed in range(800, 30_000):
        contained(read, seed)


LAST = b"1,2,3,1"
"""A good row of every layout. A blank line at the end of a file does not count as a line, so each line stands above this one."""


def apart(read: Reader, dice: random.Random, chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows of a file, read in chunks, are those of its lines, each in a file of its own that is read at once."""
    columns, header, options = dice.choice(LAYOUTS)
    lines = [mutate(line, dice) if dice.random() < 0.5 else line for line in a_file(dice, 6)]
    # A line may be as long as one of these is.
    longest = max(dice.choice([1 << 24, *map(len, lines)]), len(header or LAST))
    for module in (opening, records):
        monkeypatch.setattr(module, "LONGEST_LINE", longest)
    lines = [dice.choice([b"", b"", b"\xef\xbb\xbf"]) + line + dice.choice([b"", b"\r", b"\r\r"]) for line in lines]

    def rows(rule: str, *some: bytes) -> list[tuple]:
        content = b"".join(line + b"\n" for line in (*([] if header is None else [header]), *some, LAST))
        found = rows_of(read(content, columns, on_bad_row=rule, **options))
        assert found.pop()
        return found

    for rule in ("default", "drop"):
        monkeypatch.setattr(opening, "_CHUNK", chunk)
        together = rows(rule, *lines)
        monkeypatch.setattr(opening, "_CHUNK", 1 << 20)
        assert together == [row for line in lines for row in rows(rule, line)], rule


@pytest.mark.parametrize("chunk", [1, 5, 1 << 20])
def test_each_line_is_read_as_if_it_were_alone(read: Reader, chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever lines stand above and below it, where chunks end, and how long a line may be."""
    for seed in range(often(400, 60)):
        apart(read, random.Random(f"alone {seed}"), chunk, monkeypatch)


def test_a_reader_of_quoted_line_breaks_is_not_contained() -> None:
    """The control: the same measure on the csv module."""
    worst = 0
    for seed in range(300):
        dice = random.Random(seed)
        lines = a_file(dice)
        at = dice.randrange(len(lines))
        tables = []
        for changed in (lines, [*lines[:at], mutate(lines[at], dice), *lines[at + 1 :]]):
            text = b"\n".join(changed).decode("latin-1").replace("\x00", "?")
            tables.append([tuple(row) for row in csv.reader(io.StringIO(text.replace("\r", "?"), newline="\n"))])
        worst = max(worst, changed_rows(*tables))
    assert worst > 1


def test_no_message_holds_a_cell(read: Reader) -> None:
    """Files full of canaries, with and without header, in every layout: refused or not, no canary is printed."""
    told = 0
    for seed in range(often(1500, 400)):
        dice = random.Random(seed)
        columns, header, options = LAYOUTS[seed % len(LAYOUTS)]
        options = {**options, "header": dice.choice([options.get("header", "auto"), "auto"])}
        secrets = [f"canary{n}" for n in range(4)] + [CANARY, f"{CANARY}x", f'"{CANARY}', "canary,canary"]
        lines = [",".join(dice.choice(secrets) for _ in range(dice.choice([4, 4, 4, 3, 5]))).encode() for _ in range(5)]
        lines[dice.randrange(5)] = dice.choice([b"1,2,3,4", b"canary\xff", b"", a_file(dice)[0]])
        has_header = header is not None and (options["header"] == "yes" or dice.random() < 0.7)
        content = b"\n".join([header, *lines] if has_header else lines)
        try:
            read(content, columns, on_bad_row=dice.choice(["refuse", "refuse", "default"]), **options)
        except DuetError as error:
            told += 1
            words = repr(error.diagnostics) + str(error) + repr(error.__cause__) + repr(error.__context__)
            assert "canary" not in words
            assert "8675309" not in words
    assert told > often(500, 130)
