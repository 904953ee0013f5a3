/* What a state table says of its rows, each rule kept and broken. */
#include "check.h"

#include "core/params.h"
#include "learn/state_check.h"

struct kept_params {
    int how;
};

struct kept {
    int64_t n, n_starts, n_parts;
    double share;
    int64_t *start;
    int32_t *index;
    double *value, *error, *votes;
    float *cover;
};

static const smr_choice hows[] = {{"plain", "as it is"}, {"voted", "by votes"}, {NULL, NULL}};

static const smr_param params[] = {
    {SMR_FIELD(struct kept_params, how), .choices = hows, .doc = "How."},
};

static const smr_state rows[] = {
    {SMR_KEPT(struct kept, n), .is = "features", .doc = "Features."},
    {SMR_KEPT(struct kept, n_starts), .is = "n * answers + 1", .doc = "Starts."},
    {SMR_KEPT(struct kept, n_parts), .most = "2 * n", .doc = "Parts."},
    {SMR_KEPT(struct kept, share), .reals = SMR_REALS_SHARE, .doc = "A share."},
    {SMR_KEPT(struct kept, start), .dims = {"n_starts"}, .below = "n_parts",
     .order = SMR_ORDER_STARTS, .doc = "Where parts begin."},
    {SMR_KEPT(struct kept, index), .dims = {"n"}, .min = -1, .below = "n",
     .order = SMR_ORDER_ASCENDS, .doc = "Features."},
    {SMR_KEPT(struct kept, value), .dims = {"n"}, .optional = true, .reals = SMR_REALS_FINITE,
     .doc = "Values."},
    {SMR_KEPT(struct kept, error), .dims = {"n"}, .optional = true, .with = "value",
     .reals = SMR_REALS_FROM_0, .doc = "Errors."},
    {SMR_KEPT(struct kept, votes), .dims = {"n"}, .optional = true, .with = "how=voted",
     .doc = "Votes."},
    {SMR_KEPT(struct kept, cover), .dims = {"n"}, .optional = true, .needs = "value",
     .reals = SMR_REALS_ABOVE_0, .doc = "Covers."},
};

static const smr_word word = {.name = "kept",
                              .params = params,
                              .n_params = SMR_COUNT(params),
                              .params_size = sizeof(struct kept_params)};
static const smr_fitted fitted = {
    .state = rows, .n_state = SMR_COUNT(rows), .state_size = sizeof(struct kept)};
static const smr_learner learner = {
    .word = &word, .tasks = SMR_DOES_CLASSIFY, .takes = SMR_TAKES_F64, .fitted = &fitted};

/* Everything holds: two features, two classes. */
struct all {
    smr_ctx *ctx;
    struct kept_params params;
    struct kept state;
    smr_stage stage;
    smr_shape shape;
    int64_t start[5];
    int32_t index[2];
    double value[2], error[2], votes[2];
    float cover[2];
};

static void begin(struct all *a)
{
    *a = (struct all){.ctx = check_ctx(1),
                      .state = {.n = 2, .n_starts = 5, .n_parts = 3, .share = 0.5},
                      .stage = {.learner = &learner},
                      .shape = {.learner = &learner,
                                .n_features = 2,
                                .task = SMR_TASK_CLASSIFY,
                                .n_outputs = 1,
                                .n_classes = 2},
                      .start = {0, 1, 1, 2, 3},
                      .index = {-1, 1},
                      .error = {0, 1},
                      .cover = {1, 2}};
    a->stage.params = &a->params;
    a->stage.state = &a->state;
    a->state.start = a->start;
    a->state.index = a->index;
    a->state.value = a->value;
    a->state.error = a->error;
    check_ok(a->ctx, smr_state_check(a->ctx, &a->stage, &a->shape));
}

static void refuses(struct all *a, const char *part)
{
    check_fails(a->ctx, smr_state_check(a->ctx, &a->stage, &a->shape), SMR_ERR_FORMAT, part);
    check_ctx_end(a->ctx);
    begin(a);
}

static void sizes_follow_from_others(void **state)
{
    struct all a;
    (void)state;
    begin(&a);
    a.shape.n_features = 3;
    refuses(&a, "kept has 2 features where 3 come in");
    a.shape.n_classes = 3;
    refuses(&a, "its n_starts is 5, and must be 7 (n * answers + 1)");
    a.shape.n_classes = 0; /* numbers: one target */
    refuses(&a, "its n_starts is 5, and must be 3");
    a.state.n_parts = 5;
    refuses(&a, "its n_parts is 5, and must be at most 4 (2 * n)");
    a.state.n_parts = -1;
    refuses(&a, "its n_parts is -1, and must lie from 0 to 2147483647");
    check_ctx_end(a.ctx);
}

