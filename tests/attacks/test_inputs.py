"""No text and no file makes the parser, the checker or the readers of data raise, or keeps them for long."""

import random
from fractions import Fraction
from pathlib import Path

import pytest

from duetpy.cli.main import main
from duetpy.diagnostics.error import DuetError
from duetpy.program import parse
from duetpy.settings import SettingError, parse_number
from tests.attacks.fuzzed import SPECIMENS, a_data_file, a_few_words, a_text, checked, loaded, parsed
from tests.effort import often


def test_the_parser_does_not_raise() -> None:
    assert len(SPECIMENS) > 20
    for seed in range(often(3000, 600)):
        parsed(a_text(random.Random(seed)))


def test_the_parser_does_not_raise_for_a_few_words() -> None:
    for seed in range(often(3000, 600)):
        parsed(a_few_words(random.Random(seed)))


@pytest.mark.parametrize("text", ["add-days let ← 3", "add-days .> <-", "add-days ) ← 1"])
def test_an_arrow_that_no_binding_can_stand_before_is_refused(text: str) -> None:
    parsed(text)


@pytest.mark.parametrize("text", ["opaque 1e99999999 conv opaque", "opaque (", "opaque : ℝ ⊸ ℝ"])
def test_a_text_without_the_text_that_it_needs_is_refused(text: str) -> None:
    checked(text)


def test_the_checker_does_not_raise() -> None:
    for seed in range(often(500, 150)):
        checked(a_text(random.Random(seed)))


def test_the_readers_refuse_or_take(tmp_path: Path) -> None:
    taken = [
        loaded(tmp_path / "x.csv", a_data_file(random.Random(seed)), random.Random(seed))
        for seed in range(often(1200, 400))
    ]
    assert 0.05 < sum(taken) / len(taken) < 0.95


@pytest.mark.slow
def test_longer(tmp_path: Path) -> None:
    for seed in range(3000, 60_000):
        dice = random.Random(seed)
        parsed(a_text(dice))
        loaded(tmp_path / "x.csv", a_data_file(dice), dice)
        if seed % 10 == 0:
            checked(a_text(dice))


@pytest.mark.parametrize(
    "text", ["1e10000000", "1e-10000000", "9" * 200, "1e401", "0." + "1" * 200, "1/3", "nan", "inf", "1_0"]
)
def test_numbers_are_bounded(text: str) -> None:
    """`Fraction("1e10000000")` takes seconds and megabytes, so a number is looked at before it is made."""
    try:
        number = parse_number(text)
    except SettingError:
        return
    assert isinstance(number, Fraction)
    assert len(str(number.numerator)) + len(str(number.denominator)) < 2000


@pytest.mark.parametrize(
    "text",
    [
        "pλ . x : ℝ ⇒ gauss[1e99999999, 1.0, 1e-6] <x> { x }",
        "pλ . x : ℝ ⇒ laplace[1.0, 1e-99999999] <x> { x }",
        "sλ . x : ℝ ⇒ " + "(" * (many := often(5_000, 1_500)) + "x" + ")" * many,
        "sλ . x : ℝ ⇒ " + "x + " * often(3_000, 1_200) + "x",
        "(" * often(20_000, 5_000),
        "pλ ε : ℝ⁺ . x : ℝ, ε : ℝ⁺[ε] ⇒ laplace[1.0, ε" + " ⋅ ε" * 400 + "] <x> { x }",
    ],
    ids=["huge", "tiny", "brackets", "sum", "open", "power"],
)
def test_large_programs_end(text: str) -> None:
    parse(text).state()


@pytest.mark.parametrize(
    "body", ["{ o \u202e⇒ return 1.0 }", "{ o \u202e⇒", "{ a, b, c \u202e⇒ return 1.0 }", "{ o ⇒ return 1.0 }"]
)
def test_names_before_an_arrow_that_is_found_later_are_counted(body: str) -> None:
    """A sign that belongs nowhere stands before the arrow: reading goes on behind it, with one name where two are bound."""
    parsed(f"pλ . xs : 𝕄 [L∞, U | ★, age : 𝔻 ∷ []] ⇒ parallel[xs, ℘{{1.0}}] {{ w ⇒ w.age }} {body}")


