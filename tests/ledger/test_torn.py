"""Ledgers that are not as one process left them: cut off, with pages of two moments, with what sqlite keeps next to a file left
over from another file or another time, and under a second name. What is refused stays as it is.
"""

import itertools
import os
import random
import sqlite3
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from duetpy.accounting.budget import parse_budget
from duetpy.cli.main import main
from duetpy.diagnostics.error import DuetError
from duetpy.ledger import recovery
from duetpy.ledger.place import JOURNAL as MAGIC
from duetpy.ledger.recovery import LOCKS, played_back
from duetpy.ledger.store import Ledger, create, verified
from tests.effort import often
from tests.ledger.harm import CHANGED, SAME, Bench, add, earlier, filled, written_in_place
from tests.ledger.test_store import TENTH, body, code_of, reserve

ROOT = Path(__file__).parents[2]
PAGE = 4096


def split(content: bytes) -> list[bytes]:
    return [content[at : at + PAGE] for at in range(0, len(content), PAGE)]


def told(path: Path) -> int | str:
    """How many entries a ledger has, or the code of its refusal."""
    try:
        return len(Ledger(path).state().entries)
    except DuetError as error:
        return error.diagnostics[0].code


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path / "l", lambda path: filled(path, 3))


def ends(bench: Bench, content: bytes) -> str:
    """What becomes of it; without the beginning of a file nobody can tell that it was a ledger."""
    if content[:PAGE] == bench.good[:PAGE]:
        return bench.outcome(content)
    bench.put(content)
    code = code_of(bench.read)
    assert code_of(lambda: reserve(bench.path)) == code
    assert bench.path.read_bytes() == content
    return code


# ---------------------------------------------------------------------------------------------------------------------
# Pages


def test_a_file_that_was_cut_off(bench: Bench) -> None:
    size = len(bench.good)
    lengths = [*range(0, PAGE, 512), *range(PAGE, size, 512), *(page * PAGE + 1 for page in range(5)), size - 1]
    assert {ends(bench, bench.good[:length]) for length in lengths} <= {CHANGED, "D0722"}
    assert {ends(bench, bench.good[:length]) for length in lengths if length >= PAGE} == {CHANGED}


@pytest.mark.parametrize("more", [1, 512, PAGE, 3 * PAGE])
def test_what_follows_the_end_of_the_file_is_not_read(bench: Bench, more: int) -> None:
    assert {bench.outcome(bench.good + bytes(more)), bench.outcome(bench.good + bench.good[:more])} == {SAME}


def test_pages_that_changed_places(bench: Bench) -> None:
    pages = split(bench.good)
    for one, other in itertools.permutations(range(len(pages)), 2):
        exchanged, doubled = list(pages), list(pages)
        exchanged[one], exchanged[other] = pages[other], pages[one]
        doubled[one] = pages[other]
        for content, is_known in ((exchanged, 0 not in (one, other)), (doubled, one != 0)):
            assert ends(bench, b"".join(content)) in ((CHANGED,) if is_known else (CHANGED, "D0722"))


@pytest.mark.parametrize("page", range(5))
def test_pages_of_nothing(bench: Bench, page: int) -> None:
    pages = split(bench.good)
    assert ends(bench, b"".join([*pages[:page], bytes(PAGE), *pages[page + 1 :]])) == (CHANGED if page else "D0722")


@pytest.mark.parametrize(("runs", "size"), [(0, 1), (3, 1), (9, 1), (10, 900), (11, 900)])
def test_a_copy_that_was_made_while_the_ledger_was_written(tmp_path: Path, runs: int, size: int) -> None:
    """Some pages of before a charge and some of after it, in every way: one of both ledgers, or a damaged one."""
    path = tmp_path / "l"
    filled(path, runs, size)
    before = split(path.read_bytes())
    add(path, runs, size)
    after = split(path.read_bytes())
    old = before + [bytes(PAGE)] * (len(after) - len(before))
    changed = [page for page in range(len(after)) if old[page] != after[page]]
    assert len(changed) > 3
    found = set()
    for taken in itertools.product((False, True), repeat=len(changed)):
        mixed = list(old)
        for page, is_new in zip(changed, taken, strict=True):
            mixed[page] = after[page] if is_new else old[page]
        written_in_place(path, b"".join(mixed))
        found.add(told(path))
    assert found == {2 * runs, 2 * runs + 2, CHANGED}


# ---------------------------------------------------------------------------------------------------------------------
# Journals


