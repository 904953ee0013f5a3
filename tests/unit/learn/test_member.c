/* Members: a sentence fitted on a parent's data is the sentence fitted as a model, bit for bit, in
 * every form of the data; and a learner around it passes the data through. */
#include "pipeline.h"

#include "data/split.h"
#include "learn/chain.h"
#include "learn/member.h"
#include "learn/spec.h"
#include "model/model_file.h"

enum { N = 317, D = 5 }; /* more rows than a stage takes at once */

enum form { NUMBERS, GAPS, BYTES, FLOATS, SPARSE, N_FORMS };
static const char *const form_names[] = {"numbers", "gaps and categories", "bytes", "floats",
                                         "sparse"};

static double value_at(enum form form, int64_t i, int64_t j)
{
    if (form == BYTES)
        return (double)smr_random_below(7, SMR_STREAM_TEST, (uint64_t)j + 3, (uint64_t)i, 256);
    if (form == SPARSE && (i * 3 + j * 5) % 7 > 2) return 0;
    if (form == GAPS && (i + 3 * j) % 11 == 4) return NAN;
    return form == FLOATS ? (double)(float)noise(i, j) : noise(i, j);
}

static void fill_block(smr_ctx *ctx, smr_table *t, enum form form)
{
    size_t size = form == BYTES ? 1 : 4;
    char *block = smr_alloc(ctx, N * D, size);
    check_ok(ctx, smr_table_own(ctx, t, block));
    for (int64_t j = 0; j < D; j++) {
        char name[8];
        snprintf(name, sizeof name, "x%d", (int)j);
        smr_column *col = name_col(ctx, t, j, name);
        for (int64_t i = 0; i < N; i++)
            if (form == BYTES)
                ((uint8_t *)block)[i * D + j] = (uint8_t)value_at(form, i, j);
            else
                ((float *)(void *)block)[i * D + j] = (float)value_at(form, i, j);
        col->kind = SMR_NUMBER;
        col->dtype = form == BYTES ? SMR_U8 : SMR_F32;
        col->values = block + (size_t)j * size;
        col->owns_values = false;
        col->stride = D;
    }
}

static void fill_sparse(smr_ctx *ctx, smr_table *t)
{
    int64_t *start = smr_alloc(ctx, N + 1, sizeof *start), at = 0;
    int32_t *column = smr_alloc(ctx, N * D, sizeof *column);
    double *value = smr_alloc(ctx, N * D, sizeof *value);
    for (int64_t i = 0; i < N; i++) {
        for (int64_t j = 0; j < D; j++) {
            double x = value_at(SPARSE, i, j);
            if (x == 0) continue;
            column[at] = (int32_t)j;
            value[at++] = x;
        }
        start[i + 1] = at;
    }
    t->sparse =
        (smr_csr){.n_rows = N, .n_cols = D, .start = start, .column = column, .value = value};
}

static smr_table *made_table(smr_ctx *ctx, enum form form, bool classes)
{
    static const char *const colours[] = {"red", "green", "blue", NULL}, *const names[] = {"n",
                                                                                           "p"};
    const char *text[N];
    double v[N];
    int64_t at = form == SPARSE ? 0 : D;
    smr_table *t = new_table(ctx, N, at + (form == GAPS) + 1);
    if (form == SPARSE) {
        fill_sparse(ctx, t);
    } else if (form == BYTES || form == FLOATS) {
        fill_block(ctx, t, form);
    } else {
        for (int64_t j = 0; j < D; j++) {
            char name[8];
            snprintf(name, sizeof name, "x%d", (int)j);
            for (int64_t i = 0; i < N; i++) v[i] = value_at(form, i, j);
            put_numbers(ctx, t, j, name, v);
        }
    }
    for (int64_t i = 0; i < N; i++) text[i] = colours[(i * i) % (i % 5 ? 3 : 4)];
    if (form == GAPS) put_strings(ctx, t, at++, "colour", text);
    for (int64_t i = 0; i < N; i++) {
        v[i] = noise(i, 0) + 0.5 * noise(i, 1) + 0.4 * noise(i, 20);
        text[i] = names[v[i] > 0.1];
    }
    if (classes)
        put_strings(ctx, t, at, "y", text);
    else
        put_numbers(ctx, t, at, "y", v);
    return t;
}

