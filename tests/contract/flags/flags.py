#!/usr/bin/env python3
"""Every flag of every command does something, or is refused in words, or is excused here.

    flags.py BUILD [--show] [WORD ...]

A situation is a command line that works.  Each flag that `samara help --json` lists for its
command is added to it with values that suit the files.  Then one of these must hold:

  it acts       what is printed (times apart) or written is another, or the data are unfit for it;
  it is refused exit status 2, and one sentence;
  it is excused EXCUSES says why it may be given in vain; an excuse that nothing needs is an error.

A flag that no situation has seen acting is an error too.  --show prints the refusals."""
import fnmatch
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import fixtures
from situations import EXCUSES, SITUATIONS, VALUES

# Of text, not of data: they are tried without --json.
OF_TEXT = {"quiet", "verbose", "json", "help", "version"}
TIMES = re.compile(r"(seconds|_bytes|per_second)$")
# Read by one function for all commands: to be seen acting in one of them.
SHARED = dict.fromkeys(("type", "missing", "format", "delimiter", "decimal", "header", "query",
                        "labels"), "any")
ECHOES = {"seed", "threads", "confidence"}


def without_times(value):
    if isinstance(value, dict):
        return {k: without_times(v) for k,
                v in value.items() if not TIMES.search(k) and k not in ECHOES}
    if isinstance(value, list):
        return [without_times(v) for v in value]
    return value


def written():
    """The bytes of every file under out/; of pages and logs, which hold times, their names."""
    found = {}
    for folder, _, names in os.walk("out"):
        for name in names:
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                found[path] = name if name.endswith((".html", ".log")) else file.read()
    return found


class Runner:
    def __init__(self, samara):
        self.samara, self.n = samara, 0

    def run(self, words, feed=None):
        """Exit status, what it printed and wrote, and its complaint."""
        shutil.copy("saved-stream.smr", "stream.smr")  # --resume writes it anew
        shutil.rmtree("out", ignore_errors=True)
        os.mkdir("out")
        self.n += 1
        stdin = open(feed, "rb") if feed else subprocess.DEVNULL
        done = subprocess.run([self.samara, *words], stdin=stdin, capture_output=True, timeout=60)
        if feed:
            stdin.close()
        text = done.stdout.decode("utf-8", "replace")
        try:
            shown = without_times(json.loads(text))
        except ValueError:
            shown = re.sub(r"\s+", " ", re.sub(r"[0-9][0-9.e+-]*", "#",
                                               text)) if text.strip() else ""
        said = done.stderr.decode("utf-8", "replace").strip()
        warned = re.sub(r"[0-9][0-9.e+-]*", "#", said)
        return done.returncode, (shown, written(), warned), said


def takes_json(options):
    return any(o["name"] == "json" for o in options)


def arguments(option, value):
    return [f"--{option['name']}"] if "value" not in option else [f"--{option['name']}={value}"]


def given(words, option):
    letter = "-" + option.get("letter", "\0")
    name = "--" + option["name"]
    return any(w == name or w.startswith(name + "=") or w == letter for w in words)


