"""What flags.py tries: command lines that work, values for every flag, and excuses."""

import fixtures

LEFT = ["--ignore", "of,when,w"]
MODEL = ["-o", "out/model.smr"]


# How a file is read; the formats are tried with these alone.
READING = {"type", "missing", "format", "delimiter", "decimal", "header", "query", "labels"}


def of(*words, **more):
    return {"words": list(words), **more}


def formats(prefix, words, values, **more):
    """A command line with each format in place of DATA."""
    out = {}
    for name in ("jsonl", "libsvm", "arff", "npy", "idx", "sqlite"):
        path = "t." + {"sqlite": "db"}.get(name, name)
        out[f"{prefix} {name}"] = of(*[path if w == "DATA" else w for w in words],
                                     only=READING, values=values.get(name, {}), **more)
    return out


# Values for the formats whose columns have other names than those of the CSV files.
NAMED = {"libsvm": {"type": ["1=category", "label=number"], "missing": ["-1", "0.5"]},
         "npy": {"type": "0=category", "missing": "1"},
         "idx": {"type": "0=category", "missing": "1"}}

# Numbers of the first rows, as marks of missing values.
FIRST = ",".join(str(row["x"]) for row in fixtures.rows_of(30, 7) + fixtures.rows_of(30, 8))
# One value, or some of which one must act.  "train " has those of a command.
VALUES = {
    "output": "out/result", "target": "two", "task": ["classify", "regress"], "weight": "w",
    "group": "of",
    "sequence": "of", "time-column": "when", "user": "of", "item": "where", "ignore": "x",
    "positive": "no",
    "threshold": "0.3", "oob": "out/oob.csv", "checkpoint": "out/check", "every": "5",
    "warm-start": "two.smr",
    "type": ["x=category", "x=ignore"], "missing": f"S,4.5,{FIRST}", "format": ["csv", "jsonl"],
    "delimiter": "semicolon",
    "decimal": "comma", "header": "no",
    "query": "select x, y, z, place, two, number from t limit 60",
    "labels": "t-other-labels.idx", "test": "more.csv", "test-labels": "t-labels.idx",
    "holdout": "0.4",
    "shares": "0.4", "over": "k=1,3", "search": "random", "trials": "3", "validation": "0.3",
    "nested": "2",
    "time": "0.000001s", "log": "out/a.log", "resume": "out/none.log", "rounds": "2", "keep": "x",
    "folds": "3",
    "repeats": "2", "order-by": "when", "strata": "no", "confidence": "0.5",
    "measure": ["precision", "mae"],
    "columns": "x,y", "grid": "7", "ice": "3", "use-rows": "20", "row": "3", "nearest": "2",
    "tree": "0",
    "depth": "1", "sizes": "0.5,1", "generator": "linear", "noise": "3", "samples": "5",
    "test-rows": "11",
    "bag": "3", "from": "stream.smr", "classes": "no,perhaps,yes", "warm-up": "30", "bad": "skip",
    "window": "7",
    "predictions": "out/said.csv", "save-every": "10", "passes": "2", "latency": "5", "steps": "2",
    "html": "out/page.html", "frames": "out/frames", "rows": "1",
    "plot": ["out/confusion.svg", "out/residuals.svg"],
    "report": "out/page.html", "seed": "5", "threads": "2", "memory": "1k",
    "evaluate ": {"target": "where"}, "predict ": {"output": "out/said.csv"},
    "cv ": {"output": "out/said.csv"},
    "bias-variance ": {"rows": "20"}, "stream ": {"plot": "out/error.svg"},
    "tune ": {"plot": "out/trials.svg"}, "describe ": {"plot": "out/distribution-x.svg"},
    "trace ": {"plot": "out/step-1-gains.svg"},
}

MATRIX = {"output": "out/m.csv", "header": "yes"}
THREE = {"positive": "low", "classes": "low,mid,top,none"}

