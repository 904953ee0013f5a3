/* hmm_update.c -- the tables that counts make likeliest.
 *
 * With `smoothing` s added to every count, the objective has s sum log(probability) besides the
 * log-likelihood; both go up together.  Variances are held above floor times the variance of all
 * rows: the likeliest covariance S that is at least floor I, in units of the deviations of all
 * rows, is S with its eigenvalues raised to that. */
#include "learn/graphical/hmm.h"

#include "core/try.h"
#include "kernel/kernel.h"
#include "math/covariance.h"

#include <math.h>
#include <string.h>

static const double NOTHING = 1e-100; /* of a step: less is no count */

/* to_k = (count_k + smoothing) / their sum over those that may be; false: there are none. */
static bool normalize(int64_t n, const double *count, int64_t stride, double smoothing,
                      const bool *may, double *to)
{
    double sum = 0;
    for (int64_t k = 0; k < n; k++)
        if (!may || may[k]) sum += count[k * stride] + smoothing;
    if (!(sum > NOTHING)) return false;
    for (int64_t k = 0; k < n; k++)
        to[k] = !may || may[k] ? (count[k * stride] + smoothing) / sum : 0;
    return true;
}

/* ---- numbers ---------------------------------------------------------------------------- */

static void update_diagonal(struct smr_hmm_fit *f, const struct smr_hmm_counts *c, int64_t p)
{
    struct smr_hmm_state *s = f->s;
    int64_t d = s->n_numbers;
    for (int64_t k = 0; k < d; k++) {
        double seen = c->seen[p * d + k], least = f->deviation[k] * f->deviation[k];
        if (!(seen > NOTHING)) continue;
        double off = c->sum[p * d + k] / seen;
        s->mean[p * d + k] += off;
        s->spread[p * d + k] =
            smr_fmax(c->cross[p * d + k] / seen - off * off, least * f->params->floor);
    }
}

static smr_status update_full(smr_ctx *ctx, struct smr_hmm_fit *f, const struct smr_hmm_counts *c,
                              int64_t p, double *work)
{
    smr_status st = SMR_OK;
    struct smr_hmm_state *s = f->s;
    int64_t d = s->n_numbers;
    double seen = c->part[p], *S = s->spread + p * d * d;
    const double *sum = c->sum + p * d, *by = f->deviation;
    bool lifted;
    if (!(seen > NOTHING)) return SMR_OK;
    for (int64_t k = 0; k < d; k++)
        for (int64_t l = 0; l <= k; l++) {
            double cross = c->cross[p * d * d + k * d + l] / seen;
            cross -= sum[k] / seen * (sum[l] / seen);
            S[k * d + l] = S[l * d + k] = cross / (by[k] * by[l]);
        }
    TRY(smr_covariance_lift(ctx, d, f->params->floor, S, work, &lifted));
    for (int64_t k = 0; k < d; k++) {
        s->mean[p * d + k] += sum[k] / seen;
        for (int64_t l = 0; l < d; l++) S[k * d + l] *= by[k] * by[l];
    }
out:
    return st;
}

/* ---- all -------------------------------------------------------------------------------- */

smr_status smr_hmm_update(smr_ctx *ctx, struct smr_hmm_fit *f, const struct smr_hmm_counts *c)
{
    smr_status st = SMR_OK;
    struct smr_hmm_state *s = f->s;
    int64_t n = s->n_states, width = f->emits->width, d = s->n_numbers;
    double smoothing = f->params->smoothing, *work = NULL;
    normalize(n, c->start, 1, smoothing, f->begins, s->start);
    for (int64_t i = 0; i < n; i++)
        normalize(n, c->move + i * width, 1, smoothing, f->allowed + i * n, s->move + i * n);
    for (int64_t j = 0; j < n; j++) {
        for (int64_t q = 0; q < s->n_symbols; q++) {
            int64_t at = s->first[q], levels = s->first[q + 1] - at;
            double *to = s->emit + j * s->n_levels + at;
            if (!normalize(levels, c->emit + at * width + j, width, smoothing, NULL, to))
                memcpy(to, f->levels + at, (size_t)levels * sizeof *to);
        }
        normalize(s->n_mix, c->part + j * s->n_mix, 1, smoothing, NULL, s->mix + j * s->n_mix);
    }
    TRY_NEW(work, f->emits->is_full ? d * d + d : 0);
    for (int64_t p = 0; d && p < n * s->n_mix; p++) {
        if (f->emits->is_full)
            TRY(update_full(ctx, f, c, p, work));
        else
            update_diagonal(f, c, p);
    }
out:
    smr_free(work);
    return st;
}

double smr_hmm_prior(const struct smr_hmm_fit *f)
{
    const struct smr_hmm_state *s = f->s;
    int64_t n = s->n_states, mixed = s->n_numbers && s->n_mix > 1 ? n * s->n_mix : 0;
    double sum = 0;
    if (f->params->smoothing == 0) return 0;
    for (int64_t j = 0; j < n; j++)
        if (f->begins[j]) sum += smr_log(s->start[j]);
    for (int64_t k = 0; k < n * n; k++)
        if (f->allowed[k]) sum += smr_log(s->move[k]);
    for (int64_t k = 0; k < n * s->n_levels; k++) sum += smr_log(s->emit[k]);
    for (int64_t k = 0; k < mixed; k++) sum += smr_log(s->mix[k]);
    return f->params->smoothing * sum;
}
