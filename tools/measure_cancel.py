#!/usr/bin/env python3
"""How soon Ctrl-C ends the command, on large input, for every learner and every command.

    tools/measure_cancel.py BUILD [--inputs FOLDER] [--only REGEX] [--moments S,...]
                            [--markdown FILE]
    tools/measure_cancel.py BUILD --short     the test in `make test`: some seconds, wide limits

Makes large tables (100,000 classes, a million categories, one row of 100,000 columns, sparse texts,
many rows), runs each learner and each command on them, sends SIGINT at several moments, each drawn
around those of --moments, and measures what passes until the process has ended: of the clock, and
of the processor, since the machine may be shared.  A case fails where both exceed the limit, where
the message does not say what became of the work, or where a file is left.  --time is tried where a
command has it: it may be late by a tenth and by the limit, of the clock or of the processor.
"""
import argparse
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import tap

LIMIT = 0.2          # seconds
SHORT_LIMIT = 2.0    # of the processor: the test must not fail because others work
LONGEST = 60.0       # seconds that anything may run at all
TIMED = 0.1          # of the seconds of --time: so much more it may take, and LIMIT
MOMENTS = [0.15, 0.6, 2.0, 5.0]
TICK = os.sysconf("SC_CLK_TCK")

# Learners made of learners, and those whose defaults are not heavy.
SENTENCES = {
    "adaboost": "adaboost of=(tree max_depth=6)", "bag": "bag of=(tree)",
    "calibrate": "calibrate of=(boost)",
    "conformal": "conformal of=(boost)", "majority": "majority of=(sgd),(perceptron)",
    "ova": "ova of=(logistic)", "ovo": "ovo of=(logistic)", "stack": "stack of=(boost),(knn)",
    "vote": "vote of=(forest),(knn)", "experts": "experts 4", "subset": "subset 12",
}


# ---- inputs -------------------------------------------------------------------------------------

def write_rows(path, header, rows):
    with open(path, "w", encoding="ascii") as f:
        if header:
            f.write(header + "\n")
        f.writelines(rows)


def make_classes(path, draw, scale):
    """Every class has two rows."""
    n = int(200_000 * scale)
    write_rows(path, "a,b,c,d,y",
               (f"{draw.random():.6f},{draw.gauss(0, 1):.6f},{i % 97},{draw.random() * i:.4f},"
                f"k{i // 2}\n"
                for i in range(n)))


def make_categories(path, draw, scale):
    """A million levels in a column, of which each is met once or twice."""
    n = int(1_500_000 * scale)
    write_rows(path, "place,a,b,y,z",
               (f"p{int(draw.random() * n * 2 / 3)},{draw.random():.5f},{i % 1013},"
                f"{'yes' if draw.random() < 0.3 else 'no'},{draw.random():.5f}\n"
                for i in range(n)))


def make_wide(path, draw, scale, n_rows=60):
    d = int(100_000 * scale)
    write_rows(path, ",".join(f"x{j}" for j in range(d)) + ",y,z",
               (",".join(f"{draw.random():.3f}" for _ in range(d)) +
                f",{'ab'[i % 2]},{draw.random():.4f}\n"
                for i in range(n_rows)))


def make_one(path, draw, scale):
    make_wide(path, draw, scale, 1)


def make_text(path, draw, scale):
    """LIBSVM: 30 of 100,000 words in each row, the frequent ones more often."""
    n, d = int(100_000 * scale), 100_000

    def row(i):
        words = sorted({1 + int(d * draw.random() ** 4) for _ in range(30)})
        return f"{i % 20} " + " ".join(f"{w}:{1 + int(3 * draw.random())}" for w in words) + "\n"
    write_rows(path, None, (row(i) for i in range(n)))


def make_many(path, draw, scale):
    """Rows enough for every learner to be at work for a while."""
    n, d = int(400_000 * scale), 20

    def row(i):
        x = [draw.gauss(0, 1) for _ in range(d)]
        s = x[0] + 0.5 * x[1] * x[2] - x[3] + draw.gauss(0, 1)
        name = "low" if s < -1 else "mid" if s < 1 else "high"
        return ",".join(f"{v:.4f}" for v in x) + f",{name},{s + 20:.4f}\n"
    write_rows(path, ",".join(f"x{j}" for j in range(d)) + ",y,z", (row(i) for i in range(n)))


