"""The tables of texts of diagnostics: each text is raised somewhere, and with the words that it takes."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

from duetpy.diagnostics.catalogue import page
from duetpy.diagnostics.texts import FIELD
from duetpy.grammar import texts as of_grammar
from duetpy.typecheck.errors import shapes
from duetpy.typecheck.errors.texts import Text, table
from tests.sources import parsed

PACKAGE = Path(__file__).parents[2] / "duetpy"
ERRORS = PACKAGE / "typecheck" / "errors"
ROOMS = sorted(path.stem for path in ERRORS.glob("*.toml"))


@cache
def functions(room: str) -> frozenset[str]:
    """What a file of diagnostics defines itself."""
    return frozenset(node.name for node in parsed(ERRORS / f"{room}.py").body if isinstance(node, ast.FunctionDef))


def aliases(tree: ast.Module) -> dict[str, str]:
    """The names under which a file has the files of diagnostics ↦ their rooms."""
    return {
        name.asname or name.name: name.name
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.module == "duetpy.typecheck.errors"
        for name in node.names
        if name.name in ROOMS
    }


def scopes(tree: ast.AST) -> Iterator[ast.AST]:
    """The functions and methods of a file, those inside others left out, and its other statements."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef):
            yield from scopes(node)
        else:
            yield node


def bound(nodes: Iterable[ast.AST]) -> set[str]:
    """The names that stand for something else in a function."""
    arguments = {node.arg for node in nodes if isinstance(node, ast.arg)}
    return arguments | {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def mentioned(path: Path) -> Iterator[tuple[str, str, int, ast.expr]]:
    """Every text that a file asks for: its room, its name, the line, and what stands there."""
    tree = parsed(path)
    rooms = aliases(tree)
    for scope in scopes(tree):
        nodes = [*ast.walk(scope)]
        others = bound(nodes)
        own = {alias: room for alias, room in rooms.items() if alias not in others}
        for node in nodes:
            match node:
                case ast.Attribute(value=ast.Name(id=alias), attr=name) if alias in own:
                    if name not in functions(own[alias]):
                        yield own[alias], name, node.lineno, node
                case ast.Call(func=ast.Name(id="text_of"), args=[ast.Name(), ast.Constant(value=str(name))]):
                    yield path.stem, name, node.lineno, node


@cache
def files() -> list[Path]:
    """The files that ask for texts."""
    return [path for path in sorted(PACKAGE.rglob("*.py")) if "duetpy.typecheck.errors" in path.read_text("utf-8")]


@cache
def all_mentioned() -> list[tuple[Path, str, str, int, ast.expr]]:
    return [(path, *found) for path in files() for found in mentioned(path)]


def calls(path: Path) -> dict[ast.expr, list[ast.Call]]:
    """The calls of a file by what they call; what is called under a name for it is found by this name."""
    tree = parsed(path)
    found: dict[ast.expr, list[ast.Call]] = {}
    for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
        named: dict[str, ast.expr] = {}
        for node in ast.walk(function):
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                named[node.targets[0].id] = node.value
        for node in ast.walk(function):
            if isinstance(node, ast.Call):
                called = named.get(node.func.id, node.func) if isinstance(node.func, ast.Name) else node.func
                found.setdefault(called, []).append(node)
    return found


def test_there_are_tables_and_what_asks_for_their_texts() -> None:
    assert {"names", "shapes", "privacy", "sensitivity"} <= set(ROOMS)
    assert len(all_mentioned()) >= 150


@pytest.mark.parametrize("room", [*ROOMS, "grammar"])
def test_a_text_is_of_what_it_takes(room: str) -> None:
    """A text names all that it takes and nothing else, has a page and says what to do."""
    for name, text in (of_grammar.table() if room == "grammar" else table(room)).items():
        parts = [text.message, text.label, *text.notes, text.help, text.rule or ""]
        named = {found[1] for part in parts for found in FIELD.finditer(part)}
        assert named == set(text.takes.split()), name
        assert len(text.takes.split()) == len(named), name
        assert page(text.code), name
        assert text.message, name
        assert text.help, name


@pytest.mark.parametrize("room", ROOMS)
def test_every_text_is_raised(room: str) -> None:
    raised = {name for _, own, name, _, _ in all_mentioned() if own == room}
    assert raised == set(table(room))


def test_a_text_is_given_what_it_takes() -> None:
    """A place in the program, and one value for each word; then notes and labels by name."""
    wrong = []
    for path in files():
        called = calls(path)
        for room, name, line, node in mentioned(path):
            takes = len(table(room)[name].takes.split())
            given = called.get(node, [])
            right = [call for call in given if len(call.args) == 1 + takes and is_plain(call)]
            if not given or right != given:
                wrong.append(f"{path.name}:{line}: {room}.{name}")
    assert wrong == []


def is_plain(call: ast.Call) -> bool:
    """Whether the number of what is given can be read off a call."""
    starred = any(isinstance(argument, ast.Starred) for argument in call.args)
    return not starred and {keyword.arg for keyword in call.keywords} <= {"notes", "labels"}


def test_a_name_that_is_in_no_table_is_no_text() -> None:
    with pytest.raises(AttributeError, match=r"'duetpy\.typecheck\.errors\.shapes' has no attribute 'no_such_text'"):
        _ = shapes.no_such_text


def test_braces_of_a_program_stay() -> None:
    text = Text("D0201", "{form} { x ⇒ {names:and} }", "form names", help="{names}")
    found = text(None, "mmap", ["a", "b"])
    assert (found.message, found.help) == ("mmap { x ⇒ a and b }", "a, b")
    assert Counter(FIELD.sub("", text.message)) == Counter(" { x ⇒  }")


def test_one_of_what_is_counted_is_one() -> None:
    text = Text("D0402", "{found:part}", "found")
    assert [text(None, count).message for count in (0, 1, 2)] == ["0 parts", "1 part", "2 parts"]


def test_a_word_in_braces_that_is_put_in_stays() -> None:
    assert Text("D0201", "{form}", "form")(None, "{form}").message == "{form}"


def test_too_few_words_are_no_text() -> None:
    with pytest.raises(ValueError, match="shorter"):
        Text("D0201", "{form}", "form")(None)


OF_PLACES = {"told": 2, "tell": 2, "report": 3}
"""What raises a text of the grammar, and how much is given to it before the words."""


def test_every_text_of_the_grammar_is_raised_with_what_it_takes() -> None:
    raised, wrong = set(), []
    for path in sorted((PACKAGE / "grammar").glob("*.py")):
        for call in (node for node in ast.walk(parsed(path)) if isinstance(node, ast.Call)):
            called = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
            match call.args:
                case [ast.Constant(value=str(name)), *_] if called in OF_PLACES:
                    raised.add(name)
                    text = of_grammar.table().get(name)
                    starred = any(isinstance(argument, ast.Starred) for argument in call.args)
                    if text is None or starred or len(call.args) != OF_PLACES[called] + len(text.takes.split()):
                        wrong.append(f"{path.name}:{call.lineno}: {name}")
    assert wrong == []
    assert raised == set(of_grammar.table())
