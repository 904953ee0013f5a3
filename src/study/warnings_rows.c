/* warnings_rows.c -- findings that compare rows: duplicates, conflicts, ranges (warnings.h).
 *
 * One pass over the rows, a block at a time, gives each row's hash (its inputs as doubles, category
 * codes included, mixed one after another), and each feature's range and missing values.  Hashes
 * go into an open-addressing table that numbers the distinct ones; 10^7 rows have a collision with
 * probability 3e-6. */
#include "core/parallel.h"
#include "study/warnings.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 2048, LEAST_COPIES = 5, MOST_NAMED = 5, LEAST_ROWS = 20 };

static const double MOST_VALUES = 5e8; /* rows x columns that are looked at */
static const double COPIES = 0.01;     /* share of the measured rows, to be worth a sentence */

/* ---- one pass --------------------------------------------------------------------------- */

struct feature_facts {
    double min, max;
    int64_t n_missing;
    /* values beyond the range of `within`, by more than a fifth of it, by more than half of it */
    int64_t n_outside, n_beyond, n_far;
};

struct pass {
    const smr_data *data;
    const struct feature_facts *within; /* ranges to compare with; NULL: none */
    uint64_t *hash;                     /* n_rows                             */
    struct feature_facts *facts;        /* lanes x n_features                 */
    smr_reader **readers;               /* lanes                              */
};

static uint64_t mix(uint64_t h, uint64_t x)
{
    h = (h ^ x) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 32;
}

static uint64_t bits_of(double x)
{
    uint64_t u;
    if (isnan(x)) return 0x7ff8000000000000u;
    x += 0.0; /* -0 is 0 */
    memcpy(&u, &x, sizeof u);
    return u;
}

/* A text is its bytes: its code means another one in another table. */
static uint64_t bits_of_text(const smr_rows *rows, const smr_feature *f, double code)
{
    if (!(code >= 0) || f->text >= rows->n_texts) return bits_of(NAN);
    int64_t n = 0;
    const char *text = smr_strings_get(rows->texts[f->text], (int64_t)code, &n);
    uint64_t h = (uint64_t)n;
    for (int64_t i = 0; i < n; i += 8) {
        uint64_t w = 0;
        memcpy(&w, text + i, (size_t)SMR_MIN(8, n - i));
        h = mix(h, w);
    }
    return h;
}

static void look(struct feature_facts *f, const struct feature_facts *within, double x)
{
    if (isnan(x)) {
        f->n_missing++;
        return;
    }
    if (x < f->min) f->min = x;
    if (x > f->max) f->max = x;
    if (!within || (x >= within->min && x <= within->max)) return;
    double width = within->max - within->min, gap = smr_fmax(within->min - x, x - within->max);
    f->n_outside++;
    f->n_beyond += gap > 0.2 * width;
    f->n_far += gap > 0.5 * width;
}

static smr_status pass_block(smr_ctx *ctx, void *arg, int64_t block, int lane)
{
    struct pass *p = arg;
    const smr_data *data = p->data;
    int64_t d = data->n_features, lo = block * BLOCK,
            hi = smr_block_end(data->n_rows, BLOCK, block);
    struct feature_facts *facts = p->facts + (int64_t)lane * d;
    smr_status st = SMR_OK;
    smr_rows rows;
    smr_form form = data->sparse ? SMR_FORM_SPARSE : SMR_FORM_F64;
    if (!p->readers[lane]) TRY(smr_reader_open(ctx, data, form, BLOCK, &p->readers[lane]));
    TRY(smr_reader_rows(ctx, p->readers[lane], lo, hi, &rows));
    for (int64_t r = 0; r < rows.n; r++) {
        uint64_t h = 1;
        if (data->sparse) {
            for (int64_t e = rows.start[r]; e < rows.start[r + 1]; e++)
                if (rows.value[e] != 0)
                    h = mix(mix(h, (uint64_t)rows.column[e] + 1), bits_of(rows.value[e]));
        } else {
            const double *x = (const double *)rows.x + r * rows.stride;
            for (int64_t j = 0; j < d; j++) {
                bool text = data->features[j].kind == SMR_TEXT;
                h = mix(h, text ? bits_of_text(&rows, &data->features[j], x[j]) : bits_of(x[j]));
                look(&facts[j], p->within ? &p->within[j] : NULL, x[j]);
            }
        }
        p->hash[lo + r] = h;
    }
out:
    return st;
}

