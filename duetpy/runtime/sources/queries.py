"""Queries that stand for a table: ``sql:SELECT … FROM … [WHERE …]``.

Contract. A query is row-wise or it is refused. DuckDB only reads it: its syntax tree is translated, node by node, into the closed
set of forms of `duetpy.runtime.sources.expressions`, and whatever is not listed here is refused, also a part of a node that this
file does not know. The cells are those that the table itself gives, and are computed with by
`duetpy.runtime.sources.row_functions`; the library evaluates nothing. So one row of the table makes at most one row of the result,
the same whatever the other rows are.

    SELECT item, …  FROM "people.duckdb".people | read_parquet('people.parquet')  [WHERE condition]
    item = * | column | expression AS name
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib import import_module
from typing import Any, TypeAlias

from attrs import frozen

from duetpy.diagnostics.display import visible
from duetpy.diagnostics.error import DuetError
from duetpy.runtime.sources.column_selection import SQL
from duetpy.runtime.sources.database import CLOSED, LOCKED
from duetpy.runtime.sources.expressions import Call, Case, Cast, Column, Constant, Expression, refusal
from duetpy.runtime.sources.frames import safely
from duetpy.runtime.sources.row_functions import fitting

LONGEST_QUERY = 1 << 16
MOST_LEVELS = 100
"""Of nested expressions."""


@frozen
class Select:
    """A row-wise query.

    Parameters
    ----------
    items
        What is selected, by name; None in the place of all columns of the table.
    file, table
        A DuckDB file and the name of a base table in it; or a Parquet file and None.
    where
        Which rows are there; None for all.
    """

    items: tuple[tuple[str, Expression] | None, ...]
    file: str
    table: str | None
    where: Expression | None


@lru_cache(maxsize=64)
def parse_query(origin: str) -> Select:
    """The query that a name of the form ``sql:…`` holds.

    Raises
    ------
    DuetError
        D0615 it is not row-wise, or not a query; D0601 the library that reads it is not installed.
    """
    text = origin.removeprefix(SQL)
    if len(text) > LONGEST_QUERY:
        raise refusal(origin, f"it is longer than {LONGEST_QUERY:,} characters")
    try:
        text.encode()
        tree = json.loads(safely(origin, "a query", lambda: _tree(text)))
        return _Translation(origin).select(tree)
    except DuetError:
        raise
    except Exception:
        # A tree of a shape that is not known, one that is deeper than Python goes, or a text that has none.
        raise refusal(origin, "DuckDB cannot read it, or its syntax tree is not known") from None


def _tree(text: str) -> str:
    with import_module("duckdb").connect(":memory:", config=CLOSED) as database:
        for statement in LOCKED:
            database.execute(statement)
        found: tuple[str] = database.execute("SELECT json_serialize_sql(CAST(? AS VARCHAR))", [text]).fetchone()
    return found[0]


# ---------------------------------------------------------------------------------------------------------------------
# From the tree

_OF_NO_MEANING = {"query_location", "query_location_length", "is_operator", "unpacked"}
"""Where something stands in the text, and how it is spelled."""
_NOTHING: tuple[Any, ...] = (
    None,
    "",
    False,
    [],
    {},
    {"map": []},
    {"type": "ORDER_MODIFIER", "orders": []},
    "STANDARD_HANDLING",
    "WITHOUT_ORDINALITY",
)
"""What stands in a part of a node that the query does not use."""

_OTHER_WORDS = {
    "modifiers": "DISTINCT, ORDER BY or LIMIT",
    "cte_map": "WITH",
    "group_expressions": "GROUP BY",
    "group_sets": "GROUP BY",
    "aggregate_handling": "GROUP BY",
    "having": "HAVING",
    "sample": "a sample",
    "qualify": "QUALIFY",
    "filter": "FILTER",
    "order_bys": "ORDER BY",
    "distinct": "DISTINCT",
    "at_clause": "AT",
    "with_ordinality": "WITH ORDINALITY",
}

_DOUBLES = {"DOUBLE", "FLOAT8"}
_WHOLE = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"}

Node: TypeAlias = Mapping[str, Any]


@frozen
class _Translation:
    """The translation of one query; every method raises `DuetError` D0615 for what is not listed in it."""

    origin: str
    alias: tuple[str, ...] = ()

    def refusal(self, what: str) -> DuetError:
        return refusal(self.origin, what)

    def _used(self, node: Node, *names: str) -> list[Any]:
        """The parts of a node that have a meaning here; all others must be unused."""
        for name, value in node.items():
            if name not in names and name not in _OF_NO_MEANING and not any(_is(value, each) for each in _NOTHING):
                raise self.refusal(f"it contains {_OTHER_WORDS.get(name, 'something that is not listed')}")
        return [node[name] for name in names]

    def select(self, tree: Node) -> Select:
        if tree.get("error") is not False or len(tree["statements"]) != 1:
            raise self.refusal("it is not a single SELECT that DuckDB can read")
        (node,) = self._used(tree["statements"][0], "node")
        if node["type"] != "SELECT_NODE":
            raise self.refusal("it is not a plain SELECT")
        _, items, table, where = self._used(node, "type", "select_list", "from_table", "where_clause")
        file, name, alias = self._table(table)
        inside = _Translation(self.origin, alias)
        return Select(
            tuple(inside._item(item) for item in items),
            file,
            name,
            None if where is None else inside._expression(where, 0),
        )

    def _table(self, node: Node) -> tuple[str, str | None, tuple[str, ...]]:
        """The file, the table in it, and by what names its columns may be called."""
        match node["type"]:
            case "BASE_TABLE":
                names = ("type", "alias", "schema_name", "table_name", "catalog_name", "qualified_name")
                present = [name for name in names if name in node]
                self._used(node, *present)
                path = [part for part in (node["catalog_name"], node["schema_name"], node["table_name"]) if part]
                self._agree(node, path)
                alias = (node["alias"] or path[-1],)
                if len(path) == 1 and path[0].lower().endswith(".parquet"):
                    return path[0], None, alias
                if len(path) != 2:
                    raise self.refusal('a table is named without its file, as in FROM "people.duckdb".people')
                return path[0], path[1], alias
            case "TABLE_FUNCTION":
                _, alias, function = self._used(node, "type", "alias", "function")
                name, arguments = self._called(function)
                if name != "read_parquet" or len(arguments) != 1:
                    raise self.refusal(f"its rows come from {visible(name)}")
                file = self._constant(arguments[0]).value
                if not isinstance(file, str) or not file.lower().endswith(".parquet"):
                    raise self.refusal("read_parquet needs the path of one file that ends in .parquet")
                return file, None, (alias,) if alias else ()
            case _:
                raise self.refusal("its rows do not come from one table")

    def _agree(self, node: Node, path: list[str]) -> None:
        """Newer versions of the library give a name twice."""
        if "qualified_name" in node and node["qualified_name"] != {"path": path}:
            raise self.refusal("it contains a name that is not listed")

    def _item(self, node: Node) -> tuple[str, Expression] | None:
        if node["class"] == "STAR":
            self._used(node, "class", "type")
            return None
        found = self._expression(node, 0)
        name = node["alias"] or (found.name if isinstance(found, Column) else "")
        if not name:
            raise self.refusal("an expression has no name: write … AS name")
        return name, found

    def _expression(self, node: Node, level: int) -> Expression:
        if level > MOST_LEVELS:
            raise self.refusal("it is too deeply nested")
        match node["class"]:
            case "COLUMN_REF":
                *_, path = self._used(node, "class", "type", "alias", "column_names")
                if len(path) > 2 or (len(path) == 2 and path[0] not in self.alias):
                    raise self.refusal(f"{visible('.'.join(path))} is not a column of the table")
                return Column(path[-1])
            case "CONSTANT":
                return self._constant(node)
            case "FUNCTION":
                name, arguments = self._called(node)
                if name != name.lower():
                    raise self.refusal("it contains a function that is not listed")
                return self._call(name, arguments, level)
            case "COMPARISON":
                *_, left, right = self._used(node, "class", "type", "alias", "left", "right")
                return self._call(node["type"], [left, right], level)
            case "CONJUNCTION" | "OPERATOR":
                *_, children = self._used(node, "class", "type", "alias", "children")
                return self._call(node["type"], children, level)
            case "BETWEEN":
                *_, given, low, high = self._used(node, "class", "type", "alias", "input", "lower", "upper")
                ends = (("COMPARE_GREATERTHANOREQUALTO", low), ("COMPARE_LESSTHANOREQUALTO", high))
                return Call("CONJUNCTION_AND", tuple(self._call(name, [given, end], level) for name, end in ends))
            case "CASE":
                *_, checks, last = self._used(node, "class", "type", "alias", "case_checks", "else_expr")
                branches = []
                for check in checks:
                    parts = self._used(check, "when_expr", "then_expr")
                    branches.append((self._expression(parts[0], level + 1), self._expression(parts[1], level + 1)))
                return Case(tuple(branches), self._expression(last, level + 1))
            case "CAST":
                return self._cast(node, level)
            case other:
                raise self.refusal(f"it contains {_KINDS_OF_NODES.get(other, 'an expression that is not listed')}")

    def _called(self, node: Node) -> tuple[str, list[Node]]:
        """A function without schema, and its arguments without names."""
        given = "arguments" if "arguments" in node else "children"
        names = [name for name in ("class", "type", "alias", "function_name", "qualified_name", given) if name in node]
        self._used(node, *names)
        if node["class"] != "FUNCTION" or node["type"] != "FUNCTION":
            raise self.refusal("it contains a function that is not listed")
        self._agree(node, [node["function_name"]])
        if given == "children":
            return node["function_name"], list(node[given])
        return node["function_name"], [self._used(each, "expression")[0] for each in node[given]]

    def _call(self, name: str, arguments: Sequence[Node], level: int) -> Call:
        """A function or an operator, of which there must be one with so many arguments."""
        if not arguments or fitting_at_all(name, len(arguments)) is False:
            raise self.refusal(
                f"the function or operator {visible(name.removeprefix('COMPARE_').lower())} is not listed"
            )
        return Call(name, tuple(self._expression(each, level + 1) for each in arguments))

    def _cast(self, node: Node, level: int) -> Expression:
        """TRY_CAST to a double; older versions of the library write ``true`` as a cast."""
        target = "cast_type" if "cast_type" in node else "type_expr"
        *_, child, is_total, wanted = self._used(node, "class", "type", "alias", "child", "try_cast", target)
        if target == "cast_type":
            name, *_ = self._used(wanted, "id")
        else:
            parts = [each for each in ("class", "type", "alias", "type_name", "qualified_name") if each in wanted]
            self._used(wanted, *parts)
            name = wanted["type_name"]
            self._agree(wanted, [name])
        inner = self._expression(child, level + 1)
        if name.upper() == "BOOLEAN" and isinstance(inner, Constant) and inner.value in ("t", "f"):
            return Constant(float(inner.value == "t"))
        if not is_total:
            raise self.refusal("it contains a cast that one cell may stop: write TRY_CAST(… AS DOUBLE)")
        if name.upper() not in _DOUBLES:
            raise self.refusal("a value can be cast only to DOUBLE")
        return Cast(inner)

    def _constant(self, node: Node) -> Constant:
        if node["class"] != "CONSTANT":
            raise self.refusal("a constant is needed, and it contains an expression")
        form = "literal" if "literal" in node else "value"
        *_, said = self._used(node, "class", "type", "alias", form)
        found = _literal(said) if form == "literal" else _value(said)
        if found is None:
            raise self.refusal("it contains a constant that is neither a number nor a text")
        return found


_KINDS_OF_NODES = {
    "SUBQUERY": "a subquery",
    "WINDOW": "a window function",
    "STAR": "COLUMNS or a star in an expression",
    "PARAMETER": "a parameter",
    "LAMBDA": "a function of its own",
}


def _is(value: Any, other: Any) -> bool:
    return type(value) is type(other) and bool(value == other)


def fitting_at_all(name: str, count: int) -> bool:
    """Whether there is a function of this name with so many arguments, of whatever kinds."""
    return any(fitting(name, kind * count) is not None for kind in "nt")


def _literal(said: Node) -> Constant | None:
    """A constant as version 2 of the library writes it; None for one of another kind."""
    kind, text = said.get("kind"), said.get("text")
    if set(said) != {"kind", "text"} or not isinstance(text, str):
        return None
    match kind:
        case "NULL_LITERAL":
            return Constant(None)
        case "BOOLEAN" if text in ("true", "false"):
            return Constant(float(text == "true"))
        case "STRING":
            return Constant(text)
        case "INTEGER" | "NUMERIC":
            return _number(text)
        case _:
            return None


def _value(said: Node) -> Constant | None:
    """The same as version 1 writes it."""
    if said.get("is_null") is True:
        return Constant(None)
    kind, value = said["type"]["id"], said.get("value")
    if kind == "VARCHAR" and isinstance(value, str):
        return Constant(value)
    if kind == "BOOLEAN" and isinstance(value, bool):
        return Constant(float(value))
    if kind == "DECIMAL" and type(value) is int:
        return _number(f"{value}e-{int(said['type']['type_info']['scale'])}")
    is_number = (kind in _WHOLE and type(value) is int) or (kind == "DOUBLE" and type(value) in (int, float))
    return _number(repr(value)) if is_number else None


def _number(text: str) -> Constant | None:
    number = float(text)
    return Constant(number) if math.isfinite(number) else None
