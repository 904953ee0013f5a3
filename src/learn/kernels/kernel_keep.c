/* kernel_keep.c -- which points stay, and are they sound after a load: see kernel_points.h. */
#include "learn/kernels/kernel_tile.h"

#include <string.h>

static void release_arrays(smr_kernel_points *p)
{
    smr_kernel_release(p);
    smr_free(p->gamma);
    smr_free(p->center);
    smr_free(p->x_f32);
    smr_free(p->x_f64);
    smr_free(p->start);
    smr_free(p->column);
    smr_free(p->value_f32);
    smr_free(p->value_f64);
    smr_free(p->text_feature);
    smr_free(p->text_number);
    smr_free(p->word_text);
    smr_free(p->strings.start);
    smr_free(p->strings.bytes);
    smr_free(p->place);
    *p = (smr_kernel_points){0};
}

void smr_kernel_close(smr_kernel_set *set)
{
    release_arrays(&set->points);
    *set = (smr_kernel_set){0};
}

/* A copy of chosen rows of `size` bytes each; NULL of NULL. */
static smr_status pick(smr_ctx *ctx, const void *from, int64_t size, const int32_t *index,
                       int64_t n, void **out)
{
    char *to = NULL;
    if (!from) return SMR_OK;
    to = smr_alloc_raw(ctx, n * size + 1, 1);
    if (!to) return SMR_ERR_NOMEM;
    for (int64_t i = 0; i < n; i++)
        memcpy(to + i * size, (const char *)from + index[i] * size, (size_t)size);
    *out = to;
    return SMR_OK;
}

static smr_status pick_entries(smr_ctx *ctx, const smr_kernel_points *from, const int32_t *index,
                               smr_kernel_points *to)
{
    smr_status st = SMR_OK;
    if (!from->start) return SMR_OK;
    to->n_starts = to->n + 1;
    TRY_NEW(to->start, to->n_starts);
    for (int64_t i = 0; i < to->n; i++)
        to->start[i + 1] = to->start[i] + from->start[index[i] + 1] - from->start[index[i]];
    to->n_entries = to->start[to->n];
    TRY_NEW(to->column, to->n_entries + 1);
    if (from->value_f32) TRY_NEW(to->value_f32, to->n_entries + 1);
    if (from->value_f64) TRY_NEW(to->value_f64, to->n_entries + 1);
    for (int64_t i = 0; i < to->n; i++) {
        int64_t at = from->start[index[i]], n = to->start[i + 1] - to->start[i], k = to->start[i];
        memcpy(to->column + k, from->column + at, (size_t)n * sizeof *to->column);
        if (to->value_f32) memcpy(to->value_f32 + k, from->value_f32 + at, (size_t)n * 4);
        if (to->value_f64) memcpy(to->value_f64 + k, from->value_f64 + at, (size_t)n * 8);
    }
out:
    return st;
}

static smr_status pick_strings(smr_ctx *ctx, const smr_kernel_points *from, const int32_t *index,
                               smr_kernel_points *to)
{
    smr_status st = SMR_OK;
    int64_t t = from->n_texts, length;
    smr_strings *s = &to->strings;
    to->n_strings = to->n * t;
    TRY_NEW(s->start, to->n_strings + 1);
    for (int64_t i = 0; i < to->n_strings; i++) {
        smr_strings_get(&from->strings, index[i / t] * t + i % t, &length);
        s->start[i + 1] = s->start[i] + length;
    }
    TRY_NEW(s->bytes, s->start[to->n_strings] + 1);
    for (int64_t i = 0; i < to->n_strings; i++) {
        const char *text = smr_strings_get(&from->strings, index[i / t] * t + i % t, &length);
        memcpy(s->bytes + s->start[i], text, (size_t)length);
    }
    s->n = to->n_strings;
out:
    return st;
}

static smr_status pick_all(smr_ctx *ctx, const smr_kernel_points *from, const int32_t *index,
                           smr_kernel_points *to)
{
    smr_status st = SMR_OK;
    int64_t n = to->n, d = from->d, t = from->n_texts;
    const int32_t zero = 0;
    TRY(pick(ctx, from->gamma, from->n_words * 8, &zero, 1, (void **)&to->gamma));
    TRY(pick(ctx, from->center, d * 8, &zero, 1, (void **)&to->center));
    TRY(pick(ctx, from->text_feature, t * 4, &zero, 1, (void **)&to->text_feature));
    TRY(pick(ctx, from->text_number, t * 4, &zero, 1, (void **)&to->text_number));
    TRY(pick(ctx, from->word_text, from->n_words * 4, &zero, 1, (void **)&to->word_text));
    TRY(pick(ctx, from->x_f32, d * 4, index, n, (void **)&to->x_f32));
    if (!from->place) TRY(pick(ctx, from->x_f64, d * 8, index, n, (void **)&to->x_f64));
    TRY(pick(ctx, from->place, 4, index, n, (void **)&to->place));
    TRY(pick_entries(ctx, from, index, to));
    TRY(pick_strings(ctx, from, index, to));
out:
    return st;
}

