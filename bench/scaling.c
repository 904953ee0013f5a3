/* scaling.c -- how a fit would scale to more threads than there are: a model, no measurement.
 *
 *     scaling --spec SENTENCE --data TRAIN --target COLUMN [--task classify|regress]
 *             [--threads 4,8,16] [--wake 1e-6] [--repeat 5] [--regions yes] [--seed N]
 *
 * One thread does all the work and plays each of the lanes in turn.  Every lane has a clock; the
 * next task goes to the lane whose clock shows least, as the pool hands tasks out, and moves it on
 * by the processor time that the task took.  A region lasts until the last of its lanes is done,
 * and `wake` seconds more; what is done between regions adds to the time of all.  So serial parts,
 * too few tasks, uneven ones, and sums over the lanes are in the figure.
 *
 * A fit does the same each time: the time of a task, or of what is done between two regions, is the
 * least of the repeats, so that what else the machine does at the time counts for little; the
 * lanes' clocks are then run again with these.  The fit by one thread, which the others are
 * compared with, is measured in the same way, task by task.
 *
 * What lanes do to one another through caches, memory and clock rates is not in the figure: real
 * speed-ups are smaller.  Nor is what the system takes to hand out fresh memory, which depends on
 * what else runs: all fits after a first one, which is not counted, find the memory of the one
 * before.
 * Prints for each number of threads the seconds so found, their ratio to those of a fit by one
 * thread, the share of them that is serial, and the regions; with --regions also, for each function
 * that runs in regions, its work, how long it lasts, and how long it would if its tasks were even,
 * or if there were a thread for each. */
#include "bench.h"
#include "core/parallel.h"
#include "data/read.h"
#include "learn/model.h"

#include <malloc.h>
#include <time.h>

enum { MOST_LANES = 256, MOST_KINDS = 64, MOST_COUNTS = 16 };

/* A region of a fit: its tasks are numbered `first` .. first + n_tasks - 1, what was done before it
 * is first - 1. */
struct region {
    smr_task_fn fn;
    const char *what;
    int64_t first, n_tasks;
};

/* A fit by some number of threads: the least seconds of each of its parts. */
struct course {
    double *part;
    int64_t n_parts, part_room, at; /* at: in the repeat at hand */
    struct region *region;
    int64_t n_regions, region_room, region_at;
};

/* The regions of one function. */
struct kind {
    smr_task_fn fn;
    const char *what;
    int64_t n, tasks;
    double work, lasts, before; /* before: serial time since the last region */
    double longest;             /* sum of the longest task of each region    */
};

static struct {
    double wake, clock_cost;
    struct smr_ctx lane[MOST_LANES];
    struct course *course;
    double left; /* when the last region was left */
    struct kind kind[MOST_KINDS];
    int64_t n_kinds;
} model;

struct outcome {
    double seconds, serial; /* serial: outside of regions */
};

static double processor_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double clock_cost(void)
{
    enum { TIMES = 20000 };
    double start = processor_time();
    for (int i = 0; i < TIMES; i++) (void)processor_time();
    return (processor_time() - start) / TIMES;
}

static void *more(void *block, int64_t n, int64_t *room, size_t size)
{
    if (n < *room) return block;
    *room = 2 * *room + 1024;
    block = realloc(block, (size_t)*room * size);
    if (!block) exit(70);
    return block;
}

/* The next part of the fit took this long. */
static void note_part(double seconds)
{
    struct course *c = model.course;
    c->part = more(c->part, c->at, &c->part_room, sizeof *c->part);
    if (c->at == c->n_parts) c->part[c->n_parts++] = seconds;
    c->part[c->at] = SMR_MIN(c->part[c->at], seconds);
    c->at++;
}

static void note_region(smr_task_fn fn, const char *what, int64_t n_tasks)
{
    struct course *c = model.course;
    c->region = more(c->region, c->region_at, &c->region_room, sizeof *c->region);
    struct region r = {fn, what, c->at, n_tasks}, *kept = &c->region[c->region_at];
    if (c->region_at == c->n_regions) c->region[c->n_regions++] = r;
    if (kept->fn != fn || kept->first != c->at || kept->n_tasks != n_tasks) {
        fprintf(stderr, "scaling: a repeat has other regions than the one before\n");
        exit(70);
    }
    c->region_at++;
}

