"""What a cell of a file of columns is, and whether the file is refused, no other cell decides."""

import base64
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pyarrow.parquet.encryption
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from duetpy.diagnostics.error import DuetError
from duetpy.runtime.sources import frames
from duetpy.runtime.sources.arrays import from_arrays
from duetpy.runtime.sources.column_selection import ByName
from duetpy.runtime.sources.files import outline_file, read_file
from duetpy.runtime.sources.reading import Reading
from duetpy.runtime.sources.table import ColumnSpec, Kind, Table
from tests.runtime.people import QUICK, rows_of

NUMBER = ColumnSpec("x", Kind.REAL)
NATURAL = ColumnSpec("x", Kind.NAT, default=7)
TEXT = ColumnSpec("x", Kind.TEXT, default="nobody")
TRUTH = ColumnSpec("x", Kind.BOOL)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def in_parquet(column: Any) -> str:
    pa.parquet.write_table(pa.table({"x": column}), "people.parquet")
    return "people.parquet"


def in_arrow(column: Any) -> str:
    pa.feather.write_feather(pa.table({"x": column}), "people.arrow")
    return "people.arrow"


WAYS: dict[str, Callable[[Any], str]] = {"parquet": in_parquet, "arrow": in_arrow}


def read(origin: str, *columns: ColumnSpec, rule="default") -> Table:
    return read_file(origin, columns, None, Reading(rule), None)


def cells(origin: str, column: ColumnSpec) -> list[Any]:
    return [row[0] for row in rows_of(read(origin, column))]


def refusals(origin: str, *columns: ColumnSpec) -> set[tuple[str, str]]:
    """What is refused; the same before a row is read and afterwards."""
    found = []
    for look in (lambda: read(origin, *columns), lambda: outline_file(origin, columns, None, Reading("default"))):
        with pytest.raises(DuetError) as caught:
            look()
        found.append({(one.code, one.message) for one in caught.value.diagnostics})
    assert found[0] == found[1]
    return found[0]


def texts(*cells: bytes, type_: Any = None) -> Any:
    """A column of texts, of which some may not be UTF-8."""
    ends = np.cumsum([0, *map(len, cells)]).astype(np.int32)
    buffers = [None, pa.py_buffer(ends.tobytes()), pa.py_buffer(b"".join(cells))]
    return pa.Array.from_buffers(pa.string() if type_ is None else type_, len(cells), buffers)


# ---------------------------------------------------------------------------------------------------------------------
# One cell


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("is_encoded", [False, True])
def test_a_text_that_is_no_utf_8_is_one_bad_cell(way: str, is_encoded: bool) -> None:
    column = texts(b"ann", b"b\xff", b"eve")
    if is_encoded:
        column = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, None]), column)
    expected = ["ann", "nobody", "eve"] + ["nobody"] * is_encoded
    assert cells(WAYS[way](column), TEXT) == expected
    assert rows_of(from_arrays(pa.table({"x": column}), [TEXT], on_bad_row="default")) == [(each,) for each in expected]
    with pytest.raises(DuetError) as caught:
        read(WAYS[way](column), TEXT, rule="refuse")
    # The cell that is missing in the encoded column is another bad one.
    where, message = (
        (f"people.{way}, column 'x'", "2 bad cells (rows 2, 4): not a text")
        if is_encoded
        else (f"people.{way}, row 2, column 'x'", "not a text")
    )
    assert [(one.code, one.where, one.message) for one in caught.value.diagnostics] == [("D0604", where, message)]


@pytest.mark.parametrize("encoding", ["DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY", "PLAIN"])
@pytest.mark.parametrize("later", [b"eve", b"b\xff"])
def test_texts_that_a_parquet_file_encodes_in_another_way(encoding: str, later: bytes) -> None:
    """DuckDB and others keep texts once or as differences, whichever is shorter: one row may decide it."""
    with pa.parquet.ParquetWriter(
        "people.parquet",
        pa.schema({"x": pa.string(), "y": pa.string()}),
        use_dictionary=["y"],
        column_encoding={"x": encoding},
    ) as writer:
        for last in (b"ann", later):
            writer.write_table(pa.table({name: texts(b"ann", last) for name in "xy"}))
    held = [["nobody" if each == b"b\xff" else each.decode() for each in (b"ann", b"ann", b"ann", later)]] * 2
    table = read("people.parquet", TEXT, evolve(TEXT, name="y"))
    assert table.texts.T.tolist() == held


