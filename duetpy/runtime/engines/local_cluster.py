"""A Dask cluster on this machine, in a process of its own: ``python -m duetpy.runtime.engines.local_cluster``.

A line on standard input says how many workers there are and with which certificates they know each other, the address of the
scheduler comes out on standard output, and the cluster ends with standard input: also when the process that started it is killed.
The certificates are made for one cluster, so that nobody else on this machine can read what is sent, or send anything.
The workers are started from here, so that Dask does not run the main script of a user again.
"""

from __future__ import annotations

import json
import logging
import sys

WITHOUT_SPILL = {f"distributed.worker.memory.{what}": False for what in ("target", "spill", "pause", "terminate")}
WITHOUT_PAGES = {
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    "distributed.worker.profile.enabled": False,
}
"""Pages in a browser ask nobody who they are."""

ROLES = ("ca_file", "client_cert", "client_key", "scheduler_cert", "scheduler_key", "worker_cert", "worker_key")


def main() -> None:
    import dask
    from distributed import LocalCluster
    from distributed.security import Security

    asked = json.loads(sys.stdin.readline())
    dask.config.set({**WITHOUT_SPILL, **WITHOUT_PAGES})
    cluster = LocalCluster(
        n_workers=asked["workers"],
        threads_per_worker=1,
        processes=True,
        memory_limit=0,
        host="127.0.0.1",
        protocol="tls://",
        security=Security(require_encryption=True, **{f"tls_{role}": asked[role] for role in ROLES}),
        dashboard_address=None,
        scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},
        worker_dashboard_address=None,
        silence_logs=logging.CRITICAL,
    )
    with cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
