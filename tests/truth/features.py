#!/usr/bin/env python3
"""standardize, impute, onehot, poly, words and select."""
import numpy as np
import sklearn
from scipy import stats
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.feature_selection import f_classif, f_regression
from sklearn.impute import SimpleImputer
from sklearn.linear_model import Lasso
from sklearn.preprocessing import OneHotEncoder, PolynomialFeatures, StandardScaler

from truth import (PATIENTS, TRANSFORM, Header, coded, filled, no_patients, no_wines, number,
                   numbers, patients, read, scaled, weights, wines, WINES)

h = Header("Transforms.", f"scikit-learn {sklearn.__version__}, numpy {np.__version__}")

# ---- standardize

rng = np.random.RandomState(7)
X = np.round(rng.randn(7, 3) * [1, 20, .003] + [5, -300, 1000], 6)
W = np.array([1.0, 3, 2, 1, 4, 1, 2])
gaps = X.copy()
gaps[0, 1] = gaps[3, 0] = gaps[3, 1] = np.nan
h.array("standardize_x", X, "Seven rows: round(randn(7, 3) * [1, 20, .003] + [5, -300, 1000], 6), "
        "seed 7", 0)
h.array("standardize_w", W, "Their weights", 0)
h.array("standardize_z", StandardScaler().fit_transform(X), "StandardScaler().fit_transform", 1e-9)
h.array("standardize_weighted", StandardScaler().fit(X, sample_weight=W).transform(X),
        "The same with sample_weight", 1e-9)
h.array("standardize_gaps", gaps, "With three gaps", 0)
h.array("standardize_of_gaps", StandardScaler().fit_transform(gaps), "StandardScaler of these",
        1e-9)
for way in {}, {"weighted": True}:
    P, y = patients()
    w = weights(len(y)) if way else None
    table = read(PATIENTS)
    level = {c: float(k) for k, c in enumerate(sorted(set(table["ward"]) - {""}))}
    ward = np.array([level.get(c, np.nan) for c in table["ward"]])
    glucose = number(table["glucose"])[:, None]
    h.answers("standardize", PATIENTS, None, TRANSFORM,
              np.column_stack([scaled(P, w), ward, scaled(glucose, w)]), 1e-12, every=17,
              ignore=no_patients(None, mixed=True, **way), **way)
    h.answers("impute | onehot | standardize", PATIENTS, None, TRANSFORM,
              np.column_stack([scaled(P, w), scaled(coded(table["ward"]), w),
                               scaled(filled(glucose[:, 0], w)[:, None], w)]), 1e-12, every=17,
              ignore=no_patients(None, mixed=True, **way), **way)

# ---- impute

nan = np.nan
M = np.array([[1, 2.5, nan], [nan, 2.5, 7], [4, nan, 7], [2, -1, 3], [nan, 8, nan], [4, 0.25, 3],
              [9, nan, nan]])
W = np.array([1, 2, 3, 1, 1, 2, 1])
rows = []
for words, strategy in [("impute mean", "mean"), ("impute median", "median"),
                        ("impute frequent", "most_frequent"),
                        ("impute constant value=-1.5", "constant")]:
    fills = [SimpleImputer(strategy=strategy, fill_value=-1.5).fit(D).statistics_
             for D in (M, np.repeat(M, W, axis=0))]
    rows.append((words, *fills))
h.array("impute_rows", M, "Seven rows with gaps", 0)
h.array("impute_weights", W.astype(float), "Their weights", 0)
h.records("impute_fills", "const char *sentence; double fill[3], weighted[3];", rows,
          "SimpleImputer(strategy).statistics_, of the rows and of the rows repeated", 1e-14)

# ---- onehot

colours = ("red blue red violet green blue red amber green violet blue red").split()
rows = []
for words, encoder in [("onehot", OneHotEncoder()), ("onehot 5", OneHotEncoder()),
                       ("onehot drop=first", OneHotEncoder(drop="first")),
                       ("onehot 2", OneHotEncoder(max_categories=3))]:
    bits = encoder.fit_transform(np.array(colours)[:, None]).toarray()
    names = [n.replace("c_infrequent_sklearn", "c=other").replace("c_", "c=")
             for n in encoder.get_feature_names_out(["c"])]
    rows.append((words, bits.shape[1], names + [None] * (5 - len(names)),
                 ["".join(f"{b:g}" for b in row) for row in bits]))
h.array("onehot_colours", colours, "A category of five levels", kind="char *const")
h.records("onehot_codes", "const char *sentence; int64_t width; const char *names[5], *bits[12];",
          rows, "OneHotEncoder(), (drop='first'), (max_categories=3): features, and what each row "
          "gets; infrequent_sklearn is 'other' here")

# ---- poly

