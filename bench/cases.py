"""The cases: which work, whose programs, what is compared, how much faster samara is wanted.

`samara` and every peer are command lines with {placeholders} for the files of `data`; `phases` are
those of "seconds" that are added up and compared.  `wanted` is peer's time over samara's.  `work`
states the least that any implementation of the algorithm must do (flop of a precision, bytes), for
the share of the machine's ceiling.  `stored` is rows x columns x width in bytes, the yardstick of
the memory; samara's programs fit with the option `spend`, as nobody needs the table afterwards.
{seed} in `data` or a command is the number of the repeat: other data, other random numbers.
"""
import collections

Peer = collections.namedtuple("Peer", "name command wanted")
Case = collections.namedtuple("Case", "name title data samara peers phases check work stored")

M = 1_000_000


def _read(name, title, data, peers, work, stored):
    return Case(name, title, data, "read --data {data}", peers, ["read"], "same_table", work,
                stored)


def _fit(name, title, data, spec, peers, phases, check, work, stored, extra=""):
    target = "none" if "density" in extra else "#-1"
    command = f"fit --spec '{spec}' --data {{data}} --target {target} --test {{test}} {extra}"
    return Case(name, title, data, command, peers, phases, check, work, stored)


def _cv(name, title, kind, spec, task, measure, peer, peer_command, wanted, stored):
    command = (f"cv --spec '{spec}' --data {{data}} --task {task} --measure {measure} "
               "--folds-out {folds}")
    scoring = f"--data {{data}} --folds {{folds}} --scoring {measure}"
    return Case(name, title, ["folds", kind], command,
                [Peer(peer, f"{peer_command} {scoring}", wanted)], ["set", "cv"], "same_scores", {},
                stored)


def _text(name, title, kind, spec, peers, check, stored):
    """Sparse text without intercept, l2 = C = 1: (LIBLINEAR's solver, eps) and the ratio wanted."""
    peers = [Peer(f"liblinear -s {s} -e {eps:g}",
                  f"liblinear --data {{data}} --test {{test}} --solver {s} --eps {eps}", wanted)
             for s, eps, wanted in peers]
    return _fit(name, title, ["text", kind], f"{spec} fit_intercept=no", peers, ["fit"], check, {},
                stored, "--task classify")


def _kernel(name, title, kind, C, gamma, phase, wanted, stored):
    """svm with an RBF kernel beside LIBSVM's programs, which read their files, and SVC in memory:
    samara's reading is counted against both."""
    how = f"--data {{data}} --test {{test}} --C {C} --gamma {gamma}"
    peers = [Peer("LIBSVM", f"libsvm_kernel {how}", wanted),
             Peer("sklearn SVC", f"sklearn_svc {how}", wanted)]
    return _fit(f"kernel-{name}", title, ["kernel", kind], f"svm {C} kernel=rbf(gamma={gamma})",
                peers, ["read", "fit"] if phase == "fit" else ["predict"], "same_machine", {},
                stored, "--task classify")


def _bayes(name, title, data, spec, peer, command, fit, predict, bytes_, stored):
    """Two cases: the fit, and the labels of the same rows."""
    return [_fit(f"{name}-{phase}", f"{title}: {phase}", data, spec,
                 [Peer(peer, f"{command} {FILES}", wanted)], [phase], "same_labels",
                 {"bytes": bytes_}, stored, "--task classify")
            for phase, wanted in (("fit", fit), ("predict", predict))]


def _words(name, title, spec, extra, wanted):
    command = f"words --spec '{spec}' --target label --data {{data}}"
    return Case(name, title, ["newsgroups"], command,
                [Peer("sklearn vectorizer", f"sklearn_words --data {{data}} {extra}", wanted)],
                ["fit"], "same_words", {}, 22 * M)


def _trees(name, title, data, spec, peers, check, stored, phases=("fit",), extra=""):
    """Classes of numbered kinds; every repeat has a seed of its own, for the data and for both."""
    peers = [Peer(who, f"{command} --data {{data}} --test {{test}} --seed {{seed}}", wanted)
             for who, command, wanted in peers]
    return _fit(name, title, data, spec, peers, list(phases), check, {}, stored,
                f"--task classify --seed {{seed}} {extra}")


def _transform(name, spec, peer, command, check):
    return _fit(f"transforms-{name}", f"{spec}, 200k x 20", ["skewed"], spec,
                [Peer(peer, f"{command} {FILES}", 2.0)], ["fit"], check,
                {"bytes": 200_000 * 20 * 8}, 200_000 * 21 * 8)


def _components(name, solver, wanted):
    """Fifty components of MNIST's pictures."""
    return Case(f"pca-{name}", f"pca 50, MNIST as floats, beside {solver}", ["digits", "float"],
                f"fit --spec 'pca 50' {FILES} --target none --state variance",
                [Peer("sklearn PCA", f"sklearn_pca {FILES} --algorithm {solver} --seed {{seed}}",
                      wanted)], ["fit"], "no_less_variance", {}, 60_000 * 784 * 4)


