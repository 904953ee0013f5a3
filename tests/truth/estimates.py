#!/usr/bin/env python3
"""Estimates of columns of patients.csv and wines.csv by scipy: intervals from its distributions,
the multivariate posterior from numpy's covariance, Anderson and Darling's statistic from anderson.

A weight counts a row that many times: the peer gets the rows repeated.
"""
import numpy as np
import scipy
from scipy import stats

from truth import PATIENTS, WINES, Header, number, read, weights

h = Header("Estimates of the distributions of columns.",
           f"scipy {scipy.__version__}, numpy {np.__version__}")
TAIL = 0.025
patients, wines = read(PATIENTS), read(WINES)
rows = []


def add(table, column, family, prior, weighted, which, ml, unbiased, map_, mean, credible,
        confident):
    rows.append((table, column, family, prior, weighted, which,
                 [float(v) for v in (ml, unbiased, map_, mean, *credible, *confident)]))


def ends(law):
    return law.ppf(TAIL), law.isf(TAIL)


def share(table, column, family, prior, weighted, which, s, n, a, b, mode):
    exact = (stats.beta(s, n - s + 1).ppf(TAIL) if s else 0.0,
             stats.beta(s + 1, n - s).isf(TAIL) if s < n else 1.0)
    add(table, column, family, prior, weighted, which, s / n, s / n, mode, (a + s) / (a + b + n),
        ends(stats.beta(a + s, b + n - s)), exact)


def repeated(x, weighted):
    return np.repeat(x, weights(len(x)).astype(int)) if weighted else x


# ---- bernoulli, categorical

for weighted in (False, True):
    second = repeated(np.array([c == "yes" for c in wines["second"]]), weighted)
    s, n = second.sum(), len(second)
    for prior, a, b in ((None, 1, 1), ("beta 2 5.5", 2, 5.5)):
        mode = (a + s - 1) / (a + b + n - 2)
        share(WINES, "second", None, prior, weighted, 0, s, n, a, b, mode)
    ward = repeated(np.array([c for c in patients["ward"]]), weighted)
    names, counts = np.unique(ward[ward != ""], return_counts=True)
    K, n = len(names), counts.sum()
    for k in range(K):
        mode = (counts[k] + 0.7) / (n + 0.7 * K)
        share(PATIENTS, "ward", None, "dirichlet 1.7", weighted, k, counts[k], n, 1.7,
              1.7 * (K - 1), mode)

# ---- poisson, exponential

visits, colour = number(patients["visits"]), number(wines["color_intensity"])
for weighted in (False, True):
    for prior, a, b in ((None, 1, 0), ("gamma 3 0.5", 3, 0.5)):
        x = repeated(visits, weighted)
        n, s = len(x), x.sum()
        post = stats.gamma(a + s, scale=1 / (b + n))
        add(PATIENTS, "visits", "poisson", prior, weighted, 0, s / n, s / n, (a + s - 1) / (b + n),
            post.mean(), ends(post), (stats.gamma(s, scale=1 / n).ppf(TAIL),
                                      stats.gamma(s + 1, scale=1 / n).isf(TAIL)))
        x = repeated(colour, weighted)
        n, s = len(x), x.sum()
        post = stats.gamma(a + n, scale=1 / (b + s))
        add(WINES, "color_intensity", "exponential", prior, weighted, 0, n / s, (n - 1) / s,
            (a + n - 1) / (b + s), post.mean(), ends(post), ends(stats.gamma(n, scale=1 / s)))

# ---- gaussian

