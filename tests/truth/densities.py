#!/usr/bin/env python3
"""density: Parzen windows, histograms and parametric densities, of plain rows, of rows with
weights, and beside categories and gaps."""
import numpy as np
import scipy
import sklearn
from scipy import optimize, stats
from scipy.special import gammaln
from sklearn.neighbors import KernelDensity

from truth import (EVERY_WAY, Header, PATIENTS, coded, number, patients, read, weights, wines)

SCORE = "SMR_OUTPUT_SCORE"
h = Header("Densities.", f"scikit-learn {sklearn.__version__}, scipy {scipy.__version__} and the "
           "formulas")

DEVIATION = {"gaussian": lambda d: 1, "epanechnikov": lambda d: (d + 4) ** -0.5,
             "ball": lambda d: (d + 2) ** -0.5, "box": lambda d: 3 ** -0.5}
PEERS_NAME = {"gaussian": "gaussian", "epanechnikov": "epanechnikov", "ball": "tophat"}


def log_ball(d):
    return d / 2 * np.log(np.pi) - gammaln(d / 2 + 1)


def moments(X, w, less):
    """Mean and deviation; quartiles' distance in units of a normal deviation."""
    R = np.repeat(X, w.astype(int), axis=0)
    low, high = np.quantile(R, [0.25, 0.75], axis=0)
    return R.mean(axis=0), R.std(axis=0, ddof=less), (high - low) / (2 * stats.norm.ppf(0.75))


def rule(name, X, w, kernel="gaussian"):
    """The factor, and what it is a factor of."""
    W, d = w.sum(), X.shape[1]
    _, sd, quartiles = moments(X, w, 1)
    f = W ** (-1 / (d + 4)) / DEVIATION[kernel](d)
    if name != "scott":
        f *= (4 / (d + 2)) ** (1 / (d + 4))
    if name == "robust":
        sd = np.where(quartiles > 0, np.minimum(sd, quartiles), sd)
    return f, sd


