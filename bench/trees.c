/* trees.c -- rows through the trees of a model: one at a time, and all.
 *
 *     trees [--trees 100] [--leaves 255] [--features 28] [--rows 100000] [--missing SHARE]
 *           [--sets SHARE] [--model FILE --data FILE] [--predictions FILE] [--repeat 9]
 *           [--threads N]
 *
 * The trees are random: the leaf with most rows is split, by a random feature, so that a random
 * share of 0.1 .. 0.9 of its rows goes to the first child; with --sets, that share of the splits is
 * one of codes.  Rows are uniform.  Or trees and rows come from a peer (bench/trees.py): --model,
 * lines of "feature cut missing_first first_child" (feature -1: a leaf that says cut) with an empty
 * line after each tree, and --data, raw floats.
 * Prints the median seconds of a row alone (other rows each time, the model warm) and of the
 * batch. */
#include "learn/trees/trees.h"
#include "bench.h"
#include "core/mem.h"
#include "core/parallel.h"
#include "core/rng.h"

enum { SEED = 7, BLOCK = 256 };

struct work {
    int64_t n, d, n_trees, n_leaves, repeat;
    double missing, sets;
    double *x, *out;
    smr_trees trees;
};

static double draw(void)
{
    static uint64_t at;
    return smr_random_unit(SEED, SMR_STREAM_TEST, 0, at++);
}

/* ---- a random model ---- */

/* lo, hi: of each node and feature, the interval that its rows fill. */
static void split_leaf(smr_ctx *ctx, struct work *w, smr_sapling *s, int64_t at, double *lo,
                       double *hi)
{
    int32_t child;
    int64_t d = w->d, j = (int64_t)(draw() * (double)d);
    double share = 0.1 + 0.8 * draw(),
           cut = lo[at * d + j] + share * (hi[at * d + j] - lo[at * d + j]);
    bool is_set = draw() < w->sets;
    bench_check(ctx, smr_sapling_nodes(ctx, s, 2, &child));
    smr_sprout *p = &s->node[at];
    *p = (smr_sprout){.kind = SMR_SPLIT_CUT,
                      .feature = (int32_t)j,
                      .cut = cut,
                      .child = child,
                      .missing_first = draw() < 0.5,
                      .cover = p->cover};
    if (is_set) { /* codes 0 .. 31 */
        p->kind = SMR_SPLIT_SET;
        p->n_words = 1;
        bench_check(ctx, smr_sapling_words(ctx, s, 1, &p->set));
        s->words[p->set] = (uint32_t)(draw() * 4294967296.0);
    }
    for (int64_t c = 0; c < 2; c++) {
        memcpy(lo + (child + c) * d, lo + at * d, (size_t)d * sizeof *lo);
        memcpy(hi + (child + c) * d, hi + at * d, (size_t)d * sizeof *hi);
    }
    if (!is_set) hi[child * d + j] = lo[(child + 1) * d + j] = cut;
    s->node[child].cover = s->node[at].cover * share;
    s->node[child + 1].cover = s->node[at].cover * (1 - share);
}

static void grow(smr_ctx *ctx, struct work *w, double *lo, double *hi)
{
    smr_sapling s;
    int32_t root;
    smr_sapling_begin(&s, 1);
    bench_check(ctx, smr_sapling_nodes(ctx, &s, 1, &root));
    s.node[0].cover = 1e6;
    for (int64_t j = 0; j < w->d; j++) lo[j] = 0, hi[j] = 1;
    for (int64_t k = 1; k < w->n_leaves; k++) {
        int64_t best = -1;
        for (int64_t i = 0; i < s.n; i++)
            if (s.node[i].kind == SMR_SPLIT_LEAF &&
                (best < 0 || s.node[i].cover > s.node[best].cover))
                best = i;
        split_leaf(ctx, w, &s, best, lo, hi);
    }
    for (int64_t i = 0; i < s.n; i++) s.value[i] = draw() - 0.5;
    bench_check(ctx, smr_trees_add(ctx, &w->trees, &s, NULL));
    smr_sapling_release(&s);
}

static void make(smr_ctx *ctx, struct work *w)
{
    double *bounds = calloc((size_t)(4 * w->n_leaves * w->d), sizeof *bounds);
    w->x = malloc((size_t)(w->n * w->d) * sizeof *w->x);
    if (!bounds || !w->x) exit(70);
    for (int64_t t = 0; t < w->n_trees; t++) grow(ctx, w, bounds, bounds + 2 * w->n_leaves * w->d);
    for (int64_t i = 0; i < w->n * w->d; i++) {
        w->x[i] = draw() < w->missing ? NAN : draw();
        if (w->sets > 0) w->x[i] = floor(32 * w->x[i]);
    }
    free(bounds);
}

/* ---- a peer's model ---- */

static FILE *open_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (f) return f;
    fprintf(stderr, "trees: cannot open '%s'\n", path);
    exit(3);
}

static void read_model(smr_ctx *ctx, struct work *w, const char *path)
{
    FILE *f = open_file(path);
    char line[256];
    smr_sapling s;
    smr_sapling_begin(&s, 1);
    while (fgets(line, sizeof line, f)) {
        int32_t at, feature, missing_first, child;
        double cut;
        if (sscanf(line, "%d %lf %d %d", &feature, &cut, &missing_first, &child) == 4) {
            bench_check(ctx, smr_sapling_nodes(ctx, &s, 1, &at));
            s.value[at] = cut;
            if (feature >= 0)
                s.node[at] = (smr_sprout){.kind = SMR_SPLIT_CUT,
                                          .feature = feature,
                                          .cut = cut,
                                          .missing_first = missing_first,
                                          .child = child};
        } else {
            bench_check(ctx, smr_trees_add(ctx, &w->trees, &s, NULL));
            smr_sapling_release(&s);
        }
    }
    smr_sapling_release(&s);
    fclose(f);
}

