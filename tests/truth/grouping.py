#!/usr/bin/env python3
"""agglomerate and dbscan: clusters of rows, of rows repeated by their weights, and beside
categories and gaps; heights of merges."""
import numpy as np
import scipy
import sklearn
from scipy.cluster.hierarchy import fcluster, linkage
from sklearn.cluster import DBSCAN

from truth import EVERY_WAY, Header, patients, weights, wines

LABEL = "SMR_OUTPUT_LABEL"
h = Header("Clusters by merging and by density.",
           f"scikit-learn {sklearn.__version__}, scipy {scipy.__version__}")
METRIC = {"euclidean": "euclidean", "manhattan": "cityblock", "chebyshev": "chebyshev"}


def in_order(labels):
    """Numbered by the first row of each; noise stays -1."""
    number = {}
    return np.array([-1 if c < 0 else number.setdefault(c, len(number)) for c in labels])


def repeats(X, weighted):
    times = weights(len(X)).astype(int) if weighted else np.ones(len(X), int)
    return np.repeat(X, times, axis=0), np.cumsum(times) - times


def merged(X, k, method, metric="euclidean", weighted=False):
    rows, first = repeats(X, weighted)
    labels = fcluster(linkage(rows, method, metric=METRIC[metric]), k, "maxclust")
    assert len(set(labels)) == k
    return in_order(labels[first])


for way in EVERY_WAY:
    weighted = way.get("weighted", False)
    P, W = patients(scale=True, **way)[0], wines(scale=True, **way)[0]
    for method in "ward", "average", "complete", "single":
        for k in 3, 9:
            h.of_wines(f"standardize | agglomerate {k} linkage={method}", LABEL,
                       merged(W, k, method, weighted=weighted), 1e-12, target=None, **way)
        h.of_patients(f"standardize | agglomerate 6 linkage={method}", LABEL,
                      merged(P, 6, method, weighted=weighted), 1e-12, target=None, **way)
        if method != "ward":
            h.of_patients(f"standardize | agglomerate 7 linkage={method} metric=manhattan", LABEL,
                          merged(P, 7, method, "manhattan", weighted), 1e-12, target=None, **way)
    for eps, least, metric in (2.2, 4, "euclidean"), (5, 9, "manhattan"), (1.1, 3, "chebyshev"):
        w = weights(len(P)) if weighted else None
        labels = DBSCAN(eps=eps, min_samples=least, metric=metric).fit_predict(P, sample_weight=w)
        assert 1 <= labels.max() + 1 < len(P) and (labels < 0).any()
        h.of_patients(f"standardize | dbscan {eps} min_rows={least} metric={metric}", LABEL,
                      labels, 1e-12, target=None, **way)

for method in "ward", "average", "complete", "single":
    Z = linkage(wines(scale=True)[0], method)
    h.array(f"heights_{method}", Z[-20:, 2], f"Heights of the last merges of standardised wines, "
            f"{method}.", 1e-12)
    h.array(f"sizes_{method}", Z[-20:, 3].astype(int), "Rows of what they made.", kind="int64_t")
h.end()
