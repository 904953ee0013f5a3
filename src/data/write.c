/* write.c -- tables into files: the parts that the formats share.
 *
 * Blocks of rows are formatted by all lanes, a wave of them at a time, while one task writes the
 * wave before it; so formatting, packing and writing overlap, and the bytes come in order. */
#include "core/number.h"
#include "core/parallel.h"
#include "data/calendar.h"
#include "data/formats.h"
#include "data/packing.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <strings.h>

/* ---- rows in parallel ------------------------------------------------------------------- */

struct wave {
    smr_text *text; /* n */
    int64_t n;
};

struct job {
    smr_sink *sink;
    int64_t n_rows, block, first; /* first: number of the block that `fill` begins with */
    smr_format_rows_fn fn;
    const void *arg;
    struct wave fill, drain;
};

static smr_status write_wave(smr_ctx *ctx, struct job *j)
{
    smr_status st = SMR_OK;
    for (int64_t k = 0; k < j->drain.n; k++)
        TRY(smr_sink_write(ctx, j->sink, j->drain.text[k].bytes, j->drain.text[k].length));
out:
    return st;
}

/* Task 0 writes the last wave, task k formats block k - 1 of this one. */
static smr_status run_task(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct job *j = arg;
    (void)lane;
    if (task == 0) return write_wave(ctx, j);
    int64_t b = j->first + task - 1;
    smr_text *text = &j->fill.text[task - 1];
    text->ctx = ctx;
    text->length = 0;
    j->fn(j->arg, b * j->block, smr_block_end(j->n_rows, j->block, b), text);
    return smr_text_done(text);
}

smr_status smr_write_rows(smr_ctx *ctx, smr_sink *sink, int64_t n_rows, int64_t block,
                          smr_format_rows_fn fn, const void *arg)
{
    smr_status st = SMR_OK;
    int64_t n_blocks = smr_block_count(n_rows, block), room = 2 * (int64_t)smr_lanes(ctx);
    struct job j = {.sink = sink, .n_rows = n_rows, .block = block, .fn = fn, .arg = arg};
    TRY_NEW(j.fill.text, room);
    TRY_NEW(j.drain.text, room);
    for (; j.first < n_blocks; j.first += room) {
        TRY(smr_tick(ctx, "writing", j.first, n_blocks, NAN));
        j.fill.n = SMR_MIN(room, n_blocks - j.first);
        TRY(smr_parallel(ctx, NULL, j.fill.n + 1, run_task, &j));
        struct wave full = j.fill;
        j.fill = j.drain;
        j.drain = full;
    }
    TRY(write_wave(ctx, &j));
out:
    for (int64_t k = 0; k < room; k++) {
        if (j.fill.text) smr_free(j.fill.text[k].bytes);
        if (j.drain.text) smr_free(j.drain.text[k].bytes);
    }
    smr_free(j.fill.text);
    smr_free(j.drain.text);
    return st;
}

int64_t smr_write_block(int64_t width)
{
    return SMR_MAX(1, SMR_MIN(8192, (16 << 10) / SMR_MAX(width, 1)));
}

smr_status smr_write_check_sparse(smr_ctx *ctx, const smr_table *t, const char *format)
{
    double values = (double)t->n_rows * (double)t->sparse.n_cols;
    if (values <= 1e9) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                    "a sparse table of %" PRId64 " x %" PRId64 " would be spelled out as %.1f "
                    "thousand million values in a %s file; write a .svm file instead",
                    t->n_rows, t->sparse.n_cols, values / 1e9, format);
}

/* ---- values ----------------------------------------------------------------------------- */

bool smr_text_reserve(smr_text *text, int64_t more)
{
    if (text->failed) return false;
    if (text->room - text->length > more) return true;
    int64_t room = 2 * text->room + more + 64;
    char *bytes = smr_realloc(text->ctx, text->bytes, room, 1);
    text->failed = !bytes;
    if (!bytes) return false;
    text->bytes = bytes;
    text->room = room;
    return true;
}

/* Whole numbers have a path of their own: they are the most frequent, and need no search. */
static int format_whole(int64_t v, char *out)
{
    char digits[24];
    int n = 0, length = 0;
    uint64_t u = v < 0 ? (uint64_t)-v : (uint64_t)v;
    if (v < 0) out[length++] = '-';
    do digits[n++] = (char)('0' + u % 10);
    while (u /= 10);
    while (n > 0) out[length++] = digits[--n];
    return length;
}

void smr_text_value(smr_text *out, const smr_column *c, int64_t i)
{
    if (!smr_text_reserve(out, SMR_NUMBER_MAX)) return;
    char *to = out->bytes + out->length;
    double x = smr_column_number(c, i);
    if (c->dtype == SMR_U8 || c->dtype == SMR_I32 ||
        (fabs(x) < 1e9 && x == (double)(int32_t)x && !(x == 0 && signbit(x))))
        out->length += format_whole((int64_t)x, to);
    else
        out->length += smr_format_double(x, to);
}

