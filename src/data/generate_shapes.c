/* generate_shapes.c -- classes that bend: moons, circles, spirals, xor, checkerboard, parity.
 *
 * Classes are exactly even: row i is the order[i]-th point, points are dealt to the classes in
 * turn, and lie evenly along their curve. */
#include "data/generate_parts.h"

#include <math.h>

/* Class and place of row i among K even classes: place t of `count` points of class k. */
struct seat {
    int64_t k, t, count;
};

static struct seat seat_of(const smr_making *m, int64_t i, int64_t K)
{
    int64_t place = m->order[i];
    return (struct seat){.k = place % K, .t = place / K, .count = (m->n - place % K + K - 1) / K};
}

/* Another class than y with probability flip. */
static double flipped(const smr_making *m, int64_t i, double flip, int64_t y)
{
    if (draw_unit(m, DRAW_FLIP, i, 0) >= flip) return (double)y;
    return (double)((y + 1 + draw_below(m, DRAW_FLIP, i, 1, m->n_classes - 1)) % m->n_classes);
}

/* ---- moons, circles, spirals ---------------------------------------------------------- */

struct curve {
    int64_t n;
    double noise;
    double factor; /* circles */
    int64_t classes;
    double turns; /* spirals */
};

static smr_status plan_curve(smr_ctx *ctx, smr_making *m, void *params)
{
    struct curve *p = params;
    if (p->classes == 0) p->classes = 2;
    m->n = p->n;
    m->d = 2;
    m->n_classes = p->classes;
    return smr_making_order(ctx, m);
}

static void add_noise(const smr_making *m, int64_t i, double sd, double *x)
{
    double z[2];
    draw_normals(m, DRAW_NOISE, i, 2, z);
    x[0] += sd * z[0];
    x[1] += sd * z[1];
}

/* Where place t of `count` of class k lies. */
static void moons_place(const struct curve *p, int64_t k, int64_t t, int64_t count, double *x)
{
    double u = count > 1 ? (double)t / (double)(count - 1) : 0;
    (void)p;
    x[0] = k ? 1 - smr_cos_pi(u) : smr_cos_pi(u);
    x[1] = k ? 0.5 - smr_sin_pi(u) : smr_sin_pi(u);
}

static void circles_place(const struct curve *p, int64_t k, int64_t t, int64_t count, double *x)
{
    double turn = 2 * (double)t / (double)count, r = k ? p->factor : 1;
    x[0] = r * smr_cos_pi(turn);
    x[1] = r * smr_sin_pi(turn);
}

static void spirals_place(const struct curve *p, int64_t k, int64_t t, int64_t count, double *x)
{
    double r = sqrt(((double)t + 0.5) / (double)count); /* as many points on each stretch */
    double turn = 2 * (p->turns * r + (double)k / (double)p->classes);
    x[0] = r * smr_cos_pi(turn);
    x[1] = r * smr_sin_pi(turn);
}

/* The noise is added along the curve: PLACES of its points stand for all. */
enum { PLACES = 1000 };

