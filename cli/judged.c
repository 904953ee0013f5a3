/* judged.c -- see judged.h. */
#include "judged.h"

#include "learn/spec.h"
#include "report/render.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_LINES = 64, SHOWN_MATRIX = 30 };

/* One measure as text, and its width on the terminal. */
struct entry {
    const char *name;
    smr_text value;
};

static void add_blanks(smr_text *out, int64_t n)
{
    for (; n > 0; n--) smr_text_add(out, " ");
}

static void write_value(const smr_json *root, const smr_json *m, smr_text *out)
{
    const smr_json *interval = smr_json_get(smr_json_get(root, "intervals"), m->key);
    smr_render_value(m, out);
    if (!interval || interval->type != SMR_JSON_ARRAY || interval->n != 2) return;
    smr_text_add(out, " (");
    smr_render_number(interval->first->number, 3, out);
    smr_text_add(out, " to ");
    smr_render_number(interval->last->number, 3, out);
    smr_text_add(out, ")");
}

/* Only numbers that are defined; with two classes auc_ovo is auc, and error is 1 - accuracy. */
static int64_t collect(const smr_json *root, const smr_json *measures, struct entry *entries,
                       smr_ctx *ctx)
{
    const smr_json *classes = smr_json_get(measures, "classes");
    int64_t n = 0;
    for (const smr_json *m = measures ? measures->first : NULL; m && n < MOST_LINES; m = m->next) {
        if (m->type != SMR_JSON_NUMBER || isnan(m->number)) continue;
        if (classes && classes->n == 2 && strcmp(m->key, "auc_ovo") == 0) continue;
        entries[n] = (struct entry){.name = m->key, .value = {.ctx = ctx}};
        write_value(root, m, &entries[n++].value);
    }
    return n;
}

static int64_t widest(const struct entry *e, int64_t lo, int64_t hi, bool values)
{
    int64_t most = 0;
    for (int64_t i = lo; i < hi; i++)
        most = SMR_MAX(most, values ? e[i].value.length : (int64_t)strlen(e[i].name));
    return most;
}

static void show_threshold(const smr_json *root, smr_text *out)
{
    const smr_json *t = smr_json_get(root, "threshold");
    if (!t) return;
    smr_text_add(out, "  threshold  ");
    smr_render_value(smr_json_get(t, "value"), out);
    const char *rule = smr_json_get_string(t, "rule", NULL);
    const char *on = smr_json_get_string(t, "chosen_on", NULL);
    smr_text_printf(out, " (%s%s%s)\n",
                    !rule ? smr_json_get_string(t, "chosen", "")
                    : on  ? rule
                          : "given",
                    on ? ", chosen on " : "", on ? on : "");
}

static void show_cost(const smr_json *root, smr_text *out)
{
    const smr_json *cost = smr_json_get(root, "cost");
    if (!cost) return;
    smr_text_add(out, "  cost       ");
    smr_text_rounded(out, smr_json_get_number(cost, "per_row", NAN), 3);
    smr_text_add(out, " per row at this threshold, ");
    smr_text_rounded(out, smr_json_get_number(cost, "per_row_usual", NAN), 3);
    smr_text_add(out, " where the larger score decides\n");
}

void judged_baseline(const smr_json *root, smr_text *out)
{
    const smr_json *b = smr_json_get(root, "baseline");
    const smr_json *first = smr_json_get(root, "measures");
    const char *measure = smr_json_get(b, "accuracy") ? "accuracy" : "rmse";
    if (first && first->first && smr_json_get(b, first->first->key)) /* one that suits the model */
        measure = first->first->key;
    const char *from = smr_json_get_string(b, "from", "");
    if (!b) return;
    for (const smr_json *m = first ? first->first : NULL; m && !smr_json_get(b, measure);
         m = m->next)
        measure = m->key; /* of what was found: the first that the baseline has */
    if (!smr_json_get(b, measure)) return;
    smr_text_printf(out, "%s  %s", b->key, smr_json_get_string(b, "what", ""));
    if (smr_json_get(b, "value")) {
        smr_text_add(out, ", ");
        smr_text_rounded(out, smr_json_get_number(b, "value", NAN), 6);
    }
    if (strcmp(from, "the measured rows") == 0) smr_text_printf(out, " (of %s)", from);
    smr_text_printf(out, ": %s ", measure);
    smr_text_rounded(out, smr_json_get_number(b, measure, NAN), 6);
    smr_text_add(out, "\n");
}

