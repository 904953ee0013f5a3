"""The files that the cases read: generated once from fixed seeds, or taken from the shared data.

Each function writes its files below `folder` unless they are there, and returns their paths.
"""
import gzip
import math
import os
import re

import numpy as np


def _once(path, write):
    if not os.path.exists(path):
        write(path + ".part")
        os.rename(path + ".part", path)
    return path


def _save(path, array):
    def write(part):
        with open(part, "wb") as f:
            np.save(f, array)
    return _once(path, write)


def nothing(_):
    """For programs that make their data themselves."""
    return {}


def csv(folder):
    """1M x 20 normal numbers with six decimals and a header: about 180 MB."""
    def write(path):
        rng = np.random.default_rng(20)
        with open(path, "w") as f:
            f.write(",".join(f"c{j}" for j in range(20)) + "\n")
            row = ",".join(["%.6f"] * 20)
            for _ in range(100):
                block = rng.standard_normal((10_000, 20))
                f.write("\n".join(row % tuple(r) for r in block.tolist()) + "\n")
    return {"data": _once(os.path.join(folder, "numbers-1m-20.csv"), write)}


def logistic_csv(folder):
    """1M x 50 normal numbers with five decimals and a label of logistic noise: about 420 MB."""
    def write(path):
        rng = np.random.default_rng(22)
        weights = 2 * rng.standard_normal(50) / math.sqrt(50)
        with open(path, "w") as f:
            f.write(",".join(f"x{j}" for j in range(50)) + ",label\n")
            row = ",".join(["%.5f"] * 50 + ["%d"])
            for _ in range(100):
                block = rng.standard_normal((10_000, 50))
                label = block @ weights + rng.logistic(size=10_000) > 0
                f.write("\n".join(row % (*r, y) for r, y in zip(block.tolist(), label)) + "\n")
    return {"data": _once(os.path.join(folder, "logistic-1m-50.csv"), write)}


def libsvm(folder):
    """100k rows of about 70 entries in 10k columns: about 100 MB."""
    def write(path):
        rng = np.random.default_rng(21)
        with open(path, "w") as f:
            for _ in range(100_000):
                index = np.unique(rng.integers(1, 10_000, 70))
                value = rng.random(index.size)
                f.write(("+1 " if rng.random() < 0.5 else "-1 ") +
                        " ".join("%d:%.6f" % p for p in zip(index.tolist(), value.tolist())) + "\n")
    return {"data": _once(os.path.join(folder, "sparse-100mb.svm"), write)}


def _idx(path):
    with gzip.open(path, "rb") as f:
        raw = f.read()
    shape = [int.from_bytes(raw[4 + 4 * i:8 + 4 * i], "big") for i in range(raw[3])]
    return np.frombuffer(raw, np.uint8, offset=4 + 4 * raw[3]).reshape(shape)


def _mnist_part(which, of="mnist"):
    data = os.path.join(os.environ["SAMARA_DATA"], of)
    stem = {"train": "train", "test": "t10k"}[which]
    images = _idx(os.path.join(data, f"{stem}-images-idx3-ubyte.gz"))
    labels = _idx(os.path.join(data, f"{stem}-labels-idx1-ubyte.gz"))
    return images.reshape(len(images), -1), labels


def mnist(folder, kind):
    """The pictures as one table a part, the label last: bytes, or floats or doubles in [0, 1]."""
    paths = {}
    for part in ("train", "test"):
        path = os.path.join(folder, f"mnist-{kind}-{part}.npy")
        if not os.path.exists(path):
            images, labels = _mnist_part(part)
            if kind in ("float", "double"):
                real = np.float32 if kind == "float" else np.float64
                table = np.hstack([images.astype(real) / real(255), labels[:, None].astype(real)])
            else:
                table = np.hstack([images, labels[:, None]])
            _save(path, table)
        paths["data" if part == "train" else "test"] = path
    return paths


