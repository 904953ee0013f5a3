#!/usr/bin/env python3
"""Writes tests/report/figures/*.json, one figure of each kind and nasty ones, and
tests/report/results/*.json, results of commands as --json prints them.

    tests/report/make_figures.py

Nothing here is random: numbers come from a small congruential generator, so the files are the same
on every machine.
"""
import json
import math
import os

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "figures")
RESULTS = os.path.join(os.path.dirname(HERE), "results")


class Draws:
    """Uniform and roughly normal numbers from a fixed recurrence."""

    def __init__(self, seed):
        self.state = seed

    def uniform(self):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2 ** 64
        return (self.state >> 11) / 2 ** 53

    def normal(self):
        return sum(self.uniform() for _ in range(12)) - 6


def short(x):
    return None if x is None else float(f"{x:.5g}")


def axis(label, scale="linear", **more):
    return {"label": label, "scale": scale, **more}


def series(name, kind, x, y, **more):
    out = {"name": name, "kind": kind}
    if x is not None:
        out["x"] = [short(v) for v in x]
    if y is not None:
        out["y"] = [short(v) for v in y]
    for key in ("low", "high"):
        if key in more:
            out[key] = [short(v) for v in more[key]]
    return out


def figure(name, title, x, y, parts, note=None, **more):
    out = {"name": name, "title": title}
    if note:
        out["note"] = note
    return {**out, "x": x, "y": y, "series": parts, **more}


def roc():
    d = Draws(3)
    parts = []
    for name, gap in (("setosa, area 0.996", 3.2), ("versicolor, area 0.941", 2.1),
                      ("virginica, area 0.918", 1.8)):
        neg = sorted((d.normal() for _ in range(90)), reverse=True)
        pos = sorted((gap + d.normal() for _ in range(60)), reverse=True)
        cuts = sorted(neg + pos, reverse=True)
        fpr = [0] + [sum(v >= c for v in neg) / 90 for c in cuts]
        tpr = [0] + [sum(v >= c for v in pos) / 60 for c in cuts]
        parts.append(series(name, "line", fpr, tpr))
    return figure("roc", "ROC: each class against the rest",
                  axis("false positive rate", min=0, max=1, equal=True),
                  axis("true positive rate", min=0, max=1), parts,
                  "A curve nearer to the upper left corner is better.",
                  marks=[{"kind": "diagonal", "at": 0, "label": "guessing"}])


def calibration():
    x = [0.04, 0.14, 0.26, 0.35, 0.44, 0.55, 0.66, 0.75, 0.84, 0.96]
    y = [0.01, 0.09, 0.2, 0.31, 0.47, 0.58, 0.71, 0.83, 0.9, 0.99]
    return figure("calibration", "Calibration", axis("mean predicted probability", min=0, max=1,
                                                     equal=True),
                  axis("share that came true", min=0, max=1),
                  [series("forest", "points", x, y, low=[v - 0.06 * (1 - v) for v in y],
                          high=[min(1, v + 0.07 * (1 - v)) for v in y])],
                  "Whiskers: 95 % intervals. Points below the diagonal: too sure.",
                  marks=[{"kind": "diagonal", "at": 0, "label": "perfect"}])


def learning():
    n = [50, 100, 200, 400, 800, 1600, 3200]
    train = [0.002, 0.008, 0.017, 0.03, 0.039, 0.046, 0.05]
    test = [0.31, 0.22, 0.161, 0.122, 0.098, 0.083, 0.074]
    return figure("learning", "Learning curve of knn 5 on digits",
                  axis("training rows", "log"), axis("error", min=0),
                  [series("training rows", "line", n, train),
                   series("training rows", "band", n, None, low=[v * 0.6 for v in train],
                          high=[v * 1.5 for v in train]),
                   series("rows not seen", "line", n, test),
                   series("rows not seen", "band", n, None, low=[v * 0.88 for v in test],
                          high=[v * 1.13 for v in test])],
                  "Bands: one standard deviation over 5 folds.",
                  marks=[{"kind": "hline", "at": 0.068, "label": "all rows"}])


