"""Peers of hidden Markov models and Bayesian networks: see peers.py."""
import numpy as np

from peer_parts import options, say, say_fit, timed


def _chain():
    """start, move, emit, symbols of bench/hmm.c's file."""
    with open(options.data, "rb") as f:
        n, m, steps = np.fromfile(f, np.int64, 3)
        tables = [np.fromfile(f, np.float64, c) for c in (n, n * n, n * m)]
        symbols = np.fromfile(f, np.int64, steps)
    return tables[0], tables[1].reshape(n, n), tables[2].reshape(n, m), symbols


def _say_chain(version, symbols, forward, viterbi, step):
    """The least of three of each; each gives a log-likelihood, the second that of its path."""
    runs = [[timed(work) for _ in range(3)] for work in (forward, viterbi, step)]
    seconds = dict(zip(("forward", "viterbi", "step"), (min(t for t, _ in r) for r in runs)))
    likely, path, stepped = (r[-1][1] / len(symbols) for r in runs)
    say(seconds, version, log_likelihood=likely, log_path=path, log_step=stepped)


def hmmlearn_chain():
    """CategoricalHMM; a step of EM is a fit of one iteration, which knows its log-likelihood."""
    import hmmlearn
    from hmmlearn.hmm import CategoricalHMM
    start, move, emit, symbols = _chain()
    X = symbols[:, None]

    def model():
        m = CategoricalHMM(len(start), n_iter=1, init_params="", implementation="scaling",
                           n_features=emit.shape[1])
        m.startprob_, m.transmat_, m.emissionprob_ = start, move, emit
        return m
    _say_chain(hmmlearn.__version__, symbols, lambda: model().score(X),
               lambda: model().decode(X)[0], lambda: model().fit(X).monitor_.history[0])


def numba_chain():
    """The recursions as textbooks write them, compiled by numba with fastmath, on one thread."""
    import numba
    start, move, emit, symbols = _chain()
    steps, n = len(symbols), len(start)
    ahead, scale = np.empty((steps, n)), np.empty(steps)
    behind, places = np.empty((steps, n)), np.empty((steps, n), np.uint8)
    fast = numba.njit(fastmath=True)

    @fast
    def forward(start, move, emit, symbols, ahead, scale):
        total = 0.0
        for t in range(symbols.size):
            whole = 0.0
            for j in range(start.size):
                a = start[j]
                if t > 0:
                    a = 0.0
                    for i in range(start.size):
                        a += ahead[t - 1, i] * move[i, j]
                ahead[t, j] = a * emit[j, symbols[t]]
                whole += ahead[t, j]
            for j in range(start.size):
                ahead[t, j] /= whole
            scale[t] = whole
            total += np.log(whole)
        return total

    @fast
    def viterbi(start, move, emit, symbols, places):
        n = start.size
        best, now = start + emit[:, symbols[0]], np.empty(n)
        for t in range(1, symbols.size):
            for j in range(n):
                top, at = -1e300, 0
                for i in range(n):
                    if best[i] + move[i, j] > top:
                        top, at = best[i] + move[i, j], i
                now[j] = top + emit[j, symbols[t]]
                places[t, j] = at
            best[:] = now
        path, state = np.empty(symbols.size, np.int64), best.argmax()
        for t in range(symbols.size - 1, -1, -1):
            path[t] = state
            state = places[t, state]
        return best.max()

    @fast
    def step(start, move, emit, symbols, ahead, scale, behind):
        n, last = start.size, symbols.size - 1
        total = forward(start, move, emit, symbols, ahead, scale)
        moves, shown, w = np.zeros(move.shape), np.zeros(emit.shape), np.empty(n)
        behind[last] = 1
        shown[:, symbols[last]] += ahead[last]
        for t in range(last - 1, -1, -1):
            for j in range(n):
                w[j] = emit[j, symbols[t + 1]] * behind[t + 1, j] / scale[t + 1]
            for i in range(n):
                b = 0.0
                for j in range(n):
                    b += move[i, j] * w[j]
                    moves[i, j] += ahead[t, i] * move[i, j] * w[j]
                behind[t, i] = b
                shown[i, symbols[t]] += ahead[t, i] * b
        return total

    logs = [np.log(table) for table in (start, move, emit)]
    works = (lambda s: forward(start, move, emit, s, ahead, scale),
             lambda s: viterbi(*logs, s, places),
             lambda s: step(start, move, emit, s, ahead, scale, behind))
    for work in works: # it is compiled when it is first called
        work(symbols[:10])
    _say_chain(numba.__version__, symbols, *(lambda w=w: w(symbols) for w in works))


