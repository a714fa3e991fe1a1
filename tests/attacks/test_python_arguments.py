"""Arguments from Python that are strange: invalid names, objects that raise what they hold, numbers and texts of the
caller's own types, and settings of the process that would make a run say more."""

import sys
import traceback
import warnings
from collections import UserList, deque
from collections.abc import Iterator, Sequence
from enum import Enum
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import duetpy
from duetpy.accounting.budget import Budget
from duetpy.ledger.store import Ledger, create
from duetpy.typecheck.notions import Notion
from tests.attacks.secrets import CANARY, WORD, seen

SUM = """\
pλ m : ℕ, ε : ℝ⁺ . xs : 𝕄 [L∞, U | m, age : 𝔻 else 0 ∷ name : 𝐝 𝕊 ∷ []], ε : ℝ⁺[ε] ⇒
  laplace[auto, ε] <xs> { mfold-row 0.0, xs { total, row ⇒ total + clip[0.0, 100.0] row.age } }
"""
CELLS = """\
pλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻 else 0] ⇒
  laplace[auto, 1.0] <xs> { mfold-row 0.0, xs { total, row ⇒ total + clip[0.0, 1.0] (row#[0, 0]) } }
"""
RED = """\
pλ m : ℕ . xs : 𝕄 [L∞, U | m, name : 𝐝 𝕊 ∷ []] ⇒
  laplace[auto, 1.0] <xs> { mfold-row 0.0, xs { total, row ⇒ total + (if row.name == "red" then 1.0 else 0.0) } }
"""
GRADIENT = """\
pλ m : ℕ . ⟨xs : 𝕄 [L∞, U | m, 2⋅𝔻 else 0], ys : 𝕄 [L∞, U | m, 1⋅𝔻 else 0]⟩, θ : 𝕄 [L∞, U | 1, 2⋅ℝ else 0] ⇒
  mgauss[auto, ℝ⁺[1.0], ℝ⁺[1e-6]] <xs, ys> { ∇[LR | θ ; mclip[L2] xs, ys] }
"""
TABLE = [[CANARY, WORD], [31.0, "bob"]]


def run(program: str = SUM, **arguments: Any) -> duetpy.Release:
    return duetpy.parse(program, notion="approx").check().run(**arguments)


def shown(error: BaseException) -> str:
    """The message of an exception and of all that hangs on it, with the local variables of the frames of duetpy."""
    package = str(Path(duetpy.__file__).parent)
    found: list[str] = []
    here: BaseException | None = error
    while here is not None:
        summary = traceback.StackSummary.extract(traceback.walk_tb(here.__traceback__), capture_locals=True)
        found += [repr(here), *(repr(frame.locals) for frame in summary if frame.filename.startswith(package))]
        here = here.__cause__ or here.__context__
    return "\n".join(found)


@pytest.mark.parametrize(
    "arguments",
    [
        {"sx": TABLE, "ε": 0.5},
        {"xs": TABLE, "ε": 0.5, "eps": 0.5},
        {"xs": TABLE, "ε": TABLE},
        {"xs": TABLE, "ε": 0.5, "_delta": "small"},
        {"xs": TABLE, "ε": 0.5, "_on_bad_row": "Default"},
        {"xs": TABLE, "ε": 0.5, "_header": "No"},
        {"xs": TABLE, "ε": 0.5, "_insecure_noise": "all"},
        {"xs": TABLE, "ε": 0.5, "_insecure_noise": True},
    ],
)
def test_an_argument_that_is_refused_is_in_no_frame(arguments: dict[str, Any]) -> None:
    with pytest.raises((duetpy.DuetError, ValueError)) as caught:
        run(**arguments)
    assert "D0901" not in str(caught.value)
    assert seen(shown(caught.value)) == []


