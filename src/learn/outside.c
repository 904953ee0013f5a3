/* outside.c -- see outside.h. */
#include "learn/outside.h"

#include "core/text.h"
#include "learn/chain.h"

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

smr_status smr_foreign_warn(smr_ctx *ctx, const smr_model *m, const smr_table *table)
{
    if (smr_foreign_gaps(m)) warn_of_gaps(ctx, m, table);
    return SMR_OK;
}
