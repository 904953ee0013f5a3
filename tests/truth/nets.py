#!/usr/bin/env python3
"""net: nets of one layer by every method, step by step in numpy; with lbfgs at their optimum."""
import numpy as np

from fits import softmax
from truth import PROBA, DECISION, VALUE, Header, patients, weights, wines, with_one

h = Header("Nets of one layer: every optimiser, schedule and loss.",
           f"their formulas in numpy {np.__version__}, and Newton's method")


def slope_of(loss, f, Y):
    """Of each row's loss in its scores."""
    if loss == "cross_entropy":
        e = np.exp(f - f.max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True) - Y
    if loss == "squared":
        return f - Y
    if loss == "huber":
        return np.clip(f - Y, -1.35, 1.35)
    true = (f * Y).sum(axis=1, keepdims=True)
    over = (1 + f - true) * (1 - Y) * (1 + f - true > 0)
    if loss == "hinge_max":  # the lowest class among equals
        over = over * (np.arange(Y.shape[1]) == over.argmax(axis=1)[:, None])
    against = (over > 0).astype(float)
    return against - Y * against.sum(axis=1, keepdims=True)


def rate_of(how, epoch, epochs, rate):
    """All rows are one batch: an epoch is a step."""
    kind = how.get("schedule", "constant")
    if how.get("warmup"):
        rate *= min(1, (epoch + 1) / how["warmup"])
    if kind == "inverse":
        return rate * how["offset"] / (how["offset"] + epoch)
    if kind == "root":
        return rate * np.sqrt(how["offset"] / (how["offset"] + epoch))
    if kind == "step":
        return rate * how["drop"] ** (epoch // how["period"])
    if kind == "cosine":
        return rate * (1 + np.cos(np.pi * epoch / epochs)) / 2
    return rate


def train(X, Y, w, loss, method, rate, epochs, decay=0.0, l1=0.0, clip=0.0, **how):
    """Scores of the rows after that many steps from weights 0; the last column of X is the
    constant, without penalty."""
    A = with_one(X)
    W, v, u = (np.zeros((Y.shape[1], A.shape[1])) for _ in range(3))
    pays = np.ones_like(W)
    pays[:, -1] = 0
    w = w / w.mean()
    for t in range(1, epochs + 1):
        r = rate_of(how, t - 1, epochs, rate)
        g = (slope_of(loss, A @ W.T, Y) * w[:, None]).T @ A / len(A)
        size = np.sqrt((g ** 2).sum())
        if clip and size > clip:
            g *= clip / size
        if method != "adamw":
            g = g + decay * pays * W
        g = g + l1 * pays * np.sign(W)
        if method == "sgd":
            W = W - r * g
        elif method == "momentum":
            v = 0.9 * v + g
            W = W - r * v
        elif method == "nesterov":
            v = 0.9 * v + g
            W = W - r * (g + 0.9 * v)
        elif method == "adagrad":
            u = u + g * g
            W = W - r * g / (np.sqrt(u) + 1e-8)
        elif method == "rmsprop":
            u = 0.999 * u + 0.001 * g * g
            W = W - r * g / (np.sqrt(u) + 1e-8)
        else:
            v = 0.9 * v + 0.1 * g
            u = 0.999 * u + 0.001 * g * g
            step = v / (1 - 0.9 ** t) / (np.sqrt(u / (1 - 0.999 ** t)) + 1e-8)
            W = W - r * step - (r * decay * pays * W if method == "adamw" else 0)
    return A @ W.T


def words(method, rate, epochs, decay=0.0, l1=0.0, clip=0.0, **how):
    text = f"standardize | net () method={method} init=zero batch=1000000 tol=0 epochs={epochs} " \
           f"rate={rate:g} decay={decay:g}"
    text += f" decay_l1={l1:g}" if l1 else ""
    text += f" clip={clip:g}" if clip else ""
    return text + "".join(f" {k}={v}" for k, v in how.items())


def share(f):
    e = np.exp(f - f.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


# ---- classes: cross-entropy by every method and schedule, the hinges

def of_wines(loss, weighted=False, **how):
    X, y = wines(scale=True, weighted=weighted)
    w = weights(len(X)) if weighted else np.ones(len(X))
    f = train(X, np.eye(3)[y], w, loss, **how)
    text = words(**how) + ("" if loss == "cross_entropy" else f" loss={loss}")
    proba = loss == "cross_entropy"
    h.of_wines(text, PROBA if proba else DECISION, share(f) if proba else f, 2e-5,
               weighted=weighted)


of_wines("cross_entropy", method="sgd", rate=0.3, epochs=40, decay=0.01)
of_wines("cross_entropy", method="momentum", rate=0.05, epochs=40, decay=0.01)
of_wines("cross_entropy", method="nesterov", rate=0.05, epochs=40, l1=0.003)
of_wines("cross_entropy", method="adagrad", rate=0.05, epochs=40, decay=0.02)
of_wines("cross_entropy", method="rmsprop", rate=0.002, epochs=40, decay=0.02)
of_wines("cross_entropy", method="adam", rate=0.02, epochs=40, decay=0.01, weighted=True)
of_wines("cross_entropy", method="adamw", rate=0.02, epochs=40, decay=0.3)
of_wines("cross_entropy", method="sgd", rate=0.5, epochs=30, clip=0.1)
of_wines("cross_entropy", method="sgd", rate=0.5, epochs=30, schedule="inverse", offset=4)
of_wines("cross_entropy", method="sgd", rate=0.5, epochs=30, schedule="root", offset=2)
of_wines("cross_entropy", method="sgd", rate=0.5, epochs=30, schedule="step", drop=0.5, period=7)
of_wines("cross_entropy", method="sgd", rate=0.5, epochs=30, schedule="cosine", warmup=5)
of_wines("hinge_sum", method="sgd", rate=0.05, epochs=25)
of_wines("hinge_max", method="sgd", rate=0.05, epochs=25, weighted=True)


# ---- numbers

def of_patients(loss, weighted=False, **how):
    X, y = patients(scale=True, weighted=weighted)
    w = weights(len(X)) if weighted else np.ones(len(X))
    mean = np.average(y, weights=w)
    unit = np.sqrt(np.average((y - mean) ** 2, weights=w))
    f = train(X, ((y - mean) / unit)[:, None], w, loss, **how)
    text = words(**how) + f" loss={loss}"
    h.of_patients(text, VALUE, mean + unit * f[:, 0], 2e-5, weighted=weighted)


of_patients("squared", method="sgd", rate=0.1, epochs=30, decay=0.05)
of_patients("squared", method="momentum", rate=0.02, epochs=30, weighted=True)
of_patients("huber", method="nesterov", rate=0.02, epochs=30)

# ---- at the optimum

X, y = wines(scale=True)
P, q, _ = softmax(X, y, np.ones(len(X)), 0.02 * len(X))
h.of_wines("standardize | net () method=lbfgs decay=0.02 tol=1e-9 epochs=2000", PROBA, q, 2e-5)
X, y = patients(scale=True)
A = with_one(X)
b = np.linalg.solve(A.T @ A + 0.1 * len(X) * np.diag([1.0] * X.shape[1] + [0]), A.T @ y)
h.of_patients("standardize | net () method=lbfgs decay=0.1 tol=1e-9 epochs=2000", VALUE, A @ b,
              2e-5)

h.end()
