"""The peers of clusterings, called by peers.py."""
import numpy as np

from peer_parts import memory, options, say, say_fit, timed


def _say(fit, version):
    X = np.load(options.data)
    before = memory("VmRSS")
    seconds, labels = timed(lambda: fit(X))
    say_fit({"fit": seconds, "predict": 0.0, "row": 0.0}, version, np.asarray(labels, float),
            rss_before_fit_bytes=before)


def sklearn_dbscan():
    import sklearn
    from sklearn.cluster import DBSCAN
    _say(lambda X: DBSCAN(eps=0.3, min_samples=10, n_jobs=options.threads).fit(X).labels_,
         sklearn.__version__)


def sklearn_spectral():
    """Eleven neighbours, of which the row itself is one."""
    import sklearn
    from sklearn.cluster import SpectralClustering
    _say(lambda X: SpectralClustering(8, affinity="nearest_neighbors", n_neighbors=11,
                                      random_state=options.seed,
                                      n_jobs=options.threads).fit(X).labels_, sklearn.__version__)


def sklearn_isolation():
    """The defaults, which are samara's: 100 trees of 256 rows, and a threshold that has 5 % of the
    training rows below it, for which all are scored."""
    import sklearn
    from sklearn.ensemble import IsolationForest
    X = np.load(options.data)
    before = memory("VmRSS")
    forest = IsolationForest(contamination=0.05, n_jobs=options.threads,
                             random_state=options.seed)
    fit, _ = timed(lambda: forest.fit(X))
    predict, scores = timed(lambda: forest.score_samples(X))
    say_fit({"fit": fit, "predict": predict, "row": 0.0}, sklearn.__version__, scores,
            rss_before_fit_bytes=before)


def sklearn_lof():
    """Twenty neighbours.  Scores are of the rows that were learned; a fit knows them already."""
    import sklearn
    from sklearn.neighbors import LocalOutlierFactor
    X = np.load(options.data)
    before = memory("VmRSS")
    model = LocalOutlierFactor(20, contamination=0.05, novelty=True, n_jobs=options.threads)
    fit, _ = timed(lambda: model.fit(X))
    predict, _ = timed(lambda: model.score_samples(X))
    say_fit({"fit": fit, "predict": predict, "row": 0.0}, sklearn.__version__,
            model.negative_outlier_factor_, rss_before_fit_bytes=before)


def scipy_average():
    import scipy
    from scipy.cluster.hierarchy import fcluster, linkage
    _say(lambda X: fcluster(linkage(X, "average"), 30, "maxclust"), scipy.__version__)


def sklearn_pca():
    """The pictures as they come, in floats, which is what is fast."""
    import sklearn
    from sklearn.decomposition import PCA
    X = np.load(options.data)
    before = memory("VmRSS")
    model = PCA(50, svd_solver=options.algorithm, random_state=options.seed)
    try:
        fit, _ = timed(lambda: model.fit(X))
    except ValueError: # of a solver that came later
        say({}, sklearn.__version__,
            absent=f"scikit-learn {sklearn.__version__} has no such solver")
        return
    predict, Z = timed(lambda: model.transform(X))
    say_fit({"fit": fit, "predict": predict}, sklearn.__version__, Z[:1],
            model.explained_variance_, rss_before_fit_bytes=before)


def sklearn_kmeans():
    """From the centres that bench/clusters.c wrote; timed in floats, which are faster.  They label
    some rows otherwise than doubles do, so that the error of a number of iterations is that of the
    same fit in doubles, not timed."""
    import sklearn
    from sklearn.cluster import KMeans
    X = np.ascontiguousarray(np.load(options.data), np.float32)
    centres = np.fromfile(options.starts).reshape(-1, X.shape[1])
    before = memory("VmRSS")

    def prepare(kind):
        return KMeans(len(centres), init=centres.astype(kind), n_init=1, tol=options.eps,
                      max_iter=options.iterations, algorithm=options.algorithm)
    model = prepare(np.float32)
    fit, _ = timed(lambda: model.fit(X))
    peak = memory("VmHWM")
    predict, labels = timed(lambda: model.predict(X))
    measured = model
    if options.iterations < 1000:
        X = X.astype(np.float64)
        measured = prepare(np.float64).fit(X)
    error, middle = 0.0, measured.cluster_centers_.astype(np.float64)
    for lo in range(0, len(X), 10_000):
        off = X[lo:lo + 10_000] - middle[measured.labels_[lo:lo + 10_000]]
        error += float(np.einsum("ij,ij->", off, off))
    say_fit({"fit": fit, "predict": predict}, sklearn.__version__, labels, objective=error,
            iterations=model.n_iter_, rss_before_fit_bytes=before, fit_peak_memory_bytes=peak)


def sklearn_quantize():
    """KMeans of all pixels of a PPM as bench/datasets.py writes it, from the pixels in memory to
    those of the picture in fewer colours, which no file is made of."""
    import sklearn
    from sklearn.cluster import KMeans
    with open(options.data, "rb") as f:
        was = np.frombuffer(f.read().split(b"\n", 3)[3], np.uint8).reshape(-1, 3)
    before = memory("VmRSS")

    def work():
        model = KMeans(options.clusters, n_init=1, random_state=options.seed)
        labels = model.fit_predict(was.astype(np.float32))
        return np.rint(model.cluster_centers_).astype(np.uint8)[labels]
    seconds, now = timed(work)
    error = float(np.mean((was.astype(np.float64) - now) ** 2))
    say({"fit": seconds}, sklearn.__version__, objective=error, rss_before_fit_bytes=before)


def sklearn_mixture():
    """From shares, means and covariances of bench/clusters.c."""
    import sklearn
    from sklearn.mixture import GaussianMixture
    X = np.load(options.data)
    n, d = X.shape
    k = options.clusters
    share, mean, spread = np.split(np.fromfile(options.starts), [k, k + k * d])
    full = options.covariance == "full"
    spread = spread.reshape((k, d, d) if full else (k, d))
    model = GaussianMixture(k, covariance_type=options.covariance, tol=0, reg_covar=0,
                            max_iter=options.iterations, init_params="random",
                            weights_init=share / share.sum(),
                            means_init=mean.reshape(k, d),
                            precisions_init=np.linalg.inv(spread) if full else 1 / spread)
    before = memory("VmRSS")
    fit, _ = timed(lambda: model.fit(X))
    predict, labels = timed(lambda: model.predict(X))
    say_fit({"fit": fit, "predict": predict}, sklearn.__version__, labels,
            objective=-float(model.score(X)) * n, iterations=model.n_iter_,
            rss_before_fit_bytes=before)
