/* kernel_open.c -- from training rows to points: see kernel_points.h.
 *
 * The rows are read twice: for their mean, where it is subtracted, and to be kept.  Both passes go
 * through the rows in order, on one thread: sums have one order, whatever the data are. */
#include "learn/kernels/kernel_open.h"

#include "kernel/kernel.h"
#include "learn/kernels/kernel_tile.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 256, NAMES_SHOWN = 6, EXPONENTIAL = 8 };

/* ---- columns ---------------------------------------------------------------------------- */

static void name_feature(const smr_data *data, int64_t j, smr_text *out)
{
    if (data->features && data->features[j].name)
        smr_text_printf(out, "'%s'", data->features[j].name);
    else
        smr_text_printf(out, "%lld", (long long)j);
}

/* Some features by name: texts, or numbers. */
static smr_status refuse_columns(smr_ctx *ctx, const smr_kernel_opening *o, bool texts,
                                 const char *why)
{
    smr_status st = SMR_OK;
    smr_text names = {.ctx = ctx};
    int64_t n = 0;
    for (int64_t j = 0; j < o->data->n_features; j++) {
        if (o->is_text[j] != texts) continue;
        if (++n > NAMES_SHOWN) continue;
        if (n > 1) smr_text_add(&names, ", ");
        name_feature(o->data, j, &names);
    }
    if (n > NAMES_SHOWN) smr_text_printf(&names, " and %lld more", (long long)(n - NAMES_SHOWN));
    TRY(smr_text_done(&names));
    st = smr_fail(ctx, SMR_ERR_DATA, "%s: %s: %s", o->who, why, names.bytes ? names.bytes : "none");
out:
    smr_text_release(&names);
    return st;
}

static smr_status list_texts(smr_ctx *ctx, smr_kernel_opening *o)
{
    smr_status st = SMR_OK;
    const smr_data *data = o->data;
    smr_kernel_points *p = o->points;
    TRY_NEW(o->is_text, data->n_features + 1);
    for (int64_t j = 0; data->features && j < data->n_features; j++)
        p->n_texts += o->is_text[j] = data->features[j].kind == SMR_TEXT;
    p->d = data->n_features - p->n_texts;
    TRY_NEW(p->text_feature, p->n_texts + 1);
    TRY_NEW(p->text_number, p->n_texts + 1);
    for (int64_t j = 0, t = 0; j < data->n_features; j++)
        if (o->is_text[j]) {
            p->text_feature[t] = (int32_t)j;
            p->text_number[t++] = (int32_t)data->features[j].text;
        }
out:
    return st;
}

/* The text that a word reads. */
static smr_status text_of(smr_ctx *ctx, const smr_kernel_opening *o, const smr_kernel_node *node,
                          int32_t *out)
{
    const smr_kernel_points *p = o->points;
    const char *column = node->params->column;
    if (p->n_texts == 0)
        return smr_fail(ctx, SMR_ERR_DATA,
                        "%s: the kernel %s reads a text, but no column is one; --type NAME=text "
                        "makes one",
                        o->who, smr_kernel_word(node->kind)->name);
    *out = 0;
    if (!*column)
        return p->n_texts == 1 ? SMR_OK
                               : refuse_columns(ctx, o, true,
                                                "a kernel of texts must name its column, as in "
                                                "spectrum(k=3 column=NAME), where there are "
                                                "several");
    for (int64_t t = 0; t < p->n_texts; t++)
        if (strcmp(o->data->features[p->text_feature[t]].name, column) == 0) {
            *out = (int32_t)t;
            return SMR_OK;
        }
    return smr_fail(ctx, SMR_ERR_DATA, "%s: the kernel %s reads the text '%s', which is not there",
                    o->who, smr_kernel_word(node->kind)->name, column);
}

