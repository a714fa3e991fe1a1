"""Workers of a cluster: what they may be, what they are not told, and what becomes of a run when they die."""

import contextlib
import ctypes
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import dask
import numpy as np
import pytest
from attrs import evolve
from distributed import Client, LocalCluster
from distributed.security import Security

import duetpy
from duetpy.cli.main import main
from duetpy.diagnostics.error import DuetError
from duetpy.ledger.store import Ledger
from duetpy.runtime.engines import SerialEngine, cluster
from duetpy.runtime.engines import dask as module
from duetpy.runtime.engines.addresses import parse_address
from duetpy.runtime.engines.cluster import UNLIKE, Cluster, _fault
from duetpy.runtime.engines.dask import DaskEngine
from duetpy.runtime.engines.local_cluster import WITHOUT_SPILL
from duetpy.runtime.engines.packing import packed
from duetpy.runtime.engines.worker import FAILED, absorbed, is_ieee, own_kind
from duetpy.runtime.release.noiseless import checked, evaluate
from tests.copies import copied
from tests.engines.conftest import ROOT, Scheduler
from tests.engines.contract import InTurn, Numbered
from tests.engines.folds import CANARY, FailingElsewhere, Interrupted, Raising, SlowSum, kill

MEAN = """pλ m : ℕ, ε : ℝ⁺ . xs : 𝕄 [L∞, U | m, 3⋅𝔻 else 0], ε : ℝ⁺[ε] ⇒
  laplace[auto, ε] <xs> { mfold-row 0.0, xs { total, row ⇒ total + clip[0.0, 1.0] (row#[ℕ[0], ℕ[0]]) } }"""

XS = np.random.default_rng(7).random((150_000, 3))


def mean(engine: object, **how: Any) -> float:
    checked = duetpy.parse(MEAN, notion="eps").check()
    how = how or {"_insecure_noise": 3}
    found: float = checked.run(xs=XS, ε=1.0, _engine=engine, **how).result
    return found


def code(run: Callable[[], object]) -> tuple[str, str]:
    with pytest.raises(DuetError) as caught:
        run()
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.help
    return diagnostic.code, diagnostic.message


# ---------------------------------------------------------------------------------------------------------------------
# The same bits


@pytest.mark.usefixtures("nothing_here")
def test_a_run_on_workers_has_the_bits_of_a_run_here(by_address: DaskEngine) -> None:
    assert mean(by_address) == mean(SerialEngine())


@pytest.mark.usefixtures("nothing_here")
def test_blocks_that_look_the_same_are_several(by_address: DaskEngine) -> None:
    """Dask takes tasks for one that are given the same."""

    class Ones(Numbered):
        def blocks(self):
            yield from [1] * self.count

    assert by_address.fold(Ones(30), SlowSum(0)) == 30


