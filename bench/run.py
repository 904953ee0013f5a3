#!/usr/bin/env python3
"""Runs samara and its peers side by side and prints the ratios.

    bench/run.py [--build BUILD] [--beside BUILD] [--no-newest] [--repeats N] [--threads N] [--list]
                 [CASE...]

The machine's ceilings come first.  Then, case by case, samara and each peer run in alternation, one
process each, N times (default 3); ratios are taken between neighbours in time, and the median is
told with the spread.  Where the answers differ, there is no ratio.  Memory is the process's VmHWM.
A peer runs in two editions, Debian's and the newest of PyPI (newest.py; none where pip finds
nothing, or with --no-newest): the ratio is against the better one, and both must agree with samara.
CASE selects by the beginning of a name (knn selects all of knn-...).  The case `defaults` compares
no speed: it writes docs/defaults.md, how good the defaults are beside the peers' (defaults.py).
The case `scaling` models the speed-up of trees at more threads than there are (scaling.c).
--beside takes the same programs of another build, an earlier commit's, in place of the peers: is
anything slower than it was?  Every run adds JSON lines to
bench/results/.
"""
import argparse
import array
import collections
import datetime
import json
import math
import os
import platform
import shlex
import shutil
import statistics
import subprocess
import sys

from cases import CASES, Peer
from newest import newest, versions

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)


def find_python():
    """The interpreter that has the peers' packages: this one, or the system's."""
    for candidate in (sys.executable, shutil.which("python3", path=os.defpath)):
        if candidate and subprocess.run([candidate, "-c", "import numpy, sklearn"],
                                        stderr=subprocess.DEVNULL).returncode == 0:
            return candidate
    sys.exit("bench: no python3 with numpy and sklearn; `make bench` installs Debian's packages")


def run(command):
    """The object on the last line that a command prints; raises RuntimeError with its words."""
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True)
    lines = done.stdout.strip().splitlines()
    if done.returncode or not lines:
        words = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
        raise RuntimeError(words)
    return json.loads(lines[-1])


# ---- do the answers agree? ------------------------------------------------------------------
# Each check takes (mine, theirs, my file of predictions, their file, the case's files) and returns
# (agree, words).


def doubles(path):
    values = array.array("d")
    with open(path, "rb") as f:
        values.frombytes(f.read())
    return values


def close(a, b, tolerance):
    return abs(a - b) <= tolerance * max(1.0, abs(a), abs(b))


def furthest(a, b):
    if len(a) != len(b) or not a:
        return math.inf
    return max(abs(x - y) / max(1.0, abs(x), abs(y)) for x, y in zip(a, b))


def same_table(mine, theirs, *_):
    rows = mine["rows"] == theirs["rows"]
    numbers = mine["numbers"] == theirs["numbers"]
    agree = rows and numbers and close(mine["sum"], theirs["sum"], 1e-9)
    return agree, f"{mine['rows']} rows, {mine['numbers']} numbers, sum {mine['sum']:.6f}"


def same_labels(mine, theirs, my_file, their_file, _):
    a, b = doubles(my_file), doubles(their_file)
    differ = sum(x != y for x, y in zip(a, b)) if len(a) == len(b) else len(a)
    # Distances that tie in one precision may not in the other: one row in a thousand may differ.
    return differ <= len(a) / 1000, f"{differ} of {len(a)} labels differ"


def same_groups(mine, theirs, my_file, their_file, _):
    """By the adjusted Rand index; of the last rows the peers' draws decide."""
    a, b = doubles(my_file), doubles(their_file)
    if len(a) != len(b):
        return False, "other numbers of rows"
    both, one, two = (collections.Counter(x) for x in (zip(a, b), a, b))
    pairs = [sum(n * (n - 1) / 2 for n in c.values()) for c in (both, one, two)]
    chance = pairs[1] * pairs[2] / (len(a) * (len(a) - 1) / 2)
    index = (pairs[0] - chance) / ((pairs[1] + pairs[2]) / 2 - chance)
    return index > 0.99, f"adjusted Rand index {index:.4f}"


