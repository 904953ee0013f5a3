/* found.c -- measures of what the model was not told: clusters, states, classes of steps,
 * densities.
 *
 * Clusters c beside known classes k, n_ck the weight of rows in both, n_c and n_k of each, n of
 * all, and pairs(m) = m (m - 1) / 2:
 *
 *     adjusted Rand   (s - e) / ((a + b) / 2 - e)                                             (1)
 *         s = sum pairs(n_ck), a = sum pairs(n_c), b = sum pairs(n_k), e = a b / pairs(n)
 *     mutual information, normalised   2 I(c; k) / (H(c) + H(k))                              (2)
 *     purity   sum_c max_k n_ck / n                                                           (3)
 *
 * Clusters alone, of the rows x that the last stage got, with centres m_c and mean m:
 *
 *     silhouette   mean of (b - a) / max(a, b): a the mean distance to the other rows of the
 *                  row's cluster, b to those of the nearest other one; 0 in a cluster of one row
 *     Davies-Bouldin   mean over c of max over c' of (s_c + s_c') / |m_c - m_c'|, s_c the mean
 *                  distance of the rows of c to m_c                                           (4)
 *     Calinski-Harabasz   (sum n_c |m_c - m|^2 / (K - 1)) / (sum |x - m_c|^2 / (n - K))       (5)
 *
 * References: Hubert & Arabie, J. Classif. 2 (1985); Rousseeuw, J. Comput. Appl. Math. 20 (1987);
 * Davies & Bouldin, IEEE PAMI 1 (1979); Calinski & Harabasz, Commun. Stat. 3 (1974). */
#include "core/parallel.h"
#include "core/rng.h"
#include "kernel/kernel.h"
#include "math/dd.h"
#include "metric/metric_parts.h"

#include <math.h>
#include <string.h>

/* Rows whose distances to each other are computed; above, a seeded sample of as many. */
enum { MOST_PAIRED = 4000, MOST_TOLD = 200 };

static double pairs(double n)
{
    return n * (n - 1) / 2;
}

/* ---- beside known classes ---------------------------------------------------------------- */

/* Rows without a known class are left out. */
struct table {
    int64_t n_found, n_classes;
    double *both, *found, *classes, total; /* both: n_found x n_classes */
};

static void release_table(struct table *t)
{
    smr_free(t->both);
    smr_free(t->found);
    smr_free(t->classes);
}

static smr_status make_table(smr_ctx *ctx, const smr_found_input *in, struct table *t)
{
    smr_status st = SMR_OK;
    *t = (struct table){.n_found = in->n_found, .n_classes = in->n_classes};
    TRY_NEW(t->both, t->n_found * t->n_classes + 1);
    TRY_NEW(t->found, t->n_found + 1);
    TRY_NEW(t->classes, t->n_classes + 1);
    for (int64_t i = 0; i < in->n; i++) {
        double w = row_weight(in->weight, i);
        if (in->label[i] < 0) continue;
        t->both[in->found[i] * t->n_classes + in->label[i]] += w;
        t->found[in->found[i]] += w;
        t->classes[in->label[i]] += w;
        t->total += w;
    }
out:
    return st;
}

static double sum_pairs(const double *n, int64_t count)
{
    dd sum = {0};
    for (int64_t i = 0; i < count; i++) dd_add_product(&sum, pairs(n[i]), 1);
    return dd_value(sum);
}

static double adjusted_rand_of(const struct table *t)
{
    double s = sum_pairs(t->both, t->n_found * t->n_classes);
    double a = sum_pairs(t->found, t->n_found), b = sum_pairs(t->classes, t->n_classes);
    double all = pairs(t->total), e = a * b / all;
    if (!(all > 0)) return NAN;
    return (a + b) / 2 == e ? 1 : (s - e) / ((a + b) / 2 - e); /* one cluster, one class */
}

static double entropy(const double *n, int64_t count, double total)
{
    dd sum = {0};
    for (int64_t i = 0; i < count; i++)
        if (n[i] > 0) dd_add_product(&sum, -n[i] / total, smr_log(n[i] / total));
    return dd_value(sum);
}

