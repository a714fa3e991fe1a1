"""The house rules that a reader could check by eye, held by a walk over the sources."""

import ast
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.sources import parsed

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "duetpy"

ORDER = (
    ("later", "cached", "source", "by_value", "depth", "trees", "version"),
    ("diagnostics",),
    ("grammar",),
    ("typecheck",),
    ("options", "settings", "loading", "library", "valuation"),
    ("accounting",),
    ("ledger",),
    ("runtime",),
    ("audit",),
    ("report",),
    ("run_arguments", "program"),
    ("__init__", "highlight", "notebook", "lsp", "engines"),
    ("cli",),
    ("__main__",),
)
"""Rooms from the ground up; a room imports only rooms of its own floor or of one below."""

FLOOR = {room: floor for floor, rooms in enumerate(ORDER) for room in rooms}

TRUSTED = ("later", "cached", "source", "by_value", "depth", "trees", "diagnostics", "grammar", "typecheck")
"""What can be read alone: these import attrs and the standard library only, and `grammar` its parser generator."""

ALLOWED_OUTSIDE = {"attrs", "attr"}
OF_THE_GRAMMAR = {"lark"}
LATE = {"numpy", "scipy"}


def modules() -> dict[str, Path]:
    """Every module of the package by its dotted name."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


MODULES = modules()


def room(module: str) -> str:
    """The room that a module of this package lies in."""
    _, _, inside = module.partition(".")
    return inside.partition(".")[0] or "__init__"


@cache
def imports(path: Path) -> tuple[str, ...]:
    """Every dotted name that a file imports, at the top or late."""
    return tuple(_imports(parsed(path)))


def statements(inside: ast.AST) -> Iterator[ast.AST]:
    """The statements of a tree, at any depth. Most of a tree is expressions, in which nothing is imported."""
    for part in ("body", "orelse", "finalbody", "handlers", "cases"):
        for each in getattr(inside, part, ()):
            yield each
            yield from statements(each)


def _imports(tree: ast.Module) -> Iterator[str]:
    for node in statements(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "a relative import"
            assert node.module is not None
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                yield name if name in MODULES else node.module


@cache
def top_level_imports(path: Path) -> tuple[str, ...]:
    """Every dotted name that a file imports when it is imported itself."""
    return tuple(_top_level_imports(path))


def _top_level_imports(path: Path) -> Iterator[str]:
    statements = [node for node in parsed(path).body if isinstance(node, ast.Import | ast.ImportFrom)]
    return _imports(ast.Module(body=list(statements), type_ignores=[]))


def test_there_is_something_to_walk() -> None:
    assert len(MODULES) > 20
    assert {"duetpy", "duetpy.source", "duetpy.cli.main"} <= set(MODULES)


def test_every_room_has_its_floor() -> None:
    assert {room(module) for module in MODULES} <= set(FLOOR)


def told(found: Iterable[tuple[str, str]]) -> str:
    """Modules and what they import but must not, line by line."""
    return "\n".join(f"{module} imports {name}" for module, name in found)


def test_imports_run_one_way() -> None:
    upwards = [
        (module, name)
        for module, path in MODULES.items()
        for name in imports(path)
        if name.partition(".")[0] == "duetpy" and FLOOR[room(name)] > FLOOR[room(module)]
    ]
    assert not upwards, told(upwards)


def test_the_trusted_base_imports_only_attrs_and_the_standard_library() -> None:
    own = {"duetpy"} | sys.stdlib_module_names | ALLOWED_OUTSIDE
    others = [
        (module, name)
        for module, path in MODULES.items()
        if room(module) in TRUSTED
        for name in imports(path)
        if name.partition(".")[0] not in own | (OF_THE_GRAMMAR if room(module) == "grammar" else set())
    ]
    assert not others, told(others)


PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


HOSTED = {
    "duetpy.cli.drawn": {"rich"},
    "duetpy.highlight.pygments_lexer": {"pygments"},
    "duetpy.lsp": {"pygls", "lsprotocol"},
    "duetpy.notebook": {"IPython"},
}
"""Files that are loaded where a library of an extra is there: by that library, or by the command that needs it. These import it at
the top, and no other file imports them there."""


def host(module: str) -> str | None:
    """The entry of `HOSTED` that a module belongs to."""
    return next((name for name in HOSTED if module == name or module.startswith(f"{name}.")), None)


def test_what_a_library_hosts_is_imported_late() -> None:
    early = [
        (module, name)
        for module, path in MODULES.items()
        for name in top_level_imports(path)
        if (hosted := host(name)) is not None and host(module) != hosted
    ]
    assert not early, told(early)


def test_the_package_imports_only_what_it_depends_on() -> None:
    declared = {re.split(r"[^\w-]", requirement)[0].replace("-", "_") for requirement in PROJECT["dependencies"]}
    extras = PROJECT.get("optional-dependencies", {})
    optional = {re.split(r"[^\w-]", each)[0].replace("-", "_") for group in extras.values() for each in group}
    own = {"duetpy"} | sys.stdlib_module_names | declared
    others = [
        (module, name)
        for module, path in MODULES.items()
        for names, known in (
            (top_level_imports(path), own | HOSTED.get(host(module) or "", set())),
            # The names of what is installed have no case: IPython is `ipython` there.
            (
                imports(path),
                own
                | optional
                | {library for library in HOSTED.get(host(module) or "", ()) if library.lower() in optional},
            ),
        )
        for name in names
        if name.partition(".")[0] not in known
    ]
    assert not others, told(others)


def test_nothing_imports_the_slow_part_of_scipy() -> None:
    slow = [
        (module, name) for module, path in MODULES.items() for name in imports(path) if name.startswith("scipy.stats")
    ]
    assert not slow, told(slow)


@pytest.mark.parametrize(
    "module", [module for module in MODULES if room(module) in ("cli", "__init__", "program", "report")]
)
def test_the_outer_rooms_import_numbers_late(module: str) -> None:
    for name in top_level_imports(MODULES[module]):
        assert name.partition(".")[0] not in LATE


def run_python(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-X", "utf8", "-c", code],
        cwd=folder,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def circle(files: Mapping[str, Path]) -> list[str]:
    """Files of which each imports the next one, the last being the first again: at the top, for types alone, or inside a
    function. Empty if there are no such files."""
    graph = {module: {name for name in imports(path) if name in files} - {module} for module, path in files.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        found: list[str] = error.args[1]
        return found
    return []


def test_no_files_import_each_other() -> None:
    """What two files need of each other stands in a third one below them, or is handed in: so there is a file to begin with
    reading, and no order in which a test suite happens to import hides that another one would fail."""
    assert not circle(MODULES)


ORDER_OF_QUANTITIES = "from duetpy.typecheck.quantity.order import proved"


@pytest.mark.parametrize(
    "planted",
    [
        ORDER_OF_QUANTITIES,
        f"if TYPE_CHECKING:\n    {ORDER_OF_QUANTITIES}",
        f"def late() -> None:\n    {ORDER_OF_QUANTITIES}",
    ],
    ids=["at the top", "for types alone", "inside a function"],
)
def test_a_circle_that_is_planted_is_seen(planted: str, tmp_path: Path) -> None:
    form = "duetpy.typecheck.quantity.form"
    copy = tmp_path / "form.py"
    copy.write_text(f"{MODULES[form].read_text(encoding='utf-8')}\n\n{planted}\n", encoding="utf-8")
    assert {form, "duetpy.typecheck.quantity.order"} <= set(circle({**MODULES, form: copy}))


DISPATCH = "duetpy.typecheck.dispatch"


RULES = {module for module in MODULES if module.startswith("duetpy.typecheck.rules.")}


def test_only_the_front_of_the_checker_knows_which_rule_is_whose() -> None:
    assert [module for module, path in MODULES.items() if DISPATCH in imports(path)] == ["duetpy.typecheck.check"]


def test_no_rule_imports_another() -> None:
    assert len(RULES) >= 15
    for rule in RULES:
        assert not RULES & set(imports(MODULES[rule])), rule


def test_the_dispatch_alone_takes_the_rules() -> None:
    takers = {module for module, path in MODULES.items() if RULES & set(imports(path))} - RULES
    assert takers == {DISPATCH, "duetpy.typecheck.check"}


def test_the_core_of_the_checker_can_be_read_in_one_sitting() -> None:
    core = {f"duetpy.typecheck.{name}" for name in ("dispatch", "types", "context", "judgement", "subtype")} | RULES
    assert sum(len(MODULES[module].read_text(encoding="utf-8").splitlines()) for module in core) <= 6_000


OF_A_RUN = ("noise", "exact", "values", "sources", "evaluation", "release")
"""The folders of the runtime from the ground up. Noise is drawn on whole numbers and knows nothing about a program; what reads
data computes nothing with it; only what releases draws noise."""


@pytest.mark.parametrize("folder", OF_A_RUN)
def test_the_folders_of_the_runtime_import_one_way(folder: str) -> None:
    above = tuple(f"duetpy.runtime.{name}." for name in OF_A_RUN[OF_A_RUN.index(folder) + 1 :])
    inside = [path for module, path in MODULES.items() if module.startswith(f"duetpy.runtime.{folder}.")]
    assert inside
    for path in inside:
        assert not [name for name in imports(path) if name.startswith(above)], path.name


CHECK = """
import sys
sys.path.insert(0, {root!r})
from duetpy.cli.main import main
code = main(["check", "mean.eps.duet"])
heavy = sorted(set(sys.modules) & {{"numpy", "scipy", "rich", "pandas", "dask", "hypothesis", "pygls", "pygments", "IPython"}})
late = ("audit", "ledger", "runtime", "accounting.calibrate", "accounting.certify", "accounting.pld", "report.calibration")
late += ("lsp", "highlight", "notebook")
heavy += sorted(name for name in sys.modules if name.startswith(tuple(f"duetpy.{{room}}" for room in late)))
print("LOADED", *heavy)
sys.exit(code)
"""

MEAN = """\
pλ m : ℕ, ε : ℝ⁺ . xs : 𝕄 [L∞, U | m, 1⋅𝔻], ε : ℝ⁺[ε] ⇒
  laplace[auto, ε] <xs> { mfold-row 0.0, xs { total, row ⇒ total + clip[0.0, 1.0] (row#[ℕ[0], ℕ[0]]) } }
"""


def test_checking_loads_nothing_heavy(tmp_path: Path) -> None:
    (tmp_path / "mean.eps.duet").write_text(MEAN, encoding="utf-8")
    done = run_python(CHECK.format(root=str(ROOT)), tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == "LOADED"


def test_importing_the_package_loads_nothing_heavy(tmp_path: Path) -> None:
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); import duetpy; print('numpy' in sys.modules)"
    assert run_python(code, tmp_path).stdout.strip() == "False"


# ---------------------------------------------------------------------------------------------------------------------
# Words and files

TEXTS = ("*.py", "*.md", "*.duet", "*.toml", "*.cff", "*.out", "*.err", "Makefile", "run", "*.yml")
SKIPPED = {
    ".venv",
    ".venv-oracle",
    ".venv-peers",
    ".git",
    ".hypothesis",
    "__pycache__",
    ".mypy_cache",
    ".ruff_cache",
    ".pytest_cache",
    "build",
    "dist",
    "node_modules",
}

ABSOLUTE = re.compile(r"(?<![A-Za-z0-9_.])/(?:work|tmp|farm|root|home|Users)/[A-Za-z0-9_.-]+")
UNFINISHED = re.compile(r"\b(?:" + "|".join(("TO" + "DO", "FIX" + "ME", "X" * 3)) + r")\b", re.IGNORECASE)
UPWARDS = re.compile(r"(?<![A-Za-z0-9_./])(?:\.\./)+[A-Za-z0-9_.-]+")
TICKET = re.compile(r"\b(?:issue|ticket|bug) ?#?\d+\b", re.IGNORECASE)
SILENCED = re.compile(r"#\s*(?:type:\s*ignore|noqa)|pytest\.(?:mark\.)?(?:skip|xfail)")
STUB = re.compile("NotImplemented" + "Error")


def texts() -> list[Path]:
    found = []
    for folder, inside, files in os.walk(ROOT):
        # The folders to be skipped are not entered: an environment has thousands of files.
        inside[:] = set(inside) - SKIPPED
        found += [Path(folder, name) for name in files if any(fnmatchcase(name, pattern) for pattern in TEXTS)]
    return sorted(found)


def test_no_absolute_path_no_forbidden_word_and_no_silenced_check() -> None:
    found = [told for path in texts() if path != Path(__file__) for told in faults(path)]
    assert not found, "\n".join(found)


def faults(path: Path) -> Iterator[str]:
    """What is wrong with the words of a file, with the place."""
    text = path.read_text(encoding="utf-8")
    # What is found in no line is not in the whole text either, and the whole is searched in a tenth of the time.
    if not any(pattern.search(text) for pattern in (ABSOLUTE, UNFINISHED, UPWARDS, TICKET, SILENCED, STUB)):
        return
    for number, line in enumerate(text.splitlines(), 1):
        place = f"{path.relative_to(ROOT)}:{number}"
        if ABSOLUTE.search(line):
            yield f"{place}: an absolute path"
        if UNFINISHED.search(line) or TICKET.search(line):
            yield f"{place}: {line.strip()}"
        if any(leaves_the_project(path, found[0]) for found in UPWARDS.finditer(line)):
            yield f"{place}: a path that leads out of the project"
        if path.suffix == ".py" and SILENCED.search(line):
            yield f"{place}: a silenced check"
        if PACKAGE in path.parents and STUB.search(line):
            yield f"{place}: a stub"


def leaves_the_project(path: Path, written: str) -> bool:
    """Whether a relative path, read from the folder of the file it stands in, ends outside."""
    return not (path.parent / written).resolve().is_relative_to(ROOT)


def test_the_patterns_see_what_they_are_for() -> None:
    assert ABSOLUTE.search("open('" + "/" + "home/me/x')")
    assert not ABSOLUTE.search("docs/home/me")
    assert UNFINISHED.search("# TO" + "DO later")
    assert TICKET.search("see ticket" + " #7")
    assert leaves_the_project(ROOT / "docs" / "page.md", "../../elsewhere")
    assert not leaves_the_project(ROOT / "docs" / "page.md", "../README.md")
    assert UPWARDS.search("read(" + "../elsewhere)")
    assert SILENCED.search("x = 1  # no" + "qa")


LONGEST = 500


def test_a_file_holds_one_concept() -> None:
    files = [*MODULES.values(), *(ROOT / "tests").rglob("*.py"), *(ROOT / "benchmarks").rglob("*.py")]
    lines = {path.relative_to(ROOT).as_posix(): len(path.read_text(encoding="utf-8").splitlines()) for path in files}
    assert {"duetpy/source.py", "tests/conftest.py", "tests/soundness/definition.py"} <= set(lines)
    assert {file: count for file, count in lines.items() if count > LONGEST} == {}


def test_every_module_states_its_contract() -> None:
    silent = [
        module
        for module, path in MODULES.items()
        if path.read_text(encoding="utf-8").strip() and not ast.get_docstring(parsed(path))
    ]
    assert silent == [], "without a docstring"
