#!/usr/bin/env python3
"""Densities and tails of distributions: mpmath with 60 digits and more.

Arguments are the doubles that the decimals read as.  Log densities come from the formulas; tails of
the gamma family from incomplete gamma functions, of the beta family and of t from a hypergeometric
series of positive terms, of counts from the sum of their probabilities, which is another way than
samara's incomplete functions.  Quantiles need no figures: their tails are compared with what they
were asked for.  Multivariate densities are determinants and inverses of mpmath's matrices.
"""
import mpmath as mp

mp.mp.dps = 60
H = mp.mpf("0.5")


# ---- one number --------------------------------------------------------------------------------

def gaussian(p):
    m, s = p
    return (lambda x: -((x - m) / s) ** 2 / 2 - mp.log(s) - mp.log(2 * mp.pi) / 2,
            lambda x: mp.erfc(-(x - m) / s / mp.sqrt(2)) / 2,
            lambda x: mp.erfc((x - m) / s / mp.sqrt(2)) / 2)


def gamma_lower(a, x):
    """x^a e^-x / Gamma(a+1) (1 + x/(a+1) + ...): positive terms."""
    term = total = mp.mpf(1)
    k = a + 1
    while term > total * mp.eps:
        term *= x / k
        total += term
        k += 1
    return total * mp.exp(a * mp.log(x) - x - mp.loggamma(a + 1))


def gamma_upper(a, x):
    """The fraction of Legendre far above the mean, the complement with many digits elsewhere."""
    if x > a + 30 and x > 2 * a:
        f = mp.mpf(0)
        for k in range(4000, 0, -1):
            f = k * (k - a) / (x - a + 2 * k + 1 - f)
        return mp.exp(a * mp.log(x) - x - mp.loggamma(a)) / (x + 1 - a - f)
    with mp.workdps(360):
        return 1 - gamma_lower(a, x)


def gamma(p):
    a, r = p

    def log_density(x):
        return a * mp.log(r) + (a - 1) * mp.log(x) - r * x - mp.loggamma(a)
    return log_density, lambda x: gamma_lower(a, r * x), lambda x: gamma_upper(a, r * x)


def inverse_gamma(p):
    a, s = p

    def log_density(x):
        return a * mp.log(s) - (a + 1) * mp.log(x) - s / x - mp.loggamma(a)
    return log_density, lambda x: gamma_upper(a, s / x), lambda x: gamma_lower(a, s / x)


def chi_square(p):
    return gamma((p[0] / 2, H))


def exponential(p):
    r = p[0]
    return (lambda x: mp.log(r) - r * x, lambda x: -mp.expm1(-r * x), lambda x: mp.exp(-r * x))


def log_beta(a, b):
    return mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b)


def beta_series(a, b, x, y):
    term = total = mp.mpf(1)
    k = 1
    while term > total * mp.eps:
        term *= (a + b + k - 1) / (a + k) * x
        total += term
        k += 1
    return total * mp.exp(a * mp.log(x) + b * mp.log(y) - log_beta(a, b)) / a


def beta_lower(a, b, x, y):
    if x <= a / (a + b):
        return beta_series(a, b, x, y)
    with mp.workdps(360):
        return 1 - beta_series(b, a, y, x)


def beta(p):
    a, b = p

    def log_density(x):
        return (a - 1) * mp.log(x) + (b - 1) * mp.log(1 - x) - log_beta(a, b)
    return (log_density, lambda x: beta_lower(a, b, x, 1 - x),
            lambda x: beta_lower(b, a, 1 - x, x))


def student_t(p):
    df, m, s = p

    def far(z):
        with mp.workdps(360):
            return beta_lower(df / 2, H, df / (df + z * z), z * z / (df + z * z)) / 2

    def lower(z):
        if z < 0:
            return far(z)
        with mp.workdps(360):
            return 1 - far(z)

    def log_density(x):
        z = (x - m) / s
        return (-(df + 1) / 2 * mp.log(1 + z * z / df) - log_beta(df / 2, H) - mp.log(df) / 2
                - mp.log(s))
    return log_density, lambda x: lower((x - m) / s), lambda x: lower(-(x - m) / s)