def same_order(mine, theirs, my_file, their_file, _):
    """By the correlation of the scores; two of the peer's own seeds have 0.84 to 0.87."""
    a, b = doubles(my_file), doubles(their_file)
    if len(a) != len(b):
        return False, "other numbers of rows"
    r = statistics.correlation(a, b)
    return r > 0.8, f"correlation of the scores {r:.4f}"


def same_values(mine, theirs, my_file, their_file, _):
    a, b = doubles(my_file), doubles(their_file)
    differ = sum(not close(x, y, 1e-9) for x, y in zip(a, b)) if len(a) == len(b) else len(a)
    return differ <= len(a) / 10000, f"{differ} of {len(a)} values differ"


def same_powers(mine, theirs, my_file, their_file, _):
    """The peer's exponents are good to 1e-8; what becomes of a value, to some 1e-6."""
    worst = furthest(doubles(my_file), doubles(their_file))
    return worst <= 1e-5, f"values to {worst:.1e}"


def same_places(mine, theirs, my_file, their_file, _):
    """Both keep 1000 places of 200k, and read lines between: half a place of 1000 apart."""
    worst = furthest(doubles(my_file), doubles(their_file))
    return worst <= 1e-3, f"ranks to {worst:.1e}"


def same_densities(mine, theirs, my_file, their_file, _):
    """Both may be off by one in a million, of the density: of its logarithm, by as much."""
    a, b = doubles(my_file), doubles(their_file)
    worst = max((abs(x - y) for x, y in zip(a, b)), default=math.inf)
    return len(a) == len(b) and worst <= 2.5e-6, f"log-densities to {worst:.1e}"


def no_less_variance(mine, theirs, my_file, their_file, _):
    """The variance that all components have together; the peer adds it up in floats: to 1e-6 it is
    the same of whole decompositions, and may be less of random ones."""
    a, b = sum(doubles(my_file + ".state")), sum(doubles(their_file + ".state"))
    return a >= b * (1 - 1e-6), f"variance {a:.9g}, {(a - b) / b:+.1e} of theirs"


def same_values_qr(mine, theirs, my_file, their_file, files):
    """Coefficients of nearly collinear columns lose the digits of the condition, so both sides are
    held against those of twice the precision: samara's to 1e-9, and no worse than the peer's."""
    worst = furthest(doubles(my_file), doubles(their_file))
    exact = doubles(files["exact"])
    mine_off = furthest(doubles(my_file + ".state"), exact)
    their_off = furthest(doubles(their_file + ".state"), exact)
    agree = worst <= 1e-9 and mine_off <= 1e-9 and mine_off <= their_off
    return agree, (f"predictions to {worst:.1e}; coefficients, of the exact ones: samara's to "
                   f"{mine_off:.1e}, theirs to {their_off:.1e}")


def same_coefficients(mine, theirs, my_file, their_file, _):
    worst = furthest(doubles(my_file + ".state"), doubles(their_file + ".state"))
    return worst <= 1e-9, f"coefficients to {worst:.1e}"


def no_larger_objectives(mine, theirs, my_file, their_file, _):
    """At every penalty of the path: mine is the peer's to 1e-6, or less."""
    a, b = doubles(my_file + ".state"), doubles(their_file + ".state")
    over = max((x - y) / y for x, y in zip(a, b)) if len(a) == len(b) else math.inf
    under = max((y - x) / y for x, y in zip(a, b)) if len(a) == len(b) else math.inf
    return over <= 1e-6, (f"{len(a)} objectives, the largest above theirs by {over:.1e}, the "
                          f"smallest below by {under:.1e}")


def same_least_error(mine, theirs, my_file, their_file, _):
    """The least cross-validated error, of other folds."""
    a, b = min(doubles(my_file + ".state")), min(doubles(their_file + ".state"))
    worst = furthest(doubles(my_file), doubles(their_file))
    return abs(a - b) <= 1e-3 * b and worst <= 0.05, (
        f"least error {a:.6f} and {b:.6f} (each by its own folds), predictions to {worst:.1e}")


