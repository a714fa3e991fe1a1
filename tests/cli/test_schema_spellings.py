"""``duetpy schema`` says that a column holds one text in two spellings, without showing one of them."""

import pytest

from tests.cli.harness import Duetpy, Write

REMARK = "differ only in capital letters or in spaces at their ends"


def draft(duetpy: Duetpy, write: Write, cells: list[str], heading: str = "Ward name") -> str:
    write("x.csv", f"size,{heading}\n" + "".join(f"{at},{cell}\n" for at, cell in enumerate(cells)))
    outcome = duetpy("schema", "x.csv")
    assert outcome.code == 0
    return outcome.out


@pytest.mark.parametrize(
    "cells",
    [
        ["Surgery", "surgery"],
        ["Surgery", "Oncology", " Surgery"],
        ['"Surgery "', "Surgery"],
        ["Ürologie Surgery", "ürologie surgery"],
    ],
)
def test_texts_in_two_spellings_are_mentioned(duetpy: Duetpy, write: Write, cells: list[str]) -> None:
    out = draft(duetpy, write, cells)
    assert f"-- texts of the column 'Ward name' {REMARK}" in out
    assert 'write lower (trim row."Ward name") for one spelling of each' in out
    assert "urgery" not in out


@pytest.mark.parametrize(
    "cells", [["Surgery", "Oncology", "Surgery"], ["A", "NA", "na"], ["1", " 1"], ["surgery", "surgeries"]]
)
def test_texts_in_one_spelling_are_not(duetpy: Duetpy, write: Write, cells: list[str]) -> None:
    assert REMARK not in draft(duetpy, write, cells)


def test_columns_with_many_values_are_not_compared(duetpy: Duetpy, write: Write) -> None:
    many = [f"Ann {number}" for number in range(101)]
    assert REMARK in draft(duetpy, write, [*many[:99], "ann 0"])
    assert REMARK not in draft(duetpy, write, [*many, "ann 0"])
    assert REMARK not in draft(duetpy, write, ["ann 0", *many])
