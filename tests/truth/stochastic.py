#!/usr/bin/env python3
"""The least that sgd can reach: sum loss + 1/2 |w|^2 on standardised tables, for every loss.

Losses with kinks are maxima of affine functions, smoothed by log-sum-exp whose temperature goes to
0; Newton's method throughout.
"""
import numpy as np

from truth import (PATIENTS, WINES, Header, no_patients, no_wines, patients, wines, with_one)

h = Header("Least objectives.", f"Newton's method in numpy {np.__version__}")


def newton(p, at):
    """at(p) -> value, gradient, Hessian of a convex function."""
    value, g, H = at(p)
    for _ in range(500):
        step, t = np.linalg.lstsq(H, g, rcond=None)[0], 1.0
        if g @ step < 1e-13 * max(1, abs(value)):
            break
        while t > 1e-12:
            v, gn, Hn = at(p - t * step)
            if v <= value - 1e-4 * t * (g @ step):
                break
            t /= 2
        else:
            break
        p, value, g, H = p - t * step, v, gn, Hn
    return p


def single(A, loss):
    """loss(f) -> values, slopes, curvatures of all rows."""
    free = np.append(np.ones(A.shape[1] - 1), 0)

    def at(p):
        with np.errstate(over="ignore"):
            v, s, c = loss(A @ p)
        return (v.sum() + (free * p * p).sum() / 2, A.T @ s + free * p,
                (A * c[:, None]).T @ A + np.diag(free))
    return at(newton(np.zeros(A.shape[1]), at))[0]


def largest(B, c, free, low):
    """min over p of sum_i max_j (c_ij + B_ij p) + 1/2 sum free p^2; low 1: of log sum exp."""
    p, mu = np.zeros(B.shape[2]), 1.0 if low == 1 else np.abs(c).max()

    def at(p):
        z = (c + B @ p) / mu
        top = z.max(axis=1, keepdims=True)
        e = np.exp(z - top)
        s = e / e.sum(axis=1, keepdims=True)
        mean = np.einsum("ij,ijp->ip", s, B)
        H = (np.einsum("ij,ijp,ijq->pq", s, B, B) - mean.T @ mean) / mu + np.diag(free)
        value = mu * (top[:, 0] + np.log(e.sum(axis=1))).sum() + (free * p * p).sum() / 2
        return value, mean.sum(axis=0) + free * p, H
    while True:
        p = newton(p, at)
        if mu <= low:
            break
        mu = max(low, mu / 4)
    exact = at(p)[0] if low == 1 else (c + B @ p).max(axis=1).sum() + (free * p * p).sum() / 2
    return exact


def huber(r, d):
    inside = np.abs(r) <= d
    return (np.where(inside, r * r / 2, d * (np.abs(r) - d / 2)), np.clip(r, -d, d),
            inside.astype(float))


Z, y = patients(scale=True)
_, visits = patients(target="visits")
A, free = with_one(Z), np.append(np.ones(Z.shape[1]), 0)
numbers = {
    "squared": single(A, lambda f: ((f - y) ** 2 / 2, f - y, np.ones(len(y)))),
    "huber delta=25": single(A, lambda f: huber(f - y, 25.0)),
}
tall = lambda *rows: (np.stack([k * A for k, _ in rows], axis=1),
                      np.column_stack([b * np.ones(len(y)) if np.isscalar(b) else b
                                       for _, b in rows]))
numbers["absolute"] = largest(*tall((1, -y), (-1, y)), free, 1e-4)
numbers["quantile tau=0.25"] = largest(*tall((-0.25, 0.25 * y), (0.75, -0.75 * y)), free, 1e-4)
numbers["epsilon epsilon=10"] = largest(*tall((1, -y - 10), (-1, y - 10), (0, 0.0)), free, 1e-4)
log = np.where(visits > 0, visits * np.log(np.where(visits > 0, visits, 1)), 0)
counts = {"poisson": single(A, lambda f: (np.exp(f) - visits - visits * f + log, np.exp(f) - visits,
                                          np.exp(f)))}
amounts = {"gamma": single(A, lambda f: (y * np.exp(-f) - 1 + f - np.log(y), 1 - y * np.exp(-f),
                                         y * np.exp(-f)))}

Z, y3 = wines(scale=True)
_, y2 = wines(target="second")
A, t = with_one(Z), 2.0 * y2 - 1
free = np.append(np.ones(Z.shape[1]), 0)
q = lambda m: 1 / (1 + np.exp(m))
two = {
    "logistic": single(A, lambda f: (np.logaddexp(0, -t * f), -t * q(t * f),
                                     q(t * f) * (1 - q(t * f)))),
    "exponential": single(A, lambda f: (np.exp(-t * f), -t * np.exp(-t * f), np.exp(-t * f))),
    "squared_hinge": single(A, lambda f: (np.maximum(0, 1 - t * f) ** 2,
                                          -2 * t * np.maximum(0, 1 - t * f),
                                          2.0 * (t * f < 1))),
    "hinge": largest(np.stack([-t[:, None] * A, 0 * A], axis=1),
                     np.column_stack([np.ones(len(t)), np.zeros(len(t))]), free, 1e-6),
}
n, d = A.shape
frees = np.tile(free, 3)
lead = np.zeros((n, 3, 3 * d))  # f_c - f_y
for i in range(n):
    for c in range(3):
        lead[i, c, c * d:(c + 1) * d] += A[i]
        lead[i, c, y3[i] * d:(y3[i] + 1) * d] -= A[i]
own = np.eye(3)[y3] == 1
three = {"cross_entropy": largest(lead, np.zeros((n, 3)), frees, 1),
         "hinge_max": largest(lead, np.where(own, 0.0, 1.0), frees, 1e-6)}
pairs = lead[~own].reshape(2 * n, 1, 3 * d)
three["hinge_sum"] = largest(np.concatenate([pairs, 0 * pairs], axis=1),
                             np.tile([1.0, 0.0], (2 * n, 1)), frees, 1e-6)

rows = []
for losses, table, target, left in [(numbers, PATIENTS, "progression", no_patients()),
                                    (counts, PATIENTS, "visits", no_patients("visits")),
                                    (amounts, PATIENTS, "progression", no_patients()),
                                    (two, WINES, "second", no_wines("second")),
                                    (three, WINES, "cultivar", no_wines())]:
    rows += [(words, table, target, ",".join(left), least) for words, least in losses.items()]
h.records("sgd_truth", "const char *loss, *table, *target, *ignore; double least;", rows,
          "Least sum loss + 1/2 |w|^2 of a linear score", 1e-6)
h.end()
