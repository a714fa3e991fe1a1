"""Noisy gradient descent on the logistic loss, compared with the program that a good NumPy user writes by hand.

    python benchmarks/gradient.py [ROWS COLUMNS TURNS]

Both clip rows to an L2 norm of 1. The numpy program computes norms once, folds the scale into the residual and makes two
passes over the data a turn; its noise is numpy's, and its sums are as they come. duetpy reads the arrays, verifies them,
clips once, sums exactly, draws exact noise and accounts for it: all of that is in its time.
"""

from __future__ import annotations

import sys
import time

import numpy as np

import duetpy
from duetpy.runtime.release.run import run

PROGRAM = """
pλ m : ℕ, n : ℕ, k : ℕ, ε : ℝ⁺, δ : ℝ⁺, η : ℝ⁺ .
  ⟨xs : 𝕄 [L∞, U | m, n⋅𝔻], ys : 𝕄 [L∞, U | m, 1⋅𝔻]⟩, k : ℕ[k], ε : ℝ⁺[ε], δ : ℝ⁺[δ], η : ℝ⁺[η] ⇒
  let zero = mcreate[L∞ | ℕ[1], cols xs] { i, j ⇒ 0.0 } in
  loop k on zero <xs, ys> { t, θ ⇒
    g ← mgauss[auto, ε, δ] <xs, ys> { ∇[LR | θ; mclip[L2] xs, ys] } ;
    return (mmap θ, g { x, y ⇒ x - η ⋅ y }) }
"""


def by_hand(xs: np.ndarray, ys: np.ndarray, turns: int, sigma: float) -> np.ndarray:
    rng = np.random.default_rng()
    scale = 1.0 / np.maximum(1.0, np.sqrt(np.einsum("ij,ij->i", xs, xs)))
    signs = np.where(ys > 0, 1.0, -1.0)
    theta = np.zeros(xs.shape[1])
    for _ in range(turns):
        margin = (xs @ theta) * scale
        residual = signs / (1.0 + np.exp(signs * margin))
        gradient = -((residual * scale) @ xs) / len(xs)
        theta -= gradient + rng.normal(scale=sigma, size=len(theta))
    return theta


def main(rows: int, columns: int, turns: int) -> None:
    rng = np.random.default_rng(0)
    xs = rng.normal(size=(rows, columns))
    ys = np.where(xs @ rng.normal(size=columns) > 0, 1.0, -1.0)
    typed = duetpy.parse(PROGRAM).typed
    assert typed is not None
    settings = {"ε": 1.0, "δ": 1e-6, "η": 1.0}
    data: dict[str | None, object] = {"xs": xs, "ys": ys}
    run(typed, {"xs": xs[:10], "ys": ys[:10]}, settings | {"k": 1})
    started = time.perf_counter()
    release = run(typed, data, settings | {"k": turns})
    ours = time.perf_counter() - started
    started = time.perf_counter()
    theta = by_hand(xs, ys, turns, release.releases[0]["scale"])
    theirs = time.perf_counter() - started
    print(f"{rows} × {columns}, {turns} turns")
    for name, seconds, model in (("duetpy", ours, np.array(release.result[0])), ("numpy", theirs, theta)):
        right = np.mean(np.where(xs @ model > 0, 1.0, -1.0) == ys)
        print(f"  {name:7} {seconds:7.3f} s   {1000 * seconds / turns:7.2f} ms a turn   {100 * right:.1f} % right")


if __name__ == "__main__":
    arguments = [int(argument) for argument in sys.argv[1:]] or [100_000, 20, 50]
    main(*arguments)