static smr_status link_words(smr_ctx *ctx, const smr_kernel_opening *o)
{
    smr_status st = SMR_OK;
    smr_kernel_points *p = o->points;
    bool *read = NULL;
    TRY_NEW(read, p->n_texts + 1);
    TRY_NEW(p->word_text, p->n_words + 1);
    for (int64_t i = 0; i < o->kernel->n; i++) {
        const smr_kernel_node *node = &o->kernel->node[i];
        if (node->op != SMR_KERNEL_WORD) continue;
        p->word_text[node->leaf] = -1;
        if (!smr_kernel_is_of_text(node->kind)) continue;
        TRY(text_of(ctx, o, node, &p->word_text[node->leaf]));
        read[p->word_text[node->leaf]] = true;
    }
    for (int64_t t = 0; t < p->n_texts; t++)
        if (!read[t])
            TRY(smr_fail(ctx, SMR_ERR_DATA,
                         "%s: no kernel reads the text '%s'; add one, or leave the column out",
                         o->who, o->data->features[p->text_feature[t]].name));
    if (p->d == 0 && smr_kernel_reads_numbers(o->kernel))
        TRY(smr_fail(ctx, SMR_ERR_DATA, "%s: a kernel reads numbers, but no column holds them",
                     o->who));
    if (p->d > 0 && !smr_kernel_reads_numbers(o->kernel))
        TRY(refuse_columns(ctx, o, false,
                           "the kernel reads texts alone, and these columns are numbers; add a "
                           "kernel that reads them, as rbf, or leave them out"));
out:
    smr_free(read);
    return st;
}

smr_status smr_kernel_link(smr_ctx *ctx, smr_kernel_opening *o)
{
    smr_status st = SMR_OK;
    TRY(list_texts(ctx, o));
    TRY(link_words(ctx, o));
out:
    return st;
}

/* ---- the mean --------------------------------------------------------------------------- */

/* Only kernels of differences see rows less their mean. */
static bool is_centered(const smr_kernel *k)
{
    for (int64_t i = 0; i < k->n; i++) {
        const smr_kernel_node *node = &k->node[i];
        if (node->op == SMR_KERNEL_WORD && !smr_kernel_is_of_text(node->kind) &&
            node->kind != SMR_KERNEL_RBF && node->kind != SMR_KERNEL_LAPLACIAN)
            return false;
    }
    return true;
}

static smr_status refuse_number(smr_ctx *ctx, const smr_kernel_opening *o, const smr_rows *rows,
                                int64_t i, int64_t j, double x)
{
    smr_status st = SMR_OK;
    int64_t row = (rows->numbers ? rows->numbers[i] : rows->first + i) + 1;
    smr_text name = {.ctx = ctx};
    name_feature(o->data, j, &name);
    TRY(smr_text_done(&name));
    bool given = smr_kernel_has(o->kernel, SMR_KERNEL_PRECOMPUTED);
    st = smr_fail(ctx, SMR_ERR_DATA,
                  isnan(x) && given
                      ? "%s: row %lld has no value in column %s, and a kernel matrix has no gaps"
                  : isnan(x) ? "%s: row %lld has no value in column %s"
                  : isinf(x) ? "%s: row %lld has an infinite value in column %s"
                             : "%s: row %lld has a value below 0 in column %s, and chi2 is for "
                               "histograms, without negative numbers",
                  o->who, (long long)row, name.bytes);
out:
    smr_text_release(&name);
    return st;
}

/* Sums of the numbers, of their columns; and whether they may be there. */
struct sums {
    double *column; /* d, weighted; NULL: not wanted */
    double total, weight;
    int64_t n_entries; /* of sparse rows */
    bool positive;     /* none may be below 0 */
};

static smr_status add_block(smr_ctx *ctx, const smr_kernel_opening *o, const smr_rows *rows,
                            struct sums *s)
{
    smr_status st = SMR_OK;
    bool sparse = rows->form == SMR_FORM_SPARSE;
    for (int64_t i = 0; i < rows->n; i++) {
        double w = smr_data_weight(o->data, rows->first + i);
        int64_t lo = sparse ? rows->start[i] : 0, hi = sparse ? rows->start[i + 1] : rows->d;
        for (int64_t e = lo, to = 0; e < hi; e++) {
            int64_t j = sparse ? rows->column[e] : e;
            if (o->is_text[j]) continue;
            double x = sparse ? rows->value[e] : ((const double *)rows->x)[i * rows->stride + e];
            if (!isfinite(x) || (s->positive && x < 0)) TRY(refuse_number(ctx, o, rows, i, j, x));
            s->total += w * x;
            if (s->column) s->column[sparse ? j : to++] += w * x;
        }
        s->weight += w;
        if (sparse) s->n_entries += hi - lo;
    }
out:
    return st;
}

