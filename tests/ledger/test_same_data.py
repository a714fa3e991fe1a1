"""What was stored for one run is not returned for another: the key of a stored release tells apart whatever a run does."""

import json
import subprocess
import sys
from fractions import Fraction
from importlib import import_module
from pathlib import Path

import pytest
from attrs import evolve

import duetpy
from duetpy.accounting.budget import parse_budget
from duetpy.cli.main import main
from duetpy.diagnostics.error import DuetError
from duetpy.ledger.store import create
from duetpy.runtime.release.release import Release

SIDE = """pλ ε : ℝ⁺ . x : 𝔻 + 𝔻, ε : ℝ⁺[ε] ⇒
  laplace[auto, ε] <x> { clip[0.0, 1.0] (case x { inl a ⇒ a; inr b ⇒ b }) }
"""
CELL = """pλ ε : ℝ⁺ . xs : 𝕄 [L∞, U | ★, 1⋅𝔻 else 0], ε : ℝ⁺[ε] ⇒
  laplace[auto, ε] <xs> { mfold-row 0.0, xs { a, r ⇒ a + clip[0.0, 1.0] (r#[0, 0]) } }
"""


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    create(Path("l"), parse_budget("epsilon=10"), "people")


def released(text: str, **arguments: object) -> Release:
    return duetpy.parse(text, notion="eps").check().run(ε=1, _ledger="l", _on_bad_row="default", **arguments)


def is_replayed(release: Release) -> bool:
    assert release.ledger is not None
    return bool(release.ledger["replayed"])


def test_a_list_is_no_side_of_a_sum() -> None:
    """With `default` the list counts as 0 on the left, and a tuple of the same parts as what is in it."""
    released(SIDE, x=["inl", 1.0])
    assert is_replayed(released(SIDE, x=["inl", 1.0]))
    assert not is_replayed(released(SIDE, x=("inl", 1.0)))


