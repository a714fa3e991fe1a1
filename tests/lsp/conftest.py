"""One server for all tests: to start it takes most of the time. The extension for VS Code is tested where npm and
Node.js are installed.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.lsp.client import Client

collect_ignore = [] if shutil.which("npm") and shutil.which("node") else ["test_vscode.py"]


@pytest.fixture(scope="session")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    # What a name holds that an address spells with signs of its own concerns every test.
    started = Client(tmp_path_factory.mktemp("my programs (ü, 𝔻)"))
    yield started
    assert started.close() == 0


@pytest.fixture
def folder(client: Client) -> Path:
    return client.folder