def _factor(name, title, work, m, n, wanted, flop):
    """A factorisation beside OpenBLAS's, which the same program opens."""
    command = f"factor --work {work} --rows {m} --cols {n} --seed {{seed}}"
    return Case(f"factor-{name}", title, ["nothing"], command,
                [Peer("OpenBLAS", f"{command} --side openblas", wanted)], ["factor"],
                "same_factors", {"f64": flop}, m * n * 8)


def _chain(phase, title, hmmlearn):
    """One phase of a program that does three: against loops that numba compiles, and hmmlearn."""
    return Case(f"hmm-{phase}", f"hmm, 16 states, 64 symbols, 1M steps: {title}", ["chain"],
                "hmm --work chain --data {data}",
                [Peer("loops by numba", "numba_chain --data {data}", 3.0),
                 Peer("hmmlearn CategoricalHMM", "hmmlearn_chain --data {data}", hmmlearn)],
                [phase], "same_likelihoods", {}, M * 8)


def _network(name, title, phase):
    """Marginals of all variables of alarm, given three findings.  pgmpy's BeliefPropagation is left
    out: its tree of cliques alone takes minutes."""
    words = "--data {data} --query 'P(* | HRBP=HIGH, PRESS=LOW, HISTORY=TRUE)'"
    out = " --test {data}" # so that both write the probabilities
    return Case(f"networks-{name}", title, ["network", "alarm"], f"networks {words}{out}",
                [Peer("pgmpy VariableElimination", f"pgmpy_elimination {words}{out}", 50.0)],
                [phase], "same_marginals", {}, 509 * 8)


def _clusters(name, title, data, spec, peer, command, wanted):
    """A clustering beside a peer's: the same groups."""
    n, d = int(data[1]), int(data[2])
    command = f"{command} {FILES} --seed {{seed}}"
    return Case(f"clusters-{name}", title, data,
                f"fit --spec '{spec}' --data {{data}} --test {{test}} --task cluster",
                [Peer(peer, command, wanted)], ["fit"], "same_groups", {}, n * d * 8)


def _outliers(name, title, data, spec, peer, command, fit, predict):
    """Scores of the training rows, in the same order as the peer's but for its draws.  A fit also
    scores them, for the threshold, on both sides."""
    n, d = int(data[1]), int(data[2])
    mine = f"fit --spec '{spec}' {FILES} --task outliers --seed {{seed}}"
    return [Case(f"outliers-{name}-{phase}", f"{title}: {phase}", data, mine,
                 [Peer(peer, f"{command} {FILES} --seed {{seed}}", wanted)], [phase],
                 "same_order", {"bytes": n * d * 8}, n * d * 8)
            for phase, wanted in (("fit", fit), ("predict", predict))]


def _centres(name, title, data, k, iterations, wanted, work, stored, phase="fit"):
    """k-means from one start, as many iterations, or (0) until no row changes its cluster."""
    most = iterations or 100_000
    check = "same_error" if iterations else "no_larger_error"
    command = (f"clusters --begin 'kmeans {k} start=random starts=1 max_iter=1 tol=0' "
               f"--spec 'kmeans {k} max_iter={most} tol=0' --data {{data}} --starts {{folds}}")
    peer = f"sklearn_kmeans {FILES} --starts {{folds}} --iterations {most} --eps 0"
    return Case(f"kmeans-{name}", title, data, f"{command} --test {{test}} --seed {{seed}}",
                [Peer("sklearn KMeans lloyd", peer, wanted)], [phase], check,
                {"f32": work * k * (iterations + 1)} if iterations else {}, stored)


def _mixture(covariance, name, wanted):
    """EM from one start, twenty iterations, of rows on which nobody is done before."""
    sentence = f"gmm 10 covariance={covariance} start=random tol=0 floor=1e-12"
    command = (f"clusters --begin '{sentence} restarts=1 max_iter=1' --spec '{sentence} "
               "max_iter=20' --data {data} --starts {folds} --test {test} --seed {seed}")
    peer = f"sklearn_mixture {FILES} --starts {{folds}} --iterations 20 --covariance {name}"
    return Case(f"gmm-{covariance}", f"gmm 10 {covariance}, 100k x 20, 20 iterations", ["pile"],
                command, [Peer("sklearn GaussianMixture", peer, wanted)], ["fit"],
                "same_mixture", {}, 100_000 * 20 * 8)


def _strings(name, title, strings, wanted, stored):
    """A Gram matrix of strings beside the textbook's programme, which does a fiftieth of it."""
    return Case(f"strings-{name}", title, ["nothing"], f"strings {strings} --seed {{seed}}",
                [Peer("plain C", f"strings {strings} --seed {{seed}} --side plain", wanted)],
                ["gram"], "same_strings", {}, stored)