@pytest.mark.usefixtures("nothing_here")
def test_a_source_is_not_drained_ahead_of_the_workers(by_address: DaskEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    right = module._Sending._send
    most: list[int] = []

    def watched(sending: Any, place: int, block: object) -> None:
        right(sending, place, block)
        most.append(len(sending._out) + len(sending._back))

    monkeypatch.setattr(module._Sending, "_send", watched)
    assert by_address.fold(Numbered(50), SlowSum(0)) == sum(range(50))
    assert len(most) == 50
    assert max(most) == 2 * module.AHEAD


def test_one_block_alone_is_computed_here() -> None:
    engine = DaskEngine("tcp://127.0.0.1:1")
    assert engine.fold(Numbered(0), InTurn()) == ()
    assert engine.fold(Numbered(1), InTurn()) == (0,)


def test_what_cannot_be_sent_is_computed_here() -> None:
    class Local(SlowSum):
        """A class without a name that a worker could find."""

    assert DaskEngine("tcp://127.0.0.1:1").fold(Numbered(9), Local(0)) == 36


# ---------------------------------------------------------------------------------------------------------------------
# What goes wrong


@pytest.mark.thorough("test_a_lost_block_is_computed_here")
@pytest.mark.parametrize("killed", [{20: [0]}, {20: [0, 1]}, {15: [0], 50: [1]}], ids=["one", "both", "one by one"])
def test_a_killed_worker_costs_time_only(killed: dict[int, list[int]], monkeypatch: pytest.MonkeyPatch) -> None:
    """Where they die one by one, the second takes with it what the first had died with, and another has come."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    with DaskEngine(workers=2) as engine:
        engine.ready()
        assert engine._cluster is not None
        pids = list(engine._cluster.client.run(os.getpid).values())
        assert len(pids) == 2
        assert os.getpid() not in pids
        dead: list[int] = []

        def dying(which: list[int]) -> Callable[[], None]:
            def happens() -> None:
                kill([pids[at] for at in which])
                dead.extend(which)
                end = time.monotonic() + 20
                while len(dead) < 2 and len(engine._cluster.workers()) < 2 and time.monotonic() < end:
                    time.sleep(0.1)

            return happens

        source = Interrupted(80, {at: dying(which) for at, which in killed.items()})
        assert engine.fold(source, InTurn()) == tuple(range(80))
        assert dead == [at for which in killed.values() for at in which]
        assert mean(engine) == mean(SerialEngine())


@pytest.mark.thorough("test_a_lost_block_is_computed_here")
def test_a_cluster_that_is_lost_costs_time_only() -> None:
    with DaskEngine(workers=1) as engine:
        engine.ready()
        process = engine._cluster.process
        source = Interrupted(40, {20: lambda: kill([process.pid])})
        assert engine.fold(source, InTurn()) == tuple(range(40))


@pytest.mark.thorough("test_a_lost_block_is_computed_here")
def test_a_cluster_that_does_not_answer_costs_time_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that is stopped, as a machine that is out of reach, keeps its connections open."""
    monkeypatch.setattr(cluster, "ANSWERING", 1.0)
    with DaskEngine(workers=1) as engine:
        engine.ready()
        process = engine._cluster.process
        source = Interrupted(40, {20: lambda: os.kill(process.pid, signal.SIGSTOP)})
        assert engine.fold(source, InTurn()) == tuple(range(40))
        assert mean(engine) == mean(SerialEngine())


def test_a_cluster_that_is_lost_between_two_folds_costs_time_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """What begins after the charge does not end for want of workers; the next run says that no worker is left."""
    with DaskEngine("tcp://127.0.0.1:1") as engine:
        monkeypatch.setattr(engine, "_cluster", Cluster(SimpleNamespace(status="closed", close=lambda: None)))
        assert engine.fold(Numbered(9), InTurn()) == tuple(range(9))
        monkeypatch.setattr(module, "reached", lambda *_: pytest.fail("it is looked for once"))
        assert engine.fold(Numbered(9), InTurn()) == tuple(range(9))
        monkeypatch.undo()
        assert code(engine.ready) == ("D0732", "no scheduler answers at tcp://127.0.0.1:1")


def test_a_worker_that_does_not_answer_is_told(scheduler: Scheduler, monkeypatch: pytest.MonkeyPatch) -> None:
    def late(*_: object, **__: object) -> None:
        raise TimeoutError

    monkeypatch.setattr(Client, "run", late)
    monkeypatch.setattr(cluster, "NOTICING", 0.1)
    told = code(DaskEngine(scheduler.address).ready)
    assert told == ("D0732", f"a worker of {scheduler.address} has given no answer")


@pytest.mark.parametrize("broken", ["_submitted", "_summary"])
def test_a_lost_block_is_computed_here(by_address: DaskEngine, monkeypatch: pytest.MonkeyPatch, broken: str) -> None:
    """Every third one is lost on its way there, or back."""
    right = getattr(module._Sending, broken)
    lost: list[object] = []

    def sometimes(sending: Any, *given: Any) -> Any:
        if len(lost) % 3 == 2 and broken == "_submitted":
            lost.append(given)
            return None
        lost.append(given)
        if broken == "_summary" and len(lost) % 3 == 2:
            given[0].future.cancel()
        return right(sending, *given)

    monkeypatch.setattr(module._Sending, broken, sometimes)
    assert by_address.fold(Numbered(20), InTurn()) == tuple(range(20))
    assert len(lost) == 20


def test_workers_that_are_exchanged_are_sent_to_again(by_address: DaskEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    """All that blocks were sent to are gone, and others have come."""
    by_address.ready()
    assert by_address._cluster is not None
    first, second = by_address._cluster.workers()
    looks: list[int] = []

    def now(self: cluster.Cluster, is_approximate: bool = False) -> dict[str, int]:
        looks.append(1)
        return {second: 1} if len(looks) > 2 else {} if len(looks) == 2 else {"tcp://127.0.0.1:1": 1}

    monkeypatch.setattr(cluster.Cluster, "workers", now)
    assert by_address.fold(Numbered(12), InTurn()) == tuple(range(12))
    assert len(looks) == 3
    assert first


def test_a_failure_there_is_one_here_and_says_nothing_there(
    by_address: DaskEngine,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(logging.getLogger("distributed"), "propagate", True)
    with caplog.at_level(logging.DEBUG), pytest.raises(ArithmeticError, match="private value"):
        by_address.fold(Numbered(5), Raising())
    assert CANARY not in caplog.text
    assert CANARY not in "".join(capfd.readouterr())
    assert by_address.fold(Numbered(5), SlowSum(0)) == 10


def test_the_look_at_logs_sees_a_plain_task(
    scheduler: Scheduler, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control: what Dask does with an exception of a task."""
    monkeypatch.setattr(logging.getLogger("distributed"), "propagate", True)
    with Client(scheduler.address, set_as_default=False) as client, caplog.at_level(logging.DEBUG):
        future = client.submit(Raising().absorb, 0, 5, key="plain")
        with pytest.raises(ArithmeticError, match="private value"):
            future.result(timeout=30)
    assert CANARY in caplog.text


@pytest.mark.thorough("test_a_lost_block_is_computed_here")
def test_what_no_worker_can_compute_is_computed_here(started: DaskEngine) -> None:
    assert started.fold(Numbered(9), FailingElsewhere()) == 36


def test_rounding_that_is_not_to_the_nearest_is_seen() -> None:
    library = ctypes.CDLL(None)
    before = library.fegetround()
    assert is_ieee()
    library.fesetround(0x800)
    try:
        assert not is_ieee()
        assert absorbed(packed((InTurn(), None)), packed(3), 100, 1) == FAILED
    finally:
        library.fesetround(before)
    assert is_ieee()


# ---------------------------------------------------------------------------------------------------------------------
# What a cluster has to be


@pytest.mark.parametrize(
    ("text", "is_safe"),
    [
        ("tcp://127.0.0.1:8786", True),
        ("tcp://127.8.0.1:8786", True),
        ("tcp://localhost:8786", True),
        ("tcp://[::1]:8786", True),
        ("tls://192.0.2.1:8786", True),
        ("tls://scheduler.example:8786", True),
        ("tcp://192.0.2.1:8786", False),
        ("tcp://0.0.0.0:8786", False),
        ("tcp://localhost.example:8786", False),
        ("tcp://127.0.0.1.example:8786", False),
        ("tcp://[2001:db8::1]:8786", False),
    ],
)
def test_what_is_sent_beyond_this_machine_is_encrypted(text: str, is_safe: bool) -> None:
    assert parse_address(text).is_safe == is_safe
    if not is_safe:
        assert code(DaskEngine(text).ready)[0] == "D0733"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "here",
        "tcp://",
        "tcp://there",
        "tcp://there:x",
        "tcp://there:99999",
        "ucx://there:1",
        "http://there:1",
        "tcp://127.0.0.1:1/path",
        "tcp://user@127.0.0.1:1",
        "tcp://127.0.0.1:1?x",
        "inproc://there:1",
    ],
)
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not an address of a cluster"):
        DaskEngine(text)


def test_a_worker_beyond_this_machine_needs_encryption(scheduler: Scheduler, monkeypatch: pytest.MonkeyPatch) -> None:
    right = Client.nthreads
    monkeypatch.setattr(Client, "nthreads", lambda client, **how: {**right(client, **how), "tcp://192.0.2.7:40000": 4})
    kind, message = code(DaskEngine(scheduler.address).ready)
    assert (kind, "a worker of" in message) == ("D0733", True)


@pytest.mark.usefixtures("nothing_here")
def test_a_worker_that_comes_later_is_examined(by_address: DaskEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    by_address.ready()
    assert by_address._cluster is not None
    before = by_address._cluster.workers()
    right = Client.nthreads
    monkeypatch.setattr(Client, "nthreads", lambda client, **how: {**right(client, **how), "tcp://192.0.2.7:40000": 4})
    assert by_address.fold(Numbered(9), InTurn()) == tuple(range(9))
    assert by_address._cluster.workers() == before


def test_nobody_at_an_address_is_told_before_anything_is_charged(tmp_path: Path) -> None:
    path = tmp_path / "people.ledger"
    assert main(["ledger", "create", str(path), "--budget", "epsilon=1"]) == 0
    for rule in ("refuse", "default"):
        how = {"_ledger": path, "_on_bad_row": rule}
        found = code(lambda how=how: mean("dask:tcp://127.0.0.1:1", **how))
        assert found == ("D0732", "no scheduler answers at tcp://127.0.0.1:1")
    assert not Ledger(path).state().entries


def test_what_listens_at_an_address_may_be_no_scheduler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "CONNECTING", 2.0)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

        def answer() -> None:
            with contextlib.suppress(OSError):
                while True:
                    stream, _ = server.accept()
                    stream.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                    stream.close()

        threading.Thread(target=answer, daemon=True).start()
        for scheme in ("tcp", "tls"):
            kind, message = code(DaskEngine(f"{scheme}://127.0.0.1:{port}").ready)
            assert (kind, "could not be reached" in message) == ("D0732", True)


def test_a_cluster_without_workers_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "STARTING", 0.2)
    with local(n_workers=0) as address:
        kind, message = code(DaskEngine(address).ready)
    assert (kind, "there is no worker" in message) == ("D0732", True)


class local:
    """A cluster in this process."""

    def __init__(self, **how: Any) -> None:
        pages = {"dashboard_address": None, "scheduler_kwargs": {"dashboard_address": "127.0.0.1:0"}}
        self.cluster = LocalCluster(processes=False, host="127.0.0.1", **pages, **{"protocol": "tcp://", **how})

    def __enter__(self) -> str:
        address: str = self.cluster.scheduler_address
        return address

    def __exit__(self, *error: object) -> None:
        self.cluster.close()


def test_a_worker_that_writes_to_a_disk_is_refused() -> None:
    spills = {"distributed.worker.memory.target": 0.6, "distributed.worker.memory.spill": 0.7}
    with dask.config.set(spills), local(n_workers=1, memory_limit="1GiB") as address:
        kind, message = code(DaskEngine(address).ready)
    assert (kind, "write rows to a disk" in message) == ("D0732", True)


def test_workers_are_of_the_kind_of_the_driver() -> None:
    own = own_kind()
    assert _fault((own, True), own) == ""
    assert "version" in _fault((evolve(own, code="another"), True), own)
    assert _fault((evolve(own, arithmetic="another"), True), own) == UNLIKE
    assert "disk" in _fault((evolve(own, arithmetic="another"), False), own)
    assert "disk" in _fault((own, False), own)
    assert "version" in _fault(None, own)
    assert "version" in _fault(ModuleNotFoundError("duetpy"), own)


@pytest.mark.thorough("test_workers_are_of_the_kind_of_the_driver")
@pytest.mark.parametrize(
    ("planted", "told"),
    [
        ("# another line\n", "has another version of duetpy, or none"),
        (None, "has another version of duetpy, or none"),
        ("DIES", "has ended before it answered"),
    ],
)
def test_a_worker_with_other_code_is_refused(planted: str | None, told: str, tmp_path: Path) -> None:
    """Its version is the same, except for a comment; or it has no version, or one that ends the process."""
    if planted in (None, "DIES"):
        text = "__version__ = '0.1.0'\n" if planted is None else "import os\nos._exit(1)\n"
        (tmp_path / "duetpy.py").write_text(text, encoding="utf-8")
    else:
        copied(tmp_path, {"depth.py": planted})
    with dask.config.set(WITHOUT_SPILL), local(n_workers=0) as address:
        command = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--no-dashboard", "--nthreads", "1"]
        command += ["--memory-limit", "0", "--no-nanny", "--local-directory", str(tmp_path)]
        environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
        worker = subprocess.Popen(
            command, env=environment, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            kind, message = code(DaskEngine(address).ready)
        finally:
            worker.kill()
            worker.wait()
    assert (kind, told in message) == ("D0732", True)


def test_without_dask_a_run_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert code(DaskEngine().ready) == ("D0731", "the engine dask is not installed")
    assert code(DaskEngine("tcp://127.0.0.1:1").ready)[0] == "D0731"


APPROXIMATE = "sλ m : ℕ . xs : 𝕄 [L∞, U | m, 3⋅𝔻 else 0] ⇒ mmap xs { x ⇒ ㏒ (x ⋅ x + disc 1.0) }"
EXACT = "sλ m : ℕ . xs : 𝕄 [L∞, U | m, 3⋅𝔻 else 0] ⇒ mmap xs { x ⇒ √ (x ⋅ x + disc 1.0) }"


def test_approximations_are_computed_where_processors_are_alike(
    scheduler: Scheduler, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One worker has another processor: what is approximate goes to the other one. Then both have: it stays here."""
    used: list[object] = []
    right = module._Sending._submitted

    def submitted(sending: Any, block: Any) -> Any:
        used.append((sending.sent.is_approximate, tuple(sorted(sending._workers))))
        return right(sending, block)

    monkeypatch.setattr(module._Sending, "_submitted", submitted)
    for unlike in (0, 1, 2):
        with DaskEngine(scheduler.address) as engine:
            engine.ready()
            addresses = sorted(engine._cluster.workers())
            assert len(addresses) == 2
            engine._cluster._known.update(dict.fromkeys(addresses[:unlike], UNLIKE))
            used.clear()
            for text in (APPROXIMATE, EXACT):
                typed = checked(text)
                wanted = evaluate(typed, xs=XS[:90])
                found = evaluate(typed, _engine=engine, _block_rows=30, xs=XS[:90])
                assert found.tobytes() == wanted.tobytes()
            assert set(used) == {(True, tuple(addresses[unlike:])) for _ in range(unlike < 2)} | {
                (False, tuple(addresses))
            }


def test_certificates_of_an_address() -> None:
    security = Security.temporary()
    with (
        dask.config.set(WITHOUT_SPILL),
        local(n_workers=1, memory_limit=0, protocol="tls://", security=security) as address,
    ):
        assert address.startswith("tls://")
        with duetpy.engines.dask(address, security=security) as engine:
            assert engine.fold(Numbered(9), InTurn()) == tuple(range(9))
        kind, message = code(DaskEngine(address).ready)
        assert (kind, "could not be reached" in message) == ("D0732", True)


@pytest.mark.thorough("test_certificates_of_an_address")
def test_nobody_else_reaches_the_workers_of_this_machine(started: DaskEngine) -> None:
    assert started._cluster is not None
    address = started._cluster.client.scheduler.address
    assert address.startswith("tls://127.0.0.1:")
    assert all(worker.startswith("tls://127.0.0.1:") for worker in started._cluster.workers())
    with pytest.raises((OSError, TypeError)):
        Client(address, timeout=3, security=Security.temporary(), set_as_default=False)
