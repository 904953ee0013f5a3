#!/usr/bin/env python3
"""What the documentation tells people to type works.

    tools/check_examples.py BUILD

Runs the example of every learner (`samara list --json`), and the `samara ...` lines of the ```sh
blocks of README.md and docs/, each page in a temporary folder of its own with the repository's
data/ as ./data.  A block that shows what must fail begins with a line `# fails`.  A ```text block
after a shell block is what its commands print, with `*` and `...` as in a transcript.  So it is
for a page of examples/ that shows what its run.sh prints.
"""
import argparse
import glob
import json
import os
import re
import subprocess
import tempfile

import sources
import tap
import transcripts

BLOCK = re.compile(r"^```sh\n(.*?)^```\n(?:\n```text\n(.*?)^```)?", re.M | re.S)


def commands_of(block):
    """The samara lines of a shell block, continued lines joined."""
    if block.startswith("# fails"):
        return
    for line in re.sub(r"\\\n\s*", " ", block).splitlines():
        line = re.sub(r"^\$ ", "", line)
        if re.match(r"^(build/)?samara\s", line):
            yield re.sub(r"^build/", "", line)


def run(command, folder, environment):
    done = subprocess.run(["sh", "-c", command], cwd=folder, env=environment, text=True,
                          errors="replace", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=120)
    return done.returncode == 0, f"$ {command}\n{done.stdout}"


def check_learners(report, build):
    with tempfile.TemporaryDirectory() as folder:
        environment, _ = transcripts.set_up(folder, build)
        listed = subprocess.run(["samara", "list", "--json"], env=environment, check=True,
                                stdout=subprocess.PIPE, cwd=folder)
        words = json.loads(listed.stdout)
        for word in [words["head"]] + words["learners"]:
            worked, text = run(word["example"], folder, environment)
            report.check(f"example_of_{word['name']}_runs", worked, text)


def check_page(report, page, folder, environment):
    name = os.path.relpath(page, sources.ROOT)
    with open(page, encoding="utf-8") as f:
        blocks = BLOCK.findall(f.read())
    for block, shown in blocks:
        printed, last = [], ""
        for last in commands_of(block):
            worked, text = run(last, folder, environment)
            printed += text.splitlines()[1:]
            report.check(f"{name}: {last}", worked, text)
        if shown and last:
            report.check(f"{name}: {last}: prints what is shown",
                         transcripts.lines_match(shown.splitlines(), printed), "\n".join(printed))


def check_pages(report, build):
    pages = [os.path.join(sources.ROOT, "README.md")]
    pages += sorted(glob.glob(os.path.join(sources.ROOT, "docs", "**", "*.md"), recursive=True))
    for page in filter(os.path.exists, pages):
        with tempfile.TemporaryDirectory() as folder:
            environment, _ = transcripts.set_up(folder, build)
            check_page(report, page, folder, environment)


def check_stories(report):
    """Examples whose page shows all that their run.sh prints: they need a compiler alone."""
    for page in sorted(glob.glob(os.path.join(sources.ROOT, "examples", "*", "README.md"))):
        with open(page, encoding="utf-8") as f:
            blocks = BLOCK.findall(f.read())
        for block, shown in blocks:
            if shown and re.fullmatch(r"sh examples/\S+/run.sh\n", block):
                worked, text = run(block.strip(), sources.ROOT, os.environ)
                printed = text.splitlines()[1:]
                report.check(f"{block.strip()}: prints what is shown", worked and
                             transcripts.lines_match(shown.splitlines(), printed), text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    options = parser.parse_args()
    report = tap.Report()
    check_learners(report, options.build)
    check_pages(report, options.build)
    check_stories(report)
    report.done()


if __name__ == "__main__":
    main()
