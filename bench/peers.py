"""The peers' side: one piece of work in one process, one JSON line, as bench/*.c print it.

    peers.py NAME --data FILE [--test FILE] [--predictions FILE] [--threads N] ...

Data is loaded into the form that the peer likes best before the clock starts, as samara's programs
have theirs read; each peer runs at its documented best setting with the same number of threads.
"""
import json
import os
import statistics

import numpy as np

import peers_clusters
import peers_graphical
from peer_parts import memory, one_row, options, say, say_fit, table, timed


def pandas_csv():
    import pandas
    seconds, frame = timed(lambda: pandas.read_csv(options.data, engine="c"))
    peak = memory("VmHWM")
    values = frame.to_numpy()
    say({"read": seconds}, pandas.__version__, rows=len(frame), columns=frame.shape[1],
        numbers=int(values.size), sum=float(values.sum()), peak_memory_bytes=peak)


def _say_columns(seconds, version, columns):
    """Of typed columns that lie in memory: arrays, each of one column or piece of one."""
    peak = memory("VmHWM")
    values = [np.asarray(x, np.float64) for x in columns]
    return {"seconds": {"read": seconds}, "version": version, "peak_memory_bytes": peak,
            "numbers": int(sum(x.size for x in values)),
            "sum": float(sum(x.sum() for x in values))}


def polars_csv():
    """Its types are those of the first rows, where samara looks at all."""
    import polars
    seconds, frame = timed(lambda: polars.read_csv(options.data))
    answer = _say_columns(seconds, polars.__version__, (c.to_numpy() for c in frame.get_columns()))
    print(json.dumps({**answer, "rows": frame.height, "columns": frame.width}))


def pyarrow_csv():
    import pyarrow
    from pyarrow import csv
    pyarrow.set_cpu_count(options.threads)
    seconds, frame = timed(lambda: csv.read_csv(options.data))
    answer = _say_columns(seconds, pyarrow.__version__, (c.to_numpy() for c in frame.columns))
    print(json.dumps({**answer, "rows": frame.num_rows, "columns": frame.num_columns}))


def duckdb_csv():
    """Into a table of its own in memory."""
    import duckdb
    base = duckdb.connect(config={"threads": options.threads})
    name = options.data.replace("'", "''")
    seconds, _ = timed(lambda: base.execute(
        f"create table t as select * from read_csv('{name}')"))
    columns = base.sql("select * from t").fetchnumpy()
    answer = _say_columns(seconds, duckdb.__version__, columns.values())
    rows = base.sql("select count(*) from t").fetchall()[0][0]
    print(json.dumps({**answer, "rows": rows, "columns": len(columns)}))


def sklearn_libsvm():
    import sklearn
    from sklearn.datasets import load_svmlight_file
    seconds, (X, y) = timed(lambda: load_svmlight_file(options.data))
    say({"read": seconds}, sklearn.__version__, rows=X.shape[0], columns=X.shape[1] + 1,
        numbers=int(X.nnz + len(y)), sum=float(X.data.sum() + y.sum()))


def sklearn_knn():
    import sklearn
    from sklearn.neighbors import KNeighborsClassifier
    X, y = table(options.data, options.dtype)
    Xt, _ = table(options.test, options.dtype)
    model = KNeighborsClassifier(5, algorithm="brute", n_jobs=options.threads)
    before = memory("VmRSS")
    fit, _ = timed(lambda: model.fit(X, y.astype(int)))
    predict, answer = timed(lambda: model.predict(Xt))
    say_fit({"fit": fit, "predict": predict, "row": one_row(model.predict, Xt)},
            sklearn.__version__, answer, rss_before_fit_bytes=before)


def _bayes(make, X, y, Xt):
    import sklearn
    before = memory("VmRSS")
    model = make()
    fit, _ = timed(lambda: model.fit(X, y))
    predict, answer = timed(lambda: model.predict(Xt))
    say_fit({"fit": fit, "predict": predict, "row": one_row(model.predict, Xt)},
            sklearn.__version__, answer, rss_before_fit_bytes=before)


def sklearn_gaussian_nb():
    from sklearn.naive_bayes import GaussianNB
    X, y = table(options.data, np.float64)
    _bayes(GaussianNB, X, y.astype(int), X)


def sklearn_qda():
    from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
    X, y = table(options.data, np.float64)
    _bayes(QuadraticDiscriminantAnalysis, X, y.astype(int), X)


def sklearn_lda():
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    X, y = table(options.data, np.float64)
    _bayes(LinearDiscriminantAnalysis, X, y.astype(int), X)


