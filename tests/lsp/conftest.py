"""One server for the tests of a file: to start it takes most of the time."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.lsp.client import Client


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    started = Client(tmp_path_factory.mktemp("programs"))
    yield started
    assert started.close() == 0


@pytest.fixture
def folder(client: Client) -> Path:
    return client.folder
