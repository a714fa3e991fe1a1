"""The classes of values: what the package uses of attrs, with methods that are written when they are first called.

A type checker sees attrs, and a class behaves as attrs would make it (`tests/test_classes.py` compares the two). But attrs writes
the text of every method when a class is made, and has it compiled. Every command loads two hundred classes of which a small
program uses half, and of most it uses no more than the constructor; compiling all methods took longer than checking the program.

What is here: ``frozen`` and ``define`` with ``eq``, ``repr`` and ``slots``; ``field`` with ``default``, ``factory``, ``init``,
``eq``, ``repr``, ``kw_only``, ``converter``, ``metadata`` and a method as default; ``evolve`` and ``fields``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, partial
from reprlib import recursive_repr
from types import FunctionType, MemberDescriptorType
from typing import TYPE_CHECKING, Any, TypeVar

__all__ = ["FrozenInstanceError", "define", "evolve", "field", "fields", "frozen"]

Value = TypeVar("Value")
Method = TypeVar("Method", bound=Callable[..., Any])


class FrozenInstanceError(AttributeError):
    """An attribute of a frozen value was to be changed."""


class _Nothing:
    """Stands for a default that there is not."""

    def __repr__(self) -> str:
        return "NOTHING"


_NOTHING: Any = _Nothing()


class Field:
    """One attribute of the values of a class.

    Parameters
    ----------
    default
        What it is where the constructor is given nothing.
    factory
        Makes that anew for each value.
    init
        Whether the constructor takes it.
    eq, repr
        Whether it counts when two values are compared, and is shown.
    kw_only
        Whether the constructor takes it by name only.
    converter
        What becomes of the argument.
    metadata
        What else the class says of it.
    """

    def __init__(
        self,
        *,
        default: Any = _NOTHING,
        factory: Callable[..., Any] | None = None,
        init: bool = True,
        eq: bool = True,
        repr: bool = True,
        kw_only: bool = False,
        converter: Callable[[Any], Any] | None = None,
        metadata: Mapping[Any, Any] | None = None,
    ) -> None:
        self.name = ""
        self.constant = default
        self.factory = factory
        self.takes_self = False
        self.init = init
        self.eq = eq
        self.repr = repr
        self.kw_only = kw_only
        self.converter = converter
        self.metadata: Mapping[Any, Any] = metadata or {}

    def default(self, method: Method) -> Method:
        """Take a method of the class as the default: a decorator."""
        self.factory = method
        self.takes_self = True
        return method

    @property
    def alias(self) -> str:
        """What the constructor calls it."""
        return self.name.lstrip("_")

    @property
    def is_optional(self) -> bool:
        return self.factory is not None or self.constant is not _NOTHING


def _refuse_change(self: object, name: str, *value: object) -> None:
    raise FrozenInstanceError(f"{type(self).__name__}.{name} cannot be changed")


def _is_frozen(cls: Any) -> bool:
    return cls.__setattr__ is _refuse_change


@recursive_repr()
def _shown(self: Any) -> str:
    cls = type(self)
    shown = [f"{each.name}={getattr(self, each.name, _NOTHING)!r}" for each in _fields(cls) if each.repr]
    return f"{cls.__qualname__.rpartition('>.')[2]}({', '.join(shown)})"


def _state(self: Any) -> dict[str, Any]:
    return {each.name: getattr(self, each.name) for each in _fields(type(self))}


def _set_state(self: object, state: Mapping[str, Any]) -> None:
    for name, value in state.items():
        object.__setattr__(self, name, value)


def _fields(cls: Any) -> tuple[Field, ...]:
    """The fields of a class, those of its bases first."""
    found: tuple[Field, ...] = cls.__attrs_attrs__
    return found


def _evolve(value: Value, /, **changes: Any) -> Value:
    """A value as another one, but for some attributes."""
    cls = type(value)
    for each in _fields(cls):
        if each.init and (name := each.alias) not in changes:
            changes[name] = getattr(value, each.name)
    return cls(**changes)


# ---------------------------------------------------------------------------------------------------------------------
# Texts of methods


def _compiled(cls: type, name: str, head: str, lines: list[str], scope: dict[str, Any]) -> Callable[..., Any]:
    text = f"def {name}({head}):\n" + "\n".join(f"    {line}" for line in lines or ["pass"])
    exec(compile(text, f"<{cls.__module__}.{cls.__qualname__}>", "exec"), scope)
    method: Callable[..., Any] = scope[name]
    method.__module__, method.__qualname__ = cls.__module__, f"{cls.__qualname__}.{name}"
    return method


def _written_init(cls: type) -> Callable[..., Any]:
    """The constructor: it sets the fields in their order. A frozen value is set through the descriptors of its slots."""
    is_frozen = _is_frozen(cls)
    scope: dict[str, Any] = {"_NOTHING": _NOTHING, "_set": object.__setattr__}
    positional: list[str] = ["self"]
    named: list[str] = []
    lines: list[str] = []
    for each in _fields(cls):
        name, value = each.name, each.alias
        if not each.init and not each.is_optional:
            continue
        if each.is_optional:
            scope[f"_default_{name}"] = each.constant if each.factory is None else each.factory
        fallback = f"_default_{name}" + ("" if each.factory is None else "(self)" if each.takes_self else "()")
        if each.init:
            parameter = (
                f"{value}=" + ("_NOTHING" if each.factory else f"_default_{name}") if each.is_optional else value
            )
            (named if each.kw_only else positional).append(parameter)
            if each.factory is not None:
                value = f"{fallback} if {value} is _NOTHING else {value}"
        else:
            value = fallback
        if each.converter is not None:
            scope[f"_convert_{name}"] = each.converter
            value = f"_convert_{name}({value})"
        slot = getattr(cls, name, None)
        if not is_frozen:
            lines.append(f"self.{name} = {value}")
        elif isinstance(slot, MemberDescriptorType):
            scope[f"_set_{name}"] = slot.__set__
            lines.append(f"_set_{name}(self, {value})")
        else:
            lines.append(f"_set(self, {name!r}, {value})")
    if hasattr(cls, "__attrs_post_init__"):
        lines.append("self.__attrs_post_init__()")
    return _compiled(cls, "__init__", ", ".join(positional + (["*", *named] if named else [])), lines, scope)


def _written_eq(cls: type) -> Callable[..., Any]:
    """Values of one class are equal where their fields are, compared one by one: what is unequal to itself stays so."""
    compared = [f"self.{each.name} == other.{each.name}" for each in _fields(cls) if each.eq] or ["True"]
    lines = [
        "if other.__class__ is not self.__class__:",
        "    return NotImplemented",
        f"return {' and '.join(compared)}",
    ]
    return _compiled(cls, "__eq__", "self, other", lines, {})


def _written_hash(cls: type) -> Callable[..., Any]:
    hashed = ["_class", *(f"self.{each.name}" for each in _fields(cls) if each.eq)]
    return _compiled(cls, "__hash__", "self", [f"return hash(({', '.join(hashed)},))"], {"_class": str(cls)})


# ---------------------------------------------------------------------------------------------------------------------
# Classes


def _own_fields(cls: type) -> Iterator[Field]:
    """The fields that a class itself names, by its annotations."""
    for name, annotation in cls.__annotations__.items():
        if not str(annotation).startswith(("ClassVar", "typing.ClassVar")):
            given = cls.__dict__.get(name, _NOTHING)
            found = given if isinstance(given, Field) else Field(default=given)
            found.name = name
            yield found


_OF_A_CLASS = ("__dict__", "__weakref__")
"""What Python gives each class of its own."""


def _made(cls: type, *, is_frozen: bool, eq: bool | None, repr: bool | None, slots: bool) -> type:
    """The class with the methods of its fields; a new one, for a class cannot get slots later."""
    own = {each.name: each for each in _own_fields(cls)}
    inherited = {each.name: each for base in cls.__mro__[:0:-1] for each in base.__dict__.get("__attrs_attrs__", ())}
    every = (*(each for name, each in inherited.items() if name not in own), *own.values())
    body = {name: held for name, held in cls.__dict__.items() if name not in own and name not in _OF_A_CLASS}

    def late(name: str, write: Callable[[type], Callable[..., Any]]) -> Callable[..., Any]:
        """A method in the place of which the written one stands from its first call on."""

        def first(self: object, /, *arguments: Any, **named: Any) -> Any:
            method = write(made)
            setattr(made, name, method)
            return method(self, *arguments, **named)

        return first

    body["__attrs_attrs__"] = every
    body.setdefault("__match_args__", tuple(each.name for each in every if each.init and not each.kw_only))
    body.setdefault("__init__", late("__init__", _written_init))
    if repr or (repr is None and "__repr__" not in body):
        body["__repr__"] = _shown
    if eq or (eq is None and body.keys().isdisjoint(("__eq__", "__ne__"))):
        body["__eq__"] = late("__eq__", _written_eq)
        body.setdefault("__hash__", late("__hash__", _written_hash) if is_frozen or _is_frozen(cls) else None)
    if is_frozen:
        body["__setattr__"] = body["__delattr__"] = _refuse_change
    if slots:
        if any(isinstance(each, cached_property) for each in body.values()):
            raise TypeError(f"{cls.__qualname__} keeps properties, so it cannot have slots")
        body.setdefault("__getstate__", _state)
        body.setdefault("__setstate__", _set_state)
        has_weak_references = any("__weakref__" in base.__dict__ for base in cls.__mro__[1:])
        names = [name for name in own if name not in inherited]
        body["__slots__"] = (*names, *(() if has_weak_references else ("__weakref__",)))
    made = _rebuilt(cls, body)
    return made


def _rebuilt(cls: type, body: dict[str, Any]) -> type:
    """A class with another body, which its methods take for their own."""
    made = type(cls)(cls.__name__, cls.__bases__, body)
    made.__qualname__ = cls.__qualname__
    for held in body.values():
        method = getattr(held, "__func__", None) or getattr(held, "fget", None) or held
        if isinstance(method, FunctionType) and "__class__" in method.__code__.co_freevars:
            assert method.__closure__ is not None
            method.__closure__[method.__code__.co_freevars.index("__class__")].cell_contents = made
    return made


def _decorator(is_frozen: bool) -> Callable[..., Any]:
    def decorate(
        cls: type | None = None, *, eq: bool | None = None, repr: bool | None = None, slots: bool = True
    ) -> Any:
        make = partial(_made, is_frozen=is_frozen, eq=eq, repr=repr, slots=slots)
        return make if cls is None else make(cls)

    return decorate


if TYPE_CHECKING:
    from attrs import define, evolve, field, fields, frozen
else:
    define, frozen = _decorator(is_frozen=False), _decorator(is_frozen=True)
    evolve, field, fields = _evolve, Field, _fields
