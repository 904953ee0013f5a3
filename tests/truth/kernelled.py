#!/usr/bin/env python3
"""krr, klogistic, kperceptron, nystrom and fourier."""
import numpy as np
import scipy
import sklearn
from scipy.optimize import minimize
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import laplacian_kernel, polynomial_kernel, rbf_kernel

from truth import (DECISION, EVERY_WAY, PROBA, VALUE, Header, classes, numbers, patients, weights,
                   wines)

h = Header("Learners in the feature space of a kernel.",
           f"scikit-learn {sklearn.__version__} (KernelRidge and kernels), scipy "
           f"{scipy.__version__}, and the kernel perceptron's own steps")


# ---- krr: without an intercept scikit-learn's own, with one the bordered system

def with_intercept(K, y, w, l2):
    n = len(y)
    A = np.block([[K + l2 * np.diag(1 / w), np.ones((n, 1))], [np.ones((1, n)), np.zeros((1, 1))]])
    a = np.linalg.solve(A, np.append(y, 0))
    return K @ a[:n] + a[n]


for way in EVERY_WAY:
    Z, y = patients(**way, scale=True)
    w = weights(len(y)) if way.get("weighted") else np.ones(len(y))
    model = KernelRidge(alpha=2.5, kernel="rbf", gamma=0.03).fit(Z, y, sample_weight=w)
    h.of_patients("standardize | krr 2.5 kernel=rbf(gamma=0.03) fit_intercept=no", VALUE,
                  model.predict(Z), 1e-8, **way)
    h.of_patients("standardize | krr 0.7 kernel=laplacian(gamma=0.05)", VALUE,
                  with_intercept(laplacian_kernel(Z, gamma=0.05), y, w, 0.7), 1e-8, **way)
    # with all rows as landmarks the features' products are the kernel
    K = rbf_kernel(Z, gamma=0.02)
    h.of_patients("standardize | nystrom 1000 kernel=rbf(gamma=0.02) | ridge 2", VALUE,
                  with_intercept(K, y, w, 2), 1e-6, **way)
    # 4000 frequencies: values of the kernel off by 0.01, answers of 150 by less than 6
    h.of_patients("standardize | fourier 4000 kernel=rbf(gamma=0.02) | ridge 20", VALUE,
                  with_intercept(K, y, w, 20), 0.04, **way)
X, y = numbers("data/diabetes.csv", "progression")
K = polynomial_kernel((X - X.mean(0)) / X.std(0), degree=2, gamma=0.1, coef0=1)
h.answers("standardize | krr 3 kernel=poly(degree=2,gamma=0.1,coef0=1)", "data/diabetes.csv",
          "progression", VALUE, with_intercept(K, y, np.ones(len(y)), 3), 1e-8)


# ---- klogistic: the loss and its derivatives in the coordinates of K's eigenvectors

def klogistic(K, y, w, l2):
    """Probabilities of all rows, by minimising over weights of U sqrt(s), K = U s U'."""
    s, U = np.linalg.eigh(K)
    kept = s > 1e-13 * s[-1]
    F = U[:, kept] * np.sqrt(s[kept])
    n, d, k = len(y), kept.sum(), y.max() + 1
    Y = np.eye(k)[y]
    q = k

    def proba(v):
        V = v.reshape(q, d + 1)
        f = F @ V[:, :d].T + V[:, d]
        if k == 2:  # one score: class 1's, and 0
            f = np.column_stack([np.zeros(n), f[:, 0]])
        f -= f.max(axis=1, keepdims=True)
        e = np.exp(f)
        return e / e.sum(axis=1, keepdims=True)

    def value(v):
        P, V = proba(v), v.reshape(q, d + 1)
        R = w[:, None] * (P - Y)
        if k == 2:
            R = R[:, 1:]
        G = np.column_stack([R.T @ F + l2 * V[:, :d], R.sum(axis=0)])
        return -(w * np.log(P[np.arange(n), y])).sum() + l2 / 2 * (V[:, :d] ** 2).sum(), G.ravel()

    if k == 2:
        q = 1
    v = np.zeros(q * (d + 1))
    for _ in range(3):
        v = minimize(value, v, jac=True, method="L-BFGS-B",
                     options={"maxiter": 20000, "maxfun": 40000, "ftol": 1e-16, "gtol": 1e-10}).x
    return proba(v)


for way in EVERY_WAY:
    Z, y = wines(**way, scale=True)
    _, second = wines(target="second")
    w = weights(len(y)) if way.get("weighted") else np.ones(len(y))
    K = rbf_kernel(Z, gamma=0.05)
    h.of_wines("standardize | klogistic 0.5 kernel=rbf(gamma=0.05) tol=1e-9", PROBA,
               klogistic(K, y, w, 0.5), 1e-6, **way)
    h.of_wines("standardize | klogistic 2 kernel=rbf(gamma=0.05) tol=1e-9", PROBA,
               klogistic(K, second, w, 2), 1e-6, target="second", **way)


# ---- kperceptron: one score for two classes, one a class for more, ties are mistakes

def kperceptron(K, y, w, passes, average=False, budget=None):
    k, n = y.max() + 1, len(y)
    q = 1 if k == 2 else k
    a, b = np.zeros((q, n)), np.zeros(q)
    total, total_b, rows = np.zeros((q, n)), np.zeros(q), 0.0
    touched, count = {}, 0
    for _ in range(passes):
        wrong = 0
        for i in range(n):
            f = a @ K[:, i] + b
            if k == 2:
                changes = [(0, 1 if y[i] else -1)] if (1 if y[i] else -1) * f[0] <= 0 else []
            else:
                rival = max((c for c in range(k) if c != y[i]), key=lambda c: (f[c], -c))
                changes = [(y[i], 1), (rival, -1)] if f[y[i]] - f[rival] <= 0 else []
            for c, sign in changes:
                a[c, i] += w[i] * sign
                b[c] += w[i] * sign
            if changes:
                wrong += 1
                count += 1
                touched[i] = count
                if budget and len(touched) > budget:
                    j = min((t for t in touched if t != i), key=lambda t: touched[t])
                    del touched[j]
                    a[:, j] = 0
            total += w[i] * a
            total_b += w[i] * b
            rows += w[i]
        if wrong == 0:
            break
    if average:
        a, b = total / rows, total_b / rows
    s = (a @ K).T + b
    return np.column_stack([-s, s]) if k == 2 else s


for way in EVERY_WAY:
    Z, y = wines(**way, scale=True)
    _, second = wines(target="second")
    w = weights(len(y)) if way.get("weighted") else np.ones(len(y))
    K = rbf_kernel(Z, gamma=0.05)
    h.of_wines("standardize | kperceptron plain kernel=rbf(gamma=0.05)", DECISION,
               kperceptron(K, y, w, 100), 1e-9, **way)
    h.of_wines("standardize | kperceptron kernel=rbf(gamma=0.05) max_iter=9 shuffle=no", DECISION,
               kperceptron(K, second, w, 9, average=True), 1e-9, target="second", **way)
    h.of_wines("standardize | kperceptron plain kernel=rbf(gamma=0.05) budget=9 forget=oldest "
               "shuffle=no max_iter=3", DECISION, kperceptron(K, y, w, 3, budget=9), 1e-9, **way)
X, y = classes("data/iris.csv", "species")
h.answers("kperceptron plain kernel=linear max_iter=20", "data/iris.csv", "species", DECISION,
          kperceptron(X @ X.T, y, np.ones(150), 20), 1e-9)

h.end()
