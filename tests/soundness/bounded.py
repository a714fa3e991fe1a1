"""All programs of a small grammar up to a size, and all pairs of inputs of a small domain: no claim is false of any of them.

Random programs rarely have the one form that a rule forgot around the one form that it was forgotten for. Of small programs there
are few enough to try them all.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from typing import Any, TypeAlias

from attrs import field, frozen

from duetpy.typecheck.notions import Notion
from tests.soundness.evaluated import by_evaluator
from tests.soundness.falsify import Program, Refused, allowed, check, claims
from tests.soundness.intercepted import Draw, lost
from tests.soundness.metrics import distance
from tests.soundness.plain import Number
from tests.soundness.whole_private import claim_of, exceeds
from tests.soundness.whole_repeated import drawn_for

Names: TypeAlias = "tuple[tuple[str, str], ...]"
"""What is in scope: names and their sorts."""

_HOLE = re.compile(r"<(\w+)(?:\|(\w+))?>")


@frozen
class Form:
    """One production: the sort of what it makes, and its text with ``<S>`` for a part of sort S.

    ``<S|T>`` is a part that sees a name of sort T, which the text writes as ``$``.
    """

    sort: str
    text: str
    holes: tuple[tuple[str, str | None], ...]

    @staticmethod
    def of(line: str) -> Form:
        sort, _, text = line.partition(" = ")
        holes = [(match[1], match[2]) for match in _HOLE.finditer(text)]
        return Form(sort.strip(), text.strip(), tuple(holes))

    def filled(self, parts: Sequence[str], name: str) -> str:
        texts = iter(parts)
        return _HOLE.sub(lambda _: next(texts), self.text).replace("$", name)


@frozen
class Language:
    """A small language.

    Parameters
    ----------
    around
        What stands around each program, with ``BODY`` where that stands: the definitions and the parameters.
    names
        What it may mention, with the sorts.
    grammar
        Its productions, one a line.
    inputs
        The values that each parameter takes.
    sort
        Of which sort a program is; None for any.
    """

    around: str
    names: Names
    grammar: str
    inputs: Mapping[str, Sequence[Any]] = field(eq=False)
    sort: str | None = None

    @property
    def forms(self) -> tuple[Form, ...]:
        return tuple(Form.of(line) for line in self.grammar.strip().splitlines())

    def points(self, text: str, names: Sequence[str]) -> list[tuple[Any, ...]]:
        """All inputs of a program; of a parameter that it does not mention, one value only."""
        words = Counter(re.findall(r"\w+", text))
        return list(product(*(self.inputs[name][: None if words[name] > 1 else 1] for name in names)))

    def programs(self, size: int) -> Iterator[str]:
        """All programs of exactly this size, which counts forms and names."""
        sorts = dict.fromkeys(form.sort for form in self.forms) if self.sort is None else (self.sort,)
        for sort in sorts:
            for body in bodies(self, sort, size, self.names):
                yield self.around.replace("BODY", body)


@cache
def bodies(language: Language, sort: str, size: int, names: Names) -> tuple[str, ...]:
    found = [name for name, own in names if own == sort] if size == 1 else []
    for form in language.forms:
        if form.sort == sort:
            fresh = f"v{len(names)}"
            for sizes in splits(size - 1, len(form.holes)):
                parts = [
                    bodies(language, wanted, part, names if bound is None else (*names, (fresh, bound)))
                    for (wanted, bound), part in zip(form.holes, sizes, strict=True)
                ]
                found += [form.filled(chosen, fresh) for chosen in product(*parts)]
    return tuple(found)


def splits(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    """All ways to write a number as a sum of so many numbers above 0."""
    if parts == 0:
        if total == 0:
            yield ()
        return
    for first in range(1, total - parts + 2):
        for rest in splits(total - first, parts - 1):
            yield (first, *rest)


@frozen
class Tried:
    """What became of a program: whether it was accepted, whether anything finite was claimed, and what refutes the claim."""

    accepted: bool
    claimed: bool = False
    refuted: str | None = None
    ratio: float = 0.0


def tried(language: Language, text: str) -> Tried:
    """One program on all pairs of inputs."""
    try:
        claim = claims(check(text), text)
    except Refused:
        return Tried(False)
    if all(parameter.sensitivity.is_infinite for parameter in claim.parameters):
        return Tried(True)
    meant = by_evaluator(claim)
    points = language.points(text, [parameter.name for parameter in claim.parameters])
    results = [meant({}, point) for point in points]
    ratio = 0.0
    for at, (before, first) in enumerate(zip(points, results, strict=True)):
        for after, second in zip(points[:at], results[:at], strict=True):
            most = allowed(claim, before, after)
            moved = distance(claim.result, first, second)
            if moved > most:
                return Tried(True, True, told(claim, before, after, first, second, moved, most))
            if most and moved:
                ratio = max(ratio, float(moved / most))
    return Tried(True, True, None, ratio)


def told(
    claim: Program, before: Sequence[Any], after: Sequence[Any], first: Any, second: Any, moved: Number, most: Number
) -> str:
    claimed = ", ".join(f"{each.name}: {each.sensitivity.show()}" for each in claim.parameters)
    return f"{claim.text}\n  claimed {claimed}\n  {before} -> {first}\n  {after} -> {second}\n  moved {moved} > {most}"


OUTPUTS = (11, 12)
"""Seeds: what comes out of a mechanism decides which way a program goes."""


def tried_privately(language: Language, text: str) -> Tried:
    """One privacy program on all pairs of neighbours, in pure ε: what the noise that is drawn hides, and what is claimed. What is
    released depends on nothing else."""
    typed = check(text, Notion.PURE)
    if not typed.ok:
        return Tried(False)
    claim = claim_of(typed, text)
    if claim is None or all(budget.is_infinite for _, budget in claim.units):
        return Tried(True)
    parameters = claim.function.parameters
    points = language.points(text, [parameter.name for parameter in parameters])
    draws = [[drawn_for(claim, point, outputs=seed) for seed in OUTPUTS] for point in points]
    ratio = 0.0
    for at, (before, first) in enumerate(zip(points, draws, strict=True)):
        for after, second in zip(points[:at], draws[:at], strict=True):
            moved = [place for place in range(len(points[0])) if before[place] != after[place]]
            for members, budget in claim.units:
                is_step = set(moved) <= set(members) and all(
                    distance(parameters[place].type, before[place], after[place]) <= 1 for place in moved
                )
                if not is_step or budget.is_infinite:
                    continue
                most = budget.evaluate({}, up=True)
                spent = max(_lost(*one, *other) for one, other in zip(first, second, strict=True))
                if exceeds(spent, most):
                    claimed = ", ".join(each.show() for _, each in claim.units)
                    refuted = f"{text}\n  claimed {claimed}\n  {before} {first}\n  {after} {second}\n  lost {spent}"
                    return Tried(True, True, refuted)
                if most and spent:
                    ratio = max(ratio, float(spent) / float(most))
    return Tried(True, True, None, ratio)


def _lost(before: Sequence[Draw], shown: Any, after: Sequence[Draw], also_shown: Any) -> Number:
    return lost(before, after) if shown == also_shown else math.inf
