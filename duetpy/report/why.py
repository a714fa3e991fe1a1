"""How the sensitivity or the cost of each parameter arose, step by step: what ``why`` prints, as a value, a text and JSON.

    x: sensitivity 2
    └ 2  the sum of   + at 1:14   x + x
      ├ 1  used at 1:14   x
      └ 1  used at 1:18   x

The number of a step is made of those of the steps below it: each times its factor, added, or the largest of them. What a body does
with a name that its rule binds stands below too, marked as such: the factor is made of it, and it does not belong to the sum.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from attrs import define, field, frozen

from duetpy.accounting.figures import bound
from duetpy.accounting.price import Refusal, number
from duetpy.diagnostics.as_json import diagnostic_value, span_value
from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.diagnostics.display import visible
from duetpy.diagnostics.error import DuetError
from duetpy.diagnostics.markup import block
from duetpy.grammar import ast
from duetpy.grammar.spelling import TWINS
from duetpy.report.check_text import cost_text, formula, is_exposed, numbers_text, unit_title
from duetpy.report.premises import premises_value
from duetpy.report.pricing import Numbers, Pricing
from duetpy.report.rule_names import rule_of
from duetpy.report.verdict import Parameter, Statement, state
from duetpy.settings import SettingError, or_else, resolve
from duetpy.source import Span
from duetpy.typecheck import cost as costs
from duetpy.typecheck.check import Typed
from duetpy.typecheck.cost import Cost
from duetpy.typecheck.derivation import How, Part, Reader, Reason, Role
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import ONE
from duetpy.typecheck.tracing import Traced
from duetpy.typecheck.types import Fun
from duetpy.typecheck.unverified import TRUSTED
from duetpy.valuation import Valuation, functions

EXCERPT = 60
"""So much of an expression is quoted."""

DEEPEST = 200
"""How many steps are shown inside one another, unless `--depth` says otherwise; some readers of JSON cannot read more."""

UNEXPLAINED = "the program is a function applied to sizes, and nothing was recorded about that function at these sizes"


@frozen
class Explained:
    """Why one input has its number.

    Parameters
    ----------
    name
        The input's.
    title
        What is proved of it, in words.
    reason
        How; None where nothing was recorded.
    parameter
        What `check` says of it; None of a program that is refused, of which the bodies of its mechanisms are explained.
    """

    name: str
    title: str
    reason: Reason | None
    parameter: Parameter | None = None


@define
class _Prices:
    """The prices of single steps, each in the notion that it is charged in."""

    typed: Typed
    values: Valuation
    by_notion: dict[Notion, Pricing] = field(factory=dict)

    def of(self, cost: Cost, notion: Notion) -> tuple[Mapping[str, str], Numbers | None]:
        """As formulas, and as numbers where all are known."""
        pricing = self.by_notion.get(notion)
        if pricing is None:
            pricing = self.by_notion[notion] = _Formulas.of_step(self.typed, notion, self.values)
        found = pricing.priced(cost)
        return found.shown, found.value


@define
class _Formulas(Pricing):
    """Prices without the numeric accountant's bound, which is of a whole program, and without the program's conditions."""

    @staticmethod
    def of_step(typed: Typed, notion: Notion, values: Valuation) -> _Formulas:
        return _Formulas(typed, notion, values, None, [])

    def tightened(self, cost: Cost, figures: Numbers) -> tuple[Numbers, str]:
        return {}, ""

    def unpriced(self, refusal: Refusal) -> Diagnostic:
        self.diagnostics.clear()
        return super().unpriced(refusal)


@frozen
class Why:
    """Why the parameters of a program have their numbers: ``str`` is the text, `to_json` what ``--format json`` prints."""

    statement: Statement
    explained: tuple[Explained, ...]
    depth: int
    prices: _Prices = field(repr=False)

    @property
    def ok(self) -> bool:
        return self.statement.ok

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<Why {', '.join(visible(each.name) for each in self.explained) or 'no parameter'}>"

    def _repr_html_(self) -> str:
        return block(self.text())

    def text(self, ascii: bool = False) -> str:
        """The derivations, a step a line."""
        told = ["".join(f"{line}\n" for line in _Text(self, ascii).lines(each)) for each in self.explained]
        said = "".join(f"  {each}\n" for each in self.statement.premises) if told else ""
        return "\n".join([*told, said] if said else told)

    def to_json(self) -> dict[str, Any]:
        """The derivations as values that ``json`` can write."""
        return {
            "file": self.statement.file,
            "ok": self.ok,
            "notion": self.statement.notion.value,
            **premises_value(self.statement.premises),
            "parameters": [_Json(self).explained(each) for each in self.explained],
            "diagnostics": [diagnostic_value(diagnostic) for diagnostic in self.statement.diagnostics],
        }

    def accepted(self) -> Why:
        """The same; raises `DuetError` if the program is refused."""
        if not self.ok:
            raise DuetError(self.statement.diagnostics)
        return self

    def words(self, reason: Reason) -> str:
        """What a rule made of its parts."""
        return _words(reason)


def why(typed: Typed, values: Valuation, name: str | None = None, depth: int | None = None) -> Why:
    """Why the parameters of a program have their numbers.

    Parameters
    ----------
    typed
        The program, checked with `record`.
    values
        Numbers for some or all of its kind variables.
    name
        A parameter; every one that the program protects or is sensitive in, if None.
    depth
        How many steps are shown inside one another; at most `DEEPEST`.

    Raises
    ------
    SettingError
        For a name that the program has not.
    """
    statement = state(typed, values)
    if name is not None and typed.type is not None:
        name = _known(name, parameters(typed))
    explained = _accepted(typed, statement, name) if typed.type is not None else _refused(typed, name)
    return Why(statement, tuple(explained), min(depth or DEEPEST, DEEPEST), _Prices(typed, values))


def _accepted(typed: Typed, statement: Statement, name: str | None) -> Iterator[Explained]:
    """The parameters of a program that is accepted."""
    assert typed.recorder is not None
    reader = Reader(typed.recorder)
    told: set[str] = set()
    protects = any(parameter.private for parameter in statement.parameters)
    by_name = {parameter.name: parameter for parameter in statement.parameters}
    for function in functions(typed.type):
        names = [function.name] if isinstance(function, Fun) else [each.name for each in function.parameters]
        for each in names:
            parameter = by_name[each]
            is_meant = _is_told(parameter, protects) if name is None else each == name
            if is_meant and (name is not None or parameter.unit not in told):
                told.add(parameter.unit)
                yield Explained(each, _title(parameter), reader.of_parameter(function, each), parameter)


def _is_told(parameter: Parameter, protects: bool) -> bool:
    """Whether a parameter that nobody named is explained: one that is protected, or, if no parameter is, one released in the
    clear."""
    return parameter.private or parameter.cost is None or (not protects and is_exposed(parameter))


def _known(name: str, names: tuple[str, ...]) -> str:
    found = resolve(name, names)
    if found is None:
        hint = or_else(name, names) or f"; the program has {', '.join(map(visible, names)) or 'none'}"
        raise SettingError(f"unknown parameter {visible(name)}{hint}")
    return found


def _title(parameter: Parameter) -> str:
    name = unit_title(parameter.unit.split("+"), parameter.neighbours)
    if parameter.cost is None:
        value = "" if parameter.value is None else bound(parameter.value["sensitivity"])
        shown = formula(parameter.sensitivity or "")
        return f"{name}: sensitivity {shown}{f' = {value}' if value not in ('', shown, '∞') else ''}"
    value = "" if parameter.value is None else f", which is {numbers_text(parameter.value)}"
    return f"{name} costs {cost_text(parameter.cost)}{value}"


def _refused(typed: Typed, name: str | None) -> Iterator[Explained]:
    """What was found of the inputs of mechanisms that are refused."""
    assert typed.recorder is not None
    reader = Reader(typed.recorder)
    for frame in typed.recorder.recorded.every:
        if not isinstance(frame.node, ast.Mechanism) or frame.node in typed.annotations.releases:
            continue
        body = typed.recorder.concluded.get(frame.node.body)
        if body is None or not isinstance(body.context, Traced):
            continue
        for root, term in body.context.terms.items():
            if name is None or name in (root.name, *root.name.split("+")):
                place = frame.node.span.place
                title = f"{root.name} changes the body of {frame.node.name} ({place}) by up to {term.number.show()}"
                yield Explained(root.name, title, reader.whole(term))


def parameters(typed: Typed) -> tuple[str, ...]:
    """The names that can be asked for."""
    found: dict[str, None] = {}
    for function in functions(typed.type):
        names = [function.name] if isinstance(function, Fun) else [each.name for each in function.parameters]
        found.update(dict.fromkeys(names))
    return tuple(found)


# ---------------------------------------------------------------------------------------------------------------------
# Words


def _words(reason: Reason) -> str:
    """What a rule made of its parts; empty for a single part, whose line says it."""
    detail = "" if reason.detail is None else reason.detail.show()
    match reason.how:
        case How.USE | How.SAME:
            return ""
        case How.CAPTURED:
            return "used by a function of which it is not an argument"
        case How.SUM:
            return "the sum of"
        case How.LARGEST:
            return "the largest of"
        case How.CAPPED:
            return f"at most {detail}, since no two of its values are farther apart"
        case How.UNBOUNDED:
            return "unbounded in"
        case How.CHANGED:
            return "changed from"
        case How.NOISE:
            if isinstance(reason.node, ast.Mechanism) and reason.node.name == TRUSTED:
                return "a cost that is stated and trusted, not verified"
            return f"noise for a sensitivity of {detail}" if detail else "its own cost"
        case How.SEQUENCE:
            return "in sequence: the sum of"
        case How.CHOICE:
            return "one of"
        case How.TOGETHER:
            return "one change moves several inputs"
        case How.GROUP:
            return f"a move of {detail} steps, each of"
        case How.CALLED:
            return "what the called function spends"
        case How.FREE:
            return "nothing depends on it"
        case _:
            return _composition(reason.cost)


def _composition(cost: Cost | None) -> str:
    match cost:
        case costs.Repeat(count):
            return f"{count.show()} times"
        case costs.Advanced(count, slack):
            return f"{count.show()} times, by advanced composition with slack {slack.show()}"
        case costs.Sampled(scheme, rate):
            return f"{scheme} of the rows, at rate {rate.show()}"
        case costs.Shuffled(count):
            return f"{count.show()} reports, shuffled"
        case costs.Converted(inner):
            return f"converted from {inner.value}"
        case costs.NonPrivate(text):
            return text
        case _:
            return ""


def excerpt(span: Span) -> str:
    """What stands in a place, on one line, shortened."""
    text = " ".join(span.text.split())
    return visible(text if len(text) <= EXCERPT else f"{text[: EXCERPT - 1]}…")


def _place(span: Span) -> str:
    line, column = span.begin
    return f"{visible(span.source.name)}:{line}:{column}" if span.source.is_imported else f"{line}:{column}"


# ---------------------------------------------------------------------------------------------------------------------
# Text


@define
class _Text:
    """Prints steps, each once: a name may stand for the same steps in many places."""

    why: Why
    ascii: bool
    told: set[int] = field(factory=set)

    def lines(self, explained: Explained) -> Iterator[str]:
        yield visible(explained.title)
        if explained.reason is None:
            yield f"  {UNEXPLAINED}"
            return
        pending: list[tuple[Part, str, bool, int]] = [(Part(explained.reason), "", True, 1)]
        while pending:
            part, indent, is_last, level = pending.pop()
            again = id(part.reason) in self.told
            self.told.add(id(part.reason))
            below = () if again else part.reason.parts
            cut = bool(below) and level >= self.why.depth
            end = "  (as above)" if again and part.reason.parts else f"  {'...' if self.ascii else '…'}" if cut else ""
            yield f"{indent}{self.branch(is_last)}{self.line(part)}{end}"
            inner = indent + ("  " if is_last else "| " if self.ascii else "│ ")
            steps = [] if cut else [(each, inner, each is below[-1], level + 1) for each in below]
            pending += reversed(steps)

    def branch(self, is_last: bool) -> str:
        if self.ascii:
            return "`- " if is_last else "|- "
        return "└ " if is_last else "├ "

    def line(self, part: Part) -> str:
        reason, words = part.reason, [self.amount(part)]
        if text := _words(reason):
            words.append(text)
        if reason.node is not None:
            rule = rule_of(reason.node)
            rule = TWINS.get(rule, rule) if self.ascii else rule
            used = "used" if reason.how is How.USE else "named"
            words.append(f"{rule or used} at {_place(reason.node.span)}   {excerpt(reason.node.span)}")
        return "  ".join(words)

    def amount(self, part: Part) -> str:
        """The number of a step, with the factor that the step above has for it."""
        reason = part.reason
        if reason.number is not None:
            shown = formula(reason.number.show())
            if part.times != ONE:
                shown = f"{_bracketed(part.times.show())} {'*' if self.ascii else '⋅'} {_bracketed(shown)}"
            if part.role is Role.MOVES:
                return f"changes by up to {shown}"
            return f"inside, {visible(part.name)}: {shown}" if part.role is Role.INSIDE else shown
        assert reason.cost is not None
        assert reason.notion is not None
        prices, _ = self.why.prices.of(reason.cost, reason.notion)
        other = "" if reason.notion is self.why.statement.notion else f" ({reason.notion.value})"
        return (f"{visible(part.name)}: " if part.name else "") + cost_text(prices) + other


def _bracketed(text: str) -> str:
    return f"({text})" if " " in text else text


# ---------------------------------------------------------------------------------------------------------------------
# JSON


@define
class _Json:
    """Writes steps as values, each once: where one stands again it has its number and no parts."""

    why: Why
    told: set[int] = field(factory=set)

    def explained(self, each: Explained) -> dict[str, Any]:
        parameter = each.parameter
        found: dict[str, Any] = {"name": each.name, "title": each.title}
        if parameter is not None:
            found |= {
                "unit": parameter.unit,
                "sensitivity": parameter.sensitivity,
                "cost": None if parameter.cost is None else dict(parameter.cost),
            }
            if parameter.value is not None:
                found["value"] = dict(parameter.value)
        return found | {"why": None if each.reason is None else self.step(each.reason, 1)}

    def step(self, reason: Reason, level: int) -> dict[str, Any]:
        again = id(reason) in self.told
        self.told.add(id(reason))
        node = reason.node
        found: dict[str, Any] = {
            "rule": None if node is None else rule_of(node) or None,
            "span": None if node is None else span_value(node.span),
            "text": None if node is None else excerpt(node.span),
            "how": reason.how.value,
            "words": _words(reason),
        }
        if node is not None and node.span.source.is_imported:
            found["file"] = node.span.source.name
        if reason.number is not None:
            found["sensitivity"] = reason.number.show()
            known = reason.number.substitute(self.why.prices.values.quantities)
            if not known.variables():
                found["value"] = {"sensitivity": number(known)}
        elif reason.cost is not None and reason.notion is not None:
            prices, value = self.why.prices.of(reason.cost, reason.notion)
            found |= {"notion": reason.notion.value, "cost": dict(prices)}
            if value is not None:
                found["value"] = dict(value)
        if again and reason.parts:
            return found | {"again": True, "parts": []}
        if reason.parts and level >= self.why.depth:
            return found | {"cut": True, "parts": []}
        return found | {"parts": [self.part(part, level + 1) for part in reason.parts]}

    def part(self, part: Part, level: int) -> dict[str, Any]:
        named = {"name": part.name} if part.name else {}
        return {"role": part.role.value, "times": part.times.show(), **named, "step": self.step(part.reason, level)}