/* Why clusters cannot be measured, as far as the numbers of their rows tell. */
static const char *why_undefined(const smr_json *sizes)
{
    double total = 0;
    int64_t groups = 0;
    for (const smr_json *s = sizes ? sizes->first : NULL; s; s = s->next) {
        total += s->number;
        groups += s->number > 0;
    }
    if (groups && !(total > (double)groups))
        return "there are no more rows than clusters, and a weight is a number of rows";
    if (groups == 1) return "all measured rows are in one cluster";
    return groups ? "rows of the same cluster do not differ" : "there are too many clusters";
}

/* Measures of clusters that have no value are named: of shape, and where classes are known. */
static void show_undefined(const smr_json *root, smr_text *out)
{
    static const char *const names[] = {"adjusted_rand", "silhouette", "davies_bouldin",
                                        "calinski_harabasz"};
    const smr_json *measures = smr_json_get(root, "measures");
    int64_t n = 0;
    for (int64_t k = smr_json_get(measures, "known") ? 0 : 1; k < SMR_COUNT(names); k++) {
        const smr_json *m = smr_json_get(measures, names[k]);
        if (m && (m->type == SMR_JSON_NULL || !isfinite(m->number)))
            smr_text_printf(out, "%s%s", n++ ? ", " : "  undefined: ", names[k]);
    }
    if (n) smr_text_printf(out, "; %s\n", why_undefined(smr_json_get(measures, "sizes")));
}

void judged_measures(const smr_json *root, smr_text *out)
{
    struct entry e[MOST_LINES];
    int64_t n = collect(root, smr_json_get(root, "measures"), e, out->ctx);
    int64_t rows = n > 8 ? (n + 1) / 2 : n;
    int64_t name = widest(e, 0, rows, false), value = widest(e, 0, rows, true);
    int64_t second = widest(e, rows, n, false);
    show_threshold(root, out);
    show_cost(root, out);
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t k = i; k < n; k += rows) {
            add_blanks(out, 2);
            smr_text_add(out, e[k].name);
            add_blanks(out, (k < rows ? name : second) + 2 - (int64_t)strlen(e[k].name));
            smr_text_add(out, e[k].value.bytes ? e[k].value.bytes : "");
            if (k + rows < n) add_blanks(out, value + 2 - e[k].value.length);
        }
        smr_text_add(out, "\n");
    }
    show_undefined(root, out);
    judged_baseline(root, out);
    for (int64_t i = 0; i < n; i++) {
        out->failed |= e[i].value.failed;
        smr_text_release(&e[i].value);
    }
}

/* The classes' rows, then the averages over them. */
static void show_classes(const smr_json *measures, int64_t most, smr_text *out)
{
    static const char *const averages[] = {"macro", "weighted"};
    const smr_json *classes = smr_json_get(measures, "classes");
    smr_json_doc *doc = NULL;
    if (!classes) return;
    if (smr_json_create(out->ctx, &doc) != SMR_OK) {
        out->failed = true;
        return;
    }
    smr_json *rows = smr_json_add_array(smr_json_root(doc), "rows");
    int64_t shown = 0;
    for (const smr_json *c = classes->first; c && (!most || shown < most); c = c->next, shown++) {
        smr_json *row = smr_json_add_object(rows, NULL);
        smr_json_add_copy(row, "class", smr_json_get(c, "name"));
        for (const smr_json *m = c->first->next; m; m = m->next)
            smr_json_add_copy(row, strcmp(m->key, "support") == 0 ? "rows" : m->key, m);
    }
    for (int64_t a = 0; a < SMR_COUNT(averages); a++) {
        const smr_json *average = smr_json_get(smr_json_get(measures, "averages"), averages[a]);
        smr_json *row = smr_json_add_object(rows, NULL);
        smr_json_add_string(row, "class", a ? "weighted mean" : "mean");
        for (const smr_json *m = average ? average->first : NULL; m; m = m->next)
            smr_json_add_copy(row, m->key, m);
    }
    smr_text_add(out, "\nclasses\n");
    smr_render_table(rows, 2, 0, out);
    if (shown < classes->n)
        smr_text_printf(out, "  ... and %lld more; --rows 0 shows all\n",
                        (long long)(classes->n - shown));
    if (smr_json_done(doc) != SMR_OK) out->failed = true;
    smr_json_free(doc);
}

