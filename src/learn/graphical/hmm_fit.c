/* hmm_fit.c -- fitting hidden Markov models: counting where the states are known, else EM (Baum and
 * Welch).
 *
 * An iteration: the posteriors of all steps (math/hidden_chain.h), counted; then the tables that
 * the counts make likeliest (hmm_update.c).  The objective, log-likelihood and penalty, never
 * falls.  Blocks of steps are shared out to a number of tasks that depends on the data alone, and
 * their counts are added up in that order. */
#include "learn/graphical/hmm.h"

#include "core/parallel.h"
#include "core/rng.h"
#include "core/span.h"
#include "core/try.h"
#include "data/vocab.h"
#include "kernel/kernel.h"
#include "math/special.h"

#include <math.h>
#include <string.h>

enum {
    FIRST_ITERATIONS = 10,   /* of every start                              */
    READ_ROWS = 4096,        /* at a time                                   */
    MOST_TASKS = 64,         /* that count at the same time                 */
    COUNT_NUMBERS = 1 << 23, /* of all tasks' counts, about; 64 MB          */
    COUNT_ROWS = 512         /* of labelled steps, at a time                */
};

/* ---- what the data are ------------------------------------------------------------------ */

static bool is_symbol(const smr_data *data, int64_t j)
{
    return data->features && data->features[j].kind == SMR_CATEGORY;
}

static smr_status size_state(smr_ctx *ctx, const struct smr_hmm_params *p, const smr_data *data,
                             struct smr_hmm_state *s)
{
    smr_status st = SMR_OK;
    s->is_labelled = data->n_classes > 0;
    s->n_states = s->is_labelled ? data->n_classes : p->k == SMR_UNSET_INT ? 2 : p->k;
    for (int64_t j = 0; j < data->n_features; j++) {
        s->n_symbols += is_symbol(data, j);
        if (is_symbol(data, j)) s->n_levels += SMR_MAX(1, data->features[j].n_levels);
    }
    s->n_numbers = data->n_features - s->n_symbols;
    s->n_mix = s->n_numbers ? p->mixtures : 1;
    s->n_spread = p->covariance == SMR_HMM_FULL ? s->n_numbers * s->n_numbers : s->n_numbers;
    s->n_starts = s->n_symbols + 1;
    int64_t n = s->n_states, parts = n * s->n_mix;
    TRY_NEW(s->first, s->n_starts);
    TRY_NEW(s->symbol, s->n_symbols);
    TRY_NEW(s->number, s->n_numbers);
    TRY_NEW(s->start, n);
    TRY_NEW(s->move, n * n);
    TRY_NEW(s->emit, n * s->n_levels);
    TRY_NEW(s->mix, parts);
    TRY_NEW(s->mean, parts * s->n_numbers);
    TRY_NEW(s->spread, parts * s->n_spread);
    TRY_NEW(s->share, n);
    for (int64_t j = 0, a = 0, b = 0; j < data->n_features; j++) {
        if (is_symbol(data, j)) {
            s->first[a + 1] = s->first[a] + SMR_MAX(1, data->features[j].n_levels);
            s->symbol[a++] = (int32_t)j;
        } else {
            s->number[b++] = (int32_t)j;
        }
    }
out:
    return st;
}

/* What will be held at once: the rows, and counts and work of the tasks. */
static smr_status check_memory(smr_ctx *ctx, const struct smr_hmm_fit *f, double counts)
{
    double rows = 8.0 * (double)f->data->n_rows * (double)f->data->n_features;
    double tables = 8.0 * counts * (double)(f->n_tasks + 3);
    return smr_memory_check(ctx, rows + tables, "hmm",
                            "fewer states, levels or columns, or a shorter table");
}

