#!/usr/bin/env python3
"""Prints the reference tables of test_special.c: mpmath with 60 digits, rounded to double.

    python3 tests/unit/math/reference.py > tests/unit/math/special_reference.h

Written with mpmath 1.2.1.  Arguments are doubles: what is tabulated is the value at the double that
the decimal text reads as, so the tolerance of the test is the error of the function alone.
"""
import mpmath as mp

mp.mp.dps = 60


def show(x):
    return repr(float(x))


def table(name, rows):
    width = len(rows[0])
    print(f"static const double {name}[][{width}] = {{")
    for row in rows:
        print("    {" + ", ".join(show(v) for v in row) + "},")
    print("};\n")


def gamma_lower(a, x):
    return mp.gammainc(a, 0, x, regularized=True)


def gamma_upper(a, x):
    return mp.gammainc(a, x, mp.inf, regularized=True)


def beta_series(a, b, x):
    """x^a (1-x)^b / (a B(a,b)) (1 + (a+b)/(a+1) x + ...): positive terms, fast for x <= 1/2."""
    term = total = mp.mpf(1)
    k = 1
    while term > total * mp.eps:
        term *= (a + b + k - 1) / (a + k) * x
        total += term
        k += 1
    log_beta = mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b)
    return total * mp.exp(a * mp.log(x) + b * mp.log(1 - x) - log_beta) / a


def beta_lower(a, b, x):
    if x <= 0.5:
        return beta_series(a, b, x)
    with mp.workdps(400):  # the complement of the complement, which may be 1 - 1e-300
        return 1 - beta_series(b, a, 1 - x)


def beta_upper(a, b, x):
    with mp.workdps(400):
        return beta_lower(b, a, 1 - x)


def normal_cdf(x):
    return mp.erfc(-x / mp.sqrt(2)) / 2


def t_two_sided(t, df):
    with mp.workdps(400):
        return beta_lower(df / 2, mp.mpf("0.5"), df / (df + t * t))


def t_cdf(t, df):
    both = t_two_sided(t, df)
    return 1 - both / 2 if t > 0 else both / 2


def f_upper(x, d1, d2):
    with mp.workdps(400):
        return beta_lower(d2 / 2, d1 / 2, d2 / (d1 * x + d2))


def f_cdf(x, d1, d2):
    with mp.workdps(400):
        return beta_lower(d1 / 2, d2 / 2, d1 * x / (d1 * x + d2))


def pi_digits():
    """Mean, deviation and lag-1 autocorrelation of the first 5000 digits of pi."""
    with mp.workdps(5100):
        text = mp.nstr(mp.pi, 5050, strip_zeros=False).replace(".", "")[:5000]
    digits = [mp.mpf(c) for c in text]
    mean = mp.fsum(digits) / 5000
    d = [v - mean for v in digits]
    squares = mp.fsum(v * v for v in d)
    return mean, mp.sqrt(squares / 4999), mp.fsum(p * q for p, q in zip(d, d[1:])) / squares


def at(function, *points):
    """Rows (arguments ..., value) at the doubles nearest to the given numbers."""
    rows = []
    for point in points:
        args = [mp.mpf(float(v)) for v in (point if isinstance(point, tuple) else (point,))]
        rows.append([*args, function(*args)])
    return rows


print("/* Made by tests/unit/math/reference.py; do not edit. */")
print("/* pi_digits():", *map(show, pi_digits()), "*/\n")
table("LOG_GAMMA", at(mp.loggamma, 1e-300, 1e-7, 0.013, 0.31, 0.5, 0.87, 1 - 1e-9, 1 + 1e-12, 1.0001,
                      1.3, 1.49999, 1.5, 1.77, 2 - 1e-11, 2 + 1e-7, 2.31, 2.5, 2.6, 3.7, 7.3, 9.999,
                      10, 17.3, 171.6, 2385.7, 1e6 + 0.3, 3.3e10, 1e200))
table("LOG_BETA", at(lambda a, b: mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b),
                     (0.5, 0.5), (0.01, 3.7), (2.385, 7.1), (1e6, 0.5), (3e7, 1.3), (5e5, 4e5)))
G = [(0.5, 0.001), (0.5, 0.3), (0.5, 1.4), (0.5, 30), (0.5, 680), (1, 0.7), (1, 690), (2.385, 1.7),
     (2.385, 3.5), (17.3, 0.01), (17.3, 12), (17.3, 18.4), (17.3, 60), (17.3, 700), (150.5, 40),
     (150.5, 149), (150.5, 152), (150.5, 400), (1500.3, 1300), (1500.3, 1501), (1500.3, 1900),
     (1e5, 9.9e4), (1e5, 1.001e5), (1e5, 1.1e5)]
