"""Letters with two cases, and white space: the same on every machine, whatever version of Unicode its Python knows."""

from __future__ import annotations

from collections.abc import Iterator

WHITE_SPACE = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005"
    "\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
"""The characters with the property White_Space (Unicode 4.0 and later, PropList.txt)."""

_IN_TURN = (
    "0100-012E 0132-0136 0139-0147 014A-0176 0179-017D 0182-0184 0187-0187 018B-018B 0191-0191 0198-0198 01A0-01A4 01A7-01A7 "
    "01AC-01AC 01AF-01AF 01B3-01B5 01B8-01B8 01BC-01BC 01CD-01DB 01DE-01EE 01F4-01F4 01F8-021E 0222-0232 023B-023B 0241-0241 "
    "0246-024E 0370-0372 0376-0376 03D8-03EE 03F7-03F7 03FA-03FA 0460-0480 048A-04BE 04C1-04CD 04D0-052E 1E00-1E94 1EA0-1EFE"
)
"""Capitals in every second place, each followed by its small letter."""

_IN_ROWS = "0041-005A 00C0-00D6 00D8-00DE 0391-03A1 03A3-03AB 0410-042F"
"""Capitals in every place, each with its small letter 32 places on."""

_SINGLE = (
    "ŸƁƆƉƊƎƏƐƓƔƖƗƜƝƟƦƩƮƱƲƷǄǇǊǱǶǷȠȽɃɄɅͿΆΈΉΊΌΎΏϏϹϽϾϿЀЁЂЃЄЅІЇЈЉЊЋЌЍЎЏӀ",
    "ÿɓɔɖɗǝəɛɠɣɩɨɯɲɵʀʃʈʊʋʒǆǉǌǳƕƿƞƚƀʉʌϳάέήίόύώϗϲͻͼͽѐёђѓєѕіїјљњћќѝўџӏ",
)
"""All other capitals, and their small letters."""


def _pairs() -> Iterator[tuple[int, int]]:
    """The capitals of the Latin, Greek and Cyrillic blocks with their small letters there, where each is the only one of the other.

    Unicode, UnicodeData.txt: simple case mappings, which no later version changes. The dotted İ and the dotless ı have no partner
    here: which one it is depends on the language.
    """
    for ranges, step, way in ((_IN_TURN, 2, 1), (_IN_ROWS, 1, 32)):
        for first, last in (ends.split("-") for ends in ranges.split()):
            yield from ((capital, capital + way) for capital in range(int(first, 16), int(last, 16) + 1, step))
    yield from ((ord(capital), ord(small)) for capital, small in zip(*_SINGLE, strict=True))


SMALL: dict[int, int] = dict(_pairs())
"""A capital ↦ its small letter."""

CAPITAL: dict[int, int] = {small: capital for capital, small in SMALL.items()} | {ord("ς"): ord("Σ")}
"""A small letter ↦ its capital."""
