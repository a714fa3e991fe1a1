"""Tables of persons: whose rows they become, whatever stands in the lines of the files, and what a run says and charges."""

import csv
import itertools
import json
import random
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import duetpy
from duetpy.cli.main import main
from duetpy.diagnostics.error import DuetError
from duetpy.ledger.store import Ledger
from duetpy.report.release_text import privacy_text
from duetpy.runtime.release.noiseless import evaluate
from duetpy.runtime.sources import sorted_persons
from duetpy.runtime.values.row_order import sorted_by
from tests.effort import often
from tests.soundness.broken.mutant import Mutant
from tests.soundness.broken.persons import OF_PERSONS
from tests.soundness.mutants import planted

DATA = Path(__file__).parents[2] / "examples" / "data"

TYPE = "persons[patient : 𝕊 | visits : 𝔻𝔽[date : 𝕊, cost : 𝔻 else 0], bills : 𝔻𝔽[paid : 𝔻?]]"
NUMBERED = "persons[patient : 𝐝 ℕ | visits : 𝔻𝔽[cost : 𝔻 else 0]]"
EVERYTHING = f"""pλ ε : ℝ⁺ . people : {TYPE}, ε : ℝ⁺[ε] ⇒
  number ← laplace[1, ε] <people> {{ real (rows people) }} ;
  visits ← laplace[auto, ε] <people> {{ mfold-row 0.0, people {{ s, p ⇒ s + clip[0, 100] (real (rows p.visits)) }} }} ;
  last ← laplace[auto, ε] <people> {{
    mfold-row 0.0, people {{ s, p ⇒ s + clip[0, 1000] (mfold-row 0.0, p.visits {{ t, v ⇒ conv v.cost + 0.5 ⋅ t }}) }}
  }} ;
  unpaid ← laplace[auto, ε] <people> {{
    mfold-row 0.0, people {{ s, p ⇒ s + clip[0, 100] (real (rows (mfilter p.bills {{ b ⇒ is-missing b.paid }}))) }}
  }} ;
  return ⟨⟨number, visits⟩, ⟨last, unpaid⟩⟩"""
VISITS = "patient,date,cost\na,2024-01-02,10\nb,2024-01-02,20\na,2024-01-01,30\na,2024-01-02,7.5\nc,2024-01-01,5\n"
BILLS = "patient,paid\na,10\nd,\nb,20\na,\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def released(visits: str = VISITS, bills: str = BILLS, text: str = EVERYTHING, **options: Any) -> Any:
    """What a program releases without noise, of two files of lines."""
    Path("visits.csv").write_text(visits, encoding="utf-8")
    Path("bills.csv").write_text(bills, encoding="utf-8")
    return ran({"visits": "visits.csv", "bills": "bills.csv"}, text, **options).result


def ran(people: Any, text: str = EVERYTHING, **options: Any) -> Any:
    return duetpy.parse(text, notion="eps").check().run(people=people, ε=1, _insecure_noise="none", **options)


def refused(run: Callable[[], object]) -> list[str]:
    with pytest.raises(DuetError) as caught:
        run()
    return [f"{each.code} {each.where or ''} {each.message}" for each in caught.value.diagnostics]


def blocks(people: Any, type_: str = TYPE, **options: Any) -> Any:
    """Each person with the rows of each file, in their order."""
    return evaluate(f"sλ people : {type_} ⇒ people", people=people, **options)


# ---------------------------------------------------------------------------------------------------------------------
# Whose rows they are


def puts_rows_together() -> None:
    # a: 7.5, 10 on the second day, after 30 on the first; b: 20; c: 5; d has no visits.
    last = (10 + 0.5 * (7.5 + 0.5 * 30)) + 20 + 5
    assert released() == ((4.0, 5.0), (last, 2.0))
    none: dict[str, list[Any]] = {"patient": [], "paid": []}
    frame = {"patient": ["b", "a", "b"], "date": ["y", "x", "x"], "cost": [1.0, 2.0, 3.0]}
    assert ran({"visits": frame, "bills": none}, _on_bad_row="drop").result == ((2.0, 3.0), (2 + 1 + 1.5, 0.0))


