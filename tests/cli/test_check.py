import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.harness import Duetpy, Write
from tests.cli.programs import ALIGNED, CLEAR, CURRIED, GAUSS, LYING, MEAN, RHO


def checked(duetpy: Duetpy, *arguments: str) -> dict[str, Any]:
    outcome = duetpy("check", *arguments, "--format", "json")
    assert outcome.err == ""
    value: dict[str, Any] = json.loads(outcome.out)
    assert outcome.code == (0 if value["ok"] else 1)
    return value


def parameters(duetpy: Duetpy, *arguments: str) -> dict[str, dict[str, Any]]:
    return {parameter["name"]: parameter for parameter in checked(duetpy, *arguments)["parameters"]}


# ---------------------------------------------------------------------------------------------------------------------
# Text


def test_an_accepted_program(duetpy: Duetpy, write: Write) -> None:
    write("mean.eps.duet", MEAN)
    outcome = duetpy("check", "mean.eps.duet")
    assert outcome.code == 0
    assert outcome.err == ""
    first, *rest = outcome.out.splitlines()
    assert " ".join(first.split()) == "mean.eps.duet: ok ε-differential privacy (file name), replace one row"
    assert rest == [
        "  table   costs ε",
        "  release laplace at line 2: sensitivity 100/m, scale 100/(m⋅ε), ±299.58/(m⋅ε) (95 %)",
    ]


def test_with_numbers_the_text_has_numbers(duetpy: Duetpy, write: Write) -> None:
    write("mean.eps.duet", MEAN)
    outcome = duetpy("check", "mean.eps.duet", "--set", "m=1000", "--set", "eps=0.5", "--delta", "1e-3")
    assert outcome.code == 0
    assert "which is ε = 0.5\n" in outcome.out
    assert "tight    ε = 0.498, δ = 0.001   exact: Laplace\n" in outcome.out
    assert "sensitivity 0.1, scale 0.2, ±0.59915 (95 %)" in outcome.out


def test_verbose_tells_of_types_and_public_parameters(duetpy: Duetpy, write: Write) -> None:
    write("gauss.ed.duet", GAUSS)
    quiet, loud = duetpy("check", "gauss.ed.duet"), duetpy("check", "gauss.ed.duet", "-v")
    assert "type ∀ m : ℕ" not in quiet.out
    assert "type ∀ m : ℕ" in loud.out
    assert "δ    public" in loud.out
    assert "steps" not in quiet.out
    assert "\n  steps\n    1    Take xs, which is protected: one row of it may be replaced by another.\n" in loud.out
    assert "requires δ < 1   (line 2)\n" in quiet.out
    assert "requires δ < 1   because δ of gauss is a probability (line 2)\n" in loud.out


def test_a_refused_program(duetpy: Duetpy, write: Write) -> None:
    write("lie.eps.duet", LYING)
    outcome = duetpy("check", "lie.eps.duet")
    assert outcome.code == 1
    assert outcome.out == ""
    assert outcome.err.startswith("error[D0311]: ")
    assert "--> lie.eps.duet:2:" in outcome.err
    assert "more: duetpy explain D0311, duetpy why lie.eps.duet\n" in outcome.err
    assert outcome.err.endswith("\n1 error\n")


def test_what_is_released_in_the_clear_is_told(duetpy: Duetpy, write: Write) -> None:
    write("x.duet", CLEAR)
    outcome = duetpy("check", "x.duet")
    assert outcome.code == 0
    assert "x   public: not protected by this program\n" in outcome.out
    assert outcome.err.startswith("warning[D0416]")


def test_aligned_parameters_are_one_unit(duetpy: Duetpy, write: Write) -> None:
    write("x.duet", ALIGNED)
    out = duetpy("check", "x.duet").out
    assert "xs, ys (aligned, one row)   costs ⟨1, 1e-6⟩\n" in out
    assert out.count("costs") == 1


def test_a_sensitivity_function_and_a_constant(duetpy: Duetpy, write: Write) -> None:
    write("f.duet", CURRIED)
    assert duetpy("check", "f.duet").out == "f.duet: ok\n  x   sensitivity 1\n  y   sensitivity 2\n"
    write("c.duet", "1.0 + 2.0\n")
    assert duetpy("check", "c.duet").out == "c.duet: ok\n  type ℝ⁺[3]\n"


