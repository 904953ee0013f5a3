#!/usr/bin/env python3
"""Recomputes the certified values of the NIST data sets here in exact rational arithmetic.

Reads every *.txt here, solves the normal equations over the rationals, and prints the largest
relative difference to the certified estimates, standard deviations, residual deviation and R2.
Certified values have 15 digits, so a right transcription differs by less than 1e-14.
Run: python3 tests/golden/nist/verify.py"""
import glob
import os
from decimal import Decimal, getcontext
from fractions import Fraction

getcontext().prec = 60


def decimal(f):
    return Decimal(f.numerator) / Decimal(f.denominator)


def root(f):
    return decimal(f).sqrt()


def inverse(a):
    n = len(a)
    m = [row[:] + [Fraction(i == j) for j in range(n)] for i, row in enumerate(a)]
    for k in range(n):
        p = next(i for i in range(k, n) if m[i][k] != 0)
        m[k], m[p] = m[p], m[k]
        m[k] = [v / m[k][k] for v in m[k]]
        for i in range(n):
            if i != k and m[i][k] != 0:
                m[i] = [u - m[i][k] * v for u, v in zip(m[i], m[k])]
    return [row[n:] for row in m]


def check(path):
    words = [l.split() for l in open(path) if not l.startswith("#")]
    n, p, degree = map(int, words[0])
    sd, r2 = words[1]
    certified = words[2:2 + p]
    rows = [[Fraction(w) for w in line] for line in words[2 + p:]]
    assert len(rows) == n
    y = [r[0] for r in rows]
    powers = range(1, degree + 1)
    X = [[Fraction(1)] + ([r[1] ** k for k in powers] if degree else r[1:]) for r in rows]
    A = [[sum(x[i] * x[j] for x in X) for j in range(p)] for i in range(p)]
    g = [sum(x[i] * t for x, t in zip(X, y)) for i in range(p)]
    V = inverse(A)
    b = [sum(V[i][j] * g[j] for j in range(p)) for i in range(p)]
    rss = sum((t - sum(u * v for u, v in zip(x, b))) ** 2 for x, t in zip(X, y))
    mean = sum(y) / n
    tss = sum((t - mean) ** 2 for t in y)
    variance = rss / (n - p)
    pairs = [(root(variance), sd), (decimal(1 - rss / tss), r2)]
    for i, (e, s) in enumerate(certified):
        pairs += [(decimal(b[i]), e), (root(variance * V[i][i]), s)]
    worst = max(abs(got - Decimal(want)) / (abs(Decimal(want)) or 1) for got, want in pairs)
    print(f"{os.path.basename(path):14s} largest relative difference {float(worst):.1e}")
    return worst < Decimal("1e-13")


here = os.path.dirname(os.path.abspath(__file__))
assert all([check(path) for path in sorted(glob.glob(os.path.join(here, "*.txt")))])
