/* bayes.c -- naive Bayes: the columns are independent of each other within a class.
 *
 *     P(class | x)  is proportional to  P(class) prod_j P(x_j | class)                          (1)
 *
 * computed as sums of logarithms.  What a factor is depends on the column, weights w:
 *
 *     number      N(mean, variance + floor), of the class's rows; the floor is var_smoothing times
 *                 the column's variance over all rows, so that units do not matter              (2)
 *     bit         (w of the rows with this value + a) / (w of the class + 2 a)                  (3)
 *     category    the same with as many a below as there are levels that some row has
 *     count       p^x, p = (sum of w x + a) / (sum over all words + a d), one for each word:
 *                 multinomial; complement takes 1 / p of all other classes (Rennie et al.)      (4)
 *
 * with a = smoothing.  Rows with a gap in a column count for the others.  model=auto reads kinds
 * off the table: a category, a number that is 0 or 1 in every row, any other number; and counts,
 * where every column is a number, none is negative or missing, and at most one value in ten is not
 * 0.  So it does not matter whether rows are kept as sparse ones.
 *
 * Degenerate cases: a class without rows has probability 0; a class that has no value of a number
 * takes the mean and variance of all rows; a number that never changes says nothing; factors of 0
 * (a = 0) are the limit of ever smaller a (bayes_predict.c).
 *
 * Cost: one pass over the rows; predict n d k.  Memory: a number for each level, word or number and
 * class, twice.
 * Symbols: n rows, d features, k classes.
 * References: Maron, J. ACM 8(3):404-417, 1961; McCallum & Nigam, AAAI-98 workshop, 1998; Rennie,
 * Shih, Teevan & Karger, ICML 2003. */
#include "learn/bayes/bayes.h"

#include <math.h>
#include <string.h>

/* ---- parameters ------------------------------------------------------------------------- */

static const smr_choice models[] = {
    [SMR_BAYES_AUTO] = {"auto", "categories by their levels, columns of 0 and 1 as bits, other "
                                "numbers as normal, or as counts if most of them are 0"},
    [SMR_BAYES_GAUSSIAN] = {"gaussian", "every column is a number with a normal density"},
    [SMR_BAYES_BERNOULLI] = {"bernoulli", "every column is a bit: above threshold, or not"},
    [SMR_BAYES_CATEGORICAL] = {"categorical", "every column is a category"},
    [SMR_BAYES_MULTINOMIAL] = {"multinomial", "columns count the words of a row"},
    [SMR_BAYES_COMPLEMENT] = {"complement", "the same, each class by what the others lack; for "
                                            "classes of unequal size"},
    {NULL, NULL},
};

#define P(field_) SMR_FIELD(struct smr_bayes_params, field_)

static const smr_param params[] = {
    {P(smoothing), .def = 1, .min = 0, .max = INFINITY, .max_open = true, .primary = true,
     .search = SMR_SEARCH_LOG, .search_min = 1e-3, .search_max = 10, .simpler = SMR_SIMPLER_HIGH,
     .when = "model!=gaussian",
     .doc = "Added to every count: 1 is Laplace's rule, 0 takes shares as they are."},
    {P(model), .def = SMR_BAYES_AUTO, .choices = models,
     .doc = "How columns are modelled; auto decides for each from the table."},
    SMR_PRIOR_PARAMS(struct smr_bayes_params),
    {P(var_smoothing), .def = 1e-4, .min = 1e-15, .max = 1, .search = SMR_SEARCH_LOG,
     .search_min = 1e-9, .search_max = 0.3, .simpler = SMR_SIMPLER_HIGH,
     .when = "model=auto|gaussian",
     .doc = "This share of a number's variance over all rows is added to its variance in every "
            "class."},
    {P(threshold), .def = 0, .min = -INFINITY, .max = INFINITY, .min_open = true, .max_open = true,
     .when = "model=bernoulli", .doc = "A bit is 1 if its number is above this."},
};

/* ---- state ------------------------------------------------------------------------------ */

#define KEPT(field_) SMR_KEPT(struct smr_bayes_state, field_)

