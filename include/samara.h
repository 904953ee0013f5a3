/* samara.h -- machine learning in C: the one public header.
 *
 * Every call that can fail takes a context first, returns smr_status, and leaves one sentence in
 * the context that says what was wrong and what to do about it (smr_ctx_message).  The library
 * never prints, exits or aborts, and changes nothing outside the objects it is given.  What frees
 * an object accepts NULL.
 *
 * One context serves one calling thread at a time; it uses up to n_threads threads of its own
 * inside a call.  A fitted model is never changed by using it: any number of threads may predict
 * with one model, each with its own context.
 *
 * Same data, same sentence, same seed: same model, byte for byte, whatever the number of threads.
 *
 * Every struct of options begins with its size, sizeof(smr_..._opts), which tells the library which
 * fields the program knows.  Zero is the default of every field unless its comment says otherwise.
 * A field that a call cannot use (the folds of a curve that has none, the delimiter of a file that
 * is not CSV) is refused, not ignored.  A shorter struct, from a program compiled with an older
 * header, gets the defaults for what it lacks; a size of 0, or one larger than the library knows,
 * is refused (SMR_ERR_PARAM).
 *
 *     status, context      what went wrong; threads, seed, memory, log, progress, warnings
 *     tables               from files, from memory, from Arrow; looking into them
 *     training, judging    fitting a sentence; cross-validation, comparing, tuning, curves
 *     models               files; what goes in and comes out; parameters, arrays, coefficients
 *     streams              learning row by row
 *     predicting           tables, matrices, one row at a time
 *     evaluating           measures of a model, what a table holds, explaining
 *     networks             Bayesian networks: probabilities given evidence, independence, rows
 */
#ifndef SAMARA_H
#define SAMARA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define SMR_API __attribute__((visibility("default")))
#define SMR_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define SMR_API
#define SMR_PRINTF(fmt, args)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- status ----------------------------------------------------------------------------- */

typedef enum smr_status {
    SMR_OK = 0,
    SMR_ERR_PARAM,       /* outside the declared range, unknown name, wrong type              */
    SMR_ERR_SHAPE,       /* sizes disagree                                                    */
    SMR_ERR_DATA,        /* values unusable: missing, a single class, negative counts         */
    SMR_ERR_STATE,       /* predict before fit, columns that the model needs are absent       */
    SMR_ERR_NUMERIC,     /* singular, diverged, overflow                                      */
    SMR_ERR_UNSUPPORTED, /* a capability is missing (sparse, weights, this build)             */
    SMR_ERR_NOMEM,       /* memory refused, or the budget would be passed                     */
    SMR_ERR_IO,          /* a file cannot be opened, read or written                          */
    SMR_ERR_FORMAT,      /* a file is damaged, foreign, or from a newer version               */
    SMR_ERR_CANCELLED,   /* the progress callback asked to stop                               */
    SMR_ERR_INTERNAL     /* a bug in samara: please report                                    */
} smr_status;

/* The name of a status as it is written here, "SMR_ERR_PARAM"; "unknown status" for other numbers.
 * Never NULL. */
SMR_API const char *smr_status_name(smr_status status);

/* ---- context ---------------------------------------------------------------------------- */

typedef struct smr_ctx smr_ctx;

typedef enum smr_log_level { SMR_LOG_INFO = 0, SMR_LOG_WARNING = 1 } smr_log_level;

/* Receives one sentence, without a newline; valid during the call only. */
typedef void (*smr_log_fn)(void *user, smr_log_level level, const char *message);

/* Receives the progress of long work: `done` of `total` (total 0: unknown), and a figure such as
 * the current loss (NaN: none).  Called on the calling thread.  A return other than 0 cancels. */
typedef int (*smr_progress_fn)(void *user, const char *what, int64_t done, int64_t total,
                               double figure);

typedef struct smr_ctx_opts {
    size_t size;          /* sizeof(smr_ctx_opts)                                              */
    int n_threads;        /* 0: all of the machine's                                           */
    uint64_t seed;        /* every random number is a function of it; default 0                */
    int64_t memory_limit; /* bytes; 0: three quarters of the machine's memory                  */
    smr_log_fn log;       /* NULL: warnings are kept, not shown                                */
    void *log_user;
    smr_progress_fn progress; /* NULL: no progress, no cancelling                              */
    void *progress_user;
    /* Where memory comes from: all three, or none for the C library's.  They are malloc, realloc
     * and free with alloc_user before the arguments, and are called by several threads at once, the
     * last time when the last object of the context is freed, which may be after the context
     * itself.  Blocks must be aligned as malloc's are, for any basic type: samara aligns what lies
     * in them, to 64 bytes, and asks for a little more than it counts.  A block that is refused
     * (NULL) ends the call with SMR_ERR_NOMEM, as does the memory limit, which still applies. */
    void *(*alloc)(void *user, size_t bytes);
    void *(*resize)(void *user, void *block, size_t bytes);
    void (*release)(void *user, void *block);
    void *alloc_user;
} smr_ctx_opts;

/* Creates a context.  `opts` may be NULL for the defaults.  On failure *out is NULL, and the status
 * says everything, since there is no context to keep a sentence: SMR_ERR_NOMEM, or SMR_ERR_PARAM
 * for a wrong size and for an allocator that lacks one or two of its functions. */
SMR_API smr_status smr_ctx_create(const smr_ctx_opts *opts, smr_ctx **out);
/* Accepts NULL.  Tables and models made with the context may be freed after it. */
SMR_API void smr_ctx_destroy(smr_ctx *ctx);

/* The sentence of the last failed call, "" if none; valid until the next call on this context. */
SMR_API const char *smr_ctx_message(const smr_ctx *ctx);
/* The status of the last call on this context. */
SMR_API smr_status smr_ctx_status(const smr_ctx *ctx);
/* Forgets the last failure, the warnings and the wish to cancel. */
SMR_API void smr_ctx_clear(smr_ctx *ctx);
/* What the last call warned of, whether it failed or not: how many sentences, at most 1000, each
 * once, and sentence i, NULL if there is none; valid until the next call on this context.  A log
 * receives the same sentences, with SMR_LOG_WARNING. */
SMR_API int64_t smr_ctx_n_warnings(const smr_ctx *ctx);
SMR_API const char *smr_ctx_warning(const smr_ctx *ctx, int64_t i);

/* Change what smr_ctx_create was told, between two calls.  n_threads: 0 for all of the machine's,
 * up to 1024; memory_limit: 0 for three quarters of the machine's memory.  If more than a new limit
 * is already held, it stays, and nothing more is granted. */
SMR_API smr_status smr_ctx_set_threads(smr_ctx *ctx, int n_threads);
SMR_API smr_status smr_ctx_set_memory_limit(smr_ctx *ctx, int64_t memory_limit);
SMR_API void smr_ctx_set_seed(smr_ctx *ctx, uint64_t seed);
SMR_API void smr_ctx_set_log(smr_ctx *ctx, smr_log_fn log, void *user);
SMR_API void smr_ctx_set_progress(smr_ctx *ctx, smr_progress_fn progress, void *user);
/* The current values. */
SMR_API int smr_ctx_threads(const smr_ctx *ctx);
SMR_API int64_t smr_ctx_memory_limit(const smr_ctx *ctx);
SMR_API uint64_t smr_ctx_seed(const smr_ctx *ctx);

/* Bytes held now, and the most that were held at once, by objects made with this context.  Pages of
 * a mapped model file do not count: they are the file's. */
SMR_API int64_t smr_ctx_memory(const smr_ctx *ctx, int64_t *peak);
/* Asks running work to stop within a second; safe from another thread or a signal handler. */
SMR_API void smr_ctx_cancel(smr_ctx *ctx);

/* ---- this library ----------------------------------------------------------------------- */

/* "0.1.0" */
SMR_API const char *smr_version(void);
/* One line about this build: version, CPU tier, libraries; smr_string_free. */
SMR_API smr_status smr_build_info(smr_ctx *ctx, char **text);
/* Releases a string that a function below returned through a pointer. */
SMR_API void smr_string_free(char *string);

/* ---- tables from files ------------------------------------------------------------------ */

/* Named, typed columns: numbers, categories, text, dates; values may be missing. */
typedef struct smr_table smr_table;
/* A fitted sentence (training, below). */
typedef struct smr_model smr_model;

