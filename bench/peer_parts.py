"""What the peers share: their arguments, a clock, the line that they print, tables from files."""
import argparse
import json
import os
import statistics
import time

parser = argparse.ArgumentParser()
parser.add_argument("name")
parser.add_argument("--data")
parser.add_argument("--test")
parser.add_argument("--predictions")
parser.add_argument("--threads", type=int, default=2)
parser.add_argument("--one-row", type=int, default=0)
parser.add_argument("--dtype", default="float64")
parser.add_argument("--l2", type=float, default=1.0)
parser.add_argument("--divide", type=float, default=1.0)
parser.add_argument("--solver", type=int, default=1)
parser.add_argument("--eps", type=float, default=0.1)
parser.add_argument("--folds")
parser.add_argument("--ngrams", type=int, default=1)
parser.add_argument("--tfidf", action="store_true")
parser.add_argument("--scoring")
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--C", type=float, default=1.0)
parser.add_argument("--gamma", type=float, default=1.0)
parser.add_argument("--leaves", type=int, default=31)
parser.add_argument("--starts")
parser.add_argument("--query", default="*")
parser.add_argument("--iterations", type=int, default=300)
parser.add_argument("--algorithm", default="lloyd")
parser.add_argument("--covariance", default="full")
parser.add_argument("--clusters", type=int, default=10)
options = parser.parse_args()
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS"): # read at import
    os.environ[variable] = str(options.threads)

import numpy as np


def memory(key):
    with open("/proc/self/status") as f:
        for line in f:
            if line.startswith(key + ":"):
                return 1024 * int(line.split()[1])
    return 0


def timed(work):
    start = time.perf_counter()
    answer = work()
    return time.perf_counter() - start, answer


def one_row(predict, rows):
    """Median seconds of one row at a time."""
    if not options.one_row:
        return 0.0
    predict(rows[:1])
    return statistics.median(timed(lambda: predict(rows[i % len(rows)][None]))[0]
                             for i in range(options.one_row))


def say(seconds, version, **more):
    print(json.dumps({"seconds": seconds, "version": version,
                      "peak_memory_bytes": memory("VmHWM"), **more}))


def say_fit(seconds, version, predictions, state=None, **more):
    if options.predictions:
        np.asarray(predictions, np.float64).tofile(options.predictions)
        if state is not None:
            np.asarray(state, np.float64).tofile(options.predictions + ".state")
    say(seconds, version, **more)


def table(path, dtype=None):
    """Features and the last column of an array file, each contiguous."""
    whole = np.load(path)
    return np.ascontiguousarray(whole[:, :-1], dtype), np.ascontiguousarray(whole[:, -1])
