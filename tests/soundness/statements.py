"""What one program costs, as each place that says it says it: ``check``, ``cost``, Python, a run, its ledger."""

from __future__ import annotations

import io
import json
import random
import re
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import duetpy
from duetpy.cli.main import main
from duetpy.typecheck.notions import Notion
from tests.soundness.generate_laws import random_program_with_a_law
from tests.soundness.generate_written import PARAMETERS, text_as_written

WORDS = {
    Notion.PURE: "eps",
    Notion.APPROX: "ed",
    Notion.RENYI: "renyi",
    Notion.ZCDP: "zcdp",
    Notion.TCDP: "tcdp",
    Notion.GDP: "gdp",
}
BUDGETS = {
    Notion.PURE: "epsilon=1e6",
    Notion.APPROX: "epsilon=1e6,delta=0.5",
    Notion.ZCDP: "rho=1e6",
    Notion.GDP: "mu=1e6",
}
DELTA = ("--delta", "1e-6")
ROWS = 3
"""How many rows a table has whose size is a variable."""


def answer(*arguments: str) -> Any:
    """What a command says in JSON; None where it was refused."""
    shown = io.StringIO()
    with redirect_stdout(shown), redirect_stderr(io.StringIO()):
        code = main([*arguments, "--format", "json"])
    return json.loads(shown.getvalue()) if code == 0 else None


def about(told: Any, name: str = "xs") -> Any:
    """What is told of a parameter."""
    (found,) = [each for each in told["parameters"] if each["name"] == name]
    return found


def with_numbers_written(text: str, values: Mapping[str, str]) -> str:
    """The program with numbers in the place of its static parameters."""
    for name in PARAMETERS:
        text = text.replace(f", {name} : ℝ⁺[{name}]", "").replace(f"{name} : ℝ⁺, ", "").replace(f"{name} : ℝ⁺ .", " .")
    lets = " ".join(f"let {name} = {value} in" for name, value in values.items())
    return re.sub(r", +\. ", " . ", text).replace("⇒ ", f"⇒ {lets} ", 1)


def some_rows(source: random.Random, text: str) -> str:
    """Three rows that fit the columns of a program."""
    of_g, of_h = [re.findall(r"[-\d.]+", ends) for ends in re.findall(r"𝔻\?? in \[(.*?)\]", text)[:2]]
    columns = [("0", "1", "3"), of_g, ["", *of_h], ("a", "b")]
    lines = [",".join(source.choice(cells) for cells in columns) for _ in "xyz"]
    return "\n".join(["c,g,h,s", *lines, ""])


def persons_and_rows(source: random.Random, text: str, folder: Path) -> list[str]:
    """The data of a random program that has a law, as the command line takes them."""
    rows = re.search(r"xs : 𝕄 \[L∞, U \| (.)", text)
    count = source.randint(1, 3) if rows is None or rows[1] == "★" else ROWS if rows[1] == "m" else int(rows[1])
    cells = [f"{source.randrange(2)},{source.choice((0, 1, 2))}" for _ in range(count)]
    data = folder / "d.csv"
    if rows is not None:
        data.write_text("\n".join(["c,g", *cells, ""]), encoding="utf-8")
        if "ys :" not in text:
            return ["--data", str(data)]
        other = folder / "other.csv"  # one file for two tables would be the same people twice
        other.write_text(data.read_text(encoding="utf-8"), encoding="utf-8")
        return ["--data", f"xs={data}", "--data", f"ys={other}"]
    data.write_text("\n".join(["id,c,g", *(f"{source.choice('ab')},{cell}" for cell in cells), ""]), encoding="utf-8")
    roster = folder / "roster.csv"
    roster.write_text("a\nb\n", encoding="utf-8")
    return ["--data", f"v={data}", *(["--set", f"roster=@{roster}"] if "roster" in text else [])]


