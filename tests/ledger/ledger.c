/* ledger.c -- fits the sentences of tests/ledger/ledger.txt and compares their bytes with it.
 *
 *     ledger [--tier NAME] [--threads N] [--only TEXT] FILE
 *     ledger --write FILE
 *
 * A line of the file is  MODEL PREDICTIONS TABLE TARGET SENTENCE,  where
 *
 *     MODEL        the first 16 digits of the SHA-256 of the model file: its metadata except the
 *                  version of samara and the file's own checksum, and its tensors
 *     PREDICTIONS  the same for every output the model gives for the rows it was fitted on; any NaN
 *                  counts as one
 *     TABLE        a file: its path, or of those of data/ its name without .csv; or
 *                  make:GENERATOR,KEY=VALUE...
 *     TARGET       a column, or - ; after it may come  ;weight=COLUMN  ;ignore=COLUMN
 *                  ;class=NAME (the positive one) ;threshold=RULE  ;stream (learned row by row)
 *                  ;sequence=COLUMN  ;time=COLUMN  ;user=COLUMN  ;item=COLUMN
 *
 * The report is TAP, one test per line, and two more: each learner with each of its tasks, and each
 * generator, is in some line.  With --write the sums are put in; a new line has - - there. */
#include "core/sha256.h"
#include "core/sort.h"
#include "core/text.h"
#include "data/file.h"
#include "data/generate.h"
#include "kernel/kernel.h"
#include "learn/model.h"
#include "learn/registry.h"
#include "model/safetensors.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUM = 16, WORD = 128, MOST = 128, SKIPPED = 77 };

struct entry {
    char model[WORD], predictions[WORD], table[WORD], target[WORD];
    const char *sentence;
};

struct ledger {
    smr_ctx *ctx;
    const char *path, *only;
    bool write;
    int64_t n, failed;
    char table[WORD]; /* the one that is loaded */
    smr_table *data;
    bool tried[MOST][SMR_TASK_OUTLIERS + 1], made[MOST]; /* learners by task, generators */
    smr_text out;                                        /* the file, renewed */
};

/* ---- tables ------------------------------------------------------------------------------ */

/* make:NAME,KEY=VALUE,... */
static smr_status make_table(struct ledger *l, const char *what, smr_table **out)
{
    char text[WORD] = "";
    const char *words[16];
    int64_t n = 0, n_generators;
    smr_settings settings = {0};
    smr_status st = SMR_OK;
    snprintf(text, sizeof text, "%.*s", WORD - 1, what);
    for (char *at = text; at && n < 16; n++) {
        words[n] = at;
        at = strchr(at, ',');
        if (at) *at++ = '\0';
    }
    const smr_generator *const *all = smr_generators(&n_generators);
    for (int64_t i = 0; i < n_generators; i++) l->made[i] |= !strcmp(all[i]->name, words[0]);
    TRY(smr_settings_parse(l->ctx, words + 1, n - 1, &settings));
    TRY(smr_generate(l->ctx, words[0], settings.list, settings.n, 7, out));
out:
    smr_settings_release(&settings);
    return st;
}

static smr_status load_table(struct ledger *l, const char *name)
{
    char path[WORD + 16];
    if (l->data && !strcmp(l->table, name)) return SMR_OK;
    smr_table_free(l->data);
    l->data = NULL;
    snprintf(l->table, sizeof l->table, "%s", name);
    if (!strncmp(name, "make:", 5)) return make_table(l, name + 5, &l->data);
    snprintf(path, sizeof path, strchr(name, '/') ? "%s" : "data/%s.csv", name);
    return smr_table_open(l->ctx, path, NULL, &l->data);
}

/* ---- sums -------------------------------------------------------------------------------- */

static void add_words(smr_sha256 *s, const char *a, const char *b)
{
    smr_sha256_add(s, a, strlen(a) + 1);
    smr_sha256_add(s, b, strlen(b) + 1);
}

static void add_numbers(smr_sha256 *s, const double *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        uint64_t bits = 0;
        uint8_t bytes[8];
        double v = isnan(x[i]) ? (double)NAN : x[i];
        memcpy(&bits, &v, sizeof bits);
        for (int k = 0; k < 8; k++) bytes[k] = (uint8_t)(bits >> 8 * k);
        smr_sha256_add(s, bytes, sizeof bytes);
    }
}

