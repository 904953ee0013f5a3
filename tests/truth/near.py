#!/usr/bin/env python3
"""knn and baseline, by their definitions: distances in exact arithmetic, ties by row number."""
import numpy as np

from fits import neighbours
from truth import (EVERY_WAY, PROBA, VALUE, Header, classes, numbers, patients, weights, wines)

h = Header("Nearest neighbours and baselines.", f"their definitions, in rational numbers and "
           f"numpy {np.__version__}")


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
