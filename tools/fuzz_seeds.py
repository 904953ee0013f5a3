#!/usr/bin/env python3
"""Makes the seeds of the fuzz target for model files: a small model of every learner.

    tools/fuzz_seeds.py SAMARA FOLDER     trains them with the command SAMARA into FOLDER
    tools/fuzz_seeds.py --check SAMARA FOLDER

With --check it says which learner no file of the folder holds, and which seeds are not there or not
as they would be made today: the words of their sentences, versions, metadata, names and types of
tensors.
"""
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

# name: (sentence, target, table).  Targets: y a number, z two classes, c three classes.  A table
# has two columns of numbers; "mixed" a gap and a category too, for what reads such; "texts" a
# column of texts; "walks" is mixed, with a column q of sequences; "weights" has a column w of
# them; in "rates" the column a is of users, p of items.  Adapters that samara inserts
# would be most of a file, so that most of what the fuzzer changes would be theirs.
SEEDS = {
    "adaboost": ("adaboost 2", "z", "mixed"),
    "adaboost_numbers": ("adaboost 2 of=(stump)", "y", ""),
    "adaboost_real": ("adaboost 2 method=real of=(stump)", "c", ""),
    "agglomerate": ("agglomerate 3", "", ""),
    "agglomerate_average": ("agglomerate linkage=average height=2", "", "mixed"),
    "bag": ("bag 2 of=(standardize | ridge)", "y", ""),
    "bag_classes": ("bag 2 columns=0.5 of=(tree max_depth=2)", "c", "mixed"),
    "baseline": ("baseline", "y", "mixed"),
    "baseline_classes": ("baseline", "c", "mixed"),
    "bayes": ("bayes", "c", "mixed"),
    "bayes_complement": ("bayes 0 model=complement", "z", ""),
    "bayes_words": ("words t | bayes", "z", "texts"),
    "bayesnet": ("bayesnet bins=3", "c", "mixed"),
    "bayesnet_naive": ("bayesnet naive bins=2 inference=sampling samples=20", "z", "mixed"),
    "bin": ("impute | bin 3 | ridge", "y", ""),
    "boost": ("boost 2 max_depth=2", "y", "mixed"),
    "boost_three": ("boost 2 max_depth=2", "c", "mixed"),
    "boost_two": ("boost 2 max_depth=2", "z", "mixed"),
    "calibrate_isotonic": ("calibrate isotonic of=(logistic)", "c", ""),
    "calibrate_platt": ("calibrate platt of=(sgd hinge)", "z", ""),
    "calibrate_temperature": ("calibrate temperature of=(logistic)", "c", ""),
    "clip": ("impute | clip 0.1 | ridge", "y", ""),
    "conformal": ("conformal 0.5 of=(ridge)", "y", "mixed"),
    "conformal_classes": ("conformal 0.5 by_class=yes of=(logistic)", "c", ""),
    "conformal_scaled": ("conformal 0.5 score=scaled of=(ridge)", "y", ""),
    "dbscan": ("dbscan 2 min_rows=3", "", ""),
    "dbscan_noise": ("dbscan 0.1", "", ""),
    "density": ("density", "", "mixed"),
    "density_ball": ("density rule=scott kernel=ball covariance=full", "", ""),
    "density_exponential": ("density model=exponential", "", ""),
    "density_histogram": ("density model=histogram bins=3 smoothing=0.5", "", "mixed"),
    "density_normal": ("density model=normal covariance=full", "", ""),
    "eigenmap": ("eigenmap 1 neighbors=3 | ridge", "y", ""),
    "eigenmap_full": ("eigenmap graph=full", "", "mixed"),
    "eigenmap_weights": ("eigenmap 1 neighbors=4", "", "weights"),
    "elastic": ("elastic path=3", "y", ""),
    "factor": ("factor 2 max_iter=3", "y", "rates"),
    "factor_sgd": ("factor 1 method=sgd max_iter=2", "y", "rates"),
    "isolation": ("isolation 3 sample=8", "", "mixed"),
    "encode": ("encode | ridge", "y", "mixed"),
    "encode_classes": ("encode 3 folds=2 | logistic", "c", "mixed"),
    "experts": ("experts k=2", "y", ""),
    "experts_classes": ("experts k=2", "c", ""),
    "fisher": ("fisher | knn 2", "c", ""),
    "forest": ("forest 2 max_depth=2", "c", "mixed"),
    "forest_numbers": ("forest 2 max_depth=2 importance=permutation", "y", "mixed"),
    "fourier": ("fourier 3 | ridge", "y", ""),
    "gamma": ("gamma", "p", ""),
    "gauss": ("gauss", "c", ""),
    "gauss_diagonal": ("gauss diagonal priors=0.2,0.8", "z", ""),
    "gauss_shared": ("gauss shared shrinkage=auto", "c", ""),
    "gmm": ("gmm most=2", "", "mixed"),
    "gmm_tied": ("gmm 2 covariance=tied", "", ""),
    "gmm_diagonal": ("gmm 2 covariance=diagonal", "", ""),
    "gmm_unit": ("gmm 2 covariance=unit", "", ""),
    "hash": ("hash 4 | knn 2", "z", "mixed"),
    "hash_text": ("impute | hash 4 column=t | ridge", "y", "texts"),
    "hmm": ("hmm 2 max_iter=3", "", "walks"),
    "hmm_full": ("hmm covariance=full mixtures=2 max_iter=2", "c", "walks"),
    "hmm_given": ("hmm 2 allow='0>0,0>1,1>1' max_iter=2", "", "walks"),
    "huber": ("huber", "y", ""),
    "impute": ("impute indicator=yes | standardize | ridge", "y", "mixed"),
    "klogistic": ("klogistic", "c", ""),
    "knn": ("knn 2", "c", ""),
    "knn_brute": ("knn 2 algorithm=brute", "y", ""),
    "kperceptron": ("kperceptron plain budget=4 max_iter=3", "c", ""),
    "kperceptron_averaged": ("kperceptron max_iter=3", "z", ""),
    "krr": ("krr path=3", "y", ""),
    "krr_text": ("krr kernel=spectrum(k=2,column=t)+rbf", "y", "texts"),
    "lad": ("lad", "y", ""),
    "lasso": ("lasso path=3", "y", ""),
    "linear": ("linear", "y", ""),
    "linear_classes": ("linear", "c", ""),
    "linear_gd": ("linear solver=gd", "y", ""),
    "lof": ("lof 2", "", ""),
    "log": ("impute | log | ridge", "y", ""),
    "kmeans": ("kmeans 2", "", ""),
    "softkmeans": ("softkmeans 2 anneal=1.5", "", ""),
    "kmeans_nearest": ("kmeans 3 metric=cosine gives=nearest | ridge", "y", ""),
    "logistic": ("logistic", "c", ""),
    "logistic_infer": ("logistic l2=1", "z", ""),
    "majority": ("majority of=(logistic),(tree max_depth=1)", "z", ""),
    "net": ("standardize | net (dense 3 | tanh | dropout 0.2) epochs=2", "c", ""),
    "net_numbers": ("net (concat (dense 2),(dense 2 | norm | relu)) epochs=2 patience=1", "y", ""),
    "net_sequence": ("bin 3 | net (embed 3 2 | lstm 2 direction=both | gru 2) epochs=2 steps=3",
                     "c", "walks"),
    "net_steps": ("net (rnn 2 direction=backward | norm | last) input=2,1 epochs=2", "c", ""),
    "net_picture": ("net (conv 2 1,2 | relu | maxpool 1) input=1,2 method=lbfgs epochs=2", "z", ""),
    "nested": ("bag 1 of=(calibrate of=(bag 1 of=(stump)))", "z", "mixed"),
    "nystrom": ("nystrom 4 kernel=quadratic | ridge", "y", ""),
    "onehot": ("onehot | knn 2", "y", "mixed"),
    "ova": ("ova of=(sgd hinge)", "c", ""),
    "ovo": ("ovo of=(logistic)", "c", ""),
    "ovo_votes": ("ovo by=votes of=(perceptron max_iter=3)", "c", ""),
    "pca": ("pca 1 | ridge", "y", ""),
    "pca_cv": ("impute | pca cv folds=2 whiten=yes", "", "mixed"),
    "perceptron": ("perceptron averaged max_iter=3", "c", ""),
    "perceptron_voted": ("perceptron voted max_iter=2", "z", ""),
    "poisson": ("poisson", "p", ""),
    "poly": ("poly 2 | ridge", "y", ""),
    "power": ("impute | power | ridge", "y", ""),
    "quantile": ("quantile 0.25", "y", ""),
    "ranks": ("impute | ranks normal | ridge", "y", ""),
    "ridge": ("ridge path=3", "y", ""),
    "scale": ("impute | scale robust | knn 2", "z", ""),
    "select": ("select k=2 | ridge", "y", "mixed"),
    "select_forward": ("select by=forward k=2 | ridge", "y", ""),
    "sgd": ("sgd", "c", ""),
    "sgd_numbers": ("sgd squared", "y", ""),
    "spectral": ("spectral 2 neighbors=3", "", ""),
    "spectral_auto": ("spectral graph=epsilon laplacian=unnormalised", "", "mixed"),
    "stack": ("stack of=(ridge),(tree max_depth=1)", "y", ""),
    "stack_passes": ("stack passthrough=yes of=(logistic),(tree max_depth=1)", "c", ""),
    "standardize": ("standardize", "", ""),
    "stump": ("stump", "z", "mixed"),
    "subset": ("subset 2", "y", ""),
    "subspace": ("subspace 0.5 | ridge", "y", ""),
    "svm": ("svm", "z", ""),
    "svm_numbers": ("svm kernel=linear nu=0.5", "y", ""),
    "svm_one": ("svm kernel=rbf", "", ""),
    "svm_rbf": ("svm kernel=rbf", "c", ""),
    "svm_sigmoids": ("svm proba=yes kernel=poly(degree=2)", "z", ""),
    "svm_text": ("svm kernel=rbf+spectrum(k=2)", "z", "texts"),
    "svm_three": ("svm", "c", ""),
    "target_log": ("columns target=log | ridge", "p", ""),
    "target_normal": ("columns target=normal | bag 2 of=(tree max_depth=2)", "y", "mixed"),
    "target_power": ("columns target=power | conformal 0.5 of=(ridge)", "y", ""),
    "tree": ("tree max_depth=3", "c", "mixed"),
    "tree_fraction": ("tree missing=fraction max_depth=3", "c", "mixed"),
    "tree_pruned": ("tree prune=cost", "y", "mixed"),
    "vote": ("vote of=(logistic),(tree max_depth=1)", "c", ""),
    "vote_median": ("vote combine=median of=(ridge),(knn 1),(tree max_depth=1)", "y", ""),
    "words": ("words | logistic", "z", "texts"),
    "words_hash": ("words hash=4 | sgd", "z", "texts"),
    "words_tfidf": ("words weight=tfidf | ridge", "y", "texts"),
}
STREAMS = {
    "stream_bayes": ("bayes", "c", "mixed"),
    "stream_encode": ("impute | encode | sgd squared", "y", "mixed"),
    "stream_encode_classes": ("encode 2 | sgd", "c", "mixed"),
    "stream_sgd": ("standardize | sgd", "z", ""),
    "stream_linear": ("standardize | linear solver=sgd", "y", ""),
    "stream_logistic": ("impute | standardize | logistic solver=sgd", "c", "mixed"),
    "stream_pca": ("pca 1 | sgd", "z", ""),
    "stream_perceptron": ("perceptron averaged", "z", ""),
    "stream_kmeans": ("kmeans 2 | sgd", "z", ""),
    "stream_majority": ("majority of=(sgd),(perceptron)", "z", ""),
}

