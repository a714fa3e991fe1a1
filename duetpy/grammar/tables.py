"""The parse tables of ``duet.lark``: built by Lark, kept next to the grammar, loaded at each start.

To build the tables takes half a second; to load them takes milliseconds. `load` therefore reads ``duet.tables.json``,
which ``python -m duetpy.grammar.tables`` writes, and builds the tables in memory only where that file is missing or
belongs to another grammar.
"""

from __future__ import annotations

import json
from functools import cache
from hashlib import sha256
from os import PathLike
from typing import Any, NamedTuple, TypeAlias

from lark.grammar import NonTerminal, Rule, Terminal
from lark.parsers.lalr_analysis import Reduce, Shift

from duetpy.cached import cached_property
from duetpy.grammar.definition import GRAMMAR, HERE, text_of

SHIPPED = f"{HERE}/duet.tables.json"
STARTS = ("file", "prelude", "type")

END = "$END"


class Production(Rule):
    """A rule, compared by identity.

    Parameters
    ----------
    name
        What the builder calls it: its alias, or else the name of what it makes.
    has_repetition
        Whether it is made of parts of which there may be several.
    """

    __slots__ = ("has_repetition", "is_repetition", "name", "number", "target")

    def __init__(
        self, number: int, origin: NonTerminal, name: str, symbols: list[Terminal | NonTerminal], has_repetition: bool
    ) -> None:
        super().__init__(origin, symbols)
        self.name = name
        self.number = number
        self.target = origin.name
        self.is_repetition = name.startswith("__")
        self.has_repetition = has_repetition

    __hash__ = object.__hash__

    __eq__ = object.__eq__


class Item(NamedTuple):
    """How far a rule has been read: so many of its symbols."""

    rule: Production
    position: int


Action: TypeAlias = tuple[Any, Any]
"""``Shift`` and a state, or ``Reduce`` and a rule."""


class Rows(dict[int, dict[str, Action]]):
    """What to do in each state with each symbol; a state is decoded when it is first entered."""

    def __init__(self, data: dict[str, Any], rules: list[Production]) -> None:
        super().__init__()
        self.shifts: list[str] = data["shifts"]
        self.reductions: list[list[int]] = data["reductions"]
        self.lookaheads: list[list[int]] = data["lookaheads"]
        self.symbols: list[str] = data["symbols"]
        self.rules = rules

    def __missing__(self, state: int) -> dict[str, Action]:
        symbols = self.symbols
        numbers = [*map(int, self.shifts[state].split())]
        row = {symbols[symbol]: (Shift, target) for symbol, target in zip(numbers[::2], numbers[1::2], strict=True)}
        ends = self.reductions[state]
        for rule, following in zip(ends[::2], ends[1::2], strict=True):
            reduce: Action = (Reduce, self.rules[rule])
            row |= dict.fromkeys([symbols[symbol] for symbol in self.lookaheads[following]], reduce)
        self[state] = row
        return row


class Tables:
    """Lark's parse table of the grammar.

    Parameters
    ----------
    data
        What `build` makes.
    """

    def __init__(self, data: dict[str, Any]) -> None:
        symbols: list[str] = data["symbols"]
        terminals = frozenset(symbols[: data["terminals"]])
        self.terminals = terminals
        self.spelled: frozenset[str] = frozenset(data["spelled"])
        """The terminals that are words and signs of the language; the others are the grammar's names of kinds of tokens."""
        made = [Terminal(symbol) if symbol in terminals else NonTerminal(symbol) for symbol in symbols]
        several = {number for number, symbol in enumerate(symbols) if symbol.startswith("<__")}
        self.rules = [
            Production(
                number, made[origin], name, [made[each] for each in expansion], not several.isdisjoint(expansion)
            )
            for number, (origin, name, expansion) in enumerate(data["rules"])
        ]
        self.states = Rows(data, self.rules)
        self.start_states: dict[str, int] = data["starts"]
        self.end_states: dict[str, int] = data["ends"]
        self.chains: dict[type, Any] = {}
        """For each builder the table in which whole chains of rules are one step."""
        self._kernels: list[list[int]] = data["kernels"]

    @cached_property
    def operands(self) -> frozenset[str]:
        """The terminals that an expression may begin with."""
        _, inside = self.states[self.start_states["file"]]["("]
        return self.terminals & self.states[inside].keys()

    @cached_property
    def prefixes(self) -> frozenset[str]:
        """The words and signs that stand before an operand and make an operand of it."""
        formed = {rule.expansion[0].name for rule in self.rules if rule.origin.name == "<operand>"}
        return self.terminals & (formed | self.words("prefix_word") | self.words("side"))

    def words(self, name: str) -> frozenset[str]:
        """The words and signs that a rule such as ``mechanism_word`` has to choose from."""
        return frozenset(rule.expansion[0].name for rule in self.rules if rule.name == name)

    def kernel(self, state: int) -> list[Item]:
        """The rules that are being read in a state."""
        numbers = self._kernels[state]
        return [Item(self.rules[rule], position) for rule, position in zip(numbers[::2], numbers[1::2], strict=True)]


