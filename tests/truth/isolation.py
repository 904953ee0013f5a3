#!/usr/bin/env python3
"""isolation: scores and areas of scikit-learn's forests over seeds."""
import numpy as np
import sklearn
from sklearn.ensemble import IsolationForest
from sklearn.metrics import roc_auc_score

from truth import Header, classes

SEEDS = 20
h = Header("Isolation forests.", f"scikit-learn {sklearn.__version__}")


def usual(n):
    """c(n), from harmonic numbers; scikit-learn's own is short of them for few rows."""
    n = np.asarray(n, dtype=int)
    H = np.concatenate([[0], np.cumsum(1 / np.arange(1, max(2, n.max())))])
    return np.where(n > 1, 2 * H[np.maximum(n - 1, 0)] - 2 * (n - 1) / np.maximum(n, 1), 0)


def score(forest, X):
    """Of a fitted forest, from its trees."""
    paths = 0
    for tree in forest.estimators_:
        t = tree.tree_
        depth = np.zeros(t.node_count)
        for i in range(t.node_count):
            if t.children_left[i] >= 0:
                depth[t.children_left[i]] = depth[t.children_right[i]] = depth[i] + 1
        leaf = tree.apply(X)
        paths = paths + depth[leaf] + usual(t.n_node_samples)[leaf]
    c = usual([forest.max_samples_])[0]
    return -2 ** (-paths / len(forest.estimators_) / c)


n = np.array([1, 2, 3, 4, 10, 100, 255, 256, 257, 1000, 100000])
h.array("isolation_size", n, "rows", kind="int64_t")
h.array("isolation_usual", usual(n), "c of as many", within=1e-13)

X, y = classes("data/breast_cancer.csv", "diagnosis")  # 1: malignant, the rarer one
rows, areas = [], []
for sample in (256, 64):
    S, A = [], []
    for seed in range(SEEDS):
        forest = IsolationForest(max_samples=sample, random_state=seed).fit(X)
        S.append(score(forest, X))
        A.append(roc_auc_score(y, -forest.score_samples(X)))
    S = np.array(S)
    areas.append((sample, np.mean(A), np.std(A, ddof=1)))
    rows += [(sample, i, S[:, i].mean(), S[:, i].std(ddof=1)) for i in range(0, len(X), 19)]

h.records("isolation_scores", "int64_t sample, row; double mean, sd;", rows,
          f"rows of breast_cancer.csv: scores of {SEEDS} seeds", within=1e-9)
h.records("isolation_areas", "int64_t sample; double mean, sd;", areas,
          f"areas under the ROC curve of {SEEDS} seeds", within=1e-9)
h.end()