static smr_status read_rows(smr_ctx *ctx, struct smr_hmm_fit *f)
{
    smr_status st = SMR_OK;
    smr_reader *reader = NULL;
    const smr_data *data = f->data;
    int64_t d = data->n_features;
    TRY_NEW(f->x, data->n_rows * d);
    TRY(smr_reader_open(ctx, data, SMR_FORM_F64, READ_ROWS, &reader));
    for (int64_t lo = 0; lo < data->n_rows; lo += READ_ROWS) {
        smr_rows rows;
        TRY(smr_reader_rows(ctx, reader, lo, SMR_MIN(data->n_rows, lo + READ_ROWS), &rows));
        TRY(smr_tick(ctx, NULL, lo, data->n_rows, NAN));
        for (int64_t i = 0; i < rows.n; i++)
            memcpy(f->x + (lo + i) * d, (const double *)rows.x + i * rows.stride,
                   (size_t)d * sizeof *f->x);
    }
out:
    smr_reader_close(reader);
    return st;
}

/* A sequence's weight, which all its rows have. */
static smr_status weigh(smr_ctx *ctx, struct smr_hmm_fit *f)
{
    const smr_data *data = f->data;
    for (int64_t q = 0; q < data->n_sequences; q++) {
        int64_t first = data->border[q], end = data->border[q + 1];
        f->weight[q] = first < end ? smr_data_weight(data, first) : 0;
        for (int64_t i = first; i < end; i++) {
            if (smr_data_weight(data, i) != f->weight[q])
                return smr_fail(ctx, SMR_ERR_DATA,
                                "hmm: rows %lld and %lld of one sequence have weights %g and %g; a "
                                "sequence has one weight, in each of its rows",
                                (long long)(data->rows ? data->rows[first] : first) + 1,
                                (long long)(data->rows ? data->rows[i] : i) + 1, f->weight[q],
                                smr_data_weight(data, i));
            f->total += f->weight[q];
        }
    }
    if (f->total > 0) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_DATA, "hmm: all sequences have weight 0");
}

/* Mean and deviation of a number over all rows; 1 for one that is constant. */
static smr_status find_moments(smr_ctx *ctx, struct smr_hmm_fit *f, int64_t k)
{
    const smr_data *data = f->data;
    int64_t j = f->s->number[k];
    double total = 0, mean = 0, square = 0;
    for (int64_t q = 0; q < data->n_sequences; q++)
        for (int64_t i = data->border[q]; i < data->border[q + 1]; i++) {
            double x = f->x[i * data->n_features + j], w = f->weight[q];
            if (isnan(x) || w <= 0) continue;
            total += w;
            double off = x - mean;
            mean += w / total * off;
            square += w * off * (x - mean);
        }
    if (!isfinite(square)) {
        const char *name = data->features ? data->features[j].name : "a feature";
        return smr_fail(ctx, SMR_ERR_DATA,
                        "hmm: the squares of '%s' are too large for doubles; divide it, or leave "
                        "the column out",
                        name);
    }
    f->mean[k] = mean;
    f->deviation[k] = total > 0 && square > 0 ? sqrt(square / total) : 1;
    return SMR_OK;
}

/* Shares of the levels of each column; equal ones where none was seen. */
static void find_levels(struct smr_hmm_fit *f)
{
    const smr_data *data = f->data;
    const struct smr_hmm_state *s = f->s;
    for (int64_t c = 0; c < s->n_symbols; c++) {
        double sum = 0;
        for (int64_t q = 0; q < data->n_sequences; q++)
            for (int64_t i = data->border[q]; i < data->border[q + 1]; i++) {
                double code = f->x[i * data->n_features + s->symbol[c]];
                if (!isnan(code)) f->levels[s->first[c] + (int64_t)code] += f->weight[q];
            }
        for (int64_t l = s->first[c]; l < s->first[c + 1]; l++) sum += f->levels[l];
        for (int64_t l = s->first[c]; l < s->first[c + 1]; l++)
            f->levels[l] =
                sum > 0 ? f->levels[l] / sum : 1 / (double)(s->first[c + 1] - s->first[c]);
    }
}