typedef struct smr_open_opts {
    size_t size;         /* sizeof(smr_open_opts)                                              */
    const char *format;  /* "csv", "jsonl", "libsvm", "arff", "npy", "idx", "sqlite", "picture",
                            "cifar10", "cifar100", "cifar100-coarse"; NULL: by name and content */
    const char *types;   /* "price=number,zip=category,note=ignore"; NULL: inferred            */
    const char *missing; /* further marks of missing values, separated by commas; NULL: none   */
    const char *labels;  /* IDX: the file with the labels; NULL: none                          */
    int header;          /* 1: the first row has names, 0: it has none, -1: detect             */
    char delimiter;      /* CSV: 0 to detect                                                   */
    char decimal;        /* CSV: '.' or ','; 0: found in the columns, with a warning           */
    const char *query;   /* SQLite: a SELECT whose rows are the table; NULL: a table           */
    const char *picture_size; /* pictures: "28x28", "3x32x32", channels x height x width, of 8
                                 bits; NULL: as they are                                       */
    const char *picture_fit;  /* how they get it: "stretch" (NULL) or "crop" to their middle   */
    bool grey;                /* pictures become grey                                          */
    bool skip_bad;            /* pictures of a folder that cannot be read are left out         */
} smr_open_opts;

/* Reads a file ("-": standard input), packed with gzip, or where they are built in with zstd or xz,
 * or not at all, or a folder of pictures (or of folders, one for each class).  "data.db?name" is a
 * table of an SQLite database.  `opts` may be NULL.  The caller frees *out. */
SMR_API smr_status smr_table_open(smr_ctx *ctx, const char *path, const smr_open_opts *opts,
                                  smr_table **out);
/* The same for a model, as `samara predict` reads: a column that the model takes has the kind that
 * it had in training, whatever its values look like; opts->types applies to the others alone.  A
 * number that cannot be read is an error that names line and column.  A file without names that
 * lacks the target's column is read as the training columns without the target, with a warning. */
SMR_API smr_status smr_table_open_for(smr_ctx *ctx, const smr_model *model, const char *path,
                                      const smr_open_opts *opts, smr_table **out);
/* A table over a row-major matrix, which is not copied and must outlive the table.  Columns are
 * named "0", "1", ...; y (n_rows values, or NULL) becomes the column "y". */
SMR_API smr_status smr_table_from_matrix(smr_ctx *ctx, const double *X, int64_t n_rows,
                                         int64_t n_cols, const double *y, smr_table **out);
/* A table that `samara make` draws: a generator (docs/generators.md) and its settings, "key=value"
 * each.  The context's seed decides the rows. */
SMR_API smr_status smr_table_make(smr_ctx *ctx, const char *generator, const char *const *settings,
                                  int64_t n_settings, smr_table **out);
/* Writes a table as CSV, TSV, JSON lines, LIBSVM, ARFF or NPY, by the name's ending; .gz, .zst or
 * .xz after it compresses.  "-": CSV to standard output. */
SMR_API smr_status smr_table_save(smr_ctx *ctx, const smr_table *table, const char *path);
SMR_API void smr_table_free(smr_table *table);

/* ---- the structs of Arrow --------------------------------------------------------------- */

/* The three structs of the Arrow C data and stream interfaces, by which programs pass columns to
 * each other in memory.  The names, the guards and the layout are Arrow's: a program that includes
 * a header of Arrow's own, before this one or after it, sees them once.
 * https://arrow.apache.org/docs/format/CDataInterface.html */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
    const char *format;
    const char *name;
    const char *metadata;
    int64_t flags;
    int64_t n_children;
    struct ArrowSchema **children;
    struct ArrowSchema *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length;
    int64_t null_count;
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    const void **buffers;
    struct ArrowArray **children;
    struct ArrowArray *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};

#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};

#endif

/* ---- tables from memory ----------------------------------------------------------------- */

/* A table of n_rows rows without columns; the functions below add them, here and to any other
 * table.  Each copies what it is given, which may be freed after the call.  A name is UTF-8, not
 * empty, and not that of another column; a failing call leaves the table as it was. */
SMR_API smr_status smr_table_create(smr_ctx *ctx, int64_t n_rows, smr_table **out);
/* Numbers, n_rows of them; NaN: missing. */
SMR_API smr_status smr_table_add_f64(smr_ctx *ctx, smr_table *table, const char *name,
                                     const double *values);
SMR_API smr_status smr_table_add_f32(smr_ctx *ctx, smr_table *table, const char *name,
                                     const float *values);
/* Whole numbers, kept as doubles: a warning names those beyond 2^53.  missing: n_rows flags, or
 * NULL when no value is missing. */
SMR_API smr_status smr_table_add_i64(smr_ctx *ctx, smr_table *table, const char *name,
                                     const int64_t *values, const bool *missing);
/* Strings in UTF-8; NULL: missing.  The column is a category whose levels are the distinct strings,
 * sorted as numbers where all are numbers, else bytewise.  No string is taken for a missing value
 * or a number, as a reader of files would. */
SMR_API smr_status smr_table_add_strings(smr_ctx *ctx, smr_table *table, const char *name,
                                         const char *const *values);
/* A category by codes: code k means levels[k], -1: missing.  The n_levels names are distinct and
 * keep their order, which is that of the classes if the column is the target. */
SMR_API smr_status smr_table_add_categories(smr_ctx *ctx, smr_table *table, const char *name,
                                            const int32_t *codes, const char *const *levels,
                                            int64_t n_levels);
/* Dates and times, in seconds since 1970-01-01 UTC, in the years 1 to 9999; NaN: missing. */
SMR_API smr_status smr_table_add_dates(smr_ctx *ctx, smr_table *table, const char *name,
                                       const double *seconds);
/* A sparse table of n_rows x n_cols numbers, which are copied: row i has the values
 * [indptr[i], indptr[i + 1]) in the columns `indices`, counted from 0, in any order, none of them
 * twice.  What is not listed is 0; NaN: missing.  y (n_rows values, or NULL) becomes the column
 * "y". */
SMR_API smr_status smr_table_from_csr(smr_ctx *ctx, int64_t n_rows, int64_t n_cols,
                                      const int64_t *indptr, const int32_t *indices,
                                      const double *values, const double *y, smr_table **out);

/* A table from a record batch: a struct array with its schema.  Both are taken over, even when the
 * call fails: they come back released (release = NULL), and what they own is released once, now or
 * with the table.  Numbers of float64, float32, uint8 and int32 without nulls are not copied.
 *
 *     number     integers and floats, bool (0 or 1), decimals (the nearest double), null
 *     category   utf8, large_utf8, string views; dictionaries of these with any index
 *     date       date32, date64, timestamps (with a zone: in UTC, without: taken as UTC)
 *
 * Nulls, of a value or of a whole row, are missing values.  Levels are sorted as by
 * smr_table_add_strings, except that those of a dictionary marked as ordered keep its order.  A
 * column of any other type is refused by name. */
SMR_API smr_status smr_table_from_arrow(smr_ctx *ctx, struct ArrowSchema *schema,
                                        struct ArrowArray *array, smr_table **out);
/* The same from all batches of a stream, one below the other; dictionaries are merged.  The stream
 * is taken over and released, even when the call fails. */
SMR_API smr_status smr_table_from_arrow_stream(smr_ctx *ctx, struct ArrowArrayStream *stream,
                                               smr_table **out);
/* A copy of a table as a record batch: numbers as they are stored (float64, float32, uint8 or
 * int32), categories as dictionaries of utf8 with int32 indices, texts as utf8, dates as date32, or
 * as timestamps in microseconds (UTC) where some have a time of day; missing values are nulls.  The
 * caller releases both structs, and may do so after table and context are gone.  On failure both
 * are marked as released.  A sparse table is refused: its zeros would be spelled out. */
SMR_API smr_status smr_table_to_arrow(smr_ctx *ctx, const smr_table *table,
                                      struct ArrowSchema *schema, struct ArrowArray *array);

/* ---- looking into tables ---------------------------------------------------------------- */

typedef enum smr_kind {
    SMR_NUMBER = 0,
    SMR_CATEGORY = 1, /* strings, by codes of their levels                      */
    SMR_TEXT = 2,     /* free text, stored as a category is                     */
    SMR_DATE = 3      /* seconds since 1970-01-01 UTC                           */
} smr_kind;

/* Rows, and columns outside the sparse block. */
SMR_API int64_t smr_table_n_rows(const smr_table *table);
SMR_API int64_t smr_table_n_cols(const smr_table *table);
/* Name of column j, owned by the table; NULL if there is none. */
SMR_API const char *smr_table_col_name(const smr_table *table, int64_t j);
/* Position of the column of this name, or -1. */
SMR_API int64_t smr_table_find(const smr_table *table, const char *name);
/* An smr_kind, or -1 if there is no column j. */
SMR_API int smr_table_col_kind(const smr_table *table, int64_t j);
/* The number of distinct strings of a category or a text; 0 for other kinds. */
SMR_API int64_t smr_table_n_levels(const smr_table *table, int64_t j);
/* Level k of column j: its bytes, owned by the table, without a NUL, and their number; NULL if
 * there is none. */
