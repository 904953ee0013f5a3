/* write_libsvm.c -- tables as "label index:value ..." lines.
 *
 * The label is the column "label", else the last column; a category is written as its level where
 * all levels are numbers, else as its code.  A column "qid" becomes qid:N.  Other columns must be
 * numbers: they get the indices 1, 2, ... and are written where they are not zero; entries of a
 * sparse block follow, all of them. */
#include "core/number.h"
#include "data/formats.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

struct libsvm {
    const smr_table *table;
    int64_t label, qid;     /* columns, or -1 */
    double *level;          /* of the label, if it is a category: what is written */
    const int64_t *feature; /* columns that are features */
    int64_t n_features;
};

static double label_of(const struct libsvm *w, int64_t i)
{
    const smr_column *c = &w->table->cols[w->label];
    if (!w->level) return smr_column_number(c, i);
    int32_t code = smr_column_code(c, i);
    return code < 0 ? NAN : w->level[code];
}

static void add_pair(smr_text *out, int64_t index, double value)
{
    if (!smr_text_reserve(out, 2 * SMR_NUMBER_MAX)) return;
    out->bytes[out->length++] = ' ';
    out->length += smr_format_double((double)index, out->bytes + out->length);
    out->bytes[out->length++] = ':';
    out->length += smr_format_double(value, out->bytes + out->length);
}

static void format_rows(const void *arg, int64_t lo, int64_t hi, smr_text *out)
{
    const struct libsvm *w = arg;
    const smr_table *t = w->table;
    const smr_csr *x = &t->sparse;
    for (int64_t i = lo; i < hi && !out->failed; i++) {
        smr_text_number(out, w->label < 0 ? 0 : label_of(w, i));
        double qid = w->qid < 0 ? NAN : smr_column_number(&t->cols[w->qid], i);
        if (!isnan(qid)) {
            smr_text_add(out, " qid:");
            smr_text_number(out, qid);
        }
        for (int64_t k = 0; k < w->n_features; k++) {
            double v = smr_column_number(&t->cols[w->feature[k]], i);
            if (v != 0) add_pair(out, k + 1, v);
        }
        for (int64_t e = x->n_cols ? x->start[i] : 0; x->n_cols && e < x->start[i + 1]; e++)
            add_pair(out, w->n_features + x->column[e] + 1, x->value[e]);
        smr_text_add(out, "\n");
    }
}

static smr_status check_feature(smr_ctx *ctx, const smr_column *c)
{
    static const char *const kinds[] = {"number", "category", "text", "date"};
    if (c->kind == SMR_NUMBER) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                    "column '%.100s' is a %s, and a LIBSVM file holds numbers only; leave it out "
                    "with --type '%.100s=ignore', or write CSV or ARFF",
                    c->name, kinds[c->kind], c->name);
}

/* What is written in the file for each level of the label. */
static smr_status number_levels(smr_ctx *ctx, const smr_column *c, double **level)
{
    smr_status st = SMR_OK;
    bool all = true;
    TRY_NEW(*level, c->levels.n);
    for (int64_t k = 0; k < c->levels.n; k++) {
        int64_t n;
        const char *s = smr_strings_get(&c->levels, k, &n);
        all &= smr_parse_double(s, s + n, &(*level)[k]) == s + n && !isnan((*level)[k]);
    }
    for (int64_t k = 0; k < c->levels.n && !all; k++) (*level)[k] = (double)k;
    if (!all)
        smr_warn(ctx,
                 "a LIBSVM file holds numbers only: the labels of column '%.100s' are written as 0 "
                 "to %" PRId64 ", in the order of their names",
                 c->name, c->levels.n - 1);
out:
    return st;
}

static smr_status check_qid(smr_ctx *ctx, const smr_table *t, const smr_column *c)
{
    for (int64_t i = 0; i < t->n_rows; i++) {
        double q = smr_column_number(c, i);
        if (!isnan(q) && !(fabs(q) <= 0x1p53 && q == floor(q)))
            return smr_fail(ctx, SMR_ERR_DATA,
                            "row %" PRId64 ": a qid that is not a whole number cannot be written",
                            i);
    }
    return SMR_OK;
}

static int64_t find_label(const smr_table *t, int64_t qid)
{
    int64_t label = smr_table_find(t, "label");
    if (label >= 0) return label;
    label = t->n_cols - 1;
    return label >= 0 && label == qid ? label - 1 : label;
}

smr_status smr_libsvm_write(smr_ctx *ctx, const smr_table *t, smr_sink *sink)
{
    smr_status st = SMR_OK;
    int64_t *feature = NULL;
    struct libsvm w = {.table = t, .qid = smr_table_find(t, "qid")};
    w.label = find_label(t, w.qid);
    if (w.qid >= 0) TRY(check_feature(ctx, &t->cols[w.qid]));
    if (w.qid >= 0) TRY(check_qid(ctx, t, &t->cols[w.qid]));
    TRY_NEW(feature, t->n_cols);
    for (int64_t j = 0; j < t->n_cols; j++) {
        if (j == w.label || j == w.qid) continue;
        TRY(check_feature(ctx, &t->cols[j]));
        feature[w.n_features++] = j;
    }
    w.feature = feature;
    if (w.n_features + t->sparse.n_cols > INT32_MAX)
        TRY(smr_fail(ctx, SMR_ERR_UNSUPPORTED, "a LIBSVM file has at most 2147483647 features"));
    const smr_column *label = w.label < 0 ? NULL : &t->cols[w.label];
    if (label && label->kind == SMR_DATE) TRY(check_feature(ctx, label));
    if (label && label->kind != SMR_NUMBER) TRY(number_levels(ctx, label, &w.level));
    int64_t width =
        t->n_cols + (t->n_rows && t->sparse.n_cols ? t->sparse.start[t->n_rows] / t->n_rows : 0);
    TRY(smr_write_rows(ctx, sink, t->n_rows, smr_write_block(width), format_rows, &w));
out:
    smr_free(w.level);
    smr_free(feature);
    return st;
}
