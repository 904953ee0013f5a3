#!/usr/bin/env python3
"""Statistics of tables and of rounds, tests of association, and p-values."""
import numpy as np
import scipy
import sklearn
from scipy import stats
from sklearn import metrics

from truth import Header

h = Header("Statistics.", f"scipy {scipy.__version__}, numpy {np.__version__}, scikit-learn "
           f"{sklearn.__version__}")

# ---- association

rain = np.array([[24.0, 1], [25, 50]])
table = np.array([[12.0, 7, 3], [5, 19, 8], [0, 0, 0], [2, 6, 31]])
rows = []
for t in rain, table[[0, 1, 3]]:
    chi2, p, df, _ = stats.chi2_contingency(t, correction=False)
    rows.append((chi2, p, df, np.sqrt(chi2 / t.sum() / (min(t.shape) - 1))))
h.array("rain_counts", rain, "Counts of a table of two rows", 0)
h.array("counts", table, "Of four, one of them empty", 0)
h.array("chi_squares", rows, "chi2_contingency(correction=False) without the empty row: chi2, p, "
        "degrees of freedom; Cramer's V", 1e-13)
y = np.array([6.9, 5.4, 5.8, 4.6, 4.0, 8.3, 6.8, 7.8, 9.2, 6.5, 8.0, 10.5, 8.1, 6.9, 9.3, np.nan,
              77])
code = np.array([0] * 5 + [3] * 5 + [1] * 6 + [-1])
there = ~np.isnan(y)
h.array("anova_y", y, "17 targets", 0)
h.array("anova_code", code, "Their groups; -1: none", kind="int32_t")
h.array("anova", stats.f_oneway(*[y[(code == k) & there] for k in (0, 1, 3)]),
        "f_oneway: F, p", 1e-13)
a = np.array([0.31, -1.72, 2.44, 0.31, 5.5, -0.2, 1.13, 0.31, 7.7])
b = np.array([1.1, 0.2, 2.9, 1.1, 3.3, 2.2, 0.7, 1.9, 3.1])
h.array("pairs_x", a, "Nine pairs", 0)
h.array("pairs_y", b, "of numbers", 0)
h.array("pairs_rank", stats.rankdata(a), "rankdata(pairs_x)", 0)
h.array("pearson", stats.pearsonr(a, b), "pearsonr: r, p", 1e-13)
h.array("spearman", stats.spearmanr(a, b), "spearmanr: rho, p", 1e-13)

# ---- moments and quantiles

y = np.array([2.385, -7.125, 0.5, 1e3, 2.385, -0.25, 13.75])
h.array("summary_y", y, "Seven numbers", 0)
h.array("summary", [y.mean(), y.std(ddof=1), stats.skew(y)], "mean, std(ddof=1), skew", 1e-14)
h.array("summary_quartiles", np.percentile(y, [0, 25, 50, 75, 100]), "percentile 0, 25 ... 100",
        1e-14)
x = np.array([4.1, -2.3, 8.8, 0.5, 3.3, 9.9, -7.1])
q = np.array([0, 0.05, 0.25, 0.5, 0.9, 1])
h.array("quantile_x", x, "Seven others", 0)
h.array("quantile_q", q, "Shares", 0)
h.array("quantiles", np.quantile(x, q), "quantile(quantile_x, quantile_q)", 1e-14)

# ---- rounds of cross-validation: the corrected interval

x = np.array([0.731, 0.694, 0.7525, 0.7118, 0.7061])
se = x.std(ddof=1) * np.sqrt(1 / 5 + 0.25)


def t4(p):
    """Student's quantile with 4 degrees of freedom, p > 1/2, in closed form: that of scipy 1.10.1
    has ten digits."""
    a = 4 * p * (1 - p)
    return 2 * np.sqrt(np.cos(np.arccos(np.sqrt(a)) / 3) / np.sqrt(a) - 1)


assert abs(t4(0.95) - stats.t.ppf(0.95, 4)) < 1e-7
h.array("cv_rounds", x, "Five rounds, tested on a quarter of what they were trained on", 0)
h.array("cv_rounds_summary", [x.mean(), x.std(ddof=1), se, x.mean() - t4(0.975) * se,
                           x.mean() + t4(0.975) * se,
                           x.mean() - t4(0.95) * se],
        "mean, sd, sd sqrt(1/5 + 0.25), mean -+ t(0.975, 4) of it, mean - t(0.95, 4)", 1e-12)

# ---- a league: differences to the first, tested with 4 degrees of freedom, Holm's correction

league = np.array([[0.81, 0.79, 0.84, 0.80, 0.83], [0.78, 0.79, 0.80, 0.79, 0.80],
                   [0.62, 0.60, 0.66, 0.61, 0.59], [0.805, 0.795, 0.835, 0.81, 0.82]])
