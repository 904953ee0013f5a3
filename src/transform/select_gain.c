/* select_gain.c -- what each feature, alone, tells about the class: information gain in bits.
 *
 *     gain = H(class) - H(class | bin of the feature)                      (math/information.h)
 *
 * over the rows where the feature is present.  A number is cut into `bins` bins of equal weight, or
 * into its values where there are no more; a category is its levels; a sparse feature is zero or
 * not.  Numbers to predict are cut into bins like features, each of several on its own: the largest
 * gain counts.  The test is the likelihood ratio's: 2 log(2) W gain is chi-square with (r-1)(s-1)
 * degrees of freedom if feature and class are independent.
 *
 * Bins come from at most SAMPLE rows, evenly spread; then one pass over all rows counts.  Chunks'
 * counts are added in order: the same bits at any thread count. */
#include "core/parallel.h"
#include "core/sort.h"
#include "data/row_subset.h"
#include "math/information.h"
#include "math/special.h"
#include "transform/select.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 256, CHUNKS = 64, SAMPLE = 20000, BUDGET = 1 << 22, SAMPLE_BUDGET = 1 << 24 };

struct counting {
    const smr_data *data;
    int64_t d, bins, K;
    const int32_t *label;
    bool sparse;
    double *edge;   /* d x (bins - 1): ascending, the rest infinite; x is in the bin of as many as
                        are below it */
    int64_t *first; /* d + 1: feature j has the cells first[j] .. first[j+1] - 1, times K */
    int64_t chunk, chunks;
    double *counts; /* chunks x cells x K */
};

/* ---- bins ------------------------------------------------------------------------------- */

/* edge[0 .. bins-2] for values x (NaN left out) with weights: each bin's share is 1 / bins of the
 * weight, as nearly as equal values allow. */
static smr_status cut(smr_ctx *ctx, int64_t n, const double *x, const double *weight, int64_t bins,
                      int64_t *order, double *edge)
{
    smr_status st = SMR_OK;
    double total = 0, below = 0;
    int64_t distinct = 0, used = 0, m = 0;
    TRY(smr_argsort_f64(ctx, n, x, order));
    for (int64_t i = 0; i < n && !isnan(x[order[i]]); i++, m++) {
        total += weight ? weight[order[i]] : 1;
        distinct += i == 0 || x[order[i]] != x[order[i - 1]];
    }
    for (int64_t b = 0; b < bins - 1; b++) edge[b] = INFINITY;
    for (int64_t i = 0; i + 1 < m && used < bins - 1; i++) {
        double here = x[order[i]];
        below += weight ? weight[order[i]] : 1;
        if (here == x[order[i + 1]]) continue;
        if (distinct <= bins || below >= total * (double)(used + 1) / (double)bins) {
            edge[used++] = here;
            while (distinct > bins && used < bins - 1 &&
                   below >= total * (double)(used + 1) / (double)bins)
                used++; /* a value as heavy as several bins: these stay empty */
        }
    }
    for (int64_t b = 1; b < SMR_MIN(used, bins - 1); b++)
        if (isinf(edge[b])) edge[b] = edge[b - 1];
out:
    return st;
}