SMR_API const char *smr_table_level(const smr_table *table, int64_t j, int64_t k, int64_t *length);
/* A number, or a date in seconds; NaN where it is missing or the column holds strings. */
SMR_API double smr_table_number(const smr_table *table, int64_t row, int64_t j);
/* The number of the level of a category or a text; -1 where it is missing, and for other kinds. */
SMR_API int64_t smr_table_code(const smr_table *table, int64_t row, int64_t j);
/* The string of a category or a text, as smr_table_level gives it; NULL where it is missing, and
 * for other kinds. */
SMR_API const char *smr_table_text(const smr_table *table, int64_t row, int64_t j, int64_t *length);
/* A sparse table (LIBSVM, sparse ARFF, smr_table_from_csr) has a block of numbers beside its
 * columns: how many columns the block has, 0 for other tables, and the number in one of them. */
SMR_API int64_t smr_table_n_sparse(const smr_table *table);
SMR_API double smr_table_sparse_number(const smr_table *table, int64_t row, int64_t j);

/* ---- training --------------------------------------------------------------------------- */

typedef enum smr_task {
    SMR_TASK_NONE = 0,      /* a model of transforms; as an option: let samara decide          */
    SMR_TASK_CLASSIFY = 1,  /* which class a row has                                           */
    SMR_TASK_REGRESS = 2,   /* which number                                                    */
    SMR_TASK_CLUSTER = 3,   /* which rows belong together                                      */
    SMR_TASK_SEQUENCE = 4,  /* a class or state for each step of a sequence                    */
    SMR_TASK_RECOMMEND = 5, /* what a user will think of an item                               */
    SMR_TASK_DENSITY = 6,   /* how likely a row is                                             */
    SMR_TASK_OUTLIERS = 7   /* which rows are unlike the others                                */
} smr_task;
/* "classify", "regress" and so on, as in options and results; "none"; and "unknown task" for other
 * numbers. */
SMR_API const char *smr_task_name(smr_task task);

typedef struct smr_train_opts {
    size_t size;           /* sizeof(smr_train_opts)                                            */
    const char *target;    /* column(s) to predict: name, position, "last"; commas between      */
    smr_task task;         /* SMR_TASK_NONE: by the learner and the target                      */
    const char *weight;    /* column of row weights, or NULL                                    */
    const char *ignore;    /* columns to leave out, or NULL                                     */
    const char *types;     /* as in smr_open_opts, for columns that would be set aside; or NULL */
    const char *positive;  /* class whose precision is reported; NULL: the last                 */
    bool keep_all;         /* set no column aside, whatever it looks like                       */
    bool spend;            /* the table is no longer needed, and may only be freed after the call: a
                              learner that keeps the rows releases the table's memory while it
                              copies them */
    const char *threshold; /* two classes: "0.3", "cost=1:5", "recall=0.9", "precision=0.8",
                               "fpr=0.05", "f1" or "youden", chosen on out-of-fold predictions and
                               kept in the model; NULL: the larger score decides                */
    const char *classes; /* "a,b,c": all classes, where the table may not have them all; or NULL */
    const char *checkpoint; /* file that keeps how far a long fit has come, written as it goes and
                                  when it is cancelled; the caller removes it when the model is
                                  safe; NULL: none                                              */
    double checkpoint_seconds; /* between two writes; 0: 60, below 0: after every round         */
    bool resume;               /* continue from the checkpoint, if there is one; without it a file
                                  that already exists is refused */
    const char *sequence;      /* column: rows with one value are one sequence, which is never cut;
                                  or NULL */
    const char *time;          /* column: the order within a sequence, or when a rating was given;
                             NULL: the rows' own order                                         */
    const char *user; /* column: who, for learners that recommend; or NULL                 */
    const char *item; /* column: what, for the same; or NULL                               */
    /* smr_train: the last stage starts from this model's last stage and goes on by steps to the
     * answer for these rows; its learner, task, columns and classes must be the same. Learners that
     * do not reach their answer by steps refuse it. NULL: start afresh. */
    const smr_model *warm_start;
} smr_train_opts;

/* Fits the model that `sentence` describes ("standardize | knn 5") on all rows of the table that
 * have a target.  The caller frees *out. */
SMR_API smr_status smr_train(smr_ctx *ctx, const char *sentence, const smr_table *table,
                             const smr_train_opts *opts, smr_model **out);
/* Fails with the message that smr_train would give unless the sentence can be read; needs no
 * data. */
SMR_API smr_status smr_sentence_check(smr_ctx *ctx, const char *sentence);

/* ---- judging ---------------------------------------------------------------------------- */

/* How the rows are divided into rounds: each is fitted on some rows and measured on others.  Zero
 * everywhere means five folds, with every class's share in each. */
/* What became of a model of a comparison, said when it ends. */
typedef struct smr_league_entry {
    size_t size;           /* sizeof(smr_league_entry)                                          */
    const char *model;     /* as written                                                        */
    const char *outcome;   /* "done", "stopped" (hopeless after two rounds), "failed"           */
    const char *message;   /* why it failed; NULL                                               */
    const char *measure;   /* that decides                                                      */
    double mean, sd;       /* of its scores so far; NaN: none                                   */
    double seconds;        /* of a round                                                        */
    int64_t n_done, n_all; /* models, this one among them                                      */
} smr_league_entry;
typedef void (*smr_league_fn)(void *user, const smr_league_entry *entry);

/* How long a comparison may take, and what is kept of it. */
typedef struct smr_league_opts {
    size_t size;         /* sizeof(smr_league_opts)                                             */
    double seconds;      /* end after this long, with what is finished; 0: no limit             */
    const char *log;     /* a new file that receives every model's scores as it ends; NULL      */
    const char *resume;  /* a log to continue; NULL: none                                       */
    bool no_stop;        /* no learner of all_learners is stopped after two rounds              */
    smr_league_fn heard; /* told of each model when it ends, by the calling thread; NULL       */
    void *heard_user;
} smr_league_opts;

typedef struct smr_fold_opts {
    size_t size;          /* sizeof(smr_fold_opts)                                             */
    int64_t folds;        /* parts, each measured once; 0: 5                                   */
    int64_t repeats;      /* independent partitions; 0: 1                                      */
    bool leave_one_out;   /* one row at a time; with `group`, one group                        */
    bool ordered;         /* rows are in order of time: fit on the past, measure what follows  */
    bool unstratified;    /* classes fall into the folds as chance has it                      */
    const char *order_by; /* ordered by this column of numbers or dates; NULL                  */
    const char *group;    /* column: rows of one group stay on one side; NULL                  */
    const char *measure;  /* names, with commas; NULL: all (comparing: accuracy, or rmse)      */
    double confidence;    /* of the intervals; 0: 0.95                                         */
    bool all_learners;    /* comparing: every learner that does the task, beside the sentences */
    const smr_league_opts *league; /* comparing: time, log, listener; NULL: none               */
    bool stratified; /* fail where there are no classes to spread; else they are where there are */
} smr_fold_opts;

/* Cross-validates a sentence as `samara cv` does: a JSON object (smr_string_free) with the mean,
 * spread, interval and rounds of every measure.  `how` as for smr_train; `opts` may be NULL. */
SMR_API smr_status smr_cross_validate(smr_ctx *ctx, const char *sentence, const smr_table *table,
                                      const smr_train_opts *how, const smr_fold_opts *opts,
                                      char **json);
/* The same, and what was predicted for each row by a fit that did not see it: *out has the columns
 * row (in the table, from 1), fold, truth and prediction, and for classes their probabilities or
 * scores.  json NULL: only the table. */
SMR_API smr_status smr_cross_predict(smr_ctx *ctx, const char *sentence, const smr_table *table,
                                     const smr_train_opts *how, const smr_fold_opts *opts,
                                     smr_table **out, char **json);
/* Cross-validates n sentences on the same rounds, as `samara compare` does, and reports which
 * differences are larger than the noise, as a JSON object (smr_string_free).  With n = 0 every
 * learner that does the task takes part, with its defaults.  When it is cancelled after a model was
 * finished, *json has what is known; in every other case of failure it is NULL. */
SMR_API smr_status smr_compare(smr_ctx *ctx, const char *const *sentences, int64_t n,
                               const smr_table *table, const smr_train_opts *how,
                               const smr_fold_opts *opts, char **json);

/* ---- tuning ----------------------------------------------------------------------------- */