def sklearn_multinomial_nb():
    from sklearn.datasets import load_svmlight_file
    from sklearn.naive_bayes import MultinomialNB
    X, y = load_svmlight_file(options.data)
    _bayes(MultinomialNB, X, y.astype(int), X)


def sklearn_density():
    """The tree, leaves and breadth that are fastest here; queries are cut for the threads."""
    import sklearn
    from joblib import Parallel, delayed
    from sklearn.neighbors import KernelDensity
    X, Xt = np.load(options.data), np.load(options.test)
    before = memory("VmRSS")
    model = KernelDensity(bandwidth=0.4, rtol=options.eps, atol=0, algorithm="kd_tree",
                          leaf_size=40, breadth_first=True)
    fit, _ = timed(lambda: model.fit(X))
    parts = np.array_split(Xt, 8 * options.threads)
    with Parallel(options.threads) as pool:
        pool(delayed(model.score_samples)(p[:2]) for p in parts)  # programs have begun
        predict, answer = timed(lambda: np.concatenate(
            pool(delayed(model.score_samples)(p) for p in parts)))
    say_fit({"fit": fit, "predict": predict}, sklearn.__version__, answer,
            rss_before_fit_bytes=before)


def faiss_flat():
    import faiss
    faiss.omp_set_num_threads(options.threads)
    X, y = table(options.data, np.float32)
    Xt, _ = table(options.test, np.float32)
    y = y.astype(int)
    before = memory("VmRSS")
    index = faiss.IndexFlatL2(X.shape[1])
    fit, _ = timed(lambda: index.add(X))
    predict, (_, near) = timed(lambda: index.search(Xt, 5))
    answer = [np.bincount(votes, minlength=10).argmax() for votes in y[near]]
    say_fit({"fit": fit, "predict": predict, "row": one_row(lambda x: index.search(x, 5), Xt)},
            faiss.__version__, answer, rss_before_fit_bytes=before)


def scipy_tree():
    import scipy
    from scipy.spatial import cKDTree
    X, y = table(options.data)
    Xt, _ = table(options.test)
    before = memory("VmRSS")
    fit, tree = timed(lambda: cKDTree(X))
    predict, (_, near) = timed(lambda: tree.query(Xt, 5, workers=options.threads))
    say_fit({"fit": fit, "predict": predict, "row": one_row(lambda x: tree.query(x, 5), Xt)},
            scipy.__version__, y[near].mean(axis=1), rss_before_fit_bytes=before)


def _sklearn_linear(model):
    import sklearn
    X, y = table(options.data)
    Xt, yt = table(options.test)
    before = memory("VmRSS")
    fit, _ = timed(lambda: model.fit(X, y))
    predict, answer = timed(lambda: model.predict(Xt))
    say_fit({"fit": fit, "predict": predict, "row": one_row(model.predict, Xt)},
            sklearn.__version__, answer, model.coef_, rss_before_fit_bytes=before,
            r2=float(model.score(Xt, yt)))


def sklearn_linear():
    from sklearn.linear_model import LinearRegression
    _sklearn_linear(LinearRegression(n_jobs=options.threads))


def _sklearn_transform(transform):
    import sklearn
    X, _ = table(options.data)
    Xt, _ = table(options.test)
    before = memory("VmRSS")
    fit, _ = timed(lambda: transform.fit(X))
    predict, answer = timed(lambda: transform.transform(Xt))
    say_fit({"fit": fit, "predict": predict, "row": 0.0}, sklearn.__version__, answer,
            rss_before_fit_bytes=before)


def sklearn_power():
    from sklearn.preprocessing import PowerTransformer
    _sklearn_transform(PowerTransformer())


def sklearn_quantile():
    from sklearn.preprocessing import QuantileTransformer
    _sklearn_transform(QuantileTransformer(n_quantiles=1000, subsample=10**9))


def sklearn_bins():
    from sklearn.preprocessing import KBinsDiscretizer
    _sklearn_transform(KBinsDiscretizer(10, encode="ordinal", strategy="quantile",
                                        subsample=None))


def sklearn_robust():
    from sklearn.preprocessing import RobustScaler
    _sklearn_transform(RobustScaler())


