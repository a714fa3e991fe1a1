"""docs/notebook.ipynb shows what its cells give: each is run again, with the figures of releases left open."""

import importlib.util
import json
from pathlib import Path
from typing import Any

from tests.test_documents import shape

ROOT = Path(__file__).parents[2]


def tool() -> Any:
    spec = importlib.util.spec_from_file_location("example_notebook", ROOT / "tools" / "example_notebook.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def comparable(notebook: dict[str, Any]) -> str:
    return shape(json.dumps(notebook, ensure_ascii=False, sort_keys=True))


def test_the_example_notebook_shows_what_its_cells_give() -> None:
    made = tool()
    shown = json.loads(made.NOTEBOOK.read_text(encoding="utf-8"))
    assert comparable(made.notebook()) == comparable(shown), "run: python tools/example_notebook.py"


def test_the_example_notebook_has_a_table_a_release_and_a_refusal() -> None:
    cells = json.loads(tool().NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    html = "".join(line for output in outputs for line in output.get("data", {}).get("text/html", []))
    assert "<table" in html
    assert "is protected with ε = 0.5" in html
    (refusal,) = [output for output in outputs if output["output_type"] == "error"]
    assert refusal["traceback"][0].startswith("error[D0311]")