static void whole_numbers_lie_in_range_and_in_order(void **state)
{
    struct all a;
    (void)state;
    begin(&a);
    a.start[0] = 1;
    refuses(&a, "its start does not begin at 0");
    a.start[4] = 2;
    refuses(&a, "its start does not begin at 0 and end with what it divides");
    a.start[1] = 3;
    refuses(&a, "its start does not ascend");
    a.start[2] = INT64_MIN;
    refuses(&a, "number 3 of its start is -9223372036854775808, and must lie from 0 to 3");
    a.index[1] = 2;
    refuses(&a, "number 2 of its index is 2, and must lie from -1 to 1");
    a.index[0] = a.index[1];
    refuses(&a, "its index does not ascend");
    check_ctx_end(a.ctx);
}

static void real_numbers_are_what_they_must_be(void **state)
{
    struct all a;
    (void)state;
    begin(&a);
    a.state.share = 1.5;
    refuses(&a, "its share is 1.5, and must be from 0 to 1");
    a.state.share = NAN;
    refuses(&a, "must be from 0 to 1");
    a.value[1] = INFINITY;
    refuses(&a, "number 2 of its value is inf, and must be finite");
    a.error[0] = -1;
    refuses(&a, "number 1 of its error is -1, and must be finite and 0 or above");
    a.state.cover = a.cover;
    check_ok(a.ctx, smr_state_check(a.ctx, &a.stage, &a.shape));
    a.cover[1] = 0;
    refuses(&a, "must be finite and above 0");
    check_ctx_end(a.ctx);
}

static void rows_are_there_together(void **state)
{
    struct all a;
    (void)state;
    begin(&a);
    a.state.error = NULL;
    refuses(&a, "its error is missing (value)");
    a.state.value = NULL;
    refuses(&a, "its error is there where it should not be (value)");
    a.state.votes = a.votes;
    refuses(&a, "its votes is there where it should not be (how=voted)");
    a.params.how = 1;
    refuses(&a, "its votes is missing (how=voted)");
    a.state.value = a.state.error = NULL;
    a.state.cover = a.cover;
    refuses(&a, "its cover is there without its value");
    a.state.index = NULL;
    refuses(&a, "its index is missing");
    check_ctx_end(a.ctx);
}

/* What a stage cannot take does not come in, and the last one does the task. */
static void stages_are_where_they_may_be(void **state)
{
    struct all a;
    smr_feature in[2] = {{.kind = SMR_NUMBER}, {.kind = SMR_CATEGORY}};
    (void)state;
    begin(&a);
    check_ok(a.ctx, smr_stage_check_place(a.ctx, &a.stage, true, &a.shape));
    check_fails(a.ctx, smr_stage_check_place(a.ctx, &a.stage, false, &a.shape), SMR_ERR_FORMAT,
                "kept is not a transform");
    a.shape.features = in;
    check_fails(a.ctx, smr_stage_check_place(a.ctx, &a.stage, true, &a.shape), SMR_ERR_FORMAT,
                "takes no categories");
    in[1].kind = SMR_TEXT;
    check_fails(a.ctx, smr_stage_check_place(a.ctx, &a.stage, true, &a.shape), SMR_ERR_FORMAT,
                "takes no texts");
    a.shape.features = NULL;
    a.shape.n_outputs = 2;
    check_fails(a.ctx, smr_stage_check_place(a.ctx, &a.stage, true, &a.shape), SMR_ERR_FORMAT,
                "kept predicts one target, and the model has 2");
    a.shape.task = SMR_TASK_REGRESS;
    check_fails(a.ctx, smr_stage_check_place(a.ctx, &a.stage, true, &a.shape), SMR_ERR_FORMAT,
                "which it cannot do");
    check_ctx_end(a.ctx);
}

static void sizes_that_overflow_are_no_sizes(void **state)
{
    struct kept s = {.n = INT32_MAX, .n_starts = INT32_MAX, .n_parts = INT32_MAX};
    smr_shape shape = {.n_features = 4, .n_outputs = 3};
    int64_t got = 0;
    (void)state;
    assert_true(smr_state_size(&learner, &s, &shape, "2 + features * targets + 1", &got));
    assert_int_equal(got, 15);
    assert_true(smr_state_size(&learner, &s, &shape, "n * n_starts", &got));
    assert_false(smr_state_size(&learner, &s, &shape, "n * n_starts * n_parts", &got));
    assert_false(smr_state_size(&learner, &s, &shape, "n + unheard_of", &got));
    assert_false(smr_state_size(&learner, &s, &shape, "value", &got)); /* it is no number */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_follow_from_others),
        cmocka_unit_test(whole_numbers_lie_in_range_and_in_order),
        cmocka_unit_test(real_numbers_are_what_they_must_be),
        cmocka_unit_test(rows_are_there_together),
        cmocka_unit_test(stages_are_where_they_may_be),
        cmocka_unit_test(sizes_that_overflow_are_no_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
