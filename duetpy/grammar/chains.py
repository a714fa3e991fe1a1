"""The parse table with whole chains of rules as one step.

Before ``1.0`` becomes an operand of ``+``, the parser reads ten rules such as ``product: quotient``, of one symbol, that make
nothing of what they read: six of seven reductions are of that kind. The table here is Lark's, so that its parser runs on it,
but names a symbol together with the terminal that follows it. The state that such a symbol leads to is the one at the end
of the chain, for that terminal decides how far the chain goes. Between two tokens the stack is the same with either table.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from lark.parsers.lalr_analysis import Reduce, Shift

from duetpy.grammar.tables import Action, Production, Rows

Followed: TypeAlias = tuple[str, str]
"""A symbol, and the terminal that follows it."""

REFUSED: Action = (None, None)
"""For a terminal that a text cannot go on with."""


class Origin(NamedTuple):
    """What a rule makes, named as Lark asks for it."""

    name: Followed


class Ending:
    """A rule that ends where a terminal follows, with what Lark's parser asks of a rule; compared by identity.

    Parameters
    ----------
    rule
        The rule.
    terminal
        What follows it.
    """

    __slots__ = ("expansion", "origin", "rule")

    def __init__(self, rule: Production, terminal: str) -> None:
        self.rule = rule
        self.expansion = rule.expansion
        self.origin = Origin((rule.target, terminal))


class Chains(dict[int, "Row"]):
    """What to do in each state, a row made when it is first asked for.

    Parameters
    ----------
    rows
        The table itself.
    passes_on
        Whether a rule only hands on the one symbol that it is made of.
    """

    def __init__(self, rows: Rows, passes_on: Callable[[Production], bool]) -> None:
        super().__init__()
        self.rows = rows
        self.passes_on = passes_on
        self.endings: dict[tuple[Production, str], Ending] = {}

        self._only_rules: dict[int, Production | None] = {}

    def __missing__(self, state: int) -> Row:
        row = self[state] = Row(self, state)
        return row

    def only_rule(self, state: int) -> Production | None:
        """The rule that ends in a state whatever follows; None where what follows decides."""
        if state not in self._only_rules:
            first, *others = self.rows[state].values()
            is_only = first[0] is Reduce and all(found == first for found in others)
            self._only_rules[state] = first[1] if is_only else None
        return self._only_rules[state]


class Row(dict[str | Followed, Action]):
    """What to do in one state with a terminal, or with a symbol that a terminal follows."""

    def __init__(self, chains: Chains, state: int) -> None:
        super().__init__()
        self.chains = chains
        self.state = state

    def __missing__(self, key: str | Followed) -> Action:
        action = self[key] = self.with_terminal(key) if isinstance(key, str) else self.after(*key)
        return action

    def with_terminal(self, terminal: str) -> Action:
        kind, argument = self.chains.rows[self.state].get(terminal, REFUSED)
        if kind is not Reduce:
            return kind, argument
        ending = self.chains.endings.get((argument, terminal))
        if ending is None:
            ending = self.chains.endings[argument, terminal] = Ending(argument, terminal)
        return Reduce, ending

    def after(self, symbol: str, terminal: str) -> Action:
        """The state at the end of the chain that begins with a symbol and ends before a terminal."""
        rows, passes_on = self.chains.rows, self.chains.passes_on
        row = rows[self.state]
        state: int = row[symbol][1]
        while True:
            kind, rule = rows[state].get(terminal, REFUSED)
            if kind is not Reduce or not passes_on(rule):
                return Shift, state
            state = row[rule.target][1]
