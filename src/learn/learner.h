/* learner.h -- the contract: one descriptor says everything about a learner or a transform.
 *
 * From its tables alone come parsing and range checks, help, reference pages, saving and loading,
 * memory release, the generic tests, and tuning's ranges.  A learner file reads in this order:
 * header comment, parameters, state, fit, predict, describe, descriptor.
 *
 * Who calls what:
 *   fit       once, with the training data; may use threads; fills the state
 *   prepare   after fit and after load: builds what is derived from the state and not saved
 *   check     after load: does the state, whose shapes are right, fit features, targets, itself?
 *   predict   for blocks of rows, from many threads at once, on a state that it must not change.
 *             The answer for a row must not depend on the block it comes in: same bits.
 *   release   frees what prepare built; arrays of the state table are freed by the caller
 *   upgrade   before check, of an older version's file: fills new rows from old (model-file.md)
 *   begin     instead of fit, for a stream: the state of a model that has seen no row, and predicts
 *   learn     makes that state better by some rows; one thread.  Cutting the rows into other blocks
 *             gives the same bits, and so does saving and loading between them: whatever the method
 *             carries along is in the state table.  A learner has both functions or neither.
 *
 * A transform gives SMR_GIVES_TRANSFORM: predict writes n x n_out doubles.  One that may give
 * sparse rows has `is_sparse` and `append` besides, and both ways give the same bits: a stage that
 * takes sparse rows then never sees a row of n_out doubles, and in training the sparse rows are
 * computed once and kept while later stages are fitted.
 * Weight 2 means the row twice, in losses, counts and minimum sizes. */
#ifndef SMR_LEARN_LEARNER_H
#define SMR_LEARN_LEARNER_H

#include "core/json.h"
#include "core/word.h"
#include "data/data.h"
#include "learn/can_draw.h"
#include "learn/can_explain.h"
#include "learn/fit_report.h"
#include "learn/state_row.h"
#include "learn/trace.h"

/* ---- the descriptor --------------------------------------------------------------------- */

enum {
    SMR_DOES_CLASSIFY = 1,
    SMR_DOES_REGRESS = 2,
    SMR_DOES_TRANSFORM = 4,
    SMR_DOES_CLUSTER = 8,
    SMR_DOES_SEQUENCE = 16,
    SMR_DOES_RECOMMEND = 32,
    SMR_DOES_DENSITY = 64,
    SMR_DOES_OUTLIERS = 128,
};

/* What it takes.  Without CODES a coding is inserted before it where there are categories, without
 * MISSING an imputation where values are missing, without TEXT a bag of words where there are texts
 * (transform.adapts).  A learner made of learners takes everything: its members insert what each of
 * them needs. */
enum {
    SMR_TAKES_F64 = 1 << SMR_FORM_F64,
    SMR_TAKES_F32 = 1 << SMR_FORM_F32,
    SMR_TAKES_U8 = 1 << SMR_FORM_U8,
    SMR_TAKES_SPARSE = 1 << SMR_FORM_SPARSE,
    SMR_TAKES_CODES = 1 << 8,
    SMR_TAKES_MISSING = 1 << 9,
    SMR_TAKES_WEIGHTS = 1 << 10,
    SMR_TAKES_MANY_TARGETS = 1 << 11,
    SMR_TAKES_TEXT = 1 << 12,
    /* Not part of ANYTHING: without these bits the rows come without missing labels, borders and
     * roles. */
    SMR_TAKES_UNLABELLED = 1 << 13, /* rows without a target */
    SMR_TAKES_SEQUENCES = 1 << 14,  /* blocks of whole sequences */
    SMR_TAKES_ROLES = 1 << 15,      /* users and items; may do without features */
};
enum {
    SMR_TAKES_FORMS = SMR_TAKES_F64 | SMR_TAKES_F32 | SMR_TAKES_U8 | SMR_TAKES_SPARSE,
    SMR_TAKES_ANYTHING = SMR_TAKES_FORMS | SMR_TAKES_CODES | SMR_TAKES_MISSING | SMR_TAKES_WEIGHTS |
                         SMR_TAKES_MANY_TARGETS | SMR_TAKES_TEXT,
};