def ignores_the_order_of_lines() -> None:
    """Shuffled lines move no bit of the result."""
    header, *lines = VISITS.splitlines()
    # Equal but for a later column, and numbers of which sums depend on the order.
    lines += ["a,2024-01-01,0.1", "a,2024-01-01,16.1", "a,2024-01-01,0.3", "b,2024-01-03,0.7", "b,2024-01-01,0.1"]
    wanted = None
    for order in itertools.islice(itertools.permutations(lines), 0, None, 40321):
        found = released("\n".join([header, *order, ""]))
        wanted = wanted or found
        assert found == wanted


def counts_nobody() -> None:
    """A line without an identifier is nobody's, also where bad cells count as defaults: all these would be one person."""
    more = VISITS + ",2024-01-01,1\n" + '"",2024-01-01,1\n' + "NA,2024-01-01,1\n"
    for rule in ("default", "drop"):
        assert released(more, BILLS + ",\n\n", _on_bad_row=rule, _missing=["NA"]) == released()
    for rule in ("default", "drop"):
        Path("visits.csv").write_bytes(VISITS.encode() + "Müller,2024-01-01,1\nMöller,2024-01-01,2\n".encode("latin-1"))
        assert ran({"visits": "visits.csv", "bills": "bills.csv"}, _on_bad_row=rule).result == released()
    numbers = {"patient": [1.0, None, 2.5, -1.0, float("nan"), 1.0], "cost": [1.0] * 6}
    text = f"pλ ε : ℝ⁺ . people : {NUMBERED}, ε : ℝ⁺[ε] ⇒ laplace[1, ε] <people> {{ real (rows people) }}"
    for rule in ("default", "drop"):
        assert ran({"visits": numbers}, text, _on_bad_row=rule).result == 1.0


def tells_near_identifiers_apart() -> None:
    near = [2**53 - 1, 2**53 - 2, 2**53 - 3, 2**24, 2**24 + 1]
    Path("numbers.csv").write_text("patient,cost\n" + "".join(f"{each},1\n" for each in near), encoding="utf-8")
    text = f"pλ ε : ℝ⁺ . people : {NUMBERED}, ε : ℝ⁺[ε] ⇒ laplace[1, ε] <people> {{ real (rows people) }}"
    assert ran({"visits": "numbers.csv"}, text).result == 5.0
    # Above, two whole numbers may be one double: they are bad identifiers, and nobody's.
    Path("numbers.csv").write_text(f"patient,cost\n{2**53},1\n{2**53 + 1},1\n7,1\n", encoding="utf-8")
    assert refused(lambda: ran({"visits": "numbers.csv"}, text))[0].startswith("D0604")
    assert ran({"visits": "numbers.csv"}, text, _on_bad_row="drop").result == 1.0


TWICE = """pλ ε : ℝ⁺ . one : persons[patient : 𝕊 | visits : 𝔻𝔽[cost : 𝔻]], two : persons[patient : 𝕊 | bills : 𝔻𝔽[paid : 𝔻?]],
    ε : ℝ⁺[ε] ⇒
  first ← laplace[1, ε] <one> { real (rows one) } ;
  second ← laplace[1, 2 ⋅ ε] <two> { real (rows two) } ;
  return ⟨first, second⟩"""


def charges_persons_once() -> None:
    """All tables of persons are of the same ones: a person is charged for what all of them release."""
    Path("one.csv").write_text("patient,cost\na,1\nb,2\n", encoding="utf-8")
    Path("two.csv").write_text("patient,paid\na,1\nc,2\n", encoding="utf-8")
    files = {"one": {"visits": "one.csv"}, "two": {"bills": "two.csv"}}
    found = duetpy.parse(TWICE, notion="eps").check().run(ε=1, **files)
    assert found.privacy["total"]["epsilon"] == 3.0


