#!/usr/bin/env python3
"""The public header compiles alone, as strict C11 and as C++, twice over, and beside Arrow's own;
private ones alone too.

    tools/check_header.py BUILD [--cc CC]
"""
import argparse
import os
import shlex
import shutil
import subprocess

import sources
import tap

STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only"]


def compiles(compiler, language, text, *flags):
    done = subprocess.run([*compiler, "-x", language, *STRICT, *flags, "-"], input=text, text=True,
                          cwd=sources.ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode == 0, done.stdout


def arrows_own_header():
    """The part of samara.h between Arrow's guards, as another project's header."""
    with open(os.path.join(sources.ROOT, "include", "samara.h"), encoding="utf-8") as f:
        text = f.read()
    begin = text.index("#ifndef ARROW_C_DATA_INTERFACE")
    return "#include <stdint.h>\n" + text[begin:text.index("/* ---- tables from memory")]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--cc", default="cc")
    options = parser.parse_args()
    cc, report = shlex.split(options.cc), tap.Report()

    twice = "#include <samara.h>\n#include <samara.h>\ntypedef int something;\n"
    report.check("public_header_is_strict_c11",
                 *compiles(cc, "c", twice, "-std=c11", "-Iinclude"))
    cxx = next((c for c in ("c++", "clang++") if shutil.which(c)), None)
    if cxx:
        report.check("public_header_is_cxx",
                     *compiles([cxx], "c++", twice, "-std=c++11", "-Iinclude"))
    else:
        report.skipped("public_header_is_cxx", "no C++ compiler")

    arrow = arrows_own_header()
    for order, text in (("before", arrow + "#include <samara.h>\n"),
                        ("after", "#include <samara.h>\n" + arrow)):
        report.check(f"arrows_own_header_may_come_{order}_the_public_one",
                     *compiles(cc, "c", text + "struct ArrowArrayStream stream;\n", "-std=c11",
                               "-Iinclude"))

    headers = [p for p in sources.Tree(sources.ROOT).c_files("src", "cli") if p.endswith(".h")]
    flags = ["-std=gnu11", "-Iinclude", "-Isrc", "-Icli", f"-I{options.build}", "-DSMR_TIER=base"]
    for header in headers:
        report.check(f"{header}_compiles_alone",
                     *compiles(cc, "c", f'#include "{header.split("/", 1)[1]}"\n'
                                        "typedef int something;\n", *flags))
    report.done()


if __name__ == "__main__":
    main()
