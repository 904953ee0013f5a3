"""The peers that users install today: a virtual environment with PyPI's newest.

    python3 bench/newest.py [--build BUILD] [--renew]

Makes BUILD/bench/newest, where pip finds PyPI or what stands for it in pip's own configuration, and
prints what is in it; bench/run.py does it by itself.  Where pip finds nothing there is no such
column, and the output says so.  What is there is kept until --renew asks again.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys

# XGBoost's own build for processors: the other one brings the libraries of a graphics card.
PACKAGES = ["scikit-learn", "xgboost-cpu", "lightgbm", "polars", "pyarrow", "duckdb", "pandas",
            "hmmlearn", "pgmpy"]
SECONDS = 600

VERSIONS = """
import importlib.metadata, json, sys
found = {}
for name in sys.argv[1:]:
    try:
        found[name] = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        pass
print(json.dumps(found))
"""


def versions(python, packages=PACKAGES):
    """{package: version} of what an interpreter has."""
    done = subprocess.run([python, "-c", VERSIONS, *packages], stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout) if done.returncode == 0 else {}


def _make(folder):
    """Why there is none, or None.  It appears under its name when it is whole."""
    part = folder + ".part"
    shutil.rmtree(part, ignore_errors=True)
    python = os.path.join(part, "bin", "python3")
    steps = [[sys.executable, "-m", "venv", part],
             [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
              "--only-binary", ":all:", *PACKAGES]]
    for step in steps:
        try:
            done = subprocess.run(step, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  timeout=SECONDS)
        except (OSError, subprocess.TimeoutExpired):
            return f"{' '.join(step[1:4])} did not end within {SECONDS} s"
        if done.returncode:
            return f"{' '.join(step[1:4])} failed"
    shutil.rmtree(folder, ignore_errors=True)
    os.rename(part, folder)
    return None


def newest(build, renew=False):
    """(python, words): the environment's interpreter, or None and why there is none."""
    folder = os.path.join(os.path.abspath(build), "bench", "newest")
    python = os.path.join(folder, "bin", "python3")
    os.makedirs(os.path.dirname(folder), exist_ok=True)
    problem = _make(folder) if renew or not os.path.exists(python) else None
    if problem and not os.path.exists(python):
        return None, f"newest peers: none, {problem}"
    found = versions(python)
    words = ", ".join(f"{name} {version}" for name, version in found.items())
    return python, f"newest peers: {words}" + (f" (not renewed: {problem})" if problem else "")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("--renew", action="store_true")
    options = parser.parse_args()
    print(newest(options.build, options.renew)[1])
