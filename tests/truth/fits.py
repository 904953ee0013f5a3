"""Fits that several scripts of this folder need, each by its formula."""
from fractions import Fraction

import numpy as np

from truth import with_one


def least(X, y, w, l2=0.0):
    """Weights and intercept of 1/2 sum w (y - b - x'w)^2 + l2 1/2 |w|^2, by QR."""
    mean, at = np.average(X, axis=0, weights=w), np.average(y, axis=0, weights=w)
    s = np.sqrt(w)
    A = np.vstack([(X - mean) * s[:, None], np.sqrt(l2) * np.eye(X.shape[1])])
    t = (y - at) * (s if y.ndim == 1 else s[:, None])
    rhs = np.concatenate([t, np.zeros((X.shape[1],) + y.shape[1:])])
    coef = np.linalg.lstsq(A, rhs, rcond=None)[0]
    return coef, at - mean @ coef


def fitted(X, y, w, l2=0.0):
    coef, b = least(X, y, w, l2)
    return X @ coef + b


def glm(X, y, w, gamma=False, l2=0.0):
    """Coefficients and intercept of sum w (m - y log m) or (y / m + log m), + l2 1/2 |w|^2."""
    A = with_one(X)
    penalty = np.append(np.full(X.shape[1], l2), 0)
    p = np.zeros(A.shape[1])
    p[-1] = np.log(np.average(y, weights=w))
    value = lambda p: (w * ((y * np.exp(-A @ p) + A @ p) if gamma else
                            (np.exp(A @ p) - y * (A @ p)))).sum() + (penalty * p * p).sum() / 2
    for _ in range(200):
        m = np.exp(A @ p)
        g = A.T @ (w * ((1 - y / m) if gamma else (m - y))) + penalty * p
        H = (A * (w * ((y / m) if gamma else m))[:, None]).T @ A + np.diag(penalty)
        step, t = np.linalg.solve(H, g), 1.0
        while t > 1e-9 and value(p - t * step) > value(p):
            t /= 2
        p = p - (step if t <= 1e-9 else t * step)
        if np.abs(step).max() < 1e-13 * max(1, np.abs(p).max()):
            return p
    raise SystemExit("glm: Newton's method has not ended")


def softmax(X, y, w, l2=1.0):
    """Coefficients (k x d, less their mean) and intercepts of all classes; probabilities.  Two
    classes have one score: k = 1."""
    A, k = with_one(X), y.max() + 1
    n, d = A.shape
    if k == 2:
        p = np.zeros(d)
        penalty = np.append(np.full(d - 1, l2), 0)
        for _ in range(200):
            q = 1 / (1 + np.exp(-A @ p))
            g = A.T @ (w * (q - y)) + penalty * p
            H = (A * (w * q * (1 - q))[:, None]).T @ A + np.diag(penalty)
            step = np.linalg.solve(H, g)
            p = p - step
            if np.abs(step).max() < 1e-13 * max(1, np.abs(p).max()):
                q = 1 / (1 + np.exp(-A @ p))
                return p, np.column_stack([1 - q, q]), H
        raise SystemExit("logistic: Newton's method has not ended")
    P, penalty = np.zeros((k, d)), np.append(np.full(d - 1, l2), 0)
    for _ in range(200):
        s = A @ P.T
        q = np.exp(s - s.max(axis=1, keepdims=True))
        q /= q.sum(axis=1, keepdims=True)
        g = (w[:, None] * (q - np.eye(k)[y])).T @ A + penalty * P
        H = np.zeros((k * d, k * d))
        for a in range(k):
            for b in range(k):
                v = w * q[:, a] * ((a == b) - q[:, b])
                H[a * d:(a + 1) * d, b * d:(b + 1) * d] = (A * v[:, None]).T @ A
        H += np.diag(np.tile(penalty, k))
        step = np.linalg.lstsq(H, g.ravel(), rcond=1e-13)[0].reshape(k, d)
        P = P - step
        if np.abs(step).max() < 1e-12 * max(1, np.abs(P).max()):
            break
    else:
        raise SystemExit("logistic: Newton's method has not ended")
    return P - P.mean(axis=0), q, H


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


def scores(P, X):
    """Probabilities that coefficients of softmax() give; one row of them: two classes."""
    s = with_one(X) @ np.atleast_2d(P).T
    if s.shape[1] == 1:
        s = np.column_stack([0 * s, s])
    q = np.exp(s - s.max(axis=1, keepdims=True))
    return q / q.sum(axis=1, keepdims=True)


def nearest(X, asked, k, rational=False):
    """asked x n: 1/k for the k rows of X nearest to each asked row, ties by number."""
    share = np.zeros((len(asked), len(X)))
    lift = (lambda v: Fraction(float(v))) if rational else float
    rows = [[lift(v) for v in row] for row in X]
    for i, row in enumerate(asked):
        at = [lift(v) for v in row]
        if rational:
            d = [sum((a - b) ** 2 for a, b in zip(r, at)) for r in rows]
            order = sorted(range(len(X)), key=lambda j: (d[j], j))
        else:
            order = np.argsort(((X - row) ** 2).sum(axis=1), kind="stable")
        share[i, list(order[:k])] = 1 / k
    return share
