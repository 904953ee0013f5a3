/* words.c -- the vocabulary of a text column and the sparse rows of all its texts.
 *
 *     words --spec "words ..." --data FILE [--target COLUMN] [--threads N]
 *
 * Prints the seconds of reading (read) and of fitting the vocabulary and computing the rows, which
 * stay in memory (fit); the number of words, a checksum of their names, the entries, and two sums
 * over them, so that peers can be checked to have found the same. */
#include "bench.h"
#include "data/keep.h"
#include "data/read.h"
#include "learn/chain.h"
#include "learn/model.h"

/* CRC-32 as zlib's, bit by bit. */
static uint32_t crc_add(uint32_t crc, const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        crc ^= (unsigned char)bytes[i];
        for (int k = 0; k < 8; k++) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    return crc;
}

static uint32_t names_crc(const smr_stage *stage)
{
    uint32_t crc = 0xffffffffu;
    for (int64_t j = 0; j < stage->n_out; j++) {
        crc = crc_add(crc, stage->features[j].name, strlen(stage->features[j].name));
        crc = crc_add(crc, "\n", 1);
    }
    return ~crc;
}

/* Sums of the values, plain and with a factor that depends on row and column. */
static void add_up(const smr_csr *rows, double *sum, double *moment)
{
    for (int64_t i = 0; i < rows->n_rows; i++)
        for (int64_t e = rows->start[i]; e < rows->start[i + 1]; e++) {
            *sum += rows->value[e];
            *moment += rows->value[e] * (double)((31 * i + rows->column[e]) % 1009);
        }
}

int main(int argc, char **argv)
{
    const char *spec = bench_option(argc, argv, "--spec", "words text");
    const char *path = bench_option(argc, argv, "--data", NULL);
    smr_set_opts opts = {.ignore = bench_option(argc, argv, "--target", NULL)};
    smr_ctx *ctx = bench_ctx(argc, argv);
    smr_table *table = NULL;
    smr_spec *parsed = NULL;
    smr_train_set *set = NULL;
    smr_model *model = NULL;
    smr_binding binding = {0};
    smr_keep store = {0};
    smr_data rows;
    double sum = 0, moment = 0, start = smr_now();
    if (!path) {
        fprintf(stderr, "words: --data FILE is needed\n");
        return 2;
    }
    bench_check(ctx, smr_table_read(ctx, path, NULL, &table));
    double read = smr_now();
    bench_check(ctx, smr_spec_parse(ctx, spec, &parsed));
    bench_check(ctx, smr_train_set_create(ctx, table, parsed, &opts, &set));
    double begun = smr_now();
    bench_check(ctx, smr_fit(ctx, parsed, set, NULL, 0, &model));
    bench_check(ctx,
                smr_schema_bind(ctx, &model->schema, smr_model_columns(model), table, &binding));
    smr_chain(&binding.data, &model->stages[0], &rows);
    bench_check(ctx, smr_data_keep(ctx, &rows, SMR_FORM_SPARSE, true, &store));
    double done = smr_now();
    long long memory = bench_memory("VmHWM");
    add_up(&store.rows, &sum, &moment);
    printf("{\"seconds\": {\"read\": %.9f, \"set\": %.9f, \"fit\": %.9f}, \"words\": %lld, "
           "\"names\": %lld, \"entries\": %lld, \"sum\": %.17g, \"moment\": %.17g, "
           "\"peak_memory_bytes\": %lld}\n",
           read - start, begun - read, done - begun, (long long)model->stages[0].n_out,
           (long long)names_crc(&model->stages[0]), (long long)store.start[rows.n_rows], sum,
           moment, memory);
    smr_keep_release(&store);
    smr_binding_release(&binding);
    smr_model_free(model);
    smr_train_set_free(set);
    smr_spec_free(parsed);
    smr_table_free(table);
    smr_ctx_destroy(ctx);
    return 0;
}
