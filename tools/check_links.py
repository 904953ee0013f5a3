#!/usr/bin/env python3
"""Links, tables and lists of commands of the documents: every link leads somewhere, every page of
docs/ can be reached, a row of a table has its head's cells, and no command is left out.

A link to a file of the repository must name one, or a folder of them; `page.md#part` must name a
heading of that page, by the anchor that GitHub makes of it.  From docs/README.md, the list of
pages, every page and picture of docs/ is reached by links, a link to a folder reaching the pages
in it; so is every page from docs/course.md by way of that list.  Code is not looked at.  In a row
of a table a | ends a cell, in code too, unless it is written \\|.  The commands of cli/main.c are
in the list that begins docs/command.md and in the row "commands" of README.md.
"""
import posixpath
import re

from sources import line_of, refuse, run_alone

START, COURSE = "docs/README.md", "docs/course.md"
FENCED = r"^( {0,3})(`{3,}|~{3,}).*?^\1\2[`~]* *$"
BLOCK = re.compile(FENCED, re.M | re.S)
CODE = re.compile(FENCED + r"|`+[^`\n]+`+", re.M | re.S)
LINK = re.compile(r"\[(?:[^\[\]]|\[[^\[\]]*\])*\]\(([^()\s]+(?:\([^()\s]*\))?)\)")
HEADING = re.compile(r"^#{1,6} +(.+?) *#*$", re.M)
RULE = re.compile(r"^\|(?: *:?-+:? *\|)+$")
BAR = re.compile(r"(?<!\\)\|")
MAIN = "cli/main.c"
COMMAND = re.compile(r'^    \{"([a-z-]+)", CMD_', re.M)
LISTS = [("docs/command.md", r"\A# [^\n]*\n\n((?:    [^\n]*\n)+)"),
         ("README.md", r"^\| commands \|([^\n]*)\|$")]
ELSEWHERE = re.compile(r"^[a-z][a-z0-9+.-]*:", re.I)


def blank(match):
    return re.sub(r"[^\n]", " ", match.group(0))


def anchors(text):
    """What a page's headings are called in links: lower case, blanks as -, punctuation gone."""
    found = {}
    for heading in HEADING.findall(BLOCK.sub(blank, text)):
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
        found[name] = found.get(name, -1) + 1
    return set(found) | {f"{name}-{k}" for name, n in found.items() for k in range(1, n + 1)}


def links_of(page, text):
    """(line, path from the root, anchor) of every link that stays in the repository."""
    for match in LINK.finditer(CODE.sub(blank, text)):
        target = match.group(1)
        if ELSEWHERE.match(target):
            continue
        path, _, anchor = target.partition("#")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(page), path)) if path else page
        yield line_of(text, match.start()), path, anchor


def reached(tree, links, start):
    """The pages and pictures that links lead to from a page, itself included."""
    seen, open_pages = {start}, [start]
    while open_pages:
        for _, path, _ in links.get(open_pages.pop(), []):
            inside = [p for p in tree.paths if p.startswith(path + "/")]
            for page in inside or [path]:
                if page not in seen:
                    seen.add(page)
                    open_pages.append(page)
    return seen


def check_tables(page, text):
    """Rows with other cells than the line of dashes below the head."""
    cells = None
    for number, line in enumerate(BLOCK.sub(blank, text).splitlines(), 1):
        if RULE.match(line):
            cells = line.count("|")
        elif not line.startswith("|"):
            cells = None
        elif cells is not None and len(BAR.findall(line)) != cells:
            yield refuse(page, number, f"a row of {len(BAR.findall(line)) - 1} cells in a table of "
                         f"{cells - 1}: write \\| for a | within a cell")


def check_commands(tree):
    """Commands that a list of them lacks."""
    if MAIN not in tree.paths:
        return
    for page, listed in LISTS:
        found = re.search(listed, tree.text(page), re.M | re.S) if page in tree.paths else None
        for name in COMMAND.findall(tree.text(MAIN)):
            if found and not re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", found.group(1)):
                yield refuse(page, line_of(tree.text(page), found.start()),
                             f"the list of commands lacks {name}")


def check(tree):
    pages = [p for p in tree.paths if p.endswith(".md") and not p.startswith("tests/fuzz/corpus/")]
    folders = {posixpath.dirname(p) for p in tree.paths}
    folders |= {posixpath.dirname(f) for f in folders}
    links = {p: list(links_of(p, tree.text(p))) for p in pages}
    names = {p: anchors(tree.text(p)) for p in pages}
    findings = list(check_commands(tree))
    for page in pages:
        findings += check_tables(page, tree.text(page))
        for line, path, anchor in links[page]:
            if path not in tree.paths and path not in folders:
                findings.append(refuse(page, line, f"a dead link: there is no {path}"))
            elif anchor and path in names and anchor not in names[path]:
                findings.append(refuse(page, line, f"a dead link: {path} has no #{anchor}"))
    for start in (START, COURSE):
        if start not in tree.paths:
            continue
        seen = reached(tree, links, start)
        for path in tree.paths:
            wanted = path.startswith("docs/") and path.endswith((".md", ".svg"))
            if wanted and path not in seen:
                findings.append(refuse(path, 1, f"no link leads here from {start}"))
    return findings


LIST = "# Docs\n[a](a.md) [course](course.md)\n"
SELFTEST = [
    ("all there", {START: LIST, "docs/a.md": "## Part 2: b `c`\n[up](README.md) [x](#part-2-b-c)\n",
                   COURSE: "[list](README.md)\n"}, None),
    ("a page that is gone", {"README.md": "[b](docs/b.md)\n"}, "there is no docs/b.md"),
    ("a part that is gone", {"README.md": "# One\n[b](#two)\n"}, "README.md has no #two"),
    ("a part of another page", {"README.md": "[b](docs/a.md#two)\n", "docs/a.md": "# One\n"},
     "docs/a.md has no #two"),
    ("a second part of one name", {"README.md": "# A\n# A\n[b](#a-1)\n"}, None),
    ("a link in code", {"README.md": "`[b](c.md)`\n```\n[b](c.md)\n```\n"}, None),
    ("another site", {"README.md": "[b](https://example.org/c.md)\n"}, None),
    ("a folder", {START: "[all](ref)\n", "docs/ref/a.md": "a\n"}, None),
    ("a page by itself", {START: "# Docs\n", "docs/b.md": "b\n"},
     "no link leads here from docs/README.md"),
    ("a course without the list", {START: LIST, "docs/a.md": "a\n", COURSE: "# Course\n"},
     "no link leads here from docs/course.md"),
    ("a bar in a cell", {"README.md": "| a | b |\n|---|:--|\n| `c | d` | e |\n"},
     "a row of 3 cells in a table of 2"),
    ("a bar that is escaped", {"README.md": "| a | b |\n|---|:--|\n| `c \\| d` | e |\n"}, None),
    ("a command that is not told", {MAIN: '    {"split", CMD_SPLIT, ""},\n',
                                    "README.md": "| commands | train, bias-split |\n"},
     "the list of commands lacks split"),
    ("commands that are told", {MAIN: '    {"split", CMD_SPLIT, ""},\n',
                                "README.md": "| commands | train, split |\n"}, None),
]

if __name__ == "__main__":
    run_alone(check)
