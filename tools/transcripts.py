#!/usr/bin/env python3
"""Runs the command-line transcripts: what a user types, what appears, how it ends.

    tools/transcripts.py BUILD [FILE...] [--update] [--part I/N] [--sanitized]

A transcript (tests/cli/*.t) is read by people first:

    # A sentence that names the case; it becomes the name of the test.
    $ samara train knn data/iris.csv --target species -o m.smr
    knn: 150 rows, 4 features, 3 classes
    accuracy  *
    $ samara predict m.smr data/nothing.csv
    samara: cannot open 'data/nothing.csv'*
    [status 3]

`$ ` starts a shell command (`> ` continues it on the next line); the lines below it are its output,
standard error among it, and `[status N]` its exit status when that is not 0.  An expected line may
be: literal; a glob, where `*` stands for anything and is written `\\*` when meant; `/regex/`, for
the whole line; or `...` alone, for any number of lines.

A line `# sentence` starts a case.  The cases of one file share a temporary folder, which has the
repository's data/ as ./data and the built samara on PATH, and run in order; a file is one story.
Each case is one test.  --update rewrites the output of the commands that do not match, with `*` for
times and memory.  --part takes every Nth file from the Ith on.  --sanitized, for a build with a
sanitizer, skips the cases that have the line `# Not under a sanitizer.` below their sentence: those
that compare the results of long runs, of which others run the code, and that no later case needs.
"""
import argparse
import difflib
import glob
import os
import re
import subprocess
import sys
import tempfile

import sources
import tap

STATUS = re.compile(r"^\[status (\d+)\]$")
# What no two runs share; --update writes `*` in its place.
VOLATILE = [(re.compile(r"\b\d[\d.]*(?:e[-+]?\d+)? s\b"), "* s"),
            (re.compile(r'("\w*seconds": )[^,\s]+'), r"\1*"),
            (re.compile(r'("peak_memory_bytes": )\d+'), r"\1*"),
            (re.compile(r'("threads": )\d+'), r"\1*")]
TIMEOUT = 120
LONG = "# Not under a sanitizer."


class Step:
    """One command and what is expected of it."""

    def __init__(self, command):
        self.command, self.lines, self.status = command, [], 0


class Case:
    def __init__(self, name):
        self.name, self.before, self.steps = name, [], []


def parse(text, path):
    """Cases of a transcript.  Comment lines after the first of a case stay with it."""
    cases, case, step = [], None, None
    for number, line in enumerate(text.split("\n")[:-1], 1):
        if line.startswith("# ") and (case is None or case.steps):
            case, step = Case(line[2:].rstrip(".")), None
            cases.append(case)
        elif case is None:
            if line.strip():
                raise ValueError(f"{path}:{number}: a transcript begins with '# sentence'")
        elif line.startswith("$ "):
            step = Step(line[2:])
            case.steps.append(step)
        elif step is None:
            case.before.append(line)
        elif line.startswith("> ") and not step.lines:
            step.command += "\n" + line[2:]
        elif STATUS.match(line):
            step.status = int(STATUS.match(line).group(1))
        else:
            step.lines.append(line)
    for each in cases: # blank lines between cases belong to the layout, not to the output
        if each.steps:
            while each.steps[-1].lines and not each.steps[-1].lines[-1].strip():
                each.steps[-1].lines.pop()
    return cases


def line_matches(pattern, line):
    if pattern == line:
        return True
    if len(pattern) > 2 and pattern[0] == pattern[-1] == "/":
        return re.fullmatch(pattern[1:-1], line) is not None
    parts = re.split(r"(?<!\\)\*", pattern)
    glob_ = ".*".join(re.escape(p.replace("\\*", "*")) for p in parts)
    return re.fullmatch(glob_, line) is not None


def lines_match(expected, got):
    """As line_matches, with `...` for any number of lines.  Dynamic programming over prefixes."""
    reach = {0}
    for pattern in expected:
        if pattern == "...":
            reach = set(range(min(reach), len(got) + 1)) if reach else set()
        else:
            reach = {i + 1 for i in reach if i < len(got) and line_matches(pattern, got[i])}
    return len(got) in reach


