"""Properties that are computed when they are first asked for, and kept.

Before Python 3.12, `functools.cached_property` computes under a lock that all objects of a class share: one program is not checked
while another thread checks another one, and a process that is copied meanwhile (fork) waits for ever for a thread that it does not
have. What is kept here is the same whoever computes it, so it needs no lock.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, TypeVar

T = TypeVar("T")


class cached_property(functools.cached_property[T]):
    """As of Python 3.12, in every version."""

    def __init__(self, func: Callable[[Any], T]) -> None:
        super().__init__(func)
        self.lock = nullcontext()
