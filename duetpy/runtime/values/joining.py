"""Joins of two tables by the keys in a column of each.

Contract. A key that is missing has no partner. Keys are compared as values are everywhere: natural numbers as they are, others as
the nearest doubles.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from duetpy.runtime.exact.rationals import Mask
from duetpy.runtime.values.batch_size import refuse_crowd
from duetpy.runtime.values.batching import counted, join, lane, sort_key, take
from duetpy.runtime.values.matrix_ops import codes_of, matrix
from duetpy.runtime.values.row_order import Index, begins, by_lane, doubles, rows_by_lane, sort_keys, sorted_by
from duetpy.runtime.values.values import MatrixValue, MissingLanes, Ragged, Value, matrix_of_columns


def joined(args: Sequence[Value]) -> MatrixValue:
    """``join₁[xs, i, ys, j]``: each left row with the least right row of equal key, or dropped."""
    left, left_key, right, right_key = args
    first, second = matrix(left), matrix(right)
    if first.lanes is not None or second.lanes is not None:
        raise Ragged
    assert isinstance(left_key, int)
    assert isinstance(right_key, int)
    wanted = first.column(_place(left_key, first))
    offered = second.column(_place(right_key, second))
    keys = [lane(offered, at) for at in range(second.rows)]
    order = _by_content(second) if len(set(map(sort_key, keys))) < len(keys) else np.arange(second.rows)
    codes = codes_of(wanted, first.rows, [keys[at] for at in order.tolist()])
    kept = np.flatnonzero(codes >= 0)
    return _side_by_side(first, kept, second, order[codes[kept]])


def paired(left: Value, left_key: int, right: Value, right_key: int, most: int) -> Value:
    """``joinDF[k]⧼a⧽[xs, ys]``: each left row with the k least right rows of equal key, in the order of the left rows and then of
    what is in the right ones; in all lanes at once.

        left    a b a                     key    right rows of that key          rows, k = 2    a1 a4 b2 a1 a4
        right   1:a 2:b 3:c 4:a 5:a       a: 1 4 5    b: 2    c: 3
    """
    first, owners, lanes = rows_by_lane(left)
    second, others, right_lanes = rows_by_lane(right)
    if right_lanes is None and lanes is not None:
        # One table for all lanes: its rows are partners in each of them.
        wanted_by = np.zeros(first.rows, dtype=np.intp)
    elif right_lanes == lanes:
        wanted_by = owners
    else:
        raise Ragged
    groups, is_there = _groups(first.column(left_key), wanted_by, second.column(right_key), others)
    wanted, offered = groups[: first.rows], groups[first.rows :]
    order = _by_content(second)
    partners = order[is_there[first.rows :][order]]
    partners = partners[np.argsort(offered[partners], kind="stable")]
    sizes = np.bincount(offered[partners], minlength=int(groups.max(initial=-1)) + 1)
    own = np.where(is_there[: first.rows], np.minimum(sizes[wanted], min(most, second.rows)), 0)
    total = int(own.sum())
    refuse_crowd(counted(lanes), -(-total // counted(lanes)) * (first.width + second.width))
    kept = np.repeat(np.arange(first.rows), own)
    within = np.arange(total) - np.repeat(np.cumsum(own) - own, own)
    table = _side_by_side(first, kept, second, partners[np.repeat((np.cumsum(sizes) - sizes)[wanted], own) + within])
    return by_lane(table, owners[kept], lanes)


def _groups(wanted: Value, owners: Index, offered: Value, others: Index) -> tuple[Index, Mask]:
    """For each key of two columns a number that it shares with those equal to it in its lane, and whether it is there."""
    both = doubles(join([wanted, offered]))
    is_there = both.is_there if isinstance(both, MissingLanes) else np.ones(len(owners) + len(others), dtype=np.bool_)
    keys = [np.concatenate([owners, others]), *sort_keys(both)]
    order = sorted_by(keys)
    groups = np.empty(len(order), dtype=np.intp)
    groups[order] = np.cumsum(begins(keys, order)) - 1
    return groups, is_there


def _side_by_side(left: MatrixValue, kept: Index, right: MatrixValue, partners: Index) -> MatrixValue:
    """Rows of two tables next to each other; a name that both have is that of the left column."""
    columns = [take(left.column(at), kept) for at in range(left.width)]
    columns += [take(right.column(at), partners) for at in range(right.width)]
    names = [*(left.names or (None,) * left.width)]
    names += [None if name in names else name for name in right.names or (None,) * right.width]
    return matrix_of_columns(columns, len(kept), None, tuple(names) if any(names) else None)


def _by_content(table: MatrixValue) -> Index:
    """The places of the rows sorted by content, so that their order in the table decides nothing; unsorted if a cell is not a
    number, text, truth value or day."""
    try:
        keys = [key for at in range(table.width) for key in sort_keys(table.column(at))]
    except Ragged:
        return np.arange(table.rows)
    return sorted_by([np.zeros(table.rows, dtype=np.intp), *keys])


def _place(key: int, source: MatrixValue) -> int:
    return min(key, source.width - 1)
