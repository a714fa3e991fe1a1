"""How many examples a test takes: some in every run, all of them where nothing is left out.

`make test` is what a change is tried with again and again, so a search that goes on after it has covered its kinds of
examples stops early there. With `make test-whole`, and so in CI, and wherever the marker `thorough` is selected
(``pytest -m "not slow"``), it takes all of them. A number that a test asserts on must hold for both.
"""

IS_THOROUGH = True
"""Set by ``tests/conftest.py`` before any test is imported; what imports the tests' helpers without pytest takes all examples."""


def often(examples: int, in_brief: int) -> int:
    """The number of examples: all, or the smaller number in a run that is to be brief."""
    assert in_brief < examples
    return examples if IS_THOROUGH else in_brief
