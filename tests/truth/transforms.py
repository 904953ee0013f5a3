#!/usr/bin/env python3
"""log, power, ranks, bin, clip, scale, encode, hash: of plain rows, of rows repeated by their
weights, and beside categories and gaps."""
import numpy as np
import scipy
import sklearn
from scipy import optimize, stats
from sklearn.preprocessing import (KBinsDiscretizer, MaxAbsScaler, MinMaxScaler, PowerTransformer,
                                   QuantileTransformer, RobustScaler)

from truth import (PATIENTS, TRANSFORM, WINES, Header, no_patients, number, patients, read, weights,
                   wines)

h = Header("Transforms of one feature at a time, and of categories.",
           f"scikit-learn {sklearn.__version__}, scipy {scipy.__version__}, numpy {np.__version__}")


def column_by_column(make):
    """fit, X -> what becomes of X: each column by itself, gaps left out."""
    def change(rows, X):
        out = X.copy()
        for j in range(X.shape[1]):
            there, fitted = ~np.isnan(X[:, j]), ~np.isnan(rows[:, j])
            out[there, j] = make(rows[fitted, j])(X[there, j])
        return out
    return change


def by_peer(peer):
    """The peer's own fit and transform of one column."""
    def make(x):
        peer.fit(x[:, None])
        return lambda v: np.asarray(peer.transform(v[:, None])).ravel()
    return column_by_column(make)


def ranks(normal):
    """Mean ranks less a half over how many there are: exact at values of the training rows."""
    def make(x):
        value, at = np.unique(x, return_index=True)
        u = (stats.rankdata(x)[at] - 0.5) / len(x)
        z = stats.norm.ppf(u) if normal else u
        return lambda v: np.interp(v, value, z)
    return column_by_column(make)


def likely(x, box_cox):
    """The exponent whose likelihood has the slope 0, in another way than the peer's."""
    t = np.log(x) if box_cox else np.sign(x) * np.log1p(abs(x))
    of = stats.boxcox if box_cox else stats.yeojohnson

    def slope(lam):
        if box_cox or (x >= 0).all():
            y = np.expm1(lam * t) / lam
            change = (t * np.exp(lam * t) - y) / lam
        else:
            u, a = abs(t), np.where(t >= 0, lam, 2 - lam)
            size = np.expm1(a * u) / a
            y, change = np.sign(t) * size, (u * np.exp(a * u) - size) / a
        return np.cov(y, change, ddof=0)[0, 1] / y.var() - t.mean()

    lam = optimize.brentq(slope, -3.1, 5.3, xtol=1e-14)
    y = of(x, lam)
    return lambda v: (of(v, lam) - y.mean()) / y.std()


def quantiles(tails, share=0.01):
    def make(x):
        low = np.quantile(x, share) if tails != "high" else -np.inf
        high = np.quantile(x, 1 - share) if tails != "low" else np.inf
        return lambda v: np.clip(v, low, high)
    return column_by_column(make)


exact = [
    ("log", column_by_column(lambda x: lambda v: np.sign(v) * np.log1p(abs(v))), 1e-14),
    ("log shift=2.5", column_by_column(lambda x: lambda v: np.log(v + 2.5)), 1e-14),
    ("power", column_by_column(lambda x: likely(x, False)), 1e-10),
    ("power box_cox", column_by_column(lambda x: likely(x, True)), 1e-10),
    ("power lambda=0.3 standardize=no", column_by_column(lambda x: lambda v: stats.yeojohnson(
        v, 0.3)), 1e-12),
    ("power box_cox lambda=-0.7 standardize=no", column_by_column(lambda x: lambda v: stats.boxcox(
        v, -0.7)), 1e-12),
    ("ranks", ranks(False), 1e-14),
    ("ranks normal", ranks(True), 1e-12),
    ("bin 7", by_peer(KBinsDiscretizer(7, encode="ordinal", strategy="quantile")), 1e-15),
    ("bin 6 by=width", by_peer(KBinsDiscretizer(6, encode="ordinal", strategy="uniform")), 1e-15),
    ("bin edges=20,47.5,90", column_by_column(lambda x: lambda v: np.digitize(v, [20, 47.5, 90])),
     1e-15),
    ("clip", quantiles("both"), 1e-14),
    ("clip 0.1 tails=high", quantiles("high", 0.1), 1e-14),
    ("clip low=30 high=77.5", column_by_column(lambda x: lambda v: np.clip(v, 30, 77.5)), 1e-15),
    ("scale", by_peer(MinMaxScaler()), 1e-13),
    ("scale low=-2 high=5", by_peer(MinMaxScaler((-2, 5))), 1e-13),
    ("scale robust", by_peer(RobustScaler()), 1e-13),
    ("scale robust share=0.8 center=no", by_peer(RobustScaler(
        with_centering=False, quantile_range=(10, 90))), 1e-13),
    ("scale maxabs", by_peer(MaxAbsScaler()), 1e-14),
]
table = read(PATIENTS)
P, y = patients()
level = {c: float(k) for k, c in enumerate(sorted(set(table["ward"]) - {""}))}
ward = np.array([level.get(c, np.nan) for c in table["ward"]])
N = np.column_stack([P, number(table["glucose"])])
for words, change, within in exact:
    for way in {}, {"weighted": True}:
        rows = np.repeat(N, weights(len(y)).astype(int), axis=0) if way else N
        z = change(rows, N)
        h.answers(words, PATIENTS, None, TRANSFORM, np.column_stack([z[:, :10], ward, z[:, 10]]),
                  within, every=17, ignore=no_patients(None, mixed=True, **way), **way)

