"""One row does not decide how a run ends: what a branch that data chooses could fail at is settled before a row is read.

Each program is run at the command line on neighbouring tables, of which one sends it into the branch and the other does not. With
``--on-bad-row default`` the exit code, what kind of output there is, and what is said on standard error are the same.
"""

import io
import re
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
from attrs import frozen

from duetpy.cli.main import main

FEW, MORE = "1\n2\n", "1\n2\n7\n"
"""Neighbours by one row, which is the only one of at least 5."""
STAR, FIXED = "𝕄 [L∞, U | ★, 1⋅𝔻 else 0]", "𝕄 [L∞, U | 2, 1⋅𝔻 else 0]"
ASKED = "(∀ m : ℕ . 𝕄 [L∞, U | m, 1⋅𝔻 else 0] ⊸[1] 𝔻)"
LONG, SHORT = (
    "(sλ m : ℕ . u : 𝕄 [L∞, U | m, 1⋅𝔻 else 0] ⇒ u#[6, 0])",
    "(sλ m : ℕ . u : 𝕄 [L∞, U | m, 1⋅𝔻 else 0] ⇒ u#[0, 0])",
)
TWO, NINE = (f"(mcreate[L∞ | ℕ[{size}], ℕ[1]] {{ i, j ⇒ disc 0.0 }})" for size in (2, 9))
MILLION = "(mcreate[L∞ | ℕ[1000000], ℕ[1]] { i, j ⇒ disc 1.0 })"
COPIES = "mcreate[L∞ | ℕ[9000], ℕ[1]] { i, j ⇒ CELL }"
TURNS = "(sλ n : ℕ . number : ℝ⁺[n], y : 𝔻 ⇒ loop ℕ[n] on y { i, s ⇒ s + y })"
HUGE = "100000000000000000000"


@frozen
class Branch:
    """What is computed only if a row is there, what the program learns, and how each run ends."""

    name: str
    code: int
    body: str
    kinds: str = ""
    parameters: str = ""
    sets: tuple[str, ...] = ()
    notion: str = "eps"

    @property
    def text(self) -> str:
        kinds = f"{self.kinds} . " if self.kinds else ""
        chosen = f"if rows (mfilter xs {{ r ⇒ 5.0 ≤ r#[0, 0] }}) < 1 then disc 0.0 else {self.body}"
        noise = "laplace[auto, 1.0]" if self.notion == "eps" else "gauss[auto, 1.0]"
        return f"pλ {kinds}xs : {STAR}{self.parameters} ⇒ {noise} <xs> {{ clip[0.0, 1.0] ({chosen}) }}\n"


def with_number(name: str, code: int, body: str, number: str) -> Branch:
    return Branch(name, code, body, "ε : ℝ⁺", ", ε : ℝ⁺[ε]", (f"ε={number}",))


def with_size(name: str, code: int, body: str, number: str) -> Branch:
    return Branch(name, code, body, "k : ℕ", ", k : ℕ[k]", (f"k={number}",))


def table(rows: str, columns: str = "ℕ[1]") -> str:
    return f"(mcreate[L∞ | {rows}, {columns}] {{ i, j ⇒ disc 1.0 }})"


def carried(function: str) -> dict[str, str]:
    """A function on its way to a call that it is not right for."""
    return {
        "an argument": f"(sλ h : {ASKED} ⇒ h {TWO}) {function}",
        "a branch": f"(if 1 ≡ 2 then {SHORT} else {function}) {TWO}",
        "a loop": f"(loop ℕ[1] on {SHORT} {{ i, h ⇒ {function} }}) {TWO}",
        "a changed cell": f"(((mcreate[L∞ | ℕ[1], ℕ[1]] {{ i, j ⇒ {SHORT} }})#[0, 0 ↦ {function}])#[0, 0]) {TWO}",
        "a type variable": f"(sλ τ : ☆K . a : τ, b : τ ⇒ b) {SHORT} {function} {TWO}",
        "a function without types": f"(let use = sλ h ⇒ h {TWO} in let u = use {SHORT} in use {function})",
        "a box": f"(unbox (if 1 ≡ 2 then box {SHORT} else box {function})) {TWO}",
        "a call": f"{function} {TWO}",
    }


