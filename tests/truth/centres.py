#!/usr/bin/env python3
"""kmeans: nearest centres and their distances, the best of many starts, of plain rows, with
weights, beside categories and gaps; angles; iterations from centres that are given."""
import numpy as np
import sklearn
from sklearn.cluster import KMeans

from truth import EVERY_WAY, TRANSFORM, Header, patients, weights, wines

SCORE = "SMR_OUTPUT_SCORE"
h = Header("Clusters around centres.",
           f"scikit-learn {sklearn.__version__}, numpy {np.__version__}")


def best(X, k, w):
    return KMeans(k, n_init=40, tol=0, random_state=0).fit(X, sample_weight=w)


def by_angle(X, k, w):
    """Rows of length 1 and centres of length 1, from 40 starts."""
    U = X / np.linalg.norm(X, axis=1, keepdims=True)
    random, found = np.random.default_rng(0), (np.inf, None)
    for _ in range(40):
        C, label = U[random.choice(len(U), k, replace=False)], None
        while True:
            now = np.argmax(U @ C.T, axis=1)
            if label is not None and (now == label).all():
                break
            label = now
            S = np.array([(w[:, None] * U)[label == c].sum(axis=0) for c in range(k)])
            C = np.where(np.linalg.norm(S, axis=1, keepdims=True) > 0,
                         S / np.maximum(np.linalg.norm(S, axis=1, keepdims=True), 1e-300), C)
        error = (w * (1 - (U * C[label]).sum(axis=1))).sum()
        if error < found[0]:
            found = error, 1 - (U @ C.T).max(axis=1)
    return found[1]


for way in EVERY_WAY:
    scaled = {**way, "scale": True}
    P, Q, W = patients(**way)[0], patients(**scaled)[0], wines(**scaled)[0]
    weighted = way.get("weighted", False)
    wp = weights(len(P)) if weighted else np.ones(len(P))
    ww = weights(len(W)) if weighted else np.ones(len(W))
    for k in 1, 2:
        m = best(P, k, wp)
        nearest = m.cluster_centers_[m.predict(P)]
        h.of_patients(f"kmeans {k} starts=60 tol=0 gives=nearest", TRANSFORM, nearest, 1e-9,
                      target=None, **way)
    m = best(Q, 2, wp)
    h.of_patients("standardize | kmeans 2 starts=60 tol=0", SCORE,
                  -m.transform(Q).min(axis=1) ** 2, 1e-8, target=None, **way)
    for start in "random", "plusplus", "parallel", "farthest":
        m = best(W, 3, ww)
        h.of_wines(f"standardize | kmeans 3 start={start} starts=60 tol=0", SCORE,
                   -m.transform(W).min(axis=1) ** 2, 1e-8, target=None, **way)
    h.of_wines("standardize | kmeans 3 metric=cosine starts=60 tol=0", SCORE, -by_angle(W, 3, ww),
               1e-8, target=None, **way)

W = wines(scale=True)[0]
h.array("wine_start", W[:5].ravel(), "Five standardised wines: where centres start.", 1e-12)
for n in 1, 2, 3:
    m = KMeans(5, init=W[:5].copy(), n_init=1, max_iter=n, tol=0, algorithm="lloyd").fit(W)
    h.array(f"wine_centres_{n}", m.cluster_centers_.ravel(), f"Centres after {n} iterations.",
            1e-12)
h.array("wine_errors",
        [KMeans(5, init=W[:5].copy(), n_init=1, max_iter=n, tol=0,
                algorithm="lloyd").fit(W).inertia_
         for n in range(1, 9)], "What is left after 1, 2 ... iterations, labels made anew.", 1e-12)
h.end()
