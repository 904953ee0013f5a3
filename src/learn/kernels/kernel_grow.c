/* kernel_grow.c -- points that come one by one, and go again: see kernel_points.h. */
#include "learn/kernels/kernel_open.h"
#include "learn/kernels/kernel_tile.h"

#include <math.h>
#include <string.h>

/* Elements that are asked for where n are needed: a power of two, so that arrays seldom move. */
static int64_t room_for(int64_t n)
{
    int64_t room = 16;
    while (room < n) room *= 2;
    return room;
}

static smr_status widen(smr_ctx *ctx, int64_t n, size_t size, void *array)
{
    void **at = array;
    void *wider = smr_realloc(ctx, *at, n, size);
    if (!wider) return SMR_ERR_NOMEM;
    *at = wider;
    return SMR_OK;
}

/* gamma as the sentence gives it: there are no rows to find it in. */
static smr_status take_gamma(smr_ctx *ctx, const char *who, const smr_kernel *k,
                             smr_kernel_points *p)
{
    for (int64_t i = 0; i < k->n; i++) {
        const smr_kernel_node *node = &k->node[i];
        if (node->op != SMR_KERNEL_WORD || smr_kernel_is_of_text(node->kind)) continue;
        double gamma = node->params->gamma;
        if (gamma == SMR_GAMMA_SCALE || gamma == SMR_GAMMA_MEDIAN)
            return smr_fail(ctx, SMR_ERR_PARAM,
                            "%s: a stream has no rows beforehand in which gamma=%s of %s could be "
                            "found: give a number, as in %s(gamma=0.1), or gamma=auto",
                            who, gamma == SMR_GAMMA_SCALE ? "scale" : "median",
                            smr_kernel_word(node->kind)->name, smr_kernel_word(node->kind)->name);
        if (gamma == SMR_GAMMA_AUTO) gamma = 1 / (double)SMR_MAX(p->d, 1);
        p->gamma[node->leaf] = gamma;
    }
    return SMR_OK;
}

smr_status smr_kernel_begin(smr_ctx *ctx, const char *who, const smr_kernel *kernel,
                            const smr_shape *shape, smr_kernel_points *p)
{
    smr_status st = SMR_OK;
    smr_data columns = {
        .size = sizeof columns, .n_features = shape->n_features, .features = shape->features};
    smr_kernel_opening o = {.who = who, .kernel = kernel, .data = &columns, .points = p};
    if (smr_kernel_has(kernel, SMR_KERNEL_PRECOMPUTED))
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "%s: a precomputed kernel is one of all rows, which a stream does not have",
                        who);
    p->n_words = kernel->n_words;
    TRY_NEW(p->gamma, p->n_words + 1);
    TRY(smr_kernel_link(ctx, &o));
    TRY(take_gamma(ctx, who, kernel, p));
    TRY_NEW(p->strings.start, 1);
    TRY_NEW(p->strings.bytes, 1);
    if (p->d >= SMR_KERNEL_WIDE && p->n_texts == 0) {
        p->n_starts = 1;
        TRY_NEW(p->start, 1);
    }
    TRY(smr_kernel_prepare(ctx, kernel, p));
out:
    smr_free(o.is_text);
    return st;
}

/* ---- one more --------------------------------------------------------------------------- */

/* Number j of a row, 0 where a sparse one has none; *e runs along its entries. */
static double number_at(const smr_rows *rows, int64_t i, int64_t j, int64_t *e)
{
    if (rows->form != SMR_FORM_SPARSE) return smr_rows_number(rows, i, j);
    if (*e < rows->start[i + 1] && rows->column[*e] == j) return rows->value[(*e)++];
    return 0;
}

static smr_status add_dense(smr_ctx *ctx, const smr_rows *rows, int64_t i, smr_kernel_points *p)
{
    smr_status st = SMR_OK;
    int64_t e = rows->form == SMR_FORM_SPARSE ? rows->start[i] : 0, to = p->n * p->d, t = 0;
    double square = 0;
    if (p->d == 0) return SMR_OK;
    TRY(widen(ctx, room_for(p->n + 1) * p->d, sizeof(double), &p->x_f64));
    for (int64_t j = 0; j < rows->d; j++) {
        double x = number_at(rows, i, j, &e);
        if (t < p->n_texts && p->text_feature[t] == j) {
            t++;
            continue;
        }
        if (p->center) x -= p->center[to - p->n * p->d];
        p->x_f64[to++] = x;
        square += x * x;
    }
    p->reach = smr_fmax(p->reach, square);
out:
    return st;
}

static smr_status add_sparse(smr_ctx *ctx, const smr_rows *rows, int64_t i, smr_kernel_points *p)
{
    smr_status st = SMR_OK;
    bool sparse = rows->form == SMR_FORM_SPARSE;
    int64_t most = sparse ? rows->start[i + 1] - rows->start[i] : rows->d, at = p->n_entries;
    int64_t e = sparse ? rows->start[i] : 0;
    double square = 0;
    TRY(widen(ctx, room_for(p->n + 2), sizeof *p->start, &p->start));
    TRY(widen(ctx, room_for(at + most), sizeof *p->column, &p->column));
    TRY(widen(ctx, room_for(at + most), sizeof *p->value_f64, &p->value_f64));
    for (int64_t k = 0; k < most; k++) {
        double x = sparse ? rows->value[e + k] : smr_rows_number(rows, i, k);
        if (x == 0) continue;
        p->column[at] = sparse ? rows->column[e + k] : (int32_t)k;
        p->value_f64[at++] = x;
        square += x * x;
    }
    p->start[p->n + 1] = p->n_entries = at;
    p->n_starts = p->n + 2;
    p->reach = smr_fmax(p->reach, square);
out:
    return st;
}

