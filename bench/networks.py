#!/usr/bin/env python3
"""Exact marginals of all variables of alarm, given findings: samara and
pgmpy, where that is installed.

    bench/networks.py BUILD          needs the target bench_networks
"""
import os
import subprocess
import sys
import time

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
EVIDENCE = {"HRBP": "HIGH", "PRESS": "LOW", "HISTORY": "TRUE"}


def load(name):
    """Levels by variable, and (child, parents, table) with the child's axis last."""
    levels, families = {}, []
    value = lambda t: float(t.split("/")[0]) / float((t.split("/") + ["1"])[1])
    with open(os.path.join(ROOT, "data/networks", name + ".txt"), encoding="utf-8") as f:
        lines = [line.split("#")[0].strip() for line in f]
    for line in filter(None, lines):
        if line.startswith("variable "):
            who, what = line[9:].split(": ")
            levels[who] = what.split(", ")
        elif line.startswith("P("):
            inside, _, row = line[2:].partition(")")
            child, _, parents = inside.partition(" | ")
            parents = parents.split(", ") if parents else []
            table = np.zeros([len(levels[p]) for p in parents] + [len(levels[child])])
            families.append((child, parents, table))
            if not parents:
                table[:] = [value(t) for t in row.strip(" =").split(", ")]
        elif ":" in line:
            child, parents, table = families[-1]
            where, row = line.split(": ")
            at = tuple(levels[p].index(l) for p, l in zip(parents, where.split(", ")))
            table[at] = [value(t) for t in row.split(", ")]
    return levels, families


def best(run, rounds=5):
    times = []
    for _ in range(rounds):
        began = time.perf_counter()
        run()
        times.append(time.perf_counter() - began)
    return min(times)


def peer():
    """Seconds of pgmpy: it eliminates once for each variable."""
    from pgmpy.factors.discrete import TabularCPD
    from pgmpy.inference import VariableElimination
    from pgmpy.models import BayesianNetwork
    levels, families = load("alarm")
    net = BayesianNetwork([(p, c) for c, pa, _ in families for p in pa])
    for c, pa, t in families:
        net.add_cpds(TabularCPD(c, len(levels[c]), t.reshape(-1, len(levels[c])).T,
                                evidence=pa or None,
                                evidence_card=[len(levels[p]) for p in pa] or None,
                                state_names={v: levels[v] for v in [c] + pa}))
    others = [v for v in levels if v not in EVIDENCE]
    inference = VariableElimination(net)
    return best(lambda: [inference.query([v], evidence=EVIDENCE, show_progress=False)
                         for v in others])


def main():
    program = os.path.join(sys.argv[1], "bench", "networks")
    query = "P(* | " + ", ".join(f"{a}={b}" for a, b in EVIDENCE.items()) + ")"
    out = subprocess.run([program, os.path.join(ROOT, "data/networks/alarm.txt"), query],
                         stdout=subprocess.PIPE, check=True).stdout.split()
    whole, alone = map(float, out)
    print(f"samara, tree made anew   {whole:.3g} s\nsamara, tree kept        {alone:.3g} s")
    try:
        import pgmpy  # noqa: F401
    except ImportError:
        sys.exit("pgmpy is not installed")
    seconds = peer()
    print(f"pgmpy                    {seconds:.3g} s: {seconds / whole:.0f} and "
          f"{seconds / alone:.0f} times")


if __name__ == "__main__":
    main()
