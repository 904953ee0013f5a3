/* samara.h -- machine learning in C: the one public header.
 *
 * Every call that can fail takes a context first, returns smr_status, and leaves one sentence in
 * the context that says what was wrong and what to do about it (smr_ctx_message).  The library
 * never prints, exits or aborts, and changes nothing outside the objects it is given.
 *
 * One context serves one calling thread at a time; it uses up to n_threads threads of its own
 * inside a call.  A fitted model is never changed by using it: any number of threads may predict
 * with one model, each with its own context.
 *
 * Same data, same sentence, same seed: same model, byte for byte, whatever the number of threads.
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
    int n_threads;        /* 0: all the machine's                                              */
    uint64_t seed;        /* every random number is a function of it; default 0                */
    int64_t memory_limit; /* bytes; 0: three quarters of the machine's memory                  */
    smr_log_fn log;       /* NULL: messages are kept, not shown                                */
    void *log_user;
    smr_progress_fn progress; /* NULL: no progress, no cancelling                              */
    void *progress_user;
} smr_ctx_opts;

/* Creates a context.  `opts` may be NULL for the defaults.  On failure *out is NULL. */
SMR_API smr_status smr_ctx_create(const smr_ctx_opts *opts, smr_ctx **out);
/* Accepts NULL. */
SMR_API void smr_ctx_destroy(smr_ctx *ctx);
/* The sentence of the last failed call, "" if none; valid until the next call on this context. */
SMR_API const char *smr_ctx_message(const smr_ctx *ctx);
SMR_API smr_status smr_ctx_status(const smr_ctx *ctx);
/* Forgets the last failure. */
SMR_API void smr_ctx_clear(smr_ctx *ctx);
/* Bytes held now, and the most that were held at once, by objects made with this context. */
SMR_API int64_t smr_ctx_memory(const smr_ctx *ctx, int64_t *peak);
/* Asks running work to stop within a second; safe from another thread or a signal handler. */
SMR_API void smr_ctx_cancel(smr_ctx *ctx);

#ifdef __cplusplus
}
#endif

#endif
