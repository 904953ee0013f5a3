#!/usr/bin/env python3
"""gmm: log-densities of the best of many local maxima, of plain rows, of rows repeated by their
weights, and beside categories and gaps."""
import warnings

import numpy as np
import sklearn
from sklearn.mixture import GaussianMixture

from truth import EVERY_WAY, Header, numbers, weights, wines

SCORE = "SMR_OUTPUT_SCORE"
SHAPES = {"full": "full", "tied": "tied", "diagonal": "diag", "spherical": "spherical"}
HARD = "max_iter=20000 tol=0 floor=1e-12"
h = Header("Gaussian mixtures.", f"scikit-learn {sklearn.__version__}, numpy {np.__version__}")
warnings.simplefilter("ignore")


def best(rows, k, shape, starts=24):
    """Of starts under which no component collapses; means of all but the first are rows."""
    fits = []
    for seed in range(starts if k > 1 else 1):
        means = rows[np.random.default_rng(seed).permutation(len(rows))[:k]] if seed else None
        try:
            fits.append(GaussianMixture(k, covariance_type=SHAPES[shape], tol=1e-13, reg_covar=0,
                                        max_iter=20000, random_state=seed, means_init=means)
                        .fit(rows))
        except ValueError:
            pass
    return max(fits, key=lambda m: m.score(rows))


for way in EVERY_WAY:
    X = wines(**way)[0]
    rows = (np.repeat(X, weights(len(X)).astype(int), axis=0) if way.get("weighted") else X)
    cases = [("spherical", 2)]
    if not way.get("mixed"):  # levels that are all 0 or 1 in a component have no covariance
        cases += [("full", 1)]
    if not way:  # the best maximum is rarely missed
        cases += [("diagonal", 3), ("spherical", 3)]
    for shape, k in cases:
        h.of_wines(f"gmm {k} covariance={shape} restarts=20 {HARD}", SCORE,
                   best(rows, k, shape).score_samples(X), 1e-6, target=None, **way)

I = np.column_stack(numbers("data/iris.csv", "petal_width", ["species"]))
for shape in SHAPES:
    found = [best(I, k, shape) for k in range(1, 3 if shape == "full" else 4)]
    h.array(f"iris_{shape}_bic", [m.bic(I) for m in found],
            "BIC of irises under 1, 2 ... components", 1e-6)
    h.array(f"iris_{shape}_aic", [m.aic(I) for m in found], "AIC", 1e-6)
h.end()
