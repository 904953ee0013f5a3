/* reading_words.c -- the words of a reading: names, questions, answers, numbers. */
#include "data/calendar.h"
#include "learn/trees/reading.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_NAME = 40, MOST_LEVELS = 8, MOST_NUMBERS = 4, DIGITS = 6 };
static const double MOST_DAYS = 1e8; /* years of six digits; beyond, and inf: a number */

/* ---- names ------------------------------------------------------------------------------ */

static bool is_blank(unsigned char c)
{
    return c <= 0x20 || c == 0x7F;
}

void smr_say_text(smr_text *out, const char *bytes, int64_t length, int64_t most)
{
    const char *p = bytes, *end = bytes + length;
    bool blank = false;
    int64_t n = 0, from = out->length, kept = out->length;
    while (p < end && is_blank((unsigned char)*p)) p++;
    while (p < end) {
        int step = smr_utf8_step(p, end);
        bool control = step == 2 && (unsigned char)p[0] == 0xC2 && (unsigned char)p[1] < 0xA0;
        if (is_blank((unsigned char)*p) || control) {
            blank = true;
            p += control ? 2 : 1;
            continue;
        }
        n += 1 + (blank && n > 0);
        if (n > most) { /* what was said before `kept` leaves room for the mark */
            if (!out->failed) out->length = kept;
            smr_text_add(out, "\u2026");
            return;
        }
        if (blank && out->length > from) smr_text_add(out, " ");
        blank = false;
        if (step)
            smr_text_add_bytes(out, p, step);
        else
            smr_text_add(out, "\uFFFD");
        if (n < most) kept = out->length;
        p += step ? step : 1;
    }
    if (n == 0) smr_text_add(out, "''");
}

static void say_string(const smr_strings *s, int64_t i, smr_text *out)
{
    int64_t length;
    const char *bytes = smr_strings_get(s, i, &length);
    smr_say_text(out, bytes, length, MOST_NAME);
}

void smr_say_feature(const smr_reading *r, int64_t feature, smr_text *out)
{
    const char *name = feature < r->names.n_in ? r->names.in[feature].name : NULL;
    if (name)
        smr_say_text(out, name, (int64_t)strlen(name), MOST_NAME);
    else
        smr_text_printf(out, "feature %lld", (long long)feature);
}

void smr_say_level(const smr_reading *r, int64_t feature, int64_t code, smr_text *out)
{
    const smr_feature *f = &r->names.in[feature];
    int64_t length;
    if (!f->levels || code >= f->levels->n) {
        smr_text_printf(out, "code %lld", (long long)code);
        return;
    }
    const char *name = smr_strings_get(f->levels, code, &length);
    bool quoted = false; /* in a list of levels it must be clear where each ends */
    for (int64_t i = 0; i < length; i++) quoted |= name[i] == ',' || name[i] == '}';
    if (quoted) smr_text_add(out, "'");
    smr_say_text(out, name, length, MOST_NAME);
    if (quoted) smr_text_add(out, "'");
}

bool smr_names_date(const smr_tree_names *names, int64_t feature)
{
    return feature < names->n_in && names->in[feature].part == SMR_PART_DAYS;
}

/* A day, and where it is not midnight the time, to the second. */
static void say_date(double days, smr_text *out)
{
    double seconds = nearbyint(days * 86400), day = floor(seconds / 86400);
    int rest = (int)(seconds - day * 86400), month, of_month;
    int64_t year;
    smr_date_from_days((int64_t)day, &year, &month, &of_month);
    smr_text_printf(out, "%04lld-%02d-%02d", (long long)year, month, of_month);
    if (rest) smr_text_printf(out, " %02d:%02d", rest / 3600, rest / 60 % 60);
    if (rest % 60) smr_text_printf(out, ":%02d", rest % 60);
}

void smr_say_value(const smr_tree_names *names, int64_t feature, double x, smr_text *out)
{
    if (smr_names_date(names, feature) && fabs(x) < MOST_DAYS)
        say_date(x, out);
    else
        smr_text_rounded(out, x, DIGITS);
}

static void say_class(const smr_reading *r, int64_t k, smr_text *out)
{
    const smr_strings *classes = r->names.classes;
    if (classes && k < classes->n)
        say_string(classes, k, out);
    else
        smr_text_printf(out, "class %lld", (long long)k);
}

/* ---- questions -------------------------------------------------------------------------- */

void smr_say_set(const smr_reading *r, int64_t feature, bool (*has)(const void *set, int64_t code),
                 const void *set, int64_t n, smr_text *out)
{
    int64_t in = 0, listed = 0;
    for (int64_t i = 0; i < n; i++) in += has(set, i);
    bool negated = in > 0 && n - in > 0 && n - in < in;
    int64_t count = negated ? n - in : in;
    if (count == 1)
        smr_text_add(out, negated ? " != " : " = ");
    else
        smr_text_add(out, negated ? " not in {" : " in {");
    for (int64_t i = 0; i < n && listed < SMR_MIN(count, MOST_LEVELS); i++) {
        if (has(set, i) == negated) continue;
        if (listed++) smr_text_add(out, ", ");
        smr_say_level(r, feature, i, out);
    }
    if (count > listed) smr_text_printf(out, ", %lld more", (long long)(count - listed));
    if (count != 1) smr_text_add(out, "}");
}

