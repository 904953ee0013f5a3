#!/usr/bin/env python3
"""Predictions and what scikit-learn measures of them.

Scores are rounded to two decimals, so that
many tie.
Each set is measured without weights (suffix 0) and with weights that are not whole (suffix 1).
Where scikit-learn has no function or no weights, the few lines here are the definition.
"""
import textwrap

import numpy as np
import sklearn
from sklearn import metrics as m
from sklearn.preprocessing import label_binarize

rng = np.random.default_rng(20240611)


def show(v):
    return "NAN" if np.isnan(v) else repr(float(v))


def array(kind, name, values):
    flat = np.asarray(values).ravel()
    text = ", ".join(str(int(v)) if kind == "int32_t" else show(v) for v in flat)
    print(f"static const {kind} {name}[] = {{")
    print(textwrap.fill(text, 98, initial_indent="    ", subsequent_indent="    "))
    print("};")


def value(name, v):
    print(f"    {{\"{name}\", {show(v)}}},")


def begin(name):
    print(f"static const struct expected {name}[] = {{")


def end():
    print("};")


def weighted_mean(v, w):
    return np.average(v, weights=w)


def hand_till(label, score, w):
    """Mean over ordered pairs of the weighted two-class area of column j among classes j and k."""
    w = np.ones(len(label)) if w is None else w
    areas = []
    for j in range(score.shape[1]):
        for k in range(score.shape[1]):
            if j != k:
                pick = (label == j) | (label == k)
                hit = label[pick] == j
                areas.append(m.roc_auc_score(hit, score[pick, j], sample_weight=w[pick]))
    return np.mean(areas)


def calibration_error(hit, p, w, bins=10):
    w = np.ones(len(p)) if w is None else w
    b = np.minimum((p * bins).astype(int), bins - 1)
    return sum(abs((w * (hit - p))[b == i].sum()) for i in range(bins)) / w.sum()


def top_k(label, score, w, k):
    order = np.argsort(-score, axis=1, kind="stable")[:, :k]
    return 1 - np.average((order == label[:, None]).any(axis=1), weights=w)


def rates(label, predicted, average, w):
    return m.precision_recall_fscore_support(label, predicted, average=average, sample_weight=w)


def classification(prefix, n, K):
    label = rng.integers(0, K, n)
    raw = rng.normal(size=(n, K)) + 1.3 * np.eye(K)[label]
    p = np.exp(raw) / np.exp(raw).sum(axis=1, keepdims=True)
    p = np.round(p, 2)
    p[:, -1] = np.round(1 - p[:, :-1].sum(axis=1), 2)
    p = np.clip(p, 0, 1)
    predicted = p.argmax(axis=1)
    weight = np.round(rng.uniform(0.1, 3, n), 3)
    array("int32_t", prefix + "_label", label)
    array("int32_t", prefix + "_predicted", predicted)
    array("double", prefix + "_proba", p)
    array("double", prefix + "_weight", weight)
    for suffix, w in enumerate((None, weight)):
        begin(f"{prefix}_{suffix}")
        average = "binary" if K == 2 else "macro"
        value("accuracy", m.accuracy_score(label, predicted, sample_weight=w))
        value("error", m.zero_one_loss(label, predicted, sample_weight=w))
        P, R, F, _ = rates(label, predicted, average, w)
        value("precision", P)
        value("recall", R)
        value("f1", F)
        value("balanced_accuracy", m.balanced_accuracy_score(label, predicted, sample_weight=w))
        value("matthews", m.matthews_corrcoef(label, predicted, sample_weight=w))
        value("kappa", m.cohen_kappa_score(label, predicted, sample_weight=w))
        picked = np.clip(p[np.arange(n), label], np.finfo(float).eps, 1)
        value("log_loss", weighted_mean(-np.log(picked), w))
        hot = label_binarize(label, classes=range(K))
        if K == 2:
            value("brier", m.brier_score_loss(label, p[:, 1], sample_weight=w))
            value("calibration_error", calibration_error(label, p[:, 1], w))
            value("auc", m.roc_auc_score(label, p[:, 1], sample_weight=w))
            value("average_precision", m.average_precision_score(label, p[:, 1], sample_weight=w))
        else:
            value("brier", weighted_mean(((p - hot) ** 2).sum(axis=1), w))
            value("calibration_error", calibration_error(predicted == label, p.max(axis=1), w))
            each = [m.roc_auc_score(hot[:, k], p[:, k], sample_weight=w) for k in range(K)]
            value("auc", np.mean(each))
            area = m.average_precision_score
            each = [area(hot[:, k], p[:, k], sample_weight=w) for k in range(K)]
            value("average_precision", np.mean(each))
        value("auc_ovo", hand_till(label, p, w))
        value("top3_error", top_k(label, p, w, 3) if K > 3 else np.nan)
        value("top5_error", top_k(label, p, w, 5) if K > 5 else np.nan)
        for a in ("macro", "micro", "weighted"):
            P, R, F, _ = rates(label, predicted, a, w)
            value("precision_" + a, P)
            value("recall_" + a, R)
            value("f1_" + a, F)
        end()
        array("double", f"{prefix}_confusion_{suffix}",
              m.confusion_matrix(label, predicted, sample_weight=w))
        P, R, F, S = rates(label, predicted, None, w)
        array("double", f"{prefix}_per_class_{suffix}", np.stack([P, R, F, S], axis=1))
    print()
    return label, p, weight


