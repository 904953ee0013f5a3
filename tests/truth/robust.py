#!/usr/bin/env python3
"""huber, lad and quantile."""
import numpy as np
import scipy
import sklearn
from scipy.optimize import linprog
from sklearn.linear_model import HuberRegressor, QuantileRegressor

from truth import EVERY_WAY, VALUE, Header, patients, robust_data, weights, with_one

h = Header("Robust regression.", f"scikit-learn {sklearn.__version__}, polished by Newton's method "
           f"in numpy {np.__version__}; linear programs by scipy {scipy.__version__} (HiGHS)")


def huber(X, y, w, epsilon, l2):
    """Coefficients, intercept, scale, where the gradient of huber's objective is 0."""
    m = HuberRegressor(epsilon=epsilon, alpha=l2, tol=1e-10, max_iter=100000)
    m.fit(X, y, sample_weight=w)
    p = np.concatenate([m.coef_, [m.intercept_, m.scale_]])
    A, penalty = with_one(X), np.append(np.full(X.shape[1], l2), 0)
    for _ in range(100):
        beta, s = p[:-1], p[-1]
        z = (y - A @ beta) / s
        inside = np.abs(z) <= epsilon
        g = np.append(-A.T @ (w * np.clip(z, -epsilon, epsilon)) + penalty * beta,
                      (w * (1 - np.minimum(z ** 2, epsilon ** 2))).sum() / 2)
        B = np.column_stack([A, z])[inside]
        H = (B * w[inside, None]).T @ B / s + np.diag(np.append(penalty, 0))
        step = np.linalg.solve(H, g)
        p = p - step
        if np.abs(step).max() < 1e-12 * np.abs(p).max():
            return p
    raise SystemExit("huber: Newton's method has not ended")


def quantile(X, y, w, q, l1=0.0):
    """Coefficients and intercept of a least sum w rho(y - b - x'w) + l1 |w|_1, and that sum."""
    n, d = X.shape
    A = np.hstack([X, -X, np.ones((n, 1)), np.eye(n), -np.eye(n)])
    cost = np.concatenate([np.full(2 * d, l1), [0], w * q, w * (1 - q)])
    bounds = [(0, None)] * (2 * d) + [(None, None)] + [(0, None)] * (2 * n)
    r = linprog(cost, A_eq=A, b_eq=y, bounds=bounds, method="highs-ds")
    return np.append(r.x[:d] - r.x[d:2 * d], r.x[2 * d]), r.fun


X, y, w, _, _ = robust_data()
rows = []
for words, epsilon, l2 in [("epsilon=1.35 l2=1e-4", 1.35, 1e-4), ("epsilon=1.1 l2=5", 1.1, 5.0),
                           ("epsilon=2 l2=0", 2.0, 0.0)]:
    for weighted in (False, True):
        p = huber(X, y, w if weighted else np.ones(211), epsilon, l2)
        rows.append((words, weighted, p[:6], p[6], p[7]))
h.records("huber_truth", "const char *words; bool weighted; double coef[6], intercept, sigma;",
          rows, "HuberRegressor(epsilon, alpha=l2) on robust_data.h: coef_, intercept_, "
          "scale_", 1e-9)

rows = []
for q, l1, weighted in [(0.5, 0, False), (0.5, 0, True), (0.1, 0, False), (0.1, 0, True),
                        (0.83, 0, False), (0.83, 0, True), (0.5, 10.55, False),
                        (0.1, 10.55, False), (0.83, 10.55, False)]:
    v = w if weighted else np.ones(211)
    p, least = quantile(X, y, v, q, l1)
    if not weighted:
        m = QuantileRegressor(quantile=q, alpha=l1 / 211, solver="highs").fit(X, y)
        r = y - m.predict(X)
        theirs = (v * np.where(r > 0, q * r, (q - 1) * r)).sum() + l1 * np.abs(m.coef_).sum()
        assert abs(theirs - least) < 1e-9 * least, (theirs, least)
    rows.append((f"q={q:g}" + (f" l1={l1:g}" if l1 else ""), weighted, least))
h.records("quantile_truth", "const char *words; bool weighted; double objective;", rows,
          "Least sum w rho(y - b - x'w) + l1 |w|_1 on robust_data.h", 1e-10)

for way in EVERY_WAY:
    X, y = patients(**way)
    Z, _ = patients(**way, scale=True)
    w = weights(len(y)) if way.get("weighted") else np.ones(len(y))
    p = huber(Z, y, w, 1.35, 0.0)
    h.of_patients("standardize | huber tol=1e-12", VALUE, with_one(Z) @ p[:-1], 1e-8, **way)
    h.of_patients("lad", VALUE, with_one(X) @ quantile(X, y, w, 0.5)[0], 1e-8, **way)
    h.of_patients("quantile 0.9", VALUE, with_one(X) @ quantile(X, y, w, 0.9)[0], 1e-8, **way)
Z, y = patients(scale=True)
p = quantile(Z, y, np.ones(len(y)), 0.25, 20)[0]
h.of_patients("standardize | quantile 0.25 l1=20", VALUE, with_one(Z) @ p, 1e-8)
h.end()