MIXED = (
    f"pλ ε : ℝ⁺ . people : {NUMBERED}, xs : 𝔻𝔽[cost : 𝔻 else 0], ε : ℝ⁺[ε] ⇒ "
    "a ← laplace[1, ε] <people> { real (rows people) } ; b ← laplace[1, ε] <xs> { real (rows xs) } ; return ⟨a, b⟩"
)


def refuses_one_file_of_two_kinds() -> None:
    frame = {"patient": [1, 1, 2], "cost": [1.0, 2.0, 3.0]}
    Path("v.csv").write_text("patient,cost\n1,1\n1,2\n2,3\n", encoding="utf-8")
    checked = duetpy.parse(MIXED, notion="eps").check()
    for given in (frame, "v.csv"):
        (told,) = refused(partial(checked.run, people={"visits": given}, xs=given, ε=1))
        assert told.startswith("D0640"), told
    Path("w.csv").write_text("cost\n1\n", encoding="utf-8")
    apart = checked.run(people={"visits": "v.csv"}, xs="w.csv", ε=1, _insecure_noise="none")
    assert apart.result == (2.0, 1.0)


def refuses_two_columns_of_one_file() -> None:
    frame = {"patient": ["a"], "other": ["b"], "date": ["x"], "cost": [1.0], "paid": [1.0]}
    told = refused(lambda: ran({"visits": frame, "bills": frame}, _id={"bills": "other"}))
    assert told[0].startswith("D0640"), told
    assert ran({"visits": frame, "bills": frame}).result[0] == (1.0, 1.0)


def refuses_two_identifiers() -> None:
    for other in ("two : persons[person : 𝕊", "two : persons[patient : 𝐝 ℕ"):
        text = TWICE.replace("two : persons[patient : 𝕊", other)
        assert refused(duetpy.parse(text, notion="eps").check)[0].startswith("D0640")
    # Neither does it matter whether anything is released about the second one, unless it is public.
    unused = text.replace("<two> { real (rows two) }", "<one> { 1.0 }")
    assert refused(duetpy.parse(unused, notion="eps").check)[0].startswith("D0640")
    public = text.replace("<two> { real (rows two) }", "<one> { 1.0 }").replace("first,", "real (rows two),")
    assert duetpy.parse(public, notion="eps").check().parameters["one"].cost == {"epsilon": "ε"}


def refuses_persons_within_a_pair() -> None:
    text = TWICE.replace("two : persons", "pair : 𝔻 × persons").replace(
        "<two> { real (rows two) }", "<pair> { real (rows (snd pair)) }"
    )
    assert refused(duetpy.parse(text, notion="eps").check)[0].startswith("D0640")


def looks_at_one_after_another() -> None:
    """A fold whose state is a table has no way to look at all persons at once."""
    text = (
        f"sλ people : {TYPE} ⇒ bmap people {{ p ⇒ (mfold-row (mcreate[L∞ | ℕ[1], ℕ[1]] {{ i, j ⇒ disc 0.0 }}), p.visits "
        "{ s, v ⇒ mmap s, v.[cost] { a, b ⇒ a + b } })#[0, 0] }"
    )
    costs = {"a": [1.0, 2.0], "b": [], "c": [4.0, 8.0, 16.0]}
    visits = [{"patient": who, "date": "x", "cost": cost} for who, own in costs.items() for cost in own]
    bills = [{"patient": "b", "paid": 1.0}]
    assert evaluate(text, people={"visits": visits, "bills": bills}) == [[3.0], [0.0], [28.0]]


def tells_whose_it_is() -> None:
    last = "mfold-row (disc 0.0), p.visits { s, v ⇒ v.cost }"
    text = f"sλ people : {TYPE} ⇒ bmap people {{ p ⇒ addColDF⧼last⧽ ⟨p.[patient], {last}⟩ }}"
    visits = [
        {"patient": who, "date": "x", "cost": cost} for who, cost in (("a", 1.0), ("c", 2.0), ("c", 3.0), ("b", 4.0))
    ]
    assert evaluate(text, people={"visits": visits, "bills": []}) == [["a", 1.0], ["b", 4.0], ["c", 3.0]]