def sklearn_encode():
    """Means of the target with ten rows at the mean of all, as `encode 10`."""
    import pandas
    import sklearn
    try:
        from sklearn.preprocessing import TargetEncoder
    except ImportError:
        print(json.dumps({"absent": f"scikit-learn {sklearn.__version__} has no TargetEncoder"}))
        return
    data, test = pandas.read_csv(options.data), pandas.read_csv(options.test)
    X, y, Xt = data.iloc[:, :-1], data.iloc[:, -1], test.iloc[:, :-1]
    model = TargetEncoder(smooth=10, target_type="continuous")
    before = memory("VmRSS")
    fit, _ = timed(lambda: model.fit(X, y))
    predict, answer = timed(lambda: model.transform(Xt))
    say_fit({"fit": fit, "predict": predict, "row": 0.0}, sklearn.__version__, answer,
            rss_before_fit_bytes=before)


def _sklearn_select(selector):
    from sklearn.linear_model import LinearRegression
    from sklearn.pipeline import make_pipeline
    import sklearn
    X, y = table(options.data)
    Xt, _ = table(options.test)
    model = make_pipeline(selector, LinearRegression(n_jobs=options.threads))
    before = memory("VmRSS")
    fit, _ = timed(lambda: model.fit(X, y))
    predict, answer = timed(lambda: model.predict(Xt))
    say_fit({"fit": fit, "predict": predict, "row": 0.0}, sklearn.__version__, answer,
            rss_before_fit_bytes=before)


def sklearn_select_k_best():
    from sklearn.feature_selection import SelectKBest, f_regression
    _sklearn_select(SelectKBest(f_regression, k=10))


def sklearn_select_forward():
    from sklearn.feature_selection import SequentialFeatureSelector
    from sklearn.linear_model import LinearRegression
    _sklearn_select(SequentialFeatureSelector(LinearRegression(), n_features_to_select=3, cv=5,
                                              n_jobs=options.threads))


def sklearn_ridge():
    from sklearn.linear_model import Ridge
    _sklearn_linear(Ridge(alpha=options.l2))


def sklearn_kernel_ridge():
    """Without an intercept, as it has none."""
    import sklearn
    from sklearn.kernel_ridge import KernelRidge
    X, y = table(options.data)
    Xt, _ = table(options.test)
    model = KernelRidge(alpha=options.l2, kernel="rbf", gamma=0.02)
    before = memory("VmRSS")
    fit, _ = timed(lambda: model.fit(X, y))
    predict, answer = timed(lambda: model.predict(Xt))
    say_fit({"fit": fit, "predict": predict, "row": 0.0}, sklearn.__version__, answer,
            rss_before_fit_bytes=before)


def sklearn_lasso_path():
    """Its state is the objective at each penalty."""
    import sklearn
    from sklearn.linear_model import lasso_path
    X, y = table(options.data)
    X = np.asfortranarray(X) # the form it likes best
    Xt, _ = table(options.test)
    before = memory("VmRSS")
    fit, (alphas, coefs, _) = timed(lambda: lasso_path(X, y)) # 100 penalties
    rest = y[:, None] - X @ coefs
    objective = 0.5 * (rest * rest).sum(0) + alphas * len(y) * abs(coefs).sum(0)
    say_fit({"fit": fit, "predict": 0.0, "row": 0.0}, sklearn.__version__, Xt @ coefs[:, -1],
            objective, rss_before_fit_bytes=before)


def sklearn_lasso_cv():
    """Its state is the mean error at each penalty."""
    import sklearn
    from sklearn.linear_model import LassoCV
    X, y = table(options.data)
    X = np.asfortranarray(X)
    Xt, _ = table(options.test)
    model = LassoCV(cv=5, n_jobs=options.threads) # of 100 penalties
    before = memory("VmRSS")
    fit, _ = timed(lambda: model.fit(X, y))
    predict, answer = timed(lambda: model.predict(Xt))
    say_fit({"fit": fit, "predict": predict, "row": 0.0}, sklearn.__version__, answer,
            model.mse_path_.mean(1), rss_before_fit_bytes=before)
def sklearn_stream():
    """Chunks of 10000 rows: each is predicted, then learned."""
    import pandas
    import sklearn
    from sklearn.linear_model import SGDClassifier

    def work():
        model, rows, wrong, loss = SGDClassifier(loss="log_loss"), 0, 0, 0.0
        for chunk in pandas.read_csv(options.data, chunksize=10_000, engine="c"):
            values = chunk.to_numpy()
            X, y = values[:, :-1], values[:, -1].astype(int)
            p = model.predict_proba(X)[:, 1] if rows else np.full(len(y), 0.5)
            wrong += int(((p > 0.5) != y).sum())
            of_truth = np.where(y == 1, p, 1 - p)
            loss -= float(np.log(np.maximum(of_truth, 2.0 ** -52)).sum())
            model.partial_fit(X, y, classes=[0, 1])
            rows += len(y)
        return rows, wrong, loss

    seconds, (rows, wrong, loss) = timed(work)
    say({"stream": seconds}, sklearn.__version__, rows=rows, error=wrong / rows,
        log_loss=loss / rows)


