#!/usr/bin/env python3
"""What a page shows is what the commands print: one question has one answer.

    tests/report/same.py BUILD

For reports of train, evaluate, cv, compare, tune and describe: every figure of the page, as the
table below it, holds the numbers of the same figure in what the command prints with --json;
importance and dependence are those of `samara explain` on the same rows; the headline and the
baseline beside it are those of the command's text; the league is that of the text.
"""
import argparse
import html
import json
import math
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tools"))
from tap import Report  # noqa: E402

RAISED = str.maketrans("\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079\u207b",
                       "0123456789-")


def number(text):
    """A number as the page writes it, or None."""
    text = text.replace("\u2212", "-").replace(",", "")
    exponent = r"10([\u207b\u2070\u00b9\u00b2\u00b3\u2074-\u2079]+)"
    power = re.fullmatch(r"(-?)(?:(\d+\.?\d*)\u00d7)?" + exponent, text)
    if power:
        size = float(power[2] or 1) * 10.0 ** int(power[3].translate(RAISED))
        return -size if power[1] else size
    return float(text) if re.fullmatch(r"-?\d+\.?\d*", text) else None


def close(shown, exact):
    """Four digits of it, and all before the point."""
    return abs(shown - exact) <= 6e-4 * abs(exact) + 1e-12


class Page:
    """The figures, tiles and tables of a page."""

    def __init__(self, text):
        self.figures = {}
        for part in re.findall(r"<figure[^>]*>(.*?)</figure>", text, re.S):
            title = re.search(r"<h[34]>(.*?)</h[34]>", part, re.S)[1]
            table = re.search(r"<details>.*?<table.*?<tbody>(.*?)</tbody>", part, re.S)
            cut = re.search(r"The first (\d+) of (\d+) rows", part)
            self.figures[html.unescape(title)] = (self.rows(table[1]) if table else [], bool(cut))
        self.tiles = {}
        for tile in re.findall(r"<li><p class=\"what\">(.*?)</li>", text, re.S):
            name, rest = tile.split("</p>", 1)
            beside = re.search(r"<p class=\"beside\">baseline \((.*?)\): <b>(.*?)</b>", rest)
            self.tiles[html.unescape(name)] = (
                number(re.search(r"class=\"figure\">(.*?)</p>", rest)[1]),
                (html.unescape(beside[1]), number(beside[2])) if beside else None)
        self.text = text

    @staticmethod
    def rows(body):
        return [[html.unescape(re.sub(r"<[^>]*>", "", cell))
                 for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.S)]
                for row in re.findall(r"<tr>(.*?)</tr>", body, re.S)]

    def section(self, name):
        return re.search(rf'<section id="{name}">(.*?)</section>', self.text, re.S)[1]


def values_of(figure):
    """The numbers that its table must hold: values and ends of whiskers, not positions."""
    found = []
    for s in figure["series"]:
        across = s["kind"] in ("hbars", "hpoints")
        keys = ["value"] if s["kind"] == "cells" else ["x" if across else "y", "low", "high"]
        if s["kind"] == "band":
            keys = ["low", "high"]
        found += [v for key in keys for v in s.get(key, [])
                  if isinstance(v, (int, float)) and math.isfinite(v)]
    return found


def same_numbers(rows, wanted):
    """Is each of these numbers in the table, as often as it is wanted?"""
    held = sorted(v for row in rows for v in map(number, row) if v is not None)
    at = 0
    for want in sorted(wanted):
        while at < len(held) and held[at] < want and not close(held[at], want):
            at += 1
        if at == len(held) or not close(held[at], want):
            return f"the table has no {want}"
        at += 1
    return None


class Commands:
    def __init__(self, samara, folder):
        self.samara, self.folder, self.made = samara, folder, 0

    def run(self, *words):
        done = subprocess.run([self.samara, *words], stdout=subprocess.PIPE, check=True,
                              stderr=subprocess.DEVNULL, cwd=ROOT)
        return done.stdout.decode("utf-8")

    def report(self, *words):
        """(page, JSON without the report, text)"""
        self.made += 1
        path = os.path.join(self.folder, f"page{self.made}.html")
        self.run(*words, "--report", path)
        with open(path, encoding="utf-8") as f:
            page = Page(f.read())
        return page, json.loads(self.run(*words, "--json")), self.run(*words)


def titles_match(title, figure):
    return title == figure["title"] or figure["title"] == "Partial dependence on " + title


def check_figures(report, name, page, figures):
    wrong = []
    for figure in figures:
        if "tree" in figure or "graph" in figure or "tiles" in figure:
            continue
        found = [rows for title, rows in page.figures.items() if titles_match(title, figure)]
        if not found:
            wrong.append(f"there is no figure '{figure['title']}'")
        elif not found[0][1]:  # the table is not cut
            lacking = same_numbers(found[0][0], values_of(figure))
            if lacking:
                wrong.append(f"{figure['name']}: {lacking}")
    report.check(f"{name}: {len(figures)} figures of the page are the command's",
                 figures and not wrong, "\n".join(wrong[:5]))


