"""A module means the same imported as alone: which definition a name means, and in which notion it is read."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from random import Random

import pytest
from attrs import define, field

import duetpy
from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.grammar import ast
from duetpy.typecheck.notions import Notion


def program(folder: Path, **files: str) -> duetpy.Program:
    """The program ``x…`` of a folder of modules; a name such as ``lib_zcdp`` is the file ``lib.zcdp.duet``."""
    for name, text in files.items():
        (folder / f"{name.replace('_', '.')}.duet").write_text(text, encoding="utf-8")
    return duetpy.load(next(folder.glob("x*.duet")))


def refusals(folder: Path, **files: str) -> list[Diagnostic]:
    return [diagnostic for diagnostic in program(folder, **files).try_check()[1] if diagnostic.is_error]


def sensitivity(folder: Path, **files: str) -> str | None:
    """The sensitivity of the program's parameter v, which its value bears out."""
    read = program(folder, **files)
    found = read.check().parameters["v"].sensitivity
    assert read.typed is not None
    assert float(str(duetpy.evaluate(read.typed, v=1.0))) == float(str(found))
    return found


# ---------------------------------------------------------------------------------------------------------------------
# Names

TWICE = "def f = sλ . w : ℝ ⇒ 2.0 ⋅ w\n"
THRICE = "def f = sλ . w : ℝ ⇒ 3.0 ⋅ w\n"


def test_a_module_does_not_see_what_was_imported_before_it(tmp_path: Path) -> None:
    found = refusals(
        tmp_path,
        b=TWICE,
        c="def g = sλ . w : ℝ ⇒ f w\n",
        x='import "b.duet";\nimport "c.duet";\nsλ . v : ℝ ⇒ g v\n',
    )
    assert [diagnostic.code for diagnostic in found] == ["D0101"]
    assert found[0].message == "unknown name `f`"
    assert found[0].span is not None
    assert Path(found[0].span.source.name).name == "c.duet"
    assert found[0].span.text == "f"
    assert 'import "b.duet";' in found[0].help


def test_a_module_does_not_see_what_the_program_defines(tmp_path: Path) -> None:
    found = refusals(tmp_path, c="def g = sλ . w : ℝ ⇒ f w\n", x=f'import "c.duet";\n{TWICE}sλ . v : ℝ ⇒ g v\n')
    assert [(d.code, d.message) for d in found] == [("D0101", "unknown name `f`")]


def test_a_module_keeps_its_own_name_beside_another_file_that_has_it(tmp_path: Path) -> None:
    files = {
        "d": TWICE,
        "b": THRICE,
        "c": 'import "d.duet";\ndef g = sλ . w : ℝ ⇒ f w\n',
    }
    imports = 'import "b.duet";\nimport "c.duet";\n'
    assert sensitivity(tmp_path, **files, x='import "c.duet";\nsλ . v : ℝ ⇒ g v\n') == "2"
    # The program does not use f, so nobody asks which one it would mean.
    assert sensitivity(tmp_path, **files, x=f"{imports}sλ . v : ℝ ⇒ g v\n") == "2"


def test_a_definition_of_the_program_shadows_an_imported_one_for_the_program_only(tmp_path: Path) -> None:
    module = f"{TWICE}def g = sλ . w : ℝ ⇒ f (f w)\n"
    assert sensitivity(tmp_path, b=module, x=f'import "b.duet";\n{THRICE}sλ . v : ℝ ⇒ f (g v)\n') == "12"
    before = 'import "b.duet";\ndef h = sλ . w : ℝ ⇒ f w\n'
    assert sensitivity(tmp_path, b=module, x=f"{before}{THRICE}sλ . v : ℝ ⇒ f (h (g v))\n") == "24"


def test_a_later_definition_of_a_module_shadows_an_earlier_one(tmp_path: Path) -> None:
    module = f"{TWICE}def g = sλ . w : ℝ ⇒ f w\ndef f = sλ . w : ℝ ⇒ 5.0 ⋅ (f w)\n"
    assert sensitivity(tmp_path, b=module, x='import "b.duet";\nsλ . v : ℝ ⇒ f v\n') == "10"
    shadowed = f'import "b.duet";\n{THRICE}sλ . v : ℝ ⇒ f (g v)\n'
    assert sensitivity(tmp_path, b=module, x=shadowed) == "6"