# ---------------------------------------------------------------------------------------------------------------------
# The notion


@pytest.mark.parametrize(
    ("name", "line", "option", "notion", "origin"),
    [
        ("x.duet", "", None, "approx", "default"),
        ("x.y.duet", "", "eps", "eps", "command line"),
        ("x.y.duet", "notion zcdp;", None, "zcdp", "notion line"),
        ("x.ed.duet", "", None, "approx", "file name"),
        ("x.eps.duet", "", None, "eps", "file name"),
        ("x.y.z.zcdp.duet", "", None, "zcdp", "file name"),
        ("x.gdp.duet", "", None, "gdp", "file name"),
        ("x.eps.duet", "notion zcdp;", None, "zcdp", "notion line"),
        ("x.eps.duet", "notion zcdp;", "gdp", "gdp", "command line"),
        ("x.duet", "", "ed", "approx", "command line"),
    ],
)
def test_the_notion(
    duetpy: Duetpy, write: Write, name: str, line: str, option: str | None, notion: str, origin: str
) -> None:
    write(name, f"{line}\n{MEAN}")
    value = checked(duetpy, name, *(("--notion", option) if option else ()))
    assert (value["notion"], value["notion_origin"]) == (notion, origin)


def test_a_file_name_whose_ending_is_no_notion_is_refused(duetpy: Duetpy, write: Write) -> None:
    write("q.rdp.duet", MEAN)
    outcome = duetpy("check", "q.rdp.duet")
    assert outcome.code == 1
    assert "D0008" in outcome.err
    for notion in ("eps", "renyi", "zcdp", "tcdp", "gdp", "rao"):
        assert notion in outcome.err
    write("data.csv", "age\n1\n")
    assert duetpy("run", "q.rdp.duet", "--data", "data.csv", "--set", "eps=1").code == 1
    assert duetpy("check", "q.rdp.duet", "--notion", "renyi").code in (0, 1)


@pytest.mark.parametrize(
    ("notion", "keys"),
    [
        ("eps", ["epsilon"]),
        ("approx", ["epsilon", "delta"]),
        ("renyi", ["alpha", "epsilon"]),
        ("zcdp", ["rho"]),
        ("tcdp", ["rho", "omega"]),
        ("gdp", ["mu"]),
        ("rao", ["theta"]),
    ],
)
def test_the_keys_of_a_cost(duetpy: Duetpy, write: Write, notion: str, keys: list[str]) -> None:
    write("x.duet", MEAN)
    table = parameters(duetpy, "x.duet", "--notion", notion, "--set", "m=10", "--set", "ε=1")["table"]
    assert list(table["cost"]) == keys
    assert list(table["value"]) == keys
    assert list(table["tight"]) == ["epsilon", "delta"]


# ---------------------------------------------------------------------------------------------------------------------
# JSON


def test_the_json_of_a_privacy_function(duetpy: Duetpy, write: Write) -> None:
    write("mean.eps.duet", MEAN)
    value = checked(duetpy, "mean.eps.duet")
    assert value["file"] == "mean.eps.duet"
    assert value["ok"] is True
    assert value["notion"] == "eps"
    assert value["neighbours"] == "replace-one"
    assert value["type"] == "∀ m : ℕ, ε : ℝ⁺ . 𝕄 [L∞, U | m, age : 𝔻 ∷ []]@ε, ℝ⁺[ε]@0 ⊸⋆ ℝ"
    assert value["result"] == "ℝ"
    assert value["requires"] == []
    assert value["diagnostics"] == []
    table, epsilon = value["parameters"]
    assert table == {
        "name": "table",
        "type": "𝕄 [L∞, U | m, age : 𝔻 ∷ []]",
        "private": True,
        "unit": "table",
        "neighbours": "replace-one",
        "sensitivity": None,
        "cost": {"epsilon": "ε"},
    }
    assert (epsilon["name"], epsilon["private"], epsilon["cost"]) == ("ε", False, {"epsilon": "0"})
    assert epsilon["value"] == {"epsilon": 0.0}