/* How it behaves. */
enum {
    SMR_SCALE_MATTERS = 1 << 0,    /* features in other units give other answers */
    SMR_NUMBERS_FIRST = 1 << 1,    /* does both tasks, and takes a few whole numbers as numbers
                                      unless told to classify */
    SMR_KEEPS_DATA = 1 << 2,       /* the model holds the training rows                         */
    SMR_DRAWS_ROWS = 1 << 3,       /* fit draws or divides the rows by their position: their order
                                      matters, and a row of weight 2 is not quite the row twice */
    SMR_TELLS_LEFT_OUT = 1 << 4,   /* smr_fit_report.left_out                                   */
    SMR_NEEDS_TARGET = 1 << 5,     /* a transform that is fitted to the target                  */
    SMR_WANTS_CONTRASTS = 1 << 6,  /* a coding before it leaves out one level of each category  */
    SMR_PASSES_CONTRASTS = 1 << 7, /* a transform: what the stage after it wants                */
    SMR_REFUSES_NEGATIVE = 1 << 8, /* models a logarithm: targets below 0 are refused, as data   */
    SMR_REFUSES_ZERO = 1 << 9,     /* the same, and targets of 0                                 */
    SMR_ROUNDS_TO_FLOAT = 1 << 10, /* doubles given as floats lose digits that it does not need  */
    SMR_PLAIN = 1 << 11,           /* the plain linear learner of its task, which others take where
                                      none is named: registry.h */
    SMR_LEAST_SQUARES = 1 << 12,   /* now the exact least squares: an intercept, no penalty */
    SMR_WARM_STARTS = 1 << 13,     /* begins at smr_fit_report.warm where it is given one, and says
                                      so: a solver that goes by steps does                     */
    SMR_OUT_OF_BAG = 1 << 14,      /* always reports its error on rows that its parts did not see */
    SMR_FITS_FREELY = 1 << 15,     /* with these parameters no penalty holds its coefficients */
    SMR_FILLS_NO_GAPS = 1 << 16,   /* gaps are refused, not filled: those of a matrix, say */
    SMR_TRANSFORMS_FIRST = 1 << 17, /* transforms, unless told to do a task without a target */
};

/* Which gaps a transform closes. */
enum { SMR_FILLS_NUMBERS = 1, SMR_FILLS_CATEGORIES = 2 };

/* What predict writes for n rows (samara.h): VALUE n x n_outputs, PROBA and DECISION n x n_classes
 * (rows of PROBA sum to 1), TRANSFORM n x n_out, INTERVAL n x n_outputs x 2, SET n x n_classes of 0
 * and 1, SCORE n.  Where there are no classes but clusters, these take their place.  LABEL follows
 * from PROBA or DECISION unless a learner gives it: a path is not each step's likeliest state. */
enum {
    SMR_GIVES_VALUE = 1 << SMR_OUTPUT_VALUE,
    SMR_GIVES_PROBA = 1 << SMR_OUTPUT_PROBA,
    SMR_GIVES_DECISION = 1 << SMR_OUTPUT_DECISION,
    SMR_GIVES_TRANSFORM = 1 << SMR_OUTPUT_TRANSFORM,
    SMR_GIVES_INTERVAL = 1 << SMR_OUTPUT_INTERVAL,
    SMR_GIVES_SET = 1 << SMR_OUTPUT_SET,
    SMR_GIVES_LABEL = 1 << SMR_OUTPUT_LABEL,
    SMR_GIVES_SCORE = 1 << SMR_OUTPUT_SCORE
};

/* ---- what it can do besides: tables that a descriptor points to; NULL: it cannot ---- */

/* Which need a transform meets, for code that puts it before a stage without knowing its name
 * (learn/adapter.h): fitting inserts the first three where the data need them. */
typedef enum smr_need {
    SMR_NEED_NONE = 0,
    SMR_NEED_NUMBERS, /* categories as numbers                    */
    SMR_NEED_FILLED,  /* no gaps                                  */
    SMR_NEED_WORDS,   /* texts as numbers                         */
    SMR_NEED_SCALED,  /* features in comparable units             */
    SMR_NEED_DRAWN,   /* some of the features, drawn at random    */
    SMR_NEED_LOGGED,  /* targets as logarithms (target_map.h)     */
    SMR_NEED_RAISED,  /* targets as the power that is most normal */
    SMR_NEED_RANKED,  /* targets as ranks                         */
    SMR_NEEDS
} smr_need;