def test_local_names_of_a_module_are_its_own(tmp_path: Path) -> None:
    module = "def g = sλ . f : ℝ ⇒ let h = 5.0 ⋅ f in f + h\n"
    main = f'import "b.duet";\nimport "c.duet";\n{THRICE}def h = sλ . w : ℝ ⇒ f w\nsλ . v : ℝ ⇒ h (g v)\n'
    assert sensitivity(tmp_path, b=module, c=f"{TWICE}def h = 1.0\n", x=main) == "18"


def test_imports_of_imports_are_in_scope(tmp_path: Path) -> None:
    files = {"a": TWICE, "b": 'import "a.duet";\ndef g = sλ . w : ℝ ⇒ f w\n'}
    assert sensitivity(tmp_path, **files, x='import "b.duet";\nsλ . v : ℝ ⇒ f (g v)\n') == "4"


def test_a_module_that_two_import_is_judged_once(tmp_path: Path) -> None:
    read = program(
        tmp_path,
        d="def f = sλ . w : ℝ ⇒ 2.0 ⋅ nowhere\n",
        b='import "d.duet";\ndef b = 1.0\n',
        c='import "d.duet";\ndef c = 1.0\n',
        x='import "b.duet";\nimport "c.duet";\nsλ . v : ℝ ⇒ f v\n',
    )
    assert [diagnostic.code for diagnostic in read.try_check()[1]] == ["D0101"]
    names, here = [], None if read.typed is None else read.typed.body
    while isinstance(here, ast.Let):
        names.append(here.name.text)
        here = here.body
    assert names == ["f", "b", "c"]


AMBIGUOUS = {"b": TWICE, "c": THRICE}
BOTH = 'import "b.duet";\nimport "c.duet";\n'


def test_a_name_with_two_meanings_is_refused_where_it_is_used(tmp_path: Path) -> None:
    found = refusals(tmp_path, **AMBIGUOUS, x=f"{BOTH}sλ . v : ℝ ⇒ f v\n")
    assert [diagnostic.code for diagnostic in found] == ["D0110"]
    assert found[0].message == "the name f is imported from several files"
    assert [Path(label.span.source.name).name for label in found[0].labels] == ["b.duet", "c.duet"]


def test_a_name_with_two_meanings_may_be_defined_anew(tmp_path: Path) -> None:
    own = "def f = sλ . w : ℝ ⇒ 7.0 ⋅ w\n"
    assert sensitivity(tmp_path, **AMBIGUOUS, x=f"{BOTH}{own}sλ . v : ℝ ⇒ f v\n") == "7"
    assert sensitivity(tmp_path, **AMBIGUOUS, x=f"{BOTH}sλ . v : ℝ ⇒ let f = sλ . w : ℝ ⇒ w in f v\n") == "1"


def test_two_meanings_travel_through_imports(tmp_path: Path) -> None:
    files = {**AMBIGUOUS, "a": f"{BOTH}def a = 1.0\n"}
    assert [d.code for d in refusals(tmp_path, **files, x='import "a.duet";\nsλ . v : ℝ ⇒ f v\n')] == ["D0110"]


def test_files_of_one_name_in_two_folders(tmp_path: Path) -> None:
    for folder, text in (("one", TWICE), ("two", THRICE)):
        (tmp_path / folder).mkdir()
        use = f"def {folder} = sλ . w : ℝ ⇒ f w\n"
        (tmp_path / folder / "f.duet").write_text(text + use, encoding="utf-8")
    main = 'import "one/f.duet";\nimport "two/f.duet";\ndef f = 1.0\nsλ . v : ℝ ⇒ one (two v)\n'
    assert sensitivity(tmp_path, x=main) == "6"


def test_lists_of_inputs_and_boxes_name_what_their_file_binds(tmp_path: Path) -> None:
    """Names between angle brackets and in the type of a box are resolved as those in expressions are."""
    module = "def g = pλ ε : ℝ⁺ . xs : ℝ, ε : ℝ⁺[ε] ⇒ laplace[1.0, ε] <f> { xs }\n"
    found = refusals(tmp_path, b="def f = 1.0\n", c=module, x_eps=f"{BOTH}g\n")
    assert ("D0101", "unknown name `f`") in [(d.code, d.message) for d in found]
    module = "def g = sλ . w : ℝ ⇒ (sλ b : box[f@1] ℝ ⇒ 0.0) (box w)\n"
    (tmp_path / "x.eps.duet").unlink()
    found = refusals(tmp_path, b="def f = 1.0\n", c=module, x=f"{BOTH}sλ . v : ℝ ⇒ v\n")
    assert ("D0101", "unknown name `f`") in [(d.code, d.message) for d in found]


