"""What the tests of the runtime share."""

from pathlib import Path

import pytest

from duetpy.runtime.sources.csv import read_csv
from duetpy.runtime.sources.table import Table
from tests.runtime.people import REAL, Reader


@pytest.fixture
def read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Reader:
    """Write bytes to ``people.csv`` in an empty folder and read them."""
    monkeypatch.chdir(tmp_path)

    def reader(content: bytes, columns=REAL, **options) -> Table:
        Path("people.csv").write_bytes(content)
        return read_csv("people.csv", columns, **options)

    return reader
