"""Broken rules for tables of persons, and a run that puts their rows together wrongly."""

from __future__ import annotations

from tests.soundness.broken.mutant import Mutant

PERSONS = (
    Mutant(
        "a person with rows in two tables pays for the first",
        "units",
        "together(each.cost for each in persons)",
        "persons[0].cost",
        ("persons",),
    ),
    Mutant(
        "the rows of a person move as far as the person",
        "rules.matrices",
        "return Judged(block, source.context.unbounded(), ordered=True)",
        "return Judged(block, source.context, ordered=True)",
        ("persons",),
    ),
    Mutant(
        "rows that are charged in full are in order",
        "persons",
        "return in_full and (judged.ordered or judged.is_public)",
        "return in_full",
        ("persons",),
    ),
    Mutant(
        "what a filter keeps is in order",
        "rules.matrices",
        "count=count + captured.unbounded(), ordered=source.ordered)",
        "count=count + captured.unbounded(), ordered=True)",
        ("persons",),
    ),
    Mutant(
        "what a map makes is in order",
        "rows",
        "captured.unbounded(), count=count, ordered=source.ordered)",
        "captured.unbounded(), count=count, ordered=True)",
        ("persons",),
    ),
    Mutant(
        "chosen columns are in order",
        "rules.matrices",
        "rows_of=source.rows_of, count=source.count, ordered=source.ordered)",
        "rows_of=source.rows_of, count=source.count, ordered=True)",
        ("persons",),
    ),
    Mutant(
        "what is captured in a fold over a person's rows moves once",
        "rules.folds",
        "state_type), everything)\n        return Judged(state_type, everything.unbounded())\n    if matrix.rows is None:",
        "state_type), everything)\n        return Judged(state_type, everything)\n    if matrix.rows is None:",
        ("persons",),
    ),
    Mutant(
        "what is captured in a sum over a person's rows moves once",
        "rules.folds",
        '"mfold-row"), everything)\n        return Judged(state_type, everything.unbounded())',
        '"mfold-row"), everything)\n        return Judged(state_type, everything)',
        ("persons",),
    ),
    Mutant(
        "flat moves by a row a person",
        "rules.flattening",
        "moved = source.context.scaled(most if matrix.rows is None else most * Quantity.of(2))",
        "moved = source.context.scaled(ONE if matrix.rows is None else most * Quantity.of(2))",
        ("flat",),
    ),
    Mutant(
        "a person who is replaced brings no other rows",
        "rules.flattening",
        "most if matrix.rows is None else most * Quantity.of(2)",
        "most",
        ("flat",),
    ),
    Mutant(
        "what flat captures moves nothing",
        "rules.flattening",
        "return Judged(result, moved + clear, count=persons_moved.scaled(most) + clear)",
        "return Judged(result, moved, count=persons_moved.scaled(most))",
        ("flat",),
    ),
    Mutant(
        "the number of rows moves by the persons",
        "rules.flattening",
        "count=persons_moved.scaled(most) + clear",
        "count=persons_moved + clear",
        ("flat",),
    ),
    Mutant(
        "rows in no order are cut",
        "rules.flattening",
        "if not persons.is_in_order(body):",
        "if False and not persons.is_in_order(body):",
        ("flat",),
    ),
    Mutant(
        "real rows are flattened",
        "rules.flattening",
        "if not is_counted or not t.counts_rows(result):",
        "if False and (not is_counted or not t.counts_rows(result)):",
        ("flat",),
    ),
)

OF_FLAT = (
    Mutant(
        "one row more of a person stays",
        "runtime.evaluation.flattening",
        "order[rank >= most]",
        "order[rank > most]",
        ("alone",),
    ),
    Mutant(
        "the place of a row is counted over all persons",
        "runtime.evaluation.flattening",
        "place = (crowded - first[owners[crowded]]).astype(np.uint64)",
        "place = crowded.astype(np.uint64)",
        ("alone",),
    ),
    Mutant(
        "persons share the number of rows that stay",
        "runtime.evaluation.flattening",
        "rank = np.arange(len(crowded)) - (np.cumsum(many) - many)[owners[crowded]]",
        "rank = np.arange(len(crowded))",
        ("alone",),
    ),
    Mutant(
        "the first rows of a person stay",
        "runtime.evaluation.flattening",
        "order = np.lexsort((key, owners[crowded]))",
        "order = np.lexsort((place, owners[crowded]))",
        ("even",),
    ),
    Mutant(
        "rows stay by their place alone",
        "runtime.evaluation.flattening",
        "key = mixed(mixed(persons[owners[crowded]], rows[crowded]), place)",
        "key = mixed(place, place)",
        ("even",),
    ),
    Mutant(
        "there are two zeros",
        "runtime.values.hashes",
        "np.ascontiguousarray(doubles + 0.0)",
        "np.ascontiguousarray(doubles)",
        ("cells",),
    ),
    Mutant(
        "a number is another one where it is kept as a fraction",
        "runtime.values.hashes",
        "return int(np.float64(double + 0.0).view(np.uint64)) if Fraction(double) == number else of_text(str(number))",
        "return of_text(str(number))",
        ("cells",),
    ),
)
"""What a run makes of `flat`; what they name is a check of `tests/runtime/test_flat.py`."""

