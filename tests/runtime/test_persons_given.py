"""What is given for a table of persons: data for each file, and the name of the column that identifies them."""

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from duetpy.diagnostics.error import DuetError
from duetpy.runtime.release.noiseless import evaluate
from tests.runtime.test_persons import BILLS, NUMBERED, VISITS, ran, refused, released


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_identifiers_may_have_another_name_in_a_file() -> None:
    renamed = BILLS.replace("patient", "pat_no")
    Path("visits.csv").write_text(VISITS, encoding="utf-8")
    assert released(bills=renamed, _id={"bills": "pat_no"}) == released()
    assert released(bills=renamed, _id={"people.bills": "pat_no"}) == released()
    for wrong in ({"bill": "pat_no"}, {"people": "pat_no"}):
        with pytest.raises(ValueError, match="no data is given for a file of persons called"):
            released(_id=wrong)
    assert refused(lambda: released(_id={"bills": "paid"}))[0].startswith("D0611")
    for rule in ("refuse", "drop"):
        with pytest.raises(DuetError) as caught:
            released(bills=renamed, _on_bad_row=rule)
        (one,) = caught.value.diagnostics
        assert (one.code, one.message) == ("D0603", "the column 'patient' is missing")
        assert (one.help or "").endswith("if the identifier has another name in it, add --id bills=COLUMN")


@pytest.mark.parametrize(
    ("people", "code"),
    [
        ({"visits": "visits.csv"}, "D0608"),
        ({"visits": "visits.csv", "bills": "bills.csv", "more": "x.csv"}, "D0610"),
        ("visits.csv", "D0611"),
        ([["a", "x", 1.0]], "D0611"),
        ({"visits": "sql:SELECT doctor AS patient, date, cost FROM 'x.duckdb'.t", "bills": "bills.csv"}, "D0611"),
    ],
)
def test_what_is_not_data_by_file_is_refused(people: Any, code: str) -> None:
    assert refused(lambda: ran(people))[0].startswith(code)


def test_no_message_repeats_a_key_or_a_cell() -> None:
    by_name = {"Ada Lovelace": [["x", 1.0]], "visits": [], "bills": []}
    bad = {"visits": [{"patient": "Ada Lovelace", "date": "x", "cost": "Ada Lovelace"}], "bills": []}
    for people in (by_name, bad):
        assert "Ada" not in "".join(refused(partial(ran, people)))


def test_blocks_are_bound_as_persons_only() -> None:
    for type_ in (
        "𝔻𝔽[a : 𝕊, b : 𝐝 𝔻𝔽[c : 𝔻], d : 𝕊]",
        "record[a : 𝕊, b : 𝐝 𝔻𝔽[c : 𝔻]]",
        "𝐝 𝔻𝔽[c : 𝔻 else 0]",
        f"{NUMBERED} × 𝔻",
    ):
        told = refused(partial(evaluate, f"sλ x : {type_} ⇒ 1", x=[["a", [[1.0]]]]))
        assert told[0].startswith("D0611"), type_
