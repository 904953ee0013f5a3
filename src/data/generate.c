/* generate.c -- settings in, a table out (generate.h).  The generators are in generate_classes.c,
 * generate_shapes.c and generate_numbers.c. */
#include "data/generate.h"

#include "core/number.h"
#include "core/parallel.h"
#include "data/generate_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK = 2048, MAX_LIST = 1000000 };

static const smr_generator *const generators[] = {
    &smr_make_blobs,         &smr_make_checkerboard, &smr_make_circles,   &smr_make_classification,
    &smr_make_friedman1,     &smr_make_friedman2,    &smr_make_friedman3, &smr_make_linear,
    &smr_make_moons,         &smr_make_parity,       &smr_make_poly,      &smr_make_sine,
    &smr_make_sparse_linear, &smr_make_spirals,      &smr_make_swissroll, &smr_make_twoclass,
    &smr_make_xor,
};

const smr_generator *const *smr_generators(int64_t *n)
{
    *n = SMR_COUNT(generators);
    return generators;
}

const smr_generator *smr_generator_find(const char *name)
{
    if (strcmp(name, "friedman") == 0) return &smr_make_friedman1;
    for (int64_t g = 0; g < SMR_COUNT(generators); g++)
        if (strcmp(generators[g]->name, name) == 0) return generators[g];
    return NULL;
}

/* ---- settings ------------------------------------------------------------------------- */

static smr_status unknown_name(smr_ctx *ctx, const char *name)
{
    const char *names[SMR_COUNT(generators)];
    for (int64_t g = 0; g < SMR_COUNT(generators); g++) names[g] = generators[g]->name;
    int64_t near = smr_nearest(name, names, SMR_COUNT(generators));
    if (near >= 0)
        return smr_fail(ctx, SMR_ERR_PARAM, "there is no generator '%s'; did you mean %s?", name,
                        names[near]);
    return smr_fail(ctx, SMR_ERR_PARAM, "there is no generator '%s'; samara list names them", name);
}

smr_status smr_settings_parse(smr_ctx *ctx, const char *const *words, int64_t n, smr_settings *out)
{
    smr_status st = SMR_OK;
    smr_settings s = {0};
    size_t bytes = 1;
    *out = s;
    for (int64_t k = 0; k < n; k++) bytes += strcspn(words[k], "=") + 1;
    TRY_NEW(s.list, n + 1);
    TRY_NEW(s.text, (int64_t)bytes);
    for (char *key = s.text; s.n < n; s.n++) {
        size_t length = strcspn(words[s.n], "=");
        if (length == 0 || words[s.n][length] != '=') {
            st = smr_fail(ctx, SMR_ERR_PARAM,
                          "'%s' is not a setting; write key=value, such as n=500", words[s.n]);
            goto out;
        }
        memcpy(key, words[s.n], length);
        s.list[s.n] = (smr_setting){.key = key, .value = words[s.n] + length + 1};
        key += length + 1;
    }
    *out = s;
    return SMR_OK;
out:
    smr_settings_release(&s);
    return st;
}

void smr_settings_release(smr_settings *settings)
{
    smr_free(settings->list);
    smr_free(settings->text);
    *settings = (smr_settings){0};
}

static smr_status unknown_key(smr_ctx *ctx, const smr_generator *g, const char *key)
{
    const char *names[16];
    char all[256] = "";
    for (int64_t p = 0; p < g->n_params; p++) {
        size_t used = strlen(all);
        names[p] = g->params[p].name;
        snprintf(all + used, sizeof all - used, "%s%s", p ? ", " : "", names[p]);
    }
    int64_t near = smr_nearest(key, names, g->n_params);
    if (near >= 0)
        return smr_fail(ctx, SMR_ERR_PARAM, "%s has no setting '%s'; did you mean %s?", g->name,
                        key, names[near]);
    return smr_fail(ctx, SMR_ERR_PARAM, "%s has no setting '%s'; it has %s", g->name, key, all);
}

static smr_status check_range(smr_ctx *ctx, const smr_generator *g, const smr_make_param *p,
                              const char *text, double value)
{
    char lo[SMR_NUMBER_MAX], hi[SMR_NUMBER_MAX];
    if (value >= p->min && value <= p->max) {
        if (p->type != SMR_MAKE_INT || value == floor(value)) return SMR_OK;
        return smr_fail(ctx, SMR_ERR_PARAM, "%s: %s=%s is not a whole number", g->name, p->name,
                        text);
    }
    smr_format_double(p->min, lo);
    smr_format_double(p->max, hi);
    return smr_fail(ctx, SMR_ERR_PARAM, "%s: %s=%s is outside %s .. %s", g->name, p->name, text, lo,
                    hi);
}