smr_status smr_kernel_keep(smr_ctx *ctx, smr_kernel_set *set, const int32_t *index, int64_t n,
                           smr_kernel_points *out)
{
    smr_kernel_points *from = &set->points;
    if (!index) {
        *out = *from;
        *from = (smr_kernel_points){0};
        if (out->place) { /* the values have done their work */
            smr_kernel_release(out);
            smr_free(out->x_f64);
            out->x_f64 = NULL;
        }
        return SMR_OK;
    }
    *out = (smr_kernel_points){.n = n,
                               .d = from->d,
                               .n_texts = from->n_texts,
                               .n_words = from->n_words,
                               .reach = from->reach};
    return pick_all(ctx, from, index, out); /* what is there if it fails is the state's to free */
}

smr_form smr_kernel_form(const smr_kernel_points *p)
{
    bool rounded = p->x_f32 && !p->center; /* else digits are lost before the centre is taken off */
    return p->start ? SMR_FORM_SPARSE : rounded ? SMR_FORM_F32 : SMR_FORM_F64;
}

/* ---- loading ---------------------------------------------------------------------------- */

static smr_status damaged(smr_ctx *ctx, const char *who, const char *what)
{
    return smr_fail(ctx, SMR_ERR_FORMAT, "%s: %s", who, what);
}

static smr_status check_numbers(smr_ctx *ctx, const char *who, const smr_kernel *k,
                                const smr_kernel_points *p)
{
    int dense = !!p->x_f32 + !!p->x_f64, sparse = !!p->value_f32 + !!p->value_f64;
    bool given = smr_kernel_has(k, SMR_KERNEL_PRECOMPUTED);
    if (!!p->place != given) return damaged(ctx, who, "places are for a precomputed kernel alone");
    if (smr_kernel_reads_numbers(k) != (p->d > 0))
        return damaged(ctx, who, "the kernel does not fit the numbers of the points");
    if (p->n_starts != 0 && p->n_starts != p->n + 1)
        return damaged(ctx, who, "sparse points must have one start more than there are points");
    bool entries = p->n_entries > 0; /* arrays without elements may be there or not */
    if (!!p->start != (p->n_starts > 0) || (entries && !p->start) || sparse > 1 ||
        (entries && (!sparse || !p->column)))
        return damaged(ctx, who, "sparse points must have starts, columns and values");
    if (p->start && (p->center || p->n_texts))
        return damaged(ctx, who, "sparse points have neither a centre nor texts");
    bool wanted = p->d > 0 && p->n > 0 && !given && !p->start;
    if (dense > 1 || (dense && (p->start || given)) || (wanted && !dense))
        return damaged(ctx, who, "the points must be there in one form");
    for (int64_t i = 0; p->start && i < p->n; i++)
        for (int64_t e = p->start[i] + 1; e < p->start[i + 1]; e++)
            if (p->column[e] <= p->column[e - 1])
                return damaged(ctx, who, "the entries of a sparse point must ascend");
    return SMR_OK;
}

static smr_status check_texts(smr_ctx *ctx, const char *who, const smr_kernel *k,
                              const smr_kernel_points *p, const smr_shape *shape)
{
    for (int64_t i = 0; i < k->n; i++) {
        const smr_kernel_node *node = &k->node[i];
        if (node->op != SMR_KERNEL_WORD) continue;
        if (smr_kernel_is_of_text(node->kind) != (p->word_text[node->leaf] >= 0))
            return damaged(ctx, who, "a kernel reads a text that it cannot");
    }
    for (int64_t j = 0, t = 0; shape->features && j < shape->n_features; j++) {
        bool text = t < p->n_texts && p->text_feature[t] == j;
        if (text != (shape->features[j].kind == SMR_TEXT) ||
            (text && p->text_number[t] != shape->features[j].text))
            return damaged(ctx, who, "the texts of the points are not those that come in");
        t += text;
    }
    return SMR_OK;
}

smr_status smr_kernel_check(smr_ctx *ctx, const char *who, const smr_kernel *k,
                            const smr_kernel_points *p, const smr_shape *shape)
{
    smr_status st = SMR_OK;
    if (p->n_words != k->n_words)
        return damaged(ctx, who, "the points do not fit the kernel's expression");
    if (!p->strings.start) return damaged(ctx, who, "the texts of the points are missing");
    if (p->d + p->n_texts != shape->n_features)
        return damaged(ctx, who, "the points do not have the features that come in");
    TRY(check_numbers(ctx, who, k, p));
    TRY(check_texts(ctx, who, k, p, shape));
out:
    return st;
}

/* ---- a learner that begins with both ---------------------------------------------------- */

smr_status smr_kernelled_prepare(smr_ctx *ctx, const void *params, void *state)
{
    return smr_kernel_prepare(ctx, params, state);
}

smr_status smr_kernelled_check(smr_ctx *ctx, const void *params, const void *state,
                               const smr_shape *shape)
{
    return smr_kernel_check(ctx, shape->learner->word->name, params, state, shape);
}

void smr_kernelled_release(void *state)
{
    smr_kernel_release(state);
}

smr_form smr_kernelled_form(const void *state)
{
    return smr_kernel_form(state);
}

void smr_kernelled_nature(const void *params, smr_nature *its)
{
    smr_kernel_nature(params, its);
}

const char *smr_kernelled_texts(const void *params)
{
    return smr_kernel_texts(params);
}
