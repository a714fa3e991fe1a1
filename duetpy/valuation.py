"""From settings by name to numbers for the kind variables of a program.

A program is a function; its settings are its size and privacy parameters (``m : ℕ``, ``ε : ℝ⁺``) and its public
arguments. An argument of a static type such as ``ε : ℝ⁺[ε]`` is one number, so setting it sets the variable.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from math import isfinite
from numbers import Rational, Real

from attrs import field, frozen

from duetpy.by_value import ByValue
from duetpy.diagnostics.display import visible
from duetpy.settings import NoValue, SettingError, exact, resolve, resolve_all
from duetpy.typecheck.capacity import TAME_NUMBER
from duetpy.typecheck.cost import NonPrivate, Zero
from duetpy.typecheck.quantity import Kind, KindVar, OutsideDomain, Quantity, Signed
from duetpy.typecheck.types import Box, Disc, Fun, Matrix, PFun, SetOf, StaticNat, StaticReal, Type

MAXIMAL_BITS = 2_100
"""A longer number is refused, as a text of it is: one of 632 digits is printed by any process (Python's least limit is 640)."""


@frozen(eq=False, repr=False)
class Declared(ByValue):
    """The settings of a program of some type."""

    kinds: dict[str, tuple[KindVar, ...]] = field(factory=dict)
    arguments: dict[str, Type] = field(factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.kinds, *self.arguments)))


def functions(type_: Type | None) -> Iterator[Fun | PFun]:
    """The functions that a value of a type is, one for each of its curried arguments."""
    while isinstance(type_, Fun | PFun):
        yield type_
        type_ = type_.codomain if isinstance(type_, Fun) else None


def declared(type_: Type | None) -> Declared:
    """The kind variables and arguments of a program by their names; of equal names the last argument is meant."""
    found = Declared()
    for function in functions(type_):
        for var in function.kinds:
            found.kinds[var.name] = (*found.kinds.get(var.name, ()), var)
        if isinstance(function, Fun):
            found.arguments[function.name] = function.domain
        else:
            found.arguments.update((parameter.name, parameter.type) for parameter in function.parameters)
    return found


def protected(type_: Type | None) -> list[str]:
    """The parameters that a program has a price for. Those that it does not use have none, and those in the clear are public."""
    if not isinstance(type_, PFun):
        return []
    return [
        parameter.name
        for parameter in type_.parameters
        if not isinstance(parameter.cost, Zero | NonPrivate) and not isinstance(parameter.type, StaticNat | StaticReal)
    ]


def without_paths(type_: Type | None, settings: Mapping[str, object]) -> dict[str, object]:
    """Settings that are written as texts, of which a text for a table or a set that the program protects is no value: it may be
    what somebody wrote in the place of a record, and is not taken for the path of a file, which messages repeat."""
    names = declared(type_)
    tables = [name for name in protected(type_) if isinstance(_held(names.arguments[name]), Matrix | SetOf)]
    return {
        name: NoValue() if isinstance(value, str) and resolve(name, names.names) in tables else value
        for name, value in settings.items()
    }


def _held(type_: Type) -> Type:
    while isinstance(type_, Box | Disc):
        type_ = type_.inner
    return type_


@frozen(eq=False, repr=False)
class Valuation(ByValue):
    """Numbers for kind variables, and the settings that no name of the program matches."""

    kinds: dict[KindVar, Fraction] = field(factory=dict)
    given: dict[str, object] = field(factory=dict)
    unknown: tuple[str, ...] = ()

    @property
    def quantities(self) -> dict[KindVar, Quantity]:
        return {var: Quantity.of(value) for var, value in self.kinds.items()}


