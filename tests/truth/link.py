#!/usr/bin/env python3
"""poisson, gamma and logistic: likelihoods, by Newton's method."""
import numpy as np
import sklearn
from sklearn.linear_model import GammaRegressor, LogisticRegression, PoissonRegressor

from fits import glm, softmax
from truth import (EVERY_WAY, PROBA, VALUE, Header, classes, patients, robust_data, weights, wines,
                   with_one)

h = Header("Generalised linear models.",
           f"Newton's method in numpy {np.__version__}; with l1, and as a second opinion, "
           f"scikit-learn {sklearn.__version__}")


def explained(X, y, w, p, gamma):
    """1 - deviance / deviance of the weighted mean."""
    def deviance(m):
        part = y / m - 1 - np.log(y / m) if gamma else \
            np.where(y > 0, y * np.log(np.where(y > 0, y, 1) / m), 0) - y + m
        return (w * part).sum()
    nothing = deviance(np.full(len(y), np.average(y, weights=w)))
    return 1 - deviance(np.exp(with_one(X) @ p)) / nothing


# ---- poisson and gamma on the table of the tests

X, _, w, counts, sizes = robust_data()
rows = []
for gamma, weighted, words, l2 in [(False, False, "", 0.0), (True, False, "", 0.0),
                                   (False, True, "", 0.0), (True, True, "", 0.0),
                                   (False, False, "l2=4.22", 4.22), (True, True, "l2=8.42", 8.42)]:
    v, y = w if weighted else np.ones(211), sizes if gamma else counts
    p = glm(X, y, v, gamma, l2)
    kind = GammaRegressor if gamma else PoissonRegressor
    m = kind(alpha=l2 / v.sum(), tol=1e-10, max_iter=10000).fit(X, y, sample_weight=v)
    assert np.allclose(m.coef_, p[:-1], atol=1e-5), (m.coef_, p)
    rows.append((gamma, weighted, words, p[:-1], p[-1], explained(X, y, v, p, gamma)))
h.records("glm_truth",
          "bool gamma, weighted; const char *words; double coef[6], intercept, d2;", rows,
          "PoissonRegressor and GammaRegressor (alpha = l2 over the weights' sum) on "
          "robust_data.h; D2 against the weighted mean", 1e-10)

# ---- logistic on iris

X, y = classes("data/iris.csv", "species")
one = np.ones(150)
P, q, _ = softmax(X, y, one)
m = LogisticRegression(C=1, tol=1e-10, multi_class="multinomial", solver="newton-cg",
                       max_iter=10000).fit(X, y)
assert np.allclose(m.coef_, P[:, :-1], atol=1e-5)
h.array("iris_softmax", P, "All species of iris, l2 = 1: coefficients and intercept, less means",
        1e-10)
X2, y2 = X[50:], (y[50:] == 2).astype(int)
p, _, H = softmax(X2, y2, np.ones(100), 0.0)
cost = np.logaddexp(0, -(2 * y2 - 1) * (with_one(X2) @ p)).sum()
h.array("iris_logit", p, "versicolor and virginica without penalty", 1e-8)
h.array("iris_logit_errors", np.sqrt(np.diag(np.linalg.inv(H))), "Wald's standard errors", 1e-8)
h.number("iris_logit_likelihood", -cost, "Log-likelihood", 1e-11)
m = LogisticRegression(penalty="elasticnet", l1_ratio=0.5, C=1, solver="saga", tol=1e-12,
                       max_iter=1000000).fit(X2, y2)
h.array("iris_elastic", m.coef_[0], "penalty='elasticnet', l1_ratio=0.5, C=1, solver='saga'", 1e-5)
virginica = (y == 2).astype(int)
p, _, _ = softmax(X, virginica, np.where(virginica, 150 / 100, 150 / 200))
h.array("iris_balanced", p[:-1], "virginica and the others, class_weight='balanced'", 1e-10)

# ---- real tables

for way in EVERY_WAY:
    Z, y = patients(**way, scale=True)
    _, visits = patients(target="visits")
    w = weights(len(y)) if way.get("weighted") else np.ones(len(y))
    h.of_patients("standardize | poisson", VALUE, np.exp(with_one(Z) @ glm(Z, visits, w)), 1e-9,
                  target="visits", **way)
    h.of_patients("standardize | impute | onehot | gamma 2", VALUE,
                  np.exp(with_one(Z) @ glm(Z, y, w, gamma=True, l2=2.0)), 1e-9, **way)
    Z, y = wines(**way, scale=True)
    _, second = wines(target="second")
    w = weights(len(y)) if way.get("weighted") else np.ones(len(y))
    h.of_wines("standardize | logistic tol=1e-11", PROBA, softmax(Z, y, w)[1], 1e-8, **way)
    h.of_wines("standardize | logistic 0.3 tol=1e-11", PROBA, softmax(Z, second, w, 0.3)[1], 1e-8,
               target="second", **way)
Z, y = wines(weighted=True, scale=True)
w = weights(len(y))
share = np.array([w[y == k].sum() for k in range(3)])
h.of_wines("standardize | logistic class_weight=balanced tol=1e-11", PROBA,
           softmax(Z, y, w * (w.sum() / (3 * share))[y])[1], 1e-8, weighted=True)
h.end()
