#!/usr/bin/env python3
"""Runs every fuzz target of a build for some seconds, from its committed corpus.

    tools/run_fuzz.py BUILD [--seconds N] [-j N] [--copies N] [--go-on] [TARGET...]
    tools/run_fuzz.py BUILD --total [TARGET...]

What libFuzzer finds new stays under BUILD/fuzz/corpus; the committed corpus is not touched.  An
input that crashes, leaks, hangs or asks for too much memory is kept as BUILD/fuzz/<what>-crash-...
and shown with the command that repeats it.  The exit status is 1 if there was one.

Every run ends with a line for each target: how many inputs it executed, how many findings there
were, and what CPU time it took.  BUILD/fuzz/tally.jsonl keeps these; --total adds them up, with the
learners and uses that fuzz_model and its kin counted.
"""
import argparse
import concurrent.futures
import glob
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time

# These change files by a mutator of their own, and count memory and time themselves: what libFuzzer
# does to find rare branches and leaks, or looks for what other copies found, would take much of
# their time, and its limit of time counts what other programs take.  How often a line was met is
# new in one file of four, each of which it would write to the disk and look through all lines for.
FILES = ["-timeout=1200", "-report_slow_units=1200", "-entropic=0", "-detect_leaks=0", "-reload=0",
         "-max_len=65536", "-reduce_inputs=0", "-use_counters=0"]
OPTIONS = {"model": FILES, "state": FILES, "checkpoint": FILES}
ROOT = os.path.relpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
PROGRESS = re.compile(r"#(\d+)\t\w")
MOST_FINDINGS = 5
running, stopping = set(), threading.Event()


def stop(*_):
    """Ends the targets as their time would; what they counted is kept."""
    stopping.set()
    for process in list(running):
        process.send_signal(signal.SIGINT)


def execute(command, environment, log):
    """(status, seconds of CPU) of a command whose output goes to a file."""
    with open(log, "wb") as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT,
                                   stdin=subprocess.DEVNULL, env=environment)
        running.add(process)
        _, status, used = os.wait4(process.pid, 0)
        running.discard(process)
        process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, used.ru_utime + used.ru_stime


def command_for(program, what, seconds):
    folder = os.path.dirname(program)
    grown = os.path.join(folder, "corpus", what)
    os.makedirs(grown, exist_ok=True)
    seeds = os.path.join(ROOT, "tests", "fuzz", "corpus", what)
    dictionary = os.path.join(ROOT, "tests", "fuzz", what + ".dict")
    command = [program, f"-max_total_time={seconds}", "-print_final_stats=1", "-timeout=10",
               "-rss_limit_mb=2048", f"-artifact_prefix={folder}/{what}-"]
    command += OPTIONS.get(what, [])
    command += [f"-dict={dictionary}"] if os.path.exists(dictionary) else []
    return command + [grown] + ([seeds] if os.path.isdir(seeds) else [])


def counts_of(path, text):
    """What the target counted itself, or else what libFuzzer says."""
    counts = {"files": 0, "loaded": 0, "learner": {}, "use": {}}
    if os.path.exists(path):
        with open(path) as file:
            for line in file:
                kind, *rest = line.split()
                if kind == "use":
                    counts[kind][" ".join(rest[:-2])] = [int(n) for n in rest[-2:]]
                elif kind == "learner":
                    counts[kind][rest[0]] = int(rest[1])
                else:
                    counts[kind] = int(rest[0])
        return counts
    done = re.findall(r"number_of_executed_units:\s*(\d+)", text) or PROGRESS.findall(text)
    return {"files": int(done[-1]) if done else 0}


def fuzz(program, copy, options):
    """(what, tally of one process and of those that took its place, closing lines of findings)"""
    what = os.path.basename(program).replace("fuzz_", "", 1)
    base = os.path.join(os.path.dirname(program), f"{what}.{copy}")
    end = time.time() + options.seconds
    total, failures, edges = {"findings": 0, "cpu": 0.0}, [], "?"
    while True:
        left = max(1, round(end - time.time()))
        if os.path.exists(base + ".tally"):
            os.remove(base + ".tally")
        status, cpu = execute(command_for(program, what, left),
                              dict(os.environ, SMR_FUZZ_TALLY=base + ".tally"), base + ".log")
        with open(base + ".log", encoding="utf-8", errors="replace") as file:
            text = file.read()
        edges = (re.findall(r"\bcov: (\d+)", text) or [edges])[-1]
        add(total, counts_of(base + ".tally", text))
        total["cpu"] += cpu
        if status == 0 or stopping.is_set():
            break
        total["findings"] += 1
        failures.append(text)
        if not options.go_on or total["findings"] >= MOST_FINDINGS or time.time() + 1 > end:
            break
    return what, total, failures, edges