SITUATIONS = {
    # ---- train
    "train two": of("train", "logistic", "two.csv", "-t", "two", *LEFT, *MODEL),
    "train three": of("train", "tree 3", "three.csv", "-t", "three", *LEFT, *MODEL, values=THREE),
    "train number": of("train", "ridge 1", "number.csv", "-t", "number", *LEFT, *MODEL),
    "train targets": of("train", "ridge 1", "all.csv", "-t", "number,z", "--ignore",
                        "of,when,w,two,three", *MODEL),
    "train forest": of("train", "forest 5", "two.csv", "-t", "two", *LEFT, *MODEL),
    "train boost": of("train", "boost rounds=3", "number.csv", "-t", "number", *LEFT, *MODEL),
    "train transforms": of("train", "standardize", "features.csv", *MODEL),
    "train holdout 0": of("train", "logistic", "two.csv", "-t", "two", "--ignore", "when,w",
                          "--holdout", "0", *MODEL),
    "train test": of("train", "logistic", "two.csv", "-t", "two", "--ignore", "when,w", "--test",
                     "more.csv", *MODEL),
    "train checkpoint": of("train", "forest 5", "two.csv", "-t", "two", *LEFT, "--checkpoint",
                           "out/c", *MODEL),
    "train stdin": of("train", "logistic", "-", "-t", "two", *MODEL, stdin="two.csv"),
    **formats("train", ["train", "tree 2", "DATA", "-t", "0", *MODEL], NAMED),
    "train labels": of("train", "tree 2", "t.idx", "--labels", "t-labels.idx", "-t", "label",
                       "--test", "t.idx",
                       "--test-labels", "t-other-labels.idx", only={"test-labels", "labels"}),
    # ---- predict, evaluate
    "predict two": of("predict", "two.smr", "two.csv"),
    "predict three": of("predict", "three.smr", "three.csv"),
    "predict number": of("predict", "number.smr", "number.csv"),
    "predict forest": of("predict", "forest.smr", "two.csv"),
    "predict boost": of("predict", "boost.smr", "number.csv"),
    "predict conformal": of("predict", "conformal.smr", "number.csv"),
    "predict transforms": of("predict", "scaled.smr", "features.csv"),
    "predict inverse": of("predict", "scaled.smr", "features.csv", "--inverse"),
    "predict jsonl": of("predict", "plain.smr", "t.jsonl", only=READING),
    "predict arff": of("predict", "plain.smr", "t.arff", only=READING),
    "predict sqlite": of("predict", "plain.smr", "t.db", only=READING),
    "predict libsvm": of("predict", "libsvm.smr", "t.libsvm", values=NAMED["libsvm"], only=READING),
    "predict idx": of("predict", "images.smr", "t.idx", values=NAMED["idx"], only=READING),
    "predict npy": of("predict", "npy.smr", "t.npy", values=NAMED["npy"], only=READING),
    "evaluate two": of("evaluate", "two.smr", "more.csv"),
    "evaluate three": of("evaluate", "three.smr", "more.csv"),
    "evaluate number": of("evaluate", "number.smr", "more.csv"),
    # ---- folds
    "cv two": of("cv", "logistic", "two.csv", "-t", "two", *LEFT),
    "cv three": of("cv", "tree 3", "three.csv", "-t", "three", *LEFT, values=THREE),
    "cv number": of("cv", "ridge 1", "number.csv", "-t", "number", *LEFT),
    "cv leave-one-out": of("cv", "ridge 1", "number.csv", "-t", "number", *LEFT, "--leave-one-out"),
    "cv ordered": of("cv", "ridge 1", "number.csv", "-t", "number", *LEFT, "--ordered"),
    "cv order-by": of("cv", "tree 2", "two.csv", "-t", "two", *LEFT, "--order-by", "when"),
    "cv group": of("cv", "tree 2", "two.csv", "-t", "two", *LEFT, "--group", "of"),
    "compare two": of("compare", "two.csv", "-t", "two", *LEFT, "logistic", "tree 2"),
    "compare measure": of("compare", "two.csv", "-t", "two", *LEFT, "--measure", "precision",
                          "logistic", "tree 2"),
    "compare number": of("compare", "number.csv", "-t", "number", *LEFT, "ridge", "tree 2"),
    "tune folds": of("tune", "knn 3", "two.csv", "-t", "two", *LEFT, "--over", "k=1,3,5"),
    "tune number": of("tune", "ridge 3", "number.csv", "-t", "number", *LEFT, "--over", "l2=1,3,5",
                      values={"over": "l2=2,4"}),
    "tune random": of("tune", "knn 3", "two.csv", "-t", "two", *LEFT, "--over", "k=1..9",
                      "--trials", "4"),
    "tune halving": of("tune", "knn 3", "two.csv", "-t", "two", *LEFT, "--over", "k=1,3,5",
                       "--search", "halving"),
    "tune validation": of("tune", "knn 3", "two.csv", "-t", "two", *LEFT, "--over", "k=1,3,5",
                          "--validation", "0.3"),
    "tune validation file": of("tune", "knn 3", "two.csv", "-t", "two", *LEFT, "--over", "k=1,3,5",
                               "--validation",
                               "more.csv"),
    "tune test": of("tune", "knn 3", "two.csv", "-t", "two", *LEFT, "--over", "k=1,3,5", "--test",
                    "more.csv"),
    "tune holdout 0": of("tune", "knn 3", "two.csv", "-t", "two", *LEFT, "--over", "k=1,3,5",
                         "--holdout", "0"),
    "tune measure": of("tune", "knn 3", "two.csv", "-t", "two", *LEFT, "--over", "k=1,3,5",
                       "--measure", "recall",
                       only={"positive", "measure"}),
    "tune labels": of("tune", "knn 3", "t.idx", "--labels", "t-labels.idx", "-t", "label",
                      "--test", "t.idx",
                      "--test-labels", "t-other-labels.idx", "--over", "k=1,3",
                      only={"test-labels", "labels"}),
    # A target that is a number and has few values: the task decides.
    "cv task": of("cv", "knn 3", "all.csv", "-t", "w", only={"task"}),
    "tune task": of("tune", "knn 3", "all.csv", "-t", "w", "--over", "k=1,3", only={"task"}),
    "curve task": of("curve", "learning", "knn 3", "all.csv", "-t", "w", only={"task"}),
    "trace task": of("trace", "knn 3", "all.csv", "-t", "w", only={"task"}),
    "bias-variance task": of("bias-variance", "knn 3", "all.csv", "-t", "w", "--samples", "4",
                             only={"task"}),
    # ---- curves
    "curve learning": of("curve", "learning", "logistic", "two.csv", "-t", "two", *LEFT),
    "curve learning number": of("curve", "learning", "ridge", "number.csv", "-t", "number", *LEFT),
    "curve validation": of("curve", "validation", "knn 3", "two.csv", "-t", "two", *LEFT, "--over",
                           "k=1,3,5"),
    "curve training": of("curve", "training", "logistic", "two.csv", "-t", "two", "--ignore",
                         "when,w"),
    "curve training model": of("curve", "training", "two.smr"),
    "curve rounds": of("curve", "rounds", "boost rounds=5", "two.csv", "-t", "two", *LEFT),
    "curve rounds model": of("curve", "rounds", "forest.smr", "more.csv"),
    "curve threshold": of("curve", "threshold", "logistic", "two.csv", "-t", "two", *LEFT),
    "curve threshold model": of("curve", "threshold", "two.smr", "more.csv"),
    # ---- explain, trace
    "explain importance": of("explain", "importance", "two.smr", "more.csv"),
    "explain importance number": of("explain", "importance", "number.smr", "more.csv"),
    "explain dependence": of("explain", "dependence", "two.smr", "more.csv"),
    "explain dependence number": of("explain", "dependence", "number.smr", "more.csv"),
    "explain regions": of("explain", "regions", "plane.smr", "plane.csv"),
    "explain path": of("explain", "path", "three.smr", "more.csv"),
    "explain path forest": of("explain", "path", "forest.smr", "more.csv"),
    "explain shapley": of("explain", "shapley", "forest.smr", "more.csv"),
    "explain shapley number": of("explain", "shapley", "boost.smr", "more.csv"),
    "explain proximity": of("explain", "proximity", "forest.smr", "more.csv"),
    "trace knn": of("trace", "knn 3", "two.csv", "-t", "two", *LEFT),
    "trace tree": of("trace", "tree 3", "two.csv", "-t", "two", *LEFT),
    "trace perceptron": of("trace", "perceptron", "two.csv", "-t", "two", *LEFT),
    # ---- bias-variance
    "bias-variance generator": of("bias-variance", "ridge", "--generator", "linear", "--samples",
                                  "6",
                                  values={"over": "l2=1,3"}),
    "bias-variance file": of("bias-variance", "ridge", "number.csv", "-t", "number", *LEFT,
                             "--samples", "6",
                             values={"over": "l2=1,3"}),
    "bias-variance classes": of("bias-variance", "knn 3", "two.csv", "-t", "two", *LEFT,
                                "--samples", "6"),
    # ---- streams
    "stream two": of("stream", "sgd", "two.csv", "-t", "two", *LEFT, *MODEL),
    "stream number": of("stream", "linear solver=sgd", "number.csv", "-t", "number", *LEFT, *MODEL),
    "stream said": of("stream", "sgd", "two.csv", "-t", "two", *LEFT, "--predictions",
                      "out/said.csv"),
    "stream from": of("stream", "--from", "stream.smr", "more.csv", *MODEL),
    "stream no-learn": of("stream", "--from", "stream.smr", "more.csv", "--no-learn",
                          "--predictions",
                          "out/said.csv"),
    "stream bad": of("stream", "sgd", "bad.csv", "-t", "two", "--ignore", "of,when,w", "--warm-up",
                     "30",
                     "--bad", "skip", *MODEL),
    "stream warm-up": of("stream", "sgd", "two.csv", "-t", "two", *LEFT, "--classes", "no,yes",
                         "--warm-up", "2",
                         *MODEL),
    "stream resume": of("stream", "--resume", "stream.smr", "longer.csv", *MODEL),
    "stream plot": of("stream", "sgd", "two.csv", "-t", "two", *LEFT, "--every", "10", *MODEL,
                      only={"plot", "report"}),
    "stream stdin": of("stream", "sgd", "-", "-t", "two", *LEFT, *MODEL, stdin="two.csv"),
    "stream libsvm": of("stream", "sgd", "t.libsvm", "-t", "label", *MODEL, values=NAMED["libsvm"],
                        only=READING),
    # ---- looking
    "inspect linear": of("inspect", "two.smr"),
    "inspect tree": of("inspect", "three.smr"),
    "inspect forest": of("inspect", "forest.smr"),
    "inspect rules": of("inspect", "three.smr", "--rules"),
    "inspect dot": of("inspect", "three.smr", "--dot", json=False),
    "describe": of("describe", "all.csv"),
    "describe two": of("describe", "all.csv", "-t", "two"),
    "describe number": of("describe", "number.csv", "-t", "number"),
    **formats("describe", ["describe", "DATA"], NAMED),
    "list": of("list"),
    "list measures": of("list", "measures"),
    "list learners": of("list", "learners"),
    "help": of("help"),
    "help train": of("help", "train"),
    "help knn": of("help", "knn"),
    "help moons": of("help", "moons"),
    "loss all": of("loss"),
    "loss huber": of("loss", "huber"),
    "plot": of("plot", "result.json"),
    "completion": of("completion", "bash"),
    "man": of("man"),
    # ---- tables
    "make": of("make", "moons", "n=20", json=False),
    "make file": of("make", "moons", "n=20", "-o", "out/m.csv"),
    "make names": of("make", json=False),
    "convert": of("convert", "t.csv", "out/t.arff"),
    "convert -o": of("convert", "t.csv", "-o", "out/t.jsonl"),
    "split": of("split", "two.csv", "out/a.csv", "out/b.csv", values={"strata": "yes"}),
    "split two": of("split", "two.csv", "out/a.csv", "out/b.csv", "-t", "two"),
    "split number": of("split", "number.csv", "out/a.csv", "out/b.csv", "-t", "number"),
    "split ordered": of("split", "two.csv", "out/a.csv", "out/b.csv", "--ordered"),
    "split group": of("split", "two.csv", "out/a.csv", "out/b.csv", "--group", "of"),
    "matrix det": of("matrix", "det", "square.csv", values=MATRIX),
    "matrix solve": of("matrix", "solve", "square.csv", "right.csv", values=MATRIX),
    "matrix svd": of("matrix", "svd", "square.csv", values=MATRIX),
}

