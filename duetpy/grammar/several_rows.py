"""A program on rows as a program on persons, for each of which at most so many rows count.

    pλ κs . xs : 𝔻𝔽[σ], … ⇒ p          ⟼          pλ κs . xs : persons[id : τ | xs : 𝔻𝔽[σ∖id]], … ⇒
                                                    (pλ . xs : 𝔻𝔽[σ], … ⇒ p)@[ . (flat[k] xs { person ⇒ person.xs }).[σ], …]

The function that is called takes the sizes and static numbers of the program, so that they have one name in all that is said.
What is checked and run is the program on the right, by the rules of `persons`, `flat` and calls; nothing here is a rule.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import evolve

from duetpy.diagnostics.display import visible
from duetpy.grammar import ast
from duetpy.source import Span


class NotRows(ValueError):
    """The program has no table of rows of that name; the reason in words."""


def of_persons(file: ast.File, persons: Mapping[str, tuple[str, int]]) -> ast.File:
    """The program in which rows of a table with the same identifier are those of one person, for each table its identifier and how
    many rows of a person count.

    Raises
    ------
    NotRows
        If the program has no table of a name whose rows may be those of persons.
    """
    if not isinstance(persons, Mapping) or not all(map(_is_grouped, persons.items())):
        raise NotRows("persons are given by the names of tables, as in {'visits': ('patient', 3)}")
    lets: list[ast.Let] = []
    body = file.body
    while isinstance(body, ast.Let):
        lets.append(body)
        body = body.body
    grouped: dict[str, tuple[ast.Param, ast.SExp]] = {}
    for table, (identifier, most) in persons.items():
        try:
            grouped[table] = _grouped(body, table, identifier, most)
        except NotRows as error:
            raise NotRows(f"{visible(table)}: {error}") from None
    if not isinstance(body, ast.PLam) or not grouped:
        return file
    made: ast.SExp = _on_persons(body, grouped)
    for outer in reversed(lets):
        made = evolve(outer, body=made)
    return evolve(file, body=made)


def _is_grouped(item: tuple[object, object]) -> bool:
    """Whether a table is given by its name with a pair whose first part is the name of a column."""
    table, grouped = item
    return (
        isinstance(table, str)
        and isinstance(grouped, tuple | list)
        and len(grouped) == 2
        and isinstance(grouped[0], str)
    )


def _grouped(program: ast.SExp | None, table: str, identifier: str, most: int) -> tuple[ast.Param, ast.SExp]:
    """The parameter of persons that takes the place of a table, and what the table is of it."""
    if type(most) is not int or most < 1:
        raise NotRows("the number of rows per person must be a whole number of at least 1")
    if not isinstance(program, ast.PLam):
        raise NotRows("the program does not release anything")
    given = next((param for param in program.params if isinstance(param, ast.Param) and param.name.text == table), None)
    if given is None:
        aligned = (param.params for param in program.params if isinstance(param, ast.Aligned))
        is_view = any(view.name.text == table for views in aligned for view in views)
        raise NotRows("it is aligned with other tables" if is_view else "there is no parameter of that name")
    if not isinstance(given.type, ast.TFrame):
        raise NotRows("it is not declared as a data frame, 𝔻𝔽[…]")
    fields = given.type.fields
    others = tuple(field for field in fields if field.name != identifier)
    if not others or identifier == table:
        raise NotRows("it has no column but the identifier" if not others else "the identifier has its name")
    span = given.name.span
    own = next((field for field in fields if field.name == identifier), None)
    who = ast.FieldType(span, identifier, ast.TBase(span, "𝕊")) if own is None else own
    rows = ast.FieldType(span, table, ast.TFrame(given.type.span, others))
    people = evolve(given, type=ast.TPersons(given.type.span, who, (rows,)))
    return people, _rows(span, table, fields, most)


def _on_persons(program: ast.PLam, grouped: Mapping[str, tuple[ast.Param, ast.SExp]]) -> ast.PLam:
    """One call, whose arguments are the rows of persons, or what the program is given itself."""
    params: list[ast.Param | ast.Aligned] = []
    arguments: list[ast.SExp] = []
    for param in program.params:
        for view in param.params if isinstance(param, ast.Aligned) else (param,):
            taken, rows = grouped.get(view.name.text, (param, ast.Var(view.name.span, view.name.text)))
            arguments.append(rows)
        params.append(param if isinstance(param, ast.Aligned) else taken)
    call = ast.PApp(program.span, evolve(program, kinds=(), ensures=()), (), tuple(arguments))
    return evolve(program, params=tuple(params), body=call)


def _rows(span: Span, table: str, fields: tuple[ast.FieldType, ...], most: int) -> ast.SExp:
    """The rows of all persons, so many of each at most, with the columns that the table had."""
    person = ast.Name(span, "person")
    block = ast.FieldOf(span, ast.Var(span, person.text), ast.Name(span, table))
    flat = ast.Flat(span, ast.NatLit(span, most), ast.Var(span, table), person, block)
    return ast.Select(span, flat, tuple(ast.Name(span, field.name) for field in fields))
