"""Fifty digits for what the accountant is held against."""

from collections.abc import Iterator

import mpmath
import pytest


@pytest.fixture(autouse=True, scope="package")
def fifty_digits() -> Iterator[None]:
    with mpmath.workdps(50):
        yield
