/* block.c -- see block.h.
 *
 * Elements whose width is also the stored width are read straight into the block and byte-swapped
 * there if the file has the other order; the others go through STEP elements of scratch per
 * lane. */
#include "data/block.h"

#include "core/parallel.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Elements: a task takes CHUNK of them (2 MB of doubles, a huge page), STEP at a time, so that they
 * are still in the cache when they are converted and searched for NaN. */
enum { CHUNK = 256 << 10, STEP = 16 << 10 };

smr_dtype smr_element_dtype(smr_element e)
{
    if (e.kind == 'f' && e.size == 4) return SMR_F32;
    if ((e.kind == 'u' || e.kind == 'b') && e.size == 1) return SMR_U8;
    if (e.kind == 'i' && e.size == 4) return SMR_I32;
    return SMR_F64;
}

/* ---- conversion ------------------------------------------------------------------------- */

static bool other_order(smr_element e)
{
    return e.size > 1 && e.big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

static void swap_bytes(void *x, int size, int64_t n)
{
    uint16_t *h = x;
    uint32_t *w = x;
    uint64_t *q = x;
    for (int64_t i = 0; size == 2 && i < n; i++) h[i] = __builtin_bswap16(h[i]);
    for (int64_t i = 0; size == 4 && i < n; i++) w[i] = __builtin_bswap32(w[i]);
    for (int64_t i = 0; size == 8 && i < n; i++) q[i] = __builtin_bswap64(q[i]);
}

double smr_half_value(uint16_t h)
{
    int exponent = (h >> 10) & 31, mantissa = h & 1023;
    double x = exponent == 31  ? (mantissa ? NAN : INFINITY)
               : exponent == 0 ? ldexp(mantissa, -24)
                               : ldexp(mantissa + 1024, exponent - 25);
    return h & 0x8000 ? -x : x;
}

/* Returns how many integers reach 2^53, from where on doubles leave some out. */
static int64_t widen(smr_element e, const void *from, int64_t n, double *to)
{
    bool sign = e.kind == 'i';
    int64_t n_beyond = 0;
    for (int64_t i = 0; i < n; i++) {
        switch (e.size) {
        case 1: to[i] = sign ? ((const int8_t *)from)[i] : ((const uint8_t *)from)[i]; break;
        case 2:
            to[i] = e.kind == 'f' ? smr_half_value(((const uint16_t *)from)[i])
                    : sign        ? ((const int16_t *)from)[i]
                                  : ((const uint16_t *)from)[i];
            break;
        case 4: to[i] = ((const uint32_t *)from)[i]; break; /* i4 and f4 are stored as they are */
        default:
            to[i] = sign ? (double)((const int64_t *)from)[i] : (double)((const uint64_t *)from)[i];
            n_beyond += fabs(to[i]) >= 0x1p53;
        }
    }
    return n_beyond;
}

typedef double reals4 __attribute__((vector_size(32)));
typedef int64_t ints4 __attribute__((vector_size(32)));

static int64_t count_nan_f64(const double *x, int64_t n)
{
    ints4 sum = {0};
    int64_t i = 0;
    for (; i + 4 <= n; i += 4) {
        reals4 v;
        memcpy(&v, x + i, sizeof v);
        sum -= v != v;
    }
    int64_t count = sum[0] + sum[1] + sum[2] + sum[3];
    for (; i < n; i++) count += isnan(x[i]) != 0;
    return count;
}

static int64_t count_nan(smr_dtype dtype, const void *x, int64_t n)
{
    int64_t count = 0;
    if (dtype == SMR_F64) return count_nan_f64(x, n);
    for (int64_t i = 0; dtype == SMR_F32 && i < n; i++) count += isnan(((const float *)x)[i]) != 0;
    return count;
}

/* ---- plain files ------------------------------------------------------------------------ */

struct job {
    smr_source *source;
    int64_t at;
    smr_element element;
    smr_dtype dtype;
    int64_t n;
    char *block;
    char *scratch; /* STEP elements per lane, or NULL when the widths agree */
    _Atomic int64_t n_nan, n_beyond;
};

/* Elements [lo, lo + n) of the block out of the raw ones, which are in place or in scratch. */
static void settle(struct job *j, char *from, int64_t lo, int64_t n)
{
    char *to = j->block + lo * (int64_t)smr_dtype_size(j->dtype);
    if (other_order(j->element)) swap_bytes(from, j->element.size, n);
    if (from != to) j->n_beyond += widen(j->element, from, n, (double *)(void *)to);
    j->n_nan += count_nan(j->dtype, to, n);
}

static smr_status read_chunk(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    smr_status st = SMR_OK;
    struct job *j = arg;
    int64_t end = smr_block_end(j->n, CHUNK, task), size = j->element.size;
    for (int64_t lo = task * CHUNK; lo < end; lo += STEP) {
        int64_t n = SMR_MIN(STEP, end - lo);
        char *to = j->scratch ? j->scratch + (int64_t)lane * STEP * size : j->block + lo * size;
        TRY(smr_source_read_at(ctx, j->source, j->at + lo * size, to, n * size));
        settle(j, to, lo, n);
    }
out:
    return st;
}

static bool same_width(const struct job *j)
{
    return (size_t)j->element.size == smr_dtype_size(j->dtype) &&
           (j->dtype != SMR_F64 || j->element.kind == 'f');
}

static smr_status wrong_size(smr_ctx *ctx, const struct job *j, int64_t got)
{
    int64_t want = j->n * j->element.size;
    if (got < want)
        return smr_fail(ctx, SMR_ERR_FORMAT,
                        "%s: truncated: the header promises %" PRId64
                        " bytes of numbers, the file has %" PRId64,
                        smr_source_name(j->source), want, got);
    return smr_fail(ctx, SMR_ERR_FORMAT,
                    "%s: more bytes follow the last of the %" PRId64
                    " numbers that the header promises; it does not describe this file",
                    smr_source_name(j->source), j->n);
}

static smr_status read_file(smr_ctx *ctx, struct job *j, int64_t size)
{
    smr_status st = SMR_OK;
    int64_t width = (int64_t)smr_dtype_size(j->dtype);
    if (size - j->at != j->n * j->element.size) return wrong_size(ctx, j, size - j->at);
    j->block = smr_alloc_raw(ctx, j->n, (size_t)width);
    if (!j->block) TRY(SMR_ERR_NOMEM);
    if (!same_width(j)) TRY_NEW(j->scratch, (int64_t)smr_lanes(ctx) * STEP * j->element.size);
    TRY(smr_parallel(ctx, "reading", smr_block_count(j->n, CHUNK), read_chunk, j));
out:
    smr_free(j->scratch);
    j->scratch = NULL;
    return st;
}

/* ---- streams ---------------------------------------------------------------------------- */

/* Reads `want` bytes, or fewer where the stream ends. */
static smr_status read_fully(smr_ctx *ctx, smr_source *source, char *to, int64_t want, int64_t *got)
{
    smr_status st = SMR_OK;
    *got = 0;
    for (int64_t n = 1; n > 0 && *got < want; *got += n)
        TRY(smr_source_read(ctx, source, to + *got, want - *got, &n));
out:
    return st;
}

static smr_status read_stream(smr_ctx *ctx, struct job *j)
{
    smr_status st = SMR_OK;
    int64_t width = (int64_t)smr_dtype_size(j->dtype), size = j->element.size, room = 0, got;
    if (!same_width(j)) TRY_NEW(j->scratch, CHUNK * size);
    for (int64_t lo = 0; lo < j->n || lo == 0; lo += CHUNK) {
        int64_t n = SMR_MIN(CHUNK, j->n - lo);
        if (lo + n > room || !j->block) {
            room = SMR_MIN(j->n, SMR_MAX(2 * room, 4 * CHUNK));
            char *grown = smr_realloc(ctx, j->block, room, (size_t)width);
            if (!grown) TRY(SMR_ERR_NOMEM);
            j->block = grown;
        }
        char *to = j->scratch ? j->scratch : j->block + lo * size;
        TRY(read_fully(ctx, j->source, to, n * size, &got));
        if (got < n * size) TRY(wrong_size(ctx, j, lo * size + got));
        settle(j, to, lo, n);
    }
    char more;
    TRY(read_fully(ctx, j->source, &more, 1, &got));
    if (got) TRY(wrong_size(ctx, j, INT64_MAX));
out:
    smr_free(j->scratch);
    j->scratch = NULL;
    return st;
}

smr_status smr_block_read(smr_ctx *ctx, smr_source *source, int64_t at, smr_element element,
                          int64_t n, void **block, int64_t *n_nan)
{
    smr_status st = SMR_OK;
    int64_t size = smr_source_size(source);
    struct job j = {.source = source,
                    .at = at,
                    .element = element,
                    .dtype = smr_element_dtype(element),
                    .n = n};
    *block = NULL;
    TRY(size >= 0 ? read_file(ctx, &j, size) : read_stream(ctx, &j));
    if (j.n_beyond)
        smr_warn(ctx,
                 "%s: %" PRId64 " whole numbers are beyond 2^53 and were rounded to the nearest "
                 "double; if they are identifiers, leave them out with --ignore",
                 smr_source_name(source), (int64_t)j.n_beyond);
    *block = j.block;
    *n_nan = j.n_nan;
    j.block = NULL;
out:
    smr_free(j.block);
    return st;
}
