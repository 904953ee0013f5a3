#!/usr/bin/env python3
"""data/diabetes.csv with a category and a number that have gaps, weights, parts and counts."""
from truth import parts, read, weights, write_csv

t = read("data/diabetes.csv")
n = len(t["age"])
y = [float(v) for v in t["progression"]]
t["ward"] = ["" if i % 19 == 4 else "north" if float(v) < 43 else "south" if float(v) < 57 else
             "west" for i, v in enumerate(t["s3"])]
t["glucose"] = ["" if i % 11 == 3 else v for i, v in enumerate(t["s6"])]
t["weight"] = [f"{w:g}" for w in weights(n)]
t["part"] = [str(p) for p in parts(n)]
t["visits"] = [str(int(v // 25)) for v in y]
t["progression"] = t.pop("progression")
write_csv(t)
