"""Foreign code: functions in Python that a program names with ``opaque``.

Contract. Nothing is imported unless whoever runs the program trusts the module by name, and then before any data is opened.
A function gets plain Python values, exact numbers as the nearest doubles, and the rows of a table of unknown size in sorted
order, so that it cannot see the order they were stored in. What it returns is held to the declared type, sizes and bounds
included. Where it fails, or returns something else, the run ends with one diagnostic that says only which function it
was; or, where bad rows become defaults, the result is its type's default, and nobody can tell.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from threading import Lock
from typing import Any, Literal, TypeAlias

import numpy as np
from attrs import define, evolve, field

from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.diagnostics.error import DuetError
from duetpy.runtime.sources.binding import bound_value, single_default
from duetpy.runtime.sources.reading import Reading
from duetpy.runtime.sources.verification import verify
from duetpy.runtime.values.plain_values import plain_value
from duetpy.runtime.values.statics import KindScope
from duetpy.runtime.values.values import Injected, MatrixValue, SetValue, Value
from duetpy.typecheck import core
from duetpy.typecheck import types as t

UNTRUSTED = "D0710"
NOT_FOUND = "D0711"
FAILED = "D0712"

Function: TypeAlias = Callable[..., Any]
FailureRule = Literal["refuse", "default"]


@define(eq=False, repr=False)
class Library:
    """The foreign functions of a run, by their targets.

    Parameters
    ----------
    functions
        The functions.
    on_failure
        ``refuse``: a failure ends the run. ``default``: the result is the default of its type.
    """

    functions: Mapping[str, Function] = field(factory=dict)
    on_failure: FailureRule = "refuse"
    _lock: Lock = field(factory=Lock, init=False)

    def call(self, node: core.ForeignCall, names: Mapping[str, Value], kinds: KindScope) -> Value:
        """What a function returns for its arguments; raises `DuetError` where it fails and that ends the run."""
        arguments = [handed(names[each.name], domain) for each, domain in zip(node.args, node.domains, strict=True)]
        try:
            # One at a time: nobody promised that the function may run in two threads.
            with self._lock:
                returned = self.functions[node.target](*arguments)
                return taken(returned, node.result, kinds, self._reading())
        except KeyboardInterrupt:
            raise
        except BaseException:
            # What it says may hold a value of someone's: it is not repeated.
            if self.on_failure == "default":
                return default(node.result, kinds)
        note = "its error message is not shown: it may contain private values. The failure itself may reveal something about them"
        message = f"foreign code failed, or returned a value of the wrong type: {node.target}"
        help = "make it return a value of its type for every argument; with --on-bad-row default, a default replaces its result"
        raise DuetError((Diagnostic(FAILED, message, node.span, notes=(note,), help=help),))

    def _reading(self) -> Reading:
        # What a column is, one row must not decide for the others: each cell is looked at by itself.
        return Reading(self.on_failure, may_be_empty=True, holds_types=False)

    def result_for_nobody(self, node: core.ForeignCall, kinds: KindScope) -> Value:
        """A value that a function could return; it is not called."""
        return default(node.result, kinds)


# ---------------------------------------------------------------------------------------------------------------------
# Finding


def library(
    opaque: Sequence[core.ForeignCall], trusted: Collection[str], place: str, on_failure: FailureRule = "refuse"
) -> Library:
    """Import the foreign functions of a program.

    Parameters
    ----------
    opaque
        Where the program calls them.
    trusted
        The modules that may be imported.
    place
        The program's file: modules are looked for where Python looks, and then next to it.
    on_failure
        What becomes of a function that fails.

    Raises
    ------
    DuetError
        D0710 where a module is not trusted, D0711 where there is no such function.
    """
    # A name alone is one module, and not the modules that its letters spell.
    trusted = (trusted,) if isinstance(trusted, str) else trusted
    refused = [_untrusted(node) for node in opaque if _module(node.target) not in trusted]
    if refused:
        raise DuetError(list(dict.fromkeys(refused)))
    return Library({node.target: _imported(node, place) for node in opaque}, on_failure)


def _module(target: str) -> str:
    return target.partition(":")[0]


def _untrusted(node: core.ForeignCall) -> Diagnostic:
    module = _module(node.target)
    return Diagnostic(
        UNTRUSTED,
        f"the program runs foreign code: {node.target}",
        node.span,
        "nothing was imported",
        notes=("Python code can do anything with the data that it sees; no type limits that",),
        help=f"if you trust the module, run with --trust {module}; in Python, _trust=[{module!r}]",
    )


def _imported(node: core.ForeignCall, place: str) -> Function:
    module, _, path = node.target.partition(":")
    folder = str(Path(place).resolve().parent)
    is_new = folder not in sys.path
    if is_new:
        sys.path.append(folder)
    try:
        found: Any = import_module(module)
        for name in path.split("."):
            found = getattr(found, name)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise _missing(node, type(error).__name__) from None
    finally:
        if is_new and folder in sys.path:
            sys.path.remove(folder)
    if not callable(found):
        raise _missing(node, "it is not a function")
    function: Function = found
    return function


def _missing(node: core.ForeignCall, why: str) -> DuetError:
    message = f"cannot import foreign code: {node.target}"
    help = "install the module, or put it next to the program"
    return DuetError((Diagnostic(NOT_FOUND, message, node.span, why, help=help),))


# ---------------------------------------------------------------------------------------------------------------------
# Values across the border


def handed(value: Value, type_: t.Type) -> Any:
    """A value as foreign code gets it: a matrix of numbers or truth values as an array, another as a list of rows."""
    match type_, value:
        case (t.Product(left, right), (first, second)):
            return (handed(first, left), handed(second, right))
        case (t.Sum(left, right), Injected(is_left, held)):
            return ("inl" if is_left else "inr", handed(held, left if is_left else right))
        case (t.Matrix(rows=rows), MatrixValue()):
            plain = plain_value(value, arrays=True)
            return plain if rows is not None else _sorted(plain)
        case (_, SetValue()):
            return plain_value(value, sets=True)
        case _:
            return plain_value(value)


def _sorted(rows: Any) -> Any:
    """Rows in an order that only their cells decide."""
    if isinstance(rows, np.ndarray):
        return rows[np.lexsort(rows.T[::-1])] if rows.size else rows
    return sorted(rows, key=repr)


def taken(value: object, type_: t.Type, kinds: KindScope, reading: Reading) -> Value:
    """What foreign code returned, held to its type; raises `DuetError` where it is no value of it."""
    match type_:
        case t.Product(left, right):
            first, second = _pair(value)
            return (taken(first, left, kinds, reading), taken(second, right, kinds, reading))
        case t.Sum(left, right):
            side, held = _pair(value)
            if side not in ("inl", "inr"):
                raise TypeError
            return Injected(side == "inl", taken(held, left if side == "inl" else right, kinds, reading))
        case t.Matrix() if isinstance(value, str):
            raise TypeError
        case _:
            # Of a table the bad cells become defaults; of any other value that does not have its type, the whole.
            rule = reading if isinstance(type_, t.Matrix) else evolve(reading, on_bad_row="refuse")
            return verify(bound_value(value, type_, "result", kinds, rule), type_, "result", kinds, rule)


def _pair(value: object) -> tuple[object, object]:
    if not isinstance(value, tuple | list) or len(value) != 2:
        raise TypeError
    return value[0], value[1]


def default(type_: t.Type, kinds: KindScope) -> Value:
    """The value in place of one that does not have its type: 0, false, the empty text, rows of those."""
    match type_:
        case t.Disc(inner):
            return default(inner, kinds)
        case t.Product(left, right):
            return (default(left, kinds), default(right, kinds))
        case t.Sum(left, _):
            return Injected(True, default(left, kinds))
        case t.SetOf():
            return SetValue(())
        case t.Matrix(rows=rows):
            height = 0 if rows is None else int(kinds.above(rows, None))
            row = _default_row(type_, kinds)
            return bound_value([row] * height, type_, "result", kinds, Reading("default", may_be_empty=True))
        case _:
            return single_default(type_, kinds)


def _default_row(type_: t.Matrix, kinds: KindScope) -> list[object]:
    match type_.schema:
        case t.Uniform(count, element):
            return [plain_value(default(element, kinds))] * int(kinds.above(count, None))
        case _:
            return [plain_value(default(element, kinds)) for element in type_.column_types()]
