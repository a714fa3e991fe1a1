"""Files that are imported when something in them is first used."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from duetpy.later import Later, imported_later

ROOT = Path(__file__).parents[1]
SMALL = ROOT / "examples" / "k-means.zcdp.duet"


def test_a_stand_in_has_what_its_file_has() -> None:
    shapes = Later("duetpy.typecheck.errors.shapes")
    assert shapes.wrong_argument is import_module("duetpy.typecheck.errors.shapes").wrong_argument
    with pytest.raises(AttributeError):
        assert shapes.no_such_thing


def test_nothing_can_be_put_into_a_stand_in() -> None:
    with pytest.raises(AttributeError):
        Later("duetpy.typecheck.errors.shapes").wrong_argument = None


def test_a_file_that_another_thread_has_half_imported_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python's table of modules has it already; only an import waits for the thread."""
    half, whole = ModuleType("duetpy.half"), ModuleType("duetpy.half")
    whole.__dict__["rule"] = len
    monkeypatch.setitem(sys.modules, "duetpy.half", half)
    monkeypatch.setattr("duetpy.later.import_module", {"duetpy.half": whole}.__getitem__)
    assert Later("duetpy.half").rule is len


def test_a_package_has_stand_ins_for_files_only() -> None:
    find = imported_later("duetpy.typecheck.rules")
    assert find("joins").join is import_module("duetpy.typecheck.rules.joins").join
    with pytest.raises(AttributeError, match="__wrapped__"):
        find("__wrapped__")


def test_a_check_imports_no_rules_and_no_diagnostics_that_it_does_not_use() -> None:
    code = (
        "import sys\n"
        "from duetpy.cli.main import main\n"
        f"assert main(['check', {str(SMALL)!r}]) == 0\n"
        "print('\\n'.join(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, encoding="utf-8", check=True)
    imported = set(done.stderr.split())
    assert {"duetpy.typecheck.rules.privacy", "duetpy.typecheck.rules.mechanisms"} <= imported
    for unused in ("rules.joins", "rules.sampling", "errors.shapes", "errors.privacy"):
        assert f"duetpy.typecheck.{unused}" not in imported
    for unused in ("convert", "losses.shuffle", "losses.subsampling", "named_functions"):
        assert f"duetpy.accounting.{unused}" not in imported
