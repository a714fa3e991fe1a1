"""The table as a source of blocks."""

import numpy as np
import pytest

from duetpy.runtime.sources.table import ColumnSpec, Kind, Table, no_texts
from tests.engines.contract import table


def test_blocks_are_views_cut_at_fixed_rows() -> None:
    source = table(20_000)
    sizes = [block.rows for block in source.blocks()]
    assert sizes == [8192, 8192, 20_000 - 2 * 8192]
    assert all(np.shares_memory(block.numbers, source.numbers) for block in source.blocks())
    assert list(table(0).blocks()) == []


def test_a_table_tells_its_shape_and_nothing_else() -> None:
    secret = Table(
        (ColumnSpec("age", Kind.REAL), ColumnSpec("name", Kind.TEXT)),
        np.array([[8675309.25]]),
        np.array([["canary"]], dtype=object),
    )
    assert repr(secret) == "<private table, 1 rows, 2 columns>"
    assert secret.column(0).tolist() == [8675309.25]
    assert secret.column(1).tolist() == ["canary"]
    with pytest.raises(ValueError, match="read-only"):
        secret.numbers[0, 0] = 1


def test_shapes_must_fit_the_columns() -> None:
    with pytest.raises(ValueError, match="fit"):
        Table((ColumnSpec(None, Kind.TEXT),), np.zeros((2, 1)), no_texts(2))
    with pytest.raises(ValueError, match="at least one row"):
        Table((), np.zeros((2, 0)), no_texts(2), block_rows=0)


@pytest.mark.parametrize(
    "arguments",
    [
        (None, Kind.REAL, "x"),
        (None, Kind.REAL, float("nan")),
        (None, Kind.NAT, -1),
        (None, Kind.NAT, 1.0),
        (None, Kind.NAT, 3, 3),
        (None, Kind.NAT, None, 0),
        (None, Kind.REAL, None, 3),
        (None, Kind.BOOL, 1),
        (None, Kind.TEXT, 0),
    ],
)
def test_a_default_is_a_value_of_its_column(arguments) -> None:
    with pytest.raises(ValueError, match="column"):
        ColumnSpec(*arguments)
