"""The extension for VS Code, run by Node.js with the language client that it names, where npm is installed."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.harness import ROOT, environment

NPM, NODE = shutil.which("npm"), shutil.which("node")
FEATURES = {
    "createDiagnosticCollection",
    "registerCompletionItemProvider",
    "registerHoverProvider",
    "registerDefinitionProvider",
    "registerReferenceProvider",
    "registerCodeActionsProvider",
    "registerDocumentFormattingEditProvider",
    "registerRenameProvider",
    "registerInlayHintsProvider",
}


@pytest.mark.thorough("lsp/test_protocol.py::test_a_help_that_is_an_edit_is_a_code_action")
def test_the_extension_starts_the_server_and_shows_its_problems(tmp_path: Path) -> None:
    folder = tmp_path / "vscode"
    shutil.copytree(ROOT / "editors" / "vscode", folder, ignore=shutil.ignore_patterns("node_modules"))
    quiet = ("--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock")
    subprocess.run([str(NPM), "install", *quiet], cwd=folder, check=True, capture_output=True)
    command = json.dumps([sys.executable, "-m", "duetpy", "lsp"])
    arguments = [
        str(NODE),
        str(Path(__file__).with_name("editor.cjs")),
        str(folder / "extension.js"),
        command,
        "\nsλ x : ℝ ⇒ y\n",
    ]
    done = subprocess.run(
        arguments, cwd=folder, capture_output=True, text=True, env=environment(), timeout=120, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    shown = json.loads(done.stdout)
    assert set(shown["registered"]) >= FEATURES
    assert shown["problems"] == [["D0101", {"line": 1, "character": 11}]]
