/* fit_report.c -- what a fit reports about itself, and its training curve; see fit_report.h.
 *
 * How many iterations lie between two points follows from their number alone (the least power of
 * two that makes the curve short enough), so that a file need not keep it and the curve of n
 * iterations is the same however they were counted. */
#include "learn/fit_report.h"

enum { FIRST_ROOM = 64 }; /* of a record; a power of two */

static int64_t iterations_a_point(int64_t n_iter)
{
    int64_t every = 1;
    while (every < n_iter && (n_iter - 1) / every + 1 > SMR_CURVE_MAX) every *= 2;
    return every;
}

int64_t smr_fit_points(int64_t n_iter)
{
    return n_iter > 0 ? (n_iter - 1) / iterations_a_point(n_iter) + 1 : 0;
}

int64_t smr_fit_iteration(const smr_fit_report *r, int64_t i)
{
    return SMR_MIN(r->n_iter, (i + 1) * iterations_a_point(r->n_iter));
}

/* The last point moves on with the iterations until its place on the grid is reached; a curve that
 * is full keeps every second point. */
smr_status smr_fit_step(smr_ctx *ctx, smr_fit_report *r, double objective)
{
    if (!r->curve) {
        r->curve = smr_alloc(ctx, SMR_CURVE_MAX, sizeof *r->curve);
        if (!r->curve) return SMR_ERR_NOMEM;
        r->n_iter = 0;
    }
    if (iterations_a_point(r->n_iter + 1) > iterations_a_point(r->n_iter))
        for (int64_t i = 0; i < SMR_CURVE_MAX / 2; i++) r->curve[i] = r->curve[2 * i + 1];
    r->n_iter++;
    r->n_curve = smr_fit_points(r->n_iter);
    r->curve[r->n_curve - 1] = objective;
    r->objective = objective;
    return SMR_OK;
}

smr_status smr_fit_record(smr_ctx *ctx, int64_t n, double value, double **record)
{
    if (n == 0 || (n >= FIRST_ROOM && (n & (n - 1)) == 0)) {
        double *wider =
            smr_realloc(ctx, *record, SMR_MAX(2 * n, (int64_t)FIRST_ROOM), sizeof *wider);
        if (!wider) return SMR_ERR_NOMEM;
        *record = wider;
    }
    (*record)[n] = value;
    return SMR_OK;
}

void smr_fit_report_release(smr_fit_report *r)
{
    smr_free(r->curve);
    smr_free(r->left_out);
    smr_free(r->left_out_by);
    r->curve = r->left_out = NULL;
    r->left_out_by = NULL;
    r->n_curve = 0;
}

void smr_fit_report_json(const smr_fit_report *r, smr_json *into)
{
    smr_json_add_number(into, "iterations", (double)r->n_iter);
    smr_json_add_number(into, "objective", r->objective);
    smr_json_add_bool(into, "converged", r->converged);
    if (!r->n_curve) return;
    smr_json *curve = smr_json_add_object(into, "curve");
    smr_json *at = smr_json_add_array(curve, "iteration");
    for (int64_t i = 0; i < r->n_curve; i++)
        smr_json_add_number(at, NULL, (double)smr_fit_iteration(r, i));
    smr_json_add_numbers(curve, "objective", r->curve, r->n_curve);
}
