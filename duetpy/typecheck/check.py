"""The checker's front: from a syntax tree to everything that is proved about it, or to the reasons why not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

from attrs import field, frozen

from duetpy.by_value import ByValue
from duetpy.cached import cached_property
from duetpy.diagnostics.diagnostic import Diagnostic, Severity
from duetpy.grammar import ast
from duetpy.source import Span
from duetpy.typecheck import dispatch
from duetpy.typecheck.annotations import Annotations, ReleaseSite
from duetpy.typecheck.checker import Checker
from duetpy.typecheck.conditions import COVERED, Condition, Obligation, Promise
from duetpy.typecheck.cost import CHOOSES_PARTS, IN_EVERY_PART, IS_ROSTER, NonPrivate, is_free, is_unbounded
from duetpy.typecheck.degrees import program_in
from duetpy.typecheck.errors import privacy, sensitivity
from duetpy.typecheck.judgement import Judged
from duetpy.typecheck.link import Loader, link
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import ZERO, Quantity
from duetpy.typecheck.rules.privacy import CAPTURED
from duetpy.typecheck.types import Fun, PFun, Poison, Type, is_poisoned
from duetpy.typecheck.units import apart, holding_persons

if TYPE_CHECKING:
    from duetpy.typecheck.captures import Captures
    from duetpy.typecheck.core import Expression, ForeignCall
    from duetpy.typecheck.derivation import Recorder


@frozen(eq=False, repr=False)
class Typed(ByValue):
    """A program with its judgement.

    Parameters
    ----------
    name
        The file's name.
    file, body
        The syntax tree, and the one expression that it stands for with its imports and definitions around it.
    notion, notion_origin
        The notion of privacy and where it came from.
    judged
        The judgement of `body`; None where the file has no value.
    annotations
        What the checker noted; `core` says it.
    obligations
        Side conditions that only the actual numbers can decide: of the program's own sizes and parameters, and of the limits of
        the machine.
    diagnostics
        Everything that was found, in the order of the text.
    promises
        What privacy functions promise with ``ensures``; kept or not is for the accountant to say.
    recorder
        The checker, which remembers how it came to its conclusions, where that was asked for.
    """

    name: str
    file: ast.File
    body: ast.SExp | None
    notion: Notion
    notion_origin: str
    judged: Judged | None
    annotations: Annotations
    obligations: tuple[Obligation, ...]
    diagnostics: tuple[Diagnostic, ...]
    promises: tuple[Promise, ...] = ()
    recorder: Recorder | None = field(default=None, eq=False, repr=False)

    @property
    def ok(self) -> bool:
        return not any(diagnostic.is_error for diagnostic in self.diagnostics)

    @property
    def type(self) -> Type | None:
        """The type of the program's value; None when it was refused: what it says of costs would then not be proved."""
        if self.judged is None or not self.ok or is_poisoned(self.judged.type):
            return None
        return self.judged.type

    @cached_property
    def core(self) -> Expression:
        """The typed core; only a program without errors has one."""
        from duetpy.typecheck.lowering import lowered

        assert self.type is not None
        assert self.body is not None
        return lowered(self.body, self.annotations)

    @cached_property
    def height(self) -> int:
        """The number of forms on the longest way down the core."""
        from duetpy.typecheck.core import height

        return height(self.core)

    @cached_property
    def captures(self) -> Captures:
        """Which outer names the functions and the bodies of the core mention. Each run goes on from a copy."""
        from duetpy.typecheck.captures import Captures

        found = Captures()
        found.of(self.core)
        return found

    @cached_property
    def foreign_calls(self) -> tuple[ForeignCall, ...]:
        """The calls of functions in Python, in the order written."""
        from duetpy.typecheck.core import ForeignCall, nodes

        return tuple([node for node in nodes(self.core) if isinstance(node, ForeignCall)])

    @property
    def foreign(self) -> tuple[str, ...]:
        """The functions in Python that the program names, as ``module:function``."""
        return tuple(dict.fromkeys(code.target for code in self.annotations.foreign.values()))

    @cached_property
    def releases(self) -> tuple[ReleaseSite, ...]:
        """The mechanisms that an accepted program runs, in the order of the text; none of one that is refused."""
        if self.type is None:
            return ()
        if not isinstance(self.body, ast.Let) and not self.annotations.instances:
            # Nothing is called, and all is in one text.
            return tuple(sorted(self.annotations.releases.values(), key=lambda site: site.span.start))
        from duetpy.typecheck.sites import sites_of

        return sites_of(self.core)


