"""A disk turns bits. Whichever bit of a ledger it is: the ledger says what it said before and the next charge is added to it, or
every use is refused (D0723) and the file stays as it is. See `tests.ledger.harm`.
"""

import random
import sqlite3
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

from duetpy.cli.main import main
from duetpy.diagnostics.error import DuetError
from duetpy.ledger import store
from duetpy.ledger.store import Ledger
from tests.effort import often
from tests.ledger.harm import CHANGED, SAME, Bench, Wrong, earlier, filled, said

PAGE, PAGES = 4096, 5
ENTRIES_PAGE = 2 * PAGE
"""The third page holds the entries: bytes 3 and 4 of it say how many of them there are."""

PARTS = 40
BITS = PAGE * PAGES * 8


@pytest.fixture(autouse=True)
def _not_synced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing here asks what survives a power cut."""

    def make_fast(database: sqlite3.Connection, path: Path) -> None:
        database.execute("PRAGMA synchronous = OFF")

    monkeypatch.setattr(store, "make_durable", make_fast)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    made = Bench(tmp_path / "l", lambda path: filled(path, 3))
    assert len(made.good) == PAGES * PAGE
    return made


def outcomes(bench: Bench, bits: Iterable[int]) -> Counter[str]:
    """How often each end is met, each of which is one that may be."""
    found: Counter[str] = Counter()
    for bit in bits:
        try:
            found[bench.outcome(bench.flipped(bit))] += 1
        except (Wrong, Exception) as error:
            raise AssertionError(f"byte {bit // 8} ^ {1 << bit % 8}: {error}") from error
    return found


def bits(*places: tuple[int, int]) -> list[int]:
    """Bytes and what is added to them, as bits."""
    return [8 * byte + change.bit_length() - 1 for byte, change in places]


def test_nothing_turned_is_nothing_said(bench: Bench) -> None:
    assert bench.outcome(bench.good) == SAME


KEY_BYTE = PAGE + PAGE - 1
"""The end of the only row of the second page is the key."""


def test_the_bits_that_were_fatal(bench: Bench) -> None:
    """One of each kind: entries that vanish, another key, texts that define no table, a mark, a version, places for the next
    entry, how the file may be written, how texts are encoded."""
    counts = bits((ENTRIES_PAGE + 4, 4), (ENTRIES_PAGE + 4, 2))
    keys = bits((KEY_BYTE, 1), (KEY_BYTE - 31, 128))
    first = bench.good.index(b"CREATE TABLE terms")
    texts = bits((first, 128), (first + 8, 128), (first - 6, 1))
    versions = bits((bench.good.index(b'"version":3') + 10, 1), (63, 1))
    head = bits((0, 1), (18, 2), (18, 128), (31, 4), (47, 1), (55, 1), (59, 2), (68, 1))
    free = bits((ENTRIES_PAGE + 1, 1), (ENTRIES_PAGE + 5, 2), (ENTRIES_PAGE + 5, 4), (ENTRIES_PAGE + 6, 8))
    found = outcomes(bench, counts + keys + texts + versions + head + free)
    assert found == {CHANGED: len(counts + keys + texts + versions + head + free)}


@pytest.mark.thorough("test_the_bits_that_were_fatal", "test_a_bit_here_and_there")
def test_the_heads_of_all_pages(bench: Bench) -> None:
    places = [*range(100), *(page * PAGE + at for page in range(PAGES) for at in range(100 * (not page), 124))]
    found = outcomes(bench, (8 * byte + byte % 8 for byte in places))
    assert min(found[SAME], found[CHANGED]) > 100


def test_a_bit_here_and_there(bench: Bench) -> None:
    found = outcomes(bench, random.Random(8).sample(range(BITS), count := often(400, 80)))
    assert min(found[SAME], found[CHANGED]) > count / 8


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_every_bit(bench: Bench, part: int) -> None:
    found = outcomes(bench, range(part, BITS, PARTS))
    assert found.total() == BITS // PARTS
    assert min(found[SAME], found[CHANGED]) > 500


def test_a_ledger_of_many_pages(tmp_path: Path) -> None:
    """Trees of two levels, and releases that go on in pages of their own."""
    bench = Bench(tmp_path / "l", lambda path: filled(path, 20, 3000))
    assert len(bench.good) > 40 * PAGE
    chosen = random.Random(9)
    heads = [
        8 * (page * PAGE + chosen.randrange(24)) + chosen.randrange(8) for page in range(1, len(bench.good) // PAGE)
    ]
    found = outcomes(bench, [*heads, *chosen.sample(range(8 * len(bench.good)), 60)])
    assert found[CHANGED] > 40


@pytest.mark.slow
def test_many_bits_of_a_ledger_of_many_pages(tmp_path: Path) -> None:
    bench = Bench(tmp_path / "l", lambda path: filled(path, 20, 3000))
    outcomes(bench, random.Random(10).sample(range(8 * len(bench.good)), 4000))


def interesting(bench: Bench) -> list[int]:
    """Bits of bytes that say something, and of the heads of pages."""
    return [
        8 * byte + bit for byte, content in enumerate(bench.good) if content or byte % PAGE < 16 for bit in range(8)
    ]


def pairs(bench: Bench, count: int, seed: int) -> None:
    """Two bits of what says something are seen, as one is."""
    chosen, places = random.Random(seed), interesting(bench)
    for _ in range(count):
        two = chosen.sample(places, 2)
        try:
            bench.outcome(bench.flipped(*two))
        except Wrong as error:
            raise AssertionError(f"bits {two}: {error}") from error


def test_two_bits(bench: Bench) -> None:
    pairs(bench, often(150, 60), 1)


def test_two_bits_of_the_numbers_of_entries(bench: Bench) -> None:
    """Of the table and of its index alike: neither of the two shows the change of the other one."""
    index = ENTRIES_PAGE + PAGE
    for change in (1, 2, 4):
        both = bits((ENTRIES_PAGE + 4, change), (index + 4, change))
        assert bench.outcome(bench.flipped(*both)) == CHANGED


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 8))
def test_many_pairs_of_bits(bench: Bench, seed: int) -> None:
    pairs(bench, 3000, seed)


def test_a_ledger_of_an_earlier_version(tmp_path: Path) -> None:
    """Its key alone is held by nothing: with another one a stored release is charged again, and never less than before."""
    bench = Bench(tmp_path / "l", lambda path: earlier(path, 3))
    key = range(8 * (2 * PAGE - 32), 8 * 2 * PAGE)
    for bit in random.Random(3).sample([bit for bit in interesting(bench) if bit not in key], often(300, 100)):
        bench.outcome(bench.flipped(bit))
    for bit in key[::16]:
        bench.put(bench.flipped(bit))
        found = bench.read()
        assert found.key != bench.before.key
        assert (found.spent, found.entries) == (bench.before.spent, bench.before.entries)


@pytest.mark.parametrize("words", [["verify"], ["show"], ["show", "--format", "json"]])
def test_the_command_line_tells(bench: Bench, capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    for bit in bits((ENTRIES_PAGE + 4, 4), (KEY_BYTE, 1), (3116, 128), (18, 2), (0, 1), (68, 1)):
        bench.put(bench.flipped(bit))
        assert main(["ledger", *words, str(bench.path)]) == 1
        captured = capsys.readouterr()
        assert captured.out == ""
        assert captured.err.startswith("error[D0723]")


# ---------------------------------------------------------------------------------------------------------------------
# Controls: what each of the two looks sees


def nothing(*_: object) -> None:
    """A look that sees nothing."""


def test_a_chain_alone_loses_entries(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "refuse_broken", nothing)
    monkeypatch.setattr(store, "refuse_other_seal", nothing)
    bench.put(bench.flipped(*bits((ENTRIES_PAGE + 4, 4))))
    assert len(Ledger(bench.path).state().entries) == 2
    bench.put(bench.flipped(*bits((KEY_BYTE, 1))))
    assert said(bench.read()) != bench.said


def test_without_a_seal_another_key_is_not_seen(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "refuse_other_seal", nothing)
    with pytest.raises(Wrong, match="something else"):
        bench.outcome(bench.flipped(*bits((KEY_BYTE, 1))))


def test_with_a_seal_alone_the_next_charge_destroys_a_ledger(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "refuse_broken", nothing)
    wrong = 0
    for change in bits(*((ENTRIES_PAGE + at, 1 << bit) for at in (5, 6) for bit in range(8))):
        try:
            bench.outcome(bench.flipped(change))
        except (Wrong, DuetError):
            wrong += 1
    assert wrong > 0
