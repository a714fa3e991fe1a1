"""docs/editors.md: its commands are run where that can be done, and what it names exists; so is the folder of VS Code."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from duetpy.grammar.spelling import OPENERS
from tests.pages import Block, blocks

ROOT = Path(__file__).parents[2]
PAGE = "docs/editors.md"
CODE = ROOT / "editors" / "vscode"


def shell() -> list[Block]:
    return [block for block in blocks(PAGE) if block.words[:1] == ("sh",)]


@pytest.mark.parametrize(
    "block", [block for block in shell() if "run" in block.words], ids=lambda block: f"line {block.line}"
)
def test_commands_do_what_they_are_for(block: Block, tmp_path: Path) -> None:
    """In a folder with this project's files, and with a home of its own."""
    for name in ("editors", "examples"):
        (tmp_path / name).symlink_to(ROOT / name, target_is_directory=True)
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    environment = {**os.environ, "HOME": str(tmp_path / "home"), "PATH": path, "PYTHONUTF8": "1"}
    done = subprocess.run(
        ["sh", "-e", "-c", block.text],
        cwd=tmp_path,
        env=environment,
        check=True,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    )
    if "repl" in block.text:
        assert done.stdout.startswith("  type ℝ ⊸[2] ℝ\n  x   sensitivity 2\n")
        assert "used at 1:16" in done.stdout
    elif "pygments" in block.text:
        html = (tmp_path / "ages.html").read_text(encoding="utf-8")
        assert ">laplace</span>" in html
        assert 'class="err"' not in html
    else:
        (syntax,) = (tmp_path / "home").rglob("syntax/duet.vim")
        assert (syntax.parents[1] / "ftdetect" / "duet.vim").is_file()
        assert (syntax.parents[1] / "ftplugin" / "duet.vim").is_file()


def test_the_extras_that_are_to_be_installed_exist() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    wanted = re.findall(r"duetpy\[(\w+)\]", (ROOT / PAGE).read_text(encoding="utf-8"))
    assert wanted
    assert set(wanted) <= set(extras)


def manifest() -> dict[str, object]:
    found: dict[str, object] = json.loads((CODE / "package.json").read_text(encoding="utf-8"))
    return found


def test_the_extension_names_files_that_exist_and_the_version_of_the_package() -> None:
    found = manifest()
    text = json.dumps(found)
    for path in re.findall(r'"\./([^"]+)"', text):
        assert (CODE / path).is_file(), path
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert found["version"] == version
    page = (ROOT / PAGE).read_text(encoding="utf-8")
    assert f"{found['name']}-{version}.vsix" in page
    for script in re.findall(r"npm run (\w+)", page):
        assert script in found["scripts"]
    grammar = json.loads((CODE / "syntaxes" / "duet.tmLanguage.json").read_text(encoding="utf-8"))
    assert f'"scopeName": "{grammar["scopeName"]}"' in text


def test_the_extension_starts_the_command() -> None:
    text = json.dumps(manifest()["contributes"])
    assert '"duetpy.command"' in text
    assert '["duetpy", "lsp"]' in text
    script = (CODE / "extension.js").read_text(encoding="utf-8")
    assert 'getConfiguration("duetpy").get("command")' in script


def test_the_brackets_are_those_of_the_language() -> None:
    found = json.loads((CODE / "language-configuration.json").read_text(encoding="utf-8"))
    assert dict(found["brackets"]) == OPENERS
    assert found["comments"] == {"lineComment": "--", "blockComment": ["{-", "-}"]}


def test_the_extension_is_for_editors_in_which_its_client_starts() -> None:
    """vscode-languageclient 9 refuses to start in VS Code before 1.82; an older one must not install the extension."""
    manifest = json.loads((CODE / "package.json").read_text(encoding="utf-8"))
    assert manifest["dependencies"]["vscode-languageclient"].startswith("^9.")
    found = re.fullmatch(r"\^(\d+)\.(\d+)\.\d+", manifest["engines"]["vscode"])
    assert found is not None
    assert (int(found[1]), int(found[2])) >= (1, 82)
