"""CSV files: the quick way, chunks and limits give what the plain way gives."""

import math
import subprocess
import sys
from collections.abc import Iterator
from itertools import product
from random import Random
from typing import BinaryIO

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from duetpy.diagnostics.error import DuetError
from duetpy.runtime.sources import compiled, csv_kernels, opening, records
from duetpy.runtime.sources import csv as csv_module
from duetpy.runtime.sources.cells import COMMA, SEMICOLON, TAB, parse_real, quoted_cells, split_cells
from duetpy.runtime.sources.column_selection import Binding
from duetpy.runtime.sources.csv_kernels import LONGEST, UNKNOWN, nearest, powers_of_five
from duetpy.runtime.sources.opening import whole_lines
from duetpy.runtime.sources.plain import parse_plain
from duetpy.runtime.sources.problems import Problems
from duetpy.runtime.sources.records import Layout, RecordReader, lines_of
from duetpy.runtime.sources.regular import cut
from duetpy.runtime.sources.table import ColumnSpec, Kind
from tests.effort import often
from tests.runtime.people import AGE, INCOME, QUICK, REAL, VIP, Reader, refusals, rows_of

NUMBERS = st.one_of(
    st.integers(-(10**20), 10**20).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-(10**9), max_value=10**9).map(str),
    st.from_regex(r"\A[+-]?([0-9]{1,18}(\.[0-9]{1,18})?|\.[0-9]{1,18})([eE][+-]?[0-9]{1,3})?\Z"),
    st.sampled_from(["0", "-0", "-0.0", "+0", "000000000000000000", "999999999999999", "9007199254740993", "1e400", "1e-400"]),
)  # fmt: skip


@QUICK
@given(st.lists(NUMBERS, min_size=1, max_size=40))
def test_plain_columns_have_the_same_bits(cells: list[str]) -> None:
    column = "".join(f"{cell}\n" for cell in cells).encode()
    block = compiled.cut(column, 1, COMMA, [0])
    assert block is not None
    expected = [parse_real(cell.encode()) for cell in cells]
    for plain, longest in ((parse_plain(column), 10**4), (block.plain(0), LONGEST)):
        if None in expected:
            assert plain is None
        else:
            assert plain is not None
            assert plain.values.tobytes() == np.array(expected).tobytes()
            assert plain.lengths.tolist() == [len(cell) for cell in cells]
            assert plain.digits_only is all(cell.isdigit() and len(cell) <= longest for cell in cells)


BLOCKS = st.one_of(
    st.binary(min_size=1, max_size=12),
    st.text('0123456789+-.eE,,;\t\r\n "', min_size=1, max_size=14).map(str.encode),
    st.text('01a,\n""', min_size=1, max_size=14).map(str.encode),
)


@pytest.mark.parametrize("separator", [COMMA, SEMICOLON, TAB])
@settings(max_examples=often(1500, 300), derandomize=True, deadline=None)
@given(BLOCKS)
def test_plain_columns_hold_nothing_but_numbers(separator: bytes, content: bytes) -> None:
    cells = content.replace(separator, b"") + b"\n"
    values = [parse_real(cell) for cell in cells.split(b"\n")[:-1]]
    plain = parse_plain(cells)
    if plain is not None:
        assert plain.values.tolist() == values
    elif None not in values:
        assert any(byte in cells for byte in b" \t")


@pytest.mark.parametrize("separator", [COMMA, SEMICOLON, TAB])
@settings(max_examples=often(1500, 300), derandomize=True, deadline=None)
@given(BLOCKS)
def test_a_regular_block_has_the_cells_of_its_lines(separator: bytes, content: bytes) -> None:
    block = content + b"\n"
    lines = lines_of(block)
    cells = [split_cells(line, separator) for line in lines]
    quoted = [quoted_cells(line, separator) for line in lines]
    is_blank = [not line.strip(b" \t\r") and separator not in line for line in lines]
    for width in (1, 2, 3):
        found = cut(block, width, separator)
        if found is not None:
            assert not any(is_blank)
            assert all(keeps_rule and len(row) == width for row, keeps_rule in cells)
            for at in range(width):
                assert found.column(at).split(b"\n")[:-1] == [row[at] for row, _ in cells]
                marked = [False] * len(lines) if found.is_quoted is None else found.is_quoted[:, at].tolist()
                assert marked == [at in each for each in quoted]
        elif all(keeps_rule and len(row) == width for row, keeps_rule in cells):
            # What is regular but is read line by line: blank lines, and quotes within cells.
            assert any(line[:1] in b" \t\r" for line in lines) or b'""' in block
        for positions in ([width - 1], [*range(width)]):
            quick = compiled.cut(block, width, separator, positions)
            assert (quick is None) == (found is None or b'"' in block)
            for at in positions if quick is not None else ():
                assert quick.column(at) == found.column(at)
                one, other = quick.plain(at), found.plain(at)
                assert (one is None) <= (other is None)
                assert one is None or other is None or one.values.tobytes() == other.values.tobytes()