def test_value_and_tight_need_every_number(duetpy: Duetpy, write: Write) -> None:
    write("rho.zcdp.duet", RHO)
    some = parameters(duetpy, "rho.zcdp.duet", "--set", "k=100")["xs"]
    assert "value" not in some
    assert "tight" not in some
    assert some["cost"] == {"rho": "k⋅ρ"}
    every = parameters(duetpy, "rho.zcdp.duet", "--set", "k=100", "--set", "rho=0.005")["xs"]
    assert every["value"] == {"rho": pytest.approx(0.5, rel=1e-12)}
    # 0.5-zCDP from Gaussian noise is 1-GDP, whose exact ε at 1e-6 is 4.886554 (Dong, Roth & Su 2022, Corollary 2.13).
    assert every["tight"] == {"epsilon": pytest.approx(4.886554, abs=1e-5), "delta": 1e-6}


def test_what_is_not_symbolic_has_a_value_without_being_set(duetpy: Duetpy, write: Write) -> None:
    write("x.duet", ALIGNED)
    xs = parameters(duetpy, "x.duet")["xs"]
    assert xs["value"] == {"epsilon": 1.0, "delta": 1e-6}
    assert xs["tight"]["delta"] == 1e-6
    assert xs["tight"]["epsilon"] == pytest.approx(1.0, rel=1e-6)


def test_the_delta_of_tight(duetpy: Duetpy, write: Write) -> None:
    write("gauss.ed.duet", GAUSS)
    arguments = ("gauss.ed.duet", "--set", "delta=1e-5")
    assert parameters(duetpy, *arguments)["xs"]["tight"]["delta"] == 1e-5
    looser = parameters(duetpy, *arguments, "--delta", "1e-3")["xs"]
    assert looser["tight"]["delta"] == 1e-3
    assert looser["tight"]["epsilon"] < looser["value"]["epsilon"] == 0.5
    write("mean.duet", MEAN)
    assert parameters(duetpy, "mean.duet", "--set", "ε=1")["table"]["tight"]["delta"] == 1e-6


def test_an_unbounded_cost(duetpy: Duetpy, write: Write) -> None:
    write("x.duet", CLEAR)
    value = checked(duetpy, "x.duet")
    (x,) = value["parameters"]
    assert value["ok"] is True
    assert x["private"] is False
    assert x["cost"] == {"epsilon": "∞", "delta": "∞"}
    assert x["value"] == {"epsilon": None, "delta": None}
    assert set(x["tight"]) == {"epsilon", "delta"}
    assert x["tight"]["epsilon"] is None
    assert [diagnostic["severity"] for diagnostic in value["diagnostics"]] == ["warning"]


def test_the_json_of_a_sensitivity_function(duetpy: Duetpy, write: Write) -> None:
    write("f.duet", "sλ m : ℕ . x : ℝ, y : 𝔻, z : 𝕄 [L1, U | m, 1⋅ℝ] ⇒ real (rows z) ⋅ x + (x / real (rows z))\n")
    value = checked(duetpy, "f.duet", "--set", "m=4")
    x, y, z = value["parameters"]
    assert [parameter["name"] for parameter in value["parameters"]] == ["x", "y", "z"]
    assert value["result"] == "ℝ"
    assert x["cost"] is None
    assert x["private"] is False
    assert x["value"] == {"sensitivity": 4.25}
    assert (y["sensitivity"], y["value"]) == ("0", {"sensitivity": 0.0})
    assert (z["sensitivity"], z["value"]) == ("0", {"sensitivity": 0.0})
    assert "m" in x["sensitivity"]
    unset = parameters(duetpy, "f.duet")["x"]
    assert "value" not in unset


def test_an_unbounded_sensitivity(duetpy: Duetpy, write: Write) -> None:
    write("f.duet", "sλ . x : ℝ ⇒ x ⋅ x\n")
    x = parameters(duetpy, "f.duet")["x"]
    assert x["sensitivity"] == "∞"
    assert x["value"] == {"sensitivity": None}


def test_a_value_that_is_no_function_has_no_parameters(duetpy: Duetpy, write: Write) -> None:
    write("c.duet", "1.0 + 2.0\n")
    value = checked(duetpy, "c.duet")
    assert (value["parameters"], value["type"], value["result"]) == ([], "ℝ⁺[3]", "ℝ⁺[3]")


