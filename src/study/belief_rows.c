/* belief_rows.c -- one variable of a network for each row of a table.
 *
 * A column belongs to the variable of its name.  Its values are levels; a number is the level of
 * that number, or the bin that it lies in ("<2.5", "2.5..4", ">=4").  What no level fits, an empty
 * cell, and a variable without a column are gaps, which are summed out. */
#include "core/number.h"
#include "core/parallel.h"
#include "study/belief.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 256 };

struct job {
    const smr_network *net;
    smr_tables tables;
    smr_jtree tree;
    int64_t n_rows;
    int32_t node;
    int32_t *code;  /* n x n_rows: levels, or -1 */
    double *work;   /* for each lane             */
    int32_t *level; /* for each lane             */
    double *p;      /* n_rows x levels; NaN: the row is impossible */
};

static bool in_bin(const char *name, int64_t n, double x)
{
    const char *end = name + n, *next;
    double a, b;
    if (n > 1 && name[0] == '<') return smr_parse_double(name + 1, end, &a) == end && x < a;
    if (n > 2 && name[0] == '>' && name[1] == '=')
        return smr_parse_double(name + 2, end, &a) == end && x >= a;
    for (const char *p = name + 1; p + 2 < end; p++) {
        if (p[0] != '.' || p[1] != '.') continue;
        next = smr_parse_double(name, p, &a);
        return next == p && smr_parse_double(p + 2, end, &b) == end && x >= a && x < b;
    }
    return false;
}

static int32_t level_of_number(const smr_strings *levels, double x)
{
    char text[SMR_NUMBER_MAX];
    int length = smr_format_double(x, text);
    for (int64_t k = 0; k < levels->n; k++) {
        int64_t n;
        double value;
        const char *name = smr_strings_get(levels, k, &n);
        if (n == length && memcmp(name, text, (size_t)n) == 0) return (int32_t)k;
        if (smr_parse_double(name, name + n, &value) == name + n && value == x) return (int32_t)k;
        if (in_bin(name, n, x)) return (int32_t)k;
        if (n == 3 && memcmp(name, "any", 3) == 0 && levels->n == 1) return 0;
    }
    return -1;
}

static void read_column(const smr_column *col, const smr_strings *levels, const smr_vocab *known,
                        int64_t n, int32_t *code, int64_t *n_unknown)
{
    for (int64_t i = 0; i < n; i++) {
        code[i] = -1;
        if (col->kind == SMR_CATEGORY || col->kind == SMR_TEXT) {
            int64_t length;
            int32_t is = smr_column_code(col, i);
            if (is < 0) continue;
            const char *text = smr_strings_get(&col->levels, is, &length);
            code[i] = smr_vocab_find(known, text, length);
        } else {
            double x = smr_column_number(col, i);
            if (isnan(x)) continue;
            code[i] = level_of_number(levels, x);
        }
        *n_unknown += code[i] < 0;
    }
}

static smr_status read_rows(smr_ctx *ctx, const smr_table *table, struct job *j)
{
    smr_status st = SMR_OK;
    smr_vocab known = {0};
    int64_t n_unknown = 0, n_columns = 0;
    for (int64_t k = 0; k < j->net->n * j->n_rows; k++) j->code[k] = -1;
    for (int64_t c = 0; c < table->n_cols; c++) {
        const smr_column *col = &table->cols[c];
        int64_t node = smr_vocab_find(&j->net->names, col->name, (int64_t)strlen(col->name));
        if (node < 0 || node == j->node) continue;
        n_columns++;
        TRY(smr_vocab_fill(ctx, &known, &j->net->level[node]));
        read_column(col, &j->net->level[node], &known, j->n_rows, j->code + node * j->n_rows,
                    &n_unknown);
        smr_vocab_release(&known);
    }
    if (n_columns == 0)
        TRY(smr_fail(ctx, SMR_ERR_DATA, "no column of the table is a variable of the network"));
    if (n_unknown)
        smr_warn(ctx, "%lld value%s that the network has no level for %s taken as missing",
                 (long long)n_unknown, smr_plural(n_unknown, "", "s"),
                 smr_plural(n_unknown, "is", "are"));
out:
    smr_vocab_release(&known);
    return st;
}

static smr_status answer_block(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct job *j = arg;
    int64_t n = j->net->n, levels = j->net->levels[j->node];
    int64_t hi = smr_block_end(j->n_rows, BLOCK, task);
    double *work = j->work + lane * smr_jtree_work(&j->tree);
    int32_t *level = j->level + lane * n;
    (void)ctx;
    for (int64_t r = task * BLOCK; r < hi; r++) {
        double *out = j->p + r * levels;
        for (int64_t i = 0; i < n; i++) level[i] = j->code[i * j->n_rows + r];
        if (smr_jtree_run(&j->tree, level, false, work) > -INFINITY)
            smr_jtree_joint(&j->tree, work, &j->node, 1, out);
        else
            for (int64_t k = 0; k < levels; k++) out[k] = NAN;
    }
    return SMR_OK;
}

