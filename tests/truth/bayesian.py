#!/usr/bin/env python3
"""bayes, gauss and fisher."""
import numpy as np
import sklearn
from sklearn.covariance import ledoit_wolf, shrunk_covariance
from sklearn.discriminant_analysis import (LinearDiscriminantAnalysis,
                                           QuadraticDiscriminantAnalysis)
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import BernoulliNB, ComplementNB, GaussianNB, MultinomialNB

from truth import (DECISION, PROBA, TRANSFORM, WINES, Header, classes, no_wines, number, read,
                   weights, wines)

h = Header("Naive Bayes, Gaussian classes, Fisher's directions.",
           f"scikit-learn {sklearn.__version__} and the formulas")


def softmax(f):
    e = np.exp(f - f.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def log_normal(X, y, w, floor):
    """Each column's normal log-density in each class, gaps left out: n x d x k."""
    out = []
    for k in range(y.max() + 1):
        v = np.where(np.isnan(X), 0, w[:, None]) * (y == k)[:, None]
        mean = (v * np.nan_to_num(X)).sum(axis=0) / v.sum(axis=0)
        var = (v * np.nan_to_num(X - mean) ** 2).sum(axis=0) / v.sum(axis=0) + floor
        f = -0.5 * np.log(2 * np.pi * var) - (X - mean) ** 2 / (2 * var)
        out.append(np.where(np.isnan(X), 0, f))
    return np.stack(out, axis=2)


def variance(x, w):
    there = ~np.isnan(x)
    return np.average((x[there] - np.average(x[there], weights=w[there])) ** 2, weights=w[there])


def log_levels(cells, y, w, a):
    """A category's smoothed log-shares in each class, gaps left out: n x k."""
    levels = sorted(set(cells) - {""})
    cells = np.array(cells)
    out = np.zeros((len(y), y.max() + 1))
    for k in range(y.max() + 1):
        there = w[(y == k) & (cells != "")].sum()
        for level in levels:
            share = (w[(y == k) & (cells == level)].sum() + a) / (there + a * len(levels))
            out[cells == level, k] = np.log(share)
    return out


def log_priors(y, w):
    return np.log(np.bincount(y, weights=w) / w.sum())


# ---- bayes: numbers, and categories with gaps

X, y = wines()
n = len(y)
table = read(WINES)
for weighted in (False, True):
    w = weights(n) if weighted else np.ones(n)
    R, t = np.repeat(X, w.astype(int), axis=0), np.repeat(y, w.astype(int))
    m = GaussianNB().fit(R, t)
    h.of_wines("bayes", PROBA, m.predict_proba(X), 1e-9, weighted=weighted)
    shares = np.array([0.2, 0.5, 0.3])
    m = GaussianNB(priors=shares, var_smoothing=1e-4).fit(R, t)
    h.of_wines("bayes model=gaussian priors=0.2,0.5,0.3 var_smoothing=1e-4", PROBA,
               m.predict_proba(X), 1e-9, weighted=weighted)

    Z = np.column_stack([X, number(table["acid"])])
    floor = 1e-9 * max(variance(Z[:, j], w) for j in range(Z.shape[1]))
    f = log_normal(Z, y, w, floor).sum(axis=1)
    for a in (1, 0.25):
        both = f + log_levels(table["shade"], y, w, a)
        h.of_wines(f"bayes {a:g}", PROBA, softmax(both + log_priors(y, w)), 1e-9, mixed=True,
                   weighted=weighted)
    h.of_wines("bayes 0.25 prior=uniform", PROBA, softmax(both), 1e-9, mixed=True,
               weighted=weighted)

# ---- bayes: bits, counts, words

D, digit = classes("data/digits.csv", "digit")
for a in (1, 0.1):
    for t in (0, 7.5):
        m = BernoulliNB(alpha=a, binarize=t).fit(D, digit)
        h.answers(f"bayes {a:g} model=bernoulli threshold={t:g}", "data/digits.csv", "digit", PROBA,
                  m.predict_proba(D), 1e-9, every=211)
    m = MultinomialNB(alpha=a).fit(D, digit)
    h.answers(f"bayes {a:g} model=multinomial", "data/digits.csv", "digit", PROBA,
              m.predict_proba(D), 1e-9, every=211)
    m = ComplementNB(alpha=a).fit(D, digit)
    h.answers(f"bayes {a:g} model=complement prior=uniform", "data/digits.csv", "digit", PROBA,
              m.predict_proba(D), 1e-9, every=211)

texts = read("data/messages.csv")
topics = sorted(set(texts["topic"]))
topic = np.array([topics.index(t) for t in texts["topic"]])
C = CountVectorizer(token_pattern=r"[^\W_]+(?:'[^\W_]+)*").fit_transform(texts["text"])
m = MultinomialNB(alpha=0.5).fit(C, topic)
h.answers("words | bayes 0.5", "data/messages.csv", "topic", PROBA, m.predict_proba(C), 1e-9,
          every=3)
m = BernoulliNB(alpha=0.5).fit(C, topic)
h.answers("words | bayes 0.5 model=bernoulli", "data/messages.csv", "topic", PROBA,
          m.predict_proba(C), 1e-9, every=3)

# ---- gauss


def gaussian(X, y, w, covariance, shrink=0):
    """log P(class) + log N(x; mean, S) of each class."""
    k = y.max() + 1
    means = [np.average(X[y == c], axis=0, weights=w[y == c]) for c in range(k)]
    scatter = [((X[y == c] - means[c]).T * w[y == c]) @ (X[y == c] - means[c]) for c in range(k)]
    out = []
    for c in range(k):
        S = scatter[c] / w[y == c].sum()
        if covariance == "shared":
            S = sum(scatter) / w.sum()
        if covariance == "diagonal":
            S = np.diag(np.diag(S))
        if covariance == "spherical":
            S = np.eye(len(S)) * np.trace(S) / len(S)
        if shrink == "auto":
            rows = (y >= 0) if covariance == "shared" else y == c
            Z = np.repeat((X - np.array(means)[y])[rows], w[rows].astype(int), axis=0)
            S = ledoit_wolf(Z, assume_centered=True)[0]
        elif shrink:
            S = shrunk_covariance(S, shrink)
        Z = np.linalg.solve(np.linalg.cholesky(S), (X - means[c]).T)
        out.append(np.log(w[y == c].sum() / w.sum()) - 0.5 * (Z ** 2).sum(axis=0)
                   - 0.5 * np.linalg.slogdet(S)[1] - 0.5 * len(S) * np.log(2 * np.pi))
    return np.column_stack(out)


for weighted in (False, True):
    w = weights(n) if weighted else np.ones(n)
    R, t = np.repeat(X, w.astype(int), axis=0), np.repeat(y, w.astype(int))
    m = QuadraticDiscriminantAnalysis().fit(R, t)
    h.of_wines("gauss unbiased=yes", PROBA, m.predict_proba(X), 1e-7, weighted=weighted)
    m = LinearDiscriminantAnalysis().fit(R, t)
    h.of_wines("gauss shared unbiased=yes", PROBA, m.predict_proba(X), 1e-7, weighted=weighted)
    m = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.3).fit(R, t)
    h.of_wines("gauss shared shrinkage=0.3", PROBA, m.predict_proba(X), 1e-7, weighted=weighted)
    for covariance in ("full", "shared", "diagonal", "spherical"):
        h.of_wines(f"gauss {covariance}", PROBA, softmax(gaussian(X, y, w, covariance)), 1e-7,
                   weighted=weighted)
    for covariance in ("full", "shared"):
        f = gaussian(X, y, w, covariance, shrink="auto")
        h.of_wines(f"gauss {covariance} shrinkage=auto", PROBA, softmax(f), 1e-7,
                   weighted=weighted)
    f = gaussian(X, y, w, "diagonal", shrink=0.4)
    h.of_wines("gauss diagonal shrinkage=0.4", PROBA, softmax(f), 1e-7, weighted=weighted)

B, sick = classes("data/breast_cancer.csv", "diagnosis")
f = gaussian(B, sick, np.ones(len(sick)), "full", shrink=0.01)
h.answers("gauss shrinkage=0.01", "data/breast_cancer.csv", "diagnosis", DECISION,
          np.column_stack([f[:, 0] - f[:, 1], f[:, 1] - f[:, 0]]), 1e-7, every=61)

# ---- fisher: the largest weight of each direction is positive

for weighted in (False, True):
    w = weights(n) if weighted else np.ones(n)
    m = LinearDiscriminantAnalysis().fit(np.repeat(X, w.astype(int), axis=0),
                                         np.repeat(y, w.astype(int)))
    V = m.scalings_
    signs = np.sign(V[np.abs(V).argmax(axis=0), range(V.shape[1])])
    h.answers("fisher", WINES, "cultivar", TRANSFORM, m.transform(X) * signs, 1e-8, every=11,
              ignore=no_wines(weighted=weighted), weighted=weighted)
    h.answers("fisher 1", WINES, "cultivar", TRANSFORM, (m.transform(X) * signs)[:, :1], 1e-8,
              every=11, ignore=no_wines(weighted=weighted), weighted=weighted)
h.end()
