#!/usr/bin/env python3
"""boost, grown by hand from its definition, on tables whose features have few values."""
import numpy as np

from truth import (PATIENTS, PATIENTS_MIXED, PROBA, VALUE, WINES, WINES_MIXED, Header, classes,
                   no_patients, number, patients, read, weights, wines)

h = Header("Gradient boosting.", f"its definition in numpy {np.__version__}: every cut, gaps on "
           f"either side, levels in the order of G / (H + 10), or one against the rest")
L2, SMOOTH, LEAST = 1.0, 10.0, 1.0


def usual(w):
    """min_leaf of numbers where it is not set."""
    return min(20.0, w.sum() / 10)


def sides(x, levels, rows, g, hs):
    """All divisions of the rows by a feature: masks of those that go first."""
    v = x[rows]
    gap = np.isnan(v)
    if not levels:
        for cut in np.unique(v[~gap])[:-1]:
            yield v <= cut
            if gap.any():
                yield (v <= cut) | gap
        if gap.any() and not gap.all():
            yield ~gap
        return
    v = np.where(gap, -1, v)
    seen = np.unique(v)
    G = np.array([g[rows][v == c].sum() for c in seen])
    H = np.array([hs[rows][v == c].sum() for c in seen])
    order = seen[np.argsort(G / (H + SMOOTH), kind="stable")]
    for k in range(1, len(order)):
        yield np.isin(v, order[:k])
    if len(seen) <= 4:
        for c in seen:
            yield v == c


def best_split(columns, rows, g, hs, w, leaf):
    fall = lambda a: g[a].sum() ** 2 / (hs[a].sum() + L2) / 2
    best = None
    for x, levels in columns:
        for first in sides(x, levels, rows, g, hs):
            a, b = rows[first], rows[~first]
            if not len(a) or not len(b):
                continue
            if min(hs[a].sum(), hs[b].sum()) < LEAST or min(w[a].sum(), w[b].sum()) < leaf:
                continue
            gain = fall(a) + fall(b) - fall(rows)
            if gain > 1e-12 and (best is None or gain > best[0] * (1 + 1e-9)):
                best = gain, a, b
    return best


def tree(columns, g, hs, w, leaves, leaf=1.0):
    """What a tree adds to each row: the leaf that gains most is split first."""
    nodes = [np.arange(len(g))]
    splits = [best_split(columns, nodes[0], g, hs, w, leaf)]
    while len(nodes) < leaves and any(splits):
        k = max((i for i, s in enumerate(splits) if s), key=lambda i: (splits[i][0], -i))
        _, a, b = splits[k]
        nodes[k], splits[k] = a, best_split(columns, a, g, hs, w, leaf)
        nodes.append(b)
        splits.append(best_split(columns, b, g, hs, w, leaf))
    out = np.zeros(len(g))
    for rows in nodes:
        out[rows] = -g[rows].sum() / (hs[rows].sum() + L2)
    return out


def regress(columns, y, w, rounds, rate, leaves, leaf=None):
    leaf = leaf or usual(w)
    f = np.full(len(y), np.average(y, weights=w))
    for _ in range(rounds):
        f = f + rate * tree(columns, w * (f - y), w, w, leaves, leaf)
    return f


def counts(columns, y, w, rounds, rate, leaves, leaf=None):
    """poisson: the value of a leaf is the exact minimum of its loss with the penalty."""
    leaf = leaf or usual(w)
    f = np.full(len(y), np.log(np.average(y, weights=w)))
    for _ in range(rounds):
        m = np.exp(f)
        step = tree(columns, w * (m - y), w * m, w, leaves, leaf)
        for v in np.unique(step):
            rows = step == v
            G, H, s = (w * (m - y))[rows].sum(), (w * m)[rows].sum(), v
            for _ in range(100):
                s -= (H * np.exp(s) - (H - G) + L2 * s) / (H * np.exp(s) + L2)
            step[rows] = s
        f = f + rate * step
    return np.exp(f)


