"""A run: from a checked program, data and public numbers to a release.

Contract. Everything that can be refused without data is refused before any data is opened: the program's errors, unknown and
missing arguments, parameters in the clear, side conditions on the public numbers. Then the tables are read and held to
their declared types; then the rest of the side conditions; only then does a mechanism run. A failure is a `DuetError` with
diagnostics; none of them, and nothing that is logged or timed here, holds a cell of a table.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Literal

from attrs import frozen

from duetpy.diagnostics.diagnostic import Diagnostic, DuetError
from duetpy.diagnostics.display import visible
from duetpy.interp.binding import MISSING, NOT_THIS_WAY, UNKNOWN, WRONG_VALUE, Reading, bound_value, refuse, verify
from duetpy.interp.charges import (
    Unit,
    neighbours,
    privacy,
    refuse_conditions,
    refuse_in_the_clear,
    source_of,
    ADD_REMOVE,
)
from duetpy.interp.driver import Driver, run_function
from duetpy.interp.engines import Engine
from duetpy.interp.engines.threads import ThreadsEngine
from duetpy.interp.evaluate import expression
from duetpy.interp.machine import Frame, Machine
from duetpy.interp.mechanisms import Randomness
from duetpy.interp.random import Bits, InsecureBits, SecureBits
from duetpy.interp.results import plain_value
from duetpy.interp.scope import KindScope, check_kinds, check_obligations
from duetpy.interp.sizes import match_kinds
from duetpy.interp.sources.csv import BadRowRule, HeaderRule
from duetpy.interp.values import MatrixValue, PrivacyClosure, Value
from duetpy.settings import SettingError, resolve
from duetpy.trampoline import run as run_task
from duetpy.typecheck import types as t
from duetpy.typecheck.check import Typed
from duetpy.typecheck.cost import NonPrivate, Zero
from duetpy.typecheck.judged import Obligation
from duetpy.typecheck.quantity import Kind, KindVar
from duetpy.typecheck.show import show_type
from duetpy.valuation import valuation