def newsgroups(folder):
    """The training part of 20 Newsgroups as CSV: label, and text with its lines."""
    marks = {"n": "\n", "t": "\t", "r": "\r"}

    def write(path):
        source = os.path.join(os.environ["SAMARA_DATA"], "20newsgroups",
                              "20news-bydate-train.tsv.gz")
        with gzip.open(source, "rt", encoding="utf-8", newline="\n") as f, \
                open(path, "w", encoding="utf-8", newline="") as out:
            out.write("label,text\n")
            for line in f:
                group, _, text = line.rstrip("\n").split("\t")
                text = re.sub(r"\\(.)", lambda m: marks.get(m.group(1), m.group(1)), text)
                out.write(group + ',"' + text.replace('"', '""') + '"\n')
    return {"data": _once(os.path.join(folder, "newsgroups.csv"), write)}


def points(folder, d):
    """1M uniform points and 100k queries, with a smooth target as the last column."""
    paths = {}
    for part, n, seed in (("data", 1_000_000, 50), ("test", 100_000, 60)):
        path = os.path.join(folder, f"points-{d}d-{part}.npy")
        if not os.path.exists(path):
            X = np.random.default_rng(seed).random((n, int(d)))
            _save(path, np.hstack([X, np.sin(3 * X).sum(axis=1, keepdims=True)]))
        paths[part] = path
    return paths


def binary(folder):
    """1M x 50 normal features and a class drawn with the logistic probability of a line."""
    paths = {}
    for part, n, seed in (("data", 1_000_000, 2), ("test", 100_000, 3)):
        path = os.path.join(folder, f"binary-{part}.npy")
        if not os.path.exists(path):
            w = np.random.default_rng(1).standard_normal(50) / np.sqrt(50) * 3
            r = np.random.default_rng(seed)
            X = r.standard_normal((n, 50))
            y = r.random(n) < 1 / (1 + np.exp(-(X @ w)))
            _save(path, np.hstack([X, y[:, None].astype(float)]))
        paths[part] = path
    return paths


def _two_product(a, b):
    """a b exactly, as a sum of two (Dekker 1971)."""
    def split(x):
        t = 134217729.0 * x
        return t - (t - x), x - (t - (t - x))
    p, (ah, al), (bh, bl) = a * b, split(a), split(b)
    return p, ((ah * bh - p) + ah * bl + al * bh) + al * bl


def _two_sum(a, b):
    """a + b exactly, as a sum of two (Knuth)."""
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


def _least_squares(X, y):
    """Intercept and coefficients to the last digit: QR, then refinement with residuals and gradient
    in twice the precision until nothing moves.  Not fast."""
    columns = np.vstack([np.ones(len(X)), X.T])
    R = np.linalg.qr(columns.T, mode="r")
    high, low = np.zeros(len(columns)), np.zeros(len(columns))
    for _ in range(10):
        r, rest = y.copy(), np.zeros(len(y))
        for x, h, l in zip(columns, high, low):
            p, e = _two_product(x, h)
            r, c = _two_sum(r, -p)
            rest += c - (e + x * l)
        r, rest = _two_sum(r, rest)
        parts = (_two_product(x, r) for x in columns)
        gradient = np.array([math.fsum(p) + np.sum(e + x * rest)
                             for x, (p, e) in zip(columns, parts)])
        step = np.linalg.solve(R, np.linalg.solve(R.T, gradient))
        high, c = _two_sum(high, step)
        high, low = _two_sum(high, low + c)
        if np.max(np.abs(step) / np.maximum(1, np.abs(high))) < 1e-16:
            return high
    raise RuntimeError("the refinement of the exact coefficients does not settle")


def waves(folder):
    """10k x 50 normal features and a target that is no linear function of them."""
    def write(path):
        rng = np.random.default_rng(31)
        X = rng.standard_normal((10_000, 50))
        y = np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * rng.standard_normal(len(X))
        with open(path, "wb") as f:
            np.save(f, np.hstack([X, y[:, None]]))
    path = _once(os.path.join(folder, "waves.npy"), write)
    small = os.path.join(folder, "waves-test.npy")
    if not os.path.exists(small):
        _save(small, np.load(path, mmap_mode="r")[-2000:])
    return {"data": path, "test": small}


