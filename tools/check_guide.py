#!/usr/bin/env python3
"""Compiles and runs the programs of docs/c.md, and compares what they print.

    tools/check_guide.py BUILD [--cc CC] [--write]

A block of C whose first line names a file (/* flats.c -- ... */) is that file; a header is seen by
all programs.  The block of text after a program is what it prints, to the byte; --write puts it
there.  Every function of samara.h must be called somewhere in the guide.
"""
import argparse
import os
import re
import shlex
import subprocess
import tempfile

import sources
import tap

GUIDE = os.path.join(sources.ROOT, "docs", "c.md")
BLOCK = re.compile(r"^```c\n(/\* (\w+\.[ch]) .*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.M | re.S)
STRICT = ["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O1"]


class Program:
    """A block of the guide."""

    def __init__(self, match):
        self.code, self.name, self.printed = match.group(1), match.group(2), match.group(3)
        self.whole = match.group(0)

    def run(self, cc, build, folder):
        """(worked, what it printed)"""
        program = os.path.join(folder, self.name[:-2])
        libraries = subprocess.run(["pkg-config", "--static", "--libs-only-l",
                                    os.path.join(build, "cmake", "samara.pc")], text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.split()
        libraries = [f for f in libraries if f != "-lsamara"] or ["-lz", "-lpthread", "-lm"]
        done = subprocess.run(
            [*cc, *STRICT, "-I", os.path.join(sources.ROOT, "include"), "-I", folder,
             os.path.join(folder, self.name), "-o", program,
             os.path.join(build, "libsamara.a"), *libraries], text=True, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT)
        if done.returncode == 0:
            done = subprocess.run([program], cwd=folder, text=True, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, timeout=120)
        return done.returncode == 0, done.stdout


def functions(header):
    text = re.sub(r"/\*.*?\*/", "", header, flags=re.S)
    return re.findall(r"SMR_API[^;(]*?\b(smr_\w+)\(", text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    report, build = tap.Report(), os.path.abspath(options.build)
    with open(GUIDE, encoding="utf-8") as f:
        guide = f.read()
    with open(os.path.join(sources.ROOT, "include", "samara.h"), encoding="utf-8") as f:
        declared = functions(f.read())
    blocks = [Program(match) for match in BLOCK.finditer(guide)]

    absent = [name for name in declared
              if not any(re.search(rf"\b{name}\(", block.code) for block in blocks)]
    report.check("the_guide_shows_every_function", blocks and not absent, " ".join(absent))
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(os.path.join(sources.ROOT, "data"), os.path.join(folder, "data"))
        for block in blocks:
            with open(os.path.join(folder, block.name), "w", encoding="utf-8") as f:
                f.write(block.code)
        for block in [b for b in blocks if b.name.endswith(".c")]:
            worked, text = block.run(shlex.split(options.cc), build, folder)
            if options.write and worked:
                block.printed = text
                guide = guide.replace(block.whole,
                                      f"```c\n{block.code}```\n\n```text\n{text}```\n")
            report.check(f"{block.name[:-2]}_of_the_guide_prints_what_it_says",
                         worked and text == block.printed, text)
    if options.write:
        with open(GUIDE, "w", encoding="utf-8") as f:
            f.write(guide)
    report.done()


if __name__ == "__main__":
    main()
