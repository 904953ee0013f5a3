/* state_row.h -- the rows of a state table: what a fitted model keeps, and how older
 * files differ. */
#ifndef SMR_LEARN_STATE_ROW_H
#define SMR_LEARN_STATE_ROW_H

#include "data/data.h"

typedef enum smr_state_type {
    SMR_STATE_REAL,    /* double       */
    SMR_STATE_INT,     /* int64_t      */
    SMR_STATE_F64S,    /* double *     */
    SMR_STATE_F32S,    /* float *      */
    SMR_STATE_I64S,    /* int64_t *    */
    SMR_STATE_I32S,    /* int32_t *    */
    SMR_STATE_U8S,     /* uint8_t *    */
    SMR_STATE_MEMBERS, /* smr_members  */
    SMR_STATE_F16S,    /* smr_half *   */
    SMR_STATE_BF16S,   /* smr_bfloat * */
    SMR_STATE_STRINGS, /* smr_strings  */
    SMR_STATE_TENSORS  /* smr_tensors  */
} smr_state_type;

/* Arrays with names, whose types and shapes the learner chooses when it is fitted: the weights of a
 * network, layer by layer.  A file keeps their order. */
typedef struct smr_tensor {
    char *name; /* [A-Za-z0-9_.-]+, once in its list; owned */
    smr_dtype dtype;
    int rank;
    int64_t shape[SMR_RANK_MAX];
    void *values;
} smr_tensor;

typedef struct smr_tensors {
    int64_t n;
    smr_tensor *tensor;
} smr_tensors;

/* What a state must fit: what comes in, and what is to be predicted. */
typedef struct smr_shape {
    const struct smr_learner
        *learner; /* check, begin: whose state it is, for messages; else NULL */
    int64_t n_features;
    smr_task task;
    int64_t n_outputs;           /* targets: 0 without any                     */
    int64_t n_classes;           /* 0 unless the target's values are classes   */
    int64_t item_shape[4];       /* as in smr_data                             */
    int64_t n_users, n_items;    /* as in smr_data                             */
    const smr_feature *features; /* check, begin: what comes in; NULL: numbers; else NULL */
    /* begin: the rows to come may have gaps among their numbers, their categories, and weights */
    bool gaps_in_numbers, gaps_in_categories, weighted;
    int64_t *room; /* after a load: how many features stages may still make; NULL: any number */
} smr_shape;

/* A fitted pipeline inside a learner (learn/member.h): its stages, with the adapters that it needs,
 * over the rows of its parent. */
typedef struct smr_member {
    struct smr_stage *stages;
    int64_t n_stages;
    smr_shape shape;
    smr_feature *features; /* NULL: it reads the parent's; else shape.n_features, names owned: n_own
                              numbers of its own (other members' answers), and then either no
                              others or the parent's                                             */
    int64_t n_own, n_held; /* n_held: of `features`; n_own until a loaded member is linked       */
} smr_member;

typedef struct smr_members {
    int64_t n;
    smr_member *member;
} smr_members;

/* What is required of real numbers, single ones or those of an array; nothing unless said. */
typedef enum smr_state_reals {
    SMR_REALS_ANY = 0,
    SMR_REALS_NOT_NAN, /* it may be infinite       */
    SMR_REALS_FINITE,  /* neither NaN nor infinite */
    SMR_REALS_FROM_0,  /* finite, 0 or above       */
    SMR_REALS_ABOVE_0, /* finite, above 0          */
    SMR_REALS_SHARE    /* from 0 to 1              */
} smr_state_reals;

/* The order of an array's numbers. */
typedef enum smr_state_order {
    SMR_ORDER_ANY = 0,
    SMR_ORDER_ASCENDS, /* each is above the one before it */
    SMR_ORDER_STARTS   /* places where parts begin: the first is 0, none is below the one before it,
                          and the last is `below` itself: where the last part ends            */
} smr_state_order;