static int first_free(const double *clock, int n_lanes)
{
    int least = 0;
    for (int l = 1; l < n_lanes; l++)
        if (clock[l] < clock[least]) least = l;
    return least;
}

/* Stands in for the pool: ctx.h. */
static smr_status play(smr_ctx *ctx, const char *what, int64_t n_tasks, smr_task_fn fn, void *arg)
{
    double clock[MOST_LANES] = {0};
    smr_status st = SMR_OK;
    if (n_tasks < 2) /* runs in the caller's own context, and what it calls may be parallel */
        return n_tasks == 1 ? fn(ctx, arg, 0, 0) : SMR_OK;
    for (int l = 0; l < ctx->n_threads; l++) {
        struct smr_ctx *c = &model.lane[l];
        c->n_threads = 1;
        c->seed = ctx->seed;
        c->memory = ctx->memory;
        c->parent = ctx;
    }
    double last = processor_time();
    note_part(SMR_MAX(0, last - model.left - model.clock_cost));
    note_region(fn, what, n_tasks);
    last = processor_time();
    for (int64_t t = 0; t < n_tasks && st == SMR_OK; t++) {
        int lane = first_free(clock, ctx->n_threads);
        st = fn(&model.lane[lane], arg, t, lane);
        double now = processor_time(), took = SMR_MAX(0, now - last - model.clock_cost);
        clock[lane] += took;
        note_part(took);
        last = processor_time();
    }
    model.left = processor_time();
    return st;
}

static void fit(int argc, char **argv, const smr_table *table, int n_threads, struct course *course)
{
    smr_ctx *ctx = NULL;
    smr_spec *spec = NULL;
    smr_train_set *set = NULL;
    smr_model *made = NULL;
    const char *task = bench_option(argc, argv, "--task", "");
    smr_ctx_opts opts = {.size = sizeof opts,
                         .n_threads = n_threads,
                         .seed = strtoull(bench_option(argc, argv, "--seed", "0"), NULL, 10)};
    smr_set_opts how = {.target = bench_option(argc, argv, "--target", "#-1"), .keep_all = true};
    if (strcmp(task, "classify") == 0) how.task = SMR_TASK_CLASSIFY;
    if (strcmp(task, "regress") == 0) how.task = SMR_TASK_REGRESS;
    if (smr_ctx_create(&opts, &ctx) != SMR_OK) exit(70);
    bench_check(ctx, smr_spec_parse(ctx, bench_option(argc, argv, "--spec", "boost"), &spec));
    bench_check(ctx, smr_train_set_create(ctx, table, spec, &how, &set));
    model.course = course;
    course->at = course->region_at = 0;
    ctx->stand_in = play;
    model.left = processor_time();
    bench_check(ctx, smr_fit(ctx, spec, set, NULL, 0, &made));
    note_part(processor_time() - model.left);
    smr_model_free(made);
    smr_train_set_free(set);
    smr_spec_free(spec);
    smr_ctx_destroy(ctx);
}

/* ---- what it comes to ---- */

static void note_kind(const struct region *r, struct kind of)
{
    int64_t i = 0;
    while (i < model.n_kinds && model.kind[i].fn != r->fn) i++;
    if (i == MOST_KINDS) return;
    struct kind *k = &model.kind[i];
    model.n_kinds = SMR_MAX(model.n_kinds, i + 1);
    k->fn = r->fn, k->what = r->what;
    k->n++, k->tasks += r->n_tasks, k->work += of.work, k->lasts += of.lasts;
    k->before += of.before, k->longest += of.longest;
}

