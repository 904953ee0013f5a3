/* generate_classes.c -- classes that are clouds: blobs, two normal classes with a known least
 * error, and many columns of which few inform.
 *
 * Reference for `classification`: Guyon, "Design of experiments for the NIPS 2003 variable
 * selection benchmark" (the Madelon construction). */
#include "data/generate_parts.h"

#include "kernel/kernel.h"
#include "math/factor.h"
#include "math/special.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- blobs ---------------------------------------------------------------------------- */

struct blobs {
    int64_t n, d, classes;
    double sd, spread;
    smr_make_list centres;
};

static smr_status plan_blobs(smr_ctx *ctx, smr_making *m, void *params)
{
    const struct blobs *p = params;
    smr_status st = SMR_OK;
    if (p->centres.n > 0 && p->centres.n != p->classes * p->d)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "blobs: centres has %" PRId64 " numbers; %" PRId64 " classes of %" PRId64
                        " columns need %" PRId64,
                        p->centres.n, p->classes, p->d, p->classes * p->d);
    m->n = p->n;
    m->d = p->d;
    m->n_classes = p->classes;
    TRY(smr_making_order(ctx, m));
    TRY(smr_making_shared(ctx, m, p->classes * p->d));
    for (int64_t k = 0; k < p->classes; k++) {
        double *centre = m->shared + k * p->d;
        for (int64_t j = 0; j < p->d; j++)
            centre[j] = p->centres.n > 0 ? p->centres.value[k * p->d + j]
                                         : p->spread * (2 * draw_unit(m, DRAW_SHARED, k, j) - 1);
        smr_making_note(m, "centre", k, p->d, centre);
    }
out:
    return st;
}

static void blobs_row(const smr_making *m, const void *params, int64_t i, double *x, double *y)
{
    const struct blobs *p = params;
    int64_t k = m->order[i] % p->classes;
    draw_normals(m, DRAW_X, i, p->d, x);
    for (int64_t j = 0; j < p->d; j++) x[j] = m->shared[k * p->d + j] + p->sd * x[j];
    *y = (double)k;
}

static double blobs_distance(const smr_making *m, const void *params, int64_t k, int64_t t,
                             const double *x)
{
    const struct blobs *p = params;
    (void)t;
    return smr_l2sq_f64(p->d, x, m->shared + k * p->d);
}

static void blobs_truth(const smr_making *m, const void *params, const double *x, double *f)
{
    const struct blobs *p = params;
    smr_making_posterior(m, params, blobs_distance, 1, p->sd, x, f);
}

static const smr_make_param blobs_params[] = {
    {MAKE_FIELD(struct blobs, n), .def = 300, .min = 1, .max = SMR_MAX_ROWS,
     .doc = "Number of rows."},
    {MAKE_FIELD(struct blobs, d), .def = 2, .min = 1, .max = SMR_MAX_COLUMNS,
     .doc = "Number of columns."},
    {MAKE_FIELD(struct blobs, classes), .def = 3, .min = 1, .max = 1e5,
     .doc = "Number of clouds, each with equally many rows."},
    {MAKE_FIELD(struct blobs, sd), .def = 1, .min = 0, .max = 1e6,
     .doc = "Standard deviation around a centre, the same in all directions."},
    {MAKE_FIELD(struct blobs, spread), .def = 10, .min = 0, .max = 1e6,
     .doc = "Centres are drawn from the cube [-spread, spread]^d."},
    {MAKE_FIELD(struct blobs, centres), .min = -1e9, .max = 1e9,
     .doc = "The centres, one after another: classes times d numbers, separated by commas."},
};

/* ---- two normal classes --------------------------------------------------------------- */

struct twoclass {
    int64_t n, d;
    double distance, prior;
};

/* Along the line between the means the classes are N(-D/2, 1) and N(D/2, 1); the best rule says 1
 * above c = log((1 - q)/q) / D and errs with probability (1-q) Phi(-c - D/2) + q Phi(c - D/2). */
static double least_error(double D, double q)
{
    if (q == 0 || q == 1) return 0;
    if (D == 0) return smr_fmin(q, 1 - q);
    double c = smr_log((1 - q) / q) / D;
    return (1 - q) * smr_normal_cdf(-c - 0.5 * D) + q * smr_normal_cdf(c - 0.5 * D);
}

