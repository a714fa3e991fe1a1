"""Broken rules, each of which the falsifier must catch: ``python -m tests.soundness.mutants`` prints the table.

A mutant is a small edit of one place of the checker that makes a rule a little too kind: a factor dropped, a minimum for a
maximum, a wrong norm constant, a context forgotten, an ∞ missing. The edited source is compiled and its functions take the
place of the right ones, so every module that imported them sees the mutant; the edit is undone afterwards. A mutant is caught

* when the search refutes what is claimed of one of the catalogue's programs, or a claim mentions what nothing binds;
* when the frozen outputs of a privacy program lose more than is claimed of it;
* when the laws of what it releases, or the laws that a cost allows, are further apart than its price;
* when two quantities are put in an order that numbers refute;
* when a program is accepted that means nothing.
"""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from types import FunctionType, ModuleType
from typing import Any

from attrs import frozen

from duetpy.typecheck import prelude
from duetpy.typecheck.quantity import limits, order, sampling
from tests.soundness.broken.mutant import PRELUDE, Mutant
from tests.soundness.broken.table import BROKEN
from tests.soundness.catalogue import REFUSED, everything
from tests.soundness.distributions import TOLERANCE
from tests.soundness.falsify import IllScoped, Refused, by_definition, check, claims, searched
from tests.soundness.meaningless import MEANINGLESS, Meaningless, accepts
from tests.soundness.orders import out_of_order
from tests.soundness.prices import PRICES, Priced, used_up
from tests.soundness.releases import REFUSED as REFUSED_RELEASES
from tests.soundness.releases import RELEASES
from tests.soundness.replay import exposed, private_program
from tests.soundness.witnesses import WITNESSES, Witness, used

REMEMBERED = (order.proved, limits.of_power, limits.of_atom, sampling.profile)
"""What the order of quantities keeps from one question to the next."""


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
    """Empty the caches of what the prelude declares and of what was proved of quantities."""
    for function in (prelude._blocks, prelude.declared, prelude.signatures, *REMEMBERED):
        function.cache_clear()


@contextmanager
def planted_signature(mutant: Mutant) -> Iterator[None]:
    blocks = dict(prelude._blocks())
    holders = [name for name, text in blocks.items() if mutant.right in text]
    assert len(holders) == 1, f"{mutant.name}: the line stands in {len(holders)} declarations"
    (name,) = holders
    assert blocks[name].count(mutant.right) == 1, f"{mutant.name}: the line stands there more than once"
    blocks[name] = blocks[name].replace(mutant.right, mutant.wrong)
    right = prelude._blocks
    forget()
    replacement: Any = CachedBlocks(blocks)
    prelude._blocks = replacement
    try:
        yield
    finally:
        prelude._blocks = right


@frozen
class CachedBlocks:
    """Stands for the cached function that cuts the prelude."""

    blocks: dict[str, str]

    def __call__(self) -> dict[str, str]:
        return self.blocks

    def cache_clear(self) -> None:
        """Nothing is cached here."""


@contextmanager
def planted_code(mutant: Mutant) -> Iterator[None]:
    module = importlib.import_module(mutant.module)
    source = inspect.getsource(module)
    assert source.count(mutant.right) == 1, f"{mutant.name}: the place occurs {source.count(mutant.right)} times"
    edited = ModuleType(module.__name__)
    edited.__dict__.update({key: value for key, value in vars(module).items() if key.startswith("__")})
    exec(compile(source.replace(mutant.right, mutant.wrong), module.__file__ or "", "exec"), edited.__dict__)
    undo = [(function, function.__code__) for function, _ in changed_functions(module, edited)]
    constants = {key: vars(module)[key] for key in ("_REAL", "_NATURAL") if key in vars(module)}
    assert undo or constants, f"{mutant.name}: nothing changed"
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
        if isinstance(value, FunctionType):
            found.append(value)
        elif isinstance(value, type):
            found.extend(plain(member) for member in vars(value).values() if isinstance(plain(member), FunctionType))
    return [function for function in found if function.__code__.co_filename == module.__file__]


def plain(member: Any) -> Any:
    """The function behind a property or a method."""
    if isinstance(member, property):
        return member.fget
    return member.__func__ if isinstance(member, classmethod | staticmethod) else member


@frozen
class Trap:
    """Something that a broken rule is caught on.

    Parameters
    ----------
    rule
        The rule that it is about.
    text
        What it is, as a reader would name it.
    catches
        Whether so many trials show the checker to be wrong.
    """

    rule: str
    text: str
    catches: Callable[[int], bool]


@cache
def traps() -> tuple[Trap, ...]:
    """All of them, the quick ones first."""
    return (
        Trap("order", "random quantities", is_out_of_order),
        *(
            Trap(priced.rule, f"{priced.notion.value}: {priced.cost}", partial(is_underpriced, priced))
            for priced in PRICES
        ),
        *(
            Trap(witness.rule, f"{witness.notion.value}: {witness.text}", partial(is_outdone, witness))
            for witness in WITNESSES
        ),
        *(
            Trap(program.rule, f"{program.notion.value}: {program.text}", partial(is_accepted, program))
            for program in MEANINGLESS
        ),
        *(Trap("refused", text, partial(is_refuted, text)) for text in REFUSED),
        *(Trap("refused", text, partial(is_exposed, text)) for text in REFUSED_RELEASES),
        *(Trap(release.rule, release.text, partial(is_exposed, release.text)) for release in RELEASES),
        *(Trap(case.rule, case.text, partial(is_refuted, case.text)) for case in everything()),
    )


def caught(mutant: Mutant, trials: int = 150) -> str | None:
    """What a mutant is caught on, or None where it survives: what its rules name is tried first, and longest."""
    first = [trap for trap in traps() if trap.rule in mutant.rules]
    rest = [trap for trap in traps() if trap.rule not in mutant.rules]
    with planted(mutant):
        for effort, chosen in ((8 * trials, first), (trials, rest)):
            for trap in chosen:
                if trap.catches(effort):
                    return trap.text
    return None


def is_refuted(text: str, trials: int) -> bool:
    """Whether what is claimed of a sensitivity function is false."""
    try:
        claim = claims(check(text), text)
    except Refused:
        return False
    except IllScoped:
        return True
    return searched(claim, by_definition(claim), trials).refutation is not None


def is_exposed(text: str, trials: int) -> bool:
    """Whether a privacy function loses more than is claimed."""
    try:
        claim = private_program(text)
    except Refused:
        return False
    return exposed(claim, trials) is not None


def is_outdone(witness: Witness, _: int) -> bool:
    """Whether neighbours are further apart than is claimed."""
    try:
        return used(witness) > 1 + TOLERANCE
    except Refused:
        return False


def is_underpriced(priced: Priced, _: int) -> bool:
    """Whether laws that a cost allows are further apart than its price."""
    try:
        return used_up(priced) > 1 + TOLERANCE
    except Refused:
        return False


def is_accepted(program: Meaningless, _: int) -> bool:
    """Whether a program is accepted that must not be."""
    return accepts(program)


def is_out_of_order(trials: int) -> bool:
    return out_of_order(trials // 4) is not None


def main() -> int:
    """Print which program catches which mutant; the exit code says whether any survived."""
    survivors = 0
    table = BROKEN
    for mutant in table:
        text = caught(mutant)
        survivors += text is None
        print(f"{'SURVIVES' if text is None else 'caught':9} {mutant.name}")
        print(f"          {mutant.place}: {' '.join(mutant.wrong.split())}")
        if text is not None:
            print(f"          by {text}")
    print(f"{len(table) - survivors} of {len(table)} caught")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
