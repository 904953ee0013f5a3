#!/usr/bin/env python3
"""Posterior marginals of the networks of data/networks/, by eliminating variables with numpy."""
import os
import re
import string

import numpy as np

from truth import ROOT, Header

h = Header("Marginals of Bayesian networks, given findings.", f"numpy {np.__version__}: einsum over "
           "the tables in data/networks, read here again")


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
h.end()