static void end_sum(smr_sha256 *s, char *out)
{
    char hex[65];
    smr_sha256_hex(s, hex);
    memcpy(out, hex, SUM);
    out[SUM] = '\0';
}

static void add_tensor(smr_sha256 *s, const smr_file_tensor *t)
{
    add_words(s, t->name, smr_safetensors_dtype_name(t->dtype));
    for (int k = 0; k < t->n_dims; k++) {
        double length = (double)t->shape[k];
        add_numbers(s, &length, 1);
    }
    if (t->n) smr_sha256_add(s, t->data, (size_t)t->n * smr_dtype_size(t->dtype));
}

/* By descending element size, then by name, wherever they lie in the file. */
static int compare_tensors(const void *items, int64_t a, int64_t b)
{
    const smr_file_tensor *t = items;
    size_t size_a = smr_dtype_size(t[a].dtype), size_b = smr_dtype_size(t[b].dtype);
    if (size_a != size_b) return size_a > size_b ? -1 : 1;
    return strcmp(t[a].name, t[b].name);
}

static smr_status sum_model(smr_ctx *ctx, const smr_model *m, char *out)
{
    smr_status st = SMR_OK;
    smr_safetensors file = {0};
    char *bytes = NULL;
    int64_t length, *order = NULL;
    smr_sha256 s;
    TRY(smr_model_write(ctx, m, &bytes, &length));
    TRY(smr_safetensors_read(ctx, bytes, length, &file));
    smr_sha256_begin(&s);
    for (int64_t k = 0; k < file.n_meta; k++)
        if (strcmp(file.meta[k].key, "version") != 0 && strcmp(file.meta[k].key, "sha256") != 0)
            add_words(&s, file.meta[k].key, file.meta[k].value);
    TRY_NEW(order, file.n_tensors);
    TRY(smr_argsort(ctx, file.n_tensors, compare_tensors, file.tensors, order));
    for (int64_t k = 0; k < file.n_tensors; k++) add_tensor(&s, &file.tensors[order[k]]);
    end_sum(&s, out);
out:
    smr_free(order);
    smr_safetensors_release(&file);
    smr_free(bytes);
    return st;
}

/* What was said while it learned from a stream (n_said numbers) and every output. */
static smr_status sum_predictions(struct ledger *l, const smr_model *m, const double *said,
                                  int64_t n_said, char *out)
{
    smr_status st = SMR_OK;
    smr_ctx *ctx = l->ctx;
    double *answers = NULL;
    smr_sha256 s;
    smr_sha256_begin(&s);
    add_numbers(&s, said, n_said);
    /* The path of a sequence is no step's likeliest state: it is an answer of its own, as the score
     * of a density is. */
    bool scored = m->target.task == SMR_TASK_SEQUENCE || m->target.task == SMR_TASK_DENSITY ||
                  m->target.task == SMR_TASK_OUTLIERS;
    int last = scored ? SMR_OUTPUT_SCORE : SMR_OUTPUT_SET;
    for (int k = 0; k <= last; k++) {
        int64_t width = smr_model_n_outputs(m, (smr_output)k);
        if (width == 0) continue;
        TRY_NEW(answers, l->data->n_rows * width);
        TRY(smr_predict(ctx, m, l->data, (smr_output)k, answers));
        add_numbers(&s, answers, l->data->n_rows * width);
        smr_free(answers);
        answers = NULL;
    }
    end_sum(&s, out);
out:
    smr_free(answers);
    return st;
}

/* ---- fitting ----------------------------------------------------------------------------- */

/* Takes the options off the target's text; true: it is learned from a stream. */
static bool read_options(char *target, smr_train_opts *how)
{
    bool streams = false;
    *how = (smr_train_opts){.size = sizeof *how};
    for (char *at = strchr(target, ';'); at;) {
        *at++ = '\0';
        if (!strncmp(at, "weight=", 7)) how->weight = at + 7;
        if (!strncmp(at, "ignore=", 7)) how->ignore = at + 7;
        if (!strncmp(at, "outliers", 8)) how->task = SMR_TASK_OUTLIERS;
        if (!strncmp(at, "class=", 6)) how->positive = at + 6;
        if (!strncmp(at, "threshold=", 10)) how->threshold = at + 10;
        if (!strncmp(at, "sequence=", 9)) how->sequence = at + 9;
        if (!strncmp(at, "time=", 5)) how->time = at + 5;
        if (!strncmp(at, "user=", 5)) how->user = at + 5;
        if (!strncmp(at, "item=", 5)) how->item = at + 5;
        streams |= !strncmp(at, "stream", 6);
        at = strchr(at, ';');
    }
    if (strcmp(target, "-") != 0) how->target = target;
    return streams;
}

