/* multi.c -- see multi.h. */
#include "learn/multi/multi.h"

#include "data/row_subset.h"
#include "learn/chain.h"
#include "learn/effort.h"

#include <stdio.h>

/* ---- which problems --------------------------------------------------------------------- */

static smr_status count_classes(smr_ctx *ctx, const smr_data *data, struct smr_multi_state *s,
                                int64_t *n_present)
{
    smr_status st = SMR_OK;
    s->n_classes = data->n_classes;
    TRY_NEW(s->present, data->n_classes);
    for (int64_t i = 0; i < data->n_rows; i++)
        if (smr_data_weight(data, i) > 0) s->present[data->label[i]] = 1;
    *n_present = 0;
    for (int64_t c = 0; c < data->n_classes; c++) *n_present += s->present[c];
out:
    return st;
}

/* With one class there is nothing to tell apart, and no member. */
static int64_t problems(int64_t n_classes, int64_t n_present, bool in_pairs)
{
    if (n_present < 2) return 0;
    if (n_classes == 2) return 1;
    return in_pairs ? n_present * (n_present - 1) / 2 : n_present;
}

static void list_problems(bool in_pairs, struct smr_multi_state *s)
{
    int64_t m = 0;
    if (s->as_it_is) {
        s->second[0] = 1;
        return;
    }
    for (int64_t a = 0; a < s->n_classes; a++) {
        for (int64_t b = a + 1; in_pairs && s->present[a] && b < s->n_classes; b++) {
            if (!s->present[b]) continue;
            s->first[m] = a;
            s->second[m++] = b;
        }
        if (in_pairs || !s->present[a]) continue;
        s->first[m] = -1;
        s->second[m++] = a;
    }
}

/* ---- fitting ---------------------------------------------------------------------------- */

struct fitting {
    const smr_spec *spec;
    const smr_data *data;
    struct smr_multi_state *state;
    smr_fit_report *reports; /* n_members */
};

static bool belongs(const struct smr_multi_state *s, int64_t m, int32_t label)
{
    return s->first[m] < 0 || label == s->first[m] || label == s->second[m];
}

/* The rows of problem m: their numbers and classes. */
static int64_t pick_rows(const struct fitting *f, int64_t m, int64_t *rows, int32_t *label)
{
    struct smr_multi_state *s = f->state;
    int64_t n = 0;
    for (int64_t i = 0; i < f->data->n_rows; i++) {
        if (!belongs(s, m, f->data->label[i])) continue;
        rows[n] = i;
        label[n++] = f->data->label[i] == s->second[m];
        s->member_weight[m] += smr_data_weight(f->data, i);
    }
    return n;
}

static smr_status fit_member(smr_ctx *ctx, void *arg, int64_t m, int lane)
{
    struct fitting *f = arg;
    struct smr_multi_state *s = f->state;
    smr_status st = SMR_OK;
    smr_subset subset = {0};
    int64_t *rows = NULL, n_rows = f->data->n_rows;
    int32_t *label = NULL;
    (void)lane;
    TRY_NEW(rows, n_rows);
    TRY_NEW(label, n_rows);
    int64_t n = pick_rows(f, m, rows, label);
    smr_subset_with with = {.task = SMR_TASK_CLASSIFY, .label = label, .n_classes = 2};
    TRY(smr_subset_make(ctx, f->data, n == n_rows ? NULL : rows, n, &with, &subset));
    subset.data.spend = NULL;
    TRY(smr_member_fit(ctx, f->spec, &subset.data, &s->of.member[m], &f->reports[m]));
out:
    smr_free(rows);
    smr_free(label);
    smr_subset_release(&subset);
    return st;
}

/* Every learner passes over its rows ten times, say: over all, or those of two classes. */
static void tell_effort(smr_ctx *ctx, const char *learner, const smr_data *data, bool in_pairs,
                        int64_t n_present, int64_t n)
{
    double rows = (double)data->n_rows * (in_pairs ? 2 / (double)SMR_MAX(2, n_present) : 1);
    double length = (double)(smr_data_is_sparse(data) ? 8 : data->n_features);
    /* the rows of each problem are picked from all */
    double each = 20 * rows * (length + 8) + (double)data->n_rows;
    smr_effort_tell(ctx, &(smr_effort){.learner = learner,
                                       .each = each * (double)n,
                                       .most = 1,
                                       .least = 1,
                                       .advice = n > 100 ? "it fits a learner for each class or "
                                                           "pair: join classes, or take a learner "
                                                           "of many classes"
                                                         : "take fewer rows"});
}

smr_status smr_multi_fit(smr_ctx *ctx, const char *learner, const smr_specs *of,
                         const smr_data *data, bool in_pairs, struct smr_multi_state *s,
                         smr_fit_report *report)
{
    smr_status st = SMR_OK;
    struct fitting f = {.spec = of->spec[0], .data = data, .state = s};
    int64_t n_present = 0, n = 0;
    TRY(count_classes(ctx, data, s, &n_present));
    n = problems(s->n_classes, n_present, in_pairs);
    s->as_it_is = n == 1 && s->n_classes == 2;
    TRY_NEW(s->first, SMR_MAX(1, n));
    TRY_NEW(s->second, SMR_MAX(1, n));
    TRY_NEW(s->member_weight, SMR_MAX(1, n));
    TRY_NEW(f.reports, SMR_MAX(1, n));
    TRY(smr_members_create(ctx, n, &s->of));
    s->n_members = n;
    list_problems(in_pairs, s);
    tell_effort(ctx, learner, data, in_pairs, n_present, n);
    TRY(smr_members_each(ctx, in_pairs ? "fitting pairs of classes" : "fitting classes", n,
                         fit_member, &f));
    smr_members_sum_up(ctx, learner, &s->of, f.reports, report);
out:
    for (int64_t m = 0; f.reports && m < n; m++) smr_fit_report_release(&f.reports[m]);
    smr_free(f.reports);
    return st;
}

