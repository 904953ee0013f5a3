#!/usr/bin/env python3
"""Runs every fuzz target of a build for some seconds, from its committed corpus.

    tools/run_fuzz.py BUILD [--seconds N] [-j N] [TARGET...]

What libFuzzer finds new stays under BUILD/fuzz/corpus; the committed corpus is not touched.  An
input that crashes, leaks, hangs or asks for too much memory is kept as BUILD/fuzz/<what>-crash-...
and shown with the command that repeats it.  The exit status is 1 if there was one.
"""
import argparse
import concurrent.futures
import glob
import os
import re
import subprocess
import sys

# These change files by a mutator of their own, and count memory themselves: what libFuzzer does to
# find rare branches and leaks would take most of their time.
FILES = ["-entropic=0", "-detect_leaks=0", "-max_len=65536"]
OPTIONS = {"model": FILES, "state": FILES, "checkpoint": FILES}
ROOT = os.path.relpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
PROGRESS = re.compile(r"#\d+\t\w")


def fuzz(program, seconds):
    """(name, worked, the closing lines of the report)"""
    name = os.path.basename(program)
    what = name.replace("fuzz_", "", 1)
    folder = os.path.dirname(program)
    grown = os.path.join(folder, "corpus", what)
    os.makedirs(grown, exist_ok=True)
    seeds = os.path.join(ROOT, "tests", "fuzz", "corpus", what)
    dictionary = os.path.join(ROOT, "tests", "fuzz", what + ".dict")
    command = [program, f"-max_total_time={seconds}", "-print_final_stats=1", "-timeout=10",
               "-rss_limit_mb=2048", f"-artifact_prefix={folder}/{what}-"]
    command += OPTIONS.get(what, [])
    command += [f"-dict={dictionary}"] if os.path.exists(dictionary) else []
    command += [grown] + ([seeds] if os.path.isdir(seeds) else [])
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          stdin=subprocess.DEVNULL)
    return name, done.returncode == 0, done.stdout.decode("utf-8", "replace")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("targets", nargs="*", help="names with or without fuzz_; default all")
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("-j", "--jobs", type=int, default=2)
    options = parser.parse_args()

    programs = sorted(p for p in glob.glob(os.path.join(options.build, "fuzz", "fuzz_*"))
                      if os.access(p, os.X_OK) and os.path.exists(
                          os.path.join(ROOT, "tests", "fuzz", os.path.basename(p) + ".c")))
    if options.targets:
        wanted = {"fuzz_" + t.replace("fuzz_", "", 1) for t in options.targets}
        programs = [p for p in programs if os.path.basename(p) in wanted]
    if not programs:
        sys.exit("run_fuzz: there are no fuzz targets of these names in " + options.build)

    n_failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for name, worked, text in pool.map(lambda p: fuzz(p, options.seconds), programs):
            executed = re.search(r"number_of_executed_units:\s*(\d+)", text)
            covered = re.findall(r"\bcov: (\d+)", text)
            print(f"{'ok' if worked else 'FAILED':6} {name:28} "
                  f"{executed.group(1) if executed else '?':>10} inputs, "
                  f"{covered[-1] if covered else '?'} edges", flush=True)
            if not worked:
                n_failed += 1
                lines = [line for line in text.splitlines() if not PROGRESS.match(line)]
                print("\n".join("       | " + line for line in lines[-40:]))
                kept = re.search(r"Test unit written to (\S+)", text)
                if kept:
                    print(f"       again: {options.build}/fuzz/{name} {kept.group(1)}")
    print(f"{len(programs) - n_failed} of {len(programs)} fuzz targets found nothing "
          f"in {options.seconds} s each")
    sys.exit(1 if n_failed else 0)


if __name__ == "__main__":
    main()
