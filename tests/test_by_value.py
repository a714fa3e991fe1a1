"""The methods that classes of attrs share are those that attrs would write for each of them."""

from __future__ import annotations

import importlib
import pickle
from collections.abc import Iterator
from fractions import Fraction

import pytest
from attrs import field, frozen, has

from duetpy.by_value import ByValue
from tests.test_architecture import MODULES, room


@frozen
class Written:
    """What attrs writes."""

    name: str
    value: object = None
    place: int = field(default=0, eq=False)
    known: int | None = field(default=None, eq=False, repr=False)


@frozen(eq=False, repr=False)
class Shared(ByValue):
    """The same, with the shared methods."""

    name: str
    value: object = None
    place: int = field(default=0, eq=False)
    known: int | None = field(default=None, eq=False, repr=False)


@frozen(eq=False, repr=False)
class Below(Shared):
    """A class below that adds nothing."""


@frozen(eq=False, repr=False)
class One(ByValue):
    value: object


@frozen(eq=False, repr=False)
class Empty(ByValue):
    pass


HELD = [
    ("a",),
    ("b",),
    ("a", Fraction(1, 2)),
    ("a", 0.5),
    ("a", (1, "x")),
    ("a", (1, "x"), 3),
    ("a", None, 4, 5),
    ("a", ("a",)),
]


def test_they_compare_as_attrs_does() -> None:
    for one in HELD:
        for other in HELD:
            assert (Shared(*one) == Shared(*other)) is (Written(*one) == Written(*other)), (one, other)
            if Written(*one) == Written(*other):
                assert hash(Shared(*one)) == hash(Shared(*other))


def test_they_show_as_attrs_does() -> None:
    for held in HELD:
        assert repr(Shared(*held)) == repr(Written(*held)).replace("Written", "Shared")


def test_another_class_is_another_object() -> None:
    assert Shared("a") != Below("a")
    assert Below("a") == Below("a")
    assert One(()) != Empty()
    assert Empty() == Empty()
    assert Shared("a").__eq__(Written("a")) is NotImplemented


def test_one_thing_is_not_the_tuple_of_it() -> None:
    assert One("a") != One(("a",))
    assert One((1, 2)) == One((1, 2))


def test_what_holds_a_list_has_no_hash() -> None:
    with pytest.raises(TypeError):
        hash(One([1]))


def test_a_copy_by_pickle_is_equal() -> None:
    assert pickle.loads(pickle.dumps(Shared("a", (1, 2), 3, 4))) == Shared("a", (1, 2), 3, 4)


def classes() -> Iterator[type]:
    """The classes of attrs in the rooms that every command loads."""
    for name in MODULES:
        if room(name) in ("source", "trees", "diagnostics", "grammar", "typecheck"):
            yield from (
                each
                for each in vars(importlib.import_module(name)).values()
                if isinstance(each, type) and has(each) and each.__module__ == name
            )


HASH_IS_KEPT = {f"duetpy.typecheck.quantity.form.{name}.__eq__" for name in ("Compound", "Applied", "Extremum")}
"""Where attrs keeps the hash of an object, it writes the equality too."""


def test_the_checker_compiles_no_comparison_and_no_text_of_its_own() -> None:
    """Each takes as long as the class itself, at every start."""
    found = list(classes())
    assert len(found) > 200
    compiled = [
        f"{cls.__module__}.{cls.__qualname__}.{name}"
        for cls in found
        for name in ("__eq__", "__repr__")
        if (code := getattr(vars(cls).get(name), "__code__", None)) is not None
        and code.co_filename.startswith("<attrs generated")
    ]
    assert set(compiled) <= HASH_IS_KEPT
