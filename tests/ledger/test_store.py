"""The file of a ledger: it only grows, it shows changes, and whatever is wrong with it stops the run."""

import multiprocessing
import os
import signal
import sqlite3
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path

import pytest

from duetpy.accounting.budget import Charge, parse_budget
from duetpy.diagnostics.error import DuetError
from duetpy.ledger import store
from duetpy.ledger.chain import canonical, completion, entry_hash, first_hash, parsed, reservation, seal
from duetpy.ledger.show import UNRECORDED, remaining, spent, text, value
from duetpy.ledger.store import Ledger, create, left, verified
from tests.effort import often

TENTH = Charge(Fraction(1, 10))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "people.ledger"
    create(made, parse_budget("epsilon=1"), "people")
    return made


def body(charge: Charge) -> dict[str, object]:
    return reservation(charge, "mean.eps.duet", "", "xs", "replace-one", "0", ())


def reserve(path: Path, charge: Charge = TENTH) -> int:
    return Ledger(path).reserve(charge, body(charge)).number


def test_an_entry_is_written_with_the_settings_that_wait_for_the_disk(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings: list[tuple[object, ...]] = []
    durable = store.make_durable

    def watched(database: sqlite3.Connection, where: Path) -> None:
        durable(database, where)
        asked = ("journal_mode", "synchronous", "fullfsync")
        settings.append(tuple(database.execute(f"PRAGMA {name}").fetchone()[0] for name in asked))

    monkeypatch.setattr(store, "make_durable", watched)
    reserve(path)
    create(path.with_name("other.ledger"), parse_budget("epsilon=1"), "people")
    extra = 3
    assert settings == [("delete", extra, 1)] * 2


def forge(path: Path, kind: str, said: Mapping[str, object]) -> None:
    """Append an entry that fits the chain, as whoever knows how hashes are made can."""
    state = Ledger(path).state()
    number, at, text = len(state.entries) + 1, "2026-01-01T00:00:00+00:00", canonical(dict(said))
    database = sqlite3.connect(path, isolation_level=None)
    row = (number, kind, at, text, state.head, entry_hash(number, kind, at, text, state.head))
    database.execute("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?)", row)
    database.close()
    reseal(path)


def reseal(path: Path) -> None:
    """Make the seal that fits what is in the file, as whoever knows how it is made can."""
    database = sqlite3.connect(path)
    text, key = database.execute("SELECT text, key FROM terms").fetchone()
    hashes = [found for (found,) in database.execute("SELECT hash FROM entries ORDER BY number")]
    database.close()
    terms = parsed(text)
    code = seal(key, terms, len(hashes), hashes[-1] if hashes else first_hash(terms))
    meddle(path, f"UPDATE seal SET number = {len(hashes)}, code = '{code}'")


def code_of(action: Callable[[], object]) -> str:
    with pytest.raises(DuetError) as caught:
        action()
    (diagnostic,) = caught.value.diagnostics
    return diagnostic.code


def test_a_charge_of_an_earlier_version_does_not_say_what_it_rests_on(path: Path) -> None:
    reserve(path)
    assert "earlier version" not in text(Ledger(path).state())
    said: dict[str, object] = {**body(TENTH)}
    del said["trusted"]
    forge(path, "reserved", said)
    reserve(path)
    state = Ledger(path).state()
    assert [entry["trusted"] for entry in value(state)["entries"]] == [[], None, []]
    assert text(state).splitlines()[-2] == UNRECORDED


def test_a_budget_is_spent_to_the_last_tenth_and_no_further(path: Path) -> None:
    for _ in range(10):
        reserve(path)
    assert code_of(lambda: reserve(path)) == "D0702"
    state = Ledger(path).state()
    assert spent(state) == {"epsilon": 1.0, "delta": 0.0}
    assert remaining(state) == {"epsilon": 0.0, "delta": 0.0}
    assert len(state.entries) == 10


def test_a_refusal_writes_nothing(path: Path) -> None:
    before = path.read_bytes()
    assert code_of(lambda: reserve(path, Charge(Fraction(2)))) == "D0702"
    assert path.read_bytes() == before


def test_only_its_owner_may_read_it(path: Path) -> None:
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_file_that_exists_is_never_begun_anew(path: Path) -> None:
    reserve(path)
    assert code_of(lambda: create(path, parse_budget("epsilon=9"), "people")) == "D0722"
    assert len(Ledger(path).state().entries) == 1


def test_what_is_no_ledger(tmp_path: Path, path: Path) -> None:
    other = tmp_path / "other"
    assert code_of(lambda: Ledger(other).state()) == "D0722"
    other.write_text("age\n41\n", encoding="utf-8")
    assert code_of(lambda: Ledger(other).state()) in ("D0722", "D0724")
    other.unlink()
    with sqlite3.connect(other) as database:
        database.execute("CREATE TABLE terms (only INTEGER, text TEXT, key BLOB)")
    database.close()
    assert code_of(lambda: Ledger(other).state()) == "D0722"
    link = tmp_path / "link"
    link.symlink_to(path)
    assert code_of(lambda: Ledger(link).state()) == "D0722"
    assert code_of(lambda: Ledger(tmp_path).state()) == "D0722"


def test_sqlite_itself_refuses_to_change_it(path: Path) -> None:
    reserve(path)
    for statement in (
        "UPDATE entries SET at = ''",
        "DELETE FROM entries",
        "UPDATE terms SET text = ''",
        "DELETE FROM terms",
        "UPDATE seal SET number = 0",
        "DELETE FROM seal",
    ):
        database = sqlite3.connect(path)
        with pytest.raises(sqlite3.Error, match="never changed"):
            database.execute(statement)
        database.close()


def meddle(path: Path, *statements: str) -> None:
    """What somebody with the file in hands can do: write into a ledger and leave its layout as it was."""
    database = sqlite3.connect(path, isolation_level=None)
    triggers = database.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
    for name, _ in triggers:
        database.execute(f"DROP TRIGGER {name}")
    database.execute("PRAGMA ignore_check_constraints = ON")
    for statement in statements:
        database.execute(statement)
    for _, statement in triggers:
        database.execute(statement)
    database.close()


@pytest.mark.parametrize(
    "statement",
    [
        """UPDATE entries SET body = replace(body, '1/10', '1/99') WHERE number = 2""",
        "UPDATE entries SET at = '2000-01-01T00:00:00+00:00' WHERE number = 1",
        "UPDATE entries SET kind = 'released' WHERE number = 3",
        "DELETE FROM entries WHERE number = 2",
        "UPDATE entries SET number = 9 WHERE number = 3",
        """UPDATE terms SET text = replace(text, '"amount":"1"', '"amount":"9"')""",
        """UPDATE entries SET body = 'nothing' WHERE number = 1""",
        """UPDATE terms SET text = '{}'""",
    ],
)
def test_changes_are_found(path: Path, statement: str) -> None:
    for _ in range(3):
        reserve(path)
    meddle(path, statement)
    assert code_of(lambda: Ledger(path).state()) == "D0723"
    assert code_of(lambda: reserve(path)) == "D0723"


SWALLOWS = "CREATE TRIGGER more BEFORE INSERT ON entries BEGIN SELECT RAISE(IGNORE); END"
ENDLESS = (
    "CREATE VIEW entries AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) "
    "SELECT x number, 'reserved' kind, '' at, '{}' body, '' previous, '' hash FROM c"
)


@pytest.mark.parametrize("statements", [[SWALLOWS], ["DROP TABLE entries", ENDLESS]])
def test_a_file_of_another_layout_is_damaged(path: Path, statements: list[str]) -> None:
    """A trigger that swallows what is inserted would let every run go uncharged."""
    database = sqlite3.connect(path, isolation_level=None)
    for statement in statements:
        database.execute(statement)
    database.close()
    assert code_of(lambda: reserve(path)) == "D0723"
    assert code_of(lambda: Ledger(path).state()) == "D0723"


@pytest.mark.parametrize("amount", ["1e999999999", "-1", "1_0", "\u0661", "1/0", "nan", ""])
def test_terms_hold_plain_fractions(path: Path, amount: str) -> None:
    meddle(path, f"""UPDATE terms SET text = replace(text, '"amount":"1"', '"amount":"{amount}"')""")
    reseal(path)
    assert code_of(lambda: Ledger(path).state()) == "D0723"


@pytest.mark.parametrize(
    "said",
    [
        {"amount": "1e999999999"},
        {"amount": "-1/10"},
        {"amount": 0.1},
        {"delta": None},
        {"neighbours": None},
        {"trusted": None},
        {"trusted": "code"},
        {"trusted": {"code": 1}},
        {"trusted": [1]},
        {"shows_rows": 1},
        {"files": "people.csv"},
        {"files": [["people.csv"], []]},
        {"files": [[["people.csv"], "bills.csv"]]},
        {"files": [[["people.csv", 1]]]},
    ],
)
def test_a_charge_that_is_none_is_found(path: Path, said: dict[str, object]) -> None:
    """The chain fits, since the entry was appended in order; what it says is nothing that duetpy writes."""
    number = reserve(path)
    Ledger(path).complete(completion(number, None, {}), Ledger(path).state().head)
    forge(path, "reserved", {**body(TENTH), **said})
    assert code_of(lambda: Ledger(path).state()) == "D0723"
    assert code_of(lambda: reserve(path)) == "D0723"


def test_a_charge_without_its_neighbours_is_found(path: Path) -> None:
    old = body(TENTH)
    del old["neighbours"]
    forge(path, "reserved", old)
    assert code_of(lambda: reserve(path)) == "D0723"


def test_a_ledger_of_another_version_is_not_read(path: Path) -> None:
    meddle(path, """UPDATE terms SET text = replace(text, '"version":3', '"version":1')""", "PRAGMA user_version = 0")
    assert code_of(lambda: reserve(path)) == "D0722"


def test_a_cut_off_end_shows_against_a_receipt(path: Path) -> None:
    for _ in range(3):
        reserve(path)
    state = Ledger(path).state()
    receipts = [(0, state.entries[0].previous), *((e.number, e.hash) for e in state.entries)]
    meddle(path, "DELETE FROM entries WHERE number = 3")
    assert code_of(lambda: Ledger(path).state()) == "D0723"
    reseal(path)
    after = Ledger(path).state()
    for number, head in receipts[:3]:
        verified(path, after, number, head)
    assert code_of(lambda: verified(path, after, *receipts[3])) == "D0723"
    assert code_of(lambda: verified(path, after, 2, "0" * 64)) == "D0723"


def test_without_a_receipt_a_cut_off_end_is_not_seen(path: Path) -> None:
    """The control: a chain that ends early is a chain, for one who makes the seal that fits it."""
    for _ in range(3):
        reserve(path)
    meddle(path, "DELETE FROM entries WHERE number = 3")
    reseal(path)
    assert len(Ledger(path).state().entries) == 2


def test_a_release_belongs_to_a_charge(path: Path) -> None:
    number = reserve(path)
    Ledger(path).complete(completion(number, None, {"result": 1}), Ledger(path).state().head)
    assert [entry["released"] for entry in value(Ledger(path).state())["entries"]] == [True]
    assert code_of(lambda: Ledger(path).complete(completion(7, None, {"result": 1}), "0" * 64)) == "D0723"
    assert len(Ledger(path).state().entries) == 2
    forge(path, "released", completion(7, None, {"result": 1}))
    assert code_of(lambda: Ledger(path).state()) == "D0723"


def test_a_release_that_says_nothing_that_a_release_says_is_found(path: Path) -> None:
    reserve(path)
    forge(path, "released", {"result": 1})
    assert code_of(lambda: Ledger(path).state()) == "D0723"


def test_the_folder_of_a_new_ledger_is_synced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Or a power cut takes the file with all of its charges: the name is in the folder."""
    synced: list[bool] = []
    sync = os.fsync

    def noted(file: int) -> None:
        synced.append(os.path.samestat(os.fstat(file), tmp_path.stat()))
        sync(file)

    monkeypatch.setattr(os, "fsync", noted)
    create(tmp_path / "l", parse_budget("epsilon=1"), "people")
    assert any(synced)


def test_a_charge_of_delta_alone_is_for_neighbours_too(tmp_path: Path) -> None:
    path = tmp_path / "l"
    create(path, parse_budget("epsilon=1,delta=1e-5"), "people")
    reserve(path, Charge(Fraction(0), Fraction(1, 10**6)))
    other = reservation(TENTH, "mean.eps.duet", "", "xs", "add-remove", "0", ())
    assert code_of(lambda: Ledger(path).reserve(TENTH, other)) == "D0727"
    assert len(Ledger(path).state().entries) == 1


def test_what_is_spent_and_what_remains_are_the_budget(tmp_path: Path) -> None:
    path = tmp_path / "l"
    create(path, parse_budget("epsilon=1,delta=1e-5"), "people")
    reserve(path, Charge(Fraction(1, 4), Fraction(3, 10**6)))
    state = Ledger(path).state()
    assert spent(state) == {"epsilon": 0.25, "delta": 3e-6}
    assert remaining(state) == {"epsilon": 0.75, "delta": 7e-6}
    assert left(path, state).delta == Fraction(7, 10**6)
    reserve(path, Charge(Fraction(1, 4), Fraction(7, 10**6)))
    assert left(path, Ledger(path).state()) == parse_budget("epsilon=0.5")
    reserve(path, Charge(Fraction(1, 2)))
    assert code_of(lambda: left(path, Ledger(path).state())) == "D0702"


def test_parts_of_a_gaussian_budget_are_roots(tmp_path: Path) -> None:
    path = tmp_path / "l"
    create(path, parse_budget("mu=13"), "people")
    for mu in (3, 4):
        reserve(path, Charge(Fraction(mu)))
    state = Ledger(path).state()
    assert (spent(state), remaining(state)) == ({"mu": 5.0}, {"mu": 12.0})


def test_a_release_is_forged_where_it_says_what_a_release_says(path: Path) -> None:
    """The control: a forged entry that is what duetpy would write is not seen without a receipt."""
    number = reserve(path)
    forge(path, "released", completion(number, None, {"result": 1}))
    assert Ledger(path).state().entries[-1].output == {"result": 1}


def test_what_could_not_be_read_again_is_not_written(path: Path) -> None:
    """A number with more digits than a ledger reads would make the ledger one that nobody can read."""
    long = Charge(Fraction(1, 10**4100))
    with pytest.raises(ValueError, match="not an entry"):
        reserve(path, long)
    assert reserve(path) == 1


def test_what_is_not_finished_is_told_of(path: Path) -> None:
    forge(path, "released", completion(reserve(path), None, {"result": 1}))
    assert "not finished" not in text(Ledger(path).state())
    reserve(path)
    shown = text(Ledger(path).state())
    assert shown.count("not finished: charged nevertheless") == 1
    assert shown.startswith("people: ε = 0.2 of ε = 1 spent, ε = 0.8 left\n")


def test_a_file_that_cannot_be_written(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from duetpy.ledger import layout

    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    monkeypatch.setattr(layout, "PATIENCE", 0.05)
    assert code_of(lambda: reserve(path)) == "D0724"
    holder.execute("ROLLBACK")
    holder.close()
    assert reserve(path) == 1


FULL_DISK = """
import resource, sys
from fractions import Fraction
from pathlib import Path
from duetpy.accounting.budget import Charge
from duetpy.diagnostics.error import DuetError
from tests.ledger.test_store import reserve
path = Path(sys.argv[1])
import signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size, path.stat().st_size))
done = 0
try:
    for _ in range(100):
        reserve(path, Charge(Fraction(1, 1000)))
        done += 1
