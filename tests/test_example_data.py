"""The tables of the examples are what their script writes, and have the rows of the originals."""

from pathlib import Path

from tests.test_examples import DATA, numbers, script, table


def test_the_scaled_tables_are_what_their_script_writes(tmp_path: Path) -> None:
    prepare = script(DATA / "prepare.py")
    prepare.HERE = tmp_path
    for name in ("breast_cancer.csv", "breast_cancer_ranges.csv", "pump_places.csv"):
        (tmp_path / name).write_bytes((DATA / name).read_bytes())
    places = [line.rpartition(",")[0] + ",0" for line in (DATA / "cholera.csv").read_text("utf-8").splitlines()[1:]]
    (tmp_path / "cholera.csv").write_text("\n".join(["x,y,pump", *places, ""]), "utf-8")
    prepare.split()
    prepare.nearest_pumps()
    prepare.staff()
    prepare.visits_and_bills()
    scaled = ("breast_cancer_train.csv", "breast_cancer_held_out.csv", "cholera.csv")
    for name in (*scaled, "staff.csv", "visits.csv", "bills.csv", "roster.csv"):
        assert (tmp_path / name).read_bytes() == (DATA / name).read_bytes()


def test_every_fourth_row_is_held_out() -> None:
    labels = [{"M": "1", "B": "-1"}[letter] for letter in table("breast_cancer.csv")["diagnosis"]]
    assert table("breast_cancer_held_out.csv")["malignant"] == labels[3::4]
    train = [label for number, label in enumerate(labels) if number % 4 != 3]
    assert table("breast_cancer_train.csv")["malignant"] == train


def test_the_tables_have_the_rows_of_the_originals() -> None:
    diagnoses = table("breast_cancer.csv")["diagnosis"]
    assert (diagnoses.count("B"), diagnoses.count("M")) == (357, 212)
    assert len(table("diabetes.csv")["age"]) == 442
    assert len(table("cholera.csv")["x"]) == 578
    # As printed in Efron and others 2004, table 1.
    assert numbers("diabetes.csv", "bmi")[:5].tolist() == [32.1, 21.6, 30.5, 25.3, 23.0]
    assert numbers("diabetes.csv", "progress")[:5].tolist() == [151, 75, 141, 206, 135]


def test_the_readme_of_the_data_names_every_file() -> None:
    text = (DATA / "README.md").read_text(encoding="utf-8")
    for path in DATA.iterdir():
        if path.suffix in (".csv", ".py"):
            assert path.name in text