ROWS = 14


def table(kind):
    mixed, texts, walks = kind in ("mixed", "walks"), kind == "texts", kind == "walks"
    weights = kind == "weights"
    lines = ["a,b," + ("k," if mixed else "") + ("t," if texts else "") + ("q," if walks else "") +
             ("w," if weights else "") + "p,y,z,c"]
    for i in range(ROWS):
        a, b = i * 5 % 11, "" if mixed and i == 3 else i * i % 7 / 2
        y = 2 * a - i % 3 + 0.5
        level = f"{'uvw'[i * i % 3]}," if mixed else ""
        said = f"the {'cat sat' if i % 2 else 'dog ran'} {i % 4} times here," if texts else ""
        walk = f"{i // 5}," if walks else ""
        weight = f"{1 + i % 3}," if weights else ""
        extra = level + said + walk + weight
        lines.append(f"{a},{b},{extra}{1 + i % 4},{y},{'no' if a < 5 else 'yes'},"
                     f"{'rst'[i * 7 % 3]}")
    return "\n".join(lines) + "\n"


def train(samara, folder):
    failed = 0
    with tempfile.TemporaryDirectory() as place:
        for kind in ("", "mixed", "texts", "walks", "weights", "rates"):
            with open(os.path.join(place, kind + ".csv"), "w") as out:
                out.write(table(kind))
        for name, (sentence, target, kind) in list(SEEDS.items()) + list(STREAMS.items()):
            is_stream = name in STREAMS
            others = [c for c in ("byzc" if kind == "rates" else "pyzc") if c != target]
            command = [samara, "stream" if is_stream else "train", sentence,
                       os.path.join(place, kind + ".csv"), "-q", "--ignore", ",".join(others),
                       "-o", os.path.join(folder, name)]
            command += ["--type", "t=text"] if kind == "texts" else []
            command += ["--sequence", "q"] if kind == "walks" else []
            command += ["--weight", "w"] if kind == "weights" else []
            command += ["--user", "a", "--item", "p"] if kind == "rates" else []
            command += ["--target", target] if target else []
            is_number = target == "y" and kind != "rates"
            command += ["--task", "regress"] if is_number and not is_stream else []
            failed += run(name, command)
    return failed


