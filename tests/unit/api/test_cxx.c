/* The public header serves C++ programs: one that names everything in it compiles. */
#include "check.h"

/* Every type, constant and function of the header, as a C++ program names them. */
static const char program[] =
    "#include <samara.h>\n"
    "static void hear(void *, smr_log_level, const char *) {}\n"
    "static int tick(void *, const char *, int64_t, int64_t, double) { return 0; }\n"
    "int main() {\n"
    "  smr_ctx_opts o = smr_ctx_opts(); o.size = sizeof o; o.log = hear; o.progress = tick;\n"
    "  smr_ctx *ctx = nullptr; smr_status st = smr_ctx_create(&o, &ctx);\n"
    "  double X[2] = {1, 2}, y[2] = {1, 2}, out[8]; int64_t n = 0, peak = 0; char name[9];\n"
    "  smr_table *t = nullptr; smr_model *m = nullptr; char *s = nullptr;\n"
    "  smr_open_opts r = smr_open_opts(); r.size = sizeof r; r.header = -1;\n"
    "  smr_train_opts w = smr_train_opts(); w.size = sizeof w; w.task = SMR_TASK_REGRESS;\n"
    "  st = smr_table_open(ctx, \"-\", &r, &t);\n"
    "  st = smr_table_from_matrix(ctx, X, 2, 1, y, &t); st = smr_table_save(ctx, t, \"x\");\n"
    "  n += smr_table_n_rows(t) + smr_table_n_cols(t) + (smr_table_col_name(t, 0) != nullptr);\n"
    "  float f[2] = {1, 2}; int64_t i[3] = {0, 1, 2}; int32_t k[2] = {0, 0}; bool b[2] = {};\n"
    "  const char *v[2] = {\"a\", nullptr}; ArrowSchema as = ArrowSchema();\n"
    "  ArrowArray aa = ArrowArray(); ArrowArrayStream ar = ArrowArrayStream();\n"
    "  st = smr_table_create(ctx, 2, &t); st = smr_table_add_f64(ctx, t, \"a\", X);\n"
    "  st = smr_table_add_f32(ctx, t, \"b\", f); st = smr_table_add_i64(ctx, t, \"c\", i, b);\n"
    "  st = smr_table_add_strings(ctx, t, \"d\", v); st = smr_table_add_dates(ctx, t, \"e\", X);\n"
    "  st = smr_table_add_categories(ctx, t, \"f\", k, v, 1);\n"
    "  st = smr_table_from_csr(ctx, 2, 1, i, k, X, y, &t);\n"
    "  st = smr_table_from_arrow(ctx, &as, &aa, &t); st = smr_table_to_arrow(ctx, t, &as, &aa);\n"
    "  st = smr_table_from_arrow_stream(ctx, &ar, &t);\n"
    "  n += smr_table_find(t, \"a\") + (smr_table_col_kind(t, 0) == SMR_DATE);\n"
    "  n += smr_table_n_levels(t, 0) + (smr_table_level(t, 0, 0, &peak) != nullptr);\n"
    "  n += smr_table_code(t, 0, 0) + (smr_table_text(t, 0, 0, &peak) != nullptr);\n"
    "  out[0] = smr_table_number(t, 0, 0) + smr_table_sparse_number(t, 0, 0);\n"
    "  n += smr_table_n_sparse(t); st = smr_predict_table(ctx, m, t, SMR_OUTPUT_SET, &t);\n"
    "  st = smr_predict_arrow(ctx, m, t, SMR_OUTPUT_LABEL, &as, &aa);\n"
    "  st = smr_train(ctx, \"linear\", t, &w, &m); st = smr_model_save(ctx, m, \"x\");\n"
    "  st = smr_model_load(ctx, \"x\", &m); st = smr_model_write(ctx, m, &s, &n);\n"
    "  st = smr_model_read(ctx, s, n, &m); n += smr_model_task(m) + smr_model_n_inputs(m);\n"
    "  n += (smr_model_input_name(m, 0) != nullptr) + smr_model_input_code(m, 0, \"a\");\n"
    "  n += smr_model_n_classes(m) + smr_model_class_name(m, 0, name, sizeof name);\n"
    "  n += smr_model_n_outputs(m, SMR_OUTPUT_DECISION);\n"
    "  st = smr_predict(ctx, m, t, SMR_OUTPUT_VALUE, out);\n"
    "  st = smr_predict_matrix(ctx, m, X, 2, 1, SMR_OUTPUT_TRANSFORM, out);\n"
    "  smr_predictor *p = nullptr; st = smr_predictor_create(ctx, m, SMR_OUTPUT_LABEL, &p);\n"
    "  st = smr_predictor_row(p, X, out);\n";
