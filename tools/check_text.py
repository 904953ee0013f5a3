#!/usr/bin/env python3
"""Plain text: no tabs, trailing blanks, CR or missing last newline; no machine's paths.

TODO occurs only as `TODO(#123): ...` with an open issue; merge marks never.  Test data (tests/fuzz/
corpus, tests/data, data/) is left as it is.
"""
import re

from sources import refuse, run_alone

OURS = re.compile(r"\.(c|h|inl|py|sh|cmake|md|json|yml|in|t)$|(^|/)(CMakeLists\.txt|Makefile|run)$")
DATA = ("tests/fuzz/corpus/", "tests/data/", "data/", "tests/golden/data/")
LINES = [
    (re.compile(r"[ \t]+$"), "blanks at the end of the line"),
    (re.compile(r"\r"), "a carriage return; lines end in LF"),
    (re.compile(r"^(<{7}|>{7}|={7})( |$)"), "a merge mark"),
    (re.compile(r"(?<![\w.$}/*])/(home|root|work|Users)/\w"), "a path of one machine"),
    (re.compile(r"\b(TODO|FIXME|XXX)\b(?!\(#\d+\))"), "write TODO(#123): with an open issue"),
]
TABS = re.compile(r"\t")
BULLET = re.compile(r"[.;] -( [A-Z`*]|$)")


def check(tree):
    findings = []
    for path in tree.paths:
        if not OURS.search(path) or path.startswith(DATA):
            continue
        text = tree.text(path)
        rules = [r for r in LINES if not (path.startswith("tools/check_text") or
                                          (path.endswith(".md") and "TODO" in r[1]))]
        if not path.endswith("Makefile") and not path.endswith(".t"):
            rules = rules + [(TABS, "a tab; indent with spaces")]
        if path.endswith(".md"):
            rules = rules + [(BULLET, "a bullet in the middle of a line")]
        for number, line in enumerate(text.split("\n"), 1):
            findings += [refuse(path, number, message) for rule, message in rules
                         if rule.search(line)]
        if text and not text.endswith("\n"):
            findings.append(refuse(path, text.count("\n") + 1, "no newline at the end of the file"))
    return findings


SELFTEST = [
    ("clean", {"src/core/a.c": "int x; /* TODO(#12): later */\n"}, None),
    ("trailing blank", {"src/core/a.c": "int x; \n"}, "blanks at the end"),
    ("tab", {"src/core/a.c": "\tint x;\n"}, "a tab"),
    ("tab in a Makefile", {"Makefile": "a:\n\tb\n"}, None),
    ("no last newline", {"README.md": "x"}, "no newline"),
    ("machine path", {"docs/a.md": "see /home/ada/x\n"}, "a path of one machine"),
    ("a joined bullet", {"docs/a.md": "- it ends. - Another\n"}, "a bullet in the middle"),
    ("a difference", {"docs/a.md": "- it is a - b. See c - d.\n"}, None),
    ("a URL", {"docs/a.md": "https://example.org/home/ada\n"}, None),
    ("bare TODO", {"src/core/a.c": "/* TODO later */\n"}, "with an open issue"),
    ("test data", {"tests/fuzz/corpus/csv/a.md": "x \r\n"}, None),
]

if __name__ == "__main__":
    run_alone(check)
