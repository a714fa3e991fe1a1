"""Write the tables of this folder. Run from anywhere; needs no network.

    python examples/data/prepare.py            # scale, split, find the nearest pumps, make up staff and patients
    python examples/data/prepare.py --tables   # first rewrite the two original tables from scikit-learn's bundled copies

Scaling uses the constants of breast_cancer_ranges.csv and nothing computed from the rows: a feature x becomes
(x − low) / (high − low) − 1/4. Every fourth row is held out, counting from the fourth.
"""

import csv
import gzip
import random
import sys
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from fractions import Fraction
from itertools import accumulate
from pathlib import Path

HERE = Path(__file__).resolve().parent

MEASURES = (
    "radius",
    "texture",
    "perimeter",
    "area",
    "smoothness",
    "compactness",
    "concavity",
    "concave_points",
    "symmetry",
    "fractal_dimension",
)
FEATURES = tuple(f"{measure}_{part}" for part in ("mean", "se", "worst") for measure in MEASURES)
"""The ten measures of a nucleus, as the original table orders them: their means, standard errors and largest values."""

DIABETES = ("age", "sex", "bmi", "bp", "tc", "ldl", "hdl", "tch", "ltg", "glu", "progress")

LABEL = "malignant"
EVERY = 4
"""Row i (from 0) is held out where i leaves the remainder 3 when divided by 4."""


def read(name: str) -> tuple[list[str], list[list[str]]]:
    """The header and the rows of a table of this folder."""
    with (HERE / name).open(encoding="utf-8", newline="") as lines:
        header, *rows = csv.reader(lines)
    return header, rows


