"""A run of each of the examples: what is given to ``duetpy run`` after the program, in the root of this repository."""

from pathlib import Path

from tests.test_examples import EXAMPLES, GOOD, MODELS

DATA = "examples/data"
BREAST_CANCER = (f"xs={DATA}/breast_cancer_train.csv:0-29", f"ys={DATA}/breast_cancer_train.csv:30")

TABLES = {
    "adaptive-clipping.eps.duet": ((f"{DATA}/diabetes.csv:bmi",), ["ε=1"]),
    "ages.eps.duet": ((f"{DATA}/diabetes.csv:age",), ["ε=1"]),
    "cholera.eps.duet": ((f"deaths={DATA}/cholera.csv",), [f"pumps=@{DATA}/pumps.csv", "ε=1"]),
    "count.eps.duet": ((f"{DATA}/diabetes.csv:age,bmi",), ["ε=1"]),
    "first-number/mean.eps.duet": (("examples/first-number/people.csv",), ["ε=0.5"]),
    "groups.eps.duet": ((f"{DATA}/breast_cancer.csv",), ["ε=1"]),
    "hires.eps.duet": ((f"{DATA}/staff.csv",), ["ε=1"]),
    "histogram.eps.duet": ((f"{DATA}/breast_cancer.csv:diagnosis,radius_mean",), ["ε=0.5"]),
    "k-means.zcdp.duet": ((f"{DATA}/cholera.csv:x,y",), ["t=5", "ρ=0.5"]),
    "known-ages.eps.duet": ((f"{DATA}/titanic.csv",), ["ε=0.1"]),
    "median.eps.duet": ((f"{DATA}/diabetes.csv:bmi",), ["ε=1"]),
    "mwem.eps.duet": ((f"{DATA}/diabetes.csv:bmi",), ["t=10", "ε=2"]),
    "payroll.eps.duet": ((f"{DATA}/staff.csv",), ["ε=1"]),
    "regression.eps.duet": ((f"{DATA}/diabetes.csv",), ["ε=1"]),
    "spread.eps.duet": ((f"{DATA}/diabetes.csv:bmi",), ["ε=0.5"]),
    "squares.ed.duet": ((f"{DATA}/cholera.csv:x,y",), ["ε=1", "δ=1e-6"]),
    "visits.eps.duet": ((f"visits={DATA}/visits.csv", f"bills={DATA}/bills.csv"), ["ε=1"]),
}

GIVEN = TABLES | {name: (BREAST_CANCER, numbers) for name, numbers in MODELS.items()}


def run_of(path: Path) -> list[str]:
    """The arguments that run an example."""
    tables, numbers = GIVEN[path.relative_to(EXAMPLES).as_posix()]
    words = [word for table in tables for word in ("--data", table)]
    words += ["--id", "bills=pat_no"] if path.name == "visits.eps.duet" else []
    return [*words, *(word for number in numbers for word in ("--set", number))]


NAMES = {path: path.relative_to(EXAMPLES).as_posix() for path in GOOD}