# Commands, situations ("acting": the flag need not be seen to act), flags, and why.
EXCUSES = [
    ("*", "acting", "threads", "results do not depend on it, as its help says"),
    ("*", "*", "threads", "the same"),
    ("*", "acting", "quiet",
     "scripts may give it to any command, also where there is nothing to leave out"),
    ("*", "*", "quiet", "the same"),
    ("*", "*", "seed",
     "nothing is drawn here; scripts may give one to every command that can draw"),
    ("help", "*", "help", "asks for help on help"),
    # What is asked for is what happens anyway.
    ("cv", "cv?order-by", "ordered", "--order-by orders too"),
    ("cv compare tune curve split", "*number split?group", "strata",
     "numbers have no strata, nor has no target"),
    ("tune", "tune?random", "search", "--trials without a search is random"),
    ("explain", "explain?regions", "columns", "these are the model's two columns"),
    ("explain inspect", "*path *tree *rules *dot", "tree", "it is the only one"),
    ("evaluate", "evaluate?number", "rows", "there is no table to cut short"),
    ("predict", "predict?idx predict?npy", "labels",
     "one more column of DATA, which --keep can show"),
    # Of time, not of results.
    ("train", "train?checkpoint acting", "every resume",
     "a short fit writes none; tests/cli/checkpoint.t"),
    ("stream", "stream* acting", "latency save-every",
     "when rows come in and models go out; tests/cli/stream.t"),
    ("stream", "stream*", "warm-up",
     "these files settle within 30 lines; 'stream warm-up' shows one that does not"),
    ("stream", "stream*", "bad", "no row of these files is bad; 'stream bad' has one"),
    ("stream", "stream?said", "positive", "the model that -o would save keeps it"),
    # No learner here; tests/contract/tasks tries them with learners made for it.
    ("train cv compare tune curve", "acting", "sequence time-column user item",
     "no learner reads these roles"),
    ("evaluate", "acting", "target", "no learner makes clusters"),
    ("compare", "acting", "no-stop", "with --all alone, which takes long; tests/cli/compare.t"),
]
