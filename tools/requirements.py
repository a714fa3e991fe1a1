"""Prints the requirements of dependency groups, one a line: ``python tools/requirements.py dev``.

The groups stand in pyproject.toml (PEP 735) and nowhere else. ``pip install --group`` reads them from pip 25.1 on; this
serves every older pip, through ``pip install -r``.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

PROJECT = Path(__file__).parents[1] / "pyproject.toml"


def requirements(groups: dict[str, list[str | dict[str, str]]], name: str, within: tuple[str, ...] = ()) -> list[str]:
    """The requirements of a group, with those of the groups it includes, each once and in order."""
    wanted = _normal(name)
    if wanted in within:
        raise SystemExit(f"the group {name} includes itself")
    members = next((members for group, members in groups.items() if _normal(group) == wanted), None)
    if members is None:
        raise SystemExit(f"pyproject.toml has no dependency group {name}")
    found: list[str] = []
    for member in members:
        if isinstance(member, str):
            found.append(member)
        else:
            found += requirements(groups, member["include-group"], (*within, wanted))
    return list(dict.fromkeys(found))


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def main(names: list[str]) -> None:
    groups = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["dependency-groups"]
    found = [requirement for name in names for requirement in requirements(groups, name)]
    print("\n".join(dict.fromkeys(found)))


if __name__ == "__main__":
    main(sys.argv[1:])
