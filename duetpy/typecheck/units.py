"""Whom a privacy function protects: its parameters by those whose change moves them.

Aligned parameters move by the same rows and have one cost. All tables of persons in one program are about the same persons, so that
a change of one person is one step of each of them at once. What that change is must be the same in all of them (`apart`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import frozen

from duetpy.by_value import ByValue
from duetpy.typecheck.cost import Cost, is_free, is_unbounded, together
from duetpy.typecheck.persons import persons_of
from duetpy.typecheck.types import Fun, PFun, PrivateParameter, parts_of


@frozen(eq=False, repr=False)
class PrivacyUnit(ByValue):
    """Parameters that one change moves, and what the change costs."""

    parameters: tuple[PrivateParameter, ...]
    cost: Cost

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(parameter.name for parameter in self.parameters)

    @property
    def name(self) -> str:
        return "+".join(self.names)


#   xᵢ : persons[…], i = 1 … k, each at a cost pᵢ that is not 0 or ∞
#   ──────────────────────────────────────────────────────────────────      a person is in all of them
#   x₁, …, xₖ together: p₁ together with … together with pₖ
def units_of(parameters: Sequence[PrivateParameter]) -> list[PrivacyUnit]:
    """The privacy units of a function, in the order of their first parameters. What is free or in the clear is one by itself."""
    return list(_units(parameters))


def _units(parameters: Sequence[PrivateParameter]) -> Iterator[PrivacyUnit]:
    persons = [each for each in parameters if _is_of_persons(each)]
    for number in dict.fromkeys(parameter.unit for parameter in parameters):
        members = [parameter for parameter in parameters if parameter.unit == number]
        if members[0] not in persons:
            yield PrivacyUnit(tuple(members), members[0].cost)
        elif members[0] is persons[0]:
            yield PrivacyUnit(tuple(persons), together(each.cost for each in persons))


def _is_of_persons(parameter: PrivateParameter) -> bool:
    """Whether it is a table of persons that the function protects; these are aligned with nothing."""
    is_protected = not is_free(parameter.cost) and not is_unbounded(parameter.cost)
    return is_protected and persons_of(parameter.type) is not None


def holding_persons(parameters: Sequence[PrivateParameter]) -> Iterator[PrivateParameter]:
    """The protected parameters with a table of persons in a part of them, such as a pair: no unit is charged for these persons."""
    for parameter in parameters:
        is_whole = persons_of(parameter.type) is not None
        inside = parts_of(parameter.type, lambda part: not isinstance(part, Fun | PFun))
        if not is_whole and not is_unbounded(parameter.cost) and any(persons_of(part) for part in inside):
            yield parameter


def apart(parameters: Sequence[PrivateParameter]) -> tuple[PrivateParameter, PrivateParameter, bool] | None:
    """Two tables of persons that no change of one person is a step of: they identify persons in two ways, or, as the last part of
    the answer says, only one of them has a roster. None where there are no two such tables."""
    found = [
        (parameter, persons)
        for parameter in parameters
        if not is_unbounded(parameter.cost) and (persons := persons_of(parameter.type)) is not None
    ]
    for parameter, persons in found[1:]:
        first, others = found[0]
        if persons.identifier != others.identifier:
            return first, parameter, False
        if (persons.roster is None) != (others.roster is None):
            return first, parameter, True
    return None