def log_kernels(Q, there, d, kernel):
    """log K of squared distances (of box: largest squares) over `there` of d features, over its
    integral; the others are integrated out, one of them at most."""
    lost = d - there
    assert lost in (0, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        if kernel == "gaussian":
            return -Q / 2 - there / 2 * np.log(2 * np.pi)
        if kernel == "box":
            return np.where(Q <= 1, 0.0, -np.inf) - there * np.log(2)
        half = np.sqrt(np.maximum(0, 1 - Q))  # how far the lost coordinate goes
        if kernel == "ball":
            inside = 2 * half if lost else 1.0 * (Q <= 1)
            return np.log(inside) - log_ball(d)
        inside = 4 / 3 * half ** 3 if lost else half ** 2
        return np.log(inside) - (log_ball(d) + np.log(2 / (d + 2)))


def log_sum(F, w):
    most = F.max(axis=1, keepdims=True)
    most = np.where(np.isfinite(most), most, 0)
    with np.errstate(divide="ignore"):
        return np.log((w * np.exp(F - most)).sum(axis=1)) + most[:, 0]


def parzen(X, w, width, rows, kernel="gaussian", root=None, centre=0, leave=False):
    """log p of rows; root: the shape of the kernel.  leave: the rows are X, each without itself."""
    out, d = [], X.shape[1]
    for i, x in enumerate(rows):
        there = ~np.isnan(x)
        off = X[:, there] - x[there]
        if root is None:
            U = (off / width[there]) ** 2
            volume = np.log(width[there]).sum()
        else:
            L = np.linalg.cholesky((root @ root.T)[np.ix_(there, there)])
            U = np.linalg.solve(L, off.T).T ** 2 / width[0] ** 2
            volume = there.sum() * np.log(width[0]) + np.log(np.diag(L)).sum()
        Q = U.max(axis=1) if kernel == "box" else U.sum(axis=1)
        v = np.where((X == x).all(axis=1), 0, w) if leave else w
        F = log_kernels(Q, there.sum(), d, kernel)
        out.append(log_sum(np.where(v > 0, F, -np.inf)[None], v)[0] - np.log(v.sum()) - volume)
    return np.array(out)


def full_root(X, w, sd, less):
    R = np.repeat(X, w.astype(int), axis=0)
    C = np.corrcoef(R.T)
    assert np.allclose(np.cov(R.T, ddof=less) / np.outer(R.std(axis=0, ddof=less),
                                                         R.std(axis=0, ddof=less)), C)
    return sd[:, None] * np.linalg.cholesky(C)


# ---- histograms: cells are closed below, but for the last ones; log p, -infinity outside

def edges(X, bins):
    low, high = X.min(axis=0), X.max(axis=0)
    flat = high <= low
    half = np.where(flat, 0.5e-6 * (1 + abs(low)), 0)
    return low - half, high + half, bins


def cells(X, low, high, bins):
    """np.histogram's rule, column by column."""
    out = []
    for j in range(X.shape[1]):
        lines = np.linspace(low[j], high[j], bins[j] + 1)
        at = np.searchsorted(lines, X[:, j], side="right") - 1
        out.append(np.where(X[:, j] == high[j], bins[j] - 1, at))
    return np.column_stack(out)


def histogram(X, w, bins, a, rows):
    low, high, bins = edges(X, bins)
    mine, asked = cells(X, low, high, bins), cells(rows, low, high, bins)
    width, out = (high - low) / bins, []
    for x, at in zip(rows, asked):
        there = ~np.isnan(x)
        inside = (x[there] >= low[there]).all() and (x[there] <= high[there]).all()
        count = w[(mine[:, there] == at[there]).all(axis=1)].sum()
        others = np.prod(bins[~there].astype(float))
        top = count + a * others if inside else 0
        with np.errstate(divide="ignore"):
            out.append(np.log(top) - np.log(w.sum() + a * np.prod(bins.astype(float)))
                       - np.log(width[there]).sum())
    return np.array(out)


def bins_by(name, X, w, factor=1):
    W, d = w.sum(), X.shape[1]
    low, high, _ = edges(X, None)
    _, sd, quartiles = moments(X, w, 1)
    widest = 3.49 * sd
    if name != "scott":
        widest = np.where(quartiles > 0, 2 * 2 * stats.norm.ppf(0.75) * quartiles, widest)
    widest = widest * W ** (-1 / (d + 2)) * factor
    return np.maximum(1, np.ceil((high - low) / widest)).astype(int)


# ---- what the peers say of the same

def same(mine, theirs):
    assert np.allclose(mine, theirs, rtol=1e-9, atol=1e-9), (mine, theirs)


def ask_sklearn(X, w, width, kernel, mine):
    peer = KernelDensity(kernel=PEERS_NAME[kernel]).fit(X / width, sample_weight=w)
    same(mine, peer.score_samples(X / width) - np.log(width).sum())


def laws(X, w, rows):
    """The four families by scipy, of rows repeated by their weights; gaps are left out."""
    R = np.repeat(X, w.astype(int), axis=0)
    out = {"normal": 0, "exponential": 0}
    if (R > 0).all():
        out |= {"lognormal": 0, "gamma": 0}
    for j in range(X.shape[1]):
        r, x = R[:, j], rows[:, j]
        add = lambda name, v: out.update({name: out[name] + np.where(np.isnan(x), 0, v)})
        add("normal", stats.norm(*stats.norm.fit(r)).logpdf(x))
        add("exponential", stats.expon(scale=r.mean()).logpdf(x))
        if "gamma" not in out:
            continue
        s = np.log(r).std()
        add("lognormal", stats.lognorm(s, scale=np.exp(np.log(r).mean())).logpdf(x))
        gap = np.log(r.mean()) - np.log(r).mean()
        k = optimize.brentq(lambda k: np.log(k) - scipy.special.digamma(k) - gap, 1e-3, 1e6,
                            xtol=1e-14, rtol=1e-15)
        add("gamma", stats.gamma(k, scale=r.mean() / k).logpdf(x))
    return out


def log_normal_full(X, w, rows):
    R = np.repeat(X, w.astype(int), axis=0)
    return stats.multivariate_normal(R.mean(axis=0), np.cov(R.T, ddof=0)).logpdf(rows)


# ---- answers


def of_table(name, X, w, rows, way):
    """name: of_patients or of_wines; X: the rows that are learned, `rows` all of them."""
    def answer(sentence, values, within=1e-9):
        getattr(h, name)("density " + sentence, SCORE, values, within, target=None, **way)

    mixed, d = way.get("mixed", False), X.shape[1]
    for r in "scott", "silverman", "robust":
        f, sd = rule(r, X, w)
        F = parzen(X, w, f * sd, rows)
        if not mixed and r == "scott":
            ask_sklearn(X, w, f * sd, "gaussian", F)
        answer(f"rule={r} rtol=0", F)
        answer(f"rule={r}", F, 1e-6)
    for kernel in "epanechnikov", "ball", "box":
        f, sd = rule("scott", X, w, kernel)
        F = parzen(X, w, 1.7 * f * sd, rows, kernel)
        if not mixed and kernel != "box":
            ask_sklearn(X, w, 1.7 * f * sd, kernel, F)
        answer(f"rule=scott kernel={kernel} adjust=1.7", F)
    answer("0.75", parzen(X, w, np.full(d, 0.75), rows), 1e-6)
    for bins, a in (3, 0), (4, 0.5):
        answer(f"model=histogram bins={bins} smoothing={a:g}",
               histogram(X, w, np.full(d, bins), a, rows))
    for r in "scott", "robust":
        answer(f"model=histogram rule={r} smoothing=0.1",
               histogram(X, w, bins_by(r, X, w), 0.1, rows))
    for law, values in laws(X, w, rows).items():
        answer(f"model={law}", values)
    if mixed:
        return
    f, sd = rule("scott", X, w)
    root = full_root(X, w, sd, 1)
    F = parzen(X, w, np.full(d, f), rows, root=root)
    if not way:
        same(F, stats.gaussian_kde(X.T).logpdf(rows.T))
    answer("rule=scott covariance=full rtol=0", F)
    f, sd = rule("robust", X, w, "epanechnikov")
    F = parzen(X, w, np.full(d, 2 * f), rows, "epanechnikov", full_root(X, w, sd, 1))
    answer("rule=robust covariance=full kernel=epanechnikov adjust=2", F)
    answer("model=normal covariance=full", log_normal_full(X, w, rows))
    answer("model=lognormal covariance=full",
           log_normal_full(np.log(X), w, np.log(rows)) - np.log(rows).sum(axis=1))


for way in EVERY_WAY:
    n = 442
    w = weights(n) if way.get("weighted") else np.ones(n)
    P = patients()[0]
    if way.get("mixed"):  # a row with a gap is not learned; a missing ward is 0 in all its columns
        table = read(PATIENTS)
        P = np.column_stack([P, coded(table["ward"]), number(table["glucose"])])
    kept = ~np.isnan(P).any(axis=1)
    of_table("of_patients", P[kept], w[kept], P, way)
    if not way.get("mixed"):
        V = wines()[0]
        v = weights(len(V)) if way.get("weighted") else np.ones(len(V))
        of_table("of_wines", V, v, V, way)

# ---- the bandwidth under which rows that are left out are likeliest

searches = []
for kernel in "gaussian", "epanechnikov", "ball", "box":
    for weighted in False, True:
        V = wines()[0]
        v = weights(len(V)) if weighted else np.ones(len(V))
        f, sd = rule("scott", V, v, kernel)
        cv = lambda p: np.average(parzen(V, v, 2 ** p * f * sd, V, kernel, leave=True), weights=v)
        if kernel in ("ball", "box"):  # steps: the best of a grid
            grid = np.arange(-1, 3, 1 / 256)
            values = [cv(p) for p in grid]
            best, top = grid[int(np.argmax(values))], max(values)
        else:
            grid = np.arange(-2, 3, 1 / 8)
            start = grid[int(np.argmax([cv(p) for p in grid]))]
            got = optimize.minimize_scalar(lambda p: -cv(p), bounds=(start - 1 / 8, start + 1 / 8),
                                           method="bounded", options={"xatol": 1e-9})
            best, top = got.x, -got.fun
        searches.append((kernel, weighted, best, top))
h.records("searched", "const char *kernel; bool weighted; double power, most;", searches,
          "Of wines: the power of two times scott's bandwidth for which rows that are left out "
          "with their copies are likeliest, and their mean log-density.", 1e-6)

V = wines()[0][:, :3]
steps = 2 ** (np.arange(-16, 17) / 4)
values = []
for f in steps:
    bins = bins_by("robust", V, np.ones(len(V)), f)
    low, high, _ = edges(V, bins)
    at = cells(V, low, high, bins)
    M, total = np.prod(bins.astype(float)), 0.0
    for i in range(len(V)):
        copies = (V == V[i]).all(axis=1)
        count = ((at == at[i]).all(axis=1) & ~copies).sum()
        total += (np.log(count + 0.25) - np.log(len(V) - copies.sum() + 0.25 * M)
                  - np.log((high - low) / bins).sum())
    values.append(total / len(V))
h.array("left_out_of_bins", values, "The first three columns of wines, smoothing=0.25: the mean "
        "log-density of rows that are left out, of bins 2^(k/4) times as wide as robust's, "
        "k = -16 .. 16.", 1e-9)
h.end()
