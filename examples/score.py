"""How well a private model does: accuracy on held-out rows, compared with models that are not private.

    python examples/score.py              # one release of each program
    python examples/score.py --runs 20    # how much the noise moves the result

Every run is a release. The table says what one costs; on data that are not public, twenty would cost twenty times that.
The step size and the number of steps were chosen by trying a few on this table, which its cost does not cover.
"""

import argparse
from pathlib import Path

import numpy as np

import duetpy

HERE = Path(__file__).resolve().parent
TRAIN = HERE / "data" / "breast_cancer_train.csv"
HELD_OUT = HERE / "data" / "breast_cancer_held_out.csv"

STEPS, STEP_SIZE = 10, 4.0
DELTA = 1e-6
BATCHES = {"b": 64, "k": 20, "η": 2.0}
PROGRAMS = {
    "logistic.zcdp.duet": {"k": STEPS, "η": STEP_SIZE, "ρ": 0.05},
    "logistic.ed.duet": {"k": STEPS, "η": STEP_SIZE, "ε": 0.5, "δ": 1e-8, "δ′": 9e-7},
    "minibatch.ed.duet": BATCHES | {"ε": 1.8, "δ": 3e-7},
}


def read(path):
    """The features and the labels of a table: all columns but the last, and the last."""
    table = np.loadtxt(path, delimiter=",", skiprows=1)
    return table[:, :-1], table[:, -1]


def accuracy(model, features, labels):
    """The share of rows that lie on their label's side."""
    return np.mean((features @ np.ravel(model) > 0) == (labels > 0))


def descend(features, labels, steps):
    """Plain gradient descent on the mean logistic loss: what the programs compute, without clipping and noise."""
    model = np.zeros(features.shape[1])
    for _ in range(steps):
        weights = labels / (1 + np.exp(labels * (features @ model)))
        model += STEP_SIZE * (features * weights[:, None]).mean(axis=0)
    return model


def clipped(features):
    """Rows longer than 1 brought to length 1."""
    return features / np.maximum(1, np.linalg.norm(features, axis=1, keepdims=True))


def report(name, privacy, accuracies):
    spread = "" if len(accuracies) == 1 else f"   {min(accuracies):.3f} to {max(accuracies):.3f}"
    print(f"{name:<42}{privacy:<28}{np.mean(accuracies):.3f}{spread}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=1, help="releases of each program (default 1)")
    runs = parser.parse_args().runs
    features, labels = read(TRAIN)
    held_out = read(HELD_OUT)
    print(f"{len(labels)} training rows, {len(held_out[1])} held-out rows, {runs} release(s) of each program")
    print(f"{'':<42}{'privacy':<28}accuracy")
    for name, numbers in PROGRAMS.items():
        checked = duetpy.load(HERE / name).check()
        releases = [checked.run(xs=features, ys=labels[:, None], _delta=DELTA, **numbers) for _ in range(runs)]
        tight = releases[0].privacy["parameters"][0]["tight"]
        cost = f"ε = {tight['epsilon']:.2f}, δ = {tight['delta']:.0e}"
        report(name, cost, [accuracy(release.result, *held_out) for release in releases])
    same = descend(clipped(features), labels, STEPS)
    report("the same steps without noise", "none", [accuracy(same, *held_out)])
    report("5000 steps, neither clipped nor noisy", "none", [accuracy(descend(features, labels, 5000), *held_out)])
    report("always the commoner label", "none", [max(np.mean(held_out[1] > 0), np.mean(held_out[1] < 0))])


if __name__ == "__main__":
    main()
