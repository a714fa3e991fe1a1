"""Recursion without the Python stack.

A recursive function over programs is written as a generator that yields the generators of its sub-problems; `run` keeps
them on a list. Ten thousand nested lets then need ten thousand list entries and not ten thousand stack frames.

    def depth(node: Tree) -> Task[int]:
        left = yield from call(depth(node.left))
        ...
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, TypeAlias, TypeVar

T = TypeVar("T")

Task: TypeAlias = Generator[Any, Any, T]


def call(task: Task[T]) -> Task[T]:
    """Wait for a sub-problem; write ``yield from call(f(x))``."""
    result: T = yield task
    return result


def run(task: Task[T]) -> T:
    """Run a problem and everything that it calls; exceptions travel to the caller as usual."""
    stack: list[Task[Any]] = [task]
    sent: Any = None
    error: BaseException | None = None
    while True:
        try:
            if error is not None:
                raised, error = error, None
                child = stack[-1].throw(raised)
            else:
                child = stack[-1].send(sent)
        except StopIteration as stop:
            stack.pop()
            sent = stop.value
            if not stack:
                result: T = sent
                return result
        except Exception as raised_by_child:
            stack.pop()
            if not stack:
                raise
            error = raised_by_child
            sent = None
        else:
            stack.append(child)
            sent = None
