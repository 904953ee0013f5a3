#!/usr/bin/env python3
"""data/wine.csv with a category and a number that have gaps, weights, parts and two classes."""
from truth import parts, read, weights, write_csv

t = read("data/wine.csv")
n = len(t["ash"])
t["shade"] = ["" if i % 13 == 5 else "pale" if float(v) < 3.5 else "ruby" if float(v) < 6 else
              "deep" for i, v in enumerate(t["color_intensity"])]
t["acid"] = ["" if i % 11 == 3 else v for i, v in enumerate(t["malic_acid"])]
t["weight"] = [f"{w:g}" for w in weights(n)]
t["part"] = [str(p) for p in parts(n)]
t["second"] = ["yes" if c == "class_1" else "no" for c in t["cultivar"]]
t["cultivar"] = t.pop("cultivar")
write_csv(t)
