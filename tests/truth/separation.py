#!/usr/bin/env python3
"""Tables whose classes a plane separates, parts or does not: the linear programme's word."""
import numpy as np
import scipy
import scipy.sparse as sparse
from scipy.optimize import linprog

from truth import Header

h = Header("How the classes of small tables lie.", f"scipy {scipy.__version__}, linprog (HiGHS)")


class Draws:
    """Whole numbers of a linear congruential generator, the same in every version of everything."""

    def __init__(self, seed):
        self.state = seed

    def below(self, n):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % n

    def table(self, n, d, size):
        return np.array([[self.below(2 * size + 1) - size for _ in range(d)] for _ in range(n)])


def kind(X, y, intercept):
    """max sum t, 0 <= t <= 1, (V_y - V_c)'z >= t for each row and each other class: t is 1 for
    the pairs that some direction lifts while it lets none down, and 0 for the others."""
    n, k = len(y), y.max() + 1
    spread = X.std(0)
    Z = (X - X.mean(0) * intercept) / np.where(spread > 0, spread, 1)
    Z = np.column_stack([Z, np.ones(n)]) if intercept else Z
    A = []
    for i in range(n):
        for c in set(range(k)) - {y[i]}:
            a = np.zeros((k, Z.shape[1]))
            a[y[i]] += Z[i]
            a[c] -= Z[i]
            A.append(a[1:].ravel())
    A = np.array(A)
    m, D = A.shape
    found = linprog(np.r_[np.zeros(D), -np.ones(m)], b_ub=np.zeros(m),
                    A_ub=sparse.hstack([-sparse.csr_matrix(A), sparse.identity(m)]).tocsr(),
                    bounds=[(None, None)] * D + [(0, 1)] * m, method="highs")
    t = found.x[D:]
    assert np.all((t < 1e-6) | (t > 1 - 1e-6))
    return 0 if t.max() < 0.5 else 1 if t.min() > 0.5 else 2


def told(draws, n, d, k, size, noise):
    """Labels by the largest of k random scores, with noise."""
    X = draws.table(n, d, size)
    S = X @ draws.table(d, k, 5) + noise * draws.table(n, k, 3)
    return X, S.argmax(1)


tables = []


def add(X, y, intercept=True):
    y = np.unique(y, return_inverse=True)[1]
    tables.append((X, y, intercept, kind(X, y, intercept)))


draws = Draws(14)
for n, d, k, size, noise in [
        (40, 3, 2, 9, 0), (40, 3, 2, 9, 12), (60, 2, 2, 3, 1), (50, 4, 3, 9, 0),
        (60, 4, 3, 9, 8), (90, 5, 4, 4, 9), (70, 3, 5, 9, 2), (90, 2, 7, 9, 9)]:
    X, y = told(draws, n, d, k, size, noise)
    add(X, y)
    add(X, y, intercept=False)
# A column that is only seen with one class.
for k, noise in [(2, 30), (3, 30), (5, 40)]:
    X, y = told(draws, 60, 3, k, 9, noise)
    add(X, y)
    add(np.column_stack([X, (y == 0) * (1 + X[:, 0] ** 2)]), y)
# Rows on the plane, of both classes.
X, y = told(draws, 60, 3, 2, 4, 0)
add(np.column_stack([X, 0 * y]), np.where(np.arange(60) % 10 == 0, 1 - y, y))
X[::6, 2] = -X[::6, 0] - X[::6, 1]
side = X.sum(1)
add(X, np.where(side == 0, np.arange(60) // 6 % 2, side > 0))
# Nineteen columns of which seven follow from others, seven classes, four of them apart.
X = draws.table(210, 12, 9)
y = np.arange(210) % 7
for c in range(4):
    X[:, c] = np.where(y == c, 30 + np.abs(X[:, c]), X[:, c])
pairs = [(0, 4), (1, 5), (2, 6), (3, 7), (8, 9), (10, 11), (4, 8)]
more = [X[:, i] + 2 * X[:, j] for i, j in pairs]
add(np.column_stack([X] + more), y)
add(X, y)
add(np.column_stack([X] + more)[:, 4:12], y)

h.array("separation_x", np.concatenate([X.ravel() for X, *_ in tables]), "all rows", kind="short")
h.array("separation_y", np.concatenate([y for _, y, *_ in tables]), "their classes",
        kind="signed char")
h.records("separation_truth", "int n, d, k; bool intercept; int separation;",
          [(*X.shape, y.max() + 1, i, what) for X, y, i, what in tables],
          "0 no direction lifts any pair, 1 one lifts all, 2 one lifts some; within 0", None)
h.end()