/* Hashes of the rows, and facts of the features (n_features, for dense data). */
static smr_status pass_over(smr_ctx *ctx, const smr_data *data, const struct feature_facts *within,
                            uint64_t *hash, struct feature_facts *facts)
{
    smr_status st = SMR_OK;
    int lanes = smr_lanes(ctx);
    int64_t d = data->n_features;
    struct pass p = {.data = data, .within = within, .hash = hash};
    TRY_NEW(p.facts, lanes * d + 1);
    TRY_NEW(p.readers, lanes);
    for (int64_t k = 0; k < lanes * d; k++)
        p.facts[k] = (struct feature_facts){.min = INFINITY, .max = -INFINITY};
    TRY(smr_parallel(ctx, NULL, smr_block_count(data->n_rows, BLOCK), pass_block, &p));
    for (int64_t j = 0; j < d; j++) {
        facts[j] = p.facts[j];
        for (int l = 1; l < lanes; l++) {
            const struct feature_facts *f = &p.facts[l * d + j];
            facts[j].min = smr_fmin(facts[j].min, f->min);
            facts[j].max = smr_fmax(facts[j].max, f->max);
            facts[j].n_missing += f->n_missing;
            facts[j].n_outside += f->n_outside;
            facts[j].n_beyond += f->n_beyond;
            facts[j].n_far += f->n_far;
        }
    }
out:
    for (int l = 0; p.readers && l < lanes; l++) smr_reader_close(p.readers[l]);
    smr_free(p.readers);
    smr_free(p.facts);
    return st;
}

/* ---- distinct rows ---------------------------------------------------------------------- */

struct hash_set {
    uint64_t *key;
    int64_t *number; /* of the distinct key, -1: an empty place */
    uint64_t mask;
    int64_t n;
};

static smr_status set_create(smr_ctx *ctx, int64_t most, struct hash_set *s)
{
    smr_status st = SMR_OK;
    int64_t room = 16;
    while (room < 2 * most) room *= 2;
    *s = (struct hash_set){.mask = (uint64_t)room - 1};
    TRY_NEW(s->key, room);
    TRY_NEW(s->number, room);
    for (int64_t i = 0; i < room; i++) s->number[i] = -1;
out:
    return st;
}

static void set_release(struct hash_set *s)
{
    smr_free(s->key);
    smr_free(s->number);
}

/* Number of the key, which is added when `add`; -1: it is not there. */
static int64_t set_find(struct hash_set *s, uint64_t key, bool add)
{
    uint64_t at = (key ^ key >> 29) & s->mask;
    while (s->number[at] >= 0 && s->key[at] != key) at = (at + 1) & s->mask;
    if (s->number[at] < 0 && add) {
        s->key[at] = key;
        s->number[at] = s->n++;
    }
    return s->number[at];
}

static bool too_large(int64_t n, const smr_schema *schema)
{
    return (double)n * (double)(schema->n_inputs + schema->n_sparse) > MOST_VALUES;
}

/* ---- conflicts -------------------------------------------------------------------------- */

/* Rows by group: those of group g are order[start[g]] .. order[start[g+1] - 1]. */
static smr_status sort_groups(smr_ctx *ctx, int64_t n, const int64_t *group, int64_t n_groups,
                              int64_t **start, int64_t **order)
{
    smr_status st = SMR_OK;
    TRY_NEW(*start, n_groups + 2);
    TRY_NEW(*order, n + 1);
    for (int64_t i = 0; i < n; i++) (*start)[group[i] + 2]++;
    for (int64_t g = 0; g < n_groups; g++) (*start)[g + 2] += (*start)[g + 1];
    for (int64_t i = 0; i < n; i++) (*order)[(*start)[group[i] + 1]++] = i;
out:
    return st;
}