static smr_status plan_twoclass(smr_ctx *ctx, smr_making *m, void *params)
{
    const struct twoclass *p = params;
    double error = least_error(p->distance, p->prior);
    (void)ctx;
    m->n = p->n;
    m->d = p->d;
    m->n_classes = 2;
    smr_making_note(m, LEAST_ERROR, -1, 1, &error);
    return SMR_OK;
}

static void twoclass_row(const smr_making *m, const void *params, int64_t i, double *x, double *y)
{
    const struct twoclass *p = params;
    bool one = draw_unit(m, DRAW_LABEL, i, 0) < p->prior;
    double shift = 0.5 * p->distance / sqrt((double)p->d);
    draw_normals(m, DRAW_X, i, p->d, x);
    for (int64_t j = 0; j < p->d; j++) x[j] += one ? shift : -shift;
    *y = one;
}

/* The log of the odds of class 1 is log(q / (1 - q)) + 2 m' x, with m the mean of class 1. */
static void twoclass_truth(const smr_making *m, const void *params, const double *x, double *f)
{
    const struct twoclass *p = params;
    double shift = 0.5 * p->distance / sqrt((double)p->d), sum = 0;
    (void)m;
    for (int64_t j = 0; j < p->d; j++) sum += x[j];
    double against = (1 - p->prior) * smr_exp(-2 * shift * sum); /* inf: surely class 0 */
    f[1] = p->prior > 0 ? p->prior / (p->prior + against) : 0;
    f[0] = 1 - f[1];
}

static const smr_make_param twoclass_params[] = {
    {MAKE_FIELD(struct twoclass, n), .def = 300, .min = 1, .max = SMR_MAX_ROWS,
     .doc = "Number of rows."},
    {MAKE_FIELD(struct twoclass, d), .def = 2, .min = 1, .max = SMR_MAX_COLUMNS,
     .doc = "Number of columns."},
    {MAKE_FIELD(struct twoclass, distance), .def = 2, .min = 0, .max = 1e6,
     .doc = "Distance between the two means, in standard deviations."},
    {MAKE_FIELD(struct twoclass, prior), .def = 0.5, .min = 0, .max = 1,
     .doc = "Probability of class 1."},
};

/* ---- classification ------------------------------------------------------------------- */

struct classification {
    int64_t n, d, informative, redundant, classes, clusters;
    double separation, flip;
};

enum { MOST_INFORMATIVE = 1000 };

/* Layout of m->shared: corners (C x q), then a q x q mix for each of the C clusters, then the
 * q x r mix of the redundant columns, then the inverses of the C mixes, and the logarithms of their
 * |determinants|; q informative, r redundant, C = classes * clusters. */
static double *corner_of(const smr_making *m, const struct classification *p, int64_t c)
{
    return m->shared + c * p->informative;
}

static double *mix_of(const smr_making *m, const struct classification *p, int64_t c)
{
    int64_t q = p->informative, C = p->classes * p->clusters;
    return m->shared + C * q + c * q * q;
}

static double *redundant_mix(const smr_making *m, const struct classification *p)
{
    return mix_of(m, p, p->classes * p->clusters);
}

static double *inverse_of(const smr_making *m, const struct classification *p, int64_t c)
{
    int64_t q = p->informative;
    return redundant_mix(m, p) + q * p->redundant + c * q * q;
}

static double *log_det_of(const smr_making *m, const struct classification *p, int64_t c)
{
    return inverse_of(m, p, p->classes * p->clusters) + c;
}

static bool same_corner(int64_t q, const double *a, const double *b)
{
    for (int64_t j = 0; j < q; j++)
        if (a[j] != b[j]) return false;
    return true;
}

/* Distinct corners of the cube {-1, 1}^q; a corner that is taken is drawn again. */
static void draw_corners(smr_making *m, const struct classification *p)
{
    int64_t attempt = 0;
    for (int64_t c = 0; c < p->classes * p->clusters; attempt++) {
        double *corner = corner_of(m, p, c);
        bool taken = false;
        for (int64_t j = 0; j < p->informative; j++)
            corner[j] = draw_below(m, DRAW_SHARED, attempt, j, 2) ? 1 : -1;
        for (int64_t b = 0; b < c && !taken; b++)
            taken = same_corner(p->informative, corner, corner_of(m, p, b));
        c += !taken;
    }
}

