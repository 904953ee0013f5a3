/* Some rows of the data as a view: through an index, through stages, with repeats and with other
 * targets and weights. */
#include "pipeline.h"

#include "data/row_subset.h"
#include "learn/chain.h"
#include "learn/spec.h"
#include "learn/stages.h"

enum { N = 29, D = 3 };

/* A table of three numbers and a category; the data of a model's columns stage over it. */
struct fixture {
    smr_ctx *ctx;
    smr_table *table;
    smr_train_set *set;
    smr_binding binding;
    smr_model *model;
};

static void open_fixture(struct fixture *f)
{
    static const char *const levels[] = {"red", "green", "blue"};
    const char *colour[N];
    double v[N];
    smr_ctx *ctx = f->ctx = check_ctx(1);
    f->table = new_table(ctx, N, D + 1);
    for (int64_t j = 0; j < D; j++) {
        for (int64_t i = 0; i < N; i++) v[i] = noise(i, j);
        put_numbers(ctx, f->table, j, j == 0 ? "a" : j == 1 ? "b" : "y", v);
    }
    for (int64_t i = 0; i < N; i++) colour[i] = levels[(i * i) % 3];
    put_strings(ctx, f->table, D, "c", colour);
    f->model = train_on(ctx, "standardize | poly 2 | ridge", f->table, "y");
    check_ok(ctx, smr_schema_bind(ctx, &f->model->schema, smr_model_columns(f->model), f->table,
                                  &f->binding));
}

static void close_fixture(struct fixture *f)
{
    smr_binding_release(&f->binding);
    smr_model_free(f->model);
    smr_table_free(f->table);
    check_ctx_end(f->ctx);
}

static void read_all(smr_ctx *ctx, const smr_data *data, double *out)
{
    smr_reader *r = NULL;
    smr_rows rows;
    check_ok(ctx, smr_reader_open(ctx, data, SMR_FORM_F64, 7, &r));
    for (int64_t lo = 0; lo < data->n_rows; lo += 7) {
        check_ok(ctx, smr_reader_rows(ctx, r, lo, SMR_MIN(lo + 7, data->n_rows), &rows));
        for (int64_t i = 0; i < rows.n; i++)
            memcpy(out + (lo + i) * rows.d, (const double *)rows.x + i * rows.stride,
                   (size_t)rows.d * sizeof *out);
    }
    smr_reader_close(r);
}

/* Rows of the subset are those rows of the whole, bit for bit, at every stage of the chain. */
static void a_subset_reads_the_same_rows_through_every_stage(void **state)
{
    static const int64_t pick[] = {28, 3, 3, 0, 17, 3, 11, 28, 9};
    enum { M = 9 };
    struct fixture f;
    smr_data data[8];
    (void)state;
    open_fixture(&f);
    data[0] = f.binding.data;
    for (int64_t s = 0; s < f.model->n_stages; s++) {
        if (s > 0) smr_chain(&data[s - 1], &f.model->stages[s - 1], &data[s]);
        int64_t d = data[s].n_features;
        double *all = smr_alloc(f.ctx, N * d, sizeof *all), *some = smr_alloc(f.ctx, M * d, 8);
        smr_subset sub;
        check_ok(f.ctx, smr_subset_make(f.ctx, &data[s], pick, M, NULL, &sub));
        assert_int_equal(sub.data.n_rows, M);
        read_all(f.ctx, &data[s], all);
        read_all(f.ctx, &sub.data, some);
        for (int64_t i = 0; i < M; i++)
            assert_memory_equal(some + i * d, all + pick[i] * d, (size_t)d * sizeof *all);
        smr_subset_release(&sub);
        smr_free(all);
        smr_free(some);
    }
    assert_true(f.model->n_stages > 2);
    close_fixture(&f);
}

/* A subset of a subset, over data that have an index of their own. */
static void subsets_nest_and_gather_what_belongs_to_a_row(void **state)
{
    static const int64_t base[] = {20, 4, 8, 15, 16, 23, 1, 2}, pick[] = {7, 0, 0, 3, 5},
                         again[] = {4, 1, 2};
    struct fixture f;
    double y[8], w[8], x[2], col[3];
    int32_t label[8];
    int64_t group[8];
    smr_subset first, second;
    (void)state;
    open_fixture(&f);
    smr_data data = f.binding.data;
    for (int64_t i = 0; i < 8; i++) {
        y[i] = noise(i, 9);
        w[i] = 1 + noise(i, 10) / 3;
        label[i] = (int32_t)(i % 3);
        group[i] = 100 + i;
    }
    data.rows = base;
    data.n_rows = 8;
    data.y = y;
    data.n_outputs = 1;
    data.label = label;
    data.n_classes = 3;
    data.weight = w;
    data.group = group;
    check_ok(f.ctx, smr_subset_make(f.ctx, &data, pick, 5, NULL, &first));
    check_ok(f.ctx, smr_subset_make(f.ctx, &first.data, again, 3, NULL, &second));
    check_ok(f.ctx, smr_data_column(f.ctx, &second.data, 0, col));
    for (int64_t i = 0; i < 3; i++) {
        int64_t of = pick[again[i]];
        x[0] = noise(base[of], 0);
        assert_true(col[i] == x[0]);
        assert_true(second.data.y[i] == y[of] && second.data.label[i] == label[of]);
        assert_true(second.data.weight[i] == w[of] && second.data.group[i] == group[of]);
        assert_int_equal(second.data.rows[i], base[of]);
    }
    smr_subset_release(&second);
    smr_subset_release(&first);
    close_fixture(&f);
}

