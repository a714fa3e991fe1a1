"""What is timed: for each task a program, its data and settings, three sizes and the bar that it has to reach.

A task is one line of the table. What it computes is written once more, without privacy, in `by_hand`; both must agree, with the
noise switched off, before either is timed.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from attrs import field, frozen

EXAMPLES = Path(__file__).parents[1] / "examples"


@frozen
class Size:
    """How large the data are, and how many turns a loop takes; 0 turns is a program without a loop."""

    rows: int
    columns: int = 1
    turns: int = 0
    rounds: int = 5


Settings = Callable[[Size], dict[str, int | float]]
Data = Callable[[Path, Size], dict[str, str]]


@frozen
class Goal:
    """At most so many times the CPU time of ``against``: ``numpy`` is the best program written by hand, any other a peer."""

    bar: float
    against: str = "numpy"


@frozen
class Task:
    """A line of the table.

    Parameters
    ----------
    name, title
        What ``--only`` and the agreement of contenders go by, and what is printed.
    program, notion
        The text.
    data
        Writes the data of a size into a folder: the file of each parameter.
    settings, exact
        The public numbers for a size; and those that differ where the noise is off, so that nothing is left to chance.
    turns
        The setting that says how often the loop runs.
    tiny, usual, full
        The sizes of a test, of ``make bench`` and of ``make bench-full``.
    by_hand
        The programs of `by_hand.PROGRAMS` that compute the same; by default those of this name.
    without
        Peers that would take too long, or too much memory.
    memory
        Whether the peak is compared with the doubles that the data hold.
    stream
        Whether the rows are read again for each pass, and not kept.
    """

    name: str
    title: str
    program: str = field(repr=False)
    notion: str
    data: Data
    tiny: Size
    usual: Size
    full: Size
    goal: Goal
    settings: Settings = lambda size: {"ε": 1.0}
    exact: Settings = lambda size: {}
    turns: str | None = None
    by_hand: str = ""
    without: tuple[str, ...] = ()
    memory: bool = True
    stream: bool = False

    def size(self, scale: str) -> Size:
        return {"tiny": self.tiny, "usual": self.usual, "full": self.full}[scale]

    def shown(self, size: Size) -> str:
        """The title with its size."""
        columns = f" × {size.columns}" if size.columns > 1 else ""
        turns = f", {size.turns} turns" if size.turns else ""
        return f"{self.title}, {power_of_ten(size.rows)}{columns}{turns}"


def power_of_ten(number: int) -> str:
    power = len(str(number)) - 1
    if power < 3 or number % 10**power:
        return f"{number:,}"
    lead = "" if number == 10**power else f"{number // 10**power}·"
    return f"{lead}10{str(power).translate(str.maketrans('0123456789', '⁰¹²³⁴⁵⁶⁷⁸⁹'))}"


def saved(folder: Path, **arrays: np.ndarray) -> dict[str, str]:
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array)
    return {name: f"{name}.npy" for name in arrays}


def labelled(folder: Path, size: Size) -> dict[str, str]:
    """Rows with labels ±1 that a line tells apart; about half of the rows are longer than 1."""
    rng = np.random.default_rng(0)
    xs = rng.standard_normal((size.rows, size.columns))
    ys = np.where(xs @ rng.standard_normal(size.columns) > 0, 1.0, -1.0)
    xs *= 1.0 / np.sqrt(size.columns)
    return saved(folder, xs=xs, ys=ys)


def numbers(folder: Path, size: Size) -> dict[str, str]:
    """Numbers of which some are outside 0 to 100."""
    return saved(folder, xs=np.random.default_rng(0).normal(50.0, 30.0, size=(size.rows, 1)))


def keys(folder: Path, size: Size) -> dict[str, str]:
    """Keys of which some are outside the fifty."""
    return saved(folder, xs=np.random.default_rng(0).integers(0, 52, size=(size.rows, 1)))


def places(folder: Path, size: Size) -> dict[str, str]:
    return saved(folder, deaths=np.random.default_rng(0).uniform(6.0, 20.0, size=(size.rows, 2)))


def patients(folder: Path, size: Size) -> dict[str, str]:
    # An odd number of rows has one median, and so one best candidate.
    return saved(folder, patients=np.random.default_rng(0).normal(28.1, 6.0, size=(size.rows + 1, 1)))


def named(size: Size) -> list[str]:
    return [f"c{at}" for at in range(size.columns)]


def csv(folder: Path, size: Size) -> dict[str, str]:
    rows = np.random.default_rng(0).standard_normal((size.rows, size.columns))
    with open(folder / "xs.csv", "w", encoding="utf-8", newline="") as file:
        file.write(",".join(named(size)) + "\n")
        file.writelines(",".join(map("{:.6f}".format, row)) + "\n" for row in rows.tolist())
    return {"xs": "xs.csv"}


def parquet(folder: Path, size: Size) -> dict[str, str]:
    import pyarrow
    import pyarrow.parquet

    columns = np.random.default_rng(0).standard_normal((size.columns, size.rows))
    table = pyarrow.table(dict(zip(named(size), columns, strict=True)))
    pyarrow.parquet.write_table(table, folder / "xs.parquet")
    return {"xs": "xs.parquet"}


def labelled_parquet(folder: Path, size: Size) -> dict[str, str]:
    """As `labelled`, in two files."""
    import pyarrow
    import pyarrow.parquet

    files = labelled(folder, size)
    for name, file in files.items():
        array = np.load(folder / file).reshape(size.rows, -1)
        table = pyarrow.table({f"c{at}": array[:, at] for at in range(array.shape[1])})
        pyarrow.parquet.write_table(table, folder / f"{name}.parquet")
    return {name: f"{name}.parquet" for name in files}


def nothing(folder: Path, size: Size) -> dict[str, str]:
    return {}


def example(name: str) -> str:
    return (EXAMPLES / name).read_text(encoding="utf-8")


COLUMN = "pλ m : ℕ, ε : ℝ⁺ . xs : 𝕄 [L∞, U | m, 1⋅𝔻], ε : ℝ⁺[ε] ⇒ laplace[auto, ε] <xs> { %s }"
CLIPPED = "mfold-row 0.0, xs { total, row ⇒ total + clip[0.0, 100.0] row#[0, 0] }"
SUM = COLUMN % CLIPPED
MEAN = COLUMN % f"({CLIPPED}) / real (rows xs)"
COUNT = COLUMN % "real (rows (mfilter xs { row ⇒ 50.0 < row#[0, 0] }))"
HISTOGRAM = f"""
pλ ε : ℝ⁺ . xs : 𝕄 [L∞, U | ★, 1⋅𝐝 ℕ], ε : ℝ⁺[ε] ⇒
  parallel[xs, ℘{{{", ".join(map(str, range(50)))}}}] {{ row ⇒ row#[0, 0] }} {{ key, part ⇒
    number ← laplace[auto, ε] <part> {{ real (rows part) }} ;
    return ⟨key, number⟩
  }}