def test_a_reader_that_calls_itself_gives_up() -> None:
    """The control: one call for each bracket, and one number as long as its exponent says."""

    def depth(text: str) -> int:
        return 1 + depth(text[1:]) if text.startswith("(") else 0

    with pytest.raises(RecursionError):
        depth("(" * 20_000)
    assert Fraction("1e100000").numerator.bit_length() > 300_000


REACHING = [
    "open",
    "print",
    "input",
    "eval",
    "exec",
    "time",
    "clock",
    "random",
    "__import__",
    "getenv",
    "globals",
    "seed",
]


@pytest.mark.parametrize("name", REACHING)
@pytest.mark.parametrize("form", ["{} x", "{}@[ . x]", "{}", "let y = {} in x"])
def test_programs_reach_nothing_around_them(name: str, form: str) -> None:
    """No files, no clock, no other run: there is no word for them, and a name that nobody defined is refused."""
    text = f"pλ . x : ℝ ⇒ laplace[auto, 1.0] <x> {{ clip[0.0, 1.0] ({form.format(name)}) }}\n"
    assert not parse(text, notion="eps").state().ok


def test_a_plain_expression_reaches_everything(tmp_path: Path) -> None:
    """The control: an analyst's expression in Python, with its private row at hand, leaves it in a file."""
    left = tmp_path / "left"
    scope = {"x": 8675309.25}
    assert eval(f"(open({str(left)!r}, 'w').write(str(x)), min(max(x, 0.0), 1.0))[1]", scope) == 1.0
    assert "8675309" in left.read_text(encoding="utf-8")


COUNTED = [
    "pλ . n : ℕ ⇒ let s = (loop n on 0.0 { i, t ⇒ t + 1.0 }) in laplace[auto, 1.0] <n> { clip[0.0, 1.0] s }",
    "pλ . xs : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ loop (rows xs) on 0.0 <xs> { i, t ⇒ laplace[auto, 1.0] <xs> { t } }",
    "def again = pλ . x : ℝ ⇒ again@[ . x];\npλ . x : ℝ ⇒ again@[ . x]",
    "def again = sλ . x : ℝ ⇒ again x;\npλ . x : ℝ ⇒ laplace[auto, 1.0] <x> { clip[0.0, 1.0] (again x) }",
]


@pytest.mark.parametrize("text", COUNTED)
def test_nothing_that_is_private_says_how_often(text: str) -> None:
    """Turns are counted by public numbers, and nothing calls itself: every program ends, after work that no row decides."""
    assert not parse(text + "\n", notion="eps").state().ok


def test_turns_of_a_plain_loop_tell_a_row() -> None:
    """The control: a loop that counts up to a private number."""

    def turns(private: int) -> int:
        done = 0
        while done < private:
            done += 1
        return done

    assert turns(1000) - turns(3) == 997


LONG = """\
pλ m : ℕ, a : ℝ⁺, b : ℝ⁺ . xs : 𝕄 [L∞, U | m, 1⋅𝔻], a : ℝ⁺[a], b : ℝ⁺[b] ⇒
  laplace[1.0, b⋅a⋅a⋅a⋅a⋅a⋅a⋅a⋅a⋅a⋅a⋅a⋅a⋅a⋅a⋅a⋅a] <xs> { clip[0.0, 1.0] (xs#[0, 0]) }
"""


@pytest.mark.parametrize(
    "words",
    [
        ["check", "--set", "b=1"],
        ["cost", "--set", "b=1"],
        ["run", "--data", "x.csv", "--set", "b=1"],
        ["calibrate", "--vary", "b", "--budget", "epsilon=1"],
    ],
)
def test_a_product_of_short_numbers_that_is_long_is_no_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "long.eps.duet").write_text(LONG, encoding="utf-8")
    (tmp_path / "x.csv").write_text("1\n", encoding="utf-8")
    assert main([*words, "long.eps.duet", "--set", f"a=0.{'7' * 300}"]) == 2
    assert main([*words, "long.eps.duet", "--set", "a=0.77"]) == 0
    from_python = parse(LONG, notion="eps").check()
    with pytest.raises(ValueError, match="thousands of digits"):
        from_python.cost(a=Fraction(7, 10**300), b=1, m=1)
    with pytest.raises(DuetError, match="it has too many digits"):
        from_python.run(xs=[[1.0]], a=Fraction(int("7" * 300), 10**300), b=1)
