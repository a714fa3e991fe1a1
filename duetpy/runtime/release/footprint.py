"""How much memory a program may hold at once, counted from public numbers before a row is read.

Each table has room by itself (`duetpy.typecheck.capacity`). But several stand side by side, a function keeps the tables that it
mentions, and functions may be made of functions, turn by turn. What of this happens may be for data to choose; so all of it is
counted, in both branches of a choice, with the numbers of this run; and on the way each number that a call puts in, or that
stands in a body, is computed, so that it has a value wherever data leads.

    ⟦e⟧ρ = (peak, kept, F)      peak: what evaluating e holds at most, in addition to what ρ holds
                                kept: what is left of it with the value
                                F:    the functions that the value may hold, wherever in it they are

F is no smaller than the functions that are there in a run: a form gives what its parts may hold, and a call enters every function
that may be called. A value without functions keeps its own cells alone; one with functions may keep all that was made for it. A
body is counted once, as what it made is gone before the next turn, unless what is handed on holds functions: then every turn is
counted with the functions of the turn before. Functions and what they hold are kept by structure, so a call that is its own
caller cannot be distinguished from an endless one and is refused, as is a program with more calls than can be looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from math import ceil
from typing import TypeAlias

from attrs import define, field, frozen

from duetpy.depth import DEEPER
from duetpy.runtime.evaluation.step_sums import sorted_for
from duetpy.runtime.exact.cell_sums import BYTES as SUM_BYTES
from duetpy.runtime.release.amounts import (
    EMPTY,
    NONE,
    NOTHING,
    Amount,
    Counted,
    Functions,
    drawn,
    evaluated,
    number_of,
    too_much,
    uncounted,
)
from duetpy.runtime.release.mechanisms import refuse_without_noise
from duetpy.runtime.values.memory import BYTES_TOGETHER, available
from duetpy.runtime.values.statics import KindScope, Static, check_kinds
from duetpy.runtime.values.streamed import CELLS_READ_AT_ONCE
from duetpy.source import Span
from duetpy.typecheck import core
from duetpy.typecheck.captures import Captures
from duetpy.typecheck.check import Typed
from duetpy.typecheck.conditions import cells_of_variable
from duetpy.typecheck.mechanism_rows import RULES
from duetpy.typecheck.quantity import KindVar
from duetpy.typecheck.types import Matrix

FUNCTION = 512
"""Bytes of a function with the names that it mentions; measured at 350."""
CALL = 4096
"""Bytes of a call that waits for another one; measured at 3,300."""

MOST_STEPS = 200_000
"""So many forms and functions are looked at, which takes some seconds; a program of a hundred lines has a thousand."""
Called: TypeAlias = "core.App | core.TypeApp | core.PApp | core.PFoldRows | core.Mechanism"
Names: TypeAlias = Mapping[str, Functions]
Numbers: TypeAlias = Mapping[KindVar, Fraction]


@frozen
class _Function:
    """A function, as far as it matters what it does: the functions that its names and first arguments may hold."""

    node: core.Lam | core.PLam
    names: tuple[tuple[str, Functions], ...]
    numbers: frozenset[tuple[KindVar, Static]]
    given: frozenset[tuple[KindVar, Static]] = frozenset()
    arguments: tuple[Functions, ...] = ()


def footprint(
    typed: Typed,
    numbers: Numbers,
    kinds: Sequence[KindVar],
    memory: int | None = None,
    unkept: Collection[core.Node] = (),
) -> dict[core.Node, int]:
    """How many bytes the body of each form holds at most for one of its rows; raises `DuetError` where the program may hold more
    than the memory of the run.

    Parameters
    ----------
    typed
        The program.
    numbers
        What its kind variables are, as far as that is known.
    kinds
        The variables of its type, which are those in `numbers`.
    memory
        The bytes that the run may use; all that the machine has, where None.
    unkept
        Tables of which no more rows are held than are gone over at once.
    """
    counter = _Counter(available() if memory is None else memory, typed.captures.copy(), unkept)
    main, span = counter.count(typed.core, {}, KindScope()), typed.core.span
    own = {place: numbers[kind] for place, kind in enumerate(kinds) if kind in numbers}
    peak = counter.entered(main, own, len(kinds), span).peak
    counter.refuse_too_much(peak + Amount(sum(counter.columns.values())), span)
    return counter.bodies


@define
class _Counter:
    """One count over one program."""

    memory: int
    captures: Captures
    unkept: Collection[core.Node]
    bodies: dict[core.Node, int] = field(factory=dict)
    columns: dict[Hashable, int] = field(factory=dict)
    _functions: list[_Function] = field(factory=list)
    _places: dict[_Function, int] = field(factory=dict)
    _calls: dict[tuple[int, tuple[Functions, ...]], Counted | None] = field(factory=dict)
    _steps: int = 0

    def entered(self, main: Counted, own: Mapping[int, Fraction], count: int, span: Span) -> Counted:
        """The program called with data and numbers, which hold no function."""
        for at in main.functions:
            function = self._functions[at]
            binders = function.node.kinds
            if len(binders) == count:
                given = {binders[place]: number for place, number in own.items()}
                (at,) = self._with_numbers(frozenset({at}), given)
            arguments = [NONE] * len(function.node.params)
            main = main.then(self.applied(frozenset({at}), arguments, span))
        return main

    def count(self, node: core.Node, names: Names, kinds: KindScope) -> Counted:
        """What an expression of either language holds."""
        with DEEPER:
            return self._counted(node, names, kinds)

    def _counted(self, node: core.Node, names: Names, kinds: KindScope) -> Counted:
        self.step(node.span)
        if isinstance(node, core.Mechanism):
            refuse_without_noise(node.site, kinds)
        if isinstance(node, core.Expression) and node.static is not None:
            kinds.number(node.static, node.span)
        match node:
            case core.Var():
                return Counted(functions=names.get(node.name, NONE))
            case core.Literal() | core.StaticNumber():
                return EMPTY
            case core.Lam() | core.PLam():
                return self._function(node, names, kinds)
            case core.Let() | core.LetPair() | core.PLet() | core.PLetPair() | core.Bind():
                return self._settled(node, self._spine(node, names, kinds), kinds)
            case core.App():
                return self._application(node, names, kinds)
            case core.TypeApp():
                function = self.count(node.function, names, kinds)
                given = self._instance(node, function.functions, kinds)
                return Counted(function.peak, function.kept, given)
            case core.PApp():
                return self._private_application(node, names, kinds)
            case core.If() | core.PIf():
                return self._choice(node, names, kinds)
            case core.Loop() | core.PLoop() | core.RowFold() | core.Fold():
                return self._repeated(node, names, kinds)
            case core.PFoldRows():
                return self._batches(node, names, kinds)
            case core.Mechanism(name=name) if RULES.get(name) == "queries":
                return self._queries(node, names, kinds)
            case _:
                return self._form(node, names, kinds)

    # -----------------------------------------------------------------------------------------------------------------
    # Names and functions

    def _function(self, node: core.Lam | core.PLam, names: Names, kinds: KindScope) -> Counted:
        held = tuple((name, names[name]) for name in sorted(self.captures.of(node)) if names.get(name))
        made = self._numbered(_Function(node, held, kinds.items()))
        amount = Amount(FUNCTION)
        return Counted(amount, amount, frozenset({made}))

    def _numbered(self, function: _Function) -> int:
        at = self._places.setdefault(function, len(self._functions))
        if at == len(self._functions):
            self._functions.append(function)
        return at

    def _spine(self, node: core.Node, names: Names, kinds: KindScope) -> Counted:
        """A chain of lets or binds, walked in a loop."""
        before, inner = EMPTY, dict(names)
        while isinstance(node, core.Let | core.LetPair | core.PLet | core.PLetPair | core.Bind):
            (first, _), (rest, bound) = core.scopes(node)
            found = self.count(first, inner, kinds)
            before = before.then(found)
            inner.update(dict.fromkeys(bound, found.functions))
            node = rest
        last = self.count(node, inner, kinds)
        whole = before.then(last)
        return Counted(whole.peak, whole.kept, last.functions)

    def _application(self, node: core.App, names: Names, kinds: KindScope) -> Counted:
        chain: list[core.App] = []
        here: core.Expression = node
        while isinstance(here, core.App):
            chain.append(here)
            here = here.function
        function = whole = self.count(here, names, kinds)
        for each in reversed(chain):
            argument = self.count(each.argument, names, kinds)
            given = self._instance(each, function.functions, kinds)
            called = self.applied(given, [argument.functions], each.span)
            whole = whole.then(argument).then(called)
            function = called
        return self._settled(node, Counted(whole.peak, whole.kept, function.functions), kinds)

    def _private_application(self, node: core.PApp, names: Names, kinds: KindScope) -> Counted:
        function = whole = self.count(node.function, names, kinds)
        arguments: list[Functions] = []
        for argument in node.args:
            found = self.count(argument, names, kinds)
            arguments.append(found.functions)
            whole = whole.then(found)
        called = self.applied(self._instance(node, function.functions, kinds), arguments, node.span)
        whole = whole.then(called)
        return self._settled(node, Counted(whole.peak, whole.kept, called.functions), kinds)

    def _instance(self, node: Called, functions: Functions, kinds: KindScope) -> Functions:
        """Functions with the numbers, and the sizes of types, that a call or a type application puts in."""
        if not node.instance.values:
            return functions
        found: set[int] = set()
        for at in functions:
            function = self._functions[at]
            known = dict(function.given)
            left = [var for var in function.node.kinds if isinstance(function.node, core.PLam) or var not in known]
            own: dict[KindVar, Static] = {}
            for variable, value in zip(left, node.instance.values, strict=False):
                if value is not None and kinds.knows(value.variables()):
                    check_kinds({variable: kinds.above(value, node.span)}, node.span)
                    own[variable] = kinds.static(value, node.span)
            for variable, size in zip(left, node.instance.cells, strict=False):
                if size is not None and (number := evaluated(size, kinds)) is not None:
                    (its_cells,) = cells_of_variable(variable).variables()
                    own[its_cells] = number
            found |= self._with_numbers(frozenset({at}), own)
        return frozenset(found)

    def _with_numbers(self, functions: Functions, own: Mapping[KindVar, Static]) -> Functions:
        if not own:
            return functions
        found: set[int] = set()
        for at in functions:
            function = self._functions[at]
            given = frozenset({**dict(function.given), **own}.items())
            found.add(
                self._numbered(_Function(function.node, function.names, function.numbers, given, function.arguments))
            )
        return frozenset(found)

    def applied(self, functions: Functions, arguments: Iterable[Functions], span: Span) -> Counted:
        """Whichever of the functions is called, with a few more arguments."""
        more = tuple(arguments)
        found = EMPTY
        for at in functions:
            self.step(span)
            function = self._functions[at]
            together = (*function.arguments, *more)
            if len(together) < len(function.node.params):
                part = _Function(function.node, function.names, function.numbers, function.given, together)
                amount = Amount(FUNCTION)
                found = found.either(Counted(amount, amount, frozenset({self._numbered(part)})))
            elif len(together) == len(function.node.params):
                found = found.either(self._call(at, more, span))
        return found

    def _call(self, at: int, more: tuple[Functions, ...], span: Span) -> Counted:
        key = (at, more)
        if key in self._calls:
            known = self._calls[key]
            if known is None:
                raise uncounted(span)
            return known
        self._calls[key] = None
        function = self._functions[at]
        parameters = function.node.params
        names = dict(function.names)
        names.update(zip((param.name for param in parameters), (*function.arguments, *more), strict=True))
        kinds = KindScope().extended({**dict(function.numbers), **dict(function.given)})
        body = self.count(function.node.body, names, kinds)
        found = Counted(body.peak + Amount(calls=CALL), body.kept, body.functions)
        self._calls[key] = found
        return found

    # -----------------------------------------------------------------------------------------------------------------
    # Forms

    def _form(self, node: core.Node, names: Names, kinds: KindScope) -> Counted:
        """Any other form: its parts, one after another, and what it makes of them."""
        if isinstance(node, core.Filter):
            self._sorted(node, kinds)
        parts = EMPTY
        bodies: list[tuple[core.Expression | core.Private, tuple[str, ...]]] = []
        for inner, bound in core.scopes(node):
            if bound:
                bodies.append((inner, bound))
            else:
                parts = parts.then(self.count(inner, names, kinds))
        if isinstance(node, core.Sample):
            parts = parts.then(drawn(node, kinds))
            self.refuse_too_much(parts.peak, node.span)
        made = parts
        for inner, bound in bodies:
            made = made.then(self._body(node, inner, {**names, **dict.fromkeys(bound, parts.functions)}, kinds))
        own = self._own(node, kinds)
        peak = made.peak.or_more(made.kept + own)
        return self._settled(node, Counted(peak, made.kept + own, made.functions), kinds)

    def _body(self, node: core.Node, body: core.Node, names: Names, kinds: KindScope) -> Counted:
        """The body of a form. Where each cell of what it makes holds functions, each keeps what was made for it."""
        found = self.count(body, names, kinds)
        self.bodies[body] = max(found.peak.held, self.bodies.get(body, 0))
        if node.may_hold_functions and not isinstance(
            node, core.Case | core.PCase | core.CaseMissing | core.PCaseMissing
        ):
            cells = self._cells(node, kinds) or 1
            return Counted(found.peak, found.kept.times(cells), found.functions)
        return found

    def _choice(self, node: core.If | core.PIf, names: Names, kinds: KindScope) -> Counted:
        """Both branches: in lanes both are evaluated. Of a test on public numbers, the one that is taken."""
        guard = self.count(node.guard, names, kinds)
        test = node.test
        then = otherwise = EMPTY
        if test is None or not test.fails(kinds.numbers):
            then = self.count(node.then, names, kinds)
        if test is None or not test.opposite().fails(kinds.numbers):
            otherwise = self.count(node.otherwise, names, kinds)
        both = guard.then(then).then(otherwise)
        # In lanes a third value is made of the two.
        peak = both.peak.or_more(both.kept + self._own(node, kinds)) if isinstance(node, core.If) else both.peak
        return self._settled(node, Counted(peak, both.kept, then.functions | otherwise.functions), kinds)

    def _repeated(
        self, node: core.Loop | core.PLoop | core.RowFold | core.Fold, names: Names, kinds: KindScope
    ) -> Counted:
        parts = EMPTY
        for inner, bound in core.scopes(node):
            if not bound:
                parts = parts.then(self.count(inner, names, kinds))
        match node:
            case core.RowFold() | core.Fold():
                if isinstance(node, core.RowFold):
                    self._sorted(node, kinds)
                lengths = [each and evaluated(each, kinds) for each in node.lengths]
                turns = None if None in lengths else max((ceil(each) for each in lengths if each), default=None)
            case _:
                number = number_of(node.count, kinds)
                turns = None if number is None else ceil(number)
        body, bound = next((inner, bound) for inner, bound in core.scopes(node) if bound)

        def turn(functions: Functions) -> Counted:
            seen = dict.fromkeys(bound, parts.functions)
            if not isinstance(node, core.RowFold):
                seen[node.state] = functions
            return self.count(body, {**names, **seen}, kinds)

        own = self._own(node, kinds)
        if not node.may_hold_functions:
            each = turn(NONE)
            self.bodies[body] = max(each.peak.held, self.bodies.get(body, 0))
            # The state of before, and the one that is made of it.
            peak = parts.peak.or_more(parts.kept + own + own + self._sums(node, kinds) + each.peak)
            return Counted(peak, own)
        found = self._turns(turn, parts.functions, turns, node.span)
        return parts.then(found)

    def _turns(
        self, turn: Callable[[Functions], Counted], functions: Functions, turns: int | None, span: Span
    ) -> Counted:
        """Turn after turn, each with the functions that the one before made."""
        kept, peak, done = NOTHING, NOTHING, 0
        while turns is None or done < turns:
            found = turn(functions)
            peak, kept, done = peak.or_more(kept + found.peak), kept + found.kept, done + 1
            # How often it is not known, the value may be that of any turn.
            after = found.functions if turns is not None else found.functions | functions
            is_settled = after == functions
            functions = after
            if is_settled and found.kept == NOTHING:
                break
            if is_settled and turns is None:
                raise uncounted(span)
            if is_settled and turns is not None:
                kept = kept + found.kept.times(turns - done)
                peak = peak.or_more(kept + found.peak)
                break
            self.refuse_too_much(kept, span)
        self.refuse_too_much(peak, span)
        return Counted(peak, kept, functions)

    def _batches(self, node: core.PFoldRows, names: Names, kinds: KindScope) -> Counted:
        parts = EMPTY
        for inner, _ in core.scopes(node):
            parts = parts.then(self.count(inner, names, kinds))
        parts = parts.then(drawn(node, kinds))
        function = self._instance(node, self.count(node.function, names, kinds).functions, kinds)
        init = self.count(node.init, names, kinds).functions

        def turn(functions: Functions) -> Counted:
            return self.applied(function, (NONE, NONE, functions), node.span)

        if not node.may_hold_functions:
            return parts.then(self._settled(node, turn(NONE), kinds))
        return parts.then(self._turns(turn, init, None, node.span))

    def _queries(self, node: core.Mechanism, names: Names, kinds: KindScope) -> Counted:
        """A mechanism that calls functions, one after another."""
        parts = self._form(node, names, kinds)
        queries = node.params[1]
        assert queries is not None
        given = self._instance(node, self.count(queries, names, kinds).functions, kinds)
        argument = self.count(node.body, names, kinds).functions
        return parts.then(self._settled(node, self.applied(given, (argument,), node.span), kinds))

    # -----------------------------------------------------------------------------------------------------------------
    # Sizes

    def _settled(self, node: core.Node, found: Counted, kinds: KindScope) -> Counted:
        """A value without functions keeps its own cells alone."""
        if node.may_hold_functions:
            self.refuse_too_much(found.peak, node.span)
            return found
        own = self._own(node, kinds)
        return Counted(found.peak.or_more(own), own)

    def _own(self, node: core.Node, kinds: KindScope) -> Amount:
        cells = self._cells(node, kinds)
        return NOTHING if cells is None else Amount(BYTES_TOGETHER * cells)

    def _sums(self, node: core.Node, kinds: KindScope) -> Amount:
        """What a sum of matrices is kept in until all rows are added."""
        if not (isinstance(node, core.RowFold) and node.of_matrices):
            return NOTHING
        return Amount(SUM_BYTES * (self._cells(node, kinds) or 0))

    def _cells(self, node: core.Node, kinds: KindScope) -> int | None:
        """The cells of a value, where it has any and their number is known."""
        sizes = (evaluated(size, kinds) for size in node.cells)
        known = [ceil(size) for size in sizes if size is not None]
        return max(known, default=None) if node not in self.unkept else CELLS_READ_AT_ONCE

    def _sorted(self, node: core.RowFold | core.Filter, kinds: KindScope) -> None:
        """A column that is sorted for a form is kept with its table, for other forms."""
        column = sorted_for(node)
        known = [type_.rows for type_ in node.arg.types if column is not None and isinstance(type_, Matrix)]
        rows = [found for each in known if each is not None and (found := evaluated(each, kinds)) is not None]
        if rows:
            self.columns[column] = max(self.columns.get(column, 0), 8 * ceil(max(rows)))

    def step(self, span: Span) -> None:
        self._steps += 1
        if self._steps > MOST_STEPS:
            raise uncounted(span)

    def refuse_too_much(self, amount: Amount, span: Span) -> None:
        """Refuse what does not fit; a program that holds ever more is left as soon as that is known."""
        if amount.bytes > self.memory:
            raise too_much(amount, self.memory, span)