def run(name, command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        print(f"{name}: {done.stdout.strip()}\n    {' '.join(command)}")
    return done.returncode != 0


def header_of(path):
    """The header of a safetensors file; empty for others."""
    with open(path, "rb") as file:
        head = file.read(8)
        if len(head) < 8:
            return {}
        try:
            header = json.loads(file.read(min(struct.unpack("<Q", head)[0], 1 << 20)))
        except (ValueError, UnicodeDecodeError):
            return {}
    return header if isinstance(header, dict) else {}


def words_of(path):
    """The words of a model's sentence, or none."""
    meta = header_of(path).get("__metadata__")
    return set(re.findall(r"[a-z_]+", meta.get("spec", ""))) if isinstance(meta, dict) else set()


def structure_of(path):
    """What a file is made of: all but numbers, and what follows from these."""
    header = header_of(path)
    meta = header.pop("__metadata__", {})
    tensors = {name: (t.get("dtype"), len(t.get("shape", ()))) for name, t in header.items()}
    return words_of(path), meta.get("format"), meta.get("versions"), sorted(meta), tensors


def check(samara, folder):
    """How many learners and seeds are missing or stale."""
    listed = json.loads(subprocess.run([samara, "list", "--json"], stdout=subprocess.PIPE,
                                       check=True).stdout)
    names = {row["name"] for row in listed["learners"]}
    files = sorted(os.listdir(folder))
    held = set().union(*(words_of(os.path.join(folder, f)) for f in files))
    wrong = [f"no file of {folder} holds {name}: give it a line in SEEDS"
             for name in sorted(names - held)]
    with tempfile.TemporaryDirectory() as place:
        failed = train(samara, place)
        for name in sorted(set(SEEDS) | set(STREAMS)):
            made, kept = os.path.join(place, name), os.path.join(folder, name)
            if not os.path.exists(kept):
                wrong.append(f"{kept} is not there: tools/fuzz_seeds.py makes it")
            elif os.path.exists(made) and structure_of(made) != structure_of(kept):
                wrong.append(f"{kept} is not what is written today: tools/fuzz_seeds.py renews it")
    for line in wrong:
        print("fuzz_seeds: " + line)
    return failed + len(wrong)


def main():
    arguments = [a for a in sys.argv[1:] if a != "--check"]
    if len(arguments) != 2:
        sys.exit(__doc__)
    sys.exit(1 if (check if "--check" in sys.argv else train)(*arguments) else 0)


if __name__ == "__main__":
    main()
