"""A class that is made late is what attrs makes of it at once."""

from __future__ import annotations

import pickle
import subprocess
import sys
import weakref
from fractions import Fraction
from pathlib import Path

import attrs
import pytest
from attrs import evolve, field, fields

from duetpy.classes import frozen, simple_fields


@frozen(eq=False, repr=False)
class Above:
    span: int


@frozen(eq=False, repr=False)
class Late(Above):
    name: str
    value: object = None
    place: Fraction = Fraction(1)

    @property
    def shown(self) -> str:
        return f"{self.name} at {self.place}"


@frozen(eq=False, repr=False)
class Said(Late):
    """Of one field there is more to say."""

    items: dict[str, int] = field(factory=dict)
    known: int = field(default=3, init=False)


class Plain(Late):
    """Adds no field."""


@frozen(eq=False, repr=False)
class Unused(Above):
    name: str = "n"


EVERYWHERE = """
import importlib, inspect
from duetpy.classes import _Late
from tests.test_architecture import MODULES
compared = 0
for module in (each for each in MODULES if not each.endswith("__main__")):
    for cls in vars(importlib.import_module(module)).values():
        late = vars(cls).get("__attrs_attrs__") if isinstance(cls, type) else None
        if isinstance(late, _Late) and late.simple is not None and cls.__module__ == module:
            late.write_constructor()
            ours = inspect.signature(cls.__init__, eval_str=False)
            late.complete()
            theirs = inspect.signature(cls.__init__)
            said = [[(p.name, p.kind, p.default) for p in each.parameters.values()] for each in (ours, theirs)]
            assert said[0] == said[1], (cls, said)
            assert [name for name, _ in late.simple] == [each.name for each in cls.__attrs_attrs__], cls
            assert [type_ for _, type_ in late.simple] == [each.type for each in cls.__attrs_attrs__], cls
            assert cls.__match_args__ == tuple(name for name, _ in late.simple), cls
            compared += 1
print(compared)
"""


def test_the_constructors_of_all_classes_are_those_of_attrs() -> None:
    command = [sys.executable, "-c", EVERYWHERE]
    done = subprocess.run(command, cwd=Path(__file__).parents[1], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 100


def test_an_object_holds_what_it_is_given() -> None:
    made = Late(1, "a", place=Fraction(2))
    assert (made.span, made.name, made.value, made.place, made.shown) == (1, "a", None, Fraction(2), "a at 2")
    for call in (
        lambda: Late(1),
        lambda: Late(1, "a", 2, 3, 4),
        lambda: Late(1, "a", other=2),
        lambda: Late(1, "a", name="b"),
    ):
        with pytest.raises(TypeError):
            call()
    assert weakref.ref(made)() is made
    assert not hasattr(made, "__dict__")


def test_no_object_changes() -> None:
    made = Late(1, "a")
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        made.name = "b"  # type: ignore[misc]
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        del made.name
    assert evolve(made, name="b").name == "b"


def test_more_is_said_of_a_field() -> None:
    one, other = Said(1, "a"), Said(1, "a")
    assert one.items == {}
    assert one.items is not other.items
    assert one.known == 3
    assert simple_fields(Said) is None
    assert [each.name for each in fields(Said)] == ["span", "name", "value", "place", "items", "known"]


def test_a_class_below_has_a_constructor_of_its_own() -> None:
    assert Above(1).span == 1
    assert Plain(2, "a").name == "a"
    assert Plain.__init__ is Late.__init__
    assert Unused.__init__ is not Above.__init__


def test_a_pattern_sees_the_fields() -> None:
    match Late(1, "a"):
        case Above(span, name="a") if not isinstance(span, str):
            assert span == 1
        case _:
            pytest.fail("a late class is matched as attrs would")


@pytest.mark.parametrize(
    "made", [Late(1, "a"), Said(1, "a", items={"b": 1}), Plain(1, "a")], ids=("late", "said", "plain")
)
def test_an_object_is_sent(made: Late) -> None:
    again = pickle.loads(pickle.dumps(made))
    assert type(again) is type(made)
    assert all(getattr(again, each.name) == getattr(made, each.name) for each in fields(type(made)))


def test_an_object_arrives_where_none_was_made() -> None:
    text = f"c{__name__}\nUnused\n".encode()
    made = pickle.loads(
        b"\x80\x04" + text + b")\x81}(X\x04\x00\x00\x00spanK\x01X\x04\x00\x00\x00nameX\x01\x00\x00\x00xub."
    )
    assert (made.span, made.name) == (1, "x")
    assert Unused(2).name == "n"


def test_attrs_makes_what_belongs_to_its_class_itself() -> None:
    @frozen(eq=False, repr=False)
    class Tied(Above):
        def own(self) -> type:
            return __class__  # type: ignore[name-defined, no-any-return]

    assert Tied(1).own() is Tied