static double normalized_information_of(const struct table *t)
{
    double a = entropy(t->found, t->n_found, t->total);
    double b = entropy(t->classes, t->n_classes, t->total);
    double joint = entropy(t->both, t->n_found * t->n_classes, t->total);
    if (!(t->total > 0)) return NAN;
    return a + b > 0 ? smr_fmin(1, smr_fmax(0, 2 * (a + b - joint) / (a + b))) : 1;
}

static double purity_of(const struct table *t)
{
    dd sum = {0};
    for (int64_t c = 0; c < t->n_found; c++) {
        const double *row = t->both + c * t->n_classes;
        dd_add_product(&sum, row[largest(t->n_classes, row)], 1);
    }
    return dd_value(sum) / t->total;
}

static smr_status by_table(smr_ctx *ctx, const smr_found_input *in,
                           double (*of)(const struct table *t), double *out)
{
    struct table t = {0};
    if (!in->label || !in->found) return SMR_OK;
    smr_status st = make_table(ctx, in, &t);
    if (st == SMR_OK && t.total > 0) *out = of(&t);
    release_table(&t);
    return st;
}

smr_status smr_adjusted_rand(smr_ctx *ctx, const smr_found_input *in, double *out)
{
    return by_table(ctx, in, adjusted_rand_of, out);
}

smr_status smr_normalized_information(smr_ctx *ctx, const smr_found_input *in, double *out)
{
    return by_table(ctx, in, normalized_information_of, out);
}

smr_status smr_purity(smr_ctx *ctx, const smr_found_input *in, double *out)
{
    return by_table(ctx, in, purity_of, out);
}

smr_status smr_contingency(smr_ctx *ctx, const smr_found_input *in, double *matrix)
{
    struct table t = {0};
    smr_status st = make_table(ctx, in, &t);
    for (int64_t k = 0; st == SMR_OK && k < in->n_classes; k++)
        for (int64_t c = 0; c < in->n_found; c++)
            matrix[k * in->n_found + c] = t.both[c * in->n_classes + k];
    release_table(&t);
    return st;
}

/* ---- clusters alone ---------------------------------------------------------------------- */

/* Clusters that have rows: their weights and centres. */
struct centred {
    int64_t n_groups; /* with rows */
    double *weight, *centre, *mean, total;
};

static void release_centred(struct centred *c)
{
    smr_free(c->weight);
    smr_free(c->centre);
    smr_free(c->mean);
}

static smr_status find_centres(smr_ctx *ctx, const smr_found_input *in, struct centred *c)
{
    smr_status st = SMR_OK;
    int64_t d = in->d;
    *c = (struct centred){0};
    TRY_NEW(c->weight, in->n_found + 1);
    TRY_NEW(c->centre, in->n_found * d + 1);
    TRY_NEW(c->mean, d + 1);
    for (int64_t i = 0; i < in->n; i++) {
        double w = row_weight(in->weight, i), *centre = c->centre + in->found[i] * d;
        if (!(w > 0)) continue;
        c->total += w;
        c->weight[in->found[i]] += w;
        for (int64_t j = 0; j < d; j++) {
            centre[j] += w / c->weight[in->found[i]] * (in->x[i * d + j] - centre[j]);
            c->mean[j] += w / c->total * (in->x[i * d + j] - c->mean[j]);
        }
    }
    for (int64_t k = 0; k < in->n_found; k++) c->n_groups += c->weight[k] > 0;
out:
    return st;
}

static double squared(const double *a, const double *b, int64_t d)
{
    double sum = 0;
    for (int64_t j = 0; j < d; j++) sum += (a[j] - b[j]) * (a[j] - b[j]);
    return sum;
}

