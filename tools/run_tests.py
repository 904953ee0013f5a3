#!/usr/bin/env python3
"""Runs the tests of a build and counts every single one.

    tools/run_tests.py BUILD [-j N] [-R REGEX] [-L LABEL] [-v] [--summary FILE]

What to run comes from CTest (`ctest --show-only`), so `ctest` itself runs the same programs.  Each
program reports in TAP: cmocka is told to, the Python tests do it by themselves.  A program that
writes no TAP counts as one test, skipped when it exits with 77.  A program that dies, times out,
leaves tests of its plan unreported, or exits non-zero without a failed test adds a failure of its
own, so nothing is lost silently.  Shown are the time it took and what it spent of the processors.

The last line, alone, is `N passed, N failed, N skipped`; the exit status is 1 when any failed.
"""
import argparse
import concurrent.futures
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time

PLAN = re.compile(r"^1\.\.(\d+)")
RESULT = re.compile(r"^(not ok|ok)\b\s*(\d+)?\s*(?:-\s*)?(.*)$")
SKIP = re.compile(r"#\s*skip\b\s*(.*)", re.IGNORECASE)
SKIPPED_STATUS = 77


class Program:
    """One entry of CTest: how to run it, and what came of it."""

    def __init__(self, entry):
        properties = {p["name"]: p["value"] for p in entry.get("properties", [])}
        self.name = entry["name"]
        self.command = entry.get("command")
        self.folder = properties.get("WORKING_DIRECTORY")
        self.labels = properties.get("LABELS", [])
        self.timeout = float(properties.get("TIMEOUT", 300))
        self.alone = bool(properties.get("RUN_SERIAL", False))
        self.cost = float(properties.get("COST", 1)) # seconds, guessed
        self.environment = dict(v.split("=", 1) for v in properties.get("ENVIRONMENT", []))
        self.passed, self.failed, self.skipped = 0, [], []
        self.seconds, self.spent = 0.0, 0.0

    def run(self):
        started = time.monotonic()
        if not self.command or not os.access(self.command[0], os.X_OK):
            self.failed.append((self.name, "the program was not built"))
            return self
        environment = {**os.environ, "CMOCKA_MESSAGE_OUTPUT": "TAP", **self.environment}
        child = subprocess.Popen(self.command, cwd=self.folder, env=environment,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, start_new_session=True)
        late = threading.Event()

        def end():
            late.set()
            os.killpg(child.pid, signal.SIGKILL)

        limit = threading.Timer(self.timeout, end)
        limit.start()
        with child.stdout:
            output = child.stdout.read()
        _, ended, usage = os.wait4(child.pid, 0) # what it used, and the children it waited for
        limit.cancel()
        child.returncode = os.waitstatus_to_exitcode(ended)
        self.seconds = time.monotonic() - started
        self.spent = usage.ru_utime + usage.ru_stime
        self.read(output.decode("utf-8", "replace"), None if late.is_set() else child.returncode)
        return self

    def read(self, output, status):
        """Sorts the lines of a TAP report.  Lines before a result belong to it as well as those
        after it: cmocka writes the reason of a failure before its line when it goes to stderr."""
        planned, reported, before, failure = 0, 0, [], None
        for line in output.splitlines():
            plan, result = PLAN.match(line), RESULT.match(line)
            if plan:
                planned += int(plan.group(1))
                failure, before = None, []
            elif result:
                reported += 1
                verdict, name = result.group(1), result.group(3)
                skip, failure = SKIP.search(name), None
                if skip:
                    reason = name[:skip.start()].strip() or skip.group(1)
                    self.skipped.append(reason)
                elif verdict == "ok":
                    self.passed += 1
                else:
                    failure = [name, list(before)]
                    self.failed.append(failure)
                before = []
            elif not re.match(r"^# (not )?ok - ", line):
                (failure[1] if failure else before).append(line)
        self.failed = [(name, "\n".join(lines).strip()) for name, lines in self.failed]
        tail = "\n".join(output.splitlines()[-60:])
        self.judge_exit(status, planned, reported, tail)

    def judge_exit(self, status, planned, reported, tail):
        if status is None:
            self.failed.append((self.name, f"no end after {self.timeout:g} s\n{tail}"))
        elif status < 0:
            self.failed.append((self.name, f"died of signal {-status}\n{tail}"))
        elif not reported and not planned:
            if status == 0:
                self.passed = 1
            elif status == SKIPPED_STATUS:
                self.skipped.append(tail.strip() or self.name)
            else:
                self.failed.append((self.name, f"exit status {status}\n{tail}"))
        elif reported < planned:
            self.failed.append((self.name, f"{planned - reported} of {planned} planned tests were "
                                           f"not reported; exit status {status}\n{tail}"))
        elif status != 0 and not self.failed:
            self.failed.append((self.name, f"exit status {status} although no test failed\n{tail}"))


