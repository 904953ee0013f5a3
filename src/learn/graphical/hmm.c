/* hmm.c -- hidden Markov models of symbols and numbers.
 *
 * A sequence of observations o_1 .. o_T was made by states s_1 .. s_T that nobody sees:
 *
 *     P(s, o) = start[s_1] prod_{t>1} move[s_{t-1}][s_t] prod_t b(o_t | s_t)                   (1)
 *
 * b is a product: a table for each column of categories, and for the numbers together one normal
 * distribution or a mixture of them (hmm_emit.c).
 *
 * Fit.  With a target its classes are the states, and tables are shares of counts.  Without one,
 * EM finds the tables of k states that make the sequences likeliest, a local maximum: of several
 * starts the best after ten iterations goes on (hmm_fit.c).
 *
 * Answers.  LABEL: the states of the likeliest path (Viterbi), or each step's likeliest state;
 * PROBA: P(s_t = j | o) by forward and backward passes; SCORE: log P(o), the same at each step of a
 * sequence.
 *
 * Cost: T k^2 per pass; T k / 1000 numbers of memory beyond the rows (math/hidden_chain.h). */
#include "learn/graphical/hmm.h"

#include "core/try.h"

#include <math.h>
#include <string.h>

/* ---- parameters ------------------------------------------------------------------------- */

static const smr_choice covariances[] = {
    {"diagonal", "the numbers of a step are independent, given its state"},
    {"full", "they have correlations; d^2 parameters for each part of each state"},
    {NULL, NULL}};
static const smr_choice topologies[] = {
    {"any", "every state may follow every state"},
    {"forward",
     "left to right: states follow in their order, any may be skipped, none comes again; "
     "the first is the start"},
    {"step", "left to right, without skipping any"},
    {"cycle", "a state stays, or the next follows; after the last comes the first"},
    {NULL, NULL}};
static const smr_choice decodings[] = {
    {"viterbi", "the likeliest path"},
    {"posterior",
     "the likeliest state of each step, which makes fewer mistakes, on a path that may "
     "be impossible"},
    {NULL, NULL}};

static const smr_param params[] = {
    {SMR_FIELD(struct smr_hmm_params, k), .unset = true, .min = 1, .max = SMR_HMM_MOST,
     .primary = true, .no_target = true, .search = SMR_SEARCH_LINEAR, .search_min = 2,
     .search_max = 8, .simpler = SMR_SIMPLER_LOW,
     .doc = "Number of hidden states, if no target names them; unset: 2."},
    {SMR_FIELD(struct smr_hmm_params, smoothing), .def = 0.1, .min = 0, .max = INFINITY,
     .max_open = true, .search = SMR_SEARCH_LOG, .search_min = 1e-4, .search_max = 10,
     .simpler = SMR_SIMPLER_HIGH,
     .doc =
         "Added to every count of starts, moves, symbols and parts of a mixture; with 0, what was "
         "never seen is impossible."},
    {SMR_FIELD(struct smr_hmm_params, covariance), .choices = covariances, .def = SMR_HMM_DIAGONAL,
     .of_numbers = true, .search = SMR_SEARCH_VALUES,
     .doc = "What the numbers of a state may have in common."},
    {SMR_FIELD(struct smr_hmm_params, mixtures), .of_numbers = true, .def = 1, .min = 1,
     .max = SMR_HMM_MIXTURES, .search = SMR_SEARCH_LINEAR, .search_min = 1, .search_max = 4,
     .simpler = SMR_SIMPLER_LOW,
     .doc = "Normal distributions that make up the numbers of each state."},
    {SMR_FIELD(struct smr_hmm_params, moves), .choices = topologies, .def = SMR_HMM_ANY,
     .doc = "Which states may follow which."},
    {SMR_FIELD(struct smr_hmm_params, allow), .unset = true, .when = "moves=any",
     .doc = "The moves that are allowed, from>to, with commas between; states are class names, or "
            "numbers from 0: '0>0,0>1,1>0'; unset: all."},
    {SMR_FIELD(struct smr_hmm_params, decode), .choices = decodings, .def = SMR_HMM_VITERBI,
     .doc = "How the states of a sequence are answered."},
    {SMR_FIELD(struct smr_hmm_params, restarts), .no_target = true, .def = 4, .min = 1, .max = 1000,
     .doc = "Random starts of EM; the best one after ten iterations is continued."},
    {SMR_FIELD(struct smr_hmm_params, max_iter), .no_target = true, .but_when = "mixtures>1",
     .def = 200, .min = 1, .max = 1000000, .doc = "Maximum number of iterations of EM."},
    {SMR_FIELD(struct smr_hmm_params, tol), .no_target = true, .but_when = "mixtures>1",
     .def = 1e-6, .min = 0, .max = 1,
     .doc = "Stop when an iteration improves the objective per step by no more than this."},
    {SMR_FIELD(struct smr_hmm_params, floor), .of_numbers = true, .def = SMR_HMM_FLOOR, .min = 0,
     .min_open = true, .max = 1,
     .doc = "Least variance in a state, as a share of the variance of all rows."},
};