typedef struct smr_tune_opts {
    size_t size;        /* sizeof(smr_tune_opts)                                              */
    const char *over;   /* what to search: "k=1,3,5 weight=*"; NULL: "auto"                    */
    const char *search; /* "grid", "random", "halving"; NULL: grid, or random for "auto"       */
    int64_t trials;     /* points to draw; 0: all of the grid, or 50 of "auto"                 */
    int64_t folds;      /* of the cross-validation that scores; 0: 5                          */
    int64_t repeats;    /* of it, with other folds; 0: 1                                      */
    double validation;  /* score on this share of the rows instead; 0: folds                  */
    const smr_table *validation_rows; /* score on these rows instead; NULL: folds              */
    double holdout;        /* share that the search never sees; 0: 0.2, below 0: none            */
    const smr_table *test; /* rows that the search never sees, instead; NULL: the holdout       */
    const char *measure;   /* decides; NULL: accuracy, or rmse                                  */
    bool one_se;           /* the simplest within one standard error of the best                */
    double seconds;        /* end after this long, with the best so far; 0: no limit            */
    int64_t nested;        /* repeat the whole search in this many folds; 0: no                 */
    const char *log;       /* a new file that receives every trial; NULL: none                  */
    const char *resume;    /* a log to continue; NULL: none                                     */
    const smr_fold_opts *rounds; /* the rounds that score, where the numbers above cannot say it:
                                    by time, by groups, leaving one out; NULL                    */
} smr_tune_opts;

/* Searches for the values of the sentence's parameters that predict best, as `samara tune` does.
 * What it found is a JSON object (smr_string_free).  model: receives the winner fitted on all rows;
 * NULL: it is not fitted. */
SMR_API smr_status smr_tune(smr_ctx *ctx, const char *sentence, const smr_table *table,
                            const smr_train_opts *how, const smr_tune_opts *opts, smr_model **model,
                            char **json);
/* Fails with the message that smr_tune would give, as far as can be said without the data: is the
 * sentence right, do the parameters and their values exist, and the search? */
SMR_API smr_status smr_tune_check(smr_ctx *ctx, const char *sentence, const smr_tune_opts *opts);

/* ---- curves, bias and variance ---------------------------------------------------------- */

typedef struct smr_curve_opts {
    size_t size;                /* sizeof(smr_curve_opts)                                     */
    const smr_fold_opts *folds; /* one measure (NULL: error or rmse); NULL: five folds        */
    const char *sizes;          /* learning: "0.1,0.5,1" or numbers of rows; NULL: seven      */
    const char *over;           /* validation, elbow: a parameter and its values, "k=1..50"   */
} smr_curve_opts;

/* A curve as `samara curve` shows it, as a JSON object (smr_string_free).  what: "learning", error
 * against rows; "validation", against a parameter; "training", objective against iterations;
 * "rounds", error against those of boosting or a forest; "threshold", rates out of fold; "elbow",
 * objective and silhouette against the number of clusters (over NULL: k=1..10). */
SMR_API smr_status smr_curve(smr_ctx *ctx, const char *what, const char *sentence,
                             const smr_table *table, const smr_train_opts *how,
                             const smr_curve_opts *opts, char **json);
/* Fails unless it is one of these seven words, naming the nearest; needs no data. */
SMR_API smr_status smr_curve_check(smr_ctx *ctx, const char *what);

typedef struct smr_model_curve_opts {
    size_t size;          /* sizeof(smr_model_curve_opts)                                        */
    const char *weight;   /* column of row weights, or NULL                                      */
    const char *measure;  /* rounds: names, with commas; NULL: error and log loss, or rmse       */
    const char *positive; /* threshold: the class; NULL: the model's                             */
} smr_model_curve_opts;

/* A curve of a fitted model.  what: "training", the objective against iterations, as the fit noted
 * it (table NULL); "rounds" and "threshold" as above, on the rows of the table. */
SMR_API smr_status smr_model_curve(smr_ctx *ctx, const char *what, const smr_model *model,
                                   const smr_table *table, const smr_model_curve_opts *opts,
                                   char **json);

typedef struct smr_bias_variance_opts {
    size_t size;                 /* sizeof(smr_bias_variance_opts)                             */
    const char *generator;       /* draws the samples; NULL: they are parts of the table       */
    const char *const *settings; /* of the generator, each "key=value"                         */
    int64_t n_settings;
    int64_t samples;   /* 0: 200                                                               */
    int64_t rows;      /* of a sample; 0: 100, or half of the table's untested rows            */
    int64_t test_rows; /* 0: 1000, or a third of the table's                                   */
    int64_t bag;       /* bootstrap replicates of each sample; 0: none                         */
    const char *over;  /* one parameter and its values; NULL: none                             */
    const char *group; /* column: rows of one group stay on one side; NULL                     */
} smr_bias_variance_opts;

/* Bias, variance and noise of a sentence by repeated sampling, as `samara bias-variance` shows
 * them, as a JSON object (smr_string_free).  `table` is NULL with a generator. */
SMR_API smr_status smr_bias_variance(smr_ctx *ctx, const char *sentence, const smr_table *table,
                                     const smr_train_opts *how, const smr_bias_variance_opts *opts,
                                     char **json);

/* ---- steps ------------------------------------------------------------------------------ */

typedef struct smr_trace_opts {
    size_t size;   /* sizeof(smr_trace_opts)                                                   */
    int64_t steps; /* how many are kept, the first, beside what they end in; 0: 200           */
    int64_t row;   /* knn: the row of the table whose neighbours are found, from 1; 0: the first */
} smr_trace_opts;

/* The method of a sentence's last learner in slow motion, as `samara trace` shows it: what it does
 * at each step, with numbers and pictures, as a JSON object (smr_string_free).  Learners that do
 * not tell their steps refuse (SMR_ERR_UNSUPPORTED), naming those that do. */
SMR_API smr_status smr_trace_steps(smr_ctx *ctx, const char *sentence, const smr_table *table,
                                   const smr_train_opts *how, const smr_trace_opts *opts,
                                   char **json);

/* ---- model files ------------------------------------------------------------------------ */

/* A model file is data, never code: safe to load from anyone.  Saving replaces the file whole, or
 * leaves it as it was when it fails or is cancelled.
 * Loading maps a file of 1 MiB or more: its arrays stay in it, and the file must not be changed in
 * place while the model lives; replacing it with another, as saving does, or removing it is
 * safe. */
SMR_API smr_status smr_model_save(smr_ctx *ctx, const smr_model *model, const char *path);
SMR_API smr_status smr_model_load(smr_ctx *ctx, const char *path, smr_model **out);
/* The same from and to memory; *bytes is freed with smr_string_free. */
SMR_API smr_status smr_model_write(smr_ctx *ctx, const smr_model *model, char **bytes,
                                   int64_t *length);
SMR_API smr_status smr_model_read(smr_ctx *ctx, const char *bytes, int64_t length, smr_model **out);
/* Accepts NULL.  The context it was made with may be gone already. */
SMR_API void smr_model_free(smr_model *model);

/* ---- what goes into a model and comes out ----------------------------------------------- */

/* What the model does; SMR_TASK_NONE: it is made of transforms only. */
SMR_API smr_task smr_model_task(const smr_model *model);
/* The number of columns it reads, and the name of input j, owned by the model; NULL if none. */
SMR_API int64_t smr_model_n_inputs(const smr_model *model);
SMR_API const char *smr_model_input_name(const smr_model *model, int64_t j);
/* An smr_kind, or -1 if there is no input j. */
SMR_API int smr_model_input_kind(const smr_model *model, int64_t j);
/* The number by which a category of input j is given to smr_predictor_row; -1 for one that training
 * never saw, which is how such a category is given. */
SMR_API int64_t smr_model_input_code(const smr_model *model, int64_t j, const char *category);
/* Classes, in the order of probabilities; 0 when it predicts numbers.  The name is copied into
 * `name`, cut to `room` bytes with its NUL; the full length is returned, -1 if there is none. */
SMR_API int64_t smr_model_n_classes(const smr_model *model);
SMR_API int64_t smr_model_class_name(const smr_model *model, int64_t k, char *name, int64_t room);

/* For two classes: the positive one (that of smr_train_opts, else the last) is the answer where its
 * probability, or its score for models without probabilities, is at least this.  It replaces the
 * model's threshold, and is saved with the model. */
SMR_API smr_status smr_model_set_threshold(smr_ctx *ctx, smr_model *model, double threshold);

/* ---- looking into models ---------------------------------------------------------------- */

/* The sentence of a fitted model in full: `columns` first, every default, and the stages that
 * samara inserted; smr_string_free.  Training with it on the same table gives the same numbers. */
