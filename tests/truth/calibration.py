#!/usr/bin/env python3
"""The maps of calibrate, on scores by formula."""
import numpy as np
import sklearn
from sklearn.calibration import _SigmoidCalibration
from sklearn.isotonic import IsotonicRegression

from truth import Header, with_one

h = Header("Maps from scores to probabilities.",
           f"Newton's method in numpy {np.__version__}, compared with scikit-learn "
           f"{sklearn.__version__}, whose IsotonicRegression is taken, its ends moved inwards")
x = np.array([0.9161, 2.8688, 2.3598, 0.484, 2.3676, 2.3676, -2.7119, 3.2644, 2.7407, -0.257,
              2.3859, -2.4714, 0.7728, -2.4178, 2.1622, -0.6658, 3.6679, 3.9446, -2.104, -2.0992,
              -2.0992, 3.3597, 1.1084, 3.919, -0.7418, 3.7565, 0.3163, 4.3599, 4.1114, -0.2368,
              0.4534, 2.6763, 3.495, -1.2415, -1.1129, 1.9852, -1.1355])
y = np.array([int(c) for c in "1111100110100010110" "011110101101111010"])
N = len(x)
w = 1.0 + np.arange(N) * 7 % 3


def platt(s, y):
    """Slope and intercept at which the slope of the smoothed cross-entropy is 0."""
    pos, neg = (y == 1).sum(), (y == 0).sum()
    t, p = np.where(y == 1, (pos + 1) / (pos + 2), 1 / (neg + 2)), np.zeros(2)
    A = with_one(s[:, None])
    for _ in range(60):
        q = 1 / (1 + np.exp(-A @ p))
        p = p - np.linalg.solve((A * (q * (1 - q))[:, None]).T @ A, A.T @ (q - t))
    m = _SigmoidCalibration().fit(s, y)
    assert abs(-m.a_ - p[0]) < 1e-3 and abs(-m.b_ - p[1]) < 1e-3, (m.a_, m.b_, p)
    return p


def isotonic(s, y, w=None):
    """The map of IsotonicRegression whose first and last values are kept away from 0 and 1 by
    1 / (W + 2), W the weight of the rows that have that value, but not past the next one."""
    w = np.ones(len(y)) if w is None else w
    m, at = IsotonicRegression(out_of_bounds="clip").fit(s, y, sample_weight=w), np.unique(s)
    v, levels, of_row = m.predict(at), np.unique(m.predict(at)), m.predict(s)
    low, high = (1 / (w[of_row == e].sum() + 2) for e in (levels[0], levels[-1]))
    v = np.where(v == levels[0], max(levels[0], min(low, levels[1])),
                 np.where(v == levels[-1], min(levels[-1], max(1 - high, levels[-2])), v))
    return lambda asked: np.interp(asked, at, v)


h.array("score_x", x, "37 scores", 0)
h.array("score_y", y, "and what was true", kind="int32_t")
h.array("score_platt", platt(x, y), "Platt's slope and intercept", 1e-11)
at = np.array([-9, -3.05, -1.234, -0.5, 0, 0.777, 1.5, 2.25, 4, 9])
h.array("isotonic_at", at, "Asked", 0)
h.array("isotonic_told", [isotonic(x, y)(at), isotonic(x, y, w)(at)],
        "IsotonicRegression, its ends kept away from 0 and 1; with weights 1 + 7 i % 3", 1e-12)
label = np.array([int(c) for c in "1000021201020221010" "121200022201022221"])
s = np.array([[np.round((np.sin(0.9 * i + k) * 2 + 0.3 * np.cos(5.1 * i * k)) * 1e4) / 1e4
               for k in range(3)] for i in range(N)])
shown = np.array([0, 5, 11, 20, 36])
sigmoid, steps = [], []
for k in range(3):
    p = platt(s[:, k], (label == k).astype(int))
    sigmoid.append(1 / (1 + np.exp(-(p[0] * s[shown, k] + p[1]))))
    steps.append(isotonic(s[:, k], (label == k).astype(int))(s[shown, k]))
h.array("three_labels", label, "Three classes", kind="int32_t")
h.array("three_shown", shown, "Rows", kind="int64_t")
h.array("three_platt", np.transpose(sigmoid) / np.sum(sigmoid, axis=0)[:, None],
        "Each class against the rest, divided by their sum: Platt", 1e-10)
h.array("three_isotonic", np.transpose(steps) / np.sum(steps, axis=0)[:, None], "isotonic", 1e-12)
h.end()
