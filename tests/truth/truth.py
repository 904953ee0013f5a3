"""What the scripts of this folder share: tables as arrays, and C headers of figures.

A script NAME.py prints the file NAME.h, or NAME.csv, beside it.  It needs Debian's Python packages
alone, and tools/truth.py (`make truth`) runs all of them and compares what they print with what is
recorded: text and whole numbers must be the same, other numbers within what the last comment
`within 1e-9` says, relative to the figure or 1, whichever is larger: that is how far another
version of the peer may be off.
"""
import csv
import os
import sys
import textwrap

import numpy as np

FOLDER = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(FOLDER))
SCRIPT = os.path.basename(sys.argv[0])


# ---- tables ------------------------------------------------------------------------------------

def read(path):
    """Name -> column, as text, of a CSV file of the repository."""
    with open(os.path.join(ROOT, path), newline="", encoding="utf-8") as f:
        rows = list(csv.reader(f))
    return {name: [row[j] for row in rows[1:]] for j, name in enumerate(rows[0])}


def number(cells):
    return np.array([float(c) if c else np.nan for c in cells])


def numbers(path, target, ignore=()):
    """X and y of a table whose other columns are numbers."""
    table = read(path)
    names = [n for n in table if n != target and n not in ignore]
    return np.column_stack([number(table[n]) for n in names]), number(table[target])


def classes(path, target, ignore=()):
    """X and the numbers of the classes, in the order of their names."""
    table = read(path)
    names = [n for n in table if n != target and n not in ignore]
    level = {name: k for k, name in enumerate(sorted(set(table[target])))}
    return (np.column_stack([number(table[n]) for n in names]),
            np.array([level[c] for c in table[target]]))


# The tables that weights, groups, gaps and categories are tried on (patients.py, wines.py).
PATIENTS, WINES = "tests/truth/patients.csv", "tests/truth/wines.csv"
PATIENTS_MIXED, WINES_MIXED = ["ward", "glucose"], ["shade", "acid"]
PATIENTS_REST, WINES_REST = ["weight", "part", "visits"], ["weight", "part", "second"]


def no_patients(target="progression", mixed=False, weighted=False, grouped=False):
    """The columns of patients.csv that such a model ignores."""
    left = ["weight"] * (not weighted) + ["part"] * (not grouped)
    return PATIENTS_MIXED * (not mixed) + left + [t for t in ("visits", "progression")
                                                  if t != target]


def no_wines(target="cultivar", mixed=False, weighted=False, grouped=False):
    left = ["weight"] * (not weighted) + ["part"] * (not grouped)
    return WINES_MIXED * (not mixed) + left + [t for t in ("second", "cultivar") if t != target]


def weights(n):
    """The column `weight` of both: 1, 2, 3, 1, 2, 3 ..."""
    return 1.0 + np.arange(n) % 3


def parts(n):
    """The column `part` of both: 0 .. 4, 0 .. 4 ..."""
    return np.arange(n) % 5


def patients(mixed=False, weighted=False, scale=False, target="progression"):
    """Ten numbers and y; `mixed`: and the levels of ward, and glucose without its gaps.  `scale`:
    as standardize leaves them, which does nothing to levels."""
    X, y = numbers(PATIENTS, target, PATIENTS_MIXED + PATIENTS_REST + ["progression"])
    return together(X, PATIENTS, PATIENTS_MIXED, mixed, weighted, scale), y


def wines(mixed=False, weighted=False, scale=False, target="cultivar"):
    """Thirteen numbers and the classes; `mixed`: and the levels of shade, and acid."""
    X, y = classes(WINES, target, WINES_MIXED + WINES_REST + ["cultivar"])
    return together(X, WINES, WINES_MIXED, mixed, weighted, scale), y


def together(X, path, names, mixed, weighted, scale):
    w = weights(len(X)) if weighted else None
    change = (lambda x: scaled(x, w)) if scale else (lambda x: x)
    if not mixed:
        return change(X)
    table = read(path)
    gaps = filled(change(number(table[names[1]])[:, None])[:, 0], w)
    return np.column_stack([change(X), coded(table[names[0]]), gaps])


def coded(cells):
    """One column of 0 and 1 for each level, in order; all 0 where the level is missing."""
    levels = sorted(set(cells) - {""})
    return np.array([[float(c == level) for level in levels] for c in cells])


def filled(x, weight=None):
    """Gaps become the mean of the others."""
    there = ~np.isnan(x)
    w = np.ones(len(x)) if weight is None else weight
    return np.where(there, x, np.average(x[there], weights=w[there]))


# ---- headers -----------------------------------------------------------------------------------

HELD = "\0"  # a space where no line may end


def wrapped(text, first="    ", rest="    "):
    lines = textwrap.wrap(text, 98, initial_indent=first, subsequent_indent=rest,
                          break_long_words=False, break_on_hyphens=False)
    return [line.replace(HELD, " ") for line in lines]


def literal(v):
    if isinstance(v, str):
        return '"' + v.replace("\\", "\\\\").replace('"', '\\"').replace(" ", HELD) + '"'
    if v is None:
        return "NULL"
    if isinstance(v, (bool, np.bool_)):
        return "true" if v else "false"
    if isinstance(v, (list, tuple, np.ndarray)):
        return "{" + ", ".join(literal(e) for e in v) + "}"
    if isinstance(v, (int, np.integer)):
        return str(int(v))
    v = float(v)
    if np.isnan(v):
        return "NAN"
    if np.isinf(v):
        return "INFINITY" if v > 0 else "-INFINITY"
    return repr(v + 0.0)  # no -0.0