def test_a_message_about_a_name_that_two_files_have_says_whose_it_is(tmp_path: Path) -> None:
    module = f"{TWICE}def g = pλ ε : ℝ⁺ . xs : ℝ, ε : ℝ⁺[ε] ⇒ laplace[1.0, ε] <f> {{ xs }}\n"
    found = program(tmp_path, b=module, x_eps=f'import "b.duet";\n{THRICE}g\n').try_check()[1]
    messages = [diagnostic.message for diagnostic in found if diagnostic.code == "D0406"]
    assert messages == ["f from b.duet is public here and needs no protection"]


def test_nothing_out_of_sight_is_proposed(tmp_path: Path) -> None:
    module = "def functional = sλ . w : ℝ ⇒ w\n"
    main = 'import "b.duet";\nimport "c.duet";\nsλ . v : ℝ ⇒ functionel v\n'
    (found,) = refusals(tmp_path, b=module, c=module, x=main)
    assert found.code == "D0101"
    assert ".duet" not in found.help


def test_a_function_of_a_module_has_the_types_of_its_own_file(tmp_path: Path) -> None:
    """Where they are left to its first use, a file next to it would decide: with ℝ for a number, what is static no longer is."""
    bare = "def same = sλ c ⇒ c\n"
    files = {
        "b": 'import "d.duet";\ndef b = sλ . w : ℝ ⇒ same w\n',
        "c": 'import "d.duet";\ndef g = sλ . w : ℝ ⇒ same ℝ⁺[2.0] ⋅ w\n',
    }
    for order in (BOTH, 'import "c.duet";\nimport "b.duet";\n'):
        (found,) = refusals(tmp_path, d=bare, **files, x=f"{order}sλ . v : ℝ ⇒ g v\n")
        assert found.code == "D0211"
        assert found.span is not None
        assert Path(found.span.source.name).name == "d.duet"
        assert found.span.text == "c"
    # Alone it is refused as well.
    (alone,) = refusals(tmp_path, x=bare)
    assert alone.code == "D0211"


def test_a_function_whose_types_its_own_file_determines_is_imported(tmp_path: Path) -> None:
    module = "def twice = sλ c ⇒ c + c\ndef f = sλ . w : ℝ ⇒ twice w\n"
    assert sensitivity(tmp_path, b=module, x='import "b.duet";\nsλ . v : ℝ ⇒ twice (f v)\n') == "4"
    local = "def f = sλ . w : ℝ ⇒ let twice = sλ c ⇒ c + c in twice w\n"
    assert sensitivity(tmp_path, b=local, x='import "b.duet";\nsλ . v : ℝ ⇒ f v\n') == "2"


def test_the_programs_own_functions_have_the_types_of_their_first_use(tmp_path: Path) -> None:
    main = 'import "b.duet";\ndef twice = sλ c ⇒ c + c\nsλ . v : ℝ ⇒ twice (f v)\n'
    assert sensitivity(tmp_path, b=TWICE, x=main) == "4"


# ---------------------------------------------------------------------------------------------------------------------
# Random modules, against what the documents say of names


@define
class Module:
    """A module ``mᵢ``: the modules that it imports, and its definitions ``name ↦ terms``."""

    imports: list[int]
    definitions: list[tuple[str, list[object]]] = field(factory=list)


class Refused(Exception):
    """The meaning of a name is not one definition; holds the code of the refusal."""


def drawn(random: Random, size: int) -> list[Module]:
    """Modules that mostly use names that are in sight there."""
    modules: list[Module] = []
    offered: list[set[str]] = []
    for index in range(size):
        module = Module(random.sample(range(index), random.randint(0, min(2, index))))
        names = set().union(*(offered[imported] for imported in module.imports))
        for _ in range(random.randint(1, 3)):
            known = [*sorted(names), random.randint(1, 3)] if random.random() < 0.95 else ["f", "g", "h"]
            term: list[object] = [random.choice(known) for _ in range(random.randint(1, 2))]
            if random.random() < 0.3:
                term = [("let", random.choice(["f", "g"]), random.randint(2, 3), term)]
            name = random.choice("fgh")
            module.definitions.append((name, term))
            names.add(name)
        modules.append(module)
        offered.append(names)
    return modules


def text_of(module: Module, terms: list[object], argument: str) -> str:
    """The product of the terms, as functions applied to an argument."""
    text = argument
    for term in reversed(terms):
        match term:
            case ("let", name, factor, inner):
                text = f"(let {name} = (sλ . u : ℝ ⇒ {factor}.0 ⋅ u) in {text_of(module, inner, text)})"
            case int():
                text = f"({term}.0 ⋅ {text})"
            case _:
                text = f"({term} {text})"
    return text


