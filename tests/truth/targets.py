#!/usr/bin/env python3
"""columns target=: least squares on changed targets, and predictions changed back."""
import numpy as np
import scipy
import sklearn
from scipy import optimize, special, stats
from sklearn.compose import TransformedTargetRegressor
from sklearn.linear_model import Ridge

from fits import fitted
from truth import EVERY_WAY, VALUE, Header, patients, weights

h = Header("Targets that are fitted as something else.",
           f"numpy {np.__version__}, scipy {scipy.__version__}, scikit-learn "
           f"{sklearn.__version__}")


def as_power(y):
    """The exponent of greatest likelihood by a search of scipy's own likelihood, refined where its
    slope, by differences, changes sign."""
    def slope(lam, step=1e-3):
        at = lam + step * np.array([-2, -1, 1, 2])
        f = [stats.yeojohnson_llf(a, y) for a in at]
        return (f[0] - 8 * f[1] + 8 * f[2] - f[3]) / (12 * step)

    lam = optimize.brentq(slope, -2, 3, xtol=1e-13)
    z = stats.yeojohnson(y, lam)
    return (lambda v: (stats.yeojohnson(v, lam) - z.mean()) / z.std(),
            lambda v: special.inv_boxcox1p(v * z.std() + z.mean(), lam))


def as_rank(y, normal):
    value, at = np.unique(y, return_index=True)
    u = (stats.rankdata(y)[at] - 0.5) / len(y)
    z = stats.norm.ppf(u) if normal else u
    return lambda v: np.interp(v, value, z), lambda v: np.interp(v, z, value)


for way in EVERY_WAY:
    X, y = patients(**way)
    w = weights(len(y)) if way.get("weighted") else np.ones(len(y))
    rows = np.repeat(y, w.astype(int))
    power, rank, normal = as_power(rows), as_rank(rows, False), as_rank(rows, True)
    for how, (there, back), within in (
            ("log", (np.log, np.exp), 1e-10), ("log1p", (np.log1p, np.expm1), 1e-10),
            ("power", power, 1e-7), ("rank", rank, 1e-9), ("normal", normal, 1e-9)):
        h.of_patients(f"columns target={how} | linear", VALUE, back(fitted(X, there(y), w)),
                      within, **way)
        h.of_patients(f"columns target={how} | ridge 20", VALUE,
                      back(fitted(X, there(y), w, 20)), within, **way)

# The peer's own way from one end to the other.
X, y = patients()
peer = TransformedTargetRegressor(Ridge(20, tol=1e-12, solver="cholesky"), func=np.log,
                                  inverse_func=np.exp)
h.of_patients("columns target=log | ridge 20", VALUE, peer.fit(X, y).predict(X), 1e-9)
h.end()