static const smr_state state[] = {
    {KEPT(n_features), .is = "features", .min = 0, .doc = "Features."},
    {KEPT(n_classes), .is = "classes", .min = 1, .doc = "Classes."},
    {KEPT(n_cells), .min = 0, .doc = "Levels, bits and words of all features."},
    {KEPT(n_numbers), .most = "features", .min = 0, .doc = "Features with a normal density."},
    {KEPT(n_starts), .is = "n_features + 1", .min = 1, .doc = "Features and one."},
    {KEPT(has_rows), .min = 0, .max = 1, .doc = "Whether some row was learned."},
    {KEPT(kind), .dims = {"n_features"}, .max = SMR_BAYES_KINDS - 1,
     .doc = "Kind of each feature: 0 number, 1 bit, 2 category, 3 count."},
    {KEPT(start), .dims = {"n_starts"}, .order = SMR_ORDER_STARTS, .below = "n_cells",
     .doc = "Where the cells of each feature begin."},
    {KEPT(weight), .dims = {"n_classes"}, .reals = SMR_REALS_FROM_0,
     .doc = "Total weight of each class."},
    {KEPT(count), .dims = {"n_classes", "n_cells"}, .reals = SMR_REALS_FROM_0,
     .doc = "Weight of each level, or sum of each word's counts."},
    {KEPT(filled), .dims = {"n_classes", "n_numbers"}, .reals = SMR_REALS_FROM_0,
     .doc = "Weight of the rows that have the number."},
    {KEPT(mean), .dims = {"n_classes", "n_numbers"}, .reals = SMR_REALS_FINITE, .doc = "Means."},
    {KEPT(square), .dims = {"n_classes", "n_numbers"}, .reals = SMR_REALS_FROM_0,
     .doc = "Sums of squared deviations from the means."},
};

static void free_arrays(struct smr_bayes_state *s)
{
    smr_free(s->kind);
    smr_free(s->start);
    smr_free(s->weight);
    smr_free(s->count);
    smr_free(s->filled);
    smr_free(s->mean);
    smr_free(s->square);
    s->kind = NULL;
    s->start = NULL;
    s->weight = s->count = s->filled = s->mean = s->square = NULL;
}

/* Cells of a feature of this kind. */
static int64_t cells_of(int kind, const smr_feature *feature)
{
    switch (kind) {
    case SMR_BAYES_NUMBER: return 0;
    case SMR_BAYES_BIT: return 2;
    case SMR_BAYES_LEVELS: return feature ? feature->n_levels : 0;
    default: return 1;
    }
}

smr_status smr_bayes_make_room(smr_ctx *ctx, const smr_feature *features, int64_t n_features,
                               int64_t n_classes, const uint8_t *kind, struct smr_bayes_state *s)
{
    smr_status st = SMR_OK;
    free_arrays(s);
    s->n_features = n_features;
    s->n_classes = n_classes;
    s->n_starts = n_features + 1;
    s->n_cells = s->n_numbers = 0;
    TRY_NEW(s->kind, n_features);
    TRY_NEW(s->start, n_features + 1);
    for (int64_t j = 0; j < n_features; j++) {
        s->kind[j] = kind[j];
        s->n_numbers += kind[j] == SMR_BAYES_NUMBER;
        s->n_cells += cells_of(kind[j], features ? &features[j] : NULL);
        s->start[j + 1] = s->n_cells;
    }
    TRY_NEW(s->weight, n_classes);
    TRY_NEW(s->count, n_classes * s->n_cells);
    TRY_NEW(s->filled, n_classes * s->n_numbers);
    TRY_NEW(s->mean, n_classes * s->n_numbers);
    TRY_NEW(s->square, n_classes * s->n_numbers);
out:
    return st;
}

/* Has every feature the cells that its kind has, and are counts alone or not at all? */
static smr_status check(smr_ctx *ctx, const void *params_, const void *state_,
                        const smr_shape *shape)
{
    const struct smr_bayes_params *p = params_;
    const struct smr_bayes_state *s = state_;
    int64_t numbers = 0, counts = 0;
    for (int64_t j = 0; j < s->n_features; j++) {
        const smr_feature *f = shape->features ? &shape->features[j] : NULL;
        bool is_category = f && f->kind == SMR_CATEGORY;
        if (is_category != (s->kind[j] == SMR_BAYES_LEVELS) ||
            s->start[j + 1] - s->start[j] != cells_of(s->kind[j], f))
            return smr_fail(ctx, SMR_ERR_FORMAT,
                            "bayes: feature %lld has %lld cells of kind %d, which it cannot have",
                            (long long)j + 1, (long long)(s->start[j + 1] - s->start[j]),
                            s->kind[j]);
        numbers += s->kind[j] == SMR_BAYES_NUMBER;
        counts += s->kind[j] == SMR_BAYES_COUNT;
    }
    if (numbers != s->n_numbers || (counts != 0 && counts != s->n_features))
        return smr_fail(ctx, SMR_ERR_FORMAT,
                        "bayes: %lld features are numbers and %lld counts, which is not what the "
                        "model has",
                        (long long)numbers, (long long)counts);
    return smr_class_prior_check(ctx, "bayes", &p->priors, s->n_classes);
}