def test_the_look_at_frames_sees_a_function_that_keeps_its_argument(monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: plain code in the place of duetpy's, which refuses where its rows are."""

    def plain(rows: list[list[Any]]) -> None:
        raise ValueError("no such option")

    monkeypatch.setattr(duetpy, "__file__", __file__)
    with pytest.raises(ValueError, match="no such option") as caught:
        plain(TABLE)
    assert seen(shown(caught.value))


class Leaving(list[Any]):
    """Rows that raise what they hold, past every `except Exception`."""

    error: type[BaseException] = SystemExit

    def __iter__(self) -> Any:
        raise self.error(f"{CANARY} {WORD}")


@pytest.mark.parametrize("error", [SystemExit, GeneratorExit, BaseException, KeyboardInterrupt])
def test_what_data_raises_is_not_repeated(error: type[BaseException]) -> None:
    rows = Leaving(TABLE)
    rows.error = error
    with pytest.raises((duetpy.DuetError, SystemExit, KeyboardInterrupt)) as caught:
        run(xs=rows, ε=0.5)
    assert seen(shown(caught.value)) == []


class Half(Sequence[Any]):
    """Rows of which the second raises what it holds."""

    def __len__(self) -> int:
        return 2

    def __getitem__(self, at: Any) -> Any:
        if at:
            raise ValueError(f"{CANARY} {WORD}")
        return [1.0]


class Unread:
    """What has no array, and says why."""

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise ValueError(f"{CANARY} {WORD}")


def halves() -> Iterator[Any]:
    yield from Half()


@pytest.mark.parametrize("made", [Half, Unread, halves])
@pytest.mark.parametrize("rule", ["refuse", "default"])
def test_data_that_raises_cannot_be_read(made: Any, rule: Any) -> None:
    """It is no fault of the run. An iterator may stop at any row, so that it is not even begun where no row may decide."""
    with pytest.raises(duetpy.DuetError) as caught:
        duetpy.parse(CELLS, notion="eps").check().run(xs=made(), _on_bad_row=rule)
    assert seen(shown(caught.value)) == []
    (found,) = caught.value.diagnostics
    assert found.code == ("D0603" if made is halves and rule == "default" else "D0601")
    assert found.help.startswith("give")


@pytest.mark.parametrize("end", [1, 2, 3])
def test_no_row_of_an_iterator_decides_how_a_run_ends(end: int) -> None:
    def rows() -> Iterator[Any]:
        for at in range(3):
            if at == end:
                raise ValueError
            yield [1.0]

    with pytest.raises(duetpy.DuetError) as caught:
        duetpy.parse(CELLS, notion="eps").check().run(xs=rows(), _on_bad_row="default")
    assert [each.code for each in caught.value.diagnostics] == ["D0603"]


Colour = Enum("Colour", {"RED": "red"}, type=str)


class Renamed(str):
    def __str__(self) -> str:
        return "blue"


def test_a_text_is_what_it_holds_and_not_what_it_prints_as() -> None:
    for text in (Colour("red"), Renamed("red"), np.str_("red")):
        assert run(RED, xs=[[text]], _insecure_noise="none").result == 1.0


class Raising(float):
    def __float__(self) -> float:
        raise ZeroDivisionError(WORD)


class Unequal(Fraction):
    def __eq__(self, other: object) -> bool:
        raise ZeroDivisionError(WORD)

    __hash__ = Fraction.__hash__


@pytest.mark.parametrize("cell", [Raising(5.0), Unequal(5, 1)])
def test_a_number_that_raises_is_a_bad_cell(cell: object) -> None:
    program = SUM.replace("age : 𝔻", "age : 𝐝 ℕ").replace("row.age", "(real row.age)")
    assert run(program, xs=[[cell, "x"], [7, "y"]], ε=1, _insecure_noise="none", _on_bad_row="default").result == 7.0
    with pytest.raises(duetpy.DuetError, match="D0604"):
        run(program, xs=[[cell, "x"], [7, "y"]], ε=1)


@pytest.mark.parametrize("value", [np.array(5), Leaving([5]), b"\5", (np.array([1, 2]), 5), 5, None, "5"])
@pytest.mark.parametrize("type_", ["℘(ℕ)", "ℕ + ℕ", "ℕ × ℕ"])
def test_what_is_no_set_and_no_pair_is_refused_or_counts_as_nothing(type_: str, value: Any) -> None:
    if isinstance(value, Leaving):
        value.error = ValueError
    whole = {"℘(ℕ)": "7 ∈ x", "ℕ + ℕ": "case x { inl a ⇒ true ; inr b ⇒ false }", "ℕ × ℕ": "fst x ≡ 0"}
    program = f"pλ . x : {type_} ⇒ laplace[1.0, 1.0] <x> {{ if {whole[type_]} then 1.0 else 0.0 }}"
    with pytest.raises(duetpy.DuetError, match="D0611"):
        run(program, x=value)
    nothing = 0.0 if type_ == "℘(ℕ)" else 1.0
    assert run(program, x=value, _insecure_noise="none", _on_bad_row="default").result == nothing


class Changing(Sequence[object]):
    """A pair that holds something else each time that somebody looks."""

    def __init__(self) -> None:
        self.looks = 0

    def __len__(self) -> int:
        return 2

    def __getitem__(self, at: Any) -> Any:
        if at > 1:
            raise IndexError
        self.looks += 1
        return self.looks


OF_TWO = "pλ . x : ℕ × ℕ ⇒ laplace[auto, 1.0] <x> { real (fst x) + real (snd x) }"


@pytest.mark.parametrize(
    "value",
    [(5, 6), [5, 6], range(5, 7), memoryview(b"\5\6"), UserList([5, 6]), deque([5, 6])],
    ids=lambda value: type(value).__name__,
)
def test_both_halves_of_a_pair_are_charged_whatever_python_has_them_in(value: Any) -> None:
    assert run(OF_TWO, x=value, _insecure_noise="none").result == 11.0
    assert run(OF_TWO, x=value).privacy["total"]["epsilon"] == 2.0


@pytest.mark.parametrize("value", [b"\5\6", bytearray(b"\5\6"), np.array([5, 6]), {5, 6}, {5: 1, 6: 1}], ids=repr)
def test_bytes_and_arrays_are_no_pairs(value: Any) -> None:
    """Two bytes were read as two numbers, and charged as one."""
    with pytest.raises(duetpy.DuetError, match="D0611"):
        run(OF_TWO, x=value)
    assert run(OF_TWO, x=value, _insecure_noise="none", _on_bad_row="default").result == 0.0


CASE_OF_TWO = (
    "pλ . x : (ℕ × ℕ) + ℕ ⇒ laplace[auto, 1.0] <x> { case x { inl p ⇒ real (fst p) + real (snd p) ; inr n ⇒ real n } }"
)


@pytest.mark.parametrize("value", [(5, 6), None, 7, (1, 2, 3), b"\5\6", "56", (None, 6)], ids=repr)
def test_what_is_no_pair_is_charged_as_a_pair(value: object) -> None:
    """It was charged as one number, so that the charge told whether somebody's pair was one; and the pairs next to what takes its
    place differ in both numbers."""
    for program, given in ((OF_TWO, value), (CASE_OF_TWO, ("inl", value)), (CASE_OF_TWO, value)):
        if program is OF_TWO or given != (5, 6):
            assert run(program, x=given, _on_bad_row="default").privacy["total"]["epsilon"] == 2.0


class Left(str):
    """A text that is equal to every other one, and a moment later to none."""

    looks = 0

    def __eq__(self, other: object) -> bool:
        self.looks += 1
        return self.looks % 2 == 1

    __hash__ = str.__hash__


def test_a_side_is_what_its_text_says() -> None:
    program = "pλ . x : ℕ + ℕ ⇒ laplace[auto, 1.0] <x> { case x { inl a ⇒ real a ; inr b ⇒ 0.0 - real b } }"
    assert run(program, x=(Left("inr"), 5), _insecure_noise="none").result == -5.0
    with pytest.raises(duetpy.DuetError, match="D0611"):
        run(program, x=(Left("left"), 5))


def test_a_pair_is_asked_once_what_is_in_it() -> None:
    pair = Changing()
    assert run(OF_TWO, x=pair, _insecure_noise="none").result == 3.0
    assert pair.looks == 2


@pytest.mark.parametrize("unit", ["ns", "us", "s", "D"])
@pytest.mark.parametrize("kind", ["datetime64", "timedelta64"])
def test_a_date_is_no_number(kind: str, unit: str) -> None:
    """The type of a column decides. In a list each cell is one by itself, and bad."""
    ages = np.array([5, 7], dtype=f"{kind}[{unit}]")
    for rule in ("refuse", "default"):
        with pytest.raises(duetpy.DuetError, match="D0618"):
            run(xs={"age": ages, "name": ["x", "y"]}, ε=1, _on_bad_row=rule)
    with pytest.raises(duetpy.DuetError, match="D0604"):
        run(xs={"age": list(ages), "name": ["x", "y"]}, ε=1)
    lenient = run(xs={"age": list(ages), "name": ["x", "y"]}, ε=1, _insecure_noise="none", _on_bad_row="default")
    assert lenient.result == 0.0


@pytest.mark.parametrize("name", ["bob", b"bob", {"b", "o", "x"}, {"b": 1, "o": 2, "x": 3}])
def test_a_text_a_set_and_a_mapping_are_no_column(name: object) -> None:
    """Their parts are no rows, or are in no order."""
    with pytest.raises(duetpy.DuetError, match="D0603"):
        run(xs={"age": [1, 2, 3], "name": name}, ε=1)


FIRST = {"age": 31, "name": "a"}
OTHERS = [
    ({"age": 44, "name": "b"}, 44.0),
    ({"name": "b", "age": 44}, 44.0),
    ({"age": 44}, 44.0),
    ({"age": 44, "name": "b", "more": 1}, 44.0),
    ([44, "b"], 44.0),
    ({}, 0.0),
    (None, 0.0),
    (7, 7.0),
]


@pytest.mark.parametrize("at", range(len(OTHERS)))
def test_one_record_decides_nothing_about_the_others(at: int) -> None:
    """A record without a field is one bad row, and what it has in addition is not read, as in a file."""
    other, own = OTHERS[at]
    is_bad = other in ({}, {"age": 44}, None, 7)
    for number, rows in ((2, [FIRST, other]), (1, [other, FIRST])):
        assert run(xs=rows, ε=1, _insecure_noise="none", _on_bad_row="default").result == 31.0 + own
        if is_bad:
            with pytest.raises(duetpy.DuetError, match=rf"error\[D060[45]\]: xs, row {number}[:,]"):
                run(xs=rows, ε=1)
        else:
            assert run(xs=rows, ε=1, _insecure_noise="none").result == 31.0 + own


def test_a_field_that_may_be_missing_may_be_left_out() -> None:
    text = "plam xs : DF[age : Disc?, town : Str] => laplace[1, 1.0] <xs> { real (rows (mfilter xs { r => is-missing r.age })) }"
    checked = duetpy.parse(text, notion="eps").check()
    rows = [{"age": 3, "town": "x"}, {"town": "y"}]
    for rule in ("refuse", "default", "drop"):
        assert checked.run(xs=rows, _on_bad_row=rule, _insecure_noise="none").result == 1
    for bad in ({}, {"city": "x"}):
        with pytest.raises(duetpy.DuetError, match=r"error\[D0605\]: xs, row 3: 0 cells instead of 2"):
            checked.run(xs=[*rows, bad])
    # Left out of all rows, it is a misspelt name: everybody's age would be missing, and no number would show it.
    for misspelt in (
        [{"Age": 3, "town": "x"}, {"Age": 5, "town": "y", "id": 7}],
        [{"town": "x"}, {"town": "y", "id": 7}],
    ):
        with pytest.raises(duetpy.DuetError, match=r"error\[D0603\]: xs: the column 'age' is missing"):
            checked.run(xs=misspelt)


class Refusing(list[Any]):
    """As a column of a library that makes an array of it only if no cell is strange."""

    def __array__(self, *_: Any, **__: Any) -> Any:
        if any(cell == CANARY for cell in self):
            raise ValueError(f"{CANARY} cannot be had")
        return np.array(list(self))


def test_one_cell_decides_nothing_about_its_column() -> None:
    found = run(xs={"age": Refusing([CANARY, 5.0]), "name": ["x", "y"]}, ε=1, _insecure_noise="none")
    assert found.result == 105.0


def test_a_number_that_must_be_rounded_is_not_whole_in_any_company() -> None:
    program = RED.replace("name : 𝐝 𝕊 ∷ []", "1⋅𝐝 ℕ else 0").replace('row.name == "red"', "5 ≤ (row#[0, 0])")
    near = np.longdouble(5) + np.longdouble(2) ** -60
    for other in (np.longdouble(1), None):
        assert run(program, xs=[[near], [other]], _insecure_noise="none", _on_bad_row="default").result == 0.0


def test_numbers_beyond_all_doubles_are_numbers() -> None:
    program = "pλ . x : ℝ ⇒ laplace[auto, 1.0] <x> { clip[0.0, 1.0] x }"
    assert run(program, x=10**400, _insecure_noise="none").result == 1.0


HARSH = [1e308, -1e308, 5e-324, 1e-300, 1e200, 0.0, 1.7976931348623157e308]


@pytest.mark.parametrize("way", ["raise", "warn"])
def test_what_numpy_is_told_to_raise_or_to_say_changes_nothing(way: Any) -> None:
    """Whether a product underflows depends on the rows; the process of the caller may be set up to end with it."""
    count = 50_000
    rows = np.array([[HARSH[i % 7], HARSH[i // 7 % 7]] for i in range(count)])
    theta = duetpy.public([[1e-300, 1e200]])
    program = duetpy.parse(GRADIENT, notion="approx").check()
    with np.errstate(all=way), warnings.catch_warnings():
        warnings.simplefilter("error")
        program.run(xs=rows, ys=np.ones((count, 1)), θ=theta)
        program.run(xs=rows[:3], ys=np.ones((3, 1)), θ=theta)


EVERY_CURVE = """\
pλ ε : ℝ⁺ . xs : 𝔻𝔽[age : 𝔻], ε : ℝ⁺[ε] ⇒
  total ← ggauss[1, 3, 2] <xs> { mfold-row 0.0, xs { sum, row ⇒ sum + clip[0, 1] row.age } } ;
  number ← canonical[1, ε, 1e-7] <xs> { real (rows xs) } ;
  whole ← dlaplace[2, ε] <xs> { rows xs } ;
  poisson[0.1] xs { part ⇒ noisy ← dgauss[1, ε, 1e-7] <part> { rows part } ; gauss[1, ε, 1e-7] <part> { real (rows part) } }
"""


@pytest.mark.parametrize(("way", "eps"), [("raise", 0.5), ("warn", 0.51), ("print", 0.52)])
def test_what_numpy_is_told_to_raise_or_to_say_changes_no_cost(
    way: Any, eps: float, capsys: pytest.CaptureFixture[str]
) -> None:
    """Tails below the least double underflow, and are covered; the process of the caller may be set up to end with it."""

    def costs() -> list[str]:
        checked = duetpy.parse(EVERY_CURVE, notion="approx").check()
        return [str(checked.cost(ε=eps)), str(checked.compare(ε=eps))]

    with np.errstate(all=way), warnings.catch_warnings():
        warnings.simplefilter("error")
        told = costs()  # before anything of these numbers is remembered
    assert told == costs()
    assert "encountered" not in "".join(capsys.readouterr())


@pytest.fixture
def foreign(monkeypatch: pytest.MonkeyPatch) -> str:
    module = ModuleType("mine")
    vars(module)["one"] = lambda x: 1.0
    monkeypatch.setitem(sys.modules, "mine", module)
    return SUM.replace("row.age }", '((opaque "mine:one" : 𝔻 ⊸ 𝔻) row.age) }')


@pytest.mark.parametrize("trusted", ["mines", "undermine", "mine,other", ["mines"], ()])
def test_part_of_a_trusted_name_is_not_trusted(foreign: str, trusted: Any) -> None:
    with pytest.raises(duetpy.DuetError, match="D0710"):
        run(foreign, xs=TABLE, ε=1, _trust=trusted)


def test_a_trusted_name_leaves_the_path_as_it_was(
    foreign: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    before = list(sys.path)
    for trusted in ("mine", ["mine"]):
        assert run(foreign, xs=TABLE, ε=1, _trust=trusted, _insecure_noise="none").result == 2.0
    assert sys.path == before


SUM_OF_XS = (
    "pλ . xs : 𝕄 [L∞, U | ★, x : 𝔻 ∷ []] ⇒ laplace[1, 1.0] <xs> { mfold-row 0, xs { s, r ⇒ s + clip[0, 1] r.x } }"
)


@pytest.mark.parametrize(
    "options",
    [
        {"_engine": Ellipsis},
        {"_engine": False},
        {"_engine": 1},
        {"_id": 1},
        {"_id": [("xs", "x")]},
        {"_id": {1: "x"}},
        {"_id": {"xs": 1}},
        {"_ledger": False},
        {"_ledger": 0},
        {"_ledger": b"l"},
        {"_insecure_noise": False},
        {"_insecure_noise": "7"},
        {"_header": True},
        {"_missing": "NA"},
        {"_memory": 1.5},
        {"_delta": True},
    ],
    ids=repr,
)
def test_an_option_that_cannot_be_is_refused_before_anything_is_charged(
    options: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Something that runs no folds was taken for an engine: the run was charged, and ended with an internal error."""
    monkeypatch.chdir(tmp_path)
    create(Path("l"), Budget(Notion.PURE, Fraction(9)), "people")
    checked = duetpy.parse(SUM_OF_XS, "eps").check()
    (name,) = options
    said = (
        "identifiers|file of persons"
        if name == "_id"
        else "number"
        if name == "_delta"
        else name.strip("_").replace("_", ".")
    )
    with pytest.raises(ValueError, match=said):
        checked.run(**({"xs": {"x": [0.5]}, "_ledger": "l", "_on_bad_row": "drop"} | options))
    assert not Ledger(Path("l")).state().entries


@pytest.mark.parametrize(
    "persons", [1, None, "xs", {"xs": 1}, {"xs": ("x",)}, {"xs": (1, 1)}, {1: ("x", 1)}, {"xs": ("x", True)}]
)
def test_persons_in_another_form_are_refused(persons: Any) -> None:
    with pytest.raises(ValueError, match=r"names of tables|rows per person"):
        duetpy.parse(SUM_OF_XS.replace("𝕄 [L∞, U | ★, x : 𝔻 ∷ []]", "𝔻𝔽[x : 𝔻, y : 𝔻]"), "eps").by_persons(persons)


def test_engines_are_made_of_whole_numbers_of_workers() -> None:
    for workers in (0, 1.5, True, "2", np.float64(2)):
        for make in (duetpy.engines.threads, lambda workers: duetpy.engines.dask(workers=workers)):
            with pytest.raises(ValueError, match="at least one worker"):
                make(workers)
    for address in (0.5, b"tls://a:1", True):
        with pytest.raises(ValueError, match="not an address"):
            duetpy.engines.dask(address)
