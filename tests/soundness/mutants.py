"""Broken rules, each of which the falsifier must catch: ``python -m tests.soundness.mutants`` prints the table.

``python -m tests.soundness.mutants WORD …`` takes those with a word in their name, place or rules; ``--every K --from I`` takes
each K-th from the I-th on, so that several machines can share the table.

A mutant is a small edit of one place of the checker that makes a rule a little too permissive: a factor dropped, a minimum for a
maximum, a wrong norm constant, a context forgotten, an ∞ missing. The edited source is compiled and its functions take the
place of the right ones, so every module that imported them sees the mutant; the edit is undone afterwards. A mutant is caught

* when the search refutes what is claimed of one of the catalogue's programs, or a claim mentions an unknown name;
* when the frozen outputs of a privacy program lose more than is claimed of it;
* when the laws of what it releases, or the laws that a cost allows, are further apart than its price;
* when two quantities are put in an order that numbers refute;
* when a program is accepted that means nothing.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import get_context
from time import monotonic
from types import FunctionType, ModuleType
from typing import Any

from attrs import frozen

from duetpy.grammar.declared import DECLARED
from tests.soundness.broken.mutant import PRELUDE, Mutant
from tests.soundness.broken.table import BROKEN
from tests.soundness.pages import OFF_PAGE, page_of
from tests.soundness.traps import Trap, believed, traps


class NoPlace(Exception):
    """The text that a mutant changes is not where it is looked for."""


@contextmanager
def planted(mutant: Mutant) -> Iterator[None]:
    """The checker with the broken rule in it."""
    forget()
    with planted_signature(mutant) if mutant.place == PRELUDE else planted_code(mutant):
        try:
            yield
        finally:
            forget()


def forget() -> None:
    """Empty every cache of the package: what a broken rule said is not what the right one says, and the other way round."""
    for name, module in list(sys.modules.items()):
        if name.startswith("duetpy."):
            forget_results(module)


@contextmanager
def planted_signature(mutant: Mutant) -> Iterator[None]:
    """A line of the prelude, a signature or a fact, that claims too much."""
    holders = [name for name, one in DECLARED.items() if mutant.right in one.text]
    if sum(one.text.count(mutant.right) for one in DECLARED.values()) != 1:
        raise NoPlace(f"the line stands in {len(holders)} declarations: {mutant.right}")
    (name,) = holders
    right = DECLARED[name]
    DECLARED[name] = right._replace(text=right.text.replace(mutant.right, mutant.wrong))
    forget()
    try:
        yield
    finally:
        DECLARED[name] = right


@contextmanager
def planted_code(mutant: Mutant) -> Iterator[None]:
    module = importlib.import_module(mutant.module)
    source = inspect.getsource(module)
    if source.count(mutant.right) != 1:
        raise NoPlace(f"the place occurs {source.count(mutant.right)} times: {mutant.right}")
    edited = ModuleType(module.__name__)
    edited.__dict__.update({key: value for key, value in vars(module).items() if key.startswith("__")})
    exec(compile(source.replace(mutant.right, mutant.wrong), module.__file__ or "", "exec"), edited.__dict__)
    undo = [(function, function.__code__) for function, _ in changed_functions(module, edited)]
    constants = {key: vars(module)[key] for key in ("_REAL", "_NATURAL") if key in vars(module)}
    if not (undo or constants):
        raise NoPlace("no function of the module has changed")
    for function, code in changed_functions(module, edited):
        function.__code__ = code
    for key in constants:
        setattr(module, key, getattr(edited, key))
    try:
        yield
    finally:
        for function, code in undo:
            function.__code__ = code
        for key, value in constants.items():
            setattr(module, key, value)


def forget_results(module: ModuleType) -> None:
    """Empty the caches of a module's functions."""
    for value in vars(module).values():
        if callable(value) and hasattr(value, "cache_clear"):
            value.cache_clear()


def changed_functions(module: ModuleType, edited: ModuleType) -> list[tuple[FunctionType, Any]]:
    """The module's own functions and methods whose code differs, with the new code."""
    pairs = zip(functions_of(module), functions_of(edited), strict=True)
    return [(right, wrong.__code__) for right, wrong in pairs if words(right) != words(wrong)]


def words(function: FunctionType) -> tuple[Any, ...]:
    """What makes up a function's code, but for where it stands."""
    code = function.__code__
    return (code.co_code, code.co_consts, code.co_names)


