/* cmd_bayes_rule.c -- samara bayes-rule: how probable hypotheses are after what was seen.
 *
 * A test has two outcomes, and both are shown; of several hypotheses one thing was seen, whose
 * likelihoods are given.  The table has a row for each hypothesis: prior, likelihood, their
 * product, and its share of the sum (the rule of total probability). */
#include "commands.h"
#include "core/number.h"
#include "report/render.h"
#include "session.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 100 };

static smr_status refuse_share(smr_ctx *ctx, const char *its, double value, const char *why)
{
    smr_text text = {.ctx = ctx};
    smr_text_rounded(&text, value, 6);
    smr_status st = smr_text_done(&text);
    if (st == SMR_OK)
        st =
            smr_fail(ctx, SMR_ERR_PARAM, "--%s: %s is not between 0 and 1%s", its, text.bytes, why);
    smr_text_release(&text);
    return st;
}

/* Probabilities with commas. */
static smr_status read_shares(smr_ctx *ctx, const char *its, const char *why, const char *text,
                              double *out, int64_t *n)
{
    *n = 0;
    for (const char *at = text;; at++) {
        size_t length = strcspn(at, ",");
        if (*n == MOST) return smr_fail(ctx, SMR_ERR_PARAM, "--%s: at most %d numbers", its, MOST);
        if (smr_parse_double(at, at + length, &out[*n]) != at + length || isnan(out[*n]))
            return smr_fail(ctx, SMR_ERR_PARAM, "--%s: '%.*s' is not a number", its, (int)length,
                            at);
        if (!(out[*n] >= 0 && out[*n] <= 1))
            return refuse_share(ctx, its, out[*n], out[*n] > 1 ? why : "");
        out[*n] += 0.0; /* -0 is 0 */
        ++*n;
        at += length;
        if (!*at) return SMR_OK;
    }
}

/* Name k of a list with commas, or "1", "2" ... */
static void add_name(smr_json *row, const char *names, int64_t k)
{
    char number[24];
    if (!names) {
        snprintf(number, sizeof number, "%lld", (long long)(k + 1));
        smr_json_add_string(row, "hypothesis", number);
        return;
    }
    for (; k > 0; k--) names = strchr(names, ',') + 1;
    smr_json_add_bytes(row, "hypothesis", names, (int64_t)strcspn(names, ","));
}

static smr_status check_names(smr_ctx *ctx, const char *names, int64_t n)
{
    const char *list[MOST];
    size_t length[MOST];
    int64_t there = 0;
    for (const char *at = names; at; at = *at ? at + 1 : NULL) {
        if (there == MOST) return smr_fail(ctx, SMR_ERR_PARAM, "--classes: at most %d names", MOST);
        list[there] = at;
        length[there] = strcspn(at, ",");
        at += length[there];
        if (length[there++] == 0)
            return smr_fail(ctx, SMR_ERR_PARAM, "--classes: name %lld is empty", (long long)there);
        for (int64_t k = 0; k + 1 < there; k++)
            if (length[k] == length[there - 1] && !memcmp(list[k], list[there - 1], length[k]))
                return smr_fail(ctx, SMR_ERR_PARAM, "--classes names '%.*s' twice", (int)length[k],
                                list[k]);
    }
    if (!names || there == n) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_PARAM, "--classes names %lld, and the hypotheses are %lld",
                    (long long)there, (long long)n);
}

/* One thing that was seen: its table, and how probable it is in all. */
static smr_status add_seen(smr_ctx *ctx, const char *seen, int64_t n, const double *prior,
                           const double *likelihood, const char *names, smr_json *list)
{
    smr_status st = SMR_OK;
    double posterior[MOST], total = 0;
    TRY(smr_bayes_rule(ctx, n, prior, likelihood, posterior, &total));
    smr_json *one = smr_json_add_object(list, NULL);
    if (seen) smr_json_add_string(one, "seen", seen);
    smr_json_add_number(one, "probability", total);
    smr_json *rows = smr_json_add_array(one, "hypotheses");
    for (int64_t k = 0; k < n; k++) {
        smr_json *row = smr_json_add_object(rows, NULL);
        add_name(row, names, k);
        smr_json_add_number(row, "prior", prior[k]);
        smr_json_add_number(row, "likelihood", likelihood[k]);
        smr_json_add_number(row, "product", prior[k] * likelihood[k]);
        smr_json_add_number(row, "posterior", posterior[k]);
    }
out:
    return st;
}

