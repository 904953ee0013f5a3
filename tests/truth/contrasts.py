#!/usr/bin/env python3
"""Categories before learners without a penalty: a level left out, and what is unknown."""
import numpy as np

from truth import Header

h = Header("Treatment contrasts, by hand.", f"numpy {np.__version__}: least squares by its normal "
           "equations, Poisson and logistic regression by Newton's method")

# ---- sales of houses: the roofs of a few materials, one of them on a single house

rng = np.random.default_rng(20)
ROOFS = ["shingle"] * 41 + ["gravel"] * 11 + ["shake"] * 7 + ["clay"]
roof = np.array(ROOFS)[rng.permutation(60)]
area = rng.integers(500, 3000, 60) / 1000  # in thousands of square feet
effect = {"shingle": 0.0, "gravel": -9000.0, "shake": 24000.0, "clay": -400000.0}
price = np.round(30000 + 60000 * area + [effect[r] for r in roof] + rng.normal(0, 8000, 60))
weight = 1.0 + np.arange(60) % 3
visits = np.round(np.abs(area / 0.6 + (roof == "shake") * 3 - (roof == "gravel")))
sold = ((area + 2 * (roof == "gravel") + rng.normal(0, 1.5, 60)) > 2).astype(int)
gaps = roof.copy()
gaps[roof == "shake"] = ""
h.array("roofs", list(roof), "Sixty houses; `clay` has one", kind="char *const")
for name, values in [("area", area), ("price", price), ("weight", weight), ("visits", visits),
                     ("sold", sold.astype(float))]:
    h.array("house_" + name, values, "Of each house", 0)

LEVELS = sorted(set(roof))


def left_out(levels, w):
    """The most frequent level: the first of equals."""
    heavy = [w[levels == l].sum() for l in sorted(set(levels) - {""})]
    return sorted(set(levels) - {""})[int(np.argmax(heavy))]


def design(levels, w):
    """1, a column for each level but one in their order, `missing` where there are gaps; and the
    names of these levels."""
    reference = left_out(levels, w)
    names = [l for l in sorted(set(levels) - {""}) if l != reference]
    columns = [(levels == l).astype(float) for l in names + [""] * ("" in levels)]
    return np.column_stack([np.ones(len(levels)), *columns]), names


def unknown(C, w):
    """An unknown level: the average row, weighted."""
    return (w[:, None] * C).sum(0) / w.sum()


def least_squares(A, y, w):
    beta = np.linalg.solve((A * w[:, None]).T @ A, A.T @ (w * y))
    rest = y - A @ beta
    sigma2 = (w * rest ** 2).sum() / (w.sum() - A.shape[1])
    return beta, np.sqrt(sigma2 * np.diag(np.linalg.inv((A * w[:, None]).T @ A)))


def newton(A, y, w, mean, variance):
    beta = np.zeros(A.shape[1])
    beta[0] = 1.0 if mean is np.exp else 0.0
    for _ in range(200):
        mu = mean(A @ beta)
        step = np.linalg.solve((A * (w * variance(mu))[:, None]).T @ A, A.T @ (w * (y - mu)))
        beta = beta + step
        if np.abs(step).max() < 1e-13:
            return beta
    raise SystemExit("contrasts: Newton's method has not ended")


def answers(C, beta, w, at):
    """The scores of a house of 1500 square feet with each of its roofs, and with an unknown one."""
    rows = [np.concatenate([C[at[l]], [1.5]]) for l in at]
    rows.append(np.append(unknown(C, w), 1.5))
    return np.array(rows) @ beta


one = np.ones(60)
at = {l: int(np.argmax(roof == l)) for l in LEVELS}
rows = []
for weighted in (False, True):
    w = weight if weighted else one
    C, names = design(roof, w)
    beta, se = least_squares(np.column_stack([C, area]), price, w)
    rows.append((weighted, names, beta, se, answers(C, beta, w, at)))
h.records("roofs_linear", "bool weighted; const char *names[3]; double coef[5], se[5], at[5];",
          rows, "intercept, the levels but the most frequent, thousands of square feet; their "
          "standard errors; the prices of 1500 square feet with clay, gravel, shake, shingle, "
          "and a roof never seen", 1e-9)

C, names = design(gaps, one)
beta, se = least_squares(np.column_stack([C, area]), price, one)
seen = {l: int(np.argmax(gaps == l)) for l in ("clay", "gravel", "shingle", "")}
rows = [np.append(C[i], 1.5) for i in seen.values()]
h.array("roofs_missing", np.array(rows) @ beta, "With the roofs of `shake` missing: the same for "
        "clay, gravel, shingle, and a gap, which is what a roof never seen counts as", 1e-9)

known = roof != "clay"  # a level of one row has an infinite coefficient in the other two
C, names = design(roof[known], one[known])
A, w = np.column_stack([C, area[known]]), one[known]
at = {l: int(np.argmax(roof[known] == l)) for l in LEVELS if l != "clay"}
beta = newton(A, visits[known], w, np.exp, lambda mu: mu)
h.array("roofs_poisson", np.exp(answers(C, beta, w, at)), "Visits, without clay: of gravel, "
        "shake, shingle and a roof never seen", 1e-9)
beta = newton(A, sold[known], w, lambda s: 1 / (1 + np.exp(-s)), lambda mu: mu * (1 - mu))
h.array("roofs_logistic", 1 / (1 + np.exp(-answers(C, beta, w, at))), "The probability of a "
        "sale, likewise", 1e-9)

# Ridge with every level coded: the same average, of a solution that shrinks.
full = np.column_stack([(roof == l).astype(float) for l in LEVELS])
A = np.column_stack([full, area])
centre, yc = A - A.mean(0), price - price.mean()
beta = np.linalg.solve(centre.T @ centre + 2.5 * np.eye(5), centre.T @ yc)
intercept = price.mean() - A.mean(0) @ beta
rows = [np.append(np.eye(4)[k], 1.5) for k in range(4)] + [np.append(full.mean(0), 1.5)]
h.array("roofs_ridge", np.array(rows) @ beta + intercept, "ridge 2.5: clay, gravel, shake, "
        "shingle, and a roof never seen", 1e-9)
h.end()
