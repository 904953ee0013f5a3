#!/usr/bin/env python3
"""How good the defaults are: samara's learners and their peers, nothing set, on twenty-four real
tables.

    bench/defaults.py --build BUILD [--no-newest] [--renew] [--write FILE] [--tables NAME,...]
                      [--pairs NAME,...]

Every table is cut to at most 1000 rows (drawn once, by a fixed seed) and divided into ten folds, by
class where there are classes; the folds are the same for everybody.  samara reads the fold's CSV
files as a user's.  Texts are counted, by `words` here and by the peer's CountVectorizer, which
takes words of two letters or more: with `words min_length=2` both learners get the same counts,
with `words` alone, which takes words of one letter too, they do not.  Where all columns are
categories, CategoricalNB gets their levels' numbers.  Else a peer gets the same rows with gaps
filled by means and most frequent values, categories one-hot coded, and numbers standardized where
samara's sentence standardizes: what samara does by itself, a scikit-learn user writes as a
pipeline.

A peer runs in two editions, Debian's and the newest of PyPI (newest.py), side by side; samara is
compared with the one that is better on the table.  Their scores depend on nothing that is built
here: BUILD/bench/defaults keeps them, by version, until --renew asks again.

A peer that refuses a fold's rows (a singular covariance) is scored as the baseline would be.

A score is the share of right classes, or R2.  Samara is behind where the mean difference over the
folds is negative beyond the corrected t of Nadeau and Bengio at 99 %; over all tables, where the
sum of the differences is, beyond 2.33 of its standard errors.  `make bench CASES=defaults` writes
docs/defaults.md.
"""
import argparse
import csv
import gzip
import hashlib
import json
import math
import os
import statistics
import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor

from newest import newest

# Small tables: threads cost more than they bring.  Read when numpy is imported.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[variable] = "1"

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
FOLDS, MOST_ROWS, SEED = 10, 1000, 20
# What peers are called, and their modules.
PEERS = {"scikit-learn": "sklearn", "XGBoost": "xgboost", "LightGBM": "lightgbm"}
# The 0.99 quantiles of Student's t with FOLDS - 1 degrees of freedom, and of the normal one.
CRITICAL, CRITICAL_OVER_ALL = 2.821, 2.326


# ---- tables ---------------------------------------------------------------------------------

def _lines(path, encoding="latin-1"):
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt", encoding=encoding, newline="") as f:
        return f.read().split("\n") if encoding == "utf-8" else f.read().splitlines()


def _texts(path):
    """Lines of a class, what else there may be, and a text, with tabs between."""
    rows = [line.rstrip("\r").split("\t") for line in _lines(path, "utf-8") if line.strip()]
    return ["class", "text"], [[row[0], row[-1]] for row in rows]


def _rows(path, delimiter=",", header=False, texts=False):
    if texts:
        return _texts(path)
    lines = [line for line in _lines(path) if line.strip()]
    if delimiter is None:
        rows = [line.split() for line in lines]
    else:
        rows = [[cell.strip() for cell in row]
                for row in csv.reader(lines, delimiter=delimiter, skipinitialspace=True)]
    names = rows.pop(0) if header else [f"c{j}" for j in range(len(rows[0]))]
    return names, rows


