#!/usr/bin/env python3
"""bayes, gauss and fisher."""
import numpy as np
import scipy.linalg
import sklearn
from sklearn.covariance import ledoit_wolf
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
    # scikit-learn's floor is a share of the largest variance: of columns of variance 1, of each
    mean, deviation = R.mean(axis=0), R.std(axis=0)
    m = GaussianNB(var_smoothing=1e-4).fit((R - mean) / deviation, t)
    h.of_wines("bayes", PROBA, m.predict_proba((X - mean) / deviation), 1e-9, weighted=weighted)
    shares = np.array([0.2, 0.5, 0.3])
    m = GaussianNB(priors=shares, var_smoothing=1e-2).fit((R - mean) / deviation, t)
    h.of_wines("bayes model=gaussian priors=0.2,0.5,0.3 var_smoothing=1e-2", PROBA,
               m.predict_proba((X - mean) / deviation), 1e-9, weighted=weighted)

    Z = np.column_stack([X, number(table["acid"])])
    floor = 1e-4 * np.array([variance(Z[:, j], w) for j in range(Z.shape[1])])
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


AMOUNTS = [1, 0.95, 0.85, 0.7, 0.5, 0.35, 0.2, 0.1, 0.03, 0.01, 0.001, 0]


def form(S, covariance):
    """A covariance in the shape of the classes'."""
    if covariance == "diagonal":
        return np.diag(np.diag(S))
    return np.eye(len(S)) * np.trace(S) / len(S) if covariance == "spherical" else S


def steady(S, Z, between):
    """The shared covariance of the rows less their means: a floor, Ledoit and Wolf's amount."""
    amount = ledoit_wolf(Z / np.sqrt((Z ** 2).mean(axis=0)), assume_centered=True)[1]
    S = (1 - amount) * S + amount * np.diag(np.diag(S))
    np.fill_diagonal(S, np.maximum(np.diag(S), 1e-4 * (np.diag(S) + between)))
    return S


def share(s, own, mean):
    return s * mean / (s * mean + (1 - s) * own)


def log_gauss(X, mean, S):
    Z = np.linalg.solve(np.linalg.cholesky(S), (X - mean).T)
    return -0.5 * ((Z ** 2).sum(axis=0) + np.linalg.slogdet(S)[1] + len(S) * np.log(2 * np.pi))


def best_amount(R, t, covariance, shared, prior):
    """The amount for which rows are told best without themselves: each is taken out in turn."""
    k, n = t.max() + 1, np.bincount(t)
    means = np.array([R[t == c].mean(axis=0) for c in range(k)])
    scatter = [(R[t == c] - means[c]).T @ (R[t == c] - means[c]) for c in range(k)]
    errors = []
    for s in AMOUNTS:
        r = [share(s, n[c], n.mean()) for c in range(k)]
        S = [(1 - r[c]) * form(scatter[c] / n[c], covariance) + r[c] * shared for c in range(k)]
        F = np.log(prior) + np.column_stack([log_gauss(R, means[c], S[c]) for c in range(k)])
        for i, c in enumerate(t):
            mean = (n[c] * means[c] - R[i]) / (n[c] - 1)
            z = R[i] - means[c]
            left = scatter[c] - np.outer(z, z) * n[c] / (n[c] - 1)
            own = (1 - r[c]) * form(left / n[c], covariance) + r[c] * shared
            F[i, c] = np.log(prior[c]) + log_gauss(R[i:i + 1], mean, own)[0]
        errors.append(((softmax(F) - np.eye(k)[t]) ** 2).sum())
    return AMOUNTS[int(np.argmin(errors))]