/* One number, or a list with commas, into the parameter's place. */
static smr_status parse_value(smr_ctx *ctx, const smr_generator *g, const smr_make_param *p,
                              const char *text, void *params)
{
    const char *at = text, *end = text + strlen(text);
    void *place = (char *)params + p->offset;
    smr_make_list list = {0};
    int64_t n_values = 1;
    smr_status st = SMR_OK;

    for (const char *c = text; c < end; c++) n_values += *c == ',';
    if (p->type != SMR_MAKE_LIST && n_values > 1) n_values = 1;
    if (n_values > MAX_LIST)
        return smr_fail(ctx, SMR_ERR_PARAM, "%s: %s is too long", g->name, p->name);
    TRY_NEW(list.value, n_values);
    for (; list.n < n_values; list.n++) {
        at = smr_parse_double(at, end, &list.value[list.n]);
        bool more = list.n + 1 < n_values;
        if (!at || (more ? *at != ',' : at != end) || isnan(list.value[list.n])) {
            st = smr_fail(ctx, SMR_ERR_PARAM, "%s: %s=%s is not a number%s", g->name, p->name, text,
                          p->type == SMR_MAKE_LIST ? ", or numbers with commas" : "");
            goto out;
        }
        TRY(check_range(ctx, g, p, text, list.value[list.n]));
        at += more;
    }
    if (p->type == SMR_MAKE_REAL) *(double *)place = list.value[0];
    if (p->type == SMR_MAKE_INT) *(int64_t *)place = (int64_t)list.value[0];
    if (p->type == SMR_MAKE_LIST) {
        smr_free(((smr_make_list *)place)->value);
        *(smr_make_list *)place = list;
        list.value = NULL;
    }
out:
    smr_free(list.value);
    return st;
}

static smr_status set_defaults(smr_ctx *ctx, const smr_generator *g, void *params)
{
    smr_status st = SMR_OK;
    for (int64_t p = 0; p < g->n_params; p++) {
        const smr_make_param *row = &g->params[p];
        void *place = (char *)params + row->offset;
        if (row->type == SMR_MAKE_REAL) *(double *)place = row->def;
        if (row->type == SMR_MAKE_INT) *(int64_t *)place = (int64_t)row->def;
        if (row->type == SMR_MAKE_LIST && row->def_list)
            TRY(parse_value(ctx, g, row, row->def_list, params));
    }
out:
    return st;
}

static smr_status read_settings(smr_ctx *ctx, const smr_generator *g, const smr_setting *settings,
                                int64_t n, void *params)
{
    smr_status st = SMR_OK;
    TRY(set_defaults(ctx, g, params));
    for (int64_t s = 0; s < n; s++) {
        int64_t p = 0;
        while (p < g->n_params && strcmp(g->params[p].name, settings[s].key) != 0) p++;
        if (p == g->n_params) return unknown_key(ctx, g, settings[s].key);
        for (int64_t before = 0; before < s; before++)
            if (strcmp(settings[before].key, settings[s].key) == 0)
                return smr_fail(ctx, SMR_ERR_PARAM, "%s: %s is given twice", g->name,
                                settings[s].key);
        TRY(parse_value(ctx, g, &g->params[p], settings[s].value, params));
    }
out:
    return st;
}

static void free_params(const smr_generator *g, void *params)
{
    for (int64_t p = 0; params && p < g->n_params; p++)
        if (g->params[p].type == SMR_MAKE_LIST)
            smr_free(((smr_make_list *)((char *)params + g->params[p].offset))->value);
    smr_free(params);
}

/* ---- plans ---------------------------------------------------------------------------- */

smr_status smr_making_order(smr_ctx *ctx, smr_making *m)
{
    smr_status st = SMR_OK;
    TRY_NEW(m->order, m->n);
    smr_random_permutation(m->seed, SMR_STREAM_GENERATE, draw_key(DRAW_ORDER, 0), m->n, m->order);
out:
    return st;
}

smr_status smr_making_shared(smr_ctx *ctx, smr_making *m, int64_t n)
{
    smr_status st = SMR_OK;
    TRY_NEW(m->shared, n);
out:
    return st;
}

void smr_making_note(smr_making *m, const char *key, int64_t k, int64_t n, const double *values)
{
    smr_text_add(&m->notes, key);
    if (k >= 0) smr_text_printf(&m->notes, " %" PRId64, k);
    smr_text_add(&m->notes, ":");
    for (int64_t j = 0; j < n; j++) {
        smr_text_add(&m->notes, " ");
        smr_text_number(&m->notes, values[j]);
    }
    smr_text_add(&m->notes, "\n");
}