def regression(folder, kind):
    """1M x 50 normal features and a linear target with noise; `collinear` makes one feature nearly
    a combination of two others, so that the normal equations lose the digits; its `exact` holds the
    coefficients to the last digit."""
    def write(path):
        rng = np.random.default_rng(30)
        X = rng.standard_normal((1_000_000, 50))
        if kind == "collinear":
            X[:, 17] = X[:, 3] - 2 * X[:, 31] + 1e-6 * rng.standard_normal(len(X))
        w = rng.standard_normal(50)
        y = X @ w + 1.25 + rng.standard_normal(len(X))
        with open(path, "wb") as f:
            np.save(f, np.hstack([X, y[:, None]]))
    path = _once(os.path.join(folder, f"regression-{kind}.npy"), write)
    small = os.path.join(folder, f"regression-{kind}-test.npy")
    if not os.path.exists(small):
        _save(small, np.load(path, mmap_mode="r")[-100_000:])
    paths = {"data": path, "test": small}
    if kind == "collinear":
        def write_exact(path):
            table = np.load(paths["data"])
            _least_squares(table[:, :-1], table[:, -1])[1:].tofile(path)
        paths["exact"] = _once(os.path.join(folder, "regression-collinear-exact.f64"), write_exact)
    return paths


def lasso(folder):
    """200k x 100 normal features, of which a fifth matters, as in shared/peers/synth.py."""
    def write(path):
        rng = np.random.default_rng(1)
        X = rng.standard_normal((200_000, 100))
        w = rng.standard_normal(100)
        w[20:] = 0
        y = X @ w + 0.5 + rng.standard_normal(len(X))
        with open(path, "wb") as f:
            np.save(f, np.hstack([X, y[:, None]]))
    path = _once(os.path.join(folder, "lasso.npy"), write)
    small = os.path.join(folder, "lasso-test.npy")
    if not os.path.exists(small):
        _save(small, np.load(path, mmap_mode="r")[-2000:])
    return {"data": path, "test": small}


def _libsvm(path, X, y):
    def write(part):
        with open(part, "w") as f:
            for i in range(X.shape[0]):
                lo, hi = X.indptr[i], X.indptr[i + 1]
                f.write("%d " % y[i] + " ".join("%d:%.17g" % (j + 1, v) for j, v in zip(
                    X.indices[lo:hi].tolist(), X.data[lo:hi].tolist())) + "\n")
    return _once(path, write)


def _word_counts(n=20_000, d=50_000, classes=20):
    """Poisson(150) words a document, 70 % of one Zipf law, 30 % of the class's own order of it."""
    import scipy.sparse
    rng = np.random.default_rng(7)
    law = (np.arange(d) + 2.7) ** -1.1
    law = np.cumsum(law / law.sum())
    orders = [rng.permutation(d) for _ in range(classes)]
    y = rng.integers(0, classes, n)
    rows = np.repeat(np.arange(n), rng.poisson(150, n))
    word = np.minimum(np.searchsorted(law, rng.random(rows.size)), d - 1)
    own = rng.random(rows.size) < 0.3
    for c in range(classes):
        mine = own & (y[rows] == c)
        word[mine] = orders[c][word[mine]]
    X = scipy.sparse.csr_matrix((np.ones(rows.size), (rows, word)), shape=(n, d))
    X.sum_duplicates()
    return X, y


def clouds(folder):
    """1M x 20 doubles, ten Gaussian classes with covariances of their own; the class last.  The
    test part is the same rows: prediction is timed on all of them."""
    def write(path):
        rng = np.random.default_rng(5)
        n, d, k = 1_000_000, 20, 10
        means, mixes = 3 * rng.standard_normal((k, d)), rng.standard_normal((k, d, d)) / d ** 0.5
        label, X = rng.integers(0, k, n), rng.standard_normal((n, d))
        for c in range(k):
            X[label == c] = means[c] + X[label == c] @ mixes[c].T
        with open(path, "wb") as f:
            np.save(f, np.hstack([X, label[:, None]]))
    path = _once(os.path.join(folder, "clouds-1m-20.npy"), write)
    return {"data": path, "test": path}


def lumps(folder):
    """100k x 3 doubles in twenty Gaussian clouds of different widths, and 100k more as queries."""
    def write(path, seed):
        rng = np.random.default_rng(40)
        centres, widths = 4 * rng.standard_normal((20, 3)), rng.uniform(0.2, 1.5, (20, 3))
        rng = np.random.default_rng(seed)
        at = rng.integers(0, 20, 100_000)
        with open(path, "wb") as f:
            np.save(f, centres[at] + widths[at] * rng.standard_normal((100_000, 3)))
    return {part: _once(os.path.join(folder, f"lumps-{part}.npy"),
                        lambda path, seed=seed: write(path, seed))
            for part, seed in (("data", 41), ("test", 42))}


