#!/usr/bin/env python3
"""Runs the scripts of tests/truth again and compares what they print with what is recorded.

    tools/truth.py [NAME...]           runs and compares, and says what is different; without a
                                       name also the certified values of tests/golden
    tools/truth.py --write [NAME...]   records what they print
    tools/truth.py --fresh             runs nothing: is each file recorded by its script as it is?

A script whose packages are not installed is left out, and that is said.  Text and whole numbers
must be the same; other numbers may differ by what the last comment `within 1e-9` before them says.
"""
import argparse
import hashlib
import os
import re
import subprocess
import sys

import tap

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
FOLDER = os.path.join(ROOT, "tests", "truth")
# Debian's packages belong to Debian's Python, whatever comes first in PATH.
PYTHON = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable
SUMS = "recorded.txt"
SHARED = ["fits.py", "truth.py"]
TOKEN = re.compile(r"within ([0-9.e+-]+)|\"[^\"]*\"|\w*[A-Za-z_]\w*"
                   r"|[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|\S", re.S)
NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$")
VERSION = re.compile(r"\b\d+\.\d+\.\d+\b|\b(?:scikit-learn|numpy|scipy|mpmath|xgboost) \d+\.\d+\b")


def read(name):
    with open(os.path.join(FOLDER, name), encoding="utf-8") as f:
        return f.read()


def scripts():
    return sorted(f[:-3] for f in os.listdir(FOLDER) if f.endswith(".py") and f not in SHARED)


def file_of(name):
    """The file that NAME.py prints, or None where none is recorded yet."""
    found = [f for f in (name + ".h", name + ".csv") if os.path.exists(os.path.join(FOLDER, f))]
    return found[0] if found else None


def sum_of(*texts):
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]


def recorded():
    """file -> (sum of the script and of what it shares, sum of the file)."""
    if not os.path.exists(os.path.join(FOLDER, SUMS)):
        return {}
    lines = [l.split() for l in read(SUMS).splitlines() if l and not l.startswith("#")]
    return {file: (script, text) for file, script, text in lines}


def script_sum(name):
    return sum_of(*[read(f) for f in SHARED + [name + ".py"]])


def write_sums(sums):
    with open(os.path.join(FOLDER, SUMS), "w", encoding="utf-8") as out:
        out.write("# written by tools/truth.py: file, sum of its script (and of what scripts "
                  "share), sum of the file\n")
        for file in sorted(sums):
            out.write(f"{file} {sums[file][0]} {sums[file][1]}\n")


def not_fresh():
    """What a script without its file, a file that was edited, a changed script is told."""
    sums, said = recorded(), []
    for name in scripts():
        file = file_of(name)
        if not file:
            said.append(f"tests/truth/{name}.py has not been run: tools/truth.py --write {name}")
        elif file not in sums or sums[file][0] != script_sum(name):
            said.append(f"tests/truth/{name}.py is not the script that wrote {file}: "
                        f"tools/truth.py --write {name}")
        elif sums[file][1] != sum_of(read(file)):
            said.append(f"tests/truth/{file} was edited after {name}.py wrote it: "
                        f"tools/truth.py --write {name}")
    names = set(scripts())
    said += [f"tests/truth/{f} has no script" for f in sorted(os.listdir(FOLDER))
             if f.endswith((".h", ".csv")) and f.rsplit(".", 1)[0] not in names]
    return said


def run(name):
    """What NAME.py prints and None; None and why it cannot run here; or two None: it failed."""
    done = subprocess.run([PYTHON, os.path.join(FOLDER, name + ".py")], cwd=ROOT, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONHASHSEED": "0",
                               "PYTHONDONTWRITEBYTECODE": "1"})
    missing = re.search(r"ModuleNotFoundError: No module named '(\w+)", done.stderr)
    if done.returncode and missing:
        return None, f"python3-{missing.group(1)} is not installed: left out"
    if done.returncode:
        sys.stderr.write(done.stderr)
        return None, None
    return done.stdout, None


