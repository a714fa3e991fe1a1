"""Two runs on neighbouring data, and what of them can be seen apart from the released numbers.

With ``--on-bad-row default`` the end code, standard error, the shape of the result and everything that is reported must be
the same on neighbours. The noise is drawn from one seed. Data is mutated one line at a time, by lines that readers of CSV
files and arithmetic stumble over.
"""

import io
import json
import random
import warnings
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from attrs import evolve, frozen

from duetpy.cli.main import main
from duetpy.diagnostics.error import DuetError
from duetpy.grammar import ast
from duetpy.grammar.pretty import show_expression
from duetpy.program import parse
from duetpy.runtime.release.run import run
from duetpy.runtime.sources.column_selection import DataArgument, parse_selection
from duetpy.runtime.sources.csv import HeaderRule
from duetpy.trees import field_names
from duetpy.typecheck import types as t
from duetpy.typecheck.check import Typed
from duetpy.typecheck.persons import Persons, columns_of, persons_of
from tests.soundness.falsify import check_tree, nodes
from tests.soundness.generate_private import random_private_program
from tests.soundness.plain import Table
from tests.soundness.whole_private import claim_of, neighbours, notion_of


@frozen
class Program:
    """A program on lines ``a,b,k`` (two numbers and a text), and the public numbers that it needs."""

    name: str
    text: str
    sets: tuple[str, ...] = ()


Look = Callable[[Path, Program, bytes, int], Any]

_TABLE = "xs : 𝕄 [L∞, U | SIZE, a : 𝔻 else 0 ∷ b : 𝔻 else 0 ∷ k : 𝐝 𝕊 ∷ []]"
_M = "pλ m : ℕ . " + _TABLE.replace("SIZE", "m") + " ⇒ "
_STAR = "pλ . " + _TABLE.replace("SIZE", "★") + " ⇒ "


def _summed(cell: str, head: str = _M) -> str:
    return head + f"laplace[auto, 1.0] <xs> {{ mfold-row 0.0, xs {{ t, r ⇒ t + clip[-1.0, 1.0] ({cell}) }} }}\n"


PROGRAMS = [
    Program("quotient.eps.duet", _summed("r.a / r.b")),
    Program("root.eps.duet", _summed("√ r.a + ㏒ r.b")),
    Program("power.eps.duet", _summed("exp (r.a ⋅ r.b)")),
    Program("product.eps.duet", _summed("r.a ⋅ r.b - r.b")),
    Program("rounding.eps.duet", _summed("floor r.a + ceil r.b - round (r.a / r.b)")),
    Program("branch.eps.duet", _summed('if r.k ≡ disc "x" then r.a else sign r.b')),
    Program("few.eps.duet", _summed("r.a / r.b", _STAR)),
    Program(
        "mean.eps.duet",
        _STAR + "number ← laplace[auto, 1.0] <xs> { real (rows xs) } ;\n"
        "total ← laplace[auto, 1.0] <xs> { mfold-row 0.0, xs { t, r ⇒ t + clip[-1.0, 1.0] r.a } } ;\n"
        "return total / number\n",
    ),
    Program(
        "parts.eps.duet",
        _STAR + 'parallel[xs, ℘{"x", "y", "nobody"}] { row ⇒ row.k } { k, part ⇒\n'
        "number ← laplace[auto, 1.0] <part> { real (rows part) } ;\n"
        "total ← laplace[auto, 1.0] <part> { mfold-row 0.0, part { t, r ⇒ t + clip[-1.0, 1.0] (r.a / r.b) } } ;\n"
        "return ⟨k, ⟨number, total / number⟩⟩ }\n",
    ),
    Program(
        "choice.eps.duet",
        _M + "let marks = mcreate[L∞ | ℕ[1], ℕ[5]] { i, j ⇒ real (dyn j) } in\n"
        "chosen ← exponential[auto, 1.0] marks <xs> { mark ⇒\n"
        "mfold-row 0.0, xs { t, r ⇒ t + clip[-1.0, 1.0] (sign (r.a - mark)) } } ;\n"
        "return marks#[idx ℕ[0], chosen]\n",
    ),
    Program(
        "lengths.ed.duet",
        "pλ m : ℕ . xs : 𝕄 [L∞, L2≤1 | m, 2⋅𝔻 else 0] ⇒ mgauss[auto, 0.5, 1e-6] <xs> { mconv xs }\n",
    ),
    Program(
        "directions.ed.duet",
        "pλ m : ℕ . xs : 𝕄 [L∞, U | m, 2⋅𝔻 else 0] ⇒ mgauss[auto, 0.5, 1e-6] <xs> { mconv (mclip[L2] xs) }\n",
    ),
    Program("codes.eps.duet", "pλ m : ℕ . xs : 𝕄 [L∞, U | m, 2⋅𝐝 𝕀[3] else 0] ⇒ laplace[1.0, 1.0] <xs> { 0.0 }\n"),
]