def sklearn_logistic():
    import sklearn
    import warnings
    from sklearn.linear_model import LogisticRegression
    warnings.filterwarnings("ignore")
    X, y = table(options.data, options.dtype)
    Xt, _ = table(options.test, options.dtype)
    X, Xt, y = X / options.divide, Xt / options.divide, y.astype(int)
    model = LogisticRegression(C=1, max_iter=100)
    before = memory("VmRSS")
    fit, _ = timed(lambda: model.fit(X, y))
    predict, answer = timed(lambda: model.predict(Xt))
    f = X @ model.coef_.T + model.intercept_
    if f.shape[1] == 1:
        loss = np.logaddexp(0, np.where(y > 0, -1, 1) * f[:, 0]).sum()
    else:
        top = f.max(axis=1)
        loss = (top + np.log(np.exp(f - top[:, None]).sum(axis=1)) - f[np.arange(len(y)), y]).sum()
    say_fit({"fit": fit, "predict": predict}, sklearn.__version__, answer,
            rss_before_fit_bytes=before, iterations=int(model.n_iter_[0]),
            objective=float(loss + (model.coef_ ** 2).sum() / 2))


def _liblinear(X, y):
    """LIBLINEAR's own train() on its own nodes, built before the clock starts; no intercept,
    C = 1.  Returns seconds and the weights, a row for each class (one for two)."""
    import ctypes
    import ctypes.util
    pointer, real, whole = ctypes.c_void_p, ctypes.c_double, ctypes.c_int

    class Problem(ctypes.Structure):
        _fields_ = [("l", whole), ("n", whole), ("y", pointer), ("x", pointer), ("bias", real)]

    class Parameter(ctypes.Structure):
        _fields_ = [("solver_type", whole), ("eps", real), ("C", real), ("nr_weight", whole),
                    ("weight_label", pointer), ("weight", pointer), ("p", real),
                    ("init_sol", pointer)]

    class Model(ctypes.Structure): # what follows its first members is not read
        _fields_ = [("param", Parameter), ("nr_class", whole), ("nr_feature", whole),
                    ("w", ctypes.POINTER(real)), ("label", ctypes.POINTER(whole))]

    library = ctypes.CDLL("liblinear.so.4")
    version = whole.in_dll(library, "liblinear_version").value
    if not 200 < version < 240: # later ones have another struct parameter
        raise RuntimeError(f"LIBLINEAR {version} is not known here")
    node = np.dtype([("index", "i4"), ("value", "f8")], align=True)
    n = X.shape[0]
    nodes = np.zeros(X.nnz + n, node)
    nodes["index"] = -1
    ends = X.indptr[1:] + np.arange(n)
    inside = np.ones(len(nodes), bool)
    inside[ends] = False
    nodes["index"][inside] = X.indices + 1
    nodes["value"][inside] = X.data
    first = X.indptr[:-1] + np.arange(n)
    starts = np.ascontiguousarray(nodes.ctypes.data + first * node.itemsize)
    target = np.ascontiguousarray(y, np.float64)
    problem = Problem(n, X.shape[1], target.ctypes.data, starts.ctypes.data, -1)
    parameter = Parameter(solver_type=options.solver, eps=options.eps, C=1.0, p=0.1)
    quiet = ctypes.CFUNCTYPE(None, ctypes.c_char_p)(lambda words: None)
    library.set_print_string_function(quiet)
    library.train.restype = ctypes.POINTER(Model)
    seconds, model = timed(lambda: library.train(ctypes.byref(problem), ctypes.byref(parameter)))
    model = model.contents
    k = 1 if model.nr_class == 2 else model.nr_class
    w = np.ctypeslib.as_array(model.w, (X.shape[1] * k,)).reshape(X.shape[1], k).T.copy()
    label = [model.label[c] for c in range(model.nr_class)]
    if k == 1:
        return seconds, w if label[0] > label[1] else -w
    return seconds, w[np.argsort(label)]