SMR_API smr_status smr_model_sentence(smr_ctx *ctx, const smr_model *model, char **text);

/* What a parameter holds. */
typedef enum smr_param_kind {
    SMR_PARAM_NUMBER = 0,
    SMR_PARAM_WHOLE = 1,    /* a whole number                                                   */
    SMR_PARAM_YES_NO = 2,   /* as a number: 1 or 0                                              */
    SMR_PARAM_ONE_OF = 3,   /* one of some words                                                */
    SMR_PARAM_NUMBERS = 4,  /* one or more numbers; a number if there is one                    */
    SMR_PARAM_TEXT = 5,     /* a text                                                           */
    SMR_PARAM_SENTENCES = 6 /* sentences in parentheses, or other words with parameters         */
} smr_param_kind;

/* A parameter of smr_model_sentence by its address, as tuning has them: "k", "knn.k", "2.k" (the
 * first stage after `columns` is 1), "bag.of.0.tree.max_depth"; an abbreviated address must fit one
 * parameter only.  One that the sentence does not read is an error that says so.  The text is as in
 * a sentence, or "none" where the parameter is unset; smr_string_free. */
SMR_API smr_status smr_model_param_text(smr_ctx *ctx, const smr_model *model, const char *address,
                                        char **text);
/* The same as a number, for the kinds that are one; NaN where it is unset. */
SMR_API smr_status smr_model_param_number(smr_ctx *ctx, const smr_model *model, const char *address,
                                          double *value);

/* All parameters that the sentence reads, including those of its members, in its order. The list
 * owns what it returns, and may outlive model and context. */
typedef struct smr_param_list smr_param_list;
SMR_API smr_status smr_model_params(smr_ctx *ctx, const smr_model *model, smr_param_list **out);
SMR_API int64_t smr_param_list_n(const smr_param_list *list);
/* The full address, the kind (-1 if there is no parameter i), and the value as above; NULL or NaN
 * if there is none. */
SMR_API const char *smr_param_list_address(const smr_param_list *list, int64_t i);
SMR_API int smr_param_list_kind(const smr_param_list *list, int64_t i);
SMR_API const char *smr_param_list_text(const smr_param_list *list, int64_t i);
SMR_API double smr_param_list_number(const smr_param_list *list, int64_t i);
SMR_API void smr_param_list_free(smr_param_list *list);

/* The type of an array's elements. */
typedef enum smr_dtype {
    SMR_F64 = 0, /* double                                  */
    SMR_F32 = 1, /* float                                   */
    SMR_U8 = 2,  /* uint8_t                                 */
    SMR_I32 = 3, /* int32_t                                 */
    SMR_I64 = 4, /* int64_t                                 */
    SMR_F16 = 5, /* IEEE half, as uint16_t                  */
    SMR_BF16 = 6 /* the upper half of a float, as uint16_t  */
} smr_dtype;

/* An array of a model's state.  This struct will not grow. */
typedef struct smr_array {
    smr_dtype dtype;
    int rank;           /* dimensions, at most 6; 0: a single number                           */
    int64_t shape[6];   /* `rank` of them                                                      */
    int64_t n;          /* elements: the product of the shape                                  */
    const void *values; /* row-major, owned by the model and living as long as it              */
} smr_array;

/* What a model learned, by the names of the model file (docs/model-file.md): "1.standardize.mean"
 * is an array of stage 1, "2.calibrate.of.0.1.knn.x_f64" one of its member 0's stage 1, whose
 * stages count from 0.  A list of strings is two arrays, NAME.start and NAME.bytes. */
SMR_API smr_status smr_model_array(smr_ctx *ctx, const smr_model *model, const char *name,
                                   smr_array *out);
/* All of them, sorted by name.  Names are owned by the list. */
typedef struct smr_array_list smr_array_list;
SMR_API smr_status smr_model_arrays(smr_ctx *ctx, const smr_model *model, smr_array_list **out);
SMR_API int64_t smr_array_list_n(const smr_array_list *list);
/* NULL if there is no array i. */
SMR_API const char *smr_array_list_name(const smr_array_list *list, int64_t i);
SMR_API const smr_array *smr_array_list_get(const smr_array_list *list, int64_t i);
SMR_API void smr_array_list_free(smr_array_list *list);

/* The features that come into the last stage, which the two functions below are about: what the
 * inputs became on their way through the stages before it.  The name is owned by the model; NULL if
 * there is no feature j. */
SMR_API int64_t smr_model_n_features(const smr_model *model);
SMR_API const char *smr_model_feature_name(const smr_model *model, int64_t j);
/* What trees gained by each feature in the fit: *values are smr_model_n_features numbers, owned by
 * the model.  SMR_ERR_UNSUPPORTED for models that have none. */
SMR_API smr_status smr_model_importances(smr_ctx *ctx, const smr_model *model,
                                         const double **values);

/* Score s of a row x is intercepts[s] + the sum over j of values[s * n_features + j] * x[j].  This
 * struct will not grow. */
typedef struct smr_coefficients {
    int64_t n_scores;         /* targets, or classes; one for two classes                       */
    int64_t n_features;       /* smr_model_n_features                                           */
    const double *values;     /* n_scores x n_features, owned by the model                      */
    const double *intercepts; /* n_scores; NULL: all are 0                                      */
} smr_coefficients;

/* The coefficients of a linear model; SMR_ERR_UNSUPPORTED for others.  With `columns
 * target=` in the sentence, scores are of the target as it was fitted: standardized, its log ... */
SMR_API smr_status smr_model_coefficients(smr_ctx *ctx, const smr_model *model,
                                          smr_coefficients *out);

/* ---- learning from a stream ------------------------------------------------------------- */

/* A model that learns row by row (partial fit): each row is predicted, measured, then learned.
 * `samara list` marks the learners that can.  The same rows in other tables give the same bits. */
typedef struct smr_streamer smr_streamer;

/* Begins with a model that has learned nothing.  The table's rows settle columns, kinds and classes
 * and are not learned: give them to smr_stream_learn as well.  Classes that they lack must be named
 * in how->classes. */
SMR_API smr_status smr_stream_begin(smr_ctx *ctx, const char *sentence, const smr_table *table,
                                    const smr_train_opts *how, smr_streamer **out);
/* Continues with a model that smr_stream_save or `samara stream` saved; weight: a column, or
 * NULL. */
SMR_API smr_status smr_stream_load(smr_ctx *ctx, const char *path, const char *weight,
                                   smr_streamer **out);
SMR_API void smr_stream_free(smr_streamer *stream);

/* Learns the rows of a table, in order.  said (NULL: not wanted; n_rows x smr_stream_n_said
 * values) receives what was predicted for each row before it was learned: probabilities, else
 * scores, of the classes; the targets' values; without a target a cluster and its score.  Rows that
 * lack their target are predicted only.  One that cannot be learned (a class that was not named, a
 * gap that no stage fills) fails; the rows before it have been learned by then. */
SMR_API smr_status smr_stream_learn(smr_ctx *ctx, smr_streamer *stream, const smr_table *table,
                                    double *said);
/* The same for a row-major matrix whose columns are the model's inputs, all of them numbers, and
 * one target: a number, or the number of the class in the order of smr_model_class_name; NaN:
 * none.  For clusters y may be NULL, and is not read. */
SMR_API smr_status smr_stream_learn_matrix(smr_ctx *ctx, smr_streamer *stream, const double *X,
                                           int64_t n_rows, int64_t n_cols, const double *y,
                                           double *said);
/* How many values are predicted for one row. */
SMR_API int64_t smr_stream_n_said(const smr_streamer *stream);

/* The model as it is now, which predicts like any other; it lives as long as the stream, and
 * changes with it. */
SMR_API const smr_model *smr_stream_model(const smr_streamer *stream);
/* Rows measured so far and their error: the share of wrong classes, or the mean squared error or
 * distance; NaN without rows. */
SMR_API int64_t smr_stream_n_rows(const smr_streamer *stream);
SMR_API double smr_stream_error(const smr_streamer *stream);
/* Saves the model with its place in the stream, for smr_stream_load. */
SMR_API smr_status smr_stream_save(smr_ctx *ctx, smr_streamer *stream, const char *path);

/* ---- predicting ------------------------------------------------------------------------- */