/* ---- points ----------------------------------------------------------------------------- */

static void put(const smr_kernel_points *p, bool sparse, int64_t at, double x)
{
    if (sparse && p->value_f32) p->value_f32[at] = (float)x;
    if (sparse && p->value_f64) p->value_f64[at] = x;
    if (!sparse && p->x_f32) p->x_f32[at] = (float)x;
    if (!sparse && p->x_f64) p->x_f64[at] = x;
}

static void keep_dense(smr_kernel_opening *o, const smr_rows *rows)
{
    smr_kernel_points *p = o->points;
    for (int64_t i = 0; i < rows->n; i++) {
        double w = smr_data_weight(o->data, rows->first + i), square = 0, spread = 0;
        for (int64_t j = 0, to = 0; j < rows->d; j++) {
            if (o->is_text[j]) continue;
            double x = ((const double *)rows->x)[i * rows->stride + j];
            double away = x - (p->center ? p->center[to] : 0), from = x - o->mean;
            put(p, false, (rows->first + i) * p->d + to++, away);
            square += away * away;
            spread += from * from;
        }
        p->reach = SMR_MAX(p->reach, square);
        o->spread += w * spread;
    }
}

static smr_status keep_sparse(smr_ctx *ctx, smr_kernel_opening *o, const smr_rows *rows,
                              int64_t *room)
{
    smr_kernel_points *p = o->points;
    int64_t n = rows->start[rows->n] - rows->start[0], need = p->n_entries + n;
    if (need > *room) {
        int64_t more = SMR_MAX(need, *room + *room / 2);
        int32_t *column = smr_realloc(ctx, p->column, more, sizeof *column);
        if (!column) return SMR_ERR_NOMEM;
        p->column = column;
        bool narrow = o->precision == SMR_KERNEL_F32;
        void *value = smr_realloc(ctx, narrow ? (void *)p->value_f32 : (void *)p->value_f64, more,
                                  narrow ? sizeof(float) : sizeof(double));
        if (!value) return SMR_ERR_NOMEM;
        if (narrow) p->value_f32 = value;
        if (!narrow) p->value_f64 = value;
        *room = more;
    }
    for (int64_t i = 0; i < rows->n; i++) {
        double w = smr_data_weight(o->data, rows->first + i), square = 0, spread = 0;
        for (int64_t e = rows->start[i]; e < rows->start[i + 1]; e++) {
            double x = rows->value[e], from = x - o->mean;
            p->column[p->n_entries] = rows->column[e];
            put(p, true, p->n_entries++, x);
            square += x * x;
            spread += from * from;
        }
        int64_t zeros = p->d - (rows->start[i + 1] - rows->start[i]);
        p->reach = SMR_MAX(p->reach, square);
        o->spread += w * (spread + (double)zeros * o->mean * o->mean);
        p->start[rows->first + i + 1] = p->n_entries;
    }
    return SMR_OK;
}

/* Reads all rows, in one form. */
static smr_status read_rows(smr_ctx *ctx, smr_kernel_opening *o, bool sparse, struct sums *sums)
{
    smr_status st = SMR_OK;
    const smr_data *data = o->data;
    smr_kernel_points *p = o->points;
    smr_reader *reader = NULL;
    smr_rows rows;
    int64_t room = 0;
    TRY(smr_reader_open(ctx, data, sparse ? SMR_FORM_SPARSE : SMR_FORM_F64, BLOCK, &reader));
    for (int64_t lo = 0; lo < p->n; lo += BLOCK) {
        TRY(smr_reader_rows(ctx, reader, lo, SMR_MIN(p->n, lo + BLOCK), &rows));
        if (sums)
            TRY(add_block(ctx, o, &rows, sums));
        else if (sparse)
            TRY(keep_sparse(ctx, o, &rows, &room));
        else
            keep_dense(o, &rows);
        for (int64_t i = 0; !sums && p->place && i < rows.n; i++) {
            int64_t number = rows.numbers ? rows.numbers[i] : lo + i;
            p->place[lo + i] = (int32_t)SMR_MIN(number, SMR_MAX_DIM);
        }
        TRY(smr_tick(ctx, "reading points", lo, p->n, NAN));
    }
out:
    smr_reader_close(reader);
    return st;
}