# A column with values on both sides of 0, and one with a long tail, as standardize leaves them.
Z = (P - P.mean(axis=0)) / P.std(axis=0)
h.answers("standardize | power", PATIENTS, None, TRANSFORM,
          column_by_column(lambda x: likely(x, False))(Z, Z), 1e-9, every=17,
          ignore=no_patients(None))
# The peers as they are: their exponents are good to 1e-8, their ranks run from 0 to 1.
h.answers("power", PATIENTS, None, TRANSFORM, PowerTransformer().fit_transform(P), 1e-6, every=17,
          ignore=no_patients(None))
# Where several rows share the least or the greatest value, the peer sends all of them to 0 or 1;
# other equal values it reads from a line through both ends of the tie, off by up to a place.
names = [n for n in table if n not in no_patients(None)]
single = [all((x == end).sum() == 1 for end in (x.min(), x.max())) for x in P.T]
h.answers("ranks", PATIENTS, None, TRANSFORM,
          QuantileTransformer(n_quantiles=len(P)).fit_transform(P[:, single]),
          1.51 / len(P), every=17, by=1e-9,
          ignore=no_patients(None) + [n for n, one in zip(names, single) if not one])
# One 0/1 feature for each bin.
bins = KBinsDiscretizer(4, encode="onehot-dense", strategy="quantile")
h.answers("bin 4 code=onehot", PATIENTS, None, TRANSFORM, bins.fit_transform(P), 1e-15, every=17,
          ignore=no_patients(None))

# ---- encode: means of the target, with the rows repeated


def encoded(cells, answers, repeats, smooth=None, gap=False):
    """One column for each answer: means of the levels, drawn to the mean of all."""
    cells = np.array(cells)
    level, y = np.repeat(cells, repeats), np.repeat(answers, repeats, axis=0)
    prior, names = y.mean(axis=0), np.unique(level)
    rows = {c: y[level == c] for c in names}
    if smooth is None:
        within = sum(((r - r.mean(axis=0)) ** 2).sum() for r in rows.values())
        between = sum(len(r) * ((r.mean(axis=0) - prior) ** 2).sum() for r in rows.values())
        noise = within / (len(y) - len(names))
        counts = np.array([len(r) for r in rows.values()])
        apart = (between - (len(names) - 1) * noise) / (len(y) - (counts ** 2).sum() / len(y))
        smooth = noise / apart if apart > 0 else np.inf
    code = {c: prior + (r.sum(axis=0) - len(r) * prior) / (len(r) + smooth)
            for c, r in rows.items()}
    return np.array([code[c] if c or gap else prior for c in cells])


for way in {}, {"weighted": True}:
    repeats = weights(len(y)).astype(int) if way else np.ones(len(y), int)
    for words, how in [("encode", {}), ("encode 7.5", {"smooth": 7.5}),
                       ("encode missing=level", {"gap": True})]:
        code = encoded(table["ward"], y[:, None], repeats, **how)
        h.of_patients(words, TRANSFORM, np.column_stack([P, code, number(table["glucose"])]), 1e-12,
                      mixed=True, **way)
    V, c = wines()
    cellar = read(WINES)
    repeats = weights(len(c)).astype(int) if way else np.ones(len(c), int)
    code = encoded(cellar["shade"], np.eye(3)[c], repeats)
    h.of_wines("encode", TRANSFORM, np.column_stack([V, code, number(cellar["acid"])]), 1e-12,
               mixed=True, **way)

# ---- hash: no other program has this one, so it is written down again

MASK = (1 << 64) - 1


def word_hash(text):
    raw = text.encode()
    n = len(raw)
    load = lambda at, size: int.from_bytes(raw[at:at + size], "little")
    state = 0x9e3779b97f4a7c15 * (n + 1) & MASK

    def mixed(word):
        product = (state ^ word) * 0xbf58476d1ce4e5b9 & MASK
        return product ^ product >> 32

    if n >= 8:
        for at in list(range(0, n - 7, 8)) + ([n - 8] if n % 8 else []):
            state = mixed(load(at, 8))
    elif n >= 4:
        state = mixed(load(0, 4) | load(n - 4, 4) << 32)
    elif n:
        state = mixed(raw[0] | raw[n // 2] << 8 | raw[n - 1] << 16)
    state = state * 0x94d049bb133111eb & MASK
    return state ^ state >> 29


def place(column, value, buckets):
    """(bucket, sign) of a value."""
    x = word_hash(value) ^ word_hash(column) & 0x7fffffff
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9 & MASK
    x = (x ^ x >> 27) * 0x94d049bb133111eb & MASK
    x ^= x >> 31
    return (x >> 32) * buckets >> 32, -1 if x & 1 else 1


for words, buckets, sign in ("hash 24", 24, True), ("hash 300 sign=no", 300, False):
    z = np.zeros((len(y), buckets))
    for i, cell in enumerate(table["ward"]):
        if cell:
            b, s = place("ward", cell, buckets)
            z[i, b] += s if sign else 1
    h.answers(words, PATIENTS, None, TRANSFORM,
              np.column_stack([P, number(table["glucose"]), z]), 1e-15, every=61,
              ignore=no_patients(None, mixed=True))
h.end()
