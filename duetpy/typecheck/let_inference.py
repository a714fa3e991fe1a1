"""Functions bound by ``let`` whose parameters' types are left to their first use.

``let f = sλ x ⇒ e in … f a …`` is judged as ``let f = sλ x : τ ⇒ e``, τ being the type of the argument that f is first applied to.
The function is judged where that use is found, in the scope of its definition: what was bound since is out of sight, so that it
means what it would mean with its types written. From then on it has that type, which other uses must fit.

A type that mentions a size bound after the function could not have been written there, and is refused; so is a box, whose debts
name inputs.
"""

from __future__ import annotations

from duetpy.grammar import ast
from duetpy.grammar.binders import flat
from duetpy.typecheck import rewriting
from duetpy.typecheck import types as t
from duetpy.typecheck.checker import Checker, Deferred
from duetpy.typecheck.errors import names
from duetpy.typecheck.judgement import Judged


def bound(checker: Checker, name: str, written: ast.SExp) -> Judged:
    """What a let binds: a function without all its types waits, everything else is judged."""
    if not isinstance(written, ast.Lam | ast.PLam) or all(param.type is not None for param in flat(written.params)):
        return checker.judge(written).bound_to(written)
    placeholder = Judged(t.POISON)
    waits = Deferred(name, written, placeholder, checker.scope.height, checker.notion, checker.tests)
    checker.deferred[id(placeholder)] = waits
    return placeholder


def waiting(checker: Checker, node: ast.SExp) -> Deferred | None:
    """The function that a name stands for, if it still waits for its use."""
    if not checker.deferred or not isinstance(node, ast.Var):
        return None
    return checker.deferred.get(id(checker.scope.lookup(node.name)))


def named(checker: Checker, node: ast.Var) -> Judged | None:
    """What a name stands for, as every use of one must ask: a function that waits is judged first, for it may hold anything."""
    found = waiting(checker, node)
    if found is not None:
        settle(checker, found, [])
    return checker.scope.lookup(node.name)


def settle(checker: Checker, found: Deferred, arguments: list[Judged]) -> None:
    """Judge a function at the types of its first arguments."""
    del checker.deferred[id(found.placeholder)]
    wanted = flat(found.function.params)
    with checker.scope.before(found.height):
        known = set(checker.scope.kinds().values())
        for param, argument in zip(wanted, arguments, strict=False):
            if param.type is not None:
                continue
            later = sorted(variable.name for variable in rewriting.free_variables(argument.type) - known)
            if later or any(True for _ in t.boxes(argument.type)):
                checker.report(names.type_of_later(param.span, param.name.text, argument.type, later))
                checker.expected[param] = t.POISON
            else:
                checker.expected[param] = argument.type
        outer = checker.notion, checker.tests
        checker.notion, checker.tests = found.notion, found.tests
        try:
            judged = checker.judge(found.function)
        finally:
            checker.notion, checker.tests = outer
    checker.scope.replace(found.name, found.placeholder, judged.bound_to(found.function))


def end(checker: Checker, placeholders: list[Judged]) -> None:
    """At the end of a let: a function that was not applied is judged as it stands, which reports what is missing."""
    for placeholder in placeholders:
        found = checker.deferred.get(id(placeholder))
        if found is not None:
            settle(checker, found, [])


def expect(checker: Checker, params: tuple[ast.Param, ...], arguments: list[Judged]) -> None:
    """A function that is applied where it stands takes what it is given: types that were left out are the arguments'."""
    for param, argument in zip(params, arguments, strict=False):
        if param.type is None:
            checker.expected[param] = argument.type