# name, file (own/ is this repository's data/), what to predict, its task, how to read; drop:
# columns that name rows or tell the target.
TABLES = [
    ("iris", "own/iris.csv", "species", "classify", {"header": True}),
    ("wine", "own/wine.csv", "cultivar", "classify", {"header": True}),
    ("breast cancer", "own/breast_cancer.csv", "diagnosis", "classify", {"header": True}),
    ("digits", "own/digits.csv", "digit", "classify", {"header": True}),
    ("sonar", "sonar/sonar.all-data", -1, "classify", {}),
    ("ionosphere", "ionosphere/ionosphere.data", -1, "classify", {}),
    ("pima diabetes", "pima-diabetes/pima-indians-diabetes.csv", -1, "classify", {}),
    ("car", "car/car.data", -1, "classify", {}),
    ("votes", "house-votes-84/house-votes-84.data", 0, "classify", {}),
    ("spambase", "spambase/spambase.data.gz", -1, "classify", {}),
    ("satellite", "satellite/satellite.csv.gz", -1, "classify", {"header": True}),
    ("adult", "adult/adult.data.gz", -1, "classify", {}),
    ("messages", "sms-spam/SMSSpamCollection", "class", "words", {"texts": True}),
    ("newsgroups", "20newsgroups/20news-bydate-train.tsv.gz", "class", "words", {"texts": True}),
    ("reviews", "imdb-reviews/imdb-train-5000.tsv.gz", "class", "words", {"texts": True}),
    ("car", "car/car.data", -1, "levels", {}),
    ("votes", "house-votes-84/house-votes-84.data", 0, "levels", {}),
    ("mushroom", "mushroom/agaricus-lepiota.data", 0, "levels", {}),
    ("diabetes", "own/diabetes.csv", "progression", "regress", {"header": True}),
    ("auto mpg", "auto-mpg/mpg.csv", "mpg", "regress", {"header": True, "drop": ["name"]}),
    ("auto imports", "auto-imports/auto_imports.csv", -1, "regress", {}),
    ("boston housing", "boston-housing/housing.data", -1, "regress", {"delimiter": None}),
    ("abalone", "abalone/abalone.data", -1, "regress", {}),
    ("california housing", "california-housing/housing.csv.gz", "median_house_value", "regress",
     {"header": True}),
    ("bike sharing days", "bike-sharing/day.csv.gz", "cnt", "regress",
     {"header": True, "drop": ["instant", "dteday", "casual", "registered"]}),
    ("diamonds", "diamonds/diamonds.csv.gz", "price", "regress", {"header": True}),
]


def load(table, shared):
    """(names, rows, place of the target), cut to MOST_ROWS rows."""
    import numpy as np
    name, path, target, _, how = table
    how = dict(how)
    drop = how.pop("drop", [])
    own = path.startswith("own/")
    path = os.path.join(ROOT, "data", path[4:]) if own else os.path.join(shared, path)
    names, rows = _rows(path, **how)
    target = names.index(target) if isinstance(target, str) else target % len(names)
    keep = [j for j, n in enumerate(names) if n not in drop]
    rng = np.random.default_rng(SEED)
    drawn = np.sort(rng.permutation(len(rows))[:MOST_ROWS])
    rows = [["" if rows[i][j] == "?" else rows[i][j] for j in keep] for i in drawn]
    return [names[j] for j in keep], rows, keep.index(target)


def folds_of(labels, by_class):
    """The fold of each row."""
    import numpy as np
    rng = np.random.default_rng(SEED + 1)
    order = rng.permutation(len(labels))
    if by_class:
        order = sorted(order, key=lambda i: labels[i])
    fold = [0] * len(labels)
    for place, i in enumerate(order):
        fold[i] = place % FOLDS
    return fold


# ---- the two sides --------------------------------------------------------------------------

