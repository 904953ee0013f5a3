#!/usr/bin/env python3
"""pca: features, scores and reconstructions, of plain rows, of rows repeated by their weights, and
beside categories and gaps."""
import numpy as np
import sklearn
from sklearn.decomposition import PCA

from truth import EVERY_WAY, TRANSFORM, Header, patients, weights, wines

SCORE = "SMR_OUTPUT_SCORE"
h = Header("Principal components.", f"scikit-learn {sklearn.__version__}, numpy {np.__version__}")


def repeated(X, weighted):
    return np.repeat(X, weights(len(X)).astype(int), axis=0) if weighted else X


def signed(V):
    """Of the entries that are as large as the largest, the first is positive."""
    for v in V:
        v *= np.sign(v[np.flatnonzero(abs(v) >= abs(v).max() * (1 - 1e-9))[0]])
    return V


def fitted(rows, k):
    """By the peer; numpy's singular values say the same."""
    p = PCA(k, svd_solver="full").fit(rows)
    p.components_ = signed(p.components_)
    s, Vt = np.linalg.svd(rows - rows.mean(axis=0), full_matrices=False)[1:]
    n = p.n_components_
    assert np.allclose(s[:n] ** 2 / (len(rows) - 1), p.explained_variance_, rtol=1e-10)
    assert np.allclose(signed(Vt[:n]), p.components_, atol=1e-7)
    return p


def scores(p, X):
    Z = p.transform(X)
    off = ((X - p.inverse_transform(Z)) ** 2).sum(axis=1)
    return -off, -(Z ** 2 / p.explained_variance_).sum(axis=1), p.score_samples(X)


for way in EVERY_WAY:
    scaled = {**way, "scale": True}
    P, Q, W = patients(**way)[0], patients(**scaled)[0], wines(**scaled)[0]
    weighted = way.get("weighted", False)
    for k in 1, 3, 0.7:
        p = fitted(repeated(P, weighted), k)
        h.of_patients(f"pca {k}", TRANSFORM, p.transform(P), 1e-9, target=None, **way)
    p = fitted(repeated(Q, weighted), 4)
    h.of_patients("standardize | pca 4", TRANSFORM, p.transform(Q), 1e-9, target=None, **way)
    h.of_patients("standardize | pca 4 whiten=yes", TRANSFORM,
                  p.transform(Q) / np.sqrt(p.explained_variance_), 1e-9, target=None, **way)
    for name, score in zip(("error", "distance", "density"), scores(p, Q)):
        h.of_patients(f"standardize | pca 4 score={name}", SCORE, score, 1e-9, target=None, **way)
    for solver in "svd", "covariance", "random", "lanczos":
        p = fitted(repeated(W, weighted), 3)
        h.of_wines(f"standardize | pca 3 solver={solver}", TRANSFORM, p.transform(W), 1e-7,
                   target=None, **way)

W = wines(scale=True)[0]
h.array("wine_variances", fitted(W, 13).explained_variance_,
        "Variances of the components of standardised wines.", 1e-12)
h.array("wine_densities", [PCA(k).fit(W).score(W) for k in range(1, 14)],
        "Mean log-densities under 1, 2 ... components, without that of the scale.", 1e-12)
h.end()
