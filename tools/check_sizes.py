#!/usr/bin/env python3
"""Sizes of files, functions, argument lists, nesting and lines.

    thing                       review asks   refused
    source file                 > 600         > 900 lines
    private header              > 200         > 400
    the public header           > 900         > 1200
    function                    > 60          > 90 lines
    nesting                     4             5
    arguments                   6 or more     > 8
    line                                      > 100 columns
    Python file                 > 400         > 900

The public header is the manual of the calls in C, half of it sentences, in parts that its first
lines list: it grows with what samara can do, and a call without its sentence would be shorter but
not better.

A function that mirrors a foreign interface may take more arguments: `lint: allow arguments, reason`
above it.  Generated files, whose first lines say by what, are exempt.  Functions of tests are only
noted.
Functions are found by the braces in the first column that clang-format gives them.
"""
import re

from sources import is_allowed, is_generated, line_of, note, refuse, run_alone

FILE = {"source": (600, 900), "header": (200, 400), "public header": (900, 1200),
        "Python file": (400, 900)}
FUNCTION, NESTING, ARGUMENTS, LINE = (60, 90), (3, 4), (5, 8), 100
BODY = re.compile(r"^\{\n(.*?)^\}", re.M | re.S)
CONTROL = re.compile(r"^( +)(?:\} )?(?:if|for|while|switch|do|else)\b", re.M)


def judge(path, line, value, limits, text):
    ask, most = limits
    if value > most:
        return [refuse(path, line, f"{text}; at most {most} are taken")]
    return [note(path, line, f"{text}; review asks from {ask + 1} on")] if value > ask else []


def kind_of(path):
    if path.endswith(".py"):
        return "Python file"
    if path.endswith(".h"):
        return "public header" if path.startswith("include/") else "header"
    return "source"


def signature_before(code, position):
    """The text between the end of what comes before and the brace: return type to arguments."""
    start = max(code.rfind("\n\n", 0, position), code.rfind("\n}", 0, position),
                code.rfind(";\n", 0, position), 0)
    lines = [l for l in code[start:position].split("\n") if not l.startswith(("#", ";", "}"))]
    return " ".join(lines).strip()


def count_arguments(signature):
    close = signature.rfind(")")
    depth, open_ = 0, close
    while open_ >= 0:
        depth += {")": 1, "(": -1}.get(signature[open_], 0)
        if depth == 0:
            break
        open_ -= 1
    inside = signature[open_ + 1:close].strip()
    if inside in ("", "void"):
        return 0
    flat, depth = 0, 0
    for c in inside:
        depth += {"(": 1, ")": -1}.get(c, 0)
        flat += c == "," and depth == 0
    return flat + 1


def check_functions(tree, path):
    code = tree.code(path)
    for match in BODY.finditer(code):
        signature = signature_before(code, match.start())
        named = re.search(r"(\w+)\s*\(", signature)
        if not named or "=" in signature:
            continue
        name, line = named.group(1), line_of(code, match.start())
        length = match.group(1).count("\n") + 2
        depth = max((len(m.group(1)) // 4 for m in CONTROL.finditer(match.group(1))), default=0)
        arguments = count_arguments(signature)
        yield from judge(path, line, length, FUNCTION, f"{name} has {length} lines")
        yield from judge(path, line, depth, NESTING, f"{name} nests {depth} deep")
        if not is_allowed(tree.text(path), line, "arguments"):
            yield from judge(path, line, arguments, ARGUMENTS,
                             f"{name} takes {arguments} arguments")


def check(tree):
    findings = []
    for path in tree.c_files() + [p for p in tree.paths if p.endswith(".py")]:
        text = tree.text(path)
        if is_generated(text):
            continue
        lines = text.count("\n")
        findings += judge(path, 1, lines, FILE[kind_of(path)], f"{kind_of(path)} of {lines} lines")
        findings += [refuse(path, number, f"{len(line)} columns; at most {LINE} are taken")
                     for number, line in enumerate(text.split("\n"), 1) if len(line) > LINE]
        if not path.endswith(".py"):
            found = list(check_functions(tree, path))
            if path.startswith("tests/"):
                found = [f._replace(note=True) for f in found]
            findings += found
    return findings


def _function(body, arguments="void", path="src/core/a.c"):
    return {path: f"static int f({arguments})\n{{\n{body}}}\n"}


SELFTEST = [
    ("a short function", _function("    x();\n" * 40), None),
    ("a long function", _function("    x();\n" * 90), "f has 92 lines"),
    ("a long function of a test", _function("    x();\n" * 90, path="tests/a.c"), None),
    ("eight arguments", _function("", "int a, int b, int c, int d, int e, int g, int h, int i"),
     None),
    ("nine arguments",
     _function("", "int a, int b, int c, int d, int e, int g,\n"
                   "      int (*h)(int, int), int i, int j"),
     "f takes 9 arguments"),
    ("nested four deep", _function("    for (;;)\n        for (;;)\n            for (;;)\n"
                                   "                for (;;) x();\n"), None),
    ("nested five deep", _function("    for (;;)\n        for (;;)\n            for (;;)\n"
                                   "                for (;;)\n                    if (a) x();\n"),
     "f nests 5 deep"),
    ("a long line", {"src/core/a.c": "x" * 101 + "\n"}, "101 columns"),
    ("a long file", {"src/core/a.c": "int x;\n" * 901}, "source of 901 lines"),
    ("a long header", {"src/core/a.h": "int x;\n" * 401}, "header of 401 lines"),
    ("a generated file", {"src/core/a.c": "/* generated by tools/x.py */\n" + "int x;\n" * 901},
     None),
]

if __name__ == "__main__":
    run_alone(check)