/* ---- answers ---------------------------------------------------------------------------- */

bool smr_multi_gives(const struct smr_multi_state *s, smr_output output)
{
    for (int64_t m = 0; m < s->n_members; m++)
        if (!(smr_member_gives(&s->of.member[m]) & 1u << output)) return false;
    return true;
}

int64_t smr_multi_scratch(const struct smr_multi_state *s, int64_t n)
{
    int64_t most = 0;
    for (int64_t m = 0; m < s->n_members; m++)
        most = SMR_MAX(most, smr_member_scratch(&s->of.member[m], n));
    return smr_answers_bytes(n, 2) + most;
}

/* Decisions where the member gives them, else its probabilities. */
static smr_output asked(const smr_member *m, smr_output output)
{
    bool decides = smr_member_gives(m) & SMR_GIVES_DECISION;
    return output == SMR_OUTPUT_DECISION && !decides ? SMR_OUTPUT_PROBA : output;
}

smr_status smr_multi_score(smr_ctx *ctx, const struct smr_multi_state *s, int64_t m,
                           const smr_rows *rows, smr_output output, double *scores, int64_t stride,
                           void *scratch)
{
    smr_status st = SMR_OK;
    double *answers = scratch;
    const smr_member *member = &s->of.member[m];
    TRY(smr_member_predict(ctx, member, rows, asked(member, output), answers,
                           (char *)scratch + smr_answers_bytes(rows->n, 2)));
    for (int64_t i = 0; i < rows->n; i++) {
        const double *a = answers + 2 * i;
        scores[i * stride] = output == SMR_OUTPUT_PROBA ? a[1] : (a[1] - a[0]) / 2;
    }
out:
    return st;
}

smr_status smr_multi_hand_on(smr_ctx *ctx, const struct smr_multi_state *s, const smr_rows *rows,
                             smr_output output, double *out, void *scratch)
{
    const smr_member *member = &s->of.member[0];
    return smr_member_predict(ctx, member, rows, asked(member, output), out,
                              (char *)scratch + smr_answers_bytes(rows->n, 2));
}

/* ---- loading ---------------------------------------------------------------------------- */

static bool members_are_of_two(const struct smr_multi_state *s)
{
    for (int64_t m = 0; m < s->n_members; m++) {
        const smr_member *k = &s->of.member[m];
        unsigned either = SMR_GIVES_DECISION | SMR_GIVES_PROBA;
        if (k->shape.task != SMR_TASK_CLASSIFY || k->shape.n_classes != 2 || k->features ||
            !(smr_member_gives(k) & either))
            return false;
    }
    return true;
}

static bool problems_are_whole(const struct smr_multi_state *s, bool in_pairs)
{
    int64_t n_present = 0;
    for (int64_t c = 0; c < s->n_classes; c++) n_present += s->present[c];
    if (s->n_members != problems(s->n_classes, n_present, in_pairs)) return false;
    if (s->as_it_is != (s->n_classes == 2 && s->n_members == 1)) return false;
    for (int64_t m = 0; m < s->n_members && !s->as_it_is; m++) {
        int64_t a = s->first[m], b = s->second[m];
        if (in_pairs ? a < 0 || a >= b : a != -1) return false;
    }
    return true;
}

smr_status smr_multi_check(smr_ctx *ctx, const char *learner, const struct smr_multi_state *s,
                           bool in_pairs)
{
    if (!problems_are_whole(s, in_pairs) || !members_are_of_two(s))
        return smr_fail(ctx, SMR_ERR_FORMAT, "%s: its learners are not those of its classes",
                        learner);
    return SMR_OK;
}

/* ---- describe --------------------------------------------------------------------------- */

smr_status smr_multi_describe(smr_ctx *ctx, const void *params, const void *state,
                              const smr_feature *in, int64_t n_in, smr_json *into)
{
    const struct smr_multi_state *s = state;
    (void)ctx, (void)params, (void)in, (void)n_in;
    smr_json *list = smr_json_add_array(into, "problems");
    for (int64_t m = 0; m < s->n_members; m++) {
        smr_json *row = smr_json_add_object(list, NULL);
        char name[32];
        snprintf(name, sizeof name, "of.%lld", (long long)m);
        smr_json_add_string(row, "learner", name);
        smr_json_add_number(row, "class", (double)s->second[m]);
        if (s->first[m] < 0)
            smr_json_add_string(row, "against", "the others");
        else
            smr_json_add_number(row, "against", (double)s->first[m]);
        smr_json_add_number(row, "rows", s->member_weight[m]);
    }
    return SMR_OK;
}