def gaussian(X, y, w, covariance, shrink=0):
    """log P(class) + log N(x; mean, S) of each class."""
    k = y.max() + 1
    R, t = np.repeat(X, w.astype(int), axis=0), np.repeat(y, w.astype(int))
    n = np.bincount(t)
    means = np.array([R[t == c].mean(axis=0) for c in range(k)])
    Z = R - means[t]
    S = [form(np.cov(R[t == c].T, ddof=0), covariance) for c in range(k)]
    shared = form(Z.T @ Z / len(R), covariance)
    between = ((means[t] - R.mean(axis=0)) ** 2).mean(axis=0)
    if covariance == "shared":
        full = (steady(shared, Z, between) if shrink == "auto"
                else (1 - shrink) * shared + shrink * np.diag(np.diag(shared)))
        S = [full] * k
    else:
        if shrink == "auto":
            if covariance == "full":
                shared = steady(shared, Z, between)
            shrink = best_amount(R, t, covariance, shared, n / n.sum())
        r = [share(shrink, n[c], n.mean()) for c in range(k)]
        S = [(1 - r[c]) * S[c] + r[c] * shared for c in range(k)]
    return np.column_stack([np.log(n[c] / n.sum()) + log_gauss(X, means[c], S[c])
                            for c in range(k)])


for weighted in (False, True):
    w = weights(n) if weighted else np.ones(n)
    R, t = np.repeat(X, w.astype(int), axis=0), np.repeat(y, w.astype(int))
    m = QuadraticDiscriminantAnalysis().fit(R, t)
    h.of_wines("gauss shrinkage=0 unbiased=yes", PROBA, m.predict_proba(X), 1e-7,
               weighted=weighted)
    m = LinearDiscriminantAnalysis().fit(R, t)
    h.of_wines("gauss shared shrinkage=0 unbiased=yes", PROBA, m.predict_proba(X), 1e-7,
               weighted=weighted)
    for covariance in ("full", "shared", "diagonal", "spherical"):
        for amount in (0, 0.3, "auto"):
            f = gaussian(X, y, w, covariance, shrink=amount)
            named = "" if amount == "auto" else f" shrinkage={amount}"
            h.of_wines(f"gauss {covariance}{named}", PROBA, softmax(f), 1e-7, weighted=weighted)

B, sick = classes("data/breast_cancer.csv", "diagnosis")
for amount in (0.01, "auto"):
    f = gaussian(B, sick, np.ones(len(sick)), "full", shrink=amount)
    h.answers("gauss" if amount == "auto" else f"gauss shrinkage={amount}",
              "data/breast_cancer.csv", "diagnosis", DECISION,
              np.column_stack([f[:, 0] - f[:, 1], f[:, 1] - f[:, 0]]), 1e-7, every=61)

# ---- fisher: the largest weight of each direction is positive

for weighted in (False, True):
    w = weights(n) if weighted else np.ones(n)
    m = LinearDiscriminantAnalysis().fit(np.repeat(X, w.astype(int), axis=0),
                                         np.repeat(y, w.astype(int)))
    V = m.scalings_
    signs = np.sign(V[np.abs(V).argmax(axis=0), range(V.shape[1])])
    directions = m.transform(X) * signs
    h.answers("fisher shrinkage=0", WINES, "cultivar", TRANSFORM, directions, 1e-8, every=11,
              ignore=no_wines(weighted=weighted), weighted=weighted)
    h.answers("fisher 1 shrinkage=0", WINES, "cultivar", TRANSFORM, directions[:, :1], 1e-8,
              every=11, ignore=no_wines(weighted=weighted), weighted=weighted)

    R, t = np.repeat(X, w.astype(int), axis=0), np.repeat(y, w.astype(int))
    means = np.array([R[t == c].mean(axis=0) for c in range(3)])
    between, Z = means[t] - R.mean(axis=0), R - means[t]
    S = steady(Z.T @ Z / (len(R) - 3), Z, (between ** 2).sum(axis=0) / (len(R) - 3))
    value, V = scipy.linalg.eigh(between.T @ between, S)
    V = V[:, :-3:-1]
    V *= np.sign(V[np.abs(V).argmax(axis=0), range(2)])
    h.answers("fisher", WINES, "cultivar", TRANSFORM, (X - R.mean(axis=0)) @ V, 1e-8, every=11,
              ignore=no_wines(weighted=weighted), weighted=weighted)
h.end()
