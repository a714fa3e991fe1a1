"""attrs' `frozen`, with the methods of a class made when the class is first used.

attrs writes and compiles the methods of a class when the class is defined. The package has hundreds of classes, most of them forms
of which a program has none, and defining them took longer than checking it. Here a class has its slots from the start, gets its
constructor with its first object, and becomes in full what attrs makes of it when somebody asks for its fields (`attrs.fields`,
`attrs.evolve`) or when one of them is more than a name and a default. Objects hold the same and do the same either way:
`tests/test_classes.py` compares them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from types import FunctionType
from typing import TYPE_CHECKING, Any, NoReturn

import attrs

if TYPE_CHECKING:
    from attrs import frozen as frozen
else:

    def frozen(cls=None, **options):
        if cls is None:
            return lambda named: frozen(named, **options)
        body = {name: value for name, value in vars(cls).items() if name not in ("__dict__", "__weakref__")}
        is_plain = options == {"eq": False, "repr": False} and not body.keys() & _SHARED.keys()
        if is_plain and not any(_is_tied(value) for value in body.values()):
            return _Late.of(cls, body).cls
        return attrs.frozen(cls, **options)


def _is_tied(value: object) -> bool:
    """Whether a member of a class belongs to that very class, so that no other class can have it."""
    return isinstance(value, cached_property) or (isinstance(value, FunctionType) and value.__closure__ is not None)


def simple_fields(cls: type) -> tuple[tuple[str, str], ...] | None:
    """The names of the fields of a class, in order, and their types as they are written; None where there is more to say of one
    of them."""
    late = _said_of(cls)
    return late.simple if isinstance(late, _Late) else None


def _said_of(cls: type) -> Any:
    """What a class, or the first of those above that says anything, says of its fields."""
    return next((vars(each)["__attrs_attrs__"] for each in cls.__mro__ if "__attrs_attrs__" in vars(each)), ())


class _Late:
    """What a class holds before attrs has made it: who looks at its fields has it made."""

    def __init__(self, cls: type, body: dict[str, Any], own: list[str]) -> None:
        self.cls, self.body = cls, body
        self.defaults = {name: body[name] for name in own if name in body}
        self.simple = self._simple(own)

    @classmethod
    def of(cls, named: type, body: dict[str, Any]) -> _Late:
        """A class with the slots and the methods that its text says."""
        own = [name for name, type_ in body.get("__annotations__", {}).items() if not type_.startswith("ClassVar")]
        has_weak_references = any("__weakref__" in vars(base) for base in named.__mro__[1:])
        outline = {name: value for name, value in body.items() if name not in own} | _SHARED
        outline["__slots__"] = tuple(own if has_weak_references else [*own, "__weakref__"])
        late = outline["__attrs_attrs__"] = cls(named, body, own)
        late.cls = type(named)(named.__name__, named.__bases__, outline)
        if late.simple is not None:
            late.cls.__match_args__ = tuple([name for name, _ in late.simple])  # type: ignore[attr-defined, misc]
        return late

    def _simple(self, own: list[str]) -> tuple[tuple[str, str], ...] | None:
        types: dict[str, str] = {}
        for base in reversed(self.cls.__mro__[1:]):
            if (above := vars(base).get("__attrs_attrs__")) is None:
                continue
            if not isinstance(above, _Late) or above.simple is None:
                if above != ():
                    return None
                continue
            types.update(above.simple)
            self.defaults = {**above.defaults, **self.defaults}
        if any(name in types or name.startswith("_") for name in own) or hasattr(self.cls, "__attrs_post_init__"):
            return None
        if any(type(default).__module__.partition(".")[0] in ("attr", "attrs") for default in self.defaults.values()):
            return None
        return (*types.items(), *((name, self.body["__annotations__"][name]) for name in own))

    def __get__(self, _: object, owner: type) -> Any:
        self.complete()
        return owner.__attrs_attrs__  # type: ignore[attr-defined]

    def complete(self) -> None:
        """Take over what attrs makes of the class; its fields last, as from then on it counts as made."""
        cls, body = self.cls, self.body
        made = vars(attrs.frozen(type(cls)(cls.__name__, cls.__bases__, body), eq=False, repr=False))
        kept = {"__slots__", "__dict__", "__weakref__", *vars(cls)["__slots__"]}
        for name in sorted(made.keys() - kept, key="__attrs_attrs__".__eq__):
            if body.get(name) is not made[name]:
                setattr(cls, name, made[name])

    def write_constructor(self) -> None:
        assert self.simple is not None
        names = [name for name, _ in self.simple]
        given = ", ".join(f"{name}=_of[{name!r}]" if name in self.defaults else name for name in names)
        lines = [f"def __init__(self, {given}):", " put = _put(self)", *(f" put({name!r}, {name})" for name in names)]
        scope: dict[str, Any] = {"_put": object.__setattr__.__get__, "_of": self.defaults}
        exec("\n".join(lines), scope)
        scope["__init__"].__qualname__ = f"{self.cls.__qualname__}.__init__"
        self.cls.__init__ = scope["__init__"]  # type: ignore[misc]


def _construct(self: Any, *values: Any, **named: Any) -> None:
    """The constructor of a class without objects."""
    cls = type(self)
    late = _said_of(cls)
    if isinstance(late, _Late):
        if late.simple is None:
            late.complete()
        else:
            late.write_constructor()
    cls.__init__(self, *values, **named)


def _refuse(self: object, name: str, value: object = None) -> NoReturn:
    raise attrs.exceptions.FrozenInstanceError


def _state(self: Any) -> dict[str, Any]:
    return {each.name: getattr(self, each.name) for each in attrs.fields(type(self))}


def _restore(self: Any, state: dict[str, Any]) -> None:
    for name, value in state.items():
        object.__setattr__(self, name, value)


_SHARED: dict[str, Callable[..., Any]] = {
    "__init__": _construct,
    "__setattr__": _refuse,
    "__delattr__": _refuse,
    "__getstate__": _state,
    "__setstate__": _restore,
}
