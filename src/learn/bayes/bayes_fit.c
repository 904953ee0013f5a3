/* bayes_fit.c -- naive Bayes of a table: which kind each column is, and what each class has.
 *
 * Bits and levels are counted in one pass, numbers summed in another (class_moments.h); sparse rows
 * are bayes_entries.c's. */
#include "core/parallel.h"
#include "kernel/kernel.h"
#include "learn/bayes/bayes.h"
#include "learn/bayes/class_moments.h"
#include "learn/linear/affine.h"
#include "learn/linear/held_rows.h"

#include <math.h>
#include <string.h>

enum { CHUNKS = 64, BLOCK = 256 };
#define MOST_BYTES 6.4e7 /* of the chunks' counts */

smr_status smr_bayes_refuse_count(smr_ctx *ctx, const smr_feature *features, int64_t row, int64_t j,
                                  double value)
{
    char name[32];
    smr_text text = {.ctx = ctx};
    smr_text_rounded(&text, value, 6);
    smr_status st = smr_text_done(&text);
    if (st == SMR_OK)
        st = smr_fail(ctx, SMR_ERR_DATA,
                      "bayes: feature '%s' is %s in row %lld, and counts are not negative; use "
                      "model=gaussian",
                      smr_affine_name(features, j, name), text.bytes, (long long)row + 1);
    smr_text_release(&text);
    return st;
}

smr_status smr_bayes_refuse_number(smr_ctx *ctx, const smr_feature *features, int64_t j)
{
    char name[32];
    return smr_fail(ctx, SMR_ERR_DATA,
                    "bayes: feature '%s' is a number, and model=categorical takes categories; put "
                    "bin before it, read it as a category, or use model=auto",
                    smr_affine_name(features, j, name));
}

/* ---- kinds ------------------------------------------------------------------------------ */

/* What is known of the values so far; rows of weight 0 are not looked at. */
struct looking {
    const smr_data *data;
    uint8_t *kind; /* auto: bits until a value is neither 0 nor 1                         */
    uint8_t *has;  /* n_features: some value                                              */
    int64_t open;  /* columns that may be bits                                            */
    double filled; /* values that are not 0                                               */
    double most;   /* counts have at most this many                                       */
    bool counts;   /* all are numbers, none is negative or missing                        */
};

static int kind_of(const struct smr_bayes_params *p, const smr_data *data, int64_t j)
{
    if (data->features && data->features[j].kind == SMR_CATEGORY) return SMR_BAYES_LEVELS;
    switch (p->model) {
    case SMR_BAYES_AUTO:
    case SMR_BAYES_BERNOULLI: return SMR_BAYES_BIT;
    case SMR_BAYES_MULTINOMIAL:
    case SMR_BAYES_COMPLEMENT: return SMR_BAYES_COUNT;
    default: return SMR_BAYES_NUMBER;
    }
}

static void look_at(struct looking *l, int64_t j, double x)
{
    if (l->kind[j] == SMR_BAYES_LEVELS || x == 0) {
        l->has[j] = 1;
        return;
    }
    l->filled++;
    l->counts = l->counts && x > 0 && x < INFINITY;
    if (isnan(x)) return;
    l->has[j] = 1;
    if (l->kind[j] != SMR_BAYES_BIT || x == 1) return;
    l->kind[j] = SMR_BAYES_NUMBER;
    l->open--;
}

/* Can more rows still change anything? */
static bool is_settled(const struct looking *l)
{
    return l->open == 0 && !(l->counts && l->filled <= l->most);
}

static void look_at_row(struct looking *l, const smr_rows *rows, int64_t i)
{
    const double *x = (const double *)rows->x + i * rows->stride;
    if (rows->form == SMR_FORM_SPARSE)
        for (int64_t e = rows->start[i]; e < rows->start[i + 1]; e++)
            look_at(l, rows->column[e], rows->value[e]);
    else
        for (int64_t j = 0; j < rows->d; j++) look_at(l, j, x[j]);
}