ALLOWED = Quantity.of(1 << 500)
"""How much functions of written types may round where the program hands on functions that do."""


def check_file(
    file: ast.File,
    *,
    name: str,
    notion: Notion,
    notion_origin: str,
    load: Loader,
    syntax: tuple[Diagnostic, ...] = (),
    record: bool = False,
) -> Typed:
    """Judge a file.

    Parameters
    ----------
    file
        The syntax tree; holes are ignored, because the parser has reported them.
    name
        The file's name, against which imports are resolved.
    notion, notion_origin
        The notion that mechanisms are priced in, and where it came from.
    load
        Finds imported files.
    syntax
        What the parser found; part of the result's diagnostics.
    record
        Whether to remember how each conclusion was reached, which takes time.
    """
    body, problems = link(file, name, load, notion, notion_origin)
    span = (file.body or file).span
    checker, judged = _judge(body, span, notion, record, ZERO)
    if checker.rounds and (found := _errors(checker)):
        # A function that rounds may have been handed on as one of a written type.
        generous, again = _judge(body, span, notion, record, ALLOWED)
        if len(_errors(generous)) <= len(found):
            checker, judged = generous, again
    demanded = () if judged is None else tuple(dict.fromkeys((*checker.conditions, *_of_program(judged.type))))
    diagnostics = _without_those_that_follow([*syntax, *problems, *checker.diagnostics])
    if judged is None and not any(diagnostic.is_error for diagnostic in diagnostics):
        diagnostics.append(_no_value(file))
    if checker.refused and not any(diagnostic.is_error for diagnostic in diagnostics):
        diagnostics.append(_not_judged(checker.refused[0]))
    if judged is not None and not any(diagnostic.is_error for diagnostic in diagnostics):
        place = file.body or file
        diagnostics.extend(_name_twice(place.span, name) for name in _taken_twice(judged.type))
        diagnostics.extend(_persons_apart(place.span, judged.type, checker.annotations))
    if (
        judged is not None
        and isinstance(judged.type, PFun)
        and not any(diagnostic.is_error for diagnostic in diagnostics)
    ):
        diagnostics.extend(sensitivity.counted_by_data(node, names) for node, names in checker.counted.items())
    if judged is not None and not any(diagnostic.is_error for diagnostic in diagnostics):
        written = _written(judged.type, checker.annotations)
        # A broken promise says more than the warning would.
        if written is None or not written.ensures:
            place = written or file.body or file
            diagnostics.extend(_protects_nothing(place.span, judged.type))
    return Typed(
        name,
        file,
        body,
        notion,
        notion_origin,
        judged,
        checker.annotations,
        tuple(condition for condition in demanded if isinstance(condition, Obligation)),
        tuple(sorted(diagnostics, key=_position)),
        tuple(condition for condition in demanded if isinstance(condition, Promise)),
        cast("Recorder", checker) if record else None,
    )


def _judge(
    body: ast.SExp | None, span: Span, notion: Notion, record: bool, allowed: Quantity
) -> tuple[Checker, Judged | None]:
    """Judge a program, where functions of written types round as much as is allowed."""
    if record:
        from duetpy.typecheck.derivation import Recorder

        checker: Checker = Recorder.of(notion, dispatch, allowed)
    else:
        checker = Checker(notion, rules=dispatch, allowed=allowed)
    if body is None:
        return checker, None
    checker.program = program_in(body)
    judged = checker.judge(body)
    _round_little(checker, judged.type, span)
    return checker, judged


def _errors(checker: Checker) -> list[Diagnostic]:
    return [diagnostic for diagnostic in checker.diagnostics if diagnostic.is_error]


