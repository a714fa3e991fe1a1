"""A program and the sensitivities that are claimed for it."""

from __future__ import annotations

from attrs import frozen


@frozen
class Case:
    """A program and what is claimed of it.

    Parameters
    ----------
    rule
        The rule it is about, as its page is named.
    text
        The program: a curried sensitivity function.
    claims
        The sensitivity in each parameter, as printed.
    tight
        Whether inputs are known at which every finite sensitivity is attained, or nearly.
    loose
        The parameters whose sensitivities are upper bounds only, or attained at inputs that are constructed elsewhere.
    """

    rule: str
    text: str
    claims: tuple[str, ...]
    tight: bool = True
    loose: tuple[int, ...] = ()

    @property
    def attained(self) -> tuple[int, ...]:
        """The parameters whose sensitivities are as small as they can be, but for 0 and ∞."""
        if not self.tight:
            return ()
        return tuple(i for i, s in enumerate(self.claims) if s not in ("0", "∞") and i not in self.loose)