/* Rows that the majority of their group gets wrong; *mixed: rows of groups with several classes. */
static smr_status count_wrong(smr_ctx *ctx, const smr_train_set *set, int64_t n_groups,
                              const int64_t *start, const int64_t *order, int64_t *wrong,
                              int64_t *mixed)
{
    smr_status st = SMR_OK;
    int64_t *count = NULL;
    *wrong = *mixed = 0;
    TRY_NEW(count, set->target.classes.n);
    for (int64_t g = 0; g < n_groups; g++) {
        int64_t most = 0, n = start[g + 1] - start[g];
        for (int64_t k = start[g]; k < start[g + 1]; k++) {
            int32_t label = set->label[smr_train_set_row(set, order[k])];
            count[label]++;
            most = SMR_MAX(most, count[label]);
        }
        for (int64_t k = start[g]; k < start[g + 1]; k++)
            count[set->label[smr_train_set_row(set, order[k])]] = 0;
        *wrong += n - most;
        *mixed += most < n ? n : 0;
    }
out:
    smr_free(count);
    return st;
}

/* Share of the variance of target j within groups, and the rows in groups of several. */
static double share_within(const smr_train_set *set, int64_t j, int64_t n_groups,
                           const int64_t *start, const int64_t *order, int64_t *shared)
{
    int64_t n = set->n_rows, t = set->target.n;
    double mean = 0, all = 0, within = 0;
    *shared = 0;
    for (int64_t i = 0; i < n; i++)
        mean += (set->y[smr_train_set_row(set, i) * t + j] - mean) / (double)(i + 1);
    for (int64_t g = 0; g < n_groups; g++) {
        double own = 0, m = (double)(start[g + 1] - start[g]);
        for (int64_t k = start[g]; k < start[g + 1]; k++)
            own += set->y[smr_train_set_row(set, order[k]) * t + j] / m;
        for (int64_t k = start[g]; k < start[g + 1]; k++) {
            double y = set->y[smr_train_set_row(set, order[k]) * t + j];
            all += (y - mean) * (y - mean);
            within += (y - own) * (y - own);
        }
        if (m > 1) *shared += start[g + 1] - start[g];
    }
    return all > 0 ? within / all : 0;
}

static smr_status judge_conflicts(smr_ctx *ctx, const smr_train_set *set, int64_t n_groups,
                                  const int64_t *start, const int64_t *order, smr_json *advice)
{
    smr_status st = SMR_OK;
    char a[32], b[32];
    int64_t wrong, mixed, n = set->n_rows;
    if (set->label) {
        TRY(count_wrong(ctx, set, n_groups, start, order, &wrong, &mixed));
        if (wrong >= LEAST_COPIES && (double)wrong >= COPIES * (double)n)
            smr_advise(ctx, advice, "conflicts", NULL,
                       "%lld rows (%s %%) equal another row in every input but not in the target: "
                       "no model of these columns can be right for more than %s %% of the "
                       "rows; a column that tells them apart would help",
                       (long long)mixed, smr_advise_number(100 * (double)mixed / (double)n, a),
                       smr_advise_number(100 * (1 - (double)wrong / (double)n), b));
        goto out;
    }
    for (int64_t j = 0; j < set->target.n; j++) {
        double share = share_within(set, j, n_groups, start, order, &mixed);
        if (mixed >= LEAST_COPIES && share >= COPIES)
            smr_advise(ctx, advice, "conflicts", NULL,
                       "%lld rows (%s %%) equal another row in every input but not in "
                       "'%s': no model of these columns reaches an r2 above %s on these rows",
                       (long long)mixed, smr_advise_number(100 * (double)mixed / (double)n, a),
                       set->target.names[j], smr_advise_number(1 - share, b));
    }
out:
    return st;
}

smr_status smr_advise_conflicts(smr_ctx *ctx, const smr_train_set *set, smr_json *advice)
{
    static const struct smr_columns_params as_they_are = {0};
    smr_status st = SMR_OK;
    smr_binding binding = {0};
    struct feature_facts *facts = NULL;
    struct hash_set distinct = {0};
    uint64_t *hash = NULL;
    int64_t *group = NULL, *start = NULL, *order = NULL, n = set->n_rows;
    /* Steps of sequences are told apart by those around them. */
    if (set->schema.roles[SMR_ROLE_SEQUENCE].name) return SMR_OK;
    if (n < LEAST_ROWS || too_large(n, &set->schema)) return SMR_OK;
    TRY(smr_schema_bind(ctx, &set->schema, &as_they_are, set->table, &binding));
    binding.data.rows = set->usable;
    binding.data.n_rows = n;
    TRY_NEW(facts, binding.data.n_features + 1);
    TRY_NEW(hash, n);
    TRY_NEW(group, n);
    TRY(pass_over(ctx, &binding.data, NULL, hash, facts));
    TRY(set_create(ctx, n, &distinct));
    for (int64_t i = 0; i < n; i++) group[i] = set_find(&distinct, hash[i], true);
    if (distinct.n == n) goto out;
    TRY(sort_groups(ctx, n, group, distinct.n, &start, &order));
    TRY(judge_conflicts(ctx, set, distinct.n, start, order, advice));
out:
    smr_free(start);
    smr_free(order);
    smr_free(group);
    smr_free(hash);
    smr_free(facts);
    set_release(&distinct);
    smr_binding_release(&binding);
    return st;
}

