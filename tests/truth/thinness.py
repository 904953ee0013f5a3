#!/usr/bin/env python3
"""thinness: local outlier factors of scikit-learn, of the rows themselves and of new ones."""
import numpy as np
import sklearn
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import LocalOutlierFactor

from truth import Header, classes

h = Header("Local outlier factors.", f"scikit-learn {sklearn.__version__}")

X, y = classes("data/breast_cancer.csv", "diagnosis")  # numbers of many digits: no ties, no copies
half = np.arange(len(X)) % 2 == 0
rows, areas = [], []
for which, (k, metric, words) in enumerate([(20, "euclidean", "lof"),
                                            (5, "euclidean", "lof 5"),
                                            (20, "manhattan", "lof metric=manhattan"),
                                            (7, "minkowski",
                                             "lof 7 metric=minkowski p=3"),
                                            (600, "euclidean", "lof 600")]):
    own = LocalOutlierFactor(min(k, len(X) - 1), metric=metric, p=3).fit(X)
    model = LocalOutlierFactor(min(k, half.sum() - 1), metric=metric, p=3, novelty=True)
    model.fit(X[half])
    new = model.score_samples(X[~half])
    rows += [(which, i, own.negative_outlier_factor_[i],
              new[i // 2] if i % 2 and k < 600 else np.nan)
             for i in range(0, len(X), 13)]
    areas.append((which, words, roc_auc_score(y, -own.negative_outlier_factor_)))

h.records("lof_scores", "int64_t sentence, row; double own, fresh;",
          [(a, b, c, -9.0 if np.isnan(d) else d) for a, b, c, d in rows],
          "rows of breast_cancer.csv among all others; some odd ones also as new to the even "
          "ones, the others -9", within=1e-9)
h.records("lof_areas", "int64_t sentence; const char *words; double area;", areas,
          "areas under the ROC curve of malignant cells", within=1e-9)
h.end()
