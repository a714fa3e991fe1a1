"""A column that is missing, and a heading that is spelt almost like it: told without a word that may be a cell."""

from pathlib import Path

import pytest

from duetpy import DuetError, parse

PROGRAM = "pλ . xs : 𝕄 [L∞, U | ★, age : 𝔻 ∷ income : 𝔻 ∷ []] ⇒ laplace[1.0, 1.0] <xs> { real (rows xs) }"


def helps(tmp_path: Path, text: str, header: str = "auto") -> list[str]:
    path = tmp_path / "x.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DuetError) as caught:
        parse(PROGRAM, notion="eps").check().run(xs=path, _header=header)
    return [diagnostic.help for diagnostic in caught.value.diagnostics if "is missing" in diagnostic.message]


@pytest.mark.parametrize("heading", ["Age", "AGE", "agee", "ages"])
def test_a_heading_of_which_it_is_certain_is_named(tmp_path: Path, heading: str) -> None:
    for header in ("yes", "auto"):  # the other column is found, so the line is a header
        (told,) = helps(tmp_path, f"{heading},income\n1,2\n", header)
        assert told.startswith(f"the column '{heading}' is spelt almost alike")


def test_a_line_that_may_be_a_row_is_not_repeated(tmp_path: Path) -> None:
    told = helps(tmp_path, "agee,incom\n1,2\n")
    assert [text.partition(":")[0] for text in told] == [
        "the heading of column 1 is spelt almost alike",
        "the heading of column 2 is spelt almost alike",
    ]
    assert "agee" not in "".join(told)


def test_nothing_is_said_of_a_heading_that_is_another_word(tmp_path: Path) -> None:
    assert "almost" not in "".join(helps(tmp_path, "colour,income\n1,2\n"))


def test_long_headers_are_not_compared(tmp_path: Path) -> None:
    many = ",".join(f"age{n}" for n in range(2000))
    assert "almost" not in "".join(helps(tmp_path, f"{many}\n{','.join(['1'] * 2000)}\n", "yes"))
    assert "almost" not in "".join(helps(tmp_path, f"{'age' * 20_000},income\n1,2\n", "yes"))


def test_a_heading_that_is_no_name_is_written_in_quotation_marks(tmp_path: Path) -> None:
    (told,) = helps(tmp_path, "ag e,income\n1,2\n", "yes")
    assert told == "the column 'ag e' is spelt almost alike: if you mean it, write \"ag e\" in the program"
    # Of a line that may be a row nothing is said that its signs decide.
    assert '"ag e"' not in "".join(helps(tmp_path, "ag e,incom\n1,2\n"))


def test_a_first_line_that_is_taken_for_a_row_is_told_of_with_the_names_it_lacks(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("Ann,3,x\nBob,4,y\n", encoding="utf-8")
    text = "pλ . xs : 𝔻𝔽[customer : 𝕊, age : 𝔻] ⇒ laplace[1.0, 1.0] <xs> { real (rows xs) }"
    for how, is_told in (("auto", True), ("no", False)):
        with pytest.raises(DuetError) as caught:
            parse(text, notion="eps").check().run(xs=path, _header=how)
        assert ("all names that the program declares (customer, age)" in str(caught.value)) == is_told
        assert ("add --header yes" in str(caught.value)) == is_told
        assert "Ann" not in str(caught.value)


def test_a_misspelt_column_of_texts_is_missing_and_no_line_is_one_cell(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("id;clinic;note\n1;North;a\n2;North;b\n", encoding="utf-8")
    text = 'pλ . xs : 𝔻𝔽[Clinic : 𝕊] ⇒ laplace[1.0, 1.0] <xs> { real (rows (mfilter xs { r ⇒ r.Clinic ≡ "North" })) }'
    checked = parse(text, notion="eps").check()
    for rule in ("refuse", "default", "drop"):
        with pytest.raises(DuetError) as caught:
            checked.run(xs=path, _on_bad_row=rule)
        (found,) = caught.value.diagnostics
        assert (found.code, found.message) == ("D0603", "the column 'Clinic' is missing")
        assert found.help.startswith("the heading of column 2 is spelt almost alike")
    assert (
        parse(text.replace("Clinic", "clinic"), notion="eps").check().run(xs=path, _insecure_noise="none").result == 2
    )


def test_a_column_that_was_not_picked_is_to_be_picked(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("age,income\n1,2\n", encoding="utf-8")
    with pytest.raises(DuetError) as caught:
        parse(PROGRAM, notion="eps").check().run(xs=f"{path}:age")
    assert [each.help for each in caught.value.diagnostics] == ["pick it too: x.csv:age,income"]