P = np.array([[0.463, -1.161, 6.087, -0.136], [-4.352, -1.216, -6.865, 3.148]])
h.array("poly_rows", P, "Two rows of four features", 0)
for name, words, only in ("poly_cubic", "degree 3", False), ("poly_products", "products", True):
    poly = PolynomialFeatures(3, interaction_only=only, include_bias=False)
    h.array(name, poly.fit_transform(P), f"PolynomialFeatures(3, interaction_only={only})", 1e-15)
    names = [n.replace(" ", "*") for n in poly.get_feature_names_out(list("abcd"))]
    h.array(name + "_names", names, "Their names", kind="char *const")
X, _ = numbers("data/diabetes.csv", "progression")
h.answers("poly 2", "data/diabetes.csv", None, TRANSFORM,
          PolynomialFeatures(2, include_bias=False).fit_transform(
              np.column_stack([X, number(read("data/diabetes.csv")["progression"])])), 1e-15,
          every=97)

# ---- words

PATTERN = r"[^\W_]+(?:'[^\W_]+)*"
texts = ["The cat sat on the mat.", "The dog didn't sit; the cat did!", "",
         "A dog, a cat & a bird: the bird flew.", "Mat, mat, MAT"]
h.array("words_texts", texts, "Five texts", kind="char *const")
for name, vectorizer in [
        ("counts", CountVectorizer(token_pattern=PATTERN)),
        ("tfidf", TfidfVectorizer(token_pattern=PATTERN)),
        ("tfidf_l1", TfidfVectorizer(token_pattern=PATTERN, norm="l1")),
        ("pairs", CountVectorizer(token_pattern=PATTERN, ngram_range=(1, 2), min_df=2, max_df=0.6)),
        ("most", CountVectorizer(token_pattern=PATTERN, ngram_range=(2, 3), max_features=2))]:
    values = vectorizer.fit_transform(texts).toarray()
    h.array("words_" + name, values.astype(float), repr(vectorizer).replace("*/", "* /"), 1e-14)
    if name in ("counts", "pairs", "most"):
        h.array("words_" + name + "_names", vectorizer.get_feature_names_out().tolist(),
                "Their words", kind="char *const")
messages = read("data/messages.csv")["text"]
for words, vectorizer in [
        ("words text min_count=3", CountVectorizer(token_pattern=PATTERN, min_df=3)),
        ("words text weight=tfidf min_count=3", TfidfVectorizer(token_pattern=PATTERN, min_df=3))]:
    h.answers(words, "data/messages.csv", None, TRANSFORM,
              vectorizer.fit_transform(messages).toarray(), 1e-14, every=11, ignore=["topic"])

# ---- select

i, j = np.arange(23)[:, None], np.arange(5)[None]
X = np.sin(1.7 * i + 2.3 * j + 0.13 * i * j) * (1 + j) + 0.5 * j
y = 0.9 * X[:, 1] - 0.6 * X[:, 3] + 1.4 * np.cos(2.9 * np.arange(23))
label = ((np.arange(23) * 7 % 5 + (y > 0.3)) / 2).astype(int)
h.array("select_r", [abs(np.corrcoef(x, y)[0, 1]) for x in X.T],
        "|r| of the features of test_select.c and y", 1e-12)
h.array("select_p", f_regression(X, y)[1], "f_regression: p", 1e-11)
h.array("select_f", f_classif(X, label)[0], "f_classif: F", 1e-11)
h.array("select_f_p", f_classif(X, label)[1], "f_classif: p", 1e-11)
rows = []
for l1 in 2, 8, 20:
    coef = Lasso(alpha=l1 / 23, tol=1e-14).fit(StandardScaler().fit_transform(X), y).coef_
    rows.append((f"select l1 l1={l1}", " ".join(n for n, c in zip("abcde", coef) if c)))
h.records("select_lasso", "const char *sentence, *kept;", rows,
          "Lasso(alpha=l1/23) of StandardScaler: what is not 0")
i = np.arange(40)
told = ((i * 7 % 4 == 2) | (i % 9 == 0)).astype(int)
count = np.array([[((i * 7 % 4 == c) & (told == k)).sum() for k in (0, 1)] for c in (0, 1, 2)])
h.number("select_v", np.sqrt(stats.chi2_contingency(count, correction=False)[0] / count.sum()),
         "Cramer's V of the colours and classes of test_select.c", 1e-12)
P, y = patients()
best = np.argsort(-f_regression(P, y)[0], kind="stable")[:4]
h.answers("select k=4", PATIENTS, "progression", TRANSFORM, P[:, sorted(best)], 1e-15, every=17,
          ignore=no_patients())
V, c = wines()
best = np.argsort(-f_classif(V, c)[0], kind="stable")[:5]
h.answers("select k=5", WINES, "cultivar", TRANSFORM, V[:, sorted(best)], 1e-15, every=11,
          ignore=no_wines())
h.end()
