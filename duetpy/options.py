"""Options of the commands and of the notebook's magic: one that cannot be repeated is given once."""

from __future__ import annotations

import argparse
from typing import Any


class _Once(argparse._StoreAction):
    """Stores a value. An option that is given twice is refused: of two ledgers, for one, only the last would be charged."""

    is_given = False

    def __call__(self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, *_: Any) -> None:
        if self.is_given and self.option_strings:
            raise argparse.ArgumentError(self, "is given twice")
        self.is_given = True
        setattr(namespace, self.dest, values)


class OnceParser(argparse.ArgumentParser):
    """Takes an option once, unless it says that it may be repeated."""

    def __init__(self, *words: Any, **options: Any) -> None:
        super().__init__(*words, **options)
        self.register("action", None, _Once)
        self.register("action", "store", _Once)
