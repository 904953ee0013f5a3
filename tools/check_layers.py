#!/usr/bin/env python3
"""Includes point downwards only, by paths from src/, the file's own header first.

    core < kernel < math < data < nn < learn, transform, metric < model < study < report < api
         < cli

A name stands once in src/ and cli/, so that it says which file is meant.

dist is visible from math upward and itself sees core only.  Nothing calls BLAS or LAPACK; dist/
alone calls MPI, data/ zlib.  samara.h includes the standard's own headers only.
"""
import posixpath
import re

from sources import line_of, refuse, run_alone

RANK = {"core": 0, "kernel": 1, "math": 2, "data": 3, "nn": 4, "learn": 5, "transform": 5,
        "metric": 5, "model": 6, "study": 7, "report": 8, "api": 9, "cli": 10}
DIST_FROM = RANK["math"]
ANYWHERE = {"samara.h", "config.h"}
ONLY_IN = {"cblas.h": "nobody", "lapacke.h": "nobody", "mpi.h": "dist", "zlib.h": "data",
           "zstd.h": "data", "lzma.h": "data", "sqlite3.h": "data"}
STANDARD = {"stdbool.h", "stddef.h", "stdint.h"}
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.M)


def layer_of(path):
    parts = path.split("/")
    if parts[0] == "src":
        return parts[1] if len(parts) > 2 else None
    return "cli" if parts[0] == "cli" else None


def includes_of(tree, path):
    """(line, '<' or '"', name), outside comments."""
    text, code = tree.text(path), tree.code(path)
    return [(line_of(text, m.start()), m.group(1), m.group(2)) for m in INCLUDE.finditer(text)
            if code[m.start():m.end()].lstrip().startswith("#")]


def check_direction(path, layer, line, name):
    target = name.split("/")[0]
    if name in ANYWHERE:
        return None
    if "/" not in name:
        if name.endswith(".inl") or layer == "cli":
            return None
        return refuse(path, line, f'include "{name}" by its path from src/, as "{layer}/{name}"')
    if target == "dist":
        if layer != "dist" and RANK.get(layer, 0) < DIST_FROM:
            return refuse(path, line, f"{layer} may not include {name}: dist is visible from math "
                                      "up")
    elif target not in RANK:
        return refuse(path, line, f'include of "{name}": there is no layer "{target}"')
    elif layer == "dist" and target != "core":
        return refuse(path, line, f"dist may include core only, not {name}")
    elif layer != "dist" and RANK[target] > RANK[layer]:
        return refuse(path, line, f"{layer} may not include {name}: includes never point upward")
    return None


def check_order(tree, path, includes):
    """The own header first, then the project's, then the system's."""
    own = re.sub(r"^src/|^cli/", "", posixpath.splitext(path)[0] + ".h")
    quoted = [name for _, kind, name in includes if kind == '"']
    exists = posixpath.splitext(path)[0] + ".h" in tree.paths
    if path.endswith(".c") and exists and includes and quoted[:1] != [own]:
        yield refuse(path, includes[0][0], f'include the own header "{own}" first')
    system_seen = False
    for line, kind, name in includes:
        if kind == "<":
            system_seen = True
        elif system_seen and not name.endswith(".inl"):
            yield refuse(path, line, f'"{name}" comes after a system header: project headers first')


def check_file(tree, path):
    layer = layer_of(path)
    if layer not in RANK and layer != "dist":
        yield refuse(path, 1, f'"{posixpath.dirname(path)}" is not a layer of src/')
        return
    includes = includes_of(tree, path)
    for line, kind, name in includes:
        if kind == '"':
            finding = check_direction(path, layer, line, name)
            if finding:
                yield finding
        elif name in ONLY_IN and ONLY_IN[name] != layer:
            yield refuse(path, line, f"only {ONLY_IN[name]} may include <{name}>")
    yield from check_order(tree, path, includes)


def check_once(paths):
    """Refuses a file whose name another one has, in whichever folder."""
    first = {}
    for path in paths:
        name = posixpath.basename(path)
        if name in first:
            yield refuse(path, 1, f"{first[name]} has this name, too: one name, one file")
        first.setdefault(name, path)


def check(tree):
    findings = list(check_once(tree.c_files("src", "cli")))
    for path in tree.c_files("src", "cli"):
        findings += check_file(tree, path)
    for path in tree.c_files("include"):
        findings += [refuse(path, line, f"a public header includes {', '.join(sorted(STANDARD))} "
                                        f"only, not {name}")
                     for line, _, name in includes_of(tree, path) if name not in STANDARD]
    for path in tree.c_files("examples"):
        findings += [refuse(path, line, f'an example sees <samara.h> only, not "{name}"')
                     for line, kind, name in includes_of(tree, path) if kind == '"']
    return findings


SELFTEST = [
    ("downward include", {"src/data/a.c": '#include "core/ctx.h"\n'}, None),
    ("upward include", {"src/core/a.c": '#include "data/table.h"\n'}, "never point upward"),
    ("same level", {"src/learn/a.c": '#include "transform/t.h"\n'}, None),
    ("dist from kernel", {"src/kernel/a.c": '#include "dist/d.h"\n'}, "visible from math up"),
    ("dist from math", {"src/math/a.c": '#include "dist/d.h"\n'}, None),
    ("own header late", {"src/core/a.c": '#include "core/b.h"\n#include "core/a.h"\n',
                         "src/core/a.h": ""}, "own header"),
    ("system before project", {"src/core/a.c": '#include <math.h>\n#include "core/b.h"\n'},
     "project headers first"),
    ("relative include", {"src/core/a.c": '#include "b.h"\n'}, "by its path from src/"),
    ("commented include", {"src/core/a.c": '/*\n#include "data/table.h"\n*/\n'}, None),
    ("BLAS", {"src/math/a.c": "#include <cblas.h>\n"}, "only nobody may include"),
    ("zlib outside data", {"src/math/a.c": "#include <zlib.h>\n"}, "only data may include"),
    ("unknown layer", {"src/misc/a.c": ""}, "not a layer"),
    ("a name twice", {"src/data/subset.c": "", "src/math/subset.c": ""}, "one name, one file"),
    ("a name in cli, too", {"src/math/loss.c": "", "cli/loss.c": ""}, "one name, one file"),
    ("a header and its source", {"src/math/loss.c": "", "src/math/loss.h": ""}, None),
    ("public header", {"include/samara.h": "#include <stdio.h>\n"}, "a public header includes"),
    ("example", {"examples/a.c": '#include "core/ctx.h"\n'}, "an example sees"),
]

if __name__ == "__main__":
    run_alone(check)
