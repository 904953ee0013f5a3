/* Every registry entry's tables are complete and agree with themselves: descriptors, parameters,
 * states, sentences.  What a learner does with data: test_contract.c. */
#include "fixtures.h"
#include "said.h"

#include "state_rules.h"

#include "core/number.h"
#include "core/params.h"
#include "learn/spec.h"

/* ---- the tables ------------------------------------------------------------------------- */

static bool is_sentence(const char *text)
{
    size_t n = text ? strlen(text) : 0;
    return n > 1 && text[n - 1] == '.';
}

static void descriptor_is_complete(smr_ctx *ctx, const struct subject *s)
{
    const smr_learner *l = s->learner;
    (void)ctx;
    assert_true(l->word->name && l->word->family && l->word->title && l->word->objective &&
                l->word->reference);
    assert_true(is_sentence(l->word->brief));
    assert_true(!l->word->details || is_sentence(l->word->details));
    assert_true(l->word->example && strncmp(l->word->example, "samara ", 7) == 0);
    assert_true(l->tasks && l->takes && l->fitted->gives);
    assert_true(l->takes & SMR_TAKES_F64); /* the form that always exists */
    assert_true(!(l->fitted->gives & SMR_GIVES_TRANSFORM) == !(l->tasks & SMR_DOES_TRANSFORM));
    assert_true(smr_transforms(l) == !!(l->tasks & SMR_DOES_TRANSFORM));
}

/* Numbers, and texts that may be numbers, are searched between two limits inside their range, above
 * 0 in logarithms; choices and yes/no by all their values. */
static void check_search(const smr_learner *l, const smr_param *p)
{
    bool number =
        p->type == SMR_PARAM_REAL || p->type == SMR_PARAM_INT || p->type == SMR_PARAM_REALS;
    bool choice = p->type == SMR_PARAM_CHOICE || p->type == SMR_PARAM_BOOL;
    bool right = p->search == SMR_SEARCH_NONE || (choice && p->search == SMR_SEARCH_VALUES) ||
                 ((number || p->type == SMR_PARAM_STRING) && p->search != SMR_SEARCH_VALUES &&
                  p->search_min < p->search_max && p->search_min >= p->min &&
                  (p->max == 0 || p->search_max <= p->max) &&
                  (p->search != SMR_SEARCH_LOG || p->search_min > 0));
    if (!right) fail_msg("%s.%s: its search range does not fit it", l->word->name, p->name);
    if (p->simpler != SMR_SIMPLER_NONE && !number)
        fail_msg("%s.%s: only numbers have a simpler side", l->word->name, p->name);
}

/* What is unset has no default, and its text for that is no value of its own. */
static void check_unset(const smr_learner *l, const smr_param *p)
{
    if (!p->unset && p->none)
        fail_msg("%s.%s: a text for unset, and it is never", l->word->name, p->name);
    if (!p->unset) return;
    if (p->def != 0 || p->def_text || p->type == SMR_PARAM_BOOL)
        fail_msg("%s.%s: unset, with a default", l->word->name, p->name);
    for (const smr_choice *c = p->choices; c && c->name; c++)
        if (strcmp(c->name, "none") == 0)
            fail_msg("%s.%s: none is a choice, and sets it back", l->word->name, p->name);
    if (!strstr(p->doc, "unset")) fail_msg("%s.%s: what unset means", l->word->name, p->name);
}

static void parameters_are_documented_and_defaults_in_range(smr_ctx *ctx, const struct subject *s)
{
    const smr_learner *l = s->learner;
    int64_t primary = 0;
    (void)ctx;
    for (int64_t i = 0; i < l->word->n_params; i++) {
        const smr_param *p = &l->word->params[i];
        if (!is_sentence(p->doc)) fail_msg("%s.%s: its doc is no sentence", l->word->name, p->name);
        primary += p->primary;
        bool ranged =
            p->type == SMR_PARAM_REAL || p->type == SMR_PARAM_INT || p->type == SMR_PARAM_REALS;
        bool is_word = ranged && p->choices && p->def < 0;
        for (int k = 0; is_word && k <= (int)(-1 - p->def); k++)
            assert_non_null(p->choices[k].name);
        if (ranged && !p->unset && !is_word && (p->min != 0 || p->max != 0) &&
            !(p->def >= p->min && p->def <= p->max))
            fail_msg("%s.%s: the default is out of range", l->word->name, p->name);
        for (const smr_choice *c = p->choices; c && c->name; c++) assert_non_null(c->doc);
        if (p->type == SMR_PARAM_CHOICE) assert_non_null(p->choices);
        check_search(l, p);
        if ((p->type == SMR_PARAM_PHRASE) != (p->grammar != NULL))
            fail_msg("%s.%s: a phrase has a grammar, and nothing else has", l->word->name, p->name);
        check_unset(l, p);
        if (p->type == SMR_PARAM_PHRASE && (p->most < 1 || p->least > p->most))
            fail_msg("%s.%s: how many sentences?", l->word->name, p->name);
        for (const char *at = p->when; at; at = strchr(at, '&') ? strchr(at, '&') + 1 : NULL) {
            char other[64] = "";
            memcpy(other, at, strcspn(at, SMR_WHEN_SIGNS));
            if (!smr_param_find(l->word, other))
                fail_msg("%s.%s: when names '%s'", l->word->name, p->name, other);
        }
    }
    assert_true(primary <= 1);
}