def liblinear():
    """-s 0, 6 (with l1) and 7 logistic, 1 and 2 squared hinge, 3 hinge; the objective is
    computed here."""
    from sklearn.datasets import load_svmlight_file
    X, y = load_svmlight_file(options.data)
    Xt, _ = load_svmlight_file(options.test, n_features=X.shape[1])
    before = memory("VmRSS")
    seconds, w = _liblinear(X, y)
    classes = [1.0] if len(w) == 1 else sorted(set(y))
    objective = float(np.abs(w).sum() if options.solver == 6 else 0.5 * (w * w).sum())
    for one, row in zip(classes, w):
        margin = np.where(y == one, 1, -1) * (X @ row)
        slack = np.maximum(0, 1 - margin)
        log_loss = np.logaddexp(0, -margin)
        objective += float({0: log_loss, 6: log_loss, 7: log_loss, 1: slack ** 2, 2: slack ** 2,
                            3: slack}[options.solver].sum())
    scores = Xt @ w.T
    answer = scores[:, 0] > 0 if len(w) == 1 else scores.argmax(axis=1)
    say_fit({"fit": seconds, "predict": 0.0, "row": 0.0}, "liblinear", answer,
            rss_before_fit_bytes=before, objective=objective)


def sklearn_hinge():
    """LIBLINEAR -s 3.  It penalises its intercept, which on this many rows is nothing; the
    objective is that without."""
    import sklearn
    from sklearn.svm import LinearSVC
    X, y = table(options.data, np.float64)
    Xt, _ = table(options.test, np.float64)
    model = LinearSVC(loss="hinge", C=1)
    before = memory("VmRSS")
    fit, _ = timed(lambda: model.fit(X, y))
    predict, answer = timed(lambda: model.predict(Xt))
    margin = np.where(y == model.classes_[1], 1, -1) * model.decision_function(X)
    objective = 0.5 * (model.coef_ ** 2).sum() + np.maximum(0, 1 - margin).sum()
    say_fit({"fit": fit, "predict": predict, "row": 0.0}, sklearn.__version__, answer,
            rss_before_fit_bytes=before, objective=float(objective))


def _sklearn_objective(model, objective):
    """Fits, and leaves what was minimised as the state."""
    import sklearn
    X, y = table(options.data)
    Xt, _ = table(options.test)
    before = memory("VmRSS")
    fit, _ = timed(lambda: model.fit(X, y))
    predict, answer = timed(lambda: model.predict(Xt))
    say_fit({"fit": fit, "predict": predict, "row": 0.0}, sklearn.__version__, answer,
            [objective(model, X, y)], rss_before_fit_bytes=before)


def sklearn_huber():
    from sklearn.linear_model import HuberRegressor
    def half(m, X, y): # samara's is half of it
        z = np.abs(y - m.predict(X)) / m.scale_
        h = np.where(z < m.epsilon, z * z / 2, m.epsilon * (z - m.epsilon / 2))
        return m.scale_ * (h + 0.5).sum() + options.l2 / 2 * (m.coef_ ** 2).sum()
    _sklearn_objective(HuberRegressor(alpha=options.l2), half)


def sklearn_lad():
    from sklearn.linear_model import QuantileRegressor
    _sklearn_objective(QuantileRegressor(quantile=0.5, alpha=0, solver="highs"),
                       lambda m, X, y: np.abs(y - m.predict(X)).sum())


def sklearn_poisson():
    from scipy.special import xlogy
    from sklearn.linear_model import PoissonRegressor
    rows = len(np.load(options.data, mmap_mode="r"))
    def half(m, X, y):
        mean = m.predict(X)
        return (xlogy(y, y / mean) - y + mean).sum() + options.l2 / 2 * (m.coef_ ** 2).sum()
    _sklearn_objective(PoissonRegressor(alpha=options.l2 / rows, tol=1e-6, max_iter=1000), half)
def sklearn_words():
    import csv
    import zlib
    import sklearn
    from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
    csv.field_size_limit(1 << 30)
    with open(options.data, newline="", encoding="utf-8") as f:
        texts = [row["text"] for row in csv.DictReader(f)]
    kind = TfidfVectorizer if options.tfidf else CountVectorizer
    # samara's rule of what a word is, as far as these texts go
    maker = kind(token_pattern=r"[^\W_]+(?:'[^\W_]+)*", ngram_range=(1, options.ngrams))
    seconds, rows = timed(lambda: maker.fit_transform(texts))
    names = "".join(name + "\n" for name in maker.get_feature_names_out())
    rows = rows.tocoo()
    factor = (31 * rows.row.astype(np.int64) + rows.col) % 1009
    say({"fit": seconds}, "scikit-learn " + sklearn.__version__, words=rows.shape[1],
        names=zlib.crc32(names.encode()), entries=rows.nnz, sum=float(rows.data.sum()),
        moment=float((rows.data * factor).sum()))