static smr_status check_classification(smr_ctx *ctx, const struct classification *p)
{
    if (p->informative + p->redundant > p->d)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "classification: informative=%" PRId64 " and redundant=%" PRId64
                        " are more than d=%" PRId64 " columns",
                        p->informative, p->redundant, p->d);
    if (p->informative < 40 && p->classes * p->clusters > INT64_C(1) << p->informative)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "classification: %" PRId64 " classes of %" PRId64
                        " clusters need more corners than the 2^%" PRId64 " of informative=%" PRId64
                        "; raise it",
                        p->classes, p->clusters, p->informative, p->informative);
    return SMR_OK;
}

static smr_status invert_mixes(smr_ctx *ctx, smr_making *m, const struct classification *p)
{
    smr_status st = SMR_OK;
    int64_t q = p->informative, singular = -1;
    int32_t *pivot = NULL;
    TRY_NEW(pivot, q);
    for (int64_t c = 0; c < p->classes * p->clusters; c++) {
        double *W = inverse_of(m, p, c), *log_det = log_det_of(m, p, c);
        memcpy(W, mix_of(m, p, c), (size_t)(q * q) * sizeof *W);
        TRY(smr_lu(ctx, q, W, q, pivot, &singular));
        if (singular >= 0)
            TRY(smr_fail(ctx, SMR_ERR_NUMERIC,
                         "classification: a cloud of this seed is flat; use another seed"));
        for (int64_t j = 0; j < q; j++) *log_det += smr_log(fabs(W[j * q + j]));
        TRY(smr_lu_inverse(ctx, q, W, q, pivot));
    }
out:
    smr_free(pivot);
    return st;
}

static smr_status plan_classification(smr_ctx *ctx, smr_making *m, void *params)
{
    const struct classification *p = params;
    int64_t q = p->informative, C = p->classes * p->clusters;
    int64_t mixes = C * q * q + q * p->redundant;
    smr_status st = SMR_OK;
    TRY(check_classification(ctx, p));
    m->n = p->n;
    m->d = p->d;
    m->n_classes = p->classes;
    TRY(smr_making_order(ctx, m));
    TRY(smr_making_shared(ctx, m, C * q + mixes + C * q * q + C));
    draw_corners(m, p);
    for (int64_t e = 0; e < mixes; e++)
        mix_of(m, p, 0)[e] = 2 * draw_unit(m, DRAW_SHARED, e, q) - 1;
    TRY(invert_mixes(ctx, m, p));
    smr_making_note(m, "informative", -1, 1, (double[]){(double)q});
    smr_making_note(m, "redundant", -1, 1, (double[]){(double)p->redundant});
out:
    return st;
}

static void classification_row(const smr_making *m, const void *params, int64_t i, double *x,
                               double *y)
{
    const struct classification *p = params;
    int64_t q = p->informative, c = m->order[i] % (p->classes * p->clusters), k = c % p->classes;
    const double *corner = corner_of(m, p, c), *A = mix_of(m, p, c), *B = redundant_mix(m, p);

    draw_normals(m, DRAW_NOISE, i, p->d - q, x + q); /* useless columns keep these */
    for (int64_t j = 0; j < q; j++) x[j] = p->separation * corner[j];
    for (int64_t a = 0; a < q; a += 2) { /* x += z A, z drawn two at a time */
        double z[2];
        smr_random_normals(m->seed, SMR_STREAM_GENERATE, draw_key(DRAW_X, a / 2), (uint64_t)i, z);
        for (int64_t b = 0; b < 2 && a + b < q; b++)
            for (int64_t j = 0; j < q; j++) x[j] += z[b] * A[(a + b) * q + j];
    }
    for (int64_t r = 0; r < p->redundant; r++) {
        double sum = 0;
        for (int64_t j = 0; j < q; j++) sum += x[j] * B[j * p->redundant + r];
        x[q + r] = sum;
    }
    if (draw_unit(m, DRAW_FLIP, i, 0) < p->flip) k = draw_below(m, DRAW_FLIP, i, 1, p->classes);
    *y = (double)k;
}

/* log of the density of cloud c at x, but for what all clouds have in common: x is corner + z A, z
 * normal.  Redundant columns follow from the others, and the useless ones are alike everywhere. */