static smr_status open_fit(smr_ctx *ctx, struct smr_hmm_fit *f)
{
    smr_status st = SMR_OK;
    const smr_data *data = f->data;
    struct smr_hmm_state *s = f->s;
    int64_t n = s->n_states;
    TRY(smr_hidden_create(ctx, n, &f->chain));
    TRY(smr_hmm_emits_create(ctx, s, f->params->covariance == SMR_HMM_FULL, &f->emits));
    TRY(smr_hmm_counts_create(ctx, s, f->emits->width, &f->sum));
    int64_t blocks = SMR_MAX(1, data->n_rows / smr_hidden_block_length(f->emits->width));
    blocks = SMR_MAX(blocks, data->n_sequences);
    f->n_tasks = SMR_MAX(1, SMR_MIN(SMR_MIN(blocks, MOST_TASKS), COUNT_NUMBERS / f->sum.n));
    TRY(check_memory(ctx, f, (double)f->sum.n));
    TRY(read_rows(ctx, f));
    TRY_NEW(f->allowed, n * n);
    TRY_NEW(f->begins, n);
    TRY_NEW(f->weight, data->n_sequences);
    TRY_NEW(f->likely, data->n_sequences);
    TRY_NEW(f->mean, s->n_numbers);
    TRY_NEW(f->deviation, s->n_numbers);
    TRY_NEW(f->levels, s->n_levels);
    TRY(weigh(ctx, f));
    for (int64_t k = 0; k < s->n_numbers; k++) TRY(find_moments(ctx, f, k));
    find_levels(f);
    TRY(smr_hmm_allow(ctx, f->params, s->is_labelled ? data->classes : NULL, n, f->allowed,
                      f->begins));
    f->steps = (struct smr_hmm_steps){f->emits, f->x, data->n_features};
    f->seen = smr_hmm_seen(&f->steps);
    TRY(smr_hidden_open(ctx, f->chain, &f->seen, data->n_sequences, data->border, &f->run));
    TRY_NEW(f->counting, smr_lanes(ctx));
out:
    return st;
}

static void close_fit(struct smr_hmm_fit *f, int lanes)
{
    for (int64_t t = 0; f->counts && t < f->n_tasks; t++) smr_hmm_counts_release(&f->counts[t]);
    for (int i = 0; f->counting && i < lanes; i++) smr_hmm_counting_release(&f->counting[i]);
    smr_hmm_counts_release(&f->sum);
    smr_free(f->counts);
    smr_free(f->counting);
    smr_hidden_close(f->run);
    smr_hidden_free(f->chain);
    smr_hmm_emits_free(f->emits);
    smr_free(f->x);
    smr_free(f->allowed);
    smr_free(f->begins);
    smr_free(f->weight);
    smr_free(f->likely);
    smr_free(f->mean);
    smr_free(f->deviation);
    smr_free(f->levels);
}

/* ---- labelled states -------------------------------------------------------------------- */

static smr_status count_moves(smr_ctx *ctx, struct smr_hmm_fit *f)
{
    const smr_data *data = f->data;
    int64_t n = f->s->n_states, width = f->emits->width;
    for (int64_t q = 0; q < data->n_sequences; q++)
        for (int64_t i = data->border[q]; i < data->border[q + 1]; i++) {
            int64_t to = data->label[i], from = i > data->border[q] ? data->label[i - 1] : -1;
            bool may = from < 0 ? f->begins[to] : f->allowed[from * n + to];
            if (!may && f->weight[q] > 0) {
                char a[64], b[64];
                smr_hmm_state_name(data->classes, SMR_MAX(from, 0), a, sizeof a);
                smr_hmm_state_name(data->classes, to, b, sizeof b);
                return smr_fail(ctx, SMR_ERR_DATA,
                                from < 0 ? "hmm: row %lld begins a sequence%.0s with '%s', which "
                                           "`moves` does not allow"
                                         : "hmm: row %lld goes from '%s' to '%s', which `moves` "
                                           "does not allow",
                                (long long)(data->rows ? data->rows[i] : i) + 1, a, b);
            }
            double *at = from < 0 ? f->sum.start : f->sum.move + from * width;
            at[to] += f->weight[q];
        }
    return SMR_OK;
}