/* ---- state ------------------------------------------------------------------------------ */

static const smr_state state[] = {
    {SMR_KEPT(struct smr_hmm_state, n_states), .min = 1, .max = 1 << 20, .doc = "States."},
    {SMR_KEPT(struct smr_hmm_state, is_labelled), .max = 1,
     .doc = "1: the states are the target's classes."},
    {SMR_KEPT(struct smr_hmm_state, n_symbols), .most = "features",
     .doc = "Features that are symbols."},
    {SMR_KEPT(struct smr_hmm_state, n_levels), .doc = "Levels of all of them."},
    {SMR_KEPT(struct smr_hmm_state, n_numbers), .most = "features",
     .doc = "Features that are numbers."},
    {SMR_KEPT(struct smr_hmm_state, n_mix), .min = 1, .max = SMR_HMM_MIXTURES,
     .doc = "Normal distributions of each state."},
    {SMR_KEPT(struct smr_hmm_state, n_spread),
     .doc = "Variances, or covariances, of each distribution."},
    {SMR_KEPT(struct smr_hmm_state, n_starts), .is = "n_symbols + 1",
     .doc = "Features that are symbols, and one."},
    {SMR_KEPT(struct smr_hmm_state, first), .dims = {"n_starts"}, .order = SMR_ORDER_STARTS,
     .below = "n_levels", .doc = "Where the levels of each column of symbols begin."},
    {SMR_KEPT(struct smr_hmm_state, symbol), .dims = {"n_symbols"}, .order = SMR_ORDER_ASCENDS,
     .below = "features", .doc = "Features that are symbols."},
    {SMR_KEPT(struct smr_hmm_state, number), .dims = {"n_numbers"}, .order = SMR_ORDER_ASCENDS,
     .below = "features", .doc = "Features that are numbers."},
    {SMR_KEPT(struct smr_hmm_state, start), .dims = {"n_states"}, .reals = SMR_REALS_SHARE,
     .doc = "Probability of each state at the first step."},
    {SMR_KEPT(struct smr_hmm_state, move), .dims = {"n_states", "n_states"},
     .reals = SMR_REALS_SHARE, .doc = "Probability of the next state (column) given this (row)."},
    {SMR_KEPT(struct smr_hmm_state, emit), .dims = {"n_states", "n_levels"},
     .reals = SMR_REALS_SHARE, .doc = "Probability of each level given the state."},
    {SMR_KEPT(struct smr_hmm_state, mix), .dims = {"n_states", "n_mix"}, .reals = SMR_REALS_SHARE,
     .doc = "Weight of each normal distribution of a state."},
    {SMR_KEPT(struct smr_hmm_state, mean), .dims = {"n_states", "n_mix", "n_numbers"},
     .reals = SMR_REALS_FINITE, .doc = "Their means."},
    {SMR_KEPT(struct smr_hmm_state, spread), .dims = {"n_states", "n_mix", "n_spread"},
     .reals = SMR_REALS_FINITE, .doc = "Their variances, or covariances row by row."},
    {SMR_KEPT(struct smr_hmm_state, share), .dims = {"n_states"}, .reals = SMR_REALS_FROM_0,
     .doc = "Share of the training steps in each state."},
    {SMR_KEPT(struct smr_hmm_state, log_likelihood),
     .doc = "Log-likelihood of the training sequences."},
    {SMR_KEPT(struct smr_hmm_state, n_sequences), .min = 1, .doc = "Training sequences."},
    {SMR_KEPT(struct smr_hmm_state, n_steps), .min = 1, .doc = "Their steps."},
    {SMR_KEPT(struct smr_hmm_state, n_curve), .doc = "Iterations of EM."},
    {SMR_KEPT(struct smr_hmm_state, curve), .dims = {"n_curve"}, .optional = true,
     .with = "n_curve", .doc = "Log-likelihood and penalty of smoothing after each."},
    {SMR_KEPT(struct smr_hmm_state, n_names), .most = "classes", .doc = "States that have names."},
    {SMR_KEPT(struct smr_hmm_state, names), .dims = {"n_names"}, .doc = "Their names."},
};

