#!/usr/bin/env python3
"""Every learner and transform is in the registry, under the name of its file, documented.

Each `const smr_learner smr_<name>` of src/learn and src/transform
  - is in the array of src/learn/registry.c, which is sorted;
  - has .word = &<a smr_word of the same file>, whose
    .name = "<name>", and lives in <name>.c or in a folder <name>/;
  - has title, brief, objective, example and reference; brief is a sentence with a full stop;
  - wraps fit in SMR_TRAINING, so that the prediction library can leave it out.
Each parameter has a .doc, one or two sentences ending in a full stop.
"""
import re

from sources import line_of, refuse, run_alone

REGISTRY = "src/learn/registry.c"
# A name that a type has already ends in _learner: smr_subset_learner.
DESCRIPTOR = re.compile(r"^const smr_learner smr_(\w+?)(?:_learner)? = \{(.*?)^\};", re.M | re.S)
ABOUT = re.compile(r"^(?:static )?const smr_word (\w+) = \{(.*?)^\};", re.M | re.S)
PARAMS = re.compile(r"^static const smr_param \w+\[\] = \{(.*?)^\};", re.M | re.S)
ENTRY = re.compile(r"\bX\(smr_(\w+?)(?:_learner)?\b")
REQUIRED = ("name", "family", "title", "brief", "objective", "example", "reference")
STRING = r'((?:\s*"(?:\\.|[^"\\])*")+)'


def text_of(field, body):
    """The string of `.field = "..." "..."`, joined, or None."""
    match = re.search(r"\." + field + r"\s*=" + STRING, body)
    if not match:
        return None
    return "".join(re.findall(r'"((?:\\.|[^"\\])*)"', match.group(1)))


def check_descriptor(path, name, line, body):
    stem, folder = path.split("/")[-1][:-2], path.split("/")[-2]
    if name not in (stem, folder):
        yield refuse(path, line, f"smr_{name} lives in {name}.c or in a folder {name}/")
    said = text_of("name", body)
    if said != name:
        yield refuse(path, line, f'smr_{name} has .name = "{said}"; the two are one name')
    for field in REQUIRED:
        if not text_of(field, body):
            yield refuse(path, line, f"smr_{name} has no .{field}")
    brief = text_of("brief", body)
    if brief and not brief.endswith("."):
        yield refuse(path, line, f"smr_{name}: .brief is a sentence and ends in a full stop")
    fit = re.search(r"\.fit\s*=\s*(\w+)", body)
    if fit and fit.group(1) not in ("SMR_TRAINING", "NULL"):
        yield refuse(path, line, f"smr_{name}: wrap fit, .fit = SMR_TRAINING({fit.group(1)})")


def rows_of(table):
    """(offset, text) of the {...} rows of a table's body, strings respected."""
    depth, start, quoted, i = 0, 0, False, 0
    while i < len(table):
        c = table[i]
        if quoted:
            i += c == "\\"
            quoted = c != '"'
        elif c == '"':
            quoted = True
        elif c == "{":
            start = i if depth == 0 else start
            depth += 1
        elif c == "}":
            depth -= 1
            if depth == 0:
                yield start, table[start:i + 1]
        i += 1


def check_params(path, text, match):
    for offset, row in rows_of(match.group(1)):
        line = line_of(text, match.start(1) + offset)
        doc = text_of("doc", row)
        name = re.search(r"SMR_FIELD\([^,]+,\s*(\w+)", row) or re.search(r'\.name = "(\w+)"', row)
        label = f"parameter {name.group(1) if name else '?'}"
        if not doc:
            yield refuse(path, line, f"{label} has no .doc")
        elif not doc.endswith("."):
            yield refuse(path, line, f"{label}: .doc is a sentence and ends in a full stop")


def check_array(tree, defined):
    if REGISTRY not in tree.paths:
        return [refuse(path, line, f"smr_{name} is not registered: there is no {REGISTRY}")
                for name, (path, line) in defined.items()]
    code = tree.code(REGISTRY)
    listed = [m.group(1) for m in ENTRY.finditer(code)]
    at = {m.group(1): line_of(code, m.start()) for m in ENTRY.finditer(code)}
    findings = [refuse(path, line, f"smr_{name} is not in {REGISTRY}")
                for name, (path, line) in defined.items() if name not in listed]
    findings += [refuse(REGISTRY, at[name], f"smr_{name} is listed but defined nowhere")
                 for name in at if name not in defined]
    findings += [refuse(REGISTRY, at[b], f"{b} comes after {a}: the array is sorted, each once")
                 for a, b in zip(listed, listed[1:]) if a >= b]
    return findings


def check(tree):
    findings, defined = [], {}
    for path in tree.c_files("src"):
        if not path.startswith(("src/learn/", "src/transform/")):
            continue
        text = tree.text(path)
        words = {match.group(1): match.group(2) for match in ABOUT.finditer(text)}
        for match in DESCRIPTOR.finditer(text):
            line = line_of(text, match.start())
            word = re.search(r"\.word\s*=\s*&(\w+)", match.group(2))
            body = match.group(2) + words.get(word.group(1) if word else "", "")
            defined[match.group(1)] = (path, line)
            findings += check_descriptor(path, match.group(1), line, body)
        for match in PARAMS.finditer(text):
            findings += check_params(path, text, match)
    return findings + check_array(tree, defined)


_GOOD = """static const smr_param params[] = {
    {SMR_FIELD(struct p, l2), .def = 1, .doc = "Weight of the penalty; "
                                               "a } in a string."},
};
static const smr_word about = {
    .name = "ridge", .family = "linear", .title = "Ridge", .brief = "Least squares.",
    .objective = "J", .example = "x", .reference = "y",
};
const smr_learner smr_ridge = {
    .word = &about, .fit = SMR_TRAINING(fit),
};
"""
_REGISTRY = "#define LEARNERS(X) \\\n    X(smr_ridge)\n"


def _tree(old="", new="", registry=_REGISTRY, path="src/learn/linear/ridge.c"):
    return {path: _GOOD.replace(old, new) if old else _GOOD, REGISTRY: registry}


SELFTEST = [
    ("clean", _tree(), None),
    ("not listed", _tree(registry=""), "is not in"),
    ("listed, not defined", _tree(registry="X(smr_lasso) X(smr_ridge)"), "defined nowhere"),
    ("unsorted", _tree(registry="X(smr_ridge) X(smr_lasso)"), "the array is sorted"),
    ("a type's name", _tree("smr_ridge", "smr_ridge_learner", "X(smr_ridge_learner)"), None),
    ("wrong file", _tree(path="src/learn/linear/other.c"), "lives in ridge.c"),
    ("a folder of its own", _tree(path="src/learn/ridge/fit.c"), None),
    ("wrong name", _tree('"ridge"', '"rigde"'), "the two are one name"),
    ("no full stop in brief", _tree("Least squares.", "Least squares"), "ends in a full stop"),
    ("no full stop in doc", _tree("string.", "string"), "parameter l2: .doc"),
    ("no doc", _tree(".doc =", ".dok ="), "parameter l2 has no .doc"),
    ("no example", _tree('.example = "x", ', ""), "has no .example"),
    ("a word of nobody", _tree("&about", "&other"), "has no .example"),
    ("fit not wrapped", _tree("SMR_TRAINING(fit)", "fit"), "wrap fit"),
]

if __name__ == "__main__":
    run_alone(check)
