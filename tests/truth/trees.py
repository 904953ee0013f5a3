#!/usr/bin/env python3
"""tree, stump, forest and boost, grown by hand from their definitions, and by scikit-learn.

By hand: all cuts of all features, gaps on either side, all sets of levels; of equal gains the lower
feature, then the lower cut.  Sums are rational numbers where gains could tie.
"""
import itertools
from fractions import Fraction

import numpy as np
import sklearn
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from truth import (PATIENTS, PATIENTS_MIXED, PROBA, VALUE, WINES, WINES_MIXED, Header, classes,
                   no_patients, number, numbers, patients, read, weights, wines)

h = Header("Trees.", f"a plain search in Python, compared with scikit-learn {sklearn.__version__}, "
           f"which grew the forests and the pruning sequences")


# ---- one tree ----------------------------------------------------------------------------------

def gini(counts):
    total = sum(counts)
    return total - sum(c * c for c in counts) / total if total else Fraction(0)


def entropy(counts):
    total = sum(counts)
    return -sum(float(c) * np.log2(float(c / total)) for c in counts if c)


def squared(sums):
    w, s, q = sums
    return q - s * s / w if w else Fraction(0)


def ways(x, levels, rows):
    """All questions of a feature about some rows: (the rows that go first)."""
    there = [i for i in rows if x[i] is not None]
    gaps = [i for i in rows if x[i] is None]
    if not levels:
        values = sorted({x[i] for i in there})
        for low in values[:-1]:
            first = {i for i in there if x[i] <= low}
            yield first
            if gaps:
                yield first | set(gaps)
        if gaps and there:
            yield set(there)
        return
    seen = sorted({x[i] for i in there})
    for size in range(1, len(seen) + 1):
        for some in itertools.combinations(seen, size):
            first = {i for i in there if x[i] in some}
            for side in (first, first | set(gaps)) if gaps else (first,):
                if 0 < len(side) < len(rows):
                    yield side


def grow(columns, tally, impurity, rows, depth, leaf=1, weight=None):
    """Row -> the rows of its leaf."""
    def cost(some):
        return impurity([sum(t) for t in zip(*(tally[i] for i in some))])
    whole, best = cost(rows), None
    if depth and whole > (1e-12 if impurity is entropy else 0):
        for x, levels in columns:
            for first in ways(x, levels, rows):
                second = [i for i in rows if i not in first]
                if min(sum(weight[i] for i in side) for side in (first, second)) < leaf:
                    continue
                gain = whole - cost(first) - cost(second)
                if best is None or gain > best[0] + (1e-9 if impurity is entropy else 0):
                    best = gain, [i for i in rows if i in first], second
    if best is None:
        return {i: rows for i in rows}
    return {**grow(columns, tally, impurity, best[1], depth - 1, leaf, weight),
            **grow(columns, tally, impurity, best[2], depth - 1, leaf, weight)}


def exact(x):
    return [None if np.isnan(v) else Fraction(float(v)) for v in x]


def mixed_columns(path, names, ignore):
    """The columns in the order of the table; (cells, is it a category)."""
    table = read(path)
    return [([c or None for c in table[n]], True) if n == names[0] else
            (exact(number(table[n])), False) for n in table if n not in ignore]


def tree_of(columns, y, w, depth, impurity=None, leaf=1):
    """What a tree says of each row: shares of the classes (impurity gini, entropy), or means."""
    n = len(y)
    weight = [Fraction(v) for v in w]
    if impurity is None:
        t = [(weight[i], weight[i] * Fraction(y[i]), weight[i] * Fraction(y[i]) ** 2)
             for i in range(n)]
        impurity = squared
    else:
        t = [[weight[i] * int(y[i] == k) for k in range(max(y) + 1)] for i in range(n)]
    leaves = grow(columns, t, impurity, list(range(n)), depth, leaf, weight)
    out = []
    for i in range(n):
        sums = [sum(s) for s in zip(*(t[j] for j in leaves[i]))]
        out.append(float(sums[1] / sums[0]) if impurity is squared else
                   [float(s / sum(sums)) for s in sums])
    return np.array(out)


def columns_of(X):
    return [(exact(x), False) for x in X.T]


X, y = wines()
w = weights(len(y))
one = np.ones(len(y))
truth = tree_of(columns_of(X), y, one, 3, gini)
m = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)
assert (truth.argmax(axis=1) == m.predict(X)).mean() > 0.99
h.of_wines("tree 3", PROBA, truth, 1e-12)
h.of_wines("forest 1 bootstrap=no features=all max_depth=3", PROBA, truth, 1e-12)
h.of_wines("tree 3", PROBA, tree_of(columns_of(X), y, w, 3, gini), 1e-12, weighted=True)
h.of_wines("tree 3 criterion=entropy", PROBA, tree_of(columns_of(X), y, w, 3, entropy), 1e-12,
           weighted=True)
