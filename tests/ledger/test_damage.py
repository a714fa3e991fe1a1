"""Ledgers that somebody wrote into: every column in turn, with every kind of value, stops the run, which says why, and no fault
stops it. What sqlite notes in addition to the rows, and files that are not ledgers, likewise.
"""

import errno
import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from duetpy.accounting.budget import parse_budget
from duetpy.cli.main import main
from duetpy.diagnostics.error import DuetError
from duetpy.ledger import store
from duetpy.ledger.chain import completion
from duetpy.ledger.store import Ledger, create
from tests.ledger.harm import written_in_place
from tests.ledger.test_store import code_of, meddle, reseal, reserve

DEEP = '{"a":' * 20_000 + "1" + "}" * 20_000

VALUES = {
    "another text": "'x'",
    "nothing": "''",
    "bytes": "x'00ff'",
    "a whole number": "7",
    "the largest number": "9223372036854775807",
    "a number": "0.5",
    "no text": "cast(x'7b22ff227d' as text)",
    "a deep text": f"'{DEEP}'",
    "many digits": f"""'{{"a":{"9" * 5000}}}'""",
    "not a number": """'{"a":NaN}'""",
    "a half of a letter": """'{"a":"\\ud800"}'""",
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "people.ledger"
    create(made, parse_budget("epsilon=1"), "people")
    for _ in range(2):
        number = reserve(made)
        Ledger(made).complete(completion(number, "0" * 64, {"result": 1}), Ledger(made).state().head)
    return made


def codes(path: Path) -> set[str]:
    """What showing it and charging it say."""
    return {code_of(lambda: Ledger(path).state()), code_of(lambda: reserve(path))}


@pytest.mark.parametrize("value", VALUES, ids=[name.replace(" ", "-") for name in VALUES])
@pytest.mark.parametrize("column", ["kind", "at", "body", "previous", "hash"])
@pytest.mark.sparse(3)
def test_a_cell_that_was_written_over_is_found(path: Path, column: str, value: str) -> None:
    meddle(path, f"UPDATE entries SET {column} = {VALUES[value]} WHERE number = 3")
    assert codes(path) == {"D0723"}


def test_whoever_keeps_what_refused_a_ledger_does_not_hold_it(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Notebooks keep the last error, and with it what was being read: nobody could charge the ledger that was put back."""
    monkeypatch.setattr("duetpy.ledger.layout.PATIENCE", 0.1)
    whole = path.read_bytes()
    meddle(path, "UPDATE entries SET body = 'x' WHERE number = 2")
    kept = []
    for use in (Ledger(path).state, lambda: reserve(path)):
        with pytest.raises(DuetError, match="D0723") as found:
            use()
        kept.append(found.value)
    written_in_place(path, whole)
    assert reserve(path) == 5


def test_the_same_write_of_what_was_there_is_not(path: Path) -> None:
    """The control: it is the change that is found, not the way in which it was made."""
    meddle(path, "UPDATE entries SET body = body || '' WHERE number = 3")
    assert len(Ledger(path).state().entries) == 4


@pytest.mark.parametrize("number", ["-1", "0", "9", "9223372036854775807"])
def test_numbers_follow_each_other(path: Path, number: str) -> None:
    meddle(path, f"UPDATE entries SET number = {number} WHERE number = 4")
    assert codes(path) == {"D0723"}


def test_bytes_are_not_the_text_that_they_spell(path: Path) -> None:
    meddle(path, "UPDATE entries SET body = cast(body AS BLOB) WHERE number = 3")
    assert codes(path) == {"D0723"}


@pytest.mark.parametrize("key", ["5", "9223372036854775807", "'abc'", "x''", "x'00'"])
def test_a_key_that_is_none_is_found(path: Path, key: str) -> None:
    """Under a short key a digest confirms a guess."""
    meddle(path, f"UPDATE terms SET key = {key}")
    assert codes(path) == {"D0723"}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"notion":"eps"', '"notion":"renyi"'),
        ('"notion":"eps"', '"notion":"approx"'),
        ('"notion":"eps"', '"notion":"none"'),
        ('"dataset":"people",', ""),
        ('"dataset":"people"', '"dataset":7'),
        ('"delta":"0"', '"delta":"5"'),
        ('"amount":"1"', '"amount":"0"'),
        ('"version":3', '"version":3.0'),
        ('"version":3', '"version": 3'),
        ('"version":3', '"version":1'),
        ('"version":3', '"version":7'),
        ('"version":3', '"version":true'),
    ],
)
def test_terms_of_a_ledger_without_entries(tmp_path: Path, old: str, new: str) -> None:
    """Nothing is chained to them yet, and the seal is made to fit them: that they make sense is all that can be held."""
    path = tmp_path / "l"
    create(path, parse_budget("epsilon=1"), "people")
    meddle(path, f"UPDATE terms SET text = replace(text, '{old}', '{new}')")
    assert codes(path) == {"D0723"}
    reseal(path)
    assert codes(path) == {"D0723"}


@pytest.mark.parametrize("value", ["5", "x'00'", "'[]'", f"'{DEEP}'", "cast(x'ff' as text)"])
def test_terms_that_are_none(path: Path, value: str) -> None:
    meddle(path, f"UPDATE terms SET text = {value}")
    assert codes(path) == {"D0723"}


def test_terms_that_are_gone(path: Path) -> None:
    meddle(path, "DELETE FROM terms")
    assert codes(path) == {"D0723"}


def test_a_ledger_of_a_later_version_is_not_called_damaged(path: Path) -> None:
    """It may well hold more tables."""
    meddle(
        path,
        """UPDATE terms SET text = replace(text, '"version":3', '"version":4')""",
        "PRAGMA user_version = 4",
        "CREATE TABLE more (a)",
        "ALTER TABLE entries ADD COLUMN total TEXT",
    )
    assert codes(path) == {"D0722"}


@pytest.mark.parametrize(
    "statements",
    [
        ["DROP TABLE terms", "CREATE TABLE terms (a)"],
        ["DROP TABLE terms", "CREATE VIEW terms AS SELECT 1 AS only, 'x' AS text, x'00' AS key"],
        ["DROP TABLE entries", "CREATE TABLE entries (number)"],
    ],
)
def test_other_tables_in_the_place_of_its_own(path: Path, statements: list[str]) -> None:
    database = sqlite3.connect(path, isolation_level=None)
    for statement in statements:
        database.execute(statement)
    database.close()
    assert codes(path) == {"D0723"}


def test_a_torn_file_is_damaged(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[4096:8192] = bytes(4096)
    path.write_bytes(content)
    assert codes(path) == {"D0723"}


def test_the_database_of_another_program_stays_as_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = tmp_path / "other.db"
    database = sqlite3.connect(other)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("CREATE TABLE a (b)")
    database.commit()
    database.close()
    before = other.read_bytes()
    for words in (["verify"], ["show"]):
        assert main(["ledger", *words, str(other)]) == 1
        assert "D0722" in capsys.readouterr().err
    assert other.read_bytes() == before
    # The control: setting the way of writing, as for a ledger, writes into the file.
    shutil.copy(other, tmp_path / "copy.db")
    database = sqlite3.connect(tmp_path / "copy.db")
    database.execute("PRAGMA journal_mode = DELETE")
    database.close()
    assert (tmp_path / "copy.db").read_bytes() != before


def test_a_ledger_that_was_put_into_another_mode_is_used(path: Path) -> None:
    database = sqlite3.connect(path)
    database.execute("PRAGMA journal_mode = WAL")
    database.close()
    assert reserve(path) == 5
    assert path.read_bytes()[18:20] == b"\x01\x01"


@pytest.mark.parametrize("name", ["a" * 300, "no/such\0name"])
def test_names_that_no_file_can_have(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    actions: list[Callable[[], object]] = [
        lambda: Ledger(path).state(),
        lambda: reserve(path),
        lambda: create(path, parse_budget("epsilon=1"), "people"),
    ]
    assert {code_of(action) for action in actions} <= {"D0722", "D0724"}


def test_a_folder_that_may_not_be_looked_into(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "is_symlink", forbidden)
    assert codes(path) == {"D0724"}


def test_a_journal_of_another_file_does_not_harm_a_new_ledger(tmp_path: Path) -> None:
    """What was left next to a ledger that somebody deleted."""
    path = tmp_path / "l"
    for end in ("-journal", "-wal"):
        (tmp_path / f"l{end}").write_bytes(b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + bytes(5000))
    create(path, parse_budget("epsilon=1"), "people")
    assert reserve(path) == 1
    assert len(Ledger(path).state().entries) == 1


def test_an_interrupted_beginning_leaves_nothing_in_the_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from duetpy.ledger import store

    path = tmp_path / "l"

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(store, "make_durable", interrupted)
        with pytest.raises(KeyboardInterrupt):
            create(path, parse_budget("epsilon=1"), "people")
    create(path, parse_budget("epsilon=1"), "people")
    assert reserve(path) == 1


@pytest.mark.parametrize("other", ["", "CREATE TABLE terms2 (text)"])
def test_terms_that_are_no_table_are_not_asked(path: Path, other: str) -> None:
    """A view could go on for ever: it is recognised before anything is read from it."""
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        text, key = database.execute("SELECT text, hex(key) FROM terms").fetchone()
        database.execute("DROP TABLE terms")
        database.execute(f"CREATE VIEW terms AS SELECT 1 AS only, '{text}' AS text, x'{key}' AS key")
        database.execute(other)
    with pytest.raises(DuetError, match="its terms were changed"):
        Ledger(path).state()


@pytest.mark.parametrize(
    ("fault", "raised"),
    [
        (sqlite3.OperationalError("database or disk is full"), DuetError),
        (OSError(errno.EIO, os.strerror(errno.EIO)), DuetError),
        (KeyboardInterrupt(), KeyboardInterrupt),
    ],
)
@pytest.mark.parametrize("is_there", [True, False])
def test_half_a_ledger_is_taken_away(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    fault: BaseException,
    raised: type[BaseException],
    is_there: bool,
) -> None:
    made = tmp_path / "new"

    def fail(folder: Path) -> None:
        if not is_there:
            made.unlink()
        raise fault

    monkeypatch.setattr(store, "_sync_folder", fail)
    with pytest.raises(raised) as caught:
        create(made, parse_budget("epsilon=1"), "people")
    assert not isinstance(caught.value, DuetError) or caught.value.diagnostics[0].code == "D0724"
    assert not made.exists()
