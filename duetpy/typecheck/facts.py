"""What the prelude states about a primitive in addition to its signatures; the head of ``prelude.duet`` says what each fact means.

Each line of the prelude is read when it is first needed: to check a small program takes few of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from attrs import frozen

from duetpy.by_value import ByValue
from duetpy.grammar import ast
from duetpy.grammar.ast import Norm
from duetpy.grammar.declared import DECLARED, SPELLING_FACTS, signature_lines
from duetpy.grammar.prelude_trees import parsed, shipped_tree


@frozen(eq=False, repr=False)
class Facts(ByValue):
    """What is known of a primitive; of one that states nothing, and of the forms that no signature can say, nothing is.

    Parameters
    ----------
    range
        The name of the operation on ranges that bounds its result, empty where none does.
    within, near
        The ends of a range that its result lies in, and how far below and above its argument it may lie.
    static
        The name of the arithmetic that it is on static numbers, empty for none.
    direction
        For each operand how the result goes as it grows; empty where that is not known.
    zero
        ``all``, ``any`` or ``first``: which operands are 0 where it must be.
    picks
        What it finds when it is folded over rows, empty for nothing.
    part
        ``first`` or ``second``, if it takes a part of a pair, and else empty.
    compares
        ``below``, ``at most`` or ``equal``, empty where it compares nothing.
    counts
        ``row`` or ``entry``, empty where it counts nothing.
    is_sided
        Whether it is −1, 0 or 1, by the side of 0 on which its operand lies.
    is_of_rows
        Whether it takes tables of values that can be compared, of all lanes at once.
    keeps
        Whether it leaves out some rows of its table and keeps the others.
    is_same
        Whether it is its operand, with another type or metric.
    rounds
        The norms in which it keeps a fixed number of places of real rows.
    because, examples, help
        Why its result moves without bound; two arguments with the distances before and after; what to do instead.
    stretches
        How it may move a value further, and a word for it.
    """

    is_arithmetic: bool = False
    is_cellwise: bool = False
    is_comparable: bool = False
    is_one_sort: bool = False
    is_row_wise: bool = False
    is_of_rows: bool = False
    is_approximate: bool = False
    is_sided: bool = False
    is_same: bool = False
    adds: bool = False
    remeasures: bool = False
    keeps: bool = False
    range: str = ""
    within: tuple[ast.End, ...] = ()
    near: tuple[ast.End, ...] = ()
    static: str = ""
    direction: tuple[str, ...] = ()
    zero: str = ""
    picks: str = ""
    part: str = ""
    compares: str = ""
    counts: str = ""
    rounds: tuple[Norm, ...] = ()
    because: str = ""
    examples: tuple[tuple[str, ...], ...] = ()
    help: str = ""
    stretches: tuple[str, ...] = ()
    naturals: str = ""
    reals: str = ""
    tables: str = ""
    wholes: bool = False
    turned: str = ""


NOTHING = Facts()

_STATIC = ("sum", "difference", "product", "quotient", "remainder", "larger", "smaller", "magnitude")

_ALLOWED: Mapping[str, tuple[str, ...]] = {
    "range": ("sum", "difference", "product", "quotient", "larger", "smaller", "magnitude", "either"),
    "static": (*_STATIC, "root", "logarithm", "embedded", "ordinary"),
    "direction": ("up", "down", "factor", "fixed"),
    "zero": ("all", "any", "first"),
    "picks": ("largest", "smallest", "all", "any"),
    "part": ("first", "second"),
    "compares": ("below", "at most", "equal"),
    "counts": ("row", "entry"),
    "rounds": tuple(norm.value for norm in Norm),
}
"""What a fact may say, where that is one of a few words."""

_FLAGS = {
    name: f"is_{name}"
    for name in ("arithmetic", "cellwise", "comparable", "one_sort", "row_wise", "approximate", "sided", "same")
}
_FLAGS["of_rows"] = "is_of_rows"
_FLAGS |= {name: name for name in ("adds", "remeasures", "keeps", "wholes")}
_TEXTS = (
    "range",
    "static",
    "zero",
    "picks",
    "part",
    "compares",
    "counts",
    "because",
    "help",
    "naturals",
    "reals",
    "tables",
    "turned",
)
_LISTS = ("direction", "rounds", "example", "stretches")
_COUNTED = {**dict.fromkeys(_FLAGS, 0), **dict.fromkeys(_TEXTS, 1), "example": 5}
"""How many texts a fact has."""


@cache
def lines(name: str) -> tuple[str, ...]:
    """The signatures of a name as the prelude writes them, the first one with the facts; none for a name that it does not have."""
    return signature_lines(DECLARED[name].text) if name in DECLARED else ()


@cache
def declaration(name: str, place: int) -> ast.PrimitiveDecl:
    """What the prelude declares of a name in one line."""
    return shipped_tree(lines(name)[place]) or parsed(lines(name)[place])


@cache
def facts_of(name: str) -> Facts:
    """What is stated of a name; nothing for a name that the prelude does not have."""
    return known(declaration(name, 0).facts) if lines(name) else NOTHING


def known(stated: Iterable[ast.PrimitiveFact]) -> Facts:
    """The facts that are stated below the signatures of one name."""
    texts: dict[str, tuple[str, ...]] = {}
    ends: dict[str, tuple[ast.End, ...]] = {}
    examples: list[tuple[str, ...]] = []
    for fact in stated:
        if fact.name in SPELLING_FACTS:
            continue
        _expect(fact)
        if fact.ends:
            ends[fact.name] = fact.ends
        elif fact.name == "example":
            examples.append(fact.texts)
        else:
            texts[fact.name] = fact.texts
    plain: dict[str, Any] = {field: name in texts for name, field in _FLAGS.items()}
    plain |= {name: texts.get(name, ("",))[0] for name in _TEXTS}
    return Facts(
        **plain,
        within=ends.get("range", ()),
        near=ends.get("near", ()),
        direction=texts.get("direction", ()),
        rounds=tuple(Norm(norm) for norm in texts.get("rounds", ())),
        examples=tuple(examples),
        stretches=texts.get("stretches", ()),
    )


def _expect(fact: ast.PrimitiveFact) -> None:
    """A fact is one that the head of the prelude describes, as it describes it."""
    if fact.ends:
        assert fact.name in ("range", "near"), fact.span.text
        assert len(fact.ends) == 2, fact.span.text
        assert not fact.texts, fact.span.text
        return
    assert fact.name in (*_FLAGS, *_TEXTS, *_LISTS), fact.span.text
    assert len(fact.texts) == _COUNTED.get(fact.name, len(fact.texts)), fact.span.text
    assert set(fact.texts) <= set(_ALLOWED.get(fact.name, fact.texts)), fact.span.text