smr_status smr_calinski_harabasz(smr_ctx *ctx, const smr_found_input *in, double *out)
{
    smr_status st = SMR_OK;
    struct centred c = {0};
    dd between = {0}, within = {0};
    if (!in->x || !in->found) return SMR_OK;
    TRY(find_centres(ctx, in, &c));
    double k = (double)c.n_groups;
    for (int64_t g = 0; g < in->n_found; g++)
        if (c.weight[g] > 0)
            dd_add_product(&between, c.weight[g], squared(c.centre + g * in->d, c.mean, in->d));
    for (int64_t i = 0; i < in->n; i++)
        dd_add_product(&within, row_weight(in->weight, i),
                       squared(in->x + i * in->d, c.centre + in->found[i] * in->d, in->d));
    double inside = dd_value(within);
    if (k > 1 && c.total > k && inside > 0)
        *out = dd_value(between) / (k - 1) / (inside / (c.total - k));
out:
    release_centred(&c);
    return st;
}

smr_status smr_davies_bouldin(smr_ctx *ctx, const smr_found_input *in, double *out)
{
    smr_status st = SMR_OK;
    struct centred c = {0};
    double *spread = NULL, sum = 0;
    if (!in->x || !in->found) return SMR_OK;
    TRY(find_centres(ctx, in, &c));
    TRY_NEW(spread, in->n_found + 1);
    for (int64_t i = 0; i < in->n; i++) {
        int64_t g = in->found[i];
        double far = sqrt(squared(in->x + i * in->d, c.centre + g * in->d, in->d));
        if (c.weight[g] > 0) spread[g] += row_weight(in->weight, i) * far / c.weight[g];
    }
    for (int64_t g = 0; g < in->n_found; g++) {
        double worst = 0;
        for (int64_t h = 0; h < in->n_found && c.weight[g] > 0; h++) {
            if (h == g || !(c.weight[h] > 0)) continue;
            double apart = sqrt(squared(c.centre + g * in->d, c.centre + h * in->d, in->d));
            worst = smr_fmax(worst, apart > 0 ? (spread[g] + spread[h]) / apart : INFINITY);
        }
        sum += worst;
    }
    if (c.n_groups > 1 && c.total > (double)c.n_groups) *out = sum / (double)c.n_groups;
out:
    smr_free(spread);
    release_centred(&c);
    return st;
}

struct outlining {
    const smr_found_input *in;
    smr_outline *o;
};

static smr_status outline_row(smr_ctx *ctx, void *arg, int64_t at, int lane)
{
    const smr_found_input *in = ((struct outlining *)arg)->in;
    smr_outline *o = ((struct outlining *)arg)->o;
    smr_status st = SMR_OK;
    int64_t i = o->rows[at], own = in->found[i];
    double *far = NULL, b = INFINITY, a = 0;
    (void)lane;
    TRY_NEW(far, in->n_found + 1);
    for (int64_t k = 0; k < o->n; k++) {
        int64_t j = o->rows[k];
        far[in->found[j]] +=
            row_weight(in->weight, j) * sqrt(squared(in->x + i * in->d, in->x + j * in->d, in->d));
    }
    for (int64_t g = 0; g < in->n_found; g++)
        if (g != own && o->weight[g] > 0) b = smr_fmin(b, far[g] / o->weight[g]);
    if (o->weight[own] > 1) a = far[own] / (o->weight[own] - 1);
    double most = smr_fmax(a, b);
    o->value[at] = o->weight[own] > 1 && most > 0 ? (b - a) / most : 0;
out:
    smr_free(far);
    return st;
}

static smr_status choose_rows(smr_ctx *ctx, const smr_found_input *in, smr_outline *o)
{
    smr_status st = SMR_OK;
    TRY_NEW(o->rows, in->n + 1);
    o->n = SMR_MIN(in->n, MOST_PAIRED);
    if (in->n > MOST_PAIRED)
        smr_random_permutation(in->seed, SMR_STREAM_OUTLINE, 0, in->n, o->rows);
    else
        for (int64_t i = 0; i < in->n; i++) o->rows[i] = i;
out:
    return st;
}

