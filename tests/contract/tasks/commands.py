#!/usr/bin/env python3
"""Every command with a stand-in learner of every task: it works, or says in words why not.

    commands.py BUILD

Uses BUILD/tests/samara_standins, the command with the stand-ins in its registry."""
import json
import os
import subprocess
import sys
import tempfile

ROLES = {
    "z_cluster": [],
    "z_density": [],
    "isolation": [],
    "z_self": ["--target", "class", "--ignore", "walk,minute,who,what,rating"],
    "z_steps": ["--sequence", "walk", "--time-column", "minute"],
    "z_rate": ["--user", "who", "--item", "what"],
}
IGNORED = {"z_cluster": "walk,minute,who,what,rating", "z_density": "walk,minute,who,what,rating",
           "isolation": "walk,minute,who,what,rating",
           "z_steps": "who,what,rating", "z_rate": "x,y,class,walk,minute"}
RANDOM, GAUSS = "two clusters at random", "a Gaussian for each column"
BASELINES = {("z_cluster", False): RANDOM, ("z_cluster", True): RANDOM,
             ("z_density", False): GAUSS, ("z_density", True): GAUSS,
             ("isolation", False): None, ("isolation", True): GAUSS,
             ("z_steps", False): None, ("z_steps", True): "most frequent class",
             ("z_rate", False): None, ("z_rate", True): "always the mean",
             ("z_self", True): "always 'a'"}
# Titles of figures; the last of each needs a target.
BESIDE = "Known classes against what was found"
DRAWN = {"z_cluster": ["Number of rows in each", "Silhouettes", BESIDE],
         "z_density": ["How well the rows fit the model", ""],
         "isolation": ["Number of rows in each", "How well the rows fit the model", BESIDE],
         "z_steps": ["Number of rows in each", "How well the rows fit the model", BESIDE],
         "z_rate": ["Predicted against actual", ""], "z_self": ["Confusion matrix", ""]}
failures = []


def write_table(path):
    with open(path, "w", encoding="utf-8") as out:
        out.write("x,y,class,walk,minute,who,what,rating\n")
        for i in range(120):
            kind = i * 7 // 4 % 3
            x = kind * 2 + (i * 37 % 50) / 50
            y = (i * 13 % 29) / 29 - kind
            label = "" if i % 10 == 7 else "abc"[kind]
            out.write(f"{x},{y},{label},w{i * 5 // 7 % 11},{i * 41 % 120},u{i * 3 % 7},i{i % 5},"
                      f"{3 + (i * 17 % 11) / 11}\n")
    with open(path + ".full.csv", "w", encoding="utf-8") as out:
        for line in open(path, encoding="utf-8"):
            cells = line.split(",")
            cells[2] = cells[2] or "a"
            out.write(",".join(cells))


def run(command, *words, ok=True, said=None):
    done = subprocess.run([command, *words], capture_output=True, text=True, timeout=120)
    text = done.stdout + done.stderr
    wrong = done.returncode != 0 if ok else done.returncode not in (1, 2)
    if wrong or (said and said not in text):
        failures.append(f"samara {' '.join(words)}\n  exit {done.returncode}: {text.strip()}\n"
                        f"  wanted {'success' if ok else 'a refusal'} {said or ''}")
    return done.stdout