def validation():
    k = [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20]
    train = [0.3 * math.exp(-0.5 * v) + 0.02 for v in k]
    test = [0.3 * math.exp(-0.5 * v) + 0.05 + 0.0006 * v * v for v in k]
    return figure("validation", "max_depth of a tree against error",
                  axis("max_depth"), axis("error"),
                  [series("training rows", "line", k, train), series("rows not seen", "line", k,
                                                                     test)],
                  None, marks=[{"kind": "vline", "at": 5, "label": "best: 5"}],
                  shades=[{"from": 1, "to": 3, "label": "underfitting"},
                          {"from": 10, "to": 20, "label": "overfitting"}])


def importance():
    names = ["petal_length", "petal_width", "sepal_length", "sepal_width",
             "a column with a name that nobody would want to read to its end", "noise_1"]
    x = [0.342, 0.311, 0.042, 0.013, 0.0021, -0.004]
    return figure("importance", "Permutation importance",
                  axis("loss of accuracy when the column is shuffled"), axis("", "names",
                                                                             names=names),
                  [series("importance", "hbars", x, list(range(6)), low=[v - 0.02 for v in x],
                          high=[v + 0.02 for v in x])],
                  "Whiskers: two standard errors over 20 shuffles.")


def confusion(n):
    d = Draws(11)
    names = (["setosa", "versicolor", "virginica"] if n == 3 else
             [str(k) for k in range(n)] if n == 10 else [chr(65 + k % 26) * (1 + k // 26)
                                                         for k in range(n)])
    value = [int(d.uniform() ** 6 * 14) if r != c else 60 + int(d.uniform() * 120)
             for r in range(n) for c in range(n)]
    return figure(f"confusion_{n}", "Confusion", axis("predicted class", "names", names=names),
                  axis("true class", "names", names=names),
                  [{"name": "rows", "kind": "cells", "nx": n, "ny": n, "value": value,
                    "text": True}], "A row is the true class, a column the predicted one.")


def regions():
    d = Draws(23)
    n, names = 80, ["red maple", "silver maple", "sycamore"]
    value = []
    for r in range(n):
        for c in range(n):
            x, y = -3 + 6 * (c + 0.5) / n, -3 + 6 * (r + 0.5) / n
            value.append(2 if x * x + y * y < 1.6 else int(y > math.sin(2 * x)))
    parts = [{"name": "regions", "kind": "cells", "nx": n, "ny": n, "value": value,
              "names": names}]
    for k, name in enumerate(names):
        px, py = [], []
        while len(px) < 40:
            x, y = -3 + 6 * d.uniform(), -3 + 6 * d.uniform()
            if (2 if x * x + y * y < 1.6 else int(y > math.sin(2 * x))) == k:
                px.append(x + 0.2 * d.normal())
                py.append(y + 0.2 * d.normal())
        parts.append(series(name, "points", px, py))
    return figure("regions", "What the model answers where",
                  axis("width", min=-3, max=3, equal=True),
                  axis("height", min=-3, max=3), parts)


def surface():
    n = 60
    value = [short(1 / (1 + math.exp(-(4 * math.sin(c / 9) + (r - 30) / 6)))) for r in range(n)
             for c in range(n)]
    return figure("surface", "Probability of yes", axis("age", min=20, max=80),
                  axis("income", min=0, max=90000),
                  [{"name": "probability", "kind": "cells", "nx": n, "ny": n, "value": value}])


def folds():
    names = [f"fold {k}" for k in range(1, 6)]
    return figure("folds", "Accuracy in each fold", axis("", "names", names=names),
                  axis("accuracy", min=0.9, max=1),
                  [series("knn", "points", range(5), [0.953, 0.967, 0.933, 0.98, 0.96],
                          low=[0.93, 0.95, 0.91, 0.96, 0.94], high=[0.97, 0.98, 0.96, 0.99, 0.98]),
                   series("ridge", "points", [0.1, 1.1, 2.1, 3.1, 4.1],
                          [0.943, 0.957, 0.923, 0.97, 0.95])],
                  marks=[{"kind": "hline", "at": 0.9587, "label": "mean of knn"}])


def league():
    names = ["standardize | knn 5", "forest trees=300", "logistic", "poly 2 | ridge 0.1",
             "svm kernel=rbf gamma=0.05 C=10", "bayes", "tree max_depth=6", "majority"]
    y = [0.967, 0.961, 0.958, 0.942, 0.94, 0.921, 0.9, 0.33]
    return figure("league", "Accuracy over 10 folds", axis("accuracy"),
                  axis("", "names", names=names),
                  [series("accuracy", "hpoints", y, range(8), low=[v - 0.02 for v in y],
                          high=[v + 0.02 for v in y])],
                  marks=[{"kind": "vline", "at": y[-1], "label": "baseline"}])


def bars():
    names = ["bias\u00b2", "variance", "noise", "sum", "measured error"]
    return figure("parts", "Where the error comes from", axis("", "names", names=names),
                  axis("squared error"),
                  [series("tree", "bars", range(5), [0.21, 1.84, 1.0, 3.05, 3.08]),
                   series("bag of 50 trees", "bars", range(5), [0.23, 0.31, 1.0, 1.54, 1.57],
                          low=[0.2, 0.28, 0.97, 1.5, 1.5], high=[0.26, 0.34, 1.03, 1.6, 1.64])])


def histogram():
    d = Draws(5)
    counts = [0] * 24
    for _ in range(4000):
        counts[min(23, max(0, int(12 + 3.4 * d.normal())))] += 1
    return figure("residual_histogram", "Residuals", axis("residual"), axis("rows"),
                  [series("rows", "bars", [-57.5 + 5 * k for k in range(24)], counts)])


def residuals():
    d = Draws(9)
    x = [60 + 240 * d.uniform() for _ in range(900)]
    y = [(10 + v / 6) * d.normal() for v in x]
    return figure("residuals", "Residual against prediction", axis("predicted progression"),
                  axis("residual"), [series("held-out rows", "points", x, y)],
                  "A funnel means that the spread grows with the prediction.",
                  marks=[{"kind": "hline", "at": 0, "label": "no error"}])


def loss():
    x = list(range(1, 401))
    return figure("training", "Loss of each iteration", axis("iteration"), axis("loss", "log"),
                  [series("training rows", "line", x,
                          [3 * math.exp(-v / 40) + 1e-5 * (1 + math.sin(v)) for v in x]),
                   series("held-out rows", "line", x, [3 * math.exp(-v / 45) + 0.02 + v * 2e-5
                                                       for v in x])],
                  marks=[{"kind": "vline", "at": 212, "label": "stopped"}])


def steps():
    x = [0, 0.1, 0.25, 0.4, 0.6, 0.8, 1]
    return figure("steps", "Precision and recall", axis("recall", min=0, max=1),
                  axis("precision", min=0, max=1),
                  [series("spam", "step", x, [1, 1, 0.96, 0.9, 0.84, 0.7, 0.5]),
                   series("ham", "step", x, [1, 0.98, 0.97, 0.95, 0.94, 0.9, 0.8])])


def many_series():
    x = list(range(40))
    return figure("many", "Twelve classes", axis("step"), axis("share"),
                  [series(f"class {chr(97 + k)}", "line", x,
                          [math.sin(0.13 * v + k) * (k + 1) + 2 * k for v in x])
                   for k in range(12)])


def many_names():
    names = [f"category number {k}" for k in range(60)]
    return figure("many_names", "Sixty levels", axis("level", "names", names=names),
                  axis("rows"), [series("rows", "bars", range(60),
                                        [100 * math.exp(-k / 20) for k in range(60)])])


def correlations():
    names = ["sepal_length", "sepal_width", "petal_length", "petal_width"]
    value = [1, -0.12, 0.87, 0.82, -0.12, 1, -0.43, -0.37, 0.87, -0.43, 1, 0.96, 0.82, -0.37, 0.96,
             1]
    n = 21
    return [figure("correlations", "Numbers above and below zero", axis("", "names", names=names),
                   axis("", "names", names=names),
                   [{"name": "r", "kind": "cells", "nx": 4, "ny": 4, "value": value,
                     "text": True}]),
            figure("saddle", "A saddle", axis("x", min=-1, max=1, equal=True),
                   axis("y", min=-1, max=1),
                   [{"name": "value", "kind": "cells", "nx": n, "ny": n,
                     "value": [short((c / 10 - 1) * (r / 10 - 1)) for r in range(n)
                               for c in range(n)]}])]


def trials():
    d = Draws(77)
    k = [10 ** (-5 + 7 * d.uniform()) for _ in range(70)]
    y = [0.05 + 0.02 * abs(math.log10(v) + 1.2) + 0.01 * d.uniform() for v in k]
    best = [min(y[:i + 1]) for i in range(70)]
    return [figure("trials", "70 trials: l2 against error", axis("l2", "log"), axis("error"),
                   [series("trial", "points", k, y)], marks=[{"kind": "vline", "at": 0.07,
                                                              "label": "chosen: 0.07"}]),
            figure("search", "Best error so far", axis("trial"), axis("error"),
                   [series("best so far", "step", range(1, 71), best),
                    series("trial", "points", range(1, 71), y)])]


def node(parent, edge, lines, rows, of, **more):
    out = {} if parent is None else {"parent": parent, "edge": edge}
    out.update({"rows": rows, "share": short(rows / of), "leaf": False, "lines": lines})
    if "counts" in more:
        counts = more.pop("counts")
        out["bars"] = [short(c / sum(counts)) for c in counts]
    return {**out, **more}


def tree_classes():
    rows = [(None, None, "petal_width <= 0.8", [50, 50, 50]), (0, "yes", "setosa", [50, 0, 0]),
            (0, "no", "petal_width <= 1.75", [0, 50, 50]),
            (2, "yes", "petal_length <= 4.95", [0, 49, 5]),
            (2, "no", "petal_length <= 4.85", [0, 1, 45]), (3, "yes", "versicolor", [0, 47, 1]),
            (3, "no", "petal_width <= 1.55", [0, 2, 4]), (6, "yes", "virginica", [0, 0, 3]),
            (6, "no", "versicolor", [0, 2, 1])]
    nodes = [node(parent, edge, [words, f"{sum(counts)} rows, {100 * max(counts) / sum(counts):.3g}"
                                 " %"], sum(counts), 150, counts=counts, leaf="<=" not in words)
             for parent, edge, words, counts in rows]
    nodes[4]["more"] = 2
    return {"name": "tree_classes", "title": "Tree", "note": "Drawn: 9 of 11 nodes.",
            "classes": ["setosa", "versicolor", "virginica"], "tree": nodes}


def tree_ways():
    """More classes than colours, more ways than two, and words that need room or care."""
    d = Draws(41)
    mix = lambda: [d.uniform() ** 3 + 0.001 for _ in range(12)]
    levels = [f"level {i}" for i in range(7)]
    levels[3] = "a very long name of a level that goes on and on and is wider than the box"
    nodes = [node(None, None, ["colour", "960 rows, a 20 %"], 960, 960, counts=mix())]
    nodes += [node(0, level, [f"x <= {i / 3:.6g}", f"{100 + i} rows"], 100 + i, 960, counts=mix())
              for i, level in enumerate(levels)]
    for parent in (1, 3, 5, 7):
        words = "<b>&\"quoted\" \u00e4\u00f6\u00fc \U0001F341" if parent == 5 else "class 1"
        nodes += [node(parent, edge, [words, "50 rows"], 50, 960, counts=mix(), leaf=True)
                  for edge in ("yes", "no")]
    return {"name": "tree_ways", "title": "Many ways & many classes, with a title that is so long "
            "that it has to be broken into two lines somewhere",
            "classes": [f"class {i}" for i in range(12)], "tree": nodes}


def tree_numbers():
    d = Draws(43)
    nodes, open_ones = [node(None, None, ["lstat <= 9.7", "506 rows, mean 22.5"], 506, 506,
                             shade=0.4)], [(0, 506)]
    while open_ones:
        parent, rows = open_ones.pop(0)
        first = int(rows * (0.3 + 0.4 * d.uniform()))
        for edge, n in (("yes", first), ("no", rows - first)):
            leaf = n < 80
            nodes.append(node(parent, edge, ["24.6" if leaf else "rm <= 6.94", f"{n} rows"], n,
                              506, shade=short(2 * d.uniform() - 1), leaf=leaf))
            if not leaf:
                open_ones.append((len(nodes) - 1, n))
    return {"name": "tree_numbers", "title": "Tree 0 of 100", "tree": nodes}


def tree_alone():
    """One leaf, and values that are not numbers."""
    return {"name": "tree_alone", "title": "One leaf",
            "tree": [{"lines": ["setosa"], "leaf": True, "share": None, "bars": [None, -1, "x"],
                      "shade": "q", "more": -3}]}


def nasty():
    line = lambda y, x=None: [series("s", "line", x, y)]
    plain = (axis("x"), axis("y"))
    return [
        figure("empty", "No series at all", *plain, []),
        figure("empty_series", "A series without points", *plain, [series("s", "line", [], [])]),
        figure("one_point", "One point", *plain, line([3.7], [2])),
        figure("equal_values", "All the same", *plain, line([4.25] * 9)),
        figure("zeros", "All zero", *plain, [series("s", "bars", None, [0, 0, 0])]),
        figure("gaps", "Gaps in a line", *plain,
               line([1, 2, None, 3, None, None, 2, 2.5, None, 1])),
        figure("all_gaps", "Nothing but gaps", *plain, line([None, None, None])),
        figure("huge", "Huge range", *plain, line([1e-300, 1, 1e300, -1e300, 5e-324, 1.7e308])),
        figure("huge_log", "Huge range on a log axis", axis("x"), axis("y", "log"),
               [{"name": "s", "kind": "line", "x": [0, 1, 2, 3], "y": [1e-300, 1, 1e300, 1e10]}]),
        figure("negative_log", "Values that a log axis cannot show", axis("x"), axis("y", "log"),
               line([1, 10, -5, 0, 100, 1000])),
        figure("tiny_range", "Large numbers that hardly differ", *plain,
               [{"name": "s", "kind": "line", "y": [1234567.1, 1234567.2, 1234567.15]}]),
        figure("large_numbers", "Millions", *plain, line([2.5e6, 5e6, 1e7, 7e6])),
        figure("small_numbers", "Millionths", *plain, line([2.5e-6, 5e-6, 1e-6, 7e-7])),
        figure("negative", "Below and above zero", axis("", "names", names=["a", "b", "c", "d"]),
               axis("change"), [series("s", "bars", range(4), [-2.5, 3, -0.4, 1.1])]),
        figure("outside", "Data beyond the axes that were asked for", axis("x", min=0, max=1),
               axis("y", min=0, max=1), [{"name": "s", "kind": "line", "x": [-1e9, 0.2, 0.5, 3],
                                          "y": [0.1, 0.4, 1e12, -4]}]),
        figure("hostile", "</title><script>alert('\u0001&\"<>')</script>",
               axis("<b>x</b> & \"y\""), axis("\u202e\u0000\ufffe"),
               [series("<svg onload=alert(1)>", "line", None, [1, 2, 3]),
                series("\u540d\u524d \U0001f600 e\u0301\u0327 "
                       "\u0627\u0644\u0639\u0631\u0628\u064a\u0629",
                       "line", None, [3, 2, 1])], "]]> &amp; <!-- "),
        figure("long_words", "A title that goes on and on, far beyond what any drawing of this "
               "width can hold in one line, so that it must be broken, and then goes on even more "
               "until it is really long",
               axis("an x axis whose label is so long that it cannot possibly be shown below a "
                    "drawing of a reasonable width without being cut"),
               axis("a y axis label of the same kind, as long as a sentence of a lawyer, and then "
                    "a little longer, to be sure that it is cut"),
               [series("a series with a name as long as a whole line of a book, and a second one "
                       "after it, which no legend can hold", "line", None, [1, 2, 3]),
                series("b", "line", None, [3, 2, 1])],
               "A note is a sentence, and sentences can be long. " * 5,
               marks=[{"kind": "vline", "at": k, "label": f"a mark with a long label, number {k}"}
                      for k in range(3)]),
        figure("close_marks", "Marks close to one another", *plain,
               line([1, 2, 3, 4], [0, 10, 20, 30]),
               marks=[{"kind": "vline", "at": 10 + 0.3 * k, "label": f"mark {k}"}
                      for k in range(6)]),
        figure("log_narrow", "Less than a decade", axis("x", "log"), axis("y", "log"),
               line([31, 34, 37, 33], [1.2, 1.5, 2.2, 3.1])),
        figure("equal_odd", "Equal units, unequal ranges", axis("x", equal=True), axis("y"),
               [series("s", "points", [0, 10, 20, 30], [0, 1, 4, 2])]),
        figure("wide_cells", "Text that does not fit", axis("x"), axis("y"),
               [{"name": "v", "kind": "cells", "nx": 40, "ny": 3, "text": True,
                 "value": [short((k * 7919 % 997) / 3) for k in range(120)]}]),
        figure("class_cells", "Classes with gaps", axis("x", min=0, max=1), axis("y", min=0, max=1),
               [{"name": "c", "kind": "cells", "nx": 3, "ny": 2, "value": [0, 1, None, 9, 0, 1],
                 "names": ["yes", "no"]}]),
        figure("unnamed", "", axis("", "names"), axis(""),
               [{"kind": "bars", "y": [1, 2, 3]}, {"kind": "points", "y": [2, 3, 4]}]),
    ]


def classified(names, confusion):
    """The measures of a confusion matrix, in the form of `samara evaluate --json`."""
    n, total = len(names), sum(map(sum, confusion))
    rows, right = [], sum(confusion[k][k] for k in range(n))
    for k in range(n):
        support, taken = sum(confusion[k]), sum(confusion[r][k] for r in range(n))
        p, r = confusion[k][k] / taken, confusion[k][k] / support
        rows.append({"name": names[k], "precision": short(p), "recall": short(r),
                     "f1": short(2 * p * r / (p + r)), "support": support})
    mean = {key: short(sum(row[key] for row in rows) / n) for key in ("precision", "recall", "f1")}
    return {"accuracy": short(right / total), "error": short(1 - right / total), **mean,
            "balanced_accuracy": mean["recall"], "matthews": 0.9315, "kappa": 0.9301,
            "log_loss": 0.1468, "brier": 0.0831, "calibration_error": 0.0212, "auc": 0.9917,
            "average_precision": 0.9804, "top3_error": None,
            "averages": {"macro": mean, "weighted": mean}, "classes": rows, "confusion": confusion}


def results():
    spec = ("columns unseen=missing dates=days target=as_is | standardize center=yes scale=yes | "
            "knn k=5 metric=euclidean weight=uniform algorithm=auto")
    names = ["setosa", "versicolor", "virginica"]
    confusion = [[50, 0, 0], [0, 47, 3], [0, 4, 46]]
    stages = [{"stage": "standardize", "title": "Standardising", "inserted": False,
               "sentence": "standardize center=yes scale=yes",
               "features": [{"feature": f, "mean": m, "sd": d} for f, m, d in (
                   ("sepal_length", 5.8433, 0.8253), ("sepal_width", 3.0573, 0.4344),
                   ("petal_length", 3.758, 1.7594), ("petal_width", 1.1993, 0.7597))]},
              {"stage": "knn", "title": "k nearest neighbours", "inserted": False, "k": 5,
               "sentence": "knn k=5", "rows": 150, "metric": "euclidean",
               "tree": {"leaves": 10, "levels": 1}, "class_weights": [50, 50, 50]}]
    yield "evaluate", {
        "command": "evaluate", "model": "models/iris.smr", "data": "data/iris.csv", "spec": spec,
        "task": "classify", "target": ["species"], "classes": names, "rows": 150, "features": 4,
        "measures": classified(names, confusion), "predict_seconds": 0.00031,
        "peak_memory_bytes": 8912896, "stages": stages,
        "figures": [roc(), calibration(), steps(), importance(), regions()],
        "warnings": ["the model was trained on rows of this file: 150 of 150 rows are the same",
                     "class 'virginica' & <others> have fewer than 60 rows"]}
    spread = {}
    for name, mean, sd in (("accuracy", 0.9587, 0.0182), ("error", 0.0413, 0.0182),
                           ("f1", 0.9583, 0.0186), ("auc", 0.9953, 0.0047),
                           ("log_loss", 0.1431, 0.0712)):
        spread[name] = {"mean": mean, "sd": sd, "low": short(mean - 1.2 * sd),
                        "high": short(mean + 1.2 * sd), "rounds": 5, "pooled": short(mean + 0.001),
                        "better": "lower" if name in ("error", "log_loss") else "higher"}
    yield "cv", {
        "command": "cv", "spec": spec, "data": "data/iris.csv", "task": "classify",
        "target": ["species"], "classes": names, "rows": 150, "features": 4, "seed": 0,
        "threads": 2, "plan": {"kind": "folds", "folds": 5, "repeats": 1, "stratified": True},
        "measures": spread, "by_round": [
            {"round": k + 1, "rows": 30, "accuracy": a, "auc": short(0.99 + a / 200),
             "log_loss": short(0.6 - a / 2), "fit_seconds": 0.00021}
            for k, a in enumerate((0.96667, 0.93333, 0.96667, 0.93333, 1.0))],
        "figures": [folds(), learning()], "warnings": [], "peak_memory_bytes": 9437184}
    yield "compare", {
        "command": "compare", "data": "data/breast_cancer.csv", "task": "classify",
        "target": ["diagnosis"], "classes": ["benign", "malignant"], "rows": 569, "features": 30,
        "seed": 7, "league": [
            {"rank": k + 1, "spec": s, "accuracy": a, "low": short(a - 0.02),
             "high": short(a + 0.02), "difference": short(a - 0.967), "noise": k < 3,
             "seconds": t} for k, (s, a, t) in enumerate((
                 ("standardize | knn 5", 0.967, 0.012), ("forest trees=300", 0.961, 1.31),
                 ("logistic", 0.958, 0.044), ("poly 2 | ridge 0.1", 0.942, 0.21),
                 ("svm kernel=rbf gamma=0.05 C=10", 0.94, 0.35), ("majority", 0.6274, 0.0004)))],
        "failed": [{"spec": "bayesnet", "why": "bayesnet: column 'radius' has 456 levels; at most "
                                               "100 are taken"}],
        "figures": [league(), trials()[0], trials()[1], bars()],
        "warnings": ["bayesnet was left out: column 'radius' has 456 levels"]}
    yield "regress", {
        "command": "train", "spec": "linear intercept=yes", "data": "data/diabetes.csv",
        "task": "regress", "target": ["progression"], "columns": 11, "rows": 442, "features": 10,
        "seed": 0, "threads": 2, "read_seconds": 0.0021, "fit_seconds": 0.0007,
        "fit": {"iterations": 0, "objective": 1263985.7856, "converged": True},
        "measures": {"mse": 2868.5, "rmse": 53.558, "mae": 43.277, "median_ae": 37.12,
                     "max_error": 155.8, "r2": 0.5177, "explained_variance": 0.5179,
                     "mape": 0.3881},
        "measured_on": "holdout", "measured_rows": 88, "model": None,
        "figures": [residuals(), histogram(), loss(), surface()], "warnings": []}
    yield "bare", {"command": "explain", "anything": {"deep": {"deeper": [[1, 2], [3, 4]]}},
                   "numbers": list(range(60)), "text": "<script>alert(1)</script>",
                   "empty": [], "nothing": None, "flag": True, "x&y": {"a": 1, "b": "c"}}


def main():
    os.makedirs(HERE, exist_ok=True)
    os.makedirs(RESULTS, exist_ok=True)
    for name, root in results():
        with open(os.path.join(RESULTS, name + ".json"), "w", encoding="utf-8") as f:
            json.dump(root, f, ensure_ascii=True)
            f.write("\n")
    figures = [roc(), calibration(), learning(), validation(), importance(), confusion(3),
               confusion(10), confusion(26), regions(), surface(), folds(), league(), bars(),
               histogram(), residuals(), loss(), steps(), many_series(), many_names(), *trials(),
               *correlations(), tree_classes(), tree_ways(), tree_numbers(), tree_alone()]
    figures += nasty()
    for one in figures:
        with open(os.path.join(HERE, one["name"] + ".json"), "w", encoding="utf-8") as f:
            json.dump(one, f, ensure_ascii=True)
            f.write("\n")


if __name__ == "__main__":
    main()
