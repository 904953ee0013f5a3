/* test_absent.c -- a class that the target names and no row has changes nothing: what a classifier
 * answers about the others is what it answers where they are all, to rounding, by default, with
 * every choice of every parameter and with members of every kind; the class itself is never chosen.
 *
 * The table is the same but for the list of classes: the absent one comes first, between others, or
 * last; beside two classes, where many learners have one score, or beside three. */
#include "fixtures.h"
#include "said.h"

enum { ROWS = 211, COLS = 4 };

/* What may differ: sums that take the absent class's 0 along.  Beside two classes ovo couples its
 * one pair, whose probability it keeps 1e-7 away from 0 and 1, where two alone are passed on. */
static const double ROUNDING = 1e-9, BESIDE_TWO = 2e-7;
/* A mixture of members that end at a tolerance hands what rounding makes of one on to the others:
 * up to 1e-8 of it is seen, at tol=1e-10. */
static const double OF_SGD = 1e-7;

static double allowed(const char *sentence, bool is_two)
{
    return is_two ? BESIDE_TWO : strstr(sentence, "(sgd") ? OF_SGD : ROUNDING;
}

/* Two classes alone are one number, and three are three:
 *     stack   the final learner has one feature a member, or one a class, and its penalty too */
static const char *const alone[] = {"stack"};

/* Rows of the first n_present classes, of which `absent`, by its place among all, has none; < 0:
 * there is no such class. */
static smr_table *table_with(smr_ctx *ctx, int n_present, int absent)
{
    static const char *const all[] = {"a", "b", "c", "d"};
    smr_table *t = fixture_sized(ctx, WITH_CLASSES | WITH_CATEGORY, ROWS, COLS);
    smr_column *col = &t->cols[t->n_cols - 1];
    int n = n_present + (absent >= 0);
    smr_strings_release(&col->levels);
    col->levels.n = n;
    col->levels.start = smr_alloc(ctx, n + 1, sizeof(int64_t));
    col->levels.bytes = smr_alloc(ctx, n + 1, 1);
    for (int k = 0; k < n; k++) {
        memcpy(col->levels.bytes + k, all[k], 1);
        col->levels.start[k + 1] = k + 1;
    }
    for (int64_t i = 0; i < ROWS; i++) {
        int32_t *code = (int32_t *)col->values + i;
        if (*code >= n_present) *code = n_present - 1;
        if (absent >= 0 && *code >= absent) ++*code;
    }
    return t;
}

struct answers {
    int64_t n_classes;
    bool is_proba;
    double *most; /* rows x n_classes: probabilities, or decisions */
    double *label;
};

/* False: it cannot be fitted, and the reason is in the context. */
static bool answer(smr_ctx *ctx, const char *sentence, const smr_table *t, struct answers *out)
{
    int64_t n;
    smr_model *m = fixture_train(ctx, sentence, t, SMR_TASK_CLASSIFY, NULL);
    *out = (struct answers){0};
    if (!m) return false;
    out->is_proba = fixture_output(m) == SMR_OUTPUT_PROBA;
    out->most = fixture_predict(ctx, m, t, &n);
    out->n_classes = n / ROWS;
    out->label = smr_alloc(ctx, ROWS, sizeof *out->label);
    check_ok(ctx, smr_model_apply(ctx, m, t, NULL, 0, SMR_OUTPUT_LABEL, out->label));
    smr_model_free(m);
    return true;
}

static void release(struct answers *a)
{
    smr_free(a->most);
    smr_free(a->label);
}

/* Decisions beside two classes have another unit, as two classes have one score, and are compared
 * by their labels. */
static void compare_row(const char *what, int64_t i, int absent, const struct answers *with,
                        const struct answers *without)
{
    const double *x = with->most + i * with->n_classes;
    const double *y = without->most + i * without->n_classes;
    bool is_two = without->n_classes == 2;
    for (int64_t c = 0; c < without->n_classes && (with->is_proba || !is_two); c++) {
        int64_t at = c + (c >= absent);
        if (fabs(x[at] - y[c]) <= allowed(what, is_two) * fmax(1, fabs(y[c]))) continue;
        fail_msg("%s: row %lld, class %lld: %.17g with a class that has no rows, %.17g without",
                 what, (long long)i, (long long)c, x[at], y[c]);
    }
    if (with->is_proba && x[absent] != 0)
        fail_msg("%s: row %lld: the class without rows has probability %.17g", what, (long long)i,
                 x[absent]);
    if (with->label[i] != without->label[i] + (without->label[i] >= absent))
        fail_msg("%s: row %lld has class %g with one that has no rows, %g without", what,
                 (long long)i, with->label[i], without->label[i]);
}