/* The data that a learner after the columns stage would be fitted on. */
static smr_data data_of(const smr_model *m, const smr_train_set *set, const smr_binding *b)
{
    smr_data d = b->data;
    d.task = m->target.task;
    d.n_outputs = m->target.n;
    d.y = set->y;
    d.label = set->label;
    d.n_classes = m->target.classes.n;
    for (int64_t j = 0; j < m->schema.n_inputs; j++) {
        bool category = m->schema.inputs[j].kind == SMR_CATEGORY;
        d.gaps_in_numbers |= m->schema.inputs[j].has_missing && !category;
        d.gaps_in_categories |= m->schema.inputs[j].has_missing && category;
    }
    return d;
}

static void check_bits(const char *what, const double *a, const double *b, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (memcmp(&a[i], &b[i], sizeof *a) != 0)
            fail_msg("%s: value %d is %.17g and %.17g", what, (int)i, a[i], b[i]);
}

/* Blocks of one row and of several, in the form that the data have. */
static void check_blocks(smr_ctx *ctx, const smr_member *m, const smr_data *data, smr_output output,
                         const double *wanted)
{
    static const int64_t sizes[] = {1, 3, 64, N};
    int64_t width = smr_member_width(m, output);
    double *out = smr_alloc(ctx, N * width, sizeof *out);
    for (int k = 0; k < 4; k++) {
        smr_reader *r = NULL;
        smr_form form = data->sparse ? SMR_FORM_SPARSE : smr_data_natural_form(data);
        char *scratch = smr_alloc(ctx, smr_member_scratch(m, sizes[k]), 1);
        check_ok(ctx, smr_reader_open(ctx, data, form, sizes[k], &r));
        for (int64_t lo = 0; lo < N; lo += sizes[k]) {
            smr_rows rows;
            check_ok(ctx, smr_reader_rows(ctx, r, lo, SMR_MIN(N, lo + sizes[k]), &rows));
            int64_t before = ctx->memory->requests;
            check_ok(ctx, smr_member_predict(ctx, m, &rows, output, out + lo * width, scratch));
            assert_int_equal(ctx->memory->requests, before); /* nothing was allocated */
        }
        check_bits("in blocks", out, wanted, N * width);
        smr_reader_close(r);
        smr_free(scratch);
    }
    smr_free(out);
}

static void check_member(const char *sentence, enum form form, bool classes)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = made_table(ctx, form, classes);
    smr_train_set *set = NULL;
    smr_model *alone = NULL;
    smr_binding b = {0};
    smr_member m = {0};
    smr_fit_report report = {0};
    smr_set_opts opts = {.target = "y", .keep_all = true};
    smr_output outputs[2] = {classes ? SMR_OUTPUT_PROBA : SMR_OUTPUT_VALUE, SMR_OUTPUT_LABEL};
    check_ok(ctx, said_set(ctx, t, sentence, &opts, &set));
    check_ok(ctx, said_fit(ctx, sentence, set, NULL, 0, &alone));
    check_ok(ctx, smr_schema_bind(ctx, &alone->schema, smr_model_columns(alone), t, &b));
    smr_data data = data_of(alone, set, &b);
    check_ok(ctx, said_member(ctx, sentence, &data, &m, &report));
    assert_int_equal(m.n_stages, alone->n_stages); /* the same adapters */
    assert_int_equal(smr_member_gives(&m), smr_model_gives(alone));
    for (int k = 0; k < (classes ? 2 : 1); k++) {
        int64_t width = smr_model_width(alone, outputs[k]);
        double *wanted = apply(ctx, alone, t, outputs[k]);
        double *got = smr_alloc(ctx, N * width, sizeof *got);
        check_ok(ctx, smr_member_apply(ctx, &m, &data, outputs[k], got));
        check_bits(form_names[form], got, wanted, N * width);
        check_blocks(ctx, &m, &data, outputs[k], wanted);
        smr_free(wanted);
        smr_free(got);
    }
    smr_fit_report_release(&report);
    smr_member_release(&m);
    smr_binding_release(&b);
    smr_model_free(alone);
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void members_answer_as_models_do(void **state)
{
    static const char *const classify[] = {"knn 7", "standardize | knn 5 weight=distance",
                                           "calibrate isotonic of=(poly 2 | knn 9)"};
    static const char *const regress[] = {"ridge", "standardize | poly 2 | ridge 0.5", "knn 4",
                                          "conformal of=(impute | standardize | linear)"};
    (void)state;
    for (int form = 0; form < N_FORMS; form++) {
        for (int64_t k = 0; k < SMR_COUNT(classify); k++)
            check_member(classify[k], (enum form)form, true);
        for (int64_t k = 0; k < SMR_COUNT(regress); k++)
            check_member(regress[k], (enum form)form, false);
    }
}

