"""What dp-accounting and prv-accountant say of some workloads: run by the Python of an environment that has both.

    python tests/oracle/peers.py < workloads.json > answers.json

It imports nothing of this project, and this project imports nothing of theirs. Every answer holds a lower and an upper ε, the
seconds of a second, warm run, or the reason why it has no such bounds.
"""

import json
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

warnings.filterwarnings("ignore")

Workload = dict[str, Any]
GRID = 1e-4


def dp_accounting(workload: Workload, pessimistic: bool) -> float:
    from dp_accounting.pld import privacy_loss_distribution as pld

    options = {"value_discretization_interval": GRID, "pessimistic_estimate": pessimistic}
    whole = None
    for part in workload["parts"]:
        match part["kind"]:
            case "gaussian":
                one = pld.from_gaussian_mechanism(1.0 / part["mu"], sensitivity=1.0, **options)
            case "poisson-gaussian":
                one = pld.from_gaussian_mechanism(
                    1.0 / part["mu"], sensitivity=1.0, sampling_prob=part["rate"], **options
                )
            case "laplace":
                one = pld.from_laplace_mechanism(1.0 / part["eps"], sensitivity=1.0, **options)
            case "response":
                from math import exp

                one = pld.from_randomized_response(2.0 / (1.0 + exp(part["eps"])), 2, **options)
            case kind:
                raise ValueError(f"no {kind}")
        many = one.self_compose(part["count"])
        whole = many if whole is None else whole.compose(many)
    assert whole is not None
    return float(whole.get_epsilon_for_delta(workload["delta"]))


def prv_accountant(workload: Workload) -> tuple[float, float]:
    from prv_accountant import PRVAccountant
    from prv_accountant.privacy_random_variables import (
        GaussianMechanism,
        LaplaceMechanism,
        PoissonSubsampledGaussianMechanism,
    )

    variables, counts = [], []
    for part in workload["parts"]:
        match part["kind"]:
            case "gaussian":
                variables.append(GaussianMechanism(noise_multiplier=1.0 / part["mu"]))
            case "poisson-gaussian":
                variables.append(
                    PoissonSubsampledGaussianMechanism(
                        noise_multiplier=1.0 / part["mu"], sampling_probability=part["rate"]
                    )
                )
            case "laplace":
                variables.append(LaplaceMechanism(mu=part["eps"]))
            case kind:
                raise ValueError(f"no {kind}")
        counts.append(part["count"])
    accountant = PRVAccountant(
        prvs=variables, max_self_compositions=counts, eps_error=0.01, delta_error=workload["delta"] / 1000
    )
    low, _, high = accountant.compute_epsilon(delta=workload["delta"], num_self_compositions=counts)
    return float(low), float(high)


def timed(compute: Callable[[], tuple[float, float]]) -> dict[str, Any]:
    """Lower and upper ε with the seconds of a warm run; the reason where it fails."""
    try:
        begin = time.perf_counter()
        low, high = compute()
        if time.perf_counter() - begin < 20:
            begin = time.perf_counter()
            low, high = compute()
        return {"lower": low, "upper": high, "seconds": time.perf_counter() - begin}
    except Exception as error:
        return {"failed": f"{type(error).__name__}: {str(error).splitlines()[0][:80] if str(error) else ''}"}


def main() -> None:
    answers = []
    for workload in json.load(sys.stdin):
        upper = timed(lambda work=workload: (0.0, dp_accounting(work, True)))
        if "upper" in upper:
            lower = timed(lambda work=workload: (dp_accounting(work, False), 0.0))
            upper["lower"] = lower.get("lower", 0.0)
        answers.append({"dp-accounting": upper, "prv-accountant": timed(lambda work=workload: prv_accountant(work))})
    json.dump(answers, sys.stdout)


if __name__ == "__main__":
    main()