def write(name: str, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Write a table of this folder: comma separated, one header line, Unix line ends."""
    with (HERE / name).open("w", encoding="utf-8", newline="") as lines:
        writer = csv.writer(lines, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def scaled(cell: str, low: str, high: str) -> str:
    """A cell by the public range of its column, to six decimals."""
    place = (Fraction(cell) - Fraction(low)) / (Fraction(high) - Fraction(low)) - Fraction(1, 4)
    return f"{float(place):.6f}"


def split() -> None:
    """Write the scaled breast cancer table in two parts: training rows and held-out rows."""
    header, rows = read("breast_cancer.csv")
    _, ranges = read("breast_cancer_ranges.csv")
    assert header == [*FEATURES, "diagnosis"]
    assert [name for name, *_ in ranges] == list(FEATURES)
    parts: dict[str, list[list[str]]] = {"train": [], "held_out": []}
    for number, (*cells, diagnosis) in enumerate(rows):
        features = [scaled(cell, low, high) for cell, (_, low, high) in zip(cells, ranges, strict=True)]
        label = {"M": "1", "B": "-1"}[diagnosis]
        parts["held_out" if number % EVERY == EVERY - 1 else "train"].append([*features, label])
    for part, chosen in parts.items():
        write(f"breast_cancer_{part}.csv", [*FEATURES, LABEL], chosen)


def nearest_pumps() -> None:
    """Write the cholera table with the number of the pump that is nearest to each death."""
    _, pumps = read("pump_places.csv")
    header, rows = read("cholera.csv")
    assert header[:2] == ["x", "y"]

    def squared(pump: Sequence[str], x: str, y: str) -> Fraction:
        return (Fraction(pump[1]) - Fraction(x)) ** 2 + (Fraction(pump[2]) - Fraction(y)) ** 2

    nearest = [min(pumps, key=lambda pump: squared(pump, x, y))[0] for x, y, *_ in rows]
    write("cholera.csv", ["x", "y", "pump"], [[*row[:2], pump] for row, pump in zip(rows, nearest, strict=True)])


DEPARTMENTS = (
    ("Engineering", 0.38, 52_000),
    ("Sales", 0.27, 41_000),
    ("Support", 0.22, 33_000),
    ("Legal", 0.13, 58_000),
)
"""Each department with its share of the staff and the least salary in it."""
SITES = ("Aarhus", "Bergen", "Cork", "Delft", "Evora", "Faro", "Ghent", "Hobro", "Inari", "Jena", "Kiruna", "Lund")
STAFF = 1_500


def staff() -> None:
    """Write the table of people who do not exist, with what tables of offices have: semicolons, a column that nobody needs,
    two spellings of one department, empty ages, negative amounts. Each site has half as many people as the one before it."""
    drawn = random.Random(1854)

    def of(shares: Iterable[float]) -> int:
        reached, ends = drawn.random(), list(accumulate(shares))
        return sum(end <= reached for end in ends[:-1])

    rows = []
    for number in range(1, STAFF + 1):
        name, _, least = DEPARTMENTS[of(share for _, share, _ in DEPARTMENTS)]
        age = 20 + int(45 * drawn.random())
        salary = least + int(9 * (age - 20) * 60 * drawn.random()) + int(20_000 * drawn.random() ** 3)
        bonus = int(9_000 * (drawn.random() - 0.2))
        site = SITES[of(2.0 ** -(at + 1) for at in range(len(SITES)))]
        hired = f"{2026 - int((age - 19) * drawn.random())}-{1 + int(12 * drawn.random()):02}-{1 + int(28 * drawn.random()):02}"
        spelling = name.lower() if drawn.random() < 0.05 else name
        known = "" if drawn.random() < 0.08 else str(age)
        rows.append([f"E{number:04}", spelling, site, known, str(salary), str(bonus), hired])
    header = ["employee", "department", "site", "age", "salary", "bonus", "hired"]
    with (HERE / "staff.csv").open("w", encoding="utf-8", newline="") as lines:
        writer = csv.writer(lines, delimiter=";", lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


PATIENTS = 1_200
WARDS = ("cardiology", "dermatology", "neurology", "orthopaedics")


def visits_and_bills() -> None:
    """Write two made-up tables of a hospital that has many rows of some patients: nobody in them exists."""
    draw, days = random.Random(1854), random.Random(1855)
    visits: list[list[str]] = []
    bills: list[list[str]] = []
    for number in range(1, PATIENTS + 1):
        # Few patients come often: about one in fifty has more than 20 visits, and one in ten has none, but a bill.
        count = 0 if draw.random() < 0.1 else min(60, int(draw.paretovariate(1.2)))
        own: list[str] = []
        for _ in range(count):
            day = date(2025, 1, 1) + timedelta(days=draw.randrange(365))
            cost = round(draw.lognormvariate(4.5, 0.8), 2)
            own.append(day.isoformat())
            visits.append([str(10_000 + number), own[-1], draw.choice(WARDS), f"{cost:.2f}"])
        for _ in range(max(1, count // 3)):
            amount = round(draw.lognormvariate(5.2, 0.7), 2)
            # A bill has the day of a visit; what is not paid yet is missing.
            billed = days.choice(own or [(date(2025, 1, 1) + timedelta(days=days.randrange(365))).isoformat()])
            bills.append(
                [str(10_000 + number), billed, f"{amount:.2f}", "" if draw.random() < 0.15 else f"{amount:.2f}"]
            )
    draw.shuffle(visits)
    draw.shuffle(bills)
    write("visits.csv", ("patient", "date", "department", "cost"), visits)
    write("bills.csv", ("pat_no", "date", "amount", "paid"), bills)
    write("roster.csv", ("patient",), [[str(10_000 + number)] for number in range(1, PATIENTS + 1)])


def tables() -> None:
    """Write the original tables from the copies that scikit-learn carries: every row, every column, every digit."""
    import sklearn.datasets

    bundled = Path(sklearn.datasets.__file__).parent / "data"
    with (bundled / "breast_cancer.csv").open(encoding="utf-8", newline="") as lines:
        _, *rows = csv.reader(lines)
    # The bundled copy codes the diagnosis as 0 for malignant and 1 for benign; the original has the letters.
    write("breast_cancer.csv", [*FEATURES, "diagnosis"], [[*row[:-1], "MB"[int(row[-1])]] for row in rows])
    with gzip.open(bundled / "diabetes_data_raw.csv.gz", "rt", encoding="utf-8") as lines:
        features = [line.split() for line in lines]
    with gzip.open(bundled / "diabetes_target.csv.gz", "rt", encoding="utf-8") as lines:
        progress = [f"{float(line):g}" for line in lines]
    write("diabetes.csv", DIABETES, [[*row, each] for row, each in zip(features, progress, strict=True)])


if __name__ == "__main__":
    if sys.argv[1:] == ["--tables"]:
        tables()
    elif sys.argv[1:]:
        sys.exit("usage: python prepare.py [--tables]")
    split()
    nearest_pumps()
    staff()
    visits_and_bills()
