#!/usr/bin/env python3
"""What XGBoost loses on two tables, and its Shapley values of two small trees."""
import json

import numpy as np
import xgboost

from truth import Header, classes, numbers

h = Header("XGBoost's losses and Shapley values.", f"xgboost {xgboost.__version__}")


def halves(X, y):
    test = np.arange(len(y)) % 4 == 3
    return X[~test], y[~test], X[test], y[test]


rows = []
for file, target, objective in [("breast_cancer", "diagnosis", "binary:logistic"),
                                ("diabetes", "progression", "reg:squarederror")]:
    X, y = (classes if target == "diagnosis" else numbers)(f"data/{file}.csv", target)
    A, a, B, b = halves(X, y)
    losses = []
    for bins in range(160, 400, 16):
        m = xgboost.train({"tree_method": "hist", "max_leaves": 31, "max_depth": 0,
                           "grow_policy": "lossguide", "eta": 0.1, "max_bin": bins,
                           "base_score": float(a.mean()), "objective": objective, "nthread": 1},
                          xgboost.DMatrix(A, a), 100)
        losses.append([])
        for D, d in (A, a), (B, b):
            p = m.predict(xgboost.DMatrix(D)).astype(float)
            losses[-1].append(-np.log(np.where(d == 1, p, 1 - p)).mean() if target == "diagnosis"
                              else np.sqrt(((p - d) ** 2).mean()))
    rows.append((f"data/{file}.csv", target, np.mean(losses, axis=0),
                 np.std(losses, axis=0, ddof=1)))
h.records("xgboost_losses", "const char *table, *target; double mean[2], sd[2];", rows,
          "hist, max_leaves 31, lossguide, eta 0.1, base_score mean, 100 rounds on the rows with "
          "i % 4 != 3: log loss, or root mean squared error, on these and on the others; mean and "
          "deviation over max_bin = 160, 176 .. 384, since bins are cut in many ways", 1e-3)

# ---- two trees of depth 3 for 200 rows of 4 features, 15 % of the cells missing

rng = np.random.default_rng(5)
x = np.round(rng.standard_normal((200, 4)), 2).astype(np.float32)
x[rng.random(x.shape) < 0.15] = np.nan
z = np.nan_to_num(x)
y = z[:, 0] * z[:, 1] + z[:, 2] + 0.3 * rng.standard_normal(200)
m = xgboost.train({"max_depth": 3, "eta": 0.5, "base_score": 0, "tree_method": "exact",
                   "nthread": 1}, xgboost.DMatrix(x, y), 2)


def nodes(text):
    """Feature (-1: a leaf), cut (of a leaf: its value), whether gaps go first, the first child,
    rows; values up to the cut go first here, below it there."""
    out, todo = {}, [json.loads(text)]
    while todo:
        n = todo.pop()
        if "leaf" in n:
            out[n["nodeid"]] = (-1, float(np.float32(n["leaf"])), False, 0, n["cover"])
            continue
        cut = float(np.nextafter(np.float32(n["split_condition"]), np.float32(-np.inf)))
        first = n["yes"]
        assert n["no"] == first + 1
        out[n["nodeid"]] = (int(n["split"][1:]), cut, n["missing"] == first, first, n["cover"])
        todo += n["children"]
    return [out[k] for k in range(len(out))]


h.lines += ["/* A node; feature -1: a leaf, whose value is `cut`. */", "struct peer_node {",
            "    int32_t feature;", "    double cut;", "    bool missing_first;",
            "    int32_t child;", "    double cover;", "};", ""]
dump = m.get_dump(with_stats=True, dump_format="json")
for name, text in zip(("first_tree", "second_tree"), dump):
    h.comment(f"{name}: feature, cut or value, gaps go first, first child, rows", 1e-6)
    h.put(f"static const struct peer_node {name}[]", "{" + ", ".join(
        "{" + ", ".join(map(lambda v: "true" if v is True else "false" if v is False else repr(v),
                            n)) + "}" for n in nodes(text)) + "}")
rows = np.array([[-0.8, -1.32, -0.25, 0.42], [1.14, 0.11, -1.55, -0.78], [-2, -0.5, 0.9, 0],
                 [np.nan, 1.6, 1.2, np.nan], [-1.5, np.nan, 0.6, 1], [2.5, -3, np.nan, np.nan]])
h.array("peer_rows", rows, "Six rows", 0)
h.array("peer_values", m.predict(xgboost.DMatrix(rows), pred_contribs=True).astype(float),
        "predict(pred_contribs=True), computed in floats", 1e-6)
h.end()