typedef enum smr_output {
    SMR_OUTPUT_VALUE = 0,     /* numbers, one for each target                                   */
    SMR_OUTPUT_LABEL = 1,     /* the number of the most probable class, or of the cluster       */
    SMR_OUTPUT_PROBA = 2,     /* a probability for each class or cluster                        */
    SMR_OUTPUT_DECISION = 3,  /* a score for each class; the negated distance to each cluster    */
    SMR_OUTPUT_TRANSFORM = 4, /* the features that a model of transforms gives                 */
    SMR_OUTPUT_INTERVAL = 5,  /* for each target: the low and the high end (conformal)          */
    SMR_OUTPUT_SET = 6,       /* for each class: 1 if it is in the answer, else 0 (conformal)   */
    SMR_OUTPUT_SCORE = 7      /* how well the row fits: a log-density, the log-likelihood of its
                                 sequence, how much a user will like an item                    */
} smr_output;

/* How many values one row has; 0 if the model does not give this output. */
SMR_API int64_t smr_model_n_outputs(const smr_model *model, smr_output output);

/* Predicts for all rows of a table: its columns are matched by name.  `out` has room for
 * n_rows x smr_model_n_outputs values, row-major. */
SMR_API smr_status smr_predict(smr_ctx *ctx, const smr_model *model, const smr_table *table,
                               smr_output output, double *out);
/* The same as a table, which the caller frees, with the columns that `samara predict` writes:
 * labels as a category of the classes and values under the names of the targets, p(CLASS) for
 * probabilities, score(CLASS) for scores, TARGET_low and TARGET_high for intervals, one category
 * "set" for sets ("a|b"), features under their names. */
SMR_API smr_status smr_predict_table(smr_ctx *ctx, const smr_model *model, const smr_table *table,
                                     smr_output output, smr_table **out);
/* The same as a record batch of Arrow, as smr_table_to_arrow gives it. */
SMR_API smr_status smr_predict_arrow(smr_ctx *ctx, const smr_model *model, const smr_table *table,
                                     smr_output output, struct ArrowSchema *schema,
                                     struct ArrowArray *array);
/* The same from a row-major matrix whose columns are the model's inputs in their order, given as
 * for smr_predictor_row. */
SMR_API smr_status smr_predict_matrix(smr_ctx *ctx, const smr_model *model, const double *X,
                                      int64_t n_rows, int64_t n_cols, smr_output output,
                                      double *out);

/* The other way: features back to the model's inputs.  The table has the columns that
 * smr_predict_table gives for SMR_OUTPUT_TRANSFORM; for a model that predicts, the features that
 * come into its last stage (smr_model_feature_name).  `out` has room for n_rows x
 * smr_model_n_inputs values, row-major: a number, the code of a category, a date in seconds; NaN
 * where a value is missing, and where the features do not determine a category. Shares of
 * categories, as in means of rows, give the most frequent one.  A stage that cannot be undone is
 * named (SMR_ERR_UNSUPPORTED). */
SMR_API smr_status smr_inverse(smr_ctx *ctx, const smr_model *model, const smr_table *table,
                               double *out);
/* The same as a table with the columns that the model reads, which the caller frees. */
SMR_API smr_status smr_inverse_table(smr_ctx *ctx, const smr_model *model, const smr_table *table,
                                     smr_table **out);
/* The same from a row-major matrix whose columns are these features in their order. */
SMR_API smr_status smr_inverse_matrix(smr_ctx *ctx, const smr_model *model, const double *X,
                                      int64_t n_rows, int64_t n_cols, double *out);

/* A table of new rows, which the caller frees, from a model that says how they come about: of hmm
 * n_sequences of this length, with their columns of sequences and times; of others (bayes, density,
 * gmm ...) n_sequences * length rows; each with the target, state or cluster, and the inputs.  The
 * seed decides them.  Models that change their columns first are refused, and all others. */
SMR_API smr_status smr_model_sample(smr_ctx *ctx, const smr_model *model, int64_t n_sequences,
                                    int64_t length, smr_table **out);

/* Models that grow in rounds (boosting, forests, bagging): how many rounds there are, 0 for others;
 * and what the model would predict after the first n_rounds of them alone, from 0 to all. */
SMR_API int64_t smr_model_n_rounds(const smr_model *model);
SMR_API smr_status smr_predict_rounds(smr_ctx *ctx, const smr_model *model, const smr_table *table,
                                      smr_output output, int64_t n_rounds, double *out);

/* One row at a time: no allocation, no lock, well under a microsecond for a linear model.  A
 * predictor serves one thread; model and context must outlive it. */
typedef struct smr_predictor smr_predictor;
/* The caller frees *out.  Models that read sequences, or users and items, have no predictor. */
SMR_API smr_status smr_predictor_create(smr_ctx *ctx, const smr_model *model, smr_output output,
                                        smr_predictor **out);
/* x: smr_model_n_inputs values (a category: its code, see smr_model_input_code; a date: seconds
 * since 1970; NaN: missing).  The code -1 is a category that training never saw, and is answered as
 * smr_predictor_cells answers its name; any other code that the category does not have is an error,
 * and so is a model with an input of text (`words`), which no number can hold.  out:
 * smr_model_n_outputs values. */
SMR_API smr_status smr_predictor_row(smr_predictor *predictor, const double *x, double *out);
/* The same for a row of strings in UTF-8, smr_model_n_inputs of them, read as smr_table_open_for
 * reads a file: numbers, dates, categories by name, texts; NULL and the usual marks ("", "NA", "?"
 * ...) are missing.  A number or date that cannot be read is an error that names the input and the
 * text; a category that training never saw is missing, with a warning, or an error where the model
 * says `columns unseen=error`.  Nothing is allocated except where texts become words, or are
 * longer than those that a kernel was fitted to. */
SMR_API smr_status smr_predictor_cells(smr_predictor *predictor, const char *const *cells,
                                       double *out);
SMR_API void smr_predictor_free(smr_predictor *predictor);

/* ---- evaluating and explaining ---------------------------------------------------------- */

/* Measures of the model on a table that has the target, as a JSON object; smr_string_free. */
SMR_API smr_status smr_evaluate(smr_ctx *ctx, const smr_model *model, const smr_table *table,
                                char **json);

typedef struct smr_evaluate_opts {
    size_t size;           /* sizeof(smr_evaluate_opts)                                         */
    const char *weight;    /* column of row weights, or NULL                                    */
    const char *threshold; /* as in smr_train_opts, but chosen on these rows; NULL: the model's */
    bool figures;          /* add curves and pictures as data: some 100 kB of JSON              */
    bool advice;           /* add what makes the measures mean less than they seem to           */
    const char *known;     /* clusters: a column of known classes; NULL: the model's, if there  */
    bool views;            /* add the table's columns: importance, and dependence on the most   */
} smr_evaluate_opts;

/* The same with everything there is to report: {"measures", "intervals", "baseline", "rows",
 * "predict_seconds", and where asked for "threshold", "cost", "advice", "figures", "data_columns",
 * "importance", "dependence"}; smr_string_free.  `opts` may be NULL. */
SMR_API smr_status smr_evaluate_with(smr_ctx *ctx, const smr_model *model, const smr_table *table,
                                     const smr_evaluate_opts *opts, char **json);

typedef struct smr_describe_opts {
    size_t size;        /* sizeof(smr_describe_opts)                                            */
    const char *target; /* relate every column to this one: information, tests; NULL: none      */
    const char *weight; /* column of row weights for that, or NULL                              */
    const char *ignore; /* columns to leave out of it, or NULL                                  */
    smr_task task;      /* of the target; SMR_TASK_NONE: by its values                          */
    bool figures;       /* add the pictures as data                                             */
} smr_describe_opts;

/* What a table holds, as a JSON object: columns with their distributions, correlations, and what
 * each column tells about a target; smr_string_free.  `opts` may be NULL. */
SMR_API smr_status smr_describe(smr_ctx *ctx, const smr_table *table, const smr_describe_opts *opts,
                                char **json);

/* K[i * n + j] of a table's n rows under a kernel (docs/kernels.md), without columns `ignore`. */
SMR_API smr_status smr_table_kernel(smr_ctx *ctx, const smr_table *table, const char *kernel,
                                    const char *ignore, double *K);
/* Is K (n x n) symmetric and positive semi-definite, to rounding: a Mercer kernel's?  With the
 * largest |K_ij - K_ji|, and the smallest eigenvalue of the symmetric part. */
SMR_API smr_status smr_kernel_is_mercer(smr_ctx *ctx, int64_t n, const double *K, bool *mercer,
                                        double *asymmetry, double *smallest);

