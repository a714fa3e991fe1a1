"""A broken rule, and where it stands."""

from __future__ import annotations

from attrs import frozen

PRELUDE = "prelude.duet"


@frozen
class Mutant:
    """A broken rule.

    Parameters
    ----------
    name
        What it gets wrong.
    place
        The module under ``duetpy.typecheck``, or with its package's name (``accounting.approx``, ``report.pricing``), or
        ``prelude.duet``.
    right, wrong
        The text there, which occurs once, and what takes its place.
    rules
        The rules that it breaks, whose programs are tried first.
    """

    name: str
    place: str
    right: str
    wrong: str
    rules: tuple[str, ...]

    @property
    def module(self) -> str:
        """The full name of the module."""
        is_elsewhere = self.place.startswith(("accounting.", "runtime.", "report."))
        return f"duetpy.{self.place}" if is_elsewhere else f"duetpy.typecheck.{self.place}"


def line(name: str, right: str, wrong: str, *rules: str) -> Mutant:
    """A signature of the prelude that claims too little."""
    return Mutant(name, PRELUDE, right, wrong, rules)


def mispriced(name: str, notion: str, right: str, wrong: str, *rules: str) -> Mutant:
    """A formula of a notion that is too cheap."""
    return Mutant(name, f"accounting.{notion}", right, wrong, rules)


ADDED = "total([product(count, price[at]) for price, count in prices])"
CHOSEN = "largest(*(price[at] for price in prices))"
LAST = "prices[-1][at]"
LARGEST = "largest(*(price[at] for price, _ in prices))"


def shared(name: str, notion: str, right: str, wrong: str, *rules: str) -> Mutant:
    """A formula that notions share, an expression, and is too cheap in one of them."""
    return mispriced(
        name, "notions.interpretation", right, f"({wrong} if self.notion is Notion.{notion} else {right})", *rules
    )