static void release(void *state_)
{
    struct smr_hmm_state *s = state_;
    smr_hmm_emits_free(s->emits);
    smr_hidden_free(s->chain);
    s->emits = NULL;
    s->chain = NULL;
}

static smr_status prepare(smr_ctx *ctx, const void *params_, void *state_)
{
    const struct smr_hmm_params *p = params_;
    struct smr_hmm_state *s = state_;
    smr_status st = SMR_OK;
    release(s);
    TRY(smr_hmm_emits_create(ctx, s, p->covariance == SMR_HMM_FULL, &s->emits));
    TRY(smr_hmm_emits_fill(ctx, s->emits));
    TRY(smr_hidden_create(ctx, s->n_states, &s->chain));
    smr_hidden_set(s->chain, s->start, s->move);
out:
    if (st != SMR_OK) release(s);
    return st;
}

/* Do rows of probabilities add up to 1? */
static bool adds_up(const double *x, int64_t rows, int64_t n, int64_t stride)
{
    for (int64_t r = 0; r < rows; r++) {
        double sum = 0;
        for (int64_t k = 0; k < n; k++) sum += x[r * stride + k];
        if (!(fabs(sum - 1) < 1e-6)) return false;
    }
    return true;
}

static bool columns_match(const struct smr_hmm_state *s, const smr_shape *shape)
{
    int64_t a = 0, b = 0;
    if (s->n_symbols + s->n_numbers != shape->n_features) return false;
    for (int64_t j = 0; j < shape->n_features; j++) {
        bool symbol = shape->features && shape->features[j].kind == SMR_CATEGORY;
        if (symbol ? a >= s->n_symbols || s->symbol[a] != j
                   : b >= s->n_numbers || s->number[b] != j)
            return false;
        b += !symbol;
        if (!symbol) continue;
        int64_t levels = SMR_MAX(1, shape->features[j].n_levels);
        if (s->first[a + 1] - s->first[a] != levels) return false;
        if (!adds_up(s->emit + s->first[a], s->n_states, levels, s->n_levels)) return false;
        a++;
    }
    return true;
}

static smr_status check(smr_ctx *ctx, const void *params_, const void *state_,
                        const smr_shape *shape)
{
    const struct smr_hmm_params *p = params_;
    const struct smr_hmm_state *s = state_;
    int64_t n = s->n_states, d = s->n_numbers;
    bool full = p->covariance == SMR_HMM_FULL;
    bool good = s->n_spread == (full ? d * d : d) && s->is_labelled == (shape->n_classes > 0) &&
                (!s->is_labelled || n == shape->n_classes) &&
                (s->n_names == 0 || s->n_names == n) && columns_match(s, shape) &&
                adds_up(s->start, 1, n, n) && adds_up(s->mix, n, s->n_mix, s->n_mix);
    for (int64_t i = 0; good && i < n; i++) {
        double sum = 0; /* a row of 0: no move is allowed from there */
        for (int64_t j = 0; j < n; j++) sum += s->move[i * n + j];
        good = sum == 0 || adds_up(s->move + i * n, 1, n, n);
    }
    for (int64_t k = 0; good && !full && k < n * s->n_mix * d; k++) good = s->spread[k] > 0;
    if (good) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_FORMAT, "the model file is damaged: its hidden states");
}

