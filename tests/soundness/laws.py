"""What must not change a judgement: other names, lets written out, code that nothing uses, printing and reading again; and
what may only raise it: a wider type of a parameter."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from fractions import Fraction
from itertools import count
from typing import Any

import attrs
from attrs import evolve

from duetpy.accounting.price import Price, price
from duetpy.grammar import ast
from duetpy.grammar.compare import children
from duetpy.grammar.parser import parse_file
from duetpy.grammar.pretty import show_file
from duetpy.source import Source
from duetpy.typecheck import types as t
from duetpy.typecheck.check import Typed
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import KindVar, Quantity
from duetpy.typecheck.show import show_type
from tests.soundness.falsify import check_tree, nodes
from tests.soundness.shapes import SPAN

BINDERS: dict[type[ast.Node], tuple[tuple[tuple[str, ...], str], ...]] = {
    ast.Let: ((("name",), "body"),),
    ast.LetPair: ((("left", "right"), "body"),),
    ast.Lam: ((("params",), "body"),),
    ast.Case: ((("left",), "left_body"), (("right",), "right_body")),
    ast.Loop: ((("index", "state"), "body"),),
    ast.MCreate: ((("row", "col"), "body"),),
    ast.Map: ((("names",), "body"),),
    ast.Fold: ((("state", "row"), "body"),),
    ast.Filter: ((("row",), "body"),),
    ast.Flat: ((("row",), "body"),),
    ast.PLam: ((("params",), "body"),),
    ast.Bind: ((("name",), "then"),),
    ast.PLet: ((("name",), "body"),),
    ast.PLetPair: ((("left", "right"), "body"),),
    ast.PCase: ((("left",), "left_body"), (("right",), "right_body")),
    ast.PLoop: ((("index", "state"), "body"),),
    ast.Mechanism: ((("binder",), "body"),),
    ast.Parallel: ((("row",), "key_of"), (("key", "part"), "body")),
    ast.PMap: ((("name",), "body"),),
    ast.Sample: ((("names",), "body"),),
}
"""For each form that binds: the parts that hold names, and the part in which they are known."""

USES = {ast.Mechanism: "private", ast.PLoop: "private"}
"""Where names are used that are not variables."""


def names_in(part: Any) -> Iterator[ast.Name]:
    """The names that a binding part holds."""
    match part:
        case ast.Name():
            yield part
        case ast.Param(name=name):
            yield name
        case ast.Aligned(params=params):
            yield from (param.name for param in params)
        case tuple():
            for item in part:
                yield from names_in(item)
        case _:
            pass


def with_new_names(node: Any, scope: Mapping[str, str], fresh: count[int]) -> Any:
    """Every bound variable under a name of its own."""
    changes: dict[str, Any] = {}
    binding = BINDERS.get(type(node), ())
    inside: dict[str, Mapping[str, str]] = {}
    held: dict[str, dict[str, str]] = {}
    for fields, body in binding:
        new = {name.text: f"n{next(fresh)}" for field in fields for name in names_in(getattr(node, field))}
        inside[body] = {**scope, **new}
        held.update(dict.fromkeys(fields, new))
    used = USES.get(type(node))
    kinds = [each.name for each in node.kinds] if isinstance(node, ast.Lam | ast.PLam) else []
    for attribute in attrs.fields(type(node)):
        name, value = attribute.name, getattr(node, attribute.name)
        if name in held:
            changes[name] = renamed_part(value, held[name], kinds)
        elif name == used:
            changes[name] = None if value is None else renamed_part(value, scope)
        elif name != "span":
            changes[name] = changed(value, lambda inner, n=name: with_new_names(inner, inside.get(n, scope), fresh))
    if isinstance(node, ast.Var):
        return ast.Var(node.span, scope.get(node.name, node.name))
    return evolve(node, **changes)


def renamed_part(part: Any, new: Mapping[str, str], kinds: Collection[str] = ()) -> Any:
    """A part that holds names, of a function with kind variables that keep theirs."""
    match part:
        case ast.Name():
            return ast.Name(part.span, new.get(part.text, part.text))
        case ast.Param():
            type_ = part.type
            if isinstance(type_, ast.TPersons) and type_.roster is not None:
                type_ = evolve(type_, roster=ast.Roster(SPAN, new.get(type_.roster.name, type_.roster.name)))
            if isinstance(type_, ast.TBag) and isinstance(type_.element, ast.TWithin):
                type_ = with_new_ends(type_, {name: text for name, text in new.items() if name not in kinds})
            return evolve(part, name=renamed_part(part.name, new), type=type_)
        case ast.Aligned():
            return ast.Aligned(part.span, renamed_part(part.params, new, kinds))
        case tuple():
            return tuple(renamed_part(item, new, kinds) for item in part)
        case _:
            return part


def with_new_ends(node: Any, new: Mapping[str, str]) -> Any:
    """A type in whose range parameters are named."""
    if isinstance(node, ast.RVar):
        return ast.RVar(node.span, new.get(node.name, node.name))
    return evolve(
        node,
        **{
            field.name: changed(getattr(node, field.name), lambda inner: with_new_ends(inner, new))
            for field in attrs.fields(type(node))
            if field.name != "span"
        },
    )


def changed(value: Any, change: Any) -> Any:
    if isinstance(value, ast.Node):
        return change(value)
    if isinstance(value, tuple):
        return tuple(change(item) if isinstance(item, ast.Node) else item for item in value)
    return value


def written_out(node: Any, values: Mapping[str, Any]) -> Any:
    """Every let-bound name replaced by what it stands for; names are taken to be bound once."""
    match node:
        case ast.Var(name=name) if name in values:
            return values[name]
        case ast.Let(name=name, bound=bound, body=body) | ast.PLet(name=name, bound=bound, body=body):
            return written_out(body, {**values, name.text: written_out(bound, values)})
        case _:
            pieces = {
                attribute.name: changed(getattr(node, attribute.name), lambda inner: written_out(inner, values))
                for attribute in attrs.fields(type(node))
                if attribute.name != "span"
            }
            return evolve(node, **pieces)


def told(typed: Typed) -> tuple[Any, ...]:
    """What the checker states about a function: sensitivities or prices, and types; or the codes of its errors."""
    if not typed.ok or typed.type is None:
        return tuple(sorted({diagnostic.code for diagnostic in typed.diagnostics if diagnostic.is_error}))
    if isinstance(typed.type, t.PFun):
        return (
            *(shown_price(p, typed.notion) for p in typed.type.parameters),
            renamed_sizes(show_type(typed.type.codomain)),
        )
    found: list[Any] = []
    here = typed.type
    while isinstance(here, t.Fun):
        found.append(renamed_sizes(here.sensitivity.show()))
        here = here.codomain
    return (*found, renamed_sizes(show_type(here)))


def renamed_sizes(text: str) -> str:
    """A text in which the size of a roster is called after no parameter: that may have another name."""
    return re.sub(r"\|\S+?\|", "|roster|", text)


def shown_price(parameter: t.PrivateParameter, notion: Notion) -> str:
    found = price(parameter.cost, notion)
    if not isinstance(found, Price):
        return "unpriced"
    return renamed_sizes(", ".join(part.show() if isinstance(part, Quantity) else str(part) for part in found.parts))


LONGEST = 3000


def broken_laws(file: ast.File, typed: Typed) -> list[str]:
    """The laws that a program breaks."""
    before, notion = told(typed), typed.notion
    broken: list[str] = []

    def holds(law: str, other: ast.File) -> None:
        after = told(check_tree(other, notion))
        if after != before:
            broken.append(f"{law}: {before} became {after}")

    assert isinstance(file.body, ast.Lam | ast.PLam)
    unique = with_new_names(file.body, {}, count())
    holds("other names", evolve(file, body=unique))
    if not any(isinstance(node, ast.LetPair | ast.PLetPair) for node in nodes(unique)):
        # Where a pair is written out under a let that opens it, its parts are distinguished: that may only be sharper.
        out = written_out(unique, {})
        if len(list(nodes(out))) < LONGEST and not listed_lets(unique):
            holds("lets written out", evolve(file, body=out))
    holds("code that nothing uses", evolve(file, body=with_dead_code(file.body)))
    parsed, problems = parse_file(Source("printed.duet", show_file(file)))
    if problems:
        broken.append(f"printing and reading again: {problems[0].message}")
    else:
        holds("printing and reading again", parsed)
    return broken


def listed_lets(node: ast.Node) -> bool:
    """Whether a mechanism lists a let-bound name, which cannot be written out there."""
    return any(getattr(here, "private", None) for here in nodes(node))


def with_dead_code(body: ast.Lam | ast.PLam) -> ast.Lam | ast.PLam:
    name = next(names_in(body.params)).text
    unused = ast.Prim(SPAN, "box", (ast.Var(SPAN, name),))
    if isinstance(body, ast.Lam):
        return evolve(body, body=ast.Let(SPAN, ast.Name(SPAN, "never-used"), unused, body.body))
    return evolve(body, body=ast.PLet(SPAN, ast.Name(SPAN, "never-used"), unused, body.body))


def widened(file: ast.File) -> ast.File | None:
    """The program with larger bounds on its parameters' rows and larger sensitivities of its functions."""

    def go(node: Any) -> Any:
        match node:
            case ast.ClipBound(norm=norm, bound=ast.RNum(value=value)) if norm is not None:
                return ast.ClipBound(SPAN, norm, ast.RNum(SPAN, value + Fraction(2), False))
            case _:
                return evolve(
                    node,
                    **{
                        a.name: changed(getattr(node, a.name), go) for a in attrs.fields(type(node)) if a.name != "span"
                    },
                )

    assert isinstance(file.body, ast.Lam)
    if not any(
        isinstance(node, ast.ClipBound) and node.norm is not None for p in file.body.params for node in below(p)
    ):
        return None
    return evolve(file, body=evolve(file.body, params=tuple(map(go, file.body.params))))


def below(node: ast.Node) -> Iterator[ast.Node]:
    yield node
    for part in children(node):
        yield from below(part)


def was_lowered(file: ast.File, typed: Typed) -> str | None:
    """Whether a wider parameter type made some sensitivity smaller."""
    wider = widened(file)
    if wider is None:
        return None
    after = check_tree(wider, typed.notion)
    here, there = typed.type, after.type
    sizes: dict[KindVar, Fraction] = {}
    while isinstance(here, t.Fun) and isinstance(there, t.Fun):
        sizes.update({kind: Fraction(2) for kind in here.kinds + there.kinds})
        if here.sensitivity.evaluate(sizes, up=False) > there.sensitivity.evaluate(sizes, up=True):
            return f"a wider type lowered {here.name}: {here.sensitivity.show()} became {there.sensitivity.show()}"
        here, there = here.codomain, there.codomain
    return None