STRANGE = [
    b"", b",,", b"0,0,x", b"-1,0,y", b"1e308,1e308,x", b"-1e308,5e-324,", b"1e400,nan,inf", b"9007199254740993,3,x",
    b"-0.0,-0.0,-0", b"1,2,3,4,5,6", b'"1,2,3', b'"1"x,"2",y', b"x,y,z", b"a,b,k", b"\xff\xfe\x00", "１,２,３".encode(),
    b"1_000,0x10,true",
    b"1" * 4000 + b",1,x", b"1e-400,1e-324,y", b"\r,\r,\r", b"700,700,x", b"-700,-1,nobody", b" 1 ,\t2\t,x", b"1;2;3",
]  # fmt: skip


def a_line(dice: random.Random) -> bytes:
    """A line as people write it, or a strange one."""
    if dice.random() < 0.25:
        return dice.choice(STRANGE)
    return f"{dice.uniform(-3, 3):.3f},{dice.choice([0, 1, -2.5, 1e9])},{dice.choice('xyz')}".encode()


def two_files(dice: random.Random, by_addition: bool) -> tuple[bytes, bytes]:
    """Neighbouring files: one line replaced, or one more line."""
    lines = [a_line(dice) for _ in range(dice.randint(0 if by_addition else 1, 6))]
    at = dice.randrange(len(lines) + by_addition)
    changed = [*lines[:at], dice.choice([*STRANGE, a_line(dice)]), *lines[at + (not by_addition) :]]
    # The last line is there on both sides: the file ends alike.
    return tuple(b"".join(line + b"\n" for line in (b"a,b,k", *each, b"1,1,x")) for each in (lines, changed))


def outline(value: Any) -> Any:
    """The shape of a value: how its parts are nested, and what each is; no number and no text."""
    match value:
        case dict():
            return {name: outline(part) for name, part in value.items()}
        case list() | tuple():
            return [outline(part) for part in value]
        case bool():
            return "truth"
        case int() | float():
            return "number"
        case _:
            return type(value).__name__


def visible_of(folder: Path, program: Program, data: bytes, seed: int) -> object:
    """What can be seen of a run at the command line apart from the numbers that were released."""
    (folder / program.name).write_text(program.text, encoding="utf-8")
    (folder / "x.csv").write_bytes(data)
    columns = ":0-1" if "2⋅" in program.text else ""
    words = ["run", str(folder / program.name), "--data", f"{folder / 'x.csv'}{columns}", "--on-bad-row", "default"]
    words += ["--header", "yes", "--insecure-noise", str(seed), "--format", "json", "-v", *program.sets]
    out, err = io.StringIO(), io.StringIO()
    with warnings.catch_warnings(record=True) as warned, redirect_stdout(out), redirect_stderr(err):
        warnings.simplefilter("always")
        code = main(words)
    told = [str(warning.message) for warning in warned]
    if code:
        return code, err.getvalue(), out.getvalue(), told
    found = json.loads(out.getvalue())
    return code, err.getvalue(), told, outline(found["result"]), found["privacy"], found["releases"], found["data"]


@cache
def _checked(program: Program) -> Typed:
    found = parse(program.text, name=program.name).typed
    assert found is not None
    return found


def seen_in_run(folder: Path, program: Program, data: bytes, seed: int) -> object:
    """The same without the command line, which checks the program again each time."""
    (folder / "x.csv").write_bytes(data)
    selection = parse_selection("0-1") if "2⋅" in program.text else None
    bound: dict[str | None, object] = {"xs": DataArgument("xs", str(folder / "x.csv"), selection)}
    return _seen(_checked(program), bound, {}, False, seed)