def _sklearn_cv(model, integers=False):
    """cross_val_score on the folds that samara made; each worker has one thread."""
    import sklearn
    from sklearn.model_selection import PredefinedSplit, cross_val_score
    X, y = table(options.data)
    y = y.astype(int) if integers else y
    folds = PredefinedSplit(np.fromfile(options.folds).astype(int))
    cross_val_score(model, X[:500], y[:500], cv=2, n_jobs=options.threads) # workers are there
    seconds, scores = timed(lambda: cross_val_score(model, X, y, cv=folds, n_jobs=options.threads,
                                                    scoring=options.scoring))
    say({"set": 0.0, "cv": seconds}, sklearn.__version__, mean=float(scores.mean()),
        sd=float(scores.std(ddof=1)))


def sklearn_cv_ridge():
    from sklearn.linear_model import Ridge
    _sklearn_cv(Ridge(alpha=options.l2))


def sklearn_cv_linear():
    from sklearn.linear_model import LinearRegression
    _sklearn_cv(LinearRegression())


def sklearn_cv_knn_classes():
    from sklearn.neighbors import KNeighborsClassifier
    _sklearn_cv(KNeighborsClassifier(5), integers=True)


def sklearn_cv_knn_numbers():
    from sklearn.neighbors import KNeighborsRegressor
    _sklearn_cv(KNeighborsRegressor(5))


def sklearn_tune_tree():
    """A grid of eight depths by five folds: in this process, or by workers that are there."""
    import sklearn
    from sklearn.model_selection import GridSearchCV
    from sklearn.tree import DecisionTreeClassifier
    with open(options.data) as f:
        cells = [line.rstrip("\n").split(",") for line in f][1:]
    X = np.array([row[:-1] for row in cells], np.float64)
    y = np.unique([row[-1] for row in cells], return_inverse=True)[1]
    grid, found = {"max_depth": list(range(1, 9))}, []
    for jobs in (1, options.threads):
        search = GridSearchCV(DecisionTreeClassifier(random_state=0), grid, n_jobs=jobs,
                              refit=False)
        search.fit(X, y)
        found.append(min(timed(lambda: search.fit(X, y))[0] for _ in range(3)))
    say({"work": min(found)}, sklearn.__version__, mean=float(search.best_score_))


def sklearn_importance():
    """Of ridge 1, five shuffles, by rmse, on the rows that it was fitted to."""
    import sklearn
    from sklearn.inspection import permutation_importance
    from sklearn.linear_model import Ridge
    X, y = table(options.data)
    model, found = Ridge(alpha=1).fit(X, y), []
    for jobs in (1, options.threads):
        seconds, result = timed(lambda: permutation_importance(
            model, X, y, scoring="neg_root_mean_squared_error", n_jobs=jobs, random_state=0))
        found.append(seconds)
    say({"work": min(found)}, sklearn.__version__, mean=float(result.importances_mean.sum()))


def pandas_describe():
    """Distributions, correlations, ranks against the last column: a part of what samara tells."""
    import pandas
    frame = pandas.DataFrame(np.load(options.data))
    X, y = frame.iloc[:, :-1], frame.iloc[:, -1]

    def work():
        frame.describe(), frame.nunique(), frame.skew(), frame.corr()
        X.rank().corrwith(y.rank())
        return X.corrwith(y)

    seconds, pearson = timed(work)
    say({"work": seconds}, pandas.__version__, mean=float(pearson.sum()))


def _classes(model, version):
    """Fits a classifier of numbered classes; each likes contiguous floats (sklearn's trees copy
    anything else to them)."""
    X, y = table(options.data, np.float32)
    Xt, yt = table(options.test, np.float32)
    _fit_classes(model, X, y.astype(int), Xt, yt.astype(int), version)


def _fit_classes(model, X, y, Xt, yt, version):
    before = memory("VmRSS")
    fit, _ = timed(lambda: model.fit(X, y))
    peak = memory("VmHWM")
    predict, answer = timed(lambda: model.predict(Xt))
    say_fit({"fit": fit, "predict": predict, "row": one_row(model.predict, Xt)}, version, answer,
            rss_before_fit_bytes=before, fit_peak_memory_bytes=peak,
            accuracy=float((np.asarray(answer) == yt).mean()))


def _sklearn_classes(model):
    import sklearn
    _classes(model, sklearn.__version__)