def file_of(module: Module) -> str:
    lines = [f'import "m{index}.duet";' for index in module.imports]
    lines += [f"def {name} = sλ . w : ℝ ⇒ {text_of(module, terms, 'w')}" for name, terms in module.definitions]
    return "\n".join(lines) + "\n"


def needed(modules: list[Module], index: int) -> set[int]:
    """A module with all that it imports."""
    return {index}.union(*(needed(modules, imported) for imported in modules[index].imports))


def meaning(modules: list[Module], read: set[int]) -> int:
    """What the last definition of the last module multiplies by, by the documents' words alone; all that is read is judged."""
    offered: list[dict[str, dict[tuple[int, int], int]]] = []
    value = 0
    for at, module in enumerate(modules):
        if at not in read:
            offered.append({})
            continue
        names: dict[str, dict[tuple[int, int], int]] = {}
        for imported in module.imports:
            for name, meant in offered[imported].items():
                names.setdefault(name, {}).update(meant)
        names = {name: dict(meant) for name, meant in names.items()}
        for place, (name, terms) in enumerate(module.definitions):
            value = factor(terms, {key: list(meant.values()) for key, meant in names.items()})
            names[name] = {(at, place): value}
        offered.append(names)
    return value


def outcome(modules: list[Module], read: set[int]) -> int | str:
    """The meaning, or the code of the refusal."""
    try:
        return meaning(modules, read)
    except Refused as refused:
        return str(refused)


def factor(terms: list[object], names: dict[str, list[int]]) -> int:
    found = 1
    for term in terms:
        match term:
            case ("let", name, number, inner):
                found *= factor(inner, {**names, name: [number]})
            case int():
                found *= term
            case _:
                meant = names.get(str(term), [])
                if len(meant) != 1:
                    raise Refused("D0110" if meant else "D0101")
                found *= meant[0]
    return found


def test_random_modules_are_of_all_kinds() -> None:
    found = []
    for seed in range(150):
        random = Random(seed)
        modules = drawn(random, random.randint(2, 5))
        found.append(outcome(modules, set(range(len(modules)))))
    assert found.count("D0101") > 10
    assert found.count("D0110") > 10
    assert len([value for value in found if isinstance(value, int) and value > 1]) > 50


