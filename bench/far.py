#!/usr/bin/env python3
"""How often some row of a random test fifth lies outside the training rows by more than k ranges,
on the tables of the shared data: what the margin of docs/columns.md was chosen by.

    far.py [FOLDER]
"""
import os
import sys

import numpy as np
import pandas

FOLDER = sys.argv[1] if len(sys.argv) > 1 else os.path.join("..", "shared", "data")
MARGINS = (0, 1, 2, 3)
SPLITS = 50
# table: how pandas reads it, and which columns are its target
TABLES = {
    "abalone/abalone.data": ({"header": None}, [8]),
    "adult/adult.data.gz": ({"header": None}, [14]),
    "auto-mpg/mpg.csv": ({}, []),
    "bike-sharing/hour.csv.gz": ({}, []),
    "boston-housing/housing.data": ({"header": None, "sep": r"\s+"}, [13]),
    "california-housing/housing.csv.gz": ({}, []),
    "breast-cancer-wdbc/breast_cancer.csv": ({}, []),
    "credit-g/german.csv": ({}, []),
    "diamonds/diamonds.csv.gz": ({}, []),
    "magic04/magic04.data.gz": ({"header": None}, []),
    "spambase/spambase.data.gz": ({"header": None}, [57]),
    "wine-quality/winequality-red.csv": ({"sep": None, "engine": "python"}, []),
    "wine-quality/winequality-white.csv": ({"sep": None, "engine": "python"}, []),
    "pima-diabetes/pima-indians-diabetes.csv": ({}, []),
    "sonar/sonar.all-data": ({"header": None}, []),
    "ionosphere/ionosphere.data": ({"header": None}, []),
    "satellite/satellite.csv.gz": ({}, []),
    "electricity/elec.csv.gz": ({}, []),
    "titanic/train.csv": ({}, []),
    "auto-imports/auto_imports.csv": ({"header": None, "na_values": "?"}, []),
    "covertype/covtype-first15120.csv.gz": ({}, []),
    "shuttle/shuttle.csv.gz": ({}, []),
    "protein/protein.csv.gz": ({}, []),
}


def warned(X, rng):
    """For each margin: does some row of the fifth lie outside it?"""
    order = rng.permutation(len(X))
    train, test = X[order[:int(0.8 * len(X))]], X[order[int(0.8 * len(X)):]]
    low, high = np.nanmin(train, axis=0), np.nanmax(train, axis=0)
    reach = np.where(high > low, high - low, np.maximum(1, abs(low)))
    return [bool(((test < low - k * reach) | (test > high + k * reach)).any()) for k in MARGINS]


print("share of splits with a value outside by more than k ranges:",
      ", ".join(f"k = {k}" for k in MARGINS))
for path, (how, target) in TABLES.items():
    frame = pandas.read_csv(os.path.join(FOLDER, path), **how)
    frame = frame[[c for c in frame if c not in target]]
    X = frame.select_dtypes("number").to_numpy(float)
    rng = np.random.default_rng(1)
    rate = np.mean([warned(X, rng) for _ in range(SPLITS)], axis=0)
    print(f"{path:40} {len(X):6} x {X.shape[1]:2}  " + "  ".join(f"{r:.2f}" for r in rate))