/* ---- descriptor ------------------------------------------------------------------------- */

static const smr_word about = {
    .name = "bayes",
    .synonyms = "nb naivebayes model=gaussian GaussianNB gnb model=bernoulli BernoulliNB "
                "model=multinomial MultinomialNB model=complement ComplementNB "
                "model=categorical CategoricalNB",
    .family = "bayes",
    .title = "Naive Bayes",
    .brief = "Class probabilities from the columns one by one, as if they were independent of each "
             "other within a class.",
    .objective = "P(class | x) ~ P(class) prod_j P(x_j | class): shares of levels with Laplace's "
                 "rule, normal densities, counts of words",
    .details =
        "One pass over the rows counts what each class looks like. A column of categories has the "
        "share of each level, (count + smoothing) / (rows + smoothing * levels); one of 0 and 1 "
        "the same with two levels; other numbers a normal density, whose variance is raised by "
        "var_smoothing times the column's variance over all rows. If all columns are numbers, none "
        "negative, and at most one value in ten is not 0, they are counts of words (multinomial). "
        "Gaps are skipped, in training and in prediction, and so is a level that "
        "training never saw. With smoothing=0 a class may get a factor of 0: it is ruled out, "
        "unless every class has one; then those with the fewest remain, as in the limit of ever "
        "smaller smoothing. A class without rows has probability 0. Categories are coded for "
        "models that take numbers. In a stream, model=auto takes numbers as normal, as it cannot "
        "look ahead: say model=multinomial for words. inspect lists the features that tell each "
        "class from the others best. "
        "Probabilities tend to be too near 0 and 1, as dependent columns count twice: calibrate "
        "mends that.",
    .reference = "Maron, J. ACM 8 (1961); McCallum & Nigam (1998); Rennie et al., ICML (2003)",
    .example = "samara train bayes data/iris.csv --target species",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct smr_bayes_params),
};

static const smr_can_draw draws = {.rows = smr_bayes_draw_rows};

static const smr_fitted fitted = {
    .state = state,
    .n_state = SMR_COUNT(state),
    .state_size = sizeof(struct smr_bayes_state),
    .gives = SMR_GIVES_PROBA | SMR_GIVES_DECISION | SMR_GIVES_LABEL,
    .check = check,
    .prepare = smr_bayes_prepare,
    .release = smr_bayes_release,
    .predict = smr_bayes_predict,
    .scratch = smr_bayes_scratch,
    .describe = smr_bayes_describe,
    .draw = smr_bayes_draw,
    .draws = &draws,
};

static const smr_can_stream streams = {
    .begin = SMR_TRAINING(smr_bayes_begin),
    .learn = SMR_TRAINING(smr_bayes_learn),
};

/* Models of numbers want categories coded, one of densities all zeros; and where a zero is above
 * the threshold, a sparse row is mostly ones. */
static void nature(const void *params_, smr_nature *its)
{
    const struct smr_bayes_params *p = params_;
    unsigned without = 0;
    if (p->model != SMR_BAYES_AUTO && p->model != SMR_BAYES_CATEGORICAL) without |= SMR_TAKES_CODES;
    if (p->model == SMR_BAYES_GAUSSIAN || p->model == SMR_BAYES_CATEGORICAL ||
        (p->model == SMR_BAYES_BERNOULLI && p->threshold < 0))
        without |= SMR_TAKES_SPARSE;
    its->takes &= ~without;
}

const smr_learner smr_bayes = {
    .word = &about,
    .tasks = SMR_DOES_CLASSIFY,
    .takes =
        SMR_TAKES_F64 | SMR_TAKES_SPARSE | SMR_TAKES_CODES | SMR_TAKES_MISSING | SMR_TAKES_WEIGHTS,
    .nature = nature,
    .fit = SMR_TRAINING(smr_bayes_fit),
    .fitted = &fitted,
    .stream = SMR_TRAINING(&streams),
};
