"""The small files that flags.py runs the commands on: tables in every format, and models."""
import os
import random
import shutil
import sqlite3
import struct
import subprocess


def rows_of(n, seed):
    """Numbers x, y, z, a group, a time, weights, and targets of every kind."""
    draw = random.Random(seed)
    rows = []
    for i in range(n):
        x, y, z = draw.gauss(0, 1), draw.gauss(0, 1), draw.gauss(0, 1)
        s = x + 0.5 * y + 0.6 * draw.gauss(0, 1)
        rows.append({"x": round(x, 4), "y": round(y, 4), "z": round(z, 4),
                     "where": "NSW"[draw.randrange(3)], "of": f"g{draw.randrange(9)}",
                     "when": i * 3 % 97,
                     "w": draw.randrange(1, 5), "two": "yes" if s > 0.2 else "no",
                     "three": "low" if s < -0.5 else "mid" if s < 0.6 else "top",
                     "number": round(2 * s - z, 4)})
    return rows


def write_csv(path, rows, delimiter=",", comma=False, header=True):
    with open(path, "w", encoding="utf-8") as out:
        if header:
            print(*rows[0], sep=delimiter, file=out)
        for row in rows:
            cells = [str(v).replace(".", ",") if comma else str(v) for v in row.values()]
            print(*cells, sep=delimiter, file=out)


def take(rows, *names):
    return [{k: row[k] for k in names} for row in rows]


NUMBERS = ("x", "y", "z")


def write_network():
    """A network of three variables, and rows of two of them."""
    with open("edges.txt", "w", encoding="utf-8") as out:
        out.write("a b\na c\nb c\nd e\nd f\ne f\nc d\n")
    with open("groups.txt", "w", encoding="utf-8") as out:
        out.write("a 1\nb 1\nc 1\nd 2\ne 2\nf 2\n")
    with open("net.txt", "w", encoding="utf-8") as out:
        out.write("variable a: p, q\nvariable b: u, v\nvariable c: s, t\nP(a) = 0.3, 0.7\n"
                  "P(b | a)\n p: 0.2, 0.8\n q: 0.6, 0.4\nP(c | b)\n u: 0.1, 0.9\n v: 0.5, 0.5\n")
    with open("net.csv", "w", encoding="utf-8") as out:
        out.write("b,c\nu,s\nv,\n,t\n")


def write_formats(rows):
    """t.* with the columns x, y, z and a target, as each format has them."""
    plain = take(rows, *NUMBERS, "where", "two", "number")
    write_csv("t.csv", plain)
    write_network()
    with open("t.jsonl", "w", encoding="utf-8") as out:
        for row in plain:
            cells = ", ".join(f'"{k}": "{v}"' if isinstance(v, str) else f'"{k}": {v}' for k,
                              v in row.items())
            print("{" + cells + "}", file=out)
    with open("t.libsvm", "w", encoding="utf-8") as out:
        for row in rows:
            print(1 if row["two"] == "yes" else -1,
                  *(f"{j + 1}:{row[k]}" for j, k in enumerate(NUMBERS)), file=out)
    with open("t.arff", "w", encoding="utf-8") as out:
        print("@relation t", *(f"@attribute {k} numeric" for k in NUMBERS),
              "@attribute where {N,S,W}", "@attribute two {no,yes}",
              "@attribute number numeric", "@data", sep="\n", file=out)
        for row in plain:
            print(*row.values(), sep=",", file=out)
    with open("t.npy", "wb") as out:
        head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({len(rows)}, 4), }}"
        head += " " * (118 - len(head) - 1) + "\n"
        out.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode())
        for row in rows:
            out.write(struct.pack("<4d", *(row[k] for k in NUMBERS), row["number"]))
    with open("t.idx", "wb") as out:
        out.write(struct.pack(">BBBBIII", 0, 0, 8, 3, len(rows), 2, 2))
        for i, row in enumerate(rows):
            out.write(bytes([i * 7 % 50 + (90 if row["two"] == "yes" else 0), i % 11, i * 5 % 13,
                             i % 7]))
    for name, change in (("t-labels.idx", 0), ("t-other-labels.idx", 1)):
        with open(name, "wb") as out:
            out.write(struct.pack(">BBBBI", 0, 0, 8, 1, len(rows)))
            out.write(bytes([int(row["two"] == "yes") ^ (change and i % 5 == 0) for i,
                             row in enumerate(rows)]))
    for kind in ("dark", "light"):
        os.makedirs(f"shots/{kind}", exist_ok=True)
        for i in range(40):
            with open(f"shots/{kind}/{i}.ppm", "wb") as out:
                shade = 60 if kind == "dark" else 150
                out.write(b"P6 4 3 255\n" + bytes(shade + (i * 7 + j * j * 5) % 80
                                                  for j in range(36)))
    shutil.copytree("shots", "broken", dirs_exist_ok=True)
    with open("broken/dark/note.txt", "w", encoding="utf-8") as out:
        out.write("not a picture\n")
    base = sqlite3.connect("t.db")
    base.execute("create table t (x real, y real, z real, place text, two text, number real)")
    base.executemany("insert into t values (?, ?, ?, ?, ?, ?)",
                     [tuple(row.values()) for row in plain])
    base.commit()
    base.close()