def try_learner(command, learner, target, data, folder):
    about = list(ROLES[learner])
    if learner in IGNORED:
        about += ["--ignore", IGNORED[learner] + ("" if target else ",class")]
        if target:
            about += ["--target", target]
    rated = learner not in ("z_rate", "isolation") or bool(target)
    supervised = learner in ("z_self",)
    model = os.path.join(folder, learner + ".model")
    told = json.loads(run(command, "train", learner, data, *about, "-o", model, "--json") or "{}")
    measures = told.get("measures", {})
    if rated and not any(isinstance(v, (int, float)) for v in measures.values()):
        failures.append(f"train {learner} {target}: no measures: {measures}")
    baseline = told.get("baseline", {}).get("what")
    if baseline != BASELINES[learner, bool(target)]:
        failures.append(f"train {learner} {target}: the baseline is {baseline}")
    run(command, "train", learner, data, *about, "--holdout", "0", "--report",
        os.path.join(folder, "page.html"))
    page = open(os.path.join(folder, "page.html"), encoding="utf-8").read()
    drawn = DRAWN[learner][:None if target else -1]
    for title in drawn if rated else []:
        if title not in page:
            failures.append(f"train {learner} {target} --report: no figure '{title}'")
    run(command, "predict", model, data, "-o", os.path.join(folder, "answers.csv"))
    header = open(os.path.join(folder, "answers.csv"), encoding="utf-8").readline().strip()
    wanted = {"z_cluster": "cluster", "z_density": "score", "z_self": "class",
              "isolation": "outlier",
              "z_steps": "class" if target else "state",
              "z_rate": "rating" if target else "score"}[learner]
    if header.split(",")[0] != wanted:
        failures.append(f"predict {learner} {target}: columns {header}, wanted {wanted}")
    gives = learner in ("z_cluster", "z_self", "z_steps")
    run(command, "predict", model, data, "--proba", ok=gives)
    run(command, "predict", model, data, "--interval", ok=False)
    scored = rated or learner == "isolation"  # how many it calls outliers needs no known ones
    run(command, "evaluate", model, data, ok=scored, said=None if scored else "measured")
    run(command, "evaluate", model, data, "--threshold", "0.5", ok=learner == "isolation",
        said="threshold" if rated else None)
    run(command, "inspect", model)
    run(command, "cv", learner, data, *about, "--folds", "3", ok=rated,
        said=None if rated else "--target")
    run(command, "cv", learner, data, *about, "--folds", "3", "-o",
        os.path.join(folder, "oof.csv"), ok=supervised or (learner == "z_rate" and rated))
    run(command, "cv", learner, data, *about, "--measure", "auc_of_nothing", ok=False)
    run(command, "cv", learner, data, *about, "--leave-one-out", "--quiet", ok=rated)
    others = [] if learner == "z_rate" else ["standardize | " + learner]
    run(command, "compare", learner, *others, data, *about, "--folds", "3", ok=rated)
    run(command, "curve", "learning", learner, data, *about, "--folds", "3", ok=rated)
    run(command, "curve", "threshold", learner, data, *about, ok=False)
    run(command, "explain", "importance", model, data, ok=supervised)
    run(command, "stream", "--from", model, data, "--no-learn", "--predictions",
        os.path.join(folder, "stream.csv"), ok=supervised,
        said=None if supervised else "a stream is for predicting classes and numbers")
    if learner == "z_density":
        run(command, "compare", learner, data, *about, "--folds", "3",
            said="no model is clearly better than the baseline, which takes each column alone")
    if learner in ("z_cluster", "z_density", "isolation"):
        run(command, "bias-variance", learner, data, *about, ok=False, said="the task is to")
    known = {"z_cluster": "adjusted_rand", "isolation": "average_precision"}
    run(command, "evaluate", model, data, "--target", "class", ok=learner in known,
        said=known[learner] if learner in known else "known classes of a clustering"
        if rated else None)
    if learner == "z_cluster":
        run(command, "tune", learner, data, *about, "--over", "k=2,3,4", "--folds", "3",
            said="k=")
        run(command, "train", "standardize | z_cluster 3", data, *about, said="silhouette")
        run(command, "curve", "validation", learner, data, *about, "--over", "k=2,3,4")


def try_kinds(command, data, folder):
    """A learner that is what its parameters say; centres in the units of the table."""
    model = os.path.join(folder, "kind.model")
    about = ["--ignore", "walk,minute,who,what,rating"]
    run(command, "train", "z_kind", data, *about, "--target", "class", said="task      classify")
    run(command, "train", "z_kind sides", data, *about, "--target", "class",
        said="task      cluster, beside class")
    run(command, "train", "z_kind sides", data, *about, "--target", "class", "--task", "classify",
        ok=False, said="z_kind with these parameters has no task 'classify'")
    run(command, "help", "z_kind", said="does      classify; with other parameters: cluster")
    run(command, "help", "z_kind", said="takes     double, weights; with other parameters: texts")
    run(command, "train", "standardize | z_cluster 2", data, "-o", model, "--ignore",
        "class,walk,minute,who,what,rating")
    centres = os.path.join(folder, "centres.csv")
    with open(centres, "w", encoding="utf-8") as out:
        out.write("x,y\n0,0\n1,-1\n")
    shown = run(command, "predict", model, centres, "--inverse").split()
    values = [line.split(",") for line in open(data, encoding="utf-8").read().split()[1:]]
    mean = sum(float(row[0]) for row in values) / len(values)
    if shown[:1] != ["x,y"] or abs(float(shown[1].split(",")[0]) - mean) > 1e-9:
        failures.append(f"predict --inverse: {shown}, wanted a mean of {mean}")
    run(command, "predict", model, centres, "--inverse", "--proba", ok=False, said="turns features")


def main():
    command = os.path.join(sys.argv[1], "tests", "samara_standins")
    with tempfile.TemporaryDirectory() as folder:
        data = os.path.join(folder, "table.csv")
        write_table(data)
        full = data + ".full.csv"
        for learner, target in (("z_cluster", None), ("z_cluster", "class"), ("z_density", None),
                                ("z_density", "class"), ("isolation", None),
                                ("isolation", "class"), ("z_steps", None), ("z_steps", "class"),
                                ("z_rate", None), ("z_rate", "rating"), ("z_self", "class")):
            table = full if learner == "z_steps" else data
            try_learner(command, learner, target, table, folder)
        try_kinds(command, full, folder)
        run(command, "train", "knn", full, "--target", "class", "--task", "cluster", ok=False,
            said="knn has no task 'cluster'")
        run(command, "train", "knn", full, "--target", "class", "--task", "clutter", ok=False,
            said="--task: classify, regress, cluster, sequence, recommend, density or outliers, "
            "not")
        run(command, "train", "knn", full, "--target", "class", "--sequence", "walk", ok=False,
            said="takes each row by itself")
        run(command, "cv", "z_cluster", full, "--measure", "accuracy", ok=False,
            said="accuracy measures predicted classes, and the task is to find clusters")
        run(command, "describe", full, "--target", "class", "--task", "cluster", ok=False,
            said="columns are related to classes and numbers")
        run(command, "list", "measures", said="Measures of predicted clusters")
    for failure in failures:
        print(failure)
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