/* Emissions of all rows, each in its own state. */
static smr_status count_labelled(smr_ctx *ctx, struct smr_hmm_fit *f)
{
    smr_status st = SMR_OK;
    const smr_data *data = f->data;
    int64_t width = f->emits->width;
    double *posterior = NULL;
    struct smr_hmm_counting work = {0};
    TRY_NEW(posterior, COUNT_ROWS * width);
    TRY(smr_hmm_counting_create(ctx, f->s, COUNT_ROWS, &work));
    memset(f->sum.all, 0, (size_t)f->sum.n * sizeof *f->sum.all);
    TRY(smr_hmm_emits_fill(ctx, f->emits));
    for (int64_t q = 0; q < data->n_sequences; q++)
        for (int64_t lo = data->border[q]; lo < data->border[q + 1]; lo += COUNT_ROWS) {
            int64_t n = SMR_MIN(COUNT_ROWS, data->border[q + 1] - lo);
            memset(posterior, 0, (size_t)(n * width) * sizeof *posterior);
            for (int64_t i = 0; i < n; i++)
                posterior[i * width + data->label[lo + i]] = f->weight[q];
            smr_hmm_count_rows(&f->steps, lo, n, posterior, &work, &f->sum);
            if (q % 64 == 0) TRY(smr_tick(ctx, NULL, lo, data->n_rows, NAN));
        }
    smr_hmm_counts_settle(f->emits, &f->sum);
    TRY(count_moves(ctx, f));
out:
    smr_hmm_counting_release(&work);
    smr_free(posterior);
    return st;
}

/* The log-likelihood of the rows, given their states. */
static double score_labelled(struct smr_hmm_fit *f, void *room)
{
    const smr_data *data = f->data;
    double sum = 0;
    for (int64_t q = 0; q < data->n_sequences; q++) {
        double likely = 0;
        for (int64_t i = data->border[q]; i < data->border[q + 1]; i++) {
            const double *row;
            double shift;
            f->seen.tell(&f->steps, i, i + 1, true, room, &row, &shift);
            likely += row[data->label[i]];
        }
        sum += f->weight[q] * likely;
    }
    return sum;
}

/* Every state as all rows are, for counting to begin with. */
static void begin_labelled(struct smr_hmm_fit *f)
{
    struct smr_hmm_state *s = f->s;
    int64_t d = s->n_numbers;
    for (int64_t p = 0; p < s->n_states * s->n_mix; p++) {
        s->mix[p] = 1 / (double)s->n_mix;
        for (int64_t k = 0; k < d; k++) {
            int64_t at = f->emits->is_full ? p * d * d + k * d + k : p * d + k;
            s->mean[p * d + k] = f->mean[k];
            s->spread[at] = f->deviation[k] * f->deviation[k];
        }
    }
    for (int64_t j = 0; j < s->n_states; j++) { /* where nothing is counted */
        int64_t may = 0, begin = 0;
        for (int64_t i = 0; i < s->n_states; i++) {
            may += f->allowed[j * s->n_states + i];
            begin += f->begins[i];
        }
        s->start[j] = f->begins[j] ? 1 / (double)begin : 0;
        for (int64_t i = 0; i < s->n_states; i++)
            s->move[j * s->n_states + i] = f->allowed[j * s->n_states + i] ? 1 / (double)may : 0;
    }
}

