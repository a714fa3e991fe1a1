"""A draft of data types is accepted by the checker, fits the file that it is from, and shows no cell of it."""

import csv
import io
import json
import random
import shlex
from pathlib import Path

import pytest

from duetpy import DuetError, parse
from duetpy.report.schema import program, remarks
from duetpy.runtime.sources.survey import survey
from tests.cli.harness import Duetpy, Write

NOTICE = "made from private rows"
BODY = " laplace[Real+[1.0], Real+[1.0]] <xs> { mfold-row 0.0, xs { total, row => total + 1.0 } }\n"
PEOPLE = "age,income,state,vip,group\n" + "".join(
    f"{20 + n},{n}.5,{'NY' if n % 2 else 'CA'},{'true' if n % 3 else 'false'},{n % 4}\n" for n in range(40)
)


def draft_of(out: str) -> str:
    return next(line for line in out.splitlines() if line.startswith("plam"))


def test_columns_are_guessed_by_name(duetpy: Duetpy, write: Write) -> None:
    write("people.csv", PEOPLE)
    outcome = duetpy("schema", "people.csv")
    assert outcome.code == 0
    assert draft_of(outcome.out) == (
        "plam . xs : DF[age : Disc, income : Disc, state : disc_t Str, vip : Bool, group : disc_t Nat] =>"
    )
    assert NOTICE in outcome.err
    assert NOTICE in outcome.out.splitlines()[0]
    comments, head, _ = outcome.out.partition(draft_of(outcome.out))
    assert head
    assert all(line.startswith("--") for line in comments.splitlines())


def test_as_json(duetpy: Duetpy, write: Write) -> None:
    write("people.csv", PEOPLE)
    outcome = duetpy("schema", "people.csv", "--format", "json")
    found = json.loads(outcome.out)
    assert found["private"] is True
    assert NOTICE in found["notice"]
    assert [column["name"] for column in found["columns"]] == ["age", "income", "state", "vip", "group"]
    assert all(column["fits"] for column in found["columns"])
    text = duetpy("schema", "people.csv").out
    assert found["draft"] == draft_of(text)
    assert text.endswith(found["program"])
    assert found["program"].startswith(found["draft"])


@pytest.mark.parametrize(
    ("text", "schema"),
    [
        ("1.5,2\n3,4.5\n", "2*Disc"),
        ("a,b\n1.5,2\n3,4.5\n", "DF[a : Disc, b : Disc]"),
        ("a b,let\n1.5,2\n3,4.5\n", 'DF["a b" : Disc, let : Disc]'),
        (
            '"Salary, ""net"" (€)",Größe,größer als 5\n1.5,2,3.5\n',
            'DF["Salary, \\"net\\" (€)" : Disc, Größe : Disc, "größer als 5" : Disc]',
        ),
        ("a,2019,true\nb,c,d\ne,f,g\n", "3*disc_t Str"),
        ("a,a,b\n1.5,2,x\n3,4.5,y\n", "DF[b : disc_t Str]"),
        ("NY,CA\nCA,NY\n", "2*disc_t Str"),
        ("1\n1\n2\n1\n", "1*disc_t Nat"),
        ("\ufeffage\n1.5\n\n\n", "DF[age : Disc]"),
        ("_,?,-\n1.5,2.5,3.5\n", "3*Disc"),
        ("=cmd(),\x1b[31m,ok\n1.5,2.5,3.5\n", 'DF["=cmd()" : Disc, ok : Disc]'),
    ],
)
def test_a_draft_fits_its_file(duetpy: Duetpy, write: Write, text: str, schema: str) -> None:
    write("x.csv", text)
    outcome = duetpy("schema", "x.csv")
    type_ = schema if schema.startswith("DF") else f"Matrix [Linf, U | ?, {schema}]"
    assert draft_of(outcome.out) == f"plam . xs : {type_} =>"
    assert "\x1b" not in outcome.out
    for text in (outcome.out, draft_of(outcome.out) + BODY):
        checked, diagnostics = parse(text, notion="eps").try_check()
        assert checked is not None, diagnostics
        write("p.eps.duet", text)
        assert duetpy("run", "p.eps.duet", "--data", "x.csv").code == 0