def sklearn_tree():
    from sklearn.tree import DecisionTreeClassifier
    _sklearn_classes(DecisionTreeClassifier(random_state=options.seed))


def sklearn_forest():
    from sklearn.ensemble import RandomForestClassifier
    _sklearn_classes(RandomForestClassifier(100, n_jobs=options.threads,
                                            random_state=options.seed))


def sklearn_mlp():
    from sklearn.neural_network import MLPClassifier
    X, y = table(options.data, np.float32)
    Xt, yt = table(options.test, np.float32)
    _fit_classes(MLPClassifier((512, 512), batch_size=128, max_iter=2,
                               random_state=options.seed), X / 255, y.astype(int), Xt / 255,
                 yt.astype(int), __import__("sklearn").__version__)


class TorchMlp:
    """Two hidden layers of rectifiers, Adam, batches of 128, as one would write it."""

    def __init__(self, epochs):
        import torch
        torch.set_num_threads(options.threads)
        torch.manual_seed(options.seed)
        self.torch, self.epochs = torch, epochs
        nn = torch.nn
        self.net = nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(),
                                 nn.Linear(512, 10))

    def fit(self, X, y):
        torch = self.torch
        X, y = torch.from_numpy(X), torch.from_numpy(y)
        steps = torch.optim.Adam(self.net.parameters(), 1e-3)
        for _ in range(self.epochs):
            for rows in torch.randperm(len(X)).split(128):
                steps.zero_grad()
                torch.nn.functional.cross_entropy(self.net(X[rows]), y[rows]).backward()
                steps.step()

    def predict(self, X):
        with self.torch.no_grad():
            return self.net(self.torch.from_numpy(X)).argmax(1).numpy()


def torch_mlp():
    model = TorchMlp(2)
    X, y = table(options.data, np.float32)
    Xt, yt = table(options.test, np.float32)
    _fit_classes(model, X / 255, y.astype(np.int64), Xt / 255, yt.astype(np.int64),
                 model.torch.__version__)


def torch_lstm():
    """embed | lstm | linear over characters, Adam, 50 batches of 32 windows of 128, in any order;
    --algorithm compiled: by torch.compile, whose own work is not timed.  A character: one step from
    a state."""
    import torch
    from torch import nn
    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    with open(options.data, "rb") as f:
        n, k = np.fromfile(f, np.int64, 2)
        symbols = torch.from_numpy(np.fromfile(f, np.uint8, n).astype(np.int64))
    X, Y = symbols[:-1].reshape(-1, 128), symbols[1:].reshape(-1, 128)
    embed, cell, out = nn.Embedding(k, 256), nn.LSTM(256, 256, batch_first=True), nn.Linear(256, k)

    def scores(x):
        return out(cell(embed(x))[0])

    def loss_of(x, y):
        return nn.functional.cross_entropy(forward(x).flatten(0, 1), y.flatten())
    forward = scores
    if options.algorithm == "compiled":
        forward = torch.compile(scores)
        loss_of(X[:32], Y[:32]).backward()
    steps = torch.optim.Adam([*embed.parameters(), *cell.parameters(), *out.parameters()], 1e-3)

    def fit():
        losses = []
        for rows in torch.randperm(len(X)).split(32):
            steps.zero_grad()
            loss = loss_of(X[rows], Y[rows])
            loss.backward()
            steps.step()
            losses.append(loss.detach())
        return float(torch.stack(losses).mean())
    seconds, loss = timed(fit)
    with torch.no_grad():
        one = X[:1, :1]
        state = cell(embed(one))[1]
        character = statistics.median(timed(lambda: out(cell(embed(one), state)[0]))[0]
                                      for _ in range(500))
    say({"fit": seconds, "character": character}, torch.__version__, loss=loss,
        rows=len(symbols) - 1)


def sklearn_boost():
    from sklearn.ensemble import HistGradientBoostingClassifier
    _sklearn_classes(HistGradientBoostingClassifier(max_iter=100, max_leaf_nodes=options.leaves,
                                                    learning_rate=0.1, early_stopping=False,
                                                    random_state=options.seed))


def sklearn_adaboost():
    """200 stumps, by votes as samara's default; versions that vote in no other way do not ask."""
    import inspect
    from sklearn.ensemble import AdaBoostClassifier
    asks = "algorithm" in inspect.signature(AdaBoostClassifier).parameters
    _sklearn_classes(AdaBoostClassifier(n_estimators=200, random_state=options.seed,
                                        **({"algorithm": "SAMME"} if asks else {})))


