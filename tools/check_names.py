#!/usr/bin/env python3
"""Nobody knows another's name: no learner's or transform's name in a string of src/ or cli/ outside
its own files.

A string that is a sentence is refused: names of the registry alone or with what may occur in a
sentence beside them, values, formats and bars ("ridge", "ridge l2=1", "(logistic)", "onehot |
standardize", "standardize | %s").  Who wants a learner asks the registry for one with a trait or
for the transform that meets a need; whose name it is, learner->word->name tells.

These are not sentences, by where they occur:
  - in the learner's own files: NAME.c, NAME_*.c, NAME.h, NAME_*.h;
  - documentation and tables of parameters: fields of a word, a parameter or a measure (.name,
    .doc, .example ..., and .def_text, which is a sentence as a user would write it, read by the
    parser and shown by help like any other default);
  - advice: arguments of smr_fail and smr_warn;
  - keys, labels and scales: arguments of smr_json_..., smr_figure_... and smr_render_...;
  - tables and lists that hold other words too: {{"huber", "what it means"}, ...} is a
    vocabulary of values, {"none", "linear", "log"} one of scales;
  - the word of a value beside another: a string compared or chosen next to one that is not a name,
    log ? "log" : "linear".
"""
import re

from sources import TOKEN, line_of, refuse, run_alone

REGISTRY = "src/learn/registry.c"
ENTRY = re.compile(r"\bX\(smr_(\w+?)(?:_learner)?\)")
DESCRIPTOR = re.compile(r"^const smr_learner smr_(\w+?)(?:_learner)? = \{(.*?)^\};", re.M | re.S)
FIELDS = ("name", "family", "title", "brief", "objective", "details", "reference", "example", "doc",
          "formula", "synonyms", "when", "def_text", "def_classes", "def_numbers")
TOLD = re.compile(r"smr_(?:fail|warn|json_\w+|figure_\w+|\w+_figure|render_\w+)$")
BESIDE = re.compile(r"%[-+ 0-9.*l]*[a-zA-Z]|[-+]?\d\S*|\w+=\S*|\|")


def bare(text):
    return text[1:-1] if text.startswith("(") and text.endswith(")") else text


def is_sentence(text, names):
    """Does it hold names, and nothing that may not occur in a sentence?"""
    words = bare(text).split()
    return any(w in names for w in words) and all(w in names or BESIDE.fullmatch(w) for w in words)


def strings_of(text):
    """(start, end, joined text) of string literals, those side by side as one."""
    found = []
    for match in TOKEN.finditer(text):
        if match.group(0)[0] != '"':
            continue
        said = match.group(0)[1:-1]
        if found and not text[found[-1][1]:match.start()].strip():
            found[-1] = (found[-1][0], match.end(), found[-1][2] + said)
        else:
            found.append((match.start(), match.end(), said))
    return found


def opened_before(code, at):
    """(position, character) of the bracket that holds `at`, or (-1, '')."""
    depth = 0
    for i in range(at - 1, -1, -1):
        if code[i] in ")}]":
            depth += 1
        elif code[i] in "({[":
            if depth == 0:
                return i, code[i]
            depth -= 1
        elif code[i] == ";" and depth == 0 or code.startswith("\n}", i):
            break
    return -1, ""


def closed_after(code, start):
    depth = 0
    for i in range(start, len(code)):
        depth += (code[i] in "({[") - (code[i] in ")}]")
        if depth == 0:
            return i
    return len(code)


class File:
    def __init__(self, tree, path, names):
        self.text, self.code, self.names = tree.text(path), tree.code(path), names
        self.strings = strings_of(self.text)

    def others(self, lo, hi, start):
        """Strings between lo and hi besides that at start."""
        return [said for a, b, said in self.strings if lo <= a and b <= hi and a != start]

    def is_field(self, start):
        line = self.code[max(0, start - 200):start]
        match = re.search(r"\.(\w+)\s*=\s*$", line)
        return match and match.group(1) in FIELDS

    def is_told(self, at):
        """Is it, within any brackets, an argument of a call that reports something?"""
        while True:
            at, bracket = opened_before(self.code, at)
            if at < 0 or bracket == "{":
                return False
            call = re.search(r"(\w+)\s*$", self.code[max(0, at - 80):at])
            if bracket == "(" and call and TOLD.match(call.group(1)):
                return True

    def initialiser(self, at):
        """The outermost braces of values around `at`, or (-1, -1)."""
        lo = hi = -1
        while True:
            at, bracket = opened_before(self.code, at)
            before = self.code[max(0, at - 200):max(0, at)]
            if bracket != "{" or not (before.rstrip().endswith(("=", ",", "{")) or
                                      before.endswith(")")):
                return lo, hi
            lo, hi = at, closed_after(self.code, at)

    def is_vocabulary(self, start):
        lo, hi = self.initialiser(start)
        return any(not is_sentence(o, self.names) for o in self.others(lo, hi, start))

    def is_beside(self, start, end):
        """log ? "log" : "linear", within a statement."""
        lo = max(self.code.rfind(c, 0, start) for c in ";{}") + 1
        hi = min(i for i in (self.code.find(c, end) for c in ";{}") if i >= 0)
        chosen = self.code[lo:start].rstrip().endswith(("?", ":")) or "strcmp" in self.code[lo:hi]
        return chosen and any(o and not is_sentence(o, self.names)
                              for o in self.others(lo, hi, start))