/* Counts have at most this many values that are not 0. */
static double sparse_most(const smr_data *data)
{
    int64_t n = data->weight ? 0 : data->n_rows;
    for (int64_t i = 0; i < data->n_rows && data->weight; i++) n += data->weight[i] > 0;
    return (double)n * (double)data->n_features / 10;
}

/* Most tables are settled by their first rows. */
static smr_status look(smr_ctx *ctx, struct looking *l)
{
    smr_status st = SMR_OK;
    const smr_data *data = l->data;
    smr_reader *reader = NULL;
    TRY(smr_reader_open(ctx, data, smr_held_form(data), BLOCK, &reader));
    for (int64_t lo = 0; lo < data->n_rows && !is_settled(l); lo += BLOCK) {
        smr_rows rows;
        TRY(smr_reader_rows(ctx, reader, lo, SMR_MIN(data->n_rows, lo + BLOCK), &rows));
        for (int64_t i = 0; i < rows.n; i++)
            if (smr_data_weight(data, lo + i) > 0) look_at_row(l, &rows, i);
        TRY(smr_tick(ctx, NULL, lo, data->n_rows, NAN));
    }
out:
    smr_reader_close(reader);
    return st;
}

/* Sparse rows in memory: are they counts, as far as their first entries tell? */
static bool look_like_counts(const smr_data *data)
{
    enum { FIRST = 4096 };
    double span[4];
    const smr_csr *x = data->sparse;
    if (!x || data->rows || data->weight || data->source) return false;
    int64_t n = x->start[data->n_rows];
    if (n == 0 || x->start[0] != 0 || (double)n > sparse_most(data)) return false;
    for (int64_t j = 0; j < data->n_features && data->features; j++)
        if (data->features[j].kind == SMR_CATEGORY) return false;
    smr_span_f64(SMR_MIN(n, FIRST), x->value, 1, span);
    return isfinite(span[0]) && span[2] > 0 && !(span[2] == 1 && span[3] == 1);
}

/* Then they are counted at once, and looked at meanwhile: one pass in place of two. */
static smr_status try_counts(smr_ctx *ctx, const struct smr_bayes_params *p, const smr_data *data,
                             uint8_t *kind, struct smr_bayes_state *s, bool *done)
{
    smr_status st = SMR_OK;
    *done = false;
    if (p->model != SMR_BAYES_AUTO || !look_like_counts(data)) return SMR_OK;
    memset(kind, SMR_BAYES_COUNT, (size_t)data->n_features);
    TRY(smr_bayes_make_room(ctx, data->features, data->n_features, data->n_classes, kind, s));
    TRY(smr_bayes_count_entries(ctx, p, data, s, done));
out:
    return st;
}

static smr_status find_by_values(smr_ctx *ctx, const smr_data *data, uint8_t *kind)
{
    smr_status st = SMR_OK;
    struct looking l = {.data = data, .kind = kind, .counts = true};
    int64_t d = data->n_features;
    TRY_NEW(l.has, d);
    l.most = sparse_most(data);
    for (int64_t j = 0; j < d; j++) {
        l.open += kind[j] == SMR_BAYES_BIT;
        l.counts = l.counts && kind[j] != SMR_BAYES_LEVELS;
    }
    TRY(look(ctx, &l));
    bool counts = l.counts && l.filled <= l.most && l.open < d;
    bool any = smr_data_is_sparse(data); /* where there is no entry there is a 0 */
    for (int64_t j = 0; j < d; j++) {
        if (counts) kind[j] = SMR_BAYES_COUNT;
        if (kind[j] == SMR_BAYES_BIT && !any && !l.has[j]) kind[j] = SMR_BAYES_NUMBER;
    }
out:
    smr_free(l.has);
    return st;
}