/* Reads the points in o->precision, and their spread about the mean. */
static smr_status fill_points(smr_ctx *ctx, smr_kernel_opening *o, bool sparse, double weight)
{
    smr_status st = SMR_OK;
    smr_kernel_points *p = o->points;
    bool narrow = o->precision == SMR_KERNEL_F32;
    o->spread = p->reach = 0;
    p->n_entries = 0;
    if (sparse) {
        p->n_starts = p->n + 1;
        if (!p->start) TRY_NEW(p->start, p->n_starts);
    } else if (narrow) {
        TRY_NEW(p->x_f32, p->n * p->d);
    } else {
        TRY_NEW(p->x_f64, p->n * p->d);
    }
    TRY(read_rows(ctx, o, sparse, NULL));
    if (!p->place && !(p->reach <= 1e300 && isfinite(o->spread)))
        TRY(smr_fail(ctx, SMR_ERR_NUMERIC,
                     "%s: the squares of the rows' numbers are too large for a kernel; rescale the "
                     "columns: put standardize before it",
                     o->who));
    o->spread /= weight * (double)p->d;
out:
    return st;
}

/* The same in doubles, if they are not. */
static smr_status fill_again(smr_ctx *ctx, smr_kernel_opening *o, bool sparse, double weight)
{
    smr_kernel_points *p = o->points;
    if (o->precision == SMR_KERNEL_F64) return SMR_OK;
    smr_free(p->x_f32);
    smr_free(p->value_f32);
    smr_free(p->column);
    p->x_f32 = p->value_f32 = NULL;
    p->column = NULL;
    o->precision = SMR_KERNEL_F64;
    return fill_points(ctx, o, sparse, weight);
}

/* Sparse rows stay so where they are wide, or where products of their entries cost less. */
static bool is_thin(const smr_kernel_opening *o, const struct sums *sums)
{
    const smr_kernel_points *p = o->points;
    return smr_kernel_is_of_products(o->kernel) &&
           (double)sums->n_entries * SMR_KERNEL_THIN <= (double)p->n * (double)p->d;
}

static smr_status keep_numbers(smr_ctx *ctx, smr_kernel_opening *o)
{
    smr_status st = SMR_OK;
    smr_kernel_points *p = o->points;
    const smr_kernel *k = o->kernel;
    bool given = smr_kernel_has(k, SMR_KERNEL_PRECOMPUTED);
    bool entries = smr_data_is_sparse(o->data) && p->n_texts == 0;
    bool sparse = entries && p->d >= SMR_KERNEL_WIDE && !given;
    if (given) o->precision = SMR_KERNEL_F64;
    bool narrow = o->precision == SMR_KERNEL_F32;
    struct sums sums = {.positive = smr_kernel_has(k, SMR_KERNEL_CHI2)};
    double bytes = 2.0 * (double)p->n * (double)p->d * (narrow ? 4 : 8);
    if (p->d == 0) return SMR_OK;
    if (!sparse)
        TRY(smr_memory_check(ctx, bytes, "the points of a kernel",
                             "fewer rows, or nystrom before a linear learner, need less"));
    if (!sparse && !given && is_centered(k)) TRY_NEW(p->center, p->d);
    sums.column = p->center;
    TRY(read_rows(ctx, o, entries, &sums));
    sparse = sparse || (entries && !given && is_thin(o, &sums));
    if (sparse) smr_free(p->center);
    if (sparse) p->center = NULL;
    double weight = sums.weight > 0 ? sums.weight : 1;
    for (int64_t j = 0; p->center && j < p->d; j++) p->center[j] /= weight;
    o->mean = sums.total / (weight * (double)p->d);
    if (given) TRY_NEW(p->place, p->n);
    TRY(fill_points(ctx, o, sparse, weight));
    if (smr_kernel_is_out_of_floats(p)) TRY(fill_again(ctx, o, sparse, weight));
    TRY(smr_kernel_find_gamma(ctx, o));
    /* Where K would be lost in the roundings of rows that keep their origin. */
    if (!p->center && smr_kernel_needs_double(k, p)) TRY(fill_again(ctx, o, sparse, weight));
out:
    return st;
}

