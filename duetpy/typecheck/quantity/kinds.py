"""Kinds of type-level variables, and the variables themselves.

A variable has an identity of its own: two binders that are spelled alike are different variables, so a substitution
cannot capture and a shadowed name cannot be confused with the one it hides.
"""

from __future__ import annotations

from itertools import count

from attrs import field, frozen

from duetpy.by_value import Shown
from duetpy.grammar.ast import Kind

_uids = count(1)


@frozen(eq=False, repr=False)
class KindVar(Shown):
    """A type-level variable.

    Parameters
    ----------
    name
        How it is printed. Two variables may share a name.
    kind
        What it ranges over.
    uid
        Its identity: variables are equal when these are.
    is_given
        Whether it is a number of the program itself, which a run is given as a fraction; what a call puts in may be a root.
    """

    name: str
    kind: Kind
    uid: int
    is_given: bool = field(default=False, kw_only=True, eq=False, repr=False)

    @staticmethod
    def fresh(name: str, kind: Kind, *, is_given: bool = False) -> KindVar:
        """A variable that differs from every other one."""
        return KindVar(name, kind, next(_uids), is_given=is_given)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, KindVar) and self.uid == other.uid)

    def __hash__(self) -> int:
        return self.uid


__all__ = ["Kind", "KindVar"]
