#!/usr/bin/env python3
"""Tests of the tools themselves: the test runner's counting and the transcripts' matching.

A runner that loses a failure is worse than none, so each way to fail has a case here.
"""
import os
import subprocess
import sys
import tempfile

import run_tests
import sources
import tap
import transcripts

CMOCKA = """1..5
ok 1 - first
not ok 2 - second
# a.c:7: error: Failure!
not ok 3 # SKIP third
ok 4 - fourth
ok 5 - fifth
# not ok - group
"""

# (what, output, exit status, passed, failed, skipped)
REPORTS = [
    ("cmocka's_report", CMOCKA, 1, 3, ["second"], 1),
    ("all_good", "1..2\nok 1 - a\nok 2 - b\n", 0, 2, [], 0),
    ("plan_at_the_end", "ok 1 - a\nok 2 - b # SKIP no data\n1..2\n", 0, 1, [], 1),
    ("group_set-up_failed", "1..5\nnot ok 0 - g [  FAILED  ] GROUP SETUP\n# ok - g\n", 1, 0,
     ["g [  FAILED  ] GROUP SETUP", "prog"], 0),
    ("death_in_the_middle", "1..5\nok 1 - a\n", -11, 1, ["prog"], 0),
    ("silent_end_in_the_middle", "1..5\nok 1 - a\n", 0, 1, ["prog"], 0),
    ("sanitizer_error_after_the_tests", "1..1\nok 1 - a\nLeakSanitizer\n", 23, 1, ["prog"], 0),
    ("no_end", "1..1\nok 1 - a\n", None, 1, ["prog"], 0),
    ("two_groups", "1..1\nok 1 - a\n1..2\nok 1 - b\nnot ok 2 - c\n", 1, 2, ["c"], 0),
    ("plain_program", "hello\n", 0, 1, [], 0),
    ("plain_program_that_fails", "hello\n", 2, 0, ["prog"], 0),
    ("plain_program_that_skips", "no data\n", 77, 0, [], 1),
]

# (expected line, line, do they match)
LINES = [
    ("abc", "abc", True), ("abc", "abcd", False), ("a*", "abcd", True), ("a*d", "abc", False),
    ("a\\*c", "a*c", True), ("a\\*c", "abc", False), ("/[0-9.]+ s/", "1.25 s", True),
    ("/[0-9.]+ s/", "1.25 s!", False), ("a.c", "abc", False), ("", "", True),
]
BLOCKS = [
    (["a", "...", "c"], ["a", "x", "y", "c"], True), (["a", "...", "c"], ["a", "c"], True),
    (["a", "...", "c"], ["a", "x"], False), (["...", "b"], ["b", "a", "b"], True),
    (["a"], ["a", "b"], False), (["..."], [], True), ([], ["a"], False),
]

TRANSCRIPT = """# One thing works.
$ echo a
a

# Another fails.
# It has a comment.
$ false &&
> true
[status 1]
"""


def test_counting(report):
    for what, output, status, passed, failed, skipped in REPORTS:
        p = run_tests.Program({"name": "prog", "command": ["prog"]})
        p.read(output, status)
        got = (p.passed, [name for name, _ in p.failed], len(p.skipped))
        report.check(f"runner_counts_{what}", got == (passed, failed, skipped), str(got))
    p = run_tests.Program({"name": "prog"})
    p.read("1..2\nERROR: x is 3\nnot ok 1 - a\n# a.c:7\nok 2 - b\n", 1)
    report.check("runner_shows_why_a_test_failed", p.failed == [("a", "ERROR: x is 3\n# a.c:7")],
                 str(p.failed))


def test_matching(report):
    wrong = [(e, l) for e, l, right in LINES if transcripts.line_matches(e, l) != right]
    report.check("transcript_lines_match_as_documented", not wrong, str(wrong))
    wrong = [(e, g) for e, g, right in BLOCKS if transcripts.lines_match(e, g) != right]
    report.check("transcript_dots_stand_for_any_number_of_lines", not wrong, str(wrong))
    tricky = ["a*b", "...", "/x/", "$ x", "[status 3]", "plain", "# x", "> y", ""]
    wrong = [t for t in tricky if not transcripts.line_matches(transcripts.escape(t), t)
             or transcripts.lines_match([transcripts.escape(t)], ["other"])]
    report.check("transcript_update_writes_lines_that_match_themselves", not wrong, str(wrong))
    again = transcripts.escape('fitted 150 rows, 5.16e-5 s'), transcripts.escape(
        '  "read_seconds": 0.0012592149996635271,')
    report.check("transcript_update_leaves_times_open",
                 again == ("fitted 150 rows, * s", '  "read_seconds": *,'), str(again))
    cases = transcripts.parse(TRANSCRIPT, "x.t")
    shape = [(c.name, [(s.command, s.lines, s.status) for s in c.steps]) for c in cases]
    report.check("transcript_is_parsed", shape == [
        ("One thing works", [("echo a", ["a"], 0)]),
        ("Another fails", [("false &&\ntrue", [], 1)])], str(shape))
    report.check("transcript_is_written_as_it_was_read", transcripts.unparse(cases) == TRANSCRIPT,
                 transcripts.unparse(cases))


def test_transcript_program(report):
    """The program itself: a wrong status and a wrong line are failures."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.t")
        with open(path, "w") as f:
            f.write("# Good.\n$ echo a\na\n\n# Wrong line.\n$ echo a\nb\n\n"
                    "# Wrong status.\n$ exit 2\n[status 1]\n")
        done = subprocess.run([sys.executable, os.path.join(sources.ROOT, "tools",
                               "transcripts.py"), folder, path], stdout=subprocess.PIPE, text=True)
        verdicts = [l.split()[0] for l in done.stdout.splitlines() if l.startswith(("ok", "not"))]
        report.check("transcript_mismatches_fail",
                     verdicts == ["ok", "not", "not"] and done.returncode == 1, done.stdout)


def main():
    report = tap.Report()
    test_counting(report)
    test_matching(report)
    test_transcript_program(report)
    report.done()


if __name__ == "__main__":
    main()