/* What the stage after such a transform is like, and the data before it, for its parameters. */
typedef struct smr_tailor {
    bool codes;              /* it takes categories                                            */
    bool gaps_in_categories; /* the data have such gaps                                       */
    bool contrasts;          /* it wants one level of each category left out                   */
    bool sparse;             /* the data are sparse and are to stay so                         */
    /* DRAWN: the share of the features, or all but one of the parts (0: none), of this draw. */
    double share;
    int64_t parts, draw;
    bool plain, normal; /* LOGGED: log y, of targets above 0; RANKED: as a normal variable has */
} smr_tailor;

/* Some of the features, as they are. */
typedef struct smr_kept {
    int64_t n_features, n;
    const int32_t *column; /* n, ascending */
} smr_kept;

typedef struct smr_can_transform {
    /* A transform that drops features and leaves the others as they are says which, and needs no
     * other function of this table, nor predict; NULL: it computes features. */
    smr_kept (*keeps)(const void *state);
    /* How many features come out (NULL: as many as come in), and their names, kinds and levels
     * (NULL: numbers with the names of those that come in).  `out` has n_out rows, zeroed; set name
     * (made with smr_strdup; the caller frees it), kind, n_levels, levels. */
    int64_t (*n_out)(const void *params, const void *state, int64_t n_in);
    smr_status (*outputs)(smr_ctx *ctx, const void *params, const void *state,
                          const smr_feature *in, int64_t n_in, smr_feature *out, int64_t n_out);
    /* The narrowest form in which it gives dense rows without losing digits, from rows that come in
     * as `form`; NULL: SMR_FORM_F64.  Then `rows` writes n x n_out elements of that form, or of a
     * wider one where that is asked for; doubles are written by predict. */
    smr_form (*form_out)(const void *params, const void *state, smr_form form);
    smr_status (*rows)(smr_ctx *ctx, const void *params, const void *state, const smr_rows *rows,
                       smr_form form, void *out, void *scratch);
    /* from[j] = the feature that feature j of n_out was made from, -1: from several.  NULL: if as
     * many go out as come in, each from its own; else from several. */
    void (*origins)(const void *params, const void *state, int64_t n_in, int64_t *from,
                    int64_t n_out);
    /* Does it give sparse rows, from sparse ones (from_sparse) or from others?  What is true for
     * others is true for sparse ones.  NULL: never.  Then `append` ends one row of `out` for each
     * of the block: columns ascending, no zeros. */
    bool (*is_sparse)(const void *params, const void *state, bool from_sparse);
    smr_status (*append)(smr_ctx *ctx, const void *params, const void *state, const smr_rows *rows,
                         smr_entries *out, void *scratch);
    /* The shape of the items that go out, from that of the items that come in
     * (smr_data.item_shape); zeros: they are not items. NULL: items keep their shape where feature
     * j was made from feature j alone (origins), else they are not items. */
    void (*items)(const void *params, const void *state, const int64_t in[4], int64_t out[4]);
    /* Undoes it: rows of n_out doubles, as it gives them or near to that, become n x n_in doubles.
     * Transforming them again gives the same features; and where no value was missing, no level
     * unknown or joined to others, and the transform does not approximate, they are what came in.
     * NULL: it cannot be undone, and no_inverse says why, in a clause.  Scratch as for predict. */
    smr_status (*inverse)(smr_ctx *ctx, const void *params, const void *state, const smr_rows *rows,
                          double *out, void *scratch);
    const char *no_inverse;
    bool approximates; /* its features hold a part of what came in: inverse gives what is near */
    /* log |det dz/dx|, the same for all rows x: a log-density of the features z plus this is one of
     * x.  NULL: there is no such number, and densities stay those of the features. */
    double (*log_volume)(const void *params, const void *state);
    /* SMR_FILLS_* bits; NULL: gaps stay. */
    unsigned (*fills)(const void *params);
    /* From this call to one with data NULL, predict gives row smr_rows.first + i of these data what
     * later stages are fitted to (docs/contract.md); NULL: what it gives all rows. */
    smr_status (*training)(smr_ctx *ctx, const void *params, void *state, const smr_data *data);
    smr_need adapts; /* inserted by samara where a stage has this need */
    void (*tailor)(void *params, const smr_tailor *next);
} smr_can_transform;

/* Models that grow in rounds (boosting, bagging): how many there are, and what predict would give
 * after the first `round` of them, 0 <= round <= count; with all it gives predict's bits. */
typedef struct smr_can_grow {
    int64_t (*count)(const void *params, const void *state);
    smr_status (*predict_after)(smr_ctx *ctx, const void *params, const void *state,
                                const smr_rows *rows, smr_output output, int64_t round, double *out,
                                void *scratch);
} smr_can_grow;

