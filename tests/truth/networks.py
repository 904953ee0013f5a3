#!/usr/bin/env python3
"""Posterior marginals of the networks of data/networks/, by eliminating variables with numpy."""
import itertools
import os
import re
import string

import numpy as np

from truth import ROOT, Header

h = Header("Marginals of Bayesian networks, given findings.",
           f"numpy {np.__version__}: einsum over the tables in data/networks, read here again")


def load(name):
    """Levels by variable, and (child, parents, table) with the child's axis last."""
    levels, families = {}, []
    with open(os.path.join(ROOT, "data/networks", name + ".txt"), encoding="utf-8") as f:
        lines = [line.split("#")[0].strip() for line in f]
    value = lambda t: float(t.split("/")[0]) / float((t.split("/") + ["1"])[1])
    for line in filter(None, lines):
        if line.startswith("variable "):
            who, what = line[9:].split(": ")
            levels[who] = what.split(", ")
        elif line.startswith("P("):
            child, _, parents = re.match(r"P\((\w+)( \| ([^)]*))?\)", line).groups()
            parents = parents.split(", ") if parents else []
            table = np.full([len(levels[p]) for p in parents] + [len(levels[child])], np.nan)
            families.append((child, parents, table))
            if not parents:
                table[:] = [value(t) for t in line.split("= ")[1].split(", ")]
        elif ":" in line:
            child, parents, table = families[-1]
            where, row = line.split(": ")
            at = tuple(levels[p].index(l) for p, l in zip(parents, where.split(", ")))
            table[at] = [value(t) for t in row.split(", ")]
    assert not any(np.isnan(t).any() for _, _, t in families)
    return levels, families


def marginals(levels, families, evidence):
    """P(evidence), and P(x | evidence) of every variable, one after the other."""
    letter = dict(zip(levels, string.ascii_letters))
    terms, names = [], []
    for child, parents, table in families:
        terms.append(table)
        names.append("".join(letter[v] for v in parents + [child]))
    for who, level in evidence.items():
        terms.append(np.eye(len(levels[who]))[levels[who].index(level)])
        names.append(letter[who])
    rows = []
    for who in levels:
        p = np.einsum(",".join(names) + "->" + letter[who], *terms, optimize="greedy")
        rows.extend(p / p.sum())
        total = p.sum()
    return total, np.array(rows)


CASES = [("alarm", {}),
         ("alarm", {"HRBP": "HIGH", "PRESS": "LOW", "HISTORY": "TRUE"}),
         ("alarm", {"BP": "LOW", "HREKG": "HIGH", "SAO2": "LOW", "EXPCO2": "ZERO", "CVP": "HIGH",
                    "MINVOL": "HIGH"}),
         ("alarm", {"CATECHOL": "NORMAL", "PAP": "HIGH", "CO": "HIGH", "VENTALV": "NORMAL"}),
         ("asia", {"asia": "yes", "dysp": "yes", "xray": "yes"}),
         ("cancer", {"dyspnoea": "true", "xray": "positive"})]
rows = []
for name, evidence in CASES:
    total, p = marginals(*load(name), evidence)
    said = ", ".join(f"{a}={b}" for a, b in evidence.items())
    rows.append((name, f"P(* | {said})" if said else "P(*)", total, len(p), p))
h.records("network_cases", "const char *name, *query;\n    double evidence;\n    int64_t n;\n"
          "    double p[110];", rows, "P(evidence), and P(x | evidence) of every x", 1e-13)

# ---- learning from rows of asia

levels, families = load("asia")
names = list(levels)
parents = {names.index(c): [names.index(p) for p in pa] for c, pa, _ in families}
every = np.array(list(itertools.product([0, 1], repeat=8)))
joint = np.ones(len(every))
for c, pa, t in families:
    joint *= t[tuple(every[:, names.index(v)] for v in pa + [c])]
# rarer causes would hardly occur in so few rows: half of them are drawn evenly
rng = np.random.default_rng(7)
rows = every[rng.choice(len(every), 300, p=joint / 2 + 0.5 / 256)]
gaps = np.where(rng.random(rows.shape) < 0.1, -1, rows)
gaps[:, 7] = rows[:, 7]
h.array("asia_rows", rows, "Rows of levels, 0 yes and 1 no", kind="int8_t")
h.array("asia_gaps", gaps, "The same with gaps", kind="int8_t")


def counts(data, child, pa, weight=None):
    """N_jk with the last parent fastest, of whole rows."""
    out = np.zeros([2] * len(pa) + [2])
    for i, row in enumerate(data):
        out[tuple(row[pa + [child]])] += 1 if weight is None else weight[i]
    return out


def score(child, pa):
    n = counts(rows, child, sorted(pa)).reshape(-1, 2)
    total = n.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.nansum(n * np.log(n / total)) - np.log(len(rows)) / 2 * len(n)


def acyclic(graph):
    left, found = dict(graph), True
    while left and found:
        found = [c for c, pa in left.items() if not set(pa) & set(left)]
        for c in found:
            del left[c]
    return not left


