#!/usr/bin/env python3
"""Draws the pictures of the documentation, docs/pictures/*.svg and quantize-*.png, with samara and
the tables and the picture of data/.

    tools/gen_pictures.py BUILD            write them
    tools/gen_pictures.py BUILD --check    fail, in TAP, where a picture differs from what it draws
    ... --check --sanitized                the same, without those that a sanitizer makes too long

The pictures are committed; a test runs --check, so that they show what samara draws now.  Of a PNG
the pixels are compared: its bytes depend on the version of zlib.
"""
import argparse
import csv
import json
import os
import struct
import subprocess
import sys
import tempfile
import zlib

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PICTURES = os.path.join("docs", "pictures")

# the words of a call -> the figures that are drawn of its result, by the name of their file
CALLS = [
    (["train", "standardize | knn 15", "data/breast_cancer.csv", "--target", "diagnosis",
      "-o", "MODEL"], {"roc": "roc", "calibration": "calibration", "threshold": "threshold"}),
    (["explain", "importance", "MODEL", "data/breast_cancer.csv", "--columns",
      "worst_texture,mean_texture,worst_radius,mean_radius,worst_area,mean_area,mean_symmetry"],
     {"importance": "importance"}),
    (["train", "standardize | knn 5", "data/digits.csv", "--target", "digit"],
     {"confusion": "confusion"}),
    (["train", "knn 15", "data/iris.csv", "--target", "species", "-o", "MODEL"], {}),
    (["explain", "regions", "MODEL", "data/iris.csv", "--columns", "petal_length,petal_width"],
     {"regions": "regions"}),
    (["explain", "dependence", "MODEL", "data/iris.csv", "--columns", "petal_length"],
     {"dependence": "dependence"}),
    (["describe", "data/diabetes.csv", "--target", "progression"],
     {"distribution-progression": "distribution"}),
    (["curve", "validation", "standardize | knn", "data/breast_cancer.csv", "--target",
      "diagnosis", "--over", "knn.k=1,2,3,5,9,15,25,51,101"], {"validation": "validation"}),
    (["describe", "data/iris.csv", "--target", "species"], {"correlations": "correlations"}),
    (["estimate", "data/iris.csv", "sepal_length"],
     {"posterior-sepal_length": "estimate-posterior", "fit-sepal_length": "estimate-fit"}),
    (["estimate", "data/coin.csv", "coin", "--prior", "beta 2 2"],
     {"likelihood-coin": "estimate-likelihood", "posterior-coin": "estimate-coin"}),
    (["kernel", "check", "data/iris.csv", "--kernel", "rbf(gamma=0.5)", "--target", "species"],
     {"kernel": "kernel"}),
    (["belief", "query", "data/networks/asia.txt", "P(* | smoke=yes, xray=yes)"],
     {"graph": "bayesnet-asia"}),
    (["curve", "elbow", "kmeans", "data/iris.csv", "--ignore", "species", "--over", "k=1..8"],
     {"elbow": "elbow", "silhouette": "elbow-silhouette"}),
    (["make", "blobs", "n=300", "d=2", "classes=5", "spread=8", "--seed", "11", "-o", "TABLE"], {}),
    (["curve", "elbow", "kmeans start=random starts=1", "TABLE", "--ignore", "y", "--over",
      "k=2..10", "--seed", "1"], {"elbow": "n2-random-1"}),
    (["curve", "elbow", "kmeans start=random starts=1", "TABLE", "--ignore", "y", "--over",
      "k=2..10", "--seed", "2"], {"elbow": "n2-random-2"}),
    (["curve", "elbow", "kmeans start=farthest starts=1", "TABLE", "--ignore", "y", "--over",
      "k=2..10", "--seed", "1"], {"elbow": "n2-farthest-1"}),
    (["curve", "elbow", "kmeans start=farthest starts=1", "TABLE", "--ignore", "y", "--over",
      "k=2..10", "--seed", "2"], {"elbow": "n2-farthest-2"}),
    (["curve", "elbow", "kmeans starts=10 moves=20", "TABLE", "--ignore", "y", "--over", "k=2..10"],
     {"elbow": "n2-best"}),
    (["train", "kmeans 3", "data/iris.csv", "--ignore", "species", "-o", "MODEL"], {}),
    (["inspect", "MODEL"], {"clusters": "kmeans-iris", "sizes": "kmeans-sizes"}),
    (["train", "agglomerate 3", "data/iris.csv", "--ignore", "species", "-o", "MODEL"], {}),
    (["inspect", "MODEL"], {"dendrogram": "agglomerate-dendrogram",
                            "heights": "agglomerate-heights"}),
    (["make", "moons", "n=600", "noise=0.08", "--seed", "2", "-o", "TABLE"], {}),
    (["train", "dbscan 0.15", "TABLE", "--ignore", "y", "-o", "MODEL"], {}),
    (["inspect", "MODEL"], {"clusters": "dbscan-moons",
                            "neighbour_distances": "dbscan-distances"}),
    (["make", "circles", "n=600", "noise=0.06", "--seed", "3", "-o", "TABLE"], {}),
    (["train", "spectral 2", "TABLE", "--ignore", "y", "-o", "MODEL"], {}),
    (["inspect", "MODEL"], {"clusters": "spectral-rings"}),
    (["make", "blobs", "n=600", "d=2", "classes=3", "sd=1.6", "--seed", "4", "-o", "TABLE"], {}),
    (["train", "spectral", "TABLE", "--ignore", "y", "-o", "MODEL"], {}),
    (["inspect", "MODEL"], {"eigenvalues": "spectral-eigenvalues"}),
    (["train", "eigenmap 2", "data/digits.csv", "--ignore", "digit", "-o", "MODEL"], {}),
    (["inspect", "MODEL"], {"map": "eigenmap-digits"}),
    (["graph", "divide", "data/karate.txt", "2 assign=sign"], {"nodes": "graph-karate"}),
    (["make", "moons", "n=400", "noise=0.25", "--seed", "1", "-o", "TABLE"], {}),
    (["train", "knn 1", "TABLE", "--target", "y", "-o", "MODEL"], {}),
    (["explain", "regions", "MODEL", "TABLE", "--columns", "x0,x1"], {"regions": "knn-1"}),
    (["train", "knn 31", "TABLE", "--target", "y", "-o", "MODEL"], {}),
    (["explain", "regions", "MODEL", "TABLE", "--columns", "x0,x1"], {"regions": "knn-31"}),
    (["train", "net () method=lbfgs", "TABLE", "--target", "y", "-o", "MODEL"], {}),
    (["explain", "regions", "MODEL", "TABLE", "--columns", "x0,x1"], {"regions": "net-0"}),
    (["train", "net (dense 8 | tanh) method=lbfgs", "TABLE", "--target", "y", "-o", "MODEL"], {}),
    (["explain", "regions", "MODEL", "TABLE", "--columns", "x0,x1"], {"regions": "net-1"}),
    (["train", "net (dense 8 | tanh | dense 8 | tanh) method=lbfgs", "TABLE", "--target", "y",
      "-o", "MODEL"], {}),
    (["explain", "regions", "MODEL", "TABLE", "--columns", "x0,x1"], {"regions": "net-2"}),
    (["train", "standardize | net (repeat 6 (dense 20 | sigmoid)) epochs=30", "data/wine.csv",
      "--target", "cultivar", "-o", "MODEL"], {}),
    (["inspect", "MODEL"], {"slopes": "net-slopes"}),
    (["train", "standardize | net (dense 40 | relu) patience=15", "data/breast_cancer.csv",
      "--target", "diagnosis", "-o", "MODEL"], {}),
    (["inspect", "MODEL"], {"losses": "net-losses"}),
    (["train", "scale | net (dense 30 | sigmoid) input=8,8 epochs=60 decay=0.001",
      "data/digits.csv", "--target", "digit", "-o", "MODEL"], {}),
    (["inspect", "MODEL"], {"filters": "net-filters"}),
    (["train", "scale | net (conv 8 3 | relu | maxpool 2 | dense 20 | relu) input=8,8 epochs=30",
      "data/digits.csv", "--target", "digit", "-o", "MODEL"], {"mistakes": "net-mistakes"}),
    (["explain", "maps", "MODEL", "data/digits.csv", "--row", "9"],
     {"input": "net-input", "maps-conv1": "net-maps-conv", "maps-relu1": "net-maps-relu",
      "maps-maxpool1": "net-maps-pool"}),
    (["filter", "data/scene.png", "sobel_x", "--grey", "--values", "size"],
     {"filtered": "filter-sobel"}),
    (["filter", "data/scene.png", "sharpen", "--size", "3x64x96"], {"filtered": "filter-sharpen"}),
    (["train", "net (embed 3 4 | gru 8) epochs=60 rate=0.01", "data/rainy_days.csv", "--target",
      "weather", "--sequence", "week", "--time-column", "day", "-o", "MODEL"], {}),
    (["inspect", "MODEL"], {"losses": "net-memory"}),
    (["net", "shapes", "embed 65 16 | lstm 32 direction=both | gru 8 | last", "--input", "50",
      "--outputs", "3"], {"net": "net-sequence"}),
    (["train", "standardize | logistic", "data/iris.csv", "--target", "species", "-o", "MODEL"],
     {}),
    (["inspect", "MODEL"], {"coefficients": "logistic"}),
    (["train", "words | bayes", "data/messages.csv", "--target", "topic", "-o", "MODEL"], {}),
    (["inspect", "MODEL"], {"telling": "bayes-telling"}),
    (["train", "bayes", "data/iris.csv", "--target", "species", "-o", "MODEL"], {}),
    (["inspect", "MODEL"], {"density_2": "bayes-density"}),
    (["train", "density", "data/iris.csv", "--ignore",
      "species,sepal_length,sepal_width,petal_width", "-o", "MODEL"], {}),
    (["inspect", "MODEL"], {"density": "density-curve", "likelihood": "density-likelihood"}),
    (["train", "density", "data/iris.csv", "--ignore", "species,sepal_length,petal_length", "-o",
      "MODEL"], {}),
    (["inspect", "MODEL"], {"density": "density-plane"}),
    (["make", "moons", "n=600", "noise=0.08", "--seed", "2", "-o", "TABLE"], {}),
    (["train", "kmeans 2", "TABLE", "--ignore", "y", "-o", "MODEL"], {}),
    (["inspect", "MODEL"], {"clusters": "shapes-moons-kmeans"}),
    (["train", "spectral 2", "TABLE", "--ignore", "y", "-o", "MODEL"], {}),
    (["inspect", "MODEL"], {"clusters": "shapes-moons-spectral"}),
    (["make", "circles", "n=600", "noise=0.05", "--seed", "2", "-o", "TABLE"], {}),
    (["train", "kmeans 2", "TABLE", "--ignore", "y", "-o", "MODEL"], {}),
    (["inspect", "MODEL"], {"clusters": "shapes-circles-kmeans"}),
    (["train", "spectral 2", "TABLE", "--ignore", "y", "-o", "MODEL"], {}),
    (["inspect", "MODEL"], {"clusters": "shapes-circles-spectral"}),
    (["make", "spirals", "n=600", "noise=0.02", "--seed", "2", "-o", "TABLE"], {}),
    (["train", "kmeans 2", "TABLE", "--ignore", "y", "-o", "MODEL"], {}),
    (["inspect", "MODEL"], {"clusters": "shapes-spirals-kmeans"}),
    (["train", "spectral 2", "TABLE", "--ignore", "y", "-o", "MODEL"], {}),
    (["inspect", "MODEL"], {"clusters": "shapes-spirals-spectral"}),
    (["train", "standardize | pca cv", "data/wine.csv", "--ignore", "cultivar", "-o", "MODEL"], {}),
    (["inspect", "MODEL"], {"scree": "pca-scree", "biplot": "pca-biplot", "tried": "pca-tried"}),
    (["train", "factor 4 l2=0.2", "data/ratings.csv", "--user", "reader", "--item", "book",
      "--target", "stars", "--ignore", "day", "-o", "MODEL"], {}),
    (["inspect", "MODEL"], {"items": "factor-items", "errors": "factor-errors"}),
    (["train", "isolation", "data/breast_cancer.csv", "--target", "diagnosis", "-o", "MODEL"], {}),
    (["inspect", "MODEL"], {"ways": "outliers-ways"}),
    (["evaluate", "MODEL", "data/breast_cancer.csv"],
     {"row_scores": "outliers-isolation", "contingency": "outliers-contingency"}),
    (["train", "standardize | pca 10", "data/breast_cancer.csv", "--target", "diagnosis", "--task",
      "outliers", "-o", "MODEL"], {}),
    (["evaluate", "MODEL", "data/breast_cancer.csv"], {"row_scores": "outliers-pca"}),
    (["train", "gauss", "data/iris.csv", "--target", "species", "--ignore",
      "sepal_length,petal_width", "-o", "MODEL"], {}),
    (["inspect", "MODEL"], {"ellipses": "gauss-ellipses"}),
    (["train", "fisher 2 | gauss shared", "data/wine.csv", "--target", "cultivar", "-o", "MODEL"],
     {}),
    (["explain", "regions", "MODEL", "data/wine.csv", "--columns", "flavanoids,color_intensity"],
     {"regions": "fisher-regions"}),
    (["train", "forest 300", "data/breast_cancer.csv", "--target", "diagnosis", "-o", "MODEL"],
     {}),
    (["inspect", "MODEL"], {"out_of_bag": "forest-bag", "importance": "forest-importance"}),
    (["train", "svm C=10", "data/iris.csv", "--target", "species", "--ignore",
      "sepal_length,sepal_width", "-o", "MODEL"], {}),
    (["explain", "regions", "MODEL", "data/iris.csv", "--columns", "petal_length,petal_width"],
     {"regions": "svm"}),
    (["train", "standardize | svm kernel=rbf", "data/breast_cancer.csv", "--target", "diagnosis",
      "-o", "MODEL"], {}),
    (["inspect", "MODEL"], {"multipliers": "svm-multipliers"}),
    (["train", "standardize | klogistic", "data/iris.csv", "--target", "species", "-o", "MODEL"],
     {}),
    (["inspect", "MODEL"], {"coefficients": "klogistic-rows"}),
    (["train", "softkmeans 3 anneal=1.3", "data/iris.csv", "--ignore", "species", "-o", "MODEL"],
     {}),
    (["inspect", "MODEL"], {"annealing": "softkmeans-annealing"}),
    (["train", "gmm 3", "data/iris.csv", "--ignore", "species", "-o", "MODEL"], {}),
    (["inspect", "MODEL"], {"ellipses": "gmm-ellipses", "likelihood": "gmm-likelihood"}),
    (["train", "gmm", "data/iris.csv", "--ignore", "species", "-o", "MODEL"], {}),
    (["inspect", "MODEL"], {"criterion": "gmm-criterion"}),
    (["make", "blobs", "n=400", "d=2", "classes=1", "sd=3", "centres=0,0", "--seed", "1", "-o",
      "TABLE"], {}),
    (["make", "blobs", "n=200", "d=2", "classes=1", "sd=0.5", "centres=3,1", "--seed", "2", "-o",
      "MORE"], {}),
    (["join"], {}),
    (["train", "kmeans 2", "TABLE", "--ignore", "y", "-o", "MODEL"], {}),
    (["inspect", "MODEL"], {"clusters": "clouds-kmeans"}),
    (["train", "gmm 2", "TABLE", "--ignore", "y", "-o", "MODEL"], {}),
    (["inspect", "MODEL"], {"ellipses": "clouds-gmm"}),
    (["train", "gmm 2", "data/iris.csv", "--ignore", "sepal_length,sepal_width,petal_width,species",
      "-o", "MODEL"], {}),
    (["inspect", "MODEL"], {"mixture": "gmm-density"}),
    (["train", "hmm smoothing=0", "data/rainy_days.csv", "--target", "weather", "--sequence",
      "week", "--time-column", "day", "-o", "MODEL"], {}),
    (["inspect", "MODEL"], {"moves": "hmm-moves", "emissions-1": "hmm-emissions"}),
    (["train", "hmm 3 restarts=1", "data/iris.csv", "--ignore", "sepal_length,sepal_width",
      "--sequence", "species", "-o", "MODEL"], {}),
    (["inspect", "MODEL"], {"likelihood": "hmm-likelihood"}),
    (["train", "tree", "data/iris.csv", "--target", "species", "-o", "MODEL"], {}),
    (["explain", "regions", "MODEL", "data/iris.csv", "--columns", "petal_length,petal_width"],
     {"regions": "tree-regions"}),
    (["train", "tree prune=cost", "data/breast_cancer.csv", "--target", "diagnosis", "-o",
      "MODEL"], {}),
    (["inspect", "MODEL"], {"pruning": "tree-pruning", "importance": "tree-importance"}),
    (["curve", "validation", "standardize | poly 2 | ridge", "data/diabetes.csv", "--target",
      "progression", "--over", "l2=0.01..100000/15"], {"validation": "ridge"}),
    (["train", "standardize | ridge", "data/diabetes.csv", "--target", "progression"],
     {"residuals": "residuals"}),
    (["train", "standardize | ridge path=40", "data/diabetes.csv", "--target", "progression",
      "-o", "MODEL"], {}),
    (["inspect", "MODEL"], {"path": "ridge-path"}),
    (["train", "standardize | lasso one_se=yes", "data/diabetes.csv", "--target", "progression",
      "-o", "MODEL"], {}),
    (["inspect", "MODEL"], {"path": "lasso-path", "cv": "lasso-cv"}),
    (["train", "ridge path=40", "data/stomach.csv", "--target", "upset", "-o", "MODEL"], {}),
    (["inspect", "MODEL"], {"path": "fish-ridge"}),
    (["train", "poly 2 interactions=yes | standardize | lasso one_se=yes", "data/stomach.csv",
      "--target", "upset", "-o", "MODEL"], {}),
    (["inspect", "MODEL"], {"path": "fish-lasso"}),
    (["curve", "training", "standardize | linear solver=gd rule=fixed max_iter=200",
      "data/diabetes.csv", "--target", "progression"], {"training": "gd-fixed"}),
    (["curve", "training", "standardize | linear solver=gd max_iter=200", "data/diabetes.csv",
      "--target", "progression"], {"training": "gd-barzilai"}),
    (["curve", "learning", "standardize | knn 5", "data/digits.csv", "--target", "digit"],
     {"learning": "learning"}),
    (["bias-variance", "knn", "--generator", "friedman", "--over", "k=1,2,3,5,8,12,20,30,45",
      "--samples", "60"], {"trade-off": "trade-off"}),
    (["bias-variance", "knn 1", "--generator", "friedman", "--bag", "20", "--samples", "60"],
     {"bagging": "bagging"}),
    (["compare", "data/wine.csv", "--target", "cultivar", "knn 1", "standardize | knn 1",
      "standardize | knn 15"], {"league": "league"}),
    (["tune", "standardize | knn", "data/diabetes.csv", "--target", "progression", "--over",
      "k=1..60"], {"search_k": "search"}),
    (["train", "calibrate isotonic of=(standardize | knn 15)", "data/breast_cancer.csv",
      "--target", "diagnosis", "-o", "MODEL"], {}),
    (["inspect", "MODEL"], {"calibration_map": "calibration-map"}),
    (["train", "bag 100", "data/breast_cancer.csv", "--target", "diagnosis", "-o", "MODEL"], {}),
    (["inspect", "MODEL"], {"oob_error": "bag-oob"}),
    (["stream", "majority of=(sgd),(perceptron),(standardize | logistic)",
      "data/breast_cancer.csv", "--target", "diagnosis", "-o", "MODEL"], {}),
    (["inspect", "MODEL"], {"mistakes": "majority"}),
    (["make", "sine", "n=200", "--seed", "3", "-o", "TABLE"], {}),
    (["train", "experts 3 l2=0.01 gate_l2=0.01", "TABLE", "--target", "y", "-o", "MODEL"], {}),
    (["inspect", "MODEL"], {"experts": "experts", "gate": "experts-gate",
                            "likelihood": "experts-likelihood"}),
    (["train", "select k=5 | logistic", "data/breast_cancer.csv", "--target", "diagnosis", "-o",
      "MODEL"], {}),
    (["inspect", "MODEL"], {"scores": "select-scores"}),
    (["train", "select forward patience=10 | linear", "data/diabetes.csv", "--target",
      "progression", "-o", "MODEL"], {}),
    (["inspect", "MODEL"], {"search": "select-search"}),
    (["train", "subset", "data/diabetes.csv", "--target", "progression", "-o", "MODEL"], {}),
    (["inspect", "MODEL"], {"sizes": "subset-sizes"}),
    (["train", "words weight=tfidf | logistic", "data/messages.csv", "--target", "topic", "-o",
      "MODEL"], {}),
    (["inspect", "MODEL"], {"weights": "words"}),
    (["make", "blobs", "n=4000", "d=2", "classes=2", "sd=4", "--seed", "1", "-o", "TABLE"], {}),
    (["make", "blobs", "n=4000", "d=2", "classes=2", "sd=4", "--seed", "5", "-o", "MORE"], {}),
    (["join"], {}),
    (["stream", "standardize | sgd logistic", "TABLE", "--target", "y", "--window", "500"],
     {"progressive": "stream"}),
    (["loss"], {"margins": "loss-margins", "residuals": "loss-residuals"}),
    (["loss", "huber", "logistic"], {"huber": "loss-huber", "logistic": "loss-logistic"}),
    (["curve", "training", "standardize | sgd schedule=constant passes=40 patience=40",
      "data/breast_cancer.csv", "--target", "diagnosis"], {"training": "sgd-constant"}),
    (["curve", "training", "standardize | sgd schedule=per_step passes=40 patience=40",
      "data/breast_cancer.csv", "--target", "diagnosis"], {"training": "sgd-per-step"}),
    (["curve", "validation", "standardize | sgd passes=20 patience=20", "data/digits.csv",
      "--target", "digit", "--over",
      "schedule=constant,per_step,root,inverse,step,cosine,adaptive"],
     {"validation": "sgd-schedules"}),
    (["train", "standardize | sgd schedule=root watch=yes passes=40 patience=40",
      "data/breast_cancer.csv", "--target", "diagnosis", "-o", "MODEL"], {}),
    (["inspect", "MODEL"], {"gradient_variance": "sgd-variance"}),
    (["train", "standardize | perceptron plain max_iter=60", "data/breast_cancer.csv", "--target",
      "diagnosis", "-o", "MODEL"], {}),
    (["inspect", "MODEL"], {"mistakes": "perceptron-mistakes"}),
    (["train", "adaboost 200", "data/breast_cancer.csv", "--target", "diagnosis", "-o", "MODEL"],
     {}),
    (["inspect", "MODEL"], {"boosting": "adaboost-bound", "margins": "adaboost-margins"}),
    (["curve", "rounds", "adaboost 200", "data/breast_cancer.csv", "--target", "diagnosis"],
     {"rounds": "adaboost-rounds"}),
    (["train", "boost 300 patience=20", "data/breast_cancer.csv", "--target", "diagnosis", "-o",
      "MODEL"], {}),
    (["inspect", "MODEL"], {"rounds": "boost-rounds", "importance": "boost-importance"}),
    (["train", "tree max_depth=3", "data/iris.csv", "--target", "species", "-o", "MODEL"], {}),
    (["inspect", "MODEL"], {"tree": "tree-classes"}),
    (["train", "tree max_depth=3", "data/diabetes.csv", "--target", "progression", "-o", "MODEL"],
     {}),
    (["inspect", "MODEL"], {"tree": "tree-values"}),
    (["train", "boost 50 rate=0.2", "data/diabetes.csv", "--target", "progression", "-o",
      "MODEL"], {}),
    (["explain", "path", "MODEL", "data/diabetes.csv", "--row", "5"],
     {"contributions": "tree-contributions"}),
    (["explain", "shapley", "MODEL", "data/diabetes.csv"], {"shapley": "shapley"}),
    # docs/trace.md
    (["make", "blobs", "n=60", "d=2", "classes=2", "sd=4", "--seed", "3", "-o", "TABLE"], {}),
    (["trace", "perceptron plain", "TABLE", "--target", "y"],
     {"step-14-line": "trace-perceptron"}),
    (["trace", "standardize | logistic 1 solver=gd", "TABLE", "--target", "y"],
     {"step-8-descent": "trace-descent"}),
    (["trace", "standardize | knn 5", "data/iris.csv", "--target", "species", "--row", "71"],
     {"step-5-distances": "trace-neighbours"}),
    # docs/transforms.md
    (["train", "ridge", "data/breast_cancer.csv", "--target", "area_error", "--ignore",
      "diagnosis"], {"residuals": "target-as-is"}),
    (["train", "columns target=log | ridge", "data/breast_cancer.csv", "--target", "area_error",
      "--ignore", "diagnosis"], {"residuals": "target-log"}),
    # docs/tutorial.md
    (["compare", "data/breast_cancer.csv", "--target", "diagnosis", "standardize | logistic",
      "standardize | knn 9", "tree", "forest"], {"league": "tutorial-league"}),
    (["curve", "learning", "standardize | logistic", "data/breast_cancer.csv", "--target",
      "diagnosis"], {"learning": "tutorial-learning"}),
    (["curve", "threshold", "standardize | logistic", "data/breast_cancer.csv", "--target",
      "diagnosis"], {"threshold": "tutorial-threshold"}),
    (["train", "standardize | logistic", "data/breast_cancer.csv", "--target", "diagnosis",
      "--seed", "1", "--threshold", "cost=1:20", "-o", "MODEL"],
     {"calibration": "tutorial-calibration"}),
    (["explain", "importance", "MODEL", "data/breast_cancer.csv"],
     {"importance": "tutorial-importance"}),
]