def _newsgroups(part):
    names, texts = [], []
    path = os.path.join(os.environ["SAMARA_DATA"], "20newsgroups", f"20news-bydate-{part}.tsv.gz")
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as f:
        for line in f:
            name, _, text = line.rstrip("\n").split("\t")
            names.append(name)
            texts.append(text.replace("\\n", "\n").replace("\\t", "\t").replace("\\r", "\r"))
    return names, texts


def text(folder, kind):
    """Sparse rows: `counts` 15k x 50k synthetic word counts in two classes, `counts20` 20k in
    twenty, of which all are the test part too; `news` 20 Newsgroups as
    tf-idf in its 20 classes, `news2` with the groups of odd and even number as two."""
    paths = {part: os.path.join(folder, f"text-{kind}-{part}.svm") for part in ("data", "test")}
    if all(os.path.exists(path) for path in paths.values()):
        return paths
    if kind == "counts":
        X, y = _word_counts()
        parts = {"data": (X[:15_000], y[:15_000] % 2), "test": (X[15_000:], y[15_000:] % 2)}
    elif kind == "counts20":
        X, y = _word_counts()
        parts = {"data": (X, y), "test": (X, y)}
    else:
        from sklearn.feature_extraction.text import TfidfVectorizer
        names, texts = _newsgroups("train")
        test_names, test_texts = _newsgroups("test")
        number = {name: i for i, name in enumerate(sorted(set(names)))}
        words = TfidfVectorizer(min_df=2, sublinear_tf=True).fit(texts)
        base = 20 if kind == "news" else 2
        parts = {"data": (words.transform(texts), [number[g] % base for g in names]),
                 "test": (words.transform(test_texts), [number[g] % base for g in test_names])}
    for part, (X, y) in parts.items():
        X.sort_indices()
        _libsvm(paths[part], X, y)
    return paths
def robust(folder, kind):
    """`huber` 200k x 50 and `lad` 20k x 20 normal features and a linear target with errors of
    Student's t with 2 degrees of freedom; `poisson` 200k x 50 with counts."""
    def write(path):
        rng = np.random.default_rng(7)
        n, d = (20_000, 20) if kind == "lad" else (200_000, 50)
        X = rng.standard_normal((n, d))
        w = rng.standard_normal(d)
        if kind == "poisson":
            y = rng.poisson(np.exp(0.1 * X @ w + 0.5)).astype(float)
        else:
            y = X @ w + rng.standard_t(2, n) + 1.5
        with open(path, "wb") as f:
            np.save(f, np.hstack([X, y[:, None]]))
    path = _once(os.path.join(folder, f"robust-{kind}.npy"), write)
    small = os.path.join(folder, f"robust-{kind}-test.npy")
    if not os.path.exists(small):
        _save(small, np.load(path, mmap_mode="r")[-2000:])
    return {"data": path, "test": small}


def skewed(folder):
    """200k x 20 features with tails, lognormal and of Student's t, and a number after them."""
    def write(path):
        rng = np.random.default_rng(11)
        X = np.hstack([np.exp(rng.standard_normal((200_000, 10)) * np.linspace(0.2, 1.5, 10)),
                       rng.standard_t(4, (200_000, 10))])
        with open(path, "wb") as f:
            np.save(f, np.hstack([X, X.sum(axis=1, keepdims=True)]))
    path = _once(os.path.join(folder, "skewed.npy"), write)
    small = os.path.join(folder, "skewed-test.npy")
    if not os.path.exists(small):
        _save(small, np.load(path, mmap_mode="r")[-2000:])
    return {"data": path, "test": small}