static void state_names_its_dimensions(smr_ctx *ctx, const struct subject *s)
{
    const smr_learner *l = s->learner;
    (void)ctx;
    for (int64_t i = 0; i < l->fitted->n_state; i++)
        if (!is_sentence(l->fitted->state[i].doc))
            fail_msg("%s.%s: no sentence", l->word->name, l->fitted->state[i].name);
    check_state_rules(l);
}

static void canonical_sentence_reads_back(smr_ctx *ctx, const struct subject *s)
{
    smr_text x = {.ctx = ctx}, y = {.ctx = ctx};
    smr_spec *a = parsed(ctx, s->sentence), *b = NULL, *c = NULL;
    smr_spec_write(a, &x);
    b = parsed(ctx, x.bytes);
    smr_spec_write(b, &y);
    assert_string_equal(x.bytes, y.bytes);
    y.length = 0;
    check_ok(ctx, smr_spec_copy(ctx, a, &c));
    smr_spec_free(a);
    smr_spec_write(c, &y);
    assert_string_equal(x.bytes, y.bytes);
    smr_spec_free(b);
    smr_spec_free(c);
    smr_text_release(&x);
    smr_text_release(&y);
}

static void check_refused(smr_ctx *ctx, const char *sentence)
{
    smr_spec *spec = NULL;
    if (smr_spec_parse(ctx, sentence, &spec) != SMR_ERR_PARAM)
        fail_msg("\"%s\" was not refused", sentence);
    assert_true(*smr_ctx_message(ctx));
    smr_ctx_clear(ctx);
}

static void values_out_of_range_are_refused(smr_ctx *ctx, const struct subject *s)
{
    const smr_learner *l = s->learner;
    char text[256], number[SMR_NUMBER_MAX];
    for (int64_t i = 0; i < l->word->n_params; i++) {
        const smr_param *p = &l->word->params[i];
        bool ranged =
            p->type == SMR_PARAM_REAL || p->type == SMR_PARAM_INT || p->type == SMR_PARAM_REALS;
        if (p->type == SMR_PARAM_PHRASE && p->least > 0 && !p->def_text)
            check_refused(ctx, l->word->name);
        snprintf(text, sizeof text, "%s %s=nan", l->word->name, p->name);
        if (p->type != SMR_PARAM_STRING) check_refused(ctx, text);
        snprintf(text, sizeof text, "%s %s=qwerty", l->word->name, p->name);
        if (p->type != SMR_PARAM_STRING) check_refused(ctx, text);
        if (!ranged || (p->min == 0 && p->max == 0)) continue;
        for (int side = 0; side < 2; side++) {
            double limit = side ? p->max : p->min;
            if (isinf(limit)) continue;
            smr_format_double(limit + (side ? 1 : -1) * fmax(1, fabs(limit)), number);
            if (p->none && strcmp(number, p->none) == 0) continue; /* no value, but unset */
            snprintf(text, sizeof text, "%s %s=%s", l->word->name, p->name, number);
            check_refused(ctx, text);
        }
    }
}

static void unknown_parameters_are_refused(smr_ctx *ctx, const struct subject *s)
{
    char text[128];
    snprintf(text, sizeof text, "%s qwertz=1", s->learner->word->name);
    check_refused(ctx, text);
    snprintf(text, sizeof text, "%s 1 2", s->learner->word->name);
    check_refused(ctx, text);
}

/* ---- running ---------------------------------------------------------------------------- */

static const struct check checks[] = {
    CHECK(descriptor_is_complete),          CHECK(parameters_are_documented_and_defaults_in_range),
    CHECK(state_names_its_dimensions),      CHECK(canonical_sentence_reads_back),
    CHECK(values_out_of_range_are_refused), CHECK(unknown_parameters_are_refused),
};

int main(void)
{
    return run_suite(&(struct suite){.name = "contract of the tables",
                                     .checks = checks,
                                     .n_checks = SMR_COUNT(checks),
                                     .threads = 1,
                                     .once = true});
}
