"""The one way through trees: it sees every part of every class, and each class says what its names bind."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from random import Random
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import pytest
from attrs import evolve, field, fields, frozen

import duetpy
from duetpy import trees
from duetpy.grammar import ast
from duetpy.grammar.ast import Norm
from duetpy.grammar.binders import references, scopes
from duetpy.grammar.compare import children, nodes
from duetpy.source import Source, Span
from duetpy.trees import Piece, Tree, bound_in, field_names, map_children, map_parts, own, scoping, walk
from duetpy.typecheck import annotations, core_expressions
from duetpy.typecheck import cost as costs
from duetpy.typecheck import types as t
from duetpy.typecheck.conditions import Condition
from duetpy.typecheck.context import Context
from duetpy.typecheck.quantity import ONE, KindVar, Quantity
from duetpy.typecheck.rewriting import free_variables, substitute
from tests.grammar.trees import Trees


def classes(root: type) -> Iterator[type]:
    for cls in root.__subclasses__():
        yield cls
        yield from classes(cls)


def of_the_package(root: type) -> list[type]:
    """The classes of trees that the package has; attrs adds slots by a second class, and the first may not be gone yet."""
    found = {cls for cls in classes(root) if cls.__module__.startswith("duetpy.")}
    return sorted({getattr(sys.modules[cls.__module__], cls.__name__) for cls in found}, key=lambda cls: str(cls))


ALL = of_the_package(Tree)
CONCRETE = [cls for cls in ALL if cls not in (Piece, ast.Node, t.Node, costs.Node)]


def hints(cls: type) -> dict[str, Any]:
    return get_type_hints(cls, localns={"Context": Context})


def alternatives(hint: Any) -> list[Any]:
    return [each for arg in get_args(hint) for each in alternatives(arg)] if is_union(hint) else [hint]


def is_union(hint: Any) -> bool:
    return get_origin(hint) in (Union, UnionType)


def holds_trees(hint: Any) -> bool:
    """Whether a tree may lie somewhere in what an annotation allows, however deep."""
    return (isinstance(hint, type) and issubclass(hint, Tree)) or any(holds_trees(arg) for arg in get_args(hint))


def test_there_are_classes() -> None:
    assert len(CONCRETE) > 100


def walked_past(cls: type[Tree]) -> Iterator[str]:
    """What a walk does not see of a class."""
    declared = hints(cls)
    for name in field_names(cls):
        for part in alternatives(declared[name]):
            if get_origin(part) is tuple:
                inside = [each for arg in get_args(part) for each in alternatives(arg)]
                if any(holds_trees(each) for each in inside if get_args(each)):
                    yield f"{name} holds trees too deep"
            elif get_args(part) and holds_trees(part):
                yield f"{name} holds trees in a {get_origin(part)}"


# Hundreds of classes in one test each: pytest would take longer for a case than the case itself.


def test_a_walk_sees_every_part_of_every_class() -> None:
    """A field holds a part, a tuple of parts or None: a tree in a tuple in a tuple, or in a table, would be walked past."""
    found = [f"{cls.__module__}.{cls.__name__}: {part}" for cls in CONCRETE for part in walked_past(cls)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(("root", "union"), [(t.Node, t.Type), (costs.Node, costs.Cost)], ids=["types", "costs"])
def test_the_unions_are_all_there_is(root: type, union: object) -> None:
    assert {*of_the_package(root)} == {*get_args(union)}


def test_pieces_belong_to_types_and_to_the_core_only() -> None:
    """A function's parameter, and what a call puts in: the core has both, the second from what the checker noted."""
    assert {cls.__module__ for cls in of_the_package(Piece)} == {
        t.__name__,
        core_expressions.__name__,
        annotations.__name__,
    }


def test_every_node_of_the_syntax_has_a_class_of_its_own() -> None:
    """What the unions of the syntax name, and the pieces that their fields do, are all classes of the tree."""
    reached: set[type] = set()
    pending: list[Any] = [ast.File, ast.PrimitiveDecl, *get_args(ast.PExp)]
    while pending:
        here = pending.pop()
        if here not in reached:
            reached.add(here)
            inside = [each for hint in hints(here).values() for each in flat(hint)]
            pending += [each for each in inside if isinstance(each, type) and issubclass(each, ast.Node)]
    assert reached == {*of_the_package(ast.Node)}


