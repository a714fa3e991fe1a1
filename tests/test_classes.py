"""The classes of this package behave as attrs would make them, and write no method before it is called."""

import copy
import inspect
import pickle
from collections.abc import Callable, Iterator
from functools import cached_property
from types import ModuleType
from typing import Any, ClassVar

import attrs
import pytest

from duetpy import classes
from duetpy.source import Source, Span
from duetpy.typecheck import types as t
from duetpy.typecheck.quantity import KindVar, Quantity
from duetpy.typecheck.quantity.kinds import Kind


def made(maker: ModuleType) -> dict[str, type]:
    """One class of each kind, made by the package or by attrs."""
    frozen, define, field = maker.frozen, maker.define, maker.field

    @frozen
    class Pair:
        left: object
        right: object = 2

    @frozen
    class Triple(Pair):
        last: object = 3

    @frozen
    class Swapped(Pair):
        left: object = 1

    @frozen
    class Empty:
        pass

    @frozen
    class Placed:
        text: str
        place: int = field(eq=False)
        source: str = field(repr=False, default="here")

    @define
    class Changing:
        first: int
        rest: list[int] = field(factory=list)

    @define
    class ByName:
        rule: int = field(kw_only=True)
        after: int = 4
        other: int = field(kw_only=True, default=5)

    @define
    class Derived:
        _start: int
        _twice: int = field(init=False)
        doubled: int = field(init=False, default=7)
        unset: int = field(init=False, eq=False)
        shown: ClassVar[int] = 3

        @_twice.default
        def _of_start(self) -> int:
            return 2 * self._start

    @frozen
    class Same:
        held: object

        def __eq__(self, other: object) -> bool:
            return True

        def __hash__(self) -> int:
            return 1

        def __repr__(self) -> str:
            return "same"

    @frozen(eq=False, repr=False)
    class Alone:
        held: object

    @frozen(slots=False)
    class Keeping(Pair):
        @cached_property
        def total(self) -> object:
            return (self.left, self.right)

    @frozen
    class Converted:
        number: float = field(converter=float)

    @define
    class Finished:
        seen: list[str] = field(factory=list)

        def __attrs_post_init__(self) -> None:
            self.seen = [*self.seen, "end"]

    @frozen
    class Calling(Pair):
        def told(self) -> str:
            return super().__repr__()

    @define
    class Subject(Pair):
        more: int = 0

    return {name: each for name, each in locals().items() if isinstance(each, type)}


NAMES = sorted(made(attrs))

CALLS: list[tuple[tuple[object, ...], dict[str, object]]] = [
    ((), {}),
    ((1,), {}),
    (([1], 2), {}),
    ((1, 2), {}),
    ((1, 2, 3), {}),
    ((1, 2, 3, 4), {}),
    ((), {"left": 1}),
    ((1,), {"rule": 2}),
    ((), {"rule": 2, "other": 3}),
    ((), {"start": 2}),
    ((), {"held": 1.5}),
    (("a",), {"place": 3}),
    (("a",), {"left": 3}),
    ((float("nan"), float("nan")), {}),
]


def outcome(work: Callable[[], object]) -> object:
    """What comes of some work: a value, or the name of its error."""
    try:
        return work()
    except (TypeError, ValueError, AttributeError) as error:
        return type(error).__name__


def values(cls: type) -> Iterator[Any]:
    """A value for each call that the class takes."""
    for arguments, named in CALLS:
        try:
            yield cls(*arguments, **named)
        except (TypeError, ValueError):
            continue


@pytest.mark.parametrize("name", NAMES)
def test_a_class_behaves_as_one_of_attrs(name: str) -> None:
    ours, theirs = made(classes)[name], made(attrs)[name]
    assert ours.__match_args__ == theirs.__match_args__
    assert ours.__dict__.get("__slots__") == theirs.__dict__.get("__slots__")
    assert [accepts(ours, *call) for call in CALLS] == [accepts(theirs, *call) for call in CALLS]
    here, there = list(values(ours)), list(values(theirs))
    assert here
    assert len(set(map(type, here))) == 1
    assert [written(each) for each in here] == [written(each) for each in there]
    assert equalities(here) == equalities(there)
    assert [is_hashable(each) for each in here] == [is_hashable(each) for each in there]
    assert [described(each) for each in attrs.fields(ours)] == [described(each) for each in attrs.fields(theirs)]
    assert [changed(each) for each in here] == [changed(each) for each in there]
    assert signature(ours) == signature(theirs)