def add(total, more):
    """Adds counts, which may be nested."""
    for key, value in more.items():
        if isinstance(value, dict):
            add(total.setdefault(key, {}), value)
        elif isinstance(value, list):
            total[key] = [a + b for a, b in zip(total.get(key, [0] * len(value)), value)]
        else:
            total[key] = total.get(key, 0) + value


def line_of(what, total):
    loaded = f", {total['loaded']} loaded" if total.get("loaded") else ""
    rate = f" ({total['files'] / total['cpu']:.0f} a second)" if total["cpu"] > 0 else ""
    return (f"{what}: {total['files']} executions{loaded}, {total['findings']} findings, "
            f"{total['cpu']:.0f} s of CPU{rate}")


def show_failure(options, what, text):
    lines = [line for line in text.splitlines() if not PROGRESS.match(line)]
    print("\n".join("       | " + line for line in lines[-40:]))
    kept = re.search(r"Test unit written to (\S+)", text)
    if not kept:
        return
    again = f"{options.build}/fuzz/fuzz_{what} {kept.group(1)}"
    print(f"       again: {again}")
    if what in ("model", "state"):
        print(f"       the file itself, or the mutant of it: SMR_FUZZ_LAST=FILE {again}")


def show_total(options):
    totals = {}
    path = os.path.join(options.build, "fuzz", "tally.jsonl")
    for line in open(path) if os.path.exists(path) else ():
        row = json.loads(line)
        add(totals.setdefault(row.pop("target"), {}), row)
    for what, total in sorted(totals.items()):
        if options.targets and what not in options.targets:
            continue
        print(line_of(what, total))
        for name, n in sorted(total.get("learner", {}).items(), key=lambda row: row[1]):
            print(f"    {name}: in {n} files that were loaded")
        for name, (n, worked) in sorted(total.get("use", {}).items()):
            print(f"    {name}: {n} times, {worked} with an answer")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("targets", nargs="*", help="names with or without fuzz_; default all")
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("-j", "--jobs", type=int, default=2, help="processes at a time")
    parser.add_argument("--copies", type=int, default=1, help="processes for each target")
    parser.add_argument("--go-on", action="store_true", help="until the time is over, also after "
                        f"a finding; at most {MOST_FINDINGS} for each process")
    parser.add_argument("--total", action="store_true", help="adds up what all runs counted")
    options = parser.parse_intermixed_args()
    options.targets = [t.replace("fuzz_", "", 1) for t in options.targets]
    if options.total:
        show_total(options)
        return

    programs = sorted(p for p in glob.glob(os.path.join(options.build, "fuzz", "fuzz_*"))
                      if os.access(p, os.X_OK) and os.path.exists(
                          os.path.join(ROOT, "tests", "fuzz", os.path.basename(p) + ".c")))
    if options.targets:
        programs = [p for p in programs
                    if os.path.basename(p).replace("fuzz_", "", 1) in options.targets]
    if not programs:
        sys.exit("run_fuzz: there are no fuzz targets of these names in " + options.build)

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    totals = {}
    work = [(program, copy) for program in programs for copy in range(options.copies)]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for what, total, failures, edges in pool.map(lambda w: fuzz(*w, options), work):
            print(f"{'FAILED' if failures else 'ok':6} {'fuzz_' + what:28} "
                  f"{total['files']:>10} inputs, {edges} edges", flush=True)
            for text in failures:
                show_failure(options, what, text)
            add(totals.setdefault(what, {}), total)
    with open(os.path.join(options.build, "fuzz", "tally.jsonl"), "a") as file:
        for what, total in totals.items():
            file.write(json.dumps(dict(total, target=what, cpu=round(total["cpu"], 1))) + "\n")
    for what, total in totals.items():
        print(line_of(what, total))
    n_failed = sum(total["findings"] > 0 for total in totals.values())
    print(f"{len(totals) - n_failed} of {len(totals)} fuzz targets found nothing "
          f"in {options.seconds} s each")
    sys.exit(1 if n_failed else 0)


if __name__ == "__main__":
    main()
