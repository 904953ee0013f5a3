#!/usr/bin/env python3
"""Rows through the same trees: samara's walk beside XGBoost's predict.

    python3 bench/trees.py [--build build] [--rows 100000] [--missing 0] [--repeat 7]

XGBoost grows 100 trees of 255 leaves (leaf-wise, histograms) on 50,000 rows of 28 features; its
trees and the rows to predict go to build/bench/trees (bench/trees.c), as they are.  Both predict
all rows with 2 threads, XGBoost by whichever of predict(DMatrix) and inplace_predict is faster,
with a DMatrix made before, a new one each time because it remembers its answers.  Prints medians,
their ratio, and the largest difference of the answers.
"""
import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time

import numpy as np
import xgboost

FEATURES, TREES, LEAVES, THREADS = 28, 100, 255, 2


def make_rows(n, missing, rng):
    x = rng.standard_normal((n, FEATURES)).astype(np.float32)
    x[rng.random(x.shape) < missing] = np.nan
    return x


def train(missing, rng):
    x = make_rows(50000, missing, rng)
    z = np.nan_to_num(x)
    y = z[:, 0] * z[:, 1] + np.sin(2 * z[:, 2]) + z[:, 3:9].sum(axis=1)
    y += rng.standard_normal(len(x))
    params = {"tree_method": "hist", "grow_policy": "lossguide", "max_leaves": LEAVES,
              "max_depth": 0, "eta": 0.1, "nthread": THREADS, "base_score": 0}
    return xgboost.train(params, xgboost.DMatrix(x, y), TREES)


def write_model(booster, path):
    """x < c of floats is x <= the float below c."""
    with tempfile.NamedTemporaryFile(suffix=".json") as model, open(path, "w") as f:
        booster.save_model(model.name)
        learner = json.load(open(model.name))["learner"]
        for tree in learner["gradient_booster"]["model"]["trees"]:
            left, right = tree["left_children"], tree["right_children"]
            cut, feature = tree["split_conditions"], tree["split_indices"]
            order, at = [0], 0
            while at < len(order):  # breadth-first, so that children lie together
                node, at = order[at], at + 1
                if left[node] >= 0:
                    order += [left[node], right[node]]
            place = {node: k for k, node in enumerate(order)}
            for node in order:
                if left[node] < 0:
                    f.write(f"-1 {float(np.float32(cut[node]))!r} 0 0\n")
                    continue
                below = np.nextafter(np.float32(cut[node]), np.float32(-np.inf))
                f.write(f"{feature[node]} {float(below)!r} {int(tree['default_left'][node])} "
                        f"{place[left[node]]}\n")
            f.write("\n")


def median_seconds(call, repeat, make=lambda: None):
    taken = []
    for _ in range(repeat):
        made = make()
        start = time.perf_counter()
        call(made)
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def main():
    args = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    args.add_argument("--build", default="build")
    args.add_argument("--rows", type=int, default=100000)
    args.add_argument("--missing", type=float, default=0)
    args.add_argument("--repeat", type=int, default=7)
    args = args.parse_args()
    rng = np.random.default_rng(7)
    booster = train(args.missing, rng)
    x = make_rows(args.rows, args.missing, rng)
    peer = {"predict": median_seconds(booster.predict, args.repeat,
                                      lambda: xgboost.DMatrix(x, nthread=THREADS)),
            "inplace_predict": median_seconds(booster.inplace_predict, args.repeat, lambda: x)}
    row = median_seconds(booster.inplace_predict, 200, lambda: x[:1])
    with tempfile.TemporaryDirectory() as folder:
        model, rows, out = (os.path.join(folder, name) for name in ("model", "rows", "out"))
        write_model(booster, model)
        x.tofile(rows)
        line = subprocess.run(
            [os.path.join(args.build, "bench", "trees"), "--model", model, "--data", rows, "--rows",
             str(args.rows), "--features", str(FEATURES), "--predictions", out, "--repeat",
             str(args.repeat), "--threads", str(THREADS)],
            check=True, stdout=subprocess.PIPE, text=True).stdout
        ours = json.loads(line)
        away = np.max(np.abs(np.fromfile(out) - booster.inplace_predict(x)))
    batch = ours["seconds"]["batch"]
    print(json.dumps({
        "xgboost": {**peer, "row": row, "version": xgboost.__version__}, "samara": ours,
        "batch_ratio": min(peer.values()) / batch, "row_ratio": row / ours["seconds"]["row"],
        "largest_difference": float(away)}, indent=1))


if __name__ == "__main__":
    main()