/* The parts of a mixture, all alike, are moved apart. */
static void part(struct smr_hmm_fit *f, uint64_t seed)
{
    struct smr_hmm_state *s = f->s;
    int64_t d = s->n_numbers;
    for (int64_t p = 0; p < s->n_states * s->n_mix; p++)
        for (int64_t k = 0; p % s->n_mix && k < d; k++) {
            int64_t at = f->emits->is_full ? p * d * d + k * d + k : p * d + k;
            double u = smr_random_unit(seed, SMR_STREAM_HIDDEN, (uint64_t)p, (uint64_t)k);
            s->mean[p * d + k] += sqrt(s->spread[at]) * smr_normal_quantile(0.01 + 0.98 * u);
        }
}

/* A normal distribution for each state from its rows; the parts of a mixture by EM. */
static smr_status fit_labelled(smr_ctx *ctx, struct smr_hmm_fit *f)
{
    smr_status st = SMR_OK;
    struct smr_hmm_state *s = f->s;
    char *room = NULL;
    double value = -INFINITY;
    begin_labelled(f);
    TRY(count_labelled(ctx, f));
    TRY(smr_hmm_update(ctx, f, &f->sum));
    f->report->converged = s->n_mix == 1;
    if (s->n_mix == 1) goto out;
    part(f, ctx->seed);
    TRY_NEW(room, f->seen.room);
    TRY_NEW(s->curve, f->params->max_iter);
    for (int64_t i = 0; i < f->params->max_iter && !f->report->converged; i++) {
        TRY(smr_tick(ctx, NULL, i, f->params->max_iter, value));
        TRY(count_labelled(ctx, f));
        TRY(smr_hmm_update(ctx, f, &f->sum));
        TRY(smr_hmm_emits_fill(ctx, f->emits));
        double now = score_labelled(f, room) + smr_hmm_prior(f);
        TRY(smr_fit_step(ctx, f->report, -now));
        s->curve[s->n_curve++] = now;
        TRY(smr_hmm_tell_pass(ctx, f, 0, s->n_curve, now));
        f->report->converged = now - value <= f->params->tol * f->total;
        value = now;
    }
out:
    smr_free(room);
    return st;
}

/* ---- EM --------------------------------------------------------------------------------- */

static smr_status count_block(smr_ctx *ctx, void *arg, int64_t task, const smr_hidden_block *b)
{
    struct smr_hmm_fit *f = arg;
    struct smr_hmm_counts *to = &f->counts[task];
    struct smr_hmm_counting *work = &f->counting[b->lane];
    smr_status st = SMR_OK;
    int64_t width = f->emits->width;
    if (!work->product)
        TRY(smr_hmm_counting_create(ctx, f->s, smr_hidden_block_length(width), work));
    if (b->is_first)
        for (int64_t j = 0; j < width; j++) to->start[j] += b->posterior[j];
    smr_rows_add_f64(b->n_moves, width, width, b->to, width, b->from, to->move, width);
    smr_hmm_count_rows(&f->steps, b->lo, b->n, b->posterior, work, to);
out:
    return st;
}

/* The objective of the tables, and the counts of the steps. */
static smr_status expect(smr_ctx *ctx, struct smr_hmm_fit *f, double *value)
{
    smr_status st = SMR_OK;
    int64_t width = f->emits->width;
    TRY(smr_hmm_emits_fill(ctx, f->emits));
    smr_hidden_set(f->chain, f->s->start, f->s->move);
    for (int64_t t = 0; t < f->n_tasks; t++)
        memset(f->counts[t].all, 0, (size_t)f->counts[t].n * sizeof *f->counts[t].all);
    TRY(smr_hidden_visit(ctx, f->run, f->n_tasks, f->weight, count_block, f, f->likely));
    smr_hmm_counts_add(f->counts, f->n_tasks);
    smr_hmm_counts_settle(f->emits, &f->counts[0]);
    double *move = f->counts[0].move;
    for (int64_t k = 0; k < f->s->n_states * width; k++) move[k] *= f->chain->move[k];
    *value = smr_hmm_prior(f);
    for (int64_t q = 0; q < f->data->n_sequences; q++) {
        if (f->likely[q] == -INFINITY && f->weight[q] > 0) {
            int64_t row = f->data->border[q];
            TRY(smr_fail(ctx, SMR_ERR_DATA,
                         "hmm: no path of states that `moves` allows explains the sequence that "
                         "begins in row %lld",
                         (long long)(f->data->rows ? f->data->rows[row] : row) + 1));
        }
        if (f->weight[q] > 0) *value += f->weight[q] * f->likely[q];
    }
out:
    return st;
}