"""
FROM_FILE = f"""
pλ m : ℕ, ε : ℝ⁺ . xs : 𝕄 [L∞, U | m, {" ∷ ".join(f"c{at} : 𝔻" for at in range(10))} ∷ []], ε : ℝ⁺[ε] ⇒
  laplace[auto, ε] <xs> {{ mfold-row 0.0, xs {{ total, row ⇒ total + clip[-2.0, 2.0] row.c3 }} }}
"""
NOISE = """
pλ m : ℕ, ε : ℝ⁺ . x : ℝ, m : ℕ[m], ε : ℝ⁺[ε] ⇒
  mlaplace[1.0, ε] <x> { mcreate[L1 | m, ℕ[100]] { i, j ⇒ real j } }
"""


def descent(name: str, rows: int, columns: int, bar: float, usual: int, rounds: int) -> Task:
    return Task(
        name=f"descent {name}",
        title="gradient descent",
        program=example("logistic.zcdp.duet"),
        notion="zcdp",
        data=labelled,
        tiny=Size(200, 3, 3, 1),
        usual=Size(rows, columns, usual, rounds),
        full=Size(rows, columns, 50, 5),
        goal=Goal(bar),
        settings=lambda size: {"η": 1.0, "ρ": 0.5},
        turns="k",
        by_hand="descent",
        # It holds the gradient of each row, several times over.
        without=("opacus",) if rows >= 10**6 else (),
    )


def query(name: str, program: str, data: Data = numbers) -> Task:
    return Task(
        name=name,
        title=name,
        program=program,
        notion="eps",
        data=data,
        tiny=Size(500, rounds=1),
        usual=Size(10**6),
        full=Size(10**7),
        goal=Goal(1.0, "diffprivlib"),
    )


def batches(name: str, title: str, program: str, part: Settings, whole: Settings) -> Task:
    return Task(
        name=name,
        title=title,
        program=example(program),
        notion="approx",
        data=labelled,
        tiny=Size(200, 3, 3, 1),
        usual=Size(10**6, 20, 20, 3),
        full=Size(10**6, 20, 200, 5),
        goal=Goal(2.0),
        settings=lambda size: {"ε": 1.0, "δ": 1e-9, **part(size)},
        exact=whole,
        turns="k",
    )


def parquet_sum(name: str, title: str, bar: float, *, stream: bool = False) -> Task:
    return Task(
        name=name,
        title=title,
        program=FROM_FILE,
        notion="eps",
        data=parquet,
        tiny=Size(300, 10, rounds=1),
        usual=Size(10**6, 10),
        full=Size(10**7, 10, rounds=3),
        goal=Goal(bar),
        by_hand="Parquet",
        stream=stream,
    )


TASKS = (
    descent("10⁵×20", 10**5, 20, 1.2, 50, 3),
    descent("10⁶×20", 10**6, 20, 1.2, 20, 3),
    descent("10⁶×100", 10**6, 100, 1.0, 10, 2),
    query("sum", SUM),
    query("mean", MEAN),
    query("count", COUNT),
    query("histogram", HISTOGRAM, keys),
    Task(
        name="k-means",
        title="k-means",
        program=example("k-means.zcdp.duet"),
        notion="zcdp",
        data=places,
        tiny=Size(300, 2, 3, 1),
        usual=Size(10**5, 2, 5),
        full=Size(10**6, 2, 5, 3),
        goal=Goal(2.0),
        settings=lambda size: {"ρ": 1.0},
        turns="t",
    ),
    Task(
        name="quantile",
        title="quantile of 61 candidates",
        program=example("median.eps.duet"),
        notion="eps",
        data=patients,
        tiny=Size(500, rounds=1),
        usual=Size(10**6, rounds=3),
        full=Size(10**7, rounds=3),
        goal=Goal(2.0),
    ),
    batches(
        "minibatch",
        "minibatches of 1,000",
        "minibatch.ed.duet",
        lambda size: {"η": 1.0, "b": min(1000, size.rows)},
        lambda size: {"b": size.rows},
    ),
    batches(
        "DP-SGD",
        "DP-SGD, 1 row in 100",
        "dp-sgd.ed.duet",
        lambda size: {"η": 1e-4, "q": 0.01},
        lambda size: {"q": 1.0, "η": 1.0 / size.rows},
    ),
    Task(
        name="CSV",
        title="sum of a CSV column",
        program=FROM_FILE,
        notion="eps",
        data=csv,
        tiny=Size(300, 10, rounds=1),
        usual=Size(3 * 10**5, 10),
        full=Size(3 * 10**6, 10, rounds=3),
        goal=Goal(1.5, "polars"),
        by_hand="CSV",
    ),
    parquet_sum("Parquet", "sum of a Parquet column", 1.2),
    parquet_sum("streamed sum", "the same, no row kept", 2.0, stream=True),
    Task(
        name="streamed descent",
        title="gradient descent, Parquet, no row kept",
        program=example("logistic.zcdp.duet"),
        notion="zcdp",
        data=labelled_parquet,
        tiny=Size(200, 3, 3, 1),
        usual=Size(10**6, 10, 10, 3),
        full=Size(10**7, 10, 10, 1),
        goal=Goal(2.0),
        settings=lambda size: {"η": 1.0, "ρ": 0.5},
        turns="k",
        by_hand="streamed descent",
        stream=True,
    ),
    Task(
        name="noise",
        title="Laplace noise, a matrix",
        program=NOISE,
        notion="eps",
        data=nothing,
        tiny=Size(2, 100, rounds=1),
        usual=Size(1000, 100, rounds=3),
        full=Size(10_000, 100, rounds=3),
        goal=Goal(1.0, "opendp"),
        settings=lambda size: {"ε": 1.0, "m": size.rows, "x": 1.0},
        memory=False,
    ),
)