static smr_status find_kinds(smr_ctx *ctx, const struct smr_bayes_params *p, const smr_data *data,
                             uint8_t *kind)
{
    smr_status st = SMR_OK;
    for (int64_t j = 0; j < data->n_features; j++) {
        kind[j] = (uint8_t)kind_of(p, data, j);
        if (p->model == SMR_BAYES_CATEGORICAL && kind[j] != SMR_BAYES_LEVELS)
            TRY(smr_bayes_refuse_number(ctx, data->features, j));
    }
    if (p->model == SMR_BAYES_AUTO) TRY(find_by_values(ctx, data, kind));
out:
    return st;
}

/* Are all features counts, or all bits that sparse rows may leave out? */
static bool counts_entries(const struct smr_bayes_params *p, const smr_data *data,
                           const struct smr_bayes_state *s)
{
    if (!smr_data_is_sparse(data) || s->n_features == 0) return false;
    for (int64_t j = 0; j < s->n_features; j++)
        if (s->kind[j] != s->kind[0]) return false;
    return s->kind[0] == SMR_BAYES_COUNT || (s->kind[0] == SMR_BAYES_BIT && p->threshold >= 0);
}

/* ---- counts ------------------------------------------------------------------------------ */

struct counting {
    const struct smr_bayes_params *p;
    const smr_data *data;
    const struct smr_bayes_state *s;
    int64_t chunk, n_chunks;
    double *count; /* n_chunks x n_classes x n_cells */
};

static smr_status count_rows(smr_ctx *ctx, const struct counting *w, const smr_rows *rows,
                             double *count)
{
    const struct smr_bayes_state *s = w->s;
    for (int64_t i = 0; i < rows->n; i++) {
        const double *x = (const double *)rows->x + i * rows->stride;
        double weight = smr_data_weight(w->data, rows->first + i);
        double *to = count + w->data->label[rows->first + i] * s->n_cells;
        for (int64_t j = 0; j < s->n_features; j++) {
            if (s->kind[j] == SMR_BAYES_NUMBER || !isfinite(x[j])) continue;
            int64_t c = s->start[j];
            if (s->kind[j] == SMR_BAYES_COUNT) {
                if (x[j] < 0)
                    return smr_bayes_refuse_count(ctx, w->data->features, rows->first + i, j, x[j]);
                to[c] += weight * x[j];
            } else if (s->kind[j] == SMR_BAYES_BIT) {
                to[c + (x[j] > w->p->threshold)] += weight;
            } else if (x[j] >= 0 && x[j] < (double)(s->start[j + 1] - c)) {
                to[c + (int64_t)x[j]] += weight;
            }
        }
    }
    return SMR_OK;
}

static smr_status count_chunk(smr_ctx *ctx, void *arg, int64_t chunk, int lane)
{
    const struct counting *w = arg;
    int64_t hi = smr_block_end(w->data->n_rows, w->chunk, chunk);
    double *count = w->count + chunk * w->s->n_classes * w->s->n_cells;
    smr_status st = SMR_OK;
    smr_reader *reader = NULL;
    (void)lane;
    TRY(smr_reader_open(ctx, w->data, SMR_FORM_F64, BLOCK, &reader));
    for (int64_t lo = chunk * w->chunk; lo < hi; lo += BLOCK) {
        smr_rows rows;
        TRY(smr_reader_rows(ctx, reader, lo, SMR_MIN(hi, lo + BLOCK), &rows));
        TRY(count_rows(ctx, w, &rows, count));
    }
out:
    smr_reader_close(reader);
    return st;
}

