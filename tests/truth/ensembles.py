#!/usr/bin/env python3
"""adaboost, bag, vote, stack, majority, ova, ovo, experts, calibrate and conformal."""
import numpy as np
import scipy
import sklearn
from scipy.optimize import minimize, minimize_scalar
from sklearn.ensemble import (AdaBoostClassifier, AdaBoostRegressor, BaggingClassifier,
                              BaggingRegressor)
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from fits import fitted, least, nearest, scores, softmax
from truth import (PROBA, VALUE, Header, classes, numbers, parts, patients, scaled, weights, wines,
                   with_one)

h = Header("Learners of learners.",
           f"their definitions in numpy {np.__version__} and scipy {scipy.__version__}; boosted "
           f"stumps, bags and isotonic maps by scikit-learn {sklearn.__version__}")


def linear(X, y, w, asked):
    coef, b = least(X, y, w)
    return asked @ coef + b


def ridge(X, y, w, asked):
    coef, b = least(X, y, w, 1.0)
    return asked @ coef + b


def logistic(X, y, w, asked, k):
    """standardize | logistic 1"""
    mean = np.average(X, axis=0, weights=w)
    sd = np.sqrt(np.average((X - mean) ** 2, axis=0, weights=w))
    return scores(softmax((X - mean) / sd, y, w)[0], (asked - mean) / sd)


def out_of_fold(fit, X, y, w, part):
    out = None
    for p in np.unique(part):
        rest = part != p
        said = fit(X[rest], y[rest], w[rest], X[~rest])
        out = np.zeros((len(y),) + said.shape[1:]) if out is None else out
        out[~rest] = said
    return out


# ---- vote

X, y = classes("data/iris.csv", "species")
one = np.ones(150)
a = nearest(X, X, 5, rational=True) @ np.eye(3)[y]
b = logistic(X, y, one, X, 3)
h.answers("vote of=(knn 5),(standardize | logistic 1 tol=1e-12)", "data/iris.csv", "species", PROBA,
          (a + b) / 2, 1e-9, every=1)
h.answers("vote weights=3,1 of=(knn 5),(standardize | logistic 1 tol=1e-12)", "data/iris.csv",
          "species", PROBA, (3 * a + b) / 4, 1e-9)
X, y = numbers("data/diabetes.csv", "progression")
one = np.ones(len(y))
told = np.column_stack([ridge(X, y, one, X), nearest(X, X, 7, rational=True) @ y,
                        linear(X, y, one, X)])
h.answers("vote of=(ridge 1),(knn 7),(linear)", "data/diabetes.csv", "progression", VALUE,
          told.mean(axis=1), 1e-9, every=9)
h.answers("vote median of=(ridge 1),(knn 7),(linear)", "data/diabetes.csv", "progression", VALUE,
          np.median(told, axis=1), 1e-9, every=9)

# ---- stack, on the parts as folds

near = lambda k: lambda X, y, w, asked: nearest(X, asked, k) @ y
X, y = patients()
part = parts(len(y))
for way in {}, {"weighted": True}:
    w = weights(len(y)) if way else np.ones(len(y))
    members = [ridge, linear] if way else [ridge, near(7)]
    inner = np.column_stack([out_of_fold(f, X, y, w, part) for f in members])
    outer = np.column_stack([f(X, y, w, X) for f in members])
    of = "of=(ridge 1),(linear)" if way else "of=(ridge 1),(knn 7)"
    if not way:  # two lines of one table are nearly the same column
        h.of_patients(f"stack {of} final=(linear)", VALUE, linear(inner, y, w, outer), 1e-8,
                      grouped=True, **way)
        h.of_patients(f"stack passthrough=yes {of} final=(linear)", VALUE,
                      linear(np.column_stack([inner, X]), y, w, np.column_stack([outer, X])), 1e-6,
                      grouped=True, by=1e-7)
    h.of_patients(f"stack {of} final=(ridge 1)", VALUE, ridge(inner, y, w, outer), 1e-8,
                  grouped=True, **way)