/* ---- texts ------------------------------------------------------------------------------ */

/* The texts of one block of rows: their lengths, or their bytes from *at on. */
static void copy_texts(const smr_kernel_points *p, const smr_rows *rows, bool bytes)
{
    for (int64_t i = 0; i < rows->n; i++)
        for (int64_t t = 0; t < p->n_texts; t++) {
            int64_t place = (rows->first + i) * p->n_texts + t, n = 0;
            const double *x = (const double *)rows->x + i * rows->stride;
            double code = x[p->text_feature[t]];
            const char *text = "";
            if (code >= 0)
                text = smr_strings_get(rows->texts[p->text_number[t]], (int64_t)code, &n);
            if (bytes)
                memcpy(p->strings.bytes + p->strings.start[place], text, (size_t)n);
            else
                p->strings.start[place + 1] = n;
        }
}

static smr_status keep_texts(smr_ctx *ctx, const smr_kernel_opening *o)
{
    smr_status st = SMR_OK;
    smr_kernel_points *p = o->points;
    smr_strings *s = &p->strings;
    smr_reader *reader = NULL;
    smr_rows rows;
    p->n_strings = p->n * p->n_texts;
    TRY_NEW(s->start, p->n_strings + 1);
    if (p->n_texts == 0) return SMR_OK;
    TRY(smr_reader_open(ctx, o->data, SMR_FORM_F64, BLOCK, &reader));
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t lo = 0; lo < p->n; lo += BLOCK) {
            TRY(smr_reader_rows(ctx, reader, lo, SMR_MIN(p->n, lo + BLOCK), &rows));
            copy_texts(p, &rows, pass == 1);
            TRY(smr_tick(ctx, "reading texts", lo, p->n, NAN));
        }
        if (pass == 1) break;
        for (int64_t i = 0; i < p->n_strings; i++) s->start[i + 1] += s->start[i];
        TRY_NEW(s->bytes, s->start[p->n_strings] + 1);
    }
    s->n = p->n_strings;
out:
    smr_reader_close(reader);
    return st;
}

/* ---- a matrix that is given ------------------------------------------------------------- */

static smr_status refuse_asymmetry(smr_ctx *ctx, const smr_kernel_opening *o, int64_t i, int64_t j)
{
    smr_text pair = {.ctx = ctx};
    const smr_kernel_points *p = o->points;
    smr_text_printf(&pair, "K(%d, %d) is ", (int)p->place[i] + 1, (int)p->place[j] + 1);
    smr_text_number(&pair, p->x_f64[i * p->d + p->place[j]]);
    smr_text_printf(&pair, " and K(%d, %d) is ", (int)p->place[j] + 1, (int)p->place[i] + 1);
    smr_text_number(&pair, p->x_f64[j * p->d + p->place[i]]);
    smr_status st = smr_text_done(&pair);
    if (st == SMR_OK)
        st = smr_fail(ctx, SMR_ERR_DATA, "%s: the precomputed matrix is not symmetric: %s", o->who,
                      pair.bytes);
    smr_text_release(&pair);
    return st;
}

/* Square, and symmetric to 1e-8 of its largest value; then exactly so. */
static smr_status check_given(smr_ctx *ctx, const smr_kernel_opening *o)
{
    smr_status st = SMR_OK;
    const smr_kernel_points *p = o->points;
    double largest = 0;
    for (int64_t i = 0; i < p->n; i++)
        if (p->place[i] >= p->d)
            return smr_fail(ctx, SMR_ERR_SHAPE,
                            "%s: a precomputed kernel has a column for every row of the table; row "
                            "%lld has none, as there are %lld columns",
                            o->who, (long long)p->place[i] + 1, (long long)p->d);
    if (!o->data->rows && p->n != p->d && !o->data->source)
        return smr_fail(ctx, SMR_ERR_SHAPE,
                        "%s: a precomputed kernel has a column for every row of the table; there "
                        "are %lld rows and %lld columns",
                        o->who, (long long)p->n, (long long)p->d);
    for (int64_t i = 0; i < p->n * p->d; i++) largest = SMR_MAX(largest, fabs(p->x_f64[i]));
    for (int64_t i = 0; i < p->n; i++)
        for (int64_t j = 0; j < i; j++) {
            double *a = &p->x_f64[i * p->d + p->place[j]], *b = &p->x_f64[j * p->d + p->place[i]];
            if (fabs(*a - *b) > 1e-8 * largest) TRY(refuse_asymmetry(ctx, o, i, j));
            *a = *b = (*a + *b) / 2;
        }
out:
    return st;
}

