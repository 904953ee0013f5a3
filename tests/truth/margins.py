#!/usr/bin/env python3
"""perceptron, svm and sgd."""
import numpy as np
import scipy
import sklearn
from scipy.optimize import minimize
from sklearn.svm import SVC, LinearSVC

from truth import (DECISION, EVERY_WAY, VALUE, Header, classes, patients, weights, wines, with_one)

h = Header("Classifiers that know scores alone.",
           f"scikit-learn {sklearn.__version__} (LIBSVM, LIBLINEAR), scipy {scipy.__version__}, "
           f"and the perceptron's own steps")


# ---- perceptron: one score for two classes, one a class for more, ties are mistakes

def perceptron(X, y, w, passes, margin=0.0, average=False):
    A, k = with_one(X), y.max() + 1
    W = np.zeros((1 if k == 2 else k, A.shape[1]))
    total, rows = np.zeros_like(W), 0.0
    for _ in range(passes):
        wrong = 0
        for i, a in enumerate(A):
            f = W @ a
            if k == 2:
                sign = 1 if y[i] else -1
                if sign * f[0] <= margin:
                    W[0] += w[i] * sign * a
                    wrong += 1
            else:
                others = [c for c in range(k) if c != y[i]]
                rival = max(others, key=lambda c: (f[c], -c))
                if f[y[i]] - f[rival] <= margin:
                    W[y[i]] += w[i] * a
                    W[rival] -= w[i] * a
                    wrong += 1
            total += w[i] * W
            rows += w[i]
        if wrong == 0:
            break
    W = total / rows if average else W
    s = A @ W.T
    return np.column_stack([-s, s]) if k == 2 else s


for way in EVERY_WAY:
    Z, y = wines(**way, scale=True)
    _, second = wines(target="second")
    w = weights(len(y)) if way.get("weighted") else np.ones(len(y))
    h.of_wines("standardize | perceptron plain", DECISION, perceptron(Z, y, w, 100), 1e-9, **way)
    h.of_wines("standardize | perceptron averaged max_iter=9 shuffle=no", DECISION,
               perceptron(Z, second, w, 9, average=True), 1e-9, target="second", **way)
X, y = classes("data/iris.csv", "species")
h.answers("perceptron plain max_iter=20", "data/iris.csv", "species", DECISION,
          perceptron(X, y, np.ones(150), 20), 1e-9)
h.answers("perceptron variant=margin margin=2.5 max_iter=20", "data/iris.csv", "species", DECISION,
          perceptron(X, y, np.ones(150), 20, margin=2.5), 1e-9)


# ---- svm

def polished(A, t, w, C, p, alpha):
    """Exact solution of the hinge problem with SVC's sets of rows: those on the margin give the
    equations of w, b and their multipliers."""
    n, d = A.shape
    free = (alpha > 1e-7 * C * w) & (alpha < (1 - 1e-7) * C * w)
    full = alpha >= (1 - 1e-7) * C * w
    F, m = np.where(free)[0], free.sum()
    # unknown: alpha of the free rows, b.  w = sum alpha t x
    base = (w[full] * C * t[full]) @ A[full]
    K = A[F] @ A[F].T * t[F]
    M = np.block([[K, np.ones((m, 1))], [t[F][None], np.zeros((1, 1))]])
    rhs = np.append(t[F] - A[F] @ base, -(w[full] * C * t[full]).sum())
    z = np.linalg.solve(M, rhs)
    coef = base + (z[:m] * t[F]) @ A[F]
    return coef, z[m]


def hinge(X, t, w, C):
    m = SVC(kernel="linear", C=C, tol=1e-12).fit(X, t, sample_weight=w)
    alpha = np.zeros(len(t))
    alpha[m.support_] = np.abs(m.dual_coef_[0])
    coef, b = polished(X, t, w, C, None, alpha)
    assert np.allclose(coef, m.coef_[0], atol=1e-5) and abs(b - m.intercept_[0]) < 1e-5
    value = (coef @ coef) / 2 + C * (w * np.maximum(0, 1 - t * (X @ coef + b))).sum()
    return coef, b, value / C, len(m.support_)


def squared(X, t, w, C, intercept=True):
    """1/2 |w|^2 / C + sum w max(0, 1 - t f)^2: Newton."""
    A = with_one(X) if intercept else X
    penalty = np.append(np.ones(X.shape[1]), [0] * intercept) / C
    p = np.zeros(A.shape[1])
    for _ in range(100):
        r = np.maximum(0, 1 - t * (A @ p))
        g = penalty * p - 2 * A.T @ (w * t * r)
        H = np.diag(penalty) + 2 * (A * (w * (r > 0))[:, None]).T @ A
        step = np.linalg.solve(H, g)
        p = p - step
        if np.abs(step).max() < 1e-14:
            break
    value = (penalty * p * p).sum() / 2 + (w * np.maximum(0, 1 - t * (A @ p)) ** 2).sum()
    return p[:X.shape[1]], p[-1] if intercept else 0.0, value