def power(number: str) -> str:
    return " ⋅ ".join([number] * 8)


def rooted(depth: int, last: int = 0) -> str:
    """Functions that each pass on a root, of which the last takes some more roots."""
    bound = "number"
    for _ in range(last):
        bound = f"√ ({bound} + 1.0)"
    function = f"sλ η : ℝ⁺ . number : ℝ⁺[η] ⇒ {clipped(bound)}"
    for _ in range(depth):
        function = f"let next = {function} in sλ η : ℝ⁺ . number : ℝ⁺[η] ⇒ next (√ (number + 1.0))"
    return function


def clipped(bound: str) -> str:
    return f"disc (clip[0.0, {bound}] (disc 1.0))"


def folded(test: str, taken: str, otherwise: str = "disc 1.0") -> str:
    """A fold in the order of its rows, whose body chooses by sizes."""
    state = f"if {test} then disc 0.5 ⋅ a + {taken} ⋅ r#[0, 0] else disc 0.5 ⋅ a + {otherwise} ⋅ r#[0, 0]"
    return f"mfold-row (disc 0.0), {NINE} {{ a, r ⇒ {state} }}"


BRANCHES = (
    *(Branch(f"index by {way}", 1, body) for way, body in carried(LONG).items()),
    *(Branch(f"no index by {way}", 0, body) for way, body in carried(SHORT).items()),
    Branch("a kind that nothing tells", 1, "(sλ η : ℝ⁺ . y : 𝔻 ⇒ y + disc ℝ⁺[η]) (disc 1.0)"),
    Branch("a kind that is told", 0, "((sλ η : ℝ⁺ . y : 𝔻 ⇒ y + disc ℝ⁺[η])@[1.0]) (disc 1.0)"),
    Branch("an infinite number", 1, "disc ℝ⁺[∞]"),
    Branch("an infinite clip", 1, "clip[0.0, ℝ⁺[∞]] (disc 1.0)"),
    with_number("a number that is too large", 1, "disc ℝ⁺[exp(exp(exp(7 ⋅ ε)))]", "0.9"),
    with_number("a number that is small enough", 0, "disc ℝ⁺[exp(exp(exp(7 ⋅ ε)))]", "0.1"),
    with_number(
        "a number that a function finds too large", 1, "(sλ η : ℝ⁺ . e : ℝ⁺[η] ⇒ disc ℝ⁺[exp(exp(η ⋅ 9))]) ε", "2"
    ),
    *(
        with_number(
            f"a power of a power: {number}",
            code,
            f"(sλ η : ℝ⁺ . e : ℝ⁺[η] ⇒ {clipped(power('e'))}) ({power('ε')})",
            number,
        )
        for number, code in (("1e100", 1), ("1e-100", 1), ("1e30", 0))
    ),
    *(
        with_number(
            f"a root of a power: {number}", code, clipped(f"ℝ⁺[√ (√ (√ ({power('ε')} ⋅ {power('ε')} + 1)))]"), number
        )
        for number, code in (("1e250", 2), ("1e30", 0))
    ),
    *(
        with_number(
            f"a logarithm near 0: {number}", code, clipped("ℝ⁺[1/(㏒ (1 + ε ⋅ ε) + ㏒ (1 + ε ⋅ ε ⋅ ε))]"), number
        )
        for number, code in (("1e-290", 1), ("0.1", 0))
    ),
    *(
        with_number(f"so many turns: {turns}", code, f"{TURNS} ε (disc 1.0)", turns)
        for turns, code in (("2.5", 1), ("2", 0))
    ),
    *(
        with_size(f"half as many turns as {size}", code, f"{TURNS} (real k / 2.0) (disc 1.0)", size)
        for size, code in (("3", 1), ("4", 0))
    ),
    *(with_number(f"{depth} nested roots", code, f"({rooted(depth)}) ε", "1/3") for depth, code in ((40, 1), (20, 0))),
    *(
        with_number(f"{depth} roots of nested roots", code, f"({rooted(20, depth)}) ε", "1/3")
        for depth, code in ((20, 1), (5, 0))
    ),
    Branch("too many rows", 1, f"{table(f'ℕ[{HUGE}]')}#[0, 0]"),
    Branch("too many columns", 1, f"{table('ℕ[1]', f'ℕ[{HUGE}]')}#[0, 0]"),
    Branch("too many cells", 1, f"{table('ℕ[1000000000]', 'ℕ[1000]')}#[0, 0]"),
    Branch("a map of too many rows", 1, f"(mmap-row {table(f'ℕ[{HUGE}]')} {{ r ⇒ r }})#[0, 0]"),
    Branch("a table for each row", 1, f"(mmap-row {NINE} {{ r ⇒ {table(f'ℕ[{HUGE}]')}#[0, 0] }})#[0, 0]"),
    Branch("rows enough", 0, f"{table('ℕ[1000]')}#[999, 0]"),
    with_size("a public number of rows", 1, f"{table('k')}#[0, 0]", HUGE),
    with_size("a square of a public number", 1, f"{table('k ⋅ k')}#[0, 0]", "10000000000"),
    with_size("a small public number of rows", 0, f"{table('k')}#[0, 0]", "3"),
    with_size("an index below a public number", 1, f"{table('k')}#[6, 0]", "3"),
    with_size("a guarded index", 0, f"(if k ≤ 6 then disc 1.0 else {table('k')}#[6, 0])", "3"),
    with_size("a guarded index of many rows", 0, f"(if k ≤ 6 then disc 1.0 else {table('k')}#[6, 0])", "9"),
    with_size("a guard that does not help", 1, f"(if k ≤ 5 then disc 1.0 else {table('k')}#[6, 0])", "6"),
    # What of the body of a fold does not look at the state is computed for many rows at once, but not out of such a branch.
    with_size("a number of a branch of a fold that is not taken", 0, folded("k < 3", "disc ℝ⁺[exp(exp(exp(k)))]"), "9"),
    with_size("a number of a branch of a fold that is taken", 1, folded("k < 9", "disc ℝ⁺[exp(exp(exp(k)))]"), "8"),
    with_size("a table of a branch of a fold that is not taken", 0, folded("k ≤ 9", f"{table('k')}#[0, 0]"), HUGE),
    with_size("a table of the other branch", 0, folded("9 < k", "disc 1.0", f"{table('k')}#[0, 0]"), HUGE),
    Branch("a table of boxes with tables", 1, f"(unbox (({COPIES.replace('CELL', f'box {MILLION}')})#[0, 0]))#[0, 0]"),
    Branch(
        "a table of a type that a call gives",
        1,
        f"((sλ τ : ☆K . a : τ ⇒ ({COPIES.replace('CELL', 'a')})#[0, 0]) {MILLION})#[0, 0]",
    ),
    Branch(
        "a small table of such a type", 0, f"(sλ τ : ☆K . a : τ ⇒ ({COPIES.replace('CELL', 'a')})#[0, 0]) (disc 1.0)"
    ),
    Branch(
        "a table of sets of tables",
        1,
        f"(if ({COPIES.replace('CELL', f'℘{{{MILLION}}}')})#[0, 0] ≡ ℘{{{MILLION}}} then disc 0.0 else disc 1.0)",
    ),
    with_size("batches that are not full", 1, f"(let z = chunks[2, {table('k')}] in disc 1.0)", "3"),
    with_size("batches that are full", 0, f"(let z = chunks[2, {table('k')}] in disc 1.0)", "4"),
)

