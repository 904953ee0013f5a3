/* hmm_start.c -- tables for EM to begin with.
 *
 * Some rows are given to states: where moves are in order by their place in the sequence, else by
 * k-means of their numbers, begun as k-means++ (Arthur & Vassilvitskii 2007), or at random where
 * there are only symbols.  Means and shares of symbols come from these rows, the latter times
 * random factors, or all states would be alike. */
#include "learn/graphical/hmm.h"

#include "core/rng.h"
#include "core/try.h"
#include "kernel/kernel.h"
#include "math/centres.h"
#include "math/special.h"

#include <math.h>
#include <string.h>

enum { MOST_ROWS = 20000, ROUNDS = 10 };

struct starting {
    struct smr_hmm_fit *f;
    uint64_t seed, attempt, drawn;
    int64_t n;           /* rows that are given to states */
    int64_t *row;        /* n */
    int32_t *state;      /* n */
    double *z;           /* n x d: in units of the deviations; a gap is 0 */
    smr_centres centres; /* of z */
};

static double draw(struct starting *t)
{
    return smr_random_unit(t->seed, SMR_STREAM_HIDDEN, t->attempt, t->drawn++);
}

/* From an exponential distribution: shares of such are uniform over all shares. */
static double draw_factor(struct starting *t)
{
    return -smr_log1p(-draw(t));
}

/* ---- rows and states -------------------------------------------------------------------- */

static void read_row(struct starting *t, int64_t i)
{
    const struct smr_hmm_fit *f = t->f;
    const struct smr_hmm_state *s = f->s;
    for (int64_t k = 0; k < s->n_numbers; k++) {
        double x = f->x[t->row[i] * f->data->n_features + s->number[k]];
        t->z[i * s->n_numbers + k] = isnan(x) ? 0 : (x - f->mean[k]) / f->deviation[k];
    }
}

static double draw_unit(void *arg)
{
    return draw(arg);
}

static void find_clusters(struct starting *t)
{
    smr_centres_draw(&t->centres, draw_unit, t);
    smr_centres_settle(&t->centres, ROUNDS);
}

static void place_in_order(struct starting *t)
{
    const smr_data *data = t->f->data;
    int64_t k = t->f->s->n_states, q = 0;
    double wobble = 0.8 * draw(t) - 0.4;
    if (t->attempt == 0) wobble = 0;
    for (int64_t i = 0; i < t->n; i++) {
        while (t->row[i] >= data->border[q + 1]) q++;
        int64_t length = data->border[q + 1] - data->border[q];
        double place = ((double)(t->row[i] - data->border[q]) + 0.5) / (double)length;
        place += wobble * place * (1 - place);
        t->state[i] = (int32_t)SMR_MIN(k - 1, (int64_t)(place * (double)k));
    }
}

static void give_states(struct starting *t)
{
    int moves = t->f->params->moves;
    int64_t k = t->f->s->n_states;
    if (moves == SMR_HMM_FORWARD || moves == SMR_HMM_STEP) {
        place_in_order(t);
    } else if (t->f->s->n_numbers) {
        find_clusters(t);
    } else {
        for (int64_t i = 0; i < t->n; i++) t->state[i] = (int32_t)(draw(t) * (double)k);
    }
}

/* ---- tables ----------------------------------------------------------------------------- */

static void start_moves(struct starting *t)
{
    struct smr_hmm_state *s = t->f->s;
    int64_t n = s->n_states;
    for (int64_t i = -1; i < n; i++) {
        double *to = i < 0 ? s->start : s->move + i * n, sum = 0;
        const bool *may = i < 0 ? t->f->begins : t->f->allowed + i * n;
        for (int64_t j = 0; j < n; j++) sum += to[j] = may[j] ? 0.5 + draw(t) : 0;
        for (int64_t j = 0; j < n && sum > 0; j++) to[j] /= sum;
    }
}

