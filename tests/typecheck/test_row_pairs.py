"""``mmap-row`` of two tables, or queries, where a part is not what it should be or is refused: one mistake is reported once."""

import pytest

import duetpy

TABLES = "sλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻], ys : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒ "


def reported(text: str) -> list[str]:
    return [each.code for each in duetpy.parse(TABLES + text).check().diagnostics]


@pytest.mark.parametrize("pair", ["3.0, ys", "xs, 3.0"])
def test_both_arguments_are_tables(pair: str) -> None:
    with pytest.raises(duetpy.DuetError) as refused:
        reported(f"mmap-row {pair} {{ r, s ⇒ 1.0 }}")
    assert [each.code for each in refused.value.diagnostics] == ["D0201"]


@pytest.mark.parametrize("use", ["", "1.0 + "])
@pytest.mark.parametrize(("pair", "body"), [("nobody, ys", "1.0"), ("xs, nobody", "1.0"), ("xs, ys", "nobody")])
def test_what_is_refused_inside_is_reported_alone(pair: str, body: str, use: str) -> None:
    with pytest.raises(duetpy.DuetError) as refused:
        reported(f"{use}(mmap-row {pair} {{ r, s ⇒ {body} }})")
    assert [each.code for each in refused.value.diagnostics] == ["D0101"]


def test_a_refused_query_is_reported_alone() -> None:
    with pytest.raises(duetpy.DuetError) as refused:
        duetpy.parse(
            "notion eps; pλ . xs : bag 𝔻 ⇒ "
            "AboveThreshold[1.0, (mcreate[L∞ | ℕ[1], ℕ[2]] { i, j ⇒ sλ t : bag 𝔻 ⇒ nobody }), 2.0] <xs> { xs }"
        ).check()
    assert [each.code for each in refused.value.diagnostics] == ["D0101"]