NUMBER = re.compile(r"-?\d+(\.\d+)?(e[-+]?\d+)?")


def end_of(folder: Path, program: Path, rows: str, sets: tuple[str, ...]) -> tuple[int, str, str]:
    """The exit code, what is printed with its numbers left out, and standard error."""
    (folder / "x.csv").write_text(rows, encoding="utf-8")
    words = ["run", str(program), "--data", f"xs={folder / 'x.csv'}", "--on-bad-row", "default", "--header", "no"]
    words += ["--insecure-noise", "7", *(word for given in sets for word in ("--set", given))]
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main(words)
    return code, NUMBER.sub("#", out.getvalue()), err.getvalue()


@pytest.mark.parametrize("branch", BRANCHES, ids=lambda branch: branch.name)
@pytest.mark.sparse(3)
def test_a_row_does_not_decide_how_a_run_ends(branch: Branch, tmp_path: Path) -> None:
    program = tmp_path / f"one.{branch.notion}.duet"
    program.write_text(branch.text, encoding="utf-8")
    without = end_of(tmp_path, program, FEW, branch.sets)
    assert without[0] == branch.code, without
    assert end_of(tmp_path, program, MORE, branch.sets) == without


# ---------------------------------------------------------------------------------------------------------------------
# The step that contracts only for short rows, and sizes that no machine holds