def test_a_release_of_another_version_is_not_shown_as_if_this_one_stood_by_it(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("x.csv").write_bytes(b"1\n")
    with monkeypatch.context() as earlier:
        earlier.setattr("duetpy.runtime.release.charged_run.VERSION", "0.0.9")
        assert not is_replayed(released(CELL, xs="x.csv", _header="no"))
        assert is_replayed(released(CELL, xs="x.csv", _header="no"))
    assert not is_replayed(released(CELL, xs="x.csv", _header="no"))
    assert is_replayed(released(CELL, xs="x.csv", _header="no"))


def test_the_first_bytes_of_a_file_are_not_how_another_is_read() -> None:
    Path("x.csv").write_bytes(b".tsv 1\n")
    Path("x.tsv").write_bytes(b"1\n")
    for name, is_known in (("x.csv", False), ("x.tsv", False), ("x.csv", True), ("x.tsv", True)):
        assert is_replayed(released(CELL, xs=name, _header="no")) == is_known


ONE_COLUMN = """pλ ε : ℝ⁺ . xs : 𝕄 [L∞, U | ★, 1⋅𝔻 else 0], ε : ℝ⁺[ε] ⇒
  laplace[auto, ε] <xs> { mfold-row 0.0, xs { a, r ⇒ a + clip[0.0, 100.0] (r#[0, 0]) } }
"""


def test_another_column_of_the_same_file_is_other_data() -> None:
    Path("x.csv").write_text("a,b\n0,100\n0,100\n")
    for column, is_known in (("a", False), ("b", False), ("a", True), ("b", True)):
        release = released(ONE_COLUMN, xs=f"x.csv:{column}")
        assert is_replayed(release) == is_known, column


@pytest.mark.parametrize("number", [1, 0.1, Fraction(1, 3)])
def test_a_run_is_the_same_from_the_command_line_and_from_python(
    number: int | float | Fraction, capsys: pytest.CaptureFixture[str]
) -> None:
    checked = duetpy.parse(ONE_COLUMN, notion="eps").check()
    Path("x.csv").write_text("a\n1\n")
    Path("p.eps.duet").write_text(ONE_COLUMN, encoding="utf-8")
    words = ["run", "p.eps.duet", "--data", "x.csv", "--set", f"ε={number}", "--ledger", "l", "--on-bad-row", "default"]
    assert main([*words, "--format", "json"]) == 0
    shown = json.loads(capsys.readouterr().out)["result"]
    for path in ("x.csv", Path("x.csv")):
        release = checked.run(xs=path, ε=number, _ledger="l", _on_bad_row="default")
        assert is_replayed(release)
        assert release.result == shown


def test_another_delta_is_another_request() -> None:
    """What is said of a release, and what it was charged, is for its δ."""
    create(Path("of-delta"), parse_budget("epsilon=10,delta=0.1"), "people")
    checked = duetpy.parse(GAUSSIAN, notion="zcdp").check()
    for delta, is_known in (("1e-6", False), ("1e-3", False), ("1e-6", True), ("1e-3", True)):
        release = checked.run(x=3.0, ρ=0.01, _ledger="of-delta", _delta=delta)
        assert is_replayed(release) == is_known, delta


KINDS_ALONE = "pλ e : ℝ⁺ . x : ℝ ⇒ laplace[1.0, ℝ⁺[e]] <x> { x }"


def test_another_number_or_notion_is_another_request() -> None:
    create(Path("of-delta"), parse_budget("epsilon=10,delta=0.1"), "people")
    for notion, number, is_known in (("eps", 1, False), ("eps", 2, False), ("approx", 1, False), ("eps", 2, True)):
        release = duetpy.parse(KINDS_ALONE, notion=notion).check().run(x=3.0, e=number, _ledger="of-delta")
        assert is_replayed(release) == is_known, (notion, number)


@pytest.mark.parametrize("first", [0.5, 7])
def test_another_public_value_is_another_request(first: float) -> None:
    text = "pλ ε : ℝ⁺ . x : ℝ, z : ℝ, ε : ℝ⁺[ε] ⇒ a ← laplace[1.0, ε] <x> { x } ; return a + z"
    for value, is_known in ((first, False), (8.5, False), (first, True)):
        assert is_replayed(released(text, x=3.0, z=duetpy.public(value))) == is_known, value


def test_what_bad_rows_count_as_is_part_of_a_request() -> None:
    """A release in which a bad row counts as a default is not shown to somebody who wants to know of bad rows."""
    Path("x.csv").write_text("1\n?\n")
    released(CELL, xs="x.csv", _header="no")
    checked = duetpy.parse(CELL, notion="eps").check()
    with pytest.raises(DuetError) as caught:
        checked.run(xs="x.csv", ε=1, _ledger="l", _header="no", _on_bad_row="refuse")
    assert {each.code for each in caught.value.diagnostics} == {"D0604"}


def test_how_a_file_is_read_is_part_of_a_request() -> None:
    Path("x.csv").write_text("1\n2\n")
    ways: list[dict[str, object]] = [{"_header": "no"}, {"_header": "yes"}, {"_header": "no", "_missing": ["2"]}]
    for is_known in (False, True):
        assert [is_replayed(released(CELL, xs="x.csv", **way)) for way in ways] == [is_known] * 3


def test_one_file_twice_is_another_request_than_two_copies() -> None:
    text = (
        "pλ ε : ℝ⁺ . xs : 𝕄 [L∞, U | ★, 1⋅𝔻 else 0], ys : 𝕄 [L∞, U | ★, 1⋅𝔻 else 0], ε : ℝ⁺[ε] ⇒ "
        "laplace[auto, ε] <xs, ys> { real (rows xs) + real (rows ys) }"
    )
    for name in ("x.csv", "y.csv"):
        Path(name).write_text("1\n")
    create(Path("m"), parse_budget("epsilon=10"), "people")
    for other, spent in (("y.csv", 1.0), ("x.csv", 2.0)):
        release = duetpy.parse(text, notion="eps").check().run(xs="x.csv", ys=other, ε=1, _ledger="m", _header="no")
        assert release.ledger is not None
        assert release.ledger["charged"]["epsilon"] == spent


def test_a_pair_of_one_file_twice_is_another_request_than_of_two_copies() -> None:
    table = "𝕄 [L∞, U | ★, 1⋅𝔻 else 0]"
    text = (
        f"pλ ε : ℝ⁺ . p : {table} × {table}, ε : ℝ⁺[ε] ⇒ "
        "laplace[auto, ε] <p> { let ⟨xs, ys⟩ = p in real (rows xs) + real (rows ys) }"
    )
    for name in ("x.csv", "y.csv"):
        Path(name).write_text("1\n")
    create(Path("m"), parse_budget("epsilon=10"), "people")
    for other, spent in (("y.csv", 1.0), ("x.csv", 2.0)):
        release = duetpy.parse(text, notion="eps").check().run(p=("x.csv", other), ε=1, _ledger="m", _header="no")
        assert not is_replayed(release)
        assert release.ledger is not None
        assert release.ledger["charged"]["epsilon"] == spent


GAUSSIAN = "pλ ρ : ℝ⁺ . x : ℝ, ρ : ℝ⁺[ρ] ⇒ gauss[1.0, ρ] <x> { x }"
HALF = "def abs = sλ x : ℝ ⇒ 0.5 ⋅ x;"
DISTANCE = "def distance = sλ x : ℝ ⇒ abs x;"
FROM_ZERO = "pλ ε : ℝ⁺ . x : ℝ, ε : ℝ⁺[ε] ⇒ laplace[1.0, ε] <x> { distance x }"


def test_a_word_that_is_a_name_in_one_file_is_a_primitive_in_another() -> None:
    """Linked with its imports, either program is written like the other, and the release of one was returned for the other."""
    Path("half.duet").write_text(HALF)
    Path("distance.duet").write_text(DISTANCE)
    both = f'import "half.duet"; import "distance.duet"; {FROM_ZERO}'
    in_one_file = f"{HALF} {DISTANCE} {FROM_ZERO}"
    assert not is_replayed(released(in_one_file, x=-1000))
    assert is_replayed(released(in_one_file, x=-1000))
    release = released(both, x=-1000)
    assert not is_replayed(release)
    assert release.result > 0


WRITER = "import duckdb, os; c = duckdb.connect('x.duckdb'); c.execute('INSERT INTO t VALUES (1.0)'); os._exit(0)"


def test_what_a_database_has_not_written_into_its_file_is_not_read() -> None:
    """Its rows counted, and the file had not changed: the release for the rows of before was returned."""
    with import_module("duckdb").connect("x.duckdb") as database:
        database.execute("CREATE TABLE t AS SELECT 0.0::DOUBLE AS a")
    table = "duckdb:x.duckdb?table=t"
    released(CELL, xs=table)
    assert is_replayed(released(CELL, xs=table))
    subprocess.run([sys.executable, "-c", WRITER], check=True)
    Path("link.duckdb").symlink_to("x.duckdb")
    checked = duetpy.parse(CELL, notion="eps").check()
    for name in (table, "duckdb:link.duckdb?table=t"):
        for rule in ("refuse", "default"):
            with pytest.raises(DuetError) as caught:
                checked.run(xs=name, ε=1, _ledger="l", _on_bad_row=rule)
            (found,) = caught.value.diagnostics
            assert (found.code, ".wal" in found.message) == ("D0601", True)
    with import_module("duckdb").connect("x.duckdb") as database:
        database.execute("CHECKPOINT")
    assert not is_replayed(released(CELL, xs=table))


def test_a_stored_release_has_the_errors_that_it_was_made_with() -> None:
    """The same program on other lines is the same request, and its mechanisms are known by their lines."""
    text = """pλ . xs : 𝕄 [L∞, U | ★, 1⋅𝔻 else 0] ⇒
number ← laplace[auto, 1.0] <xs> { real (rows xs) } ;
total ← laplace[auto, 0.01] <xs> { mfold-row 0.0, xs { t, r ⇒ t + clip[0.0, 1.0] (r#[0, 0]) } } ;
return ⟨number, total⟩
"""
    Path("x.csv").write_text("1\n2\n", encoding="utf-8")
    one, moved, joined = (
        duetpy.parse(each, notion="eps").check().run(xs="x.csv", _ledger="l")
        for each in (text, f"\n{text}", text.replace(";\n", "; "))
    )
    assert is_replayed(moved)
    assert is_replayed(joined)
    errors = [column.error95 for column in one.table().columns]
    assert errors == [entry["error95"] for entry in one.releases]
    assert errors == [column.error95 for column in moved.table().columns]
    assert errors == [column.error95 for column in joined.table().columns]


def test_a_stored_release_says_where_its_mechanisms_stand_now_and_whom_the_given_file_protects() -> None:
    library = "def many = pλ . xs : 𝕄 [L∞, U | ★, 1⋅𝔻 else 0] ⇒ laplace[auto, 0.25] <xs> { real (rows xs) }\n"
    text = """import "lib.eps.duet" ;
pλ . xs : 𝕄 [L∞, U | ★, 1⋅𝔻 else 0] ⇒
a ← laplace[auto, 1] <xs> { real (rows xs) } ; b ← laplace[auto, 0.5] <xs> { real (rows xs) } ;
c ← many@[ . xs] ; return ⟨a, ⟨b, c⟩⟩
"""

    def said(text: str, library: str, name: str) -> tuple[bool, str, dict[int, tuple[int, str | None]]]:
        Path("lib.eps.duet").write_text(library, encoding="utf-8")
        Path(name).write_text("1\n2\n", encoding="utf-8")
        release = duetpy.parse(text, name="p.eps.duet").check().run(xs=name, _ledger="l")
        places = {round(each["scale"]): (each["line"], each["file"]) for each in release.releases}
        return is_replayed(release), release.privacy["unit"], places

    places = {1: (3, None), 2: (3, None), 4: (1, "lib.eps.duet")}
    assert said(text, library, "x.csv") == (False, "one row of x.csv", places)
    moved = {1: (4, None), 2: (5, None), 4: (3, "lib.eps.duet")}
    again = said(text.replace("⇒", "⇒\n").replace("b ←", "\nb ←"), f"-- How many.\n\n{library}", "y.csv")
    assert again == (True, "one row of y.csv", moved)


def test_a_stored_release_without_errors_has_none() -> None:
    """Those of earlier versions have none."""
    Path("x.csv").write_text("1\n", encoding="utf-8")
    release = released(CELL, xs="x.csv")
    assert release.table().columns[0].error95 is not None
    assert evolve(release, errors=()).table().columns == (evolve(release.table().columns[0], error95=None),)
