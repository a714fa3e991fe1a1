"""Runs that are charged to a ledger, from the command line and from Python."""

import json
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import duetpy
from duetpy.cli.main import main
from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.diagnostics.error import DuetError
from duetpy.ledger.chain import parsed
from duetpy.ledger.store import Ledger
from duetpy.runtime.release.endings import Spent

COUNT = """pλ m : ℕ, ε : ℝ⁺ . xs : 𝕄 [L∞, U | m, age : 𝔻 else 0 ∷ []], ε : ℝ⁺[ε] ⇒
  laplace[auto, ε] <xs> { real (rows (mfilter xs { row ⇒ 65.0 ≤ row.age })) }
"""
PAIR = """pλ m : ℕ, ε : ℝ⁺ . xs : 𝕄 [L∞, U | m, age : 𝔻 else 0 ∷ []], ε : ℝ⁺[ε] ⇒
  a ← laplace[auto, ε] <xs> { real (rows (mfilter xs { row ⇒ 65.0 ≤ row.age })) } ;
  return ⟨a, mcreate[L∞ | ℕ[2], ℕ[2]] { i, j ⇒ a }⟩
"""
GAUSS = """pλ m : ℕ, ρ : ℝ⁺ . xs : 𝕄 [L∞, U | m, age : 𝔻 else 0 ∷ []], ρ : ℝ⁺[ρ] ⇒
  gauss[auto, ρ] <xs> { real (rows (mfilter xs { row ⇒ 65.0 ≤ row.age })) }
"""