def picks_rows() -> None:
    """First and last rows, the most frequent value, different rows and pairs are those of each person."""
    rows = [("u", "n", 2), ("u", "m", 3), ("u", None, 3), ("v", "m", 2), ("v", "m", 2), ("w", None, 5), ("w", None, 4)]
    others = [("u", "m", 1), ("u", None, 1), ("v", "m", 1), ("v", "m", 2)]
    people = {"a": [dict(zip(("who", "k", "x"), row, strict=True)) for row in rows]}
    people |= {"b": [dict(zip(("who", "k", "z"), row, strict=True)) for row in others]}
    text = (
        "sλ people : persons[who : 𝕊 | a : 𝔻𝔽[k : 𝕊?, x : 𝔻], b : 𝔻𝔽[k : 𝕊?, z : 𝔻]] ⇒ bmap people { p ⇒ { "
        "who = p.who, first = case first p.a.[x, k] { some r ⇒ r.x ; none ⇒ disc 0.0 }, "
        "last = case last p.a.[x, k] { some r ⇒ r.x ; none ⇒ disc 0.0 }, mode = mode p.a.[k], "
        "different = disc (rows (distinct p.a.[x])), pairs = disc (rows (joinDF[9]⧼k⧽[p.a, p.b])) } }"
    )
    assert evaluate(text, people=people) == [
        ["u", 2, 3, "m", 2, 1],
        ["v", 2, 2, "m", 1, 4],
        ["w", 4, 5, None, 2, 0],
    ]


def cuts_nobody() -> None:
    """However lines are cut into runs, pieces and chunks, each person has all of their rows, in the same order."""
    draw = random.Random(5)
    names = [f"{at}" for at in range(12)]
    for _ in range(30):
        sizes = {
            "RUN_CELLS": draw.choice([1, 9, 40]),
            "PIECE_ROWS": draw.choice([1, 4]),
            "CHUNK_ROWS": draw.choice([1, 6, 99]),
        }
        listed = sorted({draw.choice(names) for _ in range(5)}) if draw.random() < 0.5 else None
        known = listed or names
        lines = [(draw.choice(known), draw.choice("xy"), draw.randrange(4)) for _ in range(draw.randrange(1, 60))]
        others = [(draw.choice(known), draw.choice([None, 1, 2])) for _ in range(draw.randrange(1, 9))]
        people = {
            "visits": [{"patient": who, "date": date, "cost": cost} for who, date, cost in lines],
            "bills": [{"patient": who, "paid": paid} for who, paid in others],
        }
        everybody = listed or sorted({who for who, *_ in [*lines, *others]})
        wanted = [
            [
                who,
                [[date, cost] for own, date, cost in sorted(lines) if own == who],
                [[paid] for own, paid in sorted(others, key=lambda row: (row[1] is not None, row[1])) if own == who],
            ]
            for who in everybody
        ]
        with pytest.MonkeyPatch.context() as patch:
            for size, number in sizes.items():
                patch.setattr(sorted_persons, size, number)
            if listed is None:
                found = blocks(people)
            else:
                text = f"sλ roster : ℘(𝕊), people : {TYPE.replace('𝕊 |', '𝕊 in roster |')} ⇒ people"
                found = evaluate(text, roster=listed, people=people)
        assert found == wanted, sizes


CHECKS: dict[str, Callable[[], None]] = {
    "cut": cuts_nobody,
    "files": puts_rows_together,
    "one by one": looks_at_one_after_another,
    "whose": tells_whose_it_is,
    "picked": picks_rows,
    "shuffled": ignores_the_order_of_lines,
    "nobody": counts_nobody,
    "near": tells_near_identifiers_apart,
    "together": charges_persons_once,
    "one file": refuses_one_file_of_two_kinds,
    "two columns": refuses_two_columns_of_one_file,
    "two identifiers": refuses_two_identifiers,
    "within": refuses_persons_within_a_pair,
}