# hill climbing, every neighbour scored in full: add, remove, reverse; at most 3 parents
graph = {i: [] for i in range(8)}
total = sum(score(i, []) for i in range(8))
while True:
    best = (total + 1e-9 * abs(total), None)
    for kind in range(3):
        for b, a in itertools.product(range(8), repeat=2):
            if a == b or (a in graph[b]) != (kind > 0):
                continue
            other = {i: list(pa) for i, pa in graph.items()}
            if kind == 0:
                other[b].append(a)
            else:
                other[b].remove(a)
            if kind == 2:
                other[a].append(b)
            if max(map(len, other.values())) > 3 or not acyclic(other):
                continue
            value = sum(score(i, pa) for i, pa in other.items())
            if value > best[0] + 1e-9:
                best = (value, other)
    if best[1] is None:
        break
    total, graph = best
edges = sorted((b, a) for b, pa in graph.items() for a in pa)
h.array("climbed_edges", edges, "The edges that greedy search by BIC ends with: child, parent",
        kind="int32_t")
h.number("climbed_bic", total, "and their BIC", 1e-12)

# the best of all graphs with at most 3 parents: a node that is no parent is taken off, whatever the
# others' best graph is
family = {(c, pa): score(c, list(pa)) for c in range(8) for k in range(4)
          for pa in itertools.combinations([v for v in range(8) if v != c], k)}
best_of = {frozenset(): 0.0}
for size in range(1, 9):
    for group in map(frozenset, itertools.combinations(range(8), size)):
        best_of[group] = max(
            best_of[group - {c}] + max(v for (child, pa), v in family.items()
                                       if child == c and group - {c} >= set(pa)) for c in group)
h.number("best_bic", best_of[frozenset(range(8))], "BIC of the best of all graphs", 1e-12)

# Chow and Liu: the greatest spanning tree of mutual information
gain = {}
for a, b in itertools.combinations(range(8), 2):
    n = counts(rows, b, [a]) / len(rows)
    with np.errstate(divide="ignore", invalid="ignore"):
        gain[a, b] = np.nansum(n * np.log(n / n.sum(1, keepdims=True) / n.sum(0)))
tree, group = [], list(range(8))
for (a, b), _ in sorted(gain.items(), key=lambda item: -item[1]):  # Kruskal
    if group[a] != group[b]:
        tree.append((a, b))
        group = [group[a] if g == group[b] else g for g in group]
h.array("chowliu_edges", sorted(tree), "The edges of the tree of greatest mutual information",
        kind="int32_t")

# EM on the rows with gaps, by going through all 256 combinations
SMOOTHING = 0.5
fits = np.array([[all(g in (-1, e) for g, e in zip(gap, row)) for row in every] for gap in gaps])


def tables_of(weight, data, smoothing):
    out = {}
    for c, pa in parents.items():
        n = counts(data, c, pa, weight) + smoothing
        out[c] = n / n.sum(axis=-1, keepdims=True)
    return out


def joint_of(theta):
    p = np.ones(len(every))
    for c, pa in parents.items():
        p *= theta[c][tuple(every[:, v] for v in pa + [c])]
    return p


theta = {}
for c, pa in parents.items():  # the start: rows that have the family, smoothed by 1
    whole = (gaps[:, pa + [c]] >= 0).all(axis=1)
    n = counts(gaps[whole], c, pa) + 1
    theta[c] = n / n.sum(axis=-1, keepdims=True)
objective = []
for step in range(21):
    p = joint_of(theta)
    likely = fits @ p
    prior = SMOOTHING * sum(np.log(t).sum() for t in theta.values())
    objective.append(-(np.log(likely).sum() + prior) / len(gaps))
    if step < 20:
        theta = tables_of(((fits / likely[:, None]).T * p[:, None]).sum(axis=1), every, SMOOTHING)
h.array("em_objective", objective[1:],
        "EM: -(log-likelihood + 0.5 sum log theta) / rows after each iteration", 1e-12)
p = joint_of(theta)
blind = gaps.copy()
blind[:, 7] = -1
fits = np.array([[all(g in (-1, e) for g, e in zip(gap, row)) for row in every] for gap in blind])
answer = (fits * p) @ (every[:, 7] == 0) / (fits @ p)
h.array("em_dysp", answer,
        "P(dysp=yes | the other values of each row) with the tables of EM", 1e-11)

# naive, without gaps
prior = np.bincount(rows[:, 7], minlength=2) + 1.0
prior /= prior.sum()
p = np.tile(prior, (len(rows), 1))
for j in range(7):
    n = counts(rows, j, [7]) + 1.0
    n /= n.sum(axis=1, keepdims=True)
    p *= n[:, rows[:, j]].T
h.array("naive_dysp", p[:, 0] / p.sum(axis=1),
        "P(dysp=yes | row), dysp being the only parent", 1e-12)
h.end()