class Desk:
    """A folder with a program, data and a ledger."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self.capsys = capsys
        self.write("count.eps.duet", COUNT)
        self.write("people.csv", "age\n70\n41\n66\n")

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text, encoding="utf-8")

    def __call__(self, *words: str) -> tuple[int, str, str]:
        code = main(list(words))
        captured = self.capsys.readouterr()
        return code, captured.out, captured.err

    def create(self, budget: str = "epsilon=1") -> None:
        assert self("ledger", "create", "l", "--budget", budget)[0] == 0

    def run(self, *words: str, program: str = "count.eps.duet", epsilon: str = "ε=0.4") -> dict[str, Any]:
        code, out, err = self(
            "run", program, "--data", "people.csv", "--set", epsilon, "--ledger", "l", "--format", "json", *words
        )
        assert code == 0, err
        found: dict[str, Any] = json.loads(out)
        return found

    def refused(self, *words: str) -> tuple[str, str]:
        code, out, err = self("run", *words, "--ledger", "l")
        assert code == 1
        assert out == ""
        return err.partition("[")[2][:5], err.splitlines()[-1]

    @property
    def entries(self) -> int:
        return len(Ledger(Path("l")).state().entries)


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Desk:
    monkeypatch.chdir(tmp_path)
    return Desk(tmp_path, capsys)


RUN = ("count.eps.duet", "--data", "people.csv", "--set")


def test_a_run_is_charged_and_its_output_stored(desk: Desk) -> None:
    desk.create()
    facts = desk.run()["ledger"]
    assert facts["charged"] == {"epsilon": 0.4, "delta": 0.0}
    assert facts["remaining"] == {"epsilon": 0.6, "delta": 0.0}
    assert facts["dataset"] == "l"
    assert not facts["replayed"]
    assert desk("ledger", "verify", "l", "--receipt", facts["receipt"])[0] == 0
    code, out, _ = desk("ledger", "show", "l", "--format", "json")
    shown = json.loads(out)
    assert code == 0
    assert shown["spent"] == {"epsilon": 0.4, "delta": 0.0}
    (entry,) = shown["entries"]
    assert entry["released"]
    assert entry["cost"] == {"epsilon": 0.4, "delta": 0.0}


def test_a_copy_that_is_not_installed_is_charged_too(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in an archive, or in a folder of another program, where another version may be installed."""

    def missing(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr("importlib.metadata.version", missing)
    desk.create()
    assert desk.run()["ledger"]["entry"] == 1
    assert parsed(Ledger(desk.folder / "l").state().entries[0].text)["version"] == duetpy.__version__


def test_the_text_of_a_run_tells_of_the_ledger(desk: Desk) -> None:
    desk.create()
    code, _, err = desk("run", *RUN, "ε=0.4", "--ledger", "l")
    assert code == 0
    assert "Ledger: ε = 0.4 charged to l, ε = 0.6 left; receipt 2:" in err


def test_the_same_again_is_the_stored_release(desk: Desk) -> None:
    desk.create()
    desk.write("pair.eps.duet", PAIR)
    first, second = desk.run(program="pair.eps.duet"), desk.run(program="pair.eps.duet")
    assert second["result"] == first["result"]
    assert second["ledger"]["replayed"]
    assert second["ledger"]["charged"] == {}
    assert second["ledger"]["remaining"] == {"epsilon": 0.6, "delta": 0.0}
    again = duetpy.load("pair.eps.duet").check()
    release = again.run(xs="people.csv", ε=0.4, _ledger="l")
    assert release.ledger["replayed"]
    assert isinstance(release.result, tuple)


def test_the_fields_of_a_stored_record_are_under_their_names(desk: Desk) -> None:
    """A ledger keeps them in the order of their names."""
    desk.create()
    desk.write("record.eps.duet", PAIR.replace("return ⟨a,", 'return { number = a, at = "here" } -- '))
    words = ("run", "record.eps.duet", *RUN[1:], "ε=0.4", "--ledger", "l", "--format")
    for form in ("csv", "json"):
        (_, first, _), (_, second, _) = desk(*words, form), desk(*words, form)
        assert second.partition("privacy")[0] == first.partition("privacy")[0]
    assert desk(*words, "csv")[1].startswith("number,at\n")


def test_the_text_of_a_stored_release_says_the_same_of_who_is_protected(desk: Desk) -> None:
    desk.create("epsilon=1,delta=0.1")
    desk.write("count.ed.duet", COUNT.replace("laplace[auto, ε]", "gauss[auto, ε, 0.000001]"))
    words = ("run", "count.ed.duet", *RUN[1:], "ε=0.4", "--ledger", "l")
    first, second = [desk(*words)[2].partition("Ledger")[0] for _ in range(2)]
    assert "ε = 0.4, δ = 1e-6" in first
    assert second == first


def test_anything_else_is_a_new_charge(desk: Desk) -> None:
    desk.create("epsilon=9")
    first = desk.run()
    for words in (("--header", "yes"), ("--on-bad-row", "default", "--set", "m=3")):
        assert not desk.run(*words)["ledger"]["replayed"]
    assert not desk.run(epsilon="ε=0.41")["ledger"]["replayed"]
    desk.write("count.eps.duet", COUNT.replace("65.0", "64.0"))
    assert not desk.run()["ledger"]["replayed"]
    desk.write("count.eps.duet", COUNT)
    assert desk.run()["ledger"]["replayed"]
    desk.write("people.csv", "age\n70\n41\n67\n")
    changed = desk.run()
    assert not changed["ledger"]["replayed"]
    assert changed["result"] != first["result"]


def test_the_spelling_of_a_program_does_not_matter(desk: Desk) -> None:
    desk.create()
    desk.run()
    desk.write("count.eps.duet", "-- a comment\n" + COUNT.replace("65.0 ≤", "65.0  <="))
    assert desk.run()["ledger"]["replayed"]


def test_what_the_budget_does_not_cover_is_refused_before_a_mechanism_runs(desk: Desk) -> None:
    desk.create()
    desk.run(epsilon="ε=0.8")
    code, last = desk.refused(*RUN, "ε=0.5")
    assert code == "D0702"
    assert last == "nothing was released, nothing was spent"
    assert desk.entries == 2


def test_bad_data_spends_nothing_where_it_is_refused(desk: Desk) -> None:
    desk.create()
    desk.write("people.csv", "age\n70\nold\n")
    assert desk.refused(*RUN, "ε=0.5")[1] == "nothing was released, nothing was spent"
    assert desk.entries == 0


def test_with_defaults_the_charge_comes_before_the_rows(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a row could decide is charged; that there are other rows than the settings say, no row decides."""
    desk.create("epsilon=2")
    desk.write("people.csv", "age\n70\nold\n66\n")
    desk.run("--on-bad-row", "default")
    assert desk.entries == 2
    code, last = desk.refused(*RUN, "ε=0.5", "--on-bad-row", "default", "--set", "m=7")
    assert (code, last) == ("D0612", "nothing was released, nothing was spent")
    assert desk.entries == 2

    def refusing(*_: object) -> None:
        raise DuetError((Diagnostic("D0501", "refused for a row"),))

    monkeypatch.setattr("duetpy.runtime.release.run.verify", refusing)
    code, last = desk.refused(*RUN, "ε=0.5", "--on-bad-row", "default")
    assert (code, last) == ("D0501", "nothing was released; any charge of this run to the ledger stays")
    assert desk.entries == 3


def test_from_python_too(desk: Desk) -> None:
    desk.create()
    checked = duetpy.load("count.eps.duet").check()
    data = np.array([[70.0], [41.0]])
    first = checked.run(xs=data, ε=0.25, _ledger="l")
    second = checked.run(xs=data.copy(), ε=0.25, _ledger=Path("l"))
    assert second.result == first.result
    assert second.ledger is not None
    assert second.ledger["replayed"]
    with pytest.raises(DuetError) as caught:
        checked.run(xs=data, ε=0.8, _ledger="l")
    assert caught.value.diagnostics[0].code == "D0702"
    assert not isinstance(caught.value, Spent)
    assert "ledger" in json.loads(first.to_json())
    assert "ledger" not in json.loads(checked.run(xs=data, ε=0.25).to_json())


def test_a_fault_after_the_charge_leaves_it(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    from duetpy.runtime.release.run import Prepared

    def broken(*_: object) -> None:
        raise ZeroDivisionError("8675309.25")

    desk.create()
    monkeypatch.setattr(Prepared, "release", broken)
    code, out, err = desk("run", *RUN, "ε=0.5", "--ledger", "l")
    assert (code, out) == (70, "")
    assert "8675309" not in err
    assert desk.entries == 1


def test_an_entry_names_what_is_charged(desk: Desk) -> None:
    """What costs nothing is not named, and does not make the people of two files one person, as the report has it."""
    desk.create()
    desk.write("others.csv", "age\n30\n")
    tables = ", ".join(f"{name} : 𝕄 [L∞, U | ★, age : 𝔻 ∷ []]" for name in ("xs", "ys", "zs"))
    text = f"""pλ {tables} ⇒ a ← laplace[auto, 0.25] <xs> {{ real (rows xs) }} ;
      b ← laplace[auto, 0.25] <ys> {{ real (rows ys) }} ; return a + b"""
    checked = duetpy.parse(text, notion="eps").check()
    data = {"xs": "people.csv", "ys": "others.csv", "zs": np.array([[1.0]])}
    release = checked.run(**data, _ledger="l")
    assert release.privacy["unit"] == "one row of people.csv or one row of others.csv"
    (entry,) = json.loads(desk("ledger", "show", "l", "--format", "json")[1])["entries"]
    assert entry["unit"] == "xs or ys"


def test_noise_that_is_not_secure_is_not_charged(desk: Desk) -> None:
    desk.create()
    assert desk.refused(*RUN, "ε=0.5", "--insecure-noise", "7")[0] == "D0725"
    assert desk.entries == 0


@pytest.mark.parametrize(
    ("budget", "words", "charged"),
    [
        ("rho=1", (), {"rho": 0.125}),
        ("mu=1", (), {"mu": 0.5}),
        ("epsilon=9,delta=1e-5", ("--delta", "1e-6"), None),
    ],
)
def test_programs_are_charged_in_the_notion_of_the_ledger(
    desk: Desk, budget: str, words: tuple[str, ...], charged: dict[str, float] | None
) -> None:
    desk.create(budget)
    desk.write("mean.zcdp.duet", GAUSS)
    facts = desk.run(*words, program="mean.zcdp.duet", epsilon="ρ=0.125")["ledger"]
    if charged is not None:
        assert facts["charged"] == charged
    else:
        # The exact ε of a Gaussian with μ = 1/2 at δ = 1e-6, from Φ(−ε/μ + μ/2) − e^ε Φ(−ε/μ − μ/2) by bisection.
        assert facts["charged"]["delta"] == 1e-6
        assert 2.25408465021974 <= facts["charged"]["epsilon"] < 2.25408466


def test_a_laplace_program_in_other_notions(desk: Desk) -> None:
    desk.create("rho=1")
    # ε⋅tanh(ε/2) would be the price of any ε; Laplace noise has ε + e^(−ε) − 1.
    assert 0.0703 < desk.run()["ledger"]["charged"]["rho"] < 0.0704


def test_prices_for_other_neighbours_are_not_added(desk: Desk) -> None:
    """A row replaced and a row added or removed: a sum of both prices bounds neither."""
    desk.create("epsilon=1")
    desk.write("star.eps.duet", COUNT.replace("pλ m : ℕ, ", "pλ ").replace("| m,", "| ★,"))
    desk.write("free.eps.duet", "pλ . xs : 𝕄 [L∞, U | ★, age : 𝔻 else 0 ∷ []] ⇒ laplace[1.0, 1.0] <xs> { 1.0 }\n")
    free = ("free.eps.duet", "--data", "people.csv", "--ledger", "l")
    assert desk("run", *free)[0] == 0
    assert desk.run(program="star.eps.duet")["privacy"]["neighbours"] == "add-remove"
    code, last = desk.refused(*RUN, "ε=0.1")
    assert (code, last) == ("D0727", "nothing was released, nothing was spent")
    assert desk.run(program="star.eps.duet", epsilon="ε=0.5")["ledger"]["remaining"]["epsilon"] == 0.1
    # On other data it is charged again, and costs nothing for any neighbours.
    desk.write("people.csv", "age\n70\n")
    assert desk("run", *free)[0] == 0
    assert desk.entries == 8


def test_a_number_of_rows_that_is_shown_for_nothing_is_added_to_no_price_of_another(desk: Desk) -> None:
    """A row that is added or removed is seen in it."""
    desk.write("star.eps.duet", COUNT.replace("pλ m : ℕ, ", "pλ ").replace("| m,", "| ★,"))
    desk.write("free.eps.duet", "pλ m : ℕ . xs : 𝕄 [L∞, U | m, age : 𝔻 else 0 ∷ []] ⇒ return real (rows xs)\n")
    free = ("free.eps.duet", "--data", "people.csv")
    star = ("star.eps.duet", "--data", "people.csv", "--set", "ε=0.5")
    for first, second in ((free, star), (star, free)):
        desk.create("epsilon=1")
        assert desk("run", *first, "--ledger", "l")[0] == 0
        code, out, err = desk("run", *second, "--ledger", "l")
        assert (code, out, "error[D0727]" in err, desk.entries) == (1, "", True, 2)
        Path("l").unlink()
    desk.create("epsilon=1")
    for words in (free, (*RUN, "ε=0.1")):
        assert desk("run", *words, "--ledger", "l")[0] == 0
    desk.write("people.csv", "age\n70\n")
    assert desk("run", *free, "--ledger", "l")[0] == 0
    assert desk.entries == 6


def test_what_depends_on_no_data_spends_nothing_at_any_delta(desk: Desk) -> None:
    """A δ that was charged for nothing fixed the neighbours too: tables of ★ rows were refused ever after."""
    desk.create("epsilon=1,delta=1e-6")
    desk.write("public.eps.duet", "pλ ε : ℝ⁺ . xs : 𝕄 [L∞, U | ★, age : 𝔻 else 0 ∷ []], ε : ℝ⁺[ε] ⇒ return ε\n")
    desk.write("star.eps.duet", COUNT.replace("pλ m : ℕ, ", "pλ ").replace("| m,", "| ★,"))
    facts = desk.run("--delta", "1e-6", program="public.eps.duet")["ledger"]
    assert facts["charged"] == {"epsilon": 0.0, "delta": 0.0}
    assert desk.run(program="star.eps.duet")["ledger"]["remaining"] == {"epsilon": 0.6, "delta": 1e-6}


@pytest.mark.parametrize("budget", ["epsilon=1", "epsilon=1,delta=1e-6"])
def test_what_has_no_price_there_is_refused(desk: Desk, budget: str) -> None:
    desk.create(budget)
    desk.write("mean.zcdp.duet", GAUSS)
    code, last = desk.refused("mean.zcdp.duet", "--data", "people.csv", "--set", "ρ=0.125")
    assert code == "D0721"
    assert last == "nothing was released, nothing was spent"
    assert desk.entries == 0


@pytest.mark.parametrize(
    "words", [("create", "l"), ("create", "l", "--budget", "x=1"), ("burn", "l"), ("verify", "l", "--receipt", "7"), ()]
)
def test_malformed_commands(desk: Desk, words: tuple[str, ...]) -> None:
    assert desk("ledger", *words)[0] == 2


def test_verify_refuses_a_ledger_that_is_not_the_one_of_a_receipt(desk: Desk) -> None:
    """As an older copy is, or another ledger that is whole."""
    desk.create()
    number, _, head = desk.run()["ledger"]["receipt"].partition(":")
    for receipt, told in ((f"{number}:{'0' * len(head)}", "is not the one of the receipt"), (f"9:{head}", "is gone")):
        code, out, err = desk("ledger", "verify", "l", "--receipt", receipt)
        assert (code, out) == (1, "")
        assert "D0723" in err
        assert told in err


def test_verify_names_the_first_bad_entry(desk: Desk) -> None:
    from tests.ledger.test_store import meddle

    desk.create()
    desk.run()
    meddle(Path("l"), "UPDATE entries SET at = '' WHERE number = 2")
    code, out, err = desk("ledger", "verify", "l")
    assert (code, out) == (1, "")
    assert "entry 2 was changed" in err


def test_what_is_left_of_a_ledger_is_a_budget_that_the_run_then_fits(desk: Desk) -> None:
    desk.create()
    desk.run(epsilon="ε=0.8")
    code, out, _ = desk("calibrate", "count.eps.duet", "--ledger", "l", "--vary", "ε", "--format", "json")
    found = json.loads(out)
    assert (code, found["value"], found["budget"]) == (0, 0.2, {"epsilon": 0.2, "delta": 0.0})
    desk.run(epsilon=f"ε={found['value']}")
    code, out, err = desk("calibrate", "count.eps.duet", "--ledger", "l", "--vary", "ε")
    assert (code, out) == (1, "")
    assert "nothing is left of the ledger l" in err


def test_what_is_left_of_epsilon_is_a_pure_budget_where_all_of_delta_is_spent(desk: Desk) -> None:
    """`ledger show` said what is left, and `calibrate`, which a refused run names, that nothing is."""
    desk.create("epsilon=1,delta=1e-6")
    left = desk.run("--delta", "1e-6")["ledger"]["remaining"]
    assert left["delta"] == 0.0
    _, out, _ = desk("calibrate", "count.eps.duet", "--ledger", "l", "--vary", "ε", "--format", "json")
    found = json.loads(out)
    assert found["budget"] == left
    assert desk.run(epsilon=f"ε={found['value']}")["ledger"]["remaining"]["epsilon"] < 1e-5
    desk.write("mean.zcdp.duet", GAUSS)
    assert "has no pure ε" in desk("calibrate", "mean.zcdp.duet", "--ledger", "l", "--vary", "ρ")[2]


@pytest.mark.parametrize("budget", ["epsilon=1,delta=1e-6", "rho=0.1", "mu=0.7"])
@pytest.mark.sparse(2)
def test_what_is_left_can_be_spent_in_every_notion(desk: Desk, budget: str) -> None:
    desk.write("mean.zcdp.duet", GAUSS)
    run = ("run", "mean.zcdp.duet", "--data", "people.csv", "--ledger", "l", "--delta", "5e-7")
    assert desk("ledger", "create", "l", "--budget", budget)[0] == 0
    assert desk(*run, "--set", "ρ=0.004")[0] == 0
    calibrate = ("calibrate", "mean.zcdp.duet", "--ledger", "l", "--vary", "ρ", "--format", "json")
    code, out, _ = desk(*calibrate)
    assert code == 0
    found = json.loads(out)["value"]
    assert desk(*run, "--set", f"ρ={found * 1.001}")[0] == 1
    assert desk(*run, "--set", f"ρ={found}")[0] == 0


def test_python_asks_for_what_is_left_too(desk: Desk) -> None:
    desk.create()
    desk.run(epsilon="ε=0.8")
    checked = duetpy.load(desk.folder / "count.eps.duet").check()
    ledger = desk.folder / "l"
    before = ledger.read_bytes()
    assert checked.calibrate(vary="ε", _ledger=ledger).value == 0.2
    assert ledger.read_bytes() == before
    for budget, path in ((None, None), ("epsilon=1", ledger)):
        with pytest.raises(ValueError, match="either a budget or a _ledger"):
            checked.calibrate(budget, vary="ε", _ledger=path)
    with pytest.raises(ValueError, match="what to find"):
        checked.calibrate("epsilon=1")
    with pytest.raises(DuetError) as missing:
        checked.calibrate(vary="ε", _ledger=desk.folder / "none")
    assert missing.value.diagnostics[0].code == "D0722"
    desk.run(epsilon="ε=0.2")
    with pytest.raises(DuetError) as spent:
        checked.calibrate(vary="ε", _ledger=str(ledger))
    assert spent.value.diagnostics[0].code == "D0702"


def test_a_refusal_names_the_command_that_finds_what_fits(desk: Desk) -> None:
    desk.create()
    desk.run(epsilon="ε=0.8")
    _, _, err = desk("run", *RUN, "ε=0.5", "--ledger", "l")
    assert "duetpy calibrate count.eps.duet --ledger l --vary" in err


RENYI = """pλ m : ℕ . xs : 𝕄 [L∞, U | m, age : 𝔻 else 0 ∷ []], ys : 𝕄 [L∞, U | m, age : 𝔻 else 0 ∷ []] ⇒
  a ← gauss[auto, 4.0, 0.1] <xs> { real (rows (mfilter xs { row ⇒ 65.0 ≤ row.age })) } ;
  b ← gauss[auto, 4.0, 0.1] <ys> { real (rows (mfilter ys { row ⇒ 65.0 ≤ row.age })) } ;
  return ⟨a, b⟩
"""
TURNS = """pλ m : ℕ, k : ℕ . xs : 𝕄 [L∞, U | m, age : 𝔻 else 0 ∷ []], k : ℕ[k] ⇒
  loop k on 0.0 { i, a ⇒ gauss[auto, 0.1, 0.1] <xs> { real (rows (mfilter xs { row ⇒ 65.0 ≤ row.age })) } }
"""
KEYED = COUNT.replace(", ε : ℝ⁺[ε] ⇒", ", ε : ℝ⁺[ε], keys : ℘(𝐝 ℕ) ⇒")


@pytest.mark.parametrize(
    ("name", "program", "words", "code"),
    [
        ("two.renyi.duet", RENYI, ("--data", "xs=people.csv", "--data", "ys=people.csv"), "D0704"),
        ("turns.ed.duet", TURNS, ("--data", "people.csv", "--set", "k=10"), "D0590"),
        ("keyed.eps.duet", KEYED, ("--data", "people.csv", "--set", "ε=0.1", "--set", "keys=@absent.csv"), "D0601"),
        ("keyed.eps.duet", KEYED, ("--data", "people.csv", "--set", "ε=0.1", "--set", "keys=7"), "D0611"),
    ],
)
@pytest.mark.parametrize("rule", ["default", "refuse"])
def test_what_is_refused_whatever_the_data_is_spends_nothing(
    desk: Desk, name: str, program: str, words: tuple[str, ...], code: str, rule: str
) -> None:
    desk.create("rho=9")
    desk.write(name, program)
    found, last = desk.refused(name, *words, "--on-bad-row", rule, "--set", "m=3")
    assert (found, last) == (code, "nothing was released, nothing was spent")
    assert desk.entries == 0


@pytest.mark.parametrize(("words", "is_told"), [(("--ledger", "l"), True), ((), False)])
def test_an_interruption_tells_that_a_charge_stays(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], is_told: bool
) -> None:
    from duetpy.runtime.release.run import Prepared

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    desk.create()
    monkeypatch.setattr(Prepared, "release", interrupted)
    code, out, err = desk("run", *RUN, "ε=0.5", *words)
    assert (code, out) == (130, "")
    assert ("any charge of this run to the ledger stays" in err) == is_told
    assert err.endswith("\ninterrupted\n")
    assert desk.entries == int(is_told)