@pytest.mark.parametrize("check", CHECKS)
def test_a_check_holds(check: str) -> None:
    CHECKS[check]()


@pytest.mark.parametrize("mutant", OF_PERSONS, ids=lambda mutant: mutant.name)
def test_what_is_wrong_with_persons_is_found(mutant: Mutant) -> None:
    (check,) = mutant.rules
    with planted(mutant), pytest.raises((AssertionError, pytest.fail.Exception)):
        CHECKS[check]()


# ---------------------------------------------------------------------------------------------------------------------
# Lines and rows


def test_the_rows_of_a_person_are_sorted_and_those_of_others_stay_away() -> None:
    people = {
        "visits": [{"patient": who, "date": "x", "cost": cost} for who, cost in (("b", 2.0), ("a", 3.0), ("b", 1.0))],
        "bills": [{"patient": "a", "paid": 5.0}, {"patient": "a", "paid": None}],
    }
    assert blocks(people) == [
        ["a", [["x", 3.0]], [[None], [5.0]]],
        ["b", [["x", 1.0], ["x", 2.0]], []],
    ]


def test_a_person_more_or_less_changes_what_is_computed_of_nobody_else() -> None:
    """The rows of every person are evaluated as if alone: in lanes with others of any number of rows, the bits are the same."""
    draw = random.Random(3)
    text = (
        f"sλ people : {TYPE} ⇒ bmap people {{ p ⇒ addColDF⧼x⧽ ⟨p.[patient], "
        "disc (mfold-row 0.1, p.visits { t, v ⇒ t ⋅ 1.1 + conv v.cost / 3.0 }) + "
        "disc (mfold-row 0.0, mfilter p.bills { b ⇒ not (is-missing b.paid) } { t, b ⇒ t + conv (b.paid or-else 0) / 7.0 })⟩ }"
    )
    visits = [{"patient": f"{draw.randrange(9)}", "date": "x", "cost": draw.uniform(-9, 9)} for _ in range(40)]
    bills = [{"patient": f"{draw.randrange(11)}", "paid": draw.choice([None, draw.uniform(0, 1e9)])} for _ in range(30)]
    everybody = {row[0]: row[1] for row in evaluate(text, people={"visits": visits, "bills": bills})}
    for who, known in everybody.items():
        alone = {
            "visits": [line for line in visits if line["patient"] == who],
            "bills": [line for line in bills if line["patient"] == who],
        }
        assert evaluate(text, people=alone) == [[who, known]]


def test_a_line_without_an_identifier_is_refused_and_named() -> None:
    told = refused(lambda: released(VISITS + ",2024-01-01,1\n"))
    assert told == ["D0604 visits, data row 6, column 'patient' the identifier is missing"]


def test_files_without_rows_have_nobody() -> None:
    assert released(bills="patient,paid\n", _on_bad_row="drop")[0] == (3.0, 5.0)
    assert released("patient,date,cost\n", "patient,paid\n", _on_bad_row="default") == ((0.0, 0.0), (0.0, 0.0))
    # As for every table, a run reports that there is no row at all if the holder of the data wants bad rows reported.
    assert refused(lambda: released(bills="patient,paid\n"))[0].startswith("D0602")


def test_a_bad_cell_moves_its_own_line_only() -> None:
    bad = VISITS + "a,2024-01-09,many\n"
    assert refused(lambda: released(bad))[0].startswith("D0604 visits.csv")
    assert released(bad, _on_bad_row="drop") == released()
    assert released(bad, _on_bad_row="default") == released(VISITS + "a,2024-01-09,0\n")


def test_a_frame_of_the_wrong_kind_is_refused() -> None:
    frame = {"patient": np.array([1, 2]), "date": ["x", "y"], "cost": [1.0, 2.0]}
    assert refused(lambda: ran({"visits": frame, "bills": "bills.csv"}))[0].startswith("D0618")


# ---------------------------------------------------------------------------------------------------------------------
# What a run says