static void targets_and_weights_may_be_replaced(void **state)
{
    static const int64_t pick[] = {5, 6, 7, 7};
    static const double weight[] = {0.5, 0.25, 3, 4}, y[] = {1, 2, 3, 4, 5, 6, 7, 8};
    static const int32_t label[] = {1, 0, 1, 1};
    struct fixture f;
    double old[N];
    smr_subset sub;
    (void)state;
    open_fixture(&f);
    smr_data data = f.binding.data;
    for (int64_t i = 0; i < N; i++) old[i] = (double)i;
    data.task = SMR_TASK_REGRESS;
    data.y = old;
    data.n_outputs = 1;
    data.weight = old;
    smr_subset_with weights = {.weight = weight};
    check_ok(f.ctx, smr_subset_make(f.ctx, &data, pick, 4, &weights, &sub));
    assert_ptr_equal(sub.data.weight, weight);
    assert_true(sub.data.y[3] == 7);
    smr_subset_release(&sub);
    smr_subset_with numbers = {.task = SMR_TASK_REGRESS, .y = y, .n_outputs = 2};
    check_ok(f.ctx, smr_subset_make(f.ctx, &data, pick, 4, &numbers, &sub));
    assert_true(sub.data.n_outputs == 2 && sub.data.y[7] == 8 && sub.data.weight[1] == 6);
    smr_subset_release(&sub);
    smr_subset_with classes = {.task = SMR_TASK_CLASSIFY, .label = label, .n_classes = 2};
    check_ok(f.ctx, smr_subset_make(f.ctx, &data, pick, 4, &classes, &sub));
    assert_true(sub.data.task == SMR_TASK_CLASSIFY && !sub.data.y && sub.data.n_classes == 2);
    smr_subset_release(&sub);
    check_ok(f.ctx, smr_subset_make(f.ctx, &data, NULL, N, NULL, &sub)); /* all rows: no copies */
    assert_true(sub.data.y == old && sub.data.weight == old && !sub.rows && !sub.y);
    smr_subset_release(&sub);
    close_fixture(&f);
}

/* The message about a gap names the table's row, not the subset's. */
static void gaps_are_named_by_the_tables_row(void **state)
{
    static const int64_t pick[] = {2, 13, 4};
    struct fixture f;
    smr_subset sub;
    smr_reader *r = NULL;
    smr_rows rows;
    (void)state;
    open_fixture(&f);
    ((double *)f.table->cols[1].values)[13] = NAN;
    smr_data data = f.binding.data;
    data.refuse_missing = true;
    check_ok(f.ctx, smr_subset_make(f.ctx, &data, pick, 3, NULL, &sub));
    check_ok(f.ctx, smr_reader_open(f.ctx, &sub.data, SMR_FORM_F64, 3, &r));
    check_fails(f.ctx, smr_reader_rows(f.ctx, r, 0, 3, &rows), SMR_ERR_DATA,
                "row 14, column 'b': the value is missing");
    smr_reader_close(r);
    smr_subset_release(&sub);

    smr_data computed; /* and the same after a stage */
    data.refuse_missing = false;
    smr_chain(&data, &f.model->stages[0], &computed);
    computed.refuse_missing = true;
    check_ok(f.ctx, smr_subset_make(f.ctx, &computed, pick, 3, NULL, &sub));
    check_ok(f.ctx, smr_reader_open(f.ctx, &sub.data, SMR_FORM_F64, 3, &r));
    check_fails(f.ctx, smr_reader_rows(f.ctx, r, 0, 3, &rows), SMR_ERR_DATA,
                "row 14, column 'b': the value is missing");
    smr_reader_close(r);
    smr_subset_release(&sub);
    close_fixture(&f);
}

static smr_status make_one(smr_ctx *ctx, void *arg)
{
    static const int64_t pick[] = {1, 0, 1};
    smr_subset sub;
    smr_status st = smr_subset_make(ctx, arg, pick, 3, NULL, &sub);
    smr_subset_release(&sub);
    return st;
}

static void failing_allocations_leave_nothing(void **state)
{
    struct fixture f;
    double old[N] = {0};
    (void)state;
    open_fixture(&f);
    smr_data data = f.binding.data;
    data.y = data.weight = old;
    data.n_outputs = 1;
    assert_int_equal(fail_each_allocation(f.ctx, make_one, &data), 4);
    close_fixture(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_subset_reads_the_same_rows_through_every_stage),
        cmocka_unit_test(subsets_nest_and_gather_what_belongs_to_a_row),
        cmocka_unit_test(targets_and_weights_may_be_replaced),
        cmocka_unit_test(gaps_are_named_by_the_tables_row),
        cmocka_unit_test(failing_allocations_leave_nothing),
    };
    return cmocka_run_group_tests_name("subset", tests, NULL, NULL);
}
