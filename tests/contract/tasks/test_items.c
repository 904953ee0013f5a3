/* test_items.c -- pictures on their way through transforms: their shape stays, changes or is lost
 * by what the transforms do, in fitting and after a load, in members and in streams. */
#include "standins.h"
#include "tables.h"

#include "learn/member.h"
#include "learn/stages.h"

enum { PICTURES = 37, HEIGHT = 3, WIDTH = 4, DEPTH = 2, PIXELS = HEIGHT * WIDTH * DEPTH };

/* y is twice the sum of the left edge. */
static smr_table *pictures(smr_ctx *ctx)
{
    smr_table *t = new_table(ctx, PICTURES, PIXELS + 1);
    double x[PICTURES], y[PICTURES] = {0};
    for (int64_t j = 0; j < PIXELS; j++) {
        char name[8];
        for (int64_t i = 0; i < PICTURES; i++) {
            x[i] = 3 * noise(i, j) + (double)j;
            if (j / DEPTH % WIDTH == 0) y[i] += 2 * x[i];
        }
        snprintf(name, sizeof name, "p%d", (int)j);
        put_numbers(ctx, t, j, name, x);
    }
    put_numbers(ctx, t, PIXELS, "y", y);
    t->item_shape[0] = HEIGHT;
    t->item_shape[1] = WIDTH;
    t->item_shape[2] = DEPTH;
    return t;
}

/* Trains, and loads what was saved. */
static smr_model *train(smr_ctx *ctx, const char *sentence, const smr_table *t)
{
    smr_train_opts opts = {.size = sizeof opts, .target = "y", .task = SMR_TASK_REGRESS};
    smr_model *m = NULL, *back = NULL;
    char *bytes = NULL;
    int64_t n;
    check_ok(ctx, smr_train(ctx, sentence, t, &opts, &m));
    check_ok(ctx, smr_model_write(ctx, m, &bytes, &n));
    check_ok(ctx, smr_model_read(ctx, bytes, n, &back));
    double *a = apply(ctx, m, t, SMR_OUTPUT_VALUE), *b = apply(ctx, back, t, SMR_OUTPUT_VALUE);
    check_bits(sentence, a, b, PICTURES);
    smr_free(a);
    smr_free(b);
    smr_string_free(bytes);
    smr_model_free(m);
    return back;
}

static void pictures_stay_pictures_where_features_stay_in_place(void **state)
{
    static const char *const sentences[] = {"z_picture",
                                            "standardize | z_picture",
                                            "impute | standardize | z_picture",
                                            "onehot | z_picture",
                                            "bag of=(z_picture) bags=2",
                                            "bag of=(standardize | z_picture) bags=2",
                                            "standardize | bag of=(z_picture) bags=2"};
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = pictures(ctx);
    (void)state;
    for (int64_t k = 0; k < SMR_COUNT(sentences); k++) smr_model_free(train(ctx, sentences[k], t));
    smr_model *m = train(ctx, "standardize scale=no center=no | z_picture", t);
    double *said = apply(ctx, m, t, SMR_OUTPUT_VALUE);
    for (int64_t i = 0; i < PICTURES; i++) {
        double y = smr_column_number(&t->cols[PIXELS], i);
        check_near("the left edge", said[i], y, 1e-9 * fabs(y)); /* it found the edge */
    }
    smr_free(said);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void a_transform_says_what_becomes_of_pictures(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = pictures(ctx);
    (void)state;
    smr_model *m = train(ctx, "z_halve | standardize | z_halve | z_picture", t);
    assert_int_equal(m->stages[0].n_out, HEIGHT * WIDTH / 2 * DEPTH);
    assert_int_equal(m->stages[2].n_out, HEIGHT * WIDTH / 4 * DEPTH);
    const int64_t *kept = (const int64_t *)m->stages[3].state; /* height, width, depth */
    assert_int_equal(kept[0], HEIGHT);
    assert_int_equal(kept[1], WIDTH / 4);
    assert_int_equal(kept[2], DEPTH);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void other_transforms_lose_the_pictures(void **state)
{
    static const char *const sentences[] = {"poly 2 | z_picture", "subspace 0.5 | z_picture",
                                            "z_halve | poly 2 | z_picture",
                                            "impute indicator=yes | z_picture"};
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = pictures(ctx);
    double *first = t->cols[0].values;
    smr_model *m = NULL;
    smr_train_opts opts = {.size = sizeof opts, .target = "y", .task = SMR_TASK_REGRESS};
    (void)state;
    for (int64_t k = 0; k < SMR_COUNT(sentences); k++) {
        if (k == 3) { /* one feature more, which tells of the gap */
            first[2] = NAN;
            t->cols[0].n_missing = 1;
        }
        check_fails(ctx, smr_train(ctx, sentences[k], t, &opts, &m), SMR_ERR_DATA,
                    "z_picture: the rows are no pictures");
    }
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* The same number of features in another order are other features: a learner of pictures must not
 * take them. */
static void as_many_features_need_not_be_the_same_items(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = pictures(ctx);
    const int64_t shape[4] = {HEIGHT, WIDTH, DEPTH, 0};
    int64_t out[4];
    (void)state;
    smr_model *m = train(ctx, "standardize | z_halve | z_picture", t);
    smr_stage stage = m->stages[0];
    smr_stage_items(&stage, shape, out);
    assert_memory_equal(out, shape, sizeof shape);
    stage.in_place = false; /* as a rotation would have it */
    smr_stage_items(&stage, shape, out);
    assert_int_equal(out[0], 0);
    stage = m->stages[1];
    stage.n_out++; /* what it says does not fit what it gives */
    smr_stage_items(&stage, shape, out);
    assert_int_equal(out[0], 0);
    const int64_t none[4] = {0};
    smr_stage_items(&m->stages[1], none, out);
    assert_int_equal(out[0], 0);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static smr_status train_and_load(smr_ctx *ctx, void *arg)
{
    smr_train_opts opts = {.size = sizeof opts, .target = "y", .task = SMR_TASK_REGRESS};
    smr_model *m = NULL, *back = NULL;
    char *bytes = NULL;
    int64_t n = 0;
    smr_status st = smr_train(ctx, "standardize | z_halve | z_picture", arg, &opts, &m);
    if (st == SMR_OK) st = smr_model_write(ctx, m, &bytes, &n);
    if (st == SMR_OK) st = smr_model_read(ctx, bytes, n, &back);
    smr_string_free(bytes);
    smr_model_free(m);
    smr_model_free(back);
    return st;
}

static void failing_allocations_are_survived(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = pictures(ctx);
    (void)state;
    assert_true(fail_each_allocation(ctx, train_and_load, t) > 20);
    smr_table_free(t);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pictures_stay_pictures_where_features_stay_in_place),
        cmocka_unit_test(a_transform_says_what_becomes_of_pictures),
        cmocka_unit_test(other_transforms_lose_the_pictures),
        cmocka_unit_test(as_many_features_need_not_be_the_same_items),
        cmocka_unit_test(failing_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