/* What smr_dist_values gives of x; the last two, of a probability x. */
typedef enum smr_dist_value {
    SMR_DIST_DENSITY = 0,       /* or P(X = x)                                                   */
    SMR_DIST_LOG_DENSITY = 1,   /*                                                               */
    SMR_DIST_LOWER = 2,         /* P(X <= x)                                                     */
    SMR_DIST_UPPER = 3,         /* P(X > x), with digits where 1 - P(X <= x) has none            */
    SMR_DIST_LOG_LOWER = 4,     /* their logarithms, also where they underflow                   */
    SMR_DIST_LOG_UPPER = 5,     /*                                                               */
    SMR_DIST_QUANTILE = 6,      /* the smallest y with P(X <= y) >= x                            */
    SMR_DIST_UPPER_QUANTILE = 7 /* the smallest y with P(X > y) <= x                             */
} smr_dist_value;

/* Distributions with their parameters: bernoulli p, binomial n p, poisson rate, beta a b, gamma
 * shape rate, inverse-gamma shape scale, exponential rate, gaussian mean sd, student-t df mean
 * scale, chi-square df.  Of several numbers, with densities and draws alone: categorical p... (x:
 * 0, 1, ...), dirichlet a..., multivariate-gaussian mean (d) covariance (d x d), wishart and
 * inverse-wishart df scale (d x d).  out[i] is the value of x[i]; outside the support the density
 * is 0.  Relative errors are below 1e-12, in both tails (docs/estimate.md). */
SMR_API smr_status smr_dist_values(smr_ctx *ctx, const char *name, const double *params,
                                   int64_t n_params, smr_dist_value what, int64_t n,
                                   const double *x, double *out);
/* n independent draws, functions of the context's seed and their number alone. */
SMR_API smr_status smr_dist_draw(smr_ctx *ctx, const char *name, const double *params,
                                 int64_t n_params, int64_t n, double *out);

typedef struct smr_estimate_opts {
    size_t size;        /* sizeof(smr_estimate_opts)                                            */
    const char *family; /* bernoulli, categorical, gaussian, poisson, exponential, or
                           multivariate-gaussian; NULL: by the column's values                  */
    const char *prior;  /* "beta a b", "dirichlet a", "gamma shape rate",
                           "nig mean strength shape scale", "niw mean strength df scale"; NULL:
                           as in docs/estimate.md                                               */
    const char *weight; /* column of row weights, or NULL                                       */
    double level;       /* of the intervals; 0: 0.95                                            */
    bool figures;       /* add the pictures as data                                             */
} smr_estimate_opts;

/* Parameters of the distributions of columns (names with commas; NULL: all) as a JSON object: by
 * maximum likelihood, as mode and mean of the posterior, with intervals, and how well they fit
 * (docs/estimate.md); smr_string_free.  `opts` may be NULL. */
SMR_API smr_status smr_estimate(smr_ctx *ctx, const smr_table *table, const char *columns,
                                const smr_estimate_opts *opts, char **json);
/* Bayes' rule: posterior[i] = prior[i] likelihood[i] / total, their sum, for n hypotheses; the
 * prior must sum to 1.  Likelihoods are probabilities or densities of what was seen. */
SMR_API smr_status smr_bayes_rule(smr_ctx *ctx, int64_t n, const double *prior,
                                  const double *likelihood, double *posterior, double *total);

typedef enum smr_filter_edge {
    SMR_FILTER_ZERO = 0,   /* beyond the edge lie zeros                                  */
    SMR_FILTER_REPEAT = 1, /* or the edge again                                          */
    SMR_FILTER_WHOLE = 2   /* the kernel does not reach over the edge: fewer numbers     */
} smr_filter_edge;

typedef struct smr_filter_opts {
    size_t size; /* sizeof(smr_filter_opts)                                            */
    smr_filter_edge edge;
    int64_t channels; /* numbers of a pixel, each filtered by itself; 0: 1                  */
    int64_t stride;   /* the kernel moves by so many pixels; 0: 1                           */
} smr_filter_opts;

/* Filters rows x columns of numbers (a picture, row by row from the top) with a kernel, as a
 * convolutional layer does: each number becomes the sum of those around it, times the kernel laid
 * over them.  Sizes are rows and columns; out_size is set to that of the result, for which out (or
 * NULL: only the size is asked for) has room. */
SMR_API smr_status smr_filter_grid(smr_ctx *ctx, const int64_t size[2], const double *x,
                                   const int64_t kernel_size[2], const double *kernel,
                                   const smr_filter_opts *opts, int64_t out_size[2], double *out);

typedef struct smr_quantize_opts {
    size_t size;              /* sizeof(smr_quantize_opts)                                       */
    int64_t k;                /* colours, up to 256, or blocks; 0: 16 colours, 256 blocks        */
    int64_t block_height;     /* pixels of a block; 0, as block_width: colours                   */
    int64_t block_width;      /*                                                                 */
    const char *settings;     /* of kmeans, such as "starts=20 moves=10"; NULL: as they are      */
    const char *picture_size; /* of smr_open_opts, as the next two: what becomes of it first     */
    const char *picture_fit;  /*                                                                 */
    bool grey;                /*                                                                 */
    bool lab;                 /* distances of colours are those of CIELAB                        */
    bool dither;              /* what a pixel is off goes to its neighbours                      */
} smr_quantize_opts;

/* A picture in few colours or as few blocks of pixels (docs/quantize.md). */
typedef struct smr_quantized smr_quantized;

/* The files that it is written as. */
typedef enum smr_quantized_part {
    SMR_QUANTIZED_PICTURE = 0, /* a PNG                                                         */
    SMR_QUANTIZED_CODE = 1,    /* of blocks: what .vq files hold, which smr_quantize_open opens */
    SMR_QUANTIZED_PALETTE = 2  /* a PNG of the colours or of the blocks                         */
} smr_quantized_part;

/* Quantises a PNG, JPEG, PBM, PGM or PPM file, or makes the picture of a code of blocks again.
 * `opts` may be NULL; json (NULL: not wanted) receives sizes and errors; smr_string_free. */
SMR_API smr_status smr_quantize_open(smr_ctx *ctx, const char *path, const smr_quantize_opts *opts,
                                     smr_quantized **out, char **json);
/* The same of the bytes of such a file: of pixels, "P6 width height 255", a line's end, and red,
 * green, blue of each. */
SMR_API smr_status smr_quantize_read(smr_ctx *ctx, const char *bytes, int64_t length,
                                     const smr_quantize_opts *opts, smr_quantized **out,
                                     char **json);
SMR_API void smr_quantized_free(smr_quantized *quantized);
/* The bytes of a file, which live as long as it does; NULL where there is none. */
SMR_API const char *smr_quantized_file(const smr_quantized *quantized, smr_quantized_part part,
                                       int64_t *length);
/* The pixels, 0 to 255: rows x columns x channels, of which size is set, in this order; pixels may
 * be NULL: only the size is asked for. */
SMR_API smr_status smr_quantized_pixels(smr_ctx *ctx, const smr_quantized *quantized,
                                        int64_t size[3], uint8_t *pixels);

/* What the model learned, as a JSON object; smr_string_free. */
SMR_API smr_status smr_inspect(smr_ctx *ctx, const smr_model *model, char **json);

typedef struct smr_explain_opts {
    size_t size;          /* sizeof(smr_explain_opts)                                          */
    const char *columns;  /* names with commas; NULL: all inputs (regions: the only two)       */
    const char *measure;  /* importance: names with commas; NULL: error, or rmse               */
    const char *positive; /* dependence, shapley: this class alone; NULL                       */
    const char *weight;   /* column of row weights, or NULL                                    */
    int64_t repeats;      /* importance: shuffles of a column; 0: 10                           */
    int64_t grid;         /* points along a column; 0: 40, 20 for two, 100 for regions         */
    int64_t single_rows;  /* dependence: the number of rows shown with their own curves        */
    int64_t most_rows;    /* at random; 0: all rows, but 1000 for dependence and shapley       */
    int64_t row;          /* path, shapley, proximity, maps: from 1; 0: the first for path and
                             maps, all for the others */
    int64_t nearest;      /* proximity: the rows shown beside each; 0: 5                       */
    int64_t tree;         /* path: through this tree alone, from 1; 0: all trees, summed       */
    const char *layer;    /* maps: names with commas; NULL: all layers that give pictures      */
} smr_explain_opts;

/* What the model makes of its columns, as a JSON object (smr_string_free).  what: "importance", how
 * much worse it gets when a column is shuffled; "dependence", its mean prediction by a column's
 * value; "regions", what it predicts over a plane of two columns; "shapley", what each column adds
 * to the score of each row, exactly, for learners that can tell; "path", which questions the trees
 * ask about a row; "proximity", which rows end in the same leaves; "maps", what each layer of a net
 * makes of a row.  Densities and outliers have the dependence of their scores. */
SMR_API smr_status smr_explain(smr_ctx *ctx, const char *what, const smr_model *model,
                               const smr_table *table, const smr_explain_opts *opts, char **json);
