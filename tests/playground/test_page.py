"""The page itself, built and used in headless Chromium; collected where that and npm are installed."""

import functools
import http.server
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.playground.conftest import BROWSER

ROOT = Path(__file__).parents[2]


class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    """A copy of the sources with what npm installs, and the address of the page that is built of it."""
    copy = tmp_path_factory.mktemp("copy")
    left_out = shutil.ignore_patterns("node_modules", "__pycache__")
    for name in ("playground", "duetpy", "docs", "examples", "tools"):
        shutil.copytree(ROOT / name, copy / name, ignore=left_out)
    target = copy / "build"
    subprocess.run([sys.executable, "tools/playground.py", str(target)], cwd=copy, check=True, timeout=300)
    handler = functools.partial(Handler, directory=str(target))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield copy / "playground", f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def test_the_page_does_what_a_person_asks_of_it(served: tuple[Path, str]) -> None:
    folder, address = served
    environment = {**os.environ, "ADDRESS": address, "CHROMIUM": str(BROWSER)}
    done = subprocess.run(
        ["node", "--test", "--test-reporter", "spec"],
        cwd=folder,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "tests 11" in done.stdout