class _Xgboost:
    """hist, leaf by leaf; the DMatrix is made before the clock starts."""
    rounds = 100

    def fit(self, X, y):
        import xgboost
        k = int(y.max()) + 1
        how = {"tree_method": "hist", "grow_policy": "lossguide", "max_depth": 0, "eta": 0.1,
               "max_leaves": options.leaves, "max_bin": 256, "nthread": options.threads,
               "seed": options.seed, "verbosity": 0}
        how |= ({"objective": "binary:logistic"} if k == 2 else
                {"objective": "multi:softmax", "num_class": k})
        self.model = xgboost.train(how, self.rows, self.rounds)

    def predict(self, X):
        """By inplace_predict: no copy of the rows is made, and for these it is the faster way."""
        answer = self.model.inplace_predict(X)
        return answer > 0.5 if self.rows.get_label().max() < 2 else answer


def xgboost_boost():
    import xgboost
    model = _Xgboost()
    X, y = table(options.data, np.float32)
    model.rows = xgboost.DMatrix(X, y, nthread=options.threads)
    model.rows.num_row()
    del X
    _classes(model, xgboost.__version__)


def libsvm_kernel():
    """svm-train and svm-predict, an RBF kernel: whole processes, which read their files; the sum of
    the objectives of all pairs, per C."""
    import re
    import subprocess
    import tempfile
    with tempfile.TemporaryDirectory() as folder:
        model, out = os.path.join(folder, "model"), os.path.join(folder, "out")
        fit, said = timed(lambda: subprocess.run(
            ["svm-train", "-m", "500", "-c", str(options.C), "-g", str(options.gamma), options.data,
             model], capture_output=True, text=True, check=True).stdout)
        predict, answer = timed(lambda: subprocess.run(
            ["svm-predict", options.test, model, out], capture_output=True, text=True,
            check=True).stdout)
    objective = -sum(float(x) for x in re.findall(r"obj = (-?[0-9.e+-]+)", said)) / options.C
    say({"read": 0.0, "fit": fit, "predict": predict, "row": 0.0}, "svm-train",
        objective=objective, accuracy=float(re.search(r"= ([0-9.]+)%", answer).group(1)) / 100)


def sklearn_svc():
    """SVC on what is in memory, sparse as in the file or, where that is full, dense; its objective
    is not told: LIBSVM's is compared."""
    import sklearn
    from sklearn.datasets import load_svmlight_file
    from sklearn.svm import SVC
    X, y = load_svmlight_file(options.data)
    Xt, yt = load_svmlight_file(options.test, n_features=X.shape[1])
    if X.nnz > 0.3 * X.shape[0] * X.shape[1]:
        X, Xt = X.toarray(), Xt.toarray()
    else:  # it takes no other indices, and the reader of newer editions gives others
        for rows in (X, Xt):
            rows.indices, rows.indptr = rows.indices.astype("i4"), rows.indptr.astype("i4")
    model = SVC(C=options.C, gamma=options.gamma, cache_size=500)
    fit, _ = timed(lambda: model.fit(X, y))
    predict, answer = timed(lambda: model.predict(Xt))
    say({"read": 0.0, "fit": fit, "predict": predict, "row": 0.0}, sklearn.__version__,
        accuracy=float((answer == yt).mean()))


def xgboost_text():
    """20 rounds on sparse rows of two classes, -1 and 1; to XGBoost absent cells are gaps."""
    import xgboost
    from sklearn.datasets import load_svmlight_file
    model = _Xgboost()
    model.rounds = 20
    X, y = load_svmlight_file(options.data)
    Xt, yt = load_svmlight_file(options.test, n_features=X.shape[1])
    model.rows = xgboost.DMatrix(X, y > 0, nthread=options.threads)
    model.rows.num_row()
    _fit_classes(model, X, (y > 0).astype(int), Xt, (yt > 0).astype(int), xgboost.__version__)


def lightgbm_boost():
    import lightgbm
    _classes(lightgbm.LGBMClassifier(n_estimators=100, num_leaves=options.leaves,
                                     learning_rate=0.1, n_jobs=options.threads,
                                     random_state=options.seed, verbosity=-1),
             lightgbm.__version__)


try:
    here = globals()
    others = (peers_clusters, peers_graphical)
    (here[options.name] if options.name in here else
     next(getattr(m, options.name) for m in others if hasattr(m, options.name)))()
except ModuleNotFoundError as problem:
    print(json.dumps({"absent": f"{problem.name} is not installed"}))