static void read_rows(struct work *w, const char *path)
{
    FILE *f = open_file(path);
    int64_t n = w->n * w->d;
    float *single = malloc((size_t)n * sizeof *single);
    w->x = malloc((size_t)n * sizeof *w->x);
    if (!single || !w->x || fread(single, sizeof *single, (size_t)n, f) != (size_t)n) exit(3);
    for (int64_t i = 0; i < n; i++) w->x[i] = (double)single[i];
    free(single);
    fclose(f);
}

/* ---- timing ---- */

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x, int64_t n)
{
    qsort(x, (size_t)n, sizeof *x, ascending);
    return x[n / 2];
}

static smr_status sum_block(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct work *w = arg;
    int64_t lo = task * BLOCK, hi = smr_block_end(w->n, BLOCK, task);
    smr_rows rows = {.n = hi - lo, .d = w->d, .x = w->x + lo * w->d, .stride = w->d};
    (void)ctx, (void)lane;
    memset(w->out + lo, 0, (size_t)(hi - lo) * sizeof *w->out);
    smr_trees_sum(&w->trees, &rows, 0, w->trees.n_trees, w->out + lo);
    return SMR_OK;
}

static double time_batch(smr_ctx *ctx, struct work *w)
{
    double *taken = malloc((size_t)w->repeat * sizeof *taken);
    if (!taken) exit(70);
    for (int64_t r = 0; r < w->repeat; r++) {
        double start = smr_now();
        bench_check(ctx, smr_parallel(ctx, NULL, smr_block_count(w->n, BLOCK), sum_block, w));
        taken[r] = smr_now() - start;
    }
    double seconds = median(taken, w->repeat);
    free(taken);
    return seconds;
}

/* Each time a row that was not read lately, whose sum must be that of the batch, bit for bit. */
static double time_row(struct work *w)
{
    enum { TIMES = 501, ROWS = 16 };
    double taken[TIMES];
    int64_t at = 0, n_other = 0;
    for (int64_t r = 0; r < TIMES; r++) {
        double out[ROWS] = {0}, start = smr_now();
        for (int64_t i = 0; i < ROWS; i++) {
            smr_rows rows = {.n = 1, .d = w->d, .x = w->x + (at + i) % w->n * w->d, .stride = w->d};
            smr_trees_sum(&w->trees, &rows, 0, w->trees.n_trees, out + i);
        }
        taken[r] = (smr_now() - start) / ROWS;
        for (int64_t i = 0; i < ROWS; i++) n_other += out[i] != w->out[(at + i) % w->n];
        at += ROWS;
    }
    if (n_other) fprintf(stderr, "trees: %lld rows have other bits alone\n", (long long)n_other);
    return median(taken, TIMES);
}

int main(int argc, char **argv)
{
    struct work w = {.n = atoll(bench_option(argc, argv, "--rows", "100000")),
                     .d = atoll(bench_option(argc, argv, "--features", "28")),
                     .n_trees = atoll(bench_option(argc, argv, "--trees", "100")),
                     .n_leaves = atoll(bench_option(argc, argv, "--leaves", "255")),
                     .repeat = atoll(bench_option(argc, argv, "--repeat", "9")),
                     .missing = atof(bench_option(argc, argv, "--missing", "0")),
                     .sets = atof(bench_option(argc, argv, "--sets", "0")),
                     .trees = {.width = 1, .n_scores = 1}};
    const char *model = bench_option(argc, argv, "--model", NULL);
    const char *predictions = bench_option(argc, argv, "--predictions", NULL);
    smr_ctx *ctx = bench_ctx(argc, argv);
    if (model) {
        read_model(ctx, &w, model);
        read_rows(&w, bench_option(argc, argv, "--data", ""));
    } else {
        make(ctx, &w);
    }
    bench_check(ctx, smr_trees_prepare(ctx, &w.trees));
    w.out = calloc((size_t)w.n, sizeof *w.out);
    if (!w.out) exit(70);

    double batch = time_batch(ctx, &w), row = time_row(&w);
    if (predictions) {
        FILE *f = fopen(predictions, "wb");
        if (!f || fwrite(w.out, sizeof *w.out, (size_t)w.n, f) != (size_t)w.n || fclose(f)) exit(3);
    }
    printf("{\"seconds\": {\"batch\": %.9f, \"row\": %.9g}, \"ns_per_row\": %.1f, "
           "\"ns_per_row_and_tree\": %.3f, \"one_row_ns_per_tree\": %.2f, \"rows\": %lld, "
           "\"trees\": %lld, \"nodes\": %lld, \"peak_memory_bytes\": %lld}\n",
           batch, row, 1e9 * batch / (double)w.n,
           1e9 * batch / (double)w.n / (double)w.trees.n_trees, 1e9 * row / (double)w.trees.n_trees,
           (long long)w.n, (long long)w.trees.n_trees, (long long)w.trees.n_nodes,
           bench_memory("VmHWM"));
    free(w.out);
    free(w.x);
    smr_trees_release(&w.trees);
    smr_ctx_destroy(ctx);
    return 0;
}