smr_status smr_outline_make(smr_ctx *ctx, const smr_found_input *in, smr_outline *o)
{
    smr_status st = SMR_OK;
    struct outlining arg = {in, o};
    int64_t groups = 0;
    double total = 0;
    *o = (smr_outline){0};
    if (!in->x || !in->found) return SMR_OK;
    TRY(choose_rows(ctx, in, o));
    TRY_NEW(o->weight, in->n_found + 1);
    for (int64_t k = 0; k < o->n; k++)
        o->weight[in->found[o->rows[k]]] += row_weight(in->weight, o->rows[k]);
    for (int64_t g = 0; g < in->n_found; g++) {
        groups += o->weight[g] > 0;
        total += o->weight[g];
    }
    if (groups < 2 || !(total > (double)groups)) goto out;
    TRY_NEW(o->value, o->n + 1);
    TRY(smr_parallel(ctx, "measuring clusters", o->n, outline_row, &arg));
out:
    if (st != SMR_OK) smr_outline_release(o);
    return st;
}

void smr_outline_release(smr_outline *o)
{
    smr_free(o->rows);
    smr_free(o->weight);
    smr_free(o->value);
    *o = (smr_outline){0};
}

smr_status smr_silhouette(smr_ctx *ctx, const smr_found_input *in, double *out)
{
    smr_outline o = {0};
    double total = 0;
    dd sum = {0};
    smr_status st = smr_outline_make(ctx, in, &o);
    for (int64_t g = 0; o.value && g < in->n_found; g++) total += o.weight[g];
    for (int64_t k = 0; o.value && k < o.n; k++)
        dd_add_product(&sum, row_weight(in->weight, o.rows[k]), o.value[k]);
    if (o.value) *out = dd_value(sum) / total;
    smr_outline_release(&o);
    return st;
}

/* ---- steps and densities ----------------------------------------------------------------- */

smr_status smr_step_accuracy(smr_ctx *ctx, const smr_found_input *in, double *out)
{
    double right = 0, all = 0;
    (void)ctx;
    for (int64_t i = 0; in->label && in->found && i < in->n; i++) {
        double w = in->label[i] < 0 ? 0 : row_weight(in->weight, i);
        all += w;
        right += in->label[i] == in->found[i] ? w : 0;
    }
    if (all > 0) *out = right / all;
    return SMR_OK;
}

/* Each sequence counts once, whatever its weights and length; one without any known class does
 * not. */
smr_status smr_sequence_accuracy(smr_ctx *ctx, const smr_found_input *in, double *out)
{
    smr_status st = SMR_OK;
    int64_t n = in->sequence ? in->n_sequences : in->n, known = 0, right = 0;
    char *seen = NULL; /* 1: right so far, 2: not */
    if (!in->label || !in->found) return SMR_OK;
    TRY_NEW(seen, n + 1);
    for (int64_t i = 0; i < in->n; i++) {
        char *at = &seen[in->sequence ? in->sequence[i] : i];
        if (in->label[i] < 0) continue;
        if (*at != 2) *at = in->label[i] == in->found[i] ? 1 : 2;
    }
    for (int64_t q = 0; q < n; q++) {
        known += seen[q] > 0;
        right += seen[q] == 1;
    }
    if (known) *out = (double)right / (double)known;
out:
    smr_free(seen);
    return st;
}

/* The score of a sequence, which each of its steps has, over its steps. */
/* Is there a row, of some weight, whose probability is 0? */
static bool is_impossible(const smr_found_input *in)
{
    for (int64_t i = 0; i < in->n; i++)
        if (in->score[i] == -INFINITY && row_weight(in->weight, i) > 0) return true;
    return false;
}

smr_status smr_step_likelihood(smr_ctx *ctx, const smr_found_input *in, double *out)
{
    smr_status st = SMR_OK;
    dd sum = {0};
    int64_t *length = NULL;
    if (!in->score || !in->n) return SMR_OK;
    TRY_NEW(length, (in->sequence ? in->n_sequences : in->n) + 1);
    for (int64_t i = 0; i < in->n; i++) length[in->sequence ? in->sequence[i] : i]++;
    for (int64_t i = 0; i < in->n; i++)
        dd_add_product(&sum, in->score[i] / (double)length[in->sequence ? in->sequence[i] : i], 1);
    *out = is_impossible(in) ? -INFINITY : dd_value(sum) / (double)in->n;
out:
    smr_free(length);
    return st;
}

