#!/usr/bin/env python3
"""Coefficients of kernel/tier/elementary.h and window_loops.c, to be pasted there.  Needs mpmath
(1.3 was used).

Each polynomial interpolates its function at Chebyshev nodes; its coefficients are then rounded to
double, or to a pair of doubles.  The largest error that is left, relative to the function that the
polynomial serves, is printed as a power of two."""
from mpmath import mp, mpf, cos, pi, exp, log, atanh, sqrt, matrix, lu_solve

mp.prec = 300


def to_double(x):
    return mpf(float(x))


def fit(f, low, high, n, pairs=0):
    """n coefficients of f on [low, high]; the first `pairs` are (high, low) pairs of doubles."""
    x = [(low + high) / 2 + (high - low) / 2 * cos(pi * (2 * i + 1) / (2 * n)) for i in range(n)]
    A = matrix(n, n)
    for i in range(n):
        for j in range(n):
            A[i, j] = x[i]**j
    c = lu_solve(A, matrix([f(t) for t in x]))
    return [to_double(k) + to_double(k - to_double(k)) if j < pairs else to_double(k)
            for j, k in enumerate(c)]


def worst(f, c, low, high, weight):
    """The largest |error| * weight, as a power of two."""
    points = [low + (high - low) * i / 2000 for i in range(1, 2000)]
    return log(max(abs((f(t) - sum(k * t**j for j, k in enumerate(c))) * weight(t))
                   for t in points if t), 2)


def show(name, c, pairs=0):
    for j, k in enumerate(c):
        tail = "" if j >= pairs else "  low " + float.hex(float(k - to_double(k)))
        print(f"{name}[{j}] = {float.hex(float(k))}{tail}")


def q(r):
    """(e^r - 1 - r) / r^2; its first coefficient comes out as 1/2, the others are Q"""
    if abs(r) < mpf(2)**-60:
        return mpf(1) / 2
    return (exp(r) - 1 - r) / r**2


def p(z):
    """(2 atanh(s) - 2 s) / s^3 with z = s^2"""
    if z < mpf(2)**-100:
        return mpf(2) / 3
    s = sqrt(z)
    return (2 * atanh(s) - 2 * s) / s**3


h = log(mpf(2)) / 2 * mpf("1.0001")
z1 = ((sqrt(mpf(2)) - 1) / (sqrt(mpf(2)) + 1))**2 * mpf("1.0002")

if __name__ == "__main__":
    ln2 = log(mpf(2))
    high = mpf(int(ln2 * 2**42)) / 2**42
    print("ln2 high", float.hex(float(high)), "low", float.hex(float(ln2 - high)))
    print("1/ln2", float.hex(float(1 / ln2)))
    c = fit(q, -h, h, 11)
    print("error of exp: 2^%.1f" % worst(q, c, -h, h, lambda r: r * r))
    show("EXP", c)
    c = fit(q, -h, h, 10)
    error = worst(q, c, -h, h, lambda r: r * r)
    print("error of the exponential of window_loops.c: 2^%.1f" % error)
    show("WINDOW", c)
    c = fit(p, mpf(0), z1, 8)
    print("error of log: 2^%.1f" % worst(p, c, mpf(0), z1, lambda z: z / 2))
    show("LOG", c)
    c = fit(p, mpf(0), z1, 9, pairs=2)
    print("error of pow's log: 2^%.1f" % worst(p, c, mpf(0), z1, lambda z: z / 2))
    show("POW", c, pairs=2)