static smr_status count_cells(smr_ctx *ctx, const struct smr_bayes_params *p, const smr_data *data,
                              struct smr_bayes_state *s)
{
    smr_status st = SMR_OK;
    int64_t size = s->n_classes * s->n_cells, n = data->n_rows;
    int64_t most = SMR_MAX(1, (int64_t)smr_fmin(CHUNKS, MOST_BYTES / (8.0 * (double)size)));
    struct counting w = {.p = p, .data = data, .s = s};
    w.chunk = SMR_MAX(BLOCK, smr_block_count(n, most));
    w.n_chunks = smr_block_count(n, w.chunk);
    TRY_NEW(w.count, w.n_chunks * size);
    TRY(smr_parallel(ctx, "counting", w.n_chunks, count_chunk, &w));
    for (int64_t c = 0; c < w.n_chunks; c++)
        for (int64_t e = 0; e < size; e++) s->count[e] += w.count[c * size + e];
out:
    smr_free(w.count);
    return st;
}

/* ---- numbers ----------------------------------------------------------------------------- */

static smr_status sum_numbers(smr_ctx *ctx, const smr_data *data, struct smr_bayes_state *s)
{
    smr_status st = SMR_OK;
    int32_t *column = NULL;
    smr_class_moments of = {.m = s->n_numbers,
                            .weight = s->weight,
                            .filled = s->filled,
                            .mean = s->mean,
                            .square = s->square};
    if (s->n_numbers < s->n_features) {
        int64_t n = 0;
        TRY_NEW(column, s->n_numbers);
        for (int64_t j = 0; j < s->n_features; j++)
            if (s->kind[j] == SMR_BAYES_NUMBER) column[n++] = (int32_t)j;
        of.column = column;
    }
    TRY(smr_class_moments_find(ctx, "bayes", data, &of));
out:
    smr_free(column);
    return st;
}

static smr_status count_all(smr_ctx *ctx, const struct smr_bayes_params *p, const smr_data *data,
                            struct smr_bayes_state *s)
{
    smr_status st = SMR_OK;
    if (counts_entries(p, data, s))
        TRY(smr_bayes_count_entries(ctx, p, data, s, NULL));
    else if (s->n_cells > 0)
        TRY(count_cells(ctx, p, data, s));
    if (s->n_numbers > 0) TRY(sum_numbers(ctx, data, s));
out:
    return st;
}

smr_status smr_bayes_fit(smr_ctx *ctx, const void *params_, const smr_data *data_, void *state_,
                         smr_fit_report *report)
{
    const struct smr_bayes_params *p = params_;
    struct smr_bayes_state *s = state_;
    smr_status st = SMR_OK;
    smr_data own = *data_, *data = &own;
    smr_keep keep = {0};
    uint8_t *kind = NULL;
    double total;
    bool done;
    (void)report;
    own.spend = NULL; /* rows are read more than once */
    if (data->n_rows < 1) TRY(smr_fail(ctx, SMR_ERR_DATA, "bayes: no rows to fit"));
    if (!data->label) TRY(smr_fail(ctx, SMR_ERR_DATA, "bayes: classes are needed as the target"));
    TRY(smr_held_check_weights(ctx, "bayes", 0, data->n_rows, data->weight, &total));
    if (total == 0) TRY(smr_fail(ctx, SMR_ERR_DATA, "bayes: all weights are 0: no row counts"));
    TRY(smr_class_prior_check(ctx, "bayes", &p->priors, data->n_classes));
    if (smr_data_is_sparse(data)) TRY(smr_data_keep(ctx, data, SMR_FORM_SPARSE, true, &keep));
    TRY_NEW(kind, data->n_features);
    TRY(try_counts(ctx, p, data, kind, s, &done));
    if (!done) {
        TRY(find_kinds(ctx, p, data, kind));
        TRY(smr_bayes_make_room(ctx, data->features, data->n_features, data->n_classes, kind, s));
    }
    s->has_rows = 1;
    smr_class_weights_of(data, s->weight);
    if (!done) TRY(count_all(ctx, p, data, s));
    TRY(smr_bayes_say_zeros(ctx, p, data, s));
out:
    smr_free(kind);
    smr_keep_release(&keep);
    return st;
}
