/* test_explain_maps.c -- what the layers of a net make of a row: the first maps are the picture
 * filtered with the weights, the last layer says what the model says; and the worst mistakes. */
#include "pipeline.h"

#include "learn/neural/net.h"
#include "math/stencil.h"
#include "study/evaluate.h"
#include "study/explain.h"

enum { SIDE = 6, ROWS = 60 };

/* Bars across or upright in noise. */
static smr_table *make_rows(smr_ctx *ctx)
{
    smr_text csv = {.ctx = ctx};
    for (int j = 0; j < SIDE * SIDE; j++) smr_text_printf(&csv, "p%d,", j);
    smr_text_add(&csv, "kind\n");
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < SIDE * SIDE; j++) {
            int at = i % 2 ? j / SIDE : j % SIDE;
            smr_text_printf(&csv, "%d,", (at == i / 2 % SIDE ? 9 : 0) + (i * 31 + j * j * 7) % 5);
        }
        smr_text_printf(&csv, "%s\n", i % 2 ? "across" : "upright");
    }
    assert_int_equal(smr_text_done(&csv), SMR_OK);
    smr_table *t = table_of(ctx, csv.bytes);
    smr_text_release(&csv);
    return t;
}

static smr_json_doc *look(smr_ctx *ctx, const smr_model *m, const smr_table *t, int64_t row,
                          const char *layer)
{
    smr_json_doc *doc = NULL;
    smr_sample sample = {.table = t};
    smr_explain_how how = {.row = row, .layer = layer};
    check_ok(ctx, smr_json_create(ctx, &doc));
    check_ok(ctx, smr_explain_fill(ctx, "maps", m, &sample, &how, smr_json_root(doc)));
    return doc;
}

static const smr_json *figure_of(const smr_json *root, const char *name)
{
    for (const smr_json *f = smr_json_get(root, "figures")->first; f; f = f->next)
        if (strcmp(smr_json_get_string(f, "name", ""), name) == 0) return f;
    fail_msg("there is no figure %s", name);
    return NULL;
}

static void numbers_of(const smr_json *list, double *to)
{
    for (const smr_json *e = list->first; e; e = e->next) *to++ = e->number;
}

static const char sentence[] =
    "net (conv 3 3 | tanh | maxpool 2 | dense 5 | relu) input=6,6 epochs=20";

