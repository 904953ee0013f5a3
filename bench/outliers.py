#!/usr/bin/env python3
"""How well outliers are found, beside scikit-learn: areas under the ROC curve of known classes.

    bench/outliers.py BUILD [TABLE ...]

Prints docs/outliers.md's table.  The tables are those of $SAMARA_DATA; the rows of some classes are
the outliers, and everybody scores the rows that it has learned from.  Forests are means over five
seeds, with the deviation between the seeds; other columns have no draws.  Rows are standardised but
for the forests.
"""
import gzip
import json
import os
import subprocess
import sys
import tempfile

import numpy as np

SEEDS = range(5)
# file; place of the class; columns left out; the classes that are outliers
TABLES = {
    "breast-cancer-wdbc": ("wdbc.data", 1, [0], {"M"}),
    "ionosphere": ("ionosphere.data", -1, [], {"b"}),
    "pima-diabetes": ("pima-indians-diabetes.csv", -1, [], {"1"}),
    "satellite": ("satellite.csv.gz", -1, [], {"cotton crop", "damp grey soil",
                                              "vegetation stubble"}),
    "shuttle": ("shuttle.csv.gz", -1, [], {"Fpv.Close", "Fpv.Open", "Bypass", "Bpv.Close",
                                           "Bpv.Open"}),
    "spambase": ("spambase.data.gz", -1, [], {"1"}),
    "magic04": ("magic04.data.gz", -1, [], {"h"}),
}
OTHERS = ["pca 0.9", "knn 20"]


def read(name):
    """Rows as numbers, and which are outliers."""
    file, label, left, odd = TABLES[name]
    path = os.path.join(os.environ.get("SAMARA_DATA", "data"), name, file)
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8") as f:
        rows = [line.strip().replace('"', "").split(",") for line in f if line.strip()]
    try:
        float(rows[0][2])
    except ValueError:
        rows = rows[1:]
    label %= len(rows[0])
    keep = [j for j in range(len(rows[0])) if j != label and j not in left]
    return (np.array([[float(row[j]) for j in keep] for row in rows]),
            np.array([row[label] in odd for row in rows]))


def area(samara, sentence, path, seed=0):
    done = subprocess.run([samara, "train", sentence, path, "--target", "outlier", "--positive",
                           "yes", "--task", "outliers", "--holdout", "0", "--seed", str(seed),
                           "-q", "-o", path + ".smr"], capture_output=True, text=True)
    if done.returncode:
        return sys.exit(done.stderr)
    done = subprocess.run([samara, "evaluate", path + ".smr", path, "-q", "--json"],
                          capture_output=True, text=True)
    return json.loads(done.stdout)["measures"]["auc"]


def over_seeds(areas):
    return f"{np.mean(areas):.3f} ± {np.std(areas, ddof=1):.3f}"


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    from sklearn.ensemble import IsolationForest
    from sklearn.metrics import roc_auc_score
    from sklearn.neighbors import LocalOutlierFactor
    from sklearn.preprocessing import StandardScaler
    samara = os.path.join(sys.argv[1], "samara")
    print("| table | rows | outliers | `isolation` | IsolationForest | `lof` | "
          "LocalOutlierFactor | " + " | ".join(f"`{s}`" for s in OTHERS) + " |")
    print("|---" * (7 + len(OTHERS)) + "|")
    for name in sys.argv[2:] or TABLES:
        X, odd = read(name)
        with tempfile.TemporaryDirectory() as work:
            path = os.path.join(work, "t.csv")
            with open(path, "w", encoding="utf-8") as f:
                print(*(f"x{j}" for j in range(X.shape[1])), "outlier", sep=",", file=f)
                for x, o in zip(X, odd):
                    print(*map(repr, map(float, x)), "yes" if o else "no", sep=",", file=f)
            mine = [area(samara, "isolation", path, seed) for seed in SEEDS]
            rest = [area(samara, f"standardize | {s}", path) for s in ["lof"] + OTHERS]
        forest = [roc_auc_score(odd, -IsolationForest(random_state=seed).fit(X).score_samples(X))
                  for seed in SEEDS]
        Z = StandardScaler().fit_transform(X)
        thin = roc_auc_score(odd, -LocalOutlierFactor(20).fit(Z).negative_outlier_factor_)
        print(f"| {name} | {len(X)} | {odd.mean():.1%} | {over_seeds(mine)} | "
              f"{over_seeds(forest)} | {rest[0]:.3f} | {thin:.3f} | "
              + " | ".join(f"{r:.3f}" for r in rest[1:]) + " |",
              flush=True)


if __name__ == "__main__":
    main()