def hmmlearn_gauss():
    """Ten iterations of EM from samara's start; the likelihood they have led to is not timed."""
    import hmmlearn
    from hmmlearn.hmm import GaussianHMM
    with open(options.data, "rb") as f:
        d, k, sequences, steps = np.fromfile(f, np.int64, 4)
        X = np.fromfile(f).reshape(-1, d)
    start, move, mean, spread = np.split(np.fromfile(options.starts),
                                         np.cumsum([k, k * k, k * d]))
    lengths, best = [steps] * sequences, np.inf
    for _ in range(3):
        m = GaussianHMM(k, n_iter=10, tol=-np.inf, init_params="", covars_prior=0, min_covar=0,
                        implementation="scaling")
        m.startprob_, m.transmat_ = start, move.reshape(k, k)
        m.means_, m.covars_ = mean.reshape(k, d), spread.reshape(k, d)
        best = min(best, timed(lambda: m.fit(X, lengths))[0])
    say({"fit": best}, hmmlearn.__version__, log_likelihood=m.score(X, lengths) / len(X))


def _load_network():
    """Levels by variable, and (child, parents, table) with the child's axis last."""
    levels, families = {}, []

    def value(text):
        over, _, under = text.partition("/")
        return float(over) / float(under or 1)
    with open(options.data, encoding="utf-8") as f:
        lines = [line.split("#")[0].strip() for line in f]
    for line in filter(None, lines):
        if line.startswith("variable "):
            who, what = line[9:].split(": ")
            levels[who] = what.split(", ")
        elif line.startswith("P("):
            inside, _, row = line[2:].partition(")")
            child, _, parents = inside.partition(" | ")
            parents = parents.split(", ") if parents else []
            table = np.zeros([len(levels[p]) for p in parents] + [len(levels[child])])
            families.append((child, parents, table))
            if not parents:
                table[:] = [value(t) for t in row.strip(" =").split(", ")]
        elif ":" in line:
            child, parents, table = families[-1]
            where, row = line.split(": ")
            at = tuple(levels[p].index(l) for p, l in zip(parents, where.split(", ")))
            table[at] = [value(t) for t in row.split(", ")]
    return levels, families


def pgmpy_elimination():
    """Marginals of all variables, in the file's order; a finding's is 1 at its level.  There is one
    elimination for each variable: pgmpy has nothing that answers all at once."""
    import logging
    import pgmpy
    from pgmpy.factors.discrete import TabularCPD
    from pgmpy.inference import VariableElimination
    try:
        from pgmpy.models import DiscreteBayesianNetwork as Net
    except ImportError:
        from pgmpy.models import BayesianNetwork as Net
    logging.getLogger("pgmpy").setLevel(logging.ERROR)
    levels, families = _load_network()
    findings = options.query.partition("|")[2].strip(" )").split(", ")
    evidence = dict(f.split("=") for f in findings if f)
    net = Net([(p, c) for c, pa, _ in families for p in pa])
    for c, pa, t in families:
        net.add_cpds(TabularCPD(c, len(levels[c]), t.reshape(-1, len(levels[c])).T,
                                evidence=pa or None,
                                evidence_card=[len(levels[p]) for p in pa] or None,
                                state_names={v: levels[v] for v in [c] + pa}))
    others, best = [v for v in levels if v not in evidence], {"anew": np.inf, "kept": np.inf}

    def all_of(inference):
        return {v: inference.query([v], evidence=evidence, show_progress=False) for v in others}
    for _ in range(5):
        anew, _ = timed(lambda: all_of(VariableElimination(net)))
        inference = VariableElimination(net)
        kept, found = timed(lambda: all_of(inference))
        best = {"anew": min(best["anew"], anew), "kept": min(best["kept"], kept)}
    p = [found[v].get_value(**{v: l}) if v in found else float(evidence[v] == l)
         for v in levels for l in levels[v]]
    say_fit(best, pgmpy.__version__, p, sum=float(sum(p)))
