"""A statement as JSON: the shape that ``check --format json`` promises."""

from __future__ import annotations

from typing import Any

from duetpy.diagnostics.as_json import diagnostic_value
from duetpy.report.premises import premises_value
from duetpy.report.verdict import Parameter, Statement


def statement_value(statement: Statement) -> dict[str, Any]:
    """A statement as a value that ``json`` can write; an infinite number is None."""
    return {
        "file": statement.file,
        "ok": statement.ok,
        "notion": statement.notion.value,
        "notion_origin": statement.notion_origin,
        "neighbours": statement.neighbours,
        "type": statement.type,
        "parameters": [parameter_value(parameter) for parameter in statement.parameters],
        "releases": statement.released(),
        "result": statement.result,
        "foreign": list(statement.foreign),
        **premises_value(statement.premises),
        "diagnostics": [diagnostic_value(diagnostic) for diagnostic in statement.diagnostics],
    }


def parameter_value(parameter: Parameter) -> dict[str, Any]:
    """What is proved about a parameter; ``value`` and ``tight`` are absent while something is left symbolic."""
    found: dict[str, Any] = {
        "name": parameter.name,
        "type": parameter.type,
        "private": parameter.private,
        "unit": parameter.unit,
        "neighbours": parameter.neighbours,
        "sensitivity": parameter.sensitivity,
        "cost": None if parameter.cost is None else dict(parameter.cost),
    }
    if parameter.value is not None:
        found["value"] = dict(parameter.value)
    if parameter.tight is not None:
        found["tight"] = dict(parameter.tight)
    return found
