"""What one program costs, as each place that says it says it: ``check``, ``cost``, ``why``, ``calibrate``, Python, an editor, a run
with its report, its ledger; in JSON to the last digit or nearly so, and in texts as figures that are no smaller.
"""

from __future__ import annotations

import html
import io
import json
import random
import re
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import duetpy
from duetpy.cli.main import main
from duetpy.lsp.documents import Document
from duetpy.lsp.hints import hints
from duetpy.lsp.hover import hover
from duetpy.report.check_text import cost_text
from duetpy.typecheck.notions import LETTERS, ORDERS, Notion
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


def said(*arguments: str) -> tuple[int, str, str]:
    """The exit code of a command, and what it says on both streams."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main([*arguments])
    return code, out.getvalue(), err.getvalue()


def answer(*arguments: str) -> Any:
    """What a command says in JSON; None where it was refused."""
    code, shown, _ = said(*arguments, "--format", "json")
    return json.loads(shown) if code == 0 else None


NUMBER = r"[0-9]+(?:\.[0-9]+)?(?:e-?[0-9]+)?"
FIGURE = re.compile(f"({'|'.join(LETTERS.values())}) = (∞|{NUMBER})")


def shown(text: str, numbers: Mapping[str, float | None]) -> bool:
    """Whether a text has all these numbers one after the other, each to some digits and on the side that claims less."""
    wanted = [(LETTERS[name], number, name in ORDERS) for name, number in numbers.items()]
    found = FIGURE.findall(text)
    return any(
        all(
            one[0] == letter and is_figure(one[1], number, is_order)
            for one, (letter, number, is_order) in zip(found[at:], wanted, strict=False)
        )
        for at in range(len(found) - len(wanted) + 1)
    )


def is_figure(text: str, number: float | None, is_order: bool) -> bool:
    """Whether a text stands for a number to five digits: rounded up, or down if it is an order."""
    if number is None or text == "∞":
        return number is None and text == "∞"
    exact, written = Decimal(repr(number)), Decimal(text)
    low, high = (written, exact) if is_order else (exact, written)
    return low <= high <= low * Decimal("1.0001")


def about(told: Any, name: str = "xs") -> Any:
    """What is stated about a parameter."""
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


class Places:
    """The places that state the cost of one program, and where they differ from ``check``.

    Parameters
    ----------
    program, literal
        Its file, and that with numbers in the place of parameters.
    text, values, sizes
        The program, numbers for its parameters, and for the sizes of its tables.
    told
        What ``check`` says with these, in JSON.
    """

    def __init__(self, folder: Path, notion: Notion, text: str, values: Mapping[str, str]) -> None:
        word = WORDS[notion]
        self.folder, self.notion, self.text, self.values = folder, notion, text, values
        self.program, self.literal = folder / f"p.{word}.duet", folder / f"q.{word}.duet"
        self.program.write_text(text + "\n", encoding="utf-8")
        self.literal.write_text(with_numbers_written(text, values) + "\n", encoding="utf-8")
        self.sizes = ["--set", f"m={ROWS}"] if "m : ℕ" in text else []
        self.settings = [
            *self.sizes,
            *(word for name, value in values.items() for word in ("--set", f"{name}={value}")),
        ]
        self.told = answer("check", str(self.program), *DELTA, *self.settings)
        self.found: list[str] = []

    @property
    def cost(self) -> Any:
        return about(self.told)["value"]

    @property
    def tight(self) -> Any:
        return about(self.told)["tight"]

    def holds(self, what: str, said: Any, wanted: Any) -> None:
        if not is_about(said, wanted):
            self.found.append(f"{what}: {said}, and check says {wanted}\n{self.text}")

    def shows(self, what: str, text: str, *wanted: Any) -> None:
        """A text says these figures."""
        self.found += [f"{what}: no {each} in {text}\n{self.text}" for each in wanted if not shown(text, each)]

    def ask_commands(self) -> None:
        """What commands say that read no data."""
        asked = (str(self.program), *DELTA, *self.settings)
        _, text, _ = said("check", *asked)
        if about(self.told)["private"]:
            self.shows("the text of check", text, self.tight)
        if "which is" in text:
            self.shows("the text of check", text.partition("which is")[2], self.cost)
        written = answer("check", str(self.literal), *DELTA, *self.sizes)
        self.holds("numbers in the place of parameters", written and about(written)["value"], self.cost)
        self.holds("numbers in the place of parameters, tight", written and about(written)["tight"], self.tight)
        compared = answer("cost", *asked)
        (unit,) = [each for each in compared["units"] if "xs" in each["parameters"]] or [None]
        if unit is not None:
            own = [each["value"] for each in unit["rows"] if each["notion"] == self.told["notion"] and each["cost"]]
            self.holds("cost", own[0] if own else None, self.cost)
            self.holds("cost, tight", unit["tight"], self.tight)
            self.shows("the text of cost", said("cost", *asked)[1], unit["tight"], *own[:1])
        told = answer("why", str(self.program), *self.settings)
        for each in told["parameters"]:
            if each["name"] == "xs":
                self.holds("why", each["value"], self.cost)
                self.shows("the title of why", each["title"], self.cost)
        formatted = self.folder / f"f.{WORDS[self.notion]}.duet"
        formatted.write_text(self.text + "\n", encoding="utf-8")
        said("fmt", str(formatted))
        again = answer("check", str(formatted), *DELTA, *self.settings)
        for told in (self.told, again):  # lines are others
            del told["file"], told["diagnostics"]
            told["releases"] = [{key: each[key] for key in each if key != "line"} for each in told["releases"]]
            told["trusted"] = [re.sub(r"line \d+", "line", each) for each in told.get("trusted", ())]
        if again != self.told:
            self.found.append(f"formatted: {again}, and check says {self.told}\n{self.text}")

    def ask_python(self) -> None:
        numbers = {name: float(value) for name, value in self.values.items()} | ({"m": ROWS} if self.sizes else {})
        checked = duetpy.load(str(self.program)).check()
        if self.notion is not Notion.APPROX:  # Python answers at the program's own δ
            self.holds("Python", checked.cost(**numbers).get("xs"), self.cost)
        self.holds("Python, tight", checked.cost(delta=DELTA[1], notion="approx", **numbers).get("xs"), self.tight)
        unit = next(
            (each for each in checked.compare(delta=DELTA[1], **numbers).values() if "xs" in each.parameters), None
        )
        if unit is not None:
            self.holds("Python, compare", unit.worth and unit.worth.value, self.tight)
            self.shows("a notebook, compare", html.unescape(unit._repr_html_()), self.tight)

    def ask_editor(self) -> None:
        """What stands in a text that has its numbers in it: next to the parameter, and under the pointer."""
        text = self.literal.read_text("utf-8")
        document, own = Document.of(str(self.literal), text), answer("check", str(self.literal))
        parameter = about(own)
        if not parameter["private"]:
            return
        # The hint says after it what the cost rests on.
        beside = {
            each.text for each in hints(document, 0, len(text)) if each.about.partition("; ")[0] == "privacy cost"
        }
        if f" costs {cost_text(parameter['cost'])}" not in beside:
            self.found.append(f"hints: {beside}, and check says {parameter['cost']}\n{text}")
        under = hover(document, text.index("xs"))
        if under is None:
            self.found.append(f"nothing is under the pointer\n{text}")
        else:
            self.shows("under the pointer", under.text, parameter["value"])

    def ask_calibration(self) -> None:
        """The value that spends what the program costs: it fits, and is no other than the program's up to a thousandth of cost."""
        if self.notion in (Notion.RENYI, Notion.TCDP, Notion.APPROX):
            budget = f"epsilon={self.tight['epsilon']!r},delta={DELTA[1]}"
        else:
            budget = f"{self.notion.measure}={self.cost[self.notion.measure]!r}"
        varied = f"{PARAMETERS[0]}={self.values[PARAMETERS[0]]}"
        at = self.settings.index(varied)
        given = [*self.settings[: at - 1], *self.settings[at + 1 :]]
        found = answer("calibrate", str(self.program), "--budget", budget, "--vary", PARAMETERS[0], *given)
        if found is None:
            return  # nothing depends on it
        value = Fraction(repr(found["value"]))
        again = answer("check", str(self.program), *DELTA, "--set", f"{PARAMETERS[0]}={value}", *given)
        limits = {"tight": self.tight} if "delta" in budget else {"value": self.cost}
        for key, limit in limits.items():
            spent, most = (next(iter(each.values())) for each in (about(again)[key], limit))
            if not 0.999 * most <= spent <= most:
                self.found.append(f"calibrated to {found['value']}: spends {spent} of {most}\n{self.text}")
        self.holds("calibrate", found["cost"], about(again)["value"])
        if self.notion is not Notion.PURE:  # of a budget without a δ it is what holds at δ = 0
            self.holds("calibrate, tight", found["tight"], about(again)["tight"])

    def ask_run(self, data: list[str]) -> None:
        ledger, page = self.folder / "ledger", self.folder / "r.html"
        said("ledger", "create", str(ledger), "--budget", BUDGETS[self.notion])
        asked = (*data, "--ledger", str(ledger), *DELTA, *self.settings, "--report", str(page))
        run = answer("run", str(self.program), *asked)
        if run is None:
            self.found.append(f"a run is refused\n{self.text}")
            ledger.unlink()
            return
        kept = answer("ledger", "show", str(ledger))
        charged = {key: run["ledger"]["charged"].get(key) for key in self.cost}
        total = {key: value for key, value in run["privacy"]["total"].items() if key != "notion"}
        self.holds("the total of a run", total, self.cost)
        self.holds("a run, tight", run["privacy"].get("tight"), self.tight)
        if about(self.told)["private"]:
            self.shows("the report of a run", html.unescape(page.read_text("utf-8")), self.cost, self.tight)
        is_certified = self.notion is Notion.APPROX and is_about(charged, self.tight)
        if not is_certified:
            self.holds("the ledger", charged, self.cost)
        self.holds("ledger show", kept["entries"][0]["cost"], run["ledger"]["charged"])
        self.holds("ledger show, spent", kept["spent"], run["ledger"]["charged"])
        for ending in ("html", "csv", "json"):
            written = self.folder / f"l.{ending}"
            said("ledger", "export", str(ledger), "--out", str(written))
            numbers = {float(each) for each in re.findall(NUMBER, html.unescape(written.read_text("utf-8")))}
            if not numbers >= set(kept["spent"].values()) - {0.0}:
                self.found.append(f"an exported ledger does not say {kept['spent']}, but {numbers}\n{self.text}")
        ledger.unlink()


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
    places = Places(folder, notion, text, values)
    if places.told is None or "value" not in about(places.told):
        return None
    places.ask_commands()
    places.ask_python()
    if not places.sizes:  # nothing apart from the text says how many rows there are
        places.ask_editor()
    if about(places.told)["private"]:
        places.ask_calibration()
    # Of several units a run states the one that costs most.
    units = answer("cost", str(places.program), *DELTA, *places.settings)["units"]
    is_charged = notion is not Notion.APPROX or (places.tight is not None and places.tight["epsilon"] is not None)
    if (
        notion in BUDGETS
        and places.cost is not None
        and None not in places.cost.values()
        and is_charged
        and len(units) == 1
    ):
        places.ask_run(data)
    return places.found


def is_about(one: Any, other: Any) -> bool:
    """Whether two answers are the same, to within how they are rounded up."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(is_about(one[key], other[key]) for key in one)
    if one is None or other is None:
        return one is other
    return bool(abs(one - other) <= 1e-6 * max(abs(one), abs(other)))