def same_objective(mine, theirs, *_):
    """The same minimum to 1e-6: nobody stopped early."""
    a, b = mine["objective"], theirs["objective"]
    return abs(a - b) <= 1e-6 * abs(b), f"objective {a:.6f} and {b:.6f}"


def no_more_surprised(mine, theirs, *_):
    """Over as many batches of the same windows; the networks begin with other weights."""
    a, b = mine["loss"], theirs["loss"]
    return a <= b + 0.02 and mine["rows"] == theirs["rows"], (
        f"{a:.3f} and {b:.3f} nats a character")


def same_mixture(mine, theirs, *_):
    """From one start as many iterations, and the same likelihood to 1e-6."""
    agree, words = same_objective(mine, theirs)
    agree = agree and mine["iterations"] == theirs["iterations"]
    return agree, f"{words}, {mine['iterations']} and {theirs['iterations']} iterations"


def same_error(mine, theirs, *_):
    """From one start as many iterations; the peer's error is that of its doubles."""
    a, b = mine["objective"], theirs["objective"]
    agree = abs(a - b) <= 1e-6 * b and mine["iterations"] == theirs["iterations"]
    return agree, f"error {a:.9g}, {(a - b) / b:+.1e} of theirs, {mine['iterations']} iterations"


def no_larger_error(mine, theirs, *_):
    """To the end: roundings send few rows other ways, of which some thousandth may come."""
    a, b = mine["objective"], theirs["objective"]
    return a <= b * (1 + 1e-3), (f"error {a:.9g}, {(a - b) / b:+.1e} of theirs, "
                                 f"{mine['iterations']} and {theirs['iterations']} iterations")


def near_error(mine, theirs, *_):
    """Each from starts of its own: not above theirs by more than a hundredth."""
    a, b = mine["objective"], theirs["objective"]
    return a <= b * 1.01, f"error {a:.6g}, {(a - b) / b:+.1e} of theirs"


def no_worse_objective(mine, theirs, *_):
    """Theirs is where their default tolerance stops; samara's must not be above it."""
    a, b = mine["objective"], theirs["objective"]
    return a <= b, f"objective {a:.9g}, {(a - b) / b:+.1e} of theirs"


def same_machine(mine, theirs, *_):
    """Dual objectives to 1e-3, where the peer tells its own, and accuracies to three rows in a
    thousand."""
    a, b = mine["objective"], theirs.get("objective", mine["objective"])
    p, q = mine["accuracy"], theirs["accuracy"]
    agree = abs(a - b) <= 1e-3 * abs(b) and abs(p - q) <= 3e-3
    return agree, f"objective {a:.3f} and {b:.3f}, accuracy {p:.4f} and {q:.4f}"


def same_factors(mine, theirs, *_):
    """Both explain the matrix to rounding (LAPACK's own tests ask for a ratio below 30), and share
    the sum of their values."""
    agree = max(mine["residual"], theirs["residual"]) < 30 and close(mine["sum"], theirs["sum"],
                                                                     1e-10)
    return agree, f"residuals {mine['residual']:.2g} and {theirs['residual']:.2g}"


def same_likelihoods(mine, theirs, *_):
    """Per step, of the sequence, of the likeliest path, and as the step of EM tells it."""
    keys = ("log_likelihood", "log_path", "log_step")
    worst = max(abs(mine[k] - theirs[k]) for k in keys)
    return worst <= 1e-9, f"log-likelihood per step {mine[keys[0]]:.6f}, all to {worst:.1e}"


def same_likelihood(mine, theirs, *_):
    """Per step, after as many iterations from one start."""
    off = abs(mine["log_likelihood"] - theirs["log_likelihood"])
    return off <= 1e-6, f"log-likelihood per step {mine['log_likelihood']:.6f}, to {off:.1e}"