/* The fewest groups of three decimals that read back as the same moment. */
static void add_fraction(smr_text *out, double seconds, double whole)
{
    static const double scale[] = {1e3, 1e6, 1e9};
    int group = 0;
    double digits = 0;
    for (; group < 2; group++) {
        digits = floor((seconds - whole) * scale[group] + 0.5);
        if (whole + digits / scale[group] == seconds) break;
    }
    if (group == 2) digits = floor((seconds - whole) * scale[group] + 0.5);
    digits = smr_fmin(digits, scale[group] - 1); /* the fraction is below 1 */
    smr_text_printf(out, ".%0*" PRId64, 3 * (group + 1), (int64_t)digits);
}

void smr_text_date(smr_text *out, double seconds, bool has_time)
{
    static const double DAY = 86400;
    double whole = floor(seconds), day = floor(seconds / DAY);
    if (!(fabs(day) < 1e9)) { /* no calendar reaches there */
        smr_text_number(out, seconds);
        return;
    }
    int64_t year, second = (int64_t)(whole - day * DAY);
    int month, date;
    smr_date_from_days((int64_t)day, &year, &month, &date);
    smr_text_printf(out, "%04" PRId64 "-%02d-%02d", year, month, date);
    if (!has_time) return;
    smr_text_printf(out, "T%02d:%02d:%02d", (int)(second / 3600), (int)(second / 60 % 60),
                    (int)(second % 60));
    if (whole != seconds) add_fraction(out, seconds, whole);
}

/* ---- levels ----------------------------------------------------------------------------- */

static smr_status spell(smr_ctx *ctx, const smr_strings *levels, smr_spell_fn fn, char delimiter,
                        smr_strings *out)
{
    smr_status st = SMR_OK;
    smr_text text = {.ctx = ctx};
    TRY_NEW(out->start, levels->n + 1);
    for (int64_t k = 0; k < levels->n; k++) {
        int64_t n;
        const char *s = smr_strings_get(levels, k, &n);
        fn(&text, s, n, delimiter);
        out->start[k + 1] = text.length;
    }
    TRY(smr_text_done(&text));
    out->n = levels->n;
    out->bytes = text.bytes;
    text.bytes = NULL;
out:
    smr_text_release(&text);
    return st;
}

smr_status smr_spell_levels(smr_ctx *ctx, const smr_table *t, smr_spell_fn fn, char delimiter,
                            smr_strings **out)
{
    smr_status st = SMR_OK;
    TRY_NEW(*out, t->n_cols);
    for (int64_t j = 0; j < t->n_cols; j++)
        if (t->cols[j].kind == SMR_CATEGORY || t->cols[j].kind == SMR_TEXT)
            TRY(spell(ctx, &t->cols[j].levels, fn, delimiter, &(*out)[j]));
out:
    return st;
}

void smr_spelled_release(const smr_table *t, smr_strings *spelled)
{
    for (int64_t j = 0; spelled && j < t->n_cols; j++) {
        smr_free(spelled[j].start);
        smr_free(spelled[j].bytes);
    }
    smr_free(spelled);
}

/* ---- the file --------------------------------------------------------------------------- */

static bool ends_in(const char *path, size_t cut, const char *ending)
{
    size_t n = strlen(path) - cut, m = strlen(ending);
    return n > m && !strncasecmp(path + n - m, ending, m);
}

static smr_status write_format(smr_ctx *ctx, const smr_table *t, smr_format format, char delimiter,
                               smr_sink *sink)
{
    switch (format) {
    case SMR_FORMAT_CSV: return smr_csv_write(ctx, t, delimiter, sink);
    case SMR_FORMAT_LIBSVM: return smr_libsvm_write(ctx, t, sink);
    case SMR_FORMAT_ARFF: return smr_arff_write(ctx, t, sink);
    case SMR_FORMAT_NPY: return smr_npy_write(ctx, t, sink);
    case SMR_FORMAT_JSONL: return smr_jsonl_write(ctx, t, sink);
    case SMR_FORMAT_IDX: return smr_idx_write(ctx, t, sink);
    case SMR_FORMAT_SQLITE:
    case SMR_FORMAT_PICTURE:
    case SMR_FORMAT_CIFAR10:
    case SMR_FORMAT_CIFAR100:
    case SMR_FORMAT_CIFAR100_COARSE:
    case SMR_FORMAT_AUTO: break;
    }
    return smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                    "%s files cannot be written; csv, jsonl, libsvm, arff, npy and idx can",
                    smr_format_name(format));
}

smr_status smr_table_write(smr_ctx *ctx, const smr_table *t, const char *path, smr_format format)
{
    smr_status st = SMR_OK;
    smr_sink *sink = NULL;
    const smr_packing *packing = smr_packing_of_path(path);
    size_t cut = (size_t)smr_packed_ending(path);
    char delimiter = ends_in(path, cut, ".tsv") || ends_in(path, cut, ".tab") ? '\t' : ',';
    if (format == SMR_FORMAT_AUTO) format = smr_format_of_path(path);
    if (format == SMR_FORMAT_AUTO && !strcmp(path, "-")) format = SMR_FORMAT_CSV;
    if (format == SMR_FORMAT_AUTO)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "%s: the name does not say which format to write; end it in .csv, .tsv, "
                        ".jsonl, .svm, .arff, .npy or .idx (and .gz, .zst or .xz)",
                        path);
    TRY(smr_sink_open_packed(ctx, path, packing, &sink));
    TRY(write_format(ctx, t, format, delimiter, sink));
    TRY(smr_sink_commit(ctx, sink));
out:
    smr_sink_close(sink);
    return st;
}
