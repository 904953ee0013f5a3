/* test_keep.c -- kept rows are those that a reader gives, in every form, and cost nothing where
 * memory has them. */
#include "computed.h"
#include "pipeline.h"

#include "data/keep.h"

enum { N = 1301, D = 5 }; /* more than two blocks */

struct plain {
    double x[N * D];
    smr_feature features[D];
    int32_t code[N];
    smr_data data;
};

static struct plain *plain(smr_ctx *ctx)
{
    struct plain *p = smr_alloc(ctx, 1, sizeof *p);
    assert_non_null(p);
    for (int64_t i = 0; i < N * D; i++) p->x[i] = i % 7 ? (double)(i % 101) / 8 - 3 : 0;
    for (int64_t i = 0; i < N; i++) p->code[i] = i % 13 ? (int32_t)(i % 4) : -1;
    for (int64_t j = 0; j < D; j++)
        p->features[j] = (smr_feature){
            .name = "x", .kind = SMR_NUMBER, .dtype = SMR_F64, .values = p->x + j, .stride = D};
    p->data = (smr_data){.size = sizeof p->data, .n_rows = N, .n_features = D};
    p->data.features = p->features;
    return p;
}

static smr_status halve(smr_ctx *ctx, const smr_rows *in, double *out)
{
    (void)ctx;
    for (int64_t i = 0; i < in->n; i++)
        for (int64_t j = 0; j < D; j++)
            out[i * D + j] = ((const double *)in->x)[i * in->stride + j] / 2;
    return SMR_OK;
}

static const struct computed halving = {halve};

static void read_all(smr_ctx *ctx, const smr_data *data, double *out)
{
    smr_reader *r = NULL;
    smr_rows rows;
    check_ok(ctx, smr_reader_open(ctx, data, SMR_FORM_F64, N, &r));
    check_ok(ctx, smr_reader_rows(ctx, r, 0, data->n_rows, &rows));
    for (int64_t i = 0; i < data->n_rows; i++)
        for (int64_t j = 0; j < D; j++)
            out[i * D + j] = ((const double *)rows.x)[i * rows.stride + j];
    smr_reader_close(r);
}

static void kept_rows_are_those_that_were_computed(void **state)
{
    static const smr_form forms[] = {SMR_FORM_F64, SMR_FORM_F32, SMR_FORM_SPARSE};
    smr_ctx *ctx = check_ctx(3);
    struct plain *p = plain(ctx);
    int64_t picked[7] = {3, 3, 1300, 0, 512, 511, 700};
    double *want = smr_alloc(ctx, N * D, 8), *got = smr_alloc(ctx, N * D, 8);
    (void)state;
    for (int indexed = 0; indexed < 2; indexed++)
        for (int f = 0; f < 3; f++) {
            smr_data source = p->data, data;
            smr_keep keep;
            source.rows = indexed ? picked : NULL;
            source.n_rows = indexed ? 7 : N;
            data = source;
            compute_data(&data, &source, &halving, SMR_FORM_F64);
            read_all(ctx, &data, want);
            check_ok(ctx, smr_data_keep(ctx, &data, forms[f], true, &keep));
            assert_null(data.source);
            assert_null(data.rows);
            assert_int_equal(data.n_rows, source.n_rows);
            read_all(ctx, &data, got);
            for (int64_t i = 0; i < data.n_rows * D; i++)
                assert_true(got[i] == (f == 1 ? (double)(float)want[i] : want[i]));
            smr_dense whole;
            assert_int_equal(smr_data_whole(&data, forms[f], &whole), f < 2);
            smr_keep_release(&keep);
        }
    smr_free(want);
    smr_free(got);
    smr_free(p);
    check_ctx_end(ctx);
}

static void categories_are_kept_as_codes(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    struct plain *p = plain(ctx);
    double *want = smr_alloc(ctx, N * D, 8), *got = smr_alloc(ctx, N * D, 8);
    smr_keep keep;
    (void)state;
    p->features[2] = (smr_feature){.name = "k",
                                   .kind = SMR_CATEGORY,
                                   .dtype = SMR_I32,
                                   .values = p->code,
                                   .stride = 1,
                                   .n_levels = 4};
    read_all(ctx, &p->data, want);
    check_ok(ctx, smr_data_keep(ctx, &p->data, SMR_FORM_F32, true, &keep));
    assert_int_equal(p->data.features[2].kind, SMR_CATEGORY);
    assert_int_equal(p->data.features[3].stride, D - 1);
    read_all(ctx, &p->data, got);
    for (int64_t i = 0; i < N * D; i++)
        assert_true(got[i] == want[i] || (isnan(got[i]) && isnan(want[i])));
    smr_keep_release(&keep);
    smr_free(want);
    smr_free(got);
    smr_free(p);
    check_ctx_end(ctx);
}

static void what_lies_in_memory_is_not_copied(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    struct plain *p = plain(ctx);
    smr_keep keep;
    int64_t before = smr_ctx_memory(ctx, NULL);
    (void)state;
    check_ok(ctx, smr_data_keep(ctx, &p->data, SMR_FORM_F64, true, &keep));
    assert_int_equal(smr_ctx_memory(ctx, NULL), before);
    assert_ptr_equal(p->data.features, p->features);
    check_ok(ctx, smr_data_keep(ctx, &p->data, SMR_FORM_F32, true, &keep)); /* another form is */
    assert_true(smr_ctx_memory(ctx, NULL) > before);
    smr_keep_release(&keep);
    smr_free(p);
    check_ctx_end(ctx);
}

static void a_small_budget_is_refused_or_leaves_the_data_as_they_are(void **state)
{
    smr_ctx_opts opts = {.size = sizeof opts, .n_threads = 1, .memory_limit = 100000};
    smr_ctx *ctx = NULL;
    (void)state;
    assert_int_equal(smr_ctx_create(&opts, &ctx), SMR_OK);
    struct plain *p = plain(ctx);
    smr_data data = p->data;
    smr_keep keep;
    compute_data(&data, &p->data, &halving, SMR_FORM_F64);
    check_fails(ctx, smr_data_keep(ctx, &data, SMR_FORM_F64, true, &keep), SMR_ERR_NOMEM,
                "a copy of the rows needs");
    assert_ptr_equal(data.source, &p->data);
    check_ok(ctx, smr_data_keep(ctx, &data, SMR_FORM_F64, false, &keep));
    assert_ptr_equal(data.source, &p->data);
    smr_free(p);
    check_ctx_end(ctx);
}

static smr_status keep_once(smr_ctx *ctx, void *arg)
{
    struct plain *p = arg;
    smr_data data = p->data;
    smr_keep keep;
    compute_data(&data, &p->data, &halving, SMR_FORM_F64);
    smr_status st = smr_data_keep(ctx, &data, SMR_FORM_SPARSE, true, &keep);
    smr_keep_release(&keep);
    if (st != SMR_OK) return st;
    data = p->data;
    compute_data(&data, &p->data, &halving, SMR_FORM_F64);
    st = smr_data_keep(ctx, &data, SMR_FORM_F32, true, &keep);
    smr_keep_release(&keep);
    return st;
}

static void every_failing_allocation_is_survived(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    struct plain *p = plain(ctx);
    (void)state;
    assert_true(fail_each_allocation(ctx, keep_once, p) > 10);
    smr_free(p);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kept_rows_are_those_that_were_computed),
        cmocka_unit_test(categories_are_kept_as_codes),
        cmocka_unit_test(what_lies_in_memory_is_not_copied),
        cmocka_unit_test(a_small_budget_is_refused_or_leaves_the_data_as_they_are),
        cmocka_unit_test(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
