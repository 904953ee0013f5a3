/* hmm_emit.c -- how likely states make what is seen.
 *
 *     b(j) = prod_c P(level of column c | j) sum_p mix_jp N(numbers; mean_jp, covariance_jp)
 *
 * A gap takes its factor out: a level that is missing or was never seen in training counts 1, and
 * so does a missing number, integrated over; with full covariances a row with a missing number has
 * no numbers at all. */
#include "learn/graphical/hmm.h"

#include "core/try.h"
#include "kernel/chain_kernels.h"
#include "kernel/kernel.h"
#include "math/covariance.h"

#include <math.h>
#include <string.h>

static const double HALF_LOG_2PI = 0.91893853320467274178;

/* ---- tables ----------------------------------------------------------------------------- */

void smr_hmm_emits_free(struct smr_hmm_emits *e)
{
    if (!e) return;
    smr_free(e->table);
    smr_free(e->log_table);
    smr_free(e->scale);
    smr_free(e->peak);
    smr_free(e->log_scale);
    smr_free(e->gap);
    smr_free(e->log_gap);
    smr_free(e->lanes);
    smr_free(e);
}

smr_status smr_hmm_emits_create(smr_ctx *ctx, const struct smr_hmm_state *s, bool is_full,
                                struct smr_hmm_emits **out)
{
    smr_status st = SMR_OK;
    struct smr_hmm_emits *e = NULL;
    int64_t parts = s->n_states * s->n_mix;
    TRY_NEW(e, 1);
    e->s = s;
    e->is_full = is_full;
    e->width = (s->n_states + SMR_CHAIN_PAD - 1) / SMR_CHAIN_PAD * SMR_CHAIN_PAD;
    TRY_NEW(e->table, s->n_levels * e->width);
    TRY_NEW(e->log_table, s->n_levels * e->width);
    TRY_NEW(e->scale, parts * s->n_spread);
    TRY_NEW(e->peak, parts);
    TRY_NEW(e->log_scale, parts * s->n_numbers);
    TRY_NEW(e->gap, e->width);
    TRY_NEW(e->log_gap, e->width);
    for (int64_t j = 0; j < e->width; j++) {
        e->gap[j] = j < s->n_states;
        e->log_gap[j] = j < s->n_states ? 0 : -INFINITY;
    }
    if (s->n_numbers && s->n_mix == 1 && !is_full && s->n_states <= SMR_NORMALS_MOST) {
        int64_t d = s->n_numbers, tables = d * e->width;
        TRY_NEW(e->lanes, 2 * tables + e->width);
        e->normals = (smr_normals){d,        s->n_states,       e->width,
                                   e->lanes, e->lanes + tables, e->lanes + 2 * tables};
    }
    *out = e;
    e = NULL;
out:
    smr_hmm_emits_free(e);
    return st;
}

static void fill_symbols(struct smr_hmm_emits *e)
{
    const struct smr_hmm_state *s = e->s;
    for (int64_t l = 0; l < s->n_levels; l++)
        for (int64_t j = 0; j < s->n_states; j++)
            e->table[l * e->width + j] = s->emit[j * s->n_levels + l];
    smr_log_f64(s->n_levels * e->width, e->table, e->log_table);
}

/* The scales of a covariance: the inverse of its Cholesky factor, by rows. */
static smr_status fill_full(smr_ctx *ctx, const double *covariance, int64_t d, double *scale,
                            double *log_det, double *work)
{
    smr_status st = SMR_OK;
    int64_t failed = -1;
    TRY(smr_covariance_whiten(ctx, d, covariance, work, d, log_det, &failed));
    if (failed >= 0)
        TRY(smr_fail(ctx, SMR_ERR_NUMERIC,
                     "the covariances of a state are singular at number %lld; covariance=diagonal, "
                     "or a larger floor",
                     (long long)failed + 1));
    for (int64_t k = 0; k < d; k++)
        for (int64_t l = 0; l < d; l++) scale[k * d + l] = work[k + l * d];
out:
    return st;
}

/* The tables of diagonal covariances again, states as lanes, where there are such. */
static void fill_lanes(struct smr_hmm_emits *e)
{
    if (!e->lanes) return;
    int64_t d = e->normals.d, width = e->width, n = e->s->n_states;
    double *mean = e->lanes, *scale = mean + d * width, *peak = scale + d * width;
    for (int64_t j = 0; j < width; j++) {
        peak[j] = j < n ? e->peak[j] : -INFINITY;
        for (int64_t k = 0; k < d; k++) {
            mean[k * width + j] = j < n ? e->s->mean[j * d + k] : 0;
            scale[k * width + j] = j < n ? e->scale[j * d + k] : 0;
        }
    }
}