def flat(hint: Any) -> list[Any]:
    return [each for arg in get_args(hint) for each in flat(arg)] if get_args(hint) else [hint]


# ---------------------------------------------------------------------------------------------------------------------
# Names

OF_COLUMNS = {(ast.FieldOf, "name"), (ast.Select, "names"), (ast.FrameOp, "column"), (ast.Record, "names")}
OF_WHAT_HOLDS_THEM = {(ast.Param, "name"), (ast.Def, "name")}
"""The names of parameters are bound by the function that holds them, those of definitions by the file."""


def unsaid(cls: type[Tree]) -> Iterator[str]:
    """The fields of names of which a class does not say what these are, or says it twice."""
    said = scoping(cls)
    for name, hint in hints(cls).items():
        if {ast.Name, ast.Param, ast.Aligned} & {*flat(hint)} and cls is not ast.Aligned:
            known = name in said.binding or name in said.references
            if known == ((cls, name) in OF_COLUMNS | OF_WHAT_HOLDS_THEM):
                yield name


def test_every_field_of_names_says_what_they_are() -> None:
    """A name binds, or stands for what is bound elsewhere, or is that of a column: a class that does not say is not complete."""
    assert [f"{cls.__name__}.{name}" for cls in of_the_package(ast.Node) for name in unsaid(cls)] == []


def test_names_are_bound_in_fields_that_exist() -> None:
    found = [
        f"{cls.__module__}.{cls.__name__}.{each.name}"
        for cls in ALL
        for each in fields(cls)
        if not {*each.metadata.get("bound in", ())} <= {other.name for other in fields(cls)} - {each.name}
    ]
    assert found == []


@pytest.mark.parametrize("cls", of_the_package(t.Node), ids=lambda cls: cls.__name__)
def test_kinds_are_bound_in_all_of_a_type(cls: type[Tree]) -> None:
    """`free_variables` takes away what a type binds from all that it mentions."""
    declared = hints(cls)
    mentions = {name for name in field_names(cls) if any(mentions_kinds(each) for each in flat(declared[name]))}
    for name in field_names(cls):
        if KindVar in flat(declared[name]) and get_origin(declared[name]) is tuple:
            assert name in scoping(cls).binding
            assert {each for each, binders in scoping(cls).binders.items() if name in binders} == mentions - {name}


def mentions_kinds(hint: Any) -> bool:
    """Whether a part may mention a kind variable."""
    return isinstance(hint, type) and (
        issubclass(hint, Tree | Quantity | KindVar | Context) or hint in get_args(Condition)
    )


def body(text: str) -> ast.SExp:
    file = duetpy.parse(text).file
    assert file is not None
    assert file.body is not None
    return file.body


def test_each_expression_has_the_names_that_are_bound_in_it() -> None:
    text = "pλ xs : ℝ, ks : ℝ ⇒ parallel[xs, ks] { r ⇒ f r } { k, p ⇒ return ⟨k, q⟩ }"
    (function,) = [node for node in nodes(body(text)) if isinstance(node, ast.Parallel)]
    assert [(type(inner).__name__, names) for inner, names in scopes(function)] == [
        ("Var", ()),
        ("Var", ()),
        ("App", ("r",)),
        ("Return", ("k", "p")),
    ]


@frozen(eq=False, repr=False)
class Twice(ast.Node):
    """A form that the package does not have: it binds a name in one of its parts."""

    name: ast.Name = field(metadata=bound_in("second"))
    first: ast.SExp
    second: tuple[ast.SExp, ...]


def test_a_form_that_is_added_is_walked() -> None:
    here = Span(Source("<test>", "x"), 0, 1)
    x, y = ast.Var(here, "x"), ast.Var(here, "y")
    added = Twice(here, ast.Name(here, "x"), x, (x, y))
    assert children(added) == [added.name, x, x, y]
    assert [node for node in references(added) if isinstance(node, ast.Var)] == [x, y]
    changed = map_children(added, ast.Node, lambda node: y if node is x else node)
    assert (changed.first, changed.second) == (y, (y, y))


@frozen
class Wrapped(t.Node):
    """A type that the package does not have."""

    inner: t.Type
    size: Quantity