smr_status smr_mean_score(smr_ctx *ctx, const smr_found_input *in, double *out)
{
    dd sum = {0};
    double total = 0;
    (void)ctx;
    for (int64_t i = 0; in->score && i < in->n; i++) {
        dd_add_product(&sum, row_weight(in->weight, i), in->score[i]);
        total += row_weight(in->weight, i);
    }
    if (total > 0) *out = is_impossible(in) ? -INFINITY : dd_value(sum) / total;
    return SMR_OK;
}

/* ---- all of them ------------------------------------------------------------------------- */

static smr_status check(smr_ctx *ctx, const smr_found_input *in)
{
    for (int64_t i = 0; i < in->n; i++) {
        if (in->found && (in->found[i] < 0 || in->found[i] >= in->n_found))
            return smr_fail(ctx, SMR_ERR_DATA, "row %lld: there is no cluster or state %lld",
                            (long long)i + 1, (long long)in->found[i]);
        if (in->label && in->label[i] >= in->n_classes)
            return smr_fail(ctx, SMR_ERR_DATA, "row %lld: there is no class %lld", (long long)i + 1,
                            (long long)in->label[i]);
        if (in->weight && !(in->weight[i] >= 0 && in->weight[i] < INFINITY))
            return smr_fail(ctx, SMR_ERR_DATA, "row %lld: a weight is a number >= 0",
                            (long long)i + 1);
    }
    return SMR_OK;
}

smr_status smr_measures_found(smr_ctx *ctx, const smr_measure *const *list, int64_t n,
                              const smr_found_input *in, double *out)
{
    smr_status st = SMR_OK;
    for (int64_t i = 0; i < n; i++) out[i] = NAN;
    TRY(check(ctx, in));
    for (int64_t i = 0; i < n; i++) {
        if (!list[i]->found)
            TRY(smr_fail(ctx, SMR_ERR_PARAM, "%s does not measure what a model found by itself",
                         list[i]->name));
        TRY(list[i]->found(ctx, in, &out[i]));
    }
out:
    return st;
}

/* How many rows each cluster or state has, and, beside known classes, how many of each class. */
static smr_status add_counts(smr_ctx *ctx, const smr_found_input *in, smr_json *into)
{
    smr_status st = SMR_OK;
    double *count = NULL, *matrix = NULL;
    TRY_NEW(count, in->n_found + 1);
    for (int64_t i = 0; i < in->n; i++) count[in->found[i]] += row_weight(in->weight, i);
    smr_json_add_numbers(into, "sizes", count, in->n_found);
    if (in->label) {
        TRY_NEW(matrix, in->n_classes * in->n_found + 1);
        TRY(smr_contingency(ctx, in, matrix));
        smr_json *rows = smr_json_add_array(into, "contingency");
        for (int64_t k = 0; k < in->n_classes; k++) {
            smr_json *row = smr_json_add_array(rows, NULL);
            for (int64_t c = 0; c < in->n_found; c++)
                smr_json_add_number(row, NULL, matrix[k * in->n_found + c]);
        }
    }
out:
    smr_free(count);
    smr_free(matrix);
    return st;
}

smr_status smr_metric_found(smr_ctx *ctx, smr_task task, const smr_found_input *in, smr_json *into)
{
    smr_status st = SMR_OK;
    int64_t n;
    const smr_measure *m = smr_measures(&n);
    TRY(check(ctx, in));
    for (int64_t i = 0; i < n; i++, m++) {
        double value = NAN;
        if (m->task != task || m->on_request || !m->found) continue;
        TRY(m->found(ctx, in, &value));
        smr_json_add_number(into, m->name, value);
    }
    if (in->found && in->n_found <= MOST_TOLD) TRY(add_counts(ctx, in, into));
    TRY(smr_json_done(into->doc));
out:
    return st;
}