def same_marginals(mine, theirs, my_file, their_file, _):
    worst = furthest(doubles(my_file), doubles(their_file))
    return worst <= 1e-9, f"probabilities to {worst:.1e}"


def same_strings(mine, theirs, *_):
    """The sum over the pairs that both computed."""
    agree = abs(mine["sum"] - theirs["sum"]) <= 1e-12 * abs(theirs["sum"])
    return agree, f"sum {mine['sum']:.9g} and {theirs['sum']:.9g}"


def same_words(mine, theirs, *_):
    same = all(mine[k] == theirs[k] for k in ("words", "names", "entries"))
    agree = same and all(close(mine[k], theirs[k], 1e-9) for k in ("sum", "moment"))
    return agree, f"{mine['words']} words, {mine['entries']} entries, sum {mine['sum']:.6f}"


def same_scores(mine, theirs, *_):
    """The mean over the folds; of knn, one row in ten thousand may fall on the other side."""
    agree = abs(mine["mean"] - theirs["mean"]) <= 1e-4 * max(1.0, abs(mine["mean"]))
    return agree, f"mean score {mine['mean']:.6f} and {theirs['mean']:.6f}"


def as_good_a_score(mine, theirs, *_):
    """The best of a grid by other folds: 0.02 is two standard errors of five folds of 569 rows."""
    agree = mine["mean"] >= theirs["mean"] - 0.02
    return agree, f"best score {mine['mean']:.4f} and {theirs['mean']:.4f}"


def same_importance(mine, theirs, *_):
    """The sum over the columns, each by its own shuffles."""
    agree = close(mine["mean"], theirs["mean"], 1e-3)
    return agree, f"importances in all {mine['mean']:.5f} and {theirs['mean']:.5f}"


def half_a_second(mine, theirs, *_):
    """The sum of the columns' correlations with the target, and the time."""
    agree = close(mine["mean"], theirs["mean"], 1e-9) and mine["seconds"]["work"] <= 0.5
    return agree, f"{mine['seconds']['work']:.2f} s, correlations to 1e-9"


def not_worse(mine, theirs, *_):
    """The log loss of rows predicted before they were learned."""
    agree = mine["rows"] == theirs["rows"] and mine["log_loss"] <= 1.001 * theirs["log_loss"]
    return agree, (f"log loss {mine['log_loss']:.5f} and {theirs['log_loss']:.5f}, "
                   f"{mine['rows_per_second'] / 1e6:.2f}M rows/s")


def one_microsecond(mine, theirs, my_file, their_file, _):
    worst = furthest(doubles(my_file), doubles(their_file))
    agree = worst <= 1e-9 and mine["row_allocations"] == 0 and mine["seconds"]["row"] < 1e-6
    return agree, f"{mine['seconds']['row'] * 1e9:.0f} ns, {mine['row_allocations']} allocations"


def as_accurate(mine, theirs, *_):
    """Over all repeats (seeds), not below the peer by more than two standard errors of the
    difference of two shares."""
    a, b = mine["accuracies"], theirs["accuracies"]
    p, q = sum(a) / len(a), sum(b) / len(b)
    noise = 2 * math.sqrt(2 * p * (1 - p) / (mine["test_rows"] * len(a)))
    return p >= q - noise, f"accuracy {p:.4f} and {q:.4f} ({len(a)} seeds, noise {noise:.4f})"


def boosted(mine, theirs, *_):
    """The same, and the memory that training took beyond the data: a byte a cell, 32 bytes per row
    and score, and histograms: 24 bytes per bin of all leaves."""
    agree, words = as_accurate(mine, theirs)
    rows, d, k = mine["rows"], mine["features"], mine["classes"]
    scores = 1 if k == 2 else k
    allowed = rows * d + 32 * rows * scores + 24 * 256 * d * 31 * scores
    taken = mine["fit_peak_memory_bytes"] - mine["rss_before_fit_bytes"]
    theirs_taken = theirs["fit_peak_memory_bytes"] - theirs["rss_before_fit_bytes"]
    return agree, (f"{words}; memory beyond the data {taken / 1e6:.0f} MB of {allowed / 1e6:.0f} "
                   f"allowed{'' if taken <= allowed else ', TOO MUCH'}, theirs "
                   f"{theirs_taken / 1e6:.0f}")


