"""Persons on a public roster: who they are, whatever stands in the files, and what a run says and charges."""

import random
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import duetpy
from duetpy.cli.main import main
from duetpy.diagnostics.error import DuetError
from duetpy.ledger.store import Ledger
from duetpy.report.release_text import privacy_text
from duetpy.settings import DataFile
from tests.soundness.broken.mutant import Mutant
from tests.soundness.broken.persons import OF_ROSTERS
from tests.soundness.mutants import planted

FILES = "visits : 𝔻𝔽[date : 𝕊, cost : 𝔻 else 0], bills : 𝔻𝔽[paid : 𝔻?]"
LISTED = f"roster : ℘(𝕊), people : persons[patient : 𝕊 in roster | {FILES}]"
NUMBERED = f"roster : ℘(𝐝 ℕ), people : persons[patient : 𝐝 ℕ in roster | {FILES}]"
EACH = "mapDF people { p ⇒ {who = p.patient, visits = rows p.visits, bills = rows p.bills} }"
MEAN = """laplace[auto, ε] <people> {
  mfold-row 0.0, people { s, p ⇒ s + clip[0, 100] (mfold-row 0.0, p.visits { t, v ⇒ t + conv v.cost }) } / real (rows people) }"""
PROGRAM = f"pλ {LISTED}, static ε : ℝ⁺ ⇒ {MEAN}"
VISITS = {"patient": ["b", "a", "b", "z"], "date": ["1", "2", "3", "4"], "cost": [10.0, 20.0, 30.0, 40.0]}
BILLS = {"patient": ["a", "d"], "paid": [1.0, None]}
DATA: dict[str, Any] = {"visits": VISITS, "bills": BILLS}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def refused(run: Callable[[], object]) -> str:
    with pytest.raises(DuetError) as caught:
        run()
    return f"{caught.value.diagnostics[0].code} {caught.value}"


def ran(people: Any = DATA, text: str = PROGRAM, roster: Any = ("a", "b", "c"), **options: Any) -> Any:
    how = {"ε": 1, "_insecure_noise": "none", "_on_bad_row": "drop"} | options
    return duetpy.parse(text, notion="eps").check().run(people=people, roster=roster, **how)


def only_listed(visits: dict[str, list[Any]], roster: list[Any]) -> dict[str, list[Any]]:
    kept = [at for at, who in enumerate(visits["patient"]) if who in roster]
    return {name: [cells[at] for at in kept] for name, cells in visits.items()}


def counts_those_on_the_roster() -> None:
    """There are as many persons as the roster has elements: one without lines has none, and lines of others are nobody's."""
    for rule in ("default", "drop"):
        assert ran(_on_bad_row=rule).result == 20.0
        assert ran(_on_bad_row=rule, roster=["c", "b"]).result == 20.0
        assert ran(_on_bad_row=rule, roster=["z", "y", "x", "w"]).result == 10.0
    text = f"sλ {LISTED} ⇒ {EACH}"
    some = {"visits": only_listed(VISITS, ["a", "b"]), "bills": {"patient": ["a"], "paid": [None]}}
    found = duetpy.evaluate(text, roster=["c", "b", "a"], people=some)
    assert found == [["a", 1, 1], ["b", 2, 0], ["c", 0, 0]]
    numbers = {"patient": [7, 3, 7], "date": ["1"] * 3, "cost": [1.0] * 3}
    others = {"patient": [300, 3], "paid": [1.0, 2.0]}
    found = duetpy.evaluate(
        text.replace(LISTED, NUMBERED), roster=[300, 7, 20, 3], people={"visits": numbers, "bills": others}
    )
    assert found == [[3, 1, 1], [7, 2, 0], [20, 0, 0], [300, 0, 1]]


def refuses_lines_of_others() -> None:
    told = refused(partial(ran, _on_bad_row="refuse"))
    assert told.startswith("D0604")
    assert "visits, data row 4, column 'patient': the identifier is not in roster" in told
    assert "'z'" not in told
    bills = {"patient": ["a"], "paid": [1.0]}
    assert ran({"visits": only_listed(VISITS, ["a", "b"]), "bills": bills}, _on_bad_row="refuse").result == 20.0