def make_symmetric(path, draw, scale):
    """What `matrix eigen` takes."""
    n = int(1500 * scale ** 0.5)
    half = [[f"{draw.gauss(0, 1):.5f}" for _ in range(i + 1)] for i in range(n)]
    write_rows(path, None, (",".join(half[max(i, j)][min(i, j)] for j in range(n)) + "\n"
                            for i in range(n)))


def make_square(path, draw, scale):
    n = int(1500 * scale ** 0.5)
    write_rows(path, None, (",".join(f"{draw.gauss(0, 1):.5f}" for _ in range(n)) + "\n"
                            for i in range(n)))


INPUTS = {"classes": ("classes.csv", make_classes),
          "categories": ("categories.csv", make_categories),
          "wide": ("wide.csv", make_wide), "one": ("one.csv", make_one),
          "text": ("text.libsvm", make_text),
          "many": ("many.csv", make_many), "square": ("square.csv", make_square),
          "symmetric": ("symmetric.csv", make_symmetric)}
ABOUT = {"classes": "200,000 rows, 100,000 classes",
         "categories": "1,500,000 rows, a column of a million levels",
         "wide": "60 rows of 100,000 columns", "one": "one row of 100,000 columns",
         "text": "100,000 sparse rows of 100,000 columns", "many": "400,000 rows of 20 columns",
         "square": "a matrix of 1500 by 1500", "symmetric": "a symmetric one"}


def make_inputs(folder, scale, names):
    os.makedirs(folder, exist_ok=True)
    for name in names:
        file, make = INPUTS[name]
        path = os.path.join(folder, file)
        if not os.path.exists(path):
            make(path + ".part", random.Random(name), scale)
            os.replace(path + ".part", path)


# ---- one run ------------------------------------------------------------------------------------

class Run:
    """A command that is interrupted at a moment (None: when it is at work), once or more often:
    how it ended, after which time, what it left."""

    def __init__(self, command, folder, moment, times=1):
        before = set(os.listdir(folder))
        self.waited = moment is not None
        with tempfile.TemporaryFile() as said:
            process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL,
                                       stdout=subprocess.DEVNULL, stderr=said)
            began = time.monotonic()
            self.early = wait(process, began + moment) if moment else work_has_begun(process)
            used = processor_time(process.pid) if not self.early else 0
            asked = time.monotonic()
            for _ in range(times if not self.early else 0):
                os.kill(process.pid, signal.SIGINT)  # send_signal would wait for it
                time.sleep(0.02 if times > 1 else 0)
            self.hung = not self.early and not wait(process, asked + LONGEST)
            if self.hung:
                process.kill()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            self.wall = time.monotonic() - asked
            self.ran = time.monotonic() - began
            self.cpu = usage.ru_utime + usage.ru_stime - used
            self.status = process.returncode
            self.peak = usage.ru_maxrss / 1024
            said.seek(0)
            self.message = said.read().decode("utf-8", "replace").strip()
        self.left = sorted(set(os.listdir(folder)) - before)
        for name in self.left:
            path = os.path.join(folder, name)
            shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)

    def complaint(self, limit, keeps=False):
        """Why this run is not as it should be, or None."""
        if self.hung:
            return f"still ran {LONGEST:.0f} s after the signal"
        if self.early:
            return None if self.waited else f"it ended by itself: {self.message}"
        if min(self.wall, self.cpu) > limit:
            return f"{self.wall:.2f} s, of the processor {self.cpu:.2f} s"
        if self.status in (0, 1, 2, 3):  # done, or refused, as the signal came
            return None
        if self.status == -signal.SIGINT:  # it came before main had begun
            return None
        if self.status != 130:
            return f"status {self.status}: {self.message}"
        if not re.search("cancelled.*(written|kept|saved|continue|resume)", self.message, re.S):
            return f"does not say what was lost: '{self.message}'"
        if self.left and not keeps:
            return "leaves " + ", ".join(self.left)
        return None


