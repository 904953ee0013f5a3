"""The peers of clusterings without centres, called by peers.py."""
import numpy as np

from peer_parts import memory, options, say_fit, timed


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
    """The defaults, which are samara's: 100 trees of 256 rows."""
    import sklearn
    from sklearn.ensemble import IsolationForest
    X = np.load(options.data)
    before = memory("VmRSS")
    forest = IsolationForest(n_jobs=options.threads, random_state=options.seed)
    fit, _ = timed(lambda: forest.fit(X))
    predict, scores = timed(lambda: forest.score_samples(X))
    say_fit({"fit": fit, "predict": predict, "row": 0.0}, sklearn.__version__, scores,
            rss_before_fit_bytes=before)


def scipy_average():
    import scipy
    from scipy.cluster.hierarchy import fcluster, linkage
    _say(lambda X: fcluster(linkage(X, "average"), 30, "maxclust"), scipy.__version__)