#define CURVE_TRUTH(name)                                                                         \
    static double name##_distance(const smr_making *m, const void *params, int64_t k, int64_t t,  \
                                  const double *x)                                                \
    {                                                                                             \
        double at[2];                                                                             \
        (void)m;                                                                                  \
        name##_place(params, k, t, PLACES, at);                                                   \
        return (x[0] - at[0]) * (x[0] - at[0]) + (x[1] - at[1]) * (x[1] - at[1]);                 \
    }                                                                                             \
    static void name##_truth(const smr_making *m, const void *params, const double *x, double *f) \
    {                                                                                             \
        const struct curve *p = params;                                                           \
        smr_making_posterior(m, params, name##_distance, PLACES, p->noise, x, f);                 \
    }
CURVE_TRUTH(moons)
CURVE_TRUTH(circles)
CURVE_TRUTH(spirals)

static void moons_row(const smr_making *m, const void *params, int64_t i, double *x, double *y)
{
    const struct curve *p = params;
    struct seat s = seat_of(m, i, 2);
    moons_place(p, s.k, s.t, s.count, x);
    add_noise(m, i, p->noise, x);
    *y = (double)s.k;
}

static void circles_row(const smr_making *m, const void *params, int64_t i, double *x, double *y)
{
    const struct curve *p = params;
    struct seat s = seat_of(m, i, 2);
    circles_place(p, s.k, s.t, s.count, x);
    add_noise(m, i, p->noise, x);
    *y = (double)s.k;
}

static void spirals_row(const smr_making *m, const void *params, int64_t i, double *x, double *y)
{
    const struct curve *p = params;
    struct seat s = seat_of(m, i, p->classes);
    spirals_place(p, s.k, s.t, s.count, x);
    add_noise(m, i, p->noise, x);
    *y = (double)s.k;
}

#define ROWS .def = 300, .min = 1, .max = SMR_MAX_ROWS, .doc = "Number of rows."

static const smr_make_param moons_params[] = {
    {MAKE_FIELD(struct curve, n), ROWS},
    {MAKE_FIELD(struct curve, noise), .def = 0.1, .min = 0, .max = 1e6,
     .doc = "Standard deviation of the noise on both coordinates."},
};

static const smr_make_param circles_params[] = {
    {MAKE_FIELD(struct curve, n), ROWS},
    {MAKE_FIELD(struct curve, noise), .def = 0.05, .min = 0, .max = 1e6,
     .doc = "Standard deviation of the noise on both coordinates."},
    {MAKE_FIELD(struct curve, factor), .def = 0.5, .min = 0, .max = 1,
     .doc = "Radius of the inner circle, class 1; that of the outer one is 1."},
};

static const smr_make_param spirals_params[] = {
    {MAKE_FIELD(struct curve, n), ROWS},
    {MAKE_FIELD(struct curve, classes), .def = 2, .min = 2, .max = 1000,
     .doc = "Number of arms, one per class."},
    {MAKE_FIELD(struct curve, turns), .def = 1.5, .min = 0, .max = 1000,
     .doc = "Number of turns of each arm."},
    {MAKE_FIELD(struct curve, noise), .def = 0.02, .min = 0, .max = 1e6,
     .doc = "Standard deviation of the noise on both coordinates."},
};

/* ---- xor ------------------------------------------------------------------------------ */

struct xor {
    int64_t n, d;
    double sd, flip;
};

static smr_status plan_xor(smr_ctx *ctx, smr_making *m, void *params)
{
    const struct xor *p = params;
    m->n = p->n;
    m->d = p->d;
    m->n_classes = 2;
    return smr_making_order(ctx, m);
}

static void xor_row(const smr_making *m, const void *params, int64_t i, double *x, double *y)
{
    const struct xor *p = params;
    int64_t corner = seat_of(m, i, 4).k, right = corner & 1, up = corner >> 1;
    draw_normals(m, DRAW_X, i, p->d, x);
    x[0] = (right ? 1 : -1) + p->sd * x[0];
    x[1] = (up ? 1 : -1) + p->sd * x[1];
    *y = flipped(m, i, p->flip, right ^ up);
}

static double xor_distance(const smr_making *m, const void *params, int64_t k, int64_t t,
                           const double *x)
{
    double right = t ? 1 : -1, up = k ? -right : right;
    (void)m, (void)params;
    return (x[0] - right) * (x[0] - right) + (x[1] - up) * (x[1] - up);
}

static void xor_truth(const smr_making *m, const void *params, const double *x, double *f)
{
    const struct xor *p = params;
    smr_making_posterior(m, params, xor_distance, 2, p->sd, x, f);
    smr_making_flip(2, p->flip, f);
}

static const smr_make_param xor_params[] = {
    {MAKE_FIELD(struct xor, n), ROWS},
    {MAKE_FIELD(struct xor, d), .def = 2, .min = 2, .max = SMR_MAX_COLUMNS,
     .doc = "Number of columns; those after the second are standard normal noise."},
    {MAKE_FIELD(struct xor, sd), .def = 0.3, .min = 0, .max = 1e6,
     .doc = "Standard deviation around each corner."},
    {MAKE_FIELD(struct xor, flip), .def = 0, .min = 0, .max = 1,
     .doc = "Share of rows that are given the wrong class."},
};

/* ---- checkerboard --------------------------------------------------------------------- */

struct checkerboard {
    int64_t n, cells;
    double flip;
};

static smr_status plan_checkerboard(smr_ctx *ctx, smr_making *m, void *params)
{
    const struct checkerboard *p = params;
    (void)ctx;
    m->n = p->n;
    m->d = 2;
    m->n_classes = 2;
    return SMR_OK;
}

static void checkerboard_row(const smr_making *m, const void *params, int64_t i, double *x,
                             double *y)
{
    const struct checkerboard *p = params;
    for (int64_t j = 0; j < 2; j++) x[j] = (double)p->cells * draw_unit(m, DRAW_X, i, j);
    *y = flipped(m, i, p->flip, ((int64_t)x[0] + (int64_t)x[1]) & 1);
}

static void checkerboard_truth(const smr_making *m, const void *params, const double *x, double *f)
{
    const struct checkerboard *p = params;
    (void)m;
    f[1] = (double)(((int64_t)x[0] + (int64_t)x[1]) & 1);
    f[0] = 1 - f[1];
    smr_making_flip(2, p->flip, f);
}

static const smr_make_param checkerboard_params[] = {
    {MAKE_FIELD(struct checkerboard, n), .def = 1000, .min = 1, .max = SMR_MAX_ROWS,
     .doc = "Number of rows."},
    {MAKE_FIELD(struct checkerboard, cells), .def = 4, .min = 1, .max = 1e6,
     .doc = "Number of cells along a side."},
    {MAKE_FIELD(struct checkerboard, flip), .def = 0, .min = 0, .max = 1,
     .doc = "Share of rows that are given the wrong class."},
};

/* ---- parity --------------------------------------------------------------------------- */

struct parity {
    int64_t n, d, relevant;
    double flip;
};

static smr_status plan_parity(smr_ctx *ctx, smr_making *m, void *params)
{
    struct parity *p = params;
    if (p->relevant > p->d)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "parity: relevant=%lld bits of d=%lld column%s; raise d",
                        (long long)p->relevant, (long long)p->d, smr_plural(p->d, "", "s"));
    if (p->n == 0 && p->d > 30)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "parity: n=0 makes all 2^d rows, and d=%lld is more than 30; give n",
                        (long long)p->d);
    if (p->relevant == 0) p->relevant = p->d;
    m->n = p->n ? p->n : INT64_C(1) << p->d;
    m->d = p->d;
    m->n_classes = 2;
    smr_making_note(m, "relevant", -1, 1, (double[]){(double)p->relevant});
    return SMR_OK;
}