def _without_those_that_follow(diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    """What is wrong, without what is wrong only because something else is."""
    own = [diagnostic for diagnostic in diagnostics if not diagnostic.follows]
    return own if any(diagnostic.is_error for diagnostic in own) else diagnostics


def _round_little(checker: Checker, type_: Type, span: Span) -> None:
    """A program that is a function claims its sensitivities of what is computed, to within what noise would cover."""
    while isinstance(type_, Fun):
        if not type_.rounding.is_zero:
            checker.obligate(type_.rounding, "≤", COVERED, "the noise covers what is rounded", span)
        type_ = type_.codomain


def _of_program(type_: Type) -> Iterator[Condition]:
    """What the functions that a program is demand of their sizes and parameters."""
    while isinstance(type_, Fun):
        yield from type_.conditions
        type_ = type_.codomain
    if isinstance(type_, PFun):
        yield from type_.conditions


def _position(diagnostic: Diagnostic) -> int:
    return diagnostic.span.start if diagnostic.span is not None else -1


def _no_value(file: ast.File) -> Diagnostic:
    return Diagnostic(
        "D0107",
        "the file has no expression and defines nothing",
        file.span,
        "nothing here",
        help="end the file with an expression, or define main",
    )


def _taken_twice(type_: Type) -> list[str]:
    """The names that several arguments of the program have: data is given by name, so each would be all of them."""
    names: list[str] = []
    while isinstance(type_, Fun):
        names.append(type_.name)
        type_ = type_.codomain
    if isinstance(type_, PFun):
        names += [parameter.name for parameter in type_.parameters]
    return sorted({name for name in names if names.count(name) > 1})


def _name_twice(span: Span, name: str) -> Diagnostic:
    return Diagnostic(
        "D0109",
        f"the program has several parameters named {name}",
        span,
        "the name is taken",
        notes=("data is bound by name, so all of them would get the same people, and their costs would add up",),
        help="give each its own name",
    )


def _persons_apart(span: Span, type_: Type, annotations: Annotations) -> Iterator[Diagnostic]:
    """The cost of a program's tables of persons together is that of one person, who must be the same one in all of them."""
    if not isinstance(type_, PFun):
        return
    written = _written(type_, annotations)
    params = () if written is None else written.params
    places = {param.name.text: param.span for param in params if isinstance(param, ast.Param)}
    for parameter in holding_persons(type_.parameters):
        yield privacy.persons_within(places.get(parameter.name, span), parameter.name)
    if (found := apart(type_.parameters)) is not None:
        first, second, is_listed = found
        place = places.get(second.name, span)
        yield (
            privacy.persons_on_no_roster(place, first.name, second.name)
            if is_listed
            else privacy.persons_by_two_identifiers(place, first.name, second.name)
        )


def _not_judged(node: ast.Node) -> Diagnostic:
    """The poisoned type fits everywhere, so that one mistake is reported once; if none was reported, nothing has been proved."""
    return Diagnostic("D0901", "the checker has reached no conclusion here", node.span, "nothing is proved about this")


def _written(type_: Type, annotations: Annotations) -> ast.PLam | None:
    """The privacy function that is the program's value, where it was written."""
    if not isinstance(type_, PFun):
        return None
    names = [parameter.name for parameter in type_.parameters]
    functions = (node for node in annotations.binders if isinstance(node, ast.PLam))
    alike = [node for node in functions if annotations.binders[node] == type_.kinds and parameter_names(node) == names]
    return alike[-1] if alike else None


def parameter_names(node: ast.Lam | ast.PLam) -> list[str]:
    """The names of a function's parameters, of aligned ones each by itself."""
    views = [param.params if isinstance(param, ast.Aligned) else (param,) for param in node.params]
    return [param.name.text for view in views for param in view]


def _protects_nothing(span: Span, type_: Type) -> list[Diagnostic]:
    """A privacy function that protects none of its parameters is rarely meant."""
    match type_:
        case PFun(parameters=parameters) if not any(isinstance(p.type, Poison) for p in parameters):
            if any(not is_free(p.cost) and not is_unbounded(p.cost) for p in parameters):
                return []
            # A roster is public by its declaration: no noise could protect it.
            reasons_by_name = {p.name: p.cost.reason for p in parameters if isinstance(p.cost, NonPrivate)}
            exposed = {name: reason for name, reason in reasons_by_name.items() if reason != IS_ROSTER}
            note = "; ".join(f"{name} {reason}" for name, reason in exposed.items())
            note = note or "the result depends on no parameter, except for public sizes"
            help_ = f"release through a mechanism: laplace[auto, ε] <{next(iter(exposed), 'xs')}> {{ … }}"
            reasons = set(exposed.values())
            if reasons == {CAPTURED}:
                note = f"{', '.join(exposed)} {CAPTURED}, which protects its parameters only"
                help_ = f"make {' and '.join(exposed)} an argument of that function too: f@[ . {', '.join(exposed)}]"
            elif reasons == {IN_EVERY_PART}:
                help_ = "use the part in its place, which has the rows of one key"
            elif reasons == {CHOOSES_PARTS}:
                help_ = (
                    "name the keys, ℘{…}, take them from a public parameter, or release them first with keys[1, ε, δ] …"
                )
            return [
                Diagnostic(
                    "D0416",
                    "the program protects none of its parameters",
                    span,
                    notes=(note,),
                    help=help_,
                    severity=Severity.WARNING,
                )
            ]
        case _:
            return []
