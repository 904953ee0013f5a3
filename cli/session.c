/* session.c -- see session.h.
 *
 * A command is one process with one context; the warnings it gave and the state of its progress
 * line are therefore file-level state, here and nowhere else. */
#define _GNU_SOURCE /* sigaction */
#include "session.h"

#include "core/number.h"
#include "outputs.h"
#include "plots.h"
#include "screen.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SHOWN_ROWS = 50, JSON_VERSION = 1 };

enum { MOST_WARNINGS = 1000, SHOWN_WARNINGS = 12, MOST_TOLD = 20 };

static struct {
    smr_ctx *ctx;
    bool quiet, verbose, muted;
    bool waits; /* warnings come after the result */
    char *warnings[MOST_WARNINGS];
    int n_warnings, n_shown;
    char *told[MOST_TOLD]; /* how long the work will take, each shown when it began */
    int n_told;
    char what[64]; /* the work that was last heard of */
    int64_t done, total;
} session;

/* Was it shown when the work began?  Rounds, trials and the fit that is kept say the same with
 * other counts: of each learner once is enough. */
static bool was_told(const char *message)
{
    for (int i = 0; i < session.n_told; i++)
        if (strstr(message, session.told[i])) return true;
    return false;
}

static void show_warnings(void)
{
    session.waits = false;
    for (; session.n_shown < SMR_MIN(session.n_warnings, SHOWN_WARNINGS); session.n_shown++) {
        const char *message = session.warnings[session.n_shown];
        if (!session.quiet && message && !was_told(message)) screen_say("warning", message);
    }
}

static void keep_warning(const char *message)
{
    if (session.n_warnings == MOST_WARNINGS) return;
    for (int i = 0; i < session.n_warnings; i++)
        if (strcmp(session.warnings[i], message) == 0) return; /* already said, by an earlier fit */
    session.warnings[session.n_warnings++] = strdup(message);
    if (!session.waits) show_warnings();
}

static void on_log(void *user, smr_log_level level, const char *message)
{
    (void)user;
    if (session.muted) return;
    if (level == SMR_LOG_WARNING) {
        keep_warning(message);
    } else if (session.verbose && !session.quiet) {
        screen_say(NULL, message);
    }
}

/* Told at once, also when the fit is only measured or the warnings wait for the result.  What is
 * before the first number names the learner and its work. */
static void on_foretell(void *user, smr_log_level level, const char *message)
{
    (void)user;
    (void)level;
    if (was_told(message) || session.n_told == MOST_TOLD) return;
    char *head = strndup(message, strcspn(message, "0123456789"));
    if (!head) return;
    session.told[session.n_told++] = head;
    if (!session.quiet) screen_say("warning", message);
}

static int on_progress(void *user, const char *what, int64_t done, int64_t total, double figure)
{
    (void)user;
    snprintf(session.what, sizeof session.what, "%s", what);
    session.done = done;
    session.total = total;
    if (!session.quiet) screen_progress(what, done, total, figure);
    return 0;
}

/* The first signal asks the work to stop between blocks; a second one does not wait for that. */
static void on_interrupt(int number)
{
    static volatile sig_atomic_t asked;
    static double first;
    const double same = 0.2; /* seconds: timeout(1) asks the process, and then its group */
    double now = smr_now();
    (void)number;
    if (asked && now - first > same) _exit(130);
    if (!asked) first = now;
    asked = 1;
    smr_ctx_cancel(session.ctx);
}

smr_status session_begin(smr_ctx **ctx)
{
    smr_ctx_opts opts = {.size = sizeof opts, .log = on_log, .progress = on_progress};
    smr_status st = smr_ctx_create(&opts, ctx);
    if (st != SMR_OK) return st;
    session.ctx = *ctx;
    (*ctx)->foretell = on_foretell;
    screen_begin();
    struct sigaction act = {.sa_handler = on_interrupt};
    sigaction(SIGINT, &act, NULL);
    sigaction(SIGTERM, &act, NULL);
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is a failed write, reported as one */
    return SMR_OK;
}

/* --verbose begins with what does the work. */
static smr_status tell_machine(smr_ctx *ctx)
{
    char *info = NULL;
    smr_status st = smr_build_info(ctx, &info);
    if (st == SMR_OK)
        smr_info(ctx, "%s, %d thread%s, seed %llu", info + strlen("samara "), smr_ctx_threads(ctx),
                 smr_plural(smr_ctx_threads(ctx), "", "s"), (unsigned long long)smr_ctx_seed(ctx));
    smr_string_free(info);
    return st;
}