def test_empty_cells_of_numbers_are_missing_values(duetpy: Duetpy, write: Write) -> None:
    write("x.csv", "age,code,ok,town\n31.5,1,true,Rome\n,2,,\n7,,false,Oslo\n8,1,true,Oslo\n")
    done = duetpy("schema", "x.csv", "--format", "json")
    value = json.loads(done.out)
    assert [column["type"] for column in value["columns"]] == ["Disc?", "disc_t Nat?", "Bool?", "disc_t Str"]
    assert all(column["fits"] for column in value["columns"])
    assert any("or-else" in remark for remark in value["remarks"])
    # What is in quotation marks, or is a word that does not stand for nothing, is not a missing value to a run.
    for cell in ('""', "NA", "?"):
        write("y.csv", f"age,name\n31.5,a\n{cell},b\n7,c\n")
        age, _ = json.loads(duetpy("schema", "y.csv", "--format", "json").out)["columns"]
        assert age == {"name": "age", "type": "Disc", "fits": False}


def test_a_header_can_be_said(duetpy: Duetpy, write: Write) -> None:
    write("x.csv", "NY\nCA\nNY\n")
    assert "NY" not in duetpy("schema", "x.csv").out
    # A word that is a cell of its column too is no heading, whatever is said of it.
    assert "NY" not in duetpy("schema", "x.csv", "--header", "yes").out
    write("y.csv", "state\nCA\nNY\n")
    assert "state : disc_t Str" in duetpy("schema", "y.csv", "--header", "yes").out


def test_what_does_not_fit_is_said_without_its_place(duetpy: Duetpy, write: Write) -> None:
    write("x.csv", "age,income\n" + "".join(f"{n},{n}.5\n" for n in range(20)) + "secret,8675309.25\n")
    out = duetpy("schema", "x.csv").out
    assert "age : Disc, income : Disc" in out
    assert "do not fit" in out
    assert "secret" not in out
    assert "8675309" not in out


REFUSES = ("do not fit", "no row below")
CELLS = [
    "1",
    "1.5",
    "-2",
    "true",
    "false",
    "x",
    "NY",
    "",
    "na",
    "1e5",
    " 3 ",
    "9007199254740992",
    "1e400",
    "\xff",
    "2.0",
    'a"b',
]
HEADINGS = ["age", "income", "in", "a b", "na", "true", "1", "\xe9", "=cmd()", '"age"']


