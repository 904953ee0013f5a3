/* outside.c -- see outside.h. */
#include "learn/outside.h"

#include "core/number.h"
#include "core/text.h"
#include "learn/chain.h"
#include "learn/ranges.h"

#include <math.h>
#include <string.h>

/* The column of an input: mostly the one after the last that was found. */
static const smr_column *column_of(const smr_table *table, const char *name, int64_t *next)
{
    int64_t n = table->n_cols, at = *next;
    if (at >= n || strcmp(table->cols[at].name, name) != 0) at = smr_table_find(table, name);
    if (at < 0) return NULL;
    *next = at + 1;
    return &table->cols[at];
}

bool smr_foreign_gaps(const smr_model *m)
{
    const smr_stage *first = &m->stages[0];
    return first->inserted || !smr_stage_fills(first);
}

static int64_t count_gaps(const smr_column *col, int64_t n_rows)
{
    int64_t n = 0;
    bool numbers = col->kind == SMR_NUMBER || col->kind == SMR_DATE;
    if (col->n_missing >= 0) return col->n_missing;
    for (int64_t i = 0; i < n_rows; i++)
        n += numbers ? isnan(smr_column_number(col, i)) != 0 : smr_column_code(col, i) < 0;
    return n;
}

static void warn_of_gaps(smr_ctx *ctx, const smr_model *m, const smr_table *table)
{
    int64_t next = 0;
    for (int64_t j = 0; j < m->schema.n_inputs; j++) {
        const smr_input *in = &m->schema.inputs[j];
        const smr_column *col = column_of(table, in->name, &next);
        if (!col || in->kind != SMR_CATEGORY || in->has_missing) continue;
        int64_t n = count_gaps(col, table->n_rows);
        if (n > 0)
            smr_warn(
                ctx,
                "column '%s' is missing in %lld row%s, and training had no gap to learn from: %s "
                "as unknown",
                in->name, (long long)n, smr_plural(n, "", "s"),
                smr_plural(n, "it counts", "they count"));
    }
}

/* ---- far outside ------------------------------------------------------------------------ */

enum { SHOWN = 3 };

/* How far a value may lie outside the training rows. */
static double margin(const smr_input *in)
{
    double range = in->greatest - in->least;
    if (range > 0) return SMR_FAR * range;
    return SMR_FAR * smr_fmax(1, fabs(in->least));
}

static bool is_far(const smr_input *in, double x)
{
    double r = margin(in);
    return x < in->least - r || x > in->greatest + r;
}

/* Rows of the column that lie far outside, and the value that does so most; what is infinite is not
 * a matter of how far. */
static int64_t count_far(const smr_input *in, const smr_column *col, int64_t n, double *furthest)
{
    int64_t count = 0;
    double most = 0;
    for (int64_t i = 0; i < n; i++) {
        double x = smr_column_number(col, i);
        if (!isfinite(x) || !is_far(in, x)) continue;
        double off = x < in->least ? in->least - x : x - in->greatest;
        if (count++ == 0 || off > most) {
            most = off;
            *furthest = x;
        }
    }
    return count;
}

static void say_far(const smr_input *in, int64_t n, double furthest, smr_text *out)
{
    char text[3][SMR_NUMBER_MAX];
    smr_format_double(furthest, text[0]);
    smr_format_double(in->least, text[1]);
    smr_format_double(in->greatest, text[2]);
    smr_text_printf(out, "%s'%s' in %lld row%s, %s%s (training: %s to %s)", out->length ? ", " : "",
                    in->name, (long long)n, smr_plural(n, "", "s"), smr_plural(n, "", "as far as "),
                    text[0], text[1], text[2]);
}

/* Where an answer is a guess beyond the data: one line for all columns. */
static smr_status warn_of_far(smr_ctx *ctx, const smr_schema *schema, const smr_table *table)
{
    smr_status st = SMR_OK;
    smr_text said = {.ctx = ctx};
    smr_range *range = NULL;
    int64_t *at = NULL, d = schema->n_inputs, known = 0, far = 0;
    TRY_NEW(at, d + 1);
    TRY_NEW(range, d + 1);
    smr_schema_find_columns(schema, table, at);
    for (int64_t j = 0; j < d; j++) {
        bool number = at[j] >= 0 && table->cols[at[j]].kind == SMR_NUMBER;
        if (!schema->inputs[j].has_range || !number) at[j] = -1;
        known += at[j] >= 0;
    }
    if (!known) goto out;
    TRY(smr_ranges_find(ctx, table, at, d, NULL, table->n_rows, range));
    for (int64_t j = 0; j < d; j++) {
        const smr_input *in = &schema->inputs[j];
        if (at[j] < 0 || range[j].least > range[j].greatest) continue;
        if (!is_far(in, range[j].least) && !is_far(in, range[j].greatest)) continue;
        double furthest = 0;
        int64_t n = count_far(in, &table->cols[at[j]], table->n_rows, &furthest);
        if (n > 0 && far++ < SHOWN) say_far(in, n, furthest, &said);
    }
    if (!far) goto out;
    if (far > SHOWN)
        smr_text_printf(&said, ", and %lld more column%s", (long long)(far - SHOWN),
                        smr_plural(far - SHOWN, "", "s"));
    TRY(smr_text_done(&said));
    smr_warn(ctx, "values far outside the training rows: %s; what is predicted there is a guess",
             said.bytes);
out:
    smr_text_release(&said);
    smr_free(range);
    smr_free(at);
    return st;
}

smr_status smr_foreign_warn(smr_ctx *ctx, const smr_model *m, const smr_table *table)
{
    if (smr_foreign_gaps(m)) warn_of_gaps(ctx, m, table);
    return warn_of_far(ctx, &m->schema, table);
}