def ten_microseconds(mine, theirs, *_):
    agree, words = as_accurate(mine, theirs)
    row = mine["seconds"]["row"]
    return agree and row <= 10e-6 and mine["row_allocations"] == 0, (
        f"{row * 1e6:.2f} us, {mine['row_allocations']} allocations; {words}")


# ---- one case -------------------------------------------------------------------------------


def compare(mine, theirs, phases):
    """How an edition of a peer did beside samara: repeats that ran one after the other."""
    spent = lambda runs: [sum(r["seconds"][p] for p in phases) for r in runs]
    a, b = spent(mine), spent(theirs)
    ratios = sorted(y / x for x, y in zip(a, b))
    return {"version": theirs[-1].get("version"), "seconds": b, "samara_seconds": a,
            "ratio": statistics.median(ratios), "ratio_low": ratios[0], "ratio_high": ratios[-1],
            "memory": max(r["peak_memory_bytes"] for r in theirs)}


def better(editions):
    """The name of the faster edition, beside which samara is measured."""
    return min(editions, key=lambda name: editions[name]["ratio"])


class Runner:
    def __init__(self, options):
        self.options = options
        self.python = find_python()
        self.scratch = os.path.join(os.path.abspath(options.build), "bench", "data")
        self.programs = os.path.join(os.path.abspath(options.build), "bench")
        os.makedirs(self.scratch, exist_ok=True)
        find_data()
        self.newest = None
        words = "newest peers: none, not asked for"
        if not options.beside and not options.no_newest:
            self.newest, words = newest(options.build)
        known = ["scikit-learn", "xgboost", "lightgbm", "pandas", "numpy", "scipy"]
        found = versions(self.python, known)
        print("system's peers: " + ", ".join(f"{k} {v}" for k, v in found.items()))
        print(words)

    def files(self, case, seed):
        """The paths of a repeat's files, which are read once: the page cache is warm for all."""
        name, *arguments = (word.format(seed=seed) for word in case.data)
        files = run([self.python, os.path.join(HERE, "datasets.py"), name, self.scratch,
                     *arguments])
        for path in files.values():
            with open(path, "rb") as f:
                while f.read(1 << 24):
                    pass
        return files

    def side(self, command, files, seed, out, programs, python=None):
        folds = os.path.join(self.scratch, "folds") # samara writes them, the peer reads them
        words = [w.format(folds=folds, seed=seed, **files) for w in shlex.split(command)]
        words += ["--threads", str(self.options.threads)]
        if "--test" in words:
            words += ["--predictions", out]
        program = os.path.join(programs, words[0])
        if os.access(program, os.X_OK):
            return run([program, *words[1:]])
        return run([python or self.python, os.path.join(HERE, "peers.py"), *words])

    def editions(self, peer, beside):
        """{name: interpreter} of what a peer is run by; a program of the build has but one."""
        word = shlex.split(peer.command)[0]
        if beside or os.access(os.path.join(self.programs, word), os.X_OK) or not self.newest:
            return {"system": self.python}
        return {"system": self.python, "newest": self.newest}

    def case(self, case):
        """Rows of the table, one a peer."""
        seeds = range(self.options.repeats)
        files = [self.files(case, seed) for seed in seeds]
        out = {name: os.path.join(self.scratch, "answers-" + name)
               for name in ("mine", "system", "newest")}
        rows = []
        beside = self.options.beside and os.path.join(os.path.abspath(self.options.beside), "bench")
        for peer in [Peer("beside", case.samara, None)] if beside else case.peers:
            mine, theirs, absent = [], {}, {}
            pythons = self.editions(peer, beside)
            for seed in seeds:
                mine.append(self.side(case.samara, files[seed], seed, out["mine"], self.programs))
                for name, python in pythons.items():
                    if name in absent:
                        continue
                    answer = self.side(peer.command, files[seed], seed, out[name],
                                       beside or self.programs, python)
                    if "absent" in answer:
                        absent[name] = answer["absent"]
                    else:
                        theirs.setdefault(name, []).append(answer)
                if len(absent) == len(pythons):
                    break
            if not theirs:
                print(f"{case.title:44} not against {peer.name}: {next(iter(absent.values()))}")
                continue
            rows.append(self.row(case, peer, files[-1], mine, theirs, out))
        return rows

    def row(self, case, peer, files, mine, theirs, out):
        editions = {}
        for name, runs in theirs.items():
            for side in (mine, runs):
                side[-1]["accuracies"] = [r.get("accuracy", math.nan) for r in side]
            editions[name] = compare(mine, runs, case.phases)
            editions[name]["agree"], editions[name]["quality"] = globals()[case.check](
                mine[-1], runs[-1], out["mine"], out[name], files)
        best = better(editions)
        told = next((e for e in editions.values() if not e["agree"]), editions[best])
        need = {k: (os.path.getsize(files["data"]) if v == "{data}" else v)
                for k, v in case.work.items()}
        peak = max(r.get("fit_peak_memory_bytes", r["peak_memory_bytes"]) for r in mine)
        agree = all(e["agree"] for e in editions.values())
        ratio = editions[best]["ratio"]
        return {
            "case": case.name, "work": case.title, "peer": peer.name, "edition": best,
            "peer_version": editions[best]["version"], "threads": self.options.threads,
            "samara_seconds": editions[best]["samara_seconds"],
            "peer_seconds": editions[best]["seconds"], "phases": case.phases,
            "samara_all": mine[-1]["seconds"], "ratio": ratio,
            "ratio_low": editions[best]["ratio_low"], "ratio_high": editions[best]["ratio_high"],
            "wanted": peer.wanted, "agree": agree, "quality": told["quality"],
            "reached": agree and (peer.wanted is None or ratio >= peer.wanted),
            "samara_memory": peak, "peer_memory": editions[best]["memory"],
            "memory_per_stored": peak / case.stored, "needs": need, "editions": editions,
        }


