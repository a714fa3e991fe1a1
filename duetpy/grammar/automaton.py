"""Lark's parser at work: its stacks, what it would accept, and the rules that it has read."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias, cast

from lark.parsers.lalr_analysis import Reduce, Shift
from lark.parsers.lalr_parser_state import ParseConf, ParserState

from duetpy.grammar.chains import Chains, Ending
from duetpy.grammar.pieces import Piece, repeated, spliced
from duetpy.grammar.tables import END, Item, Production, Tables

_FIRST = itemgetter(0)


class Place(NamedTuple):
    """Where a terminal would stand.

    Parameters
    ----------
    item
        The rule that it would continue.
    bases
        For each symbol of the rule that has been read, the depth of the stack at which it begins.
    """

    item: Item
    bases: tuple[int, ...]


def chains_of(tables: Tables, builder: type) -> Chains:
    """The table in which the rules that a builder makes nothing of are one step, made once."""
    known = tables.chains.get(builder)
    if known is None:
        known = tables.chains[builder] = Chains(tables.states, partial(_passes_on, builder))
    return known


def _passes_on(builder: type, rule: Production) -> bool:
    return len(rule.expansion) == 1 and not rule.is_repetition and not hasattr(builder, rule.name)


class Callbacks(dict[Production | Ending, Callable[[list[Any]], Any]]):
    """For each rule what makes one piece of its pieces, looked up when the rule has first been read."""

    def __init__(self, builder: object, rules: list[Production]) -> None:
        super().__init__()
        self.builder = builder
        # Lark takes an empty table of callbacks for none.
        _ = self[rules[-1]]

    def __missing__(self, rule: Production | Ending) -> Callable[[list[Any]], Any]:
        if isinstance(rule, Ending):
            return self.setdefault(rule, self[rule.rule])
        method: Callable[[list[Any]], Any] | None = getattr(self.builder, rule.name, None)
        if method is None:
            method = repeated if rule.is_repetition else _FIRST
        elif rule.has_repetition:
            method = partial(_spliced_first, method)
        self[rule] = method
        return method


def _spliced_first(method: Callable[[list[Piece]], Piece], pieces: list[Any]) -> Piece:
    return method(spliced(pieces))


Outcomes: TypeAlias = dict[tuple[int, str], int | None]
"""For a state on top of a stack and a terminal: the state that it leads to, or None where it is not accepted."""


def common_length(left: list[int], right: list[int]) -> int:
    """How many numbers two lists begin with alike, by comparisons of slices, which cost next to nothing."""
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


class Automaton:
    """Lark's parser for one text.

    Parameters
    ----------
    tables
        The tables of the grammar.
    start
        What the text is: ``file``, ``prelude`` or ``type``.
    builder
        Its methods, named as rules are, make one piece of the pieces of a rule. A rule of one symbol without a method
        passes that on.
    """

    def __init__(self, tables: Tables, start: str, builder: object) -> None:
        self.tables = tables
        self.rows = tables.states
        self.callbacks = Callbacks(builder, tables.rules)
        self.chains = chains_of(tables, type(builder))
        self.conf: ParseConf[int] = ParseConf(cast(Any, tables), cast(Any, self.callbacks), start)
        self.conf.states = cast(Any, self.chains)
        self.state: ParserState[int] = ParserState(self.conf, cast(Any, None))
        self.feed_token: Callable[[Any], Any] = self.state.feed_token
        self.states: list[int] = self.state.state_stack
        self.values: list[Any] = self.state.value_stack
        self._outcomes: list[Outcomes] = []
        self._outcomes_of: list[int] = []

    def accepts(self, terminal: str) -> bool:
        """Whether the text can go on with a terminal."""
        chains, states = self.chains, self.states
        action, ending = chains[states[-1]][terminal]
        left = len(states)
        above: list[int] = []
        # As `Trial.settle`, without what repairs need to know: every token of every text comes here.
        while action is Reduce:
            size, height = len(ending.expansion), len(above)
            if size < height:
                del above[height - size :]
                state = above[-1]
            else:
                above.clear()
                left -= size - height
                state = states[left - 1]
            state = chains[state][ending.origin.name][1]
            if state == self.conf.end_state and terminal == END:
                return True
            above.append(state)
            action, ending = chains[state][terminal]
        return action is Shift

    def outcomes(self) -> list[Outcomes]:
        """What trials have found, by the depth of the stack that they left. Where the stack has changed, it is forgotten; so trials
        that come down the same stack, one after every mistake of a deep text, go over it once."""
        before, now = self._outcomes_of, self.states
        alike = common_length(before, now)
        del self._outcomes[alike + 1 :]
        self._outcomes.extend({} for _ in range(len(now) + 1 - len(self._outcomes)))
        before[alike:] = now[alike:]
        return self._outcomes

    def feed(self, piece: Piece) -> None:
        """Go on with a terminal that is accepted."""
        self.feed_token(piece)

    def complete(self) -> None:
        """End the rule that has been read to its end, whatever follows, so that the names of a body end with its brace."""
        rule = self.chains.only_rule(self.states[-1])
        if rule is None:
            return
        size = len(rule.expansion)
        pieces = self.values[-size:]
        del self.values[-size:], self.states[-size:]
        self.values.append(self.callbacks[rule](pieces))
        self.states.append(self.rows[self.states[-1]][rule.target][1])

    def finish(self, at: int) -> Piece:
        """End the text, which is accepted; what was made of it."""
        made: Piece = self.state.feed_token(cast(Any, Piece(END, None, at, at)), is_end=True)
        return made


class Trial:
    """The parser's stack with changes on top, which leave the stack itself alone.

    Parameters
    ----------
    automaton
        Whose stack.
    depth
        How much of the stack is left; all of it by default.
    """

    def __init__(self, automaton: Automaton, depth: int | None = None) -> None:
        self.rows = automaton.rows
        self.end = automaton.conf.end_state
        self.states = automaton.states
        self.depth = len(automaton.states) if depth is None else depth
        self.extra: list[int] = []
        self.bases: list[int] = []

    def copy(self) -> Trial:
        twin = Trial.__new__(Trial)
        twin.rows, twin.end, twin.states, twin.depth = self.rows, self.end, self.states, self.depth
        twin.extra, twin.bases = self.extra.copy(), self.bases.copy()
        return twin

    def top(self) -> int:
        return self.extra[-1] if self.extra else self.states[self.depth - 1]

    def settle(self, terminal: str, outcomes: list[Outcomes] | None = None) -> int | None:
        """Reduce what the terminal ends; the state that it leads to, or None where it is not accepted.

        With the `outcomes` of the automaton the trial is over then: it looks no further down than others have.
        """
        rows, states, extra, bases = self.rows, self.states, self.extra, self.bases
        state = extra[-1] if extra else states[self.depth - 1]
        passed: list[tuple[Outcomes, tuple[int, str]]] = []
        outcome: int | None = None
        while True:
            found = rows[state].get(terminal)
            if found is None:
                break
            action, argument = found
            if action is Shift:
                outcome = argument
                break
            size = len(argument.expansion)
            above = len(extra)
            is_within = size < above
            if is_within:
                base = bases[-size] if size else self.depth
                del extra[above - size :], bases[above - size :]
                state = extra[-1]
            else:
                self.depth -= size - above
                base = bases[0] if size == above and above else self.depth
                extra.clear()
                bases.clear()
                state = states[self.depth - 1]
            state = rows[state][argument.target][1]
            extra.append(state)
            bases.append(base)
            if state == self.end and terminal == END:
                outcome = self.end
                break
            if outcomes is not None and not is_within:
                known, key = outcomes[self.depth], (state, terminal)
                if key in known:
                    outcome = known[key]
                    break
                passed.append((known, key))
        for known, key in passed:
            known[key] = outcome
        return outcome

    def shift(self, terminal: str) -> bool:
        """Go on with a terminal, if it is accepted."""
        state = self.settle(terminal)
        if state is None:
            return False
        self.bases.append(len(self.states))
        self.extra.append(state)
        return True