OF_PARTS = (
    Mutant(
        "a row is in all of its parts",
        "runtime.release.key_counts",
        "kept = np.sort(_within(rows, codes, keys, table, most, PARTS))",
        "kept = np.arange(len(rows))",
        ("parts",),
    ),
    Mutant(
        "keys that are not listed take a row's places",
        "runtime.release.key_counts",
        "    rows, codes = rows[listed], codes[listed]\n    kept = np.sort(_within(rows, codes, keys, table, most, PARTS))",
        "    kept = np.sort(_within(rows, codes, keys, table, most, PARTS))\n    kept = kept[place_of[codes[kept]] >= 0]",
        ("parts",),
    ),
    Mutant(
        "a row is in the parts of its first keys",
        "runtime.release.key_counts",
        "left += sorted(own, key=digests.__getitem__)[:most]",
        "left += own[:most]",
        ("even",),
    ),
)
"""What a run makes of parts of several keys; what they name is a check of `tests/runtime/test_several_parts.py`."""

OF_PERSONS = (
    Mutant(
        "the rows of a person stand as in the file",
        "runtime.sources.persons",
        "sorted_by([owners, *keys])",
        "np.argsort(owners, kind='stable')",
        ("shuffled",),
    ),
    Mutant(
        "the first column alone orders the rows of a person",
        "runtime.sources.persons",
        "sorted_by([owners, *keys])",
        "sorted_by([owners, keys[0]])",
        ("shuffled",),
    ),
    Mutant(
        "lines without an identifier are a person",
        "runtime.sources.persons",
        "owned[file] = _rows(MatrixValue(own.rows, own.store, names), np.flatnonzero(is_there))",
        "owned[file] = MatrixValue(own.rows, own.store, names); known[file] = ids",
        ("nobody",),
    ),
    Mutant(
        "the empty text identifies a person",
        "runtime.sources.persons",
        'column.is_there & (texts != "").astype(np.bool_)',
        "column.is_there",
        ("nobody",),
    ),
    Mutant(
        "the last person is one with the one before",
        "runtime.sources.persons",
        "everybody, places = numbered(np.concatenate(list(known.values())), roster)",
        "everybody, places = numbered(np.concatenate(list(known.values())), roster)\n    everybody = everybody[:-1]; "
        "places = np.minimum(places, len(everybody) - 1)",
        ("files",),
    ),
    Mutant(
        "identifiers that are near are one",
        "runtime.sources.persons",
        "return rounded(numbers), column.is_there",
        "return rounded(numbers).astype(np.float32), column.is_there",
        ("near",),
    ),
    Mutant(
        "two tables of persons in different files are of different people",
        "runtime.release.run_costs",
        "        if self.persons is not None and other.persons is not None:\n            return True",
        "        if self.persons is not None and other.persons is not None and False:\n            return True",
        ("together",),
    ),
    Mutant(
        "rows of a file of persons may be other people",
        "runtime.release.arguments",
        "if other.persons is None and unit.shares(other):",
        "if other.persons is None and unit.shares(other) and False:",
        ("one file",),
    ),
    Mutant(
        "a file may identify persons by two columns",
        "runtime.release.arguments",
        "if column != other_column and source.is_same(other_source):",
        "if column != other_column and source.is_same(other_source) and False:",
        ("two columns",),
    ),
    Mutant(
        "patients and doctors are the same persons",
        "units",
        "persons.identifier != others.identifier",
        "False",
        ("two identifiers",),
    ),
    Mutant(
        "a person's rows begin with the last one of the person before",
        "runtime.values.slices",
        "return self.cut(self.rows, int(self.starts[at]), int(self.ends[at]))",
        "return self.cut(self.rows, max(0, int(self.starts[at]) - 1), int(self.ends[at]))",
        ("one by one",),
    ),
    Mutant(
        "a fold begins with the last row of the person before",
        "runtime.evaluation.laned_blocks",
        "slices.starts[lanes] + at)",
        "np.maximum(slices.starts[lanes] + at - 1, 0))",
        ("files",),
    ),
    Mutant(
        "what a fold found of one person is another one's",
        "runtime.evaluation.laned_blocks",
        "    back[order] = np.arange(len(order))\n",
        "    back[:] = np.arange(len(order))\n",
        ("whose",),
    ),
    Mutant(
        "the last row of a person is the first one of the next",
        "runtime.evaluation.row_choices",
        "ends - sizes if at == 0 else ends - 1, 0)",
        "ends - sizes if at == 0 else np.minimum(ends, len(order) - 1), 0)",
        ("picked",),
    ),
    Mutant(
        "the row that comes first in the file is the first one",
        "runtime.evaluation.row_choices",
        "    order = sorted_by([owners, *_keys(rows)])\n    places",
        "    order = np.argsort(owners, kind='stable')\n    places",
        ("picked",),
    ),
    Mutant(
        "of values that are as frequent the last one is taken",
        "runtime.evaluation.row_choices",
        "    places[lane_of[::-1]] = order[starts[best]][::-1]\n",
        "    places[lane_of] = order[starts[best]]\n",
        ("picked",),
    ),
    Mutant(
        "rows of two persons are equal",
        "runtime.evaluation.row_choices",
        "    keys = [owners, *_keys(rows)]\n    order = sorted_by(keys)\n    # Equal",
        "    keys = _keys(rows)\n    order = sorted_by([0 * owners, *keys])\n    # Equal",
        ("picked",),
    ),
    Mutant(
        "rows of two persons are partners",
        "runtime.values.joining",
        "keys = [np.concatenate([owners, others]), *sort_keys(both)]",
        "keys = [0 * np.concatenate([owners, others]), *sort_keys(both)]",
        ("picked",),
    ),
    Mutant(
        "keys that are missing are partners",
        "runtime.values.joining",
        "is_there = both.is_there if isinstance(both, MissingLanes) else np.ones(",
        "is_there = np.ones(len(both.is_there), dtype=np.bool_) if isinstance(both, MissingLanes) else np.ones(",
        ("picked",),
    ),
)
"""What a run makes of persons; what they name is a check of `tests/runtime/test_persons.py`."""