SPECIMENS = st.sampled_from(
    ["1", "0", "7", "49", "50", "-1", "+1", "1.0", "1e0", " 2", "true", "False", "NA", "", '""', '"NA"', '"3"', '"a,b"',
     "ä", "d1", "x" * 30, "9007199254740991", "9007199254740993", "1" * 20, "2024-02-29", "1e400", "nan", '"', 'a"b', "\udcff"]
)  # fmt: skip
COLUMNS = st.builds(
    lambda kind, missing, limit: ColumnSpec(
        None,
        kind,
        below=50 if kind is Kind.NAT and limit else None,
        longest=5 if kind is Kind.TEXT and limit else None,
        missing=missing,
    ),
    st.sampled_from(Kind),
    st.sampled_from([None, frozenset({b""}), frozenset({b"", b"NA", b"7"})]),
    st.booleans(),
)


@settings(max_examples=often(1500, 600), derandomize=True, deadline=None)
@given(
    st.lists(COLUMNS, min_size=1, max_size=3),
    st.integers(0, 2),
    st.lists(SPECIMENS, min_size=1, max_size=15),
    st.sampled_from(["refuse", "default", "drop"]),
    st.sampled_from(["\n", "\r\n"]),
)
@example([ColumnSpec(None, Kind.DATE, missing=frozenset({b"NA"}))], 0, ["2024-02-29", "NA", "x"], "drop", "\n")
def test_columns_and_lines_give_the_same_rows(columns, ignored, cells, rule, end) -> None:
    width = len(columns) + ignored
    rows = [",".join(cells[at : at + width]) for at in range(0, len(cells), width)]
    bindings = tuple(Binding(column, at + ignored) for at, column in enumerate(columns))
    layout = Layout(bindings, width, has_header=False, is_guessed=False)

    def outcome(way: str) -> object:
        problems = Problems("people.csv")
        reader = RecordReader(layout, rule, size=None, problems=problems)
        with pytest.MonkeyPatch.context() as patch:
            if way == "lines":
                patch.setattr(records, "cut", lambda block, width, separator: None)
            if way == "compiled":
                patch.setattr(compiled, "LARGE", 0)
                patch.setattr(compiled, "is_there", lambda: True)
            for row in (rows[0], *rows):
                reader.read(f"{row}{end}".encode(errors="surrogateescape"))
            reader.read("".join(row + end for row in rows).encode(errors="surrogateescape"))
            try:
                table = reader.finish(8192)
            except DuetError as error:
                return repr(error.diagnostics)
        return table.numbers.tobytes(), table.texts.tolist()

    assert outcome("columns") == outcome("lines") == outcome("compiled")


HALFWAY = [
    (str(odd)[:length], exponent)
    for odd in (2**54 - 1, 2**53 + 1, 2**55 - 2, 2**60 + 2**7, 3 * 2**52 + 1, 5**22 * 3, 9007199254740993)
    for length in (16, 17, 18, 19)
    for exponent in (*range(-30, 31), -308, -300, 290, 308)
]