/* ---- the table ------------------------------------------------------------------------ */

struct fill_job {
    const smr_generator *generator;
    const smr_making *making;
    const void *params;
    double *x, *y;
    int32_t *code;
};

static smr_status fill_block(smr_ctx *ctx, void *arg, int64_t block, int lane)
{
    struct fill_job *job = arg;
    const smr_making *m = job->making;
    (void)ctx;
    (void)lane;
    for (int64_t i = block * BLOCK; i < smr_block_end(m->n, BLOCK, block); i++) {
        double y = 0;
        job->generator->row(m, job->params, i, job->x + i * m->d, &y);
        if (job->code)
            job->code[i] = (int32_t)y;
        else
            job->y[i] = y;
    }
    return SMR_OK;
}

static smr_status name_column(smr_ctx *ctx, smr_column *col, int64_t j)
{
    char name[32];
    snprintf(name, sizeof name, "x%" PRId64, j);
    col->name = smr_strdup(ctx, j < 0 ? "y" : name);
    return col->name ? SMR_OK : SMR_ERR_NOMEM;
}

/* The levels "0" .. "K-1". */
static smr_status add_levels(smr_ctx *ctx, smr_strings *levels, int64_t K)
{
    smr_status st = SMR_OK;
    int64_t used = 0;
    TRY_NEW(levels->start, K + 1);
    TRY_NEW(levels->bytes, 20 * K);
    for (int64_t k = 0; k < K; k++) {
        levels->start[k] = used;
        used += snprintf(levels->bytes + used, 20, "%" PRId64, k);
    }
    levels->start[K] = used;
    levels->n = K;
out:
    return st;
}

static smr_status build_table(smr_ctx *ctx, struct fill_job *job, smr_table *t)
{
    const smr_making *m = job->making;
    smr_column *y = &t->cols[m->d];
    smr_status st = SMR_OK;
    double *block = smr_alloc_raw(ctx, m->n * m->d, sizeof *block);
    if (!block) return SMR_ERR_NOMEM;

    if ((st = smr_table_own(ctx, t, block)) != SMR_OK) {
        smr_free(block);
        return st;
    }
    job->x = block;
    for (int64_t j = 0; j < m->d; j++) {
        t->cols[j] =
            (smr_column){.kind = SMR_NUMBER, .dtype = SMR_F64, .values = block + j, .stride = m->d};
        TRY(name_column(ctx, &t->cols[j], j));
    }
    TRY(name_column(ctx, y, -1));
    y->owns_values = true;
    y->kind = m->n_classes ? SMR_CATEGORY : SMR_NUMBER;
    y->dtype = m->n_classes ? SMR_I32 : SMR_F64;
    y->values = smr_alloc_raw(ctx, m->n, smr_dtype_size(y->dtype));
    if (!y->values) return SMR_ERR_NOMEM;
    if (m->n_classes) {
        job->code = y->values;
        TRY(add_levels(ctx, &y->levels, m->n_classes));
    } else {
        job->y = y->values;
    }
    TRY(smr_parallel(ctx, "making rows", smr_block_count(m->n, BLOCK), fill_block, job));
out:
    return st;
}

/* What was made, before what the plan notes. */
static smr_status write_notes(smr_ctx *ctx, const smr_generator *g, const smr_making *m,
                              smr_table *t)
{
    smr_text text = {.ctx = ctx};
    smr_text_printf(&text, "generator: %s\nseed: %" PRIu64 "\n", g->name, m->seed);
    if (m->notes.bytes) smr_text_add(&text, m->notes.bytes);
    smr_status st = smr_text_done(&text);
    if (st == SMR_OK) {
        t->notes = smr_strdup(ctx, text.bytes);
        st = t->notes ? SMR_OK : SMR_ERR_NOMEM;
    }
    smr_text_release(&text);
    return st;
}

static double noise_of(const smr_generator *g, const void *params)
{
    for (int64_t p = 0; p < g->n_params; p++)
        if (strcmp(g->params[p].name, "noise") == 0)
            return *(const double *)(const void *)((const char *)params + g->params[p].offset);
    return 0;
}

struct truth_job {
    const struct fill_job *of;
    smr_truth *truth;
};

static smr_status know_block(smr_ctx *ctx, void *arg, int64_t block, int lane)
{
    const struct truth_job *job = arg;
    const smr_making *m = job->of->making;
    smr_truth *t = job->truth;
    (void)ctx;
    (void)lane;
    for (int64_t i = block * BLOCK; i < smr_block_end(t->n, BLOCK, block); i++)
        job->of->generator->truth(m, job->of->params, job->of->x + (t->first + i) * m->d,
                                  t->f + i * t->width);
    return SMR_OK;
}