/* Tables that are kept while others are tried. */
struct kept {
    double *all, *curve, value;
    int64_t attempt, n, n_curve;
    bool settled;
};

static void copy_tables(const struct smr_hmm_state *s, double *all, bool back)
{
    int64_t n = s->n_states, parts = n * s->n_mix;
    double *table[] = {s->start, s->move, s->emit, s->mix, s->mean, s->spread};
    int64_t size[] = {n, n * n, n * s->n_levels, parts, parts * s->n_numbers, parts * s->n_spread};
    for (int k = 0; k < 6; k++) {
        memcpy(back ? table[k] : all, back ? all : table[k], (size_t)size[k] * sizeof *all);
        all += size[k];
    }
}

/* Iterations until `most` of them have a value, or they settle. */
static smr_status lead(smr_ctx *ctx, struct smr_hmm_fit *f, smr_span *span, int64_t *done,
                       int64_t most, struct kept *k)
{
    smr_status st = SMR_OK;
    while (k->n_curve < most && !k->settled) {
        double value;
        TRY(smr_span_at(ctx, span, (*done)++, k->n_curve ? k->value : NAN));
        if (k->n_curve) TRY(smr_hmm_update(ctx, f, &f->counts[0]));
        TRY(expect(ctx, f, &value));
        TRY(smr_hmm_tell_pass(ctx, f, k->attempt, k->n_curve + 1, value));
        k->settled = k->n_curve && value - k->value <= f->params->tol * f->total;
        k->value = value;
        k->curve[k->n_curve++] = value;
    }
out:
    return st;
}

static void trade(struct kept *a, struct kept *b)
{
    struct kept c = *a;
    *a = *b;
    *b = c;
}

static smr_status fit_hidden(smr_ctx *ctx, struct smr_hmm_fit *f, smr_span *span)
{
    smr_status st = SMR_OK;
    struct smr_hmm_state *s = f->s;
    int64_t n = s->n_states, parts = n * s->n_mix, done = 0, most = f->params->max_iter;
    int64_t first = SMR_MIN(most, FIRST_ITERATIONS), tries = n == 1 ? 1 : f->params->restarts;
    int64_t size = n * (1 + n + s->n_levels) + parts * (1 + s->n_numbers + s->n_spread);
    struct kept best = {.value = -INFINITY}, now = {0};
    TRY_NEW(best.all, size);
    TRY_NEW(now.all, size);
    TRY_NEW(best.curve, most);
    TRY_NEW(now.curve, most);
    TRY_NEW(f->counts, f->n_tasks);
    for (int64_t t = 0; t < f->n_tasks; t++)
        TRY(smr_hmm_counts_create(ctx, s, f->emits->width, &f->counts[t]));
    for (int64_t a = 0; a < tries; a++) {
        now.n_curve = 0;
        now.settled = false;
        now.attempt = a;
        TRY(smr_hmm_start(ctx, f, a));
        TRY(lead(ctx, f, span, &done, first, &now));
        copy_tables(s, now.all, false);
        if (a == 0 || now.value > best.value) trade(&best, &now);
    }
    f->is_scored = tries == 1;
    copy_tables(s, best.all, true);
    if (!best.settled && best.n_curve < most) { /* its counts are gone: make them again */
        best.n_curve--;
        double value = best.n_curve ? best.curve[best.n_curve - 1] : -INFINITY;
        int64_t kept = best.n_curve;
        TRY(expect(ctx, f, &best.value));
        best.curve[best.n_curve++] = best.value;
        best.settled = kept && best.value - value <= f->params->tol * f->total;
        TRY(lead(ctx, f, span, &done, most, &best));
        f->is_scored = true;
    }
    for (int64_t i = 0; i < best.n_curve; i++) TRY(smr_fit_step(ctx, f->report, -best.curve[i]));
    f->report->converged = best.settled;
    s->n_curve = best.n_curve;
    s->curve = best.curve;
    best.curve = NULL;
out:
    smr_free(best.all);
    smr_free(now.all);
    smr_free(best.curve);
    smr_free(now.curve);
    return st;
}

