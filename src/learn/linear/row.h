/* row.h -- one row at a time, in any form: for learners that step along single rows. */
#ifndef SMR_LEARN_LINEAR_ROW_H
#define SMR_LEARN_LINEAR_ROW_H

#include "data/data.h"
#include "kernel/kernel.h"

/* Entries of a row: at index, or all of them with index NULL. */
typedef struct smr_row {
    int64_t n;
    const int32_t *index;
    const double *x;
} smr_row;

/* buffer: as many doubles as there are features, for floats and bytes. */
static inline smr_row smr_row_of(const smr_rows *rows, int64_t i, double *buffer)
{
    int64_t d = rows->d, at = i * rows->stride;
    switch (rows->form) {
    case SMR_FORM_SPARSE:
        at = rows->start[i];
        return (smr_row){rows->start[i + 1] - at, rows->column + at, rows->value + at};
    case SMR_FORM_F32:
        for (int64_t j = 0; j < d; j++) buffer[j] = (double)((const float *)rows->x)[at + j];
        return (smr_row){d, NULL, buffer};
    case SMR_FORM_U8:
        for (int64_t j = 0; j < d; j++) buffer[j] = ((const uint8_t *)rows->x)[at + j];
        return (smr_row){d, NULL, buffer};
    default: return (smr_row){d, NULL, (const double *)rows->x + at};
    }
}

static inline double smr_row_dot(const smr_row *r, const double *w)
{
    if (!r->index) return smr_dot_f64(r->n, r->x, w);
    double s = 0;
    for (int64_t e = 0; e < r->n; e++) s += r->x[e] * w[r->index[e]];
    return s;
}

/* w += by x */
static inline void smr_row_add(const smr_row *r, double by, double *w)
{
    if (!r->index) smr_axpy_f64(r->n, by, r->x, w);
    for (int64_t e = 0; r->index && e < r->n; e++) w[r->index[e]] += by * r->x[e];
}

#endif
