/* Weight 2 means the row twice, in every learner that draws no rows, on columns with more values
 * than a byte holds, without and with categories and gaps, by default and with every choice of
 * every parameter that the table can be fitted with.  What draws rows has tests of its own. */
#include "fixtures.h"
#include "said.h"

enum { ROWS = 307, COLS = 4 };

/* Choices that divide the rows by their position, or visit them in a drawn order: a row and its
 * copies go different ways. */
static const char *const draws[] = {
    "solver=sgd", "prune=reduced", "prune=cost",  "by=cv",         "by=validation",
    "by=l1",      "by=forward",    "by=backward", "by=exhaustive",
};

/* The rows, and each as often as it weighs. */
struct tried {
    smr_table *weighted, *repeated;
};

static struct tried make_tables(smr_ctx *ctx, unsigned with)
{
    int64_t rows[3 * ROWS], n = 0, w = 0;
    struct tried t = {fixture_sized(ctx, with | WITH_WEIGHTS, ROWS, COLS), NULL};
    while (strcmp(t.weighted->cols[w].name, "w") != 0) w++;
    for (int64_t i = 0; i < ROWS; i++)
        for (int64_t r = 0; r < (int64_t)smr_column_number(&t.weighted->cols[w], i); r++)
            rows[n++] = i;
    t.repeated = fixture_copy(ctx, t.weighted, rows, n, NULL, t.weighted->n_cols);
    for (int64_t i = 0; i < n; i++) ((double *)t.repeated->cols[w].values)[i] = 1;
    return t;
}

/* Is it a sentence that draws no rows? */
static bool is_tried(smr_ctx *ctx, const char *sentence)
{
    smr_spec *spec = NULL;
    for (size_t k = 0; k < SMR_COUNT(draws); k++)
        if (strstr(sentence, draws[k])) return false;
    bool tried =
        smr_spec_parse(ctx, sentence, &spec) == SMR_OK && !smr_spec_has_trait(spec, SMR_DRAWS_ROWS);
    smr_ctx_clear(ctx);
    smr_spec_free(spec);
    return tried;
}

/* Minima of the same function may lie apart where it is flat (half of the rows on either side of an
 * absolute error), and splits of equal gain are told apart by rounding: then the functions' values
 * agree.  Cuts that ignore weights change these by 3e-4 and more.  A fit that says that it ended
 * before its minimum is only near. */
static bool is_as_good(const smr_model *a, const smr_model *b)
{
    double least = b->fit.objective;
    bool ended =
        (a->fit.converged || a->fit.n_iter == 0) && (b->fit.converged || b->fit.n_iter == 0);
    return fabs(a->fit.objective - least) <= (ended ? 1e-5 : 1e-3) * fabs(least);
}

/* False: such a table cannot be fitted with it. */
static bool check_sentence(smr_ctx *ctx, const char *sentence, smr_task task, const struct tried *t)
{
    int64_t n, m;
    smr_model *a = fixture_train(ctx, sentence, t->weighted, task, "w");
    smr_ctx_clear(ctx);
    if (!a) return false;
    smr_model *b = fixture_train(ctx, sentence, t->repeated, task, "w");
    if (!b) fail_msg("%s: %s", sentence, smr_ctx_message(ctx));
    double *x = fixture_predict(ctx, a, t->weighted, &n);
    double *y = fixture_predict(ctx, b, t->weighted, &m);
    if (n != m) fail_msg("%s: %lld answers and %lld", sentence, (long long)n, (long long)m);
    for (int64_t i = 0; i < n; i++) {
        bool gaps = isnan(x[i]) && isnan(y[i]);   /* of a transform that leaves them */
        bool never = isinf(x[i]) && x[i] == y[i]; /* a density of 0 */
        if (gaps || never || fabs(x[i] - y[i]) <= 1e-6 * fmax(1, fabs(y[i]))) continue;
        if (is_as_good(a, b)) break;
        fail_msg("%s: answer %lld is %.17g with weights, %.17g with rows repeated; minima %.17g "
                 "and %.17g",
                 sentence, (long long)i, x[i], y[i], a->fit.objective, b->fit.objective);
    }
    smr_free(x);
    smr_free(y);
    smr_model_free(a);
    smr_model_free(b);
    return true;
}

/* Every choice, with what else is said. */
static void check_choices(smr_ctx *ctx, const struct subject *s, const char *also,
                          const struct tried *t)
{
    for (int64_t i = 0; i < s->learner->word->n_params; i++) {
        const smr_param *p = &s->learner->word->params[i];
        for (int64_t c = 0; p->choices && p->choices[c].name; c++) {
            char sentence[256];
            snprintf(sentence, sizeof sentence, "%s%s %s=%s", s->sentence, also, p->name,
                     p->choices[c].name);
            if (is_tried(ctx, sentence)) (void)check_sentence(ctx, sentence, s->task, t);
        }
    }
}

static void weight_two_is_the_row_twice(smr_ctx *ctx, const struct subject *s)
{
    static const unsigned with[] = {0, WITH_CATEGORY | WITH_GAPS};
    const char *also = "";
    char plain[256];
    if (!(s->learner->takes & SMR_TAKES_WEIGHTS) || s->learner->texts) return;
    for (int64_t i = 0; i < s->learner->word->n_params; i++) /* as near as it comes */
        if (strcmp(s->learner->word->params[i].name, "tol") == 0) also = " tol=1e-9";
    snprintf(plain, sizeof plain, "%s%s", s->sentence, also);
    for (int k = 0; k < 2; k++) {
        struct tried t = make_tables(ctx, fixture_for(s->task) | with[k]);
        if (is_tried(ctx, plain)) {
            assert_true(check_sentence(ctx, plain, s->task, &t));
            check_choices(ctx, s, also, &t);
        }
        smr_table_free(t.weighted);
        smr_table_free(t.repeated);
    }
}

int main(void)
{
    static const struct check checks[] = {CHECK(weight_two_is_the_row_twice)};
    return run_suite(&(struct suite){
        .name = "weights", .checks = checks, .n_checks = SMR_COUNT(checks), .threads = 2});
}
