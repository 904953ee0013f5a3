/* reading_rules.c -- a tree as rules: one for each leaf, what is asked about one feature on the way
 * to it merged into one interval, or into one set of levels. */
#include "core/sort.h"
#include "learn/trees/reading.h"

#include <float.h>
#include <math.h>

/* What must hold for one feature. */
struct condition {
    int64_t feature;
    double above, to; /* above < x <= to                                            */
    uint32_t *levels; /* NULL: not asked in codes; else those that pass, as bits    */
    int64_t n_levels;
    bool missing; /* does a missing value pass?                                     */
};

struct rule {
    int64_t n;
    struct condition *at; /* in the order in which the features were asked             */
    int64_t *place;       /* n_in: of the feature in `at`, -1 where it is not asked    */
};

/* ---- making one ------------------------------------------------------------------------- */

static void clear(struct rule *rule)
{
    for (int64_t i = 0; i < rule->n; i++) {
        smr_free(rule->at[i].levels);
        rule->place[rule->at[i].feature] = -1;
    }
    rule->n = 0;
}

static struct condition *condition_on(struct rule *rule, int64_t feature)
{
    int64_t *place = &rule->place[feature];
    if (*place < 0) {
        *place = rule->n++;
        rule->at[*place] = (struct condition){
            .feature = feature, .above = -INFINITY, .to = INFINITY, .missing = true};
    }
    return &rule->at[*place];
}

static bool has_level(const void *condition, int64_t code)
{
    const struct condition *c = condition;
    return c->levels[code / 32] >> (code % 32) & 1;
}

/* Only levels that go from the node to its child k are left. */
static smr_status narrow_levels(smr_ctx *ctx, const smr_reading *r, const smr_tree_node *node,
                                int64_t k, struct condition *c)
{
    smr_status st = SMR_OK;
    smr_code_test test = smr_reading_test(r, node, k);
    if (!c->levels) {
        c->n_levels = test.n_levels;
        TRY_NEW(c->levels, c->n_levels / 32 + 1);
        for (int64_t i = 0; i < c->n_levels; i++) c->levels[i / 32] |= UINT32_C(1) << (i % 32);
    }
    for (int64_t i = 0; i < c->n_levels; i++)
        if (!smr_code_passes(&test, i)) c->levels[i / 32] &= ~(UINT32_C(1) << (i % 32));
out:
    return st;
}

static smr_status narrow(smr_ctx *ctx, const smr_reading *r, int64_t at, int64_t k,
                         struct rule *rule)
{
    smr_tree_node node = smr_reading_node(r, at);
    struct condition *c = condition_on(rule, node.feature);
    c->missing &= smr_reading_missing_goes(r, &node, k);
    if (smr_reading_asks_codes(r, &node)) return narrow_levels(ctx, r, &node, k, c);
    if (k == 0)
        c->to = smr_fmin(c->to, node.cut);
    else
        c->above = smr_fmax(c->above, node.cut);
    return SMR_OK;
}

/* The conditions on the way from the root to `leaf`; way: room for all nodes of it. */
static smr_status make_rule(smr_ctx *ctx, const smr_reading *r, int64_t leaf, int64_t *way,
                            struct rule *rule)
{
    smr_status st = SMR_OK;
    int64_t n = r->depth[leaf];
    clear(rule);
    for (int64_t at = leaf, i = n; at > 0; at = r->parent[at]) way[--i] = at;
    for (int64_t i = 0; i < n; i++) TRY(narrow(ctx, r, r->parent[way[i]], r->nth[way[i]], rule));
out:
    return st;
}

/* ---- writing one ------------------------------------------------------------------------ */

/* No existing value meets the condition. */
static bool is_empty(const struct condition *c)
{
    if (!c->levels) return c->above >= DBL_MAX || c->to <= -DBL_MAX;
    for (int64_t code = 0; code < c->n_levels; code++)
        if (has_level(c, code)) return false;
    return true;
}

static void say_interval(const smr_reading *r, const struct condition *c, smr_text *out)
{
    bool low = c->above > -DBL_MAX, high = c->to < DBL_MAX; /* nothing lies beyond */
    if (low && high) {
        smr_say_value(&r->names, c->feature, c->above, out);
        smr_text_add(out, " < ");
    }
    smr_say_feature(r, c->feature, out);
    if (low && !high) {
        smr_text_add(out, " > ");
        smr_say_value(&r->names, c->feature, c->above, out);
    } else if (high) {
        smr_text_add(out, " <= ");
        smr_say_value(&r->names, c->feature, c->to, out);
    } else if (!low) {
        smr_text_add(out, " is known");
    }
}

static void say_condition(const smr_reading *r, const struct condition *c, bool alone,
                          smr_text *out)
{
    const bool *gaps = r->names.has_gaps;
    bool also = c->missing && gaps && gaps[c->feature] && !r->view.trees->is_shared;
    if (c->missing && is_empty(c)) {
        smr_say_feature(r, c->feature, out);
        smr_text_add(out, " is missing");
        return;
    }
    if (also && !alone) smr_text_add(out, "(");
    if (c->levels) {
        smr_say_feature(r, c->feature, out);
        smr_say_set(r, c->feature, has_level, c, c->n_levels, out);
    } else {
        say_interval(r, c, out);
    }
    if (also) smr_text_add(out, alone ? " or missing" : " or missing)");
}