def run_step(step, folder, environment):
    """(lines, status)"""
    try:
        done = subprocess.run(["sh", "-c", step.command], cwd=folder, env=environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=TIMEOUT)
        text, status = done.stdout, done.returncode
    except subprocess.TimeoutExpired as late:
        text, status = (late.stdout or b"") + b"\n(no end after 120 s)", 124
    lines = text.decode("utf-8", "replace").split("\n")
    return (lines[:-1] if lines[-1] == "" else lines), status


def difference(step, got, status):
    expected = [*step.lines, f"[status {step.status}]"]
    found = [*got, f"[status {status}]"]
    rows = difflib.unified_diff(expected, found, "expected", "got", lineterm="", n=3)
    return "\n".join(["$ " + step.command, *rows])


def set_up(folder, build):
    environment = {**os.environ, "PATH": os.path.abspath(build) + os.pathsep + os.environ["PATH"],
                   "HOME": folder, "LC_ALL": "C.UTF-8", "COLUMNS": "100", "TERM": "dumb"}
    data = os.path.join(sources.ROOT, "data")
    if os.path.isdir(data):
        os.symlink(data, os.path.join(folder, "data"))
    shared = os.environ.get("SAMARA_DATA") or os.path.join(sources.ROOT, "..", "shared", "data")
    environment["SAMARA_DATA"] = os.path.abspath(shared)
    environment.pop("SAMARA_TIER", None)
    return environment, os.path.isdir(shared)


def run_file(report, path, build, update, sanitized):
    with open(path, encoding="utf-8") as f:
        cases = parse(f.read(), path)
    changed = False
    with tempfile.TemporaryDirectory(prefix="samara-cli-") as folder:
        environment, has_shared = set_up(folder, build)
        for case in cases:
            name = f"{os.path.basename(path)}: {case.name}"
            if any("SAMARA_DATA" in s.command for s in case.steps) and not has_shared:
                report.skipped(name, "needs the shared data sets")
                continue
            if sanitized and LONG in case.before:
                report.skipped(name, "long, and runs what others run")
                continue
            problems = []
            for step in case.steps:
                got, status = run_step(step, folder, environment)
                if status != step.status or not lines_match(step.lines, got):
                    problems.append(difference(step, got, status))
                    if update:
                        step.lines, step.status, changed = [escape(g) for g in got], status, True
            report.check(name, not problems or update, "\n".join(problems))
    if changed:
        with open(path, "w", encoding="utf-8") as f:
            f.write(unparse(cases))


def escape(line):
    """A line of output, written so that it matches itself, and other runs of the same command."""
    settled = line
    for what, star in VOLATILE:
        settled = what.sub(star, settled)
    if settled != line and "*" not in line:
        return settled
    if line_matches(line, line) and not re.search(r"\*|^\.\.\.$|^/.*/$|^[$>#] |^\[status", line):
        return line
    return "/" + re.escape(line) + "/"


def unparse(cases):
    blocks = []
    for case in cases:
        lines = ["# " + case.name + ".", *case.before]
        for step in case.steps:
            lines.append("$ " + step.command.replace("\n", "\n> "))
            lines += step.lines
            lines += [f"[status {step.status}]"] if step.status else []
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("files", nargs="*")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--part", default="1/1", help="I/N: the Ith of N shares of the files")
    parser.add_argument("--sanitized", action="store_true", help="skip cases that are too long")
    options = parser.parse_args()
    files = options.files or sorted(glob.glob(os.path.join(sources.ROOT, "tests", "cli", "*.t")))
    first, parts = (int(n) for n in options.part.split("/"))
    files = files[first - 1::parts]
    if not files:
        sys.exit(77)
    report = tap.Report()
    for path in files:
        run_file(report, path, options.build, options.update, options.sanitized)
    report.done()


if __name__ == "__main__":
    main()