def written(value: object) -> str:
    """How it is shown; a value that nothing says how to show, by its class."""
    return repr(value).partition(" at 0x")[0]


def is_hashable(value: object) -> bool:
    return outcome(lambda: hash(value)) != "TypeError"


def accepts(cls: type, arguments: tuple[object, ...], named: dict[str, object]) -> bool:
    try:
        cls(*arguments, **named)
    except (TypeError, ValueError):
        return False
    return True


def equalities(found: list[Any]) -> list[object]:
    """How all values compare, and whether equal ones have one hash."""
    return [compared(one, other) for one in found for other in [*found, copied(one), 1]]


def compared(one: object, other: object) -> tuple[object, ...]:
    return one == other, one != other, one == other and outcome(lambda: hash(one) == hash(other))


def copied(value: object) -> object:
    """A copy, or the name of the error where a value has no copy."""
    return outcome(lambda: copy.copy(value))


def described(each: Any) -> tuple[object, ...]:
    return each.name, each.init, each.eq, each.repr, each.kw_only, each.alias, dict(each.metadata)


def changed(value: Any) -> tuple[object, ...]:
    """What becomes of a value that is changed, taken apart and put together."""
    state = {each.name: getattr(value, each.name, None) for each in attrs.fields(type(value))}
    return (
        state,
        outcome(lambda: [setattr(value, name, held) for name, held in state.items()]),
        outcome(lambda: setattr(value, "unknown", 1)) if type(value).__name__ != "Keeping" else None,
        outcome(lambda: [delattr(value, name) for name in reversed(state)]),
    )


def signature(cls: type) -> str:
    """The parameters of the constructor, which is written by now."""
    parameters = inspect.signature(cls.__init__).parameters.values()
    return str([(each.name, each.kind, each.default is inspect.Parameter.empty) for each in parameters])


def test_a_method_is_written_when_it_is_first_called() -> None:
    cls = made(classes)["Pair"]
    init, eq, hashing = cls.__init__, cls.__eq__, cls.__hash__
    one = cls(1)
    assert cls.__init__ is not init
    assert (cls.__eq__, cls.__hash__) == (eq, hashing)
    assert one == cls(1)
    assert cls.__eq__ is not eq
    assert cls.__hash__ is hashing
    assert hash(one) == hash(cls(1))
    assert cls.__hash__ is not hashing


def test_what_is_written_for_a_base_is_not_taken_for_a_class_above_it() -> None:
    both = made(classes)
    both["Pair"](1), both["Pair"](1) == both["Pair"](2)
    assert both["Triple"](1, 2, 4) == both["Triple"](1, 2, 4)
    assert both["Triple"](1, 2, 4) != both["Triple"](1, 2, 5)
    assert both["Triple"](1, 2) != both["Pair"](1, 2)


def test_a_value_goes_to_another_process_and_back() -> None:
    size = Quantity.of(3) * Quantity.var(KindVar("n", Kind.NAT, 1))
    type_ = t.Matrix(t.Norm.L2, None, size, t.Uniform(size, t.Real()))
    found = pickle.loads(pickle.dumps((type_, type_.width)))
    assert found[0].element == t.Real()
    assert found[0].norm is t.Norm.L2
    assert pickle.loads(pickle.dumps(Span(Source("a", "text"), 1, 2))) != Span(Source("a", "text"), 1, 2)
    assert pickle.loads(pickle.dumps(Span(Source("a", "text"), 1, 3))).text == "ex"


def test_a_class_with_slots_keeps_no_property() -> None:
    class Keeping:
        @cached_property
        def held(self) -> int:
            return 1

    with pytest.raises(TypeError, match="slots"):
        classes.frozen(Keeping)


def test_a_value_that_holds_itself_is_shown() -> None:
    ours, theirs = (made(maker)["Changing"](1) for maker in (classes, attrs))
    for each in (ours, theirs):
        each.rest.append(each)
    assert repr(ours) == repr(theirs)
