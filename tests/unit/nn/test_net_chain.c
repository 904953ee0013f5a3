/* Chains of layers in sentences: what is read, how it is written, and what is refused. */
#include "check.h"
#include "pipeline.h"

#include "nn/net_chain.h"

static void reads_as(smr_ctx *ctx, const char *text, const char *canonical)
{
    smr_nn_chain chain = {0}, again = {0};
    smr_text out = {.ctx = ctx}, once_more = {.ctx = ctx};
    check_ok(ctx, smr_nn_chain_read(ctx, text, &chain));
    smr_nn_chain_write(&chain, &out);
    assert_string_equal(out.bytes ? out.bytes : "", canonical);
    check_ok(ctx, smr_nn_chain_read(ctx, out.bytes ? out.bytes : "", &again));
    smr_nn_chain_write(&again, &once_more);
    assert_string_equal(once_more.bytes ? once_more.bytes : "", canonical);
    smr_text_release(&out);
    smr_text_release(&once_more);
    smr_nn_chain_release(&chain);
    smr_nn_chain_release(&again);
}

static void chains_are_written_in_full(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    reads_as(ctx, "", "");
    reads_as(ctx, "dense 10|relu", "dense units=10 bias=yes | relu");
    reads_as(ctx, " conv 6 5 pad=2 ",
             "conv filters=6 size=5 stride=1 pad=2 groups=1 bias=yes round=exact");
    reads_as(ctx, "conv size=3,5 6",
             "conv filters=6 size=3,5 stride=1 pad=0 groups=1 bias=yes "
             "round=exact");
    reads_as(ctx, "avgpool global", "avgpool size=global pad=0 round=exact padding=no");
    reads_as(ctx, "maxpool 3 stride=2", "maxpool size=3 stride=2 pad=0 round=exact");
    reads_as(ctx, "residual ()", "residual of=()");
    reads_as(ctx, "concat (dense 1),(),(relu | concat (tanh))",
             "concat of=(dense units=1 bias=yes),(),(relu | concat of=(tanh))");
    reads_as(ctx, "residual (relu) skip=(tanh)", "residual of=(relu) skip=(tanh)");
    check_ctx_end(ctx);
}

static void abbreviations_are_replaced_by_what_they_mean(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    reads_as(ctx, "repeat 3 (relu | tanh)", "relu | tanh | relu | tanh | relu | tanh");
    reads_as(ctx, "sigmoid | repeat 2 (repeat 2 (relu)) | tanh",
             "sigmoid | relu | relu | relu | relu | tanh");
    reads_as(ctx, "repeat 5 ()", "");
    reads_as(ctx, "basic 8",
             "residual of=(conv filters=8 size=3 stride=1 pad=1 groups=1 bias=no round=exact | "
             "norm eps=1e-5 momentum=0.1 affine=yes | relu | conv filters=8 size=3 stride=1 pad=1 "
             "groups=1 bias=no round=exact | norm eps=1e-5 momentum=0.1 affine=yes) | relu");
    check_ctx_end(ctx);
}

static void mistakes_are_told_with_their_place(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } wrong[] = {
        {"dens 5", "at character 1: there is no layer 'dens'; did you mean 'dense'?"},
        {"relu | Conv2d 5", "at character 8: there is no layer 'Conv2d'; did you mean 'conv'?"},
        {"zzzzzzz", "'samara list layers' shows those there are"},
        {"dense 5 units=6", "this is given twice"},
        {"dense 5 yes 7", "there are more values than parameters"},
        {"relu 5", "this layer has no parameters"},
        {"dense unit=6", "dense has no parameter 'unit'; did you mean 'units'?"},
        {"dense 0", "dense: units = 0 is outside [1, 1048576]"},
        {"dense 1.5", "is not a whole number"},
        {"conv 4 3.5", "conv: size is a whole number"},
        {"conv 4 1,2,3", "size takes one number, or two"},
        {"avgpool global stride=2", "a global pool is one window of the whole picture"},
        {"dense (relu)", "a number or a word is expected here, not a chain"},
        {"residual", "residual needs a chain in parentheses, as in residual (conv"},
        {"repeat 2", "repeat needs a chain in parentheses"},
        {"residual (relu),(relu)", "at most 1 chain can be here"},
        {"residual (relu", "this parenthesis is never closed"},
        {"relu)", "this parenthesis was never opened"},
        {"relu |", "the name of a layer is missing"},
        {"| relu", "the name of a layer is missing"},
        {"dense # 3", "a value is missing"},
        {"relu # tanh", "this layer has no parameters"},
        {"repeat 900 (repeat 900 (relu))", "a net has at most 4096 layers"},
        {"repeat 1000 (repeat 5 (residual (relu)))", "a net has at most 4096 layers"},
        {"inception 1 2,3,4 5 6", "inception: filters are given as two numbers"},
        {"concat (concat (concat (concat (concat (concat (concat (concat (concat (concat (concat ("
         "concat (concat (concat (concat (concat (concat (relu)))))))))))))))))",
         "chains are nested too deeply"},
    };
    smr_ctx *ctx = check_ctx(1);
    for (int64_t i = 0; i < SMR_COUNT(wrong); i++) {
        smr_nn_chain chain = {0};
        check_fails(ctx, smr_nn_chain_read(ctx, wrong[i].text, &chain), SMR_ERR_PARAM,
                    wrong[i].says);
        assert_null(chain.link);
    }
    check_ctx_end(ctx);
}

static void every_layer_has_its_page_and_an_example_that_is_read(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    int64_t n;
    const smr_layer *const *all = smr_layers(&n);
    for (int64_t i = 0; i < n; i++) {
        const smr_word *word = &all[i]->word;
        smr_nn_chain chain = {0};
        assert_true(i == 0 || strcmp(all[i - 1]->word.name, word->name) < 0);
        assert_ptr_equal(smr_layer_find(word->name), all[i]);
        assert_non_null(word->title);
        assert_non_null(word->brief);
        assert_non_null(word->objective);
        check_ok(ctx, smr_nn_chain_read(ctx, word->example, &chain));
        assert_true(chain.n > 0);
        smr_nn_chain_release(&chain);
    }
    check_ctx_end(ctx);
}

static smr_status read_block(smr_ctx *ctx, void *arg)
{
    smr_nn_chain chain = {0};
    smr_status st = smr_nn_chain_read(ctx, arg, &chain);
    smr_nn_chain_release(&chain);
    return st;
}

static void it_survives_without_memory(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    char net[] = "conv 4 3 | repeat 2 (basic 4 stride=2) | concat (relu),(dense 3) | dense 5 (";
    net[strlen(net) - 1] = '\0';
    assert_true(fail_each_allocation(ctx, read_block, net) > 50);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_are_written_in_full),
        cmocka_unit_test(abbreviations_are_replaced_by_what_they_mean),
        cmocka_unit_test(mistakes_are_told_with_their_place),
        cmocka_unit_test(every_layer_has_its_page_and_an_example_that_is_read),
        cmocka_unit_test(it_survives_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
