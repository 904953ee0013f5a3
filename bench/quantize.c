/* quantize.c -- a picture in few colours.
 *
 *     quantize --data FILE [--clusters N] [--settings "KEY=VALUE ..."] [--threads N] [--seed N]
 *
 * Seconds are from the file's bytes in memory to the bytes of a PNG, which was read back and
 * compared; the objective is the mean squared error of its samples. */
#include "study/quantize.h"
#include "bench.h"
#include "core/json.h"
#include "data/file.h"

#include <math.h>

int main(int argc, char **argv)
{
    const char *data = bench_option(argc, argv, "--data", NULL);
    smr_ctx *ctx = bench_ctx(argc, argv);
    smr_quantize_opts opts = {.size = sizeof opts,
                              .k = atoll(bench_option(argc, argv, "--clusters", "16")),
                              .settings = bench_option(argc, argv, "--settings", NULL)};
    smr_source *source = NULL;
    smr_json_doc *doc = NULL;
    smr_quantized q;
    char *bytes = NULL;
    int64_t n = 0;
    if (!data) {
        fprintf(stderr, "quantize: --data is needed\n");
        return 2;
    }
    bench_check(ctx, smr_source_open(ctx, data, &source));
    bench_check(ctx, smr_source_whole(ctx, source, INT64_MAX / 2, &bytes, &n));
    bench_check(ctx, smr_json_create(ctx, &doc));
    smr_quantized_init(ctx, &q);
    double start = smr_now();
    bench_check(ctx, smr_quantize_bytes(ctx, data, bytes, n, &opts, &q, smr_json_root(doc)));
    double seconds = smr_now() - start;
    printf("{\"seconds\": {\"fit\": %.9f}, \"objective\": %.17g, \"peak_memory_bytes\": %lld}\n",
           seconds, smr_json_get_number(smr_json_root(doc), "mse", NAN), bench_memory("VmHWM"));
    smr_quantized_release(&q);
    smr_json_free(doc);
    smr_free(bytes);
    smr_source_close(source);
    smr_ctx_destroy(ctx);
    return 0;
}