def programs_of(build, options):
    answer = subprocess.run(["ctest", "--show-only=json-v1"], cwd=build, check=True,
                            stdout=subprocess.PIPE)
    programs = [Program(entry) for entry in json.loads(answer.stdout)["tests"]]
    if options.regex:
        programs = [p for p in programs if re.search(options.regex, p.name)]
    if options.label:
        programs = [p for p in programs if any(re.search(options.label, l) for l in p.labels)]
    return programs


def in_order(programs, times_file):
    """Longest first, by the times of the last run or CTest's costs, so that no core idles at the
    end."""
    try:
        with open(times_file) as f:
            times = json.load(f)
    except (OSError, ValueError):
        times = {}
    return sorted(programs, key=lambda p: -times.get(p.name, p.cost)), times


def run_all(programs, jobs, show):
    together = [p for p in programs if not p.alone]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for done in concurrent.futures.as_completed([pool.submit(p.run) for p in together]):
            show(done.result())
    for p in programs:
        if p.alone:
            show(p.run())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("-j", "--jobs", type=int, default=max(2, os.cpu_count() or 1))
    parser.add_argument("-R", "--regex", help="only programs whose name matches")
    parser.add_argument("-L", "--label", help="only programs with a matching label (folder)")
    parser.add_argument("-v", "--verbose", action="store_true", help="name the skipped tests too")
    parser.add_argument("--summary", help="write the closing line to this file as well")
    options = parser.parse_args()

    times_file = os.path.join(options.build, ".test-times.json")
    programs, times = in_order(programs_of(options.build, options), times_file)
    if not programs:
        sys.exit("run_tests: no tests match")

    def show(p):
        verdict = "FAILED" if p.failed else "ok"
        skipped = f", {len(p.skipped)} skipped" if p.skipped else ""
        print(f"{verdict:6} {p.name:36} {p.passed:4} passed{skipped}  {p.seconds:6.2f} s  "
              f"{p.spent:6.2f} s of CPU", flush=True)
        for reason in p.skipped if options.verbose else []:
            print(f"       skipped: {reason}")
        for name, text in p.failed:
            print(f"   not ok: {name}")
            print("\n".join("       | " + line for line in text.splitlines()), flush=True)

    run_all(programs, options.jobs, show)

    times.update({p.name: round(p.seconds, 3) for p in programs})
    with open(times_file, "w") as f:
        json.dump(times, f, indent=0, sort_keys=True)

    failures = [(p.name, name) for p in programs for name, _ in p.failed]
    if failures:
        print("\nFailed:")
        for program, name in failures:
            print(f"  {program}: {name}")
    line = (f"{sum(p.passed for p in programs)} passed, {len(failures)} failed, "
            f"{sum(len(p.skipped) for p in programs)} skipped")
    if options.summary:
        with open(options.summary, "w") as f:
            f.write(line + "\n")
    print(f"\n{len(programs)} programs, {sum(p.spent for p in programs):.0f} s of CPU")
    print(line, flush=True)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