/* `most` rows from `first` on. */
static smr_status know_rows(smr_ctx *ctx, const struct fill_job *of, int64_t first, int64_t most,
                            smr_truth *out)
{
    smr_status st = SMR_OK;
    const smr_making *m = of->making;
    *out = (smr_truth){.first = SMR_MIN(first, m->n), .width = SMR_MAX(1, m->n_classes)};
    out->n = SMR_MIN(most, m->n - out->first);
    if (!of->generator->truth) return SMR_OK;
    if (!m->n_classes) out->noise = noise_of(of->generator, of->params);
    TRY_NEW(out->f, out->n * out->width + 1);
    struct truth_job job = {.of = of, .truth = out};
    TRY(smr_parallel(ctx, "what is known of the rows", smr_block_count(out->n, BLOCK), know_block,
                     &job));
out:
    return st;
}

/* No rule errs less than 1 - max P(class | x) on average: the mean over some rows, with its error,
 * where classes are known and the plan has not noted the number itself. */
static smr_status note_least_error(smr_ctx *ctx, const struct fill_job *of, smr_making *m)
{
    enum { ENOUGH = 4000 };
    smr_status st = SMR_OK;
    smr_truth known = {0};
    double sum = 0, square = 0;
    bool noted = m->notes.bytes && strstr(m->notes.bytes, LEAST_ERROR);
    if (!of->generator->truth || m->n_classes < 2 || noted) return SMR_OK;
    TRY(know_rows(ctx, of, 0, ENOUGH, &known));
    for (int64_t i = 0; i < known.n; i++) {
        double most = 0;
        for (int64_t k = 0; k < known.width; k++)
            most = smr_fmax(most, known.f[i * known.width + k]);
        sum += 1 - most;
        square += (1 - most) * (1 - most);
    }
    double n = (double)known.n, mean = sum / n;
    double deviation = sqrt(smr_fmax(0, square / n - mean * mean) / n);
    smr_making_note(m, LEAST_ERROR ", estimated", -1, 1, &mean);
    smr_making_note(m, "its standard error", -1, 1, &deviation);
    TRY(smr_text_done(&m->notes));
out:
    smr_truth_release(&known);
    return st;
}

void smr_truth_release(smr_truth *truth)
{
    smr_free(truth->f);
    *truth = (smr_truth){0};
}

smr_status smr_generate(smr_ctx *ctx, const char *name, const smr_setting *settings,
                        int64_t n_settings, uint64_t seed, smr_table **out)
{
    return smr_generate_known(ctx, name, settings, n_settings, seed, 0, out, NULL);
}

smr_status smr_generate_known(smr_ctx *ctx, const char *name, const smr_setting *settings,
                              int64_t n_settings, uint64_t seed, int64_t first, smr_table **out,
                              smr_truth *truth)
{
    const smr_generator *g = smr_generator_find(name);
    smr_making m = {.seed = seed, .notes = {.ctx = ctx}};
    smr_status st = SMR_OK;
    smr_table *t = NULL;
    char *params = NULL;

    *out = NULL;
    if (truth) *truth = (smr_truth){0};
    if (!g) return unknown_name(ctx, name);
    TRY_NEW(params, (int64_t)g->params_size);
    TRY(read_settings(ctx, g, settings, n_settings, params));
    TRY(g->plan(ctx, &m, params));
    TRY(smr_text_done(&m.notes));
    TRY(smr_memory_check(ctx, (double)m.n * (double)m.d * 8, g->name,
                         "ask for fewer rows (n) or columns (d)"));
    TRY(smr_table_new(ctx, m.n, m.d + 1, &t));
    t->has_header = true;
    t->source = smr_strdup(ctx, g->name);
    if (!t->source) {
        st = SMR_ERR_NOMEM;
        goto out;
    }
    struct fill_job job = {.generator = g, .making = &m, .params = params};
    TRY(build_table(ctx, &job, t));
    TRY(note_least_error(ctx, &job, &m));
    TRY(write_notes(ctx, g, &m, t));
    if (truth) TRY(know_rows(ctx, &job, first, INT64_MAX, truth));
    *out = t;
    t = NULL;
out:
    if (st != SMR_OK && truth) smr_truth_release(truth);
    smr_table_free(t);
    free_params(g, params);
    smr_text_release(&m.notes);
    smr_free(m.order);
    smr_free(m.shared);
    return st;
}