static void note_stages(struct ledger *l, const smr_model *m)
{
    int64_t n;
    const smr_learner *const *all = smr_registry(&n);
    for (int64_t s = 0; s < m->n_stages; s++)
        for (int64_t i = 0; i < n; i++)
            if (all[i] == m->stages[s].learner) l->tried[i][m->target.task] = true;
}

static smr_status sum_stream(struct ledger *l, const struct entry *e, const smr_train_opts *how,
                             struct entry *got)
{
    smr_status st = SMR_OK;
    smr_ctx *ctx = l->ctx;
    smr_streamer *stream = NULL;
    double *said = NULL;
    TRY(smr_stream_begin(ctx, e->sentence, l->data, how, &stream));
    int64_t n = l->data->n_rows * smr_stream_n_said(stream);
    TRY_NEW(said, n);
    TRY(smr_stream_learn(ctx, stream, l->data, said));
    note_stages(l, smr_stream_model(stream));
    TRY(sum_model(ctx, smr_stream_model(stream), got->model));
    TRY(sum_predictions(l, smr_stream_model(stream), said, n, got->predictions));
out:
    smr_free(said);
    smr_stream_free(stream);
    return st;
}

static smr_status sum_entry(struct ledger *l, const struct entry *e, struct entry *got)
{
    smr_status st = SMR_OK;
    smr_model *m = NULL;
    smr_train_opts how;
    char target[WORD];
    snprintf(target, sizeof target, "%s", e->target);
    bool streams = read_options(target, &how);
    TRY(load_table(l, e->table));
    if (streams) return sum_stream(l, e, &how, got);
    TRY(smr_train(l->ctx, e->sentence, l->data, &how, &m));
    note_stages(l, m);
    TRY(sum_model(l->ctx, m, got->model));
    TRY(sum_predictions(l, m, NULL, 0, got->predictions));
out:
    smr_model_free(m);
    return st;
}

/* ---- the report -------------------------------------------------------------------------- */

static void report(struct ledger *l, bool good, const char *what, const char *more)
{
    l->n++;
    l->failed += !good;
    printf("%s %" PRId64 " - %s%s\n", good ? "ok" : "not ok", l->n, what, more);
    fflush(stdout);
}

static void differs(const char *what, const char *old, const char *new)
{
    if (strcmp(old, new) != 0) printf("# %s: the ledger has %s, this is %s\n", what, old, new);
}

static void check_entry(struct ledger *l, const struct entry *e)
{
    struct entry got = {0};
    char name[1024];
    snprintf(name, sizeof name, "%s %s: %s", e->table, e->target, e->sentence);
    if (sum_entry(l, e, &got) != SMR_OK) {
        printf("# %s\n", smr_ctx_message(l->ctx));
        smr_ctx_clear(l->ctx);
        report(l, false, name, "");
        got = *e;
    } else if (!l->write) {
        differs("model", e->model, got.model);
        differs("predictions", e->predictions, got.predictions);
        report(l, !strcmp(e->model, got.model) && !strcmp(e->predictions, got.predictions), name,
               "");
    }
    smr_text_printf(&l->out, "%s %s %s %s %s\n", got.model, got.predictions, e->table, e->target,
                    e->sentence);
}

static void check_learners(struct ledger *l)
{
    static const struct {
        unsigned bit;
        smr_task task;
    } tasks[] = {{SMR_DOES_TRANSFORM, SMR_TASK_NONE},    {SMR_DOES_CLASSIFY, SMR_TASK_CLASSIFY},
                 {SMR_DOES_REGRESS, SMR_TASK_REGRESS},   {SMR_DOES_CLUSTER, SMR_TASK_CLUSTER},
                 {SMR_DOES_SEQUENCE, SMR_TASK_SEQUENCE}, {SMR_DOES_OUTLIERS, SMR_TASK_OUTLIERS}};
    int64_t n, missing = 0;
    const smr_learner *const *all = smr_registry(&n);
    for (int64_t i = 0; i < n; i++)
        for (int t = 0; t < SMR_COUNT(tasks); t++) {
            bool any = l->tried[i][0] || l->tried[i][1] || l->tried[i][2];
            if (!(all[i]->tasks & tasks[t].bit) || (t ? l->tried[i][tasks[t].task] : any)) continue;
            printf("# %s %s\n", all[i]->word->name, smr_task_name(tasks[t].task));
            missing++;
        }
    report(l, missing == 0, "every learner is in some line, with each of its tasks", "");
}

