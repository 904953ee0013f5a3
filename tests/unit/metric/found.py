#!/usr/bin/env python3
"""Writes found_figures.h: what scikit-learn says of the clusters of test_found.c."""
import os

import numpy
import sklearn
from sklearn import metrics

N, D, K = 23, 3, 4
found = [i * 7 // 3 % K for i in range(N)]
label = [(i * 5 // 2 + i % 4) % 3 for i in range(N)]
x = numpy.array([[(i * 37 + j * 11) % 17 / 8 + found[i] * (j + 1) for j in range(D)]
                 for i in range(N)])
table = metrics.cluster.contingency_matrix(label, found)
figures = {
    "adjusted_rand": metrics.adjusted_rand_score(label, found),
    "nmi": metrics.normalized_mutual_info_score(label, found),
    "purity": table.max(axis=0).sum() / N,
    "silhouette": metrics.silhouette_score(x, found),
    "davies_bouldin": metrics.davies_bouldin_score(x, found),
    "calinski_harabasz": metrics.calinski_harabasz_score(x, found),
}
path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "found_figures.h")
with open(path, "w", encoding="utf-8") as out:
    out.write(f"/* found_figures.h -- written by found.py with scikit-learn {sklearn.__version__}; "
              "do not edit. */\nstatic const double figures[] = {\n")
    for name, value in figures.items():
        out.write(f"    {repr(float(value)) + ',':<20} /* {name:<17} */\n")
    out.write("};\n")