TRAIN = (
    "let train = sλ step : (∀ b : ℝ⁺, m : ℕ . 𝕄 [L2, U | 1, 1⋅ℝ else 0] ⊸[1] (𝕄 [L∞, L2≤b | m, 1⋅𝔻 else 0] ⊸[2⋅b/m] "
    "(𝕄 [L∞, U | m, 1⋅𝔻 else 0] ⊸[b/m] 𝕄 [L2, U | 1, 1⋅ℝ else 0]))) ⇒ pλ m : ℕ, ρ : ℝ⁺ . "
    "⟨xs : 𝕄 [L∞, U | m, 1⋅𝔻 else 0], ys : 𝕄 [L∞, U | m, 1⋅𝔻 else 0]⟩, ρ : ℝ⁺[ρ] ⇒ mgauss[auto, ρ] <xs, ys> { "
    "loop ℕ[20] on (mcreate[L2 | ℕ[1], ℕ[1]] { i, j ⇒ 0.0 }) { i, θ ⇒ step θ (mclip[L2, BOUND] xs) ys } } in "
    "train (sλ b : ℝ⁺, m : ℕ . θ : 𝕄 [L2, U | 1, 1⋅ℝ else 0], xs : 𝕄 [L∞, L2≤b | m, 1⋅𝔻 else 0], ys : 𝕄 [L∞, U | m, 1⋅𝔻 else 0] ⇒ "
    "step∇[LR, 1.0, 0.0 | θ ; xs, ys])\n"
)


@pytest.mark.parametrize("bound", ["1.0", "4.0"])
def test_a_step_is_not_passed_on_without_what_it_demands(bound: str, tmp_path: Path) -> None:
    program = tmp_path / "train.zcdp.duet"
    program.write_text(TRAIN.replace("BOUND", bound), encoding="utf-8")
    ends = []
    for label in ("0", "1"):
        (tmp_path / "x.csv").write_text("4,0\n4,1\n4," + label + "\n", encoding="utf-8")
        words = ["run", str(program), "--header", "no", "--on-bad-row", "default", "--set", "ρ=1"]
        words += ["--data", f"xs={tmp_path / 'x.csv'}:0", "--data", f"ys={tmp_path / 'x.csv'}:1"]
        out, err = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            code = main(words)
        ends.append((code, out.getvalue(), err.getvalue()))
    assert ends[0] == ends[1]
    assert ends[0][0] == 1
    assert "b⋅b/4 ≤ 2" in ends[0][2]