/* Do rows without a value for the feature come to the node?  Earlier questions about it may have
 * led them elsewhere. */
static bool missing_comes(const smr_reading *r, int64_t at, int64_t feature)
{
    for (; r->parent[at] >= 0; at = r->parent[at]) {
        smr_tree_node above = smr_reading_node(r, r->parent[at]);
        if (above.feature == feature && !smr_reading_missing_goes(r, &above, r->nth[at]))
            return false;
    }
    return true;
}

/* Does the node separate rows without a value from all others? */
static bool asks_for_gaps(const smr_reading *r, const smr_tree_node *node)
{
    if (node->kind == SMR_SPLIT_WAYS || r->view.trees->is_shared) return false;
    int64_t side = smr_reading_missing_goes(r, node, 0) ? 0 : 1;
    if (!smr_reading_asks_codes(r, node))
        return side ? node->cut >= DBL_MAX : node->cut <= -DBL_MAX;
    smr_code_test test = smr_reading_test(r, node, side);
    for (int64_t code = 0; code < test.n_levels; code++)
        if (smr_code_passes(&test, code)) return false;
    return true;
}

void smr_say_answer(const smr_reading *r, int64_t at, int64_t c, smr_text *out)
{
    smr_tree_node node = smr_reading_node(r, at);
    const bool *gaps = r->names.has_gaps;
    smr_say_feature(r, node.feature, out);
    if (asks_for_gaps(r, &node)) {
        smr_text_add(out, smr_reading_missing_goes(r, &node, c) ? " is missing" : " is known");
        return;
    }
    if (node.kind == SMR_SPLIT_WAYS) {
        smr_text_add(out, " = ");
        smr_say_level(r, node.feature, c, out);
    } else if (smr_reading_asks_codes(r, &node)) {
        smr_code_test test = smr_reading_test(r, &node, c);
        smr_say_set(r, node.feature, smr_code_passes, &test, test.n_levels, out);
    } else {
        smr_text_add(out, c == 0 ? " <= " : " > ");
        smr_say_value(&r->names, node.feature, node.cut, out);
    }
    if (gaps && gaps[node.feature] && !r->view.trees->is_shared &&
        smr_reading_missing_goes(r, &node, c) && missing_comes(r, at, node.feature))
        smr_text_add(out, " or missing");
}

void smr_say_question(const smr_reading *r, int64_t node, smr_text *out)
{
    smr_tree_node n = smr_reading_node(r, node);
    if (n.kind == SMR_SPLIT_WAYS)
        smr_say_feature(r, n.feature, out);
    else
        smr_say_answer(r, node, 0, out);
}

void smr_say_edge(const smr_reading *r, int64_t node, smr_text *out)
{
    smr_tree_node above = smr_reading_node(r, r->parent[node]);
    if (above.kind == SMR_SPLIT_WAYS)
        smr_say_level(r, above.feature, r->nth[node], out);
    else
        smr_text_add(out, r->nth[node] == 0 ? "yes" : "no");
}

/* ---- what nodes say --------------------------------------------------------------------- */

int64_t smr_reading_class(const smr_reading *r, int64_t node)
{
    const double *v = r->value + node * r->width;
    double noise = r->below[node] > 0 ? 1e-9 : 0; /* inner ones are sums of what leaves say */
    int64_t best = 0;
    for (int64_t k = 1; k < r->width; k++)
        if (v[k] > v[best] + noise) best = k;
    return best;
}

void smr_say_what(const smr_reading *r, int64_t node, smr_text *out)
{
    const double *v = r->value + node * r->width;
    if (r->view.says == SMR_SAYS_SHARES) {
        say_class(r, smr_reading_class(r, node), out);
        return;
    }
    for (int64_t k = 0; k < r->width && k < MOST_NUMBERS; k++) {
        if (k) smr_text_add(out, ", ");
        if (r->view.says == SMR_SAYS_SCORES && v[k] >= 0) smr_text_add(out, "+");
        smr_text_rounded(out, v[k], DIGITS);
    }
    if (r->width > MOST_NUMBERS) smr_text_add(out, " ...");
}

void smr_say_rows(const smr_reading *r, int64_t node, smr_text *out)
{
    double rows = (double)r->view.trees->cover[r->first + node];
    smr_text_rounded(out, rows, rows == floor(rows) ? 9 : 4);
    smr_text_add(out, rows == 1 ? " row" : " rows");
}

void smr_say_share(double share, smr_text *out)
{
    double percent = 100 * share;
    if (percent < 100 && percent > 99.9) percent = 99.9;
    smr_text_rounded(out, percent, 3);
    smr_text_add(out, " %");
}

void smr_say_counts(const smr_reading *r, int64_t node, bool leaf, smr_text *out)
{
    smr_say_rows(r, node, out);
    if (r->view.says == SMR_SAYS_SHARES) {
        smr_text_add(out, ", ");
        if (!leaf) smr_say_what(r, node, out);
        if (!leaf) smr_text_add(out, " ");
        smr_say_share(r->value[node * r->width + smr_reading_class(r, node)], out);
    } else if (!leaf) {
        smr_text_add(out, r->view.says == SMR_SAYS_VALUES ? ", mean " : ", ");
        smr_say_what(r, node, out);
    }
}
