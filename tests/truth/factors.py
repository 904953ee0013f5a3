#!/usr/bin/env python3
"""factors: ratings, and the least of the objective of a factorisation, from many starts."""
import numpy as np

from truth import Header

h = Header("Factorised ratings.", f"numpy {np.__version__}")
USERS, ITEMS, K, L2, L2_BIAS, STARTS = 9, 8, 2, 0.05, 0.02, 5
rng = np.random.default_rng(5)
pairs = [(u, i) for u in range(USERS) for i in range(ITEMS) if rng.random() < 0.8]
user, item = np.array(pairs).T
taste, kind = rng.normal(size=(USERS, K)), rng.normal(size=(ITEMS, K))
rating = np.round(3 + (taste[user] * kind[item]).sum(1) + 0.3 * rng.normal(size=len(user)), 1)
weight = 1.0 + np.arange(len(user)) % 3


def fit(plain, start):
    """Alternating ridge regressions by dense solves, until nothing moves."""
    r, w = rating - np.average(rating, weights=weight), weight
    draw = np.random.default_rng(start)
    side = [np.zeros((USERS, K + 1)), np.zeros((ITEMS, K + 1))]  # bias, factors
    side[1][:, 1:] = draw.normal(size=(ITEMS, K))
    code = [user, item]
    ridge = np.diag([L2_BIAS] + [L2] * K)
    last = np.inf
    for _ in range(200000):
        for s in (0, 1):
            other = side[1 - s]
            X = np.hstack([np.ones((len(r), 1)), other[code[1 - s], 1:]])
            left = r - other[code[1 - s], 0]
            for c in range(len(side[s])):
                rows = code[s] == c
                if not rows.any():
                    continue
                share = 1 if plain else w[rows].sum()
                A = (X[rows] * w[rows, None]).T @ X[rows] + share * ridge
                side[s][c] = np.linalg.solve(A, X[rows].T @ (w[rows] * left[rows]))
        b, q = side[0][user], side[1][item]
        said = b[:, 0] + q[:, 0] + (b[:, 1:] * q[:, 1:]).sum(1)
        total = (w * (r - said) ** 2).sum()
        for s in (0, 1):
            share = np.ones(len(side[s])) if plain else np.bincount(code[s], w, len(side[s]))
            size = L2_BIAS * side[s][:, 0] ** 2 + L2 * (side[s][:, 1:] ** 2).sum(1)
            total += (share * size).sum()
        if last - total <= 1e-15 * total:
            break
        last = total
    return total, said + np.average(rating, weights=weight)


h.array("factors_user", user, "who", kind="int32_t")
h.array("factors_item", item, "what", kind="int32_t")
h.array("factors_rating", rating, "how much")
h.array("factors_weight", weight, "how often")
for name, plain in (("per_rating", False), ("plain", True)):
    found = [fit(plain, start) for start in range(STARTS)]
    best = min(found, key=lambda f: f[0])
    h.number(f"factors_{name}_objective", best[0], "the least of all starts", within=1e-9)
    h.array(f"factors_{name}", best[1], "what is said of each rating there", within=1e-5)
h.end()