/* Clusters, or states of sequences that no target names. */
typedef struct smr_can_cluster {
    int64_t (*count)(const void *params, const void *state);
    /* Free parameters of the model, for information criteria; NULL: not known. */
    double (*n_free)(const void *params, const void *state);
} smr_can_cluster;

/* Recommenders: the n items that suit a user best among those that skip (n_items, or NULL) does not
 * mark, the best first, ties to the lower code; *n becomes how many there are.  user -1: one that
 * training never saw. */
typedef struct smr_can_rank {
    smr_status (*best)(smr_ctx *ctx, const void *params, const void *state, int64_t user,
                       const bool *skip, int64_t *n, int32_t *item, double *score);
    /* The same for items near an item; NULL: it cannot tell. */
    smr_status (*near)(smr_ctx *ctx, const void *params, const void *state, int64_t item,
                       int64_t *n, int32_t *items, double *score);
    /* Items that the user had in training, ascending; *n of them.  NULL: not kept. */
    const int32_t *(*had)(const void *params, const void *state, int64_t user, int64_t *n);
} smr_can_rank;

/* The truths of a stream's rows, as in smr_data; NULL: the task has none; weight NULL: all 1. */
typedef struct smr_truths {
    const double *y;      /* n x n_outputs */
    const int32_t *label; /* n             */
    const double *weight; /* n             */
} smr_truths;

typedef struct smr_can_stream {
    smr_status (*begin)(smr_ctx *ctx, const void *params, const smr_shape *shape, void *state);
    /* rows: in any form that it takes, for a transform too: sparse where the stage before gives
     * sparse rows.
     * out (NULL: not wanted): for each row what predict would have given before the row was learned
     * (n x width of PROBA where it gives that, else of DECISION, else of VALUE), to rounding: what
     * a method carries along may be the coefficients times a scale, or a sum to be divided.  A
     * transform writes its features of each row with what it learned from it (n x n_out), or where
     * that is the target (SMR_NEEDS_TARGET) before it learned it; so do those of members. */
    smr_status (*learn)(smr_ctx *ctx, const void *params, void *state, const smr_rows *rows,
                        const smr_truths *truths, double *out);
} smr_can_stream;

/* A long fit can stop and go on, with the same bits as one that was never stopped
 * (learn/checkpoint.h).  `work` is the fit's own struct; `kept` has a state table, so that it is
 * saved and checked like a state. */
typedef struct smr_can_resume {
    const smr_state *state;
    int64_t n_state;
    size_t state_size;
    /* Fills kept (zeroed).  Its arrays still belong to the work: they are not freed through kept,
     * and the work owns what must be built for it. */
    smr_status (*suspend)(smr_ctx *ctx, void *work, void *kept);
    /* From kept, whose numbers and shapes fit the table, nothing more being checked: what does not
     * fit the work is SMR_ERR_FORMAT.  It may take arrays and members over, and leaves NULL in
     * their place. */
    smr_status (*resume)(smr_ctx *ctx, void *kept, void *work);
} smr_can_resume;

/* ---- what a fit gives, and the learner ---- */

typedef struct smr_fitted {
    const smr_state *state;
    int64_t n_state;
    size_t state_size;
    unsigned gives;
    /* Which of the kinds in `gives` this model gives; NULL: all. */
    unsigned (*gives_with)(const void *params, const void *state);
    smr_status (*prepare)(smr_ctx *ctx, const void *params, void *state);
    smr_status (*check)(smr_ctx *ctx, const void *params, const void *state,
                        const smr_shape *shape);
    void (*release)(void *state);
    /* NULL: rows that older files lack are made by their `before` alone. */
    smr_status (*upgrade)(smr_ctx *ctx, const void *params, void *state, int from);
    smr_status (*predict)(smr_ctx *ctx, const void *params, const void *state, const smr_rows *rows,
                          smr_output output, double *out, void *scratch);
    /* Bytes of scratch predict needs for up to n rows; NULL: none. */
    int64_t (*scratch)(const void *params, const void *state, int64_t n);
    /* Preferred form for predict's rows, among those it takes; NULL: SMR_FORM_F64. */
    smr_form (*form)(const void *state);
    int64_t block_rows; /* rows that a predict call prefers; 0: 256 */
    /* What the model learned, for `inspect`: adds members to `into`.  in: its n_in features. */
    smr_status (*describe)(smr_ctx *ctx, const void *params, const void *state,
                           const smr_feature *in, int64_t n_in, smr_json *into);
    /* Pictures of what it learned, for `inspect`: adds figures (core/figure.h), whose names begin
     * with `prefix`. */
    smr_status (*draw)(smr_ctx *ctx, const void *params, const void *state, const smr_feature *in,
                       int64_t n_in, const char *prefix, smr_json *figures);
    const smr_can_transform *transform;
    const smr_can_grow *rounds;
    const smr_can_explain *explain;
    const smr_can_cluster *clusters;
    const smr_can_rank *rank;
    const smr_can_draw *draws;
} smr_fitted;

