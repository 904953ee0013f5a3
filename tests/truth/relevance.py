#!/usr/bin/env python3
"""Columns against a target, of values that a test makes again: ties, gaps, infinities, -0."""
import numpy as np
import scipy
from scipy import stats

from truth import Header

h = Header("Columns against a target.", f"scipy {scipy.__version__}, numpy {np.__version__}")

N, BINS = 5003, 10
i = np.arange(N, dtype=np.int64)

# The same expressions as in test_relevance.c, whose every operation rounds once.
hundredths = (i * 7919 % 1009) / 100 - 3
roots = np.sqrt((i * 6007 % 10007).astype(float)) - 50
gappy = np.where(i % 7 == 3, np.nan, np.sqrt((i * 31 % 977).astype(float)))
endless = np.where(i % 501 == 5, np.inf, np.where(i % 499 == 7, -np.inf, roots))
few = ((i * 17 % 5) - 2) * np.where(i % 2 == 0, 1.0, -1.0)
far = np.where(i == 77, -1e30, 1e9 + (i * 104729 % 100003) / 1000)
columns = [hundredths, roots, gappy, endless, few, far]
y = np.sqrt((i * 104729 % 10009).astype(float)) + 5 * hundredths + np.round(roots)
label = (hundredths > 2).astype(int) + (i % 3 == 0) * (roots > 10)


def bins_of(v):
    """Bins of equal weight; equal values go where their middle is."""
    rank = stats.rankdata(v) - 0.5
    return np.minimum(np.floor(BINS * rank / len(v)), BINS - 1).astype(int)


def entropy(counts):
    p = np.asarray(counts, float).ravel()
    p = p[p > 0] / p.sum()
    return -(p * np.log2(p)).sum()


def table_of(a, b):
    t = np.zeros((a.max() + 1, b.max() + 1))
    np.add.at(t, (a, b), 1)
    return t


def told(a, b):
    t = table_of(a, b)
    return entropy(t.sum(0)) + entropy(t.sum(1)) - entropy(t)


def best_gain(v, c):
    """Of all cuts between two values, in natural order."""
    order = np.argsort(v, kind="stable")
    left = np.cumsum(np.eye(c.max() + 1)[c[order]], axis=0)
    best = 0
    for cut in np.flatnonzero(np.diff(v[order]) > 0):
        parts = np.array([left[cut], left[-1] - left[cut]])
        mixed = (parts.sum(1) / len(v) * [entropy(p) for p in parts]).sum()
        best = max(best, entropy(left[-1]) - mixed)
    return best


numbers, classes, sums = [], [], []
for x in columns:
    there = np.isfinite(x)
    v, b = x[there], bins_of(x[there])
    yb = bins_of(y)[there]
    groups = [y[there][b == k] for k in np.unique(b)]
    between = sum(len(g) * (g.mean() - y[there].mean()) ** 2 for g in groups)
    eta2 = between / ((y[there] - y[there].mean()) ** 2).sum()
    numbers.append((there.sum(), stats.pearsonr(v, y[there])[0], stats.spearmanr(v, y[there])[0],
                    told(b, yb), eta2))
    c = label[there]
    f, p = stats.f_oneway(*[v[c == k] for k in range(3)])
    classes.append((told(b, c), best_gain(v, c), f))
    v = x[~np.isnan(x)] + 0.0
    with np.errstate(invalid="ignore"):
        moments = [v.mean(), v.std(ddof=1), stats.skew(v)] if np.isfinite(v).all() else [np.nan] * 3
    sums.append([len(v), len(np.unique(v)), (v == 0).sum()] + moments +
                list(np.percentile(v, [0, 25, 50, 75, 100], method="linear")))
h.array("relevance_numbers", numbers, "Pairs; pearsonr, spearmanr; mutual information of ten bins "
        "each, in bits; the squared correlation ratio of y by the bins of x", 1e-11)
h.array("relevance_classes", classes, "Mutual information of bins and classes; the gain of the "
        "best cut, of all of them; F of f_oneway", 1e-11)
h.array("relevance_values", sums, "Values, distinct ones, zeros; mean, std(ddof=1), skew; "
        "percentile 0, 25 ... 100", 1e-9)
h.end()