def journal(content: bytes, numbers: list[int], nonce: int = 7) -> bytes:
    """What sqlite writes next to a file before it changes pages (counted from 0) of it."""
    pages = split(content)
    found = MAGIC + struct.pack(">IIIII", len(numbers), nonce, len(pages), 512, PAGE)
    found = found.ljust(512, b"\0")
    for number in numbers:
        check = (nonce + sum(pages[number][PAGE - 200 : 0 : -200])) % (1 << 32)
        found += struct.pack(">I", number + 1) + pages[number] + struct.pack(">I", check)
    return found


class Crash:
    """A charge that was not finished: the file before and after it, and the journal that lay next to the file meanwhile."""

    def __init__(self, path: Path) -> None:
        filled(path, 3)
        self.path, self.beside = path, Path(f"{path}-journal")
        self.before = path.read_bytes()
        reserve(path)
        self.after = path.read_bytes()
        old, new = split(self.before), split(self.after)
        self.changed = [page for page in range(len(old)) if old[page] != new[page]]
        self.journal = journal(self.before, self.changed)

    def torn(self, *new: int) -> bytes:
        """The file when some of its pages had been written."""
        pages, after = split(self.before), split(self.after)
        for page in new:
            pages[page] = after[page]
        return b"".join(pages)

    def put(self, content: bytes, beside: bytes) -> None:
        written_in_place(self.path, content)
        written_in_place(self.beside, beside)

    def halves(self) -> Iterator[bytes]:
        for count in range(len(self.changed) + 1):
            for new in itertools.combinations(self.changed, count):
                yield self.torn(*new)


@pytest.fixture
def crash(tmp_path: Path) -> Crash:
    return Crash(tmp_path / "l")


def test_a_charge_that_was_not_finished_is_undone(crash: Crash) -> None:
    for content in crash.halves():
        crash.put(content, crash.journal)
        assert len(Ledger(crash.path).state().entries) == 6
        assert not crash.beside.exists()
        assert crash.path.read_bytes() == crash.before
        assert reserve(crash.path) == 7