@pytest.mark.parametrize(
    ("rows", "neighbours"),
    [("m, 1⋅𝔻", "replace-one"), ("★, 1⋅𝔻", "add-remove"), ("m, a : 𝔻 ∷ []", "replace-one"), ("★, 1⋅ℝ", "step")],
)
def test_neighbours_follow_the_rows(duetpy: Duetpy, write: Write, rows: str, neighbours: str) -> None:
    write("x.duet", f"sλ m : ℕ . xs : 𝕄 [L∞, U | {rows}] ⇒ rows xs\n")
    assert checked(duetpy, "x.duet")["neighbours"] == neighbours


def test_mixed_neighbours(duetpy: Duetpy, write: Write) -> None:
    write(
        "x.eps.duet",
        "pλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻], ys : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒\n"
        "  a ← laplace[auto, ℝ⁺[1.0]] <xs> { mfold-row 0.0, xs { a, r ⇒ a + clip[0.0, 1.0] (r#[0, 0]) } } ;\n"
        "  laplace[auto, ℝ⁺[1.0]] <ys> { mfold-row 0.0, ys { a, r ⇒ a + clip[0.0, 1.0] (r#[0, 0]) } }\n",
    )
    value = checked(duetpy, "x.eps.duet")
    assert value["neighbours"] == "mixed"
    assert [parameter["neighbours"] for parameter in value["parameters"]] == ["replace-one", "add-remove"]
    assert "ys (add or remove one row)   costs 1" in duetpy("check", "x.eps.duet").out


def test_aligned_parameters_share_a_unit(duetpy: Duetpy, write: Write) -> None:
    write("x.duet", ALIGNED)
    found = parameters(duetpy, "x.duet")
    assert found["xs"]["unit"] == found["ys"]["unit"] == "xs+ys"
    assert found["xs"]["cost"] == found["ys"]["cost"] == {"epsilon": "1", "delta": "1e-6"}
    assert found["θ"]["unit"] == "θ"


def test_the_json_of_a_refusal(duetpy: Duetpy, write: Write) -> None:
    write("lie.eps.duet", LYING)
    value = checked(duetpy, "lie.eps.duet")
    assert value["ok"] is False
    (diagnostic,) = value["diagnostics"]
    assert diagnostic["code"] == "D0311"
    assert diagnostic["severity"] == "error"
    assert diagnostic["rule"] == "laplace"
    assert diagnostic["help"]
    assert set(diagnostic["span"]) == {"line", "column", "end_line", "end_column"}
    assert diagnostic["span"]["line"] == 2
    assert diagnostic["labels"][0]["message"] == "claims 1"


def test_requirements_disappear_when_they_are_met(duetpy: Duetpy, write: Write) -> None:
    write("gauss.ed.duet", GAUSS)
    assert checked(duetpy, "gauss.ed.duet")["requires"] == ["δ < 1"]
    assert checked(duetpy, "gauss.ed.duet", "--set", "δ=0.5")["requires"] == []


def test_a_requirement_that_is_broken_refuses_the_program(duetpy: Duetpy, write: Write) -> None:
    write("gauss.ed.duet", GAUSS)
    value = checked(duetpy, "gauss.ed.duet", "--set", "δ=1")
    assert value["ok"] is False
    assert [diagnostic["code"] for diagnostic in value["diagnostics"]] == ["D0501"]
    assert "given δ = 1" in value["diagnostics"][0]["notes"]
    assert "value" not in value["parameters"][0]


def test_a_requirement_that_one_number_divides_another(duetpy: Duetpy, write: Write) -> None:
    write("x.duet", "sλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒ chunks[ℕ[10], xs]\n")
    assert checked(duetpy, "x.duet")["requires"] == ["10 ∣ m"]
    assert checked(duetpy, "x.duet", "--set", "m=20")["requires"] == []
    for size in ("5", "15"):
        assert checked(duetpy, "x.duet", "--set", f"m={size}")["ok"] is False


def test_a_requirement_is_told_once(duetpy: Duetpy, write: Write) -> None:
    write(
        "x.ed.duet",
        "pλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒ sample[ℕ[10]] xs { ys ⇒ laplace[auto, ℝ⁺[1.0]] <ys> {\n"
        "  mfold-row 0.0, ys { a, r ⇒ a + clip[0.0, 1.0] (r#[0, 0]) } } }\n",
    )
    assert checked(duetpy, "x.ed.duet")["requires"] == ["10 ≤ m"]
    refused = checked(duetpy, "x.ed.duet", "--set", "m=9")
    assert [diagnostic["code"] for diagnostic in refused["diagnostics"]] == ["D0501"]
    assert checked(duetpy, "x.ed.duet", "--set", "m=10")["ok"] is True


