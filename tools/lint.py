#!/usr/bin/env python3
"""Runs the lints, and static analysis where its tools are installed.

    tools/lint.py [--build BUILD] [-j N] [--notes] [--fast]    checks the tree
    tools/lint.py --selftest                                   checks the lints (TAP)

--fast leaves out clang-tidy and cppcheck.  --notes shows what review should ask about.  --analyze
adds clang's path-sensitive analyzer (minutes), whose findings are advice and not counted.
"""
import argparse
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys
import time

import check_calls
import check_format
import check_layers
import check_links
import check_names
import check_packages
import check_registry
import check_sizes
import check_text
import sources
import tap

LINTS = [check_layers, check_calls, check_registry, check_names, check_sizes, check_text,
         check_links, check_format, check_packages]


def selftest():
    """Each fixture gives the finding that it was made for, or none."""
    report = tap.Report()
    for lint in LINTS:
        for what, files, expected in lint.SELFTEST:
            found = [f.message for f in lint.check(sources.Tree(files=files)) if not f.note]
            right = any(expected in m for m in found) if expected else not found
            report.check(f"{lint.__name__}: {what}", right,
                         f"expected {expected!r}, found {found}")
    report.done()


def run_lints(tree, show_notes):
    n_refused, n_notes = 0, 0
    for lint in LINTS:
        findings = lint.check(tree)
        refused = [f for f in findings if not f.note]
        notes = [f for f in findings if f.note]
        sources.show(refused + (notes if show_notes else []))
        n_refused += len(refused)
        n_notes += len(notes)
    return n_refused, n_notes


def own_units(build):
    """path -> file, one entry of the compilation database for each source that is ours."""
    with open(os.path.join(build, "compile_commands.json")) as f:
        entries = json.load(f)
    units = {}
    for entry in entries:
        path = os.path.relpath(entry["file"], sources.ROOT)
        wanted = path.startswith(("src/", "cli/")) and "SMR_PREDICT_ONLY" not in entry["command"]
        if wanted and not sources.is_generated(open(entry["file"]).read()):
            units.setdefault(path, entry["file"])
    return units


def run_tidy(build, jobs, checks=None):
    """Lines that clang-tidy says about our sources, by .clang-tidy or the given checks."""
    tool = shutil.which("clang-tidy-14") or shutil.which("clang-tidy")
    if not tool:
        print("lint: clang-tidy is not installed: left out")
        return []
    options = [f"--checks={checks}"] if checks else []

    def tidy(file):
        done = subprocess.run([tool, "--quiet", "-p", build, *options, file], cwd=sources.ROOT,
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        return {l.replace(sources.ROOT + "/", "") for l in done.stdout.splitlines()
                if re.search(r": (warning|error): ", l)}

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        found = list(pool.map(tidy, own_units(build).values()))
    return sorted(set().union(*found)) if found else []


def run_cppcheck(build, jobs):
    if not shutil.which("cppcheck"):
        print("lint: cppcheck is not installed: left out")
        return []
    folder = os.path.join(build, "cppcheck")
    os.makedirs(folder, exist_ok=True) # analysis of unchanged files is kept here
    files = sorted(own_units(build))
    if not files:
        return []
    done = subprocess.run(
        ["cppcheck", "--quiet", f"-j{jobs}", f"--cppcheck-build-dir={folder}", "--std=c11",
         "--enable=warning,portability", "--inline-suppr", "--suppress=missingIncludeSystem",
         "--suppress=preprocessorErrorDirective", "--suppress=syntaxError", "--suppress=uninitvar",
         "--suppress=legacyUninitvar", "--max-configs=2", "-Iinclude", "-Isrc", f"-I{build}",
         "-DSMR_TIER=base", "-D__GNUC__=12", "--template={file}:{line}: {message} [{id}]", *files],
        cwd=sources.ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return [l for l in done.stdout.splitlines() if re.match(r"^\S+:\d+: ", l)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("-j", "--jobs", type=int, default=2)
    parser.add_argument("--notes", action="store_true")
    parser.add_argument("--fast", action="store_true")
    parser.add_argument("--analyze", action="store_true")
    parser.add_argument("--selftest", action="store_true")
    options = parser.parse_args()
    if options.selftest:
        selftest()

    started = time.monotonic()
    tree = sources.Tree(sources.ROOT)
    n_refused, n_notes = run_lints(tree, options.notes)
    if not options.fast:
        build = os.path.abspath(options.build)
        found = run_tidy(build, options.jobs) + run_cppcheck(build, options.jobs)
        print("\n".join(found), end="\n" if found else "")
        n_refused += len(found)
        if options.analyze:
            print("\n".join(run_tidy(build, options.jobs, "-*,clang-analyzer-*")))
    said = f"{n_refused} findings" if n_refused else "lint: nothing found"
    more = "" if options.notes or not n_notes else f", {n_notes} notes for review (--notes)"
    print(f"{said}{more}; {time.monotonic() - started:.1f} s")
    sys.exit(1 if n_refused else 0)


if __name__ == "__main__":
    main()
