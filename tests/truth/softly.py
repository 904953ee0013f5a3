#!/usr/bin/env python3
"""softkmeans: what rows come to under the best of many minima of the energy, by gradients of it
(scipy), with weights and beside categories and gaps."""
import numpy as np
import scipy
from scipy.optimize import minimize
from scipy.special import logsumexp

from truth import EVERY_WAY, Header, weights, wines

SCORE, PROBA = "SMR_OUTPUT_SCORE", "SMR_OUTPUT_PROBA"
h = Header("Soft k-means.", f"scipy {scipy.__version__}, numpy {np.__version__}")


def exponents(X, centres, beta):
    return -beta * ((X[:, None, :] - centres) ** 2).sum(2)


def energy(flat, X, w, k, beta):
    centres = flat.reshape(k, -1)
    l = exponents(X, centres, beta)
    top = logsumexp(l, axis=1)
    r = w[:, None] * np.exp(l - top[:, None])
    slope = 2 * (r.sum(0)[:, None] * centres - r.T @ X)
    return -(w @ top) / beta, slope.ravel()


def best(X, w, k, beta, starts=16):
    """Newton-like steps from rows that are drawn, then (2) of the method until nothing moves."""
    fits = []
    for seed in range(starts):
        rows = np.random.default_rng(seed).permutation(len(X))[:k]
        found = minimize(energy, X[rows].ravel(), (X, w, k, beta), "L-BFGS-B", jac=True,
                         options={"maxiter": 20000, "ftol": 1e-15, "gtol": 1e-9})
        fits.append((found.fun, found.x))
    centres = min(fits, key=lambda f: f[0])[1].reshape(k, -1)
    for _ in range(3000):
        l = exponents(X, centres, beta)
        r = w[:, None] * np.exp(l - logsumexp(l, axis=1)[:, None])
        centres = (r.T @ X) / r.sum(0)[:, None]
    return centres


for way in EVERY_WAY:
    X = wines(**way)[0]
    w = np.asarray(weights(len(X)), float) if way.get("weighted") else np.ones(len(X))
    scale = 1 / X.var(0).sum()
    for times, k in ((4.0, 2), (20.0, 3)):
        beta = float(f"{times * scale:.3g}")
        l = exponents(X, best(X, w, k, beta), beta)
        h.of_wines(f"softkmeans {k} beta={beta:g} tol=0 max_iter=5000", SCORE,
                   logsumexp(l, axis=1) / beta, 1e-7, target=None, **way)
h.end()