class Timed:
    """A command with --time that ends by itself: how long after that time, of the clock and of the
    processor."""

    def __init__(self, command, folder, seconds):
        with tempfile.TemporaryFile() as said:
            process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL,
                                       stdout=said, stderr=subprocess.STDOUT)
            began = time.monotonic()
            used = None if wait(process, began + seconds) else processor_time(process.pid)
            self.hung = not wait(process, began + LONGEST)
            if self.hung:
                process.kill()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = self.status = os.waitstatus_to_exitcode(status)
            self.ran = time.monotonic() - began
            self.late = 0 if used is None else min(
                self.ran - seconds, usage.ru_utime + usage.ru_stime - used)
            self.allowed = TIMED * seconds + LIMIT
            said.seek(0)
            self.message = said.read().decode("utf-8", "replace").strip()

    def complaint(self, statuses=(0,)):
        if self.hung or self.late > self.allowed:
            return f"ran {self.ran:.2f} s, {self.late:.2f} s more than --time"
        return None if self.status in statuses else f"status {self.status}: {self.message}"


def wait(process, until):
    """True when the process has ended; it is left to wait4, which counts its time."""
    while True:
        done = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if done or time.monotonic() > until:
            return bool(done)
        time.sleep(0.002)


def work_has_begun(process):
    """Waits until it has used the processor for a while; True where it ended before."""
    while not wait(process, 0):
        if processor_time(process.pid) >= 0.1:
            return False
        time.sleep(0.005)
    return True