def levels(folder):
    """200k rows of three categories of 2000, 300 and 20 levels, and a number that they decide."""
    def write(path, n=200_000, seed=12):
        rng = np.random.default_rng(seed)
        sizes = (2000, 300, 20)
        codes = [np.minimum(rng.geometric(4 / k, n), k) - 1 for k in sizes]
        y = sum(np.sin(1.7 * c) for c in codes) + rng.standard_normal(n)
        with open(path, "w") as f:
            f.write("a,b,c,y\n")
            f.writelines(f"a{a},b{b},c{c},{v:.6f}\n" for a, b, c, v in zip(*codes, y))
    return {"data": _once(os.path.join(folder, "levels.csv"), write),
            "test": _once(os.path.join(folder, "levels-test.csv"),
                          lambda path: write(path, 2000, 13))}


def folds(folder, kind):
    """Tables for cross-validation, the target last: `regression` 200k x 50, `digits` 20k x 64 in
    ten classes of pictures 8 x 8 with noise, `points` 200k x 8 with a smooth target."""
    path = os.path.join(folder, f"folds-{kind}.npy")
    if os.path.exists(path):
        return {"data": path}
    rng = np.random.default_rng(70)
    if kind == "regression":
        X = rng.standard_normal((200_000, 50))
        y = X @ rng.standard_normal(50) + 1.25 + rng.standard_normal(len(X))
    elif kind == "digits":
        label = rng.integers(0, 10, 20_000)
        shapes = rng.uniform(0, 1, (10, 3, 64)) # three ways to write each
        X = shapes[label, rng.integers(0, 3, len(label))] + 0.35 * rng.standard_normal((20_000, 64))
        y = label.astype(float)
    else:
        X = rng.random((200_000, 8))
        y = np.sin(3 * X).sum(axis=1) + 0.1 * rng.standard_normal(len(X))
    return {"data": _save(path, np.hstack([X, y[:, None]]))}


