#!/usr/bin/env python3
"""What the command takes from the library besides samara.h.

    tools/cli_includes.py [--files]

Prints each private header that cli/ includes and how many of its files do, sorted by that number;
--files names them.  Each line is something that a program with samara.h alone cannot do as the
command does it; docs/embedding.md says why the rest stays.
"""
import argparse
import collections
import os
import re

import sources

INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)


def private_includes(root):
    """{header of src/: [files of cli/ that include it]}"""
    uses = collections.defaultdict(list)
    tree = sources.Tree(root)
    for path in tree.c_files("cli"):
        with open(os.path.join(root, path), encoding="utf-8") as f:
            names = INCLUDE.findall(f.read())
        for name in names:
            if os.path.exists(os.path.join(root, "src", name)):
                uses[name].append(os.path.basename(path))
    return uses


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", action="store_true")
    options = parser.parse_args()
    uses = private_includes(sources.ROOT)
    for name, files in sorted(uses.items(), key=lambda item: (-len(item[1]), item[0])):
        print(f"{len(files):3}  {name:28}" + ("  " + " ".join(files) if options.files else ""))
    print(f"{len(uses)} private headers, {sum(map(len, uses.values()))} includes")


if __name__ == "__main__":
    main()