static smr_status add_texts(smr_ctx *ctx, const smr_rows *rows, int64_t i, smr_kernel_points *p)
{
    smr_status st = SMR_OK;
    smr_strings *s = &p->strings;
    TRY(widen(ctx, room_for(p->n_strings + p->n_texts + 1), sizeof *s->start, &s->start));
    for (int64_t t = 0; t < p->n_texts; t++) {
        double code = smr_rows_number(rows, i, p->text_feature[t]);
        int64_t n = 0, to = s->start[p->n_strings + t];
        const char *text = "";
        if (code >= 0) text = smr_strings_get(rows->texts[p->text_number[t]], (int64_t)code, &n);
        TRY(widen(ctx, room_for(to + n + 1), 1, &s->bytes));
        memcpy(s->bytes + to, text, (size_t)n);
        s->start[p->n_strings + t + 1] = to + n;
    }
out:
    return st;
}

/* A number that the kernel cannot take. */
static smr_status check_row(smr_ctx *ctx, const char *who, const smr_kernel *k,
                            const smr_kernel_points *p, const smr_rows *rows, int64_t i)
{
    bool sparse = rows->form == SMR_FORM_SPARSE;
    if (p->place)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "%s: a precomputed kernel is one of all rows, which a stream does not have",
                        who);
    int64_t lo = sparse ? rows->start[i] : 0, hi = sparse ? rows->start[i + 1] : rows->d, t = 0;
    if (!smr_kernel_has(k, SMR_KERNEL_CHI2)) return SMR_OK;
    for (int64_t e = lo; e < hi; e++) {
        if (!sparse && t < p->n_texts && p->text_feature[t] == e) {
            t++;
            continue;
        }
        if ((sparse ? rows->value[e] : smr_rows_number(rows, i, e)) < 0)
            return smr_fail(ctx, SMR_ERR_DATA,
                            "%s: row %lld has a value below 0, and chi2 is for histograms, without "
                            "negative numbers",
                            who,
                            (long long)(rows->numbers ? rows->numbers[i] : rows->first + i) + 1);
    }
    return SMR_OK;
}

smr_status smr_kernel_add(smr_ctx *ctx, const char *who, const smr_kernel *kernel,
                          const smr_rows *rows, int64_t i, smr_kernel_points *p)
{
    smr_status st = SMR_OK;
    if (p->n >= SMR_MAX_DIM)
        return smr_fail(ctx, SMR_ERR_SHAPE, "%s: %lld points are too many", who, (long long)p->n);
    TRY(check_row(ctx, who, kernel, p, rows, i));
    smr_kernel_release(p); /* what follows moves the arrays that it looks at */
    TRY(add_texts(ctx, rows, i, p));
    TRY(p->start ? add_sparse(ctx, rows, i, p) : add_dense(ctx, rows, i, p));
    p->n++;
    p->n_strings += p->n_texts;
    p->strings.n = p->n_strings;
out:
    return st;
}

/* ---- one less --------------------------------------------------------------------------- */

/* Takes elements [lo, hi) out of n. */
static void close_gap(void *array, size_t size, int64_t lo, int64_t hi, int64_t n)
{
    if (array)
        memmove((char *)array + (size_t)lo * size, (char *)array + (size_t)hi * size,
                (size_t)(n - hi) * size);
}

/* The same for parts that begin at start[0] .. start[n]: parts [lo, hi) go. */
static void close_parts(int64_t *start, int64_t lo, int64_t hi, int64_t n)
{
    int64_t gone = start[hi] - start[lo];
    for (int64_t k = hi; k <= n; k++) start[k - (hi - lo)] = start[k] - gone;
}

void smr_kernel_drop(smr_kernel_points *p, int64_t i)
{
    int64_t t = p->n_texts, lo = i * t, hi = lo + t;
    smr_kernel_release(p);
    close_gap(p->x_f64, (size_t)p->d * sizeof(double), i, i + 1, p->n);
    if (p->start) {
        close_gap(p->column, sizeof *p->column, p->start[i], p->start[i + 1], p->n_entries);
        close_gap(p->value_f64, sizeof *p->value_f64, p->start[i], p->start[i + 1], p->n_entries);
        p->n_entries -= p->start[i + 1] - p->start[i];
        close_parts(p->start, i, i + 1, p->n);
        p->n_starts--;
    }
    close_gap(p->strings.bytes, 1, p->strings.start[lo], p->strings.start[hi],
              p->strings.start[p->n_strings]);
    close_parts(p->strings.start, lo, hi, p->n_strings);
    p->n--;
    p->n_strings -= t;
    p->strings.n = p->n_strings;
}
