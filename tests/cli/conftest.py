"""Running the command line inside the test process."""

from contextvars import copy_context
from pathlib import Path

import pytest

from duetpy.cli.main import main
from tests.cli.harness import Duetpy, Outcome, Write


@pytest.fixture
def duetpy(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Duetpy:
    """Runs ``duetpy`` with arguments in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> Outcome:
        # How one command spells its answer is nothing to what runs after it in this process.
        code = copy_context().run(main, arguments)
        captured = capsys.readouterr()
        return Outcome(code, captured.out, captured.err)

    return run


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a file into the folder."""

    def write(name: str, text: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return write