X, y = wines(target="second")
part = parts(len(y))
for way in {}, {"weighted": True}:
    w = weights(len(y)) if way else np.ones(len(y))
    members = [lambda X, y, w, asked: logistic(X, y, w, asked, 2)[:, 1]]
    of = "of=(standardize | logistic 1 tol=1e-11)"
    if not way:
        members.insert(0, lambda X, y, w, asked: nearest(X, asked, 9) @ y)
        of = "of=(knn 9),(standardize | logistic 1 tol=1e-11)"
    inner = np.column_stack([out_of_fold(f, X, y, w, part) for f in members])
    outer = np.column_stack([f(X, y, w, X) for f in members])
    final, _, _ = softmax(inner, y, w)
    h.of_wines(f"stack {of} final=(logistic 1 tol=1e-11)", PROBA, scores(final, outer), 1e-8,
               target="second", grouped=True, **way)

# ---- majority: beta = 1/2, the rows in their order, answered out of fold

X, y = wines()
part = parts(len(y))
for way in {}, {"weighted": True}:
    w = weights(len(y)) if way else np.ones(len(y))
    members = [lambda X, y, w, asked: (asked @ least(X, np.eye(3)[y], w)[0]
                                       + least(X, np.eye(3)[y], w)[1]).argmax(axis=1),
               lambda X, y, w, asked: logistic(X, y, w, asked, 3).argmax(axis=1)]
    loss = [(w * (out_of_fold(f, X, y, w, part) != y)).sum() for f in members]
    power = 0.5 ** np.array(loss - np.min(loss))
    told = sum(p * np.eye(3)[f(X, y, w, X)] for p, f in zip(power, members)) / power.sum()
    h.of_wines("majority of=(linear),(standardize | logistic 1)", PROBA, told, 1e-12, grouped=True,
               **way)

# ---- ova and ovo

Z, y = wines(scale=True)
one = np.ones(len(y))
single = np.column_stack([softmax(Z, (y == k).astype(int), one)[1][:, 1] for k in range(3)])
h.of_wines("standardize | ova of=(logistic 1 tol=1e-11)", PROBA,
           single / single.sum(axis=1, keepdims=True), 1e-8)
r = np.zeros((len(y), 3, 3))
for a in range(3):
    for b in range(a + 1, 3):
        both = (y == a) | (y == b)
        p, _, _ = softmax(Z[both], (y[both] == b).astype(int), one[both])
        r[:, b, a] = scores(p, Z)[:, 1]
        r[:, a, b] = 1 - r[:, b, a]
told = np.zeros((len(y), 3))
for i in range(len(y)):
    Q = np.diag([sum(r[i, b, a] ** 2 for b in range(3) if b != a) for a in range(3)])
    Q -= np.where(np.eye(3) == 1, 0, r[i].T * r[i])
    told[i] = np.linalg.solve(np.block([[Q, np.ones((3, 1))], [np.ones((1, 3)), 0]]),
                              [0, 0, 0, 1])[:3]
h.of_wines("standardize | ovo of=(logistic 1 tol=1e-11)", PROBA, told, 1e-8)

# ---- bag and experts, where nothing is drawn

X, y = patients()
for way in {}, {"weighted": True}:
    w = weights(len(y)) if way else np.ones(len(y))
    h.of_patients("bag 3 bootstrap=no of=(ridge 1)", VALUE, fitted(X, y, w, 1.0), 1e-10, **way)
    h.of_patients("experts 1 l2=5", VALUE, fitted(X, y, w, 5.0), 1e-8, **way)

# ---- calibrate: decisions of linear out of fold, and a map of them


def platt(s, y, w):
    pos, neg = w[y == 1].sum(), w[y == 0].sum()
    t, p = np.where(y == 1, (pos + 1) / (pos + 2), 1 / (neg + 2)), np.zeros(2)
    A = with_one(s[:, None])
    for _ in range(100):
        q = 1 / (1 + np.exp(-A @ p))
        step = np.linalg.solve((A * (w * q * (1 - q))[:, None]).T @ A, A.T @ (w * (q - t)))
        p = p - step
    return p


