"""Makes the playground, a folder of static files: ``python tools/playground.py FOLDER``.

The page is bundled by Node.js from ``playground/src``; Python in the browser is Pyodide, from npm. The packages are those that
checking needs: this one, lark and attrs, as they are installed here.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import zipfile
from importlib.metadata import distribution
from pathlib import Path

ROOT = Path(__file__).parents[1]
PLAYGROUND = ROOT / "playground"
PURE = ("attrs", "lark")
BESIDE = {"docs/rules": "duetpy/rules", "docs/notions": "duetpy/notions"}
"""Folders that an installed package contains; see pyproject.toml."""

EXAMPLES = {"Examples": "examples", "Mistakes": "examples/mistakes"}


def packages(target: Path) -> None:
    """An archive of what is installed in the browser."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in PURE:
            found = distribution(name)
            for file in found.files or ():
                if file.suffix == ".py" or file.name == "METADATA":
                    archive.write(str(found.locate_file(file)), str(file))
        for folder, inside in {"duetpy": "duetpy", **BESIDE}.items():
            for path in sorted((ROOT / folder).rglob("*")):
                if path.is_file() and "__pycache__" not in path.parts:
                    archive.write(path, f"{inside}/{path.relative_to(ROOT / folder).as_posix()}")
        archive.write(PLAYGROUND / "answers.py", "answers.py")


def examples() -> dict[str, list[dict[str, str]]]:
    """The programs that the page offers, in groups."""
    return {
        title: [
            {"name": path.name, "text": path.read_text(encoding="utf-8")}
            for path in sorted((ROOT / folder).glob("*.duet"))
        ]
        for title, folder in EXAMPLES.items()
    }


def make(target: Path) -> None:
    """All files of the playground; what was in the folder is gone."""
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    install = ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"]
    subprocess.run(install, cwd=PLAYGROUND, check=True, stdout=sys.stderr)
    subprocess.run(["node", "build.mjs", str(target.resolve())], cwd=PLAYGROUND, check=True)
    packages(target / "packages.zip")
    (target / "examples.json").write_text(json.dumps(examples(), ensure_ascii=False), encoding="utf-8")


if __name__ == "__main__":
    make(Path(sys.argv[1]))
