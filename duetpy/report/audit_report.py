"""What an audit found, as text and as JSON. Neither ever says that a program is private: an audit can only refute."""

from __future__ import annotations

from typing import Any

from duetpy.audit.findings import Audit, counted
from duetpy.diagnostics.as_json import diagnostic_value
from duetpy.diagnostics.display import visible

WIDTH = 12


def audit_value(audit: Audit) -> dict[str, Any]:
    """As printed by ``audit --format json``.

    Returns
    -------
    dict
        ``program``; ``violations``, how many were found; ``layers``, each with ``name``, ``did`` and ``could_see`` in words,
        its numbers under ``facts``, and its ``violations`` as diagnostics; ``notes``, what was left out; ``diagnostics``, why
        there was no audit.
    """
    return {
        "program": audit.program,
        "violations": len(audit.violations),
        "layers": [
            {
                "name": layer.name,
                "did": layer.did,
                "could_see": layer.could_see,
                "facts": dict(layer.facts),
                "violations": [diagnostic_value(violation) for violation in layer.violations],
            }
            for layer in audit.layers
        ],
        "notes": list(audit.notes),
        "diagnostics": [diagnostic_value(diagnostic) for diagnostic in audit.diagnostics],
    }


def audit_text(audit: Audit) -> str:
    """As printed by ``audit``; the violations themselves are diagnostics, which are printed elsewhere."""
    lines = [f"{visible(audit.program)}: {counted(len(audit.violations))}"]
    for layer in audit.layers:
        lines.append(f"  {layer.name:<{WIDTH}} {layer.did}")
        told = f"found: {len(layer.violations)}" if layer.violations else f"could have detected: {layer.could_see}"
        lines.append(f"  {'':<{WIDTH}} {told}")
    lines.extend(f"  {'note':<{WIDTH}} {note}" for note in audit.notes)
    return "".join(f"{line}\n" for line in lines)