static double log_density(const smr_making *m, const struct classification *p, int64_t c,
                          const double *x)
{
    const double *corner = corner_of(m, p, c), *W = inverse_of(m, p, c);
    int64_t q = p->informative;
    double z[MOST_INFORMATIVE] = {0}, square = 0;
    for (int64_t j = 0; j < q; j++)
        for (int64_t a = 0; a < q; a++) z[a] += (x[j] - p->separation * corner[j]) * W[j * q + a];
    for (int64_t a = 0; a < q; a++) square += z[a] * z[a];
    return -0.5 * square - *log_det_of(m, p, c);
}

/* All clouds have as many rows, within one; a flipped class is any of them. */
static void classification_truth(const smr_making *m, const void *params, const double *x,
                                 double *f)
{
    const struct classification *p = params;
    int64_t K = p->classes;
    double top = -INFINITY, total = 0;
    memset(f, 0, (size_t)K * sizeof *f);
    for (int64_t c = 0; c < K * p->clusters; c++) {
        double l = log_density(m, p, c, x);
        for (int64_t k = 0; k < K && l > top; k++) f[k] *= smr_exp(top - l);
        top = smr_fmax(top, l);
        f[c % K] += smr_exp(l - top);
    }
    for (int64_t k = 0; k < K; k++) total += f[k];
    for (int64_t k = 0; k < K; k++) f[k] = (1 - p->flip) * f[k] / total + p->flip / (double)K;
}

static const smr_make_param classification_params[] = {
    {MAKE_FIELD(struct classification, n), .def = 1000, .min = 1, .max = SMR_MAX_ROWS,
     .doc = "Number of rows."},
    {MAKE_FIELD(struct classification, d), .def = 20, .min = 1, .max = SMR_MAX_COLUMNS,
     .doc = "Number of columns: first the informative ones, then the redundant ones, then noise."},
    {MAKE_FIELD(struct classification, informative), .def = 5, .min = 1, .max = MOST_INFORMATIVE,
     .doc = "Number of columns in which the classes differ."},
    {MAKE_FIELD(struct classification, redundant), .def = 2, .min = 0, .max = 1e5,
     .doc = "Number of columns that are random combinations of the informative ones."},
    {MAKE_FIELD(struct classification, classes), .def = 2, .min = 2, .max = 1000,
     .doc = "Number of classes."},
    {MAKE_FIELD(struct classification, clusters), .def = 2, .min = 1, .max = 1000,
     .doc = "Number of clouds per class."},
    {MAKE_FIELD(struct classification, separation), .def = 1, .min = 0, .max = 1e6,
     .doc = "Half the side of the cube at whose corners the clouds lie."},
    {MAKE_FIELD(struct classification, flip), .def = 0.01, .min = 0, .max = 1,
     .doc = "Share of rows whose class is drawn at random."},
};

/* ---- the descriptors ------------------------------------------------------------------ */

const smr_generator smr_make_blobs = {
    .name = "blobs",
    .title = "Round clouds",
    .doc = "Class k is N(centre_k, sd^2 I).",
    .task = SMR_TASK_CLASSIFY,
    .params = blobs_params,
    .n_params = SMR_COUNT(blobs_params),
    .params_size = sizeof(struct blobs),
    .plan = plan_blobs,
    .row = blobs_row,
    .truth = blobs_truth,
};

const smr_generator smr_make_twoclass = {
    .name = "twoclass",
    .title = "Two normal classes",
    .doc = "N(-m, I) and N(m, I), |2 m| = distance; the notes give the smallest possible error.",
    .task = SMR_TASK_CLASSIFY,
    .params = twoclass_params,
    .n_params = SMR_COUNT(twoclass_params),
    .params_size = sizeof(struct twoclass),
    .plan = plan_twoclass,
    .row = twoclass_row,
    .truth = twoclass_truth,
};

const smr_generator smr_make_classification = {
    .name = "classification",
    .title = "Few informative columns among many",
    .doc = "Clouds z A at the corners of a cube, columns that combine these, and columns of noise.",
    .task = SMR_TASK_CLASSIFY,
    .params = classification_params,
    .n_params = SMR_COUNT(classification_params),
    .params_size = sizeof(struct classification),
    .plan = plan_classification,
    .row = classification_row,
    .truth = classification_truth,
};