@pytest.mark.parametrize("seed", range(60))
def test_a_draft_says_whether_a_run_takes_its_file(tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    columns = [dice.sample(CELLS, dice.randint(1, 2)) for _ in range(dice.randint(1, 3))]
    lines = [[dice.choice(column) for column in columns] for _ in range(dice.randint(0, 5))]
    if seed % 4:
        lines.insert(0, [dice.choice(HEADINGS) for _ in columns])
    path = tmp_path / "x.csv"
    # latin-1, so that some of the lines are no UTF-8.
    path.write_bytes("".join(",".join(line) + "\n" for line in lines).encode("latin-1"))
    header = dice.choice(["auto", "yes", "no"])
    try:
        found = survey(path, header)
    except DuetError:
        return
    checked = parse(program({"xs": found}), notion="eps").check()
    try:
        release = checked.run(xs=path, _header=header, _insecure_noise="none")
    except DuetError:
        assert any(word in remark for remark in remarks(found) for word in REFUSES)
        return
    assert not any(word in remark for remark in remarks(found) for word in REFUSES)
    # Blank lines at the end are no rows.
    assert release.result == sum(line != [""] for line in lines) - found.has_header


@pytest.mark.parametrize("text", ["", "\n1\n"])
def test_empty_files_are_refused(duetpy: Duetpy, write: Write, text: str) -> None:
    write("x.csv", text)
    outcome = duetpy("schema", "x.csv")
    assert (outcome.code, outcome.out) == (1, "")
    assert "D0602" in outcome.err


def test_a_first_line_that_is_the_whole_file_is_not_told(duetpy: Duetpy, tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_bytes(b"age,income\r8675309,1.5\r41,2\r")
    stated = duetpy("schema", "people.csv", "--header", "yes")
    assert stated.code == 1
    assert "carriage returns" in stated.err
    for outcome in (stated, duetpy("schema", "people.csv")):
        assert "8675309" not in outcome.out + outcome.err


def test_a_first_line_of_commas_is_no_table(duetpy: Duetpy, write: Write) -> None:
    write("people.csv", "," * 100_000 + "\n1\n")
    outcome = duetpy("schema", "people.csv")
    assert outcome.code == 1
    assert "D0603" in outcome.err
    assert "more than 100,000 columns" in outcome.err
    assert outcome.out == ""


def test_a_file_that_is_not_there(duetpy: Duetpy, tmp_path: Path) -> None:
    assert duetpy("schema", "x.csv").code == 1
    assert duetpy("schema", str(tmp_path), "--format", "json").code == 1


def test_no_cell_is_shown_whatever_the_file_holds(duetpy: Duetpy, tmp_path: Path) -> None:
    for seed in range(150):
        dice = random.Random(seed)
        cells = ["8675309.25", "canary", '"canary,8675309"', "1", "-2.5", "", "true", "\x00", "canary;canary", "nan"]
        lines = [
            ",".join(dice.choice(cells) for _ in range(dice.choice([2, 3, 3, 3]))) for _ in range(dice.randint(2, 9))
        ]
        header = ["alpha,beta,gamma"] if dice.random() < 0.5 else []
        # Without a header the first line is a row: of numbers, as a row of words cannot be distinguished from a header.
        first = header or ["1.5,2.5,3.5"]
        (tmp_path / "x.csv").write_text("\n".join([*first, *lines]), encoding="utf-8")
        outcome = duetpy("schema", "x.csv", "--header", dice.choice(["auto", "yes" if header else "no"]))
        assert "8675309" not in outcome.out + outcome.err, seed
        assert "canary" not in outcome.out + outcome.err, seed


def test_a_header_that_is_copied_is_a_command() -> None:
    """The control: quoting for CSV keeps what a spreadsheet computes and what moves the cursor of a terminal."""
    copied = io.StringIO()
    csv.writer(copied).writerow(["=cmd()", "\x1b[31m", "ok"])
    assert copied.getvalue().startswith("=cmd()")
    assert "\x1b" in copied.getvalue()


@pytest.mark.parametrize(("name", "separator"), [("x.csv", ";"), ("x.tsv", "\t"), ("x.txt", "\t"), ("x.csv", ",")])
def test_what_separates_cells_is_found_and_said(duetpy: Duetpy, write: Write, name: str, separator: str) -> None:
    write(name, f"age{separator}income\n1.5{separator}2.5\n3.5{separator}4.5\n")
    outcome = duetpy("schema", name)
    assert draft_of(outcome.out).endswith("DF[age : Disc, income : Disc] =>")
    assert ("the cells are separated by" in outcome.out) == (separator != ",")
    assert json.loads(duetpy("schema", name, "--format", "json").out)["separator"] == separator


def test_a_row_does_not_say_what_separates_cells(duetpy: Duetpy, write: Write) -> None:
    write("x.csv", "1;2\n3;4\n")
    for options in ((), ("--header", "no")):
        outcome = duetpy("schema", "x.csv", *options)
        assert draft_of(outcome.out).endswith("1*disc_t Str] =>")
        assert "separated" not in outcome.out


@pytest.mark.parametrize("name", ["x.parquet", "x.npy", "x.arrow.gz", "duckdb:x.duckdb?table=t", "x.duckdb"])
def test_a_file_that_holds_no_lines_has_no_draft(duetpy: Duetpy, write: Write, name: str) -> None:
    write(name.removeprefix("duckdb:").partition("?")[0], "age\n1\n")
    for words in ((), ("--format", "json")):
        outcome = duetpy("schema", name, *words)
        assert (outcome.code, outcome.out) == (1, "")
        assert "is not CSV" in outcome.err
    assert ("duckdb:FILE?table=NAME" in outcome.err) == (name == "x.duckdb")


def test_a_draft_of_several_files_is_one_program(duetpy: Duetpy, write: Write) -> None:
    write("visits.csv", "day,cost\n1.5,2\n3,4.5\n2,2\n")
    write("in.csv", PEOPLE)
    write("my people.csv", PEOPLE)
    outcome = duetpy("schema", "visits.csv", "in.csv", "my people.csv")
    assert outcome.code == 0
    assert draft_of(outcome.out).startswith("plam . visits : DF[day : Disc, cost : Disc], xs2 : DF[age")
    write("p.eps.duet", outcome.out)
    assert duetpy("check", "p.eps.duet").code == 0
    command = next(line for line in outcome.out.splitlines() if "To run it: " in line).partition("PROGRAM.eps.duet ")[2]
    ran = duetpy("run", "p.eps.duet", *shlex.split(command), "--insecure-noise", "none")
    assert (ran.code, ran.out) == (0, "rows1,rows2,rows3\n3,40,40\n")


def test_several_files_as_json_are_one_object_a_file(duetpy: Duetpy, write: Write) -> None:
    write("visits.csv", "day,cost\n1.5,2\n3,4.5\n")
    write("people.csv", PEOPLE)
    lines = duetpy("schema", "visits.csv", "people.csv", "--format", "json").out.splitlines()
    values = [json.loads(line) for line in lines]
    assert [value["file"] for value in values] == ["visits.csv", "people.csv"]
    assert values[0]["program"] == values[1]["program"]
    assert values[0]["draft"] in "plam . xs : DF[day : Disc, cost : Disc] =>"


def test_one_file_that_cannot_be_read_leaves_no_draft(duetpy: Duetpy, write: Write) -> None:
    write("people.csv", PEOPLE)
    outcome = duetpy("schema", "people.csv", "none.csv")
    assert (outcome.code, outcome.out) == (1, "")
    assert "none.csv" in outcome.err
    assert duetpy("schema", "-", "-").code == 2


@pytest.mark.parametrize(
    ("text", "declared"),
    [
        ("patient_id,age\na,1\na,2\nb,3\n", "people : persons[patient_id : disc_t Str | x : DF[age : Disc]]"),
        ("patient_id,age\n7,1\n7,2\n8,3\n", "people : persons[patient_id : disc_t Nat | x : DF[age : Disc]]"),
        ("rider,age\na,1\na,2\nb,3\n", "people : persons[rider : disc_t Str | x : DF[age : Disc]]"),
        ("patient_id,age\na,1\nb,2\nc,3\n", None),
        ("Name;age\nA;1\nB;2\nA;3\n", "people : persons[Name : disc_t Str | x : DF[age : Disc]]"),
        ("state,age\na,1\na,2\nb,3\n", None),
        ("identity,age\na,1\na,2\nb,3\n", None),
    ],
)
def test_identifiers_that_occur_again_are_those_of_persons(
    duetpy: Duetpy, write: Write, text: str, declared: str | None
) -> None:
    write("x.csv", text)
    out = duetpy("schema", "x.csv").out
    assert ("occur in several rows" in out) == (declared is not None)
    assert (" : persons[" in out) == (declared is not None)
    assert declared is None or f"plam . {declared} =>" in out
    assert "one row per person first" not in out
    write("p.eps.duet", out)
    ran = duetpy("run", "p.eps.duet", "--data", "x=x.csv" if declared else "x.csv", "--insecure-noise", "none")
    assert (ran.code, ran.out) == (0, "value\n3\n" if declared is None else "value\n2\n")


@pytest.mark.parametrize(
    "text", ["patient_id\n7\n7\n8\n", "patient_id,%\na,1\na,2\n", "patient_id,a\n1.5,1\n1.5,2\n2,3\n"]
)
def test_identifiers_that_no_table_of_persons_can_have_are_remarked_on(duetpy: Duetpy, write: Write, text: str) -> None:
    write("x.csv", text)
    out = duetpy("schema", "x.csv").out
    assert "occur in several rows" in out
    assert "one row per person first" in out
    assert "persons[" not in out


def test_files_with_the_same_identifiers_are_one_table_of_persons(duetpy: Duetpy, write: Write) -> None:
    write("visits.csv", "patient_id,age\na,1\na,2\nb,3\n")
    write("bills.csv", "patient_id,paid\na,1.5\nc,2.5\n")
    write("wards.csv", "beds,rooms\n20,5\n30,4\n")
    out = duetpy("schema", "visits.csv", "bills.csv", "wards.csv").out
    persons = "people : persons[patient_id : disc_t Str | visits : DF[age : Disc], bills : DF[paid : Disc]]"
    assert f"plam . {persons}, wards : DF[beds : Disc, rooms : Disc] =>" in out
    write("p.eps.duet", out)
    (line,) = [line for line in out.splitlines() if line.startswith("-- To run it: ")]
    data = shlex.split(line)[shlex.split(line).index("PROGRAM.eps.duet") + 1 :]
    ran = duetpy("run", "p.eps.duet", *data, "--insecure-noise", "none")
    assert (ran.code, ran.out) == (0, "rows1,rows2\n3,2\n")


def test_the_further_release_of_persons_adds_up_their_rows(duetpy: Duetpy, write: Write) -> None:
    write("x.csv", "patient_id,age\na,1\na,200\nb,3\n")
    text = duetpy("schema", "x.csv").out
    line = next(line for line in text.splitlines() if "--   " in line)
    more = text.replace(line, line.replace("--   ", "")).replace("  laplace[1.0", "  n <- laplace[1.0")
    write("p.eps.duet", more.rstrip("\n") + " ;\n  return <|n, total|>\n")
    ran = duetpy("run", "p.eps.duet", "--data", "x=x.csv", "--insecure-noise", "none")
    assert (ran.code, ran.out) == (0, "n,total\n2,103\n")


def test_a_further_release_is_one_uncommented_line_away(duetpy: Duetpy, write: Write) -> None:
    write("people.csv", PEOPLE)
    text = duetpy("schema", "people.csv").out
    line = next(line for line in text.splitlines() if "--   " in line)
    more = text.replace(line, line.replace("--   ", "")).replace("  laplace[1.0", "  n <- laplace[1.0")
    write("p.eps.duet", more.rstrip("\n") + " ;\n  return <|n, total|>\n")
    ran = duetpy("run", "p.eps.duet", "--data", "people.csv", "--insecure-noise", "none")
    assert (ran.code, ran.out) == (0, f"n,total\n40,{sum(range(20, 60))}\n")


@pytest.mark.parametrize("name", ["a=b.csv", "a:b.csv", "2024-01-01T10:30.csv", "-a.csv", "a b.csv", "=.csv"])
@pytest.mark.parametrize("others", [(), ("in.csv",)])
def test_the_command_of_a_draft_reads_the_file_whatever_it_is_called(
    duetpy: Duetpy, write: Write, name: str, others: tuple[str, ...]
) -> None:
    write("in.csv", PEOPLE)
    write(name, PEOPLE)
    outcome = duetpy("schema", "--", name, *others)
    command = next(line for line in outcome.out.splitlines() if "To run it: " in line).partition("PROGRAM.eps.duet ")[2]
    write("p.eps.duet", outcome.out)
    ran = duetpy("run", "p.eps.duet", *shlex.split(command), "--insecure-noise", "none")
    assert (ran.code, ran.out.splitlines()[-1]) == (0, ",".join(["40"] * (1 + len(others))))


def test_headings_with_spaces_are_names_in_quotation_marks(duetpy: Duetpy, write: Write) -> None:
    write("x.csv", "Customer ID;Annual salary\nc1;30.5\nc1;40\nc2;\n")
    outcome = duetpy("schema", "x.csv")
    assert (
        draft_of(outcome.out)
        == 'plam . people : persons["Customer ID" : disc_t Str | x : DF["Annual salary" : Disc?]] =>'
    )
    commented = next(line for line in outcome.out.splitlines() if "total <-" in line)
    release = commented.strip().removeprefix("--").strip()
    assert 'row."Annual salary" or-else 0' in release
    kept = "\n".join(line for line in outcome.out.splitlines() if not line.lstrip().startswith("--"))
    head, _, rest = kept.partition("=>")
    write("p.eps.duet", f"{head}=>\n  {release}\n  n <- {rest.strip()} ;\n  return <|total, n|>\n")
    ran = duetpy("run", "p.eps.duet", "--data", "x=x.csv", "--insecure-noise", "none")
    assert (ran.code, ran.out) == (0, "total,n\n70.5,2\n")


def test_columns_that_a_program_cannot_name_are_left_out_and_told_by_their_places(duetpy: Duetpy, write: Write) -> None:
    write("x.csv", "customer id;age;?;customer id\nc1;30.5;1;2\nc1;40;3;4\n")
    outcome = duetpy("schema", "x.csv")
    assert draft_of(outcome.out) == "plam . xs : DF[age : Disc] =>"
    assert "-- columns 1, 3, 4 are left out: to use a column, give it a unique heading that has a letter" in outcome.out
    assert "-- cells of column 1 occur in several rows" in outcome.out
    assert "run with --persons xs=HEADING,K" in outcome.out
    write("p.eps.duet", outcome.out)
    ran = duetpy("run", "p.eps.duet", "--data", "x.csv", "--insecure-noise", "none")
    assert (ran.code, ran.out) == (0, "value\n2\n")