/* ---- predict ---------------------------------------------------------------------------- */

struct answering {
    int64_t n;
    bool labels;
    double *out;
};

static smr_status answer_block(smr_ctx *ctx, void *arg, int64_t task, const smr_hidden_block *b)
{
    struct answering *a = arg;
    int64_t width = (a->n + 7) / 8 * 8;
    (void)ctx, (void)task;
    for (int64_t i = 0; i < b->n; i++) {
        const double *row = b->posterior + i * width;
        if (!a->labels) {
            memcpy(a->out + (b->lo + i) * a->n, row, (size_t)a->n * sizeof *row);
            continue;
        }
        int64_t best = 0;
        for (int64_t j = 1; j < a->n; j++)
            if (row[j] > row[best]) best = j;
        a->out[b->lo + i] = (double)best;
    }
    return SMR_OK;
}

static smr_status answer_path(smr_ctx *ctx, smr_hidden_run *run, int64_t n, double *out)
{
    smr_status st = SMR_OK;
    int32_t *path = NULL;
    TRY_NEW(path, n);
    TRY(smr_hidden_path(ctx, run, path));
    for (int64_t i = 0; i < n; i++) out[i] = path[i];
out:
    smr_free(path);
    return st;
}

static smr_status predict(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, smr_output output, double *out, void *scratch)
{
    const struct smr_hmm_params *p = params_;
    const struct smr_hmm_state *s = state_;
    smr_status st = SMR_OK;
    smr_hidden_run *run = NULL;
    struct smr_hmm_steps steps = {s->emits, rows->x, rows->stride};
    smr_hidden_seen seen = smr_hmm_seen(&steps);
    int64_t n = rows->border ? rows->n_sequences : rows->n, *border = NULL;
    double *likely = NULL;
    struct answering a = {s->n_states, output == SMR_OUTPUT_LABEL, out};
    (void)scratch;
    TRY_NEW(border, n + 1);
    TRY_NEW(likely, n);
    for (int64_t q = 0; q <= n; q++)
        border[q] = rows->border ? rows->border[q] - rows->border[0] : q;
    TRY(smr_hidden_open(ctx, s->chain, &seen, n, border, &run));
    if (output == SMR_OUTPUT_LABEL && p->decode == SMR_HMM_VITERBI) {
        TRY(answer_path(ctx, run, rows->n, out));
    } else if (output != SMR_OUTPUT_SCORE) {
        int64_t tasks = SMR_MAX(1, SMR_MIN(64, rows->n / smr_hidden_block_length(seen.width)));
        TRY(smr_hidden_visit(ctx, run, tasks, NULL, answer_block, &a, likely));
    } else {
        TRY(smr_hidden_score(ctx, run, likely));
        for (int64_t q = 0; q < n; q++)
            for (int64_t i = border[q]; i < border[q + 1]; i++) out[i] = likely[q];
    }
out:
    smr_hidden_close(run);
    smr_free(border);
    smr_free(likely);
    return st;
}

static int64_t count_states(const void *params_, const void *state_)
{
    (void)params_;
    return ((const struct smr_hmm_state *)state_)->n_states;
}