/* conformal hands its member's values through: the model of the sentence itself, fitted on the same
 * rows, gives the same bits from files and rows of every form. */
static void a_wrapper_changes_no_bit(void **state)
{
    (void)state;
    for (int form = 0; form < N_FORMS; form++) {
        smr_ctx *ctx = check_ctx(2);
        smr_table *t = made_table(ctx, (enum form)form, false);
        smr_train_set *set = NULL;
        smr_model *inner = NULL;
        smr_parts parts = {0};
        double share = 0.25;
        smr_set_opts opts = {.target = "y", .keep_all = true};
        smr_split_rows of = {.n = N, .seed = ctx->seed, .repetition = INT64_C(1) << 40};
        check_ok(ctx, said_set(ctx, t, "knn", &opts, &set));
        check_ok(ctx, smr_split_holdout(ctx, &of, &share, 1, &parts));
        check_ok(ctx, said_fit(ctx, "knn 6", set, smr_part_rows(&parts, 0),
                               smr_part_size(&parts, 0), &inner));
        smr_model *outer =
            train_on(ctx, "conformal of=(conformal 0.5 of=(knn 6) share=0.2)", t, "y");
        smr_model *one = train_on(ctx, "conformal of=(knn 6)", t, "y");
        double *a = apply(ctx, inner, t, SMR_OUTPUT_VALUE),
               *b = apply(ctx, one, t, SMR_OUTPUT_VALUE);
        check_bits(form_names[form], a, b, N);
        assert_true(smr_model_gives(outer) & 1u << SMR_OUTPUT_INTERVAL);
        smr_free(a);
        smr_free(b);
        smr_parts_release(&parts);
        smr_model_free(inner);
        smr_model_free(outer);
        smr_model_free(one);
        smr_train_set_free(set);
        smr_table_free(t);
        check_ctx_end(ctx);
    }
}

/* Bytes stay bytes down to a nested knn; sparse rows are asked for where some member takes them. */
static void forms_are_handed_down(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    smr_table *bytes = made_table(ctx, BYTES, true), *sparse = made_table(ctx, SPARSE, false);
    smr_model *knn = train_on(ctx, "conformal of=(calibrate of=(knn))", bytes, "y");
    smr_model *ridge = train_on(ctx, "conformal of=(ridge)", sparse, "y");
    smr_model *dense = train_on(ctx, "conformal of=(knn)", sparse, "y");
    smr_binding b = {0}, s = {0};
    check_ok(ctx, smr_schema_bind(ctx, &knn->schema, smr_model_columns(knn), bytes, &b));
    check_ok(ctx, smr_schema_bind(ctx, &ridge->schema, smr_model_columns(ridge), sparse, &s));
    assert_int_equal(smr_stage_form(smr_model_last(knn), &b.data), SMR_FORM_U8);
    assert_int_equal(smr_stage_form(smr_model_last(ridge), &s.data), SMR_FORM_SPARSE);
    assert_int_equal(smr_stage_form(smr_model_last(dense), &s.data), SMR_FORM_F64);
    assert_false(smr_stage_takes(smr_model_last(knn)) & SMR_TAKES_MISSING);
    assert_true(smr_stage_takes(smr_model_last(knn)) & SMR_TAKES_CODES);
    smr_binding_release(&b);
    smr_binding_release(&s);
    smr_model_free(knn);
    smr_model_free(ridge);
    smr_model_free(dense);
    smr_table_free(bytes);
    smr_table_free(sparse);
    check_ctx_end(ctx);
}

