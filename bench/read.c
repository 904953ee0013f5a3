/* read.c -- reads a file into a table.
 *
 *     read --data FILE [--threads N]
 *
 * Prints the seconds of reading, and rows, columns, stored entries and the sum of all numbers, so
 * that peers can be checked to have read the same. */
#include "data/read.h"
#include "bench.h"

#include <math.h>

/* Sum and count of the finite numbers of a table, dense and sparse. */
static double sum_numbers(const smr_table *t, long long *n)
{
    double sum = 0;
    for (int64_t j = 0; j < t->n_cols; j++) {
        const smr_column *col = &t->cols[j];
        for (int64_t i = 0; col->kind == SMR_NUMBER && i < t->n_rows; i++) {
            double x = smr_column_number(col, i);
            if (!isfinite(x)) continue;
            sum += x;
            (*n)++;
        }
    }
    for (int64_t k = 0; t->sparse.n_cols && k < t->sparse.start[t->n_rows]; k++) {
        sum += t->sparse.value[k];
        (*n)++;
    }
    return sum;
}

int main(int argc, char **argv)
{
    const char *path = bench_option(argc, argv, "--data", NULL);
    if (!path) {
        fprintf(stderr, "read: --data FILE is needed\n");
        return 2;
    }
    smr_ctx *ctx = bench_ctx(argc, argv);
    smr_table *table = NULL;

    double start = smr_now();
    bench_check(ctx, smr_table_read(ctx, path, NULL, &table));
    double seconds = smr_now() - start;
    long long memory = bench_memory("VmHWM"), n = 0;

    double sum = sum_numbers(table, &n);
    printf("{\"seconds\": {\"read\": %.9f}, \"rows\": %lld, \"columns\": %lld, \"numbers\": %lld, "
           "\"sum\": %.17g, \"peak_memory_bytes\": %lld}\n",
           seconds, (long long)table->n_rows, (long long)(table->n_cols + table->sparse.n_cols), n,
           sum, memory);
    smr_table_free(table);
    smr_ctx_destroy(ctx);
    return 0;
}