class Header:
    """A C header that is printed at the end; `by` says which programs computed its figures."""

    def __init__(self, what, by):
        name = SCRIPT[:-3]
        self.lines = [f"/* {name}.h -- generated by tests/truth/{SCRIPT}; do not edit."]
        self.lines += textwrap.wrap(f"{what}  By {by}.", 95, initial_indent=" * ",
                                    subsequent_indent=" * ")
        self.lines[-1] += " */"
        self.lines += [""]
        self.cases = []

    def comment(self, text, within):
        if within is not None:
            text = f"{text}; within{HELD}{within:g}"
        lines = textwrap.wrap(f"/* {text}", 95, subsequent_indent=" * ", break_long_words=False)
        self.lines += [line.replace(HELD, " ") for line in lines]
        self.lines[-1] += " */"

    def put(self, head, text):
        self.lines.append(head + " =")
        self.lines += wrapped(text + ";")
        self.lines.append("")

    def array(self, name, values, text, within=None, kind="double"):
        """static const double NAME[..] of the shape of `values`; whole numbers: kind."""
        values = np.asarray(values)
        self.comment(text, within)
        shape = "".join(f"[{n}]" for n in values.shape)
        self.put(f"static const {kind} {name}{shape}", literal(values.tolist()))

    def number(self, name, value, text, within=None):
        self.comment(text, within)
        self.put(f"static const double {name}", literal(float(value)))

    def records(self, name, fields, rows, text, within=None):
        """static const struct { FIELDS } NAME[]."""
        self.comment(text, within)
        self.lines.append(f"static const struct {{\n    {fields}\n}} {name}[] = {{")
        for row in rows:
            self.lines += wrapped(literal(list(row)) + ",", rest="     ")
        self.lines += ["};", ""]

    def answers(self, sentence, table, target, output, values, within, every=7, ignore=(),
                weighted=False, grouped=False, by=None):
        """What a model of this sentence must say of rows 0, every, 2 every ...; `values` are what
        is true of all rows, `within` the tolerance of the test.  by: the peer's own figures are
        only so good."""
        values = np.asarray(values, dtype=float)
        values = values.reshape(len(values), -1)[::every]
        name = f"{SCRIPT[:-3]}_{len(self.cases)}"
        self.array(name, values.ravel(), sentence, min(by or within / 10, within))
        self.cases.append(f'{{{literal(sentence)}, {literal(table)}, {literal(target)}, '
                          f'{literal(",".join(ignore) or None)}, {literal(weighted)}, '
                          f'{literal(grouped)}, {output}, {every}, {literal(float(within))}, '
                          f'{values.size}, {name}}},')

    def of_patients(self, sentence, output, values, within, target="progression", mixed=False,
                    weighted=False, grouped=False, **more):
        self.answers(sentence, PATIENTS, target, output, values, within, every=17,
                     ignore=no_patients(target, mixed, weighted, grouped), weighted=weighted,
                     grouped=grouped, **more)

    def of_wines(self, sentence, output, values, within, target="cultivar", mixed=False,
                 weighted=False, grouped=False, **more):
        self.answers(sentence, WINES, target, output, values, within, every=11,
                     ignore=no_wines(target, mixed, weighted, grouped), weighted=weighted,
                     grouped=grouped, **more)

    def end(self):
        if self.cases:
            self.lines.append(f"static const struct answers {SCRIPT[:-3]}_answers[] = {{")
            for case in self.cases:
                self.lines += wrapped(case, rest="     ")
            self.lines += ["};", ""]
            at = self.lines.index("")
            self.lines.insert(at, '#include "truth.h"')
        print("\n".join(self.lines).rstrip())


VALUE, PROBA, DECISION, TRANSFORM, LABEL = ("SMR_OUTPUT_" + o for o in (
    "VALUE", "PROBA", "DECISION", "TRANSFORM", "LABEL"))


EVERY_WAY = [{}, {"weighted": True}, {"mixed": True}, {"mixed": True, "weighted": True}]


def scaled(X, w=None):
    """Mean 0 and deviation 1 of what is there, as standardize does it."""
    there = ~np.isnan(X)
    w = np.where(there, 1.0 if w is None else w[:, None], 0.0)
    mean = (w * np.where(there, X, 0)).sum(axis=0) / w.sum(axis=0)
    sd = np.sqrt((w * np.where(there, X - mean, 0) ** 2).sum(axis=0) / w.sum(axis=0))
    return (X - mean) / np.where(sd > 0, sd, 1)


def robust_data():
    """X, y, weights, counts and sizes of tests/learn/robust_data.h."""
    i, j = np.arange(211)[:, None], np.arange(6)[None]
    X = np.sin(1.7 * i + 2.3 * j * j + 0.4 * i * j) * (1 + j)
    y = X @ np.cos(np.arange(6)) + 3 + np.tan(1.3 * np.arange(211))
    mean = np.exp(0.3 * X[:, 0] + 0.1 * X[:, 1] + 0.5)
    waves = np.sin(7.1 * np.arange(211))
    return X, y, weights(211), np.floor(mean * (1 + waves) + 0.3), mean * (1.05 + waves)


def with_one(X):
    return np.column_stack([X, np.ones(len(X))])


def write_csv(columns):
    """Prints a table: name -> cells."""
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(columns)
    for row in zip(*columns.values()):
        out.writerow(row)