/* One number or array of the fitted model.  An array's shape is given by the names of whole numbers
 * that come before it in the table; with `optional`, it may be NULL, and is then not saved.
 * Members: as many as the named number says; without a name one, or with `optional` one or none.
 * Strings and tensors: as many as the named number says; without a name any number.
 *
 * Arrays of a loaded state may lie in the file's image (data/image.h): predict reads them there.
 * Before a loaded model learns, they are copied to memory of their own (smr_stage_own), so that
 * learn may change, resize and free them as usual; what prepare built may point into them only
 * where learn leaves them as they are.
 *
 * What else must hold of a state is said in its rows, so that no learner's code meets a state of
 * which it does not hold, whoever wrote the file: learn/state_check.h checks it after a load, when
 * a stream begins, and before a state is saved.  Every whole number, single or in an array, lies in
 * [min, max].  Sizes are sums of products ("n_outputs * n_path + 1") of whole numbers, of names of
 * whole numbers of the table, and of what the model's target and the stage's input are:
 *     features   that come in
 *     classes    of the target; 0 where it is numbers
 *     targets    that are numbers; 0 where they are classes
 *     answers    classes, or targets
 *     scores     that tell the classes apart, 1 for two, else one each; or targets
 *
 * A row that was added, dropped or renamed with a version of the learner says so; a table keeps the
 * rows that are gone, so that old files load: see smr_learner.version. */
typedef struct smr_state {
    const char *name;
    smr_state_type type;
    size_t offset;
    const char *dims[SMR_RANK_MAX];
    bool optional;
    double min, max;       /* whole numbers: allowed; max 0 means SMR_MAX_DIM */
    const char *is;        /* INT: the size that it is                                         */
    const char *most;      /* INT: the size that it does not pass                              */
    const char *below;     /* INT, or whole numbers of an array: below this size               */
    smr_state_order order; /* of an array                                                      */
    smr_state_reals reals; /* REAL, and arrays of real numbers                                 */
    /* An optional row is there exactly where this holds: another optional row is (its name), a size
     * is not 0, or parameters have a value ("solver=sgd", as smr_param.when).  A row without
     * elements may be there or not. */
    const char *with;
    const char *needs; /* an optional row is there only where this row is too */
    bool same;         /* MEMBERS: they read what their parent reads and answer to its target */
    bool raw;          /* STRINGS: any bytes; else UTF-8 */
    bool unique;       /* STRINGS: all distinct: names to be looked up (data/vocab.h) */
    int since;         /* the version that brought it; 0: the first                              */
    double before;     /* numbers: the value of files that are older                             */
    int until;         /* the version that dropped it: read from older files, never written */
    const char *was;   /* its name in files of versions before `renamed`                         */
    int renamed;
    const char *doc;
} smr_state;

#define SMR_KEPT(type_, field_) \
    .name = #field_, .offset = offsetof(type_, field_),                                            \
    .type = _Generic(((type_ *)0)->field_,                                                         \
        double: SMR_STATE_REAL,                                                                    \
        int64_t: SMR_STATE_INT,                                                                    \
        double *: SMR_STATE_F64S,                                                                  \
        float *: SMR_STATE_F32S,                                                                   \
        int64_t *: SMR_STATE_I64S,                                                                 \
        int32_t *: SMR_STATE_I32S,                                                                 \
        uint8_t *: SMR_STATE_U8S,                                                                  \
        smr_half *: SMR_STATE_F16S,                                                                \
        smr_bfloat *: SMR_STATE_BF16S,                                                             \
        smr_strings: SMR_STATE_STRINGS,                                                            \
        smr_tensors: SMR_STATE_TENSORS,                                                            \
        smr_members: SMR_STATE_MEMBERS)

/* What a setting in the sentence of an older file means today.  The rules are sorted by ascending
 * `until`; a file of version v goes through those with v < until, each applied to what the one
 * before it left.
 *
 *     {2, "k", NULL, "neighbors="}       renamed: the value stays
 *     {2, "solver", "fast", "solver=qr"} this value has another name, or another meaning
 *     {3, "warm", NULL, NULL}            gone, and nothing replaces it
 *     {3, NULL, NULL, "shrink=no"}       new, and this is what files without it did
 *
 * A new parameter whose default is what older files did needs no rule. */
typedef struct smr_old_param {
    int until;         /* for files of versions before this one                                 */
    const char *name;  /* a parameter of that time; NULL: whatever the sentence says            */
    const char *value; /* where it has this value; NULL: any                                    */
    const char *now;   /* settings in its place, "name=value name="; NULL: none                 */
} smr_old_param;

#endif