def build(grammar: str) -> dict[str, Any]:
    """The tables of a grammar, in a form that JSON can hold."""
    made = read(grammar)
    return _flat(made.parser.parser._parse_table, spellings(made))


def read(grammar: str) -> Any:
    """What Lark makes of a grammar. It resolves conflicts as shifts, without a word."""
    import logging

    from lark import Lark
    from lark.lexer import Lexer

    class NoLexer(Lexer):
        """The parser brings a lexer of its own."""

        def __init__(self, conf: object) -> None:
            del conf

        def lex(self, lexer_state: object, parser_state: object) -> Any:
            raise AssertionError

    logger = logging.getLogger("lark")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    options = {"keep_all_tokens": True, "maybe_placeholders": False, "debug": True}
    try:
        return Lark(grammar, parser="lalr", lexer=NoLexer, start=list(STARTS), **options)
    finally:
        logger.setLevel(level)


def spellings(made: Any) -> dict[str, str]:
    """Lark's names of terminals ↦ how they are spelled in the grammar."""
    from lark.lexer import PatternStr

    return {each.name: each.pattern.value for each in made.terminals if isinstance(each.pattern, PatternStr)}


def _flat(table: Any, spelled: dict[str, str]) -> dict[str, Any]:
    """Lark's table with numbers for its states, rules and symbols, in an order that does not depend on the run."""
    made = {item.rule.origin.name for state in table.states for item in state}

    def symbol(name: str) -> str:
        """A terminal as it is spelled, and what rules make in angle brackets, for a word may be both."""
        return f"<{name}>" if name in made else spelled.get(name, name)

    def described(rule: Any) -> tuple[str, str, tuple[str, ...]]:
        name = rule.origin.name
        return symbol(name), rule.alias or name, tuple(symbol(each.name) for each in rule.expansion)

    def items(state: Any) -> list[tuple[tuple[str, str, tuple[str, ...]], int]]:
        return sorted((described(item.rule), item.index) for item in state)

    rules = sorted({described(item.rule) for state in table.states for item in state})
    number_of_rule = {rule: number for number, rule in enumerate(rules)}
    states = sorted(table.states, key=items)
    number_of_state = {state: number for number, state in enumerate(states)}
    nonterminals = {origin for origin, _, _ in rules}
    names = {name for _, _, expansion in rules for name in expansion} | {END}
    terminals = sorted(names - nonterminals)
    symbols = terminals + sorted(nonterminals)
    number_of_symbol = {name: number for number, name in enumerate(symbols)}
    shifts, reductions, kernels = [], [], []
    number_of_lookahead: dict[tuple[int, ...], int] = {}
    for state in states:
        targets: list[int] = []
        following: dict[int, list[int]] = {}
        for name, (action, argument) in sorted(table.states[state].items(), key=lambda entry: symbol(entry[0])):
            number = number_of_symbol[symbol(name)]
            if action is Shift:
                targets += [number, number_of_state[argument]]
            else:
                following.setdefault(number_of_rule[described(argument)], []).append(number)
        shifts.append(" ".join(map(str, targets)))
        ends = [
            (rule, number_of_lookahead.setdefault(tuple(each), len(number_of_lookahead)))
            for rule, each in following.items()
        ]
        reductions.append([part for end in ends for part in end])
        kernel = [(number_of_rule[rule], index) for rule, index in items(state) if index]
        kernels.append([part for item in kernel for part in item])
    return {
        "symbols": symbols,
        "terminals": len(terminals),
        "spelled": sorted(set(spelled.values())),
        "rules": [
            [number_of_symbol[origin], name, [number_of_symbol[each] for each in expansion]]
            for origin, name, expansion in rules
        ],
        "shifts": shifts,
        "reductions": reductions,
        "lookaheads": [*number_of_lookahead],
        "kernels": kernels,
        "starts": {start: number_of_state[state] for start, state in sorted(table.start_states.items(), key=_first)},
        "ends": {start: number_of_state[state] for start, state in sorted(table.end_states.items(), key=_first)},
    }


def _first(entry: tuple[str, Any]) -> str:
    return entry[0]


def fingerprint(grammar: str) -> str:
    """What tells one grammar from another."""
    return sha256(grammar.encode()).hexdigest()


def made_from(grammar: str) -> str:
    """The text of the shipped file for a grammar."""
    return json.dumps({"grammar": fingerprint(grammar), **build(grammar)}, ensure_ascii=False, separators=(",", ":"))


@cache
def load(grammar: str | PathLike[str] = GRAMMAR, shipped: str | PathLike[str] = SHIPPED) -> Tables:
    """The tables of a grammar file: the shipped ones where they are its own."""
    text = text_of(grammar)
    try:
        data = json.loads(text_of(shipped))
    except (OSError, ValueError):
        data = {}
    if data.get("grammar") != fingerprint(text):
        data = build(text)
    return Tables(data)


if __name__ == "__main__":
    with open(SHIPPED, "w", encoding="utf-8") as file:
        file.write(made_from(text_of(GRAMMAR)) + "\n")