# name, samara's sentence, task, the peer's constructor; scaled: both standardize.
PAIRS = [
    ("knn", "standardize | knn", "classify", "sklearn.neighbors:KNeighborsClassifier"),
    ("logistic", "standardize | logistic", "classify", "sklearn.linear_model:LogisticRegression"),
    ("bayes", "bayes", "classify", "sklearn.naive_bayes:GaussianNB"),
    ("gauss", "gauss", "classify",
     "sklearn.discriminant_analysis:QuadraticDiscriminantAnalysis"),
    ("lda", "gauss shared", "classify", "sklearn.discriminant_analysis:LinearDiscriminantAnalysis"),
    ("svm", "standardize | svm", "classify", "sklearn.svm:LinearSVC"),
    ("perceptron", "standardize | perceptron", "classify", "sklearn.linear_model:Perceptron"),
    ("sgd", "standardize | sgd", "classify", "sklearn.linear_model:SGDClassifier"),
    ("tree", "tree", "classify", "sklearn.tree:DecisionTreeClassifier"),
    ("forest", "forest", "classify", "sklearn.ensemble:RandomForestClassifier"),
    ("extra", "forest mode=extra", "classify", "sklearn.ensemble:ExtraTreesClassifier"),
    ("bag", "bag", "classify", "sklearn.ensemble:BaggingClassifier"),
    ("adaboost", "adaboost", "classify", "sklearn.ensemble:AdaBoostClassifier"),
    ("boost", "boost", "classify", "sklearn.ensemble:HistGradientBoostingClassifier"),
    ("boost", "boost", "classify", "xgboost:XGBClassifier"),
    ("boost", "boost", "classify", "lightgbm:LGBMClassifier"),
    ("bayes", "bayes model=categorical", "levels", "sklearn.naive_bayes:CategoricalNB"),
    ("bayes", "words | bayes", "words", "sklearn.naive_bayes:MultinomialNB"),
    ("bayes", "words | bayes model=complement", "words", "sklearn.naive_bayes:ComplementNB"),
    ("bayes", "words | bayes model=bernoulli", "words", "sklearn.naive_bayes:BernoulliNB"),
    ("bayes", "words min_length=2 | bayes", "words", "sklearn.naive_bayes:MultinomialNB"),
    ("bayes", "words min_length=2 | bayes model=complement", "words",
     "sklearn.naive_bayes:ComplementNB"),
    ("bayes", "words min_length=2 | bayes model=bernoulli", "words",
     "sklearn.naive_bayes:BernoulliNB"),
    ("knn", "standardize | knn", "regress", "sklearn.neighbors:KNeighborsRegressor"),
    ("linear", "linear", "regress", "sklearn.linear_model:LinearRegression"),
    ("ridge", "standardize | ridge", "regress", "sklearn.linear_model:Ridge"),
    ("lasso", "standardize | lasso", "regress", "sklearn.linear_model:LassoCV"),
    ("elastic", "standardize | elastic", "regress", "sklearn.linear_model:ElasticNetCV"),
    ("huber", "standardize | huber", "regress", "sklearn.linear_model:HuberRegressor"),
    ("sgd", "standardize | sgd squared", "regress", "sklearn.linear_model:SGDRegressor"),
    ("tree", "tree", "regress", "sklearn.tree:DecisionTreeRegressor"),
    ("forest", "forest", "regress", "sklearn.ensemble:RandomForestRegressor"),
    ("extra", "forest mode=extra", "regress", "sklearn.ensemble:ExtraTreesRegressor"),
    ("bag", "bag", "regress", "sklearn.ensemble:BaggingRegressor"),
    ("adaboost", "adaboost", "regress", "sklearn.ensemble:AdaBoostRegressor"),
    ("boost", "boost", "regress", "sklearn.ensemble:HistGradientBoostingRegressor"),
    ("boost", "boost", "regress", "xgboost:XGBRegressor"),
    ("boost", "boost", "regress", "lightgbm:LGBMRegressor"),
]


def construct(where):
    """The peer as its documentation constructs it, or None where it is not installed."""
    module, name = where.split(":")
    try:
        made = getattr(__import__(module, fromlist=[name]), name)
    except ImportError:
        return None
    model = made()
    if "random_state" in model.get_params():
        model.set_params(random_state=0)
    if "n_jobs" in model.get_params():
        model.set_params(n_jobs=1)
    if module == "lightgbm":
        model.set_params(verbose=-1)
    return model


