"""What the files define that the package brings along: somebody who writes one of these names has left out an import."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib import resources

_DEFINED = re.compile(r"^def ([\w-]+) =", re.MULTILINE)


@cache
def standard_names() -> Mapping[str, str]:
    """Every name that such a file defines, and what is imported for it: ``noisy-count`` ↦ ``std:stats``."""
    files = [entry for entry in (resources.files("duetpy") / "std").iterdir() if entry.name.endswith(".duet")]
    return {
        name: f"std:{entry.name.removesuffix('.duet')}"
        for entry in files
        for name in _DEFINED.findall(entry.read_text(encoding="utf-8"))
    }