@pytest.mark.parametrize(("number", "ends"), [(0, True), (LOCKS // PAGE + 1, True), (LOCKS // PAGE, False)])
def test_a_page_with_another_number_is_tried_out_as_sqlite_plays_it_back(crash: Crash, number: int, ends: bool) -> None:
    """Nothing follows a page without a number, or the one of the locks. One beyond the file is passed over, whole or not."""
    content = crash.torn(*crash.changed)
    for record, page in enumerate(crash.changed):
        beside = bytearray(crash.journal)
        at = 512 + record * (PAGE + 8)
        beside[at : at + 4] = number.to_bytes(4, "big")
        beside[at + 4 + PAGE] ^= not ends
        foreseen = played_back(content, bytes(beside))
        assert foreseen == crash.torn(*(crash.changed[record:] if ends else [page]))
        crash.put(content, bytes(beside))
        with closing(sqlite3.connect(crash.path)) as database, suppress(sqlite3.DatabaseError):
            database.execute("PRAGMA user_version").fetchall()
        assert crash.path.read_bytes() == foreseen


def test_sqlite_plays_back_what_is_tried_out(crash: Crash) -> None:
    """Whichever bit of a journal is turned, sqlite makes of it what was foreseen."""
    content, chosen = crash.torn(*crash.changed[:2]), random.Random(5)
    heads = [8 * at + bit for at in range(28) for bit in range(8)]
    records = [8 * (512 + record * (PAGE + 8) + at) + 1 for record in range(len(crash.changed)) for at in range(4)]
    undone = 0
    for bit in [*heads, *records, *chosen.sample(range(8 * len(crash.journal)), often(200, 60))]:
        beside = bytearray(crash.journal)
        beside[bit // 8] ^= 1 << bit % 8
        foreseen = played_back(content, bytes(beside)) if beside.startswith(MAGIC) else content
        crash.put(content, bytes(beside))
        if not foreseen:
            assert code_of(lambda: Ledger(crash.path).state()) == CHANGED
            assert (crash.path.read_bytes(), crash.beside.read_bytes()) == (content, bytes(beside))
            continue
        with closing(sqlite3.connect(crash.path)) as database, suppress(sqlite3.DatabaseError):
            database.execute("PRAGMA user_version").fetchall()
        assert crash.path.read_bytes() == foreseen, bit
        undone += foreseen == crash.before
    assert undone > 20


def test_a_damaged_journal(crash: Crash) -> None:
    """The charge is undone, or it is said that the file is damaged, and then the journal is there still to be looked at."""
    content, chosen = crash.torn(*crash.changed[:2]), random.Random(6)
    refused = 0
    for bit in [*range(0, 8 * 28, 3), *chosen.sample(range(8 * len(crash.journal)), often(200, 60))]:
        beside = bytearray(crash.journal)
        beside[bit // 8] ^= 1 << bit % 8
        crash.put(content, bytes(beside))
        found = told(crash.path)
        # What does not begin as a journal is not one of sqlite's.
        assert found in (6, CHANGED) if bit >= 64 else found == "D0724"
        if found != 6:
            assert (crash.path.read_bytes(), crash.beside.read_bytes()) == (content, bytes(beside))
            refused += 1
    assert refused > often(50, 20)


def test_a_journal_of_long_ago_is_not_played_back(crash: Crash) -> None:
    """It would undo charges that were finished."""
    add(crash.path)
    later = crash.path.read_bytes()
    crash.put(later, crash.journal)
    for action in (lambda: Ledger(crash.path).state(), lambda: reserve(crash.path)):
        assert code_of(action) == "D0724"
        assert (crash.path.read_bytes(), crash.beside.read_bytes()) == (later, crash.journal)
    crash.beside.unlink()
    assert len(Ledger(crash.path).state().entries) == 9


def test_sqlite_alone_undoes_charges(crash: Crash, monkeypatch: pytest.MonkeyPatch) -> None:
    """The control."""
    add(crash.path)
    crash.put(crash.path.read_bytes(), crash.journal)
    monkeypatch.setattr(recovery, "JOURNAL", b"another")
    assert len(Ledger(crash.path).state().entries) == 6


def test_a_journal_of_another_ledger_is_not_played_back(crash: Crash, tmp_path: Path) -> None:
    other = tmp_path / "other"
    filled(other, 3)
    content = other.read_bytes()
    crash.put(content, crash.journal)
    assert code_of(lambda: Ledger(crash.path).state()) == "D0724"
    assert (crash.path.read_bytes(), crash.beside.read_bytes()) == (content, crash.journal)


def test_a_journal_without_a_page_is_passed_over(crash: Crash) -> None:
    for beside in (b"", MAGIC, MAGIC + bytes(5000), bytes(600)):
        crash.put(crash.before, beside)
        assert len(Ledger(crash.path).state().entries) == 6
        assert reserve(crash.path) == 7


@pytest.mark.parametrize("end", ["-journal", "-wal"])
def test_what_is_no_journal_is_not_taken_away(crash: Crash, end: str) -> None:
    """A table, or another ledger, that happens to have such a name: sqlite takes it for a journal and deletes it."""
    other = Path(f"{crash.path}{end}")
    for content in (b"age\n41\n", crash.after):
        other.write_bytes(content)
        for action in (lambda: Ledger(crash.path).state(), lambda: reserve(crash.path)):
            assert code_of(action) == "D0724"
        crash.path.unlink()
        assert code_of(lambda: create(crash.path, parse_budget("epsilon=1"), "people")) == "D0724"
        assert not crash.path.exists()
        assert other.read_bytes() == content
        crash.path.write_bytes(crash.after)
    other.unlink()
    assert len(Ledger(crash.path).state().entries) == 7


def test_sqlite_deletes_what_has_such_a_name(crash: Crash) -> None:
    """The control."""
    crash.put(crash.after, b"age\n41\n")
    with closing(sqlite3.connect(crash.path)) as database:
        database.execute("PRAGMA user_version").fetchall()
    assert not crash.beside.exists()


@pytest.mark.parametrize("end", ["-journal", "-wal", "-shm"])
def test_no_ledger_is_begun_under_such_a_name(tmp_path: Path, end: str) -> None:
    path = tmp_path / f"l{end}"
    assert code_of(lambda: create(path, parse_budget("epsilon=1"), "people")) == "D0722"
    assert not path.exists()


def test_trying_out_lets_go_of_no_lock(crash: Crash) -> None:
    """To close a file lets go of every lock that a process has on it, as POSIX has it."""
    asking = "import sqlite3, sys; sqlite3.connect(sys.argv[1], timeout=0).execute('BEGIN IMMEDIATE')"

    def is_held() -> bool:
        found = subprocess.run([sys.executable, "-c", asking, crash.path], capture_output=True, text=True, check=False)
        return "database is locked" in found.stderr

    with closing(sqlite3.connect(crash.path, isolation_level=None)) as database:
        database.execute("BEGIN IMMEDIATE")
        crash.beside.write_bytes(crash.journal)
        assert recovery.unfinished(crash.path) is not None
        crash.beside.unlink()
        assert is_held()
        # The control.
        crash.path.read_bytes()
        assert not is_held()


# ---------------------------------------------------------------------------------------------------------------------
# What else may lie next to a ledger, and other names


@pytest.mark.parametrize("end", ["-journal", "-wal", "-shm"])
@pytest.mark.parametrize("kind", ["pipe", "folder", "link"])
def test_what_is_no_file_beside_a_ledger_is_not_opened(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], end: str, kind: str
) -> None:
    """To open a pipe waits for somebody who writes into it, for ever."""
    path, other = tmp_path / "l", tmp_path / f"l{end}"
    create(path, parse_budget("epsilon=1"), "people")
    match kind:
        case "pipe":
            os.mkfifo(other)
        case "folder":
            other.mkdir()
        case _:
            other.symlink_to("nowhere")
    for words in (["verify"], ["show"]):
        assert main(["ledger", *words, str(path)]) == 1
        told = capsys.readouterr().err
        assert told.startswith("error[D0724]")
        assert f"l{end} is not a regular file" in told
    assert code_of(lambda: reserve(path)) == "D0724"
    path.unlink()
    assert code_of(lambda: create(path, parse_budget("epsilon=1"), "people")) == "D0724"
    assert not path.exists()


def test_a_log_of_another_program_is_not_read_in_the_place_of_the_ledger(bench: Bench) -> None:
    """Neither while that program has the ledger open, nor when it is left over."""
    log = Path(f"{bench.path}-wal")
    with closing(sqlite3.connect(bench.path, isolation_level=None)) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA user_version = 9")
        in_use, beside = bench.path.read_bytes(), log.read_bytes()
        assert code_of(bench.read) == "D0724"
        assert code_of(lambda: reserve(bench.path)) == "D0724"
    for content in (in_use, bench.good):
        bench.put(content)
        log.write_bytes(beside)
        assert code_of(bench.read) == "D0724"
        assert code_of(lambda: reserve(bench.path)) == "D0724"
        assert (bench.path.read_bytes(), log.read_bytes()) == (content, beside)
    log.unlink()
    assert len(bench.read().entries) == 6


def test_a_damaged_ledger_in_another_mode_stays_as_it_is(bench: Bench) -> None:
    bench.put(bench.good)
    with closing(sqlite3.connect(bench.path)) as database:
        database.execute("PRAGMA journal_mode = WAL")
    content = bytearray(bench.path.read_bytes())
    content[2 * PAGE + 4] ^= 4
    bench.put(bytes(content))
    assert code_of(bench.read) == code_of(lambda: reserve(bench.path)) == CHANGED
    assert bench.path.read_bytes() == bytes(content)


def test_a_ledger_that_another_program_holds_in_another_mode(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """It cannot be written as it has to be, so it is not written."""
    from duetpy.ledger import layout, place

    monkeypatch.setattr(layout, "PATIENCE", 0.05)
    bench.put(bench.good)
    with closing(sqlite3.connect(bench.path, isolation_level=None)) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("BEGIN")
        database.execute("SELECT * FROM terms").fetchall()
        monkeypatch.setattr(place, "BESIDE", ())
        assert code_of(lambda: reserve(bench.path)) == "D0724"


def test_a_second_name(bench: Bench) -> None:
    bench.put(bench.good)
    other = bench.path.with_name("other")
    os.link(bench.path, other)
    assert {code_of(Ledger(path).state) for path in (bench.path, other)} == {"D0724"}
    assert {code_of(lambda path=path: reserve(path)) for path in (bench.path, other)} == {"D0724"}
    assert bench.path.read_bytes() == bench.good
    other.unlink()
    assert reserve(bench.path) == 7


# ---------------------------------------------------------------------------------------------------------------------
# Other versions


def test_a_ledger_of_the_version_before_is_read_and_sealed_by_its_next_charge(tmp_path: Path) -> None:
    path = tmp_path / "l"
    earlier(path, 3)
    before = Ledger(path).state()
    assert len(before.entries) == 6
    assert not before.is_sealed
    content = path.read_bytes()
    assert code_of(lambda: reserve(path, type(TENTH)(TENTH.amount * 100))) == "D0702"
    assert path.read_bytes() == content
    assert reserve(path) == 7
    after = Ledger(path).state()
    assert (after.entries[:6], after.key, after.terms) == (before.entries, before.key, before.terms)
    assert after.is_sealed
    verified(path, after, 6, before.head)
    add(path)
    assert len(Ledger(path).state().entries) == 9


def test_a_seal_that_was_taken_off_is_missed(tmp_path: Path) -> None:
    """Or the end of a ledger of the version before could be cut off as before."""
    path = tmp_path / "l"
    earlier(path, 3)
    reserve(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("DROP TABLE seal")
    assert code_of(lambda: Ledger(path).state()) == CHANGED


def test_a_ledger_of_the_version_before_without_a_charge_is_begun_anew(tmp_path: Path) -> None:
    """Nothing holds its budget, and nothing is lost with it."""
    path = tmp_path / "l"
    earlier(path, 0)
    content = path.read_bytes()
    assert code_of(lambda: Ledger(path).state()) == "D0722"
    assert code_of(lambda: Ledger(path).reserve(TENTH, body(TENTH))) == "D0722"
    assert path.read_bytes() == content