def matrix_of(names, rows, target, fold, k, scaled):
    """Numbers for the peer: what the training rows say about gaps, levels and scales."""
    import numpy as np
    columns = []
    train = [i for i in range(len(rows)) if fold[i] != k]
    for j in range(len(names)):
        if j == target:
            continue
        cells = [row[j] for row in rows]
        try:
            column = np.array([float(c) if c else math.nan for c in cells])
            mean = np.nanmean(column[train])
            column = np.where(np.isnan(column), mean, column)
            if scaled:
                spread = column[train].std()
                column = (column - column[train].mean()) / (spread if spread > 0 else 1)
            columns.append(column)
        except ValueError:
            seen = sorted({cells[i] for i in train if cells[i]})
            most = max(seen, key=[cells[i] for i in train].count)
            filled = [c or most for c in cells]
            columns += [np.array([float(c == level) for c in filled]) for level in seen]
    return np.column_stack(columns)


def counts_of(rows, target, train):
    """The words of texts, of those of the training rows."""
    from sklearn.feature_extraction.text import CountVectorizer
    texts = [row[1 - target] for row in rows]
    counter = CountVectorizer().fit([t for t, is_train in zip(texts, train) if is_train])
    return counter.transform(texts)


def codes_of(rows, target):
    """The number of each level, and how many levels a column has; a gap is a level."""
    import numpy as np
    columns = [[row[j] for row in rows] for j in range(len(rows[0])) if j != target]
    levels = [{level: code for code, level in enumerate(sorted(set(c)))} for c in columns]
    codes = [[of[cell] for cell in column] for of, column in zip(levels, columns)]
    return np.array(codes).T, [len(of) for of in levels]


def score(task, truth, answer):
    import numpy as np
    if task != "regress":
        return float(np.mean(np.asarray(truth) == np.asarray(answer)))
    truth, answer = np.asarray(truth, float), np.asarray(answer, float)
    return 1 - float(((truth - answer) ** 2).sum() / ((truth - truth.mean()) ** 2).sum())


def peer_scores(where, task, table, scaled):
    """One score a fold, or None where there is no such peer.  table: as Bench writes it."""
    import numpy as np
    if construct(where) is None:
        return None
    names, rows, target, fold = (table[key] for key in ("names", "rows", "target", "fold"))
    truth = [row[target] for row in rows]
    levels = sorted(set(truth))
    y = (np.array([levels.index(t) for t in truth]) if task != "regress"
         else np.array(truth, float))
    scores = []
    for k in range(FOLDS):
        train = np.array([f != k for f in fold])
        model = construct(where)
        if task == "levels":
            X, n_levels = codes_of(rows, target)
            model.set_params(min_categories=n_levels)
        else:
            X = (counts_of(rows, target, train) if task == "words"
                 else matrix_of(names, rows, target, fold, k, scaled))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                answer = model.fit(X[train], y[train]).predict(X[~train])
            except np.linalg.LinAlgError:  # it refuses: the baseline is what remains
                usual = np.bincount(y[train]).argmax() if task != "regress" else y[train].mean()
                answer = np.full((~train).sum(), usual)
            scores.append(score(task, y[~train], answer))
    return scores


def versions():
    """{module: version} of the peers that this interpreter has."""
    found = {}
    for module in PEERS.values():
        try:
            found[module] = __import__(module).__version__
        except ImportError:
            pass
    return found


def answer_peers():
    """What an edition's interpreter runs: a JSON line of scores for each one that is read."""
    for line in sys.stdin:
        asked = json.loads(line)
        with open(asked["file"]) as f:
            table = json.load(f)
        scores = peer_scores(asked["peer"], asked["task"], table, asked["scaled"])
        print(json.dumps({**asked, "scores": scores}), flush=True)


def write_csv(path, names, rows):
    with open(path, "w", newline="") as f:
        out = csv.writer(f)
        out.writerow(names)
        out.writerows(rows)


def samara_score(program, sentence, task, target, train, test):
    """What a user sees: trained on one file, measured on the other."""
    aim = "regress" if task == "regress" else "classify"
    done = subprocess.run([program, "train", sentence, train, "--target", target, "--task", aim,
                           "--test", test, "--json", "-q", "--threads", "1"], capture_output=True,
                          text=True)
    if done.returncode:
        raise RuntimeError(f"{sentence}: {done.stderr.strip().splitlines()[-1]}")
    said = json.loads(done.stdout)
    return find(said, "r2" if task == "regress" else "accuracy")


