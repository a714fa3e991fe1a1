"""Chains of rules as one step leave the parser where the rules one by one would."""

from pathlib import Path
from typing import Any

import pytest
from lark.parsers.lalr_parser_state import ParseConf, ParserState

from duetpy.grammar.automaton import Automaton
from duetpy.grammar.parser import parse_file
from duetpy.grammar.pieces import Piece
from duetpy.source import Source

PROGRAMS = sorted((Path(__file__).parents[1] / "cases" / "good").rglob("*.duet"))


class Counting(dict[Any, Any]):
    """Makes nothing of the pieces of any rule, and counts the rules."""

    def __init__(self) -> None:
        # Lark takes an empty table of callbacks for none.
        super().__init__({None: None})
        self.rules = 0

    def __missing__(self, rule: object) -> Any:
        return self.count

    def count(self, pieces: object) -> None:
        self.rules += 1


def test_between_two_tokens_the_stack_is_that_of_the_table_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    feed = Automaton.feed
    plain, chains = Counting(), Counting()

    def both(self: Automaton, piece: Piece) -> None:
        before = self.states.copy()
        found = []
        for count, states in ((plain, self.rows), (chains, self.chains)):
            conf: Any = ParseConf(self.tables, count, self.conf.start)
            conf.states = states
            twin: Any = ParserState(conf, None, before.copy(), [None] * (len(before) - 1))
            twin.feed_token(piece)
            found.append(twin.state_stack)
        feed(self, piece)
        assert found[0] == found[1] == self.states

    monkeypatch.setattr(Automaton, "feed", both)
    for path in PROGRAMS[::4]:
        parse_file(Source(path.name, path.read_text(encoding="utf-8")))
    assert 0 < chains.rules < plain.rules / 2