def test_texts_that_were_kept_once_in_arrow_and_are_kept_as_differences_in_a_parquet_file() -> None:
    """A writer that turns to differences when there are many texts still says that they were kept once."""
    table = pa.table({"x": texts(b"ann", b"b\xff", b"ann").dictionary_encode(), "y": [1.0, 2.0, 3.0]})
    pa.parquet.write_table(table, "people.parquet", use_dictionary=False, column_encoding={"x": "DELTA_BYTE_ARRAY"})
    assert cells("people.parquet", TEXT) == ["ann", "nobody", "ann"]


def test_texts_that_are_kept_once_in_one_part_of_a_parquet_file_and_as_differences_in_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(frames, "_BATCH_ROWS", 1500)
    duckdb.sql(
        "COPY (SELECT CASE WHEN i < 4096 THEN 'a' ELSE 'text ' || i END AS x FROM range(10000) t(i)) TO 'x.parquet' "
        "(FORMAT parquet, PARQUET_VERSION v2, ROW_GROUP_SIZE 2048)"
    )
    groups = pa.parquet.ParquetFile("x.parquet").metadata
    encodings = {groups.row_group(at).column(0).encodings[-1] for at in range(groups.num_row_groups)}
    assert encodings == {"RLE_DICTIONARY", "DELTA_LENGTH_BYTE_ARRAY"}
    assert cells("x.parquet", TEXT) == ["a"] * 4096 + [f"text {at}" for at in range(4096, 10000)]


@pytest.mark.parametrize("order", ["<", ">"])
def test_a_number_that_is_no_character_is_one_bad_cell(order: str) -> None:
    """Python makes a text of it that it can neither write nor compare."""
    numbers = np.array(["ann", "eve"], dtype=f"{order}U3").view(f"{order}u4")
    numbers[1] = 0x110000
    np.save("people.npy", numbers.view(f"{order}U3"))
    assert cells("people.npy", TEXT) == ["nobody", "eve"]


NUMBERS = st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1), st.integers(2**53 - 2, 2**53 + 2))


@QUICK
@given(st.lists(NUMBERS, min_size=1, max_size=6), NUMBERS, st.data())
def test_one_changed_number_changes_one_record(column: list, changed: int | None, data: st.DataObject) -> None:
    """Whole numbers next to one that is missing are rounded to doubles, and every one of them as it is alone."""
    at = data.draw(st.integers(0, len(column) - 1))
    other = [*column[:at], changed, *column[at + 1 :]]
    for way in WAYS.values():
        for spec in (NUMBER, NATURAL):
            before, after = (cells(way(pa.array(each, pa.int64())), spec) for each in (column, other))
            assert [*before[:at], *before[at + 1 :]] == [*after[:at], *after[at + 1 :]]


@pytest.mark.parametrize("way", WAYS)
def test_numbers_of_every_type(way: str) -> None:
    def found(column: Any, spec: ColumnSpec) -> list[Any]:
        return cells(WAYS[way](column), spec)

    assert found(pa.array([2**64 - 1, None, 2**53 - 1, 2**53 + 1], pa.uint64()), NATURAL) == [7, 7, 2**53 - 1, 7]
    assert found(pa.array([2**64 - 1, None], pa.uint64()), NUMBER) == [2.0**64, 0.0]
    assert found(pa.array(["9007199254740991", None, "0.5", "1.0000000001"]).cast(pa.decimal128(38, 10)), NATURAL) == [
        2**53 - 1,
        7,
        7,
        7,
    ]
    assert found(pa.array(np.array([1.5, np.nan, np.inf, -0.0], dtype=np.float16)), NUMBER) == [1.5, 0.0, 0.0, 0.0]
    assert found(pa.array([True, None, False]), TRUTH) == [1.0, 0.0, 0.0]
    assert found(pa.array([True, None, False]), NUMBER) == [1.0, 0.0, 0.0]
    assert found(pa.nulls(2), NUMBER) == [0.0, 0.0]
    assert found(pa.array([3, None, 3]).dictionary_encode(), NATURAL) == [3, 7, 3]


# ---------------------------------------------------------------------------------------------------------------------
# The type of a column is in the file, whatever its cells are