gap = league[0] - league[1:]
error = gap.std(axis=1, ddof=1) * np.sqrt(1 / 5 + 1 / 4)
p = 2 * stats.t.sf(gap.mean(axis=1) / error, 4)


def holm(p):
    """The smallest p times their number, the next times one less, never falling, at most 1."""
    order, out = np.argsort(p), np.zeros(len(p))
    out[order] = np.minimum(1, np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)))
    return out


h.array("league", league, "Scores of four models in five rounds, the first one best", 0)
h.array("league_behind", gap.mean(axis=1), "How far the others are behind", 1e-14)
h.array("league_error", error, "Standard errors: sd sqrt(1/5 + 1/4)", 1e-13)
h.array("league_p", p, "2 t.sf(behind / error, 4)", 1e-11)
h.array("league_holm", holm(p), "By Holm's method, of three", 1e-11)
h.array("league_holm_of_two", holm(p[[0, 2]]), "The first and the third of them, without the "
        "second", 1e-11)

# ---- pinball losses and deviances

y, f, w = np.array([2.0, 4, 6, 8]), np.array([3.0, 3, 4, 10]), np.array([1.0, 2, 3, 4])
rows = []
for q in 5, 10, 25, 50, 75, 90, 95:
    loss = [metrics.mean_pinball_loss(y, f, alpha=q / 100, sample_weight=v) for v in (None, w)]
    rows.append((f"pinball_{q:02}", *loss))
for name, measure in [("poisson_deviance", metrics.mean_poisson_deviance),
                      ("gamma_deviance", metrics.mean_gamma_deviance)]:
    rows.append((name, measure(y, f), measure(y, f, sample_weight=w)))
rows.append(("rmsle", *(np.sqrt(metrics.mean_squared_log_error(y, f, sample_weight=v))
                        for v in (None, w))))
h.array("deviance_y", y, "Four targets", 0)
h.array("deviance_f", f, "what was predicted", 0)
h.array("deviance_w", w, "and weights", 0)
h.records("deviances", "const char *name; double plain, weighted;", rows,
          "mean_pinball_loss, mean_poisson_deviance, mean_gamma_deviance, and the root of "
          "mean_squared_log_error", 1e-14)

# ---- information in bits: Quinlan's 14 days, and a quantile of Student's


def entropy(x):
    share = np.unique(x, return_counts=True)[1] / len(x)
    return -(share * np.log2(share)).sum()


days = np.array([[2, 1, 0, 0, 0], [2, 1, 0, 1, 0], [0, 1, 0, 0, 1], [1, 2, 0, 0, 1],
                 [1, 0, 1, 0, 1], [1, 0, 1, 1, 0], [0, 0, 1, 1, 1], [2, 2, 0, 0, 0],
                 [2, 0, 1, 0, 1], [1, 2, 1, 0, 1], [2, 2, 1, 1, 1], [0, 2, 0, 1, 1],
                 [0, 1, 1, 0, 1], [1, 2, 0, 1, 0]])
gain = lambda d, j: entropy(d[:, 4]) - sum((d[:, j] == v).mean() * entropy(d[d[:, j] == v, 4])
                                           for v in set(d[:, j]))
h.array("tennis", days, "outlook 0 overcast 1 rainy 2 sunny; temperature 0 cool 1 hot 2 mild; "
        "humidity 0 high 1 normal; windy; play", kind="int")
h.array("tennis_bits", [entropy(days[:, 4]), gain(days, 0), gain(days[days[:, 0] == 2], 2),
                        gain(days[days[:, 0] == 1], 3)],
        "Entropy of play; gains of outlook, of humidity on sunny days, of windy on rainy ones",
        1e-13)
h.number("t_975_3", stats.t.ppf(0.975, 3), "t.ppf(0.975, 3)", 1e-10)

# ---- Longley: p-values of the certified estimates

estimate, error = [], []
with open(__file__.rsplit("/truth/", 1)[0] + "/golden/nist/longley.txt", encoding="utf-8") as text:
    words = [l.split() for l in text if not l.startswith("#")]
n, p = int(words[0][0]), int(words[0][1])
pairs = np.array([[float(v) for v in line] for line in words[2:2 + p]])
h.array("longley_p", 2 * stats.t.sf(np.abs(pairs[:, 0] / pairs[:, 1]), n - p),
        "2 t.sf(|b / se|, 9) of the certified b and se", 1e-13)
h.number("longley_f_p", stats.f.sf(330.285339234588, p - 1, n - p) * 1e10,
         "f.sf of the certified F, times 1e10", 1e-11)
h.end()