/* ---- two parts -------------------------------------------------------------------------- */

/* Copies across the parts, unless copies are the rule (few columns with few values each). */
static smr_status advise_duplicates(smr_ctx *ctx, int64_t n_train, const uint64_t *train,
                                    int64_t n_test, const uint64_t *test, smr_json *advice)
{
    smr_status st = SMR_OK;
    struct hash_set seen = {0};
    int64_t copies = 0;
    char share[32];
    TRY(set_create(ctx, n_train, &seen));
    for (int64_t i = 0; i < n_train; i++) set_find(&seen, train[i], true);
    for (int64_t i = 0; i < n_test; i++) copies += set_find(&seen, test[i], false) >= 0;
    if (2 * seen.n >= n_train && copies >= LEAST_COPIES &&
        (double)copies >= COPIES * (double)n_test)
        smr_advise(ctx, advice, "duplicates", NULL,
                   "%lld of the %lld measured rows (%s %%) equal a fitted row in every input: if "
                   "they are copies, the figures flatter the model; remove them, or keep copies "
                   "together with --group",
                   (long long)copies, (long long)n_test,
                   smr_advise_number(100 * (double)copies / (double)n_test, share));
out:
    set_release(&seen);
    return st;
}

static void advise_range(smr_ctx *ctx, const char *name, int64_t n_test,
                         const struct feature_facts *train, const struct feature_facts *test,
                         smr_json *advice)
{
    char share[32], lo[32], hi[32];
    double n = (double)(n_test - test->n_missing), far = (double)test->n_far;
    double outside = (double)test->n_outside, beyond = (double)test->n_beyond;
    bool many = beyond >= 0.05 * n && beyond >= LEAST_COPIES;
    if (!(train->min <= train->max) || (!many && !(far >= 0.01 * n && far >= 2))) return;
    smr_advise(ctx, advice, "extrapolation", name,
               "%s %% of the measured values of '%s' lie outside the fitted range (%s to %s)%s: "
               "the model has to guess there; check whether the rows come from the same source",
               smr_advise_number(100 * outside / n, share), name, smr_advise_number(train->min, lo),
               smr_advise_number(train->max, hi), far > 0 ? ", some far outside" : "");
}

/* Differs by a tenth of the rows, and by more than five standard errors. */
static bool advise_missing(smr_ctx *ctx, const char *name, int64_t n_train, int64_t n_test,
                           const struct feature_facts *train, const struct feature_facts *test,
                           smr_json *advice)
{
    char a[32], b[32];
    double p = (double)train->n_missing / (double)n_train;
    double q = (double)test->n_missing / (double)n_test;
    double all = (double)(train->n_missing + test->n_missing) / (double)(n_train + n_test);
    double se = sqrt(all * (1 - all) * (1 / (double)n_train + 1 / (double)n_test));
    if (!(fabs(p - q) > 0.1 && fabs(p - q) > 5 * se)) return false;
    smr_advise(ctx, advice, "missing", name,
               "'%s' is missing in %s %% of the fitted rows and in %s %% of the measured ones: "
               "the two parts were not collected in the same way",
               name, smr_advise_number(100 * p, a), smr_advise_number(100 * q, b));
    return true;
}