static void parity_row(const smr_making *m, const void *params, int64_t i, double *x, double *y)
{
    const struct parity *p = params;
    int64_t sum = 0;
    for (int64_t j = 0; j < p->d; j++) {
        int64_t bit = p->n ? draw_below(m, DRAW_X, i, j, 2) : (i >> j) & 1;
        x[j] = (double)bit;
        if (j < p->relevant) sum += bit;
    }
    *y = flipped(m, i, p->flip, sum & 1);
}

static void parity_truth(const smr_making *m, const void *params, const double *x, double *f)
{
    const struct parity *p = params;
    int64_t sum = 0;
    (void)m;
    for (int64_t j = 0; j < p->relevant; j++) sum += (int64_t)x[j];
    f[1] = (double)(sum & 1);
    f[0] = 1 - f[1];
    smr_making_flip(2, p->flip, f);
}

static const smr_make_param parity_params[] = {
    {MAKE_FIELD(struct parity, n), .def = 0, .min = 0, .max = SMR_MAX_ROWS,
     .doc = "Number of rows; 0: each of the 2^d possible rows once."},
    {MAKE_FIELD(struct parity, d), .def = 4, .min = 1, .max = SMR_MAX_COLUMNS,
     .doc = "Number of columns, each 0 or 1."},
    {MAKE_FIELD(struct parity, relevant), .def = 0, .min = 0, .max = SMR_MAX_COLUMNS,
     .doc = "Number of columns, the first ones, that decide the class; 0: all."},
    {MAKE_FIELD(struct parity, flip), .def = 0, .min = 0, .max = 1,
     .doc = "Share of rows that are given the wrong class."},
};

/* ---- the descriptors ------------------------------------------------------------------ */

#define CLASSES(struct_, rows_, plan_, name_)                                 \
    .task = SMR_TASK_CLASSIFY, .params = rows_, .n_params = SMR_COUNT(rows_), \
    .params_size = sizeof(struct struct_), .plan = plan_, .row = name_##_row, \
    .truth = name_##_truth

const smr_generator smr_make_moons = {
    .name = "moons",
    .title = "Two half circles",
    .doc = "(cos a, sin a) and (1 - cos a, 1/2 - sin a), a in [0, pi], with noise.",
    CLASSES(curve, moons_params, plan_curve, moons),
};

const smr_generator smr_make_circles = {
    .name = "circles",
    .title = "A circle in a circle",
    .doc = "Radius 1 for class 0 and `factor` for class 1, with noise.",
    CLASSES(curve, circles_params, plan_curve, circles),
};

const smr_generator smr_make_spirals = {
    .name = "spirals",
    .title = "Spiral arms",
    .doc = "Arm k: radius r in [0, 1] at the angle 2 pi (turns r + k / classes), with noise.",
    CLASSES(curve, spirals_params, plan_curve, spirals),
};

const smr_generator smr_make_xor = {
    .name = "xor",
    .title = "Exclusive or",
    .doc = "Four clouds: at (-1, -1) and (1, 1) class 0, at (-1, 1) and (1, -1) class 1.",
    CLASSES(xor, xor_params, plan_xor, xor),
};

const smr_generator smr_make_checkerboard = {
    .name = "checkerboard",
    .title = "Checkerboard",
    .doc = "Uniform on a square of cells; the class is the parity of floor(x0) + floor(x1).",
    CLASSES(checkerboard, checkerboard_params, plan_checkerboard, checkerboard),
};

const smr_generator smr_make_parity = {
    .name = "parity",
    .title = "Parity of bits",
    .doc = "Columns of 0 and 1; the class is the parity of the first `relevant` of them.",
    CLASSES(parity, parity_params, plan_parity, parity),
};