def processor_time(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


# ---- cases --------------------------------------------------------------------------------------

class Case:
    def __init__(self, name, data, words, keeps=False):
        self.name, self.data, self.words, self.keeps = name, data, words, keeps


def learner_cases(samara):
    """Every learner on every input that its task suits."""
    listed = json.loads(subprocess.run([samara, "list", "learners", "--json"], check=True,
                                       capture_output=True).stdout)["learners"]
    for learner in listed:
        name, tasks = learner["name"], learner["tasks"]
        if "classify" not in tasks and "regress" not in tasks:
            continue
        sentence = SENTENCES.get(name, name)
        for data in ["many", "classes", "categories", "wide", "text"]:
            classify = "classify" in tasks
            if data == "classes" and not classify:
                continue
            target = "label" if data == "text" else "y" if classify else "z"
            words = ["train", sentence, data, "--target", target, "-o", "m.smr"]
            if data == "text":
                words += ["--task", "classify" if classify else "regress"]
            if data == "classes":
                words += ["--holdout", "0.001"]  # each of its rows has 100,000 probabilities
            yield Case(name, data, words)


def command_cases():
    """Every command that may take long; models are made beforehand (make_models)."""
    many = ["many", "--target", "y", "--ignore", "z"]
    numbers = ["many", "--target", "z", "--ignore", "y"]
    yield Case("cv", "many", ["cv", "forest", *many, "-o", "oof.csv"])
    yield Case("cv", "classes", ["cv", "knn", "classes", "--target", "y"])
    yield Case("tune", "many", ["tune", "boost", *many, "-o", "m.smr", "--log", "log.jsonl"], True)
    yield Case("compare", "many", ["compare", *many, "--all"])
    yield Case("compare", "classes", ["compare", "classes", "--target", "y", "--all"])
    yield Case("compare", "text", ["compare", "text", "--target", "label", "--all"])
    for kind in ["learning", "rounds"]:
        yield Case("curve " + kind, "many", ["curve", kind, "boost", *many, "--plot", "c.svg"])
    yield Case("curve validation", "many",
               ["curve", "validation", "ridge", *numbers, "--over", "l2=1e-3..1e3"])
    for kind in ["importance", "dependence", "shapley", "regions"]:
        yield Case("explain " + kind, "many", ["explain", kind, "forest.smr", "many"])
    yield Case("explain proximity", "many", ["explain", "proximity", "forest.smr", "many"])
    yield Case("explain path", "many", ["explain", "path", "forest.smr", "many"])
    for kind in ["training", "threshold"]:
        yield Case("curve " + kind, "many", ["curve", kind, "boost", *two_classes()])
    yield Case("bias-variance", "many", ["bias-variance", "boost", *numbers, "--samples", "500"])
    for data in ["many", "classes", "categories", "wide", "one", "text"]:
        yield Case("describe", data, ["describe", data, "-o", "d.csv"])
        yield Case("convert", data, ["convert", data, "out.csv"])
    for data in ["many", "classes", "categories", "wide", "text"]:
        target = "label" if data == "text" else "y"
        yield Case("describe --target", data, ["describe", data, "--target", target])
        yield Case("split", data, ["split", data, "a.csv", "b.csv", "--target", target])
    for model in ["forest", "knn"]:
        yield Case(f"predict ({model})", "many",
                   ["predict", model + ".smr", "many", "-o", "p.csv", "--proba"])
        yield Case(f"evaluate ({model})", "many", ["evaluate", model + ".smr", "many"])
    yield Case("evaluate (baseline)", "classes", ["evaluate", "baseline.smr", "classes"])
    yield Case("predict (baseline)", "classes",
               ["predict", "baseline.smr", "classes", "-o", "p.csv"])
    for data in ["many", "classes", "text", "categories"]:
        target = "label" if data == "text" else "y"
        yield Case("stream", data, ["stream", "sgd", data, "--target", target, "-o", "m.smr",
                                    "--passes", "50"], True)
    for what in ["svd", "inv", "qr", "lu", "det", "rank"]:
        yield Case("matrix " + what, "square", ["matrix", what, "square"])
    yield Case("matrix eigen", "symmetric", ["matrix", "eigen", "symmetric"])
    yield Case("trace", "many", ["trace", "tree", *many, "--html", "t.html"])
    yield Case("trace", "wide",
               ["trace", "perceptron", "wide", "--target", "y", "--html", "t.html"])
    yield Case("make", "-", ["make", "blobs", "n=3000000", "d=10", "-o", "blobs.csv"])
    for how in [[], ["--rules", "--tree", "0"], ["--json"]]:
        yield Case(" ".join(["inspect", *how[:1]]), "many", ["inspect", "forest.smr", *how])
    for data in ["many", "classes", "categories", "wide"]:
        yield Case("train (transforms)", data,
                   ["train", "impute | power | ranks", data, "--ignore", "y", "-o", "m.smr"])
    for data in ["many", "categories", "wide"]:
        yield Case("train (encode | ridge)", data,
                   ["train", "encode | standardize | ridge", data, "--target", "z", "-o", "m.smr"])
    yield Case("predict (transforms)", "many",
               ["predict", "features.smr", "many", "-o", "p.csv"])
    yield Case("train -o (saving)", "many",
               ["train", "knn", "many", "--target", "y", "--holdout", "0", "-o", "m.smr"])


def two_classes():
    """A target of many.csv with two classes: the others are gaps."""
    return ["many", "--target", "y", "--ignore", "z", "--missing", "mid"]


MODELS = ["forest", "knn", "features", "baseline"]


def make_models(samara, folder, inputs):
    many, classes = inputs["many"], inputs["classes"]
    for name, words in {"forest": ["forest trees=50", many, "--target", "y", "--ignore", "z"],
                        "knn": ["knn", many, "--target", "y", "--ignore", "z"],
                        "features": ["onehot | standardize | poly 2", many, "--ignore", "y,z"],
                        "baseline": ["baseline", classes, "--target", "y"]}.items():
        if not os.path.exists(os.path.join(folder, name + ".smr")):
            held = [] if name == "features" else ["--holdout", "0.001"]
            subprocess.run([samara, "train", *words, *held, "-o", name + ".smr", "-q"],
                           cwd=folder, check=True, stdout=subprocess.DEVNULL)


def command_of(samara, case, inputs):
    return [samara, *(inputs.get(w, w) for w in case.words), "--memory", "6G"]


def try_case(samara, case, inputs, folder, moments, draw, limit):
    """The runs of a case, the first of which that ends by itself is the last."""
    runs = []
    for moment in moments:
        run = Run(command_of(samara, case, inputs), folder, moment * (0.7 + 0.6 * draw.random()))
        runs.append(run)
        if run.early or run.complaint(limit, case.keeps):
            break
    return runs


# ---- --time -------------------------------------------------------------------------------------

def time_cases():
    """Commands that end by themselves; 3 s."""
    yield Case("compare --time 3s", "many",
               ["compare", "many", "--target", "y", "--ignore", "z", "--all", "--time", "3s"])
    yield Case("compare --time 3s", "text",
               ["compare", "text", "--target", "label", "--all", "--time", "3s"])
    yield Case("tune --time 3s (boost)", "many",  # of which not one is finished
               ["tune", "boost", "many", "--target", "y", "--ignore", "z", "--time", "3s"])
    yield Case("tune --time 3s", "many",
               ["tune", "ridge", "many", "--target", "z", "--ignore", "y", "--trials", "100000",
                "--time", "3s"])


# ---- the test -----------------------------------------------------------------------------------

ENDLESS = {  # small tables, and work that would not end; what it may leave
    "sgd": ["train", "sgd schedule=constant tol=0 passes=1000000000", "IRIS", "-t", "species",
            "-o", "m.smr"],
    "perceptron": ["train", "perceptron max_iter=1000000", "IRIS", "-t", "species", "-o", "m.smr"],
    "boost": ["train", "boost rounds=1000000", "IRIS", "-t", "species", "-o", "m.smr"],
    "forest": ["train", "forest trees=1000000", "IRIS", "-t", "species", "-o", "m.smr"],
    "experts": ["train", "experts tol=0 max_iter=1000000 restarts=1000", "IRIS", "-t", "species",
                "-o", "m.smr"],
    "cv": ["cv", "boost", "IRIS", "-t", "species", "--repeats", "100000", "-o", "oof.csv"],
    "tune": ["tune", "boost", "IRIS", "-t", "species", "--trials", "100000", "-o", "m.smr"],
    "curve": ["curve", "learning", "forest trees=100000", "IRIS", "-t", "species",
              "--plot", "c.svg"],
    "bias-variance": ["bias-variance", "forest", "IRIS", "-t", "species", "--samples", "1000000"],
    "stream": ["stream", "sgd", "IRIS", "-t", "species", "--passes", "100000000"],
}


def short(samara):
    """Cases of `make test`: the processor's time counts, so that a busy machine fails nothing."""
    report = tap.Report()
    data = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "iris.csv")
    with tempfile.TemporaryDirectory() as folder:
        for name, words in ENDLESS.items():
            run = Run([samara, *(data if w == "IRIS" else w for w in words)], folder, None)
            report.check(f"ctrl_c_ends_{name}_and_leaves_nothing", not run.complaint(SHORT_LIMIT),
                         f"{run.complaint(SHORT_LIMIT)}\n{run.message}")
        words = [data if w == "IRIS" else w for w in ENDLESS["boost"]]
        run = Run([samara, *words], folder, None, times=2)
        report.check("a_second_ctrl_c_ends_it_at_once",
                     run.status == 130 and run.cpu < SHORT_LIMIT and not run.left,
                     f"status {run.status}, {run.cpu:.2f} s\n{run.message}")
        short_times(samara, report, data, folder)
    report.done()