def test_no_guarantee_is_refused(duetpy: Duetpy, write: Write) -> None:
    write(
        "x.ed.duet",
        "pλ m : ℕ, k : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻], k : ℕ[k] ⇒ loop k on 0.0 <xs> { i, t ⇒\n"
        "  gauss[auto, ℝ⁺[1.0], ℝ⁺[0.01]] <xs> { mfold-row 0.0, xs { a, r ⇒ a + clip[0.0, 1.0] (r#[0, 0]) } } }\n",
    )
    assert checked(duetpy, "x.ed.duet", "--set", "k=99")["ok"] is True
    refused = checked(duetpy, "x.ed.duet", "--set", "k=100")
    assert [diagnostic["code"] for diagnostic in refused["diagnostics"]] == ["D0590"]


# ---------------------------------------------------------------------------------------------------------------------
# Settings


@pytest.mark.parametrize("name", ["ε", "eps", "ϵ"])
def test_a_letter_may_be_spelled(duetpy: Duetpy, write: Write, name: str) -> None:
    write("mean.eps.duet", MEAN)
    assert parameters(duetpy, "mean.eps.duet", "--set", f"{name}=0.1")["table"]["value"] == {"epsilon": 0.1}


def test_an_argument_of_a_static_type_sets_its_variable(duetpy: Duetpy, write: Write) -> None:
    write("x.eps.duet", MEAN.replace("ε : ℝ⁺[ε]", "budget : ℝ⁺[ε]").replace("auto, ε", "auto, budget"))
    assert parameters(duetpy, "x.eps.duet", "--set", "budget=2")["table"]["value"] == {"epsilon": 2.0}
    contradiction = duetpy("check", "x.eps.duet", "--set", "budget=2", "--set", "ε=3")
    assert contradiction.code == 2
    assert "contradicts" in contradiction.err


@pytest.mark.parametrize("setting", ["m=0", "m=-1", "m=1.5", "ε=0", "ε=-0.1", 'ε="text"', "ε=true"])
def test_a_value_that_its_variable_cannot_take(duetpy: Duetpy, write: Write, setting: str) -> None:
    write("mean.eps.duet", MEAN)
    outcome = duetpy("check", "mean.eps.duet", "--set", setting)
    assert outcome.code == 2
    assert "must be" in outcome.err


def test_a_name_that_no_file_declares(duetpy: Duetpy, write: Write) -> None:
    write("mean.eps.duet", MEAN)
    write("rho.zcdp.duet", RHO)
    outcome = duetpy("check", "mean.eps.duet", "--set", "k=3")
    assert outcome.code == 2
    assert "unknown name k; you can set m, ε" in outcome.err
    write("two.eps.duet", "pλ a : 𝔻𝔽[x : 𝔻], b : 𝔻𝔽[x : 𝔻] ⇒ dlaplace[auto, 1.0] <a, b> { rows a + rows b }")
    assert "no public number; a, b are given with --data" in duetpy("check", "two.eps.duet", "--set", "k=3").err
    assert (
        "unknown name k; the program has no number"
        in duetpy("calibrate", "two.eps.duet", "--budget", "epsilon=1", "--vary", "k").err
    )
    assert duetpy("check", "mean.eps.duet", "rho.zcdp.duet", "--set", "k=3").code == 0


def test_unknown_names_wait_until_the_program_is_right(duetpy: Duetpy, write: Write) -> None:
    write("x.duet", "pλ k : ℕ . x : 𝔻 ⇒ return y\n")
    outcome = duetpy("check", "x.duet", "--set", "nonsense=3")
    assert outcome.code == 1
    assert "D0101" in outcome.err


def test_a_public_table_may_be_named_without_being_read(duetpy: Duetpy, write: Write) -> None:
    write("x.duet", ALIGNED)
    assert duetpy("check", "x.duet", "--set", "θ=@there-is-none.csv").code == 0


# ---------------------------------------------------------------------------------------------------------------------
# Files