smr_status smr_hmm_emits_fill(smr_ctx *ctx, struct smr_hmm_emits *e)
{
    const struct smr_hmm_state *s = e->s;
    smr_status st = SMR_OK;
    double *work = NULL, log_det = 0;
    int64_t d = s->n_numbers;
    fill_symbols(e);
    TRY_NEW(work, e->is_full ? d * d : 0);
    for (int64_t p = 0; d && p < s->n_states * s->n_mix; p++) {
        const double *spread = s->spread + p * s->n_spread;
        e->peak[p] = smr_log(s->mix[p]) - (double)d * HALF_LOG_2PI;
        if (e->is_full) {
            TRY(fill_full(ctx, spread, d, e->scale + p * d * d, &log_det, work));
            e->peak[p] -= log_det;
            continue;
        }
        for (int64_t k = 0; k < d; k++) {
            e->scale[p * d + k] = 1 / sqrt(spread[k]);
            double log_scale = -0.5 * smr_log(spread[k]);
            e->peak[p] += log_scale;
            e->log_scale[p * d + k] = log_scale - HALF_LOG_2PI;
        }
    }
    fill_lanes(e);
out:
    smr_free(work);
    return st;
}

/* ---- numbers ---------------------------------------------------------------------------- */

const double *smr_hmm_plain(const struct smr_hmm_steps *steps, int64_t lo, int64_t n, double *room,
                            int64_t *ld)
{
    const struct smr_hmm_state *s = steps->emits->s;
    int64_t d = steps->emits->normals.d, stride = steps->stride;
    const double *x = steps->x + lo * stride;
    double sum = 0;
    *ld = stride;
    if (d == 0) return NULL;
    if (s->number[d - 1] - s->number[0] != d - 1) { /* symbols stand between them */
        for (int64_t i = 0; i < n; i++)
            for (int64_t k = 0; k < d; k++) room[i * d + k] = x[i * stride + s->number[k]];
        x = room;
        *ld = d;
    } else {
        x += s->number[0];
    }
    if (*ld == d)
        sum = smr_sum_f64(n * d, x);
    else
        for (int64_t i = 0; i < n; i++) sum += smr_sum_f64(d, x + i * *ld);
    return isfinite(sum) ? x : NULL;
}

bool smr_hmm_numbers(const struct smr_hmm_steps *steps, int64_t lo, int64_t n, double *X)
{
    const struct smr_hmm_state *s = steps->emits->s;
    bool gaps = false;
    for (int64_t k = 0; k < s->n_numbers; k++) {
        const double *x = steps->x + lo * steps->stride + s->number[k];
        for (int64_t i = 0; i < n; i++) {
            X[k * n + i] = x[i * steps->stride];
            gaps |= isnan(X[k * n + i]);
        }
    }
    return gaps;
}

/* Column i of X has a gap: the density of its other numbers. */
static double density_with_gaps(const struct smr_hmm_emits *e, int64_t p, const double *X,
                                int64_t n, int64_t i)
{
    int64_t d = e->s->n_numbers;
    double at = e->peak[p], sum = 0;
    if (e->is_full) return smr_log(e->s->mix[p]);
    for (int64_t k = 0; k < d; k++) {
        double z = (X[k * n + i] - e->s->mean[p * d + k]) * e->scale[p * d + k];
        if (isnan(X[k * n + i]))
            at -= e->log_scale[p * d + k];
        else
            sum += z * z;
    }
    return at - 0.5 * sum;
}

void smr_hmm_part(const struct smr_hmm_emits *e, int64_t p, const double *X, int64_t n, bool gaps,
                  double *out)
{
    const struct smr_hmm_state *s = e->s;
    const double *mean = s->mean + p * s->n_numbers, *scale = e->scale + p * s->n_spread;
    if (e->is_full)
        smr_gauss_full_f64(n, s->n_numbers, X, n, mean, scale, e->peak[p], out);
    else
        smr_gauss_plain_f64(n, s->n_numbers, X, n, mean, scale, e->peak[p], out);
    for (int64_t i = 0; gaps && i < n; i++)
        if (isnan(out[i])) out[i] = density_with_gaps(e, p, X, n, i);
}

/* out (n): log of a state's density, over the parts of its mixture; part: n_mix x n. */
static void mix_parts(const struct smr_hmm_emits *e, int64_t j, const double *X, int64_t n,
                      bool gaps, double *part, double *top, double *out)
{
    int64_t m = e->s->n_mix;
    if (m == 1) {
        smr_hmm_part(e, j, X, n, gaps, out);
        return;
    }
    for (int64_t p = 0; p < m; p++) smr_hmm_part(e, j * m + p, X, n, gaps, part + p * n);
    for (int64_t i = 0; i < n; i++) {
        top[i] = part[i];
        for (int64_t p = 1; p < m; p++) top[i] = smr_fmax(top[i], part[p * n + i]);
        for (int64_t p = 0; p < m; p++)
            part[p * n + i] = top[i] > -INFINITY ? part[p * n + i] - top[i] : 0;
    }
    smr_exp_f64(m * n, part, part);
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int64_t p = 0; p < m; p++) sum += part[p * n + i];
        out[i] = sum;
    }
    smr_log_f64(n, out, out);
    for (int64_t i = 0; i < n; i++) out[i] += top[i];
}

/* ---- rows for a run --------------------------------------------------------------------- */