def ceiling_share(row, ceilings):
    """Least time that the work could take on this machine, over the time it took."""
    if not ceilings or not row["needs"]:
        return None
    unit = {"f64": "fma_f64_gflops", "f32": "fma_f32_gflops", "bytes": "read_gb_s"}
    floor = max(amount / (ceilings[unit[kind]] * 1e9) for kind, amount in row["needs"].items())
    return floor / statistics.median(row["samara_seconds"])


def human(seconds):
    for unit, scale in (("s", 1), ("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds:.2g} s"


HEAD = (f"{'work':44} {'samara':>8} {'system':>8} {'newest':>8}  {'ratio (spread)':>20} "
        f"{'wanted':>7}      {'memory, MB':>13} {'x data':>6} {'ceiling':>7}  against the better")


def show(row):
    ratio = f"{row['ratio']:.2f} ({row['ratio_low']:.2f}-{row['ratio_high']:.2f})"
    verdict = "ok" if row["reached"] else "BEHIND" if row["agree"] else "DIFFERS"
    share = f"{100 * row['ceiling']:.0f} %" if row["ceiling"] is not None else "-"
    memory = f"{row['samara_memory'] / 1e6:.0f} / {row['peer_memory'] / 1e6:.0f}"
    peers = [human(statistics.median(row["editions"][name]["seconds"]))
             if name in row["editions"] else "-" for name in ("system", "newest")]
    version = f" {row['peer_version']}" if row["peer_version"] else ""
    print(f"{row['work']:44} {human(statistics.median(row['samara_seconds'])):>8} "
          f"{peers[0]:>8} {peers[1]:>8}  {ratio:>20} "
          f"{row['wanted'] or '-':>7} {verdict:7} {memory:>10} {row['memory_per_stored']:6.2f} "
          f"{share:>7}  {row['peer']}{version}: {row['quality']}", flush=True)


def find_data():
    shared = os.environ.get("SAMARA_DATA") or os.path.join(ROOT, "..", "shared", "data")
    os.environ["SAMARA_DATA"] = os.path.abspath(shared)


def scaling(build):
    """What one thread makes out about 4, 8 and 16 of them (scaling.c); minutes, mostly higgs."""
    folder = os.path.join(build, "bench", "data")
    os.makedirs(folder, exist_ok=True)
    find_data()
    print("modelled speed-up over one thread, not measured")
    for spec, data in (("tree", "covertype"), ("boost 20 max_leaves=31", "covertype"),
                       ("boost 20 max_leaves=31", "higgs")):
        files = run([find_python(), os.path.join(HERE, "datasets.py"), data, folder, "0"])
        result = run([os.path.join(build, "bench", "scaling"), "--spec", spec, "--data",
                      files["data"], "--target", "#-1", "--task", "classify"])
        told = [f"{n} threads {m['speedup']:5.1f}" for n, m in result["modelled"].items()]
        print(f"{spec:24} {data:10} {'  '.join(told)}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cases", nargs="*", metavar="CASE")
    parser.add_argument("--build", default="build")
    parser.add_argument("--beside", metavar="BUILD")
    parser.add_argument("--no-newest", action="store_true")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    if "scaling" in options.cases:
        scaling(options.build)
        options.cases.remove("scaling")
        if not options.cases:
            return
    if "defaults" in options.cases:
        status = subprocess.run([find_python(), os.path.join(HERE, "defaults.py"), "--build",
                                 options.build, "--write",
                                 os.path.join(ROOT, "docs", "defaults.md")]).returncode
        options.cases.remove("defaults")
        if status or not options.cases:
            sys.exit(status)
    wanted = [c for c in CASES if not options.cases or
              any(c.name.startswith(w) for w in options.cases)]
    if options.list or not wanted:
        print("\n".join(f"{c.name:18} {c.title}" for c in CASES))
        print(f"{'defaults':18} defaults beside the peers', on twenty-three real tables")
        print(f"{'scaling':18} tree and boost at 4, 8 and 16 threads: a model, from one thread")
        sys.exit(0 if options.list else 2)

    runner = Runner(options)
    ceilings = run([os.path.join(runner.programs, "ceilings"), str(options.threads)])
    print(f"ceilings, {options.threads} threads: {ceilings['fma_f64_gflops']:.0f} GFLOP/s double, "
          f"{ceilings['fma_f32_gflops']:.0f} float, reading {ceilings['read_gb_s']:.1f} GB/s, "
          f"copying {ceilings['copy_gb_s']:.1f}\n")
    print(HEAD)

    stamp = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%d-%H%M%S")
    results = os.path.join(HERE, "results")
    os.makedirs(results, exist_ok=True)
    commit = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.strip()
    about = {"time": stamp, "commit": commit, "machine": platform.processor() or platform.machine(),
             "platform": platform.platform(), "ceilings": ceilings}
    n_behind = 0
    with open(os.path.join(results, stamp + ".jsonl"), "w") as log:
        for case in wanted:
            try:
                rows = runner.case(case)
            except (RuntimeError, OSError) as problem:
                print(f"{case.title:44} not run: {problem}", flush=True)
                log.write(json.dumps({**about, "case": case.name, "failed": str(problem)}) + "\n")
                n_behind += 1
                continue
            for row in rows:
                row["ceiling"] = ceiling_share(row, ceilings)
                n_behind += not row["reached"]
                show(row)
                log.write(json.dumps({**about, **row}) + "\n")
    print(f"\n{n_behind} behind or not run; results in {os.path.relpath(log.name)}")


if __name__ == "__main__":
    main()