/* What was read, and in which time. */
static void tell_table(smr_ctx *ctx, const char *path, const smr_table *t, double began)
{
    int64_t columns = t->n_cols + t->sparse.n_cols;
    smr_info(ctx, "%s: %lld row%s, %lld column%s, read in %lld ms", path, (long long)t->n_rows,
             smr_plural(t->n_rows, "", "s"), (long long)columns, smr_plural(columns, "", "s"),
             (long long)(1000 * (smr_now() - began) + 0.5));
}

smr_status session_configure(smr_ctx *ctx, const args *a)
{
    smr_status st = SMR_OK;
    if (a->threads > 1024)
        return smr_fail(ctx, SMR_ERR_PARAM, "--threads: at most 1024, not %lld",
                        (long long)a->threads);
    if (a->threads > 0) TRY(smr_ctx_set_threads(ctx, (int)a->threads));
    if (a->memory > 0) TRY(smr_ctx_set_memory_limit(ctx, (int64_t)a->memory));
    smr_ctx_set_seed(ctx, (uint64_t)a->seed);
    session.quiet = a->quiet;
    session.verbose = a->verbose;
    if (a->verbose) TRY(tell_machine(ctx));
out:
    return st;
}

void session_mute(bool yes)
{
    session.muted = yes;
}

void session_result_first(void)
{
    session.waits = true;
}

bool session_is_verbose(void)
{
    return session.verbose;
}

bool session_is_quiet(void)
{
    return session.quiet;
}

/* What a library that was told to stop cannot say: what became of the work. */
void session_tell_cancelled(smr_ctx *ctx)
{
    char text[SMR_MESSAGE_MAX] = "";
    if (strcmp(smr_ctx_message(ctx), "cancelled") != 0) return; /* more is said already */
    if (*session.what)
        snprintf(text, sizeof text, " (%s: %lld of %lld)", session.what, (long long)session.done,
                 (long long)session.total);
    smr_begin(ctx);
    smr_fail(ctx, SMR_ERR_CANCELLED, "cancelled%s: what was done is lost, and no file was written",
             text);
}

void session_end(smr_ctx *ctx)
{
    screen_clear_line();
    show_warnings();
    int more = session.n_warnings - SHOWN_WARNINGS;
    if (more > 0 && !session.quiet)
        fprintf(stderr, "samara: and %d more warning%s; --json lists them all\n", more,
                smr_plural(more, "", "s"));
    for (int i = 0; i < session.n_warnings; i++) free(session.warnings[i]);
    for (int i = 0; i < session.n_told; i++) free(session.told[i]);
    session.n_warnings = 0;
    smr_ctx_destroy(ctx);
}

smr_status session_add_result(smr_ctx *ctx, char *json, smr_json *into)
{
    smr_status st = SMR_OK;
    smr_json_doc *doc = NULL;
    TRY(smr_json_parse(ctx, json, (int64_t)strlen(json), &doc));
    for (const smr_json *m = smr_json_root(doc)->first; m; m = m->next)
        smr_json_add_copy(into, m->key, m);
    TRY(smr_tick(ctx, NULL, 0, 1, NAN)); /* showing it may take as long again */
out:
    smr_json_free(doc);
    smr_string_free(json);
    return st;
}

void session_add_warnings(smr_json *into)
{
    smr_json *list = smr_json_add_array(into, "warnings");
    for (int i = 0; i < session.n_warnings; i++)
        smr_json_add_string(list, NULL, session.warnings[i]);
}

int session_exit(smr_status status)
{
    switch (status) {
    case SMR_OK: return 0;
    case SMR_ERR_PARAM: return 2;
    case SMR_ERR_IO: return 3;
    case SMR_ERR_CANCELLED: return 130;
    case SMR_ERR_INTERNAL: return 70;
    case SMR_ERR_FORMAT:
    case SMR_ERR_SHAPE:
    case SMR_ERR_DATA:
    case SMR_ERR_STATE:
    case SMR_ERR_NUMERIC:
    case SMR_ERR_UNSUPPORTED:
    case SMR_ERR_NOMEM: return 1;
    }
    return 70;
}