/* How a learner is compared with others. */
typedef struct smr_comparing {
    /* That suits its loss; NULL: its members', where they agree, else the usual of the task. */
    const char *(*measure)(const void *params);
    const char *like;  /* the parameter that holds these members; NULL: those that do its task  */
    bool stands_aside; /* when all are compared, another represents it, as lad does quantile    */
} smr_comparing;

/* What a learner does and takes, and how it behaves: bits of the three lists at the top. */
typedef struct smr_nature {
    unsigned tasks, takes, traits;
} smr_nature;

typedef struct smr_learner {
    const smr_word *word;
    unsigned tasks, takes, traits; /* with some parameters, not with all at once: see nature */
    /* What it is with these parameters: *its comes as the three above, and bits that do not hold
     * are taken out.  NULL: they always hold.  Read through smr_nature_of. */
    void (*nature)(const void *params, smr_nature *its);
    /* Makes features from texts: columns may be read as texts for it; which ones, with commas
     * ("": any; NULL: none, with these parameters). */
    const char *(*texts)(const void *params);
    smr_status (*fit)(smr_ctx *ctx, const void *params, const smr_data *data, void *state,
                      smr_fit_report *report);
    const smr_fitted *fitted;
    const smr_can_stream *stream;
    const smr_can_resume *resume;
    const smr_can_trace *trace;
    const smr_comparing *comparing;
    /* Raised by one whenever older files would be read wrongly without a rule; 0 means 1.  The
     * rules: since, until, was of the state's rows, fitted->upgrade, and old_params. */
    int version;
    const smr_old_param *old_params;
    int64_t n_old_params;
} smr_learner;

/* What it is with these parameters; the three fields are for lists of learners, which have none. */
static inline smr_nature smr_nature_of(const smr_learner *learner, const void *params)
{
    smr_nature its = {learner->tasks, learner->takes, learner->traits};
    if (learner->nature) learner->nature(params, &its);
    return its;
}

/* A table of NULLs where it can explain nothing. */
static inline const smr_can_explain *smr_explains(const smr_learner *learner)
{
    static const smr_can_explain nothing = {0};
    return learner->fitted->explain ? learner->fitted->explain : &nothing;
}

/* Fits; the report is told which learner is fitted. */
static inline smr_status smr_learner_fit(smr_ctx *ctx, const smr_learner *learner,
                                         const void *params, const smr_data *data, void *state,
                                         smr_fit_report *report)
{
    report->learner = learner;
    return learner->fit(ctx, params, data, state, report);
}

/* May it come before others? */
static inline bool smr_transforms(const smr_learner *learner)
{
    return learner->fitted->transform != NULL;
}

/* Wraps a fit function in a descriptor.  The prediction-only library leaves training code out: an
 * unreferenced static function is not compiled, nor what it alone calls. */
#ifdef SMR_PREDICT_ONLY
#define SMR_TRAINING(function) NULL
#elif !defined SMR_COMMON /* a file that is compiled once for both; a new use: run cmake again */
#define SMR_TRAINING(function) function
#endif

/* A fitted (or not yet fitted) learner with its parameters. */
typedef struct smr_stage {
    const smr_learner *learner;
    void *params;
    void *state;
    struct smr_image *image; /* held: arrays of the state may lie in it; NULL: none */
    bool inserted;           /* by samara, not by the sentence */
    int64_t n_in;            /* features that come in          */
    int64_t n_out;           /* and go out (transforms)        */
    smr_feature *features;   /* n_out, names owned             */
    bool in_place;           /* every feature j was made from feature j: n_out = n_in */
} smr_stage;

/* Does it have, with its parameters, one of these traits? */
static inline bool smr_stage_has(const smr_stage *stage, unsigned traits)
{
    return smr_nature_of(stage->learner, stage->params).traits & traits;
}

#endif
