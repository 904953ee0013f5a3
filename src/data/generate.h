/* generate.h -- tables made to measure: `samara make NAME key=value ...`.
 *
 * A table is a pure function of the generator, its settings and the seed.  Row i is drawn from
 * the counter (seed, purpose, i), so rows are made in parallel with the same bits at any thread
 * count, and with the same bits on every machine: only + - * / sqrt and samara's own log, sine
 * and arc tangent.
 *
 * Features are the columns x0, x1, ...; the last column is the target y: a category with the
 * levels "0", "1", ... or a number.  What a learner should find (coefficients, centres, the
 * least possible error) is in the table's notes. */
#ifndef SMR_DATA_GENERATE_H
#define SMR_DATA_GENERATE_H

#include "data/data.h"

typedef enum smr_make_type {
    SMR_MAKE_REAL, /* double                       */
    SMR_MAKE_INT,  /* int64_t                      */
    SMR_MAKE_LIST  /* smr_make_list: 1,2.5,-3      */
} smr_make_type;

typedef struct smr_make_list {
    int64_t n;
    double *value; /* owned by the call that parsed it */
} smr_make_list;

typedef struct smr_make_param {
    const char *name;
    smr_make_type type;
    size_t offset;        /* in the generator's parameter struct        */
    double def;           /* default of REAL and INT                    */
    const char *def_list; /* default of LIST; NULL: chosen at random    */
    double min, max;      /* allowed, both ends included                */
    const char *doc;
} smr_make_param;

struct smr_making;

typedef struct smr_generator {
    const char *name;
    const char *title;
    const char *doc; /* what is drawn, in plain symbols */
    smr_task task;
    const smr_make_param *params;
    int64_t n_params;
    size_t params_size;
    /* Sets rows, features and classes, draws what all rows share, and notes what there is to
     * find. */
    smr_status (*plan)(smr_ctx *ctx, struct smr_making *m, void *params);
    /* Draws row i: x[0..d) and *y (a number, or the class). */
    void (*row)(const struct smr_making *m, const void *params, int64_t i, double *x, double *y);
    /* What is known of y at the point x[0..d): numbers, f[0] = E(y | x), about which y is normal
     * with the setting `noise` as its deviation; classes, f[k] = P(class k | x).  NULL: not known
     * in closed form. */
    void (*truth)(const struct smr_making *m, const void *params, const double *x, double *f);
} smr_generator;

/* All generators, by name. */
const smr_generator *const *smr_generators(int64_t *n);
/* By name, or NULL; friedman is friedman1. */
const smr_generator *smr_generator_find(const char *name);

typedef struct smr_setting {
    const char *key, *value;
} smr_setting;

/* Settings from words "key=value"; any other word is an error. */
typedef struct smr_settings {
    int64_t n;
    smr_setting *list; /* with room for one more */
    char *text;        /* the keys               */
} smr_settings;

smr_status smr_settings_parse(smr_ctx *ctx, const char *const *words, int64_t n, smr_settings *out);
void smr_settings_release(smr_settings *settings);

/* Makes a table.  The error for an unknown name or key names the nearest right one, that for a
 * value out of range the range. */
smr_status smr_generate(smr_ctx *ctx, const char *name, const smr_setting *settings,
                        int64_t n_settings, uint64_t seed, smr_table **out);

/* What is known about rows first .. n_rows - 1 of a table that was made. */
typedef struct smr_truth {
    int64_t first, n;
    int64_t width; /* of a row of f: 1, or the classes      */
    double *f;     /* n x width, see truth above; NULL: not known */
    double noise;  /* numbers: deviation of y about f       */
} smr_truth;

/* The same table, and what is known about its rows from `first` on; release the truth. */
smr_status smr_generate_known(smr_ctx *ctx, const char *name, const smr_setting *settings,
                              int64_t n_settings, uint64_t seed, int64_t first, smr_table **out,
                              smr_truth *truth);
void smr_truth_release(smr_truth *truth);

#endif