def written() -> None:
    """The files, without lines of others."""
    Path("roster.csv").write_text("patient\na\nb\nc\n", encoding="utf-8")
    Path("visits.csv").write_text("patient,date,cost\nb,1,10\na,2,20\nb,3,30\n", encoding="utf-8")
    Path("bills.csv").write_text("patient,paid\na,1\n", encoding="utf-8")


def is_public() -> None:
    """Who is on a roster, a run shows: it is never protected, however little a program makes of it."""
    checked = duetpy.parse(PROGRAM, notion="eps").check()
    assert not checked.parameters["roster"].private
    assert checked.parameters["roster"].cost == {"epsilon": "∞"}
    assert duetpy.parse(f"sλ {LISTED} ⇒ rows people").check().parameters["roster"].sensitivity == "∞"
    written()
    Path("mean.eps.duet").write_text(PROGRAM, encoding="utf-8")
    files = ["--data", "visits=visits.csv", "--data", "bills=bills.csv", "--set", "ε=1"]
    assert main(["run", "mean.eps.duet", *files, "--data", "roster=roster.csv"]) == 1
    assert main(["run", "mean.eps.duet", *files, "--set", "roster=@roster.csv"]) == 0


BOTH = (
    "pλ roster : ℘(𝕊), some : persons[patient : 𝕊 in roster | visits : 𝔻𝔽[cost : 𝔻]], "
    "all : persons[patient : 𝕊 | bills : 𝔻𝔽[paid : 𝔻]] ⇒ "
    "a ← laplace[1, 1.0] <some> { real (rows (mfilter some { p ⇒ 0 < rows p.visits })) } ; "
    "laplace[1, 1.0] <all> { real (rows (mfilter all { p ⇒ 0 < rows p.bills })) }"
)


def mixes_with_no_other_persons() -> None:
    """In one table a person is replaced, and in the other one added or removed."""
    given = {"some": {"visits": {"patient": ["a"], "cost": [1.0]}}, "all": {"bills": {"patient": ["a"], "paid": [1.0]}}}
    assert refused(duetpy.parse(BOTH, notion="eps").check).startswith("D0640")
    same = BOTH.replace("patient : 𝕊 |", "patient : 𝕊 in roster |")
    found = duetpy.parse(same, notion="eps").check().run(roster=["a"], **given)
    assert found.privacy["total"]["epsilon"] == 2.0


def fits_no_ledger_of_others() -> None:
    assert main(["ledger", "create", "ledger", "--budget", "epsilon=100"]) == 0
    written()
    files = {"visits": "visits.csv", "bills": "bills.csv"}
    first = ran(files, _ledger="ledger", _insecure_noise=None)
    assert ran(files, _ledger="ledger", _insecure_noise=None).ledger["replayed"]
    again = ran(files, _ledger="ledger", _insecure_noise=None, roster=["a", "b"])
    assert not again.ledger["replayed"]
    assert first.ledger["charged"] == again.ledger["charged"]
    everybody = f"pλ people : persons[patient : 𝕊 | {FILES}], static ε : ℝ⁺ ⇒ dlaplace[1, ε] <people> {{ rows people }}"
    run = duetpy.parse(everybody, notion="eps").check().run
    told = refused(lambda: run(people=files, ε=1, _ledger="ledger", _on_bad_row="drop"))
    assert told.startswith("D0727")


CHECKS: dict[str, Callable[[], None]] = {
    "listed": counts_those_on_the_roster,
    "refused": refuses_lines_of_others,
    "public": is_public,
    "one kind": mixes_with_no_other_persons,
    "ledger": fits_no_ledger_of_others,
}


@pytest.mark.parametrize("check", CHECKS)
def test_a_check_holds(check: str) -> None:
    CHECKS[check]()