def short_times(samara, report, data, folder):
    """--time ends a search of slow fits; what its log has is continued."""
    search = [samara, "tune", "forest trees=100", data, "-t", "species", "--over",
              "trees=100..300 min_leaf=1..20", "--trials", "20000", "-o", "m.smr", "--time", "2s"]

    def model_is_there():
        return os.path.exists(os.path.join(folder, "m.smr"))
    run = Timed([*search, "--log", "t.log"], folder, 2)
    report.check("a_search_ends_in_time_with_the_best_so_far",
                 not run.complaint() and "the time was up" in run.message and model_is_there(),
                 f"{run.complaint()}\n{run.message}")
    for words in ([samara, "evaluate", "m.smr", data],
                  [*search, "--resume", "t.log"]):
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
        report.check(f"and_{words[1]}_goes_on_from_there", done.returncode == 0,
                     done.stdout + done.stderr)
    os.remove(os.path.join(folder, "m.smr"))
    for name, words in {"tune": ["tune", "forest trees=1000000", data, "-o", "m.smr"],
                        "compare": ["compare", data, "forest trees=1000000"]}.items():
        run = Timed([samara, *words, "-t", "species", "--time", "1s"], folder, 1)
        report.check(f"{name}_without_time_for_anything_says_so",
                     not run.complaint((130,)) and "the time was up before" in run.message and
                     not model_is_there(), f"{run.complaint((130,))}\n{run.message}")