/* The clocks of the lanes, run with the least times. */
static struct outcome add_up(const struct course *c, int n_lanes)
{
    struct outcome o = {.serial = c->part[c->n_parts - 1]};
    o.seconds = o.serial;
    model.n_kinds = 0;
    memset(model.kind, 0, sizeof model.kind);
    for (int64_t i = 0; i < c->n_regions; i++) {
        const struct region *r = &c->region[i];
        double clock[MOST_LANES] = {0};
        struct kind of = {.before = c->part[r->first - 1]};
        for (int64_t t = 0; t < r->n_tasks; t++) {
            double *at = &clock[first_free(clock, n_lanes)], took = c->part[r->first + t];
            *at += took;
            of.work += took;
            of.lasts = SMR_MAX(of.lasts, *at);
            of.longest = SMR_MAX(of.longest, took);
        }
        if (n_lanes > 1) of.lasts += model.wake;
        o.serial += of.before;
        o.seconds += of.before + of.lasts;
        note_kind(r, of);
    }
    return o;
}

/* To find the regions that hold a fit up; fn is told by its distance from smr_parallel. */
static void print_regions(int n_threads, struct outcome o)
{
    fprintf(stderr, "%d threads: %.4f s, %.4f s serial\n", n_threads, o.seconds, o.serial);
    for (int64_t i = 0; i < model.n_kinds; i++) {
        const struct kind *k = &model.kind[i];
        long long at = (long long)((intptr_t)k->fn - (intptr_t)smr_parallel);
        fprintf(
            stderr,
            "  %+9lld %-16s %6lld regions %7lld tasks  work %.4f s  lasts %.4f s, evenly %.4f s, "
            "longest tasks %.4f s, %.4f s serial before\n",
            at, k->what ? k->what : "", (long long)k->n, (long long)k->tasks, k->work, k->lasts,
            k->work / n_threads, k->longest, k->before);
    }
}

int main(int argc, char **argv)
{
    const char *list = bench_option(argc, argv, "--threads", "4,8,16");
    bool shows = strcmp(bench_option(argc, argv, "--regions", "no"), "yes") == 0;
    int64_t repeat = SMR_MAX(1, atoll(bench_option(argc, argv, "--repeat", "5")));
    int count[MOST_COUNTS + 1] = {1}, n = 1;
    struct course course[MOST_COUNTS + 1] = {0};
    struct outcome of[MOST_COUNTS + 1];
    for (const char *at = list; at && n <= MOST_COUNTS; at = strchr(at, ',')) {
        at += *at == ',';
        count[n++] = SMR_MIN(MOST_LANES, atoi(at));
    }
    smr_ctx *ctx = bench_ctx(1, argv);
    smr_table *table = NULL;
    smr_read_opts opts = {.header = -1};
    bench_check(ctx, smr_table_read(ctx, bench_option(argc, argv, "--data", ""), &opts, &table));
    mallopt(M_MMAP_THRESHOLD, 1 << 30); /* memory that was given back stays at hand: see above */
    mallopt(M_TRIM_THRESHOLD, -1);
    model.wake = atof(bench_option(argc, argv, "--wake", "1e-6"));
    model.clock_cost = clock_cost();
    fit(argc, argv, table, 1, &(struct course){0}); /* warm; what it notes is left behind */
    for (int64_t r = 0; r < repeat; r++)
        for (int i = 0; i < n; i++) fit(argc, argv, table, count[i], &course[i]);
    for (int i = 0; i < n; i++) {
        of[i] = add_up(&course[i], count[i]);
        if (shows) print_regions(count[i], of[i]);
    }
    printf("{\"seconds\": {\"fit\": %.6f}, \"clock_cost\": %.3g, \"modelled\": {", of[0].seconds,
           model.clock_cost);
    for (int i = 1; i < n; i++)
        printf("%s\"%d\": {\"seconds\": %.6f, \"speedup\": %.3f, \"serial\": %.3f, "
               "\"regions\": %lld}",
               i > 1 ? ", " : "", count[i], of[i].seconds, of[0].seconds / of[i].seconds,
               of[i].serial / of[i].seconds, (long long)course[i].n_regions);
    printf("}}\n");
    for (int i = 0; i < n; i++) free(course[i].part), free(course[i].region);
    smr_table_free(table);
    smr_ctx_destroy(ctx);
    return 0;
}