h.of_wines("stump", PROBA, tree_of(columns_of(X), y, w, 1, gini), 1e-12, weighted=True)
for words, depth in ("tree 2", 2), ("stump", 1):
    columns = mixed_columns(WINES, WINES_MIXED, ["weight", "part", "second", "cultivar"])
    h.of_wines(words, PROBA, tree_of(columns, y, one, depth, gini), 1e-12, mixed=True)
    h.of_wines(words, PROBA, tree_of(columns, y, w, depth, gini), 1e-12, mixed=True, weighted=True)

X, y = patients()
w, one = weights(len(y)), np.ones(len(y))
truth = tree_of(columns_of(X), y, one, 3, leaf=20)
m = DecisionTreeRegressor(max_depth=3, min_samples_leaf=20).fit(X, y)
assert np.allclose(m.predict(X), truth)
h.of_patients("tree 3 min_leaf=20", VALUE, truth, 1e-12)
h.of_patients("forest 1 bootstrap=no features=all max_depth=2 min_leaf=20", VALUE,
              tree_of(columns_of(X), y, one, 2, leaf=20), 1e-9)
h.of_patients("tree 3 min_leaf=20", VALUE, tree_of(columns_of(X), y, w, 3, leaf=20), 1e-12,
              weighted=True)
columns = mixed_columns(PATIENTS, PATIENTS_MIXED, ["weight", "part", "visits", "progression", "s3",
                                                   "s5", "bmi"])
for way, v in ({}, one), ({"weighted": True}, w):
    h.answers("tree 2 min_leaf=15", PATIENTS, "progression", VALUE,
              tree_of(columns, y, v, 2, leaf=15), 1e-12, every=17,
              ignore=no_patients(mixed=True, **way) + ["s3", "s5", "bmi"], **way)

# ---- pruning sequences, and trees of scikit-learn where equal gains are settled by its seed

X, y = classes("data/iris.csv", "species")
path = DecisionTreeClassifier(min_samples_leaf=5, random_state=0).cost_complexity_pruning_path(X, y)
h.array("iris_path", [path.ccp_alphas, path.impurities],
        "DecisionTreeClassifier(min_samples_leaf=5).cost_complexity_pruning_path: ccp_alphas, "
        "impurities", 1e-12)
X, y = numbers("data/diabetes.csv", "progression")
path = DecisionTreeRegressor(min_samples_leaf=40).cost_complexity_pruning_path(X, y)
h.array("diabetes_path", [path.ccp_alphas, path.impurities],
        "DecisionTreeRegressor(min_samples_leaf=40), the same", 1e-12)
train = np.arange(len(y)) % 4 != 0
m = DecisionTreeRegressor(max_depth=3, criterion="absolute_error", random_state=0)
h.number("diabetes_absolute", np.abs(m.fit(X[train], y[train]).predict(X[train]) - y[train]).mean(),
         "criterion='absolute_error', max_depth=3: mean absolute error on the rows it learned, "
         "those whose number is no multiple of 4", 1e-10)
rows = []
for file, target in ("digits", "digit"), ("breast_cancer", "diagnosis"):
    X, y = classes(f"data/{file}.csv", target)
    train = np.arange(len(y)) % 4 != 0
    right = [(DecisionTreeClassifier(random_state=s).fit(X[train], y[train]).predict(X[~train])
              == y[~train]).mean() for s in range(20)]
    rows.append((f"data/{file}.csv", target, np.mean(right), np.std(right, ddof=1),
                 (~train).sum()))
h.records("tree_accuracies", "const char *table, *target; double mean, sd, n_judged;", rows,
          "DecisionTreeClassifier, 20 seeds: share of the rows 0, 4, 8 ... that trees of the "
          "others have right, its mean and deviation over the seeds", 0.02)

# ---- forests: out-of-bag errors over seeds

rows = []
for file, target in [("iris", "species"), ("wine", "cultivar"), ("breast_cancer", "diagnosis"),
                     ("digits", "digit"), ("diabetes", "progression")]:
    if file == "diabetes":
        X, y = numbers(f"data/{file}.csv", target)
        errors = [((RandomForestRegressor(100, oob_score=True, max_features=1 / 3, random_state=s)
                    .fit(X, y).oob_prediction_ - y) ** 2).mean() for s in range(10)]
    else:
        X, y = classes(f"data/{file}.csv", target)
        errors = [1 - RandomForestClassifier(100, oob_score=True, random_state=s).fit(X, y)
                  .oob_score_ for s in range(10)]
    rows.append((f"data/{file}.csv", target, np.mean(errors), np.std(errors, ddof=1), len(y)))
h.records("forest_errors", "const char *table, *target; double mean, sd, n;", rows,
          "RandomForestClassifier(100, oob_score=True), RandomForestRegressor with "
          "max_features=1/3: mean and deviation of the out-of-bag error over 10 seeds", 0.03)
h.end()