# ---- results ------------------------------------------------------------------------------------

def word_for(runs, complaint):
    """What stands in the table."""
    if complaint:
        return complaint
    cut = [r for r in runs if r.status == 130]
    if not cut:
        last = runs[-1]
        return f"done in {last.ran:.1f} s" if last.status == 0 else "refused"
    return f"{1000 * max(min(r.wall, r.cpu) for r in cut):.0f} ms"


def markdown(results):
    """One line for each learner or command, one column for each input."""
    columns = [d for d in [*INPUTS, "-"] if any(d == data for _, data in results)]
    lines = ["| | " + " | ".join(columns) + " |", "|---" * (len(columns) + 1) + "|"]
    for name in dict.fromkeys(n for n, _ in results):
        cells = [results.get((name, d), "") for d in columns]
        escaped = name.replace("|", "\\|")
        lines.append(f"| {escaped} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def measure(samara, args):
    inputs = {n: os.path.join(args.inputs, INPUTS[n][0]) for n in INPUTS}
    make_inputs(args.inputs, 1, INPUTS)
    make_models(samara, args.inputs, inputs)
    draw = random.Random(args.seed)
    results, n_failed = {}, 0
    with tempfile.TemporaryDirectory() as folder:
        for model in MODELS:
            os.symlink(os.path.join(args.inputs, model + ".smr"),
                       os.path.join(folder, model + ".smr"))
        for case in [*learner_cases(samara), *command_cases(), *time_cases()]:
            if not re.search(args.only, f"{case.name} {case.data}"):
                continue
            if "--time" in case.name:  # nobody interrupts it
                run = Timed(command_of(samara, case, inputs), folder, 3)
                complaint = run.complaint((0, 130))
                results[case.name, case.data] = complaint or f"done in {run.ran:.1f} s"
                n_failed += bool(complaint)
                print(f"{'FAIL' if complaint else 'ok  '} {case.name} {case.data}: "
                      f"{results[case.name, case.data]}", flush=True)
                continue
            runs = try_case(samara, case, inputs, folder, args.moments, draw, LIMIT)
            complaint = next(filter(None, (r.complaint(LIMIT, case.keeps) for r in runs)), None)
            word = word_for(runs, complaint)
            results[case.name, case.data] = word
            n_failed += bool(complaint)
            times = " ".join(f"{1000 * r.wall:.0f}/{1000 * r.cpu:.0f}" for r in runs)
            why = runs[-1].message.splitlines()[-1:] if runs[-1].status in (1, 2, 3) else ""
            print(f"{'FAIL' if complaint else 'ok  '} {case.name} {case.data}: {word}  [{times}] "
                  f"{max(r.peak for r in runs):.0f} MB {why}", flush=True)
    if args.markdown:
        with open(args.markdown, "w", encoding="utf-8") as f:
            f.write(markdown(results))
    print(f"{len(results)} cases, {n_failed} beyond {1000 * LIMIT:.0f} ms or otherwise wrong")
    return 1 if n_failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--inputs", default="/tmp/samara-cancel",
                        help="where the tables are made, and kept")
    parser.add_argument("--only", default="", help="cases whose name and input match")
    parser.add_argument("--moments", type=lambda s: [float(v) for v in s.split(",")],
                        default=MOMENTS)
    parser.add_argument("--markdown", help="write the table of results here")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--short", action="store_true", help="the test of `make test`")
    args = parser.parse_args()
    args.inputs = os.path.abspath(args.inputs)
    samara = os.path.abspath(os.path.join(args.build, "samara"))
    return short(samara) if args.short else measure(samara, args)


if __name__ == "__main__":
    sys.exit(main())