def disagreements_as_written(seed: int, notion: Notion, folder: Path) -> list[str] | None:
    """Where a random program as people write them is said to cost one thing and another; None of one that is refused."""
    source, data = random.Random(f"statements {seed}"), folder / "d.csv"
    text = text_as_written(seed, notion, has_parameters=True)
    data.write_text(some_rows(source, text), encoding="utf-8")
    return disagreements(text, ["--data", str(data)], source, notion, folder)


def disagreements_with_a_law(seed: int, notion: Notion, folder: Path) -> list[str] | None:
    """The same of a random program whose law can be computed."""
    source = random.Random(f"statements {seed}")
    text = random_program_with_a_law(seed, notion, parameters=PARAMETERS)
    return disagreements(text, persons_and_rows(source, text, folder), source, notion, folder)


def disagreements(text: str, data: list[str], source: random.Random, notion: Notion, folder: Path) -> list[str] | None:
    """Where a program is said to cost one thing and another; None of one that is refused."""
    values = {name: source.choice(("0.1", "0.25", "0.5", "1.0")) for name in PARAMETERS}
    sizes = ["--set", f"m={ROWS}"] if "m : ℕ" in text else []
    settings = [*sizes, *(word for name, value in values.items() for word in ("--set", f"{name}={value}"))]
    word = WORDS[notion]
    program, literal = folder / f"p.{word}.duet", folder / f"q.{word}.duet"
    program.write_text(text + "\n", encoding="utf-8")
    literal.write_text(with_numbers_written(text, values) + "\n", encoding="utf-8")
    told = answer("check", str(program), *DELTA, *settings)
    if told is None or "value" not in about(told):
        return None
    cost, tight = about(told)["value"], about(told)["tight"]
    found: list[str] = []

    def holds(what: str, said: Any, wanted: Any) -> None:
        if not is_about(said, wanted):
            found.append(f"{what}: {said}, and check says {wanted}\n{text}")

    written = answer("check", str(literal), *DELTA, *sizes)
    holds("numbers in the place of parameters", written and about(written)["value"], cost)
    holds("numbers in the place of parameters, tight", written and about(written)["tight"], tight)
    compared = answer("cost", str(program), *DELTA, *settings)
    (unit,) = [each for each in compared["units"] if "xs" in each["parameters"]] or [None]
    if unit is not None and not (notion is Notion.RENYI and cost["alpha"] is None):  # of a pure ε the curve is shown
        own = [each["value"] for each in unit["rows"] if each["notion"] == told["notion"] and each["cost"]]
        holds("cost", own[0] if own else None, cost)
        holds("cost, tight", unit["tight"], tight)
    checked = duetpy.load(str(program)).check()
    if notion is not Notion.APPROX:  # Python answers at the program's own δ
        numbers = {name: float(value) for name, value in values.items()} | ({"m": ROWS} if sizes else {})
        holds("Python", checked.cost(**numbers).get("xs"), cost)
    is_charged = notion is not Notion.APPROX or (tight is not None and tight["epsilon"] is not None)
    # Of several units a run states the one that costs most.
    is_charged = is_charged and len(compared["units"]) == 1
    if notion in BUDGETS and cost is not None and None not in cost.values() and is_charged:
        ledger = folder / "ledger"
        with redirect_stdout(io.StringIO()):
            main(["ledger", "create", str(ledger), "--budget", BUDGETS[notion]])
        run = answer("run", str(program), *data, "--ledger", str(ledger), *DELTA, *settings)
        ledger.unlink()
        if run is None:
            found.append(f"a run is refused\n{text}")
            return found
        charged = {key: run["ledger"]["charged"].get(key) for key in cost}
        total = {key: value for key, value in run["privacy"]["total"].items() if key != "notion"}
        holds("the total of a run", total, cost)
        holds("a run, tight", run["privacy"].get("tight"), tight)
        if not (notion is Notion.APPROX and is_about(charged, tight)):
            holds("the ledger", charged, cost)
    return found


def is_about(one: Any, other: Any) -> bool:
    """Whether two answers are the same, to within how they are rounded up."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(is_about(one[key], other[key]) for key in one)
    if one is None or other is None:
        return one is other
    return bool(abs(one - other) <= 1e-6 * max(abs(one), abs(other)))