/* A hypothesis and its contrary, and a test of them. */
static smr_status test_of(smr_ctx *ctx, const args *a, const double *given, int64_t n,
                          smr_json *list)
{
    smr_status st = SMR_OK;
    double prior[2] = {given[0], 1 - given[0]}, sure = a->sensitivity, right = a->specificity;
    if (n != 1 || a->likelihood || isnan(sure) || isnan(right))
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "a test needs one --prior, --sensitivity and --specificity, and no "
                        "--likelihood");
    if (!(sure >= 0 && sure <= 1)) return refuse_share(ctx, "sensitivity", sure, "");
    if (!(right >= 0 && right <= 1)) return refuse_share(ctx, "specificity", right, "");
    sure += 0.0; /* -0 is 0 */
    right += 0.0;
    TRY(check_names(ctx, a->classes, 2));
    const char *names = a->classes ? a->classes : "true,false";
    double positive[2] = {sure, 1 - right}, negative[2] = {1 - sure, right};
    if (prior[0] * positive[0] + prior[1] * positive[1] > 0) /* else no test is positive */
        TRY(add_seen(ctx, "positive test", 2, prior, positive, names, list));
    if (prior[0] * negative[0] + prior[1] * negative[1] > 0)
        TRY(add_seen(ctx, "negative test", 2, prior, negative, names, list));
out:
    return st;
}

static smr_status hypotheses_of(smr_ctx *ctx, const args *a, const double *prior, int64_t n,
                                smr_json *list)
{
    smr_status st = SMR_OK;
    double likelihood[MOST];
    int64_t n_likelihood;
    if (!a->likelihood)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "bayes-rule needs --likelihood P,..., or --sensitivity and --specificity "
                        "of a test");
    TRY(read_shares(ctx, "likelihood",
                    ", as the probability of what was seen is; divide densities by the largest",
                    a->likelihood, likelihood, &n_likelihood));
    if (n != n_likelihood)
        TRY(smr_fail(
            ctx, SMR_ERR_PARAM,
            "there must be a likelihood for each prior: the priors are %lld, the likelihoods %lld",
            (long long)n, (long long)n_likelihood));
    TRY(check_names(ctx, a->classes, n));
    TRY(add_seen(ctx, NULL, n, prior, likelihood, a->classes, list));
out:
    return st;
}

static void show(const smr_json *root, int64_t most, smr_text *out)
{
    (void)most;
    const smr_json *list = smr_json_get(root, "seen");
    for (const smr_json *one = list->first; one; one = one->next) {
        const char *seen = smr_json_get_string(one, "seen", "what was seen");
        smr_text_printf(out, "%s%s\n", one == list->first ? "" : "\n", seen);
        smr_render_table(smr_json_get(one, "hypotheses"), 2, 0, out);
        smr_text_add(out, "  in all its probability is ");
        smr_text_rounded(out, smr_json_get_number(one, "probability", 0), 6);
        smr_text_add(out, ", the sum of the products\n");
    }
}

smr_status run_bayes_rule(smr_ctx *ctx, args *a)
{
    smr_status st = SMR_OK;
    smr_json_doc *doc = NULL;
    double prior[MOST];
    int64_t n = 0;
    if (!a->prior)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "bayes-rule needs --prior P, how probable a hypothesis "
                        "is beforehand");
    TRY(read_shares(ctx, "prior", "", a->prior, prior, &n));
    TRY(smr_json_create(ctx, &doc));
    smr_json *root = smr_json_root(doc);
    smr_json_add_string(root, "command", "bayes-rule");
    smr_json *list = smr_json_add_array(root, "seen");
    bool test = !isnan(a->sensitivity) || !isnan(a->specificity);
    TRY(test ? test_of(ctx, a, prior, n, list) : hypotheses_of(ctx, a, prior, n, list));
    TRY(session_finish(ctx, a, root, show));
out:
    smr_json_free(doc);
    return st;
}