static void check_beside(smr_ctx *ctx, const char *sentence, int n_present, bool must_fit)
{
    struct answers without;
    smr_table *t = table_with(ctx, n_present, -1);
    if (!answer(ctx, sentence, t, &without)) {
        if (must_fit) fail_msg("%s: %s", sentence, smr_ctx_message(ctx));
        smr_ctx_clear(ctx);
        smr_table_free(t);
        return;
    }
    assert_int_equal(without.n_classes, n_present);
    smr_table_free(t);
    for (int absent = 0; absent <= n_present; absent++) {
        struct answers with;
        char what[256];
        snprintf(what, sizeof what, "%s: %d classes and an absent one at %d", sentence, n_present,
                 absent);
        t = table_with(ctx, n_present, absent);
        if (!answer(ctx, sentence, t, &with)) {
            /* what is for two classes may say that there are three */
            if (n_present > 2 || smr_ctx_status(ctx) != SMR_ERR_PARAM)
                fail_msg("%s: %s", what, smr_ctx_message(ctx));
            smr_ctx_clear(ctx);
            smr_table_free(t);
            continue;
        }
        assert_int_equal(with.n_classes, n_present + 1);
        for (int64_t i = 0; i < ROWS; i++) compare_row(what, i, absent, &with, &without);
        release(&with);
        smr_table_free(t);
    }
    release(&without);
}

static void check_sentence(smr_ctx *ctx, const char *sentence, bool must_fit)
{
    check_beside(ctx, sentence, 3, must_fit);
    for (size_t k = 0; k < SMR_COUNT(alone); k++)
        if (strncmp(sentence, alone[k], strlen(alone[k])) == 0) return;
    check_beside(ctx, sentence, 2, false);
}

static void absent_classes_change_no_answer(smr_ctx *ctx, const struct subject *s)
{
    const smr_word *word = s->learner->word;
    check_sentence(ctx, s->sentence, true);
    if (CHECK_MEMORY || CHECK_RACES) return; /* hundreds of fits: they show no more than one */
    for (int64_t i = 0; i < word->n_params; i++)
        for (int64_t c = 0; word->params[i].choices && word->params[i].choices[c].name; c++) {
            char sentence[256];
            snprintf(sentence, sizeof sentence, "%s %s=%s", s->sentence, word->params[i].name,
                     word->params[i].choices[c].name);
            check_sentence(ctx, sentence, false);
        }
}

static bool has_restarts(const smr_word *word)
{
    for (int64_t i = 0; i < word->n_params; i++)
        if (strcmp(word->params[i].name, "restarts") == 0) return true;
    return false;
}

/* Members whose answers differ in kind: trees that may be sure, linear scores, decisions alone.
 * sgd is made to converge: where it ends otherwise, a rounding may add a pass. */
static void absent_classes_change_no_answer_of_members(smr_ctx *ctx, const struct subject *s)
{
    static const char *const members[] = {"tree min_leaf=9", "logistic", "svm", "sgd tol=1e-10",
                                          "boost 3"};
    const smr_word *word = s->learner->word;
    for (int64_t i = 0; i < word->n_params; i++) {
        const smr_param *p = &word->params[i];
        if (p->type != SMR_PARAM_PHRASE || p->grammar != &smr_sentences) continue;
        for (int64_t k = 0; k < SMR_COUNT(members); k++) {
            char sentence[256];
            int used =
                snprintf(sentence, sizeof sentence, "%s %s=(%s)", word->name, p->name, members[k]);
            for (int64_t more = 1; more < p->least; more++)
                used += snprintf(sentence + used, sizeof sentence - (size_t)used, ",(%s)",
                                 members[(k + more) % SMR_COUNT(members)]);
            if (has_restarts(word))
                snprintf(sentence + used, sizeof sentence - (size_t)used,
                         " restarts=1 max_iter=12");
            check_sentence(ctx, sentence, false);
        }
    }
}

static bool is_for(const struct check *check, const smr_learner *l, smr_task task)
{
    (void)check;
    return task == SMR_TASK_CLASSIFY && (l->tasks & SMR_DOES_CLASSIFY);
}

int main(void)
{
    static const struct check checks[] = {
        CHECK(absent_classes_change_no_answer),
        CHECK(absent_classes_change_no_answer_of_members),
    };
    return run_suite(
        &(struct suite){.name = "absent classes",
                        .checks = checks,
                        .n_checks = CHECK_MEMORY || CHECK_RACES ? 1 : SMR_COUNT(checks),
                        .threads = 2,
                        .is_for = is_for});
}