/* ---- the answer ------------------------------------------------------------------------- */

static smr_status name_column(smr_ctx *ctx, const struct job *j, int64_t level, smr_column *col)
{
    smr_status st = SMR_OK;
    smr_text name = {.ctx = ctx};
    if (level >= 0) smr_text_add(&name, "p(");
    if (level >= 0)
        smr_net_say_level(j->net, j->node, level, &name);
    else
        smr_net_say(j->net, j->node, &name);
    if (level >= 0) smr_text_add(&name, ")");
    TRY(smr_text_done(&name));
    col->name = smr_strdup(ctx, name.bytes);
    if (!col->name) TRY(SMR_ERR_NOMEM);
out:
    smr_text_release(&name);
    return st;
}

static smr_status fill_levels(smr_ctx *ctx, const struct job *j, smr_column *col)
{
    smr_status st = SMR_OK;
    int64_t levels = j->net->levels[j->node], n_impossible = 0;
    int32_t *code;
    col->kind = SMR_CATEGORY;
    col->dtype = SMR_I32;
    col->owns_values = true;
    TRY(name_column(ctx, j, -1, col));
    TRY(smr_strings_copy(ctx, &j->net->level[j->node], NULL, &col->levels));
    TRY_NEW(code, j->n_rows);
    col->values = code;
    for (int64_t r = 0; r < j->n_rows; r++) {
        const double *p = j->p + r * levels;
        int64_t best = 0;
        for (int64_t k = 1; k < levels; k++)
            if (p[k] > p[best]) best = k;
        code[r] = isnan(p[0]) ? -1 : (int32_t)best;
        n_impossible += code[r] < 0;
    }
    if (n_impossible)
        smr_warn(ctx, "%lld row%s probability 0 in this network, and no answer",
                 (long long)n_impossible, smr_plural(n_impossible, " has", "s have"));
out:
    return st;
}

static smr_status make_answer(smr_ctx *ctx, const struct job *j, bool proba, smr_table **out)
{
    smr_status st = SMR_OK;
    int64_t levels = j->net->levels[j->node];
    smr_table *t = NULL;
    TRY(smr_table_new(ctx, j->n_rows, 1 + (proba ? levels : 0), &t));
    t->has_header = true;
    TRY(fill_levels(ctx, j, &t->cols[0]));
    for (int64_t k = 0; proba && k < levels; k++) {
        smr_column *col = &t->cols[1 + k];
        double *x;
        col->kind = SMR_NUMBER;
        col->dtype = SMR_F64;
        col->owns_values = true;
        TRY(name_column(ctx, j, k, col));
        TRY_NEW(x, j->n_rows);
        col->values = x;
        for (int64_t r = 0; r < j->n_rows; r++) x[r] = j->p[r * levels + k];
    }
    *out = t;
    t = NULL;
out:
    smr_table_free(t);
    return st;
}

smr_status smr_belief_predict(smr_ctx *ctx, const smr_network *net, const smr_table *table,
                              const char *variable, bool proba, smr_table **out)
{
    smr_status st = SMR_OK;
    struct job j = {.net = net, .tables = smr_net_tables(net), .n_rows = table->n_rows};
    int64_t node;
    *out = NULL;
    TRY(smr_net_find(ctx, net, NULL, variable, (int64_t)strlen(variable), &node));
    j.node = (int32_t)node;
    TRY(smr_memory_check(
        ctx, (double)j.n_rows * (4.0 * (double)net->n + 8.0 * (double)net->levels[node]),
        "the rows and their answers", "predict fewer at a time"));
    TRY(smr_jtree_make(ctx, &j.tables, &j.node, 1, "give more memory", &j.tree));
    TRY_NEW(j.code, net->n * j.n_rows);
    TRY_NEW(j.p, j.n_rows * net->levels[node]);
    TRY_NEW(j.work, smr_lanes(ctx) * smr_jtree_work(&j.tree));
    TRY_NEW(j.level, smr_lanes(ctx) * net->n);
    TRY(read_rows(ctx, table, &j));
    TRY(smr_parallel(ctx, "predict", smr_block_count(j.n_rows, BLOCK), answer_block, &j));
    TRY(make_answer(ctx, &j, proba, out));
out:
    smr_jtree_release(&j.tree);
    smr_free(j.code);
    smr_free(j.p);
    smr_free(j.work);
    smr_free(j.level);
    return st;
}