@pytest.mark.parametrize("seed", range(150))
@pytest.mark.sparse(6)
def test_random_modules_mean_what_the_documents_say(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    modules = drawn(random, random.randint(2, 5))
    # All that the last module does not need stands next to it, imported before or after.
    program_ = [f'import "m{index}.duet";' for index in random.sample(range(len(modules)), len(modules))]
    files = {f"m{index}": file_of(module) for index, module in enumerate(modules)}
    last = modules[-1]
    name = last.definitions[-1][0]
    alone = f"{file_of(last)}sλ . v : ℝ ⇒ {name} v\n"
    main = f"{chr(10).join(program_)}\ndef f = 1.0\ndef g = 1.0\ndef h = 1.0\nsλ . v : ℝ ⇒ answer v\n"
    files[f"m{len(modules) - 1}"] += f"def answer = sλ . w : ℝ ⇒ {name} w\n"
    for text, read in ((alone, needed(modules, len(modules) - 1)), (main, set(range(len(modules))))):
        expected = outcome(modules, read)
        if isinstance(expected, str):
            assert expected in [diagnostic.code for diagnostic in refusals(tmp_path, **files, x=text)]
        else:
            assert sensitivity(tmp_path, **files, x=text) == str(expected)


# ---------------------------------------------------------------------------------------------------------------------
# Notions

GAUSSIAN = "def noisy = pλ ρ : ℝ⁺ . xs : ℝ, ρ : ℝ⁺[ρ] ⇒ gauss[auto, ρ] <xs> { xs }\n"
LAPLACE = "def noisy = pλ ε : ℝ⁺ . xs : ℝ, ε : ℝ⁺[ε] ⇒ laplace[auto, ε] <xs> { xs }\n"


def test_a_module_of_another_notion_is_refused(tmp_path: Path) -> None:
    (found,) = refusals(tmp_path, lib_zcdp=GAUSSIAN, x_gdp='import "lib.zcdp.duet";\nnoisy\n')
    assert found.code == "D0111"
    assert "zero-concentrated" in found.message
    assert "Gaussian differential privacy" in found.message
    assert "zcdp" in found.help
    assert found.span is not None
    assert found.span.text.startswith("import")


def test_a_module_of_the_same_notion_is_read(tmp_path: Path) -> None:
    read = program(tmp_path, lib_zcdp=GAUSSIAN, x_zcdp='import "lib.zcdp.duet";\nnoisy\n')
    assert read.check().parameters["xs"].cost == {"rho": "ρ"}


def test_a_module_that_states_no_notion_has_that_of_the_program(tmp_path: Path) -> None:
    for notion, cost in (("zcdp", {"rho": "ρ"}), ("gdp", {"mu": "ρ"})):
        read = program(tmp_path, lib=GAUSSIAN, **{f"x_{notion}": 'import "lib.duet";\nnoisy\n'})
        assert read.check().parameters["xs"].cost == cost
        (tmp_path / f"x.{notion}.duet").unlink()


ALL = tuple(product([notion.value for notion in Notion], [notion.value for notion in Notion]))


@pytest.mark.parametrize(("stated", "here"), ALL)
def test_any_two_notions(tmp_path: Path, stated: str, here: str) -> None:
    """By the notion line as by the name; the line wins over the name."""
    main = f'notion {here};\nimport "lib.zcdp.duet";\nsλ . v : ℝ ⇒ v\n'
    found = refusals(tmp_path, lib_zcdp=f"notion {stated};\ndef t = sλ f : ℝ@∞ ⊸⋆ ℝ ⇒ 0.0\n", x=main)
    assert [diagnostic.code for diagnostic in found] == ([] if stated == here else ["D0111"])


def test_the_notion_of_the_command_line_is_the_programs(tmp_path: Path) -> None:
    program(tmp_path, lib_zcdp=GAUSSIAN, x_zcdp='import "lib.zcdp.duet";\nnoisy\n')
    found = duetpy.load(tmp_path / "x.zcdp.duet", notion="gdp").try_check()[1]
    assert [diagnostic.code for diagnostic in found] == ["D0111"]


def test_sensitivity_functions_mean_the_same_in_every_notion(tmp_path: Path) -> None:
    for notion in Notion:
        main = f'notion {notion.value};\nimport "lib.zcdp.duet";\nsλ . v : ℝ ⇒ f v\n'
        assert sensitivity(tmp_path, lib_zcdp=TWICE, x=main) == "2"


def test_a_module_holds_what_it_imports(tmp_path: Path) -> None:
    files = {"base": GAUSSIAN, "lib_zcdp": 'import "base.duet";\ndef other = noisy\n'}
    assert [d.code for d in refusals(tmp_path, **files, x_gdp='import "lib.zcdp.duet";\nother\n')] == ["D0111"]


def test_an_import_of_an_import_is_compared_with_the_program(tmp_path: Path) -> None:
    files = {"base_zcdp": GAUSSIAN, "lib": 'import "base.zcdp.duet";\ndef other = noisy\n'}
    (found,) = refusals(tmp_path, **files, x_gdp='import "lib.duet";\nother\n')
    assert found.code == "D0111"
    assert found.span is not None
    assert Path(found.span.source.name).name == "lib.duet"


def test_a_module_in_a_module_that_is_refused_is_refused_with_it(tmp_path: Path) -> None:
    files = {"base_zcdp": GAUSSIAN, "lib_zcdp": 'import "base.zcdp.duet";\ndef other = noisy\n'}
    assert [d.code for d in refusals(tmp_path, **files, x_gdp='import "lib.zcdp.duet";\nother\n')] == ["D0111"]


def test_what_the_value_of_an_imported_file_holds_is_not_imported(tmp_path: Path) -> None:
    library = TWICE + GAUSSIAN.removeprefix("def noisy = ")
    assert sensitivity(tmp_path, lib_zcdp=library, x_gdp='import "lib.zcdp.duet";\nsλ . v : ℝ ⇒ f v\n') == "2"


def test_a_pure_module_promises_what_an_approximate_program_does_not(tmp_path: Path) -> None:
    """``ensures ε ≤ 1`` is (1, 0) in pure differential privacy, and says nothing about δ in the approximate one."""
    (found,) = refusals(tmp_path, lib_eps=LAPLACE, x='import "lib.eps.duet";\nnoisy\n')
    assert found.code == "D0111"
    assert "its file name states eps" in found.notes[0]
    (tmp_path / "lib.eps.duet").rename(tmp_path / "lib.duet")
    read = program(tmp_path, x='import "lib.duet";\nnoisy\n')
    assert read.check().parameters["xs"].cost == {"epsilon": "ε", "delta": "0"}
