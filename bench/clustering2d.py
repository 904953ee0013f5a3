#!/usr/bin/env python3
"""Clusters the two- and three-dimensional sets of $SAMARA_DATA/clustering2d by several sentences.

    bench/clustering2d.py BUILD [FOLDER] [NAME ...]

Prints a row for each set: its rows, its clusters k, and the adjusted Rand index of each sentence
beside the labels that come with it (0 among them is noise).  With FOLDER, "-" for none, it draws
what each sentence found, NAME-1.svg, NAME-2.svg ... in the order of the columns.
"""
import gzip
import json
import os
import subprocess
import sys
import tempfile

SENTENCES = ["kmeans {k}", "spectral {k}", "spectral", "dbscan", "agglomerate {k} linkage=single",
             "agglomerate {k}"]


def read(path):
    with gzip.open(path, "rt", encoding="utf-8") as f:
        return [line.split() for line in f if line.strip()]


def table(folder, name, path):
    """Writes a CSV file of the set; returns its rows and its clusters."""
    rows, labels = read(f"{folder}/{name}.data.gz"), read(f"{folder}/{name}.labels.gz")
    with open(path, "w", encoding="utf-8") as f:
        print(",".join("xyz"[:len(rows[0])]) + ",label", file=f)
        for row, label in zip(rows, labels):
            print(",".join(row) + ",c" + label[0], file=f)
    return len(rows), len({label[0] for label in labels} - {"0"})


def measure(samara, sentence, path, picture):
    """The adjusted Rand index, or what was said instead."""
    with tempfile.TemporaryDirectory() as work:
        model = os.path.join(work, "m.smr")
        done = subprocess.run([samara, "train", sentence, path, "--target", "label", "--task",
                               "cluster", "--holdout", "0", "-q", "--json", "-o", model],
                              capture_output=True, text=True)
        if done.returncode:
            return done.stderr.strip()
        if picture:
            subprocess.run([samara, "inspect", model, "-q", "--plot", f"clusters={picture}"],
                           stdout=subprocess.DEVNULL)
        return f"{json.loads(done.stdout)['measures']['adjusted_rand']:.2f}"


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    samara = os.path.join(sys.argv[1], "samara")
    drawn = sys.argv[2] if len(sys.argv) > 2 and sys.argv[2] != "-" else None
    folder = os.path.join(os.environ.get("SAMARA_DATA", "data"), "clustering2d")
    names = sys.argv[3:] or sorted(f[:-8] for f in os.listdir(folder) if f.endswith(".data.gz"))
    print("set rows k", *(s.replace(" ", "_") for s in SENTENCES))
    for name in names:
        with tempfile.TemporaryDirectory() as work:
            path = os.path.join(work, name + ".csv")
            n, k = table(folder, name, path)
            said = [measure(samara, s.format(k=k), path,
                            drawn and os.path.join(drawn, f"{name}-{i + 1}.svg"))
                    for i, s in enumerate(SENTENCES)]
        print(name, n, k, *said, flush=True)


if __name__ == "__main__":
    main()
