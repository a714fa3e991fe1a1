"""What an editor writes between the words of an accepted program: the sensitivity that ``auto`` stands for, by how much each listed
input moves the body of a mechanism, and what is proved of each parameter."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import frozen

from duetpy.grammar import ast
from duetpy.lsp.documents import Document
from duetpy.lsp.judgements import Judgements
from duetpy.report.check_text import cost_text, formula
from duetpy.report.premises import Premises


@frozen
class Hint:
    """A short text and the place that it follows."""

    offset: int
    text: str
    about: str


def hints(document: Document, start: int, end: int) -> list[Hint]:
    """The hints between two places, in the order of the text; none for a program that is refused."""
    statement = document.statement
    if statement is None or not statement.ok or not document.typed.ok:
        return []
    judgements = Judgements(document)
    found = [*_resting(_of_parameters(document, judgements), statement.premises)]
    for node in judgements.nodes:
        if isinstance(node, ast.Mechanism):
            found += _resting(_of_mechanism(document, judgements, node), judgements.premises(node.body))
    return sorted({each for each in found if start <= each.offset <= end}, key=lambda hint: hint.offset)


def _resting(found: Iterator[Hint], premises: Premises | None) -> Iterator[Hint]:
    """Hints that say what their numbers rest on."""
    rests = "" if premises is None else premises.line
    return (Hint(each.offset, each.text, each.about + rests) for each in found)


def _of_parameters(document: Document, judgements: Judgements) -> Iterator[Hint]:
    """Costs and sensitivities behind the parameters of the program."""
    function, statement = judgements.function(), document.statement
    if function is None or statement is None:
        return
    views = [each.params if isinstance(each, ast.Aligned) else (each,) for each in function.params]
    params = [each for view in views for each in view]
    for param, proved in zip(params, statement.parameters, strict=True):
        if proved.cost is None:
            yield Hint(
                param.name.span.end, f" moves the result by ≤ {formula(proved.sensitivity or '')}", "sensitivity"
            )
        elif proved.private:
            yield Hint(param.name.span.end, f" costs {cost_text(proved.cost)}", "privacy cost")


def _of_mechanism(document: Document, judgements: Judgements, node: ast.Mechanism) -> Iterator[Hint]:
    site = judgements.release(node)
    if site is None:
        return
    if node.params and node.params[0] is None:
        token = next(
            (each for each in document.tokens if each.kind == "auto" and node.span.start <= each.start < node.span.end),
            None,
        )
        if token is not None:
            yield Hint(token.end, f" = {formula(site.sensitivity.show())}", "the sensitivity that is inferred")
    moved = {name: each.amount for each in judgements.sensitivities(node.body) for name in each.name.split(", ")}
    for listed in node.private or ():
        if listed.text in moved:
            yield Hint(listed.span.end, f": {formula(moved[listed.text])}", f"how far {listed.text} moves the body")