def find(said, key):
    """The first number of that name, anywhere in the object."""
    if isinstance(said, dict):
        if isinstance(said.get(key), (int, float)):
            return said[key]
        said = list(said.values())
    for part in said if isinstance(said, list) else []:
        found = find(part, key)
        if found is not None:
            return found
    return None


def is_scaled(sentence):
    return sentence.startswith("standardize")


# ---- judging --------------------------------------------------------------------------------

def verdict(mine, theirs):
    """(mean difference, what it may be by chance, word)."""
    d = [a - b for a, b in zip(mine, theirs)]
    mean = statistics.mean(d)
    # Nadeau and Bengio: training rows of folds overlap; measured / fitted rows = 1 / (folds - 1).
    noise = CRITICAL * statistics.stdev(d) * math.sqrt(1 / FOLDS + 1 / (FOLDS - 1))
    return mean, noise, word_for(mean, noise)


def word_for(mean, noise):
    return "behind" if mean < -noise - 1e-12 else "ahead" if mean > noise + 1e-12 else ""


def over_all(of):
    """(mean difference, what it may be by chance, word) of one pair over its tables."""
    mean = statistics.mean(r["difference"] for r in of)
    noise = CRITICAL_OVER_ALL / len(of) * math.sqrt(
        sum((r["noise"] / CRITICAL) ** 2 for r in of))
    return mean, noise, word_for(mean, noise)


class Edition:
    """The peers of one interpreter, and their scores as kept."""

    def __init__(self, name, python, folder, renew):
        self.name, self.python = name, python
        done = subprocess.run([python, os.path.abspath(__file__), "--versions"],
                              stdout=subprocess.PIPE, text=True, check=True)
        self.versions = json.loads(done.stdout)
        self.kept = os.path.join(folder, f"peers-{name}.jsonl")
        self.scores = {}
        if renew and os.path.exists(self.kept):
            os.remove(self.kept)
        self.read()

    def read(self):
        if os.path.exists(self.kept):
            with open(self.kept) as f:
                for said in map(json.loads, f):
                    key = said["digest"], said["peer"], said["scaled"], said["version"]
                    self.scores[key] = said["scores"]

    def version(self, where):
        return self.versions.get(where.split(":")[0].split(".")[0])

    def find(self, asked):
        version = self.version(asked["peer"])
        return self.scores.get((asked["digest"], asked["peer"], asked["scaled"], version))

    def ask(self, questions):
        """Scores of what is not kept: begins an interpreter; call the result to have it end."""
        missing = [{**q, "version": self.version(q["peer"])} for q in questions
                   if self.version(q["peer"]) and self.find(q) is None]
        if not missing:
            return lambda: None
        path = self.kept + ".asked"
        with open(path, "w") as f:
            f.writelines(json.dumps(q) + "\n" for q in missing)
        with open(path) as asked, open(self.kept, "a") as kept:
            runs = subprocess.Popen([self.python, os.path.abspath(__file__), "--answer"],
                                    stdin=asked, stdout=kept)

        def end():
            if runs.wait():
                raise RuntimeError(f"the {self.name} peers ended with status {runs.returncode}")
            self.read()
        return end


