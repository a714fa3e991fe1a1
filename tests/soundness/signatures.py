"""Programs from the signatures of the prelude: each line, at small kinds, is a claim about its primitive alone."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import islice, product

from attrs import frozen

from duetpy.grammar.ast import Kind
from duetpy.typecheck import prelude, rewriting
from duetpy.typecheck import types as t
from duetpy.typecheck.quantity import KindVar, Quantity
from duetpy.typecheck.show import show_type
from duetpy.typecheck.signatures import Signature
from tests.soundness.falsify import REALS, SIZES, Kinds, Meant, Parameter, Program, Trial, by_definition, check, trials

INFIX = frozenset((*"+-⋅/%⊔⊓≡<≤∧∨∈", "or-else"))
ENDS = frozenset({"prefix", "suffix"})
COUNTED: tuple[t.Type, ...] = (t.NAT, t.DATA, t.STR)
ANY: tuple[t.Type, ...] = (t.REAL, t.DATA, t.NAT, t.STR)


@frozen(eq=False)
class Instance:
    """A signature at given kinds, with a program that does nothing but apply the primitive."""

    signature: Signature
    program: Program


def lines() -> list[Signature]:
    """Every signature line of the prelude, in order."""
    return [signature for name in prelude.names() for signature in prelude.declared(name)]


def title(signature: Signature) -> str:
    return " ".join(signature.text.split())


def instances(signature: Signature, seed: int = 0, most: int = 12) -> Iterator[Instance]:
    """The signature at some of the combinations of small kinds, as claims about programs."""
    inside_sets = {variable for argument in signature.arguments for variable in under_sets(argument)}
    choices: list[tuple[Fraction | t.Type, ...]] = []
    for variable in signature.kinds:
        match variable.kind:
            case Kind.NAT:
                choices.append(SIZES)
            case Kind.POS:
                choices.append(REALS)
            case Kind.TYPE:
                choices.append(COUNTED if variable in inside_sets else ANY)
    everything = list(product(*choices))
    random.Random(seed).shuffle(everything)
    for chosen in islice(everything, most):
        yield instance(signature, dict(zip(signature.kinds, chosen, strict=True)))


def under_sets(type_: t.Type) -> set[KindVar]:
    """The type variables that occur inside ℘."""
    if isinstance(type_, t.SetOf):
        return set(rewriting.free_variables(type_))
    found: set[KindVar] = set()
    for inner in t.children(type_):
        found |= under_sets(inner)
    return found


def instance(signature: Signature, chosen: Mapping[KindVar, Fraction | t.Type]) -> Instance:
    mapping: dict[KindVar, rewriting.Replacement] = {}
    for variable, value in chosen.items():
        if isinstance(value, Fraction):
            mapping[variable] = Quantity.of(value)
        elif is_schema(signature, variable):
            mapping[variable] = t.Uniform(Quantity.of(2), value)
        else:
            mapping[variable] = value
    sizes = {variable: value for variable, value in mapping.items() if isinstance(value, Quantity)}
    names = [f"x{i}" for i in range(len(signature.arguments))]
    types = [rewriting.substitute(argument, mapping) for argument in signature.arguments]
    written = ", ".join(f"{name} : {show_type(type_)}" for name, type_ in zip(names, types, strict=True))
    text = f"sλ . {written} ⇒ {applied(signature, sizes, names)}"
    typed = check(text)
    assert typed.ok, (text, typed.diagnostics)
    parameters = tuple(
        Parameter(name, type_, sensitivity.substitute(sizes))
        for name, type_, sensitivity in zip(names, types, signature.sensitivities, strict=True)
    )
    return Instance(signature, Program(text, typed, (), parameters, rewriting.substitute(signature.result, mapping)))


def is_schema(signature: Signature, variable: KindVar) -> bool:
    return any(
        isinstance(argument, t.Matrix) and isinstance(argument.schema, t.SchemaVar) and argument.schema.var == variable
        for argument in signature.arguments
    )


def applied(signature: Signature, sizes: Mapping[KindVar, Quantity], names: list[str]) -> str:
    """The primitive applied to names, as written."""
    if signature.name in INFIX:
        return f" {signature.name} ".join(names)
    if signature.name in ENDS:
        return f"{signature.name}[{names[0]}] {names[1]}"
    brackets = [] if signature.norm is None else [signature.norm.value]
    brackets += [f"ℝ⁺[{sizes[static].show()}]" for static in signature.statics]
    in_brackets = f"[{', '.join(brackets)}]" if brackets else ""
    return f"{signature.name}{in_brackets} {' '.join(names)}"


def runs(made: Instance, count: int, seed: int, meant: Meant | None = None) -> Iterator[Trial]:
    claim = made.program
    return trials(claim, by_definition(claim) if meant is None else meant, random.Random(seed), count)


NO_KINDS: Kinds = {}
