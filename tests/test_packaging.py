"""What the package says about itself is said once, or the same everywhere."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import duetpy

ROOT = Path(__file__).parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_one_version_everywhere() -> None:
    version = PYPROJECT["project"]["version"]
    assert duetpy.__version__ == version
    assert re.search(rf"^version: {re.escape(version)}$", read("CITATION.cff"), re.MULTILINE)


def test_the_licence_is_the_one_that_is_declared() -> None:
    assert PYPROJECT["project"]["license"] == "Apache-2.0"
    text = read("LICENSE")
    assert "Apache License" in text
    assert "END OF TERMS AND CONDITIONS" in text
    assert "license: Apache-2.0" in read("CITATION.cff")


def test_every_supported_python_is_classified() -> None:
    classified = {c.rpartition(" ")[2] for c in PYPROJECT["project"]["classifiers"] if "Python :: 3." in c}
    assert classified == {"3.11", "3.12", "3.13", "3.14"}
    assert PYPROJECT["project"]["requires-python"] == ">=3.11,<3.15"


def requirements(*groups: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "tools" / "requirements.py"), *groups]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_groups_resolve_to_requirements_once_each() -> None:
    lines = requirements("dev", "test").stdout.split("\n")
    names = [re.split(r"[^\w-]", line)[0] for line in lines if line]
    assert {"ruff", "mypy", "pytest", "hypothesis"} <= set(names)
    assert len(names) == len(set(names))


def test_an_unknown_group_is_refused() -> None:
    done = requirements("nonsense")
    assert done.returncode == 1
    assert "nonsense" in done.stderr


@pytest.mark.parametrize("name", [".ci/run", "tools/find-python"])
def test_scripts_can_be_run(name: str) -> None:
    assert os.access(ROOT / name, os.X_OK)
    assert read(name).startswith("#!")


def test_the_makefile_offers_what_the_readme_names() -> None:
    targets = set(re.findall(r"^([a-z-]+):", read("Makefile"), re.MULTILINE))
    assert {"demo", "test", "test-all"} <= targets
    for target in re.findall(r"make ([a-z-]+)", read("README.md")):
        assert target in targets


def test_the_script_names_an_existing_function() -> None:
    module, _, function = PYPROJECT["project"]["scripts"]["duetpy"].partition(":")
    assert callable(getattr(__import__(module, fromlist=[function]), function))
