/* perceptron_step.c -- rows: scores, mistakes, changes, votes; see perceptron.c. */
#include "learn/linear/perceptron.h"

#include <math.h>
#include <string.h>

void smr_perceptron_scores(const struct smr_perceptron_state *s, const double *w, const smr_row *r,
                           double *f)
{
    int64_t d = s->n_features, q = s->n_scores;
    for (int64_t c = 0; c < q; c++) f[c] = smr_row_dot(r, w + c * d) + w[q * d + c];
}

double smr_perceptron_lead(const struct smr_perceptron_state *s, const double *f, int32_t label,
                           int32_t *rival)
{
    *rival = -1;
    if (s->n_scores == 1) return label == 1 ? f[0] : -f[0];
    for (int32_t c = 0; c < s->n_scores; c++)
        if (c != label && (*rival < 0 || f[c] > f[*rival])) *rival = c;
    return f[label] - f[*rival];
}

/* ---- learning --------------------------------------------------------------------------- */

/* w_c += by (x, 1), and the same with `before` times by in the lag: the mean of the weights over
 * all rows is w - lag / rows. */
static void change(const struct smr_perceptron_params *p, struct smr_perceptron_state *s,
                   const smr_row *r, int64_t c, double by)
{
    int64_t d = s->n_features, intercept = s->n_scores * d + c;
    smr_row_add(r, by, s->weights + c * d);
    if (p->fit_intercept) s->weights[intercept] += by;
    if (!s->lag) return;
    smr_row_add(r, s->rows * by, s->lag + c * d);
    if (p->fit_intercept) s->lag[intercept] += s->rows * by;
}

/* Room for one more voter grows by doubling: each moves all before it. */
static smr_status make_room(smr_ctx *ctx, struct smr_perceptron_state *s)
{
    int64_t room = 2 * s->n_vectors;
    if (s->n_vectors < s->room) return SMR_OK;
    double *vectors = smr_realloc(ctx, s->vectors, room * s->n_flat, sizeof *vectors);
    if (!vectors) return SMR_ERR_NOMEM;
    s->vectors = vectors;
    double *votes = smr_realloc(ctx, s->votes, room, sizeof *votes);
    if (!votes) return SMR_ERR_NOMEM;
    s->votes = votes;
    s->room = room;
    return SMR_OK;
}

/* The weights as they are become a voter. */
static smr_status keep_vector(smr_ctx *ctx, struct smr_perceptron_state *s)
{
    smr_status st = SMR_OK;
    TRY(make_room(ctx, s));
    memcpy(s->vectors + s->n_vectors * s->n_flat, s->weights,
           (size_t)s->n_flat * sizeof *s->vectors);
    s->votes[s->n_vectors++] = 0;
out:
    return st;
}

smr_status smr_perceptron_learn_row(smr_ctx *ctx, const struct smr_perceptron_params *p,
                                    struct smr_perceptron_state *s, const smr_row *r, int32_t label,
                                    double weight, const double *f, bool *was_wrong)
{
    smr_status st = SMR_OK;
    double enough = p->variant == SMR_PERCEPTRON_MARGIN ? p->margin : 0, by = p->rate * weight;
    int32_t rival;
    double lead = smr_perceptron_lead(s, f, label, &rival);
    if (!isfinite(lead))
        return smr_fail(ctx, SMR_ERR_DATA,
                        "perceptron: the score of a row is not finite: a value is infinite, or the "
                        "values are too large; rescale the columns");
    *was_wrong = !(lead > enough); /* a tie is a mistake */
    if (*was_wrong) {
        s->mistakes++;
        if (s->n_scores == 1) {
            change(p, s, r, 0, label == 1 ? by : -by);
        } else {
            change(p, s, r, label, by);
            change(p, s, r, rival, -by);
        }
        if (s->vectors) TRY(keep_vector(ctx, s));
    }
    if (s->vectors) s->votes[s->n_vectors - 1] += weight;
    s->rows += weight;
out:
    return st;
}

void smr_perceptron_settle(struct smr_perceptron_state *s)
{
    for (int64_t j = 0; s->mean && j < s->n_flat; j++)
        s->mean[j] = s->weights[j] - (s->rows > 0 ? s->lag[j] / s->rows : 0);
}

/* ---- answers ---------------------------------------------------------------------------- */

static int64_t highest(const double *f, int64_t n)
{
    int64_t best = 0;
    for (int64_t c = 1; c < n; c++)
        if (f[c] > f[best]) best = c;
    return best;
}

/* Shares of the votes: of one score the share for class 1 less that against it. */
static void count_votes(const struct smr_perceptron_state *s, const smr_row *r, double *f,
                        double *out)
{
    int64_t k = s->n_classes;
    double all = 0;
    for (int64_t c = 0; c < k; c++) out[c] = 0;
    for (int64_t v = 0; v < s->n_vectors; v++) {
        smr_perceptron_scores(s, s->vectors + v * s->n_flat, r, f);
        all += s->votes[v];
        if (s->n_scores > 1)
            out[highest(f, k)] += s->votes[v];
        else
            out[k - 1] += f[0] > 0 ? s->votes[v] : f[0] < 0 ? -s->votes[v] : 0;
    }
    for (int64_t c = 0; c < k && all > 0; c++) out[c] /= all;
    if (k == 2) out[0] = -out[1];
}

/* Scores of the last weights -> of their mean, from the row's entries alone. */
static void lag_behind(const struct smr_perceptron_state *s, const smr_row *r, double *f)
{
    int64_t d = s->n_features, q = s->n_scores;
    for (int64_t c = 0; c < q; c++)
        f[c] -= (smr_row_dot(r, s->lag + c * d) + s->lag[q * d + c]) / s->rows;
}

void smr_perceptron_answer(const struct smr_perceptron_params *p,
                           const struct smr_perceptron_state *s, const smr_row *r, bool settled,
                           double *f, double *out)
{
    if (p->variant == SMR_PERCEPTRON_VOTED) {
        count_votes(s, r, f, out);
        return;
    }
    smr_perceptron_scores(s, s->mean && settled ? s->mean : s->weights, r, f);
    if (s->mean && !settled && s->rows > 0) lag_behind(s, r, f);
    for (int64_t c = 0; c < s->n_classes; c++) out[c] = s->n_scores == 1 ? f[0] : f[c];
    if (s->n_classes == 2) out[0] = -out[0];
}