static void add_condition(const smr_reading *r, const struct condition *c, smr_json *list)
{
    const smr_feature *f = &r->names.in[c->feature];
    smr_json *one = smr_json_add_object(list, NULL);
    smr_json_add_string(one, "feature", f->name ? f->name : "");
    if (c->above > -INFINITY) smr_json_add_number(one, "above", c->above);
    if (c->to < INFINITY) smr_json_add_number(one, "to", c->to);
    smr_json *levels = c->levels ? smr_json_add_array(one, "levels") : NULL;
    for (int64_t i = 0; c->levels && i < c->n_levels; i++) {
        int64_t length;
        if (!has_level(c, i)) continue;
        if (f->levels && i < f->levels->n) {
            const char *name = smr_strings_get(f->levels, i, &length);
            smr_json_add_bytes(levels, NULL, name, length);
        } else {
            smr_json_add_number(levels, NULL, (double)i);
        }
    }
    smr_json_add_bool(one, "missing", c->missing);
}

void smr_reading_add_what(const smr_reading *r, int64_t node, const char *key, smr_json *into)
{
    const double *v = r->value + node * r->width;
    const smr_strings *classes = r->names.classes;
    int64_t length, k = smr_reading_class(r, node);
    if (r->view.says != SMR_SAYS_SHARES) {
        if (r->width == 1)
            smr_json_add_number(into, key, v[0]);
        else
            smr_json_add_numbers(into, key, v, r->width);
    } else if (classes && k < classes->n) {
        const char *name = smr_strings_get(classes, k, &length);
        smr_json_add_bytes(into, key, name, length);
    } else {
        smr_json_add_number(into, key, (double)k);
    }
}

static smr_status add_rule(smr_ctx *ctx, const smr_reading *r, int64_t leaf,
                           const struct rule *rule, smr_json *list)
{
    smr_status st = SMR_OK;
    smr_text words = {.ctx = ctx};
    const float *cover = r->view.trees->cover + r->first;
    smr_json *one = smr_json_add_object(list, NULL);
    for (int64_t i = 0; i < rule->n; i++) {
        if (i) smr_text_add(&words, " and ");
        say_condition(r, &rule->at[i], rule->n == 1, &words);
    }
    TRY(smr_text_done(&words));
    smr_json_add_string(one, "if", words.bytes ? words.bytes : "");
    smr_reading_add_what(r, leaf, "then", one);
    smr_json_add_number(one, "rows", (double)cover[leaf]);
    smr_json_add_number(one, "coverage", cover[0] > 0 ? (double)cover[leaf] / (double)cover[0] : 0);
    if (r->view.says == SMR_SAYS_SHARES)
        smr_json_add_number(one, "confidence",
                            r->value[leaf * r->width + smr_reading_class(r, leaf)]);
    smr_json *conditions = smr_json_add_array(one, "conditions");
    for (int64_t i = 0; i < rule->n; i++) add_condition(r, &rule->at[i], conditions);
    smr_json_add_number(one, "leaf", (double)smr_reading_node(r, leaf).leaf);
out:
    smr_text_release(&words);
    return st;
}

enum { MOST_QUESTIONS = 1000 }; /* of a leaf that gets a rule: nobody reads longer ones */

/* ---- all of them ------------------------------------------------------------------------ */

/* The leaves by falling rows. */
static smr_status rank_leaves(smr_ctx *ctx, const smr_reading *r, int64_t **leaves, int64_t *n)
{
    smr_status st = SMR_OK;
    double *falling = NULL;
    int64_t *order = NULL, count = 0;
    TRY_NEW(falling, r->n);
    TRY_NEW(order, r->n);
    TRY_NEW(*leaves, r->n);
    for (int64_t i = 0; i < r->n; i++) {
        bool leaf = r->below[i] == 0;
        falling[i] = leaf ? -(double)r->view.trees->cover[r->first + i] : INFINITY;
        count += leaf;
    }
    TRY(smr_argsort_f64(ctx, r->n, falling, order));
    for (int64_t i = 0; i < count; i++) (*leaves)[i] = order[i];
    *n = count;
out:
    smr_free(falling);
    smr_free(order);
    return st;
}

smr_status smr_reading_rules(smr_ctx *ctx, const smr_reading *r, int64_t most, smr_json *rules)
{
    smr_status st = SMR_OK;
    int64_t *leaves = NULL, *way = NULL, n = 0;
    struct rule rule = {0};
    if (!rules) return SMR_ERR_NOMEM;
    TRY_NEW(way, r->n);
    TRY_NEW(rule.place, r->names.n_in + 1);
    TRY_NEW(rule.at, SMR_MIN(r->n, r->names.n_in) + 1);
    for (int64_t j = 0; j < r->names.n_in; j++) rule.place[j] = -1;
    TRY(rank_leaves(ctx, r, &leaves, &n));
    if (most > 0) n = SMR_MIN(n, most);
    for (int64_t i = 0; i < n; i++) {
        TRY(smr_tick(ctx, NULL, i, n, NAN));
        if (r->depth[leaves[i]] > MOST_QUESTIONS) continue;
        TRY(make_rule(ctx, r, leaves[i], way, &rule));
        TRY(add_rule(ctx, r, leaves[i], &rule, rules));
    }
    st = smr_json_done(rules->doc);
out:
    if (rule.at && rule.place) clear(&rule);
    smr_free(rule.at);
    smr_free(rule.place);
    smr_free(leaves);
    smr_free(way);
    return st;
}