NO_NUMBERS = "its cells do not have a type of numbers, and a single cell may have decided that for all"
NO_TEXTS = NO_NUMBERS.replace("numbers", "texts")
OTHERS = {
    "text": pa.string(),
    "large text": pa.large_string(),
    "encoded text": pa.dictionary(pa.int32(), pa.string()),
    "number": pa.int64(),
    "bytes": pa.binary(),
    "date": pa.date32(),
    "moment": pa.timestamp("us"),
    "time": pa.time64("ns"),
    "span": pa.duration("us"),
    "list": pa.list_(pa.float64()),
    "texts": pa.list_(pa.string()),
    "record": pa.struct({"x": pa.float64()}),
    "map": pa.map_(pa.string(), pa.float64()),
    "tensor": pa.fixed_shape_tensor(pa.int32(), [1]),
    "identifier": pa.uuid(),
}
VALUES: dict[str, Any] = {
    "text": "1",
    "large text": "1",
    "encoded text": "1",
    "number": 1,
    "bytes": b"1",
    "date": 1,
    "moment": 1,
    "time": 1,
    "span": 1,
    "list": [1.0],
    "texts": ["1"],
    "record": {"x": 1.0},
    "map": [("a", 1.0)],
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("type_", OTHERS)
def test_a_column_of_another_type_is_refused_with_any_cells_and_none(type_: str, way: str) -> None:
    """Somebody who is the only one to have a cell there, or a row, must not decide whether a run is charged, or how it ends."""
    for rows in ([], [None, None], [None, VALUES.get(type_)]):
        origin = WAYS[way](pa.array(rows, OTHERS[type_]))
        if "text" not in type_ or type_ == "texts":
            assert refusals(origin, TEXT) == {("D0618", NO_TEXTS)}
        if type_ != "number":
            assert refusals(origin, NUMBER) == {("D0618", NO_NUMBERS)}
            assert refusals(origin, NATURAL) == {("D0618", NO_NUMBERS)}


@pytest.mark.parametrize("rows", [0, 1])
def test_an_array_in_a_file_has_its_type_without_rows_too(rows: int) -> None:
    np.save("x.npy", np.array(["1"] * rows, dtype="U1"))
    assert refusals("x.npy", NUMBER) == {("D0618", NO_NUMBERS)}
    np.save("x.npy", np.array([1.0] * rows))
    assert refusals("x.npy", TEXT) == {("D0618", NO_TEXTS)}


def test_an_array_in_memory_has_none_without_rows() -> None:
    assert from_arrays(np.array([]), [TEXT], on_bad_row="default").rows == 0


# ---------------------------------------------------------------------------------------------------------------------
# Columns


def test_twins() -> None:
    """Two columns of one name are refused if the name is wanted, and not otherwise."""
    for way, write in (("parquet", pa.parquet.write_table), ("arrow", pa.feather.write_feather)):
        column = pa.array([1.0])
        write(pa.Table.from_arrays([column, column, column], names=["x", "y", "y"]), f"x.{way}")
        assert cells(f"x.{way}", NUMBER) == [1.0]
        (code, message), *_ = refusals(f"x.{way}", ColumnSpec("y", Kind.REAL))
        assert (code, message) == ("D0607", "there are 2 columns 'y'")
    np.save("x.npy", np.array([1.0]))
    with zipfile.ZipFile("x.npz", "w") as archive:
        archive.write("x.npy")
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.write("x.npy")
    assert refusals("x.npz", NUMBER) == {("D0601", "cannot be read as a .npz file")}


def test_a_column_with_a_point_in_its_name_is_not_a_part_of_another() -> None:
    pa.parquet.write_table(pa.table({"x": pa.array([{"b": 1}]), "x.b": pa.array([5])}), "x.parquet")
    assert cells("x.parquet", ColumnSpec("x.b", Kind.REAL)) == [5.0]


def test_fields_that_nobody_declares_are_not_read() -> None:
    np.save("x.npy", np.array([(1.0, [1, 2])], dtype=[("x", "f8"), ("grid", "i8", (2,))]))
    assert cells("x.npy", NUMBER) == [1.0]
    table = read_file("x.npy", ColumnSpec(None, Kind.REAL), ByName(("x",)), Reading("refuse"), None)
    assert table.numbers.tolist() == [[1.0]]


@pytest.mark.parametrize("shape", [(10**12,), (10**30,), (-1,), (0, 10**9), (10**9, 10**9), (True,)])
def test_the_shape_that_an_array_states_is_no_promise(shape: tuple[int, ...]) -> None:
    head = repr({"descr": "<f8", "fortran_order": False, "shape": shape}).encode()
    head += b" " * (-(len(head) + 11) % 64) + b"\n"
    Path("x.npy").write_bytes(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head + bytes(64))
    ((code, _),) = refusals("x.npy", ColumnSpec(None, Kind.REAL))
    assert code in ("D0601", "D0603")


@pytest.mark.parametrize("type_", [pa.string(), pa.dictionary(pa.int32(), pa.string())])
def test_texts_that_do_not_lie_within_their_file(type_: Any) -> None:
    """The library follows the places of texts into other memory, and may end the process there."""
    pa.feather.write_feather(
        pa.table({"x": pa.array(["ann", "bob", "eve"], type_)}), "x.arrow", compression="uncompressed"
    )
    content = Path("x.arrow").read_bytes()
    places = struct.pack("<4i", 0, 3, 6, 9)
    assert content.count(places) == 1
    for false in ((0, 3, 1 << 30, 9), (0, 6, 3, 9), (0, 3, -1, 9), (0, 3, 6, 1 << 30)):
        Path("x.arrow").write_bytes(content.replace(places, struct.pack("<4i", *false)))
        with pytest.raises(DuetError, match=r"cannot be read as a \.arrow file"):
            read("x.arrow", TEXT)


class Keys(pa.parquet.encryption.KmsClient):
    """Hides keys from nobody."""

    def __init__(self, _: object) -> None:
        super().__init__()

    def wrap_key(self, key: bytes, name: str) -> bytes:
        return base64.b64encode(key)


@pytest.mark.parametrize("shows_footer", [True, False])
def test_a_parquet_file_that_is_encrypted(shows_footer: bool) -> None:
    """The library ends the process of whoever asks for details of a column that is encrypted."""
    encryption = pa.parquet.encryption
    configuration = encryption.EncryptionConfiguration(
        "footer", column_keys={"key": ["y"]}, plaintext_footer=shows_footer
    )
    factory = encryption.CryptoFactory(Keys)
    properties = factory.file_encryption_properties(encryption.KmsConnectionConfig(), configuration)
    table = pa.table({"x": ["ann"], "y": ["eve"]})
    pa.parquet.write_table(table, "x.parquet", encryption_properties=properties)
    if shows_footer:
        assert cells("x.parquet", TEXT) == ["ann"]
    for column in [evolve(TEXT, name="y")] + [TEXT] * (not shows_footer):
        with pytest.raises(DuetError, match=r"cannot be read as a \.parquet file"):
            read("x.parquet", column)


def of_fewer_than_none(way: str) -> str:
    """A file that says that it has -3 rows: in Thrift's variable length, or in eight bytes."""
    origin = WAYS[way](pa.array([7.0] * 3))
    said, less = (
        (b"\x16\x06\x19", b"\x16\x05\x19") if way == "parquet" else (struct.pack("<q", 3), struct.pack("<q", -3))
    )
    content = Path(origin).read_bytes()
    assert said in content
    Path(origin).write_bytes(content.replace(said, less))
    return origin


@pytest.mark.parametrize("way", ["parquet", "arrow"])
def test_fewer_rows_than_none(way: str) -> None:
    assert refusals(of_fewer_than_none(way), NUMBER) == {("D0601", f"cannot be read as a .{way} file")}


def test_an_archive_holds_arrays_and_nothing_else() -> None:
    with zipfile.ZipFile("x.npz", "w") as archive:
        archive.writestr("x", b"1")
        archive.writestr("y", b"2")
    assert refusals("x.npz", NUMBER) == {("D0601", "cannot be read as a .npz file")}


def test_a_row_that_ends_like_an_archive_is_a_row() -> None:
    """The last bytes of an archive are 22 bytes that say where its parts are: three doubles hold them."""
    end = np.frombuffer(bytes(2) + struct.pack("<4s4H2LH", b"PK\5\6", *[0] * 7), "<f8")
    columns = (ColumnSpec(None, Kind.REAL),) * 3
    for last in (np.ones(3), end):
        np.save("x.npy", np.array([np.ones(3), last]))
        assert zipfile.is_zipfile("x.npy") is (last is end)
        assert outline_file("x.npy", columns, None, Reading("default")).lines == {2}
        for rule in ("default", "refuse"):
            assert read("x.npy", *columns, rule=rule).numbers.tolist() == [[1.0] * 3, last.tolist()]