def test_several_files_are_told_of_one_by_one(duetpy: Duetpy, write: Write) -> None:
    write("a.duet", CURRIED)
    write("b.eps.duet", LYING)
    write("c.duet", CURRIED)
    outcome = duetpy("check", "a.duet", "b.eps.duet", "c.duet")
    assert outcome.code == 1
    assert "a.duet: ok" in outcome.out
    assert "c.duet: ok" in outcome.out
    assert "b.eps.duet" in outcome.err
    lines = duetpy("check", "a.duet", "b.eps.duet", "c.duet", "--format", "json").out.splitlines()
    assert [(json.loads(line)["file"], json.loads(line)["ok"]) for line in lines] == [
        ("a.duet", True),
        ("b.eps.duet", False),
        ("c.duet", True),
    ]


@pytest.mark.parametrize("name", ["none.duet", "folder", "binary.duet"])
def test_a_program_that_cannot_be_read(duetpy: Duetpy, tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "binary.duet").write_bytes(b"\x00\xff")
    outcome = duetpy("check", name)
    assert outcome.code == 1
    assert outcome.out == ""
    assert "error[D009" in outcome.err
    assert name in outcome.err
    value = checked(duetpy, name)
    assert (value["ok"], value["parameters"], value["type"], value["result"]) == (False, [], None, None)
    assert value["diagnostics"][0]["span"] is None


def test_a_hostile_name_and_text_reach_the_terminal_as_numbers(duetpy: Duetpy, write: Write) -> None:
    write("evil\x1b[31m.duet", "f \x1b]0;owned\x07 \u202e\n")
    outcome = duetpy("check", "evil\x1b[31m.duet")
    assert outcome.code == 1
    for control in "\x1b\x07\u202e":
        assert control not in outcome.out + outcome.err
    write("good\x1b[31m.duet", CURRIED)
    assert "\x1b" not in duetpy("check", "good\x1b[31m.duet").out


def test_imports(duetpy: Duetpy, write: Write) -> None:
    write("lib/base.duet", "def scale = ℝ⁺[2.0]\n")
    write("lib/more.duet", 'import "base.duet";\ndef double = sλ . x : ℝ ⇒ scale ⋅ x\n')
    write("x.duet", 'import "lib/more.duet";\nsλ . y : ℝ ⇒ double y\n')
    assert parameters(duetpy, "x.duet")["y"]["sensitivity"] == "2"


def test_an_import_may_define_a_soft_word(duetpy: Duetpy, write: Write) -> None:
    write("lib.duet", "def max = ℝ⁺[3.0]\n")
    write("x.duet", 'import "lib.duet";\nsλ . y : ℝ ⇒ max ⋅ y\n')
    assert parameters(duetpy, "x.duet")["y"]["sensitivity"] == "3"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('import "none.duet";\n1.0\n', "D0105"),
        ('import "people.csv";\n1.0\n', "D0105"),
        ('import "x.duet";\n1.0\n', "D0106"),
        ('import "-";\n1.0\n', "D0105"),
    ],
)
def test_imports_that_fail(duetpy: Duetpy, write: Write, text: str, code: str) -> None:
    write("people.csv", "age\n8675309\n")
    write("x.duet", text)
    outcome = duetpy("check", "x.duet")
    assert outcome.code == 1
    assert f"error[{code}]" in outcome.err
    assert "8675309" not in outcome.err


# ---------------------------------------------------------------------------------------------------------------------
# SARIF


def test_sarif(duetpy: Duetpy, write: Write) -> None:
    write("a.duet", CURRIED)
    write("b.eps.duet", LYING)
    outcome = duetpy("check", "a.duet", "b.eps.duet", "--format", "sarif")
    assert outcome.code == 1
    assert outcome.err == ""
    (run,) = json.loads(outcome.out)["runs"]
    (result,) = run["results"]
    assert result["ruleId"] == "D0311"
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "b.eps.duet"


def test_more_mistakes_than_are_told(duetpy: Duetpy, write: Write) -> None:
    for count, end in (
        (99, "99 errors\n"),
        (150, "100 errors; there may be more: at most 100 are shown per program\n"),
    ):
        write("many.duet", "sλ x : ℝ ⇒ " + " + ".join(f"u{at}" for at in range(count)))
        assert duetpy("check", "many.duet").err.endswith(end)