def classify(columns, y, w, rounds, rate, leaves):
    k = y.max() + 1
    share = np.array([w[y == c].sum() for c in range(k)]) / w.sum()
    if k == 2:
        f = np.full(len(y), np.log(share[1] / share[0]))
        for _ in range(rounds):
            p = 1 / (1 + np.exp(-f))
            f = f + rate * tree(columns, w * (p - y), w * p * (1 - p), w, leaves)
        p = 1 / (1 + np.exp(-f))
        return np.column_stack([1 - p, p])
    f = np.tile(np.log(share), (len(y), 1))
    for _ in range(rounds):
        p = np.exp(f) / np.exp(f).sum(axis=1, keepdims=True)
        f = f + rate * np.column_stack([
            tree(columns, w * (p[:, c] - (y == c)), w * k / (k - 1) * p[:, c] * (1 - p[:, c]), w,
                 leaves) for c in range(k)])
    return np.exp(f) / np.exp(f).sum(axis=1, keepdims=True)


def plain(X):
    return [(x, False) for x in X.T]


def mixed(path, names, ignore):
    table, out = read(path), []
    for n in (n for n in table if n not in ignore):
        if n == names[0]:
            level = {c: float(k) for k, c in enumerate(sorted(set(table[n]) - {""}))}
            out.append((np.array([level.get(c, np.nan) for c in table[n]]), True))
        else:
            out.append((number(table[n]), False))
    return out


X, y = classes("data/iris.csv", "species")
h.answers("boost 5 rate=0.3 max_leaves=4", "data/iris.csv", "species", PROBA,
          classify(plain(X), y, np.ones(150), 5, 0.3, 4), 1e-6)
left = ["s2"]  # more than 255 values
X, y = patients()
_, visits = patients(target="visits")
X = np.delete(X, 5, axis=1)
_, second = wines(target="second")
for way, w, v in ({}, np.ones(len(y)), np.ones(len(second))), \
        ({"weighted": True}, weights(len(y)), weights(len(second))):
    h.answers("boost 6 rate=0.2 max_leaves=5", PATIENTS, "progression", VALUE,
              regress(plain(X), y, w, 6, 0.2, 5), 1e-6, every=17,
              ignore=no_patients(**way) + left, **way)
    h.answers("boost 4 rate=0.2 max_leaves=5 loss=poisson", PATIENTS, "visits", VALUE,
              counts(plain(X), visits, w, 4, 0.2, 5), 1e-6, every=17,
              ignore=no_patients("visits", **way) + left, **way)
    h.answers("boost 6 rate=0.2 max_leaves=5 min_leaf=1", PATIENTS, "progression", VALUE,
              regress(plain(X), y, w, 6, 0.2, 5, 1), 1e-6, every=17,
              ignore=no_patients(**way) + left, **way)
    h.answers("boost 4 rate=0.2 max_leaves=5 loss=poisson min_leaf=1", PATIENTS, "visits", VALUE,
              counts(plain(X), visits, w, 4, 0.2, 5, 1), 1e-6, every=17,
              ignore=no_patients("visits", **way) + left, **way)
    columns = mixed(PATIENTS, PATIENTS_MIXED, no_patients(mixed=True) + left
                    + ["progression", "s3", "s5", "bmi"])
    h.answers("boost 6 rate=0.2 max_leaves=5", PATIENTS, "progression", VALUE,
              regress(columns, y, w, 6, 0.2, 5), 1e-6, every=17,
              ignore=no_patients(mixed=True, **way) + left + ["s3", "s5", "bmi"], **way)
    W, _ = wines()
    h.of_wines("boost 6 rate=0.3 max_leaves=4", PROBA, classify(plain(W), second, v, 6, 0.3, 4),
               1e-6, target="second", **way)
    columns = mixed(WINES, WINES_MIXED, ["weight", "part", "second", "cultivar", "proline",
                                         "color_intensity", "alcohol"])
    h.answers("boost 6 rate=0.3 max_leaves=4", WINES, "second", PROBA,
              classify(columns, second, v, 6, 0.3, 4), 1e-6, every=11,
              ignore=[c for c in ("weight", "part", "cultivar", "proline", "color_intensity",
                                  "alcohol") if c != "weight" or not way], **way)
h.end()
