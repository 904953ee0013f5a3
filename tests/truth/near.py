#!/usr/bin/env python3
"""knn and baseline, by their definitions: distances in exact arithmetic, ties by row number."""
from fractions import Fraction

import numpy as np

from truth import (EVERY_WAY, PROBA, VALUE, Header, classes, numbers, patients, weights, wines)

h = Header("Nearest neighbours and baselines.", f"their definitions, in rational numbers and "
           f"numpy {np.__version__}")


def distances(X, i, metric, p):
    """From row i to all rows, or a growing function of that; exact but for minkowski, cosine."""
    if metric in ("minkowski", "cosine"):
        if metric == "minkowski":
            return list((np.abs(X - X[i]) ** p).sum(axis=1))
        unit = X / np.sqrt((X ** 2).sum(axis=1, keepdims=True))
        return list(1 - unit @ unit[i])
    rows = [[Fraction(v) for v in row] for row in X]
    gaps = [[abs(a - b) for a, b in zip(row, rows[i])] for row in rows]
    if metric == "euclidean":
        return [sum(g * g for g in row) for row in gaps]
    return [sum(row) if metric == "manhattan" else max(row) for row in gaps]


def neighbours(X, k, every, metric="euclidean", p=3, inverse=False, weight=None):
    """n/every x n: what each row counts for each asked row.  A row of weight 2 takes two of the k
    places; inverse: by 1 / distance, rows at distance 0 alone."""
    weight = np.ones(len(X), dtype=int) if weight is None else weight.astype(int)
    share = np.zeros((len(X), len(X)))
    for i in range(0, len(X), every):
        d, left = distances(X, i, metric, p), k
        for j in sorted(range(len(X)), key=lambda j: (d[j], j)):
            taken = min(left, weight[j])
            share[i, j] += taken
            left -= taken
            if left == 0:
                break
        if inverse:
            root = {"euclidean": 2, "minkowski": p}.get(metric, 1)
            at = np.array([float(v) ** (1 / root) for v in d])
            zero = (share[i] > 0) & (at == 0)
            share[i] = np.where(zero, share[i], 0) if zero.any() else \
                np.where(share[i] > 0, share[i] / np.where(at > 0, at, 1), 0)
        share[i] /= share[i].sum()
    return share


for way in EVERY_WAY:
    X, y = patients(**way)
    w = weights(len(y)) if way.get("weighted") else None
    h.of_patients("knn 7", VALUE, neighbours(X, 7, 17, weight=w) @ y, 1e-12, **way)
    X, y = wines(**way)
    w = weights(len(y)) if way.get("weighted") else None
    h.of_wines("knn 5", PROBA, neighbours(X, 5, 11, weight=w) @ np.eye(3)[y], 1e-12, **way)

X, y = classes("data/iris.csv", "species")
for words, more in [("knn 4", {}), ("knn 5 metric=manhattan", {"metric": "manhattan"}),
                    ("knn 5 metric=chebyshev", {"metric": "chebyshev"}),
                    ("knn 6 weight=distance", {"inverse": True})]:
    k = int(words.split()[1])
    h.answers(words, "data/iris.csv", "species", PROBA,
              neighbours(X, k, 7, **more) @ np.eye(3)[y], 1e-12)
X, y = numbers("data/diabetes.csv", "progression")
for words, more in [("knn 9 metric=minkowski p=4", {"metric": "minkowski", "p": 4}),
                    ("knn 9 metric=cosine", {"metric": "cosine"})]:
    h.answers(words, "data/diabetes.csv", "progression", VALUE,
              neighbours(X, 9, 17, **more) @ y, 1e-12, every=17)

# ---- baseline

_, y = patients()
w = weights(len(y))
for way, v in ({}, np.ones(len(y))), ({"weighted": True}, w):
    h.of_patients("baseline", VALUE, np.full(len(y), np.average(y, weights=v)), 1e-14, **way)
    h.of_patients("baseline median", VALUE, np.full(len(y), np.median(np.repeat(y, v.astype(int)))),
                  1e-15, **way)
_, y = wines()
share = np.array([weights(len(y))[y == k].sum() for k in range(3)])
h.of_wines("baseline", PROBA, np.tile(share / share.sum(), (len(y), 1)), 1e-14, mixed=True,
           weighted=True)
h.end()
