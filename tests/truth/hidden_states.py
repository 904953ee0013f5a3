#!/usr/bin/env python3
"""hmm: counted tables, and what they say of sequences, by sums over products of dense matrices.

Likelihoods and chances of a step come from products of the matrices diag(b_t) and A themselves, in
long double, without a forward or backward row; the best path of short sequences from all paths, of
long ones from a table of best ends that is kept whole."""
import itertools

import numpy as np

from truth import Header, number, read

h = Header("Hidden Markov models.", f"numpy {np.__version__}, in 80-bit numbers")
R = np.longdouble


def normal(x, mean, cov):
    """Log-density, by the inverse and the determinant."""
    off = x - mean
    inverse = np.linalg.inv(cov)
    sign, log_det = np.linalg.slogdet(cov)
    assert sign > 0
    return -0.5 * (off @ inverse @ off + log_det + len(x) * np.log(2 * np.pi))


def spread(x, full, floor):
    """Covariance of the rows, at least floor in units of the deviations of all rows."""
    S = np.cov(x.T, bias=True).reshape(x.shape[1], -1)
    return S if full else np.diag(np.maximum(np.diag(S), floor))


class Counted:
    """The tables that labelled sequences make, with s added to every count."""

    def __init__(self, states, numbers, symbols, sequences, s, full):
        n = self.n = states.max() + 1
        start, move = np.full(n, s), np.full((n, n), s)
        for rows in sequences:
            start[states[rows[0]]] += 1
            for a, b in zip(rows, rows[1:]):
                move[states[a], states[b]] += 1
        self.start, self.move = start / start.sum(), move / move.sum(1, keepdims=True)
        self.tables = []
        for codes in symbols:
            table = np.full((n, codes.max() + 1), s)
            for j, c in zip(states, codes):
                if c >= 0:
                    table[j, c] += 1
            self.tables.append(table / table.sum(1, keepdims=True))
        floor = 1e-4 * numbers.var(0)
        self.mean = [numbers[states == j].mean(0) for j in range(n)]
        self.cov = [spread(numbers[states == j], full, floor) for j in range(n)]

    def shown(self, x, codes):
        """Density of a row in each state."""
        b = np.array([np.exp(R(normal(x, self.mean[j], self.cov[j]))) for j in range(self.n)])
        for table, c in zip(self.tables, codes):
            if c >= 0:
                b = b * table[:, c]
        return b


def answers(m, rows, numbers, symbols):
    """Log-likelihood, chances of the states at each step, and the best path."""
    b = [m.shown(numbers[i], [c[i] for c in symbols]) for i in rows]
    A = m.move.astype(R)
    steps = [np.diag(b[0])] + [A @ np.diag(bt) for bt in b[1:]]
    scale = R(0)
    before, after = [], []
    P = m.start.astype(R)[None, :]
    for step in steps:
        P = P @ step
        scale += np.log(P.sum())
        P = P / P.sum()
        before.append(P[0])
    Q = np.ones((m.n, 1), R)
    for step in reversed(steps):
        after.append(Q[:, 0] / Q.sum())
        Q = step @ (Q / Q.sum())
    chance = [f * g / (f * g).sum() for f, g in zip(before, reversed(after))]
    with np.errstate(divide="ignore"):
        logs, moves = [np.log(x) for x in b], np.log(A)
        best = [np.log(m.start.astype(R)) + logs[0]]
    for row in logs[1:]:
        best.append(row + (best[-1][:, None] + moves).max(0))
    path = [int(best[-1].argmax())]
    for row in reversed(best[:-1]):
        path.append(int((row + moves[:, path[-1]]).argmax()))
    path.reverse()
    if m.n ** len(rows) <= 5000:
        def joint(s):
            return (np.log(m.start[s[0]]) + sum(moves[a, c] for a, c in zip(s, s[1:])) +
                    sum(row[j] for row, j in zip(logs, s)))
        every = {s: joint(s) for s in itertools.product(range(m.n), repeat=len(rows))}
        assert max(every, key=every.get) == tuple(path)
        total = np.log(sum(np.exp(v - scale) for v in every.values())) + scale
        assert abs(total - scale) < 1e-12 * abs(scale)
    return float(scale), np.array(chance, float), path


def patients(full):
    """Wards are the states, `part` and `visits` tell 25 sequences apart; glucose is left out."""
    table = read("tests/truth/patients.csv")
    wards = sorted(set(table["ward"]) - {""})
    there = [i for i, w in enumerate(table["ward"]) if w]
    states = np.array([wards.index(table["ward"][i]) for i in there])
    numbers = np.column_stack([number(table[c]) for c in ("bmi", "bp", "s5")])[there]
    levels = sorted(set(table["sex"]))
    symbols = [np.array([levels.index(table["sex"][i]) for i in there])]
    where = [table["part"][i] + "-" + table["visits"][i] for i in there]
    names = sorted(set(where))
    sequences = [[k for k, w in enumerate(where) if w == name] for name in names]
    m = Counted(states, numbers, symbols, sequences, 0.5, full)
    score, chance, path = (np.zeros(len(there)), np.zeros((len(there), m.n)),
                           np.zeros(len(there), int))
    for rows in sequences:
        score[rows], chance[rows], path[rows] = answers(m, rows, numbers, symbols)
    return m, where, states, numbers, symbols, score, chance, path


for full in (False, True):
    m, where, states, numbers, symbols, score, chance, path = patients(full)
    name = "FULL" if full else "PLAIN"
    if not full:
        names = sorted(set(where))
        h.array("HMM_X", numbers, "bmi, bp and s5 of the rows of patients.csv that have a ward")
        h.array("HMM_SEX", symbols[0], "their sex, from 0", kind="int")
        h.array("HMM_WARD", states, "their wards, which are the states", kind="int")
        h.array("HMM_SEQUENCE", [names.index(w) for w in where], "sequences, by part and visits",
                kind="int")
    h.array(f"HMM_{name}_SCORE", score[::9], "log-likelihood of the sequence of every 9th row",
            within=1e-12)
    h.array(f"HMM_{name}_CHANCE", chance[::9], "chances of its ward", within=1e-12)
    h.array(f"HMM_{name}_PATH", path, "wards of the best paths", kind="int")

# The model of rainy days: clean, shop, walk.
pi, A = np.array([0.6, 0.4]), np.array([[0.7, 0.3], [0.4, 0.6]])
B = np.array([[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]])
total, best = 0.0, (0.0, None)
for s in itertools.product(range(2), repeat=3):
    p = pi[s[0]] * B[s[0], 0] * A[s[0], s[1]] * B[s[1], 1] * A[s[1], s[2]] * B[s[2], 2]
    total += p
    best = max(best, (p, s))
h.number("RAINY_SUM", total, "P(clean, shop, walk), over all paths", within=1e-15)
h.number("RAINY_BEST", best[0], "of the best path", within=1e-15)
h.array("RAINY_PATH", best[1], "that path", kind="int")
h.end()
