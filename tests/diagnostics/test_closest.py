from duetpy.diagnostics.closest import closest, or_else
from duetpy.settings import or_else as or_setting


def test_what_is_spelt_alike_is_found_whatever_its_capitals() -> None:
    assert closest("MCLPI", ["mclip", "mmap"]) == ["mclip"]
    assert closest("nothing like it", ["mclip"]) == []
    assert or_else("clp", ["clip", "mclip", "row"]) == "; did you mean clip or mclip?"
    assert or_else("laplce", ["laplace", "dlaplace", "mlaplace"]) == "; did you mean laplace, mlaplace or dlaplace?"
    assert or_else("plots", ["plot", "data"], "--") == "; did you mean --plot?"
    assert or_else("zzz", ["clip"]) == ""
    assert or_else("ys", ["keys", "xs"]) == ""


def test_letters_of_greek_are_found_by_their_names() -> None:
    assert or_setting("epz", ["ε", "m"]) == "; did you mean ε?"
    assert or_setting("epsilonn", ["epsilon1", "m"]) == "; did you mean epsilon1?"


def test_a_suggestion_is_one_line() -> None:
    assert "\x1b" not in or_else("ab\x1b", ["ab\x1b\n"])
    assert "\n" not in or_else("ab", ["ab\n"])