/* ---- the whole -------------------------------------------------------------------------- */

static smr_status narrow_diagonal(smr_ctx *ctx, const smr_kernel_rows *rows, double *out)
{
    return smr_kernel_diagonal(ctx, (const smr_kernel_set *)rows, out);
}

/* K(x, x) bounds all values of a kernel. */
static smr_status check_size(smr_ctx *ctx, const smr_kernel_opening *o, const smr_kernel_set *set)
{
    smr_status st = SMR_OK;
    double *diagonal = NULL, most = o->precision == SMR_KERNEL_F32 ? 1e37 : 1e300;
    TRY_NEW(diagonal, set->points.n + 1);
    TRY(smr_kernel_diagonal(ctx, set, diagonal));
    for (int64_t i = 0; i < set->points.n; i++)
        if (!(fabs(diagonal[i]) <= most))
            TRY(smr_fail(ctx, SMR_ERR_NUMERIC,
                         "%s: K(x, x) of row %lld is too large; scale the features, or lower the "
                         "kernel's degree or gamma",
                         o->who, (long long)i + 1));
out:
    smr_free(diagonal);
    return st;
}

double smr_kernel_cost(const smr_kernel_set *set)
{
    const smr_kernel *k = set->kernel;
    const smr_kernel_points *p = &set->points;
    double n = (double)SMR_MAX(p->n, 1), cost = 0;
    double numbers = p->start ? (double)p->n_entries / n : (double)p->d;
    for (int64_t i = 0; i < k->n; i++) {
        const smr_kernel_node *node = &k->node[i];
        cost += 1;
        if (node->op == SMR_KERNEL_EXP) cost += EXPONENTIAL;
        if (node->op != SMR_KERNEL_WORD || node->kind == SMR_KERNEL_PRECOMPUTED) continue;
        if (!smr_kernel_is_of_text(node->kind)) {
            cost += numbers + EXPONENTIAL;
            continue;
        }
        double bytes = (double)p->strings.start[p->n_strings] / (n * (double)p->n_texts);
        bool cells = node->kind == SMR_KERNEL_SUBSEQUENCE;
        cost += cells ? 3 * bytes * bytes * (double)node->params->length : bytes;
    }
    return cost;
}

smr_status smr_kernel_open(smr_ctx *ctx, const char *who, const smr_kernel *kernel,
                           const smr_data *data, smr_kernel_precision precision,
                           smr_kernel_set *out)
{
    smr_status st = SMR_OK;
    smr_kernel_points *p = &out->points;
    smr_data all = *data;
    smr_kernel_opening o = {
        .who = who, .kernel = kernel, .data = &all, .precision = precision, .points = p};
    all.refuse_missing = false; /* they are refused here, by name */
    if (data->n_rows > SMR_MAX_DIM)
        return smr_fail(ctx, SMR_ERR_SHAPE, "%s: %lld rows are too many for a kernel", who,
                        (long long)data->n_rows);
    out->kernel = kernel;
    out->rows = (smr_kernel_rows){
        .n = data->n_rows, .block = smr_kernel_block_f32, .diagonal = narrow_diagonal};
    p->n = data->n_rows;
    p->n_words = kernel->n_words;
    TRY_NEW(p->gamma, p->n_words + 1);
    TRY(smr_kernel_link(ctx, &o));
    TRY(keep_numbers(ctx, &o));
    TRY(keep_texts(ctx, &o));
    if (p->place) TRY(check_given(ctx, &o));
    TRY(smr_kernel_prepare(ctx, kernel, p));
    TRY(check_size(ctx, &o, out));
out:
    smr_free(o.is_text);
    return st;
}