/* ---- fit -------------------------------------------------------------------------------- */

/* The stated likelihood and shares of the states, and what is to be warned of. */
static smr_status finish(smr_ctx *ctx, struct smr_hmm_fit *f)
{
    smr_status st = SMR_OK;
    struct smr_hmm_state *s = f->s;
    bool *reached = NULL;
    const struct smr_hmm_counts *c = s->is_labelled ? &f->sum : &f->counts[0];
    TRY(smr_hmm_emits_fill(ctx, f->emits));
    smr_hidden_set(f->chain, s->start, s->move);
    if (!f->is_scored) TRY(smr_hidden_score(ctx, f->run, f->likely));
    for (int64_t q = 0; q < f->data->n_sequences; q++)
        if (f->weight[q] > 0) s->log_likelihood += f->weight[q] * f->likely[q];
    for (int64_t j = 0; j < s->n_states; j++) s->share[j] = c->state[j] / f->total;
    s->n_sequences = f->data->n_sequences;
    if (s->is_labelled && f->data->classes) {
        TRY(smr_strings_copy(ctx, f->data->classes, NULL, &s->names));
        s->n_names = s->n_states;
    }
    s->n_steps = f->data->n_rows;
    TRY_NEW(reached, s->n_states);
    smr_hmm_reach(s->n_states, s->start, s->move, reached);
    for (int64_t j = 0; j < s->n_states; j++) {
        char name[64];
        if (reached[j]) continue;
        smr_hmm_state_name(s->is_labelled ? f->data->classes : NULL, j, name, sizeof name);
        smr_warn(ctx, "hmm: no path comes to state '%s': it will never be answered", name);
    }
    if (s->is_labelled && s->n_curve == 0) f->report->objective = -s->log_likelihood;
out:
    smr_free(reached);
    return st;
}

smr_status smr_hmm_fit(smr_ctx *ctx, const void *params, const smr_data *data, void *state,
                       smr_fit_report *report)
{
    smr_status st = SMR_OK;
    struct smr_hmm_fit f = {.params = params, .data = data, .s = state, .report = report};
    smr_span span = {0};
    if (!data->border)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "hmm reads sequences: name the column that tells them apart with "
                        "--sequence; one that has the same value in all rows makes them one");
    if (data->n_features == 0)
        return smr_fail(ctx, SMR_ERR_DATA, "hmm needs a column of symbols or numbers");
    TRY(size_state(ctx, f.params, data, f.s));
    TRY(open_fit(ctx, &f));
    int64_t tries = SMR_MIN(f.params->max_iter, FIRST_ITERATIONS) * (f.params->restarts - 1);
    smr_span_open(ctx, &span, "hmm", f.params->max_iter + tries);
    if (f.s->is_labelled)
        TRY(fit_labelled(ctx, &f));
    else
        TRY(fit_hidden(ctx, &f, &span));
    TRY(finish(ctx, &f));
    TRY(smr_span_at(ctx, &span, span.total, f.s->log_likelihood));
out:
    smr_span_close(ctx, &span);
    close_fit(&f, smr_lanes(ctx));
    return st;
}