def write_tables():
    rows = rows_of(90, 7)
    write_csv("all.csv", rows)
    write_csv("two.csv", take(rows, *NUMBERS, "where", "of", "when", "w", "two"))
    write_csv("three.csv", take(rows, *NUMBERS, "where", "of", "when", "w", "three"))
    write_csv("number.csv", take(rows, *NUMBERS, "where", "of", "when", "w", "number"))
    write_csv("more.csv", rows_of(70, 8))
    write_csv("plane.csv", take(rows, "x", "y", "w", "two"))
    write_csv("features.csv", take(rows, *NUMBERS))
    write_csv("longer.csv", take(rows + rows_of(70, 8), *NUMBERS, "where", "of", "when", "w",
                                 "two"))
    write_csv("bad.csv", take(rows, *NUMBERS, "where", "of", "when", "w", "two"))
    with open("bad.csv", "a", encoding="utf-8") as out:
        print("0.5,what,1,N,g1,5,1,yes", file=out)
    write_csv("square.csv", [{"a": 4.5, "b": 1.25}, {"a": 1.25, "b": 3.5}], header=False)
    write_csv("right.csv", [{"r": 1.5}, {"r": 2.5}], header=False)
    write_formats(rows)


MODELS = {
    "pictures.smr": ["ridge 1", "broken", "-t", "3", "--task", "regress", "--size", "2x2", "--fit",
                     "crop", "--grey", "--bad", "skip"],
    "two.smr": ["logistic", "two.csv", "-t", "two", "--ignore", "of,when,w"],
    "three.smr": ["tree 3", "three.csv", "-t", "three", "--ignore", "of,when,w"],
    "number.smr": ["ridge 1", "number.csv", "-t", "number", "--ignore", "of,when,w"],
    "forest.smr": ["forest 7 max_depth=4", "two.csv", "-t", "two", "--ignore", "of,when,w"],
    "boost.smr": ["boost rounds=7", "number.csv", "-t", "number", "--ignore", "of,when,w"],
    "conformal.smr": ["conformal of=(ridge)", "number.csv", "-t", "number", "--ignore",
                      "of,when,w"],
    "scaled.smr": ["standardize", "features.csv"],
    "plane.smr": ["knn 5", "plane.csv", "-t", "two", "--ignore", "w"],
    "plain.smr": ["logistic", "t.csv", "-t", "two", "--ignore", "number"],
    "libsvm.smr": ["logistic", "t.libsvm", "-t", "label"],
    "images.smr": ["tree 3", "t.idx", "--labels", "t-labels.idx", "-t", "label"],
    "net.smr": ["net (conv 2 2 pad=1 | tanh | dense 3) epochs=3", "t.idx", "--labels",
                "t-labels.idx", "-t", "label"],
    "steps.smr": ["hmm", "two.csv", "-t", "two", "--sequence", "of", "--ignore", "when,w"],
    "clusters.smr": ["kmeans 2", "two.csv", "--ignore", "of,two,when,w"],
    "npy.smr": ["ridge", "t.npy", "-t", "3"],
}


def make(samara):
    """Everything, in the working folder."""
    write_tables()
    for path, words in MODELS.items():
        done = subprocess.run([samara, "train", *words, "-o", path, "-j1", "-q"],
                              capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"train {words}: {done.stderr}")
    done = subprocess.run([samara, "stream", "sgd", "two.csv", "-t", "two", "--ignore",
                           "of,when,w", "-o",
                           "stream.smr", "-j1", "-q"], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"stream: {done.stderr}")
    with open("result.json", "wb") as out:
        done = subprocess.run([samara, "evaluate", "two.smr", "two.csv", "--json", "-j1"],
                              stdout=out)
    shutil.copy("stream.smr", "saved-stream.smr")
