/* kept.c -- see kept.h. */
#include "transform/kept.h"

#include <stdio.h>
#include <string.h>

/* ---- sparse rows ------------------------------------------------------------------------ */

/* The next entry of row i, from *e on, whose column is kept; its place among these, or -1.  Both
 * lists ascend. */
static int64_t next_entry(const smr_kept *kept, const smr_rows *rows, int64_t i, int64_t *e,
                          int64_t from)
{
    for (; *e < rows->start[i + 1] && from < kept->n; ++*e) {
        from = smr_find_column(kept->column, from, kept->n, rows->column[*e]);
        if (from < kept->n && kept->column[from] == rows->column[*e]) return from;
    }
    return -1;
}

smr_status smr_kept_append(smr_ctx *ctx, const smr_kept *kept, const smr_rows *rows,
                           smr_entries *out)
{
    for (int64_t i = 0; i < rows->n; i++) {
        int64_t e = rows->start[i], k = 0, n = rows->start[i + 1] - e;
        smr_status st = smr_entries_reserve(ctx, out, SMR_MIN(n, kept->n) + 1);
        if (st != SMR_OK) return st;
        for (; (k = next_entry(kept, rows, i, &e, k)) >= 0; e++)
            smr_entries_add(out, k, rows->value[e]);
        smr_entries_end_row(out);
    }
    return SMR_OK;
}

/* ---- dense rows ------------------------------------------------------------------------- */

/* Elements of one type to another, row by row. */
#define TAKE(from_type, to_type)                                                   \
    for (int64_t i = 0; i < rows->n; i++) {                                        \
        const from_type *x = (const from_type *)rows->x + i * rows->stride;        \
        to_type *to = (to_type *)out + i * kept->n;                                \
        for (int64_t k = 0; k < kept->n; k++) to[k] = (to_type)x[kept->column[k]]; \
    }

static void spread(const smr_kept *kept, const smr_rows *rows, double *out)
{
    memset(out, 0, (size_t)(rows->n * kept->n) * sizeof *out);
    for (int64_t i = 0; i < rows->n; i++, out += kept->n) {
        int64_t e = rows->start[i], k = 0;
        for (; (k = next_entry(kept, rows, i, &e, k)) >= 0; e++) out[k] = rows->value[e];
    }
}

void smr_kept_take(const smr_kept *kept, const smr_rows *rows, smr_form form, void *out)
{
    if (rows->form == SMR_FORM_SPARSE) {
        spread(kept, rows, out);
    } else if (rows->form == SMR_FORM_U8 && form == SMR_FORM_U8) {
        TAKE(uint8_t, uint8_t)
    } else if (rows->form == SMR_FORM_U8 && form == SMR_FORM_F32) {
        TAKE(uint8_t, float)
    } else if (rows->form == SMR_FORM_U8) {
        TAKE(uint8_t, double)
    } else if (rows->form == SMR_FORM_F32 && form == SMR_FORM_F32) {
        TAKE(float, float)
    } else if (rows->form == SMR_FORM_F32) {
        TAKE(float, double)
    } else {
        TAKE(double, double)
    }
}

/* ---- names ------------------------------------------------------------------------------ */

const char *smr_kept_name(const smr_feature *in, int64_t j, char buffer[32])
{
    if (in && in[j].name) return in[j].name;
    snprintf(buffer, 32, "%lld", (long long)j);
    return buffer;
}

smr_status smr_kept_outputs(smr_ctx *ctx, const smr_kept *kept, const smr_feature *in,
                            smr_feature *out)
{
    for (int64_t k = 0; k < kept->n; k++) {
        char buffer[32];
        int64_t j = kept->column[k];
        out[k] = (smr_feature){.kind = SMR_NUMBER};
        if (in) {
            out[k].kind = in[j].kind;
            out[k].n_levels = in[j].n_levels;
            out[k].levels = in[j].levels;
            out[k].text = in[j].text;
        }
        out[k].name = smr_strdup(ctx, smr_kept_name(in, j, buffer));
        if (!out[k].name) return SMR_ERR_NOMEM;
    }
    return SMR_OK;
}