def isotonic(s, y, w):
    """The map of IsotonicRegression whose first and last values are kept away from 0 and 1 by
    1 / (W + 2), W the weight of the rows that have that value, but not past the next one."""
    m, at = IsotonicRegression(out_of_bounds="clip").fit(s, y, sample_weight=w), np.unique(s)
    v, levels, of_row = m.predict(at), np.unique(m.predict(at)), m.predict(s)
    low, high = (1 / (w[of_row == e].sum() + 2) for e in (levels[0], levels[-1]))
    v = np.where(v == levels[0], max(levels[0], min(low, levels[1])),
                 np.where(v == levels[-1], min(levels[-1], max(1 - high, levels[-2])), v))
    return lambda asked: np.interp(asked, at, v)


X, y = wines(target="second")
part = parts(len(y))
for way in {}, {"weighted": True}:
    w = weights(len(y)) if way else np.ones(len(y))
    fit = lambda X, y, w, asked: linear(X, 2.0 * y - 1, w, asked)
    s, f = out_of_fold(fit, X, y, w, part), fit(X, y, w, X)
    p = platt(s, y, w)
    q = 1 / (1 + np.exp(-(p[0] * f + p[1])))
    more = {"target": "second", "grouped": True, **way}
    h.of_wines("calibrate platt of=(linear)", PROBA, np.column_stack([1 - q, q]), 1e-6, **more)
    q = isotonic(s, y, w)(f)
    h.of_wines("calibrate isotonic of=(linear)", PROBA, np.column_stack([1 - q, q]), 1e-10, **more)
    best = minimize_scalar(lambda b: (w * np.logaddexp(0, -2 * b * (2 * y - 1) * s)).sum(),
                           bounds=(0, 100), method="bounded", options={"xatol": 1e-14}).x
    q = 1 / (1 + np.exp(-2 * best * f))
    h.of_wines("calibrate temperature of=(linear)", PROBA, np.column_stack([1 - q, q]), 1e-5,
               **more)

# ---- conformal: which part is tested on is drawn, so the quantile is one of five

X, y = patients()
part, one = parts(len(y)), np.ones(len(y))
rows = []
for p in range(5):
    rest = part != p
    error = np.sort(np.abs(y[~rest] - ridge(X[rest], y[rest], one[rest], X[~rest])))
    rows.append(error[int(np.ceil((len(error) + 1) * 0.9)) - 1])
h.array("conformal_quantiles", rows, "conformal 0.9 share=0.2 of=(ridge 1), each part held out",
        1e-9)

# ---- experts: the best of many maxima of the likelihood less the penalties


def mixture(p, A, t, l2, gate):
    """Minus the log-likelihood of two logistic experts and a gate, with penalties; its slope."""
    W, V = p.reshape(2, 2, -1)
    z, s = A @ W.T, A @ V.T
    g = np.exp(s - s.max(axis=1, keepdims=True))
    g /= g.sum(axis=1, keepdims=True)
    like = g / (1 + np.exp(-t[:, None] * z))
    total = like.sum(axis=1)
    r = like / total[:, None]
    free = np.append(np.ones(A.shape[1] - 1), 0)
    value = -np.log(total).sum() + (l2 * W * W * free).sum() / 2 + (gate * V * V * free).sum() / 2
    slope_w = -(r * t[:, None] / (1 + np.exp(t[:, None] * z))).T @ A + l2 * W * free
    slope_v = -(r - g).T @ A + gate * V * free
    return value, np.concatenate([slope_w.ravel(), slope_v.ravel()])


