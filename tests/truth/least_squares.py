#!/usr/bin/env python3
"""linear, ridge, lasso, elastic and subset on real tables."""
import itertools

import numpy as np
import sklearn
from sklearn.linear_model import ElasticNet, Lasso

from fits import fitted, least
from truth import (DECISION, EVERY_WAY, VALUE, Header, classes, numbers, patients, scaled, weights)

h = Header("Least squares, with and without penalties.",
           f"QR of numpy {np.__version__}; lasso and elastic by scikit-learn "
           f"{sklearn.__version__}")


def left_out(X, y, w, l2):
    """Mean squared error of each row by a fit without it."""
    error = 0
    for i in range(len(y)):
        rest = np.arange(len(y)) != i
        coef, b = least(X[rest], y[rest], w[rest], l2)
        error += w[i] * (y[i] - X[i] @ coef - b) ** 2
    return error / w.sum()


def rss_of(X, y, w, chosen):
    return (w * (y - fitted(X[:, chosen], y, w)) ** 2).sum() if chosen else \
        (w * (y - np.average(y, weights=w)) ** 2).sum()


# ---- linear and ridge

for way in EVERY_WAY:
    X, y = patients(**way)
    w = weights(len(y)) if way.get("weighted") else np.ones(len(y))
    h.of_patients("linear", VALUE, fitted(X, y, w), 1e-10, **way)
    h.of_patients("ridge 20", VALUE, fitted(X, y, w, 20), 1e-10, **way)
    h.of_patients("standardize | ridge 5", VALUE, fitted(patients(**way, scale=True)[0], y, w, 5),
                  1e-10, **way)

X, y = classes("data/iris.csv", "species")
three = least(X, np.eye(3)[y], np.ones(150))
two = least(X[50:], 2.0 * y[50:] - 3, np.ones(100))
h.answers("linear", "data/iris.csv", "species", DECISION, X @ three[0] + three[1], 1e-10)
h.array("iris_three", np.column_stack([three[1], three[0].T]),
        "Intercept and coefficients of a column of 0 and 1 for each species", 1e-12)
h.array("iris_two", np.append(two[1], two[0]), "versicolor -1, virginica 1, alone", 1e-12)
h.number("iris_three_right", ((X @ three[0] + three[1]).argmax(axis=1) == y).sum(),
         "Rows of iris that three planes have right", 0)
h.number("iris_two_right", ((X[50:] @ two[0] + two[1] > 0) == (y[50:] == 2)).sum(),
         "Rows of the two species that one plane has right", 0)

X, y = patients()
w = np.ones(len(y))
tried = [1.0, 30.0, 1000.0]
loo = [left_out(scaled(X), y, w, l2) for l2 in tried]
best = tried[int(np.argmin(loo))]
h.of_patients("standardize | ridge 1,30,1000", VALUE, fitted(scaled(X), y, w, best), 1e-10)
h.array("ridge_left_out", loo, "Mean squared leave-one-out errors of ridge 1, 30, 1000 on "
        "standardised patients, by as many fits as rows", 1e-10)

# ---- lasso and elastic


def net(X, y, w, l1, l2=0.0):
    total = w.sum()
    kind = Lasso(alpha=l1 / total, tol=1e-14, max_iter=1000000) if l2 == 0 else \
        ElasticNet(alpha=(l1 + l2) / total, l1_ratio=l1 / (l1 + l2), tol=1e-14, max_iter=1000000)
    return kind.fit(X, y, sample_weight=w)


rows = []
D, t = numbers("data/diabetes.csv", "progression")
for words, weighted, l1, l2 in [("lasso 1000", False, 1000, 0), ("lasso 10000", False, 10000, 0),
                                ("elastic l1=800 l2=500", False, 800, 500),
                                ("lasso 1000", True, 1000, 0)]:
    m = net(D, t, weights(len(t)) if weighted else np.ones(len(t)), l1, l2)
    rows.append((words, weighted, m.intercept_, m.coef_))
h.records("diabetes_nets", "const char *sentence; bool weighted; double intercept, coef[10];", rows,
          "Lasso(alpha=l1/n, tol=1e-14), ElasticNet(alpha=(l1+l2)/n, l1_ratio=l1/(l1+l2)) on "
          "diabetes; weighted: 1, 2, 3, 1 ...", 1e-6)
for way in EVERY_WAY:
    Z, y = patients(**way, scale=True)
    w = weights(len(y)) if way.get("weighted") else np.ones(len(y))
    h.of_patients("standardize | lasso 300", VALUE, net(Z, y, w, 300).predict(Z), 1e-7, **way)
    h.of_patients("standardize | elastic l1=200 l2=50", VALUE, net(Z, y, w, 200, 50).predict(Z),
                  1e-7, **way)

# ---- subset: all subsets of ten features

for weighted in (False, True):
    X, y = patients()
    w = weights(len(y)) if weighted else np.ones(len(y))
    W, best = w.sum(), []
    for k in range(11):
        best.append(min((rss_of(X, y, w, list(c)), list(c))
                        for c in itertools.combinations(range(10), k)))
    bic = [W * np.log(r / W) + np.log(W) * (k + 1) for k, (r, _) in enumerate(best)]
    chosen = best[int(np.argmin(bic))][1]
    h.of_patients("subset", VALUE, fitted(X[:, chosen], y, w), 1e-9, weighted=weighted)
    h.of_patients("subset 3", VALUE, fitted(X[:, best[3][1]], y, w), 1e-9, weighted=weighted)
h.end()