double session_peak_memory(const smr_ctx *ctx)
{
    int64_t peak = 0;
    double bytes = 0;
    char line[256];
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, "VmHWM:", 6) == 0) {
            const char *at = line + 6, *end = line + strlen(line);
            while (*at == ' ' || *at == '\t') at++;
            int64_t kb = 0;
            if (smr_parse_int(at, end, &kb)) bytes = 1024.0 * (double)kb;
        }
    if (f) fclose(f);
    smr_ctx_memory(ctx, &peak);
    return bytes > 0 ? bytes : (double)peak;
}

static smr_status read_delimiter(smr_ctx *ctx, const char *text, char *out)
{
    static const struct {
        const char *name;
        char c;
    } names[] = {{"tab", '\t'},  {"\\t", '\t'},      {"space", ' '},
                 {"comma", ','}, {"semicolon", ';'}, {"pipe", '|'}};
    for (int64_t i = 0; i < SMR_COUNT(names); i++)
        if (strcmp(text, names[i].name) == 0) {
            *out = names[i].c;
            return SMR_OK;
        }
    if (strlen(text) != 1)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "--delimiter: '%s' is not one character, nor tab, space, comma, "
                        "semicolon or pipe",
                        text);
    *out = text[0];
    return SMR_OK;
}

static smr_status read_decimal(smr_ctx *ctx, const char *text, char *out)
{
    *out = 0;
    if (strcmp(text, ",") == 0 || strcmp(text, "comma") == 0) *out = ',';
    if (strcmp(text, ".") == 0 || strcmp(text, "point") == 0) *out = '.';
    if (*out) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_PARAM, "--decimal: a point or a comma ('.' or ','), not '%s'",
                    text);
}

smr_status session_read_opts(smr_ctx *ctx, const args *a, smr_open_opts *opts)
{
    smr_status st = SMR_OK;
    *opts = (smr_open_opts){.size = sizeof *opts,
                            .format = a->format,
                            .types = a->types,
                            .missing = a->missing,
                            .labels = a->labels,
                            .query = a->query,
                            .picture_size = a->size,
                            .picture_fit = a->fit,
                            .grey = a->grey,
                            .header = -1};
    if (a->delimiter) TRY(read_delimiter(ctx, a->delimiter, &opts->delimiter));
    if (a->decimal) TRY(read_decimal(ctx, a->decimal, &opts->decimal));
    if (a->header) {
        bool yes = strcmp(a->header, "yes") == 0;
        if (!yes && strcmp(a->header, "no") != 0) {
            st = smr_fail(ctx, SMR_ERR_PARAM, "--header: yes or no, not '%s'", a->header);
            goto out;
        }
        opts->header = yes;
    }
out:
    return st;
}

/* Of a table, whose pictures may be left out; a stream has its own rows for that. */
static smr_status read_bad(smr_ctx *ctx, const args *a, smr_open_opts *opts)
{
    if (!a->bad) return SMR_OK;
    opts->skip_bad = strcmp(a->bad, "skip") == 0;
    if (opts->skip_bad || strcmp(a->bad, "stop") == 0) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_PARAM, "--bad: stop or skip, not '%s'", a->bad);
}

/* What only the file can tell: --header no of a format that has no names in its first row.  (The
 * library refuses a header there; that it need not look for one is its default.) */
static smr_status check_header(smr_ctx *ctx, const args *a, const char *path, smr_table **t)
{
    const char *notes = (*t)->notes;
    if (!a->header || !notes || strncmp(notes, "format: csv", 11) == 0) return SMR_OK;
    smr_table_free(*t);
    *t = NULL;
    return smr_fail(ctx, SMR_ERR_PARAM, "%s: --header is for CSV files, and this is another format",
                    path);
}

smr_status session_read(smr_ctx *ctx, const args *a, const char *path, smr_table **out)
{
    smr_open_opts opts;
    smr_status st = SMR_OK;
    double began = smr_now();
    TRY(session_read_opts(ctx, a, &opts));
    TRY(read_bad(ctx, a, &opts));
    TRY(smr_table_open(ctx, path, &opts, out));
    TRY(check_header(ctx, a, path, out));
    tell_table(ctx, path, *out, began);
out:
    return st;
}

smr_status session_read_for(smr_ctx *ctx, const args *a, const smr_model *model, const char *path,
                            smr_table **out)
{
    smr_open_opts opts;
    smr_status st = SMR_OK;
    double began = smr_now();
    TRY(session_read_opts(ctx, a, &opts));
    TRY(read_bad(ctx, a, &opts));
    TRY(smr_table_open_for(ctx, model, path, &opts, out));
    TRY(check_header(ctx, a, path, out));
    tell_table(ctx, path, *out, began);
out:
    return st;
}