static void check_generators(struct ledger *l)
{
    int64_t n, missing = 0;
    const smr_generator *const *all = smr_generators(&n);
    for (int64_t i = 0; i < n; i++) {
        if (l->made[i]) continue;
        printf("# %s\n", all[i]->name);
        missing++;
    }
    report(l, missing == 0, "every generator makes the table of some line", "");
}

/* ---- the file ---------------------------------------------------------------------------- */

static void run_line(struct ledger *l, const char *line)
{
    struct entry e = {0};
    int at = 0;
    if (!*line || *line == '#') {
        smr_text_printf(&l->out, "%s\n", line);
        return;
    }
    if (sscanf(line, "%127s %127s %127s %127s %n", e.model, e.predictions, e.table, e.target,
               &at) != 4 ||
        !at || !line[at]) {
        report(l, false, "not MODEL PREDICTIONS TABLE TARGET SENTENCE: ", line);
        return;
    }
    e.sentence = line + at;
    if (!l->only || strstr(line, l->only)) check_entry(l, &e);
}

static smr_status renew(struct ledger *l)
{
    smr_status st = SMR_OK;
    smr_sink *sink = NULL;
    TRY(smr_text_done(&l->out));
    TRY(smr_sink_open(l->ctx, l->path, false, &sink));
    TRY(smr_sink_write(l->ctx, sink, l->out.bytes, l->out.length));
    TRY(smr_sink_commit(l->ctx, sink));
out:
    smr_sink_close(sink);
    return st;
}

static smr_status run(struct ledger *l)
{
    smr_status st = SMR_OK;
    smr_ctx *ctx = l->ctx;
    smr_source *file = NULL;
    char *text = NULL;
    int64_t length;
    TRY(smr_source_open(ctx, l->path, &file));
    TRY(smr_source_whole(ctx, file, 1 << 20, &text, &length));
    printf("# tier %s, %d threads\n", smr_kernel_tier(), ctx->n_threads);
    for (char *line = text, *end; *line; line = end + 1) {
        end = strchr(line, '\n');
        if (!end) break; /* the file ends with a newline */
        *end = '\0';
        run_line(l, line);
    }
    if (!l->only) {
        check_learners(l);
        check_generators(l);
    }
    printf("1..%" PRId64 "\n", l->n);
    if (l->write) TRY(renew(l));
out:
    if (st != SMR_OK) fprintf(stderr, "ledger: %s\n", smr_ctx_message(ctx));
    smr_free(text);
    smr_source_close(file);
    smr_table_free(l->data);
    smr_text_release(&l->out);
    return st;
}

int main(int argc, char **argv)
{
    struct ledger l = {0};
    smr_ctx_opts opts = {.size = sizeof opts, .n_threads = 2};
    for (int i = 1; i < argc; i++) {
        bool more = i + 1 < argc;
        if (more && !strcmp(argv[i], "--tier")) {
            i++; /* a processor may not have it */
            if (strcmp(argv[i], "best") != 0 && !smr_kernel_use(argv[i])) return SKIPPED;
        } else if (more && !strcmp(argv[i], "--threads")) {
            opts.n_threads = atoi(argv[++i]);
        } else if (more && !strcmp(argv[i], "--only")) {
            l.only = argv[++i];
        } else if (!strcmp(argv[i], "--write")) {
            l.write = true;
        } else {
            l.path = argv[i];
        }
    }
    if (!l.path || (l.write && l.only)) {
        fprintf(stderr, "usage: ledger [--tier NAME] [--threads N] [--only TEXT] [--write] FILE\n");
        return 2;
    }
    if (smr_ctx_create(&opts, &l.ctx) != SMR_OK) return 2;
    l.out.ctx = l.ctx;
    smr_status st = run(&l);
    smr_ctx_destroy(l.ctx);
    return st != SMR_OK || l.failed > 0;
}
