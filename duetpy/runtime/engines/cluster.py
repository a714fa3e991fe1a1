"""A Dask cluster, and which of its workers rows are sent to.

Contract. Rows go to workers of which the following is known, and to no others: what is sent to them and what they answer is
encrypted, or does not leave this machine; they run the same code of this package; they do not write to a disk what they hold. A
cluster of which this is not so is refused with a diagnostic, before anything is sent. What a library approximates is computed only
where its approximations have the same bits as here.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from importlib import import_module
from typing import Any

from attrs import define, field

from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.diagnostics.error import DuetError
from duetpy.runtime.engines.addresses import Address, parse_address
from duetpy.runtime.engines.local_cluster import ROLES
from duetpy.runtime.engines.threads import usable_cores
from duetpy.runtime.engines.worker import Kind, examined, own_kind

NOT_INSTALLED = "D0731"
UNUSABLE = "D0732"
IN_THE_CLEAR = "D0733"

CONNECTING = 10.0
"""Seconds until an address counts as one that no scheduler answers at."""

NOTICING = 2.0
"""Seconds in which a scheduler hears that a worker has ended."""

ANSWERING = 30.0
"""Seconds until a scheduler counts as one that does not answer: it may have been stopped, or its machine be out of reach."""

STARTING = 120.0
"""Seconds that a cluster of this machine, or the first worker of another one, may take; and workers to say what they are."""


class LocalProcess:
    """The process in which a cluster of this machine runs."""

    def __init__(self, workers: int) -> None:
        from distributed.security import Security

        self.security = Security.temporary()
        certificates = {role: getattr(self.security, f"tls_{role}") for role in ROLES}
        # -P: what lies in the folder of a user is not imported. In a session of its own, it does not end by ctrl-C.
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "duetpy.runtime.engines.local_cluster"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )
        try:
            self.address = self._told({"workers": workers, **certificates})
        except BaseException:
            self.close()
            raise

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    def _told(self, asked: Mapping[str, object]) -> str:
        """The address that the process tells."""
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.write(json.dumps(asked) + "\n")
            self._process.stdin.flush()
        lines: list[str] = []
        reader = threading.Thread(target=self._read, args=(lines,), daemon=True)
        reader.start()
        reader.join(STARTING)
        if not lines or not lines[0].strip():
            raise _unusable("no cluster could be started on this machine", "use --engine threads")
        return lines[0].strip()

    def _read(self, lines: list[str]) -> None:
        assert self._process.stdout is not None
        with suppress(OSError, ValueError):
            lines.append(self._process.stdout.readline())

    def close(self) -> None:
        """End it: by the end of its input, and by force where that takes too long."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(CONNECTING)
        except subprocess.TimeoutExpired:
            with suppress(OSError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        self._process.stdout.close()


@define(eq=False, repr=False)
class Cluster:
    """A connection to a cluster.

    Parameters
    ----------
    client
        Dask's client.
    process
        The process of a cluster that was started for this connection, and ends with it.
    """

    client: Any
    process: LocalProcess | None = None
    _kind: Kind = field(factory=own_kind, init=False)
    _known: dict[str, str] = field(factory=dict, init=False)

    def workers(self, is_approximate: bool = False) -> dict[str, int]:
        """The workers that rows are sent to, with the number of their threads.

        Parameters
        ----------
        is_approximate
            Whether unlike processors give unlike bits to what is computed there.

        Raises
        ------
        Exception
            What Dask raises where the scheduler does not answer.
        """
        present = self._present()
        self._examine([address for address in present if address not in self._known])
        good = ("",) if is_approximate else ("", UNLIKE)
        return {address: threads for address, threads in present.items() if self._known[address] in good}

    def faults(self) -> list[str]:
        """Why no rows are sent to the others, each reason once."""
        return sorted(set(self._known.values()) - {"", UNLIKE})

    def close(self) -> None:
        """End the connection, and the cluster where it was started for it."""
        with suppress(Exception):
            self.client.close()
        if self.process is not None:
            self.process.close()

    def _examine(self, strangers: list[str]) -> None:
        safe = [address for address in strangers if _is_safe(address)]
        self._known.update(dict.fromkeys(set(strangers) - set(safe), IN_THE_CLEAR))
        if not safe:
            return
        answers: Mapping[str, object] = {}
        with suppress(Exception):
            answers = self.client.run(examined, workers=safe, on_error="return", callback_timeout=STARTING)
        silent = [address for address in safe if isinstance(answers.get(address), OSError | None)]
        gone = self._gone(silent) if silent else set()
        for address in safe:
            fault = _fault(answers.get(address), self._kind)
            self._known[address] = ENDED if address in gone else SILENT if address in silent else fault

    def _present(self) -> Mapping[str, int]:
        """All workers, with the number of their threads."""
        found: Mapping[str, int] = self.client.nthreads(callback_timeout=ANSWERING)
        return found

    def _gone(self, silent: list[str]) -> set[str]:
        """Which of some workers that did not answer are no longer there: the scheduler may hear of it a moment later."""
        gone: set[str] = set()
        for _ in range(round(NOTICING / 0.1)):
            gone = set(silent) - self._present().keys()
            if len(gone) == len(silent):
                break
            time.sleep(0.1)
        return gone


def _is_safe(address: str) -> bool:
    try:
        return parse_address(address).is_safe
    except ValueError:
        return False


def _fault(answer: object, kind: Kind) -> str:
    """What is wrong with a worker; the empty text where nothing is."""
    match answer:
        case (Kind() as other, bool() as in_memory):
            if other.code != kind.code:
                return OTHER_CODE
            if not in_memory:
                return SPILLS
            return "" if other.arithmetic == kind.arithmetic else UNLIKE
        case _:
            return OTHER_CODE


OTHER_CODE = "another version of duetpy, or none"
ENDED = "ended before it answered"
SILENT = "given no answer"
SPILLS = "permission to write rows to a disk"

UNLIKE = "another processor"
"""No fault: only what is approximate is not sent there."""

HELPS = {
    ENDED: "its log says why it ended; start another one, or use --engine threads",
    SILENT: "its log may say why; start another one, or use --engine threads",
    OTHER_CODE: "install the version of this machine on every worker: pip install 'duetpy[dask]==VERSION'",
    SPILLS: "start the workers with --memory-limit 0",
}


# ---------------------------------------------------------------------------------------------------------------------
# Connecting


def reached(address: str, security: Any = None) -> Cluster:
    """The cluster at an address.

    Raises
    ------
    DuetError
        D0731 if Dask is not installed, D0733 if rows would travel in the clear, D0732 if there is no cluster that can be used.
    """
    where = parse_address(address)
    if not where.is_safe:
        raise _in_the_clear(f"{address} is on another machine, and data sent to it is not encrypted")
    _refuse_without_dask()
    _refuse_without_listener(where, address)
    client = _client(address, security, address)
    return _examined(Cluster(client), address)


def started(workers: int | None = None) -> Cluster:
    """A new cluster of this machine; raises as `reached`."""
    _refuse_without_dask()
    process = LocalProcess(usable_cores() if workers is None else workers)
    try:
        client = _client(process.address, process.security, "the workers of this machine")
    except BaseException:
        process.close()
        raise

    return _examined(Cluster(client, process), "the workers of this machine")


def _refuse_without_dask() -> None:
    try:
        for name in ("cryptography", "distributed"):
            import_module(name)
    except ImportError:
        message = "the engine dask is not installed"
        raise DuetError((Diagnostic(NOT_INSTALLED, message, help="pip install 'duetpy[dask]'"),)) from None


def _refuse_without_listener(where: Address, address: str) -> None:
    try:
        socket.create_connection((where.host, where.port), timeout=CONNECTING).close()
    except OSError:
        raise _unusable(
            f"no scheduler answers at {address}", "start a scheduler there, or give the address of another"
        ) from None


def _client(address: str, security: Any, called: str) -> Any:
    from distributed import Client

    try:
        return Client(
            address, timeout=CONNECTING, security=security, set_as_default=False, direct_to_workers=False, name="duetpy"
        )
    except Exception:
        # Whatever listens there, and whatever it says.
        help = "start a scheduler there; for tls, set ca-file and client certificate in Dask's configuration"
        raise _unusable(f"{called} could not be reached", help) from None


def _examined(cluster: Cluster, called: str) -> Cluster:
    try:
        try:
            cluster.client.wait_for_workers(1, timeout=STARTING)
            workers = cluster.workers()
        except Exception:
            raise _unusable(f"{called}: there is no worker", "start some workers there") from None
        for fault in cluster.faults():
            if fault == ENDED and workers:
                continue
            if fault == IN_THE_CLEAR:
                raise _in_the_clear(f"a worker of {called} is on another machine, and data sent to it is not encrypted")
            raise _unusable(f"a worker of {called} has {fault}", HELPS[fault])
        if not workers:
            raise _unusable(f"{called}: there is no worker", "start some workers there")
    except BaseException:
        cluster.close()
        raise
    return cluster


def _unusable(message: str, help: str) -> DuetError:
    return DuetError((Diagnostic(UNUSABLE, message, notes=("no rows were sent",), help=help),))


def _in_the_clear(message: str) -> DuetError:
    help = "use TLS between all machines: tls://HOST:PORT, with certificates in Dask's configuration"
    return DuetError((Diagnostic(IN_THE_CLEAR, message, notes=("no rows were sent",), help=help),))