static smr_status advise_features(smr_ctx *ctx, const smr_data *data, int64_t n_train,
                                  int64_t n_test, const struct feature_facts *train,
                                  const struct feature_facts *test, smr_json *advice)
{
    int64_t told = 0;
    for (int64_t j = 0; !data->sparse && j < data->n_features && told < MOST_NAMED; j++) {
        int64_t before = advice ? advice->n : 0;
        const smr_feature *f = &data->features[j];
        if (!advise_missing(ctx, f->name, n_train, n_test, &train[j], &test[j], advice) &&
            f->kind == SMR_NUMBER)
            advise_range(ctx, f->name, n_test, &train[j], &test[j], advice);
        told += advice && advice->n > before;
    }
    return smr_json_done(advice->doc);
}

/* Classes that part `lacks` does not have although the other part does; one sentence for all. */
static void tell_absent(smr_ctx *ctx, const smr_strings *classes, const int64_t *there,
                        const int64_t *lacks, const char *part, const char *so, smr_json *advice)
{
    int64_t n = 0, first = -1, length;
    for (int64_t k = 0; k < classes->n; k++) {
        if (!there[k] || lacks[k]) continue;
        if (first < 0) first = k;
        n++;
    }
    if (n == 0) return;
    const char *name = smr_strings_get(classes, first, &length);
    int shown = (int)SMR_MIN(length, 60);
    if (n == 1)
        smr_advise(ctx, advice, "no_rows", NULL,
                   "the class '%.*s' has no rows in the %s part: %s it; find more rows of it, or "
                   "measure with samara cv",
                   shown, name, part, so);
    else
        smr_advise(
            ctx, advice, "no_rows", NULL,
            "%lld classes, such as '%.*s', have no rows in the %s part: %s them; find more rows "
            "of them, or measure with samara cv",
            (long long)n, shown, name, part, so);
}

static smr_status advise_absent(smr_ctx *ctx, const smr_advice_parts *p, smr_json *advice)
{
    const smr_train_set *set = p->set;
    int64_t *there = NULL, K = set->target.classes.n;
    smr_status st = SMR_OK;
    if (!set->label || !p->train || !p->test || (p->test_table && p->test_table != set->table))
        return SMR_OK;
    TRY_NEW(there, 2 * K);
    for (int64_t i = 0; i < p->n_train; i++) there[set->label[p->train[i]]]++;
    for (int64_t i = 0; i < p->n_test; i++) there[K + set->label[p->test[i]]]++;
    tell_absent(ctx, &set->target.classes, there, there + K, "measured",
                "nothing is measured about", advice);
    tell_absent(ctx, &set->target.classes, there + K, there, "fitted", "the model cannot predict",
                advice);
out:
    smr_free(there);
    return st;
}

smr_status smr_advise_parts(smr_ctx *ctx, const smr_advice_parts *p, smr_json *advice)
{
    static const struct smr_columns_params as_they_are = {0};
    const smr_schema *schema = &p->set->schema;
    const smr_table *other = p->test_table ? p->test_table : p->set->table;
    smr_status st = SMR_OK;
    smr_binding train = {0}, test = {0};
    struct feature_facts *facts = NULL;
    uint64_t *hash = NULL;
    if (!smr_task_of(p->set->target.task)->needs_target) return SMR_OK;
    int64_t n_test = p->test ? p->n_test : other->n_rows;
    int64_t n_train = p->train ? p->n_train : p->set->n_rows;
    TRY(advise_absent(ctx, p, advice));
    if (too_large(n_train + n_test, schema) || n_train < LEAST_ROWS || n_test < 1) goto out;
    TRY(smr_schema_bind(ctx, schema, &as_they_are, p->set->table, &train));
    TRY(smr_schema_bind(ctx, schema, &as_they_are, other, &test));
    train.data.rows = p->train ? p->train : p->set->usable;
    train.data.n_rows = n_train;
    if (p->test) test.data.rows = p->test;
    test.data.n_rows = n_test;
    int64_t d = train.data.n_features;
    TRY_NEW(facts, 2 * d + 1);
    TRY_NEW(hash, n_train + n_test);
    TRY(pass_over(ctx, &train.data, NULL, hash, facts));
    TRY(pass_over(ctx, &test.data, facts, hash + n_train, facts + d));
    TRY(advise_duplicates(ctx, n_train, hash, n_test, hash + n_train, advice));
    TRY(advise_features(ctx, &train.data, n_train, n_test, facts, facts + d, advice));
out:
    smr_free(hash);
    smr_free(facts);
    smr_binding_release(&train);
    smr_binding_release(&test);
    return st;
}