# drawn by commands that transcripts run on less: a build with a sanitizer skips them
LONG = {"trade-off", "bagging", "sgd-schedules", "adaboost-rounds", "learning"}

# lines of several linear models over the rows of a table with one feature, ascending: name of the
# file, table, target, sentences
LINES = [
    ("robust", "data/phones.csv", "calls", ["linear", "huber", "lad"]),
]

# histograms of a column after each of some transforms: table, column, and name of the file and
# sentence of each
HISTOGRAMS = ("data/breast_cancer.csv", "area_error", [
    ("transform-before", "impute"), ("transform-log", "log"), ("transform-power", "power"),
    ("transform-ranks", "ranks")])

# docs/quantize.md: settings, name of the picture, name of the palette
QUANTIZED = [
    (["-k", "8"], "quantize-8", "quantize-palette"),
    (["-k", "8", "--dither"], "quantize-8-dithered", None),
    (["-k", "8", "--space", "lab"], "quantize-8-lab", None),
    (["--block", "4x4", "-k", "64"], "quantize-blocks", "quantize-book"),
]


def call(command):
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stdout.decode()}")


def draw_lines(samara, folder):
    """Fits, predicts and draws each of LINES.  Returns their names."""
    for name, path, target, sentences in LINES:
        model, answers = os.path.join(folder, "model.smr"), os.path.join(folder, "answers.csv")
        with open(os.path.join(ROOT, path), newline="") as f:
            rows = [{k: float(v) for k, v in row.items()} for row in csv.DictReader(f)]
        feature = next(k for k in rows[0] if k != target)
        x = [row[feature] for row in rows]
        series = [{"name": "rows", "kind": "points", "x": x, "y": [row[target] for row in rows]}]
        for sentence in sentences:
            call([samara, "train", sentence, path, "--target", target, "--holdout", "0", "-o",
                  model, "--quiet"])
            call([samara, "predict", model, path, "-o", answers, "--quiet"])
            with open(answers, newline="") as f:
                y = [float(row[-1]) for row in list(csv.reader(f))[1:]]
            series.append({"name": sentence, "kind": "line", "x": [x[0], x[-1]],
                           "y": [y[0], y[-1]]})
        figure = {"name": name, "title": ", ".join(sentences), "series": series,
                  "x": {"label": feature, "scale": "linear"},
                  "y": {"label": target, "scale": "linear"}}
        result = os.path.join(folder, "lines.json")
        with open(result, "w") as f:
            json.dump({"command": "train", "figures": [figure]}, f)
        call([samara, "plot", result, "--plot",
              f"{name}={os.path.join(folder, name + '.svg')}", "--quiet"])
    return [name for name, *_ in LINES]