Z, y = wines(target="second", scale=True)
A, t = with_one(Z), 2.0 * y - 1
rng = np.random.default_rng(1)
found = sorted(minimize(mixture, rng.normal(size=4 * A.shape[1]), (A, t, 0.1, 0.1), jac=True,
                        method="L-BFGS-B", options={"maxiter": 20000, "ftol": 1e-15, "gtol": 1e-9})
               .fun for _ in range(60))
h.array("experts_maxima", [-found[0], -found[len(found) // 2], -found[-1]],
        "standardize | experts 2 l2=0.1 gate_l2=0.1 for the second wine: log-likelihood less "
        "penalties at the best, the middle and the worst of 60 maxima", 1e-4)

# ---- boosted stumps and trees, bags: scikit-learn

rows = []
for file, target in ("breast_cancer", "diagnosis"), ("iris", "species"), ("wine", "cultivar"):
    X, y = classes(f"data/{file}.csv", target)
    for weighted in (False, True):
        for method, algorithm in ("discrete", "SAMME"), ("real", "SAMME.R"):
            w = weights(len(y)) if weighted else np.ones(len(y))
            m = AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=50,
                                   algorithm=algorithm, random_state=0).fit(X, y, sample_weight=w)
            wrong = np.average(m.predict(X) != y, weights=w)
            rows.append((f"data/{file}.csv", target, method, weighted, m.estimator_errors_[:6],
                         wrong))
h.records("adaboost_truth", "const char *table, *target, *method; bool weighted; double error[6], "
          "train;", rows, "AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), 50, SAMME or "
          "SAMME.R): weighted errors of the first six stumps, training error of all; weighted: 1, "
          "2, 3, 1 ...", 1e-7)

X, y = numbers("data/diabetes.csv", "progression")
rows = []
for loss in "linear", "square", "exponential":
    errors = []
    for seed in range(5):
        order = np.random.default_rng(seed).permutation(len(y))
        error = 0
        for k in range(5):
            test = order[k::5]
            rest = np.setdiff1d(order, test)
            m = AdaBoostRegressor(DecisionTreeRegressor(max_depth=3), n_estimators=50, loss=loss,
                                  random_state=seed).fit(X[rest], y[rest])
            error += np.sqrt(((m.predict(X[test]) - y[test]) ** 2).mean()) / 5
        errors.append(error)
    rows.append((loss, np.mean(errors), np.std(errors, ddof=1)))
h.records("adaboost_rmse", "const char *loss; double mean, sd;", rows,
          "AdaBoostRegressor(DecisionTreeRegressor(max_depth=3), 50, loss) on diabetes: root mean "
          "squared error of 5 folds, mean and deviation over 5 seeds", 0.02)

C, c = classes("data/breast_cancer.csv", "diagnosis")
rows = []
for sentence, table, target, make in [
        ("bag 50 of=(knn 1)", "data/breast_cancer.csv", "diagnosis",
         lambda s: BaggingClassifier(KNeighborsClassifier(1), 50, oob_score=True, random_state=s)),
        ("bag 50 of=(knn 3)", "data/diabetes.csv", "progression",
         lambda s: BaggingRegressor(KNeighborsRegressor(3), 50, oob_score=True, random_state=s)),
        ("bag 50 columns=0.5 of=(knn 3)", "data/diabetes.csv", "progression",
         lambda s: BaggingRegressor(KNeighborsRegressor(3), 50, oob_score=True, max_features=0.5,
                                    random_state=s)),
        ("bag 50 of=(linear)", "data/diabetes.csv", "progression",
         lambda s: BaggingRegressor(LinearRegression(), 50, oob_score=True, random_state=s))]:
    a, b = (C, c) if target == "diagnosis" else (X, y)
    told = [make(s).fit(a, b).oob_score_ for s in range(10)]
    rows.append((sentence, table, target, np.mean(told), np.std(told, ddof=1)))
h.records("bag_scores", "const char *sentence, *table, *target; double mean, sd;", rows,
          "BaggingClassifier and BaggingRegressor: oob_score_ (the share of right classes, R2), "
          "mean and deviation over 10 seeds", 0.01)
h.end()
