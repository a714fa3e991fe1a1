"""All layers, one after another."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from duetpy.audit import bits, end_to_end, replay, samplers
from duetpy.audit.cases import subject_of
from duetpy.audit.findings import Audit
from duetpy.audit.recording import Call
from duetpy.audit.replayed import layer
from duetpy.typecheck.annotations import ReleaseSite
from duetpy.typecheck.check import Typed

TRIALS = 1000
"""Pairs of neighbours; runs of the whole program on each of the worst two inputs; and a thousandth of the samples."""

MOST_SITES = 12
OUTPUTS = 20


def attack(typed: Typed, settings: Mapping[str, object], trials: int = TRIALS, seed: int = 0) -> Audit:
    """Try to refute what was proved about a program.

    Parameters
    ----------
    typed
        The program.
    settings
        Numbers for its sizes and parameters, and its public arguments; what is missing is made up.
    trials
        How many pairs of neighbours are compared. The samples have 1,000 times as many values, and the whole program runs as
        often as this on each of the worst two inputs.
    seed
        The same seed gives the same audit.

    Raises
    ------
    DuetError
        The program was refused, or cannot be audited.
    SettingError
        For a setting that its variable cannot take, and for data: an audit makes up its own.
    """
    subject = subject_of(typed, settings)
    found = replay.replay(subject, trials, seed)
    notes: list[str] = []
    if not found.priced:
        notes.append(
            "the losses of a pair were not added up: this cost has no such sum; the end-to-end layer checks it"
        )
    if found.refused:
        notes.append(f"{found.refused} pairs were refused in the same way")
    if found.stopped:
        notes.append(f"the runs of {found.stopped} pairs did not finish")
    everywhere = list(found.others.values())
    seen = [telling(site, everywhere) for site in found.sites]
    if len(seen) > MOST_SITES:
        notes.append(f"the samplers of the first {MOST_SITES} of {len(seen)} mechanisms were tested")
        seen = seen[:MOST_SITES]
    layers = [layer(found)]
    sampled = samplers.sample(seen, 1000 * trials, seed, list(found.draws.values()), everywhere)
    notes.extend(sampled.untested)
    notes.extend(
        f"{place} draws {ratio:.4g} times the noise that its cost needs" for place, ratio in sampled.excess.items()
    )
    layers.append(samplers.layer(sampled))
    with replay.listening():
        searched = None if found.worst is None else end_to_end.search(found.worst, trials, seed)
    layers.append(end_to_end.layer(searched))
    layers.append(bits.layer(bits.look(seen, OUTPUTS * trials, seed)))
    return Audit(typed.name, tuple(layers), tuple(notes))


def telling(site: ReleaseSite, calls: Sequence[Call]) -> Call:
    """Of a place's calls under different numbers the one whose samples tell most: its parameter is nearest to 1, as samples see no
    large ε and need to be large for a small one."""

    def far(call: Call) -> float:
        parameter = float(site.atom.params[-1].evaluate_float(call.kinds.numbers)) if site.atom.params else 1.0
        return abs(math.log(parameter)) if 0 < parameter < math.inf else math.inf

    return min((call for call in calls if call.site is site), key=far)