def draw_histograms(samara, folder):
    """What HISTOGRAMS says; impute leaves a column without gaps as it is.  Returns the names."""
    table, column, list_ = HISTOGRAMS
    model, answers = os.path.join(folder, "model.smr"), os.path.join(folder, "answers.csv")
    for name, sentence in list_:
        call([samara, "train", sentence, table, "-o", model, "--quiet"])
        call([samara, "predict", model, table, "-o", answers, "--quiet"])
        with open(answers, newline="") as f:
            x = sorted(float(row[column]) for row in csv.DictReader(f))
        n = 24
        width = (x[-1] - x[0]) / n
        edges = [x[0] + width * k for k in range(n)] + [x[-1]]
        height = [0] * n
        for v in x:
            height[min(n - 1, int((v - x[0]) / width))] += 1
        figure = {"name": name, "title": sentence if sentence != "impute" else "as it is",
                  "series": [{"name": "rows", "kind": "step", "x": edges,
                              "y": height + height[-1:]}],
                  "x": {"label": column, "scale": "linear"},
                  "y": {"label": "rows", "scale": "linear", "min": 0}}
        result = os.path.join(folder, "histogram.json")
        with open(result, "w") as f:
            json.dump({"command": "train", "figures": [figure]}, f)
        call([samara, "plot", result, "--plot",
              f"{name}={os.path.join(folder, name + '.svg')}", "--quiet"])
    return [name for name, _ in list_]