@pytest.mark.parametrize("mutant", OF_ROSTERS, ids=lambda mutant: mutant.name)
def test_what_is_wrong_with_rosters_is_found(mutant: Mutant) -> None:
    (check,) = mutant.rules
    with planted(mutant), pytest.raises((AssertionError, pytest.fail.Exception, DuetError)):
        CHECKS[check]()


def test_lines_move_nobody_but_those_on_the_roster() -> None:
    source = random.Random(5)
    lines = [(source.choice("abcdefz"), str(source.randrange(3)), source.randrange(90) / 2) for _ in range(60)]
    text = f"sλ {LISTED} ⇒ {EACH}"
    bills = {"patient": ["a"], "paid": [1.0]}

    def visits(of: list[tuple[str, str, float]]) -> dict[str, list[Any]]:
        return dict(zip(("patient", "date", "cost"), map(list, zip(*of, strict=True)), strict=True))

    def counted(of: list[tuple[str, str, float]], roster: list[str]) -> Any:
        listed = {"visits": only_listed(visits(of), roster), "bills": bills}
        return duetpy.evaluate(text, roster=roster, people=listed)

    for _ in range(4):
        source.shuffle(lines)
        assert counted(lines, list("abq")) == counted(sorted(lines), list("qba"))
    fewer = [line for line in lines if line[0] != "b"]
    before, after = counted(lines, list("abc")), counted(fewer, list("abc"))
    assert [row for row in before if row not in after] == [before[1]]
    assert after[1] == ["b", 0, 0]


def test_the_report_says_that_the_number_of_persons_is_public() -> None:
    found = ran(_insecure_noise=None)
    assert found.privacy["neighbours"] == "replace-person"
    assert found.privacy["unit"] == "one `patient` with all their rows in visits, bills"
    told = privacy_text(found)
    assert "(3 persons, public)" in told
    assert "replace all rows of one person" in told
    assert found.data["people"]["rows"] == 3


def test_the_size_of_a_roster_is_a_number_of_the_program() -> None:
    checked = duetpy.parse(PROGRAM, notion="eps").check()
    assert checked.releases[0]["sensitivity"] == "100/|roster|"
    told = refused(partial(ran, **{"|roster|": 4}))
    assert told.startswith("D0612")
    (release,) = ran(roster=[f"person {number}" for number in range(50)] + ["a"]).releases
    assert release["sensitivity"] == pytest.approx(100 / 51)


@pytest.mark.parametrize(
    ("roster", "code"), [([], "D0602"), (["a", ""], "D0611"), (["a", "NA"], "D0611"), (["a", 1], "D0611")]
)
def test_a_roster_of_nobody_is_refused(roster: list[Any], code: str) -> None:
    assert refused(partial(ran, roster=roster, _missing=["NA"])).startswith(code)


def test_the_headings_of_a_data_frame_are_no_set() -> None:
    """Python goes over them: of a frame with the column "a" the roster was "a" alone, and the mean that of one person."""
    frame = pd.DataFrame({"a": ["a", "b", "c"]})
    assert ran(roster=duetpy.public(frame["a"])).result == 20.0
    assert refused(partial(ran, roster=duetpy.public(frame))).startswith("D0611")
    with pytest.raises(DuetError):
        duetpy.evaluate("sλ s : ℘(𝕊) ⇒ s", s=frame)


def test_bad_identifiers_are_on_no_roster() -> None:
    text = f"pλ {NUMBERED}, static ε : ℝ⁺ ⇒ dlaplace[auto, ε] <people> {{ rows (mfilter people {{ p ⇒ 0 < rows p.visits }}) }}"
    numbers = {"patient": [0.0, None, 2.5, -1.0, float("nan"), 1.0], "date": ["1"] * 6, "cost": [1.0] * 6}
    files = {"visits": numbers, "bills": {"patient": [1.0], "paid": [1.0]}}
    assert ran(files, text, roster=[0, 1, 2, 3]).result == 2.0
    assert ran(files, text, roster=[2, 3]).result == 0.0