class Bench:
    def __init__(self, options, shared):
        build = os.path.abspath(options.build)
        self.program = os.path.join(build, "samara")
        self.shared = shared
        self.folder = os.path.join(build, "bench", "defaults")
        os.makedirs(self.folder, exist_ok=True)
        self.editions = [Edition("system", sys.executable, self.folder, options.renew)]
        python = None if options.no_newest else newest(options.build)[0]
        if python:
            self.editions.append(Edition("newest", python, self.folder, options.renew))
        self.mine = {}

    def prepare(self, table):
        """Writes the folds as tables, and all for the peers; returns what there is to know."""
        name, _, _, task, _ = table
        names, rows, target = load(table, self.shared)
        fold = folds_of([row[target] for row in rows], task != "regress")
        stem = os.path.join(self.folder, name.replace(" ", "-"))
        files = []
        for k in range(FOLDS):
            paths = [f"{stem}-{k}-{part}.csv" for part in ("train", "test")]
            write_csv(paths[0], names, [r for r, f in zip(rows, fold) if f != k])
            write_csv(paths[1], names, [r for r, f in zip(rows, fold) if f == k])
            files.append(paths)
        text = json.dumps({"names": names, "rows": rows, "target": target, "fold": fold})
        with open(stem + ".json", "w") as f:
            f.write(text)
        return {"name": name, "task": task, "rows": len(rows), "target": names[target],
                "files": files, "file": stem + ".json",
                "digest": hashlib.sha256(text.encode()).hexdigest()[:16]}

    def question(self, table, pair):
        return {"table": table["name"], "file": table["file"], "digest": table["digest"],
                "task": table["task"], "peer": pair[3], "scaled": is_scaled(pair[1])}

    def run_peers(self, tables, pairs):
        """All editions at the same time."""
        questions = [self.question(t, p) for t in tables for p in pairs if p[2] == t["task"]]
        for end in [edition.ask(questions) for edition in self.editions]:
            end()

    def samara(self, table, sentence):
        key = (table["name"], sentence)
        if key not in self.mine:
            one = lambda files: samara_score(self.program, sentence, table["task"],
                                             table["target"], *files)
            with ThreadPoolExecutor(os.cpu_count()) as pool:
                self.mine[key] = list(pool.map(one, table["files"]))
        return self.mine[key]

    def better_peer(self, table, pair):
        """(edition, scores) of the one that is better on this table; None where there is none."""
        asked = self.question(table, pair)
        found = [(edition, edition.find(asked)) for edition in self.editions]
        found = [(edition, scores) for edition, scores in found if scores]
        return max(found, key=lambda f: statistics.mean(f[1])) if found else None

    def compare(self, table, pair):
        learner, sentence, task, where = pair
        found = self.better_peer(table, pair)
        if not found:
            return None
        mine, (edition, theirs) = self.samara(table, sentence), found
        mean, noise, word = verdict(mine, theirs)
        print(f"{table['name']:20} {sentence:26} {statistics.mean(mine):8.4f} "
              f"{where.split(':')[1]:32} {statistics.mean(theirs):8.4f} {mean:+8.4f} "
              f"({noise:.4f}) {word}", flush=True)
        return {"table": table["name"], "rows": table["rows"], "learner": learner,
                "sentence": sentence, "peer": where.split(":")[1], "task": task,
                "version": edition.version(where), "samara": statistics.mean(mine),
                "theirs": statistics.mean(theirs), "spread": statistics.stdev(mine),
                "difference": mean, "noise": noise, "verdict": word}

    def run(self, tables, pairs):
        """A row of results for each table and pair."""
        found, results = [], []
        for table in tables:
            try:
                found.append(self.prepare(table))
            except OSError as problem:
                print(f"{table[0]:20} not run: {problem}", flush=True)
        self.run_peers(found, pairs)
        for table in found:
            rows = [self.compare(table, pair) for pair in pairs if pair[2] == table["task"]]
            results += [row for row in rows if row]
        return results

    def peers_in_words(self):
        return "\n".join("- " + ", ".join(f"{name} {e.versions[module]}"
                                         for name, module in PEERS.items() if module in e.versions)
                         for e in self.editions)