def regression(prefix, n, outputs):
    scale, centre = [1.7, 31, 0.2][:outputs], [3, -200, 1][:outputs]
    y = np.round(rng.normal(size=(n, outputs)) * scale + centre, 3)
    f = np.round(y + rng.normal(size=(n, outputs)) * [0.6, 9, 0.15][:outputs] + 0.05, 3)
    weight = np.round(rng.uniform(0.1, 3, n), 3)
    array("double", prefix + "_y", y)
    array("double", prefix + "_predicted", f)
    array("double", prefix + "_weight", weight)
    for suffix, w in enumerate((None, weight)):
        begin(f"{prefix}_{suffix}")
        value("mse", m.mean_squared_error(y, f, sample_weight=w))
        value("rmse", m.mean_squared_error(y, f, sample_weight=w, squared=False))
        value("mae", m.mean_absolute_error(y, f, sample_weight=w))
        if w is None:  # weights: scikit-learn takes the lower median; tested by repeated rows
            value("median_ae", m.median_absolute_error(y, f))
        value("max_error", np.abs(y - f).max())
        value("r2", m.r2_score(y, f, sample_weight=w))
        value("explained_variance", m.explained_variance_score(y, f, sample_weight=w))
        value("mape", m.mean_absolute_percentage_error(y, f, sample_weight=w))
        end()
        array("double", f"{prefix}_r2_{suffix}",
              m.r2_score(y, f, sample_weight=w, multioutput="raw_values"))
        array("double", f"{prefix}_mse_{suffix}",
              m.mean_squared_error(y, f, sample_weight=w, multioutput="raw_values"))
    print()


print("/* measures.h -- generated by tests/truth/measures.py; do not edit.")
print(f" * By scikit-learn {sklearn.__version__}, numpy {np.__version__}; within 1e-12 */")
print("struct expected {\n    const char *name;\n    double value;\n};\n")
label, p, weight = classification("binary", 57, 2)
for suffix, w in enumerate((None, weight)):
    fpr, tpr, threshold = m.roc_curve(label, p[:, 1], sample_weight=w, drop_intermediate=False)
    array("double", f"binary_fpr_{suffix}", fpr)
    array("double", f"binary_tpr_{suffix}", tpr)
    array("double", f"binary_threshold_{suffix}", threshold[1:])
    precision, recall, threshold = m.precision_recall_curve(label, p[:, 1], sample_weight=w)
    array("double", f"binary_pr_precision_{suffix}", precision[:-1][::-1])
    array("double", f"binary_pr_recall_{suffix}", recall[:-1][::-1])
print()
classification("many", 83, 4)
classification("wide", 131, 7)
regression("one", 43, 1)
regression("three", 61, 3)
