#!/usr/bin/env python3
"""agglomerate, dbscan, spectral, eigenmap: clusters of rows, of rows repeated by their weights,
and beside categories and gaps; heights of merges."""
import numpy as np
import scipy
import sklearn
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import cdist
from sklearn.cluster import DBSCAN, KMeans

from truth import EVERY_WAY, Header, patients, weights, wines

LABEL = "SMR_OUTPUT_LABEL"
h = Header("Clusters by merging, by density and by eigenvectors.",
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



def linked(X, near, sigma=None):
    """Weights of links to the nearest rows, of which those that go one way weigh half."""
    D = cdist(X, X)
    n = len(X)
    order = np.argsort(D + np.diag(np.full(n, np.inf)), axis=1, kind="stable")[:, :near]
    A = np.zeros((n, n))
    A[np.arange(n)[:, None], order] = 1
    W = (A + A.T) / 2
    return W * np.exp(-D ** 2 / (2 * sigma ** 2)) if sigma else W


def eigenvectors(W, kind, k):
    """Of the k smallest eigenvalues, by all n of them; of the walk with u'Du = sum d."""
    d = W.sum(axis=1)
    s = np.ones(len(d)) if kind == "unnormalised" else 1 / np.sqrt(d)
    values, U = np.linalg.eigh(s[:, None] * (np.diag(d) - W) * s)
    U = U[:, :k] * np.sqrt(len(d))
    if kind == "walk":
        U *= s[:, None]
        U *= np.sqrt(d.sum() / (d[:, None] * U ** 2).sum(axis=0))
    for u in U.T:
        u *= np.sign(u[np.flatnonzero(abs(u) >= abs(u).max() * (1 - 1e-9))[0]])
    return values, U


for way in ({}, {"mixed": True}):
    W = wines(scale=True, **way)[0]
    for near, sigma in (10, None), (6, 2.5):
        graph = linked(W, near, sigma)
        rest = f" neighbors={near}" + (f" sigma={sigma}" if sigma else "")
        for kind in "walk", "symmetric", "unnormalised":
            U = eigenvectors(graph, kind, 3)[1]
            if kind == "symmetric":
                U = U / np.linalg.norm(U, axis=1)[:, None]
            labels = in_order(KMeans(3, n_init=30, random_state=0).fit(U).labels_)
            h.of_wines(f"standardize | spectral 3 laplacian={kind}" + rest, LABEL, labels, 1e-12,
                       target=None, **way)
            values, U = eigenvectors(graph, kind, 4)
            assert values[1] > 1e-6 and np.diff(values[:5]).min() > 1e-4
            h.of_wines(f"standardize | eigenmap 3 laplacian={kind}" + rest, "SMR_OUTPUT_TRANSFORM",
                       U[:, 1:], 1e-6, target=None, **way)
    labels = in_order((eigenvectors(linked(W, 10), "walk", 2)[1][:, 1] < 0).astype(int))
    h.of_wines("standardize | spectral 2 assign=sign", LABEL, labels, 1e-12, target=None, **way)

def all_linked(X, sigma):
    return np.exp(-cdist(X, X) ** 2 / (2 * sigma ** 2)) - np.eye(len(X))


for way in ({"weighted": True}, {"weighted": True, "mixed": True}):
    rows, first = repeats(wines(scale=True, **way)[0], True)
    for kind in "walk", "symmetric", "unnormalised":
        for graph, rest in ((linked(rows, 25), "neighbors=25"),
                            (all_linked(rows, 1.5), "graph=full sigma=1.5")):
            U = eigenvectors(graph, kind, 3)[1]
            if kind == "symmetric":
                U = U / np.linalg.norm(U, axis=1)[:, None]
            labels = in_order(KMeans(3, n_init=30, random_state=0).fit(U).labels_)
            h.of_wines(f"standardize | spectral 3 laplacian={kind} {rest}", LABEL, labels[first],
                       1e-12, target=None, **way)
        values, U = eigenvectors(graph, kind, 4)
        assert values[1] > 1e-6 and np.diff(values[:5]).min() > 1e-4
        h.of_wines(f"standardize | eigenmap 3 laplacian={kind} {rest}", "SMR_OUTPUT_TRANSFORM",
                   U[first, 1:], 1e-6, target=None, **way)

for method in "ward", "average", "complete", "single":
    Z = linkage(wines(scale=True)[0], method)
    h.array(f"heights_{method}", Z[-20:, 2], f"Heights of the last merges of standardised wines, "
            f"{method}.", 1e-12)
    h.array(f"sizes_{method}", Z[-20:, 3].astype(int), "Rows of what they made.", kind="int64_t")
h.end()
