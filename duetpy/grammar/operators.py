"""Operator precedence without recursion: operands and pending operators on two explicit stacks.

A prefix operator waits for one operand, an infix one for two; all infix operators associate to the left. An operator is
applied as soon as one that binds no tighter follows it. Spans take in the parentheses around an operand.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar

from duetpy.source import Source, Span

T = TypeVar("T")


class Operand(NamedTuple, Generic[T]):
    """A node and the code points that it takes up, parentheses included."""

    node: T
    start: int
    end: int


class _Prefix(NamedTuple, Generic[T]):
    level: int
    start: int
    make: Callable[[Span, T], T]


class _Infix(NamedTuple, Generic[T]):
    level: int
    make: Callable[[Span, T, T], T]


class Operators(Generic[T]):
    """One expression being read: push operators and operands in the order written, then `finish`."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.operands: list[Operand[T]] = []
        self.pending: list[_Prefix[T] | _Infix[T]] = []

    def prefix(self, level: int, start: int, make: Callable[[Span, T], T]) -> None:
        self.pending.append(_Prefix(level, start, make))

    def infix(self, level: int, make: Callable[[Span, T, T], T]) -> None:
        self.reduce(level)
        self.pending.append(_Infix(level, make))

    def operand(self, node: T, start: int, end: int) -> None:
        self.operands.append(Operand(node, start, end))

    def reduce(self, level: int) -> None:
        """Apply every pending operator that binds at least as tightly as `level`."""
        operands, pending = self.operands, self.pending
        while pending and pending[-1].level >= level:
            operator = pending.pop()
            right = operands.pop()
            if isinstance(operator, _Prefix):
                start = operator.start
                node = operator.make(Span(self.source, start, right.end), right.node)
            else:
                left = operands.pop()
                start = left.start
                node = operator.make(Span(self.source, start, right.end), left.node, right.node)
            operands.append(Operand(node, start, right.end))

    def finish(self) -> Operand[T]:
        self.reduce(0)
        (result,) = self.operands
        return result
