/* tree_data.h -- small tables of numbers and codes, and a tree fitted to them through its
 * descriptor. */
#ifndef SMR_TESTS_TREE_DATA_H
#define SMR_TESTS_TREE_DATA_H

#include "pipeline.h"

#include "core/params.h"
#include "learn/state.h"
#include "learn/trees/tree.h"

extern const smr_learner smr_tree, smr_stump;

enum { MOST_FEATURES = 64 };

/* n rows of d features; a feature with levels > 0 is a category whose codes are in x. */
struct set {
    int64_t n, d, levels[MOST_FEATURES], n_classes;
    double *x, *y, *weight; /* n x d row-major; NaN: missing */
    int32_t *label, *codes; /* codes: n x d, of the categories */
    smr_feature features[MOST_FEATURES];
    smr_data data;
};

static inline struct set *set_new(int64_t n, int64_t d, int64_t n_classes)
{
    struct set *s = calloc(1, sizeof *s);
    s->n = n;
    s->d = d;
    s->n_classes = n_classes;
    s->x = calloc((size_t)(n * d) + 1, sizeof *s->x);
    s->y = calloc((size_t)n + 1, sizeof *s->y);
    s->weight = calloc((size_t)n + 1, sizeof *s->weight);
    s->label = calloc((size_t)n + 1, sizeof *s->label);
    s->codes = calloc((size_t)(n * d) + 1, sizeof *s->codes);
    for (int64_t i = 0; i < n; i++) s->weight[i] = 1;
    return s;
}

/* The data, after x, levels, label or y and weight are filled. */
static inline const smr_data *set_data(struct set *s)
{
    for (int64_t j = 0; j < s->d; j++) {
        for (int64_t i = 0; i < s->n; i++) {
            double v = s->x[i * s->d + j];
            s->codes[i * s->d + j] = isnan(v) ? -1 : (int32_t)v;
        }
        s->features[j] = (smr_feature){.name = "x",
                                       .kind = s->levels[j] ? SMR_CATEGORY : SMR_NUMBER,
                                       .dtype = s->levels[j] ? SMR_I32 : SMR_F64,
                                       .values = s->levels[j] ? (const void *)(s->codes + j)
                                                              : (const void *)(s->x + j),
                                       .stride = s->d,
                                       .n_levels = s->levels[j]};
    }
    s->data = (smr_data){.size = sizeof s->data,
                         .n_rows = s->n,
                         .n_features = s->d,
                         .features = s->features,
                         .gaps_in_numbers = true,
                         .gaps_in_categories = true,
                         .task = s->n_classes ? SMR_TASK_CLASSIFY : SMR_TASK_REGRESS,
                         .n_outputs = 1,
                         .y = s->y,
                         .label = s->label,
                         .n_classes = s->n_classes,
                         .weight = s->weight};
    return &s->data;
}

static inline void set_free(struct set *s)
{
    free(s->x);
    free(s->y);
    free(s->weight);
    free(s->label);
    free(s->codes);
    free(s);
}

static inline double random_of(uint64_t seed, int64_t a, int64_t b)
{
    return smr_random_unit(seed, SMR_STREAM_TEST, (uint64_t)a + 100, (uint64_t)b);
}

static inline struct smr_tree_params defaults(void)
{
    return (struct smr_tree_params){
        .share = 0.25, .confidence = 0.25, .alpha = -1, .folds = 5, .one_se = true};
}

static inline smr_status try_fit(smr_ctx *ctx, const struct smr_tree_params *p,
                                 const smr_data *data, struct smr_tree_state **state)
{
    smr_status st = SMR_OK;
    smr_fit_report report = {0};
    *state = NULL;
    TRY(smr_state_create(ctx, &smr_tree, (void **)state));
    TRY(smr_learner_fit(ctx, &smr_tree, p, data, *state, &report));
    TRY(smr_tree.fitted->prepare(ctx, p, *state));
out:
    smr_fit_report_release(&report);
    if (st != SMR_OK) {
        smr_state_free(&smr_tree, *state);
        *state = NULL;
    }
    return st;
}

static inline struct smr_tree_state *fit_to(smr_ctx *ctx, struct smr_tree_params p, struct set *s)
{
    struct smr_tree_state *state = NULL;
    check_ok(ctx, try_fit(ctx, &p, set_data(s), &state));
    return state;
}

static inline void drop(struct smr_tree_state *state)
{
    smr_state_free(&smr_tree, state);
}

/* What the tree says for each row of s: n x width. */
static inline double *say(const struct smr_tree_state *state, const struct set *s)
{
    smr_rows rows = {.n = s->n, .d = s->d, .form = SMR_FORM_F64, .x = s->x, .stride = s->d};
    double *out = calloc((size_t)(s->n * state->trees.width) + 1, sizeof *out);
    smr_tree.fitted->predict(NULL, NULL, state, &rows, SMR_OUTPUT_PROBA, out, NULL);
    return out;
}

static inline double share_right(const struct smr_tree_state *state, const struct set *s)
{
    double *p = say(state, s);
    int64_t k = state->trees.width, right = 0;
    for (int64_t i = 0; i < s->n; i++) {
        int64_t best = 0;
        for (int64_t c = 1; c < k; c++)
            if (p[i * k + c] > p[i * k + best]) best = c;
        right += best == s->label[i];
    }
    free(p);
    return (double)right / (double)s->n;
}

static inline double total_gain(const struct smr_tree_state *state)
{
    double sum = 0;
    for (int64_t j = 0; j < state->n_features; j++) sum += state->gain[j];
    return sum;
}

#endif