def rows_by_formula():
    i, j = np.arange(60)[:, None], np.arange(3)[None]
    X = np.sin(1.3 * i + 2.1 * j) + 0.3 * np.cos(0.7 * i * (j + 1))
    z = X @ [1, -2, 0.5] + 0.4 * np.sin(5.1 * np.arange(60))
    return X, np.where(z > 0.2, 1.0, -1.0), np.where(z > 0.9, 2, np.where(z > -0.5, 1, 0))


def many(X, y, sum_of, intercept):
    """The quadratic program of many classes in one: |W|^2 / 2 + slacks, by SLSQP."""
    n, d = X.shape
    k, A = 3, with_one(X) if intercept else X
    e = A.shape[1]
    slacks = n * (k - 1) if sum_of else n
    other = [[c for c in range(k) if c != y[i]] for i in range(n)]
    rows, need = [], []
    for i in range(n):
        for a, c in enumerate(other[i]):
            row = np.zeros(k * e + slacks)
            row[y[i] * e:(y[i] + 1) * e] = A[i]
            row[c * e:(c + 1) * e] = -A[i]
            row[k * e + (i * (k - 1) + a if sum_of else i)] = 1
            rows.append(row)
            need.append(1.0)
    G, need = np.array(rows), np.array(need)
    size = np.zeros(k * e + slacks)
    for c in range(k):
        size[c * e:c * e + d] = 1
    cost = np.append(np.zeros(k * e), np.ones(slacks))
    start = np.append(np.zeros(k * e), np.ones(slacks))
    r = minimize(lambda v: (size * v * v).sum() / 2 + cost @ v, start,
                 jac=lambda v: size * v + cost, method="SLSQP",
                 bounds=[(None, None)] * (k * e) + [(0, None)] * slacks,
                 constraints={"type": "ineq", "fun": lambda v: G @ v - need, "jac": lambda v: G},
                 options={"ftol": 1e-15, "maxiter": 2000})
    W = r.x[:k * e].reshape(k, e)
    return r.fun, W[0, 0], W[1, 1], W[2, 2]


X, t, y = rows_by_formula()
one = np.ones(60)
rows = []
for words, C in [("C=0.3 tol=1e-12", 0.3), ("C=10 tol=1e-12", 10), ("l2=0.1 tol=1e-12", 10)]:
    coef, b, value, support = hinge(X, t, one, C)
    rows.append((words, coef, b, value, support))
n = {s: (t == s).sum() for s in (-1, 1)}
even = np.where(t > 0, 30 / n[1], 30 / n[-1])
coef, b, value, support = hinge(X, t, even, 1)
rows.append(("class_weight=balanced tol=1e-12", coef, b, value, support))
for words, intercept in [("C=2 loss=squared_hinge solver=dual tol=1e-14", True),
                         ("C=2 loss=squared_hinge solver=primal tol=1e-9", True),
                         ("C=2 loss=squared_hinge tol=1e-9", True),
                         ("C=2 loss=squared_hinge solver=dual fit_intercept=no tol=1e-14", False),
                         ("C=2 loss=squared_hinge solver=primal fit_intercept=no tol=1e-9", False)]:
    coef, b, value = squared(X, t, one, 2.0, intercept)
    if not intercept:
        m = LinearSVC(C=2, fit_intercept=False, tol=1e-12, max_iter=1000000).fit(X, t)
        assert np.allclose(m.coef_[0], coef, atol=1e-6)
    rows.append((words, coef, b, value, 0))
h.records("svm_truth", "const char *words; double coef[3], intercept, objective, n_support;", rows,
          "SVC(kernel='linear'), and Newton for the squared hinge, on the rows of test_svm.c; "
          "support 0: not compared", 1e-9)
rows = [(words + " fit_intercept=no" * (not b), *many(X, y, words == "multi=sum", b))
        for words in ("multi=max", "multi=sum") for b in (False, True)]
h.records("svm_many_truth", "const char *words; double objective, w0, w4, w8;", rows,
          "The quadratic programs of three classes, by SLSQP", 1e-6)

for way in EVERY_WAY:
    Z, y = wines(**way, scale=True)
    _, second = wines(target="second")
    w = weights(len(y)) if way.get("weighted") else np.ones(len(y))
    two = hinge(Z, 2.0 * second - 1, w, 0.1)
    s = Z @ two[0] + two[1]
    h.of_wines("standardize | svm 0.1 tol=1e-13 max_iter=1000000", DECISION,
               np.column_stack([-s, s]), 1e-6, target="second", **way)
    s = [squared(Z, np.where(y == k, 1.0, -1.0), w, 0.5) for k in range(3)]
    h.of_wines("standardize | svm 0.5 loss=squared_hinge tol=1e-12", DECISION,
               np.column_stack([Z @ c + b for c, b, _ in s]), 1e-8, **way)

# ---- sgd: the optimum that it must come near

Z, y = patients(scale=True)
A, n = with_one(Z), len(y)
ridge = np.linalg.solve(A.T @ A + 5 * np.diag([1.0] * 10 + [0.0]), A.T @ y)
h.of_patients("standardize | sgd squared l2=5 average=yes passes=400 tol=0", VALUE, A @ ridge, 0.03,
              by=1e-8)
h.end()