def counts(log_p, most):
    """Tails as sums of the probabilities of whole numbers."""
    def total(values):
        sum_, top = mp.mpf(0), mp.mpf(0)
        for k in values:
            term = mp.exp(log_p(mp.mpf(k)))
            sum_ += term
            top = max(top, term)
            if term < top * mp.mpf(10) ** -70:
                break
        return sum_
    return (log_p, lambda x: total(range(int(x), -1, -1)),
            lambda x: total(range(int(x) + 1, most + 1)))


def poisson(p):
    return counts(lambda k: k * mp.log(p[0]) - p[0] - mp.loggamma(k + 1), int(p[0]) * 4 + 4000)


def binomial(p):
    n, q = p

    def log_p(k):
        return (mp.loggamma(n + 1) - mp.loggamma(k + 1) - mp.loggamma(n - k + 1) + k * mp.log(q)
                + (n - k) * mp.log1p(-q))
    return counts(log_p, int(n))


def bernoulli(p):
    return (lambda k: mp.log(p[0] if k else 1 - p[0]), lambda k: mp.mpf(1) if k else 1 - p[0],
            lambda k: mp.mpf(0) if k else p[0])


FAMILIES = {"gaussian": gaussian, "gamma": gamma, "inverse-gamma": inverse_gamma,
            "chi-square": chi_square, "exponential": exponential, "beta": beta,
            "student-t": student_t, "poisson": poisson, "binomial": binomial,
            "bernoulli": bernoulli}

# name, parameters, where
CASES = [
    ("gaussian", (0, 1), (-37.5, -8.3, -1.9, -0.3, 0.7, 1, 2.1, 12, 60, 1e5)),
    ("gaussian", (1e6, 0.037), (999999.4, 1000000.01, 1000001)),
    ("student-t", (1, 0, 1), (-1e9, -3.7, 0.2, 0.9, 4, 1e150)),
    ("student-t", (4.3, 1.7, 0.31), (-80, 1.2, 1.69, 2.3, 900)),
    ("student-t", (997, -3, 2.5), (-190, -8, -3.1, 0, 150)),
    ("gamma", (0.001, 0.001), (1e-300, 1e-5, 0.3, 700, 30000)),
    ("gamma", (1e-6, 1), (1e-9, 0.3, 0.8, 1.2, 40)),
    ("gamma", (0.37, 2.3), (1e-9, 0.01, 0.4, 0.5, 3, 400)),
    ("gamma", (2, 1e-3), (0.7, 900, 2500, 1e6)),
    ("gamma", (171.3, 13.7), (1.1, 9, 12.5, 15, 90)),
    ("gamma", (1e6, 1e3), (990, 999.7, 1003, 1030)),
    ("inverse-gamma", (2.7, 31), (0.04, 3, 17, 2000)),
    ("inverse-gamma", (50.5, 1e4), (90, 200, 240, 5000)),
    ("chi-square", (1,), (1e-12, 0.3, 3.84, 90, 1500)),
    ("chi-square", (7.3,), (1e-3, 5, 14, 300)),
    ("exponential", (0.037,), (1e-12, 1, 40, 3000, 1e5)),
    ("beta", (0.001, 0.003), (1e-20, 0.2, 0.5, 0.97)),
    ("beta", (1e-5, 5), (1e-3, 0.1, 0.4, 0.9)),
    ("beta", (0.5, 0.5), (1e-12, 0.3, 0.9999)),
    ("beta", (2, 2), (0.01, 0.5, 0.75, 0.98)),
    ("beta", (57, 47), (0.001, 0.3, 0.55, 0.9)),
    ("beta", (3e5, 7e5), (0.29, 0.2999, 0.301, 0.31)),
    ("poisson", (0.03,), (0, 1, 7, 90)),
    ("poisson", (4.7,), (0, 3, 5, 12, 150)),
    ("poisson", (12345.6,), (9000, 12300, 12400, 17000)),
    ("binomial", (1, 0.3), (0,)),
    ("binomial", (17, 0.37), (0, 5, 6, 11, 16)),
    ("binomial", (4000, 0.013), (0, 50, 55, 300)),
    ("binomial", (100000, 0.61), (58000, 60900, 61100, 64000)),
    ("bernoulli", (0.3,), (0, 1)),
]