def certified_values_hold():
    """The certified data sets of tests/golden, recomputed in rational numbers."""
    script = os.path.join(ROOT, "tests", "golden", "nist", "verify.py")
    done = subprocess.run([PYTHON, script], cwd=ROOT, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    print(done.stdout if done.returncode else "truth: nist: compared", end="\n")
    return done.returncode == 0


def tokens(text):
    """(token, tolerance that holds for it) of a text without the versions of the programs."""
    within = 0.0
    for match in TOKEN.finditer(VERSION.sub("VERSION", text)):
        if match.group(1):
            within = float(match.group(1))
        else:
            yield match.group(0), within


def differences(was, now):
    """Where two texts differ by more than the first one allows; at most ten."""
    a, b, said = list(tokens(was)), list(tokens(now)), []
    if len(a) != len(b):
        return [f"{len(a)} numbers and words are recorded, {len(b)} are printed"]
    for (old, within), (new, _) in zip(a, b):
        if old == new or len(said) == 10:
            continue
        if not (NUMBER.match(old) and NUMBER.match(new)):
            said.append(f"'{old}' is recorded, '{new}' is printed")
        elif abs(float(old) - float(new)) > within * max(1.0, abs(float(old))):
            said.append(f"{old} is recorded, {new} is printed (within {within:g})")
    return said


def selftest(report):
    was = "/* a; within 1e-3 */\nstatic const double x[2] = {1.5, 2000.0};\n"
    cases = [("the same text", was, 0), ("another version", was.replace("2000.0", "2001.5"), 0),
             ("a wrong figure", was.replace("1.5", "1.502"), 1),
             ("another name", was.replace("x[", "y["), 1),
             ("one figure more", was.replace("1.5,", "1.5, 1.5,"), 1)]
    for what, now, n in cases:
        report.check(f"truth: {what}", len(differences(was, now)) == n, str(differences(was, now)))
    exact = was.replace("; within 1e-3", "")
    report.check("truth: figures without a tolerance are exact",
                 len(differences(exact, exact.replace("1.5", "1.5000001"))) == 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--write", action="store_true", help="record what the scripts print")
    parser.add_argument("--fresh", action="store_true", help="only look whether files are theirs")
    options = parser.parse_args()
    if options.fresh:
        report = tap.Report()
        said = not_fresh()
        report.check("recorded figures are their scripts'", not said, "\n".join(said))
        selftest(report)
        report.done()
    unknown = set(options.names) - set(scripts())
    if unknown:
        raise SystemExit(f"truth: there is no script {', '.join(sorted(unknown))}; "
                         f"there are {', '.join(scripts())}")
    n_wrong, n_run, n_left, sums = 0, 0, 0, recorded()
    for name in options.names or scripts():
        text, why = run(name)
        if text is None and why is None:
            print(f"truth: {name}.py failed", flush=True)
            n_wrong += 1
            continue
        if text is None:
            print(f"truth: {name}: {why}", flush=True)
            n_left += 1
            continue
        n_run += 1
        file = file_of(name) or name + (".h" if text.startswith("/*") else ".csv")
        if options.write:
            with open(os.path.join(FOLDER, file), "w", encoding="utf-8") as out:
                out.write(text)
            sums[file] = script_sum(name), sum_of(text)
        else:
            said = differences(read(file), text)
            n_wrong += bool(said)
            for line in said:
                print(f"truth: {file}: {line}")
        print(f"truth: {name}: {'recorded' if options.write else 'compared'}", flush=True)
    if not options.names:
        n_wrong += not certified_values_hold()
    if options.write:
        write_sums({f: s for f, s in sums.items() if f.rsplit(".", 1)[0] in scripts()})
    print(f"truth: {n_run} scripts run, {n_left} left out, {n_wrong} failed or with other figures")
    sys.exit(n_wrong > 0)


if __name__ == "__main__":
    main()
