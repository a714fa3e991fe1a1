"""What a program does to the data, in numbered sentences: ``check -v``.

    steps
      1    Take table, which is protected: one row of it may be replaced by another.
      2    Release `(mfold-row 0.0, table { total, row ⇒ …` with noise (laplace, scale 100/(m⋅ε)): it differs by at
           most 100/m between neighbours (3:3).
      2.1  Go through the rows of table and add up `clip[0.0, 100.0] row.age` (4:6).

The sentences say what a run does, in the names of the program; `why` says how the numbers arose.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from duetpy.diagnostics.display import visible
from duetpy.report.check_text import formula, is_exposed
from duetpy.report.core_steps import count_of, name_of, place_of, steps, text_of, texts_of
from duetpy.report.layout import table
from duetpy.report.noise import noise
from duetpy.report.verdict import Parameter, Statement
from duetpy.typecheck import core
from duetpy.typecheck.facts import facts_of
from duetpy.typecheck.mechanism_rows import RULES
from duetpy.typecheck.neighbours import ADD_REMOVE, PERSONS, REPLACE, REPLACE_PERSON
from duetpy.typecheck.quantity import KindVar, Quantity

EXCERPT = 60
"""So much of an expression is quoted."""

CHANGES = {
    REPLACE: "{} may be replaced by another",
    ADD_REMOVE: "one row may be added to it or removed",
    PERSONS: "one person may be added to it or removed, with all their rows",
    REPLACE_PERSON: "all rows of one person in it may be replaced by others",
}
"""What a neighbour does to a protected parameter; for all others it moves by one step of its distance."""

TOGETHER = {
    "+": "add up",
    "⊔": "take the largest of",
    "⊓": "take the smallest of",
    "∧": "find out whether all hold of",
    "∨": "find out whether any holds of",
}
"""What a fold that adds or picks does, by its sign."""


def sentences(root: core.Node | None, statement: Statement) -> list[tuple[str, str]]:
    """The numbers of the steps, such as ``2.1``, and the sentences."""
    numbers = {var: Quantity.of(value) for var, value in statement.values.kinds.items()}
    found = [(0, each) for each in _taken(statement.parameters)]
    found += steps(root, partial(_sentence, statement=statement, numbers=numbers), has_formulas=True)
    return list(zip(_numbered([depth for depth, _ in found]), map(_ended, (text for _, text in found)), strict=True))


def sentences_text(root: core.Node | None, statement: Statement) -> str:
    """The same as a text, each line ended; nothing of a program that does nothing."""
    found = sentences(root, statement)
    return "  steps\n" + table(found, indent="    ", gap="  ") if found else ""


def _numbered(depths: Sequence[int]) -> Iterator[str]:
    """1, 2, 2.1, 2.2, 3: a step below another one has its number first."""
    counts: list[int] = []
    for depth in depths:
        del counts[depth + 1 :]
        counts += [0] * (depth + 1 - len(counts))
        counts[depth] += 1
        yield ".".join(map(str, counts))


def _ended(text: str) -> str:
    """A sentence: it begins with a capital letter, and ends."""
    end = "" if text.endswith(":") else ":" if text.startswith(("when ", "if ", "otherwise")) else "."
    return f"{text[:1].upper()}{text[1:]}{end}"


def _taken(parameters: Sequence[Parameter]) -> Iterator[str]:
    """What comes in, and how it is protected; public numbers are not listed one by one."""
    for parameter in parameters:
        name = visible(parameter.name)
        change = CHANGES.get(parameter.neighbours, "it may move by one step of its distance")
        if parameter.cost is None:
            yield f"take {name}"
        elif parameter.private:
            yield f"take {name}, which is protected: {change.format(parameter.replaced)}"
        elif is_exposed(parameter):
            yield f"take {name}, which is not protected"


def _sentence(node: core.Node, name: str, *, statement: Statement, numbers: Mapping[KindVar, Quantity]) -> str | None:
    """What a form does; None for one that is not reported."""
    said = _release(node, name, statement) if isinstance(node, core.Mechanism) else _said(node, numbers)
    if said is None:
        return None
    return f"{said.removesuffix(':')} ({place_of(node)}){':' if said.endswith(':') else ''}"


def _quoted(node: core.Node) -> str:
    """An expression as it is written; a name alone needs no marks."""
    shown = text_of(node, EXCERPT)
    return shown if isinstance(node, core.Var) else f"`{shown}`"


def _said(node: core.Node, numbers: Mapping[KindVar, Quantity]) -> str | None:
    match node:
        case core.RowFold(sign=sign, arg=rows, term=term):
            return f"read the rows of {_quoted(rows)} and {TOGETHER[sign]} {_quoted(term)}"
        case core.Fold(init=init, arg=rows, state=state, body=body):
            made = f"from {name_of(state)} and each row make the next {name_of(state)}, {_quoted(body)}"
            return f"read the rows of {_quoted(rows)}, beginning with {_quoted(init)}: {made}"
        case core.Map(args=tables, body=body):
            part = "cell" if node.form == "entry" or node.sees_cell else "column" if node.form == "column" else "row"
            return f"compute {_quoted(body)} from each {part} of {texts_of(tables)}"
        case core.Filter(arg=rows, body=body):
            return f"keep the rows of {_quoted(rows)} for which {_quoted(body)} holds"
        case core.Flat(most=most, arg=rows):
            return f"put the rows within each row of {_quoted(rows)}, {count_of(most, numbers)} at most, into one table"
        case core.Join(left=left, right=right, most=most):
            partners = "a row" if most is None else f"the first {count_of(most, numbers)} rows"
            verb = "has" if most is None else "have"
            same = f"{partners} of {_quoted(right)} that {verb} the same {visible(node.name)}"
            return f"to each row of {_quoted(left)} join {same}"
        case core.Partition(table=rows, keys=keys):
            return (
                f"divide the rows of {_quoted(rows)} by {visible(node.name)} into one table per key of {_quoted(keys)}"
            )
        case core.Prim(loss=loss) if loss is not None:
            return f"compute {_quoted(node)}, from gradients of the loss {loss}"
        case core.Prim(name=name, args=(rows,), norm=norm) if norm is not None and facts_of(name).rounds:
            return f"shorten the rows of {_quoted(rows)} that are too long in {norm.value}, {_quoted(node)}"
        case core.Loop(count=count) | core.PLoop(count=count):
            return f"repeat {count_of(count, numbers)} times:"
        case core.Parallel(table=rows, keys=keys, key_of=key_of, key=key, part=part):
            parts = f"one part per key of {_quoted(keys)}; rows with other keys are in no part"
            each = f"for each {name_of(key)} and its rows, {name_of(part)}:"
            return f"divide the rows of {_quoted(rows)} by {_quoted(key_of)} into {parts}; {each}"
        case core.PMap(arg=arg):
            return f"for each {'column' if node.by_column else 'cell'} of {_quoted(arg)}:"
        case core.PFoldRows(batch=batch, features=features):
            return f"read {_quoted(features)} in batches of {count_of(batch, numbers)} rows:"
        case core.Sample(scheme=scheme, tables=tables, names=names, size=size):
            called = ", ".join(map(name_of, names))
            return f"{_DRAWN[scheme].format(rows=texts_of(tables), size=count_of(size, numbers))}, called {called}:"
        case core.RandNat(low=low, high=high):
            return f"draw a number from {_quoted(low)} to {_quoted(high)} independently of the data"
        case core.ForeignCall(target=target):
            return f"call foreign code, {visible(target)}, of which nothing but its type is known"
        case core.Return(value=value):
            return f"return {_quoted(value)}"
        case _:
            return None


_DRAWN = {
    "sample": "draw {size} of the rows of {rows} at random",
    "poisson": "draw each row of {rows} with probability {size}",
    "shuffle": "take a report of each row of {rows} in a random order",
}


def _release(node: core.Mechanism, name: str, statement: Statement) -> str:
    """What a mechanism releases, with what noise, and what it is hidden."""
    site = noise(node.site, statement.values)
    rule = RULES.get(node.name)
    by = ", ".join(filter(None, (node.name, site.scale)))
    body = _quoted(node.body)
    called = f" as {name}" if name and not name.startswith("_") else ""
    moved = f"{'a score' if rule in ('choice', 'risk') else 'it'} differs by at most {formula(site.sensitivity)} between neighbours"
    match rule:
        case "choice" | "risk":
            better = "smaller" if rule == "risk" else "larger"
            among = "a candidate" if node.candidates is None else f"one of {_quoted(node.candidates)}"
            return f"choose {among}, more probably one with a {better} {body}, and release the choice{called} ({by}): {moved}"
        case "queries":
            return f"release{called} which of several questions is the first whose answer with noise is large enough ({by})"
        case "response":
            return f"release{called} {body}, or with some probability another answer ({by})"
        case "descent":
            return f"release{called} the model after noisy steps of gradient descent ({by})"
        case "claim":
            trusted = "the cost that the program states is trusted, not verified"
            return f"release{called} {body} without adding noise; {trusted}"
        case "found":
            return f"release{called} the keys that enough rows have ({by})"
        case "counted":
            return f"release{called} the keys that enough rows have, with noisy numbers of their rows ({by})"
        case _:
            return f"release {body}{called} with noise ({by}): {moved}"