def draw_quantized(samara, folder):
    """What QUANTIZED says.  Returns the names."""
    names = []
    for settings, name, palette in QUANTIZED:
        words = [samara, "quantize", "data/scene.png", *settings, "--quiet"]
        for option, file in (("-o", name), ("--palette", palette)):
            if file:
                words += [option, os.path.join(folder, file + ".png")]
                names.append(file)
        call(words)
    return names


def draw(samara, folder, sanitized):
    """Calls samara; every picture goes into the folder.  Returns their names."""
    names = []
    for number, (words, figures) in enumerate(CALLS):
        if sanitized and LONG & set(figures.values()):
            names += figures.values()
            continue
        made = {"MODEL": os.path.join(folder, "model.smr"),
                "TABLE": os.path.join(folder, "table.csv"),
                "MORE": os.path.join(folder, "more.csv")}
        if words == ["join"]: # the rows of MORE after those of TABLE
            with open(made["MORE"]) as more, open(made["TABLE"], "a") as table:
                table.writelines(more.readlines()[1:])
            continue
        command = [samara] + [made.get(w, w) for w in words] + ["--quiet"]
        for figure, name in figures.items():
            command += ["--plot", f"{figure}={os.path.join(folder, name + '.svg')}"]
            names.append(name)
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode != 0:
            sys.exit(f"call {number}: {' '.join(command)}\n{done.stdout.decode()}")
    return names