class Trial:
    """One situation: the base, and what each flag makes of it."""

    def __init__(self, runner, name, situation, options):
        self.runner, self.name, self.options = runner, name, options
        self.words, self.feed = situation["words"], situation.get("stdin")
        self.values = {**VALUES, **VALUES.get(self.words[0] + " ", {}),
                       **situation.get("values", {})}
        self.json = ["--json"] if takes_json(options) and situation.get("json", True) else []
        self.only = situation.get("only")
        self.base = {}
        self.findings, self.refusals, self.acting = [], [], set()

    def base_for(self, json_words):
        key = tuple(json_words)
        if key not in self.base:
            self.base[key] = self.runner.run([*self.words, *json_words, "-j1"], self.feed)
            if self.base[key][0] != 0:
                raise SystemExit(f"{self.name}: the situation itself fails: {self.base[key][2]}")
        return self.base[key]

    def outcome(self, option, value):
        """'acts', 'refused', 'idle', or a complaint."""
        forms = [[]] if option["name"] in OF_TEXT else [self.json, []] if self.json else [[]]
        for form in forms:
            words = [*self.words, *form, *([] if option["name"] == "threads" else ["-j1"])]
            status, got, said = self.runner.run(words + arguments(option, value), self.feed)
            if status == 2:
                self.refusals.append(f"{self.name} {arguments(option, value)[0]}\n      {said}")
                return "refused"
            if status == 130 and option["name"] == "time": # there was none for a result
                return "acts"
            if status not in (0, 1, 3):
                return f"exit {status}: {said}"
            if status == 1 and said.splitlines()[-1].startswith("samara: --"):
                return f"exit 1 for what is wrong usage: {said}"
            if status:
                what = f"{self.name} {arguments(option, value)[0]} FAILED {status}"
                self.refusals.append(f"{what}\n      {said}")
            if status or got != self.base_for(form)[1]:
                return "acts"
        return "idle"

    def without(self, option):
        """The flag is part of the situation: it acts if the rest alone is another one."""
        words, skip = [], False
        for word in self.words:
            if not skip and given([word], option):
                skip = "value" in option and "=" not in word
            elif skip:
                skip = False
            else:
                words.append(word)
        for form in [self.json, []] if self.json else [[]]:
            if self.runner.run([*words, *form, "-j1"], self.feed)[:2] != self.base_for(form)[:2]:
                return True
        return False

    def run(self):
        for option in self.options:
            if self.only and option["name"] not in self.only:
                continue
            if given(self.words, option):
                if self.without(option):
                    self.acting.add(option["name"])
                else:
                    self.findings.append((option["name"],
                                          "is part of the situation, and changes nothing"))
                continue
            values = self.values.get(option["name"], [None] if "value" not in option else None)
            if values is None:
                raise SystemExit(f"{self.name}: no value of --{option['name']} to try")
            values = values if isinstance(values, list) else [values]
            outcomes = [self.outcome(option, v) for v in values]
            if "acts" in outcomes:
                self.acting.add(option["name"])
            bad = [o for o in outcomes if o not in ("acts", "refused", "idle")]
            for complaint in bad:
                self.findings.append((option["name"], complaint))
            if not bad and not {"acts", "refused"} & set(outcomes):
                self.findings.append((option["name"],
                                      f"{arguments(option, values[0])[0]} changes nothing"))


def excused(command, situation, flag, needed):
    for i, (commands, situations, flags, _) in enumerate(EXCUSES):
        if command in commands.split() or commands == "*":
            if any(fnmatch.fnmatch(situation,
                                   s) for s in situations.split()) and flag in flags.split():
                needed.add(i)
                return True
    return False


def main():
    build = os.path.abspath(sys.argv[1])
    show, only = "--show" in sys.argv, [w for w in sys.argv[2:] if not w.startswith("-")]
    samara = os.path.join(build, "samara")
    needed, failures, refusals, tried, acting = set(), [], [], set(), set()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        fixtures.make(samara)
        listed = json.loads(subprocess.run([samara, "help", "--json"], capture_output=True,
                                           check=True).stdout)
        commands = {c["name"]: c["options"] for c in listed["commands"]}
        runner = Runner(samara)
        for name, situation in SITUATIONS.items():
            command = situation["words"][0]
            if only and not any(fnmatch.fnmatch(name, w) or w == command for w in only):
                continue
            trial = Trial(runner, name, situation, commands[command])
            trial.run()
            tried.add(command)
            acting |= {(SHARED.get(flag, command), flag) for flag in trial.acting}
            refusals += trial.refusals
            failures += [f"{name}: --{flag}: {text}" for flag, text in trial.findings
                         if not excused(command, name, flag, needed)]
        os.chdir("/")
    if show:
        print("\n".join(refusals))
    if not only:
        failures += [f"no situation tries {c}" for c in commands if c not in tried]
        for c in sorted(tried):
            for name in (o["name"] for o in commands[c]):
                seen = (SHARED.get(name, c), name) in acting
                if not seen and not excused(c, "acting", name, needed):
                    failures.append(f"{c}: no situation sees --{name} acting")
        failures += [f"nothing needs the excuse {e}" for i,
                     e in enumerate(EXCUSES) if i not in needed]
    for text in failures:
        print(f"not ok {text}")
    print(f"{len(failures)} found in {runner.n} runs of {len(tried)} commands")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
