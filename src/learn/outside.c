/* outside.c -- see outside.h. */
#include "learn/outside.h"

#include "core/number.h"
#include "core/text.h"
#include "kernel/kernel.h"
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

void smr_foreign_warn_of_gaps(smr_ctx *ctx, const smr_model *m, const smr_table *table)
{
    int64_t next = 0;
    if (!smr_foreign_gaps(m)) return;
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

/* Takes another sight of the same column in. */
static void join(const smr_far *more, smr_far *far)
{
    bool further =
        !far->n || more->off > far->off || (more->off == far->off && more->row < far->row);
    int64_t n = far->n + more->n;
    if (!more->n) return;
    if (further) *far = *more;
    far->n = n;
}

/* Of n rows of a column, numbers: which, or NULL: from lo on, those that lie far outside; what is
 * infinite is not a matter of how far. */
static void count_far(const smr_input *in, const smr_column *col, const int64_t *numbers,
                      int64_t lo, int64_t n, smr_far *far)
{
    double r = margin(in), lower = in->least - r, upper = in->greatest + r;
    for (int64_t i = 0; i < n; i++) {
        int64_t row = numbers ? numbers[i] : lo + i;
        double x = smr_column_number(col, row);
        if (!isfinite(x) || !(x < lower || x > upper)) continue;
        double off = x < in->least ? in->least - x : x - in->greatest;
        join(&(smr_far){.n = 1, .row = row, .x = x, .off = off}, far);
    }
}

static void say_far(const smr_input *in, const smr_far *far, smr_text *out)
{
    char text[3][SMR_NUMBER_MAX];
    smr_format_double(far->x, text[0]);
    smr_format_double(in->least, text[1]);
    smr_format_double(in->greatest, text[2]);
    smr_text_printf(out, "%s'%s' in %lld row%s, %s%s (training: %s to %s)", out->length ? ", " : "",
                    in->name, (long long)far->n, smr_plural(far->n, "", "s"),
                    smr_plural(far->n, "", "as far as "), text[0], text[1], text[2]);
}

/* Where an answer is a guess beyond the data: one line for all columns.  far: one per input. */
static smr_status warn_of_far(smr_ctx *ctx, const smr_schema *schema, const smr_far *far)
{
    smr_status st = SMR_OK;
    smr_text said = {.ctx = ctx};
    int64_t n = 0;
    for (int64_t j = 0; j < schema->n_inputs; j++)
        if (far[j].n && n++ < SHOWN) say_far(&schema->inputs[j], &far[j], &said);
    if (!n) goto out;
    if (n > SHOWN)
        smr_text_printf(&said, ", and %lld more column%s", (long long)(n - SHOWN),
                        smr_plural(n - SHOWN, "", "s"));
    TRY(smr_text_done(&said));
    smr_warn(ctx, "values far outside the training rows: %s; what is predicted there is a guess",
             said.bytes);
out:
    smr_text_release(&said);
    return st;
}

/* at[j] = the column of input j where its range is known, else -1; returns how many there are. */
static int64_t find_watched(const smr_schema *schema, const smr_table *table, int64_t *at)
{
    int64_t n = 0;
    smr_schema_find_columns(schema, table, at);
    for (int64_t j = 0; j < schema->n_inputs; j++) {
        bool number = at[j] >= 0 && table->cols[at[j]].kind == SMR_NUMBER;
        if (!schema->inputs[j].has_range || !number) at[j] = -1;
        n += at[j] >= 0;
    }
    return n;
}

smr_status smr_foreign_warn(smr_ctx *ctx, const smr_model *m, const smr_table *table)
{
    smr_status st = SMR_OK;
    const smr_schema *schema = &m->schema;
    smr_range *range = NULL;
    smr_far *far = NULL;
    int64_t *at = NULL, d = schema->n_inputs;
    smr_foreign_warn_of_gaps(ctx, m, table);
    TRY_NEW(at, d + 1);
    TRY_NEW(range, d + 1);
    TRY_NEW(far, d + 1);
    if (!find_watched(schema, table, at)) goto out;
    TRY(smr_ranges_find(ctx, table, at, d, NULL, table->n_rows, range));
    for (int64_t j = 0; j < d; j++) {
        const smr_input *in = &schema->inputs[j];
        if (at[j] < 0 || range[j].least > range[j].greatest) continue;
        if (is_far(in, range[j].least) || is_far(in, range[j].greatest))
            count_far(in, &table->cols[at[j]], NULL, 0, table->n_rows, &far[j]);
    }
    TRY(warn_of_far(ctx, schema, far));
out:
    smr_free(far);
    smr_free(range);
    smr_free(at);
    return st;
}

/* ---- while rows are predicted ----------------------------------------------------------- */

smr_status smr_watch_open(smr_ctx *ctx, const smr_model *m, const smr_table *table, int64_t d,
                          int lanes, smr_watch *out)
{
    smr_status st = SMR_OK;
    const smr_schema *schema = &m->schema;
    *out = (smr_watch){.schema = schema, .table = table, .lanes = lanes};
    TRY_NEW(out->at, schema->n_inputs + 1);
    if (!find_watched(schema, table, out->at)) goto out;
    TRY_NEW(out->input, d);
    TRY_NEW(out->lower, d);
    TRY_NEW(out->upper, d);
    TRY_NEW(out->extremes, lanes * 2 * d);
    TRY_NEW(out->far, lanes * schema->n_inputs);
    smr_schema_inputs_of(schema, smr_model_columns(m), out->input);
    for (int64_t f = 0; f < d; f++) {
        int64_t j = out->input[f];
        bool watched = j >= 0 && out->at[j] >= 0;
        const smr_input *in = watched ? &schema->inputs[j] : NULL;
        if (!watched) out->input[f] = -1;
        out->lower[f] = watched ? in->least - margin(in) : -INFINITY;
        out->upper[f] = watched ? in->greatest + margin(in) : INFINITY;
    }
    out->d = d;
out:
    return st;
}

void smr_watch_close(smr_watch *w)
{
    smr_free(w->input);
    smr_free(w->at);
    smr_free(w->lower);
    smr_free(w->upper);
    smr_free(w->extremes);
    smr_free(w->far);
    *w = (smr_watch){0};
}

/* The least and the greatest of each feature of floats or bytes, GROUP of them side by side. */
enum { GROUP = 16 };

#define NARROW(name, type, lowest, highest)                                          \
    static void name(const smr_rows *rows, double *least, double *greatest)          \
    {                                                                                \
        for (int64_t f = 0; f < rows->d; f += GROUP) {                               \
            int64_t n = SMR_MIN(GROUP, rows->d - f);                                 \
            type a[GROUP], b[GROUP], some[GROUP];                                    \
            for (int k = 0; k < GROUP; k++) a[k] = some[k] = highest, b[k] = lowest; \
            for (int64_t i = 0; i < rows->n; i++) {                                  \
                const type *x = (const type *)rows->x + i * rows->stride + f;        \
                for (int64_t k = 0; n < GROUP && k < n; k++) some[k] = x[k];         \
                x = n < GROUP ? some : x;                                            \
                for (int k = 0; k < GROUP; k++) a[k] = x[k] < a[k] ? x[k] : a[k];    \
                for (int k = 0; k < GROUP; k++) b[k] = x[k] > b[k] ? x[k] : b[k];    \
            }                                                                        \
            for (int64_t k = 0; k < n; k++) least[f + k] = (double)a[k];             \
            for (int64_t k = 0; k < n; k++) greatest[f + k] = (double)b[k];          \
        }                                                                            \
    }
NARROW(find_in_floats, float, -INFINITY, INFINITY)
NARROW(find_in_bytes, uint8_t, 0, UINT8_MAX)

/* A double beyond its limit may have become a float at the limit rounded to one, but not a float
 * within it. */
static bool breaks(const smr_watch *w, smr_form form, int64_t f, double least, double greatest)
{
    if (form != SMR_FORM_F32) return least < w->lower[f] || greatest > w->upper[f];
    return least <= (double)(float)w->lower[f] || greatest >= (double)(float)w->upper[f];
}

bool smr_watch_rows(smr_watch *w, int lane, const smr_rows *rows)
{
    int64_t d = w->d;
    double *least = w->extremes + lane * 2 * d, *greatest = least + d;
    smr_far *far = w->far + lane * w->schema->n_inputs;
    bool finite = false;
    for (int64_t f = 0; f < d; f++) least[f] = INFINITY, greatest[f] = -INFINITY;
    if (rows->form == SMR_FORM_F64)
        finite = smr_extremes_f64(rows->n, d, rows->x, rows->stride, least, greatest);
    if (rows->form == SMR_FORM_F32) find_in_floats(rows, least, greatest);
    if (rows->form == SMR_FORM_U8) find_in_bytes(rows, least, greatest);
    for (int64_t f = 0; f < d; f++) {
        int64_t j = w->input[f];
        if (!breaks(w, rows->form, f, least[f], greatest[f]) || j < 0) continue;
        count_far(&w->schema->inputs[j], &w->table->cols[w->at[j]], rows->numbers, rows->first,
                  rows->n, &far[j]);
    }
    return finite;
}

smr_status smr_watch_tell(smr_ctx *ctx, smr_watch *w)
{
    int64_t n = w->schema->n_inputs;
    for (int k = 1; k < w->lanes; k++)
        for (int64_t j = 0; j < n; j++) join(&w->far[k * n + j], &w->far[j]);
    return warn_of_far(ctx, w->schema, w->far);
}