HEAD = """<!-- written by `make bench CASES=defaults` (bench/defaults.py); do not edit -->

# The defaults, beside others' defaults

What a learner does when nothing is set, on {tables} real tables of at most {rows} rows, beside the
same learner elsewhere with its own defaults. The editions of the peers are

{versions}

and each comparison takes the one that is better on the table. All are measured on the same {folds}
folds; scores are the share of right classes, or R2. Peers get the rows with gaps filled,
categories one-hot coded (for CategoricalNB numbered), texts as counts of words of two letters or
more and, where the sentence here says `standardize`, numbers standardized. A difference counts
where it is larger than the folds' noise: the corrected t of Nadeau and Bengio at 99 %; by chance
alone one in a hundred would be behind and one ahead. Over all tables it counts where the mean
difference is beyond 2.33 standard errors. A peer that refuses to learn a fold's rows counts as the
baseline there.
`words` alone keeps words of one letter too, which these peers drop: single letters tell messages
apart (`u`, `2`) and are noise in newsgroups.

Of {all} comparisons samara is ahead in {ahead}, behind in {behind}, and within noise in the others.

"""


def sum_up(results, task, title):
    """One line for each pair, over all tables of the task."""
    text = (f"## {title}\n\n| sentence | peer | samara | peer | samara better on | ahead | behind "
            "| over all | noise | |\n|---|---|---|---|---|---|---|---|---|---|\n")
    of_task = [r for r in results if r["task"] == task]
    for sentence, peer in dict.fromkeys((r["sentence"], r["peer"]) for r in of_task):
        of = [r for r in of_task if (r["sentence"], r["peer"]) == (sentence, peer)]
        better = sum(r["difference"] > 0 for r in of)
        words = [r["verdict"] for r in of]
        mine, theirs = (statistics.mean(r[key] for r in of) for key in ("samara", "theirs"))
        escaped = sentence.replace("|", "\\|")
        text += (f"| `{escaped}` | {peer} | {mine:.3f} | {theirs:.3f} | {better} of {len(of)} | "
                 f"{words.count('ahead')} | {words.count('behind')} | ")
        mean, noise, word = over_all(of)
        text += f"{mean:+.4f} | {noise:.4f} | {word} |\n"
    return text + "\n"


def page(results, peers):
    """docs/defaults.md"""
    words = [r["verdict"] for r in results]
    text = HEAD.format(tables=len({r["table"] for r in results}), rows=MOST_ROWS, folds=FOLDS,
                       versions=peers, all=len(results), ahead=words.count("ahead"),
                       behind=words.count("behind"))
    text += sum_up(results, "classify", "Classes: share that is right")
    text += sum_up(results, "levels", "Categories alone: share that is right")
    text += sum_up(results, "words", "Texts: share that is right")
    text += sum_up(results, "regress", "Numbers: R2")
    text += ("## Table by table\n\n| table | rows | sentence | samara | ± | peer | | difference | "
             "noise | |\n|---|---|---|---|---|---|---|---|---|---|\n")
    for r in results:
        escaped = r["sentence"].replace("|", "\\|")
        text += (f"| {r['table']} | {r['rows']} | `{escaped}` | {r['samara']:.3f} | "
                 f"{r['spread']:.3f} | {r['peer']} {r['version']} | {r['theirs']:.3f} | "
                 f"{r['difference']:+.3f} | {r['noise']:.3f} | {r['verdict']} |\n")
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("--write", metavar="FILE")
    parser.add_argument("--tables", default="", metavar="NAME,...")
    parser.add_argument("--pairs", default="", metavar="NAME,...")
    parser.add_argument("--no-newest", action="store_true")
    parser.add_argument("--renew", action="store_true", help="run peers whose scores are kept")
    parser.add_argument("--answer", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--versions", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.versions:
        return print(json.dumps(versions()))
    if options.answer:
        return answer_peers()
    shared = os.environ.get("SAMARA_DATA") or os.path.join(ROOT, "..", "shared", "data")
    bench = Bench(options, os.path.abspath(shared))
    chosen = lambda of, wanted: [x for x in of if not wanted or x[0] in wanted.split(",")]
    results = bench.run(chosen(TABLES, options.tables), chosen(PAIRS, options.pairs))
    behind = [r for r in results if r["verdict"] == "behind"]
    print(f"\n{len(results)} comparisons, {len(behind)} behind")
    if options.write and results:
        with open(options.write, "w") as f:
            f.write(page(results, bench.peers_in_words()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
