/* fixtures.h -- small tables and the steps that every contract check is made of. */
#ifndef SMR_TESTS_FIXTURES_H
#define SMR_TESTS_FIXTURES_H

#include "check.h"
#include "core/rng.h"
#include "data/table.h"
#include "learn/model.h"
#include "learn/registry.h"
#include "sentence.h"

/* What a fixture table has.  n = 61 rows, d = 5 numbers with different scales and no ties. */
enum {
    WITH_CLASSES = 1,  /* target "t": categories a, b, c, told by the features with some noise   */
    WITH_GAPS = 2,     /* some numbers are missing                                               */
    WITH_CATEGORY = 4, /* a category "colour": red, green, blue                                  */
    WITH_WEIGHTS = 8,  /* a column "w" of small whole numbers                                    */
    AS_FLOATS = 16,    /* features are float, in one row-major block                             */
    AS_BYTES = 32,     /* features are bytes 0..255, in one row-major block                      */
    AS_SPARSE = 64,    /* features are a CSR block, two thirds zeros                             */
    SPARSE_AS_DENSE =
        128,           /* the numbers of AS_SPARSE in ordinary columns                           */
    WITH_LEVELS = 256, /* a category "place" of 11 levels, some rare, that tell of the target  */
    WITH_TEXT = 512    /* a category "said" whose levels are short texts                       */
};

enum { FIXTURE_ROWS = 61, FIXTURE_COLS = 5 };

/* A table with features x0 .. x4 (sparse: unnamed) and the target "t". */
smr_table *fixture(smr_ctx *ctx, unsigned with);
/* The same with n rows and d features. */
smr_table *fixture_sized(smr_ctx *ctx, unsigned with, int64_t n, int64_t d);
/* Copies rows (with repeats) and columns (by position) into a new table. */
smr_table *fixture_copy(smr_ctx *ctx, const smr_table *from, const int64_t *rows, int64_t n,
                        const int64_t *cols, int64_t n_cols);

/* The first task a learner does: classify, regress, sequence, or none for transforms. */
smr_task fixture_task(const smr_learner *learner, int which);
/* Fixture flags for a task. */
unsigned fixture_for(smr_task task);

/* Trains and returns NULL on failure, with the message in the context. */
smr_model *fixture_train(smr_ctx *ctx, const char *sentence, const smr_table *table, smr_task task,
                         const char *weight);

/* The output of a model that says most: probabilities, values or features; allocated, *n values. */
double *fixture_predict(smr_ctx *ctx, const smr_model *model, const smr_table *table, int64_t *n);
smr_output fixture_output(const smr_model *model);

/* ---- every learner, every check ---- */

/* A learner, one of the tasks that it does, and a sentence that tries it: with its defaults, and
 * members where it needs some. */
struct subject {
    const smr_learner *learner;
    smr_task task;
    char sentence[128];
    char name[160]; /* of the test */
};

/* Trains the subject's sentence; fails the test where that does not work. */
smr_model *must_train(smr_ctx *ctx, const struct subject *s, const smr_table *table,
                      const char *weight);

struct check {
    const char *name;
    void (*run)(smr_ctx *ctx, const struct subject *s);
};
#define CHECK(f) \
    {            \
#f, f    \
    }

struct suite {
    const char *name;
    const struct check *checks;
    int64_t n_checks;
    int threads;       /* of the context that a check gets                           */
    bool once;         /* for each learner, not for each of its tasks                */
    bool of_sequences; /* also for learners of sequences; others take rows one by one, and what
                          holds of sequences is in tasks/ */
    /* Is this check for this learner and task?  NULL: all are. */
    bool (*is_for)(const struct check *check, const smr_learner *learner, smr_task task);
    const struct CMUnitTest *others; /* tests that are of no one learner */
    int64_t n_others;
};
/* Runs each check on each learner of the registry, as a test of its own: what main returns.  So a
 * learner that the registry has is covered. */
int run_suite(const struct suite *suite);

/* Same bytes? */
void check_same_bits(const char *what, const double *a, const double *b, int64_t n);
void check_all_near(const char *what, const double *a, const double *b, int64_t n,
                    double tolerance);

#endif