/* The room of a call: blocks of n rows. */
struct layout {
    double *rows;  /* n x width     */
    double *X;     /* n_numbers x n */
    double *state; /* n_states x n  */
    double *part;  /* n_mix x n     */
    double *top;   /* n             */
};

static struct layout lay_out(const struct smr_hmm_emits *e, int64_t n, void *room)
{
    struct layout l = {.rows = room};
    l.X = l.rows + n * e->width;
    l.state = l.X + n * e->s->n_numbers;
    l.part = l.state + n * e->s->n_states;
    l.top = l.part + n * e->s->n_mix;
    return l;
}

/* One column of symbols and nothing else: its rows are those of the table. */
static void tell_symbols(const struct smr_hmm_steps *steps, int64_t lo, int64_t n, bool logs,
                         const double **row)
{
    const struct smr_hmm_emits *e = steps->emits;
    const double *x = steps->x + lo * steps->stride + e->s->symbol[0];
    const double *table = logs ? e->log_table : e->table, *gap = logs ? e->log_gap : e->gap;
    for (int64_t i = 0; i < n; i++) {
        double code = x[i * steps->stride];
        row[i] = isnan(code) ? gap : table + (int64_t)code * e->width;
    }
}

/* Log-densities of the numbers by states, or densities over the largest of each row. */
static void tell_numbers(const struct smr_hmm_steps *steps, int64_t lo, int64_t n, bool logs,
                         const struct layout *l, double *most)
{
    const struct smr_hmm_emits *e = steps->emits;
    bool gaps = smr_hmm_numbers(steps, lo, n, l->X);
    for (int64_t j = 0; j < e->s->n_states; j++) {
        double *state = l->state + j * n;
        mix_parts(e, j, l->X, n, gaps, l->part, l->top, state);
        for (int64_t i = 0; i < n; i++) most[i] = j ? smr_fmax(most[i], state[i]) : state[i];
    }
    for (int64_t j = 0; !logs && j < e->s->n_states; j++)
        for (int64_t i = 0; i < n; i++)
            l->state[j * n + i] = most[i] > -INFINITY ? l->state[j * n + i] - most[i] : 0;
    if (!logs) smr_exp_f64(e->s->n_states * n, l->state, l->state);
}

/* The same rows in the states at once; false: the numbers have gaps. */
static bool tell_plain(const struct smr_hmm_steps *steps, int64_t lo, int64_t n, bool logs,
                       const struct layout *l, double *most)
{
    const smr_normals *of = &steps->emits->normals;
    int64_t ld;
    const double *x = smr_hmm_plain(steps, lo, n, l->X, &ld);
    if (!x) return false;
    if (logs)
        smr_normals_logs_f64(n, of, x, ld, l->rows);
    else
        smr_normals_rows_f64(n, of, x, ld, l->rows, most);
    return true;
}

/* What the symbols of row i say, into or onto out. */
static void add_symbols(const struct smr_hmm_steps *steps, int64_t row, bool logs, double *out)
{
    const struct smr_hmm_emits *e = steps->emits;
    for (int64_t c = 0; c < e->s->n_symbols; c++) {
        double code = steps->x[row * steps->stride + e->s->symbol[c]];
        if (isnan(code)) continue;
        int64_t at = (e->s->first[c] + (int64_t)code) * e->width;
        for (int64_t j = 0; j < e->s->n_states; j++)
            out[j] = logs ? out[j] + e->log_table[at + j] : out[j] * e->table[at + j];
    }
}

static void tell(const void *of, int64_t lo, int64_t hi, bool logs, void *room, const double **row,
                 double *shift)
{
    const struct smr_hmm_steps *steps = of;
    const struct smr_hmm_emits *e = steps->emits;
    const struct smr_hmm_state *s = e->s;
    int64_t n = hi - lo, width = e->width;
    struct layout l = lay_out(e, n, room);
    for (int64_t i = 0; i < n; i++) shift[i] = 0;
    if (s->n_symbols == 1 && s->n_numbers == 0) {
        tell_symbols(steps, lo, n, logs, row);
        return;
    }
    bool plain = tell_plain(steps, lo, n, logs, &l, shift);
    if (s->n_numbers && !plain) tell_numbers(steps, lo, n, logs, &l, shift);
    for (int64_t i = 0; i < n; i++) {
        double *out = l.rows + i * width;
        if (!plain) memcpy(out, logs ? e->log_gap : e->gap, (size_t)width * sizeof *out);
        for (int64_t j = 0; s->n_numbers && !plain && j < s->n_states; j++)
            out[j] = l.state[j * n + i];
        if (s->n_symbols) add_symbols(steps, lo + i, logs, out);
        row[i] = out;
    }
}

smr_hidden_seen smr_hmm_seen(const struct smr_hmm_steps *steps)
{
    const struct smr_hmm_emits *e = steps->emits;
    const struct smr_hmm_state *s = e->s;
    int64_t numbers = e->width + s->n_numbers + s->n_states + s->n_mix + 1;
    return (smr_hidden_seen){
        .of = steps, .width = e->width, .tell = tell, .room = numbers * (int64_t)sizeof(double)};
}
