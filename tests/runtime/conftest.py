"""What the tests of the runtime share."""

from pathlib import Path

import pytest

from duetpy.runtime.sources.csv import CsvFile
from duetpy.runtime.sources.table import Table
from tests.runtime.people import REAL, Reader


@pytest.fixture
def read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Reader:
    """Write bytes to ``people.csv``, or a file of another name, in an empty folder and read them."""
    monkeypatch.chdir(tmp_path)

    def reader(content: bytes, columns=REAL, *, name: str = "people.csv", **options) -> Table:
        Path(name).write_bytes(content)
        return CsvFile(name, columns, **options).read()

    return reader