/* Its second half: a string of C has a limit. */
static const char rest[] =
    "  st = smr_predictor_cells(p, v, out);\n"
    "  smr_predictor_free(p); st = smr_table_open_for(ctx, m, \"-\", &r, &t);\n"
    "  st = smr_table_make(ctx, \"moons\", v, 1, &t); n += smr_model_input_kind(m, 0);\n"
    "  st = smr_model_sentence(ctx, m, &s); st = smr_model_param_text(ctx, m, \"k\", &s);\n"
    "  st = smr_model_param_number(ctx, m, \"k\", out); smr_param_list *pl = nullptr;\n"
    "  st = smr_model_params(ctx, m, &pl); n += smr_param_list_n(pl);\n"
    "  n += (smr_param_list_kind(pl, 0) == SMR_PARAM_WHOLE) + int(smr_param_list_number(pl, 0));\n"
    "  n += (smr_param_list_text(pl, 0) != smr_param_list_address(pl, 0));\n"
    "  smr_param_list_free(pl); smr_array_list *al = nullptr; smr_array one = smr_array();\n"
    "  st = smr_model_arrays(ctx, m, &al); st = smr_model_array(ctx, m, \"1.x\", &one);\n"
    "  n += smr_array_list_n(al) + (one.dtype == SMR_BF16) + one.rank;\n"
    "  n += (smr_array_list_get(al, 0) != nullptr) + (smr_array_list_name(al, 0) != nullptr);\n"
    "  smr_array_list_free(al); const double *im = nullptr; smr_coefficients cf;\n"
    "  st = smr_model_importances(ctx, m, &im); st = smr_model_coefficients(ctx, m, &cf);\n"
    "  n += smr_model_n_features(m) + (smr_model_feature_name(m, 0) != nullptr);\n"
    "  st = smr_model_set_threshold(ctx, m, 0.3); st = smr_ctx_set_threads(ctx, 2);\n"
    "  st = smr_ctx_set_memory_limit(ctx, 1 << 30);\n"
    "  smr_ctx_set_seed(ctx, 1); smr_ctx_set_log(ctx, hear, nullptr);\n"
    "  smr_ctx_set_progress(ctx, tick, nullptr); n += smr_ctx_threads(ctx);\n"
    "  n += smr_ctx_memory_limit(ctx) + int64_t(smr_ctx_seed(ctx)) + smr_ctx_n_warnings(ctx);\n"
    "  n += (smr_ctx_warning(ctx, 0) != smr_status_name(st));\n"
    "  st = smr_evaluate(ctx, m, t, &s); st = smr_inspect(ctx, m, &s); st = smr_list(ctx, &s);\n"
    "  st = smr_build_info(ctx, &s); smr_string_free(s); smr_model_free(m); smr_table_free(t);\n"
    "  n += smr_ctx_memory(ctx, &peak) + smr_ctx_status(ctx) + (smr_version() != nullptr);\n"
    "  n += (smr_ctx_message(ctx) != nullptr); smr_ctx_cancel(ctx); smr_ctx_clear(ctx);\n"
    "  smr_ctx_destroy(ctx); return st == SMR_ERR_INTERNAL ? int(n) : 0;\n"
    "}\n";

static void the_header_serves_cxx_programs(void **state)
{
    (void)state;
    if (system("command -v c++ >/dev/null 2>&1") != 0) skip();
    FILE *compiler = popen("c++ -x c++ -std=c++11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only "
                           "-Iinclude -",
                           "w");
    assert_non_null(compiler);
    assert_true(fputs(program, compiler) >= 0 && fputs(rest, compiler) >= 0);
    assert_int_equal(pclose(compiler), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_header_serves_cxx_programs)};
    return cmocka_run_group_tests_name("C++", tests, NULL, NULL);
}
