"""What somebody may have meant who misspelt a name."""

from __future__ import annotations

from collections.abc import Iterable

from duetpy.diagnostics.display import visible


def closest(name: str, known: Iterable[str], most: int = 1) -> list[str]:
    """The names that are spelt most like a name, capital letters aside, the closest first."""
    from difflib import get_close_matches

    spelt: dict[str, str] = {}
    for each in sorted(known):
        # What stands within a name twice as long is another one: nobody who writes `ys` means `keys`.
        if len(each) < 2 * len(name):
            spelt.setdefault(each.casefold(), each)
    return [spelt[each] for each in get_close_matches(name.casefold()[:100], spelt, n=most, cutoff=0.66)]


def or_else(name: str, known: Iterable[str], before: str = "") -> str:
    """``; did you mean mclip or clip?``, with what stands before each of them; nothing if no name is close."""
    found = [before + visible(each) for each in closest(name, known, 3)]
    if len(found) < 2:
        return f"; did you mean {found[0]}?" if found else ""
    return f"; did you mean {', '.join(found[:-1])} or {found[-1]}?"