table("GAMMA_LOWER", at(gamma_lower, *G))
table("GAMMA_UPPER", at(gamma_upper, *G))
B = [(0.5, 0.5, 0.01), (0.5, 0.5, 0.77), (1, 1, 0.3), (2.385, 0.7, 0.13), (2.385, 0.7, 0.93),
     (7.3, 19.1, 0.001), (7.3, 19.1, 0.27), (7.3, 19.1, 0.29), (7.3, 19.1, 0.95), (50, 0.5, 1e-5),
     (50, 0.5, 0.99), (120.5, 300.2, 0.003), (120.5, 300.2, 0.28), (120.5, 300.2, 0.9),
     (1000.5, 1900.25, 0.2), (1000.5, 1900.25, 0.344), (1000.5, 1900.25, 0.6), (3, 100, 0.9995)]
table("BETA_LOWER", at(beta_lower, *B))
table("BETA_UPPER", at(beta_upper, *B))
N = [-37.5, -30.1, -12.3, -5.7, -3.2, -2.01, -2, -1.99, -1, -0.3, -1e-9, 0, 1e-5, 0.7, 1, 1.999, 2.3,
     4.5, 8.1]
table("NORMAL_CDF", at(normal_cdf, *N))
table("NORMAL_PDF", at(lambda x: mp.exp(-x * x / 2) / mp.sqrt(2 * mp.pi), 0, 1, -2.385, 11.1, 37.3))


def normal_quantile(p):
    if p == mp.mpf("0.5"):
        return mp.mpf(0)
    tail = min(p, 1 - p)
    start = mp.sqrt(-2 * mp.log(tail)) if tail < 0.1 else mp.mpf(1)
    x = mp.findroot(lambda v: mp.log(mp.erfc(v / mp.sqrt(2)) / 2) - mp.log(tail), start)
    return -x if p < 0.5 else x


table("NORMAL_QUANTILE", at(normal_quantile, 1e-300, 1e-100, 1e-20, 1e-5, 0.003, 0.0999, 0.1, 0.25,
                            0.4999999, 0.5, 0.5 + 1e-10, 0.6, 0.975, 0.999999))
T = [(0.1, 1), (1, 1), (-2.385, 1), (63.7, 1), (1e20, 1), (1e150, 2), (1e-7, 3.7), (1.3, 3.7), (-9.1, 3.7),
     (1e12, 3.7), (2.1, 29), (-7.7, 29), (1e10, 29), (0.01, 997), (1.96, 997), (-12.3, 997),
     (2.385, 999983), (-37.2, 999983), (0.4, 999983)]
table("T_TWO_SIDED", at(t_two_sided, *T))
table("T_CDF", at(t_cdf, *[p for p in T if abs(p[0]) < 1e9]))
F = [(0.01, 1, 1), (3.7, 1, 1), (1e12, 1, 2), (0.3, 5, 7), (2.385, 5, 7), (1e6, 5, 7), (1e40, 3, 14),
     (1.1, 40, 300), (9.3, 40, 300), (70, 40, 300), (0.02, 40, 300), (1.02, 2000, 3000),
     (2.1, 2000, 3000), (1.7, 3, 999983), (200.3, 3, 999983)]
table("F_UPPER", at(f_upper, *F))
table("F_CDF", at(f_cdf, *F))
X = [(0.001, 1), (3.84, 1), (1300, 1), (0.5, 4), (9.49, 4), (1440, 4), (20, 37), (36, 37), (60, 37),
     (1700, 37), (1e-8, 3)]
table("CHI2_CDF", at(lambda x, d: gamma_lower(d / 2, x / 2), *X))
table("CHI2_UPPER", at(lambda x, d: gamma_upper(d / 2, x / 2), *X))
table("SIN_COS_PI", [[x, mp.sinpi(x), mp.cospi(x)] for x in map(mp.mpf, (
    0, 1e-9, 0.1234, 0.25, 0.3, 0.5, 0.77, 1, 1.3, 1.75, 2, 2.385, -0.6, -7.31, 1e6 + 0.3))])
table("ATAN", at(mp.atan, 0, 1e-9, 0.1, 0.5, 0.99, 1, 1.01, 2.385, 71.3, 1e300, -0.7))
