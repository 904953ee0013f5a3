#!/usr/bin/env python3
"""Writes the small classic tables in data/ from the copies that scikit-learn carries.

    /usr/bin/python3 tools/make_data.py [FOLDER]

Needs Debian's python3-sklearn (written with 1.2.1).  Numbers are written as their shortest
decimals, so they read back exactly; names are those of scikit-learn with blanks as underscores.
"""
import csv
import os
import sys

from sklearn import datasets


def shortest(x):
    """A whole number without a point, else the shortest decimal that reads back as x."""
    return str(int(x)) if float(x).is_integer() else repr(float(x))


def write(folder, name, columns, target, rows, values):
    path = os.path.join(folder, name)
    with open(path, "w", newline="", encoding="utf-8") as f:
        out = csv.writer(f, lineterminator="\n")
        out.writerow(columns + [target])
        for row, value in zip(rows, values):
            out.writerow([shortest(x) for x in row] + [value])
    print(f"{path}: {len(rows)} x {len(columns)} + {target}")


def words(names):
    return [n.replace(" (cm)", "").replace(" ", "_").replace("/", "_") for n in names]


def classes(d):
    return [str(d.target_names[k]) for k in d.target]


def main():
    beside = os.path.join(os.path.dirname(__file__), "..", "data")
    folder = sys.argv[1] if len(sys.argv) > 1 else beside
    iris = datasets.load_iris()
    write(folder, "iris.csv", words(iris.feature_names), "species", iris.data, classes(iris))
    wine = datasets.load_wine()
    write(folder, "wine.csv", words(wine.feature_names), "cultivar", wine.data, classes(wine))
    cancer = datasets.load_breast_cancer()
    write(folder, "breast_cancer.csv", words(cancer.feature_names), "diagnosis", cancer.data,
          classes(cancer))
    diabetes = datasets.load_diabetes(scaled=False)
    write(folder, "diabetes.csv", words(diabetes.feature_names), "progression", diabetes.data,
          [shortest(y) for y in diabetes.target])
    digits = datasets.load_digits()
    names = [f"pixel_{row}_{column}" for row in range(8) for column in range(8)]
    write(folder, "digits.csv", names, "digit", digits.data, [str(y) for y in digits.target])


if __name__ == "__main__":
    main()
