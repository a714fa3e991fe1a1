"""Columns whose headings are no words: named in quotation marks, they are found in every kind of source, and results keep them."""

from pathlib import Path
from typing import Any

import pytest

import duetpy
from duetpy.grammar.labels import label_text

HEADINGS = (
    "Annual salary",
    "a.b",
    'the "net" pay, €',
    "it's; DROP TABLE x --",
    "2019",
    "=1+1",
    "<b>x</b>",
    "in",
    "é\u0301",
)
ROWS = [(1.0, 2.0), (3.0, 4.0)]


def summed(heading: str, data: object, **more: Any) -> object:
    """The sum of the column, without noise; another column, which is called almost alike, comes first."""
    label = label_text(heading)
    total = f"mfold-row 0.0, xs {{ s, r => s + clip[0, 9] r.{label} }}"
    result = f"t <- laplace[1000, 1.0] <xs> {{ {total} }} ; return {{ {label} = t, n = 2 }}"
    text = f"plam xs : DF[{label} : Disc] => {result}"
    release = duetpy.parse(text, notion="eps").check().run(xs=data, _insecure_noise="none", **more)
    (row,) = release.table().rows
    assert [column.name for column in release.table().columns] == [heading, "n"]
    assert release.result == {heading: row[0], "n": 2}
    return row[0]


@pytest.fixture(params=HEADINGS)
def heading(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def frame(heading: str) -> dict[str, list[float]]:
    return {f"{heading} ": [row[0] for row in ROWS], heading: [row[1] for row in ROWS]}


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("how", ["refuse", "default", "stream"])
def test_csv(tmp_path: Path, heading: str, separator: str, how: str) -> None:
    quoted = '"{}"'.format(heading.replace('"', '""'))
    lines = [separator.join(["other", quoted]), *(separator.join(map(str, row)) for row in ROWS)]
    path = tmp_path / "x.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    if how == "default":
        with pytest.raises(duetpy.DuetError, match="D0614"):
            summed(heading, path, _on_bad_row="default")
    else:
        assert summed(heading, path, _stream=how == "stream") == 6.0


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames(heading: str, library: str) -> None:
    module = pytest.importorskip(library)
    make = module.table if library == "pyarrow" else module.DataFrame
    assert summed(heading, make(frame(heading))) == 6.0


def test_a_mapping(heading: str) -> None:
    assert summed(heading, frame(heading)) == 6.0


@pytest.mark.parametrize("ending", ["parquet", "arrow", "feather"])
def test_column_files(tmp_path: Path, heading: str, ending: str) -> None:
    library = pytest.importorskip("pyarrow")
    table = library.table(frame(heading))
    path = tmp_path / f"x.{ending}"
    if ending == "parquet":
        pytest.importorskip("pyarrow.parquet").write_table(table, path)
    elif ending == "feather":
        pytest.importorskip("pyarrow.feather").write_feather(table, str(path), compression="uncompressed")
    else:
        with library.OSFile(str(path), "wb") as sink, library.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table)
    assert summed(heading, path) == 6.0


def test_a_table_of_duckdb(tmp_path: Path, heading: str) -> None:
    library = pytest.importorskip("duckdb")
    quoted = '"{}"'.format(heading.replace('"', '""'))
    path = tmp_path / "x.duckdb"
    with library.connect(str(path)) as database:
        database.execute(f"CREATE TABLE t (other DOUBLE, {quoted} DOUBLE)")
        database.execute("INSERT INTO t VALUES (1, 2), (3, 4)")
    assert summed(heading, f"duckdb:{path}?table=t") == 6.0
    assert summed(heading, f'sql:SELECT {quoted} FROM "{path}".t') == 6.0


def test_a_column_is_not_taken_for_a_part_of_another(tmp_path: Path) -> None:
    """To PyArrow, `a.b` is also the part b of a column a."""
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    both = arrow.table({"a": [{"b": 100.0}, {"b": 100.0}], "a.b": [2.0, 4.0]})
    parquet.write_table(both, tmp_path / "x.parquet")
    assert summed("a.b", tmp_path / "x.parquet") == 6.0
    parquet.write_table(arrow.table({"a": [{"b": 100.0}]}), tmp_path / "y.parquet")
    with pytest.raises(duetpy.DuetError, match=r"the column 'a\.b' is missing"):
        summed("a.b", tmp_path / "y.parquet")


def test_persons_are_known_by_such_a_column(tmp_path: Path) -> None:
    (tmp_path / "v.csv").write_text("Customer ID,paid (EUR)\na,1\na,2\nb,3\n", encoding="utf-8")
    (tmp_path / "w.csv").write_text("no. of customer,paid (EUR)\na,1\na,2\nb,3\n", encoding="utf-8")
    text = """\
plam p : persons["Customer ID" : Str | visits : DF["paid (EUR)" : Disc]] =>
  laplace[1000, 1.0] <p> { mfold-row 0.0, p { s, each =>
    s + clip[0, 9] (mfold-row (disc 0.0), each.visits { t, v => t + v."paid (EUR)" }) } }
"""
    checked = duetpy.parse(text, notion="eps").check()
    assert checked.run(visits=tmp_path / "v.csv", _insecure_noise="none").result == 6.0
    found = checked.run(visits=tmp_path / "w.csv", _id={"visits": "no. of customer"}, _insecure_noise="none")
    assert found.result == 6.0


def test_frames_are_parted_joined_and_widened_by_such_columns() -> None:
    text = """\
plam xs : DF["of what" : Str, n : Disc] =>
  parallel[xs, Set{"a", "b"}] { r => r."of what" } { key, part =>
    t <- laplace[1000, 1.0] <part> { mfold-row 0.0, part { s, r => s + clip[0, 9] r.n } } ;
    return { "of what" = key, "the total" = t }
  }
"""
    checked = duetpy.parse(text, notion="eps").check()
    found = checked.run(xs={"of what": ["a", "b", "a"], "n": [1.0, 2.0, 3.0]}, _insecure_noise="none")
    assert found.result == [{"of what": "a", "the total": 4.0}, {"of what": "b", "the total": 2.0}]
    own = duetpy.evaluate('slam x : DF[a : Str] => mapDF x { r => { "b c" = r.a, "d, e" = r.a } }', x={"a": ["u", "v"]})
    assert own == [["u", "u"], ["v", "v"]]