def own(path, said, names):
    stem = path.rsplit("/", 1)[-1].rsplit(".", 1)[0]
    mentioned = [w for w in bare(said).split() if w in names]
    return all(stem == name or stem.startswith(name + "_") for name in mentioned)


def names_of(tree):
    """Of the registry, all that can be fitted."""
    names = set(ENTRY.findall(tree.code(REGISTRY)))
    for path in tree.c_files("src"):
        for name, body in DESCRIPTOR.findall(tree.code(path)):
            if ".fit " not in body:
                names.discard(name)
    return names


def check(tree):
    if REGISTRY not in tree.paths:
        return []
    names = names_of(tree)
    findings = []
    for path in tree.c_files("src", "cli"):
        f = File(tree, path, names)
        for start, end, said in f.strings:
            if not is_sentence(said, names) or own(path, said, names) or f.is_field(start):
                continue
            if f.is_told(start) or f.is_vocabulary(start) or f.is_beside(start, end):
                continue
            findings.append(refuse(path, line_of(f.text, start),
                                   f'"{said}" names a learner; ask the registry for a trait or a '
                                   "need (learn/registry.h)"))
    return findings


_REGISTRY = "#define LEARNERS(X) X(smr_linear) X(smr_ridge) X(smr_subset_learner) X(smr_scale)\n"


def _tree(text, path="src/learn/other.c"):
    return {REGISTRY: _REGISTRY, path: text}


SELFTEST = [
    ("a name", _tree('static f(void)\n{\n    fit("ridge");\n}\n'), '"ridge" names a learner'),
    ("a name that a type has", _tree('int f(void)\n{\n    fit("subset");\n}\n'), "names a learner"),
    ("a sentence", _tree('int f(void)\n{\n    fit("ridge l2=1");\n}\n'), "names a learner"),
    ("a sentence in parentheses", _tree('char *s = "(ridge)";\n'), "names a learner"),
    ("stages", _tree('char *s = "scale | %s";\n'), '"scale | %s" names'),
    ("a sentence in two strings", _tree('char *s = "scale " "| ridge";\n'), "names a learner"),
    ("a comparison", _tree('int f(void)\n{\n    return !strcmp(n, "ridge");\n}\n'), "names"),
    ("a list of names", _tree('char *s[] = {"ridge", "linear"};\n'), "names a learner"),
    ("a choice of names", _tree('char *s = a ? "ridge" : "linear";\n'), "names a learner"),
    ("another word", _tree('char *s = "ridges are high";\n'), None),
    ("prose", _tree('char *s = "put scale before it";\n'), None),
    ("its own file", _tree('char *s = "ridge";\n', "src/learn/linear/ridge.c"), None),
    ("its own part", _tree('char *s = "ridge l2=1";\n', "src/learn/linear/ridge_fit.c"), None),
    ("another's part", _tree('char *s = "linear";\n', "src/learn/linear/ridge_fit.c"), "names"),
    ("advice", _tree('int f(void)\n{\n    smr_warn(ctx, a ? "b" : "ridge");\n}\n'), None),
    ("a key", _tree('int f(void)\n{\n    smr_json_add_number(x, "scale", 1);\n}\n'), None),
    ("documentation", _tree('word w = {.name = "x", .doc = "ridge"};\n'), None),
    ("a default", _tree('word w = {{A(x), .def_text = "(ridge)"}};\n'), None),
    ("a choice of values", _tree('char *s = log ? "log" : "linear";\n'), None),
    ("a vocabulary", _tree('row r[] = {{"linear", "as it is"}, {NULL, NULL}};\n'), None),
    ("a list of other words", _tree('char *s[] = {"none", "linear"};\n'), None),
    ("a table of names", _tree('row r[] = {{"linear", 1}, {"ridge", 2}};\n'), "names a learner"),
    ("a first statement", _tree('int f(void)\n{\n    char *s = "ridge", *t = u("other");\n}\n'),
     "names a learner"),
    ("a figure's name", _tree('int f(void)\n{\n    smr_tree_figure(x, "ridge");\n}\n'), None),
    ("a word that is not fitted",
     {**_tree('char *s = "scale";\n'),
      "src/scale.c": "const smr_learner smr_scale = {\n    .word = &w,\n};\n"}, None),
    ("one that is",
     {**_tree('char *s = "scale";\n'),
      "src/scale.c": "const smr_learner smr_scale = {\n    .fit = f,\n};\n"}, "names a learner"),
    ("a comment", _tree('/* "ridge" */\n'), None),
]

if __name__ == "__main__":
    run_alone(check)
