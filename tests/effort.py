"""How many examples a test takes: some in every run, all of them where nothing is left out.

A developer runs `make test` after every change, so searches take fewer examples there. `make test-whole`, CI, and every run
that does not deselect the marker `thorough` (``pytest -m "not slow"``) take all of them. What a test asserts must hold for both.
"""

IS_THOROUGH = True
"""``tests/conftest.py`` sets this before any test is imported. Without pytest all examples are taken."""


def often(examples: int, in_brief: int) -> int:
    """The number of examples: all, or the smaller number in a run in brief."""
    if in_brief >= examples:
        raise ValueError(f"{in_brief} examples in brief are not fewer than {examples}")
    return examples if IS_THOROUGH else in_brief