def check_headline(report, name, page, result, text):
    """Tiles are the measures, and the baseline is the one that the text prints."""
    measures = result.get("measures") or result["test"]["measures"]
    values = [m["mean"] if isinstance(m, dict) else m for m in measures.values()
              if isinstance(m, (int, float)) or (isinstance(m, dict) and "mean" in m)]
    wrong = [t for t, (value, _) in page.tiles.items() if not any(close(value, v) for v in values)]
    report.check(f"{name}: the headline is the command's", page.tiles and not wrong, str(wrong))
    baseline = result.get("baseline") or result["test"]["baseline"]
    beside = [b for _, b in page.tiles.values() if b]
    good = beside and all(b[0] == baseline["what"] and
                          any(close(b[1], v) for v in baseline.values() if isinstance(v, float))
                          for b in beside)
    line = re.search(r"^baseline +(.*): (\w+) (\S+)$", text, re.M)
    if line:
        good = good and line[1].startswith(baseline["what"]) and close(
            float(line[3]), baseline[line[2]])
    report.check(f"{name}: the baseline is beside it", good, str(beside))


def check_explained(report, name, page, commands, model, data):
    """Importance and curves are those of explain."""
    importance = json.loads(commands.run("explain", "importance", model, data, "--json"))
    check_figures(report, name + ", importance", page, importance["figures"])
    dependence = json.loads(commands.run("explain", "dependence", model, data, "--json"))
    drawn = [f for f in dependence["figures"]
             if f["title"][len("Partial dependence on "):] in page.figures]
    check_figures(report, name + ", dependence", page, drawn)
    first = importance["importance"][0]["columns"][0]["column"]
    report.check(f"{name}: the most important column is drawn",
                 any(f["name"] == "dependence-" + first for f in drawn), first)


def check_league(report, page, result, text):
    """Rows of the page, and of the text, against the JSON."""
    rows = Page.rows(re.search(r"<tbody>(.*?)</tbody>", page.section("league"), re.S)[1])
    wrong = [c["model"] for row, c in zip(rows, result["league"])
             if row[1] != c["model"] or not close(number(row[2]), c["mean"])
             or c["model"] not in text]
    report.check("compare: the league is the command's",
                 len(rows) == len(result["league"]) and not wrong, str(wrong))
    baseline = [c for c in result["league"] if c["spec"] is None][0]
    _, beside = list(page.tiles.values())[0]
    report.check("compare: the baseline is beside the best",
                 beside and close(beside[1], baseline["mean"]), str(beside))


def check_columns(report, page, result, text):
    """The tables by kind against the JSON."""
    shown = {row[0]: row for row in Page.rows(page.section("table")) if row}
    wrong = []
    for c in result["table"]:
        row = shown.get(c["name"], [])
        wanted = ([c["mean"], c["median"], c["max"]] if c["kind"] == "number" else
                  [c["distinct"], 100 * c["most_frequent_share"]])
        held = [v for v in map(number, row[1:]) if v is not None]
        if not all(any(close(h, w) or abs(h - w) <= 0.05 for h in held) for w in wanted):
            wrong.append(f"{c['name']}: {wanted} in {row}")
        if c["name"] not in text:
            wrong.append(f"{c['name']} is not in the text")
    report.check("describe: the columns are the command's", not wrong, "\n".join(wrong[:5]))


def self_test(report):
    report.check("numbers are read as they are written", [number(t) for t in (
        "1,234", "\u22120.25", "1.5\u00d710\u2077", "\u221210\u207b\u00b3", "12.5 %", "abc")] ==
        [1234, -0.25, 1.5e7, -1e-3, None, None])
    report.check("a number that a table lacks is missed",
                 same_numbers([["a", "1.234"]], [1.234, 7]) == "the table has no 7" and
                 same_numbers([["a", "1.234"], ["b", "7"]], [1.23399, 7]) is None and
                 same_numbers([["a", "1.234"]], [1.234, 1.234]) is not None)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    options, report = parser.parse_args(), Report()
    self_test(report)
    with tempfile.TemporaryDirectory(prefix="samara-same-") as folder:
        commands = Commands(os.path.join(os.path.abspath(options.build), "samara"), folder)
        half = os.path.join(folder, "half.csv")
        with open(os.path.join(ROOT, "data", "diabetes.csv"), encoding="utf-8") as f:
            lines = f.readlines()
        with open(half, "w", encoding="utf-8") as f:
            f.writelines(lines[:1] + lines[2::2])
        model = os.path.join(folder, "m.smr")
        numbers = ["train", "forest trees=20", "data/diabetes.csv", "--target", "progression"]
        looks = {
            "train of numbers": numbers,
            "train of classes": ["train", "standardize | logistic", "data/breast_cancer.csv",
                                 "--target", "diagnosis"],
            "cv of numbers": ["cv", "ridge", "data/diabetes.csv", "--target", "progression"],
            "cv of classes": ["cv", "standardize | knn 9", "data/wine.csv", "--target", "cultivar"],
            "tune": ["tune", "standardize | knn", "data/iris.csv", "--target", "species",
                     "--trials", "5"],
        }
        commands.run(*numbers, "-o", model)
        looks["evaluate"] = ["evaluate", model, half]
        for name, words in looks.items():
            page, result, text = commands.report(*words)
            check_figures(report, name, page, result["figures"])
            check_headline(report, name, page, result, text)
            if name == "evaluate":
                check_explained(report, name, page, commands, model, half)
        page, result, text = commands.report(
            "compare", "data/diabetes.csv", "--target", "progression", "ridge", "tree", "stump")
        check_figures(report, "compare", page, result["figures"])
        check_league(report, page, result, text)
        page, result, text = commands.report("describe", "data/iris.csv", "--target", "species")
        check_figures(report, "describe", page, result["figures"])
        check_columns(report, page, result, text)
    report.done()


if __name__ == "__main__":
    main()