except DuetError as error:
    print(done, error.diagnostics[0].code)
"""


def test_a_full_disk_refuses(path: Path) -> None:
    root = Path(__file__).parents[2]
    found = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(path)], cwd=root, capture_output=True, text=True, check=False
    )
    done, code = found.stdout.split()
    assert code == "D0724"
    state = Ledger(path).state()
    assert len(state.entries) == int(done) < 100


def spend_in_parallel(path: Path, attempts: int) -> None:
    for _ in range(attempts):
        try:
            reserve(path, Charge(Fraction(1, 20)))
        except DuetError:
            continue


def race(path: Path, processes: int, attempts: int) -> None:
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=spend_in_parallel, args=(path, attempts)) for _ in range(processes)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0] * processes


def test_processes_that_race_spend_the_budget_once(path: Path) -> None:
    race(path, 4, 10)
    state = Ledger(path).state()
    assert len(state.entries) == 20
    assert spent(state)["epsilon"] == 1.0


def test_a_ledger_that_is_being_charged_is_whole_at_every_moment(path: Path) -> None:
    """What a reader sees, and what lies next to the file meanwhile, is of one moment."""
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=spend_in_parallel, args=(path, 8)) for _ in range(2)]
    for worker in workers:
        worker.start()
    seen = []
    while any(worker.is_alive() for worker in workers):
        seen.append(len(Ledger(path).state().entries))
    assert seen == sorted(seen)
    assert len(Ledger(path).state().entries) == 16


SPENDER = """
import sys
from fractions import Fraction
from pathlib import Path
from duetpy.accounting.budget import Charge
from tests.ledger.test_store import reserve
while True:
    print(reserve(Path(sys.argv[1]), Charge(Fraction(1, 10**6))), flush=True)
"""


def kills(path: Path, count: int) -> None:
    """Start a process that spends and reports each charge after it was written; kill it at some point; look."""
    root = Path(__file__).parents[2]
    told = 0
    for turn in range(count):
        spender = subprocess.Popen(
            [sys.executable, "-c", SPENDER, str(path)], cwd=root, stdout=subprocess.PIPE, text=True
        )
        assert spender.stdout is not None
        numbers = [int(spender.stdout.readline())]
        time.sleep(0.003 * (turn % 17))
        os.kill(spender.pid, signal.SIGKILL)
        numbers += [int(line) for line in spender.stdout.read().split("\n")[:-1]]
        spender.wait()
        spender.stdout.close()
        state = Ledger(path).state()
        told = max(told, *numbers)
        assert len(state.entries) >= told


def test_a_process_that_is_killed_has_been_charged(path: Path) -> None:
    kills(path, often(3, 2))


@pytest.mark.slow
def test_many_processes_race(path: Path) -> None:
    race(path, 16, 60)
    assert len(Ledger(path).state().entries) == 20


@pytest.mark.slow
def test_many_kills(path: Path) -> None:
    kills(path, 60)