static void start_symbols(struct starting *t)
{
    const struct smr_hmm_fit *f = t->f;
    struct smr_hmm_state *s = f->s;
    for (int64_t k = 0; k < s->n_states * s->n_levels; k++) s->emit[k] = 0;
    for (int64_t c = 0; c < s->n_symbols; c++)
        for (int64_t i = 0; i < t->n; i++) {
            double code = f->x[t->row[i] * f->data->n_features + s->symbol[c]];
            if (!isnan(code)) s->emit[t->state[i] * s->n_levels + s->first[c] + (int64_t)code] += 1;
        }
    for (int64_t j = 0; j < s->n_states; j++)
        for (int64_t c = 0; c < s->n_symbols; c++) {
            double sum = 0, *to = s->emit + j * s->n_levels;
            for (int64_t l = s->first[c]; l < s->first[c + 1]; l++)
                sum += to[l] = (to[l] + f->levels[l] + 1e-3) * draw_factor(t);
            for (int64_t l = s->first[c]; l < s->first[c + 1]; l++) to[l] /= sum;
        }
}

/* Means and variances of the rows of each state; the parts of a mixture are moved apart. */
static void start_numbers(struct starting *t)
{
    const struct smr_hmm_fit *f = t->f;
    struct smr_hmm_state *s = f->s;
    int64_t d = s->n_numbers, m = s->n_mix;
    for (int64_t j = 0; j < s->n_states; j++)
        for (int64_t k = 0; k < d; k++) {
            double sum = 0, square = 0, n = 0;
            for (int64_t i = 0; i < t->n; i++)
                if (t->state[i] == j) {
                    double z = t->z[i * d + k];
                    n += 1;
                    sum += z;
                    square += z * z;
                }
            double mean = n > 0 ? sum / n : smr_normal_quantile(0.01 + 0.98 * draw(t));
            double variance = n > 1 ? smr_fmax(square / n - mean * mean, 0.01) : 1;
            for (int64_t p = 0; p < m; p++) {
                int64_t part = j * m + p;
                double off = p ? sqrt(variance) * smr_normal_quantile(0.01 + 0.98 * draw(t)) : 0;
                s->mean[part * d + k] = f->mean[k] + (mean + off) * f->deviation[k];
                int64_t at = f->emits->is_full ? part * d * d + k * d + k : part * d + k;
                s->spread[at] = variance * f->deviation[k] * f->deviation[k];
            }
        }
}

smr_status smr_hmm_start(smr_ctx *ctx, struct smr_hmm_fit *f, int64_t attempt)
{
    smr_status st = SMR_OK;
    struct smr_hmm_state *s = f->s;
    struct starting t = {.f = f, .seed = ctx->seed, .attempt = (uint64_t)attempt};
    int64_t rows = f->data->n_rows, d = s->n_numbers;
    t.n = SMR_MIN(rows, MOST_ROWS);
    TRY_NEW(t.row, t.n);
    TRY_NEW(t.state, t.n);
    TRY_NEW(t.z, t.n * d);
    t.centres = (smr_centres){.n = t.n, .d = d, .k = s->n_states, .z = t.z, .of = t.state};
    TRY_NEW(t.centres.near, 2 * t.n);
    t.centres.chance = t.centres.near + t.n;
    TRY_NEW(t.centres.centre, s->n_states * (d + 1));
    t.centres.count = t.centres.centre + s->n_states * d;
    for (int64_t i = 0; i < t.n; i++) {
        t.row[i] = (int64_t)((double)i * ((double)rows / (double)t.n));
        read_row(&t, i);
    }
    give_states(&t);
    start_moves(&t);
    start_symbols(&t);
    memset(s->spread, 0, (size_t)(s->n_states * s->n_mix * s->n_spread) * sizeof *s->spread);
    for (int64_t p = 0; p < s->n_states * s->n_mix; p++) s->mix[p] = 1 / (double)s->n_mix;
    start_numbers(&t);
out:
    smr_free(t.row);
    smr_free(t.state);
    smr_free(t.z);
    smr_free(t.centres.near);
    smr_free(t.centres.centre);
    return st;
}
