#!/usr/bin/env python3
"""Every tool that a make target calls is in the sections of packages.txt that its set-up asks for.

The targets' commands come from `make -n`; tools called by the Python programs they start are found
by name.  What every Debian system has (Priority required) is taken for granted.
"""
import re
import subprocess

from sources import refuse, run_alone

# tool -> packages of which one brings it
PACKAGES = {
    "cmake": {"cmake"}, "ctest": {"cmake"}, "ninja": {"ninja-build"}, "cc": {"gcc", "clang"},
    "nm": {"gcc", "clang"}, "python3": {"python3"}, "git": {"git"}, "clang": {"clang"},
    "pkg-config": {"pkg-config", "pkgconf"}, "clang-format": {"clang-format-14"},
    "clang-tidy": {"clang-tidy-14"}, "cppcheck": {"cppcheck"}, "make": {"make"},
    "aarch64-linux-gnu-gcc": {"gcc-aarch64-linux-gnu"}, "qemu-aarch64": {"qemu-user"},
    "c++": set(), # used where it is there
}
ESSENTIAL = set("sh test [ rm mkdir mv cat echo ls awk sed grep command exit true tools/setup.sh "
                "tools/uninstall.sh env if fi build/tests/ledger "
                "DESTDIR=".split())
TARGETS = "all demo test truth ledger clang arm64 asan tsan fuzz lint bench static install".split()
WORD = re.compile(r'\[?"(' + "|".join(re.escape(t) for t in PACKAGES) + r')"[,\]]')


def sections(text):
    found, name = {}, None
    for line in text.splitlines():
        line = line.split("#")[0].strip()
        if line.startswith("["):
            name = line.strip("[] ")
            found[name] = set()
        elif line and name:
            found[name] |= {p.strip() for p in line.rstrip("? ").split("|")}
    return found


def commands_of(recipe):
    """The first words of the simple commands of a shell text."""
    recipe = re.sub(r"\d*>+&?\s*\S+", " ", recipe)
    for simple in re.split(r"[;&|\n]+|\$\(|\bthen\b|\bdo\b", recipe):
        words = simple.strip().lstrip("@{( ").split()
        while words and re.match(r"^\w+=", words[0]):
            words.pop(0)
        if words and re.match(r"^[\w./+-]+$", words[0]):
            yield words[0], words


def tools_of(tree, recipe):
    """Tools that a recipe calls, itself or through the Python programs it starts."""
    needed, unknown = set(), set()
    for name, words in commands_of(recipe):
        if name in PACKAGES:
            needed.add(name)
        elif name not in ESSENTIAL:
            unknown.add(name)
        for script in (w for w in words if w.endswith(".py") and w in tree.paths):
            needed |= set(WORD.findall(tree.text(script)))
    return needed, unknown


def recipe_of(tree, target):
    if tree.root is None:
        return tree.text("recipe:" + target)
    done = subprocess.run(["make", "-n", "--no-print-directory", target], cwd=tree.root, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return re.sub(r"\\\n", " ", done.stdout)


def check(tree):
    findings = []
    have = sections(tree.text("packages.txt"))
    targets = TARGETS if tree.root else [p.split(":")[1] for p in tree.paths if ":" in p]
    for target in targets:
        recipe = recipe_of(tree, target)
        asked = {s for line in re.findall(r"tools/setup\.sh \S+ ([a-z0-9 ]+)", recipe)
                 for s in line.split()}
        for name in sorted(asked - set(have)):
            findings.append(refuse("packages.txt", 1, f"make {target} asks for [{name}], which is "
                                                      "not a section"))
        offered = set().union(*(have.get(s, set()) for s in asked)) if asked else set()
        needed, unknown = tools_of(tree, recipe)
        for tool in sorted(needed):
            if PACKAGES[tool] and not PACKAGES[tool] & offered and tool != "make":
                wanted = " or ".join(sorted(PACKAGES[tool]))
                findings.append(refuse("packages.txt", 1, f"make {target} calls {tool}, and none "
                                                          f"of its sections has {wanted}"))
        for tool in sorted(unknown):
            findings.append(refuse("Makefile", 1, f"make {target} calls {tool}, which "
                                                  "tools/check_packages.py does not know"))
    return findings


_LIST = "[build]\ncmake\ngcc | clang\n[test]\npython3\n"
SELFTEST = [
    ("clean", {"packages.txt": _LIST, "recipe:test":
               "tools/setup.sh build build test\ncmake -S . || exit 1\npython3 x.py\n"}, None),
    ("a section not asked for", {"packages.txt": _LIST, "recipe:test":
                                 "tools/setup.sh build build\npython3 x.py\n"}, "calls python3"),
    ("a tool of a script", {"packages.txt": _LIST, "tools/x.py": 'run(["git", "log"])\n',
                            "recipe:test": "tools/setup.sh build build test\n"
                                           "python3 tools/x.py\n"}, "calls git"),
    ("an unknown tool", {"packages.txt": _LIST, "recipe:test":
                         "tools/setup.sh build build\nmeson setup\n"}, "calls meson"),
    ("an unknown section", {"packages.txt": _LIST, "recipe:test":
                            "tools/setup.sh build extra\n"}, "not a section"),
]

if __name__ == "__main__":
    run_alone(check)
