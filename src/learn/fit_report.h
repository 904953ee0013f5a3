/* fit_report.h -- what a fit is told, and what it reports about itself. */
#ifndef SMR_LEARN_FIT_REPORT_H
#define SMR_LEARN_FIT_REPORT_H

#include "core/json.h"

/* What a fit reports about itself.  Left as it is: a closed form, nothing to report.
 *
 * An iterative learner calls smr_fit_step after each iteration: that counts it, notes the objective
 * and grows the training curve.  The curve holds at most SMR_CURVE_MAX points, one for every 1, 2,
 * 4 ... iterations, whichever fits: point i is the objective after iteration
 * smr_fit_iteration(report, i), and the last point is the last iteration. */
enum { SMR_CURVE_MAX = 1000 };

struct smr_learner;
struct smr_stage; /* learn/learner.h, as are shapes */
struct smr_shape;
struct smr_checkpoint;
struct smr_trace;

/* Where a fit begins: at what a stage of the same learner found before (SMR_WARM_STARTS).  Classes
 * are numbered as they were, new ones after them, and features are known by their names: a learner
 * takes what matches, and if nothing does, it begins as if there were none. */
typedef struct smr_warm_start {
    const struct smr_stage *stage; /* its parameters may be others */
    const struct smr_shape *shape; /* what it was fitted to        */
} smr_warm_start;

typedef struct smr_fit_report {
    /* Told to the fit. */
    const struct smr_learner *learner; /* which learner is fitted: variants share a fit */
    bool tells;         /* asks for a line in the log when a stage is fitted; not of members */
    bool keep_left_out; /* asks for what parts fitted without a row say about it, where the learner
                           knows */
    bool is_free;       /* of a transform: what comes after it SMR_FITS_FREELY */
    const smr_warm_start *warm;        /* where to begin; NULL: at the beginning */
    struct smr_checkpoint *checkpoint; /* where the work is kept (learn/checkpoint.h); NULL:
                                          nowhere */
    struct smr_trace *trace;           /* who watches the steps (learn/trace.h); NULL: nobody */
    /* Reported by it. */
    int64_t n_iter;
    double objective; /* NaN: none */
    bool converged;
    bool is_warm;  /* it began at `warm`: all of it, or what matched */
    double *curve; /* n_curve; NULL: none; owned */
    int64_t n_curve;
    double
        *left_out; /* owned; rows x width: the mean of what parts fitted without the row say; NaN */
    int32_t *left_out_by; /* rows: how many parts those are */
} smr_fit_report;

smr_status smr_fit_step(smr_ctx *ctx, smr_fit_report *report, double objective);
/* Number n of a record that keeps every iteration, and grows by doubling; *record NULL before the
 * first; owned. */
smr_status smr_fit_record(smr_ctx *ctx, int64_t n, double value, double **record);
/* The iteration of point i, from 1; and how many points n_iter iterations have. */
int64_t smr_fit_iteration(const smr_fit_report *report, int64_t i);
int64_t smr_fit_points(int64_t n_iter);
/* Frees the arrays; code that hands a report to fit releases it afterwards. */
void smr_fit_report_release(smr_fit_report *report);
/* Adds iterations, objective, converged and, where there is one, "curve" {iteration, objective}. */
void smr_fit_report_json(const smr_fit_report *report, smr_json *into);

#endif
