#!/usr/bin/env python3
"""Anderson and Darling's statistic where the parameters come from the same rows: its quantiles, by
simulation.  They check the published formula and table that estimate takes p from."""
import numpy as np
from scipy.special import log_ndtr

from truth import Header

LEVELS = [0.75, 0.5, 0.25, 0.2, 0.15, 0.1, 0.05, 0.025, 0.01, 0.005, 0.0025]
N, SAMPLES, CHUNK = 100, 200_000, 10_000
rng = np.random.default_rng(1)


def statistic(log_lower, log_upper):
    i = 2 * np.arange(N) + 1
    return -N - ((log_lower + log_upper[:, ::-1]) * i).sum(axis=1) / N


exponential, gaussian = [], []
for _ in range(SAMPLES // CHUNK):
    x = np.sort(rng.standard_exponential((CHUNK, N)), axis=1)
    z = x / x.mean(axis=1, keepdims=True)
    exponential.append(statistic(np.log(-np.expm1(-z)), -z) * (1 + 0.6 / N))
    x = np.sort(rng.standard_normal((CHUNK, N)), axis=1)
    z = (x - x.mean(axis=1, keepdims=True)) / x.std(axis=1, ddof=1, keepdims=True)
    gaussian.append(statistic(log_ndtr(z), log_ndtr(-z)) * (1 + 0.75 / N + 2.25 / N ** 2))
upper = 1 - np.array(LEVELS)
h = Header(f"Anderson and Darling's statistic, adjusted, of {N} rows whose parameters were "
           "estimated.", f"{SAMPLES} samples of numpy {np.__version__}")
rows = zip(LEVELS, np.quantile(np.concatenate(gaussian), upper),
           np.quantile(np.concatenate(exponential), upper))
h.records("goodness", "double level, gaussian, exponential;", rows,
          "What is exceeded by chance with the probability `level`.", 0.02)
h.end()