@pytest.fixture
def charged() -> Callable[..., Any]:
    """A run that is charged to a ledger for each person on the roster less, before a line of the files is read."""
    for name, lines in DATA.items():
        rows = [
            "patient," + ",".join(list(lines)[1:]),
            *(",".join(map(str, row)) for row in zip(*lines.values(), strict=True)),
        ]
        Path(f"{name}.csv").write_text("\n".join(rows), encoding="utf-8")
    files = {name: f"{name}.csv" for name in DATA}
    text = PROGRAM.replace("laplace[auto, ε]", "laplace[100.0, ε / real (rows people)]")
    assert main(["ledger", "create", "ledger", "--budget", "epsilon=100"]) == 0
    return partial(ran, files, text, _ledger="ledger", _insecure_noise=None)


@pytest.mark.parametrize("rule", ["default", "drop"])
def test_a_ledger_is_charged_for_the_size_of_the_roster_that_is_given(charged: Callable[..., Any], rule: str) -> None:
    assert charged(_on_bad_row=rule).ledger["charged"]["epsilon"] == pytest.approx(1 / 3)
    assert charged(_on_bad_row=rule, roster=["a", "z"]).ledger["charged"]["epsilon"] == pytest.approx(1 / 2)
    assert charged(_on_bad_row=rule, **{"|roster|": 3}).ledger["charged"]["epsilon"] == pytest.approx(1 / 3)


@pytest.mark.parametrize("rule", ["default", "drop"])
@pytest.mark.parametrize(
    ("how", "code"),
    [
        ({"|roster|": 2}, "D0612"),
        ({"|roster|": 4}, "D0612"),
        ({"roster": []}, "D0602"),
        ({"roster": ["a", ""]}, "D0611"),
    ],
)
def test_what_is_wrong_with_a_roster_is_public_and_costs_nothing(
    charged: Callable[..., Any], rule: str, how: dict[str, Any], code: str
) -> None:
    told = refused(partial(charged, _on_bad_row=rule, **how))
    assert told.startswith(code)
    assert Ledger(Path("ledger")).state().entries == ()


class Shrinking(list[str]):
    """A set that has fewer elements once it was charged."""

    def __iter__(self) -> Iterator[str]:
        return iter(["a"] if Ledger(Path("ledger")).state().entries else ["a", "b", "c"])


@pytest.mark.parametrize("rule", ["default", "drop"])
def test_a_roster_that_changes_after_the_charge_stops_the_run(charged: Callable[..., Any], rule: str) -> None:
    told = refused(partial(charged, _on_bad_row=rule, roster=duetpy.public(Shrinking(["a", "b", "c"]))))
    assert told.startswith("D0601")
    assert "changed since the run was charged" in told


def test_one_number_for_each_person_stands_in_ascending_order_of_the_identifiers() -> None:
    """Whoever puts names next to the numbers has to know it: the lines of the roster may be in any order."""
    each = "mmapp (bmap people { p ⇒ disc (real (rows p.visits)) }) { n ⇒ laplace[auto, ε] <n> { clip[0, 9] n } }"
    visits = {"patient": ["z", "z", "z", "b", "B", "B"], "date": ["1"] * 6, "cost": [1.0] * 6}
    Path("roster.csv").write_text("z\né\nB\nb\n", encoding="utf-8")
    for roster in (["z", "é", "B", "b"], DataFile(Path("roster.csv"))):
        found = ran({"visits": visits, "bills": BILLS}, f"pλ {LISTED}, static ε : ℝ⁺ ⇒ {each}", roster).result
        assert dict(zip(sorted("zéBb"), (row[0] for row in found), strict=True)) == {"B": 2, "b": 1, "z": 3, "é": 0}


def test_header_yes_is_said_of_the_roster_too() -> None:
    Path("roster.csv").write_text("b\na\n", encoding="utf-8")
    for header, number in (("auto", 2), ("yes", 1), ("no", 2)):
        text = f"pλ {LISTED}, static ε : ℝ⁺ ⇒ return real (rows people)"
        assert ran(text=text, roster=DataFile(Path("roster.csv")), _header=header).result == number
