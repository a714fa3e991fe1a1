"""The steps of a program in the order of its text, as a walk over the core finds them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from attrs import frozen

from duetpy.diagnostics.display import visible
from duetpy.diagnostics.markup import shortened
from duetpy.typecheck import core
from duetpy.typecheck.lowering import MARK
from duetpy.typecheck.quantity import Kind, KindVar, Quantity

EXCERPT = 40
"""So much of an expression is quoted."""


@frozen
class Step:
    """What is done, how many others it is part of, and the function that it defines or calls, if it does."""

    depth: int
    text: str
    defined: str | None = None
    called: str | None = None


Describe: TypeAlias = Callable[[core.Node, str], str | None]
"""What a form does, in words, given the name of what it releases; None for one that is not reported."""


def steps(root: core.Node | None, describe: Describe, *, has_formulas: bool = False) -> Iterator[tuple[int, str]]:
    """What the reported forms of a program do, each with the number of forms that contain it, in the order of the text.

    Functions that are not used or do nothing to rows are left out, and so are their calls. A function stands above the calls of it.
    If what is said `has_formulas`, a function also says which of their letters are its own.
    """
    return _shown(_steps(root, describe, has_formulas), _reached(root))


def _steps(root: core.Node | None, describe: Describe, has_formulas: bool) -> Iterator[Step]:
    """Every step. A walk without recursion: programs nest deeply."""
    pending: list[tuple[core.Node, int, str] | Step] = [] if root is None else [(root, 0, "")]
    while pending:
        match pending.pop():
            case Step() as definition:
                yield definition
            case (core.Let() | core.PLet()) as node, depth, _ if isinstance(node.bound, core.Lam | core.PLam):
                own = _own(node.bound) if has_formulas else ""
                head = f"when {name_of(node.name)} is called{own} ({place_of(node.bound)})"
                pending += [(node.body, depth, ""), (node.bound, depth + 1, ""), Step(depth, head, defined=node.name)]
            case node, depth, name:
                match node:
                    case core.Bind(name=given, first=first, then=then):
                        pending += [(then, depth, name), (first, depth, name_of(given))]
                        continue
                    case core.PIf(guard=guard, then=then, otherwise=otherwise):
                        yield Step(depth, f"if {text_of(guard)} ({place_of(node)})")
                        pending += [
                            (otherwise, depth + 1, ""),
                            Step(depth, "otherwise"),
                            (then, depth + 1, ""),
                            (guard, depth, ""),
                        ]
                        continue
                    case core.App(function=core.Var(name=called)) | core.PApp(function=core.Var(name=called)):
                        yield Step(depth, f"call {name_of(called)} ({place_of(node)})", called=called)
                    case _ if step := describe(node, name):
                        yield Step(depth, step)
                        depth += 1
                pending.extend((child, depth, "") for child in reversed(core.children(node)))


def _own(function: core.Lam | core.PLam) -> str:
    """Which letters stand for numbers of a function, and not for those of the program."""
    names = [visible(kind.name) for kind in function.kinds if kind.kind is not Kind.TYPE]
    return f", with its own {' and '.join(filter(None, (', '.join(names[:-1]), names[-1])))}" if names else ""


def _reached(root: core.Node | None) -> set[str]:
    """The functions that the program uses, directly or in others."""
    bodies: dict[str, core.Node] = {}
    found: set[str] = set()
    pending: list[core.Node] = [] if root is None else [root]
    while pending:
        match pending.pop():
            case (core.Let() | core.PLet()) as node if isinstance(node.bound, core.Lam | core.PLam):
                bodies[node.name] = node.bound
                pending.append(node.body)
            case core.Var(name=name) if name in bodies:
                found.add(name)
                pending.append(bodies.pop(name))
            case node:
                pending += core.children(node)
    return found


def _shown(steps: Iterator[Step], reached: set[str]) -> Iterator[tuple[int, str]]:
    """The steps without the functions that are not used or do nothing to rows, and their calls. A function stands above the calls
    of it."""
    found: list[Step] = []
    around: list[Step] = []
    doing: set[str] = set()
    for step in steps:
        around = [outer for outer in around if outer.depth < step.depth]
        if step.defined is not None:
            around.append(step)
        elif step.called is None or step.called in doing:
            doing.update(outer.defined for outer in around if outer.defined is not None)
        found.append(step)
    unused: int | None = None
    for step in found:
        if unused is not None and step.depth > unused:
            continue
        unused = step.depth if step.defined is not None and step.defined not in reached else None
        if unused is None and ((step.defined or step.called or "") in doing or step.defined is step.called is None):
            yield step.depth, step.text


def count_of(node: core.Expression, numbers: Mapping[KindVar, Quantity]) -> str:
    """A public number: what is known of it, else how it is written."""
    known = getattr(node.static, "value", None)
    return known.substitute(numbers).show() if isinstance(known, Quantity) else text_of(node)


def texts_of(nodes: Sequence[core.Expression]) -> str:
    return ", ".join(map(text_of, nodes))


def text_of(node: core.Node, longest: int = EXCERPT) -> str:
    """An expression as it is written, on one line."""
    if isinstance(node, core.Var):
        return name_of(node.name)
    return shortened(" ".join(node.span.text.split()), longest)


def name_of(name: str) -> str:
    """A name as it is written."""
    return visible(name.partition(MARK)[0])


def place_of(node: core.Node) -> str:
    line, column = node.span.begin
    source = node.span.source
    return f"{visible(source.name)}:{line}:{column}" if source.is_imported else f"{line}:{column}"