def test_a_type_that_is_added_is_walked() -> None:
    size, kind = KindVar.fresh("n", ast.Kind.NAT), KindVar.fresh("τ", ast.Kind.TYPE)
    added: Any = Wrapped(t.Disc(t.TypeVar(kind)), Quantity.var(size))
    assert free_variables(added) == {size, kind}
    assert [type(part) for part in t.parts_of(added)] == [Wrapped, t.Disc, t.TypeVar]
    assert substitute(added, {size: ONE, kind: t.REAL}) == Wrapped(t.DATA, ONE)


@frozen(eq=False)
class Halved(costs.Node):
    """A cost that the package does not have."""

    body: costs.Cost
    share: Quantity


def test_a_cost_that_is_added_is_walked() -> None:
    size = KindVar.fresh("ε", ast.Kind.POS)
    paid = costs.Atom("laplace", (Quantity.var(size),))
    added: Any = Halved(paid, Quantity.var(size))
    assert costs.children(added) == [paid]
    assert costs.variables(added) == {size}
    assert costs.substitute(added, {size: ONE}) == Halved(costs.Atom("laplace", (ONE,)), ONE)
    assert added != Halved(paid, ONE)
    assert hash(added) == hash(Halved(paid, Quantity.var(size)))


# ---------------------------------------------------------------------------------------------------------------------
# Walks


def slowly(node: ast.Node) -> list[ast.Node]:
    """By the definition: a node, and what is below each of its parts."""
    found = [node]
    for each in fields(type(node)):
        value = getattr(node, each.name)
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, ast.Node):
                found += slowly(part)
    return found


@pytest.mark.parametrize("seed", range(100))
def test_walks_go_in_the_order_written(seed: int) -> None:
    tree = Trees(Random(seed), 60).file()
    assert list(nodes(tree)) == slowly(tree)
    assert next(trees.levels(tree, children)) == (tree, 1)
    assert [node for node, _ in trees.levels(tree, children)] == slowly(tree)


def test_what_is_not_entered_is_not_walked() -> None:
    tree = body("f (g x) (h y)")
    found = walk(tree, children, lambda node: not (isinstance(node, ast.App) and node.span.text == "g x"))
    assert [node.name for node in found if isinstance(node, ast.Var)] == ["f", "h", "y"]


def test_what_is_unchanged_stays_the_same() -> None:
    tree = body("let x = ⟨a, {b, c}⟩ in x")
    assert map_parts(tree, lambda part: part) is tree
    assert map_children(tree, ast.Node, lambda node: node) is tree
    table = t.Matrix(ast.Norm.L1, None, None, t.Columns((t.Column("age", t.REAL), t.Column(None, t.NAT))))
    assert map_children(table, t.Node, lambda inner: inner) is table
    assert map_children(table, t.Node, lambda inner: t.Disc(inner)) == evolve(
        table, schema=t.Columns((t.Column("age", t.DATA), t.Column(None, t.Disc(t.NAT))))
    )


def test_what_is_a_nodes_own() -> None:
    paid = costs.Repeat(ONE, costs.ZERO_COST)
    assert own(paid, costs.Node) == (ONE, False)
    assert own(costs.Seq((paid, paid)), costs.Node) == ()
    assert own(costs.Atom("gauss", (ONE, ONE)), costs.Node) == ("gauss", (ONE, ONE), None, None)


def test_what_lies_in_a_piece_is_a_child_and_one_level_down() -> None:
    columns = t.Columns((t.Column("a", t.DATA), t.Column("b", t.Product(t.REAL, t.NAT))))
    table = t.Matrix(Norm.LINF, None, None, columns)
    assert trees.children(table, t.Node) == [t.DATA, t.Product(t.REAL, t.NAT)]
    below = trees.levels(table, lambda node: trees.children(node, t.Node))
    assert [(type(node), level) for node, level in below] == [
        (t.Matrix, 1),
        (t.Disc, 2),
        (t.Real, 3),
        (t.Product, 2),
        (t.Real, 3),
        (t.Nat, 3),
    ]


def test_a_field_without_nodes_is_a_nodes_own() -> None:
    gauss = costs.Atom("gauss", (ONE,))
    assert own(gauss, costs.Node) == ("gauss", (ONE,), None, None)
    assert own(costs.Choice((gauss,), True), costs.Node) == (True, None)
    assert own(costs.Atom("gauss", ()), costs.Node) == ("gauss", (), None, None)
