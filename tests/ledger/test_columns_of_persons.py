"""A ledger adds up what persons lose who are identified by the same column of a file, or of a source, in every run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import ClassVar

import pytest
from attrs import define

import duetpy
from duetpy.cli.main import main
from duetpy.ledger.store import Ledger

PROGRAM = """\
pλ . people : persons[patient : 𝕊 | visits : 𝔻𝔽[cost : 𝔻], bills : 𝔻𝔽[paid : 𝔻]] ⇒
  laplace[1, 0.5] <people> { real (rows people) }
"""


@pytest.fixture
def ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    assert main(["ledger", "create", "ledger", "--budget", "epsilon=100"]) == 0
    return tmp_path / "ledger"


def charge(ledger: Path, visits: object, bills: object, /, **by: str) -> None:
    """Charge a run in which some files are identified by another column."""
    files = {"visits": visits, "bills": bills}
    duetpy.parse(PROGRAM, notion="eps").check().run(people=files, _ledger=ledger, _id=by)


def test_a_file_is_known_by_where_it_is(ledger: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In both folders there is a bills.csv. The doctors of one were charged, so that its patients must not be charged as if it were
    the other one."""
    for folder in ("a", "b"):
        Path(folder).mkdir()
        Path(folder, "bills.csv").write_text("patient,doctor,cost,paid\na,z,1,1\n", encoding="utf-8")
        Path(folder, "visits.csv").write_text("patient,cost\na,1\n", encoding="utf-8")
    monkeypatch.chdir("a")
    Path("link.csv").symlink_to("bills.csv")
    for spelt in ("bills.csv", "../a/bills.csv", "link.csv"):
        charge(ledger, "visits.csv", spelt, bills="doctor")
    monkeypatch.chdir("../b")
    with pytest.raises(duetpy.DuetError, match="D0727"):
        charge(ledger, "../a/bills.csv", "bills.csv", bills="doctor")


def test_files_by_the_column_of_the_program_are_all_one_data_set(ledger: Path) -> None:
    """Where they are does not count then."""
    for folder in ("a", "b"):
        Path(folder).mkdir()
        for name in ("visits", "bills"):
            Path(folder, f"{name}.csv").write_text(f"patient,cost,paid\n{folder},1,1\n", encoding="utf-8")
        charge(ledger, f"{folder}/visits.csv", f"{folder}/bills.csv")
    assert len(Ledger(ledger).state().charges) == 2


def test_the_same_files_by_another_column_are_another_request(ledger: Path) -> None:
    """The release that is stored is about patients, and is not shown as one about doctors."""
    for name in ("visits", "bills"):
        Path(f"{name}.csv").write_text("patient,doctor,cost,paid\na,z,1,1\n", encoding="utf-8")
    for _ in range(2):
        charge(ledger, "visits.csv", "bills.csv")
    assert len(Ledger(ledger).state().charges) == 1
    with pytest.raises(duetpy.DuetError, match="D0727"):
        charge(ledger, "visits.csv", "bills.csv", bills="doctor")


@define
class Block:
    """One visit of one patient."""

    columns: Sequence[str]

    def read(self) -> Mapping[str, object]:
        visit = {"patient": ["a"], "doctor": ["z"], "cost": [1.0]}
        return {name: visit[name] for name in self.columns}


@define
class Visits:
    """A source of it."""

    identity: str
    schema: ClassVar[dict[str, str]] = {"patient": "text", "doctor": "text", "cost": "number"}
    rows: ClassVar[None] = None

    def blocks(self, columns: Sequence[str]) -> Iterator[Block]:
        yield Block(columns)


def test_a_source_is_known_by_its_identity(ledger: Path) -> None:
    Path("bills.csv").write_text("patient,paid\na,1\n", encoding="utf-8")
    for _ in range(2):
        charge(ledger, Visits("first"), "bills.csv", visits="doctor")
    with pytest.raises(duetpy.DuetError, match="D0727"):
        charge(ledger, Visits("second"), "bills.csv", visits="doctor")


def test_data_in_memory_is_known_by_the_name_of_its_file(ledger: Path) -> None:
    visits = [{"patient": "a", "doctor": "z", "cost": 1.0}]
    Path("bills.csv").write_text("patient,paid\na,1\n", encoding="utf-8")
    charge(ledger, visits, "bills.csv")
    with pytest.raises(duetpy.DuetError, match="D0727"):
        charge(ledger, visits, "bills.csv", visits="doctor")