FILES = "--data {data} --test {test}"
COUNTS, NEWS = 1_812_000 * 12, 1_714_000 * 12
MNIST_FLOP = 2.0 * 10_000 * 60_000 * 784

CASES = [
    _read("csv", "CSV 1M x 20 into a table", ["csv"],
          [Peer("pandas read_csv", "pandas_csv --data {data}", 5.0),
           Peer("polars read_csv", "polars_csv --data {data}", 3.0),
           Peer("pyarrow read_csv", "pyarrow_csv --data {data}", 3.0),
           Peer("DuckDB read_csv", "duckdb_csv --data {data}", 3.0)],
          {"bytes": "{data}"}, 20 * M * 8),
    _read("libsvm", "LIBSVM, 100 MB, into a table", ["libsvm"],
          [Peer("sklearn svmlight", "sklearn_libsvm --data {data}", 10.0)],
          {"bytes": "{data}"}, 7 * M * 12),
    _fit("knn-mnist-float", "knn 5, MNIST as floats, 10k rows", ["mnist", "float"], "knn 5",
         [Peer("sklearn brute f32", f"sklearn_knn {FILES} --dtype float32", 2.0),
          Peer("sklearn brute f64", f"sklearn_knn {FILES} --dtype float64", 2.0),
          Peer("faiss flat", f"faiss_flat {FILES}", 1.1)],
         ["fit", "predict"], "same_labels", {"f32": MNIST_FLOP}, 60_000 * 785 * 4,
         "--task classify"),
    _fit("knn-mnist-byte", "knn 5, MNIST as bytes, 10k rows", ["mnist", "byte"], "knn 5",
         [Peer("sklearn brute f32", f"sklearn_knn {FILES} --dtype float32", 2.0),
          Peer("faiss flat", f"faiss_flat {FILES}", 1.1)],
         ["fit", "predict"], "same_labels", {}, 60_000 * 785,
         "--task classify"),
    _fit("knn-row-float", "knn 5, MNIST as floats, one row", ["mnist", "float"], "knn 5",
         [Peer("sklearn brute f32", f"sklearn_knn {FILES} --dtype float32 --one-row 20", 2.5),
          Peer("faiss flat", f"faiss_flat {FILES} --one-row 50", 2.5)],
         ["row"], "same_labels", {"bytes": 60_000 * 784 * 4}, 60_000 * 785 * 4,
         "--task classify --one-row 9"),
    _fit("knn-row-byte", "knn 5, MNIST as bytes, one row", ["mnist", "byte"], "knn 5",
         [Peer("sklearn brute f32", f"sklearn_knn {FILES} --dtype float32 --one-row 20", 8.0),
          Peer("faiss flat", f"faiss_flat {FILES} --one-row 50", 8.0)],
         ["row"], "same_labels", {"bytes": 60_000 * 784}, 60_000 * 785,
         "--task classify --one-row 9"),
    _fit("knn-2d", "knn 5, 1M points in 2-D, 100k queries", ["points", "2"], "knn 5",
         [Peer("scipy cKDTree", f"scipy_tree {FILES}", 2.0)],
         ["fit", "predict"], "same_values", {}, M * 3 * 8, "--task regress"),
    _fit("knn-8d", "knn 5, 1M points in 8-D, 100k queries", ["points", "8"], "knn 5",
         [Peer("scipy cKDTree", f"scipy_tree {FILES}", 2.0)],
         ["fit", "predict"], "same_values", {}, M * 9 * 8, "--task regress"),
    *_bayes("bayes", "bayes 1M x 20, 10 classes", ["clouds"], "bayes", "sklearn GaussianNB",
            "sklearn_gaussian_nb", 15.0, 40.0, M * 20 * 8, M * 21 * 8),
    *_bayes("gauss", "gauss full 1M x 20, 10 classes", ["clouds"], "gauss", "sklearn QDA",
            "sklearn_qda", 15.0, 10.0, M * 20 * 8, M * 21 * 8),
    *_bayes("gauss-shared", "gauss shared 1M x 20, 10 classes", ["clouds"], "gauss shared",
            "sklearn LDA", "sklearn_lda", 15.0, 5.0, M * 20 * 8, M * 21 * 8),
    *_bayes("bayes-words", "bayes multinomial 20k x 50k sparse, 20 classes", ["text", "counts20"],
            "bayes", "sklearn MultinomialNB", "sklearn_multinomial_nb", 10.0, 10.0,
            20 * 50_000 * 8 + 2_400_000 * 12, 2_400_000 * 12),
    _chain("forward", "forward", 3.0),
    _chain("viterbi", "Viterbi", 3.0),
    _chain("step", "one step of EM", 3.0),
    Case("hmm-gauss", "hmm 4, 1000 sequences of 1000 x 4, 10 steps of EM", ["walks"],
         "hmm --work gauss --data {data} --starts {folds}",
         [Peer("hmmlearn GaussianHMM", "hmmlearn_gauss --data {data} --starts {folds}", 5.0)],
         ["fit"], "same_likelihood", {}, M * 4 * 8),
    _network("anew", "exact marginals of alarm, network as read", "anew"),
    _network("kept", "exact marginals of alarm, prepared", "kept"),
    _fit("density", "density, bandwidth 0.4, 100k x 3 at 100k places", ["lumps"],
         "density 0.4 rtol=1e-6",
         [Peer("sklearn KernelDensity, rtol 1e-6", f"sklearn_density {FILES} --eps 1e-6", 5.0)],
         ["fit", "predict"], "same_densities", {}, 100_000 * 3 * 8, "--task density"),
    _fit("linear", "linear 1M x 50", ["regression", "plain"], "linear",
         [Peer("sklearn LinearRegression", f"sklearn_linear {FILES}", 20.0)],
         ["fit"], "same_coefficients", {"f64": M * 50.0 * 50, "bytes": M * 50 * 8}, M * 51 * 8,
         "--state coef"),
    _fit("linear-qr", "linear 1M x 50, nearly collinear", ["regression", "collinear"], "linear",
         [Peer("sklearn LinearRegression", f"sklearn_linear {FILES}", 10.0)],
         ["fit"], "same_values_qr", {"f64": 2.0 * M * 50 * 50, "bytes": M * 50 * 8}, M * 51 * 8,
         "--state coef"),
    _fit("ridge", "ridge 1 on 1M x 50", ["regression", "plain"], "ridge 1",
         [Peer("sklearn Ridge", f"sklearn_ridge {FILES} --l2 1", 4.0)],
         ["fit"], "same_coefficients", {"f64": M * 50.0 * 50, "bytes": M * 50 * 8}, M * 51 * 8,
         "--state coef"),
    _fit("krr", "krr 1, rbf, 10k x 50", ["waves"],
         "krr 1 kernel=rbf(gamma=0.02) fit_intercept=no",
         [Peer("sklearn KernelRidge", f"sklearn_kernel_ridge {FILES} --l2 1", 1.5)],
         ["fit", "predict"], "same_values", {"f64": 1e4 * 1e4 * (1e4 / 3 + 50)}, 10_000 * 51 * 8,
         "--task regress"),
    _strings("subsequence", "subsequence kernel, 500 strings of 500 letters, length 5",
             "--n 500 --symbols 500 --length 5", 5.0, 500 * 500 * 8),
    _fit("lasso-path", "lasso path, 100 penalties, 200k x 100", ["lasso"],
         "lasso path=100 folds=0 fit_intercept=no",
         [Peer("sklearn lasso_path", f"sklearn_lasso_path {FILES}", 3.0)],
         ["fit"], "no_larger_objectives", {"f64": 2e5 * 100 * 100, "bytes": 2e5 * 100 * 8},
         200_000 * 101 * 8, "--state path_objective"),
    _fit("lasso-cv", "lasso, 100 penalties by 5 folds, 200k x 100", ["lasso"], "lasso folds=5",
         [Peer("sklearn LassoCV", f"sklearn_lasso_cv {FILES}", 5.0)],
         ["fit"], "same_least_error", {"f64": 2e5 * 100 * 100, "bytes": 2e5 * 100 * 8},
         200_000 * 101 * 8, "--state cv_error"),
    _fit("select-correlation", "select k=10 | linear, 1M x 50", ["regression", "plain"],
         "select k=10 | linear",
         [Peer("sklearn SelectKBest", f"sklearn_select_k_best {FILES}", 5.0)],
         ["fit"], "same_values", {"bytes": M * 50 * 8}, M * 51 * 8, "--task regress"),
    _fit("select-forward", "select forward k=3 | linear, 200k x 100, 5 folds", ["lasso"],
         "select forward k=3 | linear",
         [Peer("sklearn SequentialFeatureSelector", f"sklearn_select_forward {FILES}", 5.0)],
         ["fit"], "same_values", {"f64": 2e5 * 100 * 100, "bytes": 2e5 * 100 * 8},
         200_000 * 101 * 8, "--task regress"),
    _fit("row", "linear, 50 features, one row (wanted < 1 us)", ["regression", "plain"], "linear",
         [Peer("sklearn LinearRegression", f"sklearn_linear {FILES} --one-row 300", None)],
         ["row"], "one_microsecond", {}, M * 51 * 8, "--one-row 20001"),
    _fit("logistic", "logistic, 1M x 50, l2=1", ["binary"], "logistic",
         [Peer("sklearn LogisticRegression", f"sklearn_logistic {FILES}", 6.0)],
         ["fit"], "same_objective", {"bytes": 5.0 * M * 50 * 8}, M * 51 * 8, "--task classify"),
    _fit("softmax-f64", "softmax, MNIST as doubles", ["mnist", "double"], "logistic max_iter=40",
         [Peer("sklearn lbfgs, 100 iterations", f"sklearn_logistic {FILES} --dtype float64", 3.0)],
         ["fit"], "no_worse_objective", {}, 60_000 * 785 * 8, "--task classify"),
    _fit("softmax-f32", "softmax, MNIST as floats", ["mnist", "float"], "logistic max_iter=40",
         [Peer("sklearn lbfgs, 100 iterations", f"sklearn_logistic {FILES} --dtype float64", 5.0)],
         ["fit"], "no_worse_objective", {}, 60_000 * 785 * 4, "--task classify"),
    # l2 = 255^2 on bytes is l2 = 1 on bytes / 255: the same problem, in other units.
    _fit("softmax-u8", "softmax, MNIST as bytes", ["mnist", "byte"],
         "logistic l2=65025 max_iter=40",
         [Peer("sklearn lbfgs, 100 iterations",
               f"sklearn_logistic {FILES} --dtype float64 --divide 255", 5.0)],
         ["fit"], "no_worse_objective", {}, 60_000 * 785, "--task classify"),
    # each at equal objective to 1e-6, and once more where LIBLINEAR's default tolerance stops
    _text("text-svm", "svm, hinge, counts 15k x 50k", "counts", "svm tol=1e-6",
          [(3, 1e-7, 2.0)], "same_objective", COUNTS),
    _text("text-svm-loose", "the same, loosely", "counts", "svm tol=0.3",
          [(3, 0.1, 2.0)], "no_worse_objective", COUNTS),
    _text("text-svm-squared", "svm, squared hinge, counts 15k x 50k", "counts",
          "svm loss=squared_hinge tol=1e-6", [(1, 3e-4, 2.0)], "same_objective", COUNTS),
    _text("text-svm-squared-loose", "the same, loosely", "counts",
          "svm loss=squared_hinge tol=1e-2", [(1, 0.1, 2.0), (2, 0.01, 2.0)],
          "no_worse_objective", COUNTS),
    _text("text-svm-news", "svm, hinge, 20 Newsgroups", "news", "svm tol=1e-6",
          [(3, 1e-4, 2.0)], "same_objective", NEWS),
    _text("text-svm-news-loose", "the same, loosely", "news", "svm tol=1e-3",
          [(3, 0.1, 2.0)], "no_worse_objective", NEWS),
    _text("text-svm-news-squared", "svm, squared hinge, 20 Newsgroups", "news",
          "svm loss=squared_hinge tol=1e-6", [(1, 0.02, 2.0), (2, 1e-4, 2.0)], "same_objective",
          NEWS),
    _text("text-svm-news-squared-loose", "the same, loosely", "news",
          "svm loss=squared_hinge tol=1e-6", [(1, 0.1, 2.0), (2, 0.01, 2.0)],
          "no_worse_objective", NEWS),
    # LIBLINEAR ends at its 1000 passes, short of its tolerance, above samara's objective
    _fit("svm-tall", "svm, hinge, 300k x 28 floats", ["tall", "300000"], "svm",
         [Peer("sklearn LinearSVC", f"sklearn_hinge {FILES}", 30.0)], ["fit"],
         "no_worse_objective", {"bytes": 6.0 * 300_000 * 28 * 4}, 300_000 * 29 * 4,
         "--task classify"),
    _fit("svm-tall-1m", "svm, hinge, 1M x 28 floats", ["tall", "1000000"], "svm",
         [Peer("sklearn LinearSVC", f"sklearn_hinge {FILES}", 30.0)], ["fit"],
         "no_worse_objective", {"bytes": 6.0 * M * 28 * 4}, M * 29 * 4, "--task classify"),
    _kernel("fashion2", "svm rbf, Fashion-MNIST, two classes 12k x 784", "fashion2", 10, 0.01,
            "fit", 10.0, 12_000 * 784 * 8),
    _kernel("fashion2-predict", "prediction, 2000 rows", "fashion2", 10, 0.01, "predict", 10.0,
            12_000 * 784 * 8),
    _kernel("fashion10", "svm rbf, Fashion-MNIST, ten classes 10k x 784", "fashion10", 10, 0.01,
            "fit", 10.0, 10_000 * 784 * 8),
    _kernel("fashion10-predict", "prediction, 10k rows", "fashion10", 10, 0.01, "predict", 10.0,
            10_000 * 784 * 8),
    _kernel("a9a", "svm rbf, a9a 32k x 123, sparse", "a9a", 1, 0.05, "fit", 10.0,
            32_561 * 14 * 12),
    _kernel("a9a-predict", "prediction, 16,281 rows", "a9a", 1, 0.05, "predict", 10.0,
            32_561 * 14 * 12),
    _text("text-logistic", "logistic, counts 15k x 50k", "counts", "logistic tol=1e-6",
          [(7, 0.03, 2.0), (0, 1e-5, 2.0)], "same_objective", COUNTS),
    _text("text-logistic-loose", "the same, loosely", "counts", "logistic tol=1e-5",
          [(7, 0.1, 2.0), (0, 0.01, 2.0)], "no_worse_objective", COUNTS),
    _text("text-logistic-news", "logistic, 20 Newsgroups in two classes", "news2",
          "logistic tol=1e-6", [(7, 0.05, 2.0), (0, 1e-4, 2.0)], "same_objective", NEWS),
    _text("text-logistic-news-loose", "the same, loosely", "news2", "logistic tol=1e-6",
          [(7, 0.1, 2.0), (0, 0.01, 2.0)], "no_worse_objective", NEWS),
    _text("text-logistic-l1", "logistic l1=1, counts 15k x 50k", "counts",
          "logistic l1=1 l2=0 tol=1e-5", [(6, 3e-6, 2.0)], "same_objective", COUNTS),
    _text("text-logistic-l1-news", "logistic l1=1, 20 Newsgroups in two classes", "news2",
          "logistic l1=1 l2=0 tol=5e-4", [(6, 1e-4, 2.0)], "same_objective", NEWS),
    _fit("huber", "huber 200k x 50, t errors, scale fitted", ["robust", "huber"], "huber l2=1e-4",
         [Peer("sklearn HuberRegressor", f"sklearn_huber {FILES} --l2 1e-4", 10.0)],
         ["fit"], "no_larger_objectives", {"f64": 200_000 * 50.0 * 50, "bytes": 200_000 * 51 * 8},
         200_000 * 51 * 8, "--state objective"),
    _fit("lad", "lad 20k x 20, t errors, exact", ["robust", "lad"], "lad",
         [Peer("sklearn QuantileRegressor highs", f"sklearn_lad {FILES}", 10.0)],
         ["fit"], "no_larger_objectives", {"f64": 20_000 * 20.0 * 20}, 20_000 * 21 * 8,
         "--state objective"),
    _fit("poisson", "poisson 200k x 50", ["robust", "poisson"], "poisson l2=1",
         [Peer("sklearn PoissonRegressor", f"sklearn_poisson {FILES} --l2 1", 3.0)],
         ["fit"], "no_larger_objectives", {"f64": 200_000 * 50.0 * 50, "bytes": 200_000 * 51 * 8},
         200_000 * 51 * 8, "--state objective"),
    _components("full", "full", 5.0),
    _components("covariance", "covariance_eigh", None),
    _components("random", "randomized", 2.0),
    _transform("power", "power", "sklearn PowerTransformer", "sklearn_power", "same_powers"),
    _transform("ranks", "ranks", "sklearn QuantileTransformer", "sklearn_quantile",
               "same_places"),
    _transform("bin", "bin 10", "sklearn KBinsDiscretizer", "sklearn_bins", "same_values"),
    _transform("robust", "scale robust", "sklearn RobustScaler", "sklearn_robust",
               "same_values"),
    _fit("transforms-encode", "encode 10, 200k rows, 2320 levels", ["levels"], "encode 10",
         [Peer("sklearn TargetEncoder", f"sklearn_encode {FILES}", 2.0)],
         ["fit"], "same_values", {}, 200_000 * 4 * 8, "--task regress"),
    _words("words", "20 Newsgroups, counts of words", "words text", "", 10.0),
    _words("words-tfidf", "20 Newsgroups, tf-idf of words and pairs",
           "words text max_n=2 weight=tfidf", "--ngrams 2 --tfidf", 10.0),
    _cv("cv-ridge", "10-fold cv of ridge 1, 200k x 50", "regression", "ridge 1", "regress", "r2",
        "cross_val_score Ridge", "sklearn_cv_ridge", 3.0, 200_000 * 51 * 8),
    _cv("cv-linear", "10-fold cv of linear, 200k x 50", "regression", "linear", "regress", "r2",
        "cross_val_score LinearRegression", "sklearn_cv_linear", 3.0, 200_000 * 51 * 8),
    _cv("cv-knn-64d", "10-fold cv of knn 5, 20k x 64, classes", "digits", "knn 5", "classify",
        "accuracy", "cross_val_score KNeighbors", "sklearn_cv_knn_classes", 3.0, 20_000 * 65 * 8),
    _cv("cv-knn-8d", "10-fold cv of knn 5, 200k x 8, numbers", "points", "knn 5", "regress", "r2",
        "cross_val_score KNeighbors", "sklearn_cv_knn_numbers", 3.0, 200_000 * 9 * 8),
    Case("tune-tree", "grid of 8 depths of tree, 5 folds, 569 x 30", ["small", "breast_cancer.csv"],
         "study --work tune --spec tree --over max_depth=1,2,3,4,5,6,7,8 --data {data}",
         [Peer("GridSearchCV DecisionTree", "sklearn_tune_tree --data {data}", 3.0)], ["work"],
         "as_good_a_score", {}, 569 * 31 * 8),
    Case("importance-ridge", "permutation importance of ridge, 1M x 20", ["wide_rows"],
         "study --work importance --spec 'ridge 1' --data {data}",
         [Peer("permutation_importance Ridge", "sklearn_importance --data {data}", 5.0)], ["work"],
         "same_importance", {}, M * 21 * 8),
    Case("describe-target", "describe --target, 1M x 20 (wanted <= 0.5 s)", ["wide_rows"],
         "study --work describe --data {data}",
         [Peer("pandas describe, corr, rank", "pandas_describe --data {data}", None)], ["work"],
         "half_a_second", {}, M * 21 * 8),
    Case("stream", "stream logistic from CSV, 1M x 50", ["logistic_csv"],
         "stream --spec 'sgd logistic' --data {data} --target label",
         [Peer("sklearn partial_fit, pandas chunks", "sklearn_stream --data {data}", 8.0)],
         ["stream"], "not_worse", {"bytes": "{data}"}, M * 51 * 8),
    _trees("boost-higgs", "boost, 100 rounds x 31 leaves, 1M x 28", ["higgs", "{seed}"],
           "boost 100 max_leaves=31",
           [("XGBoost hist", "xgboost_boost", 1.5), ("sklearn HistGB", "sklearn_boost", 2.0),
            ("LightGBM", "lightgbm_boost", 1.0)], "boosted", M * 29 * 4),
    _trees("boost-covertype", "boost, 100 rounds x 31 leaves, covertype", ["covertype", "{seed}"],
           "boost 100 max_leaves=31",
           [("XGBoost hist", "xgboost_boost", 1.2), ("sklearn HistGB", "sklearn_boost", 2.0),
            ("LightGBM", "lightgbm_boost", 1.0)], "boosted", 74_369 * 55 * 4),
    _trees("boost-text", "boost, 20 rounds x 31 leaves, 20 Newsgroups in two classes",
           ["text", "news2"], "boost 20 max_leaves=31", [("XGBoost hist", "xgboost_text", 1.5)],
           "as_accurate", NEWS),
    _trees("forest-fashion", "forest, 100 trees, Fashion-MNIST bytes", ["fashion"], "forest 100",
           [("sklearn RandomForest", "sklearn_forest", 10.0)], "as_accurate", 60_000 * 785),
    _trees("forest-covertype", "forest, 100 trees, covertype", ["covertype", "{seed}"],
           "forest 100", [("sklearn RandomForest", "sklearn_forest", 4.0)], "as_accurate",
           74_369 * 55 * 4),
    _trees("net-mlp", "net 784-512-512-10, MNIST, batches of 128, 2 epochs", ["mnist", "float"],
           "scale by=maxabs | net (repeat 2 (dense 512 | relu)) epochs=2 batch=128 tol=0",
           [("PyTorch", "torch_mlp", 1.3), ("sklearn MLPClassifier", "sklearn_mlp", 2.0)],
           "as_accurate", 60_000 * 785 * 4),
    *[Case(f"net-lstm-{phase}", f"lstm 256, windows of 128 characters: {title}", ["characters"],
           "sequences --data {data} --seed {seed}",
           [Peer("PyTorch", "torch_lstm --data {data} --seed {seed}", wanted)], [phase],
           "no_more_surprised", {"f32": flop}, 204_801)
      for phase, title, wanted, flop in (
          ("fit", "50 batches of 32", 1.3, 6 * 204_800 * (4 * 256 * 512 + 256 * 65)),
          ("character", "one more", 2.0, 2 * (4 * 256 * 512 + 256 * 65)))],
    _trees("tree-fashion", "tree, Fashion-MNIST bytes", ["fashion"], "tree",
           [("sklearn DecisionTree", "sklearn_tree", 40.0)], "as_accurate", 60_000 * 785),
    _trees("tree-covertype", "tree, covertype", ["covertype", "{seed}"], "tree",
           [("sklearn DecisionTree", "sklearn_tree", 3.0)], "as_accurate", 74_369 * 55 * 4),
    _trees("adaboost", "adaboost, 200 stumps, 100k x 50", ["stumps", "{seed}"],
           "adaboost 200 of=(stump)", [("sklearn AdaBoost", "sklearn_adaboost", 10.0)],
           "as_accurate", 100_000 * 51 * 4),
    _trees("row-trees", "one row, 100 trees x 255 leaves (wanted <= 10 us)", ["higgs", "{seed}"],
           "boost 100 max_leaves=255",
           [("XGBoost inplace_predict", "xgboost_boost --leaves 255 --one-row 300", None)],
           "ten_microseconds", M * 29 * 4, ["row"], "--one-row 5001"),
    _trees("batch-trees", "100k rows, 100 trees x 255 leaves", ["higgs", "{seed}"],
           "boost 100 max_leaves=255",
           [("XGBoost inplace_predict", "xgboost_boost --leaves 255", 2.0)], "as_accurate",
           M * 29 * 4, ["predict"]),
    _factor("cholesky-500", "Cholesky, n = 500", "cholesky", 500, 500, 1.0, 500**3 / 3),
    _factor("cholesky-4000", "Cholesky, n = 4000", "cholesky", 4000, 4000, 1.0, 4000**3 / 3),
    _factor("cholesky-10000", "Cholesky, n = 10000", "cholesky", 10_000, 10_000, 1.0, 1e12 / 3),
    _factor("qr-tall", "QR 1,000,000 x 50", "qr", M, 50, 2.0, 2.0 * M * 2500),
    _factor("qr-pivoted", "pivoted QR 5000 x 500", "pivoted", 5000, 500, 1.0,
            2.0 * 500**2 * (5000 - 500 / 3)),
    _factor("qr-2000", "QR 2000 x 2000", "qr", 2000, 2000, None, 4 / 3 * 2000**3),
    _factor("lu-2000", "LU, n = 2000", "lu", 2000, 2000, 0.9, 2 / 3 * 2000**3),
    _factor("eigen-50", "symmetric eigen, n = 50", "eigen", 50, 50, 1.5, 4 / 3 * 50**3),
    _factor("eigen-500", "symmetric eigen, n = 500", "eigen", 500, 500, 1.0, 10 / 3 * 500**3),
    _factor("eigen-2000", "symmetric eigen, n = 2000", "eigen", 2000, 2000, 0.9, 10 / 3 * 2000**3),
    _factor("svd-tall", "singular values, 100,000 x 50", "svd", 100_000, 50, 2.0, 4e5 * 2500),
    _factor("svd-2000", "singular values, 2000 x 500", "svd", 2000, 500, 0.9,
            4.0 * 2000 * 500**2 + 8 * 500**3),
    _clusters("dbscan", "dbscan, 200k x 3", ["heaps", "200000", "3", "60", "1"],
              "dbscan 0.3 min_rows=10", "sklearn DBSCAN", "sklearn_dbscan", 5.0),
    _clusters("average", "agglomerate average, 20k x 10", ["heaps", "20000", "10", "30", "3"],
              "agglomerate 30 linkage=average", "scipy linkage", "scipy_average", 2.0),
    _clusters("spectral", "spectral, 5k x 6, ten nearest", ["heaps", "5000", "6", "8", "2"],
              "spectral 8 neighbors=10", "sklearn SpectralClustering", "sklearn_spectral", 5.0),
    *_outliers("lof", "lof 20, 100k x 5", ["heaps", "100000", "5", "30", "1"], "lof",
               "sklearn LocalOutlierFactor", "sklearn_lof", None, None),
    *_outliers("isolation", "isolation, 200k x 16", ["heaps", "200000", "16", "30", "1"],
               "isolation", "sklearn IsolationForest", "sklearn_isolation", 5.0, 5.0),
    *(_centres(f"{k}-blobs", f"kmeans {k}, 1M x 16 floats, {i} iterations", ["blobs"], k, i, wanted,
               2.0 * M * 16, 16 * M * 4)
      for k, i, wanted in ((10, 20, 5.0), (100, 20, 4.0), (1000, 10, 3.0))),
    *(_centres(f"{k}-mnist", f"kmeans {k}, MNIST as floats, {i} iterations", ["digits", "float"], k,
               i, wanted, 2.0 * 60_000 * 784, 60_000 * 784 * 4)
      for k, i, wanted in ((10, 20, 4.0), (100, 20, 1.3), (1000, 10, 1.1))),
    *(_centres(f"{k}-whole", f"kmeans {k}, MNIST as floats, to the end", ["digits", "float"],
               k, 0, 2.0, 0, 60_000 * 784 * 4) for k in (10, 100, 1000)),
    _centres("100-bytes", "kmeans 100, MNIST as bytes, 20 iterations", ["digits", "byte"],
             100, 20, 1.3, 2.0 * 60_000 * 784, 60_000 * 784),
    _centres("predict", "kmeans 1000, 1M x 16 floats: labels", ["blobs"], 1000, 1, 1.0, 0,
             16 * M * 4, "predict"),
    *(Case(f"quantize-{k}", f"quantize, 600 x 900 pixels in {k} colours", ["photo"],
           f"quantize --data {{data}} --clusters {k} --seed {{seed}}",
           [Peer("sklearn KMeans", f"sklearn_quantize --data {{data}} --clusters {k} "
                                   "--seed {seed}", None)], ["fit"], "near_error", {},
           600 * 900 * 3) for k in (16, 64)),
    _mixture("full", "full", 10.0),
    _mixture("diagonal", "diag", 12.0),
]
