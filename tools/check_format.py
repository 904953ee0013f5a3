#!/usr/bin/env python3
"""All own C files are as clang-format leaves them, by the .clang-format in the root.

Versions of clang-format differ, so one major version is pinned: without it nothing is checked, and
a note says so.
"""
import re
import shutil
import subprocess

from sources import is_generated, note, refuse, run_alone

MAJOR = 14
WRONG = re.compile(r"^(.*?):(\d+):\d+: error: code should be clang-formatted", re.M)


def find_tool():
    for name in (f"clang-format-{MAJOR}", "clang-format"):
        if shutil.which(name):
            said = subprocess.run([name, "--version"], stdout=subprocess.PIPE, text=True).stdout
            if re.search(rf"version {MAJOR}\.", said):
                return name
    return None


def check(tree):
    if tree.root is None:
        return []
    tool = find_tool()
    if not tool:
        return [note(".clang-format", 1, f"clang-format {MAJOR} is not installed: not checked")]
    files = [p for p in tree.c_files() if not is_generated(tree.text(p))]
    said = subprocess.run([tool, "--dry-run", "-Werror", *files], cwd=tree.root, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout
    first = {}
    for path, line in WRONG.findall(said):
        first.setdefault(path, int(line))
    return [refuse(path, line, f"not as {tool} -i leaves it (first difference)")
            for path, line in first.items()]


SELFTEST = []

if __name__ == "__main__":
    run_alone(check)