def test_the_unit_is_a_person_with_all_files() -> None:
    released()
    files = {"visits": "visits.csv", "bills": "bills.csv"}
    found = duetpy.parse(EVERYTHING, notion="eps").check().run(people=files, ε=1)
    assert found.privacy["unit"] == "one `patient` with all their rows in visits.csv, bills.csv"
    assert found.privacy["files"] == ["visits.csv", "bills.csv"]
    assert found.privacy["neighbours"] == "add-remove-person"
    assert "(the number of persons is private)" in privacy_text(found)
    assert "add or remove one person" in privacy_text(found)
    assert found.data["people"]["rows"] is None


# ---------------------------------------------------------------------------------------------------------------------
# Ledgers


def opened_ledger() -> Path:
    assert main(["ledger", "create", "ledger", "--budget", "epsilon=100"]) == 0
    return Path("ledger")


def charged(ledger: Path, text: str, **options: Any) -> Any:
    return duetpy.parse(text, notion="eps").check().run(ε=0.5, _ledger=ledger, **options)


ROWS = "pλ ε : ℝ⁺ . xs : 𝔻𝔽[cost : 𝔻 else 0], ε : ℝ⁺[ε] ⇒ laplace[1, ε] <xs> { real (rows xs) }"


def test_a_ledger_of_persons_takes_no_rows_and_no_other_identifiers() -> None:
    ledger = opened_ledger()
    released()
    files = {"visits": "visits.csv", "bills": "bills.csv"}
    first = charged(ledger, EVERYTHING, people=files)
    again = charged(ledger, EVERYTHING, people=files)
    assert again.result == first.result
    assert again.ledger is not None
    assert again.ledger["replayed"]
    assert refused(lambda: charged(ledger, ROWS, xs={"cost": [1.0]}))[0].startswith("D0727")
    numbered = f"pλ ε : ℝ⁺ . people : {NUMBERED}, ε : ℝ⁺[ε] ⇒ laplace[1, ε] <people> {{ real (rows people) }}"
    told = refused(lambda: charged(ledger, numbered, people={"visits": {"patient": [1], "cost": [1.0]}}))
    assert told[0].startswith("D0727")
    # By another column of the same file other persons are protected.
    Path("bills.csv").write_text("patient,doctor,paid\na,z,1\n", encoding="utf-8")
    told = refused(lambda: charged(ledger, EVERYTHING, people=files, _id={"bills": "doctor"}))
    assert told[0].startswith("D0727")
    assert not charged(ledger, EVERYTHING, people=files).ledger["replayed"]


def test_persons_and_rows_together_fit_no_ledger() -> None:
    ledger = opened_ledger()
    Path("v.csv").write_text("patient,cost\n1,1\n", encoding="utf-8")
    for name, cost in (("w.csv", 1), ("others.csv", 2)):
        Path(name).write_text(f"cost\n{cost}\n", encoding="utf-8")
    charged(ledger, MIXED, people={"visits": "v.csv"}, xs="w.csv")
    again = refused(lambda: charged(ledger, MIXED, people={"visits": "v.csv"}, xs="others.csv"))
    assert again[0].startswith("D0727")


def test_a_refusal_that_no_row_decides_is_not_charged() -> None:
    ledger = opened_ledger()
    Path("visits.csv").write_text(VISITS, encoding="utf-8")
    Path("bills.csv").write_text("person,paid\na,1\n", encoding="utf-8")
    files = {"visits": "visits.csv", "bills": "bills.csv"}
    told = refused(lambda: charged(ledger, EVERYTHING, people=files, _on_bad_row="drop"))
    assert told[0].startswith("D0603")
    assert not Ledger(ledger).state().entries


# ---------------------------------------------------------------------------------------------------------------------
# The example