OF_ROSTERS = (
    Mutant(
        "whoever is not on the roster is the last one on it",
        "runtime.sources.persons",
        "            is_there = is_listed\n",
        "            ids = np.where(is_listed | ~is_there, ids, roster[-1])\n",
        ("listed",),
    ),
    Mutant(
        "those on the roster who have no lines are not there",
        "runtime.sources.persons",
        "everybody, places = numbered(np.concatenate(list(known.values())), roster)",
        "everybody, places = numbered(np.concatenate(list(known.values())))",
        ("listed",),
    ),
    Mutant(
        "lines of others are left out without a word",
        "runtime.sources.persons",
        "if not is_listed.all() and not reading.is_total:",
        "if False and not reading.is_total:",
        ("refused",),
    ),
    Mutant(
        "a roster costs what its use costs",
        "rules.functions",
        'body = evolve(body, costs=add_costs([body.costs, in_the_clear(rosters, "says who is in a table of persons")]))',
        "pass",
        ("public",),
    ),
    Mutant(
        "a roster moves as far as its use",
        "rules.functions",
        "body.context + Context({roots[at]: INFINITY for at in listed.values()})",
        "body.context",
        ("public",),
    ),
    Mutant(
        "persons on a roster and all persons are compared",
        "units",
        "(persons.roster is None) != (others.roster is None)",
        "False",
        ("one kind",),
    ),
    Mutant(
        "a sum over persons on a roster is added to one over all persons",
        "neighbours",
        "{'add-remove' if persons.roster is None else 'a roster'}",
        "add-remove",
        ("ledger",),
    ),
)
"""What a run makes of rosters; what they name is a check of `tests/runtime/test_rosters.py`."""