bmi = number(patients["bmi"])
glucose = number(patients["glucose"])
for column, values in (("bmi", bmi), ("glucose", glucose)):
    for weighted in (False, True):
        for prior, (m, k, a, b) in ((None, (0, 0, -0.5, 0)),
                                    ("nig 25 4 3 30", (25, 4, 3, 30))):
            x = repeated(values, weighted)
            x = x[~np.isnan(x)]
            n, mean, squares = len(x), x.mean(), ((x - x.mean()) ** 2).sum()
            k2, a2 = k + n, a + n / 2
            m2 = (k * m + n * mean) / k2
            b2 = b + squares / 2 + k * n * (mean - m) ** 2 / (2 * k2)
            t = stats.t(2 * a2, m2, np.sqrt(b2 / a2 / k2))
            usual = stats.t(n - 1, mean, stats.sem(x))
            add(PATIENTS, column, "gaussian", prior, weighted, 0, mean, mean, m2, m2, ends(t),
                ends(usual))
            post = stats.invgamma(a2, scale=b2)
            chi = stats.chi2(n - 1)
            add(PATIENTS, column, "gaussian", prior, weighted, 1, squares / n, x.var(ddof=1),
                b2 / (a2 + 1.5), post.mean(), ends(post),
                (squares / chi.isf(TAIL), squares / chi.ppf(TAIL)))

# ---- multivariate

X = np.column_stack([bmi, glucose])
X = X[~np.isnan(X).any(axis=1)]
n, d = X.shape
for prior, (m, k, v, s) in ((None, (0, 0, -1, 0)), ("niw 30 2.5 5 70", (30, 2.5, 5, 70))):
    Q = np.cov(X.T, ddof=0) * n
    mean = X.mean(axis=0)
    k2, v2 = k + n, v + n
    P = Q + s * np.eye(d) + k * n / k2 * np.outer(mean - m, mean - m)
    centre, df = (k * m + n * mean) / k2, v2 - d + 1
    for j in range(d):
        add(PATIENTS, "bmi,glucose", "multivariate-gaussian", prior, False, j, mean[j], mean[j],
            centre[j], centre[j], ends(stats.t(df, centre[j], np.sqrt(P[j, j] / k2 / df))),
            ends(stats.t(n - 1, mean[j], stats.sem(X[:, j]))))
    for which, (i, j) in ((2, (0, 0)), (3, (0, 1)), (4, (1, 1))):
        chi = stats.chi2(n - 1)
        one = i == j
        add(PATIENTS, "bmi,glucose", "multivariate-gaussian", prior, False, which, Q[i, j] / n,
            Q[i, j] / (n - 1), P[i, j] / (v2 + d + 2), P[i, j] / (v2 - d - 1),
            ends(stats.invgamma(df / 2, scale=P[i, j] / 2)) if one else (np.nan, np.nan),
            (Q[i, j] / chi.isf(TAIL), Q[i, j] / chi.ppf(TAIL)) if one else (np.nan, np.nan))

text = ("const char *table, *column, *family, *prior;\n    bool weighted;\n    int row;\n"
        "    double v[8];")
h.records("estimates", text, rows, "Parameter `row`: maximum likelihood, unbiased, mode and mean "
          "of the posterior, credible and confidence interval", 1e-10)

# ---- goodness of fit

A = stats.anderson(bmi).statistic
h.array("darling", [A * (1 + 0.75 / len(bmi) + 2.25 / len(bmi) ** 2),
                    stats.anderson(colour, "expon").statistic * (1 + 0.6 / len(colour))],
        "anderson(bmi), anderson(color_intensity, 'expon'), adjusted for the number of rows", 1e-10)
expected = len(visits) * stats.poisson(visits.mean()).pmf(np.arange(0, 200))
cells, seen, e = [], 0.0, 0.0
for k in range(200):
    seen += (visits == k).sum()
    e += expected[k]
    if e >= 5 and len(visits) * stats.poisson(visits.mean()).sf(k) >= 5:
        cells.append((seen, e))
        seen = e = 0.0
cells.append((seen + (visits >= 200).sum(), e))
observed, wanted = np.array(cells).T
chi2 = ((observed - wanted) ** 2 / wanted).sum()
h.array("visits_fit", [chi2, len(cells) - 2, stats.chi2(len(cells) - 2).sf(chi2)],
        "visits as Poisson, values put together until 5 are expected: chi-square, df, p", 1e-8)
h.end()