smr_status session_print(smr_ctx *ctx, const smr_text *text)
{
    smr_text folded = {.ctx = ctx};
    const smr_text *shown = text->width ? &folded : text;
    smr_status st = SMR_OK;
    TRY(smr_text_done(text));
    if (text->width) screen_fold(text, &folded);
    TRY(smr_text_done(shown));
    screen_clear_line();
    size_t n = (size_t)shown->length;
    if (n && (fwrite(shown->bytes, 1, n, stdout) != n || fflush(stdout) != 0))
        st = smr_fail(ctx, SMR_ERR_IO, "standard output cannot be written: %s", strerror(errno));
out:
    smr_text_release(&folded);
    return st;
}

/* The last member becomes the first. */
static void put_in_front(smr_json *object)
{
    smr_json *last = object->last, *before = object->first;
    if (before == last) return;
    while (before->next != last) before = before->next;
    before->next = NULL;
    last->next = object->first;
    object->first = last;
    object->last = before;
}

static void add_version(smr_json *value)
{
    if (!smr_json_get(value, "json_version") &&
        smr_json_add_number(value, "json_version", JSON_VERSION))
        put_in_front(value);
}

smr_status session_print_json(smr_ctx *ctx, smr_json *value)
{
    smr_text text = {.ctx = ctx};
    add_version(value);
    smr_status st = smr_json_done(value->doc);
    if (st == SMR_OK) st = smr_json_write_long(value, 2, &text);
    smr_text_add(&text, "\n");
    if (st == SMR_OK) st = session_print(ctx, &text);
    smr_text_release(&text);
    return st;
}

/* The text or the JSON object, in a file. */
static smr_status write_result(smr_ctx *ctx, const args *a, smr_json *root, session_show show,
                               const char *path)
{
    smr_text text = {.ctx = ctx};
    smr_status st = smr_json_done(root->doc);
    if (st == SMR_OK && a->json) {
        add_version(root);
        st = smr_json_write_long(root, 2, &text);
        smr_text_add(&text, "\n");
    } else if (st == SMR_OK) {
        show(root, a->rows < 0 ? SHOWN_ROWS : a->rows, &text);
    }
    if (st == SMR_OK) st = smr_text_done(&text);
    if (st == SMR_OK) st = outputs_write(ctx, path, &text);
    if (st == SMR_OK) st = session_wrote(ctx, a, path);
    smr_text_release(&text);
    return st;
}

smr_status session_finish_in(smr_ctx *ctx, const args *a, smr_json *root, session_show show,
                             const char *path)
{
    smr_status st = SMR_OK;
    if (!path || strcmp(path, "-") == 0) return session_finish(ctx, a, root, show);
    TRY(write_result(ctx, a, root, show, path));
    show_warnings();
    TRY(plots_write(ctx, a, root));
out:
    return st;
}

smr_status session_finish(smr_ctx *ctx, const args *a, smr_json *root, session_show show)
{
    smr_text text = screen_text(ctx);
    smr_status st = smr_json_done(root->doc);
    if (st == SMR_OK && a->json) st = session_print_json(ctx, root);
    if (st == SMR_OK && !a->json) {
        show(root, a->rows < 0 ? SHOWN_ROWS : a->rows, &text);
        st = session_print(ctx, &text);
    }
    show_warnings();
    if (st == SMR_OK) st = plots_write(ctx, a, root);
    smr_text_release(&text);
    return st;
}

smr_status session_wrote(smr_ctx *ctx, const args *a, const char *path)
{
    smr_text text = {.ctx = ctx};
    if (a->quiet || a->json || strcmp(path, "-") == 0) return SMR_OK;
    smr_text_printf(&text, "wrote     %s\n", path);
    smr_status st = session_print(ctx, &text);
    smr_text_release(&text);
    return st;
}

bool session_is_file(const char *word)
{
    struct stat s;
    const char *mark = strrchr(word, '?'); /* FILE?TABLE */
    char file[PATH_MAX];
    if (strcmp(word, "-") == 0 || stat(word, &s) == 0) return true;
    if (!mark || mark - word >= (ptrdiff_t)sizeof file) return false;
    memcpy(file, word, (size_t)(mark - word));
    file[mark - word] = '\0';
    return stat(file, &s) == 0;
}