/* Rows of each known class in each cluster or state. */
static void show_contingency(const smr_json *measures, int64_t most, smr_text *out)
{
    const smr_json *row = smr_json_get(measures, "contingency"), *name;
    const smr_json *names = smr_json_get(measures, "known");
    const smr_json *found = smr_json_get(measures, "found");
    smr_json_doc *doc = NULL;
    if (!row || !names) return;
    if (smr_json_create(out->ctx, &doc) != SMR_OK) {
        out->failed = true;
        return;
    }
    smr_json *rows = smr_json_add_array(smr_json_root(doc), "rows");
    for (row = row->first, name = names->first; row && name; row = row->next, name = name->next) {
        smr_json *to = smr_json_add_object(rows, NULL);
        const smr_json *head = found ? found->first : NULL;
        int64_t c = 0;
        smr_json_add_copy(to, found ? "known" : "class", name);
        for (const smr_json *v = row->first; v; v = v->next, c++) {
            char key[24];
            snprintf(key, sizeof key, "%lld", (long long)c);
            smr_json_add_copy(to, head && head->string ? head->string : key, v);
            head = head ? head->next : NULL;
        }
    }
    smr_text_add(out, "\na row is a known class, a column what was found\n");
    smr_render_table(rows, 2, most, out);
    if (smr_json_done(doc) != SMR_OK) out->failed = true;
    smr_json_free(doc);
}

void judged_tables(const smr_json *root, int64_t most, smr_text *out)
{
    const smr_json *measures = smr_json_get(root, "measures");
    const smr_json *confusion = smr_json_get(measures, "confusion");
    const smr_json *names = smr_json_get(root, "classes");
    const smr_json *outputs = smr_json_get(measures, "outputs");
    show_classes(measures, most, out);
    show_contingency(measures, most, out);
    if (confusion && names && names->n <= SHOWN_MATRIX) {
        smr_text_add(out, "\nconfusion: a row is the true class, a column the predicted one\n");
        smr_render_matrix(confusion, names, 2, out);
    }
    if (outputs) {
        smr_text_add(out, "\ntargets\n");
        smr_render_table(outputs, 2, most, out);
    }
}

smr_status judged_model(smr_ctx *ctx, const smr_model *m, smr_json *root)
{
    smr_text spec = {.ctx = ctx};
    smr_stages_write(&m->head, m->stages, m->n_stages, &spec);
    smr_status st = smr_text_done(&spec);
    if (st == SMR_OK) smr_json_add_string(root, "spec", spec.bytes);
    smr_text_release(&spec);
    smr_json_add_string(root, "task", smr_task_name(m->target.task));
    smr_json *targets = smr_json_add_array(root, "target");
    for (int64_t j = 0; j < m->target.n; j++)
        smr_json_add_string(targets, NULL, m->target.names[j]);
    if (m->target.classes.n) smr_strings_to_json(root, "classes", &m->target.classes);
    smr_json_add_number(root, "features", (double)(m->schema.n_inputs + m->schema.n_sparse));
    return st;
}

void judged_copy(const smr_json *found, smr_json *root)
{
    static const char *const keys[] = {"measures",   "intervals",  "baseline",
                                       "threshold",  "cost",       "advice",
                                       "importance", "dependence", "data_columns"};
    for (int64_t k = 0; k < SMR_COUNT(keys); k++) {
        const smr_json *v = smr_json_get(found, keys[k]);
        if (v) smr_json_add_copy(root, keys[k], v);
    }
}

void judged_copy_figures(const smr_json *found, smr_json *root)
{
    const smr_json *figures = smr_json_get(found, "figures");
    if (figures) smr_json_add_copy(root, "figures", figures);
}