def compared(folder: Path, seed: int, look: Look = visible_of) -> tuple[Any, Any]:
    """Both sides of a pair of neighbours, by its number."""
    dice = random.Random(seed)
    program = PROGRAMS[seed % len(PROGRAMS)]
    before, after = two_files(dice, by_addition="★" in program.text)
    return look(folder, program, before, seed), look(folder, program, after, seed)


# ---------------------------------------------------------------------------------------------------------------------
# Random programs


def random_pairs(seed: int, count: int) -> Iterator[tuple[Any, Any]]:
    """Both sides of pairs of neighbours of one random privacy program."""
    for typed, before, after, numbers, branches in random_runs(seed, count):
        yield (_seen(typed, before, numbers, branches), _seen(typed, after, numbers, branches))


def random_runs(
    seed: int, count: int
) -> Iterator[tuple[Typed, dict[str | None, object], dict[str | None, object], dict[str, Any], bool]]:
    """A random privacy program, pairs of neighbours, its numbers, and whether it may go another way on one of them."""
    notion = notion_of(seed)
    file = with_defaults(random_private_program(seed, notion))
    typed = check_tree(file, notion)
    claim = claim_of(typed, show_expression(file.body)) if typed.ok else None
    if claim is None:
        return
    # Which way a released number sends the program is seen, and may differ: the noise is frozen here, not the outputs.
    branches = any(isinstance(node, ast.PIf | ast.PCase | ast.PCaseMissing) for node in nodes(file.body))
    for kinds, before, after, _ in neighbours(claim, count, seed):
        numbers = {variable.name: value for variable, value in kinds.items()}
        yield typed, _bound(typed, before), _bound(typed, after), numbers, branches


def with_defaults(node: Any) -> Any:
    """A tree in which every column says what stands in the place of a bad cell, where its type lets it."""
    if isinstance(node, tuple):
        return tuple(map(with_defaults, node))
    if not isinstance(node, ast.Node):
        return node
    made = evolve(node, **{name: with_defaults(getattr(node, name)) for name in field_names(type(node))})
    if isinstance(made, ast.SUniform | ast.SCons | ast.FieldType) and (default := _default(made)) is not None:
        return evolve(made, default=ast.Default(made.span, default))
    return made


def _default(column: ast.SUniform | ast.SCons | ast.FieldType) -> int | bool | None:
    cell = column.type if isinstance(column, ast.FieldType) else column.element
    cell = cell.inner if isinstance(cell, ast.TDisc) else cell
    match cell:
        case ast.TBase(name="𝔹"):
            return False
        case ast.TBase(name="ℝ" | "ℕ") | ast.TIdx():
            return 0
        case _:
            return None


def _bound(typed: Typed, values: list[Any]) -> dict[str | None, object]:
    assert isinstance(typed.type, t.PFun)
    return {
        parameter.name: _plain(value) if (persons := persons_of(parameter.type)) is None else _files(value, persons)
        for parameter, value in zip(typed.type.parameters, values, strict=True)
    }


def _files(table: Table, persons: Persons) -> dict[str, object]:
    """The lines of each file, of a table of persons."""
    names = {
        file: [persons.identifier.name, *(column.name for column in columns_of(type_))] for file, type_ in persons.files
    }
    return {
        file: [
            dict(zip(names[file], map(_plain, (own, *line)), strict=True))
            for own, *blocks in table.rows
            for line in blocks[at].rows
        ]
        for at, file in enumerate(persons.names)
    }


def _seen(
    typed: Typed, data: dict[str | None, object], numbers: dict[str, Any], branches: bool, seed: int = 5
) -> tuple[Any, ...]:
    header: HeaderRule = "yes" if any(isinstance(value, DataArgument) for value in data.values()) else "auto"
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            release = run(typed, data, numbers, on_bad_row="default", insecure_noise=seed, header=header)
        except DuetError as error:
            return repr(error.diagnostics), [str(warning.message) for warning in warned]
    told = [str(warning.message) for warning in warned]
    return told, outline(release.result), release.privacy, None if branches else release.releases, release.data


def _plain(value: Any) -> Any:
    if isinstance(value, Table):
        return [[_plain(cell) for cell in row] for row in value.rows]
    return float(value) if isinstance(value, Fraction) and value.denominator != 1 else value