/* Probabilities that are not 0 by `moves`, less one for each distribution; means and spreads. */
static double count_free(const void *params_, const void *state_)
{
    const struct smr_hmm_params *p = params_;
    const struct smr_hmm_state *s = state_;
    double n = (double)s->n_states, d = (double)s->n_numbers, m = (double)s->n_mix, free = -1;
    for (int64_t j = 0; j < s->n_states; j++) free += s->start[j] > 0;
    for (int64_t i = 0; i < s->n_states; i++) {
        double may = 0;
        for (int64_t j = 0; j < s->n_states; j++) may += s->move[i * s->n_states + j] > 0;
        free += may > 0 ? may - 1 : 0;
    }
    free += n * (double)(s->n_levels - s->n_symbols);
    if (s->n_numbers == 0) return free;
    return free + n * (m - 1) + n * m * (d + (p->covariance == SMR_HMM_FULL ? d * (d + 1) / 2 : d));
}

/* ---- descriptor ------------------------------------------------------------------------- */

static const smr_word about = {
    .name = "hmm",
    .synonyms = "HiddenMarkovModel GaussianHMM CategoricalHMM MultinomialHMM GMMHMM",
    .family = "graphical",
    .title = "Hidden Markov model",
    .brief =
        "Sequences of symbols or numbers, made by states that follow one another and cannot be "
        "seen.",
    .objective = "maximise sum over sequences of log sum_s start[s_1] prod_t move[s_{t-1}][s_t] "
                 "prod_t b(o_t | s_t) + smoothing * sum log(probabilities)",
    .details =
        "--sequence names the column that tells sequences apart; --time-column may order their "
        "steps. Columns of categories are symbols, each with a table of its own; numbers have "
        "together one normal distribution per state, or a mixture of them. With --target the "
        "states are its classes and tables are smoothed counts; the last step of a sequence counts "
        "no move. Without a target, EM (Baum-Welch) fits k states: the objective never falls, and "
        "of several random starts the best goes on. Predictions are the states of the likeliest "
        "path (Viterbi); --proba gives the states' probabilities at each step (forward-backward), "
        "--score the log-likelihood of the sequence. A gap is no evidence, and a symbol "
        "that "
        "training never saw counts as a gap; with covariance=full a row with a missing number has "
        "no numbers. A step that no state can have made counts as a gap too, and the score is "
        "-infinity. A sequence's weight must be the same in all its rows. Rows are rescaled at "
        "every "
        "step, so a million steps do not underflow, and only the rows between blocks of some "
        "thousand steps are kept. A state that no path can come to is told. Of paths that are "
        "equally likely one is answered.",
    .reference = "Rabiner, Proceedings of the IEEE 77 (1989); Baum, Petrie, Soules & Weiss, Annals "
                 "of Mathematical Statistics 41 (1970)",
    .example = "samara train hmm data/rainy_days.csv --target weather --sequence week "
               "--time-column day",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct smr_hmm_params),
};

static const smr_can_draw draws = {.rows = smr_hmm_draw_rows};
static const smr_can_cluster states = {.count = count_states, .n_free = count_free};

static const smr_can_trace traces = {
    .shows = "the passes of EM, or the sequence of a row step by step",
    .answer = smr_hmm_tell_sequence,
};

static const smr_fitted fitted = {
    .state = state,
    .n_state = SMR_COUNT(state),
    .state_size = sizeof(struct smr_hmm_state),
    .gives = SMR_GIVES_LABEL | SMR_GIVES_PROBA | SMR_GIVES_SCORE,
    .prepare = prepare,
    .check = check,
    .release = release,
    .predict = predict,
    .block_rows = 4096,
    .describe = smr_hmm_describe,
    .draw = smr_hmm_draw,
    .clusters = &states,
    .draws = &draws,
};

const smr_learner smr_hmm = {
    .word = &about,
    .tasks = SMR_DOES_SEQUENCE,
    .takes = SMR_TAKES_F64 | SMR_TAKES_CODES | SMR_TAKES_MISSING | SMR_TAKES_WEIGHTS |
             SMR_TAKES_SEQUENCES,
    .traits = SMR_DRAWS_ROWS,
    .fit = SMR_TRAINING(smr_hmm_fit),
    .fitted = &fitted,
    .trace = SMR_TRAINING(&traces),
};