@pytest.mark.parametrize("way", ["compiled", "python"])
def test_numbers_are_the_nearest_doubles(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Among them numbers halfway between two doubles, and next to such."""
    rounds = nearest
    if way == "python" and csv_kernels.IS_COMPILED:
        rounds = nearest.py_func
        monkeypatch.setattr(csv_kernels, "product", csv_kernels.product.py_func)
    fives, random = powers_of_five(), Random(3)
    spread = [(str(random.getrandbits(64))[:LONGEST], random.randrange(-345, 312)) for _ in range(often(20_000, 1_000))]
    with np.errstate(over="ignore"):
        for digits, exponent in HALFWAY + spread:
            found, wanted = rounds(np.uint64(int(digits)), exponent, fives), float(f"{digits}e{exponent}")
            is_normal = 2.0**-1022 <= wanted < math.inf
            assert (found == UNKNOWN) == (not is_normal) or (not is_normal and wanted == 2.0**-1022), (digits, exponent)
            assert found == UNKNOWN or np.uint64(found).view(np.float64) == wanted, (digits, exponent)


def test_only_large_files_are_read_by_compiled_code(read: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[int] = []
    cut_quickly = compiled.cut
    monkeypatch.setattr(compiled, "cut", lambda *given: taken.append(len(given[0])) or cut_quickly(*given))
    monkeypatch.setattr(compiled, "is_there", lambda: True)
    content = b"1,2.5\n" * 1000
    table = read(content, header="no")
    assert not taken
    monkeypatch.setattr(compiled, "LARGE", len(content))
    assert read(content, header="no").numbers.tobytes() == table.numbers.tobytes()
    assert taken
    taken.clear()
    monkeypatch.setattr(compiled, "is_there", lambda: False)
    assert read(content, header="no").numbers.tobytes() == table.numbers.tobytes()
    assert not taken


def test_without_numba_nothing_is_compiled() -> None:
    """Where it is not installed, or has no place for what it compiles."""
    script = """if True:
        import sys
        if sys.argv[1] == "missing":
            sys.modules["numba"] = None
        else:
            import types
            def njit(**how):
                raise RuntimeError("cannot cache function: no locator available")
            sys.modules["numba"] = types.SimpleNamespace(njit=njit)
        from duetpy.runtime.sources import compiled, csv_kernels
        print(compiled.is_there(), csv_kernels.nearest(csv_kernels.np.uint64(5), -1, csv_kernels.powers_of_five()))"""
    for case in ("missing", "no cache"):
        done = subprocess.run([sys.executable, "-c", script, case], capture_output=True, text=True, check=True)
        assert done.stdout.split() == ["False", str(np.float64(0.5).view(np.uint64))]


@pytest.mark.parametrize("kind", [Kind.REAL, Kind.NAT, Kind.BOOL])
def test_both_ways_agree_on_every_kind(read: Reader, kind: Kind, monkeypatch: pytest.MonkeyPatch) -> None:
    columns = (ColumnSpec(None, kind, below=50 if kind is Kind.NAT else None), REAL)
    for last in (
        b"1",
        b"0",
        b"00",
        b"01",
        b"7",
        b"49",
        b"50",
        b"-1",
        b"+1",
        b"1.0",
        b"1e0",
        b"9007199254740993",
        b"1" * 20,
    ):
        content = b"1,2.5\n0,-0\n" + last + b",3\n"
        for rule in ("refuse", "default"):
            results = []
            for is_quick in (True, False):
                with monkeypatch.context() as patch:
                    if not is_quick:
                        patch.setattr(records, "cut", lambda block, width, separator: None)
                    try:
                        results.append(read(content, columns, header="no", on_bad_row=rule).numbers.tobytes())
                    except DuetError as error:
                        results.append(repr(error.diagnostics))
            assert results[0] == results[1]


def test_regular_files_are_read_by_columns(read: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise AssertionError("the slow way was taken")

    monkeypatch.setattr(records.RecordReader, "_read_lines", fail)
    for separator in (b",", b";", b"\t"):
        assert read((b"a,b\n" + b"1,-2.5e3\n" * 1000).replace(b",", separator)).rows == 1000
    assert read(b"1,30\n" * 10, (VIP, AGE)).rows == 10
    assert read(b"true, 30\n" * 10, (VIP, AGE)).rows == 10
    assert read(b'"a, b",30\n' * 10, (ColumnSpec(None, Kind.TEXT), AGE), header="no").rows == 10
    with pytest.raises(AssertionError):
        read(b"1,x\n")


@pytest.mark.parametrize("chunk", [1, 2, 3, 5, 8, 13, 64])
@pytest.mark.parametrize("rule", ["refuse", "default"])
def test_chunks_do_not_show(read: Reader, chunk: int, rule, monkeypatch: pytest.MonkeyPatch) -> None:
    files = [
        b"\xef\xbb\xbfage,income\r\n1,2\r\n3,4\r\n5,6\r\n\r\n",
        b'age,income\n1,2\n"3",4\n\n5,6\n7,x\n\n\n',
        b"age,income\n1,2\n3,4",
        b"age,income\n",
        b"age,income\n\n\n1,2\n3\n",
    ]

    def outcome(content: bytes) -> object:
        try:
            return rows_of(read(content, (INCOME, AGE), on_bad_row=rule))
        except DuetError as error:
            return repr(error.diagnostics)

    expected = [outcome(content) for content in files]
    monkeypatch.setattr(opening, "_CHUNK", chunk)
    assert [outcome(content) for content in files] == expected


@pytest.mark.parametrize("chunk", [1, 4, 7, 100])
def test_long_lines_are_bad_rows_of_bounded_size(read: Reader, chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "_CHUNK", chunk)
    for module in (opening, records):
        monkeypatch.setattr(module, "LONGEST_LINE", 6)
    content = b"1,2\n" + b"3" * 5 + b",44444444444444444\n5,6\n"
    assert refusals(read, content) == [("D0605", "people.csv, line 2", "the line is longer than 6 bytes")]
    columns = (REAL, REAL)
    assert read(content, columns, on_bad_row="default", header="no").numbers.tolist() == [
        [1.0, 2.0],
        [33333.0, 0.0],
        [5.0, 6.0],
    ]
    assert read(b"1,2\n33,444\n", header="no").numbers.tolist() == [[1.0, 2.0], [33.0, 444.0]]


def test_where_a_long_line_stands_does_not_decide_whether_it_is_one(
    read: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The carriage return in it would count as the end of a line that is not too long, if what follows it were left out."""
    monkeypatch.setattr(opening, "_CHUNK", 8)
    for module in (opening, records):
        monkeypatch.setattr(module, "LONGEST_LINE", 6)
    for digits, rest in product(range(1, 5), range(1, 9)):
        before = b"1" * digits
        content = before + b",2\n3,4444\r" + b"4" * rest + b"\n5,6\n"
        table = read(content, (REAL, ColumnSpec(None, Kind.TEXT)), on_bad_row="drop", header="no")
        assert table.numbers[:, 0].tolist() == [float(before), 5.0]


@pytest.mark.parametrize("chunk", [1, 7, 100])
def test_a_byte_order_mark_counts_alike_in_every_line(
    read: Reader, chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If only the first line were read without its mark, leaving out the row above a line would change the row of that line."""
    monkeypatch.setattr(opening, "_CHUNK", chunk)
    for module in (opening, records):
        monkeypatch.setattr(module, "LONGEST_LINE", 6)
    first, marked = b"1,a\n", b"\xef\xbb\xbf2,cdef\n\xef\xbb\xbf3,cdefg\n\xef\xbb\xbf\xef\xbb\xbf4,c\n"
    for rule in ("default", "drop"):
        several, fewer = (
            rows_of(read(content, (REAL, ColumnSpec(None, Kind.TEXT)), on_bad_row=rule, header="no"))
            for content in (first + marked + first, marked + first)
        )
        assert several == [(1.0, "a"), *fewer]
        assert fewer[0] == (2.0, "cdef")


def test_a_large_file_of_mixed_blocks(read: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    """Plain and other blocks alternate; the rows keep their order and the memory its contents."""
    monkeypatch.setattr(opening, "_CHUNK", 1 << 12)
    lines = [f"{n},{n / 7!r},{'x' if n % 997 else 'y, z'!r}" for n in range(20_000)]
    lines = [f"{n},{n / 7!r}" if n % 1500 < 1200 else f'"{n}", {n / 7!r}' for n in range(20_000)]
    table = read("\n".join(lines).encode())
    assert table.numbers.tolist() == [[float(n), n / 7] for n in range(20_000)]
    assert [block.rows for block in table.blocks()] == [8192, 8192, 20_000 - 2 * 8192]


def test_no_more_than_the_first_block_is_held_to_learn_the_shape(read: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "_CHUNK", 16)
    drawn: list[int] = []

    def counted(handle: BinaryIO) -> Iterator[bytes]:
        for block in whole_lines(handle):
            drawn.append(len(block))
            yield block

    monkeypatch.setattr(csv_module, "whole_lines", counted)
    with pytest.raises(DuetError):
        read(b"age,income\n" + b"1,2\n" * 1000, (ColumnSpec("size", Kind.REAL),), on_bad_row="default")
    assert len(drawn) == 1
    read(b"age,income\n" + b"1,2\n" * 1000, (INCOME, AGE))
    assert len(drawn) > 100  # the count sees what is read


@pytest.mark.parametrize("width", [1, 100])
def test_a_short_first_line_asks_for_no_more_memory_than_the_rows_take(width: int) -> None:
    layout = Layout(tuple(Binding(REAL, at) for at in range(width)), width, has_header=False, is_guessed=False)
    reader = RecordReader(layout, "default", size=10**12, problems=Problems("people.csv"))
    reader.read(b"1\n")
    assert reader.numbers.nbytes <= records.SPARE_BYTES + 2 * 8 * width