/* Fails unless it is one of these seven words, naming the nearest; needs no data. */
SMR_API smr_status smr_explain_check(smr_ctx *ctx, const char *what);
/* Every learner with its tasks and parameters, as a JSON object; smr_string_free. */
SMR_API smr_status smr_list(smr_ctx *ctx, char **json);

/* ---- Bayesian networks ------------------------------------------------------------------ */

/* Variables with levels, a graph of them without cycles, and for each variable a table of the
 * probabilities of its levels given its parents' (docs/bayesnet.md).  It is never changed by using
 * it.  Variables, levels and parents are numbered from 0. */
typedef struct smr_network smr_network;

/* From a file in samara's own form or in BIF, or the file of a bayesnet model; the same from the
 * text of such a network; from a model.  The caller frees *out. */
SMR_API smr_status smr_network_open(smr_ctx *ctx, const char *path, smr_network **out);
SMR_API smr_status smr_network_read(smr_ctx *ctx, const char *text, int64_t length,
                                    smr_network **out);
SMR_API smr_status smr_network_of_model(smr_ctx *ctx, const smr_model *model, smr_network **out);
SMR_API void smr_network_free(smr_network *net);
/* Writes BIF where the name ends in .bif, else samara's own form; "-": to standard output.
 * The same as text, which is freed with smr_string_free. */
SMR_API smr_status smr_network_save(smr_ctx *ctx, const smr_network *net, const char *path);
SMR_API smr_status smr_network_write(smr_ctx *ctx, const smr_network *net, bool bif, char **text);

/* How many variables there are, and names as smr_table_level gives them: bytes owned by the network
 * and their number; NULL if there is none.  Numbers by name: -1 if there is none. */
SMR_API int64_t smr_network_n_variables(const smr_network *net);
SMR_API const char *smr_network_variable(const smr_network *net, int64_t i, int64_t *length);
SMR_API int64_t smr_network_find(const smr_network *net, const char *variable);
SMR_API int64_t smr_network_n_levels(const smr_network *net, int64_t i);
SMR_API const char *smr_network_level(const smr_network *net, int64_t i, int64_t k,
                                      int64_t *length);
SMR_API int64_t smr_network_find_level(const smr_network *net, int64_t i, const char *level);
SMR_API int64_t smr_network_n_parents(const smr_network *net, int64_t i);
SMR_API int64_t smr_network_parent(const smr_network *net, int64_t i, int64_t k);
/* The table of variable i, owned by the network: a row of its levels' probabilities for each
 * combination of its parents' levels, the last parent's changing fastest.  NULL if there is no
 * variable i. */
SMR_API const double *smr_network_table(const smr_network *net, int64_t i);

/* Exact probabilities of every level of every variable, one variable after the other, given
 * evidence[i], the level of variable i or -1 (NULL: nothing is known).  *log_evidence (NULL: not
 * wanted): the logarithm of the evidence's probability; if that is 0, SMR_ERR_DATA.  Memory is
 * estimated first. */
SMR_API smr_status smr_network_marginals(smr_ctx *ctx, const smr_network *net,
                                         const int64_t *evidence, double *p, double *log_evidence);
/* level[i] = the level of every variable in the most probable combination that has the evidence;
 * *log_p (NULL: not wanted): the logarithm of its probability given the evidence. */
SMR_API smr_status smr_network_likeliest(smr_ctx *ctx, const smr_network *net,
                                         const int64_t *evidence, int64_t *level, double *log_p);

typedef struct smr_query_opts {
    size_t size;     /* sizeof(smr_query_opts)                                                  */
    int64_t samples; /* answer from so many weighted samples; 0: exactly, where memory allows   */
    bool likeliest;  /* the levels that are likeliest together, instead of all probabilities    */
    bool figures;    /* add the graph as data                                                   */
} smr_query_opts;

/* A query in words, "P(A, B=yes | C=no)" or "P(* | C=no)", answered as `samara belief query` and
 * `likeliest` do: a JSON object; smr_string_free.  `opts` may be NULL. */
SMR_API smr_status smr_network_query(smr_ctx *ctx, const smr_network *net, const char *query,
                                     const smr_query_opts *opts, char **json);
/* Are variables a and b independent given others, whatever the tables hold (d-separation)?  json
 * (NULL: not wanted): the paths between them, and what opens or blocks each; smr_string_free. */
SMR_API smr_status smr_network_separated(smr_ctx *ctx, const smr_network *net, const char *a,
                                         const char *b, const char *const *given, int64_t n_given,
                                         bool *separated, char **json);
/* n_rows rows drawn from the network, as a table of categories that the caller frees; the context's
 * seed decides them. */
SMR_API smr_status smr_network_sample(smr_ctx *ctx, const smr_network *net, int64_t n_rows,
                                      smr_table **out);
/* The likeliest level of one variable for each row of a table, and p(LEVEL) of all its levels,
 * given the row's other columns: a table that the caller frees.  Missing values, levels that the
 * network does not have and variables without a column are summed out. */
SMR_API smr_status smr_network_predict(smr_ctx *ctx, const smr_network *net, const smr_table *table,
                                       const char *variable, smr_table **out);

/* ---- graphs ----------------------------------------------------------------------------- */

/* Nodes and undirected edges with weights above 0 (docs/graph-clusters.md): given, or a
 * table's rows.  It is never changed by using it.  Nodes are numbered from 0. */
typedef struct smr_links smr_links;

/* From a file of edges, or the same as text: a line for each, two names of nodes and perhaps a
 * weight; from n_edges pairs of nodes below n_nodes, weight NULL: all 1.  Edges from a node to
 * itself are left out, and the weights of equal edges are added up, both with a warning.  The
 * caller frees *out. */
SMR_API smr_status smr_links_open(smr_ctx *ctx, const char *path, smr_links **out);
SMR_API smr_status smr_links_read(smr_ctx *ctx, const char *text, int64_t length, smr_links **out);
SMR_API smr_status smr_links_of_edges(smr_ctx *ctx, int64_t n_nodes, int64_t n_edges,
                                      const int64_t *a, const int64_t *b, const double *weight,
                                      smr_links **out);
/* The graph of a table's rows that "standardize | spectral neighbors=5" divides (NULL: spectral);
 * ignore (NULL: none): columns that are left out; weight (NULL: none): a column of row weights.
 * Nodes are the rows that have a weight; their names are the rows' numbers from 0. */
SMR_API smr_status smr_links_of_table(smr_ctx *ctx, const smr_table *table, const char *sentence,
                                      const char *ignore, const char *weight, smr_links **out);
SMR_API void smr_links_free(smr_links *links);

/* How many nodes and edges there are; names of nodes as smr_network_variable gives them (of arrays
 * their numbers), and numbers by name, -1 if there is none.  smr_links_edges writes every edge once
 * (a < b; each may be NULL) and returns how many there are. */
SMR_API int64_t smr_links_n_nodes(const smr_links *links);
SMR_API int64_t smr_links_n_edges(const smr_links *links);
SMR_API const char *smr_links_node(const smr_links *links, int64_t i, int64_t *length);
SMR_API int64_t smr_links_find(const smr_links *links, const char *node);
SMR_API int64_t smr_links_edges(const smr_links *links, int64_t *a, int64_t *b, double *weight);

/* Divides the graph by eigenvectors of its Laplacian, as settings of spectral say ("2 assign=sign",
 * "k_most=5"; NULL: the defaults).  label (NULL: not wanted): the cluster of each node; json (NULL:
 * not wanted): parts, eigenvalues, cuts and figures as `samara graph divide` tells them
 * (smr_string_free). */
SMR_API smr_status smr_links_divide(smr_ctx *ctx, const smr_links *links, const char *settings,
                                    int64_t *label, char **json);

typedef struct smr_links_cuts {
    int64_t n_groups;
    double cut;         /* the weight of the edges between groups                               */
    double ratio_cut;   /* for each group what leaves it, by the number of its nodes, in sum    */
    double ncut;        /* by the sum of its nodes' weights of edges                            */
    double min_max_cut; /* by twice the weight of the edges within; infinite where there is none */
} smr_links_cuts;

/* What any groups of the nodes cut: label has a number for each node, equal ones are a group. */
SMR_API smr_status smr_links_cut(smr_ctx *ctx, const smr_links *links, const int64_t *label,
                                 smr_links_cuts *out);
/* The groups of a file with a line for each node, its name and that of its group; they are numbered
 * as they come. */
SMR_API smr_status smr_links_read_groups(smr_ctx *ctx, const smr_links *links, const char *path,
                                         int64_t *label);

#ifdef __cplusplus
}
#endif

#endif
