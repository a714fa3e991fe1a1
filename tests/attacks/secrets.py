"""A number and a text that nobody must see, in the forms in which they could be seen."""

import base64
import struct
from fractions import Fraction

CANARY = 8675309.25
WORD = "Zq7canaryXw"

_EXACT = Fraction(CANARY)


def _spellings() -> list[bytes]:
    """The number in decimal, scientific, hexadecimal and binary form, as a fraction and as the bytes of doubles."""
    texts = [
        "8675309",
        "8,675,309",
        "8_675_309",
        "8.67530925",
        "8.675309e",
        "8.67531e+06",
        str(_EXACT.numerator),
        CANARY.hex()[2:-3],
        f"{_EXACT.numerator:x}",
        f"{_EXACT.numerator:b}",
        f"{_EXACT.numerator:o}",
        f"{int(CANARY):b}",
        struct.pack(">d", CANARY).hex(),
        struct.pack("<d", CANARY).hex(),
    ]
    # Steps of the lattices on which noise is added, about 2^-30 and 2^-40 of a unit.
    texts += [str(_EXACT.numerator << shift) for shift in range(1, 52)]
    raw = [struct.pack(">d", CANARY), struct.pack("<d", CANARY), struct.pack("<f", CANARY), struct.pack(">f", CANARY)]
    words = [WORD.encode(), WORD.encode("utf-16-le"), WORD.encode("utf-16-be"), WORD.encode().hex().encode()]
    words += [base64.b64encode(WORD.encode())[:12], WORD[::-1].encode(), WORD.lower().encode(), WORD.upper().encode()]
    return [*(text.encode() for text in texts), *raw, *words]


SPELLINGS = _spellings()


def seen(content: bytes | str) -> list[bytes]:
    """The forms of the secrets that a text or a file holds."""
    shown = content.encode("utf-8", errors="surrogatepass") if isinstance(content, str) else content
    lowered = shown.lower()
    return [form for form in SPELLINGS if form in shown or (form.isalnum() and form.lower() in lowered)]
