"""The Test Anything Protocol for tests written in Python: what tools/run_tests.py reads."""
import sys


class Report:
    """Counts and prints results; done() prints the plan and gives the exit status."""

    def __init__(self):
        self.count, self.n_failed = 0, 0

    def _line(self, verdict, name, text=""):
        self.count += 1
        print(f"{verdict} {self.count} - {name}", flush=True)
        for line in text.splitlines():
            print("# " + line)

    def passed(self, name):
        self._line("ok", name)

    def failed(self, name, text=""):
        self.n_failed += 1
        self._line("not ok", name, text)

    def skipped(self, name, reason):
        self._line("ok", f"{name} # SKIP {reason}")

    def check(self, name, holds, text=""):
        if holds:
            self.passed(name)
        else:
            self.failed(name, text)

    def done(self):
        print(f"1..{self.count}")
        sys.exit(1 if self.n_failed else 0)
