/* stream.c -- learns from a file row by row, reading included.
 *
 *     stream --spec SPEC --data FILE --target COL [--threads N]
 *
 * Prints the seconds of all of it, rows a second, and the progressive error and log loss. */
#include "study/stream.h"
#include "bench.h"

int main(int argc, char **argv)
{
    const char *sentence = bench_option(argc, argv, "--spec", NULL);
    smr_spec *spec = NULL;
    smr_stream_ask ask = {.data = bench_option(argc, argv, "--data", NULL),
                          .pieces.read.header = -1,
                          .about.target = bench_option(argc, argv, "--target", "label")};
    if (!sentence || !ask.data) {
        fprintf(stderr, "stream: --spec SPEC and --data FILE are needed\n");
        return 2;
    }
    smr_ctx *ctx = bench_ctx(argc, argv);
    smr_json_doc *doc = NULL;
    bench_check(ctx, smr_spec_parse(ctx, sentence, &spec));
    ask.spec = spec;
    bench_check(ctx, smr_json_create(ctx, &doc));
    smr_json *root = smr_json_root(doc);
    double start = smr_now();
    bench_check(ctx, smr_stream_run(ctx, &ask, root));
    double seconds = smr_now() - start, rows = smr_json_get_number(root, "rows", 0);
    const smr_json *measures = smr_json_get(root, "measures");
    printf("{\"seconds\": {\"stream\": %.9f}, \"rows\": %.0f, \"rows_per_second\": %.0f, "
           "\"error\": %.17g, \"log_loss\": %.17g, \"peak_memory_bytes\": %lld}\n",
           seconds, rows, rows / seconds, smr_json_get_number(measures, "error", 1),
           smr_json_get_number(measures, "log_loss", 1e9), bench_memory("VmHWM"));
    smr_spec_free(spec);
    smr_json_free(doc);
    smr_ctx_destroy(ctx);
    return 0;
}