def read(path):
    if not os.path.exists(path):
        return None
    with open(path, "rb") as f:
        return f.read()


def unfiltered(kind, row, above, step):
    """A row of a PNG without its filter, given the row above."""
    out = bytearray(row)
    for i, value in enumerate(row):
        a, b, c = (out[i - step] if i >= step else 0, above[i],
                   above[i - step] if i >= step else 0)
        nearest = min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2]
        out[i] = value + (0, a, b, (a + b) // 2, nearest)[kind] & 255
    return bytes(out)


def pixels(data):
    """Width, height and red, green and blue of each pixel of a PNG without gaps between its rows,
    of 8 bits or a palette of 1 to 8 bits; None where there is no file."""
    if data is None:
        return None
    at, packed, palette = 8, b"", b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        at += 12 + length
        if kind == b"IHDR":
            width, height, bits, colour, _, _, interlaced = struct.unpack(">IIBBBBB", body)
        palette = body if kind == b"PLTE" else palette
        packed += body if kind == b"IDAT" else b""
    channels = {0: 1, 2: 3, 3: 1}[colour]
    assert not interlaced and (bits == 8 or colour == 3)
    rows = zlib.decompress(packed)
    stride = (width * channels * bits + 7) // 8
    assert len(rows) == height * (stride + 1)
    out, above = [], bytes(stride)
    for y in range(height):
        row = rows[y * (stride + 1):(y + 1) * (stride + 1)]
        above = unfiltered(row[0], row[1:], above, max(1, channels * bits // 8))
        for x in range(width):
            if colour == 2:
                out.append(above[3 * x:3 * x + 3])
                continue
            value = above[x * bits // 8] >> (8 - bits - x * bits % 8) & ((1 << bits) - 1)
            out.append(palette[3 * value:3 * value + 3] if colour == 3 else bytes([value] * 3))
    return width, height, b"".join(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--sanitized", action="store_true")
    options = parser.parse_args()
    samara = os.path.abspath(os.path.join(options.build, "samara"))
    failed = 0
    with tempfile.TemporaryDirectory(prefix="samara-pictures-") as folder:
        names = [name + ".svg" for name in draw(samara, folder, options.sanitized) +
                 draw_lines(samara, folder) + draw_histograms(samara, folder)]
        names += [name + ".png" for name in draw_quantized(samara, folder)]
        for count, name in enumerate(names, 1):
            new = read(os.path.join(folder, name))
            path = os.path.join(ROOT, PICTURES, name)
            old = read(path)
            same = pixels(old) == pixels(new) if name.endswith(".png") else old == new
            if options.sanitized and name[:-4] in LONG:
                print(f"ok {count} - {PICTURES}/{name} # SKIP too long under a sanitizer")
            elif options.check:
                failed += not same
                print(f"{'ok' if same else 'not ok'} {count} - {PICTURES}/{name} is what "
                      "tools/gen_pictures.py draws")
            elif not same:
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "wb") as f:
                    f.write(new)
        scene = pixels(read(os.path.join(ROOT, "data", "scene.png")))
        if options.check:
            same = pixels(read(os.path.join(ROOT, PICTURES, "quantize-scene.png"))) == scene
            failed += not same
            names.append("quantize-scene.png")
            print(f"{'ok' if same else 'not ok'} {len(names)} - {PICTURES}/quantize-scene.png is "
                  "data/scene.png")
    if options.check:
        print(f"1..{len(names)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