static int64_t bin_of(int64_t bins, const double *edge, double x)
{
    int64_t low = 0, high = bins - 1;
    while (low < high) {
        int64_t mid = (low + high) / 2;
        if (edge[mid] < x)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* A target of numbers as classes. */
static smr_status bin_target(smr_ctx *ctx, const smr_data *data, int64_t t, int64_t bins,
                             int32_t *label)
{
    smr_status st = SMR_OK;
    int64_t n = data->n_rows, *order = NULL;
    double *y = NULL, *edge = NULL;
    TRY_NEW(order, n);
    TRY_NEW(y, n);
    TRY_NEW(edge, bins);
    for (int64_t i = 0; i < n; i++) y[i] = data->y[i * data->n_outputs + t];
    TRY(cut(ctx, n, y, data->weight, bins, order, edge));
    for (int64_t i = 0; i < n; i++) label[i] = (int32_t)bin_of(bins, edge, y[i]);
out:
    smr_free(order);
    smr_free(y);
    smr_free(edge);
    return st;
}

static bool is_category(const struct counting *c, int64_t j)
{
    return c->data->features && !c->sparse && c->data->features[j].kind == SMR_CATEGORY;
}

/* Edges of all numbers, from evenly spread rows. */
static smr_status cut_features(smr_ctx *ctx, struct counting *c)
{
    smr_status st = SMR_OK;
    int64_t n = c->data->n_rows, d = c->d;
    int64_t m = SMR_MIN(n, SMR_MAX(1000, SMR_MIN(SAMPLE, SAMPLE_BUDGET / d)));
    int64_t *rows = NULL, *order = NULL;
    double *x = NULL;
    smr_subset sample = {0};
    smr_reader *reader = NULL;
    TRY_NEW(rows, m);
    TRY_NEW(order, m);
    for (int64_t i = 0; i < m; i++) rows[i] = (int64_t)((double)i * ((double)n / (double)m));
    TRY(smr_subset_make(ctx, c->data, rows, m, NULL, &sample));
    sample.data.refuse_missing = false;
    x = smr_alloc_raw(ctx, m * d, sizeof *x);
    if (!x) TRY(SMR_ERR_NOMEM);
    TRY(smr_reader_open(ctx, &sample.data, SMR_FORM_F64, BLOCK, &reader));
    for (int64_t lo = 0; lo < m; lo += BLOCK) {
        smr_rows block;
        TRY(smr_reader_rows(ctx, reader, lo, SMR_MIN(m, lo + BLOCK), &block));
        for (int64_t i = 0; i < block.n; i++)
            for (int64_t j = 0; j < d; j++)
                x[j * m + lo + i] = ((const double *)block.x)[i * block.stride + j];
    }
    for (int64_t j = 0; j < d; j++) {
        TRY(smr_tick(ctx, "cutting into bins", j, d, NAN));
        if (!is_category(c, j))
            TRY(cut(ctx, m, x + j * m, sample.data.weight, c->bins, order,
                    c->edge + j * (c->bins - 1)));
    }
out:
    smr_reader_close(reader);
    smr_subset_release(&sample);
    smr_free(x);
    smr_free(rows);
    smr_free(order);
    return st;
}

/* ---- counts ----------------------------------------------------------------------------- */

static void count_value(const struct counting *c, int64_t r, int64_t j, double x, double *counts)
{
    int64_t cell = 0;
    if (isnan(x)) return;
    if (c->sparse)
        cell = x != 0; /* zeros that are not entries are added at the end */
    else if (is_category(c, j))
        cell = (int64_t)x;
    else
        cell = bin_of(c->bins, c->edge + j * (c->bins - 1), x);
    if (cell < 0) return;
    counts[(c->first[j] + cell) * c->K + c->label[r]] += smr_data_weight(c->data, r);
}

static smr_status count_chunk(smr_ctx *ctx, void *arg, int64_t chunk, int lane)
{
    const struct counting *c = arg;
    int64_t hi = smr_block_end(c->data->n_rows, c->chunk, chunk);
    double *counts = c->counts + chunk * c->first[c->d] * c->K;
    smr_status st = SMR_OK;
    smr_reader *reader = NULL;
    (void)lane;
    TRY(smr_reader_open(ctx, c->data, c->sparse ? SMR_FORM_SPARSE : SMR_FORM_F64, BLOCK, &reader));
    for (int64_t lo = chunk * c->chunk; lo < hi; lo += BLOCK) {
        smr_rows rows;
        TRY(smr_reader_rows(ctx, reader, lo, SMR_MIN(hi, lo + BLOCK), &rows));
        for (int64_t i = 0; i < rows.n; i++) {
            const double *x = (const double *)rows.x + i * rows.stride;
            for (int64_t e = c->sparse ? rows.start[i] : 0; c->sparse && e < rows.start[i + 1]; e++)
                count_value(c, lo + i, rows.column[e], rows.value[e], counts);
            for (int64_t j = 0; j < c->d && !c->sparse; j++)
                count_value(c, lo + i, j, x[j], counts);
        }
    }
out:
    smr_reader_close(reader);
    return st;
}

/* For sparse features the zeros: all rows' classes less those of the entries.  A missing entry
 * counts as a zero. */
static void add_zeros(const struct counting *c, const double *all, double *counts)
{
    for (int64_t j = 0; j < c->d; j++) {
        double *zero = counts + c->first[j] * c->K, *other = zero + c->K;
        for (int64_t k = 0; k < c->K; k++) zero[k] = smr_fmax(0, all[k] - other[k]);
    }
}

static smr_status count_all(smr_ctx *ctx, struct counting *c)
{
    smr_status st = SMR_OK;
    int64_t n = c->data->n_rows, size = c->first[c->d] * c->K;
    int64_t most = SMR_MAX(1, SMR_MIN(CHUNKS, BUDGET / SMR_MAX(1, size)));
    double *all = NULL;
    c->chunk = SMR_MAX(BLOCK, smr_block_count(n, most));
    c->chunks = smr_block_count(n, c->chunk);
    TRY_NEW(c->counts, c->chunks * size);
    TRY_NEW(all, c->K);
    TRY(smr_parallel(ctx, "counting", c->chunks, count_chunk, c));
    for (int64_t k = 1; k < c->chunks; k++)
        for (int64_t i = 0; i < size; i++) c->counts[i] += c->counts[k * size + i];
    for (int64_t i = 0; i < n; i++) all[c->label[i]] += smr_data_weight(c->data, i);
    if (c->sparse) add_zeros(c, all, c->counts);
out:
    smr_free(all);
    return st;
}

/* ---- scores ----------------------------------------------------------------------------- */

/* Gain of the table, if it is better than an earlier target's; p by chi-square. */
static void score_table(int64_t n_x, int64_t K, const double *count, int64_t tests, double *score,
                        double *p)
{
    smr_information info = smr_information_of(n_x, K, count);
    double W = 0, rows = 0, columns = 0;
    for (int64_t i = 0; i < n_x; i++) {
        double sum = 0;
        for (int64_t k = 0; k < K; k++) sum += count[i * K + k];
        W += sum;
        rows += sum > 0;
    }
    for (int64_t k = 0; k < K; k++) {
        double sum = 0;
        for (int64_t i = 0; i < n_x; i++) sum += count[i * K + k];
        columns += sum > 0;
    }
    double gain = isnan(info.gain) ? 0 : smr_fmax(0, info.gain), df = (rows - 1) * (columns - 1);
    if (!isnan(*score) && gain < *score) return;
    *score = gain;
    *p = df > 0
             ? smr_fmin(1, (double)tests * smr_chi2_upper(2 * 0.69314718055994531 * W * gain, df))
             : NAN;
}

static smr_status make_cells(smr_ctx *ctx, const struct smr_select_params *p, struct counting *c)
{
    smr_status st = SMR_OK;
    TRY_NEW(c->first, c->d + 1);
    for (int64_t j = 0; j < c->d; j++) {
        int64_t cells = c->sparse ? 2 : p->bins;
        if (is_category(c, j)) cells = SMR_MAX(1, c->data->features[j].n_levels);
        c->first[j + 1] = c->first[j] + cells;
    }
    if (c->sparse) return SMR_OK;
    TRY_NEW(c->edge, c->d * (c->bins - 1));
    TRY(cut_features(ctx, c));
out:
    return st;
}

smr_status smr_select_gain(smr_ctx *ctx, const struct smr_select_params *p, const smr_data *data,
                           struct smr_select_state *s)
{
    smr_status st = SMR_OK;
    bool classes = data->task == SMR_TASK_CLASSIFY;
    int64_t targets = classes ? 1 : data->n_outputs;
    int32_t *label = NULL;
    struct counting c = {.data = data,
                         .d = data->n_features,
                         .bins = p->bins,
                         .K = classes ? data->n_classes : p->bins,
                         .label = data->label,
                         .sparse = smr_data_is_sparse(data)};
    TRY_NEW(s->p_value, c.d);
    for (int64_t j = 0; j < c.d; j++) s->p_value[j] = NAN;
    if (!classes) TRY_NEW(label, data->n_rows);
    TRY(make_cells(ctx, p, &c));
    for (int64_t t = 0; t < targets; t++) {
        if (!classes) TRY(bin_target(ctx, data, t, p->bins, label));
        if (!classes) c.label = label;
        TRY(count_all(ctx, &c));
        for (int64_t j = 0; j < c.d; j++)
            score_table(c.first[j + 1] - c.first[j], c.K, c.counts + c.first[j] * c.K, targets,
                        &s->score[j], &s->p_value[j]);
        smr_free(c.counts);
        c.counts = NULL;
    }
out:
    smr_free(label);
    smr_free(c.counts);
    smr_free(c.first);
    smr_free(c.edge);
    return st;
}