def small(_, name):
    """A table of data/."""
    return {"data": os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", name)}


def wide_rows(folder):
    """1M x 20 normal features and a linear target with noise."""
    def write(path):
        rng = np.random.default_rng(5)
        X = rng.standard_normal((1_000_000, 20))
        y = X @ rng.standard_normal(20) + rng.standard_normal(len(X))
        with open(path, "wb") as f:
            np.save(f, np.hstack([X, y[:, None]]))
    return {"data": _once(os.path.join(folder, "rows-1m-20.npy"), write)}


def _parts(folder, name, make):
    """A table cut into training and test rows: make() gives X, y and the rows to train on."""
    paths = {part: os.path.join(folder, f"{name}-{part}.npy") for part in ("data", "test")}
    if not all(os.path.exists(path) for path in paths.values()):
        X, y, n = make()
        table = np.hstack([X, y[:, None].astype(X.dtype)])
        _save(paths["data"], table[:n])
        _save(paths["test"], table[n:])
    return paths


def higgs(folder, seed):
    """1M x 28 floats, and 100k to test: normal features, a class drawn with the logistic
    probability of a line, a product of a sine, an interaction, a square and an absolute value."""
    def make():
        rng = np.random.default_rng(3 + int(seed))
        X = rng.standard_normal((1_100_000, 28), dtype=np.float32)
        w = 0.3 * rng.standard_normal(28)
        z = (X @ w + 2 * np.sin(2 * X[:, 0]) * X[:, 1] + 1.5 * X[:, 2] * X[:, 3] - X[:, 4] ** 2 +
             np.abs(X[:, 5]))
        return X, rng.random(len(X)) < 1 / (1 + np.exp(-z)), 1_000_000
    return _parts(folder, f"higgs-{seed}", make)


def tall(folder, rows):
    """The first rows of higgs, and its 100k to test."""
    paths = {"data": os.path.join(folder, f"tall-{rows}.npy"), "test": higgs(folder, 0)["test"]}
    if not os.path.exists(paths["data"]):
        _save(paths["data"], np.load(higgs(folder, 0)["data"], mmap_mode="r")[:int(rows)])
    return paths


def covertype(folder, seed):
    """The sample of 92,962 rows as floats, in the seed's order: four fifths to train on."""
    def make():
        source = os.path.join(os.environ["SAMARA_DATA"], "covertype", "covtype-sample92962.csv.gz")
        with gzip.open(source, "rt") as f:
            table = np.loadtxt(f, dtype=np.float32, delimiter=",", skiprows=1)
        table = table[np.random.default_rng(int(seed)).permutation(len(table))]
        return table[:, :-1], table[:, -1] - 1, len(table) * 4 // 5
    return _parts(folder, f"covertype-{seed}", make)


def fashion(folder):
    """Fashion-MNIST as bytes, the label last."""
    def make():
        parts = [_mnist_part(part, "fashion-mnist") for part in ("train", "test")]
        images, labels = (np.concatenate([p[i] for p in parts]) for i in (0, 1))
        return images, labels, len(parts[0][1])
    return _parts(folder, "fashion", make)


def kernel(folder, kind):
    """LIBSVM files for kernel machines: Fashion-MNIST in [0, 1], `fashion2` shirts and T-shirts
    (12k x 784), `fashion10` the first 10k rows; `a9a` as it is, sparse (32,561 x 123)."""
    import scipy.sparse
    paths = {part: os.path.join(folder, f"kernel-{kind}-{part}.svm") for part in ("data", "test")}
    if all(os.path.exists(path) for path in paths.values()):
        return paths
    for part, which in (("data", "train"), ("test", "test")):
        if kind == "a9a":
            from sklearn.datasets import load_svmlight_file
            name = "a9a.gz" if part == "data" else "a9a.t.gz"
            X, y = load_svmlight_file(os.path.join(os.environ["SAMARA_DATA"], "libsvm", name),
                                      n_features=123)
        else:
            X, y = _mnist_part(which, "fashion-mnist")
            y = y.astype(int)
            if kind == "fashion2":
                keep = (y == 0) | (y == 6)
                X, y = X[keep], np.where(y[keep] == 6, 1, -1)
            elif part == "data":
                X, y = X[:10_000], y[:10_000]
            X = scipy.sparse.csr_matrix(X / 255.0)
        X.sort_indices()
        _libsvm(paths[part], X, y)
    return paths


def stumps(folder, seed):
    """100k x 50 floats, and 20k to test: normal features and a class by a noisy line."""
    def make():
        rng = np.random.default_rng(40 + int(seed))
        X = rng.standard_normal((120_000, 50), dtype=np.float32)
        w = 3 * rng.standard_normal(50) / math.sqrt(50)
        return X, rng.random(len(X)) < 1 / (1 + np.exp(-(X @ w))), 100_000
    return _parts(folder, f"stumps-{seed}", make)


def chain(folder):
    """A million symbols of 64 kinds, made by 16 hidden states, and the tables that made them, as
    bench/hmm.c reads them."""
    def write(path):
        n, m, steps = 16, 64, 1_000_000
        rng = np.random.default_rng(11)
        start, move = rng.dirichlet(np.ones(n)), rng.dirichlet(np.ones(n), n)
        emit = rng.dirichlet(np.ones(m), n)
        turn, show, u = move.cumsum(1), emit.cumsum(1), rng.random((steps, 2))
        state, symbol = 0, np.empty(steps, np.int64)
        for t in range(steps):
            state = min(int(turn[state].searchsorted(u[t, 0])), n - 1)
            symbol[t] = min(int(show[state].searchsorted(u[t, 1])), m - 1)
        with open(path, "wb") as f:
            np.array([n, m, steps], np.int64).tofile(f)
            for table in (start, move, emit, symbol):
                table.tofile(f)
    return {"data": _once(os.path.join(folder, "chain"), write)}


def walks(folder):
    """1000 sequences of 1000 steps: 4 hidden states, 4 numbers that each has its own means of."""
    def write(path):
        d, k, sequences, steps = 4, 4, 1000, 1000
        rng = np.random.default_rng(12)
        mean, move = 1.5 * rng.standard_normal((k, d)), np.full((k, k), 0.05) + 0.8 * np.eye(k)
        state, x = rng.integers(0, k, sequences), np.empty((sequences, steps, d))
        for t in range(steps):
            x[:, t] = mean[state] + rng.standard_normal((sequences, d))
            state = (rng.random(sequences)[:, None] > move[state].cumsum(1)).sum(1).clip(0, k - 1)
        with open(path, "wb") as f:
            np.array([d, k, sequences, steps], np.int64).tofile(f)
            x.tofile(f)
    return {"data": _once(os.path.join(folder, "walks"), write)}


def heaps(folder, n, d, k, spread):
    """Rows around k centres, each of a width of its own, and a tenth of them anywhere."""
    def write(path):
        rng = np.random.default_rng(int(k))
        rows, home = int(n), rng.integers(0, int(k), int(n))
        X = 30 * rng.random((int(k), int(d)))[home]
        X += rng.uniform(0.2, 1, int(k))[home, None] * float(spread) * rng.standard_normal(X.shape)
        X[: rows // 10] = 30 * rng.random((rows // 10, int(d)))
        _save(path, X[rng.permutation(rows)])
    path = _once(os.path.join(folder, f"heaps-{n}-{d}-{k}-{spread}.npy"), write)
    return {"data": path, "test": path}


def blobs(folder):
    """1M x 16 floats around 200 centres."""
    def write(path):
        rng = np.random.default_rng(4)
        centres, home = rng.uniform(-10, 10, (200, 16)), rng.integers(0, 200, 1_000_000)
        _save(path, (centres[home] + 2 * rng.standard_normal((1_000_000, 16))).astype(np.float32))
    path = _once(os.path.join(folder, "blobs.npy"), write)
    return {"data": path, "test": path}


def pile(folder):
    """100k x 20 doubles of ten Gaussians with covariances of their own, which overlap so much that
    EM goes on for hundreds of iterations."""
    def write(path):
        rng = np.random.default_rng(21)
        n, d, k = 100_000, 20, 10
        means, mixes = rng.standard_normal((k, d)), rng.standard_normal((k, d, d)) / d ** 0.5
        means, mixes = 0.3 * means, 0.4 * mixes + np.eye(d)
        home, X = rng.integers(0, k, n), rng.standard_normal((n, d))
        for c in range(k):
            X[home == c] = means[c] + X[home == c] @ mixes[c].T
        _save(path, X)
    path = _once(os.path.join(folder, "pile.npy"), write)
    return {"data": path, "test": path}


def digits(folder, kind):
    """The pictures of MNIST's training part without their labels: bytes, or floats in [0, 1]."""
    def write(path):
        X = _mnist_part("train")[0]
        _save(path, X if kind == "byte" else X.astype(np.float32) / np.float32(255))
    path = _once(os.path.join(folder, f"digits-{kind}.npy"), write)
    return {"data": path, "test": path}


def photo(folder):
    """600 x 900 pixels as a PPM: slopes of light, discs, and the noise of a camera."""
    def write(path):
        rng = np.random.default_rng(31)
        y, x = np.mgrid[0:600, 0:900] / 600
        light = np.stack([130 + 90 * np.sin(3 * x + y), 120 + 80 * np.cos(2 * y * y + x),
                          140 + 70 * np.sin(4 * y - x)], 2)
        for _ in range(60):
            inside = (x - 1.5 * rng.random()) ** 2 + (y - rng.random()) ** 2 < 0.01 * rng.random()
            light[inside] = 0.4 * light[inside] + 0.6 * rng.uniform(0, 255, 3)
        light += 5 * rng.standard_normal(light.shape)
        with open(path, "wb") as f:
            f.write(b"P6\n900 600\n255\n")
            f.write(np.clip(np.rint(light), 0, 255).astype(np.uint8).tobytes())
    return {"data": _once(os.path.join(folder, "photo.ppm"), write)}


def characters(folder):
    """tiny-shakespeare as symbols, as bench/sequences.c reads them: 50 batches of 32 x 128."""
    def write(path):
        with gzip.open(os.path.join(os.environ["SAMARA_DATA"], "tiny-shakespeare",
                                    "input.txt.gz")) as f:
            text = np.frombuffer(f.read(), np.uint8)
        kinds, codes = np.unique(text, return_inverse=True)
        n = 50 * 32 * 128 + 1
        with open(path, "wb") as f:
            np.array([n, len(kinds)], np.int64).tofile(f)
            codes[:n].astype(np.uint8).tofile(f)
    return {"data": _once(os.path.join(folder, "characters"), write)}


def network(_, name):
    """A network of data/networks."""
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    return {"data": os.path.join(root, "data", "networks", name + ".txt")}


if __name__ == "__main__":
    import json
    import sys
    name, folder, *arguments = sys.argv[1:]
    print(json.dumps(globals()[name](folder, *arguments)))