def functions_of(module: ModuleType) -> list[FunctionType]:
    found: list[FunctionType] = []
    for value in list(vars(module).values()):
        if getattr(value, "__module__", None) != module.__name__:
            continue
        if isinstance(inspect.unwrap(value) if callable(value) else value, FunctionType):
            found.append(inspect.unwrap(value))
        elif isinstance(value, type):
            found.extend(plain(member) for member in vars(value).values() if isinstance(plain(member), FunctionType))
    return [function for function in found if function.__code__.co_filename == module.__file__]


def plain(member: Any) -> Any:
    """The function behind a property or a method."""
    if isinstance(member, property):
        return member.fget
    return member.__func__ if isinstance(member, classmethod | staticmethod) else member


LITTLE, MUCH = 40, 1200
"""How long one trap is searched where its claim has changed: all that have are searched a little first."""


def caught(mutant: Mutant) -> str | None:
    """What a mutant is caught on, or None where it survives.

    What its rules name is tried first, and then whatever is claimed differently with the broken rule in place: a claim that is
    the same as before is true. Should none of them refute it, everything is searched.
    """
    own = [trap for trap in traps() if trap.rule in mutant.rules]
    everywhere = [*own, *(trap for trap in traps() if trap.rule not in mutant.rules)]
    believed()
    with planted(mutant):
        changed: list[Trap] = []
        for trap in everywhere:
            if trap.has_changed():
                if trap.catches(LITTLE):
                    return trap.text
                changed.append(trap)
        for effort, those in ((MUCH, changed), (LITTLE, everywhere)):
            for trap in those:
                if trap.catches(effort):
                    return trap.text
    return None


def chosen(words: Sequence[str], first: int = 0, every: int = 1) -> list[Mutant]:
    """The mutants that a command line asks for."""
    return [
        mutant
        for mutant in BROKEN[first::every]
        if not words or any(word in text for word in words for text in (mutant.name, mutant.place, *mutant.rules))
    ]


@frozen
class Found:
    """What became of a mutant: what caught it, if anything did; or why it could not be planted."""

    mutant: Mutant
    by: str | None
    lost: str | None
    seconds: float


def timed(mutant: Mutant) -> Found:
    started = monotonic()
    try:
        by, lost = caught(mutant), None
    except NoPlace as problem:
        by, lost = None, str(problem)
    return Found(mutant, by, lost, monotonic() - started)


def by_page(mutants: Sequence[Mutant]) -> Counter[str]:
    """How many mutants there are of the rules of each page: a mutant that breaks several is counted on each."""
    pages = (dict.fromkeys(page_of(rule) or OFF_PAGE for rule in mutant.rules) for mutant in mutants)
    return Counter(page for named in pages for page in named)


def main() -> int:
    """Print which program catches which mutant; the exit code says whether any survived."""
    parser = argparse.ArgumentParser(prog="python -m tests.soundness.mutants", description=__doc__)
    parser.add_argument("words", nargs="*", metavar="WORD")
    parser.add_argument("--from", type=int, default=0, dest="first", metavar="I")
    parser.add_argument("--every", type=int, default=1, metavar="K")
    parser.add_argument(
        "--processes", type=int, default=None, metavar="N", help="as many as there are cores by default"
    )
    given = parser.parse_args()
    table = chosen(given.words, given.first, given.every)
    started = monotonic()
    killed: list[Mutant] = []
    believed()
    with get_context("fork").Pool(given.processes) as pool:
        for found in pool.imap(timed, table):
            word = "caught" if found.by else "LOST" if found.lost else "SURVIVES"
            print(f"{word:9} {found.mutant.name} ({found.seconds:.1f} s)")
            print(f"          {found.mutant.place}: {' '.join(found.mutant.wrong.split())}")
            if found.by:
                killed.append(found.mutant)
                print(f"          by {found.by}", flush=True)
            elif found.lost:
                print(f"          {found.lost}", flush=True)
    alive = by_page(killed)
    print()
    for page, count in sorted(by_page(table).items()):
        print(f"{page:26} {alive[page]:3} of {count:3} caught")
    print(f"{len(killed)} of {len(table)} caught, {monotonic() - started:.0f} s")
    return 0 if len(killed) == len(table) else 1


if __name__ == "__main__":
    sys.exit(main())