static void first_maps_are_the_filtered_picture(void **state)
{
    double x[SIDE * SIDE], map[16], want[16], kernel[9];
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = make_rows(ctx);
    smr_model *m = train_on(ctx, sentence, t, "kind");
    const struct smr_net_state *s = smr_model_last(m)->state;
    (void)state;
    for (int64_t row = 1; row <= ROWS; row += 17) {
        smr_json_doc *doc = look(ctx, m, t, row, NULL);
        const smr_json *root = smr_json_root(doc);
        numbers_of(smr_json_get(smr_json_get(figure_of(root, "input"), "tiles")->first, "value"),
                   x);
        for (int j = 0; j < SIDE * SIDE; j++)
            check_near("input", x[j], smr_column_number(&t->cols[j], row - 1), 0);
        const smr_json *tile = smr_json_get(figure_of(root, "maps-conv1"), "tiles")->first;
        for (int f = 0; f < 3; f++, tile = tile->next) {
            const smr_stencil how = {SIDE, SIDE, 1, 3, 3, 1, SMR_FILTER_WHOLE};
            for (int e = 0; e < 9; e++)
                kernel[e] = (double)((const float *)s->weights.tensor[0].values)[f * 9 + e];
            check_ok(ctx, smr_stencil_apply(ctx, &how, x, kernel, want));
            numbers_of(smr_json_get(tile, "value"), map);
            for (int e = 0; e < 16; e++)
                check_near("map", map[e],
                           want[e] + (double)((const float *)s->weights.tensor[1].values)[f], 1e-5);
        }
        smr_json_free(doc);
    }
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void the_last_layer_says_what_the_model_says(void **state)
{
    double score[2];
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = make_rows(ctx);
    smr_model *m = train_on(ctx, sentence, t, "kind");
    (void)state;
    for (int64_t row = 0; row < ROWS; row += 7) {
        smr_json_doc *doc = look(ctx, m, t, row + 1, "out1,tanh1");
        const smr_json *root = smr_json_root(doc);
        const smr_json *bars = smr_json_get(figure_of(root, "maps-out1"), "series")->first;
        check_ok(ctx, smr_model_apply(ctx, m, t, &row, 1, SMR_OUTPUT_DECISION, score));
        assert_int_equal(smr_json_get(bars, "y")->n, 1);
        double said = smr_json_get(bars, "y")->first->number;
        check_near("score", score[1], said, 1e-6 * (1 + fabs(said)));
        assert_int_equal(smr_json_get(root, "layers")->n, 3); /* with what comes in */
        smr_json_free(doc);
    }
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void what_cannot_be_shown_is_refused(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = make_rows(ctx);
    smr_model *m = train_on(ctx, sentence, t, "kind"), *tree = train_on(ctx, "tree 2", t, "kind");
    smr_explain_opts o = {.size = sizeof o, .layer = "conv9"};
    char *json = NULL;
    (void)state;
#define REFUSES(model, code, part) \
    check_fails(ctx, smr_explain(ctx, "maps", model, t, &o, &json), code, part)
    REFUSES(m, SMR_ERR_PARAM, "has no layer 'conv9'; it has conv1, tanh1, maxpool1");
    o.layer = "conv1,,out1";
    REFUSES(m, SMR_ERR_PARAM, "a name is empty");
    o.layer = NULL;
    o.row = ROWS + 1;
    REFUSES(m, SMR_ERR_PARAM, "there is no row 61");
    o.row = 0;
    REFUSES(tree, SMR_ERR_UNSUPPORTED,
            "ends in 'tree', which has no layers; maps are those of net");
    o.columns = "p1";
    REFUSES(m, SMR_ERR_PARAM, "columns");
    smr_model_free(m);
    smr_model_free(tree);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* A net that hardly learned: every tile is a row of which it says another class. */
static void mistakes_are_those_that_were_made(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = make_rows(ctx);
    smr_model *m = train_on(ctx, "net (dense 2) input=6,6 epochs=1 rate=1e-6", t, "kind");
    smr_json_doc *doc = NULL;
    smr_evaluate_opts o = {.size = sizeof o, .figures = true};
    char *json = NULL;
    (void)state;
    check_ok(ctx, smr_evaluate_with(ctx, m, t, &o, &json));
    check_ok(ctx, smr_json_parse(ctx, json, (int64_t)strlen(json), &doc));
    const smr_json *tiles = smr_json_get(figure_of(smr_json_root(doc), "mistakes"), "tiles");
    int64_t wrong = 0, seen = 0;
    double last = -INFINITY, proba[2];
    for (int64_t row = 0; row < ROWS; row++) {
        check_ok(ctx, smr_model_apply(ctx, m, t, &row, 1, SMR_OUTPUT_PROBA, proba));
        wrong += (row % 2 == 0) != (proba[1] > proba[0]);
    }
    assert_true(wrong > 5);
    for (const smr_json *tile = tiles->first; tile; tile = tile->next, seen++) {
        const char *label = smr_json_get_string(tile, "label", "");
        int64_t row = strtoll(strchr(label, '(') + 1, NULL, 10) - 1;
        const char *right = row % 2 ? "across, not upright" : "upright, not across";
        if (strncmp(label, right, strlen(right)) != 0) fail_msg("%s", label);
        check_ok(ctx, smr_model_apply(ctx, m, t, &row, 1, SMR_OUTPUT_PROBA, proba));
        double margin = row % 2 ? proba[0] - proba[1] : proba[1] - proba[0];
        assert_true(margin <= 0 && margin >= last);
        last = margin;
        double x[SIDE * SIDE];
        numbers_of(smr_json_get(tile, "value"), x);
        for (int j = 0; j < SIDE * SIDE; j++)
            check_near("pixel", x[j], smr_column_number(&t->cols[j], row), 0);
    }
    assert_int_equal(seen, SMR_MIN(wrong, 36));
    smr_json_free(doc);
    smr_string_free(json);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_maps_are_the_filtered_picture),
        cmocka_unit_test(the_last_layer_says_what_the_model_says),
        cmocka_unit_test(what_cannot_be_shown_is_refused),
        cmocka_unit_test(mistakes_are_those_that_were_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