def valuation(type_: Type | None, settings: Mapping[str, object]) -> Valuation:
    """The numbers that settings give to the kind variables of a program.

    Raises
    ------
    SettingError
        For a value that its variable cannot take, for two settings that contradict each other, and for one that would be somebody's
        value and a number in types at once.
    """
    names = declared(type_)
    given, unknown = resolve_all(settings, names.names)
    kinds: dict[KindVar, Fraction] = {}
    for name in protected(type_):
        if name in given and any(var.kind is not Kind.TYPE for var in names.kinds.get(name, ())):
            # Somebody's value would be a size or an ε as well, which prices and messages state.
            message = f"{visible(name)} is a parameter that the program protects, and a number in its types as well"
            raise SettingError(f"{message}: rename one of them in the program")
    for name, value in given.items():
        for var in names.kinds.get(name, ()):
            if var.kind is not Kind.TYPE:
                _assign(kinds, var, number(name, value), name)
    statics = {name: _static(names.arguments.get(name)) for name in given}
    for name, static in statics.items():
        if static is not None and (only := _variable(static.magnitude)):
            value = number(name, given[name])
            _assign(kinds, only, -value if static.negative else value, name)
    for name in given:
        if name in names.arguments:
            agree(names.arguments[name], kinds, given[name], name)
    return Valuation(kinds, given, tuple(unknown))


def number(name: str, value: object) -> Fraction:
    """A setting as an exact number; a float counts as the decimal that Python prints for it."""
    if isinstance(value, Rational) and not isinstance(value, bool) and not _is_duration(value):
        found = exact(value)
        if max(found.numerator.bit_length(), found.denominator.bit_length()) > MAXIMAL_BITS:
            raise SettingError(f"{visible(name)} has too many digits: give a shorter number")
        return found
    if isinstance(value, Real) and not isinstance(value, bool | Rational) and isfinite(value):
        return Fraction(repr(float(value)))
    raise SettingError(f"{visible(name)} must be a number: write 0.5, 1e-6 or 1/3")


def _is_duration(value: object) -> bool:
    """Whether a value is a ``timedelta64`` of numpy, which numpy registers as a whole number."""
    return getattr(getattr(value, "dtype", None), "kind", "") == "m"


def _static(type_: Type | None) -> Signed | None:
    match type_:
        case StaticNat(value):
            return Signed(False, value)
        case StaticReal(value):
            return value
        case _:
            return None


def _variable(quantity: Quantity) -> KindVar | None:
    """The variable that a quantity is, or None where it is anything else."""
    variables = tuple(quantity.variables())
    return variables[0] if len(variables) == 1 and quantity == Quantity.var(variables[0]) else None


def _assign(kinds: dict[KindVar, Fraction], var: KindVar, value: Fraction, name: str) -> None:
    if value <= 0 or (var.kind is Kind.NAT and value.denominator != 1):
        wanted = "a positive whole number" if var.kind is Kind.NAT else "a positive number"
        raise SettingError(f"{visible(name)} must be {wanted}, not {value}")
    if not 1 <= value * TAME_NUMBER <= TAME_NUMBER**2:
        # As in a run (`duetpy.runtime.values.statics.check_kinds`): a price is for numbers with which the program can be run.
        raise SettingError(f"{visible(name)} must lie between 1e-300 and 1e300")
    if kinds.setdefault(var, value) != value:
        raise SettingError(f"{visible(name)} = {value} contradicts {visible(var.name)} = {kinds[var]}")


#   least ≤ η ≤ most, hardly apart      v ∈ [least, most]  or  least < most and v, least and most have the same double next to them
#   ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
#   v is η as it may be given
def is_given_as(given: Fraction, least: Fraction | float, most: Fraction | float) -> bool:
    """Whether a number stands for the one between two bounds: a fraction is given exactly, but nobody can write all digits of a
    root, so the double next to it and all that rounds to this double is taken for it. A run computes with the root."""
    if least <= given <= most:
        return True
    try:
        return least != most and float(least) == float(given) == float(most) != 0
    except OverflowError:
        return False


def agree(type_: Type, kinds: Mapping[KindVar, Fraction], value: object, name: str) -> None:
    """An argument of a static type is the number that its type says, as far as that is known; raises `SettingError`."""
    static = _static(type_)
    if static is None or not static.magnitude.variables() <= kinds.keys():
        return
    try:
        least, most = (static.magnitude.evaluate(kinds, up=up) for up in (False, True))
    except OutsideDomain:
        # That it has no value is reported where the value is needed.
        return
    given = number(name, value)
    if not is_given_as(-given if static.negative else given, least, most):
        said = f"{'-' if static.negative else ''}{least if least == most else f'{float(least):g}'}"
        is_same = said == static.show()
        reason = f"its type says {static.show()}" + ("" if is_same else f", which is {said}")
        raise SettingError(f"{visible(name)} = {given}, but {reason}")