def test_patients_with_many_rows_in_two_files(capsys: pytest.CaptureFixture[str]) -> None:
    """Noise leaves room for 25 of its scales once in 10^10 runs."""
    visits, bills = (list(csv.DictReader((DATA / name).open(encoding="utf-8"))) for name in ("visits.csv", "bills.csv"))
    files = [f"visits={DATA / 'visits.csv'}", "--data", f"patients.bills={DATA / 'bills.csv'}"]
    words = ["--data", *files, "--id", "bills=pat_no", "--set", "ε=2", "--format", "json"]
    assert main(["run", str(DATA.parent / "visits.eps.duet"), *words]) == 0
    report = json.loads(capsys.readouterr().out)
    cost = {line["pat_no"]: 0.0 for line in bills} | {line["patient"]: 0.0 for line in visits}
    for line in visits:
        cost[line["patient"]] += float(line["cost"])
    often = Counter(line["patient"] for line in visits)
    (number, mean), (found_often, owing) = report["result"]
    assert len(cost) == 1200
    assert abs(number - len(cost)) < 25 / 2
    assert abs(mean - np.clip(list(cost.values()), 0, 2000).mean()) < 25 * 2000 / 2 / 1150 + 5
    assert abs(found_often - sum(count >= 5 for count in often.values())) < 25 / 2
    assert abs(owing - len({line["pat_no"] for line in bills if not line["paid"]})) < 25 / 2
    assert report["privacy"]["total"]["epsilon"] == 8
    assert report["privacy"]["unit"].startswith("one `patient` with all their rows in ")
    assert [Path(file).name for file in report["privacy"]["files"]] == ["visits.csv", "bills.csv"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--data", "visit=v.csv"], "unknown name visit"),
        (["--data", "visits=v.csv", "--id", "visits"], "visits is not FILE=COLUMN"),
        (["--data", "visits=v.csv", "--id", "bills=pat_no"], "no data is given for a file of persons called bills"),
        (["--data", "visits=v.csv", "--id", "visits=a", "--id", "visits=b"], "visits is given twice"),
    ],
)
def test_a_command_that_names_no_file_ends_with_2(
    words: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", str(DATA.parent / "visits.eps.duet"), *words, "--set", "ε=1"]) == 2
    assert told in capsys.readouterr().err


def test_files_of_persons_are_given_by_their_names() -> None:
    text = "plam people : persons[patient : Str | visits : DF[cost : Disc], bills : DF[paid : Disc]] =>\n"
    checked = duetpy.parse(f"{text}  dlaplace[1, 1.0] <people> {{ rows people }}", notion="eps").check()
    visits, bills = {"patient": ["a", "a"], "cost": [1.0, 2.0]}, {"pat_no": ["b", "c"], "paid": [1.0, 2.0]}
    how: dict[str, Any] = {"_id": {"bills": "pat_no"}, "_insecure_noise": "none"}
    assert checked.run(visits=visits, bills=bills, **how).result == 3
    assert checked.run(**{"people.visits": visits, "people.bills": bills}, **how).result == 3
    with pytest.raises(ValueError, match="given twice"):
        checked.run(visits=visits, **{"people.visits": visits}, bills=bills, **how)
    with pytest.raises(ValueError, match="given twice"):
        checked.run(people={"visits": visits}, bills=bills, **how)
    with pytest.raises(DuetError, match="bills of people"):
        checked.run(visits=visits, bill=bills, _insecure_noise="none")


@pytest.mark.parametrize("seed", range(often(200, 40)))
def test_rows_are_sorted_as_one_key_after_another_sorts_them(seed: int) -> None:
    draw = random.Random(seed)
    rows = draw.randrange(9)
    kinds: list[Callable[[], Any]] = [
        lambda: draw.randrange(3),
        lambda: draw.choice([-1.5, 0.0, 2.0, 1e300]),
        lambda: draw.random() < 0.5,
        lambda: draw.randrange(-5, 2**40),
        lambda: draw.randrange(2**62),
    ]
    each = [kinds[0], *draw.choices(kinds, k=draw.randrange(4))]
    keys = [np.array([one() for _ in range(rows)]) for one in each] if rows else [np.zeros(0, dtype=np.intp)]
    order = sorted_by(keys)
    assert sorted(order.tolist()) == list(range(rows))
    found = [tuple(key[at] for key in keys) for at in order]
    assert found == sorted(found)