def three(p):
    return [float(v) for v in p] + [0.0] * (3 - len(p))


def show(v):
    v = float(v)
    return {mp.inf: "INFINITY", -mp.inf: "-INFINITY"}.get(v, repr(v)) if v == v else "NAN"


def table(what, name, rows):
    print(f"/* {what} */")
    print(f"static const struct {{\n    const char *name;\n    double v[{len(rows[0][1])}];\n}} "
          f"{name}[] = {{")
    for family, values in rows:
        print(f'    {{"{family}", {{{", ".join(show(v) for v in values)}}}}},')
    print("};\n")


def values_of():
    rows = []
    for name, p, points in CASES:
        exact = [mp.mpf(v) for v in p]
        log_density, lower, upper = FAMILIES[name](exact)
        for x in points:
            x = mp.mpf(x)
            low, high = lower(x), upper(x)
            log_low = mp.log1p(-high) if high < H else mp.log(low) if low else -mp.inf
            log_high = mp.log1p(-low) if low < H else mp.log(high) if high else -mp.inf
            rows.append((name, three(p) + [x, log_density(x), low, high, log_low, log_high]))
    table("Three parameters, x, log density, lower and upper tail, their logarithms", "VALUES",
          rows)


# ---- several numbers ---------------------------------------------------------------------------

def matrix(rows):
    return mp.matrix([[mp.mpf(v) for v in row] for row in rows])


S = [[2.5, 0.7, -0.3], [0.7, 1.3, 0.2], [-0.3, 0.2, 0.9]]
X = [[3.1, -0.4, 0.5], [-0.4, 2.2, 0.1], [0.5, 0.1, 1.7]]


def log_gamma_d(d, a):
    return mp.log(mp.pi) * d * (d - 1) / 4 + sum(mp.loggamma(a - mp.mpf(j) / 2) for j in range(d))


def trace(a):
    return sum(a[i, i] for i in range(a.rows))


def vectors():
    shapes, shares = [0.5, 2.3, 7.1], [0.2, 0.3, 0.5]
    exact = [mp.mpf(v) for v in shapes]
    at = [mp.mpf(v) for v in shares]
    dirichlet = (sum((a - 1) * mp.log(x) for a, x in zip(exact, at))
                 - sum(mp.loggamma(a) for a in exact) + mp.loggamma(sum(exact)))
    mean, point = [1.1, -2.3, 0.4], [2.7, -1.9, 0.1]
    s, x = matrix(S), matrix(X)
    off = mp.matrix([mp.mpf(a) - mp.mpf(b) for a, b in zip(point, mean)])
    gauss = -(3 * mp.log(2 * mp.pi) + mp.log(mp.det(s)) + (off.T * s ** -1 * off)[0]) / 2
    v = mp.mpf("7.5")
    c = v * 3 * mp.log(2) / 2 + log_gamma_d(3, v / 2)
    wishart = ((v - 4) * mp.log(mp.det(x)) - trace(s ** -1 * x) - v * mp.log(mp.det(s))) / 2 - c
    inverse = (v * mp.log(mp.det(s)) - (v + 4) * mp.log(mp.det(x)) - trace(s * x ** -1)) / 2 - c
    flat = [e for row in S for e in row]
    print("static const double SHAPES[] = {" + ", ".join(map(show, shapes)) + "};")
    print("static const double SHARES[] = {" + ", ".join(map(show, shares)) + "};")
    print("static const double MEAN_AND_S[] = {" + ", ".join(map(show, mean + flat)) + "};")
    print("static const double POINT[] = {" + ", ".join(map(show, point)) + "};")
    print("static const double DF_AND_S[] = {" + ", ".join(map(show, [7.5] + flat)) + "};")
    print("static const double MATRIX[] = {" + ", ".join(show(e) for r in X for e in r) + "};")
    for name, value in (("DIRICHLET", dirichlet), ("GAUSSIAN", gauss), ("WISHART", wishart),
                        ("INVERSE_WISHART", inverse)):
        print(f"static const double LOG_{name} = {show(value)};")
    print()


print(f"/* distributions.h -- generated by tests/truth/distributions.py; do not edit.\n"
      f" * By mpmath {mp.__version__}. */")
values_of()
vectors()