/* Each member gets the adapters that it needs, and no other does. */
static void each_member_has_its_own_adapters(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = made_table(ctx, GAPS, false);
    char *bytes = NULL;
    int64_t length = 0;
    (void)state;
    smr_model *m = train_on(
        ctx, "conformal score=scaled of=(standardize | linear) spread=(impute median | knn 3)", t,
        "y");
    assert_string_equal(stages_of(m), "conformal"); /* nothing comes before the wrapper */
    check_ok(ctx, smr_model_write(ctx, m, &bytes, &length));
    char *header = smr_strndup(ctx, bytes, 8192 < length ? 8192 : (size_t)length);
    assert_non_null(header);
    const char *of = strstr(header + 8, "1.conformal.of.0\\\":"),
               *spread = strstr(header + 8, "1.conformal.spread.0\\\":");
    assert_true(of && spread);
    assert_non_null(strstr(of,
                           "standardize center=yes scale=yes | impute number=mean category=keep "
                           "indicator=no | onehot max_levels=100 drop=frequent | linear"));
    assert_non_null(strstr(spread, "impute number=median category=keep indicator=no | onehot "
                                   "max_levels=100 drop=none | knn k=3"));
    smr_free(header);
    smr_free(bytes);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* A one-hot coding before poly | linear leaves out a level of each, as linear wishes. */
static void wishes_for_contrasts_reach_through_transforms(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = made_table(ctx, GAPS, false);
    smr_text text = {.ctx = ctx};
    (void)state;
    smr_model *m = train_on(ctx, "poly 1 | linear", t, "y"),
              *k = train_on(ctx, "poly 1 | knn", t, "y");
    smr_stages_write(NULL, m->stages, m->n_stages, &text);
    assert_non_null(strstr(text.bytes, "drop=frequent"));
    text.length = 0;
    smr_stages_write(NULL, k->stages, k->n_stages, &text);
    assert_non_null(strstr(text.bytes, "drop=none"));
    smr_text_release(&text);
    smr_model_free(m);
    smr_model_free(k);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* A gap after the first stage of a member, where its learner cannot take it. */
static void gaps_inside_a_member_are_named(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = made_table(ctx, NUMBERS, false);
    double out[N];
    (void)state;
    smr_model *m = train_on(ctx, "conformal of=(standardize | knn)", t, "y");
    ((double *)t->cols[2].values)[40] = NAN;
    check_fails(ctx, smr_model_apply(ctx, m, t, NULL, 0, SMR_OUTPUT_VALUE, out), SMR_ERR_DATA,
                "row 41, column 'x2': the value is missing");
    smr_model *k = NULL;
    ((double *)t->cols[2].values)[40] = 0;
    k = train_on(ctx, "conformal of=(knn)", t, "y");
    ((double *)t->cols[2].values)[40] = NAN;
    check_fails(ctx, smr_model_apply(ctx, k, t, NULL, 0, SMR_OUTPUT_VALUE, out), SMR_ERR_DATA,
                "row 41, column 'x2': the value is missing");
    smr_model_free(m);
    smr_model_free(k);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Features of its own, as a learner over other members' answers has. */
static void a_member_may_have_features_of_its_own(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = made_table(ctx, NUMBERS, false);
    smr_train_set *set = NULL;
    smr_binding b = {0};
    smr_member m = {0};
    smr_set_opts opts = {.target = "y", .keep_all = true};
    (void)state;
    smr_model *alone = train_on(ctx, "ridge", t, "y");
    check_ok(ctx, said_set(ctx, t, "ridge", &opts, &set));
    check_ok(ctx, smr_schema_bind(ctx, &alone->schema, smr_model_columns(alone), t, &b));
    smr_data data = data_of(alone, set, &b);
    check_ok(ctx, said_member(ctx, "ridge", &data, &m, NULL));
    check_ok(ctx, smr_member_keep_features(ctx, &m, &data, data.n_features));
    assert_string_equal(m.features[D - 1].name, "x4");
    smr_member_release(&m);
    smr_binding_release(&b);
    smr_train_set_free(set);
    smr_model_free(alone);
    smr_table_free(t);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_answer_as_models_do),
        cmocka_unit_test(a_wrapper_changes_no_bit),
        cmocka_unit_test(forms_are_handed_down),
        cmocka_unit_test(each_member_has_its_own_adapters),
        cmocka_unit_test(wishes_for_contrasts_reach_through_transforms),
        cmocka_unit_test(gaps_inside_a_member_are_named),
        cmocka_unit_test(a_member_may_have_features_of_its_own),
    };
    return cmocka_run_group_tests_name("member", tests, NULL, NULL);
}
